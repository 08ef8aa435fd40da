# SPDX-License-Identifier: MIT
"""Plans: moves, limits, the proof, bytes, and carrying plans out."""
import dataclasses
import json
import unittest

from librebalance import (Binding, Bindings, DeletionRule, Fleet, InvalidArgumentError, Ledger, Limit, LimitScope,
                          MemberReplica, MismatchError, NotFoundError, OutOfRangeError, Outcome, ParseError, Placement,
                          Plan, PlanDialect, PlanMode, Reconsider, Store, WaveReason, WaveState, plan, plan_step,
                          reconsider, schedule)
from objects import cluster, clusters

NOW = "2026-03-01T00:00:00Z"
DYNAMIC = Placement(division="AvailableReplicas")


def workload(name="web", replicas=6, **more):
    return Binding(name, replicas, more.pop("placement", DYNAMIC), **{"clusters": {"member1": replicas}, **more})


def world(**more):
    """Two workloads that are all in the first of three equal clusters."""
    return Fleet(clusters(3)), [workload("web", **more), workload("db", 3, namespace="shop", **more)]


def with_status(one, ready=None):
    """The binding object with what members report: all replicas are ready, or those given by cluster."""
    item = one if isinstance(one, dict) else one.to_dict()
    item["metadata"]["generation"] = 1
    item.setdefault("status", {})["aggregatedStatus"] = [
        {"clusterName": target["name"], "health": "Healthy", "applied": True,
         "status": {"replicas": target["replicas"], "readyReplicas": (ready or {}).get(target["name"],
                                                                                       target["replicas"]),
                    "availableReplicas": target["replicas"]}} for target in item["spec"].get("clusters", [])]
    return item


