// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_bindings_const_cells
// #cgo nocallback rebal_bindings_const_cells
// #cgo noescape rebal_cells_count
// #cgo nocallback rebal_cells_count
// #cgo noescape rebal_decide
// #cgo nocallback rebal_decide
// #cgo noescape rebal_filter
// #cgo nocallback rebal_filter
// #cgo noescape rebal_schedule
// #cgo nocallback rebal_schedule
// #cgo noescape rebal_scheduler_step
// #cgo nocallback rebal_scheduler_step
import "C"

import (
	"context"
	"runtime"
	"time"
	"unsafe"
)

// BatchSize is how many bindings a call decides on before it checks its context again.
const BatchSize = 1024

// Estimator is the answers of one estimator beside the library's own: Fits[b*Stride+c] replicas fit into the cluster of
// id c for the binding of row b. Clusters is how many there are for each binding; Stride 0: the same for every binding.
type Estimator struct {
	Fits     []int32
	Clusters int
	Stride   int
}

// ScheduleOptions: the zero value is Karmada's defaults, each binding independent of the others.
type ScheduleOptions struct {
	Flags         ScheduleFlag
	Compat        *Compat
	Ledger        *Ledger   // read and charged in the order of the bindings
	Known         *Bindings // other bindings, for workload affinity
	Assigning     *Bindings // newer copies of some of Known
	LedgerExpiry  time.Time // zero: never
	FirstRow      int       // start at this row
	MaxWork       int       // stop after so many bindings; 0: all
	SchedulerName string    // the step skips bindings of others; "": default-scheduler
	ExtraReject   []int64   // [b*ExtraStride+c] not 0: the caller rejects cluster c for row b
	ExtraScore    []int64   // added to the scores of the plugins
	ExtraClusters int       // cells of each binding
	ExtraStride   int       // 0: the same cells for every binding
	RejectReason  string    // of ExtraReject, for the text of an error
	Estimators    []Estimator
	ExplainRows   int // rows of TableExplain for each binding, at most
	Observations  *Observations
}

// scheduleCall is the options of one call as C takes them, and what they point to.
type scheduleCall struct {
	opts       C.rebal_schedule_opts
	expiry     C.rebal_time
	estimators []C.rebal_estimator
	list       []*C.rebal_estimator
	pinner     runtime.Pinner
	all        taken
}

func pinSlice[T any](pinner *runtime.Pinner, values []T) unsafe.Pointer {
	if len(values) == 0 {
		return nil
	}
	pinner.Pin(&values[0])
	return unsafe.Pointer(&values[0])
}

func pinText(pinner *runtime.Pinner, text string) *C.char {
	if text == "" {
		return nil
	}
	pinner.Pin(unsafe.StringData(text))
	return chars(text)
}

// check reports whether there is a cell for each cluster of each of n bindings.
func (e Estimator) check(n int) error {
	if e.Clusters < 0 || e.Stride < 0 || (e.Stride > 0 && e.Stride < e.Clusters) {
		return invalid(ERANGE, "an estimator with %d clusters and a stride of %d", e.Clusters, e.Stride)
	}
	return checkCells("an estimator", len(e.Fits), e.Clusters, e.Stride, n)
}

// checkCells reports whether cells has a value for each of n bindings; C's arrays have no length.
func checkCells(what string, cells, clusters, stride, n int) error {
	if clusters < 0 || stride < 0 {
		return invalid(ERANGE, "%s: %d clusters and a stride of %d", what, clusters, stride)
	}
	if cells == 0 || clusters == 0 || n == 0 {
		return nil
	}
	if stride > 0 && n-1 > (cells-clusters)/stride || clusters > cells {
		return invalid(ERANGE, "%s: %d cells are too few for %d bindings of %d clusters", what, cells, n, clusters)
	}
	return nil
}

func listEstimators(pinner *runtime.Pinner, estimators []Estimator, n int) (**C.rebal_estimator, error) {
	if len(estimators) == 0 {
		return nil, nil
	}
	made, list := make([]C.rebal_estimator, len(estimators)), make([]*C.rebal_estimator, len(estimators))
	for i, one := range estimators {
		if err := one.check(n); err != nil {
			return nil, err
		}
		made[i] = C.rebal_estimator{struct_size: C.sizeof_rebal_estimator,
			fits: (*C.int32_t)(pinSlice(pinner, one.Fits)), clusters: C.uint64_t(one.Clusters),
			stride: C.uint64_t(one.Stride)}
		list[i] = &made[i]
	}
	pinner.Pin(&made[0])
	pinner.Pin(&list[0])
	return &list[0], nil
}

