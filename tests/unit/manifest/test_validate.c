/* SPDX-License-Identifier: MIT */
#include "manifest/validate/checks.h"
#include "reading.h"

#define CLUSTER "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m1}, "
#define POLICY                                                                                      \
  "{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p}, spec: { " \
  "resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: c}], "
#define BINDING                                                                                                \
  "{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: b, labels: "                 \
  "{propagationpolicy.karmada.io/permanent-id: p}}, spec: {resource: {apiVersion: v1, kind: ConfigMap, name: " \
  "c}, "
#define SCENARIO_WITH(options) \
  "apiVersion: simulation.rebalance/v1\nkind: Scenario\nstart: '2026-03-14T09:00:00Z'\n" options "---\n"
#define SCENARIO SCENARIO_WITH("")
#define REBALANCER "{apiVersion: apps.karmada.io/v1alpha1, kind: WorkloadRebalancer, metadata: {name: r}, spec: "
#define TAINT_POLICY "{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterTaintPolicy, metadata: {name: t}, spec: "
#define QUOTA "{apiVersion: policy.karmada.io/v1alpha1, kind: FederatedResourceQuota, metadata: {name: q}, "
#define SPREAD "{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: s}, spec: "
#define WAITS                                                                                       \
  SPREAD                                                                                            \
  "{targetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, subsets: [{name: a}, {name: b}], " \
  "scheduleStrategy: {type: Adaptive, adaptive: {rescheduleCriticalSeconds: 296}}}}"
#define SIMULATES                                                                                   \
  SPREAD                                                                                            \
  "{targetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, subsets: [{name: a}, {name: b}], " \
  "scheduleStrategy: {type: Adaptive, adaptive: {disableSimulationSchedule: false}}}}"
#define TARGET_D "targetRef: {apiVersion: apps/v1, kind: Deployment, name: d}"
#define OF_D TARGET_D ", subsets: [{name: a}]"
#define MINIMUM(n) SPREAD "{" TARGET_D ", subsets: [{name: a, minReplicas: " n "}, {name: b}]}}"
#define FIRST_SPREAD "{apiVersion: apps.kruise.io/v1alpha1, kind: WorkloadSpread, metadata: {name: s}, spec: "
#define UNITED "{apiVersion: apps.kruise.io/v1alpha1, kind: UnitedDeployment, metadata: {name: u}, spec: "
#define WORKLOAD "apiVersion: apps/v1, kind: Deployment, name: w, namespace: ns"
#define PLACEMENT POLICY "placement: "
#define DIVIDED "replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: "
#define BY_CLUSTER "{spreadByField: cluster, minGroups: 1, maxGroups: 2}"

