# SPDX-License-Identifier: MIT
"""Shared by the scripts of the tests: paths, how to fail and how to skip."""
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("top_srcdir") or pathlib.Path(__file__).resolve().parent.parent)
BUILD = pathlib.Path(os.environ.get("top_builddir") or SOURCE / "build")
INCLUDE = SOURCE / "include"
CC = (os.environ.get("CC") or "cc").split()
CXX = (os.environ.get("CXX") or "c++").split()
NM = (os.environ.get("NM") or "nm").split()[:1]
READELF = (os.environ.get("READELF") or "readelf").split()
WITH_MANIFEST = os.environ.get("WITH_MANIFEST", "yes") == "yes"


def skip(reason):
    """The test's tool is absent: skipped by hand, failed under CI, where every tool has been installed."""
    print("skip:", reason)
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def finish(faults, checked):
    """Ends the test. A test that checked nothing fails."""
    for fault in faults:
        print("fault:", fault)
    print(f"{checked} checked, {len(faults)} faults")
    sys.exit(1 if faults or not checked else 0)


def run(command, text=None):
    """(exit code, output and errors together) of a command."""
    try:
        done = subprocess.run([str(word) for word in command], input=text, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
    except FileNotFoundError:
        skip(f"{command[0]} not found")
    return done.returncode, done.stdout


def output(command, text=None):
    """Output of a command that must succeed."""
    code, printed = run(command, text)
    if code:
        sys.exit(f"{' '.join(map(str, command))}: exit {code}\n{printed}")
    return printed


MAKEFILES = [SOURCE / name for name in ("Makefile.am", "lib/sources.am", "lib/manifest.am", "lib/simulation.am",
                                        "man/pages.am", "examples/examples.am", "tools/sources.am", "tests/tests.am",
                                        "tests/units.am", "bindings/bindings.am", "packaging/archive.am",
                                        "packaging/packaging.am")]


def make_list(name):
    """The files of a list of Makefile.am or of what it includes."""
    text = "\n".join(path.read_text() for path in MAKEFILES)
    found = re.search(rf"^{name} = \\\n((?:.*\\\n)*)  \$\(end\)$", text, re.M)
    if not found:
        sys.exit(f"Makefile.am: no list {name}")
    return found.group(1).replace("\\", " ").split()


def shared_library(name):
    """Path of a built shared library, or the end of the test where none is built."""
    path = BUILD / ".libs" / f"{name}.so.0"
    if not path.exists():
        print("skip: shared libraries are not built")
        sys.exit(77)
    return path
