// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/plan.h>
// #include <rebalance/simulation.h>
// #cgo noescape rebal_plan_step
// #cgo nocallback rebal_plan_step
// #cgo noescape rebal_reconsider
// #cgo nocallback rebal_reconsider
import "C"

import (
	"runtime"
	"time"
)

// ReconsiderOptions: the zero value has no history and the defaults.
type ReconsiderOptions struct {
	Flags    ReconsiderFlag
	Low      int32 // drift in permille of the replicas that keeps a binding due; 0: 50
	High     int32 // drift that makes it due; 0: 100, or Low if that is more
	CoolDown time.Duration
	History  []Reconsidered // what the call before returned
}

// Reconsidered is whether a binding should be moved now. Time, Moved and Due are the history for the next call.
type Reconsidered struct {
	Key      string // namespace/name
	Verdict  Reconsider
	Drift    int64
	Permille int64 // the same in permille of its replicas
	Time     time.Time
	Moved    int64
	Due      bool
}

// history makes rebal_move_history of what a call returned.
func history(pinner *runtime.Pinner, rows []Reconsidered) *C.rebal_move_history {
	keys, offsets := []byte{}, []uint32{0}
	times, moved, due := make([]C.rebal_time, len(rows)), make([]int64, len(rows)), make([]int64, len(rows))
	for i, row := range rows {
		keys = append(keys, row.Key...)
		offsets = append(offsets, uint32(len(keys)))
		times[i], moved[i] = moment(row.Time), row.Moved
		if row.Due {
			due[i] = 1
		}
	}
	made := &C.rebal_move_history{struct_size: C.sizeof_rebal_move_history, n: C.uint64_t(len(rows)),
		keys: (*C.char)(pinSlice(pinner, keys)), offsets: (*C.uint32_t)(pinSlice(pinner, offsets)),
		times: (*C.rebal_time)(pinSlice(pinner, times)), moved: (*C.int64_t)(pinSlice(pinner, moved)),
		due: (*C.int64_t)(pinSlice(pinner, due))}
	pinner.Pin(made)
	return made
}

