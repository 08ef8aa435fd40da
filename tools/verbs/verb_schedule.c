/* SPDX-License-Identifier: MIT */
/* rebalancectl schedule: where the replicas go. */
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

/* n: bindings, of which the first are answers, and the others follow from them. */
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

static enum status schedule(struct world *world, struct output *out) {
  const struct options *options = world->options;
  struct answers answers = {world, NULL, 0};
  struct decision *decisions = NULL, *others = NULL;
  uint32_t *objects = NULL;
  size_t n_written = 0;
  enum status status = some_bindings(world, &objects, &answers.n);
  if (status == STATUS_DONE) {
    status = ties_decide(world, objects, answers.n, &others);
  }
  if (status == STATUS_DONE) {
    status = decide(world, objects, answers.n, options->is_all, options->is_write, &decisions);
  }
  answers.decisions = decisions;
  n_written = answers.n;
  if (status == STATUS_DONE && options->is_write) {
    status = attach_dependencies(world, &objects, &n_written);
  }
  if (status == STATUS_DONE) {
    ties_tell(world, decisions, others, answers.n);
    status = findings_tell_loaded(world, REPEAT_OF_SCHEDULE);
  }
  if (status == STATUS_DONE) {
    status = tell_unselected(world);
  }
  if (status == STATUS_DONE) {
    status = tell_uninterpreted(world);
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
