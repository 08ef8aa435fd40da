# SPDX-License-Identifier: MIT
"""karmada-cluster-taints of the examples: taints that follow from conditions of clusters and from policies."""
import controllers
import rights
from client import path, wait_for
from harness import API_SERVER
from karmada import create_cluster

NAME = "karmada-cluster-taints"


def start(case, *arguments):
    return controllers.start(case, NAME, "admin", None, *arguments)


def report(case, cluster, **conditions):
    """Sets the conditions of a cluster to these alone."""
    items = [{"type": kind, "status": status, "reason": "Test", "message": "",
              "lastTransitionTime": "2026-01-01T00:00:00Z"} for kind, status in conditions.items()]
    case.admin.merge(path("Cluster", name=cluster, subresource="status"), {"status": {"conditions": items}})


def taints(case, cluster):
    return [(taint["key"], taint["effect"]) for taint in case.get("Cluster", cluster)["spec"].get("taints") or []]


def create_policy(case, name, **spec):
    case.create_global("ClusterTaintPolicy", {"metadata": {"name": f"{case.name}-{name}"}, "spec": spec})


def conditions_taint(case):
    """Not ready, unreachable, ready; a taint that another client set stays."""
    cluster, own = create_cluster(case, "member"), ("e2e.test/own", "NoSchedule")
    case.admin.merge(path("Cluster", name=cluster), {"spec": {"taints": [{"key": own[0], "effect": own[1]}]}})
    start(case, "--no-policies")
    for status, expected in (("False", [own, ("cluster.karmada.io/not-ready", "NoSchedule")]),
                             ("Unknown", [own, ("cluster.karmada.io/unreachable", "NoSchedule")]), ("True", [own])):
        report(case, cluster, Ready=status)
        wait_for(f"taints of {status}", lambda expected=expected: taints(case, cluster) == expected)
    report(case, cluster, Other="True")
    wait_for("taints without the condition", lambda: taints(case, cluster) == [
        own, ("cluster.karmada.io/not-ready", "NoSchedule")])


def policies_taint(case):
    """A taint is added and removed by the conditions of a policy; a policy that is created later counts too."""
    cluster, other = create_cluster(case, "member"), create_cluster(case, "other")
    start(case, "--no-conditions")
    create_policy(case, "leave", taints=[{"key": "e2e.test/leave", "effect": "NoExecute"}],
                  targetClusters={"clusterNames": [cluster]},
                  addOnConditions=[{"conditionType": "Ready", "operator": "NotIn", "statusValues": ["True"]}],
                  removeOnConditions=[{"conditionType": "Ready", "operator": "In", "statusValues": ["True"]}])
    for name in (cluster, other):
        report(case, name, Ready="False")
    wait_for("the taint", lambda: taints(case, cluster) == [("e2e.test/leave", "NoExecute")])
    assert case.get("Cluster", cluster)["spec"]["taints"][0]["timeAdded"]
    report(case, cluster, Ready="True")
    wait_for("no taint", lambda: taints(case, cluster) == [])
    assert taints(case, other) == []
    create_policy(case, "late", taints=[{"key": "e2e.test/late", "effect": "NoSchedule"}],
                  addOnConditions=[{"conditionType": "Ready", "operator": "In", "statusValues": ["False"]}])
    wait_for("the late policy's taint", lambda: taints(case, other) == [("e2e.test/late", "NoSchedule")])


def act(case, label):
    create_policy(case, label, taints=[{"key": f"e2e.test/{label}", "effect": "NoSchedule"}],
                  addOnConditions=[{"conditionType": "Ready", "operator": "In", "statusValues": ["True"]}])


def each_right_to_taint_is_needed(case):
    cluster = create_cluster(case, "member")
    rights.each_is_needed(case, NAME, "", lambda label: act(case, label),
                          lambda label: (f"e2e.test/{label}", "NoSchedule") in taints(case, cluster))


TESTS = (
    (conditions_taint, API_SERVER),
    (policies_taint, API_SERVER),
    (each_right_to_taint_is_needed, API_SERVER),
)
