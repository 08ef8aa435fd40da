/* SPDX-License-Identifier: MIT */
/* Laws of passes over a WorkloadSpread, and of its status. */
#include "spreads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct spread_case drawn;
static struct spread_telling one, other; /* what is compared */

/* Where two texts begin to differ, or NULL. */
static const char *compare_texts(const char *left, const char *right) {
  size_t at = 0, line = 0;

  while (left[at] == right[at]) {
    if (left[at] == '\0') {
      return NULL;
    }
    line = left[at] == '\n' ? at + 1 : line;
    at++;
  }
  return fault("\"%.*s\", but \"%.*s\"", (int)strcspn(left + line, "\n"), left + line, (int)strcspn(right + line, "\n"),
               right + line);
}

static const char *try_rounds(struct dice *dice, const rebal_compat *compat,
                              const char *(*law_of_a_round)(struct dice *)) {
  const char *wrong = NULL;

  spread_open(dice, &drawn);
  drawn.compat = compat;
  spread_draw(dice, &drawn);
  for (size_t round = 0; wrong == NULL && round < SPREAD_ROUNDS; round++) {
    spread_change(dice, &drawn);
    wrong = law_of_a_round(dice);
  }
  spread_close(&drawn);
  return wrong;
}

/* The same with options of its own for each case. */
static const char *try_options(struct dice *dice, const char *(*law_of_a_round)(struct dice *)) {
  static const uint32_t quirks[] = {
      REBAL_QUIRK_SPREAD_LONG_WAIT,         REBAL_QUIRK_SPREAD_MIN_REPLICAS,       REBAL_QUIRK_SPREAD_EVEN_SCALE_IN,
      REBAL_QUIRK_SPREAD_REPLICA_SET_ORDER, REBAL_QUIRK_SPREAD_ALL_VERSIONS,       REBAL_QUIRK_SPREAD_CAPPED_ROOM,
      REBAL_QUIRK_SPREAD_BY_SPEC,           REBAL_QUIRK_SPREAD_CLONE_SET_VERSIONS, REBAL_QUIRK_SPREAD_COST_ANY_KIND};
  rebal_compat *compat = test_compat(REBAL_QUIRK_NONE, 0);
  const char *wrong;

  for (size_t i = 0; i < sizeof quirks / sizeof quirks[0]; i++) {
    if (chance(dice, 20)) {
      (void)rebal_compat_set(compat, quirks[i], 1, NULL);
    }
  }
  wrong = try_rounds(dice, compat, law_of_a_round);
  rebal_compat_free(compat);
  return wrong;
}

/* The status of the library's spread as text. */
static const char *tell_spread(const rebal_spread *spread, struct spread_telling *telling) {
  const rebal_record *record = NULL;

  spread_start(telling);
  if (rebal_spread_status(spread, drawn.world.builder, &record, NULL) != REBAL_OK) {
    return "the status cannot be read";
  }
  spread_tell_record(record, telling);
  return NULL;
}

/* ---- plain twins ------------------------------------------------------------------------------------------------- */

static const char *compare_status(void) {
  const char *wrong = tell_spread(drawn.spread, &other);

  spread_start(&one);
  spread_tell_status(&drawn.status, &one);
  return wrong != NULL ? wrong : compare_texts(one.text, other.text);
}

static const char *compare_passes(void) {
  const char *wrong;

  if (spread_step(&drawn, drawn.spread, drawn.world.result) != REBAL_OK) {
    return fault("%s", drawn.world.err.message);
  }
  spread_tell_result(&drawn, drawn.world.result, &other);
  plain_spread_step(&drawn, &one);
  wrong = compare_texts(one.text, other.text);
  return wrong != NULL ? wrong : compare_status();
}

static const char *compare_batches(struct dice *dice) {
  const char *wrong;

  spread_draw_comers(dice, &drawn);
  if (spread_admit(&drawn, &drawn.spread, 1, 0, drawn.n_comers, drawn.world.result) != REBAL_OK) {
    return fault("%s", drawn.world.err.message);
  }
  spread_start(&other);
  spread_tell_admitted(&drawn, drawn.world.result, &other);
  spread_tell_actions(drawn.world.result, &other);
  plain_spread_admit(&drawn, &one);
  wrong = compare_texts(one.text, other.text);
  return wrong != NULL ? wrong : compare_status();
}

