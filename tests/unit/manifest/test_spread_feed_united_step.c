/* SPDX-License-Identifier: MIT */
#include "manifest/store/requests.h"
#include "failing.h"
#include "uniteds.h"

#include <stdio.h>

static int32_t step(struct admission *admission, const char *kind, const char *name, const rebal_united_opts *opts) {
  const rebal_time now = time_of(NOW);
  return rebal_spread_feed_united_step(admission->ctx, admission->feeding.feed,
                                       find(admission->feeding.store, kind, "ns", name), &now, opts, admission->result,
                                       &admission->err);
}

static int32_t step_web(struct admission *admission) {
  const int32_t code = step(admission, "UnitedDeployment", "web", NULL);
  ck_assert_msg(code == REBAL_OK, "%s", admission->err.message);
  return code;
}

/* The names of the objects of actions of a kind, of scaled ones with their replicas. */
static void assert_actions(const struct admission *admission, int64_t kind, const char *wanted) {
  const rebal_result *result = admission->result;
  char found[256] = "";
  size_t len = 0;
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_ACTION); i++) {
    const rebal_record *payload = rebal_result_record(result, i);
    if (rebal_result_i64(result, REBAL_ACTION_KIND, NULL)[i] != kind) {
      continue;
    }
    len += (size_t)snprintf(found + len, sizeof found - len, "%s%s", len > 0 ? " " : "",
                            rebal_result_text(result, REBAL_ACTION_NAME, i, NULL));
    if (kind == REBAL_ACTION_KIND_SCALE) {
      const uint32_t node = rebal_record_next(payload, 0, REBAL_SCALE_SPEC_REPLICAS, REBAL_NONE);
      len += (size_t)snprintf(found + len, sizeof found - len, "=%d", (int)rebal_record_i64(payload, node));
    }
  }
  ck_assert_str_eq(found, wanted);
}

#define FIXED(name, metadata) \
  UNITED_OF(name, metadata,   \
            "replicas: 6, topology: {subsets: [{name: a, replicas: 4}, {name: b}, {name: c, replicas: 0}]}")

/* What scales the store has scaled is not scaled again. */
START_TEST(test_workloads_get_the_replicas_of_their_subsets) {
  struct admission admission = admission_open(FIXED("web", "") WEB_A WEB_B);
  const rebal_time now = time_of(NOW);
  (void)step_web(&admission);
  assert_actions(&admission, REBAL_ACTION_KIND_SCALE, "web-a=4");
  ck_assert_int_eq(rebal_store_carry_out(admission.feeding.store, admission.result, 0, &now, NULL, NULL), REBAL_OK);
  assert_member(admission.feeding.store, find(admission.feeding.store, "Deployment", "ns", "web-a"), "spec.replicas",
                "4");
  feeding_update(&admission.feeding);
  (void)step_web(&admission);
  assert_actions(&admission, REBAL_ACTION_KIND_SCALE, "");
  admission_close(&admission);
}
END_TEST

/* A workload without replicas in its spec has 1; one without a status has no running pods. */
START_TEST(test_what_workloads_leave_out_is_defaulted) {
  struct admission admission =
      admission_open(UNITED_OF("web", "", "replicas: 1, topology: {subsets: [{name: a, replicas: 0}, {name: b}]}")
                         SUBSET_OF("web", "apps/v1", "Deployment", "web-a", "a", "")
                             SUBSET_OF("web", "apps/v1", "StatefulSet", "web-b", "b", ", spec: {}"));
  (void)step_web(&admission);
  assert_actions(&admission, REBAL_ACTION_KIND_SCALE, "web-a=0");
  admission_close(&admission);
}
END_TEST

#define ONE ", spec: {replicas: 1}"
#define OTHERS                                                                                                    \
  SUBSET_OF("web", "apps/v1", "DaemonSet", "daemons", "a", ONE)                                                   \
  SUBSET_OF("web", "example.com/v1", "Deployment", "foreign", "a", ONE)                                           \
  SUBSET_OF("other", "apps/v1", "Deployment", "others", "a", ONE)                                                 \
  SUBSET_OF("web", "apps/v1", "Deployment", "unknown", "z", ONE)                                                  \
  SUBSET_OF("web", "apps/v1", "Deployment", "web-z", "a", ONE)                                                    \
  OBJECT_OF("apps/v1", "Deployment", "owned")                                                                     \
  ", labels: {apps.kruise.io/subset-name: a}, ownerReferences: [{uid: uid-web}, {uid: u, controller: true}]}" ONE \
  "}"                                                                                                             \
  "\n"
#define FAR                                                                                                    \
  "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: aa, namespace: far, labels: {apps.kruise.io/" \
  "subset-name: a}" OWNED_BY("apps.kruise.io/v1beta1", "UnitedDeployment", "web", "uid-web") "}" ONE "}\n"

