# SPDX-License-Identifier: MIT
"""What tests of WorkloadSpreads share: nodes in zones, workloads, and what became of their pods."""
import json

from case import condition, pod_spec
from client import path, wait_for

CONTROLLER = "kruise-spread-controller"
COST = "controller.kubernetes.io/pod-deletion-cost"
MATCHED = "apps.kruise.io/matched-workloadspread"
ZONE = "topology.kubernetes.io/zone"


def get(case, kind, name):
    """Returns an object of the test's namespace, {} if there is none."""
    status, found = case.admin.request("GET", path(kind, case.namespace, name))
    return found if status == 200 else {}


def create_zones(case, cpu):
    """Creates a node in each zone, {zone: CPU}. Returns {zone: name of its node}."""
    names = dict(zip(cpu, case.create_nodes(len(cpu), cpu=1)))
    for zone, name in names.items():
        size = {"cpu": str(cpu[zone]), "memory": "64Gi", "pods": "200"}
        case.admin.merge(path("Node", name=name), {"metadata": {"labels": {ZONE: zone}}})
        case.admin.merge(path("Node", name=name, subresource="status"),
                         {"status": {"capacity": size, "allocatable": size}})
    return names


def subset(name, zone=None, most=None, patch=None):
    """A subset of a WorkloadSpread."""
    found = {"name": name}
    if zone is not None:
        found["requiredNodeSelector"] = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}
    if most is not None:
        found["maxReplicas"] = most
    if patch is not None:
        found["patch"] = patch
    return found


def spread(name, kind, *subsets, critical_seconds=None):
    """A WorkloadSpread for the workload of the same name; adaptive if critical_seconds are given."""
    spec = {"targetRef": {"apiVersion": "apps/v1", "kind": kind, "name": name}, "subsets": list(subsets)}
    if critical_seconds is not None:
        spec["scheduleStrategy"] = {
            "type": "Adaptive", "adaptive": {"rescheduleCriticalSeconds": critical_seconds}}
    return {"metadata": {"name": name}, "spec": spec}


def workload(case, name, replicas, cpu="1", labels=None):
    """A Deployment, or a StatefulSet."""
    found = {"app": name, **(labels or {})}
    return {"metadata": {"name": name}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": found}, "spec": pod_spec(case, cpu)}}}


def scale(case, kind, name, replicas):
    case.admin.merge(path(kind, case.namespace, name), {"spec": {"replicas": replicas}})


def living(case, app):
    """Returns the pods of a workload that are not being deleted."""
    return [pod for pod in case.pods() if pod["metadata"]["labels"].get("app") == app and
            "deletionTimestamp" not in pod["metadata"]]


def count(pods, name_of):
    """{name: pods}"""
    found = {}
    for pod in pods:
        found[name_of(pod)] = found.get(name_of(pod), 0) + 1
    return found


def subset_of(pod):
    """Returns the subset in the annotation of a pod; "" if there is none."""
    text = pod["metadata"].get("annotations", {}).get(MATCHED)
    return json.loads(text)["subset"] if text else ""


def by_subset(pods):
    return count(pods, subset_of)


def costs(pods):
    """{subset: costs of its pods, each once}"""
    found = {}
    for pod in pods:
        found.setdefault(subset_of(pod), set()).add(pod["metadata"].get("annotations", {}).get(COST))
    return found


def subset_statuses(thing):
    """{subset: (replicas, missingReplicas, status of its condition Schedulable)} of a WorkloadSpread."""
    return {item["name"]: (item["replicas"], item["missingReplicas"],
                           condition({"status": item}, "Schedulable").get("status"))
            for item in (thing.get("status") or {}).get("subsetStatuses") or []}


def in_flight(thing):
    """Does the status of a WorkloadSpread name pods that were admitted and not seen yet?"""
    status = json.dumps(thing.get("status") or {})
    return "creatingPods" in status or "deletingPods" in status


def wait_for_replica_sets(case):
    """Returns when their controller has received all changes of pods up to now, such as costs. It receives them in
    order: it has when it has replaced a pod that is deleted now."""
    if not get(case, "ReplicaSet", "probe"):
        case.create("ReplicaSet", workload(case, "probe", 1))
    old = wait_for("a pod", lambda: living(case, "probe"))[0]["metadata"]["name"]
    case.admin.delete(path("Pod", case.namespace, old))
    wait_for("another pod", lambda: [pod for pod in living(case, "probe") if pod["metadata"]["name"] != old])
