/* SPDX-License-Identifier: MIT */
/* The state of each workload while a run is read (book.c), and the rules that are called then (checker.c). */
#ifndef BOOK_H
#define BOOK_H

#include "histories.h"

/* A workload in a cluster. */
struct pair {
  const char *cluster;
  int64_t assigned, ready, running;
  int64_t stood;              /* replicas that it held when the last round ended */
  int64_t promised;           /* the largest number assigned since */
  int64_t targeted;           /* the number assigned now, before the round ends */
  int64_t kept;               /* by a task: the number assigned or ready when it began */
  int64_t rested, were_ready; /* the numbers held and ready when the last moment ended */
  int is_evicted;             /* it has a task, or had one until its copies went */
  int is_leaving;             /* the cluster is being deleted */
};

struct subject {
  const char *binding, *tasks, *verdict; /* verdict: the scheduler's, "" before the first */
  int64_t wanted, covered;               /* of copies, desired in each cluster; covered: when the last moment ended */
  int is_removed, was_removed;           /* a removal was reported: in this round, in this moment */
  int is_descheduling, is_descheduled;   /* in this round, in this moment */
  int was_placed;
  struct pair pairs[MEMBERS];
  size_t n;
};

struct book {
  const struct facts *facts;
  struct breaches *breaches;
  int64_t second;
  struct subject *subjects;
  size_t n;
};

/* Replicas of a workload in a cluster: those assigned, or copies that are kept or ready. */
int64_t held(const struct pair *pair);
/* Must every cluster have the workload in full? */
int is_copied(const struct subject *subject);
int is_refused(const struct subject *subject, const char *reason);

/* ---- the rules: each is checked when its event occurs ---- */

void judge_new_task(struct book *book, struct subject *subject, const struct pair *pair, const char *task);
void judge_ended_task(struct book *book, struct subject *subject, const struct pair *pair, const char *task);
void judge_gone_copies(struct book *book, struct subject *subject, const struct pair *pair);
void judge_new_verdict(struct book *book, struct subject *subject);
void judge_round(struct book *book, struct subject *subject);
void judge_moment(struct book *book, struct subject *subject);

#endif
