# SPDX-License-Identifier: MIT
"""Store, watches, requests of a client, spreads, detector, simulation."""
import json
import unittest

from librebalance import (Binding, Detector, Key, LimitError, MismatchError, NotFoundError, Observations,
                          OutOfRangeError, ParseError, Placement, Simulation, Spreads, StateError, Store,
                          TryAgainError, Watch, evict, schedule,
                          simulate, spread)
from librebalance.lists import AdmitOutcome, DetectorOutcome, LogKind, Operation, Precision, TextFormat
from objects import cluster, clusters

NOW = "2026-03-01T00:00:00Z"


def pod(name, **labels):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "labels": labels}}


class Objects(unittest.TestCase):
    def test_there_and_back(self):
        store = Store([pod("a"), {**pod("b"), "unknown": {"x": [1, 2.5, None, "é"]}}])
        self.assertEqual(store.get("Pod", "b", "default")["unknown"], {"x": [1, 2.5, None, "é"]})
        self.assertEqual(store.keys("Pod"), [Key("Pod", "default", "a"), Key("Pod", "default", "b")])
        self.assertEqual([one["metadata"]["name"] for one in store.objects()], ["a", "b"])
        self.assertIn("name: a", store.write("Pod", "a", "default"))
        self.assertEqual(json.loads(store.write("Pod", "a", "default", TextFormat.JSON)),
                         store.get("Pod", "a", "default"))
        self.assertEqual((len(store), store.has("Pod", "c", "default")), (2, False))
        with self.assertRaisesRegex(NotFoundError, "no Pod default/c"):
            store.get("Pod", "c", "default")

    def test_apply_and_patch(self):
        store = Store()
        store.apply(pod("a"), NOW)
        self.assertEqual(store.get("Pod", "a", "default")["metadata"]["creationTimestamp"], NOW)
        store.patch("Pod", "a", {"metadata": {"labels": {"x": "1"}}}, NOW, "default")
        store.patch("Pod", "a", [{"op": "add", "path": "/metadata/labels/y", "value": "2"}], NOW, "default")
        self.assertEqual(store.get("Pod", "a", "default")["metadata"]["labels"], {"x": "1", "y": "2"})
        with self.assertRaises(MismatchError):
            store.patch("Pod", "a", [{"op": "test", "path": "/metadata/labels/y", "value": "3"}], NOW, "default")
        before = store.change_count
        store.remove("Pod", "a", "default")
        self.assertGreater(store.change_count, before)
        with self.assertRaises(NotFoundError):
            store.remove("Pod", "a", "default")

    def test_events_of_a_watch(self):
        store = Store()
        store.event({"type": "ADDED", "object": pod("a")})
        store.event({"type": "MODIFIED", "object": None, "raw_object": pod("a", x="1")})
        store.event({"type": "BOOKMARK", "object": {"kind": "Pod"}})
        self.assertEqual(store.get("Pod", "a", "default")["metadata"]["labels"], {"x": "1"})
        for _ in range(2):
            store.event({"type": "DELETED", "object": pod("a")})
        self.assertEqual(len(store), 0)
        with self.assertRaisesRegex(TryAgainError, "too old"):
            store.event({"type": "ERROR", "object": {"kind": "Status", "message": "too old resource version"}})
        with self.assertRaises(ValueError):
            store.event({"type": "SENT", "object": pod("a")})
        for wrong, sentence in (("ADDED", "a mapping with type and object, not str"), ({}, "this one has nothing"),
                                ({"object": pod("a")}, "this one has object"), ({"type": "ADDED"}, "has type")):
            with self.assertRaisesRegex(TypeError, sentence):
                store.event(wrong)

    def test_a_fleet_follows_its_store(self):
        store = Store(clusters(2) + [Binding("web", replicas=4, placement=Placement(division="Weighted"))])
        fleet = store.fleet()
        self.assertEqual(schedule(fleet, store.bindings(fleet))[0].clusters, {"member1": 2, "member2": 2})
        store.remove("Cluster", "member2")
        store.put(cluster("member3"))
        self.assertEqual(fleet.clusters, ("member1", "member3"))
        for change in (lambda: fleet.put(cluster("member4")), lambda: fleet.remove("member1")):
            with self.assertRaisesRegex(StateError, "the clusters of this fleet are not its own"):
                change()
        self.assertEqual([one.name for one in store.keys("Cluster")], ["member1", "member3"])
        self.assertEqual(fleet.without("member1").clusters, ("member3",))
        store.close()
        self.assertEqual(len(fleet), 2)
        with self.assertRaisesRegex(StateError, "closed"):
            store.put(pod("a"))


