/* SPDX-License-Identifier: MIT */
/* The phases, each with the result of the one before, equal the whole call. */
#include "laws.h"

#include <stdlib.h>
#include <string.h>

/* What the caller passes; cells by binding and cluster. */
struct caller {
  int64_t reject[LAW_BINDINGS * (LAW_CLUSTERS + 2)];
  int64_t score[LAW_BINDINGS * (LAW_CLUSTERS + 2)];
  int32_t fits[2][LAW_BINDINGS * (LAW_CLUSTERS + 2)];
  rebal_estimator estimators[2];
  const rebal_estimator *list[2];
  rebal_compat *compat;
};

static void draw_fits(struct dice *dice, int32_t *fits, size_t n) {
  for (size_t i = 0; i < n; i++) {
    fits[i] = chance(dice, 15) ? REBAL_FITS_NO_OPINION : chance(dice, 2) ? REBAL_FITS_FAILED : (int32_t)roll(dice, 12);
  }
}

static void draw_compat(struct dice *dice, rebal_compat *compat) {
  static const uint32_t options[] = {REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING, REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES,
                                     REBAL_OPTION_GATE_WORKLOAD_AFFINITY,   REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION,
                                     REBAL_OPTION_CLUSTER_LOCALITY,         REBAL_OPTION_STATIC_WEIGHT_CAPACITY,
                                     REBAL_OPTION_PARTIAL_PLACEMENT};

  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    if (chance(dice, 30)) {
      (void)rebal_compat_set(compat, options[i], (int64_t)roll(dice, 2), NULL);
    }
  }
}

static int draw_caller(struct dice *dice, struct caller *caller, rebal_schedule_opts *opts) {
  const size_t n = sizeof caller->reject / sizeof caller->reject[0];

  for (size_t i = 0; i < n; i++) {
    caller->reject[i] = chance(dice, 10);
    caller->score[i] = (int64_t)roll(dice, 300) - 150;
  }
  for (size_t i = 0; i < 2; i++) {
    draw_fits(dice, caller->fits[i], n);
    caller->estimators[i] = (rebal_estimator){(uint32_t)sizeof caller->estimators[i], 0, caller->fits[i], LAW_CLUSTERS,
                                              chance(dice, 50) ? 0 : LAW_CLUSTERS};
    caller->list[i] = &caller->estimators[i];
  }
  if (rebal_compat_new(NULL, &caller->compat, NULL) != REBAL_OK) {
    return 0;
  }
  draw_compat(dice, caller->compat);
  opts->compat = caller->compat;
  opts->flags = REBAL_SCHEDULE_FLAG_SINGLE_GROUP | (chance(dice, 30) ? REBAL_SCHEDULE_FLAG_NO_SUMMARY : 0u);
  opts->extra_reject = chance(dice, 50) ? caller->reject : NULL;
  opts->extra_score = chance(dice, 50) ? caller->score : NULL;
  opts->extra_clusters = LAW_CLUSTERS;
  opts->extra_stride = chance(dice, 50) ? 0 : LAW_CLUSTERS;
  opts->estimators = caller->list;
  opts->n_estimators = roll(dice, 3);
  return 1;
}

int32_t run_phases(struct test_world *world, const rebal_schedule_opts *opts, rebal_result *results[PHASES]) {
  int32_t code = rebal_filter(world->ctx, world->snapshot, world->bindings, opts, results[0], &world->err);

  if (code == REBAL_OK) {
    code = rebal_score(world->ctx, world->snapshot, world->bindings, results[0], opts, results[1], &world->err);
  }
  if (code == REBAL_OK) {
    code = rebal_select(world->ctx, world->snapshot, world->bindings, results[1], opts, results[2], &world->err);
  }
  if (code == REBAL_OK) {
    code = rebal_assign(world->ctx, world->snapshot, world->bindings, results[2], opts, results[3], &world->err);
  }
  return code;
}

