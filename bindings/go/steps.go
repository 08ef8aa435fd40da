// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_application_failover_step
// #cgo nocallback rebal_application_failover_step
// #cgo noescape rebal_bindings_const_cells
// #cgo nocallback rebal_bindings_const_cells
// #cgo noescape rebal_cells_count
// #cgo nocallback rebal_cells_count
// #cgo noescape rebal_deschedule_step
// #cgo nocallback rebal_deschedule_step
// #cgo noescape rebal_graceful_eviction_step
// #cgo nocallback rebal_graceful_eviction_step
// #cgo noescape rebal_taint_eviction_step
// #cgo nocallback rebal_taint_eviction_step
// #cgo noescape rebal_taint_verdict
// #cgo nocallback rebal_taint_verdict
import "C"

import (
	"runtime"
	"time"
)

// DescheduleOptions: the zero value is Karmada's defaults, and no estimator. Caps: 0 is none.
type DescheduleOptions struct {
	Flags          DescheduleFlag
	Compat         *Compat
	Interval       time.Duration // until the next run; 0: 2 minutes
	Threshold      time.Duration // how long is long; 0 without DescheduleFlagThresholdGiven: 5 minutes
	Estimators     []Estimator   // of Fits: replicas that cannot be scheduled
	MaxTotal       int64         // replicas that a run may take away at most
	MaxByCluster   int64
	MaxByNamespace int64
	MaxByWorkload  int64
	Observations   *Observations
}

// Descheduled is what a run of the descheduler found about one target of a binding.
type Descheduled struct {
	Binding       int // row
	Cluster       string
	Replicas      int64
	Ready         int64 // Absent: unknown
	Undesired     bool  // fewer are ready than there should be
	Unschedulable int64
	After         int64 // replicas the target is left with
	Withheld      int64 // replicas that a cap keeps where they are
}

