/* SPDX-License-Identifier: MIT */
#include "fleet/nodes.h"

#define FIRST_TABLE REBAL_TABLE_BINDING

/* Columns that hold cluster ids. */
static const uint32_t cluster_columns[] = {REBAL_TARGET_CLUSTER, REBAL_TASK_FROM_CLUSTER, REBAL_STATUS_ITEM_CLUSTER,
                                           REBAL_UNHEALTHY_CLUSTER, REBAL_HISTORY_CLUSTER};

int32_t rebali_bindings_new(struct rebali_store *store, const rebal_allocator *memory, rebal_bindings **out,
                            rebal_error *err) {
  rebal_bindings *bindings = rebali_allocate_zero(memory, 1, sizeof *bindings);

  if (bindings == NULL) {
    return rebali_fail_memory(err);
  }
  bindings->set = (struct rebali_row_set){.allocator = *memory,
                                          .store = rebali_store_ref(store),
                                          .tables = bindings->tables,
                                          .first = FIRST_TABLE,
                                          .n_tables = REBALI_BINDING_TABLES,
                                          .name = "bindings"};
  rebali_row_set_open(&bindings->set);
  bindings->handle = (struct rebal_cells){NULL, bindings->set.store, NULL, &bindings->set, bindings};
  *out = bindings;
  return REBAL_OK;
}

int32_t rebal_bindings_new(const rebal_fleet *fleet, const rebal_allocator *allocator, rebal_bindings **out,
                           rebal_error *err) {
  rebal_allocator memory;
  const int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (fleet == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", fleet == NULL ? "fleet" : "out");
  }
  return rebali_bindings_new(fleet->store, &memory, out, err);
}

static void drop_lists(rebal_bindings *bindings) {
  size_t i;

  rebali_bindings_drop_groups(bindings);
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
  drop_lists(bindings);
  rebali_row_set_reset(&bindings->set);
  bindings->needed_rows = 0;
}

void rebal_bindings_free(rebal_bindings *bindings) {
  rebal_allocator allocator;
  size_t i;

  if (bindings == NULL) {
    return;
  }
  allocator = bindings->set.allocator;
  drop_lists(bindings);
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
  return bindings->set.is_frozen ? rebali_fail(err, REBAL_ESTATE, -1, "the bindings are frozen") : REBAL_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static int32_t check_parents(const rebal_bindings *bindings, const uint32_t *parents, size_t n, rebal_error *err) {
  for (size_t i = 0; i < n; i++) {
    if (parents[i] >= bindings->tables[0].rows) {
      return rebali_fail(err, REBAL_ENOTFOUND, (int64_t)i, "no binding has the id %lu", (unsigned long)parents[i]);
    }
  }
  return REBAL_OK;
}

static int32_t check_add(const rebal_bindings *bindings, size_t index, const uint32_t *parents, size_t n_parents,
                         rebal_error *err) {
  const int32_t code = rebali_bindings_open(bindings, err);

  if (code != REBAL_OK || index != 0) {
    return code == REBAL_OK ? check_parents(bindings, parents, n_parents, err) : code;
  }
  return parents[0] == REBAL_NONE ? REBAL_OK
                                  : rebali_fail(err, REBAL_EINVAL, -1, "a binding has no parent, expected REBAL_NONE");
}

int32_t rebali_bindings_add(rebal_bindings *bindings, uint32_t table, const uint32_t *parents, int each, uint32_t *ids,
                            size_t n, rebal_error *err) {
  const size_t index = table - FIRST_TABLE;
  const size_t rows = bindings->tables[index].rows;
  int32_t code = check_add(bindings, index, parents, each ? n : 1, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (index != 0 && n <= REBALI_MAX_ROWS - rows &&
      rebali_reserve(&bindings->set.allocator, &bindings->parents[index], &bindings->parents_capacity[index], rows + n,
                     sizeof *parents) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  code = rebali_row_set_add(&bindings->set, table, ids, n, err);
  for (size_t i = 0; index != 0 && i < n && code == REBAL_OK; i++) {
    bindings->parents[index][rows + i] = parents[each ? i : 0];
  }
  return code;
}

size_t rebali_bindings_count(const rebal_bindings *bindings, uint32_t table, uint32_t parent) {
  const size_t index = table - FIRST_TABLE;
  size_t n = 0;

  if (index == 0 || parent >= bindings->tables[0].rows) {
    return 0;
  }
  if (bindings->set.is_frozen) {
    (void)rebali_bindings_children(bindings, table, parent, &n);
    return n;
  }
  for (size_t row = 0; row < bindings->tables[index].rows; row++) {
    n += bindings->parents[index][row] == parent;
  }
  return n;
}

/* Returns the first of n ascending rows after previous; REBAL_NONE if there is none. */
static uint32_t row_after(const uint32_t *rows, size_t n, uint32_t previous) {
  size_t at;

  REBALI_BISECT(at, previous == REBAL_NONE ? 0 : n, rows[at] <= previous);
  return at < n ? rows[at] : REBAL_NONE;
}

uint32_t rebali_bindings_next(const rebal_bindings *bindings, uint32_t table, uint32_t parent, uint32_t previous) {
  const size_t index = table - FIRST_TABLE;

  if (index == 0 || parent >= bindings->tables[0].rows) {
    return REBAL_NONE;
  }
  if (bindings->set.is_frozen) {
    size_t n;
    const uint32_t *rows = rebali_bindings_children(bindings, table, parent, &n);

    return row_after(rows, n, previous);
  }
  for (size_t row = previous == REBAL_NONE ? 0 : (size_t)previous + 1; row < bindings->tables[index].rows; row++) {
    if (bindings->parents[index][row] == parent) {
      return (uint32_t)row;
    }
  }
  return REBAL_NONE;
}

/* ---- freezing ---------------------------------------------------------------------------------------------------- */

/* Sorts the rows of a child table by parent, in the order they were added: a counting sort. */
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
  /* Two extra elements: while rows are placed, first[p + 1] is the position of the next child of p. */
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
    const struct rebali_table *table = &bindings->tables[cluster_columns[i] / 256u - FIRST_TABLE];

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
  if (code == REBAL_OK) {
    code = rebali_bindings_list_groups(bindings);
  }
  if (code != REBAL_OK) {
    drop_lists(bindings);
    return rebali_fail_memory(err);
  }
  bindings->needed_rows = count_needed_rows(bindings);
  bindings->set.is_frozen = 1;
  return REBAL_OK;
}

int32_t rebali_bindings_check_fleet(const rebal_bindings *bindings, const void *fleet, rebal_error *err) {
  if (!bindings->set.is_frozen) {
    return rebali_fail(err, REBAL_ESTATE, -1, "the bindings are not frozen");
  }
  return bindings->set.store == fleet ? REBAL_OK
                                      : rebali_fail(err, REBAL_EMISMATCH, -1, "the bindings belong to another fleet");
}

int32_t rebali_bindings_check(const rebal_bindings *bindings, const rebal_snapshot *snapshot, rebal_error *err) {
  int32_t code;

  if (bindings == NULL || snapshot == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", bindings == NULL ? "bindings" : "snapshot");
  }
  code = rebali_bindings_check_fleet(bindings, rebali_snapshot_fleet(snapshot), err);
  if (code == REBAL_OK && bindings->needed_rows > rebali_snapshot_rows(snapshot)) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "the bindings name a cluster that is newer than the snapshot");
  }
  return code;
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
