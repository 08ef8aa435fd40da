/* SPDX-License-Identifier: MIT */
/* Rows of a member cluster, sorted for lookup. */
#include "estimator/unschedulable_rows.h"

static uint32_t cell(const struct rebali_rows_leaf *leaf, uint32_t column, uint32_t place) {
  return rebali_rows_id(leaf, rebali_rows_at(column), place);
}

static struct rebali_text text_cell(const rebal_snapshot *snapshot, const struct rebali_rows_leaf *leaf,
                                    uint32_t column, uint32_t place) {
  const uint32_t id = cell(leaf, column, place);

  return id == REBAL_NONE ? REBALI_TEXT("") : rebali_intern_get(rebali_snapshot_store(snapshot)->texts, id);
}

static uint32_t leaves_of(const struct rebali_rows *rows) {
  return rows->n / REBALI_NODES + (rows->n % REBALI_NODES != 0);
}

/* Sorts n items, which space for as many more must follow. */
static void sort(void *items, size_t n, size_t size, rebali_compare compare) {
  rebali_sort(items, n, size, (char *)items + n * size, compare, NULL);
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static int compare_pods(const void *left, const void *right, const void *context) {
  const struct rebali_unschedulable_pod *a = left;
  const struct rebali_unschedulable_pod *b = right;

  (void)context;
  return a->controller != b->controller ? (a->controller > b->controller) - (a->controller < b->controller)
                                        : (a->since > b->since) - (a->since < b->since);
}

static uint64_t pending_bits(const struct rebali_rows *rows, uint32_t leaf) {
  return rebali_rows_bits(rebali_rows_leaf(rows, leaf), rebali_rows_at(REBAL_POD_UNSCHEDULABLE_SINCE));
}

static int32_t read_pods(const struct rebali_rows *rows, struct rebali_arena *arena,
                         struct rebali_unschedulable_rows *out) {
  size_t capacity = 0;

  for (uint32_t i = 0; i < leaves_of(rows); i++) {
    const uint64_t bits = pending_bits(rows, i);

    capacity += rebali_bits_count(&bits, 1);
  }
  out->pods = rebali_arena_allocate(arena, 2 * capacity, sizeof *out->pods);
  if (out->pods == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t row = 0; row < rows->n; row++) {
    const struct rebali_rows_leaf *leaf = rebali_rows_leaf(rows, row / REBALI_NODES);
    const uint32_t place = row % REBALI_NODES;
    const uint64_t bits = pending_bits(rows, row / REBALI_NODES);

    if (rebali_bit_get(&bits, place)) {
      out->pods[out->n_pods++] = (struct rebali_unschedulable_pod){
          cell(leaf, REBAL_POD_CONTROLLER_UID, place), cell(leaf, REBAL_POD_NAMESPACE, place),
          cell(leaf, REBAL_POD_LABELS, place), 0,
          rebali_rows_seconds(leaf, rebali_rows_at(REBAL_POD_UNSCHEDULABLE_SINCE), place)};
    }
  }
  sort(out->pods, out->n_pods, sizeof *out->pods, compare_pods);
  return REBAL_OK;
}

/* ---- workloads --------------------------------------------------------------------------------------------------- */

static int compare_names(const struct rebali_unschedulable_workload *a, struct rebali_text namespace_,
                         struct rebali_text name, struct rebali_text kind) {
  int order = rebali_text_compare(a->namespace_, namespace_);

  order = order != 0 ? order : rebali_text_compare(a->name, name);
  return order != 0 ? order : rebali_text_compare(a->kind, kind);
}

static int compare_workloads(const void *left, const void *right, const void *context) {
  const struct rebali_unschedulable_workload *b = right;

  (void)context;
  return compare_names(left, b->namespace_, b->name, b->kind);
}

static int32_t read_workloads(const rebal_snapshot *snapshot, const struct rebali_rows *rows,
                              struct rebali_arena *arena, struct rebali_unschedulable_rows *out) {
  out->workloads = rebali_arena_allocate(arena, 2 * (size_t)rows->present, sizeof *out->workloads);
  if (out->workloads == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t row = 0; row < rows->n; row++) {
    const struct rebali_rows_leaf *leaf = rebali_rows_find(rows, row);
    const uint32_t place = row % REBALI_NODES;

    if (leaf != NULL) {
      out->workloads[out->n_workloads++] =
          (struct rebali_unschedulable_workload){text_cell(snapshot, leaf, REBAL_WORKLOAD_NAMESPACE, place),
                                                 text_cell(snapshot, leaf, REBAL_WORKLOAD_NAME, place),
                                                 text_cell(snapshot, leaf, REBAL_WORKLOAD_KIND, place),
                                                 cell(leaf, REBAL_WORKLOAD_NAMESPACE, place),
                                                 cell(leaf, REBAL_WORKLOAD_UID, place),
                                                 cell(leaf, REBAL_WORKLOAD_SELECTOR, place),
                                                 cell(leaf, REBAL_WORKLOAD_TEMPLATE, place)};
    }
  }
  sort(out->workloads, out->n_workloads, sizeof *out->workloads, compare_workloads);
  return REBAL_OK;
}

/* ---- replica sets ------------------------------------------------------------------------------------------------ */

static int compare_sets(const void *left, const void *right, const void *context) {
  const struct rebali_unschedulable_set *a = left;
  const struct rebali_unschedulable_set *b = right;

  (void)context;
  if (a->controller != b->controller) {
    return (a->controller > b->controller) - (a->controller < b->controller);
  }
  return a->created != b->created ? (a->created > b->created) - (a->created < b->created)
                                  : rebali_text_compare(a->name, b->name);
}

static int64_t created_of(const struct rebali_rows_leaf *leaf, uint32_t place) {
  const size_t at = rebali_rows_at(REBAL_REPLICA_SET_CREATED);
  const uint64_t bits = rebali_rows_bits(leaf, at);

  return rebali_bit_get(&bits, place) ? rebali_rows_seconds(leaf, at, place) : REBAL_ABSENT;
}

static int32_t read_sets(const rebal_snapshot *snapshot, const struct rebali_rows *rows, struct rebali_arena *arena,
                         struct rebali_unschedulable_rows *out) {
  out->sets = rebali_arena_allocate(arena, 2 * (size_t)rows->present, sizeof *out->sets);
  if (out->sets == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t row = 0; row < rows->n; row++) {
    const struct rebali_rows_leaf *leaf = rebali_rows_find(rows, row);
    const uint32_t place = row % REBALI_NODES;

    if (leaf != NULL) {
      out->sets[out->n_sets++] =
          (struct rebali_unschedulable_set){cell(leaf, REBAL_REPLICA_SET_CONTROLLER_UID, place),
                                            cell(leaf, REBAL_REPLICA_SET_NAMESPACE, place),
                                            text_cell(snapshot, leaf, REBAL_REPLICA_SET_NAME, place),
                                            cell(leaf, REBAL_REPLICA_SET_UID, place),
                                            cell(leaf, REBAL_REPLICA_SET_LABELS, place),
                                            cell(leaf, REBAL_REPLICA_SET_TEMPLATE, place),
                                            created_of(leaf, place)};
    }
  }
  sort(out->sets, out->n_sets, sizeof *out->sets, compare_sets);
  return REBAL_OK;
}

/* ---- lookup ------------------------------------------------------------------------------------------------------ */

int32_t rebali_unschedulable_rows_read(const rebal_snapshot *snapshot, const struct rebali_node_table *table,
                                       struct rebali_arena *arena, struct rebali_unschedulable_rows *out) {
  int32_t code;

  *out = (struct rebali_unschedulable_rows){.n_pods = 0};
  code = read_pods(rebali_table_rows(table, REBAL_TABLE_POD), arena, out);
  if (code == REBAL_OK) {
    code = read_workloads(snapshot, rebali_table_rows(table, REBAL_TABLE_WORKLOAD), arena, out);
  }
  return code == REBAL_OK ? read_sets(snapshot, rebali_table_rows(table, REBAL_TABLE_REPLICA_SET), arena, out) : code;
}

const struct rebali_unschedulable_workload *rebali_unschedulable_rows_workload(
    const struct rebali_unschedulable_rows *rows, struct rebali_text namespace_, struct rebali_text name,
    struct rebali_text kind) {
  size_t low = 0;
  size_t high = rows->n_workloads;

  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = compare_names(&rows->workloads[middle], namespace_, name, kind);

    if (order == 0) {
      return &rows->workloads[middle];
    }
    low = order < 0 ? middle + 1 : low;
    high = order < 0 ? high : middle;
  }
  return NULL;
}

