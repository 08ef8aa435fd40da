# SPDX-License-Identifier: MIT
"""Clusters and bindings as Karmada's other controllers leave them."""
from client import path

APIS = [{"groupVersion": "apps/v1", "resources": [{"kind": "Deployment", "name": "deployments"}]},
        {"groupVersion": "v1", "resources": [{"kind": "Namespace", "name": "namespaces"},
                                             {"kind": "ConfigMap", "name": "configmaps"}]}]
MANAGED = {"propagationpolicy.karmada.io/permanent-id": "00000000-0000-4000-8000-000000000000"}


def summary(cpu, used="0", pods="110"):
    """Returns the status of a cluster that is ready, with so much CPU."""
    return {"apiEnablements": APIS,
            "conditions": [{"type": "Ready", "status": "True", "reason": "ClusterReady", "message": "",
                            "lastTransitionTime": "2026-01-01T00:00:00Z"}],
            "resourceSummary": {"allocatable": {"cpu": cpu, "memory": "100Gi", "pods": pods},
                                "allocated": {"cpu": used, "pods": "0"}}}


def create_cluster(case, name, cpu="10", **spec):
    """Creates a cluster whose name begins with the test's, and returns that name."""
    full = f"{case.name}-{name}"
    case.create_global("Cluster", {"metadata": {"name": full, "labels": {"cluster": name}},
                                   "spec": {"syncMode": "Push", **spec}})
    set_status(case, full, summary(cpu))
    return full


def set_status(case, cluster, status):
    case.admin.merge(path("Cluster", name=cluster, subresource="status"), {"status": status})


def placement(preference="Aggregated", **more):
    """The clusters of the test, divided."""
    scheduling = {"replicaSchedulingType": "Divided", "replicaDivisionPreference": preference}
    if preference == "Weighted":
        scheduling["weightPreference"] = {"dynamicWeight": "AvailableReplicas"}
    return {"clusterAffinity": {"clusterNames": more.pop("clusters", [])}, "replicaScheduling": scheduling, **more}


def binding(case, name, replicas, where, cpu="500m", **spec):
    """Returns a binding of a Deployment."""
    return {"metadata": {"name": f"{name}-deployment", "labels": dict(MANAGED)}, "spec": {
        "resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": case.namespace, "name": name},
        "replicas": replicas, "placement": where,
        "replicaRequirements": {"resourceRequest": {"cpu": cpu}}, **spec}}


def targets(found):
    """{cluster: replicas} of a binding."""
    return {target["name"]: target.get("replicas", 0) for target in found["spec"].get("clusters") or []}
