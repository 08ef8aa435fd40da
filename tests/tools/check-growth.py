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

SMALL, LARGE = 1000, 4000
MOST = 6.5  # times as many instructions, beyond those of an input of one; n log n takes 4.8
POLICY = {"apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagationPolicy", "metadata": {"name": "p"}}
SELECTORS = [{"apiVersion": "apps/v1", "kind": "Deployment"}]
NOW = ("--now", "2026-03-14T09:30:00Z")


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


def affinity_groups(n):
    return cluster_and_binding({"clusterAffinities": [{"affinityName": f"group{i:05}", "clusterNames": [f"x{i}"]}
                                                      for i in range(n)]})


def taints(n):
    """The binding tolerates each of them, in the other order, for a time of its own."""
    return cluster_and_binding({"clusterTolerations": [{"key": f"k{n - i}", "operator": "Exists",
                                                        "tolerationSeconds": 9000 + i} for i in range(n)]},
                               [{"key": f"k{i + 1}", "effect": "NoExecute", "timeAdded": "2026-03-14T09:00:00Z"}
                                for i in range(n)])


CASES = {  # arguments, text of n, the function whose instructions count; None: all of the tool
    "validate, unknown members": (("validate", "-"), unknown_members, None),
    "validate, documents": (("validate", "-"), documents, None),
    "schedule, affinity groups": (("schedule", "--all", *NOW, "-"), affinity_groups, "rebal_schedule"),
    "schedule, taints and tolerations": (("schedule", "--all", *NOW, "-"), taints, "rebal_schedule"),
    "failover, taints and tolerations": (("failover", "--evict-by-taint", *NOW, "-"), taints,
                                         "rebal_taint_eviction_step"),
}


def count(arguments, text, function):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
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
    for name, (arguments, make, function) in CASES.items():
        one, small, large = (count(arguments, make(n), function) for n in (1, SMALL, LARGE))
        grown = (large - one) / (small - one)
        print(f"{name}: {grown:.1f} times")
        if grown > MOST:
            faults.append(f"{name}: {LARGE // SMALL} times as many take {grown:.1f} times the instructions")
    common.finish(faults, len(CASES))


main()
