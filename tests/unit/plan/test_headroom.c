/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "../../support/fleet_builder.h"
#include "../unit.h"

#include <stdio.h>

static const struct test_cluster clusters[] = {{"m1", "cpu=10 pods=100", .region = "eu"},
                                               {"m2", "cpu=4 pods=100", .region = "us"},
                                               {"m3", "cpu=30 pods=100", .region = "us"}};
static const struct test_placement divided = {.scheduling = "Divided/Weighted/AvailableReplicas"};
static const struct test_placement copies = {.scheduling = "Duplicated"};
static const struct test_placement two_of_them = {.scheduling = "Divided/Aggregated", .spreads = "cluster:2:2"};
static const struct test_placement two_regions = {.scheduling = "Divided/Aggregated", .spreads = "region:2:2"};

static int32_t headroom(struct test_world *world, const struct test_placement *placement, int32_t most,
                        const rebal_sweep_opts *opts) {
  const struct test_binding binding = {
      .replicas = 2, .request = "cpu=1", .placement = placement, .targets = "m1=2", .evicting = "m3"};

  test_world_open(world, NULL);
  test_world_fill(world, clusters, 3, &binding);
  return rebal_headroom(world->ctx, world->snapshot, world->bindings, 0, most, opts, world->result, &world->err);
}

static const char *row_of(const struct test_world *world, size_t row) {
  static char text[128];
  const rebal_result *result = world->result;

  (void)snprintf(text, sizeof text, "%d %s %d, %d%s", (int)rebal_result_i64(result, REBAL_HEADROOM_KIND, NULL)[row],
                 rebal_result_text(result, REBAL_HEADROOM_NAME, row, NULL),
                 (int)rebal_result_i64(result, REBAL_HEADROOM_REPLICAS, NULL)[row],
                 (int)rebal_result_i64(result, REBAL_HEADROOM_OUTCOME, NULL)[row],
                 rebal_result_text(result, REBAL_HEADROOM_MESSAGE, row, NULL)[0] == '\0' ? "" : " for a reason");
  return text;
}

/* Targets and tasks are not those of a new binding: m3 counts. */
START_TEST(test_what_fits_now_and_after_each_loss) {
  const rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                 .kinds = 1u << REBAL_LOSS_NOTHING | 1u << REBAL_LOSS_CLUSTER};
  static const struct {
    const struct test_placement *placement;
    const char *rows[4];
  } wanted[] = {
      {&divided,
       {"1  44, 5 for a reason", "2 m1 34, 5 for a reason", "2 m2 40, 5 for a reason", "2 m3 14, 5 for a reason"}},
      {&two_of_them,
       {"1  40, 6 for a reason", "2 m1 34, 6 for a reason", "2 m2 40, 6 for a reason", "2 m3 14, 6 for a reason"}},
      {&two_regions,
       {"1  40, 5 for a reason", "2 m1 0, 6 for a reason", "2 m2 40, 5 for a reason", "2 m3 14, 5 for a reason"}},
      {&copies, {"1  1000000, 1", "2 m1 1000000, 1", "2 m2 1000000, 1", "2 m3 1000000, 1"}},
  };
  struct test_world world;

  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    ck_assert_int_eq(headroom(&world, wanted[i].placement, 0, &opts), REBAL_OK);
    ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_HEADROOM), 4);
    for (size_t row = 0; row < 4; row++) {
      ck_assert_str_eq(row_of(&world, row), wanted[i].rows[row]);
    }
    test_world_close(&world);
  }
}
END_TEST

START_TEST(test_no_more_are_tried_than_requested) {
  const rebal_sweep_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .kinds = 1u << REBAL_LOSS_CLUSTER, .first_loss = 1, .max_work = 1};
  struct test_world world;

  ck_assert_int_eq(headroom(&world, &divided, 13, &opts), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_HEADROOM), 1);
  ck_assert_str_eq(row_of(&world, 0), "2 m2 13, 1");
  test_world_close(&world);
}
END_TEST

