# SPDX-License-Identifier: MIT
"""check-interface.py lets the interface grow and nothing else: in a copy of the tree, in which the current version is
released, each change of a table below is made, headers are made from their lists again, and the check is run."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "documents"))
import common
import enums
import interface

PARTS = ("include", "lib", "tests/abi", "tests/common.py", "tests/documents/enums.py",
         *(str(path.relative_to(common.SOURCE)) for path in common.MAKEFILES))
HEADERS = "include/rebalance"
OWNED = ("REBAL_ENUMERATOR", "REBAL_COLUMN", "REBAL_FIELD")  # their first word is what they belong to
Change = collections.namedtuple("Change", "name path apply")


def once(text, old, new):
    """The text with one place replaced, which must exist once."""
    if text.count(old) != 1:
        sys.exit(f"{old!r} occurs {text.count(old)} times")
    return text.replace(old, new)


def replaced(old, new):
    return lambda text: once(text, old, new)


def exchanged(one, other):
    """Each text in the place of the other."""
    return lambda text: once(once(once(text, one, "\0"), other, one), "\0", other)


def edited(pattern, new):
    """Replaces what lines match, in one place."""
    def apply(text):
        changed, n = re.subn(pattern, new, text, flags=re.M)
        if n != 1:
            sys.exit(f"{pattern!r} occurs {n} times")
        return changed
    return apply


def entries(text, macro):
    """Single-line calls of a macro: (start, end, the groups before the number, number, after it)."""
    return list(re.finditer(rf'^({macro}\((?:\w+, )*?\w+, )(-?\d+)([,)].*)$', text, re.M))


def with_numbers(text, found, numbers):
    for one, number in sorted(zip(found, numbers), key=lambda pair: -pair[0].start()):
        text = text[:one.start(2)] + number + text[one.end(2):]
    return text


def swapped(macro):
    def apply(text):
        one, other = entries(text, macro)[1:3]
        return with_numbers(text, (one, other), (other[2], one[2]))
    return apply


def renumbered(macro):
    return lambda text: with_numbers(text, entries(text, macro)[1:2], ("251",))


def removed(macro):
    """Together with its parts."""
    def apply(text):
        one = entries(text, macro)[1]
        name = re.match(r"\w+\((\w+)", one[1])[1]
        text = text[:one.start()] + text[one.end() + 1:]
        return text if macro in OWNED else re.sub(rf'^REBAL_\w+\({name}, (?:[^()"]|"(?:[^"\\]|\\.)*")*\)\n', "", text,
                                                  flags=re.M)
    return apply


def appended(line):
    return lambda text: text + line + "\n"


def on_list(what, path, macro):
    """Changes that are never allowed for an entry of a list."""
    return [Change(f"{how.__name__} {what}", f"{HEADERS}/{path}", how(macro)) for how in (swapped, renumbered, removed)]


# The end of an option structure.
LAST_MEMBER = r"^(  int64_t progress_deadline_ns;.*\n)(\} rebal_plan_opts;)"

BROKEN = [
    *on_list("enumerator", "enums.def", "REBAL_ENUMERATOR"), *on_list("enumeration", "enums.def", "REBAL_ENUM"),
    *on_list("column", "columns.def", "REBAL_COLUMN"), *on_list("table", "columns.def", "REBAL_TABLE"),
    *on_list("field", "fields.def", "REBAL_FIELD"), *on_list("object", "fields.def", "REBAL_OBJECT"),
    *on_list("error code", "codes.def", "REBAL_CODE"), *on_list("finding", "findings.def", "REBAL_FINDING"),
    Change("renumbered option", f"{HEADERS}/options.def", replaced("(INT32_WRAP, 17, ", "(INT32_WRAP, 117, ")),
    Change("swapped options", f"{HEADERS}/options.def", exchanged("(INT32_WRAP, ", "(CLUSTER_LOCALITY, ")),
    Change("removed option", f"{HEADERS}/options.def", edited(r"^REBAL_OPTION\(CLUSTER_LOCALITY,.*\n", "")),
    Change("another default of an option", f"{HEADERS}/options.def",
           replaced("(CLUSTER_LOCALITY, 19, 1, ", "(CLUSTER_LOCALITY, 19, 0, ")),
    Change("another value of a level", f"{HEADERS}/levels.def",
           replaced("(REPAIRED, STRICT_EVICTION, 1)", "(REPAIRED, STRICT_EVICTION, 0)")),
    Change("another text of an enumerator", f"{HEADERS}/enums.def", replaced('"BinarySI"', '"Binary"')),
    Change("another type of a column", f"{HEADERS}/columns.def",
           replaced("(CLUSTER, DELETING, 10, BOOLEAN,", "(CLUSTER, DELETING, 10, INT64,")),
    Change("a removed function", f"{HEADERS}/plan.h",
           replaced("REBAL_API void rebal_plan_free(rebal_plan *plan);", "")),
    Change("a function in a later version node", "lib/librebalance.map", lambda text: once(
        text, "    rebal_plan_free;\n", "") + "LIBREBALANCE_0.2 {\n global:\n rebal_plan_free;\n} LIBREBALANCE_0.1;"),
    Change("a parameter of another width", f"{HEADERS}/what_if.h",
           edited(r"int32_t max_replicas,", "int64_t max_replicas,")),
    Change("a parameter that may be written to", f"{HEADERS}/plan.h",
           replaced("rebal_plan_read(const rebal_plan *plan", "rebal_plan_read(rebal_plan *plan")),
    Change("swapped parameters", f"{HEADERS}/plan.h",
           edited(r"(rebal_plan_read\()(const rebal_plan \*plan), (rebal_result \*result)", r"\1\3, \2")),
    Change("another result", f"{HEADERS}/plan.h",
           replaced("REBAL_API int32_t rebal_plan_read(", "REBAL_API int64_t rebal_plan_read(")),
    Change("another type of a member", f"{HEADERS}/plan.h", edited("^  int64_t max_surge;", "  uint64_t max_surge;")),
    Change("another order of members", f"{HEADERS}/plan.h", exchanged("int64_t placed; ", "int64_t kept; ")),
    Change("a removed member", f"{HEADERS}/plan.h", edited(r"^  int64_t moved;.*\n", "")),
    Change("a member in the middle", f"{HEADERS}/plan.h",
           replaced("  int64_t placed; ", "  int64_t earlier;\n  int64_t placed; ")),
    Change("a member of what has one size", f"{HEADERS}/base.h",
           edited(r"^(typedef struct rebal_time \{\n)", r"\1  int64_t earlier;\n")),
    Change("a gap between members", f"{HEADERS}/plan.h",
           edited(LAST_MEMBER, r"\1  uint8_t later;\n  int64_t last;\n\2")),
    Change("another constant", f"{HEADERS}/record.h", edited(r"^#define REBAL_NONE .*", "#define REBAL_NONE 0")),
]

GROWN = [
    Change("a column", f"{HEADERS}/columns.def", appended('REBAL_COLUMN(CLUSTER, LATER, 250, INT64, 0, "later")')),
    Change("a table", f"{HEADERS}/columns.def", appended("REBAL_TABLE(LATER, 250)")),
    Change("a field", f"{HEADERS}/fields.def", appended('REBAL_FIELD(PAIR, LATER, 250, TEXT, ONE, NONE, "later")')),
    Change("an enumerator", f"{HEADERS}/enums.def",
           appended('REBAL_ENUMERATOR(QUANTITY_FORMAT, LATER, 250, "Later", "")')),
    Change("an option", f"{HEADERS}/options.def", appended('REBAL_OPTION(LATER, 250, 0, "later", "later")')),
    Change("an error code", f"{HEADERS}/codes.def", appended('REBAL_CODE(REBAL_ELATER, -250, "later")')),
    Change("a member of an option", f"{HEADERS}/plan.h", edited(LAST_MEMBER, r"\1  int64_t later;\n\2")),
    Change("a function", f"{HEADERS}/plan.h", replaced(
        "REBAL_API void rebal_plan_free(rebal_plan *plan);",
        "REBAL_API void rebal_plan_free(rebal_plan *plan);\nREBAL_API void rebal_plan_later(rebal_plan *plan);")),
]


def copy_tree(folder):
    for part in PARTS:
        source, target = common.SOURCE / part, folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copyfile(source, target)


def run_check(folder, *flags):
    """(exit code, output) of the check in the copy."""
    done = subprocess.run([sys.executable, folder / "tests/abi/check-interface.py", *flags], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "top_srcdir": str(folder)})
    return done.returncode, done.stdout


def make_headers(folder):
    """Enumerations of the headers from the list of the copy."""
    listed = enums.read(re.sub(r'^#include "(enums_\w+\.def)"$', lambda part: (folder / HEADERS / part[1]).read_text(),
                               (folder / HEADERS / "enums.def").read_text(), flags=re.M))
    for path in (folder / HEADERS).glob("*.h"):
        path.write_text(enums.updated(path.read_text(), listed))


def release(folder):
    """Releases the current version; the tree becomes the next one."""
    path = folder / "tests/abi/interface.txt"
    path.write_text(path.read_text().replace(", not released ==", ", released =="))
    base = folder / HEADERS / "base.h"
    minor = interface.version().split(".")[1]
    base.write_text(once(base.read_text(), f"#define REBAL_VERSION_MINOR {minor}\n",
                         f"#define REBAL_VERSION_MINOR {int(minor) + 1}\n"))


def tried(folder, change, grows):
    """What is wrong with the check's answer to a change; restores the copy."""
    path = folder / change.path
    before = path.read_text()
    headers = {header: header.read_text() for header in (folder / HEADERS).glob("*.h")}
    listed = (folder / "tests/abi/interface.txt").read_text()
    changed = change.apply(before)
    faults = [f"{change.name}: changes nothing"] if changed == before else []
    path.write_text(changed)
    make_headers(folder)
    code, printed = run_check(folder, "--write" if grows else "--change")
    kept = (folder / "tests/abi/interface.txt").read_text()
    if grows and (code or not kept.startswith(listed) or kept == listed):
        faults.append(f"{change.name}: is refused, or not listed after the rest: {printed}")
    if not grows and (not code or not re.search("promised by|there is a gap", printed)):
        faults.append(f"{change.name}: is not found: {printed}")
    for header, text in headers.items():
        header.write_text(text)
    path.write_text(before)
    (folder / "tests/abi/interface.txt").write_text(listed)
    return faults


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        copy_tree(folder)
        release(folder)
        code, printed = run_check(folder)
        faults = [f"the copy itself: {printed}"] if code else []
        for change in BROKEN:
            faults += tried(folder, change, False)
        for change in GROWN:
            faults += tried(folder, change, True)
        shutil.copyfile(common.INCLUDE / "rebalance/base.h", folder / HEADERS / "base.h")
        code, printed = run_check(folder, "--change")
        if "is released" not in printed:
            faults.append(f"--change of a released version: exit {code}: {printed}")
    common.finish(faults, len(BROKEN) + len(GROWN))


main()
