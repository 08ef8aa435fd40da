/* SPDX-License-Identifier: MIT */
/* The public filter calls: one affinity against every cluster, and every plugin against every binding and cluster. */
#include "scheduler/scheduler.h"

static int32_t write_verdict(struct rebali_table *table, int64_t binding, uint32_t cluster,
                             const struct rebali_verdict *verdict) {
  size_t row;

  if (rebali_table_add(table, 1, &row) != REBAL_OK ||
      rebali_table_set_i64(table, REBAL_VERDICT_BINDING, row, binding) != REBAL_OK ||
      rebali_table_set_i64(table, REBAL_VERDICT_CLUSTER, row, cluster) != REBAL_OK ||
      rebali_table_set_i64(table, REBAL_VERDICT_REJECTED_BY, row, verdict->rejected) != REBAL_OK ||
      rebali_table_set_i64(table, REBAL_VERDICT_TAINT, row, verdict->taint) != REBAL_OK ||
      rebali_table_set_i64(table, REBAL_VERDICT_UNCOMPARABLE, row, verdict->uncomparable) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return REBAL_OK;
}

static int32_t match_all(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_record *record, rebal_result *result) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_VERDICT);
  struct rebali_affinity affinity;
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n_clusters);
  size_t n_bitsets = 0;
  int32_t code = rebali_affinity_compile(rebali_ctx_scratch(ctx), record, 0, &n_bitsets, &affinity);

  for (uint32_t i = 0; i < n_clusters && code == REBAL_OK; i++) {
    struct rebali_verdict verdict = {0, 0, REBAL_ABSENT};

    if (!rebali_affinity_matches(&affinity, snapshot, clusters[i])) {
      verdict.rejected = UINT32_C(1) << REBAL_FILTER_CLUSTER_AFFINITY;
    }
    code = write_verdict(table, 0, clusters[i], &verdict);
  }
  return code;
}

int32_t rebal_match(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_record *affinity, rebal_result *result,
                    rebal_error *err) {
  int32_t code;

  if (snapshot == NULL || affinity == NULL || rebal_record_object(affinity) != REBAL_OBJECT_AFFINITY) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a snapshot and a record of kind AFFINITY are needed");
  }
  code = rebali_answer_begin(ctx, snapshot, result, err);
  if (code != REBAL_OK) {
    return code;
  }
  code = match_all(ctx, snapshot, affinity, result) == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
  return rebali_answer_end(ctx, result, code);
}

/* ---- every plugin ------------------------------------------------------------------------------------------------ */

static int32_t filter_binding(struct rebali_pass *pass, rebal_result *result, void *user_data) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_VERDICT);
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(pass->snapshot, &n_clusters);
  int32_t code;

  (void)user_data;
  if (pass->placement == NULL) {
    return REBAL_OK;
  }
  code = rebali_pass_begin(pass, rebali_bindings_text(pass->bindings, REBAL_BINDING_OBSERVED_AFFINITY_NAME, pass->row));
  for (uint32_t i = 0; i < n_clusters && code == REBAL_OK; i++) {
    const struct rebali_verdict verdict = rebali_filter_judge(pass, clusters[i]);

    if (write_verdict(table, pass->row, clusters[i], &verdict) != REBAL_OK) {
      code = rebali_fail_memory(pass->err);
    }
  }
  return code == REBAL_OK && pass->explain != NULL ? rebali_explain_stage(pass, REBAL_STAGE_FILTER) : code;
}

int32_t rebal_filter(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                     const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err) {
  const struct rebali_batch batch = {ctx, snapshot, bindings, opts, result, err, "rebal_filter", NULL};

  return rebali_batch_run(&batch, filter_binding, NULL);
}

/* Checks whether verdict and bindings belong together, as far as possible. */
static int32_t check_verdict(const rebal_bindings *bindings, const rebal_result *verdicts, size_t row,
                             rebal_error *err) {
  size_t n;
  const int64_t *rows = rebal_result_i64(verdicts, REBAL_VERDICT_BINDING, &n);

  if (bindings == NULL || rows == NULL || row >= n) {
    return rebali_fail(err, REBAL_EINVAL, (int64_t)row, "no such verdict");
  }
  if (rows[row] >= (int64_t)rebali_bindings_size(bindings)) {
    return rebali_fail(err, REBAL_EMISMATCH, (int64_t)row, "the verdict is on other bindings");
  }
  return REBAL_OK;
}

int32_t rebal_filter_reason(const rebal_bindings *bindings, const rebal_result *verdicts, size_t row, uint32_t plugin,
                            char *buffer, size_t capacity, size_t *len, rebal_error *err) {
  const rebal_snapshot *snapshot = rebali_result_snapshot(verdicts);
  size_t n;
  const int64_t *rejected = rebal_result_i64(verdicts, REBAL_VERDICT_REJECTED_BY, &n);
  const int64_t *taints = rebal_result_i64(verdicts, REBAL_VERDICT_TAINT, &n);
  const int64_t *clusters = rebal_result_i64(verdicts, REBAL_VERDICT_CLUSTER, &n);
  const int64_t *rows = rebal_result_i64(verdicts, REBAL_VERDICT_BINDING, &n);
  const int64_t *broken = rebal_result_i64(verdicts, REBAL_VERDICT_UNCOMPARABLE, &n);
  struct rebali_buffer text;
  int32_t code = check_verdict(bindings, verdicts, row, err);

  if (code == REBAL_OK && rebal_enum_name(REBAL_ENUM_FILTER, plugin, NULL) == NULL) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "no plugin has the number %u", (unsigned)plugin);
  }
  if (code != REBAL_OK) {
    return code;
  }
  rebali_buffer_init(&text, rebali_result_allocator(verdicts));
  if (rejected[row] >> plugin & 1) {
    const int64_t handle = rebali_bindings_i64(bindings, REBAL_BINDING_PLACEMENT, (uint32_t)rows[row]);

    rebali_filter_text(snapshot, (uint32_t)clusters[row], plugin,
                       rebali_snapshot_record(snapshot, REBAL_OBJECT_PLACEMENT, (uint32_t)handle), taints[row],
                       (int)(broken[row] >> plugin & 1), &text);
  }
  code = text.failed ? rebali_fail_memory(err)
                     : rebali_text_give(rebali_text(text.bytes, text.len), buffer, capacity, len, err);
  rebali_buffer_dispose(&text);
  return code;
}