class Client(unittest.TestCase):
    def test_watch(self):
        store = Store()
        watch = Watch(store, "v1", "Pod", namespace="default", label_selector="app=web", timeout_seconds=7)
        request = watch.request()
        self.assertIn("/api/v1/namespaces/default/pods?", request)
        self.assertIn("labelSelector=app%3Dweb", request)
        page = {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "5"}, "items": [pod("a")]}
        text = json.dumps(page).encode()
        for at in range(0, len(text), 7):
            watch.feed(text[at:at + 7])
        watch.end(200)
        self.assertTrue(watch.synced and store.has("Pod", "a", "default"))
        self.assertIn("timeoutSeconds=7", watch.request())
        watch.feed(json.dumps({"type": "DELETED", "object": pod("a")}).encode() + b"\n")
        self.assertEqual(len(store), 0)
        with self.assertRaises(TryAgainError):
            watch.end(500)
        with self.assertRaises(TypeError):
            watch.feed(3)

    def test_requests_and_answers(self):
        fleet = Store([cluster("member1", taints=[{"key": "k", "effect": "NoExecute", "timeAdded": NOW}])]).fleet()
        item = Binding("web", clusters={"member1": 1}).to_dict()
        item["metadata"]["annotations"] = {"policy.karmada.io/applied-placement": "{}"}
        store, observed = Store([item]), Observations()
        turn = evict(fleet, "member1", [item], now=NOW)
        action = turn.actions[0]
        request = turn.request(action, store, "librebalance")
        self.assertEqual((request.method, request.content_type), ("PATCH", "application/merge-patch+json"))
        self.assertEqual(request.path, "/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/"
                         "web-deployment?fieldManager=librebalance")
        self.assertIsNone(json.loads(request.body)["spec"]["clusters"])
        written = store.get("ResourceBinding", "web-deployment", "default")
        written["spec"]["clusters"], written["metadata"]["resourceVersion"] = [], "7"
        turn.answer(action, store, 200, written, observed)
        self.assertEqual(store.get("ResourceBinding", "web-deployment", "default")["spec"]["clusters"], [])
        turn.answer(action, store, 500, None)


SPREAD = {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "WorkloadSpread",
          "metadata": {"name": "s", "namespace": "default"},
          "spec": {"targetRef": {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"},
                   "subsets": [{"name": "a", "maxReplicas": 1, "patch": {"metadata": {"labels": {"in": "a"}}}},
                               {"name": "b"}]}}
OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u1", "controller": True}


def owned(name):
    item = pod(name)
    item["metadata"]["ownerReferences"] = [OWNER]
    return item


class Spreading(unittest.TestCase):
    def setUp(self):
        self.replica_set = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"replicas": 2},
                            "metadata": {"name": "web", "namespace": "default", "uid": "u1"}}

    def test_pods_are_admitted_one_after_another(self):
        store = Store([SPREAD, self.replica_set])
        found = spread(store, now=NOW)["default/s"]
        self.assertEqual([(one.name, one.wanted) for one in found.subsets], [("a", 1), ("b", -1)])
        found.carry_out(store, NOW)
        spreads = Spreads(store)
        spreads.update()
        first = spreads.admit(owned("p1"), now=NOW)
        second = spreads.admit(owned("p2"), now=NOW)
        self.assertEqual((first.subset, second.subset, first.pod["metadata"]["labels"]), ("a", "b", {"in": "a"}))
        self.assertEqual((first.outcome, first.refused), (AdmitOutcome.CHOSEN, False))
        going = spreads.admit(first.pod, now=NOW, operation=Operation.DELETE)
        self.assertEqual((going.outcome, going.pod, going.refused), (AdmitOutcome.GOING, None, False))
        self.assertEqual(spreads.admit(pod("other"), now=NOW).spread, "")
        self.assertIn("<td>a</td>", found._repr_html_())

    def test_reviews(self):
        store = Store([SPREAD, self.replica_set])
        spread(store, now=NOW)["default/s"].carry_out(store, NOW)
        spreads = Spreads(store)
        spreads.update()
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "r1", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "operation": "CREATE",
            "resource": {"group": "", "version": "v1", "resource": "pods"}, "namespace": "default",
            "object": owned("p1")}}
        answer, turn = spreads.review(review, now=NOW)
        self.assertEqual((answer["response"]["uid"], answer["response"]["allowed"]), ("r1", True))
        self.assertEqual(len(turn.actions), 1)
        with self.assertRaises(ParseError):
            spreads.review({"kind": "Pod"}, now=NOW)

    def test_what_is_due(self):
        spreads = Spreads(Store([SPREAD, self.replica_set]))
        spreads.update()
        self.assertEqual(list(spreads.due()), [("default", "s")])
        self.assertEqual(list(spreads.due()), [])
        with self.assertRaises(NotFoundError):
            spreads.step("none", now=NOW)


