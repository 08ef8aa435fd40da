# SPDX-License-Identifier: MIT
"""explain, rebalance, deschedule, failover: the functions over bindings beside schedule."""
import json
import unittest

from librebalance import (ActionKind, Binding, Bindings, Caps, ExistsError, Fleet, InvalidArgumentError, NotFoundError,
                          Observations, Observed, OutOfRangeError, ParseError, Placement, StepState, Store,
                          assess_evictions, condition_taints, cool_down, deschedule, evict, explain, failover,
                          policy_taints, rebalance, rebalancer_step, taint_verdict)
from librebalance.lists import DescheduleReason, DescheduleSource, RebalancerReason, Stage, TaintVerdict, Why
from objects import cluster, clusters

NOW = "2026-03-01T00:00:00Z"
EVEN = Placement(division="Weighted")


def applied(binding):
    """The binding, with its placement also as the one applied last."""
    item = binding.to_dict()
    item["metadata"]["annotations"] = {"policy.karmada.io/applied-placement": json.dumps(item["spec"]["placement"])}
    return item


class Explain(unittest.TestCase):
    def test_every_stage_has_a_reason(self):
        fleet = Fleet([cluster("member1"), cluster("member2", taints=[{"key": "k", "effect": "NoSchedule"}])])
        found = explain(fleet, Binding("web", replicas=3, placement=EVEN))
        self.assertEqual(found.decision.clusters, {"member1": 3})
        self.assertEqual({one.stage for one in found.reasons}, set(Stage))
        rejected, = [one for one in found.of("member2") if one.verdict == Why.REJECTED]
        self.assertIn("taint", rejected.sentence)
        self.assertIn((Stage.FILTER, Why.REJECTED, 1), found.counts)
        self.assertIn("member2", str(found))
        self.assertIn("<table>", found._repr_html_())

    def test_several_and_limits(self):
        fleet = Fleet(clusters(2))
        found = explain(fleet, [Binding("a"), Binding("b")], rows=1)
        self.assertEqual([len(one.reasons) for one in found], [1, 1])
        for rows in (-1, 2**64):
            with self.assertRaises(OutOfRangeError):
                explain(fleet, Binding("a"), rows=rows)


class Rebalance(unittest.TestCase):
    def setUp(self):
        self.fleet = Fleet(clusters(3))
        self.web = Binding("web", replicas=6, placement=Placement(division="AvailableReplicas"),
                           clusters={"member1": 6})

    def test_what_would_move(self):
        moves = rebalance(self.fleet, [self.web, Binding("db", clusters={"member1": 1})], now=NOW)
        self.assertEqual([one.binding for one in moves], ["default/db-deployment", "default/web-deployment"])
        self.assertEqual(moves[1].after, {"member1": 2, "member2": 2, "member3": 2})
        self.assertEqual((moves[1].moved, moves.moved, moves[1].before), (4, 4, {"member1": 6}))
        self.assertEqual(moves.rebalancer["status"]["finishTime"], NOW)
        self.assertIn("4 moved", str(moves[1]))
        self.assertIn("<td>Deployment default/web</td>", moves._repr_html_())

    def test_what_is_added_or_taken_away_does_not_move(self):
        for replicas, moved in ((2, 1), (6, 4), (9, 3)):
            web = Binding("web", replicas, self.web.placement, clusters={"member1": 6})
            move, = rebalance(self.fleet, [web], now=NOW)
            self.assertEqual((sum(move.after.values()), move.moved), (replicas, moved), str(move))

    def test_workloads_that_are_named(self):
        named = [{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": name}
                 for name in ("web", "lost")]
        moves = rebalance(self.fleet, Store([self.web]), named, now=NOW)
        self.assertEqual([(one.result, one.moved) for one in moves], [("Failed", 0), ("Successful", 4)])
        self.assertIsNone(moves[0].decision)
        with self.assertRaises(TypeError):
            rebalance(self.fleet, Bindings(self.fleet, [self.web]), now=NOW)

    def test_steps(self):
        item = {"apiVersion": "apps.karmada.io/v1alpha1", "kind": "WorkloadRebalancer",
                "metadata": {"name": "r", "creationTimestamp": NOW},
                "spec": {"workloads": [{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default",
                                        "name": "web"}]}}
        observed = Observations()
        first = rebalancer_step(item, now=NOW, observations=observed)
        read, = first.actions
        self.assertEqual((read.kind, read.name, first.waiting), (ActionKind.READ, "web-deployment", True))
        observed.add(read, Observed.TRANSIENT, message="no answer")
        with self.assertRaises(ExistsError):
            observed.add(read)
        status = rebalancer_step(item, now=NOW, observations=observed).actions[0]
        observed.add(status)
        last, = rebalancer_step(item, now=NOW, observations=observed).steps
        self.assertEqual((last.state, last.reason), (StepState.RETRY, RebalancerReason.RETRY))
        self.assertIn("need retry", last.message)
        observed.reset()
        self.assertEqual(len(rebalancer_step(item, now=NOW, observations=observed).actions), 1)
        with self.assertRaises(InvalidArgumentError):
            rebalancer_step({"kind": "WorkloadRebalancer"}, now=NOW)
        with self.assertRaises(ParseError):
            rebalancer_step({"metadata": 3}, now=NOW)


class Deschedule(unittest.TestCase):
    def test_replicas_are_taken_away(self):
        fleet = Fleet(clusters(2))
        item = applied(Binding("web", replicas=6, placement=Placement(division="AvailableReplicas"),
                               clusters={"member1": 6}))
        item["status"]["aggregatedStatus"] = [{"clusterName": "member1", "status": {"readyReplicas": 4}}]
        turn = deschedule(fleet, [item], now=NOW, estimators=[{"member1": 2}])
        target, = turn.targets
        self.assertEqual((target.replicas, target.ready, target.after, target.source),
                         (6, 4, 4, DescheduleSource.ESTIMATOR))
        self.assertEqual(turn.steps[0].reason, DescheduleReason.MOVED)
        patch = turn.actions[0]
        self.assertEqual(patch.payload, {"clusters": [{"name": "member1", "replicas": 4}]})
        capped = deschedule(fleet, [item], now=NOW, estimators=[{"member1": 2}], caps=Caps(total=1))
        self.assertEqual((capped.targets[0].after, capped.targets[0].withheld), (5, 1))
        for wrong in ({"interval": -1}, {"caps": Caps(total=-1)}, {"caps": Caps(workload=2**70)}, {"threshold": 1e30}):
            with self.assertRaises(OutOfRangeError):
                deschedule(fleet, [item], now=NOW, **wrong)

    def test_budgets(self):
        fleet = Fleet(clusters(1))
        item = applied(Binding("web", replicas=4, placement=Placement(division="AvailableReplicas"),
                               clusters={"member1": 4}))
        item["status"]["aggregatedStatus"] = [{"clusterName": "member1", "status": {"readyReplicas": 2}}]
        budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                  "metadata": {"name": "web", "namespace": "default"}, "spec": {"minAvailable": 4, "selector": {}},
                  "status": {"disruptionsAllowed": 0}}
        taken = deschedule(fleet, [item], now=NOW, from_status=True)
        kept = deschedule(fleet, [item], now=NOW, from_status=True, budgets=[budget])
        self.assertEqual((taken.targets[0].after, kept.targets[0].after), (2, 4))


