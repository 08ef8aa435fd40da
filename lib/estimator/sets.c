/* SPDX-License-Identifier: MIT */
/* How many whole sets of components fit into each cluster: spec karmada 6.4. */
#include "estimator/estimator.h"

/* What a set needs of one resource, as written (spec karmada 6.4). */
struct total {
  struct rebali_text name;
  uint32_t resource;
  int64_t amount;
};

struct set {
  struct total *totals;
  size_t n_totals;
  int64_t pods;
};

static void add_request(struct set *set, const struct rebali_request *request, int64_t replicas) {
  const int64_t amount = rebali_multiply_saturating(request->as_written, replicas);
  size_t i = 0;

  while (i < set->n_totals && !rebali_text_equal(set->totals[i].name, request->name)) {
    i++;
  }
  if (i == set->n_totals) {
    set->totals[set->n_totals++] = (struct total){request->name, request->resource, 0};
  }
  set->totals[i].amount = rebali_add_saturating(set->totals[i].amount, amount);
}

/* The sum over all components; memory of the arena. */
static int32_t read_set(struct rebali_arena *arena, const rebal_snapshot *snapshot,
                        const struct rebali_component *components, size_t n, struct set *set) {
  struct rebali_demand *demands = rebali_arena_allocate(arena, n, sizeof *demands);
  size_t room = 0;

  if (demands == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    if (rebali_demand_read(arena, rebali_snapshot_record(snapshot, REBAL_OBJECT_REQUIREMENTS, components[i].requirements),
                           &demands[i]) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    rebali_demand_resolve(&demands[i], snapshot);
    room += demands[i].n_requests;
  }
  *set = (struct set){rebali_arena_allocate(arena, room, sizeof *set->totals), 0, 0};
  for (size_t i = 0; i < n && set->totals != NULL; i++) {
    set->pods = rebali_add_saturating(set->pods, components[i].replicas);
    for (size_t k = 0; k < demands[i].n_requests; k++) {
      add_request(set, &demands[i].requests[k], components[i].replicas);
    }
  }
  return set->totals == NULL ? REBAL_ENOMEM : REBAL_OK;
}

/* One set and the clusters it is estimated in, one after the other. */
struct estimation {
  const rebal_snapshot *snapshot;
  const struct set *set;
  struct rebali_rules rules;
  const rebal_ledger *charges; /* of the summaries */
  struct rebali_models models;
};

/* By the summary alone. */
static int32_t fit_summary(const struct estimation *estimation, uint32_t cluster, int64_t pods) {
  int32_t sets = rebali_rules_cast(&estimation->rules, pods / estimation->set->pods);

  for (size_t i = 0; i < estimation->set->n_totals; i++) {
    const struct total *total = &estimation->set->totals[i];
    struct rebali_wide rest = {0, 0};
    uint32_t format = REBAL_FORMAT_NONE;
    int64_t available;
    int32_t fit;

    if (total->amount <= 0) {
      continue;
    }
    (void)rebali_summary_rest(estimation->snapshot, cluster, total->resource, &rest, &format); /* missing: 0 */
    available = rebali_subtract_saturating(
        rebali_amount_as_written(rest, format),
        rebali_ledger_charge(estimation->charges, cluster, total->name).as_written);
    if (available <= 0) {
      return 0;
    }
    fit = rebali_rules_cast(&estimation->rules, available / total->amount);
    sets = fit < sets ? fit : sets;
  }
  return sets;
}

static int32_t fit_cluster(struct estimation *estimation, uint32_t cluster, int32_t *out) {
  int64_t pods = rebali_summary_free_pods(estimation->snapshot, cluster, NULL);
  int64_t sets;

  *out = 0;
  pods = rebali_subtract_saturating(pods, rebali_ledger_pods(estimation->charges, cluster));
  if (pods <= 0 || !rebali_snapshot_i64(estimation->snapshot, REBAL_CLUSTER_HAS_SUMMARY, cluster)) {
    return REBAL_OK;
  }
  if (estimation->set->pods <= 0) {
    *out = rebali_rules_cast(&estimation->rules, pods);
    return REBAL_OK;
  }
  *out = fit_summary(estimation, cluster, pods);
  if (!estimation->rules.use_models || *out <= 0) {
    return REBAL_OK;
  }
  if (rebali_models_sets(&estimation->models, cluster, *out, &sets) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  *out = sets >= 0 && sets < *out ? (int32_t)sets : *out;
  return REBAL_OK;
}

int32_t rebali_estimate_sets(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_component *components,
                             size_t n, const rebal_compat *compat, const rebal_ledger *ledger, const int32_t **sets,
                             rebal_error *err) {
  struct rebali_arena *arena = rebali_ctx_scratch(ctx);
  int32_t *fits = rebali_arena_allocate_zero(arena, rebal_snapshot_rows(snapshot), sizeof *fits);
  struct estimation estimation = {.snapshot = snapshot, .rules = rebali_rules_read(compat)};
  struct set set;
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n_clusters);

  if (fits == NULL || read_set(arena, snapshot, components, n, &set) != REBAL_OK ||
      rebali_models_init(&estimation.models, arena, snapshot, components, n, ledger) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  estimation.set = &set;
  estimation.charges = estimation.rules.charge_summaries ? ledger : NULL;
  for (uint32_t i = 0; i < n_clusters; i++) {
    if (fit_cluster(&estimation, clusters[i], &fits[clusters[i]]) != REBAL_OK) {
      return rebali_fail_memory(err);
    }
  }
  *sets = fits;
  return REBAL_OK;
}
