/* SPDX-License-Identifier: MIT */
#include "../manifest/stores.h"

#include <rebalance/detector.h>

#include <stdio.h>
#include <stdlib.h>

#define WEB                                                                                           \
  "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, uid: web-uid, resourceVersion: '9', " \
  "labels: {app: x}}\n"
#define CONFIG "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'c:1', namespace: other}\n"
#define POLICY(name, spec)                                                                                         \
  "---\napiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: " name ", uid: id-" name \
  "}\nspec: {" spec "}\n"
#define CLUSTER_POLICY(name, spec)                                                                      \
  "---\napiVersion: policy.karmada.io/v1alpha1\nkind: ClusterPropagationPolicy\nmetadata: {name: " name \
  ", uid: id-" name "}\nspec: {" spec "}\n"
#define ALL "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]"
#define LABELLED "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {app: x}}}]"
#define NAMED "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]"

/* The detector of a test, for its current store. */
static rebal_detector *detector;

static rebal_detector *beside(rebal_store *store) {
  static const rebal_store *watched;
  const rebal_detector_opts opts = {.struct_size = sizeof opts,
                                    .flags = REBAL_DETECTOR_FLAG_ADMISSION,
                                    .gates = UINT32_C(1) << REBAL_DETECTOR_GATE_WORKLOAD_AFFINITY};
  if (detector == NULL || watched != store) {
    ck_assert_int_eq(rebal_detector_new(store, &opts, &detector, NULL), REBAL_OK);
    watched = store;
  }
  return detector;
}

static void close_both(rebal_store *store) {
  rebal_detector_free(detector);
  detector = NULL;
  rebal_store_free(store);
}

static void derive(rebal_store *store, const char *at) {
  const rebal_time now = time_of(at);
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_detector_derive(beside(store), NULL, 0, &now, &err) == REBAL_OK, "%s", err.message);
}

static uint32_t web_binding(const rebal_store *store) {
  return find(store, "ResourceBinding", "default", "web-deployment");
}

static const struct {
  const char *text;
  const char *id; /* of the policy that applies to the workload; empty: none */
} choices[] = {
    {WEB, ""},
    {WEB POLICY("b", ALL) POLICY("a", ALL), "id-a"},
    {WEB POLICY("a", ALL) POLICY("b", ALL ", priority: 1"), "id-b"},
    {WEB POLICY("a", ALL ", priority: 9") POLICY("b", LABELLED), "id-a"},
    {WEB POLICY("a", LABELLED ", priority: 9") POLICY("b", NAMED), "id-a"},
    {WEB POLICY("a", NAMED ", priority: -1") POLICY("b", NAMED ", priority: -2"), "id-a"},
    {WEB CLUSTER_POLICY("a", NAMED ", priority: 9") POLICY("b", ALL), "id-b"},
    {WEB CLUSTER_POLICY("a", ALL), "id-a"},
    {WEB POLICY("a", "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: other}]"), ""},
    {WEB POLICY("a", "resourceSelectors: [{apiVersion: v1, kind: Deployment}]"), ""},
    {WEB POLICY("a", "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, namespace: other}]"), ""},
    {WEB CLUSTER_POLICY("a", "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, namespace: default}]"),
     "id-a"},
    {WEB POLICY("a",
                "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {"
                "app: other}}}]"),
     ""},
    {WEB POLICY("a",
                "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchExpressions: "
                "[{key: app, operator: In, values: [x, z]}, {key: b, operator: DoesNotExist}, {key: app, "
                "operator: "
                "Exists}, {key: b, operator: NotIn, values: [q]}]}}]"),
     "id-a"},
    {WEB POLICY("a",
                "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchExpressions: "
                "[{key: app, operator: NotIn, values: [x]}]}}]"),
     ""},
    {WEB POLICY("a",
                "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchExpressions: "
                "[{key: app, operator: In}]}}]"),
     ""},
    {WEB "---\napiVersion: example.com/v1\nkind: PropagationPolicy\nmetadata: {name: a, uid: id-a}\nspec: {" ALL "}\n",
     ""},
    {WEB CLUSTER_POLICY("a", NAMED) CLUSTER_POLICY(
         "b", "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, namespace: default, name: web}]"),
     "id-a"},
    {WEB CLUSTER_POLICY("a", ALL) CLUSTER_POLICY(
         "b", "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, namespace: default}], priority: 1"),
     "id-b"},
    {WEB POLICY("a", "resourceSelectors: [{apiVersion: v1, kind: Deployment, name: web}]") POLICY("b", ALL), "id-b"},
    {WEB POLICY("a",
                "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: apps/v1, kind: "
                "Deployment, name: web}]") POLICY("b", ALL),
     "id-a"},
};

