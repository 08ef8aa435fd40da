/* SPDX-License-Identifier: MIT */
/*
 * Estimates one row beside the charges of a ledger, or many listed rows without charges, column by column through the
 * pages of what remains. The results equal those of rebali_fit_replicas(), which estimates amounts that are not
 * integers, and single rows with resource models.
 */
#include "estimator/fast/fits.h"

#define QUERY_PLAINLY (-1) /* a mark among fits, which are 0 or more */

/* ---- one row ----------------------------------------------------------------------------------------------------- */

/* Returns what is charged to a row under one of the ledger's names; nothing for REBAL_NONE. */
static int64_t charge_of(const struct rebali_estimation *estimation, uint32_t cluster, uint32_t name) {
  return estimation->rules.charge_summaries
             ? rebali_spent_amount(rebali_ledger_spent(estimation->ledger), cluster, name)
             : 0;
}

/* Like charged() in summary.c: held pods are added to those that requests name. */
static int64_t charged_pods(const struct rebali_estimation *estimation, uint32_t cluster, uint32_t name) {
  return estimation->rules.charge_summaries
             ? rebali_add_saturating(charge_of(estimation, cluster, name),
                                     rebali_spent_pods(rebali_ledger_spent(estimation->ledger), cluster))
             : 0;
}

/* Returns what remains of a resource in a row. */
static int64_t rest_of(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t resource) {
  const int64_t *rest = rebali_snapshot_rests(snapshot, cluster, resource);

  return rest == NULL ? REBALI_REST_UNSTATED : *rest;
}

