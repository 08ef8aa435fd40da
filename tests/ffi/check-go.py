# SPDX-License-Identifier: MIT
"""bindings/go: formatted, vetted, and its tests, also under the race detector and with all checks of cgo."""
import os
import re
import tempfile

import go_binding

import common

# Variables and arguments of each way to run the tests.
RUNS = (({}, ()), ({}, ("-race",)), ({"GOEXPERIMENT": "cgocheck2"}, ()))


def main():
    go_binding.need_go()
    with tempfile.TemporaryDirectory() as folder:
        environment = go_binding.environment(folder)
        os.environ.update(environment)
        os.chdir(go_binding.FOLDER)
        faults = [f"bindings/go/{name}: not formatted by gofmt" for name in common.output(["gofmt", "-l", "."]).split()]
        common.output(["go", "vet", "./..."])
        checked = 0
        for variables, arguments in RUNS:
            os.environ.update(variables)
            code, printed = common.run(["go", "test", "-v", "-count=1", *arguments, "./..."])
            checked += len(re.findall(r"^--- PASS", printed, re.M))
            if code:
                name = " ".join(["go test", *arguments, *map("=".join, variables.items())])
                faults.append(f"{name}: {printed[-6000:]}")
    common.finish(faults, checked)


main()
