// SPDX-License-Identifier: MIT

package librebalance

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// drawn is a world from one number.
type drawn struct {
	clusters []Cluster
	bindings []ResourceBinding
}

func draw(seed int64) drawn {
	dice, out := rand.New(rand.NewSource(seed)), drawn{}
	for i := range 1 + dice.Intn(8) {
		one := cluster(fmt.Sprint("c", i), dice.Intn(40))
		one.Spec.Region = fmt.Sprint("region", dice.Intn(3))
		if dice.Intn(6) == 0 {
			one.Spec.Taints = []Taint{{Key: "k", Effect: "NoSchedule"}}
		}
		out.clusters = append(out.clusters, one)
	}
	for i := range 1 + dice.Intn(6) {
		one := divided(fmt.Sprint("w", i), int32(dice.Intn(50)))
		one.Spec.Resource.UID = fmt.Sprintf("%08x-0000-4000-8000-000000000000", dice.Uint32())
		scheduling := one.Spec.Placement.ReplicaScheduling
		switch dice.Intn(4) {
		case 0:
			scheduling.ReplicaSchedulingType, scheduling.WeightPreference = "Duplicated", nil
		case 1:
			scheduling.ReplicaDivisionPreference, scheduling.WeightPreference = "Aggregated", nil
		case 2:
			scheduling.WeightPreference = nil
		}
		left := one.Spec.Replicas
		for _, at := range dice.Perm(len(out.clusters))[:dice.Intn(len(out.clusters)+1)] {
			replicas := dice.Int31n(left + 1)
			left -= replicas
			one.Spec.Clusters = append(one.Spec.Clusters,
				TargetCluster{Name: out.clusters[at].Metadata.Name, Replicas: replicas})
		}
		out.bindings = append(out.bindings, one)
	}
	return out
}

// decide schedules bindings in a fleet and returns the decisions by name.
func (d drawn) decide(t *testing.T, bindings []ResourceBinding) map[string]Decision {
	w := newWorld(t, []any{d.clusters}, []any{bindings})
	found := map[string]Decision{}
	for _, decision := range must(w.session.Schedule(context.Background(), w.snapshot, w.bindings, nil)) {
		name := bindings[decision.Binding].Metadata.Name
		decision.Binding = 0
		found[name] = decision
	}
	return found
}

func seeds(f *testing.F) {
	for seed := range int64(60) {
		f.Add(seed)
	}
}

// A binding that is placed has exactly its replicas, and only in clusters of the fleet.
func FuzzConservation(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, seed int64) {
		d := draw(seed)
		names := map[string]bool{}
		for _, one := range d.clusters {
			names[one.Metadata.Name] = true
		}
		found := d.decide(t, d.bindings)
		for _, binding := range d.bindings {
			decision, sum := found[binding.Metadata.Name], int64(0)
			for _, target := range decision.Targets {
				if sum += target.Replicas; !names[target.Cluster] || target.Replicas < 0 {
					t.Errorf("%s: %v", binding.Metadata.Name, decision)
				}
			}
			want := int64(binding.Spec.Replicas)
			if binding.Spec.Placement.ReplicaScheduling.ReplicaSchedulingType == "Duplicated" {
				want *= int64(len(decision.Targets))
			}
			if decision.Outcome == OutcomeScheduled && sum != want {
				t.Errorf("%s: %d of %d replicas: %v", binding.Metadata.Name, sum, want, decision)
			}
		}
	})
}

// The order of clusters and bindings changes nothing.
func FuzzPermutation(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, seed int64) {
		d := draw(seed)
		want := d.decide(t, d.bindings)
		dice := rand.New(rand.NewSource(seed + 1))
		other := drawn{slices.Clone(d.clusters), slices.Clone(d.bindings)}
		dice.Shuffle(len(other.clusters), func(i, j int) {
			other.clusters[i], other.clusters[j] = other.clusters[j], other.clusters[i]
		})
		dice.Shuffle(len(other.bindings), func(i, j int) {
			other.bindings[i], other.bindings[j] = other.bindings[j], other.bindings[i]
		})
		if got := other.decide(t, other.bindings); !reflect.DeepEqual(sorted(want), sorted(got)) {
			t.Errorf("%v, permuted %v", want, got)
		}
	})
}

// sorted has targets by name: Karmada lists them in the order of the clusters it saw.
func sorted(decisions map[string]Decision) map[string]Decision {
	out := map[string]Decision{}
	for name, decision := range decisions {
		decision.Targets = slices.Clone(decision.Targets)
		slices.SortFunc(decision.Targets, func(a, b Target) int { return strings.Compare(a.Cluster, b.Cluster) })
		out[name] = decision
	}
	return out
}

// A batch has the same answers as single calls.
func FuzzBatchEqualsSingles(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, seed int64) {
		d := draw(seed)
		want := d.decide(t, d.bindings)
		for _, binding := range d.bindings {
			got := d.decide(t, []ResourceBinding{binding})
			if name := binding.Metadata.Name; !reflect.DeepEqual(got[name], want[name]) {
				t.Errorf("alone %v, in a batch %v", got[name], want[name])
			}
		}
	})
}

// Saving and loading change nothing; a store returns what was put.
func FuzzRoundTrips(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, seed int64) {
		d := draw(seed)
		w := newWorld(t, []any{d.clusters}, []any{d.bindings})
		saved := must(w.fleet.Save(w.bindings, nil))
		fleet, bindings, ledger, err := Load(saved)
		check(t, err)
		defer fleet.Close()
		defer bindings.Close()
		if again := must(fleet.Save(bindings, ledger)); !slices.Equal(saved, again) || ledger != nil {
			t.Error("loaded otherwise than saved")
		}
		store := must(NewStore(d.clusters, d.bindings))
		defer store.Close()
		for _, binding := range d.bindings {
			var got ResourceBinding
			id := store.Find("ResourceBinding", "default", binding.Metadata.Name)
			check(t, json.Unmarshal(must(store.JSON(id)), &got))
			if !reflect.DeepEqual(plain(binding), plain(got)) {
				t.Errorf("%v read as %v", binding, got)
			}
		}
	})
}

// Any bytes are an error or a fleet.
func FuzzLoad(f *testing.F) {
	fleet := must(NewFleet(cluster("a", 3)))
	f.Add(must(fleet.Save(nil, nil)))
	f.Add([]byte{})
	check := func(err error) bool { return err == nil }
	_ = fleet.Close()
	f.Fuzz(func(t *testing.T, bytes []byte) {
		fleet, bindings, ledger, err := Load(bytes)
		if !check(err) {
			return
		}
		_, err = fleet.Save(bindings, ledger)
		if err != nil {
			t.Error(err)
		}
		_ = fleet.Close()
	})
}

// Any text is an error or objects.
func FuzzPut(f *testing.F) {
	f.Add("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
	f.Add(`{"apiVersion":"cluster.karmada.io/v1alpha1","kind":"Cluster","metadata":{"name":"x"},"spec":{"taints":[{}]}}`)
	f.Add("{")
	f.Fuzz(func(t *testing.T, text string) {
		store := must(NewStore())
		defer store.Close()
		if err := store.Put(text); err == nil {
			for id := range store.Objects("") {
				must(store.JSON(id))
			}
		}
	})
}
