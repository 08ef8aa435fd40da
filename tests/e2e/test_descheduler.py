# SPDX-License-Identifier: MIT
"""
karmada-descheduler of the examples. Members are API servers of their own; if a test needs none of their parts, and does
not stop them, the control plane serves as one.
"""
import datetime

import controllers
import members
import proxy
import rights
from case import HOLD, condition, deployment, is_running
from client import path, wait_for
from harness import ALL, API_SERVER
from karmada import create_cluster

NAME = "karmada-descheduler"
SOON = ("--descheduling-interval", "1", "--unschedulable-threshold", "1")
SUCCESS = "DescheduleBindingSucceed"


def start(case, planes, *arguments, user="admin"):
    """Starts a descheduler for members: {name of a cluster: control plane}."""
    arguments = ("--members", members.kubeconfig(case, planes), *SOON, *arguments)
    return controllers.start(case, NAME, user, None, *arguments)


def log_of(case):
    """Returns the lines about the clusters of the test, whose control plane is shared."""
    return [line for line in case.plane.log(NAME).read_text().splitlines() if case.name in line]


def unschedulable(member):
    return [pod for pod in member.pods() if condition(pod, "PodScheduled").get("reason") == "Unschedulable"]


def create_held(member, name, count):
    """A Deployment whose pods get a node and do not become ready."""
    body = deployment(member, name, count, "100m")
    body["spec"]["template"]["metadata"]["annotations"] = {HOLD: "Pending"}
    return member.create("Deployment", body)


def unschedulable_replicas_leave(case):
    """
    The member's scheduler finds no node for three of five pods: they leave. Replicas that are slow stay, and so do
    those in a cluster whose pods are unknown.
    """
    member = case.beside(ALL)
    member.create_nodes(1, 3)
    create_held(member, "slow", 3)
    wait_for("nodes for what is slow", lambda: len([pod for pod in member.pods() if pod["spec"].get("nodeName")]) == 3)
    member.create("Deployment", deployment(member, "web", 5))
    wait_for("two pods that run", lambda: [is_running(pod) for pod in member.pods()].count(True) == 2)
    wait_for("three pods without a node", lambda: len(unschedulable(member)) == 3)
    here, unknown = create_cluster(case, "member"), create_cluster(case, "unknown")
    members.create_binding(case, "slow", {here: 3}, {here: 0})
    members.create_binding(case, "web", {here: 5, unknown: 2}, {here: 2})
    start(case, {here: member.plane})
    wait_for("fewer replicas", lambda: members.replicas(case, "web") == {here: 2, unknown: 2})
    message = f"Binding has been descheduled, 3 replica(s) in cluster({here}), 3 total descheduled replica(s)"
    wait_for("both events", lambda: members.events(case, "web") == [
        ("Deployment", SUCCESS, message), ("ResourceBinding", SUCCESS, message)])
    assert members.replicas(case, "slow") == {here: 3}
    assert len(log_of(case)) == 1 and f"cluster {unknown}: nothing is known" in log_of(case)[0], log_of(case)


def status_counts_without_members(case):
    """Replicas that are not ready leave, unless they were scheduled a moment ago."""
    one, two = create_cluster(case, "1"), create_cluster(case, "2")
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    members.create_binding(case, "new", {one: 3}, {one: 1}, lastScheduledTime=now)
    members.create_binding(case, "web", {one: 3, two: 2}, {one: 1, two: 2})
    controllers.start(case, NAME, "admin", None, "--descheduling-interval", "1", "--unschedulable-threshold", "100")
    wait_for("fewer replicas", lambda: members.replicas(case, "web") == {one: 1, two: 2})
    assert members.replicas(case, "new") == {one: 3}


def members_go_and_come(case):
    """A member that does not answer loses no replicas by old data, others do; when it is back it counts again."""
    away, here = create_cluster(case, "away"), create_cluster(case, "here")
    member = case.at(case.start_plane("member", API_SERVER))
    for name in ("first", "second"):
        members.create_pending(member, name, 2)
    members.create_pending(case, "other", 2)
    start(case, {away: member.plane, here: case.plane})
    members.create_binding(case, "first", {away: 3}, {away: 1})
    wait_for("fewer replicas in the member", lambda: members.replicas(case, "first") == {away: 1})
    member.plane.stop_part("kube-apiserver")
    wait_for("a line in the log", lambda: any(f"{away}: " in line for line in log_of(case)))
    members.create_binding(case, "second", {away: 3}, {away: 1})
    members.create_binding(case, "other", {here: 3}, {here: 1})
    wait_for("fewer replicas in the other", lambda: members.replicas(case, "other") == {here: 1})
    assert members.replicas(case, "second") == {away: 3}
    member.plane.start_part("kube-apiserver")
    member.plane.wait_ready()
    wait_for("fewer replicas in the member", lambda: members.replicas(case, "second") == {away: 1})


