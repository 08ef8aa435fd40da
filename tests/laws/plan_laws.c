/* SPDX-License-Identifier: MIT */
/* Laws of plans (rebalance-plan(7) 2 and 4). */
#include "plans.h"

#include <stdio.h>
#include <string.h>

static struct drawn_plan drawn;

const char *law_plan_grants(struct dice *dice) {
  static struct twin twin;
  struct planned planned;
  const char *wrong;

  draw_plan(dice, &drawn);
  wrong = open_plan(&planned, &drawn, NULL) ? make_plan(&planned) : "no memory";
  wrong = wrong == NULL ? compare_twin(&planned, &twin) : wrong;
  close_plan(&planned);
  return wrong;
}

/* ---- shadows ----------------------------------------------------------------------------------------------------- */

static void leave_out(struct planned *planned, size_t limit) {
  const size_t n_limits = planned->drawn->n_limits;

  planned->opts.n_limits = n_limits - (limit < n_limits);
  planned->opts.n_budgets = planned->drawn->n_budgets - (limit >= n_limits);
  for (size_t i = 0, n = 0; i < n_limits; i++) {
    if (i != limit) {
      planned->limits[n++] = &planned->drawn->limits[i].limit;
    }
  }
}

static const char *compare_without(struct planned *whole, const struct twin *twin, size_t limit) {
  const int64_t shadow = plan_value(whole, REBAL_LIMITED_SHADOW, limit);
  const int64_t total = plan_total(whole);
  struct planned without;
  const rebal_record *left_out;
  const char *wrong = NULL;

  if (!open_plan(&without, whole->drawn, NULL)) {
    return "no memory";
  }
  leave_out(&without, limit);
  left_out = without.budgets[0];
  if (limit == whole->drawn->n_limits) {
    without.budgets[0] = without.budgets[1];
  }
  wrong = make_plan(&without);
  if (wrong == NULL && plan_total(&without) - total != shadow) {
    wrong = fault("limit %u: shadow %lld, but without it %lld move, not %lld", (unsigned)limit, (long long)shadow,
                  (long long)plan_total(&without), (long long)total);
  }
  if (wrong == NULL && !twin->cuts[limit]) {
    wrong = compare_table(whole->rows, without.rows, REBAL_TABLE_MOVE);
    wrong = wrong == NULL ? compare_table(whole->rows, without.rows, REBAL_TABLE_PLANNED_CLUSTER) : wrong;
  }
  without.budgets[0] = left_out;
  close_plan(&without);
  return wrong;
}

const char *law_plan_shadows(struct dice *dice) {
  static struct twin twin;
  struct planned planned;
  const char *wrong;

  draw_plan(dice, &drawn);
  wrong = open_plan(&planned, &drawn, NULL) ? make_plan(&planned) : "no memory";
  wrong = wrong == NULL ? compare_twin(&planned, &twin) : wrong;
  for (size_t i = 0; i < drawn.n_limits + drawn.n_budgets && wrong == NULL; i++) {
    wrong = compare_without(&planned, &twin, i);
  }
  close_plan(&planned);
  return wrong;
}

/* ---- the total --------------------------------------------------------------------------------------------------- */

/* Draws no binding that must move as a whole. */
static void draw_parts(struct dice *dice) {
  draw_plan(dice, &drawn);
  for (size_t i = 0; i < drawn.drawing.n_bindings; i++) {
    struct test_placement *placement = &drawn.drawing.bindings[i].placement.placement;

    placement->spreads = NULL;
    if (placement->scheduling == NULL || strcmp(placement->scheduling, "Duplicated") == 0) {
      placement->scheduling = "Divided/Weighted/AvailableReplicas";
    }
  }
  drawn.n_budgets = 0;
  drawn.n_limits = 1;
  drawn.limits[0].limit = (rebal_limit){.struct_size = (uint32_t)sizeof(rebal_limit), .scope = REBAL_LIMIT_SCOPE_TOTAL};
}

