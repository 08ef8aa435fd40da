# SPDX-License-Identifier: MIT
"""Nested objects: dictionaries in the shape of the API, and the records of the library (lists/fields.py)."""
import json
from typing import Any, Dict, Tuple

from . import times
from ._call import NONE, NULL, builder, buffered, call, decoded, ffi, lib, make
from .lists.fields import FIELDS, OBJECTS, Field
from .manifests import json_of

_BY_ID: Dict[int, Field] = {field.id: field for fields in FIELDS.values() for field in fields}


def build(kind: str, value: Any) -> Any:
    """A record of a kind (a name of OBJECTS) that belongs to this thread's builder: it lives until the next one.

    ParseError, OutOfRangeError: a member is of another type, with the field.
    """
    text = json_of(value)
    out = ffi.new("rebal_record **")
    call(lib.rebal_manifest_read_record, text, len(text), OBJECTS[kind], NULL, builder(), out)
    return out[0]


class Kept:
    """A record with a builder of its own, which lives as long as this object."""

    __slots__ = ("_builder", "record")

    def __init__(self, kind: str, value: Any) -> None:
        text = json_of(value)
        out = ffi.new("rebal_record **")
        self._builder = make("builder", lib.rebal_builder_new, NULL)
        call(lib.rebal_manifest_read_record, text, len(text), OBJECTS[kind], NULL, self._builder, out)
        self.record = out[0]


def _quantity(record: Any, node: int) -> str:
    quantity = ffi.new("rebal_quantity *")
    lib.rebal_record_quantity(record, node, quantity)
    return buffered(lib.rebal_quantity_format, quantity)


def _time(record: Any, node: int) -> str:
    time = ffi.new("rebal_time *")
    lib.rebal_record_time(record, node, time)
    return times.text_from_c(time)


def _value(record: Any, node: int, field: Field) -> Any:
    if field.type == "OBJECT":
        return _child(record, node)
    if field.type == "TEXT":
        return _text(record, node)
    if field.type == "QUANTITY":
        return _quantity(record, node)
    if field.type == "TIME":
        return _time(record, node)
    number = lib.rebal_record_i64(record, node)
    return bool(number) if field.type == "BOOLEAN" else number


def _text(record: Any, node: int) -> str:
    length = ffi.new("size_t *")
    return decoded(lib.rebal_record_text(record, node, length), length[0])


def _child(record: Any, node: int) -> Any:
    """An object; JSON of any kind, and what is a number or a text, stand for themselves."""
    first = lib.rebal_record_next(record, node, 0, NONE)
    field = lib.rebal_record_field(record, first)
    if field == lib.REBAL_RAW_JSON:
        return json.loads(_text(record, first))
    if field == lib.REBAL_INT_OR_TEXT_TEXT:
        return _text(record, first)
    if field == lib.REBAL_INT_OR_TEXT_NUMBER:
        return lib.rebal_record_i64(record, first)
    return read(record, node)


def _entry(record: Any, node: int) -> Tuple[str, Any]:
    """Key and value of an entry of a map; a value that is a list has several nodes."""
    key = lib.rebal_record_next(record, node, 0, NONE)
    nodes = []
    value = key
    while (value := lib.rebal_record_next(record, node, 0, value)) != NONE:
        nodes.append(value)
    if not nodes:
        return _text(record, key), None
    field = _BY_ID[lib.rebal_record_field(record, nodes[0])]
    values = [_value(record, one, field) for one in nodes]
    return _text(record, key), values if field.cardinality == "LIST" else values[0]


def read(record: Any, node: int = 0) -> Dict[str, Any]:
    """A record, or a node of one, as a dictionary in the shape of the API; {} for NULL."""
    found: Dict[str, Any] = {}
    child = NONE
    while record and (child := lib.rebal_record_next(record, node, 0, child)) != NONE:
        field = _BY_ID[lib.rebal_record_field(record, child)]
        if field.cardinality == "MAP":
            key, value = _entry(record, child)
            found.setdefault(field.name, {})[key] = value
        elif field.cardinality == "LIST":
            found.setdefault(field.name, []).append(_value(record, child, field))
        else:
            found[field.name] = _value(record, child, field)
    return found
