# SPDX-License-Identifier: MIT
"""Tables of fleets, bindings and results by column: NumPy arrays, and Arrow."""
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _arrow, lists
from ._call import ABSENT, NONE, NULL, call, ffi, lib
from .bindings import Bindings
from .fleet import Fleet, Names, Snapshot, snapshot_of
from .lists.errors import NotFoundError
from .lists.tables import COLUMNS, TABLES, Column
from .results import Result

Integers = npt.NDArray[np.int64]

#: rebal_time.
TIME = np.dtype([("seconds", "i8"), ("nanos", "i4"), ("is_set", "u4")])


class _View:
    """Memory that an owner keeps, read-only; an array of it keeps both."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, address: Any, shape: Tuple[int, ...], dtype: str, owner: object) -> None:
        self.__array_interface__ = {"data": (int(ffi.cast("uintptr_t", address)), True), "shape": shape,
                                    "typestr": dtype, "version": 3}
        self.owner = owner


def _view(address: Any, n: int, dtype: Any, owner: object) -> "npt.NDArray[Any]":
    made = np.dtype(dtype)
    if n == 0 or address == NULL:
        empty = np.zeros(0, made)
        empty.flags.writeable = False
        return empty
    raw = np.asarray(_View(address, (n * made.itemsize,), "|u1", owner))
    return raw.view(made)


class Texts(Sequence[str]):
    """A column of texts: text i is data[offsets[i]:offsets[i + 1]], UTF-8. Items are str. It has the Arrow interface
    (string, no copy).

    offsets: uint32 of shape (n + 1,); data: uint8. Both are read-only.
    """

    __slots__ = ("offsets", "data")

    def __init__(self, offsets: "npt.NDArray[np.uint32]", data: "npt.NDArray[np.uint8]") -> None:
        self.offsets = offsets
        self.data = data

    @classmethod
    def of(cls, texts: "Sequence[bytes]") -> "Texts":
        """Texts one after another. OverflowError: they have 2^31 bytes or more."""
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=offsets[1:])
        if offsets[-1] >= 2**31:
            raise OverflowError("a column of texts has 2^31 bytes or more")
        data = np.frombuffer(b"".join(texts), np.uint8)
        offsets32 = offsets.astype(np.uint32)
        offsets32.flags.writeable = False
        return cls(offsets32, data)

    def __len__(self) -> int:
        return max(len(self.offsets) - 1, 0)

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(len(self)))]
        at = row + len(self) if row < 0 else row
        if not 0 <= at < len(self):
            raise IndexError(f"there are {len(self)} texts, none is {row}")
        return self.data[self.offsets[at]:self.offsets[at + 1]].tobytes().decode("utf-8", "replace")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and not isinstance(other, str) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Texts({list(self[:5])}{'...' if len(self) > 5 else ''})"

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> "npt.NDArray[Any]":
        return np.array(list(self), dtype=object if dtype is None else dtype)

    def _leaf(self, name: str) -> _arrow.Leaf:
        return _arrow.Leaf(name, "u", (None, self.offsets, self.data))

    def __arrow_c_schema__(self) -> Any:
        return _arrow.schema([self._leaf("")], True)

    def __arrow_c_array__(self, requested_schema: Any = None) -> Tuple[Any, Any]:
        return _arrow.array([self._leaf("")], len(self), True)


#: What a column is: int64; texts; or datetime64[us] in UTC, NaT where a time is not set.
Values = Union["npt.NDArray[Any]", Texts]


def moments(times: "npt.NDArray[Any]") -> "npt.NDArray[np.datetime64]":
    """datetime64[us] of the rebal_time structures; what is smaller than a microsecond is cut off."""
    micros = times["seconds"] * 1_000_000 + times["nanos"] // 1_000
    return np.where(times["is_set"] != 0, micros, np.iinfo(np.int64).min).view("M8[us]")


# ---- where columns come from ----------------------------------------------------------------------------------------

class Source:
    """Tables by column."""

    names: Optional[Names] = None

    def count(self, table: str) -> int:
        """Rows of a table."""
        raise NotImplementedError

    def columns(self, table: str) -> Tuple[Column, ...]:
        """The columns of a table."""
        return COLUMNS[table]

    def read(self, table: str, column: Column) -> Values:
        """A column."""
        raise NotImplementedError


class ResultSource(Source):
    """The tables of a result. Its integers and texts are not copied."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.names = result.names
        self._texts: Dict[int, Texts] = {}

    def count(self, table: str) -> int:
        return self.result.count(TABLES[table])

    def read(self, table: str, column: Column) -> Values:
        pointer, n = self.result.pointer, ffi.new("size_t *")
        if column.type == "TEXT":
            if column.id not in self._texts:
                self._texts[column.id] = self._read_texts(column.id)
            return self._texts[column.id]
        if column.type == "TIME":
            out = ffi.new("rebal_time **")
            call(lib.rebal_result_times, pointer, column.id, out, n)
            return moments(_view(out[0], n[0], TIME, self.result))
        return _view(lib.rebal_result_i64(pointer, column.id, n), n[0], np.int64, self.result)

    def _read_texts(self, column: int) -> Texts:
        data, offsets, n = ffi.new("char **"), ffi.new("uint32_t **"), ffi.new("size_t *")
        call(lib.rebal_result_texts, self.result.pointer, column, data, offsets, n)
        return Texts(_view(offsets[0], n[0] + 1, np.uint32, self.result),
                     _view(data[0], offsets[0][n[0]], np.uint8, self.result))


