// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/plan.h>
// #include <rebalance/simulation.h>
// #cgo noescape rebal_bindings_const_cells
// #cgo nocallback rebal_bindings_const_cells
// #cgo noescape rebal_builder_free
// #cgo nocallback rebal_builder_free
// #cgo noescape rebal_builder_new
// #cgo nocallback rebal_builder_new
// #cgo noescape rebal_cells_count
// #cgo nocallback rebal_cells_count
// #cgo noescape rebal_fleet_cells
// #cgo nocallback rebal_fleet_cells
// #cgo noescape rebal_plan_fingerprint
// #cgo nocallback rebal_plan_fingerprint
// #cgo noescape rebal_plan_free
// #cgo nocallback rebal_plan_free
// #cgo noescape rebal_plan_load
// #cgo nocallback rebal_plan_load
// #cgo noescape rebal_plan_make
// #cgo nocallback rebal_plan_make
// #cgo noescape rebal_plan_movement
// #cgo nocallback rebal_plan_movement
// #cgo noescape rebal_plan_read
// #cgo nocallback rebal_plan_read
// #cgo noescape rebal_plan_save
// #cgo nocallback rebal_plan_save
// #cgo noescape rebal_plan_verify
// #cgo nocallback rebal_plan_verify
// #cgo noescape rebal_store_record
// #cgo nocallback rebal_store_record
import "C"

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"
)

// Limit is how many replicas may move. Without a subject each cluster, namespace, binding or value of the label has a
// budget of its own. With Interval it is a pace: Replicas is the burst, one token is added after each interval, and
// each moved replica takes one.
type Limit struct {
	Scope    LimitScope
	Subject  string // cluster, namespace, binding or value of the label; "": each
	Label    string // key of the label, of LimitScopeLabel
	Replicas int64
	Interval time.Duration
	Tokens   int64     // of a pace: Limited.Tokens of the plan before
	TokensAt time.Time // Limited.TokensAt of the plan before; zero: the bucket is full
}

// PlanOptions: the zero value is PlanModeFresh, no cause, no limits. Bounds and weights are those of PlanModeLeast.
type PlanOptions struct {
	Flags            PlanFlag
	Mode             PlanMode
	Tolerance        int32              // permille; 0 without PlanFlagToleranceGiven: 100
	Schedule         *ScheduleOptions   // how bindings are scheduled; its ledger is not changed
	Deschedule       *DescheduleOptions // removes replicas first; nil: nothing
	Drained          []string           // clusters that are rejected for every binding
	Lost             []string           // the same, and replicas there are lost
	Weights          []int64            // of one moved replica, by row; nil: 1
	Minimums         []int64            // [b*BoundStride+c] replicas of row b in cluster c at least; negative: none
	Maximums         []int64            // at most
	BoundClusters    int                // cells of each binding
	BoundStride      int                // 0: the same cells for every binding
	Limits           []Limit
	Budgets          []any // PodDisruptionBudgets
	MaxSurge         int64 // replicas or percent above those wanted while moving; 0 without a flag: 25 percent
	MaxUnavailable   int64 // replicas or percent not ready while moving; 0 without a flag: 25 percent
	ProgressDeadline time.Duration
}

// Plan is what would move. It does not change; any number of goroutines may use it.
type Plan struct {
	handle
	names []string // of the clusters
}

func (p *Plan) c() *C.rebal_plan { return (*C.rebal_plan)(p.pointer) }

func (p *Plan) guard() *handle {
	if p == nil {
		return nil
	}
	return &p.handle
}

func ownPlan(made *C.rebal_plan, names []string) *Plan {
	plan := &Plan{names: names}
	return open(plan, &plan.handle, "plan", unsafe.Pointer(made), func() { C.rebal_plan_free(made) })
}

// Close frees the plan.
func (p *Plan) Close() error { return p.close() }

// existing are ids of clusters that the snapshot has.
func (s *Snapshot) existing(names []string) ([]uint32, error) {
	ids := make([]uint32, len(names))
	for i, name := range names {
		id, ok := s.ClusterID(name)
		if !ok {
			return nil, noCluster(name)
		}
		ids[i] = id
	}
	return ids, nil
}

