// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_plan_member
// #cgo nocallback rebal_plan_member
import "C"

import (
	"runtime"
	"slices"
	"time"
)

// ReplicaInMember is what becomes of a replica that leaves a member or arrives in it.
type ReplicaInMember struct {
	Binding int // row of the plan
	State   MemberReplica
	Pod     ID           // the one that goes; NoID: none, or not known
	Rule    DeletionRule // why it is deleted before the next one
	Spread  ID           // the WorkloadSpread of whose subset it is or will be; NoID: none
	Subset  int          // index in spec.subsets; -1: none
}

// changed is how many replicas leave a cluster or arrive in it.
func (t *PlanTables) changed(cluster string) (n int64) {
	for _, binding := range t.Bindings {
		for _, one := range binding.Clusters {
			if one.Cluster == cluster {
				change := max(one.Planned, 0) - max(one.Present, 0) // Absent is below 0
				n += max(change, -change)
			}
		}
	}
	return n
}

// InMember is what the plan does in a member whose objects are known: one for each replica that leaves the cluster or
// arrives there, by binding, in the order in which pods go or come. Pod and Spread are objects of member. store has the
// bindings of the plan, and templates of workloads that the member does not have yet; compat may be nil. No store is
// changed. See rebal_plan_member(3).
func (p *Plan) InMember(cluster string, member, store *Store, now time.Time,
	compat *Compat) (_ []ReplicaInMember, err error) {
	tables, err := p.Read()
	if err != nil {
		return nil, err
	}
	n, number := tables.changed(cluster), slices.Index(p.names, cluster)
	var all taken
	defer all.done()
	all.read(p.guard(), &err)
	all.change(handleOf(member), &err)
	all.change(handleOf(store), &err)
	if compat != nil {
		all.read(&compat.handle, &err)
	}
	if err != nil || n == 0 {
		return nil, err
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	columns := make([][]uint32, 6)
	for i := range columns {
		columns[i] = make([]uint32, n)
	}
	column := func(i int) *C.uint32_t { return (*C.uint32_t)(pinSlice(&pinner, columns[i])) }
	rows := C.rebal_member_rows{struct_size: C.sizeof_rebal_member_rows, capacity: C.uint64_t(n), bindings: column(0),
		states: column(1), pods: column(2), rules: column(3), spreads: column(4), subsets: column(5)}
	at, failure := moment(now), newFailure()
	code := C.rebal_plan_member(p.c(), store.c(), C.uint32_t(number), member.c(), &at, compat.c(), &rows, &failure)
	if err = failed(code, &failure); err != nil {
		return nil, err
	}
	found := make([]ReplicaInMember, n)
	for i := range found {
		found[i] = ReplicaInMember{int(columns[0][i]), MemberReplica(columns[1][i]), ID(columns[2][i]),
			DeletionRule(columns[3][i]), ID(columns[4][i]), int(int32(columns[5][i]))}
	}
	return found, nil
}
