# SPDX-License-Identifier: MIT
"""Instructions and allocations of the benchmarks are those of instructions.txt, row by row. Times are not compared.

Where compiler, flags, C library and machine are those that the table names, a row may have 10 % more instructions;
elsewhere half as many more, but no more growth from 1,000 to 5,000 clusters than a quarter beyond the table's. A row
may never allocate more, a pass over ten times as many pods must not cost more for each of them, and the work after a
watch event stays below its limit everywhere. With --write: rewrites the table. Run by make check-speed, which sets
BENCH_CFLAGS."""
import os
import pathlib
import platform
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

TABLE = common.SOURCE / "tests/bench/instructions.txt"
CALLS = 5  # COUNTED of rows.c
PATTERNS = {  # of each program
    "bench-schedule": ("*/10/*/cold", "*/10/*/warm-1", "*/1000/*/cold", "*/1000/*/warm-1", "*/5000/*", "load/5000"),
    "bench-estimate": ("*/5000/*", "pod/5000"),
    "bench-spread": ("choose/10/calls-100", "choose/10/batch-1000", "pass/*0", "pass/10000/half-over",
                     "adopt/*/nodes-1000", "united/10", "merge/*", "review/*"),
    "bench-feed": ("event/1000/turn",),
}
YARDSTICK = 25000  # instructions; NOTES.md
MOST = {"event/1000/turn": 300 * YARDSTICK}  # whatever the table holds
LINEAR = ("pass/100", "pass/1000", "pass/10000", "pass/100000")  # the number is that of the pods
SAME = 1.10
OTHER = 1.50
GROWTH = 1.25
EACH = 1.05  # of the instructions for each pod when there are ten times as many
# The C library copies by other instructions on each generation of processors; these it uses on all.
PLAIN_COPIES = "glibc.cpu.hwcaps=-AVX512VL,-AVX512F,-AVX2,-AVX_Fast_Unaligned_Load,-ERMS"
ALLOWANCE = 200  # instructions: a tenth of very little is noise of the C library


def conditions():
    """{name: value} of what the number of instructions depends on beside the code."""
    return {"compiler": common.output([*common.CC, "--version"]).splitlines()[0],
            "flags": os.environ.get("BENCH_CFLAGS", ""), "libc": " ".join(platform.libc_ver()),
            "machine": platform.machine()}


