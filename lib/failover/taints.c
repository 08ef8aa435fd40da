/* SPDX-License-Identifier: MIT */
/* Taints of a cluster as a list that a step changes: spec karmada 10.2. */
#include "failover/taints.h"

/* Index of the first taint of a key and effect, or the number of taints. */
static size_t find(const struct rebali_cluster_sweep *sweep, const struct rebali_taint *taint) {
  size_t i = 0;

  while (i < sweep->n_taints && (!rebali_text_equal(sweep->taints[i].key, taint->key) ||
                                 !rebali_text_equal(sweep->taints[i].effect, taint->effect))) {
    i++;
  }
  return i;
}

static int32_t append(struct rebali_cluster_sweep *sweep, const struct rebali_taint *taint) {
  if (rebali_reserve(rebali_result_allocator(sweep->result), &sweep->taints, &sweep->capacity, sweep->n_taints + 1,
                     sizeof *sweep->taints) != REBAL_OK) {
    return rebali_fail_memory(sweep->err);
  }
  sweep->taints[sweep->n_taints++] = *taint;
  return REBAL_OK;
}

int32_t rebali_taint_ensure(struct rebali_cluster_sweep *sweep, const struct rebali_taint *taint) {
  struct rebali_taint added = *taint;

  if (find(sweep, taint) < sweep->n_taints) {
    return REBAL_OK;
  }
  added.time_added = rebali_time_whole(sweep->now);
  return append(sweep, &added);
}

void rebali_taint_remove(struct rebali_cluster_sweep *sweep, const struct rebali_taint *taint) {
  const size_t place = find(sweep, taint);

  for (size_t i = place + 1; i < sweep->n_taints; i++) {
    sweep->taints[i - 1] = sweep->taints[i];
  }
  sweep->n_taints -= place < sweep->n_taints;
}

struct rebali_text rebali_condition_status(const struct rebali_cluster_sweep *sweep, struct rebali_text type) {
  const rebal_record *record = rebali_snapshot_cell_record(sweep->snapshot, REBAL_CLUSTER_CONDITIONS, sweep->cluster);
  uint32_t node = REBAL_NONE;

  while ((node = rebali_record_next(record, 0, REBAL_CONDITIONS_CONDITION, node)) != REBAL_NONE) {
    if (rebali_text_equal(rebali_record_field_text(record, node, REBAL_CONDITION_TYPE), type)) {
      return rebali_record_field_text(record, node, REBAL_CONDITION_STATUS);
    }
  }
  return (struct rebali_text){NULL, 0};
}

/* ---- the sweep ---- */

