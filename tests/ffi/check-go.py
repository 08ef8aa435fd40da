# SPDX-License-Identifier: MIT
"""bindings/go: formatted, vetted, and its tests, also under the race detector and with all checks of cgo. No function
of the library keeps a pointer of the caller or calls back: each one that is called is declared so to cgo."""
import os
import re
import tempfile

import go_binding

import common

# Variables and arguments of each way to run the tests.
RUNS = (({}, ()), ({}, ("-race",)), ({"GOEXPERIMENT": "cgocheck2"}, ()))


def undeclared(path):
    """Functions of C that a file calls and does not declare noescape and nocallback, and the other way round."""
    preamble, _, text = path.read_text().partition('import "C"')
    called = set(re.findall(r"\bC\.((?:rebal|librebalance_go)_\w+)\(", text))
    declared = [set(re.findall(rf"^// #cgo {word} (\w+)$", preamble, re.M)) for word in ("noescape", "nocallback")]
    return [f"{path.name}: {name}: #cgo noescape and nocallback"
            for name in sorted(called ^ (declared[0] & declared[1]))]


def main():
    go_binding.need_go()
    with tempfile.TemporaryDirectory() as folder:
        environment = go_binding.environment(folder)
        os.environ.update(environment)
        os.chdir(go_binding.FOLDER)
        faults = [f"bindings/go/{name}: not formatted by gofmt" for name in common.output(["gofmt", "-l", "."]).split()]
        faults += [fault for path in sorted(go_binding.FOLDER.glob("*.go")) if not path.name.endswith("_test.go")
                   for fault in undeclared(path)]
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
