// SPDX-License-Identifier: MIT

package librebalance

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// wantMessage fails the test unless err has the code, and a text with all of these words.
func wantMessage(t *testing.T, err error, code Code, words ...string) {
	t.Helper()
	wantCode(t, err, code)
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is not in: %v", word, err)
		}
	}
}

func TestErrorOfAWatch(t *testing.T) {
	store := must(NewStore(cluster("a", 1)))
	defer store.Close()
	status := struct {
		Message string `json:"message"`
		Code    int    `json:"code"`
	}{"too old resource version: 1 (7)", 410}
	wantMessage(t, store.Event("ERROR", &status), EAGAIN, status.Message)
	wantMessage(t, store.Event("ERROR", `{"kind": "Status", "code": 500, "message": "no 100% luck"}`), EAGAIN,
		"no 100% luck")
	wantMessage(t, store.Event("ERROR", map[string]any{"message": 7}), EAGAIN, "the watch failed")
	wantMessage(t, store.Event("ERROR", nil), EAGAIN, "the watch failed")
	wantMessage(t, store.Event("GONE", nil), EINVAL, `"GONE"`, "BOOKMARK or ERROR")
	if store.Len() != 1 {
		t.Error("an ERROR changed the store")
	}
}

func TestObjectsThatAreNoBindings(t *testing.T) {
	fleet := must(NewFleet(cluster("a", 1)))
	defer fleet.Close()
	deployment := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"
	_, err := fleet.Bindings(deployment)
	wantMessage(t, err, EINVAL, "Deployment shop/web", "ResourceBinding or ClusterResourceBinding")
	_, err = fleet.Bindings(cluster("a", 1))
	wantMessage(t, err, EINVAL, "Cluster a ")
	session := must(NewSession(nil))
	defer session.Close()
	_, err = session.WouldMove(context.Background(), fleet, time.Unix(1, 0), deployment)
	wantMessage(t, err, EINVAL, "shop/web")
	both := must(fleet.Bindings(deployment, divided("web", 1)))
	defer both.Close()
	none := must(fleet.Bindings())
	defer none.Close()
	if both.Len() != 1 || none.Len() != 0 {
		t.Error(both.Len(), none.Len())
	}
}

func TestMissingClusters(t *testing.T) {
	w := newWorld(t, []any{cluster("a", 1), cluster("b", 1)}, []any{divided("web", 1)})
	wantMessage(t, w.fleet.Remove("a", "fra9"), ENOTFOUND, `no cluster "fra9"`)
	if left := must(w.fleet.Cells().Count(TableCluster, None)); left != 2 {
		t.Error(left, "clusters after a Remove that failed")
	}
	sets := &SweepOptions{Sets: [][]string{{"a", "nosuch"}}}
	_, err := w.session.Sweep(context.Background(), w.snapshot, w.bindings, sets)
	wantMessage(t, err, ENOTFOUND, `no cluster "nosuch"`)
	_, err = w.session.Plan(w.snapshot, w.bindings, time.Unix(1, 0), &PlanOptions{Drained: []string{"nosuch"}})
	wantMessage(t, err, ENOTFOUND, `no cluster "nosuch"`)
	member := must(NewStore())
	defer member.Close()
	_, err = w.fleet.FollowMember("far", member)
	wantMessage(t, err, ENOTFOUND, `no cluster "far"`)
	check(t, w.fleet.Remove("a", "a"))
	less := must(w.fleet.Snapshot())
	defer less.Close()
	_, err = w.session.Plan(less, w.bindings, time.Unix(1, 0), &PlanOptions{Lost: []string{"a"}})
	wantMessage(t, err, ENOTFOUND, `no cluster "a"`)
	check(t, w.fleet.Put(cluster("c", 1)))
	if left := must(w.fleet.Cells().Count(TableCluster, None)); left != 2 {
		t.Error(left, "clusters after a and c went and came")
	}
}

func TestNamesOfFiles(t *testing.T) {
	for _, name := range []string{"clusters.yaml", "../tutorial/clusters", " a b.json\n", `C:\fleet\clusters.yml`} {
		_, err := NewFleet(name)
		wantMessage(t, err, EPARSE, "looks like the name of a file: give its contents")
		_, err = NewStore([]byte(name))
		wantMessage(t, err, EPARSE, "looks like the name of a file")
		_, _, err = Simulate(context.Background(), []byte(name), nil)
		wantMessage(t, err, EPARSE, "looks like the name of a file")
	}
	for _, text := range []string{"", "{}", "kind: a/b", "# a/b", "a/b:", "a/b\nc", `["a/b"]`, "clusters",
		strings.Repeat("a/", 3000)} {
		if _, err := NewFleet(text); err == nil || strings.Contains(err.Error(), "file") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func TestObjectsWithoutKind(t *testing.T) {
	type Widget struct {
		Metadata Metadata `json:"metadata"`
	}
	_, err := NewStore(cluster("a", 1), []any{&Widget{Metadata{Name: "w"}}})
	wantMessage(t, err, EPARSE, "has no kind; set apiVersion and kind (TypeMeta) of *librebalance.Widget")
	_, err = NewFleet(map[string]any{"metadata": map[string]any{"name": "a"}})
	wantMessage(t, err, EPARSE, "of map[string]interface {}")
	_, err = NewStore(cluster("a", 1), "metadata: {name: w}")
	if !errors.Is(err, EPARSE) || strings.Contains(err.Error(), "TypeMeta") {
		t.Error(err)
	}
}
