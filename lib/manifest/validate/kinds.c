/* SPDX-License-Identifier: MIT */
/* The members of Karmada's kinds in the order of the API's types (spec karmada 1.2 to 1.4, 9). */
#include "manifest/validate/shapes.h"

#include <string.h>

/* ---- what all kinds share ---- */

static const struct rebali_object_member owner_members[] = {
    ONE("apiVersion", TEXT, REBALI_REQUIRED), ONE("kind", TEXT, REBALI_REQUIRED), ONE("name", TEXT, REBALI_REQUIRED),
    ONE("uid", TEXT, REBALI_REQUIRED),        ONE("controller", BOOLEAN, 0),      ONE("blockOwnerDeletion", BOOLEAN, 0),
};
static const struct rebali_shape owner = SHAPE(owner_members);

static const struct rebali_object_member managed_fields_members[] = {
    ONE("manager", TEXT, 0),    ONE("operation", TEXT, 0), ONE("apiVersion", TEXT, 0),  ONE("time", TIME, 0),
    ONE("fieldsType", TEXT, 0), ANY("fieldsV1"),           ONE("subresource", TEXT, 0),
};
static const struct rebali_shape managed_fields = SHAPE(managed_fields_members);

static const struct rebali_object_member metadata_members[] = {
    TEXT("name", REBALI_REQUIRED | REBALI_NONEMPTY, NULL, 253),
    ONE("generateName", TEXT, 0),
    ONE("namespace", TEXT, 0),
    ONE("selfLink", TEXT, 0),
    ONE("uid", TEXT, 0),
    ONE("resourceVersion", TEXT, 0),
    ONE("generation", INT64, 0),
    ONE("creationTimestamp", TIME, 0),
    ONE("deletionTimestamp", TIME, 0),
    ONE("deletionGracePeriodSeconds", INT64, 0),
    MAP("labels", TEXT),
    MAP("annotations", TEXT),
    OBJECTS("ownerReferences", owner, 0),
    TEXTS("finalizers", 0),
    OBJECTS("managedFields", managed_fields, 0),
};
const struct rebali_shape rebali_shape_metadata = SHAPE(metadata_members);

static const struct rebali_object_member any_members[] = {IDENTITY};
static const struct rebali_shape any = SHAPE(any_members);

static const struct rebali_object_member condition_members[] = {
    TEXT("type", REBALI_REQUIRED | REBALI_NONEMPTY, NULL, 316),
    TEXT("status", REBALI_REQUIRED, "True False Unknown", 0),
    ONE("observedGeneration", INT64, REBALI_UNSIGNED),
    ONE("lastTransitionTime", TIME, REBALI_REQUIRED),
    TEXT("reason", REBALI_REQUIRED | REBALI_NONEMPTY, NULL, 1024),
    TEXT("message", REBALI_REQUIRED, NULL, 32768),
};
const struct rebali_shape rebali_shape_condition = SHAPE(condition_members);

static const struct rebali_object_member toleration_members[] = {
    ONE("key", TEXT, 0),    ONE("operator", TEXT, 0),           ONE("value", TEXT, 0),
    ONE("effect", TEXT, 0), ONE("tolerationSeconds", INT64, 0),
};
const struct rebali_shape rebali_shape_toleration = SHAPE(toleration_members);

/* Their operators and values are the business of rules, which know what each selector allows. */
static const struct rebali_object_member expression_members[] = {
    ONE("key", TEXT, REBALI_REQUIRED), ONE("operator", TEXT, REBALI_REQUIRED), TEXTS("values", 0)};
static const struct rebali_shape expression = SHAPE(expression_members);

static const struct rebali_object_member label_selector_members[] = {MAP("matchLabels", TEXT),
                                                                     OBJECTS("matchExpressions", expression, 0)};
const struct rebali_shape rebali_shape_label_selector = SHAPE(label_selector_members);

static const struct rebali_object_member field_selector_members[] = {OBJECTS("matchExpressions", expression, 0)};
static const struct rebali_shape field_selector = SHAPE(field_selector_members);

/* ---- placement ---- */

#define AFFINITY_MEMBERS                                                                               \
  OBJECT("labelSelector", rebali_shape_label_selector, 0), OBJECT("fieldSelector", field_selector, 0), \
      TEXTS("clusterNames", 0), TEXTS("exclude", 0)
#define AFFINITY_NAME TEXT("affinityName", REBALI_REQUIRED | REBALI_NONEMPTY, NULL, 32)

