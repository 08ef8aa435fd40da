// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #include <rebalance/watch.h>
// #include <stdlib.h>
// #cgo noescape rebal_store_carry_out
// #cgo nocallback rebal_store_carry_out
// #cgo noescape rebal_store_render_action
// #cgo nocallback rebal_store_render_action
// #cgo noescape rebal_store_take_answer
// #cgo nocallback rebal_store_take_answer
// #cgo noescape rebal_watch_end
// #cgo nocallback rebal_watch_end
// #cgo noescape rebal_watch_feed
// #cgo nocallback rebal_watch_feed
// #cgo noescape rebal_watch_free
// #cgo nocallback rebal_watch_free
// #cgo noescape rebal_watch_is_synced
// #cgo nocallback rebal_watch_is_synced
// #cgo noescape rebal_watch_new
// #cgo nocallback rebal_watch_new
// #cgo noescape rebal_watch_request
// #cgo nocallback rebal_watch_request
import "C"

import (
	"runtime"
	"time"
	"unsafe"
)

// Request is what a client sends to an API server; Method "": nothing is sent.
type Request struct {
	Method      string
	ContentType string
	Path        string // with the query, percent-encoded
	Body        []byte
}

// RenderOptions: the zero value is a JSON merge patch without a field manager.
type RenderOptions struct {
	Format       TextFormat // of the body
	FieldManager string
}

