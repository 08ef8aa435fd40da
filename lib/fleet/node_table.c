/* SPDX-License-Identifier: MIT */
/* Tables of nodes: references, rows by name, columns. */
#include "fleet/nodes.h"

#define FIRST_PLACES 128u

static const struct rebali_leaf_kind node_leaves = {sizeof(struct rebali_node_leaf), NULL, NULL, NULL};
static const struct rebali_leaf_kind amount_leaves = {sizeof(struct rebali_amount_leaf), NULL, NULL, NULL};
static const struct rebali_leaf_kind value_leaves = {sizeof(struct rebali_value_leaf), NULL, NULL, NULL};

/* ---- owners ------------------------------------------------------------------------------------------------------ */

/* Tables of neighbouring rows: few, as each change of one of them updates its neighbours' reference counts. */
#define TABLES 8u
struct table_leaf {
  struct rebali_node_table *tables[TABLES];
};

static void unref_table(const rebal_allocator *allocator, struct rebali_node_table *table) {
  if (table == NULL || atomic_fetch_sub_explicit(&table->references, 1, memory_order_acq_rel) != 1) {
    return;
  }
  rebali_tree_drop(allocator, &node_leaves, &table->nodes);
  for (size_t i = 0; i < table->n_columns; i++) {
    rebali_tree_drop(allocator, &amount_leaves, &table->columns[i].amounts);
  }
  for (size_t i = 0; i < table->n_labels; i++) {
    rebali_tree_drop(allocator, &value_leaves, &table->labels[i].values);
  }
  for (uint32_t i = 0; i < REBALI_ROW_TABLES; i++) {
    const struct rebali_leaf_kind kind = rebali_rows_kind(REBAL_TABLE_POD + i);

    rebali_tree_drop(allocator, &kind, &table->others[i].leaves);
  }
  rebali_release(allocator, table->columns);
  rebali_release(allocator, table->labels);
  rebali_order_unref(allocator, table->order);
  rebali_quotas_unref(allocator, table->quotas);
  rebali_release(allocator, table->places);
  rebali_release(allocator, table);
}

static void copied_tables(void *block) {
  const struct table_leaf *leaf = block;

  for (size_t i = 0; i < TABLES; i++) {
    if (leaf->tables[i] != NULL) {
      atomic_fetch_add_explicit(&leaf->tables[i]->references, 1, memory_order_relaxed);
    }
  }
}

static void drop_tables(const rebal_allocator *allocator, void *block) {
  const struct table_leaf *leaf = block;

  for (size_t i = 0; i < TABLES; i++) {
    unref_table(allocator, leaf->tables[i]);
  }
}

const struct rebali_leaf_kind rebali_node_tables = {sizeof(struct table_leaf), NULL, copied_tables, drop_tables};

static void share_columns(const struct rebali_node_table *old, struct rebali_node_table *table) {
  for (size_t i = 0; i < old->n_columns; i++) {
    table->columns[i] =
        (struct rebali_node_column){old->columns[i].resource, rebali_tree_share(&old->columns[i].amounts)};
  }
  for (size_t i = 0; i < old->n_labels; i++) {
    table->labels[i] = (struct rebali_node_label){old->labels[i].key, rebali_tree_share(&old->labels[i].values)};
  }
  table->n_columns = old->n_columns;
  table->n_labels = old->n_labels;
}

/* Copies a table. The copy shares all with the old one and takes its places, which only the writer reads. */
static struct rebali_node_table *copy_table(const rebal_allocator *allocator, struct rebali_node_table *old) {
  struct rebali_node_table *table = rebali_allocate(allocator, 1, sizeof *table);

  if (table == NULL) {
    return NULL;
  }
  *table = (struct rebali_node_table){.version = old->version,
                                      .rows = old->rows,
                                      .next_sequence = old->next_sequence,
                                      .is_unordered = old->is_unordered,
                                      .places = old->places,
                                      .n_places = old->n_places};
  atomic_init(&table->references, 1);
  if (rebali_reserve(allocator, &table->columns, &table->columns_capacity, old->n_columns, sizeof *table->columns) !=
          REBAL_OK ||
      rebali_reserve(allocator, &table->labels, &table->labels_capacity, old->n_labels, sizeof *table->labels) !=
          REBAL_OK) {
    rebali_release(allocator, table->columns);
    rebali_release(allocator, table);
    return NULL;
  }
  share_columns(old, table);
  table->nodes = rebali_tree_share(&old->nodes);
  for (size_t i = 0; i < REBALI_ROW_TABLES; i++) {
    table->others[i] = old->others[i];
    table->others[i].leaves = rebali_tree_share(&old->others[i].leaves);
  }
  table->order = rebali_order_ref(old->order);
  table->quotas = rebali_quotas_ref(old->quotas);
  old->places = NULL;
  return table;
}

