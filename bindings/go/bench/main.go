// SPDX-License-Identifier: MIT

// What a batch of 1,000 bindings costs through the package, beside the same call in C: the median of 15 pairs. Each
// side of a pair is the shortest of 20 runs. They take turns, so that what else runs disturbs both alike.
package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	librebalance "example.org/librebalance"
)

const (
	pairs    = 15
	batch    = 1000
	perPair  = 20 // runs of each in a pair
	clusters = 100
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func cluster(i int) librebalance.Cluster {
	capacity := fmt.Sprint(200 + i%37)
	return librebalance.Cluster{
		Metadata: librebalance.Metadata{Name: fmt.Sprintf("member%03d", i)},
		Status: librebalance.ClusterStatus{
			APIEnablements: []librebalance.APIEnablement{{GroupVersion: "apps/v1",
				Resources: []librebalance.APIResource{{Kind: "Deployment"}}}},
			ResourceSummary: &librebalance.ResourceSummary{
				Allocatable: map[string]string{"pods": capacity, "cpu": capacity, "memory": capacity + "Gi"}},
		},
	}
}

func binding(i int) librebalance.ResourceBinding {
	name := fmt.Sprint("web", i)
	return librebalance.ResourceBinding{
		Metadata: librebalance.Metadata{Name: name + "-deployment", Namespace: "default"},
		Spec: librebalance.BindingSpec{
			Resource: librebalance.Reference{APIVersion: "apps/v1", Kind: "Deployment", Name: name, Namespace: "default",
				UID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", i*7919)},
			Replicas:            int32(1 + i%20),
			ReplicaRequirements: &librebalance.Requirements{ResourceRequest: map[string]string{"cpu": "500m"}},
			Placement: &librebalance.Placement{ReplicaScheduling: &librebalance.ReplicaScheduling{
				ReplicaSchedulingType: "Divided", ReplicaDivisionPreference: "Weighted",
				WeightPreference: &librebalance.ClusterPreferences{DynamicWeight: "AvailableReplicas"}}},
		},
	}
}

// world is the same in both languages.
type world struct {
	session  *librebalance.Session
	result   *librebalance.Result
	snapshot *librebalance.Snapshot
	bindings *librebalance.Bindings
	plain    plainWorld
}

func newWorld() *world {
	members, rows := []any{}, []any{}
	for i := range clusters {
		members = append(members, cluster(i))
	}
	for i := range batch {
		rows = append(rows, binding(i))
	}
	fleet := must(librebalance.NewFleet(members...))
	w := &world{session: must(librebalance.NewSession(nil)), result: must(librebalance.NewResult())}
	w.bindings, w.snapshot = must(fleet.Bindings(rows...)), must(fleet.Snapshot())
	w.plain = must(loadPlain(must(fleet.Save(w.bindings, nil))))
	return w
}

// columns schedules a batch and reads every number of the answer.
func (w *world) columns() time.Duration {
	begin := time.Now()
	if err := w.session.ScheduleInto(w.result, w.snapshot, w.bindings, nil); err != nil {
		panic(err)
	}
	took := time.Since(begin)
	if w.result.Count(librebalance.TableDecision) != batch {
		panic("a decision is missing")
	}
	return took
}

// values schedules a batch and makes Go values of the answer.
func (w *world) values() time.Duration {
	begin := time.Now()
	if decisions := must(w.session.Schedule(context.Background(), w.snapshot, w.bindings, nil)); len(decisions) != batch {
		panic("a decision is missing")
	}
	return time.Since(begin)
}

// ratios are the times of one way divided by those of C, a pair each, and the microseconds of C.
func (w *world) ratios(way func() time.Duration) (ratios, times []float64) {
	for range pairs {
		plain, own := w.plain.schedule(), way()
		for range perPair - 1 {
			plain, own = min(plain, w.plain.schedule()), min(own, way())
		}
		ratios = append(ratios, float64(own)/float64(plain))
		times = append(times, plain.Seconds()*1e6)
	}
	slices.Sort(ratios)
	slices.Sort(times)
	return ratios, times
}

func main() {
	w := newWorld()
	for _, way := range []struct {
		name string
		run  func() time.Duration
	}{{"columns", w.columns}, {"values", w.values}} {
		w.plain.schedule()
		way.run()
		ratios, times := w.ratios(way.run)
		fmt.Printf("go/%s-%d/%d  %8.1f us in C  %6.3f times that in Go (%.3f to %.3f)\n", way.name, batch, clusters,
			times[pairs/2], ratios[pairs/2], ratios[0], ratios[pairs-1])
	}
}
