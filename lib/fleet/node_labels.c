/* SPDX-License-Identifier: MIT */
/* Labels of a node: ids of texts by key. */
#include "fleet/nodes.h"

/* Finds or adds the ids of key and value; if write is 1, they already exist. */
static int32_t find_pair(const rebal_fleet *fleet, const rebal_record *labels, uint32_t node, int write, uint32_t *key,
                         uint32_t *value, rebal_error *err) {
  struct rebali_intern *texts = fleet->store->texts;
  const struct rebali_text name = rebali_record_field_text(labels, node, REBAL_PAIR_KEY);
  const struct rebali_text text = rebali_record_field_text(labels, node, REBAL_PAIR_VALUE);
  int32_t code = REBAL_OK;

  if (write) {
    *key = rebali_intern_find(texts, name.bytes, name.len);
    *value = rebali_intern_find(texts, text.bytes, text.len);
  } else {
    code = rebali_store_add(texts, NULL, name.bytes, name.len, key, err);
    if (code == REBAL_OK) {
      code = rebali_store_add(texts, NULL, text.bytes, text.len, value, err);
    }
  }
  return code;
}

/* Sets the record's labels; if write is 0, only makes them writable. */
static int32_t put_labels(const struct rebali_node_change *change, const rebal_record *labels, int write,
                          rebal_error *err) {
  uint32_t pair = REBAL_NONE;

  while ((pair = rebali_record_next(labels, 0, REBAL_LABELS_LABEL, pair)) != REBAL_NONE) {
    struct rebali_value_leaf *leaf;
    uint32_t key;
    uint32_t value;
    const int32_t code = find_pair(change->fleet, labels, pair, write, &key, &value, err);

    if (code != REBAL_OK) {
      return code;
    }
    leaf = rebali_nodes_edit_values(change->fleet, change->table, key, rebali_node_leaf_of(change));
    if (leaf == NULL) {
      return rebali_fail_memory(err);
    }
    if (write) {
      leaf->values[rebali_node_place(change)] = value;
    }
  }
  return REBAL_OK;
}

int32_t rebali_node_drop_labels(const struct rebali_node_change *change, int write) {
  const uint32_t number = rebali_node_leaf_of(change);

  if (!rebali_bit_get(&change->leaf->labelled, rebali_node_place(change))) {
    return REBAL_OK;
  }
  for (size_t i = 0; i < change->table->n_labels; i++) {
    const uint32_t key = change->table->labels[i].key;
    const struct rebali_value_leaf *seen = rebali_tree_get(&change->table->labels[i].values, number);

    if (seen != NULL && seen->values[rebali_node_place(change)] != REBAL_NONE) {
      struct rebali_value_leaf *leaf = rebali_nodes_edit_values(change->fleet, change->table, key, number);

      if (leaf == NULL) {
        return REBAL_ENOMEM;
      }
      leaf->values[rebali_node_place(change)] = write ? REBAL_NONE : leaf->values[rebali_node_place(change)];
    }
  }
  rebali_bit_set(&change->leaf->labelled, rebali_node_place(change), !write);
  return REBAL_OK;
}

int32_t rebal_fleet_set_node_labels(rebal_fleet *fleet, uint32_t cluster, uint32_t node, const rebal_record *labels,
                                    rebal_error *err) {
  struct rebali_node_change change;
  struct rebali_zone from;
  int32_t code = labels == NULL || rebal_record_object(labels) == REBAL_OBJECT_LABELS
                     ? rebali_node_begin(fleet, cluster, node, &change, err)
                     : rebali_fail(err, REBAL_EINVAL, -1, "the record holds no labels");

  if (code == REBAL_OK) {
    code = put_labels(&change, labels, 0, err);
  }
  if (code == REBAL_OK) {
    code = rebali_node_may_move(&change, err);
  }
  if (code == REBAL_OK && rebali_node_drop_labels(&change, 0) != REBAL_OK) {
    code = rebali_fail_memory(err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  from = rebali_nodes_zone(fleet, change.table, node);
  (void)rebali_node_drop_labels(&change, 1);
  (void)put_labels(&change, labels, 1, NULL);
  rebali_bit_set(&change.leaf->labelled, rebali_node_place(&change), labels != NULL);
  rebali_node_moved(&change, from);
  rebali_node_end(&change);
  return REBAL_OK;
}
