/* SPDX-License-Identifier: MIT */
/* Warnings of the steps of controllers: replicas removed because the reference does so (table WARNING). */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

static int reserve(struct warnings *warnings, size_t more) {
  struct warning *items = realloc(warnings->items, (warnings->n + more) * sizeof *items);
  if (items == NULL) {
    return 0;
  }
  warnings->items = items;
  return 1;
}

enum status warnings_note(const struct world *world, const uint32_t *objects, const char *controller,
                          struct warnings *warnings) {
  const size_t n = rebal_result_count(world->result, REBAL_TABLE_WARNING);
  if (n > 0 && !reserve(warnings, n)) {
    return complain_of_memory();
  }
  for (size_t i = 0; i < n; i++) {
    struct warning *warning = &warnings->items[warnings->n];
    const size_t row = (size_t)result_integer(world, REBAL_WARNING_BINDING, i);
    const uint32_t cluster = id_of(result_integer(world, REBAL_WARNING_CLUSTER, i));
    *warning = (struct warning){.object = objects[row],
                                .row = row,
                                .order = warnings->n++,
                                .cluster = strdup(cluster_name(world, cluster)),
                                .controller = controller,
                                .name = strdup(rebal_result_text(world->result, REBAL_WARNING_ROW_NAME, i, NULL)),
                                .replicas = result_integer(world, REBAL_WARNING_REPLICAS, i)};
    if (warning->cluster == NULL || warning->name == NULL) {
      return complain_of_memory();
    }
  }
  return STATUS_DONE;
}

/* By binding; those of one binding in the order in which they were added. */
static int compare_warnings(const void *left, const void *right) {
  const struct warning *const a = left, *const b = right;
  return a->row != b->row ? (a->row < b->row ? -1 : 1) : a->order < b->order ? -1 : 1;
}

void warnings_sort(struct warnings *warnings) {
  if (warnings->n > 0) {
    qsort(warnings->items, warnings->n, sizeof *warnings->items, compare_warnings);
  }
}

void warnings_free(struct warnings *warnings) {
  for (size_t i = 0; i < warnings->n; i++) {
    free(warnings->items[i].cluster);
    free(warnings->items[i].name);
  }
  free(warnings->items);
}

/* A workload without replicas has no number. */
static int is_counted(const struct warning *warning) {
  return warning->replicas > 0;
}

enum status warnings_write(const struct world *world, const struct warnings *warnings, struct output *out) {
  static const char *const headings[] = {"BINDING", "CLUSTER", "CONTROLLER", "WARNING", "REPLICAS"};
  struct table table;
  struct output cell;
  const enum status status = warnings->n > 0 ? output_open(&cell) : STATUS_DONE;
  if (warnings->n == 0 || status != STATUS_DONE) {
    return status;
  }
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < warnings->n; i++) {
    const struct warning *warning = &warnings->items[i];
    put_object(&cell, world, warning->object);
    table_cell_of(&table, &cell);
    table_cell(&table, warning->cluster);
    table_cell(&table, warning->controller);
    table_cell(&table, warning->name);
    if (is_counted(warning)) {
      put_integer(&cell, warning->replicas);
    }
    table_cell_of(&table, &cell);
  }
  put(out, "\n");
  table_write(&table, out);
  table_close(&table);
  output_close(&cell);
  return STATUS_DONE;
}

void report_warnings(struct report *report, const struct world *world, const struct warnings *warnings) {
  report_list(report, "warnings");
  for (size_t i = 0; i < warnings->n; i++) {
    const struct warning *warning = &warnings->items[i];
    report_map(report, NULL);
    report_binding(report, world, warning->object);
    report_text(report, "cluster", warning->cluster);
    report_text(report, "controller", warning->controller);
    report_text(report, "warning", warning->name);
    if (is_counted(warning)) {
      report_integer(report, "replicas", warning->replicas);
    }
    report_map_end(report);
  }
  report_list_end(report);
}