START_TEST(test_the_policy_that_takes_a_workload) {
  rebal_store *store = store_of(choices[_i].text);
  uint32_t binding;
  derive(store, NOW);
  binding = web_binding(store);
  ck_assert_int_eq(binding != REBAL_NONE, choices[_i].id[0] != '\0');
  if (binding != REBAL_NONE) {
    char *cluster = member_of(store, binding, "metadata.labels[\"clusterpropagationpolicy.karmada.io/permanent-id\"]");
    if (*cluster == '\0') {
      assert_member(store, binding, "metadata.labels[\"propagationpolicy.karmada.io/permanent-id\"]", choices[_i].id);
    } else {
      ck_assert_str_eq(cluster, choices[_i].id);
    }
    free(cluster);
  }
  close_both(store);
}
END_TEST

START_TEST(test_the_binding_of_a_deployment) {
  rebal_store *store =
      store_of(WEB "spec: {template: {spec: {containers: [{resources: {requests: {cpu: 100m}}}]}}}\n" POLICY(
          "a", ALL ", schedulerName: s, propagateDeps: true, suspension: {dispatching: true}, placement: {"
                   "replicaScheduling: {}, "
                   "workloadAffinity: {affinity: {groupByLabelKey: app}}}, failover: {cluster: {}}"));
  derive(store, NOW);
  assert_written(
      store, web_binding(store), REBAL_TEXT_FORMAT_JSON,
      "{\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\",\"metadata\":{"
      "\"name\":\"web-deployment\","
      "\"namespace\":\"default\",\"ownerReferences\":[{\"apiVersion\":\"apps/"
      "v1\",\"kind\":\"Deployment\",\"name\":\"web\","
      "\"uid\":\"web-uid\",\"controller\":true,\"blockOwnerDeletion\":true}],"
      "\"finalizers\":[\"karmada.io/binding-controller\"],"
      "\"labels\":{\"propagationpolicy.karmada.io/permanent-id\":\"id-a\"},\"annotations\":{"
      "\"propagationpolicy.karmada.io/namespace\":\"default\",\"propagationpolicy.karmada.io/name\":\"a\"},"
      "\"uid\":\"ff3bd523-2838-88d9-9f22-f3e784eca1aa\",\"creationTimestamp\":\"2026-03-14T09:00:00Z\","
      "\"generation\":1,"
      "\"resourceVersion\":\"1\"},\"spec\":{\"resource\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\","
      "\"namespace\":"
      "\"default\",\"name\":\"web\",\"uid\":\"web-uid\",\"resourceVersion\":\"9\"},\"replicas\":1,"
      "\"replicaRequirements\":{"
      "\"resourceRequest\":{\"cpu\":\"100m\"}},\"placement\":{\"replicaScheduling\":{"
      "\"replicaSchedulingType\":\"Divided\","
      "\"replicaDivisionPreference\":\"Weighted\"},\"workloadAffinity\":{\"affinity\":{\"groupByLabelKey\":\"app\"}}},"
      "\"failover\":{\"cluster\":{\"purgeMode\":\"Gracefully\"}},\"schedulerName\":\"s\","
      "\"workloadAffinityGroups\":{\"affinityGroup\":\"app=x\"},\"propagateDeps\":true,"
      "\"conflictResolution\":\"Abort\",\"suspension\":{\"dispatching\":true}}}");
  close_both(store);
}
END_TEST

