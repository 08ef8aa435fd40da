/* SPDX-License-Identifier: MIT */
/* Why the filters let a cluster pass or not: what each plugin that rejects looked at, wanted and found. */
#include "scheduler/scheduler.h"

int32_t rebali_tell_filter(struct rebali_telling *telling) {
  struct rebali_pass *pass = telling->pass;
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(pass->snapshot, &n_clusters);
  int32_t code = REBAL_OK;

  for (uint32_t i = 0; i < n_clusters && code == REBAL_OK; i++) {
    struct rebali_reason reason = {.cluster = clusters[i], .verdict = REBAL_WHY_FEASIBLE};

    if (rebali_snapshot_i64(pass->snapshot, REBAL_CLUSTER_DELETING, clusters[i])) {
      reason.verdict = REBAL_WHY_DELETING;
      reason.field = REBAL_CLUSTER_DELETING;
    } else if (rebali_filter_cluster(pass, clusters[i], 1) != 0) {
      reason.verdict = REBAL_WHY_REJECTED;
    }
    code = rebali_telling_cluster(telling, &reason);
  }
  return code;
}
