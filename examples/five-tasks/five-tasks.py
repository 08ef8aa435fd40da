# SPDX-License-Identifier: MIT
"""Five tasks in Python, as five-tasks.c in C and five-tasks.go in Go. Arguments: clusters, binding, story."""
import pathlib
import sys

from librebalance import Bindings, Fleet, explain, rebalance, schedule, simulate

NOW = "2024-05-25T10:00:00Z"


def targets(decision):
    return " ".join(f"{cluster}={replicas}" for cluster, replicas in decision.clusters.items())


def main(clusters, binding, story):
    fleet = Fleet(clusters)

    # Task 1: where do the replicas go?
    [decision] = schedule(fleet, binding)
    print("placed:", targets(decision))

    # Task 2: why there?
    [explanation] = explain(fleet, binding)
    for reason in explanation.reasons:
        print("why:", reason)

    # Task 3: what would move if this workload was rebalanced now?
    [move] = rebalance(fleet, binding, now=NOW)
    print("rebalanced:", targets(move.decision))

    # Task 4: what if member2 is lost?
    [decision] = schedule(fleet.without("member2"), binding)
    print("without member2:", targets(decision))

    # Task 5: play a story.
    summary = simulate(story).summary
    print(f"story: {summary.steps} steps, {summary.held} expectations held, {summary.failed} failed")


if len(sys.argv) != 4:
    sys.exit("usage: five-tasks CLUSTERS BINDING STORY")
main(*(pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[1:]))
