# SPDX-License-Identifier: MIT
"""The parts of manual pages that are made from the headers and lists of include/rebalance. In a page

    .\\" made from NAME ARGUMENT...
    ...
    .\\" end of what is made

holds what blocks() gives for NAME; everything else is written by hand."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "abi"))
import common
import compat
import enums
import interface

MARKS = re.compile(r'^\.\\" made from (\S+)(.*)\n((?:(?!\.\\").*\n)*)\.\\" end of what is made$', re.M)
HEADERS = common.INCLUDE / "rebalance"
ESCAPES = (("\\&", ""), ("\\-", "-"), ("\\(dq", '"'), ("\\(aq", "'"), ("\\e", "\\"))


def pages():
    return sorted((common.SOURCE / "man").glob("*.[0-9]"))


def names_of(page_text):
    """Functions and structures in the .Nm lines of a page's NAME section."""
    section = re.search(r"^\.Sh NAME\n(.*?)^\.Nd", page_text, re.M | re.S)
    return re.findall(r"^\.Nm ([\w-]+)", section.group(1), re.M) if section else []


def plain(text):
    """What a reader sees of a literal display."""
    for roff, character in ESCAPES:
        text = text.replace(roff, character)
    return text


def structure_names():
    """Public structures, opaque ones too."""
    text = "\n".join(path.read_text() for path in sorted(HEADERS.glob("*.h")))
    return sorted(set(re.findall(r"^typedef struct (\w+)", text, re.M)))


def escaped(text):
    """Text as a macro's arguments or a line of its own."""
    text = text.replace("\\", "\\e").replace("-1", "\\-1")
    return "\\&" + text if text[:1] in (".", "'") else text


def prose(text):
    """A comment of a header for readers of a manual: without numbers of sections that only developers have."""
    sections = r"\s*\((?:[^()]*spec (?:karmada|workloadspread) [\d., and]+|(?:ws )?\d[\d., Qand]*)\)"
    text = re.sub(sections, "", " ".join(text.split()))
    return re.sub(r"([.?!]) (?=[A-Z])", r"\1\n", escaped(text).replace('"', "\\(dq"))


def sentence(text):
    """The same as a sentence. It begins with a capital, unless with the name of a field such as maxGroups."""
    text = prose(text)
    return (text if re.match(r"[a-z]+[A-Z]", text) else text[0].upper() + text[1:]) + "."


def citations():
    """{name: pages (name, section) of section 7 that the comment of a function or structure cites}"""
    cited = {}
    for path in sorted(HEADERS.glob("*.h")):
        pieces = re.findall(r"/\*\*(?!<)((?:(?!\*/).)*)\*/\s*((?:(?!/\*).)*?[;{])", path.read_text(), re.S)
        for comment, declaration in pieces:
            name = re.search(r"\b(rebal_\w+)\(|typedef struct (rebal_\w+)", declaration)
            if name:
                cited[name[1] or name[2]] = set(re.findall(r"\b(rebalance-[\w-]+)\((7)\)", comment))
    return cited


class Interface:
    """What the headers say, read once."""

    def __init__(self):
        headers = [f"rebalance/{path.name}" for path in sorted(HEADERS.glob("*.h"))]
        functions, _, _ = interface.read(headers)
        self.functions = {function.name: function for function in functions}
        self.sources = {path.name: path.read_text() for path in sorted(HEADERS.glob("*.h"))}

    def declaration(self, pattern):
        """(header, body) of the first struct or enumeration that matches."""
        for header, text in self.sources.items():
            found = re.search(pattern, text, re.S)
            if found:
                return header, found.group(1)
        sys.exit(f"no header has {pattern}")