/*
 * Finds the items of a controller among n items that begin with a controller and are sorted by it. Sets *n to their
 * number. Items without a controller have no id and are not found.
 */
static size_t find_controller(const void *items, size_t size, uint32_t controller, size_t *n) {
  size_t first = 0;
  size_t end = 0;

  for (size_t high = *n; first < high;) {
    const size_t middle = first + (high - first) / 2;
    const uint32_t *found = (const void *)((const char *)items + middle * size);

    first = *found < controller ? middle + 1 : first;
    high = *found < controller ? high : middle;
  }
  for (end = first; end < *n && controller != REBAL_NONE; end++) {
    const uint32_t *found = (const void *)((const char *)items + end * size);

    if (*found != controller) {
      break;
    }
  }
  *n = end - first;
  return first;
}

const struct rebali_unschedulable_pod *rebali_unschedulable_rows_pods(const struct rebali_unschedulable_rows *rows,
                                                                      uint32_t controller, size_t *n) {
  *n = rows->n_pods;
  return rows->pods + find_controller(rows->pods, sizeof *rows->pods, controller, n);
}

const struct rebali_unschedulable_set *rebali_unschedulable_rows_sets(const struct rebali_unschedulable_rows *rows,
                                                                      uint32_t controller, size_t *n) {
  *n = rows->n_sets;
  return rows->sets + find_controller(rows->sets, sizeof *rows->sets, controller, n);
}
