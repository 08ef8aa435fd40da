/* SPDX-License-Identifier: MIT */
/* The options PARTIAL_PLACEMENT and STATIC_WEIGHT_CAPACITY: what fits is placed, and never more than the capacity. */
#include "laws.h"

#include <string.h>

#define IDS (LAW_CLUSTERS + 2) /* targets name two clusters that no fleet has */

/* What rebal_score() finds available, by binding and cluster id; 0 where it finds nothing. */
struct availability {
  int64_t of[LAW_BINDINGS][IDS];
};

static const char *read_availability(struct test_world *world, const rebal_schedule_opts *opts,
                                     struct availability *availability) {
  size_t n;
  const int64_t *bindings, *clusters, *available;

  memset(availability, 0, sizeof *availability);
  if (rebal_score(world->ctx, world->snapshot, world->bindings, NULL, opts, world->result, &world->err) != REBAL_OK) {
    return fault("rebal_score: %s", world->err.message);
  }
  bindings = rebal_result_i64(world->result, REBAL_SCORED_BINDING, &n);
  clusters = rebal_result_i64(world->result, REBAL_SCORED_CLUSTER, &n);
  available = rebal_result_i64(world->result, REBAL_SCORED_AVAILABLE, &n);
  for (size_t i = 0; i < n; i++) {
    availability->of[bindings[i]][clusters[i]] = available[i];
  }
  return NULL;
}

static int64_t cell(const struct test_world *world, uint32_t column, size_t row) {
  return rebal_result_i64(world->result, column, NULL)[row];
}

/* The replicas of an answer: their sum and whether a cluster got more than is available. */
struct total {
  int64_t sum;
  int exceeds;
};

static struct total total_of(const struct test_world *world, const struct availability *availability, size_t row) {
  const size_t first = (size_t)cell(world, REBAL_DECISION_FIRST_PLACED, row);
  const size_t n = (size_t)cell(world, REBAL_DECISION_PLACED, row);
  struct total total = {0, 0};

  for (size_t i = first; i < first + n; i++) {
    const int64_t replicas = cell(world, REBAL_PLACED_REPLICAS, i);

    total.sum += replicas;
    total.exceeds |= replicas > availability->of[row][cell(world, REBAL_PLACED_CLUSTER, i)];
  }
  return total;
}

/* The same binding without the option and, in world->result, with it. */
static const char *check_partial(const struct test_world *world, const struct drawing *drawing, size_t row,
                                 const char *without, const char *with, const struct availability *availability) {
  const int is_placed = without[0] == 'm' || without[0] == '\0';
  const int64_t outcome = cell(world, REBAL_DECISION_OUTCOME, row);
  const int64_t missing = cell(world, REBAL_DECISION_MISSING, row);
  const struct total total = total_of(world, availability, row);
  const char *message = rebal_result_text(world->result, REBAL_DECISION_MESSAGE, row, NULL);

  if (is_placed || (outcome != REBAL_OUTCOME_PARTIAL && outcome != REBAL_OUTCOME_SCHEDULED)) {
    return missing == 0 && strcmp(with, without) == 0 ? NULL : fault("\"%s\", not \"%s\"", with, without);
  }
  if ((outcome == REBAL_OUTCOME_PARTIAL) != (missing > 0) || total.sum == 0 ||
      total.sum + missing != drawing->bindings[row].binding.replicas) {
    return fault("%s: %lld placed and %lld missing", with, (long long)total.sum, (long long)missing);
  }
  if (total.exceeds) {
    return fault("%s: more than is available", with);
  }
  if (outcome == REBAL_OUTCOME_PARTIAL ? strstr(without, message) == NULL : message[0] != '\0') {
    return fault("\"%s\" is not part of \"%s\"", message, without);
  }
  return NULL;
}

/* Selecting and assigning in two calls, against the answers of one. */
static const char *check_phases(struct test_world *world, const rebal_schedule_opts *opts,
                                const struct answers *answers) {
  rebal_result *selected;
  const char *wrong = NULL;

  if (rebal_result_new(NULL, &selected, NULL) != REBAL_OK) {
    return "no result";
  }
  if (rebal_select(world->ctx, world->snapshot, world->bindings, NULL, opts, selected, &world->err) != REBAL_OK ||
      rebal_assign(world->ctx, world->snapshot, world->bindings, selected, opts, world->result, &world->err) !=
          REBAL_OK) {
    wrong = fault("phases: %s", world->err.message);
  }
  for (size_t i = 0; wrong == NULL && i < answers->n; i++) {
    const char *answer = test_answer(world->result, world->snapshot, i);

    wrong =
        strcmp(answer, answers->text[i]) == 0 ? NULL : fault("by phases \"%s\", not \"%s\"", answer, answers->text[i]);
  }
  rebal_result_free(selected);
  return wrong;
}

