/* SPDX-License-Identifier: MIT */
/* The order of the queue, its pools and its waits (rebalance-karmada(7) 2.7). */
#include "turning.h"

#include "../unit.h"

static rebal_time at(int64_t seconds, int32_t nanos) {
  return (rebal_time){seconds, nanos, 1};
}

/* karmada #6987: bindings of one priority overtook each other. */
START_TEST(test_higher_priority_then_earlier) {
  static const struct {
    int32_t priority;
    int64_t since;
  } order[] = {{INT32_MAX, 9}, {5, 1}, {5, 2}, {0, 1}, {0, 3}, {-1, 1}, {INT32_MIN, 0}};

  for (size_t i = 0; i < REBALI_COUNT(order); i++) {
    for (size_t j = 0; j < REBALI_COUNT(order); j++) {
      const rebal_time left = at(order[i].since, 0), right = at(order[j].since, 0);
      const int expected = i < j ? -1 : i > j;

      ck_assert_int_eq(rebal_queue_compare(order[i].priority, &left, order[j].priority, &right), expected);
    }
  }
}
END_TEST

START_TEST(test_parts_of_a_second_and_absent_times) {
  const rebal_time early = at(7, 1), late = at(7, 2), absent = {0, 0, 0};

  ck_assert_int_eq(rebal_queue_compare(1, &early, 1, &late), -1);
  ck_assert_int_eq(rebal_queue_compare(1, NULL, 1, &early), -1);
  ck_assert_int_eq(rebal_queue_compare(1, &early, 1, &absent), 1);
  ck_assert_int_eq(rebal_queue_compare(1, NULL, 1, &absent), 0);
}
END_TEST

START_TEST(test_back_off) {
  static const int64_t seconds[] = {1, 1, 2, 4, 8, 10, 10};

  for (uint32_t i = 0; i < REBALI_COUNT(seconds); i++) {
    ck_assert_int_eq(rebal_queue_back_off_ns(i), seconds[i] * REBALI_SECOND_NS);
  }
  ck_assert_int_eq(rebal_queue_back_off_ns(UINT32_MAX), 10 * REBALI_SECOND_NS);
}
END_TEST

static const struct {
  int64_t state, outcome;
  int pool;
} pools[] = {
    {REBAL_STEP_STATE_DONE, REBAL_OUTCOME_SCHEDULED, REBAL_POOL_NONE},
    {REBAL_STEP_STATE_DONE, REBAL_OUTCOME_UNCHANGED, REBAL_POOL_NONE},
    {REBAL_STEP_STATE_SKIPPED, REBAL_OUTCOME_SKIPPED, REBAL_POOL_NONE},
    {REBAL_STEP_STATE_DONE, REBAL_OUTCOME_NO_CLUSTER_FIT, REBAL_POOL_NONE},
    {REBAL_STEP_STATE_RETRY, REBAL_OUTCOME_NO_CLUSTER_FIT, REBAL_POOL_BACK_OFF},
    {REBAL_STEP_STATE_RETRY, REBAL_OUTCOME_UNSCHEDULABLE, REBAL_POOL_UNSCHEDULABLE},
    {REBAL_STEP_STATE_RETRY, REBAL_OUTCOME_PARTIAL, REBAL_POOL_UNSCHEDULABLE},
    {REBAL_STEP_STATE_RETRY, REBAL_OUTCOME_SCHEDULER_ERROR, REBAL_POOL_BACK_OFF},
    {REBAL_STEP_STATE_RETRY, REBAL_OUTCOME_QUOTA_EXCEEDED, REBAL_POOL_BACK_OFF},
    {REBAL_STEP_STATE_WAITING, REBAL_OUTCOME_SCHEDULED, REBAL_POOL_ACTIVE},
    {99, 99, REBAL_POOL_NONE},
};

START_TEST(test_pools) {
  ck_assert_int_eq(rebal_queue_pool(pools[_i].state, pools[_i].outcome), pools[_i].pool);
}
END_TEST

