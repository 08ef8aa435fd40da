/* SPDX-License-Identifier: MIT */
/* The caller's own columns, one binding's cells at a time: maps from cluster names to numbers. */
#include "manifest/record/call.h"

#include <string.h>

static int64_t cell_of(const struct rebali_strip *strip, uint32_t cluster) {
  if (cluster >= strip->n) {
    return strip->without;
  }
  return strip->wide != NULL ? strip->wide[cluster] : strip->narrow[cluster];
}

json_t *rebali_strip_tree(const rebal_snapshot *snapshot, const struct rebali_strip *strip) {
  const uint32_t rows = rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  json_t *map = json_object();
  for (uint32_t cluster = 0; cluster < rows; cluster++) {
    const int64_t value = cell_of(strip, cluster);
    if (value == strip->without ||
        !rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, cluster)) {
      continue;
    }
    if (json_object_set_new_nocheck(map, rebali_cluster_name(snapshot, cluster, NULL), json_integer(value)) != 0) {
      json_decref(map);
      return NULL;
    }
  }
  return map;
}

int32_t rebali_strip_read(const json_t *map, const struct rebali_path *path, const rebal_snapshot *snapshot,
                          int64_t minimum, int64_t maximum, int64_t *cells, rebal_error *err) {
  const char *name;
  json_t *value;
  int32_t result = rebali_read_map(map, path, err);
  if (result != REBAL_OK) {
    return result;
  }
  json_object_foreach((json_t *)(uintptr_t)map, name, value) {
    const struct rebali_path at = rebali_path_key(path, name);
    const uint32_t cluster = rebal_snapshot_find_cluster(snapshot, name, strlen(name));
    int64_t number = 0;
    result = rebali_read_integer(value, REBAL_TYPE_INT64, &at, &number, err);
    if (result == REBAL_OK && (number < minimum || number > maximum)) {
      result = rebali_fail_path(err, REBAL_ERANGE, &at, "the number is out of range");
    }
    if (result != REBAL_OK) {
      return result;
    }
    if (cluster != REBAL_NONE) {
      cells[cluster] = number;
    }
  }
  return REBAL_OK;
}
