# SPDX-License-Identifier: MIT
"""Proofs of the arithmetic: every contract of *.acsl holds, and no function of them overflows, shifts too far, divides
by zero or reaches out of bounds, by Frama-C with Z3 and CVC4. RESULTS.md is the table; fewer proved goals are a fault.
With --write: rewrites it. With names of units (wide, time, ...): these alone, and prints goals without a proof.
Run by make check-proofs."""
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import annotate
import common

HERE = common.SOURCE / "tests/proofs"
TABLE = HERE / "RESULTS.md"
# Steps of a prover for a goal, which it counts itself: the answer does not depend on the load of the machine. The limit
# in seconds only ends one that hangs.
STEPS = "100000000"
SECONDS = "900"
# (unit, function, its text, a planted fault): these must not have a proof.
FAULTS = (("wide", "rebali_wide_add", "low < left.low", "low <= left.low"),
          ("integer", "rebali_integer_parse", "(INT64_MIN + digit) / 10", "INT64_MIN / 10"),
          ("duration", "rebali_time_after", "nanos < 0 ? -1 : nanos", "nanos"),
          ("plan_options", "rebali_plan_parameters", "parts / 100 + (parts % 100 != 0)", "parts / 100"))
PROVERS = {"qed": "Qed", "Z3": "Z3", "CVC4": "CVC4"}


def prove(unit, folder, environment, functions=None):
    """{function: {"goals", "Qed", "Z3", "CVC4", "open"}}, and the output on goals without a proof."""
    report = folder / f"{unit.name}.json"
    powers = " ".join(f"-DTWO_{bits}={1 << bits}" for bits in (31, 32, 63, 64))
    casts = "" if unit.model == "Typed" else "-DCASTS"
    flags = f"-I{folder}/lib -I{common.INCLUDE} -U__GNUC__ '-D_Alignof(type)=16' {powers} {casts}"
    code, printed = common.run(
        ["env", *environment, "frama-c", f"-cpp-extra-args={flags}", "-c11", "-wp", "-wp-rte", "-wp-model", unit.model,
         "-wp-driver", HERE / "quotient.driver", "-wp-prover", "z3,cvc4", "-wp-cache", "none", "-wp-steps", STEPS,
         "-wp-timeout", SECONDS, "-wp-par", os.environ.get("PROOFS_JOBS", "2"), "-wp-report-json", report, "-wp-fct",
         ",".join(functions or unit.proved()), folder / f"{unit.name}.c"])
    if code or not report.exists():
        sys.exit(f"{unit.name}: exit {code}\n{printed}")
    counted = json.loads(report.read_text())["wp:functions"]
    found = {}
    for function in functions or unit.proved():
        sums = counted.get(function, {}).get("wp:section", {})
        row = {"goals": 0, "Qed": 0, "Z3": 0, "CVC4": 0, "open": 0}
        for name, numbers in sums.items():
            if name == "wp:main":
                row["goals"] = numbers["total"]
                row["open"] = numbers["total"] - numbers.get("valid", 0)
            else:
                row[PROVERS[name.split(":")[0]]] += numbers.get("valid", 0)
        found[function] = row
    return found, printed


def prepare(folder):
    """Writes what the provers need beside the sources; returns the variables of their environment."""
    for tool in ("frama-c", "why3", "z3", "cvc4"):
        if not shutil.which(tool):
            common.skip(f"{tool} not found")
    settings = folder / "why3.conf"
    common.output(["why3", "-C", settings, "config", "detect"])
    return [f"WHY3CONFIG={settings}"]


def versions():
    frama_c = common.output(["frama-c", "-version"]).split()[0]
    z3 = re.search(r"version ([\d.]+)", common.output(["z3", "--version"]))[1]
    cvc4 = re.search(r"version ([\d.]+)", common.output(["cvc4", "--version"]))[1]
    return f"Frama-C {frama_c}, Z3 {z3}, CVC4 {cvc4}"


COUNTS = ("goals", "Qed", "Z3", "CVC4", "open")
ROW = re.compile(r"^\| `(\S+)` \| `(\w+)` " + r"\| (\d+) " * len(COUNTS) + r"\|", re.M)


def place_of(unit, function):
    return unit.source.removeprefix("lib/"), function


def read_table():
    """{(source, function): numbers} of the committed table, and the provers' versions there."""
    text = TABLE.read_text() if TABLE.exists() else ""
    rows = {(found[1], found[2]): dict(zip(COUNTS, map(int, found.groups()[2:]))) for found in ROW.finditer(text)}
    known = re.search(r"Frama-C [^ ]+, Z3 [\d.]+, CVC4 [\d.]+", text)
    return rows, known and known[0]


