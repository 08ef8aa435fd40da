// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/plan.h>
// #cgo noescape rebal_counterfactual
// #cgo nocallback rebal_counterfactual
// #cgo noescape rebal_headroom
// #cgo nocallback rebal_headroom
// #cgo noescape rebal_try
// #cgo nocallback rebal_try
import "C"

import "time"

// Headroom is how many replicas of a new binding fit with a loss.
type Headroom struct {
	Loss     int // number of the loss
	Kind     Loss
	Name     string // of the cluster, zone, region or provider; "" for a set
	Set      int    // index in Sets; -1: it is not a set
	Clusters int64  // clusters lost
	Replicas int64  // that fit before the first refusal
	Outcome  Outcome
	Message  string // of one replica more
}

// Headroom counts how many replicas of a new binding fit before the first refusal, with each loss: of one as in row,
// without the replicas that it has. most is how many are tried; 0: 1,000,000. Without Kinds and Sets nothing is lost.
// Nothing is changed. See rebal_headroom(3).
func (s *Session) Headroom(snapshot *Snapshot, bindings *Bindings, row int, most int32,
	options *SweepOptions) ([]Headroom, error) {
	own := SweepOptions{}
	if options != nil {
		own = *options
	}
	if len(own.Kinds) == 0 && len(own.Sets) == 0 {
		own.Kinds = []Loss{LossNothing}
	}
	var failure error
	err := s.scheduling(s.result, snapshot, bindings, own.Schedule,
		func(c *scheduleCall, err *C.rebal_error) C.int32_t {
			var opts C.rebal_sweep_opts
			if opts, failure = sweepOpts(&c.pinner, &own, snapshot); failure != nil {
				return 0
			}
			opts.schedule = c.pinned()
			return C.rebal_headroom(s.c(), snapshot.c(), bindings.c(), C.uint32_t(row), C.int32_t(most), &opts,
				s.result.c(), err)
		})
	if failure != nil {
		return nil, failure
	}
	if err != nil {
		return nil, err
	}
	return s.result.headroom()
}

func (r *Result) headroom() ([]Headroom, error) {
	if err := r.change(); err != nil {
		return nil, err
	}
	defer r.done()
	var err error
	numbers, kinds, sets := r.column(ColumnHeadroomLoss), r.column(ColumnHeadroomKind), r.column(ColumnHeadroomSet)
	clusters, replicas := r.column(ColumnHeadroomClusters), r.column(ColumnHeadroomReplicas)
	outcomes, names := r.column(ColumnHeadroomOutcome), r.texts(ColumnHeadroomName, &err)
	messages := r.texts(ColumnHeadroomMessage, &err)
	if err != nil {
		return nil, err
	}
	all := make([]Headroom, len(numbers))
	for i := range all {
		all[i] = Headroom{int(numbers[i]), Loss(kinds[i]), at(names, i), -1, clusters[i], replicas[i],
			Outcome(outcomes[i]), at(messages, i)}
		if sets[i] != Absent {
			all[i].Set = int(sets[i])
		}
	}
	return all, nil
}

// ---- a move made by hand --------------------------------------------------------------------------------------------

// HandMove is a move of replicas of one binding. Limits and budgets are those of PlanOptions; they need Now.
type HandMove struct {
	Binding        int // row
	Source, Target string
	Replicas       int32
	Flags          PlanFlag // PlanFlagBudgetsOverClusters
	Schedule       *ScheduleOptions
	Limits         []Limit
	Budgets        []any // PodDisruptionBudgets
	Now            time.Time
}

// Tried is what a move breaks, what is left to move after it, and what it takes of limits.
type Tried struct {
	Broken       []Breach // what the move breaks, or leaves broken
	BrokenBefore []Breach // spread constraints that are broken without it
	RejectedBy   []Filter // filter plugins that reject the target
	Available    int64    // replicas that fit there; Absent: it is rejected
	Outcome      Outcome  // of the fresh placement
	Message      string
	DriftBefore  int64 // replicas that would move to the fresh placement without the move
	Drift        int64 // and after it
	Granted      int64 // replicas that limits and budgets grant
	LimitedBy    int   // index in Limits of the one that grants the fewest; -1: none cuts it
	Limits       []Limited
	Uses         []LimitUse
}

// bitsOf are the values whose bits are set.
func bitsOf[V ~int64](bits int64) (values []V) {
	for value := int64(0); value < 63; value++ {
		if bits>>value&1 != 0 {
			values = append(values, V(value))
		}
	}
	return values
}

