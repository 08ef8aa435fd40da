/* SPDX-License-Identifier: MIT */
/* Reads the input of a case as a call: its own fleet, bindings, options and the caller's columns. */
#include "manifest/record/call.h"

#include <stdlib.h>
#include <string.h>

/* A member of the input, and the path for errors about it. */
struct member {
  const json_t *value; /* NULL when absent */
  struct rebali_path root;
  struct rebali_path path;
};

static void find_member(const json_t *input, const char *key, struct member *member) {
  member->value = rebali_member(input, key);
  member->root = rebali_path_key(NULL, "input");
  member->path = rebali_path_key(&member->root, key);
}

/* ---- objects ---- */

static int32_t read_cluster(struct rebali_replay *replay, const json_t *tree, const struct rebali_path *path,
                            rebal_error *err) {
  struct rebali_sink sink = {replay->fleet, NULL, replay->builder, 0, REBAL_NONE};
  const json_t *metadata = rebali_member(tree, "metadata");
  const struct rebali_path metadata_at = rebali_path_key(path, "metadata");
  const struct rebali_path name_at = rebali_path_key(&metadata_at, "name");
  const char *name;
  size_t len;
  int32_t result = rebali_read_map(tree, path, err);
  if (result == REBAL_OK) {
    result = rebali_read_text(rebali_member(metadata, "name"), &name_at, &name, &len, err);
  }
  if (result == REBAL_OK) {
    result = rebal_fleet_add_cluster(replay->fleet, name, len, &sink.row, err);
    if (result != REBAL_OK) {
      return rebali_fail_path(err, result, &name_at, "the name is empty or there twice");
    }
  }
  return result == REBAL_OK ? rebali_cluster_read(&sink, tree, path, err) : result;
}

static int32_t read_binding(struct rebali_replay *replay, const json_t *tree, const struct rebali_path *path,
                            rebal_bindings *bindings, rebal_error *err) {
  struct rebali_sink sink = {replay->fleet, bindings, replay->builder, 0, REBAL_NONE};
  int32_t result = rebali_read_map(tree, path, err);
  if (result == REBAL_OK) {
    result = rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, &sink.row, 1, err);
  }
  if (result == REBAL_OK) {
    result = rebali_binding_read(&sink, tree, path, err);
  }
  return result == REBAL_OK && rebali_member(tree, "cells") != NULL
             ? rebali_columns_read(&sink, rebali_binding_cells, REBALI_BINDING_CELLS, tree, path, err)
             : result;
}

static int32_t read_each(struct rebali_replay *replay, const json_t *input, const char *key, rebal_bindings *bindings,
                         rebal_error *err) {
  struct member list;
  int32_t result;
  find_member(input, key, &list);
  result = list.value != NULL ? rebali_read_list(list.value, &list.path, err) : REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(list.value); i++) {
    const struct rebali_path at = rebali_path_index(&list.path, i);
    const json_t *item = json_array_get(list.value, i);
    result = bindings != NULL ? read_binding(replay, item, &at, bindings, err) : read_cluster(replay, item, &at, err);
  }
  return result;
}

static int32_t read_set(struct rebali_replay *replay, const json_t *input, const char *key, rebal_bindings **out,
                        rebal_error *err) {
  int32_t result = rebal_bindings_new(replay->fleet, NULL, out, err);
  if (result == REBAL_OK) {
    result = read_each(replay, input, key, *out, err);
  }
  return result == REBAL_OK ? rebal_bindings_freeze(*out, err) : result;
}

static int32_t read_only_binding(struct rebali_replay *replay, const json_t *input, rebal_error *err) {
  struct member binding;
  int32_t result = rebal_bindings_new(replay->fleet, NULL, &replay->bindings, err);
  find_member(input, "binding", &binding);
  if (result == REBAL_OK) {
    result = read_binding(replay, binding.value, &binding.path, replay->bindings, err);
  }
  return result == REBAL_OK ? rebal_bindings_freeze(replay->bindings, err) : result;
}