class Failover(unittest.TestCase):
    def setUp(self):
        self.fleet = Fleet([cluster("member1", taints=[{"key": "k", "effect": "NoExecute", "timeAdded": NOW}]),
                            cluster("member2")])
        self.web = applied(Binding("web", replicas=2, placement=EVEN, clusters={"member1": 2}))

    def test_eviction(self):
        turn = evict(self.fleet, "member1", [self.web], now=NOW)
        self.assertEqual(turn.steps[0].reason, TaintVerdict.EVICT)
        self.assertEqual(turn.actions[0].payload["gracefulEvictionTasks"][0]["fromCluster"], "member1")
        directly = evict(self.fleet, "member1", [self.web], now=NOW, purge_directly=True)
        self.assertEqual([one.name for one in directly.warnings], ["purges-directly"])
        self.assertEqual(taint_verdict(self.fleet, "member2", [self.web], now=NOW).steps[0].reason,
                         TaintVerdict.FOREVER)
        with self.assertRaises(NotFoundError):
            evict(self.fleet, "nowhere", [self.web], now=NOW)
        store = Store([self.web])
        turn.carry_out(store, NOW)
        spec = store.get("ResourceBinding", "web-deployment", "default")["spec"]
        self.assertEqual((spec.get("clusters", []), len(spec["gracefulEvictionTasks"])), ([], 1))

    def test_paced(self):
        other = applied(Binding("db", placement=EVEN, clusters={"member1": 1}))
        turn = evict(self.fleet, "member1", [self.web, other], now=NOW, interval=2)
        self.assertEqual([one.state for one in turn.steps], [StepState.DONE, StepState.WAITING])
        self.assertEqual(turn.next_eviction.second, 2)
        again = evict(self.fleet, "member1", [other], now=NOW, interval=2, next_eviction=turn.next_eviction)
        self.assertEqual(again.steps[0].state, StepState.WAITING)

    def test_graceful(self):
        item = json.loads(json.dumps(self.web))
        item["spec"]["gracefulEvictionTasks"] = [{"fromCluster": "member1", "creationTimestamp": NOW, "reason": "x",
                                                  "producer": "y"}]
        item["spec"]["clusters"] = [{"name": "member2", "replicas": 2}]
        step, = assess_evictions(self.fleet, [item], now=NOW).steps
        self.assertEqual((step.state, step.after.total_seconds()), (StepState.DONE, 600))
        turn = assess_evictions(self.fleet, [item], now="2026-03-01T00:00:06Z", timeout=5)
        self.assertEqual(turn.actions[0].payload, {})

    def test_taints(self):
        added = [one for one in condition_taints(self.fleet, now=NOW).actions if one.name == "member2"]
        self.assertEqual(added[0].payload["taints"][0]["key"], "cluster.karmada.io/not-ready")
        policy = {"metadata": {"name": "p"}, "spec": {"addOnConditions": [
            {"conditionType": "Ready", "operator": "NotIn", "statusValues": ["True"]}],
            "taints": [{"key": "x", "effect": "NoSchedule"}]}}
        self.assertGreaterEqual(len(policy_taints(self.fleet, [policy], now=NOW).steps), 2)

    def test_cool_down(self):
        rows = Bindings(self.fleet, [self.web], history={"default/web-deployment": {"member2": NOW}})
        cooling, = cool_down(self.fleet, rows, now=NOW, duration=60)
        self.assertEqual((cooling.binding, cooling.cluster, cooling.until.minute),
                         ("default/web-deployment", "member2", 1))
        with self.assertRaises(NotFoundError):
            Bindings(self.fleet, [self.web], history={"nothing": {"member2": NOW}})
        with self.assertRaises(OutOfRangeError):
            cool_down(self.fleet, rows, now=NOW, duration=-1)
        with self.assertRaises(InvalidArgumentError):
            failover(self.fleet, rows, now=NOW, unhealthy={"default/web-deployment": {}})


if __name__ == "__main__":
    unittest.main()
