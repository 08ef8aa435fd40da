// SPDX-License-Identifier: MIT

package main

import (
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
)

// newEtcdCommand returns a command that runs etcd with one member, whose data need not survive a crash.
func newEtcdCommand() *cobra.Command {
	var dataDir, listenClient string
	command := &cobra.Command{
		Use:          "etcd",
		SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			return runEtcd(dataDir, listenClient)
		},
	}
	command.Flags().StringVar(&dataDir, "data-dir", "", "folder of the data")
	command.Flags().StringVar(&listenClient, "listen-client", "", "URL that clients connect to")
	return command
}

func runEtcd(dataDir, listenClient string) error {
	config, err := etcdConfig(dataDir, listenClient)
	if err != nil {
		return err
	}
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM, syscall.SIGINT)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer etcd.Close()
	select {
	case <-stopped:
		return nil
	case err := <-etcd.Err():
		return err
	}
}

func etcdConfig(dataDir, listenClient string) (*embed.Config, error) {
	client, err := url.Parse(listenClient)
	if err != nil || client.Host == "" || dataDir == "" {
		return nil, fmt.Errorf("expected --data-dir FOLDER and --listen-client URL, got %q and %q", dataDir, listenClient)
	}
	peer := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config := embed.NewConfig()
	config.Dir = dataDir
	config.ListenClientUrls = []url.URL{*client}
	config.AdvertiseClientUrls = []url.URL{*client}
	config.ListenPeerUrls = []url.URL{peer}
	config.LogLevel = "error" // slow requests, which a busy machine has many of, are warnings
	config.UnsafeNoFsync = true
	return config, nil
}
