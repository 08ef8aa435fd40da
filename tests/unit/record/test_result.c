/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "../../support/allocator.h"
#include "../unit.h"

static struct test_allocator memory;
static rebal_result *result;
static rebal_builder *builder;
static const rebal_record *payload;

static void setup(void) {
  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebal_result_new(&memory.functions, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  (void)rebal_builder_start(builder, REBAL_OBJECT_EVENT, NULL);
  (void)rebal_builder_text(builder, REBAL_EVENT_REASON, "Because", 7, NULL);
  ck_assert_int_eq(rebal_builder_finish(builder, &payload, NULL), REBAL_OK);
}

static void teardown(void) {
  rebal_result_free(result);
  rebal_builder_free(builder);
  ck_assert_uint_eq(memory.live, 0);
}

static struct rebali_action sample(const rebal_record *fields) {
  struct rebali_action action = {0};

  action.kind = REBAL_ACTION_KIND_PATCH_SPEC;
  action.ordinal = 12;
  action.api_version = REBALI_TEXT("apps/v1");
  action.object_kind = REBALI_TEXT("Deployment");
  action.namespace_ = REBALI_TEXT("shop");
  action.name = REBALI_TEXT("web");
  action.uid = REBALI_TEXT("u-1");
  action.resource_version = REBALI_TEXT("77");
  action.not_before = (rebal_time){9, 0, 1};
  action.row = 3;
  action.replaces = REBAL_REPLACES_CLUSTERS;
  action.payload = fields;
  return action;
}

static int64_t integer(uint32_t column, size_t row) {
  size_t n = 0;
  const int64_t *values = rebal_result_i64(result, column, &n);

  ck_assert_ptr_nonnull(values);
  ck_assert_uint_gt(n, row);
  return values[row];
}

START_TEST(test_a_new_result_is_empty) {
  rebal_time time = {1, 1, 1};
  size_t n = 9;

  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_ACTION), 0);
  ck_assert_ptr_null(rebal_result_i64(result, REBAL_ACTION_KIND, &n));
  ck_assert_uint_eq(n, 0);
  n = 9;
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_NAME, 0, &n), "");
  ck_assert_uint_eq(n, 0);
  rebal_result_time(result, REBAL_ACTION_NOT_BEFORE, 0, &time);
  ck_assert_uint_eq(time.is_set, 0);
  ck_assert_ptr_null(rebal_result_record(result, 0));
  ck_assert_uint_eq(memory.requests, 1);
}
END_TEST

START_TEST(test_an_action_is_read_back) {
  const struct rebali_action with = sample(payload);
  struct rebali_action without = {.kind = REBAL_ACTION_KIND_WAKE, .row = REBAL_ABSENT};
  rebal_time time;
  size_t len;

  ck_assert_int_eq(rebali_result_add_action(result, &without), REBAL_OK);
  ck_assert_int_eq(rebali_result_add_action(result, &with), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_ACTION), 2);
  ck_assert_int_eq(integer(REBAL_ACTION_KIND, 1), REBAL_ACTION_KIND_PATCH_SPEC);
  ck_assert_int_eq(integer(REBAL_ACTION_ORDINAL, 1), 12);
  ck_assert_int_eq(integer(REBAL_ACTION_ROW, 1), 3);
  ck_assert_int_eq(integer(REBAL_ACTION_ROW, 0), REBAL_ABSENT);
  ck_assert_int_eq(integer(REBAL_ACTION_REPLACES, 1), REBAL_REPLACES_CLUSTERS);
  ck_assert_int_eq(integer(REBAL_ACTION_REPLACES, 0), 0);
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_API_VERSION, 1, &len), "apps/v1");
  ck_assert_uint_eq(len, 7);
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_OBJECT_KIND, 1, NULL), "Deployment");
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_NAMESPACE, 1, NULL), "shop");
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_NAME, 1, NULL), "web");
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_UID, 1, NULL), "u-1");
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_RESOURCE_VERSION, 1, NULL), "77");
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_NAME, 0, NULL), "");
  rebal_result_time(result, REBAL_ACTION_NOT_BEFORE, 1, &time);
  ck_assert_int_eq(time.seconds, 9);
  rebal_result_time(result, REBAL_ACTION_NOT_BEFORE, 0, &time);
  ck_assert_uint_eq(time.is_set, 0);
  ck_assert_ptr_null(rebal_result_record(result, 0));
  ck_assert_ptr_ne(rebal_result_record(result, 1), payload);
  ck_assert_int_eq(rebal_record_equal(rebal_result_record(result, 1), payload), 1);
  ck_assert_ptr_null(rebal_result_record(result, 2));
}
END_TEST

