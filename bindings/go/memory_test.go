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

// residentPages is the memory of the process that is there, by the system.
func residentPages(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("the system does not tell the memory of the process")
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

// What 900 rounds may make the process grow by: what they leaked when one of ten objects stayed was 3,400 pages.
const pagesAllowed = 2500

func TestCloseGivesMemoryBack(t *testing.T) {
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
		t.Errorf("%d objects were there, then %d", atFirst, left)
	}
}

// What nobody closes is freed after the garbage collector found it.
func TestGarbageCollectorIsTheNet(t *testing.T) {
	atFirst := live.Load()
	for range 50 {
		useEverything(false)
	}
	for end := time.Now().Add(30 * time.Second); live.Load() > atFirst && time.Now().Before(end); {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if left := live.Load(); left > atFirst {
		t.Errorf("%d objects were there, then %d", atFirst, left)
	}
}
