/* SPDX-License-Identifier: MIT */
/*
 * Replicas that fit beside what a ledger charges: into one row, or into many, column by column through the pages of
 * what is left and through what is spent. It gives what rebali_fit_replicas() gives, which is asked about rows with
 * resource models and about amounts that are no whole numbers.
 */
#include "estimator/estimator.h"

#define ASK_PLAINLY (-1) /* among fits, which are 0 or more */

/* ---- one row ----------------------------------------------------------------------------------------------------- */

/* What is charged to a row under one of the ledger's names, REBAL_NONE: nothing. */
static int64_t charge_of(const struct rebali_estimation *estimation, uint32_t cluster, uint32_t name) {
  return estimation->rules.charge_summaries ? rebali_spent(rebali_ledger_column(estimation->ledger, name), cluster) : 0;
}

/* As the function of that name in summary.c: held pods count beside those that requests name. */
static int64_t charged_pods(const struct rebali_estimation *estimation, uint32_t cluster, uint32_t name) {
  return estimation->rules.charge_summaries
             ? rebali_add_saturating(charge_of(estimation, cluster, name),
                                     rebali_spent(rebali_ledger_pods_column(estimation->ledger), cluster))
             : 0;
}

/* What is left of a resource in a row. */
static int64_t rest_of(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t resource) {
  const int64_t *rest = rebali_snapshot_rests(snapshot, cluster, resource);

  return rest == NULL ? REBALI_REST_UNSTATED : *rest;
}

/* Differences that saturate are what exact ones saturate to. */
static int64_t fit_charged_request(const struct rebali_estimation *estimation, uint32_t cluster,
                                   const struct rebali_request *request) {
  const int64_t rest = rest_of(estimation->snapshot, cluster, request->resource);
  int64_t left;

  if (request->value <= 0) {
    return INT64_MAX;
  }
  if (rest == REBALI_REST_UNKNOWN) {
    return ASK_PLAINLY;
  }
  left = rebali_subtract_saturating(rest, request->resource == estimation->demand->pods
                                              ? charged_pods(estimation, cluster, request->charged)
                                              : charge_of(estimation, cluster, request->charged));
  return rest == REBALI_REST_UNSTATED || left <= 0 ? 0 : rebali_divisor_divide(&request->divisor, left);
}

static int64_t fit_charged(const struct rebali_estimation *estimation, uint32_t cluster) {
  const struct rebali_demand *demand = estimation->demand;
  const int64_t rest = rest_of(estimation->snapshot, cluster, demand->pods);
  int64_t fits = rebali_subtract_saturating(rest, charged_pods(estimation, cluster, demand->charged_pods));

  if (rest == REBALI_REST_UNKNOWN || rest == REBALI_REST_UNSTATED) {
    return ASK_PLAINLY;
  }
  if (fits <= 0) {
    return 0;
  }
  for (size_t i = 0; i < demand->n_requests && fits > 0; i++) {
    const int64_t fit = fit_charged_request(estimation, cluster, &demand->requests[i]);

    fits = fit < fits ? fit : fits;
  }
  return fits;
}

int32_t rebali_fit_beside_charges(struct rebali_estimation *estimation, uint32_t cluster, int32_t *out) {
  const int64_t fits = fit_charged(estimation, cluster);

  if (fits == ASK_PLAINLY) {
    return rebali_fit_replicas(estimation, cluster, out);
  }
  *out = rebali_rules_cast(&estimation->rules, fits);
  return REBAL_OK;
}

int32_t rebali_fit_charged(struct rebali_estimation *estimation, uint32_t cluster, int32_t *out) {
  if (!rebali_snapshot_i64(estimation->snapshot, REBAL_CLUSTER_HAS_SUMMARY, cluster)) {
    *out = 0;
    return REBAL_OK;
  }
  if (rebali_is_modelled(estimation, cluster)) {
    return rebali_fit_replicas(estimation, cluster, out);
  }
  return rebali_fit_beside_charges(estimation, cluster, out);
}

/* ---- many rows --------------------------------------------------------------------------------------------------- */

static const int64_t zeros[REBALI_PAGE_ROWS];

/* Rows of one page. */
struct slice {
  const uint32_t *rows;
  size_t n;
  int64_t fits[REBALI_PAGE_ROWS];
};

static uint32_t page_of(const struct slice *slice) {
  return slice->rows[0] - slice->rows[0] % REBALI_PAGE_ROWS;
}

