/* SPDX-License-Identifier: MIT */
/* Runs each failover controller once on the store; each reads what the one before it wrote. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

/* A cluster that a binding is assigned to. */
struct fed_target {
  size_t binding; /* row */
  int64_t cluster;
  uint32_t row;
};

/* One step over all bindings; its result is world->result. */
struct pass {
  struct world *world;
  const uint32_t *objects;
  size_t n;
  struct turns *turns;
  struct warnings *warnings;
  rebal_text *records;
  const char *controller;
  uint32_t cluster;         /* of the step of the taint manager */
  rebal_time next_eviction; /* by --eviction-interval */
  size_t *wakes;            /* actions, by row, here and below */
  size_t *patches;
  struct fed_target *targets; /* of all bindings, by binding, cluster and row */
  size_t n_targets;
};

/* ---- turns ---- */

void turns_free(struct turns *turns) {
  for (size_t i = 0; i < turns->n; i++) {
    free(turns->items[i].cluster);
    free(turns->items[i].message);
  }
  free(turns->items);
}

static int reserve(struct turns *turns) {
  const size_t capacity = turns->capacity != 0 ? turns->capacity * 2 : 64;
  struct turn *items;
  if (turns->n < turns->capacity) {
    return 1;
  }
  items = realloc(turns->items, capacity * sizeof *items);
  if (items == NULL) {
    return 0;
  }
  turns->items = items;
  turns->capacity = capacity;
  return 1;
}

static int compare_targets(const void *left, const void *right) {
  const struct fed_target *const a = left, *const b = right;
  if (a->binding != b->binding) {
    return a->binding < b->binding ? -1 : 1;
  }
  return (a->cluster > b->cluster) - (a->cluster < b->cluster);
}

