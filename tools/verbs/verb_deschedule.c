/* SPDX-License-Identifier: MIT */
/* rebalancectl deschedule: which unschedulable replicas leave their clusters. */
#include "rebalancectl.h"

#include <stdlib.h>

struct deschedule {
  struct world *world;
  uint32_t *objects; /* bindings, by row */
  size_t n;
  struct estimators *estimators;
  struct budgets budgets;
  size_t *first; /* of each binding: its first row of DESCHEDULED; one more for the end */
  rebal_text *records;
  size_t *events; /* of each binding: the action with its event */
};

static int64_t cell_of(const struct deschedule *deschedule, uint32_t column, size_t row) {
  return result_integer(deschedule->world, column, row);
}

static const char *cluster_of(const struct deschedule *deschedule, size_t row) {
  return cluster_name(deschedule->world, id_of(cell_of(deschedule, REBAL_DESCHEDULED_CLUSTER, row)));
}

static const char *result_of(const struct deschedule *deschedule, size_t i) {
  return enum_text(REBAL_ENUM_DESCHEDULE_REASON, cell_of(deschedule, REBAL_STEP_REASON, i));
}

static const char *why_of(const struct deschedule *deschedule, size_t i) {
  return enum_text(REBAL_ENUM_DESCHEDULE_EXCLUSION, cell_of(deschedule, REBAL_STEP_DETAIL, i));
}

static const char *since_of(const struct deschedule *deschedule, size_t row, char *buffer) {
  rebal_time since;
  rebal_result_time(deschedule->world->result, REBAL_DESCHEDULED_SINCE, row, &since);
  return time_text(&since, buffer);
}

/* The time of the next run. */
static const char *next_of(const struct deschedule *deschedule, char *buffer) {
  const rebal_result *result = deschedule->world->result;
  rebal_time next;
  rebal_result_time(result, REBAL_ACTION_NOT_BEFORE, rebal_result_count(result, REBAL_TABLE_ACTION) - 1, &next);
  return time_text(&next, buffer);
}

/* ---- table ---- */

/* The source of the number of unschedulable replicas, an estimator by its name; "" for none. */
static const char *believed(const struct deschedule *deschedule, size_t row) {
  const int64_t source = cell_of(deschedule, REBAL_DESCHEDULED_SOURCE, row);
  return source == REBAL_DESCHEDULE_SOURCE_ESTIMATOR
             ? estimator_name(deschedule->estimators, cell_of(deschedule, REBAL_DESCHEDULED_ESTIMATOR, row))
         : source == REBAL_DESCHEDULE_SOURCE_NONE ? ""
                                                  : enum_text(REBAL_ENUM_DESCHEDULE_SOURCE, source);
}

static void put_number(struct table *table, struct output *cell, int64_t value, int is_known) {
  if (is_known) {
    put_integer(cell, value);
  }
  table_cell_of(table, cell);
}

/* A row for a cluster. */
static void put_target(const struct deschedule *deschedule, size_t row, struct table *table, struct output *cell) {
  const int64_t ready = cell_of(deschedule, REBAL_DESCHEDULED_READY, row);
  const int64_t source = cell_of(deschedule, REBAL_DESCHEDULED_SOURCE, row);
  const int64_t withheld = cell_of(deschedule, REBAL_DESCHEDULED_WITHHELD, row);
  char since[TIME_CAPACITY];
  table_cell(table, cluster_of(deschedule, row));
  put_number(table, cell, cell_of(deschedule, REBAL_DESCHEDULED_REPLICAS, row), 1);
  put_number(table, cell, ready, ready >= 0);
  put_number(table, cell, cell_of(deschedule, REBAL_DESCHEDULED_UNSCHEDULABLE, row),
             source != REBAL_DESCHEDULE_SOURCE_NONE);
  table_cell(table, believed(deschedule, row));
  table_cell(table, since_of(deschedule, row, since));
  put_number(table, cell, cell_of(deschedule, REBAL_DESCHEDULED_AFTER, row), 1);
  if (withheld > 0) {
    put_integer(cell, withheld);
    put(cell, " by ");
    put(cell, enum_text(REBAL_ENUM_DESCHEDULE_CAP, cell_of(deschedule, REBAL_DESCHEDULED_WITHHELD_BY, row)));
  }
  table_cell_of(table, cell);
  table_cell(table, "");
}

