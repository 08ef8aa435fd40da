// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

const created = "2026-03-14T09:00:00Z"

var bindingKind = schema.GroupVersionKind{Group: "work.karmada.io", Version: "v1alpha2", Kind: "ResourceBinding"}

func object(kind schema.GroupVersionKind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	made := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	made.SetGroupVersionKind(kind)
	made.SetNamespace(namespace)
	made.SetName(name)
	_ = unstructured.SetNestedField(made.Object, created, "metadata", "creationTimestamp")
	_ = unstructured.SetNestedField(made.Object, int64(1), "metadata", "generation")
	return made
}

func workload(name string) map[string]any {
	return map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": name}
}

func rebalancer(ttl any, names ...string) *unstructured.Unstructured {
	workloads := []any{}
	for _, name := range names {
		workloads = append(workloads, workload(name))
	}
	spec := map[string]any{"workloads": workloads}
	if ttl != nil {
		spec["ttlSecondsAfterFinished"] = ttl
	}
	return object(rebalancerKind, "", "demo", spec)
}

func binding(name string) *unstructured.Unstructured {
	return object(bindingKind, "default", name+"-deployment", map[string]any{"resource": workload(name)})
}

// setup makes a reconciler with a fake client that holds objects; fails ends calls of it, by its verb.
func setup(t *testing.T, fails map[string]error, objects ...client.Object) *Reconciler {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, kind := range []schema.GroupVersionKind{rebalancerKind, bindingKind} {
		scheme.AddKnownTypeWithName(kind, &unstructured.Unstructured{})
		scheme.AddKnownTypeWithName(kind.GroupVersion().WithKind(kind.Kind+"List"), &unstructured.UnstructuredList{})
	}
	status := &unstructured.Unstructured{}
	status.SetGroupVersionKind(rebalancerKind)
	built := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithStatusSubresource(status).
		WithInterceptorFuncs(interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object,
				options ...client.GetOption) error {
				if err := fails["get"]; err != nil && o.GetObjectKind().GroupVersionKind() == bindingKind {
					return err
				}
				return c.Get(ctx, key, o, options...)
			},
			Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch,
				options ...client.PatchOption) error {
				if err := fails["patch"]; err != nil {
					return err
				}
				return c.Patch(ctx, o, patch, options...)
			},
		}).Build()
	r, err := NewReconciler(built)
	if err != nil {
		t.Fatal(err)
	}
	r.now = func() time.Time { return time.Date(2026, 3, 14, 9, 0, 5, 0, time.UTC) }
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func reconcile(t *testing.T, r *Reconciler) (ctrl.Result, error) {
	t.Helper()
	return r.Reconcile(context.Background(), ctrl.Request{NamespacedName: types.NamespacedName{Name: "demo"}})
}

func read(t *testing.T, r *Reconciler, kind schema.GroupVersionKind, namespace, name string, path ...string) any {
	t.Helper()
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(kind)
	err := r.Get(context.Background(), types.NamespacedName{Namespace: namespace, Name: name}, found)
	if apierrors.IsNotFound(err) {
		return "gone"
	} else if err != nil {
		t.Fatal(err)
	}
	value, _, _ := unstructured.NestedFieldNoCopy(found.Object, path...)
	return value
}

// results of the workloads in status, by name.
func results(t *testing.T, r *Reconciler) map[string]string {
	t.Helper()
	found := map[string]string{}
	list, _ := read(t, r, rebalancerKind, "", "demo", "status", "observedWorkloads").([]any)
	for _, one := range list {
		entry := one.(map[string]any)
		reason, _ := entry["reason"].(string)
		result, _ := entry["result"].(string)
		found[entry["workload"].(map[string]any)["name"].(string)] = result + reason
	}
	return found
}

func TestBindingsAreTriggered(t *testing.T) {
	r := setup(t, nil, rebalancer(nil, "web", "missing"), binding("web"))
	result, err := reconcile(t, r)
	if err != nil || result.RequeueAfter != 0 {
		t.Fatal(result, err)
	}
	if at := read(t, r, bindingKind, "default", "web-deployment", "spec", "rescheduleTriggeredAt"); at != created {
		t.Errorf("triggered at %v", at)
	}
	if got := results(t, r); got["web"] != "Successful" || got["missing"] != "FailedReferencedBindingNotFound" {
		t.Error(got)
	}
	if _, err := reconcile(t, r); err != nil {
		t.Error(err)
	}
}

func TestFinishedOnesAreDeletedInTime(t *testing.T) {
	r := setup(t, nil, rebalancer(int64(30), "web"), binding("web"))
	result, err := reconcile(t, r)
	if err != nil || result.RequeueAfter != 30*time.Second {
		t.Fatal(result, err)
	}
	r.now = func() time.Time { return time.Date(2026, 3, 14, 9, 0, 36, 0, time.UTC) }
	if _, err := reconcile(t, r); err != nil {
		t.Fatal(err)
	}
	if read(t, r, rebalancerKind, "", "demo") != "gone" {
		t.Error("it is still there")
	}
	if _, err := reconcile(t, r); err != nil {
		t.Error("one that is gone:", err)
	}
}

func TestWhatFailsIsTriedAgain(t *testing.T) {
	for verb, failure := range map[string]error{
		"get":   errors.New("no route"),
		"patch": apierrors.NewForbidden(schema.GroupResource{Resource: "resourcebindings"}, "web", errors.New("no")),
	} {
		fails := map[string]error{verb: failure}
		r := setup(t, fails, rebalancer(nil, "web"), binding("web"))
		if _, err := reconcile(t, r); err == nil {
			t.Errorf("%s: no error", verb)
		}
		delete(fails, verb)
		if _, err := reconcile(t, r); err != nil || results(t, r)["web"] != "Successful" {
			t.Error(verb, err, results(t, r))
		}
	}
}
