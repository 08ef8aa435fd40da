# SPDX-License-Identifier: MIT
"""Control planes that are members of Karmada, and bindings of Deployments that are in them."""
import json

import karmada
from client import path

LONG_AGO = "2026-01-01T00:00:00Z"
DYNAMIC = {"replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"}}


def write_kubeconfig(file, planes, current="", user="admin"):
    """Writes {name of a context: its control plane} as a kubeconfig."""
    lists = {"clusters": [], "users": [], "contexts": []}
    for name, plane in planes.items():
        with open(plane.kubeconfig(user), encoding="utf-8") as given:
            config = json.load(given)
        server, = config["clusters"]
        account, = config["users"]
        lists["clusters"].append({**server, "name": name})
        lists["users"].append({**account, "name": name})
        lists["contexts"].append({"name": name, "context": {"cluster": name, "user": name}})
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": current, **lists}, indent=2) +
                    "\n")


def kubeconfig(case, planes, user="admin"):
    """Writes {name of a cluster: its control plane} as the contexts of a kubeconfig, and returns its path."""
    file = case.plane.folder / f"{case.name}-members.kubeconfig"
    write_kubeconfig(file, planes, user=user)
    return str(file)


def create_binding(case, name, clusters, ready=None, **status):
    """
    Creates the ResourceBinding of a Deployment that is divided by what is available.
    clusters: {name: replicas}; ready: {name: ready replicas}.
    """
    annotations = {"policy.karmada.io/applied-placement": json.dumps(DYNAMIC)}
    case.create("ResourceBinding", {
        "metadata": {"name": f"{name}-deployment", "annotations": annotations},
        "spec": {"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": case.namespace, "name": name},
                 "replicas": sum(clusters.values()), "placement": DYNAMIC,
                 "clusters": [{"name": cluster, "replicas": count} for cluster, count in clusters.items()]}})
    items = [{"clusterName": cluster, "applied": True, "health": "Healthy",
              "status": {"replicas": clusters.get(cluster, count), "readyReplicas": count}}
             for cluster, count in (ready or {}).items()]
    patch(case, name, {"status": {"aggregatedStatus": items, "lastScheduledTime": LONG_AGO, **status}}, "status")


def binding(case, name):
    return case.admin.get(path("ResourceBinding", case.namespace, f"{name}-deployment"))


def patch(case, name, body, subresource=""):
    return case.admin.merge(path("ResourceBinding", case.namespace, f"{name}-deployment", subresource), body)


def replicas(case, name):
    """{name of a cluster: replicas} of a binding."""
    return karmada.targets(binding(case, name))


def events(case, name):
    """[(kind of the object, reason, message)] of the events on a binding and its Deployment."""
    found = case.admin.get(path("Event", case.namespace))["items"]
    return sorted((item["involvedObject"]["kind"], item["reason"], item.get("message", "")) for item in found
                  if item["involvedObject"]["name"] in (name, f"{name}-deployment"))


def events_are_denied(case, program):
    return 'cannot create resource "events"' in case.plane.log(program).read_text()


def create_pending(member, name, waiting, since=LONG_AGO):
    """
    Creates a Deployment in a member without controllers, its ReplicaSet, and pods that have been unschedulable since.
    """
    labels, hashed = {"app": name}, {"app": name, "pod-template-hash": "1"}
    pod = {"containers": [{"name": "main", "image": "none"}]}
    spec = {"replicas": waiting, "selector": {"matchLabels": labels}}
    owner = member.create("Deployment", {"metadata": {"name": name}, "spec": {
        **spec, "template": {"metadata": {"labels": labels}, "spec": pod}}})
    owner = member.create("ReplicaSet", {
        "metadata": {"name": f"{name}-1", "labels": hashed, **owned_by(owner)},
        "spec": {**spec, "template": {"metadata": {"labels": hashed}, "spec": pod}}})
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastTransitionTime": since}
    for number in range(waiting):
        one = f"{name}-1-{number}"
        member.create("Pod", {"metadata": {"name": one, "labels": hashed, **owned_by(owner)}, "spec": pod})
        member.admin.merge(path("Pod", member.namespace, one, "status"), {"status": {"conditions": [condition]}})


def owned_by(owner):
    return {"ownerReferences": [{"apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True,
                                 "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}]}
