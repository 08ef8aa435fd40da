/* SPDX-License-Identifier: MIT */
/*
 * Three invariants of what a run tells:
 * 1. Copies of an evicted cluster go only when all clusters that are to have the workload have what they are to have,
 *    ready, and there is one; where the checker is strict or time ended the eviction, only when they have all that is
 *    wanted.
 * 2. No cluster loses the workload because the scheduler finds no cluster for it.
 * 3. Replicas are neither lost nor doubled: what is assigned or kept by an eviction task does not fall below what it
 *    was, or what is wanted if that is less; where the scheduler says that all is placed, exactly what is wanted is. A
 *    workload of which the scheduler begins to say that it cannot place it all is a breach too; what it loses then
 *    belongs to it. Where the checker is strict that alone is none, but every loss is. What goes from a cluster
 *    that is being deleted is not lost by anybody but its operator.
 * The third is looked at when a moment is over.
 */
#include "histories.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS (MEMBERS + 2)

struct pair {
  const char *cluster;
  int64_t assigned, ready, running;
  int64_t rested; /* what it had when the last moment was over */
  int is_leaving; /* the cluster is being deleted */
};

struct subject {
  const char *binding;
  const char *tasks, *tasks_before; /* the list now, and when the round began */
  int has_new_tasks;                /* since the round before */
  uint64_t round;
  int64_t wanted; /* -1: nobody knows yet */
  int64_t covered;
  const char *conditions;       /* "" before the first */
  int has_removal, has_refusal; /* in this moment: a removal was told, the scheduler newly says no */
  int was_placed;
  struct pair now[PAIRS], before[PAIRS]; /* before: when the round began */
  size_t n;
};

const char *breach_name(enum breach_kind kind) {
  static const char *const names[] = {"removal before a replacement is ready", "cleared for lack of a cluster",
                                      "replicas lost or doubled"};
  return names[kind];
}

static void report(struct breaches *breaches, enum breach_kind kind, int64_t second, const struct subject *subject,
                   const char *cluster, const char *cause) {
  if (breaches->n < BREACHES) {
    breaches->list[breaches->n++] = (struct breach){kind, second, subject->binding, cluster, cause};
  }
}

/* The task of a cluster in a list such as {m1 Directly TaintUntolerated, m2 ...}; NULL when it has none. */
static const char *find_task(const char *tasks, const char *cluster) {
  const size_t len = strlen(cluster);
  for (const char *task = tasks; task != NULL && *task != '\0'; task = strpbrk(task + 1, ",}")) {
    const char *name = task + strspn(task, "{, ");
    if (strncmp(name, cluster, len) == 0 && name[len] == ' ') {
      return name;
    }
  }
  return NULL;
}

static int is_copied(const struct subject *subject) {
  return strstr(subject->binding, "/copy") != NULL;
}

static int is_direct(const char *task) {
  return strncmp(task + strcspn(task, " ,}"), " Directly", 9) == 0;
}

static int64_t created_at(const char *task) {
  const char *end = task + strcspn(task, ",}"), *begin = end;
  rebal_time time;
  while (begin > task && begin[-1] != ' ') {
    begin--;
  }
  return rebal_time_parse(begin, (size_t)(end - begin), &time, NULL) == REBAL_OK ? time.seconds : INT64_MAX / 2;
}

/* Which row owns to a removal whose task is this one, "" when none does; NULL: it is no breach. */
static const char *judge_removal(const struct subject *subject, const char *task, int64_t second,
                                 const struct facts *facts) {
  const int is_late = second > created_at(task) + facts->timeout;
  int64_t stated = 0;
  int is_ready = 1;
  for (size_t i = 0; i < subject->n; i++) {
    const struct pair *pair = &subject->before[i];
    stated += pair->assigned;
    is_ready = is_ready && pair->ready >= pair->assigned;
  }
  if (is_late && (stated < subject->wanted || !is_ready)) {
    return "times-out";
  }
  if (stated == 0 || !is_ready) {
    return stated == 0 ? "nowhere-is-healthy" : "";
  }
  return facts->is_strict && stated < subject->wanted ? "" : NULL;
}

static void begin_round(struct subject *subject, uint64_t round) {
  memcpy(subject->before, subject->now, sizeof subject->before);
  subject->tasks_before = subject->has_new_tasks ? subject->tasks_before : "";
  subject->has_new_tasks = 0;
  subject->round = round;
}

