/* SPDX-License-Identifier: MIT */
/* Estimates replicas by a cluster's resource summary: rebalance-karmada(7) 6.3, free pods and bySummary. */
#include "estimator/estimator.h"

#define NANOS_PER_UNIT INT64_C(1000000000)
#define NANOS_PER_MILLI INT64_C(1000000)

static int64_t part_value(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster, uint32_t resource) {
  rebal_quantity amount;

  return rebali_snapshot_capacity(snapshot, part, cluster, resource, &amount) ? rebali_quantity_value(&amount) : 0;
}

/* Returns all charges under a name: held pods are added to what requests name "pods". */
static int64_t charged(const rebal_ledger *ledger, uint32_t cluster, struct rebali_text name) {
  const int64_t charge = rebali_ledger_charge(ledger, cluster, name).amount;

  return rebali_text_equal(name, REBALI_TEXT("pods"))
             ? rebali_add_saturating(charge, rebali_ledger_pods(ledger, cluster))
             : charge;
}

int64_t rebali_summary_free_pods(const rebal_snapshot *snapshot, uint32_t cluster, const rebal_ledger *ledger) {
  static const struct rebali_text name = {"pods", 4};
  const uint32_t pods = rebali_snapshot_resource(snapshot, name);
  int64_t left;

  if (pods == REBAL_NONE) {
    return 0;
  }
  left = part_value(snapshot, REBAL_CAPACITY_ALLOCATABLE, cluster, pods);
  left = rebali_subtract_saturating(left, part_value(snapshot, REBAL_CAPACITY_ALLOCATED, cluster, pods));
  left = rebali_subtract_saturating(left, part_value(snapshot, REBAL_CAPACITY_ALLOCATING, cluster, pods));
  left = rebali_subtract_saturating(left, charged(ledger, cluster, name));
  return left > 0 ? left : 0;
}

int rebali_summary_rest(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t resource, struct rebali_wide *rest,
                        uint32_t *format) {
  const struct rebali_wide zero = {0, 0};
  rebal_quantity amount;

  if (!rebali_snapshot_capacity(snapshot, REBAL_CAPACITY_ALLOCATABLE, cluster, resource, &amount)) {
    return 0;
  }
  *rest = rebali_quantity_nanos(&amount);
  *format = amount.format;
  for (uint32_t part = REBAL_CAPACITY_ALLOCATED; part <= REBAL_CAPACITY_ALLOCATING; part++) {
    if (rebali_snapshot_capacity(snapshot, part, cluster, resource, &amount)) {
      *format = rebali_wide_compare(*rest, zero) == 0 ? amount.format : *format;
      *rest = rebali_wide_subtract(*rest, rebali_quantity_nanos(&amount));
    }
  }
  return 1;
}

int64_t rebali_summary_fit_request(const rebal_snapshot *snapshot, uint32_t cluster,
                                   const struct rebali_request *request, const rebal_ledger *ledger) {
  const int64_t unit = request->is_cpu ? NANOS_PER_MILLI : NANOS_PER_UNIT;
  struct rebali_wide rest;
  uint32_t format;

  if (request->value <= 0) {
    return INT64_MAX;
  }
  if (!rebali_summary_rest(snapshot, cluster, request->resource, &rest, &format)) {
    return 0;
  }
  rest = rebali_wide_subtract(rest, rebali_wide_multiply(charged(ledger, cluster, request->name), unit));
  if (rebali_wide_divide_away(rest, NANOS_PER_UNIT) <= 0) {
    return 0;
  }
  /* A value above 0 implies thousandths above 0. */
  return rebali_wide_divide_away(rest, unit) / (request->is_cpu ? request->milli : request->value);
}

int64_t rebali_summary_fit(const rebal_snapshot *snapshot, uint32_t cluster, const struct rebali_demand *demand,
                           const rebal_ledger *ledger) {
  int64_t best = INT64_MAX;

  for (size_t i = 0; i < demand->n_requests && best > 0; i++) {
    const int64_t fit = rebali_summary_fit_request(snapshot, cluster, &demand->requests[i], ledger);

    best = fit < best ? fit : best;
  }
  return best;
}
