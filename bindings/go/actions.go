// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_builder_free
// #cgo nocallback rebal_builder_free
// #cgo noescape rebal_builder_new
// #cgo nocallback rebal_builder_new
// #cgo noescape rebal_manifest_read_record
// #cgo nocallback rebal_manifest_read_record
// #cgo noescape rebal_observations_add
// #cgo nocallback rebal_observations_add
// #cgo noescape rebal_observations_free
// #cgo nocallback rebal_observations_free
// #cgo noescape rebal_observations_new
// #cgo nocallback rebal_observations_new
// #cgo noescape rebal_observations_reset
// #cgo nocallback rebal_observations_reset
// #cgo noescape rebal_result_record
// #cgo nocallback rebal_result_record
import "C"

import (
	"runtime"
	"time"
	"unsafe"
)

// Action is what the caller of a step should do.
type Action struct {
	Kind            ActionKind
	Ordinal         int64 // number that the observation echoes
	APIVersion      string
	ObjectKind      string
	Namespace       string
	Name            string
	UID             string         // precondition; "": none
	ResourceVersion string         // precondition; "": none
	NotBefore       time.Time      // of ActionKindWake: when to call again
	Row             int64          // input row it comes from; Absent: none
	Replaces        Replaces       // lists that the payload gives whole, an empty one included
	Payload         map[string]any // fields as the API writes them; nil: none
}

// Step is where a step stands for one input object.
type Step struct {
	State    StepState
	Reason   int64  // a number of the step's own
	Message  string // of a failed run
	After    time.Duration
	HasTimer bool // After is when to run again
	Detail   int64
}

// Steps reads TableStep.
func (r *Result) Steps() ([]Step, error) {
	if err := r.change(); err != nil {
		return nil, err
	}
	defer r.done()
	var err error
	messages := r.texts(ColumnStepMessage, &err)
	reasons, after, details := r.column(ColumnStepReason), r.column(ColumnStepAfterNS), r.column(ColumnStepDetail)
	steps := []Step{}
	for i, state := range r.column(ColumnStepState) {
		step := Step{State: StepState(state), Reason: reasons[i], Message: at(messages, i), Detail: details[i]}
		if after[i] != Absent {
			step.After, step.HasTimer = time.Duration(after[i]), true
		}
		steps = append(steps, step)
	}
	return steps, err
}

// Actions reads TableAction and the payloads.
func (r *Result) Actions() ([]Action, error) {
	if err := r.change(); err != nil {
		return nil, err
	}
	defer r.done()
	var err error
	kinds, ordinals := r.column(ColumnActionKind), r.column(ColumnActionOrdinal)
	rows, replaces := r.column(ColumnActionRow), r.column(ColumnActionReplaces)
	versions, objectKinds := r.texts(ColumnActionAPIVersion, &err), r.texts(ColumnActionObjectKind, &err)
	spaces, names := r.texts(ColumnActionNamespace, &err), r.texts(ColumnActionName, &err)
	uids, resourceVersions := r.texts(ColumnActionUID, &err), r.texts(ColumnActionResourceVersion, &err)
	times, failure := r.timeColumn(ColumnActionNotBefore)
	if err == nil {
		err = failure
	}
	if err != nil {
		return nil, err
	}
	actions := make([]Action, len(kinds))
	for i := range actions {
		actions[i] = Action{Kind: ActionKind(kinds[i]), Ordinal: ordinals[i], APIVersion: at(versions, i),
			ObjectKind: at(objectKinds, i), Namespace: at(spaces, i), Name: at(names, i), UID: at(uids, i),
			ResourceVersion: at(resourceVersions, i), NotBefore: at(times, i), Row: rows[i],
			Replaces: Replaces(replaces[i]), Payload: recordMap(C.rebal_result_record(r.c(), C.size_t(i)))}
	}
	return actions, nil
}

// Observation is what came of one action.
type Observation struct {
	Ordinal         int64 // of the action
	Outcome         Observed
	ResourceVersion string // of the object afterwards; "": unknown
	Object          Object // kind of Fields, such as ObjectBinding
	Fields          any    // what was read, as it goes into a Store; nil: nothing
	Message         string // of a failure
}

// Observations is what was seen of the actions of one run, in any order.
type Observations struct{ handle }

// NewObservations makes an empty set.
func NewObservations() (*Observations, error) {
	var made *C.rebal_observations
	failure := newFailure()
	if err := failed(C.rebal_observations_new(nil, &made, &failure), &failure); err != nil {
		return nil, err
	}
	observations := &Observations{}
	return open(observations, &observations.handle, "set of observations", unsafe.Pointer(made), func() {
		C.rebal_observations_free(made)
	}), nil
}

func (o *Observations) c() *C.rebal_observations {
	if o == nil {
		return nil
	}
	return (*C.rebal_observations)(o.pointer)
}

func (o *Observations) guard() *handle {
	if o == nil {
		return nil
	}
	return &o.handle
}

// Close frees the set.
func (o *Observations) Close() error { return o.close() }

// Reset empties it for the next run.
func (o *Observations) Reset() error {
	if err := o.change(); err != nil {
		return err
	}
	defer o.done()
	C.rebal_observations_reset(o.c())
	return nil
}

// Add adds what came of one action. EEXIST: its ordinal was observed before.
func (o *Observations) Add(one Observation) error {
	if err := o.change(); err != nil {
		return err
	}
	defer o.done()
	var pinner runtime.Pinner
	defer pinner.Unpin()
	failure := newFailure()
	made := C.rebal_observation{struct_size: C.sizeof_rebal_observation, outcome: C.int32_t(one.Outcome),
		ordinal: C.int64_t(one.Ordinal), resource_version: pinText(&pinner, one.ResourceVersion),
		resource_version_len: C.uint64_t(len(one.ResourceVersion)), message: pinText(&pinner, one.Message),
		message_len: C.uint64_t(len(one.Message))}
	if one.Fields == nil {
		return failed(C.rebal_observations_add(o.c(), &made, &failure), &failure)
	}
	return withRecord(one.Object, one.Fields, func(record *C.rebal_record) error {
		made.fields = record
		return failed(C.rebal_observations_add(o.c(), &made, &failure), &failure)
	})
}

// withRecord reads one object as a record, which lives during the call of use.
func withRecord(object Object, value any, use func(*C.rebal_record) error) error {
	text, err := stream([]any{value})
	if err != nil {
		return err
	}
	var builder *C.rebal_builder
	var record *C.rebal_record
	failure := newFailure()
	if err := failed(C.rebal_builder_new(nil, &builder, &failure), &failure); err != nil {
		return err
	}
	defer C.rebal_builder_free(builder)
	code := C.rebal_manifest_read_record(bytesOf(text), C.size_t(len(text)), C.uint32_t(object), nil, builder, &record,
		&failure)
	if err := failed(code, &failure); err != nil {
		return err
	}
	return use(record)
}
