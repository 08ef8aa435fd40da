/* SPDX-License-Identifier: MIT */
/* Defaults of admission on placements (rebalance-karmada(7) 1.4). */
#include "phases_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

static const struct test_affinity groups[] = {{"one", .clusters = "m1"}};

/* A placement as written, and the same with the defaults written out. */
static const struct {
  struct test_placement given, completed;
} placements[] = {
    {{.scheduling = NULL}, {.scheduling = NULL}},
    {{.scheduling = "Duplicated"}, {.scheduling = "Duplicated"}},
    {{.scheduling = ""}, {.scheduling = "Divided/Weighted"}},
    {{.scheduling = "Divided"}, {.scheduling = "Divided/Weighted"}},
    {{.scheduling = "Divided/Aggregated"}, {.scheduling = "Divided/Aggregated"}},
    {{.scheduling = "Divided//AvailableReplicas"}, {.scheduling = "Divided/Weighted/AvailableReplicas"}},
    {{.scheduling = "Divided", .weights = "m1=1 *=2"}, {.scheduling = "Divided/Weighted", .weights = "m1=1 *=2"}},
    {{.scheduling = "Odd"}, {.scheduling = "Odd"}},
    {{.spreads = "cluster region:2:3"}, {.spreads = "cluster:1 region:2:3"}},
    {{.spreads = "cluster:0:2"}, {.spreads = "cluster:1:2"}},
    {{.spreads = "zone:-4"}, {.spreads = "zone:-4"}},
    {{.terms = groups, .n_terms = 1, .tolerations = "k:Exists", .group_by = "app", .spreads = "region:0"},
     {.terms = groups, .n_terms = 1, .tolerations = "k:Exists", .group_by = "app", .spreads = "region:1"}},
};

START_TEST(test_placements) {
  rebal_builder *builder;
  const rebal_record *completed;
  struct test_world world;

  test_world_open(&world, NULL);
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  test_freeze(&world);
  ck_assert_int_eq(
      rebal_placement_defaults(rebali_snapshot_record(world.snapshot, REBAL_OBJECT_PLACEMENT,
                                                      test_placement_handle(&world, &placements[_i].given)),
                               builder, &completed, NULL),
      REBAL_OK);
  ck_assert(
      rebal_record_equal(completed, rebali_snapshot_record(world.snapshot, REBAL_OBJECT_PLACEMENT,
                                                           test_placement_handle(&world, &placements[_i].completed))));
  rebal_builder_free(builder);
  test_world_close(&world);
}
END_TEST

/* A constraint by label has no field. */
static const rebal_record *build_constraint(rebal_builder *builder, const char *field, const char *label,
                                            int64_t min_groups) {
  const rebal_record *record;

  (void)rebal_builder_start(builder, REBAL_OBJECT_PLACEMENT, NULL);
  (void)rebal_builder_begin(builder, REBAL_PLACEMENT_SPREAD_CONSTRAINTS, NULL);
  if (field != NULL) {
    (void)rebal_builder_text(builder, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD, field, strlen(field), NULL);
  }
  if (label != NULL) {
    (void)rebal_builder_text(builder, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_LABEL, label, strlen(label), NULL);
  }
  if (min_groups != REBAL_ABSENT) {
    (void)rebal_builder_i64(builder, REBAL_SPREAD_CONSTRAINT_MIN_GROUPS, min_groups, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  return record;
}

START_TEST(test_constraints) {
  static const struct {
    const char *field, *label, *completed_field;
    int64_t min_groups, completed_min;
  } constraints[] = {{NULL, NULL, "cluster", REBAL_ABSENT, 1},
                     {"", NULL, "cluster", 2, 2},
                     {NULL, "rack", NULL, 0, 1},
                     {NULL, "", "cluster", 0, 1},
                     {"zone", "rack", "zone", REBAL_ABSENT, 1}};
  rebal_builder *given, *expected, *builder;
  const rebal_record *completed;

  ck_assert_int_eq(rebal_builder_new(NULL, &given, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_new(NULL, &expected, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  for (size_t i = 0; i < REBALI_COUNT(constraints); i++) {
    ck_assert_int_eq(rebal_placement_defaults(
                         build_constraint(given, constraints[i].field, constraints[i].label, constraints[i].min_groups),
                         builder, &completed, NULL),
                     REBAL_OK);
    ck_assert(rebal_record_equal(completed, build_constraint(expected, constraints[i].completed_field,
                                                             constraints[i].label, constraints[i].completed_min)));
  }
  rebal_builder_free(given);
  rebal_builder_free(expected);
  rebal_builder_free(builder);
}
END_TEST

START_TEST(test_other_than_a_placement) {
  struct test_world world;
  const rebal_record *out;

  test_world_open(&world, NULL);
  ck_assert_int_eq(rebal_placement_defaults(NULL, world.builder, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_placement_defaults(test_affinity_record(&world, &groups[0]), world.builder, &out, NULL),
                   REBAL_EINVAL);
  test_world_close(&world);
}
END_TEST

static int32_t complete(const rebal_allocator *allocator, void *user_data) {
  const rebal_record *out;
  rebal_builder *builder = NULL;
  int32_t code = rebal_builder_new(allocator, &builder, NULL);

  code = code == REBAL_OK ? rebal_placement_defaults(user_data, builder, &out, NULL) : code;
  rebal_builder_free(builder);
  return code;
}

START_TEST(test_without_memory) {
  static const struct test_placement placement = {
      .spreads = "cluster region:2:3", .scheduling = "Divided", .terms = groups, .n_terms = 1};
  struct test_world world;
  const rebal_record *record;

  test_world_open(&world, NULL);
  test_freeze(&world);
  record = rebali_snapshot_record(world.snapshot, REBAL_OBJECT_PLACEMENT, test_placement_handle(&world, &placement));
  ck_assert_pstr_eq(test_torture(complete, (void *)(uintptr_t)record), NULL);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(placement_defaults) {
  TCase *cases = tcase_create("placement_defaults");

  tcase_add_loop_test(cases, test_placements, 0, (int)REBALI_COUNT(placements));
  tcase_add_test(cases, test_constraints);
  tcase_add_test(cases, test_other_than_a_placement);
  tcase_add_test(cases, test_without_memory);
  return cases;
}
