/* SPDX-License-Identifier: MIT */
#include "fleet/nodes.h"

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static int32_t refresh_order(const rebal_fleet *fleet, const struct rebali_intern *names, struct rebali_order **order) {
  const rebal_allocator *allocator = &fleet->store->allocator;
  const uint32_t n = rebali_intern_count(names);
  struct rebali_order *made;

  if (*order != NULL && (*order)->n == n) {
    return REBAL_OK;
  }
  if (rebali_order_make(allocator, names, n, *order, &made) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  rebali_order_unref(allocator, *order);
  *order = made;
  return REBAL_OK;
}

/* Must run after the order of all names is up to date. */
static int32_t refresh_clusters(rebal_fleet *fleet) {
  const rebal_allocator *allocator = &fleet->store->allocator;
  struct rebali_order *made;
  uint32_t i;

  if (fleet->clusters != NULL && !fleet->membership_changed) {
    return REBAL_OK;
  }
  made = rebali_order_reserve(allocator, fleet->names->n);
  if (made == NULL) {
    return REBAL_ENOMEM;
  }
  for (i = 0; i < fleet->names->n; i++) {
    if (rebali_state_present(&fleet->state, fleet->names->ids[i])) {
      made->ids[made->n++] = fleet->names->ids[i];
    }
  }
  rebali_order_unref(allocator, fleet->clusters);
  fleet->clusters = made;
  fleet->membership_changed = 0;
  return REBAL_OK;
}

static rebal_snapshot *new_snapshot(const rebal_fleet *fleet) {
  const rebal_allocator *allocator = &fleet->store->allocator;
  const size_t n = fleet->state.n_capacities;
  rebal_snapshot *snapshot = rebali_allocate_zero(allocator, 1, sizeof *snapshot);

  if (snapshot == NULL) {
    return NULL;
  }
  if (n != 0) {
    snapshot->state.capacities = rebali_allocate(allocator, n, sizeof *snapshot->state.capacities);
    if (snapshot->state.capacities == NULL) {
      rebali_release(allocator, snapshot);
      return NULL;
    }
  }
  atomic_init(&snapshot->references, 1);
  return snapshot;
}

static void share_state(const struct rebali_state *source, struct rebali_state *target) {
  size_t i;

  target->n_rows = source->n_rows;
  target->n_present = source->n_present;
  target->hide_amounts = source->hide_amounts;
  target->rows = rebali_pages_share(&source->rows);
  for (i = 0; i <= REBALI_CLUSTER_COLUMNS; i++) {
    target->columns[i] = rebali_pages_share(&source->columns[i]);
  }
  for (i = 0; i < source->n_capacities; i++) {
    target->capacities[i] = source->capacities[i];
    (void)rebali_pages_share(&source->capacities[i].amounts);
    (void)rebali_pages_share(&source->capacities[i].rests);
  }
  target->n_capacities = source->n_capacities;
  target->tables = rebali_tree_share(&source->tables);
}

int32_t rebal_fleet_freeze(rebal_fleet *fleet, rebal_snapshot **out, rebal_error *err) {
  rebal_snapshot *snapshot;

  if (fleet == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", fleet == NULL ? "fleet" : "out");
  }
  if (refresh_order(fleet, fleet->store->names, &fleet->names) != REBAL_OK ||
      refresh_order(fleet, fleet->store->resources, &fleet->resources) != REBAL_OK ||
      refresh_clusters(fleet) != REBAL_OK || rebali_fleet_order_nodes(fleet) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  snapshot = new_snapshot(fleet);
  if (snapshot == NULL) {
    return rebali_fail_memory(err);
  }
  fleet->version++;
  snapshot->version = fleet->version;
  snapshot->store = rebali_store_ref(fleet->store);
  snapshot->handle = (struct rebal_cells){&snapshot->state, snapshot->store, NULL, NULL, NULL};
  share_state(&fleet->state, &snapshot->state);
  for (size_t i = 0; i < REBALI_READS_ALL; i++) {
    snapshot->logs[i] = rebali_log_share(&fleet->logs[i]);
  }
  snapshot->names = rebali_order_ref(fleet->names);
  snapshot->resources = rebali_order_ref(fleet->resources);
  snapshot->state.n_resources = fleet->resources->n;
  snapshot->clusters = rebali_order_ref(fleet->clusters);
  *out = snapshot;
  return REBAL_OK;
}

/* ---- owners ------------------------------------------------------------------------------------------------------ */

rebal_snapshot *rebal_snapshot_ref(rebal_snapshot *snapshot) {
  if (snapshot != NULL) {
    atomic_fetch_add_explicit(&snapshot->references, 1, memory_order_relaxed);
  }
  return snapshot;
}

static void drop_state(const rebal_allocator *allocator, struct rebali_state *state) {
  size_t i;

  rebali_pages_drop(allocator, &state->rows);
  for (i = 0; i <= REBALI_CLUSTER_COLUMNS; i++) {
    rebali_pages_drop(allocator, &state->columns[i]);
  }
  for (i = 0; i < state->n_capacities; i++) {
    rebali_pages_drop(allocator, &state->capacities[i].amounts);
    rebali_pages_drop(allocator, &state->capacities[i].rests);
  }
  rebali_release(allocator, state->capacities);
  rebali_tree_drop(allocator, &rebali_node_tables, &state->tables);
}

void rebal_snapshot_unref(rebal_snapshot *snapshot) {
  rebal_allocator allocator;

  if (snapshot == NULL || atomic_fetch_sub_explicit(&snapshot->references, 1, memory_order_acq_rel) != 1) {
    return;
  }
  allocator = snapshot->store->allocator;
  drop_state(&allocator, &snapshot->state);
  for (size_t i = 0; i < REBALI_READS_ALL; i++) {
    rebali_log_drop(&allocator, &snapshot->logs[i]);
  }
  rebali_order_unref(&allocator, snapshot->names);
  rebali_order_unref(&allocator, snapshot->resources);
  rebali_order_unref(&allocator, snapshot->clusters);
  rebali_store_unref(snapshot->store);
  rebali_release(&allocator, snapshot);
}

static void release_held(void *snapshot) {
  rebal_snapshot_unref(snapshot);
}

void rebali_snapshot_hold(rebal_snapshot *snapshot, rebal_result *result) {
  /* The first object always fits. */
  (void)rebali_result_hold(result, rebal_snapshot_ref(snapshot), release_held);
}

const rebal_snapshot *rebali_result_snapshot(const rebal_result *result) {
  return rebali_result_held(result, release_held);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

uint64_t rebal_snapshot_version(const rebal_snapshot *snapshot) {
  return snapshot == NULL ? 0 : snapshot->version;
}

uint32_t rebal_snapshot_find_cluster(const rebal_snapshot *snapshot, const char *name, size_t len) {
  struct rebali_text wanted;

  return snapshot == NULL || rebali_text_take(name, len, "name", &wanted, NULL) != REBAL_OK
             ? REBAL_NONE
             : rebali_order_find(snapshot->names, snapshot->store->names, wanted);
}

struct rebali_text rebali_snapshot_text(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster) {
  const int64_t id = rebali_snapshot_i64(snapshot, column, cluster);

  return id == (int64_t)REBAL_NONE ? REBALI_TEXT("") : rebali_intern_get(snapshot->store->texts, (uint32_t)id);
}

const rebal_record *rebali_snapshot_cell_record(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster) {
  return rebali_store_record(snapshot->store, snapshot->store->columns[column % 256u].kind,
                             (uint32_t)rebali_snapshot_i64(snapshot, column, cluster));
}

const rebal_record *rebali_snapshot_record(const rebal_snapshot *snapshot, uint32_t object, uint32_t handle) {
  return rebali_store_record(snapshot->store, rebali_store_kind(object), handle);
}

struct rebali_text rebali_snapshot_name(const rebal_snapshot *snapshot, uint32_t cluster) {
  return cluster < snapshot->names->n ? rebali_intern_get(snapshot->store->names, cluster) : REBALI_TEXT("");
}

uint32_t rebali_snapshot_resource(const rebal_snapshot *snapshot, struct rebali_text name) {
  return rebali_order_find(snapshot->resources, snapshot->store->resources, name);
}

const uint32_t *rebali_snapshot_resources_by_name(const rebal_snapshot *snapshot, uint32_t *n) {
  *n = snapshot->resources->n;
  return snapshot->resources->ids;
}

struct rebali_text rebali_snapshot_resource_name(const rebal_snapshot *snapshot, uint32_t resource) {
  return rebali_intern_get(snapshot->store->resources, resource);
}

int rebali_snapshot_capacity(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster, uint32_t resource,
                             rebal_quantity *out) {
  const struct rebali_amounts *amounts = rebali_snapshot_amounts(snapshot, cluster, resource);

  if (amounts == NULL || (amounts->stated >> part & 1u) == 0) {
    return 0;
  }
  *out = amounts->parts[part];
  return 1;
}

const void *rebali_snapshot_fleet(const rebal_snapshot *snapshot) {
  return snapshot->store;
}
