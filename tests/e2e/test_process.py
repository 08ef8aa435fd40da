# SPDX-License-Identifier: MIT
"""A controller as a process: how it ends, its behaviour without its Lease, and its standard streams."""
import signal
import subprocess
import threading
import time
import urllib.request

import controllers
import proxy
from client import path, wait_for
from harness import API_SERVER
from test_rebalancer import NAME, create_binding, create_rebalancer, finished, workload

MANY = 150


def between(case):
    """An API server before that of the control plane, for the user "between"."""
    found = proxy.Interceptor(case.plane)
    case.at_end(found.close)
    case.plane.credentials.write_kubeconfig("between", found.port, {"token": case.plane.credentials.tokens["admin"]})
    return found


def start(case, *arguments):
    controller = controllers.Controller(NAME, case.plane, "between", *arguments)
    case.at_end(controller.kill)
    return controller


def is_write(method, target):
    return method == "PATCH" and "/resourcebindings/" in target


def writes(server):
    return [target for method, target, _, _ in list(server.requests) if is_write(method, target)]


def nothing_is_sent_without_the_lease(case):
    """The renewal of the Lease has no answer until another copy holds it, in the midst of many writes."""
    server, stalls, resumes = between(case), threading.Event(), threading.Event()
    case.at_end(resumes.set)
    target = path("Lease", case.namespace, NAME)

    def before(method, url, _):
        if is_write(method, url):
            time.sleep(0.2)
        elif stalls.is_set() and "/leases/" in url:
            resumes.wait()
            return True
        return False

    server.before = before
    names = [f"web-{number}" for number in range(MANY)]
    for name in names:
        create_binding(case, name)
    start(case, "--lease", f"{case.namespace}/{NAME}", "--lease-duration", "2")
    create_rebalancer(case, names)
    wait_for("the first writes", lambda: writes(server))
    stalls.set()
    time.sleep(2.5)  # the Lease has expired
    lease = case.admin.get(target)
    lease["spec"].update(holderIdentity="another", leaseDurationSeconds=600)
    case.admin.must("PUT", target, lease)
    sent = len(writes(server))
    assert sent < MANY, "all was written before: the test needs more bindings"
    resumes.set()
    time.sleep(2)  # nothing must be written meanwhile
    assert len(writes(server)) == sent, f"{len(writes(server)) - sent} writes beside the holder of the Lease"


def takes_it_as_lost_when_another_holds_it(case):
    """For example after the Lease was deleted: its own time has not ended then."""
    target = path("Lease", case.namespace, NAME)
    controllers.start(case, NAME, "admin", None, "--lease", f"{case.namespace}/{NAME}", "--lease-duration", "600")
    wait_for("a holder", lambda: case.admin.request("GET", target)[0] == 200)
    case.admin.merge(target, {"spec": {"holderIdentity": "another"}})
    wait_for("the loss", lambda: f"Lease {case.namespace}/{NAME}: lost" in case.plane.log(NAME).read_text())
    create_binding(case, "web")
    create_rebalancer(case, ["web"])
    time.sleep(1)  # nothing must be done meanwhile
    assert not finished(case)


def ends_before_the_next_object(case):
    """It finishes the object that it has begun, and leaves the others to the next copy."""
    server = between(case)
    server.before = lambda method, target, _: is_write(method, target) and time.sleep(0.3)
    for number in range(MANY):
        create_binding(case, f"web-{number}")
        case.create_global("WorkloadRebalancer", {"metadata": {"name": f"{case.name}-{number}"}, "spec": {
            "workloads": [workload(case, f"web-{number}")]}})
    controller = start(case)
    wait_for("the first write", lambda: writes(server))
    assert controller.stop() == 0
    assert len(writes(server)) < MANY


def ends_while_the_lease_has_no_answer(case):
    server, resumes = between(case), threading.Event()
    case.at_end(resumes.set)
    controller = start(case, "--lease", f"{case.namespace}/{NAME}", "--lease-duration", "3")
    wait_for("a holder", lambda: case.admin.request("GET", path("Lease", case.namespace, NAME))[0] == 200)
    server.before = lambda method, target, _: "/leases/" in target and resumes.wait()
    assert controller.stop() == 0


def a_second_signal_ends_it_at_once(case):
    server, resumes = between(case), threading.Event()
    case.at_end(resumes.set)
    server.before = lambda method, target, _: is_write(method, target) and resumes.wait()
    create_binding(case, "web")
    controller = start(case)
    create_rebalancer(case, ["web"])
    wait_for("a write without an answer", lambda: writes(server))
    controller.signal(signal.SIGTERM)
    time.sleep(0.5)  # it waits for the answer
    controller.signal(signal.SIGTERM)
    assert controller.wait(5) == -signal.SIGTERM


def standard_streams_are_closed(case):
    """Its log then goes nowhere: not to a file or connection that it opened itself."""
    script = 'exec "$@" 0<&- 1>&- 2>&-'
    process = subprocess.Popen(["sh", "-c", script, "sh", str(controllers.build() / NAME), "--kubeconfig",
                                case.plane.kubeconfig("admin"), "--serve", "127.0.0.1:0"],
                               env=controllers.environment())
    case.at_end(process.kill)
    create_binding(case, "web")
    create_rebalancer(case, ["web"])
    wait_for("a finished run", lambda: finished(case) or process.poll() is not None)
    process.terminate()
    assert process.wait(10) == 0


def no_subsets_are_no_undefined_behaviour(case):
    """A UnitedDeployment without subsets, under sanitizers, which end the program on undefined behaviour."""
    controller = controllers.Controller("kruise-spread-controller", case.plane, "admin", "--united-deployments",
                                        "--serve", "127.0.0.1:0", sanitize=True)
    case.at_end(controller.kill)
    case.create("UnitedDeployment", {"metadata": {"name": "web"}, "spec": {
        "replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": {}}})
    address = f"http://127.0.0.1:{controller.port('/healthz')}/metrics"
    wait_for("a pass", lambda: 'passes_total{kind="UnitedDeployment"' in
             urllib.request.urlopen(address, timeout=5).read().decode())
    assert controller.stop() == 0


TESTS = (
    (no_subsets_are_no_undefined_behaviour, API_SERVER),
    (nothing_is_sent_without_the_lease, API_SERVER),
    (takes_it_as_lost_when_another_holds_it, API_SERVER),
    (ends_before_the_next_object, API_SERVER),
    (ends_while_the_lease_has_no_answer, API_SERVER),
    (a_second_signal_ends_it_at_once, API_SERVER),
    (standard_streams_are_closed, API_SERVER),
)
