# SPDX-License-Identifier: MIT
"""What rebalancectl simulate makes of the objects of a test."""
import json
import subprocess
import tempfile

import common
import karmada
from client import path

START = "2026-03-14T09:00:00Z"


def strip(thing, kind, api_version):
    """An object as a person would have written it."""
    metadata = {key: thing["metadata"][key] for key in ("name", "namespace", "labels", "uid")
                if key in thing["metadata"]}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": thing["spec"],
            **({"status": thing["status"]} if kind == "Cluster" else {})}


def targets(case, names):
    """{name: {cluster: replicas}} of bindings of Deployments, when a simulated scheduler has placed them."""
    clusters = [item for item in case.admin.get(path("Cluster"))["items"]
                if item["metadata"]["name"].startswith(case.name)]
    found = {item["metadata"]["name"]: item for item in
             case.admin.get(path("ResourceBinding", case.namespace))["items"]}
    bindings = []
    for name in names:
        one = strip(found[f"{name}-deployment"], "ResourceBinding", "work.karmada.io/v1alpha2")
        one["spec"].pop("clusters", None)
        bindings.append(one)
    scenario = [{"apiVersion": "simulation.rebalance/v1", "kind": "Scenario", "start": START},
                *[strip(item, "Cluster", "cluster.karmada.io/v1alpha1") for item in clusters], *bindings,
                {"kind": "Step", "metadata": {"name": "all"}, "advance": "1m"}]
    ends = {item["metadata"]["name"]: karmada.targets(item) for item in run(scenario)
            if item["kind"] == "ResourceBinding"}
    return {name: ends[f"{name}-deployment"] for name in names}


def run(scenario):
    """Returns the objects after the last step of a scenario."""
    return play(scenario)[-1]


def play(scenario):
    """Returns the objects after each step of a scenario, which is a list of objects."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        file.write("\n".join(json.dumps(item) for item in scenario))
        file.flush()
        return states(file.name)


def states(name):
    """Returns the objects at the start of a scenario and after each step of it."""
    command = [common.BUILD / "rebalancectl", "simulate", "--states", "-", "-f", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return [json.loads(line)["objects"] for line in done.stdout.splitlines()]


def placements(scenario, name):
    """The placements of a Deployment one after the other, as a scenario of the examples has them after its steps."""
    found = []
    for objects in states(common.SOURCE / "examples/scenarios" / scenario):
        for thing in objects:
            if thing["kind"] == "ResourceBinding" and thing["spec"]["resource"]["name"] == name:
                placement = karmada.targets(thing)
                found += [placement] if placement and found[-1:] != [placement] else []
    return found