def clusters_go_and_come(case):
    """A new Cluster is a member, also if its context comes later; one that is deleted and created again, too."""
    for name in ("first", "second"):
        members.create_pending(case, name, 2)
    start(case, {})
    here = create_cluster(case, "late")
    members.create_binding(case, "first", {here: 3}, {here: 1})
    wait_for("a line in the log", lambda: log_of(case))
    members.kubeconfig(case, {here: case.plane})
    wait_for("fewer replicas", lambda: members.replicas(case, "first") == {here: 1})
    assert len(log_of(case)) == 1, log_of(case)
    body = case.get("Cluster", here)
    case.admin.delete(path("Cluster", name=here))
    case.admin.create("Cluster", {"metadata": {"name": here}, "spec": body["spec"]})
    members.create_binding(case, "second", {here: 3}, {here: 1})
    wait_for("fewer replicas again", lambda: members.replicas(case, "second") == {here: 1})


def other_writers_are_not_overwritten(case):
    """Writes of another client come first three times: the conflict is reported once, and the other writes stay."""
    here, writer = create_cluster(case, "member"), proxy.OtherWriter(case, 3)
    members.create_pending(case, "web", 2)
    members.create_binding(case, "web", {here: 3}, {here: 1})
    start(case, {here: case.plane}, user=case.name)
    wait_for("fewer replicas", lambda: members.replicas(case, "web") == {here: 1})
    expected = [(kind, reason) for kind in ("Deployment", "ResourceBinding")
                for reason in ("DescheduleBindingFailed", SUCCESS)]
    wait_for("the events", lambda: [(kind, reason) for kind, reason, _ in members.events(case, "web")] == expected)
    assert writer.conflicts == 3 and members.binding(case, "web")["metadata"]["annotations"]["e2e.test/left"] == "0"


def control_plane_may_restart(case):
    other = case.at(case.start_plane("restarted", API_SERVER))
    here = create_cluster(other, "member")
    members.create_pending(case, "web", 2)
    arguments = ("--members", members.kubeconfig(case, {here: case.plane}), *SOON)
    controllers.start(case, NAME, "admin", other.plane, *arguments)
    members.create_binding(other, "first", {here: 1}, {here: 1})
    other.plane.stop_part("kube-apiserver")
    other.plane.start_part("kube-apiserver")
    other.plane.wait_ready()
    members.create_binding(other, "web", {here: 3}, {here: 1})
    wait_for("fewer replicas", lambda: members.replicas(other, "web") == {here: 1})


def act(case, here, label):
    members.create_pending(case, label, 2)
    members.create_binding(case, label, {here: 3}, {here: 1})


def is_done(case, here, label):
    """Events that were denied are not sent later."""
    reasons = [reason for _, reason, _ in members.events(case, label)]
    is_reported = reasons.count(SUCCESS) == 2 or members.events_are_denied(case, NAME)
    return is_reported and members.replicas(case, label) == {here: 1}


def each_right_to_deschedule_is_needed(case):
    here = create_cluster(case, "member")
    arguments = ("--members", members.kubeconfig(case, {here: case.plane}), *SOON)
    rights.each_is_needed(case, NAME, "", lambda label: act(case, here, label),
                          lambda label: is_done(case, here, label), arguments)


def each_right_in_members_is_needed(case):
    here = create_cluster(case, "member")
    arguments = ("--members", members.kubeconfig(case, {here: case.plane}, "controllers"), *SOON)
    rights.each_is_needed(case, NAME, "ClusterRole", lambda label: act(case, here, label),
                          lambda label: is_done(case, here, label), arguments, member=f"{NAME}-member")


TESTS = (
    (unschedulable_replicas_leave, API_SERVER),
    (status_counts_without_members, API_SERVER),
    (members_go_and_come, API_SERVER),
    (clusters_go_and_come, API_SERVER),
    (other_writers_are_not_overwritten, API_SERVER),
    (control_plane_may_restart, API_SERVER),
    (each_right_to_deschedule_is_needed, API_SERVER),
    (each_right_in_members_is_needed, API_SERVER),
)
