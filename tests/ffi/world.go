// SPDX-License-Identifier: MIT

package main

// #include <rebalance/rebalance.h>
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// The tutorial's small world: two clusters, and one ResourceBinding into which results are written.
var (
	enabled = object{"apiEnablements": object{"groupVersion": "apps/v1", "resources": object{"kind": "Deployment"}}}

	fleet          *C.rebal_fleet
	ctx            *C.rebal_ctx
	builder, other *C.rebal_builder
	result         *C.rebal_result
	rows           *C.rebal_bindings
	snapshot       *C.rebal_snapshot
	opts           *C.rebal_failover_opts
	seen           *C.rebal_observations
	pods           C.uint32_t
	members        = map[string]C.uint32_t{}
	spec           = object{"clusters": list{}, "gracefulEvictionTasks": list{}}
	// FNV-1a of the uid is even: of equal clusters the first by name gets the odd replica.
	foo = cells{C.REBAL_BINDING_NAMESPACE: "default", C.REBAL_BINDING_NAME: "foo-deployment",
		C.REBAL_BINDING_RESOURCE_API_VERSION: "apps/v1", C.REBAL_BINDING_RESOURCE_KIND: "Deployment",
		C.REBAL_BINDING_RESOURCE_UID: "6a1f2b3c-0000-4000-8000-000000000001"}
)

func createWorld() {
	// Created here: cgo does not accept a Go variable as an argument that may hold pointers.
	opts = &C.rebal_failover_opts{flags: C.REBAL_FAILOVER_FLAG_EVICT_BY_TAINT}
	opts.struct_size = C.uint32_t(unsafe.Sizeof(*opts))
	must(C.rebal_fleet_new(nil, &fleet, failure))
	must(C.rebal_ctx_new(nil, nil, &ctx, failure))
	must(C.rebal_builder_new(nil, &builder, failure))
	must(C.rebal_builder_new(nil, &other, failure))
	must(C.rebal_result_new(nil, &result, failure))
	must(C.rebal_bindings_new(fleet, nil, &rows, failure))
	must(C.rebal_fleet_resource_id(fleet, chars("pods"), size("pods"), &pods, failure))
}

func freeWorld() {
	C.rebal_observations_free(seen)
	C.rebal_snapshot_unref(snapshot)
	C.rebal_bindings_free(rows)
	C.rebal_result_free(result)
	C.rebal_builder_free(other)
	C.rebal_builder_free(builder)
	C.rebal_ctx_free(ctx)
	C.rebal_fleet_free(fleet)
}

func intern(kind C.uint32_t, value object) (handle C.uint32_t) {
	must(C.rebal_fleet_intern(fleet, record(builder, kind, value), &handle, failure))
	return handle
}

func setPods(part, cluster C.uint32_t, amount int) {
	quantity := C.rebal_quantity{units: C.int64_t(amount), format: C.REBAL_QUANTITY_FORMAT_DECIMAL_SI}
	must(C.rebal_fleet_set_capacity(fleet, part, cluster, pods, &quantity, failure))
}

func createClusters(capacity int, names ...string) {
	clusters := C.rebal_fleet_cells(fleet)
	apis := C.int64_t(intern(C.REBAL_OBJECT_API_ENABLEMENTS, enabled))
	for _, name := range names {
		var cluster C.uint32_t
		must(C.rebal_fleet_add_cluster(fleet, chars(name), size(name), &cluster, failure))
		must(C.rebal_cells_set_i64(clusters, C.REBAL_CLUSTER_API_ENABLEMENTS, C.REBAL_NONE, cluster, apis, failure))
		setPods(C.REBAL_CAPACITY_ALLOCATABLE, cluster, capacity)
		members[name] = cluster
	}
}