static int32_t load(struct rebali_cluster_sweep *sweep, const rebal_record *taints) {
  uint32_t node = REBAL_NONE;
  int32_t code = REBAL_OK;

  sweep->n_taints = 0;
  while (code == REBAL_OK && (node = rebali_record_next(taints, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE) {
    const struct rebali_taint taint = rebali_taint_read(taints, node);

    code = append(sweep, &taint);
  }
  return code;
}

static int are_as_before(const struct rebali_cluster_sweep *sweep, const rebal_record *taints) {
  uint32_t node = REBAL_NONE;
  size_t i = 0;

  while ((node = rebali_record_next(taints, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE) {
    const struct rebali_taint before = rebali_taint_read(taints, node);

    if (i == sweep->n_taints || !rebali_text_equal(before.key, sweep->taints[i].key) ||
        !rebali_text_equal(before.effect, sweep->taints[i].effect) ||
        !rebali_text_equal(before.value, sweep->taints[i].value) ||
        rebali_time_compare(&before.time_added, &sweep->taints[i].time_added) != 0) {
      return 0;
    }
    i++;
  }
  return i == sweep->n_taints;
}

static void put_text(rebal_builder *builder, uint32_t field, struct rebali_text text) {
  if (text.len != 0) {
    (void)rebal_builder_text(builder, field, text.bytes, text.len, NULL); /* failures stick until finish */
  }
}

static int32_t write(struct rebali_cluster_sweep *sweep) {
  struct rebali_action action = {.kind = REBAL_ACTION_KIND_PATCH_SPEC,
                                 .ordinal = (int64_t)rebal_result_count(sweep->result, REBAL_TABLE_ACTION),
                                 .api_version = REBALI_TEXT("cluster.karmada.io/v1alpha1"),
                                 .object_kind = REBALI_TEXT("Cluster"),
                                 .name = rebali_snapshot_name(sweep->snapshot, sweep->cluster),
                                 .row = sweep->cluster,
                                 .replaces = REBAL_REPLACES_TAINTS};
  int32_t code;

  (void)rebal_builder_start(sweep->builder, REBAL_OBJECT_CLUSTER_SPEC, NULL);
  for (size_t i = 0; i < sweep->n_taints; i++) {
    (void)rebal_builder_begin(sweep->builder, REBAL_CLUSTER_SPEC_TAINTS, NULL);
    put_text(sweep->builder, REBAL_TAINT_KEY, sweep->taints[i].key);
    put_text(sweep->builder, REBAL_TAINT_VALUE, sweep->taints[i].value);
    put_text(sweep->builder, REBAL_TAINT_EFFECT, sweep->taints[i].effect);
    (void)rebal_builder_time(sweep->builder, REBAL_TAINT_TIME_ADDED, &sweep->taints[i].time_added, NULL);
    (void)rebal_builder_end(sweep->builder, NULL);
  }
  code = rebal_builder_finish(sweep->builder, &action.payload, sweep->err);
  if (code != REBAL_OK) {
    return code;
  }
  return rebali_result_add_action(sweep->result, &action) == REBAL_OK ? REBAL_OK : rebali_fail_memory(sweep->err);
}

static int32_t step(struct rebali_cluster_sweep *sweep, rebali_cluster_visit visit) {
  const rebal_record *taints = rebali_snapshot_cell_record(sweep->snapshot, REBAL_CLUSTER_TAINTS, sweep->cluster);
  struct rebali_step row = {REBAL_STEP_STATE_SKIPPED, 0, REBALI_TEXT(""), REBAL_ABSENT};
  int32_t code = REBAL_OK;

  if (rebali_snapshot_has(sweep->snapshot, sweep->cluster) &&
      !rebali_snapshot_i64(sweep->snapshot, REBAL_CLUSTER_DELETING, sweep->cluster)) {
    row.state = REBAL_STEP_STATE_DONE;
    code = load(sweep, taints);
    code = code == REBAL_OK ? visit(sweep) : code;
    code = code == REBAL_OK && !are_as_before(sweep, taints) ? write(sweep) : code;
  }
  if (code != REBAL_OK) {
    return code;
  }
  return rebali_result_add_step(sweep->result, &row) == REBAL_OK ? REBAL_OK : rebali_fail_memory(sweep->err);
}

static int32_t check(const struct rebali_cluster_sweep *sweep) {
  rebal_failover_opts known;
  int32_t code = rebali_failover_options(&known, sweep->opts, sweep->err);

  if (code == REBAL_OK) {
    code = rebali_clock_check(sweep->now, sweep->err);
  }
  return code == REBAL_OK && sweep->snapshot == NULL
             ? rebali_fail(sweep->err, REBAL_EINVAL, -1, "the snapshot is missing")
             : code;
}

int32_t rebali_clusters_run(struct rebali_cluster_sweep *sweep, rebali_cluster_visit visit) {
  int32_t code = check(sweep);

  if (code == REBAL_OK) {
    code = rebali_answer_begin(sweep->ctx, sweep->snapshot, sweep->result, sweep->err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  code = rebal_builder_new(rebali_result_allocator(sweep->result), &sweep->builder, sweep->err);
  for (uint32_t rows = rebali_snapshot_rows(sweep->snapshot); code == REBAL_OK && sweep->cluster < rows;
       sweep->cluster++) {
    code = step(sweep, visit);
  }
  rebal_builder_free(sweep->builder);
  rebali_release(rebali_result_allocator(sweep->result), sweep->taints);
  return rebali_answer_end(sweep->ctx, sweep->result, code);
}
