/* SPDX-License-Identifier: MIT */
/* rebalancectl rebalance: what WorkloadRebalancers would move. */
#include "findings.h"

#include <stdlib.h>
#include <string.h>

struct rebalance {
  struct world *world;
  struct rebalancer *rebalancers;
  size_t n;
  uint32_t *triggered; /* bindings, each once, in the order of the store */
  size_t n_triggered;
  uint32_t *places; /* by object: its index in triggered; REBAL_NONE: not triggered */
  size_t n_places;
  struct decision *decisions; /* one for each triggered binding */
};

/* The decision of a workload; NULL: not triggered. */
static const struct decision *decision_of(const struct rebalance *rebalance, const struct workload *workload) {
  return workload->triggered != REBAL_NONE ? &rebalance->decisions[rebalance->places[workload->triggered]] : NULL;
}

/* ---- table ---- */

/* +member1:2, member2:3->1, -member3:1 */
static void put_change(struct output *out, const struct world *world, const struct change *change) {
  put(out, !change->was_present ? "+" : !change->is_present ? "-" : "");
  put(out, cluster_name(world, change->cluster));
  put(out, ":");
  put_integer(out, change->was_present ? change->before : change->after);
  if (change->was_present && change->is_present && change->before != change->after) {
    put(out, "->");
    put_integer(out, change->after);
  }
}

static enum status put_decision(struct table *table, struct output *cell, const struct world *world,
                                const struct decision *decision) {
  size_t n;
  struct change *changes = changes_of(world, decision, &n);
  if (changes == NULL) {
    return complain_of_memory();
  }
  for (size_t i = 0; i < n; i++) {
    put(cell, i > 0 ? ", " : "");
    put_change(cell, world, &changes[i]);
  }
  table_cell(table, enum_text(REBAL_ENUM_OUTCOME, decision->outcome));
  table_cell_of(table, cell);
  put_integer(cell, moved_replicas(changes, n));
  table_cell_of(table, cell);
  table_cell(table, decision->message);
  free(changes);
  return STATUS_DONE;
}

static enum status put_row(const struct rebalance *rebalance, const struct rebalancer *rebalancer,
                           const struct workload *workload, struct table *table, struct output *cell) {
  const struct decision *decision = decision_of(rebalance, workload);
  table_cell(table, world_text(rebalance->world, rebalancer->object, "metadata.name"));
  put(cell, workload->kind);
  put(cell, " ");
  put(cell, workload->namespace_);
  put(cell, workload->namespace_[0] != '\0' ? "/" : "");
  put(cell, workload->name);
  table_cell_of(table, cell);
  table_cell(table, workload->result);
  if (decision != NULL) {
    return put_decision(table, cell, rebalance->world, decision);
  }
  table_cell(table, "");
  table_cell(table, "");
  table_cell(table, "");
  table_cell(table, workload->reason);
  return STATUS_DONE;
}

static enum status write_table(const struct rebalance *rebalance, struct output *out) {
  static const char *const headings[] = {"REBALANCER", "WORKLOAD", "RESULT", "OUTCOME", "CLUSTERS", "MOVED", "MESSAGE"};
  struct table table;
  struct output cell;
  enum status status = output_open(&cell);
  if (status != STATUS_DONE) {
    return status;
  }
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < rebalance->n; i++) {
    for (size_t k = 0; status == STATUS_DONE && k < rebalance->rebalancers[i].n; k++) {
      status = put_row(rebalance, &rebalance->rebalancers[i], &rebalance->rebalancers[i].workloads[k], &table, &cell);
    }
  }
  table_write(&table, out);
  table_close(&table);
  output_close(&cell);
  return status;
}

/* ---- JSON and YAML ---- */

static void write_change(struct report *report, const struct world *world, const struct change *change) {
  report_map(report, NULL);
  report_text(report, "name", cluster_name(world, change->cluster));
  if (change->was_present) {
    report_integer(report, "before", change->before);
  }
  if (change->is_present) {
    report_integer(report, "after", change->after);
  }
  report_map_end(report);
}

