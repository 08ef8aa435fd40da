// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_compat_free
// #cgo nocallback rebal_compat_free
// #cgo noescape rebal_compat_get
// #cgo nocallback rebal_compat_get
// #cgo noescape rebal_compat_new
// #cgo nocallback rebal_compat_new
// #cgo noescape rebal_compat_set
// #cgo nocallback rebal_compat_set
// #cgo noescape rebal_compat_set_level
// #cgo nocallback rebal_compat_set_level
// #cgo noescape rebal_ctx_free
// #cgo nocallback rebal_ctx_free
// #cgo noescape rebal_ctx_new
// #cgo nocallback rebal_ctx_new
import "C"

import "unsafe"

// Session makes the calls: it holds scratch memory and what was derived from snapshots before. One goroutine uses it at
// a time; goroutines with a session each may share snapshots and bindings.
type Session struct {
	handle
	result *Result // of calls that return Go values
}

// SessionOptions: the zero value is a cache of 64 MiB.
type SessionOptions struct {
	NoCache         bool
	CacheMaxBytes   uint64 // 0: 64 MiB; math.MaxUint64: no limit
	CacheMaxEntries uint64 // 0: no limit
}

// NewSession makes a session; options nil: the defaults.
func NewSession(options *SessionOptions) (*Session, error) {
	var made *C.rebal_ctx
	opts, failure := C.rebal_ctx_opts{struct_size: C.sizeof_rebal_ctx_opts}, newFailure()
	if options != nil {
		opts.cache_max_bytes = C.uint64_t(options.CacheMaxBytes)
		opts.cache_max_entries = C.uint64_t(options.CacheMaxEntries)
		if options.NoCache {
			opts.flags = C.REBAL_CTX_FLAG_NO_CACHE
		}
	}
	result, err := NewResult()
	if err != nil {
		return nil, err
	}
	if err := failed(C.rebal_ctx_new(nil, &opts, &made, &failure), &failure); err != nil {
		_ = result.Close()
		return nil, err
	}
	session := &Session{result: result}
	return open(session, &session.handle, "session", unsafe.Pointer(made), func() { C.rebal_ctx_free(made) }), nil
}

// Close frees the session.
func (s *Session) Close() error {
	if err := s.close(); err != nil || s.result == nil {
		return err
	}
	return s.result.Close()
}

func (s *Session) c() *C.rebal_ctx { return (*C.rebal_ctx)(s.pointer) }

// Compat is the options for feature gates and known behaviour of the references. Calls only read it.
type Compat struct{ handle }

// NewCompat makes options as they are at a level, by name, such as "karmada-1.19"; "": the defaults.
func NewCompat(level string) (*Compat, error) {
	var made *C.rebal_compat
	failure := newFailure()
	err := failed(C.rebal_compat_new(nil, &made, &failure), &failure)
	if err == nil && level != "" {
		err = failed(C.rebal_compat_set_level(made, chars(level), size(level), &failure), &failure)
	}
	if err != nil {
		C.rebal_compat_free(made)
		return nil, err
	}
	compat := &Compat{}
	return open(compat, &compat.handle, "compat", unsafe.Pointer(made), func() { C.rebal_compat_free(made) }), nil
}

// Close frees the options.
func (c *Compat) Close() error { return c.close() }

func (c *Compat) c() *C.rebal_compat {
	if c == nil {
		return nil
	}
	return (*C.rebal_compat)(c.pointer)
}

func (c *Compat) guard() *handle {
	if c == nil {
		return nil
	}
	return &c.handle
}

// Set sets an option to 0 or 1. ERANGE: another value; EUNSUPPORTED: no such option.
func (c *Compat) Set(option Option, value int64) error {
	if err := c.change(); err != nil {
		return err
	}
	defer c.done()
	failure := newFailure()
	return failed(C.rebal_compat_set(c.c(), C.uint32_t(option), C.int64_t(value), &failure), &failure)
}

// Get is the value of an option.
func (c *Compat) Get(option Option) (int64, error) {
	if err := c.read(); err != nil {
		return 0, err
	}
	defer c.done()
	var value C.int64_t
	failure := newFailure()
	err := failed(C.rebal_compat_get(c.c(), C.uint32_t(option), &value, &failure), &failure)
	return int64(value), err
}