START_TEST(test_bindings_of_what_has_no_replicas) {
  rebal_store *store = store_of(CONFIG "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n" CLUSTER_POLICY(
      "p", "resourceSelectors: [{apiVersion: v1, kind: ConfigMap}, {apiVersion: v1, kind: Namespace}]"));
  uint32_t binding;
  derive(store, NOW);
  binding = find(store, "ResourceBinding", "other", "c.1-configmap");
  ck_assert_uint_ne(binding, REBAL_NONE);
  assert_member(store, binding, "spec.replicas", "");
  assert_member(store, binding, "spec.replicaRequirements", "");
  assert_member(store, binding, "spec.placement", "{}");
  binding = find(store, "ClusterResourceBinding", "", "team-namespace");
  ck_assert_uint_ne(binding, REBAL_NONE);
  assert_member(store, binding, "spec.resource", "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"name\":\"team\"}");
  close_both(store);
}
END_TEST

START_TEST(test_an_update_keeps_what_the_scheduler_wrote) {
  rebal_store *store = store_of(WEB "spec: {replicas: 2}\n" POLICY(
      "a",
      ALL) "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: web-deployment, "
           "generation: 4}\n"
           "spec: {suspension: {scheduling: true}, clusters: [{name: m}], gracefulEvictionTasks: [{fromCluster: q}],\n"
           "  rescheduleTriggeredAt: '2026-01-01T00:00:00Z'}\nstatus: {schedulerObservedGeneration: 4}\n");
  const uint32_t binding = web_binding(store);
  derive(store, NOW);
  assert_member(store, binding, "spec.replicas", "2");
  assert_member(store, binding, "spec.suspension", "{\"scheduling\":true}");
  assert_member(store, binding, "spec.clusters", "[{\"name\":\"m\"}]");
  assert_member(store, binding, "spec.gracefulEvictionTasks", "[{\"fromCluster\":\"q\"}]");
  assert_member(store, binding, "spec.rescheduleTriggeredAt", "2026-01-01T00:00:00Z");
  assert_member(store, binding, "status.schedulerObservedGeneration", "4");
  assert_member(store, binding, "metadata.generation", "5");
  assert_member(store, binding, "metadata.resourceVersion", "1");
  derive(store, LATER);
  assert_member(store, binding, "metadata.resourceVersion", "1");
  close_both(store);
}
END_TEST

#define TEAM "apiVersion: v1\nkind: Namespace\nmetadata: {name: team, uid: team-uid}\n---\n"
#define BINDING_OF_TEAM                                                                                         \
  "---\napiVersion: work.karmada.io/v1alpha2\nkind: ClusterResourceBinding\nmetadata: {name: team-namespace}\n" \
  "spec: {propagateDeps: true, schedulePriority: {priority: 5}, schedulerName: old}\n"
#define BINDING_OF_WEB                                                                                           \
  "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: web-deployment, labels: {" \
  "propagationpolicy.karmada.io/permanent-id: id-old}}\nspec: {propagateDeps: true}\n"

/*
 * As a pass does: members that a ClusterPropagationPolicy does not own stay, as does the claim of a PropagationPolicy.
 */
START_TEST(test_an_update_by_a_cluster_policy) {
  static const char id[] = "metadata.labels[\"propagationpolicy.karmada.io/permanent-id\"]";
  rebal_store *store = store_of(TEAM WEB "spec: {replicas: 2}\n" BINDING_OF_TEAM BINDING_OF_WEB CLUSTER_POLICY(
      "a", "resourceSelectors: [{apiVersion: v1, kind: Namespace}, {apiVersion: apps/v1, kind: Deployment}]"));
  const uint32_t binding = find(store, "ClusterResourceBinding", "", "team-namespace");
  derive(store, NOW);
  assert_member(store, binding, "spec.propagateDeps", "true");
  assert_member(store, binding, "spec.schedulePriority", "{\"priority\":5}");
  assert_member(store, binding, "spec.schedulerName", "default-scheduler");
  assert_member(store, web_binding(store), "spec.propagateDeps", "");
  assert_member(store, web_binding(store), id, "id-old");
  close_both(store);
}
END_TEST

#define OWNED(uid)                                                                                      \
  "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: web-deployment, " \
  "ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: " uid                      \
  ", controller: true}]}\nspec: {"                                                                      \
  "replicas: 1}\n"

