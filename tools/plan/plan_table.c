/* SPDX-License-Identifier: MIT */
/* A plan as tables: bindings and their moves, limits, clusters, and the sums. */
#include "plan/plan.h"

static void integer_cell(struct table *table, struct output *cell, int64_t value) {
  if (value != REBAL_ABSENT) {
    put_integer(cell, value);
  }
  table_cell_of(table, cell);
}

/* Appends a table below another one; nothing if it has no rows. */
static void end_table(struct table *table, struct output *out) {
  if (table->n != 0) {
    put(out, "\n");
    table_write(table, out);
  }
  table_close(table);
}

/* ---- bindings ---- */

static void put_binding(const struct planned *planned, size_t i, struct table *table, struct output *cell) {
  put_object(cell, planned->world, planned->objects[i]);
  table_cell_of(table, cell);
  table_cell(table, enum_text(REBAL_ENUM_OUTCOME, plan_cell(planned, REBAL_PLANNED_OUTCOME, i)));
  integer_cell(table, cell, plan_cell(planned, REBAL_PLANNED_DRIFT, i));
}

/* The reason why the scheduler did not place the binding. */
static const char *why_of(const struct planned *planned, size_t i) {
  return rebal_result_text(planned->world->result, REBAL_PLANNED_MESSAGE, i, NULL);
}

/* The replicas that limits withhold, and the first such limit. */
static void put_withheld(const struct planned *planned, size_t i, struct table *table, struct output *cell) {
  const int64_t withheld = plan_cell(planned, REBAL_PLANNED_WITHHELD, i);
  if (withheld > 0) {
    put_integer(cell, withheld);
    put(cell, " by ");
    plan_put_limit(planned, (size_t)plan_cell(planned, REBAL_PLANNED_LIMITED_BY, i), cell);
    if (plan_cell(planned, REBAL_PLANNED_WHOLE, i) != 0) {
      put(cell, ", wholly");
    }
  }
  table_cell_of(table, cell);
}

/* Appends the rows of a binding: one for each cluster that changes, or all with --explain. */
static void put_clusters(const struct planned *planned, size_t i, struct table *table, struct output *cell) {
  const size_t first = (size_t)plan_cell(planned, REBAL_PLANNED_FIRST_CLUSTER, i);
  const size_t end = first + (size_t)plan_cell(planned, REBAL_PLANNED_CLUSTERS, i);
  size_t n = 0;
  for (size_t row = first; row < end; row++) {
    const int64_t present = plan_cell(planned, REBAL_PLANNED_CLUSTER_PRESENT, row);
    const int64_t wanted = plan_cell(planned, REBAL_PLANNED_CLUSTER_WANTED, row);
    const int64_t after = plan_cell(planned, REBAL_PLANNED_CLUSTER_PLANNED, row);
    if (!planned->world->options->plan.is_explained && present == wanted && present == after) {
      continue;
    }
    put_binding(planned, i, table, cell);
    table_cell(table, plan_cluster(planned, REBAL_PLANNED_CLUSTER_CLUSTER, row));
    integer_cell(table, cell, present);
    integer_cell(table, cell, wanted);
    integer_cell(table, cell, after);
    integer_cell(table, cell, plan_cell(planned, REBAL_PLANNED_CLUSTER_READY, row));
    put_withheld(planned, i, table, cell);
    table_cell(table, why_of(planned, i));
    n++;
  }
  if (n == 0) {
    put_binding(planned, i, table, cell);
    for (size_t column = 3; column + 1 < table->columns; column++) {
      table_cell(table, "");
    }
    table_cell(table, why_of(planned, i));
  }
}

static void write_bindings(const struct planned *planned, struct output *out, struct output *cell) {
  static const char *const headings[] = {"BINDING", "RESULT",  "DRIFT", "CLUSTER",  "NOW",
                                         "WANTED",  "PLANNED", "READY", "WITHHELD", "WHY"};
  struct table table;
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < planned->n; i++) {
    if (plan_is_shown(planned, i)) {
      put_clusters(planned, i, &table, cell);
    }
  }
  if (table.n == 0) {
    put(out, "Nothing moves.\n");
  } else {
    table_write(&table, out);
  }
  table_close(&table);
}