const char *law_plan_total(struct dice *dice) {
  struct planned planned;
  const char *wrong;

  draw_parts(dice);
  wrong = open_plan(&planned, &drawn, NULL) ? NULL : "no memory";
  for (int64_t most = 0; most < 30 && wrong == NULL; most += 1 + roll(dice, 4)) {
    int64_t drift = 0;

    drawn.limits[0].limit.replicas = most;
    wrong = make_plan(&planned);
    for (size_t i = 0; i < drawn.drawing.n_bindings && wrong == NULL; i++) {
      drift += plan_value(&planned, REBAL_PLANNED_DRIFT, i);
    }
    if (wrong == NULL && plan_total(&planned) != (drift < most ? drift : most)) {
      wrong = fault("of %lld replicas %lld may move, %lld do", (long long)drift, (long long)most,
                    (long long)plan_total(&planned));
    }
  }
  close_plan(&planned);
  return wrong;
}

/* ---- what is wanted ---------------------------------------------------------------------------------------------- */

/* One cell of w: of a placement, or x where the binding keeps it. */
static int64_t wanted_of(const struct planned *planned, size_t row, int64_t cluster) {
  const size_t first = (size_t)plan_value(planned, REBAL_PLANNED_FIRST_CLUSTER, row);
  const size_t n = (size_t)plan_value(planned, REBAL_PLANNED_CLUSTERS, row);

  for (size_t i = first; i < first + n; i++) {
    if (plan_value(planned, REBAL_PLANNED_CLUSTER_CLUSTER, i) == cluster) {
      return plan_value(planned, REBAL_PLANNED_CLUSTER_WANTED, i);
    }
  }
  return REBAL_ABSENT;
}

static size_t count_wanted(const struct planned *planned, size_t row) {
  const size_t first = (size_t)plan_value(planned, REBAL_PLANNED_FIRST_CLUSTER, row);
  const size_t n = (size_t)plan_value(planned, REBAL_PLANNED_CLUSTERS, row);
  size_t count = 0;

  for (size_t i = first; i < first + n; i++) {
    count += plan_value(planned, REBAL_PLANNED_CLUSTER_WANTED, i) != REBAL_ABSENT;
  }
  return count;
}

static const char *compare_row(const struct planned *planned, const struct planned *applied, size_t row) {
  const rebal_result *result = applied->world.result;
  const int64_t outcome = rebal_result_i64(result, REBAL_DECISION_OUTCOME, NULL)[0];
  const size_t n = (size_t)rebal_result_i64(result, REBAL_DECISION_PLACED, NULL)[0];
  const int64_t *clusters = rebal_result_i64(result, REBAL_PLACED_CLUSTER, NULL);
  const int64_t *replicas = rebal_result_i64(result, REBAL_PLACED_REPLICAS, NULL);

  if (plan_value(planned, REBAL_PLANNED_OUTCOME, row) != outcome ||
      strcmp(rebal_result_text(planned->rows, REBAL_PLANNED_MESSAGE, row, NULL),
             rebal_result_text(result, REBAL_DECISION_MESSAGE, 0, NULL)) != 0) {
    return fault("binding %u has another outcome", (unsigned)row);
  }
  if (outcome != REBAL_OUTCOME_SCHEDULED) {
    return plan_value(planned, REBAL_PLANNED_DRIFT, row) == 0 ? NULL : fault("binding %u drifts", (unsigned)row);
  }
  if (count_wanted(planned, row) != n) {
    return fault("binding %u is wanted in %u clusters, not %u", (unsigned)row, (unsigned)count_wanted(planned, row),
                 (unsigned)n);
  }
  for (size_t i = 0; i < n; i++) {
    if (wanted_of(planned, row, clusters[i]) != replicas[i]) {
      return fault("binding %u: cluster %lld", (unsigned)row, (long long)clusters[i]);
    }
  }
  return NULL;
}

