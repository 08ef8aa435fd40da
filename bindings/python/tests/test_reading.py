# SPDX-License-Identifier: MIT
import importlib.util
import sys
import unittest
from unittest import mock

for needed in ("numpy", "pyarrow", "pandas", "polars", "hypothesis"):
    if importlib.util.find_spec(needed) is None:
        raise unittest.SkipTest(f"{needed} is not installed")

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given, strategies as st

from librebalance import (Binding, Bindings, ExistsError, Fleet, OutOfRangeError, ParseError, Placement, StateError,
                          _arrow, schedule)
from librebalance.columns import ABSENT, Texts, read_bindings, read_clusters, table
from objects import ENABLED, cluster

NAMES = [f"web{number}-deployment" for number in range(30)]
RECORDS = {"PLACEMENT": [Placement(division="AvailableReplicas"), {"replicaScheduling": {
    "replicaSchedulingType": "Duplicated"}}], "REQUIREMENTS": [{"resourceRequest": {"cpu": "1"}}]}


def clusters():
    return [cluster(f"member{number}", cpu=str(number)) for number in range(1, 6)]


def columns():
    return {"namespace": "default", "name": NAMES, "replicas": list(range(30)), "placement": [0, 1] * 15,
            "requirements": [0, None] * 15, "resource_api_version": "apps/v1", "resource_kind": "Deployment"}


TARGETS = {"binding": [0, 0, 7], "cluster": ["member1", "member2", "member3"], "replicas": [1, 2, 3]}