// listLimits makes limits as C takes them.
func listLimits(pinner *runtime.Pinner, limits []Limit) **C.rebal_limit {
	if len(limits) == 0 {
		return nil
	}
	made, list := make([]C.rebal_limit, len(limits)), make([]*C.rebal_limit, len(limits))
	times := make([]C.rebal_time, len(limits))
	for i, one := range limits {
		times[i] = moment(one.TokensAt)
		made[i] = C.rebal_limit{struct_size: C.sizeof_rebal_limit, scope: C.int32_t(one.Scope),
			subject: pinText(pinner, one.Subject), subject_len: C.uint64_t(len(one.Subject)),
			label: pinText(pinner, one.Label), label_len: C.uint64_t(len(one.Label)), replicas: C.int64_t(one.Replicas),
			interval_ns: C.int64_t(one.Interval), tokens: C.int64_t(one.Tokens), tokens_at: &times[i]}
		list[i] = &made[i]
	}
	pinner.Pin(&times[0])
	pinner.Pin(&made[0])
	pinner.Pin(&list[0])
	return &list[0]
}

// withBudgets reads PodDisruptionBudgets as records, which live during the call of use.
func withBudgets(budgets []any, use func([]*C.rebal_record) error) error {
	if len(budgets) == 0 {
		return use(nil)
	}
	store, err := NewStore(budgets...)
	if err != nil {
		return err
	}
	defer store.Close()
	list := []*C.rebal_record{}
	for id := range store.Objects("PodDisruptionBudget") {
		var builder *C.rebal_builder
		var record *C.rebal_record
		failure := newFailure()
		if err := failed(C.rebal_builder_new(nil, &builder, &failure), &failure); err != nil {
			return err
		}
		defer C.rebal_builder_free(builder)
		code := C.rebal_store_record(store.c(), C.uint32_t(id), builder, &record, &failure)
		if err := failed(code, &failure); err != nil {
			return err
		}
		list = append(list, record)
	}
	return use(list)
}

// planOpts fills rebal_plan_opts; n is the number of bindings, and the caller has taken the objects of the options.
func planOpts(call *scheduleCall, o *PlanOptions, snapshot *Snapshot, n int) (opts C.rebal_plan_opts, err error) {
	pinner := &call.pinner
	if len(o.Weights) > 0 && len(o.Weights) < n {
		return opts, invalid(ERANGE, "%d weights are too few for %d bindings", len(o.Weights), n)
	}
	for _, cells := range [][]int64{o.Minimums, o.Maximums} {
		if err := checkCells("a bound", len(cells), o.BoundClusters, o.BoundStride, n); err != nil {
			return opts, err
		}
	}
	drained, err := snapshot.existing(o.Drained)
	if err != nil {
		return opts, err
	}
	lost, err := snapshot.existing(o.Lost)
	if err != nil {
		return opts, err
	}
	opts = C.rebal_plan_opts{
		struct_size: C.sizeof_rebal_plan_opts, flags: C.uint32_t(o.Flags), mode: C.int32_t(o.Mode),
		tolerance: C.int32_t(o.Tolerance), schedule: call.pinned(),
		drained: (*C.uint32_t)(pinSlice(pinner, drained)), n_drained: C.uint64_t(len(drained)),
		lost: (*C.uint32_t)(pinSlice(pinner, lost)), n_lost: C.uint64_t(len(lost)),
		weights:        (*C.int64_t)(pinSlice(pinner, o.Weights)),
		minimums:       (*C.int64_t)(pinSlice(pinner, o.Minimums)),
		maximums:       (*C.int64_t)(pinSlice(pinner, o.Maximums)),
		bound_clusters: C.uint64_t(o.BoundClusters), bound_stride: C.uint64_t(o.BoundStride),
		limits: listLimits(pinner, o.Limits), n_limits: C.uint64_t(len(o.Limits)),
		max_surge: C.int64_t(o.MaxSurge), max_unavailable: C.int64_t(o.MaxUnavailable),
		progress_deadline_ns: C.int64_t(o.ProgressDeadline),
	}
	if o.Deschedule != nil {
		removing, err := descheduleOpts(pinner, o.Deschedule, n)
		if err != nil {
			return opts, err
		}
		pinner.Pin(removing)
		opts.deschedule = removing
	}
	return opts, nil
}

