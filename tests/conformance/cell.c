/* SPDX-License-Identifier: MIT */
#include "conformance.h"

#include <string.h>

#define COLUMNS_MAX 64
#define PATH_MAX_LEN 128

static int set_i64(struct conformance *run, const struct cell *cell, int64_t value) {
  return failed(run, cell->bindings != NULL ? rebal_cells_set_i64(rebal_bindings_cells(cell->bindings), cell->column,
                                                                  REBAL_NONE, cell->row, value, &run->err)
                                            : rebal_cells_set_i64(rebal_fleet_cells(cell->fleet), cell->column,
                                                                  REBAL_NONE, cell->row, value, &run->err));
}

static int set_text(struct conformance *run, const struct cell *cell, const char *text) {
  const size_t len = strlen(text);

  return failed(run, cell->bindings != NULL ? rebal_cells_set_text(rebal_bindings_cells(cell->bindings), cell->column,
                                                                   REBAL_NONE, cell->row, text, len, &run->err)
                                            : rebal_cells_set_text(rebal_fleet_cells(cell->fleet), cell->column,
                                                                   REBAL_NONE, cell->row, text, len, &run->err));
}

static int set_handle(struct conformance *run, const struct cell *cell, uint32_t object, const json_t *value) {
  const rebal_record *record;
  uint32_t handle;

  return failed(run, record_from_json(run, object, value, &record)) ||
         failed(run, rebal_fleet_intern(cell->fleet, record, &handle, &run->err)) || set_i64(run, cell, handle);
}

static int set_cluster(struct conformance *run, const struct cell *cell, const char *name) {
  uint32_t cluster;

  return failed(run, rebal_fleet_cluster_id(cell->fleet, name, strlen(name), &cluster, &run->err)) ||
         set_i64(run, cell, cluster);
}

static int set_time(struct conformance *run, const struct cell *cell, const json_t *value) {
  const char *text = json_string_value(value);
  rebal_time time;

  return failed(run, rebal_time_parse(text, strlen(text), &time, &run->err)) ||
         failed(run, rebal_cells_set_time(rebal_bindings_cells(cell->bindings), cell->column, REBAL_NONE, cell->row,
                                          &time, &run->err));
}

int cell_set(struct conformance *run, const struct cell *cell, const json_t *value) {
  rebal_description about = {.struct_size = sizeof about};
  const int is_text = json_is_string(value);

  if (value == NULL) {
    return 0;
  }
  if (failed(run, rebal_describe(cell->column, &about, &run->err))) {
    return 1;
  }
  if (is_text && about.type == REBAL_TYPE_TEXT) {
    return set_text(run, cell, json_string_value(value));
  }
  if (is_text && about.type == REBAL_TYPE_CLUSTER) {
    return set_cluster(run, cell, json_string_value(value));
  }
  if (is_text && about.type == REBAL_TYPE_TIME) {
    return set_time(run, cell, value);
  }
  if (about.type == REBAL_TYPE_HANDLE) {
    return set_handle(run, cell, about.child, value);
  }
  if (json_is_boolean(value) || json_is_integer(value)) {
    return set_i64(run, cell, json_is_boolean(value) ? json_is_true(value) : json_integer_value(value));
  }
  run->fault = "a member of the input has another type than its column";
  return 1;
}

/* Cuts " is set", or " is" and another word, off a path. Returns 1 if the path ended so. */
static int cut_presence(char *path) {
  static const char is[] = " is ";
  char *const found = strstr(path, is);

  if (found == NULL || strchr(found + strlen(is), ' ') != NULL) {
    return 0;
  }
  *found = '\0';
  return 1;
}

int row_read(struct conformance *run, struct cell *cell, uint32_t table, const char *list, const json_t *object) {
  uint32_t columns[COLUMNS_MAX];
  const size_t skip = strlen(list);
  size_t n = 0;
  size_t i;

  if (failed(run, rebal_describe_object(table, columns, COLUMNS_MAX, &n, &run->err))) {
    return 1;
  }
  for (i = 0; i < n; i++) {
    char path[PATH_MAX_LEN];
    const json_t *value;
    rebal_description about = {.struct_size = sizeof about};
    int presence;

    if (failed(run, rebal_describe(columns[i], &about, &run->err))) {
      return 1;
    }
    if (strncmp(about.name, list, skip) != 0 || strlen(about.name) >= sizeof path) {
      continue;
    }
    memcpy(path, about.name + skip, strlen(about.name + skip) + 1);
    presence = cut_presence(path);
    if (strpbrk(path, " :[") != NULL) {
      continue;
    }
    cell->column = columns[i];
    value = json_at(object, path);
    if (presence ? value != NULL && set_i64(run, cell, 1) : cell_set(run, cell, value)) {
      return 1;
    }
  }
  return 0;
}
