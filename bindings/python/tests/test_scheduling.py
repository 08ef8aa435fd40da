# SPDX-License-Identifier: MIT
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from librebalance import (Binding, Bindings, Decision, ExistsError, Fits, Fleet, Ledger, MismatchError, NotFoundError,
                          Options, OutOfRangeError, Outcome, Placement, Reason, StateError, clear_cache, schedule)
from objects import cluster, clusters


class Plain(unittest.TestCase):
    def setUp(self):
        self.fleet = Fleet([cluster("member1"), cluster("member2", cpu="5")])

    def test_one_binding_gives_one_decision(self):
        binding = Binding("web", replicas=7, placement=Placement(division="AvailableReplicas"), requests={"cpu": "1"})
        decision = schedule(self.fleet, binding)
        self.assertEqual(decision, Decision("default/web-deployment", Outcome.SCHEDULED, Reason.PLACEMENT,
                                            {"member1": 5, "member2": 2}))
        self.assertEqual(str(decision), "default/web-deployment -> member1:5, member2:2")
        self.assertEqual(schedule(self.fleet, binding.to_dict()), decision)
        self.assertIn("<td>member1:5, member2:2</td>", decision._repr_html_())

    def test_several_give_several_in_their_order(self):
        many = [Binding(name, replicas=2) for name in ("web", "db", "app")]
        decisions = schedule(self.fleet, many)
        self.assertEqual([one.binding for one in decisions],
                         ["default/web-deployment", "default/db-deployment", "default/app-deployment"])
        self.assertEqual(decisions[-1], decisions[2])
        self.assertEqual(len(decisions[1:]), 2)
        with self.assertRaises(IndexError):
            decisions[3]
        self.assertEqual(len(schedule(self.fleet, [])), 0)
        self.assertIn("<table>", decisions._repr_html_())

    def test_what_does_not_fit_is_an_answer(self):
        decision = schedule(self.fleet, Binding("big", replicas=99, requests={"cpu": "1"},
                                                placement=Placement(division="Aggregated")))
        self.assertEqual((decision.outcome, decision.clusters, decision.placed), (Outcome.UNSCHEDULABLE, {}, False))
        self.assertIn("15", decision.message)

    def test_names_in_tables_are_escaped(self):
        decision = Decision("<b>", Outcome.SCHEDULED, Reason.PLACEMENT, {})
        self.assertIn("&lt;b&gt;", decision._repr_html_())


class Arguments(unittest.TestCase):
    def setUp(self):
        self.fleet = Fleet(clusters(2))

    def test_a_ledger_is_charged_in_order(self):
        fleet = Fleet([cluster("member1", cpu="5")])
        many = [Binding(name, replicas=4, placement=Placement(division="Aggregated"), requests={"cpu": "1"})
                for name in ("a", "b")]
        ledger = Ledger(fleet)
        self.assertEqual([one.placed for one in schedule(fleet, many)], [True, True])
        self.assertEqual([one.placed for one in schedule(fleet, many, ledger=ledger.fork())], [True, False])
        self.assertEqual(ledger.read(), [])
        ledger.charge("x/y", "member1", [(2, {"resourceRequest": {"cpu": "1"}})], "2026-03-01T00:00:00Z")
        self.assertEqual([one.placed for one in schedule(fleet, many, ledger=ledger)], [False, False])
        ledger.expire("2026-03-01T00:00:01Z")
        self.assertEqual(ledger.read(), [])

    def test_options_and_levels(self):
        partial = Options(partial_placement=True)
        binding = Binding("big", replicas=999, placement=Placement(division="Aggregated"))
        decision = schedule(self.fleet, binding, options=partial)
        self.assertEqual((decision.outcome, decision.replicas, decision.missing), (Outcome.PARTIAL, 220, 779))
        self.assertEqual(schedule(self.fleet, binding, options="karmada-1.19").outcome, Outcome.UNSCHEDULABLE)
        with self.assertRaises(NotFoundError):
            Options("nothing")
        with self.assertRaises(TypeError):
            Options(no_such_option=True)
        with self.assertRaises(TypeError):
            Options(partial_placement=2)

    def test_estimators(self):
        binding = Binding("web", replicas=6, placement=Placement(division="AvailableReplicas"))
        some = schedule(self.fleet, binding, estimators=[{"member1": 2, "member2": 4, "unheard-of": 3}])
        self.assertEqual(some.clusters, {"member1": 2, "member2": 4})
        failed = schedule(self.fleet, binding, estimators=[{"member1": 1, "member2": Fits.FAILED}])
        self.assertEqual(failed.clusters, {"member1": 3, "member2": 3})
        for wrong, error in (({"member1": 2**31}, OutOfRangeError), ({"member1": 1.5}, TypeError), (3, TypeError)):
            with self.assertRaises(error):
                schedule(self.fleet, binding, estimators=[wrong])

    def test_numbers_beyond_their_range(self):
        for count in (-1, 2**31, 2**63, 2**70):
            with self.assertRaises((OutOfRangeError, ValueError), msg=count):
                schedule(self.fleet, Binding("web", replicas=count))
        with self.assertRaises(OutOfRangeError):
            Ledger(self.fleet).charge("k", "member1", [(-1, None)])

    def test_what_belongs_to_another_fleet(self):
        other = Fleet(clusters(2))
        with self.assertRaises(MismatchError):
            schedule(self.fleet, Bindings(other, [Binding("web")]))
        with self.assertRaises(MismatchError):
            schedule(self.fleet, [Binding("web")], ledger=Ledger(other))
        with self.assertRaises(TypeError):
            schedule("fleet", Binding("web"))
        with self.assertRaises(ExistsError):
            schedule(self.fleet, [Binding("web"), Binding("web")])

    def test_fingerprints(self):
        bindings = Bindings(self.fleet, [Binding("web")])
        first = schedule(self.fleet, bindings, fingerprint=True).result.fingerprint()
        self.assertRegex(first, "^[0-9a-f]{32}$")
        self.assertEqual(first, schedule(Fleet(clusters(2)), [Binding("web")], fingerprint=True).result.fingerprint())
        with self.assertRaises(StateError):
            schedule(self.fleet, bindings).result.fingerprint()


