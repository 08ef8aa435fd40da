# SPDX-License-Identifier: MIT
"""karmada-rebalancer of the examples, against a real API server."""
import copy
import time

import controllers
from client import YAML, path, wait_for
from harness import API_SERVER

NAME = "karmada-rebalancer"
ROLE = f"librebalance-{NAME}"


def workload(case, name):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": case.namespace, "name": name}


def create_binding(case, name, admin=None):
    body = {"metadata": {"name": f"{name}-deployment"}, "spec": {"resource": workload(case, name), "replicas": 3}}
    return (admin or case.admin).create("ResourceBinding", body, case.namespace)


def create_rebalancer(case, workloads, **spec):
    return case.create_global("WorkloadRebalancer", {"metadata": {"name": case.name}, "spec": {
        "workloads": [workload(case, name) for name in workloads], **spec}})


def finished(case, generation=1):
    """Returns the status once it is that of a finished run; {name of workload: result}."""
    status = case.get("WorkloadRebalancer", case.name).get("status") or {}
    is_finished = status.get("finishTime") and status.get("observedGeneration") == generation
    return is_finished and {item["workload"]["name"]: (item["result"], item.get("reason", ""))
                            for item in status["observedWorkloads"]}


def is_gone(case):
    return case.admin.request("GET", path("WorkloadRebalancer", name=case.name))[0] == 404


def triggered(case, name):
    binding = case.admin.get(path("ResourceBinding", case.namespace, f"{name}-deployment"))
    return binding["spec"].get("rescheduleTriggeredAt")


def bindings_are_triggered(case):
    """One with a binding, one without: the times are that of the rebalancer, and the status names both."""
    controllers.start(case, NAME, "admin")
    create_binding(case, "web")
    made = create_rebalancer(case, ["web", "missing"])
    results = wait_for("a finished run", lambda: finished(case))
    assert results == {"web": ("Successful", ""), "missing": ("Failed", "ReferencedBindingNotFound")}, results
    assert triggered(case, "web") == made["metadata"]["creationTimestamp"], made
    assert not is_gone(case)


def rebalancers_before_the_controller_are_found(case):
    create_binding(case, "web")
    create_rebalancer(case, ["web"])
    controllers.start(case, NAME, "admin")
    wait_for("a finished run", lambda: finished(case))


def new_workloads_are_a_new_run(case):
    controllers.start(case, NAME, "admin")
    for name in ("api", "web"):
        create_binding(case, name)
    create_rebalancer(case, ["web"])
    wait_for("the first run", lambda: finished(case))
    case.admin.merge(path("WorkloadRebalancer", name=case.name),
                     {"spec": {"workloads": [workload(case, "web"), workload(case, "api")]}})
    results = wait_for("the second run", lambda: finished(case, 2))
    assert results == {"web": ("Successful", ""), "api": ("Successful", "")}, results
    assert triggered(case, "api"), results


def time_to_live(case):
    """At once with 0, later with more."""
    controllers.start(case, NAME, "admin")
    create_binding(case, "web")
    create_rebalancer(case, ["web"], ttlSecondsAfterFinished=0)
    wait_for("the deletion at once", lambda: is_gone(case), 5)
    create_rebalancer(case, ["web"], ttlSecondsAfterFinished=2)
    wait_for("a finished run", lambda: finished(case))
    start = time.monotonic()
    wait_for("the deletion later", lambda: is_gone(case), 10)
    assert time.monotonic() - start > 0.5


def server_may_restart(case):
    plane = case.start_plane("restarted", API_SERVER)
    plane.admin.create("Namespace", {"metadata": {"name": case.namespace}})
    controllers.start(case, NAME, "admin", plane)
    create_binding(case, "web", plane.admin)
    plane.stop_part("kube-apiserver")
    plane.start_part("kube-apiserver")
    plane.wait_ready()
    plane.admin.create("WorkloadRebalancer", {"metadata": {"name": case.name}, "spec": {
        "workloads": [workload(case, "web")]}})
    wait_for("a finished run", lambda: (plane.admin.get(path("WorkloadRebalancer", name=case.name)).get("status") or
                                        {}).get("finishTime"))


def shipped_role(case):
    """The role of deploy/, as the API server has it, bound to the user of controllers."""
    documents = (controllers.SOURCES / "deploy" / f"{NAME}.yaml").read_text().split("\n---\n")
    text = next(document for document in documents if "\nkind: ClusterRole\n" in document)
    made = case.admin.must("POST", path("ClusterRole"), text.encode(), YAML)
    case.at_end(lambda: case.admin.delete(path("ClusterRole", name=ROLE)))
    case.create_global("ClusterRoleBinding", {
        "metadata": {"name": case.name}, "subjects": [{"kind": "User", "name": "librebalance"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": ROLE}})
    return made["rules"]


def rights(rules):
    """[(place of a rule, resource, verb)]"""
    return [(place, resource, verb) for place, rule in enumerate(rules)
            for resource in rule["resources"] for verb in rule["verbs"]]


def without(rules, right):
    """The same rules but for one right."""
    place, resource, verb = right
    left = copy.deepcopy(rules)
    rule = left.pop(place)
    others = [name for name in rule["resources"] if name != resource]
    verbs = [name for name in rule["verbs"] if name != verb]
    left += [{**rule, "resources": others}] if others else []
    return left + ([{**rule, "resources": [resource], "verbs": verbs}] if verbs else [])


def each_right_is_needed(case):
    """
    The shipped role is enough. Without any of its rights something stays undone until it is given back; without the
    right to watch, the controller has to list again and again.
    """
    rules = shipped_role(case)
    case.create_global("ClusterResourceBinding", {"metadata": {"name": f"{case.name}-namespace"}, "spec": {
        "resource": {"apiVersion": "v1", "kind": "Namespace", "name": case.name}}})
    create_binding(case, "web")
    both = [workload(case, "web"), {"apiVersion": "v1", "kind": "Namespace", "name": case.name}]
    for right in [None, *rights(rules)]:
        case.admin.merge(path("ClusterRole", name=ROLE), {"rules": rules if right is None else without(rules, right)})
        controller = controllers.Controller(NAME, case.plane, "controllers")
        try:
            time.sleep(0.5)
            case.admin.create("WorkloadRebalancer", {"metadata": {"name": case.name}, "spec": {
                "workloads": both, "ttlSecondsAfterFinished": 0}})
            if right is not None:
                time.sleep(1.5)
                is_failing = not is_gone(case) if right[2] != "watch" else \
                    'cannot watch resource "workloadrebalancers"' in case.plane.log(NAME).read_text()
                assert is_failing, f"not needed: {right}"
                case.admin.merge(path("ClusterRole", name=ROLE), {"rules": rules})
            wait_for(f"the deletion, after {right} was missing", lambda: is_gone(case), 20)
        finally:
            assert controller.stop() == 0


TESTS = (
    (bindings_are_triggered, API_SERVER),
    (rebalancers_before_the_controller_are_found, API_SERVER),
    (new_workloads_are_a_new_run, API_SERVER),
    (time_to_live, API_SERVER),
    (server_may_restart, API_SERVER),
    (each_right_is_needed, API_SERVER),
)
