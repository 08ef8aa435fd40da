# SPDX-License-Identifier: MIT
"""Every program in an EXAMPLES section of a manual page, and in README.md, compiles without a warning and runs. If the
text continues with "It prints:" or "prints" and a block, it prints that. So do the commands of README.md."""
import os
import pathlib
import re
import shutil
import sys
import tempfile

import manual

import common
import interface

FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
LITERAL = r"^\.Bd -literal.*\n((?:(?!\.Ed).*\n)*)\.Ed$"
PRINTS = r"\n(?:\.Pp\n)?It prints:\n"


def from_page(text):
    """[(program, expected output or None)] of a page's EXAMPLES."""
    section = re.search(r"^\.Sh EXAMPLES\n(.*?)(?=^\.Sh |\Z)", text, re.M | re.S)
    programs = []
    for found in re.finditer(LITERAL, section.group(1) if section else "", re.M):
        if "int main(" in found.group(1):
            rest = section.group(1)[found.end():]
            output = re.match(rf"{PRINTS}{LITERAL}", rest, re.M)
            programs.append((manual.plain(found.group(1)), manual.plain(output.group(1)) if output else None))
    return programs


def from_readme(text):
    found = re.findall(r"```c\n(.*?)```(?:\s*[^\n`]*prints[^\n`]*\n+```text\n(.*?)```)?", text, re.S)
    return [(program, output or None) for program, output in found]


def compiler_flags():
    """CFLAGS and LDFLAGS of the build: a library with sanitizers requires programs with them."""
    makefile = (common.BUILD / "Makefile").read_text()
    return [word for name in ("CFLAGS", "LDFLAGS")
            for word in re.search(rf"^{name} = (.*)$", makefile, re.M).group(1).split()]


def libraries_of(program):
    """What a program links, by the headers that it includes; each library before those that it is built on."""
    last = interface.library_of(re.findall(r"<(rebalance/\w+\.h)>", program))
    built_on = [library for _, library in interface.LIBRARIES]
    return [f"{library}.la" for library in reversed(built_on[:built_on.index(last) + 1])]


def run_program(program, folder):
    """(what went wrong or None, output)"""
    source, binary = folder / "example.c", folder / "example"
    source.write_text(program)
    libraries = libraries_of(program)
    code, text = common.run([common.BUILD / "libtool", "--silent", "--tag=CC", "--mode=link", *common.CC, *FLAGS,
                             *compiler_flags(), f"-I{common.INCLUDE}", "-o", binary, source,
                             *(common.BUILD / library for library in libraries)])
    if code:
        return f"does not compile:\n{text}", ""
    code, text = common.run([binary])
    return (f"exit {code}:\n{text}" if code else None), text


def check(name, programs):
    for number, (program, expected) in enumerate(programs, 1):
        with tempfile.TemporaryDirectory() as folder:
            fault, printed = run_program(program, pathlib.Path(folder))
        if fault is None and printed != (expected or ""):
            fault = f"prints\n{printed}instead of\n{expected or ''}"
        if fault:
            yield f"{name}: example {number} {fault}"


def console(text):
    """[(command, output)] of the blocks that show the command line."""
    return [(command, output) for block in re.findall(r"```console\n(.*?)```", text, re.S)
            for command, output in re.findall(r"^\$ (.*)\n((?:[^$\n].*\n)*)", block, re.M)]


def check_console(pairs):
    """Commands run one after another, as a reader types them; in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        # A clone as ./quickstart leaves it: the examples, and the tool in build/.
        (pathlib.Path(folder) / "build").symlink_to(common.BUILD)
        shutil.copytree(common.SOURCE / "examples", pathlib.Path(folder) / "examples")
        before = f"cd '{folder}'\n"
        for command, expected in pairs:
            code, printed = common.run(["sh", "-c", f"{before}{command}"])
            if code or printed != expected:
                yield f"README.md: {command}: exit {code}, prints\n{printed}instead of\n{expected}"
            before += command + "\n" if command.startswith("cd ") else ""


def main():
    os.environ["ASAN_OPTIONS"] = "allocator_may_return_null=1"
    sources = [(f"man/{page.name}", from_page(page.read_text())) for page in manual.pages()]
    sources.append(("README.md", from_readme((common.SOURCE / "README.md").read_text())))
    wanted = sys.argv[1:]
    faults, checked = [], 0
    for name, programs in sources:
        if not common.WITH_MANIFEST:
            programs = [pair for pair in programs if libraries_of(pair[0]) == ["librebalance.la"]]
        if not wanted or name in wanted:
            faults += check(name, programs)
            checked += len(programs)
    commands = console((common.SOURCE / "README.md").read_text())
    if (common.BUILD / "rebalancectl").exists() and not wanted:
        faults += check_console(commands)
        checked += len(commands)
    common.finish(faults, checked)


main()