const char *law_plan_is_scheduled(struct dice *dice) {
  struct planned planned, applied;
  int64_t rejected[LAW_CLUSTERS] = {0};
  const char *wrong;

  draw_plan(dice, &drawn);
  wrong = open_plan(&planned, &drawn, NULL) ? make_plan(&planned) : "no memory";
  for (size_t i = 0; i < drawn.drawing.n_bindings && drawn.mode == REBAL_PLAN_MODE_FRESH; i++) {
    drawn.drawing.bindings[i].binding.triggered_at = PLAN_LAW_NOW;
  }
  for (size_t c = 0; c < drawn.drawing.n_clusters; c++) {
    rejected[c] = drawn.is_drained[c] || drawn.is_lost[c];
  }
  wrong = open_plan(&applied, &drawn, NULL) ? wrong : "no memory";
  applied.schedule.extra_reject = rejected;
  applied.schedule.extra_clusters = drawn.drawing.n_clusters;
  applied.schedule.max_work = 1;
  for (size_t row = 0; row < drawn.drawing.n_bindings && wrong == NULL; row++) {
    applied.schedule.first_row = row;
    wrong = rebal_schedule(applied.world.ctx, applied.world.snapshot, applied.world.bindings, &applied.schedule,
                           applied.world.result, &applied.world.err) == REBAL_OK
                ? compare_row(&planned, &applied, row)
                : fault("%s", applied.world.err.message);
  }
  close_plan(&planned);
  close_plan(&applied);
  return wrong;
}

/* ---- planning again ---------------------------------------------------------------------------------------------- */

/* present := w, and the status as after applying. */
static void apply(const struct planned *planned, size_t row) {
  struct drawn_binding *binding = &drawn.drawing.bindings[row];
  const size_t first = (size_t)plan_value(planned, REBAL_PLANNED_FIRST_CLUSTER, row);
  const size_t n = (size_t)plan_value(planned, REBAL_PLANNED_CLUSTERS, row);
  size_t len = 0;

  binding->targets[0] = '\0';
  for (size_t i = first; i < first + n; i++) {
    const int64_t wanted = plan_value(planned, REBAL_PLANNED_CLUSTER_WANTED, i);

    if (wanted != REBAL_ABSENT) {
      len += (size_t)snprintf(
          binding->targets + len, sizeof binding->targets - len, "%s%s=%lld", len == 0 ? "" : " ",
          test_cluster_name(planned->world.snapshot, (uint32_t)plan_value(planned, REBAL_PLANNED_CLUSTER_CLUSTER, i)),
          (long long)wanted);
    }
  }
  binding->binding.targets = binding->targets;
  binding->binding.applied = &binding->placement.placement;
}

/*
 * Spread constraints and lists of affinities are left out: with these the reference does not settle either, as a
 * cluster may score better once others hold the replicas. Replicas that could not be placed may be placed once earlier
 * bindings are settled and take nothing more.
 */
static int may_rest(const struct planned *planned, size_t row) {
  const struct test_placement *placement = &drawn.drawing.bindings[row].placement.placement;

  return placement->spreads == NULL && placement->n_terms == 0 &&
         plan_value(planned, REBAL_PLANNED_OUTCOME, row) == REBAL_OUTCOME_SCHEDULED;
}

const char *law_plan_rests(struct dice *dice) {
  struct planned planned, again;
  const char *wrong;

  draw_plan(dice, &drawn);
  drawn.mode = REBAL_PLAN_MODE_STEADY;
  drawn.n_limits = drawn.n_budgets = 0;
  wrong = open_plan(&planned, &drawn, NULL) ? make_plan(&planned) : "no memory";
  for (size_t row = 0; row < drawn.drawing.n_bindings && wrong == NULL; row++) {
    apply(&planned, row);
  }
  wrong = open_plan(&again, &drawn, NULL) ? wrong : "no memory";
  wrong = wrong == NULL ? make_plan(&again) : wrong;
  for (size_t row = 0; row < drawn.drawing.n_bindings && wrong == NULL; row++) {
    if (may_rest(&planned, row) && plan_value(&again, REBAL_PLANNED_MOVES, row) != 0) {
      wrong = fault("binding %u with %s moves again", (unsigned)row, drawn.drawing.bindings[row].targets);
    }
  }
  close_plan(&planned);
  close_plan(&again);
  return wrong;
}

