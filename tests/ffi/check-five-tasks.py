# SPDX-License-Identifier: MIT
"""examples/five-tasks: the same five tasks in C, Python and Go print the same."""
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
    path = re.search(r"^module (.*)$", (go_binding.FOLDER / "go.mod").read_text(), re.M).group(1)
    module = folder / "go"
    module.mkdir()
    (module / "main.go").write_text((FOLDER / "five-tasks.go").read_text())
    (module / "go.mod").write_text(f"module five-tasks\n\ngo 1.24\n\nrequire {path} v0.0.0\n\nreplace {path} => "
                                   f"{go_binding.FOLDER}\n")
    os.environ.update(go_binding.environment(folder))
    common.output(["go", "build", "-C", module, "-o", folder / "five-tasks-in-go", "."])
    return [folder / "five-tasks-in-go"]


def main():
    go_binding.need_go()
    wanted, faults = (FOLDER / "five-tasks.txt").read_text(), []
    with tempfile.TemporaryDirectory() as name:
        for build in (in_c, in_python, in_go):
            code, printed = common.run([*build(pathlib.Path(name)), *FILES])
            if code or printed != wanted:
                faults.append(f"{build.__name__}: exit {code}, printed\n{printed}instead of\n{wanted}")
    common.finish(faults, 3)


main()
