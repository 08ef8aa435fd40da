# SPDX-License-Identifier: MIT
"""The column level: fleets, bindings and results as NumPy arrays, and as tables that Arrow's PyCapsule protocol reads.

    decisions = schedule(fleet, bindings)
    placed = table(decisions, "PLACED")
    placed["replicas"]                  # int64, read-only, no copy
    pyarrow.table(placed)               # no copy either; polars.DataFrame(placed), duckdb and others likewise
    placed.to_pandas()                  # clusters and enumerations by name

    bindings = read_bindings(fleet, frame, targets=other_frame)

Tables and columns are those of librebalance.lists.tables (rebalance-columns(7)), columns in lower case.

In the library, memory of a result is valid until the next call with that result. Here a view keeps its result, and
calls fill a result again only if nothing refers to it any more. So a view is valid, and does not change, as long as it
is used, whatever is called meanwhile.

ImportError: NumPy is not installed.
"""
try:
    import numpy  # noqa: F401
except ImportError as missing:
    raise ImportError("librebalance.columns needs NumPy: pip install numpy") from missing

from ._call import ABSENT
from .reading import read_bindings, read_clusters
from .tables import Table, Texts, table

__all__ = ["ABSENT", "Table", "Texts", "read_bindings", "read_clusters", "table"]
