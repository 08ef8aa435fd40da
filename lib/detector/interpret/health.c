/* SPDX-License-Identifier: MIT */
/* Judges the health of Kubernetes' own kinds (rebalance-karmada(7) 15.3). */
#include "detector/interpret/interpret.h"

#include <string.h>

static json_t *verdict(int is_healthy) {
  return is_healthy ? json_true() : json_false();
}

static int64_t status_of(const json_t *object, const char *key) {
  return rebali_integer_of(rebali_member(object, "status"), key);
}

/* Absent generations are 0. */
static int is_observed(const json_t *object) {
  return status_of(object, "observedGeneration") == rebali_integer_of(rebali_member(object, "metadata"), "generation");
}

/* An absent spec.replicas requires nothing. */
static int reaches_replicas(const json_t *object, const char *key) {
  const json_t *replicas = rebali_value_at(object, "spec.replicas");
  return replicas == NULL || status_of(object, key) >= json_integer_value(replicas);
}

json_t *rebali_deployment_health(struct rebali_interpreting *in, const json_t *object) {
  (void)in;
  return verdict(is_observed(object) && reaches_replicas(object, "updatedReplicas") &&
                 status_of(object, "availableReplicas") >= status_of(object, "updatedReplicas"));
}

json_t *rebali_replica_set_health(struct rebali_interpreting *in, const json_t *object) {
  (void)in;
  return verdict(is_observed(object) && reaches_replicas(object, "availableReplicas"));
}

json_t *rebali_daemon_set_health(struct rebali_interpreting *in, const json_t *object) {
  (void)in;
  return verdict(is_observed(object) &&
                 status_of(object, "updatedNumberScheduled") >= status_of(object, "desiredNumberScheduled") &&
                 status_of(object, "numberAvailable") >= status_of(object, "updatedNumberScheduled"));
}

json_t *rebali_balancer_health(struct rebali_interpreting *in, const json_t *object) {
  const json_t *entries = rebali_value_at(object, "status.loadBalancer.ingress");
  (void)in;
  for (size_t i = 0; i < json_array_size(entries); i++) {
    const json_t *entry = json_array_get(entries, i);
    if (*rebali_member_text(entry, "hostname") != '\0' || *rebali_member_text(entry, "ip") != '\0') {
      return json_true();
    }
  }
  return json_false();
}

json_t *rebali_service_health(struct rebali_interpreting *in, const json_t *object) {
  return strcmp(rebali_member_text(rebali_member(object, "spec"), "type"), "LoadBalancer") == 0
             ? rebali_balancer_health(in, object)
             : json_true();
}

json_t *rebali_claim_health(struct rebali_interpreting *in, const json_t *object) {
  (void)in;
  return verdict(strcmp(rebali_member_text(rebali_member(object, "status"), "phase"), "Bound") == 0);
}

json_t *rebali_pod_health(struct rebali_interpreting *in, const json_t *object) {
  const json_t *status = rebali_member(object, "status");
  const char *phase = rebali_member_text(status, "phase");
  size_t at;
  const json_t *ready = rebali_find_condition(rebali_member(status, "conditions"), "Ready", &at);
  (void)in;
  return verdict(strcmp(phase, "Succeeded") == 0 ||
                 (strcmp(phase, "Running") == 0 && strcmp(rebali_member_text(ready, "status"), "True") == 0));
}

json_t *rebali_budget_health(struct rebali_interpreting *in, const json_t *object) {
  (void)in;
  return verdict(status_of(object, "currentHealthy") >= status_of(object, "desiredHealthy"));
}
