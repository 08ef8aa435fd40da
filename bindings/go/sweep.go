// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/plan.h>
// #include <rebalance/simulation.h>
// #cgo noescape rebal_sweep
// #cgo nocallback rebal_sweep
// #cgo noescape rebal_sweep_count
// #cgo nocallback rebal_sweep_count
import "C"

import (
	"context"
	"runtime"
)

// SweepSize is how many losses a call works out before it checks its context again.
const SweepSize = 256

// SweepOptions: the zero value is each cluster lost once, and bindings independent of each other.
type SweepOptions struct {
	Flags     SweepFlag
	Schedule  *ScheduleOptions // how bindings are decided; its ledger is not changed
	Kinds     []Loss           // what is lost; none: each of Sets, or each cluster if there are none
	Sets      [][]string       // clusters that are lost together, of LossSet
	FirstLoss int              // start at this loss
	MaxWork   int              // stop after so many losses; 0: all
}

// Swept is what follows from one loss. Missing: desired replicas that are in no cluster; Moved: that leave a cluster
// and appear elsewhere; Fullest is the cluster with the largest part of a resource in use then, Full per 1,000.
type Swept struct {
	Loss     int // number of the loss
	Kind     Loss
	Name     string // of the cluster, zone, region or provider; "" for a set
	Set      int    // index in Sets; -1: it is not a set
	Clusters int64  // clusters lost
	Unplaced int64  // bindings that are refused
	Missing  int64
	Moved    int64
	Fullest  string
	Full     int64
	Resource string
	Decided  int64      // bindings decided again
	Affected []Affected // with SweepFlagBindings
}

// Affected is a binding that is decided otherwise than with nothing lost.
type Affected struct {
	Binding        int // row
	Outcome        Outcome
	Missing, Moved int64
}

// bitsFor has the bit of each kind.
func bitsFor[K ~int64](what string, kinds []K) (bits C.uint32_t, err error) {
	for _, kind := range kinds {
		if kind < 0 || kind > 31 {
			return 0, invalid(EUNSUPPORTED, "there is no kind of %s %d", what, int64(kind))
		}
		bits |= 1 << kind
	}
	return bits, nil
}

// sweepOpts fills rebal_sweep_opts.
func sweepOpts(pinner *runtime.Pinner, o *SweepOptions, snapshot *Snapshot) (opts C.rebal_sweep_opts, err error) {
	if o.FirstLoss < 0 || o.MaxWork < 0 {
		return opts, invalid(ERANGE, "FirstLoss or MaxWork is negative")
	}
	kinds := o.Kinds
	if len(kinds) == 0 && len(o.Sets) > 0 {
		kinds = []Loss{LossSet}
	}
	opts = C.rebal_sweep_opts{struct_size: C.sizeof_rebal_sweep_opts, flags: C.uint32_t(o.Flags),
		n_sets: C.uint64_t(len(o.Sets)), first_loss: C.uint64_t(o.FirstLoss), max_work: C.uint64_t(o.MaxWork)}
	if opts.kinds, err = bitsFor("loss", kinds); err != nil {
		return opts, err
	}
	if len(o.Sets) == 0 {
		return opts, nil
	}
	clusters, offsets := []uint32{}, []uint32{0}
	for _, names := range o.Sets {
		ids, err := snapshot.existing(names)
		if err != nil {
			return opts, err
		}
		clusters = append(clusters, ids...)
		offsets = append(offsets, uint32(len(clusters)))
	}
	opts.set_clusters = (*C.uint32_t)(pinSlice(pinner, clusters))
	opts.set_offsets = (*C.uint32_t)(pinSlice(pinner, offsets))
	return opts, nil
}

// SweepInto works out what follows from each loss: TableSwept and, with SweepFlagBindings, TableAffected. See
// rebal_sweep(3). ENOTFOUND: the fleet has no such cluster.
func (s *Session) SweepInto(result *Result, snapshot *Snapshot, bindings *Bindings, options *SweepOptions) error {
	if options == nil {
		options = &SweepOptions{}
	}
	var failure error
	err := s.scheduling(result, snapshot, bindings, options.Schedule,
		func(c *scheduleCall, err *C.rebal_error) C.int32_t {
			var opts C.rebal_sweep_opts
			if opts, failure = sweepOpts(&c.pinner, options, snapshot); failure != nil {
				return 0
			}
			opts.schedule = c.pinned()
			return C.rebal_sweep(s.c(), snapshot.c(), bindings.c(), &opts, result.c(), err)
		})
	if failure != nil {
		return failure
	}
	return err
}