/* What is left and what is spent, by row of the slice's page. */
static const int64_t *rests_of(const rebal_snapshot *snapshot, const struct slice *slice, uint32_t resource) {
  const int64_t *rests = rebali_snapshot_rests(snapshot, page_of(slice), resource);

  return rests == NULL ? zeros : rests;
}

static const int64_t *spent_of(const struct rebali_estimation *estimation, const struct slice *slice,
                               const struct rebali_spent_column *column) {
  return estimation->rules.charge_summaries && page_of(slice) < column->n ? column->amounts + page_of(slice) : zeros;
}

/* The pods that are left. 0: they must be asked for row by row, as everywhere below. */
static int begin_with_pods(const struct rebali_estimation *estimation, struct slice *slice) {
  const int64_t *rests = rests_of(estimation->snapshot, slice, estimation->demand->pods);
  const int64_t *spent = spent_of(estimation, slice, rebali_ledger_pods_column(estimation->ledger));
  uint64_t seen = 0;

  for (size_t i = 0; i < slice->n; i++) {
    const int64_t rest = rests[slice->rows[i] % REBALI_PAGE_ROWS];
    const int64_t charge = spent[slice->rows[i] % REBALI_PAGE_ROWS];

    seen |= (uint64_t)rest | (uint64_t)charge;
    slice->fits[i] = rest > charge ? (int64_t)((uint64_t)rest - (uint64_t)charge) : 0;
  }
  return rests != zeros && seen < (uint64_t)REBALI_REST_MAX && estimation->demand->charged_pods == REBAL_NONE;
}

/* By multiplications alone. Where nothing is left or stated, nothing fits. */
static int limit_by_request(const struct rebali_estimation *estimation, const struct rebali_request *request,
                            struct slice *slice) {
  const int64_t *rests = rests_of(estimation->snapshot, slice, request->resource);
  const int64_t *spent = spent_of(estimation, slice, rebali_ledger_column(estimation->ledger, request->charged));
  const struct rebali_divisor divisor = request->divisor;
  uint64_t have = 0, charged = 0;

  if (request->value <= 0) {
    return 1;
  }
  for (size_t i = 0; i < slice->n; i++) {
    const int64_t rest = rests[slice->rows[i] % REBALI_PAGE_ROWS];
    const int64_t charge = spent[slice->rows[i] % REBALI_PAGE_ROWS];
    const uint64_t left = rest > charge ? (uint64_t)rest - (uint64_t)charge : 0;
    const int64_t fit = rebali_divisor_multiply(&divisor, left);

    have |= rest > 0 ? (uint64_t)rest : 0;
    charged |= (uint64_t)charge;
    slice->fits[i] = fit < slice->fits[i] ? fit : slice->fits[i];
  }
  return (have | charged) < (uint64_t)REBALI_REST_MAX && rebali_divisor_multiplies(&divisor, have) &&
         request->resource != estimation->demand->pods;
}

static int fit_quickly(const struct rebali_estimation *estimation, struct slice *slice) {
  int is_quick = begin_with_pods(estimation, slice);

  for (size_t i = 0; i < estimation->demand->n_requests && is_quick; i++) {
    is_quick = limit_by_request(estimation, &estimation->demand->requests[i], slice);
  }
  return is_quick;
}

static int32_t fit_slice(struct rebali_estimation *estimation, struct slice *slice, int32_t *out) {
  int32_t code = REBAL_OK;

  if (fit_quickly(estimation, slice)) {
    for (size_t i = 0; i < slice->n; i++) {
      const int has_summary = rebali_snapshot_i64(estimation->snapshot, REBAL_CLUSTER_HAS_SUMMARY, slice->rows[i]) != 0;

      out[slice->rows[i]] = has_summary ? rebali_rules_cast(&estimation->rules, slice->fits[i]) : 0;
    }
    return REBAL_OK;
  }
  for (size_t i = 0; i < slice->n && code == REBAL_OK; i++) {
    code = rebali_fit_charged(estimation, slice->rows[i], &out[slice->rows[i]]);
  }
  return code;
}

int32_t rebali_fit_listed(struct rebali_estimation *estimation, const uint32_t *rows, size_t n, int32_t *out) {
  struct slice slice = {rows, 0, {0}};
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < n && code == REBAL_OK; i += slice.n) {
    slice.rows = rows + i;
    slice.n = 1;
    while (i + slice.n < n && rows[i + slice.n] / REBALI_PAGE_ROWS == rows[i] / REBALI_PAGE_ROWS) {
      slice.n++;
    }
    code = fit_slice(estimation, &slice, out);
  }
  return code;
}
