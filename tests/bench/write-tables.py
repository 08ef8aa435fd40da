# SPDX-License-Identifier: MIT
"""Measures the tables of NOTES.md again, or with --check compares their rows with those of the programs.

A table after a line `<!-- PROGRAM ROW [QUANTITY] -->` is made from that program's rows. ROW is the name of a row, in
which {0} stands for the first cell of a line, {1} for the second, and {column} for the head of a column; `{0}` alone
when each line is one row. A head is a quantity (see QUANTITIES), whose cells are written; "row", "aim" and heads
before the first one that is written stay as they are; with {column} each head after those that ROW names is part of
a name, and its cells hold QUANTITY. Of several runs of a program each row counts from the run in which its yardstick
was least.

    write-tables.py [--check | --runs N] [PROGRAM...]     all programs that NOTES.md names; make bench-tables"""
import fnmatch
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

NOTES = common.SOURCE / "tests/bench/NOTES.md"
COUNTS = common.SOURCE / "tests/bench/instructions.txt"
MARK = re.compile(r"^<!-- (bench-\S+) (\S+)(?: (\S+))? -->$")
LINE = re.compile(r"^(\S+) +(\d+) ns +([\d.]+)x +([\d.]+) allocations, yardstick +(\d+) ns(?:, ([\d.]+) ns each)?")
RUNS = 3


def figure(value):
    """Three digits, as a person would write them."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


class Row:
    def __init__(self, match):
        self.ns, self.ratio, self.allocations, self.yardstick = (float(match[i]) for i in (2, 3, 4, 5))
        self.ns_each = float(match[6] or match[2])
        self.instructions = None


QUANTITIES = {
    "s": lambda row: figure(row.ns / 1e9),
    "ms": lambda row: figure(row.ns / 1e6),
    "us": lambda row: figure(row.ns / 1e3),
    "us-each": lambda row: figure(row.ns_each / 1e3),
    "ns-each": lambda row: figure(row.ns_each),
    "ratio": lambda row: figure(row.ratio),
    "ratio-each": lambda row: figure(row.ratio * row.ns_each / row.ns),
    "allocations": lambda row: f"{row.allocations:,.1f}".removesuffix(".0"),
    "yardstick": lambda row: f"{row.yardstick / 1e3:.2f}",
    "instructions": lambda row: "" if row.instructions is None else f"{row.instructions:,}",
}


def run(program, patterns, runs):
    """{row: Row} of the quietest of the runs, row by row."""
    counted = dict(line.split()[:2] for line in COUNTS.read_text().splitlines() if "/" in line and line[0] != "#")
    rows = {}
    for _ in range(runs):
        printed = subprocess.run([common.BUILD / "tests/bench" / program, *patterns], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
        for match in filter(None, map(LINE.match, printed.splitlines())):
            row = Row(match)
            row.instructions = int(counted[match[1]]) if match[1] in counted else None
            if match[1] not in rows or row.yardstick < rows[match[1]].yardstick:
                rows[match[1]] = row
    return rows


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


class Table:
    """Lines first to end - 1 of the text: the head, the alignment, then rows."""

    def __init__(self, lines, mark):
        self.program, self.name, self.quantity = MARK.match(lines[mark]).groups()
        self.first = mark + 1
        self.end = self.first
        while self.end < len(lines) and lines[self.end].startswith("|"):
            self.end += 1
        self.heads = cells_of(lines[self.first])
        self.lines = [cells_of(line) for line in lines[self.first + 2:self.end]]
        named = [int(number) for number in re.findall(r"\{(\d)\}", self.name)]
        self.kept = max(named, default=0) + 1

    def fields(self):
        """(line, column, name of the row, quantity) of each cell that is written."""
        for line in self.lines:
            for column, head in enumerate(self.heads[self.kept:], self.kept):
                if "{column}" in self.name:
                    yield line, column, self.name.format(*line, column=head.replace(",", "")), self.quantity
                elif head in QUANTITIES:
                    yield line, column, self.name.format(*line), head

    def fill(self, rows):
        for line, column, name, quantity in self.fields():
            line[column] = QUANTITIES[quantity](rows[name])

    def text(self):
        return [f"| {' | '.join(line)} |" for line in self.lines]


def faults_of(table, names):
    """What the table names and the program does not have."""
    fields = list(table.fields())
    return ([] if fields else [f"{table.program}: a table without a quantity"]) + [
        f"{table.program}: {name}: no such row, or no such quantity" for _, _, name, quantity in fields
        if name not in names or quantity not in QUANTITIES]


def check(tables):
    faults = []
    for table in tables:
        names = common.output([common.BUILD / "tests/bench" / table.program, "--list"]).split()
        faults += faults_of(table, names)
        if not faults_of(table, [name + "/other" for name in names]):
            faults.append(f"{table.program}: rows that no program has are not faults")
    common.finish(faults, sum(len(table.lines) for table in tables))


def main():
    arguments = sys.argv[1:]
    lines = NOTES.read_text().splitlines()
    tables = [Table(lines, i) for i, line in enumerate(lines) if MARK.match(line)]
    if "--check" in arguments:
        check(tables)
        return
    runs = RUNS
    if "--runs" in arguments:
        at = arguments.index("--runs")
        runs = int(arguments[at + 1])
        del arguments[at:at + 2]
    wanted = [table for table in tables
              if not arguments or any(fnmatch.fnmatch(table.program, pattern) for pattern in arguments)]
    for program in sorted({table.program for table in wanted}):
        mine = [table for table in wanted if table.program == program]
        rows = run(program, sorted({name for table in mine for _, _, name, _ in table.fields()}), runs)
        for table in mine:
            table.fill(rows)
            lines[table.first + 2:table.end] = table.text()
        NOTES.write_text("\n".join(lines) + "\n")
        print(f"{program}: {len(rows)} rows, yardstick {min(row.yardstick for row in rows.values()):.0f} to "
              f"{max(row.yardstick for row in rows.values()):.0f} ns")


main()
