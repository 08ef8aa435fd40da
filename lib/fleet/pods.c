/* SPDX-License-Identifier: MIT */
/* Amounts that pods take of their nodes, kept exactly: removing a pod restores the amount before it. */
#include "fleet/nodes.h"

/* The parts of a pod's row that count. */
struct pod {
  int64_t node;
  int64_t resources;
  int64_t terminal;
};
/* The pod's node, ready to be charged. */
struct account {
  struct rebali_node_leaf *leaf; /* NULL: none */
  const struct rebali_takes *takes;
  uint32_t node;
};

static struct pod read_pod(const struct rebali_rows_leaf *leaf, uint32_t place) {
  return (struct pod){
      rebali_rows_integer(leaf, rebali_rows_at(REBAL_POD_NODE), place),
      rebali_rows_id(leaf, rebali_rows_at(REBAL_POD_RESOURCES), place),
      (int64_t)(rebali_rows_bits(leaf, rebali_rows_at(REBAL_POD_TERMINAL)) >> place & 1u),
  };
}

/* After success, nothing that the pod takes fails for lack of memory. */
static int32_t open_account(const struct rebali_node_change *change, struct pod pod, struct account *account,
                            rebal_error *err) {
  const uint32_t node = pod.terminal || pod.node == REBAL_ABSENT ? REBAL_NONE : (uint32_t)pod.node;
  const uint32_t leaf = node / REBALI_NODES;
  int32_t code = rebali_fleet_takes(change->fleet, (uint32_t)pod.resources, &account->takes, err);

  account->leaf = NULL;
  account->node = node;
  if (code != REBAL_OK || node == REBAL_NONE) {
    return code;
  }
  for (size_t i = 0; i < account->takes->n; i++) {
    if (rebali_nodes_edit_amounts(change->fleet, change->table, account->takes->takes[i].resource, leaf) == NULL) {
      return rebali_fail_memory(err);
    }
  }
  account->leaf = rebali_nodes_edit(change->fleet, change->table, leaf);
  return account->leaf == NULL ? rebali_fail_memory(err) : REBAL_OK;
}

static int64_t *used_of(const struct rebali_node_change *change, const struct account *account, size_t i) {
  struct rebali_amount_leaf *leaf = rebali_nodes_edit_amounts(
      change->fleet, change->table, account->takes->takes[i].resource, account->node / REBALI_NODES);

  return &leaf->used[account->node % REBALI_NODES];
}

static int fits(const struct rebali_node_change *change, const struct account *account) {
  int all = 1;

  for (size_t i = 0; account->leaf != NULL && i < account->takes->n; i++) {
    all &= account->takes->takes[i].amount <= INT64_MAX - *used_of(change, account, i);
  }
  return all;
}

static void apply(const struct rebali_node_change *change, const struct account *account, int sign) {
  for (size_t i = 0; account->leaf != NULL && i < account->takes->n; i++) {
    *used_of(change, account, i) += sign * account->takes->takes[i].amount;
  }
  if (account->leaf != NULL) {
    account->leaf->version = change->fleet->version + 1;
  }
}

static int32_t check_node(const struct rebali_node_change *change, uint32_t row, int64_t node, rebal_error *err) {
  return node == REBAL_ABSENT || (node >= 0 && node < (int64_t)change->table->rows)
             ? REBAL_OK
             : rebali_fail(err, REBAL_EINVAL, (int64_t)row, "no node of the cluster has the id %lld", (long long)node);
}

int32_t rebali_pod_charge(const struct rebali_node_change *change, const struct rebali_rows_leaf *leaf, uint32_t row,
                          uint32_t column, int64_t value, rebal_error *err) {
  struct pod pod;
  struct account before;
  struct account after;
  int32_t code = column == REBAL_POD_NODE ? check_node(change, row, value, err) : REBAL_OK;

  if (column != 0 && column != REBAL_POD_NODE && column != REBAL_POD_RESOURCES && column != REBAL_POD_TERMINAL) {
    return REBAL_OK;
  }
  pod = read_pod(leaf, row % REBALI_NODES);
  if (code == REBAL_OK) {
    code = open_account(change, pod, &before, err);
  }
  pod.node = column == 0 ? REBAL_ABSENT : column == REBAL_POD_NODE ? value : pod.node;
  pod.resources = column == REBAL_POD_RESOURCES ? value : pod.resources;
  pod.terminal = column == REBAL_POD_TERMINAL ? value : pod.terminal;
  if (code == REBAL_OK) {
    code = open_account(change, pod, &after, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  apply(change, &before, -1);
  if (!fits(change, &after)) {
    apply(change, &before, 1);
    return rebali_fail(err, REBAL_ERANGE, (int64_t)row, "the pods of node %lu take more than 2^63 - 1",
                       (unsigned long)after.node);
  }
  apply(change, &after, 1);
  return REBAL_OK;
}
