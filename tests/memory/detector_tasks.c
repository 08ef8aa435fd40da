/* SPDX-License-Identifier: MIT */
/* Tasks of the interpreter and the detector. */
#include "parts.h"

#include <string.h>

/* Each reading of the interpreter: decoded and as a script sees it, and aggregation. */
int32_t do_interpret(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char ingress[] = "{apiVersion: networking.k8s.io/v1, kind: Ingress, spec: {tls: [{secretName: s}]}}";
  static const char job[] =
      "{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, spec: {mpiReplicaSpecs: {Worker: {replicas: "
      "2, template: {spec: {tolerations: [{key: k}], containers: [{resources: {limits: {cpu: "
      "1}}}]}}}}}}";
  static const char items[] = "[{clusterName: a, status: {loadBalancer: {ingress: [{ip: 10.0.0.1}]}}}]";
  rebal_interpret_opts opts = {.struct_size = sizeof opts};
  int32_t code = open_text(parts, err);
  code = FIRST(code, rebal_document_read(job, REBAL_TERMINATED, NULL, &parts->documents[0], err));
  code = FIRST(code, rebal_interpret(parts->documents[0], REBAL_INTERPRET_COMPONENTS, NULL, &parts->documents[1], err));
  code = FIRST(code, rebal_document_write(parts->documents[1], REBAL_TEXT_FORMAT_JSON, parts->text, err));
  for (size_t i = 0; code == REBAL_OK && i < COUNT(parts->documents); i++) {
    rebal_document_free(parts->documents[i]);
    parts->documents[i] = NULL;
  }
  code = FIRST(code, rebal_document_read(ingress, REBAL_TERMINATED, NULL, &parts->documents[0], err));
  code = FIRST(code, rebal_document_read(items, REBAL_TERMINATED, NULL, &parts->documents[1], err));
  opts.items = parts->documents[1];
  code = FIRST(code, rebal_interpret(parts->documents[0], REBAL_INTERPRET_AGGREGATE, &opts, &parts->documents[2], err));
  code = FIRST(code, rebal_document_write(parts->documents[2], REBAL_TEXT_FORMAT_JSON, parts->text, err));
  return answer_text(parts, answer, code);
}

void report_outcome(struct answer *answer, int32_t code, const rebal_detector_row *row) {
  if (code == REBAL_OK) {
    report(answer, rebal_enum_name(REBAL_ENUM_DETECTOR_OUTCOME, row->outcome, NULL));
    report(answer, row->message);
  }
}

/* Passes over templates and events of policies: claims, a choice, a preemption, a policy that goes. */
int32_t do_detect(struct parts *parts, struct answer *answer, rebal_error *err) {
#define SELECTORS "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, namespace: default, name: d}]"
#define NAMED_POLICY(name, more)                                                                                    \
  "---\n{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: " name "}, spec: {" more \
  "}}\n"
  static const char text[] =
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, labels: {a: b}}, spec: {replicas: 2, template: "
      "{spec: "
      "{containers: [{resources: {requests: {cpu: 1}}}]}}}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: "
      "p}}\n" NAMED_POLICY("low", SELECTORS)
          NAMED_POLICY("high", "preemption: Always, priority: 2, suspension: {dispatching: true}, " SELECTORS);
  static const uint32_t preemption = UINT32_C(1) << REBAL_DETECTOR_GATE_POLICY_PREEMPTION;
  static const char *const skipped[] = {"a|b", "kube-.*"};
  const rebal_detector_opts opts = {.struct_size = sizeof opts,
                                    .flags = REBAL_DETECTOR_FLAG_ADMISSION,
                                    .gates = preemption,
                                    .n_skipped_namespaces = COUNT(skipped),
                                    .skipped_namespaces = skipped,
                                    .skipped_apis = "foo;bar/v1",
                                    .skipped_apis_len = REBAL_TERMINATED};
  rebal_detector_row row = {.struct_size = sizeof row};
  int32_t code = open_text(parts, err);
  code = FIRST(code, rebal_store_put(parts->store, text, REBAL_TERMINATED, err));
  code = FIRST(code, rebal_detector_new(parts->store, &opts, &parts->detector, err));
  for (uint32_t object = 0; code == REBAL_OK && object < 2; object++) {
    code = FIRST(code, rebal_detector_template(parts->detector, object, 0, &now, &row, err));
    report_outcome(answer, code, &row);
  }
  for (uint32_t object = 2; code == REBAL_OK && object < 4; object++) {
    code = FIRST(code, rebal_detector_policy(parts->detector, object, NULL, &now, &row, err));
    code = FIRST(code, rebal_detector_template(parts->detector, 0, 0, &now, &row, err));
    report_outcome(answer, code, &row);
  }
  code = FIRST(code, rebal_store_remove(parts->store, row.policy, err));
  code = FIRST(code, rebal_detector_template(parts->detector, 0, 0, &now, &row, err));
  return FIRST(code, report_store(parts, answer, err));
}

