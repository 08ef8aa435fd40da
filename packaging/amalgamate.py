# SPDX-License-Identifier: MIT
"""amalgamate.py FOLDER: writes librebalance.h and librebalance.c, the core in one file, which cc -c compiles.

Headers and lists stand where the first file includes them, lists at each place. What only one file may see stays so:
internal functions are static, macros of a source end with it, and a name that two sources have at file scope gets the
name of its source as a suffix."""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
import common

ROOMS = ("foundation", "record", "fleet", "estimator", "scheduler", "rebalancer", "descheduler", "failover",
         "workloadspread", "plan")
TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)"""
                   r"""|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<name>[A-Za-z_]\w*)"""
                   r"""|(?P<number>\.?\d[\w.]*)|(?P<space>\s+)|(?P<mark>->|.)""", re.M | re.S)
NAME = re.compile(r"[A-Za-z_]\w*")
KEYWORDS = {"struct", "union", "enum", "const", "static", "sizeof"}
INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|(<[^>]+>))')
NOTE = """ * %s - librebalance %s in one file, made by packaging/amalgamate.py; do not edit.
 *
 * Compile it as C11 without any flag: cc -c librebalance.c. It needs nothing but the C library.
"""
PREAMBLE = """
/* Products and sums are never fused, so that answers are the same on every machine. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

/* Internal functions; some are for the other libraries only. */
#if defined(__GNUC__)
#define REBALI_PRIVATE static __attribute__((unused))
#else
#define REBALI_PRIVATE static
#endif
"""


def tokens(text):
    """(kind, text) of each token; together they are the text."""
    return [(found.lastgroup, found.group(0)) for found in TOKEN.finditer(text)]


def is_code(token):
    return token[0] not in ("comment", "directive", "space")


def statements(text):
    """Lists of the code tokens of each declaration at file scope, with their brace depths; a body ends one."""
    found, current, depth = [], [], 0
    for kind, word in filter(is_code, tokens(text)):
        depth -= word == "}"
        current.append((kind, word, depth))
        depth += word == "{"
        if depth == 0 and (word == ";" or word == "}" and is_body(current)):
            found.append(current)
            current = []
    return found


def is_body(statement):
    """Whether the braces that end here are those of a function."""
    opening = next(at for at, (_, word, depth) in enumerate(statement) if word == "{" and depth == 0)
    return opening > 0 and statement[opening - 1][1] == ")"


def declared(statement):
    """The names of file scope that a declaration makes: tags, enumerators, functions, objects."""
    words = [word for _, word, _ in statement]
    made = []
    for at, (_, word, depth) in enumerate(statement):
        if depth or word not in ("struct", "union", "enum"):
            continue
        tag = words[at + 1]
        body = at + (1 if tag == "{" else 2)
        if words[body] == "{" and tag != "{":
            made.append(tag)
        if words[body] == "{" and word == "enum":
            end = next(to for to in range(body, len(words)) if words[to] == "}")
            made += [words[to] for to in range(body + 1, end) if words[to - 1] in ("{", ",")]
    if words[0] == "static":
        made += declarators([word for _, word, depth in statement if depth == 0])
    return [name for name in made if NAME.fullmatch(name)]


def declarators(words):
    """The names that a static declaration without what its braces hold declares."""
    made, depth = [], 0
    for at, word in enumerate(words[1:], 1):
        if depth == 0 and word == "(" and words[at + 1] == "*":  # a function by pointer
            return made + [next(name for name in words[at + 2:] if NAME.fullmatch(name) and name != "const")]
        is_end = depth == 0 and word in ("(", "[", "=", ",", ";", "{")
        if is_end and NAME.fullmatch(words[at - 1]) and words[at - 1] not in KEYWORDS:
            if words[at - 2] not in ("struct", "union", "enum", "="):
                made.append(words[at - 1])
            if word == "(":
                return made
        depth += word in ("(", "[")
        depth -= word in (")", "]")
    return made


def renamed(text, names, suffix):
    """The text with a suffix to each of these names, but where they are members."""
    made, before, braces = [], "", []  # braces: for each that is open, whether members are declared in it
    for kind, word in tokens(text):
        if kind == "directive" and not INCLUDE.match(word):
            start, rest = re.match(r"([ \t]*#)(.*)", word, re.S).groups()
            made.append(start + (renamed(rest, names, suffix) if rest else ""))
            continue
        made.append(word)
        if kind == "name" and word in names and before not in (".", "->"):
            is_type = before in ("struct", "union", "enum")
            if not (braces and braces[-1]) or is_type or word.isupper():
                made.append(suffix)
        if word == "{":
            braces.append(is_tag_of("".join(made[-40:-1])))
        elif word == "}" and braces:
            braces.pop()
        before = word if kind not in ("space", "comment") else before
    return "".join(made)


def is_tag_of(text):
    """Whether a brace after this text opens the members of a structure."""
    return re.search(r"\b(struct|union)(\s+\w+)?\s*$", text) is not None


def private(text):
    """A private header, or a source, whose internal functions and objects are static."""
    made, statement_start, depth, at_start = [], None, 0, True
    parts = tokens(text)
    for position, (kind, word) in enumerate(parts):
        if at_start and depth == 0 and is_code((kind, word)):
            at_start = False
            statement_start = len(made)
            made.append("")
            seen = []
        if is_code((kind, word)):
            seen.append(word)
        made.append(word)
        depth -= word == "}" and kind == "mark"
        depth += word == "{" and kind == "mark"
        if depth == 0 and kind == "mark" and word in (";", "}"):
            if word == "}" and not (")" in seen and seen[seen.index("{") - 1] == ")"):
                continue
            made[statement_start] = prefix(seen)
            if made[statement_start] and seen[0] == "extern":
                at = next(i for i in range(statement_start, len(made)) if made[i] == "extern")
                made[at] = ""
                made[at + 1] = ""
            at_start = True
    return "".join(made)


def prefix(words):
    """The prefix of a declaration: REBALI_PRIVATE before those that other files would see."""
    if words[0] in ("static", "typedef", ";"):
        return ""
    head = words[:words.index("{")] if "{" in words else words
    if "(" in head or words[0] == "extern" or "=" in words:
        names = [word for at, word in enumerate(head) if word.startswith("rebali_") and
                 head[at - 1] not in ("struct", "union", "enum")]
        return "REBALI_PRIVATE " if names else ""
    return ""


class Writer:
    """One file that others flow into."""

    def __init__(self, folders):
        self.folders = folders
        self.included = []
        self.system = set()
        self.parts = []

    def find(self, name, beside):
        for folder in (beside, *self.folders):
            if (folder / name).exists():
                return (folder / name).resolve()
        return sys.exit(f"{name}: not found")

    def add(self, path, change):
        """A file, with what it includes; change gives the text that is written for its own."""
        text = change(path.read_text())
        at = 0
        for found in re.finditer(r"^[ \t]*#[ \t]*include[^\n]*\n", text, re.M):
            self.parts.append(text[at:found.start()])
            at = found.end()
            name, system = INCLUDE.match(found.group(0)).groups()
            if system:
                self.system.add(system)
                continue
            other = self.find(name, path.parent)
            if other.suffix == ".def":
                self.add_list(other)
            elif other not in self.included:
                self.included.append(other)
                is_private = "include" not in other.relative_to(common.SOURCE.resolve()).parts
                self.add(other, private if is_private else lambda same: same)
        self.parts.append(text[at:])

    def add_list(self, path):
        """The lines of a list, without its comments."""
        lines = "".join(word for kind, word in tokens(path.read_text()) if kind != "comment")
        for part in re.split(r"^([ \t]*#[ \t]*include[^\n]*\n)", lines, flags=re.M):
            found = INCLUDE.match(part)
            if found:
                self.add_list(self.find(found.group(1), path.parent))
            else:
                self.parts.append(re.sub(r"\n\s*\n", "\n", part.lstrip()))

    def text(self):
        return re.sub(r"\n{3,}", "\n\n", "".join(self.parts))


def head(name, version, files):
    """The licence, what the file is and where it comes from."""
    licence = "".join(f" * {line}".rstrip() + "\n" for line in (common.SOURCE / "COPYING").read_text().splitlines())
    listed = "".join(f" *   {file}\n" for file in files)
    return f"/* SPDX-License-Identifier: MIT */\n/*\n{NOTE % (name, version)} *\n{licence} *\n * From:\n{listed} */\n"


def make_header(version, base):
    writer = Writer([common.INCLUDE])
    top = base / "include/rebalance/rebalance.h"
    writer.included.append(top)
    writer.add(top, lambda same: same)
    system = "".join(f"#include {name}\n" for name in sorted(writer.system))
    files = [path.relative_to(base).as_posix() for path in writer.included]
    return head("librebalance.h", version, files) + system + writer.text(), writer.included


def make_source(version, base, public):
    sources = [base / name for room in ROOMS for name in common.make_list(f"{room}_sources") if name.endswith(".c")]
    made = {path: {name for statement in statements(path.read_text()) for name in declared(statement)}
            for path in sources}
    count = collections.Counter(name for names in made.values() for name in names)
    writer = Writer([base / "lib", base / "include"])
    writer.included += public
    for path in sources:
        stem = path.relative_to(base / "lib").with_suffix("").as_posix().replace("/", "_")
        clashing = {name for name in made[path] if count[name] > 1}
        macros = sorted(set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", path.read_text(), re.M)))
        writer.parts.append(f"\n/* ---- {path.relative_to(base).as_posix()} ---- */\n")
        writer.add(path, lambda text, names=clashing, stem=stem: private(renamed(text, names, f"_in_{stem}")))
        writer.parts.append("".join(f"#undef {name}\n" for name in macros))
    files = [path.relative_to(base).as_posix() for path in [*writer.included[len(public):], *sources]]
    system = "".join(f"#include {name}\n" for name in sorted(writer.system))
    return (head("librebalance.c", version, sorted(files)) + PREAMBLE + '\n#include "librebalance.h"\n\n' + system +
            writer.text())


def main():
    folder = pathlib.Path(sys.argv[1])
    base = common.SOURCE.resolve()
    numbers = re.findall(r"^#define REBAL_VERSION_\w+ (\d+)$", (common.INCLUDE / "rebalance/base.h").read_text(), re.M)
    version = ".".join(numbers)
    folder.mkdir(parents=True, exist_ok=True)
    header, public = make_header(version, base)
    (folder / "librebalance.h").write_text(header)
    (folder / "librebalance.c").write_text(make_source(version, base, public))


main()
