/* SPDX-License-Identifier: MIT */
#include "record/labels.h"
#include "record/record.h"

#include "../unit.h"

static void text(rebal_builder *builder, uint32_t field, const char *value) {
  ck_assert_int_eq(rebal_builder_text(builder, field, value, strlen(value), NULL), REBAL_OK);
}

static rebal_builder *start(uint32_t object) {
  rebal_builder *builder = NULL;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_start(builder, object, NULL), REBAL_OK);
  return builder;
}

static const rebal_record *finish(rebal_builder *builder) {
  const rebal_record *record = NULL;

  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  return record;
}

/* A label for each character, which is its key. */
static rebal_builder *labels(const char *keys) {
  rebal_builder *builder = start(REBAL_OBJECT_METADATA);

  for (; *keys != '\0'; keys++) {
    (void)rebal_builder_begin(builder, REBAL_METADATA_LABELS, NULL);
    (void)rebal_builder_text(builder, REBAL_PAIR_VALUE, "v", 1, NULL);
    (void)rebal_builder_text(builder, REBAL_PAIR_KEY, keys, 1, NULL);
    (void)rebal_builder_end(builder, NULL);
  }
  return builder;
}

START_TEST(test_fields_come_in_the_order_of_their_numbers) {
  rebal_builder *builder = start(REBAL_OBJECT_METADATA);
  const uint32_t expected[] = {REBAL_METADATA_NAME, REBAL_METADATA_UID, REBAL_METADATA_GENERATION};
  const rebal_record *record;
  uint32_t node = REBAL_NONE;
  size_t i;

  ck_assert_int_eq(rebal_builder_i64(builder, REBAL_METADATA_GENERATION, 3, NULL), REBAL_OK);
  text(builder, REBAL_METADATA_UID, "u");
  text(builder, REBAL_METADATA_NAME, "n");
  record = finish(builder);
  for (i = 0; i < REBALI_COUNT(expected); i++) {
    node = rebal_record_next(record, 0, 0, node);
    ck_assert_uint_eq(rebal_record_field(record, node), expected[i]);
  }
  ck_assert_uint_eq(rebal_record_next(record, 0, 0, node), REBAL_NONE);
  rebal_builder_free(builder);
}
END_TEST

START_TEST(test_map_entries_come_in_the_order_of_their_keys) {
  rebal_builder *builder = labels("zbXa\xc3");
  const rebal_record *record = finish(builder);
  char seen[8] = "";
  uint32_t node = REBAL_NONE;

  while ((node = rebal_record_next(record, 0, REBAL_METADATA_LABELS, node)) != REBAL_NONE) {
    strcat(seen, rebal_record_text(record, rebali_record_get(record, node, REBAL_PAIR_KEY), NULL));
  }
  ck_assert_str_eq(seen, "Xabz\xc3");
  rebal_builder_free(builder);
}
END_TEST

START_TEST(test_lists_keep_their_order) {
  rebal_builder *builder = start(REBAL_OBJECT_AFFINITY);
  const char *const names[] = {"c", "a", "b", "a"};
  const rebal_record *record;
  uint32_t node = REBAL_NONE;
  size_t i;

  for (i = 0; i < REBALI_COUNT(names); i++) {
    text(builder, REBAL_AFFINITY_EXCLUDE, names[i]);
    text(builder, REBAL_AFFINITY_CLUSTER_NAMES, names[i]);
  }
  record = finish(builder);
  for (i = 0; i < REBALI_COUNT(names); i++) {
    node = rebal_record_next(record, 0, REBAL_AFFINITY_CLUSTER_NAMES, node);
    ck_assert_str_eq(rebal_record_text(record, node, NULL), names[i]);
  }
  node = REBAL_NONE;
  for (i = 0; i < REBALI_COUNT(names); i++) {
    node = rebal_record_next(record, 0, REBAL_AFFINITY_EXCLUDE, node);
    ck_assert_str_eq(rebal_record_text(record, node, NULL), names[i]);
  }
  ck_assert_uint_eq(rebal_record_next(record, 0, REBAL_AFFINITY_EXCLUDE, node), REBAL_NONE);
  rebal_builder_free(builder);
}
END_TEST

START_TEST(test_equal_content_gives_equal_bytes) {
  rebal_builder *one = labels("abcdefghijklmnop");
  rebal_builder *two = labels("ponmlkjihgfedcba");
  rebal_builder *three = labels("abcdefghijklmnoq");
  const rebal_record *left;
  const rebal_record *right;

  text(one, REBAL_METADATA_NAME, "name");
  text(two, REBAL_METADATA_NAME, "name");
  text(three, REBAL_METADATA_NAME, "name");
  left = finish(one);
  right = finish(two);
  ck_assert_uint_eq(rebali_record_size(left), rebali_record_size(right));
  ck_assert_mem_eq(left, right, rebali_record_size(left));
  right = finish(three);
  ck_assert_uint_eq(rebali_record_size(left), rebali_record_size(right));
  ck_assert_int_eq(rebal_record_equal(left, right), 0);
  rebal_builder_free(one);
  rebal_builder_free(two);
  rebal_builder_free(three);
}
END_TEST

