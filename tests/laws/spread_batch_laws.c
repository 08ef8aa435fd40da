/* SPDX-License-Identifier: MIT */
/* Laws of batches of pods that are admitted, of deletion costs, and of passes in turns. */
#include "spreads.h"

#include <string.h>

static struct spread_printed one, other; /* what is compared */

/* ---- batches ----------------------------------------------------------------------------------------------------- */

/* Admits pods from one on, up to n, and appends the outcomes; 0: the last of them stopped the batch. */
static int admit(rebal_spread *const *spreads, size_t n_spreads, size_t from, size_t n,
                 struct spread_printed *printed) {
  const rebal_result *result = at_hand.world.result;
  size_t rows;

  if (spread_admit(&at_hand, spreads, n_spreads, from, n, at_hand.world.result) != REBAL_OK) {
    spread_print(printed, "%s", at_hand.world.err.message);
  }
  spread_print_admitted(&at_hand, result, printed);
  rows = rebal_result_count(result, REBAL_TABLE_ADMITTED);
  return rows == 0 || spread_cell(REBAL_ADMITTED_OUTCOME, rows - 1) != REBAL_ADMIT_OUTCOME_OWNER_UNKNOWN;
}

static const char *compare_with_status(rebal_spread *left, rebal_spread *right) {
  const char *wrong = spread_compare(one.text, other.text);

  wrong = wrong == NULL ? spread_print_spread(left, &one) : wrong;
  wrong = wrong == NULL ? spread_print_spread(right, &other) : wrong;
  return wrong == NULL ? spread_compare(one.text, other.text) : wrong;
}

static const char *cut_batch(struct dice *dice) {
  rebal_spread *fork = NULL;
  const char *wrong;
  size_t cut;

  spread_draw_comers(dice, &at_hand);
  cut = roll(dice, (uint32_t)at_hand.n_comers + 1);
  if (rebal_spread_fork(at_hand.spread, &fork, NULL) != REBAL_OK) {
    return "no memory";
  }
  spread_start(&one);
  spread_start(&other);
  (void)admit(&at_hand.spread, 1, 0, at_hand.n_comers, &one);
  if (admit(&fork, 1, 0, cut, &other)) {
    (void)admit(&fork, 1, cut, at_hand.n_comers, &other);
  }
  wrong = compare_with_status(at_hand.spread, fork);
  rebal_spread_free(fork);
  return wrong;
}

const char *law_spread_cuts(struct dice *dice) {
  return spread_options(dice, cut_batch);
}

/* One of another workload of the same kind, which no pod names. */
static rebal_spread *make_stranger(void) {
  rebal_spread *stranger = NULL;

  at_hand.name = at_hand.workload = "stranger";
  (void)rebal_spread_new(NULL, spread_record(&at_hand), &stranger, NULL);
  at_hand.name = "ws";
  at_hand.workload = "web";
  return stranger;
}

static const char *add_strangers(struct dice *dice) {
  static struct spread_printed before, after;
  rebal_spread *spreads[3] = {make_stranger(), NULL, make_stranger()};
  const char *wrong;

  spread_draw_comers(dice, &at_hand);
  if (rebal_spread_fork(at_hand.spread, &spreads[1], NULL) != REBAL_OK || spreads[0] == NULL || spreads[2] == NULL) {
    return "no memory";
  }
  spread_start(&one);
  spread_start(&other);
  (void)spread_print_spread(spreads[0], &before);
  (void)admit(&at_hand.spread, 1, 0, at_hand.n_comers, &one);
  (void)admit(spreads, 3, 0, at_hand.n_comers, &other);
  (void)spread_print_spread(spreads[0], &after);
  wrong = compare_with_status(at_hand.spread, spreads[1]);
  wrong = wrong == NULL ? spread_compare(before.text, after.text) : wrong;
  for (size_t i = 0; i < 3; i++) {
    rebal_spread_free(spreads[i]);
  }
  return wrong;
}

const char *law_spread_strangers(struct dice *dice) {
  return spread_options(dice, add_strangers);
}

/* ---- deletion costs ---------------------------------------------------------------------------------------------- */

/*
 * The order in which pods of the latest version are deleted (spec 5): those in no subset; then those beyond the limit
 * and those within it, of the last subset, of the one before it and so on. Of other versions the first subset is last.
 */
static int64_t order_of(size_t row, int is_latest) {
  const int64_t n = (int64_t)at_hand.n_subsets, subset = spread_cell(REBAL_GROUPED_SUBSET, row);

  if (subset == REBAL_ABSENT) {
    return 0;
  }
  return 1 + (spread_cell(REBAL_GROUPED_WHY, row) == REBAL_COST_REASON_SURPLUS ? 0 : n) +
         (is_latest ? n - 1 - subset : subset);
}