// stepping makes one call of a step over bindings; call gets their number.
func (s *Session) stepping(result *Result, snapshot *Snapshot, bindings *Bindings, compat *Compat,
	observed *Observations, call func(*runtime.Pinner, int, *C.rebal_error) (C.int32_t, error)) (err error) {
	var all taken
	defer all.done()
	all.change(&s.handle, &err)
	all.change(handleOf(result), &err)
	all.read(handleOf(snapshot), &err)
	all.read(handleOf(bindings), &err)
	if compat != nil {
		all.read(&compat.handle, &err)
	}
	if observed != nil {
		all.read(&observed.handle, &err)
	}
	if err != nil {
		return err
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	n := int(C.rebal_cells_count(C.rebal_bindings_const_cells(bindings.c()), C.REBAL_TABLE_BINDING, C.REBAL_NONE))
	result.names = snapshot.clusters()
	failure := newFailure()
	code, err := call(&pinner, n, &failure)
	if err != nil {
		return err
	}
	return failed(code, &failure)
}

// descheduleOpts makes rebal_deschedule_opts; n is the number of bindings.
func descheduleOpts(pinner *runtime.Pinner, o *DescheduleOptions, n int) (*C.rebal_deschedule_opts, error) {
	estimators, err := listEstimators(pinner, o.Estimators, n)
	return &C.rebal_deschedule_opts{
		struct_size: C.sizeof_rebal_deschedule_opts, flags: C.uint32_t(o.Flags),
		compat: o.Compat.c(), interval_ns: C.int64_t(o.Interval),
		threshold_ns: C.int64_t(o.Threshold), estimators: estimators,
		n_estimators: C.uint64_t(len(o.Estimators)), max_total: C.int64_t(o.MaxTotal),
		max_by_cluster: C.int64_t(o.MaxByCluster), max_by_namespace: C.int64_t(o.MaxByNamespace),
		max_by_workload: C.int64_t(o.MaxByWorkload), observations: o.Observations.c(),
	}, err
}

// DescheduleInto is one run of the descheduler over all bindings: TableStep, TableAction and TableDescheduled. See
// rebal_deschedule_step(3).
func (s *Session) DescheduleInto(result *Result, snapshot *Snapshot, bindings *Bindings, now time.Time,
	options *DescheduleOptions) error {
	if options == nil {
		options = &DescheduleOptions{}
	}
	at := moment(now)
	return s.stepping(result, snapshot, bindings, options.Compat, options.Observations,
		func(pinner *runtime.Pinner, n int, failure *C.rebal_error) (C.int32_t, error) {
			opts, err := descheduleOpts(pinner, options, n)
			if err != nil {
				return 0, err
			}
			return C.rebal_deschedule_step(s.c(), snapshot.c(), bindings.c(), &at, opts, result.c(), failure), nil
		})
}

// Deschedule is DescheduleInto with the targets found and what to do as values.
func (s *Session) Deschedule(snapshot *Snapshot, bindings *Bindings, now time.Time,
	options *DescheduleOptions) ([]Descheduled, []Action, error) {
	if err := s.DescheduleInto(s.result, snapshot, bindings, now, options); err != nil {
		return nil, nil, err
	}
	found, err := s.result.Descheduled()
	if err != nil {
		return nil, nil, err
	}
	actions, err := s.result.Actions()
	return found, actions, err
}

// Descheduled reads TableDescheduled.
func (r *Result) Descheduled() ([]Descheduled, error) {
	if err := r.read(); err != nil {
		return nil, err
	}
	defer r.done()
	rows, clusters := r.column(ColumnDescheduledBinding), r.column(ColumnDescheduledCluster)
	replicas, ready := r.column(ColumnDescheduledReplicas), r.column(ColumnDescheduledReady)
	undesired, after := r.column(ColumnDescheduledUndesired), r.column(ColumnDescheduledAfter)
	unschedulable, withheld := r.column(ColumnDescheduledUnschedulable), r.column(ColumnDescheduledWithheld)
	all := make([]Descheduled, len(rows))
	for i := range all {
		all[i] = Descheduled{int(rows[i]), nameOf(r.names, clusters[i]), replicas[i], ready[i], undesired[i] != 0,
			unschedulable[i], after[i], withheld[i]}
	}
	return all, nil
}

// FailoverOptions: the zero value is Karmada's defaults.
type FailoverOptions struct {
	Flags                   FailoverFlag
	Compat                  *Compat
	GracefulEvictionTimeout time.Duration // 0 without FailoverFlagTimeoutGiven: 10 minutes
	EvictionInterval        time.Duration // 0: evict all at once
	NextEviction            time.Time     // ColumnPaceNext of the last turn; zero: at once
}

// evicting makes one call of a step of failover.
func (s *Session) evicting(result *Result, snapshot *Snapshot, bindings *Bindings, options *FailoverOptions,
	call func(opts *C.rebal_failover_opts, failure *C.rebal_error) C.int32_t) error {
	if options == nil {
		options = &FailoverOptions{}
	}
	return s.stepping(result, snapshot, bindings, options.Compat, nil,
		func(pinner *runtime.Pinner, _ int, failure *C.rebal_error) (C.int32_t, error) {
			next := moment(options.NextEviction)
			pinner.Pin(&next)
			return call(&C.rebal_failover_opts{
				struct_size: C.sizeof_rebal_failover_opts, flags: C.uint32_t(options.Flags), compat: options.Compat.c(),
				graceful_eviction_timeout_ns: C.int64_t(options.GracefulEvictionTimeout),
				eviction_interval_ns:         C.int64_t(options.EvictionInterval), next_eviction: &next,
			}, failure), nil
		})
}

func (s *Session) inCluster(snapshot *Snapshot, cluster string) (C.uint32_t, error) {
	if err := handleOf(snapshot).check(); err != nil {
		return 0, err
	}
	id, ok := snapshot.ClusterID(cluster)
	if !ok {
		return 0, invalid(ENOTFOUND, "there is no cluster %q", cluster)
	}
	return C.uint32_t(id), nil
}

// TaintVerdictInto is the verdict of a cluster's NoExecute taints on each binding: TableStep. See
// rebal_taint_verdict(3).
func (s *Session) TaintVerdictInto(result *Result, snapshot *Snapshot, cluster string, bindings *Bindings,
	now time.Time, options *FailoverOptions) error {
	id, err := s.inCluster(snapshot, cluster)
	if err != nil {
		return err
	}
	at := moment(now)
	return s.evicting(result, snapshot, bindings, options, func(o *C.rebal_failover_opts, f *C.rebal_error) C.int32_t {
		return C.rebal_taint_verdict(s.c(), snapshot.c(), id, bindings.c(), &at, o, result.c(), f)
	})
}

// TaintEvictionInto is one turn of the taint manager for each binding in a cluster: TableStep, TableAction and
// TablePace. See rebal_taint_eviction_step(3).
func (s *Session) TaintEvictionInto(result *Result, snapshot *Snapshot, cluster string, bindings *Bindings,
	now time.Time, options *FailoverOptions) error {
	id, err := s.inCluster(snapshot, cluster)
	if err != nil {
		return err
	}
	at := moment(now)
	return s.evicting(result, snapshot, bindings, options, func(o *C.rebal_failover_opts, f *C.rebal_error) C.int32_t {
		return C.rebal_taint_eviction_step(s.c(), snapshot.c(), id, bindings.c(), &at, o, result.c(), f)
	})
}

// GracefulEvictionInto is one turn of the graceful-eviction controller: TableStep and TableAction. See
// rebal_graceful_eviction_step(3).
func (s *Session) GracefulEvictionInto(result *Result, snapshot *Snapshot, bindings *Bindings, now time.Time,
	options *FailoverOptions) error {
	at := moment(now)
	return s.evicting(result, snapshot, bindings, options, func(o *C.rebal_failover_opts, f *C.rebal_error) C.int32_t {
		return C.rebal_graceful_eviction_step(s.c(), snapshot.c(), bindings.c(), &at, o, result.c(), f)
	})
}

// ApplicationFailoverInto is one pass of the failover of applications: TableStep, TableAction and TableUnhealthyKept.
// See rebal_application_failover_step(3).
func (s *Session) ApplicationFailoverInto(result *Result, snapshot *Snapshot, bindings *Bindings, now time.Time,
	options *FailoverOptions) error {
	at := moment(now)
	return s.evicting(result, snapshot, bindings, options, func(o *C.rebal_failover_opts, f *C.rebal_error) C.int32_t {
		return C.rebal_application_failover_step(s.c(), snapshot.c(), bindings.c(), &at, o, result.c(), f)
	})
}
