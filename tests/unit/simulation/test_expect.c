/* SPDX-License-Identifier: MIT */
#include "running.h"

#define FOO_IS "- object: {kind: Deployment, name: foo}\n  "
#define BINDING_IS "- object: {kind: ResourceBinding, namespace: default, name: foo-deployment}\n  "

/* The uid "a" has an even hash: m1 gets the odd replica. */
START_TEST(test_what_holds) {
  assert_runs(BASIC STEP("s") "expect:\n" FOO_IS "placement: {m1: 2, m2: 1}\n" BINDING_IS
                              "placement: {m2: 1, m1: 2}\n" FOO_IS "field: spec.replicas\n  equals: 3\n" FOO_IS
                              "field: spec.none\n  equals: \"\"\n"
                              "- object: {kind: Deployment, name: bar}\n  absent: true\n" FOO_IS
                              "event: {reason: ScheduleBindingSucceed, count: 1}\n" FOO_IS
                              "event: {reason: Other, count: 0}\n"
                              "- event: {type: Normal, reason: ScheduleBindingSucceed, count: 2}\n");
}
END_TEST

static const struct {
  const char *expectation, *found;
} failures[] = {
    {FOO_IS "placement: {m1: 3}\n", "EXPECTED: placement {m1:3}, found {m1:2, m2:1}"},
    {FOO_IS "placement: {m1: 2}\n", "found {m1:2, m2:1}"},
    {FOO_IS "placement: {m1: 2, m2: 1, m3: 0}\n", "found {m1:2, m2:1}"},
    {"- object: {kind: Deployment, name: bar}\n  placement: {}\n", "found no binding"},
    {FOO_IS "field: spec.replicas\n  equals: 4\n", "spec.replicas is 4, found 3"},
    {FOO_IS "field: spec.none\n  equals: 4\n", "found absent"},
    {"- object: {kind: Deployment, name: bar}\n  field: a\n  equals: \"\"\n", "found no such object"},
    {FOO_IS "absent: true\n", "found the object"},
    {FOO_IS "event: {reason: ScheduleBindingSucceed, count: 2}\n", "found x1"},
    {FOO_IS "event: {reason: Other}\n", "found x0"},
    {"- object: {kind: Deployment, name: bar}\n  event: {reason: ScheduleBindingSucceed}\n", "found x0"},
};

START_TEST(test_what_fails) {
  rebal_simulation *simulation = new_simulation(NULL);
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  char text[4096];
  (void)snprintf(text, sizeof text, "%sexpect:\n%s", BASIC STEP("s"), failures[_i].expectation);
  ck_assert_int_eq(rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, NULL, &summary, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(summary.failed, 1);
  ck_assert_uint_eq(summary.held, 0);
  ck_assert_uint_eq(count_rows(simulation, "expect", failures[_i].found), 1);
  ck_assert_uint_eq(log_entry(simulation, (size_t)summary_of(simulation).log_rows - 1).kind,
                    REBAL_LOG_KIND_FAILED);
  rebal_simulation_free(simulation);
}
END_TEST

/* An event that a scenario names is an object of the store; once that is deleted the count starts again. */
#define EVENT "{kind: Event, namespace: default, name: foo.c0fa7387b407c7f6}"
#define EVENT_IS(field, value) "- object: " EVENT "\n  field: " field "\n  equals: " value "\n"
#define RECORDED(count) FOO_IS "event: {reason: AggregateStatusSucceed, count: " count "}\n"
START_TEST(test_events_are_objects) {
  rebal_simulation *simulation = run_scenario(
      BASIC STEP("ready") "after: 10s\nexpect:\n" RECORDED("2") EVENT_IS("count", "2") EVENT_IS(
          "metadata.resourceVersion", "\"2\"") EVENT_IS("firstTimestamp", "2024-01-01T00:00:00Z")
          EVENT_IS("metadata.creationTimestamp", "2024-01-01T00:00:00Z") EVENT_IS("involvedObject.uid", "a")
              EVENT_IS("lastTimestamp", "2024-01-01T00:00:10Z") STEP("gone") "delete: " EVENT "\nexpect:\n" RECORDED(
                  "0") "- object: " EVENT "\n  absent: true\n" STEP("again") "after: 10s\nscale: {kind: Deployment, "
                                                                           "name: foo, replicas: 4}\n"
                                                                           "expect:\n" RECORDED("1")
                  EVENT_IS("count", "1") EVENT_IS("metadata.creationTimestamp", "2024-01-01T00:00:20Z"));
  ck_assert_uint_ne(rebal_store_next(rebal_simulation_store(simulation), "Event", 5, REBAL_NONE), REBAL_NONE);
  rebal_simulation_free(simulation);
  simulation = run_scenario(BASIC STEP("ready") "after: 10s\nexpect:\n" RECORDED("2"));
  ck_assert_uint_ne(rebal_store_find(rebal_simulation_store(simulation), "Event", 5, "default", 7,
                                     "foo.c0fa7387b407c7f6", 20),
                    REBAL_NONE);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(expect) {
  TCase *cases = tcase_create("expect");
  tcase_add_test(cases, test_events_are_objects);
  tcase_add_test(cases, test_what_holds);
  tcase_add_loop_test(cases, test_what_fails, 0, (int)COUNT(failures));
  return cases;
}
