# SPDX-License-Identifier: MIT
"""The tutorial through cffi: a fleet loses a cluster, gets it back, and is rebalanced."""
from calls import NULL, call, column, ffi, lib, moment, new, record
from world import (builder, carry_out, create_binding, create_cluster, ctx, members, opts, place, result, set_taints,
                   state)

START = 1716630397  # 2024-05-25T09:46:37Z
TAINT = {"key": "workload-rebalancer-test", "effect": "NoExecute", "timeAdded": moment(START + 60)}
PLACEMENT = {"clusterAffinity": {"clusterNames": ["member1", "member2"]},
             "clusterTolerations": [{"key": TAINT["key"], "operator": "Exists", "effect": "NoExecute",
                                     "tolerationSeconds": 0}],
             "replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted",
                                   "weightPreference": {"dynamicWeight": "AvailableReplicas"}}}
DEMO = {"metadata": {"name": "demo", "generation": 1, "creationTimestamp": moment(START + 194)}, "spec": {
    "workloads": [{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "foo"}]}}


def schedule(now):
    snapshot, rows = state()
    call(lib.rebal_schedule, ctx, snapshot, rows, NULL, result)
    place(snapshot, moment(now))


def evict(name, now):
    snapshot, rows = state()
    call(lib.rebal_taint_eviction_step, ctx, snapshot, members[name], rows, moment(now), opts, result)
    carry_out("tainted")


def assess(now):
    snapshot, rows = state()
    call(lib.rebal_graceful_eviction_step, ctx, snapshot, rows, moment(now), opts, result)
    carry_out("assessed")


def rebalance(now):
    seen, waiting = new("observations", NULL), True
    observed = ffi.new("rebal_rebalancer_opts *", {"struct_size": ffi.sizeof("rebal_rebalancer_opts"),
                                                     "observations": seen})
    while waiting:
        rebalancer = record(builder, lib.REBAL_OBJECT_WORKLOAD_REBALANCER, DEMO)
        call(lib.rebal_rebalancer_step, ctx, rebalancer, moment(now), observed, result)
        carry_out("triggered", seen)
        waiting = column(result, "STEP_STATE")[0] == lib.REBAL_STEP_STATE_WAITING


create_cluster("member1", pods=110)
create_cluster("member2", pods=110)
create_binding(replicas=3, placement=PLACEMENT)
schedule(START)
set_taints("member1", [TAINT])
evict("member1", START + 60)
schedule(START + 61)
set_taints("member1", [])
assess(START + 120)
assess(START + 150)
rebalance(START + 194)
schedule(START + 195)
