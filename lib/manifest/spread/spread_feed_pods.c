/* SPDX-License-Identifier: MIT */
/* Keeps pods of a store as rows of SPREAD_POD; a changed pod is read again. */
#include "manifest/spread/spread_feed.h"

#include <string.h>

static int32_t fill_row(rebal_spread_feed *feed, const char *namespace_, const json_t *tree, uint32_t row,
                        rebal_error *err) {
  const struct rebali_pod_row place = {feed->fleet, feed->builder, feed->pods, feed->label_keys, row, feed->cluster};
  uint32_t owner;
  int32_t result = rebali_spread_pod_read(&place, tree, err);
  if (result == REBAL_OK) {
    result = rebali_feed_owner(feed, namespace_, tree, &owner, err);
  }
  return result == REBAL_OK ? rebal_cells_set_i64(rebal_pods_cells(feed->pods), REBAL_SPREAD_POD_CONTROLLER, REBAL_NONE,
                                                  row, rebali_id_cell(owner), err)
                            : result;
}

int32_t rebali_feed_pod_row(rebal_spread_feed *feed, const char *namespace_, const json_t *tree, uint32_t *row,
                            rebal_error *err) {
  int32_t result = rebal_cells_add(rebal_pods_cells(feed->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, row, 1, err);
  if (result == REBAL_OK) {
    result = fill_row(feed, namespace_, tree, *row, err);
    if (result != REBAL_OK) {
      (void)rebal_cells_remove(rebal_pods_cells(feed->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, row, 1, NULL);
    }
  }
  return result;
}

/* Records the object of a row. */
static int32_t name_row(rebal_spread_feed *feed, uint32_t row, uint32_t object, rebal_error *err) {
  const size_t before = feed->n_objects;
  const int32_t result =
      rebali_reserve_malloc(&feed->objects, &feed->n_objects, (size_t)row + 1, sizeof *feed->objects, err);
  for (size_t i = before; i < feed->n_objects; i++) {
    feed->objects[i] = REBAL_NONE;
  }
  if (result == REBAL_OK) {
    feed->objects[row] = object;
  }
  return result;
}

static void drop_row(rebal_spread_feed *feed, uint32_t row) {
  if (row != REBAL_NONE) {
    feed->objects[row] = REBAL_NONE;
    (void)rebal_cells_remove(rebal_pods_cells(feed->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &row, 1, NULL);
  }
}

/* The new row replaces the old one after everything else is done. */
static int32_t read_pod(rebal_spread_feed *feed, uint32_t object, const json_t *tree, rebal_error *err) {
  struct rebali_fed *fed = &feed->fed[object];
  uint32_t row;
  int32_t result = rebali_feed_pod_row(feed, rebali_feed_object(feed, object)->namespace_, tree, &row, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = name_row(feed, row, object, err);
  if (result == REBAL_OK) {
    result = rebali_children_put(feed, object, tree, err);
  }
  if (result != REBAL_OK) {
    (void)rebal_cells_remove(rebal_pods_cells(feed->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &row, 1, NULL);
    if (row < feed->n_objects) {
      feed->objects[row] = REBAL_NONE;
    }
    return result;
  }
  drop_row(feed, fed->row);
  fed->row = row;
  return REBAL_OK;
}

int32_t rebali_feed_pod(rebal_spread_feed *feed, uint32_t object, rebal_error *err) {
  struct rebali_fed *fed = &feed->fed[object];
  json_t *tree;
  int32_t result;
  if (!rebali_store_has(feed->store, object)) {
    result = rebali_children_put(feed, object, NULL, err);
    drop_row(feed, fed->row);
    fed->row = REBAL_NONE;
    return result;
  }
  result = rebali_store_visit(feed->store, object, &tree, err);
  if (result == REBAL_OK) {
    result = read_pod(feed, object, tree, err);
    json_decref(tree);
  }
  return result;
}

int32_t rebali_feed_pods_again(rebal_spread_feed *feed, rebal_error *err) {
  static const char kind[] = "Pod";
  int32_t result = REBAL_OK;
  for (uint32_t object = rebal_store_next(feed->store, kind, sizeof kind - 1, REBAL_NONE);
       result == REBAL_OK && object != REBAL_NONE;
       object = rebal_store_next(feed->store, kind, sizeof kind - 1, object)) {
    rebal_error local = REBAL_ERROR_INIT;
    if (rebali_feed_is(feed, object, "", kind)) {
      result = rebali_feed_refuse(feed, object, rebali_feed_pod(feed, object, &local), &local, err);
    }
  }
  return result;
}
