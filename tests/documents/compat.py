# SPDX-License-Identifier: MIT
"""The table of compatibility, man/compat.def: its sections and rows."""
import collections
import re
import sys

import common

TABLE = common.SOURCE / "man/compat.def"
STATES = {"KEPT": "as the reference", "OPTION": "option", "LIB": "library rule"}

Row = collections.namedtuple("Row", "name section state option test text")
ROW = re.compile(r'^ROW\(([\w-]+), (w?[\d.]+), (\w+), (\w+),\s+"([^"]*)",\s+((?:"(?:[^"\\]|\\.)*"\s*)+)\)$', re.M)
SECTION = re.compile(r'^SECTION\((\d+), "([^"]*)"\)$', re.M)


def read():
    """[(number, title, [rows])] in the order of the file."""
    text = TABLE.read_text()
    found = [*SECTION.finditer(text), *ROW.finditer(text)]
    if len(found) != len(re.findall(r"^[A-Z]+\(", text, re.M)):
        sys.exit("man/compat.def: an entry is written in another way")
    sections = []
    for entry in sorted(found, key=lambda entry: entry.start()):
        if entry.re is SECTION:
            sections.append((entry[1], entry[2], []))
        else:
            words = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', entry[6])).replace('\\"', '"')
            sections[-1][2].append(Row(*entry.groups()[:5], words))
    return sections
