/* SPDX-License-Identifier: MIT */
/* The transportation problem of a plan and its answer, to bytes and back (rebalance-plan(7) 6). */
#include "plan/saved.h"

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void save_u32s(struct rebali_saving *saving, const uint32_t *values, size_t n) {
  for (size_t i = 0; i < n; i++) {
    saving->values[i] = values[i];
  }
  rebali_save_integers(saving, saving->values, n);
}

static void save_lengths(struct rebali_saving *saving, const uint64_t *offsets, size_t n) {
  for (size_t i = 0; i < n; i++) {
    saving->values[i] = (int64_t)(offsets[i + 1] - offsets[i]);
  }
  rebali_save_integers(saving, saving->values, n);
}

static void save_sums(struct rebali_saving *saving, const struct rebali_plan_least *least) {
  rebali_save_u64(saving, (uint64_t)least->gap);
  rebali_save_u64(saving, (uint64_t)least->answer.placed);
  rebali_save_u64(saving, (uint64_t)least->answer.kept);
  rebali_save_u64(saving, (uint64_t)least->answer.moved);
  rebali_save_u32(saving, least->n_classes);
  rebali_save_u32(saving, least->problem.capacities != NULL);
}

void rebali_plan_save_least(struct rebali_saving *saving, const struct rebali_plan_least *least) {
  const rebal_movement *problem = &least->problem;
  const rebal_movement_answer *answer = &least->answer;
  const size_t n = (size_t)problem->n_bindings;
  const size_t n_pairs = (size_t)problem->offsets[n];

  rebali_save_section(saving, REBALI_SAVED_PLAN_LEAST, 0, 0);
  save_sums(saving, least);
  rebali_save_u32(saving, (uint32_t)n);
  save_u32s(saving, least->rows, n);
  rebali_save_integers(saving, problem->replicas, n);
  rebali_save_integers(saving, problem->weights, n);
  rebali_save_integers(saving, answer->binding_prices, n);
  save_lengths(saving, problem->offsets, n);
  rebali_save_u32(saving, (uint32_t)n_pairs); /* fewer than 2^32 - 1, like bindings and rows of capacity */
  save_u32s(saving, problem->clusters, n_pairs);
  rebali_save_integers(saving, problem->present, n_pairs);
  rebali_save_integers(saving, problem->minimums, n_pairs);
  rebali_save_integers(saving, problem->maximums, n_pairs);
  rebali_save_integers(saving, answer->planned, n_pairs);
  rebali_save_u32(saving, (uint32_t)problem->n_clusters);
  rebali_save_integers(saving, answer->cluster_prices, (size_t)problem->n_clusters);
  if (problem->capacities != NULL) {
    rebali_save_integers(saving, problem->capacities, (size_t)problem->n_clusters);
  }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int32_t load_numbers(struct rebali_plan_loading *loading, size_t n, int64_t least, int64_t most, int64_t **out,
                            rebal_error *err) {
  int32_t code = rebali_plan_load_integers(loading, n, least, most, err);

  if (code != REBAL_OK) {
    return code;
  }
  *out = rebali_arena_allocate(&loading->plan->arena, n, sizeof **out);
  if (*out == NULL) {
    return rebali_fail_memory(err);
  }
  if (n != 0) {
    memcpy(*out, loading->bytes.values, n * sizeof **out);
  }
  return REBAL_OK;
}

static int32_t load_u32s(struct rebali_plan_loading *loading, size_t n, int64_t most, uint32_t **out,
                         rebal_error *err) {
  int32_t code = rebali_plan_load_integers(loading, n, 0, most, err);

  if (code != REBAL_OK) {
    return code;
  }
  *out = rebali_arena_allocate(&loading->plan->arena, n, sizeof **out);
  for (size_t i = 0; i < n && *out != NULL; i++) {
    (*out)[i] = (uint32_t)loading->bytes.values[i];
  }
  return *out == NULL ? rebali_fail_memory(err) : REBAL_OK;
}

static int32_t load_lengths(struct rebali_plan_loading *loading, size_t n, const uint64_t **out, rebal_error *err) {
  int32_t code = rebali_plan_load_integers(loading, n, 0, UINT32_MAX, err);
  uint64_t *offsets;

  if (code != REBAL_OK) {
    return code;
  }
  offsets = rebali_arena_allocate_zero(&loading->plan->arena, n + 1, sizeof *offsets);
  for (size_t i = 0; i < n && offsets != NULL; i++) {
    offsets[i + 1] = offsets[i] + (uint64_t)loading->bytes.values[i]; /* less than 2^32 times 2^32 */
  }
  *out = offsets;
  return offsets == NULL ? rebali_fail_memory(err) : REBAL_OK;
}

static int32_t load_sums(struct rebali_plan_loading *loading, struct rebali_plan_least *least, uint32_t *has_capacities,
                         rebal_error *err) {
  uint64_t sums[4] = {0, 0, 0, 0};
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < REBALI_COUNT(sums) && code == REBAL_OK; i++) {
    code = rebali_load_u64(&loading->bytes, &sums[i], err);
    if (code == REBAL_OK && sums[i] > INT64_MAX) {
      code = rebali_load_malformed(&loading->bytes, "a sum is negative", err);
    }
  }
  least->gap = (int64_t)sums[0];
  least->answer.placed = (int64_t)sums[1];
  least->answer.kept = (int64_t)sums[2];
  least->answer.moved = (int64_t)sums[3];
  code = code == REBAL_OK ? rebali_load_u32(&loading->bytes, &least->n_classes, err) : code;
  code = code == REBAL_OK ? rebali_load_u32(&loading->bytes, has_capacities, err) : code;
  return code == REBAL_OK && *has_capacities > 1
             ? rebali_load_malformed(&loading->bytes, "a flag is neither 0 nor 1", err)
             : code;
}

