/* SPDX-License-Identifier: MIT */
/* Decisions on one binding in a copy of a fleet, with one change at a time. */
#include "plan/whatif/counterfactual.h"

/* ---- one decision ------------------------------------------------------------------------------------------------ */

static int32_t read_answer(struct rebali_pass *pass, const struct rebali_failures *failures, void *user_data) {
  struct rebali_trial *trial = user_data;
  const int has_replicas = rebali_bindings_i64(trial->bindings, REBAL_BINDING_REPLICAS, trial->row) > 0;

  (void)failures;
  trial->is_met = 0;
  trial->replicas = 0;
  if (pass->outcome != REBAL_OUTCOME_SCHEDULED) {
    return REBAL_OK;
  }
  trial->is_met = trial->goal == REBAL_NONE;
  for (size_t i = 0; i < pass->n_placed; i++) {
    const int64_t replicas = pass->placed[i].replicas;

    if (trial->goal == REBAL_NONE || pass->placed[i].cluster == trial->goal) {
      trial->is_met |= replicas > 0 || !has_replicas;
      trial->replicas += replicas; /* fewer than 2^32 of 2^31 each */
    }
  }
  return REBAL_OK;
}

static int32_t decide(struct rebali_trial *trial, const uint32_t *placement) {
  const struct rebali_decision_request request = {.trigger = REBALI_TRIGGER_AS_GIVEN, .placement = placement};

  return rebali_question_run(&trial->question, trial->row, &request, read_answer, trial);
}

static int32_t decide_with_placement(struct rebali_trial *trial, const struct rebali_counterfactual *change) {
  const rebal_record *placement;
  uint32_t handle;
  int32_t code = rebali_placement_edit(trial, change, &placement);

  code = code == REBAL_OK ? rebal_fleet_intern(trial->fleet, placement, &handle, trial->question.err) : code;
  return code == REBAL_OK ? decide(trial, &handle) : code;
}

/* ---- changed clusters -------------------------------------------------------------------------------------------- */

static int32_t decide_frozen(struct rebali_trial *trial) {
  rebal_snapshot *snapshot = NULL;
  int32_t code = rebal_fleet_freeze(trial->fleet, &snapshot, trial->question.err);

  if (code == REBAL_OK) {
    trial->question.snapshot = snapshot;
    code = decide(trial, NULL);
    trial->question.snapshot = trial->snapshot;
  }
  rebal_snapshot_unref(snapshot);
  return code;
}

static int32_t decide_with_cell(struct rebali_trial *trial, uint32_t column, uint32_t cluster) {
  rebal_cells *cells = rebal_fleet_cells(trial->fleet);
  const int64_t before = rebal_cells_get_i64(cells, column, REBAL_NONE, cluster);
  rebal_error *err = trial->question.err;
  const rebal_record *record;
  uint32_t handle;
  int32_t code = rebal_builder_finish(trial->builder, &record, err);

  code = code == REBAL_OK ? rebal_fleet_intern(trial->fleet, record, &handle, err) : code;
  code = code == REBAL_OK ? rebal_cells_set_i64(cells, column, REBAL_NONE, cluster, handle, err) : code;
  code = code == REBAL_OK ? decide_frozen(trial) : code;
  return code == REBAL_OK ? rebal_cells_set_i64(cells, column, REBAL_NONE, cluster, before, err) : code;
}

