// SPDX-License-Identifier: MIT

package main

// #include <rebalance/rebalance.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// object is a record in the form of the API: text, int, moments, objects, or lists of them.
type object map[string]any

// list is a repeated field; records that are read have only lists.
type list []any

var failure = &C.rebal_error{struct_size: C.uint32_t(unsafe.Sizeof(C.rebal_error{}))}

// must ends the program for an error code.
func must(code C.int32_t) {
	if code != C.REBAL_OK {
		panic(fmt.Sprintf("%s: %s", C.GoString(C.rebal_strerror(code)), C.GoString(&failure.message[0])))
	}
}

// chars and size are the two halves of a text argument; the library copies what it keeps.
func chars(text string) *C.char { return (*C.char)(unsafe.Pointer(&append([]byte(text), 0)[0])) }
func size(text string) C.size_t { return C.size_t(len(text)) }

func moment(seconds int) *C.rebal_time { return &C.rebal_time{seconds: C.int64_t(seconds), is_set: 1} }

type field struct{ id, kind, child C.uint32_t }

func describe(id C.uint32_t) (string, field) {
	known := C.rebal_description{struct_size: C.sizeof_rebal_description}
	must(C.rebal_describe(id, &known, failure))
	return C.GoString(known.name), field{id, known._type, known.child}
}

func fields(kind C.uint32_t) map[string]field {
	ids, n, found := [64]C.uint32_t{}, C.size_t(0), map[string]field{}
	must(C.rebal_describe_object(kind, &ids[0], C.size_t(len(ids)), &n, failure))
	for _, id := range ids[:n] {
		name, known := describe(id)
		found[name] = known
	}
	return found
}

func build(builder *C.rebal_builder, known field, value any) {
	switch value := value.(type) {
	case list:
		for _, item := range value {
			build(builder, known, item)
		}
	case object:
		must(C.rebal_builder_begin(builder, known.id, failure))
		buildMembers(builder, known.child, value)
		must(C.rebal_builder_end(builder, failure))
	case string:
		must(C.rebal_builder_text(builder, known.id, chars(value), size(value), failure))
	case int:
		must(C.rebal_builder_i64(builder, known.id, C.int64_t(value), failure))
	case *C.rebal_time:
		must(C.rebal_builder_time(builder, known.id, value, failure))
	default:
		panic(fmt.Sprintf("%T in a record", value))
	}
}

func buildMembers(builder *C.rebal_builder, kind C.uint32_t, value object) {
	known := fields(kind)
	for name, member := range value {
		build(builder, known[name], member)
	}
}

// record returns a record that is valid until the builder makes its next one.
func record(builder *C.rebal_builder, kind C.uint32_t, value object) (made *C.rebal_record) {
	must(C.rebal_builder_start(builder, kind, failure))
	buildMembers(builder, kind, value)
	must(C.rebal_builder_finish(builder, &made, failure))
	return made
}

// read returns a record, or the object at a node of it.
func read(tree *C.rebal_record, node C.uint32_t) object {
	found := object{}
	for child := C.rebal_record_next(tree, node, 0, C.REBAL_NONE); child != C.REBAL_NONE; {
		name, known := describe(C.rebal_record_field(tree, child))
		members, _ := found[name].(list)
		switch known.kind {
		case C.REBAL_TYPE_OBJECT:
			members = append(members, read(tree, child))
		case C.REBAL_TYPE_TEXT:
			members = append(members, C.GoString(C.rebal_record_text(tree, child, nil)))
		case C.REBAL_TYPE_TIME:
			value := moment(0)
			C.rebal_record_time(tree, child, value)
			members = append(members, value)
		default:
			members = append(members, int(C.rebal_record_i64(tree, child)))
		}
		found[name] = members
		child = C.rebal_record_next(tree, node, 0, child)
	}
	return found
}

// cells are the values of a row by column.
type cells map[C.uint32_t]any

func put(rows *C.rebal_bindings, table, parent C.uint32_t, values cells) (row C.uint32_t) {
	handle := C.rebal_bindings_cells(rows)
	must(C.rebal_cells_add(handle, table, parent, &row, 1, failure))
	for column, value := range values {
		switch value := value.(type) {
		case string:
			must(C.rebal_cells_set_text(handle, column, C.REBAL_NONE, row, chars(value), size(value), failure))
		case int:
			must(C.rebal_cells_set_i64(handle, column, C.REBAL_NONE, row, C.int64_t(value), failure))
		case C.uint32_t:
			must(C.rebal_cells_set_i64(handle, column, C.REBAL_NONE, row, C.int64_t(value), failure))
		case *C.rebal_time:
			must(C.rebal_cells_set_time(handle, column, C.REBAL_NONE, row, value, failure))
		}
	}
	return row
}

func column(result *C.rebal_result, id C.uint32_t) []C.int64_t {
	n := C.size_t(0)
	values := C.rebal_result_i64(result, id, &n)
	return unsafe.Slice(values, int(n))
}
