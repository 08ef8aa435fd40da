/* SPDX-License-Identifier: MIT */
/* Observes each binding: finds it by name and reads what it has in each cluster. */
#include "plan/step/karmada.h"

/* ---- bindings by name -------------------------------------------------------------------------------------------- */

struct key {
  int64_t cluster_scoped;
  struct rebali_text namespace_, name;
};

static struct key key_of(const rebal_bindings *bindings, uint32_t binding) {
  return (struct key){rebali_bindings_i64(bindings, REBAL_BINDING_CLUSTER_SCOPED, binding),
                      rebali_bindings_text(bindings, REBAL_BINDING_NAMESPACE, binding),
                      rebali_bindings_text(bindings, REBAL_BINDING_NAME, binding)};
}

static int compare_keys(const struct key *left, const struct key *right) {
  int order = (left->cluster_scoped > right->cluster_scoped) - (left->cluster_scoped < right->cluster_scoped);

  order = order != 0 ? order : rebali_text_compare(left->namespace_, right->namespace_);
  return order != 0 ? order : rebali_text_compare(left->name, right->name);
}

static int compare_bindings(const void *left, const void *right, const void *context) {
  const struct key a = key_of(context, *(const uint32_t *)left);
  const struct key b = key_of(context, *(const uint32_t *)right);

  return compare_keys(&a, &b);
}

static int32_t sort_bindings(struct rebali_wave_call *call) {
  const size_t n = rebali_bindings_size(call->every.bindings);

  call->by_name = rebali_arena_allocate(call->arena, 2 * n, sizeof *call->by_name);
  if (call->by_name == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    call->by_name[i] = (uint32_t)i; /* rows have 32-bit ids */
  }
  rebali_sort(call->by_name, n, sizeof *call->by_name, call->by_name + n, compare_bindings, call->every.bindings);
  return REBAL_OK;
}

/* Returns the first binding of the name, or REBAL_NONE. */
static uint32_t find_binding(const struct rebali_wave_call *call, const struct rebali_plan_row *plan) {
  const rebal_bindings *bindings = call->every.bindings;
  const struct key wanted = {plan->cluster_scoped != 0, plan->namespace_, plan->name};
  const size_t n = rebali_bindings_size(bindings);
  struct key found;
  size_t at;

  REBALI_BISECT(at, n, (found = key_of(bindings, call->by_name[at]), compare_keys(&found, &wanted) < 0));
  if (at == n) {
    return REBAL_NONE;
  }
  found = key_of(bindings, call->by_name[at]);
  return compare_keys(&found, &wanted) == 0 ? call->by_name[at] : REBAL_NONE;
}

/* ---- clusters of the plan ---------------------------------------------------------------------------------------- */

static void mark_clusters(const struct rebali_wave_call *call, const uint32_t *clusters, size_t n, uint64_t *bits) {
  for (size_t i = 0; i < n; i++) {
    if (call->ids[clusters[i]] != REBAL_NONE) {
      rebali_bit_set(bits, call->ids[clusters[i]], 1);
    }
  }
}

