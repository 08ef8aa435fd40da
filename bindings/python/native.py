# SPDX-License-Identifier: MIT
"""The source of librebalance._native: declarations are what the preprocessor makes of the installed headers, nothing is
written twice."""
import contextlib
import pathlib
import re
import subprocess

import cffi

HERE = pathlib.Path(__file__).resolve().parent
#: The interface of Python 3.9 and all later versions.
LIMITED_MACROS = [("Py_LIMITED_API", "0x03090000")]


def includes(include_dirs):
    """The lines that include every public header of the library that is found."""
    places = [pathlib.Path(path, "rebalance") for path in [*include_dirs, "/usr/local/include", "/usr/include"]]
    place = next((one for one in places if (one / "rebalance.h").exists()), None)
    if place is None:
        raise FileNotFoundError(f"rebalance/rebalance.h is in none of {', '.join(map(str, places))}")
    return "".join(f"#include <rebalance/{header.name}>\n" for header in sorted(place.glob("*.h")))


def preprocessed(text, command, *more):
    return subprocess.run([*map(str, command), *more, "-"], input=text, text=True, stdout=subprocess.PIPE,
                          check=True).stdout


def declarations(text, folder, compiler, include_dirs):
    """The public headers after the preprocessor; those of libc are empty here, cffi has their types. Constants that
    are macros are left to the compiler."""
    for name in ("stddef.h", "stdint.h"):
        (folder / name).touch()
    command = [*compiler, "-E", "-P", "-nostdinc", f"-I{folder}", "-DREBAL_NO_EXPORT=",
               *(f"-I{path}" for path in include_dirs)]
    macros = re.findall(r"^#define (REBAL_\w+) (?:\d+|(?:SIZE|U?INT\d+)_M\w+)$", preprocessed(text, command, "-dM"),
                        re.M)
    return preprocessed(text, command) + "".join(f"#define {name} ...\n" for name in sorted(macros))


def write_source(folder, compiler, include_dirs):
    """Writes _native.c into an existing folder, and returns its path."""
    text, arrow, ffi = includes(include_dirs), (HERE / "arrow.h").read_text(), cffi.FFI()
    ffi.cdef(declarations(text, folder, compiler, include_dirs) + arrow)
    ffi.set_source("librebalance._native", text + arrow + (HERE / "arrow.c").read_text())
    path = folder / "_native.c"
    with contextlib.redirect_stdout(None):
        ffi.emit_c_code(str(path))
    return path
