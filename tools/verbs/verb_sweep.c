/* SPDX-License-Identifier: MIT */
/* rebalancectl sweep: what would happen if each cluster, zone, region or provider was lost. */
#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE 256 /* losses per call: each call also decides everything once without a loss */

/* ---- the losses ---- */

/* The names of the clusters of a set. */
static char *set_name(const struct sweep *sweep, size_t set) {
  struct output name;
  char *copy = NULL;
  if (output_open(&name) == STATUS_DONE) {
    for (size_t i = sweep->sets.offsets[set]; i < sweep->sets.offsets[set + 1]; i++) {
      put(&name, i > sweep->sets.offsets[set] ? " " : "");
      put(&name, cluster_name(sweep->world, sweep->sets.clusters[i]));
    }
    copy = name.failed ? NULL : strdup(rebal_text_bytes(name.text, NULL));
  }
  output_close(&name);
  return copy;
}

static int read_loss(struct sweep *sweep, size_t row, struct loss *loss) {
  const struct world *world = sweep->world;
  loss->kind = result_integer(world, REBAL_SWEPT_KIND, row);
  loss->clusters = result_integer(world, REBAL_SWEPT_CLUSTERS, row);
  loss->unplaced = result_integer(world, REBAL_SWEPT_UNPLACED, row);
  loss->missing = result_integer(world, REBAL_SWEPT_MISSING, row);
  loss->moved = result_integer(world, REBAL_SWEPT_MOVED, row);
  loss->full = result_integer(world, REBAL_SWEPT_FULL, row);
  loss->decided = result_integer(world, REBAL_SWEPT_DECIDED, row);
  loss->fullest = id_of(result_integer(world, REBAL_SWEPT_FULLEST, row));
  loss->resource = strdup(rebal_result_text(world->result, REBAL_SWEPT_RESOURCE, row, NULL));
  loss->name = loss->kind == REBAL_LOSS_SET ? set_name(sweep, (size_t)result_integer(world, REBAL_SWEPT_SET, row))
                                            : strdup(rebal_result_text(world->result, REBAL_SWEPT_NAME, row, NULL));
  return loss->name != NULL && loss->resource != NULL;
}

