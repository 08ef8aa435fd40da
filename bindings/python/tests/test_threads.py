# SPDX-License-Identifier: MIT
"""Threads schedule from one snapshot at the same time: the GIL is released within a call."""
import statistics
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from librebalance import Binding, Bindings, Fleet, Placement, schedule
from librebalance._call import context, lib
from objects import cluster

THREADS = 8


def world():
    """A snapshot, and eight sets of bindings with different requests, so that no call profits from another's cache."""
    fleet = Fleet([cluster(f"member{at}", cpu=str(at)) for at in range(1, 2001)])
    sets = [Bindings(fleet, [Binding(f"web{number}-{at}", 100 + at, Placement(division="AvailableReplicas"),
                                     requests={"cpu": f"{number * 1000 + at + 1}m"}) for at in range(250)])
            for number in range(THREADS)]
    return fleet.snapshot(), sets


def cold(snapshot, bindings):
    """schedule() without anything cached, as in the first call of a thread."""
    lib.rebal_ctx_clear(context())
    return schedule(snapshot, bindings)


class Threads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.snapshot, cls.sets = world()

    def test_others_run_during_a_call(self):
        """A thread that wakes every half a millisecond counts how often it runs within one call. The switch interval is
        too long to take the GIL from the caller, so it runs only where the caller releases the GIL.
        """
        bindings = Bindings(self.snapshot._fleet, [Binding(f"long{at}", 100, Placement(division="AvailableReplicas"),
                                                           requests={"cpu": f"{at + 1}m"}) for at in range(6000)])
        snapshot, running, turns, within = self.snapshot._fleet.snapshot(), True, 0, []

        def count():
            nonlocal turns
            while running:
                turns += 1
                time.sleep(0.0005)

        counter, interval = threading.Thread(target=count), sys.getswitchinterval()
        sys.setswitchinterval(1000)
        counter.start()
        try:
            for _ in range(9):
                lib.rebal_ctx_clear(context())
                before = turns
                schedule(snapshot, bindings)
                within.append(turns - before)
        finally:
            running = False
            sys.setswitchinterval(interval)
            counter.join()
        self.assertGreaterEqual(statistics.median(within), 40, within)

    def test_each_thread_has_a_context(self):
        start = threading.Barrier(THREADS)

        def own(_):
            start.wait()
            return context()

        with ThreadPoolExecutor(THREADS) as pool:
            self.assertEqual(len(set(pool.map(own, range(THREADS)))), THREADS)

    def decide(self, bindings):
        return cold(self.snapshot, bindings)

    def test_eight_answer_as_one_does(self):
        """Rounds of eight concurrent calls from one snapshot, each without a cache, so that they take long enough."""
        wanted = [list(schedule(self.snapshot, one)) for one in self.sets]
        with ThreadPoolExecutor(THREADS) as pool:
            for _ in range(5):
                for found, expected in zip(pool.map(self.decide, self.sets), wanted):
                    self.assertEqual(list(found), expected)


if __name__ == "__main__":
    unittest.main()
