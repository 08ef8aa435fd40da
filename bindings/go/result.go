// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_result_count
// #cgo nocallback rebal_result_count
// #cgo noescape rebal_result_fingerprint
// #cgo nocallback rebal_result_fingerprint
// #cgo noescape rebal_result_free
// #cgo nocallback rebal_result_free
// #cgo noescape rebal_result_i64
// #cgo nocallback rebal_result_i64
// #cgo noescape rebal_result_new
// #cgo nocallback rebal_result_new
// #cgo noescape rebal_result_texts
// #cgo nocallback rebal_result_texts
// #cgo noescape rebal_result_times
// #cgo nocallback rebal_result_times
import "C"

import (
	"fmt"
	"slices"
	"time"
	"unsafe"
)

// Result is rows that a call filled; each call empties it and keeps its memory. What its methods return are copies.
type Result struct {
	handle
	names []string // of the clusters of the call
}

// NewResult makes an empty result, for calls whose names end with Into.
func NewResult() (*Result, error) {
	var made *C.rebal_result
	failure := newFailure()
	if err := failed(C.rebal_result_new(nil, &made, &failure), &failure); err != nil {
		return nil, err
	}
	result := &Result{}
	return open(result, &result.handle, "result", unsafe.Pointer(made), func() { C.rebal_result_free(made) }), nil
}

// Close frees the result.
func (r *Result) Close() error { return r.close() }

func (r *Result) c() *C.rebal_result { return (*C.rebal_result)(r.pointer) }

func (r *Result) guard() *handle {
	if r == nil {
		return nil
	}
	return &r.handle
}

// Count is the number of rows of a table; 0 of one that the call did not fill, and of a closed result.
func (r *Result) Count(table Table) int {
	if r.read() != nil {
		return 0
	}
	defer r.done()
	return int(C.rebal_result_count(r.c(), C.uint32_t(table)))
}

// View hands the integers of a column, one for each row, to a function, without copying them. They are C's memory:
// the function must neither keep nor change them.
func (r *Result) View(column Column, read func([]int64)) error {
	if err := r.read(); err != nil {
		return err
	}
	defer r.done()
	read(r.column(column))
	return nil
}

// Int64s is a copy of the integers of a column; nil when there are none.
func (r *Result) Int64s(column Column) (values []int64, err error) {
	err = r.View(column, func(column []int64) { values = slices.Clone(column) })
	return values, err
}

// Texts is a column of texts.
func (r *Result) Texts(column Column) ([]string, error) {
	if err := r.change(); err != nil {
		return nil, err
	}
	defer r.done()
	return r.textColumn(column)
}

// Times is a column of times; absent ones are the zero time.Time.
func (r *Result) Times(column Column) ([]time.Time, error) {
	if err := r.change(); err != nil {
		return nil, err
	}
	defer r.done()
	return r.timeColumn(column)
}

// Cluster returns the name of an id in a column of clusters; "" for Absent.
func (r *Result) Cluster(id int64) string { return nameOf(r.names, id) }

func nameOf(names []string, id int64) string {
	if id < 0 || id >= int64(len(names)) {
		return ""
	}
	return names[id]
}

// Fingerprint is that of the call, 32 hexadecimal digits. ESTATE: the call did not request it.
func (r *Result) Fingerprint() (string, error) {
	if err := r.read(); err != nil {
		return "", err
	}
	defer r.done()
	var high, low C.uint64_t
	failure := newFailure()
	err := failed(C.rebal_result_fingerprint(r.c(), &high, &low, &failure), &failure)
	return fmt.Sprintf("%016x%016x", uint64(high), uint64(low)), err
}

// The methods below are for callers that have taken the result.

func (r *Result) column(column Column) []int64 {
	var n C.size_t
	values := C.rebal_result_i64(r.c(), C.uint32_t(column), &n)
	return unsafe.Slice((*int64)(unsafe.Pointer(values)), int(n))
}

func (r *Result) textColumn(column Column) ([]string, error) {
	var bytes *C.char
	var offsets *C.uint32_t
	var n C.size_t
	failure := newFailure()
	code := C.rebal_result_texts(r.c(), C.uint32_t(column), &bytes, &offsets, &n, &failure)
	if err := failed(code, &failure); err != nil || n == 0 {
		return nil, err
	}
	return splitTexts(unsafe.Slice((*uint32)(unsafe.Pointer(offsets)), int(n)+1), bytes), nil
}

func (r *Result) timeColumn(column Column) ([]time.Time, error) {
	var times *C.rebal_time
	var n C.size_t
	failure := newFailure()
	if err := failed(C.rebal_result_times(r.c(), C.uint32_t(column), &times, &n, &failure), &failure); err != nil {
		return nil, err
	}
	values := make([]time.Time, n)
	for i := range values {
		values[i] = goTime(&unsafe.Slice(times, int(n))[i])
	}
	return values, nil
}

func splitTexts(ends []uint32, bytes *C.char) []string {
	values := make([]string, len(ends)-1)
	if last := ends[len(values)]; last > 0 {
		all := C.GoStringN(bytes, C.int(last))
		for i := range values {
			values[i] = all[ends[i]:ends[i+1]]
		}
	}
	return values
}

// texts is textColumn for columns that are certainly of texts; a failure then is one of memory, and sticks.
func (r *Result) texts(column Column, err *error) []string {
	values, failure := r.textColumn(column)
	if failure != nil && *err == nil {
		*err = failure
	}
	return values
}

func at[T any](values []T, i int) (value T) {
	if i < len(values) {
		value = values[i]
	}
	return value
}
