# SPDX-License-Identifier: MIT
"""bench.py [PATTERN...]: what the package costs beside the C calls that it makes, as part of make bench. Without cffi,
NumPy or Python.h it prints that and measures nothing.

Each row is the median of 15 pairs, Python and C in turn: nanoseconds of one call, the median of the pairs' ratios, and
of their differences. The C half is timed by C and has a used result; it does what the row's name describes and no more.
  schedule/1           schedule() of one binding with objects made before; the limit is 5,000 ns more than C
  schedule/100000      schedule() of 100,000 bindings, and six columns of the answer as arrays; the limit is 1.10
  threads/8            eight threads that schedule from one snapshot; beside it one that does the same
  read/100000          read_bindings() of nine columns and three of targets; beside it the C calls on the same arrays
"""
import ctypes
import fnmatch
import importlib.util
import pathlib
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent / "tests"), str(HERE), str(HERE / "tests")]
import check
import common

PAIRS = 15
BINDINGS = 100_000
CLUSTERS = 100
TIMER = """
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <time.h>
typedef int32_t call(void *, void *, void *, void *, void *, void *);
static int64_t now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}
int64_t timed(call *schedule, void *ctx, void *snapshot, void *bindings, void *result, int64_t n) {
  const int64_t start = now();
  for (int64_t i = 0; i < n; i++) {
    if (schedule(ctx, snapshot, bindings, 0, result, 0) != 0) {
      return -1;
    }
  }
  return now() - start;
}
"""


def timer(folder):
    """rebal_schedule() n times, timed by C."""
    (folder / "timer.c").write_text(TIMER)
    common.output([*common.CC, "-O2", "-shared", "-fPIC", folder / "timer.c", "-o", folder / "timer.so"])
    timed = ctypes.CDLL(folder / "timer.so").timed
    timed.argtypes, timed.restype = [ctypes.c_void_p] * 5 + [ctypes.c_int64], ctypes.c_int64
    return timed


def of_one(run, n):
    """Nanoseconds of one of n calls."""
    start = time.perf_counter_ns()
    for _ in range(n):
        run()
    return (time.perf_counter_ns() - start) / n


def measure(name, python, c, other="C"):
    """Prints a row. Both are called with nothing and return nanoseconds; other names the second."""
    python(), c()
    pairs = [(python(), c()) for _ in range(PAIRS)]
    ours, theirs = (statistics.median(part) for part in zip(*pairs))
    ratio = statistics.median(one / other for one, other in pairs)
    more = statistics.median(one - other for one, other in pairs)
    print(f"python/{name:16} {ours:12.0f} ns   {other:3} {theirs:12.0f} ns   ratio {ratio:5.2f}   more {more:10.0f} ns",
          flush=True)


class World:
    """A fleet, columns of bindings, and the calls by which C does what a row does."""

    def __init__(self, folder):
        import numpy
        from librebalance import Fleet, _call
        from objects import cluster
        self.numpy, self.lib, self.ffi, self.call = numpy, _call.lib, _call.ffi, _call
        self.fleet = Fleet([cluster(f"member{at}", cpu=str(4 + at)) for at in range(CLUSTERS)])
        self.timed = timer(folder)

    def columns(self, n):
        """Bindings by column: twenty sizes, four placements, three targets each."""
        rows, numpy = self.numpy.arange(n), self.numpy
        names = [f"workload-{at}".encode() for at in range(n)]
        from librebalance.columns import Texts
        return ({"namespace": Texts.of([b"default"] * n), "name": Texts.of(names), "replicas": rows % 17 + 1,
                 "placement": rows % 4, "requirements": rows % 20, "priority": rows % 3, "generation": rows,
                 "resource_api_version": Texts.of([b"apps/v1"] * n), "resource_kind": Texts.of([b"Deployment"] * n)},
                {"binding": numpy.repeat(rows, 3), "cluster": numpy.arange(3 * n) % CLUSTERS,
                 "replicas": numpy.ones(3 * n, numpy.int64)})

    def records(self):
        from librebalance import Placement
        ways = ("AvailableReplicas", "Aggregated", "Duplicated", "Weighted")
        return {"PLACEMENT": [Placement(division=way) for way in ways],
                "REQUIREMENTS": [{"resourceRequest": {"cpu": f"{at + 1}00m"}} for at in range(20)]}

    def bindings(self, n, with_targets=True):
        from librebalance.columns import read_bindings
        rows, targets = self.columns(n)
        return read_bindings(self.fleet, rows, records=self.records(), **({"targets": targets} if with_targets else {}))

    def c_schedule(self, snapshot, bindings, calls):
        """Nanoseconds of one call, with a result that is used again."""
        out = self.ffi.new("rebal_result **")
        self.call.call(self.lib.rebal_result_new, self.ffi.NULL, out)
        result = self.ffi.gc(out[0], self.lib.rebal_result_free)
        pointers = [self.ffi.addressof(self.lib, "rebal_schedule"), self.call.context(), snapshot._pointer,
                    bindings._pointer, result]

        def run():
            taken = self.timed(*(int(self.ffi.cast("uintptr_t", one)) for one in pointers), calls)
            if taken < 0:
                sys.exit("rebal_schedule() failed")
            return taken / calls
        return run


