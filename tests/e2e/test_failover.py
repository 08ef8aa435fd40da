# SPDX-License-Identifier: MIT
"""karmada-failover of the examples: evictions by taints and of unhealthy applications, and how they end."""
import datetime
import json
import time

import controllers
import members
import proxy
import rights
from client import path, wait_for
from harness import API_SERVER
from karmada import create_cluster

NAME = "karmada-failover"
TAINT = {"key": "e2e.test/leave", "effect": "NoExecute"}


def start(case, *arguments, user="admin", plane=None):
    return controllers.start(case, NAME, user, plane, *arguments)


def text_of(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def moment_of(text):
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)


def set_taints(case, cluster, *taints):
    case.admin.merge(path("Cluster", name=cluster), {"spec": {"taints": list(taints)}})


def tolerate(case, name, *tolerations):
    placement = json.dumps({"clusterTolerations": list(tolerations)})
    members.patch(case, name, {"metadata": {"annotations": {"policy.karmada.io/applied-placement": placement}}})


def tasks(case, name):
    return members.binding(case, name)["spec"].get("gracefulEvictionTasks") or []


def evictions(case, name):
    """[(cluster, producer, reason)]"""
    return [(task["fromCluster"], task["producer"], task["reason"]) for task in tasks(case, name)]


def report(case, name, health):
    """Reports {name of a cluster: health}, with the current generation as observed by the scheduler."""
    generation = members.binding(case, name)["metadata"]["generation"]
    items = [{"clusterName": cluster, "applied": True, "health": word} for cluster, word in health.items()]
    members.patch(case, name, {"status": {"schedulerObservedGeneration": generation, "aggregatedStatus": items}},
                  "status")


def taints_evict(case):
    """At once, when the toleration ends, and never, if it has no end."""
    one, two = create_cluster(case, "1"), create_cluster(case, "2")
    for name in ("intolerant", "patient", "tolerant"):
        members.create_binding(case, name, {one: 2, two: 1})
    tolerate(case, "patient", {**TAINT, "operator": "Exists", "tolerationSeconds": 3})
    tolerate(case, "tolerant", {**TAINT, "operator": "Exists"})
    start(case, "--taint-eviction", "--eviction-interval", "0")
    added = now()
    set_taints(case, one, {**TAINT, "timeAdded": text_of(added)})
    by_taint = [(one, "TaintManager", "TaintUntolerated")]
    wait_for("the eviction at once", lambda: evictions(case, "intolerant") == by_taint)
    assert members.replicas(case, "intolerant") == {two: 1}
    assert tasks(case, "intolerant")[0]["replicas"] == 2
    wait_for("the eviction when the toleration runs out", lambda: evictions(case, "patient") == by_taint)
    late = (now() - moment_of(text_of(added))).total_seconds()
    assert 3 <= late < 5, late
    assert members.replicas(case, "tolerant") == {one: 2, two: 1}


def evictions_by_taint_have_a_pace(case):
    """One eviction in two seconds over all clusters, as their creation times show, which are whole seconds."""
    one, two, three = (create_cluster(case, name) for name in "123")
    for number in range(3):
        members.create_binding(case, f"web{number}", {one if number else two: 1, three: 1})
    start(case, "--taint-eviction")
    for cluster in (one, two):
        set_taints(case, cluster, TAINT)

    def times():
        return sorted(moment_of(task["creationTimestamp"]) for number in range(3)
                      for task in tasks(case, f"web{number}") if "creationTimestamp" in task)

    first, second, third = wait_for("three evictions", lambda: len(times()) == 3 and times())
    assert (second - first).total_seconds() >= 1 and (third - second).total_seconds() >= 1
    assert 3 <= (third - first).total_seconds() <= 5, (first, second, third)


def taints_evict_by_flag_only(case):
    """Without --taint-eviction no replicas leave, while evictions of others end."""
    one, two = create_cluster(case, "1"), create_cluster(case, "2")
    members.create_binding(case, "stays", {one: 1})
    set_taints(case, one, TAINT)
    start(case)
    members.create_binding(case, "other", {two: 1})
    members.patch(case, "other", {"spec": {"gracefulEvictionTasks": [
        {"fromCluster": one, "producer": "e2e", "reason": "Test", "suppressDeletion": False}]}})
    wait_for("the end of the other eviction", lambda: not tasks(case, "other"))
    assert members.replicas(case, "stays") == {one: 1} and not tasks(case, "stays")


def evictions_end(case):
    """With a healthy replacement, after a grace period or the time-out, and not while they are held."""
    one, two = create_cluster(case, "1"), create_cluster(case, "2")
    task = {"fromCluster": one, "producer": "e2e", "reason": "Test"}
    changes = {"replaced": {}, "graceful": {"gracePeriodSeconds": 2}, "late": {}, "held": {"suppressDeletion": True}}
    for name, members_of_task in changes.items():
        members.create_binding(case, name, {two: 1})
        members.patch(case, name, {"spec": {"gracefulEvictionTasks": [{**task, **members_of_task}]}})
        report(case, name, {two: "Unhealthy"})
    start(case, "--graceful-eviction-timeout", "5")
    for name in changes:
        wait_for(f"the time of {name}", lambda name=name: "creationTimestamp" in tasks(case, name)[0])
    begin = now()
    report(case, "replaced", {two: "Healthy"})
    wait_for("the end by a replacement", lambda: not tasks(case, "replaced"), 2)
    wait_for("the end of the grace period", lambda: not tasks(case, "graceful"), 5)
    assert tasks(case, "late") and (now() - begin).total_seconds() >= 1
    wait_for("the end by the time-out", lambda: not tasks(case, "late"))
    assert 4 <= (now() - begin).total_seconds() < 8
    assert tasks(case, "held")
    message = f"Evict from cluster {one} succeed."
    for name in ("replaced", "graceful", "late"):
        wait_for("both events", lambda name=name: members.events(case, name) == [
            ("Deployment", "EvictWorkloadFromClusterSucceed", message),
            ("ResourceBinding", "EvictWorkloadFromClusterSucceed", message)])
    assert not members.events(case, "held")


