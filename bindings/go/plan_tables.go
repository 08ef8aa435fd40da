// SPDX-License-Identifier: MIT

package librebalance

import (
	"strings"
	"time"
)

// PlanTables holds the tables of a plan.
type PlanTables struct {
	Bindings []Planned
	Moves    []PlannedMove // bindings in order, pairs of clusters by name
	Clusters []ClusterUse
	Limits   []Limited // in the order given, then PodDisruptionBudgets
	Uses     []LimitUse
	Proof    *Proof // nil: the plan has another mode than PlanModeLeast
}

// Planned is the plan of one binding. Message: why it cannot be placed; then it keeps what it has.
type Planned struct {
	Key            string // namespace/name
	Replicas       int64
	Outcome        Outcome
	Message        string
	Drift          int64 // replicas that move from Present to Wanted
	Granted        int64 // from Present to Planned
	Withheld       int64 // that limits keep from moving
	LimitedBy      int64 // index in Limits of the first; Absent: none
	Left           int64 // that still move from Planned to Wanted
	Added, Removed int64 // that Planned has more or fewer in all
	Whole          bool  // it moves as a whole or not at all
	MaxSurge       int64
	MaxUnavailable int64
	Clusters       []PlannedCluster
}

// PlannedCluster is the replicas of a binding in a cluster; Absent: it is not in that placement.
type PlannedCluster struct {
	Cluster                         string
	Present, Wanted, Planned, Ready int64
}

// PlannedMove is replicas of a binding that leave a cluster and appear in another one.
type PlannedMove struct {
	Binding        int // row
	Source, Target string
	Replicas       int64
}

// ClusterUse is the replicas of all bindings in a cluster, and those that move.
type ClusterUse struct {
	Cluster                          string
	Before, After, MovedOut, MovedIn int64
}

// Limited is what came of a limit. Shadow: how many more replicas would move without it.
type Limited struct {
	Scope                            LimitScope
	Subject                          string
	Replicas, Used, Withheld, Shadow int64
	Tokens                           int64 // of a pace; else Absent
	TokensAt                         time.Time
}

// LimitUse is what a limit counted for one subject.
type LimitUse struct {
	Limit      int // index in Limits
	Subject    string
	Used, Left int64
}

// Proof is what is proved of a plan of PlanModeLeast. Kept and Moved are by weight.
type Proof struct {
	Bindings, Classes, Placed, Kept, Moved, Gap int64
	Exact                                       bool // nothing that is allowed moves less
}

// Read returns all tables of the plan as values.
func (p *Plan) Read() (*PlanTables, error) {
	result, err := NewResult()
	if err != nil {
		return nil, err
	}
	defer result.Close()
	if err := p.ReadInto(result); err != nil {
		return nil, err
	}
	tables := &PlanTables{Moves: result.plannedMoves(), Clusters: result.clusterUses(), Proof: result.proof()}
	tables.Bindings = result.planned(&err)
	tables.Limits = result.limited(&err)
	tables.Uses = result.limitUses(&err)
	return tables, err
}

func (r *Result) plannedClusters() []PlannedCluster {
	names := r.column(ColumnPlannedClusterCluster)
	present, wanted := r.column(ColumnPlannedClusterPresent), r.column(ColumnPlannedClusterWanted)
	planned, ready := r.column(ColumnPlannedClusterPlanned), r.column(ColumnPlannedClusterReady)
	all := make([]PlannedCluster, len(names))
	for i := range all {
		all[i] = PlannedCluster{nameOf(r.names, names[i]), present[i], wanted[i], planned[i], ready[i]}
	}
	return all
}

