# SPDX-License-Identifier: MIT
"""Arrow's C data interface, out and in, by its PyCapsule protocol. No Arrow library is needed: arrow.c makes the
structures, here capsules are put around them, and those of others become NumPy arrays."""
import ctypes
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._call import NULL, ffi, lib
from .lists.errors import OutOfMemoryError, RebalanceError

_new = ctypes.pythonapi.PyCapsule_New
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_new.restype = ctypes.py_object
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_pointer.restype = ctypes.c_void_p

#: Names of capsules, in the order of librebalance_destructor(). Capsules keep pointers to them.
_NAMES = (b"arrow_schema", b"arrow_array", b"arrow_array_stream")


@dataclass(frozen=True)
class Leaf:
    """A column to be exported: its format, its name, its buffers (the first is the validity, None where no cell is
    absent), and how many cells are absent."""

    name: str
    format: str
    buffers: "Tuple[Optional[npt.NDArray[Any]], ...]"
    null_count: int = 0


def _columns(leaves: Sequence[Leaf], length: int, is_alone: bool) -> Any:
    """librebalance_columns, whose owner keeps all that it points to."""
    kept: List[Any] = [leaves]
    columns = ffi.new("librebalance_column[]", len(leaves))
    for leaf, column in zip(leaves, columns):
        texts = ffi.new("char[]", leaf.format.encode()), ffi.new("char[]", leaf.name.encode())
        kept.append(texts)
        column.format, column.name = texts
        column.null_count, column.n_buffers = leaf.null_count, len(leaf.buffers)
        for at, buffer in enumerate(leaf.buffers):
            column.buffers[at] = NULL if buffer is None else ffi.cast("void *", buffer.ctypes.data)
    owner = (kept, columns)
    made = ffi.new("librebalance_columns *", {"columns": columns, "n": len(leaves), "length": length,
                                              "is_alone": is_alone, "owner": id(owner)})
    return made, owner


def _capsule(kind: int, columns: Any) -> Any:
    made = (lib.librebalance_schema, lib.librebalance_array, lib.librebalance_stream)[kind](columns)
    if made == NULL:
        raise OutOfMemoryError("no memory for Arrow's structures")
    destructor = int(ffi.cast("uintptr_t", lib.librebalance_destructor(kind)))
    return _new(int(ffi.cast("uintptr_t", made)), _NAMES[kind], destructor)


def schema(leaves: Sequence[Leaf], is_alone: bool = False) -> Any:
    """__arrow_c_schema__()."""
    columns, _owner = _columns(leaves, 0, is_alone)
    return _capsule(0, columns)


def array(leaves: Sequence[Leaf], length: int, is_alone: bool = False) -> Tuple[Any, Any]:
    """__arrow_c_array__()."""
    columns, _owner = _columns(leaves, length, is_alone)
    return _capsule(0, columns), _capsule(1, columns)


def stream(leaves: Sequence[Leaf], length: int, is_alone: bool = False) -> Any:
    """__arrow_c_stream__(), of one batch."""
    columns, _owner = _columns(leaves, length, is_alone)
    return _capsule(2, columns)


# ---- in -------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Strings:
    """Texts as Arrow has them: text i is data[offsets[i]:offsets[i + 1]]."""

    offsets: "npt.NDArray[Any]"  # int64, or uint32 as the library has them
    data: "npt.NDArray[np.uint8]"

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: "npt.NDArray[np.int64]") -> "Strings":
        """The texts of rows; a row below 0 has the empty text."""
        starts, ends = np.append(self.offsets[:-1], 0)[rows], np.append(self.offsets[1:], 0)[rows]
        return gathered(np.where(rows < 0, 0, starts), np.where(rows < 0, 0, ends - starts), self.data)


