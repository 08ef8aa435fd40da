/* SPDX-License-Identifier: MIT */
#include "owning.h"

#define RS OWN_HEAD("") REPLICA_SET("rs", "replicas: 2, " TEMPLATE("a")) STEP("s") "expect:\n"
#define SAYS(what) OWN_PODS("ReplicaSet", "rs", what)

/* The change told of an expectation that fails. */
static void assert_found(const char *text, const char *found) {
  rebal_simulation *simulation = new_simulation(NULL);
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, NULL, &summary,
                                     &err) == REBAL_OK, "%s", err.message);
  ck_assert_uint_eq(summary.failed, 1);
  ck_assert_msg(count_rows(simulation, "expect", found) == 1, "%s", found);
  rebal_simulation_free(simulation);
}

START_TEST(test_found) {
  assert_found(RS SAYS(BY_IMAGE("a: 1")), "found 0 ready, 0 unschedulable, counts {a:2}");
  assert_found(RS SAYS(BY_IMAGE("a: 2, b: 1")), "counts {a:2}");
  assert_found(RS SAYS("by: subset, counts: {a: 2}"), "counts {none:2}");
  assert_found(RS SAYS("ready: 2"), "found 0 ready, 0 unschedulable");
  assert_found(RS SAYS("unschedulable: 1"), "found 0 ready, 0 unschedulable");
  assert_found(RS OWN_PODS("ReplicaSet", "other", "ready: 0"), "found no such object");
}
END_TEST

START_TEST(test_refusals) {
  static const struct refusal refusals[] = {
      {RS SAYS("node: 1"), REBAL_EPARSE, 3, 15, "expect[0].pods.node", "no such member"},
      {RS SAYS("by: subset"), REBAL_EPARSE, 3, 15, "expect[0].pods.counts", "missing"},
      {RS SAYS("counts: {a: 1}"), REBAL_EPARSE, 3, 15, "expect[0].pods.by", "what counts are by"},
      {RS SAYS("by: \"a b\", counts: {a: 1}"), REBAL_EPARSE, 3, 15, "expect[0].pods.by", "a field path"},
      {RS SAYS("by: subset, counts: {a: 0}"), REBAL_EPARSE, 3, 15, "expect[0].pods.counts", "1 or more"},
      {RS SAYS("ready: -1"), REBAL_EPARSE, 3, 15, "expect[0].pods.ready", "not negative"},
      {HEAD("") STEP("s") "expect:\n" SAYS("ready: 1"), REBAL_EPARSE, 2, 9, "expect[0].pods.cluster", "missing"},
  };
  for (size_t i = 0; i < COUNT(refusals); i++) {
    assert_refused(&refusals[i]);
  }
}
END_TEST

UNIT_CASE(expect_counts) {
  TCase *cases = tcase_create("expect_counts");
  tcase_add_test(cases, test_found);
  tcase_add_test(cases, test_refusals);
  return cases;
}
