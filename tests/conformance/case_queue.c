/* SPDX-License-Identifier: MIT */
/* A queue as a caller keeps it: entries of the runner, moved as the functions of the library return. */
#include "cases.h"

#include <string.h>

#define ENTRIES_MAX 64
#define SECOND_MS 1000
#define IN_WORK (-1) /* beside REBAL_POOL_* */

struct entry {
  const char *name;
  int32_t pool; /* NONE: it is not in the queue */
  int32_t priority;
  uint32_t attempts;
  int64_t since;  /* last entry into the active pool, in milliseconds */
  int64_t due;    /* when a check takes it from a pool it waits in */
  uint64_t order; /* of entries into the active pool */
  int again;      /* pushed while in work */
};

struct queue {
  struct entry entries[ENTRIES_MAX];
  size_t n;
  uint64_t order;
  int64_t now;
};

static rebal_time moment(int64_t milliseconds) {
  return (rebal_time){milliseconds / SECOND_MS, (int32_t)(milliseconds % SECOND_MS) * 1000000, 1};
}

static int64_t milliseconds(const rebal_time *time) {
  return time->seconds * SECOND_MS + (int64_t)time->nanos / 1000000;
}

static int comes_first(const struct entry *entry, const struct entry *other) {
  const rebal_time since = moment(entry->since);
  const rebal_time other_since = moment(other->since);
  const int32_t order = rebal_queue_compare(entry->priority, &since, other->priority, &other_since);

  return order != 0 ? order < 0 : entry->order < other->order;
}

static void activate(struct queue *queue, struct entry *entry, int64_t since) {
  entry->pool = REBAL_POOL_ACTIVE;
  entry->since = since;
  entry->order = ++queue->order;
}

/* The entry of a name, a new one that is not queued if there is none; NULL when there are too many. */
static struct entry *entry_of(struct queue *queue, const char *name) {
  size_t i = 0;

  while (i < queue->n && strcmp(queue->entries[i].name, name) != 0) {
    i++;
  }
  if (i == ENTRIES_MAX) {
    return NULL;
  }
  if (i == queue->n) {
    queue->entries[queue->n++] = (struct entry){.name = name};
  }
  return &queue->entries[i];
}

/* The first of a pool in the order of rebal_queue_compare(); of one that time empties, the first that is due by now. */
static struct entry *first_of(struct queue *queue, int is_active) {
  struct entry *first = NULL;
  size_t i;

  for (i = 0; i < queue->n; i++) {
    struct entry *entry = &queue->entries[i];
    const int waits = entry->pool == REBAL_POOL_BACK_OFF || entry->pool == REBAL_POOL_UNSCHEDULABLE;

    if (is_active ? entry->pool == REBAL_POOL_ACTIVE && (first == NULL || comes_first(entry, first))
                  : waits && entry->due <= queue->now &&
                        (first == NULL || entry->due < first->due ||
                         (entry->due == first->due && comes_first(entry, first)))) {
      first = entry;
    }
  }
  return first;
}

static void advance(struct queue *queue, int64_t now) {
  struct entry *entry;

  queue->now = now;
  while ((entry = first_of(queue, 0)) != NULL) {
    activate(queue, entry, entry->due);
  }
}

/* ---- operations ---- */

static void push(struct queue *queue, struct entry *entry, int32_t priority) {
  if (entry->pool == IN_WORK) {
    entry->again = 1;
  } else if (entry->pool != REBAL_POOL_ACTIVE) {
    entry->attempts = 0;
    entry->priority = priority;
    activate(queue, entry, queue->now);
  }
}

/* A check that was made before the entry came to the pool does not find it. */
static int wait_in(struct conformance *run, struct queue *queue, struct entry *entry) {
  const int64_t period = (entry->pool == REBAL_POOL_UNSCHEDULABLE ? 30 : 1) * (int64_t)SECOND_MS;
  const rebal_time since = moment(entry->since);
  const rebal_time start = moment(0);
  rebal_time due;

  if (failed(run, rebal_queue_flush(entry->pool, &since, entry->attempts, &start, &due, &run->err))) {
    return 1;
  }
  for (entry->due = milliseconds(&due); entry->due <= queue->now; entry->due += period) {
  }
  return 0;
}

