# SPDX-License-Identifier: MIT
"""Recomputes tables of rebalance-karmada(7) 10, which describe objects of examples/pages, for check-tables.py."""
import json
import re

from page_tables import EXAMPLES, KARMADA, in_text


def seconds(time):
    hours, minutes, rest = map(int, time.split(":"))
    return (hours * 60 + minutes) * 60 + rest


def now_of(file):
    """The time that the session with a file has."""
    return seconds(in_text(rf"--now 2026-03-14T(\S+)Z {file}", KARMADA)[0])


def binding_of(file, name):
    return next(part for part in (EXAMPLES / file).read_text().split("---\n") if f"name: {name}-deployment" in part)


def toleration_ends(rows):
    text = (EXAMPLES / "noexecute.yaml").read_text()
    taints = {key: seconds(time) for key, time in re.findall(r'key: (\w), .*timeAdded: "\S+T(\S+)Z"', text)}
    shown = []
    for name, _, end in rows:
        found = re.search(r"applied-placement: '(.*)'", binding_of("noexecute.yaml", name))
        listed = json.loads(found[1])["clusterTolerations"] if found else []
        limits = [(one.get("key"), one.get("tolerationSeconds")) for one in listed]
        words = "; ".join(f"{key or 'any'} {f'for {limit} s' if limit else 'without limit'}" for key, limit in limits)
        ends = {f"{taint} + {limit} s": at + limit for key, limit in limits if limit for taint, at in taints.items()
                if key in (taint, None)}
        left = [f"{taint} is not tolerated" for taint in taints if not {taint, None} & {key for key, _ in limits}]
        if ends and not left:
            rest = min(ends.values()) - now_of("noexecute.yaml")
            terms = [term if term in ends else "nothing" for term in re.findall(r"\w \+ \d+ s", end)]
            left = [f"min({', '.join(terms)}), in {rest} s" if rest > 0 else f"{terms[0]}, which is {-rest} s ago"]
        shown.append([name, words, *left] if listed else [name, "no annotation", "an error"])
    return shown


def tasks(rows):
    shown = []
    for name, cluster, _ in rows:
        binding = binding_of("tasks.yaml", name)
        task = re.search(rf"fromCluster: {cluster}, .*", binding)[0]
        created = re.search(r'creationTimestamp: "\S+T(\S+)Z"', task)[1]
        period = re.search(r"gracePeriodSeconds: (\d+)", task)
        words = f"created {created}" + (f", grace period {period[1]} s" if period else "")
        if now_of("tasks.yaml") - seconds(created) == 600:
            words += ", exactly 10 minutes ago"
        target = re.search(r"health: (\w+)", binding)
        words += (", suppressDeletion true" if "suppressDeletion: true" in task else
                  f"; target {target[1].lower()}" if "  clusters:" in binding else "; spec.clusters is empty")
        shown.append([name, cluster, words])
    return shown
