/* SPDX-License-Identifier: MIT */
/* Estimates that a caller supplies. */
#include "estimator/estimator.h"

int32_t rebali_shape_check(uint64_t n, uint64_t stride, size_t end, size_t cell_size, rebal_error *err) {
  const uint64_t rows = end == 0 ? 0 : end - 1; /* rows before the last */

  if (stride != 0 && stride < n) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a stride is shorter than its rows");
  }
  if (n > SIZE_MAX / cell_size ||
      (stride != 0 && (rows > SIZE_MAX / cell_size / stride || n > SIZE_MAX / cell_size - rows * stride))) {
    return rebali_fail(err, REBAL_EINVAL, -1, "an array is larger than memory can be");
  }
  return REBAL_OK;
}

int32_t rebali_estimators_check(const rebal_estimator *const *estimators, uint64_t n, size_t end, rebal_error *err) {
  int32_t code = REBAL_OK;

  if (n != 0 && estimators == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "estimators is NULL");
  }
  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    rebal_estimator estimator;

    if (estimators[i] == NULL) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "an estimator is NULL");
    }
    code = rebali_options_load(&estimator, sizeof estimator, sizeof estimator, estimators[i], err);
    if (code == REBAL_OK && estimator.reserved0 != 0) {
      code = rebali_fail(err, REBAL_EUNSUPPORTED, (int64_t)i, "a reserved member of an estimator is set");
    }
    if (code == REBAL_OK && estimator.fits != NULL) {
      code = rebali_shape_check(estimator.clusters, estimator.stride, end, sizeof *estimator.fits, err);
    }
  }
  return code;
}
