// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_assign
// #cgo nocallback rebal_assign
// #cgo noescape rebal_score
// #cgo nocallback rebal_score
// #cgo noescape rebal_select
// #cgo nocallback rebal_select
import "C"

// The phases of ScheduleInto one by one; each takes what the one before returned (another result than its own), or nil:
// then it makes those before itself.

// ScoreInto scores the feasible clusters and estimates what fits: TableScored and TableDecision. verdicts: of
// FilterInto. See rebal_score(3).
func (s *Session) ScoreInto(result, verdicts *Result, snapshot *Snapshot, bindings *Bindings,
	options *ScheduleOptions) error {
	return s.phase(result, verdicts, snapshot, bindings, options,
		func(before *C.rebal_result, c *scheduleCall, failure *C.rebal_error) C.int32_t {
			return C.rebal_score(s.c(), snapshot.c(), bindings.c(), before, &c.opts, result.c(), failure)
		})
}

// SelectInto selects clusters by the spread constraints: TableSelected, TableGroup and TableDecision. scored: of
// ScoreInto. See rebal_select(3).
func (s *Session) SelectInto(result, scored *Result, snapshot *Snapshot, bindings *Bindings,
	options *ScheduleOptions) error {
	return s.phase(result, scored, snapshot, bindings, options,
		func(before *C.rebal_result, c *scheduleCall, failure *C.rebal_error) C.int32_t {
			return C.rebal_select(s.c(), snapshot.c(), bindings.c(), before, &c.opts, result.c(), failure)
		})
}

// AssignInto gives the replicas to the clusters selected: TableDecision and TablePlaced. selected: of SelectInto. See
// rebal_assign(3).
func (s *Session) AssignInto(result, selected *Result, snapshot *Snapshot, bindings *Bindings,
	options *ScheduleOptions) error {
	return s.phase(result, selected, snapshot, bindings, options,
		func(before *C.rebal_result, c *scheduleCall, failure *C.rebal_error) C.int32_t {
			return C.rebal_assign(s.c(), snapshot.c(), bindings.c(), before, &c.opts, result.c(), failure)
		})
}

func (s *Session) phase(result, before *Result, snapshot *Snapshot, bindings *Bindings, options *ScheduleOptions,
	call func(*C.rebal_result, *scheduleCall, *C.rebal_error) C.int32_t) error {
	if before == nil {
		return s.scheduling(result, snapshot, bindings, options, func(c *scheduleCall, f *C.rebal_error) C.int32_t {
			return call(nil, c, f)
		})
	}
	if before == result {
		return invalid(EINVAL, "a phase writes into the result that it reads")
	}
	if err := before.read(); err != nil {
		return err
	}
	defer before.done()
	return s.scheduling(result, snapshot, bindings, options, func(c *scheduleCall, f *C.rebal_error) C.int32_t {
		return call(before.c(), c, f)
	})
}
