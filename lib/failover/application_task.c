/* SPDX-License-Identifier: MIT */
/* Content of the tasks of an application failover: rebalance-karmada(7) 10.5. */
#include "failover/application.h"

static const struct rebali_preservation preservation = {REBAL_BINDING_PRESERVES_APPLICATION_STATE,
                                                        REBAL_STATUS_ITEM_APPLICATION_STATE,
                                                        REBAL_STATUS_ITEM_APPLICATION_STATE_ERROR};

static void fill(struct rebali_application *pass, struct rebali_eviction *eviction) {
  static const char gate[] = "GracefulEviction featureGate must be enabled when purgeMode is Gracefully";
  const rebal_bindings *bindings = pass->call.every.bindings;
  const struct rebali_text mode = rebali_bindings_text(bindings, REBAL_BINDING_APPLICATION_PURGE_MODE, pass->binding);
  const int is_graceful = rebali_text_equal(mode, REBALI_TEXT("Gracefully"));
  const int is_cluster_scoped = rebali_bindings_i64(bindings, REBAL_BINDING_CLUSTER_SCOPED, pass->binding) != 0;

  eviction->purge_mode = mode;
  eviction->reason = REBALI_TEXT("ApplicationFailure");
  eviction->producer = is_cluster_scoped ? REBALI_TEXT("cluster-resource-binding-application-failover-controller")
                                         : REBALI_TEXT("resource-binding-application-failover-controller");
  eviction->grace_period_seconds =
      is_graceful ? rebali_bindings_i64(bindings, REBAL_BINDING_APPLICATION_GRACE_PERIOD_SECONDS, pass->binding)
                  : REBAL_ABSENT;
  eviction->suppress_deletion = rebali_text_equal(mode, REBALI_TEXT("Never")) ? 1 : REBAL_ABSENT;
  eviction->preserved = rebali_preserved_state(&pass->call, pass->binding, eviction->cluster, &preservation);
  eviction->names_targets = eviction->preserved != (int64_t)REBAL_NONE;
  if (pass->call.message.len == 0 && is_graceful &&
      rebali_compat_value(pass->call.opts.compat, REBAL_OPTION_GATE_GRACEFUL_EVICTION) == 0) {
    rebali_buffer_append(&pass->call.message, gate, sizeof gate - 1);
  }
}

void rebali_application_fill(struct rebali_application *pass) {
  for (size_t i = 0; i < pass->n_evictions && pass->call.message.len == 0; i++) {
    fill(pass, &pass->evictions[i]);
  }
}
