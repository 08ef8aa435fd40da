/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

#define FIRST_TABLE REBAL_TABLE_BINDING
#define MAX_ROWS (UINT32_MAX - 1u) /* REBAL_NONE is no row */

/* Columns that hold cluster ids. */
static const uint32_t cluster_columns[] = {REBAL_TARGET_CLUSTER, REBAL_TASK_FROM_CLUSTER, REBAL_STATUS_ITEM_CLUSTER,
                                           REBAL_UNHEALTHY_CLUSTER, REBAL_HISTORY_CLUSTER};

/* Index of a table; REBALI_BINDING_TABLES when it is none of bindings. */
static size_t index_of(uint32_t table) {
  return table >= FIRST_TABLE && table - FIRST_TABLE < REBALI_BINDING_TABLES ? table - FIRST_TABLE
                                                                             : REBALI_BINDING_TABLES;
}

int32_t rebal_bindings_new(const rebal_fleet *fleet, const rebal_allocator *allocator, rebal_bindings **out,
                           rebal_error *err) {
  rebal_allocator memory;
  rebal_bindings *bindings;
  int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (fleet == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", fleet == NULL ? "fleet" : "out");
  }
  bindings = rebali_allocate_zero(&memory, 1, sizeof *bindings);
  if (bindings == NULL) {
    return rebali_fail_memory(err);
  }
  rebali_row_set_open(&bindings->set, fleet, &memory, "bindings", FIRST_TABLE, bindings->tables, REBALI_BINDING_TABLES);
  *out = bindings;
  return REBAL_OK;
}

static void drop_children(rebal_bindings *bindings) {
  size_t i;

  for (i = 0; i < REBALI_BINDING_TABLES; i++) {
    rebali_release(&bindings->set.allocator, bindings->first_child[i]);
    rebali_release(&bindings->set.allocator, bindings->children[i]);
    bindings->first_child[i] = NULL;
    bindings->children[i] = NULL;
  }
}

void rebal_bindings_reset(rebal_bindings *bindings) {
  if (bindings == NULL) {
    return;
  }
  drop_children(bindings);
  rebali_row_set_reset(&bindings->set);
  bindings->needed_rows = 0;
  bindings->frozen = 0;
}

void rebal_bindings_free(rebal_bindings *bindings) {
  rebal_allocator allocator;
  size_t i;

  if (bindings == NULL) {
    return;
  }
  allocator = bindings->set.allocator;
  drop_children(bindings);
  for (i = 0; i < REBALI_BINDING_TABLES; i++) {
    rebali_release(&allocator, bindings->parents[i]);
  }
  rebali_row_set_dispose(&bindings->set);
  rebali_release(&allocator, bindings);
}

int32_t rebali_bindings_open(const rebal_bindings *bindings, rebal_error *err) {
  if (bindings == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "bindings is NULL");
  }
  return bindings->frozen ? rebali_fail(err, REBAL_ESTATE, -1, "the bindings are frozen") : REBAL_OK;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

int32_t rebal_bindings_put_i64(rebal_bindings *bindings, uint32_t column, const uint32_t *rows, const int64_t *values,
                               size_t n, rebal_error *err) {
  const int32_t code = rebali_bindings_open(bindings, err);

  return code == REBAL_OK ? rebali_row_set_put_i64(&bindings->set, column, rows, values, n, err) : code;
}

int32_t rebal_bindings_set_i64(rebal_bindings *bindings, uint32_t column, uint32_t row, int64_t value,
                               rebal_error *err) {
  return rebal_bindings_put_i64(bindings, column, &row, &value, 1, err);
}

int32_t rebal_bindings_put_text(rebal_bindings *bindings, uint32_t column, const uint32_t *rows, const char *bytes,
                                const uint32_t *offsets, size_t n, rebal_error *err) {
  const int32_t code = rebali_bindings_open(bindings, err);

  return code == REBAL_OK ? rebali_row_set_put_text(&bindings->set, column, rows, bytes, offsets, n, err) : code;
}