static enum status lose_some(struct sweep *sweep, rebal_sweep_opts *opts, uint64_t n) {
  const struct world *world = sweep->world;
  rebal_error err = REBAL_ERROR_INIT;
  opts->first_loss = sweep->n;
  opts->max_work = n - sweep->n < SLICE ? n - sweep->n : SLICE;
  progress("losing %zu of %llu", sweep->n, (unsigned long long)n);
  if (rebal_sweep(world->ctx, world->snapshot, world->chosen, opts, world->result, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  for (size_t row = 0; row < rebal_result_count(world->result, REBAL_TABLE_SWEPT); row++) {
    if (!read_loss(sweep, row, &sweep->losses[sweep->n++])) {
      return complain_of_memory();
    }
  }
  return STATUS_DONE;
}

static enum status lose_all(struct sweep *sweep, rebal_ledger *ledger) {
  const struct world *world = sweep->world;
  const rebal_schedule_opts schedule = {.struct_size = sizeof schedule,
                                        .flags = world->members.n > 0 ? REBAL_SCHEDULE_FLAG_NODES : 0,
                                        .compat = world->options->compat,
                                        .ledger = ledger,
                                        .known = world->known};
  const uint32_t kinds = world->options->losses == 0 ? (uint32_t)1 << REBAL_LOSS_CLUSTER : world->options->losses;
  rebal_sweep_opts opts = {.struct_size = sizeof opts,
                           .schedule = &schedule,
                           .set_clusters = sweep->sets.clusters,
                           .set_offsets = sweep->sets.offsets,
                           .n_sets = sweep->sets.n,
                           .kinds = kinds | (uint32_t)1 << REBAL_LOSS_NOTHING};
  rebal_error err = REBAL_ERROR_INIT;
  enum status status = STATUS_DONE;
  uint64_t n;
  if (rebal_sweep_count(world->ctx, world->snapshot, &opts, &n, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  sweep->losses = calloc((size_t)n + 1, sizeof *sweep->losses);
  if (sweep->losses == NULL) {
    return complain_of_memory();
  }
  while (status == STATUS_DONE && sweep->n < n) {
    status = lose_some(sweep, &opts, n);
  }
  return status;
}

static enum status lose(struct sweep *sweep) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_ledger *ledger = NULL;
  enum status status;
  if (sweep->world->options->has_ledger && rebal_ledger_new(sweep->world->fleet, NULL, &ledger, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  status = lose_all(sweep, ledger);
  rebal_ledger_free(ledger);
  return status;
}

/* ---- output ---- */

void sweep_put_percent(struct output *out, int64_t permille) {
  put_integer(out, permille / 10);
  put(out, ".");
  put_integer(out, permille % 10);
  put(out, "%");
}

static enum status write_table(const struct sweep *sweep, struct output *out) {
  static const char *const headings[] = {"LOST",  "NAME",    "CLUSTERS", "NOT PLACED", "MISSING",
                                         "MOVED", "FULLEST", "FULL",     "RESOURCE"};
  struct table table;
  struct output cell;
  const enum status status = output_open(&cell);
  if (status != STATUS_DONE) {
    return status;
  }
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < sweep->n; i++) {
    const struct loss *loss = &sweep->losses[i];
    const int64_t numbers[] = {loss->clusters, loss->unplaced, loss->missing, loss->moved};
    table_cell(&table, enum_text(REBAL_ENUM_LOSS, loss->kind));
    table_cell(&table, loss->name);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
      put_integer(&cell, numbers[k]);
      table_cell_of(&table, &cell);
    }
    table_cell(&table, loss->fullest == REBAL_NONE ? "" : cluster_name(sweep->world, loss->fullest));
    if (loss->fullest != REBAL_NONE) {
      sweep_put_percent(&cell, loss->full);
    }
    table_cell_of(&table, &cell);
    table_cell(&table, loss->resource);
  }
  table_write(&table, out);
  table_close(&table);
  output_close(&cell);
  return STATUS_DONE;
}

static void begin_report(struct report *report, const void *user, int is_first) {
  const struct sweep *sweep = user;
  (void)is_first;
  report_map(report, NULL);
  report_integer(report, "bindings", (int64_t)sweep->n_bindings);
  report_list(report, "losses");
}

static enum status write_loss(struct report *report, const void *user, size_t i) {
  const struct sweep *sweep = user;
  const struct loss *loss = &sweep->losses[i];
  report_map(report, NULL);
  report_text(report, "lost", enum_text(REBAL_ENUM_LOSS, loss->kind));
  report_text(report, "name", loss->name);
  report_integer(report, "clusters", loss->clusters);
  report_integer(report, "notPlaced", loss->unplaced);
  report_integer(report, "missing", loss->missing);
  report_integer(report, "moved", loss->moved);
  if (loss->fullest != REBAL_NONE) {
    report_text(report, "fullest", cluster_name(sweep->world, loss->fullest));
    report_integer(report, "permille", loss->full);
    report_text(report, "resource", loss->resource);
  }
  report_integer(report, "decided", loss->decided);
  report_map_end(report);
  return STATUS_DONE;
}

static enum status append_page(const void *user, struct output *out) {
  return sweep_write_page(user, out);
}

static enum status write_answer(const struct sweep *sweep, struct output *out) {
  const struct long_report parts = {begin_report, write_loss, sweep, sweep->n};
  const struct options *options = sweep->world->options;
  enum status status =
      options->format == FORMAT_TABLE ? write_table(sweep, out) : report_long(&parts, options->format, out);
  if (status == STATUS_DONE && options->html != NULL) {
    status = html_save(options, append_page, sweep);
  }
  for (size_t i = 0; status == STATUS_DONE && i < sweep->n; i++) {
    status = sweep->losses[i].missing > 0 || sweep->losses[i].unplaced > 0 ? STATUS_CANNOT : status;
  }
  return status;
}

static enum status run(struct sweep *sweep, struct output *out) {
  uint32_t *objects = NULL;
  enum status status = some_bindings(sweep->world, &objects, &sweep->n_bindings);
  if (status == STATUS_DONE) {
    status = world_feed(sweep->world, objects, sweep->n_bindings);
  }
  if (status == STATUS_DONE) {
    status = cluster_sets_read(sweep->world, &sweep->sets);
  }
  if (status == STATUS_DONE) {
    status = lose(sweep);
  }
  free(objects);
  return status == STATUS_DONE ? write_answer(sweep, out) : status;
}

enum status sweep_run(const struct options *options, struct output *out) {
  struct world world;
  struct sweep sweep = {.world = &world};
  enum status status = world_open(&world, options);
  if (status == STATUS_DONE) {
    status = run(&sweep, out);
  }
  for (size_t i = 0; i < sweep.n; i++) {
    free(sweep.losses[i].name);
    free(sweep.losses[i].resource);
  }
  free(sweep.losses);
  cluster_sets_free(&sweep.sets);
  world_close(&world);
  return status;
}
