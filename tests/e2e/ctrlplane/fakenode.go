// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"encoding/json"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

const leaseSeconds = 40

func isFake(node *corev1.Node) bool {
	return node.Labels[fakeLabel] == "true"
}

func isHeldNotReady(node *corev1.Node) bool {
	return node.Annotations[holdAnnotation] == holdNotReady
}

// syncNode sets the condition Ready of a node and creates its lease. Tests set its capacity.
func (k *fakeKubelet) syncNode(ctx context.Context, name string) error {
	node, err := k.nodes.Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil || !isFake(node) {
		return err
	}
	wanted := corev1.ConditionTrue
	if isHeldNotReady(node) {
		wanted = corev1.ConditionFalse
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status == wanted {
			return nil
		}
	}
	if err := k.renewLease(ctx, node); err != nil {
		return err
	}
	return k.patchReady(ctx, name, wanted)
}

func (k *fakeKubelet) patchReady(ctx context.Context, name string, status corev1.ConditionStatus) error {
	now := metav1.Now()
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: status, Reason: "FakeKubelet", LastHeartbeatTime: now, LastTransitionTime: now,
	}}}})
	if err != nil {
		return err
	}
	_, err = k.client.CoreV1().Nodes().Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{},
		"status")
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// renewLeases keeps the node lifecycle controller from treating nodes as lost.
func (k *fakeKubelet) renewLeases(ctx context.Context) {
	nodes, err := k.nodes.List(labels.SelectorFromSet(labels.Set{fakeLabel: "true"}))
	if err != nil {
		utilruntime.HandleErrorWithContext(ctx, err, "cannot list nodes")
	}
	for _, node := range nodes {
		if err := k.renewLease(ctx, node); err != nil {
			utilruntime.HandleErrorWithContext(ctx, err, "cannot renew lease", "node", node.Name)
		}
	}
}

func (k *fakeKubelet) renewLease(ctx context.Context, node *corev1.Node) error {
	if isHeldNotReady(node) {
		return nil
	}
	leases := k.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	lease, err := leases.Get(ctx, node.Name, metav1.GetOptions{})
	isNew := apierrors.IsNotFound(err)
	if err != nil && !isNew {
		return err
	}
	now, seconds := metav1.NewMicroTime(time.Now()), int32(leaseSeconds)
	holder := node.Name
	lease.Spec = coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &now}
	if isNew {
		lease.Name = node.Name
		lease.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}}
		_, err = leases.Create(ctx, lease, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	}
	_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) {
		return nil
	}
	return err
}