/* Pushed at 0.1 s: the check after 1.1 s moves it, whenever it failed in between. */
START_TEST(test_waits_count_from_the_entry_into_the_active_pool) {
  const rebal_time pushed = at(0, 100000000), failed = at(1, 950000000), started = at(0, 0);
  rebal_time out;

  ck_assert_int_eq(rebal_queue_flush(REBAL_POOL_BACK_OFF, &pushed, 1, &started, &out, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_time_compare(&out, &(rebal_time){2, 0, 1}), 0);
  ck_assert_int_gt(rebal_time_compare(&out, &failed), 0);
  ck_assert_int_eq(rebal_queue_flush(REBAL_POOL_UNSCHEDULABLE, &pushed, 1, &started, &out, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_time_compare(&out, &(rebal_time){330, 0, 1}), 0);
}
END_TEST

static const struct {
  int pool;
  uint32_t attempts;
  rebal_time since, checked_from, out;
} flushes[] = {
    /* the first check that finds the back-off over */
    {REBAL_POOL_BACK_OFF, 1, {100, 0, 1}, {0, 0, 1}, {101, 0, 1}},
    {REBAL_POOL_BACK_OFF, 4, {100, 0, 1}, {0, 0, 1}, {108, 0, 1}},
    {REBAL_POOL_BACK_OFF, 9, {100, 0, 1}, {0, 0, 1}, {110, 0, 1}},
    {REBAL_POOL_BACK_OFF, 1, {100, 1, 1}, {0, 0, 1}, {102, 0, 1}},
    {REBAL_POOL_BACK_OFF, 1, {100, 1, 1}, {0, 5, 1}, {101, 5, 1}},
    {REBAL_POOL_BACK_OFF, 1, {100, 0, 1}, {0, 500000000, 1}, {101, 500000000, 1}},
    /* more than five minutes: at exactly five a binding waits for the next check */
    {REBAL_POOL_UNSCHEDULABLE, 1, {0, 0, 1}, {0, 0, 1}, {330, 0, 1}},
    {REBAL_POOL_UNSCHEDULABLE, 9, {29, 0, 1}, {0, 0, 1}, {330, 0, 1}},
    {REBAL_POOL_UNSCHEDULABLE, 1, {29, 999999999, 1}, {0, 0, 1}, {330, 0, 1}},
    {REBAL_POOL_UNSCHEDULABLE, 1, {30, 0, 1}, {0, 0, 1}, {360, 0, 1}},
    {REBAL_POOL_UNSCHEDULABLE, 1, {30, 0, 1}, {1, 0, 1}, {331, 0, 1}},
    /* checks that begin later, and the end of time */
    {REBAL_POOL_UNSCHEDULABLE, 1, {0, 0, 1}, {1000, 0, 1}, {1000, 0, 1}},
    {REBAL_POOL_BACK_OFF, 1, {0, 0, 1}, {1000, 7, 1}, {1000, 7, 1}},
    {REBAL_POOL_BACK_OFF, 1, {253402300799, 0, 1}, {253402300700, 0, 1}, {253402300799, 999999999, 1}},
};

START_TEST(test_flush) {
  rebal_time out = {0, 0, 0};

  ck_assert_int_eq(rebal_queue_flush(flushes[_i].pool, &flushes[_i].since, flushes[_i].attempts,
                                     &flushes[_i].checked_from, &out, NULL),
                   REBAL_OK);
  ck_assert_int_eq(out.seconds, flushes[_i].out.seconds);
  ck_assert_int_eq(out.nanos, flushes[_i].out.nanos);
  ck_assert_uint_eq(out.is_set, 1);
}
END_TEST

START_TEST(test_flush_of_nothing) {
  const rebal_time now = at(1, 0), absent = {0, 0, 0};
  rebal_time out;

  ck_assert_int_eq(rebal_queue_flush(REBAL_POOL_ACTIVE, &now, 1, &now, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_queue_flush(REBAL_POOL_NONE, &now, 1, &now, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_queue_flush(REBAL_POOL_BACK_OFF, &absent, 1, &now, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_queue_flush(REBAL_POOL_BACK_OFF, &now, 1, NULL, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_queue_flush(REBAL_POOL_BACK_OFF, &now, 1, &now, NULL, NULL), REBAL_EINVAL);
}
END_TEST

/*
 * karmada #7340: a lack of capacity that was reported as another class of error was retried after seconds, and other
 * errors waited for five minutes. Whatever the strategy, bindings that lack capacity wait for it, the rest backs off.
 */
START_TEST(test_the_class_of_the_error_decides_the_wait) {
  static const struct test_cluster clusters[] = {{"m1", "pods=2"}, {"m2", "pods=1"}};
  static const struct test_placement too_many = {.spreads = "cluster:3:3", .scheduling = "Divided/Aggregated"};
  static const struct test_placement unknown = {.scheduling = "Divided"};
  static const struct {
    const struct test_placement *placement;
    const char *targets;
    int64_t triggered_at; /* scheduled at 5 */
    int pool;
  } cases[] = {{&aggregated, NULL, 0, REBAL_POOL_UNSCHEDULABLE},
               {&aggregated, "m1=2", 0, REBAL_POOL_UNSCHEDULABLE},
               {&aggregated, "m1=2", 6, REBAL_POOL_UNSCHEDULABLE},
               {&dynamic_weight, NULL, 0, REBAL_POOL_UNSCHEDULABLE},
               {&dynamic_weight, "m2=1", 6, REBAL_POOL_UNSCHEDULABLE},
               {&too_many, NULL, 0, REBAL_POOL_BACK_OFF},
               {&unknown, NULL, 0, REBAL_POOL_BACK_OFF},
               {NULL, NULL, 0, REBAL_POOL_BACK_OFF}};

  for (size_t i = 0; i < REBALI_COUNT(cases); i++) {
    const struct test_binding binding = {.replicas = 50,
                                         .request = "",
                                         .placement = cases[i].placement,
                                         .targets = cases[i].targets,
                                         .triggered_at = cases[i].triggered_at,
                                         .scheduled_at = 5};
    struct test_world world;
    size_t n;

    test_world_open(&world, NULL);
    test_world_fill(&world, clusters, REBALI_COUNT(clusters), &binding);
    (void)turn_actions(&world, NULL);
    ck_assert_int_eq(rebal_queue_pool(rebal_result_i64(world.result, REBAL_STEP_STATE, &n)[0],
                                      rebal_result_i64(world.result, REBAL_DECISION_OUTCOME, &n)[0]),
                     cases[i].pool);
    test_world_close(&world);
  }
}
END_TEST

UNIT_CASE(queue) {
  TCase *cases = tcase_create("queue");

  tcase_add_test(cases, test_higher_priority_then_earlier);
  tcase_add_test(cases, test_parts_of_a_second_and_absent_times);
  tcase_add_test(cases, test_back_off);
  tcase_add_test(cases, test_waits_count_from_the_entry_into_the_active_pool);
  tcase_add_loop_test(cases, test_pools, 0, (int)REBALI_COUNT(pools));
  tcase_add_loop_test(cases, test_flush, 0, (int)REBALI_COUNT(flushes));
  tcase_add_test(cases, test_flush_of_nothing);
  tcase_add_test(cases, test_the_class_of_the_error_decides_the_wait);
  return cases;
}