static int32_t load_bindings(struct rebali_plan_loading *loading, struct rebali_plan_least *least, rebal_error *err) {
  int64_t *replicas = NULL, *weights = NULL;
  uint32_t n = 0;
  int32_t code = rebali_load_count(&loading->bytes, 1, &n, err);

  code = code == REBAL_OK ? load_u32s(loading, n, (int64_t)loading->plan->n_rows - 1, &least->rows, err) : code;
  code = code == REBAL_OK ? load_numbers(loading, n, 0, INT64_MAX, &replicas, err) : code;
  code = code == REBAL_OK ? load_numbers(loading, n, 1, INT64_MAX, &weights, err) : code;
  code = code == REBAL_OK ? load_numbers(loading, n, INT64_MIN, INT64_MAX, &least->answer.binding_prices, err) : code;
  code = code == REBAL_OK ? load_lengths(loading, n, &least->problem.offsets, err) : code;
  least->problem.n_bindings = n;
  least->problem.replicas = replicas;
  least->problem.weights = weights;
  return code;
}

static int32_t load_pairs(struct rebali_plan_loading *loading, struct rebali_plan_least *least, rebal_error *err) {
  int64_t *present = NULL, *minimums = NULL, *maximums = NULL;
  uint32_t *clusters = NULL;
  uint32_t n = 0;
  int32_t code = rebali_load_count(&loading->bytes, 1, &n, err);

  if (code == REBAL_OK && n != least->problem.offsets[least->problem.n_bindings]) {
    code = rebali_load_malformed(&loading->bytes, "a number of pairs is not the sum of those of the bindings", err);
  }
  code = code == REBAL_OK ? load_u32s(loading, n, UINT32_MAX, &clusters, err) : code;
  code = code == REBAL_OK ? load_numbers(loading, n, 0, INT64_MAX, &present, err) : code;
  code = code == REBAL_OK ? load_numbers(loading, n, 0, INT64_MAX, &minimums, err) : code;
  code = code == REBAL_OK ? load_numbers(loading, n, 0, INT64_MAX, &maximums, err) : code;
  code = code == REBAL_OK ? load_numbers(loading, n, 0, INT64_MAX, &least->answer.planned, err) : code;
  least->problem.clusters = clusters;
  least->problem.present = present;
  least->problem.minimums = minimums;
  least->problem.maximums = maximums;
  return code;
}

static int32_t load_capacities(struct rebali_plan_loading *loading, struct rebali_plan_least *least,
                               uint32_t has_capacities, rebal_error *err) {
  const rebal_movement *problem = &least->problem;
  int64_t *capacities = NULL;
  uint32_t n = 0;
  int32_t code = rebali_load_count(&loading->bytes, 1, &n, err);

  code = code == REBAL_OK ? load_numbers(loading, n, 0, INT64_MAX, &least->answer.cluster_prices, err) : code;
  if (code == REBAL_OK && has_capacities) {
    code = load_numbers(loading, n, 0, INT64_MAX, &capacities, err);
  }
  for (uint64_t pair = 0; code == REBAL_OK && pair < problem->offsets[problem->n_bindings]; pair++) {
    if (problem->clusters[pair] >= n) {
      code = rebali_load_malformed(&loading->bytes, "a pair is of a row of capacity that does not exist", err);
    }
  }
  least->problem.n_clusters = n;
  least->problem.capacities = capacities;
  return code;
}

int32_t rebali_plan_load_least(struct rebali_loading *bytes, rebal_error *err) {
  struct rebali_plan_loading *loading = (struct rebali_plan_loading *)bytes;
  struct rebali_plan_least *least = rebali_arena_allocate_zero(&loading->plan->arena, 1, sizeof *least);
  uint32_t has_capacities = 0;
  int32_t code = rebali_plan_load_begin(loading, REBALI_SAVED_PLAN_LEAST, err);

  if (code == REBAL_OK && least == NULL) {
    code = rebali_fail_memory(err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  least->problem.struct_size = (uint32_t)sizeof least->problem;
  least->answer.struct_size = (uint32_t)sizeof least->answer;
  code = load_sums(loading, least, &has_capacities, err);
  code = code == REBAL_OK ? load_bindings(loading, least, err) : code;
  code = code == REBAL_OK ? load_pairs(loading, least, err) : code;
  code = code == REBAL_OK ? load_capacities(loading, least, has_capacities, err) : code;
  loading->plan->least = least;
  return code;
}
