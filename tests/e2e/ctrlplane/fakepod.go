// SPDX-License-Identifier: MIT

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	fakeHostIP = "192.0.2.1"
	fakePodIP  = "198.51.100.1" // of all pods, since nothing listens there
)

// syncPod makes a pod with a node run, and removes a deleted pod.
func (k *fakeKubelet) syncPod(ctx context.Context, namespace, name string) error {
	pod, err := k.pods.Pods(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil || pod.Spec.NodeName == "" {
		return err
	}
	node, err := k.nodes.Get(pod.Spec.NodeName)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil || !isFake(node) || isHeldNotReady(node) {
		return err
	}
	if pod.DeletionTimestamp != nil {
		return k.removePod(ctx, pod)
	}
	return k.runPod(ctx, pod)
}

// removePod deletes a pod without a grace period. The UID protects a new pod of the same name.
func (k *fakeKubelet) removePod(ctx context.Context, pod *corev1.Pod) error {
	options := metav1.NewDeleteOptions(0)
	options.Preconditions = metav1.NewUIDPreconditions(string(pod.UID))
	err := k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, *options)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

func (k *fakeKubelet) runPod(ctx context.Context, pod *corev1.Pod) error {
	hold := pod.Annotations[holdAnnotation]
	isOver := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	isReady := hold != holdNotReady
	if hold == holdPending || isOver || isReported(pod, isReady) {
		return nil
	}
	pod = pod.DeepCopy()
	report(pod, isReady)
	// After a conflict the queue retries with the newer pod.
	_, err := k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func isReported(pod *corev1.Pod, isReady bool) bool {
	condition := findCondition(pod, corev1.PodReady)
	return pod.Status.Phase == corev1.PodRunning && condition != nil && condition.Status == conditionStatus(isReady)
}

func report(pod *corev1.Pod, isReady bool) {
	now := metav1.Now()
	status := &pod.Status
	status.Phase = corev1.PodRunning
	if status.StartTime == nil {
		status.StartTime = &now
	}
	status.HostIP, status.HostIPs = fakeHostIP, []corev1.HostIP{{IP: fakeHostIP}}
	status.PodIP, status.PodIPs = fakePodIP, []corev1.PodIP{{IP: fakePodIP}}
	status.ContainerStatuses = nil
	for _, container := range pod.Spec.Containers {
		isStarted := true
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, ImageID: container.Image, Ready: isReady, Started: &isStarted,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: *status.StartTime}},
		})
	}
	setCondition(pod, corev1.PodInitialized, true, now)
	setCondition(pod, corev1.ContainersReady, isReady, now)
	setCondition(pod, corev1.PodReady, isReady, now)
}

func conditionStatus(isTrue bool) corev1.ConditionStatus {
	if isTrue {
		return corev1.ConditionTrue
	}
	return corev1.ConditionFalse
}

func findCondition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

func setCondition(pod *corev1.Pod, kind corev1.PodConditionType, isTrue bool, now metav1.Time) {
	condition := findCondition(pod, kind)
	if condition == nil {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: kind})
		condition = &pod.Status.Conditions[len(pod.Status.Conditions)-1]
	}
	if condition.Status != conditionStatus(isTrue) {
		condition.Status, condition.LastTransitionTime = conditionStatus(isTrue), now
	}
}