func (r *Result) planned(err *error) []Planned {
	spaces, names := r.texts(ColumnPlannedNamespace, err), r.texts(ColumnPlannedName, err)
	messages, clusters := r.texts(ColumnPlannedMessage, err), r.plannedClusters()
	replicas, outcomes := r.column(ColumnPlannedReplicas), r.column(ColumnPlannedOutcome)
	drift, granted := r.column(ColumnPlannedDrift), r.column(ColumnPlannedGranted)
	withheld, by := r.column(ColumnPlannedWithheld), r.column(ColumnPlannedLimitedBy)
	left, whole := r.column(ColumnPlannedDriftLeft), r.column(ColumnPlannedWhole)
	added, removed := r.column(ColumnPlannedAdded), r.column(ColumnPlannedRemoved)
	surge, unavailable := r.column(ColumnPlannedMaxSurge), r.column(ColumnPlannedMaxUnavailable)
	first, counts := r.column(ColumnPlannedFirstCluster), r.column(ColumnPlannedClusters)
	all := make([]Planned, len(replicas))
	for i := range all {
		all[i] = Planned{strings.TrimPrefix(at(spaces, i)+"/"+at(names, i), "/"), replicas[i], Outcome(outcomes[i]),
			at(messages, i), drift[i], granted[i], withheld[i], by[i], left[i], added[i], removed[i], whole[i] != 0,
			surge[i], unavailable[i], clusters[first[i] : first[i]+counts[i] : first[i]+counts[i]]}
	}
	return all
}

func (r *Result) plannedMoves() []PlannedMove {
	rows, replicas := r.column(ColumnMoveBinding), r.column(ColumnMoveReplicas)
	sources, targets := r.column(ColumnMoveSource), r.column(ColumnMoveTarget)
	all := make([]PlannedMove, len(rows))
	for i := range all {
		all[i] = PlannedMove{int(rows[i]), nameOf(r.names, sources[i]), nameOf(r.names, targets[i]), replicas[i]}
	}
	return all
}

func (r *Result) clusterUses() []ClusterUse {
	names, before := r.column(ColumnClusterUseCluster), r.column(ColumnClusterUseBefore)
	after, out := r.column(ColumnClusterUseAfter), r.column(ColumnClusterUseMovedOut)
	in := r.column(ColumnClusterUseMovedIn)
	all := make([]ClusterUse, len(names))
	for i := range all {
		all[i] = ClusterUse{nameOf(r.names, names[i]), before[i], after[i], out[i], in[i]}
	}
	return all
}

func (r *Result) limited(err *error) []Limited {
	subjects, scopes := r.texts(ColumnLimitedSubject, err), r.column(ColumnLimitedScope)
	replicas, used := r.column(ColumnLimitedReplicas), r.column(ColumnLimitedUsed)
	withheld, shadow := r.column(ColumnLimitedWithheld), r.column(ColumnLimitedShadow)
	tokens := r.column(ColumnLimitedTokens)
	times, failure := r.timeColumn(ColumnLimitedTokensAt)
	if failure != nil && *err == nil {
		*err = failure
	}
	all := make([]Limited, len(scopes))
	for i := range all {
		all[i] = Limited{LimitScope(scopes[i]), at(subjects, i), replicas[i], used[i], withheld[i], shadow[i],
			tokens[i], at(times, i)}
	}
	return all
}

func (r *Result) limitUses(err *error) []LimitUse {
	limits, subjects := r.column(ColumnLimitUseLimit), r.texts(ColumnLimitUseSubject, err)
	used, left := r.column(ColumnLimitUseUsed), r.column(ColumnLimitUseLeft)
	all := make([]LimitUse, len(limits))
	for i := range all {
		all[i] = LimitUse{int(limits[i]), at(subjects, i), used[i], left[i]}
	}
	return all
}

func (r *Result) proof() *Proof {
	bindings := r.column(ColumnProofBindings)
	if len(bindings) == 0 {
		return nil
	}
	return &Proof{bindings[0], r.column(ColumnProofClasses)[0], r.column(ColumnProofPlaced)[0],
		r.column(ColumnProofKept)[0], r.column(ColumnProofMoved)[0], r.column(ColumnProofGap)[0],
		r.column(ColumnProofExact)[0] != 0}
}
