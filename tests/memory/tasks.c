/* SPDX-License-Identifier: MIT */
/* Uses of the libraries that are tried without memory. Each ends with the first call that fails. */
#include "parts.h"

#include <string.h>

/* ---- texts and the store ----------------------------------------------------------------------------------------- */

static int32_t do_store(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char list[] =
      "{\"apiVersion\": \"v1\", \"items\": [{\"kind\": \"Node\", \"metadata\": {\"name\": \"n\"}, "
      "\"apiVersion\": \"v1\", \"spec\": {\"x\": 1.50}}], \"kind\": \"List\"}";
  static const char *const paths[] = {"spec.placement", "metadata.labels[\"a\"]", "spec.clusters[0].replicas", "kind"};
  int32_t code = open_text(parts, err);
  uint32_t binding;
  code = FIRST(code, load(parts, "tutorial/clusters.yaml", err));
  code = FIRST(code, rebal_store_put(parts->store, list, REBAL_TERMINATED, err));
  code = FIRST(code, apply(parts, example("tutorial/binding.yaml"), err));
  code = FIRST(code, apply(parts, example("policies/clusters.yaml"), err));
  code = FIRST(code, rebal_store_patch(parts->store, 0, "{spec: {taints: [{key: a, effect: NoExecute}]}}",
                                       REBAL_TERMINATED, &now, err));
  code = FIRST(code, rebal_store_patch(parts->store, 1, "[{op: add, path: /spec/region, value: us}]", REBAL_TERMINATED,
                                       &now, err));
  binding = rebal_store_find(parts->store, "ResourceBinding", 15, "default", 7, "foo-deployment", 14);
  for (size_t i = 0; code == REBAL_OK && i < COUNT(paths); i++) {
    code = rebal_store_text(parts->store, binding, paths[i], REBAL_TERMINATED, parts->text, err);
    code = answer_text(parts, answer, code == REBAL_ENOTFOUND ? REBAL_OK : code);
  }
  return FIRST(code, report_store(parts, answer, err));
}

static int32_t do_texts(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char anchors[] =
      "a: &x {b: [1, 0x1F, .5], c: 'd''e', f: |\n  g\n  h\n}\n---\nk: &x {b: 1}\ni: {<<: *x, z: *x}\n";
  static const char list[] = "{items: [{kind: K, apiVersion: v1}, {a: b}, 5, {c: 1.50}], kind: List}";
  const char *policies = example("policies/policies.yaml");
  rebal_rewrite_opts opts = {.struct_size = (uint32_t)sizeof opts, .format = REBAL_TEXT_FORMAT_YAML};
  uint32_t line = 0;
  int32_t code = open_text(parts, err);
  code = FIRST(code, rebal_manifest_rewrite(policies, REBAL_TERMINATED, NULL, parts->text, err));
  code = FIRST(code, rebal_manifest_rewrite(strstr(anchors, "k:"), REBAL_TERMINATED, &opts, parts->text, err));
  opts.flags = REBAL_REWRITE_FLAG_CANONICAL;
  code = FIRST(code, rebal_manifest_rewrite(policies, REBAL_TERMINATED, &opts, parts->text, err));
  code = FIRST(code, rebal_manifest_rewrite(list, REBAL_TERMINATED, &opts, parts->text, err));
  code = FIRST(code, rebal_manifest_rewrite(list, REBAL_TERMINATED, NULL, parts->text, err));
  code = answer_text(parts, answer, code);
  code = FIRST(
      code, rebal_manifest_locate(policies, REBAL_TERMINATED, 1, "spec.placement", REBAL_TERMINATED, &line, NULL, err));
  report(answer, line > 0 ? "found" : "not found");
  return FIRST(code, rebal_manifest_find_comment(policies, REBAL_TERMINATED, NULL, &line, NULL, err));
}

static void report_findings(const rebal_findings *findings, struct answer *answer) {
  for (size_t i = 0; i < rebal_findings_count(findings, 0); i++) {
    rebal_finding_row row = {.struct_size = (uint32_t)sizeof row};
    if (rebal_findings_read(findings, i, &row, NULL) == REBAL_OK) {
      report(answer, rebal_enum_name(REBAL_ENUM_FINDING, row.code, NULL));
      report(answer, row.path);
      report(answer, row.message);
      report(answer, row.value);
    }
  }
}

