/* SPDX-License-Identifier: MIT */
/* Schedules bindings of the store. */
#include "findings.h"

#include <stdlib.h>
#include <string.h>

const char *enum_text(uint32_t enumeration, int64_t number) {
  const char *text = rebal_enum_name(enumeration, number, NULL);
  return text != NULL ? text : "Unknown";
}

const char *cluster_name(const struct world *world, uint32_t cluster) {
  return rebal_cells_get_text(rebal_snapshot_cells(world->snapshot), REBAL_CLUSTER_NAME, REBAL_NONE, cluster, NULL);
}

int is_refused(const struct decision *decision) {
  return decision->outcome == REBAL_OUTCOME_NO_CLUSTER_FIT || decision->outcome == REBAL_OUTCOME_UNSCHEDULABLE ||
         decision->outcome == REBAL_OUTCOME_SCHEDULER_ERROR || decision->outcome == REBAL_OUTCOME_PARTIAL;
}

void decisions_free(struct decision *decisions, size_t n) {
  for (size_t i = 0; decisions != NULL && i < n; i++) {
    free(decisions[i].affinity);
    free(decisions[i].message);
    free(decisions[i].before.items);
    free(decisions[i].after.items);
  }
  free(decisions);
}

/* Are these all bindings, in the order in which the library feeds them? Bindings that it does not read have no row. */
static int are_known(const struct world *world, const uint32_t *objects, size_t n) {
  uint32_t *all = NULL;
  size_t n_all = 0;
  const int same = world_bindings(world, &all, &n_all) == STATUS_DONE && n == n_all &&
                   n == rebal_cells_count(rebal_bindings_const_cells(world->known), REBAL_TABLE_BINDING, REBAL_NONE) &&
                   memcmp(objects, all, n * sizeof *all) == 0;
  free(all);
  return same;
}

int are_others_read(const struct options *options) {
  int64_t gate = 0;
  (void)rebal_compat_get(options->compat, REBAL_OPTION_GATE_WORKLOAD_AFFINITY, &gate, NULL);
  return gate != 0 || options->record != NULL || options->unhealthy_since.is_set;
}

static int32_t feed_bindings(struct world *world, const uint32_t *objects, size_t n, rebal_error *err) {
  int32_t result = REBAL_OK;
  rebal_bindings_reset(world->known);
  rebal_bindings_reset(world->some);
  if (n != 1 || are_others_read(world->options)) {
    result = rebal_store_feed_bindings(world->store, world->fleet, NULL, 0, world->known, err);
  }
  world->chosen = world->known;
  if (result == REBAL_OK && !are_known(world, objects, n)) {
    world->chosen = world->some;
    result = rebal_store_feed_bindings(world->store, world->fleet, objects, n, world->some, err);
  }
  if (result == REBAL_OK && world->options->unhealthy_since.is_set) {
    result = remember_unhealthy(&world->options->unhealthy_since,
                                rebal_cells_bound(rebal_fleet_cells(world->fleet), REBAL_TABLE_CLUSTER, REBAL_NONE),
                                world->known, err);
  }
  if (result == REBAL_OK && world->n_absent_uids != NULL) {
    result = set_absent_uids(world->chosen == world->known ? world->known : world->some, world->n_absent_uids, err);
  }
  if (result == REBAL_OK) {
    result = rebal_bindings_freeze(world->known, err);
  }
  if (result == REBAL_OK) {
    result = rebal_bindings_freeze(world->some, err);
  }
  rebal_snapshot_unref(world->snapshot);
  world->snapshot = NULL;
  return result == REBAL_OK ? rebal_fleet_freeze(world->fleet, &world->snapshot, err) : result;
}

