# SPDX-License-Identifier: MIT
"""
karmada-scheduler and karmada-rebalancer under faults: nothing is lost or done twice, and the end equals that of
rebalancectl simulate.
"""
import calendar
import itertools
import json
import random
import shutil
import threading
import time
import urllib.request

import authority
import controllers
import members
import proxy
import simulate
import test_scheduler
from client import path, wait_for
from harness import API_SERVER
from karmada import binding, create_cluster, placement, targets
from test_rebalancer import workload
from test_scheduler import events, placed, settled

SCHEDULER, REBALANCER = "karmada-scheduler", "karmada-rebalancer"
DICE = random.Random(20261126)


# ---- what the tests share --------------------------------------------------------------------------------------------

def user_between(case, between):
    """Writes the kubeconfig of the user "between", who has all rights, through a proxy that ends with the test."""
    case.at_end(between.close)
    case.plane.credentials.write_kubeconfig("between", between.port, {"token": case.plane.credentials.tokens["admin"]})
    return between


def create_clusters(case):
    return [create_cluster(case, name, cpu) for name, cpu in (("member1", "400"), ("member2", "1000"))]


def create_bindings(case, clusters, count, prefix="web"):
    """Creates bindings with 1 to 9 replicas, and returns their names."""
    names = [f"{prefix}-{number}" for number in range(count)]
    for name in names:
        case.create("ResourceBinding", binding(case, name, DICE.randint(1, 9),
                                               placement("Weighted", clusters=clusters), "1"))
    return names


def start_scheduler(case, user="between", **more):
    return controllers.start(case, SCHEDULER, user, None, "--assumed-for", "0", **more)


def check_end(case, names):
    """Checks that each binding has the clusters of the simulation, written once, and one event."""
    ends = {name: placed(case, name) for name in names}
    for name in names:
        found = members.binding(case, name)
        assert found["metadata"]["generation"] == 2, f"{name}: clusters were written more than once"
        found = wait_for("an event", lambda name=name: events(case, "ResourceBinding", f"{name}-deployment"))
        assert len(found) == 1, found
    assert ends == simulate.targets(case, names), "not as simulated"


# ---- connections -----------------------------------------------------------------------------------------------------

def connections_are_cut(case):
    """Again and again, while bindings are created."""
    between = user_between(case, proxy.Proxy(case.plane.port))
    clusters, names = create_clusters(case), []
    start_scheduler(case)
    for turn in range(5):
        seen = between.accepted
        names += create_bindings(case, clusters, 8, f"web{turn}")
        between.cut()
        wait_for("another connection", lambda seen=seen: between.accepted > seen)
    names += create_bindings(case, clusters, 2, "last")
    check_end(case, names)


def connections_stall(case):
    """Bytes are held for a while in the middle of writes, then forwarded; later all are slow."""
    between = user_between(case, proxy.Proxy(case.plane.port))
    clusters = create_clusters(case)
    start_scheduler(case)
    names = create_bindings(case, clusters, 10)
    between.stall()
    names += create_bindings(case, clusters, 10, "held")
    assert not settled(case, "held-9")
    between.resume()
    wait_for("what was held", lambda: settled(case, "held-9"))
    between.delay = 0.1
    names += create_bindings(case, clusters, 10, "slow")
    check_end(case, names)


def answers_are_lost(case):
    """Each write is done and its answer lost the first time: it is not done a second time."""
    between, lost = user_between(case, proxy.Interceptor(case.plane)), set()

    def after(method, target, body, _):
        is_first = method != "GET" and (target, body) not in lost
        lost.add((target, body))
        return is_first and "resourcebindings" in target and "status" not in target

    between.after = after
    clusters = create_clusters(case)
    start_scheduler(case)
    names = create_bindings(case, clusters, 5)
    check_end(case, names)
    assert len(lost) >= 10, lost


