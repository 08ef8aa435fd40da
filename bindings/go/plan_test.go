// SPDX-License-Identifier: MIT

package librebalance

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"reflect"
	"sync"
	"testing"
	"time"
)

var planNow = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)

// planWorld has all replicas of two workloads in the first of three equal clusters.
func planWorld(t testing.TB) *world {
	web := divided("web", 6, TargetCluster{Name: "member1", Replicas: 6})
	db := divided("db", 3, TargetCluster{Name: "member1", Replicas: 3})
	before := planNow.Add(-time.Hour)
	web.Status.LastScheduledTime, db.Status.LastScheduledTime = &before, &before
	return newWorld(t, []any{cluster("member1", 20), cluster("member2", 20), cluster("member3", 20)}, []any{web, db})
}

func (w *world) plan(t testing.TB, options *PlanOptions) (*Plan, *PlanTables) {
	t.Helper()
	plan := must(w.session.Plan(w.snapshot, w.bindings, planNow, options))
	t.Cleanup(func() {
		if err := plan.Close(); err != nil {
			t.Error(err)
		}
	})
	return plan, must(plan.Read())
}

func moved(tables *PlanTables) (sum int64) {
	for _, move := range tables.Moves {
		sum += move.Replicas
	}
	return sum
}

func TestPlan(t *testing.T) {
	w := planWorld(t)
	plan, tables := w.plan(t, nil)
	web := tables.Bindings[0]
	if web.Key != "default/web-deployment" || web.Outcome != OutcomeScheduled || web.Drift != 4 || web.Granted != 4 ||
		web.LimitedBy != Absent || web.MaxSurge != 2 || web.MaxUnavailable != 1 {
		t.Errorf("%+v", web)
	}
	if got := fmt.Sprint(web.Clusters); got != fmt.Sprintf("[{member1 6 2 2 0} {member2 %d 2 2 0} {member3 %d 2 2 0}]",
		Absent, Absent) {
		t.Error(got)
	}
	if got := fmt.Sprint(tables.Moves); got !=
		"[{0 member1 member2 2} {0 member1 member3 2} {1 member1 member2 1} {1 member1 member3 1}]" {
		t.Error(got)
	}
	if got := fmt.Sprint(tables.Clusters); got != "[{member1 9 3 6 0} {member2 0 3 0 3} {member3 0 3 0 3}]" {
		t.Error(got)
	}
	if len(tables.Limits) != 0 || len(tables.Uses) != 0 || tables.Proof != nil {
		t.Errorf("%+v", tables)
	}
	_, err := w.session.Verify(plan)
	wantCode(t, err, ENOTFOUND)
}

func TestPlanCausesAndModes(t *testing.T) {
	w := planWorld(t)
	if _, steady := w.plan(t, &PlanOptions{Mode: PlanModeSteady}); moved(steady) != 0 {
		t.Error(steady.Moves)
	}
	_, drained := w.plan(t, &PlanOptions{Mode: PlanModeSteady, Drained: []string{"member1"}})
	_, lost := w.plan(t, &PlanOptions{Mode: PlanModeSteady, Lost: []string{"member1"}})
	if moved(drained) != 9 || len(lost.Bindings[0].Clusters) != len(drained.Bindings[0].Clusters) {
		t.Error(drained.Moves, lost.Bindings)
	}
	plan, least := w.plan(t, &PlanOptions{Mode: PlanModeLeast, Tolerance: 1000, Weights: []int64{7, 1},
		Minimums: []int64{-1, -1, 4, -1, -1, -1}, BoundClusters: 3, BoundStride: 3})
	if gap := must(w.session.Verify(plan)); gap != 0 || !least.Proof.Exact || least.Proof.Placed != 9 {
		t.Errorf("%d %+v", gap, least.Proof)
	}
	if last := least.Bindings[0].Clusters[2]; last.Cluster != "member3" || last.Planned != 4 {
		t.Error(least.Bindings[0])
	}
	ledger := must(w.fleet.NewLedger())
	defer ledger.Close()
	full := []Component{{Requirements: None, Replicas: 20}}
	check(t, ledger.Charge("x/y", must(w.fleet.ClusterID("member2")), full, time.Time{}))
	_, spent := w.plan(t, &PlanOptions{Schedule: &ScheduleOptions{Ledger: ledger}})
	for _, move := range spent.Moves {
		if move.Target == "member2" {
			t.Error(spent.Moves)
		}
	}
	if _, rid := w.plan(t, &PlanOptions{Mode: PlanModeSteady, Deschedule: &DescheduleOptions{
		Flags: DescheduleFlagGivenBindings, Estimators: []Estimator{{Fits: []int32{2, 0, 0}, Clusters: 3}}}}); rid == nil {
		t.Error("no plan")
	}
}

