/* SPDX-License-Identifier: MIT */
/* rebalancectl schedule: where the replicas are placed. */
#include "findings.h"

#include <stdlib.h>

struct answers {
  const struct world *world;
  const struct decision *decisions;
  size_t n;
};

static void begin_bindings(struct report *report, const void *user, int is_first) {
  (void)is_first;
  (void)user;
  report_map(report, NULL);
  report_list(report, "bindings");
}

static enum status write_binding(struct report *report, const void *user, size_t i) {
  const struct answers *answers = user;
  report_decision(report, NULL, answers->world, &answers->decisions[i]);
  return STATUS_DONE;
}

static enum status write_json(const struct answers *answers, enum format format, struct output *out) {
  const struct long_report parts = {begin_bindings, write_binding, answers, answers->n};
  return report_long(&parts, format, out);
}

/* n: bindings; the first were decided, and the others are their dependencies. */
static enum status write_answers(const struct answers *answers, const uint32_t *objects, size_t n, struct output *out) {
  const struct options *options = answers->world->options;
  enum status status;
  if (options->is_write) {
    status = world_write(answers->world, objects, n, out);
  } else if (options->format == FORMAT_TABLE) {
    status = decisions_write(answers->world, answers->decisions, answers->n, out);
  } else {
    status = write_json(answers, options->format, out);
  }
  for (size_t i = 0; status == STATUS_DONE && i < answers->n; i++) {
    if (is_refused(&answers->decisions[i])) {
      return STATUS_CANNOT;
    }
  }
  return status;
}

/* Does a binding have dependencies that must follow it? */
static int have_dependencies(const struct world *world) {
  const rebal_cells *cells = rebal_bindings_const_cells(world->chosen);
  const size_t n = rebal_cells_count(cells, REBAL_TABLE_BINDING, REBAL_NONE);
  uint32_t row = 0;
  while (row < n && rebal_cells_get_i64(cells, REBAL_BINDING_PROPAGATE_DEPS, REBAL_NONE, row) == 0) {
    row++;
  }
  return row < n;
}

/* Applied decisions create bindings for dependencies, which no policy selects. */
static enum status decide_all(struct world *world, uint32_t **objects, size_t n, size_t *n_written,
                              struct decision **decisions) {
  const struct options *options = world->options;
  enum status status = world_feed(world, *objects, n);
  const int carries_out = options->is_write || (status == STATUS_DONE && have_dependencies(world));
  if (status == STATUS_DONE) {
    status = decide_fed(world, *objects, n, options->is_all, carries_out, decisions);
  }
  *n_written = n;
  return status == STATUS_DONE && carries_out ? attach_dependencies(world, objects, n_written) : status;
}

static enum status schedule(struct world *world, struct output *out) {
  struct answers answers = {world, NULL, 0};
  struct decision *decisions = NULL, *others = NULL;
  uint32_t *objects = NULL;
  size_t n_written = 0;
  enum status status = some_bindings(world, &objects, &answers.n);
  if (status == STATUS_DONE) {
    status = ties_decide(world, objects, answers.n, &others);
  }
  if (status == STATUS_DONE) {
    status = decide_all(world, &objects, answers.n, &n_written, &decisions);
  }
  answers.decisions = decisions;
  if (status == STATUS_DONE) {
    ties_report(world, decisions, others, answers.n);
    status = findings_report_loaded(world, REPEAT_OF_SCHEDULE);
  }
  if (status == STATUS_DONE) {
    status = report_unselected(world);
  }
  if (status == STATUS_DONE) {
    status = report_left(world);
  }
  if (status == STATUS_DONE) {
    status = report_uninterpreted(world);
  }
  if (status == STATUS_DONE) {
    status = write_answers(&answers, objects, n_written, out);
  }
  decisions_free(others, answers.n);
  decisions_free(decisions, answers.n);
  free(objects);
  return status;
}

enum status schedule_run(const struct options *options, struct output *out) {
  struct world world;
  enum status status = world_open(&world, options);
  if (status == STATUS_DONE) {
    status = schedule(&world, out);
  }
  world_close(&world);
  return status;
}
