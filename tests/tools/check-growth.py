# SPDX-License-Identifier: MIT
"""Four times as much of one thing takes about four times the instructions of rebalancectl, not sixteen times.

Where reading the input would hide the growth of a decision, the instructions of the decision alone count."""
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

SMALL, FEW, LARGER = 300, 150, 4  # times as many
MOST = 5.0  # times as many instructions, of all of the tool beyond those of an input of one; n log n of 300: 4.97
POLICY = {"apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagationPolicy", "metadata": {"name": "p"}}
SELECTORS = [{"apiVersion": "apps/v1", "kind": "Deployment"}]
DYNAMIC = {"replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted",
                                 "weightPreference": {"dynamicWeight": "AvailableReplicas"}}}
NOW = ("--now", "2026-03-14T09:30:00Z")
UNHEALTHY = ("--unhealthy-since", "2026-03-14T09:00:00Z")


def unknown_members(n):
    return json.dumps({**POLICY, "spec": {"resourceSelectors": SELECTORS, **{f"zz{i}": 1 for i in range(n)}}})


def documents(n):
    return "---\na: 1\n" * n


def cluster_and_binding(placement, taints=()):
    cluster = {"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": {"name": "m"},
               "spec": {"syncMode": "Push", "taints": list(taints)}, "status": {"apiEnablements": [
                   {"groupVersion": "apps/v1", "resources": [{"name": "deployments", "kind": "Deployment"}]}]}}
    binding = {"apiVersion": "work.karmada.io/v1alpha2", "kind": "ResourceBinding",
               "metadata": {"name": "b", "annotations": {"policy.karmada.io/applied-placement": json.dumps(placement)}},
               "spec": {"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "b"}, "replicas": 1,
                        "clusters": [{"name": "m", "replicas": 1}], "placement": placement}}
    return "\n".join(json.dumps(item) for item in (cluster, binding))


def listed(*items):
    return "\n".join(json.dumps(item) for item in items)


def affinity_groups(n):
    return cluster_and_binding({"clusterAffinities": [{"affinityName": f"group{i:05}", "clusterNames": [f"x{i}"]}
                                                      for i in range(n)]})


def taints(n):
    """The binding tolerates each of them, in the other order, for a time of its own."""
    return cluster_and_binding({"clusterTolerations": [{"key": f"k{n - i}", "operator": "Exists",
                                                        "tolerationSeconds": 9000 + i} for i in range(n)]},
                               [{"key": f"k{i + 1}", "effect": "NoExecute", "timeAdded": "2026-03-14T09:00:00Z"}
                                for i in range(n)])


def resource_models(n):
    """One node of each grade."""
    return listed(
        {"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": {"name": "m"},
         "spec": {"syncMode": "Push", "resourceModels": [
             {"grade": i, "ranges": [{"name": "cpu", "min": str(i), "max": str(i + 1)}]} for i in range(n)]},
         "status": {"apiEnablements": [{"groupVersion": "apps/v1",
                                        "resources": [{"name": "deployments", "kind": "Deployment"}]}],
                    "resourceSummary": {"allocatable": {"cpu": "100000", "pods": "100000"},
                                        "allocatableModelings": [{"grade": i, "count": 1} for i in range(n)]}}},
        {"apiVersion": "work.karmada.io/v1alpha2", "kind": "ResourceBinding", "metadata": {"name": "b"},
         "spec": {"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "b"}, "replicas": 1,
                  "replicaRequirements": {"resourceRequest": {"cpu": "1"}},
                  "placement": {"replicaScheduling": {
                      "replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted",
                      "weightPreference": {"dynamicWeight": "AvailableReplicas"}}}}})


def failing_binding(spec, items, n):
    """Its application is unhealthy in all of its clusters, for too long."""
    return listed(*({"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": {"name": f"m{i}"},
                     "spec": {"syncMode": "Push"}} for i in range(n)),
                  {"apiVersion": "work.karmada.io/v1alpha2", "kind": "ResourceBinding",
                   "metadata": {"name": "b", "generation": 1},
                   "spec": {"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "b"}, "replicas": n,
                            "clusters": [{"name": f"m{i}", "replicas": 1} for i in range(n)], "propagateDeps": True,
                            "failover": {"application": {"decisionConditions": {"tolerationSeconds": 60},
                                                         "purgeMode": "Graciously", **spec}}},
                   "status": {"schedulerObservedGeneration": 1, "aggregatedStatus": items}})


