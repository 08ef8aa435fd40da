// SPDX-License-Identifier: MIT

package librebalance

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestClosedObjects(t *testing.T) {
	fleet := must(NewFleet(cluster("a", 1)))
	session := must(NewSession(nil))
	bindings := must(fleet.Bindings(divided("web", 1)))
	open := must(fleet.NewBindings())
	snapshot := must(fleet.Snapshot())
	store := must(NewStore())
	result := must(NewResult())
	ledger := must(fleet.NewLedger())
	observations := must(NewObservations())
	compat := must(NewCompat(""))
	simulation := must(NewSimulation(nil))
	watch := must(store.Watch("apps/v1", "Deployment", nil))
	spreads := must(NewSpreads(store))
	detector := must(NewDetector(store, nil))
	cells := fleet.Cells()
	for _, closer := range []interface{ Close() error }{fleet, session, bindings, open, snapshot, store, result, ledger,
		observations, compat, simulation, watch, spreads, detector} {
		check(t, closer.Close())
		check(t, closer.Close())
	}
	other := must(NewSession(nil))
	defer other.Close()
	ctx, now := context.Background(), time.Unix(1, 0)
	calls := map[string]func() error{
		"Put":      func() error { return fleet.Put(cluster("b", 1)) },
		"Freeze":   func() error { return open.Freeze() },
		"Snapshot": func() error { _, err := fleet.Snapshot(); return err },
		"Save":     func() error { _, err := fleet.Save(nil, nil); return err },
		"Cells": func() error {
			_, err := cells.Int64s(ColumnClusterGeneration, None, nil)
			return err
		},
		"Schedule": func() error { _, err := session.Schedule(ctx, snapshot, bindings, nil); return err },
		"snapshot": func() error { _, err := other.Schedule(ctx, snapshot, bindings, nil); return err },
		"Store":    func() error { return store.Put(cluster("b", 1)) },
		"Result":   func() error { _, err := result.Int64s(ColumnDecisionOutcome); return err },
		"Ledger":   func() error { return ledger.Expire(now) },
		"Observe":  func() error { return observations.Add(Observation{}) },
		"Compat":   func() error { return compat.Set(OptionInt32Wrap, 1) },
		"Simulate": func() error { return simulation.Load(nil) },
		"Watch":    func() error { _, err := watch.Request(); return err },
		"Spreads":  func() error { return spreads.Update() },
		"Detector": func() error { return detector.Run(now) },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, ESTATE) || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNilAndZeroObjects(t *testing.T) {
	w := newWorld(t, []any{cluster("a", 1)}, []any{divided("web", 1)})
	ctx := context.Background()
	_, err := w.session.Schedule(ctx, nil, w.bindings, nil)
	wantCode(t, err, EINVAL)
	_, err = w.session.Schedule(ctx, w.snapshot, nil, nil)
	wantCode(t, err, EINVAL)
	_, err = w.session.Explain(ctx, w.snapshot, nil, nil)
	wantCode(t, err, EINVAL)
	_, err = w.session.WouldMove(ctx, nil, time.Unix(1, 0))
	wantCode(t, err, EINVAL)
	wantCode(t, w.session.ScheduleInto(nil, w.snapshot, w.bindings, nil), EINVAL)
	wantCode(t, w.fleet.AddFrom(nil, nil), EINVAL)
	wantCode(t, w.fleet.Put(nil), EINVAL)
	wantCode(t, w.fleet.Put(7), EINVAL)
	wantCode(t, w.fleet.Put(make(chan int)), EINVAL)
	wantCode(t, w.fleet.Put((*Cluster)(nil)), EINVAL)
	wantCode(t, (&Store{}).Put(cluster("a", 1)), EINVAL)
	_, err = (&Fleet{}).Snapshot()
	wantCode(t, err, EINVAL)
	check(t, (&Fleet{}).Close())
	_, err = NewSpreads(nil)
	wantCode(t, err, EINVAL)
	_, err = NewDetector(nil, nil)
	wantCode(t, err, EINVAL)
	_, err = NewCompat("no-such-level")
	wantCode(t, err, ENOTFOUND)
}

func TestHugeAndNegativeNumbers(t *testing.T) {
	w := newWorld(t, []any{cluster("a", 1)}, []any{divided("web", 1), divided("api", 1)})
	result := must(NewResult())
	defer result.Close()
	for _, options := range []ScheduleOptions{
		{FirstRow: -1}, {MaxWork: -1}, {ExplainRows: -1}, {ExtraScore: make([]int64, 3), ExtraClusters: 2, ExtraStride: 2},
		{ExtraReject: make([]int64, 1), ExtraClusters: 2}, {ExtraReject: make([]int64, 1), ExtraClusters: -1},
		{ExtraScore: []int64{math.MaxInt64}, ExtraClusters: 1},
		{Estimators: []Estimator{{Fits: make([]int32, 1), Clusters: 2}}},
		{Estimators: []Estimator{{Fits: make([]int32, 4), Clusters: 2, Stride: math.MaxInt}}},
		{Estimators: []Estimator{{Fits: make([]int32, 4), Clusters: -2}}},
	} {
		if err := w.session.ScheduleInto(result, w.snapshot, w.bindings, &options); !errors.Is(err, ERANGE) {
			t.Errorf("%+v: %v", options, err)
		}
	}
	rows := must(w.fleet.NewBindings())
	defer rows.Close()
	_, err := rows.Cells().Add(TableBinding, None, -1)
	wantCode(t, err, ERANGE)
	_, err = rows.Cells().Add(TableBinding, None, 1)
	check(t, err)
	for _, value := range []int64{-1, math.MaxInt64, math.MinInt64 + 1} {
		wantCode(t, rows.Cells().PutInt64s(ColumnBindingReplicas, None, nil, []int64{value}),
			ERANGE)
	}
	wantCode(t, rows.Cells().PutInt64s(Column(math.MaxUint32), None, nil, []int64{1}),
		EUNSUPPORTED)
	wantCode(t, rows.Cells().PutTexts(ColumnBindingReplicas, None, nil, []string{"x"}),
		EINVAL)
	_, _, err = w.session.Deschedule(w.snapshot, w.bindings, time.Unix(1, 0),
		&DescheduleOptions{MaxTotal: -1})
	wantCode(t, err, ERANGE)
	_, err = w.session.Schedule(context.Background(), w.snapshot, w.bindings,
		&ScheduleOptions{FirstRow: math.MaxInt})
	wantCode(t, err, EINVAL)
	compat := must(NewCompat(""))
	defer compat.Close()
	wantCode(t, compat.Set(OptionInt32Wrap, 2), ERANGE)
	wantCode(t, compat.Set(Option(math.MaxInt32), 1), EUNSUPPORTED)
	wantCode(t, w.session.TaintEvictionInto(result, w.snapshot, "no such", w.bindings, time.Unix(1, 0), nil),
		ENOTFOUND)
	_, err = result.Texts(ColumnDecisionOutcome)
	wantCode(t, err, EINVAL)
	if result.Cluster(-5) != "" || result.Cluster(math.MaxInt64) != "" || Outcome(99).String() != "99" {
		t.Error("a number that names nothing has a name")
	}
}

func TestObjectsOfAnotherFleet(t *testing.T) {
	w := newWorld(t, []any{cluster("a", 1)}, []any{divided("web", 1)})
	other := newWorld(t, []any{cluster("a", 1)}, []any{divided("web", 1)})
	_, err := w.session.Schedule(context.Background(), other.snapshot, w.bindings, nil)
	wantCode(t, err, EMISMATCH)
	open := must(w.fleet.NewBindings())
	defer open.Close()
	_, err = w.session.Schedule(context.Background(), w.snapshot, open, nil)
	wantCode(t, err, ESTATE)
}

// Two goroutines with one session: the second gets an error, and nothing breaks. In one of many rounds they meet.
func TestTwoGoroutines(t *testing.T) {
	many := []any{}
	for range 200 {
		many = append(many, divided("web"+strings.Repeat("x", len(many)), 100))
	}
	w := newWorld(t, []any{cluster("a", 100), cluster("b", 100), cluster("c", 100)}, many)
	var group sync.WaitGroup
	var mutex sync.Mutex
	met := 0
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 200 {
				_, err := w.session.Schedule(context.Background(), w.snapshot, w.bindings, nil)
				if errors.Is(err, ESTATE) {
					mutex.Lock()
					met++
					mutex.Unlock()
				} else if err != nil {
					t.Error(err)
				}
				runtime.Gosched()
			}
		}()
	}
	group.Wait()
	if met == 0 && runtime.GOMAXPROCS(0) > 1 {
		t.Error("four goroutines never met in one session")
	}
}

