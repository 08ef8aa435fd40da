# SPDX-License-Identifier: MIT
"""Stories of WorkloadSpreads against a real control plane: pods that its controllers create, patched by our webhook,
and deleted in the order of the costs that our controller gives. rebalancectl simulate plays the same story beside it:
after each step both must have the same."""
import functools
import time

import controllers
import simulate
import spreads
from case import condition
from client import api_version, path, wait_for
from harness import ALL, API_SERVER
from test_webhook import register
from webhook import Webhook

START = "2026-03-14T09:00:00Z"
SIMULATED = "1m"  # virtual time of a step
PATIENCE = 40  # seconds for a step with many pods
ZONE_LABEL = "deploy/zone"
CONFLICT = "the object has been modified"


def start_webhook(case):
    """Starts the webhook, and returns when the API server calls it for pods of the test."""
    register(case, Webhook(case, "admin").wait_ready())


def start_programs(case):
    start_webhook(case)
    controllers.start(case, spreads.CONTROLLER, "admin")


def observe(pods, nodes, spread):
    """Returns the values that are compared after a step."""
    return {
        "subsets": spreads.by_subset(pods), "costs": spreads.costs(pods),
        "zones": spreads.count(pods, lambda pod: nodes.get(pod["spec"].get("nodeName"))),
        "labels": spreads.count(pods, lambda pod: pod["metadata"]["labels"].get(ZONE_LABEL)),
        "unschedulable": sum(condition(pod, "PodScheduled").get("reason") == "Unschedulable" for pod in pods),
        "statuses": spreads.subset_statuses(spread), "is in flight": spreads.in_flight(spread)}


class Story:
    """One workload with its WorkloadSpread and a node in each zone, here and in a simulation."""

    def __init__(self, case, kind, spread, body, cpu):
        self.case, self.kind, self.name = case, kind, body["metadata"]["name"]
        self.nodes = {name: zone for zone, name in spreads.create_zones(case, cpu).items()}
        self.objects = [("WorkloadSpread", spread), (kind, body)]
        self.steps = []  # (name, members of the step in a scenario, what is done here, what must come of it)

    def step(self, name, members, act, expected):
        self.steps.append((name, members, act, expected))

    def starts(self, expected):
        self.step("start", {}, self.create, expected)

    def create(self):
        for kind, body in self.objects:
            self.case.create(kind, body)

    def scales(self, replicas, expected, advance=SIMULATED, beside=lambda: None):
        where = {"kind": self.kind, "namespace": self.case.namespace, "name": self.name, "replicas": replicas}
        self.step(f"scale to {replicas}", {"scale": where, "advance": advance}, lambda: (
            spreads.scale(self.case, self.kind, self.name, replicas), beside()), expected)

    def cordons(self, zone, expected, is_cordoned=True):
        name, merge = next(name for name, of in self.nodes.items() if of == zone), {
            "spec": {"unschedulable": is_cordoned or None}}
        self.step(f"{'cordon' if is_cordoned else 'uncordon'} {zone}", {
            "patch": {"kind": "Node", "name": name, "merge": merge}}, functools.partial(self.case.admin.merge, path(
                "Node", name=name), merge), expected)

    def patches_spread(self, merge, expected):
        where = {"kind": "WorkloadSpread", "namespace": self.case.namespace, "name": self.name, "merge": merge}
        self.step(f"patch {merge}", {"patch": where}, functools.partial(self.case.admin.merge, path(
            "WorkloadSpread", self.case.namespace, self.name), merge), expected)

    def placed(self, kind, body):
        """Returns an object as a scenario lists it."""
        return {"apiVersion": api_version(kind), "kind": kind, **body,
                "metadata": {**body["metadata"], "namespace": self.case.namespace}}

    def scenario(self):
        nodes = [self.case.get("Node", name) for name in self.nodes]
        return [{"apiVersion": "simulation.rebalance/v1", "kind": "Scenario", "start": START, "workloads": {}},
                *[{"apiVersion": "v1", "kind": "Node",
                   "metadata": {"name": node["metadata"]["name"], "labels": node["metadata"]["labels"]},
                   "status": {"allocatable": node["status"]["allocatable"]}} for node in nodes],
                *[self.placed(kind, body) for kind, body in self.objects],
                *[{"kind": "Step", "metadata": {"name": name}, "advance": SIMULATED, **members}
                  for name, members, _, _ in self.steps]]

    def here(self):
        return observe(spreads.living(self.case, self.name), self.nodes,
                       spreads.get(self.case, "WorkloadSpread", self.name))

    def simulated(self, objects):
        pods = [item for item in objects if item["kind"] == "Pod"]
        return observe(pods, self.nodes, next(item for item in objects if item["kind"] == "WorkloadSpread"))

    def play(self):
        """Does the steps here; each waits for the state of the simulation."""
        states = simulate.play(self.scenario())
        assert len(states) == len(self.steps)
        for (name, _, act, expected), objects in zip(self.steps, states):
            wanted = self.simulated(objects)
            assert wanted["subsets"] == expected, (name, wanted)
            spreads.wait_for_replica_sets(self.case)
            act()
            wait_for(f"{name}: {wanted}", lambda wanted=wanted: self.is_here(wanted), PATIENCE)

    def is_here(self, wanted):
        found = self.here()
        assert found == wanted, {key: found[key] for key in wanted if found[key] != wanted[key]}
        return True