int32_t rebal_bindings_set_text(rebal_bindings *bindings, uint32_t column, uint32_t row, const char *text, size_t len,
                                rebal_error *err) {
  const int32_t code = rebali_bindings_open(bindings, err);

  return code == REBAL_OK ? rebali_row_set_set_text(&bindings->set, column, row, text, len, err) : code;
}

int32_t rebal_bindings_put_time(rebal_bindings *bindings, uint32_t column, const uint32_t *rows,
                                const rebal_time *values, size_t n, rebal_error *err) {
  const int32_t code = rebali_bindings_open(bindings, err);

  return code == REBAL_OK ? rebali_row_set_put_time(&bindings->set, column, rows, values, n, err) : code;
}

int32_t rebal_bindings_set_time(rebal_bindings *bindings, uint32_t column, uint32_t row, const rebal_time *value,
                                rebal_error *err) {
  return rebal_bindings_put_time(bindings, column, &row, value, 1, err);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static int32_t check_parents(const rebal_bindings *bindings, const uint32_t *parents, size_t n, rebal_error *err) {
  size_t i;

  if (parents == NULL && n != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the array of parents is NULL");
  }
  for (i = 0; i < n; i++) {
    if (parents[i] >= bindings->tables[0].rows) {
      return rebali_fail(err, REBAL_ENOTFOUND, (int64_t)i, "no binding has the row %lu", (unsigned long)parents[i]);
    }
  }
  return REBAL_OK;
}

static int32_t check_rows(rebal_bindings *bindings, uint32_t table, const uint32_t *parents, size_t n,
                          rebal_error *err) {
  const struct rebali_table *rows = rebali_row_set_table(&bindings->set, table);

  if (rows == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "bindings have no table %lu", (unsigned long)table);
  }
  if (n > MAX_ROWS - rows->rows) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "more than 2^32 - 2 rows in a table");
  }
  return table == FIRST_TABLE ? REBAL_OK : check_parents(bindings, parents, n, err);
}