static int32_t do_validate(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char text[] =
      "{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p}, spec: "
      "{resourceSelectors: "
      "[{kind: 5}], unknown: 1, placement: {clusterTolerations: [{key: '!', operator: Maybe}], clusterAffinities: "
      "[{affinityName: a}, {affinityName: a}], spreadConstraints: [{spreadByField: cluster, minGroups: 3, "
      "maxGroups: 2}]}}}\n---\n{apiVersion: v1, kind: Pod, metadata: {labels: {a: 1}}}\n";
  static const char spread[] =
      "{apiVersion: apps.kruise.io/v1alpha1, kind: WorkloadSpread, metadata: {name: ws}, spec: {targetRef: "
      "{apiVersion: "
      "apps/v1, kind: Deployment, name: demo}, subsets: [{name: a, maxReplicas: 130%, patch: {spec: 1}}, {name: a}]}}";
  static const char list[] =
      "{items: [{apiVersion: apps/v1, kind: Deployment, metadata: {name: demo}, spec: {template: {spec: {}}}}, "
      "{apiVersion: apps.kruise.io/v1alpha1, kind: WorkloadSpread, metadata: {name: ws}, spec: {targetRef: "
      "{apiVersion: "
      "apps/v1, kind: Deployment, name: demo}, subsets: [{name: a, patch: {spec: {x: 1}}}]}}, 5], kind: List}";
  const char *const texts[] = {text, list};
  int32_t code = open_text(parts, err);
  for (size_t i = 0; code == REBAL_OK && i < COUNT(texts); i++) {
    code = rebal_manifest_validate(texts[i], REBAL_TERMINATED, NULL, &parts->findings, err);
    report_findings(parts->findings, answer);
    rebal_findings_free(parts->findings);
    parts->findings = NULL;
  }
  code = FIRST(code, load(parts, "spread/workload.yaml", err));
  code = FIRST(code,
               rebal_store_validate(parts->store, spread, REBAL_TERMINATED, REBAL_NONE, NULL, &parts->findings, err));
  if (code == REBAL_OK) {
    report_findings(parts->findings, answer);
  }
  return code;
}

static int32_t do_object_review(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char review[] =
      "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, namespace: ns, operation: CREATE, "
      "resource: {group: apps.kruise.io, resource: workloadspreads}, object: {apiVersion: apps.kruise.io/v1beta1, "
      "kind: WorkloadSpread, metadata: {name: ws}, spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: "
      "demo}, subsets: [{name: a, maxReplicas: 130%}, {name: a}]}}}}";
  int32_t code = open_text(parts, err);
  code = FIRST(code, load(parts, "spread/workload.yaml", err));
  code = FIRST(code, rebal_store_review(parts->store, review, REBAL_TERMINATED, NULL, parts->text, err));
  if (code == REBAL_OK) {
    report(answer, rebal_text_bytes(parts->text, NULL));
  }
  return code;
}

static int32_t do_patch(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char pod[] =
      "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: b}}, spec: {containers: [{name: "
      "c, image: i, env: [{name: X, value: '1'}]}], tolerations: [{key: k}]}}";
  static const char patch[] =
      "{metadata: {labels: {a: null, c: d}}, spec: {containers: [{name: c, env: [{name: Y}]}], "
      "tolerations: [{key: l, $patch: replace}]}}";
  int32_t code = open_text(parts, err);
  code = FIRST(code, rebal_document_read(pod, REBAL_TERMINATED, NULL, &parts->documents[0], err));
  code = FIRST(code, rebal_document_read(patch, REBAL_TERMINATED, NULL, &parts->documents[1], err));
  code = FIRST(code, rebal_manifest_patch(pod, REBAL_TERMINATED, NULL, parts->documents[1], REBAL_PATCH_STRATEGIC,
                                          REBAL_TEXT_FORMAT_JSON, parts->text, err));
  code = answer_text(parts, answer, code);
  code = FIRST(
      code, rebal_document_diff(parts->documents[0], parts->documents[1], REBAL_PATCH_JSON, &parts->documents[2], err));
  code = FIRST(code, rebal_document_write(parts->documents[2], REBAL_TEXT_FORMAT_JSON, parts->text, err));
  return answer_text(parts, answer, code);
}

