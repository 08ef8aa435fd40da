/* SPDX-License-Identifier: MIT */
/*
 * Simulates the waves of a plan: calls rebal_plan_step() repeatedly, each time with the writes of the wave before, all
 * of them ready. The summaries of clusters change as replicas are added and removed.
 */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WAVES 100000

struct play {
  const struct planned *planned;
  struct waves *waves;
  int32_t *present; /* by row of PLANNED_CLUSTER: replicas assigned now, all ready */
  rebal_bindings *bindings;
  rebal_snapshot *snapshot;
  rebal_result *step;
  rebal_error err;
};

static size_t first_of(const struct play *play, size_t binding) {
  return (size_t)plan_cell(play->planned, REBAL_PLANNED_FIRST_CLUSTER, binding);
}

static size_t end_of(const struct play *play, size_t binding) {
  return first_of(play, binding) + (size_t)plan_cell(play->planned, REBAL_PLANNED_CLUSTERS, binding);
}

static uint32_t cluster_of(const struct play *play, size_t row) {
  return id_of(plan_cell(play->planned, REBAL_PLANNED_CLUSTER_CLUSTER, row));
}

/* The replicas before the first wave. */
static int32_t present_at_first(const struct play *play, size_t row) {
  const int64_t present = plan_cell(play->planned, REBAL_PLANNED_CLUSTER_PRESENT, row);
  return present == REBAL_ABSENT ? 0 : (int32_t)present;
}

/* ---- bindings after the wave before ---- */

static int32_t copy_cells(struct play *play, uint32_t row) {
  static const uint32_t texts[] = {REBAL_BINDING_NAMESPACE, REBAL_BINDING_NAME, REBAL_BINDING_UID,
                                   REBAL_BINDING_RESOURCE_NAMESPACE};
  static const uint32_t integers[] = {REBAL_BINDING_CLUSTER_SCOPED, REBAL_BINDING_REPLICAS, REBAL_BINDING_REQUIREMENTS,
                                      REBAL_BINDING_POD_LABELS};
  const rebal_cells *from = rebal_bindings_const_cells(play->planned->world->chosen);
  rebal_cells *to = rebal_bindings_cells(play->bindings);
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < sizeof texts / sizeof texts[0]; i++) {
    size_t len;
    const char *text = rebal_cells_get_text(from, texts[i], REBAL_NONE, row, &len);
    result = rebal_cells_set_text(to, texts[i], REBAL_NONE, row, text, len, &play->err);
  }
  for (size_t i = 0; result == REBAL_OK && i < sizeof integers / sizeof integers[0]; i++) {
    result = rebal_cells_set_i64(to, integers[i], REBAL_NONE, row,
                                 rebal_cells_get_i64(from, integers[i], REBAL_NONE, row), &play->err);
  }
  return result;
}

static int32_t add_child(struct play *play, uint32_t table, uint32_t binding, const uint32_t *columns,
                         const int64_t *values, size_t n) {
  rebal_cells *cells = rebal_bindings_cells(play->bindings);
  uint32_t row;
  int32_t result = rebal_cells_add(cells, table, binding, &row, 1, &play->err);
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = rebal_cells_set_i64(cells, columns[i], REBAL_NONE, row, values[i], &play->err);
  }
  return result;
}

static int32_t add_cluster(struct play *play, uint32_t binding, uint32_t cluster, int32_t replicas) {
  static const uint32_t target[] = {REBAL_TARGET_CLUSTER, REBAL_TARGET_REPLICAS};
  static const uint32_t status[] = {REBAL_STATUS_ITEM_CLUSTER, REBAL_STATUS_ITEM_READY_REPLICAS,
                                    REBAL_STATUS_ITEM_REPLICAS};
  const int64_t values[] = {cluster, replicas, replicas};
  const int32_t result = add_child(play, REBAL_TABLE_TARGET, binding, target, values, 2);
  return result == REBAL_OK ? add_child(play, REBAL_TABLE_STATUS_ITEM, binding, status, values, 3) : result;
}

