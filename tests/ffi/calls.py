# SPDX-License-Identifier: MIT
"""Calls from Python: errors as exceptions, outputs as results, records as dictionaries of the API."""
from _rebalance import ffi, lib

NULL = ffi.NULL


def call(function, *arguments):
    """Text becomes pointer and length. Outputs, which come before the error, are allocated here and returned."""
    flat = []
    for value in arguments:
        flat += [value.encode(), len(value.encode())] if isinstance(value, str) else [value]
    outputs = [ffi.new(kind) for kind in ffi.typeof(function).args[len(flat):-1]]
    err = ffi.new("rebal_error *", {"struct_size": ffi.sizeof("rebal_error")})
    if function(*flat, *outputs, err) != lib.REBAL_OK:
        raise RuntimeError(f"{ffi.string(lib.rebal_strerror(err.code)).decode()}: {ffi.string(err.message).decode()}")
    return outputs[0][0] if len(outputs) == 1 else [output[0] for output in outputs]


def new(kind, *arguments):
    """An object that Python frees."""
    return ffi.gc(call(getattr(lib, f"rebal_{kind}_new"), *arguments), getattr(lib, f"rebal_{kind}_free"))


def moment(seconds):
    return ffi.new("rebal_time *", (seconds, 0, 1))


def describe(field):
    about = ffi.new("rebal_description *", {"struct_size": ffi.sizeof("rebal_description")})
    call(lib.rebal_describe, field, about)
    return about


def fields(table):
    """{name in the API: (id, kind of child)} of an object's fields."""
    ids = ffi.new("uint32_t[64]")
    found = {}
    for field in ids[0:call(lib.rebal_describe_object, table, ids, len(ids))]:
        about = describe(field)
        found[ffi.string(about.name).decode()] = field, about.child
    return found


def build(builder, kind, value):
    """Sets a dictionary's members as fields of the open object; the items of a list one after another."""
    known = fields(kind)
    for name, member in value.items():
        field, child = known[name]
        for item in member if isinstance(member, list) else [member]:
            if isinstance(item, dict):
                call(lib.rebal_builder_begin, builder, field)
                build(builder, child, item)
                call(lib.rebal_builder_end, builder)
            elif isinstance(item, (str, int)):
                call(lib.rebal_builder_text if isinstance(item, str) else lib.rebal_builder_i64, builder, field, item)
            else:
                call(lib.rebal_builder_time, builder, field, item)


def record(builder, kind, value):
    """A record, valid until the builder makes its next one."""
    call(lib.rebal_builder_start, builder, kind)
    build(builder, kind, value)
    return call(lib.rebal_builder_finish, builder)


def read(tree, node=0):
    """A record as a dictionary of lists."""
    found, child = {}, lib.REBAL_NONE
    while (child := lib.rebal_record_next(tree, node, 0, child)) != lib.REBAL_NONE:
        about = describe(lib.rebal_record_field(tree, child))
        if about.type == lib.REBAL_TYPE_OBJECT:
            value = read(tree, child)
        elif about.type == lib.REBAL_TYPE_TEXT:
            value = ffi.string(lib.rebal_record_text(tree, child, NULL)).decode()
        elif about.type == lib.REBAL_TYPE_TIME:
            value = moment(0)
            lib.rebal_record_time(tree, child, value)
        else:
            value = lib.rebal_record_i64(tree, child)
        found.setdefault(ffi.string(about.name).decode(), []).append(value)
    return found


def put(rows, table, parent, **cells):
    """A new row of the bindings: cells by column name."""
    row = ffi.new("uint32_t[1]")
    handle = lib.rebal_bindings_cells(rows)
    call(lib.rebal_cells_add, handle, getattr(lib, f"REBAL_TABLE_{table}"), parent, row, 1)
    for name, value in cells.items():
        setter = {str: "text", int: "i64"}.get(type(value), "time")
        call(getattr(lib, f"rebal_cells_set_{setter}"), handle, getattr(lib, f"REBAL_{table}_{name}"), lib.REBAL_NONE,
             row[0], value)
    return row[0]


def column(result, name):
    length = ffi.new("size_t *")
    values = lib.rebal_result_i64(result, getattr(lib, f"REBAL_{name}"), length)
    return ffi.unpack(values, length[0]) if values else []
