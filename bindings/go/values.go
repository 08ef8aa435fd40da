// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_describe
// #cgo nocallback rebal_describe
// #cgo noescape rebal_enum_name
// #cgo nocallback rebal_enum_name
// #cgo noescape rebal_text_bytes
// #cgo nocallback rebal_text_bytes
// #cgo noescape rebal_text_free
// #cgo nocallback rebal_text_free
// #cgo noescape rebal_text_new
// #cgo nocallback rebal_text_new
// #cgo noescape rebal_version
// #cgo nocallback rebal_version
import "C"

import (
	"strconv"
	"time"
	"unsafe"
)

// Numbers of the lists of the C library.
type (
	Object uint32 // kind of a nested object
	Field  uint32 // of a nested object
	Table  uint32 // of rows
	Column uint32 // of a table
)

// None is the id of no row.
const None uint32 = 0xffffffff

// Absent is a missing integer, where 0 would mean something.
const Absent int64 = -1 << 63

// Version is that of the C library found at run time.
func Version() string { return C.GoString(C.rebal_version()) }

func enumText(enumeration uint32, value int64) string {
	var n C.size_t
	text := C.rebal_enum_name(C.uint32_t(enumeration), C.int64_t(value), &n)
	if text == nil {
		return strconv.FormatInt(value, 10)
	}
	return C.GoStringN(text, C.int(n))
}

// Description is what a column or field is.
type Description struct {
	Type       Type
	Child      Object // nested object that it holds; 0: none
	Name       string // of a field: its name in the API; of a column: what it means, or the API's path
	Identifier string // last part of the C identifier, such as OUTCOME
}

func describe(id uint32) (Description, error) {
	known, failure := C.rebal_description{struct_size: C.sizeof_rebal_description}, newFailure()
	err := failed(C.rebal_describe(C.uint32_t(id), &known, &failure), &failure)
	if err != nil {
		return Description{}, err
	}
	return Description{Type(known._type), Object(known.child), C.GoString(known.name), C.GoString(known.identifier)}, nil
}

// Describe returns the description of a column.
func (c Column) Describe() (Description, error) { return describe(uint32(c)) }

// Describe returns the description of a field.
func (f Field) Describe() (Description, error) { return describe(uint32(f)) }

// chars and size are the two halves of a text argument; the library copies what it keeps.
func chars(text string) *C.char {
	if text == "" {
		return nil
	}
	return (*C.char)(unsafe.Pointer(unsafe.StringData(text)))
}

func size(text string) C.size_t { return C.size_t(len(text)) }

func bytesOf(text []byte) *C.char {
	if len(text) == 0 {
		return nil
	}
	return (*C.char)(unsafe.Pointer(unsafe.SliceData(text)))
}

// moment is a time of C; the zero time.Time is an absent one.
func moment(at time.Time) C.rebal_time {
	if at.IsZero() {
		return C.rebal_time{}
	}
	return C.rebal_time{seconds: C.int64_t(at.Unix()), nanos: C.int32_t(at.Nanosecond()), is_set: 1}
}

func goTime(at *C.rebal_time) time.Time {
	if at.is_set == 0 {
		return time.Time{}
	}
	return time.Unix(int64(at.seconds), int64(at.nanos)).UTC()
}

func flag(set bool) C.int32_t {
	if set {
		return 1
	}
	return 0
}

// written calls write with a text of C and returns what it appended.
func written(write func(*C.rebal_text, *C.rebal_error) C.int32_t) ([]byte, error) {
	var text *C.rebal_text
	failure := newFailure()
	if err := failed(C.rebal_text_new(&text, &failure), &failure); err != nil {
		return nil, err
	}
	defer C.rebal_text_free(text)
	if err := failed(write(text, &failure), &failure); err != nil {
		return nil, err
	}
	return textBytes(text), nil
}

func textBytes(text *C.rebal_text) []byte {
	var n C.size_t
	bytes := C.rebal_text_bytes(text, &n)
	return C.GoBytes(unsafe.Pointer(bytes), C.int(n))
}
