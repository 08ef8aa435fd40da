# SPDX-License-Identifier: MIT
import gc
import importlib.util
import subprocess
import sys
import threading
import unittest
from unittest import mock

for needed in ("numpy", "pyarrow", "pandas", "polars"):
    if importlib.util.find_spec(needed) is None:
        raise unittest.SkipTest(f"{needed} is not installed")

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from librebalance import Binding, Bindings, Fleet, NotFoundError, Placement, clear_cache, schedule
from librebalance import columns, plot, shards
from librebalance._call import ffi, lib
from librebalance.columns import ABSENT, Texts, read_bindings, table
from librebalance.tables import Source, Table
from objects import cluster
from test_docstrings import undocumented
from test_leaks import allocated

DYNAMIC = Placement(division="AvailableReplicas")


def world(count=40):
    """A fleet, and bindings of which some do not fit."""
    fleet = Fleet([cluster(f"member{number}", cpu=str(number)) for number in range(1, 6)])
    return fleet, Bindings(fleet, [Binding(f"web{at}", replicas=at, placement=DYNAMIC, requests={"cpu": "1"})
                                   for at in range(count)])


class Numbers(unittest.TestCase):
    def setUp(self):
        self.fleet, self.bindings = world()
        self.decisions = schedule(self.fleet, self.bindings)

    def test_integers_are_the_memory_of_the_result(self):
        n = ffi.new("size_t *")
        pointer = lib.rebal_result_i64(self.decisions.result.pointer, lib.REBAL_PLACED_REPLICAS, n)
        replicas = table(self.decisions, "PLACED")["replicas"]
        self.assertEqual(replicas.__array_interface__["data"], (int(ffi.cast("uintptr_t", pointer)), True))
        self.assertEqual((replicas.dtype, replicas.shape), (np.int64, (n[0],)))
        self.assertGreater(n[0], 50)
        self.assertEqual(replicas.tolist(), self.decisions.result.integers(lib.REBAL_PLACED_REPLICAS))

    def test_they_cannot_be_written_to(self):
        replicas = table(self.decisions, "PLACED")["replicas"]
        with self.assertRaises(ValueError):
            replicas[0] = 1
        with self.assertRaises(ValueError):
            replicas.flags.writeable = True

    def test_a_view_keeps_its_result_whatever_is_called_then(self):
        replicas, message = (table(self.decisions, name)[column] for name, column in (("PLACED", "replicas"),
                                                                                     ("DECISION", "message")))
        part, wanted, words = replicas[5:50], replicas[5:50].tolist(), list(message)
        del self.decisions, replicas
        gc.collect()
        for _ in range(20):  # would reuse the memory that was freed
            schedule(self.fleet, self.bindings)
        self.assertEqual((part.tolist(), list(message)), (wanted, words))

    def test_a_result_is_filled_again_only_without_views(self):
        def address(decisions):
            return int(ffi.cast("uintptr_t", decisions.result.pointer))

        first, view = address(self.decisions), table(self.decisions, "PLACED")["cluster"][:1]
        clear_cache()
        del self.decisions
        self.assertNotEqual(address(schedule(self.fleet, self.bindings)), first)
        del view
        self.assertEqual(address(schedule(self.fleet, self.bindings)), first)
        clear_cache()

    def test_the_last_view_frees_the_result(self):
        freed, result = [], self.decisions.result
        memory = result.pointer
        result.pointer = ffi.gc(ffi.cast("rebal_result *", memory), freed.append)
        part = table(self.decisions, "PLACED")["replicas"][3:7]
        del self.decisions, result
        gc.collect()
        self.assertEqual(freed, [])
        del part
        gc.collect()
        self.assertEqual(freed, [memory])

    def test_missing_columns_and_tables(self):
        placed = table(self.decisions, "PLACED")
        for call in (lambda: table(self.decisions, "NOTHING"), lambda: placed["nothing"],
                     lambda: placed.select("nothing"), lambda: table(self.fleet, "TARGET")):
            with self.assertRaises(NotFoundError):
                call()
        for call in (lambda: table(3, "PLACED"), lambda: placed.texts("replicas"),
                     lambda: table(self.decisions, "DECISION").integers("message")):
            with self.assertRaises(TypeError):
                call()

    def test_empty_tables(self):
        steps = table(self.decisions, "STEP")
        self.assertEqual((steps.rows, steps["state"].shape, list(steps["message"])), (0, (0,), []))
        self.assertEqual(pa.table(steps).num_rows, 0)
        self.assertEqual(len(steps.to_pandas()) + len(steps.to_polars()), 0)