static void judge_loss(struct subject *subject, const struct fact *fact, const struct facts *facts,
                       struct breaches *breaches) {
  const char *task = find_task(subject->tasks, fact->text);
  const char *cause;
  task = task != NULL ? task : find_task(subject->tasks_before, fact->text);
  if (task != NULL && is_direct(task)) {
    subject->has_removal = 1; /* it was told with the task */
  } else if (task != NULL) {
    cause = judge_removal(subject, task, fact->second, facts);
    if (cause != NULL) {
      subject->has_removal = 1;
      report(breaches, BREACH_REMOVAL, fact->second, subject, fact->text, cause);
    }
  } else if (strstr(subject->conditions, "Scheduled=False NoClusterFit") != NULL) {
    subject->has_removal = 1;
    report(breaches, BREACH_CLEARED, fact->second, subject, fact->text, "no-fit-clears");
  }
}

static void take_share(struct subject *subject, const struct fact *fact, const struct facts *facts,
                       struct breaches *breaches) {
  size_t i = 0;
  if (fact->round != subject->round) {
    begin_round(subject, fact->round);
  }
  while (i < subject->n && strcmp(subject->now[i].cluster, fact->text) != 0) {
    i++;
  }
  if (fact->text[0] == '\0' || i == PAIRS) {
    subject->wanted = fact->text[0] == '\0' ? fact->assigned : subject->wanted;
    return;
  }
  if (i == subject->n) {
    subject->now[subject->n++] = subject->before[i] = (struct pair){.cluster = fact->text};
  }
  if (fact->assigned == 0 && fact->running < subject->now[i].running && subject->wanted > 0) {
    judge_loss(subject, fact, facts, breaches);
  }
  subject->now[i].assigned = fact->assigned;
  subject->now[i].ready = fact->ready;
  subject->now[i].running = fact->running;
}

/* What a cluster has: what is assigned to it, or else kept there. */
static int64_t held(const struct pair *pair) {
  return pair->assigned > 0 ? pair->assigned : pair->running;
}

/* A moment is over: the third invariant. */
static void rest(struct subject *subject, int64_t second, int is_strict, struct breaches *breaches) {
  const int is_scheduled = strstr(subject->conditions, "Scheduled=True") != NULL;
  const int64_t wanted = subject->wanted > 0 ? subject->wanted : 0;
  int64_t assigned = 0, covered = 0, gone = 0; /* gone: with clusters that are being deleted */
  int is_exact = 1;
  for (size_t i = 0; i < subject->n; i++) {
    struct pair *pair = &subject->now[i];
    assigned += pair->assigned;
    covered += held(pair);
    gone += pair->is_leaving && pair->rested > held(pair) ? pair->rested - held(pair) : 0;
    pair->rested = held(pair);
    is_exact = is_exact && (!is_copied(subject) || pair->assigned == 0 || pair->assigned == wanted);
  }
  is_exact = is_exact && (is_copied(subject) || assigned == wanted);
  if (covered + gone < subject->covered && covered + gone < wanted && !subject->has_removal &&
      (is_strict || is_scheduled)) {
    report(breaches, BREACH_CONSERVATION, second, subject, "", "");
  } else if (is_scheduled && !is_exact) {
    report(breaches, BREACH_CONSERVATION, second, subject, "", "");
  } else if (subject->has_refusal && subject->was_placed && assigned < wanted && !is_strict) {
    report(breaches, BREACH_CONSERVATION, second, subject, "", "keeps-shrunken");
  }
  subject->covered = covered < wanted ? covered : wanted;
  subject->was_placed |= assigned > 0;
  subject->has_removal = subject->has_refusal = 0;
}

static void take_leaving(struct subject *subject, const char *cluster) {
  for (size_t i = 0; i < subject->n; i++) {
    subject->now[i].is_leaving |= strcmp(subject->now[i].cluster, cluster) == 0;
  }
}

static struct subject *find_subject(struct subject *subjects, size_t *n, const char *binding) {
  size_t i = 0;
  while (i < *n && strcmp(subjects[i].binding, binding) != 0) {
    i++;
  }
  if (i == *n) {
    subjects[(*n)++] =
        (struct subject){.binding = binding, .tasks = "", .tasks_before = "", .conditions = "", .wanted = -1};
  }
  return &subjects[i];
}

/* How it went, in a list such as {Scheduled=False Unschedulable, ...}: so much of the scheduler's condition. */
static size_t verdict_len(const char *conditions) {
  const char *verdict = strstr(conditions, "Scheduled=");
  return verdict != NULL ? strcspn(verdict, ",}") : 0;
}