/* A text and all that is found in it: path [code], a line each. */
static const struct {
  const char *text, *found;
} rows[] = {
    /* the table of members */
    {CLUSTER "spec: {syncMode: Push}}", ""},
    {CLUSTER "spec: {syncMode: Push, zones: x}}", "spec.zones [wrong-type]\n"},
    {CLUSTER "spec: {syncMode: Push, zones: [1]}}", "spec.zones[0] [wrong-type]\n"},
    {CLUSTER "spec: {syncMode: Push, provider: null}}", ""},
    {CLUSTER "spec: 5}", "spec [wrong-type]\n"},
    {CLUSTER "spec: {}}", "spec.syncMode [missing-member]\n"},
    {CLUSTER "spec: {syncMode: ''}}", "spec.syncMode [unknown-value]\n"},
    {CLUSTER "spec: {syncMode: push}}", "spec.syncMode [unknown-value]\n"},
    {CLUSTER "spec: {syncMode: Push, foo: 1}, statuss: {}}", "spec.foo [unknown-member]\nstatuss [unknown-member]\n"},
    {CLUSTER "spec: {syncMode: Push}, status: {nodeSummary: {totalNum: -1}}}",
     "status.nodeSummary.totalNum [out-of-range]\n"},
    {CLUSTER "spec: {syncMode: Push}, status: {conditions: [{type: Ready, status: maybe, reason: R, message: '', "
             "lastTransitionTime: yesterday}]}}",
     "status.conditions[0].status [unknown-value]\nstatus.conditions[0].lastTransitionTime [wrong-type]\n"},
    {CLUSTER "spec: {syncMode: Push}, status: {resourceSummary: {allocatable: {cpu: x, memory: 1.5Gi, pods: 1.5}}}}",
     "status.resourceSummary.allocatable.cpu [wrong-type]\n"
     "status.resourceSummary.allocatable.memory [quantity-fraction]\n"},
    {"{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, spec: {syncMode: Pull}}", "metadata [missing-member]\n"},
    {"{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: 5}", ""},
    {"{apiVersion: v1, metadata: {nam: c}}",
     "kind [missing-member]\nmetadata.name [missing-member]\nmetadata.nam [unknown-member]\n"},
    {"[1]", " [wrong-type]\n"},
    {"{apiVersion: cluster.karmada.io/v2, kind: Cluster, metadata: {name: M_}, spec: {foo: 1}}",
     "apiVersion [unknown-version]\n"},
    {"{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: {name: M_}, spec: {foo: 1}}", ""},
    {"{apiVersion: work.karmada.io/v1alpha1, kind: ResourceBinding, metadata: {name: b}, spec: {resource: {apiVersion: "
     "v1, kind: Pod, name: p, replicas: -1}, placement: {}}}",
     "spec.resource.replicas [out-of-range]\nspec.placement [unknown-member]\n"},
    {TAINT_POLICY "{targetClusters: {clusterNames: [m]}, addOnConditions: [{conditionType: Ready, operator: In, "
                  "statusValues: ['False']}], taints: [{key: a, effect: PreferNoExecute, value: v}]}}",
     ""},
    {TAINT_POLICY "{addOnConditions: [{conditionType: Ready, operator: Is}], taints: [{effect: PreferNoSchedule}]}}",
     "spec.addOnConditions[0].statusValues [missing-member]\nspec.addOnConditions[0].operator [unknown-value]\n"
     "spec.taints[0].key [missing-member]\nspec.taints[0].effect [unknown-value]\n"},
    {TAINT_POLICY "{taints: [], removeOnCondition: []}}",
     "spec.taints [missing-member]\nspec.removeOnCondition [unknown-member]\n"},
    {QUOTA "spec: {overall: {cpu: 1}, staticAssignments: [{clusterName: m, hard: {cpu: 1}}]}, status: {overall: {cpu: "
           "1}, overallUsed: {cpu: 500m}, aggregatedStatus: [{clusterName: m, hard: {cpu: 1}, used: {cpu: 0}}]}}",
     ""},
    {QUOTA "spec: {overal: {cpu: x}, staticAssignments: [{hard: {cpu: x}}, {clusterName: m}]}}",
     "spec.overall [missing-member]\nspec.overal [unknown-member]\nspec.staticAssignments[0].clusterName "
     "[missing-member]\nspec.staticAssignments[0].hard.cpu [wrong-type]\nspec.staticAssignments[1].hard "
     "[missing-member]\n"},
    /* WorkloadSpreads: paths as the text spells them, beside the objects of the text */
    {SPREAD "{targetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, targetFilter: {selector: {}}, subsets: "
            "[{name: a, requiredNodeSelector: {}, patch: {spec: {hostname: a}}, maxReplicas: 50%}, {name: b, "
            "preferredNodeSelector: "
            "[{weight: 1, preference: {}}]}], scheduleStrategy: {type: Adaptive, adaptive: "
            "{rescheduleCriticalSeconds: 5}}}}",
     "spec.scheduleStrategy.type [nodes-unread]\n"},
    {SPREAD "{subsets: [{maxReplicas: true, requiredNodeSelectorTerm: {}}, {name: a, tolerations: [{operator: x, key: "
            "a}]}], scheduleStrategy: {type: x}, targetFilter: {selector: {matchExpressions: [{key: a, operator: "
            "x}]}}}}",
     "spec.targetRef [spread-target]\nspec.subsets[0].name [spread-subset]\n"
     "spec.subsets[0].maxReplicas [wrong-type]\nspec.subsets[0].maxReplicas [max-replicas]\n"
     "spec.subsets[0].requiredNodeSelectorTerm [unknown-member]\n"
     "spec.scheduleStrategy.type [spread-strategy]\nspec.targetFilter [target-filter]\n"},
    {FIRST_SPREAD "{targetRef: {apiVersion: game.io/v1, kind: GameServerSet, name: g}, subsets: [{name: a, "
                  "requiredNodeSelectorTerm: {matchExpressions: [{key: a, operator: x}]}, tolerations: [{key: a, "
                  "effect: x}]}]}}",
     "spec.subsets[0].requiredNodeSelectorTerm.matchExpressions[0].operator [node-term]\n"
     "spec.subsets[0].tolerations[0].effect [spread-toleration]\n"},
    {SPREAD "{targetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, subsets: [{name: a, patch: 5}]}}\n---\n"
            "{apiVersion: v1, kind: List, items: [{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, "
            "namespace: default}}, {apiVersion: apps.kruise.io/v1alpha1, kind: WorkloadSpread, metadata: {name: t}, "
            "spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, subsets: [{name: a}]}}]}",
     "spec.targetRef [spread-conflict]\nspec.subsets[0].patch [patch-unmergeable]\n"
     "items[1].spec.targetRef [spread-conflict]\n"},
    {SPREAD "{" OF_D "}}\n---\n{apiVersion: apps.kruise.io/v1, kind: WorkloadSpread, metadata: {name: t}, spec: {" OF_D
            "}}",
     "apiVersion [unknown-version]\n"},
    {SPREAD "{targetRef: {apiVersion: apps/v1, kind: ReplicaSet, name: d}, subsets: [{name: a, patch: {spec: "
            "{containers: [{name: b}], tolerance: []}}}, {name: b}]}}\n---\n{apiVersion: apps/v1, kind: ReplicaSet, "
            "metadata: {name: d}, spec: {template: {spec: {containers: [{name: a, image: i}]}}}}",
     "spec.targetRef [shrinks-from-front]\nspec.subsets[0].patch.containers[0].image [patch-refused]\n"
     "spec.subsets[0].patch.spec.tolerance [patch-dropped]\n"},
    {SPREAD "{targetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, targetFilter: {replicasPathList: ['']}, "
            "subsets: [{name: a, patch: 5, maxReplicas: '50'}, {name: b}], scheduleStrategy: {type: Adaptive, "
            "adaptive: {disableSimulationSchedule: true}}}}",
     "spec.targetFilter [filter-without-selector]\nspec.targetFilter.replicasPathList[0] [empty-path]\n"
     "spec.subsets[0].patch [patch-unchecked]\nspec.subsets[0].maxReplicas [percent-sign]\n"
     "spec.scheduleStrategy.type [nodes-unread]\n"
     "spec.scheduleStrategy.adaptive.disableSimulationSchedule [simulation-unused]\n"},
    {SPREAD "{targetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, subsets: [{name: a, patch: {metadata: "
            "{$patch: bogus}}}, {name: b, patch: {metadata: {labels: {a: b}}}}]}}",
     "spec.subsets[0].patch [patch-unchecked]\n"},
    {SPREAD "{" TARGET_D ", subsets: [{name: a, patch: {metadata: {$patch: bogus}}}]}}\n---\n{apiVersion: apps/v1, "
            "kind: Deployment, metadata: {name: d}, spec: {template: {spec: {}}}}",
     "spec.subsets[0].patch [patch-unmergeable]\n"},
    {SPREAD "{targetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, subsets: [{name: a, maxReplicas: 50%}, "
            "{name: b, maxReplicas: 50%}]}}\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: "
            "{replicas: 3}}",
     "spec.subsets [rounded-up]\n"},
    {SPREAD "{" TARGET_D ", subsets: [{name: a, patch: {spec: {containers: {name: main}}}}]}}",
     "spec.subsets[0].patch [patch-unreadable]\n"},
    /* UnitedDeployments */
    {UNITED "{replicas: 4, selector: {matchLabels: {a: b}}, template: {deploymentTemplate: {metadata: {}, spec: {}}}, "
            "topology: {subsets: [{name: a, nodeSelectorTerm: {matchExpressions: [{key: a, operator: Exists}]}, "
            "tolerations: [{operator: Exists}], minReplicas: 1, maxReplicas: 50%, patch: {a: 1}}, {name: b}], "
            "scheduleStrategy: {type: Adaptive, adaptive: {rescheduleCriticalSeconds: 30, unschedulableDuration: 300, "
            "reserveUnschedulablePods: true}}}, updateStrategy: {type: Manual}, revisionHistoryLimit: 5}}",
     ""},
    {UNITED "{replicas: 4294967296, topology: {subsets: [{name: a, replicas: -1, minReplica: 0}, {name: b, replicas: "
            "9223372036854775807}, {name: b, replicas: true}], scheduleStrategy: {type: x}}}}",
     "spec.replicas [out-of-range]\nspec.topology.subsets[0].replicas [united-replicas]\n"
     "spec.topology.subsets[0].minReplica [unknown-member]\nspec.topology.subsets[1].replicas [out-of-range]\n"
     "spec.topology.subsets[2].name [spread-subset]\nspec.topology.subsets[2].replicas [wrong-type]\n"
     "spec.topology.scheduleStrategy.type [unknown-value]\n"},
    /* names and objects */
    {"{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: a.b}, spec: {syncMode: Push}}",
     "metadata.name [bad-name]\n"},
    {REBALANCER "{workloads: [{" WORKLOAD "}]}}\n---\n" REBALANCER "{workloads: [{" WORKLOAD "}]}}",
     "metadata.name [duplicate-object]\n"},
    {"{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: a, "
     "namespace: default}}",
     "metadata.name [duplicate-object]\n"},
    {"{apiVersion: a/v1, kind: Foo, metadata: {name: a}}\n---\n{apiVersion: b/v1, kind: Foo, metadata: {name: "
     "a}}\n---\n"
     "{apiVersion: a/v2, kind: Foo, metadata: {name: a}}",
     "metadata.name [duplicate-object]\n"},
    {"{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, metadata: {name: a}}, 5, {apiVersion: v1, kind: "
     "List, items: []}]}",
     "items[1] [wrong-type]\nitems[2] [wrong-type]\n"},
    {"{apiVersion: cluster.karmada.io/v1alpha1, kind: ClusterList, items: [{metadata: {name: m}, spec: {}}]}",
     "items[0].spec.syncMode [missing-member]\n"},
    {"{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {a_b: c, -a: c, a: c d}}}",
     "metadata.labels[\"-a\"] [bad-label]\nmetadata.labels.a [bad-label]\n"},
    {SCENARIO "kind: Step\nexpect: []\n---\n" CLUSTER "spec: {}}\n---\nkind: Other",
     "spec.syncMode [missing-member]\napiVersion [missing-member]\nmetadata [missing-member]\n"},
    {"kind: Step\n---\n" SCENARIO "kind: Step",
     "apiVersion [missing-member]\nmetadata [missing-member]\nmetadata [missing-member]\n"
     "apiVersion [missing-member]\nmetadata [missing-member]\n"},
    /* clusters */
    {CLUSTER "spec: {syncMode: Push, zone: a, region: us east, apiEndpoint: 'https://h?q', proxyURL: 'ftp://h'}}",
     "spec.zone [zone-unread]\nspec.region [field-unmatched]\nspec.apiEndpoint [bad-endpoint]\nspec.proxyURL "
     "[bad-endpoint]\n"},
    {CLUSTER "spec: {syncMode: Push, apiEndpoint: 'https://h:6443/p', proxyURL: 'socks5://h'}}", ""},
    {CLUSTER "spec: {syncMode: Push, taints: [{key: a, effect: NoSchedule}, {key: a, value: x, effect: NoSchedule}, "
             "{key: a, effect: NoExecute}, {key: 'a b', value: 'c d', effect: NoExecute}]}}",
     "spec.taints[1] [duplicate-taint]\nspec.taints[3].key [bad-label]\nspec.taints[3].value [bad-label]\n"},
    {CLUSTER "spec: {syncMode: Push, resourceModels: [{grade: 1, ranges: [{name: cpu, min: 1, max: 2}]}, {grade: 0, "
             "ranges: [{name: cpu, min: 5, max: 1000m}]}]}}",
     ""},
    {CLUSTER "spec: {syncMode: Push, resourceModels: [{grade: 0, ranges: [{name: cpu, min: 0, max: 1}]}, {grade: 0, "
             "ranges: [{name: cpu, min: 2, max: 1}, {name: memory, min: 0, max: 1}]}, {grade: 1, ranges: [{name: cpu, "
             "min: 1, max: 9}]}]}}",
     "spec.resourceModels[1].grade [resource-models]\nspec.resourceModels[1].ranges [resource-models]\n"
     "spec.resourceModels[1].ranges[0].min [resource-models]\nspec.resourceModels[1].ranges[0].max [resource-models]\n"
     "spec.resourceModels[1].ranges[1] [resource-models]\nspec.resourceModels[2].ranges [resource-models]\n"},
    /* affinities */
    {PLACEMENT "{clusterAffinity: {}, clusterAffinities: [{affinityName: a}, {affinityName: a}]}}}",
     "spec.placement.clusterAffinities [affinity-twice]\n"
     "spec.placement.clusterAffinities[1].affinityName [duplicate-affinity-name]\n"},
    {PLACEMENT "{clusterAffinities: []}}}", "spec.placement.clusterAffinities [empty-affinities]\n"},
    {PLACEMENT "{clusterAffinities: [{affinityName: a, clusterNames: [m], overflowAffinities: [{affinityName: b}]}]}}}",
     "spec.placement.clusterAffinities[0].overflowAffinities [overflow-strategy]\n"},
    {PLACEMENT "{clusterAffinities: [{affinityName: a, exclude: [], overflowAffinities: [{affinityName: b}]}], " DIVIDED
               "Aggregated}}}}",
     "spec.placement.clusterAffinities[0].overflowAffinities [overflow-from-nothing]\n"},
    {PLACEMENT "{clusterAffinity: {fieldSelector: {matchExpressions: [{key: zone, operator: In, values: [us east]}, "
               "{key: region, operator: NotIn, values: [us east]}, {key: foo, operator: Exists}]}}}}}",
     "spec.placement.clusterAffinity.fieldSelector.matchExpressions[1] [matches-nothing]\n"
     "spec.placement.clusterAffinity.fieldSelector.matchExpressions[2].key [field-selector]\n"
     "spec.placement.clusterAffinity.fieldSelector.matchExpressions[2].operator [field-selector]\n"},
    {PLACEMENT "{clusterAffinity: {labelSelector: {matchLabels: {a: 'b c'}, matchExpressions: [{key: a, operator: In}, "
               "{key: a, operator: Exists, values: [b]}, {key: a, operator: Gt, values: ['1']}]}}}}}",
     "spec.placement.clusterAffinity.labelSelector.matchLabels.a [matches-nothing]\n"
     "spec.placement.clusterAffinity.labelSelector.matchExpressions[0] [matches-nothing]\n"
     "spec.placement.clusterAffinity.labelSelector.matchExpressions[1] [matches-nothing]\n"
     "spec.placement.clusterAffinity.labelSelector.matchExpressions[2] [matches-nothing]\n"},
    {PLACEMENT "{clusterTolerations: [{}, {operator: Exists}, {key: a, operator: Gt}, {key: a, effect: Never}]}}}",
     "spec.placement.clusterTolerations[0] [tolerates-all]\n"
     "spec.placement.clusterTolerations[2].operator [tolerates-nothing]\n"
     "spec.placement.clusterTolerations[3].effect [tolerates-nothing]\n"},
    /* division and spread */
    {PLACEMENT "{" DIVIDED "Weighted, weightPreference: {}}}}}",
     "spec.placement.replicaScheduling.weightPreference [empty-weights]\n"},
    {PLACEMENT "{" DIVIDED "Aggregated, weightPreference: {dynamicWeight: AvailableReplicas}}}}}",
     "spec.placement.replicaScheduling.weightPreference [weights-unused]\n"},
    {PLACEMENT "{" DIVIDED "Weighted, weightPreference: {dynamicWeight: AvailableReplicas, staticWeightList: "
               "[{targetCluster: {clusterNames: [a, a, b]}, weight: 1}, {targetCluster: {clusterNames: [b]}, weight: "
               "2}]}}}}}",
     "spec.placement.replicaScheduling.weightPreference.staticWeightList [weights-unused]\n"
     "spec.placement.replicaScheduling.weightPreference.staticWeightList[1].targetCluster.clusterNames[0] "
     "[duplicate-weight]\n"},
    {PLACEMENT "{spreadConstraints: [" BY_CLUSTER "]}}}", ""},
    {PLACEMENT "{spreadConstraints: [" BY_CLUSTER "], " DIVIDED "Weighted}}}}",
     "spec.placement.spreadConstraints[0] [spread-ignored]\n"},
    {PLACEMENT "{spreadConstraints: [{spreadByField: zone, maxGroups: 1}]}}}",
     "spec.placement.spreadConstraints [cluster-constraint]\nspec.placement.spreadConstraints [spread-unsupported]\n"
     "spec.placement.spreadConstraints[0] [spread-unlimited]\n"},
    {PLACEMENT "{spreadConstraints: [{}, " BY_CLUSTER "]}}}",
     "spec.placement.spreadConstraints[0].maxGroups [max-groups-unset]\n"
     "spec.placement.spreadConstraints[1].spreadByField [duplicate-spread-field]\n"},
    {PLACEMENT "{spreadConstraints: [{spreadByField: cluster, spreadByLabel: x, minGroups: 3, maxGroups: 2}]}}}",
     "spec.placement.spreadConstraints[0].spreadByField [spread-twice]\n"
     "spec.placement.spreadConstraints[0].maxGroups [groups-order]\n"},
    {PLACEMENT "{spreadConstraints: [{spreadByField: cluster, minGroups: -1, maxGroups: 2}]}}}",
     "spec.placement.spreadConstraints[0].minGroups [out-of-range]\n"},
    /* policies */
    {POLICY "preemption: Always, suspension: {dispatching: true, dispatchingOnClusters: {clusterNames: [m]}}}}",
     "spec.suspension.dispatchingOnClusters [suspension-twice]\n"},
    {"{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterPropagationPolicy, metadata: {name: p}, spec: {preemption: "
     "Always, resourceSelectors: [{apiVersion: v1, kind: Pod}]}}",
     "spec.resourceSelectors[0].name [preemption-name]\n"},
    {"{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p}, spec: {resourceSelectors: "
     "[{apiVersion: v1, kind: Pod, name: a, labelSelector: {}}, {apiVersion: v1, kind: Event}]}}",
     "spec.resourceSelectors[0].labelSelector [labels-unread]\n"
     "spec.resourceSelectors[1].apiVersion [not-propagated]\n"},
    {POLICY "failover: {application: {decisionConditions: {}, gracePeriodSeconds: 0}}}}",
     "spec.failover.application [failover-needs-deps]\nspec.failover.application.gracePeriodSeconds [grace-period]\n"},
    {POLICY "propagateDeps: true, failover: {application: {decisionConditions: {tolerationSeconds: -1}, purgeMode: "
            "Never, gracePeriodSeconds: 5}}}}",
     "spec.failover.application.decisionConditions.tolerationSeconds [out-of-range]\n"
     "spec.failover.application.gracePeriodSeconds [grace-period]\n"},
    {POLICY "suspension: {scheduling: true}}}", "spec.suspension.scheduling [unknown-member]\n"},
    /* bindings */
    {BINDING "placement: {}}}", ""},
    {BINDING "placement: {}, suspension: {scheduling: true}}}", ""},
    {"{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: b}, spec: {resource: {apiVersion: "
     "v1, kind: ConfigMap, name: c}, requiredBy: [{namespace: ns, name: w}]}}",
     ""},
    {"{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: b}, spec: {resource: {apiVersion: "
     "v1, kind: ConfigMap, name: c}, requiredBy: []}}",
     "metadata.labels [not-managed]\nspec.placement [no-placement]\n"},
    {"{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: b}, spec: {resource: {apiVersion: "
     "v1, kind: ConfigMap, name: c}, requiredBy: [{namespace: ns, name: w}], placement: {}}}",
     "metadata.labels [not-managed]\n"},
    {BINDING "clusters: [{name: a}, {name: b}, {name: a}]}}",
     "spec.placement [no-placement]\nspec.clusters[2].name [duplicate-target]\n"},
    {BINDING "placement: {clusterAffinity: {labelSelector: {matchLabels: {}}, exclude: []}}}}",
     "spec.placement.clusterAffinity.labelSelector.matchLabels [never-equal]\n"
     "spec.placement.clusterAffinity.exclude [never-equal]\n"},
    {BINDING "placement: {}, replicaRequirements: {resourceRequest: {memory: 0.5Gi}}}}",
     "spec.replicaRequirements.resourceRequest.memory [quantity-fraction]\n"},
    {"{apiVersion: work.karmada.io/v1alpha2, kind: ClusterResourceBinding, metadata: {name: b, annotations: "
     "{policy.karmada.io/applied-placement: '{'}}, spec: {resource: {apiVersion: v1, kind: Pod, name: p}, placement: "
     "{}}}",
     "metadata.labels [not-managed]\nmetadata.annotations[\"policy.karmada.io/applied-placement\"] "
     "[applied-unreadable]\n"},
    {BINDING "placement: {}, components: [{name: 123456789012345678901234567890123, replicas: 1}]}}",
     "spec.components[0].name [wrong-type]\n"},
    {BINDING "placement: {}, components: [{name: a23456789012345678901234567890123, replicas: 1}]}}",
     "spec.components[0].name [too-long]\n"},
    {BINDING "placement: {" DIVIDED "Weighted}}}}", "spec.resource.uid [no-uid]\n"},
    {BINDING "placement: {replicaScheduling: {replicaSchedulingType: Duplicated}}}}", ""},
    /* kinds and versions */
    {"{apiVersion: apps/v1, kind: Deploymnt, metadata: {name: a}}", "kind [unknown-kind]\n"},
    {"{apiVersion: apps/v1, kind: Rollout, metadata: {name: a}}", "kind [unknown-kind]\n"},
    {"{apiVersion: v1, kind: PropagationPolicy, metadata: {name: a}}", "kind [unknown-kind]\n"},
    {"{apiVersion: v1, kind: ConfigMaps, metadata: {name: a}}", "kind [unknown-kind]\n"},
    {"{apiVersion: config.karmada.io/v1alpha1, kind: ResourceInterpreterCustomization, metadata: {name: a}, spec: "
     "{target: {apiVersion: example.com/v1, kind: Foo}}}",
     "spec.target [not-run]\n"},
    {"{apiVersion: config.karmada.io/v1alpha1, kind: ResourceInterpreterWebhookConfiguration, metadata: {name: a}, "
     "webhooks: []}",
     "webhooks [not-run]\n"},
    {"{apiVersion: apps/v1beta1, kind: Deployment, metadata: {name: a}}", "apiVersion [unknown-version]\n"},
    {"{apiVersion: policy.karmada.io/v1, kind: PropagationPolicy, metadata: {name: a}}",
     "apiVersion [unknown-version]\n"},
    {"{apiVersion: policy.karmada.io/v1, kind: OverridePolicy, metadata: {name: a}}", "apiVersion [unknown-version]\n"},
    {"{apiVersion: v1, kind: Binding, metadata: {name: a}}", ""},
    {"{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: a}}", ""},
    {"{apiVersion: work.karmada.io/v1alpha1, kind: Work, metadata: {name: a}}", ""},
    /* rebalancers */
    {REBALANCER "{workloads: []}}", "spec.workloads [missing-member]\n"},
    {REBALANCER "{workloads: [{" WORKLOAD "}, {apiVersion: x/v1, kind: deployment, name: W, namespace: ns}], "
                "ttlSecondsAfterFinished: -1}}",
     "spec.workloads[1] [same-binding]\nspec.ttlSecondsAfterFinished [ttl-negative]\n"},
};