// Sessions of their own share one snapshot and one set of bindings.
func TestEightGoroutinesOneSnapshot(t *testing.T) {
	w := newWorld(t, []any{cluster("a", 100), cluster("b", 50)}, []any{divided("web", 30), divided("api", 9)})
	want := must(w.session.Schedule(context.Background(), w.snapshot, w.bindings, nil))
	var group sync.WaitGroup
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			session := must(NewSession(nil))
			defer session.Close()
			for range 50 {
				got, err := session.Schedule(context.Background(), w.snapshot, w.bindings, nil)
				if err != nil || targets(got[0]) != targets(want[0]) || targets(got[1]) != targets(want[1]) {
					t.Error(got, err)
				}
			}
		}()
	}
	group.Wait()
}

// What a feed needs stays until the feed is closed, in whatever order the objects are closed.
func TestOrderOfClosing(t *testing.T) {
	store, fleet := must(NewStore(cluster("a", 5))), must(NewFleet())
	feed := must(fleet.Follow(store))
	check(t, store.Close())
	check(t, fleet.Close())
	wantCode(t, feed.Update(), ESTATE)
	check(t, feed.Close())
	store = must(NewStore(cluster("a", 5)))
	watch, spreads := must(store.Watch("apps/v1", "Deployment", nil)), must(NewSpreads(store))
	check(t, store.Close())
	wantCode(t, watch.Feed([]byte("x")), ESTATE)
	check(t, watch.Close())
	check(t, spreads.Close())
}

func TestFollow(t *testing.T) {
	store, fleet := must(NewStore(cluster("a", 5))), must(NewFleet())
	defer store.Close()
	defer fleet.Close()
	feed := must(fleet.Follow(store))
	defer feed.Close()
	check(t, store.Event("ADDED", cluster("b", 7)))
	check(t, store.Event("DELETED", cluster("a", 5)))
	check(t, store.Event("BOOKMARK", nil))
	wantCode(t, store.Event("GONE", cluster("a", 5)), EINVAL)
	check(t, feed.Update())
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	if _, ok := snapshot.ClusterID("b"); !ok {
		t.Error("b did not come")
	}
	if _, ok := snapshot.ClusterID("a"); ok {
		t.Error("a did not go")
	}
	wantCode(t, fleet.Put(cluster("c", 1)), ESTATE)
	_, err := fleet.Follow(store)
	wantCode(t, err, ESTATE)
}