func TestPlanLimits(t *testing.T) {
	w := planWorld(t)
	pace := Limit{Scope: LimitScopeTotal, Replicas: 3, Interval: time.Minute}
	_, tables := w.plan(t, &PlanOptions{Limits: []Limit{{Scope: LimitScopeTarget, Replicas: 9}, pace,
		{Scope: LimitScopeSource, Subject: "member1", Replicas: 8}}})
	total := tables.Limits[1]
	if moved(tables) != 3 || total.Used != 3 || total.Withheld != 3 || total.Shadow != 3 || total.Tokens != 0 ||
		total.TokensAt.IsZero() || tables.Limits[0].Tokens != Absent || tables.Limits[2].Subject != "member1" {
		t.Errorf("%+v", tables.Limits)
	}
	if tables.Bindings[1].LimitedBy != 1 || tables.Bindings[1].Withheld != 2 || tables.Bindings[1].Left != 2 {
		t.Errorf("%+v", tables.Bindings[1])
	}
	found := false
	for _, use := range tables.Uses {
		found = found || use == LimitUse{2, "member1", 3, 5}
	}
	if !found {
		t.Error(tables.Uses)
	}
	pace.Tokens, pace.TokensAt = total.Tokens, total.TokensAt
	if _, again := w.plan(t, &PlanOptions{Limits: []Limit{pace}}); moved(again) != 0 {
		t.Error(again.Moves)
	}
	budget := func(name string) string {
		return "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: " + name +
			", namespace: default}\nspec: {maxUnavailable: 2, selector: {}}\n"
	}
	_, guarded := w.plan(t, &PlanOptions{Budgets: []any{budget("a"), budget("b")}})
	if len(guarded.Limits) != 2 || guarded.Limits[1].Scope != LimitScopeBudget ||
		guarded.Limits[1].Subject != "default/b" || guarded.Limits[0].Withheld != 6 ||
		moved(guarded) != 0 { // no replica is ready
		t.Errorf("%+v %v", guarded.Limits, guarded.Moves)
	}
}

func TestPlanErrors(t *testing.T) {
	w := planWorld(t)
	surge := PlanFlagSurgeGiven | PlanFlagUnavailableGiven
	for _, one := range []struct {
		code    Code
		options PlanOptions
	}{
		{EINVAL, PlanOptions{Mode: 77}}, {ERANGE, PlanOptions{Tolerance: 1001}},
		{EINVAL, PlanOptions{Flags: surge}}, {ERANGE, PlanOptions{MaxSurge: -1}},
		{ERANGE, PlanOptions{Flags: PlanFlagUnavailablePercent | PlanFlagUnavailableGiven, MaxUnavailable: 101}},
		{EINVAL, PlanOptions{Limits: []Limit{{Scope: LimitScopeBudget, Replicas: 1}}}},
		{ERANGE, PlanOptions{Limits: []Limit{{Scope: LimitScopeTotal, Replicas: math.MinInt64}}}},
		{ERANGE, PlanOptions{Weights: []int64{1}}}, {ERANGE, PlanOptions{Minimums: []int64{1}, BoundClusters: 3}},
		{EINVAL, PlanOptions{Budgets: []any{nil}}},
		{EINVAL, PlanOptions{Schedule: &ScheduleOptions{MaxWork: 3}}},
	} {
		_, err := w.session.Plan(w.snapshot, w.bindings, planNow, &one.options)
		wantCode(t, err, one.code)
	}
	_, err := w.session.Plan(nil, w.bindings, planNow, nil)
	wantCode(t, err, EINVAL)
	_, err = w.session.Verify(nil)
	wantCode(t, err, EINVAL)
	_, err = (*Plan)(nil).Save()
	wantCode(t, err, EINVAL)
	_, err = (*Plan)(nil).Read()
	wantCode(t, err, EINVAL)
	plan := must(w.session.Plan(w.snapshot, w.bindings, planNow, nil))
	check(t, plan.Close())
	for _, call := range []func() error{
		func() error { _, err := plan.Save(); return err }, func() error { _, err := plan.Fingerprint(); return err },
		func() error { _, err := plan.Read(); return err }, func() error { _, err := w.session.Verify(plan); return err },
	} {
		wantCode(t, call(), ESTATE)
	}
}

