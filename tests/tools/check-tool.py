# SPDX-License-Identifier: MIT
"""
Runs the cases of tests/data/tool: a folder is a case, and README.md there has a line with its reason. --bless records
the present output as expected; names of cases limit the run.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

CASES = common.SOURCE / "tests/data/tool"
EXAMPLES = common.SOURCE / "examples"
TOOL = common.BUILD / "rebalancectl"
RESULTS = ("stdout", "stderr", "exit")


def make_folder(case, folder):
    """
    Fills the folder of a case: its own files, and those of examples/tutorial, examples/scenarios and examples/spread.
    """
    for path in case.iterdir():
        if path.name not in (*RESULTS, "command", "needs"):
            shutil.copy(path, folder)
    for name in ("tutorial", "scenarios", "spread"):
        shutil.copytree(EXAMPLES / name, folder / name)


def run(case):
    """Returns {result: text} of a case's command, a line of shell in which rebalancectl is the tool."""
    script = 'rebalancectl() { "$REBALANCECTL" "$@"; }\n' + (case / "command").read_text()
    with tempfile.TemporaryDirectory() as folder:
        make_folder(case, pathlib.Path(folder))
        done = subprocess.run(["sh", "-c", script], cwd=folder, env={**os.environ, "REBALANCECTL": str(TOOL)},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                              check=False)
    return {"stdout": done.stdout.decode(errors="backslashreplace"),
            "stderr": done.stderr.decode(errors="backslashreplace"), "exit": f"{done.returncode}\n"}


def expected(case, name):
    """Returns the expected result. Without a file: nothing printed, exit 0."""
    path = case / name
    return path.read_text() if path.exists() else {"exit": "0\n"}.get(name, "")


def bless(case, results):
    for name, text in results.items():
        path = case / name
        path.unlink(missing_ok=True)
        if text not in ("", "0\n"):
            path.write_text(text)


def compare(case, results):
    faults = [f"{case.name}: {name} is\n{results[name]}instead of\n{expected(case, name)}" for name in RESULTS
              if results[name] != expected(case, name)]
    # In every case a refused input leaves standard output empty and has a reason on standard error.
    if results["exit"] in ("2\n", "3\n") and (results["stdout"] or not results["stderr"]):
        faults.append(f"{case.name}: a refusal belongs on standard error, and nowhere else")
    return faults


def readme_faults(cases):
    """Every case has its line, every line its case."""
    listed = re.findall(r"^- `([\w-]+)`: \S", (CASES / "README.md").read_text(), re.M)
    names = [case.name for case in cases]
    return [f"{name}: no line such as \"- `{name}`: why\" in tests/data/tool/README.md"
            for name in names if name not in listed] + \
           [f"tests/data/tool/README.md lists {name}, which is not a case" for name in listed if name not in names] + \
           ([] if listed == sorted(listed) else ["tests/data/tool/README.md: lines are not sorted"])


def main():
    words = [word for word in sys.argv[1:] if word != "--bless"]
    if not TOOL.exists():
        print("skip: rebalancectl is not built")
        sys.exit(77)
    cases = sorted(path for path in CASES.iterdir() if path.is_dir())
    faults, checked = readme_faults(cases), 0
    for case in cases:
        needs = case / "needs"
        if (words and case.name not in words) or (needs.exists() and not os.path.exists(needs.read_text().strip())):
            continue
        results = run(case)
        if "--bless" in sys.argv[1:]:
            bless(case, results)
        faults += compare(case, results)
        checked += 1
    common.finish(faults, checked)


main()
