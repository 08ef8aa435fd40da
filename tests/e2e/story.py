# SPDX-License-Identifier: MIT
"""Plays scenarios of the examples on control planes: one for Karmada, and one with a node for each Cluster."""
import copy
import json
import re
import subprocess
import time

import common
from case import condition, create_node, is_running
from client import path, wait_for
from harness import ALL, API_SERVER
from karmada import targets
from propagation import Propagation

NAMESPACE = "default"
NOT_NAMESPACED = ("Cluster", "PriorityClass", "WorkloadRebalancer")


def read(scenario):
    """Returns the objects of a scenario."""
    done = subprocess.run([common.BUILD / "rebalancectl", "fmt", "-o", "json",
                           common.SOURCE / "examples/scenarios" / scenario], stdout=subprocess.PIPE, check=True)
    text, found, end = done.stdout.decode().strip(), [], 0
    while end < len(text):
        thing, end = json.JSONDecoder().raw_decode(text, end)
        found.append(thing)
        end += len(text[end:]) - len(text[end:].lstrip())
    return found


def completed(thing):
    """Returns the object as an API server requires it: a Deployment with labels and a selector."""
    found = copy.deepcopy(thing)
    found["metadata"].pop("uid", None)
    if thing["kind"] == "Deployment":
        labels = {"app": thing["metadata"]["name"]}
        found["spec"]["selector"] = {"matchLabels": labels}
        found["spec"]["template"]["metadata"] = {"labels": labels}
    return found


def field(thing, name):
    """Returns the value of a field such as spec.clusters[0].name; "" if there is none."""
    for key, place in re.findall(r"(\w+)|\[(\d+)\]", name):
        thing = (thing or {}).get(key) if key else ((thing or []) + [None] * 9)[int(place)]
    return "" if thing is None else thing


def takes_time(step):
    return "advance" in step or "after" in step


class Story:
    """A scenario on control planes that end with the test."""

    def __init__(self, case, objects):
        self.steps = [thing for thing in objects if thing["kind"] == "Step"]
        self.plane, nodes = case.start_plane("karmada", API_SERVER), objects[0].get("members", {})
        self.control, self.members = self.plane.admin, {}
        for thing in objects:
            if thing["kind"] == "Cluster":
                self.add_member(case, thing, nodes.get(thing["metadata"]["name"]))
        propagation = Propagation(self.control, self.members)
        case.at_end(propagation.close)
        for name in self.members:
            wait_for(f"the status of {name}", lambda name=name: self.get("Cluster", name).get("status"))
        for thing in objects:
            if thing["kind"] not in ("Cluster", "Scenario", "Step"):
                self.apply(thing)

    def add_member(self, case, cluster, given):
        name = cluster["metadata"]["name"]
        member = case.start_plane(name, ALL).admin
        node = given["nodes"][0] if given else {"name": f"{name}-node", **cluster["status"]["resourceSummary"]}
        create_node(member, node["name"], node["allocatable"])
        self.control.create("Cluster", {"metadata": {"name": name}, "spec": {"syncMode": "Push"}})
        self.members[name] = member

    def target(self, kind, name=""):
        return path(kind, "" if kind in NOT_NAMESPACED else NAMESPACE, name)

    def get(self, kind, name):
        """Returns None if there is no such object."""
        status, found = self.control.request("GET", self.target(kind, name))
        return found if status == 200 else None

    def placement(self, name):
        found = self.get("ResourceBinding", f"{name}-deployment")
        return found and targets(found)

    # ---- what a step does

    def play(self, step):
        applied = step.get("apply", [])
        for thing in applied if isinstance(applied, list) else [applied]:
            self.apply(thing)
        if "delete" in step:
            self.control.delete(self.target(step["delete"]["kind"], step["delete"]["name"]))
        for key in ("taint", "untaint"):
            if key in step:
                self.taint(step[key]["cluster"], step[key]["taint"], key == "taint")
        if step.get("advance", "").endswith("h"):
            time.sleep(2)  # nothing must happen meanwhile
        for expected in step.get("expect", []):
            wait_for(f"{step['metadata']['name']}: {expected}", lambda expected=expected: self.holds(step, expected))
        if takes_time(step):
            wait_for(f"{step['metadata']['name']}: workloads that are healthy", self.is_healthy)

    def is_healthy(self):
        """Asserts that each workload is in its targets and reported as healthy there."""
        for binding in self.control.get(path("ResourceBinding", NAMESPACE))["items"]:
            items = (binding.get("status") or {}).get("aggregatedStatus") or []
            health = {item["clusterName"]: item["health"] for item in items}
            assert health == dict.fromkeys(targets(binding), "Healthy"), binding
        return True

    def apply(self, thing):
        if thing["kind"] == "WorkloadRebalancer":
            time.sleep(1.1)  # it has no effect on bindings scheduled in the same second or later
        kind, body = thing["kind"], completed(thing)
        for admin in [self.control, *(self.members.values() if kind == "PriorityClass" else ())]:
            if admin.request("GET", self.target(kind, body["metadata"]["name"]))[0] == 200:
                admin.merge(self.target(kind, body["metadata"]["name"]), {"spec": body["spec"]})
            else:
                admin.create(kind, body, "" if kind in NOT_NAMESPACED else NAMESPACE)

    def taint(self, cluster, text, is_added):
        """Sets the time of the taint, as Karmada's API server does."""
        key, _, effect = text.partition(":")
        taint = {"key": key, "effect": effect, "timeAdded": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        self.control.merge(path("Cluster", name=cluster), {"spec": {"taints": [taint] if is_added else []}})

    # ---- what a step expects

    def holds(self, step, expected):
        """Compares placements, and if the step takes time other values too: else they may have passed already."""
        thing = expected["object"]
        if "placement" in expected:
            found = self.placement(thing["name"])
            assert found == expected["placement"], found
            return True
        if not takes_time(step):
            return True
        if "pods" in expected:
            return self.has_pods(thing["name"], **expected["pods"])
        if "field" in expected and thing["kind"] in ("ResourceBinding", "WorkloadRebalancer"):
            return field(self.get(thing["kind"], thing["name"]), expected["field"]) == expected["equals"]
        return True

    def has_pods(self, name, cluster, ready=None, unschedulable=None, **_):
        pods = [pod for pod in self.members[cluster].get(path("Pod", NAMESPACE))["items"]
                if pod["metadata"]["labels"]["app"] == name]
        waiting = [pod for pod in pods if condition(pod, "PodScheduled").get("reason") == "Unschedulable"]
        return ready in (None, sum(map(is_running, pods))) and unschedulable in (None, len(waiting))