static int finish(struct conformance *run, struct queue *queue, struct entry *entry, const char *as) {
  const int is_scheduled = strcmp(as, "scheduled") == 0;

  if (entry->pool != IN_WORK) {
    return 0;
  }
  if (entry->again) {
    entry->again = 0;
    activate(queue, entry, queue->now);
    return 0;
  }
  entry->pool = rebal_queue_pool(is_scheduled ? REBAL_STEP_STATE_DONE : REBAL_STEP_STATE_RETRY,
                                 is_scheduled                       ? REBAL_OUTCOME_SCHEDULED
                                 : strcmp(as, "unschedulable") == 0 ? REBAL_OUTCOME_UNSCHEDULABLE
                                                                    : REBAL_OUTCOME_SCHEDULER_ERROR);
  return entry->pool == REBAL_POOL_BACK_OFF || entry->pool == REBAL_POOL_UNSCHEDULABLE ? wait_in(run, queue, entry) : 0;
}

/* ---- outcome ---- */

static json_t *describe(const struct entry *entry) {
  json_t *outcome = json_pack("{s:s, s:I}", "binding", entry->name, "since", (json_int_t)entry->since);

  if (entry->priority != 0) {
    (void)json_object_set_new(outcome, "priority", json_integer(entry->priority));
  }
  if (entry->attempts != 0) {
    (void)json_object_set_new(outcome, "attempts", json_integer(entry->attempts));
  }
  return outcome;
}

static json_t *pop(struct queue *queue) {
  struct entry *entry = first_of(queue, 1);

  if (entry == NULL) {
    return json_pack("{s:b}", "empty", 1);
  }
  entry->pool = IN_WORK;
  entry->attempts++;
  return describe(entry);
}

static void insert(json_t *outcome, const char *member, json_t *item, const char *name) {
  json_t *list = json_object_get(outcome, member);
  size_t i = 0;

  if (list == NULL) {
    list = json_array();
    (void)json_object_set_new(outcome, member, list);
  }
  while (i < json_array_size(list)) {
    const json_t *there = json_array_get(list, i);

    if (strcmp(json_is_string(there) ? json_string_value(there) : text_at(there, "binding"), name) > 0) {
      break;
    }
    i++;
  }
  (void)json_array_insert_new(list, i, item);
}

static json_t *look(const struct queue *queue) {
  struct queue copy = *queue;
  json_t *outcome = json_object();
  json_t *active = json_array();
  struct entry *entry;
  size_t i;

  while ((entry = first_of(&copy, 1)) != NULL) {
    (void)json_array_append_new(active, describe(entry));
    entry->pool = REBAL_POOL_NONE;
  }
  if (json_array_size(active) > 0) {
    (void)json_object_set(outcome, "active", active);
  }
  json_decref(active);
  for (i = 0; i < queue->n; i++) {
    const struct entry *other = &queue->entries[i];

    if (other->pool == REBAL_POOL_BACK_OFF) {
      insert(outcome, "backOff", describe(other), other->name);
    } else if (other->pool == REBAL_POOL_UNSCHEDULABLE) {
      insert(outcome, "unschedulable", describe(other), other->name);
    } else if (other->pool == IN_WORK) {
      insert(outcome, "inWork", json_string(other->name), other->name);
    }
    if (other->again) {
      insert(outcome, "again", json_string(other->name), other->name);
    }
  }
  return outcome;
}

static int operate(struct conformance *run, struct queue *queue, const json_t *op, json_t *results) {
  const char *name = json_object_get(op, "push") != NULL ? text_at(op, "push") : text_at(op, "finish");
  struct entry *entry = *name == '\0' ? NULL : entry_of(queue, name);

  if (*name != '\0' && entry == NULL) {
    run->fault = "too many bindings";
    return 1;
  }
  advance(queue, integer_at(op, "at", 0));
  if (json_object_get(op, "push") != NULL) {
    push(queue, entry, (int32_t)integer_at(op, "priority", 0));
  } else if (json_object_get(op, "finish") != NULL) {
    return finish(run, queue, entry, text_at(op, "as"));
  } else if (json_object_get(op, "pop") != NULL) {
    (void)json_array_append_new(results, pop(queue));
  } else {
    (void)json_array_append_new(results, look(queue));
  }
  return 0;
}

json_t *case_queue(struct conformance *run, const json_t *input) {
  struct queue queue = {.n = 0};
  json_t *results = json_array();
  const json_t *op;
  json_t *outcome;
  int failure = 0;
  size_t i;

  json_array_foreach(json_object_get(input, "ops"), i, op) {
    failure = failure || operate(run, &queue, op, results);
  }
  outcome = failure ? NULL : json_pack("{s:O}", "results", results);
  json_decref(results);
  return outcome;
}