static struct rebali_node_table *new_table(const rebal_allocator *allocator) {
  struct rebali_node_table *table = rebali_allocate_zero(allocator, 1, sizeof *table);

  if (table != NULL) {
    atomic_init(&table->references, 1);
  }
  return table;
}

struct rebali_node_table *rebali_fleet_nodes(rebal_fleet *fleet, uint32_t cluster) {
  const rebal_allocator *allocator = &fleet->store->allocator;
  struct table_leaf *leaf = rebali_tree_edit(allocator, &rebali_node_tables, &fleet->state.tables, cluster / TABLES);
  struct rebali_node_table **place = leaf == NULL ? NULL : &leaf->tables[cluster % TABLES];
  struct rebali_node_table *table;

  /* Acquire: the last other owner's reads happen before our writes. */
  if (place == NULL || (*place != NULL && atomic_load_explicit(&(*place)->references, memory_order_acquire) == 1)) {
    return place == NULL ? NULL : *place;
  }
  table = *place == NULL ? new_table(allocator) : copy_table(allocator, *place);
  if (table != NULL) {
    unref_table(allocator, *place);
    *place = table;
  }
  return table;
}

const struct rebali_node_table *rebali_state_nodes(const struct rebali_state *state, uint32_t cluster) {
  const struct table_leaf *leaf = rebali_tree_get(&state->tables, cluster / TABLES);

  return leaf == NULL ? NULL : leaf->tables[cluster % TABLES];
}

