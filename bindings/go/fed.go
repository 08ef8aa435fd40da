// SPDX-License-Identifier: MIT

package librebalance

// #include <rebalance/simulation.h>
// #cgo noescape rebal_feed_free
// #cgo nocallback rebal_feed_free
// #cgo noescape rebal_store_feed_clusters
// #cgo nocallback rebal_store_feed_clusters
// #cgo noescape rebal_store_feed_member
// #cgo nocallback rebal_store_feed_member
// #cgo noescape rebal_store_free
// #cgo nocallback rebal_store_free
import "C"

import "unsafe"

// Feed keeps a part of a fleet as a store has it; Update reads what changed in the store since.
type Feed struct {
	handle
	parts  *feedParts
	store  *Store
	fleet  *Fleet
	update func(*feedParts, *C.rebal_error) C.int32_t
}

type feedParts struct {
	store *C.rebal_store
	fleet *C.rebal_fleet
	feed  *C.rebal_feed
}

// newFeed makes a feed, which owns store and fleet too, and updates it once.
func newFeed(store *Store, fleet *Fleet, update func(*feedParts, *C.rebal_error) C.int32_t) (*Feed, error) {
	var all taken
	var err error
	all.change(handleOf(store), &err)
	all.change(handleOf(fleet), &err)
	if err != nil {
		all.done()
		return nil, err
	}
	parts := &feedParts{store: store.c(), fleet: fleet.parts.fleet}
	feed := &Feed{parts: parts, store: store, fleet: fleet, update: update}
	storeOwner, fleetOwner := store.own.ref(), fleet.own.ref()
	open(feed, &feed.handle, "feed", unsafe.Pointer(parts), func() {
		C.rebal_feed_free(parts.feed)
		fleetOwner.unref()
		storeOwner.unref()
	})
	all.done()
	if err := feed.Update(); err != nil {
		_ = feed.Close()
		return nil, err
	}
	return feed, nil
}

// Follow makes the clusters of a fleet those of a store, now and with each Update of the feed. ESTATE: the fleet has
// clusters that were put into it, or follows another store.
func (f *Fleet) Follow(store *Store) (*Feed, error) {
	if err := f.giveUpStore(); err != nil {
		return nil, err
	}
	return newFeed(store, f, func(parts *feedParts, failure *C.rebal_error) C.int32_t {
		return C.rebal_store_feed_clusters(parts.store, parts.fleet, &parts.feed, failure)
	})
}

// FollowMember makes what is known below a cluster (nodes, pods, workloads, quotas) that which a store of its own
// holds. ENOTFOUND: the fleet has no such cluster.
func (f *Fleet) FollowMember(cluster string, member *Store) (*Feed, error) {
	id, err := f.existing(cluster)
	if err != nil {
		return nil, err
	}
	return newFeed(member, f, func(parts *feedParts, failure *C.rebal_error) C.int32_t {
		return C.rebal_store_feed_member(parts.store, parts.fleet, C.uint32_t(id), &parts.feed, failure)
	})
}

// giveUpStore frees the store of a fleet into which nothing was put.
func (f *Fleet) giveUpStore() error {
	if err := f.change(); err != nil {
		return err
	}
	defer f.done()
	if f.parts.store == nil || f.parts.feed != nil {
		return invalid(ESTATE, "the fleet has clusters of its own, or follows a store already")
	}
	C.rebal_store_free(f.parts.store)
	f.parts.store = nil
	return nil
}

func (f *Fleet) guard() *handle {
	if f == nil {
		return nil
	}
	return &f.handle
}

// Update brings the fleet up to date with the store.
func (f *Feed) Update() error {
	var all taken
	var err error
	defer all.done()
	all.change(&f.handle, &err)
	if err == nil {
		all.change(&f.store.handle, &err)
		all.change(&f.fleet.handle, &err)
	}
	if err != nil {
		return err
	}
	failure := newFailure()
	return failed(f.update(f.parts, &failure), &failure)
}

// Close ends the following; what the feed put into the fleet stays.
func (f *Feed) Close() error { return f.close() }
