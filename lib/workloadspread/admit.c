/* SPDX-License-Identifier: MIT */
/* Admits pods one after another. Each sees the changes by those before it (rebalance-workloadspread(7) 3). */
#include "workloadspread/admission.h"

static int32_t load_options(rebal_admit_opts *known, const rebal_admit_opts *opts, rebal_error *err) {
  const uint32_t flags = REBAL_ADMIT_FLAG_EXPLAIN | REBAL_ADMIT_FLAG_NO_ACTIONS;
  const int32_t code = rebali_options_load(known, sizeof *known, sizeof *known, opts, err);

  if (code != REBAL_OK) {
    return code;
  }
  if ((known->flags & ~flags) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a flag of the admission is not known");
  }
  if (known->reserved0 != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  if (known->white_list != NULL && known->white_list->object != REBAL_OBJECT_WHITE_LIST) {
    return rebali_fail(err, REBAL_EINVAL, -1, "white_list is another record");
  }
  return REBAL_OK;
}

static int32_t check(rebal_spread *const *spreads, size_t n_spreads, const rebal_pods *pods,
                     const rebal_admit_opts *opts, const rebal_time *now, rebal_error *err) {
  const size_t n = opts->rows != NULL ? (size_t)opts->n_rows : 0;

  if (pods == NULL || (spreads == NULL && n_spreads != 0)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", pods == NULL ? "pods" : "spreads");
  }
  if ((opts->rows != NULL && opts->n_rows >= REBAL_NONE) || n_spreads >= REBAL_NONE) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "more pods or spreads than there are numbers");
  }
  for (size_t i = 0; i < n_spreads; i++) {
    if (spreads[i] == NULL) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "a spread is NULL");
    }
  }
  for (size_t i = 0; i < n; i++) {
    if (!rebali_pods_has(pods, REBAL_TABLE_SPREAD_POD, opts->rows[i])) {
      return rebali_fail(err, REBAL_ENOTFOUND, (int64_t)opts->rows[i], "there is no pod in row %lu",
                         (unsigned long)opts->rows[i]);
    }
  }
  return rebali_clock_check(now, err);
}

static int64_t or_absent(uint32_t index) {
  return index == REBAL_NONE ? REBAL_ABSENT : (int64_t)index;
}

/* Writes a row, which must exist. */
static int32_t write_row(struct rebali_table *table, size_t at, uint32_t row, const struct rebali_admitted *admitted) {
  *rebali_table_integers(table, REBAL_ADMITTED_POD, at) = row;
  *rebali_table_integers(table, REBAL_ADMITTED_OUTCOME, at) = admitted->outcome;
  *rebali_table_integers(table, REBAL_ADMITTED_SPREAD, at) = or_absent(admitted->spread);
  *rebali_table_integers(table, REBAL_ADMITTED_SUBSET, at) = or_absent(admitted->subset);
  *rebali_table_integers(table, REBAL_ADMITTED_RECORDED, at) = admitted->is_recorded;
  *rebali_table_integers(table, REBAL_ADMITTED_BY_ID, at) = admitted->is_by_id;
  *rebali_table_integers(table, REBAL_ADMITTED_OWNER, at) = or_absent(admitted->owner);
  if (rebali_table_set_text(table, REBAL_ADMITTED_SUBSET_NAME, at, admitted->subset_name) != REBAL_OK ||
      rebali_table_set_text(table, REBAL_ADMITTED_MESSAGE, at, admitted->message) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return REBAL_OK;
}

static int32_t admit_pod(struct rebali_admission *admission, uint32_t row, struct rebali_admitted *admitted) {
  rebali_admission_match(admission, row, admitted);
  return admitted->outcome == REBAL_ADMIT_OUTCOME_CHOSEN ? rebali_admission_choose(admission, row, admitted) : REBAL_OK;
}

/* Admits all pods, or those up to one whose owner is unknown. */
static int32_t admit_pods(struct rebali_admission *admission, const uint32_t *rows, size_t n) {
  struct rebali_table *table = rebali_result_table(admission->result, REBAL_TABLE_ADMITTED);

  if (rebali_table_append(table, n, NULL) != REBAL_OK) {
    return rebali_fail_memory(admission->err);
  }
  for (size_t i = 0; i < n; i++) {
    struct rebali_admitted admitted;
    int32_t code;

    admission->place = i;
    code = admit_pod(admission, rows[i], &admitted);
    if (code != REBAL_OK) {
      return code;
    }
    if (write_row(table, i, rows[i], &admitted) != REBAL_OK) {
      return rebali_fail_memory(admission->err);
    }
    if (admitted.outcome == REBAL_ADMIT_OUTCOME_OWNER_UNKNOWN) {
      table->rows = i + 1;
      return REBAL_OK;
    }
  }
  return REBAL_OK;
}

static int32_t report_change(struct rebali_admission *admission, size_t spread, int64_t ordinal) {
  rebal_spread *changed = admission->spreads[spread];
  struct rebali_action action = {.kind = REBAL_ACTION_KIND_PATCH_STATUS,
                                 .ordinal = ordinal,
                                 .api_version = REBALI_TEXT("apps.kruise.io/v1beta1"),
                                 .object_kind = REBALI_TEXT("WorkloadSpread"),
                                 .namespace_ = changed->spec.namespace_,
                                 .name = changed->spec.name,
                                 .resource_version = changed->spec.resource_version,
                                 .row = (int64_t)spread};
  int32_t code = rebali_spread_open_builder(changed, admission->err);

  if (code != REBAL_OK) {
    return code;
  }
  (void)rebal_builder_start(changed->builder, REBAL_OBJECT_SPREAD_STATUS, NULL);
  rebali_status_write(&changed->status, 0, changed->builder);
  code = rebal_builder_finish(changed->builder, &action.payload, admission->err);
  if (code == REBAL_OK && rebali_result_add_action(admission->result, &action) != REBAL_OK) {
    code = rebali_fail_memory(admission->err);
  }
  return code;
}

/* Returns whether a list changed in this call, or in earlier calls without actions. */
static int has_changed(const struct rebali_spread_status *status) {
  size_t k = 0;

  while (k < status->n_lists && !status->lists[k].changed) {
    k++;
  }
  return k < status->n_lists;
}

/* Adds one action for each changed spread. Changes are marked as reported only if all actions were added. */
static int32_t report_changes(struct rebali_admission *admission) {
  int64_t ordinal = 0;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < admission->n_spreads && code == REBAL_OK; i++) {
    if (has_changed(&admission->spreads[i]->status)) {
      code = report_change(admission, i, ordinal++);
    }
  }
  for (size_t i = 0; i < admission->n_spreads && code == REBAL_OK; i++) {
    struct rebali_spread_status *status = &admission->spreads[i]->status;

    for (size_t k = 0; k < status->n_lists; k++) {
      status->lists[k].changed = 0;
    }
  }
  return code;
}