/* ---- moves, limits, clusters ---- */

static void write_moves(const struct planned *planned, struct output *out, struct output *cell) {
  static const char *const headings[] = {"BINDING", "FROM", "TO", "REPLICAS"};
  struct table table;
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t row = 0; row < plan_rows(planned, REBAL_TABLE_MOVE); row++) {
    put_object(cell, planned->world, planned->objects[plan_cell(planned, REBAL_MOVE_BINDING, row)]);
    table_cell_of(&table, cell);
    table_cell(&table, plan_cluster(planned, REBAL_MOVE_SOURCE, row));
    table_cell(&table, plan_cluster(planned, REBAL_MOVE_TARGET, row));
    integer_cell(&table, cell, plan_cell(planned, REBAL_MOVE_REPLICAS, row));
  }
  end_table(&table, out);
}

/* Appends a row for each replica that leaves or enters a member. */
static void write_replicas(const struct planned *planned, struct output *out, struct output *cell) {
  static const char *const headings[] = {"BINDING", "CLUSTER", "REPLICA", "POD", "SPREAD", "SUBSET", "WHY"};
  struct table table;
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < planned->n_replicas; i++) {
    const struct member_replica *replica = &planned->replicas[i];
    put_object(cell, planned->world, planned->objects[replica->binding]);
    table_cell_of(&table, cell);
    table_cell(&table, cluster_name(planned->world, replica->cluster));
    table_cell(&table, enum_text(REBAL_ENUM_MEMBER_REPLICA, replica->state));
    table_cell(&table, replica_pod(planned, replica));
    table_cell(&table, replica_spread(planned, replica));
    table_cell(&table, replica_subset(planned, replica));
    table_cell(&table, deletion_reason(replica->rule));
  }
  end_table(&table, out);
}

static void write_limits(const struct planned *planned, struct output *out, struct output *cell) {
  static const char *const headings[] = {"LIMIT", "ALLOWS", "USED", "WITHHELD", "SHADOW"};
  struct table table;
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t row = 0; row < plan_rows(planned, REBAL_TABLE_LIMITED); row++) {
    plan_put_limit(planned, row, cell);
    table_cell_of(&table, cell);
    plan_put_allowed(planned, row, cell);
    table_cell_of(&table, cell);
    integer_cell(&table, cell, plan_cell(planned, REBAL_LIMITED_USED, row));
    integer_cell(&table, cell, plan_cell(planned, REBAL_LIMITED_WITHHELD, row));
    integer_cell(&table, cell, plan_cell(planned, REBAL_LIMITED_SHADOW, row));
  }
  end_table(&table, out);
}

/* Appends the use of the limits per cluster, for clusters where one was used. */
static void write_limit_uses(const struct planned *planned, struct output *out, struct output *cell) {
  static const char *const headings[] = {"LIMIT", "CLUSTER", "USED", "LEFT"};
  struct table table;
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < planned->n_uses; i++) {
    const size_t row = planned->uses[i].row;
    plan_put_limit(planned, planned->uses[i].limit, cell);
    table_cell_of(&table, cell);
    table_cell(&table, rebal_result_text(planned->world->result, REBAL_LIMIT_USE_SUBJECT, row, NULL));
    integer_cell(&table, cell, plan_cell(planned, REBAL_LIMIT_USE_USED, row));
    integer_cell(&table, cell, plan_cell(planned, REBAL_LIMIT_USE_LEFT, row));
  }
  end_table(&table, out);
}