/* The binding of a former workload with this name stays until the garbage collector removes it. */
START_TEST(test_a_binding_of_another_owner) {
  static const struct {
    const char *text, *replicas;
  } owners[] = {{WEB "spec: {replicas: 2}\n" POLICY("a", ALL) OWNED("web-uid"), "2"},
                {WEB "spec: {replicas: 2}\n" POLICY("a", ALL) OWNED("former"), "1"},
                {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n" POLICY("a", ALL)
                     OWNED("former"),
                 "2"}};
  for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
    rebal_store *store = store_of(owners[i].text);
    derive(store, NOW);
    assert_member(store, web_binding(store), "spec.replicas", owners[i].replicas);
    close_both(store);
  }
}
END_TEST

/* If the bindings of several workloads would share a name, only the first workload gets it. */
START_TEST(test_a_name_that_bindings_share) {
  rebal_store *store = store_of(
      "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec: {replicas: 1}\n---\n"
      "apiVersion: apps.kruise.io/v1beta1\nkind: StatefulSet\nmetadata: {name: db}\nspec: {replicas: 2}\n---\n" WEB
      "spec: {replicas: 3}\n" POLICY(
          "a",
          "resourceSelectors: [{apiVersion: apps/v1, kind: StatefulSet}, {apiVersion: apps/v1, kind: "
          "Deployment}, {apiVersion: apps.kruise.io/v1beta1, kind: StatefulSet}]"));
  for (int i = 0; i < 2; i++) {
    derive(store, NOW);
    assert_member(store, find(store, "ResourceBinding", "default", "db-statefulset"), "spec.resource.apiVersion",
                  "apps/v1");
    assert_member(store, web_binding(store), "spec.replicas", "3");
    apply(store, POLICY("b", NAMED), LATER); /* all are derived again */
  }
  close_both(store);
}
END_TEST

START_TEST(test_a_new_version_of_the_workload_alone_is_not_a_change) {
  rebal_store *store = store_new();
  apply(store, WEB "spec: {replicas: 2}\n" POLICY("a", ALL), NOW);
  derive(store, NOW);
  apply(store,
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {app: z}}\nspec: {replicas: "
        "2}\n",
        LATER);
  derive(store, LATER);
  assert_member(store, web_binding(store), "metadata.generation", "1");
  assert_member(store, web_binding(store), "spec.resource.resourceVersion", "9");
  apply(store, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n", LATER);
  derive(store, LATER);
  assert_member(store, web_binding(store), "metadata.generation", "2");
  assert_member(store, web_binding(store), "spec.resource.resourceVersion", "11");
  close_both(store);
}
END_TEST

static void patch(rebal_store *store, uint32_t object, const char *text) {
  const rebal_time now = time_of(NOW);
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_store_patch(store, object, text, strlen(text), &now, &err) == REBAL_OK, "%s: %s", err.field,
                err.message);
}

/* Changes of a binding by others are reverted; a correct binding is not written. */
START_TEST(test_a_changed_binding_is_derived_again) {
  static const char *const patches[] = {"{spec: {replicas: 7}}", "{spec: {resource: {name: other}}}",
                                        "{spec: {resource: {namespace: other}}}", "{spec: {resource: null}}",
                                        "{metadata: {labels: null}}"};
  rebal_store *store = store_of(WEB POLICY("a", ALL));
  uint64_t changes;
  derive(store, NOW);
  changes = rebal_store_change_count(store);
  derive(store, NOW);
  ck_assert_uint_eq(rebal_store_change_count(store), changes);
  for (size_t i = 0; i < COUNT(patches); i++) {
    patch(store, web_binding(store), patches[i]);
    derive(store, NOW);
    assert_member(store, web_binding(store), "spec.replicas", "1");
    assert_member(store, web_binding(store), "spec.resource.name", "web");
    assert_member(store, web_binding(store), "spec.resource.namespace", "default");
    assert_member(store, web_binding(store), "metadata.labels[\"propagationpolicy.karmada.io/permanent-id\"]", "id-a");
  }
  ck_assert_int_eq(rebal_store_remove(store, web_binding(store), NULL), REBAL_OK);
  derive(store, NOW);
  ck_assert_uint_ne(web_binding(store), REBAL_NONE);
  close_both(store);
}
END_TEST

