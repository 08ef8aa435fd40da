/* SPDX-License-Identifier: MIT */
/*
 * Taints that clusters get for their conditions, from the cluster controller and from ClusterTaintPolicies
 * (rebalance-karmada(7) 10.2). A cluster without conditions in the scenario counts as ready.
 */
#include "simulation/controllers/controllers.h"

#include <stdlib.h>
#include <string.h>

static const char name[] = "cluster-taints";

/* Policies as records, each with its builder. */
struct policies {
  const rebal_record **records;
  rebal_builder **builders;
  size_t n;
};

static void dispose(struct policies *policies) {
  for (size_t i = 0; i < policies->n; i++) {
    rebal_builder_free(policies->builders[i]);
  }
  free(policies->records);
  free(policies->builders);
}

static int32_t list_policies(const struct rebali_server *server, struct policies *out, rebal_error *err) {
  size_t most = 0;
  int32_t code = REBAL_OK;
  for (uint32_t id = rebali_next_of(server, "ClusterTaintPolicy", REBAL_NONE); id != REBAL_NONE;
       id = rebali_next_of(server, "ClusterTaintPolicy", id)) {
    most++;
  }
  *out = (struct policies){calloc(most + 1, sizeof *out->records), calloc(most + 1, sizeof *out->builders), 0};
  if (out->records == NULL || out->builders == NULL) {
    return rebali_fail_memory(err);
  }
  for (uint32_t id = rebali_next_of(server, "ClusterTaintPolicy", REBAL_NONE); code == REBAL_OK && id != REBAL_NONE;
       id = rebali_next_of(server, "ClusterTaintPolicy", id)) {
    code = rebal_builder_new(NULL, &out->builders[out->n], err);
    if (code == REBAL_OK) {
      code = rebal_store_record(server->store, id, out->builders[out->n], &out->records[out->n], err);
      out->n++;
    }
  }
  return code;
}

/* Carries out the actions on clusters that have conditions; the result covers others, too. */
static int32_t carry_out(struct rebali_core *core, const char *reason, rebal_error *err) {
  const size_t n = rebal_result_count(core->result, REBAL_TABLE_ACTION);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    const uint32_t object =
        rebali_find_object(core->server, "Cluster", "", rebal_result_text(core->result, REBAL_ACTION_NAME, i, NULL));
    if (object != REBAL_NONE && rebal_value_count(rebali_field(core->server, object, "status.conditions")) > 0) {
      code = rebali_carry_out(core, i, name, reason, NULL, err);
    }
    rebali_reads_release(core->server);
  }
  return code;
}

/* Runs a pass over all clusters. */
static int32_t follow_conditions(struct rebali_core *core, rebal_error *err) {
  int32_t code = rebali_feed_clusters(core, err);
  if (code == REBAL_OK) {
    code = rebal_condition_taints_step(core->ctx, core->snapshot, &core->server->now, NULL, core->result, err);
  }
  return code == REBAL_OK ? carry_out(core, "the cluster's condition Ready", err) : code;
}

static int32_t follow_policies(struct rebali_core *core, rebal_error *err) {
  struct policies policies;
  int32_t code = list_policies(core->server, &policies, err);
  if (code == REBAL_OK && policies.n > 0) {
    code = rebali_feed_clusters(core, err);
  }
  if (code == REBAL_OK && policies.n > 0) {
    code = rebal_taint_policies_step(core->ctx, core->snapshot, policies.records, policies.n, &core->server->now, NULL,
                                     core->result, err);
  }
  if (code == REBAL_OK && policies.n > 0) {
    code = carry_out(core, "a ClusterTaintPolicy and the cluster's conditions", err);
  }
  dispose(&policies);
  return code;
}

int32_t rebali_cluster_taints_run(struct rebali_cluster_taints *taints, rebal_error *err) {
  const struct rebali_server *server = taints->core->server;
  int is_new = 0;
  int32_t code;
  for (uint32_t id = rebal_store_next_changed(server->store, &taints->seen); !is_new && id != REBAL_NONE;
       id = rebal_store_next_changed(server->store, &taints->seen)) {
    is_new = rebali_is_kind(server, id, "Cluster") || rebali_is_kind(server, id, "ClusterTaintPolicy");
  }
  taints->seen = rebal_store_change_count(server->store);
  if (!is_new) {
    return REBAL_OK;
  }
  code = follow_conditions(taints->core, err);
  return code == REBAL_OK ? follow_policies(taints->core, err) : code;
}