class Bound(unittest.TestCase):
    """The same answers, whatever the columns are made of."""

    def setUp(self):
        self.fleet = Fleet(clusters())
        placements = [one.to_dict() if isinstance(one, Placement) else one for one in RECORDS["PLACEMENT"]]
        targets = [{"member1": 1, "member2": 2} if at == 0 else {"member3": 3} if at == 7 else {} for at in range(30)]
        self.objects = [Binding(f"web{at}", at, placements[at % 2], clusters=targets[at],
                                requests={} if at % 2 else {"cpu": "1"}) for at in range(30)]
        self.wanted = list(schedule(Fleet(clusters()), self.objects))

    def check(self, rows, targets):
        bindings = read_bindings(self.fleet, rows, records=RECORDS, targets=targets)
        self.assertEqual(list(schedule(self.fleet, bindings)), self.wanted)
        self.assertEqual(bindings.targets(0), {"member1": 1, "member2": 2})
        self.assertEqual(bindings[7], "default/web7-deployment")

    def test_lists_and_numpy(self):
        self.assertTrue(any(not one.placed for one in self.wanted) and any(one.placed for one in self.wanted))
        self.check(columns(), TARGETS)
        names = np.array(NAMES)
        for kind in ("int8", "uint16", "int32", "uint64", "float32"):
            self.check({**columns(), "name": names, "replicas": np.arange(30, dtype=kind)},
                       {"binding": np.array([0, 0, 7], kind), "cluster": np.array(TARGETS["cluster"], object),
                        "replicas": np.arange(1, 4, dtype=kind)})
        ids = np.array([self.fleet.snapshot().cluster_id(name) for name in TARGETS["cluster"]])
        self.check({**columns(), "requirements": np.where(np.arange(30) % 2, ABSENT, 0)}, {**TARGETS, "cluster": ids})

    def test_pandas(self):
        frame = pd.DataFrame(columns())
        self.assertEqual(frame["requirements"].dtype, float)  # nulls make it one
        self.check(frame, pd.DataFrame(TARGETS))
        frame["resource_kind"] = frame["resource_kind"].astype("category")
        frame["requirements"] = frame["requirements"].astype("Int64")
        self.check(frame, pd.DataFrame(TARGETS).astype({"cluster": "category"}))
        self.check({name: frame[name] for name in frame}, TARGETS)

    def test_absent_is_unset(self):
        fleet = Fleet(clusters())
        for replicas in ([1, None], [1, float("nan")], [1, pd.NA], np.array([1, pd.NA], object), pd.Series([1, pd.NA])):
            rows = read_bindings(fleet, {"name": ["a", "b"], "replicas": replicas})
            self.assertEqual(table(rows, "BINDING")["replicas"].tolist(), [1, 0])
        names = read_bindings(fleet, {"name": ["a", "b"], "namespace": ["default", pd.NA]})
        self.assertEqual(list(names), ["default/a", "b"])
        for parent in (None, pd.NA):
            with self.assertRaisesRegex(OutOfRangeError, "binding of row 1 of TARGET: it has no value"):
                read_bindings(fleet, {"name": ["a"]}, targets={"binding": [0, parent], "cluster": "member1"})

    def test_records_that_no_column_holds(self):
        fleet = Fleet(clusters())
        for kind in ("placement", "PLACEMENTS", "TAINTS"):
            with self.assertRaisesRegex(TypeError, f"records of '{kind}'; expected .*PLACEMENT, REQUIREMENTS"):
                read_bindings(fleet, columns(), records={kind: RECORDS["PLACEMENT"]})
        for kind in ("taints", "PLACEMENT"):
            with self.assertRaisesRegex(TypeError, f"records of '{kind}'; expected .*TAINTS"):
                read_clusters({"name": ["a"]}, records={kind: [[]]})

    def test_pandas_without_pyarrow(self):
        frame = pd.DataFrame({**columns(), "priority": pd.array([1, None] * 15, "Int64")})
        targets = pd.DataFrame(TARGETS).astype({"cluster": "category"})
        with mock.patch.dict(sys.modules, {"pyarrow": None}):
            with self.assertRaises(ImportError):
                frame.__arrow_c_stream__()
            self.check(frame, targets)
            self.check({name: frame[name] for name in frame}, targets)

    def test_polars(self):
        frame = pl.DataFrame({**columns(), "resource_kind": ["Deployment"] * 30, "name": pl.Series(NAMES)})
        frame = frame.with_columns(pl.col("resource_kind").cast(pl.Categorical))
        self.check(frame, pl.DataFrame(TARGETS))
        self.check({name: frame[name] for name in frame.columns}, TARGETS)

    def test_pyarrow(self):
        whole = pa.table({**columns(), "namespace": ["default"] * 30, "resource_api_version": ["apps/v1"] * 30,
                          "resource_kind": pa.array(["Deployment"] * 30).dictionary_encode()})
        self.check(whole, pa.table(TARGETS))
        for kind in (pa.large_string(), pa.string_view()):
            self.check(whole.set_column(1, "name", pa.array(NAMES, kind)), TARGETS)
        chunks = pa.concat_tables([whole.slice(0, 11), whole.slice(11, 0), whole.slice(11)])
        self.assertEqual(len(chunks["name"].chunks), 3)
        self.check(chunks, TARGETS)
        self.check(whole.to_batches()[0], pa.record_batch(TARGETS))
        doubled = pa.concat_tables([whole, whole]).combine_chunks()
        self.check(doubled.slice(30), TARGETS)
        self.check(pa.StructArray.from_arrays([column.chunk(0) for column in doubled], doubled.column_names).slice(30),
                   TARGETS)
        self.check({name: whole[name] for name in whole.column_names}, TARGETS)

    def test_what_tables_gave_goes_in_again(self):
        bindings = Bindings(self.fleet, self.objects)
        rows, targets = table(bindings, "BINDING"), table(bindings, "TARGET")
        for frame, below in ((rows, targets), (pa.table(rows), pa.table(targets)),
                             (rows.to_pandas(), targets.to_pandas()), (rows.to_polars(), targets.to_polars())):
            again = read_bindings(self.fleet, frame, targets=below)
            self.assertEqual(again.save(), bindings.save())

    def test_many(self):
        """More than what Python and NumPy keep of freed memory: what C reads must be there during the call."""
        rows, names = np.arange(20_000), [f"w{at}" for at in range(20_000)]
        for _ in range(8):
            bindings = read_bindings(self.fleet, {"name": names, "replicas": rows},
                                     targets={"binding": np.repeat(rows, 3), "replicas": rows.repeat(3),
                                              "cluster": ["member1", "member2", "member3"] * 20_000})
            self.assertEqual(bindings.targets(19_999), {"member1": 19_999, "member2": 19_999, "member3": 19_999})
            targets = table(bindings, "TARGET").select("binding", "replicas")
            self.assertTrue(np.array_equal(targets["binding"], targets["replicas"]))

    def test_nothing(self):
        self.assertEqual(len(read_bindings(self.fleet, {})), 0)
        self.assertEqual(len(read_bindings(self.fleet, {"name": [], "replicas": []})), 0)
        self.assertEqual(len(read_bindings(self.fleet, pl.DataFrame(columns()).clear())), 0)

    def test_times_and_flags(self):
        stamps = np.array(["2026-03-01T10:20:30.5", "NaT"], "M8[ms]")
        bindings = read_bindings(self.fleet, {"name": ["a", "b"], "last_scheduled_time": stamps,
                                              "deleting": [True, False], "applied_state": ["PRESENT", ""]})
        made = table(bindings, "BINDING")
        self.assertEqual(made["last_scheduled_time"].astype("M8[ms]").tolist(), stamps.tolist())
        self.assertEqual((made["deleting"].tolist(), made["applied_state"].tolist()), ([1, 0], [2, 0]))
        arrow = pa.array([stamps[0].item(), None], pa.timestamp("ns"))
        self.assertEqual(read_bindings(self.fleet, {"name": ["a", "b"], "last_scheduled_time": arrow}).save(),
                         read_bindings(self.fleet, {"name": ["a", "b"], "last_scheduled_time": stamps}).save())


