/* SPDX-License-Identifier: MIT */
/* A pass runs whether or not it is due, and whoever the binding belongs to; only a placement is needed. */
#include "phases_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

static const struct {
  struct test_binding binding;
  const char *answer;
} rows[] = {
    {{.replicas = 2, .placement = &duplicated, .deleting = 1}, "m1:2"},
    {{.replicas = 2, .placement = &duplicated, .suspended = 1}, "m1:2"},
    {{.replicas = 2, .placement = &duplicated, .scheduler = "other"}, "m1:2"},
    {{.replicas = 2, .placement = &aggregated, .applied = &aggregated, .targets = "m1=2"}, "m1:2"},
    {{.replicas = 2}, "error: failed to get placement from resourceBinding(default/web)"},
    {{.key = "web", .replicas = 2}, "error: failed to get placement from clusterResourceBinding(web)"},
};

/* With SINGLE_GROUP one group is tried: the one observed, the first for a binding that is new. */
static const struct test_affinity groups[] = {{.name = "near", .clusters = "m2"}, {.name = "far", .clusters = "m3"}};
static const struct test_placement grouped = {.terms = groups, .n_terms = 2, .scheduling = "Duplicated"};

static const struct {
  struct test_binding binding;
  const char *answer;
} group_rows[] = {
    {{.replicas = 2, .placement = &grouped}, "m2:2"},
    {{.replicas = 2, .placement = &grouped, .observed = "near"}, "m2:2"},
    {{.replicas = 2, .placement = &grouped, .observed = "far"}, "m3:2"},
    {{.replicas = 2, .placement = &grouped, .observed = "gone"}, "m1:2 m2:2 m3:2"},
};

START_TEST(test_one_group_is_tried) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = REBAL_SCHEDULE_FLAG_SINGLE_GROUP};

  ck_assert_str_eq(schedule_pods("m1=5 m2=5 m3=5", &group_rows[_i].binding, &opts), group_rows[_i].answer);
}
END_TEST

START_TEST(test_passes) {
  ck_assert_str_eq(schedule_pods("m1=5", &rows[_i].binding, NULL), rows[_i].answer);
}
END_TEST

START_TEST(test_a_result_is_filled_anew) {
  static const struct test_binding binding = {.replicas = 2, .placement = &duplicated};
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=5");
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  for (int i = 0; i < 3; i++) {
    ck_assert_str_eq(test_schedule(&world, NULL, 0), "m1:2");
    ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_PLACED), 1);
    ck_assert_int_eq(rebal_decide(world.ctx, world.snapshot, world.bindings, NULL, world.result, NULL), REBAL_OK);
    ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_PLACED), 0);
  }
  test_world_close(&world);
}
END_TEST

/* ---- rebalance-embedding(7): objects may be freed in any order --------------------------------------------------- */

enum object { FLEET, SNAPSHOT, BINDINGS, LEDGER, CONTEXT, RESULT, OBJECTS };
#define ORDERS 720 /* of six objects */

static void open_and_schedule(struct test_world *world, rebal_schedule_opts *opts, const rebal_allocator *memory) {
  static const struct test_binding binding = {.replicas = 2, .placement = &aggregated};

  *world = (struct test_world){.err = REBAL_ERROR_INIT};
  ck_assert_int_eq(rebal_fleet_new(memory, &world->fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_new(world->fleet, memory, &world->bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_new(world->fleet, memory, &opts->ledger, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_new(NULL, &world->builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(memory, NULL, &world->ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(memory, &world->result, NULL), REBAL_OK);
  test_add_pods(world, "m1=5");
  (void)test_add_binding(world, NULL, &binding);
  test_freeze(world);
  rebal_builder_free(world->builder);
  ck_assert_str_eq(test_schedule(world, opts, 0), "m1:2");
}

static void free_object(struct test_world *world, rebal_schedule_opts *opts, enum object object) {
  switch (object) {
    case FLEET:
      rebal_fleet_free(world->fleet);
      break;
    case SNAPSHOT:
      rebal_snapshot_unref(world->snapshot);
      break;
    case BINDINGS:
      rebal_bindings_free(world->bindings);
      break;
    case LEDGER:
      rebal_ledger_free(opts->ledger);
      break;
    case CONTEXT:
      rebal_ctx_free(world->ctx);
      break;
    default:
      rebal_result_free(world->result);
      break;
  }
}

/* What is left is read after each step: a result keeps the snapshot, which has the names. */
static void free_in_order(int order) {
  enum object left[OBJECTS] = {FLEET, SNAPSHOT, BINDINGS, LEDGER, CONTEXT, RESULT};
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  struct test_allocator memory;
  struct test_world world;
  int has_result = 1;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  open_and_schedule(&world, &opts, &memory.functions);
  for (int n = OBJECTS; n > 0; n--) {
    const int next = order % n;
    const enum object object = left[next];

    order /= n;
    left[next] = left[n - 1];
    ck_assert_uint_gt(memory.live, 0);
    free_object(&world, &opts, object);
    has_result = has_result && object != RESULT;
    if (has_result) {
      ck_assert_str_eq(test_answer(world.result, world.snapshot, 0), "m1:2");
    }
  }
  ck_assert_uint_eq(memory.live, 0);
}

START_TEST(test_objects_are_freed_in_any_order) {
  for (int order = 0; order < ORDERS; order++) {
    free_in_order(order);
  }
}
END_TEST

UNIT_CASE(schedule) {
  TCase *cases = tcase_create("schedule");

  tcase_add_loop_test(cases, test_passes, 0, (int)REBALI_COUNT(rows));
  tcase_add_loop_test(cases, test_one_group_is_tried, 0, (int)REBALI_COUNT(group_rows));
  tcase_add_test(cases, test_a_result_is_filled_anew);
  tcase_add_test(cases, test_objects_are_freed_in_any_order);
  return cases;
}
