// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #include <rebalance/spreading.h>
// #cgo noescape rebal_builder_free
// #cgo nocallback rebal_builder_free
// #cgo noescape rebal_builder_new
// #cgo nocallback rebal_builder_new
// #cgo noescape rebal_cells_get_i64
// #cgo nocallback rebal_cells_get_i64
// #cgo noescape rebal_cells_get_text
// #cgo nocallback rebal_cells_get_text
// #cgo noescape rebal_fleet_add_cluster
// #cgo nocallback rebal_fleet_add_cluster
// #cgo noescape rebal_fleet_free
// #cgo nocallback rebal_fleet_free
// #cgo noescape rebal_fleet_new
// #cgo nocallback rebal_fleet_new
// #cgo noescape rebal_pods_const_cells
// #cgo nocallback rebal_pods_const_cells
// #cgo noescape rebal_spread_feed_admit
// #cgo nocallback rebal_spread_feed_admit
// #cgo noescape rebal_spread_feed_free
// #cgo nocallback rebal_spread_feed_free
// #cgo noescape rebal_spread_feed_namespace
// #cgo nocallback rebal_spread_feed_namespace
// #cgo noescape rebal_spread_feed_new
// #cgo nocallback rebal_spread_feed_new
// #cgo noescape rebal_spread_feed_next_due
// #cgo nocallback rebal_spread_feed_next_due
// #cgo noescape rebal_spread_feed_pods
// #cgo nocallback rebal_spread_feed_pods
// #cgo noescape rebal_spread_feed_spread
// #cgo nocallback rebal_spread_feed_spread
// #cgo noescape rebal_spread_feed_step
// #cgo nocallback rebal_spread_feed_step
// #cgo noescape rebal_spread_feed_update
// #cgo nocallback rebal_spread_feed_update
// #cgo noescape rebal_spread_object
// #cgo nocallback rebal_spread_object
// #cgo noescape rebal_spread_status
// #cgo nocallback rebal_spread_status
// #cgo noescape rebal_spread_subset_name
// #cgo nocallback rebal_spread_subset_name
import "C"

import (
	"runtime"
	"time"
	"unsafe"
)

// Spreads is every WorkloadSpread of a store, with its workloads, pods and nodes.
type Spreads struct {
	handle
	store *Store
}

// NewSpreads makes the WorkloadSpreads of a store known; Update first. The store of a cluster.
func NewSpreads(store *Store) (*Spreads, error) {
	if err := handleOf(store).change(); err != nil {
		return nil, err
	}
	defer store.done()
	var fleet *C.rebal_fleet
	var made *C.rebal_spread_feed
	var cluster C.uint32_t
	name, failure := "cluster", newFailure()
	err := failed(C.rebal_fleet_new(nil, &fleet, &failure), &failure)
	if err == nil {
		err = failed(C.rebal_fleet_add_cluster(fleet, chars(name), size(name), &cluster, &failure), &failure)
	}
	if err == nil {
		err = failed(C.rebal_spread_feed_new(store.c(), fleet, cluster, &made, &failure), &failure)
	}
	if err != nil {
		C.rebal_fleet_free(fleet)
		return nil, err
	}
	spreads, owner := &Spreads{store: store}, store.own.ref()
	return open(spreads, &spreads.handle, "set of WorkloadSpreads", unsafe.Pointer(made), func() {
		C.rebal_spread_feed_free(made)
		C.rebal_fleet_free(fleet)
		owner.unref()
	}), nil
}

func (s *Spreads) c() *C.rebal_spread_feed { return (*C.rebal_spread_feed)(s.pointer) }

// Close frees it; the store stays.
func (s *Spreads) Close() error { return s.close() }

// take takes the feed and its store, which it reads while it is updated.
func (s *Spreads) take(all *taken, err *error) {
	all.change(&s.handle, err)
	if *err == nil {
		all.change(&s.store.handle, err)
	}
}

// Update brings it up to date with the store. If an object is refused, the error names it; all others are read.
func (s *Spreads) Update() (err error) {
	var all taken
	defer all.done()
	if s.take(&all, &err); err != nil {
		return err
	}
	failure := newFailure()
	return failed(C.rebal_spread_feed_update(s.c(), &failure), &failure)
}

