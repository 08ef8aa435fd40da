/* SPDX-License-Identifier: MIT */
/* Checks the caller's problem and turns it into pairs without minimums. */
#include "plan/movement/movement.h"

static int32_t check_arrays(const rebal_movement *problem, rebal_error *err) {
  if (problem->flags != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a flag of the problem is not known");
  }
  if (problem->n_bindings >= REBALI_NONE || problem->n_clusters >= REBALI_NONE) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "too many bindings or clusters");
  }
  if (problem->n_bindings == 0) {
    return REBAL_OK;
  }
  if (problem->replicas == NULL || problem->offsets == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "an array of the bindings is NULL");
  }
  if (problem->offsets[0] != 0) {
    return rebali_fail(err, REBAL_EINVAL, 0, "the pairs of the first binding do not begin at 0");
  }
  for (size_t binding = 0; binding < problem->n_bindings; binding++) {
    if (problem->offsets[binding] > problem->offsets[binding + 1]) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)binding, "offsets go backward");
    }
  }
  if (problem->offsets[problem->n_bindings] >= REBALI_NONE) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "too many pairs");
  }
  return problem->clusters == NULL && problem->offsets[problem->n_bindings] > 0
             ? rebali_fail(err, REBAL_EINVAL, -1, "clusters is NULL")
             : REBAL_OK;
}

static int32_t allocate(struct rebali_movement *movement, rebal_error *err) {
  const size_t n_nodes = movement->n_clusters + movement->n_bindings;

  movement->pairs = rebali_arena_allocate(movement->scratch, movement->n_pairs + 1, sizeof *movement->pairs);
  movement->waiting = rebali_arena_allocate_zero(movement->scratch, movement->n_bindings + 1, sizeof(int64_t));
  movement->left = rebali_arena_allocate(movement->scratch, movement->n_clusters + 1, sizeof *movement->left);
  movement->prices = rebali_arena_allocate_zero(movement->scratch, n_nodes + 1, sizeof *movement->prices);
  return movement->pairs == NULL || movement->waiting == NULL || movement->left == NULL || movement->prices == NULL
             ? rebali_fail_memory(err)
             : REBAL_OK;
}

static int32_t load_capacities(struct rebali_movement *movement, rebal_error *err) {
  for (size_t cluster = 0; cluster < movement->n_clusters; cluster++) {
    movement->left[cluster] = rebali_movement_cell(movement->problem.capacities, cluster, INT64_MAX);
    if (movement->left[cluster] < 0) {
      return rebali_fail(err, REBAL_ERANGE, (int64_t)cluster, "a capacity is negative");
    }
  }
  return REBAL_OK;
}

static int32_t fail_count(rebal_error *err, size_t pair, const char *field, int64_t count) {
  const int32_t code = rebali_fail(err, REBAL_ERANGE, (int64_t)pair, "expected 0 to %d replicas, got %lld",
                                   REBALI_MOVEMENT_COUNT, (long long)count);

  rebali_fail_field(err, field);
  return code;
}

static int is_count(int64_t value) {
  return value >= 0 && value <= REBALI_MOVEMENT_COUNT;
}

static int64_t smaller(int64_t left, int64_t right) {
  return left < right ? left : right;
}

/* most is below 0 if the minimums of the binding exceed its replicas; that is reported later. */
static void fill_pair(struct rebali_movement_pair *pair, uint32_t binding, int64_t most, int64_t present) {
  pair->binding = binding;
  pair->planned = 0;
  pair->most = most > 0 ? (int32_t)most : 0;
  pair->kept_most = present > 0 ? (int32_t)smaller(present, pair->most) : 0;
}