class Planning(unittest.TestCase):
    def test_what_moves(self):
        fleet, bindings = world()
        made = plan(fleet, bindings, now=NOW)
        wanted = schedule(fleet, [dataclasses.replace(one, clusters={}) for one in bindings])
        self.assertEqual([one.wanted for one in made.bindings], [dict(one.clusters) for one in wanted])
        web = made[0]
        self.assertEqual((web.binding, web.replicas, web.outcome, web.present, web.planned, web.drift, web.granted,
                          web.withheld, web.limited_by, web.left, web.whole),
                         ("default/web-deployment", 6, Outcome.SCHEDULED, {"member1": 6},
                          {"member1": 2, "member2": 2, "member3": 2}, 4, 4, 0, None, 0, False))
        self.assertEqual([(one.binding, one.source, one.target, one.replicas) for one in made.moves],
                         [("default/web-deployment", "member1", "member2", 2),
                          ("default/web-deployment", "member1", "member3", 2),
                          ("shop/db-deployment", "member1", "member2", 1),
                          ("shop/db-deployment", "member1", "member3", 1)])
        self.assertEqual([(one.cluster, one.before, one.after, one.moved_out, one.moved_in) for one in made.clusters],
                         [("member1", 9, 3, 6, 0), ("member2", 0, 3, 0, 3), ("member3", 0, 3, 0, 3)])
        self.assertEqual((made.limits, made.uses, made.proof, made.moved, len(made)), ((), (), None, 6, 2))
        self.assertEqual(repr(made), "<Plan: 2 bindings, 6 replicas moved>")
        self.assertEqual(str(web), "default/web-deployment: member1:6 -> member1:2, member2:2, member3:2, 4 of 4 moved")
        self.assertIn("<td>shop/db-deployment</td>", made._repr_html_())
        self.assertEqual(made[-1], made.bindings[1])
        with self.assertRaises(IndexError):
            made[2]

    def test_what_cannot_be_placed_stays(self):
        fleet, _ = world()
        big = plan(fleet, [workload("big", 900, clusters={"member1": 1})], now=NOW)[0]
        self.assertEqual((big.outcome, big.present, big.planned), (Outcome.UNSCHEDULABLE, {"member1": 1},
                                                                   {"member1": 1}))
        self.assertIn("not enough", big.message)

    def test_modes(self):
        fleet, bindings = world()
        self.assertEqual(plan(fleet, bindings, now=NOW, mode=PlanMode.STEADY).moved, 0)
        least = plan(fleet, bindings, now=NOW, mode=PlanMode.LEAST)
        self.assertEqual((least.proof.gap, least.proof.exact, least.proof.placed, least.verify()), (0, True, 9, 0))
        self.assertEqual(least.proof.moved, least.moved)
        loose = plan(fleet, bindings, now=NOW, mode=PlanMode.LEAST, tolerance=1000)
        self.assertLess(loose.moved, plan(fleet, bindings, now=NOW, mode=PlanMode.LEAST, tolerance=0).moved)
        with self.assertRaises(NotFoundError):
            plan(fleet, bindings, now=NOW).verify()

    def test_bounds_and_weights(self):
        fleet, bindings = world()
        name = "default/web-deployment"

        def made(**more):
            return plan(fleet, bindings, now=NOW, mode=PlanMode.LEAST, tolerance=1000, **more)

        self.assertEqual(made(minimums={name: {"member3": 4}})[0].planned["member3"], 4)
        self.assertEqual(made(maximums={name: {"member1": 1}})[0].planned.get("member1", 0), 1)
        self.assertEqual(made(weights={name: 7}).proof.kept, 7 * made()[0].planned.get("member1", 0)
                         + made()[1].planned.get("member1", 0))
        for more in ({"minimums": {name: {"nowhere": 1}}}, {"weights": {"missing": 1}}):
            with self.assertRaises(NotFoundError):
                made(**more)

    def test_causes(self):
        fleet, bindings = world()
        drained = plan(fleet, bindings, now=NOW, mode=PlanMode.STEADY, drain="member1")
        self.assertEqual([one.planned.get("member1", 0) for one in drained.bindings], [0, 0])
        self.assertEqual(drained.moved, 9)
        lost = plan(fleet, bindings, now=NOW, mode=PlanMode.STEADY, lose=["member1"])
        self.assertNotEqual(lost.fingerprint(), drained.fingerprint())
        self.assertEqual(sum(lost[0].planned.values()), 6)
        stuck = [with_status(one, {"member1": 1}) for one in bindings]
        rid = plan(fleet, stuck, now=NOW, mode=PlanMode.STEADY,
                   descheduler={"estimators": [{"member1": 2}], "given_bindings": True})
        self.assertGreater(rid[0].wanted.get("member2", 0) + rid[0].wanted.get("member3", 0), 0)
        self.assertEqual(plan(fleet, stuck, now=NOW, mode=PlanMode.STEADY).moved, 0)
        with self.assertRaises(NotFoundError):
            plan(fleet, bindings, now=NOW, drain=["nowhere"])
        with self.assertRaises(TypeError):
            plan(fleet, bindings, now=NOW, descheduler={"any": 1})

    def test_a_ledger_is_read_and_kept(self):
        fleet, bindings = world()
        ledger = Ledger(fleet)
        ledger.charge("x/y", "member2", [(110, None)])
        made = plan(fleet, bindings, now=NOW, ledger=ledger)
        self.assertEqual(made[0].planned.get("member2", 0), 0)
        self.assertEqual([one.key for one in ledger.read()], ["x/y"])


