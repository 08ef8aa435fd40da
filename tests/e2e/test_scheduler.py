# SPDX-License-Identifier: MIT
"""karmada-scheduler of the examples, against a real API server."""
import json
import random
import time
import urllib.request

import controllers
import members
import metrics
import rights
import simulate
from case import condition
from client import path, wait_for
from harness import API_SERVER, free_ports
from karmada import MANAGED, binding, create_cluster, placement, set_status, summary, targets

NAME = "karmada-scheduler"
APPLIED = "policy.karmada.io/applied-placement"


def observed(case, name):
    """Returns a binding once the scheduler has observed its generation."""
    found = members.binding(case, name)
    return (found.get("status") or {}).get("schedulerObservedGeneration") == found["metadata"]["generation"] and found


def settled(case, name):
    """Returns a binding once its generation is scheduled."""
    found = observed(case, name)
    return found and condition(found, "Scheduled") and found


def scheduled(case, name):
    """Returns the condition Scheduled of a binding."""
    return condition(members.binding(case, name), "Scheduled")


def placed(case, name):
    return targets(wait_for(f"{name} to be scheduled", lambda: settled(case, name)))


def events(case, kind, name):
    return [(event["reason"], event["message"]) for event in
            case.admin.get(path("Event", case.namespace))["items"]
            if (event["involvedObject"]["kind"], event["involvedObject"]["name"]) == (kind, name)]


def divided_by_what_is_available(case):
    """The result of the reference for these clusters and this binding: 2 and 8."""
    small, large = create_cluster(case, "member1", "10"), create_cluster(case, "member2", "40")
    for name, cpu in ((small, "10"), (large, "40")):
        set_status(case, name, summary(cpu, "1"))
    controllers.start(case, NAME, "admin")
    case.create("ResourceBinding", binding(case, "web", 10, placement("Weighted", clusters=[small, large])))
    assert placed(case, "web") == {small: 2, large: 8}
    found = members.binding(case, "web")
    assert json.loads(found["metadata"]["annotations"][APPLIED]) == found["spec"]["placement"], found
    status = condition(found, "Scheduled")
    assert (status["status"], status["reason"]) == ("True", "Success"), status
    assert found["status"]["lastScheduledTime"] and found["metadata"]["generation"] == 2, found
    expected = ("ScheduleBindingSucceed",
                f"Binding has been scheduled successfully. Result: {{{small}:2, {large}:8}}")
    assert events(case, "ResourceBinding", "web-deployment") == [expected]
    assert events(case, "Deployment", "web") == [expected]


def a_batch_shares_capacity(case):
    """Each of two bindings fits into the first cluster, both do not: the second one goes to the other cluster."""
    first, second = create_cluster(case, "member1", "10"), create_cluster(case, "member2", "6")
    for name in ("one", "two"):
        case.create("ResourceBinding", binding(case, name, 6, placement(clusters=[first, second]), "1"))
    controllers.start(case, NAME, "admin")
    assert placed(case, "one") == {first: 6}
    assert placed(case, "two") == {second: 6}


def higher_priorities_come_first(case):
    """
    There is capacity for one binding. The other one gets capacity when the cluster grows. The queue ignores the status,
    so a label changes too.
    """
    cluster = create_cluster(case, "member1", "6")
    case.create("ResourceBinding", binding(case, "low", 6, placement(clusters=[cluster]), "1"))
    case.create("ResourceBinding", binding(case, "high", 6, placement(clusters=[cluster]), "1",
                                           schedulePriority={"priority": 10}))
    controllers.start(case, NAME, "admin")
    assert placed(case, "high") == {cluster: 6}
    low = wait_for("a condition", lambda: scheduled(case, "low"))
    assert (low["status"], low["reason"]) == ("False", "Unschedulable"), low
    set_status(case, cluster, summary("20"))
    case.admin.merge(path("Cluster", name=cluster), {"metadata": {"labels": {"grown": "yes"}}})
    assert placed(case, "low") == {cluster: 6}


def what_is_healthy_is_no_longer_assumed(case):
    """
    Until a cluster reports a binding as healthy, its replicas are subtracted from the reported capacity. Then a binding
    without capacity is tried again.
    """
    cluster = create_cluster(case, "member1", "10")
    controllers.start(case, NAME, "admin")
    case.create("ResourceBinding", binding(case, "one", 6, placement(clusters=[cluster]), "1"))
    assert placed(case, "one") == {cluster: 6}
    set_status(case, cluster, summary("10", "4"))
    case.create("ResourceBinding", binding(case, "two", 6, placement(clusters=[cluster]), "1"))
    wait_for("two to wait", lambda: scheduled(case, "two").get("reason") == "Unschedulable")
    case.admin.merge(path("ResourceBinding", case.namespace, "one-deployment", "status"), {"status": {
        "aggregatedStatus": [{"clusterName": cluster, "health": "Healthy", "applied": True}]}})
    assert placed(case, "two") == {cluster: 6}


