# SPDX-License-Identifier: MIT
"""Words that engineers of the field would not use are in no text that users or contributors read: comments, texts of
the program, pages and names. Data do not speak, ask or want; they hold, require and are listed. Prints each line with
such a word; --count prints how many there are in each folder. Names of the interface, which may not change, and what
mirrors another project's text are exceptions, each with its reason."""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

FOLDERS = ["bindings", "examples", "include", "lib", "man", "packaging", "tests", "tools"]
KINDS = {".c", ".h", ".am", ".def", ".py", ".go", ".md", ".sh", ".txt", ".yaml", ".1", ".3", ".5", ".7"}
RECORDED = ("tests/abi/interface.txt", "tests/abi/kept", "tests/data", "tests/fuzz/corpus", "tests/vectors")
PAGES = [".ci/run", "CONTRIBUTING.md", "Makefile.am", "README.md", "RELEASING.md", "SECURITY.md", "VERSIONING.md",
         "configure.ac", "quickstart"]

# Names are taken apart at underscores and changes of case, so that "is_told" has the word "told".
WORD = re.compile(r"""(?<![^ ]) (?:
    tells? | told | telling | asks? | asked | asking | nobody | somebody | whom | says | said | saying | knows | knew |
    wants | behind | quirks? | rooms? | (?:is|are|was|were) _ (?:meant|(?:not_)?there) | looks?_at | looked_at |
    looking_at | (?<!there_) (?:is|was)_no (?! _ (?:longer|more|less|later|earlier)) (?= _ (?-i:[a-z])) |
    stands?_in | given_back | made_again | in_front | goes?_before | lets?_go_of
    ) (?![^ ])""".replace("_", "[ ]"), re.X | re.I)

# Where, what, and why it stays.
EXCEPTIONS = [
    (r"CONTRIBUTING\.md|lib/sources\.am|packaging/amalgamate|\.ci/run|"
     r"tests/(abi|bench|coverage|documents|mutants|style|units|tests\.am)", r"room|ROOM",
     "a directory of lib, for contributors"),
    ("", r"spread-capped-room|SPREAD_CAPPED_ROOM|SpreadCappedRoom|room-beyond-limit", "an option and a warning"),
    ("bindings/python", r"\bRoom\b", "a class of the package"),
    ("(tools|man)/", r"\"asked\"|\basked: Create|\bname, asked,", "a member of what the tool writes"),
    ("(lib|man|tests)/", r"exceeds 100% is no permitted", "a message of OpenKruise"),
]


def spaced(line):
    """A line with its names taken apart, a space between any two words."""
    return re.sub(r"[_\s]+", " ", re.sub(r"[^\w\s]+", " | ", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", line)))


def is_excepted(name, line):
    return any(re.match(where, name) and re.search(what, line) for where, what, _ in EXCEPTIONS)


def is_read(path):
    name = path.relative_to(common.SOURCE).as_posix()
    return path.suffix in KINDS and path.is_file() and not name.startswith(RECORDED) and path != pathlib.Path(__file__)


def files():
    for folder in FOLDERS:
        yield from (path for path in sorted((common.SOURCE / folder).rglob("*")) if is_read(path))
    yield from (common.SOURCE / name for name in PAGES)


def findings():
    for path in files():
        name = path.relative_to(common.SOURCE).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for found in WORD.finditer(spaced(line)):
                if not is_excepted(name, line):
                    yield name, number, found.group(0), line.strip()


def main():
    wanted = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    found = [row for row in findings() if not wanted or row[0].startswith(tuple(wanted))]
    if "--count" in sys.argv:
        for folder, n in sorted(collections.Counter(name.split("/")[0] for name, *_ in found).items()):
            print(f"{folder}: {n}")
    common.finish([f"{name}:{number}: {word}: {line}" for name, number, word, line in found], len(list(files())))



if __name__ == "__main__":
    main()
