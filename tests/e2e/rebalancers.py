# SPDX-License-Identifier: MIT
"""Tests for controllers of WorkloadRebalancers in any language; start() starts the one under test."""
import test_rebalancer as like
from client import path, wait_for


def triggers_bindings(case, start):
    """One workload with a binding, one without: the times equal that of the rebalancer, and the status names both."""
    start(case)
    like.create_binding(case, "web")
    made = like.create_rebalancer(case, ["web", "missing"])
    results = wait_for("a finished run", lambda: like.finished(case))
    assert results == {"web": ("Successful", ""), "missing": ("Failed", "ReferencedBindingNotFound")}, results
    assert like.triggered(case, "web") == made["metadata"]["creationTimestamp"], made
    assert not like.is_gone(case)


def runs_again(case, start):
    """A rebalancer that exists before the start and is edited later."""
    for name in ("api", "web"):
        like.create_binding(case, name)
    like.create_rebalancer(case, ["web"])
    start(case)
    wait_for("the first run", lambda: like.finished(case))
    case.admin.merge(path("WorkloadRebalancer", name=case.name),
                     {"spec": {"workloads": [like.workload(case, "web"), like.workload(case, "api")]}})
    results = wait_for("the second run", lambda: like.finished(case, 2))
    assert results == {"web": ("Successful", ""), "api": ("Successful", "")}, results
    assert like.triggered(case, "api"), results


def deletes_in_time(case, start):
    start(case)
    like.create_binding(case, "web")
    like.create_rebalancer(case, ["web"], ttlSecondsAfterFinished=1)
    wait_for("its end", lambda: like.is_gone(case))
    assert like.triggered(case, "web")
