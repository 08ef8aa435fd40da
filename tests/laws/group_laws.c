/* SPDX-License-Identifier: MIT */
/* Laws of affinity groups: rebal_schedule() walks them as the scheduler's turn does, one single group after another. */
#include "laws.h"

#include <stdio.h>
#include <string.h>

static int64_t cell(const struct test_world *world, uint32_t column, size_t row) {
  return rebal_result_i64(world->result, column, NULL)[row];
}

/* The answer for a binding with the name of its group. */
static void keep_answer(const struct test_world *world, size_t row, char *out, size_t capacity) {
  (void)snprintf(out, capacity, "[%s] %s", rebal_result_text(world->result, REBAL_DECISION_AFFINITY_NAME, row, NULL),
                 test_answer(world->result, world->snapshot, row));
}

static const char *schedule(struct test_world *world, const rebal_schedule_opts *opts) {
  return rebal_schedule(world->ctx, world->snapshot, world->bindings, opts, world->result, &world->err) == REBAL_OK
             ? NULL
             : fault("rebal_schedule: %s", world->err.message);
}

/* The decision of a turn, for each binding that is due. */
const char *law_groups_as_in_a_turn(struct dice *dice) {
  static struct drawing drawing;
  static struct answers whole;
  const rebal_time now = {100, 0, 1};
  rebal_compat *compat = test_compat(REBAL_OPTION_PARTIAL_PLACEMENT, chance(dice, 40));
  const rebal_schedule_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .compat = compat, .explain_rows = chance(dice, 30) ? 50 : 0};
  struct test_world world;
  const char *wrong;

  draw(dice, &drawing, 1);
  open_drawing(&world, &drawing, NULL, NULL);
  wrong = schedule(&world, &opts);
  for (size_t row = 0; wrong == NULL && row < drawing.n_bindings; row++) {
    keep_answer(&world, row, whole.text[row], sizeof whole.text[row]);
  }
  if (wrong == NULL && rebal_scheduler_step(world.ctx, world.snapshot, world.bindings, &now, &opts, world.result,
                                            &world.err) != REBAL_OK) {
    wrong = fault("rebal_scheduler_step: %s", world.err.message);
  }
  for (size_t row = 0; wrong == NULL && row < drawing.n_bindings; row++) {
    const int64_t outcome = cell(&world, REBAL_DECISION_OUTCOME, row);
    char turn[sizeof whole.text[0]];

    keep_answer(&world, row, turn, sizeof turn);
    if (outcome != REBAL_OUTCOME_UNCHANGED && strcmp(whole.text[row], turn) != 0) {
      wrong = fault("binding %u: \"%s\", in a turn \"%s\"", (unsigned)row, whole.text[row], turn);
    }
  }
  rebal_compat_free(compat);
  test_world_close(&world);
  return wrong;
}

static size_t first_group(const struct test_binding *binding) {
  for (size_t i = 0; binding->triggered_at == 0 && binding->observed != NULL && i < binding->placement->n_terms; i++) {
    if (strcmp(binding->placement->terms[i].name, binding->observed) == 0) {
      return i;
    }
  }
  return 0;
}

/* Which of two answers is taken: all replicas placed, else some of them, else the first. */
static int rank_of(int64_t outcome) {
  return outcome == REBAL_OUTCOME_SCHEDULED ? 2 : outcome == REBAL_OUTCOME_PARTIAL;
}

/* Walks the groups of a binding with one call for each, without the other bindings of the drawing. */
static const char *walk(struct drawing *drawing, size_t number, const rebal_schedule_opts *opts, char *out,
                        size_t capacity) {
  struct test_binding *binding = &drawing->bindings[number].binding;
  const char *observed = binding->observed;
  const size_t n = binding->placement->n_terms;
  const char *wrong = NULL;
  int best = -1;

  for (size_t i = first_group(binding); wrong == NULL && best < 2 && (i < n || best < 0); i++) {
    struct test_world world;

    binding->observed = n == 0 ? observed : binding->placement->terms[i].name;
    open_again(&world, drawing, number);
    wrong = schedule(&world, opts);
    if (wrong == NULL && rank_of(cell(&world, REBAL_DECISION_OUTCOME, 0)) > best) {
      best = rank_of(cell(&world, REBAL_DECISION_OUTCOME, 0));
      keep_answer(&world, 0, out, capacity);
    }
    test_world_close(&world);
    binding->observed = observed;
  }
  return wrong;
}

const char *law_groups_are_singles(struct dice *dice) {
  static struct drawing drawing;
  static struct answers whole;
  rebal_compat *compat = test_compat(REBAL_OPTION_PARTIAL_PLACEMENT, chance(dice, 40));
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .compat = compat};
  struct test_world world;
  const char *wrong;

  draw(dice, &drawing, 1);
  open_drawing(&world, &drawing, NULL, NULL);
  wrong = schedule(&world, &opts);
  for (size_t row = 0; wrong == NULL && row < drawing.n_bindings; row++) {
    keep_answer(&world, row, whole.text[row], sizeof whole.text[row]);
  }
  test_world_close(&world);
  opts.flags = REBAL_SCHEDULE_FLAG_SINGLE_GROUP;
  for (size_t row = 0; wrong == NULL && row < drawing.n_bindings; row++) {
    char walked[sizeof whole.text[0]] = "";

    wrong = walk(&drawing, row, &opts, walked, sizeof walked);
    if (wrong == NULL && strcmp(whole.text[row], walked) != 0) {
      wrong = fault("binding %u: \"%s\", group by group \"%s\"", (unsigned)row, whole.text[row], walked);
    }
  }
  rebal_compat_free(compat);
  return wrong;
}
