// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_ledger_charge
// #cgo nocallback rebal_ledger_charge
// #cgo noescape rebal_ledger_expire
// #cgo nocallback rebal_ledger_expire
// #cgo noescape rebal_ledger_fork
// #cgo nocallback rebal_ledger_fork
// #cgo noescape rebal_ledger_free
// #cgo nocallback rebal_ledger_free
// #cgo noescape rebal_ledger_new
// #cgo nocallback rebal_ledger_new
// #cgo noescape rebal_ledger_read
// #cgo nocallback rebal_ledger_read
// #cgo noescape rebal_ledger_release
// #cgo nocallback rebal_ledger_release
import "C"

import (
	"runtime"
	"time"
	"unsafe"
)

// Ledger is what was promised and is not yet seen in the clusters' summaries. One goroutine uses it at a time.
type Ledger struct {
	handle
	fleet *Fleet
}

func (l *Ledger) c() *C.rebal_ledger {
	if l == nil {
		return nil
	}
	return (*C.rebal_ledger)(l.pointer)
}

func (l *Ledger) guard() *handle {
	if l == nil {
		return nil
	}
	return &l.handle
}

func (f *Fleet) ownLedger(made *C.rebal_ledger) *Ledger {
	ledger := &Ledger{fleet: f}
	return open(ledger, &ledger.handle, "ledger", unsafe.Pointer(made), func() { C.rebal_ledger_free(made) })
}

// NewLedger makes an empty ledger of this fleet.
func (f *Fleet) NewLedger() (*Ledger, error) {
	if err := f.read(); err != nil {
		return nil, err
	}
	defer f.done()
	var made *C.rebal_ledger
	failure := newFailure()
	if err := failed(C.rebal_ledger_new(f.parts.fleet, nil, &made, &failure), &failure); err != nil {
		return nil, err
	}
	return f.ownLedger(made), nil
}

// Close frees the ledger.
func (l *Ledger) Close() error { return l.close() }

// Component is so many pods that each need requirements, a handle of the fleet (None: pods only).
type Component struct {
	Requirements uint32
	Replicas     int32
}

// Charge replaces what the binding key (namespace/name) holds in a cluster; no components removes it. expiry zero:
// never.
func (l *Ledger) Charge(key string, cluster uint32, components []Component, expiry time.Time) error {
	requirements, replicas := make([]uint32, len(components)), make([]int32, len(components))
	for i, component := range components {
		requirements[i], replicas[i] = component.Requirements, component.Replicas
	}
	if err := l.change(); err != nil {
		return err
	}
	defer l.done()
	var pinner runtime.Pinner
	defer pinner.Unpin()
	end, failure := moment(expiry), newFailure()
	charge := C.rebal_charge{struct_size: C.sizeof_rebal_charge, cluster: C.uint32_t(cluster),
		n: C.uint64_t(len(components)), expiry: &end}
	pinner.Pin(&end)
	if len(components) > 0 {
		pinner.Pin(&requirements[0])
		pinner.Pin(&replicas[0])
		charge.requirements = idsOf(requirements)
		charge.replicas = (*C.int32_t)(unsafe.Pointer(&replicas[0]))
	}
	return failed(C.rebal_ledger_charge(l.c(), chars(key), size(key), &charge, &failure), &failure)
}

// Release drops all that the key holds, or what it holds in one cluster (None: in all).
func (l *Ledger) Release(key string, cluster uint32) error {
	if err := l.change(); err != nil {
		return err
	}
	defer l.done()
	failure := newFailure()
	return failed(C.rebal_ledger_release(l.c(), chars(key), size(key), C.uint32_t(cluster), &failure), &failure)
}

// Expire drops every binding whose expiry is before a moment.
func (l *Ledger) Expire(now time.Time) error {
	if err := l.change(); err != nil {
		return err
	}
	defer l.done()
	at, failure := moment(now), newFailure()
	return failed(C.rebal_ledger_expire(l.c(), &at, &failure), &failure)
}

// ReadInto lists what is held: TableSpent.
func (l *Ledger) ReadInto(result *Result) error {
	var all taken
	var err error
	defer all.done()
	all.change(&l.handle, &err)
	all.change(handleOf(result), &err)
	if err != nil {
		return err
	}
	failure := newFailure()
	return failed(C.rebal_ledger_read(l.c(), result.c(), &failure), &failure)
}

// Fork makes an independent copy.
func (l *Ledger) Fork() (*Ledger, error) {
	if err := l.change(); err != nil {
		return nil, err
	}
	defer l.done()
	var made *C.rebal_ledger
	failure := newFailure()
	if err := failed(C.rebal_ledger_fork(l.c(), &made, &failure), &failure); err != nil {
		return nil, err
	}
	return l.fleet.ownLedger(made), nil
}