const char *law_partial(struct dice *dice) {
  static struct drawing drawing;
  static struct answers without, with;
  struct availability availability;
  struct test_world world;
  rebal_compat *compat = test_compat(REBAL_OPTION_STATIC_WEIGHT_CAPACITY, chance(dice, 50));
  const rebal_schedule_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .flags = REBAL_SCHEDULE_FLAG_SINGLE_GROUP, .compat = compat};
  const char *wrong;

  draw(dice, &drawing, 1);
  for (size_t i = 0; i < drawing.n_bindings; i++) {
    drawing.bindings[i].binding.replicas *= 1 + roll(dice, 5);
  }
  open_drawing(&world, &drawing, NULL, NULL);
  wrong = read_availability(&world, &opts, &availability);
  wrong = wrong == NULL ? answer_all(&world, world.ctx, &opts, &without) : wrong;
  (void)rebal_compat_set(compat, REBAL_OPTION_PARTIAL_PLACEMENT, 1, NULL);
  wrong = wrong == NULL ? answer_all(&world, world.ctx, &opts, &with) : wrong;
  for (size_t row = 0; wrong == NULL && row < drawing.n_bindings; row++) {
    wrong = check_partial(&world, &drawing, row, without.text[row], with.text[row], &availability);
  }
  wrong = wrong == NULL ? check_phases(&world, &opts, &with) : wrong;
  test_world_close(&world);
  rebal_compat_free(compat);
  return wrong;
}

static const char *check_static(const struct test_world *world, const struct test_binding *binding, size_t row,
                                int was_within, const char *without, const char *with,
                                const struct availability *availability) {
  const int64_t outcome = cell(world, REBAL_DECISION_OUTCOME, row);
  const struct total total = total_of(world, availability, row);

  if (was_within) {
    return strcmp(with, without) == 0 ? NULL : fault("\"%s\", not \"%s\"", with, without);
  }
  if (outcome == REBAL_OUTCOME_SCHEDULED) {
    return total.exceeds || total.sum != binding->replicas ? fault("%s: %lld replicas", with, (long long)total.sum)
                                                           : NULL;
  }
  return outcome == REBAL_OUTCOME_UNSCHEDULABLE ? NULL : fault("\"%s\"", with);
}

const char *law_static_capacity(struct dice *dice) {
  static struct drawing drawing;
  static struct answers without, with;
  struct availability availability;
  struct test_world world;
  int was_within[LAW_BINDINGS];
  rebal_compat *compat = test_compat(REBAL_OPTION_STATIC_WEIGHT_CAPACITY, 1);
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .compat = compat};
  const char *wrong;

  draw(dice, &drawing, 1);
  for (size_t i = 0; i < drawing.n_bindings; i++) {
    drawing.bindings[i].placement.placement.scheduling = "Divided/Weighted";
    drawing.bindings[i].placement.placement.n_terms = 0; /* admission allows no tiers beside static weights */
    drawing.bindings[i].binding.replicas *= 1 + roll(dice, 3);
  }
  open_drawing(&world, &drawing, NULL, NULL);
  wrong = read_availability(&world, NULL, &availability);
  wrong = wrong == NULL ? answer_all(&world, world.ctx, NULL, &without) : wrong;
  for (size_t row = 0; wrong == NULL && row < drawing.n_bindings; row++) {
    was_within[row] = cell(&world, REBAL_DECISION_OUTCOME, row) != REBAL_OUTCOME_SCHEDULED ||
                      !total_of(&world, &availability, row).exceeds;
  }
  wrong = wrong == NULL ? answer_all(&world, world.ctx, &opts, &with) : wrong;
  for (size_t row = 0; wrong == NULL && row < drawing.n_bindings; row++) {
    wrong = check_static(&world, &drawing.bindings[row].binding, row, was_within[row], without.text[row],
                         with.text[row], &availability);
  }
  test_world_close(&world);
  rebal_compat_free(compat);
  return wrong;
}
