# SPDX-License-Identifier: MIT
"""The controller of bindings/go/examples/rebalancer, which uses controller-runtime, against a real API server."""
import functools

import common
import controllers
import rebalancers
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
    rebalancers.triggers_bindings(case, start)


def go_runs_again(case):
    rebalancers.runs_again(case, start)


def go_deletes_in_time(case):
    rebalancers.deletes_in_time(case, start)


TESTS = (
    (go_triggers_bindings, API_SERVER),
    (go_runs_again, API_SERVER),
    (go_deletes_in_time, API_SERVER),
)
