/* SPDX-License-Identifier: MIT */
/* Random movements: against every placement, proofs, other orders, answers that are changed (rebalance-plan(7) 6). */
#include "movement.h"

#include <string.h>

enum { TRIED_BINDINGS = 3, TRIED_CLUSTERS = 3, TRIED_REPLICAS = 4 };

struct size {
  size_t bindings, clusters;
  uint32_t replicas;
};

static void draw_pair(struct dice *dice, struct movement *movement, int64_t replicas, uint32_t cluster) {
  const size_t i = movement->n_pairs;
  const int64_t most = roll(dice, (uint32_t)replicas + 2);

  movement->clusters[i] = cluster;
  movement->present[i] = chance(dice, 50) ? roll(dice, (uint32_t)replicas + 2) : 0;
  movement->maximums[i] = chance(dice, 20) ? INT64_MAX : most;
  movement->minimums[i] = chance(dice, 15) ? roll(dice, (uint32_t)(most < 2 ? most + 1 : 3)) : 0;
  movement->n_pairs++;
}

static void draw_capacities(struct dice *dice, struct movement *movement) {
  int64_t wanted = 0;

  for (size_t b = 0; b < movement->n_bindings; b++) {
    wanted += movement->replicas[b];
  }
  for (size_t c = 0; c < movement->n_clusters; c++) {
    const int64_t fair = wanted / (int64_t)movement->n_clusters;

    movement->capacities[c] = chance(dice, 25) ? INT64_MAX : fair / 2 + roll(dice, (uint32_t)fair + 2);
  }
}

static void draw_movement(struct dice *dice, struct movement *movement, struct size most) {
  static const int64_t large[] = {1, 2, 3, 1000, 1000003};

  memset(movement, 0, sizeof *movement);
  movement->n_bindings = 1 + roll(dice, (uint32_t)most.bindings);
  movement->n_clusters = 1 + roll(dice, (uint32_t)most.clusters);
  for (size_t b = 0; b < movement->n_bindings; b++) {
    movement->replicas[b] = roll(dice, most.replicas + 1);
    movement->weights[b] = chance(dice, 20) ? large[roll(dice, 5)] : 1 + roll(dice, 3);
    for (uint32_t c = 0; c < movement->n_clusters; c++) {
      if (chance(dice, 75)) {
        draw_pair(dice, movement, movement->replicas[b], c);
      }
    }
    movement->offsets[b + 1] = movement->n_pairs;
  }
  draw_capacities(dice, movement);
}

/* Runs a law with a context of its own. */
static const char *with_context(const char *(*try)(rebal_ctx *ctx, struct dice *dice), struct dice *dice) {
  rebal_ctx *ctx = NULL;
  const char *wrong = rebal_ctx_new(NULL, NULL, &ctx, NULL) == REBAL_OK ? try(ctx, dice) : "no memory";

  rebal_ctx_free(ctx);
  return wrong;
}

/* ---- every placement --------------------------------------------------------------------------------------------- */

static const char *try_all(rebal_ctx *ctx, struct dice *dice) {
  static const struct size most = {TRIED_BINDINGS, TRIED_CLUSTERS, TRIED_REPLICAS};
  struct movement movement;
  int64_t placed, kept;
  int32_t code;
  const char *wrong;

  draw_movement(dice, &movement, most);
  wrong = movement_solve(ctx, &movement, &code);
  if (wrong == NULL && movement_try_all(&movement, &placed, &kept) != (code == REBAL_OK)) {
    return "one finds a placement, the other does not";
  }
  return wrong != NULL || code != REBAL_OK || (movement.answer.placed == placed && movement.answer.kept == kept)
             ? wrong
             : "another placement is better";
}

const char *law_movement_try_all(struct dice *dice) {
  return with_context(try_all, dice);
}

/* ---- proofs ------------------------------------------------------------------------------------------------------ */

static const struct size usual = {MOVEMENT_BINDINGS, MOVEMENT_CLUSTERS, 30};

