/* SPDX-License-Identifier: MIT */
/*
 * Verifies an answer to a movement (rebalance-plan(7) 6). It shares only the limits of numbers with the code that
 * computes answers, so that it detects faults there.
 *
 * Within these limits every sum fits into 128 bits: replicas are below 2^41 in all, prices and M below 2^56, so a price
 * times replicas summed over fewer than 2^32 pairs or clusters stays below 2^127.
 */
#include "plan/plan.h"

#define LARGEST_PRICE (2 * REBALI_MOVEMENT_COST)

struct proof {
  const rebal_movement *problem;
  const rebal_movement_answer *answer;
  int64_t *loads; /* of each cluster */
  int64_t replicas, placed;
  struct rebali_wide present, kept, moved; /* by weight */
  struct rebali_wide bound;
};

/* Sums of one binding. */
struct binding {
  int64_t present, placed, kept;
};

static int64_t or_else(const int64_t *cells, size_t index, int64_t otherwise) {
  return cells == NULL ? otherwise : cells[index];
}

static int64_t smaller(int64_t left, int64_t right) {
  return left < right ? left : right;
}

static void add_product(struct rebali_wide *sum, int64_t left, int64_t right) {
  *sum = rebali_wide_add(*sum, rebali_wide_multiply(left, right));
}

static int32_t refuse(rebal_error *err, const char *field, size_t where, const char *why) {
  const int32_t code = rebali_fail(err, REBAL_EMISMATCH, (int64_t)where, "%s", why);

  rebali_fail_field(err, field);
  return code;
}

/* Returns the minimum over lowest <= y <= highest of weight x max(0, present - y) - price x y, which is convex. */
static struct rebali_wide least_of_pair(int64_t weight, int64_t present, int64_t price, int64_t lowest,
                                        int64_t highest) {
  const int64_t bend = present < lowest ? lowest : smaller(present, highest);
  const int64_t at = price >= 0 ? highest : weight > -price ? bend : lowest;
  struct rebali_wide value = rebali_wide_multiply(weight, present > at ? present - at : 0);

  add_product(&value, -price, at);
  return value;
}

static int32_t prove_pair(struct proof *proof, size_t b, size_t i, struct binding *sums, rebal_error *err) {
  const rebal_movement *problem = proof->problem;
  const int64_t present = or_else(problem->present, i, 0), planned = proof->answer->planned[i];
  const int64_t lowest = or_else(problem->minimums, i, 0);
  const int64_t highest = smaller(or_else(problem->maximums, i, INT64_MAX), problem->replicas[b]);
  const uint32_t cluster = problem->clusters[i];
  int64_t price;

  if (cluster >= problem->n_clusters || present < 0 || present > REBALI_MOVEMENT_COUNT || lowest < 0) {
    return refuse(err, "present", i, "a pair is malformed");
  }
  if (planned < lowest || planned > highest) {
    return refuse(err, "planned", i, "replicas are not within the bounds");
  }
  price = proof->answer->binding_prices[b] - proof->answer->cluster_prices[cluster];
  proof->bound =
      rebali_wide_add(proof->bound, least_of_pair(or_else(problem->weights, b, 1), present, price, lowest, highest));
  proof->loads[cluster] += planned;
  sums->present += present;
  sums->placed += planned;
  sums->kept += smaller(present, planned);
  return REBAL_OK;
}

static int32_t prove_binding(struct proof *proof, size_t b, rebal_error *err) {
  const rebal_movement *problem = proof->problem;
  const int64_t weight = or_else(problem->weights, b, 1), price = proof->answer->binding_prices[b];
  struct binding sums = {0, 0, 0};

  if (problem->replicas[b] < 0 || problem->replicas[b] > REBALI_MOVEMENT_COUNT || weight <= 0) {
    return refuse(err, "replicas", b, "a binding is malformed");
  }
  if (price < -LARGEST_PRICE || price > LARGEST_PRICE) {
    return refuse(err, "binding_prices", b, "a price is out of range");
  }
  for (size_t i = (size_t)problem->offsets[b]; i < problem->offsets[b + 1]; i++) {
    const int32_t code = prove_pair(proof, b, i, &sums, err);

    if (code != REBAL_OK) {
      return code;
    }
  }
  if (sums.placed > problem->replicas[b]) {
    return refuse(err, "replicas", b, "more replicas are planned than wanted");
  }
  proof->replicas += problem->replicas[b];
  proof->placed += sums.placed;
  add_product(&proof->present, weight, sums.present);
  add_product(&proof->kept, weight, sums.kept);
  add_product(&proof->moved, weight, smaller(sums.present, problem->replicas[b]) - sums.kept);
  add_product(&proof->bound, price, problem->replicas[b]);
  return REBAL_OK;
}

static int32_t prove_clusters(struct proof *proof, rebal_error *err) {
  for (size_t c = 0; c < proof->problem->n_clusters; c++) {
    const int64_t capacity = or_else(proof->problem->capacities, c, INT64_MAX),
                  price = proof->answer->cluster_prices[c];

    if (proof->loads[c] > capacity) {
      return refuse(err, "capacities", c, "more replicas are planned than the capacity");
    }
    if (price < 0 || price > LARGEST_PRICE || (price > 0 && capacity == INT64_MAX)) {
      return refuse(err, "cluster_prices", c, "a price is out of range, or of no capacity");
    }
    add_product(&proof->bound, -price, smaller(capacity, proof->replicas)); /* a greater capacity limits nothing */
  }
  return REBAL_OK;
}