// CountLosses is the number of losses that options stand for.
func (s *Session) CountLosses(snapshot *Snapshot, options *SweepOptions) (int, error) {
	if options == nil {
		options = &SweepOptions{}
	}
	var all taken
	var err error
	defer all.done()
	all.change(&s.handle, &err)
	all.read(handleOf(snapshot), &err)
	if err != nil {
		return 0, err
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	opts, err := sweepOpts(&pinner, options, snapshot)
	if err != nil {
		return 0, err
	}
	var n C.uint64_t
	failure := newFailure()
	err = failed(C.rebal_sweep_count(s.c(), snapshot.c(), &opts, &n, &failure), &failure)
	return int(n), err
}

// Sweep returns what would be if each of some clusters were lost: what moves, what does not fit, and which cluster is
// fullest then. Nothing is changed. When the context ends between parts of SweepSize losses, or a call fails, the
// losses before are returned with the error. Sessions of several goroutines may sweep parts, by FirstLoss and MaxWork.
func (s *Session) Sweep(ctx context.Context, snapshot *Snapshot, bindings *Bindings,
	options *SweepOptions) ([]Swept, error) {
	own := SweepOptions{}
	if options != nil {
		own = *options
	}
	end, err := s.CountLosses(snapshot, &own)
	if err != nil {
		return nil, err
	}
	if own.MaxWork > 0 && own.MaxWork < end-own.FirstLoss {
		end = own.FirstLoss + own.MaxWork
	}
	losses := []Swept{}
	for first := true; first || own.FirstLoss < end; first = false {
		if err := ctx.Err(); err != nil {
			return losses, err
		}
		own.MaxWork = max(min(SweepSize, end-own.FirstLoss), 1)
		if err := s.SweepInto(s.result, snapshot, bindings, &own); err != nil {
			return losses, err
		}
		part, err := s.result.Swept()
		if err != nil {
			return losses, err
		}
		losses = append(losses, part...)
		own.FirstLoss += own.MaxWork
	}
	return losses, nil
}

// Swept reads TableSwept and TableAffected.
func (r *Result) Swept() ([]Swept, error) {
	if err := r.change(); err != nil {
		return nil, err
	}
	defer r.done()
	var err error
	numbers, kinds := r.column(ColumnSweptLoss), r.column(ColumnSweptKind)
	sets, clusters := r.column(ColumnSweptSet), r.column(ColumnSweptClusters)
	unplaced, missing := r.column(ColumnSweptUnplaced), r.column(ColumnSweptMissing)
	moved, fullest := r.column(ColumnSweptMoved), r.column(ColumnSweptFullest)
	full, decided := r.column(ColumnSweptFull), r.column(ColumnSweptDecided)
	names, resources := r.texts(ColumnSweptName, &err), r.texts(ColumnSweptResource, &err)
	owners, affected := r.column(ColumnAffectedLoss), r.affected()
	if err != nil {
		return nil, err
	}
	all, begin := make([]Swept, len(numbers)), 0
	for i := range all {
		end := begin
		for end < len(owners) && owners[end] == numbers[i] {
			end++
		}
		all[i] = Swept{int(numbers[i]), Loss(kinds[i]), at(names, i), -1, clusters[i], unplaced[i], missing[i],
			moved[i], nameOf(r.names, fullest[i]), full[i], at(resources, i), decided[i], affected[begin:end:end]}
		if sets[i] != Absent {
			all[i].Set = int(sets[i])
		}
		begin = end
	}
	return all, nil
}

func (r *Result) affected() []Affected {
	rows, outcomes := r.column(ColumnAffectedBinding), r.column(ColumnAffectedOutcome)
	missing, moved := r.column(ColumnAffectedMissing), r.column(ColumnAffectedMoved)
	all := make([]Affected, len(rows))
	for i := range all {
		all[i] = Affected{int(rows[i]), Outcome(outcomes[i]), missing[i], moved[i]}
	}
	return all
}