def clusters_are_cleared_where_none_fits(case):
    cluster = create_cluster(case, "member1")
    controllers.start(case, NAME, "admin")
    case.create("ResourceBinding", binding(case, "web", 2, placement(clusters=[cluster])))
    assert placed(case, "web") == {cluster: 2}
    members.patch(case, "web", {"spec": {"placement": {"clusterAffinity": {"clusterNames": ["nowhere"]}}}})
    wait_for("no cluster to fit", lambda: scheduled(case, "web").get("reason") == "NoClusterFit")
    assert targets(members.binding(case, "web")) == {}


def affinity_groups_are_tried_in_turn(case):
    small, large = create_cluster(case, "member1", "2"), create_cluster(case, "member2", "20")
    controllers.start(case, NAME, "admin")
    where = placement(clusters=[])
    where.pop("clusterAffinity")
    where["clusterAffinities"] = [{"affinityName": "near", "clusterNames": [small]},
                                  {"affinityName": "far", "clusterNames": [large]}]
    case.create("ResourceBinding", binding(case, "web", 5, where, "1"))
    assert placed(case, "web") == {large: 5}
    assert members.binding(case, "web")["status"]["schedulerObservingAffinityName"] == "far"


def a_trigger_is_a_fresh_schedule(case):
    """Without a trigger a divided workload stays although the clusters changed."""
    small, large = create_cluster(case, "member1", "2"), create_cluster(case, "member2", "20")
    controllers.start(case, NAME, "admin")
    case.create("ResourceBinding", binding(case, "web", 4, placement("Weighted", clusters=[small, large]), "1"))
    before = placed(case, "web")
    set_status(case, small, summary("200"))
    case.admin.merge(path("Cluster", name=small), {"metadata": {"labels": {"grown": "yes"}}})
    time.sleep(1)
    assert targets(members.binding(case, "web")) == before
    later = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1))
    members.patch(case, "web", {"spec": {"rescheduleTriggeredAt": later}})
    wait_for("a fresh schedule", lambda: targets(members.binding(case, "web")).get(small, 0) > before.get(small, 0))


def others_are_left_alone(case):
    """Suspended, of another scheduler, or without a policy; a resumed one is scheduled."""
    cluster = create_cluster(case, "member1")
    where = placement(clusters=[cluster])
    case.create("ResourceBinding", binding(case, "suspended", 1, where, suspension={"scheduling": True}))
    case.create("ResourceBinding", binding(case, "others", 1, where, schedulerName="other"))
    unmanaged = binding(case, "unmanaged", 1, where)
    del unmanaged["metadata"]["labels"]
    case.create("ResourceBinding", unmanaged)
    controllers.start(case, NAME, "admin")
    case.create("ResourceBinding", binding(case, "web", 1, where))
    assert placed(case, "web") == {cluster: 1}
    assert [targets(members.binding(case, name)) for name in ("suspended", "others", "unmanaged")] == [{}, {}, {}]
    members.patch(case, "suspended", {"spec": {"suspension": None}})
    assert placed(case, "suspended") == {cluster: 1}


def namespaces_are_everywhere(case):
    """A ClusterResourceBinding without replicas follows the clusters: it gets a cluster whose taint is removed."""
    clusters = [create_cluster(case, name) for name in ("member1", "member2")]
    taint = {"key": "closed", "effect": "NoSchedule"}
    case.admin.merge(path("Cluster", name=clusters[1]), {"spec": {"taints": [taint]}})
    controllers.start(case, NAME, "admin")
    body = binding(case, "web", 0, {"clusterAffinity": {"clusterNames": clusters}})
    body["metadata"]["name"] = f"{case.name}-namespace"
    body["spec"] = {"resource": {"apiVersion": "v1", "kind": "Namespace", "name": case.name},
                    "placement": body["spec"]["placement"]}
    case.create_global("ClusterResourceBinding", body)

    def found():
        return list(targets(case.get("ClusterResourceBinding", f"{case.name}-namespace")))

    wait_for("the first cluster", lambda: found() == clusters[:1])
    case.admin.merge(path("Cluster", name=clusters[1]), {"spec": {"taints": None}})
    wait_for("both clusters", lambda: found() == clusters)


