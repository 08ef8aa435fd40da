# SPDX-License-Identifier: MIT
"""The harness works, and the API server behaves as other tests and the examples assume."""
import client
from case import HOLD, condition, deployment, is_running, is_usable, pod_spec
from client import path, wait_for
from harness import ALL, API_SERVER, schema_files

NOW = "2026-03-14T09:30:00Z"


def binding(name):
    return {"metadata": {"name": name},
            "spec": {"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}, "replicas": 3}}


def schemas_are_served(case):
    definitions = case.admin.get(path("CustomResourceDefinition"))["items"]
    assert len(definitions) == len(schema_files()) > 0, definitions
    for definition in definitions:
        spec = definition["spec"]
        assert condition(definition, "Established")["status"] == "True", definition["status"]
        for version in (item["name"] for item in spec["versions"] if item["served"]):
            listed = case.admin.get(f"/apis/{spec['group']}/{version}/{spec['names']['plural']}")
            assert listed["kind"] == spec["names"]["listKind"], listed
    names = {definition["spec"]["names"]["kind"] for definition in definitions}
    ours = {kind for kind, where in client.KINDS.items() if ".karmada.io/" in where or ".kruise.io/" in where}
    assert ours <= names, ours - names


def clusters_have_status(case):
    amounts = {f"{case.name}-1": "10", f"{case.name}-2": "40"}
    for name, cpu in amounts.items():
        made = case.create_global("Cluster", {"metadata": {"name": name}, "spec": {"syncMode": "Push", "region": "r1"}})
        patched = case.admin.merge(path("Cluster", name=name, subresource="status"), {"status": {
            "kubernetesVersion": "v1.36.3", "resourceSummary": {"allocatable": {"cpu": cpu, "pods": 110}}}})
        assert patched["spec"] == made["spec"] and patched["metadata"]["generation"] == 1, patched
    listed = {item["metadata"]["name"]: item for item in case.admin.get(path("Cluster"))["items"]}
    for name, cpu in amounts.items():
        assert listed[name]["status"]["resourceSummary"]["allocatable"] == {"cpu": cpu, "pods": 110}, listed[name]


def bindings_are_watched(case):
    """Patches of spec and status do not affect each other, and only those of spec change the generation."""
    made = case.create("ResourceBinding", binding("web"))
    target = path("ResourceBinding", case.namespace, "web")
    clusters, conditions = [{"name": "member1", "replicas": 3}], [{
        "type": "Scheduled", "status": "True", "reason": "Success", "message": "", "lastTransitionTime": NOW}]
    start = made["metadata"]["resourceVersion"]
    with case.admin.watch(path("ResourceBinding", case.namespace), resourceVersion=start) as watch:
        case.admin.merge(target, {"spec": {"clusters": clusters}, "status": {"schedulerObservedGeneration": 9}})
        kind, seen = watch.next_event()
        assert (kind, seen["metadata"]["generation"]) == ("MODIFIED", 2), (kind, seen)
        assert seen["spec"]["clusters"] == clusters and not seen.get("status"), seen
        case.admin.merge(f"{target}/status", {"spec": {"replicas": 7}, "status": {
            "schedulerObservedGeneration": 2, "conditions": conditions}})
        kind, seen = watch.next_event()
        assert (kind, seen["metadata"]["generation"]) == ("MODIFIED", 2), (kind, seen)
        assert seen["spec"] == {**made["spec"], "clusters": clusters}, seen
        assert seen["status"] == {"schedulerObservedGeneration": 2, "conditions": conditions}, seen
    assert case.admin.get(target) == seen


def wrong_types_are_refused(case):
    workload = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "web"}
    case.create_global("WorkloadRebalancer", {"metadata": {"name": case.name}, "spec": {"workloads": [workload]}})
    target = path("WorkloadRebalancer", name=case.name, subresource="status")
    status = {"observedWorkloads": [{"workload": workload, "result": "Successful"}], "finishTime": NOW}
    assert case.admin.merge(target, {"status": status})["status"] == status
    for wrong in ({"observedWorkloads": [{"workload": workload, "result": 7}]}, {"finishTime": "tomorrow"},
                  {"observedWorkloads": [{"workload": {**workload, "name": None}, "result": "Failed"}]}):
        code, answer = case.admin.request("PATCH", target, {"status": wrong}, client.MERGE)
        assert (code, answer["reason"]) == (422, "Invalid"), answer
    assert case.get("WorkloadRebalancer", case.name)["status"] == status


def is_unschedulable(pod, message):
    found = condition(pod, "PodScheduled")
    return found.get("reason") == "Unschedulable" and found["message"].startswith(message)


def fill_nodes(case):
    """Creates two nodes of 4 CPU and 11 pods of 1 CPU, of which 8 run."""
    names = case.create_nodes(2, cpu=4)
    case.create("Deployment", deployment(case, "web", 11))
    wait_for("8 pods that run and 3 that do not fit", lambda: has_filled(case))
    return names


def has_filled(case, message="0/2 nodes are available: 2 Insufficient cpu."):
    pods = case.pods()
    running = [pod for pod in pods if is_running(pod)]
    waiting = [pod for pod in pods if is_unschedulable(pod, message)]
    assert (len(pods), len(running), len(waiting)) == (11, 8, 3), [(pod["status"], pod["spec"]) for pod in pods]
    return True


def full_nodes_leave_pods_unschedulable(case):
    first, second = fill_nodes(case)
    case.admin.merge(path("Node", name=first), {"spec": {"unschedulable": True}})
    case.admin.merge(path("Deployment", case.namespace, "web"), {"spec": {"replicas": 3}})
    wait_for("3 pods left", lambda: len(case.pods()) == 3)
    case.admin.merge(path("Deployment", case.namespace, "web"), {"spec": {"replicas": 11}})
    wait_for("the node that takes pods to be full",
             lambda: [pod["spec"].get("nodeName") for pod in case.pods() if is_running(pod)].count(second) == 4)
    reason = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable."
    wait_for(f"a pod with the reason {reason}", lambda: any(is_unschedulable(pod, reason) for pod in case.pods()))


def deletion_cost_chooses_pod(case):
    """Without a cost the newest pod is deleted. The controller receives changes of pods in order: when it has replaced
    a pod that was deleted after the cost was set, it has received the cost."""
    fill_nodes(case)
    chosen, other = [pod["metadata"]["name"] for pod in case.pods() if is_running(pod)][:2]
    case.admin.merge(path("Pod", case.namespace, chosen), {
        "metadata": {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "-100"}}})
    case.admin.delete(path("Pod", case.namespace, other))
    wait_for("another pod in place of the deleted one",
             lambda: has_filled(case) and other not in [pod["metadata"]["name"] for pod in case.pods()])
    case.admin.merge(path("Deployment", case.namespace, "web"), {"spec": {"replicas": 7}})
    left = wait_for("7 pods left", lambda: pods_left(case, 7))
    assert chosen not in left and other not in left, (chosen, left)