static enum status write_decision(struct report *report, const struct world *world, const struct decision *decision) {
  size_t n;
  struct change *changes = changes_of(world, decision, &n);
  if (changes == NULL) {
    return complain_of_memory();
  }
  report_text(report, "binding", world_text(world, decision->object, "metadata.name"));
  report_text(report, "outcome", enum_text(REBAL_ENUM_OUTCOME, decision->outcome));
  report_boolean(report, "fresh", decision->is_fresh);
  report_text(report, "affinityName", decision->affinity);
  report_list(report, "clusters");
  for (size_t i = 0; i < n; i++) {
    write_change(report, world, &changes[i]);
  }
  report_list_end(report);
  report_integer(report, "moved", moved_replicas(changes, n));
  report_text(report, "message", decision->message);
  free(changes);
  return STATUS_DONE;
}

static enum status write_workload(struct report *report, const struct rebalance *rebalance,
                                  const struct workload *workload) {
  const struct decision *decision = decision_of(rebalance, workload);
  enum status status = STATUS_DONE;
  report_map(report, NULL);
  report_text(report, "apiVersion", workload->api_version);
  report_text(report, "kind", workload->kind);
  report_text(report, "namespace", workload->namespace_);
  report_text(report, "name", workload->name);
  report_text(report, "result", workload->result);
  report_text(report, "reason", workload->reason);
  report_boolean(report, "triggered", decision != NULL);
  if (decision != NULL) {
    status = write_decision(report, rebalance->world, decision);
  }
  report_map_end(report);
  return status;
}

static enum status write_rebalancer(struct report *report, const struct rebalance *rebalance,
                                    const struct rebalancer *rebalancer) {
  enum status status = STATUS_DONE;
  report_map(report, NULL);
  report_text(report, "name", world_text(rebalance->world, rebalancer->object, "metadata.name"));
  report_boolean(report, "deleted", rebalancer->is_deleted);
  report_list(report, "workloads");
  for (size_t i = 0; status == STATUS_DONE && i < rebalancer->n; i++) {
    status = write_workload(report, rebalance, &rebalancer->workloads[i]);
  }
  report_list_end(report);
  report_map_end(report);
  return status;
}

static enum status write_json(const struct rebalance *rebalance, enum format format, struct output *out) {
  struct report report;
  enum status status = report_open(&report);
  if (status != STATUS_DONE) {
    return status;
  }
  report_map(&report, NULL);
  report_list(&report, "rebalancers");
  for (size_t i = 0; status == STATUS_DONE && i < rebalance->n; i++) {
    status = write_rebalancer(&report, rebalance, &rebalance->rebalancers[i]);
  }
  report_list_end(&report);
  report_map_end(&report);
  if (status == STATUS_DONE) {
    status = report_finish(&report, format, out);
  }
  report_close(&report);
  return status;
}

/* ---- objects ---- */

static enum status write_objects(const struct rebalance *rebalance, struct output *out) {
  uint32_t *objects = malloc((rebalance->n + rebalance->n_triggered + 1) * sizeof *objects);
  size_t n = 0;
  enum status status;
  if (objects == NULL) {
    return complain_of_memory();
  }
  for (size_t i = 0; i < rebalance->n_triggered; i++) {
    objects[n++] = rebalance->triggered[i];
  }
  for (size_t i = 0; i < rebalance->n; i++) {
    if (!rebalance->rebalancers[i].is_deleted) {
      objects[n++] = rebalance->rebalancers[i].object;
    }
  }
  status = attach_dependencies(rebalance->world, &objects, &n);
  if (status == STATUS_DONE) {
    status = world_write(rebalance->world, objects, n, out);
  }
  free(objects);
  return status;
}

/* ---- the verb ---- */

/* Allocates places for every id, and sets those of the triggered bindings. */
static int mark_triggered(struct rebalance *rebalance) {
  uint32_t object = REBAL_NONE;
  while ((object = rebal_store_next(rebalance->world->store, NULL, 0, object)) != REBAL_NONE) {
    rebalance->n_places = object >= rebalance->n_places ? (size_t)object + 1 : rebalance->n_places;
  }
  rebalance->places = malloc((rebalance->n_places + 1) * sizeof *rebalance->places);
  rebalance->triggered = malloc((rebalance->n_places + 1) * sizeof *rebalance->triggered);
  if (rebalance->places == NULL || rebalance->triggered == NULL) {
    return 0;
  }
  for (size_t i = 0; i < rebalance->n_places; i++) {
    rebalance->places[i] = REBAL_NONE;
  }
  for (size_t i = 0; i < rebalance->n; i++) {
    for (size_t k = 0; k < rebalance->rebalancers[i].n_triggered; k++) {
      rebalance->places[rebalance->rebalancers[i].triggered[k]] = 0;
    }
  }
  return 1;
}

