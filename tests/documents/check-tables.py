# SPDX-License-Identifier: MIT
"""Recomputes the tables of the manual pages in section 7 whose rows are examples. CHECKS names each by page, section
and headings; its function gets the rows and returns them as the library, or rebalancectl, has them now. A table that is
not found is a fault. SENTENCES of the text are recomputed in the same way, and so are sums such as "55 + 60 = 115".
Outputs of sessions are recomputed by check-worked.py, so some tables are compared with them."""
import fractions
import math
import re

import manual
from page_tables import (FFI, LIBRARY, called, divide, document, in_text, made, number, quantity, tables, text_of, tool,
                         tool_with, value_of)

import common

KARMADA, SPREAD, DELETION = "rebalance-karmada.7", "rebalance-workloadspread.7", "rebalance-deletion-order.7"
EXAMPLES = common.SOURCE / "examples/pages"


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


# ---- WorkloadSpreads ----
POD = """---
apiVersion: v1
kind: Pod
metadata:
  name: p%d
  labels: {app: web}
  annotations: {apps.kruise.io/matched-workloadspread: '{"name":"web","subset":"a"}'}
  ownerReferences: [{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, name: web, uid: web, controller: true}]
spec: {nodeName: node-1}
status: {phase: Running}
"""


def limits(rows):
    """The limit of a status, and how many of 20 pods are kept, by rebalancectl spread for 7 replicas."""
    total = in_text(r"With a total of (\d+):", SPREAD)[0]
    text = (EXAMPLES / "percent.yaml").read_text().replace("replicas: 10", f"replicas: {total}")
    shown = []
    for limit, *_ in rows:
        subsets = f'  - {{name: a, maxReplicas: "{limit}"}}\n  - {{name: b}}\n'
        objects = re.sub(r"(  - \{name.*\n)+", subsets, text) + "".join(POD % i for i in range(20))
        printed = tool_with(objects, "spread", "--now", "2026-03-14T12:00:00Z")
        scaled = re.search(r"^a +all +(\S+)", printed, re.M)[1]
        legacy = len(re.findall(r" Kept ", printed)) if re.search(r" (Kept|Surplus) ", printed) else "error"
        shown.append([limit, scaled.replace("-", "error"), str(legacy)])
    return shown


ITEM = {"containers": '{name: "%s"}', "tolerations": "{key: %s}", "finalizers": "%s"}
PLACES = {"env": "{spec: {containers: [{name: m, %s}]}}", "ports": "{spec: {containers: [{name: m, %s}]}}",
          "finalizers": "{metadata: {%s}}", "labels": "{metadata: {%s}}"}
# What the cells of the examples stand for that are not a field and the names of its elements.
MEANINGS = {
    "env A=1, B=2": 'env: [{name: A, value: "1"}, {name: B, value: "2"}]',
    "env N=3, B=9": 'env: [{name: "N", value: "3"}, {name: B, value: "9"}]',
    "env A, a value": 'env: [{name: A, value: "1"}]',
    "env A, valueFrom": "env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]",
    "ports 53/TCP, 53/UDP": "ports: [{containerPort: 53, protocol: TCP}, {containerPort: 53, protocol: UDP}]",
    "port 53, name x": "ports: [{containerPort: 53, name: x}]",
    "tolerations []": "tolerations: []", "containers []": "containers: []",
    "constraints zone 1": "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone}]",
    "constraints host 2, zone 3":
        "topologySpreadConstraints: [{maxSkew: 2, topologyKey: host}, {maxSkew: 3, topologyKey: zone}]",
    "{name b, $patch delete}": "containers: [{name: b, $patch: delete}]",
    "{$patch replace}, z": "containers: [{$patch: replace}, {name: z}]",
    "nodeSelector a, b": "nodeSelector: {a: '1', b: '1'}", "nodeSelector a": "nodeSelector: {a: '1'}",
    "{$patch replace, c}": "nodeSelector: {$patch: replace, c: '1'}",
    "{$patch delete}": "nodeSelector: {$patch: delete}",
    "no nodeSelector": "",
    "volume v, emptyDir": "volumes: [{name: v, emptyDir: {}}]",
    "volume v, hostPath": "volumes: [{name: v, hostPath: {path: /a}}]",
    "v, hostPath, retain": "volumes: [{name: v, $retainKeys: [name, hostPath], hostPath: {path: /a}}]",
    "order b, a, n; containers n":
        "$setElementOrder/containers: [{name: b}, {name: a}, {name: 'n'}], containers: [{name: 'n'}]",
    "order s, b, a": "$setElementOrder/containers: [{name: s}, {name: b}, {name: a}]",
    "order a; containers n": "$setElementOrder/containers: [{name: a}], containers: [{name: 'n'}]",
    "delete b; finalizers d": "$deleteFromPrimitiveList/finalizers: [b], finalizers: [d]",
    "labels a, b": "labels: {a: '1', b: '1'}", "a null, z null": "labels: {a: null, z: null}",
    "containers {image x}": "containers: [{image: x}]"}