class Wrong(unittest.TestCase):
    def setUp(self):
        self.fleet = Fleet(clusters())

    def refused(self, error, text, rows, **more):
        with self.assertRaisesRegex(error, text):
            read_bindings(self.fleet, rows, **more)

    def test_columns(self):
        self.refused(TypeError, "no column 'nothing'", {"nothing": [1]})
        self.refused(TypeError, "'replicas' must hold integers", {"replicas": ["a"]})
        self.refused(TypeError, "'replicas' must hold integers", {"replicas": [1.5]})
        self.refused(TypeError, "'name' must hold texts", {"name": [1]})
        self.refused(TypeError, "texts and int", {"name": ["a", 1]})
        self.refused(TypeError, "must hold times", {"last_scheduled_time": [1]})
        self.refused(TypeError, "dimensions", {"replicas": np.zeros((2, 2), int)})
        self.refused(TypeError, "format 'd:", {"replicas": pa.array([1]).cast(pa.decimal128(19))})
        self.refused(ValueError, "differ in length", {"name": ["a"], "replicas": [1, 2]})
        self.refused(ValueError, "the number of rows is unknown", {"name": "a"})
        self.refused(TypeError, "mapping of columns", 3)
        self.refused(TypeError, "expected a table", pa.array([1]))
        self.refused(TypeError, "expected a column", {"replicas": pa.table({"a": [1]})})
        with self.assertRaisesRegex(TypeError, "expected a Fleet"):
            read_bindings(3, {})

    def test_numbers(self):
        for wrong in (-1, 2**31, 2**63 - 1):
            self.refused(OutOfRangeError, "", {"replicas": [wrong]})
        self.refused(OutOfRangeError, "not within int64", {"replicas": np.array([2**64 - 1], np.uint64)})
        self.refused(OutOfRangeError, "no record 5", {"placement": [5]}, records=RECORDS)
        self.refused(ValueError, "", {"placement": [5]})
        self.refused(OutOfRangeError, "expected ABSENT", {"applied_state": ["NEVER"]})
        with self.assertRaises(OutOfRangeError) as caught:
            read_bindings(self.fleet, {"replicas": [0, 3, -7]})
        self.assertEqual(caught.exception.where, 2)

    def test_children(self):
        self.refused(OutOfRangeError, "no binding 3", {"name": ["a"]},
                     targets={"binding": [0, 3], "cluster": ["x", "y"]})
        self.refused(TypeError, "no column 'binding'", {"name": ["a"]}, targets={"cluster": ["x"]})
        self.refused(TypeError, "no rows 'goals'", {"name": ["a"]}, goals={"cluster": ["x"]})
        self.refused(ValueError, "", {"name": ["a"]}, targets={"binding": [0], "cluster": [10**6]})


