# SPDX-License-Identifier: MIT
"""Recomputes the tables of the manual pages in section 7 whose rows are examples. CHECKS names each by page, section
and headings; its function gets the rows and returns them as the library, or rebalancectl, has them now. A table that is
not found is a fault. SENTENCES of the text are recomputed in the same way, and so are sums such as "55 + 60 = 115".
Outputs of sessions are recomputed by check-worked.py, so some tables are compared with them."""
import fractions
import math
import re

import failover_tables
import manual
import spread_tables
from page_tables import (DELETION, EXAMPLES, FFI, KARMADA, LIBRARY, SPREAD, called, divide, document, in_text, made,
                         number, quantity, tables, text_of, tool, tool_with, value_of)

import common


def quantities(rows):
    return [[text, str(LIBRARY.rebal_quantity_value(quantity(text))), str(LIBRARY.rebal_quantity_milli(quantity(text)))]
            for text, *_ in rows]


def back_off(_):
    waits = [LIBRARY.rebal_queue_back_off_ns(attempts) // 10**9 for attempts in range(1, 20)]

    def returns(pool, checked_from, attempts=1):
        """Seconds from the entry until a binding returns, if checks begin so much later."""
        since, first, out = (FFI.new("rebal_time *", {"seconds": at, "is_set": 1}) for at in (0, checked_from, 0))
        called(LIBRARY.rebal_queue_flush(pool, since, attempts, first, out, FFI.NULL))
        return out.seconds
    pool = LIBRARY.REBAL_POOL_UNSCHEDULABLE
    longest = max(second for second in range(900) if returns(pool, second) > second)
    step = returns(LIBRARY.REBAL_POOL_BACK_OFF, 1, 5) - waits[4] + 1
    shown = ", ".join(str(wait) for wait in waits[:waits.index(waits[-1])])
    return [["Unschedulable", f"more than {longest // 60} minutes, or until an event",
             f"every {returns(pool, longest) - longest} s"],
            ["other", f"{shown}, then {waits[-1]} s, by attempts", "every second" if step == 1 else f"every {step} s"]]


def hashes(rows):
    def row(uid):
        value = start
        for byte in uid.encode():
            value = ((value ^ byte) * prime) % 2**32
        order = "ascending" if divide(1, {"m1": 1, "m2": 1}, uid)["m1"] else "descending"
        return [uid or "(empty)", f"{value:x}, {'odd' if value % 2 else 'even'}" if uid else "not hashed", order]
    start, prime = map(int, in_text(r"h = (\d+)\nfor each byte b: h = \(\(h xor b\) \* (\d+)\) mod", KARMADA))
    return [row(uid.replace("(empty)", "")) for uid, *_ in rows]


def seats(rows):
    votes = dict(zip(("m1", "m2"), map(int, in_text(r"seats with votes (\d+) for m1 and (\d+) for m2", KARMADA))))
    shown, held = [], divide(0, votes)
    for seat in range(1, len(rows) + 1):
        given = divide(seat, votes)
        winner = next(name for name in votes if given[name] > held[name])
        parts = [(vote, 2 * held[name] + 1) for name, vote in votes.items()]
        equal = len({fractions.Fraction(*part) for part in parts}) == 1
        shown.append([str(seat), *(f"{vote}/{divisor}" for vote, divisor in parts),
                      winner + (": equal, fewer seats" if equal else "")])
        held = given
    return shown


def estimate(binding):
    return int(in_text(rf"default/{binding} .* replicas (\d+) are not enough", KARMADA)[0])


def models(rows):
    text = (EXAMPLES / "estimates-clusters.yaml").read_text()
    grades = re.findall(r"name: cpu, min: (\S+), .*name: memory, min: (\S+),", text)
    counts = list(map(int, re.findall(r"count: (\d+)", text)))
    shown = []
    for request, *_ in rows:
        fits = [[number(free.strip('"')) // number(one) for free, one in zip(grade, request.split(", "))]
                if "," in request else [110] for grade in grades]
        total = sum(count * min(fit) for count, fit in zip(counts, fits))
        cells = [f"{count} * " + (f"min({', '.join(map(str, fit))})" if min(fit) and len(fit) > 1 else str(min(fit)))
                 for count, fit in zip(counts, fits)]
        name = {"500m, 1Gi": "cpu-memory", "500m, 3Gi": "memory-3gi"}.get(request, request)
        answer = estimate(f"{name}-modelled")
        shown.append([request, *cells, str(total) + (f", limited to {answer} pods" if answer != total else "")])
    return shown


def nodes(rows):
    def fit(cell):
        found = re.match(r"(\d+m)/(\d+m) = ", cell)
        return f"{found[0]}{number(found[1]) // number(found[2])}" if found else cell
    shown = []
    for name, *cells, _ in rows:
        again = list(map(fit, cells))
        total = sum(int(count) for count in re.findall(r"(?:^|= )(\d+)\b", "\n".join(again), re.M))
        answer = estimate(name.split()[0])
        shown.append([name, *again, str(total) if total == answer else f"{total}, in the session {answer}"])
    return shown


def grades_of_nodes(rows):
    text = (EXAMPLES / "grades.yaml").read_text()

    def grade(cpu, memory, none):
        node = f'    - {{name: node-1, allocatable: {{cpu: "{cpu}", memory: {memory}, pods: "110"}}}}\n'
        printed = tool_with(re.sub(r"( {4}- .*\n)+", node, text), "simulate")
        counts = re.search(r"nodes by grade: \{(.*)\}", printed)[1]
        return next((one.split(":")[0] for one in counts.split(", ") if one.endswith(":1")), none)
    shown = []
    for head, *_ in rows:
        cpu, memory = head.split(": ")[1].split(", ")
        shown.append([head, grade(cpu, "999Gi", "none"), grade("999", memory, "none"),
                      grade(cpu, memory, "not counted")])
    return shown


def scores(rows):
    text, shown = (EXAMPLES / "spread-regions.yaml").read_text(), []
    for name, *_ in rows:
        binding = next(part for part in text.split("\n---\n") if f"{{name: {name}," in part)
        replicas = int(re.search(r"^  replicas: (\d+)", binding, re.M)[1])
        regions, clusters = (int(found) for found in re.findall(r"minGroups: (\d+)", binding))
        goal = [str(math.ceil(replicas / regions)), str(max(regions, clusters))]
        explained = tool("explain", name, EXAMPLES / "five-clusters.yaml", EXAMPLES / "spread-regions.yaml")
        found = dict(re.findall(r"^- +\w+ +(r\d) +(\d+)", explained, re.M))
        shown.append([name, *(["-", "-"] if "Duplicated" in binding else goal), *(found[f"r{i}"] for i in (1, 2, 3))])
    return shown


# ---- other numbers ----
BINDING = """apiVersion: work.karmada.io/v1alpha2
kind: ResourceBinding
metadata: {name: %s, namespace: ns}
spec:
  resource: {apiVersion: apps/v1, kind: Deployment, name: web, namespace: ns}
  replicaRequirements: {resourceRequest: {cpu: "%s"}}
  clusters: [%s]
"""


def buckets(rows):
    def row(text):
        bucket = math.floor(math.log2(int(text.split()[0]) * 10**9))
        begins = 2**bucket / 10**9
        return [text, str(bucket), f"{begins:.1f} s" if begins < 10 else f"{begins:.0f} s"]
    return [row(text) for text, *_ in rows]


def powers(*shown):
    """Two powers of two in nanoseconds, and their minutes."""
    return [*shown[:2], *(str(round(2**int(power) / 6e10)) for power in shown[:2])]


def revised(groups, replicas, *_):
    """Groups of a RayService after it was revised."""
    listed = ", ".join(f"{{replicas: {one}}}" for one in re.findall(r"\d+", groups))
    options = FFI.new("rebal_interpret_opts *", {"struct_size": FFI.sizeof("rebal_interpret_opts"),
                                                 "revise_to": int(replicas)})
    answer = made("rebal_document", LIBRARY.rebal_interpret, document(
        f"{{apiVersion: ray.io/v1, kind: RayService, spec: {{rayClusterConfig: {{workerGroupSpecs: [{listed}]}}}}}}"),
        LIBRARY.REBAL_INTERPRET_REVISE, options)
    after = [str(group["replicas"]) for group in value_of(answer)["spec"]["rayClusterConfig"]["workerGroupSpecs"]]
    return [groups, replicas, str(int(replicas) - 1), f"{', '.join(after[:-1])} and {after[-1]}"]


def suffixes(*_):
    """1025 bytes and 1536 Mi, in requirements that are read from a pod template."""
    texts = []
    for memory in ("1025", "1536Mi"):
        template = f"{{spec: {{containers: [{{name: a, resources: {{requests: {{memory: '{memory}'}}}}}}]}}}}"
        answer = made("rebal_document", LIBRARY.rebal_interpret, document(
            f"{{apiVersion: apps/v1, kind: Deployment, spec: {{template: {template}}}}}"),
            LIBRARY.REBAL_INTERPRET_REPLICAS, FFI.NULL)
        texts.append(value_of(answer)["requirements"]["resourceRequest"]["memory"])
    return texts


def denied(request, before, after, used, limit, *_):
    """The message of a FederatedResourceQuota for a binding that had and gets clusters."""
    store = made("rebal_store", LIBRARY.rebal_store_new, FFI.NULL)
    text = "---\n".join(BINDING % (name, request, re.sub(r"(\w+): (\d+)", r"{name: \1, replicas: \2}", clusters))
                       for name, clusters in (("a", before), ("b", after))).encode()
    called(LIBRARY.rebal_store_load(store, text, len(text), FFI.NULL))
    fleet = made("rebal_fleet", LIBRARY.rebal_fleet_new, FFI.NULL)
    bindings = made("rebal_bindings", LIBRARY.rebal_bindings_new, fleet, FFI.NULL)
    called(LIBRARY.rebal_store_feed_bindings(store, fleet, FFI.NULL, 0, bindings, FFI.NULL))
    called(LIBRARY.rebal_bindings_freeze(bindings, FFI.NULL))
    builder, quota = made("rebal_builder", LIBRARY.rebal_builder_new, FFI.NULL), FFI.new("rebal_record **")
    text = (f"{{metadata: {{name: q0, namespace: ns}}, spec: {{overall: {{cpu: '{limit}'}}}}, "
            f"status: {{overallUsed: {{cpu: '{used}'}}}}}}").encode()
    called(LIBRARY.rebal_manifest_read_record(text, len(text), LIBRARY.REBAL_OBJECT_FEDERATED_QUOTA, FFI.NULL, builder,
                                              quota, FFI.NULL))
    options = FFI.new("rebal_federated_quota_opts *", {
        "struct_size": FFI.sizeof("rebal_federated_quota_opts"), "before": bindings, "quotas": quota, "n_quotas": 1})
    context = made("rebal_ctx", LIBRARY.rebal_ctx_new, FFI.NULL, FFI.NULL)
    result = made("rebal_result", LIBRARY.rebal_result_new, FFI.NULL)
    called(LIBRARY.rebal_federated_quota_check(context, bindings, 1, options, result, FFI.NULL))
    message = FFI.string(LIBRARY.rebal_result_text(result, LIBRARY.REBAL_STEP_MESSAGE, 0, FFI.NULL)).decode()
    return [request, before, after, used, limit, message]


CHECKS = (
    (KARMADA, "1.1", "quantity value milli", quantities),
    (KARMADA, "2.7", "failure waits checked", back_off),
    (KARMADA, "5.6", "binding target k r1 r2 r3", scores),
    (KARMADA, "6.3.1", "request grade 0 grade 1 grade 2 estimate", models),
    (KARMADA, "6.5.2", "binding n1 n2 n3 n4 sum", nodes),
    (KARMADA, "6.8", "node by cpu by memory grade", grades_of_nodes),
    (KARMADA, "7.7", "uid hash order", hashes),
    (KARMADA, "7.7", "seat m1 m2 goes to", seats),
    (KARMADA, "10.3", "binding tolerations earliest end", failover_tables.toleration_ends),
    (KARMADA, "10.4", "binding task facts", failover_tables.tasks),
    (SPREAD, "2.1", "x scaled legacy", spread_tables.limits),
    (SPREAD, "9.5", "pod patch result", spread_tables.merges),
    (SPREAD, "10", "maxReplicas admission status deletion cost", spread_tables.special_limits),
    (DELETION, "3.3", "d bucket bucket begins at", buckets))
SENTENCES = (
    (KARMADA, r"a binding requests\n\.Li cpu: (\d+)\nfor each replica and goes from \{(.*?)\} to \{(.*?)\}\.[\s\S]*?"
     r"with cpu: (\d+) used[\s\S]*?With the limit\n\.Li cpu: (\d+)\n[\s\S]*?\n(Federated.*)", denied),
    (KARMADA, r"1025 bytes are\n\.Li (\S+) ,\n1536 Mi are\n\.Li (\S+) \.", suffixes),
    (KARMADA, r"Groups of ([\d, and]+) revised to (\d+) \(w = (\d+)\) become ([\d, and]+)\.", revised),
    (KARMADA, r"m1 has (\d+) seats, m2 has (\d+)\.", lambda *_: list(map(str, divide(9, {"m1": 1, "m2": 3}).values()))),
    (DELETION, r"between\n2\^(\d+) and 2\^(\d+) nanoseconds \((\d+) and (\d+) minutes\)", powers))
# A sum, its result, and a unit that is written without a space.
EQUATION = re.compile(r"(?<![\w.(*/+-] )(?<![\w.(/*^])(\d[\w.^]*(?: ?[-+*/] ?\d[\w.^]*)+) += +(-?\d+(?:\.\d+)?)(\w*)")


def sums(page):
    """(how many sums the text has, the wrong ones). A quotient is rounded down; decimal fractions are rounded."""
    found, wrong = EQUATION.findall(manual.plain(text_of(page))), []
    for left, right, unit in found:
        terms = re.sub(r"\d[\w.]*", lambda at: f"number('{at[0]}')", left).replace("^", "**")
        exact = eval(terms)  # pylint: disable=eval-used
        shown = number(right + unit if unit and unit in left.replace("/", " ").split()[0] else right)
        if "/" in left:
            exact = exact if exact == shown else math.floor(exact)
        if abs(exact - shown) > (0.002 if "." in right else 0):
            wrong.append(f"man/{page}: {left} is {exact}, not {right}{unit}")
    return len(found), wrong


def differences(where, shown, now):
    return [f"man/{where}: {' | '.join(row)}, but now {' | '.join(again)}"
            for row, again in zip(shown, now) if row != again]


def main():
    checked, faults = 0, []
    listed = {page: tables(page) for page in (KARMADA, SPREAD, DELETION)}
    for page, section, headings, recomputed in CHECKS:
        rows = listed[page].get((section, headings), [])
        now = recomputed(rows) if rows else []
        if not rows or len(rows) != len(now):
            faults.append(f"man/{page} {section}: {len(rows)} rows below {headings}, expected {len(now) or 'some'}")
        checked, faults = checked + len(rows), faults + differences(f"{page} {section}", rows, now)
    for page, pattern, recomputed in SENTENCES:
        shown = list(in_text(pattern, page))
        checked, faults = checked + 1, faults + differences(page, [shown], [recomputed(*shown)])
    for page in manual.pages():
        if page.suffix == ".7":
            count, wrong = sums(page.name)
            checked, faults = checked + count, faults + wrong
    common.finish(faults, checked)


main()
