# SPDX-License-Identifier: MIT
"""Recorded answers of Karmada through the plain level: kinds schedule, rebalancer, deschedule, failover, policy."""
import copy
import unittest

from librebalance import (ActionKind, Bindings, Detector, Fits, Fleet, Key, Ledger, Observations, Observed,
                          Options, Outcome, StepState, Store, deschedule, failover, rebalancer_step, schedule)
from librebalance.lists import (DescheduleReason, DetectorGate, DetectorList, DetectorOutcome, Precision,
                                RebalancerReason)
from librebalance.times import rfc3339
from vectors import Kind, by_bytes

GATES = {"CustomizedClusterResourceModeling": "gate_resource_models", "WorkloadAffinity": "gate_workload_affinity",
         "MultiplePodTemplatesScheduling": "gate_multiple_pod_templates",
         "SchedulingOvercommitProtection": "gate_overcommit_protection",
         "StatefulFailoverInjection": "gate_stateful_failover", "GracefulEviction": "gate_graceful_eviction"}


def whole(kind, version, item):
    """Adds apiVersion and kind: recorded objects omit them, a store requires them."""
    return {"apiVersion": version, "kind": kind, **item}


def cluster(item):
    return whole("Cluster", "cluster.karmada.io/v1alpha1", item)


def binding(item):
    return whole("ResourceBinding", "work.karmada.io/v1alpha2", item)


def options(given, **more):
    gates = {GATES[name]: value for name, value in (given.get("featureGates") or {}).items() if name in GATES}
    return Options("karmada-1.19", **gates, **more)


def assumed(fleet, given):
    """In-flight workloads as a ledger. The keys are in the order of the workloads."""
    if given is None:
        return None
    ledger = Ledger(fleet)
    for name in fleet.clusters:
        for number, workload in enumerate(given if isinstance(given, list) else given.get(name, ())):
            components = [(one.get("replicas", 0), one.get("replicaRequirements")) for one in workload["components"]]
            ledger.charge(f"assumed/{number:06}", name, components)
    return ledger


class Schedule(Kind):
    ERRORS = {Outcome.NO_CLUSTER_FIT: "FitError", Outcome.UNSCHEDULABLE: "Unschedulable",
              Outcome.SCHEDULER_ERROR: "Error"}

    def answer(self, case):
        given = case["input"]
        fleet = Fleet([cluster(one) for one in given.get("clusters", ())])
        rows = Bindings(fleet, [binding(given["binding"])])
        members = (("known", "bindings"), ("assigning", "assigning"))
        sets = {name: Bindings(fleet, [binding(one) for one in given[member]])
                for name, member in members if given.get(member) is not None}
        names = given.get("estimators") or ()
        failed = given.get("availableError") is not None
        available = [{one: Fits.FAILED for one in fleet.clusters} if failed else given.get("available") or {}]
        empty = bool(given.get("enableEmptyWorkloadPropagation"))
        decision, = schedule(
            fleet, rows, options=options(given, empty_workload_propagation=empty), single_group=True,
            ledger=assumed(fleet, given.get("assumed")), summaries="general" in names,
            estimators=available if "available" in names else [], **sets)
        if decision.outcome != Outcome.SCHEDULED:
            return {"error": {"kind": self.ERRORS[decision.outcome], "message": decision.message}}, False
        parts = [{"name": one["name"], "replicas": one.get("replicas", 0)}
                 for one in given["binding"]["spec"].get("components") or ()]
        return {"clusters": [
            {"name": name, "replicas": decision.clusters[name],
             **({"components": parts} if name in decision.with_components else {})}
            for name in by_bytes(decision.clusters)]}, False

    @staticmethod
    def blur(outcome, case):
        if "fit-message-open" in case.get("tags", ()) and "error" in outcome:
            return {**outcome, "error": {key: value for key, value in outcome["error"].items() if key != "message"}}
        return outcome

    def test_schedule(self):
        self.check("schedule", self.answer, self.blur)


