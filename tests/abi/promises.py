# SPDX-License-Identifier: MIT
"""What a release promises to programs that were compiled against it, a line for each promise: prototypes, layouts with
64-bit and 32-bit pointers, and the meaning of every name of headers and lists."""
import collections
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "documents"))
import common
import enums
import interface

# What is promised of an entry of a list: how many of its arguments, and whether the text after them.
Entry = collections.namedtuple("Entry", "kind owners numbers has_text")
ENTRIES = {
    "REBAL_CODE": Entry("code", 0, 1, False),
    "REBAL_ENUM": Entry("enumeration", 0, 2, False),
    "REBAL_ENUMERATOR": Entry("enumerator", 1, 1, True),
    "REBAL_OBJECT": Entry("object", 0, 1, False),
    "REBAL_FIELD": Entry("field", 1, 4, True),
    "REBAL_TABLE": Entry("table", 0, 1, False),
    "REBAL_COLUMN": Entry("column", 1, 3, False),
    "REBAL_OPTION": Entry("option", 0, 2, True),
    "REBAL_LEVEL": Entry("level", 0, 1, True),
    "REBAL_LEVEL_VALUE": Entry("level value", 1, 1, False),
    "REBAL_FINDING": Entry("finding", 0, 2, True),
}
LISTS = ("codes.def", "enums.def", "fields.def", "columns.def", "options.def", "levels.def", "findings.def")
WIDTHS = (64, 32)


def arguments(text):
    """The arguments of a macro call; adjacent literals are one."""
    parts = re.findall(r'((?:"(?:[^"\\]|\\.)*"\s*)+)|([^,"\s][^,"]*)', text)
    return [f'"{enums.literal(literal)}"' if literal else " ".join(word.split()) for literal, word in parts]


def entry(macro, words):
    form = ENTRIES[macro]
    name = ".".join(words[:form.owners + 1])
    rest = words[form.owners + 1:]
    shown = rest[:form.numbers]
    if form.has_text:
        shown.append(next(word for word in rest[form.numbers:] if word.startswith('"')))
    return f"{form.kind} {name} = {' '.join(shown)}"


def of_lists():
    lines = []
    for name in LISTS:
        text = re.sub(r"/\*.*?\*/", "", enums.whole(name), flags=re.S)
        calls = re.findall(r'^(REBAL_\w+)\(((?:[^()"]|"(?:[^"\\]|\\.)*")*)\)$', text, re.M)
        if len(calls) != len(re.findall(r"^REBAL_", text, re.M)):
            sys.exit(f"{name}: an entry is written in another way")
        lines += [entry(macro, arguments(words)) for macro, words in calls]
    return lines


def without_name(parameter):
    """The type of a parameter."""
    found = re.fullmatch(r"(.*?)(\w+)((?:\[[^]]*\])*)", parameter)
    kind = (found.group(1).strip() or found.group(2)) + found.group(3)
    return kind.replace("* ", "*")


def of_functions(functions):
    """
    Functions with their library and the version of their symbols: a program that links to one library does not get
    those of another.
    """
    nodes = {}
    for _, library in interface.LIBRARIES:
        nodes.update({name: f"{library}, {node}" for node, names in
                      interface.map_nodes(interface.map_path(library)).items() for name in names})
    return [f"function {one.name} = {one.returns} ({', '.join(map(without_name, one.parameters))}) of "
            f"{nodes.get(one.name, interface.library_of([one.header]))}" for one in functions]


def of_declarations(headers):
    """Types and constants that are neither functions nor structures: callbacks, enumerators, handles."""
    lines, names = [], []
    for _, text in interface.statements(interface.preprocessed(headers)):
        if interface.EXPORTED in text:
            continue
        enumeration = re.fullmatch(r"(?:typedef )?enum (\w+) \{(.*)\}( \w+)?", text)
        if enumeration:
            names += re.findall(r"(\w+) =", enumeration.group(2))
        elif text.startswith("static "):
            lines.append(f"inline {text.partition('{')[0].strip()}")
        elif interface.parse_struct(text) is None:
            lines.append(f"type {text.removeprefix('typedef ')}")
    return lines, names


