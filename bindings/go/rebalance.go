// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_binding_name
// #cgo nocallback rebal_binding_name
// #cgo noescape rebal_rebalancer_step
// #cgo nocallback rebal_rebalancer_step
import "C"

import (
	"context"
	"slices"
	"strings"
	"time"
)

// BindingName is the name of the binding that belongs to a workload.
func BindingName(name, kind string) (string, error) {
	buffer := make([]byte, len(name)+len(kind)+2)
	var n C.size_t
	failure := newFailure()
	code := C.rebal_binding_name(chars(name), size(name), chars(kind), size(kind), bytesOf(buffer), C.size_t(len(buffer)),
		&n, &failure)
	if err := failed(code, &failure); err != nil {
		return "", err
	}
	return string(buffer[:n]), nil
}

// RebalancerStepInto is one run over a WorkloadRebalancer as it was read, given what was observed of this run's actions
// so far (nil: nothing yet): TableStep and TableAction. It is called with the same object and time, and with the
// observations of its actions added, until the step's state is not StepStateWaiting. See rebal_rebalancer_step(3).
func (s *Session) RebalancerStepInto(result *Result, rebalancer any, now time.Time,
	observed *Observations) (err error) {
	var all taken
	defer all.done()
	all.change(&s.handle, &err)
	all.change(handleOf(result), &err)
	if observed != nil {
		all.read(&observed.handle, &err)
	}
	if err != nil {
		return err
	}
	opts := C.rebal_rebalancer_opts{struct_size: C.sizeof_rebal_rebalancer_opts, observations: observed.c()}
	at, failure := moment(now), newFailure()
	return withRecord(ObjectWorkloadRebalancer, rebalancer, func(record *C.rebal_record) error {
		return failed(C.rebal_rebalancer_step(s.c(), record, &at, &opts, result.c(), &failure), &failure)
	})
}

// RebalancerStep is RebalancerStepInto with the step and its actions as values.
func (s *Session) RebalancerStep(rebalancer any, now time.Time, observed *Observations) (Step, []Action, error) {
	if err := s.RebalancerStepInto(s.result, rebalancer, now, observed); err != nil {
		return Step{}, nil, err
	}
	steps, err := s.result.Steps()
	if err != nil {
		return Step{}, nil, err
	}
	actions, err := s.result.Actions()
	return steps[0], actions, err
}

// Move is what a binding's clusters were and would be.
type Move struct {
	Key      string // namespace/name of the binding
	Decision        // the placement that would come
	Before   []Target
	Changes  []Change // clusters that gain or lose replicas, by name
}

// Change is the replicas of one cluster.
type Change struct {
	Cluster       string
	Before, After int64
}

// Moved is how many replicas leave a cluster for another one, as rebalancectl counts them: a workload that only grows
// or shrinks moves none.
func (m Move) Moved() int64 {
	var gained, lost int64
	for _, change := range m.Changes {
		gained += max(change.After-change.Before, 0)
		lost += max(change.Before-change.After, 0)
	}
	return min(gained, lost)
}

func changesOf(before, after []Target) (changes []Change) {
	by := map[string]*Change{}
	find := func(cluster string) *Change {
		if by[cluster] == nil {
			by[cluster] = &Change{Cluster: cluster}
		}
		return by[cluster]
	}
	for _, target := range before {
		find(target.Cluster).Before += target.Replicas
	}
	for _, target := range after {
		find(target.Cluster).After += target.Replicas
	}
	for _, change := range by {
		if change.Before != change.After {
			changes = append(changes, *change)
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Cluster, b.Cluster) })
	return changes
}

// WouldMove returns what would move if the workloads of these binding objects were rebalanced at a moment: the fresh
// placement of each beside the one it has. As in Karmada, one that was never scheduled, or was scheduled after that
// moment, is not placed anew. Nothing is changed.
func (s *Session) WouldMove(ctx context.Context, fleet *Fleet, at time.Time, objects ...any) ([]Move, error) {
	if err := handleOf(fleet).check(); err != nil {
		return nil, err
	}
	rows, err := fleet.NewBindings()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if err = fleet.Add(rows, objects...); err == nil {
		err = rows.Trigger(at)
	}
	if err == nil {
		err = rows.Freeze()
	}
	if err != nil {
		return nil, err
	}
	snapshot, err := fleet.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	return s.moves(ctx, snapshot, rows)
}

// moves schedules and compares.
func (s *Session) moves(ctx context.Context, snapshot *Snapshot, rows *Bindings) ([]Move, error) {
	decisions, err := s.Schedule(ctx, snapshot, rows, nil)
	if err != nil {
		return nil, err
	}
	keys, err := rows.Keys()
	if err != nil {
		return nil, err
	}
	var all taken
	defer all.done()
	all.read(&rows.handle, &err)
	all.read(&snapshot.handle, &err)
	if err != nil {
		return nil, err
	}
	before := rows.targets(snapshot.clusters())
	moves := make([]Move, len(decisions))
	for i, decision := range decisions {
		was := before[decision.Binding]
		moves[i] = Move{keys[decision.Binding], decision, was, changesOf(was, decision.Targets)}
	}
	return moves, nil
}
