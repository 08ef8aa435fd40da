// SPDX-License-Identifier: MIT

package librebalance_test

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	librebalance "example.org/librebalance"
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
	fleet := must(librebalance.NewFleet(cluster("a", 10), cluster("b", 10)))
	session := must(librebalance.NewSession(nil))
	bindings := must(fleet.Bindings(divided("web", 6)))
	snapshot := must(fleet.Snapshot())
	store := must(librebalance.NewStore(cluster("a", 10)))
	watch := must(store.Watch("apps/v1", "Deployment", nil))
	spreads := must(librebalance.NewSpreads(store))
	detector := must(librebalance.NewDetector(store, nil))
	ledger := must(fleet.NewLedger())
	simulation := must(librebalance.NewSimulation(nil))
	must(session.Explain(context.Background(), snapshot, bindings, nil))
	must(session.Lose(context.Background(), fleet, bindings, nil, "a"))
	must(session.WouldMove(context.Background(), fleet, time.Unix(1, 0), divided("web", 6)))
	must(watch.Request())
	if _, err := librebalance.NewFleet("{"); err == nil {
		panic("no error")
	}
	if closes {
		for _, closer := range []interface{ Close() error }{fleet, session, bindings, snapshot, store, watch, spreads,
			detector, ledger, simulation} {
			ensure(closer.Close())
		}
	}
}

// grows runs something often and tells by how many pages the process grew after its first rounds.
func grows(t *testing.T, rounds int, run func()) int {
	for range rounds {
		run()
	}
	runtime.GC()
	before := residentPages(t)
	for range 3 * rounds {
		run()
	}
	runtime.GC()
	return residentPages(t) - before
}

// A round takes some 60 KiB of C; what leaks of it in 900 rounds is more than this.
const pagesAllowed = 1500

func TestCloseGivesMemoryBack(t *testing.T) {
	grown := grows(t, 300, func() { useEverything(true) })
	t.Logf("%d pages", grown)
	if grown > pagesAllowed {
		t.Errorf("%d pages more after 900 rounds", grown)
	}
}

func TestGarbageCollectorGivesMemoryBack(t *testing.T) {
	round := 0
	grown := grows(t, 300, func() {
		useEverything(false)
		if round++; round%10 == 0 {
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
	})
	t.Logf("%d pages", grown)
	if grown > pagesAllowed {
		t.Errorf("%d pages more after 900 rounds", grown)
	}
}
