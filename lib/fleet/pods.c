/* SPDX-License-Identifier: MIT */
/* What pods take of their nodes: kept exactly, so that a pod that goes leaves what was there before it. */
#include "fleet/nodes.h"

/* What of a pod's row counts. */
struct pod {
  uint32_t node; /* REBAL_NONE: it takes nothing */
  uint32_t resources;
};
/* Its node, ready to be charged. */
struct account {
  struct rebali_node_leaf *leaf; /* NULL: none */
  const struct rebali_takes *takes;
  uint32_t node;
};

static int64_t cell(const struct rebali_rows_leaf *leaf, uint32_t column, uint32_t place) {
  return rebali_rows_i64(leaf, rebali_field_find(column), place);
}

/* As the row is but for one column. */
static struct pod read_pod(const struct rebali_rows_leaf *leaf, uint32_t place, uint32_t column, int64_t value) {
  const int64_t terminal = column == REBAL_POD_TERMINAL ? value : cell(leaf, REBAL_POD_TERMINAL, place);
  const int64_t node = column == REBAL_POD_NODE ? value : cell(leaf, REBAL_POD_NODE, place);
  const int64_t resources = column == REBAL_POD_RESOURCES ? value : cell(leaf, REBAL_POD_RESOURCES, place);

  return (struct pod){terminal ? REBAL_NONE : (uint32_t)node, (uint32_t)resources};
}

/* After it nothing that the pod takes fails for memory. */
static int32_t open_account(const struct rebali_node_change *change, struct pod pod, struct account *account,
                            rebal_error *err) {
  const uint32_t leaf = pod.node / REBALI_NODES;
  int32_t code = rebali_fleet_takes(change->fleet, pod.resources, &account->takes, err);

  account->leaf = NULL;
  account->node = pod.node;
  if (code != REBAL_OK || pod.node == REBAL_NONE) {
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
  return node == (int64_t)REBAL_NONE || (node >= 0 && node < (int64_t)change->table->rows)
             ? REBAL_OK
             : rebali_fail(err, REBAL_EINVAL, (int64_t)row, "no node of the cluster has the id %lld", (long long)node);
}

int32_t rebali_pod_charge(const struct rebali_node_change *change, const struct rebali_rows_leaf *leaf, uint32_t row,
                          uint32_t column, int64_t value, rebal_error *err) {
  const uint32_t place = row % REBALI_NODES;
  struct account before;
  struct account after;
  int32_t code = column == REBAL_POD_NODE ? check_node(change, row, value, err) : REBAL_OK;

  if (column != 0 && column != REBAL_POD_NODE && column != REBAL_POD_RESOURCES && column != REBAL_POD_TERMINAL) {
    return REBAL_OK;
  }
  if (code == REBAL_OK) {
    code = open_account(change, read_pod(leaf, place, 0, 0), &before, err);
  }
  if (code == REBAL_OK) {
    code = open_account(
        change, column == 0 ? (struct pod){REBAL_NONE, REBAL_NONE} : read_pod(leaf, place, column, value), &after, err);
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