int32_t rebali_fleet_drop_nodes(rebal_fleet *fleet, uint32_t cluster, int write) {
  const rebal_allocator *allocator = &fleet->store->allocator;
  struct table_leaf *leaf;

  if (rebali_state_nodes(&fleet->state, cluster) == NULL) {
    return REBAL_OK;
  }
  leaf = rebali_tree_edit(allocator, &rebali_node_tables, &fleet->state.tables, cluster / TABLES);
  if (leaf == NULL) {
    return REBAL_ENOMEM;
  }
  if (write) {
    unref_table(allocator, leaf->tables[cluster % TABLES]);
    leaf->tables[cluster % TABLES] = NULL;
  }
  return REBAL_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

struct rebali_node_leaf *rebali_nodes_edit(const rebal_fleet *fleet, struct rebali_node_table *table, uint32_t leaf) {
  return rebali_tree_edit(&fleet->store->allocator, &node_leaves, &table->nodes, leaf);
}

/* Returns the place of a name, or the empty place for it; one is always empty. */
static uint32_t *find_place(const struct rebali_node_table *table, uint32_t *places, size_t n, uint32_t name) {
  size_t at = name * UINT32_C(2654435769) & (n - 1);

  while (places[at] != 0) {
    const uint32_t row = places[at] - 1;

    if (rebali_node_name(table, row) == name) {
      break;
    }
    at = (at + 1) & (n - 1);
  }
  return &places[at];
}

uint32_t rebali_node_row_find(const struct rebali_node_table *table, uint32_t name) {
  return table->n_places == 0 ? REBAL_NONE : *find_place(table, table->places, table->n_places, name) - 1;
}

/* Keeps at least a quarter of the places empty after one more row. */
static int32_t make_places(const rebal_allocator *allocator, struct rebali_node_table *table) {
  const size_t n = table->n_places == 0 ? FIRST_PLACES : table->n_places * 2;
  uint32_t *places;

  if (table->rows < table->n_places / 4 * 3) {
    return REBAL_OK;
  }
  places = rebali_allocate_zero(allocator, n, sizeof *places);
  if (places == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t row = 0; row < table->rows; row++) {
    const uint32_t name = rebali_node_name(table, row);

    *find_place(table, places, n, name) = row + 1;
  }
  rebali_release(allocator, table->places);
  table->places = places;
  table->n_places = n;
  return REBAL_OK;
}

int32_t rebali_node_row_add(const rebal_fleet *fleet, struct rebali_node_table *table, uint32_t name, uint32_t *row) {
  const uint32_t place = table->rows % REBALI_NODES;
  struct rebali_node_leaf *leaf;

  if (table->rows == REBAL_NONE - 1) {
    return REBAL_ELIMIT;
  }
  leaf = rebali_nodes_edit(fleet, table, table->rows / REBALI_NODES);
  if (leaf == NULL || make_places(&fleet->store->allocator, table) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  leaf->names[place] = name;
  leaf->taints[place] = REBAL_NONE;
  *find_place(table, table->places, table->n_places, name) = table->rows + 1;
  *row = table->rows++;
  return REBAL_OK;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* Returns the index of the resource, or where it would be inserted. */
static size_t find_column(const struct rebali_node_table *table, uint32_t resource) {
  size_t at;

  REBALI_BISECT(at, table->n_columns, table->columns[at].resource < resource);
  return at;
}

static int has_column(const struct rebali_node_table *table, size_t place, uint32_t resource) {
  return place < table->n_columns && table->columns[place].resource == resource;
}

/* Returns the index of the key, or where it would be inserted. */
static size_t find_label(const struct rebali_node_table *table, uint32_t key) {
  size_t at;

  REBALI_BISECT(at, table->n_labels, table->labels[at].key < key);
  return at;
}

const struct rebali_amount_leaf *rebali_nodes_amounts(const struct rebali_node_table *table, uint32_t resource,
                                                      uint32_t leaf) {
  const size_t found = find_column(table, resource);

  return has_column(table, found, resource) ? rebali_tree_get(&table->columns[found].amounts, leaf) : NULL;
}

const struct rebali_value_leaf *rebali_nodes_values(const struct rebali_node_table *table, uint32_t key,
                                                    uint32_t leaf) {
  const size_t found = find_label(table, key);

  return found < table->n_labels && table->labels[found].key == key
             ? rebali_tree_get(&table->labels[found].values, leaf)
             : NULL;
}

struct rebali_amount_leaf *rebali_nodes_edit_amounts(const rebal_fleet *fleet, struct rebali_node_table *table,
                                                     uint32_t resource, uint32_t leaf) {
  const rebal_allocator *allocator = &fleet->store->allocator;
  const size_t found = find_column(table, resource);

  if (!has_column(table, found, resource)) {
    if (rebali_reserve(allocator, &table->columns, &table->columns_capacity, table->n_columns + 1,
                       sizeof *table->columns) != REBAL_OK) {
      return NULL;
    }
    memmove(table->columns + found + 1, table->columns + found, (table->n_columns - found) * sizeof *table->columns);
    table->columns[found] = (struct rebali_node_column){resource, {NULL, 0}};
    table->n_columns++;
  }
  return rebali_tree_edit(allocator, &amount_leaves, &table->columns[found].amounts, leaf);
}

/* A new leaf is filled with the mark for no value. */
static struct rebali_value_leaf *edit_values(const rebal_allocator *allocator, struct rebali_tree *tree,
                                             uint32_t number) {
  const int is_new = rebali_tree_get(tree, number) == NULL;
  struct rebali_value_leaf *leaf = rebali_tree_edit(allocator, &value_leaves, tree, number);

  for (size_t i = 0; leaf != NULL && is_new && i < REBALI_NODES; i++) {
    leaf->values[i] = REBAL_NONE;
  }
  return leaf;
}

struct rebali_value_leaf *rebali_nodes_edit_values(const rebal_fleet *fleet, struct rebali_node_table *table,
                                                   uint32_t key, uint32_t leaf) {
  const rebal_allocator *allocator = &fleet->store->allocator;
  const size_t place = find_label(table, key);

  if (place == table->n_labels || table->labels[place].key != key) {
    if (rebali_reserve(allocator, &table->labels, &table->labels_capacity, table->n_labels + 1,
                       sizeof *table->labels) != REBAL_OK) {
      return NULL;
    }
    memmove(&table->labels[place + 1], &table->labels[place], (table->n_labels - place) * sizeof *table->labels);
    table->labels[place] = (struct rebali_node_label){key, {NULL, 0}};
    table->n_labels++;
  }
  return edit_values(allocator, &table->labels[place].values, leaf);
}
