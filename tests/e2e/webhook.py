# SPDX-License-Identifier: MIT
"""kruise-spread-webhook of the examples, as a process of a test, and requests as API servers send them."""
import base64
import http.client
import itertools
import json
import socket
import ssl

import controllers
import metrics
from client import YAML, path, wait_for

NAME = "kruise-spread-webhook"
SUBSET = "apps.kruise.io/matched-workloadspread"
HEAD = b"POST /pods?timeout=10s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
UIDS = itertools.count(1)


class Webhook:
    """A webhook that ends with the test, which fails if it does not end well."""

    def __init__(self, case, user, *arguments, plane=None, certificate=None, sanitize=False):
        self.plane = plane or case.plane
        pki = self.plane.credentials.path
        self.certificate, self.key = certificate or (pki("server.crt"), pki("server.key"))
        self.controller = controllers.Controller(
            NAME, self.plane, user, "--listen", "127.0.0.1:0", "--serve", "127.0.0.1:0", "--certificate",
            self.certificate, "--key", self.key, *arguments, sanitize=sanitize)
        self.is_ended = False
        case.at_end(self.end_with_test)
        self.tls = ssl.create_default_context(cafile=pki("ca.crt"))
        self.health, self.port = (self.controller.port(served) for served in ("/healthz", "/pods"))

    def look(self, target):
        """Returns the status of a page of its health."""
        return self.fetch(target)[0]

    def fetch(self, target):
        connection = http.client.HTTPConnection("127.0.0.1", self.health, timeout=30)
        try:
            connection.request("GET", target)
            response = connection.getresponse()
            return response.status, response.read().decode()
        except OSError:
            return 0, ""
        finally:
            connection.close()

    def numbers(self):
        return metrics.read(self.fetch("/metrics")[1])

    def wait_ready(self):
        wait_for("readiness", lambda: self.look("/readyz") == 200)
        return self

    def connect(self):
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=30)

    def post(self, body, target="/pods?timeout=10s", method="POST"):
        """Returns (status, text)."""
        connection = self.connect()
        try:
            connection.request(method, target, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def review(self, question, seconds=10):
        """Returns the response of a review."""
        status, text = self.post(json.dumps(question), f"/pods?timeout={seconds}s")
        assert status == 200, (status, text)
        return response_of(question, text)

    def open(self):
        """Returns a connection that has shaken hands."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        return self.tls.wrap_socket(connection, server_hostname="localhost")

    def serial(self):
        """Returns the number of its certificate."""
        with self.open() as connection:
            return connection.getpeercert()["serialNumber"]

    def register(self, case, label="hook", authority="ca", kind="Mutating", **changes):
        """Registers it as the shipped configuration does, for the namespace of the test. Members may be changed."""
        kind += "WebhookConfiguration"
        hooks = case.admin.must("POST", path(kind) + "?dryRun=All", shipped(kind), YAML)["webhooks"]
        with open(self.plane.credentials.path(f"{authority}.crt"), "rb") as file:
            bundle = base64.b64encode(file.read()).decode()
        where = {"matchLabels": {"kubernetes.io/metadata.name": case.namespace}}
        case.create_global(kind, {"metadata": {"name": f"{case.name}-{label}"}, "webhooks": [
            {**hook, "namespaceSelector": where, "clientConfig": {
                "url": f"https://127.0.0.1:{self.port}{hook['clientConfig']['service']['path']}", "caBundle": bundle},
             **changes} for hook in hooks]})

    def end(self):
        """Ends it before the test does."""
        controllers.end(self.controller, NAME)
        self.is_ended = True

    def end_with_test(self):
        if not self.is_ended:
            self.end()


def shipped(kind):
    """Returns the text of an object of the shipped deployment."""
    documents = (controllers.SOURCES / "deploy" / f"{NAME}.yaml").read_text().split("\n---\n")
    return next(document for document in documents if f"\nkind: {kind}\n" in document).encode()


def response_of(question, text):
    answer = json.loads(text)
    assert (answer["kind"], answer["apiVersion"]) == ("AdmissionReview", question["apiVersion"]), answer
    assert answer["response"]["uid"] == question["request"]["uid"], answer
    return answer["response"]


def subset_of(response):
    """Returns the subset that a response injects, None for none."""
    for change in json.loads(base64.b64decode(response.get("patch", "W10="))):
        text = change["value"].get(SUBSET) if change["path"] == "/metadata/annotations" else \
            change["value"] if change["path"].endswith("matched-workloadspread") else None
        if text:
            return json.loads(text)["subset"]
    return None


def question_about(namespace, pod, operation="CREATE"):
    """Returns a review of a pod."""
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": f"00000000-0000-4000-8000-{next(UIDS):012}", "operation": operation, "namespace": namespace,
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "object": pod if operation == "CREATE" else None, "oldObject": pod if operation == "DELETE" else None}}


def create_spread(case, name, subsets, admin=None):
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    body = {"metadata": {"name": name}, "spec": {"targetRef": target, "subsets": subsets}}
    return (admin or case.admin).create("WorkloadSpread", body, case.namespace)


def limited(limit):
    """Two subsets of which the first one has a limit; pods get a label by their subset."""
    return [{"name": "a", "maxReplicas": limit, "patch": {"metadata": {"labels": {"subset": "a"}}}},
            {"name": "b", "patch": {"metadata": {"labels": {"subset": "b"}}}}]


def create_workload(case, name, admin=None):
    """Creates a Deployment and, as its controller does, a ReplicaSet. Returns the pod that the latter would create."""
    admin = admin or case.admin
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "none"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    deployment = admin.create("Deployment", {"metadata": {"name": name}, "spec": spec}, case.namespace)
    version = {**labels, "pod-template-hash": "1"}
    metadata = {"name": f"{name}-1", "labels": version, "ownerReferences": [owner(deployment, "Deployment")]}
    spec = {**spec, "selector": {"matchLabels": version}, "template": {**template, "metadata": {"labels": version}}}
    replicas = admin.create("ReplicaSet", {"metadata": metadata, "spec": spec}, case.namespace)
    return {"apiVersion": "v1", "kind": "Pod", "spec": template["spec"], "metadata": {
        "generateName": f"{name}-1-", "namespace": case.namespace, "labels": version,
        "ownerReferences": [owner(replicas, "ReplicaSet")]}}


def owner(thing, kind):
    return {"apiVersion": "apps/v1", "kind": kind, "name": thing["metadata"]["name"], "uid": thing["metadata"]["uid"],
            "controller": True, "blockOwnerDeletion": True}


def recorded(case, name, version="1", admin=None):
    """Returns {subset: status} of a WorkloadSpread for a version of its pods."""
    found = (admin or case.admin).get(path("WorkloadSpread", case.namespace, name))
    lists = (found.get("status") or {}).get("versionedSubsetStatuses") or {}
    return {subset["name"]: subset for subset in lists.get(version, [])}


def annotation(pod):
    """Returns what the annotation of a pod that was injected holds."""
    return json.loads(pod["metadata"]["annotations"][SUBSET])
