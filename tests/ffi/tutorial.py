# SPDX-License-Identifier: MIT
"""The tutorial through cffi: a fleet loses a cluster, gets it back, and is rebalanced."""
from calls import NULL, call, column, ffi, lib, moment, new, put, read, record

START = 1716630397  # 2024-05-25T09:46:37Z
TAINT = {"key": "workload-rebalancer-test", "effect": "NoExecute", "timeAdded": moment(START + 60)}
PLACEMENT = {"clusterAffinity": {"clusterNames": ["member1", "member2"]},
             "clusterTolerations": [{"key": TAINT["key"], "operator": "Exists", "effect": "NoExecute",
                                     "tolerationSeconds": 0}],
             "replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted",
                                   "weightPreference": {"dynamicWeight": "AvailableReplicas"}}}
ENABLED = {"apiEnablements": [{"groupVersion": "apps/v1", "resources": [{"kind": "Deployment"}]}]}
DEMO = {"metadata": {"name": "demo", "generation": 1, "creationTimestamp": moment(START + 194)}, "spec": {
    "workloads": [{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "foo"}]}}

fleet, builder, other, result = new("fleet", NULL), new("builder", NULL), new("builder", NULL), new("result", NULL)
ctx = new("ctx", NULL, NULL)
opts = ffi.new("rebal_failover_opts *", (ffi.sizeof("rebal_failover_opts"), lib.REBAL_FAILOVER_EVICT_BY_TAINT))
members, spec, times = {}, {"clusters": [], "gracefulEvictionTasks": []}, {}


def intern(kind, value):
    return call(lib.rebal_fleet_intern, fleet, record(builder, kind, value))


def set_pods(part, cluster, pods):
    call(lib.rebal_fleet_set_capacity, fleet, part, cluster, call(lib.rebal_fleet_resource_id, fleet, "pods"),
         ffi.new("rebal_quantity *", (pods, 0, lib.REBAL_FORMAT_DECIMAL_SI)))


def state():
    """The clusters, and the ResourceBinding foo-deployment, as they are now."""
    rows = new("bindings", fleet, NULL)
    # FNV-1a of the uid is even: of equal clusters the first by name gets the odd replica.
    row = put(rows, "BINDING", 0, NAMESPACE="default", NAME="foo-deployment", RESOURCE_API_VERSION="apps/v1",
              RESOURCE_KIND="Deployment", RESOURCE_UID="6a1f2b3c-0000-4000-8000-000000000001", REPLICAS=3,
              PLACEMENT=placement, APPLIED_PLACEMENT=placement, APPLIED_STATE=lib.REBAL_APPLIED_PRESENT, **times)
    for cluster in members.values():
        set_pods(lib.REBAL_CAPACITY_ALLOCATED, cluster, 0)
    for target in spec["clusters"]:
        cluster = members[target["name"][0]]
        put(rows, "TARGET", row, CLUSTER=cluster, REPLICAS=target["replicas"][0])
        set_pods(lib.REBAL_CAPACITY_ALLOCATED, cluster, target["replicas"][0])
        put(rows, "STATUS_ITEM", row, CLUSTER=cluster, HEALTH="Healthy")
    for task in spec["gracefulEvictionTasks"]:
        put(rows, "TASK", row, FROM_CLUSTER=members[task["fromCluster"][0]],
            **{"CREATION_TIMESTAMP": time for time in task.get("creationTimestamp", [])})
    call(lib.rebal_bindings_freeze, rows)
    return ffi.gc(call(lib.rebal_fleet_freeze, fleet), lib.rebal_snapshot_unref), rows


def show(what):
    targets = ", ".join(f"{target['name'][0]}:{target['replicas'][0]}" for target in spec["clusters"])
    leaving = "".join(f", leaving {task['fromCluster'][0]}" for task in spec["gracefulEvictionTasks"])
    print(f"{what}: {targets}{leaving}")


