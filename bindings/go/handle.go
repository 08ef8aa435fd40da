// SPDX-License-Identifier: MIT

package librebalance

import (
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"
)

const closed = math.MinInt32

// live is how many objects of C this package has made and not freed.
var live atomic.Int64

// owned is an object of C with several owners: who made it, and objects of C that must not outlive it.
type owned struct {
	refs atomic.Int32
	free func()
}

func newOwned(free func()) *owned {
	live.Add(1)
	o := &owned{free: free}
	o.refs.Store(1)
	return o
}

func (o *owned) ref() *owned {
	o.refs.Add(1)
	return o
}

func (o *owned) unref() {
	if o.refs.Add(-1) == 0 {
		o.free()
		live.Add(-1)
	}
}

// handle guards an object of C: one call at a time changes it, or any number of calls read it, and none use it after
// it was closed. A call takes it by change or read and gives it back by done, which also keeps it alive until then.
type handle struct {
	pointer unsafe.Pointer
	kind    string
	users   atomic.Int32 // -1: one that changes it; above 0: that many readers; closed
	own     *owned
	net     runtime.Cleanup
}

// open makes owner, of which h is a part, an owner of an object of C, which free frees. free must not hold the owner.
func open[T any](owner *T, h *handle, kind string, pointer unsafe.Pointer, free func()) *T {
	h.pointer, h.kind, h.own = pointer, kind, newOwned(free)
	h.net = runtime.AddCleanup(owner, (*owned).unref, h.own)
	return owner
}

func (h *handle) refuse(users int32) error {
	if users == closed {
		return invalid(ESTATE, "the %s is closed", h.kind)
	}
	return invalid(ESTATE, "the %s is in use by another goroutine", h.kind)
}

func (h *handle) check() error {
	if h == nil || h.own == nil {
		return invalid(EINVAL, "an object is nil, or was not made by this package")
	}
	return nil
}

// change takes the object for a call that changes it.
func (h *handle) change() error {
	if err := h.check(); err != nil {
		return err
	}
	if h.users.CompareAndSwap(0, -1) {
		return nil
	}
	return h.refuse(h.users.Load())
}

// read takes the object for a call that only reads it.
func (h *handle) read() error {
	if err := h.check(); err != nil {
		return err
	}
	for {
		users := h.users.Load()
		if users < 0 {
			return h.refuse(users)
		}
		if h.users.CompareAndSwap(users, users+1) {
			return nil
		}
	}
}

// done ends change and read.
func (h *handle) done() {
	if !h.users.CompareAndSwap(-1, 0) {
		h.users.Add(-1)
	}
}

// close frees the object, unless others own it too; a second time it does nothing.
func (h *handle) close() error {
	if h.check() != nil {
		return nil
	}
	if !h.users.CompareAndSwap(0, closed) {
		if users := h.users.Load(); users != closed {
			return h.refuse(users)
		}
		return nil
	}
	h.net.Stop()
	h.pointer = nil
	h.own.unref()
	return nil
}

// taken is what one call has taken, to be released together.
type taken struct {
	handles [10]*handle
	n       int
}

// change and read take one more; a nil pointer that is allowed is not handed to them. The first failure stays.
func (t *taken) change(h *handle, err *error) {
	if *err == nil {
		if *err = h.change(); *err == nil {
			t.handles[t.n] = h
			t.n++
		}
	}
}

func (t *taken) read(h *handle, err *error) {
	if *err == nil {
		if *err = h.read(); *err == nil {
			t.handles[t.n] = h
			t.n++
		}
	}
}

func (t *taken) done() {
	for _, h := range t.handles[:t.n] {
		h.done()
	}
}
