# SPDX-License-Identifier: MIT
"""Codes, enumerations, options, fields and columns of bindings/go are those of the lists. With --write: rewrites
them."""
import sys

import go_lists

import common


def main():
    made, faults = go_lists.files(), []
    for name, text in made.items():
        path = go_lists.FOLDER / name
        if "--write" in sys.argv[1:]:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            faults.append(f"bindings/go/{name}: not up to date; run python3 tests/documents/check-go-lists.py --write")
    faults += [f"bindings/go/{path.name}: no list is made into it" for path in go_lists.FOLDER.glob("lists_*.go")
               if path.name not in made]
    common.finish(faults, sum(text.count(" = ") for text in made.values()))


main()
