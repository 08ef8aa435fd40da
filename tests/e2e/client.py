# SPDX-License-Identifier: MIT
"""Requests to an API server, watches, and waiting."""
import http.client
import json
import socket
import ssl
import time

JSON = "application/json"
YAML = "application/yaml"
MERGE = "application/merge-patch+json"
REQUEST_SECONDS = 30
WAIT_SECONDS = 60
# kind: path of its objects in the API server
KINDS = {
    "ClusterRole": "apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "ConfigMap": "api/v1/configmaps",
    "CustomResourceDefinition": "apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "Deployment": "apis/apps/v1/deployments",
    "Event": "api/v1/events",
    "Job": "apis/batch/v1/jobs",
    "Lease": "apis/coordination.k8s.io/v1/leases",
    "MutatingWebhookConfiguration": "apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
    "Namespace": "api/v1/namespaces",
    "Node": "api/v1/nodes",
    "Pod": "api/v1/pods",
    "PodDisruptionBudget": "apis/policy/v1/poddisruptionbudgets",
    "PriorityClass": "apis/scheduling.k8s.io/v1/priorityclasses",
    "ReplicaSet": "apis/apps/v1/replicasets",
    "Role": "apis/rbac.authorization.k8s.io/v1/roles",
    "RoleBinding": "apis/rbac.authorization.k8s.io/v1/rolebindings",
    "Service": "api/v1/services",
    "ServiceAccount": "api/v1/serviceaccounts",
    "StatefulSet": "apis/apps/v1/statefulsets",
    "ValidatingWebhookConfiguration": "apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    "Cluster": "apis/cluster.karmada.io/v1alpha1/clusters",
    "ClusterPropagationPolicy": "apis/policy.karmada.io/v1alpha1/clusterpropagationpolicies",
    "ClusterResourceBinding": "apis/work.karmada.io/v1alpha2/clusterresourcebindings",
    "ClusterTaintPolicy": "apis/policy.karmada.io/v1alpha1/clustertaintpolicies",
    "OverridePolicy": "apis/policy.karmada.io/v1alpha1/overridepolicies",
    "PropagationPolicy": "apis/policy.karmada.io/v1alpha1/propagationpolicies",
    "ResourceBinding": "apis/work.karmada.io/v1alpha2/resourcebindings",
    "Work": "apis/work.karmada.io/v1alpha1/works",
    "WorkloadRebalancer": "apis/apps.karmada.io/v1alpha1/workloadrebalancers",
    "CloneSet": "apis/apps.kruise.io/v1alpha1/clonesets",
    "UnitedDeployment": "apis/apps.kruise.io/v1beta1/uniteddeployments",
    "WorkloadSpread": "apis/apps.kruise.io/v1beta1/workloadspreads",
}


class Refused(Exception):
    """A request that had to succeed and did not."""

    def __init__(self, request, status, answer):
        super().__init__(f"{request}: {status} {answer}")
        self.status = status


def path(kind, namespace="", name="", subresource=""):
    """Returns the path of all objects of a kind, of those in a namespace, of one object, or of its subresource."""
    root, _, plural = KINDS[kind].rpartition("/")
    parts = [root, f"namespaces/{namespace}" if namespace else "", plural, name, subresource]
    return "/" + "/".join(part for part in parts if part)


def api_version(kind):
    """Returns the apiVersion of objects of the kind."""
    return KINDS[kind].rpartition("/")[0].partition("/")[2]


def wait_for(what, look, seconds=WAIT_SECONDS):
    """Calls look() until it returns a true value, and returns that value. AssertionError means "not yet"."""
    deadline, last = time.monotonic() + seconds, None
    while True:
        try:
            last = look()
            if last:
                return last
        except AssertionError as fault:
            last = fault
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s for {what}; last seen: {last}")
        time.sleep(0.05)


class Client:
    """One user of one API server. May be used by several threads: each request opens its own connection."""

    def __init__(self, port, authority, token=None):
        self.port = port
        self.token = token
        self.tls = ssl.create_default_context(cafile=authority)

    def open(self, method, target, body=None, content_type=JSON):
        """Returns (connection, response). The caller must close the connection."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=REQUEST_SECONDS)
        headers = {"Accept": JSON, "Content-Type": content_type}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        text = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        try:
            connection.request(method, target, text, headers)
            return connection, connection.getresponse()
        except BaseException:
            connection.close()
            raise

    def request(self, method, target, body=None, content_type=JSON):
        """Returns (status, answer) for any status. The answer is text if it is not JSON."""
        connection, response = self.open(method, target, body, content_type)
        try:
            text = response.read().decode()
        finally:
            connection.close()
        is_json = response.headers.get_content_type() == JSON
        return response.status, json.loads(text) if is_json else text

    def must(self, method, target, body=None, content_type=JSON):
        """Returns the answer, or raises Refused if the status is not 2xx."""
        status, answer = self.request(method, target, body, content_type)
        if not 200 <= status < 300:
            raise Refused(f"{method} {target}", status, answer)
        return answer

    def get(self, target):
        return self.must("GET", target)

    def create(self, kind, body, namespace=""):
        """Creates an object and returns it. The body needs neither apiVersion nor kind."""
        return self.must("POST", path(kind, namespace), {"apiVersion": api_version(kind), "kind": kind, **body})

    def merge(self, target, patch):
        """Applies a JSON merge patch and returns the object."""
        return self.must("PATCH", target, patch, MERGE)

    def delete(self, target):
        """Deletes an object. A missing object is not an error."""
        status, answer = self.request("DELETE", target)
        if status != 404 and not 200 <= status < 300:
            raise Refused(f"DELETE {target}", status, answer)

    def watch(self, target, **parameters):
        return Watch(self, target, parameters)


class Watch:
    """The events of a watch; to be used in a with statement."""

    def __init__(self, client, target, parameters):
        query = "&".join(f"{name}={value}" for name, value in {"watch": 1, **parameters}.items())
        self.target = f"{target}?{query}"
        self.connection, self.response = client.open("GET", self.target)
        if self.response.status != 200:
            answer = self.response.read().decode()
            self.connection.close()
            raise Refused(f"GET {self.target}", self.response.status, answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def next_event(self):
        """Waits for the next event and returns (type, object), or None if the server has ended the watch."""
        try:
            line = self.response.readline()
        except socket.timeout:
            raise AssertionError(f"{self.target}: no event for {REQUEST_SECONDS} s") from None
        if not line:
            return None
        event = json.loads(line)
        return event["type"], event["object"]
