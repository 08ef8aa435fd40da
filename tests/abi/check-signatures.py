# SPDX-License-Identifier: MIT
"""Every public signature can be called from any language as it is: integers of fixed width, size_t, pointers, at most
eight of them."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common
import interface

FIXED = {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)} | {"size_t"}
# Their width, or whether they may be passed at all, depends on compiler, platform or language; also as pointers.
REFUSED = {"long", "short", "int", "unsigned", "signed", "float", "double", "_Bool", "bool", "enum", "union",
           "__int128", "va_list", "_Complex", "wchar_t"}

MOST_PARAMETERS = 8


def type_fault(text, named, returned=False):
    """Why a type may not be in a signature, or None. named: the text ends with the parameter's name."""
    words = re.findall(r"\w+|\.\.\.|[*()\[\]:]", text)
    if "..." in words:
        return "variable arguments"
    if "(" in words:
        return "function pointer written out"
    if ":" in words:
        return "bit-field"
    refused = REFUSED.intersection(words)
    if refused:
        return f"type {sorted(refused)[0]}"
    base = [word for word in words if re.match(r"\w", word) and word not in ("const", "struct", "restrict")]
    base = [word for word in base if not word.isdigit()]
    name = base[0] if base else ""
    if named and len(base) != 2 and base != ["void"]:
        return "parameter without a name"
    if "*" in words or "[" in words:
        return None if name in FIXED | {"char", "void"} or name.startswith("rebal_") else f"pointer to {name}"
    if name in FIXED or (base == ["void"] and (returned or named)):
        return None
    return f"{name} by value"


def function_faults(function):
    faults = [type_fault(function.returns, named=False, returned=True)]
    faults += [type_fault(parameter, named=True) for parameter in function.parameters]
    if len(function.parameters) > MOST_PARAMETERS:
        faults.append(f"{len(function.parameters)} parameters")
    if function.parameters == [""]:
        faults.append("no prototype")
    if not function.name.startswith("rebal_"):
        faults.append("name without prefix")
    return [f"{function.name}: {fault}" for fault in faults if fault]


def struct_faults(struct):
    faults = []
    for member in struct.members:
        if "(*)" in member.type or re.fullmatch(r"rebal_\w+(\[\d+\])?", member.type):
            continue
        fault = type_fault(member.type, named=False)
        if fault:
            faults.append(f"{struct.name}.{member.name}: {fault}")
    return faults


SAMPLES = (
    ("int32_t rebal_good(const rebal_ctx *ctx, const char *text, size_t len, int64_t *out, rebal_error *err)", None),
    ("const char *rebal_good(void)", None),
    ("void rebal_good(struct rebal_ctx *ctx, const uint32_t ids[4])", None),
    ("int32_t rebal_good(int8_t a, int8_t b, int8_t c, int8_t d, int8_t e, int8_t f, int8_t g, int8_t h)", None),
    ("int32_t rebal_bad(int8_t a, int8_t b, int8_t c, int8_t d, int8_t e, int8_t f, int8_t g, int8_t h, int8_t i)",
     "9 parameters"),
    ("long rebal_bad(void)", "type long"),
    ("int rebal_bad(void)", "type int"),
    ("int32_t rebal_bad(unsigned long n)", "type long"),
    ("int32_t rebal_bad(long *out)", "type long"),
    ("_Bool rebal_bad(void)", "type _Bool"),
    ("int32_t rebal_bad(bool flag)", "type bool"),
    ("int32_t rebal_bad(enum rebal_code code)", "type enum"),
    ("int32_t rebal_bad(const enum rebal_code *codes)", "type enum"),
    ("float rebal_bad(void)", "type float"),
    ("int32_t rebal_bad(double weight)", "type double"),
    ("int32_t rebal_bad(const double *weights)", "type double"),
    ("rebal_quantity rebal_bad(void)", "rebal_quantity by value"),
    ("int32_t rebal_bad(struct rebal_quantity left)", "rebal_quantity by value"),
    ("int32_t rebal_bad(rebal_time now)", "rebal_time by value"),
    ("int32_t rebal_bad(const char *format, ...)", "variable arguments"),
    ("int32_t rebal_bad(void (*done)(void *user_data))", "function pointer written out"),
    ("ssize_t rebal_bad(void)", "ssize_t by value"),
    ("int32_t rebal_bad(FILE *file)", "pointer to FILE"),
    ("int32_t rebal_bad()", "no prototype"),
    ("int32_t rebal_bad(int64_t)", "parameter without a name"),
    ("int32_t json_bad(int64_t n)", "name without prefix"),
)
MEMBER_SAMPLES = (("uint32_t struct_size", 0), ("char message[240]", 0), ("void *(*allocate)(void *user_data)", 0),
                  ("rebal_time now", 0), ("enum rebal_code code", 1), ("uint32_t flag : 1", 1), ("_Bool set", 1),
                  ("long n", 1), ("double weight", 1))


def sample_faults():
    """The rule must find planted faults."""
    faults = []
    for text, expected in SAMPLES:
        found = [fault.split(": ")[1] for fault in function_faults(interface.parse_function(text))]
        if (expected is None and found) or (expected is not None and expected not in found):
            faults.append(f"sample '{text}': expected {expected}, found {found}")
    for text, expected in MEMBER_SAMPLES:
        found = struct_faults(interface.Struct("sample", [interface.parse_member(text)], ""))
        if len(found) != expected:
            faults.append(f"sample member '{text}': expected {expected} faults, found {found}")
    return faults


def main():
    functions, structs, data = interface.read(interface.all_headers())
    faults = sample_faults() + [f"exported data: {text}" for text in data]
    for function in functions:
        faults += function_faults(function)
    for struct in structs:
        faults += struct_faults(struct)
    common.finish(faults, len(functions) + len(structs))


main()
