/* SPDX-License-Identifier: MIT */
#include "validating.h"

#define OBJECT(api_version, kind, spec) "{apiVersion: " api_version ", kind: " kind ", metadata: {name: w}, " spec "}"
#define DEPLOYMENT(spec) OBJECT("apps/v1", "Deployment", "spec: {" spec "}")
#define CONTAINER(members) DEPLOYMENT("template: {spec: {containers: [{name: a, " members "}]}}")
#define IN_CONTAINER "spec.template.spec.containers[0]."

/* A workload, and what is found in it: path and message of each, a line. All are unknown members. */
static const struct {
  const char *text, *found;
} rows[] = {
    {DEPLOYMENT("replicas: 3, selector: {}, strategy: {}, minReadySeconds: 1, podReplacementPolicy: x, template: "
                "{metadata: {}, spec: {hostname: a, containers: [{name: a, resources: {requests: {cpu: 1}, limits: "
                "{cpu: 1}, claims: [{name: a, request: b}]}}]}}"),
     ""},
    {DEPLOYMENT("replica: 3"), "spec.replica: no such member; did you mean \"replicas\"?\n"},
    {DEPLOYMENT("Replicas: 3, replicas: 3"), "spec.Replicas: no such member; did you mean \"replicas\"?\n"},
    {DEPLOYMENT("tempalte: {}"), "spec.tempalte: no such member; did you mean \"template\"?\n"},
    {DEPLOYMENT("template: {specs: {}}"), "spec.template.specs: no such member; did you mean \"spec\"?\n"},
    {OBJECT("apps/v1", "StatefulSet", "Spec: {replica: 3}"), "Spec: no such member; did you mean \"spec\"?\n"},
    {CONTAINER("resource: {requests: {cpu: 1}}"),
     IN_CONTAINER "resource: Container has no such member; did you mean \"resources\"?\n"},
    {CONTAINER("resources: {request: {cpu: 1}}"),
     IN_CONTAINER "resources.request: ResourceRequirements has no such member; did you mean \"requests\"?\n"},
    {CONTAINER("zebra: 1"), IN_CONTAINER "zebra: Container has no such member\n"},
    {DEPLOYMENT("template: {spec: {nodeSelectors: {a: b}, toleration: []}}"),
     "spec.template.spec.nodeSelectors: PodSpec has no such member; did you mean \"nodeSelector\"?\n"
     "spec.template.spec.toleration: PodSpec has no such member; did you mean \"tolerations\"?\n"},
    {DEPLOYMENT("template: {spec: 5}"), ""},
    {DEPLOYMENT("template: 5"), ""},
    {OBJECT("apps/v1", "Deployment", "spec: 5"), ""},
    {OBJECT("apps/v1", "Deployment", "spec: null"), ""},
    {OBJECT("apps/v1", "DaemonSet", "spec: {replica: 3, templates: {}}"),
     "spec.templates: no such member; did you mean \"template\"?\n"},
    {OBJECT("apps/v1", "ReplicaSet", "spec: {replcas: 3}"),
     "spec.replcas: no such member; did you mean \"replicas\"?\n"},
    {OBJECT("apps/v1", "StatefulSet", "spec: {replica: 3}"),
     "spec.replica: no such member; did you mean \"replicas\"?\n"},
    {OBJECT("batch/v1", "Job", "spec: {completionMode: Indexed, completion: 3, paralelism: 2, suspend: true}"),
     "spec.completion: no such member; did you mean \"completions\"?\n"
     "spec.paralelism: no such member; did you mean \"parallelism\"?\n"},
    {OBJECT("batch/v1", "CronJob",
            "spec: {jobTemplates: {}, jobTemplate: {spec: {template: {spec: {container: []}}}}}"),
     "spec.jobTemplates: no such member; did you mean \"jobTemplate\"?\n"
     "spec.jobTemplate.spec.template.spec.container: PodSpec has no such member; did you mean \"containers\"?\n"},
    {OBJECT("v1", "Pod", "spec: {container: []}"),
     "spec.container: PodSpec has no such member; did you mean \"containers\"?\n"},
    {OBJECT("apps.kruise.io/v1alpha1", "CloneSet", "spec: {replica: 3}"),
     "spec.replica: no such member; did you mean \"replicas\"?\n"},
    {OBJECT("apps.kruise.io/v1beta1", "StatefulSet", "spec: {replica: 3}"),
     "spec.replica: no such member; did you mean \"replicas\"?\n"},
    /* their members are unknown */
    {OBJECT("example.com/v1", "Deployment", "spec: {replica: 3}"), ""},
    {OBJECT("argoproj.io/v1alpha1", "Rollout", "spec: {replica: 3}"), ""},
};

static void print(const rebal_finding_row *row, struct rebali_buffer *output) {
  ck_assert_uint_eq(row->code, REBAL_FINDING_UNKNOWN_MEMBER);
  rebali_buffer_format(output, "%s: %s\n", row->path, row->message);
}

START_TEST(test_slips) {
  assert_found(rows[_i].text, rows[_i].found, print);
}
END_TEST

UNIT_CASE(validate_workload) {
  TCase *cases = tcase_create("validate_workload");
  tcase_add_loop_test(cases, test_slips, 0, (int)COUNT(rows));
  return cases;
}
