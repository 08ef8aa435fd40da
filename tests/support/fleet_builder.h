/* SPDX-License-Identifier: MIT */
/*
 * tests/support/fleet_builder.h - fleets, placements and bindings from terse tables, through installed headers only.
 *
 * A world holds one fleet with its snapshot, one set of bindings, and what calls need. Members left out of a table are
 * absent in the object. Texts are lists of words:
 *
 *   pairs        "a=1 b=2"               labels, amounts ("cpu=500m pods=100"), targets ("m1=3 m2=0")
 *   taints       "k=v:NoSchedule k:NoExecute"
 *   apis         "apps/v1=Deployment,StatefulSet v1=ConfigMap"
 *   models       "0:cpu=0,memory=0 1:cpu=1,memory=4Gi"
 *   modelings    "0=3 1=2"
 *   expressions  "region:In:us,eu;tier:Exists"           values may hold spaces
 *   tolerations  "key:Equal:value:NoExecute;:Exists"
 *   spreads      "cluster:1:2 region:2" min, max; what is not written is absent
 *   scheduling   "Duplicated", "Divided/Aggregated", "Divided/Weighted", "Divided/Weighted/AvailableReplicas"
 *   request      "cpu=500m pods=1 @disk=ssd ?zone:In:a,b ~key:Exists /ns !class": amounts, pairs of the nodeSelector,
 *                terms of the hardNodeAffinity (expressions), tolerations, namespace, priority class
 *   weights      "m1=1 m2+m3=3 *=2"      targetCluster by clusterNames; "*" is every cluster
 *
 * A table that makes no sense ends the program with a message: it is the test that is wrong.
 */
#ifndef TEST_FLEET_BUILDER_H
#define TEST_FLEET_BUILDER_H

#include <rebalance/rebalance.h>

#if defined(__GNUC__)
/* Tables name the members that matter to a test; the others are absent. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif

struct test_cluster {
  const char *name;
  const char *allocatable; /* NULL with the next two: no resource summary */
  const char *allocated;
  const char *allocating;
  const char *region;
  const char *provider;
  const char *zones; /* "z1 z2" */
  const char *labels;
  const char *taints;
  const char *apis; /* NULL: apps/v1=Deployment */
  const char *models;
  const char *modelings;
  int deleting;
};

struct test_node {
  const char *name;
  const char *allocatable;
  const char *labels;
  const char *taints;
  int unschedulable;
};

struct test_quota {
  const char *namespace_;
  const char *hard;
  const char *used;
  const char *scopes;      /* "PriorityClass BestEffort" */
  const char *expressions; /* of the scopeSelector */
};

struct test_affinity {
  const char *name;
  const char *labels;      /* matchLabels; "" with expressions NULL: an empty selector */
  const char *expressions; /* of the label selector */
  const char *fields;      /* of the field selector */
  const char *clusters;    /* "m1 m2" */
  const char *exclude;
  const struct test_affinity *overflow;
  size_t n_overflow;
};

struct test_placement {
  const struct test_affinity *affinity;
  const struct test_affinity *terms; /* clusterAffinities */
  size_t n_terms;
  const char *tolerations;
  const char *spreads;
  const char *scheduling;
  const char *weights;  /* "": a weightPreference without list */
  const char *group_by; /* workloadAffinity.affinity */
};

struct test_binding {
  const char *key;  /* "namespace/name", or "name" for a ClusterResourceBinding; NULL: default/web */
  const char *kind; /* NULL: apps/v1=Deployment */
  const char *uid;
  int64_t replicas;
  const char *request; /* "": requirements without any; NULL: no requirements */
  const struct test_placement *placement;
  const char *targets;    /* "m1=3 m2=1"; "?=1" names no cluster */
  const char *evicting;   /* clusters of graceful eviction tasks: "m1 m2" */
  const char *components; /* "driver=1 worker=3" */
  const char *observed;   /* name of the affinity group */
  const struct test_placement *applied;
  int64_t applied_state; /* 0 with applied set: REBAL_ANNOTATION_PRESENT, strictly equal */
  int64_t triggered_at;  /* seconds; 0: unset. The same for the next two */
  int64_t scheduled_at;
  int64_t condition_at;
  const char *condition; /* "status/reason/message" */
  int64_t generation;
  int64_t observed_generation;
  const char *friends; /* affinity group, anti-affinity group */
  const char *foes;
  const char *version;
  const char *scheduler;
  int deleting;
  int suspended;
  int unmanaged;
};

