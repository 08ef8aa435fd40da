# SPDX-License-Identifier: MIT
"""
The tutorial of the WorkloadRebalancer, step by step: a Deployment over two members, of which one gets a taint and loses
it again. Each step returns the commands that a user would type and their output; a deviation from the tutorial is an
AssertionError.
"""
import time

import common
from case import create_node, is_running
from client import YAML, path, wait_for
from propagation import Propagation

FOLDER = common.SOURCE / "examples/tutorial"
MEMBERS = {"member1": 10, "member2": 13}  # pods that run in each before
FAILOVER = "workload-rebalancer-test"
CONTROLLERS = {"karmada-scheduler": (), "karmada-failover": ("--taint-eviction",), "karmada-rebalancer": ()}
ON_CONTROL, ON_MEMBER = "kubectl --context karmada-apiserver", "kubectl --context"


class Tutorial:
    """Plays on control planes: control is Karmada's, members are {name: control plane}. The caller calls close()."""

    def __init__(self, control, members):
        self.control = control.admin
        self.members = {name: plane.admin for name, plane in members.items()}
        for name, pods in MEMBERS.items():
            furnish(self.members[name], pods)
            self.control.create("Cluster", {"metadata": {"name": name}, "spec": {"syncMode": "Push"}})
        self.propagation = Propagation(self.control, self.members)
        for name in self.members:
            wait_for(f"the status of {name}", lambda name=name: self.get("Cluster", name).get("status"))

    def close(self):
        self.propagation.close()

    # ---- steps: (title, function that returns [(command, what it prints)])

    def steps(self):
        return (("Step 1: create a Deployment, and a policy that divides it over both members", self.create),
                ("Step 2: taint member1, as if it had failed", self.taint),
                ("Step 2, continued: take the taint away", self.untaint),
                ("Step 3: create a WorkloadRebalancer", self.rebalance),
                ("Step 4: read the status of the WorkloadRebalancer", self.read_status),
                ("Step 5: see what it did", self.read_effect),
                ("Step 6: have the WorkloadRebalancer cleaned up by itself", self.clean_up))

    def create(self):
        done = [self.apply("deployment.yaml"), self.apply("policy.yaml")]
        return [*done, self.wait_for_replicas({"member1": 2, "member2": 1})]

    def taint(self):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())  # Karmada's API server adds it to the taint
        self.set_taints([{"key": FAILOVER, "effect": "NoExecute", "timeAdded": now}])
        return [(f"karmadactl taint clusters member1 {FAILOVER}:NoExecute", "cluster/member1 tainted"),
                self.wait_for_replicas({"member2": 3})]

    def untaint(self):
        self.wait_for_evictions()
        self.set_taints(None)
        time.sleep(1)  # nothing must happen meanwhile
        return [(f"karmadactl taint clusters member1 {FAILOVER}:NoExecute-", "cluster/member1 untainted"),
                self.wait_for_replicas({"member2": 3})]

    def rebalance(self):
        return [self.apply("rebalancer.yaml")]

    def read_status(self):
        found = wait_for("a finished run", self.finished)
        workload = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "foo", "namespace": "default"}
        status = found["status"]
        assert status["observedWorkloads"] == [{"result": "Successful", "workload": workload}], status
        assert status["observedGeneration"] == 1, status
        text = "\n".join([f"finishTime: {status['finishTime']}", "observedGeneration: 1", "observedWorkloads:",
                          "- result: Successful", "  workload: apps/v1 Deployment default/foo"])
        return [(f"{ON_CONTROL} get workloadrebalancer demo -o yaml", text)]

    def read_effect(self):
        success = "Binding has been scheduled successfully. Result: {member1:2, member2:1}"
        shown = self.wait_for_replicas({"member1": 2, "member2": 1})
        wait_for("the event", lambda: ("ScheduleBindingSucceed", success) in self.events())
        lines = [f"Normal  {reason}  default-scheduler  {message}" for reason, message in self.events()
                 if reason == "ScheduleBindingSucceed"]
        return [shown, (f"{ON_CONTROL} describe deployment foo", "\n".join(["Events:", *lines]))]

    def clean_up(self, seconds=300):
        self.control.merge(path("WorkloadRebalancer", name="demo"), {"spec": {"ttlSecondsAfterFinished": seconds}})
        wait_for("the edited one to be seen", lambda: self.finished(2))
        return [(f"{ON_CONTROL} patch workloadrebalancer demo --type merge "
                 f"-p '{{\"spec\":{{\"ttlSecondsAfterFinished\":{seconds}}}}}'",
                 f"workloadrebalancer.apps.karmada.io/demo patched; it goes {seconds} seconds after it finished")]

    # ---- what steps are made of

    def get(self, kind, name):
        return self.control.get(path(kind, "" if kind in ("Cluster", "WorkloadRebalancer") else "default", name))

    def apply(self, name):
        target = {"deployment.yaml": path("Deployment", "default"), "policy.yaml": path("PropagationPolicy", "default"),
                  "rebalancer.yaml": path("WorkloadRebalancer")}[name]
        made = self.control.must("POST", target, (FOLDER / name).read_bytes(), YAML)
        group = made["apiVersion"].rpartition("/")[0]
        return (f"{ON_CONTROL} apply -f examples/tutorial/{name}",
                f"{made['kind'].lower()}.{group}/{made['metadata']['name']} created")

    def set_taints(self, taints):
        self.control.merge(path("Cluster", name="member1"), {"spec": {"taints": taints}})

    def replicas(self):
        """Returns {member: ready replicas} of the members that have foo with all replicas ready."""
        found = {}
        for name, member in self.members.items():
            status, workload = member.request("GET", path("Deployment", "default", "foo"))
            if status == 200:
                assert workload.get("status", {}).get("readyReplicas") == workload["spec"]["replicas"], workload
                found[name] = workload["spec"]["replicas"]
        return found

    def wait_for_replicas(self, wanted):
        def look():
            found = self.replicas()
            assert found == wanted, found
            return found
        found = wait_for(f"foo to be in {wanted}", look)
        lines = ["NAME   CLUSTER   READY", *(f"foo    {name}   {count}/{count}" for name, count in found.items())]
        return "karmadactl get deployment foo", "\n".join(lines)

    def wait_for_evictions(self):
        wait_for("the eviction to end", lambda: not self.get("ResourceBinding", "foo-deployment")["spec"].get(
            "gracefulEvictionTasks"))

    def finished(self, generation=1):
        found = self.get("WorkloadRebalancer", "demo")
        status = found.get("status") or {}
        return status.get("finishTime") and status.get("observedGeneration") == generation and found

    def events(self):
        return [(event["reason"], event["message"]) for event in self.control.get(path("Event", "default"))["items"]
                if (event["involvedObject"]["kind"], event["involvedObject"]["name"]) == ("Deployment", "foo")]


def furnish(member, pods):
    """A member of the tutorial: one node, and pods that run there already."""
    create_node(member, "node", {"cpu": "2", "memory": "4Gi", "pods": "110"})
    for number in range(pods):
        member.create("Pod", {"metadata": {"name": f"system-{number}"}, "spec": {"containers": [
            {"name": "main", "image": "none", "resources": {"requests": {"cpu": "10m", "memory": "20Mi"}}}]}},
            "default")
    wait_for("pods", lambda: all(is_running(pod) for pod in member.get(path("Pod", "default"))["items"]))
