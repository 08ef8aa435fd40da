/* SPDX-License-Identifier: MIT */
/* tests/abi/arguments.h - valid arguments of calls, for programs that then pass an invalid one. */
#ifndef ABI_ARGUMENTS_H
#define ABI_ARGUMENTS_H

#include <rebalance/detector.h>
#include <rebalance/rebalance.h>
#include <rebalance/manifest.h>
#include <rebalance/simulation.h>
#include <rebalance/document.h>
#include <rebalance/scheduling.h>
#include <rebalance/spreading.h>
#include <rebalance/watch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW {1773478800, 0, 1}
#define CLUSTER "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m1}}"
#define SPREAD                                                                                              \
  "{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: ws, namespace: ns}, spec: {" \
  "targetRef: {apiVersion: apps/v1, kind: Deployment, name: demo}, subsets: [{name: a}]}}"
#define POLICY "{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p, namespace: ns}}"
#define REBALANCER                                                              \
  "{apiVersion: apps.karmada.io/v1alpha1, kind: WorkloadRebalancer, metadata: " \
  "{name: r, creationTimestamp: 2026-03-14T09:00:00Z}}"
#define UNITED                                                                                         \
  "{apiVersion: apps.kruise.io/v1alpha1, kind: UnitedDeployment, metadata: {name: u, namespace: ns}, " \
  "spec: {replicas: 1, topology: {subsets: [{name: a}]}}}"
#define POD "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns}}"
#define REVIEW                                                                                                  \
  "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, kind: {version: v1, kind: Pod}, " \
  "resource: {version: v1, resource: pods}, operation: CREATE, namespace: ns, object: " POD "}}"
#define SCENARIO "{apiVersion: simulation.rebalance/v1, kind: Scenario}"

/* Valid arguments of calls, and places for results. */
struct arguments {
  rebal_fleet *fleet; /* cluster 0 is m1 with node 0, whose label a is b */
  rebal_snapshot *snapshot;
  rebal_bindings *bindings; /* not frozen; one binding */
  rebal_bindings *frozen;
  rebal_pods *pods; /* a row */
  rebal_builder *builder;
  rebal_observations *observations;
  rebal_ledger *ledger;
  rebal_compat *compat;
  rebal_ctx *ctx;
  rebal_result *result, *more;
  const rebal_record *workload_spread;
  rebal_spread *spread;
  rebal_store *store; /* m1, the WorkloadSpread, a UnitedDeployment, a PropagationPolicy and a WorkloadRebalancer */
  rebal_spread_feed *feed;
  rebal_watch *watch;
  rebal_text *text;
  rebal_document *document;
  rebal_findings *findings;
  rebal_detector *detector;
  rebal_movement problem;
  rebal_simulation *simulation;
  rebal_time now;
  rebal_quantity quantity;
  const rebal_record *record;
  rebal_plan *plan;
  rebal_movement_answer movement; /* of nothing */
  rebal_builder *builders[2];     /* of the next two */
  const rebal_record *rebalancer, *united;
  uint32_t id, line;
  int32_t left;
  int64_t value;
  uint64_t count;
  size_t n;
  char buffer[80];
};

/* Ends the program if a call failed without which the rest means nothing. */
void require(int32_t code, int line);
#define REQUIRE(call) require((call), __LINE__)

void make_arguments(struct arguments *a);
void free_arguments(struct arguments *a);

#endif
