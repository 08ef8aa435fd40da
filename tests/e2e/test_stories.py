# SPDX-License-Identifier: MIT
"""Stories of guides over members with real schedulers, compared with the results of rebalancectl simulate."""
import controllers
import members
import simulate
from case import condition, create_node, is_running
from client import path, wait_for
from harness import ALL, API_SERVER
from karmada import targets
from propagation import Propagation


def start_fleet(case, nodes):
    """Karmada's control plane, and a member with one node for each {name of a cluster: CPUs}: (control, members)."""
    control, planes = case.start_plane("karmada", API_SERVER), {}
    for name, cpu in nodes.items():
        planes[name] = case.start_plane(name, ALL)
        create_node(planes[name].admin, f"{name}-control-plane", {"cpu": cpu, "memory": "16Gi", "pods": "110"})
        control.admin.create("Cluster", {"metadata": {"name": name}, "spec": {"syncMode": "Push"}})
    propagation = Propagation(control.admin, {name: plane.admin for name, plane in planes.items()})
    case.at_end(propagation.close)
    for name in planes:
        wait_for(f"the status of {name}", lambda name=name: control.admin.get(path("Cluster", name=name)).get("status"))
    return control, planes


def placement(control, name):
    return targets(control.admin.get(path("ResourceBinding", "default", name)))


def pending_replicas_move(case):
    """
    nginx has a replica in each of three members. The node of the first is cordoned and its pod deleted: the new pod has
    no node, so the descheduler takes the replica away, and the scheduler gives it to another member.
    """
    control, planes = start_fleet(case, {"member1": "4", "member2": "6", "member3": "4"})
    first, contexts = planes["member1"].admin, members.kubeconfig(case, planes)
    controllers.start(case, "karmada-scheduler", "admin", control, "--members", contexts)
    controllers.start(case, "karmada-descheduler", "admin", control, "--members", contexts,
                      "--descheduling-interval", "1", "--unschedulable-threshold", "3")
    labels = {"app": "nginx"}
    control.admin.create("PropagationPolicy", {"metadata": {"name": "nginx-propagation"}, "spec": {
        "resourceSelectors": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "nginx"}],
        "placement": {"clusterAffinity": {"clusterNames": list(planes)}, "replicaScheduling": {
            "replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted",
            "weightPreference": {"dynamicWeight": "AvailableReplicas"}}}}}, "default")
    control.admin.create("Deployment", {"metadata": {"name": "nginx", "labels": labels}, "spec": {
        "replicas": 3, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": {
            "containers": [{"name": "nginx", "image": "nginx", "resources": {"requests": {"cpu": "2"}}}]}}}}, "default")

    def pods(name):
        return planes[name].admin.get(path("Pod", "default"))["items"]

    def are_running(**counts):
        return all(sum(map(is_running, pods(name))) == len(pods(name)) == counts.get(name, 0) for name in planes)

    wait_for("a pod in each member", lambda: are_running(member1=1, member2=1, member3=1))
    first.merge(path("Node", name="member1-control-plane"), {"spec": {"unschedulable": True}})
    before, = pods("member1")
    first.delete(path("Pod", "default", before["metadata"]["name"]))
    wait_for("a pod without a node", lambda: ["Unschedulable"] == [
        condition(pod, "PodScheduled").get("reason") for pod in pods("member1")])
    assert placement(control, "nginx-deployment") == {"member1": 1, "member2": 1, "member3": 1}
    wait_for("two pods in another member", lambda: are_running(member2=2, member3=1))
    placements = simulate.placements("descheduler-pending-replica.yaml", "nginx")
    assert placements == [{"member1": 1, "member2": 1, "member3": 1}, placement(control, "nginx-deployment")]
    found = [(event["involvedObject"]["kind"], event["message"]) for event in
             control.admin.get(path("Event", "default"))["items"] if event["reason"] == "DescheduleBindingSucceed"]
    message = "Binding has been descheduled, 1 replica(s) in cluster(member1), 1 total descheduled replica(s)"
    assert sorted(found) == [("Deployment", message), ("ResourceBinding", message)], found


TESTS = (
    (pending_replicas_move, API_SERVER),
)
