# SPDX-License-Identifier: MIT
"""Tables of the manual pages, and the calls of the library that recompute them: shared by check-tables.py
and what it imports."""
import fractions
import json
import pathlib
import re
import sys
import tempfile

import manual

import common

sys.path.insert(0, str(common.SOURCE / "bindings/python"))
try:
    import cffi
    import native
except ImportError:
    common.skip("the tables of the manual pages need cffi")

KARMADA, SPREAD, DELETION = "rebalance-karmada.7", "rebalance-workloadspread.7", "rebalance-deletion-order.7"
EXAMPLES = common.SOURCE / "examples/pages"
FFI = cffi.FFI()
TOOL = common.BUILD / "rebalancectl"


def load():
    """librebalance-manifest, and through it librebalance; the headers declare what it has."""
    if not TOOL.exists():
        print("skip: rebalancectl is not built")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        declared = native.declarations(native.includes([common.INCLUDE]), pathlib.Path(name), common.CC,
                                       [common.INCLUDE])
    FFI.cdef(re.sub(r"#define .*\n", "", declared))
    return [FFI.dlopen(str(common.shared_library(name))) for name in ("librebalance", "librebalance-manifest")]


LIBRARY = load()[1]


# ---- calls ----
def called(code):
    if code:
        sys.exit(f"a call of the library failed: {FFI.string(LIBRARY.rebal_strerror(code)).decode()}")


def made(kind, create, *arguments):
    """What a call creates."""
    out = FFI.new(f"{kind} **")
    called(create(*arguments, out, FFI.NULL))
    return out[0]


def quantity(text):
    out = FFI.new("rebal_quantity *")
    called(LIBRARY.rebal_quantity_parse(text.encode(), len(text), out, FFI.NULL))
    return out


def number(text):
    """A quantity as an exact number."""
    read = quantity(text)
    return read.units + fractions.Fraction(read.nanos, 10**9)


def divide(seats, weights, uid=""):
    """{party: seats} of rebal_divide()"""
    lengths = [len(name) for name in weights]
    kept = [FFI.new("char[]", "".join(weights).encode()),
            FFI.new("uint32_t[]", [sum(lengths[:i]) for i in range(len(weights) + 1)]),
            FFI.new("int64_t[]", list(weights.values())), FFI.new("char[]", uid.encode())]
    parties = FFI.new("rebal_parties *", {"struct_size": FFI.sizeof("rebal_parties"), "names": kept[0],
                                          "offsets": kept[1], "weights": kept[2], "n": len(weights), "uid": kept[3],
                                          "uid_len": len(uid)})
    context = made("rebal_ctx", LIBRARY.rebal_ctx_new, FFI.NULL, FFI.NULL)
    result, left = made("rebal_result", LIBRARY.rebal_result_new, FFI.NULL), FFI.new("int32_t *")
    called(LIBRARY.rebal_divide(context, seats, parties, FFI.NULL, result, left, FFI.NULL))
    columns = [list(LIBRARY.rebal_result_i64(result, column, FFI.NULL)[0:len(weights)])
               for column in (LIBRARY.REBAL_SHARE_PARTY, LIBRARY.REBAL_SHARE_REPLICAS)]
    LIBRARY.rebal_result_free(result)
    LIBRARY.rebal_ctx_free(context)
    return {list(weights)[party]: share for party, share in zip(*columns)}


def document(text):
    return made("rebal_document", LIBRARY.rebal_document_read, text.encode(), len(text.encode()), FFI.NULL)


def value_of(read):
    text = made("rebal_text", LIBRARY.rebal_text_new)
    called(LIBRARY.rebal_document_write(read, LIBRARY.REBAL_TEXT_FORMAT_JSON, text, FFI.NULL))
    return json.loads(FFI.string(LIBRARY.rebal_text_bytes(text, FFI.NULL)))


def tool(verb, *words):
    """Output of the tool; 1 is an answer, too."""
    code, printed = common.run([TOOL, verb, *words])
    return printed if code in (0, 1) else sys.exit(f"rebalancectl {verb}: exit {code}, {printed}")


def tool_with(text, verb, *words):
    """The same with a file of this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "input.yaml")
        path.write_text(text)
        return tool(verb, path, *words)


# ---- pages ----
def plain(cell):
    return manual.plain(re.sub(r"^(?:Sy|Li) ", "", cell.strip()))


def text_of(page):
    return (common.SOURCE / "man" / page).read_text()


def tables(page):
    """{(section, headings): rows} of the columns of a page."""
    found = {}
    for section in re.split(r"^\.S[sh] ", text_of(page), flags=re.M)[1:]:
        for columns in re.findall(r"^\.Bl -column.*\n((?:(?!\.El$).*\n)*)\.El$", section, re.M):
            lines = re.findall(r"^\.It (.*)", columns, re.M)
            head, *rows = [[plain(cell) for cell in line.split(" Ta ")] for line in lines]
            found[section.split()[0].rstrip("."), " ".join(head)] = rows
    return found


def in_text(pattern, page):
    """What a pattern finds in the text of a page, which must hold it."""
    found = re.search(pattern, manual.plain(text_of(page)))
    return found.groups() if found else sys.exit(f"fault: man/{page} has no text like {pattern}")
