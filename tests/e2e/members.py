# SPDX-License-Identifier: MIT
"""Clusters of Karmada, and the control planes that are their members."""
import json

import client

LONG_AGO = "2026-01-01T00:00:00Z"
DYNAMIC = {"replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"}}


def write_kubeconfig(path, planes, current="", user="admin"):
    """Writes {name of a context: its control plane} as a kubeconfig."""
    lists = {"clusters": [], "users": [], "contexts": []}
    for name, plane in planes.items():
        with open(plane.kubeconfig(user), encoding="utf-8") as file:
            config = json.load(file)
        server, = config["clusters"]
        account, = config["users"]
        lists["clusters"].append({**server, "name": name})
        lists["users"].append({**account, "name": name})
        lists["contexts"].append({"name": name, "context": {"cluster": name, "user": name}})
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": current, **lists}, indent=2) +
                    "\n")


def kubeconfig(case, planes, user="admin"):
    """Writes {name of a cluster: its control plane} as the contexts of a kubeconfig, and returns its path."""
    path = case.plane.folder / f"{case.name}-members.kubeconfig"
    write_kubeconfig(path, planes, user=user)
    return str(path)


def create_cluster(case, name, admin=None, **status):
    """Creates a Cluster, which is gone at the end of the test, and returns its name: it begins with the test's."""
    body = {"metadata": {"name": f"{case.name}-{name}"}, "spec": {"syncMode": "Push"}}
    if admin is None:
        case.create_global("Cluster", body)
    else:
        admin.create("Cluster", body)
    full = body["metadata"]["name"]
    condition = {"type": "Ready", "status": "True", "reason": "ClusterReady", "message": "",
                 "lastTransitionTime": LONG_AGO}
    (admin or case.admin).merge(client.path("Cluster", name=full, subresource="status"),
                                {"status": {"conditions": [condition], **status}})
    return full


def create_binding(case, name, clusters, ready=None, admin=None, **status):
    """
    Creates the ResourceBinding of a Deployment that is divided by what is available.
    clusters: {name: replicas}; ready: {name: ready replicas}.
    """
    admin = admin or case.admin
    body = {"metadata": {"name": f"{name}-deployment",
                         "annotations": {"policy.karmada.io/applied-placement": json.dumps(DYNAMIC)}},
            "spec": {"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": case.namespace,
                                  "name": name},
                     "replicas": sum(clusters.values()), "placement": DYNAMIC,
                     "clusters": [{"name": cluster, "replicas": count} for cluster, count in clusters.items()]}}
    admin.create("ResourceBinding", body, case.namespace)
    items = [{"clusterName": cluster, "applied": True, "health": "Healthy",
              "status": {"replicas": clusters.get(cluster, count), "readyReplicas": count}}
             for cluster, count in (ready or {}).items()]
    return admin.merge(client.path("ResourceBinding", case.namespace, f"{name}-deployment", "status"),
                       {"status": {"aggregatedStatus": items, "lastScheduledTime": LONG_AGO, **status}})


def binding(case, name, admin=None):
    return (admin or case.admin).get(client.path("ResourceBinding", case.namespace, f"{name}-deployment"))


def replicas(case, name, admin=None):
    """{name of a cluster: replicas} of a binding."""
    return {item["name"]: item.get("replicas", 0) for item in binding(case, name, admin)["spec"].get("clusters") or []}


def events(case, name, admin=None):
    """[(kind of the object, reason, message)] of the events on a binding and its Deployment."""
    found = (admin or case.admin).get(client.path("Event", case.namespace))["items"]
    return sorted((item["involvedObject"]["kind"], item["reason"], item.get("message", "")) for item in found
                  if item["involvedObject"]["name"] in (name, f"{name}-deployment"))


def create_pending(case, plane, name, waiting, since=LONG_AGO):
    """
    Creates a Deployment in a member without controllers, its ReplicaSet, and pods that have been unschedulable since.
    """
    admin, labels = plane.admin, {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "none"}]}}
    spec = {"replicas": waiting, "selector": {"matchLabels": labels}, "template": template}
    owner = admin.create("Deployment", {"metadata": {"name": name}, "spec": spec}, case.namespace)
    hashed = {**labels, "pod-template-hash": "1"}
    template = {**template, "metadata": {"labels": hashed}}
    spec = {"replicas": waiting, "selector": {"matchLabels": hashed}, "template": template}
    owner = admin.create("ReplicaSet", {"metadata": {"name": f"{name}-1", "labels": hashed, **owned_by(owner)},
                                        "spec": spec}, case.namespace)
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastTransitionTime": since}
    for number in range(waiting):
        pod = f"{name}-1-{number}"
        admin.create("Pod", {"metadata": {"name": pod, "labels": hashed, **owned_by(owner)}, "spec": template["spec"]},
                     case.namespace)
        admin.merge(client.path("Pod", case.namespace, pod, "status"), {"status": {"conditions": [condition]}})


def owned_by(owner):
    return {"ownerReferences": [{"apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True,
                                 "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}]}
