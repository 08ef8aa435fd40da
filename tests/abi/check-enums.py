# SPDX-License-Identifier: MIT
"""Enumerations, fields and columns do not collide: every identifier belongs to one list, which its longest prefix
names; values, texts and numbers are listed once; a column names an existing enumeration; headers declare no
enumeration beside enums.def."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "documents"))
import common
import enums

HEADERS = common.INCLUDE / "rebalance"
# Enumerations made from lists of their own, with the prefix of their enumerators; None: these have other prefixes.
OTHERS = {"code": None, "enum": "ENUM", "object": "OBJECT", "table": "TABLE", "field": None, "column": None}


def entries(text, what):
    return re.findall(rf"^{what}\((\w+)(?:, (\w+), \w+, (\w+))?", text, re.M)


def identifiers(listed, fields, columns):
    """[(owner, identifier)] of everything that is listed; the owner is its prefix."""
    found = [(f"REBAL_{name}", one.name) for name, enumeration in listed.items() for one in enumeration.enumerators]
    found += [("REBAL_ENUM", f"REBAL_ENUM_{name}") for name in listed]
    for text, owner, member in ((fields, "OBJECT", "FIELD"), (columns, "TABLE", "COLUMN")):
        found += [(f"REBAL_{owner}", f"REBAL_{owner}_{name}") for name, _, _ in entries(text, f"REBAL_{owner}")]
        found += [(f"REBAL_{name}", f"REBAL_{name}_{part}") for name, part, _ in entries(text, f"REBAL_{member}")]
    return found


def faults_of_names(found):
    """An identifier twice, and one that reads as if it were of another list."""
    owners = {owner for owner, _ in found}
    names = [name for _, name in found]
    faults = [f"{name} is listed twice" for name in sorted({name for name in names if names.count(name) > 1})]
    for owner, name in found:
        words = name.split("_")
        prefixes = ["_".join(words[:n]) for n in range(len(words) - 1, 1, -1)]
        longest = next(prefix for prefix in prefixes if prefix in owners)
        if longest != owner:
            faults.append(f"{name} of {owner} reads as one of {longest}")
    return faults


def faults_of_values(listed):
    faults, numbers = [], [one.number for one in listed.values()]
    faults += [f"number {number} is that of two enumerations" for number in sorted(set(numbers))
               if numbers.count(number) > 1]
    for name, enumeration in listed.items():
        values = [eval(one.value) for one in enumeration.enumerators]  # pylint: disable=eval-used
        texts = [one.text for one in enumeration.enumerators if one.text]
        if enumeration.form not in ("VALUE", "BITS"):
            faults.append(f"{name}: form {enumeration.form}")
        faults += [f"{name}: value {value} twice" for value in sorted(set(values)) if values.count(value) > 1]
        faults += [f"{name}: text {text} twice" for text in sorted(set(texts)) if texts.count(text) > 1]
        faults += [f"{name}: {value} is not a bit" for value in values
                   if enumeration.form == "BITS" and (value <= 0 or value & value - 1)]
        faults += [f"{name}: {value} is beyond 32 bits" for value in values if not -2 ** 31 <= value < 2 ** 31]
    return faults


def faults_of_columns(listed, columns):
    return [f"column {table}.{name}: there is no enumeration {kind[kind.index('_') + 1:]}"
            for table, name, kind in entries(columns, "REBAL_COLUMN")
            if kind.startswith(("ENUM_", "SET_")) and kind[kind.index("_") + 1:] not in listed]


def faults_of_header(listed, text):
    """Enumerations that are in no list, enumerators that are not of theirs, promises of a largest value."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    faults = []
    for name, body in re.findall(r"\benum (\w+) \{(.*?)\}", text, re.S):
        tag = name.removeprefix("rebal_")
        prefix = OTHERS.get(tag, tag.upper())
        if tag not in OTHERS and tag.upper() not in listed:
            faults.append(f"enum {name} is not in enums.def")
        for one in re.findall(r"^\s*(REBAL_\w+)(?= =)|[{,]\s*(REBAL_\w+)(?= =)", "{" + body, re.M):
            one = one[0] or one[1]
            if prefix is not None and not one.startswith(f"REBAL_{prefix}_"):
                faults.append(f"{one} of enum {name} has another prefix")
            if one.endswith(("_MAX", "_COUNT", "_LAST")):
                faults.append(f"{one} promises that enum {name} does not grow")
    faults += [f"enum {name} is declared without a name of its own" for name in re.findall(r"\benum \{", text)]
    return faults


def faults_of(listed_text, fields, columns, headers):
    try:
        listed = enums.read(listed_text)
    except ValueError as error:
        return [str(error)]
    return faults_of_names(identifiers(listed, fields, columns)) + faults_of_values(listed) + \
        faults_of_columns(listed, columns) + [fault for text in headers for fault in faults_of_header(listed, text)]


