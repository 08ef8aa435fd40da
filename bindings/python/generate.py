# SPDX-License-Identifier: MIT
"""generate.py [--write]: src/librebalance/lists, made from the lists of include/rebalance. Without --write it fails
where a file differs from what would be made."""
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include/rebalance"
LISTS = HERE / "src/librebalance/lists"
HEAD = '# SPDX-License-Identifier: MIT\n# Made by generate.py from include/rebalance/{}.\n"""{}"""\n'
LITERALS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
# Enumerations of these headers are in enums.py, all others in enums_text.py: a file has less than 600 lines.
CORE = {"base.h", "record.h", "fleet.h", "estimator.h", "scheduler.h", "rebalancer.h", "descheduler.h", "failover.h",
        "workloadspread.h", "plan.h", "what_if.h"}
# Exceptions that are also one of Python's, so that callers can catch the usual ones.
BASES = {"EINVAL": "ValueError", "ENOMEM": "MemoryError", "EPARSE": "ValueError", "ENOTFOUND": "LookupError",
         "ERANGE": "ValueError"}
NAMES = {"EINVAL": "InvalidArgumentError", "ENOMEM": "OutOfMemoryError", "EABI": "AbiError", "ESTATE": "StateError",
         "ELIMIT": "LimitError", "EUNSUPPORTED": "UnsupportedError", "EPARSE": "ParseError",
         "ENOTFOUND": "NotFoundError", "EEXIST": "ExistsError", "ERANGE": "OutOfRangeError",
         "EMISMATCH": "MismatchError", "EAGAIN": "TryAgainError"}