// Plan plans where all bindings are to go, and what of it moves now. Nothing is changed. See rebal_plan_make(3).
// ENOTFOUND: the fleet has no such cluster.
func (s *Session) Plan(snapshot *Snapshot, bindings *Bindings, now time.Time, options *PlanOptions) (plan *Plan,
	err error) {
	if options == nil {
		options = &PlanOptions{}
	}
	var call scheduleCall
	defer call.done()
	call.all.change(&s.handle, &err)
	call.all.read(handleOf(snapshot), &err)
	call.all.read(handleOf(bindings), &err)
	if options.Deschedule != nil && options.Deschedule.Compat != nil {
		call.all.read(&options.Deschedule.Compat.handle, &err)
	}
	if options.Deschedule != nil && options.Deschedule.Observations != nil {
		call.all.read(&options.Deschedule.Observations.handle, &err)
	}
	if err != nil {
		return nil, err
	}
	n := int(C.rebal_cells_count(C.rebal_bindings_const_cells(bindings.c()), C.REBAL_TABLE_BINDING, C.REBAL_NONE))
	if err = call.prepare(options.Schedule, n); err != nil {
		return nil, err
	}
	opts, err := planOpts(&call, options, snapshot, n)
	if err != nil {
		return nil, err
	}
	var made *C.rebal_plan
	at, failure := moment(now), newFailure()
	err = withBudgets(options.Budgets, func(budgets []*C.rebal_record) error {
		opts.budgets = (**C.rebal_record)(pinSlice(&call.pinner, budgets))
		opts.n_budgets = C.uint64_t(len(budgets))
		code := C.rebal_plan_make(s.c(), snapshot.c(), bindings.c(), &at, &opts, &made, &failure)
		return failed(code, &failure)
	})
	if err != nil {
		return nil, err
	}
	return ownPlan(made, snapshot.clusters()), nil
}

// Verify verifies a plan of PlanModeLeast by code that shares nothing with what made it; gap 0: nothing that is allowed
// moves less. ENOTFOUND: the plan has another mode. See rebal_plan_verify(3).
func (s *Session) Verify(plan *Plan) (gap int64, err error) {
	var all taken
	defer all.done()
	all.change(&s.handle, &err)
	all.read(handleOf(plan), &err)
	if err != nil {
		return 0, err
	}
	problem := C.rebal_movement{struct_size: C.sizeof_rebal_movement}
	answer := C.rebal_movement_answer{struct_size: C.sizeof_rebal_movement_answer}
	failure := newFailure()
	if err = failed(C.rebal_plan_movement(plan.c(), &problem, &answer, &failure), &failure); err != nil {
		return 0, err
	}
	var found C.int64_t
	err = failed(C.rebal_plan_verify(s.c(), &problem, &answer, &found, &failure), &failure)
	return int64(found), err
}

// ReadInto fills the tables of the plan: TablePlanned, TablePlannedCluster, TableMove, TableLimited, TableLimitUse,
// TableClusterUse and, of PlanModeLeast, TableProof.
func (p *Plan) ReadInto(result *Result) (err error) {
	var all taken
	defer all.done()
	all.read(p.guard(), &err)
	all.change(handleOf(result), &err)
	if err != nil {
		return err
	}
	result.names = p.names
	failure := newFailure()
	return failed(C.rebal_plan_read(p.c(), result.c(), &failure), &failure)
}

// Fingerprint is that of all that the plan was made from, 32 hexadecimal digits, equal on every machine.
func (p *Plan) Fingerprint() (string, error) {
	if err := handleOf(p).read(); err != nil {
		return "", err
	}
	defer p.done()
	var high, low C.uint64_t
	C.rebal_plan_fingerprint(p.c(), &high, &low)
	return fmt.Sprintf("%016x%016x", uint64(high), uint64(low)), nil
}

// Save writes the plan as bytes; equal plans give equal bytes on every machine.
func (p *Plan) Save() ([]byte, error) {
	if err := handleOf(p).read(); err != nil {
		return nil, err
	}
	defer p.done()
	return savedBy(func(buffer unsafe.Pointer, capacity C.size_t, n *C.size_t, failure *C.rebal_error) C.int32_t {
		return C.rebal_plan_save(p.c(), buffer, capacity, n, failure)
	})
}

// LoadPlan makes the plan that Save wrote, for this fleet, whose ids its clusters get by name. The bytes may come from
// anywhere: EPARSE when they are none of Save's. Its fingerprint shows whether it still fits.
func (f *Fleet) LoadPlan(saved []byte) (*Plan, error) {
	if err := f.change(); err != nil {
		return nil, err
	}
	defer f.done()
	var made *C.rebal_plan
	failure := newFailure()
	code := C.rebal_plan_load(f.parts.fleet, nil, unsafe.Pointer(bytesOf(saved)), C.size_t(len(saved)), &made, &failure)
	if err := failed(code, &failure); err != nil {
		return nil, err
	}
	return ownPlan(made, f.names.all(C.rebal_fleet_cells(f.parts.fleet))), nil
}