static const struct rebali_object_member affinity_members[] = {AFFINITY_MEMBERS};
static const struct rebali_shape affinity = SHAPE(affinity_members);

static const struct rebali_object_member overflow_members[] = {AFFINITY_NAME, AFFINITY_MEMBERS};
static const struct rebali_shape overflow = SHAPE(overflow_members);

static const struct rebali_object_member term_members[] = {AFFINITY_NAME, AFFINITY_MEMBERS,
                                                           OBJECTS("overflowAffinities", overflow, 0)};
static const struct rebali_shape term = SHAPE(term_members);

static const struct rebali_object_member constraint_members[] = {
    TEXT("spreadByField", REBALI_MAY_EMPTY, "cluster region zone provider", 0), ONE("spreadByLabel", TEXT, 0),
    ONE("maxGroups", INT64, REBALI_UNSIGNED), ONE("minGroups", INT64, REBALI_UNSIGNED)};
static const struct rebali_shape constraint = SHAPE(constraint_members);

static const struct rebali_object_member static_weight_members[] = {
    OBJECT("targetCluster", affinity, REBALI_REQUIRED), ONE("weight", INT64, REBALI_REQUIRED | REBALI_POSITIVE)};
static const struct rebali_shape static_weight = SHAPE(static_weight_members);

static const struct rebali_object_member weight_preference_members[] = {
    OBJECTS("staticWeightList", static_weight, 0), TEXT("dynamicWeight", REBALI_MAY_EMPTY, "AvailableReplicas", 0)};
static const struct rebali_shape weight_preference = SHAPE(weight_preference_members);

static const struct rebali_object_member scheduling_members[] = {
    TEXT("replicaSchedulingType", REBALI_MAY_EMPTY, "Duplicated Divided", 0),
    TEXT("replicaDivisionPreference", REBALI_MAY_EMPTY, "Aggregated Weighted", 0),
    OBJECT("weightPreference", weight_preference, 0)};
static const struct rebali_shape scheduling = SHAPE(scheduling_members);

static const struct rebali_object_member group_by_members[] = {
    ONE("groupByLabelKey", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY)};
static const struct rebali_shape group_by = SHAPE(group_by_members);

static const struct rebali_object_member workload_affinity_members[] = {OBJECT("affinity", group_by, 0),
                                                                        OBJECT("antiAffinity", group_by, 0)};
static const struct rebali_shape workload_affinity = SHAPE(workload_affinity_members);

static const struct rebali_object_member placement_members[] = {
    OBJECT("clusterAffinity", affinity, 0),
    OBJECTS("clusterAffinities", term, 0),
    OBJECTS("clusterTolerations", rebali_shape_toleration, 0),
    OBJECTS("spreadConstraints", constraint, 0),
    OBJECT("replicaScheduling", scheduling, 0),
    OBJECT("workloadAffinity", workload_affinity, 0)};
static const struct rebali_shape placement = SHAPE(placement_members);

/* ---- what policies and bindings share ---- */

static const struct rebali_object_member preservation_rule_members[] = {ONE("aliasLabelName", TEXT, REBALI_REQUIRED),
                                                                        ONE("jsonPath", TEXT, REBALI_REQUIRED)};
static const struct rebali_shape preservation_rule = SHAPE(preservation_rule_members);

static const struct rebali_object_member preservation_members[] = {
    OBJECTS("rules", preservation_rule, REBALI_REQUIRED)};
static const struct rebali_shape preservation = SHAPE(preservation_members);

static const struct rebali_object_member decision_members[] = {ONE("tolerationSeconds", INT32, REBALI_UNSIGNED)};
static const struct rebali_shape decision = SHAPE(decision_members);

static const struct rebali_object_member application_members[] = {
    OBJECT("decisionConditions", decision, REBALI_REQUIRED),
    TEXT("purgeMode", REBALI_MAY_EMPTY, "Directly Gracefully Never", 0), ONE("gracePeriodSeconds", INT32, 0),
    OBJECT("statePreservation", preservation, 0)};
static const struct rebali_shape application = SHAPE(application_members);

static const struct rebali_object_member cluster_failover_members[] = {
    TEXT("purgeMode", REBALI_MAY_EMPTY, "Directly Gracefully", 0), OBJECT("statePreservation", preservation, 0)};
static const struct rebali_shape cluster_failover = SHAPE(cluster_failover_members);