static rebal_finding_row finding_at(const rebal_findings *findings, size_t i) {
  rebal_finding_row row = {.struct_size = sizeof row};
  ck_assert_int_eq(rebal_findings_read(findings, i, &row, NULL), REBAL_OK);
  return row;
}

static rebal_findings *validate(const char *text) {
  rebal_findings *findings = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_manifest_validate(text, strlen(text), NULL, &findings, &err) == REBAL_OK, "%s", err.message);
  return findings;
}

START_TEST(test_what_is_found) {
  rebal_findings *findings = validate(rows[_i].text);
  struct rebali_buffer output = REBALI_BUFFER;
  rebali_buffer_text(&output, "");
  for (size_t i = 0; i < rebal_findings_count(findings, 0); i++) {
    const rebal_finding_row finding = finding_at(findings, i);
    rebali_buffer_text(&output, finding.path);
    rebali_buffer_text(&output, " [");
    rebali_buffer_text(&output, rebal_enum_name(REBAL_ENUM_FINDING, finding.code, NULL));
    rebali_buffer_text(&output, "]\n");
    ck_assert(finding.message[0] != '\0');
  }
  ck_assert_msg(strcmp(output.bytes, rows[_i].found) == 0, "%s\nfinds\n%sinstead of\n%s", rows[_i].text, output.bytes,
                rows[_i].found);
  rebali_buffer_dispose(&output);
  rebal_findings_free(findings);
}
END_TEST