/* ---- charges, and requirements of one replica ---- */

static int32_t read_ledger(struct rebali_replay *replay, const json_t *input, rebal_error *err) {
  struct member assumed;
  int32_t result;
  find_member(input, "assumed", &assumed);
  if (assumed.value == NULL) {
    return REBAL_OK;
  }
  result = rebal_ledger_new(replay->fleet, NULL, &replay->ledger, err);
  return result == REBAL_OK
             ? rebali_ledger_fill(replay->fleet, replay->builder, assumed.value, &assumed.path, replay->ledger, err)
             : result;
}

/* Reads one replica of replicaRequirements, or the list of components. */
static int32_t read_components(struct rebali_replay *replay, const json_t *input, rebal_error *err) {
  struct member requirements, components;
  const rebal_record *record;
  int32_t result;
  json_t *one;
  find_member(input, "replicaRequirements", &requirements);
  find_member(input, "components", &components);
  if (replay->call == REBAL_CALL_ESTIMATE_SETS) {
    return rebali_components_read(replay->fleet, replay->builder, components.value, &components.path,
                                  &replay->components, err);
  }
  one = json_pack("[{s:i}]", "replicas", 1);
  result = one != NULL
               ? rebali_components_read(replay->fleet, replay->builder, one, &components.path, &replay->components, err)
               : rebali_fail_memory(err);
  json_decref(one);
  if (result != REBAL_OK || requirements.value == NULL) {
    return result;
  }
  result = rebali_read_record(replay->builder, REBAL_OBJECT_REQUIREMENTS, requirements.value, &requirements.path,
                              &record, err);
  return result == REBAL_OK ? rebal_fleet_intern(replay->fleet, record, replay->components.requirements, err) : result;
}

/* ---- single values ---- */

static int32_t read_moment(const json_t *input, const char *key, rebal_time *out, rebal_error *err) {
  struct member moment;
  find_member(input, key, &moment);
  return moment.value != NULL ? rebali_read_time(moment.value, &moment.path, out, err) : REBAL_OK;
}

static int32_t read_string(const json_t *input, const char *key, const char **text, uint64_t *len, rebal_error *err) {
  struct member string;
  size_t length = 0;
  int32_t result = REBAL_OK;
  find_member(input, key, &string);
  if (string.value != NULL) {
    result = rebali_read_text(string.value, &string.path, text, &length, err);
  }
  *len = length;
  return result;
}

/* Reads a member's number; leaves *value unchanged if it is missing. */
static int32_t read_number(const json_t *input, const char *name, uint32_t type, struct member *member, int64_t *value,
                           rebal_error *err) {
  find_member(input, name, member);
  return member->value == NULL ? REBAL_OK : rebali_read_integer(member->value, type, &member->path, value, err);
}

static int32_t read_rows(const json_t *input, uint64_t *out, rebal_error *err) {
  struct member rows;
  int64_t value = 0;
  int32_t result = read_number(input, "explainRows", REBAL_TYPE_INT64, &rows, &value, err);
  if (result == REBAL_OK && value < 0) {
    return rebali_fail_path(err, REBAL_ERANGE, &rows.path, "expected a number that is not negative");
  }
  *out = (uint64_t)value;
  return result;
}

static int32_t read_single_group(const json_t *input, uint32_t *flags, rebal_error *err) {
  struct member single;
  int64_t value = 0;
  int32_t result = read_number(input, "singleGroup", REBAL_TYPE_BOOLEAN, &single, &value, err);
  *flags = value != 0 ? REBAL_SCHEDULE_FLAG_SINGLE_GROUP : 0;
  return result;
}

