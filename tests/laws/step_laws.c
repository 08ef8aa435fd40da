/* SPDX-License-Identifier: MIT */
/* Laws of the scheduler's turns. */
#include "laws.h"

#include <stdio.h>
#include <string.h>

/* The outcome of turns: their answers, and how much was reported and written. */
struct outcome {
  struct answers answers;
  size_t events, placements, clusters;
};

static const rebal_time now = {100, 0, 1};

static size_t *counter(struct outcome *outcome, int64_t kind) {
  static size_t others;

  return kind == REBAL_ACTION_KIND_EVENT            ? &outcome->events
         : kind == REBAL_ACTION_KIND_PATCH_METADATA ? &outcome->placements
         : kind == REBAL_ACTION_KIND_PATCH_SPEC     ? &outcome->clusters
                                                    : &others;
}

static const char *step(struct test_world *world, const rebal_schedule_opts *opts) {
  return rebal_scheduler_step(world->ctx, world->snapshot, world->bindings, &now, opts, world->result, &world->err) ==
                 REBAL_OK
             ? NULL
             : fault("%s", world->err.message);
}

static void keep_answer(struct test_world *world, size_t row, struct outcome *outcome) {
  (void)snprintf(outcome->answers.text[outcome->answers.n++], sizeof outcome->answers.text[0], "%s",
                 test_answer(world->result, world->snapshot, row));
}

static const char *at_once(struct test_world *world, const rebal_schedule_opts *opts, struct outcome *outcome) {
  const char *wrong = step(world, opts);
  size_t n = 0;
  const int64_t *kinds = rebal_result_i64(world->result, REBAL_ACTION_KIND, &n);

  for (size_t i = 0; i < n; i++) {
    ++*counter(outcome, kinds[i]);
  }
  for (size_t row = 0; row < rebal_result_count(world->result, REBAL_TABLE_STEP); row++) {
    keep_answer(world, row, outcome);
  }
  return wrong;
}

/* Observes the actions of the last call, or only some, at least one, of the patches of a binding that waits. */
static void observe(struct dice *dice, struct test_world *world, rebal_observations *observations, int is_waiting,
                    struct outcome *outcome) {
  size_t n = 0, waiting_row = outcome->answers.n;
  const int64_t *kinds = rebal_result_i64(world->result, REBAL_ACTION_KIND, &n);
  const int64_t *ordinals = rebal_result_i64(world->result, REBAL_ACTION_ORDINAL, &n);
  const int64_t *rows = rebal_result_i64(world->result, REBAL_ACTION_ROW, &n);
  int has_one = 0;

  for (size_t i = 0; i < n; i++) {
    const int may_wait = is_waiting && (size_t)rows[i] == waiting_row && kinds[i] != REBAL_ACTION_KIND_EVENT;

    if (may_wait && has_one && chance(dice, 60)) {
      continue;
    }
    has_one |= may_wait;
    ++*counter(outcome, kinds[i]);
    if (kinds[i] != REBAL_ACTION_KIND_EVENT) {
      (void)test_observe(observations, ordinals[i], REBAL_OBSERVED_DONE, NULL);
    }
  }
}

/* Call after call, each from the first binding that waits. */
static const char *observed(struct dice *dice, struct test_world *world, rebal_schedule_opts *opts,
                            rebal_observations *observations, struct outcome *outcome) {
  const size_t all = rebal_cells_count(rebal_bindings_const_cells(world->bindings), REBAL_TABLE_BINDING, REBAL_NONE);
  const char *wrong = NULL;

  opts->observations = observations;
  for (size_t call = 0; wrong == NULL && outcome->answers.n < all; call++) {
    size_t n = 0;
    const int64_t *states;
    int is_waiting = 0;

    opts->first_row = outcome->answers.n;
    wrong = call > 1000 ? "a turn does not end" : step(world, opts);
    states = rebal_result_i64(world->result, REBAL_STEP_STATE, &n);
    for (size_t row = 0; wrong == NULL && row < n; row++) {
      is_waiting = states[row] == REBAL_STEP_STATE_WAITING;
      if (is_waiting && row + 1 != n) {
        wrong = "a call goes on after a binding that waits";
      } else if (!is_waiting) {
        keep_answer(world, row, outcome);
      }
    }
    observe(dice, world, observations, is_waiting, outcome);
  }
  return wrong;
}

const char *law_observed(struct dice *dice) {
  static struct drawing drawing;
  static struct outcome whole, parts;
  struct test_world world;
  rebal_ledger *ledgers[2] = {NULL, NULL};
  rebal_observations *observations = NULL;
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, chance(dice, 70));
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  const char *wrong;

  memset(&whole, 0, sizeof whole);
  memset(&parts, 0, sizeof parts);
  draw(dice, &drawing, 1);
  opts.compat = compat;
  open_drawing(&world, &drawing, NULL, NULL);
  if (rebal_ledger_new(world.fleet, NULL, &ledgers[0], NULL) != REBAL_OK ||
      rebal_ledger_fork(ledgers[0], &ledgers[1], NULL) != REBAL_OK ||
      rebal_observations_new(NULL, &observations, NULL) != REBAL_OK) {
    return "no memory";
  }
  opts.ledger = ledgers[0];
  wrong = at_once(&world, &opts, &whole);
  opts.ledger = ledgers[1];
  wrong = wrong == NULL ? observed(dice, &world, &opts, observations, &parts) : wrong;
  wrong = wrong == NULL ? compare_answers(&whole.answers, &parts.answers) : wrong;
  if (wrong == NULL &&
      (whole.events != parts.events || whole.placements != parts.placements || whole.clusters != parts.clusters)) {
    wrong = fault("%zu events, %zu placements, %zu lists of clusters; observed %zu, %zu, %zu", whole.events,
                  whole.placements, whole.clusters, parts.events, parts.placements, parts.clusters);
  }
  rebal_observations_free(observations);
  rebal_ledger_free(ledgers[0]);
  rebal_ledger_free(ledgers[1]);
  rebal_compat_free(compat);
  test_world_close(&world);
  return wrong;
}