// prepare takes the objects of the options and fills opts; n is the number of bindings.
func (c *scheduleCall) prepare(o *ScheduleOptions, n int) (err error) {
	c.opts = C.rebal_schedule_opts{struct_size: C.sizeof_rebal_schedule_opts}
	if o == nil {
		return nil
	}
	if o.FirstRow < 0 || o.MaxWork < 0 || o.ExplainRows < 0 {
		return invalid(ERANGE, "FirstRow, MaxWork or ExplainRows is negative")
	}
	for _, cells := range [][]int64{o.ExtraReject, o.ExtraScore} {
		if err := checkCells("an extra column", len(cells), o.ExtraClusters, o.ExtraStride, n); err != nil {
			return err
		}
	}
	if c.take(o, &err); err != nil {
		return err
	}
	c.opts.flags = C.uint32_t(o.Flags)
	c.opts.first_row, c.opts.max_work = C.uint64_t(o.FirstRow), C.uint64_t(o.MaxWork)
	c.opts.explain_rows = C.uint64_t(o.ExplainRows)
	c.opts.scheduler_name = pinText(&c.pinner, o.SchedulerName)
	c.opts.scheduler_name_len = C.uint64_t(len(o.SchedulerName))
	c.opts.extra_reject = (*C.int64_t)(pinSlice(&c.pinner, o.ExtraReject))
	c.opts.extra_score = (*C.int64_t)(pinSlice(&c.pinner, o.ExtraScore))
	c.opts.extra_clusters, c.opts.extra_stride = C.uint64_t(o.ExtraClusters), C.uint64_t(o.ExtraStride)
	c.opts.extra_reject_reason = pinText(&c.pinner, o.RejectReason)
	c.opts.extra_reject_reason_len = C.uint64_t(len(o.RejectReason))
	if !o.LedgerExpiry.IsZero() {
		c.expiry = moment(o.LedgerExpiry)
		c.pinner.Pin(&c.expiry)
		c.opts.ledger_expiry = &c.expiry
	}
	c.opts.estimators, err = listEstimators(&c.pinner, o.Estimators, n)
	c.opts.n_estimators = C.uint64_t(len(o.Estimators))
	return err
}

func (c *scheduleCall) take(o *ScheduleOptions, err *error) {
	if o.Compat != nil {
		c.all.read(&o.Compat.handle, err)
	}
	if o.Ledger != nil {
		c.all.change(&o.Ledger.handle, err)
	}
	if o.Known != nil {
		c.all.read(&o.Known.handle, err)
	}
	if o.Assigning != nil {
		c.all.read(&o.Assigning.handle, err)
	}
	if o.Observations != nil {
		c.all.read(&o.Observations.handle, err)
	}
	if *err == nil {
		c.opts.compat, c.opts.ledger = o.Compat.c(), o.Ledger.c()
		c.opts.known, c.opts.assigning = o.Known.c(), o.Assigning.c()
		c.opts.observations = o.Observations.c()
	}
}

// pinned is a copy of opts for options that point to it, in memory that holds nothing else: cgo checks all of it.
func (c *scheduleCall) pinned() *C.rebal_schedule_opts {
	own := new(C.rebal_schedule_opts)
	*own = c.opts
	c.pinner.Pin(own)
	return own
}

func (c *scheduleCall) done() {
	c.pinner.Unpin()
	c.all.done()
}

// scheduling makes one call of the scheduler.
func (s *Session) scheduling(result *Result, snapshot *Snapshot, bindings *Bindings, options *ScheduleOptions,
	call func(*scheduleCall, *C.rebal_error) C.int32_t) (err error) {
	var made scheduleCall
	defer made.done()
	made.all.change(&s.handle, &err)
	made.all.change(handleOf(result), &err)
	made.all.read(handleOf(snapshot), &err)
	made.all.read(handleOf(bindings), &err)
	if err != nil {
		return err
	}
	n := int(C.rebal_cells_count(C.rebal_bindings_const_cells(bindings.c()), C.REBAL_TABLE_BINDING, C.REBAL_NONE))
	if err = made.prepare(options, n); err != nil {
		return err
	}
	result.names = snapshot.clusters()
	failure := newFailure()
	return failed(call(&made, &failure), &failure)
}

