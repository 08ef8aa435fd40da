# SPDX-License-Identifier: MIT
"""Shared by the tutorials in other languages: flags to link, and the expected output."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common


def link_flags():
    """Flags for the built shared library. The runtime of a sanitizer must be the first in a process; here it is not."""
    library = common.shared_library("librebalance")
    if "__asan_" in common.output([*common.NM, "-D", "--undefined-only", library]):
        print("skip: foreign callers and a library with sanitizers")
        sys.exit(77)
    return [str(library), f"-Wl,-rpath,{library.parent}"]


def compare(command, environment):
    """Ends the test: does the program print tutorial.txt?"""
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    wanted = (common.SOURCE / "tests/ffi/tutorial.txt").read_text()
    faults = [] if done.returncode == 0 and done.stdout == wanted else [
        f"exit {done.returncode}, printed\n{done.stdout}instead of\n{wanted}"]
    common.finish(faults, len(wanted.splitlines()))