/* A text without errors can be loaded. */
START_TEST(test_what_has_no_error_is_loaded) {
  rebal_findings *findings = validate(rows[_i].text);
  rebal_store *store = NULL;
  ck_assert_int_eq(rebal_store_new(NULL, &store, NULL), REBAL_OK);
  if (rebal_findings_count(findings, REBAL_SEVERITY_ERROR) == 0) {
    ck_assert_int_eq(rebal_store_load(store, rows[_i].text, strlen(rows[_i].text), NULL), REBAL_OK);
  }
  rebal_store_free(store);
  rebal_findings_free(findings);
}
END_TEST

/* Each code has a row above, so findings.def does not list codes that never occur. */
START_TEST(test_every_code_is_found) {
  static const uint32_t codes[] = {
#define REBAL_FINDING(name, number, severity, text, meaning) number,
#include <rebalance/findings.def>
#undef REBAL_FINDING
  };
  for (size_t code = 0; code < COUNT(codes); code++) {
    int is_found = codes[code] == REBAL_FINDING_IMMUTABLE_FIELD ||
                   codes[code] == REBAL_FINDING_METADATA_UPDATE; /* of updates, in stores alone */
    for (size_t row = 0; row < COUNT(rows) && !is_found; row++) {
      rebal_findings *findings = validate(rows[row].text);
      for (size_t i = 0; i < rebal_findings_count(findings, 0); i++) {
        is_found |= finding_at(findings, i).code == codes[code];
      }
      rebal_findings_free(findings);
    }
    ck_assert_msg(is_found, "code %u", codes[code]);
  }
}
END_TEST