START_TEST(test_a_policy_that_changes_or_comes_concerns_all_workloads) {
  rebal_store *store = store_of(WEB POLICY("a", ALL));
  derive(store, NOW);
  patch(store, find(store, "PropagationPolicy", "default", "a"), "{spec: {schedulerName: mine}}");
  derive(store, NOW);
  assert_member(store, web_binding(store), "spec.schedulerName", "mine");
  load(store, POLICY("b", NAMED));
  derive(store, NOW);
  assert_member(store, web_binding(store), "metadata.labels[\"propagationpolicy.karmada.io/permanent-id\"]", "id-b");
  ck_assert_int_eq(rebal_store_remove(store, find(store, "PropagationPolicy", "default", "b"), NULL), REBAL_OK);
  derive(store, NOW);
  assert_member(store, web_binding(store), "metadata.labels[\"propagationpolicy.karmada.io/permanent-id\"]", "id-a");
  close_both(store);
}
END_TEST

/* If the class is missing, or the pod template names it, there is no binding, as in the reference. */
START_TEST(test_priorities_come_from_classes) {
  static const char high[] =
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 7\n";
  rebal_store *store = store_of(
      WEB POLICY("a", ALL ", schedulePriority: {priorityClassSource: KubePriorityClass, priorityClassName: high}"));
  derive(store, NOW);
  ck_assert_uint_eq(web_binding(store), REBAL_NONE);
  load(store, high);
  derive(store, NOW);
  assert_member(store, web_binding(store), "spec.schedulePriority.priority", "7");
  ck_assert_int_eq(rebal_detector_derive(beside(store), NULL, 0, NULL, NULL), REBAL_EINVAL);
  close_both(store);
  store = store_of(WEB "spec: {template: {spec: {priorityClassName: high}}}\n" POLICY(
      "a", ALL ", schedulePriority: {priorityClassSource: PodPriorityClass}"));
  load(store, high);
  derive(store, NOW);
  ck_assert_uint_eq(web_binding(store), REBAL_NONE);
  close_both(store);
}
END_TEST

/* Replicas as the interpreter reads them, with the defaults of the API server. */
static const struct {
  const char *version, *kind, *spec, *replicas;
} workloads[] = {
    {"apps/v1", "Deployment", "{}", "1"},
    {"apps/v1", "Deployment", "{replicas: 0}", ""},
    {"apps/v1", "StatefulSet", "{replicas: 4}", "4"},
    {"apps/v1", "DaemonSet", "{}", ""},
    {"batch/v1", "Job", "{parallelism: 3}", "3"},
    {"batch/v1", "Job", "{completions: 3}", "1"},
    {"v1", "Pod", "{containers: [{name: c}]}", "1"},
    {"apps.kruise.io/v1alpha1", "CloneSet", "{replicas: 5, template: {spec: {containers: []}}}", "5"},
    {"apps.kruise.io/v1alpha1", "CloneSet", "{template: {spec: {containers: []}}}", "1"},
};

START_TEST(test_replicas_of_all_kinds) {
  char text[2048];
  rebal_store *store;
  (void)snprintf(text, sizeof text,
                 "{apiVersion: %s, kind: %s, metadata: {name: x, namespace: default}, spec: %s}\n---\n{apiVersion: "
                 "policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: a}, spec: {resourceSelectors: "
                 "[{apiVersion: %s, kind: %s}]}}\n",
                 workloads[_i].version, workloads[_i].kind, workloads[_i].spec, workloads[_i].version,
                 workloads[_i].kind);
  store = store_of(text);
  derive(store, NOW);
  ck_assert_uint_eq(rebal_store_next(store, "ResourceBinding", 15, REBAL_NONE) == REBAL_NONE, 0);
  assert_member(store, rebal_store_next(store, "ResourceBinding", 15, REBAL_NONE), "spec.replicas",
                workloads[_i].replicas);
  close_both(store);
}
END_TEST

#define CLAIM(policy)                                                                                   \
  "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {propagationpolicy.karmada.io/" \
  "permanent-id: id-" policy                                                                            \
  "}, annotations: {propagationpolicy.karmada.io/namespace: default, "                                  \
  "propagationpolicy.karmada.io/name: " policy "}}\n"

