# SPDX-License-Identifier: MIT
"""karmada-planner of the examples, together with karmada-scheduler: drains, limits, other writers, interruptions."""
import base64
import gzip
import random
import time

import controllers
import members
import rights
from again import Again
from case import HOLD, condition, deployment
from client import path, wait_for
from harness import ALL, API_SERVER
from karmada import binding, create_cluster, placement, set_status, summary, targets
from propagation import Propagation
from slow_members import SlowMembers, SlowPods, Writes

NAME = "karmada-planner"
MARK, CONTROL = "librebalance/plan", "librebalance/plan-control"
SURGE = ("--max-surge", "1", "--max-unavailable", "0")


class World:
    """Clusters, bindings, slow members and a scheduler."""

    def __init__(self, case, *clusters, seconds=1.0, floor=6):
        self.case = case
        self.clusters = [create_cluster(case, name) for name in clusters]
        self.members = SlowMembers(case, seconds)
        case.at_end(self.members.close)
        self.writes = Writes(case, "user", self.members, floor)
        controllers.start(case, "karmada-scheduler", "admin")

    def create(self, name, counts, **spec):
        """Creates a binding as the scheduler would leave it, with the given replicas in each of the first clusters."""
        create(self.case, name, self.clusters, counts, **spec)
        wait_for("ready replicas", lambda: self.members.least.get(f"{name}-deployment") == sum(counts))
        wait_for("the scheduler", lambda: is_settled(members.binding(self.case, name)))

    def start(self, *arguments, user=None):
        return start(self.case, *arguments, user=user or self.writes.user)

    def restart(self, old, *arguments):
        """Kills the planner; another process continues where it was."""
        old.kill()
        return self.start(*arguments)

    def wait_for_move(self, name, seconds=30):
        """Waits until the first replica has left the first cluster and others have to follow."""
        before = members.replicas(self.case, name)[self.clusters[0]]
        wait_for("the first move", lambda: 0 < members.replicas(self.case, name)[self.clusters[0]] < before and
                 phase(self.case, name) == "moving", seconds)

    def check(self, *names, least):
        """Checks that the plan left nothing on bindings, wrote nothing twice, and kept the floor."""
        for name in names:
            assert not leftovers(self.case, name), members.binding(self.case, name)
            written = [sorted(item.items()) for item in self.writes.placements.get(f"{name}-deployment", [])]
            assert all(written.count(item) == 1 for item in written), written
            assert self.members.least[f"{name}-deployment"] >= least, (name, self.members.least)
        assert not self.writes.broken, self.writes.broken


def create(case, name, clusters, counts, **spec):
    given = [{"name": cluster, "replicas": count} for cluster, count in zip(clusters, counts) if count]
    body = binding(case, name, sum(counts), placement(clusters=list(clusters)), "10m", clusters=given, **spec)
    case.create("ResourceBinding", body)


def is_settled(found):
    """Has the scheduler observed the binding, and do the members report all replicas as ready?"""
    items = found.get("status", {}).get("aggregatedStatus") or []
    return condition(found, "Scheduled").get("status") == "True" and \
        found["status"].get("schedulerObservedGeneration") == found["metadata"]["generation"] and \
        {item["clusterName"]: item["status"]["readyReplicas"] for item in items} == targets(found)


def start(case, *arguments, user="admin"):
    plan = ("--plan", f"{case.namespace}/plan", "--interval", "0.2")
    controller = controllers.Controller(NAME, case.plane, user, *plan, *arguments)
    case.at_end(controller.kill)
    return controller


def kept(case):
    """Returns the ConfigMap, or None."""
    status, found = case.admin.request("GET", path("ConfigMap", case.namespace, "plan"))
    return found if status == 200 else None


def result(case):
    return (kept(case) or {}).get("data", {}).get("result", "")


def control(case, word):
    case.admin.merge(path("ConfigMap", case.namespace, "plan"), {"metadata": {"annotations": {CONTROL: word}}})


def mark(case, name):
    return members.binding(case, name)["metadata"].get("annotations", {}).get(MARK)


def phase(case, name):
    """Returns the phase in the mark of the plan."""
    words = (mark(case, name) or "").split()
    return words[2] if words else ""


