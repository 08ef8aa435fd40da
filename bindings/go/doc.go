// SPDX-License-Identifier: MIT

// Package librebalance decides where replicas of Kubernetes workloads go across clusters: scheduling, rebalancing,
// descheduling, failover and WorkloadSpreads, with the answers of Karmada and OpenKruise. It is the C library of that
// name; README.md describes how to build, and shows five tasks.
//
// Objects go in as anything that encoding/json marshals to what the Kubernetes API writes: structs of k8s.io/api,
// unstructured objects, maps, the small structs of this package (Cluster, ResourceBinding, ...), or text: a string,
// []byte or json.RawMessage of JSON or YAML, which may hold several documents.
//
// What has a Close method holds memory of C. Close frees it at once; what is not closed is freed some time
// after the garbage collector found it. After Close every call fails with ESTATE. Snapshot and frozen Bindings may be
// used by any number of goroutines together; everything else by one at a time, and a call that meets another one fails
// with ESTATE instead of waiting.
//
// Errors are of type *Error; errors.Is(err, EPARSE) tests the code.
package librebalance
