/* SPDX-License-Identifier: MIT */
#include "spreads.h"

#define ONE "subsets: [{name: a}]"
#define DEPLOYED(replicas) \
  "\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: demo, namespace: ns}, spec: {" replicas "}}"
#define GAME(filter) SPREAD "targetRef: {apiVersion: game.io/v1, kind: GameServerSet, name: g}, " filter ONE "}}"
#define WHITE_LIST(entries)                                                                  \
  "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: kruise-configuration}, data: {" \
  "WorkloadSpread_Watch_Custom_Workload_WhiteList: '{\"workloads\": [" entries "]}'}}"
#define GAMES(path) "{\"Group\": \"game.io\", \"Kind\": \"GameServerSet\", \"replicasPath\": \"" path "\"}"
#define PATCH(patch) SUBSETS("{name: a, patch: " patch "}")
#define UNCHECKED "none spec.subsets[0].patch: pods cannot take the patch, which is not tried without the workload: "
#define UNREADABLE "none spec.subsets[0].patch: the API server refuses pods with the patch: "
#define TEMPLATE "template: {metadata: {labels: {x: b}}, spec: {containers: [{name: main, image: a}]}}"
#define SIGNLESS(percent)                                                              \
  "none spec.subsets[0].maxReplicas: without one % at its end it is taken as " percent \
  "% here, and lets no pod in later\n"
#define THIRDS "{name: a, maxReplicas: 33%}, {name: b, maxReplicas: 33%}, {name: c, maxReplicas: 34%}"
#define ROUNDED(sum, replicas)                                                    \
  "none spec.subsets: each rounded up, the limits are " sum " pods for " replicas \
  " replicas; the last subsets may "                                              \
  "stay smaller\n"
#define UNUSED                                                                                                       \
  "none spec.scheduleStrategy.adaptive.disableSimulationSchedule: it is never read: no nodes are examined before a " \
  "pod is admitted, whatever its value\n"
#define ADAPTIVE(options) SPREAD TARGET ONE ", scheduleStrategy: {type: Adaptive, adaptive: {" options "}}}}"
#define IS_FIXED                                                                                                      \
  "none spec.scheduleStrategy.type: without rescheduleCriticalSeconds no pod is rescheduled, and it does what Fixed " \
  "does\n"
#define DROPPED(path, type, meant) \
  "none spec.subsets[0].patch" path ": " type " has no such member, and the API server drops it" meant "\n"
#define OF_SET(subsets) \
  SPREAD "targetRef: {apiVersion: apps/v1, kind: ReplicaSet, name: demo}, subsets: [" subsets "]}}"
#define SET(metadata) \
  "\n---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: demo, namespace: ns" metadata "}}"
#define FROM_FRONT \
  "none spec.targetRef: a ReplicaSet without a Deployment is scaled in from the first subset, not from the last\n"

