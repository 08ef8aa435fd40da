// SPDX-License-Identifier: MIT

// Five tasks in Go, as five-tasks.c in C and five-tasks.py in Python. Arguments: clusters, binding, story.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"example.org/librebalance"
)

// check ends the program when a call failed.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func show(label string, targets []librebalance.Target) {
	fmt.Print(label)
	for _, target := range targets {
		fmt.Printf(" %s=%d", target.Cluster, target.Replicas)
	}
	fmt.Println()
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: five-tasks CLUSTERS BINDING STORY")
		os.Exit(2)
	}
	ctx := context.Background()
	clusters, binding, story := must(os.ReadFile(os.Args[1])), must(os.ReadFile(os.Args[2])), must(os.ReadFile(os.Args[3]))
	session := must(librebalance.NewSession(nil))
	defer session.Close()
	fleet := must(librebalance.NewFleet(clusters))
	defer fleet.Close()
	bindings := must(fleet.Bindings(binding))
	defer bindings.Close()
	snapshot := must(fleet.Snapshot())
	defer snapshot.Close()

	// Task 1: where do the replicas go?
	show("placed:", must(session.Schedule(ctx, snapshot, bindings, nil))[0].Targets)

	// Task 2: why there?
	for _, row := range must(session.Explain(ctx, snapshot, bindings, nil))[0].Rows {
		fmt.Println("why:", row.Text)
	}

	// Task 3: what would move if this workload was rebalanced now?
	now := time.Date(2024, time.May, 25, 10, 0, 0, 0, time.UTC)
	show("rebalanced:", must(session.WouldMove(ctx, fleet, now, binding))[0].Targets)

	// Task 4: what if member2 is lost?
	check(fleet.Remove("member2"))
	smaller := must(fleet.Snapshot())
	defer smaller.Close()
	show("without member2:", must(session.Schedule(ctx, smaller, bindings, nil))[0].Targets)

	// Task 5: play a story.
	simulation := must(librebalance.NewSimulation(nil))
	defer simulation.Close()
	summary := must(simulation.Run(ctx, story))
	fmt.Printf("story: %d steps, %d expectations held, %d failed\n", summary.Steps, summary.Held, summary.Failed)
}