def server_restarts(case):
    """While bindings are created. The scheduler and the rebalancer continue where they were."""
    case = case.apart(API_SERVER)
    clusters = create_clusters(case)
    start_scheduler(case, "admin")
    controllers.start(case, REBALANCER, "admin")
    names = create_bindings(case, clusters, 20)
    case.plane.stop_part("kube-apiserver")
    case.plane.start_part("kube-apiserver")
    case.plane.wait_ready()
    names += create_bindings(case, clusters, 20, "later")
    check_end(case, names)
    triggered = create_rebalancer(case, names[:2])
    wait_for("a finished run", lambda: outcome(case, triggered, 1))
    found = members.binding(case, names[1])
    assert found["spec"]["rescheduleTriggeredAt"] == triggered["metadata"]["creationTimestamp"]


def changes_are_compacted(case):
    """
    Changes made while the programs were cut off are compacted in etcd: they list again, and miss neither new objects
    nor deletions.
    """
    case = case.apart(API_SERVER)
    between = user_between(case, proxy.Interceptor(case.plane))
    clusters = create_clusters(case)
    start_scheduler(case)
    names = create_bindings(case, clusters, 3)
    check_end(case, names)
    between.before = lambda *_: True
    case.plane.stop_part("kube-apiserver")  # it also keeps changes of its own
    case.plane.start_part("kube-apiserver")
    case.plane.wait_ready()
    case.admin.delete(path("ResourceBinding", case.namespace, f"{names.pop()}-deployment"))
    names += create_bindings(case, clusters, 3, "later")
    compact(case.plane)
    case.plane.stop_part("kube-apiserver")
    case.plane.start_part("kube-apiserver")
    case.plane.wait_ready()
    seen = len(between.requests)
    between.before = lambda *_: False
    check_end(case, names)
    lists = [target for method, target, _, _ in between.requests[seen:] if method == "GET" and "watch=" not in target]
    assert any("/resourcebindings" in target for target in lists), "nothing was listed again"


