/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "../unit.h"

static rebal_builder *builder;

static void setup(void) {
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
}

static void teardown(void) {
  rebal_builder_free(builder);
}

static int is(struct rebali_text text, const char *expected) {
  return rebali_text_equal(text, rebali_text(expected, strlen(expected)));
}

START_TEST(test_a_taint_is_read) {
  const rebal_time added = {7, 0, 1};
  const rebal_record *record;
  struct rebali_taint taint;

  (void)rebal_builder_start(builder, REBAL_OBJECT_TAINT, NULL);
  (void)rebal_builder_text(builder, REBAL_TAINT_KEY, "key", 3, NULL);
  (void)rebal_builder_text(builder, REBAL_TAINT_VALUE, "v", 1, NULL);
  (void)rebal_builder_text(builder, REBAL_TAINT_EFFECT, "NoExecute", 9, NULL);
  (void)rebal_builder_time(builder, REBAL_TAINT_TIME_ADDED, &added, NULL);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  taint = rebali_taint_read(record, 0);
  ck_assert(is(taint.key, "key") && is(taint.value, "v") && is(taint.effect, "NoExecute"));
  ck_assert_int_eq(taint.time_added.seconds, 7);
}
END_TEST

START_TEST(test_a_toleration_is_read) {
  const rebal_record *record;
  struct rebali_toleration toleration;

  (void)rebal_builder_start(builder, REBAL_OBJECT_TOLERATION, NULL);
  (void)rebal_builder_text(builder, REBAL_TOLERATION_KEY, "key", 3, NULL);
  (void)rebal_builder_text(builder, REBAL_TOLERATION_OPERATOR, "Equal", 5, NULL);
  (void)rebal_builder_text(builder, REBAL_TOLERATION_VALUE, "v", 1, NULL);
  (void)rebal_builder_text(builder, REBAL_TOLERATION_EFFECT, "NoSchedule", 10, NULL);
  (void)rebal_builder_i64(builder, REBAL_TOLERATION_TOLERATION_SECONDS, 0, NULL);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  toleration = rebali_toleration_read(record, 0);
  ck_assert(is(toleration.key, "key") && is(toleration.operation, "Equal"));
  ck_assert(is(toleration.value, "v") && is(toleration.effect, "NoSchedule"));
  ck_assert(toleration.has_seconds && toleration.toleration_seconds == 0);
}
END_TEST

START_TEST(test_absent_fields) {
  const rebal_record *record;

  (void)rebal_builder_start(builder, REBAL_OBJECT_TOLERATION, NULL);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  ck_assert(!rebali_toleration_read(record, 0).has_seconds);
  ck_assert(is(rebali_toleration_read(record, 0).key, ""));
  (void)rebal_builder_start(builder, REBAL_OBJECT_TAINT, NULL);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  ck_assert(!rebali_taint_read(record, 0).time_added.is_set);
}
END_TEST

UNIT_CASE(taint) {
  TCase *cases = tcase_create("taint");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_a_taint_is_read);
  tcase_add_test(cases, test_a_toleration_is_read);
  tcase_add_test(cases, test_absent_fields);
  return cases;
}
