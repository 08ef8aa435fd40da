/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#define COOL_DOWN 60

static const rebal_time now = {NOW, 0, 1};
static struct fixture fixture;

static void setup(void) {
  fixture_start(&fixture, NULL);
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

/* since 0: no time. */
static void evict(struct fixture *story, uint32_t cluster, int64_t since) {
  rebal_cells *cells = rebal_bindings_cells(story->bindings);
  const rebal_time time = {since, 0, since != 0};
  uint32_t row = 0;

  if (story->code == REBAL_OK) {
    story->code = rebal_cells_add(cells, REBAL_TABLE_HISTORY, story->binding, &row, 1, NULL);
  }
  fixture_set(story, REBAL_HISTORY_CLUSTER, row, cluster);
  if (story->code == REBAL_OK) {
    story->code = rebal_cells_set_time(cells, REBAL_HISTORY_TIME, REBAL_NONE, row, &time, NULL);
  }
}

static int32_t cool(struct fixture *story, int64_t seconds) {
  const rebal_cool_down_opts opts = {.struct_size = sizeof opts, .cool_down_ns = seconds * REBALI_SECOND_NS};

  return story->code != REBAL_OK
             ? story->code
             : rebal_cool_down(story->ctx, story->snapshot, story->bindings, &now, &opts, story->result, NULL);
}

static void evicted(uint32_t cluster, int64_t since) {
  evict(&fixture, cluster, since);
  ck_assert_int_eq(fixture.code, REBAL_OK);
}

static int32_t run(int64_t seconds) {
  return cool(&fixture, seconds);
}

/* A row of COOLING. */
static void row_is(size_t row, int64_t binding, int64_t cluster, int64_t seconds_left) {
  rebal_time until;
  size_t n;

  ck_assert_uint_lt(row, rebal_result_count(fixture.result, REBAL_TABLE_COOLING));
  rebal_result_time(fixture.result, REBAL_COOLING_UNTIL, row, &until);
  ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_COOLING_BINDING, &n)[row], binding);
  ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_COOLING_CLUSTER, &n)[row], cluster);
  ck_assert_int_eq(until.seconds - NOW, seconds_left);
}

static const struct {
  int64_t since; /* 0: no time */
  int64_t left;  /* seconds; 0: it does not count */
} ages[] = {{NOW, COOL_DOWN}, {NOW - 59, 1}, {NOW - COOL_DOWN, 0}, {NOW - 1000, 0}, {NOW + 9, COOL_DOWN}, {0, 0}};

START_TEST(test_for_how_long_a_binding_stays_out) {
  evicted(fixture.clusters[1], ages[_i].since);
  fixture_freeze(&fixture);
  ck_assert_int_eq(run(COOL_DOWN), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_COOLING), ages[_i].left > 0);
  if (ages[_i].left > 0) {
    row_is(0, 0, fixture.clusters[1], ages[_i].left);
  }
}
END_TEST

/* Of several evictions from one cluster the last counts; rows come by binding, then by cluster. */
START_TEST(test_rows_come_in_order) {
  evicted(fixture.clusters[2], NOW - 20);
  evicted(fixture.clusters[1], NOW - 50);
  evicted(fixture.clusters[1], NOW - 5);
  evicted(fixture.clusters[1], NOW - 30);
  fixture_binding(&fixture);
  evicted(fixture.clusters[0], NOW - 1);
  fixture_freeze(&fixture);
  ck_assert_int_eq(run(COOL_DOWN), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_COOLING), 3);
  row_is(0, 0, fixture.clusters[1], 55);
  row_is(1, 0, fixture.clusters[2], 40);
  row_is(2, 1, fixture.clusters[0], 59);
}
END_TEST

/* Otherwise the option would move replicas that have returned already. */
START_TEST(test_a_target_may_stay) {
  evicted(fixture.clusters[0], NOW);
  fixture_target(&fixture, fixture.clusters[1], 1);
  fixture_target(&fixture, fixture.clusters[0], 1);
  fixture_freeze(&fixture);
  ck_assert_int_eq(run(COOL_DOWN), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_COOLING), 0);
}
END_TEST

START_TEST(test_nothing_cools_down_by_default) {
  evicted(fixture.clusters[2], NOW);
  fixture_freeze(&fixture);
  ck_assert_int_eq(rebal_cool_down(fixture.ctx, fixture.snapshot, fixture.bindings, &now, NULL, fixture.result, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_COOLING), 0);
  ck_assert_int_eq(run(INT64_MAX / REBALI_SECOND_NS), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_COOLING), 1);
}
END_TEST

START_TEST(test_inputs_are_checked) {
  ck_assert_int_eq(run(COOL_DOWN), REBAL_EINVAL); /* no snapshot yet */
  fixture_freeze(&fixture);
  ck_assert_int_eq(run(COOL_DOWN), REBAL_OK);
  ck_assert_int_eq(run(-1), REBAL_ERANGE);
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  struct fixture torture;
  int32_t code;

  (void)user_data;
  fixture_start(&torture, allocator);
  evict(&torture, torture.clusters[1], NOW);
  evict(&torture, torture.clusters[2], NOW);
  fixture_freeze(&torture);
  code = cool(&torture, COOL_DOWN);
  fixture_dispose(&torture);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  ck_assert_pstr_eq(test_torture(story, NULL), NULL);
}
END_TEST

START_TEST(test_evictions_from_no_cluster) {
  evicted(REBAL_NONE, NOW);
  evicted(fixture.clusters[1], NOW);
  fixture_freeze(&fixture);
  ck_assert_int_eq(run(COOL_DOWN), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_COOLING), 1);
  row_is(0, 0, fixture.clusters[1], COOL_DOWN);
}
END_TEST

UNIT_CASE(cool_down) {
  TCase *cases = tcase_create("cool_down");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_for_how_long_a_binding_stays_out, 0, (int)REBALI_COUNT(ages));
  tcase_add_test(cases, test_rows_come_in_order);
  tcase_add_test(cases, test_a_target_may_stay);
  tcase_add_test(cases, test_nothing_cools_down_by_default);
  tcase_add_test(cases, test_inputs_are_checked);
  tcase_add_test(cases, test_no_memory_is_an_answer);
  tcase_add_test(cases, test_evictions_from_no_cluster);
  return cases;
}
