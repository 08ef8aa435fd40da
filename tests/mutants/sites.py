# SPDX-License-Identifier: MIT
"""One-line mutants of C sources: where a line can be changed, and into what."""
import dataclasses
import random
import re

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", " + ": " - ",
         " - ": " + ", " * ": " / ", "+=": "-=", "-=": "+=", "|=": "=", "!": ""}
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|->|<<|>>|\+\+|--|<=|>=|==|!=|&&|\|\|'
                   r'|\+=|-=|\|=| [+*-] |[<>!]'
                   r'|\b[0-9]+\b|\w+|\S')
STATEMENT = re.compile(r"^\s+(?:\(void\))?\*?[\w\->.\[\]]+(?: (?:[-+|&*/]|<<|>>)?= |\(|\+\+;|--;).*;$")
JUMP = re.compile(r"^(\s+)(break|continue);$")
CONDITION = re.compile(r"^(\s+(?:\} else )?if \()(.*)(\) \{)$")


@dataclasses.dataclass(frozen=True)
class Mutant:
    path: str
    line: int
    old: str
    new: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.old.strip()}  ->  {self.new.strip() or '(removed)'}"


def is_balanced(text):
    return text.count("(") == text.count(")") and text.count("{") == text.count("}")


def token_changes(line):
    """The line with one token changed, once for each that can be."""
    for found in TOKEN.finditer(line):
        token = found.group()
        if token.isdigit():
            new = {"0": "1", "1": "0"}.get(token, str(int(token) + 1))
        elif token in SWAPS:
            new = SWAPS[token]
        else:
            continue
        yield line[:found.start()] + new + line[found.end():]


def line_changes(line, before):
    """The line without its statement, or with its condition always or never true."""
    if STATEMENT.match(line) and is_balanced(line) and before.endswith((";", "{", "}", ":")):
        yield ""
    if JUMP.match(line):
        yield JUMP.sub(r"\1;", line)
    condition = CONDITION.match(line)
    if condition and is_balanced(condition.group(2)):
        yield condition.group(1) + "0" + condition.group(3)
        yield condition.group(1) + "1" + condition.group(3)


def code_lines(text):
    """(number, line, the line of code before it) of what is neither comment nor preprocessor line, inside functions."""
    in_comment = continued = False
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        is_directive = continued or line.startswith("#")
        continued = is_directive and line.endswith("\\")
        starts = in_comment or line.lstrip().startswith("/*")
        if starts:
            in_comment = "*/" not in line
        elif not is_directive:
            if line.startswith(" "):
                yield number, line, before
            before = re.sub(r"\s*/\*.*\*/$", "", line) or before


def sites(path, text):
    found = []
    for number, line, before in code_lines(text):
        changes = dict.fromkeys([*token_changes(line), *line_changes(line, before)])
        found += [Mutant(path, number, line, new) for new in changes if new != line]
    return found


def draw(root, folders, count, seed):
    """The mutants of the tree in an order that the seed decides: as many of each folder as it has of all sites, but
    three at least. The rest of each folder's follow, for those that do not compile: [[first, spare, ...], ...]."""
    found = {}
    for path in sorted(path for folder in folders for path in (root / folder).rglob("*.c")):
        name = path.relative_to(root).as_posix()
        found.setdefault(name.rpartition("/")[0], []).extend(sites(name, path.read_text()))
    total = sum(map(len, found.values()))
    quotas = {folder: max(3, round(count * len(of) / total)) for folder, of in found.items()}
    while sum(quotas.values()) != count:
        largest = max(quotas, key=lambda folder: quotas[folder] - 3 * (quotas[folder] == 3))
        quotas[largest] += 1 if sum(quotas.values()) < count else -1
    dice = random.Random(seed)
    return {folder: (quotas[folder], dice.sample(found[folder], len(found[folder]))) for folder in sorted(found)}