// NextDue takes the next WorkloadSpread that calls for a pass; NoID: there is no other.
func (s *Spreads) NextDue() ID {
	if s.change() != nil {
		return NoID
	}
	defer s.done()
	return ID(C.rebal_spread_feed_next_due(s.c()))
}

// Status is the status of a WorkloadSpread as it is now, as the API writes it.
func (s *Spreads) Status(object ID) (status map[string]any, err error) {
	if err := s.change(); err != nil {
		return nil, err
	}
	defer s.done()
	spread := C.rebal_spread_feed_spread(s.c(), C.uint32_t(object))
	if spread == nil {
		return nil, invalid(ENOTFOUND, "the object is not a WorkloadSpread of the store")
	}
	var builder *C.rebal_builder
	var record *C.rebal_record
	failure := newFailure()
	if err := failed(C.rebal_builder_new(nil, &builder, &failure), &failure); err != nil {
		return nil, err
	}
	defer C.rebal_builder_free(builder)
	if err := failed(C.rebal_spread_status(spread, builder, &record, &failure), &failure); err != nil {
		return nil, err
	}
	return recordMap(record), nil
}

// Grouped is what a pass made of one pod.
type Grouped struct {
	Pod     string // its name
	Subset  string // "": none
	Version string // of the workload; "": versions of its pods are not distinguished
	Cost    int64  // deletion cost wanted; Absent: none is set
	Stuck   bool   // it waits for a node too long and is deleted
}

// StepInto is one pass of the controller over a WorkloadSpread, as of the last Update: TableStep, TableGrouped,
// TableSubsetCount and TableAction. See rebal_spread_feed_step(3).
func (s *Spreads) StepInto(result *Result, session *Session, object ID, now time.Time, compat *Compat) (err error) {
	var all taken
	defer all.done()
	s.take(&all, &err)
	all.change(handleOf(result), &err)
	all.change(handleOf(session), &err)
	if compat != nil {
		all.read(&compat.handle, &err)
	}
	if err != nil {
		return err
	}
	at, failure := moment(now), newFailure()
	opts := C.rebal_spread_opts{struct_size: C.sizeof_rebal_spread_opts, compat: compat.c()}
	return failed(C.rebal_spread_feed_step(session.c(), s.c(), C.uint32_t(object), &at, &opts, result.c(), &failure),
		&failure)
}

func (s *Session) guard() *handle {
	if s == nil {
		return nil
	}
	return &s.handle
}

// Grouped reads TableGrouped after StepInto of the same object.
func (s *Spreads) Grouped(result *Result, object ID) (pods []Grouped, err error) {
	var all taken
	defer all.done()
	all.change(&s.handle, &err)
	all.change(handleOf(result), &err)
	if err != nil {
		return nil, err
	}
	spread := C.rebal_spread_feed_spread(s.c(), C.uint32_t(object))
	cells := C.rebal_pods_const_cells(C.rebal_spread_feed_pods(s.c()))
	subsets, versions := result.column(ColumnGroupedSubset), result.column(ColumnGroupedVersion)
	costs, stuck := result.column(ColumnGroupedCost), result.column(ColumnGroupedStuck)
	names, err := result.versionNames()
	if err != nil {
		return nil, err
	}
	for i, row := range result.column(ColumnGroupedPod) {
		pod := Grouped{Version: names[versions[i]], Cost: costs[i], Stuck: stuck[i] != 0}
		pod.Pod = C.GoString(C.rebal_cells_get_text(cells, C.REBAL_SPREAD_POD_NAME, C.REBAL_NONE, C.uint32_t(row), nil))
		if subsets[i] != Absent {
			pod.Subset = C.GoString(C.rebal_spread_subset_name(spread, C.uint32_t(subsets[i]), nil))
		}
		if _, isCounted := names[versions[i]]; !isCounted {
			pod.Version = versionOfLabel(cells, C.uint32_t(row))
		}
		if pod.Version == "versionIgnored" {
			pod.Version = ""
		}
		pods = append(pods, pod)
	}
	return pods, nil
}

// versionNames are the versions that a pass counted, by index.
func (r *Result) versionNames() (map[int64]string, error) {
	var err error
	names, texts := map[int64]string{}, r.texts(ColumnSubsetCountVersionName, &err)
	for i, version := range r.column(ColumnSubsetCountVersion) {
		names[version] = at(texts, i)
	}
	return names, err
}