def literal(text):
    """What string literals one after another hold."""
    return re.sub(r"\\(.)", r"\1", "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)))


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


def whole(file):
    """The text of a list, with the parts that it includes in their places; options and such are no parts."""
    return re.sub(r'^#include "((?:enums|columns)_\w+\.def)"$', lambda part: (INCLUDE / part[1]).read_text(),
                  (INCLUDE / file).read_text(), flags=re.M)


def entries(file, macro, pattern):
    """The arguments of each use of a macro in a list; one that is written otherwise ends the program."""
    text = re.sub(r"/\*.*?\*/", "", whole(file), flags=re.S)
    found = re.findall(rf"^{macro}\({pattern}\)$", text, re.M)
    if not found or len(found) != len(re.findall(rf"^{macro}\(", text, re.M)):
        sys.exit(f"{file}: {macro} is written in another way")
    return found


def comments():
    """{enumeration: comment} of the public headers."""
    found = {}
    for header in sorted(INCLUDE.glob("*.h")):
        for comment, name in re.findall(r"/\*\*((?:(?!\*/).)*)\*/\nenum rebal_(\w+) \{", header.read_text(), re.S):
            text = re.sub(r"\s*\n \* ?", " ", comment).strip()
            found[name.upper()] = re.split(r" Since: ", text)[0]
    return found


def enumerations():
    """[(header, name, number, form, [(name, value, text, meaning)])]"""
    listed = {}
    for name, value, meaning in entries("codes.def", "REBAL_CODE", rf"REBAL_(\w+), ([-\d]+), {LITERALS}"):
        listed.setdefault("CODE", []).append((name, value, meaning, '""'))
    for macro, file, middle in (("OPTION", "options.def", r"\d+"), ("LEVEL", "levels.def", None),
                                ("FINDING", "findings.def", r"\w+")):
        extra = f"{middle}, " if middle else ""
        for name, value, text, meaning in entries(file, f"REBAL_{macro}",
                                                  rf"(\w+), (\d+), {extra}{LITERALS},\s*{LITERALS}"):
            listed.setdefault(macro, []).append((name, value, text, meaning))
    for owner, *rest in entries("enums.def", "REBAL_ENUMERATOR",
                                rf"(\w+), (\w+), ([-\d ]+),\s*{LITERALS},\s*{LITERALS}"):
        if owner != "name":
            listed.setdefault(owner, []).append(tuple(rest))
    header, found = "", []
    for line in whole("enums.def").splitlines():
        comment, start = re.match(r"/\* (\S+\.h)", line), re.match(r"REBAL_ENUM\((\w+), (\d+), (\w+)\)$", line)
        header = comment.group(1) if comment else "" if line.startswith("/* Lists of") else header
        if start:
            found.append((header, *start.groups(), listed[start.group(1)]))
    return found


def enum_class(name, form, enumerators, comment):
    base = "enum.IntFlag" if form == "BITS" else "Named"
    lines = [f"class {camel(name)}({base}):"]
    about = textwrap.wrap(f'"""{comment or f"REBAL_{name}_*."}"""', 116)
    lines += [f"    {line}" for line in about]
    for member, value, _, meaning in enumerators:
        meaning = literal(meaning)
        line = f"    {member} = {value.strip()}"
        note = f"  #: {meaning}"
        if not meaning:
            lines.append(line)
        elif len(line + note) <= 120:
            lines.append(line + note)
        else:
            words, rows = meaning.split(), ["    #:"]
            for word in words:
                if len(rows[-1]) + len(word) + 1 > 118:
                    rows.append("    #:")
                rows[-1] += f" {word}"
            lines += [*rows, line]
    return "\n".join(lines) + "\n"


def enum_files(listed):
    about = comments()
    files = {}
    for file, is_core in (("enums.py", True), ("enums_text.py", False)):
        part = [one for one in listed if (one[0] in CORE) == is_core]
        text = HEAD.format("enums.def", "Enumerations of the core." if is_core else
                           "Enumerations of texts, stores and simulations, options and codes.")
        text += "import enum\n\nfrom ..named import Named\n"
        for _, name, _, form, enumerators in part:
            text += "\n\n" + enum_class(name, form, enumerators, about.get(name, ""))
        files[file] = text
    return files


def rows_file(listed):
    """tables.py: columns of columns.def; fields.py: fields of fields.def."""
    tables = entries("columns.def", "REBAL_TABLE", r"(\w+), (\d+)")
    columns = entries("columns.def", "REBAL_COLUMN",
                      rf"(\w+), (\w+), (\d+), (\w+), (\w+),\s*{LITERALS}")
    text = HEAD.format("columns.def", "Columns of the tables that the library takes and returns.")
    text += ("from typing import Dict, NamedTuple, Tuple\n\n\nclass Column(NamedTuple):\n"
             '    """A column: its id, its type (TEXT, TIME, or what integers mean), and what it holds."""\n'
             "    name: str\n    id: int\n    type: str\n    about: str\n\n\n"
             "#: Numbers of the tables.\nTABLES: Dict[str, int] = {\n")
    text += textwrap.fill(" ".join(f'"{name}":\0{number},' for name, number in tables), 120, initial_indent="    ",
                          subsequent_indent="    ", break_long_words=False).replace("\0", " ") + "\n}\n\n"
    text += "#: Columns of each table, in the order of their numbers.\nCOLUMNS: Dict[str, Tuple[Column, ...]] = {\n"
    for table, number in tables:
        text += f'    "{table}": (\n'
        for owner, name, at, kind, _, source in columns:
            if owner == table:
                line = f'        Column("{name}", {int(number) * 256 + int(at)}, "{kind}", "{literal(source)}"),'
                if len(line) > 120:
                    line = line.replace(f', "{literal(source)}")', f',\n               "{literal(source)}")')
                text += line + "\n"
        text += "    ),\n"
    return text + "}\n"


def fields_file():
    objects = entries("fields.def", "REBAL_OBJECT", r"(\w+), (\d+)")
    fields = entries("fields.def", "REBAL_FIELD",
                     rf"(\w+), (\w+), (\d+), (\w+), (\w+), (\w+),\s*{LITERALS}")
    text = HEAD.format("fields.def", "Fields of the records that the library takes and returns.")
    text += ("from typing import Dict, NamedTuple, Tuple\n\n\nclass Field(NamedTuple):\n"
             '    """A field: its name in the Kubernetes API, its id, type, cardinality, and the object it holds."""\n'
             "    name: str\n    id: int\n    type: str\n    cardinality: str\n    child: str\n\n\n"
             "#: Numbers of the objects.\nOBJECTS: Dict[str, int] = {\n")
    text += "".join(f'    "{name}": {number},\n' for name, number in objects) + "}\n\n"
    text += "#: Fields of each object.\nFIELDS: Dict[str, Tuple[Field, ...]] = {\n"
    for name, number in objects:
        text += f'    "{name}": (\n'
        for owner, _, at, kind, cardinality, child, member in fields:
            if owner == name:
                text += (f'        Field("{literal(member)}", {int(number) * 256 + int(at)}, "{kind}", '
                         f'"{cardinality}", "{child}"),\n')
        text += "    ),\n"
    return text + "}\n"


def errors_file(listed):
    codes = next(enumerators for _, name, _, _, enumerators in listed if name == "CODE")
    text = HEAD.format("codes.def", "An exception for each error code.")
    text += '''from typing import Dict, Optional, Type


class RebalanceError(Exception):
    """A failure of a call of the library.

    code: REBAL_E*; field: path of the field such as spec.replicas, or ""; document, line, column: place in a text,
    counted from 1, 0 where no text was read; where: row, id or byte offset that the message speaks of, or -1.
    """

    code = 0

    def __init__(self, message: str, *, field: str = "", document: int = 0, line: int = 0, column: int = 0,
                 where: int = -1, code: Optional[int] = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.document = document
        self.line = line
        self.column = column
        self.where = where
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        place = f"document {self.document}, line {self.line}, column {self.column}: " if self.line else ""
        field = f"{self.field}: " if self.field and self.field not in self.message else ""
        return f"{place}{field}{self.message}"

    def __reduce__(self) -> "tuple[object, ...]":
        return (_again, (type(self), self.message, self.__dict__))


def _again(kind: Type[RebalanceError], message: str, state: "dict[str, object]") -> RebalanceError:
    error = kind(message)
    error.__dict__.update(state)
    return error
'''
    for name, value, meaning, _ in codes:
        if name != "OK":
            bases = ", ".join(["RebalanceError", *([BASES[name]] if name in BASES else [])])
            text += (f'\n\nclass {NAMES[name]}({bases}):\n    """REBAL_{name}: {literal(meaning)}."""\n\n'
                     f"    code = {value}\n")
    text += "\n\n#: The exception of each code.\nEXCEPTIONS: Dict[int, Type[RebalanceError]] = {\n"
    text += "".join(f"    {value}: {NAMES[name]},\n" for name, value, _, _ in codes if name != "OK")
    return text + "}\n"


def index_file(listed):
    text = HEAD.format("enums.def", "The lists of the library.")
    for file, is_core in (("enums", True), ("enums_text", False)):
        names = sorted(camel(name) for header, name, *_ in listed if (header in CORE) == is_core)
        text += f"from .{file} import " + "(\n" + "".join(f"    {name} as {name},\n" for name in names) + ")\n"
    text += "\n#: Numbers of the enumerations, by the name of the class.\nNUMBERS = {\n"
    text += "".join(f'    "{camel(name)}": {number},\n' for _, name, number, _, _ in listed)
    return text + "}\n"


def main():
    listed = enumerations()
    files = {**enum_files(listed), "tables.py": rows_file(listed), "fields.py": fields_file(),
             "errors.py": errors_file(listed), "__init__.py": index_file(listed)}
    faults = [f"{LISTS / name} has {len(text.splitlines())} lines" for name, text in files.items()
              if len(text.splitlines()) >= 600]
    for name, text in files.items():
        path = LISTS / name
        if sys.argv[1:] == ["--write"]:
            LISTS.mkdir(exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            faults.append(f"{path.relative_to(HERE)} differs from the lists of include/rebalance: generate.py --write")
    print("\n".join(faults) or f"{len(files)} files are as the lists")
    sys.exit(1 if faults else 0)


main()
