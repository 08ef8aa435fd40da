// SPDX-License-Identifier: MIT

package librebalance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// must fails the test for an error.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("got %v, want %v", err, code)
	}
}

// cluster returns a cluster with capacity for this number of pods.
func cluster(name string, pods int) Cluster {
	return Cluster{
		Metadata: Metadata{Name: name},
		Status: ClusterStatus{
			APIEnablements: []APIEnablement{{GroupVersion: "apps/v1",
				Resources: []APIResource{{Kind: "Deployment"}}}},
			ResourceSummary: &ResourceSummary{
				Allocatable: map[string]string{"pods": fmt.Sprint(pods), "cpu": fmt.Sprint(pods)},
			},
		},
	}
}

// divided returns a binding whose replicas are divided by what is available.
func divided(name string, replicas int32, clusters ...TargetCluster) ResourceBinding {
	return ResourceBinding{
		Metadata: Metadata{Name: name + "-deployment", Namespace: "default"},
		Spec: BindingSpec{
			Resource: Reference{APIVersion: "apps/v1", Kind: "Deployment", Name: name, Namespace: "default",
				UID: "6a1f2b3c-0000-4000-8000-000000000001"},
			Replicas: replicas, Clusters: clusters,
			ReplicaRequirements: &Requirements{ResourceRequest: map[string]string{"cpu": "1"}},
			Placement: &Placement{
				ClusterAffinity: &ClusterAffinity{},
				ReplicaScheduling: &ReplicaScheduling{ReplicaSchedulingType: "Divided",
					ReplicaDivisionPreference: "Weighted",
					WeightPreference:          &ClusterPreferences{DynamicWeight: "AvailableReplicas"}},
			},
		},
	}
}

// world is what most tests need.
type world struct {
	fleet    *Fleet
	session  *Session
	snapshot *Snapshot
	bindings *Bindings
}