class Server:
    """An API server of a few lines: objects by key, versions, faults."""

    def __init__(self, given):
        self.version = 0
        self.rebalancer = self.touch(copy.deepcopy(given["rebalancer"]))
        self.bindings, self.updated, self.step = {}, set(), {}
        self.add(given.get("bindings") or ())

    def touch(self, item):
        self.version += 1
        item["metadata"]["resourceVersion"] = str(self.version)
        return item

    def add(self, items):
        for item in items:
            one = self.touch(copy.deepcopy(item))
            space, name = one["metadata"].get("namespace", ""), one["metadata"]["name"]
            self.bindings[f"{space}/{name}" if space else name] = one

    def edit(self, step):
        self.step, self.updated = step, set()
        if step.get("spec") is not None and self.rebalancer is not None:
            metadata = self.rebalancer["metadata"]
            self.rebalancer["spec"] = copy.deepcopy(step["spec"])
            metadata["generation"] = metadata.get("generation", 0) + 1
            self.touch(self.rebalancer)
        self.add(step.get("addBindings") or ())
        for key in step.get("removeBindings") or ():
            self.bindings.pop(key, None)

    def act(self, action):
        """(outcome, object read)"""
        key = f"{action.namespace}/{action.name}" if action.namespace else action.name
        found = self.bindings.get(key)
        if action.kind == ActionKind.READ:
            if key in (self.step.get("failGet") or ()):
                return Observed.TRANSIENT, None
            return (Observed.NOT_FOUND, None) if found is None else (Observed.DONE, found)
        if action.kind == ActionKind.PATCH_SPEC:
            return self.trigger(key, found, action), None
        if action.kind == ActionKind.PATCH_STATUS:
            return self.write_status(action), None
        if action.kind == ActionKind.DELETE:
            if action.resource_version != self.rebalancer["metadata"]["resourceVersion"]:
                return Observed.CONFLICT, None
            self.rebalancer = None
            return Observed.DONE, None
        return Observed.DENIED, None

    def trigger(self, key, found, action):
        if key in (self.step.get("failUpdate") or ()):
            return Observed.TRANSIENT
        if found is None:
            return Observed.NOT_FOUND
        if action.resource_version not in ("", found["metadata"]["resourceVersion"]):
            return Observed.CONFLICT
        found.setdefault("spec", {}).update(action.payload)
        self.touch(found)
        self.updated.add(key)
        return Observed.DONE

    def write_status(self, action):
        if self.step.get("failStatus"):
            return Observed.TRANSIENT
        if self.rebalancer.get("status") != action.payload:
            self.rebalancer["status"] = dict(action.payload)
            self.touch(self.rebalancer)
        return Observed.DONE


class Rebalancer(Kind):
    def reconcile(self, server, now):
        observed, waiting = Observations(), True
        item = whole("WorkloadRebalancer", "apps.karmada.io/v1alpha1", copy.deepcopy(server.rebalancer))
        while waiting:
            turn = rebalancer_step(item, now=now, observations=observed)
            waiting = turn.waiting
            for action in turn.actions if waiting else ():
                outcome, read = server.act(action)
                observed.add(action, outcome, read=read,
                             message="" if outcome == Observed.DONE else "Internal error occurred: injected")
        return turn.steps[0]

    def outcome(self, server, step):
        outcome = {"exists": server.rebalancer is not None, "rescheduleTriggeredAt": {
            key: one["spec"]["rescheduleTriggeredAt"] for key, one in server.bindings.items()
            if one.get("spec", {}).get("rescheduleTriggeredAt") is not None}}
        if server.updated:
            outcome["updatedBindings"] = by_bytes(server.updated)
        if server.rebalancer is not None:
            outcome["status"] = server.rebalancer.get("status") or {}
        if step is not None and step.after is not None:
            outcome["requeueAfterSeconds"] = int(step.after.total_seconds())
        if step is not None and step.state == StepState.RETRY:
            kind = "".join(word.capitalize() for word in step.reason.name.split("_"))
            outcome["error"] = {"kind": kind}
            if step.reason != RebalancerReason.DELETE_CONFLICT:
                outcome["error"]["message"] = step.message
        return copy.deepcopy(outcome)

    def answer(self, case):
        server, steps = Server(case["input"]), []
        for edit in case["input"]["steps"]:
            exists = server.rebalancer is not None
            server.edit(edit)
            step = self.reconcile(server, edit["now"]) if exists else None
            steps.append(self.outcome(server, step))
        return {"steps": steps}, False

    def test_rebalancer(self):
        self.check("rebalancer", self.answer)


class Deschedule(Kind):
    def answer(self, case):
        given = case["input"]
        fleet = Fleet()
        rows = Bindings(fleet, [binding(given["binding"])])
        members = {"now": "1970-01-01T00:00:00Z", "estimators": given.get("unschedulable") or [],
                   "options": options({})}
        step, = deschedule(fleet, rows, **members).steps
        outcome = {"eligible": step.reason != DescheduleReason.NOT_ELIGIBLE}
        turn = deschedule(fleet, rows, given_bindings=True, explain=True, **members)
        outcome["status"] = [{"name": one.cluster, "ready": -1 if one.ready is None else one.ready,
                              "spec": one.replicas, "unschedulable": one.unschedulable} for one in turn.targets]
        outcome["undesired"] = sum(one.undesired for one in turn.targets)
        spec, outcome["updated"] = given["binding"]["spec"], False
        for action in turn.actions:
            if action.kind == ActionKind.PATCH_SPEC:
                spec, outcome["updated"] = action.payload, True
            elif action.kind == ActionKind.EVENT:
                outcome["event"] = " ".join(action.payload[name] for name in ("type", "reason", "message"))
        outcome["clusters"] = [{"name": one["name"], "replicas": one.get("replicas", 0)}
                               for one in spec.get("clusters") or ()]
        return outcome, False

    def test_deschedule(self):
        self.check("deschedule", self.answer)