// Render gives the request that carries an action of a result out. store has the object as it was read; nil: it is
// unknown. See rebal_store_render_action(3).
func (r *Result) Render(store *Store, action int, options *RenderOptions) (request Request, err error) {
	var all taken
	defer all.done()
	all.read(&r.handle, &err)
	var from *C.rebal_store
	if store != nil {
		all.read(&store.handle, &err)
		from = store.c()
	}
	if err != nil {
		return Request{}, err
	}
	if options == nil {
		options = &RenderOptions{}
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	opts := C.rebal_render_opts{struct_size: C.sizeof_rebal_render_opts, format: C.uint32_t(options.Format),
		field_manager:     pinText(&pinner, options.FieldManager),
		field_manager_len: C.uint64_t(len(options.FieldManager))}
	made := (*C.rebal_request)(C.calloc(1, C.sizeof_rebal_request))
	if made == nil {
		return Request{}, invalid(ENOMEM, "no memory")
	}
	defer C.free(unsafe.Pointer(made))
	made.struct_size = C.sizeof_rebal_request
	_, err = written(func(text *C.rebal_text, failure *C.rebal_error) C.int32_t {
		code := C.rebal_store_render_action(from, r.c(), C.size_t(action), &opts, text, made, failure)
		if code == 0 {
			request = Request{C.GoString(made.method), C.GoString(made.content_type),
				C.GoStringN(made.path, C.int(made.path_len)),
				C.GoBytes(unsafe.Pointer(made.body), C.int(made.body_len))}
		}
		return code
	})
	return request, err
}

// TakeAnswer takes the API server's answer to an action that was sent (status 0: none came), adds what came of it to
// observations, which may be nil, and puts the object of the answer into the store. See rebal_store_take_answer(3).
func (s *Store) TakeAnswer(result *Result, action, status int, body []byte, observations *Observations) error {
	return s.acting(result, observations, func(failure *C.rebal_error) C.int32_t {
		return C.rebal_store_take_answer(s.c(), result.c(), C.size_t(action), C.int32_t(status), bytesOf(body),
			C.size_t(len(body)), observations.c(), failure)
	})
}

// CarryOut carries an action out on the store as an API server would at a moment, and adds what was observed to
// observations, which may be nil.
func (s *Store) CarryOut(result *Result, action int, now time.Time, observations *Observations) error {
	at := moment(now)
	return s.acting(result, observations, func(failure *C.rebal_error) C.int32_t {
		return C.rebal_store_carry_out(s.c(), result.c(), C.size_t(action), &at, observations.c(), failure)
	})
}

func (s *Store) acting(result *Result, observations *Observations, call func(*C.rebal_error) C.int32_t) (err error) {
	var all taken
	defer all.done()
	all.change(&s.handle, &err)
	all.read(handleOf(result), &err)
	if observations != nil {
		all.change(&observations.handle, &err)
	}
	if err != nil {
		return err
	}
	failure := newFailure()
	return failed(call(&failure), &failure)
}

// Watch is a list and watch of one kind without I/O: it gives requests, takes the bytes of their answers, and keeps the
// objects of a store as the API server has them.
type Watch struct {
	handle
	store *Store
}

// WatchOptions: the zero value is all objects of the kind.
type WatchOptions struct {
	PageSize       uint32 // 0: 500
	TimeoutSeconds uint32 // 0: 300
	Namespace      string // "": all
	LabelSelector  string
	FieldSelector  string
}

// Watch makes a watch of a kind in one of its versions, such as "apps/v1", "Deployment".
func (s *Store) Watch(apiVersion, kind string, options *WatchOptions) (*Watch, error) {
	if err := s.change(); err != nil {
		return nil, err
	}
	defer s.done()
	if options == nil {
		options = &WatchOptions{}
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	opts := C.rebal_watch_opts{struct_size: C.sizeof_rebal_watch_opts, page_size: C.uint32_t(options.PageSize),
		timeout_seconds: C.uint32_t(options.TimeoutSeconds),
		namespace_:      pinText(&pinner, options.Namespace), namespace_len: C.uint64_t(len(options.Namespace)),
		label_selector:     pinText(&pinner, options.LabelSelector),
		label_selector_len: C.uint64_t(len(options.LabelSelector)),
		field_selector:     pinText(&pinner, options.FieldSelector),
		field_selector_len: C.uint64_t(len(options.FieldSelector))}
	var made *C.rebal_watch
	failure := newFailure()
	code := C.rebal_watch_new(s.c(), chars(apiVersion), size(apiVersion), chars(kind), size(kind), &opts, &made, &failure)
	if err := failed(code, &failure); err != nil {
		return nil, err
	}
	watch, owner := &Watch{store: s}, s.own.ref()
	return open(watch, &watch.handle, "watch", unsafe.Pointer(made), func() {
		C.rebal_watch_free(made)
		owner.unref()
	}), nil
}

func (w *Watch) c() *C.rebal_watch { return (*C.rebal_watch)(w.pointer) }

func (w *Watch) call(use func(*C.rebal_error) C.int32_t) (err error) {
	var all taken
	defer all.done()
	all.change(&w.handle, &err)
	if err == nil {
		all.change(&w.store.handle, &err)
	}
	if err != nil {
		return err
	}
	failure := newFailure()
	return failed(use(&failure), &failure)
}

// Request is path and query of the next request, a GET of JSON.
func (w *Watch) Request() (path string, err error) {
	err = w.call(func(failure *C.rebal_error) C.int32_t {
		text, err := written(func(text *C.rebal_text, inner *C.rebal_error) C.int32_t {
			return C.rebal_watch_request(w.c(), text, failure)
		})
		path = string(text)
		if err != nil && failure.code == 0 {
			return C.REBAL_ENOMEM
		}
		return failure.code
	})
	return path, err
}

// Feed takes bytes of the answer's body, in any pieces. An error about one object does not end the watch.
func (w *Watch) Feed(bytes []byte) error {
	return w.call(func(failure *C.rebal_error) C.int32_t {
		return C.rebal_watch_feed(w.c(), bytesOf(bytes), C.size_t(len(bytes)), failure)
	})
}

// End ends the answer, with its HTTP status (0: none came). nil: the next request may be sent at once; else after a
// while.
func (w *Watch) End(status int) error {
	return w.call(func(failure *C.rebal_error) C.int32_t {
		return C.rebal_watch_end(w.c(), C.int32_t(status), failure)
	})
}

// IsSynced is true from the end of the first complete list on.
func (w *Watch) IsSynced() bool {
	if w.read() != nil {
		return false
	}
	defer w.done()
	return C.rebal_watch_is_synced(w.c()) != 0
}

// Close ends the watch; the objects stay in the store.
func (w *Watch) Close() error { return w.close() }
