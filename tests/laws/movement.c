/* SPDX-License-Identifier: MIT */
#include "movement.h"

#include <string.h>

rebal_movement movement_problem(struct movement *movement) {
  movement->answer.struct_size = (uint32_t)sizeof movement->answer;
  movement->answer.planned = movement->planned;
  movement->answer.binding_prices = movement->binding_prices;
  movement->answer.cluster_prices = movement->cluster_prices;
  return (rebal_movement){.struct_size = (uint32_t)sizeof(rebal_movement),
                          .n_bindings = movement->n_bindings,
                          .n_clusters = movement->n_clusters,
                          .replicas = movement->replicas,
                          .weights = movement->weights,
                          .offsets = movement->offsets,
                          .clusters = movement->clusters,
                          .present = movement->present,
                          .minimums = movement->minimums,
                          .maximums = movement->maximums,
                          .capacities = movement->capacities};
}

const char *movement_solve(rebal_ctx *ctx, struct movement *movement, int32_t *code) {
  const rebal_movement problem = movement_problem(movement);
  int64_t gap = -1;
  int32_t verified;

  *code = rebal_least_movement(ctx, &problem, &movement->answer, NULL);
  if (*code != REBAL_OK) {
    return *code == REBAL_ERANGE ? NULL : fault("the movement is refused: %s", rebal_strerror(*code));
  }
  verified = rebal_plan_verify(ctx, &problem, &movement->answer, &gap, NULL);
  if (verified != REBAL_OK) {
    return fault("the answer is refused: %s", rebal_strerror(verified));
  }
  return gap == 0 ? NULL : fault("the prices leave a gap of %lld", (long long)gap);
}

/* ---- every placement --------------------------------------------------------------------------------------------- */

struct trial {
  const struct movement *movement;
  int64_t left[MOVEMENT_CLUSTERS]; /* of the capacities */
  int64_t rest;                    /* of the binding's replicas */
  int64_t placed, kept;
  int is_found;
  int64_t best_placed, best_kept;
};

static void try_pairs(struct trial *trial, size_t binding, size_t pair);

static void try_binding(struct trial *trial, size_t binding) {
  const int64_t rest = trial->rest;

  if (binding < trial->movement->n_bindings) {
    trial->rest = trial->movement->replicas[binding];
    try_pairs(trial, binding, (size_t)trial->movement->offsets[binding]);
    trial->rest = rest;
    return;
  }
  if (!trial->is_found || trial->placed > trial->best_placed ||
      (trial->placed == trial->best_placed && trial->kept > trial->best_kept)) {
    trial->is_found = 1;
    trial->best_placed = trial->placed;
    trial->best_kept = trial->kept;
  }
}

static void try_pairs(struct trial *trial, size_t binding, size_t pair) {
  const struct movement *movement = trial->movement;
  const uint32_t cluster = movement->clusters[pair];

  if (pair == movement->offsets[binding + 1]) {
    try_binding(trial, binding + 1);
    return;
  }
  for (int64_t planned = movement->minimums[pair];
       planned <= movement->maximums[pair] && planned <= trial->rest && planned <= trial->left[cluster]; planned++) {
    const int64_t kept =
        movement->weights[binding] * (planned < movement->present[pair] ? planned : movement->present[pair]);

    trial->left[cluster] -= planned;
    trial->rest -= planned;
    trial->placed += planned;
    trial->kept += kept;
    try_pairs(trial, binding, pair + 1);
    trial->left[cluster] += planned;
    trial->rest += planned;
    trial->placed -= planned;
    trial->kept -= kept;
  }
}

int movement_try_all(const struct movement *movement, int64_t *placed, int64_t *kept) {
  struct trial trial = {.movement = movement};

  memcpy(trial.left, movement->capacities, sizeof trial.left);
  try_binding(&trial, 0);
  *placed = trial.best_placed;
  *kept = trial.best_kept;
  return trial.is_found;
}