def leftovers(case, name):
    """Returns whether a finished plan left something on a binding."""
    found = members.binding(case, name)
    return [mark(case, name), (found["spec"].get("suspension") or {}).get("scheduling"),
            *(found["spec"].get("gracefulEvictionTasks") or [])] != [None, None]


def events(case):
    """Returns [(type, reason, message)] of the events on the ConfigMap."""
    items = case.admin.get(path("Event", case.namespace))["items"]
    return [(item["type"], item["reason"], item["message"]) for item in items
            if item["involvedObject"]["kind"] == "ConfigMap"]


class Load(Again):
    """Bindings are created and scaled while a plan is made and carried out."""

    def __init__(self, world, *clusters):
        self.case, self.clusters, self.names, self.number = world.case, clusters, [], 0
        super().__init__(0.3)
        wait_for("some load", lambda: len(self.names) > 2)

    def look(self):
        name = f"load{self.number % 7}"
        replicas = 1 + self.number % 4
        if name in self.names:
            members.patch(self.case, name, {"spec": {"replicas": replicas}})
        else:
            self.case.create("ResourceBinding",
                             binding(self.case, name, replicas, placement(clusters=list(self.clusters)), "10m"))
            self.names.append(name)
        self.number += 1


def drain_goes_on_after_a_kill(case):
    """
    Three bindings leave a cluster while others are created and scaled. The planner is killed in the middle: its state
    stays until another one continues. No replica is ever missing, nothing is written twice, nothing is left over.
    """
    world = World(case, "1", "2", "3")
    names = ("web1", "web2", "web3")
    for name in names:
        world.create(name, (4, 2, 0))
    load = Load(world, *world.clusters[1:])
    case.at_end(load.close)
    arguments = ("--drain", world.clusters[0], *SURGE)
    planner = world.start(*arguments)
    world.wait_for_move("web1")
    planner.kill()
    time.sleep(1)  # its requests have arrived by then
    before = len(world.writes.patches)
    suspended = [name for name in names if leftovers(case, name)]
    assert suspended and gzip.decompress(base64.b64decode(kept(case)["binaryData"]["plan"])), suspended
    time.sleep(1)
    assert len(world.writes.patches) == before
    world.start(*arguments)
    wait_for("the end of the plan", lambda: result(case), 200)
    load.close()
    assert result(case) == "done: 3 bindings as planned, 0 given up", result(case)
    for name in names:
        assert world.clusters[0] not in members.replicas(case, name), members.replicas(case, name)
        assert sum(members.replicas(case, name).values()) == 6
    assert len(world.writes.patches) > before
    world.check(*names, least=6)
    assert len(load.names) == 7 and not any(mark(case, name) for name in load.names)
    assert not any(f"{name}-deployment" in world.writes.placements for name in load.names)
    reasons = [reason for _, reason, _ in events(case)]
    assert reasons.count("PlanMade") == 1 and reasons.count("PlanDone") == 1 and reasons.count("PlanWave") > 3, reasons


def real_workloads_leave_a_member(case):
    """
    A Deployment in two members with controllers, nodes and a pod scheduler of their own, whose pods are slow: no ready
    one is ever missing while it leaves one of them, though the planner is killed and another one continues.
    """
    cases = [case.beside(ALL), case.at(case.start_plane("other", ALL))]
    for member in cases:
        member.create_nodes(1, 20)
    one, two = (create_cluster(case, name) for name in ("1", "2"))
    pods = SlowPods(cases, 1)
    case.at_end(pods.close)
    running = Propagation(case.admin, {one: cases[0].admin, two: cases[1].admin}, case.namespace)
    case.at_end(running.close)
    controllers.start(case, "karmada-scheduler", "admin")
    body = deployment(case, "web", 6)
    body["spec"]["template"]["metadata"]["annotations"] = {HOLD: "NotReady"}
    case.create("Deployment", body)
    case.create("PropagationPolicy", {"metadata": {"name": "web"}, "spec": {
        "resourceSelectors": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}],
        "placement": placement("Weighted", clusters=[one, two])}})
    wait_for("six pods that are ready", lambda: pods.ready() == 6 and len(members.replicas(case, "web")) == 2)
    pods.begin()
    planner = start(case, "--drain", one, *SURGE)
    wait_for("the first move", lambda: phase(case, "web") == "moving" and members.replicas(case, "web")[one] < 3)
    planner.kill()
    start(case, "--drain", one, *SURGE)
    wait_for("the end of the plan", lambda: result(case), 200)
    assert result(case) == "done: 1 bindings as planned, 0 given up", result(case)
    assert members.replicas(case, "web") == {two: 6} and not leftovers(case, "web")
    wait_for("no pods in the first member", lambda: not cases[0].pods())
    assert pods.ready() == 6 and pods.least == 6, pods.least


