/* SPDX-License-Identifier: MIT */
/* rebalancectl explain: why the replicas of one binding are placed where they are. */
#include "rebalancectl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- table: a section for each stage of each affinity group ---- */

/* The columns of a stage's section. */
static const struct section {
  int64_t stage;
  const char *headings[9];
  uint32_t columns[9];
  size_t n;
} sections[] = {
    {REBAL_STAGE_FILTER,
     {"CLUSTER", "VERDICT", "PLUGIN", "FIELD", "EXPECTED", "FOUND"},
     {REBAL_EXPLAIN_CLUSTER, REBAL_EXPLAIN_VERDICT, REBAL_EXPLAIN_PLUGIN, REBAL_EXPLAIN_FIELD, REBAL_EXPLAIN_EXPECTED,
      REBAL_EXPLAIN_FOUND},
     6},
    {REBAL_STAGE_SCORE,
     {"CLUSTER", "SCORE", "LOCALITY", "EXTRA", "ALLOCATABLE", "AVAILABLE", "LIMIT"},
     {REBAL_EXPLAIN_CLUSTER, REBAL_EXPLAIN_SCORE, REBAL_EXPLAIN_LOCALITY, REBAL_EXPLAIN_EXTRA,
      REBAL_EXPLAIN_ALLOCATABLE, REBAL_EXPLAIN_AVAILABLE, REBAL_EXPLAIN_RESOURCE},
     7},
    {REBAL_STAGE_SELECT,
     {"CLUSTER", "VERDICT", "REGION", "SCORE", "AVAILABLE", "EXPECTED", "FOUND", "TIE", "PEER"},
     {REBAL_EXPLAIN_CLUSTER, REBAL_EXPLAIN_VERDICT, REBAL_EXPLAIN_GROUP, REBAL_EXPLAIN_SCORE, REBAL_EXPLAIN_AVAILABLE,
      REBAL_EXPLAIN_EXPECTED, REBAL_EXPLAIN_FOUND, REBAL_EXPLAIN_TIE, REBAL_EXPLAIN_PEER},
     9},
    {REBAL_STAGE_ASSIGN,
     {"CLUSTER", "VERDICT", "BEFORE", "AFTER", "FIELD", "FOUND", "TIE", "PEER"},
     {REBAL_EXPLAIN_CLUSTER, REBAL_EXPLAIN_VERDICT, REBAL_EXPLAIN_BEFORE, REBAL_EXPLAIN_AFTER, REBAL_EXPLAIN_FIELD,
      REBAL_EXPLAIN_FOUND, REBAL_EXPLAIN_TIE, REBAL_EXPLAIN_PEER},
     8},
};

static void put_cell(struct output *cell, const struct world *world, uint32_t column, size_t row) {
  if (!explain_is_number(column)) {
    put(cell, explain_text(world, column, row));
  } else if (explain_integer(world, column, row) != REBAL_ABSENT) {
    put_integer(cell, explain_integer(world, column, row));
  }
}

/* Do both rows belong to the same stage of the same group? */
static int is_together(const struct world *world, uint32_t stage, uint32_t group, size_t row, uint32_t other_stage,
                       uint32_t other_group, size_t other) {
  return explain_integer(world, stage, row) == explain_integer(world, other_stage, other) &&
         strcmp(explain_text(world, group, row), explain_text(world, other_group, other)) == 0;
}

/* Appends an empty line and a line; like a table it escapes control characters, which may be from the files. */
static void write_line(struct output *line, struct output *out) {
  static const char *const headings[] = {""};
  struct table table;
  table_open(&table, headings, 1);
  table_cell_of(&table, line);
  table_write(&table, out);
  table_close(&table);
}

