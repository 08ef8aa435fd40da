/* SPDX-License-Identifier: MIT */
/* A story of a WorkloadSpread as tables, step by step. */
#include "spread/spread.h"

#include <string.h>

void put_spread(struct output *out, const struct world *world, uint32_t object) {
  put_object(out, world, object);
  if (story_text(world, object, "spec.targetRef.kind")[0] != '\0') {
    put(out, " of ");
    put(out, story_text(world, object, "spec.targetRef.kind"));
    put(out, " ");
    put(out, story_text(world, object, "spec.targetRef.name"));
  }
}

/* A number that may be absent. */
static void number_cell(struct table *table, struct output *cell, int64_t value) {
  if (value != REBAL_ABSENT) {
    put_integer(cell, value);
  }
  table_cell_of(table, cell);
}

/* A number of replicas; -1: unlimited. */
static void limit_cell(struct table *table, struct output *cell, int64_t value) {
  if (value == -1) {
    table_cell(table, "unlimited");
  } else {
    number_cell(table, cell, value);
  }
}

static void write_admitted(const struct step *step, struct output *cell, struct output *out) {
  static const char *const headings[] = {"POD", "OPERATION", "OUTCOME", "SUBSET", "WHY", "PATCH"};
  struct table table;
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < step->n_admitted; i++) {
    const struct admitted *row = &step->admitted[i];
    table_cell(&table, row->name);
    table_cell(&table, row->operation);
    table_cell(&table, row->outcome);
    table_cell(&table, row->subset);
    put(cell, row->passed_over);
    put(cell, row->passed_over[0] != '\0' && row->message[0] != '\0' ? " " : "");
    put(cell, row->message);
    put(cell, row->first);
    table_cell_of(&table, cell);
    table_cell(&table, row->patch);
  }
  table_write(&table, out);
  table_close(&table);
}

static void write_pods(const struct step *step, struct output *cell, struct output *out) {
  static const char *const headings[] = {"POD", "VERSION", "SUBSET", "BY", "COST", "WHY", "STUCK", "PATCH"};
  struct table table;
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < step->n_pods; i++) {
    const struct grouped *row = &step->pods[i];
    table_cell(&table, row->name);
    table_cell(&table, row->version);
    table_cell(&table, row->subset);
    table_cell(&table, row->by);
    number_cell(&table, cell, row->cost);
    table_cell(&table, row->why);
    table_cell(&table, row->is_stuck ? "yes" : "");
    table_cell(&table, row->patch);
  }
  table_write(&table, out);
  table_close(&table);
}

static const char *schedulable(int64_t value) {
  return value == REBAL_ABSENT ? "" : value != 0 ? "True" : "False";
}

static void write_subsets(const struct step *step, struct output *cell, struct output *out) {
  static const char *const headings[] = {"SUBSET",   "VERSION",  "WANTED",      "ACTIVE", "MISSING",
                                         "CREATING", "DELETING", "SCHEDULABLE", "STUCK"};
  struct table table;
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < step->n_subsets; i++) {
    const struct counted *row = &step->subsets[i];
    table_cell(&table, row->name);
    table_cell(&table, row->version != NULL ? row->version : "all");
    limit_cell(&table, cell, row->wanted);
    number_cell(&table, cell, row->active);
    limit_cell(&table, cell, row->missing);
    number_cell(&table, cell, row->creating);
    number_cell(&table, cell, row->deleting);
    table_cell(&table, schedulable(row->schedulable));
    number_cell(&table, cell, row->stuck);
  }
  table_write(&table, out);
  table_close(&table);
}

/* How a pass ended: "Done. Next pass: 2026-03-14T09:00:30Z". */
static void write_end(const struct step *step, struct output *out) {
  char again[TIME_CAPACITY];
  put(out, step->result);
  put(out, step->reason[0] != '\0' ? " (" : "");
  put(out, step->reason);
  put(out, step->reason[0] != '\0' ? ")" : "");
  put(out, step->message[0] != '\0' ? ": " : "");
  put_escaped(out, step->message);
  put(out, step->again.is_set ? ". Next pass: " : ". Next pass: when something changes");
  put(out, time_text(&step->again, again));
  put(out, "\n");
}

static void write_happened(const struct step *step, struct output *out) {
  static const char *const headings[] = {"CONTROLLER", "OBJECT", "CHANGE", "WHY"};
  struct table table;
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < step->n_happened; i++) {
    const struct happened *row = &step->happened[i];
    table_cell(&table, row->controller);
    table_cell(&table, row->object);
    table_cell(&table, row->change);
    table_cell(&table, row->reason);
  }
  table_write(&table, out);
  table_close(&table);
  put(out, "\n");
}

static void write_cautions(const struct step *step, struct output *out) {
  for (size_t i = 0; i < step->n_cautions; i++) {
    put(out, "Warning: ");
    put(out, step->cautions[i].name);
    put(out, ", ");
    put_integer(out, step->cautions[i].replicas);
    put(out, " replicas; see rebalance-compat(7)\n");
  }
}

static void write_step(const struct story *story, const struct step *step, struct output *cell, struct output *out) {
  put_spread(cell, story->world, step->object);
  put(cell, ": ");
  put(cell, step->title);
  put_escaped(out, rebal_text_bytes(cell->text, NULL));
  rebal_text_reset(cell->text);
  put(out, "\n");
  if (step->n_happened > 0) {
    write_happened(step, out);
  }
  if (step->n_admitted > 0) {
    write_admitted(step, cell, out);
  }
  if (step->n_pods > 0) {
    write_pods(step, cell, out);
    put(out, "\n");
  }
  if (step->n_subsets > 0) {
    write_subsets(step, cell, out);
  }
  if (step->result != NULL) {
    write_end(step, out);
  }
  write_cautions(step, out);
}

enum status spread_table(const struct story *story, struct output *out) {
  struct output cell;
  const enum status status = output_open(&cell);
  if (status != STATUS_DONE) {
    return status;
  }
  for (size_t i = 0; i < story->n; i++) {
    put(out, i > 0 ? "\n" : "");
    write_step(story, &story->steps[i], &cell, out);
  }
  out->failed |= cell.failed;
  output_close(&cell);
  return STATUS_DONE;
}
