# SPDX-License-Identifier: MIT
"""Public headers compile alone, twice, and in any order, as C11 and as C++17, without a warning."""
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "abi"))
import common
import interface

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wundef", "-Werror"]


def orders(headers):
    """Each alone and repeated; all in order, reversed, and with each one first."""
    yield from ([header, header] for header in headers)
    yield list(reversed(headers))
    for index in range(len(headers)):
        yield headers[index:] + headers[:index]


def compile_headers(compiler, language, standard, headers):
    source = "".join(f"#include <{header}>\n" for header in headers) + "extern int nothing;\n"
    return common.run([*compiler, "-x", language, standard, *WARNINGS, "-fsyntax-only", f"-I{common.INCLUDE}", "-"],
                      source)


def main():
    headers = interface.all_headers()
    on_disk = {f"rebalance/{path.name}" for path in (common.INCLUDE / "rebalance").glob("*.h")}
    faults = [f"{header}: not in a list of Makefile.am" for header in sorted(on_disk - set(headers))]
    languages = [(common.CC, "c", "-std=c11")]
    cxx_found = shutil.which(common.CXX[0]) is not None
    if cxx_found:
        languages.append((common.CXX, "c++", "-std=c++17"))
    checked = 0
    for compiler, language, standard in languages:
        for order in orders(headers):
            code, text = compile_headers(compiler, language, standard, order)
            checked += 1
            if code:
                faults.append(f"{language}: {' '.join(order)}:\n{text}")
    if not faults and not cxx_found:
        common.skip("headers as C++17 need a C++ compiler")
    common.finish(faults, checked)


main()
