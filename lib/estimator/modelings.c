/* SPDX-License-Identifier: MIT */
/* Counts the nodes of a cluster that belong to each of its resource models (rebalance-karmada(7) 6.8). */
#include "estimator/estimator.h"
#include "fleet/nodes.h"

/* The lower bounds of one resource, by model. */
struct bounds {
  uint32_t resource; /* REBAL_NONE: no node lists it and no pod requests it */
  int64_t *least;
};
struct modelings {
  rebal_snapshot *snapshot;
  struct rebali_arena *arena;
  const struct rebali_node_table *table;
  const rebal_record *models;
  size_t n_models;
  struct bounds *bounds; /* by name, those of the first model */
  size_t n_bounds;
  int64_t *counts; /* by model */
};

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* Returns the amount in the form in which amounts of nodes are kept. */
static int64_t least_of(const rebal_record *models, uint32_t range, struct rebali_text name) {
  rebal_quantity least = {0, 0, REBAL_QUANTITY_FORMAT_NONE};

  rebal_record_quantity(models, rebali_record_get(models, range, REBAL_MODEL_RANGE_MIN), &least);
  return rebali_text_equal(name, REBALI_TEXT("cpu")) ? rebali_quantity_milli(&least) : rebali_quantity_value(&least);
}

/* A model without the name has the lower bound 0. If a name has two ranges, the last is used. */
static int64_t find_least(const rebal_record *models, uint32_t model, struct rebali_text name) {
  uint32_t range = REBAL_NONE;
  int64_t least = 0;

  while ((range = rebal_record_next(models, model, REBAL_RESOURCE_MODEL_RANGE, range)) != REBAL_NONE) {
    if (rebali_text_equal(rebali_record_field_text(models, range, REBAL_MODEL_RANGE_NAME), name)) {
      least = least_of(models, range, name);
    }
  }
  return least;
}

static int32_t read_bounds(const struct modelings *modelings, struct rebali_text name, struct bounds *bounds) {
  uint32_t model = REBAL_NONE;
  size_t i = 0;

  bounds->resource = rebali_snapshot_resource(modelings->snapshot, name);
  bounds->least = rebali_arena_allocate(modelings->arena, modelings->n_models, sizeof *bounds->least);
  if (bounds->least == NULL) {
    return REBAL_ENOMEM;
  }
  while ((model = rebal_record_next(modelings->models, 0, REBAL_RESOURCE_MODELS_MODEL, model)) != REBAL_NONE) {
    bounds->least[i++] = find_least(modelings->models, model, name);
  }
  return REBAL_OK;
}