static const char *compare_both(struct dice *dice) {
  const char *wrong = chance(dice, 70) ? compare_batches(dice) : NULL;

  return wrong != NULL ? wrong : compare_passes();
}

const char *law_plain_spread(struct dice *dice) {
  return try_rounds(dice, NULL, compare_both);
}

/* ---- copies and reloads ------------------------------------------------------------------------------------------ */

static const char *step_and_tell(rebal_spread *spread, struct spread_telling *telling) {
  static struct spread_telling status;
  const char *wrong;

  if (spread_step(&drawn, spread, drawn.world.result) != REBAL_OK) {
    return fault("%s", drawn.world.err.message);
  }
  spread_tell_result(&drawn, drawn.world.result, telling);
  wrong = tell_spread(spread, &status);
  spread_tell(telling, "%s", status.text);
  return wrong;
}

/* What is done with one leaves the other as it was. */
static const char *step_fork(struct dice *dice) {
  rebal_spread *fork = NULL;
  const char *wrong = NULL;

  (void)dice;
  if (rebal_spread_fork(drawn.spread, &fork, NULL) != REBAL_OK) {
    return "no memory";
  }
  wrong = step_and_tell(fork, &one);
  wrong = wrong == NULL ? step_and_tell(drawn.spread, &other) : wrong;
  rebal_spread_free(fork);
  return wrong == NULL ? compare_texts(one.text, other.text) : wrong;
}

const char *law_spread_fork(struct dice *dice) {
  return try_options(dice, step_fork);
}

static const char *reload(struct dice *dice) {
  const rebal_record *record = NULL;
  rebal_spread *fork = NULL;
  const char *wrong = tell_spread(drawn.spread, &one);

  if (rebal_spread_fork(drawn.spread, &fork, NULL) != REBAL_OK ||
      rebal_spread_status(drawn.spread, drawn.world.builder, &record, NULL) != REBAL_OK ||
      rebal_spread_load_status(fork, NULL, NULL) != REBAL_OK ||
      rebal_spread_load_status(fork, record, NULL) != REBAL_OK) {
    wrong = "a status cannot be loaded";
  }
  wrong = wrong == NULL ? tell_spread(fork, &other) : wrong;
  wrong = wrong == NULL ? compare_texts(one.text, other.text) : wrong;
  spread_draw_comers(dice, &drawn);
  (void)spread_admit(&drawn, &fork, 1, 0, drawn.n_comers, drawn.world.result);
  (void)spread_admit(&drawn, &drawn.spread, 1, 0, drawn.n_comers, drawn.world.result);
  wrong = wrong == NULL ? step_and_tell(fork, &one) : wrong;
  wrong = wrong == NULL ? step_and_tell(drawn.spread, &other) : wrong;
  rebal_spread_free(fork);
  return wrong == NULL ? compare_texts(one.text, other.text) : wrong;
}

const char *law_spread_reload(struct dice *dice) {
  return try_options(dice, reload);
}

/* ---- a second pass ----------------------------------------------------------------------------------------------- */

static int64_t cell(uint32_t column, size_t row) {
  size_t n;

  return rebal_result_i64(drawn.world.result, column, &n)[row];
}

static size_t grouped(void) {
  return rebal_result_count(drawn.world.result, REBAL_TABLE_GROUPED);
}