int32_t rebal_bindings_add_rows(rebal_bindings *bindings, uint32_t table, const uint32_t *parents, size_t n,
                                uint32_t *first, rebal_error *err) {
  const size_t index = index_of(table);
  struct rebali_table *rows;
  size_t added = 0;
  int32_t code = rebali_bindings_open(bindings, err);

  if (code == REBAL_OK && first == NULL) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "the number of the row is NULL");
  }
  if (code == REBAL_OK) {
    code = check_rows(bindings, table, parents, n, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  rows = &bindings->tables[index];
  if ((index != 0 && rebali_reserve(&bindings->set.allocator, &bindings->parents[index],
                                    &bindings->room_for_parents[index], rows->rows + n, sizeof *parents) != REBAL_OK) ||
      rebali_table_add(rows, n, &added) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  if (index != 0 && n != 0) {
    memcpy(bindings->parents[index] + added, parents, n * sizeof *parents);
  }
  *first = (uint32_t)added;
  return REBAL_OK;
}

int32_t rebal_bindings_add(rebal_bindings *bindings, uint32_t table, uint32_t parent, uint32_t *row, rebal_error *err) {
  return rebal_bindings_add_rows(bindings, table, &parent, 1, row, err);
}

size_t rebal_bindings_count(const rebal_bindings *bindings, uint32_t table) {
  const size_t index = index_of(table);

  return bindings == NULL || index == REBALI_BINDING_TABLES ? 0 : bindings->tables[index].rows;
}

/* Rows of a child table by parent, in the order they were added: a counting sort. */
static int32_t list_children(rebal_bindings *bindings, size_t index) {
  const size_t n_parents = bindings->tables[0].rows;
  const size_t n = bindings->tables[index].rows;
  const uint32_t *parents = bindings->parents[index];
  uint32_t *first;
  uint32_t row;
  size_t i;

  if (n == 0) {
    return REBAL_OK;
  }
  /* Two more: while rows are placed, first[p + 1] is where the next child of p goes. */
  first = rebali_allocate_zero(&bindings->set.allocator, n_parents + 2, sizeof *first);
  bindings->first_child[index] = first;
  bindings->children[index] = rebali_allocate(&bindings->set.allocator, n, sizeof *first);
  if (first == NULL || bindings->children[index] == NULL) {
    return REBAL_ENOMEM;
  }
  for (i = 0; i < n; i++) {
    first[parents[i] + 2]++;
  }
  for (i = 2; i < n_parents + 2; i++) {
    first[i] += first[i - 1];
  }
  for (row = 0; row < n; row++) {
    bindings->children[index][first[parents[row] + 1]++] = row;
  }
  return REBAL_OK;
}

static uint32_t count_needed_rows(const rebal_bindings *bindings) {
  uint32_t needed = 0;
  size_t i;
  size_t row;

  for (i = 0; i < REBALI_COUNT(cluster_columns); i++) {
    const struct rebali_table *table = &bindings->tables[index_of(cluster_columns[i] / 256u)];

    for (row = 0; row < table->rows; row++) {
      const int64_t cluster = rebali_table_i64(table, cluster_columns[i], row);

      if (cluster != (int64_t)REBAL_NONE && cluster >= (int64_t)needed) {
        needed = (uint32_t)cluster + 1;
      }
    }
  }
  return needed;
}

int32_t rebal_bindings_freeze(rebal_bindings *bindings, rebal_error *err) {
  int32_t code = rebali_bindings_open(bindings, err);
  size_t i;

  if (code != REBAL_OK) {
    return code;
  }
  for (i = 1; i < REBALI_BINDING_TABLES && code == REBAL_OK; i++) {
    code = list_children(bindings, i);
  }
  if (code != REBAL_OK) {
    drop_children(bindings);
    return rebali_fail_memory(err);
  }
  bindings->needed_rows = count_needed_rows(bindings);
  bindings->frozen = 1;
  return REBAL_OK;
}

int32_t rebali_bindings_check(const rebal_bindings *bindings, const rebal_snapshot *snapshot, rebal_error *err) {
  if (bindings == NULL || snapshot == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", bindings == NULL ? "bindings" : "snapshot");
  }
  if (!bindings->frozen) {
    return rebali_fail(err, REBAL_ESTATE, -1, "the bindings are not frozen");
  }
  if (bindings->set.store != rebali_snapshot_fleet(snapshot)) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "bindings and snapshot are of different fleets");
  }
  if (bindings->needed_rows > rebal_snapshot_rows(snapshot)) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "the bindings name a cluster that is newer than the snapshot");
  }
  return REBAL_OK;
}

struct rebali_action rebali_bindings_action(const rebal_bindings *bindings, uint32_t row, int64_t kind) {
  struct rebali_action action = {.kind = kind, .row = row};

  action.api_version = REBALI_TEXT("work.karmada.io/v1alpha2");
  action.object_kind = rebali_bindings_i64(bindings, REBAL_BINDING_CLUSTER_SCOPED, row)
                           ? REBALI_TEXT("ClusterResourceBinding")
                           : REBALI_TEXT("ResourceBinding");
  action.namespace_ = rebali_bindings_text(bindings, REBAL_BINDING_NAMESPACE, row);
  action.name = rebali_bindings_text(bindings, REBAL_BINDING_NAME, row);
  return action;
}

struct rebali_action rebali_bindings_resource_action(const rebal_bindings *bindings, uint32_t row, int64_t kind) {
  struct rebali_action action = {.kind = kind, .row = row};

  action.api_version = rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_API_VERSION, row);
  action.object_kind = rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_KIND, row);
  action.namespace_ = rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_NAMESPACE, row);
  action.name = rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_NAME, row);
  action.uid = rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_UID, row);
  return action;
}