const char *compare_table(const rebal_result *left, const rebal_result *right, uint32_t table) {
  const size_t rows = rebal_result_count(left, table);
  uint32_t columns[64];
  size_t n_columns;

  if (rebal_describe_object(table, columns, 64, &n_columns, NULL) != REBAL_OK ||
      rows != rebal_result_count(right, table)) {
    return fault("table %u has %u rows, not %u", (unsigned)table, (unsigned)rebal_result_count(right, table),
                 (unsigned)rows);
  }
  for (size_t c = 0; c < n_columns; c++) {
    const int64_t *a = rebal_result_i64(left, columns[c], NULL);
    const int64_t *b = rebal_result_i64(right, columns[c], NULL);

    for (size_t row = 0; row < rows; row++) {
      const char *text = rebal_result_text(left, columns[c], row, NULL);
      const char *other = rebal_result_text(right, columns[c], row, NULL);

      if ((a != NULL && a[row] != b[row]) || (text != NULL && strcmp(text, other) != 0)) {
        return fault("row %u of column %u differs", (unsigned)row, (unsigned)columns[c]);
      }
    }
  }
  return NULL;
}

const char *compare_results(const rebal_result *left, const rebal_result *right) {
  const char *wrong = compare_table(left, right, REBAL_TABLE_DECISION);

  return wrong == NULL ? compare_table(left, right, REBAL_TABLE_PLACED) : wrong;
}

int open_results(rebal_result *results[PHASES]) {
  int fine = 1;

  for (size_t i = 0; i < PHASES; i++) {
    results[i] = NULL;
    fine = fine && rebal_result_new(NULL, &results[i], NULL) == REBAL_OK;
  }
  return fine;
}

void close_results(rebal_result *results[PHASES]) {
  for (size_t i = 0; i < PHASES; i++) {
    rebal_result_free(results[i]);
  }
}

const char *law_phases(struct dice *dice) {
  static struct drawing drawing;
  static struct caller caller;
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  rebal_result *results[PHASES];
  struct test_world world;
  const char *wrong = NULL;

  draw(dice, &drawing, 1);
  open_drawing(&world, &drawing, NULL, NULL);
  if (!open_results(results) || !draw_caller(dice, &caller, &opts)) {
    wrong = "no memory";
  } else if (rebal_schedule(world.ctx, world.snapshot, world.bindings, &opts, world.result, &world.err) != REBAL_OK ||
             run_phases(&world, &opts, results) != REBAL_OK) {
    wrong = fault("%s", world.err.message);
  }
  wrong = wrong == NULL ? compare_results(world.result, results[PHASES - 1]) : wrong;
  rebal_compat_free(caller.compat);
  close_results(results);
  test_world_close(&world);
  return wrong;
}

/* With a ledger, for one binding after the other. */
const char *law_phases_with_a_ledger(struct dice *dice) {
  static struct drawing drawing;
  static struct answers whole;
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, chance(dice, 70));
  rebal_schedule_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .flags = REBAL_SCHEDULE_FLAG_SINGLE_GROUP, .compat = compat};
  rebal_ledger *ledgers[2] = {NULL, NULL};
  rebal_result *results[PHASES];
  struct test_world world;
  const char *wrong;

  draw(dice, &drawing, 1);
  open_drawing(&world, &drawing, NULL, NULL);
  if (!open_results(results) || rebal_ledger_new(world.fleet, NULL, &ledgers[0], NULL) != REBAL_OK ||
      rebal_ledger_fork(ledgers[0], &ledgers[1], NULL) != REBAL_OK) {
    return "no memory";
  }
  opts.ledger = ledgers[0];
  wrong = answer_all(&world, world.ctx, &opts, &whole);
  opts.ledger = ledgers[1];
  opts.max_work = 1;
  for (; wrong == NULL && opts.first_row < drawing.n_bindings; opts.first_row++) {
    const size_t row = (size_t)opts.first_row;

    if (run_phases(&world, &opts, results) != REBAL_OK) {
      wrong = fault("%s", world.err.message);
    } else if (strcmp(test_answer(results[PHASES - 1], world.snapshot, 0), whole.text[row]) != 0) {
      wrong = fault("binding %u: \"%s\", not \"%s\"", (unsigned)row,
                    test_answer(results[PHASES - 1], world.snapshot, 0), whole.text[row]);
    }
  }
  rebal_ledger_free(ledgers[0]);
  rebal_ledger_free(ledgers[1]);
  rebal_compat_free(compat);
  close_results(results);
  test_world_close(&world);
  return wrong;
}