def table(units, rows):
    total = {name: sum(row[name] for row in rows.values()) for name in COUNTS}
    lines = ["<!-- SPDX-License-Identifier: MIT -->", "<!-- Made by check-proofs.py --write -->", "# What is proved",
             "", f"{len(rows)} functions, {total['goals']} goals, {total['goals'] - total['open']} proved: "
             f"{total['Qed']} by Qed, {total['Z3']} by Z3, {total['CVC4']} by CVC4; {total['open']} open. "
             f"{versions()}.", "",
             "| source | function | goals | Qed | Z3 | CVC4 | open | remarks |",
             "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    for unit in sorted(units, key=lambda unit: unit.source):
        for function in unit.proved():
            key = place_of(unit, function)
            if key in rows:
                numbers = " | ".join(str(rows[key][name]) for name in COUNTS)
                lines.append(f"| `{key[0]}` | `{function}` | {numbers} | {unit.notes.get(function, '')} |")
    lines += ["", "## Contracts that proofs use and no proof shows", "",
              "| source | function | why, and how it is tried |", "| --- | --- | --- |"]
    lines += [f"| `{unit.source.removeprefix('lib/')}` | `{function}` | {why} |"
              for unit in sorted(units, key=lambda unit: unit.source) for function, why in unit.given.items()]
    return "\n".join(lines) + "\n"


def check_axioms():
    """Z3 shows each axiom: names of axioms.txt and answers of axioms.smt2."""
    stated = re.findall(r"^axiom (\w+):", (HERE / "axioms.txt").read_text(), re.M)
    printed = common.output(["z3", f"-T:{SECONDS}", HERE / "axioms.smt2"]).split()
    shown = {name for name, answer in zip(printed[::2], printed[1::2]) if answer == "unsat"}
    return [f"axioms.smt2: {name} is not shown" for name in [*stated, *printed[::2]] if name not in shown]


def check_faults(units, folder, environment):
    """Each of FAULTS must leave a goal open: the proofs detect it."""
    faults = []
    for name, function, text, fault in FAULTS:
        unit = next(unit for unit in units if unit.name == name)
        copy = folder / f"{name}.c"
        whole = copy.read_text()
        if whole.count(text) != 1:
            faults.append(f"{unit.source}: {whole.count(text)} times: {text}")
            continue
        copy.write_text(whole.replace(text, fault))
        if not prove(unit, folder, environment, [function])[0][function]["open"]:
            faults.append(f"{function}: proved although {text} became {fault}")
        copy.write_text(whole)
    return faults


def check_tried(folder):
    """What is tried for all inputs."""
    program = folder / "tried"
    common.output([*common.CC, "-std=c11", "-O2", f"-I{common.SOURCE}/lib", f"-I{common.INCLUDE}", "-o", program,
                   HERE / "tried.c", common.SOURCE / "lib/estimator/divisor.c"])
    code, printed = common.run([program])
    return printed.splitlines() + [f"tried.c: exit {code}"] * (code != 0)


def compare(units, rows):
    """Rows that are worse than in the table, or differ from it."""
    known, provers = read_table()
    is_same = provers == versions()  # other versions make other goals of the same contracts
    faults = []
    for unit in units:
        for function in unit.proved():
            source, _ = key = place_of(unit, function)
            left = known[key]["open"] if key in known else 0
            if rows[key]["open"] > left:
                faults.append(f"{source}: {function}: {rows[key]['open']} goals are not proved, {left} in RESULTS.md")
            elif key not in known or is_same and any(known[key][name] != rows[key][name] for name in ("goals", "open")):
                faults.append(f"{source}: {function}: differs from RESULTS.md; check-proofs.py --write")
            elif not rows[key]["goals"]:
                faults.append(f"{source}: {function}: no goal")
    return faults


def prove_all(chosen, units, is_reported):
    """{(source, function): numbers} of the chosen units, and faults of the other checks."""
    rows, faults = {}, []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        environment = prepare(folder)
        try:
            annotate.write_copies(common.SOURCE, units, folder)
        except annotate.Gone as gone:
            common.finish([str(gone)], 0)
        for unit in chosen:
            found, printed = prove(unit, folder, environment)
            for function, row in found.items():
                rows[place_of(unit, function)] = row
                print(f"{unit.name}: {function}: {row['goals']} goals, {row['open']} open", flush=True)
            if is_reported:
                print(*re.findall(r"^\[wp\] \[(?!Qed|Z3|CVC4|Cache)\w+\] Goal \S+.*$", printed, re.M), sep="\n")
        if not is_reported:
            faults = check_axioms() + check_tried(folder) + check_faults(units, folder, environment)
    return rows, faults


def main():
    names = [word for word in sys.argv[1:] if word != "--write"]
    units = annotate.read_units(HERE)
    chosen = [unit for unit in units if not names or unit.name in names]
    rows, faults = prove_all(chosen, units, bool(names))
    if "--write" in sys.argv:
        known = read_table()[0]
        stated = {place_of(unit, function) for unit in units for function in unit.proved()}
        TABLE.write_text(table(units, {key: row for key, row in (known | rows).items() if key in stated}))
    if not names:
        stated = set(rows)
        faults += [f"{source}: {function}: in RESULTS.md alone" for source, function in set(read_table()[0]) - stated]
    common.finish(faults + compare(chosen, rows), sum(row["goals"] for row in rows.values()))


main()
