# SPDX-License-Identifier: MIT
"""Random cases are the same with every compiler: no expression of a test draws twice in an order that C leaves open, as
between arguments of a call, members of an initializer or operands of a sum."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

# A function that advances a generator's state, or takes the next byte of a fuzzer's input, draws; so do its callers.
ADVANCES = re.compile(r"6364136223846793005|1664525|\*in->data\+\+")
FUNCTION = re.compile(r"^(static )?(?:inline )?\w[\w *]*?\b(\w+)\([^;{}]*\) \{\n(.*?)^\}", re.S | re.M)
MACRO = re.compile(r"^#define (\w+)\([^)]*\) (.*)$", re.M)
TOKEN = re.compile(r"\w+|&&|\|\||[-+*/%&|^<>=!]=|<<=|>>=|<<|>>|->|\+\+|--|\S")
ASSIGNMENT = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
CLOSES = {"(": ")", "[": "]", "{": "}"}


def plain(text):
    """Without comments and texts; lines stay where they are."""
    text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found.group(0).count("\n"), text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', "0", text)


def called(body, names):
    return any(name in names for name in re.findall(r"\b(\w+)\(", body))


def drawing_functions(texts):
    """Names by file. Static functions belong to their file only, and hide others of the same name."""
    functions = {path: [(bool(is_static) and path.suffix != ".h", name, body) for is_static, name, body in
                        FUNCTION.findall(text)] + [(path.suffix != ".h", name, body) for name, body in
                                                   MACRO.findall(text)] for path, text in texts.items()}
    own, shared, grew = {path: set() for path in texts}, set(), True
    hidden = {path: {name for is_own, name, _ in listed if is_own} for path, listed in functions.items()}
    while grew:
        grew = False
        for path, listed in functions.items():
            for is_own, name, body in listed:
                found = own[path] if is_own else shared
                if name not in found and (ADVANCES.search(body) or called(body, own[path] | shared - hidden[path])):
                    found.add(name)
                    grew = True
    return {path: own[path] | shared - hidden[path] for path in texts}


class Group:
    """A bracketed expression or a statement: tokens and nested groups."""

    def __init__(self, kind, line):
        self.kind, self.line, self.parts = kind, line, []


def parse(text):
    """The outermost group of a file."""
    top = Group("", 1)
    open_groups, line, at = [top], 1, 0
    for found in TOKEN.finditer(text):
        line, at = line + text.count("\n", at, found.start()), found.start()
        token = found.group(0)
        if token in CLOSES:
            group = Group(token, line)
            open_groups[-1].parts.append(group)
            open_groups.append(group)
        elif token in CLOSES.values():
            if len(open_groups) > 1:
                open_groups.pop()
        else:
            open_groups[-1].parts.append((token, line))
    return top


def split(parts, words):
    pieces = [[]]
    for part in parts:
        if not isinstance(part, Group) and part[0] in words:
            pieces.append([])
        else:
            pieces[-1].append(part)
    return pieces


class Look:
    """Examines one file's expressions: whether they draw, and the lines of those that draw twice."""

    def __init__(self, names):
        self.names, self.lines = names, set()

    def statements(self, parts):
        """Those of a block, blocks within them included; one draws after the other."""
        draws = False
        for statement in split(parts, {";"}):
            rest = []
            for i, part in enumerate(statement):
                is_block = isinstance(part, Group) and part.kind == "{" and not (
                    i and not isinstance(statement[i - 1], Group) and statement[i - 1][0] in ASSIGNMENT | {"return"} or
                    i and isinstance(statement[i - 1], Group) and self.is_literal(statement, i))
                if is_block:
                    draws |= self.expression(rest)
                    draws |= self.statements(part.parts)
                    rest = []
                else:
                    rest.append(part)
            draws |= self.expression(rest)
        return draws

    @staticmethod
    def is_literal(statement, i):
        """(struct name){...} in a statement, but not for (...) {...}."""
        before = statement[i - 2] if i > 1 else None
        return i > 1 and not isinstance(before, Group) and before[0] in ASSIGNMENT | {"return", "&"}

    def expression(self, parts):
        """Commas between declarators and comma operators are in order."""
        return any([self.assignment(piece) for piece in split(parts, {","})])

    def siblings(self, parts, line):
        """Arguments, or members of an initialiser: in any order."""
        draws = [self.assignment(piece) for piece in split(parts, {","})]
        if sum(draws) > 1:
            self.lines.add(line)
        return any(draws)

    def assignment(self, parts):
        sides = split(parts, ASSIGNMENT)
        draws = [self.conditional(side) for side in sides]
        if sum(draws) > 1:
            self.lines.add(self.line_of(parts))
        return any(draws)

    def conditional(self, parts):
        return any([self.operands(piece) for piece in split(parts, {"?", ":", "&&", "||"})])

    def operands(self, parts):
        draws, name = 0, None
        for part in parts:
            if not isinstance(part, Group):
                name = part[0]
                continue
            if part.kind == "(" and name in ("for", "if", "while", "switch"):
                inner = any([self.expression(piece) for piece in split(part.parts, {";"})])
            elif part.kind == "{" or part.kind == "(" and name is not None and re.match(r"\w", name):
                inner = self.siblings(part.parts, part.line)
            else:
                inner = self.expression(part.parts)
            draws += inner or (part.kind == "(" and name in self.names)
            name = None
        if draws > 1:
            self.lines.add(self.line_of(parts))
        return draws > 0

    @staticmethod
    def line_of(parts):
        return next((part.line if isinstance(part, Group) else part[1]) for part in parts)


