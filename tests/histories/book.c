/* SPDX-License-Identifier: MIT */
/* Reads the facts of a run into the book and calls the rules. A moment ends when the clock moves or a step begins. */
#include "book.h"

#include <stdlib.h>
#include <string.h>

int64_t held(const struct pair *pair) {
  const int64_t kept = pair->kept > pair->ready ? pair->kept : pair->ready;
  return pair->assigned > 0 ? pair->assigned : kept;
}

int is_copied(const struct subject *subject) {
  return strstr(subject->binding, "/copy") != NULL;
}

/* Returns the number of clusters that must have all desired replicas; 1 as long as there are none. */
static int64_t count_wholes(const struct subject *subject) {
  int64_t n = 0;
  for (size_t i = 0; i < subject->n; i++) {
    n += subject->pairs[i].targeted > 0;
  }
  return is_copied(subject) && n > 0 ? n : 1;
}

int is_refused(const struct subject *subject, const char *reason) {
  static const char refusal[] = "Scheduled=False ";
  const size_t len = sizeof refusal - 1;
  return strncmp(subject->verdict, refusal, len) == 0 && strncmp(subject->verdict + len, reason, strlen(reason)) == 0;
}

static struct pair *find_pair(struct subject *subject, const char *cluster) {
  size_t i = 0;
  while (i < subject->n && !is_named(subject->pairs[i].cluster, cluster)) {
    i++;
  }
  return i < subject->n ? &subject->pairs[i] : NULL;
}

static struct pair *make_pair(struct subject *subject, const char *cluster) {
  struct pair *pair = find_pair(subject, cluster);
  if (pair == NULL) {
    pair = &subject->pairs[subject->n++];
    *pair = (struct pair){.cluster = cluster};
  }
  return pair;
}

/* Records the current targets; they may be removed before the round ends. */
static void take_targets(struct subject *subject, const char *targets) {
  for (size_t i = 0; i < subject->n; i++) {
    subject->pairs[i].targeted = 0;
  }
  for (const char *target = task_first(targets); *target != '\0'; target = task_next(target)) {
    struct pair *pair = make_pair(subject, target);
    const int64_t assigned = strtoll(target + strcspn(target, ":") + 1, NULL, 10);
    pair->targeted = assigned;
    pair->promised = assigned > pair->promised ? assigned : pair->promised;
  }
}

static void begin_task(struct book *book, struct subject *subject, const char *task) {
  struct pair *pair = make_pair(subject, task);
  const int64_t gone = pair->promised > pair->ready ? pair->promised : pair->ready;
  if (gone > 0 && subject->wanted > 0) {
    judge_new_task(book, subject, pair, task);
  }
  pair->is_evicted = 1;
  pair->kept = task_is_direct(task) ? 0 : gone;
}

static void end_task(struct book *book, struct subject *subject, const char *task) {
  struct pair *pair = make_pair(subject, task);
  if ((pair->kept > 0 || pair->ready > 0) && subject->wanted > 0) {
    judge_ended_task(book, subject, pair, task);
  }
  pair->is_evicted = 1;
  pair->kept = 0;
}

/* The tasks of one list that the other one does not have; a direct purge removes the replicas with its task. */
static void compare_tasks(struct book *book, struct subject *subject, const char *list, const char *other,
                          void (*take_task)(struct book *, struct subject *, const char *)) {
  for (const char *task = task_first(list); *task != '\0'; task = task_next(task)) {
    if (task_find(other, task) == NULL) {
      take_task(book, subject, task);
    }
  }
}

static void take_tasks(struct book *book, struct subject *subject, const char *tasks) {
  compare_tasks(book, subject, tasks, subject->tasks, begin_task);
  compare_tasks(book, subject, subject->tasks, tasks, end_task);
  subject->tasks = tasks;
}

static void take_share(struct book *book, struct subject *subject, const struct fact *fact) {
  struct pair *pair = fact->text[0] != '\0' ? make_pair(subject, fact->text) : NULL;
  if (pair == NULL) {
    subject->wanted = fact->assigned / count_wholes(subject);
    return;
  }
  if (fact->assigned == 0 && subject->wanted > 0 &&
      fact->running < (task_find(subject->tasks, fact->text) != NULL ? pair->running : held(pair))) {
    judge_gone_copies(book, subject, pair);
  }
  pair->cluster = fact->text;
  pair->assigned = pair->targeted = fact->assigned;
  pair->ready = fact->ready;
  pair->running = fact->running;
  pair->is_evicted = pair->is_evicted && pair->assigned == 0 && pair->running > 0;
  subject->was_placed |= pair->assigned > 0;
}