static const char *try_proof(rebal_ctx *ctx, struct dice *dice) {
  struct movement movement;
  int32_t code;

  draw_movement(dice, &movement, usual);
  return movement_solve(ctx, &movement, &code);
}

const char *law_movement_is_proved(struct dice *dice) {
  return with_context(try_proof, dice);
}

/* If any number of an answer is changed, it is refused, or the bound is below the cost. */
static const char *change(rebal_ctx *ctx, struct movement *movement, int64_t *number, int64_t by) {
  const rebal_movement problem = movement_problem(movement);
  int64_t gap = 0;
  int32_t code;

  *number += by;
  code = rebal_plan_verify(ctx, &problem, &movement->answer, &gap, NULL);
  *number -= by;
  if (code != REBAL_OK) {
    return code == REBAL_EMISMATCH ? NULL : "a changed answer is an error of another kind";
  }
  return gap < 0 ? "the bound is above the cost" : NULL;
}

/* A change of the placement breaks a sum. */
static const char *change_placement(rebal_ctx *ctx, struct movement *movement, int64_t *number, int64_t by) {
  const rebal_movement problem = movement_problem(movement);
  int64_t gap;
  int32_t code;

  *number += by;
  code = rebal_plan_verify(ctx, &problem, &movement->answer, &gap, NULL);
  *number -= by;
  return code == REBAL_EMISMATCH ? NULL : "a changed placement is accepted";
}

static const char *try_changes(rebal_ctx *ctx, struct dice *dice) {
  struct movement movement;
  int32_t code;
  const char *wrong;
  int64_t by;

  draw_movement(dice, &movement, usual);
  wrong = movement_solve(ctx, &movement, &code);
  if (wrong != NULL || code != REBAL_OK) {
    return wrong;
  }
  by = 1 + (int64_t)roll(dice, 3);
  by = chance(dice, 50) ? by : -by;
  for (size_t i = 0; wrong == NULL && i < movement.n_pairs; i++) {
    wrong = change_placement(ctx, &movement, &movement.planned[i], by);
  }
  for (size_t b = 0; wrong == NULL && b < movement.n_bindings; b++) {
    wrong = change(ctx, &movement, &movement.binding_prices[b], by);
  }
  for (size_t c = 0; wrong == NULL && c < movement.n_clusters; c++) {
    wrong = change(ctx, &movement, &movement.cluster_prices[c], by);
  }
  wrong = wrong == NULL ? change_placement(ctx, &movement, &movement.answer.placed, by) : wrong;
  wrong = wrong == NULL ? change_placement(ctx, &movement, &movement.answer.kept, by) : wrong;
  return wrong == NULL ? change_placement(ctx, &movement, &movement.answer.moved, by) : wrong;
}

const char *law_movement_changed(struct dice *dice) {
  return with_context(try_changes, dice);
}

/* A placement that is not the best one, and prices of another problem: their bound is not above the optimum. */
static const char *try_bound(rebal_ctx *ctx, struct dice *dice) {
  struct movement movement;
  rebal_movement problem;
  int64_t gap = 0, kept = 0, moved = 0;
  int32_t code;
  const char *wrong;

  draw_movement(dice, &movement, usual);
  wrong = movement_solve(ctx, &movement, &code);
  if (wrong != NULL || code != REBAL_OK) {
    return wrong;
  }
  problem = movement_problem(&movement);
  for (size_t i = 0; i < movement.n_pairs; i++) {
    movement.present[i] += chance(dice, 30);
  }
  for (size_t b = 0; b < movement.n_bindings; b++) {
    int64_t present = 0, stays = 0;

    for (size_t i = (size_t)movement.offsets[b]; i < movement.offsets[b + 1]; i++) {
      present += movement.present[i];
      stays += movement.planned[i] < movement.present[i] ? movement.planned[i] : movement.present[i];
    }
    kept += movement.weights[b] * stays;
    moved += movement.weights[b] * ((present < movement.replicas[b] ? present : movement.replicas[b]) - stays);
  }
  movement.answer.kept = kept;
  movement.answer.moved = moved;
  code = rebal_plan_verify(ctx, &problem, &movement.answer, &gap, NULL);
  if (code != REBAL_OK) {
    return fault("a permitted placement is refused: %s", rebal_strerror(code));
  }
  wrong = movement_solve(ctx, &movement, &code);
  return wrong == NULL && movement.answer.kept - kept > gap ? "the bound is above the cost of the best" : wrong;
}