def entries_of(name, what):
    """Entries of a .def list: [(arguments, texts)] for each what(...); literals one after another are one text."""
    text = enums.whole(name)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    entries = re.findall(rf'^{what}\(((?:[^"()]|"[^"]*")*)\)', text, re.M)
    if len(entries) != len(re.findall(rf"^{what}\(", text, re.M)):
        sys.exit(f"{name}: an entry of {what} is written in another way")
    found = []
    for entry in entries:
        words = entry.partition('"')[0].rstrip(", \n").split(",")
        found.append(([word.strip() for word in words],
                      [enums.literal(text) for text in re.findall(r'(?:"[^"]*"\s*)+', entry)]))
    return found


def made_prototypes(api, page_text, _):
    names = names_of(page_text)
    found = [api.functions[name] for name in names if name in api.functions]
    if not found:
        sys.exit(f"prototypes of no known function: {names}")
    headers = sorted({function.header for function in found})
    library = interface.library_of(headers)
    lines = [".Sh LIBRARY", f"{library}; compile and link with", f".Ql pkg-config --cflags --libs {library}",
             ".Sh SYNOPSIS", *(f".In {header}" for header in headers)]
    for function in found:
        lines += [f".Ft {function.returns}", f".Fo {function.name}"]
        lines += [f'.Fa "{parameter}"' for parameter in function.parameters if parameter != "void"] or [".Fa void"]
        lines.append(".Fc")
    return lines


def made_struct(api, _, arguments):
    _, body = api.declaration(rf"typedef struct {arguments[0]} \{{\n(.*?)\n\}} {arguments[0]};")
    lines = [".Bl -tag -width Ds"]
    for member, comment in re.findall(r"^\s*([^/\n]+;)(?:\s*/\*\*<(.*?)\*/)?", body, re.M | re.S):
        lines += [f'.It Vt "{escaped(member)}"'] + ([prose(comment)] if comment else [])
    return [*lines, ".El"]


def enumerator_lines(enumeration, with_texts):
    lines = [".Bl -tag -width Ds"]
    for one in enumeration.enumerators:
        shown = f', "{one.text}"' if with_texts and one.text else ""
        lines += [f".It Dv {one.name} Pq {escaped(str(eval(one.value)))}{shown}"]  # pylint: disable=eval-used
        lines += [prose(one.meaning)] if one.meaning else []
    return [*lines, ".El"]


def made_enum(_, __, arguments):
    listed = enums.read(enums.whole())
    return enumerator_lines(listed[arguments[0].removeprefix("rebal_").upper()], False)


def made_enumerations(_, __, ___):
    lines = []
    for one in enums.read(enums.whole()).values():
        lines.append(f".Ss REBAL_ENUM_{one.name} ({one.number})")
        lines += enumerator_lines(one, True) if one.enumerators else [f"Those of {one.name.lower()}s.def."]
    return lines


def made_codes(_, __, ___):
    lines = [".Bl -column REBAL_EUNSUPPORTED \\-11 structure"]
    lines += [f".It Dv {name} Ta {escaped(number)} Ta {prose(text)}"
              for (name, number), (text,) in entries_of("codes.def", "REBAL_CODE")]
    return [*lines, ".El"]


def made_options(_, __, ___):
    lines = [".Bl -tag -width Ds"]
    for (name, number, absent), (shown, text) in entries_of("options.def", "REBAL_OPTION"):
        lines += [f".It Cm {shown} Pq Dv REBAL_OPTION_{name} , No number {number}, default {absent}", sentence(text)]
    return [*lines, ".El"]


def made_findings(_, __, ___):
    lines = [".Bl -tag -width Ds"]
    for (name, number, severity), (shown, text) in entries_of("findings.def", "REBAL_FINDING"):
        lines += [f".It {shown} Pq Dv REBAL_FINDING_{name} , No {number}, {severity.lower()}",
                  sentence(text)]
    return [*lines, ".El"]


def option_texts():
    """{name of an option: its name in the tool}"""
    return {name: shown for (name, _, _), (shown, _) in entries_of("options.def", "REBAL_OPTION")}


