# SPDX-License-Identifier: MIT
"""What if: headroom, a move made by hand, and the single change that suffices."""
import unittest

from librebalance import (Binding, Breach, Fleet, InvalidArgumentError, Ledger, Limit, LimitScope, Loss, NotFoundError,
                          Options, Outcome, OutOfRangeError, Placement, SingleChange, counterfactual, headroom,
                          plan, schedule, try_move)
from objects import clusters

NOW = "2026-03-01T00:00:00Z"
DYNAMIC = Placement(division="AvailableReplicas")


def workload(name="web", replicas=6, **more):
    return Binding(name, replicas, more.pop("placement", DYNAMIC), **{"clusters": {"member1": replicas}, **more})


class HowMuchFits(unittest.TestCase):
    def test_as_many_as_are_scheduled(self):
        fleet = Fleet(clusters(3))
        binding = workload(requests={"cpu": "100m"})
        found = headroom(fleet, binding)
        self.assertEqual((len(found), found[0].kind, found[0].clusters), (1, Loss.NOTHING, 0))
        self.assertEqual(found[0].outcome, Outcome.UNSCHEDULABLE)
        new = Binding("web", found[0].replicas, DYNAMIC, requests={"cpu": "100m"})
        self.assertEqual(schedule(fleet, new).outcome, Outcome.SCHEDULED)
        more = Binding("web", found[0].replicas + 1, DYNAMIC, requests={"cpu": "100m"})
        self.assertEqual(schedule(fleet, more).outcome, Outcome.UNSCHEDULABLE)
        self.assertIn("1 losses", repr(found))
        self.assertIn("<td>nothing</td>", found._repr_html_())

    def test_losses(self):
        fleet = Fleet(clusters(3))
        binding = workload(requests={"cpu": "100m"})
        whole = headroom(fleet, binding)[0].replicas
        each = headroom(fleet, binding, by="cluster")
        self.assertEqual([one.name for one in each], ["member1", "member2", "member3"])
        self.assertEqual([one.replicas for one in each], [whole * 2 // 3] * 3)
        pair = headroom(fleet, binding, clusters=[("member1", "member3")])
        self.assertEqual([(one.name, one.clusters, one.replicas) for one in pair],
                         [("member1, member3", 2, whole // 3)])
        self.assertEqual(headroom(fleet, binding, most=5)[0].replicas, 5)
        self.assertEqual(list(each[1:]), [each[1], each[-1]])

    def test_wrong_arguments(self):
        fleet = Fleet(clusters(3))
        with self.assertRaises(InvalidArgumentError):
            headroom(fleet, [workload(), workload("db")])
        with self.assertRaises(NotFoundError):
            headroom(fleet, [workload()], binding="default/none-deployment")
        with self.assertRaises(OutOfRangeError):
            headroom(fleet, workload(), most=-1)
        with self.assertRaises(IndexError):
            headroom(fleet, workload())[1]


class MovesByHand(unittest.TestCase):
    def test_what_it_leaves_to_move(self):
        fleet = Fleet(clusters(3))
        both = [workload(), workload("db", 3)]
        drift = plan(fleet, workload(), now=NOW)[0].drift
        tried = try_move(fleet, both, "member1", "member2", 1, binding="default/web-deployment")
        self.assertEqual((tried.binding, tried.broken, tried.broken_before, tried.rejected_by),
                         ("default/web-deployment", frozenset(), frozenset(), frozenset()))
        self.assertEqual((tried.drift_before, tried.drift, tried.granted, tried.limited_by, tried.limits, tried.uses),
                         (drift, drift - 1, 1, None, (), ()))
        self.assertIn("breaks nothing", str(tried))

    def test_what_it_breaks(self):
        fleet = Fleet(clusters(3))
        placement = Placement(division="AvailableReplicas", cluster_names=["member1", "member2"])
        tried = try_move(fleet, workload(placement=placement), "member1", "member3", 1)
        self.assertEqual(tried.broken, {Breach.FILTER})
        self.assertTrue(tried.rejected_by)
        self.assertIsNone(tried.available)

    def test_limits(self):
        fleet = Fleet(clusters(3))
        limits = [Limit(LimitScope.TOTAL, 5), Limit(LimitScope.SOURCE, 1)]
        tried = try_move(fleet, workload(), "member1", "member2", 3, limits=limits, now=NOW)
        self.assertEqual((tried.granted, tried.limited_by, tried.broken), (1, 1, {Breach.LIMIT}))
        self.assertEqual([(one.limit, one.subject, one.used, one.left) for one in tried.uses],
                         [(0, "", 3, 2), (1, "member1", 3, -2)])
        self.assertIn("<td>member1</td>", tried._repr_html_())

    def test_budgets(self):
        fleet = Fleet(clusters(3))
        budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                  "metadata": {"name": "web", "namespace": "default"}, "spec": {"selector": {}, "minAvailable": 6}}
        tried = try_move(fleet, workload(), "member1", "member2", 1, budgets=[budget], now=NOW)
        self.assertEqual(tried.limits[0].scope, LimitScope.BUDGET)

    def test_wrong_arguments(self):
        fleet = Fleet(clusters(3))
        with self.assertRaises(OutOfRangeError):
            try_move(fleet, workload(), "member1", "member2", 7)
        with self.assertRaises(InvalidArgumentError):
            try_move(fleet, workload(), "member1", "member1", 1)
        with self.assertRaises(NotFoundError):
            try_move(fleet, workload(), "member1", "nowhere", 1)


class SingleChanges(unittest.TestCase):
    def test_nothing_has_to_change(self):
        found = counterfactual(Fleet(clusters(3)), workload())
        self.assertEqual([one.kind for one in found], [SingleChange.NOTHING])

    def test_capacity(self):
        fleet = Fleet(clusters(3))
        binding = workload(replicas=headroom(fleet, workload(requests={"cpu": "100m"}))[0].replicas + 1,
                           requests={"cpu": "100m"}, clusters={})
        found = counterfactual(fleet, binding, kinds=[SingleChange.CAPACITY])
        self.assertTrue(found)
        self.assertEqual({one.kind for one in found}, {SingleChange.CAPACITY})
        self.assertEqual({one.cluster for one in found}, {"member1", "member2", "member3"})
        self.assertTrue(all(one.after > one.before for one in found))
        self.assertEqual(len(counterfactual(fleet, binding, most=1)), 1)
        self.assertIn("that would do", repr(found))
        self.assertIn("<td>member1</td>", found._repr_html_())

    def test_a_cluster_that_is_not_selected(self):
        fleet = Fleet(clusters(3))
        binding = workload(placement=Placement(["member1"]))
        self.assertEqual(list(counterfactual(fleet, binding, cluster="member2")), [])

    def test_what_a_ledger_holds_counts(self):
        fleet = Fleet(clusters(1))
        with_ledger = Ledger(fleet)
        with_ledger.charge("other", "member1", [(1, {"resourceRequest": {"cpu": "1000"}})])
        found = counterfactual(fleet, workload(requests={"cpu": "1"}, clusters={}), ledger=with_ledger,
                               kinds=[SingleChange.CAPACITY])
        self.assertEqual([(one.kind, one.cluster) for one in found], [(SingleChange.CAPACITY, "member1")])

    def test_an_estimator_counts(self):
        fleet, binding = Fleet(clusters(3)), workload(requests={"cpu": "1"}, clusters={})
        few = [{"member1": 1, "member2": 1, "member3": 1}]
        self.assertEqual(list(counterfactual(fleet, binding, estimators=few)), [])
        self.assertEqual(counterfactual(fleet, binding, estimators=[{"member1": 1}])[0].kind, SingleChange.NOTHING)

    def test_other_bindings_count(self):
        def grouped(name, version="1", **more):
            one = workload(name, **more).to_dict()
            one["metadata"]["resourceVersion"] = version
            one["spec"]["workloadAffinityGroups"] = {"antiAffinityGroup": "g"}
            return one

        fleet, gate = Fleet(clusters(2)), Options(gate_workload_affinity=True)
        web, other = grouped("web", clusters={}), grouped("other")

        def found(**more):
            return [one.kind for one in counterfactual(fleet, web, cluster="member1", options=gate, **more)]

        self.assertEqual(found(), [SingleChange.NOTHING])
        self.assertEqual(found(known=[other]), [])
        copy = grouped("other", "2", clusters={"member2": 6})
        self.assertEqual(found(known=[other], assigning=[copy]), [SingleChange.NOTHING])

    def test_wrong_arguments(self):
        fleet = Fleet(clusters(3))
        with self.assertRaises(TypeError):
            counterfactual(fleet.snapshot(), workload())
        with self.assertRaises(NotFoundError):
            counterfactual(fleet, workload(), cluster="nowhere")


if __name__ == "__main__":
    unittest.main()