class Clusters(unittest.TestCase):
    def read(self, **more):
        return read_clusters({"name": [f"member{number}" for number in range(1, 6)], "api_enablements": 0},
                             records={"API_ENABLEMENTS": [ENABLED]}, **more)

    def test_the_same_answers_as_by_objects(self):
        bindings = [Binding(f"web{at}", at, RECORDS["PLACEMENT"][0], requests={"cpu": "1"}) for at in range(12)]
        wanted = list(schedule(Fleet(clusters()), bindings))
        for amounts in ({"cpu": [1, 2, 3, 4, 5], "pods": [110] * 5}, {"cpu": list("12345"), "pods": ["110"] * 5},
                        pd.DataFrame({"cpu": [f"{n}000m" for n in range(1, 6)], "pods": 110})):
            self.assertEqual(list(schedule(self.read(allocatable=amounts), bindings)), wanted)
        halved = self.read(allocatable={"cpu": [1, 2, 3, 4, 5], "pods": [110] * 5}, allocated={"cpu": ["1"] * 5})
        self.assertNotEqual(list(schedule(halved, bindings)), wanted)

    def test_what_is_absent_is_not_stated(self):
        fleet = self.read(allocatable={"cpu": ["1", None, "", "1", "1"], "pods": [1, None, 1, 1, 1]})
        answer = schedule(fleet, Binding("a", 3, Placement(division="AvailableReplicas"), requests={"cpu": "1"}))
        self.assertEqual(answer.clusters, {"member1": 1, "member4": 1, "member5": 1})

    def test_as_a_table(self):
        fleet = self.read()
        self.assertEqual(read_clusters(table(fleet, "CLUSTER").select("name")).clusters, fleet.clusters)
        self.assertEqual(len(read_clusters({"name": []})), 0)

    def test_wrong_ones(self):
        for error, rows, more in (
                (TypeError, {"region": ["a"]}, {}), (TypeError, {"name": [1]}, {}),
                (ExistsError, {"name": ["a", "a"]}, {}),
                (ValueError, {"name": [""]}, {}), (ParseError, {"name": ["a"]}, {"allocatable": {"cpu": ["many"]}}),
                (ValueError, {"name": ["a"]}, {"allocatable": {"cpu": [1, 2]}}),
                (TypeError, {"name": ["a"]}, {"allocatable": {"cpu": [1.5]}})):
            with self.assertRaises(error, msg=rows):
                read_clusters(rows, **more)
        with self.assertRaises(StateError):
            read_clusters({"name": ["a"]}).put(cluster("b"))


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


class RoundTrips(unittest.TestCase):
    @given(st.lists(st.one_of(st.none(), TEXT)), st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]),
           st.integers(0, 40), st.integers(0, 40))
    def test_texts(self, values, kind, first, count):
        array = pa.array(values, kind).slice(first, count)
        strings, there = _arrow.read(array, True)[""]
        texts = list(Texts(strings.offsets.astype(np.uint32), strings.data))
        self.assertEqual(texts, [one or "" for one in array.to_pylist()])
        if there is not None:
            self.assertEqual(there.tolist(), [one is not None for one in array.to_pylist()])
        coded = _arrow.read(pa.array(values, pa.string()).dictionary_encode().slice(first, count), True)[""][0]
        self.assertEqual((coded.offsets.tolist(), bytes(coded.data)), (strings.offsets.tolist(), bytes(strings.data)))

    @given(st.lists(st.one_of(st.none(), st.integers(-2**63 + 1, 2**63 - 1))), st.integers(0, 40), st.integers(0, 40))
    def test_integers(self, values, first, count):
        array = pa.array(values, pa.int64()).slice(first, count)
        numbers, there = _arrow.read(array, True)[""]
        there = np.ones(len(numbers), bool) if there is None else there
        self.assertEqual([int(one) if known else None for one, known in zip(numbers, there)], array.to_pylist())
        flags = pa.array([one is not None for one in values]).slice(first, count)
        self.assertEqual(_arrow.read(flags, True)[""][0].tolist(), flags.to_pylist())


if __name__ == "__main__":
    unittest.main()
