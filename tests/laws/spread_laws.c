/* SPDX-License-Identifier: MIT */
/* Laws of passes over a WorkloadSpread, and of its status. */
#include "spreads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct spread_printed one, other; /* what is compared */

/* ---- plain twins ------------------------------------------------------------------------------------------------- */

/* Times of the plain status are whole seconds, as in a written one, so the library's status is written and loaded. */
static const char *compare_status(void) {
  const rebal_record *record = NULL;
  const char *wrong = spread_print_spread(at_hand.spread, &other);

  spread_start(&one);
  spread_print_status(&at_hand.status, &one);
  wrong = wrong != NULL ? wrong : spread_compare(one.text, other.text);
  if (at_hand.now.nanos != 0 &&
      (rebal_spread_status(at_hand.spread, at_hand.world.builder, &record, NULL) != REBAL_OK ||
       rebal_spread_load_status(at_hand.spread, record, NULL) != REBAL_OK)) {
    wrong = "the status cannot be loaded";
  }
  return wrong;
}

static const char *compare_passes(void) {
  const char *wrong;

  if (spread_step(&at_hand, at_hand.spread, at_hand.world.result) != REBAL_OK) {
    return fault("%s", at_hand.world.err.message);
  }
  spread_print_result(&at_hand, at_hand.world.result, &other);
  plain_spread_step(&at_hand, &one);
  wrong = spread_compare(one.text, other.text);
  return wrong != NULL ? wrong : compare_status();
}

static const char *compare_batches(struct dice *dice) {
  const char *wrong;

  spread_draw_comers(dice, &at_hand);
  if (spread_admit(&at_hand, &at_hand.spread, 1, 0, at_hand.n_comers, at_hand.world.result) != REBAL_OK) {
    return fault("%s", at_hand.world.err.message);
  }
  spread_start(&other);
  spread_print_admitted(&at_hand, at_hand.world.result, &other);
  spread_print_actions(at_hand.world.result, &other);
  plain_spread_admit(&at_hand, &one);
  wrong = spread_compare(one.text, other.text);
  return wrong != NULL ? wrong : compare_status();
}

static const char *compare_both(struct dice *dice) {
  const char *wrong = chance(dice, 70) ? compare_batches(dice) : NULL;

  return wrong != NULL ? wrong : compare_passes();
}

const char *law_plain_spread(struct dice *dice) {
  return spread_options(dice, compare_both);
}

/* ---- copies and reloads ------------------------------------------------------------------------------------------ */

/* A step of one leaves the other unchanged. */
static const char *step_fork(struct dice *dice) {
  rebal_spread *fork = NULL;
  const char *wrong = NULL;

  (void)dice;
  if (rebal_spread_fork(at_hand.spread, &fork, NULL) != REBAL_OK) {
    return "no memory";
  }
  wrong = spread_step_and_print(fork, &one);
  wrong = wrong == NULL ? spread_step_and_print(at_hand.spread, &other) : wrong;
  rebal_spread_free(fork);
  return wrong == NULL ? spread_compare(one.text, other.text) : wrong;
}

const char *law_spread_fork(struct dice *dice) {
  return spread_options(dice, step_fork);
}

/* Fractions of seconds are lost by writing. */
static const char *reload(struct dice *dice) {
  const rebal_record *record = NULL;
  rebal_spread *fork = NULL;
  const char *wrong = spread_print_spread(at_hand.spread, &one);

  at_hand.now.nanos = 0;
  if (rebal_spread_fork(at_hand.spread, &fork, NULL) != REBAL_OK ||
      rebal_spread_status(at_hand.spread, at_hand.world.builder, &record, NULL) != REBAL_OK ||
      rebal_spread_load_status(fork, NULL, NULL) != REBAL_OK ||
      rebal_spread_load_status(fork, record, NULL) != REBAL_OK) {
    wrong = "a status cannot be loaded";
  }
  wrong = wrong == NULL ? spread_print_spread(fork, &other) : wrong;
  wrong = wrong == NULL ? spread_compare(one.text, other.text) : wrong;
  spread_draw_comers(dice, &at_hand);
  (void)spread_admit(&at_hand, &fork, 1, 0, at_hand.n_comers, at_hand.world.result);
  (void)spread_admit(&at_hand, &at_hand.spread, 1, 0, at_hand.n_comers, at_hand.world.result);
  wrong = wrong == NULL ? spread_step_and_print(fork, &one) : wrong;
  wrong = wrong == NULL ? spread_step_and_print(at_hand.spread, &other) : wrong;
  rebal_spread_free(fork);
  return wrong == NULL ? spread_compare(one.text, other.text) : wrong;
}

const char *law_spread_reload(struct dice *dice) {
  return spread_options(dice, reload);
}

/* ---- a second pass ----------------------------------------------------------------------------------------------- */