/* If a name occurs twice, the first target is used. */
static int compare_rows(const void *left, const void *right) {
  const struct fed_target *const a = left, *const b = right;
  const int order = compare_targets(left, right);
  return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

/* Lists the targets of all bindings in the order in which they are fed. */
static enum status list_targets(struct pass *pass) {
  const rebal_cells *cells = rebal_bindings_const_cells(pass->world->chosen);
  free(pass->targets);
  pass->n_targets = 0;
  pass->targets = calloc(rebal_cells_bound(cells, REBAL_TABLE_TARGET, REBAL_NONE) + 1, sizeof *pass->targets);
  if (pass->targets == NULL) {
    return complain_of_memory();
  }
  for (size_t row = 0; row < pass->n; row++) {
    uint32_t target = REBAL_NONE;
    while ((target = rebal_cells_next(cells, REBAL_TABLE_TARGET, (uint32_t)row, target)) != REBAL_NONE) {
      pass->targets[pass->n_targets++] =
          (struct fed_target){row, rebal_cells_get_i64(cells, REBAL_TARGET_CLUSTER, REBAL_NONE, target), target};
    }
  }
  qsort(pass->targets, pass->n_targets, sizeof *pass->targets, compare_rows);
  return STATUS_DONE;
}

/* Replicas assigned to a cluster. */
static int64_t replicas_of(const struct pass *pass, size_t row, int64_t cluster) {
  const struct fed_target wanted = {row, cluster, 0};
  size_t low = 0, high = pass->n_targets;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (compare_rows(&pass->targets[middle], &wanted) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < pass->n_targets && compare_targets(&pass->targets[low], &wanted) == 0
             ? rebal_cells_get_i64(rebal_bindings_const_cells(pass->world->chosen), REBAL_TARGET_REPLICAS, REBAL_NONE,
                                   pass->targets[low].row)
             : REBAL_ABSENT;
}

/* cluster REBAL_ABSENT: the binding as a whole. */
static struct turn *add_turn(const struct pass *pass, size_t row, int64_t cluster, const char *result,
                             const char *message) {
  struct turn *turn;
  if (!reserve(pass->turns)) {
    return NULL;
  }
  turn = &pass->turns->items[pass->turns->n];
  *turn = (struct turn){.object = pass->objects[row],
                        .row = row,
                        .cluster = strdup(cluster_name(pass->world, id_of(cluster))),
                        .controller = pass->controller,
                        .result = result,
                        .replicas = replicas_of(pass, row, cluster),
                        .message = strdup(message)};
  pass->turns->n++;
  return turn->cluster != NULL && turn->message != NULL ? turn : NULL;
}

/* Sets the time of the next check from the WAKE action of the controller. */
static int add_waiting(const struct pass *pass, size_t row, int64_t cluster, const char *result, const char *message) {
  struct turn *turn = add_turn(pass, row, cluster, result, message);
  if (turn != NULL && pass->wakes[row] != NO_ACTION) {
    rebal_result_time(pass->world->result, REBAL_ACTION_NOT_BEFORE, pass->wakes[row], &turn->next);
  }
  return turn != NULL;
}

/* ---- patches ---- */

/* Is a name in the complete list that the patch of a binding contains? Without a patch every name is. */
static int is_in_patch(const struct pass *pass, size_t row, uint32_t list, uint32_t member, const char *name) {
  const rebal_record *patch;
  uint32_t node = REBAL_NONE;
  if (pass->patches[row] == NO_ACTION) {
    return 1;
  }
  patch = rebal_result_record(pass->world->result, pass->patches[row]);
  while ((node = rebal_record_next(patch, 0, list, node)) != REBAL_NONE) {
    if (strcmp(rebal_record_text(patch, rebal_record_next(patch, node, member, REBAL_NONE), NULL), name) == 0) {
      return 1;
    }
  }
  return 0;
}

static int is_target_after(const struct pass *pass, size_t row, int64_t cluster) {
  return is_in_patch(pass, row, REBAL_BINDING_SPEC_CLUSTERS, REBAL_TARGET_CLUSTER_NAME,
                     cluster_name(pass->world, id_of(cluster)));
}

static int is_task_after(const struct pass *pass, size_t row, int64_t cluster) {
  return is_in_patch(pass, row, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS, REBAL_EVICTION_TASK_FROM_CLUSTER,
                     cluster_name(pass->world, id_of(cluster)));
}

/* ---- what each controller did to a binding; 0 if out of memory ---- */

static int read_taints(const struct pass *pass, size_t row) {
  const int64_t verdict = result_integer(pass->world, REBAL_STEP_REASON, row);
  if (verdict == REBAL_TAINT_VERDICT_EVICT) {
    const int is_waiting = result_integer(pass->world, REBAL_STEP_STATE, row) == REBAL_STEP_STATE_WAITING;
    return add_waiting(pass, row, pass->cluster, is_waiting ? "Waits" : "Evicted", "");
  }
  return verdict != REBAL_TAINT_VERDICT_AFTER || add_waiting(pass, row, pass->cluster, "Tolerated", "");
}

static int read_application(const struct pass *pass, size_t row) {
  const rebal_bindings *bindings = pass->world->chosen;
  const rebal_result *result = pass->world->result;
  const size_t n_kept = rebal_result_count(result, REBAL_TABLE_UNHEALTHY_KEPT);
  uint32_t target = REBAL_NONE;
  int is_done = 1;
  while (is_done && (target = rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_TARGET, (uint32_t)row,
                                               target)) != REBAL_NONE) {
    const int64_t cluster =
        rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_TARGET_CLUSTER, REBAL_NONE, target);
    is_done = is_target_after(pass, row, cluster) || add_turn(pass, row, cluster, "Evicted", "") != NULL;
  }
  for (size_t i = 0; is_done && i < n_kept; i++) {
    char message[TIME_CAPACITY + 16] = "since ";
    rebal_time since;
    if (result_integer(pass->world, REBAL_UNHEALTHY_KEPT_BINDING, i) == (int64_t)row) {
      rebal_result_time(result, REBAL_UNHEALTHY_KEPT_SINCE, i, &since);
      (void)time_text(&since, message + strlen(message));
      is_done =
          add_waiting(pass, row, result_integer(pass->world, REBAL_UNHEALTHY_KEPT_CLUSTER, i), "Unhealthy", message);
    }
  }
  return is_done;
}