static int32_t read_values(struct rebali_replay *replay, const json_t *input, rebal_error *err) {
  rebal_schedule_opts *opts = &replay->opts;
  int32_t result = read_moment(input, "now", &replay->now, err);
  if (result == REBAL_OK) {
    result = read_single_group(input, &opts->flags, err);
  }
  if (result == REBAL_OK) {
    result = read_moment(input, "ledgerExpiry", &replay->expiry, err);
  }
  if (result == REBAL_OK) {
    result = read_string(input, "schedulerName", &opts->scheduler_name, &opts->scheduler_name_len, err);
  }
  if (result == REBAL_OK) {
    result = read_string(input, "extraRejectReason", &opts->extra_reject_reason, &opts->extra_reject_reason_len, err);
  }
  return result == REBAL_OK ? read_rows(input, &opts->explain_rows, err) : result;
}

/* ---- the caller's columns ---- */

static int32_t read_extra(const struct rebali_replay *replay, const json_t *input, const char *key, int64_t **out,
                          rebal_error *err) {
  struct member map;
  find_member(input, key, &map);
  if (map.value == NULL) {
    return REBAL_OK;
  }
  *out = calloc((size_t)rebal_cells_bound(rebal_snapshot_cells(replay->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE) + 1,
                sizeof **out);
  return *out != NULL ? rebali_strip_read(map.value, &map.path, replay->snapshot, INT64_MIN, INT64_MAX, *out, err)
                      : rebali_fail_memory(err);
}

/* Returns 1 if the name is in the list of estimators. A missing list names only the library's own. */
static int estimates(const json_t *input, const char *name) {
  const json_t *names = rebali_member(input, "estimators");
  for (size_t i = 0; i < json_array_size(names); i++) {
    const char *text = json_string_value(json_array_get(names, i));
    if (text != NULL && strcmp(text, name) == 0) {
      return 1;
    }
  }
  return names == NULL && strcmp(name, "general") == 0;
}

static int32_t add_estimator(struct rebali_replay *replay, const json_t *map, const struct rebali_path *path,
                             rebal_error *err) {
  const size_t rows = rebal_cells_bound(rebal_snapshot_cells(replay->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  const size_t number = (size_t)replay->opts.n_estimators++;
  int32_t *fits = replay->fits + number * rows;
  int64_t *cells = malloc((rows + 1) * sizeof *cells);
  int32_t result = cells != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; cells != NULL && i < rows; i++) {
    cells[i] = REBAL_FITS_NO_OPINION;
  }
  if (result == REBAL_OK) {
    result = rebali_strip_read(map, path, replay->snapshot, INT32_MIN, INT32_MAX, cells, err);
  }
  for (size_t i = 0; result == REBAL_OK && i < rows; i++) {
    fits[i] = (int32_t)cells[i];
  }
  free(cells);
  replay->estimators[number] = (rebal_estimator){sizeof(rebal_estimator), 0, fits, rows, 0};
  replay->estimator_list[number] = &replay->estimators[number];
  return result;
}

static int32_t read_estimators(struct rebali_replay *replay, const json_t *input, rebal_error *err) {
  const size_t rows = rebal_cells_bound(rebal_snapshot_cells(replay->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  struct member available, answers;
  size_t n;
  int32_t result = REBAL_OK;
  find_member(input, "available", &available);
  find_member(input, "answers", &answers);
  if (answers.value != NULL) {
    result = rebali_read_list(answers.value, &answers.path, err);
  }
  n = json_array_size(answers.value) + 1;
  replay->estimators = calloc(n, sizeof *replay->estimators);
  replay->estimator_list = calloc(n, sizeof *replay->estimator_list);
  replay->fits = calloc(n * rows + 1, sizeof *replay->fits);
  if (replay->estimators == NULL || replay->estimator_list == NULL || replay->fits == NULL) {
    return rebali_fail_memory(err);
  }
  if (result == REBAL_OK && estimates(input, "available") && rebali_member(input, "availableError") == NULL) {
    json_t *none = json_object();
    result = add_estimator(replay, available.value != NULL ? available.value : none, &available.path, err);
    json_decref(none);
  }
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(answers.value); i++) {
    const struct rebali_path at = rebali_path_index(&answers.path, i);
    result = add_estimator(replay, json_array_get(answers.value, i), &at, err);
  }
  return result;
}

static void fill_opts(struct rebali_replay *replay, const json_t *input) {
  rebal_schedule_opts *opts = &replay->opts;
  opts->struct_size = sizeof *opts;
  opts->flags |= REBAL_SCHEDULE_FLAG_FINGERPRINT | (estimates(input, "general") ? 0u : REBAL_SCHEDULE_FLAG_NO_SUMMARY);
  opts->compat = replay->compat;
  opts->ledger = replay->ledger;
  opts->ledger_expiry = replay->expiry.is_set ? &replay->expiry : NULL;
  opts->known = replay->known;
  opts->assigning = replay->assigning;
  opts->extra_reject = replay->reject;
  opts->extra_score = replay->score;
  opts->extra_clusters = rebal_cells_bound(rebal_snapshot_cells(replay->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  opts->estimators = replay->estimator_list;
}

static int32_t read_columns(struct rebali_replay *replay, const json_t *input, rebal_error *err) {
  int32_t result = read_extra(replay, input, "extraReject", &replay->reject, err);
  if (result == REBAL_OK) {
    result = read_extra(replay, input, "extraScore", &replay->score, err);
  }
  if (result == REBAL_OK) {
    result = read_estimators(replay, input, err);
  }
  if (result == REBAL_OK) {
    result = read_values(replay, input, err);
  }
  if (result == REBAL_OK) {
    fill_opts(replay, input);
  }
  return result;
}

/* ---- entry points ---- */

static int32_t open_replay(struct rebali_replay *replay, const json_t *input, rebal_error *err) {
  int32_t result = rebal_fleet_new(NULL, &replay->fleet, err);
  if (result == REBAL_OK) {
    result = rebal_builder_new(NULL, &replay->builder, err);
  }
  if (result == REBAL_OK) {
    result = rebal_compat_new(NULL, &replay->compat, err);
  }
  if (result == REBAL_OK) {
    result = rebali_options_read(input, replay->compat, err);
  }
  if (result == REBAL_OK) {
    result = read_each(replay, input, "clusters", NULL, err);
  }
  return result == REBAL_OK ? read_ledger(replay, input, err) : result;
}

int32_t rebali_replay_read(struct rebali_replay *replay, uint32_t call, const json_t *input, rebal_error *err) {
  int32_t result;
  memset(replay, 0, sizeof *replay);
  replay->call = call;
  result = open_replay(replay, input, err);
  if (result == REBAL_OK) {
    result = rebali_call_estimates(call) ? read_components(replay, input, err) : read_only_binding(replay, input, err);
  }
  if (result == REBAL_OK) {
    result = read_set(replay, input, "bindings", &replay->known, err);
  }
  if (result == REBAL_OK) {
    result = read_set(replay, input, "assigning", &replay->assigning, err);
  }
  if (result == REBAL_OK) {
    result = rebal_fleet_freeze(replay->fleet, &replay->snapshot, err);
  }
  if (result == REBAL_OK) {
    result = read_columns(replay, input, err);
  }
  return result == REBAL_OK && rebali_call_is_step(call) ? rebali_turn_read(replay, input, err) : result;
}

void rebali_replay_dispose(struct rebali_replay *replay) {
  rebal_bindings_free(replay->bindings);
  rebal_bindings_free(replay->known);
  rebal_bindings_free(replay->assigning);
  rebal_ledger_free(replay->ledger);
  rebal_compat_free(replay->compat);
  rebal_builder_free(replay->builder);
  rebal_snapshot_unref(replay->snapshot);
  rebal_fleet_free(replay->fleet);
  rebali_components_dispose(&replay->components);
  rebali_turn_dispose(replay);
  free(replay->reject);
  free(replay->score);
  free(replay->estimators);
  free(replay->estimator_list);
  free(replay->fits);
}