class Limits(unittest.TestCase):
    def test_each_has_what_it_withheld(self):
        fleet, bindings = world()
        made = plan(fleet, bindings, now=NOW, limits=[Limit(LimitScope.TARGET, 10), Limit(LimitScope.TOTAL, 3),
                                                      Limit(LimitScope.SOURCE, 9, subject="member1")])
        self.assertEqual(made.moved, 3)
        self.assertEqual([(one.scope, one.subject, one.replicas, one.used, one.withheld) for one in made.limits],
                         [(LimitScope.TARGET, "", 10, 3, 0), (LimitScope.TOTAL, "", 3, 3, 3),
                          (LimitScope.SOURCE, "member1", 9, 3, 0)])
        self.assertEqual([one.shadow for one in made.limits], [0, 3, 0])
        self.assertEqual([(one.limited_by, one.withheld, one.left) for one in made.bindings],
                         [(1, 1, 1), (1, 2, 2)])
        self.assertIn((2, "member1", 3, 6), [(one.limit, one.subject, one.used, one.left) for one in made.uses])

    def test_a_pace(self):
        fleet, bindings = world()
        pace = Limit(LimitScope.TOTAL, 2, interval=60)
        first = plan(fleet, bindings, now=NOW, limits=[pace])
        found, = first.limits
        self.assertEqual((first.moved, found.tokens), (2, 0))
        again = [dataclasses.replace(pace, tokens=found.tokens, tokens_at=found.tokens_at)]
        self.assertEqual(plan(fleet, bindings, now=NOW, limits=again).moved, 0)
        self.assertEqual(plan(fleet, bindings, now="2026-03-01T00:01:00Z", limits=again).moved, 1)

    def test_labels_and_budgets(self):
        fleet, _ = world()
        budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                  "metadata": {"namespace": "default", "name": "web"},
                  "spec": {"maxUnavailable": 2, "selector": {"matchLabels": {"app": "web"}}}}
        labels = {"app": "web"}
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment",
                      "metadata": {"namespace": "default", "name": "web"},
                      "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}}}}
        rows = Store([with_status(workload()), deployment, budget]).bindings(fleet)
        made = plan(fleet, rows, now=NOW, limits=[Limit(LimitScope.LABEL, 1, subject="web", label="app")])
        self.assertEqual(made.moved, 1)
        guarded = plan(fleet, rows, now=NOW, budgets=[budget])
        self.assertEqual((guarded.moved, guarded.limits[0].scope), (2, LimitScope.BUDGET))
        over = plan(fleet, rows, now=NOW, budgets=[budget], budgets_over_clusters=True)
        self.assertNotEqual(over.fingerprint(), guarded.fingerprint())

    def test_shares(self):
        fleet, bindings = world()
        made = plan(fleet, bindings, now=NOW, max_surge="50%", max_unavailable=1)[0]
        self.assertEqual((made.max_surge, made.max_unavailable), (3, 1))
        default = plan(fleet, bindings, now=NOW)[0]
        self.assertEqual((default.max_surge, default.max_unavailable), (2, 1))

    def test_what_is_wrong(self):
        fleet, bindings = world()
        for error, more in ((InvalidArgumentError, {"max_surge": 0, "max_unavailable": 0}),
                            (OutOfRangeError, {"max_unavailable": "101%"}), (OutOfRangeError, {"max_surge": -1}),
                            (ParseError, {"max_surge": "many"}), (TypeError, {"max_surge": 1.5}),
                            (OutOfRangeError, {"tolerance": 1001}), (InvalidArgumentError, {"mode": 77}),
                            (OutOfRangeError, {"limits": [Limit(LimitScope.TOTAL, -1)]}),
                            (InvalidArgumentError, {"limits": [Limit(LimitScope.BUDGET, 1)]}),
                            (TypeError, {"limits": [3]}), (TypeError, {"now": 3}),
                            (OutOfRangeError, {"progress_deadline": -1})):
            with self.subTest(more), self.assertRaises(error):
                plan(fleet, bindings, **{"now": NOW, **more})
        with self.assertRaises(MismatchError):
            plan(Fleet(clusters(3)), Bindings(fleet, bindings), now=NOW)


