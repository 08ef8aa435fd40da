# SPDX-License-Identifier: MIT
"""Objects are freed: after thousands of turns as much memory is in use as before."""
import ctypes
import gc
import json
import sys
import unittest

from librebalance import (Binding, Bindings, Fleet, Ledger, Limit, LimitScope, ParseError, Placement, Plan, PlanMode,
                          Spreads, Store, clear_cache, deschedule, explain, plan, plan_step, rebalance, reconsider,
                          schedule, simulate)
from objects import cluster, clusters
from test_store import NOW, SCENARIO, SPREAD, owned


class Allocated(ctypes.Structure):
    """struct mallinfo2 of glibc."""
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks",
                                                     "fsmblks", "uordblks", "fordblks", "keepcost")]


def allocated():
    """Bytes of malloc that are in use, without free memory that malloc keeps from the system."""
    gc.collect()
    clear_cache()
    count = ctypes.CDLL(None).mallinfo2
    count.restype = Allocated
    found = count()
    return found.uordblks + found.hblkhd


def turn():
    """Creates each kind of object that owns memory once."""
    fleet = Fleet(clusters(4))
    many = [Binding(f"w{number}", replicas=5, placement=Placement(division="AvailableReplicas"),
                    clusters={"member1": 5}, requests={"cpu": "100m"}) for number in range(4)]
    bindings, ledger = Bindings(fleet, many), Ledger(fleet)
    list(schedule(fleet, bindings, ledger=ledger, estimators=[{"member1": 3}]))
    explain(fleet, many[0])
    rebalance(fleet, many, now=NOW)
    deschedule(fleet, bindings, now=NOW, estimators=[{"member1": 2}]).actions
    made = plan(fleet, bindings, now=NOW, mode=PlanMode.LEAST, ledger=ledger, drain=["member4"],
                limits=[Limit(LimitScope.SOURCE, 2, subject="member1")], weights={"default/w1-deployment": 3})
    Plan.load(made.save(), fleet).verify()
    plan_step(fleet, bindings, made, now=NOW, ledger=ledger).actions
    reconsider(made, bindings, now=NOW, history=reconsider(made, bindings, now=NOW))
    Fleet.load(fleet.save())
    Bindings.load(bindings.save()).without("member1")
    ledger.fork().read()
    store = Store([SPREAD])
    spreads = Spreads(store)
    spreads.update()
    spreads.admit(owned("p"), now=NOW)
    store.fleet().snapshot()
    list(store.objects())
    for wrong in ("kind: [", {"kind": "Cluster", "apiVersion": "cluster.karmada.io/v1alpha1", "metadata": {"name": 1}}):
        try:
            fleet.put(wrong)
        except ParseError:
            pass
    fleet.put(cluster("member9"))
    simulate(SCENARIO).text()
    return json.dumps(many[0].to_dict())


class Leaks(unittest.TestCase):
    def test_memory_stays(self):
        for _ in range(100):
            turn()
        before, blocks = allocated(), sys.getallocatedblocks()
        for _ in range(300):
            turn()
        self.assertLess(allocated() - before, 100_000)
        self.assertLess(sys.getallocatedblocks() - blocks, 300)

    def test_what_leaks_is_seen(self):
        before, kept = allocated(), []
        for _ in range(300):
            fleet = Fleet(clusters(4))
            kept.append((fleet, fleet.snapshot(), Bindings(fleet, [Binding("web")])))
        self.assertGreater(allocated() - before, 100_000)


if __name__ == "__main__":
    unittest.main()