def measure(program):
    """{row: (instructions, allocations)} of one call."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        printed = common.output([common.BUILD / "libtool", "--mode=execute", "valgrind", "--tool=callgrind", "--quiet",
                                 f"--callgrind-out-file={out}", "--toggle-collect=bench_counted_run",
                                 "--dump-after=bench_counted_row", common.BUILD / "tests/bench" / program, "--count",
                                 *PATTERNS[program]])
        rows = [line.split() for line in printed.splitlines()]
        counts = [int(re.search(r"^summary: (\d+)$", pathlib.Path(f"{out}.{i + 1}").read_text(), re.M)[1])
                  for i in range(len(rows))]
    return {row: (count // CALLS, float(allocations)) for (row, allocations), count in zip(rows, counts)}


def read():
    """The table: conditions and rows."""
    found, rows = {}, {}
    for line in TABLE.read_text().splitlines():
        name, _, value = line.partition(" ")
        if name in ("compiler", "flags", "libc", "machine"):
            found[name] = value
        elif line and not line.startswith("#"):
            instructions, allocations = value.split()
            rows[name] = (int(instructions), float(allocations))
    return found, rows


def write(found, rows):
    head = ["# SPDX-License-Identifier: MIT",
            "# Made by check-instructions.py --write: row of a benchmark, instructions and allocations of one call."]
    lines = [f"{name} {value}" for name, value in found.items()]
    lines += [f"{row} {instructions} {allocations:.1f}" for row, (instructions, allocations) in rows.items()]
    TABLE.write_text("\n".join(head + lines) + "\n")


def growth(rows, large):
    """How many times more instructions 5,000 clusters take than 1,000; None for rows of other sizes."""
    small = large.replace("/5000/", "/1000/")
    return rows[large][0] / rows[small][0] if small != large and small in rows else None


def each(row, rows):
    """Instructions for each pod."""
    return rows[row][0] / int(row.rpartition("/")[2])


def linear_faults(rows):
    return [f"{large}: {each(large, rows):.0f} instructions a pod, {small} {each(small, rows):.0f}"
            for small, large in zip(LINEAR, LINEAR[1:])
            if small in rows and large in rows and each(large, rows) > each(small, rows) * EACH]


def excess(rows):
    return [f"{row}: {rows[row][0]} instructions are more than {most}" for row, most in MOST.items()
            if row in rows and rows[row][0] > most]


def faults_of(rows, table, is_same):
    """Everything that got worse, or is too much."""
    faults = [f"{row}: in the table, but not measured" for row in table if row not in rows]
    faults += excess(rows)
    for row, (instructions, allocations) in rows.items():
        if row not in table:
            faults.append(f"{row}: not in the table (--write)")
            continue
        known, known_allocations = table[row]
        if instructions > known * (SAME if is_same else OTHER) + ALLOWANCE:
            faults.append(f"{row}: {instructions} instructions, {instructions / known:.2f} times the table's {known}")
        if allocations > known_allocations:
            faults.append(f"{row}: {allocations} allocations, the table has {known_allocations}")
        ours, theirs = growth(rows, row), growth(table, row)
        if not is_same and ours and theirs and ours > theirs * GROWTH:
            faults.append(f"{row}: {ours:.1f} times those of 1,000 clusters, in the table {theirs:.1f} times")
    return faults + linear_faults(rows)


def sample_faults(rows):
    """The comparison must find planted faults."""
    worse = {row: (2 * count + 2 * ALLOWANCE, allocations) for row, (count, allocations) in rows.items()}
    slower = {row: (int(count * 1.12) + ALLOWANCE, allocations) for row, (count, allocations) in rows.items()}
    hungry = {row: (count, allocations + 1) for row, (count, allocations) in rows.items()}
    steeper = {row: (count * (140 if "/5000/" in row else 100) // 100, allocations)
               for row, (count, allocations) in rows.items()}
    bent = {row: (count * (12 if row == LINEAR[-1] else 10) // 10, allocations)
            for row, (count, allocations) in rows.items()}
    large = {row: (most + 1, 0) for row, most in MOST.items()}
    cases = (("a table that holds", rows, True, 0), ("a table that holds elsewhere", rows, False, 0),
             ("12 % more", slower, True, len(rows)), ("12 % more elsewhere", slower, False, 0),
             ("twice as many elsewhere", worse, False, len(rows)), ("an allocation more", hungry, True, len(rows)),
             ("more growth elsewhere", steeper, False, sum(growth(rows, row) is not None for row in rows)),
             ("more for each of many pods", bent, False, 1))
    faults = [f"sample: {name}: {len(found)} faults, not {wanted}" for name, sample, is_same, wanted in cases
              for found in [faults_of(sample, rows, is_same)] if len(found) - len(excess(sample)) != wanted]
    return faults + [f"sample: {row} above its limit is not a fault" for row in MOST if len(excess(large)) != len(MOST)]


def report_gains(rows, table):
    better = [row for row, (count, _) in rows.items() if row in table and count * SAME + ALLOWANCE < table[row][0]]
    for row in better:
        print(f"better: {row}: {rows[row][0]} instructions, {rows[row][0] / table[row][0]:.2f} times the table's")
    if better:
        print("the table should be rewritten: --write")


def main():
    if common.run(["valgrind", "--version"])[0]:
        common.skip("valgrind not found")
    if missing := [program for program in PATTERNS if not (common.BUILD / "tests/bench" / program).exists()]:
        common.skip(f"{', '.join(missing)}: not built")
    os.environ["GLIBC_TUNABLES"] = PLAIN_COPIES
    found, rows = conditions(), {row: figures for program in PATTERNS for row, figures in measure(program).items()}
    if "--write" in sys.argv[1:]:
        write(found, rows)
    known, table = read()
    differing = [name for name in found if found[name] != known.get(name)]
    print(f"other than the table's: {', '.join(differing)}; half as many instructions more and growth are what counts"
          if differing else "as in the table: a tenth more instructions is a fault")
    report_gains(rows, table)
    common.finish(faults_of(rows, table, not differing) + sample_faults(rows), len(rows))


main()