static enum status list_triggered(struct rebalance *rebalance) {
  uint32_t object = REBAL_NONE;
  if (!mark_triggered(rebalance)) {
    return complain_of_memory();
  }
  while ((object = rebal_store_next(rebalance->world->store, NULL, 0, object)) != REBAL_NONE) {
    if (rebalance->places[object] == REBAL_NONE) {
      continue;
    }
    rebalance->places[object] = (uint32_t)rebalance->n_triggered;
    rebalance->triggered[rebalance->n_triggered++] = object;
  }
  return STATUS_DONE;
}

static enum status carry_out(struct rebalance *rebalance, const uint32_t *objects, size_t n) {
  enum status status = STATUS_DONE;
  rebalance->rebalancers = calloc(n + 1, sizeof *rebalance->rebalancers);
  if (rebalance->rebalancers == NULL) {
    return complain_of_memory();
  }
  for (size_t i = 0; status == STATUS_DONE && i < n; i++) {
    rebalance->rebalancers[i].object = objects[i];
    rebalance->n++;
    status = rebalancer_carry_out(rebalance->world, &rebalance->rebalancers[i]);
  }
  return status;
}

/* Does a requested trigger fail, or do its replicas not fit? */
static int is_anything_refused(const struct rebalance *rebalance) {
  for (size_t i = 0; i < rebalance->n_triggered; i++) {
    if (is_refused(&rebalance->decisions[i])) {
      return 1;
    }
  }
  for (size_t i = 0; i < rebalance->n; i++) {
    for (size_t k = 0; k < rebalance->rebalancers[i].n; k++) {
      if (strcmp(rebalance->rebalancers[i].workloads[k].result, "Failed") == 0) {
        return 1;
      }
    }
  }
  return 0;
}

static enum status write_answer(const struct rebalance *rebalance, struct output *out) {
  const struct options *options = rebalance->world->options;
  enum status status;
  if (options->is_write) {
    status = write_objects(rebalance, out);
  } else if (options->format == FORMAT_TABLE) {
    status = write_table(rebalance, out);
  } else {
    status = write_json(rebalance, options->format, out);
  }
  return status == STATUS_DONE && is_anything_refused(rebalance) ? STATUS_CANNOT : status;
}

static enum status run(struct rebalance *rebalance, struct output *out) {
  uint32_t *objects = NULL;
  size_t n;
  enum status status = world_objects(rebalance->world, "WorkloadRebalancer", &objects, &n);
  if (status == STATUS_DONE && n == 0) {
    complain("rebalancectl: no WorkloadRebalancer in the files");
    status = STATUS_INPUT;
  }
  if (status == STATUS_DONE) {
    status = carry_out(rebalance, objects, n);
  }
  free(objects);
  if (status == STATUS_DONE) {
    status = list_triggered(rebalance);
  }
  if (status == STATUS_DONE) {
    status = decide(rebalance->world, rebalance->triggered, rebalance->n_triggered, 0,
                    rebalance->world->options->is_write, &rebalance->decisions);
  }
  if (status == STATUS_DONE) {
    status = findings_report_loaded(rebalance->world, REPEAT_OF_SCHEDULE);
  }
  if (status == STATUS_DONE) {
    status = report_left(rebalance->world);
  }
  if (status == STATUS_DONE) {
    status = report_uninterpreted(rebalance->world);
  }
  return status == STATUS_DONE ? write_answer(rebalance, out) : status;
}

enum status rebalance_run(const struct options *options, struct output *out) {
  struct world world;
  struct rebalance rebalance = {.world = &world};
  enum status status = world_open(&world, options);
  if (status == STATUS_DONE) {
    status = run(&rebalance, out);
  }
  decisions_free(rebalance.decisions, rebalance.n_triggered);
  for (size_t i = 0; i < rebalance.n; i++) {
    rebalancer_dispose(&rebalance.rebalancers[i]);
  }
  free(rebalance.rebalancers);
  free(rebalance.triggered);
  free(rebalance.places);
  world_close(&world);
  return status;
}
