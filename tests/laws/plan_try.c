/* SPDX-License-Identifier: MIT */
/* A move made by hand uses the same of each limit as a plan with only that move (rebalance-plan(7) 7). */
#include "plans.h"

#include <stdio.h>
#include <string.h>

static struct drawn_plan drawn;
static struct test_placement placements[LAW_BINDINGS];
static char weights[LAW_BINDINGS][LAW_TEXT], targets[LAW_BINDINGS][LAW_TEXT];

static void write_text(char *text, const int64_t *replicas, const char *format) {
  size_t len = 0;

  text[0] = '\0';
  for (size_t c = 0; c < drawn.drawing.n_clusters; c++) {
    if (replicas[c] > 0) {
      len += (size_t)snprintf(text + len, LAW_TEXT - len, format, len == 0 ? "" : " ", drawn.drawing.clusters[c].name,
                              (long long)replicas[c]);
    }
  }
}

/* Sets the replicas to the sum of the weights of a static division, so that the weights are its answer. */
static void settle(size_t row, const int64_t *before, const int64_t *after) {
  struct test_binding *binding = &drawn.drawing.bindings[row].binding;
  struct test_binding plain = {.key = binding->key};

  write_text(targets[row], before, "%s%s=%lld");
  write_text(weights[row], after, "%s%s=%lld");
  placements[row] = (struct test_placement){.scheduling = "Divided/Weighted", .weights = weights[row]};
  for (size_t c = 0; c < drawn.drawing.n_clusters; c++) {
    plain.replicas += before[c];
  }
  plain.placement = &placements[row];
  plain.targets = targets[row];
  *binding = plain;
}

/* Draws a plan of one move of one binding. Returns 0 if none is possible. */
static int draw_one_move(struct dice *dice, rebal_move *move) {
  const size_t n = drawn.drawing.n_clusters, row = roll(dice, (uint32_t)drawn.drawing.n_bindings);
  const size_t source = roll(dice, (uint32_t)n), target = roll(dice, (uint32_t)n);

  *move = (rebal_move){.struct_size = (uint32_t)sizeof *move, .binding = (uint32_t)row};
  drawn.mode = REBAL_PLAN_MODE_FRESH;
  for (size_t c = 0; c < n; c++) {
    struct test_cluster *cluster = &drawn.drawing.clusters[c].cluster;

    *cluster = (struct test_cluster){.name = cluster->name, .allocatable = "cpu=1000 pods=1000"};
    drawn.is_drained[c] = drawn.is_lost[c] = 0;
  }
  for (size_t i = 0; i < drawn.drawing.n_bindings; i++) {
    int64_t before[LAW_CLUSTERS] = {0}, after[LAW_CLUSTERS];

    for (size_t c = 0; c < n; c++) {
      before[c] = chance(dice, 50) ? roll(dice, 9) : 0;
    }
    before[source] += i == row;
    memcpy(after, before, sizeof after);
    if (i == row) {
      move->replicas = 1 + (int32_t)roll(dice, (uint32_t)before[source]);
      after[source] -= move->replicas;
      after[target] += move->replicas;
    }
    settle(i, before, after);
  }
  return source != target;
}

static const char *try_move(struct planned *planned, const rebal_move *move) {
  struct test_world *world = &planned->world;

  return rebal_try(world->ctx, world->snapshot, world->bindings, move, world->result, &world->err) == REBAL_OK
             ? NULL
             : fault("rebal_try: %s", world->err.message);
}

static int64_t tried(const struct planned *planned, uint32_t column) {
  return rebal_result_i64(planned->world.result, column, NULL)[0];
}

/* Each subject is charged with all replicas, of which the plan's are charged with what is granted. */
static const char *compare_subjects(struct planned *planned, const rebal_move *move, int64_t granted) {
  const rebal_result *result = planned->world.result;
  const int64_t *used = rebal_result_i64(result, REBAL_LIMIT_USE_USED, NULL);
  const int64_t *left = rebal_result_i64(result, REBAL_LIMIT_USE_LEFT, NULL);

  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_LIMIT_USE); i++) {
    if (used[i] != move->replicas ||
        (granted > 0 && used[i] + left[i] != plan_value(planned, REBAL_LIMIT_USE_USED, i) +
                                                 plan_value(planned, REBAL_LIMIT_USE_LEFT, i))) {
      return fault("use %u: %lld and %lld left", (unsigned)i, (long long)used[i], (long long)left[i]);
    }
  }
  return NULL;
}

