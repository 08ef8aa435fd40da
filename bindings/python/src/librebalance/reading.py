# SPDX-License-Identifier: MIT
"""Fleets and bindings from columns: NumPy arrays, lists, and anything with the Arrow interface."""
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _arrow, records
from ._arrow import Cells, Strings
from ._call import ABSENT, NONE, NULL, Handle, call, encoded, ffi, lib, make
from .bindings import Bindings, Placement
from .fleet import Fleet
from .lists import QuantityFormat
from .lists.errors import OutOfRangeError
from .lists.fields import OBJECTS
from .lists.tables import COLUMNS, TABLES, Column
from .tables import TIME, Integers, Texts, enumerators

#: A frame as functions take it: {column: array}, or anything with the Arrow interface (frames of pandas and polars,
#: tables of pyarrow). A column is an array of NumPy, a list, anything with the Arrow interface, or one number or text
#: for every row.
Frame = Union[Mapping[str, Any], Any]

#: Records that columns speak of by their place: {"PLACEMENT": [...], "REQUIREMENTS": [...]}.
Records = Mapping[str, Sequence[Any]]

_CHILDREN = {"targets": "TARGET", "tasks": "TASK", "status_items": "STATUS_ITEM", "components": "COMPONENT",
             "unhealthy": "UNHEALTHY", "history": "HISTORY"}
_UNITS = ("s", "ms", "us", "ns")


def _checked(records: Optional[Records], *tables: str) -> Records:
    """Records of kinds that columns of these tables hold. TypeError: there are others."""
    known = sorted({one.type for table in tables for one in COLUMNS[table]} & set(OBJECTS))
    for kind in records or {}:
        if kind not in known:
            raise TypeError(f"no column holds records of {kind!r}; expected {', '.join(known)}")
    return records or {}


# ---- cells ----------------------------------------------------------------------------------------------------------

def _is_absent(one: Any) -> bool:
    """Is it None, NaN, or what pandas has for them? None of the latter equals itself."""
    return one is None or type(one).__name__ == "NAType" or (one != one) is True


def _strings(texts: Sequence[Any], what: str) -> Cells:
    """Texts, of which some may be absent."""
    present = [isinstance(one, (str, bytes)) for one in texts]
    encodings = [encoded(one, what) if known else b"" for one, known in zip(texts, present)]
    for one, known in zip(texts, present):
        if not known and not _is_absent(one):
            raise TypeError(f"column {what!r} holds texts and {type(one).__name__}")
    offsets = np.zeros(len(encodings) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encodings), np.int64, len(encodings)), out=offsets[1:])
    made = Strings(offsets, np.frombuffer(b"".join(encodings), np.uint8))
    return made, None if all(present) else np.array(present, bool)


def _cells(given: Any, what: str) -> Cells:
    """What a column is, whatever it is made of."""
    if isinstance(given, Texts):
        return Strings(given.offsets, given.data), None
    if isinstance(given, np.ndarray):
        array = given
    elif _arrow.is_arrow(given):
        try:
            return _arrow.read(given, True)[""]
        except ImportError:
            array = _of_pandas(given)
    elif hasattr(given, "to_numpy"):
        array = _of_pandas(given)
    else:
        array = np.asarray(given)
        if array.dtype.kind in "USf" and array.ndim == 1:  # NumPy makes texts of what is beside texts
            array = np.array([*given, None], object)[:-1]
    if array.ndim != 1:
        raise TypeError(f"column {what!r} has {array.ndim} dimensions; expected 1")
    if array.dtype.kind in "biufM":
        return array, None
    values = array.tolist()
    if any(isinstance(one, (str, bytes)) for one in values) or not values:
        return _strings(values, what)
    there = np.array([not _is_absent(one) for one in values])
    return np.array([one if known else 0 for one, known in zip(values, there)]), there


def _of_pandas(series: Any) -> "npt.NDArray[Any]":
    """A column of pandas that does not export itself: those of pandas 2 never do, later ones by pyarrow alone."""
    is_plain = isinstance(series.dtype, np.dtype) and series.dtype.kind in "biufM"
    made: "npt.NDArray[Any]" = series.to_numpy() if is_plain else series.to_numpy(object, na_value=None)
    return made


