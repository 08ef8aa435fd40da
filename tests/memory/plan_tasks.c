/* SPDX-License-Identifier: MIT */
/* Plans: made, kept as bytes, and carried out beside Karmada's scheduler. As those of tasks.c. */
#include "parts.h"

/* A plan with limits, a budget and a cluster that is drained; then as bytes and back. */
int32_t do_plan(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const uint32_t drained[] = {0};
  const rebal_limit total = {.struct_size = sizeof total, .scope = REBAL_LIMIT_SCOPE_TOTAL, .replicas = 1};
  const rebal_limit each = {.struct_size = sizeof each, .scope = REBAL_LIMIT_SCOPE_NAMESPACE, .replicas = 5};
  const rebal_limit *const limits[] = {&total, &each};
  rebal_plan_opts opts = {.struct_size = sizeof opts, .limits = limits, .n_limits = 2, .drained = drained};
  unsigned char bytes[4096];
  size_t len = 0;
  int32_t code = open_core(parts, err);
  code = FIRST(code, load(parts, "tutorial/clusters.yaml", err));
  code = FIRST(code, load(parts, "tutorial/binding.yaml", err));
  code = FIRST(code, feed(parts, err));
  for (opts.mode = REBAL_PLAN_MODE_FRESH; code == REBAL_OK && opts.mode <= REBAL_PLAN_MODE_LEAST; opts.mode++) {
    rebal_plan *plan = NULL, *loaded = NULL;
    opts.n_drained = opts.mode == REBAL_PLAN_MODE_STEADY;
    code = rebal_plan_make(parts->ctx, parts->snapshot, parts->bindings, &now, &opts, &plan, err);
    code = FIRST(code, rebal_plan_save(plan, bytes, sizeof bytes, &len, err));
    code = FIRST(code, rebal_plan_load(parts->fleet, NULL, bytes, len, &loaded, err));
    code = FIRST(code, rebal_plan_read(loaded, parts->result, err));
    for (size_t i = 0; code == REBAL_OK && i < rebal_result_count(parts->result, REBAL_TABLE_PLANNED); i++) {
      report(answer, rebal_result_text(parts->result, REBAL_PLANNED_NAME, i, NULL));
    }
    rebal_plan_free(plan);
    rebal_plan_free(loaded);
  }
  return code;
}

/* ---- carried out ------------------------------------------------------------------------------------------------- */

static const rebal_time later[] = {{1773478800, 0, 1}, {1773478810, 0, 1}, {1773478820, 0, 1},
                                   {1773478830, 0, 1}, {1773478840, 0, 1}, {1773478850, 0, 1}};

#define MEMBER(name, n) "{clusterName: " name ", status: {replicas: " n ", readyReplicas: " n "}}"
#define STATUS(items) "{status: {aggregatedStatus: [" items "]}}"

/* What members report is put into the store, then the step is made, and what it writes put into the store. */
static int32_t do_wave(struct parts *parts, const rebal_plan *plan, const char *status, const rebal_time *time,
                       struct answer *answer, rebal_error *err) {
  const rebal_plan_step_opts opts = {.struct_size = sizeof opts, .dialect = REBAL_PLAN_DIALECT_KARMADA};
  const uint32_t object = rebal_store_find(parts->store, "ResourceBinding", 15, "default", 7, "foo-deployment", 14);
  int32_t code = rebal_store_patch(parts->store, object, status, REBAL_TERMINATED, time, err);
  if (code == REBAL_OK) {
    rebal_bindings_reset(parts->bindings);
    code = rebal_store_feed_bindings(parts->store, parts->fleet, NULL, 0, parts->bindings, err);
  }
  code = FIRST(code, rebal_bindings_freeze(parts->bindings, err));
  code =
      FIRST(code, rebal_plan_step(parts->ctx, parts->snapshot, parts->bindings, plan, time, &opts, parts->result, err));
  for (size_t i = 0; code == REBAL_OK && i < rebal_result_count(parts->result, REBAL_TABLE_WAVE); i++) {
    report(answer,
           rebal_enum_name(REBAL_ENUM_WAVE_STATE, rebal_result_i64(parts->result, REBAL_WAVE_STATE, NULL)[i], NULL));
  }
  for (size_t i = 0; code == REBAL_OK && i < rebal_result_count(parts->result, REBAL_TABLE_ACTION); i++) {
    code = rebal_store_render_action(parts->store, parts->result, i, NULL, parts->text, NULL, err);
    code = answer_text(parts, answer, code);
    code = FIRST(code, rebal_store_carry_out(parts->store, parts->result, i, time, NULL, err));
  }
  return code;
}