START_TEST(test_only_what_it_controls_is_scaled) {
  struct admission admission = admission_open(FIXED("web", "") FIXED("empty", "") OTHERS FAR WEB_A);
  (void)step_web(&admission);
  assert_actions(&admission, REBAL_ACTION_KIND_SCALE, "web-a=4");
  ck_assert_int_eq(step(&admission, "UnitedDeployment", "empty", NULL), REBAL_OK);
  assert_actions(&admission, REBAL_ACTION_KIND_SCALE, "");
  ck_assert_int_eq(rebal_result_i64(admission.result, REBAL_ALLOCATED_FLAGS, NULL)[0], 0);
  admission_close(&admission);
}
END_TEST

START_TEST(test_one_that_is_being_deleted_scales_nothing) {
  struct admission admission = admission_open(FIXED("web", ", deletionTimestamp: '2026-03-14T08:59:00Z'") WEB_A WEB_B);
  (void)step_web(&admission);
  assert_actions(&admission, REBAL_ACTION_KIND_SCALE, "");
  ck_assert_int_eq(rebal_result_i64(admission.result, REBAL_ALLOCATED_REPLICAS, NULL)[0], 4);
  admission_close(&admission);
}
END_TEST

#define STRANGERS                                           \
  PART_OF("daemon", "apps/v1", "DaemonSet", "web-b", "b")   \
  PART_OF("other", "apps/v1", "ReplicaSet", "other-1", "a") \
  OBJECT_OF("v1", "Pod", "free") ", labels: {apps.kruise.io/subset-name: a}}}\n"                                       \
  OBJECT_OF("v1", "Pod", "owned") ", labels: {apps.kruise.io/subset-name: a}, ownerReferences: [{uid: uid-web-a-1, "   \
  "kind: ReplicaSet, name: web-a-1, apiVersion: apps/v1}]}}\n"

/* Each pod that is examined gets a label here. */
START_TEST(test_only_pods_below_are_examined) {
  struct admission admission = admission_open(
      WEB WEB_A WEB_B SET_OF("web-a-1", "web-a") SET_OF("web-a-2", "web-a") SET_OF("other-1", "other")
          PART_OF("p", "apps/v1", "ReplicaSet", "web-a-2", "a") PART_OF("q", "apps/v1", "ReplicaSet", "web-a-1", "a")
              PART_OF("r", "apps.kruise.io/v1alpha1", "CloneSet", "web-b", "b") STRANGERS);
  (void)step_web(&admission);
  assert_actions(&admission, REBAL_ACTION_KIND_PATCH_METADATA, "r q p");
  feeding_delete(&admission.feeding, "Pod", "q");
  feeding_delete(&admission.feeding, "CloneSet", "web-b");
  (void)step_web(&admission);
  assert_actions(&admission, REBAL_ACTION_KIND_PATCH_METADATA, "p");
  admission_close(&admission);
}
END_TEST

/* To rebal_united_step() rows NULL means all pods. */
START_TEST(test_without_workloads_there_are_no_pods) {
  struct admission admission = admission_open(WEB WEB_A PART_OF("other", "apps/v1", "ReplicaSet", "other-1", "a"));
  (void)step_web(&admission);
  assert_actions(&admission, REBAL_ACTION_KIND_PATCH_METADATA, "");
  admission_close(&admission);
}
END_TEST

/* What the store has lost since the last update is missing. */
START_TEST(test_a_workload_that_is_gone_is_missing) {
  struct admission admission = admission_open(FIXED("web", "") WEB_A);
  rebal_store *store = admission.feeding.store;
  ck_assert_int_eq(rebal_store_remove(store, find(store, "Deployment", "ns", "web-a"), NULL), REBAL_OK);
  (void)step_web(&admission);
  assert_actions(&admission, REBAL_ACTION_KIND_SCALE, "");
  ck_assert_int_eq(rebal_store_remove(store, find(store, "UnitedDeployment", "ns", "web"), NULL), REBAL_OK);
  ck_assert_int_eq(step(&admission, "UnitedDeployment", "web", NULL), REBAL_ENOTFOUND);
  admission_close(&admission);
}
END_TEST

