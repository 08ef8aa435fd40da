# SPDX-License-Identifier: MIT
"""Wrong use: errors that name what is wrong, and never a crash."""
import json
import threading
import unittest

from librebalance import (Binding, Bindings, Detector, Fleet, InvalidArgumentError, Key, Ledger, MismatchError,
                          NotFoundError, Observations, Options, Plan, RebalanceError, Simulation, Spreads, StateError,
                          Store, Watch, assess_evictions, condition_taints, deschedule, evict, explain, failover, plan,
                          plan_step, rebalance, rebalancer_step, reconsider, schedule, simulate, spread)
from objects import clusters
from test_store import NOW, SCENARIO

#: Values that no parameter accepts.
WRONG = (None, 3, -1, 2**70, 1.5, object(), [3], [None], (), "\0", "x", b"\xff", {"a": object()}, {3: 4}, float("nan"))


class Types(unittest.TestCase):
    """Whatever a parameter gets, the call raises a Python exception or returns."""

    def call(self, function, *arguments, **named):
        try:
            function(*arguments, **named)
        except (RebalanceError, TypeError, ValueError, LookupError) as error:
            self.assertTrue(str(error))

    def test_objects(self):
        fleet, store = Fleet(clusters(2)), Store()
        spreads, observations, web = Spreads(store), Observations(), Binding("web")
        made = plan(fleet, web, now=NOW)
        for wrong in WRONG:
            for function in (Fleet, Store, store.put, store.event, Fleet.load, Bindings.load, Ledger, Ledger.load,
                             lambda one: Bindings(fleet, one), lambda one: Bindings(one, [web]),
                             lambda one: schedule(fleet, one), lambda one: schedule(one, web),
                             lambda one: explain(fleet, one), simulate,
                             lambda one: rebalance(fleet, one, now=NOW), lambda one: spread(one, now=NOW),
                             lambda one: rebalancer_step(one, now=NOW), lambda one: spreads.admit(one, now=NOW),
                             lambda one: store.apply(one, NOW), lambda one: fleet.put_member("member1", one),
                             lambda one: fleet.remove(one), lambda one: store.get(one, one, one),
                             lambda one: store.patch("Cluster", "member1", one, NOW),
                             lambda one: Watch(store, one, one), lambda one: plan(fleet, one, now=NOW),
                             lambda one: plan(one, web, now=NOW), lambda one: Plan.load(one, fleet),
                             lambda one: plan_step(fleet, web, one, now=NOW),
                             lambda one: plan_step(fleet, one, made, now=NOW),
                             lambda one: reconsider(made, one, now=NOW)):
                self.call(function, wrong)
        observations.close()
        self.assertEqual(fleet.clusters, ("member1", "member2"))

    def test_objects_that_are_no_bindings(self):
        fleet = Fleet(clusters(1))
        for kind, version in (("ConfigMap", "v1"), ("Deployment", "apps/v1")):
            one = {"apiVersion": version, "kind": kind, "metadata": {"namespace": "default", "name": "web"}}
            for given in (one, [Binding("db"), one], json.dumps(one)):
                for function in (schedule, explain, Bindings):
                    with self.assertRaisesRegex(InvalidArgumentError, f"{kind} default/web is not a binding"):
                        function(fleet, given)

    def test_sentences(self):
        for sentence, call in (("clusters of a Binding must be a mapping by name, not list",
                                lambda: Binding("web", clusters=["member1"])),
                               ("requests of a Binding must be a mapping by name, not str",
                                lambda: Binding("web", requests="1")),
                               ("name of a file: give its contents, not 'scenario.yaml'",
                                lambda: simulate("scenario.yaml"))):
            with self.assertRaisesRegex(TypeError, sentence):
                call()
        levels = "no such level 'karmada-1.91'; the levels are default, karmada-1.19, repaired"
        with self.assertRaisesRegex(NotFoundError, levels):
            Options("karmada-1.91")

    def test_times_and_numbers(self):
        fleet = Fleet(clusters(1))
        web = [Binding("web")]
        rows = Bindings(fleet, web)
        made = plan(fleet, rows, now=NOW)
        for wrong in WRONG:
            self.call(deschedule, fleet, web, now=wrong)
            self.call(deschedule, fleet, web, now=NOW, threshold=wrong)
            self.call(deschedule, fleet, web, now=NOW, estimators=[{"member1": wrong}])
            self.call(evict, fleet, wrong, web, now=NOW)
            self.call(assess_evictions, fleet, web, now=NOW, timeout=wrong)
            self.call(failover, fleet, web, now=wrong)
            self.call(condition_taints, fleet, now=wrong)
            self.call(schedule, fleet, web, options=wrong)
            for name in ("now", "mode", "drain", "lose", "descheduler", "limits", "budgets", "tolerance", "weights",
                         "minimums", "maximums", "max_surge", "max_unavailable", "progress_deadline"):
                self.call(plan, fleet, web, **{"now": NOW, name: wrong})
            for name in ("now", "interval", "next_wave"):
                self.call(plan_step, fleet, web, made, **{"now": NOW, name: wrong})
            for name in ("now", "low", "high", "cool_down", "history"):
                self.call(reconsider, made, rows, **{"now": NOW, name: wrong})
            self.call(schedule, fleet, web, ledger_expiry=wrong)
            self.call(schedule, fleet, Binding("web", replicas=wrong))
            self.call(schedule, fleet, Binding("web", placement=wrong))
            self.call(Ledger(fleet).charge, "k", "member1", [(wrong, None)])
            self.call(Ledger(fleet).charge, "k", "member1", [(1, wrong)])
            self.call(Simulation, SCENARIO, max_instants=wrong)


