# SPDX-License-Identifier: MIT
"""karmada-descheduler of the examples, with members that are API servers of their own."""
import controllers
import members
from case import HOLD, condition, deployment, is_running
from client import wait_for
from harness import ALL, API_SERVER

NAME = "karmada-descheduler"
SOON = ("--descheduling-interval", "1", "--unschedulable-threshold", "1")


def start(case, planes, *arguments, user="admin", plane=None):
    """Starts a descheduler for members: {name of a cluster: control plane}."""
    return controllers.start(case, NAME, user, plane, "--members", members.kubeconfig(case, planes), *SOON, *arguments)


def unschedulable(member):
    return [pod for pod in member.pods() if condition(pod, "PodScheduled").get("reason") == "Unschedulable"]


def create_held(member, name, count):
    """A Deployment whose pods have a node and do not become ready."""
    body = deployment(member, name, count, "100m")
    body["spec"]["template"]["metadata"]["annotations"] = {HOLD: "Pending"}
    return member.create("Deployment", body)


def unschedulable_replicas_leave(case):
    """
    Of five pods three have no node, by the scheduler of the member: they leave. Replicas that are slow stay, and so do
    those in a cluster whose pods nobody knows.
    """
    member = case.beside(ALL)
    member.create_nodes(1, 3)
    create_held(member, "slow", 3)
    wait_for("nodes for what is slow", lambda: len([pod for pod in member.pods() if pod["spec"].get("nodeName")]) == 3)
    member.create("Deployment", deployment(member, "web", 5))
    wait_for("two pods that run", lambda: [is_running(pod) for pod in member.pods()].count(True) == 2)
    wait_for("three pods without a node", lambda: len(unschedulable(member)) == 3)
    here, unknown = members.create_cluster(case, "member"), members.create_cluster(case, "unknown")
    members.create_binding(case, "slow", {here: 3}, {here: 0})
    members.create_binding(case, "web", {here: 5, unknown: 2}, {here: 2})
    start(case, {here: member.plane})
    wait_for("fewer replicas", lambda: members.replicas(case, "web") == {here: 2, unknown: 2})
    message = f"Binding has been descheduled, 3 replica(s) in cluster({here}), 3 total descheduled replica(s)"
    wait_for("both events", lambda: members.events(case, "web") == [
        ("Deployment", "DescheduleBindingSucceed", message), ("ResourceBinding", "DescheduleBindingSucceed", message)])
    assert members.replicas(case, "slow") == {here: 3}
    log = case.plane.log(NAME).read_text()
    assert log.count(f"cluster {unknown}: nothing is known") == 1 and f"cluster {here}" not in log, log


TESTS = (
    (unschedulable_replicas_leave, API_SERVER),
)