START_TEST(test_actions_that_are_alike) {
  struct rebali_action action = sample(NULL);
  size_t first = 9;
  rebal_time time;

  ck_assert_int_eq(rebali_result_add_action(result, &action), REBAL_OK);
  action.name = REBALI_TEXT("db");
  action.uid = REBALI_TEXT("");
  action.not_before = (rebal_time){0, 0, 0};
  ck_assert_int_eq(rebali_result_add_actions(result, &action, 2, &first), REBAL_OK);
  ck_assert_uint_eq(first, 1);
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_ACTION), 3);
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_NAME, 0, NULL), "web");
  for (size_t row = 1; row < 3; row++) {
    ck_assert_int_eq(integer(REBAL_ACTION_ROW, row), 3);
    ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_NAME, row, NULL), "db");
    ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_UID, row, NULL), "");
    rebal_result_time(result, REBAL_ACTION_NOT_BEFORE, row, &time);
    ck_assert_uint_eq(time.is_set, 0);
    ck_assert_ptr_null(rebal_result_record(result, row));
  }
  ck_assert_ptr_eq(rebal_result_text(result, REBAL_ACTION_NAME, 1, NULL),
                   rebal_result_text(result, REBAL_ACTION_NAME, 2, NULL));
}
END_TEST

START_TEST(test_an_integer_column_never_set) {
  size_t first;
  size_t n = 0;
  const int64_t *taints;

  ck_assert_int_eq(rebali_table_add(rebali_result_table(result, REBAL_TABLE_VERDICT), 20, &first), REBAL_OK);
  taints = rebal_result_i64(result, REBAL_VERDICT_TAINT, &n);
  ck_assert_uint_eq(n, 20);
  ck_assert_int_eq(taints[0], REBAL_ABSENT);
  ck_assert_int_eq(taints[19], REBAL_ABSENT);
  ck_assert_int_eq(rebal_result_i64(result, REBAL_VERDICT_CLUSTER, NULL)[19], REBAL_ABSENT);
}
END_TEST

START_TEST(test_missing_columns) {
  const struct rebali_action action = sample(NULL);
  rebal_time time = {1, 1, 1};
  size_t n = 9;

  ck_assert_int_eq(rebali_result_add_action(result, &action), REBAL_OK);
  ck_assert_ptr_null(rebal_result_i64(result, REBAL_ACTION_NAME, &n));
  ck_assert_uint_eq(n, 0);
  ck_assert_ptr_null(rebal_result_i64(result, REBAL_ACTION_NOT_BEFORE, NULL));
  ck_assert_ptr_null(rebal_result_i64(result, REBAL_BINDING_REPLICAS, NULL));
  ck_assert_ptr_null(rebal_result_i64(result, REBAL_METADATA_GENERATION, NULL));
  ck_assert_ptr_null(rebal_result_i64(result, 0, NULL));
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_KIND, 0, NULL), "");
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_NAME, 1, NULL), "");
  ck_assert_str_eq(rebal_result_text(result, REBAL_BINDING_NAME, 0, NULL), "");
  rebal_result_time(result, REBAL_ACTION_NAME, 0, &time);
  ck_assert_uint_eq(time.is_set, 0);
  rebal_result_time(result, REBAL_ACTION_NOT_BEFORE, 0, NULL);
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_BINDING), 0);
  ck_assert_uint_eq(rebal_result_count(result, 9999), 0);
  ck_assert_ptr_null(rebali_result_table(result, REBAL_TABLE_COMPONENT));
  ck_assert_ptr_null(rebali_result_table(result, REBAL_TABLE_COUNTERFACTUAL + 1));
}
END_TEST

/* Tables after those of results hold inputs, whose rows are passed to calls. */
START_TEST(test_columns_of_inputs_are_in_no_result) {
  rebal_time time = {1, 1, 1};
  size_t n = 9;

  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_SPREAD_POD), 0);
  ck_assert_ptr_null(rebali_result_table(result, REBAL_TABLE_SPREAD_POD));
  ck_assert_ptr_null(rebal_result_i64(result, REBAL_SPREAD_POD_PHASE, &n));
  ck_assert_uint_eq(n, 0);
  ck_assert_str_eq(rebal_result_text(result, REBAL_OWNER_KIND, 0, NULL), "");
  rebal_result_time(result, REBAL_SPREAD_POD_CREATED, 0, &time);
  ck_assert_uint_eq(time.is_set, 0);
}
END_TEST

START_TEST(test_the_last_table_is_read_back) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_ALLOCATED);
  size_t n = 0;

  ck_assert_int_eq(rebali_table_add(table, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_table_set_i64(table, REBAL_ALLOCATED_REPLICAS, 0, 5), REBAL_OK);
  ck_assert_int_eq(rebal_result_i64(result, REBAL_ALLOCATED_REPLICAS, &n)[0], 5);
  ck_assert_uint_eq(n, 1);
  rebal_result_reset(result);
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_ALLOCATED), 0);
}
END_TEST