class Closed(unittest.TestCase):
    def test_closed_objects_are_refused(self):
        store = Store(clusters(1))
        simulation, observations, spreads = Simulation(SCENARIO), Observations(), Spreads(store)
        watch, detector = Watch(store, "v1", "Pod"), Detector(store)
        calls = ((simulation, simulation.step), (simulation, lambda: simulation.log), (simulation, simulation.text),
                 (observations, observations.reset), (spreads, spreads.update), (watch, watch.request),
                 (detector, lambda: detector.run(now=NOW)), (store, lambda: store.get("Cluster", "member1")),
                 (store, store.fleet), (store, lambda: len(store)), (store, lambda: Spreads(store)))
        for one, _ in calls:
            one.close()
            one.close()
        for one, call in calls:
            with self.assertRaisesRegex(StateError, f"this {type(one).__name__} is closed"):
                call()

    def test_parents_may_go_first(self):
        store = Store(clusters(1))
        watch, spreads, detector = Watch(store, "v1", "Pod"), Spreads(store), Detector(store)
        fleet = store.fleet()
        store.close()
        del store
        self.assertEqual(len(fleet), 1)
        for call in (lambda: watch.feed(b"{}"), spreads.update, lambda: detector.run(now=NOW)):
            with self.assertRaises(StateError):
                call()
        self.assertTrue(watch.request())


class Threads(unittest.TestCase):
    def test_each_is_used_by_one_thread_at_a_time(self):
        store = Store(clusters(1))
        simulation, observations, spreads = Simulation(SCENARIO), Observations(), Spreads(store)
        watch, detector = Watch(store, "v1", "Pod"), Detector(store)
        calls = ((simulation, simulation.step), (observations, observations.reset), (spreads, spreads.update),
                 (watch, watch.request), (detector, lambda: detector.run(now=NOW)), (store, lambda: store.put([])),
                 (store, spreads.update), (store, lambda: watch.feed(b"")),
                 (store, lambda: detector.wait(Key("Cluster", "", "member1"))))
        for one, call in calls:
            inside, leave = threading.Event(), threading.Event()

            def hold(one=one, inside=inside, leave=leave):
                with one._alone():
                    inside.set()
                    leave.wait(60)

            other = threading.Thread(target=hold)
            other.start()
            inside.wait(60)
            try:
                with self.assertRaisesRegex(StateError, f"this {type(one).__name__} is in use by another thread"):
                    call()
            finally:
                leave.set()
                other.join()
        spreads.update()

    def test_snapshots_that_are_too_old(self):
        fleet = Fleet(clusters(1))
        old = fleet.snapshot()
        late = Bindings(fleet, [Binding("web", clusters={"unheard-of": 1})])
        with self.assertRaisesRegex(MismatchError, "newer than the snapshot"):
            schedule(old, late)
        self.assertEqual(schedule(fleet, late)[0].clusters, {"member1": 1})


if __name__ == "__main__":
    unittest.main()