/* A claim precedes every other policy, unless its policy is missing. */
START_TEST(test_claims) {
  rebal_store *store = store_of(CLAIM("a") POLICY("a", ALL) POLICY("b", NAMED ", priority: 9"));
  derive(store, NOW);
  assert_member(store, web_binding(store), "metadata.labels[\"propagationpolicy.karmada.io/permanent-id\"]", "id-a");
  close_both(store);
  store = store_of(CLAIM("gone") POLICY("b", NAMED));
  derive(store, NOW);
  assert_member(store, web_binding(store), "metadata.labels[\"propagationpolicy.karmada.io/permanent-id\"]", "id-b");
  close_both(store);
  store = store_of(CLAIM("a") POLICY("a", LABELLED));
  derive(store, NOW);
  ck_assert_uint_eq(web_binding(store), REBAL_NONE); /* the claiming policy does not select it */
  apply(store, POLICY("b", NAMED), NOW);
  derive(store, NOW);
  assert_member(store, web_binding(store), "metadata.labels[\"propagationpolicy.karmada.io/permanent-id\"]", "id-b");
  close_both(store);
}
END_TEST

START_TEST(test_namespaces_that_are_skipped) {
  rebal_store *store =
      store_of("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: dns, namespace: kube-system}\n" CLUSTER_POLICY(
          "a", ALL));
  derive(store, NOW);
  ck_assert_uint_eq(find(store, "ResourceBinding", "kube-system", "dns-deployment"), REBAL_NONE);
  close_both(store);
}
END_TEST

/* One policy for each workload is common: comparing each with all of them would outlast the test. */
START_TEST(test_many_policies) {
  const size_t n = 4000, capacity = 400;
  char *text = malloc(n * capacity);
  rebal_store *store;
  size_t len = 0;
  ck_assert_ptr_nonnull(text);
  for (unsigned i = 0; i < n; i++) {
    const int size = snprintf(text + len, capacity,
                              "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"w%u\"}}\n"
                              "{\"apiVersion\":\"policy.karmada.io/v1alpha1\",\"kind\":\"PropagationPolicy\","
                              "\"metadata\":{\"name\":\"p%u\"},\"spec\":{\"resourceSelectors\":[{\"apiVersion\":"
                              "\"apps/v1\",\"kind\":\"Deployment\",\"name\":\"w%u\"}]}}\n",
                              i, i, i);
    ck_assert(size > 0 && (size_t)size < capacity);
    len += (size_t)size;
  }
  store = store_of(text);
  derive(store, NOW);
  ck_assert_uint_eq(rebal_store_count(store), 3 * n);
  assert_member(store, find(store, "ResourceBinding", "default", "w3999-deployment"),
                "metadata.annotations[\"propagationpolicy.karmada.io/name\"]", "p3999");
  close_both(store);
  free(text);
}
END_TEST

static int32_t derive_some(rebal_store *store, const uint32_t *objects, size_t n, const char *at) {
  const rebal_time now = time_of(at);
  return rebal_detector_derive(beside(store), objects, n, &now, NULL);
}

/* Bindings of other workloads are not created now, and are created later. */
START_TEST(test_bindings_of_some_workloads) {
  rebal_store *store =
      store_of(WEB "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api}\n" POLICY("a", ALL));
  const uint32_t none = REBAL_NONE - 1, web = find(store, "Deployment", "default", "web");
  const uint32_t some[] = {web, find(store, "PropagationPolicy", "default", "a"), web};
  ck_assert_int_eq(derive_some(store, some, 0, NOW), REBAL_OK);
  ck_assert_uint_eq(rebal_store_count(store), 3);
  ck_assert_int_eq(derive_some(store, &none, 1, NOW), REBAL_ENOTFOUND);
  ck_assert_int_eq(derive_some(store, some, COUNT(some), NOW), REBAL_OK);
  ck_assert_uint_ne(web_binding(store), REBAL_NONE);
  ck_assert_uint_eq(rebal_store_count(store), 4);
  derive(store, LATER);
  ck_assert_uint_ne(find(store, "ResourceBinding", "default", "api-deployment"), REBAL_NONE);
  assert_member(store, web_binding(store), "metadata.creationTimestamp", NOW);
  ck_assert_int_eq(derive_some(store, &none, 1, NOW), REBAL_ENOTFOUND);
  patch(store, web_binding(store), "{spec: {replicas: 7}}");
  ck_assert_int_eq(derive_some(store, &web, 1, LATER), REBAL_OK);
  assert_member(store, web_binding(store), "spec.replicas", "1");
  close_both(store);
  store = store_new();
  ck_assert_int_eq(derive_some(store, &none, 1, NOW), REBAL_ENOTFOUND);
  close_both(store);
}
END_TEST