/* A member of this library's own is not reported as a misspelling of another one. */
START_TEST(test_a_member_of_an_option) {
  static const char *const texts[] = {
      SPREAD "{" TARGET_D ", subsets: [{name: a, minReplicas: 1}]}}",
      FIRST_SPREAD "{" TARGET_D ", subsets: [{name: a, minReplicas: '10%'}]}}",
  };
  for (size_t i = 0; i < COUNT(texts); i++) {
    rebal_findings *findings = validate(texts[i]);
    const rebal_finding_row finding = finding_at(findings, 0);
    ck_assert_uint_eq(rebal_findings_count(findings, 0), 1);
    ck_assert_uint_eq(finding.code, REBAL_FINDING_UNKNOWN_MEMBER);
    ck_assert_str_eq(finding.path, "spec.subsets[0].minReplicas");
    ck_assert_str_eq(finding.message,
                     "no member of the API, which drops or refuses it; here it counts with the option "
                     "spread-min-replicas only");
    rebal_findings_free(findings);
  }
}
END_TEST

/* What admission allows depends on the options that a scenario runs with. */
START_TEST(test_options_of_a_scenario) {
  static const struct {
    const char *text;
    size_t n_errors, n_warnings;
  } texts[] = {
      {WAITS, 1, 1},
      {SCENARIO WAITS, 1, 1},
      {SCENARIO_WITH("options: {compat: {spread-long-wait: true}}\n") WAITS, 0, 1},
      {SCENARIO_WITH("options: {compat: {spread-long-wait: 1}}\n") WAITS, 0, 1},
      {SCENARIO_WITH("options: {compat: {spread-long-wait: false}}\n") WAITS, 1, 1},
      {SCENARIO_WITH("options: {compat: {spread-long-wait: 0}}\n") WAITS, 1, 1},
      {"{options: {compat: {spread-long-wait: true}}, apiVersion: v1, kind: A, metadata: {name: a}}\n---\n" WAITS, 1,
       1},
      {SIMULATES, 0, 2},
      {SCENARIO SIMULATES, 0, 2},
      {SCENARIO_WITH("options: {compat: {spread-long-wait: true, spread-simulation: false}}\n") SIMULATES, 0, 2},
      {SCENARIO_WITH("options: {compat: {spread-simulation: true}}\n") SIMULATES, 0, 0},
      {SCENARIO_WITH("options: {compat: {spread-simulation: true}}\n") WAITS, 1, 0},
      {SCENARIO MINIMUM("1"), 0, 1},
      {SCENARIO MINIMUM("true"), 1, 1},
      {SCENARIO_WITH("options: {compat: {spread-simulation: true}}\n") MINIMUM("1"), 0, 1},
      {SCENARIO_WITH("options: {compat: {spread-min-replicas: true}}\n") MINIMUM("1"), 0, 0},
      {SCENARIO_WITH("options: {compat: {spread-min-replicas: true}}\n") MINIMUM("10%"), 0, 0},
      {SCENARIO_WITH("options: {compat: {spread-min-replicas: true}}\n") MINIMUM("true"), 1, 0},
  };
  for (size_t i = 0; i < COUNT(texts); i++) {
    rebal_findings *findings = validate(texts[i].text);
    ck_assert_msg(rebal_findings_count(findings, REBAL_SEVERITY_ERROR) == texts[i].n_errors, "%s", texts[i].text);
    ck_assert_msg(rebal_findings_count(findings, REBAL_SEVERITY_WARNING) == texts[i].n_warnings, "%s", texts[i].text);
    rebal_findings_free(findings);
  }
}
END_TEST

