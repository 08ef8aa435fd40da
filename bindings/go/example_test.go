// SPDX-License-Identifier: MIT

package librebalance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Place a workload: six replicas by what is available.
func Example_place() {
	fleet := must(NewFleet(cluster("member1", 10), cluster("member2", 20)))
	defer fleet.Close()
	bindings := must(fleet.Bindings(divided("web", 6)))
	defer bindings.Close()
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	session := must(NewSession(nil))
	defer session.Close()

	decisions := must(session.Schedule(context.Background(), snapshot, bindings, nil))
	fmt.Println(decisions[0])
	// Output: Scheduled member1:2, member2:4
}

// Explain it: why do forty replicas fit nowhere?
func Example_explain() {
	fleet := must(NewFleet(cluster("member1", 10), cluster("member2", 20)))
	defer fleet.Close()
	bindings := must(fleet.Bindings(divided("web", 40)))
	defer bindings.Close()
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	session := must(NewSession(nil))
	defer session.Close()

	explanations := must(session.Explain(context.Background(), snapshot, bindings, nil))
	fmt.Println(explanations[0].Outcome)
	for _, row := range explanations[0].Rows {
		if row.Stage == StageScore {
			fmt.Println(row.Text)
		}
	}
	// Output:
	// Unschedulable
	// member2 scores 0 (0 for locality, 0 by the caller) and has capacity for 20 replicas, 20 of them new: pods limits it.
	// member1 scores 0 (0 for locality, 0 by the caller) and has capacity for 10 replicas, 10 of them new: pods limits it.
}

// What would move if I rebalanced: all six replicas are in member1, which took them while member2 was away.
func Example_wouldMove() {
	fleet := must(NewFleet(cluster("member1", 10), cluster("member2", 20)))
	defer fleet.Close()
	session := must(NewSession(nil))
	defer session.Close()
	web := divided("web", 6, TargetCluster{Name: "member1", Replicas: 6})
	yesterday := time.Now().Add(-24 * time.Hour)
	web.Status.LastScheduledTime = &yesterday

	moves := must(session.WouldMove(context.Background(), fleet, time.Now(), web))
	fmt.Println(moves[0].Key, moves[0].Changes, moves[0].Moved())
	// Output: default/web-deployment [{member1 6 3} {member2 0 3}] 3
}

// Lose each cluster: what becomes of the workloads that run there?
func Example_sweep() {
	fleet := must(NewFleet(cluster("member1", 10), cluster("member2", 20)))
	defer fleet.Close()
	bindings := must(fleet.Bindings(
		divided("web", 6, TargetCluster{Name: "member1", Replicas: 2},
			TargetCluster{Name: "member2", Replicas: 4}),
		divided("big", 25, TargetCluster{Name: "member1", Replicas: 9},
			TargetCluster{Name: "member2", Replicas: 16})))
	defer bindings.Close()
	session := must(NewSession(nil))
	defer session.Close()

	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	options := &SweepOptions{Flags: SweepFlagBindings}
	for _, loss := range must(session.Sweep(context.Background(), snapshot, bindings, options)) {
		fmt.Println(loss.Name, "lost:", loss.Moved, "move,", loss.Missing, "are missing")
		for _, one := range loss.Affected {
			fmt.Println(must(bindings.Keys())[one.Binding], one.Outcome)
		}
	}
	// Output:
	// member1 lost: 11 move, 0 are missing
	// default/web-deployment Scheduled
	// default/big-deployment Scheduled
	// member2 lost: 4 move, 16 are missing
	// default/web-deployment Scheduled
	// default/big-deployment Unschedulable
}

// Plan a drain: at most three replicas leave member2 now.
func Example_plan() {
	fleet := must(NewFleet(cluster("member1", 10), cluster("member2", 20)))
	defer fleet.Close()
	bindings := must(fleet.Bindings(divided("web", 6, TargetCluster{Name: "member1", Replicas: 2},
		TargetCluster{Name: "member2", Replicas: 4})))
	defer bindings.Close()
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()
	session := must(NewSession(nil))
	defer session.Close()

	plan := must(session.Plan(snapshot, bindings, time.Unix(1, 0), &PlanOptions{Mode: PlanModeLeast,
		Drained: []string{"member2"}, Limits: []Limit{{Scope: LimitScopeSource, Replicas: 3}}}))
	defer plan.Close()
	tables := must(plan.Read())
	fmt.Println(tables.Moves, tables.Limits[0].Withheld, "withheld, gap", must(session.Verify(plan)))
	// Output: [{0 member2 member1 3}] 1 withheld, gap 0
}

// Play a scenario and print its last lines.
func Example_simulate() {
	scenario := must(os.ReadFile(filepath.Join("..", "..", "examples", "scenarios", "failover-and-recovery.yaml")))
	simulation := must(NewSimulation(nil))
	defer simulation.Close()

	summary := must(simulation.Run(context.Background(), scenario))
	fmt.Println(summary.Held, "expectations held,", summary.Failed, "failed")
	for _, entry := range must(simulation.Log(0)) {
		if entry.Kind == LogKindChange && entry.Controller == "taint-manager" {
			fmt.Println(entry.Change)
		}
	}
	// Output:
	// 18 expectations held, 0 failed
	// spec.clusters: {member1:2, member2:2} -> {member2:2}
	// spec.gracefulEvictionTasks: {member1 Gracefully TaintUntolerated}
}