/* Changes the pods as the pass requires; 0: one of them is stuck. */
static int write_pods(void) {
  static char costs[SPREAD_PODS][24];

  for (size_t i = 0; i < spread_grouped(); i++) {
    const int64_t changes = spread_cell(REBAL_GROUPED_CHANGES, i);
    struct spread_pod *pod = at_hand.drawn;

    while (pod->row != (uint32_t)spread_cell(REBAL_GROUPED_POD, i)) {
      pod++;
    }
    if (spread_cell(REBAL_GROUPED_STUCK, i) != 0) {
      return 0;
    }
    if ((changes & REBAL_CHANGES_COST) != 0) {
      (void)snprintf(costs[pod - at_hand.drawn], sizeof costs[0], "%lld",
                     (long long)spread_cell(REBAL_GROUPED_COST, i));
      pod->cost = costs[pod - at_hand.drawn];
    }
    if ((changes & REBAL_CHANGES_SUBSET) != 0) {
      pod->matched = REBAL_ANNOTATION_PRESENT;
      pod->spread = at_hand.name;
      pod->subset = at_hand.subsets[spread_cell(REBAL_GROUPED_SUBSET, i)].name;
      pod->id = "";
    }
    spread_write_pod(&at_hand, pod);
  }
  return 1;
}

static const char *step_twice(struct dice *dice) {
  const char *wrong = spread_step_and_print(at_hand.spread, &one);

  (void)dice;
  if (wrong != NULL || spread_cell(REBAL_STEP_STATE, 0) != REBAL_STEP_STATE_DONE || !write_pods()) {
    return wrong;
  }
  wrong = spread_step_and_print(at_hand.spread, &other);
  spread_start(&one);
  spread_print_actions(at_hand.world.result, &one);
  return wrong == NULL && one.len != 0 ? fault("the second pass has actions: %s", one.text) : wrong;
}

const char *law_spread_settles(struct dice *dice) {
  return spread_options(dice, step_twice);
}

/* ---- the order of pods ------------------------------------------------------------------------------------------- */

/* Where the order of the list counts: what is adopted in turns, and what a deletion frees (spec 4.1, 4.3). */
static int order_counts(const struct spread_printed *before) {
  for (size_t i = 0; i < spread_grouped(); i++) {
    if (spread_cell(REBAL_GROUPED_BY, i) == REBAL_GROUPED_BY_NODE) {
      return 1;
    }
  }
  return strstr(before->text, "-p") != NULL; /* something in deletingPods */
}

static int compare_lines(const void *left, const void *right) {
  return strcmp(left, right);
}

/* Counts and the status, and the sorted rows of pods: equal pods differ only in their place. */
static void print_sums(struct spread_printed *printed) {
  static char lines[SPREAD_PODS][160];
  static struct spread_printed status;
  const size_t n = spread_grouped();

  spread_start(printed);
  for (size_t i = 0; i < n; i++) {
    (void)snprintf(lines[i], sizeof lines[i], "%lld %lld %lld %lld", (long long)spread_cell(REBAL_GROUPED_VERSION, i),
                   (long long)spread_cell(REBAL_GROUPED_SUBSET, i), (long long)spread_cell(REBAL_GROUPED_COST, i),
                   (long long)spread_cell(REBAL_GROUPED_STUCK, i));
  }
  qsort(lines, n, sizeof lines[0], compare_lines);
  for (size_t i = 0; i < n; i++) {
    spread_print(printed, "%s\n", lines[i]);
  }
  spread_print_counts(&at_hand, at_hand.world.result, printed);
  (void)spread_print_spread(at_hand.spread, &status);
  spread_print(printed, "%s", status.text);
}

static const char *permute(struct dice *dice) {
  static struct spread_printed before;
  struct spread_pod *list[SPREAD_PODS];
  size_t order[SPREAD_PODS];
  rebal_spread *fork = NULL;
  const char *wrong = spread_print_spread(at_hand.spread, &before);

  if (wrong != NULL || rebal_spread_fork(at_hand.spread, &fork, NULL) != REBAL_OK) {
    return "no memory";
  }
  wrong = spread_step_and_print(at_hand.spread, &one);
  if (wrong == NULL && !order_counts(&before)) {
    print_sums(&one);
    rebal_spread_free(at_hand.spread);
    at_hand.spread = fork;
    fork = NULL;
    memcpy(list, at_hand.list, sizeof list);
    shuffle(dice, order, at_hand.n_pods);
    for (size_t i = 0; i < at_hand.n_pods; i++) {
      at_hand.list[i] = list[order[i]];
    }
    wrong = spread_step_and_print(at_hand.spread, &other);
    print_sums(&other);
    wrong = wrong == NULL ? spread_compare(one.text, other.text) : wrong;
  }
  rebal_spread_free(fork);
  return wrong;
}

const char *law_spread_order(struct dice *dice) {
  return spread_options(dice, permute);
}