/* "Filter, affinity group primary: 2 Feasible, 1 Rejected", from the rows of EXPLAIN_COUNT. */
static void write_heading(const struct world *world, size_t row, struct output *line, struct output *out) {
  const char *group = explain_text(world, REBAL_EXPLAIN_AFFINITY_NAME, row);
  const size_t n = rebal_result_count(world->result, REBAL_TABLE_EXPLAIN_COUNT);
  const char *before = ": ";
  put(line, explain_text(world, REBAL_EXPLAIN_STAGE, row));
  put(line, group[0] != '\0' ? ", affinity group " : "");
  put(line, group);
  for (size_t i = 0; i < n; i++) {
    const int64_t clusters = explain_integer(world, REBAL_EXPLAIN_COUNT_CLUSTERS, i);
    if (clusters > 0 && is_together(world, REBAL_EXPLAIN_STAGE, REBAL_EXPLAIN_AFFINITY_NAME, row,
                                    REBAL_EXPLAIN_COUNT_STAGE, REBAL_EXPLAIN_COUNT_AFFINITY_NAME, i)) {
      put(line, before);
      put_integer(line, clusters);
      put(line, " ");
      put(line, explain_text(world, REBAL_EXPLAIN_COUNT_VERDICT, i));
      before = ", ";
    }
  }
  write_line(line, out);
}

static int is_refusal(const struct world *world, size_t row) {
  return explain_integer(world, REBAL_EXPLAIN_VERDICT, row) == REBAL_WHY_REFUSED;
}

/* The number of columns of a section: without the last two, those of ties, if it has no tie. */
static size_t count_columns(const struct world *world, const struct section *section, size_t first, size_t end) {
  size_t row = first;

  if (section->columns[section->n - 1] != REBAL_EXPLAIN_PEER) {
    return section->n;
  }
  while (row < end && (!explain_is_shown(world, row) || explain_integer(world, REBAL_EXPLAIN_TIE, row) < 0)) {
    row++;
  }
  return row < end ? section->n : section->n - 2;
}

/* Rows [first, end) are of one stage of one group. A refusal, which is last, is a line. */
static void write_section(const struct world *world, size_t first, size_t end, struct output *cell,
                          struct output *out) {
  const struct section *section = sections;
  struct table table;
  size_t n;
  while (section->stage != explain_integer(world, REBAL_EXPLAIN_STAGE, first)) {
    section++;
  }
  n = count_columns(world, section, first, end);
  write_heading(world, first, cell, out);
  table_open(&table, section->headings, n);
  for (size_t row = first; row < end && !is_refusal(world, row); row++) {
    for (size_t i = 0; i < n && explain_is_shown(world, row); i++) {
      put_cell(cell, world, section->columns[i], row);
      table_cell_of(&table, cell);
    }
  }
  if (table.n > 0) {
    table_write(&table, out);
  }
  table_close(&table);
  if (is_refusal(world, end - 1)) {
    put(cell, "Refused: ");
    put(cell, explain_text(world, REBAL_EXPLAIN_FOUND, end - 1));
    write_line(cell, out);
  }
}

static void write_sections(const struct world *world, struct output *cell, struct output *out) {
  const size_t n = rebal_result_count(world->result, REBAL_TABLE_EXPLAIN);
  for (size_t first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && is_together(world, REBAL_EXPLAIN_STAGE, REBAL_EXPLAIN_AFFINITY_NAME, first,
                                                 REBAL_EXPLAIN_STAGE, REBAL_EXPLAIN_AFFINITY_NAME, end);
         end++) {
    }
    write_section(world, first, end, cell, out);
  }
}

/* Appends that the binding is not due, or why the scheduler skips it. */
static void write_not_due(const struct decision *due, struct output *line, struct output *out) {
  if (due->outcome == REBAL_OUTCOME_UNCHANGED || due->outcome == REBAL_OUTCOME_SKIPPED) {
    put(line, "Not due: the scheduler does not change the binding; this is what it would do if it were due.");
    write_line(line, out);
  }
}

