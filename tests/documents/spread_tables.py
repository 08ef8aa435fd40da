# SPDX-License-Identifier: MIT
"""Recomputes tables of rebalance-workloadspread(7), for check-tables.py."""
import math
import re

from page_tables import EXAMPLES, FFI, LIBRARY, SPREAD, document, in_text, tool_with, value_of

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


def limited(limit, total):
    """Of a subset with 20 pods: its limit in the status, and how many pods are kept, None if costs are not changed."""
    text = (EXAMPLES / "percent.yaml").read_text().replace("replicas: 10", f"replicas: {total}")
    subsets = f"  - {{name: a{limit and ', maxReplicas: '}{limit}}}\n  - {{name: b}}\n"
    objects = re.sub(r"(  - \{name.*\n)+", subsets, text) + "".join(POD % i for i in range(20))
    printed = tool_with(objects, "spread", "--now", "2026-03-14T12:00:00Z")
    kept = len(re.findall(r" Kept ", printed)) if re.search(r" (Kept|Surplus) ", printed) else None
    return re.search(r"^a +all +(\S+)", printed, re.M)[1], kept


def limits(rows):
    total, shown = in_text(r"With a total of (\d+):", SPREAD)[0], []
    for limit, *_ in rows:
        scaled, legacy = limited(f'"{limit}"', total)
        shown.append([limit, scaled.replace("-", "error"), "error" if legacy is None else str(legacy)])
    return shown


def special_limits(rows):
    """The column for admission is not recomputed."""
    samples = {"absent": [""], "0, 0%": ["0", "0%"], "below -1": ["-2"], "p%": ["33%"], "other text": ["abc"]}

    def row(limit):
        status, kept = limited(limit, 7)
        percent = re.match(r'"(\d+)(%*)"', limit)
        cost = {None: "skipped", 20: "all kept", 0: "all surplus"}.get(kept, kept)
        if percent and kept == limited(f"{percent[1]}%", 7)[1]:
            cost = f"{percent[1]}%"
        up = str(math.ceil(7 * 0.33)) if limit == "33%" else None
        return ["rounded up" if text == up else text
                for text in ({"unlimited": "-1", "-": "list null"}.get(status, status), str(cost))]
    shown = []
    for limit, admission, *_ in rows:
        found = [row(sample) for sample in samples.get(limit, [limit])]
        shown.append([limit, admission, *(found[0] if found[0] == found[-1] else ["differs", str(found)])])
    return shown


ITEM = {"containers": '{name: "%s"}', "tolerations": "{key: %s}", "finalizers": "%s"}
PLACES = {"env": "{spec: {containers: [{name: m, %s}]}}", "ports": "{spec: {containers: [{name: m, %s}]}}",
          "finalizers": "{metadata: {%s}}", "labels": "{metadata: {%s}}"}
# The meaning of cells of the examples that are not a field with the names of its elements.
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
