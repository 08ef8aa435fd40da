# SPDX-License-Identifier: MIT
"""kruise-spread-webhook of the examples, against a real API server."""
import collections
import copy
import http.client
import json
import os
import shutil
import socket
import ssl
import struct
import threading
import time

import crowd
import rights
import webhook
from case import deployment, is_running
from client import YAML, api_version, path, wait_for
from harness import ALL, API_SERVER
from webhook import (NAME, SUBSET, Webhook, create_spread, create_workload, limited, question_about, recorded,
                     subset_of)


CHUNKS = b"".join(b"%x\r\n%s\r\n" % (1 << 20, b"x" * (1 << 20)) for _ in range(9)) + b"0\r\n\r\n"  # 9 MiB


def pods_of_a_deployment_are_injected(case):
    """The ReplicaSet controller creates pods, the API server calls the webhook for them, and pods are deleted."""
    hook = Webhook(case, "admin").wait_ready()
    case.create_nodes(1, 16)
    create_spread(case, "web", limited(3))
    register(case, hook)
    case.create("Deployment", deployment(case, "web", 5))
    pods = wait_for("five pods", lambda: len(case.pods()) == 5 and all(map(is_running, case.pods())) and case.pods())
    subsets = sorted(pod["metadata"]["labels"]["subset"] for pod in pods)
    assert subsets == ["a", "a", "a", "b", "b"], subsets
    version = pods[0]["metadata"]["labels"]["pod-template-hash"]
    status = recorded(case, "web", version)
    assert status["a"]["missingReplicas"] == 0 and len(status["a"]["creatingPods"]) == 3, status
    assert status["b"]["missingReplicas"] == -1, status
    keys = {webhook.annotation(pod).get("uid") for pod in pods if pod["metadata"]["labels"]["subset"] == "a"}
    assert keys == set(status["a"]["creatingPods"]), (keys, status)
    first, second = [pod["metadata"]["name"] for pod in pods if pod["metadata"]["labels"]["subset"] == "a"][:2]
    case.admin.delete(path("Pod", case.namespace, first))
    case.admin.must("POST", path("Pod", case.namespace, second, "eviction"), {
        "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": second, "namespace": case.namespace}})
    gone = recorded(case, "web", version)["a"]["deletingPods"]
    assert {first, second} <= set(gone), gone
    wait_for("others in their place", lambda: sorted(
        pod["metadata"]["labels"]["subset"] for pod in case.pods() if "deletionTimestamp" not in pod["metadata"]) ==
             ["a", "a", "a", "b", "b"])


def probe(case):
    """Returns a pod for which the webhook is called, and which belongs to no WorkloadSpread."""
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "none", "uid": "none", "controller": True}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "probe", "ownerReferences": [reference]},
            "spec": {"containers": [{"name": "main", "image": "none"}]}}


def register(case, hook, **changes):
    """Registers the webhook, and returns when the API server calls it."""
    hook.register(case, **changes)
    wait_for("the registration", lambda: dry_run(case) and hook.numbers().get("librebalance_reviews_total"))


def dry_run(case):
    return case.admin.request("POST", path("Pod", case.namespace) + "?dryRun=All", probe(case))


def create_pod(case, pod):
    """Returns (status, answer) of the API server."""
    return case.admin.request("POST", path("Pod", case.namespace), pod)


def unwritten_statuses_are_refused_or_allowed(case):
    """Without the right to write a status, --on-failure decides, within the time of the review."""
    pod = create_workload(case, "web")
    create_spread(case, "web", limited(3))
    give(case, [rule for rule in shipped_rules(case) if "workloadspreads/status" not in rule["resources"]])
    for flag in ("refuse", "allow"):
        hook = Webhook(case, "controllers", "--on-failure", flag).wait_ready()
        begin = time.monotonic()
        response = hook.review(question_about(case.namespace, pod), 6)
        assert 3 < time.monotonic() - begin < 6, time.monotonic() - begin
        assert response["allowed"] == (flag == "allow") and "patch" not in response, response
        if flag == "refuse":
            assert "could not be decided in time" in response["status"]["message"], response
        assert not recorded(case, "web")
        hook.end()


