// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_cells_bound
// #cgo nocallback rebal_cells_bound
// #cgo noescape rebal_cells_get_text
// #cgo nocallback rebal_cells_get_text
// #cgo noescape rebal_cells_has
// #cgo nocallback rebal_cells_has
// #cgo noescape rebal_feed_free
// #cgo nocallback rebal_feed_free
// #cgo noescape rebal_fleet_cells
// #cgo nocallback rebal_fleet_cells
// #cgo noescape rebal_fleet_cluster_id
// #cgo nocallback rebal_fleet_cluster_id
// #cgo noescape rebal_fleet_free
// #cgo nocallback rebal_fleet_free
// #cgo noescape rebal_fleet_freeze
// #cgo nocallback rebal_fleet_freeze
// #cgo noescape rebal_fleet_load
// #cgo nocallback rebal_fleet_load
// #cgo noescape rebal_fleet_new
// #cgo nocallback rebal_fleet_new
// #cgo noescape rebal_fleet_save
// #cgo nocallback rebal_fleet_save
// #cgo noescape rebal_snapshot_cells
// #cgo nocallback rebal_snapshot_cells
// #cgo noescape rebal_snapshot_find_cluster
// #cgo nocallback rebal_snapshot_find_cluster
// #cgo noescape rebal_snapshot_unref
// #cgo nocallback rebal_snapshot_unref
// #cgo noescape rebal_store_feed_clusters
// #cgo nocallback rebal_store_feed_clusters
// #cgo noescape rebal_store_find
// #cgo nocallback rebal_store_find
// #cgo noescape rebal_store_free
// #cgo nocallback rebal_store_free
// #cgo noescape rebal_store_new
// #cgo nocallback rebal_store_new
// #cgo noescape rebal_store_put
// #cgo nocallback rebal_store_put
// #cgo noescape rebal_store_remove
// #cgo nocallback rebal_store_remove
import "C"

import (
	"sync"
	"unsafe"
)

// Fleet is the clusters and what is known of them. It is changed by one goroutine and frozen into snapshots.
type Fleet struct {
	handle
	parts *fleetParts
	names *clusterNames
}

// fleetParts is what a fleet owns in C; a loaded fleet has no store.
type fleetParts struct {
	fleet *C.rebal_fleet
	store *C.rebal_store
	feed  *C.rebal_feed
}

func (p *fleetParts) free() {
	C.rebal_feed_free(p.feed)
	C.rebal_fleet_free(p.fleet)
	C.rebal_store_free(p.store)
}

// clusterNames keeps the names of cluster ids, which never change.
type clusterNames struct {
	mutex sync.RWMutex
	list  []string
}

