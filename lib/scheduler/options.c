/* SPDX-License-Identifier: MIT */
/* What every call of the room checks before it starts. */
#include "scheduler/scheduler.h"

/*
 * Is an array of rows [0, end) with n cells each, stride apart, one that can be there? Offsets of its cells are then
 * below SIZE_MAX.
 */
static int32_t check_shape(uint64_t n, uint64_t stride, size_t end, size_t cell_size, rebal_error *err) {
  const uint64_t rows = end == 0 ? 0 : end - 1; /* that stand before the last */

  if (stride != 0 && stride < n) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a stride is shorter than its rows");
  }
  if (n > SIZE_MAX / cell_size ||
      (stride != 0 && (rows > SIZE_MAX / cell_size / stride || n > SIZE_MAX / cell_size - rows * stride))) {
    return rebali_fail(err, REBAL_EINVAL, -1, "an array is larger than memory can be");
  }
  return REBAL_OK;
}

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

static int32_t check_columns(const rebal_schedule_opts *opts, size_t end, rebal_error *err) {
  int32_t code;

  if (opts->extra_reject_reason == NULL && opts->extra_reject_reason_len != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "extra_reject_reason is NULL and has a length");
  }
  if (opts->extra_reject == NULL && opts->extra_score == NULL) {
    return REBAL_OK;
  }
  code = check_shape(opts->extra_clusters, opts->extra_stride, end, sizeof(int64_t), err);
  return code == REBAL_OK ? check_scores(opts, end, err) : code;
}

static int32_t check_estimators(const rebal_schedule_opts *opts, size_t end, rebal_error *err) {
  int32_t code = REBAL_OK;

  if (opts->n_estimators != 0 && opts->estimators == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "estimators is NULL");
  }
  for (size_t i = 0; i < opts->n_estimators && code == REBAL_OK; i++) {
    rebal_estimator estimator;

    if (opts->estimators[i] == NULL) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "an estimator is NULL");
    }
    code = rebali_options_load(&estimator, sizeof estimator, sizeof estimator, opts->estimators[i], err);
    if (code == REBAL_OK && estimator.reserved0 != 0) {
      code = rebali_fail(err, REBAL_EUNSUPPORTED, (int64_t)i, "a reserved member of an estimator is set");
    }
    if (code == REBAL_OK && estimator.fits != NULL) {
      code = check_shape(estimator.clusters, estimator.stride, end, sizeof *estimator.fits, err);
    }
  }
  return code;
}

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
  if ((known->flags & ~(uint32_t)(REBAL_SCHEDULE_NO_SUMMARY | REBAL_SCHEDULE_FINGERPRINT)) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  if (known->ledger != NULL && rebali_ledger_fleet(known->ledger) != rebali_snapshot_fleet(snapshot)) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "ledger and snapshot are of different fleets");
  }
  if (known->ledger_expiry != NULL && rebali_time_check(known->ledger_expiry, -1, err) != REBAL_OK) {
    return REBAL_ERANGE;
  }
  *end = rebal_bindings_count(bindings, REBAL_TABLE_BINDING);
  if (known->first_row > *end) {
    return rebali_fail(err, REBAL_EINVAL, -1, "first_row lies behind the last binding");
  }
  if (known->max_work != 0 && known->max_work < *end - known->first_row) {
    *end = (size_t)(known->first_row + known->max_work);
  }
  code = check_columns(known, *end, err);
  code = code == REBAL_OK ? check_estimators(known, *end, err) : code;
  sets[0] = known->known;
  sets[1] = known->assigning;
  for (size_t i = 0; i < REBALI_COUNT(sets) && code == REBAL_OK; i++) {
    code = sets[i] == NULL ? REBAL_OK : rebali_bindings_check(sets[i], snapshot, err);
  }
  return code;
}
