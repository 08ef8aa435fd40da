// SPDX-License-Identifier: MIT

// ctrlplane runs any component of a control plane: the first argument names it, the others are options of that
// component. The process exits at the end of its standard input.
package main

import (
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// Feature gates are registered for the process while a command is made, so only the chosen command may be made.
var components = map[string]func() *cobra.Command{
	"etcd":                    newEtcdCommand,
	"fake-kubelet":            newFakeKubeletCommand,
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
}

func main() {
	if len(os.Args) < 2 || components[os.Args[1]] == nil {
		fmt.Fprintf(os.Stderr, "usage: ctrlplane %s OPTION...\n", strings.Join(names(), "|"))
		os.Exit(2)
	}
	newCommand := components[os.Args[1]]
	os.Args = os.Args[1:]
	go exitWithParent()
	os.Exit(cli.Run(newCommand()))
}

// exitWithParent exits when the other end of the standard input is closed, in whatever way its process ended.
func exitWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(1)
}

func names() []string {
	var list []string
	for name := range components {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}