enum status world_feed(struct world *world, const uint32_t *objects, size_t n) {
  rebal_error err = REBAL_ERROR_INIT;
  enum status status;
  progress("preparing %zu bindings", n);
  if (rebal_store_feed_clusters(world->store, world->fleet, NULL, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  status = members_feed(&world->members, world->options, world->store, world->fleet);
  if (status != STATUS_DONE) {
    return status;
  }
  return feed_bindings(world, objects, n, &err) == REBAL_OK ? STATUS_DONE : complain_of_call(&err);
}

static int add_target(struct targets *targets, uint32_t cluster, int64_t replicas) {
  struct target *items = realloc(targets->items, (targets->n + 1) * sizeof *items);
  if (items == NULL) {
    return 0;
  }
  targets->items = items;
  items[targets->n++] = (struct target){cluster, (int32_t)replicas}; /* fields of 32 bits */
  return 1;
}

static int copy_targets(struct targets *to, const struct targets *from) {
  for (size_t i = 0; i < from->n; i++) {
    if (!add_target(to, from->items[i].cluster, from->items[i].replicas)) {
      return 0;
    }
  }
  return 1;
}

/* spec.clusters of the binding in the store. */
static enum status read_before(const struct world *world, uint32_t row, struct decision *decision) {
  uint32_t target = REBAL_NONE;
  while ((target = rebal_cells_next(rebal_bindings_const_cells(world->chosen), REBAL_TABLE_TARGET, row, target)) !=
         REBAL_NONE) {
    if (!add_target(&decision->before,
                    id_of(rebal_cells_get_i64(rebal_bindings_const_cells(world->chosen), REBAL_TARGET_CLUSTER,
                                              REBAL_NONE, target)),
                    rebal_cells_get_i64(rebal_bindings_const_cells(world->chosen), REBAL_TARGET_REPLICAS, REBAL_NONE,
                                        target))) {
      return complain_of_memory();
    }
  }
  return STATUS_DONE;
}

static int64_t cell(const rebal_result *result, uint32_t column, size_t row) {
  size_t n;
  const int64_t *values = rebal_result_i64(result, column, &n);
  return values != NULL && row < n ? values[row] : 0;
}

/* The targets after the decision: only NO_CLUSTER_FIT removes the old result without a new one. */
static int read_after(const rebal_result *result, size_t row, struct decision *decision) {
  const size_t first = (size_t)cell(result, REBAL_DECISION_FIRST_PLACED, row);
  const size_t n = (size_t)cell(result, REBAL_DECISION_PLACED, row);
  if (decision->outcome == REBAL_OUTCOME_NO_CLUSTER_FIT) {
    return 1;
  }
  if (decision->outcome != REBAL_OUTCOME_SCHEDULED && decision->outcome != REBAL_OUTCOME_PARTIAL) {
    return copy_targets(&decision->after, &decision->before);
  }
  for (size_t i = first; i < first + n; i++) {
    if (!add_target(&decision->after, id_of(cell(result, REBAL_PLACED_CLUSTER, i)),
                    cell(result, REBAL_PLACED_REPLICAS, i))) {
      return 0;
    }
  }
  return 1;
}

/* Returns why the scheduler skips a binding. */
static const char *skip_text(const struct world *world, uint32_t object) {
  if (world_text(world, object, "metadata.deletionTimestamp")[0] != '\0') {
    return "it is being deleted";
  }
  if (strcmp(world_text(world, object, "spec.suspension.scheduling"), "true") == 0) {
    return "scheduling is suspended";
  }
  if (world_text(world, object, "spec.schedulerName")[0] != '\0' &&
      strcmp(world_text(world, object, "spec.schedulerName"), "default-scheduler") != 0) {
    return "it belongs to another scheduler";
  }
  return world_text(world, object, "spec.requiredBy")[0] != '\0' ? "it follows the bindings that require it"
                                                                 : "it lacks the label of a policy";
}

static enum status read_decision(const struct world *world, size_t row, struct decision *decision) {
  const rebal_result *result = world->result;
  const char *message = rebal_result_text(result, REBAL_DECISION_MESSAGE, row, NULL);
  decision->outcome = cell(result, REBAL_DECISION_OUTCOME, row);
  decision->reason = cell(result, REBAL_DECISION_REASON, row);
  decision->missing = cell(result, REBAL_DECISION_MISSING, row);
  decision->is_fresh = cell(result, REBAL_DECISION_FRESH, row) != 0;
  if (decision->outcome == REBAL_OUTCOME_SKIPPED) {
    message = skip_text(world, decision->object);
  }
  free(decision->affinity);
  free(decision->message);
  decision->affinity = strdup(rebal_result_text(result, REBAL_DECISION_AFFINITY_NAME, row, NULL));
  decision->message = strdup(message);
  free(decision->after.items);
  decision->after = (struct targets){NULL, 0};
  if (decision->affinity == NULL || decision->message == NULL || !read_after(result, row, decision)) {
    return complain_of_memory();
  }
  return STATUS_DONE;
}

int32_t world_schedule(const struct world *world, int is_all, const rebal_schedule_opts *opts, rebal_error *err) {
  return is_all ? rebal_schedule(world->ctx, world->snapshot, world->chosen, opts, world->result, err)
                : rebal_scheduler_step(world->ctx, world->snapshot, world->chosen, &world->options->now, opts,
                                       world->result, err);
}

/* Schedules the next n bindings, from opts->first_row on. */
static enum status answer_some(const struct world *world, const rebal_schedule_opts *opts, int is_all, int is_write,
                               struct decision *decisions, size_t n) {
  rebal_error err = REBAL_ERROR_INIT;
  enum status status = STATUS_DONE;
  if (world_schedule(world, is_all, opts, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  for (size_t i = 0; status == STATUS_DONE && i < n; i++) {
    status = read_before(world, (uint32_t)(opts->first_row + i), &decisions[i]);
    if (status == STATUS_DONE) {
      status = read_decision(world, i, &decisions[i]);
    }
  }
  return status == STATUS_DONE && is_write ? world_carry_out(world) : status;
}

/* Bindings of one call. The result of a call is large, the decisions read from it are small. */
#define SLICE 512

static enum status answer_all(const struct world *world, int is_all, int is_write, rebal_ledger *ledger,
                              struct decision *decisions, size_t n) {
  rebal_schedule_opts opts = {.struct_size = sizeof opts,
                              .flags = world->members.n > 0 ? REBAL_SCHEDULE_FLAG_NODES : 0,
                              .compat = world->options->compat,
                              .ledger = ledger,
                              .known = world->known,
                              .max_work = SLICE,
                              .explain_rows = world->explain_rows};
  enum status status = STATUS_DONE;
  for (size_t i = 0; status == STATUS_DONE && i < n; i += SLICE) {
    opts.first_row = i;
    progress("scheduling: %zu of %zu bindings", i, n);
    status = answer_some(world, &opts, is_all, is_write, decisions + i, n - i < SLICE ? n - i : SLICE);
  }
  return status;
}

/* With overcommit protection each decision uses the capacity that the decisions before it left. */
static enum status answer(const struct world *world, int is_all, int is_write, struct decision *decisions, size_t n) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_ledger *ledger = NULL;
  enum status status;
  if (world->options->has_ledger && rebal_ledger_new(world->fleet, NULL, &ledger, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  status = answer_all(world, is_all, is_write, ledger, decisions, n);
  rebal_ledger_free(ledger);
  return status;
}

enum status decide_fed(struct world *world, const uint32_t *objects, size_t n, int is_all, int is_write,
                       struct decision **decisions) {
  struct decision *made = calloc(n + 1, sizeof *made);
  enum status status = STATUS_DONE;
  if (made == NULL) {
    return complain_of_memory();
  }
  for (size_t i = 0; i < n; i++) {
    made[i].object = objects[i];
  }
  if (world->options->record != NULL) {
    status = record_calls(world, objects, n);
  }
  if (status == STATUS_DONE) {
    status = answer(world, is_all, is_write, made, n);
  }
  if (status == STATUS_DONE) {
    *decisions = made;
  } else {
    decisions_free(made, n);
  }
  return status;
}

enum status decide(struct world *world, const uint32_t *objects, size_t n, int is_all, int is_write,
                   struct decision **decisions) {
  const enum status status = world_feed(world, objects, n);
  return status == STATUS_DONE ? decide_fed(world, objects, n, is_all, is_write, decisions) : status;
}