def frame_of(given: Frame, what: str) -> "Tuple[Dict[str, Cells], int]":
    """Columns of a frame in lower case, and the number of rows."""
    found: Dict[str, Cells] = {}
    alone: Dict[str, Any] = {}
    if isinstance(given, Mapping):
        for name, column in given.items():
            if isinstance(column, (str, bytes, int, np.integer)):
                alone[name] = column
            else:
                found[name] = _cells(column, name)
    elif _arrow.is_arrow(given):
        try:
            found = _arrow.read(given)
        except ImportError:
            return frame_of({str(name): given[name] for name in given.columns}, what)
    else:
        raise TypeError(f"{what} must be a mapping of columns or have the Arrow interface, not {type(given).__name__}")
    lengths = {name: len(values) for name, (values, _) in found.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of {what} differ in length: {lengths}")
    if not lengths and alone:
        raise ValueError(f"no column of {what} is an array, so the number of rows is unknown")
    rows = max(lengths.values(), default=0)
    for name, value in alone.items():
        found[name] = _cells([value] * rows if isinstance(value, (str, bytes)) else np.full(rows, value), name)
    return {name.lower(): cells for name, cells in found.items()}, rows


def _integers(cells: Cells, what: str) -> Integers:
    """int64, ABSENT where a cell is absent."""
    values, is_present = cells
    if isinstance(values, Strings) or values.dtype.kind == "M":
        if len(values) == 0:
            return np.zeros(0, np.int64)
        raise TypeError(f"column {what!r} must hold integers, not "
                        f"{'texts' if isinstance(values, Strings) else values.dtype}")
    if values.dtype.kind == "f":
        known = ~np.isnan(values)
        is_present = known if is_present is None else is_present & known
        whole = np.where(known, values, 0)
        if not (np.all(whole == np.trunc(whole)) and np.all(np.abs(whole) < 2.0**53)):
            raise TypeError(f"column {what!r} must hold integers, not {values.dtype}")
        values = whole
    elif values.dtype.kind == "u" and len(values) and values.max() > np.iinfo(np.int64).max:
        raise OutOfRangeError(f"{what}: {values.max()} is not within int64", field=what)
    made = np.ascontiguousarray(values, np.int64)
    return made if is_present is None else np.where(is_present, made, ABSENT)


def _times(cells: Cells, what: str) -> "npt.NDArray[Any]":
    """rebal_time structures."""
    values, is_present = cells
    if isinstance(values, Strings) or values.dtype.kind != "M":
        raise TypeError(f"column {what!r} must hold times (datetime64)")
    unit = np.datetime_data(values.dtype)[0]
    if unit not in _UNITS:
        values = values.astype("M8[s]")
        unit = "s"
    known = ~np.isnat(values) if is_present is None else is_present & ~np.isnat(values)
    scale = 1000 ** _UNITS.index(unit)
    numbers = np.where(known, values.astype(f"M8[{unit}]").view(np.int64), 0)
    made = np.zeros(len(numbers), TIME)
    made["seconds"], made["nanos"] = numbers // scale, numbers % scale * (10**9 // scale)
    made["is_set"] = known
    return made


# ---- into the library -----------------------------------------------------------------------------------------------

class _Writer:
    """Sets columns of a table of new rows."""

    def __init__(self, fleet: Fleet, cells: Any, given: Records) -> None:
        self.fleet = fleet
        self.cells = cells
        self._given = given
        self._handles: Dict[str, Integers] = {}

    def put(self, table: str, name: str, column: Cells, ids: "Optional[npt.NDArray[np.uint32]]", n: int) -> None:
        """One column of rows with these ids; None: 0 to n - 1."""
        known = {one.name.lower(): one for one in COLUMNS[table]}.get(name)
        if known is None:
            raise TypeError(f"no column {name!r} in {table}; see librebalance.lists.tables")
        if known.type == "TEXT":
            self._put_texts(known, column, _ids(ids), n)
        elif known.type == "TIME":
            values = _times(column, name)
            call(lib.rebal_cells_put_time, self.cells, known.id, NONE, _ids(ids),
                 _pointer("rebal_time[]", values), n)
        else:
            numbers = self._numbers(known, column)
            if n and numbers.min() == ABSENT:  # columns have defaults of their own
                there = numbers != ABSENT
                ids, numbers = (np.arange(n, dtype=np.uint32) if ids is None else ids)[there], numbers[there]
            call(lib.rebal_cells_put_i64, self.cells, known.id, NONE, _ids(ids), _pointer("int64_t[]", numbers),
                 len(numbers))

    def _put_texts(self, column: Column, cells: Cells, ids: Any, n: int) -> None:
        values, is_present = cells
        if not isinstance(values, Strings):
            if not len(values):
                return
            raise TypeError(f"column {column.name.lower()!r} must hold texts, not {values.dtype}")
        if len(values.data) >= 2**32:
            raise OutOfRangeError(f"the texts of column {column.name.lower()!r} have 4 GiB or more")
        offsets = values.offsets.astype(np.uint32, copy=False)
        data = ffi.from_buffer(np.ascontiguousarray(values.data))
        call(lib.rebal_cells_put_text, self.cells, column.id, NONE, ids, data, _pointer("uint32_t[]", offsets), n)

    def _numbers(self, column: Column, cells: Cells) -> Integers:
        name, (values, is_present) = column.name.lower(), cells
        if column.type == "CLUSTER" and isinstance(values, Strings):
            return _cluster_ids(self.fleet, values)
        if isinstance(values, Strings) and column.type.startswith("ENUM_"):
            return _by_name(values, enumerators(column.type) or {}, name)
        numbers = _integers(cells, name)
        if column.type in self._given:
            handles = self._interned(column.type)
            last, absent = len(handles) - 1, numbers == ABSENT  # the last is ABSENT, too
            wrong = ~absent & ((numbers < 0) | (numbers >= last))
            if wrong.any():
                row = int(np.argmax(wrong))
                raise OutOfRangeError(f"{name} of row {row}: there is no record {numbers[row]} of {column.type}",
                                      field=name, where=row)
            return handles[np.where(absent, last, numbers)]
        return numbers

    def _interned(self, kind: str) -> Integers:
        """Handles of the records of a kind, and ABSENT after the last."""
        if kind not in self._handles:
            found, out = [], ffi.new("uint32_t *")
            for one in self._given[kind]:
                value = one.to_dict() if isinstance(one, Placement) else one
                call(lib.rebal_fleet_intern, self.fleet._pointer, records.build(kind, value), out)
                found.append(out[0])
            self._handles[kind] = np.array([*found, ABSENT], np.int64)
        return self._handles[kind]


def _outside(numbers: Integers, bound: int) -> Optional[int]:
    """The first row whose number is not within 0 to bound - 1; None: there is none."""
    if not len(numbers) or (numbers.min() >= 0 and numbers.max() < bound):
        return None
    return int(np.argmax((numbers < 0) | (numbers >= bound)))


def _ids(ids: "Optional[npt.NDArray[np.uint32]]") -> Any:
    return NULL if ids is None else _pointer("uint32_t[]", ids)


def _pointer(kind: str, array: "npt.NDArray[Any]") -> Any:
    """The memory of an array, which the pointer keeps."""
    return ffi.from_buffer(kind, array)


def _cluster_ids(fleet: Fleet, names: Strings) -> Integers:
    """Ids of names, which the fleet may not have; ABSENT for the empty one."""
    known: Dict[bytes, int] = {b"": ABSENT}
    data, bounds, found = names.data.tobytes(), names.offsets.tolist(), np.zeros(len(names), np.int64)
    for at in range(len(names)):
        name = data[bounds[at]:bounds[at + 1]]
        if name not in known:
            known[name] = fleet._id(name.decode())
        found[at] = known[name]
    return found


def _by_name(names: Strings, members: Dict[int, str], what: str) -> Integers:
    """Numbers of enumerators by name."""
    known = {"": ABSENT, **{name: number for number, name in members.items()}}
    texts = Texts(names.offsets.astype(np.uint32), names.data)
    for row, one in enumerate(texts):
        if one not in known:
            raise OutOfRangeError(f"{what} of row {row}: expected {', '.join(members.values())}, not {one!r}",
                                  field=what, where=row)
    return np.array([known[one] for one in texts], np.int64)


def read_bindings(fleet: Fleet, rows: Frame, *, records: Optional[Records] = None, **children: Frame) -> Bindings:
    """Bindings from columns, without objects and texts in between. They are frozen, as those of Bindings().

    rows: a frame with a row for each binding; columns are those of BINDING in librebalance.lists.tables, in lower case:
    integers of any width, booleans, texts, times (datetime64, UTC); NumPy, lists, Arrow (dictionaries of texts, too),
    or one value for all rows. An absent cell is as if it were not set. A binding needs namespace, name, replicas,
    placement, resource_api_version and resource_kind to be scheduled as its object would be.

    records: {"PLACEMENT": [...], "REQUIREMENTS": [...]}: Placement, or mappings in the shape of the API, of which a
    column of that type holds the place, from 0. Without it such a column holds handles of the fleet.

    targets, tasks, status_items, components, unhealthy, history: frames of what belongs to bindings; binding is the row
    (from 0) that each belongs to, the others are columns of TARGET, TASK, ... A column of clusters holds ids or names,
    one of an enumeration numbers or names::

        read_bindings(fleet, {"namespace": "default", "name": names, "replicas": replicas, "placement": 0,
                              "requirements": sizes, "resource_api_version": "apps/v1", "resource_kind": "Deployment"},
                      records={"PLACEMENT": [Placement(division="AvailableReplicas")], "REQUIREMENTS": needs},
                      targets={"binding": [0, 0], "cluster": ["member1", "member2"], "replicas": [1, 2]})

    TypeError: no such column, or it holds values of another type, or no column holds such records; ValueError: columns
    differ in length; OutOfRangeError: a number does not fit, its row is in where; NotFoundError: no such binding.
    """
    if not isinstance(fleet, Fleet):
        raise TypeError(f"expected a Fleet, not {type(fleet).__name__}")
    for name in children:
        if name not in _CHILDREN:
            raise TypeError(f"no rows {name!r} of bindings; expected {', '.join(_CHILDREN)}")
    given = _checked(records, "BINDING", *_CHILDREN.values())
    columns, n = frame_of(rows, "rows")
    below = {_CHILDREN[name]: frame_of(frame, name) for name, frame in children.items()}
    made = Bindings.__new__(Bindings)
    made._fleet, made._listed = fleet, None
    with fleet._busy:
        made._pointer = make("bindings", lib.rebal_bindings_new, fleet._pointer, NULL)
        cells = lib.rebal_bindings_cells(made._pointer)
        writer = _Writer(fleet, cells, given)
        if n:
            call(lib.rebal_cells_add, cells, TABLES["BINDING"], NONE, ffi.new("uint32_t[]", n), n)
        for name, column in columns.items():
            if name != "row":
                writer.put("BINDING", name, column, None, n)
        for table, (child, count) in below.items():
            _add_children(writer, table, child, count, n)
        call(lib.rebal_bindings_freeze, made._pointer)
        fleet._frozen = None
    return made


def _add_children(writer: _Writer, table: str, columns: Dict[str, Cells], n: int, bindings: int) -> None:
    if n == 0:
        return
    if "binding" not in columns:
        raise TypeError(f"rows of {table} have no column 'binding', that names their binding")
    parents = _integers(columns["binding"], "binding")
    row = _outside(parents, bindings)
    if row is not None:
        wrong = "it has no value" if parents[row] == ABSENT else f"there is no binding {parents[row]}"
        raise OutOfRangeError(f"binding of row {row} of {table}: {wrong}", where=row)
    ids = np.zeros(n, np.uint32)
    call(lib.rebal_cells_add_children, writer.cells, TABLES[table], _pointer("uint32_t[]", parents.astype(np.uint32)),
         _pointer("uint32_t[]", ids), n)
    for name, column in columns.items():
        if name not in ("binding", "row"):
            writer.put(table, name, column, ids, n)


# ---- clusters -------------------------------------------------------------------------------------------------------

_QUANTITY = np.dtype([("units", "i8"), ("nanos", "i4"), ("format", "u4")])


def _quantities(cells: Cells, what: str) -> "Tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]":
    """rebal_quantity structures, and which are present."""
    values, is_present = cells
    made = np.zeros(len(values), _QUANTITY)
    if not isinstance(values, Strings):
        numbers = _integers(cells, what)
        made["units"], made["format"] = np.where(numbers == ABSENT, 0, numbers), QuantityFormat.DECIMAL_SI
        return made, numbers != ABSENT
    data, bounds, known, out = values.data.tobytes(), values.offsets.tolist(), {}, ffi.new("rebal_quantity *")
    for at in range(len(values)):
        text = data[bounds[at]:bounds[at + 1]]
        if text and text not in known:
            call(lib.rebal_quantity_parse, text, len(text), out)
            known[text] = (out.units, out.nanos, out.format)
        made[at] = known.get(text, (0, 0, 0))
    return made, np.diff(values.offsets) > 0


def _put_capacity(fleet: Fleet, part: int, frame: Frame, ids: "npt.NDArray[np.uint32]", what: str) -> None:
    columns, n = frame_of(frame, what)
    if n != len(ids):
        raise ValueError(f"{what} has {n} rows; there are {len(ids)} clusters")
    out = ffi.new("uint32_t *")
    for name, cells in columns.items():
        amounts, there = _quantities(cells, name)
        amounts, some = np.ascontiguousarray(amounts[there]), np.ascontiguousarray(ids[there])
        call(lib.rebal_fleet_resource_id, fleet._pointer, name.encode(), len(name.encode()), out)
        call(lib.rebal_fleet_put_capacity, fleet._pointer, part, out[0], _pointer("uint32_t[]", some),
             _pointer("rebal_quantity[]", amounts), len(some))


def read_clusters(rows: Frame, *, allocatable: Optional[Frame] = None, allocated: Optional[Frame] = None,
                  allocating: Optional[Frame] = None, records: Optional[Records] = None) -> Fleet:
    """A fleet from columns, a row for each cluster: name, and columns of CLUSTER in librebalance.lists.tables, in lower
    case, as in read_bindings(); records are TAINTS, LABELS, ZONES (type TEXTS), API_ENABLEMENTS and others.

    allocatable, allocated, allocating: frames of status.resourceSummary, a column for each resource, a row for each
    cluster: integers in units (cores, bytes, pods), or quantities such as "1500m" and "64Gi"; an absent cell is not
    stated. As in a fleet that was loaded, put() is a StateError.

    TypeError, ValueError, OutOfRangeError: as in read_bindings(); ParseError: no quantity; ExistsError: a name occurs
    twice; InvalidArgumentError: a name is empty.
    """
    given = _checked(records, "CLUSTER")
    columns, n = frame_of(rows, "rows")
    names = columns.pop("name", (np.zeros(0, np.int64), None))[0]
    if not isinstance(names, Strings) or len(names) != n:
        raise TypeError("clusters need a column 'name' of texts")
    fleet = Fleet.__new__(Fleet)
    Handle.__init__(fleet, make("fleet", lib.rebal_fleet_new, NULL))
    fleet._start(None)
    data, bounds, ids = names.data.tobytes(), names.offsets.tolist(), np.zeros(n, np.uint32)
    out = ffi.new("uint32_t *")
    for at in range(n):
        call(lib.rebal_fleet_add_cluster, fleet._pointer, data[bounds[at]:bounds[at + 1]],
             bounds[at + 1] - bounds[at], out)
        ids[at] = out[0]
    writer = _Writer(fleet, lib.rebal_fleet_cells(fleet._pointer), given)
    for name, column in columns.items():
        if name != "row":
            writer.put("CLUSTER", name, column, ids, n)
    parts: List[Tuple[str, Optional[Frame]]] = [("ALLOCATABLE", allocatable), ("ALLOCATED", allocated),
                                                ("ALLOCATING", allocating)]
    for part, frame in parts:
        if frame is not None:
            _put_capacity(fleet, getattr(lib, f"REBAL_CAPACITY_{part}"), frame, ids, part.lower())
    return fleet
