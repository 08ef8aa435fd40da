/* SPDX-License-Identifier: MIT */
#include "pass_fixture.h"

/* By version, subset and the order of the list; without rows all by number. */
START_TEST(test_rows) {
  static const struct test_pod pods[] = {{"p1", "b", .version = "v2"},
                                         {"p2", "x", .version = "v1"},
                                         {"p3", "a", .version = "v1"},
                                         {"p4", "a", .version = "v1"}};
  struct pass_fixture fixture;
  uint32_t row;

  pass_open(&fixture, spread_of("Job", "a=3,b", NULL), 2);
  for (size_t i = 0; i < REBALI_COUNT(pods); i++) {
    pass_add(&fixture, &pods[i]);
  }
  row = fixture.rows[2];
  fixture.rows[2] = fixture.rows[3];
  fixture.rows[3] = row;
  pass_step(&fixture);
  ck_assert_str_eq(pass_pods(&fixture), "p4@v1=a , p3@v1=a , p2@v1=- , p1@v2=b ");
  ck_assert_int_eq(pass_cell(&fixture, REBAL_GROUPED_BY, 0), REBAL_GROUPED_BY_ANNOTATION);
  ck_assert_int_eq(pass_cell(&fixture, REBAL_GROUPED_BY, 2), REBAL_GROUPED_BY_FORMER_SUBSET);
  ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_SUBSET_COUNT), 6);
  ck_assert_int_eq(pass_cell(&fixture, REBAL_SUBSET_COUNT_VERSION, 0), REBAL_ABSENT);
  ck_assert_int_eq(pass_cell(&fixture, REBAL_SUBSET_COUNT_WANTED, 0), 3);
  ck_assert_int_eq(pass_cell(&fixture, REBAL_SUBSET_COUNT_ACTIVE, 0), 2);
  ck_assert_int_eq(pass_cell(&fixture, REBAL_SUBSET_COUNT_MISSING, 0), 1);
  ck_assert_int_eq(pass_cell(&fixture, REBAL_SUBSET_COUNT_SCHEDULABLE, 0), REBAL_ABSENT);
  ck_assert_int_eq(rebal_spread_step(fixture.world.ctx, NULL, fixture.spread, fixture.pods, &fixture.now, NULL,
                                     fixture.world.result, NULL),
                   REBAL_OK);
  ck_assert_str_eq(pass_pods(&fixture), "p3@v1=a , p4@v1=a , p2@v1=- , p1@v2=b ");
  pass_close(&fixture);
}
END_TEST

/* Versions that each keep a limit and together exceed it are reported, unless they share the limit. */
START_TEST(test_warning) {
  static const struct test_pod pods[] = {
      {"p1", "a", .version = "v2"}, {"p2", "a", .version = "v1"}, {"p3", "b", .version = "v1"}};
  rebal_compat *compat = test_compat(REBAL_OPTION_SPREAD_ALL_VERSIONS, 1);
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Job", "a=1,b=0,c", NULL), 2);
  for (size_t i = 0; i < REBALI_COUNT(pods); i++) {
    pass_add(&fixture, &pods[i]);
  }
  pass_step(&fixture);
  ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_WARNING), 1);
  ck_assert_str_eq(rebal_result_text(fixture.world.result, REBAL_WARNING_ROW_NAME, 0, NULL), "versions-fill-twice");
  ck_assert_int_eq(pass_cell(&fixture, REBAL_WARNING_REPLICAS, 0), 1);
  fixture.opts.compat = compat;
  pass_step(&fixture);
  ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_WARNING), 0);
  pass_close(&fixture);
  rebal_compat_free(compat);
}
END_TEST

/* A row for each subset of each list: its pods in flight, stuck pods, and its condition. */
START_TEST(test_counts) {
  static const struct test_pod pods[] = {
      {"p1", "a", .version = "v1", .phase = REBAL_POD_PHASE_PENDING, .unschedulable = 1}, {"p2", "b", .version = "v1"}};
  static const struct {
    const char *version;
    int64_t numbers[8];
  } rows[] = {/* version, subset, wanted, active, missing, creating, deleting, schedulable */
              {"", {REBAL_ABSENT, 0, 4, 1, 3, 0, 0, 0}}, {"", {REBAL_ABSENT, 1, -1, 1, -1, 0, 0, 1}},
              {"v0", {0, 0, 4, 0, 3, 1, 0, 1}},          {"v0", {0, 1, -1, 0, -1, 0, 0, 1}},
              {"v1", {1, 0, 4, 1, 3, 0, 0, 0}},          {"v1", {1, 1, -1, 1, -1, 0, 1, 1}}};
  static const uint32_t columns[] = {REBAL_SUBSET_COUNT_VERSION,  REBAL_SUBSET_COUNT_SUBSET,
                                     REBAL_SUBSET_COUNT_WANTED,   REBAL_SUBSET_COUNT_ACTIVE,
                                     REBAL_SUBSET_COUNT_MISSING,  REBAL_SUBSET_COUNT_CREATING,
                                     REBAL_SUBSET_COUNT_DELETING, REBAL_SUBSET_COUNT_SCHEDULABLE};
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Job", "a=4,b", "v0:a=0/4+x@990,b=0/-1|v1:a=1/3,b=1/-1-p2@995"), 2);
  fixture.spread->spec.critical_seconds = 20;
  pass_add(&fixture, &pods[0]);
  pass_add(&fixture, &pods[1]);
  pass_step(&fixture);
  ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_SUBSET_COUNT), REBALI_COUNT(rows));
  for (size_t i = 0; i < REBALI_COUNT(rows); i++) {
    ck_assert_str_eq(rebal_result_text(fixture.world.result, REBAL_SUBSET_COUNT_VERSION_NAME, i, NULL),
                     rows[i].version);
    for (size_t k = 0; k < REBALI_COUNT(columns); k++) {
      ck_assert_msg(pass_cell(&fixture, columns[k], i) == rows[i].numbers[k], "row %zu, column %zu: %lld", i, k,
                    (long long)pass_cell(&fixture, columns[k], i));
    }
    ck_assert_int_eq(pass_cell(&fixture, REBAL_SUBSET_COUNT_STUCK, i), rows[i].numbers[7] == 0);
  }
  pass_close(&fixture);
}
END_TEST

/* A limit that cannot be read leaves no list, but pods are counted. */
START_TEST(test_no_list) {
  static const struct test_pod pods[] = {{"p1", "a"}, {"p2", "b"}};
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Job", "a=2,b=x", "*:a=1/1!,b=0/0"), 2);
  pass_add(&fixture, &pods[0]);
  pass_add(&fixture, &pods[1]);
  pass_step(&fixture);
  for (size_t i = 0; i < 4; i++) {
    ck_assert_int_eq(pass_cell(&fixture, REBAL_SUBSET_COUNT_WANTED, i), i % 2 == 0 ? 2 : REBAL_ABSENT);
    ck_assert_int_eq(pass_cell(&fixture, REBAL_SUBSET_COUNT_ACTIVE, i), 1);
    ck_assert_int_eq(pass_cell(&fixture, REBAL_SUBSET_COUNT_MISSING, i), 0);
    ck_assert_int_eq(pass_cell(&fixture, REBAL_SUBSET_COUNT_SCHEDULABLE, i), REBAL_ABSENT);
  }
  pass_close(&fixture);
}
END_TEST

UNIT_CASE(rows) {
  TCase *cases = tcase_create("rows");

  tcase_add_test(cases, test_rows);
  tcase_add_test(cases, test_warning);
  tcase_add_test(cases, test_counts);
  tcase_add_test(cases, test_no_list);
  return cases;
}