static enum status write_table(const struct world *world, const struct decision *due, const struct decision *decision,
                               struct output *out) {
  struct output cell;
  enum status status = decisions_write(world, decision, 1, out);
  if (status == STATUS_DONE) {
    status = output_open(&cell);
  }
  if (status != STATUS_DONE) {
    return status;
  }
  write_not_due(due, &cell, out);
  status = explain_put_policy(world, decision->object, &cell);
  if (status == STATUS_DONE && rebal_text_bytes(cell.text, NULL)[0] != '\0') {
    write_line(&cell, out);
  }
  write_sections(world, &cell, out);
  output_close(&cell);
  return status;
}

/* ---- the verb ---- */

/* Triggers the binding like a WorkloadRebalancer that names the workload now. */
static enum status trigger(const struct world *world, uint32_t object) {
  rebal_error err = REBAL_ERROR_INIT;
  char now[64], patch[128];
  size_t len;
  if (rebal_time_format(&world->options->now, now, sizeof now, &len, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  (void)snprintf(patch, sizeof patch, "{\"spec\":{\"rescheduleTriggeredAt\":\"%s\"}}", now);
  if (rebal_store_patch(world->store, object, patch, strlen(patch), &world->options->now, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  return STATUS_DONE;
}

/* Finds the binding of the command line among all bindings. */
static enum status find_among_all(const struct world *world, uint32_t *object) {
  struct binding_names *names = NULL;
  uint32_t *objects = NULL;
  size_t n = 0, row = 0;
  enum status status = world_derive(world, NULL, 0);
  if (status == STATUS_DONE) {
    status = world_bindings(world, &objects, &n);
  }
  if (status == STATUS_DONE) {
    status = names_open(world, objects, n, &names);
  }
  if (status == STATUS_DONE) {
    status = named_binding(names, world->options->object, REBAL_NONE, &row);
  }
  if (status == STATUS_DONE) {
    *object = objects[row];
  }
  names_close(names);
  free(objects);
  return status;
}

/* Other bindings are made only if they are read, or to list candidates for an ambiguous name. */
static enum status find_object(const struct world *world, uint32_t *object) {
  enum status status = STATUS_DONE;
  *object = REBAL_NONE;
  if (!are_others_read(world->options)) {
    status = derive_meant(world, world->options->object, object);
  }
  return status == STATUS_DONE && *object == REBAL_NONE ? find_among_all(world, object) : status;
}

/* Checks that the files contain the cluster of --cluster. */
static enum status check_cluster(const struct world *world) {
  const char *cluster = world->options->cluster;
  if (cluster == NULL || rebal_store_find(world->store, "Cluster", 7, "", 0, cluster, strlen(cluster)) != REBAL_NONE) {
    return STATUS_DONE;
  }
  complain("rebalancectl: --cluster %s: the files contain no Cluster of this name", cluster);
  return STATUS_INPUT;
}

static enum status explain(struct world *world, struct output *out) {
  const struct options *options = world->options;
  struct decision *decision = NULL, *due = NULL;
  uint32_t object;
  enum status status = find_object(world, &object);
  status = status == STATUS_DONE ? check_cluster(world) : status;
  if (status == STATUS_DONE && options->is_fresh) {
    status = trigger(world, object);
  }
  if (status == STATUS_DONE) {
    status = decide(world, &object, 1, 0, 0, &due);
  }
  if (status == STATUS_DONE) {
    world->explain_rows = UINT64_MAX;
    status = decide(world, &object, 1, 1, 0, &decision);
  }
  if (status == STATUS_DONE) {
    status = report_left(world);
  }
  if (status == STATUS_DONE) {
    status = report_uninterpreted(world);
  }
  if (status == STATUS_DONE) {
    status = options->format == FORMAT_TABLE ? write_table(world, due, decision, out)
                                             : explain_report(world, due, decision, out);
  }
  if (status == STATUS_DONE && is_refused(decision)) {
    status = STATUS_CANNOT;
  }
  decisions_free(due, 1);
  decisions_free(decision, 1);
  return status;
}

enum status explain_run(const struct options *options, struct output *out) {
  struct world world;
  enum status status = world_load(&world, options);
  if (status == STATUS_DONE) {
    status = explain(&world, out);
  }
  world_close(&world);
  return status;
}