def whole_clusters_leave_by_tasks(case):
    """With surge for all at once, tasks keep the replicas that leave until the others are ready, also after a kill."""
    world = World(case, "1", "2", "3", seconds=3)
    world.create("web", (4, 2, 0))
    arguments = ("--drain", world.clusters[0], "--max-surge", "100%", "--max-unavailable", "0")
    planner = world.start(*arguments)
    wait_for("a task", lambda: members.binding(case, "web")["spec"].get("gracefulEvictionTasks"))
    planner.kill()
    assert phase(case, "web") == "drain" and world.clusters[0] not in members.replicas(case, "web")
    world.start(*arguments)
    wait_for("the end of the plan", lambda: result(case))
    assert result(case) == "done: 1 bindings as planned, 0 given up"
    assert len(world.writes.patches) == 2 and world.clusters[0] not in members.replicas(case, "web")
    world.check("web", least=6)


def floor_may_be_below(case):
    """Without surge at most one replica is not ready, and scheduling is never suspended."""
    world = World(case, "1", "2", floor=4)
    world.create("web", (3, 2))
    world.start("--drain", world.clusters[0], "--max-surge", "0", "--max-unavailable", "1")
    wait_for("the end of the plan", lambda: result(case))
    assert result(case) == "done: 1 bindings as planned, 0 given up"
    assert members.replicas(case, "web") == {world.clusters[1]: 5}
    assert not any("suspension" in body["spec"] for _, body in world.writes.patches)
    world.check("web", least=4)
    assert world.members.least["web-deployment"] == 4  # the floor was reached


def other_writers_are_seen(case):
    """
    A client moves replicas of one binding in the middle and scales another one: only the planner's members are removed
    from them. The first starts anew; the second differs from the plan and is given up until the next plan.
    """
    world = World(case, "1", "2", "3")
    one, two, three = world.clusters
    for name in ("moved", "scaled"):
        world.create(name, (4, 2, 0), suspension={"dispatching": False})
    planner = world.start("--drain", one, *SURGE, "--every", "1")
    world.wait_for_move("moved")
    members.patch(case, "moved", {"spec": {"clusters": [{"name": one, "replicas": 5}, {"name": three, "replicas": 1}]}})
    wait_for("another move", lambda: phase(case, "scaled") == "moving" or result(case))
    members.patch(case, "scaled", {"spec": {"replicas": 7}})
    wait_for("the next plan", lambda: [reason for _, reason, _ in events(case)].count("PlanMade") > 1, 100)
    ended = [message for _, reason, message in events(case) if reason == "PlanEnded"]
    assert ended == ["not all: 1 bindings as planned, 1 given up"], ended
    wait_for("nothing in the drained cluster", lambda: not any(
        one in members.replicas(case, name) for name in ("moved", "scaled")), 100)
    wait_for("the end of it", lambda: not any(leftovers(case, name) for name in ("moved", "scaled")), 100)
    planner.stop()
    for name, count in (("moved", 6), ("scaled", 7)):
        assert sum(members.replicas(case, name).values()) == count
        assert members.binding(case, name)["spec"]["suspension"] == {"dispatching": False}
    assert not world.writes.broken, world.writes.broken
    log = case.plane.log(NAME).read_text()
    for name in ("moved", "scaled"):
        assert any(f" {name}-deployment:" in line and "someone else wrote it" in line for line in log.splitlines()), log


