/* SPDX-License-Identifier: MIT */
/*
 * Estimates replicas for many rows at a time, column by column through the pages of what remains. The results equal
 * those of rebali_fit_replicas(), which estimates rows with resource models and amounts that are not integers.
 */
#include "estimator/fast/fits.h"

#define QUERY_PLAINLY (-1) /* a mark among fits, which are 0 or more */

/* Rows of one page. */
struct slice {
  uint32_t first;
  uint32_t n;
  int may_query;       /* some fits may be QUERY_PLAINLY */
  const int64_t *fits; /* the remaining pods of the snapshot, or one half; the next column writes the other half */
  int64_t halves[2][REBALI_PAGE_ROWS];
};

static const int64_t zeros[REBALI_PAGE_ROWS];

static int64_t *other_half(struct slice *slice) {
  return slice->halves[slice->fits == slice->halves[0]];
}

/* Combines all bits of the rests: below REBALI_REST_MAX, 2^62, only if all are known, stated and not negative. */
static uint64_t bits_of(const int64_t *rests, uint32_t n) {
  uint64_t seen = 0;

  for (uint32_t i = 0; i < n; i++) {
    seen |= (uint64_t)rests[i];
  }
  return seen;
}

static void limit_by_pods(const rebal_snapshot *snapshot, uint32_t pods, struct slice *slice) {
  const int64_t *rests = rebali_snapshot_rests(snapshot, slice->first, pods);
  int64_t *out = slice->halves[0];

  slice->fits = rests == NULL ? zeros : rests;
  slice->may_query = bits_of(slice->fits, slice->n) >= (uint64_t)REBALI_REST_MAX;
  if (!slice->may_query) {
    return;
  }
  for (uint32_t i = 0; i < slice->n; i++) {
    const int64_t rest = slice->fits[i];

    out[i] = rest == REBALI_REST_UNKNOWN || rest == REBALI_REST_UNSTATED ? QUERY_PLAINLY : rest > 0 ? rest : 0;
  }
  slice->fits = out;
}

/* Uses multiplications alone. Returns 0 if they are not exact for these rests. */
static int limit_quickly(const struct rebali_divisor *by, const int64_t *rests, const struct slice *slice,
                         int64_t *out) {
  const struct rebali_divisor divisor = *by;
  const int64_t *fits = slice->fits;
  uint64_t seen = 0;

  for (uint32_t i = 0; i < slice->n; i++) {
    const int64_t fit = rebali_divisor_multiply(&divisor, (uint64_t)rests[i]);

    seen |= (uint64_t)rests[i];
    out[i] = fit < fits[i] ? fit : fits[i];
  }
  return seen < (uint64_t)REBALI_REST_MAX && rebali_divisor_multiplies(&divisor, seen);
}

static void limit_one_by_one(const struct rebali_divisor *by, const int64_t *rests, struct slice *slice, int64_t *out) {
  const struct rebali_divisor divisor = *by;

  for (uint32_t i = 0; i < slice->n; i++) {
    const int64_t fit = rests[i] > 0 ? rebali_divisor_divide(&divisor, rests[i]) : 0;

    out[i] = rests[i] == REBALI_REST_UNKNOWN ? QUERY_PLAINLY : fit < slice->fits[i] ? fit : slice->fits[i];
  }
  slice->may_query = 1;
}

static void limit_by_request(const rebal_snapshot *snapshot, const struct rebali_request *request,
                             struct slice *slice) {
  const int64_t *rests = rebali_snapshot_rests(snapshot, slice->first, request->resource);
  int64_t *out = other_half(slice);

  if (request->value <= 0) {
    return;
  }
  rests = rests == NULL ? zeros : rests;
  if (!limit_quickly(&request->divisor, rests, slice, out)) {
    limit_one_by_one(&request->divisor, rests, slice, out);
  }
  slice->fits = out;
}

/* Leaves rows with models to the plain estimate. */
static void leave_models(const rebal_snapshot *snapshot, struct slice *slice) {
  int64_t absent;
  const int64_t *modelings = rebali_snapshot_page(snapshot, REBAL_CLUSTER_MODELINGS, slice->first, &absent);
  int64_t *out = other_half(slice);

  if (modelings == NULL) {
    return;
  }
  for (uint32_t i = 0; i < slice->n; i++) {
    out[i] = modelings[i] == absent ? slice->fits[i] : QUERY_PLAINLY;
  }
  slice->fits = out;
  slice->may_query = 1;
}

/* Sets 0 for clusters without a summary, which include absent ones. */
static int32_t finish(struct rebali_estimation *estimation, const struct slice *slice, int32_t *out) {
  const int64_t most = estimation->rules.wrap ? INT64_MAX : INT32_MAX;
  const int64_t *fits = slice->fits;
  int64_t absent;
  const int64_t *summaries =
      rebali_snapshot_page(estimation->snapshot, REBAL_CLUSTER_HAS_SUMMARY, slice->first, &absent);

  summaries = summaries == NULL ? zeros : summaries;
  for (uint32_t i = 0; i < slice->n; i++) {
    const int32_t fit = rebali_low_int32(fits[i] < most ? fits[i] : most);

    out[i] = summaries[i] != 0 ? fit : 0;
  }
  for (uint32_t i = 0; slice->may_query && i < slice->n; i++) {
    if (fits[i] == QUERY_PLAINLY && summaries[i] != 0 &&
        rebali_fit_replicas(estimation, slice->first + i, &out[i]) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

static int32_t fit_slice(struct rebali_estimation *estimation, struct slice *slice, int32_t *out) {
  const rebal_snapshot *snapshot = estimation->snapshot;
  const struct rebali_demand *demand = estimation->demand;

  limit_by_pods(snapshot, demand->pods, slice);
  for (size_t i = 0; i < demand->n_requests; i++) {
    limit_by_request(snapshot, &demand->requests[i], slice);
  }
  if (estimation->rules.use_models && demand->stated) {
    leave_models(snapshot, slice);
  }
  return finish(estimation, slice, out);
}

int32_t rebali_fit_rows(struct rebali_estimation *estimation, uint32_t first, uint32_t end, int32_t *out) {
  struct slice slice;

  for (slice.first = first; slice.first < end; slice.first += slice.n) {
    const uint32_t on_page = REBALI_PAGE_ROWS - slice.first % REBALI_PAGE_ROWS;

    slice.n = end - slice.first < on_page ? end - slice.first : on_page;
    if (fit_slice(estimation, &slice, out + (slice.first - first)) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}