/* A list of two pages and events; the order of the answers is that of the requests. */
static int32_t do_watch(struct parts *parts, struct answer *answer, rebal_error *err) {
#define NODE(name) "{\"metadata\": {\"name\": \"" name "\", \"resourceVersion\": \"8\"}}"
  static const char *const answers[] = {
      "{\"metadata\": {\"resourceVersion\": \"7\", \"continue\": \"t\"}, \"items\": [" NODE("a") ", " NODE("b") "]}",
      "{\"metadata\": {\"resourceVersion\": \"7\"}, \"items\": [" NODE("c") "]}",
      "{\"type\": \"DELETED\", \"object\": " NODE("a") "}\n{\"type\": \"ADDED\", \"object\": " NODE("d") "}\n",
      "{\"metadata\": {\"resourceVersion\": \"9\"}, \"items\": [" NODE("d") "]}",
  };
#undef NODE
  static const int32_t statuses[] = {200, 200, 410, 200};
  int32_t code = open_text(parts, err);
  code = FIRST(code, rebal_store_add_resource(parts->store, "Node", 4, "nodes", 5, 0, err));
  code = FIRST(code, rebal_watch_new(parts->store, "v1", 2, "Node", 4, NULL, &parts->watch, err));
  for (size_t i = 0; code == REBAL_OK && i < COUNT(answers); i++) {
    code = answer_text(parts, answer, rebal_watch_request(parts->watch, parts->text, err));
    code = FIRST(code, rebal_watch_feed(parts->watch, answers[i], 30, err));
    code = FIRST(code, rebal_watch_feed(parts->watch, answers[i] + 30, REBAL_TERMINATED, err));
    code = FIRST(code, rebal_watch_end(parts->watch, statuses[i], err));
  }
  return FIRST(code, report_store(parts, answer, err));
}

/* ---- from a store to a decision and back ------------------------------------------------------------------------- */

static int32_t answer_actions(struct parts *parts, struct answer *answer, rebal_error *err) {
  rebal_request request = {.struct_size = sizeof request};
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < rebal_result_count(parts->result, REBAL_TABLE_ACTION); i++) {
    code = rebal_store_render_action(parts->store, parts->result, i, NULL, parts->text, &request, err);
    report(answer, code == REBAL_OK ? request.body : "");
    code = answer_text(parts, answer, code);
    code = FIRST(code, rebal_store_take_answer(parts->store, parts->result, i, 403, "{reason: Forbidden}", 19,
                                               parts->observations, err));
    code = FIRST(code, rebal_store_carry_out(parts->store, parts->result, i, &now, NULL, err));
  }
  return code;
}

static int32_t do_schedule(struct parts *parts, struct answer *answer, rebal_error *err) {
  const rebal_detector_opts derives = {.struct_size = sizeof derives, .flags = REBAL_DETECTOR_FLAG_ADMISSION};
  rebal_detector_row row = {.struct_size = sizeof row};
  int32_t code = open_core(parts, err);
  code = FIRST(code, load(parts, "tutorial/clusters.yaml", err));
  code = FIRST(code, load(parts, "tutorial/deployment.yaml", err));
  code = FIRST(code, load(parts, "tutorial/policy.yaml", err));
  code = FIRST(code, rebal_detector_new(parts->store, &derives, &parts->detector, err));
  for (uint32_t object = REBAL_NONE;
       code == REBAL_OK && (object = rebal_store_next(parts->store, "Deployment", 10, object)) != REBAL_NONE;) {
    code = rebal_detector_look(parts->detector, object, &row, err);
    report_outcome(answer, code, &row);
  }
  code = FIRST(code, rebal_detector_derive(parts->detector, NULL, 0, &now, err));
  code = FIRST(code, rebal_store_feed_clusters(parts->store, parts->fleet, &parts->followed, err));
  code = FIRST(code, rebal_store_patch(parts->store, 0, "{metadata: {labels: {a: b}}}", REBAL_TERMINATED, &now, err));
  code = FIRST(code, feed(parts, err));
  code =
      FIRST(code, rebal_scheduler_step(parts->ctx, parts->snapshot, parts->bindings, &now, NULL, parts->result, err));
  code = FIRST(code, answer_actions(parts, answer, err));
  return FIRST(code, report_store(parts, answer, err));
}

