# SPDX-License-Identifier: MIT
"""kruise-spread-controller of the examples, against a real API server."""
import signal

import controllers
import rights
from case import condition
from client import path, wait_for
from harness import ALL, API_SERVER
from spreads import (CONTROLLER, COST, MATCHED, ZONE, create_zones, get, living, spread, subset, subset_statuses,
                     workload)

SUBSET_LABEL = "apps.kruise.io/subset-name"
RESERVED_LABEL = "apps.kruise.io/united-deployment-reserved-pod"
LONG_AGO = "2026-01-01T00:00:00Z"


# ---- pods that the test creates ----


def controlled_by(owner, version, kind):
    return {"apiVersion": version, "kind": kind, "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
            "controller": True}


def create_replica_set(case, name, replicas, labels=None, *owners):
    labels = {"app": name, **(labels or {})}
    return case.create("ReplicaSet", {"metadata": {"name": name, "ownerReferences": owners}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "none"}]}}}})


def create_pod(case, owner, name, of):
    """Creates a pod of a ReplicaSet, which the WorkloadSpread of the same name has put into a subset."""
    annotations = {MATCHED: f'{{"name":"{owner["metadata"]["name"]}","subset":"{of}"}}'}
    return case.create("Pod", {"metadata": {
        "name": name, "labels": owner["spec"]["selector"]["matchLabels"], "annotations": annotations,
        "ownerReferences": [controlled_by(owner, "apps/v1", "ReplicaSet")]},
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


def one_that_cannot_be_read_stops_no_other(case):
    """Another WorkloadSpread is malformed in a way that the CRD accepts."""
    case.create("WorkloadSpread", spread("broken", "ReplicaSet", {
        "name": "a", "maxReplicas": 3_000_000_000}))
    controllers.start(case, CONTROLLER, "admin")
    create_pod(case, create_replica_set(case, "web", 1), "web-1", "a")
    case.create("WorkloadSpread", spread("web", "ReplicaSet", subset("a")))
    wait_for("a cost", lambda: cost(case, "web-1") == "100")
    assert not get(case, "WorkloadSpread", "broken").get("status")


def expired_watches_are_listed_again(case):
    """
    While the controller is stopped, the API server restarts, a pod is deleted and another created: its watches are too
    old for the API server afterwards.
    """
    own = case.at(case.start_plane("own", API_SERVER))
    controller = controllers.start(own, CONTROLLER, "admin")
    owner = create_replica_set(own, "web", 2)
    for name in ("web-1", "web-2"):
        create_pod(own, owner, name, "a")
    made = own.create("WorkloadSpread", spread("web", "ReplicaSet", subset("a", most=5)))
    wait_for("two pods", lambda: subset_statuses(get(own, "WorkloadSpread", "web")).get("a", ())[:2] == (2, 3))
    controller.signal(signal.SIGSTOP)
    own.admin.delete(path("Pod", own.namespace, "web-2"))
    own.plane.stop_part("kube-apiserver")
    own.plane.start_part("kube-apiserver")
    own.plane.wait_ready()
    for name in ("web-3", "web-4"):
        create_pod(own, owner, name, "a")
    with own.admin.watch(path("Pod", own.namespace), resourceVersion=made["metadata"]["resourceVersion"]) as watch:
        kind, status = watch.next_event()
        assert (kind, status["code"]) == ("ERROR", 410), (kind, status)
    controller.signal(signal.SIGCONT)
    wait_for("three pods", lambda: subset_statuses(get(own, "WorkloadSpread", "web")).get("a", ())[:2] == (3, 2))
    assert [cost(own, name) for name in ("web-1", "web-3", "web-4")] == ["100"] * 3


# ---- UnitedDeployments ----


def create_united(case, name, replicas, subsets, **adaptive):
    """Creates a UnitedDeployment with the status that another controller maintains and OpenKruise requires."""
    case.create("UnitedDeployment", {"metadata": {"name": name}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": name}}, "topology": {
            "subsets": subsets, "scheduleStrategy": {"type": "Adaptive", "adaptive": adaptive}}}})
    return case.admin.merge(path("UnitedDeployment", case.namespace, name, "status"), {
        "status": {"currentRevision": "1", "replicas": 0, "updatedReplicas": 0}})


def create_subset_workload(case, united, of, zone):
    """Creates the Deployment of a subset, as another controller of UnitedDeployments does."""
    name = f"{united['metadata']['name']}-{of}"
    body = workload(case, name, 0, labels={SUBSET_LABEL: of})
    body["metadata"].update(labels={SUBSET_LABEL: of}, ownerReferences=[
        controlled_by(united, "apps.kruise.io/v1beta1", "UnitedDeployment")])
    body["spec"]["template"]["spec"]["nodeSelector"][ZONE] = zone
    case.create("Deployment", body)


