/* SPDX-License-Identifier: MIT */
/* Estimates how many whole sets of components fit into each cluster: rebalance-karmada(7) 6.4. */
#include "estimator/estimator.h"

static void add_request(struct rebali_set *set, const struct rebali_request *request, int64_t replicas) {
  const int64_t amount = rebali_multiply_saturating(request->as_written, replicas);
  size_t i = 0;

  while (i < set->n_totals && !rebali_text_equal(set->totals[i].name, request->name)) {
    i++;
  }
  if (i == set->n_totals) {
    set->totals[set->n_totals++] = (struct rebali_total){request->name, REBAL_NONE, 0};
  }
  set->totals[i].amount = rebali_add_saturating(set->totals[i].amount, amount);
}

int32_t rebali_set_read(struct rebali_arena *arena, const rebal_snapshot *snapshot,
                        const struct rebali_component *components, size_t n, struct rebali_set *out) {
  struct rebali_demand *demands = rebali_arena_allocate(arena, n, sizeof *demands);
  size_t capacity = 0;

  if (demands == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    const rebal_record *record =
        rebali_snapshot_record(snapshot, REBAL_OBJECT_REQUIREMENTS, components[i].requirements);

    if (rebali_demand_read(arena, record, &demands[i]) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    capacity += demands[i].n_requests;
  }
  *out = (struct rebali_set){rebali_arena_allocate(arena, capacity, sizeof *out->totals), 0, 0};
  if (out->totals == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    out->pods = rebali_add_saturating(out->pods, components[i].replicas);
    for (size_t k = 0; k < demands[i].n_requests; k++) {
      add_request(out, &demands[i].requests[k], components[i].replicas);
    }
  }
  return REBAL_OK;
}

void rebali_set_resolve(struct rebali_set *set, const rebal_snapshot *snapshot) {
  for (size_t i = 0; i < set->n_totals; i++) {
    if (set->totals[i].resource == REBAL_NONE) {
      set->totals[i].resource = rebali_snapshot_resource(snapshot, set->totals[i].name);
    }
  }
}

/* Estimates by the summary alone. */
static int32_t fit_summary(const struct rebali_estimation *estimation, uint32_t cluster, const rebal_ledger *charges,
                           int64_t pods) {
  int32_t sets = rebali_rules_cast(&estimation->rules, pods / estimation->set->pods);

  for (size_t i = 0; i < estimation->set->n_totals; i++) {
    const struct rebali_total *total = &estimation->set->totals[i];
    struct rebali_wide rest = {0, 0}; /* used if allocatable does not list the resource */
    uint32_t format = REBAL_QUANTITY_FORMAT_NONE;
    int64_t available;
    int32_t fit;

    if (total->amount <= 0) {
      continue;
    }
    (void)rebali_summary_rest(estimation->snapshot, cluster, total->resource, &rest, &format);
    available = rebali_subtract_saturating(rebali_amount_as_written(rest, format),
                                           rebali_ledger_charge(charges, cluster, total->name).as_written);
    if (available <= 0) {
      return 0;
    }
    fit = rebali_rules_cast(&estimation->rules, available / total->amount);
    sets = fit < sets ? fit : sets;
  }
  return sets;
}

int32_t rebali_fit_sets(struct rebali_estimation *estimation, uint32_t cluster, int32_t *out) {
  const rebal_ledger *charges = estimation->rules.charge_summaries ? estimation->ledger : NULL;
  int64_t pods, sets;

  *out = 0;
  if (!rebali_snapshot_has(estimation->snapshot, cluster) ||
      !rebali_snapshot_i64(estimation->snapshot, REBAL_CLUSTER_HAS_SUMMARY, cluster)) {
    return REBAL_OK;
  }
  pods = rebali_subtract_saturating(rebali_summary_free_pods(estimation->snapshot, cluster, NULL),
                                    rebali_ledger_pods(charges, cluster));
  if (pods <= 0) {
    return REBAL_OK;
  }
  if (estimation->set->pods == 0) {
    *out = rebali_rules_cast(&estimation->rules, pods);
    return REBAL_OK;
  }
  *out = fit_summary(estimation, cluster, charges, pods);
  if (*out <= 0) {
    return REBAL_OK;
  }
  if (rebali_fit_models(estimation, cluster, *out, &sets) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  *out = sets >= 0 && sets < *out ? (int32_t)sets : *out;
  return REBAL_OK;
}
