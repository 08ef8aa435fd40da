/* SPDX-License-Identifier: MIT */
#include "admissions.h"

#define ZONE(zone) "patch: {metadata: {labels: {zone: " zone "}}}"
#define RUNS(name, zone) POD_OF(name, "ReplicaSet", "demo", "u", ", labels: {zone: " zone "}}, spec: {nodeName: node1")
#define NODE "---\n{apiVersion: v1, kind: Node, metadata: {name: node1}}\n"
#define OTHER OBJECT_OF("v1", "Pod", "other") "}, spec: {nodeName: node1}}\n"

static int32_t step(struct admission *admission, const char *kind, const char *name, const rebal_spread_opts *opts) {
  const rebal_time now = time_of(NOW);
  return rebal_spread_feed_step(admission->ctx, admission->feeding.feed,
                                find(admission->feeding.store, kind, "ns", name), &now, opts, admission->result,
                                &admission->err);
}

/* The subsets fit the pods alike, but for the patch that changes nothing. */
START_TEST(test_a_pod_is_adopted_by_the_subset_whose_patch_leaves_it_as_it_is) {
  struct admission admission = admission_open(DEMO DEMO_SPREAD("{name: a, " ZONE("a") "}, {name: b, " ZONE("b") "}")
                                                  RUNS("p", "b") RUNS("q", "a") OTHER NODE);
  const int64_t *pods, *subsets;
  size_t n = 0;
  ck_assert_int_eq(step(&admission, "WorkloadSpread", "ws", NULL), REBAL_OK);
  pods = rebal_result_i64(admission.result, REBAL_GROUPED_POD, &n);
  subsets = rebal_result_i64(admission.result, REBAL_GROUPED_SUBSET, NULL);
  ck_assert_uint_eq(n, 2);
  for (size_t i = 0; i < n; i++) {
    ck_assert_int_eq(subsets[i], pods[i] == (int64_t)row_of(&admission.feeding, "p") ? 1 : 0);
  }
  admission_close(&admission);
}
END_TEST

/* To rebal_spread_step() rows NULL means all pods. */
START_TEST(test_a_workload_without_pods_has_none_of_the_others) {
  struct admission admission = admission_open(DEMO DEMO_SPREAD("{name: a}") OTHER);
  ck_assert_int_eq(step(&admission, "WorkloadSpread", "ws", NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(admission.result, REBAL_TABLE_GROUPED), 0);
  ck_assert_uint_eq(rebal_result_count(admission.result, REBAL_TABLE_STEP), 1);
  admission_close(&admission);
}
END_TEST

START_TEST(test_what_the_feed_has_is_not_the_callers) {
  struct admission admission = admission_open(DEMO DEMO_SPREAD("{name: a}"));
  const uint32_t row = 0;
  const uint64_t words[] = {0};
  rebal_spread_opts opts = {.struct_size = (uint32_t)sizeof opts, .rows = &row, .n_rows = 1};
  ck_assert_int_eq(step(&admission, "WorkloadSpread", "ws", &opts), REBAL_EINVAL);
  ck_assert_str_eq(admission.err.message, "the options have rows of their own");
  opts = (rebal_spread_opts){.struct_size = (uint32_t)sizeof opts, .unchanged = words, .unchanged_stride = 1};
  ck_assert_int_eq(step(&admission, "WorkloadSpread", "ws", &opts), REBAL_EINVAL);
  ck_assert_str_eq(admission.err.message, "the options have unchanged of their own");
  opts = (rebal_spread_opts){.struct_size = (uint32_t)sizeof opts, .cluster = 12345}; /* is ignored */
  ck_assert_int_eq(step(&admission, "WorkloadSpread", "ws", &opts), REBAL_OK);
  opts = (rebal_spread_opts){.struct_size = (uint32_t)sizeof opts, .flags = 1u << 31};
  ck_assert_int_eq(step(&admission, "WorkloadSpread", "ws", &opts), REBAL_EUNSUPPORTED);
  opts = (rebal_spread_opts){.struct_size = 1};
  ck_assert_int_eq(step(&admission, "WorkloadSpread", "ws", &opts), REBAL_EABI);
  admission_close(&admission);
}
END_TEST

START_TEST(test_a_step_needs_a_spread_of_the_feed) {
  struct admission admission = admission_open(DEMO DEMO_SPREAD("{name: a}"));
  const rebal_time now = time_of(NOW);
  rebal_spread_feed *feed = admission.feeding.feed;
  const uint32_t spread = find(admission.feeding.store, "WorkloadSpread", "ns", "ws");
  ck_assert_int_eq(step(&admission, "ReplicaSet", "demo", NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_spread_feed_step(admission.ctx, feed, REBAL_NONE, &now, NULL, admission.result, NULL),
                   REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_spread_feed_step(admission.ctx, NULL, spread, &now, NULL, admission.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_step(NULL, feed, spread, &now, NULL, admission.result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_step(admission.ctx, feed, spread, NULL, NULL, admission.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_step(admission.ctx, feed, spread, &now, NULL, NULL, NULL), REBAL_EINVAL);
  admission_close(&admission);
}
END_TEST

UNIT_CASE(spread_feed_step) {
  TCase *cases = tcase_create("spread_feed_step");
  tcase_add_test(cases, test_a_pod_is_adopted_by_the_subset_whose_patch_leaves_it_as_it_is);
  tcase_add_test(cases, test_a_workload_without_pods_has_none_of_the_others);
  tcase_add_test(cases, test_what_the_feed_has_is_not_the_callers);
  tcase_add_test(cases, test_a_step_needs_a_spread_of_the_feed);
  return cases;
}
