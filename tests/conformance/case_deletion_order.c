/* SPDX-License-Identifier: MIT */
/* Which pods the controller of a workload deletes in one pass; of StatefulSets, in passes one after another. */
#include "cases.h"

#include "spreads.h"

#include <rebalance/simulation.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 128

struct passing {
  struct conformance *run;
  rebal_store *store;
  uint32_t workload;
  rebal_time now;
  uint32_t pods[ROWS_MAX], rules[ROWS_MAX], actions[ROWS_MAX], are_old[ROWS_MAX];
  int64_t ordinals[ROWS_MAX];
  size_t n;
};

static int put(struct conformance *run, rebal_store *store, const json_t *object) {
  char *text = json_dumps(object, JSON_COMPACT);
  const int is_broken = text == NULL || failed(run, rebal_store_put(store, text, strlen(text), &run->err));

  free(text);
  return is_broken;
}

/* The workload has the revision of its template in its status. */
static int put_all(struct passing *passing, const json_t *input) {
  static const char *const lists[] = {"pods", "objects"};
  json_t *workload = json_deep_copy(json_object_get(input, "workload"));
  const json_t *revision = json_object_get(input, "updateRevision"), *object;
  int is_broken;
  size_t j;

  if (revision != NULL) {
    (void)json_object_set_new(workload, "status", json_pack("{s:O}", "updateRevision", revision));
  }
  is_broken = put(passing->run, passing->store, workload);
  json_decref(workload);
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    json_array_foreach(json_object_get(input, lists[i]), j, object) {
      is_broken = is_broken || put(passing->run, passing->store, object);
    }
  }
  return is_broken;
}

static int pass(struct passing *passing) {
  rebal_deletion_rows rows = {.struct_size = sizeof rows,
                              .capacity = ROWS_MAX,
                              .pods = passing->pods,
                              .rules = passing->rules,
                              .actions = passing->actions,
                              .are_old = passing->are_old,
                              .ordinals = passing->ordinals};
  const int32_t code =
      rebal_deletion_order(passing->store, passing->workload, &passing->now, &rows, &passing->run->err);

  passing->n = (size_t)rows.n;
  return failed(passing->run, code) || (rows.n > ROWS_MAX && fault(passing->run, "there are too many rows") == NULL);
}

/* ---- outcome ---- */

static const char *name_of(const struct passing *passing, size_t row) {
  return rebal_store_identity(passing->store, passing->pods[row], REBAL_IDENTITY_NAME, NULL);
}

static void insert_sorted(json_t *names, const char *name) {
  size_t place = 0;

  while (place < json_array_size(names) && strcmp(json_string_value(json_array_get(names, place)), name) < 0) {
    place++;
  }
  (void)json_array_insert_new(names, place, json_string(name));
}

/* Names of the pods with an action, sorted. */
static json_t *names_of(const struct passing *passing, uint32_t action) {
  json_t *names = json_array();

  for (size_t i = 0; i < passing->n; i++) {
    if (passing->actions[i] == action) {
      insert_sorted(names, name_of(passing, i));
    }
  }
  return names;
}

static void report_some(const struct passing *passing, uint32_t action, const char *member, json_t *outcome) {
  json_t *names = names_of(passing, action);

  if (json_array_size(names) > 0) {
    (void)json_object_set(outcome, member, names);
  }
  json_decref(names);
}

/* Groups of pods that compare equal, of one revision or of all (-1). */
static json_t *order_of(const struct passing *passing, int old) {
  json_t *groups = json_array(), *group = NULL;

  for (size_t i = 0; i < passing->n; i++) {
    if (passing->pods[i] == REBAL_NONE || (old >= 0 && passing->are_old[i] != (uint32_t)old)) {
      continue;
    }
    if (group == NULL) {
      group = json_array();
      (void)json_array_append_new(groups, group);
    }
    insert_sorted(group, name_of(passing, i));
    group = passing->rules[i] == REBAL_DELETION_RULE_NONE ? group : NULL;
  }
  return groups;
}

static void report_revisions(const struct passing *passing, json_t *outcome) {
  static const char *const members[] = {"new", "old"};
  json_t *order = json_object();
  json_int_t created = 0;

  for (int old = 0; old < 2; old++) {
    json_t *groups = order_of(passing, old);

    if (json_array_size(groups) > 0) {
      (void)json_object_set(order, members[old], groups);
    }
    json_decref(groups);
  }
  for (size_t i = 0; i < passing->n; i++) {
    created += passing->actions[i] == REBAL_DELETION_ACTION_CREATE;
  }
  (void)json_object_set_new(outcome, "order", order);
  report_some(passing, REBAL_DELETION_ACTION_PREPARE, "preparing", outcome);
  report_some(passing, REBAL_DELETION_ACTION_RESTORE, "restored", outcome);
  if (created > 0) {
    (void)json_object_set_new(outcome, "created", json_integer(created));
  }
}