/* A scheduler that follows the store, until its queue is empty; one that failed to update goes on. */
static int32_t do_queue(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char status[] = "{status: {aggregatedStatus: [{clusterName: member1, health: Healthy}]}}";
  const rebal_scheduler_feed_opts opts = {.struct_size = sizeof opts, .assumed_ns = 1000000000};
  size_t n = 1;
  int32_t code = open_core(parts, err);
  code = FIRST(code, load(parts, "tutorial/clusters.yaml", err));
  code = FIRST(code, load(parts, "tutorial/binding.yaml", err));
  code = FIRST(code, rebal_scheduler_feed_new(parts->store, parts->fleet, &opts, &parts->scheduler, err));
  for (size_t turn = 0; code == REBAL_OK && turn < 3; turn++) {
    const uint32_t cluster = rebal_store_find(parts->store, "Cluster", 7, "", 0, "member1", 7);
    const uint32_t binding = rebal_store_next(parts->store, "ResourceBinding", 15, REBAL_NONE);
    code = rebal_scheduler_feed_update(parts->scheduler, &now, err);
    code = FIRST(code, rebal_scheduler_feed_take(parts->scheduler, &now, 10, &n, err));
    code = FIRST(code, rebal_scheduler_feed_step(parts->ctx, parts->scheduler, &now, NULL, parts->result, err));
    code = FIRST(code, answer_actions(parts, answer, err));
    code = FIRST(code,
                 rebal_store_patch(parts->store, cluster, "{metadata: {labels: {a: b}}}", REBAL_TERMINATED, &now, err));
    code = FIRST(code, rebal_store_patch(parts->store, binding, status, sizeof status - 1, &now, err));
  }
  return FIRST(code, report_store(parts, answer, err));
}

static int32_t do_rebalance(struct parts *parts, struct answer *answer, rebal_error *err) {
  const rebal_record *record = NULL;
  uint32_t object;
  int32_t code = open_core(parts, err);
  code = FIRST(code, load(parts, "tutorial/binding.yaml", err));
  code = FIRST(code, apply(parts, example("tutorial/rebalancer.yaml"), err));
  object = rebal_store_next(parts->store, "WorkloadRebalancer", REBAL_TERMINATED, REBAL_NONE);
  code = FIRST(code, rebal_store_record(parts->store, object, parts->builder, &record, err));
  for (size_t round = 0; code == REBAL_OK && round < 4; round++) {
    const rebal_rebalancer_opts opts = {.struct_size = sizeof opts, .observations = parts->observations};
    code = rebal_rebalancer_step(parts->ctx, record, &now, &opts, parts->result, err);
    for (size_t i = 0; code == REBAL_OK && i < rebal_result_count(parts->result, REBAL_TABLE_ACTION); i++) {
      code = rebal_store_carry_out(parts->store, parts->result, i, &now, parts->observations, err);
    }
  }
  return FIRST(code, report_store(parts, answer, err));
}

static int32_t do_member(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char member[] =
      "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: ns}, spec: {hard: {pods: 5}}, "
      "status: {hard: "
      "{pods: 5}, used: {pods: 1}}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns, "
      "labels: {a: b}}, "
      "spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 1}}}], initContainers: [{name: "
      "d}]}}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {zone: a}}, spec: {taints: [{key: t, effect: "
      "NoSchedule}]}, status: {allocatable: {cpu: 4, pods: 10}, conditions: [{type: Ready, status: 'True'}]}}\n---\n"
      "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r, namespace: ns, uid: u, ownerReferences: [{uid: v, "
      "controller: true}]}, spec: {replicas: 2, selector: {matchLabels: {a: b}}}}\n";
  const rebal_estimate_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = REBAL_ESTIMATE_FLAG_NODES};
  const rebal_record *record = NULL;
  uint32_t cluster = 0, needs = 0;
  int32_t code = open_core(parts, err);
  code = FIRST(code, rebal_fleet_add_cluster(parts->fleet, "m1", 2, &cluster, err));
  code = FIRST(code, rebal_store_load(parts->store, member, REBAL_TERMINATED, err));
  code = FIRST(code, rebal_store_feed_member(parts->store, parts->fleet, cluster, &parts->followed, err));
  code = FIRST(code, rebal_store_patch(parts->store, 0, "{status: {used: {pods: 2}}}", REBAL_TERMINATED, &now, err));
  code = FIRST(code, rebal_store_feed_member(parts->store, parts->fleet, cluster, &parts->followed, err));
  code = FIRST(code, rebal_manifest_read_record("{resourceRequest: {cpu: 500m}, nodeClaim: {tolerations: [{operator: "
                                                "Exists}]}}",
                                                REBAL_TERMINATED, REBAL_OBJECT_REQUIREMENTS, NULL, parts->builder,
                                                &record, err));
  code = FIRST(code, rebal_fleet_intern(parts->fleet, record, &needs, err));
  code = FIRST(code, rebal_fleet_freeze(parts->fleet, &parts->snapshot, err));
  code = FIRST(code, rebal_estimate(parts->ctx, parts->snapshot, needs, &opts, parts->result, err));
  if (code == REBAL_OK) {
    const int64_t *replicas = rebal_result_i64(parts->result, REBAL_ESTIMATE_REPLICAS, NULL);
    report(answer, replicas != NULL && replicas[0] == 6 ? "6" : "another number");
  }
  return code;
}

