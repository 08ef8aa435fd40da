// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/document.h>
// #include <stdlib.h>
// #cgo noescape rebal_document_free
// #cgo nocallback rebal_document_free
// #cgo noescape rebal_document_read
// #cgo nocallback rebal_document_read
// #cgo noescape rebal_document_value
// #cgo nocallback rebal_document_value
// #cgo noescape rebal_value_text
// #cgo nocallback rebal_value_text
import "C"

import "unsafe"

// namespaceOf is metadata.namespace of the one document of a text; "default" where it has none.
func namespaceOf(text []byte) string {
	var document *C.rebal_document
	space := ""
	if C.rebal_document_read(bytesOf(text), C.size_t(len(text)), nil, &document, nil) == 0 {
		path := C.CString("metadata.namespace")
		space = C.GoString(C.rebal_value_text(C.rebal_document_value(document, path), nil))
		C.free(unsafe.Pointer(path))
	}
	C.rebal_document_free(document)
	if space == "" {
		return "default"
	}
	return space
}