def unhealthy_applications_leave(case):
    """
    One that stays unhealthy is evicted; one that recovers in time is not, and its time starts anew when it fails again.
    """
    one, two = create_cluster(case, "1"), create_cluster(case, "2")
    failover = {"application": {"purgeMode": "Gracefully", "decisionConditions": {"tolerationSeconds": 3}}}
    for name in ("failing", "recovering"):
        members.create_binding(case, name, {one: 1, two: 1})
        members.patch(case, name, {"spec": {"propagateDeps": True, "failover": failover}})
        report(case, name, {one: "Unhealthy", two: "Healthy"})
    start(case)
    begin = time.monotonic()
    time.sleep(1.5)
    report(case, "recovering", {one: "Healthy", two: "Healthy"})
    wait_for("the eviction", lambda: evictions(case, "failing") == [
        (one, "resource-binding-application-failover-controller", "ApplicationFailure")])
    assert 2.5 <= time.monotonic() - begin < 6
    assert members.replicas(case, "failing") == {two: 1}
    assert members.replicas(case, "recovering") == {one: 1, two: 1}
    report(case, "recovering", {one: "Unhealthy", two: "Healthy"})
    begin = time.monotonic()
    wait_for("the other eviction", lambda: evictions(case, "recovering"))
    assert time.monotonic() - begin >= 2.5


def other_writers_win(case):
    """
    Evictions are made although writes of another client conflict three times, and those writes stay. No event reports
    an end that was not written. The time of an unhealthy application does not start anew: that would take 12 seconds.
    """
    one, two = create_cluster(case, "1"), create_cluster(case, "2")
    writer = proxy.OtherWriter(case, 3)
    start(case, user=case.name)
    task = {"fromCluster": one, "producer": "e2e", "reason": "Test", "suppressDeletion": False}
    members.create_binding(case, "ending", {two: 1})
    members.patch(case, "ending", {"spec": {"gracefulEvictionTasks": [task]}})
    wait_for("the end of an eviction", lambda: not tasks(case, "ending"))
    wait_for("one event for each object", lambda: len(members.events(case, "ending")) == 2)
    assert writer.conflicts == 3 and members.binding(case, "ending")["metadata"]["annotations"]["e2e.test/left"] == "0"

    members.create_binding(case, "failing", {one: 1, two: 1})
    members.patch(case, "failing", {"spec": {"propagateDeps": True, "failover": {
        "application": {"purgeMode": "Directly", "decisionConditions": {"tolerationSeconds": 3}}}}})
    report(case, "failing", {one: "Unhealthy", two: "Unhealthy"})
    writer.left = 3
    begin = time.monotonic()
    wait_for("the eviction", lambda: members.replicas(case, "failing") == {})
    assert 3 <= time.monotonic() - begin < 10 and writer.conflicts == 6, (time.monotonic() - begin, writer.conflicts)
    assert len(members.events(case, "ending")) == 2


def evictions_go_on_after_a_restart(case):
    """The API server was away when a toleration ended."""
    other = case.at(case.start_plane("restarted", API_SERVER))
    one = create_cluster(other, "1")
    members.create_binding(other, "patient", {one: 2})
    tolerate(other, "patient", {**TAINT, "operator": "Exists", "tolerationSeconds": 2})
    start(case, "--taint-eviction", plane=other.plane)
    set_taints(other, one, {**TAINT, "timeAdded": text_of(now())})
    other.plane.stop_part("kube-apiserver")
    time.sleep(3)
    other.plane.start_part("kube-apiserver")
    other.plane.wait_ready()
    wait_for("the eviction", lambda: evictions(other, "patient") == [(one, "TaintManager", "TaintUntolerated")])
    assert len(tasks(other, "patient")) == 1 and members.replicas(other, "patient") == {}


def act(case, label):
    """A binding of each scope whose eviction ends at once."""
    task = {"fromCluster": f"{case.name}-member", "producer": "e2e", "reason": "Test", "suppressDeletion": False}
    members.create_binding(case, label, {f"{case.name}-other": 1})
    members.patch(case, label, {"spec": {"gracefulEvictionTasks": [task]}})
    case.create_global("ClusterResourceBinding", {"metadata": {"name": label}, "spec": {
        "resource": {"apiVersion": "v1", "kind": "Namespace", "name": case.name}, "gracefulEvictionTasks": [task]}})


def is_done(case, label):
    """Events that were denied are not sent later."""
    is_reported = len(members.events(case, label)) == 2 or members.events_are_denied(case, NAME)
    return is_reported and not tasks(case, label) and \
        not case.get("ClusterResourceBinding", label)["spec"].get("gracefulEvictionTasks")


def each_right_to_evict_is_needed(case):
    rights.each_is_needed(case, NAME, "", lambda label: act(case, label), lambda label: is_done(case, label))


TESTS = (
    (taints_evict, API_SERVER),
    (evictions_by_taint_have_a_pace, API_SERVER),
    (taints_evict_by_flag_only, API_SERVER),
    (evictions_end, API_SERVER),
    (unhealthy_applications_leave, API_SERVER),
    (other_writers_win, API_SERVER),
    (evictions_go_on_after_a_restart, API_SERVER),
    (each_right_to_evict_is_needed, API_SERVER),
)
