# SPDX-License-Identifier: MIT
"""check-solver.py [CASES [SEED]]: random problems of rebal_least_movement(), 2,000 by default, solved by HiGHS as
linear programs in two stages and given to the conformance runner, which also verifies the proof of each answer. Needs
highspy of PyPI."""
import json
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

try:
    import highspy
    import numpy
except ImportError:
    common.skip("highspy not found")

SLICE = 5000  # cases of one run of the runner


def draw_pair(dice, replicas):
    """(present, least, most) of a binding in a cluster."""
    present = dice.choice((0, 0, dice.randint(0, replicas + 1), dice.randint(0, replicas // 4 + 1)))
    most = dice.choice((0, dice.randint(0, replicas + 2), replicas // 3 + 1, replicas))
    least = dice.randint(0, min(most, 2)) if dice.random() < 0.15 else 0
    return present, least, most


def draw_binding(dice, number, n_clusters):
    replicas = dice.choice((dice.randint(0, 4), dice.randint(1, 30), dice.randint(20, 200)))
    pairs = {cluster: draw_pair(dice, replicas) for cluster in range(n_clusters) if dice.random() < 0.7}
    least = 0
    for cluster, (present, minimum, most) in pairs.items():
        if least + minimum > replicas:
            pairs[cluster] = (present, 0, most)
        least += pairs[cluster][1]
    return {"name": f"b{number:03}", "replicas": replicas, "weight": dice.choice((1, 1, 2, 3, 5, 7, 1000)),
            "pairs": pairs}


def draw_capacity(dice, wanted, n_clusters, least):
    """Of one cluster, for this share of what is wanted; never below the minimums there."""
    if dice.random() < 0.2:
        return None
    fair = wanted / n_clusters
    return max(least, int(fair * dice.choice((0, 0.5, 0.9, 1, 1.1, 2)) + dice.randint(0, 2)))


def draw(dice):
    """(bindings, capacities)"""
    if dice.random() < 0.02:
        n_bindings, n_clusters = dice.randint(20, 60), dice.randint(10, 40)
    else:
        n_bindings, n_clusters = dice.randint(1, 12), dice.randint(1, 10)
    bindings = [draw_binding(dice, number, n_clusters) for number in range(n_bindings)]
    wanted = sum(binding["replicas"] for binding in bindings)
    least = [sum(binding["pairs"].get(cluster, (0, 0, 0))[1] for binding in bindings) for cluster in range(n_clusters)]
    return bindings, [draw_capacity(dice, wanted, n_clusters, least[cluster]) for cluster in range(n_clusters)]


class Program:
    """max cost * x, lower <= x <= upper, sum of the columns of each row at most its limit."""

    def __init__(self):
        self.lower, self.upper, self.cost, self.columns, self.limits = [], [], [], [], []

    def add_row(self, limit):
        self.limits.append(limit)
        return len(self.limits) - 1

    def add_column(self, lower, upper, cost, rows):
        self.lower.append(lower)
        self.upper.append(upper)
        self.cost.append(cost)
        self.columns.append(rows)

    def solve(self, solver):
        """The best value, which is whole."""
        if not self.columns:
            return 0
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = len(self.columns), len(self.limits)
        model.sense_ = highspy.ObjSense.kMaximize
        model.col_cost_ = numpy.array(self.cost, dtype=float)
        model.col_lower_, model.col_upper_ = numpy.array(self.lower, dtype=float), numpy.array(self.upper, dtype=float)
        model.row_lower_ = numpy.full(len(self.limits), -highspy.kHighsInf)
        model.row_upper_ = numpy.array(self.limits, dtype=float)
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = numpy.cumsum([0] + [len(rows) for rows in self.columns])
        model.a_matrix_.index_ = numpy.array([row for rows in self.columns for row, _ in rows], dtype=numpy.int32)
        model.a_matrix_.value_ = numpy.array([value for rows in self.columns for _, value in rows], dtype=float)
        solver.passModel(model)
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            sys.exit(f"HiGHS: {solver.getModelStatus()}")
        value = solver.getInfo().objective_function_value
        if abs(value - round(value)) > 1e-4:
            sys.exit(f"HiGHS: {value} is not whole")
        return round(value)


def program(bindings, capacities, placed):
    """The most replicas placed (placed None), or the most kept if so many are placed."""
    result = Program()
    total = result.add_row(0 if placed is None else -placed) if placed is not None else None
    clusters = [None if capacity is None else result.add_row(capacity) for capacity in capacities]
    for binding in bindings:
        all_of = result.add_row(binding["replicas"])
        for cluster, (present, least, most) in binding["pairs"].items():
            most = min(most, binding["replicas"])
            rows = [(row, 1) for row in (all_of, clusters[cluster]) if row is not None]
            if placed is not None:
                kept = result.add_row(0)
                rows = [(total, -1)] + rows + [(kept, -1)]
                result.add_column(0, min(present, most), binding["weight"], [(kept, 1)])
            result.add_column(least, most, 1 if placed is None else 0, rows)
    return result


def case(dice, number, solver):
    bindings, capacities = draw(dice)
    placed = program(bindings, capacities, None).solve(solver)
    kept = program(bindings, capacities, placed).solve(solver)
    expect = {"placed": placed, "kept": kept}
    if placed == sum(binding["replicas"] for binding in bindings):
        expect["moved"] = sum(binding["weight"] * min(binding["replicas"],
                                                      sum(pair[0] for pair in binding["pairs"].values()))
                              for binding in bindings) - kept
    written = [{**{name: binding[name] for name in ("name", "replicas", "weight")},
                "present": {f"m{cluster:03}": pair[0] for cluster, pair in binding["pairs"].items() if pair[0]},
                "bounds": {f"m{cluster:03}": pair[1:] for cluster, pair in binding["pairs"].items() if pair[2]}}
               for binding in bindings]
    clusters = [{"name": f"m{cluster:03}", "capacity": capacity} for cluster, capacity in enumerate(capacities)]
    return {"id": f"solver-{number}", "expect": expect, "input": {"bindings": written, "clusters": clusters}}


def main():
    cases, seed = ([int(word) for word in sys.argv[1:]] + [2000, 1][len(sys.argv) - 1:])[:2]
    dice, solver, passed = random.Random(seed), highspy.Highs(), 0
    solver.setOptionValue("output_flag", False)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "least-move.jsonl"
        for first in range(0, cases, SLICE):
            n = min(SLICE, cases - first)
            path.write_text("".join(json.dumps(case(dice, first + i, solver)) + "\n" for i in range(n)))
            code, printed = common.run([common.BUILD / "tests/conformance/conformance", path])
            if code or printed.splitlines()[-1] != f"{n} passed, 0 failed, 0 by rule, 0 skipped":
                sys.exit(printed[-4000:])
            passed += n
    common.finish([], passed)


main()
