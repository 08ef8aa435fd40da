/* SPDX-License-Identifier: MIT */
/* A pass runs whether or not it is due, and whoever the binding belongs to; only a placement is needed. */
#include "phases_fixture.h"

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

UNIT_CASE(schedule) {
  TCase *cases = tcase_create("schedule");

  tcase_add_loop_test(cases, test_passes, 0, (int)REBALI_COUNT(rows));
  tcase_add_loop_test(cases, test_one_group_is_tried, 0, (int)REBALI_COUNT(group_rows));
  tcase_add_test(cases, test_a_result_is_filled_anew);
  return cases;
}