class Failover(Kind):
    def one(self, item, step, given, memory):
        spec = item["spec"]
        spec["clusters"] = step["clusters"] if step.get("clusters") is not None else spec.get("clusters")
        item["status"] = {"aggregatedStatus": step["aggregatedStatus"]} if step.get("aggregatedStatus") else {}
        turn = failover(Fleet(), [binding(item)], now=step["now"], options=options(given), unhealthy=memory)
        for action in turn.actions:
            if action.kind == ActionKind.PATCH_SPEC:
                spec.pop("gracefulEvictionTasks", None)
                spec.update({"clusters": [], **action.payload})
        outcome = {"clusters": [{**one, "replicas": one.get("replicas", 0)} for one in spec["clusters"] or ()]}
        if spec.get("gracefulEvictionTasks"):
            outcome["gracefulEvictionTasks"] = copy.deepcopy(spec["gracefulEvictionTasks"])
        kept = turn.unhealthy
        for since in kept.values():
            outcome["unhealthySince"] = {name: rfc3339(time) for name, time in since.items()}
        state, = turn.steps
        if state.after is not None:
            outcome["requeueAfterSeconds"] = int(state.after.total_seconds())
        if state.state == StepState.RETRY:
            outcome["error"] = {"kind": "Error", "message": state.message}
        return outcome, kept

    def answer(self, case):
        given, steps, memory = case["input"], [], None
        item = copy.deepcopy(given["binding"])
        for step in given["steps"]:
            outcome, memory = self.one(item, step, given, memory)
            steps.append(outcome)
        return {"steps": steps}, False

    def test_failover(self):
        self.check("failover", self.answer)


class Policy(Kind):
    LISTS = ("templates", "waiting", "propagationPolicies", "clusterPropagationPolicies", "overridePolicies",
             "clusterOverridePolicies", "priorityClasses", "bindings")
    WORDS = {outcome: outcome.name.lower().replace("_", "-") for outcome in DetectorOutcome}

    def key(self, item):
        group, slash, _ = item["apiVersion"].partition("/")
        metadata = item["metadata"]
        return Key(f"{item['kind']}.{group if slash else ''}", metadata.get("namespace") or "", metadata["name"])

    def fill(self, store, given):
        items = [given["template"]] + [one for name in self.LISTS
                                       for one in (given.get(name) if isinstance(given.get(name), list) else ()) or ()]
        for item in items:
            key = self.key(item)
            if not store.has(key.kind, key.name, key.namespace):
                if not key.namespace:
                    store.add_resource(key.kind, "objects", False)
                store.put(item)

    def matches(self, detector, store, template):
        found = {}
        for kind in ("PropagationPolicy", "ClusterPropagationPolicy"):
            for policy in store.keys(kind):
                precision = detector.match(policy, template)
                if precision != Precision.NONE:
                    found[f"{policy.namespace}/{policy.name}" if policy.namespace else policy.name] = (
                        precision.name.lower())
        return found

    def answer(self, case):
        given, store = case["input"], Store()
        self.fill(store, given)
        before = {kind: list(store.objects(kind)) for kind in ("ResourceBinding", "ClusterResourceBinding")}
        template = self.key(given["template"])
        old = store.get(template.kind, template.name, template.namespace)
        gates = {DetectorGate[name]: value for name, value in self.gates(given)}
        detector = Detector(store, gates=gates, skipped_namespaces=given.get("skippedNamespaces"),
                            skipped_apis=given.get("skippedAPIs") or "")
        if given.get("waiting"):
            detector.wait(template)
        matches = self.matches(detector, store, template)
        found = detector.template(template, now="2026-03-01T00:00:00Z", by_karmada=bool(given.get("changedByKarmada")))
        if found.outcome in (DetectorOutcome.API, DetectorOutcome.NAMESPACE):
            return {"considered": False, "reason": self.WORDS[found.outcome]}, False
        outcome = {"considered": True, "outcome": self.WORDS[found.outcome], "matches": matches}
        if found.message:
            outcome["error"] = True
        if found.policy is not None:
            outcome["policy"] = {name: value for name, value in vars(found.policy).items() if value}
        if detector.entries(DetectorList.WAITING):
            outcome["waiting"] = True
        now = store.get(template.kind, template.name, template.namespace)
        if self.metadata(now) != self.metadata(old):
            outcome["template"] = self.metadata(now)
        written = [self.metadata(one, "name") for kind in before for one in store.objects(kind)
                   if one not in before[kind]]
        if written:
            outcome["bindings"] = written
        return outcome, False

    @staticmethod
    def gates(given):
        names = {"PolicyPreemption": "POLICY_PREEMPTION", "MultiplePodTemplatesScheduling": "MULTIPLE_POD_TEMPLATES"}
        return [(names[name], value) for name, value in (given.get("featureGates") or {}).items() if name in names]

    @staticmethod
    def metadata(item, *more):
        metadata = item["metadata"]
        return {name: metadata[name] for name in (*more, "labels", "annotations") if metadata.get(name)}

    def test_policy(self):
        self.check("policy", self.answer,
                   lambda outcome, case: {**outcome, "error": True} if "error" in outcome else outcome)


if __name__ == "__main__":
    unittest.main()
