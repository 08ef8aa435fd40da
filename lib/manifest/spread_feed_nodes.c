/* SPDX-License-Identifier: MIT */
/* Nodes of a store in the cluster of a feed. */
#include "spread_feed.h"

static int32_t read_node(rebal_spread_feed *feed, uint32_t object, const json_t *tree, rebal_error *err) {
  struct rebali_fed *fed = &feed->fed[object];
  struct rebali_sink sink = {feed->fleet, NULL, feed->builder, fed->node, feed->cluster};
  const int32_t result =
      fed->node != REBAL_NONE ? rebali_node_replace(&sink, tree, err) : rebali_node_read(&sink, tree, NULL, err);
  if (result != REBAL_OK && sink.row != REBAL_NONE) {
    (void)rebal_fleet_remove_node(feed->fleet, feed->cluster, sink.row, NULL);
    sink.row = REBAL_NONE;
  }
  fed->node = sink.row;
  return result;
}

int32_t rebali_feed_node(rebal_spread_feed *feed, uint32_t object, rebal_error *err) {
  struct rebali_fed *fed = &feed->fed[object];
  json_t *tree;
  int32_t result;
  if (!rebali_store_has(feed->store, object)) {
    result = fed->node != REBAL_NONE ? rebal_fleet_remove_node(feed->fleet, feed->cluster, fed->node, err) : REBAL_OK;
    if (result == REBAL_OK) {
      fed->node = REBAL_NONE;
    }
    return result;
  }
  result = rebali_store_share(feed->store, object, &tree, err);
  if (result == REBAL_OK) {
    result = read_node(feed, object, tree, err);
    json_decref(tree);
  }
  return result;
}
