// SPDX-License-Identifier: MIT

package librebalance

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// residentPages returns how many pages of the process are resident.
func residentPages(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("the system has no /proc/self/statm")
	}
	return must(strconv.Atoi(strings.Fields(string(text))[1]))
}

func useEverything(closes bool) {
	fleet := must(NewFleet(cluster("a", 10), cluster("b", 10)))
	session := must(NewSession(nil))
	bindings := must(fleet.Bindings(divided("web", 6)))
	snapshot := must(fleet.Snapshot())
	store := must(NewStore(cluster("a", 10)))
	watch := must(store.Watch("apps/v1", "Deployment", nil))
	spreads := must(NewSpreads(store))
	detector := must(NewDetector(store, nil))
	ledger := must(fleet.NewLedger())
	simulation := must(NewSimulation(nil))
	must(session.Explain(context.Background(), snapshot, bindings, nil))
	must(session.Sweep(context.Background(), snapshot, bindings, nil))
	plan := must(session.Plan(snapshot, bindings, time.Unix(1, 0), &PlanOptions{Mode: PlanModeLeast}))
	loaded := must(fleet.LoadPlan(must(plan.Save())))
	must(plan.Read())
	must(session.WouldMove(context.Background(), fleet, time.Unix(1, 0), divided("web", 6)))
	must(watch.Request())
	if _, err := NewFleet("{"); err == nil {
		panic("no error")
	}
	if closes {
		for _, closer := range []interface{ Close() error }{fleet, session, bindings, snapshot, store, watch, spreads,
			detector, ledger, simulation, plan, loaded} {
			ensure(closer.Close())
		}
	}
}

// How much the process may grow in 900 rounds: with a leak of one of ten objects it grew by 3,400 pages.
const pagesAllowed = 2500

func TestCloseFreesMemory(t *testing.T) {
	atFirst, before := live.Load(), 0
	for round := range 1200 {
		useEverything(true)
		if round == 300 {
			runtime.GC()
			before = residentPages(t)
		}
	}
	runtime.GC()
	if grown := residentPages(t) - before; grown > pagesAllowed {
		t.Errorf("%d pages more after 900 rounds", grown)
	}
	if left := live.Load(); left > atFirst {
		t.Errorf("%d objects at first, %d at the end", atFirst, left)
	}
}

// Objects that are not closed are freed after the garbage collector found them.
func TestGarbageCollectorFreesUnclosedObjects(t *testing.T) {
	atFirst := live.Load()
	for range 50 {
		useEverything(false)
	}
	for end := time.Now().Add(30 * time.Second); live.Load() > atFirst && time.Now().Before(end); {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if left := live.Load(); left > atFirst {
		t.Errorf("%d objects at first, %d at the end", atFirst, left)
	}
}