static int32_t map_clusters(struct rebali_wave_call *call) {
  const rebal_snapshot *snapshot = call->every.snapshot;
  const struct rebali_store *store = call->plan->store;
  const uint32_t n = rebali_store_known(&store->known_names);
  const uint32_t rows = rebali_snapshot_rows(snapshot);

  call->ids = rebali_arena_allocate(call->arena, n, sizeof *call->ids);
  call->lost = rebali_arena_allocate_zero(call->arena, REBALI_BITSET_WORDS(rows), sizeof *call->lost);
  if (call->ids == NULL || call->lost == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (store == rebali_snapshot_store(snapshot)) {
      call->ids[i] = i < rows ? i : REBAL_NONE;
    } else {
      const struct rebali_text name = rebali_intern_get(store->names, i);

      call->ids[i] = rebal_snapshot_find_cluster(snapshot, name.bytes, name.len);
    }
  }
  mark_clusters(call, call->plan->lost, call->plan->n_lost, call->lost);
  return REBAL_OK;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static int compare_clusters(const void *left, const void *right, const void *snapshot) {
  const uint32_t a = rebali_snapshot_rank(snapshot, *(const uint32_t *)left);
  const uint32_t b = rebali_snapshot_rank(snapshot, *(const uint32_t *)right);

  return (a > b) - (a < b);
}

/* Adds the clusters that a child table of the binding names and returns the new count. */
static size_t add_children(const struct rebali_wave_call *call, uint32_t binding, uint32_t table, uint32_t column,
                           uint32_t *clusters, size_t n) {
  const rebal_bindings *bindings = call->every.bindings;
  size_t n_children;
  const uint32_t *children = rebali_bindings_children(bindings, table, binding, &n_children);

  for (size_t i = 0; i < n_children; i++) {
    const uint32_t cluster = (uint32_t)rebali_bindings_i64(bindings, column, children[i]);

    if (cluster != REBAL_NONE) {
      clusters[n++] = cluster;
    }
  }
  return n;
}

/* Makes the cells of a row, by name, each cluster once, without numbers. */
static int32_t make_cells(struct rebali_wave_call *call, struct rebali_wave_row *row) {
  const rebal_bindings *bindings = call->every.bindings;
  const size_t n_plan = row->plan == NULL ? 0 : row->plan->n_cells;
  size_t n_targets, n_items, n_tasks, n_all, n = 0;
  uint32_t *clusters;

  (void)rebali_bindings_children(bindings, REBAL_TABLE_TARGET, row->binding, &n_targets);
  (void)rebali_bindings_children(bindings, REBAL_TABLE_STATUS_ITEM, row->binding, &n_items);
  (void)rebali_bindings_children(bindings, REBAL_TABLE_TASK, row->binding, &n_tasks);
  n_all = n_plan + n_targets + n_items + n_tasks;
  clusters = rebali_arena_allocate(call->arena, 2 * n_all, sizeof *clusters);
  row->cells = rebali_arena_allocate_zero(call->arena, n_all, sizeof *row->cells);
  if (clusters == NULL || row->cells == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n_plan; i++) {
    const uint32_t cluster = call->ids[call->plan->cells[row->plan->first_cell + i].cluster];

    if (cluster != REBAL_NONE) {
      clusters[n++] = cluster;
    }
  }
  n = add_children(call, row->binding, REBAL_TABLE_TARGET, REBAL_TARGET_CLUSTER, clusters, n);
  n = add_children(call, row->binding, REBAL_TABLE_STATUS_ITEM, REBAL_STATUS_ITEM_CLUSTER, clusters, n);
  n = add_children(call, row->binding, REBAL_TABLE_TASK, REBAL_TASK_FROM_CLUSTER, clusters, n);
  rebali_sort(clusters, n, sizeof *clusters, clusters + n, compare_clusters, call->every.snapshot);
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || clusters[i] != clusters[i - 1]) {
      row->cells[row->n_cells++] = (struct rebali_wave_cell){
          .cluster = clusters[i], .is_lost = (uint8_t)rebali_bit_get(call->lost, clusters[i])};
    }
  }
  return REBAL_OK;
}

struct rebali_wave_cell *rebali_wave_cell_of(const struct rebali_wave_call *call, const struct rebali_wave_row *row,
                                             uint32_t cluster) {
  const rebal_snapshot *snapshot = call->every.snapshot;
  size_t at;

  REBALI_BISECT(at, row->n_cells,
                rebali_snapshot_rank(snapshot, row->cells[at].cluster) < rebali_snapshot_rank(snapshot, cluster));
  return &row->cells[at];
}

static void read_plan(const struct rebali_wave_call *call, struct rebali_wave_row *row) {
  const int is_back = (call->opts.flags & REBAL_PLAN_STEP_FLAG_BACK) != 0;

  for (size_t i = 0; i < row->plan->n_cells; i++) {
    const struct rebali_plan_cell *planned = &call->plan->cells[row->plan->first_cell + i];
    const int32_t from = is_back ? planned->planned : planned->present;
    const int32_t to = is_back ? planned->present : planned->planned;
    const uint32_t cluster = call->ids[planned->cluster];
    struct rebali_wave_cell *cell;

    /* With BACK, replicas for a lost cluster would leave their clusters for nothing. */
    if (to > 0 && (cluster == REBAL_NONE || !rebali_snapshot_has(call->every.snapshot, cluster) ||
                   (is_back && rebali_bit_get(call->lost, cluster)))) {
      row->reason = REBAL_WAVE_REASON_NO_CLUSTER;
    }
    if (cluster == REBAL_NONE) {
      continue;
    }
    cell = rebali_wave_cell_of(call, row, cluster);
    if (!cell->is_lost) {
      cell->from = from;
      cell->to = to;
      cell->is_aim = (uint8_t)((planned->is_in & (is_back ? REBALI_IN_PRESENT : REBALI_IN_PLANNED)) != 0);
    }
  }
}

