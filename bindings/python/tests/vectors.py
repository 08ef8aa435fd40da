# SPDX-License-Identifier: MIT
"""Reads and compares recorded cases as tests/conformance does (see its README)."""
import json
import lzma
import os
import pathlib
import unittest

PLACE = pathlib.Path(os.environ.get("LIBREBALANCE_VECTORS")
                     or pathlib.Path(__file__).resolve().parents[3] / "tests/vectors")


def cases(kind):
    """The cases of a kind. A test without cases fails."""
    path, = PLACE.glob(f"*/{kind}.jsonl.xz")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rules():
    """[(kind, tag, member)] where answers other than the recorded ones pass."""
    lines = (PLACE / "rules.txt").read_text().splitlines()
    return [tuple(line.split()) for line in lines if line and not line.startswith("#")]


def accepted(case, orders_itself=False):
    """The accepted outcomes; one has to match."""
    is_open = orders_itself and "accept" in case
    if "ordered" in case or is_open or "map-dependent" in case.get("tags", ()):
        only = case.get("ordered")
    else:
        only = case.get("expect")
    if only is not None:
        return [only]
    outcomes = list(case.get("accept", ())) + ([case["stable"]] if "stable" in case else [])
    error = case.get("error")
    if error is not None and "message" in error:
        outcomes.append({"error": error})
    if error is not None:
        outcomes += [{"error": {"kind": error["kind"], "message": one}} for one in error.get("messages", ())]
    return outcomes or [{"error": error}]


_ABSENT_MAPS = {"status", "resources", "strategy", "updateStrategy", "scaleStrategy", "scheduleStrategy",
                "creatingPods", "deletingPods"}


def without_nothings(value, key=""):
    """Without members that mean the same as none, at any depth but below "patch"."""
    if isinstance(value, dict):
        kept = {}
        for name, member in value.items():
            one = member if name == "patch" and member is not None else without_nothings(member)
            empty = one is None or (one == {} and name in _ABSENT_MAPS) or (one == "" and name == "message")
            if not empty:
                kept[name] = one
        return kept
    return [without_nothings(one) for one in value] if isinstance(value, list) else value


def blur_error(outcome):
    """Texts of errors are those of another program: only the presence of an error is compared."""
    return {**outcome, "error": True} if isinstance(outcome, dict) and "error" in outcome else outcome


def blur_kruise(outcome):
    return blur_error(without_nothings(outcome))


def by_bytes(texts):
    return sorted(texts, key=lambda one: one.encode())


class Kind(unittest.TestCase):
    """One kind of cases: all of them pass."""

    def check(self, kind, answer, blur=lambda outcome, case: outcome):
        """answer: a function that returns the outcome of a case and whether lists are in the library's own order."""
        allowed = [rule for rule in rules() if rule[0] == kind]
        checked, faults = 0, []
        for case in cases(kind):
            outcome, orders_itself = answer(case)
            wanted = accepted(case, orders_itself)
            passes = any(blur(outcome, case) == blur(one, case) for one in wanted)
            for _, tag, member in allowed:
                has_tag = tag in case.get("tags", ())
                passes = passes or (has_tag and (member == "*" or case.get(member) == outcome))
            if not passes:
                faults.append(f"{case['id']}: expected {json.dumps(wanted)[:1500]}, got {json.dumps(outcome)[:1500]}")
            checked += 1
        self.assertFalse(faults, f"{len(faults)} of {checked} differ:\n" + "\n".join(faults[:3]))
        self.assertGreater(checked, 100)
