# SPDX-License-Identifier: MIT
"""Objects that tests share."""

ENABLED = [{"groupVersion": "apps/v1", "resources": [{"name": "deployments", "kind": "Deployment"}]}]


def cluster(name, cpu="10", pods="110", labels=None, taints=(), **spec):
    """A Cluster that has capacity and serves Deployments."""
    return {"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
            "metadata": {"name": name, "labels": labels or {}},
            "spec": {"syncMode": "Push", "taints": list(taints), **spec},
            "status": {"apiEnablements": ENABLED, "resourceSummary": {"allocatable": {"cpu": cpu, "pods": pods}}}}


def clusters(count):
    return [cluster(f"member{number}") for number in range(1, count + 1)]