def one(world):
    from librebalance import schedule
    bindings = world.bindings(1)
    snapshot = world.fleet.snapshot()
    measure("schedule/1", lambda: of_one(lambda: schedule(snapshot, bindings), 2000),
            world.c_schedule(snapshot, bindings, 2000))


def many(world):
    from librebalance import schedule
    from librebalance.columns import table
    bindings = world.bindings(BINDINGS)
    snapshot = world.fleet.snapshot()

    def python():
        decisions = schedule(snapshot, bindings)
        decided, placed = table(decisions, "DECISION"), table(decisions, "PLACED")
        return [decided[name] for name in ("outcome", "reason", "first_placed", "placed")] + [
            placed[name] for name in ("cluster", "replicas")]

    measure(f"schedule/{BINDINGS}", lambda: of_one(python, 1), world.c_schedule(snapshot, bindings, 1))


def read(world):
    """The C half makes the same calls with existing pointers."""
    from librebalance.columns import Texts, read_bindings
    from librebalance.lists.tables import COLUMNS, TABLES
    numpy, lib, ffi, call = world.numpy, world.lib, world.ffi, world.call.call
    rows, targets = world.columns(BINDINGS)
    world.bindings(1)  # both use what is interned
    ids = {(name, one.name.lower()): one.id for name in ("BINDING", "TARGET") for one in COLUMNS[name]}

    def pointer(kind, array):
        return ffi.cast(kind, array.ctypes.data)

    sets = [(name, column, values, pointer("char *", values.data) if isinstance(values, Texts) else None,
             pointer("uint32_t *" if isinstance(values, Texts) else "int64_t *",
                     values.offsets if isinstance(values, Texts) else values))
            for name, frame in (("BINDING", rows), ("TARGET", targets)) for column, values in frame.items()
            if column != "binding"]
    parents, found = targets["binding"].astype(numpy.uint32), numpy.zeros(3 * BINDINGS, numpy.uint32)
    added = ffi.new("uint32_t[]", BINDINGS)

    def c():
        made = world.call.make("bindings", lib.rebal_bindings_new, world.fleet._pointer, ffi.NULL)
        cells = lib.rebal_bindings_cells(made)
        call(lib.rebal_cells_add, cells, TABLES["BINDING"], world.call.NONE, added, BINDINGS)
        call(lib.rebal_cells_add_children, cells, TABLES["TARGET"], pointer("uint32_t *", parents),
             pointer("uint32_t *", found), 3 * BINDINGS)
        for name, column, values, data, numbers in sets:
            where = ffi.NULL if name == "BINDING" else pointer("uint32_t *", found)
            n = BINDINGS if name == "BINDING" else 3 * BINDINGS
            if data is None:
                call(lib.rebal_cells_put_i64, cells, ids[name, column], world.call.NONE, where, numbers, n)
            else:
                call(lib.rebal_cells_put_text, cells, ids[name, column], world.call.NONE, where, data, numbers, n)
        call(lib.rebal_bindings_freeze, made)

    records = world.records()
    measure(f"read/{BINDINGS}", lambda: of_one(lambda: read_bindings(world.fleet, rows, records=records,
                                                                     targets=targets), 1), lambda: of_one(c, 1))


def threads(world):
    """The same calls in eight threads and in one, each with an empty cache."""
    from concurrent.futures import ThreadPoolExecutor
    from librebalance import clear_cache, schedule
    sets = [world.bindings(20_000) for _ in range(8)]
    snapshot = world.fleet.snapshot()

    def call(bindings):
        clear_cache()
        schedule(snapshot, bindings)

    with ThreadPoolExecutor(8) as eight, ThreadPoolExecutor(1) as alone:
        measure("threads/8", *(lambda pool=pool: of_one(lambda: list(pool.map(call, sets)), 1)
                               for pool in (eight, alone)), other="one")


ROWS = {"schedule/1": one, f"schedule/{BINDINGS}": many, f"read/{BINDINGS}": read, "threads/8": threads}


def main():
    if importlib.util.find_spec("numpy") is None:
        common.skip("bench.py needs NumPy")
    with tempfile.TemporaryDirectory() as name:
        check.build(pathlib.Path(name, "librebalance"))
        sys.path.insert(0, name)
        world = World(pathlib.Path(name))
        for row, function in ROWS.items():
            if not sys.argv[1:] or any(fnmatch.fnmatch(row, pattern) for pattern in sys.argv[1:]):
                function(world)


if __name__ == "__main__":
    main()