struct test_world {
  rebal_fleet *fleet;
  rebal_builder *builder;
  rebal_snapshot *snapshot; /* as of test_freeze() */
  rebal_bindings *bindings;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_error err; /* of the last call */
};

/* allocator: of the context and the result; the rest never fails. */
void test_world_open(struct test_world *world, const rebal_allocator *allocator);
void test_world_close(struct test_world *world);
/* Another context or result for the same fleet, such as one with another cache. */
rebal_ctx *test_context(const rebal_allocator *allocator, uint32_t flags, uint64_t max_entries);

uint32_t test_add_cluster(struct test_world *world, const struct test_cluster *cluster);
/* A node of a cluster, or a new state of an existing one. */
uint32_t test_set_node(struct test_world *world, uint32_t cluster, const struct test_node *node);
/* All quotas of a cluster. */
void test_set_quotas(struct test_world *world, uint32_t cluster, const struct test_quota *quotas, size_t n);
/* Clusters with nothing but free pods: "m1=10 m2=5". */
void test_add_pods(struct test_world *world, const char *pods);
/* Sets every cell of an existing cluster anew. */
void test_set_cluster(struct test_world *world, uint32_t id, const struct test_cluster *cluster);
uint32_t test_cluster_id(struct test_world *world, const char *name);
/* Handles of interned records for columns of CLUSTER; REBAL_NONE for NULL, apis NULL as in struct test_cluster. */
int64_t test_labels_handle(struct test_world *world, const char *labels);
int64_t test_zones_handle(struct test_world *world, const char *zones);
int64_t test_taints_handle(struct test_world *world, const char *taints);
int64_t test_apis_handle(struct test_world *world, const char *apis);
/* Handles of interned records; REBAL_NONE for NULL. The affinity is a record that lives until the next one is built. */
uint32_t test_placement_handle(struct test_world *world, const struct test_placement *placement);
uint32_t test_request_handle(struct test_world *world, const char *request);
const rebal_record *test_affinity_record(struct test_world *world, const struct test_affinity *affinity);

/* Adds a row to bindings (NULL: those of the world). */
uint32_t test_add_binding(struct test_world *world, rebal_bindings *bindings, const struct test_binding *binding);
rebal_bindings *test_new_bindings(struct test_world *world);
/* Fleet and bindings as calls require them. */
void test_freeze(struct test_world *world);
/* The clusters and one binding, frozen: the start of most tests. */
void test_world_fill(struct test_world *world, const struct test_cluster *clusters, size_t n,
                     const struct test_binding *binding);

/* rebal_ledger_charge() of n components; NULL: no key, for ever. */
int32_t test_charge_set(rebal_ledger *ledger, const char *key, uint32_t cluster, const uint32_t *requirements,
                        const int32_t *replicas, size_t n, const rebal_time *expiry);
/* The same of one component, for ever; REBAL_OK or the test ends. */
void test_charge(rebal_ledger *ledger, const char *key, uint32_t cluster, uint32_t requirements, int32_t replicas);

/* rebal_observations_add() of an action by its ordinal; message may be NULL. */
int32_t test_observe(rebal_observations *observations, int64_t ordinal, int32_t outcome, const char *message);

/* A set time of so many seconds; 0: unset. */
rebal_time test_time(int64_t seconds);
/*
 * A row of DECISION as text: "m1:3 m2:0", "" for no cluster; "m1:3; 4 missing: ..." with the message,
 * "fit: ...", "unschedulable: ...", "error: ...", "unchanged", "skipped". The text lives until the next call.
 */
const char *test_cluster_name(const rebal_snapshot *snapshot, uint32_t cluster);
const char *test_answer(const rebal_result *result, const rebal_snapshot *snapshot, size_t row);
/* rebal_schedule() of everything in the world, then the answer for one row; the code's text when the call fails. */
const char *test_schedule(struct test_world *world, const rebal_schedule_opts *opts, size_t row);
/* Options at their defaults, but for one option (REBAL_OPTION_NONE: none). */
rebal_compat *test_compat(uint32_t option, int64_t value);

#endif