def dry_runs_write_nothing(case):
    world = World(case, "1", "2")
    world.create("web", (4, 2))
    before = members.binding(case, "web")
    planner = world.start("--drain", world.clusters[0], "--dry-run", "--lease", f"{case.namespace}/planner")
    assert planner.wait(30) == 0
    log = case.plane.log(NAME).read_text()
    assert f"{case.namespace}/web-deployment: {world.clusters[0]} 4 -> 0, {world.clusters[1]} 2 -> 6; " \
        "replicas that move: 4, withheld by limits: 0" in log, log
    assert world.writes.patches == [] and world.writes.others == []
    assert kept(case) is None and events(case) == [] and members.binding(case, "web") == before
    assert world.start("--drain", f"{case.name}-missing", "--dry-run").wait(30) == 1
    assert f"there is no cluster {case.name}-missing" in case.plane.log(NAME).read_text()


def limits_hold(case):
    """Three of eight replicas may leave. Other flags give another plan: two may be added to a cluster."""
    world = World(case, "1", "2", "3", seconds=0.3)
    for name in ("web1", "web2"):
        world.create(name, (4, 2, 0))
    most, where = [], ("--drain", world.clusters[0], "--once", *SURGE)

    def there(cluster):
        found = [members.replicas(case, name) for name in ("web1", "web2")]
        most.append(max(sum(one.values()) for one in found))
        return sum(one.get(cluster, 0) for one in found)

    planner = world.start(*where, "--max-moves", "3")
    wait_for("the end of the plan", lambda: there(world.clusters[0]) == 5 and result(case))
    assert planner.wait(30) == 0 and there(world.clusters[0]) == 5 and max(most) == 7, most  # by the surge
    assert any("replicas that move: 3, withheld by limits: 5" in message for _, _, message in events(case)), \
        events(case)
    before = [there(cluster) for cluster in world.clusters]
    assert world.start(*where, "--max-per-target", "2").wait(60) == 0
    moved = [there(cluster) - count for cluster, count in zip(world.clusters, before)]
    assert -4 <= moved[0] <= -2 and max(moved) == 2, moved
    world.check("web1", "web2", least=6)


def one_of_two_copies_works(case):
    """Only the holder of the Lease writes; when it is killed, the other copy continues."""
    world = World(case, "1", "2")
    world.create("web", (4, 2))
    target = path("Lease", case.namespace, "planner")
    case.create("Lease", {"metadata": {"name": "planner"}, "spec": {
        "holderIdentity": "someone", "leaseDurationSeconds": 600}})
    arguments = ("--drain", world.clusters[0], *SURGE, "--lease", f"{case.namespace}/planner", "--lease-duration", "3")
    other = Writes(case, "other", world.members, 6)
    first = world.start(*arguments)
    time.sleep(2)
    assert not world.writes.patches and not world.writes.others and kept(case) is None
    case.admin.delete(target)
    wait_for("the Lease", lambda: controllers.holder(case, "planner"))
    world.start(*arguments, user=other.user)
    world.wait_for_move("web")
    assert not other.patches and not other.others
    first.kill()
    wait_for("the end of the plan", lambda: result(case))
    assert result(case) == "done: 1 bindings as planned, 0 given up"
    assert members.replicas(case, "web") == {world.clusters[1]: 6}
    assert other.patches and world.writes.patches and not other.broken
    world.check("web", least=6)


def operators_stop_it_and_take_it_back(case):
    """Stopped, it writes nothing and changes nothing; after "back" all is as before, and never below the floor."""
    world = World(case, "1", "2")
    for name in ("web1", "web2"):
        world.create(name, (4, 2))
    world.start("--drain", world.clusters[0], *SURGE)
    world.wait_for_move("web2")
    control(case, "stop")
    wait_for("the event", lambda: ("Normal", "PlanControl", "stopped: nothing is written") in events(case))
    before, there = len(world.writes.patches), members.replicas(case, "web2")
    time.sleep(3)
    assert len(world.writes.patches) == before and members.replicas(case, "web2") == there and mark(case, "web2")
    control(case, "back")
    wait_for("the end of the way back", lambda: result(case), 100)
    assert result(case) == "done: 2 bindings as before the plan, 0 given up", result(case)
    for name in ("web1", "web2"):
        assert members.replicas(case, name) == {world.clusters[0]: 4, world.clusters[1]: 2}
        assert not leftovers(case, name) and world.members.least[f"{name}-deployment"] >= 6
    assert not world.writes.broken, world.writes.broken