func newWorld(t testing.TB, clusters, bindings []any) *world {
	t.Helper()
	w := &world{}
	w.fleet = must(NewFleet(clusters...))
	w.session = must(NewSession(nil))
	w.bindings = must(w.fleet.Bindings(bindings...))
	w.snapshot = must(w.fleet.Snapshot())
	t.Cleanup(func() {
		for _, closer := range []interface{ Close() error }{w.bindings, w.snapshot, w.fleet, w.session} {
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return w
}

func targets(decision Decision) string { return fmt.Sprint(decision.Targets) }

func TestSchedule(t *testing.T) {
	w := newWorld(t, []any{cluster("member1", 10), cluster("member2", 20)}, []any{divided("web", 6), divided("big", 60)})
	decisions, err := w.session.Schedule(context.Background(), w.snapshot, w.bindings, nil)
	check(t, err)
	if len(decisions) != 2 || targets(decisions[0]) != "[member1:2 member2:4]" {
		t.Fatal(decisions)
	}
	if decisions[1].Outcome != OutcomeUnschedulable || decisions[1].Message == "" {
		t.Fatal(decisions[1])
	}
	if decisions[0].String() != "Scheduled member1:2, member2:4" {
		t.Fatal(decisions[0].String())
	}
}

func TestObjectsOfManyForms(t *testing.T) {
	text := `
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: yaml}
`
	unstructured := map[string]any{"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
		"metadata": map[string]any{"name": "map"}}
	fleet := must(NewFleet(text, unstructured, []byte(`{"apiVersion":"cluster.karmada.io/v1alpha1",`+
		`"kind":"Cluster","metadata":{"name":"json"}}`), []Cluster{cluster("struct", 1)}))
	defer fleet.Close()
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	for _, name := range []string{"yaml", "map", "json", "struct"} {
		if _, ok := snapshot.ClusterID(name); !ok {
			t.Errorf("no cluster %s", name)
		}
	}
	check(t, fleet.Remove("yaml"))
	wantCode(t, fleet.Remove("yaml"), ENOTFOUND)
	if _, ok := snapshot.ClusterID("yaml"); !ok {
		t.Error("a snapshot changed")
	}
}

func TestErrorsHaveAPlace(t *testing.T) {
	_, err := NewFleet("apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: a}\n" +
		"spec:\n  zones: 7\n")
	wantCode(t, err, EPARSE)
	var failure *Error
	if !errors.As(err, &failure) || failure.Line != 5 || failure.Field != "spec.zones" {
		t.Fatalf("%#v", failure)
	}
	if errors.Is(err, ERANGE) {
		t.Fatal("another code")
	}
}

func TestSaveAndLoad(t *testing.T) {
	w := newWorld(t, []any{cluster("a", 10), cluster("b", 20)}, []any{divided("web", 6)})
	ledger := must(w.fleet.NewLedger())
	defer ledger.Close()
	check(t, ledger.Charge("default/web", 0, []Component{{None, 3}}, time.Time{}))
	saved := must(w.fleet.Save(w.bindings, ledger))
	fleet, bindings, book, err := Load(saved)
	check(t, err)
	defer fleet.Close()
	defer bindings.Close()
	defer book.Close()
	if again := must(fleet.Save(bindings, book)); !slices.Equal(saved, again) {
		t.Fatal("saved bytes differ")
	}
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	first := must(w.session.Schedule(context.Background(), w.snapshot, w.bindings, nil))
	second := must(w.session.Schedule(context.Background(), snapshot, bindings, nil))
	if fmt.Sprint(first) != fmt.Sprint(second) {
		t.Fatal(first, second)
	}
	wantCode(t, fleet.Put(cluster("c", 1)), ESTATE)
	_, _, _, err = Load(saved[:len(saved)-1])
	wantCode(t, err, EPARSE)
	_, _, _, err = Load(nil)
	wantCode(t, err, EPARSE)
}

func TestContextEndsBetweenBatches(t *testing.T) {
	many := []any{}
	for i := range BatchSize + 1 {
		many = append(many, divided(fmt.Sprint("web", i), 2))
	}
	w := newWorld(t, []any{cluster("a", 10)}, many)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	decisions, err := w.session.Schedule(ctx, w.snapshot, w.bindings, nil)
	if !errors.Is(err, context.Canceled) || len(decisions) != 0 {
		t.Fatal(err, len(decisions))
	}
	all := must(w.session.Schedule(context.Background(), w.snapshot, w.bindings, nil))
	if len(all) != BatchSize+1 || all[BatchSize].Binding != BatchSize {
		t.Fatal(len(all))
	}
	part := must(w.session.Schedule(context.Background(), w.snapshot, w.bindings,
		&ScheduleOptions{FirstRow: 1000, MaxWork: 20}))
	if len(part) != 20 || part[19].Binding != 1019 {
		t.Fatal(len(part))
	}
}

func TestColumns(t *testing.T) {
	w := newWorld(t, []any{cluster("a", 10), cluster("b", 20)}, nil)
	rows := must(w.fleet.NewBindings())
	defer rows.Close()
	cells := rows.Cells()
	ids := must(cells.Add(TableBinding, None, 3))
	check(t, cells.PutInt64s(ColumnBindingReplicas, None, ids, []int64{1, 2, 3}))
	check(t, cells.PutTexts(ColumnBindingName, None, nil, []string{"x", "", "zz"}))
	check(t, cells.PutTimes(ColumnBindingLastScheduledTime, None, nil,
		[]time.Time{time.Unix(1, 0), {}, time.Unix(3, 0)}))
	children := must(cells.AddChildren(TableTarget, []uint32{2, 0}))
	check(t, cells.PutInt64s(ColumnTargetCluster, None, children, []int64{0, 1}))
	if got := must(cells.Int64s(ColumnBindingReplicas, None, nil)); !slices.Equal(got,
		[]int64{1, 2, 3}) {
		t.Fatal(got)
	}
	if got := must(cells.Texts(ColumnBindingName, None, nil)); !slices.Equal(got,
		[]string{"x", "", "zz"}) {
		t.Fatal(got)
	}
	if got := must(cells.Rows(TableTarget, 2)); !slices.Equal(got, children[:1]) {
		t.Fatal(got)
	}
	wantCode(t, cells.PutInt64s(ColumnBindingReplicas, None, ids, []int64{1}),
		EINVAL)
	wantCode(t, cells.PutInt64s(ColumnBindingReplicas, None, []uint32{9}, []int64{1}),
		ENOTFOUND)
	wantCode(t, cells.PutInt64s(ColumnBindingReplicas, None, nil, []int64{-1}),
		ERANGE)
	check(t, rows.Freeze())
	wantCode(t, rows.Cells().PutInt64s(ColumnBindingReplicas, None, nil, []int64{1}),
		ESTATE)
	result := must(NewResult())
	defer result.Close()
	check(t, w.session.ScheduleInto(result, w.snapshot, rows,
		&ScheduleOptions{Flags: ScheduleFlagFingerprint}))
	if got := must(result.Int64s(ColumnDecisionBinding)); !slices.Equal(got, []int64{0, 1, 2}) {
		t.Fatal(got)
	}
	if text := must(result.Fingerprint()); len(text) != 32 {
		t.Fatal(text)
	}
}

// rebalancectl and the Python package count the same way.
func TestMovedIsWhatGoesToAnotherCluster(t *testing.T) {
	for _, one := range []struct {
		changes []Change
		want    int64
	}{
		{nil, 0},
		{[]Change{{"a", 0, 3}}, 0},
		{[]Change{{"a", 3, 0}}, 0},
		{[]Change{{"a", 6, 3}, {"b", 0, 3}}, 3},
		{[]Change{{"a", 6, 1}, {"b", 0, 1}}, 1},
		{[]Change{{"a", 1, 0}, {"b", 0, 4}}, 1},
	} {
		if got := (Move{Changes: one.changes}).Moved(); got != one.want {
			t.Errorf("%v: %d moved, want %d", one.changes, got, one.want)
		}
	}
}