// Try returns what a move made by hand would break, what would be left to move, and its use of limits and budgets.
// Nothing is changed. ENOTFOUND: the fleet has no such cluster. See rebal_try(3).
func (s *Session) Try(snapshot *Snapshot, bindings *Bindings, move *HandMove) (*Tried, error) {
	ends, err := snapshot.existing([]string{move.Source, move.Target})
	if err != nil {
		return nil, err
	}
	at := moment(move.Now)
	err = withBudgets(move.Budgets, func(budgets []*C.rebal_record) error {
		return s.scheduling(s.result, snapshot, bindings, move.Schedule,
			func(c *scheduleCall, err *C.rebal_error) C.int32_t {
				c.pinner.Pin(&at)
				made := C.rebal_move{struct_size: C.sizeof_rebal_move, binding: C.uint32_t(move.Binding),
					source: C.uint32_t(ends[0]), target: C.uint32_t(ends[1]), replicas: C.int32_t(move.Replicas),
					flags: C.uint32_t(move.Flags), schedule: c.pinned(), limits: listLimits(&c.pinner, move.Limits),
					n_limits: C.uint64_t(len(move.Limits)),
					budgets:  (**C.rebal_record)(pinSlice(&c.pinner, budgets)), n_budgets: C.uint64_t(len(budgets)),
					now: &at}
				return C.rebal_try(s.c(), snapshot.c(), bindings.c(), &made, s.result.c(), err)
			})
	})
	if err != nil {
		return nil, err
	}
	return s.result.tried()
}

func (r *Result) tried() (*Tried, error) {
	if err := r.change(); err != nil {
		return nil, err
	}
	defer r.done()
	var err error
	cell := func(column Column) int64 { return r.column(column)[0] }
	messages := r.texts(ColumnTriedMessage, &err)
	tried := Tried{bitsOf[Breach](cell(ColumnTriedBroken)), bitsOf[Breach](cell(ColumnTriedBrokenBefore)),
		bitsOf[Filter](cell(ColumnTriedRejectedBy)), cell(ColumnTriedAvailable), Outcome(cell(ColumnTriedOutcome)),
		at(messages, 0), cell(ColumnTriedDriftBefore), cell(ColumnTriedDrift), cell(ColumnTriedGranted), -1,
		r.limited(&err), r.limitUses(&err)}
	if by := cell(ColumnTriedLimitedBy); by != Absent {
		tried.LimitedBy = int(by)
	}
	return &tried, err
}

// ---- which change would do ------------------------------------------------------------------------------------------

// CounterfactualOptions: the zero value tries every change and returns all that do.
type CounterfactualOptions struct {
	Kinds      []SingleChange // which are tried; none: all
	Schedule   *ScheduleOptions
	MaxAnswers int // so many of the cheapest; 0: all
}

// Counterfactual is a single change after which a binding fits, or a cluster is chosen for it.
type Counterfactual struct {
	Kind          SingleChange
	Cluster       string // where; "": it is of the placement alone
	Name          string // which taint, label, constraint or resource
	Before, After int64  // the number now and the one that does; Absent: the change is none
	Cost          int64  // by which changes are ordered
	Replicas      int64  // of the cluster in the answer with it, or of all
}

// Counterfactual finds the single changes that would have the cluster chosen for the binding of a row, or, if cluster
// is "", would let it fit; the cheapest first. Each was decided with, in a copy of the fleet as it is now; nothing is
// changed. snapshot is of the fleet. ENOTFOUND: the fleet has no such cluster. See rebal_counterfactual(3).
func (s *Session) Counterfactual(fleet *Fleet, snapshot *Snapshot, bindings *Bindings, row int, cluster string,
	options *CounterfactualOptions) (_ []Counterfactual, err error) {
	if options == nil {
		options = &CounterfactualOptions{}
	}
	aim := C.uint32_t(C.REBAL_NONE)
	if cluster != "" {
		ids, err := snapshot.existing([]string{cluster})
		if err != nil {
			return nil, err
		}
		aim = C.uint32_t(ids[0])
	}
	opts := C.rebal_counterfactual_opts{struct_size: C.sizeof_rebal_counterfactual_opts,
		max_answers: C.uint64_t(options.MaxAnswers)}
	if opts.kinds, err = bitsFor("change", options.Kinds); err != nil {
		return nil, err
	}
	if err := handleOf(fleet).read(); err != nil {
		return nil, err
	}
	defer fleet.done()
	err = s.scheduling(s.result, snapshot, bindings, options.Schedule,
		func(c *scheduleCall, err *C.rebal_error) C.int32_t {
			opts.schedule = c.pinned()
			return C.rebal_counterfactual(s.c(), fleet.parts.fleet, bindings.c(), C.uint32_t(row), aim, &opts,
				s.result.c(), err)
		})
	if err != nil {
		return nil, err
	}
	return s.result.counterfactuals()
}

func (r *Result) counterfactuals() ([]Counterfactual, error) {
	if err := r.change(); err != nil {
		return nil, err
	}
	defer r.done()
	var err error
	kinds, clusters := r.column(ColumnCounterfactualKind), r.column(ColumnCounterfactualCluster)
	before, after := r.column(ColumnCounterfactualBefore), r.column(ColumnCounterfactualAfter)
	costs, replicas := r.column(ColumnCounterfactualCost), r.column(ColumnCounterfactualReplicas)
	names := r.texts(ColumnCounterfactualName, &err)
	if err != nil {
		return nil, err
	}
	all := make([]Counterfactual, len(kinds))
	for i := range all {
		all[i] = Counterfactual{SingleChange(kinds[i]), nameOf(r.names, clusters[i]), at(names, i), before[i], after[i],
			costs[i], replicas[i]}
	}
	return all, nil
}
