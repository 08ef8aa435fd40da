/* SPDX-License-Identifier: MIT */
/* Taints of a cluster as a list that a step changes: rebalance-karmada(7) 10.2. */
#include "failover/taints.h"

/* Returns the index of the first taint with a key and effect, or the number of taints. */
static size_t find(const struct rebali_every_cluster *every, const struct rebali_taint *taint) {
  size_t i = 0;

  while (i < every->n_taints && (!rebali_text_equal(every->taints[i].key, taint->key) ||
                                 !rebali_text_equal(every->taints[i].effect, taint->effect))) {
    i++;
  }
  return i;
}

static int32_t append(struct rebali_every_cluster *every, const struct rebali_taint *taint) {
  if (rebali_reserve(rebali_result_allocator(every->result), &every->taints, &every->capacity, every->n_taints + 1,
                     sizeof *every->taints) != REBAL_OK) {
    return rebali_fail_memory(every->err);
  }
  every->taints[every->n_taints++] = *taint;
  return REBAL_OK;
}

int32_t rebali_taint_ensure(struct rebali_every_cluster *every, const struct rebali_taint *taint) {
  struct rebali_taint added = *taint;

  if (find(every, taint) < every->n_taints) {
    return REBAL_OK;
  }
  added.time_added = rebali_time_whole(every->now);
  return append(every, &added);
}

int rebali_taint_remove(struct rebali_every_cluster *every, const struct rebali_taint *taint) {
  const size_t place = find(every, taint);

  if (place == every->n_taints) {
    return 0;
  }
  for (size_t i = place + 1; i < every->n_taints; i++) {
    every->taints[i - 1] = every->taints[i];
  }
  every->n_taints--;
  return 1;
}

struct rebali_text rebali_condition_status(const struct rebali_every_cluster *every, struct rebali_text type) {
  const rebal_record *record = rebali_snapshot_cell_record(every->snapshot, REBAL_CLUSTER_CONDITIONS, every->cluster);
  uint32_t node = REBAL_NONE;

  while ((node = rebali_record_next(record, 0, REBAL_CONDITIONS_CONDITION, node)) != REBAL_NONE) {
    if (rebali_text_equal(rebali_record_field_text(record, node, REBAL_CONDITION_TYPE), type)) {
      return rebali_record_field_text(record, node, REBAL_CONDITION_STATUS);
    }
  }
  return (struct rebali_text){NULL, 0};
}

/* ---- every cluster ---- */

static int32_t load(struct rebali_every_cluster *every, const rebal_record *taints) {
  uint32_t node = REBAL_NONE;
  int32_t code = REBAL_OK;

  every->n_taints = 0;
  while (code == REBAL_OK && (node = rebali_record_next(taints, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE) {
    const struct rebali_taint taint = rebali_taint_read(taints, node);

    code = append(every, &taint);
  }
  return code;
}

static int are_as_before(const struct rebali_every_cluster *every, const rebal_record *taints) {
  uint32_t node = REBAL_NONE;
  size_t i = 0;

  while ((node = rebali_record_next(taints, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE) {
    const struct rebali_taint before = rebali_taint_read(taints, node);

    if (i == every->n_taints || !rebali_text_equal(before.key, every->taints[i].key) ||
        !rebali_text_equal(before.effect, every->taints[i].effect) ||
        !rebali_text_equal(before.value, every->taints[i].value) ||
        rebali_time_compare(&before.time_added, &every->taints[i].time_added) != 0) {
      return 0;
    }
    i++;
  }
  return i == every->n_taints;
}

static void put_text(rebal_builder *builder, uint32_t field, struct rebali_text text) {
  if (text.len != 0) {
    (void)rebal_builder_text(builder, field, text.bytes, text.len, NULL); /* the builder keeps failures until finish */
  }
}

static int32_t write(struct rebali_every_cluster *every) {
  struct rebali_action action = {.kind = REBAL_ACTION_KIND_PATCH_SPEC,
                                 .ordinal = (int64_t)rebal_result_count(every->result, REBAL_TABLE_ACTION),
                                 .api_version = REBALI_TEXT("cluster.karmada.io/v1alpha1"),
                                 .object_kind = REBALI_TEXT("Cluster"),
                                 .name = rebali_snapshot_name(every->snapshot, every->cluster),
                                 .row = every->cluster,
                                 .replaces = REBAL_REPLACES_TAINTS};
  int32_t code;

  (void)rebal_builder_start(every->builder, REBAL_OBJECT_CLUSTER_SPEC, NULL);
  for (size_t i = 0; i < every->n_taints; i++) {
    (void)rebal_builder_begin(every->builder, REBAL_CLUSTER_SPEC_TAINTS, NULL);
    put_text(every->builder, REBAL_TAINT_KEY, every->taints[i].key);
    put_text(every->builder, REBAL_TAINT_VALUE, every->taints[i].value);
    put_text(every->builder, REBAL_TAINT_EFFECT, every->taints[i].effect);
    (void)rebal_builder_time(every->builder, REBAL_TAINT_TIME_ADDED, &every->taints[i].time_added, NULL);
    (void)rebal_builder_end(every->builder, NULL);
  }
  code = rebal_builder_finish(every->builder, &action.payload, every->err);
  if (code != REBAL_OK) {
    return code;
  }
  return rebali_result_add_action(every->result, &action) == REBAL_OK ? REBAL_OK : rebali_fail_memory(every->err);
}

static int32_t step(struct rebali_every_cluster *every, rebali_cluster_visit visit) {
  const rebal_record *taints = rebali_snapshot_cell_record(every->snapshot, REBAL_CLUSTER_TAINTS, every->cluster);
  struct rebali_step row = {REBAL_STEP_STATE_SKIPPED, 0, REBALI_TEXT(""), REBAL_ABSENT};
  int32_t code = REBAL_OK;

  if (rebali_snapshot_has(every->snapshot, every->cluster) &&
      (every->visits_deleting || !rebali_snapshot_i64(every->snapshot, REBAL_CLUSTER_DELETING, every->cluster))) {
    row.state = REBAL_STEP_STATE_DONE;
    code = load(every, taints);
    code = code == REBAL_OK ? visit(every) : code;
    code = code == REBAL_OK && !are_as_before(every, taints) ? write(every) : code;
  }
  if (code != REBAL_OK) {
    return code;
  }
  return rebali_result_add_step(every->result, &row) == REBAL_OK ? REBAL_OK : rebali_fail_memory(every->err);
}

static int32_t check(const struct rebali_every_cluster *every) {
  rebal_failover_opts known;
  int32_t code = rebali_failover_options(&known, every->opts, every->err);

  if (code == REBAL_OK) {
    code = rebali_clock_check(every->now, every->err);
  }
  return code == REBAL_OK && every->snapshot == NULL
             ? rebali_fail(every->err, REBAL_EINVAL, -1, "the snapshot is missing")
             : code;
}

int32_t rebali_clusters_run(struct rebali_every_cluster *every, rebali_cluster_visit visit) {
  int32_t code = check(every);

  if (code == REBAL_OK) {
    code = rebali_answer_begin(every->ctx, every->snapshot, every->result, every->err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  code = rebal_builder_new(rebali_result_allocator(every->result), &every->builder, every->err);
  for (uint32_t rows = rebali_snapshot_rows(every->snapshot); code == REBAL_OK && every->cluster < rows;
       every->cluster++) {
    code = step(every, visit);
  }
  rebal_builder_free(every->builder);
  rebali_release(rebali_result_allocator(every->result), every->taints);
  return rebali_answer_end(every->ctx, every->result, code);
}
