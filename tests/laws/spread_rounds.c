/* SPDX-License-Identifier: MIT */
/* Rounds of a case, as laws of WorkloadSpreads try them. */
#include "spreads.h"

#include <string.h>

struct spread_case at_hand;

/* Where two texts begin to differ, or NULL. */
const char *spread_compare(const char *left, const char *right) {
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

static const char *try_rounds(struct dice *dice, const rebal_compat *compat, spread_law law_of_a_round) {
  const char *wrong = NULL;

  spread_open(dice, &at_hand);
  at_hand.compat = compat;
  spread_draw(dice, &at_hand);
  for (size_t round = 0; wrong == NULL && round < SPREAD_ROUNDS; round++) {
    spread_change(dice, &at_hand);
    wrong = law_of_a_round(dice);
  }
  spread_close(&at_hand);
  return wrong;
}

const char *spread_defaults(struct dice *dice, spread_law law_of_a_round) {
  return try_rounds(dice, NULL, law_of_a_round);
}

static const uint32_t options[] = {
    REBAL_OPTION_SPREAD_LONG_WAIT,    REBAL_OPTION_SPREAD_EVEN_SCALE_IN, REBAL_OPTION_SPREAD_REPLICA_SET_ORDER,
    REBAL_OPTION_SPREAD_CAPPED_ROOM,  REBAL_OPTION_SPREAD_COST_ANY_KIND, REBAL_OPTION_SPREAD_CLONE_SET_VERSIONS,
    REBAL_OPTION_SPREAD_MIN_REPLICAS, REBAL_OPTION_SPREAD_ALL_VERSIONS,  REBAL_OPTION_SPREAD_BY_SPEC};

/* Some of the options are set for the case. */
const char *spread_options(struct dice *dice, spread_law law_of_a_round) {
  rebal_compat *compat = test_compat(REBAL_OPTION_NONE, 0);
  const char *wrong;

  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    (void)rebal_compat_set(compat, options[i], chance(dice, 20), NULL);
  }
  wrong = try_rounds(dice, compat, law_of_a_round);
  rebal_compat_free(compat);
  return wrong;
}

/* The status of the library's spread as text. */
const char *spread_print_spread(const rebal_spread *spread, struct spread_printed *printed) {
  const rebal_record *record = NULL;

  spread_start(printed);
  if (rebal_spread_status(spread, at_hand.world.builder, &record, NULL) != REBAL_OK) {
    return "the status cannot be read";
  }
  spread_print_record(record, printed);
  return NULL;
}

const char *spread_step_and_print(rebal_spread *spread, struct spread_printed *printed) {
  static struct spread_printed status;
  const char *wrong;

  if (spread_step(&at_hand, spread, at_hand.world.result) != REBAL_OK) {
    return fault("%s", at_hand.world.err.message);
  }
  spread_print_result(&at_hand, at_hand.world.result, printed);
  wrong = spread_print_spread(spread, &status);
  spread_print(printed, "%s", status.text);
  return wrong;
}

int64_t spread_cell(uint32_t column, size_t row) {
  size_t n;

  return rebal_result_i64(at_hand.world.result, column, &n)[row];
}

size_t spread_grouped(void) {
  return rebal_result_count(at_hand.world.result, REBAL_TABLE_GROUPED);
}
