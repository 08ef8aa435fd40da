/* SPDX-License-Identifier: MIT */
/* Writes the answer: actions, and a row for each binding. */
#include "plan/step/karmada.h"

/* ---- actions ----------------------------------------------------------------------------------------------------- */

static int is_complete(const struct rebali_wave_row *row) {
  for (size_t i = 0; i < row->n_cells; i++) {
    if (row->cells[i].next != row->cells[i].to) {
      return 0;
    }
  }
  return 1;
}

static void build_new(struct rebali_every_binding *every, const struct rebali_wave_cell *cell) {
  (void)rebal_builder_begin(every->builder, REBAL_BINDING_SPEC_CLUSTERS, NULL);
  rebali_build_text(every->builder, REBAL_TARGET_CLUSTER_NAME, rebali_snapshot_name(every->snapshot, cell->cluster));
  rebali_build_i64(every->builder, REBAL_TARGET_CLUSTER_REPLICAS, cell->next == 0 ? REBAL_ABSENT : cell->next);
  (void)rebal_builder_end(every->builder, NULL);
}

/* Clusters already listed keep their order; new ones follow by name. Without replicas only those of y are listed. */
static void build_clusters(struct rebali_wave_call *call, const struct rebali_wave_row *row) {
  const rebal_bindings *bindings = call->every.bindings;
  const int is_last = is_complete(row);
  size_t n;
  const uint32_t *targets = rebali_bindings_children(bindings, REBAL_TABLE_TARGET, row->binding, &n);

  for (size_t i = 0; i < n; i++) {
    const uint32_t cluster = (uint32_t)rebali_bindings_i64(bindings, REBAL_TARGET_CLUSTER, targets[i]);
    const struct rebali_wave_cell *cell = rebali_wave_cell_of(call, row, cluster);

    if (cell->next > 0 || cell->is_aim) {
      rebali_target_build(&call->every, targets[i], cell->next);
    }
  }
  for (size_t i = 0; i < row->n_cells; i++) {
    const struct rebali_wave_cell *cell = &row->cells[i];

    if (!cell->is_listed && (cell->next > 0 || (cell->is_aim && is_last))) {
      build_new(&call->every, cell);
    }
  }
}

/* Keeps the tasks of others. Ours are removed; a write that adds tasks finds none of ours. */
static void build_kept_tasks(struct rebali_wave_call *call, const struct rebali_wave_row *row) {
  const rebal_bindings *bindings = call->every.bindings;
  size_t n;
  const uint32_t *tasks = rebali_bindings_children(bindings, REBAL_TABLE_TASK, row->binding, &n);

  for (size_t i = 0; i < n; i++) {
    if (!rebali_task_is_ours(bindings, tasks[i])) {
      rebali_task_build(&call->every, tasks[i], NULL);
    }
  }
}

/*
 * Builds tasks that keep the replicas that the write takes away. Karmada drops them neither for stale health nor by
 * time.
 */
static void build_tasks(struct rebali_wave_call *call, const struct rebali_wave_row *row) {
  rebal_builder *builder = call->every.builder;
  const rebal_time created = rebali_time_whole(call->every.now);

  build_kept_tasks(call, row);
  for (size_t i = 0; row->patch.adds_tasks && i < row->n_cells; i++) {
    const struct rebali_wave_cell *cell = &row->cells[i];

    if (cell->next < cell->present) {
      (void)rebal_builder_begin(builder, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS, NULL);
      rebali_build_text(builder, REBAL_EVICTION_TASK_FROM_CLUSTER,
                        rebali_snapshot_name(call->every.snapshot, cell->cluster));
      rebali_build_text(builder, REBAL_EVICTION_TASK_PURGE_MODE, REBALI_TEXT("Gracefully"));
      rebali_build_i64(builder, REBAL_EVICTION_TASK_REPLICAS, cell->present);
      rebali_build_text(builder, REBAL_EVICTION_TASK_REASON, REBALI_TEXT("PlannedDrain"));
      rebali_build_text(builder, REBAL_EVICTION_TASK_PRODUCER, REBALI_PLAN_PRODUCER);
      rebali_build_i64(builder, REBAL_EVICTION_TASK_SUPPRESS_DELETION, 1);
      (void)rebal_builder_time(builder, REBAL_EVICTION_TASK_CREATION_TIMESTAMP, &created, NULL);
      (void)rebal_builder_end(builder, NULL);
    }
  }
}

