# SPDX-License-Identifier: MIT
"""Recorded answers of OpenKruise's WorkloadSpread through the plain level: kinds inject, status and reschedule."""
import unittest

from librebalance import ActionKind, Spreads, StepState, Store
from vectors import Kind, blur_kruise, by_bytes


class Inject(Kind):
    def answer(self, case):
        given, now = case["input"], case["now"]
        store = Store()
        store.put(given.get("objects") or ())
        store.put(given.get("workloadSpreads") or ())
        names = [one["metadata"]["name"] for one in given.get("workloadSpreads") or ()]
        spreads = Spreads(store)
        spreads.update()
        found = spreads.admit(given["pod"], now=now, id=given.get("uid") or "")
        outcome = {"skip": not found.spread}
        if found.pod is None:
            outcome["error"] = True
        else:
            outcome["pod"] = found.pod
        if found.spread:
            outcome["workloadSpread"] = found.spread
        if found.subset:
            outcome["subset"] = found.subset
        for action in found.turn.actions[:1]:
            found.turn.carry_out(store, now)
            written = store.get("WorkloadSpread", action.name, action.namespace)
            outcome["statusWritten"] = {"name": action.name, "status": written.get("status")}
        return outcome, names != by_bytes(names)

    def test_inject(self):
        self.check("inject", self.answer, lambda outcome, case: blur_kruise(outcome))


class Status(Kind):
    @staticmethod
    def changes(before, after):
        before, after = before or {}, after or {}
        found = {key: value for key, value in after.items() if before.get(key) != value}
        found.update({key: "<removed>" for key in before if key not in after})
        return found

    def metadata(self, before, after):
        outcome = {}
        for name in ("annotations", "labels"):
            changes = self.changes(before.get(name), after.get(name))
            if changes:
                outcome[name] = changes
        old, new = before.get("finalizers") or [], after.get("finalizers") or []
        if old != new:
            outcome["finalizers"] = new
        return outcome

    def pods(self, found, given, store):
        outcome = {}
        for pod in found.pods:
            one = {"subset": pod.subset or "kruise.io/workloadspread-fake-subset-name"}
            if pod.version != "versionIgnored":
                one["version"] = pod.version
            if pod.stuck:
                one["deleted"] = True
            outcome[pod.name] = one
        for pod in given.get("pods") or ():
            name, space = pod["metadata"]["name"], pod["metadata"].get("namespace", "")
            effects = dict(outcome.get(name, {}))
            if store.has("Pod", name, space):
                effects.update(self.metadata(pod["metadata"], store.get("Pod", name, space)["metadata"]))
            if effects:
                outcome[name] = effects
        return outcome

    def answer(self, case):
        given, now, store = case["input"], case["now"], Store()
        for part in ("objects", "pods"):
            store.put(given.get(part) or ())
        store.put(given["workloadSpread"])
        spreads, metadata = Spreads(store), given["workloadSpread"]["metadata"]
        spreads.update()
        found = spreads.step(metadata["name"], now=now, namespace=metadata.get("namespace") or "default")
        found.carry_out(store, now)
        outcome = {"pods": self.pods(found, given, store)}
        events = by_bytes(" ".join(one.payload[name] for name in ("type", "reason", "message"))
                          for one in found.actions if one.kind == ActionKind.EVENT)
        if events:
            outcome["events"] = events
        step, = found.steps
        if step.state == StepState.RETRY:
            outcome["error"] = step.message
        elif step.after is not None:
            seconds = step.after.total_seconds()
            outcome["requeueAfterSeconds"] = int(seconds) if seconds == int(seconds) else seconds
        if step.state == StepState.DONE:
            outcome["status"] = found.status
        return outcome, True

    def test_status(self):
        self.check("status", self.answer, lambda outcome, case: blur_kruise(outcome))

    def test_reschedule(self):
        self.check("reschedule", self.answer, lambda outcome, case: blur_kruise(outcome))


if __name__ == "__main__":
    unittest.main()