class Words(unittest.TestCase):
    def test_texts(self):
        fleet, bindings = world(30)
        decisions = schedule(fleet, bindings)
        texts = table(decisions, "DECISION")["message"]
        self.assertEqual(list(texts), [one.message for one in decisions])
        self.assertIn("not enough", texts[-1])
        self.assertEqual((texts[1:3], texts == list(texts), len(texts)), (list(texts)[1:3], True, 30))
        self.assertFalse(texts.data.flags.writeable or texts.offsets.flags.writeable)
        with self.assertRaises(IndexError):
            texts[30]

    def test_arrow_takes_them_without_a_copy(self):
        texts = Texts.of(["ä".encode(), b"", b"abc"])
        array = pa.array(texts)
        self.assertEqual((array.type, array.to_pylist()), (pa.string(), ["ä", "", "abc"]))
        self.assertEqual(array.buffers()[2].address, texts.data.ctypes.data)

    def test_times(self):
        fleet = Fleet([cluster("member1")])
        stamp = "2026-03-01T10:20:30Z"
        bindings = Bindings(fleet, [Binding("a"), {**Binding("b").to_dict(), "status": {"lastScheduledTime": stamp}}])
        times = table(bindings, "BINDING").select("last_scheduled_time")
        self.assertEqual(times["last_scheduled_time"].tolist(), [None, pd.Timestamp(stamp).to_pydatetime().replace(
            tzinfo=None)])
        self.assertEqual(str(times.to_pandas()["last_scheduled_time"][1]), "2026-03-01 10:20:30+00:00")
        self.assertEqual(pa.table(times).schema.field(0).type, pa.timestamp("us", "UTC"))
        self.assertEqual(pa.table(times)[0].null_count, 1)


class Held(Source):
    """One column of integers."""

    def __init__(self, values):
        self.values = values

    def count(self, table_name):
        return len(self.values)

    def read(self, table_name, column):
        return self.values


