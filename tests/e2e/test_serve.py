# SPDX-License-Identifier: MIT
"""Health and metrics that the controllers of the examples serve, here karmada-rebalancer."""
import http.client
import socket
import time

import controllers
import metrics
from client import path, wait_for
from harness import API_SERVER
from test_rebalancer import NAME, create_binding, create_rebalancer, finished, triggered

CONNECTIONS = 32  # served at the same time
REQUEST_SECONDS = 10  # for a whole request


class Served:
    """A controller that serves at a port of its own."""

    def __init__(self, case, user, *arguments):
        self.controller = controllers.start(case, NAME, user, None, "--serve", "127.0.0.1:0", *arguments)
        self.port = self.controller.port("/healthz")

    def is_open(self):
        try:
            return self.get("/healthz") == (200, "ok\n")
        except OSError:
            return False

    def request(self, method, target, body=None, headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, target, body, dict(headers))
            response = connection.getresponse()
            return response, response.read().decode()
        finally:
            connection.close()

    def get(self, target):
        response, text = self.request("GET", target)
        return response.status, text

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def numbers(self):
        response, text = self.request("GET", "/metrics")
        assert (response.status, response.headers["Content-Type"]) == (200, metrics.CONTENT_TYPE), response.headers
        return metrics.read(text)


def ready_when_all_is_listed(case):
    """Without a right to list it lives, but is not ready."""
    served = Served(case, "controllers")
    assert served.get("/readyz") == (503, "not listed yet: WorkloadRebalancer\n"), served.get("/readyz")
    role = {"metadata": {"name": case.name}, "rules": [
        {"apiGroups": ["apps.karmada.io"], "resources": ["workloadrebalancers"], "verbs": ["list", "watch"]}]}
    case.create_global("ClusterRole", role)
    case.create_global("ClusterRoleBinding", {
        "metadata": {"name": case.name}, "subjects": [{"kind": "User", "name": "librebalance"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": case.name}})
    wait_for("readiness", lambda: served.get("/readyz") == (200, "ok\n"))
    assert served.get("/healthz") == (200, "ok\n")
    assert served.numbers()["librebalance_requests_total"]['method="GET",code="403"'] >= 1


def copies_that_wait_are_ready(case):
    lease = ("--lease", f"{case.namespace}/{NAME}")
    first = Served(case, "admin", *lease)
    wait_for("a leader", lambda: first.numbers()["librebalance_leader"] == {"": 1})
    second = Served(case, "admin", *lease)
    wait_for("readiness", lambda: second.get("/readyz")[0] == 200)
    assert second.numbers()["librebalance_leader"] == {"": 0}
    first.controller.stop()
    wait_for("another leader", lambda: second.numbers()["librebalance_leader"] == {"": 1})


def numbers_are_what_was_done(case):
    served = Served(case, "admin")
    create_binding(case, "web")
    before = served.numbers()
    create_rebalancer(case, ["web", "missing"])
    wait_for("a finished run", lambda: finished(case))
    assert triggered(case, "web")
    wait_for("the number of passes", lambda: served.numbers()["librebalance_passes_total"].get(
        'kind="WorkloadRebalancer",state="Done"'))
    after = served.numbers()
    assert after["librebalance_objects"] == {'kind="WorkloadRebalancer"': 1}, after
    assert after["librebalance_actions_total"] == {
        'action="Read",outcome="Done"': 1, 'action="Read",outcome="NotFound"': 1,
        'action="PatchSpec",outcome="Done"': 1, 'action="PatchStatus",outcome="Done"': 1}, after
    requests = after["librebalance_requests_total"]
    assert requests['method="PATCH",code="200"'] == 2 and requests['method="GET",code="404"'] == 1, requests
    assert requests['method="GET",code="200"'] >= 2, requests  # the list, and the binding
    assert after["librebalance_watch_requests_total"]['kind="WorkloadRebalancer"'] >= 2, after  # the list, a watch
    for name in ("librebalance_library_seconds_total", "librebalance_object_changes_total"):
        assert before[name][""] < after[name][""], (name, before, after)
    assert 0 < after["librebalance_library_seconds_total"][""] < 1, after


def only_get_and_head(case):
    served = Served(case, "admin")
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        response, _ = served.request(method, "/metrics")
        assert (response.status, response.headers["Allow"]) == (405, "GET, HEAD"), (method, response.status)
    response, text = served.request("HEAD", "/metrics")
    assert response.status == 200 and text == "" and int(response.headers["Content-Length"]) > 100
    assert served.get("/")[0] == served.get("/metrics/")[0] == served.get("/metrics%20")[0] == 404
    assert served.request("GET", "/healthz", b"x" * 10)[0].status == 413
    for garbage in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500), b"GET\r\n\r\n",
                    b"\x00" * 1000 + b"\r\n\r\n"):
        with served.connect() as connection:
            connection.sendall(garbage)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(1000)
            assert answer == b"" or answer.startswith(b"HTTP/1.1 4") or answer.startswith(b"HTTP/1.1 505"), answer
    with served.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 100000)
        assert b" 431 " in connection.recv(1000) or b" 413 " in connection.recv(1000)
    assert served.is_open()


def slow_clients_are_cut_off(case):
    """More of them than connections are served at once: others wait no longer than a request may take."""
    served = Served(case, "admin")
    slow = [served.connect() for _ in range(CONNECTIONS + 8)]
    begin = time.monotonic()
    for connection in slow:
        case.at_end(connection.close)
        connection.sendall(b"GET /healthz HTTP/1.1\r\n")
    for byte in range(REQUEST_SECONDS - 2):
        time.sleep(max(0, begin + byte + 1 - time.monotonic()))
        for connection in slow:
            connection.sendall(b"X")
    assert served.get("/healthz") == (200, "ok\n")
    assert REQUEST_SECONDS - 2 < time.monotonic() - begin < REQUEST_SECONDS + 20, time.monotonic() - begin
    ended = [connection.recv(100) for connection in slow[:CONNECTIONS]]
    assert ended == [b""] * CONNECTIONS, ended


def taken_ports_are_a_failure(case):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        controller = controllers.Controller(NAME, case.plane, "admin", "--serve",
                                            f"127.0.0.1:{taken.getsockname()[1]}")
        case.at_end(controller.kill)
        assert controller.wait(10) == 1
    assert "Address already in use" in case.plane.log(NAME).read_text()


TESTS = (
    (ready_when_all_is_listed, API_SERVER),
    (copies_that_wait_are_ready, API_SERVER),
    (numbers_are_what_was_done, API_SERVER),
    (only_get_and_head, API_SERVER),
    (slow_clients_are_cut_off, API_SERVER),
    (taken_ports_are_a_failure, API_SERVER),
)
