# SPDX-License-Identifier: MIT
"""karmada-rebalancer of the examples, against a real API server."""
import calendar
import time

import controllers
import rights
from client import path, wait_for
from harness import API_SERVER

NAME = "karmada-rebalancer"


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
    wait_for("the deletion at once", lambda: is_gone(case))
    create_rebalancer(case, ["web"], ttlSecondsAfterFinished=2)
    wait_for("a finished run", lambda: finished(case))
    finish = case.get("WorkloadRebalancer", case.name)["status"]["finishTime"]
    wait_for("the deletion later", lambda: is_gone(case))
    assert time.time() >= calendar.timegm(time.strptime(finish, "%Y-%m-%dT%H:%M:%SZ")) + 2


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


def copies_share_a_lease(case):
    """
    The first copy is killed, the second one ends well: each time another one takes over, and nothing is lost. The Lease
    of the second one is long: it gives it up.
    """
    def start(duration):
        controller = controllers.Controller(NAME, case.plane, "admin", "--lease", f"{case.namespace}/{NAME}",
                                            "--lease-duration", duration)
        case.at_end(controller.kill)
        return controller

    create_binding(case, "web")
    first = start("2")
    held_by = wait_for("a holder", lambda: controllers.holder(case, NAME))
    second = start("600")
    create_rebalancer(case, ["web"])
    wait_for("a run of the first copy", lambda: finished(case))
    assert controllers.holder(case, NAME) == held_by
    first.kill()
    case.admin.delete(path("WorkloadRebalancer", name=case.name))
    create_rebalancer(case, ["web"])
    wait_for("a run of the second copy", lambda: finished(case))
    assert controllers.holder(case, NAME) != held_by
    held_by = controllers.holder(case, NAME)
    third = start("2")
    assert second.stop() == 0
    wait_for("a new holder", lambda: controllers.holder(case, NAME) not in ("", held_by))
    assert third.stop() == 0
    assert controllers.holder(case, NAME) == ""


def every_right_is_needed(case, kind):
    """One with a binding of a namespace, one without: both are read, and the rebalancer goes when it is finished."""
    case.create_global("ClusterResourceBinding", {"metadata": {"name": f"{case.name}-namespace"}, "spec": {
        "resource": {"apiVersion": "v1", "kind": "Namespace", "name": case.name}}})
    create_binding(case, "web")

    def act(label):
        case.admin.create("WorkloadRebalancer", {"metadata": {"name": label}, "spec": {
            "ttlSecondsAfterFinished": 0,
            "workloads": [workload(case, "web"), {"apiVersion": "v1", "kind": "Namespace", "name": case.name}]}})

    rights.each_is_needed(case, NAME, kind, act, lambda label: case.admin.request(
        "GET", path("WorkloadRebalancer", name=label))[0] == 404)


def each_right_to_objects_is_needed(case):
    every_right_is_needed(case, "ClusterRole")


def each_right_to_the_lease_is_needed(case):
    every_right_is_needed(case, "Role")


TESTS = (
    (bindings_are_triggered, API_SERVER),
    (rebalancers_before_the_controller_are_found, API_SERVER),
    (new_workloads_are_a_new_run, API_SERVER),
    (time_to_live, API_SERVER),
    (server_may_restart, API_SERVER),
    (copies_share_a_lease, API_SERVER),
    (each_right_to_objects_is_needed, API_SERVER),
    (each_right_to_the_lease_is_needed, API_SERVER),
)
