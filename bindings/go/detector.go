// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/detector.h>
// #include <rebalance/simulation.h>
// #include <stdlib.h>
// #cgo noescape rebal_detector_count
// #cgo nocallback rebal_detector_count
// #cgo noescape rebal_detector_derive
// #cgo nocallback rebal_detector_derive
// #cgo noescape rebal_detector_free
// #cgo nocallback rebal_detector_free
// #cgo noescape rebal_detector_match
// #cgo nocallback rebal_detector_match
// #cgo noescape rebal_detector_new
// #cgo nocallback rebal_detector_new
// #cgo noescape rebal_detector_run
// #cgo nocallback rebal_detector_run
// #cgo noescape rebal_detector_template
// #cgo nocallback rebal_detector_template
// #cgo noescape rebal_detector_wait
// #cgo nocallback rebal_detector_wait
import "C"

import (
	"runtime"
	"time"
	"unsafe"
)

// Detector is what Karmada does between templates and bindings: it reads and writes the objects of a store.
type Detector struct {
	handle
	store *Store
}

// DetectorOptions: the zero value is Karmada's defaults.
type DetectorOptions struct {
	Flags             DetectorFlag
	Gates             map[DetectorGate]bool
	SkippedNamespaces []string // regular expressions; nil: one, kube-.*
	SkippedAPIs       string   // group, group/version, group/version/Kind,Kind; joined by semicolons
}

// gates are bits of those that are not at their default.
func (o *DetectorOptions) gates() (bits C.uint32_t) {
	for gate, isOn := range o.Gates {
		if gate >= 0 && gate < 32 && isOn != (C.REBAL_DETECTOR_GATES_ON>>gate&1 == 1) {
			bits |= 1 << gate
		}
	}
	return bits
}

// NewDetector makes a detector with empty lists.
func NewDetector(store *Store, options *DetectorOptions) (*Detector, error) {
	if err := handleOf(store).change(); err != nil {
		return nil, err
	}
	defer store.done()
	if options == nil {
		options = &DetectorOptions{}
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	spaces := make([]*C.char, len(options.SkippedNamespaces), len(options.SkippedNamespaces)+1)
	for i, space := range options.SkippedNamespaces {
		spaces[i] = C.CString(space)
		defer C.free(unsafe.Pointer(spaces[i]))
	}
	opts := C.rebal_detector_opts{struct_size: C.sizeof_rebal_detector_opts, flags: C.uint32_t(options.Flags),
		gates: options.gates(), n_skipped_namespaces: C.uint32_t(len(spaces)),
		skipped_apis: pinText(&pinner, options.SkippedAPIs), skipped_apis_len: C.uint64_t(len(options.SkippedAPIs))}
	if options.SkippedNamespaces != nil {
		opts.skipped_namespaces = (**C.char)(pinSlice(&pinner, spaces[:cap(spaces)]))
	}
	var made *C.rebal_detector
	failure := newFailure()
	if err := failed(C.rebal_detector_new(store.c(), &opts, &made, &failure), &failure); err != nil {
		return nil, err
	}
	detector, owner := &Detector{store: store}, store.own.ref()
	return open(detector, &detector.handle, "detector", unsafe.Pointer(made), func() {
		C.rebal_detector_free(made)
		owner.unref()
	}), nil
}

func (d *Detector) c() *C.rebal_detector { return (*C.rebal_detector)(d.pointer) }

// Close frees the detector; the store stays.
func (d *Detector) Close() error { return d.close() }

// Pass is how one pass over a template ended.
type Pass struct {
	Outcome DetectorOutcome
	Policy  ID // that was applied; NoID: none
	Binding ID // of the template; NoID: none, or not looked for
	Message string
}

func (d *Detector) call(use func(*C.rebal_error) C.int32_t) (err error) {
	var all taken
	defer all.done()
	all.change(&d.handle, &err)
	if err == nil {
		all.change(&d.store.handle, &err)
	}
	if err != nil {
		return err
	}
	failure := newFailure()
	return failed(use(&failure), &failure)
}

// Match is how precisely a policy selects a template.
func (d *Detector) Match(policy, template ID) (Precision, error) {
	var precision C.uint32_t
	err := d.call(func(failure *C.rebal_error) C.int32_t {
		return C.rebal_detector_match(d.c(), C.uint32_t(policy), C.uint32_t(template), &precision, failure)
	})
	return Precision(precision), err
}

// Template makes one pass over a template: chooses the policy, claims the template for it, and writes the binding.
func (d *Detector) Template(template ID, flags DetectorPass, now time.Time) (pass Pass, err error) {
	at := moment(now)
	row := (*C.rebal_detector_row)(C.calloc(1, C.sizeof_rebal_detector_row))
	if row == nil {
		return Pass{}, invalid(ENOMEM, "no memory")
	}
	defer C.free(unsafe.Pointer(row))
	row.struct_size = C.sizeof_rebal_detector_row
	err = d.call(func(failure *C.rebal_error) C.int32_t {
		code := C.rebal_detector_template(d.c(), C.uint32_t(template), C.uint32_t(flags), &at, row, failure)
		if code == 0 {
			pass = Pass{DetectorOutcome(row.outcome), ID(row.policy), ID(row.binding), C.GoString(row.message)}
		}
		return code
	})
	return pass, err
}

// Wait puts a template into the list of those that wait for a policy.
func (d *Detector) Wait(template ID) error {
	return d.call(func(failure *C.rebal_error) C.int32_t {
		return C.rebal_detector_wait(d.c(), C.uint32_t(template), failure)
	})
}

// Waiting is how many templates wait for a policy.
func (d *Detector) Waiting() int {
	if d.read() != nil {
		return 0
	}
	defer d.done()
	return int(C.rebal_detector_count(d.c(), C.REBAL_DETECTOR_LIST_WAITING))
}

// Run follows what changed in the store since the last Run, until nothing is left to do.
func (d *Detector) Run(now time.Time) error {
	at := moment(now)
	return d.call(func(failure *C.rebal_error) C.int32_t { return C.rebal_detector_run(d.c(), &at, failure) })
}

// Derive creates or updates the binding of every template that a policy takes, for objects at rest such as files.
func (d *Detector) Derive(now time.Time) error {
	at := moment(now)
	return d.call(func(failure *C.rebal_error) C.int32_t { return C.rebal_detector_derive(d.c(), nil, 0, &at, failure) })
}
