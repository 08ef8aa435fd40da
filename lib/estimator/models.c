/* SPDX-License-Identifier: MIT */
/*
 * Replicas that fit by a cluster's resource models: spec karmada 6.3.1 in its closed form, since nothing is placed
 * beforehand: for each grade its number of nodes times what one node at the grade's lower bounds holds.
 */
#include "estimator/estimator.h"

#define PODS_PER_NODE 110

/* Sum of the counts reported for a grade. 0 when one is negative. */
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

/* Lower bound of a resource in one model; a name given twice: the last holds, one not given: nothing. */
static rebal_quantity lower_bound(const rebal_record *models, uint32_t model, struct rebali_text name) {
  uint32_t range = REBAL_NONE;
  rebal_quantity found = {0, 0, REBAL_FORMAT_NONE};

  while ((range = rebal_record_next(models, model, REBAL_RESOURCE_MODEL_RANGE, range)) != REBAL_NONE) {
    if (rebali_text_equal(rebali_record_text(models, rebali_record_get(models, range, REBAL_MODEL_RANGE_NAME)), name)) {
      rebal_record_quantity(models, rebali_record_get(models, range, REBAL_MODEL_RANGE_MIN), &found);
    }
  }
  return found;
}

static int64_t fit_one_node(const rebal_record *models, uint32_t model, const struct rebali_demand *demand) {
  int64_t best = PODS_PER_NODE;

  for (size_t i = 0; i < demand->n_requests; i++) {
    const struct rebali_request *request = &demand->requests[i];
    const int64_t wanted = request->is_cpu ? request->milli : request->value;
    rebal_quantity capacity;
    int64_t fit;

    if (!request->is_vector || wanted <= 0) {
      continue;
    }
    capacity = lower_bound(models, model, request->name);
    fit = (request->is_cpu ? rebal_quantity_milli(&capacity) : rebal_quantity_value(&capacity)) / wanted;
    best = fit < best ? fit : best;
  }
  return best;
}

/* Is a later model of the same grade going to replace this one? */
static int is_replaced(const rebal_record *models, uint32_t model, int64_t grade) {
  uint32_t later = model;

  while ((later = rebal_record_next(models, 0, REBAL_RESOURCE_MODELS_MODEL, later)) != REBAL_NONE) {
    if (rebal_record_i64(models, rebali_record_get(models, later, REBAL_RESOURCE_MODEL_GRADE)) == grade) {
      return 1;
    }
  }
  return 0;
}

int rebali_models_fit(const rebal_snapshot *snapshot, uint32_t cluster, const struct rebali_demand *demand,
                      int64_t *out) {
  const rebal_record *models = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_RESOURCE_MODELS, cluster);
  const rebal_record *modelings = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_MODELINGS, cluster);
  uint32_t model = REBAL_NONE;
  int64_t total = 0;

  if (models == NULL || modelings == NULL || rebali_record_count(models, 0, REBAL_RESOURCE_MODELS_MODEL) == 0 ||
      !node_count(modelings, 0, &total)) {
    return 0;
  }
  total = 0;
  while ((model = rebal_record_next(models, 0, REBAL_RESOURCE_MODELS_MODEL, model)) != REBAL_NONE) {
    const int64_t grade = rebal_record_i64(models, rebali_record_get(models, model, REBAL_RESOURCE_MODEL_GRADE));
    int64_t count = 0;

    if (is_replaced(models, model, grade)) {
      continue;
    }
    (void)node_count(modelings, grade, &count); /* negative counts were ruled out above */
    total = rebali_add_saturating(total, rebali_multiply_saturating(count, fit_one_node(models, model, demand)));
  }
  *out = total < INT32_MAX ? total : INT32_MAX; /* the reference counts no further */
  return 1;
}
