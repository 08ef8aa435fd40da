// SPDX-License-Identifier: MIT

package librebalance

import (
	"errors"
	"testing"
)

func TestHeadroom(t *testing.T) {
	w := planWorld(t)
	now := must(w.session.Headroom(w.snapshot, w.bindings, 0, 5, nil))
	if len(now) != 1 || now[0].Kind != LossNothing || now[0].Set != -1 || now[0].Replicas != 5 ||
		now[0].Outcome != OutcomeScheduled {
		t.Errorf("%+v", now)
	}
	each := must(w.session.Headroom(w.snapshot, w.bindings, 0, 0, &SweepOptions{Kinds: []Loss{LossCluster}}))
	pair := must(w.session.Headroom(w.snapshot, w.bindings, 0, 0,
		&SweepOptions{Sets: [][]string{{"member1", "member2"}}}))
	if len(each) != 3 || each[2].Name != "member3" || each[2].Clusters != 1 || each[0].Message == "" ||
		each[0].Outcome == OutcomeScheduled || len(pair) != 1 || pair[0].Set != 0 || pair[0].Clusters != 2 ||
		pair[0].Replicas >= each[0].Replicas {
		t.Errorf("%+v, %+v", each, pair)
	}
	if _, err := w.session.Headroom(w.snapshot, w.bindings, 77, 0, nil); !errors.Is(err, EINVAL) {
		t.Error(err)
	}
	_, err := w.session.Headroom(w.snapshot, w.bindings, 0, 0, &SweepOptions{Sets: [][]string{{"none"}}})
	if !errors.Is(err, ENOTFOUND) {
		t.Error(err)
	}
}

func TestTry(t *testing.T) {
	w := planWorld(t)
	move := HandMove{Source: "member1", Target: "member2", Replicas: 2}
	tried := must(w.session.Try(w.snapshot, w.bindings, &move))
	if len(tried.Broken) != 0 || len(tried.RejectedBy) != 0 || tried.Drift != tried.DriftBefore-2 ||
		tried.Granted != 2 || tried.LimitedBy != -1 || len(tried.Uses) != 0 {
		t.Errorf("%+v", tried)
	}
	move.Limits, move.Now = []Limit{{Scope: LimitScopeTotal, Replicas: 1}}, planNow
	tried = must(w.session.Try(w.snapshot, w.bindings, &move))
	if len(tried.Broken) != 1 || tried.Broken[0] != BreachLimit || tried.Granted != 1 || tried.LimitedBy != 0 ||
		tried.Uses[0].Used != 2 || tried.Uses[0].Left != -1 {
		t.Errorf("%+v", tried)
	}
	for _, wrong := range []struct {
		move HandMove
		code Code
	}{
		{HandMove{Source: "member1", Target: "none", Replicas: 1}, ENOTFOUND},
		{HandMove{Source: "member1", Target: "member1", Replicas: 1}, EINVAL},
		{HandMove{Source: "member1", Target: "member2", Replicas: 7}, ERANGE},
	} {
		if _, err := w.session.Try(w.snapshot, w.bindings, &wrong.move); !errors.Is(err, wrong.code) {
			t.Error(wrong, err)
		}
	}
}

func TestCounterfactual(t *testing.T) {
	w := planWorld(t)
	fits := must(w.session.Counterfactual(w.fleet, w.snapshot, w.bindings, 0, "", nil))
	if len(fits) != 1 || fits[0].Kind != SingleChangeNothing || fits[0].After != Absent {
		t.Errorf("%+v", fits)
	}
	wanted := divided("big", 61) // of 60 pods, whatever they need beside
	wanted.Spec.ReplicaRequirements = nil
	big := must(w.fleet.Bindings(wanted))
	defer big.Close()
	all := must(w.session.Counterfactual(w.fleet, w.snapshot, big, 0, "", nil))
	one := must(w.session.Counterfactual(w.fleet, w.snapshot, big, 0, "", &CounterfactualOptions{MaxAnswers: 1,
		Kinds: []SingleChange{SingleChangeCapacity}}))
	if len(all) < 3 || all[0].Kind != SingleChangeCapacity || all[0].Cluster != "member1" || all[0].Name == "" ||
		all[0].After <= all[0].Before || len(one) != 1 || one[0] != all[0] {
		t.Errorf("%+v, %+v", all, one)
	}
	few := &ScheduleOptions{Estimators: []Estimator{{Fits: []int32{1, 1, 1}, Clusters: 3}}}
	none := must(w.session.Counterfactual(w.fleet, w.snapshot, big, 0, "", &CounterfactualOptions{Schedule: few}))
	if len(none) != 0 { // whatever changes
		t.Errorf("%+v", none)
	}
	grouped := func(binding ResourceBinding) *Bindings {
		made := plain(binding).(object)
		made["apiVersion"], made["kind"] = "work.karmada.io/v1alpha2", "ResourceBinding"
		made["spec"].(object)["workloadAffinityGroups"] = object{"antiAffinityGroup": "g"}
		return must(w.fleet.Bindings(made))
	}
	alone := grouped(divided("web", 6))
	known := grouped(divided("db", 3, TargetCluster{Name: "member1", Replicas: 3}))
	defer alone.Close()
	defer known.Close()
	apart := &ScheduleOptions{Compat: compatOf(object{"WorkloadAffinity": true}), Known: known}
	none = must(w.session.Counterfactual(w.fleet, w.snapshot, alone, 0, "member1",
		&CounterfactualOptions{Schedule: apart}))
	fits = must(w.session.Counterfactual(w.fleet, w.snapshot, alone, 0, "member2",
		&CounterfactualOptions{Schedule: apart}))
	if len(none) != 0 || len(fits) != 1 || fits[0].Kind != SingleChangeNothing {
		t.Errorf("%+v, %+v", none, fits)
	}
	if _, err := w.session.Counterfactual(w.fleet, w.snapshot, big, 0, "none", nil); !errors.Is(err, ENOTFOUND) {
		t.Error(err)
	}
	_, err := w.session.Counterfactual(w.fleet, w.snapshot, big, 0, "", &CounterfactualOptions{Kinds: []SingleChange{99}})
	if !errors.Is(err, EUNSUPPORTED) {
		t.Error(err)
	}
}
