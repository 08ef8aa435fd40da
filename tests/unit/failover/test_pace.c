/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <stdio.h>

#include "../../support/allocator.h"
#include "../unit.h"

#define INTERVAL (2 * REBALI_SECOND_NS)
#define BINDINGS 4

static const struct fixture_taint taint = {"a", "NoExecute", NOW - 10};
static const rebal_time now = {NOW, 500000000, 1};
static struct fixture fixture;

/* Four bindings in member1 that tolerate nothing, one eviction each two seconds. */
static void start(struct fixture *story, const rebal_allocator *allocator) {
  fixture_start(story, allocator);
  fixture_taints(story, &taint, 1);
  fixture_applied(story, NULL, 0);
  fixture_target(story, story->clusters[0], 1);
  for (uint32_t i = 1; i < BINDINGS; i++) {
    fixture_binding(story);
    fixture_applied(story, NULL, 0);
    fixture_target(story, story->clusters[0], 1);
  }
  story->opts.eviction_interval_ns = INTERVAL;
}

static void setup(void) {
  start(&fixture, NULL);
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

static int32_t step(struct fixture *story) {
  return rebal_taint_eviction_step(story->ctx, story->snapshot, story->clusters[0], story->bindings, &now, &story->opts,
                                   story->result, NULL);
}

static int32_t run(struct fixture *story) {
  fixture_freeze(story);
  return story->code != REBAL_OK ? story->code : step(story);
}

/* For each binding the letter of its state, or tenths of a second until it is due again; then the row of PACE. */
static const char *reported(void) {
  static char text[128];
  const int64_t *states = rebal_result_i64(fixture.result, REBAL_STEP_STATE, NULL);
  const int64_t *after = rebal_result_i64(fixture.result, REBAL_STEP_AFTER_NS, NULL);
  rebal_time next;
  size_t len = 0;

  for (size_t i = 0; i < rebal_result_count(fixture.result, REBAL_TABLE_STEP); i++) {
    len += (size_t)(states[i] == REBAL_STEP_STATE_WAITING
                        ? snprintf(text + len, sizeof text - len, "%d ", (int)(after[i] / 100000000))
                        : snprintf(text + len, sizeof text - len, "%c ", "?WDRS"[states[i]]));
  }
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_PACE), 1);
  rebal_result_time(fixture.result, REBAL_PACE_NEXT, 0, &next);
  (void)snprintf(text + len, sizeof text - len, "| %d.%d %d %d", next.is_set ? (int)(next.seconds - NOW) : -1,
                 next.nanos / 100000000, (int)fixture_cell(&fixture, REBAL_PACE_EVICTED),
                 (int)fixture_cell(&fixture, REBAL_PACE_WAITING));
  return text;
}

static const struct {
  rebal_time next;
  const char *reported; /* tenths of a second; now is half a second after NOW */
} turns[] = {
    {{0, 0, 0}, "D 20 40 60 | 2.5 1 3"},
    {{NOW - 100, 0, 1}, "D 20 40 60 | 2.5 1 3"},
    {{NOW, 500000000, 1}, "D 20 40 60 | 2.5 1 3"},
    {{NOW, 600000000, 1}, "1 21 41 61 | 0.6 0 4"},
    {{NOW + 2, 0, 1}, "15 35 55 75 | 2.0 0 4"},
    {{NOW + 3600, 0, 1}, "20 40 60 80 | 2.5 0 4"}, /* the clock went back: no longer than one interval */
};

START_TEST(test_one_binding_at_its_turn) {
  fixture.opts.next_eviction = &turns[_i].next;
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(reported(), turns[_i].reported);
}
END_TEST

START_TEST(test_who_waits_is_woken_at_its_turn) {
  rebal_time time;

  ck_assert_int_eq(run(&fixture), REBAL_OK);
  for (size_t i = 0; i + 1 < BINDINGS; i++) {
    const size_t row = fixture_action(&fixture, REBAL_ACTION_KIND_WAKE, i);

    ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_ACTION_ROW, NULL)[row], (int64_t)i + 1);
    rebal_result_time(fixture.result, REBAL_ACTION_NOT_BEFORE, row, &time);
    ck_assert_int_eq(time.seconds, NOW + 2 * ((int64_t)i + 1));
    ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_STEP_REASON, NULL)[i + 1], REBAL_TAINT_VERDICT_EVICT);
  }
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, 1), SIZE_MAX);
}
END_TEST

