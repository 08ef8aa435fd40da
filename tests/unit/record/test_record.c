/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "../unit.h"

static rebal_builder *builder;
static const rebal_record *record; /* taints: {key a, effect e}, {}, {key b, timeAdded} */

static void setup(void) {
  const rebal_time added = {100, 5, 1};

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  (void)rebal_builder_start(builder, REBAL_OBJECT_TAINTS, NULL);
  (void)rebal_builder_begin(builder, REBAL_TAINTS_TAINT, NULL);
  (void)rebal_builder_text(builder, REBAL_TAINT_KEY, "a", 1, NULL);
  (void)rebal_builder_text(builder, REBAL_TAINT_EFFECT, "e", 1, NULL);
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_begin(builder, REBAL_TAINTS_TAINT, NULL);
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_begin(builder, REBAL_TAINTS_TAINT, NULL);
  (void)rebal_builder_text(builder, REBAL_TAINT_KEY, "b", 1, NULL);
  (void)rebal_builder_time(builder, REBAL_TAINT_TIME_ADDED, &added, NULL);
  (void)rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
}

static void teardown(void) {
  rebal_builder_free(builder);
}

START_TEST(test_walk) {
  uint32_t first = rebal_record_next(record, 0, REBAL_TAINTS_TAINT, REBAL_NONE);
  uint32_t second = rebal_record_next(record, 0, REBAL_TAINTS_TAINT, first);
  uint32_t third = rebal_record_next(record, 0, 0, second);
  uint32_t effect = rebal_record_next(record, first, REBAL_TAINT_EFFECT, REBAL_NONE);

  ck_assert_uint_eq(first, 1); /* children come right after their parent */
  ck_assert_uint_eq(rebal_record_next(record, 0, 0, third), REBAL_NONE);
  ck_assert_uint_eq(rebal_record_next(record, second, 0, REBAL_NONE), REBAL_NONE);
  ck_assert_str_eq(rebal_record_text(record, effect, NULL), "e");
  ck_assert_uint_eq(rebal_record_next(record, first, REBAL_TAINT_VALUE, REBAL_NONE), REBAL_NONE);
  ck_assert_uint_eq(rebali_record_get(record, third, REBAL_TAINT_KEY), third + 1);
  ck_assert_uint_eq(rebali_record_count(record, 0, REBAL_TAINTS_TAINT), 3);
  ck_assert_uint_eq(rebali_record_count(record, first, 0), 2);
  ck_assert_uint_eq(rebali_record_count(record, REBAL_NONE, 0), 0);
  ck_assert_uint_eq(rebal_record_field(record, effect), REBAL_TAINT_EFFECT);
  ck_assert_uint_eq(rebal_record_field(record, 0), 0);
}
END_TEST

START_TEST(test_missing_nodes) {
  const uint32_t nodes[] = {REBAL_NONE, record->n_nodes};
  size_t i;

  for (i = 0; i < REBALI_COUNT(nodes); i++) {
    size_t len = 9;
    rebal_quantity quantity = {1, 1, 1};
    rebal_time time = {1, 1, 1};

    ck_assert_uint_eq(rebal_record_next(record, nodes[i], 0, REBAL_NONE), REBAL_NONE);
    ck_assert_uint_eq(rebal_record_field(record, nodes[i]), 0);
    ck_assert_int_eq(rebal_record_i64(record, nodes[i]), 0);
    ck_assert_str_eq(rebal_record_text(record, nodes[i], &len), "");
    ck_assert_uint_eq(len, 0);
    rebal_record_quantity(record, nodes[i], &quantity);
    ck_assert(quantity.units == 0 && quantity.nanos == 0 && quantity.format == 0);
    rebal_record_time(record, nodes[i], &time);
    ck_assert(time.seconds == 0 && time.nanos == 0 && time.is_set == 0);
  }
  ck_assert_uint_eq(rebal_record_next(record, 0, 0, record->n_nodes), REBAL_NONE);
}
END_TEST