def elastic_deploy(case):
    """Zone ack holds 100 pods; pods beyond go to the elastic zone eci, and are deleted from there first."""
    start_programs(case)
    spread = spreads.spread("workload-xxx", "Deployment",
                            spreads.subset("ACK", "ack", 100, {"metadata": {"labels": {ZONE_LABEL: "ack"}}}),
                            spreads.subset("ECI", "eci", None, {"metadata": {"labels": {ZONE_LABEL: "eci"}}}))
    story = Story(case, "Deployment", spread, spreads.workload(case, "workload-xxx", 80, "100m"),
                  {"ack": 64, "eci": 64})
    story.starts({"ACK": 80})
    story.scales(120, {"ACK": 100, "ECI": 20})
    story.scales(105, {"ACK": 100, "ECI": 5})
    story.scales(90, {"ACK": 90})
    story.play()


def multi_domain_deploy(case):
    """200 pods, 100 in each of two zones; then the spread changes: first the limits, then the replicas."""
    start_programs(case)
    spread = spreads.spread("workload-xxx", "Deployment",
                            spreads.subset("subset-a", "zone-a", 100, {"metadata": {"labels": {ZONE_LABEL: "zonb-a"}}}),
                            spreads.subset("subset-b", "zone-b", 100, {"metadata": {"labels": {ZONE_LABEL: "zone-b"}}}))
    story = Story(case, "Deployment", spread, spreads.workload(case, "workload-xxx", 200, "100m"),
                  {"zone-a": 64, "zone-b": 64})
    story.starts({"subset-a": 100, "subset-b": 100})
    limits = [{**subset, "maxReplicas": most} for subset, most in zip(spread["spec"]["subsets"], (60, 140))]
    story.patches_spread({"spec": {"subsets": limits}}, {"subset-a": 100, "subset-b": 100})
    story.scales(160, {"subset-a": 60, "subset-b": 100})
    story.scales(170, {"subset-a": 60, "subset-b": 110})
    story.play()


def unschedulable_subset_is_passed_over(case):
    """Adaptive: pods that find no node in a cordoned zone are replaced in the next one, and later pods go there. After
    five minutes the first zone is tried again, and used where it takes pods again."""
    start_programs(case)
    spread = spreads.spread("web", "Deployment", spreads.subset("a", "zone-a", 4), spreads.subset("b", "zone-b"),
                            critical_seconds=5)
    story = Story(case, "Deployment", spread, spreads.workload(case, "web", 2), {"zone-a": 16, "zone-b": 16})
    story.starts({"a": 2})
    story.cordons("zone-a", {"a": 2})
    story.scales(4, {"a": 4}, "1s")
    story.step("ten seconds later", {"advance": "10s"}, lambda: None, {"a": 2, "b": 2})
    story.scales(5, {"a": 2, "b": 3})
    story.cordons("zone-a", {"a": 2, "b": 3}, False)
    story.step("five minutes later", {"advance": "5m"}, functools.partial(age_conditions, case, "web"),
               {"a": 2, "b": 3})
    story.scales(7, {"a": 4, "b": 3})
    story.play()


