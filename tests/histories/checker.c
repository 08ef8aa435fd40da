/* SPDX-License-Identifier: MIT */
/*
 * Three invariants of what a run tells:
 * 1. An eviction task ends, and copies that it keeps go, only when all clusters that are to have the workload have what
 *    they are to have, ready, and there is one; where the checker is strict or time ended the eviction, only when they
 *    have all that is wanted.
 * 2. No cluster loses the workload because the scheduler finds no cluster for it.
 * 3. Replicas are neither lost nor doubled: what is assigned or kept by an eviction task does not fall below what it
 *    was, or what is wanted if that is less; where the scheduler says that all is placed, exactly what is wanted is. A
 *    workload of which the scheduler begins to say that it cannot place it all is a breach too; what it loses then
 *    belongs to it. Where the checker is strict that alone is none, but every loss is. What goes from a cluster that is
 *    being deleted is not lost by anybody but its operator.
 * The third is looked at when a moment is over.
 */
#include "histories.h"

#include <stdlib.h>
#include <string.h>

struct pair {
  const char *cluster;
  int64_t assigned, ready, running;
  int64_t rested; /* what it had when the last moment was over */
  int is_evicted; /* it has a task, or had one until its copies went */
  int is_leaving; /* the cluster is being deleted */
};

struct subject {
  const char *binding, *tasks, *verdict; /* verdict: the scheduler's, "" before the first */
  int64_t wanted, covered;
  int has_removal, has_refusal; /* in this moment: a removal was told, the scheduler newly says no */
  int was_placed;
  struct pair pairs[MEMBERS];
  size_t n;
};

struct checking {
  const struct facts *facts;
  struct breaches *breaches;
  int64_t second;
};

const char *breach_name(enum breach_kind kind) {
  static const char *const names[] = {"removal before a replacement is ready", "cleared for lack of a cluster",
                                      "replicas lost or doubled"};
  return names[kind];
}

static void report(struct checking *checking, enum breach_kind kind, const struct subject *subject,
                   const struct pair *pair, const char *cause) {
  struct breaches *breaches = checking->breaches;
  if (breaches->n < BREACHES) {
    breaches->list[breaches->n++] =
        (struct breach){kind, checking->second, subject->binding, pair != NULL ? pair->cluster : "", cause};
  }
}

static struct pair *find_pair(struct subject *subject, const char *cluster) {
  size_t i = 0;
  while (i < subject->n && !is_named(subject->pairs[i].cluster, cluster)) {
    i++;
  }
  return i < subject->n ? &subject->pairs[i] : NULL;
}

/* Which row owns to the end of a task, "" when none does; NULL: it is no breach. */
static const char *judge_end(const struct subject *subject, const char *task, const struct checking *checking) {
  const int is_late = checking->second > task_created(task) + checking->facts->timeout;
  int64_t stated = 0;
  int is_ready = 1;
  for (size_t i = 0; i < subject->n; i++) {
    stated += subject->pairs[i].assigned;
    is_ready = is_ready && subject->pairs[i].ready >= subject->pairs[i].assigned;
  }
  if (is_late && (stated < subject->wanted || !is_ready)) {
    return "times-out";
  }
  if (stated == 0 || !is_ready) {
    return stated == 0 ? "nowhere-is-healthy" : "";
  }
  return checking->facts->is_strict && stated < subject->wanted ? "" : NULL;
}

/* Judges the tasks of a list that the other one does not have: what is purged directly is so with its task. */
static void judge_tasks(struct subject *subject, const char *list, const char *other, int is_new,
                        struct checking *checking) {
  for (const char *task = task_first(list); *task != '\0' && subject->wanted != 0; task = task_next(task)) {
    struct pair *pair = find_pair(subject, task);
    const char *cause = NULL;
    if (task_find(other, task) != NULL) {
      continue;
    }
    if (is_new) {
      cause = task_is_direct(task) ? "purges-directly" : NULL;
    } else if (!task_is_direct(task)) {
      cause = judge_end(subject, task, checking);
    }
    if (pair != NULL) {
      pair->is_evicted = 1;
    }
    if (cause != NULL) {
      subject->has_removal = 1;
      report(checking, BREACH_REMOVAL, subject, pair, cause);
    }
  }
}

static void take_tasks(struct subject *subject, const char *tasks, struct checking *checking) {
  judge_tasks(subject, tasks, subject->tasks, 1, checking);
  judge_tasks(subject, subject->tasks, tasks, 0, checking);
  subject->tasks = tasks;
}

/* Copies go that are assigned no longer; those of an evicted cluster went with the end of its task. */
static void judge_loss(struct subject *subject, const struct pair *pair, struct checking *checking) {
  const char *task = task_find(subject->tasks, pair->cluster);
  const char *cause = task != NULL && !task_is_direct(task) ? judge_end(subject, task, checking) : NULL;
  if (cause != NULL) {
    subject->has_removal = 1;
    report(checking, BREACH_REMOVAL, subject, pair, cause);
  } else if (!pair->is_evicted && strncmp(subject->verdict, "Scheduled=False NoClusterFit", 28) == 0) {
    subject->has_removal = 1;
    report(checking, BREACH_CLEARED, subject, pair, "no-fit-clears");
  }
}

