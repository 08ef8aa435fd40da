/* SPDX-License-Identifier: MIT */
#include "rebalancer/rebalancer.h"

#include "../unit.h"

static struct rebali_observed sample(const char *name, const char *result, const char *reason) {
  struct rebali_observed observed = {
      {REBALI_TEXT("apps/v1"), REBALI_TEXT("Deployment"), REBALI_TEXT(""), {NULL, 0}}, {NULL, 0}, {NULL, 0}};

  observed.workload.name = rebali_text(name, strlen(name));
  observed.result = rebali_text(result, strlen(result));
  observed.reason = rebali_text(reason, strlen(reason));
  return observed;
}

static int differs(struct rebali_observed left, struct rebali_observed right, int64_t generation) {
  const struct rebali_rebalancer_status current = {{&left, 1}, 1, {0, 0, 0}};
  const struct rebali_rebalancer_status next = {{&right, 1}, generation, {5, 0, 1}};

  return rebali_rebalancer_status_differs(&current, &next);
}

START_TEST(test_what_makes_a_difference) {
  const struct rebali_observed base = sample("a", "Failed", "r");

  ck_assert(!differs(base, base, 1)); /* the finish time is not compared */
  ck_assert(differs(base, base, 2));
  ck_assert(differs(base, sample("b", "Failed", "r"), 1));
  ck_assert(differs(base, sample("a", "Successful", "r"), 1));
  ck_assert(differs(base, sample("a", "Failed", ""), 1));
}
END_TEST

START_TEST(test_lists_of_other_lengths_differ) {
  struct rebali_observed items[2] = {sample("a", "", ""), sample("b", "", "")};
  const struct rebali_rebalancer_status two = {{items, 2}, 1, {0, 0, 0}};
  const struct rebali_rebalancer_status one = {{items, 1}, 1, {0, 0, 0}};
  const struct rebali_rebalancer_status none = {{items, 0}, 1, {0, 0, 0}};

  ck_assert(rebali_rebalancer_status_differs(&two, &one));
  ck_assert(rebali_rebalancer_status_differs(&one, &two));
  ck_assert(rebali_rebalancer_status_differs(&none, &none)); /* the reference's option */
}
END_TEST

START_TEST(test_the_payload) {
  struct rebali_observed items[2] = {sample("a", "Failed", "r"), sample("b", "", "")};
  const struct rebali_rebalancer_status status = {{items, 2}, 3, {77, 0, 1}};
  rebal_builder *builder;
  const rebal_record *record;
  uint32_t node;
  rebal_time time;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_rebalancer_status_build(&status, builder, &record, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_record_object(record), REBAL_OBJECT_REBALANCER_STATUS);
  ck_assert_uint_eq(rebali_record_count(record, 0, REBAL_REBALANCER_STATUS_OBSERVED_WORKLOADS), 2);
  node = rebali_record_get(record, 0, REBAL_REBALANCER_STATUS_OBSERVED_WORKLOADS);
  node = rebali_record_get(record, node, REBAL_OBSERVED_WORKLOAD_REASON);
  ck_assert_str_eq(rebal_record_text(record, node, NULL), "r");
  node = rebali_record_get(record, 0, REBAL_REBALANCER_STATUS_OBSERVED_WORKLOADS);
  node = rebal_record_next(record, 0, REBAL_REBALANCER_STATUS_OBSERVED_WORKLOADS, node);
  ck_assert_uint_eq(rebali_record_get(record, node, REBAL_OBSERVED_WORKLOAD_RESULT), REBAL_NONE);
  rebal_record_time(record, rebali_record_get(record, 0, REBAL_REBALANCER_STATUS_FINISH_TIME), &time);
  ck_assert_int_eq(time.seconds, 77);
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(status) {
  TCase *cases = tcase_create("status");
  tcase_add_test(cases, test_what_makes_a_difference);
  tcase_add_test(cases, test_lists_of_other_lengths_differ);
  tcase_add_test(cases, test_the_payload);
  return cases;
}