/* Tiers take what fits into their clusters, one after the other: 10 and 4 replicas. */
START_TEST(test_static_weights_in_tiers) {
  static const struct test_affinity tiers[] = {{.clusters = "m2"}};
  static const struct test_affinity first = {.name = "g", .clusters = "m1", .overflow = tiers, .n_overflow = 1};
  static const struct test_placement placement = {
      .scheduling = "Divided/Weighted", .weights = "*=1", .terms = &first, .n_terms = 1};
  const rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts, .kinds = 1u << REBAL_LOSS_NOTHING};
  struct test_world world;

  ck_assert_int_eq(headroom(&world, &placement, 20, &opts), REBAL_OK);
  ck_assert_str_eq(row_of(&world, 0), "1  14, 5 for a reason");
  test_world_close(&world);
}
END_TEST

START_TEST(test_the_most_that_can_be_tried) {
  const rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts, .kinds = 1u << REBAL_LOSS_NOTHING};
  struct test_world world;

  ck_assert_int_eq(headroom(&world, &copies, INT32_MAX, &opts), REBAL_OK);
  ck_assert_str_eq(row_of(&world, 0), "1  2147483647, 1");
  test_world_close(&world);
}
END_TEST

START_TEST(test_a_binding_without_a_placement) {
  const rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts, .kinds = 1u << REBAL_LOSS_NOTHING};
  struct test_world world;

  ck_assert_int_eq(headroom(&world, NULL, 0, &opts), REBAL_OK);
  ck_assert_str_eq(row_of(&world, 0), "1  0, 6 for a reason");
  test_world_close(&world);
}
END_TEST

START_TEST(test_what_makes_no_sense_is_refused) {
  struct test_world world;

  ck_assert_int_eq(headroom(&world, &divided, -1, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebal_headroom(world.ctx, world.snapshot, world.bindings, 1, 0, NULL, world.result, &world.err),
                   REBAL_EINVAL);
  test_world_close(&world);
}
END_TEST

/* What is charged is gone; the ledger stays as it is. */
START_TEST(test_a_ledger_counts) {
  rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule};
  const rebal_sweep_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .schedule = &schedule, .kinds = 1u << REBAL_LOSS_NOTHING};
  struct test_world world;

  ck_assert_int_eq(headroom(&world, &divided, 0, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &schedule.ledger, NULL), REBAL_OK);
  test_charge(schedule.ledger, "a/b", 0, test_request_handle(&world, "cpu=1"), 3);
  ck_assert_int_eq(rebal_headroom(world.ctx, world.snapshot, world.bindings, 0, 0, &opts, world.result, &world.err),
                   REBAL_OK);
  ck_assert_str_eq(row_of(&world, 0), "1  41, 5 for a reason");
  ck_assert_int_eq(rebal_ledger_read(schedule.ledger, world.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_SPENT), 1);
  rebal_ledger_free(schedule.ledger);
  test_world_close(&world);
}
END_TEST

static int32_t measure_with(const rebal_allocator *allocator, void *user_data) {
  const struct test_world *world = user_data;
  const rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts, .kinds = 126};
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_headroom(ctx, world->snapshot, world->bindings, 0, 50, &opts, result, NULL) : code;
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_every_allocation_may_fail) {
  struct test_world world;

  ck_assert_int_eq(headroom(&world, &two_of_them, 1, NULL), REBAL_OK);
  ck_assert_pstr_eq(test_torture(measure_with, &world), NULL);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(headroom) {
  TCase *cases = tcase_create("headroom");
  tcase_add_test(cases, test_what_fits_now_and_after_each_loss);
  tcase_add_test(cases, test_no_more_are_tried_than_requested);
  tcase_add_test(cases, test_what_makes_no_sense_is_refused);
  tcase_add_test(cases, test_a_ledger_counts);
  tcase_add_test(cases, test_every_allocation_may_fail);
  tcase_add_test(cases, test_static_weights_in_tiers);
  tcase_add_test(cases, test_the_most_that_can_be_tried);
  tcase_add_test(cases, test_a_binding_without_a_placement);
  return cases;
}
