// SPDX-License-Identifier: MIT

package main

import (
	"errors"
	"strings"
	"testing"

	librebalance "example.org/librebalance"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Types of k8s.io/api leave apiVersion and kind empty; the library derives them from the Go type.
func TestTypedObjectsGoIn(t *testing.T) {
	named := metav1.ObjectMeta{Namespace: "default", Name: "web"}
	store, err := librebalance.NewStore(
		&appsv1.Deployment{ObjectMeta: named}, corev1.Pod{ObjectMeta: named},
		[]any{&policyv1.PodDisruptionBudget{ObjectMeta: named}, &rbacv1.Role{ObjectMeta: named}},
		&corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, kind := range []string{"Deployment.apps", "Pod.", "PodDisruptionBudget.policy",
		"Role.rbac.authorization.k8s.io"} {
		if store.Find(kind, "default", "web") == librebalance.NoID {
			t.Errorf("no %s among", kind)
			for id := range store.Objects("") {
				t.Log(store.APIVersion(id), store.Kind(id))
			}
		}
	}
	if store.Find("Node.", "", "n") == librebalance.NoID {
		t.Error("no node")
	}
}

func TestStatusOfAWatch(t *testing.T) {
	store, err := librebalance.NewStore()
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	gone := &metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired, Message: "too old resource version: 1 (7)"}
	err = store.Event("ERROR", gone)
	if !errors.Is(err, librebalance.EAGAIN) || !strings.Contains(err.Error(), gone.Message) {
		t.Error(err)
	}
}