def of_macros(headers):
    """Constants and macros of expressions, except versions, guards and the macros of lists."""
    text = common.output([*common.CC, "-std=c11", "-E", "-dM", f"-I{common.INCLUDE}", "-x", "c", "-"],
                         "".join(f"#include <{header}>\n" for header in headers))
    found = re.findall(r"^#define (REBAL_\w+)(\([^)]*\))? (\S.*)$", text, re.M)
    return [f"macro {name}{parameters} = {' '.join(body.split())}" for name, parameters, body in found
            if name != "REBAL_API" and not name.startswith("REBAL_VERSION_")]


def evaluate(width, expressions, headers):
    """{label: value} of constant expressions as the compiler computes them; None: it has no pointers of this width."""
    lines = [f"#include <{header}>" for header in headers] + ["#include <stddef.h>", "void probe(void) {"]
    lines += [f'__asm__ volatile("#@ {number} %c0" : : "i"((long long)({expression})));'
              for number, (_, expression) in enumerate(expressions)]
    lines += [f"_Static_assert(sizeof(void *) * 8 == {width}, \"pointers\");", "}", ""]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "probe.s"
        code, text = common.run([*common.CC, f"-m{width}", "-std=gnu11", "-ffreestanding", "-w", "-S",
                                 f"-I{common.INCLUDE}", "-x", "c", "-", "-o", out], "\n".join(lines))
        if code:
            if "-m" in text or "pointers" in text:
                return None
            sys.exit(text)
        values = dict(re.findall(r"#@ (\d+) [$#]?(-?\d+)", out.read_text()))
    return {label: int(values[str(number)]) for number, (label, _) in enumerate(expressions)}


def of_numbers(names, headers):
    values = evaluate(64, [(name, name) for name in names], headers) or \
        evaluate(32, [(name, name) for name in names], headers)
    return [f"number {name} = {value}" for name, value in values.items()]


def of_structs(structs, headers):
    """
    A structure with struct_size may grow: its shortest accepted size and each member are promised. The size of others
    never changes.
    """
    expressions = []
    for struct in structs:
        expressions.append((struct.name, f"sizeof({struct.name})"))
        for member in struct.members:
            at = f"{struct.name}.{member.name}"
            expressions += [(f"{at} at", f"offsetof({struct.name}, {member.name})"),
                            (f"{at} of", f"sizeof((({struct.name} *)0)->{member.name})")]
    layouts = {width: evaluate(width, expressions, headers) for width in WIDTHS}
    lines = []
    for struct in structs:
        grows = any(member.name == "struct_size" for member in struct.members)
        form = "at least {}" if grows else "{}"
        lines += [f"struct {struct.name} with {width}-bit pointers: {form.format(layout[struct.name])} bytes"
                  for width, layout in layouts.items() if layout]
        for member in struct.members:
            at = f"{struct.name}.{member.name}"
            lines.append(f"member {at}: {member.type}")
            lines += [f"member {at} with {width}-bit pointers: at {layout[at + ' at']}, {layout[at + ' of']} bytes"
                      for width, layout in layouts.items() if layout]
    return lines


def widths():
    """Those that the compiler has."""
    return [width for width in WIDTHS if evaluate(width, [("one", "1")], []) is not None]


def of_tree():
    """All promises of the headers and lists of the tree, sorted."""
    headers = interface.all_headers()
    functions, structs, _ = interface.read(headers)
    types, names = of_declarations(headers)
    lines = [*of_lists(), *of_functions(functions), *types, *of_macros(headers), *of_numbers(names, headers),
             *of_structs(structs, headers)]
    return sorted(set(lines))