#define SPREAD_POD                                                                       \
  "{apiVersion: v1, kind: Pod, metadata: {name: new, namespace: default, labels: {app: " \
  "web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: "   \
  "rs, controller: true}]}, spec: {containers: [{name: c, image: i}]}}"

/* The pod by itself, in a review, and injected by the WorkloadSpread of an object. */
static int32_t admit(struct parts *parts, uint32_t object, struct answer *answer, rebal_error *err) {
  static const char review[] =
      "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, kind: {version: v1, kind: Pod}, "
      "resource: {version: v1, resource: pods}, operation: CREATE, namespace: default, object: " SPREAD_POD "}}";
  const rebal_admit_opts opts = {.struct_size = (uint32_t)sizeof opts};
  rebal_pod_request request = {sizeof request, REBAL_OPERATION_CREATE, SPREAD_POD, UINT64_MAX, NULL, 0};
  int32_t code =
      rebal_spread_feed_admit(parts->ctx, parts->feed, &request, &now, &opts, parts->result, parts->text, err);
  code = answer_text(parts, answer, code);
  request.operation = 0;
  request.text = review;
  code = FIRST(
      code, rebal_spread_feed_review(parts->ctx, parts->feed, &request, &now, &opts, parts->result, parts->text, err));
  code = answer_text(parts, answer, code);
  code = FIRST(code, rebal_document_read(SPREAD_POD, REBAL_TERMINATED, NULL, &parts->documents[0], err));
  code = FIRST(code, rebal_document_inject(parts->documents[0], rebal_spread_feed_spread(parts->feed, object), 0, "id",
                                           2, &parts->documents[1], err));
  code = FIRST(code, rebal_document_write(parts->documents[1], REBAL_TEXT_FORMAT_YAML, parts->text, err));
  return answer_text(parts, answer, code);
}

static int32_t do_spread(struct parts *parts, struct answer *answer, rebal_error *err) {
  uint32_t cluster = 0, found = REBAL_NONE;
  int32_t code = open_core(parts, err);
  code = FIRST(code, rebal_fleet_add_cluster(parts->fleet, "m1", 2, &cluster, err));
  code = FIRST(code, load(parts, "spread/workload.yaml", err));
  code = FIRST(code, load(parts, "spread/workloadspread.yaml", err));
  code = FIRST(code, load(parts, "spread/pods.yaml", err));
  code = FIRST(code, load(parts, "spread/nodes.yaml", err));
  code = FIRST(code, rebal_spread_feed_new(parts->store, parts->fleet, cluster, &parts->feed, err));
  code = FIRST(code, rebal_spread_feed_update(parts->feed, err));
  for (uint32_t object = 0; code == REBAL_OK && object < rebal_store_count(parts->store); object++) {
    if (rebal_spread_feed_spread(parts->feed, object) != NULL) {
      found = object;
      code = rebal_spread_feed_step(parts->ctx, parts->feed, object, &now, NULL, parts->result, err);
      report(answer, rebal_result_count(parts->result, REBAL_TABLE_GROUPED) == 4 ? "4 pods" : "another number");
    }
  }
  code = FIRST(code, admit(parts, found, answer, err));
  return FIRST(code, report_store(parts, answer, err));
}