START_TEST(test_values_of_another_type) {
  const uint32_t text = rebali_record_get(record, 1, REBAL_TAINT_KEY);
  const uint32_t time_node = record->n_nodes - 1;
  rebal_quantity quantity = {1, 1, 1};
  rebal_time time = {1, 1, 1};

  rebal_record_time(record, time_node, &time);
  ck_assert(time.seconds == 100 && time.nanos == 5 && time.is_set == 1);
  ck_assert_int_eq(rebal_record_i64(record, time_node), 0);
  ck_assert_str_eq(rebal_record_text(record, time_node, NULL), "");
  rebal_record_quantity(record, time_node, &quantity);
  ck_assert_int_eq(quantity.units, 0);
  rebal_record_time(record, text, &time);
  ck_assert_uint_eq(time.is_set, 0);
  rebal_record_time(record, text, NULL);
  rebal_record_quantity(record, text, NULL);
}
END_TEST

START_TEST(test_no_record) {
  rebal_time time = {1, 1, 1};

  ck_assert_uint_eq(rebal_record_object(NULL), REBAL_OBJECT_NONE);
  ck_assert_uint_eq(rebal_record_next(NULL, 0, 0, REBAL_NONE), REBAL_NONE);
  ck_assert_uint_eq(rebal_record_field(NULL, 0), 0);
  ck_assert_int_eq(rebal_record_i64(NULL, 0), 0);
  ck_assert_str_eq(rebal_record_text(NULL, 0, NULL), "");
  rebal_record_time(NULL, 0, &time);
  ck_assert_uint_eq(time.is_set, 0);
}
END_TEST

START_TEST(test_equal) {
  const size_t size = rebali_record_size(record);
  rebal_record *copy = malloc(size);

  ck_assert_ptr_nonnull(copy);
  memcpy(copy, record, size); /* a record is one relocatable block */
  ck_assert_int_eq(rebal_record_equal(record, copy), 1);
  ck_assert_int_eq(rebal_record_equal(record, record), 1);
  ck_assert_int_eq(rebal_record_equal(NULL, NULL), 1);
  ck_assert_int_eq(rebal_record_equal(record, NULL), 0);
  ck_assert_int_eq(rebal_record_equal(NULL, record), 0);
  (void)rebal_builder_start(builder, REBAL_OBJECT_TAINTS, NULL);
  (void)rebal_builder_finish(builder, &record, NULL);
  ck_assert_int_eq(rebal_record_equal(copy, record), 0);
  ck_assert_str_eq(rebal_record_text(copy, rebali_record_get(copy, 1, REBAL_TAINT_KEY), NULL), "a");
  free(copy);
}
END_TEST

static const rebal_record *labels_of(rebal_builder *maker, const char *key, const char *value) {
  const rebal_record *labels = NULL;

  rebal_builder_start(maker, REBAL_OBJECT_LABELS, NULL);
  rebal_builder_begin(maker, REBAL_LABELS_LABEL, NULL);
  rebal_builder_text(maker, REBAL_PAIR_KEY, key, strlen(key), NULL);
  rebal_builder_text(maker, REBAL_PAIR_VALUE, value, strlen(value), NULL);
  rebal_builder_end(maker, NULL);
  ck_assert_int_eq(rebal_builder_finish(maker, &labels, NULL), REBAL_OK);
  return labels;
}

static uint64_t digest_of(const rebal_record *digested) {
  struct rebali_digest digest;

  rebali_digest_begin(&digest, 1, 2);
  rebali_digest_record(&digest, digested);
  return rebali_digest_end(&digest).high;
}

START_TEST(test_digest_by_content) {
  rebal_builder *maker = NULL;
  uint64_t first;

  ck_assert_int_eq(rebal_builder_new(NULL, &maker, NULL), REBAL_OK);
  first = digest_of(labels_of(maker, "a", "b"));
  ck_assert_uint_eq(first, digest_of(labels_of(maker, "a", "b")));
  ck_assert_uint_ne(first, digest_of(labels_of(maker, "a", "c")));
  ck_assert_uint_ne(first, digest_of(labels_of(maker, "b", "a")));
  ck_assert_uint_ne(first, digest_of(NULL));
  rebal_builder_free(maker);
}
END_TEST

UNIT_CASE(record) {
  TCase *cases = tcase_create("record");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_walk);
  tcase_add_test(cases, test_missing_nodes);
  tcase_add_test(cases, test_values_of_another_type);
  tcase_add_test(cases, test_no_record);
  tcase_add_test(cases, test_equal);
  tcase_add_test(cases, test_digest_by_content);
  return cases;
}
