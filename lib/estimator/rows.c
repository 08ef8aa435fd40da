/* SPDX-License-Identifier: MIT */
/*
 * Replicas that fit, for many rows at a time: column by column through the pages of what is left. It gives what
 * rebali_fit_replicas() gives, which is asked about rows with resource models and about amounts that are no whole
 * numbers.
 */
#include "estimator/estimator.h"

#define ASK_PLAINLY (-1) /* among fits, which are 0 or more */

/* Rows of one page. */
struct slice {
  uint32_t first;
  uint32_t n;
  int64_t fits[REBALI_PAGE_ROWS];
};

static void limit_by_pods(const rebal_snapshot *snapshot, uint32_t pods, struct slice *slice) {
  const int64_t *rests = rebali_snapshot_rests(snapshot, slice->first, pods);

  if (rests == NULL) {
    memset(slice->fits, 0, slice->n * sizeof slice->fits[0]);
    return;
  }
  for (uint32_t i = 0; i < slice->n; i++) {
    const int64_t rest = rests[i];

    slice->fits[i] = rest == REBALI_REST_UNKNOWN || rest == REBALI_REST_UNSTATED ? ASK_PLAINLY : rest > 0 ? rest : 0;
  }
}

static void limit_by_request(const rebal_snapshot *snapshot, const struct rebali_request *request,
                             struct slice *slice) {
  const struct rebali_divisor divisor = request->divisor;
  const int64_t *rests = rebali_snapshot_rests(snapshot, slice->first, request->resource);

  if (request->value <= 0) {
    return;
  }
  for (uint32_t i = 0; i < slice->n; i++) {
    const int64_t rest = rests == NULL ? REBALI_REST_UNSTATED : rests[i];

    if (rest == REBALI_REST_UNKNOWN) {
      slice->fits[i] = ASK_PLAINLY;
    } else {
      const int64_t fit = rest > 0 ? rebali_divisor_divide(&divisor, rest) : 0;

      slice->fits[i] = fit < slice->fits[i] ? fit : slice->fits[i];
    }
  }
}

/* Rows that have models are asked about plainly. */
static void leave_models(const rebal_snapshot *snapshot, struct slice *slice) {
  int64_t absent;
  const int64_t *modelings = rebali_snapshot_page(snapshot, REBAL_CLUSTER_MODELINGS, slice->first, &absent);

  for (uint32_t i = 0; modelings != NULL && i < slice->n; i++) {
    slice->fits[i] = modelings[i] == absent ? slice->fits[i] : ASK_PLAINLY;
  }
}

/* Nothing fits where there is no summary, absent clusters among them. */
static void require_summary(const rebal_snapshot *snapshot, struct slice *slice) {
  int64_t absent;
  const int64_t *summaries = rebali_snapshot_page(snapshot, REBAL_CLUSTER_HAS_SUMMARY, slice->first, &absent);

  if (summaries == NULL) {
    memset(slice->fits, 0, slice->n * sizeof slice->fits[0]);
    return;
  }
  for (uint32_t i = 0; i < slice->n; i++) {
    slice->fits[i] = summaries[i] == 0 ? 0 : slice->fits[i];
  }
}

static int32_t finish(struct rebali_estimation *estimation, const struct slice *slice, int32_t *out) {
  for (uint32_t i = 0; i < slice->n; i++) {
    if (slice->fits[i] != ASK_PLAINLY) {
      out[i] = rebali_rules_cast(&estimation->rules, slice->fits[i]);
    } else if (rebali_fit_replicas(estimation, slice->first + i, &out[i]) != REBAL_OK) {
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
  require_summary(snapshot, slice);
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
