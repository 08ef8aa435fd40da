// SPDX-License-Identifier: MIT

// The tutorial through cgo: a fleet loses a cluster, gets it back, and is rebalanced.
package main

// #include <rebalance/rebalance.h>
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

const start = 1716630397 // 2024-05-25T09:46:37Z

var (
	taint      = object{"key": "workload-rebalancer-test", "effect": "NoExecute", "timeAdded": moment(start + 60)}
	toleration = object{"key": taint["key"], "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0}
	policy     = object{"clusterAffinity": object{"clusterNames": list{"member1", "member2"}},
		"clusterTolerations": toleration,
		"replicaScheduling": object{"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted",
			"weightPreference": object{"dynamicWeight": "AvailableReplicas"}}}
	enabled  = object{"apiEnablements": object{"groupVersion": "apps/v1", "resources": object{"kind": "Deployment"}}}
	workload = object{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "foo"}
	demo     = object{"metadata": object{"name": "demo", "generation": 1, "creationTimestamp": moment(start + 194)},
		"spec": object{"workloads": workload}}

	fleet          *C.rebal_fleet
	builder, other *C.rebal_builder
	result         *C.rebal_result
	ctx            *C.rebal_ctx
	opts           = &C.rebal_failover_opts{flags: C.REBAL_FAILOVER_EVICT_BY_TAINT}
	placement      C.uint32_t
	pods           C.uint32_t
	members        = map[string]C.uint32_t{}
	spec           = object{"clusters": list{}, "gracefulEvictionTasks": list{}}
	scheduled      C.rebal_time
)

func intern(kind C.uint32_t, value object) (handle C.uint32_t) {
	must(C.rebal_fleet_intern(fleet, record(builder, kind, value), &handle, failure))
	return handle
}

func setPods(part, cluster C.uint32_t, amount int) {
	quantity := C.rebal_quantity{units: C.int64_t(amount), format: C.REBAL_FORMAT_DECIMAL_SI}
	must(C.rebal_fleet_set_capacity(fleet, part, cluster, pods, &quantity, failure))
}

func first(of any, name string) any { return of.(object)[name].(list)[0] }

// state gives the clusters, and the ResourceBinding foo-deployment, as they are now.
func state() (snapshot *C.rebal_snapshot, rows *C.rebal_bindings) {
	must(C.rebal_bindings_new(fleet, nil, &rows, failure))
	// FNV-1a of the uid is even: of equal clusters the first by name gets the odd replica.
	row := put(rows, C.REBAL_TABLE_BINDING, 0, cells{C.REBAL_BINDING_NAMESPACE: "default",
		C.REBAL_BINDING_NAME: "foo-deployment", C.REBAL_BINDING_RESOURCE_API_VERSION: "apps/v1",
		C.REBAL_BINDING_RESOURCE_KIND: "Deployment", C.REBAL_BINDING_REPLICAS: 3,
		C.REBAL_BINDING_RESOURCE_UID: "6a1f2b3c-0000-4000-8000-000000000001", C.REBAL_BINDING_PLACEMENT: placement,
		C.REBAL_BINDING_APPLIED_PLACEMENT: placement, C.REBAL_BINDING_APPLIED_STATE: C.REBAL_APPLIED_PRESENT,
		C.REBAL_BINDING_LAST_SCHEDULED_TIME: scheduled})
	for _, at := range asList(spec["rescheduleTriggeredAt"]) {
		at := at.(C.rebal_time)
		must(C.rebal_bindings_set_time(rows, C.REBAL_BINDING_RESCHEDULE_TRIGGERED_AT, row, &at, failure))
	}
	for _, cluster := range members {
		setPods(C.REBAL_CAPACITY_ALLOCATED, cluster, 0)
	}
	for _, target := range asList(spec["clusters"]) {
		cluster, replicas := members[first(target, "name").(string)], first(target, "replicas").(int)
		setPods(C.REBAL_CAPACITY_ALLOCATED, cluster, replicas)
		put(rows, C.REBAL_TABLE_TARGET, row, cells{C.REBAL_TARGET_CLUSTER: cluster, C.REBAL_TARGET_REPLICAS: replicas})
		put(rows, C.REBAL_TABLE_STATUS_ITEM, row,
			cells{C.REBAL_STATUS_ITEM_CLUSTER: cluster, C.REBAL_STATUS_ITEM_HEALTH: "Healthy"})
	}
	for _, task := range asList(spec["gracefulEvictionTasks"]) {
		values := cells{C.REBAL_TASK_FROM_CLUSTER: members[first(task, "fromCluster").(string)]}
		for _, created := range asList(task.(object)["creationTimestamp"]) {
			values[C.REBAL_TASK_CREATION_TIMESTAMP] = created
		}
		put(rows, C.REBAL_TABLE_TASK, row, values)
	}
	must(C.rebal_bindings_freeze(rows, failure))
	must(C.rebal_fleet_freeze(fleet, &snapshot, failure))
	return snapshot, rows
}

func release(snapshot *C.rebal_snapshot, rows *C.rebal_bindings) {
	C.rebal_bindings_free(rows)
	C.rebal_snapshot_unref(snapshot)
}

func asList(value any) list {
	items, _ := value.(list)
	return items
}

func show(what string) {
	var targets []string
	for _, target := range asList(spec["clusters"]) {
		targets = append(targets, fmt.Sprintf("%v:%v", first(target, "name"), first(target, "replicas")))
	}
	leaving := ""
	for _, task := range asList(spec["gracefulEvictionTasks"]) {
		leaving += fmt.Sprintf(", leaving %v", first(task, "fromCluster"))
	}
	fmt.Printf("%s: %s%s\n", what, strings.Join(targets, ", "), leaving)
}

// carryOut writes what a PATCH_SPEC says into the binding; lists it gives whole may be empty.
func carryOut(row int, what string) {
	replaces := column(result, C.REBAL_ACTION_REPLACES)[row]
	if replaces&C.REBAL_REPLACES_CLUSTERS != 0 {
		spec["clusters"] = list{}
	}
	if replaces&C.REBAL_REPLACES_GRACEFUL_EVICTION_TASKS != 0 {
		spec["gracefulEvictionTasks"] = list{}
	}
	for name, value := range read(C.rebal_result_record(result, C.size_t(row)), 0) {
		spec[name] = value
	}
	show(what)
}

func schedule(now int) {
	snapshot, rows := state()
	defer release(snapshot, rows)
	must(C.rebal_schedule(ctx, snapshot, rows, nil, result, failure))
	targets, replicas := list{}, column(result, C.REBAL_PLACED_REPLICAS)
	for row, cluster := range column(result, C.REBAL_PLACED_CLUSTER) {
		name := C.GoString(C.rebal_snapshot_cluster_name(snapshot, C.uint32_t(cluster), nil))
		targets = append(targets, object{"name": list{name}, "replicas": list{int(replicas[row])}})
	}
	spec["clusters"], scheduled = targets, moment(now)
	show([]string{"scheduled", "scheduled, fresh"}[column(result, C.REBAL_DECISION_FRESH)[0]])
}

// failOver is one turn: of the taint manager for a cluster, or of the assessment of tasks where there is none.
func failOver(now int, what string, cluster C.uint32_t) {
	snapshot, rows := state()
	defer release(snapshot, rows)
	at := moment(now)
	if cluster != C.REBAL_NONE {
		must(C.rebal_taint_eviction_step(snapshot, cluster, rows, &at, opts, result, failure))
	} else {
		must(C.rebal_graceful_eviction_step(snapshot, rows, &at, opts, result, failure))
	}
	for row, kind := range column(result, C.REBAL_ACTION_KIND) {
		if kind == C.REBAL_ACTION_PATCH_SPEC {
			carryOut(row, what)
		}
	}
}

func rebalance(now int) {
	var seen *C.rebal_observations
	must(C.rebal_observations_new(nil, &seen, failure))
	defer C.rebal_observations_free(seen)
	for at := moment(now); ; {
		rebalancer := record(builder, C.REBAL_OBJECT_WORKLOAD_REBALANCER, demo)
		must(C.rebal_rebalancer_step(rebalancer, seen, &at, nil, result, failure))
		if column(result, C.REBAL_STEP_STATE)[0] != C.REBAL_STEP_WAITING {
			return
		}
		for row, kind := range column(result, C.REBAL_ACTION_KIND) {
			var fields *C.rebal_record
			switch kind {
			case C.REBAL_ACTION_READ:
				triggered := object{"rescheduleTriggeredAt": asList(spec["rescheduleTriggeredAt"])}
				fields = record(other, C.REBAL_OBJECT_BINDING, object{"spec": triggered})
			case C.REBAL_ACTION_PATCH_SPEC:
				carryOut(row, "triggered")
			case C.REBAL_ACTION_PATCH_STATUS:
				status := read(C.rebal_result_record(result, C.size_t(row)), 0)
				fmt.Println("observed:", first(first(status, "observedWorkloads"), "result"))
			}
			must(C.rebal_observations_add(seen, column(result, C.REBAL_ACTION_ORDINAL)[row], C.REBAL_OBSERVED_DONE, nil, 0,
				fields, nil, 0, failure))
		}
	}
}

func main() {
	opts.struct_size = C.uint32_t(unsafe.Sizeof(*opts))
	must(C.rebal_fleet_new(nil, &fleet, failure))
	must(C.rebal_builder_new(nil, &builder, failure))
	must(C.rebal_builder_new(nil, &other, failure))
	must(C.rebal_result_new(nil, &result, failure))
	must(C.rebal_ctx_new(nil, nil, &ctx, failure))
	must(C.rebal_fleet_resource_id(fleet, chars("pods"), size("pods"), &pods, failure))
	placement = intern(C.REBAL_OBJECT_PLACEMENT, policy)
	apis := intern(C.REBAL_OBJECT_API_ENABLEMENTS, enabled)
	for _, name := range []string{"member1", "member2"} {
		var cluster C.uint32_t
		must(C.rebal_fleet_add_cluster(fleet, chars(name), size(name), &cluster, failure))
		must(C.rebal_fleet_set_i64(fleet, C.REBAL_CLUSTER_API_ENABLEMENTS, cluster, C.int64_t(apis), failure))
		setPods(C.REBAL_CAPACITY_ALLOCATABLE, cluster, 110)
		members[name] = cluster
	}
	lost := members["member1"]
	schedule(start)
	taints := intern(C.REBAL_OBJECT_TAINTS, object{"taints": taint})
	must(C.rebal_fleet_set_i64(fleet, C.REBAL_CLUSTER_TAINTS, lost, C.int64_t(taints), failure))
	failOver(start+60, "tainted", lost)
	schedule(start + 61)
	must(C.rebal_fleet_set_i64(fleet, C.REBAL_CLUSTER_TAINTS, lost, C.int64_t(C.REBAL_NONE), failure))
	failOver(start+120, "assessed", C.REBAL_NONE)
	failOver(start+150, "assessed", C.REBAL_NONE)
	rebalance(start + 194)
	schedule(start + 195)
	C.rebal_ctx_free(ctx)
	C.rebal_result_free(result)
	C.rebal_builder_free(other)
	C.rebal_builder_free(builder)
	C.rebal_fleet_free(fleet)
}
