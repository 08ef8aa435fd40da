# SPDX-License-Identifier: MIT
"""
A small replacement for Karmada's components between a control plane and its members: bindings of policies, workloads in
members, and reports of members. One thread examines everything again and again.
"""
from again import Again
from client import path
from karmada import MANAGED, summary, targets

AGAIN_SECONDS = 0.1
CLAIM = "propagationpolicy.karmada.io/name"
NOT_COPIED = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "namespace")


def quantity(text):
    """Returns CPU in thousandths, memory in bytes, or a number."""
    units = {"Ki": 1024, "Mi": 1024 ** 2, "Gi": 1024 ** 3}
    if text.endswith("m"):
        return int(text[:-1]) / 1000
    return int(text[:-2]) * units[text[-2:]] if text[-2:] in units else int(text)


def requests(template):
    """Returns the requests of a pod of a template. A missing request defaults to the limit."""
    total = {}
    for container in template["spec"]["containers"]:
        resources = container.get("resources", {})
        for name, amount in {**resources.get("limits", {}), **resources.get("requests", {})}.items():
            assert name not in total, "two containers are not expected"
            total[name] = amount
    return total


class Propagation(Again):
    """Follows the Deployments of one namespace. The caller must call close()."""

    def __init__(self, control, members, namespace="default"):
        self.control = control  # a client
        self.members = members  # {name of a cluster: client}
        self.namespace = namespace
        super().__init__(AGAIN_SECONDS)

    def look(self):
        self.derive_bindings()
        for binding in self.list(self.control, "ResourceBinding"):
            self.execute(binding)
            self.report(binding)
        for name, member in self.members.items():
            self.report_cluster(name, member)

    def list(self, client, kind):
        return client.get(path(kind, self.namespace))["items"]

    def find(self, client, kind, name):
        status, found = client.request("GET", path(kind, self.namespace, name))
        return found if status == 200 else None

    def patch(self, client, kind, name, change, subresource=""):
        client.merge(path(kind, self.namespace, name, subresource), change)

    # ---- bindings, as the detector makes them

    def derive_bindings(self):
        """Creates a binding for each Deployment that a policy names."""
        for policy in self.list(self.control, "PropagationPolicy"):
            for selector in policy["spec"]["resourceSelectors"]:
                workload = self.find(self.control, selector["kind"], selector["name"])
                if workload:
                    self.derive(policy, workload)

    def derive(self, policy, workload):
        name = f"{workload['metadata']['name']}-{workload['kind'].lower()}"
        spec = {"resource": {"apiVersion": workload["apiVersion"], "kind": workload["kind"],
                             "namespace": self.namespace, "name": workload["metadata"]["name"],
                             "uid": workload["metadata"]["uid"]},
                "replicas": workload["spec"]["replicas"], "placement": policy["spec"]["placement"],
                "replicaRequirements": {"resourceRequest": requests(workload["spec"]["template"])},
                **{key: policy["spec"][key] for key in ("failover", "propagateDeps") if key in policy["spec"]}}
        found = self.find(self.control, "ResourceBinding", name)
        if not found:
            self.control.create("ResourceBinding", {"metadata": {
                "name": name, "labels": dict(MANAGED), "annotations": {CLAIM: policy["metadata"]["name"]}},
                "spec": spec}, self.namespace)
        elif {key: found["spec"].get(key) for key in spec} != spec:
            self.patch(self.control, "ResourceBinding", name, {"spec": spec})

    # ---- workloads in members

    def execute(self, binding):
        """Keeps the workload in each target, with its replicas, and in other members only during an eviction."""
        resource, wanted = binding["spec"]["resource"], targets(binding)
        workload = self.find(self.control, resource["kind"], resource["name"])
        if not workload:
            self.remove(binding)
            return
        leaving = {task["fromCluster"] for task in binding["spec"].get("gracefulEvictionTasks") or []}
        for name, member in self.members.items():
            found = self.find(member, resource["kind"], resource["name"])
            if name in wanted and not found:
                metadata = {key: value for key, value in workload["metadata"].items() if key not in NOT_COPIED}
                member.create(resource["kind"], {
                    "metadata": metadata, "spec": {**workload["spec"], "replicas": wanted[name]}}, self.namespace)
            elif name in wanted and found["spec"]["replicas"] != wanted[name]:
                self.patch(member, resource["kind"], resource["name"], {"spec": {"replicas": wanted[name]}})
            elif found and name not in wanted and name not in leaving:
                member.delete(path(resource["kind"], self.namespace, resource["name"]))

    def remove(self, binding):
        """Deletes the objects made for a deleted workload."""
        resource = binding["spec"]["resource"]
        for member in self.members.values():
            member.delete(path(resource["kind"], self.namespace, resource["name"]))
        self.control.delete(path("ResourceBinding", self.namespace, binding["metadata"]["name"]))

    # ---- what members report

    def report(self, binding):
        resource, items, ready = binding["spec"]["resource"], [], 0
        for name, member in sorted(self.members.items()):
            found = self.find(member, resource["kind"], resource["name"])
            if not found:
                continue
            status = found.get("status", {})
            counts = {key: status.get(key, 0) for key in ("replicas", "readyReplicas", "updatedReplicas")}
            is_healthy = status.get("observedGeneration") == found["metadata"]["generation"] and \
                set(counts.values()) == {found["spec"]["replicas"]}
            items.append({"clusterName": name, "applied": True, "health": "Healthy" if is_healthy else "Unhealthy",
                          "status": counts})
            ready += counts["readyReplicas"]
        if items != (binding.get("status") or {}).get("aggregatedStatus", []):
            self.patch(self.control, "ResourceBinding", binding["metadata"]["name"],
                       {"status": {"aggregatedStatus": items}}, "status")
            replicas = sum(item["status"]["replicas"] for item in items)
            self.patch(self.control, resource["kind"], resource["name"],
                       {"status": {"readyReplicas": ready, "replicas": replicas}}, "status")

    def report_cluster(self, name, member):
        """Reports the nodes and pods of a member in the status of its Cluster."""
        allocatable, allocated = {}, {"cpu": 0, "memory": 0, "pods": 0}
        for node in member.get(path("Node"))["items"]:
            for resource in allocated if not node["spec"].get("unschedulable") else ():
                amount = quantity(node.get("status", {}).get("allocatable", {}).get(resource, "0"))
                allocatable[resource] = allocatable.get(resource, 0) + amount
        for pod in member.get(path("Pod"))["items"]:
            if pod["spec"].get("nodeName") and pod["status"].get("phase") in ("Pending", "Running"):
                allocated["pods"] += 1
                for resource, amount in requests(pod).items():
                    allocated[resource] += quantity(amount)
        found = summary("0")
        found["resourceSummary"] = {part: {resource: as_text(resource, amount) for resource, amount in amounts.items()}
                                    for part, amounts in (("allocatable", allocatable), ("allocated", allocated))}
        status, cluster = self.control.request("GET", path("Cluster", name=name))
        if status == 200 and (cluster.get("status") or {}).get("resourceSummary") != found["resourceSummary"]:
            self.control.merge(path("Cluster", name=name, subresource="status"), {"status": found})


def as_text(resource, amount):
    return f"{round(amount * 1000)}m" if resource == "cpu" else str(round(amount))