/* The Deployment of a subset is scaled, and its pod goes into reserve. */
static int32_t do_united(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char objects[] =
      "{apiVersion: apps.kruise.io/v1beta1, kind: UnitedDeployment, metadata: {name: web, uid: web}, spec: {replicas: "
      "3, topology: {subsets: [{name: a}, {name: b}], scheduleStrategy: {type: Adaptive, adaptive: "
      "{reserveUnschedulablePods: true}}}}}\n"
      "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, labels: {apps.kruise.io/subset-name: a}, "
      "uid: d, ownerReferences: [{apiVersion: v1, kind: UnitedDeployment, name: web, uid: web, controller: true}]}, "
      "spec: {replicas: 1}}\n"
      "---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r, uid: r, ownerReferences: [{apiVersion: "
      "apps/v1, "
      "kind: Deployment, name: d, uid: d, controller: true}]}}\n"
      "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, uid: p, labels: {apps.kruise.io/subset-name: a}, "
      "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}}\n";
  uint32_t cluster = 0, object = REBAL_NONE;
  int32_t code = open_core(parts, err);
  code = FIRST(code, rebal_fleet_add_cluster(parts->fleet, "m1", 2, &cluster, err));
  code = FIRST(code, rebal_store_put(parts->store, objects, REBAL_TERMINATED, err));
  code = FIRST(code, rebal_spread_feed_new(parts->store, parts->fleet, cluster, &parts->feed, err));
  code = FIRST(code, rebal_spread_feed_update(parts->feed, err));
  if (code == REBAL_OK) {
    object = rebal_spread_feed_next_united_due(parts->feed);
    code = rebal_spread_feed_united_step(parts->ctx, parts->feed, object, &now, NULL, parts->result, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < rebal_result_count(parts->result, REBAL_TABLE_ACTION); i++) {
    report(answer, rebal_result_text(parts->result, REBAL_ACTION_OBJECT_KIND, i, NULL));
    code = rebal_store_render_action(parts->store, parts->result, i, NULL, parts->text, NULL, err);
    code = answer_text(parts, answer, code);
    code = FIRST(code, rebal_store_carry_out(parts->store, parts->result, i, &now, NULL, err));
  }
  return FIRST(code, report_store(parts, answer, err));
}

static int32_t do_record(struct parts *parts, struct answer *answer, rebal_error *err) {
  rebal_recorded_call call = {.struct_size = (uint32_t)sizeof call, .call = REBAL_CALL_SCHEDULE};
  const rebal_schedule_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .explain_rows = 5, .flags = REBAL_SCHEDULE_FLAG_FINGERPRINT};
  int32_t same = 0;
  int32_t code = open_core(parts, err);
  code = FIRST(code, load(parts, "tutorial/clusters.yaml", err));
  code = FIRST(code, load(parts, "tutorial/binding.yaml", err));
  code = FIRST(code, feed(parts, err));
  code = FIRST(code, rebal_schedule(parts->ctx, parts->snapshot, parts->bindings, &opts, parts->result, err));
  call.snapshot = parts->snapshot;
  call.bindings = parts->bindings;
  call.schedule_opts = &opts;
  call.result = parts->result;
  code = FIRST(code, rebal_manifest_dump_call(&call, parts->text, err));
  if (code == REBAL_OK) {
    code = rebal_manifest_replay_call(rebal_text_bytes(parts->text, NULL), REBAL_TERMINATED, NULL, &same, NULL, NULL,
                                      NULL, err);
    report(answer, same ? "same" : "different");
  }
  return answer_text(parts, answer, code);
}

