/* SPDX-License-Identifier: MIT */
/* Steps of the descheduler and of failover: their arguments besides a binding, and the calls themselves. */
#include "manifest/record/call.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A number of an option structure, as a member of "deschedule" or "failover". */
struct number {
  const char *key;
  size_t offset;
};

static const struct number deschedule_numbers[] = {
    {"intervalNs", offsetof(rebal_deschedule_opts, interval_ns)},
    {"thresholdNs", offsetof(rebal_deschedule_opts, threshold_ns)},
    {"maxTotal", offsetof(rebal_deschedule_opts, max_total)},
    {"maxByCluster", offsetof(rebal_deschedule_opts, max_by_cluster)},
    {"maxByNamespace", offsetof(rebal_deschedule_opts, max_by_namespace)},
    {"maxByWorkload", offsetof(rebal_deschedule_opts, max_by_workload)},
};

static const struct number failover_numbers[] = {
    {"gracefulEvictionTimeoutNs", offsetof(rebal_failover_opts, graceful_eviction_timeout_ns)},
    {"evictionIntervalNs", offsetof(rebal_failover_opts, eviction_interval_ns)},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int rebali_call_is_step(uint32_t call) {
  return call >= REBAL_CALL_DESCHEDULE_STEP && call <= REBAL_CALL_APPLICATION_FAILOVER_STEP;
}

/* ---- arguments of a step ---- */

/* The options must have been checked, here and in the next functions. */
static rebal_deschedule_opts deschedule_opts_of(const rebal_recorded_call *call) {
  rebal_deschedule_opts opts;
  (void)rebali_options_load(&opts, sizeof opts, sizeof opts, call->deschedule_opts, NULL);
  return opts;
}

static rebal_failover_opts failover_opts_of(const rebal_recorded_call *call) {
  rebal_failover_opts opts;
  (void)rebali_options_load(&opts, sizeof opts, sizeof opts, call->failover_opts, NULL);
  return opts;
}

const rebal_compat *rebali_turn_compat(const rebal_recorded_call *call) {
  return call->call == REBAL_CALL_DESCHEDULE_STEP ? deschedule_opts_of(call).compat : failover_opts_of(call).compat;
}

int32_t rebali_turn_check(const rebal_recorded_call *call, rebal_error *err) {
  const rebal_deschedule_opts opts = deschedule_opts_of(call);
  const rebal_failover_opts failover = failover_opts_of(call);
  const int is_shared = opts.max_total != 0 || opts.max_by_cluster != 0 || opts.max_by_namespace != 0 ||
                        opts.max_by_workload != 0 || opts.n_budgets != 0 || failover.eviction_interval_ns != 0;
  if (call->now == NULL ||
      (call->call == REBAL_CALL_TAINT_EVICTION_STEP &&
       !rebal_cells_has(rebal_snapshot_cells(call->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, call->cluster))) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the time, and the cluster whose taints evict, are needed");
  }
  if (opts.observations != NULL) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "turns with observations are not recorded");
  }
  if ((opts.flags & REBAL_DESCHEDULE_FLAG_FROM_PODS) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "runs that count pods are not recorded");
  }
  if (is_shared && rebal_cells_count(rebal_bindings_const_cells(call->bindings), REBAL_TABLE_BINDING, REBAL_NONE) > 1) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "with caps, budgets or a pace a step for one binding is recorded");
  }
  return REBAL_OK;
}

/* ---- writing ---- */

static int32_t put_number(json_t *map, const char *key, int64_t value, rebal_error *err) {
  return value != 0 ? rebali_put(map, key, json_integer(value), err) : REBAL_OK;
}

static int32_t put_numbers(json_t *map, const struct number *numbers, size_t n, const void *opts, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    int64_t value;
    memcpy(&value, (const char *)opts + numbers[i].offset, sizeof value);
    result = put_number(map, numbers[i].key, value, err);
  }
  return result;
}

