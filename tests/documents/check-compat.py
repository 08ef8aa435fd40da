# SPDX-License-Identifier: MIT
"""Every row of the table of compatibility names a test that there is and that is run, every option has a row, names are
told once, what is not built yet has no test, and warnings name rows."""
import re

import manual

import common
import compat

# Parts that are not built yet; only their rows may be without a test.
LATER = ("6.5", "6.7", "6.8", "10.5", "10.6", "11", "w2", "w3", "w4", "w5", "w6", "w12")


def is_within(section, parts):
    return any(section == part or section.startswith(part + ".") for part in parts)


def fault_of_test(test):
    """Why a test of tests/unit is none, or is not run; None when it is."""
    found = re.fullmatch(r"(\w+)/test_(\w+)\.c:(test_\w+)", test)
    if not found:
        return "is no ROOM/test_FILE.c:test_NAME"
    room, case, function = found.groups()
    path = f"tests/unit/{room}/test_{case}.c"
    file = common.SOURCE / path
    text = file.read_text() if file.exists() else ""
    main = common.SOURCE / f"tests/unit/{room}/main.c"
    if not re.search(rf"^START_TEST\({function}\)", text, re.M):
        return "does not exist"
    if not re.search(rf"tcase_add_(loop_)?test\(\w+, {function}\b", text):
        return "is in no test case"
    if not re.search(rf"\bUNIT\({case}\)", main.read_text()) or not re.search(rf"^UNIT_CASE\({case}\)", text, re.M):
        return "is in a test case that is not run"
    if path not in common.make_list(f"{room}_tests"):
        return "is in a file that is not built"
    return None


def faults_of(row, options):
    if row.state not in compat.STATES:
        yield f"has no state {row.state}"
    if (row.state == "OPTION") != (row.option != "NONE") and row.state != "LATER":
        yield "names an option exactly when its state is OPTION"
    if row.option != "NONE" and row.option not in options:
        yield f"names an unknown option {row.option}"
    if (row.state == "LATER") != (row.test == "-"):
        yield "has no test exactly when its state is LATER"
    if row.state == "LATER" and not is_within(row.section, LATER):
        yield f"is of section {row.section}, which is built"
    if row.test != "-":
        fault = fault_of_test(row.test)
        if fault:
            yield f"names {row.test}, which {fault}"
    if not re.match(r"[A-Z]", row.text) or not row.text.endswith("."):
        yield "is no sentence"


def rows_of_warnings():
    """Names that the library gives as WARNING.ROW_NAME."""
    return {name for source in (common.SOURCE / "lib").rglob("*.c")
            for name in re.findall(r'REBALI_ROW\("([^"]+)"\)', source.read_text())}


def main():
    rows = [row for _, _, section in compat.read() for row in section]
    options = {name for (name, _, _), _ in manual.entries_of("quirks.def", "REBAL_QUIRK")}
    faults = [f"{row.name} {fault}" for row in rows for fault in faults_of(row, options)]
    names = [row.name for row in rows]
    faults += [f"{name} is told twice" for name in sorted(set(names)) if names.count(name) > 1]
    faults += [f"option {option} has no row" for option in sorted(options - {row.option for row in rows})]
    faults += [f"a warning names {name}, which is no row" for name in sorted(rows_of_warnings() - set(names))]
    common.finish(faults, len(rows))


main()