def what_is_stuck_goes_back(case):
    """The other cluster fills up in the middle: after a while the binding is as before, and not suspended."""
    world = World(case, "1", "2")
    one, two = world.clusters
    world.create("web", (4, 2))
    planner = world.start("--drain", one, *SURGE, "--give-up-after", "2", "--once")
    world.wait_for_move("web")
    set_status(case, two, summary("0"))
    assert planner.wait(60) == 1
    assert result(case) == "not all: 0 bindings as planned, 1 given up", result(case)
    assert ("Warning", "PlanEnded", result(case)) in events(case), events(case)
    assert members.replicas(case, "web") == {one: 4, two: 2} and not leftovers(case, "web")
    assert world.members.least["web-deployment"] == 6 and not world.writes.broken, world.writes.broken


def what_cannot_go_back_stays_ready(case):
    """
    New replicas do not become ready. Moving them back might remove ready ones: the binding stays as it is, and an event
    reports it. An operator releases it to the scheduler by a plan that moves nothing.
    """
    world = World(case, "1", "2")
    one, two = world.clusters
    world.create("web", (4, 2))
    world.members.never.add(two)
    planner = world.start("--drain", one, *SURGE, "--progress-deadline", "2", "--give-up-after", "2")
    message = "1 bindings can go neither on nor back, and stay as they are"
    wait_for("the warning", lambda: ("Warning", "PlanStuck", message) in events(case))
    time.sleep(1)
    assert members.replicas(case, "web") == {one: 4, two: 3} and phase(case, "web") == "moving" and not result(case)
    assert events(case).count(("Warning", "PlanStuck", message)) == 1
    assert world.members.least["web-deployment"] == 6 and not world.writes.broken, world.writes.broken
    assert planner.stop() == 0
    case.admin.delete(path("ConfigMap", case.namespace, "plan"))
    assert world.start("--take-over", "--max-moves", "0", "--once").wait(60) == 0
    wait_for("the scheduler", lambda: sum(members.replicas(case, "web").values()) == 6 and not leftovers(case, "web"))


def plans_do_not_begin_anew(case):
    """A finished plan is not carried out again, until other flags give another one."""
    world = World(case, "1", "2", "3", seconds=0.3)
    one, two, three = world.clusters
    world.create("web", (2, 1, 0))
    planner = world.start("--drain", one, *SURGE, "--once")
    assert planner.wait(60) == 0
    members.patch(case, "web", {"spec": {"clusters": [{"name": one, "replicas": 3}]}})
    before = len(world.writes.patches)
    assert world.start("--drain", one, *SURGE, "--once").wait(60) == 0
    assert len(world.writes.patches) == before and members.replicas(case, "web") == {one: 3}
    assert world.start("--drain", one, "--drain", two, *SURGE, "--once").wait(60) == 0
    assert members.replicas(case, "web") == {three: 3}, members.replicas(case, "web")


def plans_of_others_are_taken_over_on_request(case):
    """The ConfigMap of a plan is deleted in the middle, and its planner is killed: another plan needs --take-over."""
    world = World(case, "1", "2")
    world.create("web", (4, 2))
    arguments = ("--drain", world.clusters[0], *SURGE)
    planner = world.start(*arguments)
    world.wait_for_move("web")
    planner.kill()
    case.admin.delete(path("ConfigMap", case.namespace, "plan"))
    planner = world.start(*arguments)
    wait_for("the log", lambda: "web-deployment: not-now: marked" in case.plane.log(NAME).read_text())
    planner.kill()
    assert phase(case, "web") == "moving"
    case.admin.delete(path("ConfigMap", case.namespace, "plan"))
    world.start(*arguments, "--take-over")
    wait_for("the end of the plan", lambda: result(case))
    wait_for("its end on the binding", lambda: members.replicas(case, "web") == {world.clusters[1]: 6}, 5)
    assert not leftovers(case, "web") and not world.writes.broken


def only_what_is_due_is_planned(case):
    """Two bindings would move. The one that would move more than the threshold is due; the other is left alone."""
    world = World(case, "1", "2", seconds=0.3)
    world.create("little", (1, 9))
    world.create("much", (5, 5))
    planner = world.start("--drain", world.clusters[0], "--due", "20%", "--once", *SURGE)
    assert planner.wait(60) == 0
    assert members.replicas(case, "much") == {world.clusters[1]: 10}
    assert members.replicas(case, "little") == {world.clusters[0]: 1, world.clusters[1]: 9}


