/* SPDX-License-Identifier: MIT */
/*
 * What fits by a cluster's resource models (spec karmada 6.3.1): each node counts as the lower bound of its grade, and
 * what a ledger holds in the cluster is placed first.
 */
#include "estimator/estimator.h"

#define PODS_PER_NODE 110

/* Sum of the counts reported for a grade. 0 when some count is negative. */
static int node_count(const rebal_record *modelings, int64_t grade, int64_t *count) {
  uint32_t node = REBAL_NONE;

  *count = 0;
  while ((node = rebal_record_next(modelings, 0, REBAL_MODELINGS_MODELING, node)) != REBAL_NONE) {
    const int64_t value = rebal_record_i64(modelings, rebali_record_get(modelings, node, REBAL_MODELING_COUNT));

    if (value < 0) {
      return 0;
    }
    if (rebal_record_i64(modelings, rebali_record_get(modelings, node, REBAL_MODELING_GRADE)) == grade) {
      *count = rebali_add_saturating(*count, value);
    }
  }
  return 1;
}

/* The model of the lowest grade above *grade (any grade when first), the last of its grade; REBAL_NONE at the end. */
static uint32_t next_grade(const rebal_record *models, int first, int64_t *grade) {
  uint32_t found = REBAL_NONE;
  uint32_t model = REBAL_NONE;
  int64_t least = 0;

  while ((model = rebal_record_next(models, 0, REBAL_RESOURCE_MODELS_MODEL, model)) != REBAL_NONE) {
    const int64_t value = rebal_record_i64(models, rebali_record_get(models, model, REBAL_RESOURCE_MODEL_GRADE));

    if ((first || value > *grade) && (found == REBAL_NONE || value <= least)) {
      found = model;
      least = value;
    }
  }
  *grade = least;
  return found;
}

/* The nodes of a cluster, by grade. *usable 0: it has no models. */
static int32_t make_nodes(struct rebali_models *models, uint32_t cluster, int *usable) {
  static const uint32_t fields[3] = {REBAL_RESOURCE_MODEL_RANGE, REBAL_MODEL_RANGE_NAME, REBAL_MODEL_RANGE_MIN};
  const rebal_record *spec = rebali_snapshot_cell_record(models->snapshot, REBAL_CLUSTER_RESOURCE_MODELS, cluster);
  const rebal_record *status = rebali_snapshot_cell_record(models->snapshot, REBAL_CLUSTER_MODELINGS, cluster);
  int64_t grade = 0;
  int64_t count;
  uint32_t model;

  *usable = spec != NULL && status != NULL && rebali_record_count(status, 0, REBAL_MODELINGS_MODELING) != 0 &&
            rebali_record_count(spec, 0, REBAL_RESOURCE_MODELS_MODEL) != 0 && node_count(status, 0, &count);
  rebali_nodes_clear(&models->nodes);
  for (model = *usable ? next_grade(spec, 1, &grade) : REBAL_NONE; model != REBAL_NONE;
       model = next_grade(spec, 0, &grade)) {
    (void)node_count(status, grade, &count); /* no count is negative */
    rebali_needs_amounts(&models->needs, spec, model, fields, models->amounts);
    models->amounts[0] = PODS_PER_NODE;
    if (count > 0 && rebali_nodes_add(&models->nodes, count, models->amounts) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

/*
 * One full set of each binding, by key; a set that does not fit stays as far as it was placed (spec karmada 6.6). Every
 * component adds at most two runs.
 */
static int32_t place_holdings(struct rebali_models *models, uint32_t cluster) {
  const struct rebali_holding *holdings;
  size_t n;

  if (!rebali_ledger_touches(models->ledger, cluster)) {
    return REBAL_OK;
  }
  if (rebali_ledger_holdings(models->ledger, cluster, models->arena, &holdings, &n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    int64_t left = 0;

    for (size_t k = 0; k < holdings[i].n_components && left == 0; k++) {
      left = holdings[i].components[k].replicas;
      rebali_need_read(&models->needs, holdings[i].components[k].requirements, models->amounts);
      if (rebali_nodes_place(&models->nodes, models->nodes.first, models->amounts, &left) != REBAL_OK) {
        return REBAL_ENOMEM;
      }
    }
  }
  return REBAL_OK;
}

int32_t rebali_models_sets(struct rebali_models *models, uint32_t cluster, int64_t bound, int64_t *sets) {
  int usable;
  int32_t code = make_nodes(models, cluster, &usable);

  *sets = -1;
  if (code == REBAL_OK && usable) {
    code = place_holdings(models, cluster);
  }
  if (code == REBAL_OK && usable) {
    code = rebali_nodes_count_sets(&models->nodes, models->needs.items, models->needs.n, bound, sets);
  }
  return code;
}

/* Replicas that the nodes hold by the amount of one index alone. */
static int64_t fit_by(const struct rebali_models *models, size_t index) {
  const int64_t need = models->needs.items[0].amounts[index];
  int64_t sum = 0;

  for (const struct rebali_run *run = models->nodes.first; run != NULL; run = run->next) {
    sum = rebali_add_saturating(sum, rebali_multiply_saturating(run->count, run->amounts[index] / need));
  }
  return sum;
}

struct rebali_text rebali_models_limit(const struct rebali_models *models, int64_t sets) {
  struct rebali_text found = {NULL, 0};

  if (fit_by(models, 0) <= sets) {
    return REBALI_TEXT("pods");
  }
  for (size_t i = 0; i < models->needs.n_names; i++) {
    if (models->needs.items[0].amounts[i + 1] > 0 && fit_by(models, i + 1) <= sets &&
        (found.bytes == NULL || rebali_text_compare(models->needs.names[i], found) < 0)) {
      found = models->needs.names[i];
    }
  }
  return found.bytes == NULL ? REBALI_TEXT("resource models") : found;
}

int32_t rebali_models_init(struct rebali_models *models, struct rebali_arena *arena, const rebal_snapshot *snapshot,
                           const struct rebali_component *components, size_t n, const rebal_ledger *ledger) {
  memset(models, 0, sizeof *models);
  models->snapshot = snapshot;
  models->ledger = ledger;
  models->arena = arena;
  if (rebali_needs_read(&models->needs, arena, snapshot, components, n, ledger) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  models->amounts = rebali_arena_allocate(arena, models->needs.n_names + 1, sizeof *models->amounts);
  rebali_nodes_init(&models->nodes, arena, models->needs.n_names + 1);
  return models->amounts == NULL ? REBAL_ENOMEM : REBAL_OK;
}