def preserved_labels(n):
    rules = [{"aliasLabelName": f"label{i}", "jsonPath": "{.replicas}"} for i in range(n)]
    return failing_binding({"statePreservation": {"rules": rules}},
                           [{"clusterName": "m0", "health": "Unhealthy", "status": {"replicas": 1}}], 1)


def unhealthy_clusters(n):
    return failing_binding({}, [{"clusterName": f"m{i}", "health": "Unhealthy"} for i in reversed(range(n))], n)


def node_resources(n):
    """Each node has a resource that no other has."""
    return affinity_groups(1), listed(*({"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{i}"},
                     "status": {"allocatable": {f"example.com/r{i}": "1", "pods": "10"}}} for i in range(n)))


def cluster(name, **parts):
    return {"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
            "metadata": {"name": name, "labels": parts.get("labels", {})},
            "spec": {"syncMode": "Push", "zones": parts.get("zones", [])},
            "status": {"apiEnablements": [{"groupVersion": "apps/v1",
                                           "resources": [{"name": "deployments", "kind": "Deployment"}]}],
                       "resourceSummary": {"allocatable": parts.get("allocatable", {"cpu": "100", "pods": "1000"})}}}


def binding(name, placement, **spec):
    return {"apiVersion": "work.karmada.io/v1alpha2", "kind": "ResourceBinding",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}, "replicas": 1,
                     "placement": placement, **spec}}


def labels_and_zones(n):
    """A cluster has all that each expression requires, in the other order."""
    key = "k{:05}".format
    return listed(cluster("m", labels={key(i): "v" for i in range(n)}, zones=[f"z{i}" for i in range(n)]),
                  binding("b", {"clusterAffinity": {
                      "labelSelector": {"matchExpressions": [{"key": key(n - i), "operator": "In", "values": ["v"]}
                                                             for i in range(1, n + 1)]},
                      "fieldSelector": {"matchExpressions": [{"key": "zone", "operator": "In",
                                                              "values": [f"z{n - i}" for i in range(1, n + 1)]}]}}}))


def clusters_and_values(n):
    return listed(*(cluster(f"m{i}", labels={"k": f"v{i}"}) for i in range(n)),
                  binding("b", {"clusterAffinity": {"labelSelector": {"matchExpressions": [
                      {"key": "k", "operator": "In", "values": [f"v{n - i}" for i in range(1, n + 1)]}]}}}))


def cluster_resources(n):
    """Each cluster has a resource that no other has."""
    return listed(*(cluster(f"m{i}", allocatable={f"example.com/r{i}": "1", "pods": "10"}) for i in range(n)),
                  binding("b", {}))


def workload_groups(n):
    return listed(cluster("m"), *(binding(f"b{i}", {}, workloadAffinityGroups={
        "affinityGroup": f"near{i}", "antiAffinityGroup": f"far{i}"}) for i in range(n)))


def answers(n):
    """An estimator answers for each binding."""
    return listed(cluster("m"), *(binding(f"b{i}", DYNAMIC, clusters=[{"name": "m", "replicas": 1}])
                                  for i in range(n)),
                  *({"apiVersion": "estimator.rebalance/v1", "kind": "UnschedulableReplicas",
                     "metadata": {"name": f"b{i}", "namespace": "default"},
                     "answers": [{"cluster": "m", "replicas": 1}]} for i in range(n)))


def estimators(n):
    """Each answers for the same binding."""
    return listed(cluster("m"), binding("b", DYNAMIC, clusters=[{"name": "m", "replicas": 1}]),
                  {"apiVersion": "estimator.rebalance/v1", "kind": "UnschedulableReplicas",
                   "metadata": {"name": "b", "namespace": "default"},
                   "answers": [{"cluster": "m", "replicas": 1, "estimator": f"e{i}"} for i in range(n)]})


