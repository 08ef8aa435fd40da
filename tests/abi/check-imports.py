# SPDX-License-Identifier: MIT
"""librebalance imports nothing beyond a short list; the other libraries take buffers, so they may not reach for files,
sockets, clocks, the environment or the end of the process."""
import fnmatch
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common
import interface

REFUSED_TO_OTHERS = """
    _exit abort accept bind clock clock_gettime connect creat exit fdopen fopen* fork freopen getenv getrandom
    gettimeofday listen mmap open open64 openat perror popen pthread_create puts rand random recv secure_getenv send
    setlocale socket srand srandom strtod system time timespec_get __assert_fail __printf_chk printf
""".split()


def imports(path):
    lines = common.output([*common.NM, "-D", "--undefined-only", path]).splitlines()
    return [line.split()[-1].split("@")[0] for line in lines]


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def main():
    lines = (common.SOURCE / "tests/abi/allowed-imports.txt").read_text().splitlines()
    allowed = [line for line in lines if line and not line.startswith("#")]
    names = imports(common.shared_library("librebalance"))
    faults = [f"librebalance imports {name}" for name in names if not matches(name, allowed)]
    for _, library, _ in interface.libraries()[1:]:
        more = imports(common.shared_library(library))
        faults += [f"{library} imports {name}" for name in more if matches(name, REFUSED_TO_OTHERS)]
        names += more
    common.finish(faults, len(names))


main()