static const struct {
  const char *text;
  int32_t code;
  const char *field, *named;
} unreadable[] = {
    {SUBSET_OF("web", "apps.kruise.io/v1alpha1", "CloneSet", "web-a", "a", ", spec: {replicas: many}"), REBAL_EPARSE,
     "spec.replicas", "web-a"},
    {SUBSET_OF("web", "apps.kruise.io/v1alpha1", "CloneSet", "web-a", "a", ", spec: {replicas: 3000000000}"),
     REBAL_ERANGE, "spec.replicas", "web-a"},
    {SUBSET_OF("web", "apps.kruise.io/v1alpha1", "CloneSet", "web-a", "a", ", status: {replicas: []}"), REBAL_EPARSE,
     "status.replicas", "web-a"},
    {SUBSET_OF("web", "apps.kruise.io/v1alpha1", "CloneSet", "web-a", "a", ", status: {readyReplicas: {}}"),
     REBAL_EPARSE, "status.readyReplicas", "web-a"},
    {SUBSET_OF("web", "apps.kruise.io/v1alpha1", "CloneSet", "web-a", "a", ", spec: {replicas: -1}"), REBAL_ERANGE, "",
     "negative"},
};

START_TEST(test_what_cannot_be_read_is_named) {
  struct admission admission = admission_open(FIXED("web", ""));
  feeding_load(&admission.feeding, unreadable[_i].text);
  ck_assert_int_eq(step(&admission, "UnitedDeployment", "web", NULL), unreadable[_i].code);
  ck_assert_str_eq(admission.err.field, unreadable[_i].field);
  ck_assert_msg(strstr(admission.err.message, unreadable[_i].named) != NULL, "%s", admission.err.message);
  admission_close(&admission);
}
END_TEST

START_TEST(test_what_the_feed_has_is_not_the_callers) {
  struct admission admission = admission_open(FIXED("web", "") WEB_A);
  const uint32_t row = 0;
  rebal_united_opts opts = {.struct_size = (uint32_t)sizeof opts, .n = 1};
  ck_assert_int_eq(step(&admission, "UnitedDeployment", "web", &opts), REBAL_EINVAL);
  ck_assert_str_eq(admission.err.message, "the options have subsets of their own");
  opts = (rebal_united_opts){.struct_size = (uint32_t)sizeof opts, .rows = &row, .n_rows = 1};
  ck_assert_int_eq(step(&admission, "UnitedDeployment", "web", &opts), REBAL_EINVAL);
  ck_assert_str_eq(admission.err.message, "the options have rows of their own");
  opts = (rebal_united_opts){.struct_size = (uint32_t)sizeof opts, .flags = 1};
  ck_assert_int_eq(step(&admission, "UnitedDeployment", "web", &opts), REBAL_EUNSUPPORTED);
  opts = (rebal_united_opts){.struct_size = 1};
  ck_assert_int_eq(step(&admission, "UnitedDeployment", "web", &opts), REBAL_EABI);
  opts = (rebal_united_opts){.struct_size = (uint32_t)sizeof opts};
  ck_assert_int_eq(step(&admission, "UnitedDeployment", "web", &opts), REBAL_OK);
  admission_close(&admission);
}
END_TEST

