// SPDX-License-Identifier: MIT

package librebalance

import (
	"fmt"
	"strings"
)

// Decision is what came of one binding.
type Decision struct {
	Binding      int // row in the bindings
	Outcome      Outcome
	Reason       Reason
	Fresh        bool   // the assignment ignored the previous placement
	Message      string // the error text of a failed pass
	AffinityName string // affinity group the answer came from
	Missing      int64  // replicas that do not fit
	Targets      []Target
}

// Target is a cluster and its replicas.
type Target struct {
	Cluster        string
	Replicas       int64
	WithComponents bool // the cluster takes the binding's components
}

// String is cluster:replicas.
func (t Target) String() string { return fmt.Sprintf("%s:%d", t.Cluster, t.Replicas) }

// String returns the targets, or why there are none.
func (d Decision) String() string {
	texts := make([]string, len(d.Targets))
	for i, target := range d.Targets {
		texts[i] = target.String()
	}
	text := d.Outcome.String()
	if len(texts) > 0 {
		text += " " + strings.Join(texts, ", ")
	}
	if d.Message != "" {
		text += ": " + d.Message
	}
	return text
}

// Decisions reads TableDecision and TablePlaced.
func (r *Result) Decisions() ([]Decision, error) { return r.appendDecisions(nil) }

func (r *Result) appendDecisions(decisions []Decision) ([]Decision, error) {
	if err := r.change(); err != nil {
		return decisions, err
	}
	defer r.done()
	var err error
	rows, outcomes := r.column(ColumnDecisionBinding), r.column(ColumnDecisionOutcome)
	reasons, fresh := r.column(ColumnDecisionReason), r.column(ColumnDecisionFresh)
	missing := r.column(ColumnDecisionMissing)
	first, counts := r.column(ColumnDecisionFirstPlaced), r.column(ColumnDecisionPlaced)
	messages, groups := r.texts(ColumnDecisionMessage, &err), r.texts(ColumnDecisionAffinityName, &err)
	if err != nil {
		return decisions, err
	}
	targets := r.placed()
	for i, row := range rows {
		decision := Decision{Binding: int(row), Outcome: Outcome(outcomes[i]), Reason: Reason(reasons[i]),
			Fresh: fresh[i] != 0, Message: at(messages, i), AffinityName: at(groups, i), Missing: missing[i]}
		if counts[i] > 0 {
			decision.Targets = targets[first[i] : first[i]+counts[i] : first[i]+counts[i]]
		}
		decisions = append(decisions, decision)
	}
	return decisions, nil
}

// placed is all rows of TablePlaced, which decisions have parts of.
func (r *Result) placed() []Target {
	clusters, replicas := r.column(ColumnPlacedCluster), r.column(ColumnPlacedReplicas)
	components := r.column(ColumnPlacedWithComponents)
	targets := make([]Target, len(clusters))
	for i, cluster := range clusters {
		targets[i] = Target{nameOf(r.names, cluster), replicas[i], components[i] != 0}
	}
	return targets
}
