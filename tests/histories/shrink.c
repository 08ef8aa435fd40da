/* SPDX-License-Identifier: MIT */
/* A smaller history that fails as well: what can be left out is left out, as long as anything can. */
#include "histories.h"

static int can_drop(struct history *history, int *is_left, int (*fails)(const struct history *history)) {
  if (!*is_left) {
    return 0;
  }
  *is_left = 0;
  if (fails(history)) {
    return 1;
  }
  *is_left = 1;
  return 0;
}

void shrink_history(struct history *history, int (*fails)(const struct history *history)) {
  int changed = 1;
  while (changed) {
    changed = 0;
    for (size_t i = STEPS; i-- > 0;) {
      changed |= can_drop(history, &history->steps[i].is_left, fails);
    }
    for (size_t i = 0; i < MEMBERS; i++) {
      changed |= can_drop(history, &history->members[i].is_left, fails);
    }
    for (size_t i = 0; i < WORKLOADS; i++) {
      changed |= can_drop(history, &history->workloads[i].is_left, fails);
    }
  }
}