class Detecting(unittest.TestCase):
    def test_a_template_gets_its_binding(self):
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment",
                      "metadata": {"name": "web", "namespace": "default"},
                      "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "c"}]}}}}
        policy = {"apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagationPolicy",
                  "metadata": {"name": "p", "namespace": "default"},
                  "spec": {"resourceSelectors": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}],
                           "placement": {}}}
        store = Store([deployment, policy])
        detector = Detector(store)
        template = Key("Deployment.apps", "default", "web")
        self.assertEqual(detector.match(Key("PropagationPolicy", "default", "p"), template), Precision.NAME)
        self.assertEqual(detector.look(template).outcome, DetectorOutcome.DONE)
        found = detector.template(template, now=NOW)
        self.assertEqual((found.outcome, found.binding), (DetectorOutcome.CREATED,
                                                          Key("ResourceBinding", "default", "web-deployment")))
        self.assertEqual(store.get("ResourceBinding", "web-deployment", "default")["spec"]["replicas"], 2)
        again = Store([deployment, policy])
        Detector(again).derive(now=NOW)
        self.assertTrue(again.has("ResourceBinding", "web-deployment", "default"))
        for wrong in ({"skipped_apis": "a/b/c/d"}, {"replicas_paths": "="}):
            with self.assertRaises(ValueError):
                Detector(store, **wrong)


SCENARIO = """\
apiVersion: simulation.rebalance/v1
kind: Scenario
start: "2026-03-14T09:00:00Z"
workloads: {}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, uid: web}
spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {}}}
---
kind: Step
metadata: {name: "two pods"}
after: 10s
expect:
- object: {kind: ReplicaSet, name: web}
  pods: {by: subset, counts: {none: 2}}
"""


class Playing(unittest.TestCase):
    def test_step_by_step(self):
        simulation = Simulation(SCENARIO)
        self.assertEqual(len(simulation.store.keys("Pod")), 2)
        self.assertEqual(([simulation.step(), simulation.step()], simulation.summary.steps), ([True, False], 1))
        self.assertEqual((simulation.summary.held, simulation.failures), (1, []))
        self.assertEqual(simulation.log, simulate(SCENARIO).log)
        self.assertIn(LogKind.HELD, [one.kind for one in simulation])
        self.assertIn("two pods", simulation.text())
        self.assertIsInstance(json.loads(simulation.text(TextFormat.JSON)), (dict, list))
        self.assertIn("1 expectations held", repr(simulation))
        with self.assertRaises(TypeError):
            simulation.store.put(pod("x"))
        store = simulation.store
        simulation.close()
        self.assertEqual(len(store.keys("Pod")), 2)

    def test_an_expectation_that_fails(self):
        wrong = simulate(SCENARIO.replace("none: 2", "none: 3"))
        self.assertEqual((wrong.summary.failed, len(wrong.failures)), (1, 1))

    def test_limits_and_invalid_scenarios(self):
        with self.assertRaises(LimitError):
            Simulation(SCENARIO, max_pods=1).run()
        with self.assertRaises(ParseError) as caught:
            simulate(SCENARIO.replace("after: 10s", "after: soon"))
        self.assertEqual((caught.exception.document, caught.exception.line), (3, 13))
        with self.assertRaises(OutOfRangeError):
            Simulation(SCENARIO, max_rounds=2**33)


if __name__ == "__main__":
    unittest.main()