START_TEST(test_no_result) {
  rebal_time time = {1, 1, 1};
  rebal_error err = REBAL_ERROR_INIT;
  size_t n = 9;

  ck_assert_int_eq(rebal_result_new(NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_result_begin(NULL, &err), REBAL_EINVAL);
  ck_assert_str_eq(err.message, "result is missing");
  ck_assert_uint_eq(rebal_result_count(NULL, REBAL_TABLE_ACTION), 0);
  ck_assert_ptr_null(rebal_result_i64(NULL, REBAL_ACTION_KIND, &n));
  ck_assert_uint_eq(n, 0);
  ck_assert_str_eq(rebal_result_text(NULL, REBAL_ACTION_NAME, 0, NULL), "");
  rebal_result_time(NULL, REBAL_ACTION_NOT_BEFORE, 0, &time);
  ck_assert_uint_eq(time.is_set, 0);
  ck_assert_ptr_null(rebal_result_record(NULL, 0));
  rebal_result_reset(NULL);
  rebal_result_free(NULL);
}
END_TEST

static void count_release(void *object) {
  ++*(int *)object;
}

/* Many rows share one copy; a row without a payload shares none. */
START_TEST(test_payloads_are_shared) {
  const struct rebali_action bare = sample(NULL);
  const struct rebali_action action = sample(payload);

  ck_assert_int_eq(rebali_result_add_action(result, &bare), REBAL_OK);
  ck_assert_int_eq(rebali_result_add_action(result, &action), REBAL_OK);
  ck_assert_int_eq(rebali_result_add_action(result, &bare), REBAL_OK);
  ck_assert_int_eq(rebali_result_add_action(result, &bare), REBAL_OK);
  ck_assert_int_eq(rebali_result_share_record(result, 3, 1), REBAL_OK);
  ck_assert_ptr_eq(rebal_result_record(result, 3), rebal_result_record(result, 1));
  ck_assert_ptr_nonnull(rebal_result_record(result, 3));
  ck_assert_ptr_null(rebal_result_record(result, 2));
  ck_assert_int_eq(rebali_result_share_record(result, 3, 0), REBAL_OK);
  ck_assert_ptr_null(rebal_result_record(result, 3));
  ck_assert_int_eq(rebali_result_share_record(result, 3, 99), REBAL_OK);
  ck_assert_ptr_null(rebal_result_record(result, 3));
}
END_TEST

START_TEST(test_held_objects_are_released_when_emptied) {
  int released[REBALI_RESULT_HOLDS + 1] = {0};
  size_t i;

  for (i = 0; i < REBALI_RESULT_HOLDS; i++) {
    ck_assert_int_eq(rebali_result_hold(result, &released[i], count_release), REBAL_OK);
  }
  ck_assert_int_eq(rebali_result_hold(result, &released[i], count_release), REBAL_ELIMIT);
  ck_assert_int_eq(released[0], 0);
  ck_assert_int_eq(rebali_result_begin(result, NULL), REBAL_OK);
  for (i = 0; i < REBALI_RESULT_HOLDS; i++) {
    ck_assert_int_eq(released[i], 1);
  }
  ck_assert_int_eq(released[REBALI_RESULT_HOLDS], 0);
  ck_assert_int_eq(rebali_result_hold(result, &released[0], count_release), REBAL_OK);
  rebal_result_reset(result);
  ck_assert_int_eq(released[0], 2);
  ck_assert_int_eq(rebali_result_hold(result, &released[0], count_release), REBAL_OK);
  rebal_result_free(result);
  result = NULL;
  ck_assert_int_eq(released[0], 3);
}
END_TEST

static void ignore(void *object) {
  (void)object;
}

START_TEST(test_held_objects_are_found_by_how_they_are_released) {
  int released = 0, one = 1, two = 2;

  ck_assert_ptr_null(rebali_result_held(NULL, ignore));
  ck_assert_ptr_null(rebali_result_held(result, ignore));
  ck_assert_int_eq(rebali_result_hold(result, &released, count_release), REBAL_OK);
  ck_assert_ptr_null(rebali_result_held(result, ignore));
  ck_assert_int_eq(rebali_result_hold(result, &one, ignore), REBAL_OK);
  ck_assert_int_eq(rebali_result_hold(result, &two, ignore), REBAL_OK);
  ck_assert_ptr_eq(rebali_result_held(result, ignore), &one);
  ck_assert_ptr_eq(rebali_result_held(result, count_release), &released);
  rebal_result_reset(result);
  ck_assert_ptr_null(rebali_result_held(result, ignore));
  ck_assert_int_eq(released, 1);
}
END_TEST

/* Fills a result with everything that it can hold. */
static int32_t fill(rebal_result *filled, const rebal_record *fields) {
  const struct rebali_action action = sample(fields);
  int32_t code = rebali_result_begin(filled, NULL);
  size_t first;
  int i;

  for (i = 0; i < 200 && code == REBAL_OK; i++) {
    code = rebali_result_add_action(filled, &action);
  }
  if (code == REBAL_OK) {
    code = rebali_table_add(rebali_result_table(filled, REBAL_TABLE_STEP), 50, &first);
  }
  return code;
}

START_TEST(test_a_used_result_fills_again_without_allocating) {
  int i;

  /* The first rounds find how much text has to be held at once. */
  for (i = 0; i < 3; i++) {
    ck_assert_int_eq(fill(result, payload), REBAL_OK);
  }
  memory.requests = 0;
  for (i = 0; i < 3; i++) {
    rebal_result_reset(result);
    ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_ACTION), 0);
    ck_assert_ptr_null(rebal_result_record(result, 0));
    ck_assert_int_eq(fill(result, payload), REBAL_OK);
    ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_ACTION), 200);
    ck_assert_int_eq(integer(REBAL_STEP_AFTER_NS, 49), REBAL_ABSENT);
  }
  ck_assert_uint_eq(memory.requests, 0);
}
END_TEST