class Arrow(unittest.TestCase):
    def setUp(self):
        self.fleet, self.bindings = world()
        self.decisions = schedule(self.fleet, self.bindings)
        self.placed = table(self.decisions, "PLACED")

    def test_a_table_without_a_copy(self):
        made = pa.table(self.placed)
        made.validate(full=True)
        self.assertEqual(made.column_names, ["cluster", "replicas", "with_components"])
        self.assertEqual(made["replicas"].chunk(0).buffers()[1].address,
                         self.placed["replicas"].__array_interface__["data"][0])
        self.assertEqual(made["replicas"].to_pylist(), self.placed["replicas"].tolist())
        self.assertEqual(pa.record_batch(self.placed), made.to_batches()[0])
        self.assertEqual(pa.schema(self.placed), made.schema)

    def test_absent_cells_are_null(self):
        source = Held(np.array([1, ABSENT, 3, ABSENT], np.int64))
        made = pa.table(Table(source, "SHARE"))["party"]
        made.validate(full=True)
        self.assertEqual((made.to_pylist(), made.null_count), ([1, None, 3, None], 2))

    def test_what_arrow_holds_outlives_everything(self):
        made = pa.table(table(self.decisions, "DECISION"))
        wanted = [one.message for one in self.decisions]
        del self.decisions, self.placed
        gc.collect()
        schedule(self.fleet, self.bindings)
        self.assertEqual(made["message"].to_pylist(), wanted)

    def test_owners_are_let_go(self):
        values = np.arange(1000)
        before = sys.getrefcount(values)
        tables = [pa.table(Table(Held(values), "SHARE")) for _ in range(10)]
        column = tables[0]["party"]
        self.assertGreaterEqual(sys.getrefcount(values), before + 10)
        del tables
        gc.collect()
        self.assertGreater(sys.getrefcount(values), before)
        self.assertEqual(column[999].as_py(), 999)
        del column
        unused = [Table(Held(values), "SHARE").__arrow_c_stream__(), Table(Held(values), "SHARE").__arrow_c_array__()]
        self.assertGreater(sys.getrefcount(values), before)
        del unused
        gc.collect()
        self.assertEqual(sys.getrefcount(values), before)

    def test_released_by_another_thread(self):
        values = np.arange(1000)
        before = sys.getrefcount(values)
        held = [pl.DataFrame(Table(Held(values), "SHARE")) for _ in range(20)]
        threads = [threading.Thread(target=held.clear) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gc.collect()
        self.assertEqual(sys.getrefcount(values), before)

    def test_pandas(self):
        frame = table(self.decisions, "DECISION").to_pandas()
        self.assertEqual(frame["outcome"].tolist()[0], self.decisions[0].outcome.name)
        self.assertEqual(frame["placed"].sum(), self.placed.rows)
        frame = self.placed.to_pandas()
        self.assertEqual(frame["cluster"].tolist()[:2], list(self.decisions[1].clusters) + list(
            self.decisions[2].clusters)[:1])
        self.assertEqual(self.placed.to_pandas(names=False)["cluster"].dtype, np.int64)
        absent = Table(Held(np.array([7, ABSENT], np.int64)), "SHARE").to_pandas()
        self.assertEqual((str(absent["party"].dtype), absent["party"].isna().tolist()), ("Int64", [False, True]))

    def test_polars(self):
        frame = table(self.decisions, "DECISION").to_polars()
        self.assertEqual(frame["outcome"].to_list(), [one.outcome.name for one in self.decisions])
        self.assertEqual(self.placed.to_polars()["cluster"].to_list(), self.placed.to_pandas()["cluster"].tolist())
        self.assertEqual(self.placed.to_polars(names=False)["cluster"].dtype, pl.Int64)

    def test_missing_packages_are_named(self):
        for module, call in (("pandas", self.placed.to_pandas), ("polars", self.placed.to_polars)):
            with mock.patch.dict(sys.modules, {module: None}), self.assertRaisesRegex(ImportError, f"install {module}"):
                call()

    def test_without_numpy_columns_say_so(self):
        program = "import sys; sys.modules['numpy'] = None; import librebalance; import librebalance.columns"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        self.assertIn("ImportError: librebalance.columns needs NumPy: pip install numpy", done.stderr)


class Leaks(unittest.TestCase):
    def turn(self):
        fleet, bindings = world(5)
        decisions = schedule(fleet, bindings)
        placed = table(decisions, "PLACED")
        pa.table(placed).to_pydict()
        pa.array(table(decisions, "DECISION")["message"]).to_pylist()
        placed.__arrow_c_stream__(), placed.__arrow_c_schema__(), placed.__arrow_c_array__()
        read_bindings(fleet, pa.table(table(bindings, "BINDING")), targets={"binding": [1], "cluster": ["member1"]})

    def test_memory_stays(self):
        for _ in range(30):
            self.turn()
        before = allocated()
        for _ in range(300):
            self.turn()
        self.assertLess(allocated() - before, 300 * 100)


class Documented(unittest.TestCase):
    def test_everything_public_has_a_docstring(self):
        for module in (columns, shards, plot):
            public = {name: getattr(module, name) for name in module.__all__}
            self.assertTrue(public)
            self.assertEqual([], [one for name, thing in public.items() for one in undocumented(name, thing)])


class Inputs(unittest.TestCase):
    def test_fleets_and_bindings_as_tables(self):
        fleet, bindings = world(3)
        clusters = table(fleet, "CLUSTER")
        self.assertEqual(clusters["name"], [f"member{number}" for number in range(1, 6)])
        self.assertEqual(table(bindings, "BINDING")["replicas"].tolist(), [0, 1, 2])
        placed = Bindings(fleet, [Binding("a", clusters={"member2": 1}), Binding("b", clusters={"member1": 3,
                                                                                                "member2": 4})])
        targets = table(placed, "TARGET")
        self.assertEqual((targets["binding"].tolist(), targets["replicas"].tolist()), ([0, 1, 1], [1, 3, 4]))
        self.assertEqual(targets.to_pandas()["cluster"].tolist(), ["member2", "member1", "member2"])
        fleet.put_member("member2", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
        nodes = table(fleet, "NODE")
        self.assertEqual((nodes["name"], nodes.to_pandas()["of_cluster"].tolist()), (["n1"], ["member2"]))


if __name__ == "__main__":
    unittest.main()