#: Columns that rows of fleets and bindings have besides those of lists.tables: the row itself, and what it belongs to.
_ROW = Column("ROW", -1, "INT64", "id of the row")
_PARENTS = {"BINDING": Column("BINDING", -2, "INT64", "row of the binding"),
            "CLUSTER": Column("OF_CLUSTER", -2, "CLUSTER", "cluster that it is in")}
_CHILDREN = {"BINDING": ("TARGET", "TASK", "STATUS_ITEM", "COMPONENT", "UNHEALTHY", "HISTORY"),
             "CLUSTER": ("NODE", "POD", "WORKLOAD", "REPLICA_SET")}


class CellsSource(Source):
    """The tables of a snapshot or of bindings. They are copied, cell by cell."""

    def __init__(self, cells: Any, root: str, names: Names, owner: object) -> None:
        self.cells = cells
        self.root = root
        self.names = names
        self._owner = owner
        self._rows: Dict[str, Tuple[List[int], List[int]]] = {}

    def count(self, table: str) -> int:
        return len(self._ids(table)[0])

    def columns(self, table: str) -> Tuple[Column, ...]:
        if table == self.root:
            return (_ROW, *COLUMNS[table])
        if table not in _CHILDREN[self.root]:
            raise NotFoundError(f"no table {table!r} of {self.root}")
        return (_PARENTS[self.root], _ROW, *COLUMNS[table])

    def _ids(self, table: str) -> Tuple[List[int], List[int]]:
        """Rows of a table, and the parents of each."""
        if table not in self._rows:
            self.columns(table)
            parents = [NONE] if table == self.root else self._ids(self.root)[0]
            found = [(row, parent) for parent in parents for row in self._below(TABLES[table], parent)]
            self._rows[table] = ([row for row, _ in found], [parent for _, parent in found])
        return self._rows[table]

    def _below(self, table: int, parent: int) -> Iterator[int]:
        row = NONE
        while (row := lib.rebal_cells_next(self.cells, table, parent, row)) != NONE:
            yield row

    def read(self, table: str, column: Column) -> Values:
        rows, parents = self._ids(table)
        if column.id < 0:
            return _sealed(np.array(rows if column is _ROW else parents, np.int64))
        if self.root == "BINDING" or table == self.root:
            parents = [NONE] * len(rows)
        where = zip(parents, rows)
        if column.type == "TEXT":
            length, get = ffi.new("size_t *"), lib.rebal_cells_get_text
            return Texts.of([ffi.unpack(get(self.cells, column.id, parent, row, length), length[0])
                             for parent, row in where])
        if column.type == "TIME":
            made = np.zeros(len(rows), TIME)
            times = ffi.cast("rebal_time *", made.ctypes.data)
            for at, (parent, row) in enumerate(where):
                lib.rebal_cells_get_time(self.cells, column.id, parent, row, times + at)
            return moments(made)
        one = lib.rebal_cells_get_i64
        return _sealed(np.array([one(self.cells, column.id, parent, row) for parent, row in where], np.int64))


def _sealed(values: Integers) -> Integers:
    values.flags.writeable = False
    return values


#: What tables are of. A Fleet is read as it is then. Decisions and what else has a result stand for it.
HasTables = Union[Result, Fleet, Snapshot, Bindings, Any]


def source_of(given: HasTables) -> Source:
    """What reads the columns of an object. TypeError: it has none."""
    if isinstance(given, Source):
        return given
    if isinstance(given, (Fleet, Snapshot)):
        snapshot = snapshot_of(given)
        return CellsSource(lib.rebal_snapshot_cells(snapshot._pointer), "CLUSTER", snapshot._names, snapshot)
    if isinstance(given, Bindings):
        return CellsSource(lib.rebal_bindings_const_cells(given._pointer), "BINDING", given.fleet._names, given)
    result = given if isinstance(given, Result) else getattr(given, "result", None)
    made = getattr(result, "source", None)
    if isinstance(made, Source):
        return made
    if isinstance(result, Result):
        return ResultSource(result)
    raise TypeError(f"expected a result, Decisions, Fleet, Snapshot or Bindings, not {type(given).__name__}")


# ---- tables ---------------------------------------------------------------------------------------------------------

