/* SPDX-License-Identifier: MIT */
/*
 * Random histories of the simulation: each is run and its log checked. HISTORIES_SEED and HISTORIES_CASES select them.
 * A failure names its seed, and a shrunk scenario that fails in the same way is written to history-<seed>.yaml.
 */
#include "histories.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run and its fault. */
struct trial {
  rebal_simulation *simulation;
  struct facts facts;
  struct breaches breaches;
  struct fault fault;
};

static void judge(struct trial *trial) {
  const char *strictly = trial->facts.is_strict ? "strictly, " : "";
  for (size_t i = 0; i < trial->breaches.n; i++) {
    const struct breach *breach = &trial->breaches.list[i];
    if (breach->cause[0] == '\0' || trial->facts.is_strict) {
      (void)snprintf(trial->fault.kind, sizeof trial->fault.kind, "%s%s, %s", strictly, breach_name(breach->kind),
                     breach->cause);
      (void)snprintf(trial->fault.text, sizeof trial->fault.text, "%s%s %.*s at second %" PRId64 ": %s", strictly,
                     breach->binding, (int)strcspn(breach->cluster, " :"), breach->cluster, breach->second,
                     breach_name(breach->kind));
      return;
    }
  }
  check_warnings(&trial->facts, &trial->breaches, &trial->fault);
}

static void fail(struct trial *trial, uint32_t line, const char *message) {
  (void)snprintf(trial->fault.kind, sizeof trial->fault.kind, "%s", message);
  (void)snprintf(trial->fault.text, sizeof trial->fault.text, "line %" PRIu32 ": %s", line, message);
}

static char scenario[SCENARIO_CAPACITY]; /* of the last trial */

/* Steps that name missing objects become void. */
static int32_t simulate(struct history history, rebal_simulation **simulation, rebal_error *err) {
  int32_t code;
  for (;;) {
    uint32_t step;
    write_history(&history, scenario);
    code = rebal_simulation_new(NULL, simulation, err);
    if (code == REBAL_OK) {
      code = rebal_simulation_run(*simulation, scenario, strlen(scenario), REBAL_LOG_FORMAT_TABLE, NULL, NULL, err);
    }
    step = code == REBAL_ENOTFOUND ? find_step(scenario, err->line) : REBAL_NONE;
    if (step == REBAL_NONE || history.steps[step].kind < APP_FAILS || history.steps[step].is_void) {
      return code;
    }
    history.steps[step].is_void = 1;
    rebal_simulation_free(*simulation);
  }
}

static void try_history(const struct history *history, struct trial *trial) {
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code;
  memset(trial, 0, sizeof *trial);
  trial->facts.timeout = history->timeout;
  trial->facts.grace = history->grace;
  trial->facts.is_strict = history->is_strict;
  code = simulate(*history, &trial->simulation, &err);
  if (code != REBAL_OK) {
    fail(trial, err.line, err.message);
  } else if (!facts_read(trial->simulation, &trial->facts) || !check_facts(&trial->facts, &trial->breaches)) {
    fail(trial, 0, "no memory");
  } else {
    judge(trial);
  }
}

static void dispose(struct trial *trial) {
  free(trial->facts.list);
  rebal_simulation_free(trial->simulation);
}

static void run_history(const struct history *history, struct fault *fault) {
  struct trial trial;
  try_history(history, &trial);
  *fault = trial.fault;
  dispose(&trial);
}

/* Writes the smallest failing history to a file. */
static void report(struct history *history) {
  struct fault fault;
  char name[64];
  FILE *file;
  shrink_history(history, run_history);
  run_history(history, &fault);
  (void)snprintf(name, sizeof name, "history-%" PRIu64 ".yaml", history->seed);
  file = fopen(name, "w");
  if (file == NULL || fputs(scenario, file) < 0 || fclose(file) != 0) {
    printf("%s cannot be written; its content would be\n%s", name, scenario);
  } else {
    printf("%s: rebalancectl simulate shows it\n", name);
  }
}

/* Prints one of them for inspection. */
static int print_history(uint64_t seed) {
  struct history history;
  struct fault fault;
  draw_history(seed, &history);
  run_history(&history, &fault);
  return fputs(scenario, stdout) < 0;
}

static uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

/* Rows of rebalance-compat(7) that must occur in so many histories: a rule without a case is not tested. */
#define MANY 2000
static const char *const rows[] = {"purges-directly", "times-out", "keeps-shrunken", "no-fit-clears",
                                   "health-is-stale"};
#define ROWS (sizeof rows / sizeof rows[0])

static void count_rows(const struct breaches *breaches, uint64_t *counts) {
  for (size_t i = 0; i < breaches->n; i++) {
    for (size_t row = 0; row < ROWS; row++) {
      counts[row] += strcmp(breaches->list[i].cause, rows[row]) == 0;
    }
  }
}

static int report_rows(const uint64_t *counts, uint64_t cases) {
  int missing = 0;
  for (size_t row = 0; row < ROWS; row++) {
    printf("%s %" PRIu64 "%s", rows[row], counts[row], row + 1 < ROWS ? ", " : "\n");
    missing |= counts[row] == 0;
  }
  return missing && cases >= MANY;
}

int main(int argc, char **argv) {
  const uint64_t seed = number("HISTORIES_SEED", 1), cases = number("HISTORIES_CASES", 100);
  const char *wrong = check_planted(), *shrinking = check_shrinking();
  uint64_t breaches = 0, counts[ROWS] = {0};
  if (argc == 3 && strcmp(argv[1], "--print") == 0) {
    return print_history(strtoull(argv[2], NULL, 10));
  }
  if (wrong != NULL) {
    printf("FAIL the checker, in a log made by hand: %s\n", wrong);
    return 1;
  }
  if (shrinking != NULL) {
    printf("FAIL %s\n", shrinking);
    return 1;
  }
  for (uint64_t at = seed; at - seed < cases; at++) {
    struct history history;
    struct trial trial;
    draw_history(at, &history);
    try_history(&history, &trial);
    breaches += trial.breaches.n;
    count_rows(&trial.breaches, counts);
    if (trial.fault.kind[0] != '\0') {
      printf("FAIL HISTORIES_SEED=%" PRIu64 ": %s\n", at, trial.fault.text);
      (void)fflush(stdout); /* shrinking takes a while */
      dispose(&trial);
      report(&history);
      return 1;
    }
    dispose(&trial);
  }
  printf("ok %" PRIu64 " histories, %" PRIu64 " breaches, each owned to\n", cases, breaches);
  return report_rows(counts, cases);
}
