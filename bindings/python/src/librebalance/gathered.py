# SPDX-License-Identifier: MIT
"""Answers to parts of a set of bindings, put together as if one call had given them."""
import datetime
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._call import ABSENT
from .fleet import Names
from .lists.errors import StateError
from .lists.tables import COLUMNS, TABLES, Column
from .results import Result
from .tables import ResultSource, Source, Texts, Values

#: Columns by id as they travel between processes: the bytes of int64, or offsets (uint32) and bytes of texts.
Part = Dict[int, Tuple[bytes, ...]]


def part_of(result: Result, tables: Sequence[str]) -> Part:
    """The columns of some tables of an answer."""
    source = ResultSource(result)
    made: Part = {}
    for table in tables:
        for column in COLUMNS[table]:
            values = source.read(table, column)
            made[column.id] = ((values.offsets.tobytes(), values.data.tobytes()) if isinstance(values, Texts)
                               else (values.tobytes(),))
    return made


class _Columns(Source):
    """Columns in memory of this process."""

    def __init__(self, columns: Mapping[int, Values], names: Optional[Names], tables: Sequence[str]) -> None:
        self._columns = columns
        self.tables = tables
        self.names = names

    def by_id(self, column: int) -> Optional[Values]:
        """A column by its id; None: there is none."""
        return self._columns.get(column)

    def count(self, table: str) -> int:
        return len(self._columns[COLUMNS[table][0].id]) if table in self.tables else 0

    def read(self, table: str, column: Column) -> Values:
        if table not in self.tables:
            return Texts.of([]) if column.type == "TEXT" else np.zeros(0, "M8[us]" if column.type == "TIME" else "i8")
        return self._columns[column.id]


def _joined(column: Column, parts: Sequence[Part]) -> Values:
    if column.type != "TEXT":
        values = np.concatenate([np.zeros(0, np.int64), *(np.frombuffer(one[column.id][0], np.int64) for one in parts)])
        values.flags.writeable = False
        return values
    return Texts.of([text for one in parts for text in _texts(*one[column.id])])


def _texts(offsets: bytes, data: bytes) -> List[bytes]:
    bounds = np.frombuffer(offsets, np.uint32).tolist()
    return [data[begin:end] for begin, end in zip(bounds, bounds[1:])]


def _shift_placed(columns: Dict[int, Values], parts: Sequence[Part]) -> None:
    """Makes FIRST_PLACED of each part a row of all of them."""
    first = {one.name: one.id for one in COLUMNS["DECISION"]}["FIRST_PLACED"]
    placed, decided = COLUMNS["PLACED"][0].id, COLUMNS["DECISION"][0].id
    before = np.cumsum([0] + [len(one[placed][0]) // 8 for one in parts])
    shift = [np.full(len(one[decided][0]) // 8, begin) for one, begin in zip(parts, before)]
    moved = np.asarray(columns[first]) + np.concatenate([np.zeros(0, np.int64), *shift])
    moved.flags.writeable = False
    columns[first] = moved


class Gathered(Result):
    """What Result is, of columns of some tables that several calls filled. Rows of DECISION count rows of PLACED; all
    other rows are the same in each part."""

    __slots__ = ("source",)

    def __init__(self, parts: Sequence[Part], names: Optional[Names], tables: Sequence[str]) -> None:
        columns = {column.id: _joined(column, parts) for table in tables for column in COLUMNS[table]}
        if "PLACED" in tables:
            _shift_placed(columns, parts)
        self.source = _Columns(columns, names, tables)
        self.names = names
        self.pointer = None

    def _read(self, column: int) -> Optional[Values]:
        return self.source.by_id(column)

    def count(self, table: int) -> int:
        return next((self.source.count(name) for name in self.source.tables if TABLES[name] == table), 0)

    def integers(self, column: int) -> List[int]:
        values = self._read(column)
        return [] if values is None or isinstance(values, Texts) else list(values.tolist())

    def integer(self, column: int, row: int) -> int:
        values = self._read(column)
        return ABSENT if values is None or isinstance(values, Texts) or row >= len(values) else int(values[row])

    def text(self, column: int, row: int) -> str:
        values = self._read(column)
        return str(values[row]) if isinstance(values, Texts) and row < len(values) else ""

    def time(self, column: int, row: int) -> Optional[datetime.datetime]:
        return None

    def fingerprint(self) -> str:
        raise StateError("an answer that several calls gave has no fingerprint")
