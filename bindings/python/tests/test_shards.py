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
from librebalance.shards import Losses, lose, schedule_many
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


def bytes_of(decisions):
    """All columns of an answer."""
    found = {}
    for name in ("DECISION", "PLACED"):
        for column, values in table(decisions, name).items():
            found[name, column] = ((values.offsets.tobytes(), values.data.tobytes()) if isinstance(values, Texts)
                                   else values.tobytes())
    return found


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
            self.fleet.put(cluster("member9", cpu="500"))  # workers must not answer for what was
            self.whole = schedule(self.fleet, self.bindings, known=self.bindings, options=GATE)
            self.assertTrue(bytes_of(self.whole) != self.wanted)
            self.wanted = bytes_of(self.whole)
            self.check(executor, shards=5)

    def test_dask(self):
        with dask() as executor:
            self.check(executor, shards=5)
            losses = lose(self.fleet, self.bindings, by="region", executor=executor)
        self.assertEqual(list(losses), list(lose(self.fleet, self.bindings, by="region")))

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
                lose(self.fleet, self.bindings, clusters=["member1"], **options)
            self.assertEqual("200/200" in written.getvalue() and "1/1" in written.getvalue(), shown)
        with mock.patch.dict(sys.modules, {"tqdm": None}), contextlib.redirect_stderr(io.StringIO()) as written:
            self.assertEqual(len(schedule_many(self.fleet, self.bindings, progress=True)), 200)
        self.assertEqual(written.getvalue(), "")


class Lost(unittest.TestCase):
    def setUp(self):
        self.fleet, self.bindings = world(60)

    def test_columns_are_the_clusters_of_the_fleet(self):
        fleet, bindings = world(3)
        fleet._id("ghost")  # as bindings name it
        fleet.put(cluster("member9"))
        losses = lose(fleet, bindings)
        self.assertEqual(losses.clusters, (*self.fleet.clusters, "member9"))
        self.assertEqual(losses.changes().shape, (7, 7))
        for loss in losses:
            self.assertEqual(loss.replicas[losses.clusters.index(loss.name)], 0)
            self.assertEqual(loss.replicas.sum(), loss.placed.sum())

    def test_a_lone_name(self):
        self.assertEqual(list(lose(self.fleet, self.bindings, clusters="member1")),
                         list(lose(self.fleet, self.bindings, clusters=["member1"])))

    def without(self, *names, **more):
        """What schedule() says of a fleet that never had these clusters."""
        fleet, bindings = world(60)
        for name in names:
            fleet.remove(name)
        return list(schedule(fleet, bindings, **more))

    def test_each_cluster_in_turn(self):
        losses = lose(self.fleet, self.bindings)
        self.assertEqual([one.name for one in losses], list(self.fleet.clusters))
        before = list(schedule(self.fleet, self.bindings))
        self.assertEqual([sum(one.clusters.get(name, 0) for one in before) for name in losses.clusters],
                         losses.before.replicas.tolist())
        for loss in losses:
            wanted = self.without(loss.name)
            self.assertEqual(loss.placed.tolist(), [one.replicas for one in wanted])
            self.assertEqual(loss.outcomes.tolist(), [one.outcome for one in wanted])
            self.assertEqual(loss.moved.tolist(), [at for at, (was, now) in enumerate(zip(before, wanted))
                                                   if dict(was.clusters) != dict(now.clusters)])
            self.assertEqual(loss.unplaced.tolist(), [at for at, (was, now) in enumerate(zip(before, wanted))
                                                      if was.placed and not now.placed])
            self.assertEqual(loss.replicas[losses.clusters.index(loss.name)], 0)
        self.assertTrue(any(len(one.unplaced) for one in losses) and all(len(one.moved) for one in losses))
        self.assertEqual(len(self.fleet), 6)

    def test_groups(self):
        regions = lose(self.fleet, self.bindings, by="region")
        self.assertEqual([(one.name, one.clusters) for one in regions],
                         [("north", ("member2", "member4", "member6")), ("south", ("member1", "member3", "member5"))])
        self.assertEqual(regions[0].placed.tolist(), [one.replicas for one in self.without(*regions[0].clusters)])
        self.assertEqual([one.name for one in lose(self.fleet, self.bindings, by="zone")], ["all", "z0", "z1", "z2"])
        self.assertEqual(list(lose(self.fleet, self.bindings, by="provider")), [])
        pair = lose(self.fleet, self.bindings, clusters=[("member1", "member2"), "member3"])
        self.assertEqual([one.name for one in pair], ["member1, member2", "member3"])

    def test_processes_give_the_same_bytes(self):
        one = lose(self.fleet, self.bindings)
        with spawned() as executor:
            for shards in (None, 2):
                many = lose(self.fleet, self.bindings, executor=executor, shards=shards)
                self.assertEqual([loss.tobytes() for loss in many], [loss.tobytes() for loss in one])
                self.assertEqual(many.before, one.before)

    def test_together(self):
        losses = lose(self.fleet, self.bindings, clusters=["member6"], together=True)
        fleet, bindings = world(60)
        fleet.remove("member6")
        wanted = list(schedule(fleet, bindings, ledger=Ledger(fleet)))
        self.assertEqual(losses[0].placed.tolist(), [one.replicas for one in wanted])
        self.assertNotEqual(losses[0], lose(self.fleet, self.bindings, clusters=["member6"])[0])

    def test_as_a_table(self):
        losses = lose(self.fleet, self.bindings, by="region")
        self.assertEqual(losses.changes().shape, (2, len(losses.clusters)))
        self.assertEqual(losses.to_pandas()["moved"].tolist(), [len(one.moved) for one in losses])
        self.assertIn("<td>north</td>", losses._repr_html_())
        self.assertRegex(str(losses[0]), r"without north: \d+ bindings move, \d+ are not placed")
        self.assertEqual(Losses(losses.before, [], losses.clusters).changes().shape, (0, len(losses.clusters)))
        np.testing.assert_array_equal(losses.changes()[0] + losses.before.replicas, losses[0].replicas)

    def test_wrong_arguments(self):
        for error, more in ((NotFoundError, {"clusters": ["nowhere"]}), (ValueError, {"by": "planet"}),
                            (ValueError, {"by": "region", "clusters": ["member1"]}), (OutOfRangeError, {"shards": -1})):
            with self.assertRaises(error):
                lose(self.fleet, self.bindings, **more)


if __name__ == "__main__":
    unittest.main()
