// SPDX-License-Identifier: MIT

package librebalance

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	store := must(NewStore())
	defer store.Close()
	watch := must(store.Watch("cluster.karmada.io/v1alpha1", "Cluster", &WatchOptions{LabelSelector: "tier in (a,b)"}))
	defer watch.Close()
	path := must(watch.Request())
	if !strings.HasPrefix(path, "/apis/cluster.karmada.io/v1alpha1/clusters?") ||
		!strings.Contains(path, "labelSelector=tier%20in%20%28a%2Cb%29") {
		t.Fatal(path)
	}
	page := `{"apiVersion":"cluster.karmada.io/v1alpha1","kind":"ClusterList","metadata":{"resourceVersion":"7"},` +
		`"items":[{"metadata":{"name":"a","resourceVersion":"3"}},{"metadata":{"name":"b","resourceVersion":"4"}}]}`
	for _, piece := range strings.SplitAfter(page, ",") {
		check(t, watch.Feed([]byte(piece)))
	}
	check(t, watch.End(200))
	if !watch.IsSynced() || store.Len() != 2 {
		t.Fatal(watch.IsSynced(), store.Len())
	}
	if path = must(watch.Request()); !strings.Contains(path, "watch=1") && !strings.Contains(path, "watch=true") {
		t.Fatal(path)
	}
	check(t, watch.Feed([]byte(`{"type":"DELETED","object":{"apiVersion":"cluster.karmada.io/v1alpha1","kind":"Cluster",`+
		`"metadata":{"name":"a","resourceVersion":"9"}}}`+"\n")))
	check(t, watch.End(200))
	if store.Len() != 1 || store.Find("Cluster", "", "b") == NoID {
		t.Error("the event was not taken")
	}
	must(watch.Request())
	wantCode(t, watch.End(500), EAGAIN)
	unknown := must(store.Watch("stable.example.com/v1", "CronTab", nil))
	defer unknown.Close()
	_, err := unknown.Request()
	wantCode(t, err, EUNSUPPORTED)
	check(t, store.AddResource("CronTab.stable.example.com", "crontabs", true))
	must(unknown.Request())
}

// One run of a WorkloadRebalancer against an API server, by requests and answers.
func TestRequestsAndAnswers(t *testing.T) {
	at := time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	demo := WorkloadRebalancer{Metadata: Metadata{Name: "demo", Generation: 1, CreationTimestamp: &at},
		Spec: RebalancerSpec{Workloads: []Reference{{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default",
			Name: "web"}}}}
	store := must(NewStore(demo))
	defer store.Close()
	session, result := must(NewSession(nil)), must(NewResult())
	defer session.Close()
	defer result.Close()
	observed := must(NewObservations())
	defer observed.Close()
	sent := []string{}
	for range 10 {
		check(t, session.RebalancerStepInto(result, demo, at.Add(time.Second), observed))
		if must(result.Steps())[0].State != StepStateWaiting {
			break
		}
		for i := range must(result.Actions()) {
			request := must(result.Render(store, i, &RenderOptions{FieldManager: "test"}))
			sent = append(sent, request.Method+" "+request.Path)
			status, body := http.StatusOK, `{"apiVersion":"work.karmada.io/v1alpha2","kind":"ResourceBinding","metadata":`+
				`{"name":"web-deployment","namespace":"default"},"spec":{"resource":{"apiVersion":"apps/v1",`+
				`"kind":"Deployment","name":"web","namespace":"default"}}}`
			if strings.Contains(request.Path, "workloadrebalancers") {
				body = string(must(store.JSON(store.Find("WorkloadRebalancer", "", "demo"))))
			}
			check(t, store.TakeAnswer(result, i, status, []byte(body), observed))
			if i == 0 && request.Method == "GET" {
				wantCode(t, store.TakeAnswer(result, i, status, []byte(body), observed), EEXIST)
			}
		}
	}
	want := []string{
		"GET /apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/web-deployment",
		"PATCH /apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/web-deployment?fieldManager=test",
		"PATCH /apis/apps.karmada.io/v1alpha1/workloadrebalancers/demo/status?fieldManager=test",
	}
	if strings.Join(sent, "\n") != strings.Join(want, "\n") {
		t.Error(strings.Join(sent, "\n"))
	}
	_, err := result.Render(store, 99, nil)
	wantCode(t, err, EINVAL)
	_, err = result.Render(store, -1, nil)
	wantCode(t, err, EINVAL)
}

func TestNamesOfBindings(t *testing.T) {
	if name := must(BindingName("Web:x", "Deployment")); name != "web.x-deployment" {
		t.Error(name)
	}
}
