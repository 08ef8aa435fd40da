# SPDX-License-Identifier: MIT
"""Files stay under 600 lines, functions within 60, lines within 120 columns, and every source names its licence."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

FOLDERS = ("lib", "include", "tools", "examples", "bindings", "tests", "m4", ".ci")
SOURCES = {".c", ".h", ".def", ".map", ".py", ".sh", ".m4", ".go", ".ac", ".am"}
C_FILES = {".c", ".h"}
FILE_LINES, FUNCTION_LINES, README_LINES, COLUMNS = 600, 60, 149, 120


def long_functions(lines):
    """(line, name, length) of C functions above the limit; a body opens at a line's end and closes in column 1."""
    start, name = None, ""
    for number, line in enumerate(lines, 1):
        opening = re.match(r"(?!typedef|struct|enum|union|static const|const)[A-Za-z].*?(\w+)\(", line)
        if start is None and opening and not line.endswith(";"):
            start, name = number, opening.group(1)
        elif start is not None and line.startswith("}"):
            if number - start + 1 > FUNCTION_LINES:
                yield start, name, number - start + 1
            start = None
        elif start is not None and line.endswith(";") and not line.startswith(" "):
            start = None
        elif start is not None and line.endswith(");") and number - start < 6 and not any(
                "{" in part for part in lines[start - 1:number]):
            start = None


def file_faults(path, text):
    lines = text.splitlines()
    faults = []
    if not any("SPDX-License-Identifier: MIT" in line for line in lines[:2]):
        faults.append("1: no SPDX-License-Identifier in the first lines")
    if len(lines) >= FILE_LINES:
        faults.append(f"{len(lines)}: {len(lines)} lines, {FILE_LINES - 1} are allowed")
    faults += [f"{number}: {len(line)} columns, {COLUMNS} are allowed" for number, line in enumerate(lines, 1)
               if len(line) > COLUMNS]
    faults += [f"{number}: trailing space or tab" for number, line in enumerate(lines, 1)
               if line != line.rstrip() or (path.suffix in C_FILES and "\t" in line)]
    if path.suffix in C_FILES:
        faults += [f"{number}: {name} has {length} lines, {FUNCTION_LINES} are allowed"
                   for number, name, length in long_functions(lines)]
    return faults


def sample_faults():
    body = "  x();\n"
    head = "/* SPDX-License-Identifier: MIT */\n"
    samples = ((head + "int f(int a,\n      int b) {\n" + body * 57 + "}\n", 0),
               (head + "int f(int a,\n      int b) {\n" + body * 58 + "}\n", 1),
               (head + "int f(int a);\n\nint g(void) {\n" + body * 20 + "}\n" + "int x;\n" * 50, 0),
               ("int x;\n", 1), (head + "int x;\n" * 599, 1), (head + "/* " + "x" * 120 + " */\n", 1),
               (head + "int x; \n", 1))
    judged = [(file_faults(pathlib.Path("sample.c"), text), wanted) for text, wanted in samples]
    return [f"sample {index}: expected {wanted} faults, found {found}"
            for index, (found, wanted) in enumerate(judged) if len(found) != wanted]


def main():
    faults, checked = sample_faults(), 0
    paths = [path for folder in FOLDERS for path in sorted((common.SOURCE / folder).rglob("*"))]
    paths += [common.SOURCE / name for name in ("configure.ac", "Makefile.am", "quickstart")]
    for path in paths:
        generated = path.name.startswith(("lt", "libtool")) and path.suffix == ".m4"
        if not path.is_file() or generated or (path.suffix not in SOURCES and path.name not in ("quickstart", "run")):
            continue
        checked += 1
        faults += [f"{path.relative_to(common.SOURCE)}:{fault}" for fault in file_faults(path, path.read_text())]
    n = len((common.SOURCE / "README.md").read_text().splitlines())
    if n > README_LINES:
        faults.append(f"README.md:{n}: {n} lines, {README_LINES} are allowed: move details to the pages")
    common.finish(faults, checked)


main()
