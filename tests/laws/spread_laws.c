/* SPDX-License-Identifier: MIT */
/* Laws of passes over a WorkloadSpread, and of its status. */
#include "spreads.h"

#include <string.h>

static struct spread_case drawn;

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

static const char *try_rounds(struct dice *dice, const char *(*law_of_a_round)(struct dice *)) {
  const char *wrong = NULL;

  spread_open(dice, &drawn);
  spread_draw(dice, &drawn);
  for (size_t round = 0; wrong == NULL && round < SPREAD_ROUNDS; round++) {
    spread_change(dice, &drawn);
    wrong = law_of_a_round(dice);
  }
  spread_close(&drawn);
  return wrong;
}

/* The status of the library's spread as text. */
static const char *tell_spread(const rebal_spread *spread, struct spread_telling *telling) {
  const rebal_record *record = NULL;

  telling->len = 0;
  if (rebal_spread_status(spread, drawn.world.builder, &record, NULL) != REBAL_OK) {
    return "the status cannot be read";
  }
  spread_tell_record(record, telling);
  return NULL;
}

/* ---- a plain controller ------------------------------------------------------------------------------------------ */

static const char *compare_controllers(struct dice *dice) {
  static struct spread_telling plain, fast;
  const char *wrong;

  (void)dice;
  if (spread_step(&drawn, drawn.spread, drawn.world.result) != REBAL_OK) {
    return fault("%s", drawn.world.err.message);
  }
  spread_tell_result(&drawn, drawn.world.result, &fast);
  plain_spread_step(&drawn, &plain);
  wrong = compare_texts(plain.text, fast.text);
  if (wrong == NULL) {
    plain.len = 0;
    spread_tell_status(&drawn.status, &plain);
    wrong = tell_spread(drawn.spread, &fast);
  }
  return wrong != NULL ? wrong : compare_texts(plain.text, fast.text);
}

const char *law_plain_controller(struct dice *dice) {
  return try_rounds(dice, compare_controllers);
}
