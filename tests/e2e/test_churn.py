# SPDX-License-Identifier: MIT
"""All controllers with sanitizers while everything changes: none reads or writes where it should not, none leaks."""
import collections
import random
import time

import controllers
import test_spread
from case import condition
from client import path, wait_for
from harness import API_SERVER
from karmada import binding, create_cluster, placement, set_status, summary, targets
from spreads import spread, subset
from test_rebalancer import workload

# Leaks are looked for when a program ends; the descheduler goes by the status of bindings.
PROGRAMS = {
    "karmada-scheduler": ("--assumed-for", "5"),
    "karmada-rebalancer": (),
    "karmada-descheduler": ("--descheduling-interval", "1", "--unschedulable-threshold", "1"),
    "karmada-failover": ("--taint-eviction", "--eviction-interval", "0.1", "--graceful-eviction-timeout", "5"),
    "karmada-cluster-taints": (),
    "kruise-spread-controller": ("--united-deployments",),
}
MOST = 40  # bindings at a time
SETTLE_SECONDS = 100
PAUSE_SECONDS = 0.02


class Churn:
    """Draws changes."""

    def __init__(self, case, seed):
        self.case, self.dice = case, random.Random(seed)
        self.clusters = [create_cluster(case, f"member{number}", "40") for number in range(5)]
        self.numbers = iter(range(10 ** 9))
        self.names, self.pods, self.counts = [], [], collections.Counter()
        case.admin.create("WorkloadSpread", spread("web", "ReplicaSet", subset("a", most="3"), subset("b")),
                          case.namespace)
        self.owner = test_spread.create_replica_set(case, "web", 3)

    def target(self, name, subresource=""):
        return path("ResourceBinding", self.case.namespace, f"{name}-deployment", subresource)

    def where(self):
        kind = self.dice.choice(["Weighted", "Aggregated"])
        return placement(kind, clusters=self.dice.sample(self.clusters, self.dice.randint(1, 5)))

    def create_binding(self):
        if len(self.names) < MOST:
            name = f"web-{next(self.numbers)}"
            body = binding(self.case, name, self.dice.randint(0, 9), self.where(), self.dice.choice(["100m", "2"]))
            self.case.admin.create("ResourceBinding", body, self.case.namespace)
            self.names.append(name)

    def change_replicas(self):
        self.change({"spec": {"replicas": self.dice.randint(0, 30)}})

    def change_placement(self):
        self.change({"spec": {"placement": self.where()}})

    def suspend(self):
        self.change({"spec": {"suspension": self.dice.choice([None, {"scheduling": True}])}})

    def change(self, patch, subresource=""):
        if self.names:
            self.case.admin.request("PATCH", self.target(self.dice.choice(self.names), subresource), patch,
                                    "application/merge-patch+json")

    def report(self):
        items = [{"clusterName": name, "applied": True, "health": self.dice.choice(["Healthy", "Unhealthy", "Unknown"]),
                  "status": {"replicas": 3, "readyReplicas": self.dice.randint(0, 3)}}
                 for name in self.dice.sample(self.clusters, 2)]
        self.change({"status": {"aggregatedStatus": items}}, "status")

    def delete_binding(self):
        if self.names:
            name = self.names.pop(self.dice.randrange(len(self.names)))
            self.case.admin.delete(self.target(name))

    def change_cluster(self):
        status = summary(str(self.dice.randint(1, 400)), str(self.dice.randint(0, 20)))
        status["conditions"][0]["status"] = self.dice.choice(["True", "True", "False", "Unknown"])
        set_status(self.case, self.dice.choice(self.clusters), status)

    def change_labels(self):
        self.case.admin.merge(path("Cluster", name=self.dice.choice(self.clusters)), {
            "metadata": {"labels": {"number": str(next(self.numbers))}}})

    def replace_cluster(self):
        name = self.dice.choice(self.clusters)
        self.case.admin.delete(path("Cluster", name=name))
        self.case.admin.create("Cluster", {"metadata": {"name": name}, "spec": {"syncMode": "Push"}})
        set_status(self.case, name, summary("40"))

    def rebalance(self):
        name = f"{self.case.name}-{next(self.numbers)}"
        workloads = [workload(self.case, one) for one in [*self.dice.sample(self.names, len(self.names) // 2), "none"]]
        self.case.admin.create("WorkloadRebalancer", {"metadata": {"name": name}, "spec": {
            "ttlSecondsAfterFinished": self.dice.randint(0, 2), "workloads": workloads}})

    def create_pod(self):
        if len(self.pods) < MOST:
            self.pods.append(f"web-{next(self.numbers)}")
            test_spread.create_pod(self.case, self.owner, self.pods[-1], self.dice.choice("ab"))

    def delete_pod(self):
        if self.pods:
            name = self.pods.pop(self.dice.randrange(len(self.pods)))
            self.case.admin.delete(f"{path('Pod', self.case.namespace, name)}?gracePeriodSeconds=0")

    def change_spread(self):
        self.case.admin.merge(path("WorkloadSpread", self.case.namespace, "web"), {
            "spec": {"subsets": [subset("a", most=str(self.dice.randint(0, 9))), subset("b")]}})

    def run(self, seconds):
        """Changes something every now and then, and counts what."""
        kinds = [(self.create_binding, 4), (self.delete_binding, 2), (self.change_replicas, 4), (self.report, 3),
                 (self.change_placement, 2), (self.suspend, 1), (self.change_cluster, 2), (self.change_labels, 1),
                 (self.replace_cluster, 1), (self.rebalance, 1), (self.create_pod, 2), (self.delete_pod, 2),
                 (self.change_spread, 1)]
        functions, weights = zip(*kinds)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            function, = self.dice.choices(functions, weights)
            function()
            self.counts[function.__name__] += 1
            time.sleep(PAUSE_SECONDS)

    def settle(self):
        """Lets everything be as it should, and waits until each binding has the clusters of its generation."""
        for name in self.clusters:
            set_status(self.case, name, summary("4000"))
        for name in self.clusters:  # after every status: bindings that were decided on before them come again
            self.case.admin.merge(path("Cluster", name=name), {
                "metadata": {"labels": {"settled": "true"}}, "spec": {"taints": None}})
        for name in self.names:
            self.case.admin.merge(self.target(name), {"spec": {
                "suspension": None, "placement": placement("Weighted", clusters=self.clusters)}})
            self.case.admin.merge(self.target(name, "status"), {"status": {"aggregatedStatus": None}})
        for name in self.names:
            wait_for(f"{name} to be scheduled", lambda name=name: self.is_settled(name), SETTLE_SECONDS)

    def is_settled(self, name):
        found = self.case.admin.get(self.target(name))
        assert condition(found, "Scheduled").get("status") == "True", found
        assert found["status"]["schedulerObservedGeneration"] == found["metadata"]["generation"], found
        return sum(targets(found).values()) == found["spec"]["replicas"]


def nothing_leaks(case, seconds=60):
    churn = Churn(case, 17)
    running = {name: controllers.Controller(name, case.plane, "admin", *arguments, sanitize=True)
               for name, arguments in PROGRAMS.items()}
    for controller in running.values():
        case.at_end(controller.kill)
    churn.run(seconds)
    churn.settle()
    print(f"{sum(churn.counts.values())} changes in {seconds} s", flush=True)
    ends = {name: controller.stop() for name, controller in running.items()}
    assert not any(ends.values()), ends


def nothing_leaks_for_long(case):
    nothing_leaks(case, 600)


TESTS = (
    (nothing_leaks, API_SERVER, 200),
)
LONG_TESTS = (
    (nothing_leaks_for_long, API_SERVER, 1000),
)
