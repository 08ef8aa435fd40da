/* SPDX-License-Identifier: MIT */
#include "estimating.h"

#include "estimator/estimator.h"

#include "../unit.h"

static struct test_world world;
static struct rebali_arena arena;

static void setup(void) {
  test_world_open(&world, NULL);
  rebali_arena_init(&arena, rebali_ctx_allocator(world.ctx), 0);
}

static void teardown(void) {
  rebali_arena_dispose(&arena);
  test_world_close(&world);
}

static struct rebali_demand read(const char *request) {
  struct rebali_demand demand;
  const uint32_t handle = test_request_handle(&world, request);

  ck_assert_int_eq(
      rebali_demand_read(&arena, rebal_cells_record(rebal_fleet_cells(world.fleet), REBAL_OBJECT_REQUIREMENTS, handle),
                         &demand),
      REBAL_OK);
  return demand;
}

START_TEST(test_nothing_stated_is_not_nothing_requested) {
  struct rebali_demand demand = read(NULL);

  ck_assert_int_eq(demand.stated, 0);
  ck_assert_uint_eq(demand.n_requests, 0);
  demand = read("");
  ck_assert_int_eq(demand.stated, 1);
  ck_assert_uint_eq(demand.n_requests, 0);
}
END_TEST

START_TEST(test_amounts_in_both_views) {
  const struct rebali_demand demand = read("cpu=1500m memory=0.1Gi example.com/x=2");

  ck_assert_uint_eq(demand.n_requests, 3);
  ck_assert_int_eq(demand.requests[0].is_cpu, 1);
  ck_assert_int_eq(demand.requests[0].value, 2);
  ck_assert_int_eq(demand.requests[0].milli, 1500);
  ck_assert_int_eq(demand.requests[0].as_written, 1500);
  ck_assert_int_eq(demand.requests[2].as_written, 107374183);
  ck_assert_int_eq(demand.requests[1].value, 2);
  ck_assert_int_eq(demand.requests[2].is_cpu, 0);
  ck_assert_int_eq(demand.requests[2].value, 107374183);
  ck_assert_uint_eq(demand.requests[2].resource, REBAL_NONE);
}
END_TEST

START_TEST(test_names_are_looked_up_when_the_fleet_has_them) {
  static const struct test_cluster cluster = {"m", "cpu=1"};
  struct rebali_demand demand = read("cpu=1 memory=1");

  (void)test_add_cluster(&world, &cluster);
  test_freeze(&world);
  rebali_demand_resolve(&demand, world.snapshot);
  ck_assert_uint_ne(demand.requests[0].resource, REBAL_NONE);
  ck_assert_uint_eq(demand.requests[1].resource, REBAL_NONE);
}
END_TEST

UNIT_CASE(request) {
  TCase *cases = tcase_create("request");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_nothing_stated_is_not_nothing_requested);
  tcase_add_test(cases, test_amounts_in_both_views);
  tcase_add_test(cases, test_names_are_looked_up_when_the_fleet_has_them);
  return cases;
}
