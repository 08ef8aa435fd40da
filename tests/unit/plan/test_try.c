/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "../../support/fleet_builder.h"
#include "../unit.h"

static const struct test_cluster clusters[] = {
    {"m1", "cpu=10 pods=100", .region = "eu", .provider = "p", .zones = "a"},
    {"m2", "cpu=2 pods=100", .region = "us", .provider = "p", .zones = "b c"},
    {"m3", "cpu=10 pods=100", .region = "us", .provider = "q", .zones = "b", .taints = "k=v:NoSchedule"},
    {"m4", "cpu=10 pods=100", .region = "eu", .provider = "q", .zones = "a", .deleting = 1}};
static const struct test_placement divided = {.scheduling = "Divided/Weighted/AvailableReplicas"};

#define BIT(name) (INT64_C(1) << REBAL_BREACH_##name)

static void open_world(struct test_world *world, const struct test_placement *placement) {
  const struct test_binding binding = {
      .replicas = 4, .request = "cpu=1", .placement = placement, .targets = "m1=3 m2=1"};

  test_world_open(world, NULL);
  test_world_fill(world, clusters, 4, &binding);
}

static int32_t try(struct test_world *world, uint32_t source, uint32_t target, int32_t replicas) {
  const rebal_move move = {
      .struct_size = (uint32_t)sizeof move, .source = source, .target = target, .replicas = replicas};

  return rebal_try(world->ctx, world->snapshot, world->bindings, &move, world->result, &world->err);
}

static int64_t cell(const struct test_world *world, uint32_t column) {
  return rebal_result_i64(world->result, column, NULL)[0];
}

/* Fresh: 4 replicas divided by 13 and 3 available ones, 3 and 1. */
START_TEST(test_a_move_and_what_is_left_to_move) {
  struct test_world world;

  open_world(&world, &divided);
  ck_assert_int_eq(try(&world, 0, 1, 2), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_TRIED), 1);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_BINDING), 0);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_SOURCE), 0);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_TARGET), 1);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_REPLICAS), 2);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_BROKEN), 0);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_AVAILABLE), 2);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_OUTCOME), REBAL_OUTCOME_SCHEDULED);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_DRIFT_BEFORE), 0);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_DRIFT), 2);
  ck_assert_int_eq(try(&world, 0, 1, 3), REBAL_OK);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_BROKEN), BIT(CAPACITY));
  test_world_close(&world);
}
END_TEST

START_TEST(test_what_breaks) {
  static const struct test_placement all_fields = {.scheduling = "Divided/Aggregated",
                                                   .spreads = "cluster:2:2 region:2:2 zone:2:2 provider:1:1"};
  static const struct test_placement copies = {.scheduling = "Duplicated"};
  static const struct {
    const struct test_placement *placement;
    uint32_t source, target;
    int32_t replicas;
    int64_t rejected_by, broken, broken_before;
  } moves[] = {
      {&divided, 0, 2, 1, 1 << REBAL_FILTER_TAINT_TOLERATION, BIT(FILTER), 0},
      {&divided, 0, 3, 1, 0, BIT(DELETING), 0},
      {&copies, 0, 1, 1, 0, BIT(COPIES), 0},
      /* m1 and m2 have three zones */
      {&all_fields, 0, 2, 1, 1 << REBAL_FILTER_TAINT_TOLERATION,
       BIT(FILTER) | BIT(MAX_CLUSTERS) | BIT(MAX_ZONES) | BIT(MAX_PROVIDERS), BIT(MAX_ZONES)},
      {&all_fields, 1, 0, 1, 0, BIT(MIN_CLUSTERS) | BIT(MIN_REGIONS) | BIT(MIN_ZONES), BIT(MAX_ZONES)},
  };
  struct test_world world;

  for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
    open_world(&world, moves[i].placement);
    ck_assert_int_eq(try(&world, moves[i].source, moves[i].target, moves[i].replicas), REBAL_OK);
    ck_assert_int_eq(cell(&world, REBAL_TRIED_REJECTED_BY), moves[i].rejected_by);
    ck_assert_int_eq(cell(&world, REBAL_TRIED_BROKEN), moves[i].broken);
    ck_assert_int_eq(cell(&world, REBAL_TRIED_BROKEN_BEFORE), moves[i].broken_before);
    test_world_close(&world);
  }
}
END_TEST

