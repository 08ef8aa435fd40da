// SPDX-License-Identifier: MIT

// The tutorial through cgo: a fleet loses a cluster, gets it back, and is rebalanced.
package main

// #include <rebalance/rebalance.h>
import "C"
import "unsafe"

const start = 1716630397 // 2024-05-25T09:46:37Z

var (
	taint     = object{"key": "workload-rebalancer-test", "effect": "NoExecute", "timeAdded": moment(start + 60)}
	placement = object{"clusterAffinity": object{"clusterNames": list{"member1", "member2"}}, "clusterTolerations": object{
		"key": taint["key"], "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0},
		"replicaScheduling": object{"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted",
			"weightPreference": object{"dynamicWeight": "AvailableReplicas"}}}
	workload = object{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "foo"}
	demo     = object{"metadata": object{"name": "demo", "generation": 1, "creationTimestamp": moment(start + 194)},
		"spec": object{"workloads": workload}}
)

func schedule(now *C.rebal_time) {
	must(C.rebal_schedule(ctx, freeze(), rows, nil, result, failure))
	place(now)
}

func evict(name string, now *C.rebal_time) {
	must(C.rebal_taint_eviction_step(ctx, freeze(), members[name], rows, now, opts, result, failure))
	carryOut("tainted", nil)
}

func assess(now *C.rebal_time) {
	must(C.rebal_graceful_eviction_step(ctx, freeze(), rows, now, opts, result, failure))
	carryOut("assessed", nil)
}

func rebalance(now *C.rebal_time) {
	seen := observations()
	observed := &C.rebal_rebalancer_opts{observations: seen}
	observed.struct_size = C.uint32_t(unsafe.Sizeof(*observed))
	for waiting := true; waiting; waiting = column(result, C.REBAL_STEP_STATE)[0] == C.REBAL_STEP_STATE_WAITING {
		rebalancer := record(builder, C.REBAL_OBJECT_WORKLOAD_REBALANCER, demo)
		must(C.rebal_rebalancer_step(ctx, rebalancer, now, observed, result, failure))
		carryOut("triggered", seen)
	}
}

func main() {
	createWorld()
	defer freeWorld()
	createClusters(110, "member1", "member2")
	createBinding(3, placement)
	schedule(moment(start))
	setTaints("member1", list{taint})
	evict("member1", moment(start+60))
	schedule(moment(start + 61))
	setTaints("member1", nil)
	assess(moment(start + 120))
	assess(moment(start + 150))
	rebalance(moment(start + 194))
	schedule(moment(start + 195))
}
