# SPDX-License-Identifier: MIT
"""The program of rebalance-embedding(7) is examples/embedding/own-scheduler.c, which compiles without a warning against
the headers that are installed, and prints what the page says. With --write: puts the program and its output there."""
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

PAGE = common.SOURCE / "man/rebalance-embedding.7"
PROGRAM = common.SOURCE / "examples/embedding/own-scheduler.c"
PRINTED = common.SOURCE / "examples/embedding/own-scheduler.txt"
BLOCK = re.compile(r"(?<=^\.Bd -literal\n)(?:(?!\.Ed).*\n)*(?=\.Ed$)", re.M)
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def literal(path):
    """A file as lines of a literal display."""
    text = path.read_text().replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", "\\\\&", text, flags=re.M)


def updated(page):
    blocks = iter((literal(PROGRAM), literal(PRINTED)))
    head, examples, rest = re.split(r"(?=^\.Sh (?:EXAMPLES|SEE ALSO)$)", page, flags=re.M)
    return head + BLOCK.sub(lambda _: next(blocks), examples) + rest


def compiler_flags():
    """CFLAGS and LDFLAGS of the build: a library with sanitizers wants programs with them."""
    makefile = (common.BUILD / "Makefile").read_text()
    return [word for name in ("CFLAGS", "LDFLAGS")
            for word in re.search(rf"^{name} = (.*)$", makefile, re.M).group(1).split()]


def build(folder):
    (folder / "rebalance").mkdir()
    for header in common.make_list("core_headers"):
        shutil.copy(common.SOURCE / header, folder / "rebalance")
    binary = folder / "own-scheduler"
    common.output([common.BUILD / "libtool", "--silent", "--tag=CC", "--mode=link", *common.CC, *FLAGS,
                   *compiler_flags(), f"-I{folder}", "-o", binary, PROGRAM, common.BUILD / "librebalance.la"])
    return binary


def main():
    page, faults = PAGE.read_text(), []
    if "--write" in sys.argv[1:]:
        PAGE.write_text(updated(page))
        return
    if updated(page) != page:
        faults.append(f"{PAGE.name} is not made from the example; run with --write")
    with tempfile.TemporaryDirectory() as folder:
        printed = common.output([build(pathlib.Path(folder))])
    if printed != PRINTED.read_text():
        faults.append(f"printed\n{printed}instead of\n{PRINTED.read_text()}")
    common.finish(faults, 2)


main()
