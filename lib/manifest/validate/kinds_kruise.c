/* SPDX-License-Identifier: MIT */
/* The members of OpenKruise's kinds, which rules examine further (spec workloadspread 1.1, 1.2, 13.1). */
#include "manifest/validate/shapes.h"

static const struct rebali_object_member target_members[] = {ONE("apiVersion", TEXT, 0), ONE("kind", TEXT, 0),
                                                             ONE("name", TEXT, 0)};
static const struct rebali_shape target = SHAPE(target_members);

static const struct rebali_object_member filter_members[] = {OBJECT("selector", rebali_shape_label_selector, 0),
                                                             TEXTS("replicasPathList", 0)};
static const struct rebali_shape filter = SHAPE(filter_members);

static const struct rebali_object_member preferred_members[] = {
    ONE("weight", INT32, REBALI_REQUIRED), OBJECT("preference", rebali_shape_node_term, REBALI_REQUIRED)};
static const struct rebali_shape preferred = SHAPE(preferred_members);

#define SUBSET_MEMBERS(required_name, preferred_name)  \
  {ONE("name", TEXT, 0),                               \
   OBJECT(required_name, rebali_shape_node_term, 0),   \
   OBJECTS(preferred_name, preferred, 0),              \
   OBJECTS("tolerations", rebali_shape_toleration, 0), \
   INT_OR_TEXT("maxReplicas"),                         \
   ANY("patch"),                                       \
   OPTIONAL("minReplicas", "spread-min-replicas")}

static const struct rebali_object_member subset_members[] =
    SUBSET_MEMBERS("requiredNodeSelector", "preferredNodeSelector");
static const struct rebali_shape subset = SHAPE(subset_members);

static const struct rebali_object_member first_subset_members[] =
    SUBSET_MEMBERS("requiredNodeSelectorTerm", "preferredNodeSelectorTerms");
static const struct rebali_shape first_subset = SHAPE(first_subset_members);

static const struct rebali_object_member adaptive_members[] = {ONE("disableSimulationSchedule", BOOLEAN, 0),
                                                               ONE("rescheduleCriticalSeconds", INT32, 0)};
static const struct rebali_shape adaptive = SHAPE(adaptive_members);

static const struct rebali_object_member strategy_members[] = {ONE("type", TEXT, 0), OBJECT("adaptive", adaptive, 0)};
static const struct rebali_shape strategy = SHAPE(strategy_members);

#define SPEC_MEMBERS(subset_shape)                                                                         \
  {OBJECT("targetRef", target, 0), OBJECT("targetFilter", filter, 0), OBJECTS("subsets", subset_shape, 0), \
   OBJECT("scheduleStrategy", strategy, 0)}

static const struct rebali_object_member spec_members[] = SPEC_MEMBERS(subset);
static const struct rebali_shape spec = SHAPE(spec_members);

static const struct rebali_object_member first_spec_members[] = SPEC_MEMBERS(first_subset);
static const struct rebali_shape first_spec = SHAPE(first_spec_members);

static const struct rebali_object_member subset_status_members[] = {ONE("name", TEXT, REBALI_REQUIRED),
                                                                    OBJECTS("conditions", rebali_shape_condition, 0),
                                                                    ONE("replicas", INT32, REBALI_REQUIRED),
                                                                    ONE("missingReplicas", INT32, REBALI_REQUIRED),
                                                                    MAP("creatingPods", TIME),
                                                                    MAP("deletingPods", TIME)};
static const struct rebali_shape subset_status = SHAPE(subset_status_members);

/* Lists like subsetStatuses stand below the versions. */
static const struct rebali_object_member status_members[] = {
    ONE("observedGeneration", INT64, 0), OBJECTS("subsetStatuses", subset_status, 0), ANY("versionedSubsetStatuses")};
static const struct rebali_shape status = SHAPE(status_members);

static const struct rebali_object_member spread_members[] = {IDENTITY, OBJECT("spec", spec, 0),
                                                             OBJECT("status", status, 0)};
const struct rebali_shape rebali_shape_spread = SHAPE(spread_members);

static const struct rebali_object_member first_spread_members[] = {IDENTITY, OBJECT("spec", first_spec, 0),
                                                                   OBJECT("status", status, 0)};
const struct rebali_shape rebali_shape_first_spread = SHAPE(first_spread_members);

/* ---- UnitedDeployment: what it makes workloads of, and what it tells of them, is not looked into ---- */

static const struct rebali_object_member united_subset_members[] = {
    ONE("name", TEXT, 0),
    OBJECT("nodeSelectorTerm", rebali_shape_node_term, 0),
    OBJECTS("tolerations", rebali_shape_toleration, 0),
    INT_OR_TEXT("replicas"),
    INT_OR_TEXT("minReplicas"),
    INT_OR_TEXT("maxReplicas"),
    ANY("patch")};
static const struct rebali_shape united_subset = SHAPE(united_subset_members);

static const struct rebali_object_member united_adaptive_members[] = {ONE("rescheduleCriticalSeconds", INT32, 0),
                                                                      ONE("unschedulableDuration", INT32, 0),
                                                                      ONE("reserveUnschedulablePods", BOOLEAN, 0)};
static const struct rebali_shape united_adaptive = SHAPE(united_adaptive_members);

static const struct rebali_object_member united_strategy_members[] = {
    TEXT("type", REBALI_MAY_EMPTY, "Fixed Adaptive", 0), OBJECT("adaptive", united_adaptive, 0)};
static const struct rebali_shape united_strategy = SHAPE(united_strategy_members);

static const struct rebali_object_member topology_members[] = {OBJECTS("subsets", united_subset, 0),
                                                               OBJECT("scheduleStrategy", united_strategy, 0)};
static const struct rebali_shape topology = SHAPE(topology_members);

static const struct rebali_object_member template_members[] = {
    ANY("statefulSetTemplate"), ANY("advancedStatefulSetTemplate"), ANY("cloneSetTemplate"), ANY("deploymentTemplate")};
static const struct rebali_shape template = SHAPE(template_members);

static const struct rebali_object_member united_spec_members[] = {
    ONE("replicas", INT32, 0),       OBJECT("selector", rebali_shape_label_selector, 0),
    OBJECT("template", template, 0), OBJECT("topology", topology, 0),
    ANY("updateStrategy"),           ONE("revisionHistoryLimit", INT32, 0)};
static const struct rebali_shape united_spec = SHAPE(united_spec_members);

static const struct rebali_object_member united_members[] = {IDENTITY, OBJECT("spec", united_spec, 0), ANY("status")};
const struct rebali_shape rebali_shape_united = SHAPE(united_members);