/* Computes the present replicas by weight, plus 1: more than all moves cost. */
static int32_t find_unplaced_cost(const struct proof *proof, int64_t *cost, rebal_error *err) {
  if (proof->replicas > REBALI_MOVEMENT_REPLICAS ||
      rebali_wide_compare(proof->present, rebali_wide_from(REBALI_MOVEMENT_COST)) >= 0) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "too many replicas, or too large weights");
  }
  *cost = (int64_t)proof->present.low + 1;
  return REBAL_OK;
}

static int is_number(struct rebali_wide sum, int64_t number) {
  return rebali_wide_compare(sum, rebali_wide_from(number)) == 0;
}

/* Cost and bound both leave out the replicas that a smaller wanted number removes. */
static int32_t find_gap(const struct proof *proof, int64_t *gap, rebal_error *err) {
  const rebal_movement *problem = proof->problem;
  struct rebali_wide above = rebali_wide_subtract(proof->present, proof->kept);
  int64_t unplaced_cost = 0;
  const int32_t code = find_unplaced_cost(proof, &unplaced_cost, err);

  if (code != REBAL_OK) {
    return code;
  }
  add_product(&above, unplaced_cost, proof->replicas - proof->placed);
  above = rebali_wide_subtract(above, proof->bound);
  for (size_t b = 0; b < problem->n_bindings; b++) {
    add_product(&above, -smaller(0, unplaced_cost - proof->answer->binding_prices[b]), problem->replicas[b]);
  }
  *gap = rebali_wide_divide_away(above, 1); /* saturates */
  return REBAL_OK;
}

static int32_t prove(struct proof *proof, int64_t *gap, rebal_error *err) {
  const rebal_movement_answer *answer = proof->answer;
  int32_t code = REBAL_OK;

  for (size_t b = 0; code == REBAL_OK && b < proof->problem->n_bindings; b++) {
    code = prove_binding(proof, b, err);
  }
  if (code == REBAL_OK) {
    code = prove_clusters(proof, err);
  }
  if (code == REBAL_OK && (proof->placed != answer->placed || !is_number(proof->kept, answer->kept) ||
                           !is_number(proof->moved, answer->moved))) {
    code = refuse(err, "placed, kept, moved", 0, "a sum is wrong");
  }
  return code == REBAL_OK ? find_gap(proof, gap, err) : code;
}

static int32_t check_arrays(const rebal_movement *problem, const rebal_movement_answer *answer, rebal_error *err) {
  if (problem->flags != 0 || answer->flags != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a flag is not known");
  }
  if (problem->n_bindings >= REBALI_NONE || problem->n_clusters >= REBALI_NONE) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "too many bindings or clusters");
  }
  if ((problem->n_clusters > 0 && answer->cluster_prices == NULL) ||
      (problem->n_bindings > 0 &&
       (problem->replicas == NULL || problem->offsets == NULL || answer->binding_prices == NULL))) {
    return rebali_fail(err, REBAL_EINVAL, -1, "an array is NULL");
  }
  for (size_t b = 0; b < problem->n_bindings; b++) {
    if (problem->offsets[b] > problem->offsets[b + 1] || (b == 0 && problem->offsets[b] != 0)) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)b, "offsets do not ascend from 0");
    }
  }
  if (problem->n_bindings > 0 && problem->offsets[problem->n_bindings] > 0) {
    if (problem->offsets[problem->n_bindings] >= REBALI_NONE) {
      return rebali_fail(err, REBAL_ELIMIT, -1, "too many pairs");
    }
    if (problem->clusters == NULL || answer->planned == NULL) {
      return rebali_fail(err, REBAL_EINVAL, -1, "an array is NULL");
    }
  }
  return REBAL_OK;
}

int32_t rebal_plan_verify(rebal_ctx *ctx, const rebal_movement *problem, const rebal_movement_answer *answer,
                          int64_t *gap, rebal_error *err) {
  rebal_movement known;
  rebal_movement_answer given;
  struct proof proof = {.problem = &known, .answer = &given};
  int32_t code = problem == NULL || answer == NULL || gap == NULL
                     ? rebali_fail(err, REBAL_EINVAL, -1, "problem, answer or gap is NULL")
                     : rebali_options_load(&known, sizeof known, sizeof known, problem, err);

  if (code == REBAL_OK) {
    code = rebali_options_load(&given, sizeof given, sizeof given, answer, err);
  }
  if (code == REBAL_OK) {
    code = check_arrays(&known, &given, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ctx_begin(ctx, err);
  }
  if (code == REBAL_OK) {
    proof.loads = rebali_arena_allocate_zero(rebali_ctx_scratch(ctx), (size_t)known.n_clusters + 1, sizeof(int64_t));
    code = proof.loads == NULL ? rebali_fail_memory(err) : prove(&proof, gap, err);
    rebali_ctx_end(ctx);
  }
  return code;
}
