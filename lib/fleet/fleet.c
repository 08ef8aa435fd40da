/* SPDX-License-Identifier: MIT */
#include "fleet/node_filter.h"
#include "fleet/nodes.h"

static void init_state(struct rebali_state *state) {
  size_t number;

  state->rows.cell = sizeof(struct rebali_row);
  for (number = 0; number <= REBALI_CLUSTER_COLUMNS; number++) {
    state->columns[number].cell = sizeof(int64_t);
  }
}

int32_t rebal_fleet_new(const rebal_allocator *allocator, rebal_fleet **out, rebal_error *err) {
  rebal_allocator memory;
  rebal_fleet *fleet;
  int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is NULL");
  }
  fleet = rebali_allocate_zero(&memory, 1, sizeof *fleet);
  if (fleet == NULL || rebali_store_new(&memory, &fleet->store) != REBAL_OK) {
    rebali_release(&memory, fleet);
    return rebali_fail_memory(err);
  }
  init_state(&fleet->state);
  fleet->handle = (struct rebal_cells){&fleet->state, fleet->store, fleet, NULL, NULL};
  *out = fleet;
  return REBAL_OK;
}

void rebal_fleet_free(rebal_fleet *fleet) {
  rebal_allocator allocator;
  size_t i;

  if (fleet == NULL) {
    return;
  }
  allocator = fleet->store->allocator;
  rebali_pages_drop(&allocator, &fleet->state.rows);
  for (i = 0; i <= REBALI_CLUSTER_COLUMNS; i++) {
    rebali_pages_drop(&allocator, &fleet->state.columns[i]);
  }
  for (i = 0; i < fleet->state.n_capacities; i++) {
    rebali_pages_drop(&allocator, &fleet->state.capacities[i].amounts);
    rebali_pages_drop(&allocator, &fleet->state.capacities[i].rests);
  }
  rebali_release(&allocator, fleet->state.capacities);
  rebali_tree_drop(&allocator, &rebali_node_tables, &fleet->state.tables);
  rebali_release(&allocator, fleet->unordered);
  for (size_t handle = 0; handle < fleet->n_takes; handle++) {
    rebali_release(&allocator, fleet->takes[handle]);
  }
  rebali_release(&allocator, fleet->takes);
  for (i = 0; i < REBALI_READS_ALL; i++) {
    rebali_log_drop(&allocator, &fleet->logs[i]);
  }
  rebali_order_unref(&allocator, fleet->names);
  rebali_order_unref(&allocator, fleet->resources);
  rebali_order_unref(&allocator, fleet->clusters);
  rebali_store_unref(fleet->store);
  rebali_release(&allocator, fleet);
}

struct rebali_row *rebali_fleet_touch(rebal_fleet *fleet, uint32_t row, uint32_t what) {
  static const struct rebali_row absent = {0, 0, 0, 0};
  const rebal_allocator *allocator = &fleet->store->allocator;
  struct rebali_row *cell = rebali_pages_edit(allocator, &fleet->state.rows, row, &absent);
  int32_t code = REBAL_OK;

  if (cell == NULL || (cell->version == fleet->version + 1 && (cell->noted & what) == what)) {
    return cell; /* nothing more will be noted */
  }
  for (uint32_t reads = 1; reads <= REBALI_READS_ALL && code == REBAL_OK; reads++) {
    code = (reads & what) == 0 ? REBAL_OK : rebali_log_reserve(allocator, &fleet->logs[reads - 1]);
  }
  return code == REBAL_OK ? cell : NULL;
}

void rebali_fleet_changed(rebal_fleet *fleet, struct rebali_row *cell, uint32_t row, uint32_t what) {
  const uint64_t version = fleet->version + 1;
  const uint32_t noted = cell->version == version ? cell->noted : 0;

  for (uint32_t reads = 1; reads <= REBALI_READS_ALL; reads++) {
    if ((reads & what) != 0 && (reads & noted) == 0) {
      rebali_log_add(&fleet->logs[reads - 1], version, row);
    }
  }
  cell->version = version;
  cell->noted = (uint16_t)(noted | what);
}

static int32_t take_name(const rebal_fleet *fleet, const char *bytes, size_t len, const uint32_t *id,
                         struct rebali_text *name, rebal_error *err) {
  return fleet == NULL || id == NULL
             ? rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", fleet == NULL ? "fleet" : "the id")
             : rebali_text_take(bytes, len, "the name", name, err);
}

int32_t rebal_fleet_cluster_id(rebal_fleet *fleet, const char *name, size_t len, uint32_t *cluster, rebal_error *err) {
  struct rebali_row *cell;
  struct rebali_text taken;
  uint32_t id;
  int32_t code = take_name(fleet, name, len, cluster, &taken, err);

  if (code != REBAL_OK) {
    return code;
  }
  id = rebali_intern_find(fleet->store->names, taken.bytes, taken.len);
  if (id == REBAL_NONE) {
    cell = rebali_fleet_touch(fleet, rebali_intern_count(fleet->store->names), REBALI_READS_ALL);
    if (cell == NULL) {
      return rebali_fail_memory(err);
    }
    code = rebali_store_add(fleet->store->names, &fleet->store->known_names, taken.bytes, taken.len, &id, err);
    if (code != REBAL_OK) {
      return code;
    }
    fleet->state.n_rows = id + 1;
    rebali_fleet_changed(fleet, cell, id, REBALI_READS_ALL);
  }
  *cluster = id;
  return REBAL_OK;
}

