# SPDX-License-Identifier: MIT
import contextlib
import importlib.util
import io
import multiprocessing
import sys
import unittest
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from unittest import mock

for needed in ("numpy", "distributed", "tqdm"):
    if importlib.util.find_spec(needed) is None:
        raise unittest.SkipTest(f"{needed} is not installed")

import numpy as np
from dask.distributed import Client, LocalCluster

from librebalance import (Binding, Bindings, Fleet, Ledger, MismatchError, NotFoundError, Options, OutOfRangeError,
                          Outcome, Placement, StateError, schedule)
from librebalance.columns import Texts, table
from librebalance.lists.tables import COLUMNS
from librebalance.lists import Loss as LossKind
from librebalance.shards import schedule_many, sweep
from objects import cluster

DYNAMIC = Placement(division="AvailableReplicas")
#: With it, anti-affinity groups count.
GATE = Options(gate_workload_affinity=True)


def world(count=200):
    """Clusters of two regions; bindings of which some do not fit, and some have a workload anti-affinity group."""
    fleet = Fleet([cluster(f"member{at}", cpu=str(20 * at), region=("north", "south")[at % 2],
                           zones=[f"z{at % 3}", "all"]) for at in range(1, 7)])
    bindings = []
    for at in range(count):
        one = Binding(f"web{at}", at, DYNAMIC, requests={"cpu": "8" if at % 25 == 24 else f"{at % 7 + 1}00m"},
                      clusters={f"member{at % 6 + 1}": at // 2} if at % 3 else {}).to_dict()
        if at % 5 == 0:
            one["spec"]["workloadAffinityGroups"] = {"antiAffinityGroup": f"group{at % 10}"}
        bindings.append(one)
    return fleet, Bindings(fleet, bindings)


def bytes_of(answer, tables=("DECISION", "PLACED")):
    """All columns of an answer."""
    found = {}
    for name in tables:
        for column, values in table(answer, name).items():
            found[name, column] = ((values.offsets.tobytes(), values.data.tobytes()) if isinstance(values, Texts)
                                   else values.tobytes())
    return found


def swept(losses):
    return bytes_of(losses, ("SWEPT", "AFFECTED"))


@contextlib.contextmanager
def dask():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                      host="127.0.0.1") as workers, Client(workers) as client:
        yield client.get_executor()


def spawned():
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


class Many(unittest.TestCase):
    def setUp(self):
        self.fleet, self.bindings = world()
        self.whole = schedule(self.fleet, self.bindings, known=self.bindings, options=GATE)
        self.wanted = bytes_of(self.whole)
        self.assertEqual(len(self.wanted), len(COLUMNS["DECISION"]) + len(COLUMNS["PLACED"]))

    def check(self, executor, **more):
        many = schedule_many(self.fleet, self.bindings, executor=executor, known=self.bindings, options=GATE,
                             **more)
        for name, values in bytes_of(many).items():
            self.assertTrue(values == self.wanted[name], name)
        self.assertEqual(list(many), list(self.whole))
        self.assertEqual(repr(many), repr(self.whole))

    def test_the_case_is_one(self):
        outcomes = {one.outcome for one in self.whole}
        self.assertTrue({Outcome.SCHEDULED, Outcome.UNSCHEDULABLE} <= outcomes, outcomes)
        alone = bytes_of(schedule(self.fleet, self.bindings, options=GATE))
        self.assertTrue(alone != self.wanted, "workload affinity makes no difference")

    def test_one_thread_however_cut(self):
        for shards in (None, 1, 2, 7, 200, 1000):
            self.check(None, shards=shards)

    def test_threads(self):
        with ThreadPoolExecutor(3) as executor:
            self.check(executor)

    def test_processes(self):
        with spawned() as executor:
            self.check(executor, shards=5)
            self.fleet.put(cluster("member9", cpu="500"))  # workers must not answer for the old fleet
            self.whole = schedule(self.fleet, self.bindings, known=self.bindings, options=GATE)
            self.assertTrue(bytes_of(self.whole) != self.wanted)
            self.wanted = bytes_of(self.whole)
            self.check(executor, shards=5)

    def test_dask(self):
        with dask() as executor:
            self.check(executor, shards=5)
            losses = sweep(self.fleet, self.bindings, affected=True, executor=executor)
        self.assertEqual(swept(losses), swept(sweep(self.fleet, self.bindings, affected=True)))

    def test_options_and_estimators(self):
        more = {"options": Options(partial_placement=True), "estimators": [{"member1": 3, "new": 5}],
                "summaries": False}
        with spawned() as executor:
            many = schedule_many(self.fleet, self.bindings, executor=executor, shards=3, **more)
        self.assertTrue(bytes_of(many) == bytes_of(schedule(self.fleet, self.bindings, **more)))
        self.assertTrue(bytes_of(many) != self.wanted)

    def test_nothing_to_do(self):
        with spawned() as executor:
            self.assertEqual(list(schedule_many(self.fleet, [], executor=executor)), [])
        self.assertEqual(table(schedule_many(self.fleet, []), "DECISION").rows, 0)

    def test_what_comes_back_has_tables(self):
        many = schedule_many(self.fleet, self.bindings, shards=3)
        self.assertEqual(table(many, "STEP").rows, 0)
        with self.assertRaises(StateError):
            many.result.fingerprint()
        self.assertEqual(table(many, "DECISION").to_pandas()["outcome"][0], "SCHEDULED")
        self.assertFalse(table(many, "DECISION")["first_placed"].flags.writeable)

    def test_wrong_arguments(self):
        for error, call in (
                (OutOfRangeError, lambda: schedule_many(self.fleet, self.bindings, shards=0)),
                (TypeError, lambda: schedule_many(self.fleet, self.bindings, shards=1.5)),
                (TypeError, lambda: schedule_many(self.fleet.snapshot(), self.bindings)),
                (MismatchError, lambda: schedule_many(Fleet([]), self.bindings)),
                (ValueError, lambda: schedule_many(self.fleet, self.bindings, known=world(1)[1])),
                (NotFoundError, lambda: schedule_many(self.fleet, self.bindings, options="no level"))):
            with self.assertRaises(error):
                call()
        with spawned() as executor, self.assertRaisesRegex(NotFoundError, "no such level"):
            schedule_many(self.fleet, self.bindings, options="no level", executor=executor)

    def test_progress(self):
        for options, shown in (({}, False), ({"progress": True}, True)):
            with contextlib.redirect_stderr(io.StringIO()) as written:
                schedule_many(self.fleet, self.bindings, shards=4, **options)
                sweep(self.fleet, self.bindings, clusters=["member1"], **options)
            self.assertEqual("200/200" in written.getvalue() and "1/1" in written.getvalue(), shown)
        with mock.patch.dict(sys.modules, {"tqdm": None}), contextlib.redirect_stderr(io.StringIO()) as written:
            self.assertEqual(len(schedule_many(self.fleet, self.bindings, progress=True)), 200)
        self.assertEqual(written.getvalue(), "")


class Swept(unittest.TestCase):
    def setUp(self):
        self.fleet, self.bindings = world(60)

    def without(self, *names, **more):
        """The answer of schedule() for a fleet that never had these clusters."""
        fleet, bindings = world(60)
        for name in names:
            fleet.remove(name)
        return list(schedule(fleet, bindings, **more))

    def counted(self, lost, decisions):
        """Unplaced, missing and moved of a loss by the definition: x is what a binding has, y what it has after it."""
        unplaced = missing = moved = 0
        for row, one in enumerate(decisions):
            had = self.bindings.targets(row)
            has = dict(one.clusters) if one.placed else {name: n for name, n in had.items() if name not in lost}
            wanted = row  # world() gives each as many replicas
            unplaced += not one.placed
            missing += max(0, wanted - sum(has.values()))
            moved += (sum(max(0, n - has.get(name, 0)) for name, n in had.items())
                      - max(0, sum(had.values()) - sum(has.values())))
        return unplaced, missing, moved

    def test_each_cluster_in_turn(self):
        losses = sweep(self.fleet, self.bindings)
        self.assertEqual([one.name for one in losses], list(self.fleet.clusters))
        for loss in losses:
            self.assertEqual((loss.unplaced, loss.missing, loss.moved),
                             self.counted({loss.name}, self.without(loss.name)), loss)
            self.assertEqual((loss.kind, loss.clusters), (LossKind.CLUSTER, 1))
            self.assertNotEqual(loss.fullest, loss.name)
        self.assertTrue(any(one.missing for one in losses) and any(one.moved for one in losses))
        self.assertEqual(len(self.fleet), 6)

    def test_groups(self):
        regions = sweep(self.fleet, self.bindings, by=("region", "nothing"))
        self.assertEqual([(one.kind, one.name, one.clusters) for one in regions],
                         [(LossKind.NOTHING, "", 0), (LossKind.REGION, "north", 3), (LossKind.REGION, "south", 3)])
        north = ("member2", "member4", "member6")
        self.assertEqual((regions[1].unplaced, regions[1].missing, regions[1].moved),
                         self.counted(set(north), self.without(*north)))
        set_of, = sweep(self.fleet, self.bindings, clusters=[north])
        self.assertEqual((set_of.kind, set_of.name), (LossKind.SET, "member2, member4, member6"))
        self.assertEqual((set_of.unplaced, set_of.missing, set_of.moved, set_of.fullest, set_of.full),
                         (regions[1].unplaced, regions[1].missing, regions[1].moved, regions[1].fullest,
                          regions[1].full))
        self.assertEqual(list(sweep(self.fleet, self.bindings, by="provider")), [])
        pair = sweep(self.fleet, self.bindings, clusters=[("member1", "member2"), "member3"])
        self.assertEqual([one.name for one in pair], ["member1, member2", "member3"])
        self.assertEqual(list(sweep(self.fleet, self.bindings, clusters=[])), [])

    def test_a_lone_name(self):
        one, = sweep(self.fleet, self.bindings, clusters="member1")
        self.assertEqual([one], list(sweep(self.fleet, self.bindings, clusters=["member1"])))

    def test_who_is_affected(self):
        losses = sweep(self.fleet, self.bindings, affected=True)
        before = self.without()
        for at, loss in enumerate(losses):
            now = self.without(loss.name)
            wanted = [self.bindings[row] for row, (was, one) in enumerate(zip(before, now))
                      if (was.outcome, dict(was.clusters)) != (one.outcome, dict(one.clusters))]
            self.assertEqual([one.binding for one in losses.affected(at)], wanted)
            outcomes = {name: one.outcome for name, one in zip(self.bindings, now)}
            for one in losses.affected(at):
                self.assertEqual(one.outcome, outcomes[one.binding])
        self.assertEqual(losses.affected(-1), losses.affected(len(losses) - 1))
        self.assertEqual(sweep(self.fleet, self.bindings).affected(0), ())
        with self.assertRaises(IndexError):
            losses.affected(99)

    def test_however_cut(self):
        more = {"affected": True, "known": self.bindings, "options": GATE, "by": ("nothing", "cluster", "zone")}
        one = swept(sweep(self.fleet, self.bindings, shards=1, **more))
        self.assertEqual(len(one), len(COLUMNS["SWEPT"]) + len(COLUMNS["AFFECTED"]))
        for shards in (2, 3, 100):
            self.assertTrue(swept(sweep(self.fleet, self.bindings, shards=shards, **more)) == one, shards)
        with ThreadPoolExecutor(3) as executor:
            self.assertTrue(swept(sweep(self.fleet, self.bindings, executor=executor, **more)) == one)
        with spawned() as executor:
            for shards in (None, 2):
                self.assertTrue(swept(sweep(self.fleet, self.bindings, executor=executor, shards=shards, **more))
                                == one, shards)

    def test_with_a_ledger(self):
        ledger = Ledger(self.fleet)
        ledger.charge("x/y", "member5", [(110, None)])
        held = ledger.read()
        one = sweep(self.fleet, self.bindings, clusters=["member6"], ledger=ledger)
        fleet, bindings = world(60)
        fleet.remove("member6")
        spent = Ledger(fleet)
        spent.charge("x/y", "member5", [(110, None)])
        self.assertEqual((one[0].unplaced, one[0].missing, one[0].moved),
                         self.counted({"member6"}, list(schedule(fleet, bindings, ledger=spent))))
        self.assertEqual(ledger.read(), held)
        self.assertNotEqual(list(one), list(sweep(self.fleet, self.bindings, clusters=["member6"])))
        whole = swept(sweep(self.fleet, self.bindings, ledger=ledger))
        for executor in (ThreadPoolExecutor(3), spawned()):
            with executor:
                self.assertTrue(swept(sweep(self.fleet, self.bindings, ledger=ledger, executor=executor)) == whole)
        with self.assertRaises(MismatchError):
            sweep(self.fleet, self.bindings, ledger=spent)

    def test_as_a_table(self):
        losses = sweep(self.fleet, self.bindings, by="region")
        self.assertEqual(table(losses, "SWEPT")["moved"].tolist(), [one.moved for one in losses])
        self.assertEqual(losses.to_pandas()["moved"].tolist(), [one.moved for one in losses])
        self.assertIn("<td>north</td>", losses._repr_html_())
        self.assertRegex(str(losses[0]),
                         r"^without north: \d+ replicas move, \d+ are missing, \d+ bindings are not placed$")
        self.assertEqual((losses[-1], losses[:1]), (losses[1], [losses[0]]))
        self.assertRegex(repr(losses), "^<Losses: 2, of which [12] leave bindings unplaced>$")

    def test_wrong_arguments(self):
        for error, more in ((NotFoundError, {"clusters": ["nowhere"]}), (ValueError, {"by": "planet"}),
                            (OutOfRangeError, {"shards": -1}), (TypeError, {"clusters": [3]})):
            with self.assertRaises(error):
                sweep(self.fleet, self.bindings, **more)


if __name__ == "__main__":
    unittest.main()