static int is_latest_version(int64_t version) {
  const struct spread_target *target = &at_hand.target;
  const int has_versions = target->latest_state == REBAL_LATEST_STATE_KNOWN && strcmp(target->kind, "CloneSet") != 0;

  return strcmp(spread_version_name(at_hand.world.result, version), has_versions ? target->latest : "versionIgnored") ==
         0;
}

static int64_t sign(int64_t value) {
  return (value > 0) - (value < 0);
}

static const char *compare_costs(size_t left, size_t right) {
  const int is_latest = is_latest_version(spread_cell(REBAL_GROUPED_VERSION, left));
  const int64_t order = sign(order_of(left, is_latest) - order_of(right, is_latest));
  const int64_t costs[] = {spread_cell(REBAL_GROUPED_COST, left), spread_cell(REBAL_GROUPED_COST, right)};
  const int64_t places[] = {spread_cell(REBAL_GROUPED_PLACE, left), spread_cell(REBAL_GROUPED_PLACE, right)};

  if (sign(costs[0] - costs[1]) != order) {
    return fault("rows %u and %u cost %d and %d", (unsigned)left, (unsigned)right, (int)costs[0], (int)costs[1]);
  }
  if (order < 0 && spread_cell(REBAL_GROUPED_SUBSET, left) == spread_cell(REBAL_GROUPED_SUBSET, right) &&
      places[0] >= places[1]) {
    return fault("row %u is deleted before row %u, which costs less", (unsigned)right, (unsigned)left);
  }
  return NULL;
}

static const char *order_costs(struct dice *dice) {
  const char *wrong = spread_step_and_print(at_hand.spread, &one);

  (void)dice;
  for (size_t left = 0; left < spread_grouped(); left++) {
    for (size_t right = 0; wrong == NULL && right < spread_grouped(); right++) {
      if (spread_cell(REBAL_GROUPED_WHY, left) != REBAL_COST_REASON_NONE &&
          spread_cell(REBAL_GROUPED_WHY, right) != REBAL_COST_REASON_NONE &&
          spread_cell(REBAL_GROUPED_VERSION, left) == spread_cell(REBAL_GROUPED_VERSION, right)) {
        wrong = compare_costs(left, right);
      }
    }
  }
  return wrong;
}

const char *law_spread_costs(struct dice *dice) {
  return spread_defaults(dice, order_costs);
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

static void observe(rebal_observations *observations) {
  for (size_t i = 0; i < rebal_result_count(at_hand.world.result, REBAL_TABLE_ACTION); i++) {
    (void)test_observe(observations, spread_cell(REBAL_ACTION_ORDINAL, i), REBAL_OBSERVED_DONE, NULL);
  }
}

/*
 * Turn after turn, as long as the pass waits. Appends the actions, then how the pass ended. The turns of deletions read
 * the status that was written, in which a version that is gone has no timers.
 */
static const char *step_in_turns(rebal_spread *spread, rebal_observations *observations,
                                 struct spread_printed *printed) {
  const char *wrong = NULL;
  int is_waiting = 1;

  for (size_t turns = 0; wrong == NULL && is_waiting; turns++) {
    if (turns > SPREAD_PODS + 3 || spread_step(&at_hand, spread, at_hand.world.result) != REBAL_OK) {
      return fault("%u turns: %s", (unsigned)turns, at_hand.world.err.message);
    }
    spread_print_actions(at_hand.world.result, printed);
    is_waiting = spread_cell(REBAL_STEP_STATE, 0) == REBAL_STEP_STATE_WAITING;
    if (observations != NULL) {
      observe(observations);
    }
  }
  spread_print(printed, "%lld %lld\n", (long long)spread_cell(REBAL_STEP_STATE, 0),
               (long long)spread_cell(REBAL_STEP_REASON, 0));
  if (strstr(printed->text, "delete ") == NULL) {
    spread_print(printed, "%lld\n", (long long)spread_cell(REBAL_STEP_AFTER_NS, 0));
  }
  return wrong;
}

static const char *compare_turns(struct dice *dice) {
  rebal_observations *observations = NULL;
  rebal_spread *fork = NULL;
  const char *wrong;

  (void)dice;
  if (rebal_spread_fork(at_hand.spread, &fork, NULL) != REBAL_OK ||
      rebal_observations_new(NULL, &observations, NULL) != REBAL_OK) {
    return "no memory";
  }
  spread_start(&one);
  spread_start(&other);
  wrong = step_in_turns(at_hand.spread, NULL, &one);
  at_hand.observations = observations;
  wrong = wrong == NULL ? step_in_turns(fork, observations, &other) : wrong;
  at_hand.observations = NULL;
  wrong = wrong == NULL ? compare_with_status(at_hand.spread, fork) : wrong;
  rebal_observations_free(observations);
  rebal_spread_free(fork);
  return wrong;
}

const char *law_spread_turns(struct dice *dice) {
  return spread_options(dice, compare_turns);
}
