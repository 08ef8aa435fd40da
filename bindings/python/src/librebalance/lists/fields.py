# SPDX-License-Identifier: MIT
# Made by generate.py from include/rebalance/fields.def.
"""Fields of the records that the library takes and returns."""
from typing import Dict, NamedTuple, Tuple


class Field(NamedTuple):
    """A field: its name in the Kubernetes API, its id, type, cardinality, and the object it holds."""
    name: str
    id: int
    type: str
    cardinality: str
    child: str


#: Numbers of the objects.
OBJECTS: Dict[str, int] = {
    "PAIR": 1,
    "AMOUNT": 2,
    "LABELS": 3,
    "TEXTS": 4,
    "REFERENCE": 5,
    "METADATA": 6,
    "CONDITION": 7,
    "TAINTS": 10,
    "TAINT": 11,
    "API_ENABLEMENTS": 12,
    "API_ENABLEMENT": 13,
    "API_RESOURCE": 14,
    "RESOURCE_MODELS": 15,
    "RESOURCE_MODEL": 16,
    "MODEL_RANGE": 17,
    "MODELINGS": 18,
    "MODELING": 19,
    "PLACEMENT": 30,
    "AFFINITY": 31,
    "LABEL_SELECTOR": 32,
    "FIELD_SELECTOR": 33,
    "EXPRESSION": 34,
    "TOLERATION": 35,
    "SPREAD_CONSTRAINT": 36,
    "REPLICA_SCHEDULING": 37,
    "WEIGHT_PREFERENCE": 38,
    "STATIC_WEIGHT": 39,
    "WORKLOAD_AFFINITY": 40,
    "GROUP_BY": 41,
    "REQUIREMENTS": 50,
    "NODE_CLAIM": 51,
    "NODE_SELECTOR": 52,
    "NODE_SELECTOR_TERM": 53,
    "WORKLOAD_REBALANCER": 60,
    "REBALANCER_SPEC": 61,
    "REBALANCER_STATUS": 62,
    "OBSERVED_WORKLOAD": 63,
    "BINDING": 70,
    "BINDING_SPEC": 71,
    "SUSPENSION": 77,
    "TARGET_CLUSTER": 72,
    "EVICTION_TASK": 73,
    "BINDING_STATUS": 74,
    "TARGET_COMPONENT": 75,
    "TARGET_COMPONENTS": 76,
    "EVENT": 80,
    "POD_RESOURCES": 90,
    "CONTAINER_RESOURCES": 91,
    "QUOTAS": 92,
    "QUOTA": 93,
    "BUDGET": 94,
    "CONDITIONS": 95,
    "TAINT_POLICY": 96,
    "TAINT_POLICY_SPEC": 97,
    "CONDITION_MATCH": 98,
    "CLUSTER_SPEC": 99,
    "FEDERATED_QUOTA": 100,
    "FEDERATED_QUOTA_SPEC": 101,
    "FEDERATED_QUOTA_STATUS": 102,
    "INT_OR_TEXT": 103,
    "RAW": 104,
    "MOMENT": 105,
    "PREFERRED_TERM": 106,
    "WORKLOAD_SPREAD": 110,
    "SPREAD_SPEC": 111,
    "TARGET_FILTER": 112,
    "SUBSET": 113,
    "SCHEDULE_STRATEGY": 114,
    "ADAPTIVE_STRATEGY": 115,
    "SPREAD_STATUS": 116,
    "VERSION_STATUS": 117,
    "SUBSET_STATUS": 118,
    "WHITE_LIST": 119,
    "WHITE_KIND": 120,
    "POD_PATCH": 121,
    "UNITED_DEPLOYMENT": 122,
    "UNITED_SPEC": 123,
    "UNITED_TOPOLOGY": 124,
    "UNITED_SUBSET": 125,
    "UNITED_STATUS": 126,
    "UNITED_UPDATE": 107,
    "UNITED_SUBSET_STATUS": 127,
    "SCALE_SPEC": 108,
}

