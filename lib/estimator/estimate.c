/* SPDX-License-Identifier: MIT */
/* The public call of the room: one requirement against every cluster of a snapshot. */
#include "estimator/estimator.h"

#include <stddef.h>

#define FIRST_OPTS_SIZE sizeof(rebal_estimate_opts)

static int32_t fill(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t requirements, const rebal_estimate_opts *opts,
                    rebal_result *result, rebal_error *err) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_ESTIMATE);
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n_clusters);
  const int32_t *replicas;
  size_t first;
  int32_t code = rebali_estimate_rows(ctx, snapshot, requirements, opts->compat, opts->ledger, &replicas, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (rebali_table_add(table, n_clusters, &first) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (uint32_t i = 0; i < n_clusters; i++) {
    if (rebali_table_set_i64(table, REBAL_ESTIMATE_CLUSTER, first + i, clusters[i]) != REBAL_OK ||
        rebali_table_set_i64(table, REBAL_ESTIMATE_REPLICAS, first + i, replicas[clusters[i]]) != REBAL_OK) {
      return rebali_fail_memory(err);
    }
  }
  return REBAL_OK;
}

static int32_t check(const rebal_snapshot *snapshot, uint32_t requirements, const rebal_estimate_opts *opts,
                     rebal_error *err) {
  if (snapshot == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "snapshot is NULL");
  }
  if (opts->reserved0 != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  if (requirements != REBAL_NONE && rebali_snapshot_record(snapshot, REBAL_OBJECT_REQUIREMENTS, requirements) == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the snapshot has no requirements with handle %u",
                       (unsigned)requirements);
  }
  if (opts->ledger != NULL && rebali_ledger_fleet(opts->ledger) != rebali_snapshot_fleet(snapshot)) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "ledger and snapshot are of different fleets");
  }
  return REBAL_OK;
}

int32_t rebal_estimate(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t requirements, const rebal_estimate_opts *opts,
                       rebal_result *result, rebal_error *err) {
  rebal_estimate_opts known;
  int32_t code = rebali_options_load(&known, sizeof known, FIRST_OPTS_SIZE, opts, err);

  if (code == REBAL_OK) {
    code = check(snapshot, requirements, &known, err);
  }
  if (code == REBAL_OK) {
    code = rebali_result_begin(result, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ctx_begin(ctx, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  rebali_snapshot_hold(snapshot, result);
  code = fill(ctx, snapshot, requirements, &known, result, err);
  rebali_ctx_end(ctx);
  if (code != REBAL_OK) {
    rebal_result_reset(result);
  }
  return code;
}