class Table(Mapping[str, Values]):
    """Rows of a table by column: table["replicas"] is int64 of shape (rows,), Texts, or datetime64[us] of that shape.

    Integers are REBAL_ABSENT (librebalance.columns.ABSENT) where a cell is absent, null in Arrow. Of a result, integers
    and texts are not copied; they cannot be written to. It has the Arrow interface: a stream of one batch.
    """

    def __init__(self, source: Source, name: str, columns: Optional[Sequence[Column]] = None) -> None:
        self.name = name
        self.rows = source.count(name)
        self._source = source
        self._columns = {one.name.lower(): one for one in (source.columns(name) if columns is None else columns)}

    def __getitem__(self, column: str) -> Values:
        return self._source.read(self.name, self._find(column))

    def _find(self, column: str) -> Column:
        try:
            return self._columns[column]
        except KeyError:
            raise NotFoundError(f"no column {column!r} in {self.name}; there are {', '.join(self._columns)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, column: object) -> bool:
        return column in self._columns

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"<Table {self.name}: {self.rows} rows of {', '.join(self._columns)}>"

    def integers(self, column: str) -> Integers:
        """A column of integers. TypeError: it is none."""
        values = self[column]
        if isinstance(values, Texts) or values.dtype != np.int64:
            raise TypeError(f"column {column!r} of {self.name} does not hold integers")
        return values

    def texts(self, column: str) -> Texts:
        """A column of texts. TypeError: it is none."""
        values = self[column]
        if not isinstance(values, Texts):
            raise TypeError(f"column {column!r} of {self.name} does not hold texts")
        return values

    def select(self, *columns: str) -> "Table":
        """A table of these columns alone. NotFoundError: there is no such column."""
        return Table(self._source, self.name, [self._find(one) for one in columns])

    def words(self, column: str) -> Optional[List[str]]:
        """Names of the numbers in a column: item i is the name of i, "" where i has none. None: they have no names."""
        kind = self._find(column).type
        if kind == "CLUSTER" and self._source.names is not None:
            return cluster_names(self._source.names)
        members = enumerators(kind)
        if members is None:
            return None
        return [members.get(number, "") for number in range(max(members) + 1)]

    # ---- Arrow ------------------------------------------------------------------------------------------------------

    def _leaves(self) -> List[_arrow.Leaf]:
        return [_leaf(name, self[name]) for name in self]

    def __arrow_c_schema__(self) -> Any:
        return _arrow.schema(self._leaves())

    def __arrow_c_array__(self, requested_schema: Any = None) -> Tuple[Any, Any]:
        return _arrow.array(self._leaves(), self.rows)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return _arrow.stream(self._leaves(), self.rows)

    # ---- frames -----------------------------------------------------------------------------------------------------

    def to_pandas(self, names: bool = True) -> Any:
        """A pandas.DataFrame. names: clusters and enumerations are categories with their names, else numbers. Integers
        with absent cells are of the type Int64. ImportError: pandas is not installed."""
        from .frames import to_pandas
        return to_pandas(self, names)

    def to_polars(self, names: bool = True) -> Any:
        """A polars.DataFrame, names as in to_pandas(). ImportError: polars is not installed."""
        from .frames import to_polars
        return to_polars(self, names)


def cluster_names(names: Names) -> List[str]:
    """Names of clusters by id, also of those that only bindings name."""
    with names.busy:
        bound = lib.rebal_cells_bound(lib.rebal_fleet_cells(names.fleet), TABLES["CLUSTER"], NONE)
    return [names[row] for row in range(bound)]


def enumerators(kind: str) -> Optional[Dict[int, str]]:
    """{number: name} of a column's type, None: it is not an enumeration with numbers from 0 on."""
    if not kind.startswith("ENUM_"):
        return None
    members = getattr(lists, "".join(part.capitalize() for part in kind[5:].split("_"))).__members__
    found = {int(member): name for name, member in members.items()}
    return found if found and min(found) >= 0 and max(found) < 4096 else None


def validity(absent: "npt.NDArray[np.bool_]") -> "Tuple[Optional[npt.NDArray[np.uint8]], int]":
    """Arrow's bits of which cells exist, None if all do, and how many do not."""
    missing = int(np.count_nonzero(absent))
    return (np.packbits(~absent, bitorder="little") if missing else None), missing


def _leaf(name: str, values: Values) -> _arrow.Leaf:
    if isinstance(values, Texts):
        return values._leaf(name)
    if values.dtype == np.int64:
        bits, missing = validity(values == ABSENT)
        return _arrow.Leaf(name, "l", (bits, values), missing)
    bits, missing = validity(np.isnat(values))
    return _arrow.Leaf(name, "tsu:UTC", (bits, values), missing)


def table(given: HasTables, name: str) -> Table:
    """A table of Decisions, a Result, Bindings, a Fleet or a Snapshot by column.

    Tables of results are filled by calls; the manual page of each lists which. A fleet or snapshot has CLUSTER, and
    NODE, POD, WORKLOAD and REPLICA_SET with a column more, of_cluster. Bindings have BINDING, and TARGET, TASK,
    STATUS_ITEM, COMPONENT, UNHEALTHY and HISTORY with a column more, binding. These have a column row, too: the id.

    TypeError: the object has no tables. NotFoundError: no such table.
    """
    if name not in TABLES:
        raise NotFoundError(f"no table {name!r}; there are {', '.join(TABLES)}")
    return Table(source_of(given), name)