int32_t rebal_fleet_add_cluster(rebal_fleet *fleet, const char *name, size_t len, uint32_t *cluster, rebal_error *err) {
  struct rebali_row *cell;
  struct rebali_text taken;
  uint32_t id;
  int32_t code = take_name(fleet, name, len, cluster, &taken, err);

  if (code == REBAL_OK && taken.len == 0) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "the name of a cluster is empty");
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_cluster_id(fleet, taken.bytes, taken.len, &id, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if (rebali_state_present(&fleet->state, id)) {
    return rebali_fail(err, REBAL_EEXIST, (int64_t)id, "the fleet has a cluster %.*s",
                       taken.len < 200 ? (int)taken.len : 200, taken.bytes);
  }
  cell = rebali_fleet_touch(fleet, id, REBALI_READS_ALL);
  if (cell == NULL) {
    return rebali_fail_memory(err);
  }
  cell->present = 1;
  fleet->state.n_present++;
  rebali_fleet_changed(fleet, cell, id, REBALI_READS_ALL);
  fleet->membership_changed = 1;
  *cluster = id;
  return REBAL_OK;
}

/* Makes every set cell of the row absent; if write is 0, only makes their pages writable. */
static int32_t empty_row(rebal_fleet *fleet, struct rebali_row *changed, uint32_t row, int write) {
  uint32_t number;

  for (number = 1; number <= REBALI_CLUSTER_COLUMNS; number++) {
    const int64_t *absent = &fleet->store->columns[number].absent;
    int64_t *cell;

    if (rebali_state_i64(&fleet->state, fleet->store, number, row) == *absent) {
      continue;
    }
    cell = rebali_pages_edit(&fleet->store->allocator, &fleet->state.columns[number], row, absent);
    if (cell == NULL) {
      return REBAL_ENOMEM;
    }
    if (write) {
      *cell = *absent;
    }
  }
  return rebali_capacity_empty(fleet, changed, row, write);
}

int32_t rebali_fleet_present(const rebal_fleet *fleet, uint32_t cluster, rebal_error *err) {
  return rebali_state_present(&fleet->state, cluster)
             ? REBAL_OK
             : rebali_fail(err, REBAL_ENOTFOUND, (int64_t)cluster, "no cluster of the fleet has the id %lu",
                           (unsigned long)cluster);
}

int32_t rebali_fleet_remove_cluster(rebal_fleet *fleet, uint32_t cluster, rebal_error *err) {
  struct rebali_row *cell;
  const int32_t code = rebali_fleet_present(fleet, cluster, err);

  if (code != REBAL_OK) {
    return code;
  }
  cell = rebali_fleet_touch(fleet, cluster, REBALI_READS_ALL);
  if (cell == NULL || empty_row(fleet, cell, cluster, 0) != REBAL_OK ||
      rebali_fleet_drop_nodes(fleet, cluster, 0) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  (void)empty_row(fleet, cell, cluster, 1); /* all is writable now */
  (void)rebali_fleet_drop_nodes(fleet, cluster, 1);
  cell->present = 0;
  fleet->state.n_present--;
  rebali_fleet_changed(fleet, cell, cluster, REBALI_READS_ALL);
  fleet->membership_changed = 1;
  return REBAL_OK;
}

int32_t rebal_fleet_intern(rebal_fleet *fleet, const rebal_record *record, uint32_t *handle, rebal_error *err) {
  uint32_t kind;
  uint32_t id;
  int is_filter; /* its node filter is compiled too */
  int32_t code;

  if (fleet == NULL || record == NULL || handle == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL",
                       fleet == NULL    ? "fleet"
                       : record == NULL ? "record"
                                        : "handle");
  }
  kind = rebali_store_kind(rebal_record_object(record));
  if (kind == REBALI_KINDS) {
    return rebali_fail(err, REBAL_EINVAL, -1, "records of kind %lu are not kept by a fleet",
                       (unsigned long)rebal_record_object(record));
  }
  is_filter = rebal_record_object(record) == REBAL_OBJECT_REQUIREMENTS;
  code = rebali_store_add(fleet->store->records[kind], is_filter ? NULL : &fleet->store->known_records[kind], record,
                          rebali_record_size(record), &id, err);
  if (code == REBAL_OK && is_filter) {
    code = rebali_node_filters_complete(fleet->store, err);
  }
  if (code == REBAL_OK) {
    *handle = id;
  }
  return code;
}

int32_t rebal_fleet_resource_id(rebal_fleet *fleet, const char *name, size_t len, uint32_t *resource,
                                rebal_error *err) {
  struct rebali_state *state;
  struct rebali_text taken;
  uint32_t id;
  int32_t code = take_name(fleet, name, len, resource, &taken, err);

  if (code == REBAL_OK && taken.len == 0) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "the name of a resource is empty");
  }
  if (code != REBAL_OK) {
    return code;
  }
  state = &fleet->state;
  if (rebali_reserve(&fleet->store->allocator, &state->capacities, &fleet->reserved_capacities, state->n_capacities + 1,
                     sizeof *state->capacities) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  code = rebali_store_add(fleet->store->resources, &fleet->store->known_resources, taken.bytes, taken.len, &id, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (id == state->n_capacities) {
    state->capacities[state->n_capacities++] = (struct rebali_capacity_column){
        {NULL, sizeof(struct rebali_amounts)}, {NULL, sizeof(int64_t)}, rebali_text_equal(taken, REBALI_TEXT("cpu"))};
  }
  *resource = id;
  return REBAL_OK;
}