def pods_left(case, count):
    pods = case.pods()
    return len(pods) == count and all(is_running(pod) for pod in pods) and [pod["metadata"]["name"] for pod in pods]


def held_pods_and_nodes_wait(case):
    """Needs two nodes: if no node is ready, none gets a taint that evicts."""
    case.create_nodes(2, cpu=4)
    target = path("Pod", case.namespace, "web")
    case.create("Pod", {"metadata": {"name": "web", "annotations": {HOLD: "Pending"}}, "spec": pod_spec(case)})
    case.create("Pod", {"metadata": {"name": "beside"}, "spec": pod_spec(case)})
    wait_for("the other pod to run", lambda: is_running(case.admin.get(path("Pod", case.namespace, "beside"))))
    pod = wait_for("a node", lambda: (seen := case.admin.get(target))["spec"].get("nodeName") and seen)
    assert pod["status"]["phase"] == "Pending", pod["status"]
    hold(case, target, "NotReady")
    wait_for("a running pod that is not ready", lambda: (seen := case.admin.get(target))["status"]["phase"] == "Running"
             and condition(seen, "Ready").get("status") == "False")
    hold(case, target, None)
    wait_for("a ready pod", lambda: is_running(case.admin.get(target)))
    node = pod["spec"]["nodeName"]
    hold(case, path("Node", name=node), "NotReady")
    wait_for("taints", lambda: condition(case.get("Node", node), "Ready")["status"] == "False" and "NoExecute" in [
        taint["effect"] for taint in case.get("Node", node)["spec"].get("taints", [])])
    case.admin.delete(target)
    assert case.admin.get(target)["metadata"]["deletionTimestamp"]
    hold(case, path("Node", name=node), None)
    wait_for("the node again", lambda: is_usable(case.get("Node", node)))
    wait_for("its deleted pod to go", lambda: case.admin.request("GET", target)[0] == 404)