def made_levels(_, __, ___):
    lines, shown_options = [".Bl -tag -width Ds"], option_texts()
    for (level, _), (shown, text) in entries_of("levels.def", "REBAL_LEVEL"):
        lines += [f".It Cm {shown}", sentence(text)]
        lines += [line for (owner, option, value), _ in entries_of("levels.def", "REBAL_LEVEL_VALUE") if owner == level
                  for line in (f".Cm {shown_options[option]}", f"is {value}.")]
    return [*lines, ".El"]


def made_compat(_, __, ___):
    lines, shown_options = [], option_texts()
    for _, title, rows in compat.read():
        lines += [f".Ss {title}", ".Bl -tag -width Ds"]
        for row in rows:
            option = f", {shown_options[row.option]}" if row.option != "NONE" else ""
            lines += [f".It Sy {row.name} Pq {compat.STATES[row.state]}{option}", prose(row.text)]
        lines.append(".El")
    return lines


def made_option_names(_, __, ___):
    names = [shown for _, (shown, _) in entries_of("options.def", "REBAL_OPTION")]
    return [f".Cm {name} {'.' if name == names[-1] else ','}" for name in names]


def made_fields(_, __, ___):
    lines = []
    fields = entries_of("fields.def", "REBAL_FIELD")
    for (name, number), _ in entries_of("fields.def", "REBAL_OBJECT"):
        lines += [f".Ss REBAL_OBJECT_{name} ({number})", ".Bl -tag -width Ds -compact"]
        for (owner, field, place, kind, cardinality, child), (text,) in fields:
            if owner == name:
                holds = child if kind == "OBJECT" else kind
                many = "" if cardinality == "ONE" else f"{cardinality} of "
                lines += [f".It Dv REBAL_{name}_{field} Pq {int(number) * 256 + int(place)}, {many}{holds}", text]
        lines.append(".El")
    return lines


def made_columns(_, __, ___):
    lines = []
    columns = entries_of("columns.def", "REBAL_COLUMN")
    for (name, number), _ in entries_of("columns.def", "REBAL_TABLE"):
        lines += [f".Ss REBAL_TABLE_{name} ({number})", ".Bl -tag -width Ds"]
        for (owner, column, place, kind, absent), (text,) in columns:
            if owner == name:
                unset = "" if kind in ("TEXT", "TIME") else f", {absent} when not set"
                kind = re.sub(r"^SET_(\w+)$", r"1 << REBAL_\1_*", re.sub(r"^ENUM_(\w+)$", r"REBAL_\1_*", kind))
                lines += [f".It Dv REBAL_{name}_{column} Pq {int(number) * 256 + int(place)}, {kind}{unset}",
                          prose(text)]
        lines.append(".El")
    return lines


def made_libraries(_, __, ___):
    """The headers of each library; rebalance.h first, since it includes the others of the core."""
    lines = [".Bl -tag -width Ds"]
    for part, library in interface.LIBRARIES:
        headers = sorted(interface.library_headers(part), key=lambda one: (one != "rebalance/rebalance.h", one))
        lines += [f".It {library}", *(f".In {header} ," for header in headers[:-1]), f".In {headers[-1]}"]
    return [*lines, ".El"]


MAKERS = {"prototypes": made_prototypes, "struct": made_struct, "enum": made_enum, "codes": made_codes,
          "options": made_options, "levels": made_levels, "compat": made_compat, "option-names": made_option_names,
          "findings": made_findings, "fields": made_fields, "columns": made_columns,
          "enumerations": made_enumerations, "libraries": made_libraries}


def updated(api, page_text):
    """The page with its made parts as the headers want them now."""
    def replace(found):
        name, arguments = found.group(1), found.group(2).split()
        lines = MAKERS[name](api, page_text, arguments)
        head = " ".join([f'.\\" made from {name}', *arguments])
        return "\n".join([head, *lines, '.\\" end of what is made'])
    return MARKS.sub(replace, page_text)
