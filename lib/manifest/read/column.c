/* SPDX-License-Identifier: MIT */
/* Reads columns from trees: one reader for rows of clusters, of tables below them, and of bindings. */
#include "manifest/manifest.h"

#include <string.h>

static int is_check(const struct rebali_sink *sink) {
  return sink->fleet == NULL;
}

static rebal_cells *cells_of(const struct rebali_sink *sink) {
  return sink->bindings != NULL ? rebal_bindings_cells(sink->bindings) : rebal_fleet_cells(sink->fleet);
}

int32_t rebali_sink_i64(const struct rebali_sink *sink, uint32_t column, int64_t value, rebal_error *err) {
  return is_check(sink) ? REBAL_OK : rebal_cells_set_i64(cells_of(sink), column, sink->cluster, sink->row, value, err);
}

int32_t rebali_sink_text(const struct rebali_sink *sink, uint32_t column, const char *text, size_t len,
                         rebal_error *err) {
  return is_check(sink) ? REBAL_OK
                        : rebal_cells_set_text(cells_of(sink), column, sink->cluster, sink->row, text, len, err);
}

int32_t rebali_sink_time(const struct rebali_sink *sink, uint32_t column, const rebal_time *time, rebal_error *err) {
  return is_check(sink) ? REBAL_OK : rebal_cells_set_time(cells_of(sink), column, sink->cluster, sink->row, time, err);
}

int32_t rebali_sink_add(struct rebali_sink *sink, uint32_t table, rebal_error *err) {
  return is_check(sink) ? REBAL_OK : rebal_cells_add(cells_of(sink), table, sink->cluster, &sink->row, 1, err);
}

static int32_t read_text(const struct rebali_sink *sink, const struct rebali_column *column,
                         const struct rebali_place *place, rebal_error *err) {
  const char *text;
  size_t len;
  const int32_t result = rebali_read_text(place->value, place->path, &text, &len, err);
  return result == REBAL_OK ? rebali_sink_text(sink, column->id, text, len, err) : result;
}

static int32_t read_time(const struct rebali_sink *sink, const struct rebali_column *column,
                         const struct rebali_place *place, rebal_error *err) {
  rebal_time time;
  const int32_t result = rebali_read_time(place->value, place->path, &time, err);
  return result == REBAL_OK ? rebali_sink_time(sink, column->id, &time, err) : result;
}

static int32_t read_cluster(const struct rebali_sink *sink, const struct rebali_column *column,
                            const struct rebali_place *place, rebal_error *err) {
  const char *text;
  size_t len;
  uint32_t cluster;
  int32_t result = rebali_read_text(place->value, place->path, &text, &len, err);
  if (result != REBAL_OK || is_check(sink)) {
    return result;
  }
  result = rebal_fleet_cluster_id(sink->fleet, text, len, &cluster, err);
  return result == REBAL_OK ? rebali_sink_i64(sink, column->id, cluster, err) : result;
}

static int32_t read_handle(const struct rebali_sink *sink, const struct rebali_column *column,
                           const struct rebali_place *place, rebal_error *err) {
  const rebal_record *record;
  uint32_t handle;
  int32_t result = rebali_read_record(sink->builder, column->object, place->value, place->path, &record, err);
  if (result != REBAL_OK || is_check(sink)) {
    return result;
  }
  result = rebal_fleet_intern(sink->fleet, record, &handle, err);
  return result == REBAL_OK ? rebali_sink_i64(sink, column->id, handle, err) : result;
}

static int32_t read_integer(const struct rebali_sink *sink, const struct rebali_column *column,
                            const struct rebali_place *place, rebal_error *err) {
  int64_t value;
  const int32_t result = rebali_read_integer(place->value, column->type, place->path, &value, err);
  return result == REBAL_OK ? rebali_sink_i64(sink, column->id, value, err) : result;
}

/* Only cells of clusters may hold an earlier value: all other rows are new. */
static int32_t clear(const struct rebali_sink *sink, const struct rebali_column *column, rebal_error *err) {
  if (sink->bindings != NULL || sink->cluster != REBAL_NONE || is_check(sink)) {
    return REBAL_OK;
  }
  if (column->type == REBAL_TYPE_TEXT) {
    return rebali_sink_text(sink, column->id, "", 0, err);
  }
  return rebali_sink_i64(sink, column->id, column->type == REBAL_TYPE_HANDLE ? REBAL_ABSENT : 0, err);
}

static int32_t read_column(const struct rebali_sink *sink, const struct rebali_column *column,
                           const struct rebali_place *place, rebal_error *err) {
  if (column->type == REBALI_TYPE_PRESENCE) {
    return rebali_sink_i64(sink, column->id, place->value != NULL, err);
  }
  if (place->value == NULL) {
    return clear(sink, column, err);
  }
  switch (column->type) {
    case REBAL_TYPE_TEXT:
      return read_text(sink, column, place, err);
    case REBAL_TYPE_TIME:
      return read_time(sink, column, place, err);
    case REBAL_TYPE_CLUSTER:
      return read_cluster(sink, column, place, err);
    case REBAL_TYPE_HANDLE:
      return read_handle(sink, column, place, err);
    default:
      return read_integer(sink, column, place, err);
  }
}

/* Reads a column that is a direct member of the tree, as most below bindings are. */
static int32_t read_member(const struct rebali_sink *sink, const struct rebali_column *column, const json_t *tree,
                           const struct rebali_path *path, rebal_error *err) {
  const struct rebali_path at = rebali_path_key(path, column->path);
  struct rebali_place place;
  place.value = rebali_present(json_object_get(tree, column->path));
  place.path = &at;
  return read_column(sink, column, &place, err);
}

int32_t rebali_columns_read(const struct rebali_sink *sink, const struct rebali_column *columns, size_t n,
                            const json_t *tree, const struct rebali_path *path, rebal_error *err) {
  const int is_map = rebali_is_map(tree);
  struct rebali_place place;
  int32_t result = REBAL_OK;
  place.n_steps = 0;
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    if (is_map && strchr(columns[i].path, '.') == NULL) {
      result = read_member(sink, &columns[i], tree, path, err);
      continue;
    }
    result = rebali_walk_on(tree, path, columns[i].path, &place, err);
    if (result == REBAL_OK) {
      result = read_column(sink, &columns[i], &place, err);
    }
  }
  return result;
}
