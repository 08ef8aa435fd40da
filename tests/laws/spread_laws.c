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

  spread_start(telling);
  if (rebal_spread_status(spread, drawn.world.builder, &record, NULL) != REBAL_OK) {
    return "the status cannot be read";
  }
  spread_tell_record(record, telling);
  return NULL;
}

/* ---- plain twins ------------------------------------------------------------------------------------------------- */

static struct spread_telling plain, fast;

static const char *compare_statuses(void) {
  const char *wrong = tell_spread(drawn.spread, &fast);

  spread_start(&plain);
  spread_tell_status(&drawn.status, &plain);
  return wrong != NULL ? wrong : compare_texts(plain.text, fast.text);
}

static const char *compare_passes(void) {
  const char *wrong;

  if (spread_step(&drawn, drawn.spread, drawn.world.result) != REBAL_OK) {
    return fault("%s", drawn.world.err.message);
  }
  spread_tell_result(&drawn, drawn.world.result, &fast);
  plain_spread_step(&drawn, &plain);
  wrong = compare_texts(plain.text, fast.text);
  return wrong != NULL ? wrong : compare_statuses();
}

static const char *compare_batches(struct dice *dice) {
  const char *wrong;

  spread_draw_comers(dice, &drawn);
  if (spread_admit(&drawn, &drawn.spread, 1, 0, drawn.n_comers, drawn.world.result) != REBAL_OK) {
    return fault("%s", drawn.world.err.message);
  }
  spread_tell_admitted(&drawn, drawn.world.result, &fast);
  plain_spread_admit(&drawn, &plain);
  wrong = compare_texts(plain.text, fast.text);
  return wrong != NULL ? wrong : compare_statuses();
}

static const char *compare_both(struct dice *dice) {
  const char *wrong = chance(dice, 70) ? compare_batches(dice) : NULL;

  return wrong != NULL ? wrong : compare_passes();
}

const char *law_plain_spread(struct dice *dice) {
  return try_rounds(dice, compare_both);
}
