# SPDX-License-Identifier: MIT
"""kruise-spread-controller of the examples, against a real API server."""
import rights
from client import path, wait_for
from harness import ALL, API_SERVER

NAME = "kruise-spread-controller"
COST = "controller.kubernetes.io/pod-deletion-cost"
MATCHED = "apps.kruise.io/matched-workloadspread"
LONG_AGO = "2026-01-01T00:00:00Z"


def subset(name, most=None):
    return {"name": name, **({} if most is None else {"maxReplicas": most})}


def create_spread(case, name, target, *subsets, **spec):
    kind, target_name = target
    return case.create("WorkloadSpread", {"metadata": {"name": name}, "spec": {
        "targetRef": {"apiVersion": "apps/v1", "kind": kind, "name": target_name}, "subsets": list(subsets), **spec}})


def get(case, kind, name):
    """Returns an object of the test's namespace, {} if there is none."""
    status, found = case.admin.request("GET", path(kind, case.namespace, name))
    return found if status == 200 else {}


# ---- pods that the test creates ----


def create_replica_set(case, name, replicas):
    labels = {"app": name}
    return case.create("ReplicaSet", {"metadata": {"name": name}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "none"}]}}}})


def create_pod(case, owner, name, spread=None, of=None):
    """Creates a pod of a ReplicaSet, which a WorkloadSpread has put into a subset."""
    annotations = {MATCHED: f'{{"name":"{spread}","subset":"{of}"}}'} if spread else {}
    return case.create("Pod", {"metadata": {
        "name": name, "labels": owner["spec"]["selector"]["matchLabels"], "annotations": annotations,
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner["metadata"]["name"],
                             "uid": owner["metadata"]["uid"], "controller": True}]},
        "spec": owner["spec"]["template"]["spec"]})


def make_unschedulable(case, name):
    case.admin.merge(path("Pod", case.namespace, name, "status"), {"status": {"conditions": [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastTransitionTime": LONG_AGO}]}})


def add_ghost(case, name):
    """A pod that was admitted to the subset a, and was never created."""
    counts = {"name": "a", "replicas": 0, "missingReplicas": 4, "creatingPods": {"ghost": LONG_AGO}}
    case.admin.merge(path("WorkloadSpread", case.namespace, name, "status"),
                     {"status": {"versionedSubsetStatuses": {"versionIgnored": [counts]}}})


def cost(case, name):
    return get(case, "Pod", name).get("metadata", {}).get("annotations", {}).get(COST)


# ---- rights ----


def every_right_is_needed(case, kind, verbs=None):
    """A pod gets a cost, one waits for a node too long, and one that was admitted never came."""

    def act(label):
        owner = create_replica_set(case, label, 2)
        for name, of in (("kept", "a"), ("stuck", "a")):
            create_pod(case, owner, f"{label}-{name}", label, of)
        make_unschedulable(case, f"{label}-stuck")
        strategy = {"type": "Adaptive", "adaptive": {"rescheduleCriticalSeconds": 1}}
        create_spread(case, label, ("ReplicaSet", label), subset("a", 5), subset("b"), scheduleStrategy=strategy)
        add_ghost(case, label)

    def is_done(label):
        status = get(case, "WorkloadSpread", label).get("status") or {}
        events = [item["reason"] for item in case.admin.get(path("Event", case.namespace))["items"]
                  if item["involvedObject"]["name"] == label]
        found = (status.get("observedGeneration"), cost(case, f"{label}-kept"), get(case, "Pod", f"{label}-stuck"))
        assert found == (1, "100", {}), (found, status)
        if "CreatePodFailed" not in events and "ghost" not in str(status):
            add_ghost(case, label)  # an event that was refused is not sent again
        return "CreatePodFailed" in events

    rights.each_is_needed(case, NAME, kind, act, is_done, verbs=verbs)


def spread_needs_to_list(case):
    every_right_is_needed(case, "ClusterRole", ["list"])


def spread_needs_to_watch(case):
    every_right_is_needed(case, "ClusterRole", ["watch"])


def spread_needs_to_write(case):
    every_right_is_needed(case, "ClusterRole", ["patch", "delete", "create"])


def spread_needs_its_lease(case):
    every_right_is_needed(case, "Role")


TESTS = (
    (spread_needs_to_list, API_SERVER),
    (spread_needs_to_watch, API_SERVER),
    (spread_needs_to_write, API_SERVER),
    (spread_needs_its_lease, API_SERVER),
)