class Threads(unittest.TestCase):
    def test_eight_threads_schedule_from_one_snapshot(self):
        fleet = Fleet([cluster(f"member{number}", cpu=str(number)) for number in range(1, 40)])
        sets = [Bindings(fleet, [Binding(f"w{number}-{at}", replicas=at, requests={"cpu": "100m"},
                                         placement=Placement(division="AvailableReplicas")) for at in range(1, 60)])
                for number in range(8)]
        snapshot = fleet.snapshot()
        wanted = [list(schedule(snapshot, one)) for one in sets]
        start = threading.Barrier(8)

        def decide(bindings):
            start.wait()
            return [list(schedule(snapshot, bindings)) for _ in range(5)]

        with ThreadPoolExecutor(8) as pool:
            for answers, expected in zip(pool.map(decide, sets), wanted):
                self.assertEqual(answers, [expected] * 5)

    def stamps_during(self, call):
        """How often another thread ran during a call: never, where the GIL is held."""
        stamps, leave = [], threading.Event()

        def stamp():
            while not leave.is_set():
                stamps.append(time.perf_counter())

        other = threading.Thread(target=stamp)
        other.start()
        start = time.perf_counter()
        call()
        end = time.perf_counter()
        leave.set()
        other.join()
        margin = (end - start) / 10
        return sum(start + margin < one < end - margin for one in stamps)

    def test_other_threads_run_during_a_call(self):
        fleet = Fleet([cluster(f"member{number}", cpu=str(number)) for number in range(1, 1000)])
        many = Bindings(fleet, [Binding(f"w{at}", replicas=at % 90 + 9, requests={"cpu": f"{at}m"},
                                        placement=Placement(division="AvailableReplicas")) for at in range(1, 3000)])

        def decide():
            clear_cache()
            schedule(fleet, many)

        # A busy machine may give the other thread no core for the whole time.
        self.assertTrue(any(self.stamps_during(decide) > 20 for _ in range(5)))

        def hold():
            sum(range(10_000_000))  # one call of Python's own, within which the GIL is never released

        self.assertFalse(all(self.stamps_during(hold) > 20 for _ in range(5)))

    def test_eight_threads_share_a_fleet_that_changes(self):
        fleet = Fleet(clusters(3))

        def decide(number):
            for turn in range(10):
                fleet.put(cluster("member3", cpu=str(number + turn + 1)))
                self.assertEqual(schedule(fleet, Binding(f"w{number}", replicas=3)).replicas, 9)
            return True

        with ThreadPoolExecutor(8) as pool:
            self.assertEqual(list(pool.map(decide, range(8))), [True] * 8)

    def test_a_ledger_in_use_by_another_thread_is_refused(self):
        ledger = Ledger(Fleet(clusters(1)))
        inside, leave, caught = threading.Event(), threading.Event(), []

        def hold():
            with ledger._alone():
                inside.set()
                leave.wait(60)

        other = threading.Thread(target=hold)
        other.start()
        inside.wait(60)
        try:
            ledger.read()
        except StateError as error:
            caught.append(str(error))
        leave.set()
        other.join()
        self.assertRegex(caught[0], "in use by another thread")
        self.assertEqual(ledger.read(), [])


if __name__ == "__main__":
    unittest.main()