def nodes_of_members_limit(case):
    """
    The summary has capacity for ten, but no node for more than three, of which a pod takes one. The other cluster has
    no context in the kubeconfig: its summary counts.
    """
    plane = case.start_plane("member", API_SERVER)
    plane.admin.create("Node", {"metadata": {"name": "one"}})
    size = {"cpu": "3", "memory": "64Gi", "pods": "110"}
    plane.admin.merge(path("Node", name="one", subresource="status"), {"status": {
        "capacity": size, "allocatable": size}})
    plane.admin.merge(path("Node", name="one"), {"spec": {"taints": None}})  # not-ready, of a new node
    plane.admin.create("Namespace", {"metadata": {"name": "busy"}})
    plane.admin.create("Pod", {"metadata": {"name": "one"}, "spec": {"nodeName": "one", "containers": [
        {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}]}}, "busy")
    first, second = create_cluster(case, "member1", "10"), create_cluster(case, "member2", "10")
    controllers.start(case, NAME, "admin", None, "--members", members.kubeconfig(case, {first: plane}))
    case.create("ResourceBinding", binding(case, "web", 6, placement(clusters=[first]), "1"))
    wait_for("web not to fit", lambda: scheduled(case, "web").get("reason") == "Unschedulable")
    members.patch(case, "web", {"spec": {"replicas": 2}})
    assert placed(case, "web") == {first: 2}
    case.create("ResourceBinding", binding(case, "api", 6, placement(clusters=[first, second]), "1"))
    assert placed(case, "api") == {second: 6}


def decisions_are_counted(case):
    cluster = create_cluster(case, "member1")
    port, = free_ports(1)
    controllers.start(case, NAME, "admin", None, "--serve", f"127.0.0.1:{port}")
    case.create("ResourceBinding", binding(case, "web", 1, placement(clusters=[cluster])))
    assert placed(case, "web") == {cluster: 1}
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        numbers = metrics.read(answer.read().decode())
    assert numbers["librebalance_decisions_total"]['outcome="Scheduled"'] == 1, numbers


def another_holder(case, before):
    found = controllers.holder(case, NAME)
    return found != before and found


def leaders_are_killed(case, times=5):
    """
    The leader of two copies is killed again and again while bindings are created. None is left over, each got its
    clusters once, and they are those of rebalancectl simulate. As in the reference, a binding that got its clusters
    just before the leader was killed needs no further scheduling, and so has no condition.
    """
    clusters = [create_cluster(case, name, cpu) for name, cpu in (("member1", "40"), ("member2", "100"))]
    dice = random.Random(20261126)

    def start():
        copy = controllers.Controller(NAME, case.plane, "admin", "--lease", f"{case.namespace}/{NAME}",
                                      "--lease-duration", "1", "--assumed-for", "0")
        case.at_end(copy.kill)
        return copy

    made, leader = [], start()
    held_by = wait_for("a leader", lambda: controllers.holder(case, NAME))
    for turn in range(times + 1):
        follower = start()
        for number in range(20):
            made.append(f"web-{turn}-{number}")
            case.create("ResourceBinding", binding(case, made[-1], dice.randint(1, 9),
                                                   placement("Weighted", clusters=clusters), "1"))
        if turn < times:
            time.sleep(dice.random() * 0.3)
            leader.kill()
            before = held_by
            held_by = wait_for("another leader", lambda before=before: another_holder(case, before))
            leader = follower
    ends = {name: targets(wait_for(name, lambda name=name: observed(case, name))) for name in made}
    for name in made:
        found = members.binding(case, name)
        assert found["metadata"]["generation"] == 2, f"{name}: clusters were written more than once"
    assert ends == simulate.targets(case, made), "not as simulated"


def act(case, label):
    """A binding of each scope."""
    where = {"clusterAffinity": {"clusterNames": [f"{case.name}-member1"]}}
    case.create("ResourceBinding", binding(case, label, 1, where))
    body = {"metadata": {"name": label, "labels": MANAGED}, "spec": {
        "resource": {"apiVersion": "v1", "kind": "Namespace", "name": case.name}, "placement": where}}
    case.admin.create("ClusterResourceBinding", body)


def is_done(case, label):
    """Events that were denied are not sent later: requests another pass until there is one."""
    has_event = events(case, "ResourceBinding", f"{label}-deployment")
    if not has_event:
        members.patch(case, label, {"spec": {"replicas": members.binding(case, label)["spec"]["replicas"] + 1}})
    return has_event and settled(case, label) and \
        condition(case.get("ClusterResourceBinding", label), "Scheduled")


def each_right_of_it_is_needed(case):
    create_cluster(case, "member1")
    rights.each_is_needed(case, NAME, "", lambda label: act(case, label), lambda label: is_done(case, label))


TESTS = (
    (divided_by_what_is_available, API_SERVER),
    (a_batch_shares_capacity, API_SERVER),
    (higher_priorities_come_first, API_SERVER),
    (what_is_healthy_is_no_longer_assumed, API_SERVER),
    (clusters_are_cleared_where_none_fits, API_SERVER),
    (affinity_groups_are_tried_in_turn, API_SERVER),
    (a_trigger_is_a_fresh_schedule, API_SERVER),
    (others_are_left_alone, API_SERVER),
    (namespaces_are_everywhere, API_SERVER),
    (nodes_of_members_limit, API_SERVER),
    (decisions_are_counted, API_SERVER),
    (leaders_are_killed, API_SERVER),
    (each_right_of_it_is_needed, API_SERVER),
)