/* What the plan grants, and every limit that counts is charged with the rest. */
static const char *compare_whole(struct planned *planned, const rebal_move *move) {
  const int64_t granted = tried(planned, REBAL_TRIED_GRANTED), withheld = move->replicas - granted;
  const rebal_result *result = planned->world.result;
  const char *wrong;

  if (granted != plan_value(planned, REBAL_PLANNED_GRANTED, move->binding) ||
      tried(planned, REBAL_TRIED_LIMITED_BY) != plan_value(planned, REBAL_PLANNED_LIMITED_BY, move->binding) ||
      (tried(planned, REBAL_TRIED_BROKEN) >> REBAL_BREACH_LIMIT & 1) != (withheld > 0)) {
    return fault("%lld of %d are granted, limited by %lld", (long long)granted, (int)move->replicas,
                 (long long)tried(planned, REBAL_TRIED_LIMITED_BY));
  }
  if (withheld == 0) {
    wrong = compare_table(planned->rows, result, REBAL_TABLE_LIMIT_USE);
    return wrong == NULL ? compare_table(planned->rows, result, REBAL_TABLE_LIMITED) : wrong;
  }
  for (size_t i = 0; i < drawn.n_limits + drawn.n_budgets; i++) {
    const int64_t used = rebal_result_i64(result, REBAL_LIMITED_USED, NULL)[i];

    if (rebal_result_i64(result, REBAL_LIMITED_SHADOW, NULL)[i] != plan_value(planned, REBAL_LIMITED_SHADOW, i) ||
        rebal_result_i64(result, REBAL_LIMITED_WITHHELD, NULL)[i] != plan_value(planned, REBAL_LIMITED_WITHHELD, i) ||
        (used != 0 && used != plan_value(planned, REBAL_LIMITED_USED, i) + withheld) ||
        (used == 0 && plan_value(planned, REBAL_LIMITED_USED, i) != 0)) {
      return fault("limit %u: %lld are used", (unsigned)i, (long long)used);
    }
  }
  return compare_subjects(planned, move, granted);
}

/* The part that is granted uses what the plan uses. */
static const char *compare_granted(struct planned *planned, const rebal_move *move) {
  rebal_move part = *move;
  const char *wrong;

  part.replicas = (int32_t)plan_value(planned, REBAL_PLANNED_GRANTED, move->binding);
  if (part.replicas == 0) {
    return NULL;
  }
  wrong = try_move(planned, &part);
  if (wrong == NULL && tried(planned, REBAL_TRIED_GRANTED) != part.replicas) {
    wrong = "what a plan grants is not granted";
  }
  return wrong == NULL ? compare_table(planned->rows, planned->world.result, REBAL_TABLE_LIMIT_USE) : wrong;
}

/* Clusters have the ids of the plan's only pair. */
static const char *compare(struct planned *planned, rebal_move *move) {
  const size_t row = move->binding;
  const rebal_plan_opts opts = planned->opts;
  const char *wrong;

  planned->opts.n_limits = planned->opts.n_budgets = 0;
  wrong = make_plan(planned);
  if (wrong == NULL && (rebal_result_count(planned->rows, REBAL_TABLE_MOVE) != 1 ||
                        plan_value(planned, REBAL_MOVE_BINDING, 0) != (int64_t)row ||
                        plan_value(planned, REBAL_MOVE_REPLICAS, 0) != move->replicas)) {
    wrong = "the plan has another move";
  }
  move->source = (uint32_t)plan_value(planned, REBAL_MOVE_SOURCE, 0);
  move->target = (uint32_t)plan_value(planned, REBAL_MOVE_TARGET, 0);
  planned->opts = opts;
  move->flags = opts.flags;
  move->schedule = &planned->schedule;
  move->limits = planned->limits;
  move->n_limits = opts.n_limits;
  move->budgets = planned->budgets;
  move->n_budgets = opts.n_budgets;
  move->now = &planned->now;
  wrong = wrong == NULL ? make_plan(planned) : wrong;
  wrong = wrong == NULL ? try_move(planned, move) : wrong;
  wrong = wrong == NULL ? compare_whole(planned, move) : wrong;
  return wrong == NULL ? compare_granted(planned, move) : wrong;
}

const char *law_plan_try(struct dice *dice) {
  struct planned planned;
  rebal_move move;
  const char *wrong;

  draw_plan(dice, &drawn);
  if (!draw_one_move(dice, &move)) {
    return NULL;
  }
  wrong = open_plan(&planned, &drawn, NULL) ? compare(&planned, &move) : "no memory";
  close_plan(&planned);
  return wrong;
}