static const struct {
  const char *text, *path, *message;
} slips[] = {
    {PLACEMENT "{spreadConstraints: {region: 2}}}}", "spec.placement.spreadConstraints",
     "expected a list of {spreadByField, spreadByLabel, maxGroups, minGroups}"},
    {PLACEMENT "{spreadConstraints: [{region: 2, maxGroups: 2}, " BY_CLUSTER "]}}}",
     "spec.placement.spreadConstraints[0].region", "no such member; did you mean \"spreadByField: region\"?"},
    {PLACEMENT "{clusterAffinity: {clusterNames: m1}}}}", "spec.placement.clusterAffinity.clusterNames",
     "expected a list"},
    {PLACEMENT "{replicaScheduling: {Divided: 1}}}}", "spec.placement.replicaScheduling.Divided",
     "no such member; did you mean \"replicaSchedulingType: Divided\"?"},
    {"{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: s}, spec: {targetRef: {apiVersion: "
     "apps/v1, kind: Deployment, name: w}, subsets: {name: a}}}",
     "spec.subsets",
     "expected a list of {name, requiredNodeSelector, preferredNodeSelector, tolerations, maxReplicas, "
     "patch, minReplicas}"},
};

START_TEST(test_slips_are_answered_by_what_is_expected) {
  rebal_findings *findings = validate(slips[_i].text);
  int is_found = 0;
  for (size_t i = 0; i < rebal_findings_count(findings, 0); i++) {
    const rebal_finding_row row = finding_at(findings, i);
    is_found |= strcmp(row.path, slips[_i].path) == 0 && strcmp(row.message, slips[_i].message) == 0;
  }
  ck_assert_int_eq(is_found, 1);
  rebal_findings_free(findings);
}
END_TEST

