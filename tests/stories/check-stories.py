# SPDX-License-Identifier: MIT
"""After each step of a story the simulation has the state of a real control plane; README.md describes the recordings.

Usage: check-stories.py [-v] [NAME...]    all stories, or those named; -v prints each difference
"""
import concurrent.futures
import json
import lzma
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

TOOL = common.BUILD / "rebalancectl"
RECORDED = common.SOURCE / "tests/stories/recorded.jsonl.xz"
RULES = common.SOURCE / "tests/stories/rules.txt"


def conditions(items):
    return sorted([item["type"], item["status"], item.get("reason", ""), item.get("message", "")] for item in items)


def task(item):
    kept = {name: value for name, value in item.items() if value not in (None, "", [], {})}
    created = kept.pop("creationTimestamp", None)
    return {**kept, "hasCreation": bool(created)}


def in_cluster(item):
    status = item.get("status") or {}
    return [item.get("applied", False), item.get("health", ""), status.get("readyReplicas", 0),
            status.get("replicas", 0)]


def binding(metadata, spec, status):
    return {
        "clusters": {item["name"]: item.get("replicas", 0) for item in spec.get("clusters") or []},
        "replicas": spec.get("replicas") or 0,
        "tasks": [task(item) for item in spec.get("gracefulEvictionTasks") or []],
        "conditions": conditions(status.get("conditions") or []),
        "observed": (status.get("schedulerObservedGeneration") or 0) == metadata.get("generation"),
        "affinity": status.get("schedulerObservingAffinityName") or status.get("schedulerObservedAffinityName") or "",
        "triggered": bool(spec.get("rescheduleTriggeredAt")),
        "scheduledAt": bool(status.get("lastScheduledTime")),
        "agg": {item["clusterName"]: in_cluster(item) for item in status.get("aggregatedStatus") or []},
        "suspension": spec.get("suspension") or {},
        "schedulePriority": (spec.get("schedulePriority") or {}).get("priority"),
        "requiredBy": [[item.get("namespace"), item.get("name")] for item in spec.get("requiredBy") or []],
        "deleting": bool(metadata.get("deletionTimestamp")),
    }


def observed(item, workload):
    return [workload.get("kind"), workload.get("namespace", ""), workload.get("name"), item.get("result", ""),
            item.get("reason", "")]


def rebalancer(_metadata, _spec, status):
    return {
        "workloads": [observed(item, item["workload"]) for item in status.get("observedWorkloads") or []],
        "finished": bool(status.get("finishTime")),
        "observedGeneration": status.get("observedGeneration"),
    }


def cluster(metadata, spec, status):
    return {
        "taints": sorted([item["key"], item.get("value", ""), item["effect"]] for item in spec.get("taints") or []),
        "conditions": [item[:3] for item in conditions(status.get("conditions") or [])],
        "deleting": bool(metadata.get("deletionTimestamp")),
    }


COMPARED = {
    "ResourceBinding": binding,
    "ClusterResourceBinding": binding,
    "WorkloadRebalancer": rebalancer,
    "Cluster": cluster,
}


def compared(objects):
    """Returns the compared members of a state, in the form of the recorded states."""
    state = {}
    for item in objects:
        if item["kind"] in COMPARED:
            metadata = item["metadata"]
            name = "/".join(filter(None, [metadata.get("namespace"), metadata["name"]]))
            form = COMPARED[item["kind"]]
            state[f"{item['kind']} {name}"] = form(metadata, item.get("spec") or {}, item.get("status") or {})
    return state


def differences(recorded, simulated):
    for name in sorted(recorded.keys() | simulated.keys()):
        if name not in recorded or name not in simulated:
            yield f"{name}: only {'recorded' if name in recorded else 'simulated'}"
            continue
        for member, value in recorded[name].items():
            other = simulated[name][member]
            if value != other:
                yield f"{name} {member}: recorded {json.dumps(value)}, simulated {json.dumps(other)}"


def play(story):
    """Returns (name, differences) of a story."""
    done = subprocess.run([TOOL, "simulate", "--states", "-", "-"], input=story["scenario"], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    states = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"step"')]
    found = []
    for step, recorded in enumerate(story["steps"]):
        if step >= len(states):
            return story["name"], found + [f"step {step} did not run: {done.stderr.strip()}"]
        if states[step]["step"] != step:
            return story["name"], found + [f"step {states[step]['step']} where {step} is due"]
        found += [f"step {step} \"{recorded['name']}\": {line}"
                  for line in differences(recorded["state"], compared(states[step]["objects"]))]
    return story["name"], found


def read_rules():
    """Returns the names of stories by their word in rules.txt."""
    rules = {"uncounted": set(), "differs": set()}
    for line in RULES.read_text().splitlines():
        if line and not line.startswith("#"):
            kind, name = line.split()
            rules[kind].add(name)
    return rules


def main():
    if not TOOL.exists():
        print("skip: rebalancectl is not built")
        sys.exit(77)
    rules = read_rules()
    names = [word for word in sys.argv[1:] if word != "-v"]
    with lzma.open(RECORDED, "rt", encoding="utf-8") as lines:
        stories = [story for story in map(json.loads, lines) if not names or story["name"] in names]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        played = list(pool.map(play, stories))
    faults = []
    for name, found in played:
        if "-v" in sys.argv and found:
            print("\n  ".join([name] + found))
        if name in rules["differs"] and not found:
            faults.append(f"{name} is as recorded: take it out of rules.txt")
        elif found and name not in rules["differs"] | rules["uncounted"]:
            faults.append("\n  ".join([name] + found[:5]))
    unknown = (rules["differs"] | rules["uncounted"]) - {story["name"] for story in stories}
    if not names:
        faults += [f"rules.txt: no story {name}" for name in sorted(unknown)]
    common.finish(faults, sum(name not in rules["uncounted"] for name, _ in played))


main()