static int32_t build_mark(struct rebali_wave_call *call, const struct rebali_wave_row *row) {
  const struct rebali_mark mark = {1, row->patch.phase, call->plan->inputs, rebali_mark_digest(call, row, &row->patch),
                                   *call->every.now};
  rebal_builder *builder = call->every.builder;
  struct rebali_buffer text;
  int32_t code;

  rebali_buffer_init(&text, rebali_ctx_allocator(call->ctx));
  rebali_mark_write(&mark, &text);
  code = text.failed ? REBAL_ENOMEM : REBAL_OK;
  (void)rebal_builder_begin(builder, REBAL_BINDING_METADATA, NULL);
  (void)rebal_builder_begin(builder, REBAL_METADATA_ANNOTATIONS, NULL);
  rebali_build_text(builder, REBAL_PAIR_KEY, REBALI_PLAN_ANNOTATION);
  rebali_build_text(builder, REBAL_PAIR_VALUE, rebali_text(text.bytes, text.failed ? 0 : text.len));
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_end(builder, NULL);
  rebali_buffer_dispose(&text);
  return code;
}

/* Builds the whole action of the dialect KARMADA: spec and mark in one patch. */
static int32_t build_binding(struct rebali_wave_call *call, const struct rebali_wave_row *row, int64_t *replaces) {
  const struct rebali_patch *patch = &row->patch;
  rebal_builder *builder = call->every.builder;
  int32_t code = REBAL_OK;

  (void)rebal_builder_start(builder, REBAL_OBJECT_BINDING, NULL);
  if (patch->phase != REBALI_PHASE_NONE) {
    code = build_mark(call, row);
  }
  (void)rebal_builder_begin(builder, REBAL_BINDING_SPEC, NULL);
  if (patch->writes_clusters) {
    build_clusters(call, row);
  }
  if (patch->adds_tasks || patch->drops_tasks) {
    build_tasks(call, row);
  }
  if (patch->suspends) {
    (void)rebal_builder_begin(builder, REBAL_BINDING_SPEC_SUSPENSION, NULL);
    rebali_build_i64(builder, REBAL_SUSPENSION_SCHEDULING, 1);
    (void)rebal_builder_end(builder, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
  *replaces = (patch->writes_clusters ? REBAL_REPLACES_CLUSTERS : 0) |
              (patch->adds_tasks || patch->drops_tasks ? REBAL_REPLACES_GRACEFUL_EVICTION_TASKS : 0) |
              (patch->resumes ? REBAL_REPLACES_SCHEDULING_SUSPENSION : 0) |
              (patch->phase == REBALI_PHASE_NONE ? REBAL_REPLACES_PLAN_MARK : 0);
  return code;
}

static int32_t add_patch(struct rebali_wave_call *call, const struct rebali_wave_row *row, size_t ordinal) {
  const rebal_bindings *bindings = call->every.bindings;
  struct rebali_action action = rebali_bindings_action(bindings, row->binding, REBAL_ACTION_KIND_PATCH_SPEC);
  int32_t code = REBAL_OK;

  if (call->opts.dialect == REBAL_PLAN_DIALECT_KARMADA) {
    code = build_binding(call, row, &action.replaces);
  } else {
    (void)rebal_builder_start(call->every.builder, REBAL_OBJECT_BINDING_SPEC, NULL);
    build_clusters(call, row);
    action.replaces = REBAL_REPLACES_CLUSTERS;
  }
  if (code != REBAL_OK || rebal_builder_finish(call->every.builder, &action.payload, NULL) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  action.ordinal = (int64_t)ordinal;
  action.uid = rebali_bindings_text(bindings, REBAL_BINDING_UID, row->binding);
  action.resource_version = rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_VERSION, row->binding);
  return rebali_result_add_action(call->every.result, &action);
}

static int32_t add_wake(struct rebali_wave_call *call, const struct rebali_wave_row *row, size_t ordinal) {
  struct rebali_action action = rebali_bindings_action(call->every.bindings, row->binding, REBAL_ACTION_KIND_WAKE);

  action.ordinal = (int64_t)(call->n_rows + ordinal);
  action.not_before = rebali_time_after(call->every.now, row->after_ns);
  return rebali_result_add_action(call->every.result, &action);
}

static int32_t add_actions(struct rebali_wave_call *call) {
  int32_t code = rebal_builder_new(rebali_ctx_allocator(call->ctx), &call->every.builder, NULL);

  for (size_t i = 0; code == REBAL_OK && i < call->n_rows; i++) {
    const struct rebali_wave_row *row = &call->rows[i];

    if (row->state == REBAL_WAVE_STATE_MOVING) {
      code = add_patch(call, row, i);
    } else if (row->after_ns != REBAL_ABSENT) {
      code = add_wake(call, row, i);
    }
  }
  rebal_builder_free(call->every.builder);
  return code;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static int64_t left_of(const struct rebali_wave_row *row) {
  int64_t left = 0;

  for (size_t i = 0; i < row->n_cells; i++) {
    const struct rebali_wave_cell *cell = &row->cells[i];

    left += cell->present > cell->to ? (int64_t)cell->present - cell->to : (int64_t)cell->to - cell->present;
  }
  return left;
}

static int32_t add_row(struct rebali_wave_call *call, const struct rebali_wave_row *row) {
  struct rebali_table *table = rebali_result_table(call->every.result, REBAL_TABLE_WAVE);
  const struct rebali_table_value cells[] = {
      {REBAL_WAVE_BINDING, rebali_id_given(row->binding)},
      {REBAL_WAVE_STATE, row->state},
      {REBAL_WAVE_REASON, row->reason},
      {REBAL_WAVE_CLUSTER, rebali_id_given(row->cluster)},
      {REBAL_WAVE_FOREIGN, row->is_foreign},
      {REBAL_WAVE_CYCLE, row->cycle},
      {REBAL_WAVE_AFTER_NS, row->after_ns},
      {REBAL_WAVE_REMOVED, row->state == REBAL_WAVE_STATE_MOVING ? row->removed : 0},
      {REBAL_WAVE_ADDED, row->state == REBAL_WAVE_STATE_MOVING ? row->added : 0},
      {REBAL_WAVE_LEFT, left_of(row)},
      {REBAL_WAVE_PRESENT, row->present},
      {REBAL_WAVE_READY, row->ready},
      {REBAL_WAVE_FLOOR, row->floor}};
  size_t at;
  const int32_t code = rebali_table_add_row(table, cells, REBALI_COUNT(cells), &at);

  return code == REBAL_OK ? rebali_table_set_text(table, REBAL_WAVE_MESSAGE, at, row->message) : code;
}

static int32_t add_pace(struct rebali_wave_call *call) {
  struct rebali_table *table = rebali_result_table(call->every.result, REBAL_TABLE_PACE);
  const struct rebali_table_value cells[] = {{REBAL_PACE_EVICTED, call->n_writes}, {REBAL_PACE_WAITING, call->n_paced}};
  size_t row;
  int32_t code;

  if (call->opts.interval_ns == 0) {
    return REBAL_OK;
  }
  if (call->n_writes > 0) {
    call->next_wave = rebali_time_after(call->every.now, call->opts.interval_ns);
  }
  code = rebali_table_add_row(table, cells, REBALI_COUNT(cells), &row);
  return code == REBAL_OK ? rebali_table_set_time(table, REBAL_PACE_NEXT, row, &call->next_wave) : code;
}

int32_t rebali_wave_write(struct rebali_wave_call *call) {
  int32_t code = add_actions(call);

  for (size_t i = 0; code == REBAL_OK && i < call->n_rows; i++) {
    code = add_row(call, &call->rows[i]);
  }
  if (code == REBAL_OK) {
    code = add_pace(call);
  }
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(call->every.err);
}
