# SPDX-License-Identifier: MIT
"""Every row of the table of compatibility names a test that exists and is run, every option has a row, names are
unique, warnings name rows, and a tag whose recorded cases may differ is named."""
import re

import manual

import common
import compat


def fault_of_test(test):
    """Why a test of tests/unit does not exist or is not run; None if it is run."""
    found = re.fullmatch(r"(\w+)/test_(\w+)\.c:(test_\w+)", test)
    if not found:
        return "is not ROOM/test_FILE.c:test_NAME"
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
    if (row.state == "OPTION") != (row.option != "NONE"):
        yield "names an option exactly when its state is OPTION"
    if row.option != "NONE" and row.option not in options:
        yield f"names an unknown option {row.option}"
    fault = fault_of_test(row.test)
    if fault:
        yield f"names {row.test}, which {fault}"
    if not re.match(r"[A-Z]", row.text) or not row.text.endswith("."):
        yield "is not a sentence"


def rows_of_warnings():
    """Names that the library returns as WARNING.ROW_NAME."""
    return {name for source in (common.SOURCE / "lib").rglob("*.c")
            for name in re.findall(r'REBALI_ROW\("([^"]+)"\)', source.read_text())}


def tags_by_rule():
    """Tags of recorded cases for which any answer passes."""
    return set(re.findall(r"^\w+ ([\w-]+) \*$", (common.SOURCE / "tests/vectors/rules.txt").read_text(), re.M))


def main():
    rows = [row for _, _, section in compat.read() for row in section]
    options = {name for (name, _, _), _ in manual.entries_of("options.def", "REBAL_OPTION")}
    faults = [f"{row.name} {fault}" for row in rows for fault in faults_of(row, options)]
    names = [row.name for row in rows]
    faults += [f"{name} is listed twice" for name in sorted(set(names)) if names.count(name) > 1]
    faults += [f"option {option} has no row" for option in sorted(options - {row.option for row in rows})]
    faults += [f"a warning names {name}, which is not a row" for name in sorted(rows_of_warnings() - set(names))]
    named = {tag for row in rows if row.state == "LIB" for tag in re.findall(r"[\w-]+", row.text)}
    faults += [f"the tag {tag} of tests/vectors/rules.txt is in no row" for tag in sorted(tags_by_rule() - named)]
    common.finish(faults, len(rows))


main()
