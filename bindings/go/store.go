// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_store_add_resource
// #cgo nocallback rebal_store_add_resource
// #cgo noescape rebal_store_apply
// #cgo nocallback rebal_store_apply
// #cgo noescape rebal_store_change_count
// #cgo nocallback rebal_store_change_count
// #cgo noescape rebal_store_count
// #cgo nocallback rebal_store_count
// #cgo noescape rebal_store_find
// #cgo nocallback rebal_store_find
// #cgo noescape rebal_store_free
// #cgo nocallback rebal_store_free
// #cgo noescape rebal_store_identity
// #cgo nocallback rebal_store_identity
// #cgo noescape rebal_store_load
// #cgo nocallback rebal_store_load
// #cgo noescape rebal_store_new
// #cgo nocallback rebal_store_new
// #cgo noescape rebal_store_next
// #cgo nocallback rebal_store_next
// #cgo noescape rebal_store_next_changed
// #cgo nocallback rebal_store_next_changed
// #cgo noescape rebal_store_patch
// #cgo nocallback rebal_store_patch
// #cgo noescape rebal_store_put
// #cgo nocallback rebal_store_put
// #cgo noescape rebal_store_remove
// #cgo nocallback rebal_store_remove
// #cgo noescape rebal_store_text
// #cgo nocallback rebal_store_text
// #cgo noescape rebal_store_write
// #cgo nocallback rebal_store_write
import "C"

import (
	"encoding/json"
	"iter"
	"time"
	"unsafe"
)

// ID is an object of a store; it is never given to another one.
type ID uint32

// NoID identifies no object.
const NoID = ID(None)

// Store is objects by kind, namespace, name and API group, as an informer keeps them.
type Store struct{ handle }

func (s *Store) c() *C.rebal_store { return (*C.rebal_store)(s.pointer) }

// handleOf is the handle of an object that may be nil.
func handleOf[T interface{ guard() *handle }](object T) *handle { return object.guard() }

func (s *Store) guard() *handle {
	if s == nil {
		return nil
	}
	return &s.handle
}

func (b *Bindings) guard() *handle {
	if b == nil {
		return nil
	}
	return &b.handle
}

// NewStore makes a store of objects.
func NewStore(objects ...any) (*Store, error) {
	var made *C.rebal_store
	failure := newFailure()
	if err := failed(C.rebal_store_new(nil, &made, &failure), &failure); err != nil {
		return nil, err
	}
	store := &Store{}
	open(store, &store.handle, "store", unsafe.Pointer(made), func() { C.rebal_store_free(made) })
	if len(objects) > 0 {
		if err := store.Put(objects...); err != nil {
			_ = store.Close()
			return nil, err
		}
	}
	return store, nil
}

// Close frees the store.
func (s *Store) Close() error { return s.close() }

// changing takes the store for a call that changes it.
func (s *Store) changing(change func(*C.rebal_store, *C.rebal_error) C.int32_t) error {
	if err := s.change(); err != nil {
		return err
	}
	defer s.done()
	failure := newFailure()
	return failed(change(s.c(), &failure), &failure)
}

// putting is changing with objects as one text.
func (s *Store) putting(objects []any, put func(*C.rebal_store, *C.char, C.size_t, *C.rebal_error) C.int32_t) error {
	text, err := stream(objects)
	if err != nil {
		return err
	}
	err = s.changing(func(store *C.rebal_store, failure *C.rebal_error) C.int32_t {
		return put(store, bytesOf(text), C.size_t(len(text)), failure)
	})
	return withoutKind(err, objects)
}

// Put creates or replaces objects, as an informer does: all or none.
func (s *Store) Put(objects ...any) error {
	return s.putting(objects, func(c *C.rebal_store, text *C.char, n C.size_t, failure *C.rebal_error) C.int32_t {
		return C.rebal_store_put(c, text, n, failure)
	})
}

// Load adds objects that are new: all or none. EEXIST: one exists already.
func (s *Store) Load(objects ...any) error {
	return s.putting(objects, func(c *C.rebal_store, text *C.char, n C.size_t, failure *C.rebal_error) C.int32_t {
		return C.rebal_store_load(c, text, n, failure)
	})
}

// Apply does what kubectl apply of these objects would do at a moment.
func (s *Store) Apply(now time.Time, objects ...any) error {
	at := moment(now)
	return s.putting(objects, func(c *C.rebal_store, text *C.char, n C.size_t, failure *C.rebal_error) C.int32_t {
		return C.rebal_store_apply(c, text, n, &at, failure)
	})
}

// Event takes one event of a watch: ADDED, MODIFIED or DELETED with the object; BOOKMARK changes nothing. DELETED of a
// missing object changes nothing either. EAGAIN: an ERROR, whatever its code, with the message of its Status;
// after that the caller lists again.
func (s *Store) Event(kind string, object any) error {
	switch kind {
	case "ADDED", "MODIFIED":
		return s.Put(object)
	case "DELETED":
		gone, err := NewStore(object)
		if err != nil {
			return err
		}
		defer gone.Close()
		for id := range gone.Objects("") {
			if found := s.Find(gone.Kind(id), gone.Namespace(id), gone.Name(id)); found != NoID {
				err = s.Remove(found)
			}
		}
		return err
	case "BOOKMARK":
		return s.check()
	case "ERROR":
		if err := s.check(); err != nil {
			return err
		}
		return watchError(object)
	}
	return invalid(EINVAL, "an event is ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, not %q", kind)
}

