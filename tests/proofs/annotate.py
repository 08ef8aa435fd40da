# SPDX-License-Identifier: MIT
"""Copies of sources with the contracts of tests/proofs/*.acsl at the places where Frama-C expects them. A contract
whose place is gone is an error: nothing is left out silently."""
import pathlib
import re

HEADING = re.compile(r"^== (\w+) ?(.*)$")
LOOP = re.compile(r"^\s*(for|while|do)\b")


class Gone(Exception):
    """A place that a contract names is not in the source."""


class Unit:
    """One file of contracts: its source and its annotations."""

    def __init__(self, path):
        self.name = path.stem
        self.source = None
        self.model = "Typed"  # of memory
        self.axioms = []  # names of blocks of axioms.txt
        self.parts = []  # (kind, argument, text)
        self.notes = {}  # function: a remark on its proof
        self.given = {}  # function: why its contract is not proved
        for line in path.read_text().splitlines():
            found = HEADING.match(line)
            if found and found[1] in ("source", "model", "use", "given", "note"):
                self.take(found[1], found[2])
            elif found:
                self.parts.append((found[1], found[2], []))
            elif line.startswith("#"):
                continue
            elif self.parts:
                self.parts[-1][2].append(line)
        self.contracts = {argument: text for kind, argument, text in self.parts if kind in ("contract", "inside")}
        self.inside = {argument for kind, argument, _ in self.parts if kind == "inside"}

    def take(self, kind, argument):
        if kind in ("source", "model"):
            setattr(self, kind, argument)
            return
        if kind == "use":
            self.axioms = argument.split()
            return
        function, _, why = argument.partition(": ")
        (self.given if kind == "given" else self.notes)[function] = why

    def placed(self):
        """{function: (contract, model)}."""
        return {name: (text, self.model) for name, text in self.contracts.items()}

    def proved(self):
        """The functions to be proved, in the order of the file."""
        return [name for name in self.contracts if name not in self.given]


def comment(lines, model="Typed"):
    """Contracts of another model than Typed are used only by units of such a model."""
    text = ["/*@ " + lines[0]] + [f"    {line}" for line in lines[1:] if line] + ["*/"]
    return text if model == "Typed" else ["#ifdef CASTS", *text, "#endif"]


def head_of(lines, function, must_be_defined):
    """Index of the line that begins the function or its declaration; None: there is none."""
    for i, line in enumerate(lines):
        if re.match(rf"[a-z].*\b{function}\(", line):
            text = "".join(lines[i:i + 6])
            first = min((text + ";").find(";"), (text + "{").find("{"))
            if not must_be_defined or (text + ";")[first] == "{":
                return i
    return None


def body_of(lines, function):
    start = head_of(lines, function, True)
    if start is None:
        raise Gone(f"no function {function}")
    end = start
    while lines[end] != "}":
        end += 1
    return start, end


def only_line(lines, start, end, text):
    found = [i for i in range(start, end + 1) if text in lines[i]]
    if len(found) != 1:
        raise Gone(f"{len(found)} lines have: {text}")
    return found[0]


def insert_part(lines, model, kind, argument, text):
    """Puts one annotation into the lines of a source."""
    if kind == "logic":  # before the line of the file that has the text
        at = only_line(lines, 0, len(lines) - 1, argument)
    elif kind == "loop":
        function, number = argument.split()
        start, end = body_of(lines, function)
        loops = [i for i in range(start, end) if LOOP.match(lines[i])]
        if len(loops) < int(number):
            raise Gone(f"{function} has {len(loops)} loops")
        at = loops[int(number) - 1]
    elif kind in ("before", "after"):
        function, _, wanted = argument.partition(": ")
        at = only_line(lines, *body_of(lines, function), wanted) + (kind == "after")
    else:
        raise Gone(f"no kind of annotation: {kind}")
    if kind in ("logic", "loop"):
        lines[at:at] = comment(text, model)
    else:  # each of the annotations has a comment of its own
        lines[at:at] = [f"  /*@ {one} */" for one in re.split(r"(?<=;)\s+", " ".join(text)) if one]


def place_contracts(lines, contracts, must_be_defined):
    """Inserts the contracts of functions of the file; returns the functions. contracts: {function: (text, model)}."""
    placed = set()
    for function, (text, model) in contracts.items():
        at = head_of(lines, function, must_be_defined)
        if at is not None:
            lines[at:at] = comment(text, model)
            placed.add(function)
    return placed


def read_axioms(folder):
    """{name: lines} of axioms.txt."""
    blocks = {}
    for line in (folder / "axioms.txt").read_text().splitlines():
        if line.startswith("== "):
            blocks[line[3:]] = []
        elif line and not line.startswith("#"):
            blocks[next(reversed(blocks))].append(line)
    return blocks


def write_headers(root, units, folder):
    """Headers of lib/ below folder, whose declarations carry the contracts; returns the functions that have theirs."""
    contracts = {function: text for unit in units for function, text in unit.placed().items()
                 if function not in unit.inside}
    declared = set()
    for header in sorted((root / "lib").rglob("*.h")):
        name = header.relative_to(root).as_posix()
        lines = header.read_text().splitlines()
        insert_parts(lines, [unit for unit in units if unit.source == name])
        declared |= place_contracts(lines, contracts, False)
        write(folder / name, lines)
    return declared


def insert_parts(lines, units, only=None):
    """All annotations of units but contracts, or those of one kind."""
    for unit in units:
        for kind, argument, text in unit.parts:
            if kind not in ("contract", "inside") and only in (None, kind):
                insert_part(lines, unit.model, kind, argument, text)


def write_copies(root, units, folder):
    """The headers, and the source of each unit."""
    axioms = read_axioms(root / "tests/proofs")
    declared = write_headers(root, units, folder)
    for unit in units:
        contracts = {}
        for other in units:
            if other.source == unit.source:
                contracts |= {function: text for function, text in other.placed().items() if function not in declared}
        if unit.source.endswith(".h"):
            lines = [f'#include "{unit.source.removeprefix("lib/")}"']
            missing = set(contracts)
        else:
            lines = (root / unit.source).read_text().splitlines()
            insert_parts(lines, [unit])
            others = [other for other in units if other.source == unit.source and other is not unit]
            insert_parts(lines, others, "logic")
            missing = set(contracts) - place_contracts(lines, contracts, False)
        if missing:
            raise Gone(f"{unit.name}: no function {', '.join(sorted(missing))}")
        # A block that defines functions counts only where they are used.
        for name in unit.axioms:
            lines[:0] = comment([f"axiomatic {name.capitalize()} {{", *axioms[name], "}"])
        lines[:0] = ["#include <stdint.h>"]
        write(folder / f"{unit.name}.c", lines)


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def read_units(folder):
    return [Unit(path) for path in sorted(pathlib.Path(folder).glob("*.acsl"))]