/* What does not exist is not broken, and nothing is desired. */
START_TEST(test_a_binding_without_a_placement) {
  struct test_world world;

  open_world(&world, NULL);
  ck_assert_int_eq(try(&world, 0, 1, 2), REBAL_OK);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_BROKEN), 0);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_REJECTED_BY), 0);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_AVAILABLE), REBAL_ABSENT);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_OUTCOME), REBAL_OUTCOME_SCHEDULER_ERROR);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_DRIFT_BEFORE), 0);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_DRIFT), 2);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_TRIED_MESSAGE, 0, NULL),
                   "failed to get placement from resourceBinding(default/web)");
  test_world_close(&world);
}
END_TEST

START_TEST(test_what_makes_no_sense_is_refused) {
  const rebal_move elsewhere = {.struct_size = (uint32_t)sizeof elsewhere, .binding = 1, .target = 1, .replicas = 1};
  const rebal_move sound = {.struct_size = (uint32_t)sizeof sound, .target = 1, .replicas = 1};
  const rebal_move reserved = {.struct_size = (uint32_t)sizeof reserved, .flags = 1, .target = 1, .replicas = 1};
  struct test_world world;

  open_world(&world, &divided);
  ck_assert_int_eq(try(&world, 0, 0, 1), REBAL_EINVAL);
  ck_assert_int_eq(try(&world, 0, 4, 1), REBAL_EINVAL);
  ck_assert_int_eq(try(&world, 4, 0, 1), REBAL_EINVAL);
  ck_assert_int_eq(try(&world, 0, 1, 0), REBAL_ERANGE);
  ck_assert_int_eq(try(&world, 0, 1, 4), REBAL_ERANGE);
  ck_assert_int_eq(try(&world, 2, 1, 1), REBAL_ERANGE);
  ck_assert_int_eq(rebal_try(world.ctx, world.snapshot, world.bindings, &sound, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_try(world.ctx, world.snapshot, world.bindings, &elsewhere, world.result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_try(world.ctx, world.snapshot, world.bindings, &reserved, world.result, NULL),
                   REBAL_EUNSUPPORTED);
  test_world_close(&world);
}
END_TEST

static int32_t try_with(const rebal_allocator *allocator, void *user_data) {
  const struct test_world *world = user_data;
  const rebal_move move = {.struct_size = (uint32_t)sizeof move, .target = 1, .replicas = 1};
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_try(ctx, world->snapshot, world->bindings, &move, result, NULL) : code;
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_every_allocation_may_fail) {
  static const struct test_placement two = {.scheduling = "Divided/Aggregated", .spreads = "cluster:2:2 zone:1:9"};
  struct test_world world;

  open_world(&world, &two);
  ck_assert_pstr_eq(test_torture(try_with, &world), NULL);
  test_world_close(&world);
}
END_TEST

/* There is no capacity for three, and the message has the reason. */
START_TEST(test_a_refusal_without_memory) {
  static const struct test_affinity only_m2 = {.clusters = "m2"};
  static const struct test_placement in_m2 = {.scheduling = "Divided/Aggregated", .affinity = &only_m2};
  struct test_world world;

  open_world(&world, &in_m2);
  ck_assert_int_eq(try(&world, 0, 1, 1), REBAL_OK);
  ck_assert_int_eq(cell(&world, REBAL_TRIED_OUTCOME), REBAL_OUTCOME_UNSCHEDULABLE);
  ck_assert_pstr_eq(test_torture(try_with, &world), NULL);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(try) {
  TCase *cases = tcase_create("try");
  tcase_add_test(cases, test_a_move_and_what_is_left_to_move);
  tcase_add_test(cases, test_what_breaks);
  tcase_add_test(cases, test_what_makes_no_sense_is_refused);
  tcase_add_test(cases, test_every_allocation_may_fail);
  tcase_add_test(cases, test_a_refusal_without_memory);
  tcase_add_test(cases, test_a_binding_without_a_placement);
  return cases;
}
