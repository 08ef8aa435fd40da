# SPDX-License-Identifier: MIT
"""The source of librebalance._native: declarations are what the preprocessor makes of the installed headers, nothing is
written twice."""
import contextlib
import pathlib
import re
import subprocess

import cffi

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = ("rebalance", "detector", "document", "manifest", "scheduling", "simulation", "watch")
INCLUDES = "".join(f"#include <rebalance/{name}.h>\n" for name in HEADERS)
#: The interface of Python 3.9 and all later versions.
LIMITED_MACROS = [("Py_LIMITED_API", "0x03090000")]


def preprocessed(command, *more):
    return subprocess.run([*map(str, command), *more, "-"], input=INCLUDES, text=True, stdout=subprocess.PIPE,
                          check=True).stdout


def declarations(folder, compiler, include_dirs):
    """The public headers after the preprocessor; those of libc are empty here, cffi knows their types. Constants that
    are macros are left to the compiler."""
    for name in ("stddef.h", "stdint.h"):
        (folder / name).touch()
    command = [*compiler, "-E", "-P", "-nostdinc", f"-I{folder}", "-DREBAL_NO_EXPORT=",
               *(f"-I{path}" for path in include_dirs)]
    macros = re.findall(r"^#define (REBAL_\w+) (?:\d+|(?:SIZE|U?INT\d+)_M\w+)$", preprocessed(command, "-dM"), re.M)
    return preprocessed(command) + "".join(f"#define {name} ...\n" for name in sorted(macros))


def write_source(folder, compiler, include_dirs):
    """Writes _native.c into a folder that is there, and returns its path."""
    ffi = cffi.FFI()
    arrow = (HERE / "arrow.h").read_text()
    ffi.cdef(declarations(folder, compiler, include_dirs) + arrow)
    ffi.set_source("librebalance._native", INCLUDES + arrow + (HERE / "arrow.c").read_text())
    path = folder / "_native.c"
    with contextlib.redirect_stdout(None):
        ffi.emit_c_code(str(path))
    return path