#: Fields of each object.
FIELDS: Dict[str, Tuple[Field, ...]] = {
    "PAIR": (
        Field("key", 257, "TEXT", "ONE", "NONE"),
        Field("value", 258, "TEXT", "ONE", "NONE"),
    ),
    "AMOUNT": (
        Field("key", 513, "TEXT", "ONE", "NONE"),
        Field("value", 514, "QUANTITY", "ONE", "NONE"),
    ),
    "LABELS": (
        Field("labels", 769, "OBJECT", "MAP", "PAIR"),
    ),
    "TEXTS": (
        Field("items", 1025, "TEXT", "LIST", "NONE"),
    ),
    "REFERENCE": (
        Field("apiVersion", 1281, "TEXT", "ONE", "NONE"),
        Field("kind", 1282, "TEXT", "ONE", "NONE"),
        Field("name", 1283, "TEXT", "ONE", "NONE"),
        Field("namespace", 1284, "TEXT", "ONE", "NONE"),
    ),
    "METADATA": (
        Field("name", 1537, "TEXT", "ONE", "NONE"),
        Field("namespace", 1538, "TEXT", "ONE", "NONE"),
        Field("uid", 1539, "TEXT", "ONE", "NONE"),
        Field("resourceVersion", 1540, "TEXT", "ONE", "NONE"),
        Field("generation", 1541, "INT64", "ONE", "NONE"),
        Field("creationTimestamp", 1542, "TIME", "ONE", "NONE"),
        Field("deletionTimestamp", 1543, "TIME", "ONE", "NONE"),
        Field("labels", 1544, "OBJECT", "MAP", "PAIR"),
        Field("annotations", 1545, "OBJECT", "MAP", "PAIR"),
    ),
    "CONDITION": (
        Field("type", 1793, "TEXT", "ONE", "NONE"),
        Field("status", 1794, "TEXT", "ONE", "NONE"),
        Field("lastTransitionTime", 1795, "TIME", "ONE", "NONE"),
        Field("reason", 1796, "TEXT", "ONE", "NONE"),
        Field("message", 1797, "TEXT", "ONE", "NONE"),
    ),
    "TAINTS": (
        Field("taints", 2561, "OBJECT", "LIST", "TAINT"),
    ),
    "TAINT": (
        Field("key", 2817, "TEXT", "ONE", "NONE"),
        Field("value", 2818, "TEXT", "ONE", "NONE"),
        Field("effect", 2819, "TEXT", "ONE", "NONE"),
        Field("timeAdded", 2820, "TIME", "ONE", "NONE"),
    ),
    "API_ENABLEMENTS": (
        Field("apiEnablements", 3073, "OBJECT", "LIST", "API_ENABLEMENT"),
    ),
    "API_ENABLEMENT": (
        Field("groupVersion", 3329, "TEXT", "ONE", "NONE"),
        Field("resources", 3330, "OBJECT", "LIST", "API_RESOURCE"),
    ),
    "API_RESOURCE": (
        Field("name", 3585, "TEXT", "ONE", "NONE"),
        Field("kind", 3586, "TEXT", "ONE", "NONE"),
    ),
    "RESOURCE_MODELS": (
        Field("resourceModels", 3841, "OBJECT", "LIST", "RESOURCE_MODEL"),
    ),
    "RESOURCE_MODEL": (
        Field("grade", 4097, "INT64", "ONE", "NONE"),
        Field("ranges", 4098, "OBJECT", "LIST", "MODEL_RANGE"),
    ),
    "MODEL_RANGE": (
        Field("name", 4353, "TEXT", "ONE", "NONE"),
        Field("min", 4354, "QUANTITY", "ONE", "NONE"),
        Field("max", 4355, "QUANTITY", "ONE", "NONE"),
    ),
    "MODELINGS": (
        Field("allocatableModelings", 4609, "OBJECT", "LIST", "MODELING"),
    ),
    "MODELING": (
        Field("grade", 4865, "INT64", "ONE", "NONE"),
        Field("count", 4866, "INT64", "ONE", "NONE"),
    ),
    "PLACEMENT": (
        Field("clusterAffinity", 7681, "OBJECT", "ONE", "AFFINITY"),
        Field("clusterAffinities", 7682, "OBJECT", "LIST", "AFFINITY"),
        Field("clusterTolerations", 7683, "OBJECT", "LIST", "TOLERATION"),
        Field("spreadConstraints", 7684, "OBJECT", "LIST", "SPREAD_CONSTRAINT"),
        Field("replicaScheduling", 7685, "OBJECT", "ONE", "REPLICA_SCHEDULING"),
        Field("workloadAffinity", 7686, "OBJECT", "ONE", "WORKLOAD_AFFINITY"),
    ),
    "AFFINITY": (
        Field("affinityName", 7937, "TEXT", "ONE", "NONE"),
        Field("labelSelector", 7938, "OBJECT", "ONE", "LABEL_SELECTOR"),
        Field("fieldSelector", 7939, "OBJECT", "ONE", "FIELD_SELECTOR"),
        Field("clusterNames", 7940, "TEXT", "LIST", "NONE"),
        Field("exclude", 7941, "TEXT", "LIST", "NONE"),
        Field("overflowAffinities", 7942, "OBJECT", "LIST", "AFFINITY"),
    ),
    "LABEL_SELECTOR": (
        Field("matchLabels", 8193, "OBJECT", "MAP", "PAIR"),
        Field("matchExpressions", 8194, "OBJECT", "LIST", "EXPRESSION"),
    ),
    "FIELD_SELECTOR": (
        Field("matchExpressions", 8449, "OBJECT", "LIST", "EXPRESSION"),
    ),
    "EXPRESSION": (
        Field("key", 8705, "TEXT", "ONE", "NONE"),
        Field("operator", 8706, "TEXT", "ONE", "NONE"),
        Field("values", 8707, "TEXT", "LIST", "NONE"),
    ),
    "TOLERATION": (
        Field("key", 8961, "TEXT", "ONE", "NONE"),
        Field("operator", 8962, "TEXT", "ONE", "NONE"),
        Field("value", 8963, "TEXT", "ONE", "NONE"),
        Field("effect", 8964, "TEXT", "ONE", "NONE"),
        Field("tolerationSeconds", 8965, "INT64", "ONE", "NONE"),
    ),
    "SPREAD_CONSTRAINT": (
        Field("spreadByField", 9217, "TEXT", "ONE", "NONE"),
        Field("spreadByLabel", 9218, "TEXT", "ONE", "NONE"),
        Field("maxGroups", 9219, "INT64", "ONE", "NONE"),
        Field("minGroups", 9220, "INT64", "ONE", "NONE"),
    ),
    "REPLICA_SCHEDULING": (
        Field("replicaSchedulingType", 9473, "TEXT", "ONE", "NONE"),
        Field("replicaDivisionPreference", 9474, "TEXT", "ONE", "NONE"),
        Field("weightPreference", 9475, "OBJECT", "ONE", "WEIGHT_PREFERENCE"),
    ),
    "WEIGHT_PREFERENCE": (
        Field("staticWeightList", 9729, "OBJECT", "LIST", "STATIC_WEIGHT"),
        Field("dynamicWeight", 9730, "TEXT", "ONE", "NONE"),
    ),
    "STATIC_WEIGHT": (
        Field("targetCluster", 9985, "OBJECT", "ONE", "AFFINITY"),
        Field("weight", 9986, "INT64", "ONE", "NONE"),
    ),
    "WORKLOAD_AFFINITY": (
        Field("affinity", 10241, "OBJECT", "ONE", "GROUP_BY"),
        Field("antiAffinity", 10242, "OBJECT", "ONE", "GROUP_BY"),
    ),
    "GROUP_BY": (
        Field("groupByLabelKey", 10497, "TEXT", "ONE", "NONE"),
    ),
    "REQUIREMENTS": (
        Field("nodeClaim", 12801, "OBJECT", "ONE", "NODE_CLAIM"),
        Field("resourceRequest", 12802, "OBJECT", "MAP", "AMOUNT"),
        Field("namespace", 12803, "TEXT", "ONE", "NONE"),
        Field("priorityClassName", 12804, "TEXT", "ONE", "NONE"),
    ),
    "NODE_CLAIM": (
        Field("hardNodeAffinity", 13057, "OBJECT", "ONE", "NODE_SELECTOR"),
        Field("nodeSelector", 13058, "OBJECT", "MAP", "PAIR"),
        Field("tolerations", 13059, "OBJECT", "LIST", "TOLERATION"),
    ),
    "NODE_SELECTOR": (
        Field("nodeSelectorTerms", 13313, "OBJECT", "LIST", "NODE_SELECTOR_TERM"),
    ),
    "NODE_SELECTOR_TERM": (
        Field("matchExpressions", 13569, "OBJECT", "LIST", "EXPRESSION"),
        Field("matchFields", 13570, "OBJECT", "LIST", "EXPRESSION"),
    ),
    "WORKLOAD_REBALANCER": (
        Field("metadata", 15361, "OBJECT", "ONE", "METADATA"),
        Field("spec", 15362, "OBJECT", "ONE", "REBALANCER_SPEC"),
        Field("status", 15363, "OBJECT", "ONE", "REBALANCER_STATUS"),
    ),
    "REBALANCER_SPEC": (
        Field("workloads", 15617, "OBJECT", "LIST", "REFERENCE"),
        Field("ttlSecondsAfterFinished", 15618, "INT32", "ONE", "NONE"),
    ),
    "REBALANCER_STATUS": (
        Field("observedWorkloads", 15873, "OBJECT", "LIST", "OBSERVED_WORKLOAD"),
        Field("observedGeneration", 15874, "INT64", "ONE", "NONE"),
        Field("finishTime", 15875, "TIME", "ONE", "NONE"),
    ),
    "OBSERVED_WORKLOAD": (
        Field("workload", 16129, "OBJECT", "ONE", "REFERENCE"),
        Field("result", 16130, "TEXT", "ONE", "NONE"),
        Field("reason", 16131, "TEXT", "ONE", "NONE"),
    ),
    "BINDING": (
        Field("metadata", 17921, "OBJECT", "ONE", "METADATA"),
        Field("spec", 17922, "OBJECT", "ONE", "BINDING_SPEC"),
        Field("status", 17923, "OBJECT", "ONE", "BINDING_STATUS"),
    ),
    "BINDING_SPEC": (
        Field("clusters", 18177, "OBJECT", "LIST", "TARGET_CLUSTER"),
        Field("gracefulEvictionTasks", 18178, "OBJECT", "LIST", "EVICTION_TASK"),
        Field("rescheduleTriggeredAt", 18179, "TIME", "ONE", "NONE"),
        Field("suspension", 18180, "OBJECT", "ONE", "SUSPENSION"),
    ),
    "SUSPENSION": (
        Field("scheduling", 19713, "BOOLEAN", "ONE", "NONE"),
    ),
    "TARGET_CLUSTER": (
        Field("name", 18433, "TEXT", "ONE", "NONE"),
        Field("replicas", 18434, "INT32", "ONE", "NONE"),
        Field("components", 18435, "OBJECT", "LIST", "TARGET_COMPONENT"),
    ),
    "EVICTION_TASK": (
        Field("fromCluster", 18689, "TEXT", "ONE", "NONE"),
        Field("purgeMode", 18690, "TEXT", "ONE", "NONE"),
        Field("replicas", 18691, "INT32", "ONE", "NONE"),
        Field("reason", 18692, "TEXT", "ONE", "NONE"),
        Field("message", 18693, "TEXT", "ONE", "NONE"),
        Field("producer", 18694, "TEXT", "ONE", "NONE"),
        Field("gracePeriodSeconds", 18695, "INT32", "ONE", "NONE"),
        Field("suppressDeletion", 18696, "BOOLEAN", "ONE", "NONE"),
        Field("preservedLabelState", 18697, "OBJECT", "MAP", "PAIR"),
        Field("creationTimestamp", 18698, "TIME", "ONE", "NONE"),
        Field("clustersBeforeFailover", 18699, "TEXT", "LIST", "NONE"),
    ),
    "BINDING_STATUS": (
        Field("schedulerObservedGeneration", 18945, "INT64", "ONE", "NONE"),
        Field("schedulerObservingAffinityName", 18946, "TEXT", "ONE", "NONE"),
        Field("lastScheduledTime", 18947, "TIME", "ONE", "NONE"),
        Field("conditions", 18948, "OBJECT", "LIST", "CONDITION"),
    ),
    "TARGET_COMPONENT": (
        Field("name", 19201, "TEXT", "ONE", "NONE"),
        Field("replicas", 19202, "INT32", "ONE", "NONE"),
    ),
    "TARGET_COMPONENTS": (
        Field("components", 19457, "OBJECT", "LIST", "TARGET_COMPONENT"),
    ),
    "EVENT": (
        Field("type", 20481, "TEXT", "ONE", "NONE"),
        Field("reason", 20482, "TEXT", "ONE", "NONE"),
        Field("message", 20483, "TEXT", "ONE", "NONE"),
    ),
    "POD_RESOURCES": (
        Field("containers", 23041, "OBJECT", "LIST", "CONTAINER_RESOURCES"),
        Field("initContainers", 23042, "OBJECT", "LIST", "CONTAINER_RESOURCES"),
        Field("overhead", 23043, "OBJECT", "MAP", "AMOUNT"),
    ),
    "CONTAINER_RESOURCES": (
        Field("requests", 23297, "OBJECT", "MAP", "AMOUNT"),
    ),
    "QUOTAS": (
        Field("items", 23553, "OBJECT", "LIST", "QUOTA"),
    ),
    "QUOTA": (
        Field("metadata.namespace", 23809, "TEXT", "ONE", "NONE"),
        Field("spec.scopes", 23810, "TEXT", "LIST", "NONE"),
        Field("spec.scopeSelector.matchExpressions", 23811, "OBJECT", "LIST", "EXPRESSION"),
        Field("status.hard", 23812, "OBJECT", "MAP", "AMOUNT"),
        Field("status.used", 23813, "OBJECT", "MAP", "AMOUNT"),
    ),
    "BUDGET": (
        Field("namespace", 24065, "TEXT", "ONE", "NONE"),
        Field("selector", 24066, "OBJECT", "ONE", "LABEL_SELECTOR"),
        Field("disruptionsAllowed", 24067, "COUNT32", "ONE", "NONE"),
        Field("cluster", 24068, "TEXT", "ONE", "NONE"),
        Field("name", 24069, "TEXT", "ONE", "NONE"),
        Field("minAvailable", 24070, "TEXT", "ONE", "NONE"),
        Field("maxUnavailable", 24071, "TEXT", "ONE", "NONE"),
    ),
    "CONDITIONS": (
        Field("conditions", 24321, "OBJECT", "LIST", "CONDITION"),
    ),
    "TAINT_POLICY": (
        Field("metadata", 24577, "OBJECT", "ONE", "METADATA"),
        Field("spec", 24578, "OBJECT", "ONE", "TAINT_POLICY_SPEC"),
    ),
    "TAINT_POLICY_SPEC": (
        Field("targetClusters", 24833, "OBJECT", "ONE", "AFFINITY"),
        Field("addOnConditions", 24834, "OBJECT", "LIST", "CONDITION_MATCH"),
        Field("removeOnConditions", 24835, "OBJECT", "LIST", "CONDITION_MATCH"),
        Field("taints", 24836, "OBJECT", "LIST", "TAINT"),
    ),
    "CONDITION_MATCH": (
        Field("conditionType", 25089, "TEXT", "ONE", "NONE"),
        Field("operator", 25090, "TEXT", "ONE", "NONE"),
        Field("statusValues", 25091, "TEXT", "LIST", "NONE"),
    ),
    "CLUSTER_SPEC": (
        Field("taints", 25345, "OBJECT", "LIST", "TAINT"),
    ),
    "FEDERATED_QUOTA": (
        Field("metadata", 25601, "OBJECT", "ONE", "METADATA"),
        Field("spec", 25602, "OBJECT", "ONE", "FEDERATED_QUOTA_SPEC"),
        Field("status", 25603, "OBJECT", "ONE", "FEDERATED_QUOTA_STATUS"),
    ),
    "FEDERATED_QUOTA_SPEC": (
        Field("overall", 25857, "OBJECT", "MAP", "AMOUNT"),
    ),
    "FEDERATED_QUOTA_STATUS": (
        Field("overallUsed", 26113, "OBJECT", "MAP", "AMOUNT"),
    ),
    "INT_OR_TEXT": (
        Field("number", 26369, "INT32", "ONE", "NONE"),
        Field("text", 26370, "TEXT", "ONE", "NONE"),
    ),
    "RAW": (
        Field("json", 26625, "TEXT", "ONE", "NONE"),
    ),
    "MOMENT": (
        Field("key", 26881, "TEXT", "ONE", "NONE"),
        Field("value", 26882, "TIME", "ONE", "NONE"),
    ),
    "PREFERRED_TERM": (
        Field("weight", 27137, "INT32", "ONE", "NONE"),
        Field("preference", 27138, "OBJECT", "ONE", "NODE_SELECTOR_TERM"),
    ),
    "WORKLOAD_SPREAD": (
        Field("metadata", 28161, "OBJECT", "ONE", "METADATA"),
        Field("spec", 28162, "OBJECT", "ONE", "SPREAD_SPEC"),
        Field("status", 28163, "OBJECT", "ONE", "SPREAD_STATUS"),
    ),
    "SPREAD_SPEC": (
        Field("targetRef", 28417, "OBJECT", "ONE", "REFERENCE"),
        Field("targetFilter", 28418, "OBJECT", "ONE", "TARGET_FILTER"),
        Field("subsets", 28419, "OBJECT", "LIST", "SUBSET"),
        Field("scheduleStrategy", 28420, "OBJECT", "ONE", "SCHEDULE_STRATEGY"),
    ),
    "TARGET_FILTER": (
        Field("selector", 28673, "OBJECT", "ONE", "LABEL_SELECTOR"),
        Field("replicasPathList", 28674, "TEXT", "LIST", "NONE"),
    ),
    "SUBSET": (
        Field("name", 28929, "TEXT", "ONE", "NONE"),
        Field("requiredNodeSelector", 28930, "OBJECT", "ONE", "NODE_SELECTOR_TERM"),
        Field("preferredNodeSelector", 28931, "OBJECT", "LIST", "PREFERRED_TERM"),
        Field("tolerations", 28932, "OBJECT", "LIST", "TOLERATION"),
        Field("maxReplicas", 28933, "OBJECT", "ONE", "INT_OR_TEXT"),
        Field("patch", 28934, "OBJECT", "ONE", "RAW"),
        Field("minReplicas", 28935, "OBJECT", "ONE", "INT_OR_TEXT"),
    ),
    "SCHEDULE_STRATEGY": (
        Field("type", 29185, "TEXT", "ONE", "NONE"),
        Field("adaptive", 29186, "OBJECT", "ONE", "ADAPTIVE_STRATEGY"),
    ),
    "ADAPTIVE_STRATEGY": (
        Field("disableSimulationSchedule", 29441, "BOOLEAN", "ONE", "NONE"),
        Field("rescheduleCriticalSeconds", 29442, "INT32", "ONE", "NONE"),
        Field("unschedulableDuration", 29443, "INT32", "ONE", "NONE"),
        Field("reserveUnschedulablePods", 29444, "BOOLEAN", "ONE", "NONE"),
    ),
    "SPREAD_STATUS": (
        Field("observedGeneration", 29697, "INT64", "ONE", "NONE"),
        Field("subsetStatuses", 29698, "OBJECT", "LIST", "SUBSET_STATUS"),
        Field("versionedSubsetStatuses", 29699, "OBJECT", "MAP", "VERSION_STATUS"),
    ),
    "VERSION_STATUS": (
        Field("key", 29953, "TEXT", "ONE", "NONE"),
        Field("value", 29954, "OBJECT", "LIST", "SUBSET_STATUS"),
    ),
    "SUBSET_STATUS": (
        Field("name", 30209, "TEXT", "ONE", "NONE"),
        Field("replicas", 30210, "INT32", "ONE", "NONE"),
        Field("conditions", 30211, "OBJECT", "LIST", "CONDITION"),
        Field("missingReplicas", 30212, "INT32", "ONE", "NONE"),
        Field("creatingPods", 30213, "OBJECT", "MAP", "MOMENT"),
        Field("deletingPods", 30214, "OBJECT", "MAP", "MOMENT"),
    ),
    "WHITE_LIST": (
        Field("workloads", 30465, "OBJECT", "LIST", "WHITE_KIND"),
    ),
    "WHITE_KIND": (
        Field("Group", 30721, "TEXT", "ONE", "NONE"),
        Field("Version", 30722, "TEXT", "ONE", "NONE"),
        Field("Kind", 30723, "TEXT", "ONE", "NONE"),
        Field("replicasPath", 30724, "TEXT", "ONE", "NONE"),
        Field("subResources", 30725, "OBJECT", "LIST", "WHITE_KIND"),
    ),
    "POD_PATCH": (
        Field("name", 30977, "TEXT", "ONE", "NONE"),
        Field("subset", 30978, "TEXT", "ONE", "NONE"),
        Field("patch", 30979, "OBJECT", "ONE", "RAW"),
        Field("deletionCost", 30980, "TEXT", "ONE", "NONE"),
        Field("reserved", 30981, "BOOLEAN", "ONE", "NONE"),
    ),
    "UNITED_DEPLOYMENT": (
        Field("metadata", 31233, "OBJECT", "ONE", "METADATA"),
        Field("spec", 31234, "OBJECT", "ONE", "UNITED_SPEC"),
        Field("status", 31235, "OBJECT", "ONE", "UNITED_STATUS"),
    ),
    "UNITED_SPEC": (
        Field("replicas", 31489, "INT32", "ONE", "NONE"),
        Field("topology", 31490, "OBJECT", "ONE", "UNITED_TOPOLOGY"),
    ),
    "UNITED_TOPOLOGY": (
        Field("subsets", 31745, "OBJECT", "LIST", "UNITED_SUBSET"),
        Field("scheduleStrategy", 31746, "OBJECT", "ONE", "SCHEDULE_STRATEGY"),
    ),
    "UNITED_SUBSET": (
        Field("name", 32001, "TEXT", "ONE", "NONE"),
        Field("replicas", 32002, "OBJECT", "ONE", "INT_OR_TEXT"),
        Field("minReplicas", 32003, "OBJECT", "ONE", "INT_OR_TEXT"),
        Field("maxReplicas", 32004, "OBJECT", "ONE", "INT_OR_TEXT"),
    ),
    "UNITED_STATUS": (
        Field("subsetStatuses", 32257, "OBJECT", "LIST", "UNITED_SUBSET_STATUS"),
        Field("conditions", 32258, "OBJECT", "LIST", "CONDITION"),
        Field("updateStatus", 32259, "OBJECT", "ONE", "UNITED_UPDATE"),
    ),
    "UNITED_UPDATE": (
        Field("updatedRevision", 27393, "TEXT", "ONE", "NONE"),
    ),
    "UNITED_SUBSET_STATUS": (
        Field("name", 32513, "TEXT", "ONE", "NONE"),
        Field("conditions", 32514, "OBJECT", "LIST", "CONDITION"),
    ),
    "SCALE_SPEC": (
        Field("replicas", 27649, "INT32", "ONE", "NONE"),
    ),
}