static void write_uses(const struct planned *planned, struct output *out, struct output *cell) {
  static const char *const headings[] = {"CLUSTER", "BEFORE", "AFTER", "OUT", "IN"};
  static const uint32_t columns[] = {REBAL_CLUSTER_USE_BEFORE, REBAL_CLUSTER_USE_AFTER, REBAL_CLUSTER_USE_MOVED_OUT,
                                     REBAL_CLUSTER_USE_MOVED_IN};
  struct table table;
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t row = 0; row < plan_rows(planned, REBAL_TABLE_CLUSTER_USE); row++) {
    table_cell(&table, plan_cluster(planned, REBAL_CLUSTER_USE_CLUSTER, row));
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
      integer_cell(&table, cell, plan_cell(planned, columns[i], row));
    }
  }
  end_table(&table, out);
}

/* ---- waves ---- */

static void write_waves(const struct planned *planned, struct output *out, struct output *cell) {
  static const char *const headings[] = {"WAVE", "BINDING", "CLUSTER", "FROM", "TO"};
  struct table table;
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < planned->waves.n_writes; i++) {
    const struct wave_write *write = &planned->waves.writes[i];
    integer_cell(&table, cell, (int64_t)write->wave + 1);
    put_object(cell, planned->world, planned->objects[write->binding]);
    table_cell_of(&table, cell);
    table_cell(&table, cluster_name(planned->world, write->cluster));
    integer_cell(&table, cell, write->from);
    integer_cell(&table, cell, write->to);
  }
  end_table(&table, out);
}

/* Appends the bindings that do not reach their planned state. */
static void write_ends(const struct planned *planned, struct output *out, struct output *cell) {
  static const char *const headings[] = {"BINDING", "STATE", "REASON", "CLUSTER"};
  struct table table;
  table_open(&table, headings, sizeof headings / sizeof headings[0]);
  for (size_t i = 0; i < planned->waves.n_ends; i++) {
    const struct wave_end *end = &planned->waves.ends[i];
    put_object(cell, planned->world, planned->objects[end->binding]);
    table_cell_of(&table, cell);
    table_cell(&table, enum_text(REBAL_ENUM_WAVE_STATE, end->state));
    table_cell(&table, enum_text(REBAL_ENUM_WAVE_REASON, end->reason));
    table_cell(&table, end->cluster == REBAL_NONE ? "" : cluster_name(planned->world, end->cluster));
  }
  end_table(&table, out);
}

/* ---- the table ---- */

static void put_count(struct output *out, const char *what, int64_t n) {
  put(out, what);
  put_integer(out, n);
  put(out, ".");
}

static void write_sums(const struct planned *planned, struct output *out) {
  put(out, "\n");
  put_count(out, "Replicas not where they are wanted: ", plan_sum(planned, REBAL_PLANNED_DRIFT));
  put_count(out, " Moved: ", plan_sum(planned, REBAL_PLANNED_GRANTED));
  put_count(out, " Withheld by limits: ", plan_sum(planned, REBAL_PLANNED_WITHHELD));
  put(out, "\n");
  if (planned->world->options->plan.has_waves) {
    put_count(out, "Waves: ", (int64_t)planned->waves.n);
    put(out, " Each is sent once the replicas of the one before are ready.\n");
  }
  if (!planned->world->options->plan.is_verified) {
    return;
  }
  put(out, "Verified: the placement ");
  if (planned->gap == 0) {
    put(out, "respects all bounds and capacities, and none moves fewer replicas.\n");
  } else {
    put_count(out, "respects all bounds and capacities; upper bound for fewer moved replicas: ", planned->gap);
    put(out, "\n");
  }
}

enum status plan_write_table(const struct planned *planned, struct output *out) {
  struct output cell;
  const enum status status = output_open(&cell);
  if (status != STATUS_DONE) {
    return status;
  }
  write_bindings(planned, out, &cell);
  write_moves(planned, out, &cell);
  write_replicas(planned, out, &cell);
  write_limits(planned, out, &cell);
  write_limit_uses(planned, out, &cell);
  write_uses(planned, out, &cell);
  write_waves(planned, out, &cell);
  write_ends(planned, out, &cell);
  write_sums(planned, out);
  output_close(&cell);
  return STATUS_DONE;
}
