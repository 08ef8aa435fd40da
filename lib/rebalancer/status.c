/* SPDX-License-Identifier: MIT */
#include "rebalancer/rebalancer.h"

static int observed_equal(const struct rebali_observed *left, const struct rebali_observed *right) {
  return rebali_workload_compare(&left->workload, &right->workload) == 0 &&
         rebali_text_equal(left->result, right->result) && rebali_text_equal(left->reason, right->reason);
}

int rebali_rebalancer_status_differs(const struct rebali_rebalancer_status *current,
                                     const struct rebali_rebalancer_status *next) {
  size_t i;

  if (next->observed.n == 0 || current->observed.n != next->observed.n || current->generation != next->generation) {
    return 1;
  }
  for (i = 0; i < next->observed.n; i++) {
    if (!observed_equal(&current->observed.items[i], &next->observed.items[i])) {
      return 1;
    }
  }
  return 0;
}

/* The builder keeps failures; finish reports them. */
static void build_text(rebal_builder *builder, uint32_t field, struct rebali_text text) {
  if (text.len != 0) {
    (void)rebal_builder_text(builder, field, text.bytes, text.len, NULL);
  }
}

static void build_observed(rebal_builder *builder, const struct rebali_observed *observed) {
  (void)rebal_builder_begin(builder, REBAL_REBALANCER_STATUS_OBSERVED_WORKLOADS, NULL);
  (void)rebal_builder_begin(builder, REBAL_OBSERVED_WORKLOAD_WORKLOAD, NULL);
  build_text(builder, REBAL_REFERENCE_API_VERSION, observed->workload.api_version);
  build_text(builder, REBAL_REFERENCE_KIND, observed->workload.kind);
  build_text(builder, REBAL_REFERENCE_NAME, observed->workload.name);
  build_text(builder, REBAL_REFERENCE_NAMESPACE, observed->workload.namespace_);
  (void)rebal_builder_end(builder, NULL);
  build_text(builder, REBAL_OBSERVED_WORKLOAD_RESULT, observed->result);
  build_text(builder, REBAL_OBSERVED_WORKLOAD_REASON, observed->reason);
  (void)rebal_builder_end(builder, NULL);
}

int32_t rebali_rebalancer_status_build(const struct rebali_rebalancer_status *status, rebal_builder *builder,
                                       const rebal_record **out, rebal_error *err) {
  size_t i;

  (void)rebal_builder_start(builder, REBAL_OBJECT_REBALANCER_STATUS, NULL);
  for (i = 0; i < status->observed.n; i++) {
    build_observed(builder, &status->observed.items[i]);
  }
  (void)rebal_builder_i64(builder, REBAL_REBALANCER_STATUS_OBSERVED_GENERATION, status->generation, NULL);
  (void)rebal_builder_time(builder, REBAL_REBALANCER_STATUS_FINISH_TIME, &status->finish_time, NULL);
  return rebal_builder_finish(builder, out, err);
}
