/* SPDX-License-Identifier: MIT */
/* How many replicas of one pod template fit into a cluster: rebalance-karmada(7) 6.3. */
#include "estimator/estimator.h"

int32_t rebali_fit_models(struct rebali_estimation *estimation, uint32_t cluster, int64_t bound, int64_t *sets) {
  *sets = -1;
  if (!estimation->rules.use_models ||
      rebali_snapshot_cell_record(estimation->snapshot, REBAL_CLUSTER_MODELINGS, cluster) == NULL) {
    return REBAL_OK;
  }
  if (estimation->models.arena == NULL &&
      rebali_models_init(&estimation->models, estimation->arena, estimation->snapshot, estimation->components,
                         estimation->n_components, estimation->ledger) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebali_models_sets(&estimation->models, cluster, bound, sets);
}

int32_t rebali_fit_replicas(struct rebali_estimation *estimation, uint32_t cluster, int32_t *replicas) {
  const rebal_snapshot *snapshot = estimation->snapshot;
  const rebal_ledger *charges = estimation->rules.charge_summaries ? estimation->ledger : NULL;
  int64_t pods, fit;

  *replicas = 0;
  if (!rebali_snapshot_has(snapshot, cluster) || !rebali_snapshot_i64(snapshot, REBAL_CLUSTER_HAS_SUMMARY, cluster)) {
    return REBAL_OK;
  }
  pods = rebali_summary_free_pods(snapshot, cluster, charges);
  if (pods > 0 && estimation->demand->stated) {
    if (rebali_fit_models(estimation, cluster, INT32_MAX, &fit) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    fit = fit < 0 ? rebali_summary_fit(snapshot, cluster, estimation->demand, charges) : fit;
    pods = fit < pods ? fit : pods;
  }
  *replicas = pods > 0 ? rebali_rules_cast(&estimation->rules, pods) : 0;
  return REBAL_OK;
}
