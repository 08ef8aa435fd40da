# SPDX-License-Identifier: MIT
"""Recomputes the worked examples of the manual pages in section 7. A literal display with lines that start with "$ " is
a session: "$ cat FILE" shows a file without its SPDX line, "$ rebalancectl ..." is run, and so are diff, grep and sed.
The lines after a command must equal its output byte for byte; --write puts it there. A session begins in
examples/pages; "$ cd FOLDER", from the top of the tree, leads to another of FOLDERS for the rest of the page.
The one exception: "$ kubectl ... > FILE" is not run, since it needs an API server; it shows no output, and FILE must
exist. A page that has sessions must show at least one command of the tool, and each file of FOLDERS must be used by a
page."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import manual

import common

FOLDERS = ("examples/pages", "examples/fleet")
RUN = ("diff", "grep", "rebalancectl", "sed")
TOOL = common.BUILD / "rebalancectl"
DISPLAY = re.compile(r"^\.Bd -literal.*\n((?:(?!\.Ed$).*\n)*)\.Ed$", re.M)
# A command ends where its line does not end with a backslash, as it is in the page or plain, or a pipe; its output ends
# at the next command.
COMMAND = re.compile(r"^\$ ((?:.*(?:\\e?|\|)\n)*.*)\n((?:(?!\$ ).*\n)*)", re.M)
SPDX = re.compile(r"\A# SPDX-License-Identifier: MIT\n")


def sessions(page_text):
    """(command, shown output) of each command of a page."""
    for found in DISPLAY.finditer(page_text):
        yield from COMMAND.findall(manual.plain(found.group(1)))


def words(command):
    return re.findall(r"[\w./-]+", command)


class Session:
    """The sessions of one page, in copies of FOLDERS below top."""

    def __init__(self, top):
        self.top, self.folder, self.used = top, FOLDERS[0], set()

    def path(self, name):
        return self.top / self.folder / name

    def outcome(self, command):
        """What the command prints, and a fault of its own."""
        verb, *rest = words(command)
        missing = [name for name in rest if re.search(r"\.(ya?ml|jsonl?)$", name) and not self.path(name).is_file()]
        if missing:
            return "", f"no file {missing[0]}"
        self.used.update(f"{self.folder}/{name}" for name in rest if self.path(name).is_file())
        if verb == "kubectl":
            return "", None if re.search(r" > \S+$", command) else "expected \"> FILE\" at the end"
        if verb == "cd":
            if rest not in [[folder] for folder in FOLDERS]:
                return "", f"expected one of {', '.join(FOLDERS)}"
            self.folder = rest[0]
            return "", None
        if verb == "cat":
            return "".join(SPDX.sub("", self.path(name).read_text()) for name in rest), None
        if verb not in RUN:
            return "", f"expected a command of {', '.join(RUN)}, or cat, cd or kubectl"
        return self.run(command)

    def run(self, command):
        # 1 is an answer: something does not fit, or does not hold, or files differ.
        done = subprocess.run(["sh", "-c", command], cwd=self.path(""), text=True, timeout=120, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout, None if done.returncode in (0, 1) else f"exit {done.returncode}, {done.stdout}"


def escaped(text):
    """Output as the lines of a literal display."""
    return re.sub(r"^(?=[.'])", r"\\&", text.replace("\\", "\\e"), flags=re.M)


def write(page, session):
    """Puts the output of each command into the page."""
    def with_output(found):
        printed, fault = session.outcome(manual.plain(found.group(1)))
        if fault:
            sys.exit(f"man/{page.name}: $ {found.group(1)}: {fault}")
        return f"$ {found.group(1)}\n{escaped(printed)}"

    def with_outputs(found):
        return found.group(0).replace(found.group(1), COMMAND.sub(with_output, found.group(1)))
    page.write_text(DISPLAY.sub(with_outputs, page.read_text()))


def check(page, session):
    """(number of commands, faults) of a page."""
    shown, faults = list(sessions(page.read_text())), []
    for command, expected in shown:
        printed, fault = session.outcome(command)
        if fault is None and printed != expected:
            fault = f"prints\n{printed}instead of\n{expected}"
        if fault:
            faults.append(f"man/{page.name}: $ {command}: {fault}")
    if shown and not any(re.search(r"\brebalancectl ", command) for command, _ in shown):
        faults.append(f"man/{page.name}: no command of rebalancectl is shown")
    return len(shown), faults


def main():
    if not TOOL.exists():
        print("skip: rebalancectl is not built")
        sys.exit(77)
    checked, used, faults = 0, set(), []
    names = [word for word in sys.argv[1:] if word != "--write"]
    wanted = names or [page.name for page in manual.pages() if page.suffix == ".7"]
    with tempfile.TemporaryDirectory() as temporary:
        top = pathlib.Path(temporary)
        for folder in FOLDERS:
            shutil.copytree(common.SOURCE / folder, top / folder)
        (top / "bin").mkdir()
        (top / "bin/rebalancectl").symlink_to(TOOL.resolve())
        os.environ["PATH"] = f"{top}/bin:{os.environ['PATH']}"
        for page in manual.pages():
            if page.name in wanted:
                if "--write" in sys.argv[1:]:
                    write(page, Session(top))
                session = Session(top)
                count, found = check(page, session)
                checked, used, faults = checked + count, used | session.used, faults + found
    if not names:
        files = [f"{folder}/{path.name}" for folder in FOLDERS for path in sorted((common.SOURCE / folder).iterdir())]
        faults += [f"{name} is used by no page" for name in files if name not in used]
    common.finish(faults, checked)


main()
