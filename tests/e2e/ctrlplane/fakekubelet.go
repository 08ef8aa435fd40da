// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

const (
	fakeLabel      = "e2e.test/fake" // "true" on the nodes that the fake kubelet serves
	holdAnnotation = "e2e.test/hold" // on nodes and pods; README.md lists its values
	holdPending    = "Pending"
	holdNotReady   = "NotReady"
	workers        = 4
	leaseRenewal   = 10 * time.Second
)

// item names an object that may have to be changed; a node has no namespace.
type item struct {
	isNode          bool
	namespace, name string
}

// fakeKubelet does for all nodes with fakeLabel what their kubelets would do, without containers.
type fakeKubelet struct {
	client kubernetes.Interface
	nodes  corelisters.NodeLister
	pods   corelisters.PodLister
	queue  workqueue.TypedRateLimitingInterface[item]
}

func newFakeKubeletCommand() *cobra.Command {
	var kubeconfig string
	command := &cobra.Command{
		Use:          "fake-kubelet",
		SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
			defer stop()
			return runFakeKubelet(ctx, kubeconfig)
		},
	}
	command.Flags().StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig file of the API server")
	return command
}

func runFakeKubelet(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 500, 1000
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	kubelet := &fakeKubelet{
		client: client,
		nodes:  factory.Core().V1().Nodes().Lister(),
		pods:   factory.Core().V1().Pods().Lister(),
		queue:  workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[item]()),
	}
	if err := kubelet.addHandlers(factory); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for range workers {
		go kubelet.work(ctx)
	}
	go wait.UntilWithContext(ctx, kubelet.renewLeases, leaseRenewal)
	<-ctx.Done()
	kubelet.queue.ShutDown()
	return nil
}

func (k *fakeKubelet) addHandlers(factory informers.SharedInformerFactory) error {
	_, err := factory.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { k.nodeChanged(nil, object.(*corev1.Node)) },
		UpdateFunc: func(old, object any) { k.nodeChanged(old.(*corev1.Node), object.(*corev1.Node)) },
	})
	if err != nil {
		return err
	}
	podChanged := func(object any) {
		pod := object.(*corev1.Pod)
		k.queue.Add(item{namespace: pod.Namespace, name: pod.Name})
	}
	_, err = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    podChanged,
		UpdateFunc: func(_, object any) { podChanged(object) },
	})
	return err
}

// nodeChanged also queues the pods of a node that is new or no longer held, since they were left alone until then.
func (k *fakeKubelet) nodeChanged(old, node *corev1.Node) {
	k.queue.Add(item{isNode: true, name: node.Name})
	if old != nil && isHeldNotReady(old) == isHeldNotReady(node) {
		return
	}
	pods, err := k.pods.List(labels.Everything())
	if err != nil {
		utilruntime.HandleError(err)
	}
	for _, pod := range pods {
		if pod.Spec.NodeName == node.Name {
			k.queue.Add(item{namespace: pod.Namespace, name: pod.Name})
		}
	}
}

func (k *fakeKubelet) work(ctx context.Context) {
	for {
		next, stopped := k.queue.Get()
		if stopped {
			return
		}
		if err := k.sync(ctx, next); err != nil {
			utilruntime.HandleErrorWithContext(ctx, err, "cannot report", "item", next)
			k.queue.AddRateLimited(next)
		} else {
			k.queue.Forget(next)
		}
		k.queue.Done(next)
	}
}

func (k *fakeKubelet) sync(ctx context.Context, next item) error {
	if next.isNode {
		return k.syncNode(ctx, next.name)
	}
	return k.syncPod(ctx, next.namespace, next.name)
}