/* Every kind of loss, with a ledger that is read. */
static int32_t do_sweep(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const uint32_t set[] = {0, 1, 1}, offsets[] = {0, 3};
  rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule};
  rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts,
                           .flags = REBAL_SWEEP_FLAG_BINDINGS,
                           .schedule = &schedule,
                           .kinds = 126,
                           .set_clusters = set,
                           .set_offsets = offsets,
                           .n_sets = 1};
  int32_t code = open_core(parts, err);
  code = FIRST(code, load(parts, "tutorial/clusters.yaml", err));
  code = FIRST(code, load(parts, "tutorial/binding.yaml", err));
  code = FIRST(code, feed(parts, err));
  code = FIRST(code, rebal_ledger_new(parts->fleet, NULL, &parts->ledger, err));
  code = FIRST(code, rebal_compat_new(NULL, &parts->compat, err));
  code = FIRST(code, rebal_compat_set(parts->compat, REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 1, err));
  schedule.ledger = parts->ledger;
  schedule.compat = parts->compat;
  code = FIRST(code, rebal_sweep(parts->ctx, parts->snapshot, parts->bindings, &opts, parts->result, err));
  for (size_t i = 0; code == REBAL_OK && i < rebal_result_count(parts->result, REBAL_TABLE_SWEPT); i++) {
    report(answer, rebal_result_text(parts->result, REBAL_SWEPT_NAME, i, NULL));
    report(answer, rebal_result_i64(parts->result, REBAL_SWEPT_MISSING, NULL)[i] > 0 ? "missing" : "fine");
  }
  return code;
}

/* What would have to be otherwise for each cluster. */
static int32_t do_counterfactual(struct parts *parts, struct answer *answer, rebal_error *err) {
  int32_t code = open_core(parts, err);
  code = FIRST(code, load(parts, "tutorial/clusters.yaml", err));
  code = FIRST(code, load(parts, "tutorial/binding.yaml", err));
  code = FIRST(code, feed(parts, err));
  for (uint32_t goal = 0; goal < 2; goal++) {
    code =
        FIRST(code, rebal_counterfactual(parts->ctx, parts->fleet, parts->bindings, 0, goal, NULL, parts->result, err));
    for (size_t i = 0; code == REBAL_OK && i < rebal_result_count(parts->result, REBAL_TABLE_COUNTERFACTUAL); i++) {
      report(answer, rebal_enum_name(REBAL_ENUM_SINGLE_CHANGE,
                                     rebal_result_i64(parts->result, REBAL_COUNTERFACTUAL_KIND, NULL)[i], NULL));
      report(answer, rebal_result_text(parts->result, REBAL_COUNTERFACTUAL_NAME, i, NULL));
    }
  }
  return code;
}

static int32_t do_simulation(struct parts *parts, const char *file, struct answer *answer, rebal_error *err) {
  rebal_simulation_summary summary = {.struct_size = (uint32_t)sizeof summary};
  const rebal_simulation_opts opts = {.struct_size = (uint32_t)sizeof opts, .max_admissions = 1000};
  int32_t code = open_text(parts, err);
  code = FIRST(code, rebal_simulation_new(&opts, &parts->simulation, err));
  code = FIRST(code, rebal_simulation_run(parts->simulation, example(file), REBAL_TERMINATED, REBAL_TEXT_FORMAT_JSON,
                                          parts->text, &summary, err));
  code = answer_text(parts, answer, code);
  report(answer, summary.failed == 0 && summary.held > 0 ? "held" : "failed");
  return code;
}

