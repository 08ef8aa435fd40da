# SPDX-License-Identifier: MIT
"""Members whose pods become ready late, and the writes to bindings meanwhile."""
import json
import threading
import time

import proxy
from again import Again
from case import HOLD, is_running
from client import MERGE, path
from karmada import targets

AGAIN_SECONDS = 0.05
NEVER = float("inf")


def bindings_of(case):
    """[(kind, namespace)]"""
    return ("ResourceBinding", case.namespace), ("ClusterResourceBinding", "")


class SlowMembers(Again):
    """
    Pods of the bindings of a test's namespace, and of cluster-scoped ones whose names begin with the test's. A member
    with a surplus removes ready pods first, the worst case. One thread examines all bindings again and again. The
    caller must call close().
    """

    def __init__(self, case, seconds):
        self.case, self.seconds = case, seconds
        self.never = set()  # clusters in which pods no longer become ready
        self.pods = {}  # binding: {cluster: [when each is ready]}
        self.least = {}  # binding: the fewest that were ready since all were
        self.lock = threading.Lock()
        super().__init__(AGAIN_SECONDS)

    def look(self):
        for kind, namespace in bindings_of(self.case):
            for binding in self.case.admin.get(path(kind, namespace))["items"]:
                if namespace or binding["metadata"]["name"].startswith(f"{self.case.name}-"):
                    self.execute(binding)
                    self.report(kind, namespace, binding)

    def execute(self, binding):
        """
        Gives each target its replicas; a cluster that is being evicted keeps its pods. The first pods begin ready.
        """
        name, wanted = binding["metadata"]["name"], targets(binding)
        kept = {task["fromCluster"] for task in binding["spec"].get("gracefulEvictionTasks") or []}
        now = time.monotonic()
        with self.lock:
            is_new = name not in self.pods
            pods = self.pods.setdefault(name, {})
            for cluster in {*pods, *wanted}:
                if cluster in kept and cluster not in wanted:
                    continue
                ready_at = NEVER if cluster in self.never else now if is_new else now + self.seconds
                there, count = sorted(pods.get(cluster, [])), wanted.get(cluster, 0)
                pods[cluster] = there[max(0, len(there) - count):] + [ready_at] * (count - len(there))
            ready = sum(self.ready(name).values())
            if name in self.least or ready >= binding["spec"]["replicas"]:
                self.least[name] = min(ready, self.least.get(name, ready))

    def ready(self, name):
        """Returns {cluster: pods of a binding that are ready}."""
        now = time.monotonic()
        return {cluster: len([moment for moment in pods if moment <= now]) for cluster, pods in self.pods[name].items()}

    def report(self, kind, namespace, binding):
        name = binding["metadata"]["name"]
        items = [{"clusterName": cluster, "applied": True, "health": "Healthy" if count == ready else "Unhealthy",
                  "status": {"replicas": count, "readyReplicas": ready}}
                 for cluster, ready in sorted(self.ready(name).items()) for count in [len(self.pods[name][cluster])]
                 if count or cluster in targets(binding)]
        if items != (binding.get("status") or {}).get("aggregatedStatus"):
            self.case.admin.merge(path(kind, namespace, name, "status"), {"status": {"aggregatedStatus": items}})


class SlowPods(Again):
    """
    Pods of Deployments in API servers of members, given as cases: pods of templates that hold them become ready a while
    after they began. The caller must call close().
    """

    def __init__(self, cases, seconds):
        self.cases, self.seconds = cases, seconds
        self.least = None  # the fewest that were ready, since begin()
        self._seen = {}  # uid of a pod: when it was first seen
        super().__init__(AGAIN_SECONDS)

    def begin(self):
        self.least = self.ready()

    def ready(self):
        return sum(is_running(pod) and "deletionTimestamp" not in pod["metadata"]
                   for case in self.cases for pod in case.pods())

    def look(self):
        for case in self.cases:
            for pod in case.pods():
                self.release(case, pod["metadata"])
        if self.least is not None:
            self.least = min(self.least, self.ready())

    def release(self, case, metadata):
        begin = self._seen.setdefault(metadata["uid"], time.monotonic())
        if metadata.get("annotations", {}).get(HOLD) and time.monotonic() >= begin + self.seconds:
            case.admin.request("PATCH", path("Pod", case.namespace, metadata["name"]),
                               {"metadata": {"annotations": {HOLD: None}}}, MERGE)


class Writes:
    """
    Checks the writes of a program, whose user is the label, to bindings of a test: each write keeps as many ready as
    the floor, or as many as before it. The pods are those of members.
    """

    def __init__(self, case, label, pods, floor):
        self.case, self.pods, self.floor = case, pods, floor
        self.placements = {}  # binding: placements that were written, in order
        self.patches, self.others = [], []  # bodies; methods and paths but GET
        self.broken = []
        between = proxy.Interceptor(case.plane)
        case.at_end(between.close)
        between.before, between.after = self.before, self.after
        self.user = f"{case.name}-{label}"
        case.plane.credentials.write_kubeconfig(self.user, between.port,
                                                {"token": case.plane.credentials.tokens["admin"]})
        self.ready = {}

    def name_of(self, method, target):
        """Returns the binding of the test that a request changes; "": none."""
        target = target.partition("?")[0]
        begins = [path(kind, namespace) + "/" for kind, namespace in bindings_of(self.case)]
        found = [target[len(begin):] for begin in begins if target.startswith(begin)]
        return found[0] if found and method == "PATCH" else ""

    def before(self, method, target, _):
        name = self.name_of(method, target)
        if name:
            with self.pods.lock:
                self.ready[name] = self.pods.ready(name)

    def after(self, method, target, body, status):
        name = self.name_of(method, target)
        if name and status == 200:
            self.note(name, json.loads(body))
        elif method != "GET" and not name:
            self.others.append((method, target))

    def note(self, name, body):
        self.patches.append((name, body))
        spec = body.get("spec") or {}
        if "clusters" not in spec:
            return
        placement = {item["name"]: item.get("replicas", 0) for item in spec["clusters"]}
        self.placements.setdefault(name, []).append(placement)
        kept = {task["fromCluster"] for task in spec.get("gracefulEvictionTasks") or []}
        ready = self.ready[name]
        left = sum(count if cluster in kept else min(count, placement.get(cluster, 0))
                   for cluster, count in ready.items())
        if left < min(self.floor, sum(ready.values())):
            self.broken.append(f"{name}: {placement} where {ready} are ready")
