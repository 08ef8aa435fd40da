/* SPDX-License-Identifier: MIT */
/* A smaller history that fails in the same way: what can be left out is left out, as long as anything can. */
#include "histories.h"

#include <stdio.h>
#include <string.h>

struct shrinking {
  struct history *history;
  void (*run)(const struct history *history, struct fault *fault);
  char kind[sizeof((struct fault *)0)->kind]; /* of the fault that is to stay */
};

static int can_drop(struct shrinking *shrinking, int *is_left) {
  struct fault fault = {"", ""};
  if (!*is_left) {
    return 0;
  }
  *is_left = 0;
  shrinking->run(shrinking->history, &fault);
  *is_left = strcmp(fault.kind, shrinking->kind) != 0;
  return !*is_left;
}

void shrink_history(struct history *history, void (*run)(const struct history *history, struct fault *fault)) {
  struct shrinking shrinking = {history, run, ""};
  struct fault fault = {"", ""};
  int changed = 1;
  run(history, &fault);
  memcpy(shrinking.kind, fault.kind, sizeof fault.kind);
  while (changed) {
    changed = 0;
    for (size_t i = STEPS; i-- > 0;) {
      changed |= can_drop(&shrinking, &history->steps[i].is_left);
    }
    for (size_t i = 0; i < MEMBERS; i++) {
      changed |= can_drop(&shrinking, &history->members[i].is_left);
    }
    for (size_t i = 0; i < WORKLOADS; i++) {
      changed |= can_drop(&shrinking, &history->workloads[i].is_left);
    }
  }
}

/* Fails by the steps 1 and 2, and in another way by step 1 alone. */
static void run_planted(const struct history *history, struct fault *fault) {
  const int fails = history->steps[1].is_left;
  (void)snprintf(fault->kind, sizeof fault->kind, "%s", !fails ? "" : history->steps[2].is_left ? "one" : "another");
}

const char *check_shrinking(void) {
  static struct history history;
  size_t left = 0;
  for (size_t i = 0; i < STEPS; i++) {
    history.steps[i].is_left = 1;
  }
  shrink_history(&history, run_planted);
  for (size_t i = 0; i < STEPS; i++) {
    left += (size_t)history.steps[i].is_left;
  }
  return left == 2 && history.steps[1].is_left && history.steps[2].is_left ? NULL : "a shrunk history fails otherwise";
}
