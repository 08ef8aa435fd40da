# SPDX-License-Identifier: MIT
"""The parts of bindings/go that need modules: staticcheck, and the controller in examples/rebalancer with its tests.
A part of make check-bindings."""
import os
import pathlib
import re
import tempfile

import go_binding

import common

CONTROLLER = go_binding.FOLDER / "examples/rebalancer"
TOOLS = go_binding.FOLDER / "tools"


def main():
    go_binding.need_go((1, 26))
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(go_binding.environment(folder, fetches=True))
        checker = pathlib.Path(folder, "staticcheck")
        common.output(["go", "-C", TOOLS, "build", "-o", checker, "honnef.co/go/tools/cmd/staticcheck"])
        faults, checked = [], 0
        for place in (go_binding.FOLDER, go_binding.FOLDER / "bench", CONTROLLER):
            os.chdir(place)
            faults += [f"gofmt: {name}" for name in common.output(["gofmt", "-l", "."]).split()]
            common.output(["go", "vet", "./..."])
            code, printed = common.run([checker, "./..."])
            faults += printed.splitlines() if code else []
            checked += 1
        code, printed = common.run(["go", "test", "-v", "-count=1", "."])
        checked += len(re.findall(r"^--- PASS", printed, re.M))
        faults += [printed[-6000:]] if code else []
    common.finish(faults, checked)


main()