/* Sets *usable to 0 if the models differ in the number of ranges. */
static int32_t read_models(struct modelings *modelings, int *usable) {
  const rebal_record *models = modelings->models;
  const uint32_t first = rebal_record_next(models, 0, REBAL_RESOURCE_MODELS_MODEL, REBAL_NONE);
  const size_t n = rebali_record_count(models, first, REBAL_RESOURCE_MODEL_RANGE);
  uint32_t item = REBAL_NONE;

  *usable = 1;
  while ((item = rebal_record_next(models, 0, REBAL_RESOURCE_MODELS_MODEL, item)) != REBAL_NONE) {
    *usable &= rebali_record_count(models, item, REBAL_RESOURCE_MODEL_RANGE) == n;
  }
  modelings->bounds = rebali_arena_allocate(modelings->arena, n, sizeof *modelings->bounds);
  modelings->counts = rebali_arena_allocate_zero(modelings->arena, modelings->n_models, sizeof *modelings->counts);
  if (modelings->bounds == NULL || modelings->counts == NULL) {
    return REBAL_ENOMEM;
  }
  while ((item = rebal_record_next(models, first, REBAL_RESOURCE_MODEL_RANGE, item)) != REBAL_NONE) {
    if (read_bounds(modelings, rebali_record_field_text(models, item, REBAL_MODEL_RANGE_NAME),
                    &modelings->bounds[modelings->n_bounds++]) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Returns allocatable minus what pods use. */
static int64_t left_of(const struct rebali_node_table *table, uint32_t resource, uint32_t row, int64_t *used) {
  const struct rebali_amount_leaf *leaf = rebali_nodes_amounts(table, resource, row / REBALI_NODES);
  const int64_t allocatable = leaf == NULL ? 0 : leaf->allocatable[row % REBALI_NODES];

  *used = leaf == NULL ? 0 : leaf->used[row % REBALI_NODES];
  return rebali_subtract_saturating(allocatable, *used);
}

/* Counts the models whose lower bound is at most the amount. Bounds are assumed to ascend. */
static size_t models_within(const int64_t *least, size_t n, int64_t amount) {
  size_t at;

  REBALI_BISECT(at, n, least[at] <= amount);
  return at;
}

static void count_node(const struct modelings *modelings, uint32_t row) {
  size_t within = modelings->n_bounds == 0 ? 0 : modelings->n_models;

  for (size_t i = 0; i < modelings->n_bounds; i++) {
    const struct bounds *bounds = &modelings->bounds[i];
    int64_t used;
    const size_t n =
        models_within(bounds->least, modelings->n_models, left_of(modelings->table, bounds->resource, row, &used));

    within = n < within ? n : within;
  }
  if (within > 0) {
    modelings->counts[within - 1]++;
  }
}

struct place {
  uint32_t sequence;
  uint32_t row;
};

static int by_sequence(const void *left, const void *right, const void *context) {
  const struct place *one = left;
  const struct place *other = right;

  (void)context;
  return one->sequence < other->sequence ? -1 : one->sequence > other->sequence;
}

/* Counts nodes in the order in which they were added; the first full node ends the count. */
static int32_t count_nodes(const struct modelings *modelings) {
  const uint32_t pods = rebali_snapshot_resource(modelings->snapshot, REBALI_TEXT("pods"));
  const struct rebali_node_table *table = modelings->table;
  struct place *places = rebali_arena_allocate(modelings->arena, table->rows, 2 * sizeof *places);
  size_t n = 0;

  if (places == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t row = 0; row < table->rows; row++) {
    if (rebali_nodes_present(table, row)) {
      places[n++] = (struct place){rebali_nodes_leaf(table, row / REBALI_NODES)->sequence[row % REBALI_NODES], row};
    }
  }
  rebali_sort(places, n, sizeof *places, places + table->rows, by_sequence, NULL);
  for (size_t i = 0; i < n; i++) {
    int64_t used;
    const int64_t left = left_of(table, pods, places[i].row, &used);

    if (used > 0 && left <= 0) {
      break;
    }
    count_node(modelings, places[i].row);
  }
  return REBAL_OK;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static int32_t write_counts(const struct modelings *modelings, rebal_result *result) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_MODELED);
  uint32_t model = REBAL_NONE;
  size_t i = 0;

  if (rebali_table_append(table, modelings->n_models, NULL) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  while ((model = rebal_record_next(modelings->models, 0, REBAL_RESOURCE_MODELS_MODEL, model)) != REBAL_NONE) {
    *rebali_table_integers(table, REBAL_MODELED_GRADE, i) =
        rebal_record_i64(modelings->models, rebali_record_get(modelings->models, model, REBAL_RESOURCE_MODEL_GRADE));
    *rebali_table_integers(table, REBAL_MODELED_COUNT, i) = modelings->counts[i];
    i++;
  }
  return REBAL_OK;
}

static int32_t model_nodes(struct modelings *modelings, rebal_result *result) {
  int usable = 0;

  modelings->n_models =
      modelings->models == NULL ? 0 : rebali_record_count(modelings->models, 0, REBAL_RESOURCE_MODELS_MODEL);
  if (modelings->n_models == 0) {
    return REBAL_OK;
  }
  if (read_models(modelings, &usable) != REBAL_OK || (usable && count_nodes(modelings) != REBAL_OK)) {
    return REBAL_ENOMEM;
  }
  return usable ? write_counts(modelings, result) : REBAL_OK;
}

int32_t rebal_model_nodes(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster, rebal_result *result,
                          rebal_error *err) {
  struct modelings modelings = {.snapshot = snapshot};
  int32_t code;

  if (ctx == NULL || snapshot == NULL || result == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL",
                       ctx == NULL        ? "ctx"
                       : snapshot == NULL ? "snapshot"
                                          : "result");
  }
  modelings.table = rebali_snapshot_has(snapshot, cluster) ? rebali_snapshot_nodes(snapshot, cluster) : NULL;
  if (modelings.table == NULL) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "no nodes are known of the cluster with the id %lu",
                       (unsigned long)cluster);
  }
  code = rebali_answer_begin(ctx, snapshot, result, err);
  if (code != REBAL_OK) {
    return code;
  }
  modelings.arena = rebali_ctx_scratch(ctx);
  modelings.models = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_RESOURCE_MODELS, cluster);
  code = model_nodes(&modelings, result) == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
  return rebali_answer_end(ctx, result, code);
}