def age_conditions(case, name):
    """Lets five minutes pass for the conditions of a WorkloadSpread."""
    thing = spreads.get(case, "WorkloadSpread", name)
    status = thing["status"]
    for subsets in [status["subsetStatuses"], *status["versionedSubsetStatuses"].values()]:
        for each in (item for subset in subsets for item in subset.get("conditions", [])):
            each["lastTransitionTime"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 301))
    case.admin.must("PUT", path("WorkloadSpread", case.namespace, name, "status"), thing)


def stateful_ordinals(case):
    """Pods of a StatefulSet are deleted by their ordinals, and get no costs."""
    start_programs(case)
    spread = spreads.spread("web", "StatefulSet", spreads.subset("a", "zone-a", 2), spreads.subset("b", "zone-b"))
    story = Story(case, "StatefulSet", spread, spreads.workload(case, "web", 4), {"zone-a": 16, "zone-b": 16})
    story.starts({"a": 2, "b": 2})
    story.scales(3, {"a": 2, "b": 1})
    story.scales(1, {"a": 1})
    story.play()


def half_and_half(case):
    """Three pods in zone a, the others in zone b."""
    spread = spreads.spread("web", "Deployment", spreads.subset("a", "zone-a", 3), spreads.subset("b", "zone-b"))
    return Story(case, "Deployment", spread, spreads.workload(case, "web", 6), {"zone-a": 16, "zone-b": 16})


def restarts_in_the_middle(case):
    """The controller is killed, then the API server restarted, while there is something to do. CloneSets and Advanced
    StatefulSets are not served at all."""
    own = case.at(case.start_plane("own", ALL))
    for name in ("clonesets", "statefulsets"):
        own.plane.served = [target for target in own.plane.served if f"kruise.io/v1alpha1/{name}" not in target and
                            f"kruise.io/v1beta1/{name}" not in target]
        own.admin.delete(path("CustomResourceDefinition", name=f"{name}.apps.kruise.io"))
    start_webhook(own)
    controller = controllers.Controller(spreads.CONTROLLER, own.plane, "admin")
    case.at_end(controller.kill)
    story = half_and_half(own)
    story.starts({"a": 3, "b": 3})
    story.scales(10, {"a": 3, "b": 7}, beside=lambda: (
        controller.kill(), controllers.start(own, spreads.CONTROLLER, "admin")))
    story.scales(8, {"a": 3, "b": 5}, beside=lambda: restart_server(own.plane))
    story.scales(2, {"a": 2})
    story.play()
    log = own.plane.log(spreads.CONTROLLER).read_text()
    assert "CloneSet: not served" in log and "StatefulSet: not served" in log, log


def restart_server(plane):
    plane.stop_part("kube-apiserver")
    plane.start_part("kube-apiserver")
    plane.wait_ready()


def others_write_too(case):
    """
    Another client changes the WorkloadSpread so often that writes of its status conflict. There is also one that cannot
    be read.
    """
    case.create("WorkloadSpread", spreads.spread("broken", "Deployment", {
        "name": "a", "maxReplicas": 3_000_000_000}))
    start_programs(case)
    log = case.plane.log(spreads.CONTROLLER)
    begin = log.stat().st_size
    story = half_and_half(case)
    story.starts({"a": 3, "b": 3})
    story.scales(9, {"a": 3, "b": 6}, beside=lambda: disturb(case, "web", lambda: CONFLICT in log.read_text()[begin:]))
    story.scales(4, {"a": 3, "b": 1})
    story.play()


def disturb(case, name, is_enough):
    """Changes an annotation of a WorkloadSpread again and again, and deletes pods, which changes its status."""
    for number in range(500):
        if is_enough():
            return
        case.admin.merge(path("WorkloadSpread", case.namespace, name),
                         {"metadata": {"annotations": {"number": str(number)}}})
        if number % 20 == 0:
            case.admin.delete(path("Pod", case.namespace, spreads.living(case, name)[-1]["metadata"]["name"]))
    raise AssertionError("no write was refused")


TESTS = (
    (elastic_deploy, ALL),
    (multi_domain_deploy, ALL),
    (unschedulable_subset_is_passed_over, ALL),
    (stateful_ordinals, ALL),
    (restarts_in_the_middle, API_SERVER),
    (others_write_too, ALL),
)