class Saved(unittest.TestCase):
    def test_in_a_member(self):
        owner = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "w", "controller": True}]
        matched = json.dumps({"name": "ws", "subset": "far"})
        plane = Store(clusters(3) + [workload(clusters={"member1": 3, "member2": 3}).to_dict()])
        fleet = plane.fleet()
        made = plan(fleet, plane.bindings(fleet), now=NOW, drain="member1", limits=[Limit(LimitScope.TOTAL, 2)])
        kind = plane.get("ResourceBinding", "web-deployment", "default")["spec"]["resource"]["kind"]
        inside = [{"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web", "namespace": "default",
                                                                       "uid": "d"},
                   "spec": {"replicas": 3}},
                  {"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"replicas": 3},
                   "metadata": {"name": "web", "namespace": "default", "uid": "w", "ownerReferences": [
                       {"apiVersion": "apps/v1", "kind": kind, "name": "web", "uid": "d", "controller": True}]}},
                  {"apiVersion": "apps.kruise.io/v1beta1", "kind": "WorkloadSpread",
                   "metadata": {"name": "ws", "namespace": "default"},
                   "spec": {"targetRef": {"apiVersion": "apps/v1", "kind": kind, "name": "web"},
                            "subsets": [{"name": "near", "maxReplicas": 1}, {"name": "far"}]}}]
        inside += [{"apiVersion": "v1", "kind": "Pod", "metadata": {
            "name": name, "namespace": "default", "ownerReferences": owner,
            "annotations": {"controller.kubernetes.io/pod-deletion-cost": cost,
                            "apps.kruise.io/matched-workloadspread": matched}}}
            for name, cost in (("a", "30"), ("b", "10"), ("c", "20"))]
        member = Store(inside)
        gone = made.in_member("member1", member, plane, now=NOW)
        self.assertEqual([(one.binding, one.state, one.pod, one.spread, one.subset) for one in gone],
                         [("default/web-deployment", MemberReplica.LEAVES, name, "ws", "far") for name in ("b", "c")])
        self.assertEqual(gone[0].rule, DeletionRule.CHEAPER)
        plane.put({"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web", "namespace": "default"},
                   "spec": {"replicas": 6, "template": {"spec": {"containers": [{"name": "c"}]}}}})
        come = [one for name in ("member2", "member3")
                for one in made.in_member(name, Store(inside[2:3]), plane, now=NOW)]
        self.assertEqual({(one.state, one.pod, one.spread) for one in come}, {(MemberReplica.IN_SUBSET, None, "ws")})
        self.assertEqual(len(come), 2)
        self.assertEqual(made.in_member("nowhere", member, plane, now=NOW), ())
        with self.assertRaises(TypeError):
            made.in_member("member1", inside, plane, now=NOW)

    def test_bytes_are_the_plan(self):
        fleet, bindings = world()
        made = plan(fleet, bindings, now=NOW, mode=PlanMode.LEAST, limits=[Limit(LimitScope.TOTAL, 3)])
        other = Fleet([cluster("member9"), *clusters(3)])  # other ids
        loaded = Plan.load(made.save(), other)
        self.assertEqual((loaded.bindings, loaded.moves, loaded.clusters, loaded.limits, loaded.uses, loaded.proof),
                         (made.bindings, made.moves, made.clusters, made.limits, made.uses, made.proof))
        self.assertEqual((loaded.fingerprint(), loaded.save(), loaded.verify()), (made.fingerprint(), made.save(), 0))
        self.assertRegex(made.fingerprint(), "^[0-9a-f]{32}$")

    def test_a_fleet_learns_the_names(self):
        fleet, bindings = world()
        empty = Fleet([])
        self.assertEqual(Plan.load(plan(fleet, bindings, now=NOW).save(), empty)[0].present, {"member1": 6})
        self.assertEqual(len(empty), 0)

    def test_fingerprints(self):
        fleet, bindings = world()
        first = plan(fleet, bindings, now=NOW).fingerprint()
        self.assertEqual(plan(*world(), now=NOW).fingerprint(), first)
        for other in (plan(fleet, bindings, now="2026-03-01T00:00:01Z"), plan(fleet, bindings[:1], now=NOW),
                      plan(fleet, bindings, now=NOW, limits=[Limit(LimitScope.TOTAL, 3)])):
            self.assertNotEqual(other.fingerprint(), first)

    def test_what_is_wrong(self):
        fleet, bindings = world()
        data = plan(fleet, bindings, now=NOW).save()
        for wrong in (b"", b"plan", data[:-1], data + b"x"):
            with self.assertRaises(ParseError):
                Plan.load(wrong, fleet)
        for arguments in (("text", fleet), (data, None), (data, fleet.snapshot())):
            with self.assertRaises(TypeError):
                Plan.load(*arguments)


