// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_bindings_cells
// #cgo nocallback rebal_bindings_cells
// #cgo noescape rebal_bindings_const_cells
// #cgo nocallback rebal_bindings_const_cells
// #cgo noescape rebal_bindings_free
// #cgo nocallback rebal_bindings_free
// #cgo noescape rebal_bindings_freeze
// #cgo nocallback rebal_bindings_freeze
// #cgo noescape rebal_bindings_new
// #cgo nocallback rebal_bindings_new
// #cgo noescape rebal_bindings_reset
// #cgo nocallback rebal_bindings_reset
// #cgo noescape rebal_cells_count
// #cgo nocallback rebal_cells_count
// #cgo noescape rebal_cells_get_i64
// #cgo nocallback rebal_cells_get_i64
// #cgo noescape rebal_cells_next
// #cgo nocallback rebal_cells_next
// #cgo noescape rebal_fleet_intern
// #cgo nocallback rebal_fleet_intern
// #cgo noescape rebal_store_feed_bindings
// #cgo nocallback rebal_store_feed_bindings
import "C"

import (
	"strings"
	"time"
	"unsafe"
)

// Bindings is a set of ResourceBindings and ClusterResourceBindings of one fleet, rows from 0. It is built by one
// goroutine until Freeze, which calls that decide want; then any number may use it.
type Bindings struct {
	handle
	isFrozen bool
}

func (b *Bindings) c() *C.rebal_bindings {
	if b == nil {
		return nil
	}
	return (*C.rebal_bindings)(b.pointer)
}

func (f *Fleet) ownBindings(made *C.rebal_bindings) *Bindings {
	bindings := &Bindings{}
	return open(bindings, &bindings.handle, "set of bindings", unsafe.Pointer(made), func() {
		C.rebal_bindings_free(made)
	})
}

// NewBindings makes an empty set, to be filled by Add or by Cells.
func (f *Fleet) NewBindings() (*Bindings, error) {
	if err := f.read(); err != nil {
		return nil, err
	}
	defer f.done()
	var made *C.rebal_bindings
	failure := newFailure()
	if err := failed(C.rebal_bindings_new(f.parts.fleet, nil, &made, &failure), &failure); err != nil {
		return nil, err
	}
	return f.ownBindings(made), nil
}

// Bindings makes a frozen set of binding objects, a row for each in the order given. Workloads and PodDisruptionBudgets
// among the objects have the labels of the pods. EINVAL: there are objects, but no binding is among them.
func (f *Fleet) Bindings(objects ...any) (*Bindings, error) {
	bindings, err := f.NewBindings()
	if err == nil {
		err = f.Add(bindings, objects...)
	}
	if err == nil {
		err = bindings.Freeze()
	}
	if err != nil {
		_ = bindings.Close()
		return nil, err
	}
	return bindings, nil
}

// Add adds rows to a set of this fleet that is not frozen, as Bindings. EINVAL: no binding is among the objects.
func (f *Fleet) Add(bindings *Bindings, objects ...any) error {
	store, err := NewStore(objects...)
	if err != nil {
		return err
	}
	defer store.Close()
	ids := store.bindings()
	for id := range store.Objects("") {
		if len(ids) == 0 {
			return invalid(EINVAL, "%s %s is not a binding: expected a ResourceBinding or ClusterResourceBinding",
				store.Kind(id), strings.TrimPrefix(store.Namespace(id)+"/"+store.Name(id), "/"))
		}
		break
	}
	return f.AddFrom(bindings, store, ids...)
}

// AddFrom adds rows for binding objects of a store, in the order given; none: all, by kind, namespace, name.
func (f *Fleet) AddFrom(bindings *Bindings, store *Store, objects ...ID) error {
	var all taken
	var err error
	defer all.done()
	all.change(&f.handle, &err)
	all.change(handleOf(bindings), &err)
	all.read(handleOf(store), &err)
	if err != nil {
		return err
	}
	failure := newFailure()
	ids := (*C.uint32_t)(unsafe.Pointer(unsafe.SliceData(objects)))
	return failed(C.rebal_store_feed_bindings(store.c(), f.parts.fleet, ids, C.size_t(len(objects)), bindings.c(),
		&failure), &failure)
}