static void read_targets(const struct rebali_wave_call *call, struct rebali_wave_row *row) {
  const rebal_bindings *bindings = call->every.bindings;
  size_t n;
  const uint32_t *targets = rebali_bindings_children(bindings, REBAL_TABLE_TARGET, row->binding, &n);

  for (size_t i = 0; i < n; i++) {
    const uint32_t cluster = (uint32_t)rebali_bindings_i64(bindings, REBAL_TARGET_CLUSTER, targets[i]);
    const int64_t replicas = rebali_bindings_i64(bindings, REBAL_TARGET_REPLICAS, targets[i]);
    struct rebali_wave_cell *cell = cluster == REBAL_NONE ? NULL : rebali_wave_cell_of(call, row, cluster);

    if (cell == NULL || cell->is_listed || replicas < 0) {
      row->reason = REBAL_WAVE_REASON_MALFORMED;
    }
    if (cell != NULL) {
      cell->is_listed = 1;
      cell->raw = replicas < 0 ? cell->raw : (int32_t)replicas;
      cell->present = cell->is_lost || replicas < cell->present ? cell->present : (int32_t)replicas;
    }
  }
}

/* Tasks of this library keep the replicas that they took until the tasks are removed. */
static void read_tasks(const struct rebali_wave_call *call, struct rebali_wave_row *row) {
  const rebal_bindings *bindings = call->every.bindings;
  size_t n;
  const uint32_t *tasks = rebali_bindings_children(bindings, REBAL_TABLE_TASK, row->binding, &n);

  for (size_t i = 0; i < n; i++) {
    const uint32_t cluster = (uint32_t)rebali_bindings_i64(bindings, REBAL_TASK_FROM_CLUSTER, tasks[i]);
    const int64_t replicas = rebali_bindings_i64(bindings, REBAL_TASK_REPLICAS, tasks[i]);

    if (cluster != REBAL_NONE && replicas > 0 && rebali_task_is_ours(bindings, tasks[i])) {
      struct rebali_wave_cell *cell = rebali_wave_cell_of(call, row, cluster);

      cell->kept = cell->is_lost ? 0 : (int32_t)replicas;
    }
  }
}

/*
 * A replica is ready for sure if it is ready and not part of the surplus that the member still runs: the member chooses
 * which pods go. If a cluster has two items, the one with fewer ready replicas counts.
 */
static void read_item(const rebal_bindings *bindings, uint32_t item, struct rebali_wave_cell *cell) {
  const int64_t ready = rebali_bindings_i64(bindings, REBAL_STATUS_ITEM_READY_REPLICAS, item);
  const int64_t replicas = rebali_bindings_i64(bindings, REBAL_STATUS_ITEM_REPLICAS, item);
  const int64_t some = ready > 0 ? ready : 0;
  const int64_t reported = replicas > some ? replicas : some;
  const int64_t surplus = reported > cell->present ? reported - cell->present : 0;
  const int64_t sure = some > surplus ? some - surplus : 0;
  const int32_t counted = (int32_t)sure; /* at most what is assigned */

  cell->reported = reported > cell->reported ? (int32_t)reported : cell->reported;
  if (ready != REBAL_ABSENT) {
    cell->ready = cell->is_known && cell->ready < counted ? cell->ready : counted;
    cell->is_known = 1;
  }
  if (cell->kept > cell->present) { /* replicas that the task keeps are no longer assigned */
    const int64_t above = reported > cell->kept ? reported - cell->kept : 0;

    cell->kept_ready = (int32_t)(some > above ? some - above : 0) - cell->ready;
  }
  cell->since = rebali_bindings_time(bindings, REBAL_STATUS_ITEM_SINCE, item);
}

static void read_items(const struct rebali_wave_call *call, struct rebali_wave_row *row) {
  const rebal_bindings *bindings = call->every.bindings;
  size_t n;
  const uint32_t *items = rebali_bindings_children(bindings, REBAL_TABLE_STATUS_ITEM, row->binding, &n);

  for (size_t i = 0; i < n; i++) {
    const uint32_t cluster = (uint32_t)rebali_bindings_i64(bindings, REBAL_STATUS_ITEM_CLUSTER, items[i]);
    struct rebali_wave_cell *cell = cluster == REBAL_NONE ? NULL : rebali_wave_cell_of(call, row, cluster);

    if (cell != NULL && !cell->is_lost) {
      read_item(bindings, items[i], cell);
    }
  }
}