/* The returned time is passed in again: as many turns as bindings, each an interval after the one before. */
START_TEST(test_the_state_is_passed_on) {
  rebal_time next = {0, 0, 0};
  rebal_time clock = now;

  fixture_freeze(&fixture);
  fixture.opts.next_eviction = &next;
  for (int i = 0; i < 2 * BINDINGS; i++) {
    ck_assert_int_eq(rebal_taint_eviction_step(fixture.ctx, fixture.snapshot, fixture.clusters[0], fixture.bindings,
                                               &clock, &fixture.opts, fixture.result, NULL),
                     REBAL_OK);
    ck_assert_int_eq(fixture_cell(&fixture, REBAL_PACE_EVICTED), i % 2 == 0);
    rebal_result_time(fixture.result, REBAL_PACE_NEXT, 0, &next);
    clock.seconds++;
  }
}
END_TEST

START_TEST(test_a_turn_far_ahead_is_not_passed_on) {
  rebal_time next = {NOW + 3600, 0, 1};

  fixture.opts.next_eviction = &next;
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_PACE_EVICTED), 0);
  rebal_result_time(fixture.result, REBAL_PACE_NEXT, 0, &next);
  ck_assert_int_eq(rebal_taint_eviction_step(fixture.ctx, fixture.snapshot, fixture.clusters[0], fixture.bindings,
                                             &next, &fixture.opts, fixture.result, NULL),
                   REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_PACE_EVICTED), 1);
}
END_TEST

START_TEST(test_without_an_interval_all_go_at_once) {
  const rebal_time next = {NOW + 1, 0, 1};

  fixture.opts.eviction_interval_ns = 0;
  fixture.opts.next_eviction = &next;
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_uint_ne(fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, BINDINGS - 1), SIZE_MAX);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_PACE), 0);
}
END_TEST

START_TEST(test_an_interval_without_end_saturates) {
  fixture.opts.eviction_interval_ns = INT64_MAX;
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  for (size_t i = 1; i < BINDINGS; i++) {
    ck_assert_int_gt(rebal_result_i64(fixture.result, REBAL_STEP_AFTER_NS, NULL)[i], INT64_MAX - REBALI_SECOND_NS);
  }
}
END_TEST

/* Otherwise a binding that always fails would block all bindings after it. */
START_TEST(test_what_cannot_be_evicted_takes_no_turn) {
  rebal_compat *compat;

  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_GATE_STATEFUL_FAILOVER, 1, NULL), REBAL_OK);
  fixture.opts.compat = compat;
  fixture_set(&fixture, REBAL_BINDING_PRESERVES_CLUSTER_STATE, 0, 1); /* and no status to read it from */
  fixture_set(&fixture, REBAL_BINDING_DELETING, 1, 1);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(reported(), "R S D 20 | 2.5 1 1");
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_the_options_of_the_pace_are_checked) {
  rebal_time next = {NOW, -1, 1};

  fixture_freeze(&fixture);
  fixture.opts.next_eviction = &next;
  ck_assert_int_eq(step(&fixture), REBAL_ERANGE);
  fixture.opts.next_eviction = NULL;
  fixture.opts.eviction_interval_ns = -1;
  ck_assert_int_eq(step(&fixture), REBAL_ERANGE);
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  struct fixture torture;
  int32_t code;

  (void)user_data;
  start(&torture, allocator);
  code = run(&torture);
  fixture_dispose(&torture);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  ck_assert_pstr_eq(test_torture(story, NULL), NULL);
}
END_TEST

UNIT_CASE(pace) {
  TCase *cases = tcase_create("pace");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_one_binding_at_its_turn, 0, (int)REBALI_COUNT(turns));
  tcase_add_test(cases, test_who_waits_is_woken_at_its_turn);
  tcase_add_test(cases, test_the_state_is_passed_on);
  tcase_add_test(cases, test_a_turn_far_ahead_is_not_passed_on);
  tcase_add_test(cases, test_without_an_interval_all_go_at_once);
  tcase_add_test(cases, test_an_interval_without_end_saturates);
  tcase_add_test(cases, test_what_cannot_be_evicted_takes_no_turn);
  tcase_add_test(cases, test_the_options_of_the_pace_are_checked);
  tcase_add_test(cases, test_no_memory_is_an_answer);
  return cases;
}
