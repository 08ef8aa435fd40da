/* SPDX-License-Identifier: MIT */
/* Checks of options that every call of the module makes before it starts. */
#include "scheduler/scheduler.h"

static int32_t check_scores(const rebal_schedule_opts *opts, size_t end, rebal_error *err) {
  const size_t first = opts->extra_stride == 0 ? 0 : (size_t)opts->first_row;
  const size_t n_rows = opts->extra_stride == 0 && end > 0 ? 1 : end;

  for (size_t row = first; opts->extra_score != NULL && row < n_rows; row++) {
    const int64_t *scores = opts->extra_score + row * (size_t)opts->extra_stride;

    for (size_t i = 0; i < opts->extra_clusters; i++) {
      if (scores[i] < INT32_MIN || scores[i] > INT32_MAX) {
        return rebali_fail(err, REBAL_ERANGE, (int64_t)row, "the score %lld is beyond 32 bits", (long long)scores[i]);
      }
    }
  }
  return REBAL_OK;
}

/* Sets the missing lengths of texts. */
static int32_t take_texts(rebal_schedule_opts *opts, rebal_error *err) {
  struct rebali_text reason, name;
  int32_t code =
      rebali_text_take(opts->extra_reject_reason, opts->extra_reject_reason_len, "extra_reject_reason", &reason, err);

  if (code == REBAL_OK) {
    code = rebali_text_take(opts->scheduler_name, opts->scheduler_name_len, "scheduler_name", &name, err);
  }
  if (code == REBAL_OK) {
    opts->extra_reject_reason_len = reason.len;
    opts->scheduler_name_len = name.len;
  }
  return code;
}

static int32_t check_columns(const rebal_schedule_opts *opts, size_t end, rebal_error *err) {
  int32_t code;

  if (opts->extra_reject == NULL && opts->extra_score == NULL) {
    return REBAL_OK;
  }
  code = rebali_shape_check(opts->extra_clusters, opts->extra_stride, end, sizeof(int64_t), err);
  return code == REBAL_OK ? check_scores(opts, end, err) : code;
}

static const uint32_t flags = REBAL_SCHEDULE_FLAG_NO_SUMMARY | REBAL_SCHEDULE_FLAG_FINGERPRINT |
                              REBAL_SCHEDULE_FLAG_NODES | REBAL_SCHEDULE_FLAG_SINGLE_GROUP;

int32_t rebali_schedule_check(rebal_snapshot *snapshot, const rebal_bindings *bindings, const rebal_schedule_opts *opts,
                              rebal_schedule_opts *known, size_t *end, rebal_error *err) {
  int32_t code = rebali_options_load(known, sizeof *known, sizeof(rebal_schedule_opts), opts, err);
  const rebal_bindings *sets[2];

  if (code == REBAL_OK) {
    code = rebali_bindings_check(bindings, snapshot, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if ((known->flags & ~flags) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  if (known->ledger != NULL && rebali_ledger_fleet(known->ledger) != rebali_snapshot_fleet(snapshot)) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "ledger and snapshot are of different fleets");
  }
  if (known->ledger_expiry != NULL && rebali_time_check(known->ledger_expiry, -1, err) != REBAL_OK) {
    return REBAL_ERANGE;
  }
  *end = rebali_bindings_size(bindings);
  if (known->first_row > *end) {
    return rebali_fail(err, REBAL_EINVAL, -1, "first_row is after the last binding");
  }
  if (known->max_work != 0 && known->max_work < *end - known->first_row) {
    *end = (size_t)(known->first_row + known->max_work);
  }
  code = take_texts(known, err);
  code = code == REBAL_OK ? check_columns(known, *end, err) : code;
  code = code == REBAL_OK ? rebali_estimators_check(known->estimators, known->n_estimators, *end, err) : code;
  sets[0] = known->known;
  sets[1] = known->assigning;
  for (size_t i = 0; i < REBALI_COUNT(sets) && code == REBAL_OK; i++) {
    code = sets[i] == NULL ? REBAL_OK : rebali_bindings_check(sets[i], snapshot, err);
  }
  return code;
}
