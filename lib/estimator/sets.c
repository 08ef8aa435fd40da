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

/* By the summary alone. */
static int32_t fit_summary(const rebal_snapshot *snapshot, uint32_t cluster, const struct set *set, int64_t pods,
                           const struct rebali_rules *rules) {
  int32_t sets = rebali_rules_cast(rules, pods / set->pods);

  for (size_t i = 0; i < set->n_totals; i++) {
    const struct total *total = &set->totals[i];
    struct rebali_wide rest = {0, 0};
    uint32_t format = REBAL_FORMAT_NONE;
    int64_t available;
    int32_t fit;

    if (total->amount <= 0) {
      continue;
    }
    (void)rebali_summary_rest(snapshot, cluster, total->resource, &rest, &format);
    available = rebali_amount_as_written(rest, format);
    if (available <= 0) {
      return 0;
    }
    fit = rebali_rules_cast(rules, available / total->amount);
    sets = fit < sets ? fit : sets;
  }
  return sets;
}

static int32_t fit_cluster(struct rebali_models *models, uint32_t cluster, const struct set *set,
                           const struct rebali_rules *rules, int32_t *out) {
  static const struct rebali_spent nothing = {NULL, 0, 0};
  const int64_t pods = rebali_summary_free_pods(models->snapshot, cluster, &nothing);
  int64_t sets;

  *out = 0;
  if (pods <= 0) {
    return REBAL_OK;
  }
  if (set->pods <= 0) {
    *out = rebali_rules_cast(rules, pods);
    return REBAL_OK;
  }
  *out = fit_summary(models->snapshot, cluster, set, pods, rules);
  if (!rules->use_models || *out <= 0) {
    return REBAL_OK;
  }
  if (rebali_models_sets(models, cluster, *out, &sets) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  *out = sets >= 0 && sets < *out ? (int32_t)sets : *out;
  return REBAL_OK;
}

int32_t rebali_estimate_sets(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_component *components,
                             size_t n, const rebal_compat *compat, const rebal_ledger *ledger, const int32_t **sets,
                             rebal_error *err) {
  const struct rebali_rules rules = rebali_rules_read(compat);
  struct rebali_arena *arena = rebali_ctx_scratch(ctx);
  int32_t *fits = rebali_arena_allocate_zero(arena, rebal_snapshot_rows(snapshot), sizeof *fits);
  struct rebali_models models;
  struct set set;
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n_clusters);

  if (fits == NULL || read_set(arena, snapshot, components, n, &set) != REBAL_OK ||
      rebali_models_init(&models, arena, snapshot, components, n, ledger) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (uint32_t i = 0; i < n_clusters; i++) {
    if (rebali_ledger_touches(ledger, clusters[i])) {
      return rebali_fail(err, REBAL_EUNSUPPORTED, (int64_t)clusters[i], "a ledger charges a cluster");
    }
    if (rebali_snapshot_i64(snapshot, REBAL_CLUSTER_HAS_SUMMARY, clusters[i]) &&
        fit_cluster(&models, clusters[i], &set, &rules, &fits[clusters[i]]) != REBAL_OK) {
      return rebali_fail_memory(err);
    }
  }
  *sets = fits;
  return REBAL_OK;
}