def sample_faults():
    """Planted faults are found."""
    good = ('REBAL_ENUM(STATE, 1, VALUE)\nREBAL_ENUMERATOR(STATE, ON, 1, "On", "")\nREBAL_ENUM(DO, 2, BITS)\n'
            'REBAL_ENUMERATOR(DO, RUN, 1, "Run", "a\\"b")\n',
            'REBAL_OBJECT(POD, 1)\nREBAL_FIELD(POD, ON, 1, TEXT, x)\n',
            'REBAL_TABLE(NODE, 128)\nREBAL_COLUMN(NODE, STATE, 1, ENUM_STATE, 0, "x")\n',
            "enum rebal_state {\n  REBAL_STATE_ON = 1\n};\nenum rebal_do { REBAL_DO_RUN = 1 };")

    def with_more(place, more):
        lists = list(good)
        lists[place] += more
        return (*lists[:3], lists[3:])
    samples = (
        (with_more(0, ""), 0), (with_more(0, 'REBAL_ENUMERATOR(STATE, OFF, 1, "Off", "")\n'), 1),
        (with_more(0, 'REBAL_ENUMERATOR(STATE, OFF, 2, "On", "")\n'), 1),
        (with_more(0, 'REBAL_ENUMERATOR(STATE, ON, 2, "Off", "")\n'), 1),
        (with_more(0, 'REBAL_ENUMERATOR(DO, STOP, 3, "Stop", "")\n'), 1),
        (with_more(0, 'REBAL_ENUMERATOR(STATE, OFF, 4294967296, "Off", "")\n'), 1),
        (with_more(0, 'REBAL_ENUM(OTHER, 2, VALUE)\n'), 1), (with_more(0, 'REBAL_ENUM(OTHER, 3, SUM)\n'), 1),
        (with_more(0, 'REBAL_ENUMERATOR(WHICH, OFF, 1, "Off", "")\n'), 1),
        (with_more(0, "REBAL_ENUM(LATE,3,VALUE)\n"), 1),
        (with_more(0, 'REBAL_ENUM(NODE, 3, VALUE)\nREBAL_ENUMERATOR(NODE, STATE, 1, "x", "")\n'), 1),
        (with_more(1, "REBAL_FIELD(POD, ON, 2, TEXT, x)\n"), 1),
        (with_more(1, "REBAL_OBJECT(STATE_LATE, 2)\nREBAL_FIELD(STATE_LATE, ON, 1, TEXT, x)\n"), 0),
        (with_more(1, "REBAL_OBJECT(NODE_STATE, 2)\nREBAL_FIELD(NODE_STATE, ON, 1, TEXT, x)\n"), 0),
        (with_more(2, 'REBAL_COLUMN(NODE, STATE_ON, 2, INT64, 0, "x")\n'), 0),
        (with_more(2, 'REBAL_TABLE(STATE, 129)\nREBAL_COLUMN(STATE, ON, 1, INT64, 0, "x")\n'), 1),
        (with_more(2, 'REBAL_TABLE(DO_RUN, 129)\nREBAL_COLUMN(DO_RUN, ON, 1, INT64, 0, "x")\n'
                      'REBAL_TABLE(DO, 130)\nREBAL_COLUMN(DO, RUN_LATE, 1, INT64, 0, "x")\n'), 1),
        (with_more(2, 'REBAL_COLUMN(NODE, WHICH, 2, ENUM_WHICH, 0, "x")\n'), 1),
        (with_more(2, 'REBAL_COLUMN(NODE, WHICH, 2, SET_WHICH, 0, "x")\n'), 1),
        (with_more(3, "enum rebal_which { REBAL_WHICH_ON = 1 };"), 1),
        (with_more(3, "enum rebal_state { REBAL_OTHER_ON = 1 };"), 1),
        (with_more(3, "enum rebal_state {\n  REBAL_STATE_ON = 1,\n  REBAL_STATE_COUNT = 2\n};"), 1),
        (with_more(3, "enum { REBAL_ON = 1 };"), 1))
    return [f"sample {index}: expected {wanted} faults, found {faults_of(*lists)}"
            for index, (lists, wanted) in enumerate(samples) if len(faults_of(*lists)) != wanted]


def main():
    texts = [enums.whole(), *(enums.whole(name) for name in ("fields.def", "columns.def"))]
    headers = [path.read_text() for path in sorted(HEADERS.glob("*.h"))]
    listed = enums.read(texts[0])
    common.finish(sample_faults() + faults_of(*texts, headers), len(identifiers(listed, *texts[1:])))


main()