def carry_out(row, what):
    """Writes what a PATCH_SPEC says into the binding; lists it gives whole may be empty."""
    for bit, name in ((lib.REBAL_REPLACES_CLUSTERS, "clusters"),
                      (lib.REBAL_REPLACES_GRACEFUL_EVICTION_TASKS, "gracefulEvictionTasks")):
        if column(result, "ACTION_REPLACES")[row] & bit:
            spec[name] = []
    spec.update(read(lib.rebal_result_record(result, row)))
    show(what)


def schedule(now):
    if "rescheduleTriggeredAt" in spec:
        times["RESCHEDULE_TRIGGERED_AT"] = spec["rescheduleTriggeredAt"][0]
    snapshot, rows = state()
    call(lib.rebal_schedule, ctx, snapshot, rows, NULL, result)
    names = [ffi.string(lib.rebal_snapshot_cluster_name(snapshot, cluster, NULL)).decode()
             for cluster in column(result, "PLACED_CLUSTER")]
    spec["clusters"] = [{"name": [name], "replicas": [replicas]}
                        for name, replicas in zip(names, column(result, "PLACED_REPLICAS"))]
    times["LAST_SCHEDULED_TIME"] = moment(now)
    show("scheduled, fresh" if column(result, "DECISION_FRESH")[0] else "scheduled")


def fail_over(step, now, what, *cluster):
    snapshot, rows = state()
    call(step, snapshot, *cluster, rows, moment(now), opts, result)
    for row, kind in enumerate(column(result, "ACTION_KIND")):
        if kind == lib.REBAL_ACTION_PATCH_SPEC:
            carry_out(row, what)


def rebalance(now):
    seen = new("observations", NULL)
    while True:
        call(lib.rebal_rebalancer_step, record(builder, lib.REBAL_OBJECT_WORKLOAD_REBALANCER, DEMO), seen, moment(now),
             NULL, result)
        if column(result, "STEP_STATE")[0] != lib.REBAL_STEP_WAITING:
            return
        for row, kind in enumerate(column(result, "ACTION_KIND")):
            fields = NULL
            if kind == lib.REBAL_ACTION_READ:
                fields = record(other, lib.REBAL_OBJECT_BINDING, {"spec": {
                    name: value for name, value in spec.items() if name == "rescheduleTriggeredAt"}})
            elif kind == lib.REBAL_ACTION_PATCH_SPEC:
                carry_out(row, "triggered")
            elif kind == lib.REBAL_ACTION_PATCH_STATUS:
                print("observed:", read(lib.rebal_result_record(result, row))["observedWorkloads"][0]["result"][0])
            call(lib.rebal_observations_add, seen, column(result, "ACTION_ORDINAL")[row], lib.REBAL_OBSERVED_DONE, "",
                 fields, "")


placement = intern(lib.REBAL_OBJECT_PLACEMENT, PLACEMENT)
for member in ("member1", "member2"):
    members[member] = call(lib.rebal_fleet_add_cluster, fleet, member)
    call(lib.rebal_fleet_set_i64, fleet, lib.REBAL_CLUSTER_API_ENABLEMENTS, members[member],
         intern(lib.REBAL_OBJECT_API_ENABLEMENTS, ENABLED))
    set_pods(lib.REBAL_CAPACITY_ALLOCATABLE, members[member], 110)
schedule(START)
call(lib.rebal_fleet_set_i64, fleet, lib.REBAL_CLUSTER_TAINTS, members["member1"],
     intern(lib.REBAL_OBJECT_TAINTS, {"taints": [TAINT]}))
fail_over(lib.rebal_taint_eviction_step, START + 60, "tainted", members["member1"])
schedule(START + 61)
call(lib.rebal_fleet_set_i64, fleet, lib.REBAL_CLUSTER_TAINTS, members["member1"], lib.REBAL_NONE)
for seconds in (120, 150):
    fail_over(lib.rebal_graceful_eviction_step, START + seconds, "assessed")
rebalance(START + 194)
schedule(START + 195)
