/* SPDX-License-Identifier: MIT */
/* tests/laws/plain_spread.h - one pass of the plain controller of spreads.h: shared by its two files. */
#ifndef LAWS_PLAIN_SPREAD_H
#define LAWS_PLAIN_SPREAD_H

#include "spreads.h"

struct plain_pod {
  struct spread_pod *pod;
  const char *version;
  size_t subset; /* the number of subsets: in none */
  int is_active;
  int is_stuck;
  int64_t by, score, cost, why, changes, place;
};

struct plain_pass {
  struct spread_case *drawn;
  int64_t replicas;
  size_t n;
  struct plain_pod pods[SPREAD_PODS]; /* in the order of the list */
  size_t n_versions;
  const char *versions[SPREAD_PODS]; /* of pods, by their bytes */
  int is_counted;
  struct spread_status status;                     /* the new one */
  int64_t stuck[SPREAD_LISTS + 1][SPREAD_SUBSETS]; /* by list, the overall one first */
  int64_t soonest;                                 /* nanoseconds to the first timer */
  struct spread_printed events;
};

/* plain_count.c: the new status with its events and timers, and pods that are stuck. */
void plain_count(struct plain_pass *pass);
void plain_report_counts(const struct plain_pass *pass, struct spread_printed *printed);
/* Prints events, the status and stuck pods. The case has the new status afterwards. */
void plain_keep_status(struct plain_pass *pass, struct spread_printed *printed);

#endif
