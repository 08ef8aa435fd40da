# SPDX-License-Identifier: MIT
"""Laws between answers on random inputs, by Hypothesis."""
import json
import pickle
import unittest

from hypothesis import given, settings
from hypothesis import strategies as st

from librebalance import Binding, Bindings, Fleet, Ledger, Outcome, Placement, Store, explain, rebalance, schedule
from librebalance import records
from librebalance.lists.fields import FIELDS
from objects import cluster
from test_store import NOW

settings.register_profile("laws", max_examples=150, deadline=None, derandomize=True)
settings.load_profile("laws")

NAMES = [f"member{number}" for number in range(1, 8)]
fleets = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 30), st.sampled_from(["", "r1", "r2"])),
                  min_size=1, max_size=7, unique_by=lambda one: one[0])
divisions = st.one_of(st.none(), st.sampled_from(["Duplicated", "Aggregated", "Weighted", "AvailableReplicas"]),
                      st.dictionaries(st.sampled_from(NAMES), st.integers(1, 9), min_size=1))
placements = st.builds(Placement, division=divisions, exclude=st.lists(st.sampled_from(NAMES), max_size=2),
                       spread_constraints=st.sampled_from([[], [{"spreadByField": "cluster", "minGroups": 1,
                                                                 "maxGroups": 2}]]))
bindings_of = st.lists(
    st.builds(Binding, name=st.from_regex(r"[a-z]{1,8}", fullmatch=True), replicas=st.integers(0, 60),
              placement=placements, requests=st.sampled_from([{}, {"cpu": "1"}, {"cpu": "250m"}]),
              clusters=st.dictionaries(st.sampled_from(NAMES), st.integers(1, 20), max_size=3),
              uid=st.text("0123456789abcdef", max_size=8)),
    min_size=1, max_size=6, unique_by=lambda one: one.name)


def fleet_of(rows):
    return Fleet([cluster(name, cpu=str(cpu), **({"region": region} if region else {})) for name, cpu, region in rows])


class Laws(unittest.TestCase):
    @given(fleets, bindings_of)
    def test_replicas_are_conserved(self, rows, many):
        for binding, decision in zip(many, schedule(fleet_of(rows), many)):
            if decision.outcome == Outcome.SCHEDULED:
                division = binding.placement.division
                whole = division is None or division == "Duplicated"
                wanted = binding.replicas * len(decision.clusters) if whole else binding.replicas
                self.assertEqual(decision.replicas, wanted)
            self.assertTrue(set(decision.clusters).isdisjoint(binding.placement.exclude))

    @given(fleets, bindings_of, st.randoms(use_true_random=False))
    def test_the_order_of_clusters_does_not_matter(self, rows, many, dice):
        shuffled = list(rows)
        dice.shuffle(shuffled)
        left = schedule(fleet_of(rows), many, fingerprint=True)
        right = schedule(fleet_of(shuffled), many, fingerprint=True)
        self.assertEqual([vars(one) | {"clusters": dict(one.clusters)} for one in left],
                         [vars(one) | {"clusters": dict(one.clusters)} for one in right])
        self.assertEqual(left.result.fingerprint(), right.result.fingerprint())

    @given(fleets, bindings_of)
    def test_a_batch_is_its_singles(self, rows, many):
        fleet = fleet_of(rows)
        self.assertEqual(list(schedule(fleet, many)), [schedule(fleet, one) for one in many])
        ledger, other = Ledger(fleet), Ledger(fleet)
        whole = list(schedule(fleet, many, ledger=ledger))
        self.assertEqual(whole, [schedule(fleet, one, ledger=other) for one in many])
        self.assertEqual(ledger.read(), other.read())

    @given(fleets, bindings_of)
    def test_what_explains_decides(self, rows, many):
        fleet = fleet_of(rows)
        self.assertEqual([one.decision for one in explain(fleet, many)], list(schedule(fleet, many)))

    @given(fleets, bindings_of)
    def test_bytes_are_the_same_after_loading(self, rows, many):
        fleet = fleet_of(rows)
        bindings = Bindings(fleet, many)
        again = pickle.loads(pickle.dumps(bindings))
        self.assertEqual(again.save(), bindings.save())
        self.assertEqual(list(schedule(again.fleet, again)), list(schedule(fleet, bindings)))
        self.assertEqual([again.targets(row) for row in range(len(again))], [dict(one.clusters) for one in many])

    @given(fleets, bindings_of)
    def test_what_was_moved_stays(self, rows, many):
        fleet = fleet_of(rows)
        for move in rebalance(fleet, many, now=NOW):
            self.assertGreaterEqual(move.moved, 0)
            self.assertIsNotNone(move.decision)

    @given(st.dictionaries(st.text(max_size=5), st.recursive(
        st.none() | st.booleans() | st.integers(-2**63, 2**63 - 1) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8)))
    def test_objects_come_back_as_they_were(self, members):
        item = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "x", "namespace": "y"},
                "data": members}
        text = json.dumps(item)
        if "\\u0000" not in text and "\\ud" not in text.lower():
            self.assertEqual(Store(item).get("Thing", "x", "y")["data"], members)

    @given(st.lists(st.fixed_dictionaries(
        {"key": st.sampled_from(["a", "b/c"]), "effect": st.sampled_from(["NoSchedule", "NoExecute"])},
        optional={"value": st.text("xyz", min_size=1, max_size=3), "timeAdded": st.just(NOW)}), max_size=4))
    def test_records_come_back_as_they_were(self, taints):
        kept = records.Kept("TAINTS", taints)
        self.assertEqual(records.read(kept.record).get("taints", []), taints)
        self.assertIn("TAINTS", FIELDS)


if __name__ == "__main__":
    unittest.main()