START_TEST(test_memory_of_a_longer_record_does_not_show) {
  rebal_builder *used = labels("abcdefghijklmnop");
  rebal_builder *fresh = start(REBAL_OBJECT_PAIR);
  const rebal_record *left = finish(used);
  const rebal_record *right;

  ck_assert_int_eq(rebal_builder_start(used, REBAL_OBJECT_PAIR, NULL), REBAL_OK);
  text(used, REBAL_PAIR_KEY, "k");
  text(fresh, REBAL_PAIR_KEY, "k");
  left = finish(used);
  right = finish(fresh);
  ck_assert_uint_eq(rebali_record_size(left) % 8, 0);
  ck_assert_int_eq(rebal_record_equal(left, right), 1);
  rebal_builder_free(used);
  rebal_builder_free(fresh);
}
END_TEST

START_TEST(test_a_key_twice_is_refused) {
  rebal_builder *builder = labels("abca");
  const rebal_record *record = NULL;
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(rebal_builder_finish(builder, &record, &err), REBAL_EEXIST);
  ck_assert_str_eq(err.message, "labels: the key \"a\" occurs twice");
  ck_assert_ptr_null(record);
  rebal_builder_free(builder);
}
END_TEST

START_TEST(test_equal_keys_of_two_maps_are_no_fault) {
  rebal_builder *builder = labels("ab");

  ck_assert_int_eq(rebal_builder_begin(builder, REBAL_METADATA_ANNOTATIONS, NULL), REBAL_OK);
  text(builder, REBAL_PAIR_KEY, "b");
  ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  ck_assert_uint_eq(rebali_record_count(finish(builder), 0, 0), 3);
  rebal_builder_free(builder);
}
END_TEST

START_TEST(test_entries_without_a_key) {
  rebal_builder *builder = start(REBAL_OBJECT_LABELS);
  const rebal_record *record = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  int i;

  for (i = 0; i < 2; i++) {
    ck_assert_int_eq(rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL), REBAL_OK);
    text(builder, REBAL_PAIR_VALUE, i == 0 ? "a" : "b");
    ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_finish(builder, &record, &err), REBAL_EEXIST);
  ck_assert_str_eq(err.message, "labels: the key \"\" occurs twice");
  rebal_builder_free(builder);
}
END_TEST

START_TEST(test_empty_entries) {
  rebal_builder *builder = start(REBAL_OBJECT_LABELS);
  const rebal_record *record = NULL;
  rebal_error err = REBAL_ERROR_INIT;

  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_finish(builder, &record, &err), REBAL_EEXIST);
  ck_assert_str_eq(err.message, "labels: the key \"\" occurs twice");
  rebal_builder_free(builder);
}
END_TEST

START_TEST(test_an_empty_object_is_content) {
  rebal_builder *without = start(REBAL_OBJECT_AFFINITY);
  rebal_builder *with = start(REBAL_OBJECT_AFFINITY);

  ck_assert_int_eq(rebal_builder_begin(with, REBAL_AFFINITY_LABEL_SELECTOR, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_end(with, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_record_equal(finish(without), finish(with)), 0);
  rebal_builder_free(without);
  rebal_builder_free(with);
}
END_TEST

/* A message holds the beginning of a long key. */
START_TEST(test_a_long_key_twice_is_refused) {
  rebal_builder *builder = start(REBAL_OBJECT_LABELS);
  const rebal_record *record = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  char key[121] = "";

  memset(key, 'k', sizeof key - 1);
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL), REBAL_OK);
    text(builder, REBAL_PAIR_KEY, key);
    ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_finish(builder, &record, &err), REBAL_EEXIST);
  key[100] = '\0';
  ck_assert_ptr_nonnull(strstr(err.message, key));
  ck_assert_uint_eq(strlen(err.message), strlen("labels: the key \"\" occurs twice") + 100);
  rebal_builder_free(builder);
}
END_TEST

START_TEST(test_labels_without_key_or_value) {
  rebal_builder *builder = start(REBAL_OBJECT_LABELS);
  const rebal_record *record = NULL;

  ck_assert_int_eq(rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL), REBAL_OK);
  text(builder, REBAL_PAIR_VALUE, "v");
  ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL), REBAL_OK);
  text(builder, REBAL_PAIR_KEY, "k");
  ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_text_equal(rebali_labels_value(record, REBALI_TEXT("")), REBALI_TEXT("v")), 1);
  ck_assert_ptr_nonnull(rebali_labels_value(record, REBALI_TEXT("k")).bytes);
  ck_assert_uint_eq(rebali_labels_value(record, REBALI_TEXT("k")).len, 0);
  ck_assert_ptr_null(rebali_labels_value(record, REBALI_TEXT("v")).bytes);
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(canonical) {
  TCase *cases = tcase_create("canonical");

  tcase_add_test(cases, test_fields_come_in_the_order_of_their_numbers);
  tcase_add_test(cases, test_map_entries_come_in_the_order_of_their_keys);
  tcase_add_test(cases, test_lists_keep_their_order);
  tcase_add_test(cases, test_equal_content_gives_equal_bytes);
  tcase_add_test(cases, test_memory_of_a_longer_record_does_not_show);
  tcase_add_test(cases, test_a_key_twice_is_refused);
  tcase_add_test(cases, test_equal_keys_of_two_maps_are_no_fault);
  tcase_add_test(cases, test_entries_without_a_key);
  tcase_add_test(cases, test_empty_entries);
  tcase_add_test(cases, test_an_empty_object_is_content);
  tcase_add_test(cases, test_a_long_key_twice_is_refused);
  tcase_add_test(cases, test_labels_without_key_or_value);
  return cases;
}