/* Drains member2, in which all three replicas are. */
static int32_t carry_out(struct parts *parts, int64_t max_surge, const char *const *statuses, size_t n,
                         struct answer *answer, rebal_error *err) {
  static const uint32_t drained[] = {1};
  const rebal_plan_opts opts = {.struct_size = sizeof opts,
                                .flags = REBAL_PLAN_FLAG_SURGE_GIVEN,
                                .drained = drained,
                                .n_drained = 1,
                                .max_surge = max_surge};
  rebal_plan *plan = NULL;
  int32_t code = open_core(parts, err);
  code = FIRST(code, load(parts, "tutorial/clusters.yaml", err));
  code = FIRST(code, load(parts, "tutorial/binding.yaml", err));
  code = FIRST(code, feed(parts, err));
  code = FIRST(code, rebal_plan_make(parts->ctx, parts->snapshot, parts->bindings, &now, &opts, &plan, err));
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = do_wave(parts, plan, statuses[i], &later[i], answer, err);
  }
  rebal_plan_free(plan);
  return FIRST(code, report_store(parts, answer, err));
}

/* Suspended, and resumed with the last write. */
int32_t do_surge(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char *const statuses[] = {STATUS(MEMBER("member2", "3")),
                                         STATUS(MEMBER("member2", "3")),
                                         STATUS(MEMBER("member1", "2") ", " MEMBER("member2", "3")),
                                         STATUS(MEMBER("member1", "2") ", " MEMBER("member2", "1")),
                                         STATUS(MEMBER("member1", "3") ", " MEMBER("member2", "1")),
                                         STATUS(MEMBER("member1", "3"))};
  return carry_out(parts, 2, statuses, COUNT(statuses), answer, err);
}

/* By a task, which goes when member1 has them all. */
int32_t do_drain(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char *const statuses[] = {STATUS(MEMBER("member2", "3")), STATUS(MEMBER("member2", "3")),
                                         STATUS(MEMBER("member1", "3") ", " MEMBER("member2", "3")),
                                         STATUS(MEMBER("member1", "3"))};
  return carry_out(parts, 3, statuses, COUNT(statuses), answer, err);
}

/* ---- what it does in a member ------------------------------------------------------------------------------------ */

#define APIS \
  "apiEnablements: [{groupVersion: apps/v1, resources: [{kind: ReplicaSet, name: a}, {kind: Deployment, name: b}]}]"
#define RESOURCE(kind, name) "resource: {apiVersion: apps/v1, kind: " kind ", namespace: default, name: " name "}"
#define BINDING(kind, name, now, other)                                                                         \
  "---\n{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: " name                   \
  ", namespace: default}, spec: {" RESOURCE(                                                                    \
      kind, name) ", replicas: 3, clusters: [{name: m1, replicas: " now "}, {name: m2, replicas: " other        \
                  "}], placement: {replicaScheduling: {replicaSchedulingType: Divided, "                        \
                  "replicaDivisionPreference: Weighted, weightPreference: {staticWeightList: [{targetCluster: " \
                  "{clusterNames: "                                                                             \
                  "[m1]}, weight: " other "}, {targetCluster: {clusterNames: [m2]}, weight: " now "}]}}}}}\n"
#define CLUSTER(name) \
  "---\n{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: " name "}, status: {" APIS "}}\n"
#define OWNED(name, more)                                                               \
  "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default" more \
  ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: goes, uid: a, controller: true}]}}\n"

/* A ReplicaSet that has one replica less, and a Deployment that comes for the first time, with a WorkloadSpread. */
int32_t do_levels(struct parts *parts, struct answer *answer, rebal_error *err) {
  static const char objects[] = CLUSTER("m1") CLUSTER("m2") BINDING("Deployment", "comes", "1", "2")
      BINDING("ReplicaSet", "goes", "2", "1")
      "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: comes, namespace: default, uid: b}, spec: "
      "{template: {metadata: {labels: {app: a}}, spec: {containers: [{name: c}]}}}}\n";
  static const char inside[] =
      "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: goes, namespace: default, uid: a}, spec: {replicas: "
      "2}}\n" OWNED("a-1", ", annotations: {apps.kruise.io/matched-workloadspread: "
                    "'{\"name\":\"ws\",\"subset\":\"far\"}'}") OWNED("a-2", "")
      "---\n{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: ws, namespace: default}, "
      "spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: comes}, subsets: [{name: near, maxReplicas: "
      "50%}, {name: far}]}}\n";
  uint32_t states[8], subsets[8];
  rebal_member_rows rows = {.struct_size = sizeof rows, .capacity = 8, .states = states, .subsets = subsets};
  rebal_store *member = NULL;
  rebal_plan *plan = NULL;
  int32_t code = open_core(parts, err);
  code = FIRST(code, rebal_store_put(parts->store, objects, REBAL_TERMINATED, err));
  code = FIRST(code, rebal_store_new(NULL, &member, err));
  code = FIRST(code, rebal_store_put(member, inside, REBAL_TERMINATED, err));
  code = FIRST(code, feed(parts, err));
  code = FIRST(code, rebal_plan_make(parts->ctx, parts->snapshot, parts->bindings, &now, NULL, &plan, err));
  code = FIRST(code, rebal_plan_member(plan, parts->store, 0, member, &now, NULL, &rows, err));
  for (size_t i = 0; code == REBAL_OK && i < rows.n; i++) {
    report(answer, rebal_enum_name(REBAL_ENUM_MEMBER_REPLICA, states[i], NULL));
    report(answer, subsets[i] == 0 ? "near" : subsets[i] == 1 ? "far" : "none");
  }
  rebal_plan_free(plan);
  rebal_store_free(member);
  return code;
}