/* What the controllers of two kinds do in one pass. */
static int32_t do_deletion(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char objects[] =
      "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: a, uid: a, ownerReferences: [{uid: d, kind: "
      "Deployment, "
      "name: d, controller: true}]}, spec: {replicas: 0, selector: {matchLabels: {app: a}}}}\n"
      "---\n{apiVersion: v1, kind: Pod, metadata: {name: a-1, uid: x, labels: {app: a}}}\n"
      "---\n{apiVersion: apps.kruise.io/v1beta1, kind: StatefulSet, metadata: {name: b, uid: b}, "
      "spec: {replicas: 1, podManagementPolicy: Parallel, reserveOrdinals: [0, '2-3']}}\n"
      "---\n{apiVersion: v1, kind: Pod, metadata: {name: b-2, uid: \"y\", ownerReferences: [{uid: b, kind: "
      "StatefulSet, name: b, controller: true}]}}\n"
      "---\n{apiVersion: apps.kruise.io/v1beta1, kind: CloneSet, metadata: {name: c, uid: c}, spec: {replicas: 0}}\n"
      "---\n{apiVersion: v1, kind: Pod, metadata: {name: c-a, uid: z, ownerReferences: [{uid: c, kind: CloneSet, "
      "name: c, controller: true}]}}\n";
  static const char *const kinds[] = {"ReplicaSet", "StatefulSet", "CloneSet"};
  uint32_t actions[2] = {0, 0};
  rebal_deletion_rows rows = {.struct_size = (uint32_t)sizeof rows, .capacity = 2, .actions = actions};
  int32_t code = open_text(parts, err);
  code = FIRST(code, rebal_store_put(parts->store, objects, REBAL_TERMINATED, err));
  for (size_t i = 0; code == REBAL_OK && i < COUNT(kinds); i++) {
    const uint32_t object = rebal_store_next(parts->store, kinds[i], strlen(kinds[i]), REBAL_NONE);
    code = rebal_deletion_order(parts->store, object, &now, &rows, err);
    for (size_t j = 0; code == REBAL_OK && j < rows.n; j++) {
      report(answer, rebal_enum_name(REBAL_ENUM_DELETION_ACTION, actions[j], NULL));
    }
  }
  return answer_text(parts, answer, code);
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

#define RUN(name)                                                                               \
  static int32_t run_##name(const struct task *task, struct answer *answer, rebal_error *err) { \
    struct parts parts = {0};                                                                   \
    const int32_t code = do_##name(&parts, answer, err);                                        \
    (void)task;                                                                                 \
    free_parts(&parts);                                                                         \
    return code;                                                                                \
  }
#define ROW(name) {#name, run_##name, NULL},
/* clang-format off: one to a line */
#define TASKS(TASK)   \
  TASK(store)         \
  TASK(texts)         \
  TASK(validate)      \
  TASK(object_review) \
  TASK(patch)         \
  TASK(interpret)     \
  TASK(detect)        \
  TASK(follow)        \
  TASK(attach)        \
  TASK(watch)         \
  TASK(schedule)      \
  TASK(queue)         \
  TASK(rebalance)     \
  TASK(member)        \
  TASK(spread)        \
  TASK(united)        \
  TASK(record)        \
  TASK(deletion)      \
  TASK(plan)          \
  TASK(surge)         \
  TASK(drain)         \
  TASK(levels)        \
  TASK(sweep)         \
  TASK(counterfactual)
/* clang-format on */
TASKS(RUN)

static int32_t run_simulation(const struct task *task, struct answer *answer, rebal_error *err) {
  struct parts parts = {0};
  const int32_t code = do_simulation(&parts, task->file, answer, err);
  free_parts(&parts);
  return code;
}

const struct task tasks[] = {{"tutorial", run_simulation, "scenarios/tutorial.yaml"},
                             {"failover", run_simulation, "scenarios/failover-with-nodes.yaml"},
                             {"descheduler", run_simulation, "scenarios/descheduler-pending-replica.yaml"},
                             {"eviction", run_simulation, "scenarios/two-eviction-tasks-grace-periods.yaml"},
                             {"overcommit", run_simulation, "scenarios/overcommit-protection.yaml"},
                             {"unknown", run_simulation, "scenarios/unknown-kind-has-replicas.yaml"},
                             {"models", run_simulation, "scenarios/resource-models-are-consumed.yaml"},
                             {"drained", run_simulation, "scenarios/drained-node-pods-move-or-wait.yaml"},
                             {"rollout", run_simulation, "scenarios/surge-pods-in-the-rest.yaml"},
                             {"priority", run_simulation, "scenarios/preempted-low-priority-respread.yaml"},
                             {"elastic", run_simulation, "scenarios/elastic-deploy.yaml"},
                             {"paused", run_simulation, "scenarios/paused-scale-in.yaml"},
                             {"indexes", run_simulation, "scenarios/indexes-come-again.yaml"},
                             {"isolated", run_simulation, "scenarios/isolated-pod-comes-back.yaml"},
                             {"marked", run_simulation, "scenarios/marked-pods-are-replaced.yaml"},
                             {"retries", run_simulation, "scenarios/rebalancer-retries.yaml"},
                             {"joins", run_simulation, "scenarios/cluster-joins-later.yaml"},
                             {"migrate", run_simulation, "scenarios/disaster-recovery-migrate-back.yaml"},
                             {"mover", run_simulation, "scenarios/drain-by-plan.yaml"},
                             TASKS(ROW)};
const size_t n_tasks = COUNT(tasks);