/* ---- StatefulSets ---- */

/* The highest ordinal below one whose row has an action; -1: none. */
static int64_t next_below(const struct passing *passing, uint32_t action, int64_t below, size_t *row) {
  int64_t next = -1;

  for (size_t i = 0; i < passing->n; i++) {
    if (passing->actions[i] == action && passing->ordinals[i] < below && passing->ordinals[i] > next) {
      next = passing->ordinals[i];
      *row = i;
    }
  }
  return next;
}

static int remove_pods(struct passing *passing, json_t *deleted) {
  size_t row = 0;

  for (int64_t at = next_below(passing, REBAL_DELETION_ACTION_DELETE, INT64_MAX, &row); at >= 0;
       at = next_below(passing, REBAL_DELETION_ACTION_DELETE, at, &row)) {
    (void)json_array_append_new(deleted, json_string(name_of(passing, row)));
    if (failed(passing->run, rebal_store_remove(passing->store, passing->pods[row], &passing->run->err))) {
      return 1;
    }
  }
  return 0;
}

static json_t *created_of(const struct passing *passing) {
  const char *name = rebal_store_identity(passing->store, passing->workload, REBAL_IDENTITY_NAME, NULL);
  json_t *created = json_array();
  size_t row = 0;

  for (int64_t at = next_below(passing, REBAL_DELETION_ACTION_CREATE, INT64_MAX, &row); at >= 0;
       at = next_below(passing, REBAL_DELETION_ACTION_CREATE, at, &row)) {
    (void)json_array_append_new(created, json_sprintf("%s-%lld", name, (long long)at));
  }
  return created;
}

/* Until a pass creates something or does nothing. */
static json_t *pass_on(struct passing *passing) {
  json_t *passes = json_array();
  int is_over = 0;

  while (!is_over) {
    json_t *deleted = json_array(), *report = json_pack("{s:o}", "deleted", deleted), *created;

    if (pass(passing) || remove_pods(passing, deleted)) {
      json_decref(report);
      json_decref(passes);
      return NULL;
    }
    created = created_of(passing);
    is_over = json_array_size(created) > 0 || json_array_size(deleted) == 0;
    if (json_array_size(created) > 0) {
      (void)json_object_set(report, "created", created);
    }
    if (json_array_size(created) + json_array_size(deleted) > 0) {
      (void)json_array_append(passes, report);
    }
    json_decref(created);
    json_decref(report);
  }
  return json_pack("{s:o}", "passes", passes);
}

/* ---- a case ---- */

static json_t *decide(struct passing *passing, const json_t *workload) {
  const char *kind = text_at(workload, "kind");
  json_t *outcome;

  if (strcmp(kind, "StatefulSet") == 0) {
    return pass_on(passing);
  }
  if (pass(passing)) {
    return NULL;
  }
  outcome = json_pack("{s:o}", "deleted", names_of(passing, REBAL_DELETION_ACTION_DELETE));
  if (strcmp(kind, "CloneSet") == 0) {
    report_revisions(passing, outcome);
  } else {
    (void)json_object_set_new(outcome, "order", order_of(passing, -1));
  }
  return outcome;
}

json_t *case_deletion_order(struct conformance *run, const json_t *input) {
  const json_t *workload = json_object_get(input, "workload");
  const char *kind = text_at(workload, "kind"), *namespace_ = text_at(workload, "metadata.namespace");
  const char *name = text_at(workload, "metadata.name");
  struct passing *passing = calloc(1, sizeof *passing);
  json_t *outcome = NULL;

  if (passing == NULL) {
    return fault(run, "memory ran out");
  }
  run->orders_itself = 1;
  passing->run = run;
  passing->now = time_at(run->test, "now");
  if (!failed(run, rebal_store_new(NULL, &passing->store, &run->err)) && !put_all(passing, input)) {
    passing->workload =
        rebal_store_find(passing->store, kind, strlen(kind), namespace_, strlen(namespace_), name, strlen(name));
    outcome = decide(passing, workload);
  }
  rebal_store_free(passing->store);
  free(passing);
  return outcome;
}

/* Orders are compared only if the recorded one is strict, and not for indexed jobs. */
void blur_deletion_order(json_t *outcome, const json_t *test) {
  static const char *const lists[] = {"new", "old"};
  const json_t *recorded = json_at(test, "expect.order");

  if (recorded == NULL) {
    (void)json_object_del(outcome, "order");
  }
  for (size_t i = 0; json_is_object(recorded) && i < sizeof lists / sizeof lists[0]; i++) {
    if (json_object_get(recorded, lists[i]) == NULL) {
      (void)json_object_del(json_object_get(outcome, "order"), lists[i]);
    }
  }
}