static void take_share(struct subject *subject, const struct fact *fact, struct checking *checking) {
  struct pair *pair = find_pair(subject, fact->text);
  if (fact->text[0] == '\0') {
    subject->wanted = fact->assigned;
    return;
  }
  if (pair == NULL) {
    pair = &subject->pairs[subject->n++];
    *pair = (struct pair){.cluster = fact->text};
  }
  if (fact->assigned == 0 && fact->running < pair->running && subject->wanted > 0) {
    judge_loss(subject, pair, checking);
  }
  pair->assigned = fact->assigned;
  pair->ready = fact->ready;
  pair->running = fact->running;
  pair->is_evicted = pair->is_evicted && pair->assigned == 0 && pair->running > 0;
}

static void take_verdict(struct subject *subject, const char *conditions) {
  const char *found = strstr(conditions, "Scheduled="), *verdict = found != NULL ? found : "";
  const int is_new = strncmp(verdict, subject->verdict, strcspn(verdict, ",}")) != 0;
  subject->has_refusal |= is_new && strncmp(verdict, "Scheduled=False", 15) == 0 &&
                          strncmp(verdict, "Scheduled=False NoClusterFit", 28) != 0;
  subject->was_placed |= strncmp(verdict, "Scheduled=True", 14) == 0;
  subject->verdict = verdict;
}

/* A moment is over: the third invariant. */
static void rest(struct subject *subject, struct checking *checking) {
  const int is_copied = strstr(subject->binding, "/copy") != NULL, is_strict = checking->facts->is_strict;
  const int is_scheduled = strncmp(subject->verdict, "Scheduled=True", 14) == 0;
  int64_t assigned = 0, covered = 0, gone = 0; /* gone: with clusters that are being deleted */
  int is_exact = 1;
  for (size_t i = 0; i < subject->n; i++) {
    struct pair *pair = &subject->pairs[i];
    const int64_t held = pair->assigned > 0 ? pair->assigned : pair->running;
    assigned += pair->assigned;
    covered += held;
    gone += pair->is_leaving && pair->rested > held ? pair->rested - held : 0;
    pair->rested = held;
    is_exact = is_exact && (!is_copied || pair->assigned == 0 || pair->assigned == subject->wanted);
  }
  is_exact = is_exact && (is_copied || assigned == subject->wanted);
  covered = covered < subject->wanted ? covered : subject->wanted;
  if (is_scheduled && !is_exact) {
    report(checking, BREACH_CONSERVATION, subject, NULL, "");
  } else if (covered < subject->wanted && covered + gone < subject->covered && !subject->has_removal &&
             (is_strict || is_scheduled)) {
    report(checking, BREACH_CONSERVATION, subject, NULL, "");
  } else if (subject->has_refusal && subject->was_placed && assigned < subject->wanted && !is_strict) {
    report(checking, BREACH_CONSERVATION, subject, NULL, "keeps-shrunken");
  }
  subject->covered = covered;
  subject->was_placed |= assigned > 0;
  subject->has_removal = subject->has_refusal = 0;
}

static void leave(struct subject *subjects, size_t n, const char *cluster) {
  for (size_t i = 0; i < n; i++) {
    struct pair *pair = find_pair(&subjects[i], cluster);
    if (pair != NULL) {
      pair->is_leaving = 1;
    }
  }
}

static struct subject *find_subject(struct subject *subjects, size_t *n, const char *binding) {
  size_t i = 0;
  while (i < *n && strcmp(subjects[i].binding, binding) != 0) {
    i++;
  }
  if (i == *n) {
    subjects[(*n)++] = (struct subject){.binding = binding, .tasks = "", .verdict = ""};
  }
  return &subjects[i];
}

static void take(struct subject *subject, const struct fact *fact, struct checking *checking) {
  checking->second = fact->second;
  if (fact->kind == FACT_SHARE) {
    take_share(subject, fact, checking);
  } else if (fact->kind == FACT_TASKS) {
    take_tasks(subject, strcmp(fact->text, "none") != 0 ? fact->text : "", checking);
  } else if (fact->kind == FACT_CONDITIONS) {
    take_verdict(subject, fact->text);
  } else if (fact->kind == FACT_DELETED) {
    *subject = (struct subject){.binding = subject->binding, .tasks = "", .verdict = ""};
  }
}

static int is_over(const struct fact *fact, const struct fact *next) {
  return fact->second != next->second || fact->step != next->step;
}

int check_facts(const struct facts *facts, struct breaches *breaches) {
  struct subject *subjects = calloc(facts->n + 1, sizeof *subjects);
  struct checking checking = {facts, breaches, 0};
  size_t n = 0;
  breaches->n = 0;
  for (size_t i = 0; subjects != NULL && i < facts->n; i++) {
    const struct fact *fact = &facts->list[i];
    if (fact->kind == FACT_LEAVING) {
      leave(subjects, n, fact->text);
    }
    take(find_subject(subjects, &n, fact->binding), fact, &checking);
    for (size_t j = 0; j < n && (i + 1 == facts->n || is_over(fact, fact + 1)); j++) {
      rest(&subjects[j], &checking);
    }
  }
  free(subjects);
  return subjects != NULL;
}