static const struct rebali_object_member failover_members[] = {OBJECT("application", application, 0),
                                                               OBJECT("cluster", cluster_failover, 0)};
static const struct rebali_shape failover = SHAPE(failover_members);

static const struct rebali_object_member suspended_members[] = {TEXTS("clusterNames", 0)};
static const struct rebali_shape suspended = SHAPE(suspended_members);

#define SUSPENSION_MEMBERS ONE("dispatching", BOOLEAN, 0), OBJECT("dispatchingOnClusters", suspended, 0)

static const struct rebali_object_member policy_suspension_members[] = {SUSPENSION_MEMBERS};
static const struct rebali_shape policy_suspension = SHAPE(policy_suspension_members);

static const struct rebali_object_member suspension_members[] = {SUSPENSION_MEMBERS, ONE("scheduling", BOOLEAN, 0)};
static const struct rebali_shape suspension = SHAPE(suspension_members);

/* ---- policies ---- */

static const struct rebali_object_member resource_selector_members[] = {
    ONE("apiVersion", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY), ONE("kind", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
    ONE("namespace", TEXT, 0), ONE("name", TEXT, 0), OBJECT("labelSelector", rebali_shape_label_selector, 0)};
static const struct rebali_shape resource_selector = SHAPE(resource_selector_members);

static const struct rebali_object_member wish_members[] = {
    TEXT("priorityClassSource", REBALI_REQUIRED, "KubePriorityClass", 0),
    ONE("priorityClassName", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY)};
static const struct rebali_shape wish = SHAPE(wish_members);

static const struct rebali_object_member policy_spec_members[] = {
    OBJECTS("resourceSelectors", resource_selector, REBALI_REQUIRED | REBALI_NONEMPTY),
    ONE("association", BOOLEAN, 0),
    ONE("propagateDeps", BOOLEAN, 0),
    OBJECT("placement", placement, 0),
    ONE("priority", INT32, 0),
    TEXT("preemption", REBALI_MAY_EMPTY, "Always Never", 0),
    TEXTS("dependentOverrides", 0),
    ONE("schedulerName", TEXT, 0),
    OBJECT("failover", failover, 0),
    TEXT("conflictResolution", REBALI_MAY_EMPTY, "Abort Overwrite", 0),
    TEXT("activationPreference", REBALI_MAY_EMPTY, "Lazy", 0),
    OBJECT("suspension", policy_suspension, 0),
    ONE("preserveResourcesOnDeletion", BOOLEAN, 0),
    OBJECT("schedulePriority", wish, 0),
};
static const struct rebali_shape policy_spec = SHAPE(policy_spec_members);

static const struct rebali_object_member policy_members[] = {IDENTITY, OBJECT("spec", policy_spec, REBALI_REQUIRED)};
static const struct rebali_shape policy = SHAPE(policy_members);

/* ---- bindings ---- */

static const struct rebali_object_member resource_members[] = {
    ONE("apiVersion", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
    ONE("kind", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
    ONE("namespace", TEXT, 0),
    ONE("name", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
    ONE("uid", TEXT, 0),
    ONE("resourceVersion", TEXT, 0)};
static const struct rebali_shape resource = SHAPE(resource_members);

static const struct rebali_object_member node_term_members[] = {OBJECTS("matchExpressions", expression, 0),
                                                                OBJECTS("matchFields", expression, 0)};
const struct rebali_shape rebali_shape_node_term = SHAPE(node_term_members);

static const struct rebali_object_member node_selector_members[] = {
    OBJECTS("nodeSelectorTerms", rebali_shape_node_term, REBALI_REQUIRED)};
static const struct rebali_shape node_selector = SHAPE(node_selector_members);

static const struct rebali_object_member node_claim_members[] = {OBJECT("hardNodeAffinity", node_selector, 0),
                                                                 MAP("nodeSelector", TEXT),
                                                                 OBJECTS("tolerations", rebali_shape_toleration, 0)};
static const struct rebali_shape node_claim = SHAPE(node_claim_members);

static const struct rebali_object_member requirements_members[] = {
    OBJECT("nodeClaim", node_claim, 0), MAP("resourceRequest", QUANTITY), ONE("namespace", TEXT, 0),
    ONE("priorityClassName", TEXT, 0)};
static const struct rebali_shape requirements = SHAPE(requirements_members);

static const struct rebali_object_member component_requirements_members[] = {
    OBJECT("nodeClaim", node_claim, 0), MAP("resourceRequest", QUANTITY), ONE("priorityClassName", TEXT, 0)};
static const struct rebali_shape component_requirements = SHAPE(component_requirements_members);

static const struct rebali_object_member component_members[] = {
    TEXT("name", REBALI_REQUIRED | REBALI_NONEMPTY, NULL, 32), ONE("replicas", COUNT32, REBALI_REQUIRED),
    OBJECT("replicaRequirements", component_requirements, 0)};
static const struct rebali_shape component = SHAPE(component_members);

static const struct rebali_object_member target_component_members[] = {
    ONE("name", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY), ONE("replicas", INT32, REBALI_REQUIRED)};
static const struct rebali_shape target_component = SHAPE(target_component_members);

static const struct rebali_object_member target_members[] = {ONE("name", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
                                                             ONE("replicas", INT32, REBALI_UNSIGNED),
                                                             OBJECTS("components", target_component, 0)};
static const struct rebali_shape target = SHAPE(target_members);

static const struct rebali_object_member task_members[] = {
    ONE("fromCluster", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
    TEXT("purgeMode", REBALI_MAY_EMPTY, "Directly Gracefully Never", 0),
    ONE("replicas", INT32, 0),
    TEXT("reason", REBALI_REQUIRED | REBALI_NONEMPTY, NULL, 32),
    TEXT("message", 0, NULL, 1024),
    ONE("producer", TEXT, REBALI_REQUIRED),
    ONE("gracePeriodSeconds", INT32, 0),
    ONE("suppressDeletion", BOOLEAN, 0),
    MAP("preservedLabelState", TEXT),
    ONE("creationTimestamp", TIME, 0),
    TEXTS("clustersBeforeFailover", 0),
};
static const struct rebali_shape task = SHAPE(task_members);

static const struct rebali_object_member dependent_members[] = {
    ONE("namespace", TEXT, 0), ONE("name", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY), OBJECTS("clusters", target, 0)};
static const struct rebali_shape dependent = SHAPE(dependent_members);

static const struct rebali_object_member priority_members[] = {ONE("priority", INT32, 0)};
static const struct rebali_shape priority = SHAPE(priority_members);

static const struct rebali_object_member groups_members[] = {ONE("affinityGroup", TEXT, 0),
                                                             ONE("antiAffinityGroup", TEXT, 0)};
static const struct rebali_shape groups = SHAPE(groups_members);

static const struct rebali_object_member binding_spec_members[] = {
    OBJECT("resource", resource, REBALI_REQUIRED),
    ONE("propagateDeps", BOOLEAN, 0),
    OBJECT("replicaRequirements", requirements, 0),
    ONE("replicas", COUNT32, 0),
    OBJECTS("components", component, 0),
    OBJECTS("clusters", target, 0),
    OBJECT("placement", placement, 0),
    OBJECTS("gracefulEvictionTasks", task, 0),
    OBJECTS("requiredBy", dependent, 0),
    ONE("schedulerName", TEXT, 0),
    OBJECT("failover", failover, 0),
    TEXT("conflictResolution", REBALI_MAY_EMPTY, "Abort Overwrite", 0),
    ONE("rescheduleTriggeredAt", TIME, 0),
    OBJECT("suspension", suspension, 0),
    ONE("preserveResourcesOnDeletion", BOOLEAN, 0),
    OBJECT("schedulePriority", priority, 0),
    OBJECT("workloadAffinityGroups", groups, 0),
};
static const struct rebali_shape binding_spec = SHAPE(binding_spec_members);

static const struct rebali_object_member status_item_members[] = {
    ONE("clusterName", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY), ANY("status"), ONE("applied", BOOLEAN, 0),
    ONE("appliedMessage", TEXT, 0), TEXT("health", REBALI_MAY_EMPTY, "Healthy Unhealthy Unknown", 0)};
static const struct rebali_shape status_item = SHAPE(status_item_members);

static const struct rebali_object_member binding_status_members[] = {
    ONE("schedulerObservedGeneration", INT64, 0), ONE("schedulerObservingAffinityName", TEXT, 0),
    ONE("lastScheduledTime", TIME, 0), OBJECTS("conditions", rebali_shape_condition, 0),
    OBJECTS("aggregatedStatus", status_item, 0)};
static const struct rebali_shape binding_status = SHAPE(binding_status_members);

static const struct rebali_object_member binding_members[] = {IDENTITY, OBJECT("spec", binding_spec, REBALI_REQUIRED),
                                                              OBJECT("status", binding_status, 0)};
static const struct rebali_shape binding = SHAPE(binding_members);

/* The first version of bindings, which kept what a replica needs beside the resource. */
static const struct rebali_object_member first_resource_members[] = {
    ONE("apiVersion", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
    ONE("kind", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
    ONE("namespace", TEXT, 0),
    ONE("name", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
    ONE("resourceVersion", TEXT, 0),
    MAP("resourcePerReplicas", QUANTITY),
    ONE("replicas", COUNT32, 0)};
static const struct rebali_shape first_resource = SHAPE(first_resource_members);

static const struct rebali_object_member first_target_members[] = {ONE("name", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
                                                                   ONE("replicas", INT32, REBALI_UNSIGNED)};
static const struct rebali_shape first_target = SHAPE(first_target_members);

static const struct rebali_object_member first_spec_members[] = {OBJECT("resource", first_resource, REBALI_REQUIRED),
                                                                 OBJECTS("clusters", first_target, 0)};
static const struct rebali_shape first_spec = SHAPE(first_spec_members);

static const struct rebali_object_member first_item_members[] = {
    ONE("clusterName", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY), ANY("status"), ONE("applied", BOOLEAN, 0),
    ONE("appliedMessage", TEXT, 0)};
static const struct rebali_shape first_item = SHAPE(first_item_members);

static const struct rebali_object_member first_status_members[] = {OBJECTS("conditions", rebali_shape_condition, 0),
                                                                   OBJECTS("aggregatedStatus", first_item, 0)};
static const struct rebali_shape first_status = SHAPE(first_status_members);

static const struct rebali_object_member first_binding_members[] = {
    IDENTITY, OBJECT("spec", first_spec, REBALI_REQUIRED), OBJECT("status", first_status, 0)};
static const struct rebali_shape first_binding = SHAPE(first_binding_members);

/* ---- rebalancers ---- */

static const struct rebali_object_member reference_members[] = {
    ONE("apiVersion", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY), ONE("kind", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
    ONE("name", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY), ONE("namespace", TEXT, 0)};
static const struct rebali_shape reference = SHAPE(reference_members);

static const struct rebali_object_member rebalancer_spec_members[] = {
    OBJECTS("workloads", reference, REBALI_REQUIRED | REBALI_NONEMPTY), ONE("ttlSecondsAfterFinished", INT32, 0)};
static const struct rebali_shape rebalancer_spec = SHAPE(rebalancer_spec_members);

static const struct rebali_object_member observed_members[] = {OBJECT("workload", reference, REBALI_REQUIRED),
                                                               TEXT("result", REBALI_MAY_EMPTY, "Successful Failed", 0),
                                                               ONE("reason", TEXT, 0)};
static const struct rebali_shape observed = SHAPE(observed_members);

static const struct rebali_object_member rebalancer_status_members[] = {
    OBJECTS("observedWorkloads", observed, 0), ONE("observedGeneration", INT64, 0), ONE("finishTime", TIME, 0)};
static const struct rebali_shape rebalancer_status = SHAPE(rebalancer_status_members);

static const struct rebali_object_member rebalancer_members[] = {
    IDENTITY, OBJECT("spec", rebalancer_spec, REBALI_REQUIRED), OBJECT("status", rebalancer_status, 0)};
static const struct rebali_shape rebalancer = SHAPE(rebalancer_members);

/* ---- clusters ---- */

static const struct rebali_object_member secret_members[] = {ONE("namespace", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
                                                             ONE("name", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY)};
static const struct rebali_shape secret = SHAPE(secret_members);

static const struct rebali_object_member taint_members[] = {
    ONE("key", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY), ONE("value", TEXT, 0),
    TEXT("effect", REBALI_REQUIRED, "NoSchedule NoExecute", 0), ONE("timeAdded", TIME, 0)};
static const struct rebali_shape taint = SHAPE(taint_members);

static const struct rebali_object_member range_members[] = {ONE("name", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY),
                                                            ONE("min", QUANTITY, REBALI_REQUIRED),
                                                            ONE("max", QUANTITY, REBALI_REQUIRED)};
static const struct rebali_shape range = SHAPE(range_members);

static const struct rebali_object_member model_members[] = {
    ONE("grade", INT64, REBALI_REQUIRED | REBALI_UNSIGNED),
    OBJECTS("ranges", range, REBALI_REQUIRED | REBALI_NONEMPTY)};
static const struct rebali_shape model = SHAPE(model_members);

static const struct rebali_object_member cluster_spec_members[] = {
    ONE("id", TEXT, 0),
    TEXT("syncMode", REBALI_REQUIRED, "Push Pull", 0),
    ONE("apiEndpoint", TEXT, 0),
    OBJECT("secretRef", secret, 0),
    OBJECT("impersonatorSecretRef", secret, 0),
    ONE("insecureSkipTLSVerification", BOOLEAN, 0),
    ONE("proxyURL", TEXT, 0),
    MAP("proxyHeader", TEXT),
    ONE("provider", TEXT, 0),
    ONE("region", TEXT, 0),
    ONE("zone", TEXT, 0),
    TEXTS("zones", 0),
    OBJECTS("taints", taint, 0),
    OBJECTS("resourceModels", model, 0),
};
static const struct rebali_shape cluster_spec = SHAPE(cluster_spec_members);

static const struct rebali_object_member api_resource_members[] = {ONE("name", TEXT, REBALI_REQUIRED),
                                                                   ONE("kind", TEXT, REBALI_REQUIRED)};
static const struct rebali_shape api_resource = SHAPE(api_resource_members);

static const struct rebali_object_member enablement_members[] = {ONE("groupVersion", TEXT, REBALI_REQUIRED),
                                                                 OBJECTS("resources", api_resource, 0)};
static const struct rebali_shape enablement = SHAPE(enablement_members);

static const struct rebali_object_member node_summary_members[] = {ONE("totalNum", COUNT32, 0),
                                                                   ONE("readyNum", COUNT32, 0)};
static const struct rebali_shape node_summary = SHAPE(node_summary_members);

static const struct rebali_object_member modeling_members[] = {ONE("grade", INT64, REBALI_REQUIRED | REBALI_UNSIGNED),
                                                               ONE("count", INT64, REBALI_REQUIRED | REBALI_UNSIGNED)};
static const struct rebali_shape modeling = SHAPE(modeling_members);

static const struct rebali_object_member resource_summary_members[] = {
    MAP("allocatable", QUANTITY), MAP("allocating", QUANTITY), MAP("allocated", QUANTITY),
    OBJECTS("allocatableModelings", modeling, 0)};
static const struct rebali_shape resource_summary = SHAPE(resource_summary_members);

static const struct rebali_object_member cluster_status_members[] = {ONE("kubernetesVersion", TEXT, 0),
                                                                     OBJECTS("apiEnablements", enablement, 0),
                                                                     OBJECTS("conditions", rebali_shape_condition, 0),
                                                                     OBJECT("nodeSummary", node_summary, 0),
                                                                     OBJECT("resourceSummary", resource_summary, 0),
                                                                     TEXTS("remedyActions", 0)};
static const struct rebali_shape cluster_status = SHAPE(cluster_status_members);

static const struct rebali_object_member cluster_members[] = {IDENTITY, OBJECT("spec", cluster_spec, 0),
                                                              OBJECT("status", cluster_status, 0)};
static const struct rebali_shape cluster = SHAPE(cluster_members);

/* ---- taint policies and quotas ---- */

static const struct rebali_object_member condition_match_members[] = {ONE("conditionType", TEXT, REBALI_REQUIRED),
                                                                      TEXT("operator", REBALI_REQUIRED, "In NotIn", 0),
                                                                      TEXTS("statusValues", REBALI_REQUIRED)};
static const struct rebali_shape condition_match = SHAPE(condition_match_members);

static const struct rebali_object_member policy_taint_members[] = {
    ONE("key", TEXT, REBALI_REQUIRED), TEXT("effect", REBALI_REQUIRED, "NoSchedule PreferNoExecute NoExecute", 0),
    ONE("value", TEXT, 0)};
static const struct rebali_shape policy_taint = SHAPE(policy_taint_members);

static const struct rebali_object_member taint_policy_spec_members[] = {
    OBJECT("targetClusters", affinity, 0), OBJECTS("addOnConditions", condition_match, 0),
    OBJECTS("removeOnConditions", condition_match, 0),
    OBJECTS("taints", policy_taint, REBALI_REQUIRED | REBALI_NONEMPTY)};
static const struct rebali_shape taint_policy_spec = SHAPE(taint_policy_spec_members);

static const struct rebali_object_member taint_policy_members[] = {IDENTITY,
                                                                   OBJECT("spec", taint_policy_spec, REBALI_REQUIRED)};
static const struct rebali_shape taint_policy = SHAPE(taint_policy_members);

static const struct rebali_object_member assignment_members[] = {ONE("clusterName", TEXT, REBALI_REQUIRED),
                                                                 REQUIRED_MAP("hard", QUANTITY)};
static const struct rebali_shape assignment = SHAPE(assignment_members);

static const struct rebali_object_member quota_spec_members[] = {REQUIRED_MAP("overall", QUANTITY),
                                                                 OBJECTS("staticAssignments", assignment, 0)};
static const struct rebali_shape quota_spec = SHAPE(quota_spec_members);

static const struct rebali_object_member cluster_quota_members[] = {ONE("clusterName", TEXT, REBALI_REQUIRED),
                                                                    MAP("hard", QUANTITY), MAP("used", QUANTITY)};
static const struct rebali_shape cluster_quota = SHAPE(cluster_quota_members);

static const struct rebali_object_member quota_status_members[] = {
    MAP("overall", QUANTITY), MAP("overallUsed", QUANTITY), OBJECTS("aggregatedStatus", cluster_quota, 0)};
static const struct rebali_shape quota_status = SHAPE(quota_status_members);

static const struct rebali_object_member quota_members[] = {IDENTITY, OBJECT("spec", quota_spec, REBALI_REQUIRED),
                                                            OBJECT("status", quota_status, 0)};
static const struct rebali_shape quota = SHAPE(quota_members);

/* ---- the kinds ---- */

static const struct rebali_kind kinds[] = {
    {"cluster.karmada.io/v1alpha1", "Cluster", &cluster},
    {"work.karmada.io/v1alpha2", "ResourceBinding", &binding},
    {"work.karmada.io/v1alpha2", "ClusterResourceBinding", &binding},
    {"work.karmada.io/v1alpha1", "ResourceBinding", &first_binding},
    {"work.karmada.io/v1alpha1", "ClusterResourceBinding", &first_binding},
    {"policy.karmada.io/v1alpha1", "PropagationPolicy", &policy},
    {"policy.karmada.io/v1alpha1", "ClusterPropagationPolicy", &policy},
    {"policy.karmada.io/v1alpha1", "ClusterTaintPolicy", &taint_policy},
    {"policy.karmada.io/v1alpha1", "FederatedResourceQuota", &quota},
    {"apps.karmada.io/v1alpha1", "WorkloadRebalancer", &rebalancer},
    {"apps.kruise.io/v1beta1", "WorkloadSpread", &rebali_shape_spread},
    {"apps.kruise.io/v1alpha1", "WorkloadSpread", &rebali_shape_first_spread},
    {"apps.kruise.io/v1beta1", "UnitedDeployment", &rebali_shape_united},
    {"apps.kruise.io/v1alpha1", "UnitedDeployment", &rebali_shape_united},
};

const struct rebali_kind *rebali_kinds(size_t *n) {
  *n = sizeof kinds / sizeof kinds[0];
  return kinds;
}

static int is_group_of(const char *api_version, const struct rebali_kind *kind) {
  const size_t len = strcspn(kind->api_version, "/");
  return strncmp(api_version, kind->api_version, len) == 0 && api_version[len] == '/';
}

const struct rebali_kind *rebali_kind_of(const json_t *tree) {
  const char *api_version = rebali_member_text(tree, "apiVersion"), *kind = rebali_member_text(tree, "kind");
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i].kind, kind) == 0 && strcmp(kinds[i].api_version, api_version) == 0) {
      return &kinds[i];
    }
  }
  return NULL;
}

int rebali_kind_is_other_version(const json_t *tree) {
  const char *api_version = rebali_member_text(tree, "apiVersion"), *kind = rebali_member_text(tree, "kind");
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i].kind, kind) == 0 && is_group_of(api_version, &kinds[i])) {
      return rebali_kind_of(tree) == NULL;
    }
  }
  return 0;
}

const struct rebali_shape *rebali_shape_of_any(void) {
  return &any;
}

const struct rebali_object_member *rebali_shape_member(const struct rebali_shape *shape, const char *name) {
  for (size_t i = 0; i < shape->n; i++) {
    if (strcmp(shape->members[i].name, name) == 0) {
      return &shape->members[i];
    }
  }
  return NULL;
}
