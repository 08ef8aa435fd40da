# SPDX-License-Identifier: MIT
"""The argument of a test, and objects that several tests create."""
import client

FAKE_LABEL = "e2e.test/fake"  # marks nodes of the fake kubelet
HOLD = "e2e.test/hold"


class Case:
    """A test's control plane, with a namespace of the test's own and a prefix for names outside of namespaces."""

    def __init__(self, name, plane, suite):
        self.name = name
        self.namespace = name
        self.plane = plane
        self.admin = plane.admin
        self._suite = suite
        self._cleanups = []

    def begin(self):
        self.create_global("Namespace", {"metadata": {"name": self.namespace}})

    def at_end(self, function):
        """Calls a function when the test ends, before those that were given earlier."""
        self._cleanups.append(function)

    def start_plane(self, label, parts):
        """Starts another control plane, with custom resource definitions. It ends with the test."""
        plane = self._suite.start_plane(f"{self.name}-{label}", parts)
        self._cleanups.append(lambda: self._suite.close_plane(plane))
        return plane

    def apart(self, parts):
        """Returns a case of the same name on a control plane that only this test has. It ends with this."""
        other = Case(self.name, self.start_plane("own", parts), self._suite)
        self.at_end(other.end)
        other.begin()
        return other

    def beside(self, parts):
        """Returns a case of the same name on the control plane that tests with these parts share. It ends with this."""
        return self.at(self._suite.plane(parts))

    def at(self, plane):
        """Returns a case of the same name on another control plane. It ends with this."""
        other = Case(self.name, plane, self._suite)
        self.at_end(other.end)
        other.begin()
        return other

    def create(self, kind, body):
        """Creates an object in the test's namespace, deleted when the test ends: programs of others see it, too."""
        name = body["metadata"]["name"]
        self._cleanups.append(lambda: self.admin.delete(client.path(kind, self.namespace, name)))
        return self.admin.create(kind, body, self.namespace)

    def create_global(self, kind, body):
        """Creates an object without a namespace, deleted when the test ends. Its name begins with the test's."""
        name = body["metadata"]["name"]
        assert name.startswith(self.name), f"{name}: expected a name that begins with {self.name}"
        self._cleanups.append(lambda: self.admin.delete(client.path(kind, name=name)))
        return self.admin.create(kind, body)

    def create_nodes(self, count, cpu):
        """Creates nodes, waits until they take pods, and returns their names. Pods need node_selector()."""
        names = [f"{self.name}-{number}" for number in range(1, count + 1)]
        size = {"cpu": str(cpu), "memory": "64Gi", "pods": "110"}
        for name in names:
            self._cleanups.append(lambda name=name: self.admin.delete(client.path("Node", name=name)))
            create_node(self.admin, name, size, self.node_selector())
        return names

    def node_selector(self):
        """Returns the labels of the test's nodes."""
        return {"e2e.test/case": self.name}

    def get(self, kind, name):
        """Returns an object without a namespace."""
        return self.admin.get(client.path(kind, name=name))

    def pods(self):
        return self.admin.get(client.path("Pod", self.namespace))["items"]

    def end(self):
        """Runs every cleanup, then raises the first error."""
        errors = []
        while self._cleanups:
            try:
                self._cleanups.pop()()
            except Exception as error:  # pylint: disable=broad-except
                errors.append(error)
        if errors:
            raise errors[0]


def condition(thing, kind):
    """Returns the condition of that type, or {}. Status and conditions may be null in a new object."""
    conditions = (thing.get("status") or {}).get("conditions") or []
    return next((item for item in conditions if item["type"] == kind), {})


def create_node(admin, name, size, labels=()):
    """Creates a node of the fake kubelet, and waits until it takes pods."""
    admin.create("Node", {"metadata": {"name": name, "labels": {FAKE_LABEL: "true", **dict(labels)}}})
    admin.merge(client.path("Node", name=name, subresource="status"),
                {"status": {"capacity": size, "allocatable": size}})
    client.wait_for(f"node {name}", lambda: is_usable(admin.get(client.path("Node", name=name))))


def is_usable(node):
    return condition(node, "Ready").get("status") == "True" and not node["spec"].get("taints")


def is_running(pod):
    return pod["status"]["phase"] == "Running" and condition(pod, "Ready").get("status") == "True"


def pod_spec(case, cpu="1"):
    return {"nodeSelector": case.node_selector(),
            "containers": [{"name": "main", "image": "none", "resources": {"requests": {"cpu": cpu}}}]}


def deployment(case, name, replicas, cpu="1"):
    labels = {"app": name}
    return {"metadata": {"name": name}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod_spec(case, cpu)}}}
