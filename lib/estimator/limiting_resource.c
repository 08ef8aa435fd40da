/* SPDX-License-Identifier: MIT */
/* Finds the resource that limits an estimate, for explanations. */
#include "estimator/estimator.h"

/*
 * Returns the request with the smallest fit by the summary, if that is less than the pods. Records have requests in the
 * order of their names.
 */
static struct rebali_text limit_of_summary(const rebal_snapshot *snapshot, uint32_t cluster,
                                           const struct rebali_demand *demand, const rebal_ledger *charges,
                                           int64_t pods) {
  struct rebali_text found = REBALI_TEXT("pods");
  int64_t least = pods;

  for (size_t i = 0; i < demand->n_requests; i++) {
    const struct rebali_request *request = &demand->requests[i];
    const int64_t fit = rebali_summary_fit_request(snapshot, cluster, request, charges);

    if (fit < least) {
      found = request->name;
      least = fit;
    }
  }
  return least < INT32_MAX ? found : REBALI_TEXT("");
}

int32_t rebali_estimate_limit(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster, uint32_t requirements,
                              const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_text *resource,
                              rebal_error *err) {
  const struct rebali_rules rules = rebali_rules_read(compat);
  const rebal_ledger *charges = rules.charge_summaries ? ledger : NULL;
  const struct rebali_component component = {requirements, 1};
  struct rebali_arena *arena = rebali_ctx_scratch(ctx);
  struct rebali_demand demand;
  struct rebali_models models;
  int64_t pods;
  int64_t sets = -1;

  if (!rebali_snapshot_i64(snapshot, REBAL_CLUSTER_HAS_SUMMARY, cluster)) {
    *resource = REBALI_TEXT("resource summary");
    return REBAL_OK;
  }
  pods = rebali_summary_free_pods(snapshot, cluster, charges);
  if (rebali_demand_read(arena, rebali_snapshot_record(snapshot, REBAL_OBJECT_REQUIREMENTS, requirements), &demand) !=
          REBAL_OK ||
      rebali_models_init(&models, arena, snapshot, &component, 1, ledger) != REBAL_OK ||
      (rules.use_models && demand.stated && rebali_models_sets(&models, cluster, INT32_MAX, &sets) != REBAL_OK)) {
    return rebali_fail_memory(err);
  }
  rebali_demand_resolve(&demand, snapshot);
  *resource = sets >= 0 && sets < pods ? rebali_models_limit(&models, sets)
              : sets >= 0              ? REBALI_TEXT("pods")
                                       : limit_of_summary(snapshot, cluster, &demand, charges, pods);
  return REBAL_OK;
}