def scaling_is_left_to_the_scheduler(case):
    """A plan excludes a binding without a placement: it neither waits for it nor writes it."""
    world = World(case, "1", "2", seconds=0.3)
    world.create("web", (2, 1))
    create(case, "new", world.clusters, (0, 0))
    members.patch(case, "new", {"spec": {"suspension": {"scheduling": True}, "replicas": 2, "clusters": None}})
    assert world.start("--drain", world.clusters[0], *SURGE, "--once").wait(60) == 0
    assert result(case) == "done: 1 bindings as planned, 0 given up", result(case)
    assert [*world.writes.placements] == ["web-deployment"] and members.replicas(case, "new") == {}


def budgets_hold_waves_back(case):
    """
    A PodDisruptionBudget that permits no disruption: one replica is added, none removed, and nothing is given up that
    fast. When the budget permits one at a time, the plan continues.
    """
    world = World(case, "1", "2")
    one, two = world.clusters
    body = deployment(case, "web", 6)
    case.create("Deployment", body)
    selects = {"selector": body["spec"]["selector"]}
    case.create("PodDisruptionBudget", {"metadata": {"name": "web"}, "spec": {"maxUnavailable": 0, **selects}})
    world.create("web", (4, 2))
    world.start("--drain", one, *SURGE, "--pdb")
    expected = ("Normal", "PlanHeld", "budget: 1 bindings wait for PodDisruptionBudgets")
    wait_for("the event", lambda: expected in events(case))
    time.sleep(2)
    assert members.replicas(case, "web") == {one: 4, two: 3} and not result(case), members.replicas(case, "web")
    assert [reason for _, reason, _ in events(case)].count("PlanHeld") == 1
    assert f"ResourceBinding web-deployment: blocked: budget in {one}" in case.plane.log(NAME).read_text()
    case.admin.merge(path("PodDisruptionBudget", case.namespace, "web"), {"spec": {"maxUnavailable": 1}})
    wait_for("the end of the plan", lambda: result(case))
    assert result(case) == "done: 1 bindings as planned, 0 given up", result(case)
    assert members.replicas(case, "web") == {two: 6}, members.replicas(case, "web")
    world.check("web", least=6)


def what_has_no_namespace_is_moved(case):
    """A ClusterResourceBinding leaves a cluster like a ResourceBinding."""
    world = World(case, "1", "2", seconds=0.3)
    one, two = world.clusters
    name = f"{case.name}-everywhere-namespace"
    body = binding(case, name, 6, placement(clusters=[one, two]), "10m",
                   clusters=[{"name": one, "replicas": 4}, {"name": two, "replicas": 2}])
    body["metadata"]["name"] = name
    body["spec"]["resource"] = {"apiVersion": "v1", "kind": "Namespace", "name": name}
    case.create_global("ClusterResourceBinding", body)

    def found():
        return case.admin.get(path("ClusterResourceBinding", "", name))

    wait_for("ready replicas", lambda: world.members.least.get(name) == 6)
    wait_for("the scheduler", lambda: is_settled(found()))
    assert world.start("--drain", one, *SURGE, "--once").wait(60) == 0
    assert result(case) == "done: 1 bindings as planned, 0 given up", result(case)
    assert targets(found()) == {two: 6} and MARK not in found()["metadata"].get("annotations", {})
    assert not (found()["spec"].get("suspension") or {}).get("scheduling") and len(world.writes.placements[name]) > 4
    assert world.members.least[name] == 6 and not world.writes.broken, world.writes.broken


