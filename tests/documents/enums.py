# SPDX-License-Identifier: MIT
"""include/rebalance/enums.def with its parts, and the enumerations of the headers and pages that are made from it."""
import collections
import pathlib
import re
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

LIST = common.INCLUDE / "rebalance/enums.def"
Enumerator = collections.namedtuple("Enumerator", "name value text meaning")
Enumeration = collections.namedtuple("Enumeration", "name number form enumerators")
LITERALS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'


def whole(name="enums.def"):
    """The text of a list, with the parts that it includes in their places; options and the like are not parts."""
    return re.sub(r'^#include "((?:enums|columns)_\w+\.def)"$', lambda part: (LIST.parent / part[1]).read_text(),
                  (LIST.parent / name).read_text(), flags=re.M)


def literal(text):
    """What string literals one after another hold."""
    pieces = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    return re.sub(r"\\(.)", r"\1", "".join(pieces))


def read(text):
    """{name: Enumeration} of the text of a list. Raises ValueError for a malformed or unowned enumerator."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = {name: Enumeration(name, int(number), form, [])
             for name, number, form in re.findall(r"^REBAL_ENUM\((\w+), (\d+), (\w+)\)$", text, re.M)}
    entries = re.findall(rf"^REBAL_ENUMERATOR\((\w+), (\w+), ([-\d ]+),\s*{LITERALS},\s*{LITERALS}\)$", text, re.M)
    if len(found) + len(entries) != len(re.findall(r"^REBAL_ENUM", text, re.M)):
        raise ValueError("an entry is written in another way, or an enumeration is listed twice")
    for owner, name, value, shown, meaning in entries:
        if owner not in found:
            raise ValueError(f"{owner} of {name} is not an enumeration")
        found[owner].enumerators.append(Enumerator(f"REBAL_{owner}_{name}", value, literal(shown), literal(meaning)))
    return found


def body(enumeration):
    """The enumerators as a header writes them, from { to }."""
    entries = [(f"{one.name} = {one.value}", one.meaning) for one in enumeration.enumerators]
    line = "{ " + ", ".join(entry for entry, _ in entries) + " }"
    if not any(meaning for _, meaning in entries) and len(f"enum rebal_{enumeration.name} {line};") <= 120:
        return line
    entries = [(f"  {entry},", meaning) for entry, meaning in entries[:-1]] + [(f"  {entries[-1][0]}", entries[-1][1])]
    width, lines = max(len(entry) for entry, _ in entries), []
    for entry, meaning in entries:
        if not meaning:
            lines.append(entry)
        elif width + len(f" /**< {meaning} */") <= 120:
            lines.append(f"{entry:<{width}} /**< {meaning} */")
        elif len(f"  /** {meaning} */") <= 120:
            lines += [f"  /** {meaning} */", entry]
        else:
            lines += ["  /**", *(f"   * {part}" for part in textwrap.wrap(meaning, 115)), "   */", entry]
    return "\n".join(["{", *lines, "}"])


def updated(header, listed):
    """The text of a header with its enumerations as the list has them; those that include lists of their own stay."""
    def replace(found):
        enumeration = listed.get(found.group(1).upper())
        is_listed = enumeration and enumeration.enumerators
        return f"enum rebal_{found.group(1)} {body(enumeration)};" if is_listed else found.group(0)
    return re.sub(r"^enum rebal_(\w+) \{.*?\};", replace, header, flags=re.S | re.M)
