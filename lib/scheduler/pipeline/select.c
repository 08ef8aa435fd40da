/* SPDX-License-Identifier: MIT */
/* Which selection applies: none, by cluster, or by region (rebalance-karmada(7) 5.1 to 5.3). */
#include "scheduler/scheduler.h"

/*
 * Groups the candidates by every field that a constraint names. Groups by zone and provider decide nothing, so they are
 * built only on request.
 */
static int32_t build_topologies(struct rebali_pass *pass) {
  const struct rebali_placement *placement = pass->placement;
  int32_t code = REBAL_OK;

  if (placement->n_spreads == 1 && placement->spreads[0].field == REBAL_SPREAD_BY_CLUSTER) {
    return REBAL_OK;
  }
  for (uint32_t field = REBAL_SPREAD_BY_REGION; field <= REBAL_SPREAD_BY_PROVIDER && code == REBAL_OK; field++) {
    const struct rebali_spread *spread = rebali_placement_spread(placement, field);

    if (spread != NULL && (field == REBAL_SPREAD_BY_REGION || pass->all_topologies) &&
        pass->topologies[field].groups == NULL) {
      code = rebali_topology_build(pass, spread);
    }
  }
  return code;
}

/* Returns the replicas that the selected clusters must have capacity for, -1 for any (rebalance-karmada(7) 5.3). */
static int64_t needed(const struct rebali_pass *pass) {
  if (pass->placement->strategy == REBALI_STRATEGY_DUPLICATED) {
    return -1;
  }
  return pass->is_multi_template ? 1 : pass->replicas;
}

int32_t rebali_select(struct rebali_pass *pass) {
  const struct rebali_placement *placement = pass->placement;
  const struct rebali_spread *cluster = rebali_placement_spread(placement, REBAL_SPREAD_BY_CLUSTER);
  const struct rebali_spread *region = rebali_placement_spread(placement, REBAL_SPREAD_BY_REGION);
  int32_t code;

  if (!rebali_placement_selects(placement)) {
    return REBAL_OK;
  }
  pass->n_rated = pass->n_candidates;
  code = build_topologies(pass);
  if (code != REBAL_OK) {
    return code;
  }
  if (region != NULL) {
    return rebali_select_by_region(pass, region, cluster);
  }
  if (cluster != NULL) {
    return rebali_select_by_cluster(pass, cluster, needed(pass));
  }
  return rebali_pass_refuse(pass, REBAL_OUTCOME_SCHEDULER_ERROR,
                            "failed to select clusters: just support cluster and region spread constraint");
}
