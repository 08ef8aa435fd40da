# SPDX-License-Identifier: MIT
"""The core in one file compiles without a configure step and without a warning, exports the names of the map, and
answers like the library: the recorded cases run with it in place of librebalance.so."""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

FOLDER = common.BUILD / "amalgamation"
MAP = common.SOURCE / "lib/librebalance.map"
FLAGS = ["-Wall", "-Wextra", "-Werror", "-O2"]


def exported(path, *flags):
    lines = common.output([*common.NM, *flags, "--defined-only", path]).splitlines()
    return {line.split()[2].partition("@")[0] for line in lines if line.split()[1] in "TDBRV"}


def check_names(path):
    mapped = set(re.findall(r"^\s+(rebal_\w+);$", MAP.read_text(), re.M))
    return [f"{path.name}: {name} is in the map or in the object, not in both" for name in
            sorted(mapped ^ exported(path, "-g"))], len(mapped)


def check_conformance():
    """The result of this build's runner with the other library must be that of check-vectors.sh."""
    runner = common.BUILD / "tests/conformance/.libs/conformance"
    if not common.WITH_MANIFEST or not (common.BUILD / ".libs/librebalance.so.0").exists():
        return [], 0  # there is no runner, or it has the library in it
    if not runner.exists():
        common.skip("tests/conformance/conformance is not built")
    library = FOLDER / "librebalance.so.0"
    common.output([*common.CC, "-shared", f"-Wl,--version-script={MAP}", "-Wl,-soname,librebalance.so.0",
                   FOLDER / "librebalance.o", "-o", library])
    vectors = common.SOURCE / "tests/vectors"
    expected = re.search(r'^expected="(.*)"$', (common.SOURCE / "tests/conformance/check-vectors.sh").read_text(), re.M)
    os.environ["LD_LIBRARY_PATH"] = f"{FOLDER}:{common.BUILD / '.libs'}"
    found = common.output(["ldd", runner])
    code, printed = common.run([runner, "--rules", vectors / "rules.txt", vectors])
    del os.environ["LD_LIBRARY_PATH"]
    summary = printed.splitlines()[-1] if printed else ""
    faults = [] if str(library) in found else ["the runner takes another librebalance.so.0"]
    if code or summary != expected.group(1):
        faults.append(f"recorded cases: {summary}, expected {expected.group(1)}")
    return faults, int(summary.split()[0]) if summary[:1].isdigit() else 0


def main():
    common.output([sys.executable, common.SOURCE / "packaging/amalgamate.py", FOLDER])
    library = FOLDER / "librebalance.o"
    common.output([*common.CC, *FLAGS, "-fPIC", "-c", FOLDER / "librebalance.c", "-o", library])
    faults, checked = check_names(library)
    tutorial = FOLDER / "tutorial"
    common.output([*common.CC, f"-I{common.INCLUDE}", common.SOURCE / "tests/portability/tutorial.c", library, "-o",
                   tutorial])
    if common.output([tutorial]) != "member1:2\nmember2:1\n":
        faults.append("the tutorial's decision differs")
    more_faults, cases = check_conformance()
    sizes = ", ".join(f"{path.name} {path.stat().st_size}" for path in sorted(FOLDER.glob("librebalance.*")))
    print(f"{sizes} bytes; {cases} recorded cases")
    common.finish(faults + more_faults, checked + cases)


main()
