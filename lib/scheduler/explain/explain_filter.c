/* SPDX-License-Identifier: MIT */
/* Explains the filter stage: which clusters are feasible, and a row for each plugin that rejects one. */
#include "scheduler/scheduler.h"

/* Writes the row of one plugin. Only the first plugin counts for the cluster. */
static int32_t explain_one_plugin(struct rebali_explanation *explanation, uint32_t cluster, uint32_t plugin,
                                  int is_first) {
  struct rebali_reason reason = {.cluster = cluster, .verdict = REBAL_WHY_REJECTED, .plugin = plugin};

  if (rebali_explanation_has_capacity(explanation)) {
    rebali_explain_rejection(explanation, plugin, cluster, &reason);
    if (explanation->expected.failed || explanation->found.failed) {
      return rebali_fail_memory(explanation->pass->err);
    }
  }
  return is_first ? rebali_explanation_cluster(explanation, &reason) : rebali_explanation_row(explanation, &reason);
}

static int32_t report_rejected(struct rebali_explanation *explanation, uint32_t cluster, uint32_t rejected) {
  int is_first = 1;
  int32_t code = REBAL_OK;

  for (uint32_t i = 0; i < REBALI_FILTERS && code == REBAL_OK; i++) {
    if (rejected >> rebali_filter_at(i) & 1u) {
      code = explain_one_plugin(explanation, cluster, rebali_filter_at(i), is_first);
      is_first = 0;
    }
  }
  return code;
}

static int32_t report_passed(struct rebali_explanation *explanation, uint32_t cluster, int64_t verdict,
                             uint32_t field) {
  const struct rebali_reason reason = {.cluster = cluster, .verdict = verdict, .field = field};

  return rebali_explanation_cluster(explanation, &reason);
}

int32_t rebali_explain_filter(struct rebali_explanation *explanation) {
  const struct rebali_pass *pass = explanation->pass;
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(pass->snapshot, &n_clusters);
  int32_t code = REBAL_OK;

  for (uint32_t i = 0; i < n_clusters && code == REBAL_OK; i++) {
    const int is_deleting = rebali_snapshot_i64(pass->snapshot, REBAL_CLUSTER_DELETING, clusters[i]) != 0;
    const uint32_t rejected = is_deleting ? 0 : rebali_filter_cluster(pass, clusters[i], 0);

    if (is_deleting) {
      code = report_passed(explanation, clusters[i], REBAL_WHY_DELETING, REBAL_CLUSTER_DELETING);
    } else if (rejected != 0) {
      code = report_rejected(explanation, clusters[i], rejected);
    } else {
      code = report_passed(explanation, clusters[i], REBAL_WHY_FEASIBLE, 0);
    }
  }
  return code;
}