static void put_rows(const struct deschedule *deschedule, size_t i, struct table *table, struct output *cell) {
  const size_t end = deschedule->first[i + 1];
  size_t row = deschedule->first[i];
  do {
    put_object(cell, deschedule->world, deschedule->objects[i]);
    table_cell_of(table, cell);
    table_cell(table, result_of(deschedule, i));
    if (row < end) {
      put_target(deschedule, row, table, cell);
    } else {
      for (size_t column = 2; column + 1 < table->columns; column++) {
        table_cell(table, "");
      }
      table_cell(table, why_of(deschedule, i));
    }
  } while (++row < end);
}

static enum status write_table(const struct deschedule *deschedule, struct output *out) {
  static const char *const headings[] = {"BINDING", "RESULT", "CLUSTER", "REPLICAS", "READY", "UNSCHEDULABLE",
                                         "SOURCE",  "SINCE",  "AFTER",   "WITHHELD", "WHY"};
  char next[TIME_CAPACITY];
  struct table table;
  struct output cell;
  const enum status status = output_open(&cell);
  if (status != STATUS_DONE) {
    return status;
  }
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < deschedule->n; i++) {
    put_rows(deschedule, i, &table, &cell);
  }
  table_write(&table, out);
  table_close(&table);
  output_close(&cell);
  put(out, "\nNext run: ");
  put(out, next_of(deschedule, next));
  put(out, "\n");
  return STATUS_DONE;
}

/* ---- JSON and YAML ---- */

static void begin_report(struct report *report, const void *user, int is_first) {
  (void)is_first;
  char next[TIME_CAPACITY];
  report_map(report, NULL);
  report_text(report, "nextRun", next_of(user, next));
  report_list(report, "bindings");
}

static void write_target(struct report *report, const struct deschedule *deschedule, size_t row) {
  const int64_t ready = cell_of(deschedule, REBAL_DESCHEDULED_READY, row);
  const int64_t source = cell_of(deschedule, REBAL_DESCHEDULED_SOURCE, row);
  const int64_t withheld = cell_of(deschedule, REBAL_DESCHEDULED_WITHHELD, row);
  char since[TIME_CAPACITY];
  report_map(report, NULL);
  report_text(report, "name", cluster_of(deschedule, row));
  report_integer(report, "replicas", cell_of(deschedule, REBAL_DESCHEDULED_REPLICAS, row));
  if (ready >= 0) {
    report_integer(report, "ready", ready);
  }
  report_boolean(report, "undesired", cell_of(deschedule, REBAL_DESCHEDULED_UNDESIRED, row) != 0);
  report_text(report, "source", enum_text(REBAL_ENUM_DESCHEDULE_SOURCE, source));
  if (source == REBAL_DESCHEDULE_SOURCE_ESTIMATOR) {
    report_text(report, "estimator", believed(deschedule, row));
  }
  if (source != REBAL_DESCHEDULE_SOURCE_NONE) {
    report_integer(report, "unschedulable", cell_of(deschedule, REBAL_DESCHEDULED_UNSCHEDULABLE, row));
    report_text(report, "since", since_of(deschedule, row, since));
  }
  report_integer(report, "after", cell_of(deschedule, REBAL_DESCHEDULED_AFTER, row));
  if (withheld > 0) {
    report_integer(report, "withheld", withheld);
    report_text(report, "withheldBy",
                enum_text(REBAL_ENUM_DESCHEDULE_CAP, cell_of(deschedule, REBAL_DESCHEDULED_WITHHELD_BY, row)));
  }
  report_map_end(report);
}

/* The message of the event of the binding. */
static const char *message_of(const struct deschedule *deschedule, size_t i) {
  const rebal_record *event;
  if (deschedule->events[i] == NO_ACTION) {
    return "";
  }
  event = rebal_result_record(deschedule->world->result, deschedule->events[i]);
  return rebal_record_text(event, rebal_record_next(event, 0, REBAL_EVENT_MESSAGE, REBAL_NONE), NULL);
}

static enum status write_binding(struct report *report, const void *user, size_t i) {
  const struct deschedule *deschedule = user;
  report_map(report, NULL);
  report_binding(report, deschedule->world, deschedule->objects[i]);
  report_text(report, "result", result_of(deschedule, i));
  if (why_of(deschedule, i)[0] != '\0') {
    report_text(report, "why", why_of(deschedule, i));
  }
  report_text(report, "message", message_of(deschedule, i));
  report_list(report, "clusters");
  for (size_t row = deschedule->first[i]; row < deschedule->first[i + 1]; row++) {
    write_target(report, deschedule, row);
  }
  report_list_end(report);
  report_map_end(report);
  return STATUS_DONE;
}