START_TEST(test_a_failed_action_leaves_no_row) {
  const struct rebali_action action = sample(payload);
  size_t failed = 0;

  /* Each attempt gets one request further, since the memory of earlier attempts is kept. */
  memory.requests = 0;
  memory.fail_at = 1;
  while (rebali_result_add_action(result, &action) != REBAL_OK) {
    failed++;
    ck_assert_uint_lt(failed, 100);
    ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_ACTION), 0);
    ck_assert_ptr_null(rebal_result_record(result, 0));
    memory.requests = 0;
    memory.fail_at = 2;
  }
  ck_assert_uint_gt(failed, 3);
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_ACTION), 1);
}
END_TEST

static int32_t new_and_fill(const rebal_allocator *allocator, void *user_data) {
  rebal_result *filled = NULL;
  int32_t code = rebal_result_new(allocator, &filled, NULL);

  if (code == REBAL_OK) {
    code = fill(filled, user_data);
  }
  if (code == REBAL_ENOMEM && filled != NULL && fill(filled, user_data) != REBAL_OK) {
    rebal_result_reset(filled); /* a reset succeeds even if every request fails */
  }
  rebal_result_free(filled);
  return code;
}

START_TEST(test_out_of_memory) {
  rebal_record *fields = malloc(rebali_record_size(payload));

  ck_assert_ptr_nonnull(fields);
  memcpy(fields, payload, rebali_record_size(payload));
  ck_assert_pstr_eq(test_torture(new_and_fill, fields), NULL);
  free(fields);
}
END_TEST

START_TEST(test_rows_begun_are_taken_back) {
  const struct rebali_action action = sample(payload);
  struct rebali_action bare = sample(NULL);
  struct rebali_result_mark mark;

  ck_assert_int_eq(rebali_result_add_action(result, &bare), REBAL_OK);
  rebali_result_mark(result, &mark);
  ck_assert_int_eq(rebali_result_add_action(result, &action), REBAL_OK);
  ck_assert_int_eq(rebali_table_add(rebali_result_table(result, REBAL_TABLE_PLACED), 3, NULL), REBAL_OK);
  rebali_result_rewind(result, &mark);
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_ACTION), 1);
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_PLACED), 0);
  /* The payload was removed too: an action without a payload that reuses the row has none. */
  ck_assert_int_eq(rebali_result_add_action(result, &bare), REBAL_OK);
  ck_assert_ptr_null(rebal_result_record(result, 1));
}
END_TEST

UNIT_CASE(result) {
  TCase *cases = tcase_create("result");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_a_new_result_is_empty);
  tcase_add_test(cases, test_an_action_is_read_back);
  tcase_add_test(cases, test_actions_that_are_alike);
  tcase_add_test(cases, test_an_integer_column_never_set);
  tcase_add_test(cases, test_missing_columns);
  tcase_add_test(cases, test_columns_of_inputs_are_in_no_result);
  tcase_add_test(cases, test_the_last_table_is_read_back);
  tcase_add_test(cases, test_no_result);
  tcase_add_test(cases, test_payloads_are_shared);
  tcase_add_test(cases, test_held_objects_are_released_when_emptied);
  tcase_add_test(cases, test_held_objects_are_found_by_how_they_are_released);
  UNIT_ADD_COUNTING(cases, test_a_used_result_fills_again_without_allocating);
  UNIT_ADD_COUNTING(cases, test_a_failed_action_leaves_no_row);
  tcase_add_test(cases, test_out_of_memory);
  tcase_add_test(cases, test_rows_begun_are_taken_back);
  return cases;
}
