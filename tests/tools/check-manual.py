# SPDX-License-Identifier: MIT
"""Runs the examples of rebalancectl(1) in examples/tutorial, or where a "cd" among them leads, and compares what they
print with the page. The page has an item for every verb of the tool's help, and names every option; README.md lists
the verbs."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

PAGE = common.SOURCE / "man/rebalancectl.1"
TOOL = common.BUILD / "rebalancectl"


def unescape(text):
    """Returns the text that a literal block displays."""
    return re.sub(r"\\(.)", lambda found: {"e": "\\", "-": "-", "&": ""}.get(found[1], found[0]), text)


def examples():
    """(command, expected output) of each "$ command" of the literal blocks."""
    for block in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", PAGE.read_text(), re.M | re.S):
        for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            yield unescape(command), unescape(printed)


def run(command, before=""):
    script = 'rebalancectl() { "$REBALANCECTL" "$@"; }\n' + before + command
    done = subprocess.run(["sh", "-c", script], cwd=common.SOURCE / "examples/tutorial", text=True, timeout=120,
                          env={**os.environ, "REBALANCECTL": str(TOOL)}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return done.stdout


def listed_verbs():
    """Returns the verbs that the tool's help lists."""
    return re.findall(r"^  (\w+) ", run("rebalancectl --help").split("Verbs:")[1].split("Options:")[0], re.M)


def words(verbs):
    """Verbs with the macro of their item, and options, as the tool's help lists them."""
    for verb in verbs:
        text = run(f"rebalancectl {verb} --help")
        yield f".It Cm {verb}"
        yield from re.findall(r"--([\w-]+)", text.split("Options:")[1].split("Compatibility options:")[0])
        if "Compatibility options:" in text:
            yield from re.findall(r"^  ([\w-]+)  ", text.split("Compatibility options:")[1], re.M)


def main():
    if not TOOL.exists():
        print("skip: rebalancectl is not built")
        sys.exit(77)
    checked, faults, before = 0, [], ""
    for command, printed in examples():
        checked += 1
        got = run(command, before)
        before += f"{command}\n" if command.startswith("cd ") else ""
        if got != printed:
            faults.append(f"{command}\nprints\n{got}instead of\n{printed}")
    if not checked:
        faults.append("no example found")
    page, verbs = unescape(PAGE.read_text()), listed_verbs()
    for word in sorted(set(words(verbs))):
        checked += 1
        if not re.search(rf"(?<!\w)(?<!\w-){re.escape(word)}(?![\w-])", page):
            faults.append(f"rebalancectl(1) does not name {word}")
    row = re.search(r"^\| rebalancectl \| ((?:`\w+`(?:, )?)*)", (common.SOURCE / "README.md").read_text(), re.M)
    readme = re.findall(r"\w+", row.group(1)) if row else []
    if sorted(readme) != sorted(verbs):
        faults.append(f"README.md lists the verbs {' '.join(readme)}, rebalancectl --help {' '.join(verbs)}")
    common.finish(faults, checked + 1)


main()
