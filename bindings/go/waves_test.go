// SPDX-License-Identifier: MIT

package librebalance

import (
	"fmt"
	"testing"
	"time"
)

// observed is the binding of the workload web with targets whose replicas are all ready.
func observed(targets ...TargetCluster) map[string]any {
	web := plain(divided("web", 6, targets...)).(map[string]any)
	items := []any{}
	for _, target := range targets {
		items = append(items, map[string]any{"clusterName": target.Name, "applied": true, "health": "Healthy",
			"status": map[string]any{"replicas": target.Replicas, "readyReplicas": target.Replicas,
				"availableReplicas": target.Replicas}})
	}
	web["apiVersion"], web["kind"] = "work.karmada.io/v1alpha2", "ResourceBinding"
	web["status"] = map[string]any{"aggregatedStatus": items, "lastScheduledTime": planNow.Add(-time.Hour)}
	return web
}

func TestPlanStep(t *testing.T) {
	w := planWorld(t)
	plan, _ := w.plan(t, nil)
	step := func(web map[string]any, options *PlanStepOptions) *Wave {
		bindings := must(w.fleet.Bindings(web))
		defer bindings.Close()
		return must(w.session.PlanStep(w.snapshot, bindings, plan, planNow, options))
	}
	all := TargetCluster{Name: "member1", Replicas: 6}
	wave := step(observed(all), nil)
	web, db := wave.Bindings[0], wave.Bindings[1]
	if web.State != WaveStateMoving || web.Present != 6 || web.Ready != 6 || web.Floor != 5 || web.Added != 2 ||
		web.Binding != 0 || web.Cycle != -1 || web.Foreign || !wave.Next.IsZero() {
		t.Errorf("%+v", wave)
	}
	if db.State != WaveStateGone || db.Binding != -1 || db.HasTimer {
		t.Errorf("%+v", db)
	}
	if len(wave.Actions) != 1 || wave.Actions[0].Kind != ActionKindPatchSpec || wave.Actions[0].Ordinal != 0 {
		t.Errorf("%+v", wave.Actions)
	}
	done := observed(TargetCluster{Name: "member1", Replicas: 2}, TargetCluster{Name: "member2", Replicas: 2},
		TargetCluster{Name: "member3", Replicas: 2})
	if wave = step(done, nil); wave.Bindings[0].State != WaveStateDone || len(wave.Actions) != 0 {
		t.Errorf("%+v", wave)
	}
	if wave = step(done, &PlanStepOptions{Flags: PlanStepFlagBack}); wave.Bindings[0].State != WaveStateMoving {
		t.Errorf("%+v", wave)
	}
	paced := &PlanStepOptions{Interval: time.Minute}
	paced.NextWave = step(observed(all), paced).Next
	if wave = step(observed(all), paced); paced.NextWave.IsZero() || wave.Bindings[0].Reason != WaveReasonPaced {
		t.Errorf("%+v", wave)
	}
	ledger := must(w.fleet.NewLedger())
	defer ledger.Close()
	for _, name := range []string{"member2", "member3"} {
		full := []Component{{Requirements: None, Replicas: 20}}
		check(t, ledger.Charge("x/y", must(w.fleet.ClusterID(name)), full, time.Time{}))
	}
	if wave = step(observed(all), &PlanStepOptions{Ledger: ledger}); wave.Bindings[0].Added != 0 {
		t.Errorf("%+v", wave.Bindings)
	}
	_, err := w.session.PlanStep(w.snapshot, w.bindings, plan, planNow, &PlanStepOptions{Budgets: []any{nil}})
	wantCode(t, err, EINVAL)
	_, err = w.session.PlanStep(w.snapshot, w.bindings, plan, planNow, &PlanStepOptions{Interval: -1})
	wantCode(t, err, ERANGE)
	_, err = w.session.PlanStep(w.snapshot, w.bindings, nil, planNow, nil)
	wantCode(t, err, EINVAL)
}

func TestBudgetsHoldWaves(t *testing.T) {
	w := planWorld(t)
	plan, _ := w.plan(t, &PlanOptions{Flags: PlanFlagSurgeGiven | PlanFlagUnavailableGiven, MaxUnavailable: 2})
	labelled := object{"metadata": object{"labels": object{"app": "web"}}}
	deployment := object{"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": object{"name": "web", "namespace": "default"}, "spec": object{"template": labelled}}
	for allowed, state := range map[int]WaveState{0: WaveStateBlocked, 2: WaveStateMoving} {
		budget := object{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
			"metadata": object{"name": "web", "namespace": "default"},
			"spec":     object{"maxUnavailable": allowed, "selector": object{"matchLabels": object{"app": "web"}}}}
		web := must(w.fleet.Bindings(observed(TargetCluster{Name: "member1", Replicas: 6}), deployment, budget))
		defer web.Close()
		wave := must(w.session.PlanStep(w.snapshot, web, plan, planNow, &PlanStepOptions{Budgets: []any{budget}}))
		if wave.Bindings[0].State != state || (wave.Bindings[0].Reason == WaveReasonBudget) != (allowed == 0) {
			t.Errorf("%d allowed: %+v", allowed, wave.Bindings[0])
		}
	}
}

func TestReconsider(t *testing.T) {
	w := planWorld(t)
	all := TargetCluster{Name: "member1", Replicas: 6}
	bindings := must(w.fleet.Bindings(observed(all)))
	defer bindings.Close()
	plan := must(w.session.Plan(w.snapshot, bindings, planNow, nil))
	defer plan.Close()
	first := must(w.session.Reconsider(plan, bindings, planNow, &ReconsiderOptions{Flags: ReconsiderFlagApplied,
		CoolDown: time.Hour}))
	if got := fmt.Sprint(first); got != fmt.Sprint([]Reconsidered{{"default/web-deployment", ReconsiderDue, 4, 666,
		planNow, 4, false}}) {
		t.Error(got)
	}
	options := &ReconsiderOptions{CoolDown: time.Hour, History: first}
	if again := must(w.session.Reconsider(plan, bindings, planNow, options)); again[0].Verdict != ReconsiderCooling {
		t.Error(again)
	}
	if none := must(w.session.Reconsider(plan, bindings, planNow, nil)); !none[0].Time.IsZero() || !none[0].Due {
		t.Error(none)
	}
	_, err := w.session.Reconsider(plan, w.bindings, planNow, nil)
	wantCode(t, err, EMISMATCH)
	_, err = w.session.Reconsider(plan, bindings, planNow, &ReconsiderOptions{Low: 900, High: 1})
	wantCode(t, err, ERANGE)
	_, err = w.session.Reconsider(nil, bindings, planNow, nil)
	wantCode(t, err, EINVAL)
}