static int32_t warn(struct rebali_admission *admission) {
  for (size_t i = 0; i < admission->n_spreads; i++) {
    const struct rebali_warning warning = {(int64_t)i, REBAL_NONE, REBALI_ROW("room-beyond-limit"), 0};

    if (admission->known[i].is_beyond_limit && rebali_result_add_warning(admission->result, &warning) != REBAL_OK) {
      return rebali_fail_memory(admission->err);
    }
  }
  return REBAL_OK;
}

static int has_options(const rebal_compat *compat) {
  return rebali_compat_value(compat, REBAL_OPTION_SPREAD_MIN_REPLICAS) != 0 ||
         rebali_compat_value(compat, REBAL_OPTION_SPREAD_ALL_VERSIONS) != 0;
}

/* Admits all pods, or on failure none. */
static int32_t admit(struct rebali_admission *admission, struct rebali_arena *scratch, const uint32_t *rows, size_t n) {
  int32_t code;

  admission->known = rebali_arena_allocate_zero(scratch, admission->n_spreads, sizeof *admission->known);
  admission->changes = rebali_arena_allocate(scratch, n, sizeof *admission->changes);
  if (admission->known == NULL || admission->changes == NULL) {
    return rebali_fail_memory(admission->err);
  }
  code = admit_pods(admission, rows, n);
  if (code == REBAL_OK) {
    code = warn(admission);
  }
  if (code == REBAL_OK && (admission->flags & REBAL_ADMIT_FLAG_NO_ACTIONS) == 0) {
    code = report_changes(admission);
  }
  if (code != REBAL_OK) {
    rebali_admission_undo(admission);
  }
  return code;
}

/* Returns the rows of the options or, if they have none, all rows by number. NULL without memory. */
static const uint32_t *rows_of(const rebal_admit_opts *opts, const rebal_pods *pods, struct rebali_arena *scratch,
                               size_t n) {
  uint32_t *all;
  uint32_t row = REBAL_NONE;

  if (opts->rows != NULL) {
    return opts->rows;
  }
  all = rebali_arena_allocate(scratch, n + 1, sizeof *all);
  for (size_t i = 0; all != NULL && i < n; i++) {
    row = rebali_pods_next(pods, row);
    all[i] = row;
  }
  return all;
}

static int32_t run(struct rebali_admission *admission, rebal_ctx *ctx, const rebal_admit_opts *opts, size_t n) {
  struct rebali_arena *scratch = rebali_ctx_scratch(ctx);
  const uint32_t *rows = rows_of(opts, admission->pods, scratch, n);
  int32_t code = rows != NULL ? REBAL_OK : rebali_fail_memory(admission->err);

  if (opts->snapshot != NULL) {
    rebali_snapshot_hold(opts->snapshot, admission->result);
  }
  if (code == REBAL_OK) {
    code = rebali_simulation_begin(admission, ctx, opts, n);
  }
  return code == REBAL_OK ? admit(admission, scratch, rows, n) : code;
}

int32_t rebal_spread_admit(rebal_ctx *ctx, rebal_spread *const *spreads, size_t n_spreads, const rebal_pods *pods,
                           const rebal_time *now, const rebal_admit_opts *opts, rebal_result *result,
                           rebal_error *err) {
  rebal_admit_opts known;
  size_t n = 0;
  int32_t code = rebali_result_begin(result, err);

  if (code == REBAL_OK) {
    code = load_options(&known, opts, err);
  }
  if (code == REBAL_OK) {
    code = check(spreads, n_spreads, pods, &known, now, err);
  }
  if (code == REBAL_OK) {
    n = known.rows != NULL ? (size_t)known.n_rows : rebali_row_set_count(&pods->set, REBAL_TABLE_SPREAD_POD);
    code = rebali_simulation_check(&known, pods, n, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ctx_begin(ctx, err);
  }
  if (code == REBAL_OK) {
    struct rebali_admission admission = {.spreads = spreads,
                                         .n_spreads = n_spreads,
                                         .pods = pods,
                                         .compat = known.compat,
                                         .white_list = known.white_list,
                                         .flags = known.flags,
                                         .has_options = has_options(known.compat),
                                         .now = *now,
                                         .result = result,
                                         .owner = REBAL_NONE,
                                         .err = err};

    code = rebali_answer_end(ctx, result, run(&admission, ctx, &known, n));
  }
  return code;
}