static int read_tasks(const struct pass *pass, size_t row) {
  const rebal_bindings *bindings = pass->world->chosen;
  uint32_t task = REBAL_NONE;
  int is_done = 1;
  while (is_done && (task = rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_TASK, (uint32_t)row,
                                             task)) != REBAL_NONE) {
    const int64_t cluster =
        rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_TASK_FROM_CLUSTER, REBAL_NONE, task);
    const char *reason =
        rebal_cells_get_text(rebal_bindings_const_cells(bindings), REBAL_TASK_REASON, REBAL_NONE, task, NULL);
    const int64_t replicas =
        rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_TASK_REPLICAS, REBAL_NONE, task);
    is_done = is_task_after(pass, row, cluster) ? add_waiting(pass, row, cluster, "Kept", reason)
                                                : add_turn(pass, row, cluster, "Dropped", reason) != NULL;
    if (is_done) {
      pass->turns->items[pass->turns->n - 1].replicas = replicas;
    }
  }
  return is_done;
}

/* ---- passes ---- */

static enum status read_rows(const struct pass *pass, int (*read_row)(const struct pass *pass, size_t row)) {
  for (size_t row = 0; row < pass->n; row++) {
    const int64_t state = result_integer(pass->world, REBAL_STEP_STATE, row);
    int is_done = 1;
    if (state == REBAL_STEP_STATE_RETRY) {
      is_done = add_turn(pass, row, pass->cluster, "Failed",
                         rebal_result_text(pass->world->result, REBAL_STEP_MESSAGE, row, NULL)) != NULL;
    } else if (state != REBAL_STEP_STATE_SKIPPED) {
      is_done = read_row(pass, row);
    }
    if (!is_done) {
      return complain_of_memory();
    }
  }
  return STATUS_DONE;
}

static rebal_failover_opts opts_of(const struct pass *pass) {
  rebal_failover_opts opts = pass->world->options->failover;
  opts.struct_size = sizeof opts;
  opts.compat = pass->world->options->compat;
  opts.next_eviction = &pass->next_eviction;
  return opts;
}

/* Records the call, reads its result and applies it; if that changes the store, the bindings are fed again. */
static enum status finish(struct pass *pass, uint32_t call, int (*read_row)(const struct pass *pass, size_t row)) {
  const rebal_failover_opts opts = opts_of(pass);
  rebal_recorded_call made = {.call = call,
                              .failover_opts = &opts,
                              .cluster = pass->cluster,
                              .id = pass->controller,
                              .id_len = strlen(pass->controller)};
  int is_changed = 0;
  enum status status = records_add(pass->world, &made, pass->records);
  if (status == STATUS_DONE) {
    status = warnings_note(pass->world, pass->objects, pass->controller, pass->warnings);
  }
  if (status != STATUS_DONE) {
    return status;
  }
  if (rebal_result_count(pass->world->result, REBAL_TABLE_PACE) > 0) {
    rebal_result_time(pass->world->result, REBAL_PACE_NEXT, 0, &pass->next_eviction);
  }
  pass->wakes = actions_of_rows(pass->world, REBAL_ACTION_KIND_WAKE, pass->n);
  pass->patches = actions_of_rows(pass->world, REBAL_ACTION_KIND_PATCH_SPEC, pass->n);
  status = pass->wakes != NULL && pass->patches != NULL ? read_rows(pass, read_row) : complain_of_memory();
  for (size_t row = 0; status == STATUS_DONE && row < pass->n; row++) {
    is_changed |= pass->patches[row] != NO_ACTION;
  }
  free(pass->patches);
  free(pass->wakes);
  if (status == STATUS_DONE && is_changed) {
    status = world_carry_out(pass->world);
    status = status == STATUS_DONE ? world_feed(pass->world, pass->objects, pass->n) : status;
    status = status == STATUS_DONE ? list_targets(pass) : status;
  }
  return status;
}

