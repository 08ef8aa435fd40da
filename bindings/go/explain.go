// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_explain_text
// #cgo nocallback rebal_explain_text
import "C"

import (
	"context"
	"strings"
)

// Reasoning is one row of an explanation.
type Reasoning struct {
	Cluster string // judged; "": a region, or the binding
	Stage   Stage
	Why     Why
	Text    string // the row as an English sentence; programs use the other members
}

// Explanation is a decision and why it came out so.
type Explanation struct {
	Decision
	Rows []Reasoning
}

// String returns the decision and each sentence on a line of its own.
func (e Explanation) String() string {
	text := strings.Builder{}
	text.WriteString(e.Decision.String())
	for _, row := range e.Rows {
		text.WriteString("\n  " + row.Text)
	}
	return text.String()
}

// Explain schedules every binding, as Schedule does, and explains why. At most ExplainRows rows for each; 0: all.
func (s *Session) Explain(ctx context.Context, snapshot *Snapshot, bindings *Bindings,
	options *ScheduleOptions) (explanations []Explanation, err error) {
	own := ScheduleOptions{}
	if options != nil {
		own = *options
	}
	if own.ExplainRows == 0 {
		own.ExplainRows = 1 << 30
	}
	if bindings == nil {
		return nil, bindings.guard().check()
	}
	err = s.batches(ctx, snapshot, bindings, &own, func() error {
		decisions, err := s.result.Decisions()
		if err != nil {
			return err
		}
		first := len(explanations)
		for _, decision := range decisions {
			explanations = append(explanations, Explanation{Decision: decision})
		}
		return s.result.explain(bindings, explanations[first:])
	})
	return explanations, err
}

// explain adds the rows of TableExplain to explanations, which are in the order of the bindings.
func (r *Result) explain(bindings *Bindings, explanations []Explanation) (err error) {
	var all taken
	defer all.done()
	all.change(&r.handle, &err)
	all.read(&bindings.handle, &err)
	if err != nil {
		return err
	}
	clusters, stages, whys := r.column(ColumnExplainCluster), r.column(ColumnExplainStage), r.column(ColumnExplainVerdict)
	buffer, i := make([]byte, 512), 0
	for row, binding := range r.column(ColumnExplainBinding) {
		for explanations[i].Binding != int(binding) {
			i++
		}
		text, err := r.sentence(bindings, TableExplain, row, &buffer)
		if err != nil {
			return err
		}
		explanations[i].Rows = append(explanations[i].Rows,
			Reasoning{nameOf(r.names, clusters[row]), Stage(stages[row]), Why(whys[row]), text})
	}
	return nil
}

// sentence writes one row; the buffer grows as needed.
func (r *Result) sentence(bindings *Bindings, table Table, row int, buffer *[]byte) (string, error) {
	for {
		var n C.size_t
		failure := newFailure()
		code := C.rebal_explain_text(bindings.c(), r.c(), C.uint32_t(table), C.size_t(row), bytesOf(*buffer),
			C.size_t(len(*buffer)), &n, &failure)
		if code == C.REBAL_ERANGE {
			*buffer = make([]byte, int(n)+1)
			continue
		}
		if err := failed(code, &failure); err != nil {
			return "", err
		}
		return string((*buffer)[:n]), nil
	}
}
