# SPDX-License-Identifier: MIT
"""The controller of bindings/python/examples, which uses the kubernetes client, against a real API server."""
import fcntl
import functools
import pathlib
import sys
import venv

import binary
import common
import controllers
import rebalancers
import test_rebalancer as like
from client import wait_for
from harness import API_SERVER

NAME = "python-rebalancer"
PACKAGE = common.SOURCE.resolve() / "bindings/python"
NEEDS = ("cffi", "kubernetes", "setuptools")


def python():
    """Returns a Python with the packages that the controller needs, in the cache folder; pip installs them once."""
    version = "{}.{}.{}".format(*sys.version_info)
    folder = binary.cache_folder() / f"python-{version}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / "python.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            venv.create(folder, with_pip=True, clear=True)
            controllers.run(folder / "bin/python", "-m", "pip", "install", "--quiet", *NEEDS,
                            log=controllers.install() / "pip.log")
            (folder / "complete").touch()
    return folder / "bin/python"


@functools.lru_cache(maxsize=None)
def build():
    """Builds the package with the libraries of the build; returns the folder of a program that runs the controller."""
    folder, interpreter = controllers.install() / "python", python()
    folder.mkdir(exist_ok=True)
    code = "import pathlib, sys; sys.path.insert(0, sys.argv[1]); import check; check.build(pathlib.Path(sys.argv[2]))"
    controllers.run(interpreter, "-c", code, PACKAGE, folder / "librebalance", log=controllers.install() / "python.log",
                    top_srcdir=str(common.SOURCE.resolve()), top_builddir=str(common.BUILD.resolve()))
    program = pathlib.Path(folder, NAME)
    program.write_text(f"#!/bin/sh\nPYTHONPATH={folder} PYTHONDONTWRITEBYTECODE=1 exec {interpreter} "
                       f"{PACKAGE}/examples/rebalancer.py \"$@\"\n")
    program.chmod(0o755)
    return folder


def start(case, user="admin"):
    controllers.start(case, NAME, user, folder=build())


def python_triggers_bindings(case):
    rebalancers.triggers_bindings(case, start)


def python_runs_again(case):
    rebalancers.runs_again(case, start)


def python_deletes_in_time(case):
    rebalancers.deletes_in_time(case, start)


def python_tries_again(case):
    """Writes that are denied at first are made once they are permitted."""
    like.create_binding(case, "web")
    like.create_rebalancer(case, ["web"])
    allow(case, "reader", ["get", "list", "watch"])
    start(case, "controllers")
    line = f"rebalancer: {case.name}: "
    wait_for(f"{line!r} in its log", lambda: line in case.plane.log(NAME).read_text(errors="replace"))
    assert not like.triggered(case, "web")
    allow(case, "writer", ["patch"])
    wait_for("a finished run", lambda: like.finished(case))
    assert like.triggered(case, "web")


def allow(case, label, verbs):
    """Gives the user of controllers verbs on the resources of the controller."""
    name = f"{case.name}-{label}"
    rules = [{"apiGroups": ["apps.karmada.io"], "verbs": verbs,
              "resources": ["workloadrebalancers", "workloadrebalancers/status"]},
             {"apiGroups": ["work.karmada.io"], "verbs": verbs,
              "resources": ["resourcebindings", "clusterresourcebindings"]}]
    case.create_global("ClusterRole", {"metadata": {"name": name}, "rules": rules})
    case.create_global("ClusterRoleBinding", {
        "metadata": {"name": name}, "subjects": [{"kind": "User", "name": "librebalance"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}})


TESTS = (
    (python_triggers_bindings, API_SERVER),
    (python_runs_again, API_SERVER),
    (python_deletes_in_time, API_SERVER),
    (python_tries_again, API_SERVER),
)