static int32_t put_answers(const rebal_recorded_call *call, const rebal_deschedule_opts *opts, uint32_t row,
                           json_t *input, rebal_error *err) {
  json_t *answers = json_array();
  int32_t result = opts->n_estimators != 0 ? rebali_put(input, "answers", answers, err) : REBAL_OK;
  for (uint64_t i = 0; result == REBAL_OK && i < opts->n_estimators; i++) {
    const rebal_estimator *estimator = opts->estimators[i];
    const struct rebali_strip strip = {NULL, estimator->fits != NULL ? estimator->fits + row * estimator->stride : NULL,
                                       estimator->fits != NULL ? estimator->clusters : 0, REBAL_FITS_NO_OPINION};
    if (json_array_append_new(answers, rebali_strip_tree(call->snapshot, &strip)) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  if (opts->n_estimators == 0) {
    json_decref(answers);
  }
  return result;
}

static int32_t put_budgets(const rebal_deschedule_opts *opts, json_t *map, rebal_error *err) {
  json_t *list = opts->n_budgets != 0 ? json_array() : NULL;
  int32_t result = opts->n_budgets != 0 ? rebali_put(map, "budgets", list, err) : REBAL_OK;
  for (uint64_t i = 0; result == REBAL_OK && i < opts->n_budgets; i++) {
    json_t *budget = NULL;
    result = rebali_record_tree_as_is(opts->budgets[i], &budget, err);
    if (result == REBAL_OK && json_array_append_new(list, budget) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  return result;
}

static int32_t put_deschedule(const rebal_recorded_call *call, uint32_t row, json_t *input, rebal_error *err) {
  const rebal_deschedule_opts opts = deschedule_opts_of(call);
  json_t *map = rebali_map_at(input, "deschedule");
  int32_t result = map != NULL ? put_number(map, "flags", opts.flags, err) : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = put_numbers(map, deschedule_numbers, COUNT(deschedule_numbers), &opts, err);
  }
  if (result == REBAL_OK) {
    result = put_budgets(&opts, map, err);
  }
  return result == REBAL_OK ? put_answers(call, &opts, row, input, err) : result;
}

static int32_t put_failover(const rebal_recorded_call *call, json_t *input, rebal_error *err) {
  const rebal_failover_opts opts = failover_opts_of(call);
  json_t *map = rebali_map_at(input, "failover");
  int32_t result = map != NULL ? put_number(map, "flags", opts.flags, err) : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = put_numbers(map, failover_numbers, COUNT(failover_numbers), &opts, err);
  }
  if (result == REBAL_OK && opts.next_eviction != NULL && opts.next_eviction->is_set) {
    result = rebali_put(map, "nextEviction", rebali_time_value(opts.next_eviction), err);
  }
  if (result == REBAL_OK && call->call == REBAL_CALL_TAINT_EVICTION_STEP) {
    result = rebali_put_text(map, "cluster", rebali_cluster_name(call->snapshot, call->cluster, NULL), err);
  }
  return result;
}

int32_t rebali_turn_write(const rebal_recorded_call *call, uint32_t row, json_t *input, rebal_error *err) {
  json_t *binding = NULL;
  int32_t result = rebali_binding_tree(call->snapshot, call->bindings, row, &binding, err);
  if (result == REBAL_OK) {
    result = rebali_put(input, "binding", binding, err);
  }
  if (result == REBAL_OK) {
    result = rebali_put(input, "now", rebali_time_value(call->now), err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  return call->call == REBAL_CALL_DESCHEDULE_STEP ? put_deschedule(call, row, input, err)
                                                  : put_failover(call, input, err);
}

/* ---- reading ---- */

static int32_t read_number(const json_t *map, const struct rebali_path *path, const char *key, int64_t *out,
                           rebal_error *err) {
  const struct rebali_path at = rebali_path_key(path, key);
  const json_t *value = rebali_member(map, key);
  *out = 0;
  return value != NULL ? rebali_read_integer(value, REBAL_TYPE_INT64, &at, out, err) : REBAL_OK;
}

static int32_t read_flags(const json_t *map, const struct rebali_path *path, uint32_t *out, rebal_error *err) {
  const struct rebali_path at = rebali_path_key(path, "flags");
  int64_t flags;
  const int32_t result = read_number(map, path, "flags", &flags, err);
  if (result == REBAL_OK && (flags < 0 || flags > UINT32_MAX)) {
    return rebali_fail_path(err, REBAL_ERANGE, &at, "the flags are out of range");
  }
  *out = (uint32_t)flags;
  return result;
}

static int32_t read_numbers(const json_t *map, const struct rebali_path *path, const struct number *numbers, size_t n,
                            void *opts, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    int64_t value;
    result = read_number(map, path, numbers[i].key, &value, err);
    memcpy((char *)opts + numbers[i].offset, &value, sizeof value);
  }
  return result;
}

static int32_t read_budgets(struct rebali_replay *replay, const json_t *map, const struct rebali_path *path,
                            rebal_error *err) {
  const struct rebali_path at = rebali_path_key(path, "budgets");
  const json_t *list = rebali_member(map, "budgets");
  const size_t n = json_array_size(list);
  int32_t result = list != NULL ? rebali_read_list(list, &at, err) : REBAL_OK;
  replay->builders = calloc(n + 1, sizeof(rebal_builder *));
  replay->budgets = calloc(n + 1, sizeof(rebal_record *));
  if (replay->builders == NULL || replay->budgets == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    const struct rebali_path item = rebali_path_index(&at, i);
    replay->n_builders = i + 1;
    result = rebal_builder_new(NULL, &replay->builders[i], err);
    if (result == REBAL_OK) {
      result = rebali_read_record(replay->builders[i], REBAL_OBJECT_BUDGET, json_array_get(list, i), &item,
                                  &replay->budgets[i], err);
    }
  }
  return result;
}

static int32_t read_deschedule(struct rebali_replay *replay, const json_t *map, const struct rebali_path *path,
                               rebal_error *err) {
  rebal_deschedule_opts *opts = &replay->deschedule;
  int32_t result = read_flags(map, path, &opts->flags, err);
  if (result == REBAL_OK) {
    result = read_numbers(map, path, deschedule_numbers, COUNT(deschedule_numbers), opts, err);
  }
  if (result == REBAL_OK) {
    result = read_budgets(replay, map, path, err);
  }
  opts->struct_size = sizeof *opts;
  opts->compat = replay->compat;
  opts->estimators = replay->opts.estimators;
  opts->n_estimators = replay->opts.n_estimators;
  opts->budgets = replay->budgets;
  opts->n_budgets = replay->n_builders;
  return result;
}

/* Reads the cluster whose taints evict. */
static int32_t read_cluster(struct rebali_replay *replay, const json_t *map, const struct rebali_path *path,
                            rebal_error *err) {
  const struct rebali_path at = rebali_path_key(path, "cluster");
  const char *name = rebali_member_text(map, "cluster");
  replay->cluster = rebal_snapshot_find_cluster(replay->snapshot, name, strlen(name));
  return rebal_cells_has(rebal_snapshot_cells(replay->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, replay->cluster)
             ? REBAL_OK
             : rebali_fail_path(err, REBAL_EINVAL, &at, "there is no such cluster");
}

static int32_t read_failover(struct rebali_replay *replay, const json_t *map, const struct rebali_path *path,
                             rebal_error *err) {
  const struct rebali_path next_at = rebali_path_key(path, "nextEviction");
  const json_t *next = rebali_member(map, "nextEviction");
  rebal_failover_opts *opts = &replay->failover;
  int32_t result = read_flags(map, path, &opts->flags, err);
  if (result == REBAL_OK) {
    result = read_numbers(map, path, failover_numbers, COUNT(failover_numbers), opts, err);
  }
  if (result == REBAL_OK && next != NULL) {
    result = rebali_read_time(next, &next_at, &replay->next_eviction, err);
  }
  if (result == REBAL_OK && replay->call == REBAL_CALL_TAINT_EVICTION_STEP) {
    result = read_cluster(replay, map, path, err);
  }
  opts->struct_size = sizeof *opts;
  opts->compat = replay->compat;
  opts->next_eviction = &replay->next_eviction;
  return result;
}

int32_t rebali_turn_read(struct rebali_replay *replay, const json_t *input, rebal_error *err) {
  const int is_deschedule = replay->call == REBAL_CALL_DESCHEDULE_STEP;
  const char *key = is_deschedule ? "deschedule" : "failover";
  const struct rebali_path root = rebali_path_key(NULL, "input");
  const struct rebali_path path = rebali_path_key(&root, key);
  const json_t *map = rebali_member(input, key);
  const int32_t result = map != NULL ? rebali_read_map(map, &path, err) : REBAL_OK;
  if (result != REBAL_OK) {
    return result;
  }
  return is_deschedule ? read_deschedule(replay, map, &path, err) : read_failover(replay, map, &path, err);
}

void rebali_turn_dispose(struct rebali_replay *replay) {
  for (size_t i = 0; i < replay->n_builders; i++) {
    rebal_builder_free(replay->builders[i]);
  }
  free(replay->builders);
  free(replay->budgets);
}

/* ---- making the call ---- */

int32_t rebali_turn_run(const struct rebali_replay *replay, rebal_ctx *ctx, rebal_result *result, rebal_error *err) {
  switch (replay->call) {
    case REBAL_CALL_DESCHEDULE_STEP:
      return rebal_deschedule_step(ctx, replay->snapshot, replay->bindings, &replay->now, &replay->deschedule, result,
                                   err);
    case REBAL_CALL_TAINT_EVICTION_STEP:
      return rebal_taint_eviction_step(ctx, replay->snapshot, replay->cluster, replay->bindings, &replay->now,
                                       &replay->failover, result, err);
    case REBAL_CALL_GRACEFUL_EVICTION_STEP:
      return rebal_graceful_eviction_step(ctx, replay->snapshot, replay->bindings, &replay->now, &replay->failover,
                                          result, err);
    default:
      return rebal_application_failover_step(ctx, replay->snapshot, replay->bindings, &replay->now, &replay->failover,
                                             result, err);
  }
}
