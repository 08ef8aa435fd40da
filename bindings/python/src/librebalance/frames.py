# SPDX-License-Identifier: MIT
"""Tables as frames of pandas and polars, which are imported when they are needed."""
import importlib
from typing import Any, Dict, List

import numpy as np

from ._call import ABSENT
from .tables import Integers, Table, Texts


def _codes(values: Integers, words: List[str]) -> Integers:
    """Numbers as places in a list of names: -1 where a cell is absent or has no name."""
    has_name = np.array([bool(word) for word in words] + [False])
    at = np.where((values >= 0) & (values < len(words)), values, len(words))
    return np.where(has_name[at], at, -1)


def _packed(codes: Integers, words: List[str]) -> "tuple[Integers, List[str]]":
    """The same with only those names that have one: categories must differ."""
    named = [at for at, word in enumerate(words) if word]
    places = np.full(len(words) + 1, -1, np.int64)
    places[named] = np.arange(len(named))
    return places[codes], [words[at] for at in named]


def optional(module: str, what: str) -> Any:
    """A module that need not be installed. ImportError: it is not, and what needs it."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        package = module.partition(".")[0]
        raise ImportError(f"{what} needs {package}: pip install {package}") from missing


def to_pandas(table: Table, names: bool) -> Any:
    """Table.to_pandas()."""
    pandas = optional("pandas", "to_pandas()")
    made: Dict[str, Any] = {}
    for name in table:
        values, words = table[name], table.words(name) if names else None
        if isinstance(values, Texts):
            made[name] = pandas.Series(list(values), dtype="str")
        elif values.dtype != np.int64:
            made[name] = pandas.Series(values).dt.tz_localize("UTC")
        elif words is not None:
            codes, categories = _packed(_codes(values, words), words)
            made[name] = pandas.Series(pandas.Categorical.from_codes(codes, categories))
        elif (values == ABSENT).any():
            made[name] = pandas.Series(pandas.arrays.IntegerArray(values.copy(), values == ABSENT))
        else:
            made[name] = pandas.Series(values, copy=False)
    return pandas.DataFrame(made, copy=False)


def to_polars(table: Table, names: bool) -> Any:
    """Table.to_polars()."""
    polars = optional("polars", "to_polars()")
    made = polars.DataFrame(table)
    for name in table if names else ():
        values, words = table[name], table.words(name)
        if words is not None and not isinstance(values, Texts):
            codes, categories = _packed(_codes(values, words), words)
            places = polars.Series(name, np.where(codes < 0, 0, codes))
            column = polars.Series(name, categories or [""], dtype=polars.String).gather(places)
            column = column.set(polars.Series(codes < 0), None)
            made = made.with_columns(column.cast(polars.Categorical))
    return made