def deployment(name):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "namespace": "default", "uid": name},
            "spec": {"replicas": 1, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c"}]}}}}


def lacking(name):
    """The only replica was never ready."""
    item = binding(name, DYNAMIC, clusters=[{"name": "m", "replicas": 1}])
    item["spec"]["resource"]["namespace"] = "default"
    item["metadata"]["annotations"] = {"policy.karmada.io/applied-placement": json.dumps(DYNAMIC)}
    item["status"] = {"lastScheduledTime": "2026-03-14T09:00:00Z",
                      "aggregatedStatus": [{"clusterName": "m", "status": {"replicas": 1, "readyReplicas": 0}}]}
    return item


def budgets(n):
    """One for each workload of a namespace."""
    return listed(cluster("m"), *(lacking(f"b{i}") for i in range(n)),
                  *({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                     "metadata": {"name": f"b{i}", "namespace": "default"},
                     "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": f"b{i}"}}},
                     "status": {"disruptionsAllowed": 1}} for i in range(n)))


def budgets_and_labels(n):
    return "\n".join((budgets(n), listed(*(deployment(f"b{i}") for i in range(n)))))


def drained(n):
    """A budget for each workload keeps it in the cluster that it is to leave."""
    return "\n".join((budgets_and_labels(n), listed(cluster("m2"))))


def node_terms(n):
    """Each term is for one node, whose label no other has."""
    nodes = listed(*({"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{i}", "labels": {"z": f"z{i}"}},
                      "status": {"allocatable": {"cpu": "4", "pods": "10"}}} for i in range(n)))
    terms = [{"matchExpressions": [{"key": "z", "operator": "In", "values": [f"z{n - i}"]}]} for i in range(1, n + 1)]
    return listed(cluster("m"), binding("b", DYNAMIC, replicaRequirements={
        "resourceRequest": {"cpu": "1"}, "nodeClaim": {"hardNodeAffinity": {"nodeSelectorTerms": terms}}})), nodes


def spread(name, workload, subsets):
    return {"apiVersion": "apps.kruise.io/v1beta1", "kind": "WorkloadSpread", "metadata": {"name": name},
            "spec": {"targetRef": {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": workload},
                     "subsets": [{"name": f"s{i}", "maxReplicas": 1} for i in range(subsets)]}}


def replica_set(name, n):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name, "uid": name},
            "spec": {"replicas": n, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c"}]}}}}


def pod(owner, i, subset):
    matched = {"apps.kruise.io/matched-workloadspread": json.dumps({"name": owner, "subset": subset})}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"{owner}-{i}", "uid": f"{owner}-{i}", "labels": {"app": owner},
                         "annotations": matched, "ownerReferences": [
                             {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner,
                              "controller": True}]},
            "spec": {"containers": [{"name": "c"}]}, "status": {"phase": "Running"}}


def spreads(n):
    """Each changes when it has its pass, and the others do not."""
    return listed(*(item for i in range(n)
                    for item in (replica_set(f"w{i}", 1), pod(f"w{i}", 0, "s0"), spread(f"w{i}", f"w{i}", 1))))


def subsets(n):
    return listed(replica_set("w", n), spread("w", "w", n), *(pod("w", i, f"s{n - 1 - i}") for i in range(n)))


def patch_labels(n):
    patched = spread("w", "w", 1)
    patched["spec"]["subsets"][0]["patch"] = {"metadata": {"labels": {f"k{n - i}": "v" for i in range(n)}}}
    return listed(replica_set("w", 1), patched, pod("w", 0, "s0"))


