# SPDX-License-Identifier: MIT
"""The controller of bindings/go/examples/rebalancer, which uses controller-runtime, against a real API server."""
import functools

import common
import controllers
import test_rebalancer as like
from client import path, wait_for
from harness import API_SERVER

NAME = "go-rebalancer"
SOURCE = common.SOURCE.resolve() / "bindings/go/examples/rebalancer"


@functools.lru_cache(maxsize=None)
def build():
    """Builds it with what pkg-config finds of the installed libraries. Returns its folder."""
    folder = controllers.install() / "go"
    controllers.run("nice", "-n", "10", "go", "-C", SOURCE, "build", "-p", "2", "-o", folder / NAME, ".",
                    log=controllers.install() / "go.log", CGO_ENABLED="1", GOFLAGS="-buildvcs=false",
                    GOTOOLCHAIN="local", PKG_CONFIG_PATH=controllers.environment()["PKG_CONFIG_PATH"])
    return folder


def start(case):
    controllers.start(case, NAME, "admin", folder=build())


def go_triggers_bindings(case):
    """One with a binding, one without: the times are that of the rebalancer, and the status names both."""
    start(case)
    like.create_binding(case, "web")
    made = like.create_rebalancer(case, ["web", "missing"])
    results = wait_for("a finished run", lambda: like.finished(case))
    assert results == {"web": ("Successful", ""), "missing": ("Failed", "ReferencedBindingNotFound")}, results
    assert like.triggered(case, "web") == made["metadata"]["creationTimestamp"], made


def go_runs_again(case):
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


def go_deletes_in_time(case):
    start(case)
    like.create_binding(case, "web")
    like.create_rebalancer(case, ["web"], ttlSecondsAfterFinished=1)
    wait_for("its end", lambda: like.is_gone(case))
    assert like.triggered(case, "web")


TESTS = (
    (go_triggers_bindings, API_SERVER),
    (go_runs_again, API_SERVER),
    (go_deletes_in_time, API_SERVER),
)