static int32_t fill_bindings(struct play *play) {
  int32_t result = REBAL_OK;
  rebal_bindings_reset(play->bindings);
  for (size_t i = 0; result == REBAL_OK && i < play->planned->n; i++) {
    uint32_t row;
    result =
        rebal_cells_add(rebal_bindings_cells(play->bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, &play->err);
    result = result == REBAL_OK ? copy_cells(play, row) : result;
    for (size_t c = first_of(play, i); result == REBAL_OK && c < end_of(play, i); c++) {
      if (play->present[c] > 0) {
        result = add_cluster(play, row, cluster_of(play, c), play->present[c]);
      }
    }
  }
  return result == REBAL_OK ? rebal_bindings_freeze(play->bindings, &play->err) : result;
}

/* ---- clusters after it ---- */

/* Computes amount plus replicas times request, exact to thousandths, as requests are. */
static rebal_quantity shifted(const rebal_quantity *amount, int64_t request_milli, int64_t replicas) {
  const int64_t milli = request_milli * replicas;
  const rebal_quantity change = {milli / 1000, (int32_t)(milli % 1000) * 1000000, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  rebal_quantity sum = *amount;
  (void)rebal_quantity_add(amount, &change, &sum, NULL);
  return sum;
}

static int32_t shift(struct play *play, uint32_t cluster, const char *name, size_t len, int64_t request_milli,
                     int64_t replicas) {
  rebal_fleet *fleet = play->planned->world->fleet;
  rebal_quantity amount = {0, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  uint32_t resource;
  int32_t result = rebal_fleet_resource_id(fleet, name, len, &resource, &play->err);
  if (result != REBAL_OK) {
    return result;
  }
  (void)rebal_snapshot_capacity(play->snapshot, REBAL_CAPACITY_ALLOCATED, cluster, resource, &amount);
  amount = shifted(&amount, request_milli, replicas);
  return rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATED, cluster, resource, &amount, &play->err);
}

/* Adds replicas of a binding to the summary of a cluster, if it has one. */
static int32_t shift_cluster(struct play *play, size_t binding, uint32_t cluster, int64_t replicas) {
  const rebal_cells *clusters = rebal_snapshot_cells(play->snapshot);
  const rebal_record *requirements =
      rebal_cells_record(rebal_bindings_const_cells(play->planned->world->chosen), REBAL_OBJECT_REQUIREMENTS,
                         id_of(rebal_cells_get_i64(rebal_bindings_const_cells(play->planned->world->chosen),
                                                   REBAL_BINDING_REQUIREMENTS, REBAL_NONE, (uint32_t)binding)));
  uint32_t request = REBAL_NONE;
  int32_t result;
  if (rebal_cells_get_i64(clusters, REBAL_CLUSTER_HAS_SUMMARY, REBAL_NONE, cluster) != 1) {
    return REBAL_OK;
  }
  result = shift(play, cluster, "pods", 4, 1000, replicas);
  while (result == REBAL_OK && requirements != NULL &&
         (request = rebal_record_next(requirements, 0, REBAL_REQUIREMENTS_RESOURCE_REQUEST, request)) != REBAL_NONE) {
    size_t len;
    const char *name =
        rebal_record_text(requirements, rebal_record_next(requirements, request, REBAL_AMOUNT_NAME, REBAL_NONE), &len);
    rebal_quantity amount;
    rebal_record_quantity(requirements, rebal_record_next(requirements, request, REBAL_AMOUNT_QUANTITY, REBAL_NONE),
                          &amount);
    result = shift(play, cluster, name, len, rebal_quantity_milli(&amount), replicas);
  }
  return result;
}

static int32_t freeze(struct play *play) {
  rebal_snapshot_unref(play->snapshot);
  play->snapshot = NULL;
  return rebal_fleet_freeze(play->planned->world->fleet, &play->snapshot, &play->err);
}

/* ---- one wave ---- */

static int note_write(struct play *play, size_t binding, size_t row, int32_t to) {
  struct waves *waves = play->waves;
  if (waves->n_writes == waves->writes_capacity) {
    const size_t capacity = waves->writes_capacity == 0 ? 64 : 2 * waves->writes_capacity;
    struct wave_write *writes = realloc(waves->writes, capacity * sizeof *writes);
    if (writes == NULL) {
      return 0;
    }
    waves->writes = writes;
    waves->writes_capacity = capacity;
  }
  waves->writes[waves->n_writes++] =
      (struct wave_write){waves->n, binding, cluster_of(play, row), play->present[row], to};
  return 1;
}

/* The replicas of a cluster in a payload. */
static int32_t replicas_in(const rebal_record *payload, const char *cluster) {
  uint32_t target = REBAL_NONE;
  while ((target = rebal_record_next(payload, 0, REBAL_BINDING_SPEC_CLUSTERS, target)) != REBAL_NONE) {
    if (strcmp(
            rebal_record_text(payload, rebal_record_next(payload, target, REBAL_TARGET_CLUSTER_NAME, REBAL_NONE), NULL),
            cluster) == 0) {
      return (int32_t)rebal_record_i64(payload,
                                       rebal_record_next(payload, target, REBAL_TARGET_CLUSTER_REPLICAS, REBAL_NONE));
    }
  }
  return 0;
}

/* Updates each cluster once, starting from the values of the snapshot. */
static enum status apply_write(struct play *play, size_t binding, const rebal_record *payload) {
  for (size_t row = first_of(play, binding); row < end_of(play, binding); row++) {
    const int32_t to = replicas_in(payload, cluster_name(play->planned->world, cluster_of(play, row)));
    const int64_t change = (int64_t)to - play->present[row];
    if (change == 0) {
      continue;
    }
    if (!note_write(play, binding, row, to)) {
      return complain_of_memory();
    }
    play->present[row] = to;
    if (shift_cluster(play, binding, cluster_of(play, row), change) != REBAL_OK) {
      return complain_of_call(&play->err);
    }
  }
  return freeze(play) == REBAL_OK ? STATUS_DONE : complain_of_call(&play->err);
}

static enum status play_wave(struct play *play, int *is_last) {
  const struct world *world = play->planned->world;
  const rebal_plan_step_opts opts = {.struct_size = sizeof opts,
                                     .compat = world->options->compat,
                                     .ledger = play->planned->ledger,
                                     .budgets = play->planned->budgets.records,
                                     .n_budgets = play->planned->budgets.n};
  const int64_t *kinds, *rows;
  size_t n;
  enum status status = STATUS_DONE;
  *is_last = 1;
  if (fill_bindings(play) != REBAL_OK ||
      rebal_plan_step(world->ctx, play->snapshot, play->bindings, play->planned->plan, &world->options->now, &opts,
                      play->step, &play->err) != REBAL_OK) {
    return complain_of_call(&play->err);
  }
  kinds = rebal_result_i64(play->step, REBAL_ACTION_KIND, &n);
  rows = rebal_result_i64(play->step, REBAL_ACTION_ROW, &n);
  for (size_t i = 0; status == STATUS_DONE && i < n; i++) {
    if (kinds[i] == REBAL_ACTION_KIND_PATCH_SPEC) {
      *is_last = 0;
      status = apply_write(play, (size_t)rows[i], rebal_result_record(play->step, i));
    }
  }
  play->waves->n += *is_last ? 0 : 1;
  return status;
}

/* Collects the bindings that differ from the plan once nothing more is written. */
static enum status note_ends(struct play *play) {
  struct waves *waves = play->waves;
  const int64_t *states, *reasons, *clusters;
  size_t n;
  states = rebal_result_i64(play->step, REBAL_WAVE_STATE, &n);
  reasons = rebal_result_i64(play->step, REBAL_WAVE_REASON, &n);
  clusters = rebal_result_i64(play->step, REBAL_WAVE_CLUSTER, &n);
  waves->ends = calloc(n + 1, sizeof *waves->ends);
  if (waves->ends == NULL) {
    return complain_of_memory();
  }
  for (size_t i = 0; i < n; i++) {
    if (states[i] != REBAL_WAVE_STATE_DONE) {
      waves->ends[waves->n_ends++] = (struct wave_end){i, states[i], reasons[i], id_of(clusters[i])};
    }
  }
  return STATUS_DONE;
}

static enum status play_all(struct play *play) {
  int is_last = 0;
  enum status status = STATUS_DONE;
  while (status == STATUS_DONE && !is_last && play->waves->n < MOST_WAVES) {
    progress("simulating wave %zu", play->waves->n + 1);
    status = play_wave(play, &is_last);
  }
  return status == STATUS_DONE ? note_ends(play) : status;
}

enum status waves_play(const struct planned *planned, struct waves *waves) {
  struct play play = {.planned = planned, .waves = waves, .err = REBAL_ERROR_INIT};
  const size_t n = plan_rows(planned, REBAL_TABLE_PLANNED_CLUSTER);
  enum status status;
  play.present = calloc(n + 1, sizeof *play.present);
  if (play.present == NULL) {
    return complain_of_memory();
  }
  for (size_t row = 0; row < n; row++) {
    play.present[row] = present_at_first(&play, row);
  }
  play.snapshot = rebal_snapshot_ref(planned->world->snapshot);
  if (rebal_bindings_new(planned->world->fleet, NULL, &play.bindings, &play.err) != REBAL_OK ||
      rebal_result_new(NULL, &play.step, &play.err) != REBAL_OK) {
    status = complain_of_call(&play.err);
  } else {
    status = play_all(&play);
  }
  rebal_result_free(play.step);
  rebal_bindings_free(play.bindings);
  rebal_snapshot_unref(play.snapshot);
  free(play.present);
  return status;
}

void waves_free(struct waves *waves) {
  free(waves->writes);
  free(waves->ends);
}