static int32_t decide_without_taint(struct rebali_trial *trial, const struct rebali_counterfactual *change) {
  const rebal_record *taints = rebali_snapshot_cell_record(trial->snapshot, REBAL_CLUSTER_TAINTS, change->cluster);
  uint32_t node = REBAL_NONE;

  (void)rebal_builder_start(trial->builder, REBAL_OBJECT_TAINTS, NULL);
  while ((node = rebali_record_next(taints, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE) {
    if (node != change->node) {
      (void)rebal_builder_copy(trial->builder, REBAL_TAINTS_TAINT, taints, node, NULL);
    }
  }
  return decide_with_cell(trial, REBAL_CLUSTER_TAINTS, change->cluster);
}

static int32_t decide_with_label(struct rebali_trial *trial, const struct rebali_counterfactual *change) {
  const rebal_record *labels = rebali_snapshot_cell_record(trial->snapshot, REBAL_CLUSTER_LABELS, change->cluster);
  rebal_builder *builder = trial->builder;
  uint32_t node = REBAL_NONE;

  (void)rebal_builder_start(builder, REBAL_OBJECT_LABELS, NULL);
  while (labels != NULL && (node = rebali_record_next(labels, 0, REBAL_LABELS_LABEL, node)) != REBAL_NONE) {
    if (!rebali_text_equal(rebali_record_field_text(labels, node, REBAL_PAIR_KEY), change->key)) {
      (void)rebal_builder_copy(builder, REBAL_LABELS_LABEL, labels, node, NULL);
    }
  }
  if (!change->is_removed) {
    (void)rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL);
    (void)rebal_builder_text(builder, REBAL_PAIR_KEY, change->key.bytes, change->key.len, NULL);
    (void)rebal_builder_text(builder, REBAL_PAIR_VALUE, change->value.bytes, change->value.len, NULL);
    (void)rebal_builder_end(builder, NULL);
  }
  return decide_with_cell(trial, REBAL_CLUSTER_LABELS, change->cluster);
}

static int32_t decide_with_capacity(struct rebali_trial *trial, const struct rebali_counterfactual *change) {
  const uint32_t part = REBAL_CAPACITY_ALLOCATABLE;
  const int is_cpu = rebali_text_equal(change->name, REBALI_TEXT("cpu"));
  rebal_error *err = trial->question.err;
  rebal_quantity before, after = {.units = change->after, .format = REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  const int is_stated = rebali_snapshot_capacity(trial->snapshot, part, change->cluster, change->resource, &before);
  int32_t code;

  if (is_cpu) {
    after.units = change->after / 1000;
    after.nanos = (int32_t)(change->after % 1000 * 1000000);
  }
  code = rebal_fleet_set_capacity(trial->fleet, part, change->cluster, change->resource, &after, err);
  code = code == REBAL_OK ? decide_frozen(trial) : code;
  return code == REBAL_OK ? rebal_fleet_set_capacity(trial->fleet, part, change->cluster, change->resource,
                                                     is_stated ? &before : NULL, err)
                          : code;
}

int32_t rebali_trial_decide(struct rebali_trial *trial, const struct rebali_counterfactual *change) {
  if (change == NULL) {
    return decide(trial, NULL);
  }
  switch (change->kind) {
    case REBAL_SINGLE_CHANGE_TAINT:
      return decide_without_taint(trial, change);
    case REBAL_SINGLE_CHANGE_LABEL:
      return decide_with_label(trial, change);
    case REBAL_SINGLE_CHANGE_CAPACITY:
      return decide_with_capacity(trial, change);
    default:
      return decide_with_placement(trial, change);
  }
}

/* ---- the copy ---------------------------------------------------------------------------------------------------- */

static int32_t copy_fleet(struct rebali_trial *trial, const rebal_allocator *allocator, const rebal_fleet *fleet,
                          const rebal_bindings *bindings, const rebal_ledger *ledger) {
  rebal_error *err = trial->question.err;
  size_t len;
  void *bytes;
  int32_t code = rebal_fleet_save(fleet, bindings, ledger, NULL, 0, &len, err);

  if (code != REBAL_OK) {
    return code;
  }
  bytes = rebali_allocate(allocator, len, 1);
  if (bytes == NULL) {
    return rebali_fail_memory(err);
  }
  code = rebal_fleet_save(fleet, bindings, ledger, bytes, len, &len, err);
  code = code == REBAL_OK
             ? rebal_fleet_load(allocator, bytes, len, &trial->fleet, &trial->bindings, &trial->ledger, err)
             : code;
  rebali_release(allocator, bytes);
  return code;
}

/* Other bindings are read in place, not copied: the copy has the ids of the fleet. */
static int32_t check_schedule(const rebal_schedule_opts *opts, const rebal_fleet *fleet, rebal_error *err) {
  const rebal_bindings *const others[] = {opts->known, opts->assigning};

  for (size_t i = 0; i < REBALI_COUNT(others); i++) {
    const int32_t code = others[i] == NULL ? REBAL_OK : rebali_bindings_check_fleet(others[i], fleet->store, err);

    if (code != REBAL_OK) {
      return code;
    }
  }
  return (opts->flags & REBAL_SCHEDULE_FLAG_FINGERPRINT) == 0
             ? REBAL_OK
             : rebali_fail(err, REBAL_EUNSUPPORTED, -1, "it has no fingerprint");
}

static int32_t check_kinds(const struct rebali_trial *trial) {
  const uint32_t known = (UINT32_C(2) << REBAL_SINGLE_CHANGE_CAPACITY) - (UINT32_C(1) << REBAL_SINGLE_CHANGE_NOTHING);

  return (trial->opts.kinds & ~known) == 0
             ? REBAL_OK
             : rebali_fail(trial->question.err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
}

static int32_t check_goal(const struct rebali_trial *trial) {
  return trial->goal == REBAL_NONE || (trial->goal < rebali_snapshot_rows(trial->snapshot) &&
                                       rebali_snapshot_has(trial->snapshot, trial->goal))
             ? REBAL_OK
             : rebali_fail(trial->question.err, REBAL_EINVAL, -1, "there is no cluster %lu",
                           (unsigned long)trial->goal);
}

/* Adds ids for requested resources that no cluster may have yet. */
static int32_t name_resources(struct rebali_trial *trial, int64_t requirements) {
  const rebal_cells *cells = rebal_fleet_cells(trial->fleet);
  rebal_error *err = trial->question.err;
  struct rebali_demand demand;
  uint32_t id;
  int32_t code = rebal_fleet_resource_id(trial->fleet, "pods", REBAL_TERMINATED, &id, err);

  if (code == REBAL_OK &&
      rebali_demand_read(&trial->arena, rebal_cells_record(cells, REBAL_OBJECT_REQUIREMENTS, (uint32_t)requirements),
                         &demand) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; code == REBAL_OK && i < demand.n_requests; i++) {
    code = rebal_fleet_resource_id(trial->fleet, demand.requests[i].name.bytes, demand.requests[i].name.len, &id, err);
  }
  return code;
}

static int32_t name_all_resources(struct rebali_trial *trial) {
  const rebal_bindings *bindings = trial->bindings;
  size_t n;
  const uint32_t *components = rebali_bindings_children(bindings, REBAL_TABLE_COMPONENT, trial->row, &n);
  int32_t code = name_resources(trial, rebali_bindings_i64(bindings, REBAL_BINDING_REQUIREMENTS, trial->row));

  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    code = name_resources(trial, rebali_bindings_i64(bindings, REBAL_COMPONENT_REQUIREMENTS, components[i]));
  }
  return code;
}

static int32_t check_row(const struct rebali_trial *trial) {
  return trial->row < rebali_bindings_size(trial->bindings)
             ? REBAL_OK
             : rebali_fail(trial->question.err, REBAL_EINVAL, -1, "there is no binding row %lu",
                           (unsigned long)trial->row);
}

static int32_t open_copy(struct rebali_trial *trial, const rebal_allocator *allocator, rebal_schedule_opts *schedule) {
  struct rebali_question *question = &trial->question;
  const rebal_bindings *known = schedule->known, *assigning = schedule->assigning;
  size_t end;
  int32_t code = check_row(trial);

  code = code == REBAL_OK ? name_all_resources(trial) : code;
  code = code == REBAL_OK ? rebal_fleet_freeze(trial->fleet, &trial->snapshot, question->err) : code;
  schedule->struct_size = (uint32_t)sizeof *schedule; /* the caller may have passed none */
  schedule->known = NULL;                             /* belongs to the fleet, not to the copy */
  schedule->assigning = NULL;
  schedule->ledger = trial->ledger;
  schedule->first_row = 0;
  schedule->max_work = 0;
  schedule->explain_rows = 0;
  schedule->observations = NULL;
  question->snapshot = trial->snapshot;
  question->bindings = trial->bindings;
  code = code == REBAL_OK
             ? rebali_schedule_check(trial->snapshot, trial->bindings, schedule, &question->opts, &end, question->err)
             : code;
  question->opts.known = known;
  question->opts.assigning = assigning;
  code = code == REBAL_OK ? check_goal(trial) : code;
  code = code == REBAL_OK ? rebal_ctx_new(allocator, NULL, &question->ctx, question->err) : code;
  code = code == REBAL_OK ? rebal_builder_new(allocator, &trial->builder, question->err) : code;
  if (code == REBAL_OK) {
    const int64_t handle = rebali_bindings_i64(trial->bindings, REBAL_BINDING_PLACEMENT, trial->row);

    trial->placement =
        handle == REBAL_NONE ? NULL : rebali_snapshot_record(trial->snapshot, REBAL_OBJECT_PLACEMENT, (uint32_t)handle);
  }
  return code;
}

int32_t rebali_trial_open(struct rebali_trial *trial, rebal_ctx *ctx, const rebal_fleet *fleet,
                          const rebal_bindings *bindings, const rebal_counterfactual_opts *opts) {
  const rebal_allocator *allocator = rebali_ctx_allocator(ctx);
  rebal_error *err = trial->question.err;
  rebal_schedule_opts schedule;
  int32_t code = bindings == NULL || fleet == NULL
                     ? rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", bindings == NULL ? "bindings" : "fleet")
                     : rebali_options_load(&trial->opts, sizeof trial->opts, sizeof trial->opts, opts, err);

  rebali_arena_init(&trial->arena, allocator, 0);
  code = code == REBAL_OK ? rebali_options_load(&schedule, sizeof schedule, sizeof schedule, trial->opts.schedule, err)
                          : code;
  code = code == REBAL_OK ? check_kinds(trial) : code;
  code = code == REBAL_OK ? check_schedule(&schedule, fleet, err) : code;
  code = code == REBAL_OK ? copy_fleet(trial, allocator, fleet, bindings, schedule.ledger) : code;
  code = code == REBAL_OK ? open_copy(trial, allocator, &schedule) : code;
  if (code != REBAL_OK) {
    rebali_trial_close(trial);
  }
  return code;
}

void rebali_trial_close(struct rebali_trial *trial) {
  rebal_builder_free(trial->builder);
  rebal_ctx_free(trial->question.ctx);
  rebal_snapshot_unref(trial->snapshot);
  rebal_ledger_free(trial->ledger);
  rebal_bindings_free(trial->bindings);
  rebal_fleet_free(trial->fleet);
  rebali_arena_dispose(&trial->arena);
}