class Waves(unittest.TestCase):
    def carried_out(self, made, fleet, items, **more):
        """Sends the writes of each wave until none is left; returns the objects and the number of waves."""
        store, count = Store(items), 0
        while True:
            wave = plan_step(fleet, store.objects("ResourceBinding"), made, now=NOW, **more)
            if not wave.actions:
                return list(store.objects("ResourceBinding")), wave, count
            self.assertTrue(wave.waiting)
            wave.carry_out(store, NOW)
            for one in list(store.objects("ResourceBinding")):
                store.put(with_status(one))
            count += 1
            self.assertLess(count, 30)

    def test_budgets_hold_waves(self):
        fleet, _ = world()
        budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                  "metadata": {"namespace": "default", "name": "web"},
                  "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "web"}}}}
        labels = {"app": "web"}
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment",
                      "metadata": {"namespace": "default", "name": "web"},
                      "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}}}}
        rows = Store([with_status(workload()), deployment, budget]).bindings(fleet)
        made = plan(fleet, rows, now=NOW, max_surge=0, max_unavailable=2)
        self.assertEqual(plan_step(fleet, rows, made, now=NOW).bindings[0].state, WaveState.MOVING)
        held = plan_step(fleet, rows, made, now=NOW, budgets=[budget]).bindings[0]
        self.assertEqual((held.state, held.reason), (WaveState.BLOCKED, WaveReason.BUDGET))

    def test_a_plan_is_carried_out_and_back(self):
        fleet, bindings = world()
        items = [with_status(one) for one in bindings]
        made = plan(fleet, items, now=NOW)
        objects, wave, count = self.carried_out(made, fleet, items)
        self.assertGreater(count, 1)
        self.assertEqual([one.state for one in wave.bindings], [WaveState.DONE, WaveState.DONE])
        self.assertFalse(wave.waiting)
        found = {one["metadata"]["name"]: {two["name"]: two["replicas"] for two in one["spec"]["clusters"]}
                 for one in objects}
        self.assertEqual(found["web-deployment"], made[0].planned)
        objects, wave, _ = self.carried_out(made, fleet, objects, back=True)
        found = {one["metadata"]["name"]: {two["name"]: two["replicas"] for two in one["spec"]["clusters"]}
                 for one in objects}
        self.assertEqual(found["web-deployment"], {"member1": 6})

    def test_where_bindings_stand(self):
        fleet, bindings = world()
        made = plan(fleet, bindings, now=NOW)
        gone = plan_step(fleet, [with_status(bindings[0])], made, now=NOW)
        self.assertEqual([(one.binding, one.state) for one in gone.bindings],
                         [("default/web-deployment", WaveState.MOVING), ("shop/db-deployment", WaveState.GONE)])
        moving = gone.bindings[0]
        self.assertEqual((moving.present, moving.ready, moving.floor, moving.added, moving.removed, moving.foreign,
                          moving.cycle), (6, 6, 5, 2, 0, False, None))
        self.assertEqual(gone.actions[0].ordinal, 0)
        self.assertEqual(repr(gone), "<Wave: 2 bindings, 1 actions>")
        self.assertIsNone(gone.next_wave)
        paced = plan_step(fleet, [with_status(bindings[0])], made, now=NOW, interval=60)
        later = plan_step(fleet, [with_status(bindings[0])], made, now=NOW, interval=60, next_wave=paced.next_wave)
        self.assertTrue(paced.next_wave and not [one for one in later.actions if one.payload])
        with self.assertRaises(OutOfRangeError):
            plan_step(fleet, bindings, made, now=NOW, interval=-1)
        with self.assertRaises(InvalidArgumentError):
            plan_step(fleet, bindings, made, now=NOW, dialect=77)

    def test_beside_karmada(self):
        fleet, bindings = world()
        made = plan(fleet, bindings, now=NOW)
        web = with_status(bindings[0])
        early = plan_step(fleet, [web], made, now=NOW, dialect=PlanDialect.KARMADA)
        self.assertEqual((early.bindings[0].state, early.bindings[0].reason, early.actions),
                         (WaveState.NOT_NOW, WaveReason.NOT_OBSERVED, ()))
        web["status"]["schedulerObservedGeneration"] = 1
        web["status"]["conditions"] = [{"type": "Scheduled", "status": "True", "lastTransitionTime": NOW}]
        wave = plan_step(fleet, [web], made, now=NOW, dialect=PlanDialect.KARMADA)
        self.assertEqual(wave.bindings[0].state, WaveState.MOVING)
        self.assertIn("suspension", wave.actions[0].payload["spec"])

    def test_reconsider(self):
        fleet, bindings = world()
        rows = Bindings(fleet, [with_status(one) for one in bindings])
        made = plan(fleet, rows, now=NOW)
        first = reconsider(made, rows, now=NOW, cool_down=600, applied=True)
        self.assertEqual([(one.binding, one.verdict, one.drift, one.permille, one.moved, one.due) for one in first],
                         [("default/web-deployment", Reconsider.DUE, 4, 666, 4, False),
                          ("shop/db-deployment", Reconsider.DUE, 2, 666, 2, False)])
        again = reconsider(made, rows, now=NOW, cool_down=600, history=first)
        self.assertEqual({one.verdict for one in again}, {Reconsider.COOLING})
        self.assertEqual([(one.time, one.moved, one.due) for one in reconsider(made, rows, now=NOW)],
                         [(None, 0, True)] * 2)
        self.assertEqual(reconsider(made, rows, now=NOW, high=900, low=700)[0].verdict, Reconsider.CALM)
        with self.assertRaises(OutOfRangeError):
            reconsider(made, rows, now=NOW, low=900, high=1)
        with self.assertRaises(MismatchError):
            reconsider(made, Bindings(fleet, []), now=NOW)


if __name__ == "__main__":
    unittest.main()
