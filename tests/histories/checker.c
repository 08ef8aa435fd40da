/* SPDX-License-Identifier: MIT */
/*
 * The invariants of a run. If the checker is strict, nothing may be removed before its replacement is ready, at any
 * price; else rows of rebalance-compat(7) account for the behaviour of the reference.
 */
#include "book.h"

#include <string.h>

const char *breach_name(enum breach_kind kind) {
  static const char *const names[] = {"removal before a replacement is ready", "cleared for lack of a cluster",
                                      "replicas lost or doubled", "nothing left of what is wanted"};
  return names[kind];
}

static void report(struct book *book, enum breach_kind kind, struct subject *subject, const struct pair *pair,
                   const char *cause) {
  struct breaches *breaches = book->breaches;
  if (breaches->n < BREACHES) {
    breaches->list[breaches->n++] =
        (struct breach){kind, book->second, subject->binding, pair != NULL ? pair->cluster : "", cause};
  }
  if (kind == BREACH_REMOVAL || kind == BREACH_CLEARED) {
    subject->is_removed = subject->was_removed = 1;
  }
}

/*
 * 1. An eviction task ends, and its copies are removed, only when all clusters that must have the workload have their
 * replicas ready, and there is one. If the checker is strict or the eviction timed out, all desired replicas must be
 * there.
 */
static void judge_end(struct book *book, struct subject *subject, const struct pair *pair, const char *task) {
  const int is_late = book->second > task_created(task) + task_timeout(task, book->facts);
  int64_t stated = 0;
  int is_healthy = 1, is_ready = 1; /* healthy: all running replicas are ready, even if they are fewer than assigned */
  for (size_t i = 0; i < subject->n; i++) {
    const struct pair *at = &subject->pairs[i];
    stated += at->targeted;
    is_healthy = is_healthy && (at->targeted == 0 || (at->running > 0 && at->ready >= at->running));
    is_ready = is_ready && is_healthy && at->ready >= at->targeted;
  }
  if (is_late && (stated < subject->wanted || !is_ready)) {
    report(book, BREACH_REMOVAL, subject, pair, "times-out");
  } else if (stated == 0) {
    report(book, BREACH_REMOVAL, subject, pair, "nowhere-is-healthy");
  } else if (!is_ready || (book->facts->is_strict && stated < subject->wanted)) {
    report(book, BREACH_REMOVAL, subject, pair, !is_ready && is_healthy ? "health-is-stale" : "");
  }
}

void judge_new_task(struct book *book, struct subject *subject, const struct pair *pair, const char *task) {
  if (task_is_direct(task)) {
    report(book, BREACH_REMOVAL, subject, pair, "purges-directly");
  }
}

void judge_ended_task(struct book *book, struct subject *subject, const struct pair *pair, const char *task) {
  if (!task_is_direct(task)) {
    judge_end(book, subject, pair, task);
  }
}

/*
 * 2. No cluster loses the workload because the scheduler finds no cluster for it. Copies that are removed are no longer
 * assigned; those of an evicted cluster left with the end of its task, and those that were not ready with the
 * descheduler.
 */
void judge_gone_copies(struct book *book, struct subject *subject, const struct pair *pair) {
  const char *task = task_find(subject->tasks, pair->cluster);
  const size_t before = book->breaches->n;
  const int is_descheduled = subject->is_descheduling && pair->ready == 0;
  if (task != NULL) {
    judge_ended_task(book, subject, pair, task);
  }
  if (book->breaches->n == before && !pair->is_evicted && !is_descheduled && is_refused(subject, "NoClusterFit")) {
    report(book, BREACH_CLEARED, subject, pair, "no-fit-clears");
  }
}

/* 3. When the scheduler first reports that it cannot place a workload, the workload has all desired replicas. */
void judge_new_verdict(struct book *book, struct subject *subject) {
  int64_t assigned = 0;
  for (size_t i = 0; i < subject->n; i++) {
    assigned += subject->pairs[i].assigned;
  }
  if (is_refused(subject, "") && !is_refused(subject, "NoClusterFit") && subject->was_placed &&
      assigned < subject->wanted && !book->facts->is_strict) {
    report(book, BREACH_CONSERVATION, subject, NULL, "keeps-shrunken");
  }
}

/* Replicas leave a deleted cluster by the operator's choice; those that the descheduler removes were not ready. */
static int64_t lost(const struct subject *subject, const struct pair *pair, int64_t before) {
  const int64_t ready = pair->were_ready < before ? pair->were_ready : before;
  before = pair->is_leaving ? 0 : subject->is_descheduled ? ready : before;
  return before > held(pair) ? before - held(pair) : 0;
}

/* 4. A desired workload never loses all replicas, assigned or kept, except by a removal that a row accounts for. */
void judge_round(struct book *book, struct subject *subject) {
  int64_t left = 0, gone = 0;
  for (size_t i = 0; i < subject->n; i++) {
    left += held(&subject->pairs[i]);
    gone += lost(subject, &subject->pairs[i], subject->pairs[i].stood);
  }
  if (subject->wanted > 0 && left == 0 && gone > 0 && (book->facts->is_strict || !subject->is_removed)) {
    report(book, BREACH_EMPTY, subject, NULL, "");
  }
}

/*
 * 5. Replicas are neither lost nor doubled between two moments: if the scheduler reports that all are placed, their
 * number is the desired one. Then, and if the checker is strict, the number held does not fall below the former one, or
 * the desired one if that is less. Replicas that a removal takes are part of that removal.
 */
void judge_moment(struct book *book, struct subject *subject) {
  const int is_placed = strncmp(subject->verdict, "Scheduled=True", 14) == 0;
  int64_t assigned = 0, covered = 0, excused = 0;
  int is_exact = 1;
  for (size_t i = 0; i < subject->n; i++) {
    const struct pair *pair = &subject->pairs[i];
    assigned += pair->assigned;
    covered += held(pair);
    excused += (pair->rested > held(pair) ? pair->rested - held(pair) : 0) - lost(subject, pair, pair->rested);
    is_exact = is_exact && (!is_copied(subject) || pair->assigned == 0 || pair->assigned == subject->wanted);
  }
  covered = covered < subject->wanted ? covered : subject->wanted;
  if ((is_placed && !is_exact) || (is_placed && !is_copied(subject) && assigned != subject->wanted) ||
      (covered < subject->wanted && covered + excused < subject->covered && !subject->was_removed &&
       (is_placed || book->facts->is_strict))) {
    report(book, BREACH_CONSERVATION, subject, NULL, "");
  }
  subject->covered = covered;
}
