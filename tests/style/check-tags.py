# SPDX-License-Identifier: MIT
"""A tag of a structure, union or enumeration that a header defines is defined nowhere else in the library, or in the
tool: debuggers and indexes of the source show one definition for one name."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

PROGRAMS = (("include", "lib"), ("tools",))


def tags_of(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.findall(r"\b(?:struct|union|enum) (\w+) \{", text)


def faults_of(files):
    """files: {path: text}"""
    places = {}
    for path, text in files.items():
        for tag in tags_of(text):
            places.setdefault(tag, []).append(path)
    return [f"tag {tag} is defined in {' and '.join(sorted(paths))}" for tag, paths in sorted(places.items())
            if len(paths) > 1 and any(path.endswith(".h") or tag.startswith("rebal") for path in paths)]


def sample_faults():
    samples = (({"a.h": "struct a {\n};", "b.c": "struct a {\n};"}, 1), ({"a.c": "struct a {", "b.c": "struct a {"}, 0),
               ({"a.c": "struct rebali_a {", "b.c": "struct rebali_a {"}, 1),
               ({"a.h": "enum a { B };", "b.h": "struct a {"}, 1),
               ({"a.h": "struct a;", "b.c": "struct a x; struct a {"}, 0), ({"a.h": "struct a { struct a {"}, 1))
    return [f"sample {index}: expected {wanted} faults, found {faults_of(files)}"
            for index, (files, wanted) in enumerate(samples) if len(faults_of(files)) != wanted]


def main():
    faults, checked = sample_faults(), 0
    for folders in PROGRAMS:
        paths = [path for folder in folders for path in sorted((common.SOURCE / folder).rglob("*.[ch]"))]
        files = {path.relative_to(common.SOURCE).as_posix(): path.read_text() for path in paths}
        checked += sum(len(tags_of(text)) for text in files.values())
        faults += faults_of(files)
    common.finish(faults, checked)


main()