def meaning(cell):
    kind, _, names = cell.partition(" ")
    if cell in MEANINGS or kind not in ITEM:
        return MEANINGS.get(cell, f"no meaning: {cell}")
    return f"{kind}: [{', '.join(ITEM[kind] % name for name in names.split(', '))}]"


def shown_item(item):
    if isinstance(item, str):
        return item
    if "containerPort" in item:
        return f"{item['containerPort']}/{item.get('protocol', 'TCP')}" + (f" {item['name']}" if "name" in item else "")
    if "maxSkew" in item:
        return f"{item['topologyKey']} {item['maxSkew']}"
    sources = [key for key in ("value", "valueFrom", "emptyDir", "hostPath") if key in item]
    name = item.get("name", item.get("key"))
    if len(sources) > 1:
        return f"{name} has both"
    return name + {"value": f"={item.get('value')}", "hostPath": " hostPath"}.get("".join(sources), "")


def merges(rows):
    shown = []
    for pod, patch, _ in rows:
        first, second = meaning(pod), meaning(patch)
        field = re.match(r"\w+", first or second)[0]
        place, out = PLACES.get(field, "{spec: {%s}}"), FFI.new("rebal_document **")
        code = LIBRARY.rebal_document_patch(document(place % first), document(place % second),
                                            LIBRARY.REBAL_PATCH_STRATEGIC, out, FFI.NULL)
        value = {} if code else value_of(out[0])
        for step in re.findall(r"(spec|metadata|containers(?=: \[\{name: m))", place):
            value = value.get(step, {})
            value = value[0] if isinstance(value, list) else value
        value = value.get(field)
        empty = {"None": "error" if code else "none", "[]": "[]", "{}": "{}"}.get(str(value))
        shown.append([pod, patch, empty or ", ".join(map(shown_item, value))])
    return shown


# ---- other numbers ----
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


CHECKS = (
    (KARMADA, "1.1", "quantity value milli", quantities),
    (KARMADA, "2.7", "failure waits checked", back_off),
    (KARMADA, "5.6", "binding target k r1 r2 r3", scores),
    (KARMADA, "6.3.1", "request grade 0 grade 1 grade 2 estimate", models),
    (KARMADA, "6.5.2", "binding n1 n2 n3 n4 sum", nodes),
    (KARMADA, "6.8", "node by cpu by memory grade", grades_of_nodes),
    (KARMADA, "7.7", "uid hash order", hashes),
    (KARMADA, "7.7", "seat m1 m2 goes to", seats),
    (SPREAD, "2.1", "x scaled legacy", limits),
    (SPREAD, "9.5", "pod patch result", merges),
    (DELETION, "3.3", "d bucket bucket begins at", buckets))
SENTENCES = (
    (KARMADA, r"Groups of ([\d, and]+) revised to (\d+) \(w = (\d+)\) become ([\d, and]+)\.", revised),
    (KARMADA, r"m1 has (\d+) seats, m2 has (\d+)\.", lambda *_: list(map(str, divide(9, {"m1": 1, "m2": 3}).values()))),
    (DELETION, r"between\n2\^(\d+) and 2\^(\d+) nanoseconds \((\d+) and (\d+) minutes\)", powers))
# A sum, its result, and a unit that is written without a space.
EQUATION = re.compile(r"(?<![\w.(*/+-] )(?<![\w.(/*^])(\d[\w.]*(?: ?[-+*/] ?\d[\w.]*)+) += +(-?\d+(?:\.\d+)?)(\w*)")


def sums(page):
    """(how many sums the text has, the wrong ones). A quotient is rounded down; decimal fractions are rounded."""
    found, wrong = EQUATION.findall(manual.plain(text_of(page))), []
    for left, right, unit in found:
        exact = eval(re.sub(r"\d[\w.]*", lambda at: f"number('{at[0]}')", left))  # pylint: disable=eval-used
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