def subset_condition(case, name, of):
    """Returns the status of the condition of a subset; None if there is none."""
    statuses = (get(case, "UnitedDeployment", name).get("status") or {}).get("subsetStatuses") or []
    return next((condition({"status": item}, "Schedulable").get("status") for item in statuses if item["name"] == of),
                None)


def replicas_are(case, name, **wanted):
    found = {of: get(case, "Deployment", f"{name}-{of}")["spec"]["replicas"] for of in wanted}
    pods = {of: len(living(case, f"{name}-{of}")) for of in wanted}
    assert found == pods == wanted, (found, pods, get(case, "UnitedDeployment", name).get("status"))
    return True


def united_subsets_are_scaled(case):
    """Two of four pods in zone a find no node: they move to b. When their subset is tried again, running pods stay."""
    create_zones(case, {"a": 2, "b": 16})
    controllers.start(case, CONTROLLER, "admin", None, "--united-deployments")
    united = create_united(case, "web", 6, [{"name": "a", "maxReplicas": 4}, {"name": "b"}],
                           rescheduleCriticalSeconds=2, unschedulableDuration=5)
    for of in ("a", "b"):
        create_subset_workload(case, united, of, of)
    wait_for("four pods in a", lambda: replicas_are(case, "web", a=4, b=2))
    wait_for("two of them in b", lambda: replicas_are(case, "web", a=2, b=4) and
             subset_condition(case, "web", "a") == "False")
    wait_for("the end of the time after which a is tried again", lambda: subset_condition(case, "web", "a") == "True")
    assert replicas_are(case, "web", a=2, b=4)


def united_pods_are_reserved(case):
    """Pods without a node stay in reserve, b has substitutes. They return when they have run for long enough."""
    nodes = create_zones(case, {"a": 2, "b": 16})
    controllers.start(case, CONTROLLER, "admin", None, "--united-deployments")
    united = create_united(case, "web", 6, [{"name": "a", "maxReplicas": 4}, {"name": "b"}],
                           rescheduleCriticalSeconds=2, unschedulableDuration=3, reserveUnschedulablePods=True)
    for of in ("a", "b"):
        create_subset_workload(case, united, of, of)
    wait_for("two pods in reserve", lambda: replicas_are(case, "web", a=4, b=4) and reserved(case, "web-a") == 2)
    size = {"cpu": "16", "memory": "64Gi", "pods": "200"}
    case.admin.merge(path("Node", name=nodes["a"], subresource="status"),
                     {"status": {"capacity": size, "allocatable": size}})
    wait_for("none in reserve", lambda: replicas_are(case, "web", a=4, b=2) and reserved(case, "web-a") == 0)
    assert subset_condition(case, "web", "a") == "True"


def united_needs_each_right(case):
    """Subsets of every kind are scaled, and one with a pod that waits too long for a node gets its condition."""
    rights.shipped(case, CONTROLLER)
    role = rights.shipped(case, f"{CONTROLLER}-united")["ClusterRole"]
    kinds = ("apps/v1 Deployment", "apps/v1 StatefulSet", "apps.kruise.io/v1alpha1 CloneSet",
             "apps.kruise.io/v1beta1 StatefulSet")

    def act(label):
        united = create_united(case, label, 4, [*({"name": f"s{i}", "maxReplicas": 1} for i in range(4)),
                                                {"name": "stuck"}], rescheduleCriticalSeconds=0)
        for i, kind in enumerate(kinds):
            create_idle_workload(case, united, f"s{i}", *kind.split())
        create_stuck_workload(case, united, "stuck")

    def is_done(label):
        found = [case.admin.get(scalable(kind, case.namespace, f"{label}-s{i}"))["spec"]["replicas"]
                 for i, kind in enumerate(kinds)]
        assert (found, subset_condition(case, label, "stuck")) == ([1, 1, 1, 1], "False"), (
            found, get(case, "UnitedDeployment", label))
        return True

    for right in [None, *rights.rights(role[1])]:
        rights.try_without(case, CONTROLLER, role, right, act, is_done, ["--united-deployments"], "controllers")