/* A dependency of a workload gets a binding once the workload has clusters, and follows them. */
START_TEST(test_dependencies) {
  rebal_store *store = store_of(
      WEB
      "spec: {template: {spec: {volumes: [{configMap: {name: conf}}]}}}\n---\napiVersion: v1\nkind: ConfigMap\n"
      "metadata: {name: conf}\n" POLICY("a", ALL ", propagateDeps: true"));
  uint64_t changes;
  uint32_t attached;
  derive(store, NOW);
  ck_assert_uint_eq(find(store, "ResourceBinding", "default", "conf-configmap"), REBAL_NONE);
  patch(store, web_binding(store), "{spec: {clusters: [{name: m, replicas: 1}]}}");
  derive(store, NOW);
  attached = find(store, "ResourceBinding", "default", "conf-configmap");
  ck_assert_uint_ne(attached, REBAL_NONE);
  assert_member(store, attached, "spec.requiredBy[0].name", "web-deployment");
  assert_member(store, attached, "spec.requiredBy[0].clusters[0].name", "m");
  assert_member(store, attached, "spec.placement", "");
  changes = rebal_store_change_count(store);
  derive(store, LATER);
  ck_assert_uint_eq(rebal_store_change_count(store), changes);
  patch(store, web_binding(store), "{spec: {clusters: [{name: other, replicas: 1}]}}");
  derive(store, LATER);
  assert_member(store, attached, "spec.requiredBy[0].clusters[0].name", "other");
  patch(store, find(store, "PropagationPolicy", "default", "a"), "{spec: {propagateDeps: null}}");
  derive(store, LATER);
  assert_member(store, attached, "spec.requiredBy", "");
  close_both(store);
}
END_TEST

/* Dependencies that are created later are found too. */
START_TEST(test_a_dependency_that_comes_later) {
  rebal_store *store = store_of(WEB "spec: {template: {spec: {volumes: [{configMap: {name: conf}}]}}}\n" POLICY(
      "a", ALL ", propagateDeps: true"));
  derive(store, NOW);
  patch(store, web_binding(store), "{spec: {clusters: [{name: m, replicas: 1}]}}");
  derive(store, NOW);
  ck_assert_uint_eq(find(store, "ResourceBinding", "default", "conf-configmap"), REBAL_NONE);
  load(store, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\n");
  derive(store, NOW);
  ck_assert_uint_ne(find(store, "ResourceBinding", "default", "conf-configmap"), REBAL_NONE);
  close_both(store);
}
END_TEST

UNIT_CASE(derive) {
  TCase *cases = tcase_create("derive");
  tcase_add_loop_test(cases, test_the_policy_that_takes_a_workload, 0, (int)COUNT(choices));
  tcase_add_test(cases, test_the_binding_of_a_deployment);
  tcase_add_test(cases, test_bindings_of_what_has_no_replicas);
  tcase_add_test(cases, test_an_update_keeps_what_the_scheduler_wrote);
  tcase_add_test(cases, test_an_update_by_a_cluster_policy);
  tcase_add_test(cases, test_a_binding_of_another_owner);
  tcase_add_test(cases, test_a_name_that_bindings_share);
  tcase_add_test(cases, test_a_new_version_of_the_workload_alone_is_not_a_change);
  tcase_add_test(cases, test_a_changed_binding_is_derived_again);
  tcase_add_test(cases, test_a_policy_that_changes_or_comes_concerns_all_workloads);
  tcase_add_test(cases, test_priorities_come_from_classes);
  tcase_add_loop_test(cases, test_replicas_of_all_kinds, 0, (int)COUNT(workloads));
  tcase_add_test(cases, test_claims);
  tcase_add_test(cases, test_namespaces_that_are_skipped);
  tcase_add_test(cases, test_many_policies);
  tcase_add_test(cases, test_bindings_of_some_workloads);
  tcase_add_test(cases, test_dependencies);
  tcase_add_test(cases, test_a_dependency_that_comes_later);
  return cases;
}