/* ---- the verb ---- */

/* Rows of DESCHEDULED are in the order of bindings. */
static enum status index_rows(struct deschedule *deschedule) {
  const size_t n_rows = rebal_result_count(deschedule->world->result, REBAL_TABLE_DESCHEDULED);
  size_t row = 0;
  deschedule->first = malloc((deschedule->n + 1) * sizeof *deschedule->first);
  deschedule->events = actions_of_rows(deschedule->world, REBAL_ACTION_KIND_EVENT, deschedule->n);
  if (deschedule->first == NULL || deschedule->events == NULL) {
    return complain_of_memory();
  }
  for (size_t i = 0; i <= deschedule->n; i++) {
    while (row < n_rows && (uint64_t)cell_of(deschedule, REBAL_DESCHEDULED_BINDING, row) < i) {
      row++;
    }
    deschedule->first[i] = row;
  }
  return STATUS_DONE;
}

static enum status step(const struct deschedule *deschedule) {
  const struct world *world = deschedule->world;
  rebal_deschedule_opts opts = world->options->deschedule;
  rebal_recorded_call made = {
      .call = REBAL_CALL_DESCHEDULE_STEP, .deschedule_opts = &opts, .id = "deschedule", .id_len = 10};
  rebal_error err = REBAL_ERROR_INIT;
  size_t n;
  opts.struct_size = sizeof opts;
  opts.flags |= REBAL_DESCHEDULE_FLAG_EXPLAIN | (world->members.n > 0 ? REBAL_DESCHEDULE_FLAG_FROM_PODS : 0u);
  opts.compat = world->options->compat;
  opts.estimators = estimators_list(deschedule->estimators, &n);
  opts.n_estimators = n;
  opts.budgets = deschedule->budgets.records;
  opts.n_budgets = deschedule->budgets.n;
  return rebal_deschedule_step(world->ctx, world->snapshot, world->chosen, &world->options->now, &opts, world->result,
                               &err) == REBAL_OK
             ? records_add(world, &made, deschedule->records)
             : complain_of_call(&err);
}

static enum status write_answer(const struct deschedule *deschedule, struct output *out) {
  const struct long_report parts = {begin_report, write_binding, deschedule, deschedule->n};
  const struct options *options = deschedule->world->options;
  enum status status;
  if (options->is_write) {
    status = world_carry_out(deschedule->world);
    return status == STATUS_DONE ? world_write(deschedule->world, deschedule->objects, deschedule->n, out) : status;
  }
  return options->format == FORMAT_TABLE ? write_table(deschedule, out) : report_long(&parts, options->format, out);
}

static enum status run(struct deschedule *deschedule, struct output *out) {
  enum status status = some_bindings(deschedule->world, &deschedule->objects, &deschedule->n);
  if (status == STATUS_DONE) {
    status = world_feed(deschedule->world, deschedule->objects, deschedule->n);
  }
  if (status == STATUS_DONE) {
    status = estimators_read(deschedule->world, deschedule->objects, deschedule->n, &deschedule->estimators);
  }
  if (status == STATUS_DONE) {
    status = budgets_read(deschedule->world, &deschedule->budgets);
  }
  if (status == STATUS_DONE) {
    status = records_open(deschedule->world->options, &deschedule->records);
  }
  if (status == STATUS_DONE) {
    status = step(deschedule);
  }
  if (status == STATUS_DONE) {
    status = records_finish(deschedule->world->options, deschedule->records);
  }
  if (status == STATUS_DONE) {
    status = index_rows(deschedule);
  }
  return status == STATUS_DONE ? write_answer(deschedule, out) : status;
}

enum status deschedule_run(const struct options *options, struct output *out) {
  struct world world;
  struct deschedule deschedule = {.world = &world};
  enum status status = world_open(&world, options);
  if (status == STATUS_DONE) {
    status = run(&deschedule, out);
  }
  rebal_text_free(deschedule.records);
  budgets_free(&deschedule.budgets);
  estimators_free(deschedule.estimators);
  free(deschedule.events);
  free(deschedule.first);
  free(deschedule.objects);
  world_close(&world);
  return status;
}