// versionOfLabel is the version by a pod's label, where there are no counts since the latest version is not known.
func versionOfLabel(cells *C.rebal_cells, row C.uint32_t) string {
	version := C.GoString(C.rebal_cells_get_text(cells, C.REBAL_SPREAD_POD_VERSION, C.REBAL_NONE, row, nil))
	label := VersionLabel(C.rebal_cells_get_i64(cells, C.REBAL_SPREAD_POD_VERSION_LABEL, C.REBAL_NONE, row))
	switch label {
	case VersionLabelTemplateHash:
		return version
	case VersionLabelRevisionHash:
		for i := len(version) - 1; i >= 0; i-- {
			if version[i] == '-' {
				return version[i+1:]
			}
		}
		return version
	}
	return ""
}

// Admission is what became of a pod.
type Admission struct {
	Outcome AdmitOutcome
	Spread  string // WorkloadSpread it belongs to; "": none
	Subset  string // "": none
	Message string // why it is refused
	Pod     []byte // the pod as it goes on, JSON; nil: it is refused, or goes
}

// AdmitOptions: the zero value is OpenKruise's defaults.
type AdmitOptions struct {
	Flags     AdmitFlag
	Compat    *Compat
	Operation Operation
	UID       string // what a pod without a name is recorded by
}

// Admit admits one pod by the WorkloadSpreads of its namespace as of the last Update, and injects its subset. result
// has the actions that write the statuses: TableAdmitted and TableAction. See rebal_spread_feed_admit(3). EINVAL with
// an Admission: the patch of the subset cannot be merged, and what was recorded stays.
func (s *Spreads) Admit(result *Result, session *Session, pod any, now time.Time,
	options *AdmitOptions) (admission Admission, err error) {
	text, err := stream([]any{pod})
	if err != nil {
		return Admission{}, err
	}
	if options == nil {
		options = &AdmitOptions{}
	}
	var all taken
	defer all.done()
	s.take(&all, &err)
	all.change(handleOf(result), &err)
	all.change(handleOf(session), &err)
	if options.Compat != nil {
		all.read(&options.Compat.handle, &err)
	}
	if err != nil {
		return Admission{}, err
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	at, space := moment(now), namespaceOf(text)
	opts := C.rebal_admit_opts{struct_size: C.sizeof_rebal_admit_opts, flags: C.uint32_t(options.Flags),
		compat: options.Compat.c()}
	request := C.rebal_pod_request{struct_size: C.sizeof_rebal_pod_request, operation: C.uint32_t(options.Operation),
		text: (*C.char)(pinSlice(&pinner, text)), text_len: C.uint64_t(len(text)),
		id: pinText(&pinner, options.UID), id_len: C.uint64_t(len(options.UID))}
	admission.Pod, err = written(func(out *C.rebal_text, failure *C.rebal_error) C.int32_t {
		return C.rebal_spread_feed_admit(session.c(), s.c(), &request, &at, &opts, result.c(), out, failure)
	})
	if err == nil || (isCode(err, EINVAL) && len(result.column(ColumnAdmittedOutcome)) == 1) {
		s.fill(&admission, result, space)
	}
	return admission, err
}

// fill sets the result of the one pod.
func (s *Spreads) fill(admission *Admission, result *Result, space string) {
	admission.Outcome = AdmitOutcome(result.column(ColumnAdmittedOutcome)[0])
	var err error
	admission.Message = at(result.texts(ColumnAdmittedMessage, &err), 0)
	if len(admission.Pod) == 0 {
		admission.Pod = nil
	}
	index := result.column(ColumnAdmittedSpread)[0]
	if index == Absent {
		return
	}
	var n C.size_t
	list := unsafe.Slice(C.rebal_spread_feed_namespace(s.c(), chars(space), size(space), &n), int(n))
	object, _ := recordMap(C.rebal_spread_object(list[index]))["metadata"].(map[string]any)
	admission.Spread, _ = object["name"].(string)
	admission.Subset = at(result.texts(ColumnAdmittedSubsetName, &err), 0)
	if subset := result.column(ColumnAdmittedSubset)[0]; subset != Absent {
		admission.Subset = C.GoString(C.rebal_spread_subset_name(list[index], C.uint32_t(subset), nil))
	}
}