/* Changes of a store are followed: a template that waits, its policy, another that preempts, and one that goes. */
int32_t do_follow(struct parts *parts, struct answer *answer, rebal_error *err) {
#define FOLLOWED(replicas)                                                                  \
  "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: " replicas \
  ", template: "                                                                            \
  "{spec: {volumes: [{configMap: {name: c}}]}}}}\n"
  static const char *const texts[] = {
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n---\n" FOLLOWED("2")
          NAMED_POLICY("overridden", "dependentOverrides: [o], priority: 9, " SELECTORS),
      "{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: o}}\n" NAMED_POLICY(
          "lazy", "activationPreference: Lazy, preemption: Always, propagateDeps: true, priority: 12, " SELECTORS),
      FOLLOWED("3")};
  static const char *const patches[] = {"{\"spec\":{\"clusters\":[{\"name\":\"m\"}]}}",
                                        "{\"spec\":{\"propagateDeps\":false}}"};
  const rebal_detector_opts opts = {.struct_size = sizeof opts,
                                    .flags = REBAL_DETECTOR_FLAG_ADMISSION,
                                    .gates = UINT32_C(1) << REBAL_DETECTOR_GATE_POLICY_PREEMPTION};
  int32_t code = open_text(parts, err);
  code = FIRST(code, rebal_detector_new(parts->store, &opts, &parts->detector, err));
  for (size_t i = 0; code == REBAL_OK && i < COUNT(texts); i++) {
    code = FIRST(code, rebal_store_apply(parts->store, texts[i], REBAL_TERMINATED, &now, err));
    code = FIRST(code, rebal_detector_run(parts->detector, &now, err));
  }
  for (size_t i = 0; code == REBAL_OK && i < COUNT(patches); i++) {
    const uint32_t binding = rebal_store_find(parts->store, "ResourceBinding", 15, "default", 7, "d-deployment", 12);
    code = FIRST(code, rebal_store_patch(parts->store, binding, patches[i], strlen(patches[i]), &now, err));
    code = FIRST(code, rebal_detector_run(parts->detector, &now, err));
  }
  for (uint32_t object = 2; code == REBAL_OK && object < 5; object++) {
    code = FIRST(code, rebal_store_remove(parts->store, object, err));
    code = FIRST(code, rebal_detector_run(parts->detector, &now, err));
  }
#undef FOLLOWED
  return FIRST(code, report_store(parts, answer, err));
}

/* Objects at rest: what a workload depends on is attached once it has clusters. */
int32_t do_attach(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char text[] =
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n---\n"
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {template: "
      "{spec: {volumes: [{configMap: {name: c}}]}}}}\n" NAMED_POLICY("p", "propagateDeps: true, " SELECTORS);
  static const char clusters[] = "{\"spec\":{\"clusters\":[{\"name\":\"m\"}]}}";
  const rebal_detector_opts opts = {.struct_size = sizeof opts, .flags = REBAL_DETECTOR_FLAG_ADMISSION};
  int32_t code = open_text(parts, err);
  code = FIRST(code, rebal_detector_new(parts->store, &opts, &parts->detector, err));
  code = FIRST(code, apply(parts, text, err));
  code = FIRST(code, rebal_detector_derive(parts->detector, NULL, 0, &now, err));
  if (code == REBAL_OK) {
    const uint32_t binding = rebal_store_find(parts->store, "ResourceBinding", 15, "default", 7, "d-deployment", 12);
    code = rebal_store_patch(parts->store, binding, clusters, strlen(clusters), &now, err);
  }
  code = FIRST(code, rebal_detector_derive(parts->detector, NULL, 0, &now, err));
  return FIRST(code, report_store(parts, answer, err));
}