// ReconsiderInto decides which bindings of a plan should be moved now: TableReconsidered. bindings are those that the
// plan was made for. See rebal_reconsider(3).
func (p *Plan) ReconsiderInto(result *Result, bindings *Bindings, now time.Time,
	options *ReconsiderOptions) (err error) {
	if options == nil {
		options = &ReconsiderOptions{}
	}
	var all taken
	defer all.done()
	all.read(p.guard(), &err)
	all.read(handleOf(bindings), &err)
	all.change(handleOf(result), &err)
	if err != nil {
		return err
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	at, failure := moment(now), newFailure()
	opts := C.rebal_reconsider_opts{struct_size: C.sizeof_rebal_reconsider_opts, flags: C.uint32_t(options.Flags),
		low: C.int32_t(options.Low), high: C.int32_t(options.High), cool_down_ns: C.int64_t(options.CoolDown),
		history: history(&pinner, options.History)}
	return failed(C.rebal_reconsider(p.c(), bindings.c(), &at, &opts, result.c(), &failure), &failure)
}

// Reconsider is ReconsiderInto with the rows as values.
func (s *Session) Reconsider(plan *Plan, bindings *Bindings, now time.Time,
	options *ReconsiderOptions) ([]Reconsidered, error) {
	if err := plan.ReconsiderInto(s.result, bindings, now, options); err != nil {
		return nil, err
	}
	return s.result.Reconsidered()
}

// Reconsidered reads TableReconsidered.
func (r *Result) Reconsidered() ([]Reconsidered, error) {
	if err := r.change(); err != nil {
		return nil, err
	}
	defer r.done()
	var err error
	keys, verdicts := r.texts(ColumnReconsideredKey, &err), r.column(ColumnReconsideredVerdict)
	drift, permille := r.column(ColumnReconsideredDrift), r.column(ColumnReconsideredPermille)
	moved, due := r.column(ColumnReconsideredMoved), r.column(ColumnReconsideredIsDue)
	times, failure := r.timeColumn(ColumnReconsideredTime)
	if err == nil {
		err = failure
	}
	all := make([]Reconsidered, len(verdicts))
	for i := range all {
		all[i] = Reconsidered{at(keys, i), Reconsider(verdicts[i]), drift[i], permille[i], at(times, i), moved[i],
			due[i] != 0}
	}
	return all, err
}

// PlanStepOptions: the zero value writes placements as they are, and waves at once.
type PlanStepOptions struct {
	Flags        PlanStepFlag
	Dialect      PlanDialect
	Compat       *Compat
	Ledger       *Ledger       // what others hold; it is not changed
	Interval     time.Duration // between two waves
	NextWave     time.Time     // Wave.Next of the call before; zero: at once
	Observations *Observations // what came of the writes of this wave
	Budgets      []any         // PodDisruptionBudgets, of which a wave takes no more than they allow now
}

// Wave is what can be written now, and where each binding of the plan stands.
type Wave struct {
	Bindings []Standing
	Actions  []Action
	Next     time.Time // with Interval: when the next wave may be sent
}

// Standing is where a binding of a plan stands.
type Standing struct {
	Binding               int // row in the bindings; -1: there is none
	State                 WaveState
	Reason                WaveReason
	Cluster               string // that the reason is about
	Foreign               bool   // the present value was written by someone else
	Cycle                 int    // first row of those that block each other; -1: none
	Message               string // of a write that was refused
	Removed, Added, Left  int64
	Present, Ready, Floor int64
	After                 time.Duration // until the next call, if HasTimer
	HasTimer              bool
}

// PlanStepInto gives the writes that can be sent now to carry a plan out: TableWave, TableAction and TablePace. See
// rebal_plan_step(3).
func (s *Session) PlanStepInto(result *Result, snapshot *Snapshot, bindings *Bindings, plan *Plan, now time.Time,
	options *PlanStepOptions) (err error) {
	if options == nil {
		options = &PlanStepOptions{}
	}
	var more taken
	defer more.done()
	more.read(handleOf(plan), &err)
	if options.Ledger != nil {
		more.read(&options.Ledger.handle, &err)
	}
	if err != nil {
		return err
	}
	at, next := moment(now), moment(options.NextWave)
	return withBudgets(options.Budgets, func(budgets []*C.rebal_record) error {
		return s.stepping(result, snapshot, bindings, options.Compat, options.Observations,
			func(pinner *runtime.Pinner, _ int, failure *C.rebal_error) (C.int32_t, error) {
				pinner.Pin(&next)
				opts := C.rebal_plan_step_opts{
					struct_size: C.sizeof_rebal_plan_step_opts, flags: C.uint32_t(options.Flags),
					dialect: C.int32_t(options.Dialect), compat: options.Compat.c(), ledger: options.Ledger.c(),
					interval_ns: C.int64_t(options.Interval), next_wave: &next, observations: options.Observations.c(),
					budgets:   (**C.rebal_record)(pinSlice(pinner, budgets)),
					n_budgets: C.uint64_t(len(budgets)),
				}
				return C.rebal_plan_step(s.c(), snapshot.c(), bindings.c(), plan.c(), &at, &opts, result.c(),
					failure), nil
			})
	})
}

// PlanStep is PlanStepInto with its results as values. bindings are as they are observed now.
func (s *Session) PlanStep(snapshot *Snapshot, bindings *Bindings, plan *Plan, now time.Time,
	options *PlanStepOptions) (*Wave, error) {
	if err := s.PlanStepInto(s.result, snapshot, bindings, plan, now, options); err != nil {
		return nil, err
	}
	rows, err := s.result.Standings()
	if err != nil {
		return nil, err
	}
	actions, err := s.result.Actions()
	if err != nil {
		return nil, err
	}
	wave := &Wave{Bindings: rows, Actions: actions}
	next, err := s.result.Times(ColumnPaceNext)
	wave.Next = at(next, 0)
	return wave, err
}

func rowOf(value int64) int {
	if value == Absent {
		return -1
	}
	return int(value)
}

// Standings reads TableWave.
func (r *Result) Standings() ([]Standing, error) {
	if err := r.change(); err != nil {
		return nil, err
	}
	defer r.done()
	var err error
	rows, states := r.column(ColumnWaveBinding), r.column(ColumnWaveState)
	reasons, clusters := r.column(ColumnWaveReason), r.column(ColumnWaveCluster)
	foreign, cycles := r.column(ColumnWaveForeign), r.column(ColumnWaveCycle)
	after, messages := r.column(ColumnWaveAfterNS), r.texts(ColumnWaveMessage, &err)
	removed, added, left := r.column(ColumnWaveRemoved), r.column(ColumnWaveAdded), r.column(ColumnWaveLeft)
	present, ready, floor := r.column(ColumnWavePresent), r.column(ColumnWaveReady), r.column(ColumnWaveFloor)
	all := make([]Standing, len(rows))
	for i := range all {
		all[i] = Standing{rowOf(rows[i]), WaveState(states[i]), WaveReason(reasons[i]), nameOf(r.names, clusters[i]),
			foreign[i] != 0, rowOf(cycles[i]), at(messages, i), removed[i], added[i], left[i], present[i], ready[i],
			floor[i], 0, after[i] != Absent}
		if all[i].HasTimer {
			all[i].After = time.Duration(after[i])
		}
	}
	return all, err
}
