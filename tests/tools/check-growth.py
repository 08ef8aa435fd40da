# SPDX-License-Identifier: MIT
"""Four times as much of one thing takes about four times the instructions of rebalancectl, not sixteen times."""
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

SMALL, LARGE = 1000, 4000
MOST = 6.5  # times as many instructions, beyond those of an input of one; n log n takes 4.8
POLICY = {"apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagationPolicy", "metadata": {"name": "p"}}
SELECTORS = [{"apiVersion": "apps/v1", "kind": "Deployment"}]


def unknown_members(n):
    return json.dumps({**POLICY, "spec": {"resourceSelectors": SELECTORS, **{f"zz{i}": 1 for i in range(n)}}})


def documents(n):
    return "---\na: 1\n" * n


CASES = {"validate, unknown members": (("validate", "-"), unknown_members),
         "validate, documents": (("validate", "-"), documents)}


def count(arguments, text):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        code, printed = common.run([common.BUILD / "libtool", "--mode=execute", "valgrind", "--tool=callgrind",
                                    "--quiet", f"--callgrind-out-file={out}", common.BUILD / "rebalancectl",
                                    *arguments], text)
        if code not in (0, 1) or not out.exists():
            sys.exit(f"{arguments}: exit {code}\n{printed[:400]}")
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)[1])


def main():
    if common.run(["valgrind", "--version"])[0]:
        common.skip("valgrind not found")
    faults = []
    for name, (arguments, make) in CASES.items():
        one, small, large = (count(arguments, make(n)) for n in (1, SMALL, LARGE))
        grown = (large - one) / (small - one)
        print(f"{name}: {grown:.1f} times")
        if grown > MOST:
            faults.append(f"{name}: {LARGE // SMALL} times as many take {grown:.1f} times the instructions")
    common.finish(faults, len(CASES))


main()