START_TEST(test_places_and_hints) {
  rebal_findings *findings = validate("# none\n---\n" CLUSTER "spec: {syncMode: Push,\n  regoin: a}}\n---\n" CLUSTER
                                      "spec: {syncMode: Push}}");
  rebal_finding_row row = {.struct_size = sizeof row}, wrong = {.struct_size = 8};
  ck_assert_uint_eq(rebal_findings_count(findings, 0), 2);
  ck_assert_uint_eq(rebal_findings_count(findings, REBAL_SEVERITY_ERROR), 1);
  ck_assert_uint_eq(rebal_findings_count(findings, REBAL_SEVERITY_WARNING), 1);
  ck_assert_int_eq(rebal_findings_read(findings, 0, &row, NULL), REBAL_OK);
  ck_assert_msg(row.document == 1 && row.line == 4 && row.column == 11, "%u %u %u", row.document, row.line, row.column);
  ck_assert_str_eq(row.message, "no such member; did you mean \"region\"?");
  ck_assert_uint_eq(row.message_len, strlen(row.message));
  ck_assert_str_eq(row.path, "spec.regoin");
  ck_assert_uint_eq(row.path_len, strlen(row.path));
  ck_assert_str_eq(row.value, "");
  ck_assert_uint_eq(row.value_len, 0);
  ck_assert_uint_eq(row.code, REBAL_FINDING_UNKNOWN_MEMBER);
  ck_assert_uint_eq(row.severity, REBAL_SEVERITY_WARNING);
  ck_assert_uint_eq(row.cause, REBAL_CAUSE_NONE);
  ck_assert_uint_eq(finding_at(findings, 1).document, 2);
  ck_assert_int_eq(rebal_findings_read(findings, 2, &row, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebal_findings_read(findings, 0, &wrong, NULL), REBAL_EABI);
  ck_assert_int_eq(rebal_findings_read(NULL, 0, &row, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_findings_read(findings, 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_uint_eq(rebal_findings_count(NULL, 0), 0);
  rebal_findings_free(findings);
  rebal_findings_free(NULL);
}
END_TEST

START_TEST(test_what_cannot_be_read) {
  rebal_findings *findings = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_manifest_validate("a: [", 4, NULL, &findings, &err), REBAL_EPARSE);
  ck_assert_uint_eq(err.line, 2 - (err.line == 1));
  ck_assert_int_eq(rebal_manifest_validate("a: 1", 4, NULL, NULL, &err), REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_validate(NULL, 4, NULL, &findings, &err), REBAL_EINVAL);
  ck_assert_ptr_null(findings);
}
END_TEST

UNIT_CASE(validate) {
  TCase *cases = tcase_create("validate");
  tcase_add_loop_test(cases, test_what_is_found, 0, (int)COUNT(rows));
  tcase_add_loop_test(cases, test_what_has_no_error_is_loaded, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_every_code_is_found);
  tcase_add_test(cases, test_a_member_of_an_option);
  tcase_add_test(cases, test_options_of_a_scenario);
  tcase_add_loop_test(cases, test_slips_are_answered_by_what_is_expected, 0, (int)COUNT(slips));
  tcase_add_test(cases, test_places_and_hints);
  tcase_add_test(cases, test_what_cannot_be_read);
  return cases;
}