def plans_that_are_too_large_are_reported(case):
    """A plan holds the reasons why bindings cannot be placed, here long ones that cannot be compressed."""
    one = create_cluster(case, "1", taints=[{
        "key": "long", "value": random.Random(1).randbytes(100_000).hex(), "effect": "NoSchedule"}])
    for number in range(16):
        create(case, f"web{number}", [one], (0,), suspension={"scheduling": True})
        members.patch(case, f"web{number}", {"spec": {"replicas": 1, "clusters": None}})
    planner = start(case)
    found = wait_for("the event", lambda: [one for one in events(case) if one[1] == "PlanTooLarge"])
    assert found[0][0] == "Warning" and "a ConfigMap holds 1048576" in found[0][2] and kept(case) is None, found
    for number in range(8):
        case.admin.delete(path("ResourceBinding", case.namespace, f"web{number}-deployment"))
    wait_for("the end of a smaller plan", lambda: result(case))
    assert planner.stop() == 0


def malformed_plans_are_not_carried_out(case):
    """Content that another client wrote into the ConfigMap."""
    whole = gzip.compress(b"no plan")
    for number, content in enumerate((b"", b"no plan at all, nor gzip", whole, whole[:-4] + b"\xff" * 4, whole[:-5])):
        case.create("ConfigMap", {"metadata": {"name": "plan"}, "binaryData": {
            "plan": base64.b64encode(content).decode()}})
        planner = start(case)
        wait_for("the log", lambda: case.plane.log(NAME).read_text().count(
            f"ConfigMap {case.namespace}/plan: there is no plan in it") == number + 1)
        assert planner.stop() == 0 and events(case) == [] and not result(case)
        case.admin.delete(path("ConfigMap", case.namespace, "plan"))


class Rights:
    """The work for each right."""

    def __init__(self, case):
        self.case = case
        self.clusters = [create_cluster(case, name) for name in ("1", "2")]
        self.members = SlowMembers(case, 0.2)
        case.at_end(self.members.close)
        controllers.start(case, "karmada-scheduler", "admin")
        case.at_end(self.forget)

    def forget(self):
        self.case.admin.delete(path("ConfigMap", "karmada-system", "karmada-plan"))

    def act(self, label):
        """Creates work of each kind."""
        create(self.case, label, self.clusters, (1, 1))
        body = binding(self.case, label, 2, placement(clusters=self.clusters), "10m",
                       clusters=[{"name": name, "replicas": 1} for name in self.clusters])
        body["metadata"]["name"] = label
        body["spec"]["resource"] = {"apiVersion": "v1", "kind": "Namespace", "name": label}
        self.case.create_global("ClusterResourceBinding", body)
        self.forget()

    def is_done(self, label):
        is_reported = any(item["involvedObject"]["kind"] == "ConfigMap" and item["reason"] == "PlanDone"
                      for item in self.case.admin.get(path("Event", "karmada-system"))["items"])
        return (is_reported or members.events_are_denied(self.case, NAME)) and \
            members.replicas(self.case, label) == {self.clusters[1]: 2} and \
            targets(self.case.admin.get(path("ClusterResourceBinding", "", label))) == {self.clusters[1]: 2}


def each_right_to_plan_is_needed(case):
    world = Rights(case)
    arguments = ("--drain", world.clusters[0], "--interval", "0.1", "--every", "1", "--pdb", *SURGE)
    rights.each_is_needed(case, NAME, "", world.act, world.is_done, arguments)


TESTS = (
    (drain_goes_on_after_a_kill, API_SERVER, 400),
    (real_workloads_leave_a_member, API_SERVER, 400),
    (whole_clusters_leave_by_tasks, API_SERVER),
    (floor_may_be_below, API_SERVER),
    (other_writers_are_seen, API_SERVER),
    (dry_runs_write_nothing, API_SERVER),
    (limits_hold, API_SERVER),
    (one_of_two_copies_works, API_SERVER),
    (operators_stop_it_and_take_it_back, API_SERVER),
    (what_is_stuck_goes_back, API_SERVER),
    (what_cannot_go_back_stays_ready, API_SERVER),
    (plans_do_not_begin_anew, API_SERVER),
    (plans_of_others_are_taken_over_on_request, API_SERVER),
    (only_what_is_due_is_planned, API_SERVER),
    (scaling_is_left_to_the_scheduler, API_SERVER),
    (budgets_hold_waves_back, API_SERVER),
    (what_has_no_namespace_is_moved, API_SERVER),
    (plans_that_are_too_large_are_reported, API_SERVER),
    (malformed_plans_are_not_carried_out, API_SERVER),
    (each_right_to_plan_is_needed, API_SERVER, 300),
)
