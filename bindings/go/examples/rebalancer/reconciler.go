// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	librebalance "example.org/librebalance"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var rebalancerKind = schema.GroupVersionKind{Group: "apps.karmada.io", Version: "v1alpha1", Kind: "WorkloadRebalancer"}

// Reconciler carries out what the library decides about WorkloadRebalancers. It decides nothing itself. The manager
// calls it for one object at a time.
type Reconciler struct {
	client.Client
	session  *librebalance.Session
	result   *librebalance.Result
	observed *librebalance.Observations
	now      func() time.Time
}

// NewReconciler makes one; Close frees what it holds.
func NewReconciler(c client.Client) (*Reconciler, error) {
	session, err := librebalance.NewSession(nil)
	if err != nil {
		return nil, err
	}
	result, first := librebalance.NewResult()
	observed, second := librebalance.NewObservations()
	r := &Reconciler{Client: c, session: session, result: result, observed: observed, now: time.Now}
	if err := errors.Join(first, second); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Close frees what the reconciler holds.
func (r *Reconciler) Close() error {
	failed := r.session.Close()
	if r.result != nil {
		failed = errors.Join(failed, r.result.Close())
	}
	if r.observed != nil {
		failed = errors.Join(failed, r.observed.Close())
	}
	return failed
}

// Reconcile is one run over a WorkloadRebalancer: step after step, until the library waits for nothing.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	rebalancer := &unstructured.Unstructured{}
	rebalancer.SetGroupVersionKind(rebalancerKind)
	if err := r.Get(ctx, request.NamespacedName, rebalancer); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	now := r.now()
	if err := r.observed.Reset(); err != nil {
		return ctrl.Result{}, err
	}
	for {
		step, err := r.step(ctx, rebalancer, now)
		if err != nil {
			return ctrl.Result{}, err
		}
		switch step.State {
		case librebalance.StepStateWaiting:
			continue
		case librebalance.StepStateRetry:
			return ctrl.Result{}, errors.New(step.Message)
		}
		return ctrl.Result{RequeueAfter: step.After}, nil
	}
}

// step makes one step over the object as it was read, and returns its action.
func (r *Reconciler) step(ctx context.Context, rebalancer *unstructured.Unstructured, now time.Time) (
	librebalance.Step, error) {
	if err := r.session.RebalancerStepInto(r.result, rebalancer, now, r.observed); err != nil {
		return librebalance.Step{}, err
	}
	steps, err := r.result.Steps()
	if err != nil {
		return librebalance.Step{}, err
	}
	actions, err := r.result.Actions()
	if err != nil || steps[0].State != librebalance.StepStateWaiting {
		return steps[0], err
	}
	if len(actions) == 0 {
		return steps[0], errors.New("the step waits, and returns no action")
	}
	for i, action := range actions {
		if err := ctx.Err(); err != nil {
			return steps[0], err
		}
		read, failure := r.act(ctx, i, action)
		if err := r.observed.Add(observation(action, read, failure)); err != nil {
			return steps[0], err
		}
	}
	return steps[0], nil
}

// act sends one action, and returns what it read.
func (r *Reconciler) act(ctx context.Context, row int, action librebalance.Action) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(schema.FromAPIVersionAndKind(action.APIVersion, action.ObjectKind))
	object.SetNamespace(action.Namespace)
	object.SetName(action.Name)
	switch action.Kind {
	case librebalance.ActionKindRead:
		err := r.Get(ctx, client.ObjectKeyFromObject(object), object)
		return object, err
	case librebalance.ActionKindPatchSpec, librebalance.ActionKindPatchStatus:
		request, err := r.result.Render(nil, row, nil)
		if err != nil {
			return nil, err
		}
		patch := client.RawPatch(types.MergePatchType, request.Body)
		if action.Kind == librebalance.ActionKindPatchStatus {
			return nil, r.Status().Patch(ctx, object, patch)
		}
		return nil, r.Patch(ctx, object, patch)
	case librebalance.ActionKindDelete:
		preconditions := client.Preconditions{}
		if action.ResourceVersion != "" {
			preconditions.ResourceVersion = &action.ResourceVersion
		}
		return nil, r.Delete(ctx, object, preconditions)
	}
	return nil, fmt.Errorf("the library returned the action %s, which this controller does not support", action.Kind)
}

// observation reports the result of an action to the library.
func observation(action librebalance.Action, read *unstructured.Unstructured, failure error) librebalance.Observation {
	one := librebalance.Observation{Ordinal: action.Ordinal, Outcome: librebalance.ObservedDone}
	status := apierrors.APIStatus(nil)
	switch {
	case failure == nil && read != nil:
		one.Object, one.Fields = librebalance.ObjectBinding, read
	case failure == nil:
	case apierrors.IsNotFound(failure):
		one.Outcome = librebalance.ObservedNotFound
	case apierrors.IsConflict(failure):
		one.Outcome = librebalance.ObservedConflict
	case errors.As(failure, &status) && isRefusal(status.Status().Code):
		one.Outcome = librebalance.ObservedDenied
	default:
		one.Outcome = librebalance.ObservedTransient
	}
	if failure != nil {
		one.Message = failure.Error()
	}
	return one
}

// isRefusal reports whether an HTTP status is final; too many requests and timeouts are tried again.
func isRefusal(code int32) bool { return code >= 400 && code < 500 && code != 408 && code != 429 }
