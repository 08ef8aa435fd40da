/* SPDX-License-Identifier: MIT */
/* rebalancectl schedule: where the replicas go. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

struct answers {
  const struct world *world;
  const struct decision *decisions;
  size_t n;
};

/* {member1:2, member2:1}, as the scheduler's events say it. */
static void put_targets(struct output *out, const struct world *world, const struct targets *targets) {
  put(out, "{");
  for (size_t i = 0; i < targets->n; i++) {
    put(out, i > 0 ? ", " : "");
    put(out, cluster_name(world, targets->items[i].cluster));
    put(out, ":");
    put_integer(out, targets->items[i].replicas);
  }
  put(out, "}");
}

static enum status write_table(const struct answers *answers, struct output *out) {
  static const char *const headings[] = {"BINDING", "OUTCOME", "WHY", "CLUSTERS", "MESSAGE"};
  struct table table;
  struct output cell;
  const enum status status = output_open(&cell);
  if (status != STATUS_DONE) {
    return status;
  }
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < answers->n; i++) {
    const struct decision *decision = &answers->decisions[i];
    put_object(&cell, answers->world, decision->object);
    table_cell_of(&table, &cell);
    table_cell(&table, outcome_text(decision->outcome));
    table_cell(&table, reason_text(decision->reason));
    put_targets(&cell, answers->world, &decision->after);
    table_cell_of(&table, &cell);
    table_cell(&table, decision->message);
  }
  table_write(&table, out);
  table_close(&table);
  output_close(&cell);
  return STATUS_DONE;
}

static void write_targets(struct report *report, const char *key, const struct world *world,
                          const struct targets *targets) {
  report_list(report, key);
  for (size_t i = 0; i < targets->n; i++) {
    report_map(report, NULL);
    report_text(report, "name", cluster_name(world, targets->items[i].cluster));
    report_integer(report, "replicas", targets->items[i].replicas);
    report_map_end(report);
  }
  report_list_end(report);
}

static void write_resource(struct report *report, const struct world *world, uint32_t object) {
  static const char *const members[][2] = {{"apiVersion", "spec.resource.apiVersion"},
                                           {"kind", "spec.resource.kind"},
                                           {"namespace", "spec.resource.namespace"},
                                           {"name", "spec.resource.name"}};
  report_map(report, "resource");
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
    report_text(report, members[i][0], world_text(world, object, members[i][1]));
  }
  report_map_end(report);
}

static void write_decision(struct report *report, const struct world *world, const struct decision *decision) {
  report_map(report, NULL);
  report_text(report, "kind", world_text(world, decision->object, "kind"));
  report_text(report, "namespace", world_text(world, decision->object, "metadata.namespace"));
  report_text(report, "name", world_text(world, decision->object, "metadata.name"));
  write_resource(report, world, decision->object);
  report_text(report, "outcome", outcome_text(decision->outcome));
  report_text(report, "reason", reason_text(decision->reason));
  report_boolean(report, "fresh", decision->is_fresh);
  report_text(report, "affinityName", decision->affinity);
  write_targets(report, "before", world, &decision->before);
  write_targets(report, "clusters", world, &decision->after);
  report_text(report, "message", decision->message);
  report_map_end(report);
}

static enum status write_json(const struct answers *answers, enum format format, struct output *out) {
  struct report report;
  enum status status = report_open(&report);
  if (status != STATUS_DONE) {
    return status;
  }
  report_map(&report, NULL);
  report_list(&report, "bindings");
  for (size_t i = 0; i < answers->n; i++) {
    write_decision(&report, answers->world, &answers->decisions[i]);
  }
  report_list_end(&report);
  report_map_end(&report);
  status = report_finish(&report, format, out);
  report_close(&report);
  return status;
}

static enum status write_answers(const struct answers *answers, const uint32_t *objects, struct output *out) {
  const struct options *options = answers->world->options;
  enum status status;
  if (options->is_write) {
    status = world_write(answers->world, objects, answers->n, out);
  } else if (options->format == FORMAT_TABLE) {
    status = write_table(answers, out);
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

/* Bindings of both kinds, in the order of their kinds' names. */
static enum status list_bindings(const struct world *world, uint32_t **objects, size_t *n) {
  uint32_t *more = NULL;
  size_t n_more;
  enum status status = world_objects(world, "ClusterResourceBinding", objects, n);
  if (status == STATUS_DONE) {
    status = world_objects(world, "ResourceBinding", &more, &n_more);
  }
  if (status == STATUS_DONE) {
    memcpy(*objects + *n, more, n_more * sizeof *more); /* a list has room for every object of the store */
    *n += n_more;
  }
  free(more);
  return status;
}

static enum status schedule(struct world *world, struct output *out) {
  const struct options *options = world->options;
  struct answers answers = {world, NULL, 0};
  struct decision *decisions = NULL;
  uint32_t *objects = NULL;
  enum status status = list_bindings(world, &objects, &answers.n);
  if (status == STATUS_DONE && answers.n == 0) {
    complain("rebalancectl: no binding: the files hold none, and no policy in them selects a workload in them");
    status = STATUS_INPUT;
  }
  if (status == STATUS_DONE) {
    status = decide(world, objects, answers.n, options->is_all, options->is_write, &decisions);
  }
  answers.decisions = decisions;
  if (status == STATUS_DONE) {
    status = tell_unselected(world);
  }
  if (status == STATUS_DONE) {
    status = write_answers(&answers, objects, out);
  }
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
