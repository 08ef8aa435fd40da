// SPDX-License-Identifier: MIT

package librebalance

// #cgo pkg-config: librebalance-simulation
// #include <rebalance/simulation.h>
// #cgo noescape rebal_strerror
// #cgo nocallback rebal_strerror
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// Code is what kind of failure it was: ENOTFOUND, for one. It is itself an error, for errors.Is.
type Code int32

// Error is the English text of the code.
func (c Code) Error() string { return C.GoString(C.rebal_strerror(C.int32_t(c))) }

// Error is what went wrong.
type Error struct {
	Code     Code
	Where    int64  // row or byte offset that Message speaks of; -1: none
	Document int    // document within a text, from 1; 0: no text was read
	Line     int    // from 1; 0: unknown
	Column   int    // in characters, from 1; 0: unknown
	Field    string // path such as spec.replicas; empty: none
	Message  string
}

// Error returns message, field and place, and the text of the code when there is no message.
func (e *Error) Error() string {
	text := strings.Builder{}
	text.WriteString("librebalance: ")
	if e.Line > 0 {
		if e.Document > 1 {
			fmt.Fprintf(&text, "document %d, ", e.Document)
		}
		fmt.Fprintf(&text, "line %d, column %d: ", e.Line, e.Column)
	}
	if e.Field != "" {
		text.WriteString(e.Field + ": ")
	}
	if e.Message == "" {
		return text.String() + e.Code.Error()
	}
	return text.String() + e.Message
}

// Is compares with a Code.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

func newFailure() C.rebal_error {
	return C.rebal_error{struct_size: C.uint32_t(unsafe.Sizeof(C.rebal_error{})), where: -1}
}

// failed makes the error of a call that ended with a code; nil for REBAL_OK.
func failed(code C.int32_t, failure *C.rebal_error) error {
	if code == 0 {
		return nil
	}
	return &Error{
		Code:     Code(code),
		Where:    int64(failure.where),
		Document: int(failure.document),
		Line:     int(failure.line),
		Column:   int(failure.column),
		Field:    C.GoString(&failure.field[0]),
		Message:  C.GoString(&failure.message[0]),
	}
}

func invalid(code Code, format string, values ...any) error {
	return &Error{Code: code, Where: -1, Message: fmt.Sprintf(format, values...)}
}

// isCode is errors.Is for a Code.
func isCode(err error, code Code) bool { return errors.Is(err, code) }