/*
 * The mode LEAST, with the same bounds: the planned placement is present, so nothing moves. The bounds of another plan
 * would be around another fresh placement.
 */
static const char *move_again(const struct planned *planned) {
  rebal_movement problem = {.struct_size = (uint32_t)sizeof problem};
  rebal_movement_answer answer = {.struct_size = (uint32_t)sizeof answer};
  rebal_movement_answer again = {.struct_size = (uint32_t)sizeof again};
  const char *wrong = NULL;

  if (rebal_plan_movement(planned->plan, &problem, &answer, NULL) != REBAL_OK) {
    return "a plan of the mode LEAST has no movement";
  }
  problem.present = answer.planned;
  again.planned = calloc((size_t)problem.offsets[problem.n_bindings] + 1, sizeof *again.planned);
  if (again.planned == NULL || rebal_least_movement(planned->world.ctx, &problem, &again, NULL) != REBAL_OK) {
    wrong = "the movement cannot be computed again";
  }
  for (size_t pair = 0; pair < problem.offsets[problem.n_bindings] && wrong == NULL; pair++) {
    if (again.planned[pair] != answer.planned[pair]) {
      wrong = fault("pair %u: %lld replicas were planned, and then %lld", (unsigned)pair,
                    (long long)answer.planned[pair], (long long)again.planned[pair]);
    }
  }
  if (wrong == NULL && again.moved != 0) {
    wrong = fault("%lld replicas move again", (long long)again.moved);
  }
  free(again.planned);
  return wrong;
}

const char *law_plan_least_rests(struct dice *dice) {
  struct planned planned;
  const char *wrong;

  draw_plan(dice, &drawn);
  drawn.mode = REBAL_PLAN_MODE_LEAST;
  wrong = open_plan(&planned, &drawn, NULL) ? make_plan(&planned) : "no memory";
  wrong = wrong == NULL ? move_again(&planned) : wrong;
  close_plan(&planned);
  return wrong;
}

/* ---- order and caches -------------------------------------------------------------------------------------------- */

static const char *compare_bytes(const struct planned *left, const struct planned *right) {
  return left->len == right->len && memcmp(left->bytes, right->bytes, left->len) == 0 ? NULL : "another plan";
}

const char *law_plan_order(struct dice *dice) {
  struct planned straight, permuted;
  size_t order[LAW_CLUSTERS];
  rebal_ctx *bare = test_context(NULL, REBAL_CTX_FLAG_NO_CACHE, 0), *warm;
  const char *wrong;

  draw_plan(dice, &drawn);
  if (chance(dice, 30)) {
    drawn.mode = REBAL_PLAN_MODE_LEAST;
  }
  shuffle(dice, order, drawn.drawing.n_clusters);
  wrong = open_plan(&straight, &drawn, NULL) ? make_plan(&straight) : "no memory";
  wrong = open_plan(&permuted, &drawn, order) ? wrong : "no memory";
  wrong = wrong == NULL ? make_plan(&permuted) : wrong;
  wrong = wrong == NULL ? compare_bytes(&straight, &permuted) : wrong;
  /* Once more, and without a cache. */
  wrong = wrong == NULL ? make_plan(&permuted) : wrong;
  wrong = wrong == NULL ? compare_bytes(&straight, &permuted) : wrong;
  warm = permuted.world.ctx;
  permuted.world.ctx = bare;
  wrong = wrong == NULL ? make_plan(&permuted) : wrong;
  wrong = wrong == NULL ? compare_bytes(&straight, &permuted) : wrong;
  permuted.world.ctx = warm;
  rebal_ctx_free(bare);
  close_plan(&straight);
  close_plan(&permuted);
  return wrong;
}