static void take_conditions(struct subject *subject, const char *conditions) {
  const char *old = strstr(subject->conditions, "Scheduled="), *new = strstr(conditions, "Scheduled=False");
  const size_t len = verdict_len(conditions);
  const int is_same = old != NULL && new != NULL &&verdict_len(old) == len &&memcmp(old, new, len) == 0;
  subject->has_refusal |= new != NULL && !is_same &&strstr(new, "NoClusterFit") != new + strlen("Scheduled=False ");
  subject->conditions = conditions;
  subject->was_placed |= strstr(conditions, "Scheduled=True") != NULL;
}

/* The share of a cluster, NULL when it never had one. */
static const struct pair *pair_of(const struct subject *subject, const char *cluster) {
  for (size_t i = 0; i < subject->n; i++) {
    if (strcmp(subject->now[i].cluster, cluster) == 0) {
      return &subject->now[i];
    }
  }
  return NULL;
}

static const char *next_task(const char *task) {
  task += strcspn(task, ",}");
  return task + strspn(task, ", }");
}

/* Judges the tasks of a list that the other one does not have. */
static void judge_tasks(struct subject *subject, const char *list, const char *other, int is_new,
                        const struct fact *fact, const struct facts *facts, struct breaches *breaches) {
  for (const char *task = list + strspn(list, "{"); *task != '\0' && subject->wanted != 0; task = next_task(task)) {
    char cluster[64];
    const struct pair *pair;
    const char *cause = NULL;
    (void)snprintf(cluster, sizeof cluster, "%.*s", (int)strcspn(task, " ,}"), task);
    pair = pair_of(subject, cluster);
    if (find_task(other, cluster) == NULL && is_new && is_direct(task)) {
      cause = "purges-directly";
      subject->has_removal = 1;
    } else if (find_task(other, cluster) == NULL && !is_new && !is_direct(task) &&
               (pair == NULL || pair->running == 0)) {
      cause = judge_removal(subject, task, fact->second, facts);
    }
    if (cause != NULL) {
      report(breaches, BREACH_REMOVAL, fact->second, subject, pair != NULL ? pair->cluster : "", cause);
    }
  }
}

/* What is purged directly is so with its task, even before it started; so is what a task that ended never saw run. */
static void take_tasks(struct subject *subject, const struct fact *fact, const struct facts *facts,
                       struct breaches *breaches) {
  const char *now = strcmp(fact->text, "none") != 0 ? fact->text : "";
  memcpy(subject->before, subject->now, sizeof subject->before);
  judge_tasks(subject, now, subject->tasks, 1, fact, facts, breaches);
  judge_tasks(subject, subject->tasks, now, 0, fact, facts, breaches);
  subject->tasks_before = subject->has_new_tasks ? subject->tasks_before : subject->tasks;
  subject->tasks = now;
  subject->has_new_tasks = 1;
}

static void take(struct subject *subject, const struct fact *fact, const struct facts *facts,
                 struct breaches *breaches) {
  if (fact->kind == FACT_SHARE) {
    take_share(subject, fact, facts, breaches);
  } else if (fact->kind == FACT_TASKS) {
    take_tasks(subject, fact, facts, breaches);
  } else if (fact->kind == FACT_CONDITIONS) {
    take_conditions(subject, fact->text);
  } else if (fact->kind == FACT_DELETED) {
    *subject =
        (struct subject){.binding = subject->binding, .tasks = "", .tasks_before = "", .conditions = "", .wanted = -1};
  }
}

static int is_over(const struct fact *fact, const struct fact *next) {
  return fact->second != next->second || fact->step != next->step;
}

int check_facts(const struct facts *facts, struct breaches *breaches) {
  struct subject *subjects = calloc(facts->n + 1, sizeof *subjects);
  size_t n = 0;
  breaches->n = 0;
  for (size_t i = 0; subjects != NULL && i < facts->n; i++) {
    const struct fact *fact = &facts->list[i];
    for (size_t j = 0; j < n && fact->kind == FACT_LEAVING; j++) {
      take_leaving(&subjects[j], fact->text);
    }
    take(find_subject(subjects, &n, fact->binding), fact, facts, breaches);
    for (size_t j = 0; j < n && (i + 1 == facts->n || is_over(fact, fact + 1)); j++) {
      rest(&subjects[j], fact->second, facts->is_strict, breaches);
    }
  }
  free(subjects);
  return subjects != NULL;
}
