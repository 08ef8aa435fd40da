# SPDX-License-Identifier: MIT
"""Every source is in a list of Makefile.am, every list is sorted, and unit tests mirror the rooms."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common


def lists():
    """{name: [files]} of the lists that end with $(end)."""
    text = (common.SOURCE / "Makefile.am").read_text()
    names = re.findall(r"^(\w+) = \\\n(?:  [^\n]* \\\n)*  \$\(end\)$", text, re.M)
    return {name: common.make_list(name) for name in names}


def main():
    found = lists()
    listed = {path for files in found.values() for path in files}
    faults = [f"{name} is not sorted" for name, files in found.items() if files != sorted(files)]
    faults += [f"{name} names a file twice" for name, files in found.items() if len(files) != len(set(files))]
    sources = [path for folder in ("lib", "include", "tools", "tests/unit")
               for path in (common.SOURCE / folder).rglob("*") if path.suffix in (".c", ".h", ".def")]
    for path in sorted(sources):
        name = path.relative_to(common.SOURCE).as_posix()
        if name not in listed:
            faults.append(f"{name} is in no list of Makefile.am")
        mirror = re.fullmatch(r"tests/unit/(\w+)/test_(\w+)\.c", name)
        if mirror and not (common.SOURCE / "lib" / mirror[1] / f"{mirror[2]}.c").exists():
            faults.append(f"{name} mirrors no file of lib/{mirror[1]}")
    common.finish(faults, len(sources))


main()
