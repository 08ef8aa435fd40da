/* SPDX-License-Identifier: MIT */
/* The public call: loads a movement, solves it and writes it into the caller's arrays. */
#include "plan/movement/movement.h"

static void sum_binding(const rebal_movement *problem, size_t binding, rebal_movement_answer *answer) {
  const int64_t weight = rebali_movement_cell(problem->weights, binding, 1), replicas = problem->replicas[binding];
  int64_t placed = 0, present = 0, kept = 0; /* within 2^63: fewer than 2^32 pairs of less than 2^31 */

  for (size_t index = (size_t)problem->offsets[binding]; index < problem->offsets[binding + 1]; index++) {
    const int64_t planned = answer->planned[index];
    const int64_t before = rebali_movement_cell(problem->present, index, 0);

    placed += planned;
    present += before;
    kept += before < planned ? before : planned;
  }
  /* The present replicas by weight add up to less than 2^53; other weights are multiplied by 0. */
  answer->placed += placed;
  answer->kept += weight * kept;
  answer->moved += weight * ((present < replicas ? present : replicas) - kept);
}

void rebali_movement_sum(const rebal_movement *problem, rebal_movement_answer *answer) {
  answer->placed = answer->kept = answer->moved = 0;
  for (size_t binding = 0; binding < problem->n_bindings; binding++) {
    sum_binding(problem, binding, answer);
  }
}

/*
 * Returns the price of a binding. If its pairs have too few places, it is the unplaced cost: cheaper pairs would gain
 * nothing.
 */
static int64_t binding_price(const struct rebali_movement *movement, size_t binding) {
  const uint64_t *offsets = movement->problem.offsets;
  int64_t most = 0;

  for (size_t index = (size_t)offsets[binding]; index < offsets[binding + 1]; index++) {
    most += movement->pairs[index].most + rebali_movement_cell(movement->problem.minimums, index, 0);
  }
  return most < movement->problem.replicas[binding] ? movement->unplaced_cost
                                                    : movement->prices[movement->n_clusters + binding];
}

static void write_answer(const struct rebali_movement *movement, rebal_movement_answer *answer) {
  for (size_t index = 0; index < movement->n_pairs; index++) {
    answer->planned[index] =
        movement->pairs[index].planned + rebali_movement_cell(movement->problem.minimums, index, 0);
  }
  rebali_movement_sum(&movement->problem, answer);
  for (size_t binding = 0; answer->binding_prices != NULL && binding < movement->n_bindings; binding++) {
    answer->binding_prices[binding] = binding_price(movement, binding);
  }
  if (answer->cluster_prices != NULL && movement->n_clusters > 0) {
    memcpy(answer->cluster_prices, movement->prices, movement->n_clusters * sizeof *movement->prices);
  }
}

static int32_t check_answer(const rebal_movement *problem, const rebal_movement_answer *answer, rebal_error *err) {
  if (answer->flags != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a flag of the answer is not known");
  }
  return answer->planned == NULL && problem->n_bindings > 0 && problem->offsets != NULL &&
                 problem->offsets[problem->n_bindings] > 0
             ? rebali_fail(err, REBAL_EINVAL, -1, "planned is NULL")
             : REBAL_OK;
}

static int32_t solve(struct rebali_movement *movement, const rebal_movement *problem, rebal_error *err) {
  int32_t code = rebali_movement_load(movement, problem, err);

  if (code == REBAL_OK && rebali_movement_start(movement)) {
    code = rebali_movement_repair(movement, err);
  }
  return code;
}

int32_t rebal_least_movement(rebal_ctx *ctx, const rebal_movement *problem, rebal_movement_answer *answer,
                             rebal_error *err) {
  rebal_movement known;
  rebal_movement_answer arrays;
  struct rebali_movement movement;
  int32_t code = problem == NULL || answer == NULL
                     ? rebali_fail(err, REBAL_EINVAL, -1, "problem or answer is NULL")
                     : rebali_options_load(&known, sizeof known, sizeof known, problem, err);

  if (code == REBAL_OK) {
    code = rebali_options_load(&arrays, sizeof arrays, sizeof arrays, answer, err);
  }
  if (code == REBAL_OK) {
    code = check_answer(&known, &arrays, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ctx_begin(ctx, err);
  }
  if (code == REBAL_OK) {
    movement.scratch = rebali_ctx_scratch(ctx);
    code = solve(&movement, &known, err);
    if (code == REBAL_OK) {
      write_answer(&movement, &arrays);
      rebali_structure_fill(answer, &arrays, sizeof arrays);
    }
    rebali_ctx_end(ctx);
  }
  return code;
}
