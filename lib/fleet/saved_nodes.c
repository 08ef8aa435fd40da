/* SPDX-License-Identifier: MIT */
/* Nodes of a cluster as bytes: names, the order of addition, labels and amounts. */
#include "fleet/saved.h"

#define MILLIS_PER_UNIT 1000
#define NANOS_PER_MILLI 1000000

static struct rebali_text name_of(const struct rebali_store *store, const struct rebali_node_table *table,
                                  uint32_t node) {
  return rebali_intern_get(store->texts, rebali_node_name(table, node));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The sort keys of labels. */
struct keys {
  const struct rebali_intern *texts;
  const struct rebali_node_table *table;
};

static int compare_keys(const void *left, const void *right, const void *context) {
  const struct keys *keys = context;
  const struct rebali_node_label *labels = keys->table->labels;

  return rebali_text_compare(rebali_intern_get(keys->texts, labels[*(const int64_t *)left].key),
                             rebali_intern_get(keys->texts, labels[*(const int64_t *)right].key));
}

/* Sorts the labels of the table by key into saving->nanos, which must be large enough. */
static void order_labels(struct rebali_saving *saving, const struct rebali_store *store,
                         const struct rebali_node_table *table) {
  for (size_t i = 0; i < table->n_labels; i++) {
    saving->nanos[i] = (int64_t)i;
  }
  rebali_sort(saving->nanos, table->n_labels, sizeof *saving->nanos, saving->values, compare_keys,
              &(struct keys){store->texts, table});
}

static void save_labels(struct rebali_saving *saving, const struct rebali_store *store,
                        const struct rebali_node_table *table, uint32_t node) {
  uint32_t n = 0;

  for (size_t i = 0; i < table->n_labels; i++) {
    n += rebali_node_label(&table->labels[i], node) != REBAL_NONE;
  }
  rebali_save_u32(saving, n);
  for (size_t i = 0; i < table->n_labels; i++) {
    const struct rebali_node_label *label = &table->labels[saving->nanos[i]];
    const uint32_t value = rebali_node_label(label, node);

    if (value != REBAL_NONE) {
      rebali_save_text(saving, rebali_intern_get(store->texts, label->key));
      rebali_save_text(saving, rebali_intern_get(store->texts, value));
    }
  }
}

static int compare_sequences(const void *left, const void *right, const void *context) {
  const struct rebali_node_table *table = context;
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  const uint32_t first = rebali_nodes_leaf(table, (uint32_t)a / REBALI_NODES)->sequence[a % REBALI_NODES];
  const uint32_t second = rebali_nodes_leaf(table, (uint32_t)b / REBALI_NODES)->sequence[b % REBALI_NODES];

  return first < second ? -1 : first > second;
}

/* Lists the present nodes in the order of addition, and reserves as many cells as there are labels. */
static void list_nodes(struct rebali_saving *saving, const struct rebali_node_table *table) {
  rebali_save_begin(saving, table->n_labels);
  for (uint32_t node = 0; node < table->rows; node++) {
    if (rebali_nodes_present(table, node)) {
      rebali_save_add(saving, node, 0, 0);
    }
  }
  rebali_sort(saving->ids, saving->n, sizeof *saving->ids, saving->values, compare_sequences, table);
}

static void save_amounts(struct rebali_saving *saving, const struct rebali_node_table *table, uint32_t cluster,
                         const struct rebali_node_column *column) {
  rebali_save_begin(saving, 0);
  for (uint32_t node = 0; node < table->rows; node++) {
    const int64_t amount = rebali_node_allocatable(column, node);

    if (amount != 0) {
      rebali_save_add(saving, node, amount, 0);
    }
  }
  if (saving->n != 0) {
    rebali_save_section(saving, REBALI_SAVED_NODE_AMOUNTS, cluster, column->resource);
    rebali_save_u32(saving, saving->n);
    rebali_save_integers(saving, saving->ids, saving->n);
    rebali_save_integers(saving, saving->values, saving->n);
  }
}

static void save_table(struct rebali_saving *saving, const struct rebali_store *store,
                       const struct rebali_node_table *table, uint32_t cluster) {
  list_nodes(saving, table);
  if (saving->failed) {
    return;
  }
  rebali_save_section(saving, REBALI_SAVED_NODES, cluster, 0);
  rebali_save_u32(saving, table->rows);
  for (uint32_t node = 0; node < table->rows; node++) {
    rebali_save_text(saving, name_of(store, table, node));
  }
  order_labels(saving, store, table);
  rebali_save_u32(saving, saving->n);
  for (uint32_t i = 0; i < saving->n; i++) {
    rebali_save_u32(saving, (uint32_t)saving->ids[i]);
    save_labels(saving, store, table, (uint32_t)saving->ids[i]);
  }
  for (size_t i = 0; i < table->n_columns; i++) {
    save_amounts(saving, table, cluster, &table->columns[i]);
  }
}

void rebali_save_nodes(struct rebali_saving *saving, const rebal_fleet *fleet, uint32_t cluster) {
  const struct rebali_node_table *table = rebali_state_nodes(&fleet->state, cluster);
  const rebal_record *quotas = rebali_state_quotas(&fleet->state, cluster);

  if (table != NULL && table->rows != 0) {
    save_table(saving, fleet->store, table, cluster);
  }
  if (quotas != NULL) {
    rebali_save_section(saving, REBALI_SAVED_QUOTAS, cluster, 0);
    rebali_save_record(saving, quotas);
  }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int32_t load_names(struct rebali_loading *loading, rebal_error *err) {
  uint32_t n = 0;
  int32_t code = rebali_load_count(loading, sizeof(uint32_t), &n, err);

  for (uint32_t i = 0; i < n && code == REBAL_OK; i++) {
    struct rebali_text name;
    uint32_t node = 0;

    code = rebali_load_text(loading, &name, err);
    if (code == REBAL_OK) {
      code = rebal_fleet_node_id(loading->fleet, loading->about[0], name.bytes, name.len, &node, err);
    }
    if (code == REBAL_OK && node != i) {
      code = rebali_load_malformed(loading, "the name of a node is stored twice", err);
    }
  }
  return code;
}

static int32_t load_label(struct rebali_loading *loading, rebal_error *err) {
  struct rebali_text key, value = REBALI_TEXT("");
  int32_t code = rebali_load_text(loading, &key, err);

  if (code == REBAL_OK) {
    code = rebali_load_text(loading, &value, err);
  }
  if (code == REBAL_OK) {
    (void)rebal_builder_begin(loading->builder, REBAL_LABELS_LABEL, err);
    (void)rebal_builder_text(loading->builder, REBAL_PAIR_KEY, key.bytes, key.len, err);
    (void)rebal_builder_text(loading->builder, REBAL_PAIR_VALUE, value.bytes, value.len, err);
    code = rebal_builder_end(loading->builder, err);
  }
  return code;
}

static int32_t load_labels(struct rebali_loading *loading, uint32_t node, rebal_error *err) {
  const rebal_record *labels;
  uint32_t n = 0;
  int32_t code = rebali_load_count(loading, 2 * sizeof(uint32_t), &n, err);

  if (code == REBAL_OK && n != 0) {
    code = rebal_builder_start(loading->builder, REBAL_OBJECT_LABELS, err);
    for (uint32_t i = 0; i < n && code == REBAL_OK; i++) {
      code = load_label(loading, err);
    }
    if (code == REBAL_OK) {
      code = rebal_builder_finish(loading->builder, &labels, err);
    }
    if (code == REBAL_OK) {
      code = rebal_fleet_set_node_labels(loading->fleet, loading->about[0], node, labels, err);
    }
  }
  return code;
}

/*
 * Reads the next node in the order of addition. Its labels may move it to the end, so they are set before the next node
 * is added.
 */
static int32_t load_node(struct rebali_loading *loading, rebal_error *err) {
  const struct rebali_node_table *table = rebali_state_nodes(&loading->fleet->state, loading->about[0]);
  struct rebali_text name;
  uint32_t node = 0;
  int32_t code = rebali_load_u32(loading, &node, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (table == NULL || node >= table->rows) {
    return rebali_load_malformed(loading, "a node has no name", err);
  }
  name = name_of(loading->fleet->store, table, node);
  code = rebal_fleet_add_node(loading->fleet, loading->about[0], name.bytes, name.len, &node, err);
  return code == REBAL_OK ? load_labels(loading, node, err) : code;
}

int32_t rebali_load_nodes(struct rebali_loading *loading, rebal_error *err) {
  uint32_t n = 0;
  int32_t code = load_names(loading, err);

  if (code == REBAL_OK) {
    code = rebali_load_count(loading, 2 * sizeof(uint32_t), &n, err);
  }
  for (uint32_t i = 0; i < n && code == REBAL_OK; i++) {
    code = load_node(loading, err);
  }
  return code;
}

int32_t rebali_load_node_amounts(struct rebali_loading *loading, rebal_error *err) {
  const uint32_t resource = loading->about[1];
  int32_t code = rebali_load_ids(loading, err);

  if (code == REBAL_OK && resource >= loading->fleet->state.n_capacities) {
    code = rebali_load_malformed(loading, "a resource has no name", err);
  }
  if (code == REBAL_OK) {
    code = rebali_load_integers(loading, loading->values, loading->n, err);
  }
  for (uint32_t i = 0; i < loading->n && code == REBAL_OK; i++) {
    const int64_t kept = loading->values[i];
    const int is_cpu = loading->fleet->state.capacities[resource].is_cpu != 0;
    const rebal_quantity amount = {is_cpu ? kept / MILLIS_PER_UNIT : kept,
                                   is_cpu ? (int32_t)(kept % MILLIS_PER_UNIT) * NANOS_PER_MILLI : 0,
                                   REBAL_QUANTITY_FORMAT_DECIMAL_SI};

    code = rebal_fleet_put_node_amounts(loading->fleet, loading->about[0], resource, &loading->ids[i], &amount, 1, err);
  }
  return code;
}

int32_t rebali_load_quotas(struct rebali_loading *loading, rebal_error *err) {
  const rebal_record *quotas;
  const int32_t code = rebali_load_record(loading, REBAL_OBJECT_QUOTAS, &quotas, err);

  return code == REBAL_OK ? rebal_fleet_set_quotas(loading->fleet, loading->about[0], quotas, err) : code;
}
