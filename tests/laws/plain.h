/* SPDX-License-Identifier: MIT */
/*
 * tests/laws/plain.h - a fleet and bindings in plain numbers, and a scheduler that examines every cluster each time.
 *
 * A case draws a fleet of up to 300 clusters once, with many ties, then answers rounds of bindings, between which rows
 * change. The plain scheduler (rebalance-karmada(7) 3 to 7) uses only these numbers: no snapshot, no cache, no order
 * that it does not compute itself. Each seat goes to the best party of all.
 */
#ifndef LAWS_PLAIN_H
#define LAWS_PLAIN_H

#include "laws.h"

enum {
  PLAIN_CLUSTERS = 300,
  PLAIN_PLACEMENTS = 6,
  PLAIN_BINDINGS = 8, /* of a round */
  PLAIN_ROUNDS = 8,
  PLAIN_TARGETS = PLAIN_CLUSTERS + 16,
  PLAIN_RULES = 20,
  PLAIN_NAMES = 5,                  /* in a list of an affinity */
  PLAIN_REGIONS = 5,                /* at most, with none, where the plain scheduler answers */
  PLAIN_CELLS = PLAIN_CLUSTERS + 8, /* of one binding in a caller's column */
  PLAIN_TEXT = 512
};

/* Resources, and how many comparisons one case makes. */
enum { PLAIN_PODS, PLAIN_CPU, PLAIN_MEMORY, PLAIN_RESOURCES };
enum { PLAIN_COMPARISONS = PLAIN_BINDINGS * PLAIN_ROUNDS };

/* Number 0 of a property is none. Cpu is in thousandths. */
struct plain_cluster {
  char name[8];
  uint32_t id; /* REBAL_NONE: not in the fleet yet */
  int is_present;
  int is_deleting;
  uint32_t region;
  uint32_t provider;
  uint32_t zones;
  uint32_t tier; /* its one label */
  uint32_t taint;
  uint32_t apis;
  int has_summary;
  int64_t allocatable[PLAIN_RESOURCES]; /* -1: absent */
  int64_t allocated[PLAIN_RESOURCES];
};

/* An affinity: all of it must hold. */
struct plain_part {
  uint32_t tier;
  uint32_t other_than_region;
  size_t n_names;
  uint32_t names[PLAIN_NAMES]; /* numbers of clusters */
  size_t n_excluded;
  uint32_t excluded[PLAIN_NAMES];
};
struct plain_rule {
  uint32_t cluster; /* REBAL_NONE: every one */
  int64_t weight;
};
struct plain_spread {
  int is_set;
  int64_t least;
  int64_t most;
};
enum plain_way { PLAIN_DUPLICATED, PLAIN_STATIC, PLAIN_DYNAMIC, PLAIN_AGGREGATED };
struct plain_placement {
  enum plain_way way;
  size_t n_parts; /* 0: no affinity; more than one: tiers of overflow */
  struct plain_part parts[3];
  int is_named;       /* a group of clusterAffinities, although it has no overflow */
  uint32_t tolerated; /* the taint; REBAL_NONE: any */
  struct plain_spread clusters, regions, zones, providers;
  int has_rules;
  size_t n_rules;
  struct plain_rule rules[PLAIN_RULES];
  struct test_placement table; /* the same for the library */
  struct test_affinity affinities[3];
  struct test_affinity terms[2]; /* the first and one that only a step reaches */
  char texts[10][PLAIN_TEXT];
};

struct plain_request {
  const char *text; /* NULL: no requirements */
  int64_t amounts[PLAIN_RESOURCES];
};

struct plain_target {
  uint32_t cluster; /* number; from n_clusters on one that is never added */
  int64_t replicas;
};
struct plain_binding {
  const struct plain_placement *placement;
  const struct plain_request *request;
  int64_t replicas;
  const char *uid;
  const char *friends;
  int is_job; /* of an API that only some clusters have */
  int is_fresh;
  size_t n_evicting;
  uint32_t evicting[3];
  size_t n_targets;
  struct plain_target targets[PLAIN_TARGETS];
};