// Freeze ends the building. ESTATE: it was frozen before.
func (b *Bindings) Freeze() error {
	if err := b.change(); err != nil {
		return err
	}
	defer b.done()
	failure := newFailure()
	err := failed(C.rebal_bindings_freeze(b.c(), &failure), &failure)
	b.isFrozen = b.isFrozen || err == nil
	return err
}

// Reset empties the set for new rows and keeps its memory.
func (b *Bindings) Reset() error {
	if err := b.change(); err != nil {
		return err
	}
	defer b.done()
	C.rebal_bindings_reset(b.c())
	b.isFrozen = false
	return nil
}

// Close frees the set.
func (b *Bindings) Close() error { return b.close() }

// Cells are the rows, for reading and, until Freeze, for setting.
func (b *Bindings) Cells() *Cells {
	of := func() *C.rebal_cells { return C.rebal_bindings_cells(b.c()) }
	return &Cells{owner: &b.handle, isFrozen: b.isFrozen, of: of}
}

// Len is the number of bindings; 0 of a closed set.
func (b *Bindings) Len() int {
	n, _ := b.Cells().Count(TableBinding, None)
	return n
}

// Trigger requests a fresh placement of every binding of a set that is not frozen, as a WorkloadRebalancer of that
// moment would.
func (b *Bindings) Trigger(at time.Time) error {
	times := make([]time.Time, b.Len())
	for i := range times {
		times[i] = at
	}
	return b.Cells().PutTimes(ColumnBindingRescheduleTriggeredAt, None, nil, times)
}

// Keys are the names of all rows, namespace/name.
func (b *Bindings) Keys() ([]string, error) {
	spaces, err := b.Cells().Texts(ColumnBindingNamespace, None, nil)
	if err != nil {
		return nil, err
	}
	names, err := b.Cells().Texts(ColumnBindingName, None, nil)
	if err != nil {
		return nil, err
	}
	for i, space := range spaces {
		names[i] = strings.TrimPrefix(space+"/"+names[i], "/")
	}
	return names, nil
}

// Targets are spec.clusters of a row, as they were before a decision.
func (b *Bindings) targets(names []string) [][]Target {
	cells := C.rebal_bindings_const_cells(b.c())
	all := make([][]Target, C.rebal_cells_count(cells, C.REBAL_TABLE_BINDING, C.REBAL_NONE))
	for row := range all {
		id := C.rebal_cells_next(cells, C.REBAL_TABLE_TARGET, C.uint32_t(row), C.REBAL_NONE)
		for ; id != C.REBAL_NONE; id = C.rebal_cells_next(cells, C.REBAL_TABLE_TARGET, C.uint32_t(row), id) {
			cluster := C.rebal_cells_get_i64(cells, C.REBAL_TARGET_CLUSTER, C.REBAL_NONE, id)
			replicas := C.rebal_cells_get_i64(cells, C.REBAL_TARGET_REPLICAS, C.REBAL_NONE, id)
			all[row] = append(all[row], Target{Cluster: names[cluster], Replicas: int64(replicas)})
		}
	}
	return all
}

// Intern keeps a nested object, such as ObjectRequirements, and gives its handle for columns and charges; an equal one
// gives the same handle.
func (f *Fleet) Intern(object Object, value any) (uint32, error) {
	if err := f.change(); err != nil {
		return None, err
	}
	defer f.done()
	handle := C.uint32_t(None)
	err := withRecord(object, value, func(record *C.rebal_record) error {
		failure := newFailure()
		return failed(C.rebal_fleet_intern(f.parts.fleet, record, &handle, &failure), &failure)
	})
	return uint32(handle), err
}
