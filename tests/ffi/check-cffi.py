# SPDX-License-Identifier: MIT
"""The tutorial through cffi: declarations are what the preprocessor makes of the headers, nothing is written twice."""
import pathlib
import re
import sys
import sysconfig
import tempfile

import foreign

import common

try:
    import cffi
except ImportError:
    common.skip("the tutorial from Python needs cffi")


def declarations(folder):
    """The public headers after the preprocessor. Those of libc are empty: cffi has their types. The compiler evaluates
    constants that are macros."""
    for name in ("stddef.h", "stdint.h"):
        (folder / name).touch()
    preprocess = [*common.CC, "-E", "-P", "-nostdinc", f"-I{folder}", "-DREBAL_NO_EXPORT=",
                  common.INCLUDE / "rebalance/rebalance.h"]
    constants = re.findall(r"^#define (REBAL_\w+) (?:\d+|U?INT\d+_M\w+)$", common.output([*preprocess, "-dM"]), re.M)
    return common.output(preprocess) + "".join(f"#define {name} ...\n" for name in constants)


def compile_module(folder):
    """_rebalance: a compiled module, so that the compiler checks every declaration against the headers."""
    python = sysconfig.get_paths()["include"]
    if not pathlib.Path(python, "Python.h").exists():
        common.skip("the tutorial from Python needs Python.h (python3-dev)")
    ffi = cffi.FFI()
    ffi.cdef(declarations(folder))
    ffi.set_source("_rebalance", "#include <rebalance/rebalance.h>")
    ffi.emit_c_code(str(folder / "_rebalance.c"))
    common.output([*common.CC, "-shared", "-fPIC", f"-I{common.INCLUDE}", f"-I{python}", folder / "_rebalance.c", "-o",
                   folder / f"_rebalance{sysconfig.get_config_var('EXT_SUFFIX')}", *foreign.link_flags()])


def main():
    foreign.link_flags()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compile_module(folder)
        foreign.compare([sys.executable, common.SOURCE / "tests/ffi/tutorial.py"], {"PYTHONPATH": name})


main()
