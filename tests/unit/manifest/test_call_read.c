/* SPDX-License-Identifier: MIT */
/* Cells that no member of a binding holds come back from a record as they were. */
#include "manifest/record/call.h"

#include <rebalance/manifest.h>

#include "../../support/fleet_builder.h"
#include "../unit.h"

#define MARK "1 00000000000000010000000000000002 moving 0123456789abcdef 1970-01-01T00:00:09Z"

/* Two bindings: one that is moved, with what was seen in two members, and one that is not. */
static void open_moving(struct test_world *world) {
  static const struct test_placement everywhere = {.scheduling = "Duplicated"};
  const struct test_binding moving = {.key = "default/web", .replicas = 2, .placement = &everywhere},
                            other = {.key = "default/other", .replicas = 1, .placement = &everywhere};
  const rebal_time since = {900, 500000000, 1};
  rebal_cells *cells;
  uint32_t row, items[2];

  test_world_open(world, NULL);
  test_add_pods(world, "m1=9 m2=9");
  row = test_add_binding(world, NULL, &moving);
  cells = rebal_bindings_cells(world->bindings);
  ck_assert_int_eq(rebal_cells_set_text(cells, REBAL_BINDING_PLAN_MARK, REBAL_NONE, row, MARK, strlen(MARK), NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_STATUS_ITEM, row, items, 2, NULL), REBAL_OK);
  for (uint32_t i = 0; i < 2; i++) {
    ck_assert_int_eq(rebal_cells_set_i64(cells, REBAL_STATUS_ITEM_CLUSTER, REBAL_NONE, items[i],
                                         test_cluster_id(world, i == 0 ? "m1" : "m2"), NULL),
                     REBAL_OK);
  }
  ck_assert_int_eq(rebal_cells_set_time(cells, REBAL_STATUS_ITEM_SINCE, REBAL_NONE, items[1], &since, NULL), REBAL_OK);
  (void)test_add_binding(world, NULL, &other);
  test_freeze(world);
}

/* The input of the record of a row. */
static json_t *record_input(struct test_world *world, size_t row) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .first_row = row, .max_work = 1};
  const rebal_recorded_call call = {.struct_size = sizeof call,
                                    .call = REBAL_CALL_SCHEDULE,
                                    .snapshot = world->snapshot,
                                    .bindings = world->bindings,
                                    .schedule_opts = &opts,
                                    .result = world->result};
  rebal_text *out = NULL;
  json_t *line, *input;

  ck_assert_int_eq(rebal_schedule(world->ctx, world->snapshot, world->bindings, &opts, world->result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_text_new(&out, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_manifest_dump_call(&call, out, NULL), REBAL_OK);
  line = json_loads(rebal_text_bytes(out, NULL), 0, NULL);
  input = json_incref(json_object_get(line, "input"));
  ck_assert_ptr_nonnull(input);
  json_decref(line);
  rebal_text_free(out);
  return input;
}

START_TEST(test_the_mark_of_a_plan_and_since_when_come_back) {
  struct rebali_replay replay = {0};
  struct test_world world;
  const rebal_cells *cells;
  rebal_time since;
  json_t *input;

  open_moving(&world);
  input = record_input(&world, 0);
  ck_assert_int_eq(rebali_replay_read(&replay, REBAL_CALL_SCHEDULE, input, &world.err), REBAL_OK);
  cells = rebal_bindings_const_cells(replay.bindings);
  ck_assert_str_eq(rebal_cells_get_text(cells, REBAL_BINDING_PLAN_MARK, REBAL_NONE, 0, NULL), MARK);
  rebal_cells_get_time(cells, REBAL_STATUS_ITEM_SINCE, REBAL_NONE, 0, &since);
  ck_assert_int_eq(since.is_set, 0);
  rebal_cells_get_time(cells, REBAL_STATUS_ITEM_SINCE, REBAL_NONE, 1, &since);
  ck_assert_int_eq(since.is_set, 1);
  ck_assert_int_eq(since.seconds, 900);
  ck_assert_int_eq(since.nanos, 500000000);
  rebali_replay_dispose(&replay);
  json_decref(input);
  test_world_close(&world);
}
END_TEST

START_TEST(test_without_a_mark_there_is_none) {
  struct rebali_replay replay = {0};
  struct test_world world;
  json_t *input;

  open_moving(&world);
  input = record_input(&world, 1);
  ck_assert_ptr_null(json_object_get(json_object_get(input, "binding"), "cells"));
  ck_assert_int_eq(rebali_replay_read(&replay, REBAL_CALL_SCHEDULE, input, &world.err), REBAL_OK);
  ck_assert_str_eq(
      rebal_cells_get_text(rebal_bindings_const_cells(replay.bindings), REBAL_BINDING_PLAN_MARK, REBAL_NONE, 0, NULL),
      "");
  rebali_replay_dispose(&replay);
  json_decref(input);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(call_read) {
  TCase *cases = tcase_create("call_read");

  tcase_add_test(cases, test_the_mark_of_a_plan_and_since_when_come_back);
  tcase_add_test(cases, test_without_a_mark_there_is_none);
  return cases;
}
