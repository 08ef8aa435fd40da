# SPDX-License-Identifier: MIT
"""
The four scenarios of the WorkloadRebalancer's guide with the example controllers: each step meets its expectations,
with the placements of rebalancectl simulate.
"""
import controllers
import simulate
import story
from harness import API_SERVER

CONTROLLERS = {"karmada-scheduler": (), "karmada-failover": ("--taint-eviction", "--eviction-interval", "0"),
               "karmada-rebalancer": ()}


def play(case, scenario, name, objects=None):
    played = story.Story(case, objects or story.read(scenario))
    for program, arguments in CONTROLLERS.items():
        controllers.start(case, program, "admin", played.plane, *arguments)
    found = []
    for step in played.steps:
        played.play(step)
        placement = played.placement(name)
        found += [placement] if placement and found[-1:] != [placement] else []
    assert found == simulate.placements(scenario, name), found


def recovered_cluster_is_used_again(case):
    play(case, "failover-and-recovery.yaml", "web")


def preempted_application_is_spread_again(case):
    """Its application is unhealthy for 3 seconds instead of 120."""
    objects = story.read("preempted-low-priority-respread.yaml")
    for thing in objects:
        if thing["kind"] == "PropagationPolicy" and "failover" in thing["spec"]:
            thing["spec"]["failover"]["application"]["decisionConditions"]["tolerationSeconds"] = 3
    play(case, "preempted-low-priority-respread.yaml", "batch", objects)


def aggregated_replicas_come_together(case):
    play(case, "aggregated-repacking.yaml", "web")


def primary_is_used_again(case):
    play(case, "disaster-recovery-migrate-back.yaml", "shop")


SECONDS = 120
TESTS = (
    (recovered_cluster_is_used_again, API_SERVER, SECONDS),
    (preempted_application_is_spread_again, API_SERVER, SECONDS),
    (aggregated_replicas_come_together, API_SERVER, SECONDS),
    (primary_is_used_again, API_SERVER, SECONDS),
)
