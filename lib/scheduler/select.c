/* SPDX-License-Identifier: MIT */
/* Which selection applies: none, by cluster, or by region (spec karmada 5.1, 5.3). */
#include "scheduler/scheduler.h"

int32_t rebali_select(struct rebali_pass *pass) {
  const struct rebali_placement *placement = pass->placement;
  const struct rebali_spread *cluster = rebali_placement_spread(placement, REBAL_SPREAD_CLUSTER);
  const struct rebali_spread *region = rebali_placement_spread(placement, REBAL_SPREAD_REGION);

  if (placement->n_spreads == 0 || placement->ignores_spread) {
    return REBAL_OK;
  }
  if (region != NULL) {
    return rebali_select_by_region(pass, region, cluster);
  }
  if (cluster != NULL) {
    return rebali_select_by_cluster(pass, cluster,
                                    placement->strategy == REBALI_STRATEGY_DUPLICATED ? -1 : pass->replicas);
  }
  return rebali_pass_refuse(pass, REBAL_OUTCOME_SCHEDULER_ERROR,
                            "failed to select clusters: just support cluster and region spread constraint");
}