def shipped_rules(case):
    target = path("ClusterRole") + "?dryRun=All"
    return case.admin.must("POST", target, webhook.shipped("ClusterRole"), YAML)["rules"]


def give(case, rules):
    """Gives the user of controllers these rights, and returns the path of the role."""
    case.create_global("ClusterRole", {"metadata": {"name": case.name}, "rules": rules})
    case.create_global("ClusterRoleBinding", {
        "metadata": {"name": case.name}, "subjects": [{"kind": "User", "name": "librebalance"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": case.name}})
    return path("ClusterRole", name=case.name)


def each_right_is_needed(case):
    """
    Without each right the API server denies requests of the webhook, and pods are refused; then the right is restored.
    """
    pod = create_workload(case, "web")
    create_spread(case, "web", limited(100))
    rules = shipped_rules(case)
    role = give(case, rules)
    log = case.plane.log(NAME)
    for right in [None, *rights.rights(rules)]:
        case.admin.merge(role, {"rules": rules if right is None else rights.without(rules, right)})
        begin = log.stat().st_size if log.exists() else 0
        hook = Webhook(case, "controllers")
        if right is not None:
            place, resource, verb = right
            denied = f'cannot {verb} resource "{resource}" in API group "{rules[place]["apiGroups"][0]}"'
            wait_for(f"the log to say: {denied}", lambda: denied in log.read_text()[begin:] or
                     hook.review(question_about(case.namespace, pod), 1) is None)
            case.admin.merge(role, {"rules": rules})
        wait_for(f"a subset, after {right} was missing",
                 lambda: subset_of(hook.review(question_about(case.namespace, pod), 4)) == "a")
        hook.end()


def wrong_authority(case):
    """The API server trusts another one: its failurePolicy decides, and the webhook gets no review."""
    pod = create_workload(case, "web")
    create_spread(case, "web", limited(3))
    hook = Webhook(case, "admin", sanitize=True).wait_ready()
    case.plane.credentials.make_authority("other")
    hook.register(case, "fail", "other")
    wait_for("the registration", lambda: dry_run(case)[0] == 500)
    status, answer = create_pod(case, pod)
    assert status == 500 and "certificate signed by unknown authority" in answer["message"], answer
    case.admin.delete(path("MutatingWebhookConfiguration", name=f"{case.name}-fail"))
    wait_for("the removal", lambda: dry_run(case)[0] == 201)
    hook.register(case, "ignore", "other", failurePolicy="Ignore")
    log = case.plane.log("kube-apiserver")
    wait_for("the registration", lambda: dry_run(case) and "failing open" in log.read_text())
    status, answer = create_pod(case, pod)
    assert status == 201 and "annotations" not in answer["metadata"], answer
    assert "librebalance_reviews_total" not in hook.numbers()


def server_away(case):
    """While the API server is away the flag decides within the time of the review; afterwards all is as before."""
    plane = case.start_plane("away", API_SERVER)
    plane.admin.create("Namespace", {"metadata": {"name": case.namespace}})
    pod = create_workload(case, "web", plane.admin)
    create_spread(case, "web", limited(3), plane.admin)
    hooks = {flag: Webhook(case, "admin", "--on-failure", flag, plane=plane, sanitize=True).wait_ready()
             for flag in ("refuse", "allow")}
    plane.stop_part("kube-apiserver")
    for flag, hook in hooks.items():
        begin = time.monotonic()
        assert hook.review(question_about(case.namespace, pod), 8)["allowed"] == (flag == "allow")
        assert time.monotonic() - begin < 8
        assert hook.look("/healthz") == 200
    plane.start_part("kube-apiserver")
    plane.wait_ready()
    for hook in hooks.values():
        wait_for("a subset", lambda hook=hook: subset_of(hook.review(question_about(case.namespace, pod), 4)) == "a")
    assert recorded(case, "web", admin=plane.admin)["a"]["missingReplicas"] == 1


def two_copies_lose_nothing(case):
    """Both write the status of one WorkloadSpread: the first subset gets as many pods as its limit."""
    pod = create_workload(case, "web")
    create_spread(case, "web", limited(100))
    hooks = [Webhook(case, "admin").wait_ready() for _ in range(2)]
    answers = crowd.send([(hook, question_about(case.namespace, pod)) for _ in range(100) for hook in hooks],
                         at_once=20)
    chosen = [subset_of(response) for response, _ in answers]
    assert chosen.count("a") == chosen.count("b") == 100, chosen
    status = recorded(case, "web")
    assert status["a"]["missingReplicas"] == 0 and len(status["a"]["creatingPods"]) == 100, status
    conflicts = [hook.numbers()["librebalance_requests_total"].get('method="PATCH",code="409"', 0) for hook in hooks]
    assert sum(conflicts) > 0, "none wrote before the other"


def objects_are_validated(case):
    """Objects that OpenKruise refuses are refused, with the same messages; those that it accepts are accepted."""
    hook = Webhook(case, "admin", sanitize=True).wait_ready()
    hook.register(case, kind="Validating")

    def refusal(kind, body, method="POST", name=""):
        status, answer = case.admin.request(method, path(kind, case.namespace, name) + "?dryRun=All", {
            "apiVersion": api_version(kind), "kind": kind, **body})
        return status == 400 and answer["message"].partition(" denied the request: ")[2]

    def spread(name, target, subsets):
        return {"metadata": {"name": name}, "spec": {"subsets": subsets, "targetRef": {
            "apiVersion": "apps/v1", "kind": "Deployment", "name": target}}}

    wait_for("the registration", lambda: refusal("WorkloadSpread", spread("ws", "web", [])) ==
             "spec.subsets: Required value: subsets number must >= 1 in WorkloadSpread")
    made = case.create("WorkloadSpread", spread("ws", "web", limited(3)))
    text = wait_for("the first one", lambda: refusal("WorkloadSpread", spread("other", "web", limited(3))))
    assert text.endswith("ws.spec.targetRef is in conflict with other WorkloadSpread ws"), text
    changed = {**made, "spec": spread("ws", "api", limited(3))["spec"]}
    text = refusal("WorkloadSpread", changed, "PUT", "ws")
    assert text.endswith("change TargetReference is not permitted for WorkloadSpread"), text
    assert refusal("WorkloadSpread", {**made, "spec": spread("ws", "web", limited(4))["spec"]}, "PUT", "ws") is False
    twice = [{"name": "a"}, {"name": "a", "maxReplicas": "x"}]
    text = refusal("WorkloadSpread", spread("twice", "api", twice))
    assert text.startswith("[spec.subsets[1].name: Invalid value: ") and text.endswith("]"), text
    united = {"metadata": {"name": "united"}, "spec": {"replicas": 2, "selector": {}, "template": {}, "topology": {
        "subsets": [{"name": "a", "replicas": 3}, {"name": "a", "replicas": 1}]}}}
    assert refusal("UnitedDeployment", united), "not refused"


def certificates_are_rotated(case):
    """New connections get the new certificate; while certificate and key do not match, the old one."""
    credentials = case.plane.credentials
    files = [credentials.path(f"{case.name}-used.{end}") for end in ("crt", "key")]
    for name in ("first", "second"):
        credentials.make_certificate(f"{case.name}-{name}")
    install(case, "first", files)
    hook = Webhook(case, "admin", certificate=files, sanitize=True).wait_ready()
    first = hook.serial()
    install(case, "second", files[:1])
    assert hook.serial() == first
    install(case, "second", files)
    assert hook.serial() != first
    with open(files[0], "w", encoding="utf-8") as file:
        file.write("none")
    assert hook.serial() != first
    assert hook.review(question_about(case.namespace, probe(case)))["allowed"]


def install(case, name, files):
    """Puts a certificate, or it and its key, in place as a rename does."""
    for target in files:
        source = case.plane.credentials.path(f"{case.name}-{name}.{target.rpartition('.')[2]}")
        shutil.copyfile(source, f"{target}.new")
        os.rename(f"{target}.new", target)


def thousand_at_once(case, sanitize=False):
    """1,000 connections at the same time, each with a review."""
    pod = create_workload(case, "web")
    create_spread(case, "web", limited(600))
    hook = Webhook(case, "admin", sanitize=sanitize).wait_ready()
    begin = time.monotonic()
    answers = crowd.send([(hook, question_about(case.namespace, pod)) for _ in range(1000)])
    seconds = time.monotonic() - begin
    chosen = [subset_of(response) for response, _ in answers]
    assert (chosen.count("a"), chosen.count("b")) == (600, 400), collections.Counter(chosen)
    assert recorded(case, "web")["a"]["missingReplicas"] == 0
    slowest = max(each for _, each in answers)
    assert slowest < 30, slowest  # the longest that an API server waits
    numbers = hook.numbers()
    writes = numbers["librebalance_requests_total"]['method="PATCH",code="200"']
    print(f"  1,000 at once: {seconds:.1f} s with TLS handshakes, slowest answer {slowest:.2f} s, {writes:.0f} writes")
    begin = time.monotonic()
    one_by_one = crowd.send([(hook, question_about(case.namespace, pod)) for _ in range(100)], at_once=1)
    assert {subset_of(response) for response, _ in one_by_one} == {"b"}
    create_spread_again(case)
    times = sorted(each for _, each in crowd.send([(hook, question_about(case.namespace, pod)) for _ in range(100)],
                                                  at_once=1))
    assert times[-1] < 0.9, f"{times[-1]}: an answer was not noticed at once"
    unwritten = sorted(each for _, each in one_by_one)
    print(f"  one by one: median {times[50] * 1000:.1f} ms with a write, {unwritten[50] * 1000:.1f} ms without")


def create_spread_again(case):
    """Creates a WorkloadSpread whose first subset takes all pods."""
    case.admin.delete(path("WorkloadSpread", case.namespace, "web"))
    create_spread(case, "web", limited(1000))


def abuse(case):
    """Each is refused or cut off within the time of a request, and others are served meanwhile."""
    pod = create_workload(case, "web")
    create_spread(case, "web", limited(3))
    hook = Webhook(case, "admin", sanitize=True).wait_ready()
    whole = json.dumps(question_about(case.namespace, pod)).encode()
    refused = {"": 400, "{": 400, "{}": 400, "[" * 1000000: 400, "null": 400, '{"kind":"AdmissionReview"}': 400,
               "\x00\xff": 400, "- " * 100000: 400, whole[:-2].decode(): 400}
    for body, expected in refused.items():
        begin = time.monotonic()
        assert hook.post(body.encode())[0] == expected, body[:40]
        assert time.monotonic() - begin < 3, (body[:40], time.monotonic() - begin)
    for length in (b"Content-Length: 9000000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKS):
        with hook.open() as connection:
            connection.sendall(b"POST /pods HTTP/1.1\r\nHost: localhost\r\n" + length)
            assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")
    for question in malformed(case, pod):
        status, text = hook.post(json.dumps(question).encode())
        assert status == 400 or "response" in json.loads(text), (question, status, text)
    assert hook.post(None, method="GET")[0] == hook.post(b"", method="PUT")[0] == 405
    assert hook.post(whole, "/other")[0] == 404
    assert hook.look("/pods") == 404  # health is another server
    slow = start_slow(hook, whole)
    sizes = [hook.post(b"{" + b" " * (7 << 20) + whole[1:])[0] for _ in range(3)]
    assert sizes == [200] * 3, sizes
    for _ in range(50):
        leave_in_the_middle(hook, whole)
    assert subset_of(hook.review(question_about(case.namespace, pod))) is not None
    for name, connection in slow.items():
        assert ended(connection), name
    assert subset_of(hook.review(question_about(case.namespace, pod))) == "b"


def malformed(case, pod):
    """Returns reviews in which one member has another type."""
    for target in ("request", "request.object", "request.object.metadata", "request.object.metadata.ownerReferences",
                   "request.object.metadata.labels", "request.object.spec", "request.object.spec.containers",
                   "request.resource", "request.uid", "request.operation", "request.namespace", "apiVersion", "kind"):
        for value in (None, 1, "x", [], {}, [None], "\u0000", "\n\"\\", "x" * 100000):
            question = question_about(case.namespace, copy.deepcopy(pod))
            place, _, last = target.rpartition(".")
            parent = question
            for name in place.split(".") if place else []:
                parent = parent[name]
            parent[last] = value
            yield question


def start_slow(hook, whole):
    """Returns {description: connection}; none of them ends by itself."""
    head = webhook.HEAD % len(whole)
    encrypted = {"sends nothing": b"", "sends a part of a header": head[:20], "sends a header": head,
                 "sends a part of a body": head + whole[:100], "shuts down": head}
    plain = {"does no handshake": b"", "is not TLS": head, "sends a part of a handshake": b"\x16\x03\x01\x02\x00\x01"}
    connections = {name: hook.open() for name in encrypted}
    connections.update({name: socket.create_connection(("127.0.0.1", hook.port), timeout=30) for name in plain})
    for name, text in {**encrypted, **plain}.items():
        connections[name].sendall(text)
    connections["shuts down"].unwrap().shutdown(socket.SHUT_WR)
    return connections


def leave_in_the_middle(hook, whole):
    """Closes a connection when its review is complete and not yet answered."""
    with hook.open() as connection:
        connection.sendall(webhook.HEAD % len(whole) + whole)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def ended(connection):
    """Waits for the end of a connection."""
    with connection:
        try:
            while connection.recv(1000):
                pass
        except (ConnectionError, ssl.SSLError):
            pass
        except socket.timeout:
            return False
    return True


def ends_amid_reviews(case):
    """It ends with status 0 while reviews arrive on connections that stay open, as those of an API server do."""
    body = json.dumps(question_about(case.namespace, create_workload(case, "web")))
    create_spread(case, "web", limited(3))
    for _ in range(3):
        hook = Webhook(case, "admin").wait_ready()
        clients = [threading.Thread(target=send_on, args=(hook, body)) for _ in range(8)]
        for one in clients:
            one.start()
        time.sleep(0.5)
        hook.end()
        for one in clients:
            one.join()


def send_on(hook, body):
    """Sends reviews on one connection until it ends."""
    connection = hook.connect()
    try:
        while True:
            connection.request("POST", "/pods?timeout=10s", body, {"Content-Type": "application/json"})
            connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        connection.close()


def thousand_at_once_sanitized(case):
    thousand_at_once(case, sanitize=True)


TESTS = (
    (pods_of_a_deployment_are_injected, ALL),
    (unwritten_statuses_are_refused_or_allowed, API_SERVER),
    (each_right_is_needed, API_SERVER),
    (wrong_authority, API_SERVER),
    (server_away, API_SERVER),
    (two_copies_lose_nothing, API_SERVER),
    (objects_are_validated, API_SERVER),
    (certificates_are_rotated, API_SERVER),
    (abuse, API_SERVER),
    (ends_amid_reviews, API_SERVER),
    (thousand_at_once, API_SERVER),
    (thousand_at_once_sanitized, API_SERVER),
)
