# SPDX-License-Identifier: MIT
"""The tutorial's small world: two clusters, and one ResourceBinding into which results are written."""
from calls import NULL, call, column, ffi, lib, new, put, read, record

ENABLED = {"apiEnablements": [{"groupVersion": "apps/v1", "resources": [{"kind": "Deployment"}]}]}

fleet, builder, other, result = new("fleet", NULL), new("builder", NULL), new("builder", NULL), new("result", NULL)
ctx = new("ctx", NULL, NULL)
clusters = lib.rebal_fleet_cells(fleet)
opts = ffi.new("rebal_failover_opts *", (ffi.sizeof("rebal_failover_opts"), lib.REBAL_FAILOVER_FLAG_EVICT_BY_TAINT))
members, spec, times = {}, {"clusters": [], "gracefulEvictionTasks": []}, {}
# FNV-1a of the uid is even: of equal clusters the first by name gets the odd replica.
foo = {"NAMESPACE": "default", "NAME": "foo-deployment", "RESOURCE_API_VERSION": "apps/v1",
       "RESOURCE_KIND": "Deployment", "RESOURCE_UID": "6a1f2b3c-0000-4000-8000-000000000001"}


def intern(kind, value):
    return call(lib.rebal_fleet_intern, fleet, record(builder, kind, value))


def set_pods(part, cluster, pods):
    call(lib.rebal_fleet_set_capacity, fleet, part, cluster, call(lib.rebal_fleet_resource_id, fleet, "pods"),
         ffi.new("rebal_quantity *", (pods, 0, lib.REBAL_QUANTITY_FORMAT_DECIMAL_SI)))


def create_cluster(name, pods):
    members[name] = call(lib.rebal_fleet_add_cluster, fleet, name)
    call(lib.rebal_cells_set_i64, clusters, lib.REBAL_CLUSTER_API_ENABLEMENTS, lib.REBAL_NONE, members[name],
         intern(lib.REBAL_OBJECT_API_ENABLEMENTS, ENABLED))
    set_pods(lib.REBAL_CAPACITY_ALLOCATABLE, members[name], pods)


def set_taints(name, taints):
    handle = intern(lib.REBAL_OBJECT_TAINTS, {"taints": taints}) if taints else lib.REBAL_ABSENT
    call(lib.rebal_cells_set_i64, clusters, lib.REBAL_CLUSTER_TAINTS, lib.REBAL_NONE, members[name], handle)


def create_binding(replicas, placement):
    handle = intern(lib.REBAL_OBJECT_PLACEMENT, placement)
    foo.update(REPLICAS=replicas, PLACEMENT=handle, APPLIED_PLACEMENT=handle,
               APPLIED_STATE=lib.REBAL_ANNOTATION_PRESENT)


def state():
    """The clusters and the binding as they are now."""
    rows = new("bindings", fleet, NULL)
    row = put(rows, "BINDING", lib.REBAL_NONE, **foo, **times)
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


def place(snapshot, time):
    """Writes the result of a scheduling pass into the binding."""
    names = [ffi.string(lib.rebal_cells_get_text(lib.rebal_snapshot_cells(snapshot), lib.REBAL_CLUSTER_NAME,
                                                 lib.REBAL_NONE, cluster, NULL)).decode()
             for cluster in column(result, "PLACED_CLUSTER")]
    spec["clusters"] = [{"name": [name], "replicas": [replicas]}
                        for name, replicas in zip(names, column(result, "PLACED_REPLICAS"))]
    times["LAST_SCHEDULED_TIME"] = time
    show("scheduled, fresh" if column(result, "DECISION_FRESH")[0] else "scheduled")


def patch(row):
    """Applies a PATCH_SPEC to the binding; lists that it replaces may be empty."""
    for bit, name in ((lib.REBAL_REPLACES_CLUSTERS, "clusters"),
                      (lib.REBAL_REPLACES_GRACEFUL_EVICTION_TASKS, "gracefulEvictionTasks")):
        if column(result, "ACTION_REPLACES")[row] & bit:
            spec[name] = []
    spec.update(read(lib.rebal_result_record(result, row)))
    for time in spec.get("rescheduleTriggeredAt", []):
        times["RESCHEDULE_TRIGGERED_AT"] = time


def carry_out(what, seen=NULL):
    """Carries out the actions of a step, and adds an observation of each to seen."""
    for row, kind in enumerate(column(result, "ACTION_KIND")):
        fields = NULL
        if kind == lib.REBAL_ACTION_KIND_READ:
            fields = record(other, lib.REBAL_OBJECT_BINDING, {"spec": {
                name: value for name, value in spec.items() if name == "rescheduleTriggeredAt"}})
        elif kind == lib.REBAL_ACTION_KIND_PATCH_SPEC:
            patch(row)
            show(what)
        elif kind == lib.REBAL_ACTION_KIND_PATCH_STATUS:
            print("observed:", read(lib.rebal_result_record(result, row))["observedWorkloads"][0]["result"][0])
        if seen != NULL:
            call(lib.rebal_observations_add, seen, ffi.new("rebal_observation *", {
                "struct_size": ffi.sizeof("rebal_observation"), "outcome": lib.REBAL_OBSERVED_DONE,
                "ordinal": column(result, "ACTION_ORDINAL")[row], "fields": fields}))