const char *law_movement_bound(struct dice *dice) {
  return with_context(try_bound, dice);
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

/* The same problem with bindings and clusters in other orders. */
static void permute(const struct movement *from, const size_t *bindings, const size_t *clusters, struct movement *to) {
  memset(to, 0, sizeof *to);
  to->n_bindings = from->n_bindings;
  to->n_clusters = from->n_clusters;
  for (size_t c = 0; c < from->n_clusters; c++) {
    to->capacities[c] = from->capacities[clusters[c]];
  }
  for (size_t b = 0; b < from->n_bindings; b++) {
    to->replicas[b] = from->replicas[bindings[b]];
    to->weights[b] = from->weights[bindings[b]];
    for (uint32_t c = 0; c < from->n_clusters; c++) {
      for (size_t i = (size_t)from->offsets[bindings[b]]; i < from->offsets[bindings[b] + 1]; i++) {
        if (from->clusters[i] == clusters[c]) {
          to->clusters[to->n_pairs] = c;
          to->present[to->n_pairs] = from->present[i];
          to->minimums[to->n_pairs] = from->minimums[i];
          to->maximums[to->n_pairs] = from->maximums[i];
          to->n_pairs++;
        }
      }
    }
    to->offsets[b + 1] = to->n_pairs;
  }
}

static const char *try_orders(rebal_ctx *ctx, struct dice *dice) {
  struct movement movement, other;
  size_t bindings[MOVEMENT_BINDINGS], clusters[MOVEMENT_CLUSTERS];
  int32_t code, other_code;
  const char *wrong;

  draw_movement(dice, &movement, usual);
  for (size_t i = 0; i < MOVEMENT_BINDINGS; i++) {
    bindings[i] = clusters[i] = i;
  }
  shuffle(dice, bindings, movement.n_bindings);
  shuffle(dice, clusters, movement.n_clusters);
  permute(&movement, bindings, clusters, &other);
  wrong = movement_solve(ctx, &movement, &code);
  wrong = wrong == NULL ? movement_solve(ctx, &other, &other_code) : wrong;
  if (wrong == NULL && (code != other_code || movement.answer.placed != other.answer.placed ||
                        movement.answer.kept != other.answer.kept || movement.answer.moved != other.answer.moved)) {
    return "another order gives another cost";
  }
  return wrong;
}

const char *law_movement_orders(struct dice *dice) {
  return with_context(try_orders, dice);
}

static const char *try_again(rebal_ctx *ctx, struct dice *dice) {
  struct movement movement, other, between;
  int32_t code;
  const char *wrong;

  draw_movement(dice, &movement, usual);
  draw_movement(dice, &between, usual);
  other = movement;
  wrong = movement_solve(ctx, &movement, &code);
  wrong = wrong == NULL ? movement_solve(ctx, &between, &code) : wrong;
  wrong = wrong == NULL ? movement_solve(ctx, &other, &code) : wrong;
  return wrong != NULL || (memcmp(movement.planned, other.planned, sizeof other.planned) == 0 &&
                           memcmp(movement.binding_prices, other.binding_prices, sizeof other.binding_prices) == 0 &&
                           memcmp(movement.cluster_prices, other.cluster_prices, sizeof other.cluster_prices) == 0)
             ? wrong
             : "the same problem gives other bytes";
}

const char *law_movement_again(struct dice *dice) {
  return with_context(try_again, dice);
}