static int is_between(const struct rebali_wave_cell *cell) {
  return cell->from < cell->to ? cell->from <= cell->present && cell->present <= cell->to
                               : cell->to <= cell->present && cell->present <= cell->from;
}

static void add_up(struct rebali_wave_row *row) {
  for (size_t i = 0; i < row->n_cells; i++) {
    struct rebali_wave_cell *cell = &row->cells[i];

    cell->next = cell->present;
    row->present += cell->present;
    row->ready += cell->ready;
    row->to += cell->to;
    row->is_foreign |= !is_between(cell);
  }
  row->wanted = row->to > row->plan->replicas ? row->to : row->plan->replicas;
  row->floor = row->to < row->plan->replicas ? row->to : row->plan->replicas;
  row->floor = row->floor > row->plan->max_unavailable ? row->floor - row->plan->max_unavailable : 0;
}

/* Returns a state that does not depend on the cells. */
static int64_t state_of(const struct rebali_wave_call *call, const struct rebali_wave_row *row) {
  const rebal_bindings *bindings = call->every.bindings;
  struct rebali_text uid;

  if (row->binding == REBAL_NONE) {
    return REBAL_WAVE_STATE_GONE;
  }
  uid = rebali_bindings_text(bindings, REBAL_BINDING_UID, row->binding);
  if (row->plan->uid.len != 0 && !rebali_text_equal(uid, row->plan->uid)) {
    return REBAL_WAVE_STATE_REPLACED;
  }
  return rebali_bindings_i64(bindings, REBAL_BINDING_DELETING, row->binding) ? REBAL_WAVE_STATE_DELETING : 0;
}

static int32_t read_row(struct rebali_wave_call *call, struct rebali_wave_row *row) {
  if (make_cells(call, row) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (row->plan != NULL) {
    read_plan(call, row);
  }
  read_targets(call, row);
  read_tasks(call, row);
  read_items(call, row);
  if (row->plan != NULL) {
    add_up(row);
  }
  return REBAL_OK;
}

static int32_t read_rows(struct rebali_wave_call *call, uint64_t *is_planned) {
  const rebal_plan *plan = call->plan;
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < plan->n_rows; i++) {
    struct rebali_wave_row *row = &call->rows[call->n_rows++];

    *row = (struct rebali_wave_row){.plan = &plan->rows[i],
                                    .binding = find_binding(call, &plan->rows[i]),
                                    .cluster = REBAL_NONE,
                                    .cycle = REBAL_ABSENT,
                                    .after_ns = REBAL_ABSENT};
    row->state = state_of(call, row);
    if (row->state == 0) {
      rebali_bit_set(is_planned, row->binding, 1);
      code = read_row(call, row);
    }
  }
  return code;
}

int32_t rebali_wave_observe(struct rebali_wave_call *call) {
  const size_t n = rebali_bindings_size(call->every.bindings);
  uint64_t *is_planned = rebali_arena_allocate_zero(call->arena, REBALI_BITSET_WORDS(n), sizeof *is_planned);
  int32_t code = is_planned == NULL ? REBAL_ENOMEM : sort_bindings(call);

  if (code == REBAL_OK) {
    code = map_clusters(call);
  }
  call->rows = rebali_arena_allocate(call->arena, call->plan->n_rows, sizeof *call->rows);
  call->others = rebali_arena_allocate_zero(call->arena, n, sizeof *call->others);
  if (code != REBAL_OK || call->rows == NULL || call->others == NULL) {
    return REBAL_ENOMEM;
  }
  code = read_rows(call, is_planned);
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (!rebali_bit_get(is_planned, i)) {
      call->others[call->n_others] = (struct rebali_wave_row){.binding = (uint32_t)i};
      code = read_row(call, &call->others[call->n_others++]);
    }
  }
  return code;
}

int rebali_wave_is_under_way(const struct rebali_wave_call *call, const struct rebali_wave_cell *cell,
                             int64_t *left_ns) {
  const rebal_time *since = cell->since.is_set ? &cell->since : &call->plan->now;
  const int64_t passed = rebali_time_left_ns(since, call->every.now, 0);

  *left_ns = rebali_subtract_saturating(call->plan->progress_deadline_ns, passed > 0 ? passed : 0);
  return !cell->is_lost && (cell->ready < cell->present || cell->reported > cell->present) && *left_ns > 0;
}
