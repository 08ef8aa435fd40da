// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_describe
// #cgo nocallback rebal_describe
// #cgo noescape rebal_quantity_format
// #cgo nocallback rebal_quantity_format
// #cgo noescape rebal_record_field
// #cgo nocallback rebal_record_field
// #cgo noescape rebal_record_i64
// #cgo nocallback rebal_record_i64
// #cgo noescape rebal_record_next
// #cgo nocallback rebal_record_next
// #cgo noescape rebal_record_quantity
// #cgo nocallback rebal_record_quantity
// #cgo noescape rebal_record_text
// #cgo nocallback rebal_record_text
// #cgo noescape rebal_record_time
// #cgo nocallback rebal_record_time
import "C"

import (
	"encoding/json"
	"sync"
	"time"
)

// fieldFacts is what reading a record needs to know of a field.
type fieldFacts struct {
	name        string
	kind        Type
	cardinality Cardinality
}

var knownFields sync.Map // C.uint32_t: fieldFacts

func factsOf(field C.uint32_t) fieldFacts {
	if known, ok := knownFields.Load(field); ok {
		return known.(fieldFacts)
	}
	known := C.rebal_description{struct_size: C.sizeof_rebal_description}
	if C.rebal_describe(field, &known, nil) != 0 {
		return fieldFacts{}
	}
	facts := fieldFacts{C.GoString(known.name), Type(known._type), Cardinality(known.cardinality)}
	knownFields.Store(field, facts)
	return facts
}

// recordMap gives a record as the API writes it: maps, lists, texts, int64, bool. NULL gives nil.
func recordMap(record *C.rebal_record) map[string]any {
	if record == nil {
		return nil
	}
	return readObject(record, 0)
}

func readObject(record *C.rebal_record, node C.uint32_t) map[string]any {
	object := map[string]any{}
	child := C.rebal_record_next(record, node, 0, C.REBAL_NONE)
	for ; child != C.REBAL_NONE; child = C.rebal_record_next(record, node, 0, child) {
		facts := factsOf(C.rebal_record_field(record, child))
		switch facts.cardinality {
		case CardinalityOne:
			object[facts.name] = readValue(record, child, facts.kind)
		case CardinalityList:
			list, _ := object[facts.name].([]any)
			object[facts.name] = append(list, readValue(record, child, facts.kind))
		default:
			entries, _ := object[facts.name].(map[string]any)
			if entries == nil {
				entries = map[string]any{}
				object[facts.name] = entries
			}
			readEntry(record, child, entries)
		}
	}
	return object
}

// readEntry reads key and value of an entry of a map.
func readEntry(record *C.rebal_record, node C.uint32_t, entries map[string]any) {
	key := C.rebal_record_next(record, node, 0, C.REBAL_NONE)
	name := C.GoString(C.rebal_record_text(record, key, nil))
	value := C.rebal_record_next(record, node, 0, key)
	entries[name] = nil
	for ; value != C.REBAL_NONE; value = C.rebal_record_next(record, node, 0, value) {
		facts := factsOf(C.rebal_record_field(record, value))
		read := readValue(record, value, facts.kind)
		if facts.cardinality == CardinalityList {
			list, _ := entries[name].([]any)
			entries[name] = append(list, read)
		} else {
			entries[name] = read
		}
	}
}

func readValue(record *C.rebal_record, node C.uint32_t, kind Type) any {
	switch kind {
	case TypeText:
		return C.GoString(C.rebal_record_text(record, node, nil))
	case TypeQuantity:
		var quantity C.rebal_quantity
		var text [64]C.char
		var n C.size_t
		C.rebal_record_quantity(record, node, &quantity)
		C.rebal_quantity_format(&quantity, &text[0], C.size_t(len(text)), &n, nil)
		return C.GoStringN(&text[0], C.int(n))
	case TypeTime:
		var at C.rebal_time
		C.rebal_record_time(record, node, &at)
		return goTime(&at).Format(time.RFC3339Nano)
	case TypeObject:
		return readChild(record, node)
	case TypeBoolean:
		return C.rebal_record_i64(record, node) != 0
	}
	return int64(C.rebal_record_i64(record, node))
}

// readChild reads an object; a number or a text, and JSON that is carried, are no maps in the API.
func readChild(record *C.rebal_record, node C.uint32_t) any {
	child := C.rebal_record_next(record, node, 0, C.REBAL_NONE)
	switch C.rebal_record_field(record, child) {
	case C.REBAL_RAW_JSON:
		var value any
		_ = json.Unmarshal([]byte(C.GoString(C.rebal_record_text(record, child, nil))), &value)
		return value
	case C.REBAL_INT_OR_TEXT_TEXT:
		return C.GoString(C.rebal_record_text(record, child, nil))
	case C.REBAL_INT_OR_TEXT_NUMBER:
		return int64(C.rebal_record_i64(record, child))
	}
	return readObject(record, node)
}