// watchError is the error of an ERROR event, whose object is a Status.
func watchError(object any) error {
	status := struct{ Message string }{}
	if text, isJSON, err := marshal(object); err == nil && isJSON {
		_ = json.Unmarshal(text, &status)
	}
	if status.Message == "" {
		status.Message = "the watch failed"
	}
	return invalid(EAGAIN, "%s", status.Message)
}

// Patch changes an object as an API server would at a moment: patch is a JSON merge patch, or as a list a JSON patch.
func (s *Store) Patch(object ID, patch []byte, now time.Time) error {
	at := moment(now)
	return s.changing(func(store *C.rebal_store, failure *C.rebal_error) C.int32_t {
		return C.rebal_store_patch(store, C.uint32_t(object), bytesOf(patch), C.size_t(len(patch)), &at, failure)
	})
}

// Remove removes an object.
func (s *Store) Remove(object ID) error {
	return s.changing(func(store *C.rebal_store, failure *C.rebal_error) C.int32_t {
		return C.rebal_store_remove(store, C.uint32_t(object), failure)
	})
}

// AddResource gives paths of an API server the plural of a kind with its group, such as "CronTab.stable.example.com".
func (s *Store) AddResource(kind, plural string, isNamespaced bool) error {
	return s.changing(func(store *C.rebal_store, failure *C.rebal_error) C.int32_t {
		return C.rebal_store_add_resource(store, chars(kind), size(kind), chars(plural), size(plural), flag(isNamespaced),
			failure)
	})
}

// Find is the object of this kind (alone, or with its group: "Cluster.cluster.karmada.io"), or NoID.
func (s *Store) Find(kind, namespace, name string) ID {
	if s.read() != nil {
		return NoID
	}
	defer s.done()
	return ID(C.rebal_store_find(s.c(), chars(kind), size(kind), chars(namespace), size(namespace), chars(name),
		size(name)))
}

// Len is the number of objects; 0 of a closed store.
func (s *Store) Len() int {
	if s.read() != nil {
		return 0
	}
	defer s.done()
	return int(C.rebal_store_count(s.c()))
}

// Objects are the objects of a kind ("": of every kind), by kind, namespace and name.
func (s *Store) Objects(kind string) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for id := s.next(kind, NoID); id != NoID && yield(id); {
			id = s.next(kind, id)
		}
	}
}

func (s *Store) next(kind string, previous ID) ID {
	if s.read() != nil {
		return NoID
	}
	defer s.done()
	return ID(C.rebal_store_next(s.c(), chars(kind), size(kind), C.uint32_t(previous)))
}

// Changes counts each object created, changed or deleted.
func (s *Store) Changes() uint64 {
	if s.read() != nil {
		return 0
	}
	defer s.done()
	return uint64(C.rebal_store_change_count(s.c()))
}

// NextChanged finds the first object whose last change is numbered above *seen, which becomes that number.
func (s *Store) NextChanged(seen *uint64) ID {
	if s.read() != nil {
		return NoID
	}
	defer s.done()
	at := C.uint64_t(*seen)
	id := ID(C.rebal_store_next_changed(s.c(), &at))
	*seen = uint64(at)
	return id
}

func (s *Store) identity(object ID, part C.uint32_t) string {
	if s.read() != nil {
		return ""
	}
	defer s.done()
	return C.GoString(C.rebal_store_identity(s.c(), C.uint32_t(object), part, nil))
}

// APIVersion of an object; "" when it is gone.
func (s *Store) APIVersion(object ID) string { return s.identity(object, C.REBAL_IDENTITY_API_VERSION) }

// Kind of an object; "" when it is gone.
func (s *Store) Kind(object ID) string { return s.identity(object, C.REBAL_IDENTITY_KIND) }

// Namespace of an object; "" when it is gone, or of a cluster.
func (s *Store) Namespace(object ID) string { return s.identity(object, C.REBAL_IDENTITY_NAMESPACE) }

// Name of an object; "" when it is gone.
func (s *Store) Name(object ID) string { return s.identity(object, C.REBAL_IDENTITY_NAME) }

// JSON writes an object, unknown members included.
func (s *Store) JSON(object ID) ([]byte, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	defer s.done()
	return written(func(text *C.rebal_text, failure *C.rebal_error) C.int32_t {
		return C.rebal_store_write(s.c(), C.uint32_t(object), C.REBAL_TEXT_FORMAT_JSON, text, failure)
	})
}

// Text is the text at a field path such as spec.replicas; anything but texts as JSON. ENOTFOUND: there is nothing.
func (s *Store) Text(object ID, path string) (string, error) {
	if err := s.read(); err != nil {
		return "", err
	}
	defer s.done()
	text, err := written(func(text *C.rebal_text, failure *C.rebal_error) C.int32_t {
		return C.rebal_store_text(s.c(), C.uint32_t(object), chars(path), size(path), text, failure)
	})
	return string(text), err
}

// bindings are the binding objects in the order in which they were put.
func (s *Store) bindings() []ID {
	ids, seen := []ID{}, uint64(0)
	for id := s.NextChanged(&seen); id != NoID; id = s.NextChanged(&seen) {
		if kind := s.Kind(id); kind == "ResourceBinding" || kind == "ClusterResourceBinding" {
			ids = append(ids, id)
		}
	}
	return ids
}