func setTaints(name string, taints list) {
	clusters := C.rebal_fleet_cells(fleet)
	handle := C.int64_t(C.REBAL_ABSENT)
	if len(taints) > 0 {
		handle = C.int64_t(intern(C.REBAL_OBJECT_TAINTS, object{"taints": taints}))
	}
	must(C.rebal_cells_set_i64(clusters, C.REBAL_CLUSTER_TAINTS, C.REBAL_NONE, members[name], handle, failure))
}

func createBinding(replicas int, placement object) {
	handle := intern(C.REBAL_OBJECT_PLACEMENT, placement)
	foo[C.REBAL_BINDING_REPLICAS] = replicas
	foo[C.REBAL_BINDING_PLACEMENT] = handle
	foo[C.REBAL_BINDING_APPLIED_PLACEMENT] = handle
	foo[C.REBAL_BINDING_APPLIED_STATE] = C.REBAL_ANNOTATION_PRESENT
}

func first(of any, name string) any { return of.(object)[name].(list)[0] }

func asList(value any) list {
	items, _ := value.(list)
	return items
}

// freeze returns a snapshot of the clusters and updates the rows of the binding.
func freeze() *C.rebal_snapshot {
	C.rebal_bindings_reset(rows)
	row := put(rows, C.REBAL_TABLE_BINDING, C.REBAL_NONE, foo)
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
	C.rebal_snapshot_unref(snapshot)
	must(C.rebal_fleet_freeze(fleet, &snapshot, failure))
	return snapshot
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

// place writes the result of a scheduling pass into the binding.
func place(at *C.rebal_time) {
	targets, replicas := list{}, column(result, C.REBAL_PLACED_REPLICAS)
	for row, cluster := range column(result, C.REBAL_PLACED_CLUSTER) {
		name := C.GoString(C.rebal_cells_get_text(C.rebal_snapshot_cells(snapshot), C.REBAL_CLUSTER_NAME,
			C.REBAL_NONE, C.uint32_t(cluster), nil))
		targets = append(targets, object{"name": list{name}, "replicas": list{int(replicas[row])}})
	}
	spec["clusters"], foo[C.REBAL_BINDING_LAST_SCHEDULED_TIME] = targets, at
	show([]string{"scheduled", "scheduled, fresh"}[column(result, C.REBAL_DECISION_FRESH)[0]])
}

// patch applies a PATCH_SPEC to the binding; lists that it replaces may be empty.
func patch(row int) {
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
	for _, at := range asList(spec["rescheduleTriggeredAt"]) {
		foo[C.REBAL_BINDING_RESCHEDULE_TRIGGERED_AT] = at
	}
}

// observations starts a run of a step without observations.
func observations() *C.rebal_observations {
	C.rebal_observations_free(seen)
	must(C.rebal_observations_new(nil, &seen, failure))
	return seen
}

// carryOut carries out the actions of a step, and adds an observation of each to seen.
func carryOut(what string, seen *C.rebal_observations) {
	for row, kind := range column(result, C.REBAL_ACTION_KIND) {
		var fields *C.rebal_record
		switch kind {
		case C.REBAL_ACTION_KIND_READ:
			triggered := object{"rescheduleTriggeredAt": asList(spec["rescheduleTriggeredAt"])}
			fields = record(other, C.REBAL_OBJECT_BINDING, object{"spec": triggered})
		case C.REBAL_ACTION_KIND_PATCH_SPEC:
			patch(row)
			show(what)
		case C.REBAL_ACTION_KIND_PATCH_STATUS:
			status := read(C.rebal_result_record(result, C.size_t(row)), 0)
			fmt.Println("observed:", first(first(status, "observedWorkloads"), "result"))
		}
		if seen != nil {
			done := C.rebal_observation{struct_size: C.sizeof_rebal_observation, outcome: C.REBAL_OBSERVED_DONE,
				ordinal: column(result, C.REBAL_ACTION_ORDINAL)[row], fields: fields}
			must(C.rebal_observations_add(seen, &done, failure))
		}
	}
}