def examine_object(text, names):
    look = Look(names)
    text = re.sub(r"^#(?:.*\\\n)*.*$", lambda found: "\n" * found.group(0).count("\n"), text, flags=re.M)
    return look.statements(parse(text).parts), look.lines


def sample_faults():
    samples = {"f(roll(d, 2), roll(d, 3));": 1, "f(roll(d, roll(d, 3)), 2);": 0, "a = roll(d, 2) + roll(d, 3);": 1,
               "a = roll(d, 2) ? roll(d, 3) : roll(d, 4);": 0, "a[roll(d, 2)] = roll(d, 3);": 1,
               "struct s a = {roll(d, 2), .b = roll(d, 3)};": 1, "int a = roll(d, 2), b = roll(d, 3);": 0,
               "return (struct s){roll(d, 2), roll(d, 3)};": 1, "f(x, twice(d), PICK(d, b));": 1,
               "if (roll(d, 2) && roll(d, 3)) { a = roll(d, 4); }": 0, "a = 1 + (b ? roll(d, 2) : 0);": 0,
               "for (i = roll(d, 2); i < 3; i += roll(d, 3)) { a = roll(d, 4); }": 0}
    text = ("#define PICK(d, texts) pick(d, texts)\n"
            "int roll(struct dice *d, int n) {\n  d->state = d->state * 6364136223846793005;\n}\n"
            "int pick(struct dice *d, int n) {\n  return roll(d, n);\n}\n"
            "static int twice(struct dice *d) {\n  return roll(d, 2);\n}\n")
    path = pathlib.Path("sample.c")
    names = drawing_functions({path: text})[path]
    faults = [] if names == {"PICK", "roll", "pick", "twice"} else [f"samples: {sorted(names)} draw"]
    return faults + [f"sample {sample}: expected {wanted} faults" for sample, wanted in samples.items()
                     if len(examine_object(f"void f(void) {{\n{sample}\n}}", names)[1]) != wanted]


def main():
    texts = {path: plain(path.read_text()) for path in sorted((common.SOURCE / "tests").rglob("*.[ch]"))}
    faults, drawing = sample_faults(), 0
    for path, names in drawing_functions(texts).items():
        draws, lines = examine_object(texts[path], names)
        drawing += draws
        faults += [f"{path.relative_to(common.SOURCE)}:{line}: draws twice, in either order" for line in sorted(lines)]
    common.finish(faults, drawing)


main()
