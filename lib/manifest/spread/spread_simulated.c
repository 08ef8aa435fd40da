/* SPDX-License-Identifier: MIT */
/* The requirements of a pod in each candidate subset: the option SPREAD_SIMULATION of admission. */
#include "detector/detector.h"
#include "manifest/spread/spread_feed.h"

#include <stdlib.h>

/* ---- WorkloadSpread of the pod ---- */

static int32_t fork_all(rebal_spread *const *spreads, size_t n, rebal_spread **forks, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = rebal_spread_fork(spreads[i], &forks[i], err);
  }
  return result;
}

/* Works on copies, so that nothing is recorded. REBAL_NONE: none, or the pod is refused. */
static int32_t find_spread(const struct rebali_pod_question *request, rebal_spread *const *spreads, size_t n,
                           uint32_t row, const rebal_admit_opts *opts, uint32_t *out, rebal_error *err) {
  const rebal_admit_opts plain = {.struct_size = (uint32_t)sizeof plain,
                                  .flags = REBAL_ADMIT_FLAG_NO_ACTIONS,
                                  .compat = opts->compat,
                                  .white_list = opts->white_list,
                                  .rows = &row,
                                  .n_rows = 1};
  rebal_spread **forks = calloc(n + 1, sizeof *forks);
  rebal_result *answer = NULL;
  int32_t result = forks != NULL ? fork_all(spreads, n, forks, err) : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = rebal_result_new(NULL, &answer, err);
  }
  if (result == REBAL_OK) {
    result = rebal_spread_admit(request->ctx, forks, n, request->feed->pods, request->now, &plain, answer, err);
  }
  if (result == REBAL_OK) {
    const int64_t spread = rebal_result_i64(answer, REBAL_ADMITTED_SPREAD, NULL)[0];
    *out = spread == REBAL_ABSENT ? REBAL_NONE : (uint32_t)spread;
  }
  rebal_result_free(answer);
  for (size_t i = 0; forks != NULL && i < n; i++) {
    rebal_spread_free(forks[i]);
  }
  free(forks);
  return result;
}

/* ---- requirements ---- */

static int32_t intern(rebal_fleet *fleet, rebal_builder *builder, const json_t *injected, uint32_t *out,
                      rebal_error *err) {
  const struct rebali_path path = rebali_path_key(NULL, "spec");
  const rebal_record *record;
  json_t *tree;
  int32_t result = rebali_requirements_of(rebali_member(injected, "spec"), 0, &tree, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_read_record(builder, REBAL_OBJECT_REQUIREMENTS, tree, &path, &record, err);
  json_decref(tree);
  return result == REBAL_OK ? rebal_fleet_intern(fleet, record, out, err) : result;
}

/* If the subset's patch does not fit, or the patched pod cannot be read, *out is REBAL_NONE. */
static int32_t find_need(rebal_fleet *fleet, rebal_builder *builder, const rebal_spread *spread, uint32_t subset,
                         const json_t *pod, uint32_t *out, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  json_t *injected;
  int32_t result = rebali_inject_subset(spread, subset, "", 0, pod, &injected, &local);
  if (result == REBAL_OK) {
    result = intern(fleet, builder, injected, out, &local);
    json_decref(injected);
  }
  if (result != REBAL_OK) {
    *out = REBAL_NONE;
  }
  return result == REBAL_ENOMEM ? rebali_fail_memory(err) : REBAL_OK;
}

static int32_t find_needs(rebal_fleet *fleet, const rebal_spread *spread, const json_t *pod,
                          struct rebali_simulated *out, rebal_error *err) {
  const uint32_t n = rebal_spread_subset_count(spread);
  rebal_builder *builder = NULL;
  int32_t result = rebal_builder_new(NULL, &builder, err);
  out->needs = malloc(((size_t)n + 1) * sizeof *out->needs);
  if (result == REBAL_OK && out->needs == NULL) {
    result = rebali_fail_memory(err);
  }
  for (uint32_t i = 0; result == REBAL_OK && i < n; i++) {
    result = find_need(fleet, builder, spread, i, pod, &out->needs[i], err);
  }
  rebal_builder_free(builder);
  if (result == REBAL_OK) {
    result = rebal_fleet_freeze(fleet, &out->snapshot, err);
  }
  return result;
}

/* ---- the options ---- */

static int is_requested_by(const struct rebali_pod_question *request, const rebal_admit_opts *opts) {
  int64_t option = 0;
  return request->operation == REBAL_OPERATION_CREATE && opts->snapshot != NULL && opts->simulated == NULL &&
         opts->compat != NULL &&
         rebal_compat_get(opts->compat, REBAL_OPTION_SPREAD_SIMULATION, &option, NULL) == REBAL_OK && option != 0;
}

int32_t rebali_simulated_open(const struct rebali_pod_question *request, rebal_spread *const *spreads, size_t n,
                              uint32_t row, const json_t *pod, const rebal_admit_opts **opts,
                              struct rebali_simulated *out, rebal_error *err) {
  uint32_t spread = REBAL_NONE;
  int32_t result;
  *out = (struct rebali_simulated){.needs = NULL};
  if (!is_requested_by(request, *opts)) {
    return REBAL_OK;
  }
  result = find_spread(request, spreads, n, row, *opts, &spread, err);
  if (result != REBAL_OK || spread == REBAL_NONE) {
    return result;
  }
  result = find_needs(request->feed->fleet, spreads[spread], pod, out, err);
  out->opts = **opts;
  out->opts.snapshot = out->snapshot;
  out->opts.simulated = out->needs;
  out->opts.simulated_stride = rebal_spread_subset_count(spreads[spread]);
  *opts = &out->opts;
  return result;
}

void rebali_simulated_close(struct rebali_simulated *simulated) {
  free(simulated->needs);
  rebal_snapshot_unref(simulated->snapshot);
}
