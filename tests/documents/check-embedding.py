# SPDX-License-Identifier: MIT
"""The programs of examples/ compile without a warning against the installed headers, and print the expected output.
Those of rebalance-embedding(7) are in examples/embedding. With --write: puts the programs and their output there."""
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

PAGE = common.SOURCE / "man/rebalance-embedding.7"
PROGRAMS = [common.SOURCE / f"examples/embedding/{name}.c" for name in ("batches", "allocator")]
OTHERS = [common.SOURCE / "examples/own-scheduler/own-scheduler.c"]
BLOCK = re.compile(r"(?<=^\.Bd -literal\n)(?:(?!\.Ed).*\n)*(?=\.Ed$)", re.M)
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def literal(path):
    """A file as lines of a literal display."""
    text = path.read_text().replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", "\\\\&", text, flags=re.M)


def updated(page):
    blocks = iter([literal(path) for program in PROGRAMS for path in (program, program.with_suffix(".txt"))])
    head, examples, rest = re.split(r"(?=^\.Sh (?:EXAMPLES|SEE ALSO)$)", page, flags=re.M)
    return head + BLOCK.sub(lambda _: next(blocks), examples) + rest


def compiler_flags():
    """CFLAGS and LDFLAGS of the build: a library with sanitizers requires programs with them."""
    makefile = (common.BUILD / "Makefile").read_text()
    return [word for name in ("CFLAGS", "LDFLAGS")
            for word in re.search(rf"^{name} = (.*)$", makefile, re.M).group(1).split()]


def build(program, folder):
    binary = folder / program.stem
    common.output([common.BUILD / "libtool", "--silent", "--tag=CC", "--mode=link", *common.CC, *FLAGS,
                   *compiler_flags(), f"-I{folder}", "-o", binary, program, common.BUILD / "librebalance.la"])
    return binary


def check(program, folder):
    printed, wanted = common.output([build(program, folder)]), program.with_suffix(".txt").read_text()
    if printed != wanted:
        yield f"{program.name} printed\n{printed}instead of\n{wanted}"


def main():
    page, faults = PAGE.read_text(), []
    if "--write" in sys.argv[1:]:
        PAGE.write_text(updated(page))
        return
    if updated(page) != page:
        faults.append(f"{PAGE.name} differs from the examples; run with --write")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "rebalance").mkdir()
        for header in common.make_list("core_headers"):
            shutil.copy(common.SOURCE / header, folder / "rebalance")
        for program in PROGRAMS + OTHERS:
            faults += check(program, folder)
    common.finish(faults, 1 + len(PROGRAMS) + len(OTHERS))


main()
