# SPDX-License-Identifier: MIT
"""Recorded answers of Karmada through the plain level: kinds eviction-taint, eviction-graceful, condition-taints."""
import unittest

from librebalance import ActionKind, Bindings, Fleet, assess_evictions, condition_taints, evict, policy_taints
from librebalance import StepState, taint_verdict
from librebalance.lists import TaintVerdict
from test_vectors_karmada import binding, cluster, options
from vectors import Kind


def seconds(step):
    return int(step.after.total_seconds())


def spec_of(turn, item):
    """The spec after a turn: that of its patch, or the binding's own."""
    return next((one.payload for one in turn.actions if one.kind == ActionKind.PATCH_SPEC), item["spec"])


class Taint(Kind):
    def answer(self, case):
        given = case["input"]
        fleet, name = Fleet([cluster(given["cluster"])]), given["cluster"]["metadata"]["name"]
        members = {"now": given["now"], "options": options(given),
                   "enabled": bool(given.get("enableNoExecuteTaintEviction"))}
        rows = Bindings(fleet, [binding(given["binding"])])
        verdict, = taint_verdict(fleet, name, rows, **members).steps
        if verdict.reason == TaintVerdict.ERROR:
            outcome = {"needError": True}
        else:
            waits = {TaintVerdict.FOREVER: -1, TaintVerdict.EVICT: 0}
            outcome = {"needEviction": verdict.reason == TaintVerdict.EVICT,
                       "tolerationSeconds": waits[verdict.reason] if verdict.reason in waits else seconds(verdict)}
        turn = evict(fleet, name, rows, purge_directly=given.get("noExecuteTaintEvictionPurgeMode") == "Directly",
                     **members)
        step, = turn.steps
        if any(one.kind == ActionKind.WAKE for one in turn.actions):
            outcome["queue"] = [{"op": "after", "seconds": seconds(step)}]
        spec = spec_of(turn, given["binding"])
        outcome["clusters"] = [{"name": one["name"], "replicas": one.get("replicas", 0)}
                               for one in spec.get("clusters") or ()]
        if spec.get("gracefulEvictionTasks"):
            outcome["gracefulEvictionTasks"] = spec["gracefulEvictionTasks"]
        if step.state == StepState.RETRY:
            outcome["error"] = {"kind": "Error", "message": step.message}
        return outcome, False

    @staticmethod
    def blur(outcome, case):
        if "broken-applied-placement" in case.get("tags", ()) and "error" in outcome:
            return {**outcome, "error": {"kind": outcome["error"]["kind"]}}
        return outcome

    def test_eviction_taint(self):
        self.check("eviction-taint", self.answer, self.blur)


class Graceful(Kind):
    def answer(self, case):
        given, fleet = case["input"], Fleet()
        turn = assess_evictions(fleet, [binding(given["binding"])], now=given["now"],
                                timeout=given.get("gracefulEvictionTimeoutSeconds") or 0)
        outcome = {"gracefulEvictionTasks": spec_of(turn, given["binding"]).get("gracefulEvictionTasks") or []}
        if turn.steps[0].after is not None:
            outcome["requeueAfterSeconds"] = seconds(turn.steps[0])
        return outcome, False

    def test_eviction_graceful(self):
        self.check("eviction-graceful", self.answer)


class Conditions(Kind):
    def answer(self, case):
        given = case["input"]
        fleet, policies = Fleet([cluster(given["cluster"])]), given.get("policies")
        turn = (condition_taints(fleet, now=given["now"]) if policies is None
                else policy_taints(fleet, policies, now=given["now"]))
        spec = turn.actions[0].payload if turn.actions else given["cluster"].get("spec", {})
        return {"changed": bool(turn.actions), "taints": spec.get("taints") or []}, False

    def test_condition_taints(self):
        self.check("condition-taints", self.answer)


if __name__ == "__main__":
    unittest.main()
