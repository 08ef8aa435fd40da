/* SPDX-License-Identifier: MIT */
/* Allocatable amounts of a node, by resource. */
#include "fleet/nodes.h"

int32_t rebali_node_drop_amounts(const struct rebali_node_change *change, int write) {
  const uint32_t number = rebali_node_leaf_of(change);
  const uint32_t place = rebali_node_place(change);

  if (!rebali_bit_get(&change->leaf->stated, place)) {
    return REBAL_OK;
  }
  for (size_t i = 0; i < change->table->n_columns; i++) {
    const uint32_t resource = change->table->columns[i].resource;
    const struct rebali_amount_leaf *seen = rebali_tree_get(&change->table->columns[i].amounts, number);

    if (seen != NULL && seen->allocatable[place] != 0) {
      struct rebali_amount_leaf *leaf = rebali_nodes_edit_amounts(change->fleet, change->table, resource, number);

      if (leaf == NULL) {
        return REBAL_ENOMEM;
      }
      leaf->allocatable[place] = write ? 0 : leaf->allocatable[place];
    }
  }
  rebali_bit_set(&change->leaf->stated, place, !write);
  return REBAL_OK;
}

/* Returns the amount in the unit in which a node's amounts are kept. */
static int64_t kept(const rebal_fleet *fleet, uint32_t resource, const rebal_quantity *amount) {
  return fleet->state.capacities[resource].is_cpu ? rebali_quantity_milli(amount) : rebali_quantity_value(amount);
}

static int32_t check_amounts(const rebal_fleet *fleet, const uint32_t *resources, const rebal_quantity *amounts,
                             size_t n, rebal_error *err) {
  if ((resources == NULL || amounts == NULL) && n != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", resources == NULL ? "the array of resources" : "amounts");
  }
  for (size_t i = 0; i < n; i++) {
    if (resources[i] >= fleet->state.n_capacities) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "no resource has the id %lu", (unsigned long)resources[i]);
    }
    if (!rebali_quantity_is_proper(&amounts[i])) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "the amount is not a quantity");
    }
    for (size_t j = 0; j < i; j++) {
      if (resources[j] == resources[i]) {
        return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "a resource is listed twice");
      }
    }
  }
  return REBAL_OK;
}

int32_t rebal_fleet_set_node_amounts(rebal_fleet *fleet, uint32_t cluster, uint32_t node, const uint32_t *resources,
                                     const rebal_quantity *amounts, size_t n, rebal_error *err) {
  struct rebali_node_change change;
  int32_t code = rebali_node_begin(fleet, cluster, node, &change, err);

  if (code == REBAL_OK) {
    code = check_amounts(fleet, resources, amounts, n, err);
  }
  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    if (rebali_nodes_edit_amounts(fleet, change.table, resources[i], rebali_node_leaf_of(&change)) == NULL) {
      code = rebali_fail_memory(err);
    }
  }
  if (code == REBAL_OK && rebali_node_drop_amounts(&change, 0) != REBAL_OK) {
    code = rebali_fail_memory(err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  (void)rebali_node_drop_amounts(&change, 1);
  for (size_t i = 0; i < n; i++) {
    rebali_nodes_edit_amounts(fleet, change.table, resources[i], rebali_node_leaf_of(&change))
        ->allocatable[rebali_node_place(&change)] = kept(fleet, resources[i], &amounts[i]);
  }
  rebali_bit_set(&change.leaf->stated, rebali_node_place(&change), n != 0);
  rebali_node_end(&change);
  return REBAL_OK;
}

static int32_t put_amount(const struct rebali_node_change *change, uint32_t resource, const rebal_quantity *amount,
                          rebal_error *err) {
  struct rebali_amount_leaf *leaf =
      rebali_nodes_edit_amounts(change->fleet, change->table, resource, rebali_node_leaf_of(change));

  if (leaf == NULL) {
    return rebali_fail_memory(err);
  }
  leaf->allocatable[rebali_node_place(change)] = kept(change->fleet, resource, amount);
  rebali_bit_set(&change->leaf->stated, rebali_node_place(change), 1);
  rebali_node_end(change);
  return REBAL_OK;
}

int32_t rebal_fleet_put_node_amounts(rebal_fleet *fleet, uint32_t cluster, uint32_t resource, const uint32_t *nodes,
                                     const rebal_quantity *amounts, size_t n, rebal_error *err) {
  struct rebali_node_change change;
  int32_t code = fleet == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "fleet is NULL")
                               : rebali_node_table_begin(fleet, cluster, &change, err);

  if (code == REBAL_OK && (resource >= fleet->state.n_capacities || (amounts == NULL && n != 0))) {
    code = rebali_fail(err, REBAL_EINVAL, -1,
                       resource >= fleet->state.n_capacities ? "unknown resource id" : "the array of amounts is NULL");
  }
  if (code == REBAL_OK && n > UINT32_MAX) {
    code = rebali_fail(err, REBAL_ELIMIT, -1, "more amounts than there can be nodes");
  }
  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    const uint32_t node = nodes == NULL ? (uint32_t)i : nodes[i];

    code = rebali_quantity_is_proper(&amounts[i]) ? rebali_node_open(&change, node, err)
                                                  : rebali_fail(err, REBAL_EINVAL, (int64_t)node, "invalid quantity");
    if (code == REBAL_OK) {
      code = put_amount(&change, resource, &amounts[i], err);
    }
  }
  return code;
}
