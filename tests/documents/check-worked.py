# SPDX-License-Identifier: MIT
"""Recomputes the worked examples of the manual pages in section 7. A literal display with lines that start with "$ " is
a session in examples/pages: "$ cat FILE" shows a file without its SPDX line, "$ rebalancectl ..." is run. The lines
after a command must equal its output byte for byte; --write puts it there. A page that has sessions must show at least
one command of the tool, and each file of examples/pages must be used by a page."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import manual

import common

FILES = common.SOURCE / "examples/pages"
TOOL = common.BUILD / "rebalancectl"
DISPLAY = re.compile(r"^\.Bd -literal.*\n((?:(?!\.Ed$).*\n)*)\.Ed$", re.M)
# A command ends where its line does not end with a backslash; its output ends at the next command.
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.M)
SPDX = re.compile(r"\A# SPDX-License-Identifier: MIT\n")


def sessions(page_text):
    """(command, shown output) of each command of a page."""
    for found in DISPLAY.finditer(page_text):
        yield from COMMAND.findall(manual.plain(found.group(1)))


def words(command):
    return re.findall(r"[\w./-]+", command)


def outcome(command, folder):
    """What the command prints, and a fault of its own."""
    verb, *rest = words(command)
    if verb == "cat":
        return "".join(SPDX.sub("", (folder / name).read_text()) for name in rest), None
    if verb != "rebalancectl":
        return "", "expected a command of rebalancectl, or cat"
    # 1 is an answer: something does not fit, or does not hold.
    done = subprocess.run(["sh", "-c", command], cwd=folder, text=True, timeout=120, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout, None if done.returncode in (0, 1) else f"exit {done.returncode}, {done.stdout}"


def escaped(text):
    """Output as the lines of a literal display."""
    return re.sub(r"^(?=[.'])", r"\\&", text.replace("\\", "\\e"), flags=re.M)


def write(page, folder):
    """Puts the output of each command into the page."""
    def with_output(found):
        printed, fault = outcome(manual.plain(found.group(1)), folder)
        if fault:
            sys.exit(f"man/{page.name}: $ {found.group(1)}: {fault}")
        return f"$ {found.group(1)}\n{escaped(printed)}"

    def with_outputs(found):
        return found.group(0).replace(found.group(1), COMMAND.sub(with_output, found.group(1)))
    page.write_text(DISPLAY.sub(with_outputs, page.read_text()))


def check(page, folder):
    """(number of commands, files used, faults) of a page."""
    shown, used, faults = list(sessions(page.read_text())), set(), []
    for command, expected in shown:
        used.update(name for name in words(command) if (folder / name).is_file())
        missing = [name for name in words(command)
                   if re.search(r"\.(ya?ml|jsonl?)$", name) and not (folder / name).is_file()]
        printed, fault = ("", f"no file {missing[0]}") if missing else outcome(command, folder)
        if fault is None and printed != expected:
            fault = f"prints\n{printed}instead of\n{expected}"
        if fault:
            faults.append(f"man/{page.name}: $ {command}: {fault}")
    if shown and not any(command.startswith("rebalancectl ") for command, _ in shown):
        faults.append(f"man/{page.name}: no command of rebalancectl is shown")
    return len(shown), used, faults


def main():
    if not TOOL.exists():
        print("skip: rebalancectl is not built")
        sys.exit(77)
    checked, used, faults = 0, set(), []
    names = [word for word in sys.argv[1:] if word != "--write"]
    wanted = names or [page.name for page in manual.pages() if page.suffix == ".7"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "pages"
        shutil.copytree(FILES, folder)
        (folder.parent / "bin").mkdir()
        (folder.parent / "bin/rebalancectl").symlink_to(TOOL.resolve())
        os.environ["PATH"] = f"{folder.parent}/bin:{os.environ['PATH']}"
        for page in manual.pages():
            if page.name in wanted:
                if "--write" in sys.argv[1:]:
                    write(page, folder)
                count, shown, found = check(page, folder)
                checked, used, faults = checked + count, used | shown, faults + found
    if not names:
        faults += [f"examples/pages/{path.name} is used by no page"
                   for path in sorted(FILES.iterdir()) if path.name not in used]
    common.finish(faults, checked)


main()
