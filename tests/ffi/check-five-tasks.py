# SPDX-License-Identifier: MIT
"""examples/five-tasks: the same five tasks in C, Python and Go print the same, and how to call them. README.md of
bindings/go: its blocks of Go are a program, which prints its blocks of text. README.md at the top: what its blocks of
Python and Go print is in the comment of their last lines."""
import os
import pathlib
import re
import sys
import tempfile

import go_binding

import common

sys.path.insert(0, str(common.SOURCE / "bindings/python"))
import check as python_binding

EXAMPLES = common.SOURCE / "examples"
FOLDER = EXAMPLES / "five-tasks"
# What a reader of the README at the top has around its block of Go.
HEAD = """package main

import (
	"context"
	"fmt"
	"os"

	"example.org/librebalance"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

var ctx = context.Background()
"""
FILES = [EXAMPLES / "tutorial/clusters.yaml", EXAMPLES / "tutorial/binding.yaml", EXAMPLES / "scenarios/tutorial.yaml"]


def in_c(folder):
    program = folder / "five-tasks"
    common.output([common.BUILD / "libtool", "--silent", "--tag=CC", "--mode=link", *common.CC, "-std=c11", "-Wall",
                   "-Wextra", "-Wpedantic", "-Werror", f"-I{common.INCLUDE}", "-o", program, FOLDER / "five-tasks.c",
                   *(common.BUILD / f"librebalance{name}.la" for name in ("-simulation", "-manifest", ""))])
    return [program]


def in_python(folder):
    package = folder / "python/librebalance"
    package.parent.mkdir()
    python_binding.build(package)
    return ["env", f"PYTHONPATH={package.parent}", sys.executable, FOLDER / "five-tasks.py"]


def in_go(folder):
    os.environ.update(go_binding.environment(folder))
    program = folder / "five-tasks-in-go"
    common.output(["go", "build", "-C", go_binding.FOLDER, "-o", program, (FOLDER / "five-tasks.go").resolve()])
    return [program]


def long_files(folder):
    """The same files after 70,000 bytes of comments."""
    paths = [folder / f"long-{path.parent.name}-{path.name}" for path in FILES]
    for path, original in zip(paths, FILES):
        path.write_text("# comment\n" * 7000 + original.read_text())
    return paths


def go_program(folder, head, blocks):
    """A program with a module of its own."""
    path = re.search(r"^module (.*)$", (go_binding.FOLDER / "go.mod").read_text(), re.M).group(1)
    module = folder / "go"
    module.mkdir()
    (module / "main.go").write_text(head + "\nfunc main() {\n" + "\n".join(blocks) + "}\n")
    (module / "go.mod").write_text(f"module readme\n\ngo 1.24\n\nrequire {path} v0.0.0\n\nreplace {path} => "
                                   f"{go_binding.FOLDER}\n")
    os.environ.update(go_binding.environment(folder))
    common.output(["go", "build", "-C", module, "-o", folder / "readme", "."])
    return [folder / "readme"]


def readme_faults(folder):
    text = (go_binding.FOLDER / "README.md").read_text()
    head, *blocks = re.findall(r"^```go\n(.*?)^```$", text, re.M | re.S)
    program = go_program(folder, head, blocks)
    os.chdir(go_binding.SOURCE)
    code, printed = common.run(program)
    wanted = "".join(re.findall(r"^```text\n(.*?)^```$", text, re.M | re.S))
    return [] if not code and printed == wanted else [f"README.md: exit {code}, printed\n{printed}instead of\n{wanted}"]


def front_faults(folder):
    """The blocks of Python and Go of the README at the top, run in examples/tutorial."""
    text = (common.SOURCE / "README.md").read_text()
    [python], [go] = (re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S) for language in ("python", "go"))
    package = folder / "python/librebalance"
    package.parent.mkdir()
    python_binding.build(package)
    programs = ((python, ["env", f"PYTHONPATH={package.parent}", sys.executable, "-c", python]),
                (go, go_program(folder, HEAD, [go])))
    place = ["sh", "-c", 'cd "$0" && exec "$@"', EXAMPLES / "tutorial"]
    for block, command in programs:
        wanted = re.search(r" (?:#|//) ([^\n]*)\n\Z", block).group(1)
        code, printed = common.run([*place, *command])
        if code or printed != wanted + "\n":
            yield f"README.md: exit {code}, printed\n{printed}instead of\n{wanted}"


def main():
    go_binding.need_go()
    wanted, faults = (FOLDER / "five-tasks.txt").read_text(), []
    for build in (in_c, in_python, in_go):
        with tempfile.TemporaryDirectory() as name:
            program = build(pathlib.Path(name))
            code, printed = common.run([*program, *FILES])
            if code or printed != wanted:
                faults.append(f"{build.__name__}: exit {code}, printed\n{printed}instead of\n{wanted}")
            code, printed = common.run([*program, *long_files(pathlib.Path(name))])
            if code or printed != wanted:
                faults.append(f"{build.__name__}: with long files exit {code}, printed\n{printed}instead of\n{wanted}")
            code, printed = common.run([*program, *FILES[:2]])
            if not code or printed != "usage: five-tasks CLUSTERS BINDING STORY\n":
                faults.append(f"{build.__name__}: without a story exit {code}, printed\n{printed}")
    with tempfile.TemporaryDirectory() as name:
        faults += front_faults(pathlib.Path(name))
    with tempfile.TemporaryDirectory() as name:
        faults += readme_faults(pathlib.Path(name))
    common.finish(faults, 12)


main()
