# SPDX-License-Identifier: MIT
import datetime
import pathlib
import pickle
import unittest
import weakref

from librebalance import (Binding, Bindings, Fleet, Ledger, NotFoundError, ParseError, Placement, StateError, schedule)
from objects import cluster, clusters

WEB = Binding("web", replicas=6, placement=Placement(division="Weighted"))


class Objects(unittest.TestCase):
    def test_text_mappings_and_objects_are_the_same(self):
        class Model:
            def to_dict(self):
                return cluster("member1")

        text = "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: member1}\n"
        for given in (text, text.encode(), cluster("member1"), [cluster("member1")], Model(), iter([Model()])):
            self.assertEqual(Fleet(given).clusters, ("member1",))

    def test_models_of_the_kubernetes_client(self):
        class Meta:
            attribute_map = {"creation_timestamp": "creationTimestamp", "name": "name", "labels": "labels"}
            creation_timestamp = datetime.datetime(2026, 3, 1, tzinfo=datetime.timezone.utc)
            name, labels = "member1", None

        class Model:
            attribute_map = {"api_version": "apiVersion", "kind": "kind", "metadata": "metadata"}
            api_version, kind, metadata = "cluster.karmada.io/v1alpha1", "Cluster", Meta()

        self.assertEqual(Fleet(Model()).clusters, ("member1",))
        with self.assertRaisesRegex(TypeError, "sanitize_for_serialization"):
            Fleet({"api_version": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": {"name": "member1"}})

    def test_times_of_yaml(self):
        taint = {"key": "k", "effect": "NoExecute", "timeAdded": datetime.datetime(2026, 3, 1, 9)}
        self.assertEqual(len(Fleet(cluster("member1", taints=[taint]))), 1)

    def test_invalid_objects(self):
        for wrong in (3, [3], [None], object()):
            with self.assertRaises(TypeError):
                Fleet(wrong)
        with self.assertRaises(ValueError):
            Fleet(cluster("member1", x=float("nan")))
        for wrong in ("clusters.yaml", "/tmp/fleet/a b.yml", "fleet.json", pathlib.Path("clusters.yaml")):
            with self.assertRaisesRegex(TypeError, f"the name of a file: give its contents, not '{wrong}'"):
                Fleet(wrong)

    def test_errors_have_the_place(self):
        with self.assertRaises(ParseError) as caught:
            Fleet("kind: Cluster\napiVersion: cluster.karmada.io/v1alpha1\nmetadata:\n  name: [1]\n")
        self.assertEqual((caught.exception.field, caught.exception.document, caught.exception.line),
                         ("metadata.name", 1, 4))


class Changes(unittest.TestCase):
    def test_put_replaces_and_remove_removes(self):
        fleet = Fleet(clusters(2))
        before = fleet.snapshot()
        fleet.put(cluster("member3"))
        self.assertEqual((fleet.clusters, before.clusters), (("member1", "member2", "member3"), ("member1", "member2")))
        fleet.remove("member1")
        self.assertEqual(schedule(fleet, WEB).clusters, {"member2": 3, "member3": 3})
        with self.assertRaisesRegex(NotFoundError, "no cluster 'member1' in the fleet"):
            fleet.remove("member1")
        with self.assertRaisesRegex(NotFoundError, "no cluster 'member1' in the fleet"):
            fleet.without("member1")
        loaded = Fleet.load(fleet.save())
        loaded.remove("member2")
        with self.assertRaisesRegex(NotFoundError, "no cluster 'member2' in the fleet"):
            loaded.remove("member2")

    def test_a_name_in_a_binding_does_not_make_a_cluster(self):
        fleet = Fleet(clusters(2))
        bindings = Bindings(fleet, [Binding("web", clusters={"ghost": 1})])
        for call in (fleet.remove, fleet.without, bindings.without, fleet.snapshot().cluster_id):
            with self.assertRaisesRegex(NotFoundError, "no cluster 'ghost' in the fleet"):
                call("ghost")

    def test_a_text_that_is_refused_changes_nothing(self):
        fleet = Fleet(clusters(2))
        with self.assertRaises(ParseError):
            fleet.put([cluster("member3"), {"kind": "Cluster"}])
        self.assertEqual(fleet.clusters, ("member1", "member2"))

    def test_a_snapshot_stays_the_same_while_nothing_changes(self):
        fleet = Fleet(clusters(1))
        self.assertEqual(fleet.snapshot().version, fleet.snapshot().version)
        before = fleet.snapshot()
        fleet.put(cluster("member1", cpu="3"))
        self.assertGreater(fleet.snapshot().version, before.version)

    def test_unreferenced_objects_are_freed_at_once(self):
        fleet = Fleet(clusters(2))
        decisions = schedule(fleet, [WEB])
        watched = [weakref.ref(one) for one in (fleet, decisions)]
        del fleet, decisions
        self.assertEqual([one() for one in watched], [None, None])

    def test_members(self):
        fleet = Fleet(clusters(2))
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
                "status": {"allocatable": {"cpu": "1", "pods": "3"}}}
        fleet.put_member("member1", node)
        binding = Binding("web", replicas=8, placement=Placement(division="AvailableReplicas"), requests={"cpu": "1"})
        self.assertEqual(schedule(fleet, binding, nodes=True).clusters, {"member1": 1, "member2": 7})
        with self.assertRaises(NotFoundError):
            fleet.put_member("nowhere", node)


class Bytes(unittest.TestCase):
    def test_a_fleet_is_the_same_after_loading(self):
        fleet = Fleet(clusters(3))
        for again in (Fleet.load(fleet.save()), pickle.loads(pickle.dumps(fleet))):
            self.assertEqual(schedule(again, WEB), schedule(fleet, WEB))
            self.assertEqual(again.save(), fleet.save())
            with self.assertRaises(StateError):
                again.put(cluster("member9"))

    def test_bindings_and_ledgers_too(self):
        fleet = Fleet(clusters(3))
        bindings = Bindings(fleet, [WEB, Binding("db", replicas=2)])
        again = pickle.loads(pickle.dumps(bindings))
        self.assertEqual(list(again), ["default/web-deployment", "default/db-deployment"])
        self.assertEqual(schedule(again.fleet, again), schedule(fleet, bindings))
        ledger = Ledger(fleet)
        schedule(fleet, bindings, ledger=ledger)
        self.assertTrue(ledger.read())
        self.assertEqual(Ledger.load(ledger.save()).read(), ledger.read())

    def test_hostile_bytes(self):
        saved = Fleet(clusters(1)).save()
        for wrong in (b"", b"x" * 100, saved[:-1], saved[:40]):
            with self.assertRaises(ParseError):
                Fleet.load(wrong)
        with self.assertRaises(TypeError):
            Fleet.load("text")


class Closed(unittest.TestCase):
    def test_closed_objects_are_refused(self):
        fleet = Fleet(clusters(2))
        bindings, snapshot = Bindings(fleet, [WEB]), fleet.snapshot()
        ledger = Ledger(fleet)
        with fleet, ledger:
            pass
        for call in (fleet.snapshot, fleet.save, lambda: fleet.put(cluster("x")), lambda: schedule(fleet, WEB),
                     lambda: Bindings(fleet, [WEB]), ledger.read, lambda: ledger.release("a"), fleet.__enter__):
            with self.assertRaisesRegex(StateError, "closed"):
                call()
        self.assertEqual(schedule(snapshot, bindings)[0].clusters, {"member1": 3, "member2": 3})
        self.assertIn("closed", repr(fleet))


if __name__ == "__main__":
    unittest.main()