def compact(plane):
    """Removes all but the newest state from etcd."""
    def post(target, body):
        request = urllib.request.Request(f"{plane.etcd}/v3/kv/{target}", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    revision = post("range", {"key": "AA==", "count_only": True})["header"]["revision"]
    post("compaction", {"revision": revision, "physical": True})


# ---- other writers ---------------------------------------------------------------------------------------------------

def once(function):
    """Returns a hook that calls the function until it returns True for a request, in one thread."""
    lock, done = threading.Lock(), []

    def hook(*request):
        with lock:
            if not done and function(*request):
                done.append(True)
        return False

    hook.done = done
    return hook


def specs_change_before_they_are_written(case):
    """
    Between the decision and the write of the clusters another client changes the replicas: all of them get clusters.
    """
    between = user_between(case, proxy.Interceptor(case.plane))
    clusters = create_clusters(case)

    def change(method, target, body):
        is_write = method == "PATCH" and b'"clusters"' in body
        return is_write and members.patch(case, "web-0", {"spec": {"replicas": 50}})

    between.before = once(change)
    start_scheduler(case)
    name, = create_bindings(case, clusters, 1)
    assert sum(wait_for("all replicas", lambda: sum(placed(case, name).values()) == 50 and placed(case, name)).values())
    assert between.before.done
    assert {name: placed(case, name)} == simulate.targets(case, [name])


def two_write_a_binding(case):
    """The rebalancer's write conflicts with another one that it has not seen: the binding has both in the end."""
    between = user_between(case, proxy.Interceptor(case.plane))
    clusters = create_clusters(case)
    start_scheduler(case, "admin")
    name, = create_bindings(case, clusters, 1)
    placed(case, name)
    target = path("ResourceBinding", case.namespace, f"{name}-deployment")
    between.before = once(lambda method, url, _: method == "PATCH" and url.startswith(target) and
                          case.admin.merge(target, {"metadata": {"labels": {"by": "another"}}}))
    controllers.start(case, REBALANCER, "between")
    made = create_rebalancer(case, [name])
    assert wait_for("a finished run", lambda: outcome(case, made, 1)) == {name: ("Successful", "")}
    writes = [status for method, url, status in between.answers if method == "PATCH" and url.startswith(target)]
    assert writes == [409, 200], writes
    found = members.binding(case, name)
    assert found["metadata"]["labels"]["by"] == "another", found
    assert found["spec"]["rescheduleTriggeredAt"] == made["metadata"]["creationTimestamp"], found


# ---- WorkloadRebalancers ---------------------------------------------------------------------------------------------

def rebalancer_body(case, names, **spec):
    return {"metadata": {"name": case.name}, "spec": {"workloads": [workload(case, name) for name in names], **spec}}


def create_rebalancer(case, names, **spec):
    return case.create_global("WorkloadRebalancer", rebalancer_body(case, names, **spec))


def outcome(case, made, generation):
    """Returns {workload: (result, reason)} of a finished run, or None."""
    status = case.get("WorkloadRebalancer", made["metadata"]["name"]).get("status") or {}
    return (status.get("finishTime") and status.get("observedGeneration") == generation) and results(status)


def results(status):
    return {item["workload"]["name"]: (item["result"], item.get("reason", "")) for item in status["observedWorkloads"]}


def simulated(scenario):
    """Returns the ends of bindings and of the WorkloadRebalancer in a simulation: {name: targets}, results."""
    objects = simulate.run([{"apiVersion": "simulation.rebalance/v1", "kind": "Scenario", "start": simulate.START},
                            *scenario])
    rebalancer, = [item for item in objects if item["kind"] == "WorkloadRebalancer"]
    return ({item["spec"]["resource"]["name"]: targets(item) for item in objects if item["kind"] == "ResourceBinding"},
            results(rebalancer["status"]))


def apply(thing):
    return {"kind": "Step", "metadata": {"name": thing["kind"] + thing["metadata"]["name"]}, "apply": thing}


def later(name):
    return {"kind": "Step", "metadata": {"name": name}, "advance": "1m"}


class Story:
    """
    Bindings are in one cluster when another loses its taint: those that a WorkloadRebalancer names move there too. The
    same is simulated for each run, with the objects created before it.
    """

    def __init__(self, case, names, user="admin", **more):
        self.case, self.names = case, []
        taint = {"key": "e2e.test/new", "effect": "NoSchedule"}
        self.clusters = [create_cluster(case, "member1", "40"), create_cluster(case, "member2", "400", taints=[taint])]
        self.scenario = [self.cluster(name) for name in self.clusters]
        start_scheduler(case, user, **more)
        for name in names:
            self.create(name)
        assert {name: placed(case, name) for name in names} == {name: {self.clusters[0]: 4} for name in names}
        case.admin.merge(path("Cluster", name=self.clusters[1]), {"spec": {"taints": None}})
        # As in the reference, a trigger of the second in which a binding was scheduled has no effect.
        scheduled_at = members.binding(case, names[-1])["status"]["lastScheduledTime"]
        last = calendar.timegm(time.strptime(scheduled_at, "%Y-%m-%dT%H:%M:%SZ"))
        wait_for("a later second", lambda: time.time() > last + 2)
        cleared = self.cluster(self.clusters[1])
        del cleared["status"]
        self.scenario += [later("placed"), apply(cleared), later("cleared")]

    def cluster(self, name):
        return simulate.strip(self.case.get("Cluster", name), "Cluster", "cluster.karmada.io/v1alpha1")

    def create(self, name, make=lambda thing: thing):
        """Creates a binding, and in the simulation its Deployment and policy."""
        self.names.append(name)
        where = placement("Weighted", clusters=self.clusters)
        self.case.create("ResourceBinding", binding(self.case, name, 4, where, "1"))
        metadata = {"name": name, "namespace": self.case.namespace}
        container = {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}
        policy = {"placement": where, "resourceSelectors": [workload(self.case, name)]}
        template = {"spec": {"containers": [container]}}
        self.scenario += [
            make({"apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagationPolicy", "metadata": metadata,
                  "spec": policy}),
            make({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {
                "replicas": 4, "template": template}})]

    def run(self, names):
        """Returns a run of the simulated WorkloadRebalancer."""
        self.scenario += [apply({"apiVersion": "apps.karmada.io/v1alpha1", "kind": "WorkloadRebalancer",
                                 **rebalancer_body(self.case, names)}), later(" ".join(names))]

    def check(self):
        ends, found = simulated(self.scenario)

        def is_end():
            real = {name: placed(self.case, name) for name in self.names}
            assert real == ends, f"{real}, simulated: {ends}"
            return True

        wait_for("the end", is_end)
        assert results(self.case.get("WorkloadRebalancer", self.case.name)["status"]) == found, found


def edited_while_it_runs(case):
    """The list of workloads changes before the first binding is written."""
    story = Story(case, ["api", "db", "web"])
    between = user_between(case, proxy.Interceptor(case.plane))
    between.before = once(lambda method, target, _: method == "PATCH" and "/resourcebindings/" in target and
                          case.admin.merge(path("WorkloadRebalancer", name=case.name),
                                           rebalancer_body(case, ["db", "api"])))
    controllers.start(case, REBALANCER, "between")
    made = create_rebalancer(case, ["api", "web"])
    wait_for("the second run", lambda: outcome(case, made, 2))
    story.run(["api", "web"])
    story.run(["db", "api"])
    story.check()
    writes = [target for method, target, status in between.answers if method == "PATCH" and status == 200 and
              "/resourcebindings/" in target]
    assert len(writes) == len(set(writes)) == 3, writes


def a_binding_comes_late(case):
    """The first run does not find the workload, the next one does."""
    story = Story(case, ["web"])
    controllers.start(case, REBALANCER, "admin")
    made = create_rebalancer(case, ["late", "web"])
    assert wait_for("the first run", lambda: outcome(case, made, 1))["late"] == ("Failed", "ReferencedBindingNotFound")
    story.run(["late", "web"])
    story.create("late", apply)
    placed(case, "late")
    case.admin.merge(path("WorkloadRebalancer", name=case.name), rebalancer_body(case, ["late"]))
    wait_for("the second run", lambda: outcome(case, made, 2))
    story.run(["late"])
    story.check()


# ---- clocks and credentials ------------------------------------------------------------------------------------------

def clock_is_wrong(case, offset):
    """The clocks of both programs differ from that of the API server, whose certificate is older than that."""
    certificates = authority.Authority(case.plane.credentials.folder, case.name)
    certificates.sign(f"{case.name}-server", "/CN=localhost", authority.NAMES)
    between = user_between(case, proxy.Interceptor(case.plane, certificates.path(f"{case.name}-server")))
    case.plane.credentials.write_kubeconfig("between", between.port, {"token": case.plane.credentials.tokens["admin"]},
                                            f"{case.name}.crt")
    story = Story(case, ["api", "web"], "between", variables=authority.clock(offset))
    controllers.start(case, REBALANCER, "between", variables=authority.clock(offset))
    made = create_rebalancer(case, ["web"], ttlSecondsAfterFinished=5)
    wait_for("a finished run", lambda: outcome(case, made, 1))
    story.run(["web"])
    story.check()
    begin = time.monotonic()
    wait_for("its deletion", lambda: case.admin.request("GET", path("WorkloadRebalancer", name=case.name))[0] == 404)
    assert time.monotonic() - begin > 1


def clock_is_five_minutes_slow(case):
    clock_is_wrong(case, "-5m")


def clock_is_five_minutes_fast(case):
    clock_is_wrong(case, "+5m")


def token_is_replaced(case):
    """The token of an account is refused after its Secret is deleted; the new one in its file is used."""
    admin, tokens = case.admin, case.plane.folder / f"{case.name}-token"
    admin.must("POST", f"/api/v1/namespaces/{case.namespace}/serviceaccounts", {"metadata": {"name": "account"}})
    case.create_global("ClusterRoleBinding", {"metadata": {"name": case.name}, "roleRef": {
        "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}, "subjects": [
            {"kind": "ServiceAccount", "name": "account", "namespace": case.namespace}]})
    first, second = request_token(case, "first"), request_token(case, "second")
    tokens.write_text(first)
    case.plane.credentials.write_kubeconfig("account", case.plane.port, {"tokenFile": str(tokens)})
    clusters = create_clusters(case)
    start_scheduler(case, "account")
    names = create_bindings(case, clusters, 3)
    check_end(case, names)
    log = case.plane.log(SCHEDULER)
    seen, numbers = log.stat().st_size, itertools.count()
    admin.delete(f"/api/v1/namespaces/{case.namespace}/secrets/first")

    def is_refused():
        if settled(case, names[-1]):
            names.extend(create_bindings(case, clusters, 1, f"later{next(numbers)}"))
        return "401" in log.read_text()[seen:]

    wait_for("the token to be refused", is_refused)
    tokens.write_text(second)
    check_end(case, names)


def certificates_of_clients_are_rotated(case):
    """
    The certificate in the files of the kubeconfig is replaced by that of another user of the same authority, while the
    first one loses its rights; then by one of another authority, which the API server accepts instead of the first.
    """
    case = case.apart(API_SERVER)
    folder = case.plane.credentials.folder
    for name, user in (("ca", "first"), ("ca", "second"), ("other", "second")):
        authority.Authority(folder, name).sign(f"{name}-{user}", f"/CN={user}", "extendedKeyUsage=clientAuth")
    for user in ("first", "second"):
        give_all_rights(case, user)
    between = user_between(case, proxy.Proxy(case.plane.port))
    case.plane.credentials.write_kubeconfig("between", between.port, {
        "client-certificate": str(folder / "client.crt"), "client-key": str(folder / "client.key")})
    use_certificate(folder, "ca-first")
    clusters = create_clusters(case)
    start_scheduler(case)
    names = create_bindings(case, clusters, 3, "first")
    check_end(case, names)
    use_certificate(folder, "ca-second")
    case.admin.delete(path("ClusterRoleBinding", name=f"{case.name}-first"))
    between.cut()
    names += create_bindings(case, clusters, 3, "second")
    wait_for("the other user", lambda: settled(case, names[-1]))
    accept(case, "ca", "other")
    use_certificate(folder, "other-second")
    names += create_bindings(case, clusters, 3, "third")
    wait_for("the other authority", lambda: settled(case, names[-1]))
    accept(case, "other")
    names += create_bindings(case, clusters, 3, "fourth")
    wait_for("it alone", lambda: settled(case, names[-1]))
    assert {name: placed(case, name) for name in names} == simulate.targets(case, names)
    assert all(members.binding(case, name)["metadata"]["generation"] == 2 for name in names)


def give_all_rights(case, user):
    case.create_global("ClusterRoleBinding", {"metadata": {"name": f"{case.name}-{user}"}, "roleRef": {
        "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}, "subjects": [
            {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]})


def accept(case, *names):
    """Restarts the API server with these authorities of clients."""
    folder = case.plane.credentials.folder
    (folder / "clients.crt").write_text("".join((folder / f"{name}.crt").read_text() for name in names))
    case.plane.stop_part("kube-apiserver")
    case.plane.start_part("kube-apiserver")
    case.plane.wait_ready()


def use_certificate(folder, name):
    """Not at once: for a moment certificate and key do not match."""
    for suffix in ("crt", "key"):
        shutil.copy(folder / f"{name}.{suffix}", folder / f"client.{suffix}")


def request_token(case, secret):
    """Returns a token that is valid as long as a Secret exists."""
    root = f"/api/v1/namespaces/{case.namespace}"
    case.admin.must("POST", f"{root}/secrets", {"metadata": {"name": secret}})
    request = {"spec": {"boundObjectRef": {"apiVersion": "v1", "kind": "Secret", "name": secret}}}
    return case.admin.must("POST", f"{root}/serviceaccounts/account/token", request)["status"]["token"]


def leaders_are_killed_twenty_times(case):
    test_scheduler.leaders_are_killed(case, 20)


TESTS = (
    (connections_are_cut, API_SERVER),
    (connections_stall, API_SERVER),
    (answers_are_lost, API_SERVER),
    (server_restarts, API_SERVER),
    (changes_are_compacted, API_SERVER),
    (specs_change_before_they_are_written, API_SERVER),
    (two_write_a_binding, API_SERVER),
    (edited_while_it_runs, API_SERVER),
    (a_binding_comes_late, API_SERVER),
    (clock_is_five_minutes_slow, API_SERVER),
    (clock_is_five_minutes_fast, API_SERVER),
    (token_is_replaced, API_SERVER),
    (certificates_of_clients_are_rotated, API_SERVER, 240),
)
LONG_TESTS = (
    (leaders_are_killed_twenty_times, API_SERVER, 900),
)
