/* SPDX-License-Identifier: MIT */
/*
 * tests/waves/waves.h - random plans carried out in a small world of members that are slow, fail, and are written to by
 * others; and a checker of the rules of rebalance-plan(7) 5 that is independent of the library's implementation.
 */
#ifndef WAVES_H
#define WAVES_H

#include "../support/dice.h"

#include <rebalance/rebalance.h>

#include <stdint.h>

#define CLUSTERS 5
#define BINDINGS 4
#define TICK_SECONDS 10
#define DEADLINE_SECONDS 60
#define UNKNOWN (-1)
#define BUDGETS 2

/* One binding of a plan, and its planned values; R, x, y as in the specification. */
struct aim {
  int64_t replicas, need; /* need: units of capacity for each replica */
  int64_t x[CLUSTERS], y[CLUSTERS];
  int64_t max_surge, max_unavailable;
};

/* A PodDisruptionBudget. */
struct budget {
  char app;        /* the label of the pods that it selects; 0: all */
  int64_t cluster; /* index; -1: each */
  int64_t number;  /* minAvailable, or maxUnavailable */
  int is_percent, is_least;
};

/* The observation of a binding. */
struct sight {
  int64_t z[CLUSTERS];
  int64_t reported[CLUSTERS], ready[CLUSTERS]; /* or UNKNOWN */
  int64_t since[CLUSTERS];                     /* seconds */
  int is_present;                              /* the binding that was planned, with R replicas */
  int64_t kept[CLUSTERS];                      /* by a task of ours */
  int64_t raw[CLUSTERS], sum;                  /* spec.clusters, with lost ones */
  char app;                                    /* the label of its pods; 0: not known */
  int is_suspended, is_marked, is_triggered;
};

/* The library's result for it. */
struct verdict {
  int64_t state, reason, cluster, cycle; /* cluster: index, or -1 */
  int is_foreign, is_written;
  int64_t next[CLUSTERS]; /* what is written */
  int64_t kept[CLUSTERS]; /* by tasks after the write */
  int is_suspended;       /* after the write */
  char mark[128];         /* after the write */
};

/* One call and its answer. */
struct moment {
  int64_t now; /* seconds */
  size_t n_bindings, n_clusters;
  const struct aim *aims;
  const struct sight *sights;
  const struct verdict *verdicts;
  const int64_t *capacity; /* by cluster: units beside what others hold */
  const int *is_lost;      /* by cluster */
  int is_back, is_karmada;
  size_t n_budgets;
  const struct budget *budgets;
  int is_over_clusters;
};

/* The fault of a result; NULL: none. checker.c, which includes nothing of the library but lists. */
const char *check_moment(const struct moment *moment);

/* Carries out one plan from a seed; returns NULL, or the fault. */
struct story_counts {
  uint64_t writes, moments, done, blocked, foreign, cycles, refused, guarded;
};
const char *run_story(uint64_t seed, struct story_counts *counts);

#endif
