/* SPDX-License-Identifier: MIT */
/*
 * Taints that clusters get by their conditions, from the cluster controller and from ClusterTaintPolicies (spec karmada
 * 10.2). A cluster of which a scenario states no conditions is taken as ready.
 */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

static const char name[] = "cluster-taints";

/* Policies as records, each in a builder of its own. */
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

static int32_t list_policies(rebal_simulation *simulation, struct policies *out, rebal_error *err) {
  size_t most = 0;
  int32_t code = REBAL_OK;
  for (uint32_t id = rebali_next_of(simulation, "ClusterTaintPolicy", REBAL_NONE); id != REBAL_NONE;
       id = rebali_next_of(simulation, "ClusterTaintPolicy", id)) {
    most++;
  }
  *out = (struct policies){calloc(most + 1, sizeof *out->records), calloc(most + 1, sizeof *out->builders), 0};
  if (out->records == NULL || out->builders == NULL) {
    return rebali_fail_memory(err);
  }
  for (uint32_t id = rebali_next_of(simulation, "ClusterTaintPolicy", REBAL_NONE); code == REBAL_OK && id != REBAL_NONE;
       id = rebali_next_of(simulation, "ClusterTaintPolicy", id)) {
    code = rebal_builder_new(NULL, &out->builders[out->n], err);
    if (code == REBAL_OK) {
      code = rebal_store_record(simulation->store, id, out->builders[out->n], &out->records[out->n], err);
      out->n++;
    }
  }
  return code;
}

/* Is the action for a cluster that has conditions? */
static int has_conditions(rebal_simulation *simulation, size_t action) {
  size_t len;
  const char *cluster = rebal_result_text(simulation->result, REBAL_ACTION_NAME, action, &len);
  const uint32_t object = rebal_store_find(simulation->store, "Cluster", 7, "", 0, cluster, len);
  return object != REBAL_NONE && !rebali_field_is(simulation, object, "status.conditions", "") &&
         !rebali_field_is(simulation, object, "status.conditions", "[]");
}

static int32_t carry_out(rebal_simulation *simulation, const char *reason, rebal_error *err) {
  const size_t n = rebal_result_count(simulation->result, REBAL_TABLE_ACTION);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (has_conditions(simulation, i)) {
      code = rebali_carry_out(simulation, i, name, reason, NULL, err);
    }
  }
  return code;
}

/* A pass over all clusters as they are. */
static int32_t follow_conditions(rebal_simulation *simulation, rebal_error *err) {
  const uint32_t none = REBAL_NONE;
  int32_t code = rebali_feed(simulation, &none, 0, err);
  if (code == REBAL_OK) {
    code = rebal_condition_taints_step(simulation->ctx, simulation->snapshot, &simulation->now, NULL,
                                       simulation->result, err);
  }
  return code == REBAL_OK ? carry_out(simulation, "the cluster's condition Ready", err) : code;
}

static int32_t follow_policies(rebal_simulation *simulation, rebal_error *err) {
  const uint32_t none = REBAL_NONE;
  struct policies policies;
  int32_t code = list_policies(simulation, &policies, err);
  if (code == REBAL_OK && policies.n > 0) {
    code = rebali_feed(simulation, &none, 0, err);
  }
  if (code == REBAL_OK && policies.n > 0) {
    code = rebal_taint_policies_step(simulation->ctx, simulation->snapshot, policies.records, policies.n,
                                     &simulation->now, NULL, simulation->result, err);
  }
  if (code == REBAL_OK && policies.n > 0) {
    code = carry_out(simulation, "a ClusterTaintPolicy and the cluster's conditions", err);
  }
  dispose(&policies);
  return code;
}

int32_t rebali_condition_taints_run(rebal_simulation *simulation, rebal_error *err) {
  int is_new = 0;
  int32_t code;
  for (uint32_t id = rebal_store_next_changed(simulation->store, &simulation->conditioned); !is_new && id != REBAL_NONE;
       id = rebal_store_next_changed(simulation->store, &simulation->conditioned)) {
    is_new = rebali_field_is(simulation, id, "kind", "Cluster") ||
             rebali_field_is(simulation, id, "kind", "ClusterTaintPolicy");
  }
  simulation->conditioned = rebal_store_change_count(simulation->store);
  if (!is_new) {
    return REBAL_OK;
  }
  code = follow_conditions(simulation, err);
  return code == REBAL_OK ? follow_policies(simulation, err) : code;
}