func (s *Snapshot) guard() *handle {
	if s == nil {
		return nil
	}
	return &s.handle
}

// ScheduleInto schedules bindings in one call: TableDecision, TablePlaced and, with ExplainRows, TableExplain. See
// rebal_schedule(3).
func (s *Session) ScheduleInto(result *Result, snapshot *Snapshot, bindings *Bindings, options *ScheduleOptions) error {
	return s.scheduling(result, snapshot, bindings, options, func(c *scheduleCall, failure *C.rebal_error) C.int32_t {
		return C.rebal_schedule(s.c(), snapshot.c(), bindings.c(), &c.opts, result.c(), failure)
	})
}

// DecideInto returns whether and why each binding is to be scheduled: TableDecision. See rebal_decide(3).
func (s *Session) DecideInto(result *Result, snapshot *Snapshot, bindings *Bindings, options *ScheduleOptions) error {
	return s.scheduling(result, snapshot, bindings, options, func(c *scheduleCall, failure *C.rebal_error) C.int32_t {
		return C.rebal_decide(s.c(), snapshot.c(), bindings.c(), &c.opts, result.c(), failure)
	})
}

// FilterInto gives the verdict of every filter plugin: TableVerdict. See rebal_filter(3).
func (s *Session) FilterInto(result *Result, snapshot *Snapshot, bindings *Bindings, options *ScheduleOptions) error {
	return s.scheduling(result, snapshot, bindings, options, func(c *scheduleCall, failure *C.rebal_error) C.int32_t {
		return C.rebal_filter(s.c(), snapshot.c(), bindings.c(), &c.opts, result.c(), failure)
	})
}

// SchedulerStepInto is the scheduler's whole turn: TableStep, TableAction, TableDecision and TablePlaced. See
// rebal_scheduler_step(3).
func (s *Session) SchedulerStepInto(result *Result, snapshot *Snapshot, bindings *Bindings, now time.Time,
	options *ScheduleOptions) error {
	at := moment(now)
	return s.scheduling(result, snapshot, bindings, options, func(c *scheduleCall, failure *C.rebal_error) C.int32_t {
		return C.rebal_scheduler_step(s.c(), snapshot.c(), bindings.c(), &at, &c.opts, result.c(), failure)
	})
}

// batches makes calls of at most BatchSize bindings until all are decided on, the context ends, or one fails.
func (s *Session) batches(ctx context.Context, snapshot *Snapshot, bindings *Bindings, options *ScheduleOptions,
	read func() error) error {
	own := ScheduleOptions{}
	if options != nil {
		own = *options
	}
	end := bindings.Len()
	if own.MaxWork > 0 && own.MaxWork < end-own.FirstRow {
		end = own.FirstRow + own.MaxWork
	}
	for first := true; first || own.FirstRow < end; first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		own.MaxWork = max(min(BatchSize, end-own.FirstRow), 1)
		if err := s.ScheduleInto(s.result, snapshot, bindings, &own); err != nil {
			return err
		}
		if err := read(); err != nil {
			return err
		}
		own.FirstRow += own.MaxWork
	}
	return nil
}

// Schedule schedules every binding, whether or not it is due, and returns a decision for each. A binding that does not
// fit is an answer, not an error. When the context ends between batches, or a call fails, the decisions before are
// returned with the error.
func (s *Session) Schedule(ctx context.Context, snapshot *Snapshot, bindings *Bindings,
	options *ScheduleOptions) (decisions []Decision, err error) {
	if bindings == nil {
		return nil, bindings.guard().check()
	}
	decisions = make([]Decision, 0, bindings.Len())
	err = s.batches(ctx, snapshot, bindings, options, func() (err error) {
		decisions, err = s.result.appendDecisions(decisions)
		return err
	})
	return decisions, err
}
