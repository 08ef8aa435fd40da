// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_estimate
// #cgo nocallback rebal_estimate
// #cgo noescape rebal_estimate_sets
// #cgo nocallback rebal_estimate_sets
import "C"

import (
	"runtime"
	"unsafe"
)

// EstimateOptions: the zero value is Karmada's defaults, nothing spent.
type EstimateOptions struct {
	Flags     EstimateFlag
	Compat    *Compat
	Ledger    *Ledger
	Namespace string // of a set of components, for quotas
}

// Estimate is how many replicas, or whole sets, fit into a cluster; FitsNoOpinion: it is not known.
type Estimate struct {
	Cluster  string
	Replicas int64
}

// Estimate returns how many replicas that each need requirements, a handle of Intern or None, fit into each cluster of
// the snapshot, by name. See rebal_estimate(3).
func (s *Session) Estimate(snapshot *Snapshot, requirements uint32, options *EstimateOptions) ([]Estimate, error) {
	return s.estimating(snapshot, options, func(opts *C.rebal_estimate_opts, failure *C.rebal_error) C.int32_t {
		return C.rebal_estimate(s.c(), snapshot.c(), C.uint32_t(requirements), opts, s.result.c(), failure)
	})
}

// EstimateSets returns how many whole sets of components fit into each cluster of the snapshot, by name. See
// rebal_estimate_sets(3).
func (s *Session) EstimateSets(snapshot *Snapshot, components []Component,
	options *EstimateOptions) ([]Estimate, error) {
	requirements, replicas := make([]uint32, len(components)), make([]int32, len(components))
	for i, component := range components {
		requirements[i], replicas[i] = component.Requirements, component.Replicas
	}
	return s.estimating(snapshot, options, func(opts *C.rebal_estimate_opts, failure *C.rebal_error) C.int32_t {
		return C.rebal_estimate_sets(s.c(), snapshot.c(), idsOf(requirements),
			(*C.int32_t)(unsafe.Pointer(unsafe.SliceData(replicas))), C.size_t(len(components)), opts, s.result.c(),
			failure)
	})
}

func (s *Session) estimating(snapshot *Snapshot, options *EstimateOptions,
	call func(*C.rebal_estimate_opts, *C.rebal_error) C.int32_t) (estimates []Estimate, err error) {
	if options == nil {
		options = &EstimateOptions{}
	}
	var all taken
	defer all.done()
	all.change(handleOf(s), &err)
	if err == nil {
		all.change(&s.result.handle, &err)
	}
	all.read(handleOf(snapshot), &err)
	if options.Compat != nil {
		all.read(&options.Compat.handle, &err)
	}
	if options.Ledger != nil {
		all.read(&options.Ledger.handle, &err)
	}
	if err != nil {
		return nil, err
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	opts := C.rebal_estimate_opts{struct_size: C.sizeof_rebal_estimate_opts, flags: C.uint32_t(options.Flags),
		compat: options.Compat.c(), ledger: options.Ledger.c(), namespace_: pinText(&pinner, options.Namespace),
		namespace_len: C.uint64_t(len(options.Namespace))}
	failure := newFailure()
	if err := failed(call(&opts, &failure), &failure); err != nil {
		return nil, err
	}
	names, replicas := snapshot.clusters(), s.result.column(ColumnEstimateReplicas)
	for i, cluster := range s.result.column(ColumnEstimateCluster) {
		estimates = append(estimates, Estimate{nameOf(names, cluster), replicas[i]})
	}
	return estimates, nil
}