/* The taint manager ignores other clusters. */
static int has_no_execute(const struct world *world, uint32_t cluster) {
  return strstr(world_text(world, cluster, "spec.taints"), "\"effect\":\"NoExecute\"") != NULL;
}

/* Runs the taint manager on all bindings for the taints of one cluster. */
static enum status manage_cluster(struct pass *pass, uint32_t cluster) {
  const struct world *world = pass->world;
  const rebal_failover_opts opts = opts_of(pass);
  const char *name = world_text(world, cluster, "metadata.name");
  rebal_error err = REBAL_ERROR_INIT;
  pass->cluster = rebal_snapshot_find_cluster(world->snapshot, name, strlen(name));
  if ((opts.flags & REBAL_FAILOVER_FLAG_EVICT_BY_TAINT) == 0) {
    complain("rebalancectl: cluster %s has a NoExecute taint, which evicts nothing without --evict-by-taint", name);
  }
  return rebal_taint_eviction_step(world->ctx, world->snapshot, pass->cluster, world->chosen, &world->options->now,
                                   &opts, world->result, &err) == REBAL_OK
             ? finish(pass, REBAL_CALL_TAINT_EVICTION_STEP, read_taints)
             : complain_of_call(&err);
}

static enum status manage_taints(struct pass *pass, const uint32_t *clusters, size_t n) {
  enum status status = STATUS_DONE;
  pass->controller = "taint-manager";
  for (size_t i = 0; status == STATUS_DONE && i < n; i++) {
    if (has_no_execute(pass->world, clusters[i])) {
      status = manage_cluster(pass, clusters[i]);
    }
  }
  pass->cluster = REBAL_NONE;
  return status;
}

typedef int32_t (*step_function)(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                 const rebal_time *now, const rebal_failover_opts *opts, rebal_result *result,
                                 rebal_error *err);

static enum status run(struct pass *pass, const char *controller, uint32_t call, step_function step,
                       int (*read_row)(const struct pass *pass, size_t row)) {
  const rebal_failover_opts opts = opts_of(pass);
  rebal_error err = REBAL_ERROR_INIT;
  pass->controller = controller;
  return step(pass->world->ctx, pass->world->snapshot, pass->world->chosen, &pass->world->options->now, &opts,
              pass->world->result, &err) == REBAL_OK
             ? finish(pass, call, read_row)
             : complain_of_call(&err);
}

/* By binding; those of one binding in the order in which they were added. */
static int compare_turns(const void *left, const void *right) {
  const struct turn *const a = left, *const b = right;
  return a->row != b->row ? (a->row < b->row ? -1 : 1) : a->order < b->order ? -1 : 1;
}

enum status failover_turns(struct world *world, const uint32_t *objects, size_t n, struct turns *turns,
                           struct warnings *warnings, rebal_text *records) {
  struct pass pass = {.world = world,
                      .objects = objects,
                      .n = n,
                      .turns = turns,
                      .warnings = warnings,
                      .records = records,
                      .cluster = REBAL_NONE};
  uint32_t *clusters = NULL;
  size_t n_clusters = 0;
  enum status status = world_objects(world, "Cluster", &clusters, &n_clusters);
  if (status == STATUS_DONE) {
    status = list_targets(&pass);
  }
  if (status == STATUS_DONE) {
    status = manage_taints(&pass, clusters, n_clusters);
  }
  if (status == STATUS_DONE) {
    status = run(&pass, "application-failover", REBAL_CALL_APPLICATION_FAILOVER_STEP, rebal_application_failover_step,
                 read_application);
  }
  if (status == STATUS_DONE) {
    status =
        run(&pass, "graceful-eviction", REBAL_CALL_GRACEFUL_EVICTION_STEP, rebal_graceful_eviction_step, read_tasks);
  }
  free(clusters);
  free(pass.targets);
  for (size_t i = 0; i < turns->n; i++) {
    turns->items[i].order = i;
  }
  if (turns->n > 0) {
    qsort(turns->items, turns->n, sizeof *turns->items, compare_turns);
  }
  warnings_sort(warnings);
  return status;
}
