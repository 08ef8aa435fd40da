// SPDX-License-Identifier: MIT

// A controller of Karmada's WorkloadRebalancers: controller-runtime watches and sends, librebalance decides. It needs
// the rights to get, list, watch, patch and delete workloadrebalancers, to patch workloadrebalancers/status, and to get
// and patch resourcebindings and clusterresourcebindings.
package main

import (
	"flag"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

func run(metricsAddress string) error {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), manager.Options{
		Metrics: metrics.Options{BindAddress: metricsAddress},
	})
	if err != nil {
		return err
	}
	reconciler, err := NewReconciler(mgr.GetClient())
	if err != nil {
		return err
	}
	defer reconciler.Close()
	rebalancer := &unstructured.Unstructured{}
	rebalancer.SetGroupVersionKind(rebalancerKind)
	// Status is what this controller writes: only another spec is a new run.
	err = ctrl.NewControllerManagedBy(mgr).Named("workloadrebalancer").
		For(rebalancer, builder.WithPredicates(predicate.GenerationChangedPredicate{})).Complete(reconciler)
	if err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

func main() {
	address := flag.String("metrics", "0", "address to serve metrics at; 0: none")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(*address); err != nil {
		ctrl.Log.Error(err, "the controller ended")
		os.Exit(1)
	}
}