/* *rest holds the replicas of the binding above the minimums of earlier pairs; this minimum is subtracted. */
static int32_t load_pair(struct rebali_movement *movement, size_t binding, size_t index, int64_t *rest,
                         rebal_error *err) {
  const rebal_movement *problem = &movement->problem;
  const int64_t present = rebali_movement_cell(problem->present, index, 0);
  const int64_t minimum = rebali_movement_cell(problem->minimums, index, 0);
  const int64_t maximum = rebali_movement_cell(problem->maximums, index, INT64_MAX);
  const uint32_t cluster = problem->clusters[index];

  if (cluster >= movement->n_clusters ||
      (index > problem->offsets[binding] && cluster <= problem->clusters[index - 1])) {
    return rebali_fail(err, REBAL_EINVAL, (int64_t)index, "clusters of a binding are not ascending, or out of range");
  }
  if (!is_count(present)) {
    return fail_count(err, index, "present", present);
  }
  if (!is_count(minimum)) {
    return fail_count(err, index, "minimums", minimum);
  }
  if (maximum < minimum) {
    return rebali_fail(err, REBAL_EINVAL, (int64_t)index, "a maximum is below its minimum");
  }
  *rest -= minimum;
  if (movement->left[cluster] != INT64_MAX) {
    movement->left[cluster] -= minimum; /* fewer than 2^32 times less than 2^31 */
  }
  fill_pair(&movement->pairs[index], (uint32_t)binding, smaller(maximum, problem->replicas[binding]) - minimum,
            present - minimum);
  movement->unplaced_cost = rebali_add_saturating(
      movement->unplaced_cost, rebali_multiply_saturating(rebali_movement_weight(movement, binding), present));
  return REBAL_OK;
}

static int32_t fail_binding(rebal_error *err, size_t binding, int64_t replicas, int64_t rest) {
  const int32_t code =
      rebali_fail(err, REBAL_ERANGE, (int64_t)binding, "the minimums of binding %zu are %lld, but its replicas %lld",
                  binding, (long long)(replicas - rest), (long long)replicas);

  rebali_fail_field(err, "replicas");
  return code;
}

static int32_t load_binding(struct rebali_movement *movement, size_t binding, rebal_error *err) {
  const rebal_movement *problem = &movement->problem;
  const int64_t replicas = problem->replicas[binding];
  int64_t rest = replicas, places = 0;

  if (!is_count(replicas)) {
    return fail_count(err, binding, "replicas", replicas);
  }
  if (rebali_movement_weight(movement, binding) <= 0) {
    return rebali_fail(err, REBAL_ERANGE, (int64_t)binding, "a weight is not above 0");
  }
  for (size_t index = (size_t)problem->offsets[binding]; index < problem->offsets[binding + 1]; index++) {
    const int32_t code = load_pair(movement, binding, index, &rest, err);

    if (code != REBAL_OK) {
      return code;
    }
  }
  if (rest < 0) {
    return fail_binding(err, binding, replicas, rest);
  }
  for (size_t index = (size_t)problem->offsets[binding]; index < problem->offsets[binding + 1]; index++) {
    places += movement->pairs[index].most;
  }
  movement->waiting[binding] = smaller(places, rest);
  return REBAL_OK;
}

static int32_t check_sums(const struct rebali_movement *movement, rebal_error *err) {
  int64_t replicas = 0;

  for (size_t binding = 0; binding < movement->n_bindings; binding++) {
    replicas += movement->problem.replicas[binding]; /* fewer than 2^32 times less than 2^31 */
  }
  if (replicas > REBALI_MOVEMENT_REPLICAS || movement->unplaced_cost > REBALI_MOVEMENT_COST) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "too many replicas, or too large weights");
  }
  for (size_t cluster = 0; cluster < movement->n_clusters; cluster++) {
    if (movement->left[cluster] < 0) {
      const int32_t code = rebali_fail(
          err, REBAL_ERANGE, (int64_t)cluster, "the minimums in cluster %zu exceed its capacity of %lld by %lld",
          cluster, (long long)movement->problem.capacities[cluster], (long long)-movement->left[cluster]);

      rebali_fail_field(err, "capacities");
      return code;
    }
  }
  return REBAL_OK;
}

int32_t rebali_movement_load(struct rebali_movement *movement, const rebal_movement *problem, rebal_error *err) {
  int32_t code;

  movement->problem = *problem;
  code = check_arrays(problem, err);
  if (code != REBAL_OK) {
    return code;
  }
  movement->n_bindings = (size_t)problem->n_bindings;
  movement->n_clusters = (size_t)problem->n_clusters;
  movement->n_pairs = movement->n_bindings == 0 ? 0 : (size_t)problem->offsets[movement->n_bindings];
  movement->unplaced_cost = 1;
  code = allocate(movement, err);
  if (code == REBAL_OK) {
    code = load_capacities(movement, err);
  }
  for (size_t binding = 0; code == REBAL_OK && binding < movement->n_bindings; binding++) {
    code = load_binding(movement, binding, err);
  }
  return code == REBAL_OK ? check_sums(movement, err) : code;
}