/* A text, and all its findings. */
static const struct {
  const char *text, *stated;
} rows[] = {
    /* filters */
    {SPREAD TARGET ONE ", targetFilter: {}}}",
     "none spec.targetFilter: without a selector no pod is given a subset at admission, and all of them are counted "
     "later\n"},
    {SPREAD TARGET ONE ", targetFilter: {selector: {}}}}", ""},
    {SPREAD TARGET ONE ", targetFilter: {selector: {}, replicasPathList: [a, '']}}}",
     "none spec.targetFilter.replicasPathList[1]: an empty path counts as 0 replicas\n"},
    /* kinds of the white list: the first entry counts, and only where the filter has no paths */
    {GAME("") WHITE_LIST(GAMES("")),
     "none spec.targetRef: the white list has no path to the replicas of the kind, which count as 0\n"},
    {GAME("") WHITE_LIST(GAMES("") ", " GAMES("a")),
     "none spec.targetRef: the white list has no path to the replicas of the kind, which count as 0\n"},
    {GAME("") WHITE_LIST(GAMES("a") ", " GAMES("")), ""},
    {GAME("targetFilter: {selector: {}, replicasPathList: [spec.a]}, ") WHITE_LIST(GAMES("")), ""},
    /* patches that cannot be merged into any pod, reported as an error if the workload exists */
    {PATCH("{spec: {containers: [{image: b}]}}"),
     UNCHECKED "map: map[image:b] does not contain declared merge key: name\n"},
    {PATCH("[]"), UNCHECKED "invalid JSON document\n"},
    {PATCH("{spec: {containers: [{name: main, image: b}]}, metadata: {labels: {a: b}}}"), ""},
    {PATCH("{}") DEPLOYED(""), ""},
    /* patches that make a pod unreadable */
    {PATCH("{spec: {containers: {name: main}}}"), UNREADABLE "spec.containers: expected a list\n"},
    {PATCH("{metadata: {labels: {x: 3}}}"), UNREADABLE "metadata.labels.x: expected a text\n"},
    {PATCH("{spec: {tolerations: [{key: 5}]}}"), UNREADABLE "spec.tolerations[0].key: expected a text\n"},
    {PATCH("{metadata: {labels: {x: null}}}") DEPLOYED(TEMPLATE), ""},
    {PATCH("{metadata: {labels: {x: b}}}") DEPLOYED("template: {metadata: {labels: {x: 3, z: 3}}}"), ""},
    /* members that pods do not have */
    {PATCH("{spec: {containers: [{name: main, resources: {limit: {cpu: 1}}}]}}"),
     DROPPED(".spec.containers[0].resources.limit", "ResourceRequirements", "; did you mean \"limits\"?")},
    {PATCH("{spec: {containers: [{name: main, resources: {limit: {cpu: 1}}}]}}") DEPLOYED(TEMPLATE),
     DROPPED(".spec.containers[0].resources.limit", "ResourceRequirements", "; did you mean \"limits\"?")},
    {PATCH("{metadata: {label: {a: b}, labels: {limit: b}}, zebra: 1}"),
     DROPPED(".metadata.label", "ObjectMeta", "; did you mean \"labels\"?") DROPPED(".zebra", "Pod", "")},
    {PATCH("{spec: {$retainKeys: [tolerations], tolerations: [{key: a, $patch: delete}, {seconds: 1}]}}"),
     DROPPED(".spec.tolerations[1].seconds", "Toleration", "")},
    {PATCH("{spec: {volumes: [{name: v, emptyDir: {}}], affinity: {podAffinity: {}}}}"), ""},
    /* signs of percent */
    {SUBSETS("{name: a, maxReplicas: '50'}, {name: b}"), SIGNLESS("50")},
    {SUBSETS("{name: a, maxReplicas: 5%%}, {name: b}"), SIGNLESS("5")},
    {SUBSETS("{name: a, maxReplicas: '%7'}, {name: b}"), SIGNLESS("7")},
    {SUBSETS("{name: a, maxReplicas: 5%}, {name: b}"), ""},
    {SUBSETS("{name: a, maxReplicas: 5}, {name: b}"), ""},
    /* sums of what is rounded up */
    {SUBSETS(THIRDS) DEPLOYED("replicas: 10"), ROUNDED("12", "10")},
    {SUBSETS(THIRDS) DEPLOYED("replicas: 1"), ROUNDED("3", "1")},
    {SUBSETS(THIRDS) DEPLOYED("replicas: 100"), ""},
    {SUBSETS(THIRDS) DEPLOYED("replicas: 0"), ""},
    {SUBSETS(THIRDS), ""},
    {SUBSETS("{name: a, maxReplicas: 5%}, {name: b}") DEPLOYED("replicas: 10"), ""},
    {SPREAD TARGET "targetFilter: {selector: {}, replicasPathList: [spec.a]}, subsets: [" THIRDS
                   "]}}" DEPLOYED("a: 10"),
     ROUNDED("12", "10")},
    {SPREAD TARGET "targetFilter: {selector: {}, replicasPathList: [spec.b]}, subsets: [" THIRDS
                   "]}}" DEPLOYED("a: 10"),
     ""},
    {SUBSETS("{name: a, maxReplicas: 5}, {name: b, maxReplicas: 7}") DEPLOYED("replicas: 10"), ""},
    /* strategies */
    {ADAPTIVE("disableSimulationSchedule: false"), IS_FIXED UNUSED},
    {ADAPTIVE("disableSimulationSchedule: true"), IS_FIXED UNUSED},
    {ADAPTIVE("rescheduleCriticalSeconds: 5, disableSimulationSchedule: true"), UNUSED},
    {ADAPTIVE("rescheduleCriticalSeconds: 5"),
     "none spec.scheduleStrategy.type: rescheduling examines no nodes: pods that wait too long are deleted, "
     "whatever capacity the next subset has\n"},
    {SPREAD TARGET ONE ", scheduleStrategy: {type: Adaptive}}}", IS_FIXED},
    {SPREAD TARGET ONE ", scheduleStrategy: {type: Fixed}}}", ""},
    /* the order of deletion */
    {OF_SET("{name: a}, {name: b}"), FROM_FRONT},
    {OF_SET("{name: a}"), ""},
    {OF_SET("{name: a}, {name: b}") SET(""), FROM_FRONT},
    {OF_SET("{name: a}, {name: b}") SET(", labels: {pod-template-hash: x}"), ""},
};

START_TEST(test_what_surprises) {
  rebal_findings *findings = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  const char *text = rows[_i].text;
  char *found;
  ck_assert_msg(rebal_manifest_validate(text, strlen(text), NULL, &findings, &err) == REBAL_OK, "%s: %s", text,
                err.message);
  found = findings_text(findings);
  ck_assert_msg(strcmp(found, rows[_i].stated) == 0, "%s\ngives\n%sinstead of\n%s", text, found, rows[_i].stated);
  ck_assert_uint_eq(rebal_findings_count(findings, REBAL_SEVERITY_ERROR), 0);
  free(found);
  rebal_findings_free(findings);
}
END_TEST

/* Admission reports only its own faults. */
START_TEST(test_admission_does_not_warn) {
  rebal_store *store = store_new();
  assert_stated(store, SPREAD TARGET "targetFilter: {}, subsets: [{name: a, patch: 5, maxReplicas: '50'}, {name: b}]}}",
                REBAL_NONE, "");
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(warn_spread) {
  TCase *cases = tcase_create("warn_spread");
  tcase_add_loop_test(cases, test_what_surprises, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_admission_does_not_warn);
  return cases;
}