func TestPlanAsBytes(t *testing.T) {
	w := planWorld(t)
	plan, tables := w.plan(t, &PlanOptions{Mode: PlanModeLeast, Limits: []Limit{{Scope: LimitScopeTotal, Replicas: 3}}})
	saved := must(plan.Save())
	other := must(NewFleet(cluster("member9", 1), cluster("member3", 20))) // other ids
	defer other.Close()
	loaded := must(other.LoadPlan(saved))
	defer loaded.Close()
	if again := must(loaded.Read()); !reflect.DeepEqual(again, tables) {
		t.Errorf("%+v is not %+v", again, tables)
	}
	if !bytes.Equal(must(loaded.Save()), saved) || must(loaded.Fingerprint()) != must(plan.Fingerprint()) ||
		must(w.session.Verify(loaded)) != 0 {
		t.Error("the plan is another one")
	}
	if fresh, _ := w.plan(t, nil); must(fresh.Fingerprint()) == must(plan.Fingerprint()) {
		t.Error("plans of other options have the same fingerprint")
	}
	for _, wrong := range [][]byte{nil, []byte("plan"), saved[:len(saved)-1], append(bytes.Clone(saved), 0)} {
		_, err := other.LoadPlan(wrong)
		wantCode(t, err, EPARSE)
	}
}

func TestSweep(t *testing.T) {
	w := planWorld(t)
	ctx := context.Background()
	losses := must(w.session.Sweep(ctx, w.snapshot, w.bindings, nil))
	if len(losses) != 3 || losses[0].Name != "member1" || losses[0].Kind != LossCluster || losses[0].Moved != 9 ||
		losses[0].Missing != 0 || losses[0].Set != -1 || losses[1].Moved != 0 || losses[0].Affected == nil {
		t.Errorf("%+v", losses)
	}
	options := &SweepOptions{Flags: SweepFlagBindings, Kinds: []Loss{LossNothing, LossSet, LossRegion},
		Sets: [][]string{{"member1", "member2"}, {}, {"member1", "member2", "member3"}}}
	losses = must(w.session.Sweep(ctx, w.snapshot, w.bindings, options))
	if n := must(w.session.CountLosses(w.snapshot, options)); n != 4 || len(losses) != 4 {
		t.Fatal(n, losses)
	}
	if all := losses[3]; all.Set != 2 || all.Clusters != 3 || all.Unplaced != 2 || all.Missing != 9 ||
		len(all.Affected) != 2 || all.Affected[0].Outcome == OutcomeScheduled || all.Fullest != "" {
		t.Errorf("%+v", all)
	}
	if one := losses[1]; one.Moved != 9 || one.Fullest != "member3" || one.Affected[1].Moved != 3 {
		t.Errorf("%+v", one)
	}
	parts := []Swept{}
	for first := range losses {
		part := *options
		part.FirstLoss, part.MaxWork = first, 1
		parts = append(parts, must(w.session.Sweep(ctx, w.snapshot, w.bindings, &part))...)
	}
	if !reflect.DeepEqual(parts, losses) {
		t.Errorf("%+v is not %+v", parts, losses)
	}
	for _, wrong := range []SweepOptions{{FirstLoss: -1}, {MaxWork: -1}} {
		_, err := w.session.Sweep(ctx, w.snapshot, w.bindings, &wrong)
		wantCode(t, err, ERANGE)
	}
	_, err := w.session.Sweep(ctx, w.snapshot, w.bindings, &SweepOptions{Kinds: []Loss{40}})
	wantCode(t, err, EUNSUPPORTED)
	_, err = w.session.Sweep(ctx, nil, w.bindings, nil)
	wantCode(t, err, EINVAL)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if none, err := w.session.Sweep(ended, w.snapshot, w.bindings, nil); err != context.Canceled || len(none) != 0 {
		t.Error(none, err)
	}
}

func TestSweepsSideBySide(t *testing.T) {
	clusters := []any{}
	for i := range 3 * SweepSize / 2 {
		clusters = append(clusters, cluster(fmt.Sprintf("member%03d", i), 3))
	}
	w := newWorld(t, clusters, []any{divided("web", 6, TargetCluster{Name: "member007", Replicas: 6})})
	whole := must(w.session.Sweep(context.Background(), w.snapshot, w.bindings, nil))
	parts := make([][]Swept, 4)
	var group sync.WaitGroup
	for i := range parts {
		group.Add(1)
		go func() {
			defer group.Done()
			session := must(NewSession(nil))
			defer session.Close()
			size := len(clusters) / len(parts)
			parts[i] = must(session.Sweep(context.Background(), w.snapshot, w.bindings,
				&SweepOptions{FirstLoss: i * size, MaxWork: size}))
		}()
	}
	group.Wait()
	merged := []Swept{}
	for _, part := range parts {
		merged = append(merged, part...)
	}
	if len(whole) != len(clusters) || !reflect.DeepEqual(merged, whole) {
		t.Error("parts are not the whole", len(merged), len(whole))
	}
}
