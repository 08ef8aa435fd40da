/* SPDX-License-Identifier: MIT */
/* The facts of a run, in the order in which they occurred. */
#include "histories.h"

#include <stdlib.h>
#include <string.h>

const char *task_first(const char *tasks) {
  return tasks + strspn(tasks, "{");
}

const char *task_next(const char *task) {
  task += strcspn(task, ",}");
  return task + strspn(task, ", }");
}

int is_named(const char *task, const char *cluster) {
  const size_t len = strcspn(cluster, " :");
  return strncmp(task, cluster, len) == 0 && (task[len] == ' ' || task[len] == ':' || task[len] == '\0');
}

const char *task_find(const char *tasks, const char *cluster) {
  const char *task = task_first(tasks);
  while (*task != '\0' && !is_named(task, cluster)) {
    task = task_next(task);
  }
  return *task != '\0' ? task : NULL;
}

int task_is_direct(const char *task) {
  return strncmp(task + strcspn(task, " ,}"), " Directly", 9) == 0;
}

int64_t task_created(const char *task) {
  const char *end = task + strcspn(task, ",}"), *begin = end;
  rebal_time time;
  while (begin > task && begin[-1] != ' ') {
    begin--;
  }
  return rebal_time_parse(begin, (size_t)(end - begin), &time, NULL) == REBAL_OK ? time.seconds : INT64_MAX / 2;
}

int64_t task_timeout(const char *task, const struct facts *facts) {
  const char *reason = strstr(task, " ApplicationFailure");
  return reason != NULL && reason < task + strcspn(task, ",}") ? facts->grace : facts->timeout;
}

int facts_add(struct facts *facts, struct fact fact) {
  if (facts->n == facts->capacity) {
    const size_t capacity = facts->capacity > 0 ? 2 * facts->capacity : 256;
    struct fact *list = realloc(facts->list, capacity * sizeof *list);
    if (list == NULL) {
      return 0;
    }
    facts->list = list;
    facts->capacity = capacity;
  }
  fact.step = facts->steps;
  facts->list[facts->n++] = fact;
  return 1;
}

/* Returns the new value in a row of the log; NULL if the row is of another field. */
static const char *value_now(const char *change, const char *field) {
  const size_t len = strlen(field);
  const char *arrow = strstr(change, " -> ");
  if (strncmp(change, field, len) != 0 || strncmp(change + len, ": ", 2) != 0) {
    return NULL;
  }
  return arrow != NULL ? arrow + 4 : change + len + 2;
}

/* "m1" of "breach: 3 replicas go from m1", "m1 goes" of "breach: what runs in m1 goes"; "" of others. */
static const char *find_loser(const char *change) {
  const char *const before[] = {" replicas go from ", "what runs in "};
  for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
    const char *found = strstr(change, before[i]);
    if (found != NULL) {
      return found + strlen(before[i]);
    }
  }
  return "";
}

static rebal_simulation_entry log_entry(const rebal_simulation *simulation, size_t row) {
  rebal_simulation_entry entry = {.struct_size = sizeof entry};
  (void)rebal_simulation_log_read(simulation, row, &entry, NULL);
  return entry;
}

/* A note that accounts for a breach: its reason begins with the name of the row. */
static int read_warning(const rebal_simulation_entry *entry, struct fact *fact) {
  fact->kind = FACT_WARNING;
  fact->text = entry->reason;
  fact->lost_by = find_loser(entry->change);
  return entry->kind == REBAL_LOG_KIND_NOTE && strncmp(entry->change, "breach: ", 8) == 0;
}

/* A cluster is being deleted: the text is its name. */
static int read_leaving(const char *change, struct fact *fact) {
  const size_t len = strlen("Cluster ");
  if (value_now(change, "metadata.deletionTimestamp") == NULL || strncmp(fact->binding, "Cluster ", len) != 0) {
    return 0;
  }
  fact->kind = FACT_LEAVING;
  fact->text = fact->binding + len;
  return 1;
}

/* Targets that the descheduler writes are a fact of their own. */
static int read_targets(const rebal_simulation_entry *entry, struct fact *fact) {
  fact->kind = strcmp(entry->controller, "descheduler") == 0 ? FACT_DESCHEDULED : FACT_TARGETS;
  fact->text = value_now(entry->change, "spec.clusters");
  return fact->text != NULL;
}

static int read_log_row(const rebal_simulation *simulation, size_t row, int64_t second, struct facts *facts) {
  const rebal_simulation_entry entry = log_entry(simulation, row);
  const char *change = entry.change;
  const char *tasks = value_now(change, "spec.gracefulEvictionTasks");
  const char *conditions = value_now(change, "status.conditions");
  struct fact fact = {.second = second, .binding = entry.object};
  facts->steps += entry.kind == REBAL_LOG_KIND_STEP;
  if (read_warning(&entry, &fact) || read_leaving(change, &fact) || read_targets(&entry, &fact)) {
    return facts_add(facts, fact);
  }
  if (strncmp(fact.binding, "ResourceBinding ", 16) == 0 && value_now(change, "spec.replicas") != NULL) {
    fact.kind = FACT_WANTED; /* the row of shares comes when the round is over */
    fact.assigned = strtoll(value_now(change, "spec.replicas"), NULL, 10);
    return facts_add(facts, fact);
  }
  if (strcmp(change, "deleted") == 0) {
    fact.kind = FACT_DELETED;
    return facts_add(facts, fact);
  }
  if (entry.kind != REBAL_LOG_KIND_CHANGE || (tasks == NULL && conditions == NULL)) {
    return 1;
  }
  fact.kind = tasks != NULL ? FACT_TASKS : FACT_CONDITIONS;
  fact.text = tasks != NULL ? tasks : conditions;
  return facts_add(facts, fact);
}

static int64_t second_of(const rebal_simulation *simulation, size_t row) {
  const rebal_simulation_entry entry = log_entry(simulation, row);
  rebal_time time = {0, 0, 0};
  return rebal_time_parse(entry.time, (size_t)entry.time_len, &time, NULL) == REBAL_OK ? time.seconds : 0;
}

int facts_read(const rebal_simulation *simulation, struct facts *facts) {
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  rebal_simulation_share share = {.struct_size = sizeof share};
  size_t row = 0;
  int is_done = rebal_simulation_summarize(simulation, &summary, NULL) == REBAL_OK;
  for (size_t i = 0; is_done && i < summary.share_rows; i++) {
    is_done = rebal_simulation_share_read(simulation, i, &share, NULL) == REBAL_OK;
    for (; is_done && row < share.log_rows; row++) {
      is_done = read_log_row(simulation, row, second_of(simulation, row), facts);
    }
    is_done = is_done && facts_add(facts, (struct fact){FACT_SHARE, share.time.seconds, share.binding, share.cluster,
                                                        share.assigned, share.ready, share.running, 0,
                                                        (size_t)share.log_rows, ""});
  }
  for (; is_done && row < summary.log_rows; row++) {
    is_done = read_log_row(simulation, row, second_of(simulation, row), facts);
  }
  return is_done;
}