/* The pods as the pass wants them; 0: one of them has to go. */
static int write_pods(void) {
  static char costs[SPREAD_PODS][24];

  for (size_t i = 0; i < grouped(); i++) {
    const int64_t changes = cell(REBAL_GROUPED_CHANGES, i);
    struct spread_pod *pod = drawn.drawn;

    while (pod->row != (uint32_t)cell(REBAL_GROUPED_POD, i)) {
      pod++;
    }
    if (cell(REBAL_GROUPED_STUCK, i) != 0) {
      return 0;
    }
    if ((changes & REBAL_CHANGES_COST) != 0) {
      (void)snprintf(costs[pod - drawn.drawn], sizeof costs[0], "%lld", (long long)cell(REBAL_GROUPED_COST, i));
      pod->cost = costs[pod - drawn.drawn];
    }
    if ((changes & REBAL_CHANGES_SUBSET) != 0) {
      pod->matched = REBAL_MATCHED_PRESENT;
      pod->spread = drawn.name;
      pod->subset = drawn.subsets[cell(REBAL_GROUPED_SUBSET, i)].name;
      pod->id = "";
    }
    spread_write_pod(&drawn, pod);
  }
  return 1;
}

static const char *step_twice(struct dice *dice) {
  const char *wrong = step_and_tell(drawn.spread, &one);

  (void)dice;
  if (wrong != NULL || cell(REBAL_STEP_STATE, 0) != REBAL_STEP_DONE || !write_pods()) {
    return wrong;
  }
  wrong = step_and_tell(drawn.spread, &other);
  spread_start(&one);
  spread_tell_actions(drawn.world.result, &one);
  return wrong == NULL && one.len != 0 ? fault("the second pass wants %s", one.text) : wrong;
}

const char *law_spread_settles(struct dice *dice) {
  return try_options(dice, step_twice);
}

/* ---- the order of pods ------------------------------------------------------------------------------------------- */

/* Where the order of the list counts: what is adopted in turns, and what a deletion frees (spec 4.1, 4.3). */
static int order_counts(const struct spread_telling *before) {
  for (size_t i = 0; i < grouped(); i++) {
    if (cell(REBAL_GROUPED_BY, i) == REBAL_GROUPED_BY_NODE) {
      return 1;
    }
  }
  return strstr(before->text, "-p") != NULL; /* something in deletingPods */
}

static int compare_lines(const void *left, const void *right) {
  return strcmp(left, right);
}

/* Counts and the status; and how many pods of each kind there are, since equal ones are told apart by their place. */
static void tell_sums(struct spread_telling *telling) {
  static char lines[SPREAD_PODS][160];
  static struct spread_telling status;
  const size_t n = grouped();

  spread_start(telling);
  for (size_t i = 0; i < n; i++) {
    (void)snprintf(lines[i], sizeof lines[i], "%lld %lld %lld %lld", (long long)cell(REBAL_GROUPED_VERSION, i),
                   (long long)cell(REBAL_GROUPED_SUBSET, i), (long long)cell(REBAL_GROUPED_COST, i),
                   (long long)cell(REBAL_GROUPED_STUCK, i));
  }
  qsort(lines, n, sizeof lines[0], compare_lines);
  for (size_t i = 0; i < n; i++) {
    spread_tell(telling, "%s\n", lines[i]);
  }
  spread_tell_counts(&drawn, drawn.world.result, telling);
  (void)tell_spread(drawn.spread, &status);
  spread_tell(telling, "%s", status.text);
}

static const char *permute(struct dice *dice) {
  static struct spread_telling before;
  struct spread_pod *list[SPREAD_PODS];
  size_t order[SPREAD_PODS];
  rebal_spread *fork = NULL;
  const char *wrong = tell_spread(drawn.spread, &before);

  if (wrong != NULL || rebal_spread_fork(drawn.spread, &fork, NULL) != REBAL_OK) {
    return "no memory";
  }
  wrong = step_and_tell(drawn.spread, &one);
  if (wrong == NULL && !order_counts(&before)) {
    tell_sums(&one);
    rebal_spread_free(drawn.spread);
    drawn.spread = fork;
    fork = NULL;
    memcpy(list, drawn.list, sizeof list);
    shuffle(dice, order, drawn.n_pods);
    for (size_t i = 0; i < drawn.n_pods; i++) {
      drawn.list[i] = list[order[i]];
    }
    wrong = step_and_tell(drawn.spread, &other);
    tell_sums(&other);
    wrong = wrong == NULL ? compare_texts(one.text, other.text) : wrong;
  }
  rebal_spread_free(fork);
  return wrong;
}

const char *law_spread_order(struct dice *dice) {
  return try_options(dice, permute);
}
