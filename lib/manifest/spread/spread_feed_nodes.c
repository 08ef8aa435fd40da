/* SPDX-License-Identifier: MIT */
/* Nodes of a store in the cluster of a feed. */
#include "manifest/store/feed.h"
#include "manifest/spread/spread_feed.h"

int32_t rebali_feed_node(rebal_spread_feed *feed, uint32_t object, rebal_error *err) {
  const struct rebali_sink cluster = {feed->fleet, NULL, feed->builder, REBAL_NONE, feed->cluster};
  struct rebali_fed *fed = &feed->fed[object];
  json_t *tree;
  int32_t result;
  if (!rebali_store_has(feed->store, object)) {
    result = fed->node != REBAL_NONE ? rebal_cells_remove(rebal_fleet_cells(feed->fleet), REBAL_TABLE_NODE,
                                                          feed->cluster, &fed->node, 1, err)
                                     : REBAL_OK;
    if (result == REBAL_OK) {
      fed->node = REBAL_NONE;
    }
    return result;
  }
  result = rebali_store_visit(feed->store, object, &tree, err);
  if (result == REBAL_OK) {
    result = rebali_node_follow(&cluster, &fed->node, tree, err);
    json_decref(tree);
  }
  return result;
}