static void take_conditions(struct book *book, struct subject *subject, const char *conditions) {
  const char *found = strstr(conditions, "Scheduled="), *verdict = found != NULL ? found : "";
  const int is_new = strncmp(verdict, subject->verdict, strcspn(verdict, ",}")) != 0;
  subject->verdict = verdict;
  subject->was_placed |= strncmp(verdict, "Scheduled=True", 14) == 0;
  if (is_new) {
    judge_new_verdict(book, subject);
  }
}

static void take_leaving(struct book *book, const char *cluster) {
  for (size_t i = 0; i < book->n; i++) {
    struct pair *pair = find_pair(&book->subjects[i], cluster);
    if (pair != NULL) {
      pair->is_leaving = 1;
    }
  }
}

static struct subject *find_subject(struct book *book, const char *binding) {
  size_t i = 0;
  while (i < book->n && strcmp(book->subjects[i].binding, binding) != 0) {
    i++;
  }
  if (i == book->n) {
    book->subjects[book->n++] = (struct subject){.binding = binding, .tasks = "", .verdict = ""};
  }
  return &book->subjects[i];
}

static void take(struct book *book, const struct fact *fact) {
  struct subject *subject = find_subject(book, fact->binding);
  book->second = fact->second;
  if (fact->kind == FACT_SHARE) {
    take_share(book, subject, fact);
  } else if (fact->kind == FACT_WANTED) {
    subject->wanted = fact->assigned;
  } else if (fact->kind == FACT_TASKS) {
    take_tasks(book, subject, strcmp(fact->text, "none") != 0 ? fact->text : "");
  } else if (fact->kind == FACT_CONDITIONS) {
    take_conditions(book, subject, fact->text);
  } else if (fact->kind == FACT_TARGETS) {
    take_targets(subject, strcmp(fact->text, "none") != 0 ? fact->text : "");
  } else if (fact->kind == FACT_DESCHEDULED) {
    subject->is_descheduling = subject->is_descheduled = 1;
  } else if (fact->kind == FACT_DELETED) {
    *subject = (struct subject){.binding = subject->binding, .tasks = "", .verdict = ""};
  } else if (fact->kind == FACT_LEAVING) {
    take_leaving(book, fact->text);
  }
}

static void end_round(struct book *book, struct subject *subject) {
  judge_round(book, subject);
  for (size_t i = 0; i < subject->n; i++) {
    subject->pairs[i].stood = held(&subject->pairs[i]);
    subject->pairs[i].promised = subject->pairs[i].assigned;
  }
  subject->is_removed = subject->is_descheduling = 0;
}

static void end_moment(struct book *book, struct subject *subject) {
  judge_moment(book, subject);
  for (size_t i = 0; i < subject->n; i++) {
    subject->pairs[i].rested = held(&subject->pairs[i]);
    subject->pairs[i].were_ready = subject->pairs[i].ready;
  }
  subject->was_removed = subject->is_descheduled = 0;
}

int check_facts(const struct facts *facts, struct breaches *breaches) {
  struct book book = {facts, breaches, 0, calloc(facts->n + 1, sizeof *book.subjects), 0};
  breaches->n = 0;
  for (size_t i = 0; book.subjects != NULL && i < facts->n; i++) {
    const struct fact *fact = &facts->list[i], *next = i + 1 < facts->n ? fact + 1 : NULL;
    const int is_over = next == NULL || fact->second != next->second || fact->step != next->step;
    const int is_round =
        is_over || (fact->kind == FACT_SHARE && (next->kind != FACT_SHARE || fact->round != next->round));
    take(&book, fact);
    for (size_t j = 0; is_round && j < book.n; j++) {
      end_round(&book, &book.subjects[j]);
      if (is_over) {
        end_moment(&book, &book.subjects[j]);
      }
    }
  }
  free(book.subjects);
  return book.subjects != NULL;
}