/* What the caller passes. */
struct plain_caller {
  rebal_schedule_opts opts; /* of a single group, the only one that the plain scheduler handles */
  rebal_compat *compat;
  int has_locality;
  int appends_empty;
  int is_all_or_nothing;
  int64_t reject[PLAIN_BINDINGS * PLAIN_CELLS]; /* by binding and id */
  int64_t score[PLAIN_BINDINGS * PLAIN_CELLS];
  int32_t fits[2][PLAIN_BINDINGS * PLAIN_CELLS];
  rebal_estimator estimators[2];
  const rebal_estimator *list[2];
};

struct plain_case {
  struct test_world world;
  rebal_bindings *known; /* of the round before */
  size_t n_clusters;
  uint32_t n_regions;
  int has_odd_amounts;   /* for the library: fractions, negative ones, the largest */
  int is_spread;         /* most placements spread, by capacity */
  uint32_t habit;        /* what amounts its clusters have */
  uint32_t outsiders[4]; /* ids of names that no cluster has */
  struct plain_cluster clusters[PLAIN_CLUSTERS];
  struct plain_placement placements[PLAIN_PLACEMENTS];
  struct plain_binding bindings[PLAIN_BINDINGS];
  struct plain_caller caller;
  struct { /* handles in the fleet, by number */
    int64_t zones[3], tiers[4], taints[4], apis[4];
    uint32_t resources[PLAIN_RESOURCES];
  } handles;
};

struct plain_answer {
  int64_t outcome;
  char message[PLAIN_TEXT]; /* of a refusal; "": any */
  size_t n;
  struct plain_target placed[2 * PLAIN_TARGETS]; /* cluster is the id */
};

/*
 * plain_draw.c: an opened world with its clusters; then round after round. all_options: also what the plain scheduler
 * does not handle, such as more regions than it could search; 2 and more: most placements spread by capacity.
 */
void plain_open(struct dice *dice, struct plain_case *drawn, int all_options);
void plain_close(struct plain_case *drawn);
void plain_draw_bindings(struct dice *dice, struct plain_case *drawn);
void plain_draw_caller(struct dice *dice, struct plain_case *drawn, int all_options);
void plain_close_caller(struct plain_case *drawn);
/* Rows change and are frozen. */
void plain_change(struct dice *dice, struct plain_case *drawn);
/* plain_write.c: clusters into the fleet, bindings into world.bindings; all are frozen by the caller. */
void plain_write_cluster(struct plain_case *drawn, struct plain_cluster *cluster, int only_amounts);
void plain_write_bindings(struct plain_case *drawn);
uint32_t plain_target_id(const struct plain_case *drawn, const struct plain_target *target);
/*
 * twin_laws.c: rounds of bindings for one fleet, each of which is tried, and the fleet changed in between. The answers
 * in the world's result are those of rebal_schedule().
 */
typedef const char *(*plain_compare)(struct dice *dice, struct plain_case *drawn);
const char *plain_try(struct dice *dice, int all_options, plain_compare try);
/* The answer of the library becomes the targets of the binding. */
void plain_keep_answer(struct plain_case *drawn, size_t row);

/*
 * plain_schedule.c, plain_assign.c: candidates in the order of rebalance-karmada(7) 5.2, those selected, their
 * replicas.
 */
struct plain_candidate {
  const struct plain_cluster *cluster;
  uint32_t number;
  int64_t order; /* of its overflow tier */
  int64_t score;
  int64_t allocatable;
  int64_t available;
};
struct plain_candidates {
  size_t n;
  struct plain_candidate list[PLAIN_CLUSTERS];
};
void plain_schedule(const struct plain_case *drawn, size_t row, struct plain_answer *answer);
void plain_assign(const struct plain_binding *binding, const struct plain_candidates *selected,
                  struct plain_answer *answer);
int plain_part_matches(const struct plain_part *part, const struct plain_cluster *cluster, uint32_t number);
void plain_refuse(struct plain_answer *answer, int64_t outcome, const char *format, ...);

#endif