START_TEST(test_a_step_needs_a_united_deployment_of_the_feed) {
  struct admission admission = admission_open(FIXED("web", "") WEB_A);
  const rebal_time now = time_of(NOW);
  rebal_spread_feed *feed = admission.feeding.feed;
  const uint32_t web = find(admission.feeding.store, "UnitedDeployment", "ns", "web");
  ck_assert_int_eq(step(&admission, "Deployment", "web-a", NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_spread_feed_united_step(admission.ctx, feed, REBAL_NONE, &now, NULL, admission.result, NULL),
                   REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_spread_feed_united_step(admission.ctx, NULL, web, &now, NULL, admission.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_united_step(NULL, feed, web, &now, NULL, admission.result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_united_step(admission.ctx, feed, web, NULL, NULL, admission.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_united_step(admission.ctx, feed, web, &now, NULL, NULL, NULL), REBAL_EINVAL);
  admission_close(&admission);
}
END_TEST

/* ---- what is sent ---- */

static const struct {
  uint32_t format;
  const char *content_type, *body;
} bodies[] = {
    {REBAL_TEXT_FORMAT_JSON, "application/merge-patch+json",
     "{\"spec\":{\"replicas\":4},\"metadata\":{\"uid\":\"uid-web-a\"}}"},
    {REBAL_TEXT_FORMAT_JSON_PATCH, "application/json-patch+json",
     "[{\"op\":\"test\",\"path\":\"/metadata/uid\",\"value\":\"uid-web-a\"},"
     "{\"op\":\"add\",\"path\":\"/spec/replicas\",\"value\":4}]"},
};

START_TEST(test_the_subresource_is_patched) {
  struct admission admission = admission_open(FIXED("web", "") WEB_A);
  rebal_request request = {.struct_size = (uint32_t)sizeof request};
  const rebal_render_opts opts = {sizeof opts, bodies[_i].format, "me", REBAL_TERMINATED};
  (void)step_web(&admission);
  ck_assert_int_eq(rebal_store_render_action(admission.feeding.store, admission.result, 0, &opts, admission.text,
                                             &request, &admission.err),
                   REBAL_OK);
  ck_assert_str_eq(request.method, "PATCH");
  ck_assert_str_eq(request.path, "/apis/apps/v1/namespaces/ns/deployments/web-a/scale?fieldManager=me");
  ck_assert_str_eq(request.content_type, bodies[_i].content_type);
  ck_assert_str_eq(request.body, bodies[_i].body);
  feeding_delete(&admission.feeding, "Deployment", "web-a");
  ck_assert_int_eq(
      rebal_store_render_action(admission.feeding.store, admission.result, 0, &opts, admission.text, &request, NULL),
      REBAL_ENOTFOUND);
  admission_close(&admission);
}
END_TEST

#define SCALED                                                                                                    \
  "{\"apiVersion\": \"autoscaling/v1\", \"kind\": \"Scale\", \"metadata\": {\"name\": \"web-a\", \"namespace\": " \
  "\"ns\", \"uid\": \"uid-web-a\", \"resourceVersion\": \"9\"}, \"spec\": {\"replicas\": 4}, \"status\": "        \
  "{\"replicas\": 2}}"

/* The Scale that answers is another object. */
START_TEST(test_the_answer_leaves_the_workload_to_its_watch) {
  struct admission admission = admission_open(FIXED("web", "") WEB_A);
  rebal_store *store = admission.feeding.store;
  const uint64_t count = rebal_store_change_count(store);
  rebal_observations *observations = NULL;
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  (void)step_web(&admission);
  ck_assert_int_eq(
      rebal_store_take_answer(store, admission.result, 0, 200, SCALED, REBAL_TERMINATED, observations, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_store_change_count(store), count);
  rebal_observations_free(observations);
  admission_close(&admission);
}
END_TEST

/* A workload of another uid is left alone. */
START_TEST(test_the_uid_must_be_the_same) {
  struct admission admission = admission_open(FIXED("web", "") WEB_A);
  rebal_store *store = admission.feeding.store;
  const rebal_time now = time_of(NOW);
  (void)step_web(&admission);
  feeding_delete(&admission.feeding, "Deployment", "web-a");
  load(store, OBJECT_OF("apps/v1", "Deployment", "web-a") ", uid: other}, spec: {replicas: 7}}\n");
  ck_assert_int_eq(rebal_store_carry_out(store, admission.result, 0, &now, NULL, NULL), REBAL_OK);
  assert_member(store, find(store, "Deployment", "ns", "web-a"), "spec.replicas", "7");
  admission_close(&admission);
}
END_TEST

static int fails(size_t place) {
  struct admission admission =
      admission_open(WEB WEB_A WEB_B SET_OF("web-a-1", "web-a") PART_OF("p", "apps/v1", "ReplicaSet", "web-a-1", "a"));
  int32_t code;
  requests = 0;
  fail_at = place;
  code = step(&admission, "UnitedDeployment", "web", NULL);
  fail_at = 0;
  ck_assert(code == REBAL_OK || code == REBAL_ENOMEM);
  (void)step_web(&admission);
  assert_actions(&admission, REBAL_ACTION_KIND_SCALE, "web-a=4");
  admission_close(&admission);
  return code != REBAL_OK;
}

START_TEST(test_without_memory_nothing_is_kept) {
  size_t place = 1;
  json_set_alloc_funcs(allocate, free);
  while (fails(place)) {
    place++;
  }
  json_set_alloc_funcs(malloc, free);
  ck_assert_uint_gt(place, 20u);
}
END_TEST

UNIT_CASE(spread_feed_united_step) {
  TCase *cases = tcase_create("spread_feed_united_step");
  tcase_add_test(cases, test_workloads_get_the_replicas_of_their_subsets);
  tcase_add_test(cases, test_what_workloads_leave_out_is_defaulted);
  tcase_add_test(cases, test_only_what_it_controls_is_scaled);
  tcase_add_test(cases, test_one_that_is_being_deleted_scales_nothing);
  tcase_add_test(cases, test_only_pods_below_are_examined);
  tcase_add_test(cases, test_without_workloads_there_are_no_pods);
  tcase_add_test(cases, test_a_workload_that_is_gone_is_missing);
  tcase_add_loop_test(cases, test_what_cannot_be_read_is_named, 0, COUNT(unreadable));
  tcase_add_test(cases, test_what_the_feed_has_is_not_the_callers);
  tcase_add_test(cases, test_a_step_needs_a_united_deployment_of_the_feed);
  tcase_add_loop_test(cases, test_the_subresource_is_patched, 0, COUNT(bodies));
  tcase_add_test(cases, test_the_answer_leaves_the_workload_to_its_watch);
  tcase_add_test(cases, test_the_uid_must_be_the_same);
  tcase_add_test(cases, test_without_memory_nothing_is_kept);
  return cases;
}