CASES = {  # arguments, text of n, the function whose instructions count (None: all of the tool), the smaller n
    "validate, unknown members": (("validate", "-"), unknown_members, None, SMALL),
    "validate, documents": (("validate", "-"), documents, None, SMALL),
    "schedule, affinity groups": (("schedule", "--all", *NOW, "-"), affinity_groups, "rebal_schedule", SMALL),
    "schedule, taints and tolerations": (("schedule", "--all", *NOW, "-"), taints, "rebal_schedule", SMALL),
    "failover, taints and tolerations": (("failover", "--evict-by-taint", *NOW, "-"), taints,
                                         "rebal_taint_eviction_step", SMALL),
    "schedule, resource models": (("schedule", "--all", *NOW, "-"), resource_models, "rebal_schedule", FEW),
    "failover, rules of preserved labels": (("failover", *UNHEALTHY, *NOW, "-"), preserved_labels,
                                            "rebal_store_feed_bindings", FEW),
    "failover, remembered clusters": (("failover", *UNHEALTHY, *NOW, "-"), unhealthy_clusters, "remember_unhealthy",
                                      FEW),
    "failover, unhealthy clusters": (("failover", *UNHEALTHY, *NOW, "-"), unhealthy_clusters,
                                     "rebal_application_failover_step", FEW),
    "schedule, resources of nodes": (("schedule", "--all", "--member", "m=MEMBER", *NOW, "-"), node_resources,
                                     "rebal_fleet_set_node_amounts", FEW),
    "schedule, labels and zones of a cluster": (("schedule", "--all", *NOW, "-"), labels_and_zones, "rebal_schedule",
                                                FEW),
    "schedule, clusters and values": (("schedule", "--all", *NOW, "-"), clusters_and_values, "rebal_schedule", FEW),
    "schedule, resources of clusters": (("schedule", "--all", *NOW, "-"), cluster_resources,
                                        "rebal_fleet_clear_capacity", FEW),
    "schedule, groups of workloads": (("schedule", "--all", "--option", "gate-workload-affinity=1", *NOW, "-"),
                                      workload_groups, "rebali_peers_collect", SMALL),
    "schedule, nodes and node terms": (("schedule", "--all", "--member", "m=MEMBER", *NOW, "-"), node_terms,
                                       "rebal_schedule", FEW),
    "deschedule, bindings and answers": (("deschedule", *NOW, "-"), answers, "estimators_read", 60),
    "deschedule, estimators": (("deschedule", *NOW, "-"), estimators, "estimators_read", FEW),
    "deschedule, budgets": (("deschedule", "--from-status", *NOW, "-"), budgets, "rebal_deschedule_step", 60),
    "deschedule, budgets and known labels": (("deschedule", "--from-status", *NOW, "-"), budgets_and_labels,
                                             "rebal_deschedule_step", 60),
    "plan, budgets": (("plan", "--pdb", "--drain", "m", *NOW, "-"), drained, "rebal_plan_make", 60),
    "plan, budgets of waves": (("plan", "--pdb", "--waves", "--drain", "m", *NOW, "-"), drained, "rebal_plan_step", 60),
    "spread, labels in a patch": (("spread", *NOW, "-"), patch_labels, "rebali_patch_members_add", FEW),
    "spread, WorkloadSpreads": (("spread", *NOW, "-"), spreads, "rebal_spread_feed_update", 50),
    "spread, subsets and pods": (("spread", *NOW, "-"), subsets, "step_read_pass", FEW),
    "spread, reading subsets": (("spread", *NOW, "-"), subsets, "rebal_spread_new", FEW),
}


def count(arguments, text, function):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        if "m=MEMBER" in arguments:
            text, member = text
            (pathlib.Path(folder) / "member.yaml").write_text(member)
            arguments = [word.replace("MEMBER", f"{folder}/member.yaml") for word in arguments]
        code, printed = common.run([common.BUILD / "libtool", "--mode=execute", "valgrind", "--tool=callgrind",
                                    "--quiet", f"--callgrind-out-file={out}",
                                    *([f"--toggle-collect={function}"] if function else []),
                                    common.BUILD / "rebalancectl", *arguments], text)
        if code not in (0, 1) or not out.exists():
            sys.exit(f"{arguments}: exit {code}\n{printed[:400]}")
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)[1])


def main():
    if common.run(["valgrind", "--version"])[0]:
        common.skip("valgrind not found")
    faults = []
    for name, (arguments, make, function, few) in CASES.items():
        one = count(arguments, make(1), None) if function is None else 0
        small, large = (count(arguments, make(n), function) for n in (few, few * LARGER))
        grown = (large - one) / (small - one)
        print(f"{name}: {grown:.1f} times")
        if grown > MOST:
            faults.append(f"{name}: {LARGER} times as many take {grown:.1f} times the instructions")
    common.finish(faults, len(CASES))


main()