// all returns at least the names of the ids below bound; the returned slice is never changed.
func (n *clusterNames) all(cells *C.rebal_cells) []string {
	bound := int(C.rebal_cells_bound(cells, C.REBAL_TABLE_CLUSTER, C.REBAL_NONE))
	n.mutex.RLock()
	list := n.list
	n.mutex.RUnlock()
	if len(list) >= bound {
		return list
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for id := len(n.list); id < bound; id++ {
		name := C.rebal_cells_get_text(cells, C.REBAL_CLUSTER_NAME, C.REBAL_NONE, C.uint32_t(id), nil)
		n.list = append(n.list, C.GoString(name))
	}
	return n.list
}

func newFleet(parts *fleetParts) *Fleet {
	fleet := &Fleet{parts: parts, names: &clusterNames{}}
	return open(fleet, &fleet.handle, "fleet", unsafe.Pointer(parts.fleet), parts.free)
}

// NewFleet makes a fleet of Cluster objects, as by Put.
func NewFleet(clusters ...any) (*Fleet, error) {
	parts, failure := &fleetParts{}, newFailure()
	err := failed(C.rebal_fleet_new(nil, &parts.fleet, &failure), &failure)
	if err == nil {
		err = failed(C.rebal_store_new(nil, &parts.store, &failure), &failure)
	}
	if err != nil {
		parts.free()
		return nil, err
	}
	fleet := newFleet(parts)
	if err := fleet.Put(clusters...); err != nil {
		_ = fleet.Close()
		return nil, err
	}
	return fleet, nil
}

// Close frees the fleet. Snapshots, bindings and ledgers made from it stay valid.
func (f *Fleet) Close() error { return f.close() }

// Put creates or replaces clusters: all objects or none. The rest of the fleet stays. ESTATE of a fleet that was loaded
// or follows a Store: its clusters come from elsewhere.
func (f *Fleet) Put(clusters ...any) error {
	if len(clusters) == 0 {
		return f.check()
	}
	text, err := stream(clusters)
	if err != nil {
		return err
	}
	err = f.changeStore(func(store *C.rebal_store, failure *C.rebal_error) error {
		return failed(C.rebal_store_put(store, bytesOf(text), C.size_t(len(text)), failure), failure)
	})
	return withoutKind(err, clusters)
}

// Remove takes clusters away, by name, all or none; their ids stay theirs. ENOTFOUND: there is no such cluster.
func (f *Fleet) Remove(names ...string) error {
	return f.changeStore(func(store *C.rebal_store, failure *C.rebal_error) error {
		kind := "Cluster.cluster.karmada.io"
		find := func(name string) C.uint32_t {
			return C.rebal_store_find(store, chars(kind), size(kind), nil, 0, chars(name), size(name))
		}
		for _, name := range names {
			if find(name) == C.REBAL_NONE {
				return noCluster(name)
			}
		}
		for _, name := range names {
			object := find(name) // none: it is named twice
			if object == C.REBAL_NONE {
				continue
			}
			if err := failed(C.rebal_store_remove(store, object, failure), failure); err != nil {
				return err
			}
		}
		return nil
	})
}

func noCluster(name string) error { return invalid(ENOTFOUND, "the fleet has no cluster %q", name) }

func (f *Fleet) changeStore(change func(*C.rebal_store, *C.rebal_error) error) error {
	if err := f.change(); err != nil {
		return err
	}
	defer f.done()
	if f.parts.store == nil {
		return invalid(ESTATE, "the clusters of this fleet are not its own: it was loaded, or follows a store")
	}
	failure := newFailure()
	if err := change(f.parts.store, &failure); err != nil {
		return err
	}
	return failed(C.rebal_store_feed_clusters(f.parts.store, f.parts.fleet, &f.parts.feed, &failure), &failure)
}

// ClusterID is the id of a cluster's name; a new name gets one without becoming a cluster of the fleet.
func (f *Fleet) ClusterID(name string) (uint32, error) {
	if err := f.change(); err != nil {
		return None, err
	}
	defer f.done()
	id, failure := C.uint32_t(None), newFailure()
	err := failed(C.rebal_fleet_cluster_id(f.parts.fleet, chars(name), size(name), &id, &failure), &failure)
	return uint32(id), err
}

// existing is the id of a cluster that the fleet has.
func (f *Fleet) existing(name string) (uint32, error) {
	id, err := f.ClusterID(name)
	if err != nil {
		return None, err
	}
	if err := f.read(); err != nil {
		return None, err
	}
	defer f.done()
	if C.rebal_cells_has(C.rebal_fleet_cells(f.parts.fleet), C.REBAL_TABLE_CLUSTER, C.REBAL_NONE, C.uint32_t(id)) == 0 {
		return None, noCluster(name)
	}
	return id, nil
}

// Cells are the rows of the fleet, for changing it by columns.
func (f *Fleet) Cells() *Cells {
	return &Cells{owner: &f.handle, of: func() *C.rebal_cells { return C.rebal_fleet_cells(f.parts.fleet) }}
}

// Snapshot is the fleet as it was at one moment. Any number of goroutines may use it.
type Snapshot struct {
	handle
	names *clusterNames
}

// Snapshot freezes the fleet as it is now; what did not change is shared with the snapshot before.
func (f *Fleet) Snapshot() (*Snapshot, error) {
	if err := f.change(); err != nil {
		return nil, err
	}
	defer f.done()
	var frozen *C.rebal_snapshot
	failure := newFailure()
	if err := failed(C.rebal_fleet_freeze(f.parts.fleet, &frozen, &failure), &failure); err != nil {
		return nil, err
	}
	snapshot := &Snapshot{names: f.names}
	return open(snapshot, &snapshot.handle, "snapshot", unsafe.Pointer(frozen), func() {
		C.rebal_snapshot_unref(frozen)
	}), nil
}

// Close gives the snapshot back; results made from it stay valid.
func (s *Snapshot) Close() error { return s.close() }

func (s *Snapshot) c() *C.rebal_snapshot { return (*C.rebal_snapshot)(s.pointer) }

// ClusterID returns the id of a name; ok is false if the snapshot has no such cluster.
func (s *Snapshot) ClusterID(name string) (id uint32, ok bool) {
	if s.read() != nil {
		return None, false
	}
	defer s.done()
	id = uint32(C.rebal_snapshot_find_cluster(s.c(), chars(name), size(name)))
	// A cluster that was taken away keeps its id.
	ok = C.rebal_cells_has(C.rebal_snapshot_cells(s.c()), C.REBAL_TABLE_CLUSTER, C.REBAL_NONE, C.uint32_t(id)) != 0
	return id, ok
}

// Cells are the rows of the snapshot, for reading.
func (s *Snapshot) Cells() *Cells {
	return &Cells{owner: &s.handle, isFrozen: true, of: func() *C.rebal_cells { return C.rebal_snapshot_cells(s.c()) }}
}

// clusters returns the names by id; the caller has taken the snapshot.
func (s *Snapshot) clusters() []string { return s.names.all(C.rebal_snapshot_cells(s.c())) }

// Save writes a fleet as it is now as bytes, and with it bindings and a ledger, which may be nil. Equal fleets give
// equal bytes on every machine.
func (f *Fleet) Save(bindings *Bindings, ledger *Ledger) ([]byte, error) {
	var all taken
	var err error
	defer all.done()
	all.read(&f.handle, &err)
	if bindings != nil {
		all.read(&bindings.handle, &err)
	}
	if ledger != nil {
		all.read(&ledger.handle, &err)
	}
	if err != nil {
		return nil, err
	}
	return savedBy(func(buffer unsafe.Pointer, capacity C.size_t, n *C.size_t, failure *C.rebal_error) C.int32_t {
		return C.rebal_fleet_save(f.parts.fleet, bindings.c(), ledger.c(), buffer, capacity, n, failure)
	})
}

// savedBy is what a call such as rebal_fleet_save() writes into a buffer.
func savedBy(save func(unsafe.Pointer, C.size_t, *C.size_t, *C.rebal_error) C.int32_t) ([]byte, error) {
	var n C.size_t
	failure := newFailure()
	code := save(nil, 0, &n, &failure)
	if err := failed(code, &failure); err != nil && code != C.REBAL_ERANGE {
		return nil, err
	}
	saved := make([]byte, n)
	code = save(unsafe.Pointer(unsafe.SliceData(saved)), n, &n, &failure)
	return saved, failed(code, &failure)
}

// Load makes the fleet that Save wrote. Bindings and ledger are nil when none were written. The bytes may come from
// anywhere: EPARSE when they are none of Save's. Bindings come frozen. Clusters of the fleet change by Cells alone.
func Load(saved []byte) (*Fleet, *Bindings, *Ledger, error) {
	var bindings *C.rebal_bindings
	var ledger *C.rebal_ledger
	parts, failure := &fleetParts{}, newFailure()
	code := C.rebal_fleet_load(nil, unsafe.Pointer(bytesOf(saved)), C.size_t(len(saved)), &parts.fleet, &bindings,
		&ledger, &failure)
	if err := failed(code, &failure); err != nil {
		return nil, nil, nil, err
	}
	fleet := newFleet(parts)
	var rows *Bindings
	var book *Ledger
	if bindings != nil {
		rows = fleet.ownBindings(bindings)
		if err := rows.Freeze(); err != nil && !isCode(err, ESTATE) {
			return nil, nil, nil, err
		}
		rows.isFrozen = true
	}
	if ledger != nil {
		book = fleet.ownLedger(ledger)
	}
	return fleet, rows, book, nil
}