def united_is_scaled_after_its_condition(case):
    """
    While the condition cannot be written, the subset with a pod without a node keeps its replicas: they identify the
    pod.
    """
    rights.shipped(case, CONTROLLER)
    role = rights.shipped(case, f"{CONTROLLER}-united")["ClusterRole"]
    right = next(item for item in rights.rights(role[1]) if item[1:] == ("uniteddeployments/status", "patch"))
    log = case.plane.log(CONTROLLER)

    def replicas(label):
        return [get(case, "Deployment", f"{label}-{of}")["spec"]["replicas"] for of in ("a", "b")]

    def refusals():
        return log.read_text().count("cannot patch") if log.exists() else 0

    def act(label):
        before = refusals()
        united = create_united(case, label, 0, [{"name": "a", "maxReplicas": 2}, {"name": "b"}],
                               rescheduleCriticalSeconds=0)
        create_idle_workload(case, united, "b", "apps/v1", "Deployment")
        create_stuck_workload(case, united, "a")
        wait_for("the pod to be seen", lambda: refusals() > before)
        case.admin.merge(path("UnitedDeployment", case.namespace, label), {"spec": {"replicas": 4}})
        before = refusals()
        wait_for("two passes more", lambda: refusals() >= before + 2)
        assert replicas(label) == [0, 0]

    def is_done(label):
        assert replicas(label) == [0, 4] and subset_condition(case, label, "a") == "False"
        return True

    rights.try_without(case, CONTROLLER, role, right, act, is_done, ["--united-deployments"], "controllers")


def scalable(kind, namespace, name=""):
    """Returns the path of objects of a kind that is given as "VERSION KIND"."""
    version, kind = kind.split()
    return f"/apis/{version}/namespaces/{namespace}/{kind.lower()}s" + (f"/{name}" if name else "")


def create_idle_workload(case, united, of, version, kind):
    """Creates a workload of a subset, of which there are no pods."""
    name = f"{united['metadata']['name']}-{of}"
    body = workload(case, name, 0, labels={SUBSET_LABEL: of})
    body["metadata"].update(labels={SUBSET_LABEL: of}, ownerReferences=[
        controlled_by(united, "apps.kruise.io/v1beta1", "UnitedDeployment")])
    target = scalable(f"{version} {kind}", case.namespace)
    return case.admin.must("POST", target, {"apiVersion": version, "kind": kind, **body})


def create_stuck_workload(case, united, of):
    """Creates a Deployment of a subset, with one pod, which finds no node."""
    stuck = create_idle_workload(case, united, of, "apps/v1", "Deployment")
    name = stuck["metadata"]["name"]
    case.admin.merge(path("Deployment", case.namespace, name, "status"), {"status": {"replicas": 1}})
    owner = create_replica_set(case, name, 1, {SUBSET_LABEL: of}, controlled_by(stuck, "apps/v1", "Deployment"))
    create_pod(case, owner, f"{name}-1", of)
    make_unschedulable(case, f"{name}-1")


def reserved(case, app):
    return [pod["metadata"]["labels"].get(RESERVED_LABEL) for pod in living(case, app)].count("true")


# ---- rights ----


def every_right_is_needed(case, kind, verbs=None):
    """A pod gets a cost, one waits too long for a node, and an admitted one was never created."""

    def act(label):
        owner = create_replica_set(case, label, 2)
        for name in ("kept", "stuck"):
            create_pod(case, owner, f"{label}-{name}", "a")
        make_unschedulable(case, f"{label}-stuck")
        case.create("WorkloadSpread",
                    spread(label, "ReplicaSet", subset("a", most=5), subset("b"), critical_seconds=1))
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

    rights.each_is_needed(case, CONTROLLER, kind, act, is_done, verbs=verbs)


def spread_needs_to_list(case):
    every_right_is_needed(case, "ClusterRole", ["list"])


def spread_needs_to_watch(case):
    every_right_is_needed(case, "ClusterRole", ["watch"])


def spread_needs_to_write(case):
    every_right_is_needed(case, "ClusterRole", ["patch", "delete", "create"])


def spread_needs_its_lease(case):
    every_right_is_needed(case, "Role")


TESTS = (
    (one_that_cannot_be_read_stops_no_other, API_SERVER),
    (expired_watches_are_listed_again, API_SERVER),
    (united_subsets_are_scaled, ALL),
    (united_pods_are_reserved, ALL),
    (united_needs_each_right, API_SERVER),
    (united_is_scaled_after_its_condition, API_SERVER),
    (spread_needs_to_list, API_SERVER),
    (spread_needs_to_watch, API_SERVER),
    (spread_needs_to_write, API_SERVER),
    (spread_needs_its_lease, API_SERVER),
)