/* Saturating differences give what exact ones saturate to. */
static int64_t fit_charged_request(const struct rebali_estimation *estimation, uint32_t cluster,
                                   const struct rebali_request *request) {
  const int64_t rest = rest_of(estimation->snapshot, cluster, request->resource);
  int64_t left;

  if (request->value <= 0) {
    return INT64_MAX;
  }
  if (rest == REBALI_REST_UNKNOWN) {
    return QUERY_PLAINLY;
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
    return QUERY_PLAINLY;
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

  if (fits == QUERY_PLAINLY) {
    return rebali_fit_replicas(estimation, cluster, out);
  }
  *out = rebali_rules_cast(&estimation->rules, fits);
  return REBAL_OK;
}

/* ---- one row beside more than the ledger has --------------------------------------------------------------------- */

/* The sums below have at most four such numbers. */
static int is_small(int64_t amount) {
  return amount > -REBALI_REST_MAX / 8 && amount < REBALI_REST_MAX / 8;
}

struct beside {
  const struct rebali_estimation *estimation;
  uint32_t cluster;
  const int64_t *more;
  size_t n;
  int is_reported;
};

static int64_t counted(struct beside *beside, int64_t amount) {
  beside->is_reported &= is_small(amount);
  return is_small(amount) ? amount : 0;
}

static int64_t more_of(struct beside *beside, uint32_t name) {
  const size_t place = (size_t)name + 1;

  return counted(beside, charge_of(beside->estimation, beside->cluster, name)) +
         (name != REBAL_NONE && place < beside->n ? counted(beside, beside->more[place]) : 0);
}

static int64_t more_pods(struct beside *beside, uint32_t name) {
  return more_of(beside, name) +
         counted(beside, rebali_spent_pods(rebali_ledger_spent(beside->estimation->ledger), beside->cluster)) +
         (beside->n > 0 ? counted(beside, beside->more[0]) : 0);
}

/* Returns what remains of a resource beside a charge. */
static int64_t left_of(struct beside *beside, uint32_t resource, int64_t charge) {
  const int64_t rest = rest_of(beside->estimation->snapshot, beside->cluster, resource);

  return rest == REBALI_REST_UNSTATED ? 0 : counted(beside, rest) - charge;
}

int64_t rebali_fit_beside_more(const struct rebali_estimation *estimation, uint32_t cluster, const int64_t *more,
                               size_t n) {
  const struct rebali_demand *demand = estimation->demand;
  struct beside beside = {estimation, cluster, more, n, estimation->rules.charge_summaries};
  int64_t fits;

  if (rest_of(estimation->snapshot, cluster, demand->pods) == REBALI_REST_UNSTATED || !beside.is_reported) {
    return REBALI_FIT_UNTOLD;
  }
  fits = left_of(&beside, demand->pods, more_pods(&beside, demand->charged_pods));
  for (size_t i = 0; i < demand->n_requests && fits > 0; i++) {
    const struct rebali_request *request = &demand->requests[i];
    const int64_t charge =
        request->resource == demand->pods ? more_pods(&beside, request->charged) : more_of(&beside, request->charged);
    const int64_t left = request->value > 0 ? left_of(&beside, request->resource, charge) : 0;

    if (request->value > 0) {
      const int64_t fit = left > 0 ? rebali_divisor_divide(&request->divisor, left) : 0;

      fits = fit < fits ? fit : fits;
    }
  }
  return beside.is_reported ? (fits > 0 ? fits : 0) : REBALI_FIT_UNTOLD;
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

/* Rows in order with what fits so far, and for the first row on each page how many of the page follow. */
struct listed {
  const uint32_t *rows;
  size_t n;
  int64_t *fits;
  uint32_t *on_page;
};

/* The listed rows of one page from a position on, with what remains by row of the page. */
struct segment {
  const uint32_t *rows;
  size_t n;
  const int64_t *rests;
  int64_t *fits;
};

static struct segment find_segment(const struct rebali_estimation *estimation, const struct listed *listed, size_t at,
                                   uint32_t resource) {
  const uint32_t first = listed->rows[at] - listed->rows[at] % REBALI_PAGE_ROWS;
  const int64_t *rests = rebali_snapshot_rests(estimation->snapshot, first, resource);

  return (struct segment){listed->rows + at, listed->on_page[at], rests == NULL ? zeros : rests, listed->fits + at};
}

static void find_pages(const struct listed *listed) {
  for (size_t at = 0, end = 0; at < listed->n; at = end) {
    const uint32_t page = listed->rows[at] / REBALI_PAGE_ROWS;

    while (end < listed->n && listed->rows[end] / REBALI_PAGE_ROWS == page) {
      end++;
    }
    listed->on_page[at] = (uint32_t)(end - at);
  }
}

/* The mark is below 0, so it stays the minimum. */
static void query_plainly(const struct segment *segment) {
  for (size_t i = 0; i < segment->n; i++) {
    segment->fits[i] = QUERY_PLAINLY;
  }
}

static void begin_with_pods(const struct rebali_estimation *estimation, const struct listed *listed) {
  struct segment segment;

  for (size_t at = 0; at < listed->n; at += segment.n) {
    uint64_t seen = 0;

    segment = find_segment(estimation, listed, at, estimation->demand->pods);
    for (size_t i = 0; i < segment.n; i++) {
      const int64_t rest = segment.rests[segment.rows[i] % REBALI_PAGE_ROWS];

      segment.fits[i] = rest > 0 ? rest : 0;
      seen |= (uint64_t)segment.fits[i];
      segment.fits[i] = rest == REBALI_REST_UNSTATED ? QUERY_PLAINLY : segment.fits[i];
    }
    if (segment.rests == zeros || seen >= (uint64_t)REBALI_REST_MAX) {
      query_plainly(&segment);
    }
  }
}

/* Uses multiplications alone. If nothing remains or the resource is missing, nothing fits. */
static void limit_by_request(const struct rebali_estimation *estimation, const struct rebali_request *request,
                             const struct listed *listed) {
  const struct rebali_divisor divisor = request->divisor;
  struct segment segment;

  for (size_t at = 0; at < listed->n && request->value > 0; at += segment.n) {
    uint64_t have = 0;

    segment = find_segment(estimation, listed, at, request->resource);
    for (size_t i = 0; i < segment.n; i++) {
      const int64_t rest = segment.rests[segment.rows[i] % REBALI_PAGE_ROWS];
      const uint64_t left = rest > 0 ? (uint64_t)rest : 0;
      const int64_t fit = rebali_divisor_multiply(&divisor, left);

      have |= left;
      segment.fits[i] = fit < segment.fits[i] ? fit : segment.fits[i];
    }
    if (have >= (uint64_t)REBALI_REST_MAX || !rebali_divisor_multiplies(&divisor, have)) {
      query_plainly(&segment);
    }
  }
}

/* Returns whether pods named in requests count beside the pods themselves. Without a ledger none are charged. */
static int names_pods(const struct rebali_demand *demand) {
  size_t i = 0;

  while (i < demand->n_requests && demand->requests[i].resource != demand->pods) {
    i++;
  }
  return i < demand->n_requests;
}

int32_t rebali_fit_listed(struct rebali_estimation *estimation, const uint32_t *rows, size_t n, int32_t *out) {
  const struct listed listed = {rows, n, rebali_arena_allocate(estimation->arena, n, sizeof *listed.fits),
                                rebali_arena_allocate(estimation->arena, n, sizeof *listed.on_page)};
  const int is_plain = names_pods(estimation->demand) || rebali_snapshot_hides_amounts(estimation->snapshot);
  int32_t code = listed.fits == NULL || listed.on_page == NULL ? REBAL_ENOMEM : REBAL_OK;

  if (code == REBAL_OK && !is_plain) {
    find_pages(&listed);
    begin_with_pods(estimation, &listed);
    for (size_t i = 0; i < estimation->demand->n_requests; i++) {
      limit_by_request(estimation, &estimation->demand->requests[i], &listed);
    }
  }
  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    if (is_plain || listed.fits[i] < 0) {
      code = rebali_fit_charged(estimation, rows[i], &out[i]);
    } else if (listed.fits[i] < INT32_MAX) { /* all rules leave it unchanged */
      out[i] = (int32_t)listed.fits[i];
    } else {
      out[i] = rebali_rules_cast(&estimation->rules, listed.fits[i]);
    }
  }
  return code;
}