def gathered(starts: "npt.NDArray[np.int64]", lengths: "npt.NDArray[np.int64]",
             data: "npt.NDArray[np.uint8]") -> Strings:
    """Texts that are anywhere in data, one after another."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    where = np.arange(offsets[-1], dtype=np.int64) + np.repeat(starts - offsets[:-1], lengths)
    return Strings(offsets, data[where])


#: What a column that comes in is: numbers, times or texts, and which cells exist (None: all).
Cells = Tuple[Union["npt.NDArray[Any]", Strings], "Optional[npt.NDArray[np.bool_]]"]

_NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "f": "f4",
            "g": "f8"}
_UNITS = {"tss": "s", "tsm": "ms", "tsu": "us", "tsn": "ns"}


def _memory(pointer: Any, dtype: Any, first: int, count: int) -> "npt.NDArray[Any]":
    """A copy of count values of a buffer."""
    size = np.dtype(dtype).itemsize
    if count == 0 or pointer == NULL:
        return np.zeros(0, dtype)
    start = ffi.cast("char *", pointer) + first * size
    return np.frombuffer(bytes(ffi.buffer(start, count * size)), dtype)


def _bits(pointer: Any, first: int, count: int) -> "npt.NDArray[np.bool_]":
    packed = _memory(pointer, np.uint8, first // 8, (first % 8 + count + 7) // 8)
    return np.unpackbits(packed, bitorder="little")[first % 8:first % 8 + count].astype(bool)


def _strings(given: Any, dtype: str, begin: int, n: int) -> Strings:
    offsets = _memory(given.buffers[1], dtype, begin, n + 1).astype(np.int64)
    if not len(offsets):
        return Strings(np.zeros(n + 1, np.int64), np.zeros(0, np.uint8))
    first = int(offsets[0])
    return Strings(offsets - first, _memory(given.buffers[2], np.uint8, first, int(offsets[-1]) - first))


def _string_views(given: Any, begin: int, n: int) -> Strings:
    """Cells of 16 bytes: a length, then the text of up to 12 bytes; or 4 bytes of it, which buffer, and where."""
    extra = given.n_buffers - 3
    sizes = _memory(given.buffers[given.n_buffers - 1], np.int64, 0, extra)
    cells = _memory(given.buffers[1], np.int32, begin * 4, n * 4).reshape(n, 4)
    parts = [cells.reshape(-1).view(np.uint8)] + [_memory(given.buffers[2 + at], np.uint8, 0, int(size))
                                                  for at, size in enumerate(sizes)]
    begins = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    lengths = cells[:, 0].astype(np.int64)
    here, there = np.arange(n, dtype=np.int64) * 16 + 4, cells[:, 3].astype(np.int64)
    which = np.where(lengths > 12, cells[:, 2], 0)
    starts = np.where(lengths > 12, begins[1 + which if extra else which] + there, here)
    return gathered(starts, lengths, np.concatenate(parts))


def _leaf(kind: Any, given: Any, what: str, skip: int = 0, count: int = -1) -> Cells:
    """A column of a batch, copied: count cells (below 0: all) after the first skip."""
    first, n = given.offset + skip, given.length if count < 0 else count
    is_present = None
    if given.null_count and given.n_buffers and given.buffers[0] != NULL:
        is_present = _bits(given.buffers[0], first, n)
    form = ffi.string(kind.format).decode()
    if kind.dictionary != NULL:
        codes = _memory(given.buffers[1], _NUMBERS[form], first, n).astype(np.int64)
        return _decoded(codes if is_present is None else np.where(is_present, codes, -1), is_present,
                        _leaf(kind.dictionary, given.dictionary, what), what)
    if form in _NUMBERS:
        return _memory(given.buffers[1], _NUMBERS[form], first, n), is_present
    if form == "b":
        return _bits(given.buffers[1], first, n), is_present
    if form[:3] in _UNITS:
        return _memory(given.buffers[1], np.int64, first, n).view(f"M8[{_UNITS[form[:3]]}]"), is_present
    if form in ("u", "U", "vu"):
        made = (_string_views(given, first, n) if form == "vu" else
                _strings(given, "i4" if form == "u" else "i8", first, n))
        return _blank(made, is_present), is_present
    if form == "n":
        return np.zeros(n, np.int64), np.zeros(n, bool)
    raise TypeError(f"column {what!r} has the Arrow format {form!r}; expected integers, texts, booleans or timestamps")


def _decoded(codes: "npt.NDArray[np.int64]", is_present: "Optional[npt.NDArray[np.bool_]]", dictionary: Cells,
             what: str) -> Cells:
    """Texts by their place in a dictionary, below 0 where a cell is absent."""
    words, known = dictionary
    if not isinstance(words, Strings):
        raise TypeError(f"column {what!r}: only texts are taken from a dictionary")
    if known is None:
        return words.take(codes), is_present
    is_present = np.append(known, False)[codes]
    return words.take(np.where(is_present, codes, -1)), is_present


def _blank(strings: Strings, is_present: "Optional[npt.NDArray[np.bool_]]") -> Strings:
    """Texts that are absent are empty, whatever their bytes are."""
    return strings if is_present is None else strings.take(np.where(is_present, np.arange(len(strings)), -1))


def _batches(given: Any) -> Iterator[Tuple[Any, Any]]:
    """The schema without an array, then with that of each batch, which is released when the next one is taken."""
    if hasattr(given, "__arrow_c_stream__"):
        capsule = given.__arrow_c_stream__()
        source = ffi.cast("struct ArrowArrayStream *", _pointer(capsule, _NAMES[2]))
        kind, batch = ffi.new("struct ArrowSchema *"), ffi.new("struct ArrowArray *")
        _must(source, source.get_schema(source, kind))
        try:
            yield kind, None
            while True:
                _must(source, source.get_next(source, batch))
                if batch.release == NULL:
                    return
                try:
                    yield kind, batch
                finally:
                    batch.release(batch)
        finally:
            kind.release(kind)
    else:
        capsules = given.__arrow_c_array__()
        yield (ffi.cast("struct ArrowSchema *", _pointer(capsules[0], _NAMES[0])),
               ffi.cast("struct ArrowArray *", _pointer(capsules[1], _NAMES[1])))


def _must(source: Any, code: int) -> None:
    if code:
        message = source.get_last_error(source)
        raise RebalanceError(f"the Arrow stream failed ({code}): "
                             f"{ffi.string(message).decode() if message != NULL else 'no reason is given'}")


def is_arrow(given: object) -> bool:
    """Does it have the Arrow interface?"""
    return hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__")


def _joined(parts: List[Cells]) -> Cells:
    values = [part[0] for part in parts]
    strings = [value for value in values if isinstance(value, Strings)]
    if not parts:
        return np.zeros(0, np.int64), None
    is_present = None
    if any(part[1] is not None for part in parts):
        is_present = np.concatenate([np.ones(len(value), bool) if known is None else known for value, known in parts])
    if not strings:
        return np.concatenate([value for value in values if not isinstance(value, Strings)]), is_present
    begins = np.cumsum([0] + [len(one.data) for one in strings])
    offsets = [one.offsets[:-1] + begin for one, begin in zip(strings, begins)]
    return Strings(np.concatenate([*offsets, [begins[-1]]]), np.concatenate([one.data for one in strings])), is_present


def read(given: Any, is_column: bool = False) -> Dict[str, Cells]:
    """The columns of anything with the Arrow interface; one column has the name "". TypeError: a table was expected and
    a column given, or the other way round, or a type is not taken."""
    found: Dict[str, List[Cells]] = {}
    for kind, batch in _batches(given):
        if (ffi.string(kind.format) == b"+s") == is_column:
            raise TypeError(f"expected a {'column' if is_column else 'table'}, not {type(given).__name__} of Arrow")
        for at in range(1 if is_column else kind.n_children):
            one = kind if is_column else kind.children[at]
            name = "" if is_column else ffi.string(one.name).decode()
            parts = found.setdefault(name, [])
            if batch is not None and is_column:
                parts.append(_leaf(one, batch, name))
            elif batch is not None:
                parts.append(_leaf(one, batch.children[at], name, batch.offset, batch.length))
    return {name: _joined(parts) for name, parts in found.items()}


__all__ = ["Cells", "Leaf", "Strings", "array", "is_arrow", "read", "schema", "stream"]