def hold(case, target, value):
    case.admin.merge(target, {"metadata": {"annotations": {HOLD: value}}})


def controllers_have_no_rights(case):
    """A user without roles is refused until the test binds one."""
    user, target = case.plane.client("controllers"), path("ResourceBinding", case.namespace)
    case.create("ResourceBinding", binding("web"))
    for method, where, body in (("GET", target, None), ("PATCH", f"{target}/web", {"spec": {"replicas": 1}}),
                                ("PATCH", f"{target}/web/status", {"status": {}}), ("GET", path("Node"), None)):
        code, answer = user.request(method, where, body, client.MERGE)
        assert (code, answer["reason"]) == (403, "Forbidden"), answer
    case.create("Role", {"metadata": {"name": "reader"}, "rules": [
        {"apiGroups": ["work.karmada.io"], "resources": ["resourcebindings"], "verbs": ["list"]}]})
    case.create("RoleBinding", {
        "metadata": {"name": "reader"}, "subjects": [{"kind": "User", "name": "librebalance"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}})
    wait_for("a list that is allowed", lambda: user.request("GET", target)[0] == 200)
    assert user.request("GET", f"{target}/web")[0] == 403


def old_watches_expire(case):
    """The server no longer has the changes since that version; a client must list again."""
    case.create("ResourceBinding", binding("web"))
    with case.admin.watch(path("ResourceBinding", case.namespace), resourceVersion=1) as watch:
        kind, status = watch.next_event()
        assert (kind, status["code"], status["reason"]) == ("ERROR", 410, "Expired"), (kind, status)
        assert watch.next_event() is None


def lists_can_be_streamed(case):
    for name in ("api", "web"):
        case.create("ResourceBinding", binding(name))
    with case.admin.watch(path("ResourceBinding", case.namespace), sendInitialEvents="true", allowWatchBookmarks="true",
                          resourceVersionMatch="NotOlderThan") as watch:
        events = [watch.next_event() for _ in range(3)]
        assert [kind for kind, _ in events] == ["ADDED", "ADDED", "BOOKMARK"], events
        assert sorted(seen["metadata"]["name"] for _, seen in events[:2]) == ["api", "web"], events
        assert events[2][1]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}, events[2]
        case.create("ResourceBinding", binding("late"))
        kind, seen = watch.next_event()
        assert (kind, seen["metadata"]["name"]) == ("ADDED", "late"), (kind, seen)


def control_planes_are_apart(case):
    other = case.start_plane("member", API_SERVER)
    other.admin.create("Namespace", {"metadata": {"name": case.name}})
    other.admin.create("ResourceBinding", binding("web"), case.name)
    assert not case.admin.get(path("ResourceBinding", case.name))["items"]
    assert len(other.admin.get(path("ResourceBinding", case.name))["items"]) == 1
    stranger = client.Client(other.port, other.credentials.path("ca.crt"), case.admin.token)
    assert stranger.request("GET", path("Namespace"))[0] == 401
    other.stop_part("kube-apiserver")
    assert not other.is_ready() and case.plane.is_ready()
    other.start_part("kube-apiserver")
    other.wait_ready()
    assert len(other.admin.get(path("ResourceBinding", case.name))["items"]) == 1


TESTS = (
    (schemas_are_served, API_SERVER),
    (clusters_have_status, API_SERVER),
    (bindings_are_watched, API_SERVER),
    (wrong_types_are_refused, API_SERVER),
    (controllers_have_no_rights, API_SERVER),
    (old_watches_expire, API_SERVER),
    (lists_can_be_streamed, API_SERVER),
    (control_planes_are_apart, API_SERVER),
    (full_nodes_leave_pods_unschedulable, ALL),
    (deletion_cost_chooses_pod, ALL),
    (held_pods_and_nodes_wait, ALL),
)
