/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "../../support/allocator.h"
#include "../../support/fleet_builder.h"
#include "../unit.h"

static struct test_allocator memory;
static rebal_observations *observations;
static rebal_builder *builder;
static const rebal_record *fields;

static void setup(void) {
  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebal_observations_new(&memory.functions, &observations, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  (void)rebal_builder_start(builder, REBAL_OBJECT_EVENT, NULL);
  (void)rebal_builder_text(builder, REBAL_EVENT_REASON, "Because", 7, NULL);
  ck_assert_int_eq(rebal_builder_finish(builder, &fields, NULL), REBAL_OK);
}

static void teardown(void) {
  rebal_observations_free(observations);
  rebal_builder_free(builder);
  ck_assert_uint_eq(memory.live, 0);
}

static int32_t add(int64_t ordinal) {
  return test_observe(observations, ordinal, REBAL_OBSERVED_DONE, NULL);
}

START_TEST(test_copies_are_kept) {
  char version[] = "41";
  char message[] = "conflict!";
  const rebal_observation given = {sizeof given, REBAL_OBSERVED_CONFLICT, -7, version, 2, fields, message, 8};
  const struct rebali_observation *found;

  ck_assert_int_eq(rebal_observations_add(observations, &given, NULL), REBAL_OK);
  memset(version, 'x', 2);
  memset(message, 'x', 9);
  found = rebali_observation_find(observations, -7);
  ck_assert_ptr_nonnull(found);
  ck_assert_int_eq(found->ordinal, -7);
  ck_assert_int_eq(found->outcome, REBAL_OBSERVED_CONFLICT);
  ck_assert_str_eq(found->resource_version.bytes, "41");
  ck_assert_str_eq(found->message.bytes, "conflict");
  ck_assert_ptr_ne(found->fields, fields);
  ck_assert_int_eq(rebal_record_equal(found->fields, fields), 1);
}
END_TEST

START_TEST(test_only_an_outcome) {
  const struct rebali_observation *found;

  ck_assert_int_eq(add(1), REBAL_OK);
  found = rebali_observation_find(observations, 1);
  ck_assert_ptr_nonnull(found);
  ck_assert_uint_eq(found->resource_version.len, 0);
  ck_assert_uint_eq(found->message.len, 0);
  ck_assert_ptr_null(found->fields);
}
END_TEST

START_TEST(test_many_in_any_order) {
  int64_t i;

  ck_assert_ptr_null(rebali_observation_find(observations, 0));
  for (i = 0; i < 1000; i++) {
    ck_assert_int_eq(add(i * 617 % 1000), REBAL_OK); /* 617 and 1000 have no common divisor: each number once */
  }
  for (i = 0; i < 1000; i++) {
    ck_assert_int_eq(rebali_observation_find(observations, i)->ordinal, i);
  }
  ck_assert_ptr_null(rebali_observation_find(observations, 1000));
  ck_assert_ptr_null(rebali_observation_find(observations, -1));
}
END_TEST

START_TEST(test_an_ordinal_twice_is_refused) {
  const rebal_observation again = {.struct_size = sizeof again, .outcome = REBAL_OBSERVED_DENIED, .ordinal = 5};
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(add(5), REBAL_OK);
  ck_assert_int_eq(rebal_observations_add(observations, &again, &err), REBAL_EEXIST);
  ck_assert_str_eq(err.message, "action 5 was observed before");
  ck_assert_int_eq(rebali_observation_find(observations, 5)->outcome, REBAL_OBSERVED_DONE);
}
END_TEST

START_TEST(test_refused_arguments) {
  static const rebal_observation no_size = {.outcome = 1, .ordinal = 1};
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(rebal_observations_new(NULL, NULL, NULL), REBAL_EINVAL);
#define OBSERVATION(outcome, version_len, message_len) \
  &(rebal_observation){sizeof(rebal_observation), outcome, 1, NULL, version_len, NULL, NULL, message_len}
  ck_assert_int_eq(rebal_observations_add(NULL, OBSERVATION(1, 0, 0), &err), REBAL_EINVAL);
  ck_assert_str_eq(err.message, "observations is missing");
  ck_assert_int_eq(rebal_observations_add(observations, NULL, &err), REBAL_EINVAL);
  ck_assert_int_eq(rebal_observations_add(observations, OBSERVATION(0, 0, 0), &err), REBAL_EINVAL);
  ck_assert_int_eq(rebal_observations_add(observations, OBSERVATION(6, 0, 0), &err), REBAL_EINVAL);
  ck_assert_str_eq(err.message, "outcome 6 is not one of REBAL_OBSERVED_*");
  ck_assert_int_eq(rebal_observations_add(observations, OBSERVATION(1, 1, 0), &err), REBAL_EINVAL);
  ck_assert_int_eq(rebal_observations_add(observations, OBSERVATION(1, 0, 1), &err), REBAL_EINVAL);
  ck_assert_int_eq(rebal_observations_add(observations, &no_size, &err), REBAL_EABI);
  ck_assert_ptr_null(rebali_observation_find(observations, 1));
  ck_assert_ptr_null(rebali_observation_find(NULL, 1));
  rebal_observations_reset(NULL);
  rebal_observations_free(NULL);
}
END_TEST

START_TEST(test_reset_keeps_memory) {
  int64_t i;

  rebal_observations_reset(observations);
  for (i = 0; i < 40; i++) {
    ck_assert_int_eq(add(i), REBAL_OK);
  }
  rebal_observations_reset(observations);
  ck_assert_ptr_null(rebali_observation_find(observations, 3));
  memory.requests = 0;
  for (i = 20; i < 60; i++) {
    ck_assert_int_eq(add(i), REBAL_OK);
  }
  ck_assert_uint_eq(memory.requests, 0);
  ck_assert_ptr_null(rebali_observation_find(observations, 3));
  ck_assert_ptr_nonnull(rebali_observation_find(observations, 59));
}
END_TEST

START_TEST(test_a_failed_add_changes_nothing) {
  size_t failed = 0;

  memory.requests = 0;
  memory.fail_at = 1;
  while (add(8) != REBAL_OK) {
    failed++;
    ck_assert_uint_lt(failed, 100);
    ck_assert_ptr_null(rebali_observation_find(observations, 8));
    memory.requests = 0;
    memory.fail_at = 2;
  }
  ck_assert_uint_gt(failed, 1);
  ck_assert_ptr_nonnull(rebali_observation_find(observations, 8));
}
END_TEST

static int32_t observe_many(const rebal_allocator *allocator, void *user_data) {
  rebal_observations *seen = NULL;
  int32_t code = rebal_observations_new(allocator, &seen, NULL);
  int64_t i;

  for (i = 0; i < 100 && code == REBAL_OK; i++) {
    const rebal_observation item = {sizeof item, REBAL_OBSERVED_DONE, i, "1", 1, user_data, "text", 4};

    code = rebal_observations_add(seen, &item, NULL);
  }
  rebal_observations_free(seen);
  return code;
}

START_TEST(test_out_of_memory) {
  rebal_record *copy = malloc(rebali_record_size(fields));

  ck_assert_ptr_nonnull(copy);
  memcpy(copy, fields, rebali_record_size(fields));
  ck_assert_pstr_eq(test_torture(observe_many, copy), NULL);
  free(copy);
}
END_TEST

UNIT_CASE(observations) {
  TCase *cases = tcase_create("observations");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_copies_are_kept);
  tcase_add_test(cases, test_only_an_outcome);
  tcase_add_test(cases, test_many_in_any_order);
  tcase_add_test(cases, test_an_ordinal_twice_is_refused);
  tcase_add_test(cases, test_refused_arguments);
  UNIT_ADD_COUNTING(cases, test_reset_keeps_memory);
  UNIT_ADD_COUNTING(cases, test_a_failed_add_changes_nothing);
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
