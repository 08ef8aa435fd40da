/* SPDX-License-Identifier: MIT */
/* A fleet as bytes: the order of the sections, and the functions that save and load all of them. */
#include "fleet/saved.h"

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static int32_t check_save(const rebal_fleet *fleet, const rebal_bindings *bindings, const rebal_ledger *ledger,
                          const void *buffer, size_t capacity, const size_t *len, rebal_error *err) {
  if (fleet == NULL || len == NULL || (buffer == NULL && capacity != 0)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", fleet == NULL ? "fleet" : len == NULL ? "len" : "buffer");
  }
  if (bindings != NULL && bindings->set.store != fleet->store) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "the bindings belong to another fleet");
  }
  return ledger != NULL && rebali_ledger_fleet(ledger) != fleet->store
             ? rebali_fail(err, REBAL_EMISMATCH, -1, "the ledger belongs to another fleet")
             : REBAL_OK;
}

/* Saves the tables below a cluster. */
static void save_cluster(struct rebali_saving *saving, const rebal_fleet *fleet, uint32_t cluster) {
  rebali_save_nodes(saving, fleet, cluster);
  if (rebali_state_nodes(&fleet->state, cluster) != NULL) {
    rebali_save_columns(saving, &fleet->handle, REBAL_TABLE_NODE, cluster);
  }
  for (uint32_t i = 0; i < REBALI_ROW_TABLES; i++) {
    rebali_save_rows(saving, fleet, REBAL_TABLE_POD + i, cluster);
  }
}

/* The cells of clusters come last: amounts and nodes set some of them. */
static void save_fleet(struct rebali_saving *saving, const rebal_fleet *fleet) {
  rebali_save_clusters(saving, fleet);
  rebali_save_resources(saving, fleet);
  rebali_save_records(saving, fleet->store);
  rebali_save_amounts(saving, fleet);
  for (uint32_t cluster = 0; cluster < fleet->state.n_rows; cluster++) {
    if (rebali_state_present(&fleet->state, cluster)) {
      save_cluster(saving, fleet, cluster);
    }
  }
  rebali_save_columns(saving, &fleet->handle, REBAL_TABLE_CLUSTER, REBAL_NONE);
}

static int32_t save_all(struct rebali_saving *saving, const rebal_fleet *fleet, const rebal_bindings *bindings,
                        const rebal_ledger *ledger, rebal_error *err) {
  int32_t code;

  rebali_save_head(saving, REBALI_SAVED_MAGIC, REBALI_SAVED_VERSION);
  save_fleet(saving, fleet);
  if (bindings != NULL) {
    rebali_save_bindings(saving, bindings);
  }
  code = ledger == NULL ? REBAL_OK : rebali_save_ledger(saving, ledger, err);
  rebali_save_end(saving);
  return code;
}

int32_t rebal_fleet_save(const rebal_fleet *fleet, const rebal_bindings *bindings, const rebal_ledger *ledger,
                         void *buffer, size_t capacity, size_t *len, rebal_error *err) {
  struct rebali_saving saving = {.bytes = buffer, .capacity = capacity};
  int32_t code = check_save(fleet, bindings, ledger, buffer, capacity, len, err);

  if (code != REBAL_OK) {
    return code;
  }
  saving.allocator = &fleet->store->allocator;
  code = save_all(&saving, fleet, bindings, ledger, err);
  rebali_saving_dispose(&saving);
  return code == REBAL_OK ? rebali_saving_end(&saving, len, err) : code;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int32_t (*const readers[])(struct rebali_loading *loading, rebal_error *err) = {
    [REBALI_SAVED_CLUSTERS] = rebali_load_clusters, [REBALI_SAVED_RESOURCES] = rebali_load_resources,
    [REBALI_SAVED_RECORDS] = rebali_load_records,   [REBALI_SAVED_AMOUNTS] = rebali_load_amounts,
    [REBALI_SAVED_NODES] = rebali_load_nodes,       [REBALI_SAVED_NODE_AMOUNTS] = rebali_load_node_amounts,
    [REBALI_SAVED_QUOTAS] = rebali_load_quotas,     [REBALI_SAVED_ROWS] = rebali_load_rows,
    [REBALI_SAVED_CHILDREN] = rebali_load_children, [REBALI_SAVED_COLUMN] = rebali_load_column,
    [REBALI_SAVED_FROZEN] = rebali_load_frozen,     [REBALI_SAVED_LEDGER] = rebali_load_ledger,
};

static const struct rebali_saved_frame frame = {REBALI_SAVED_MAGIC, "not a saved fleet", REBALI_SAVED_VERSION,
                                                REBALI_COUNT(readers), readers};

static int32_t load_with_builder(struct rebali_loading *loading, size_t len, rebal_error *err) {
  int32_t code = rebal_builder_new(loading->allocator, &loading->builder, err);

  if (code == REBAL_OK) {
    code = rebali_load_all(loading, &frame, len, err);
    rebal_builder_free(loading->builder);
  }
  rebali_loading_dispose(loading);
  return code;
}

int32_t rebal_fleet_load(const rebal_allocator *allocator, const void *bytes, size_t len, rebal_fleet **fleet,
                         rebal_bindings **bindings, rebal_ledger **ledger, rebal_error *err) {
  rebal_allocator memory;
  struct rebali_loading loading = {.bytes = bytes, .end = len, .allocator = &memory};
  int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code == REBAL_OK && (fleet == NULL || (bytes == NULL && len != 0))) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", fleet == NULL ? "fleet" : "bytes");
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_new(&memory, &loading.fleet, err);
  }
  if (code == REBAL_OK) {
    code = load_with_builder(&loading, len, err);
  }
  if (code != REBAL_OK || bindings == NULL) {
    rebal_bindings_free(loading.bindings);
  }
  if (code != REBAL_OK || ledger == NULL) {
    rebal_ledger_free(loading.ledger);
  }
  if (code != REBAL_OK) {
    rebal_fleet_free(loading.fleet);
    return code;
  }
  *fleet = loading.fleet;
  if (bindings != NULL) {
    *bindings = loading.bindings;
  }
  if (ledger != NULL) {
    *ledger = loading.ledger;
  }
  return REBAL_OK;
}
