/* SPDX-License-Identifier: MIT */
#include "record/selector_index.h"

#include "../../support/allocator.h"
#include "../unit.h"

/* A selector by its two labels, which may be missing; its item is its place in the list. */
static const struct {
  const char *namespace_, *labels[2][2];
} selectors[] = {
    {"shop", {{"app", "web"}, {"tier", "gold"}}}, {"shop", {{NULL, NULL}, {NULL, NULL}}},
    {"bank", {{"app", "web"}, {NULL, NULL}}},     {"shop", {{"app", "db"}, {NULL, NULL}}},
    {"shop", {{"app", "web"}, {NULL, NULL}}},     {"yard", {{NULL, NULL}, {NULL, NULL}}},
    {"shop", {{"tier", "gold"}, {NULL, NULL}}},   {"shop", {{"app", "web"}, {"tier", "tin"}}},
};
#define SELECTORS REBALI_COUNT(selectors)

static rebal_builder *builder_new(uint32_t object) {
  rebal_builder *builder = NULL;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_start(builder, object, NULL), REBAL_OK);
  return builder;
}

static void put_pair(rebal_builder *builder, uint32_t field, const char *key, const char *value) {
  ck_assert_int_eq(rebal_builder_begin(builder, field, NULL), REBAL_OK);
  if (key != NULL) {
    ck_assert_int_eq(rebal_builder_text(builder, REBAL_PAIR_KEY, key, strlen(key), NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_text(builder, REBAL_PAIR_VALUE, value, strlen(value), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
}

static const rebal_record *finish(rebal_builder *builder) {
  const rebal_record *record = NULL;

  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  return record;
}

static struct rebali_selector_index searched;
static struct rebali_arena arena;
static rebal_builder *builders[SELECTORS];

static void setup(void) {
  rebali_arena_init(&arena, NULL, 0);
  ck_assert_int_eq(rebali_selector_index_init(&searched, &arena, SELECTORS), REBAL_OK);
  for (size_t i = 0; i < SELECTORS; i++) {
    builders[i] = builder_new(REBAL_OBJECT_LABEL_SELECTOR);
    for (size_t k = 0; k < 2 && selectors[i].labels[k][0] != NULL; k++) {
      put_pair(builders[i], REBAL_LABEL_SELECTOR_MATCH_LABELS, selectors[i].labels[k][0], selectors[i].labels[k][1]);
    }
    rebali_selector_index_add(&searched, rebali_text(selectors[i].namespace_, strlen(selectors[i].namespace_)),
                              finish(builders[i]), 0, i);
  }
  rebali_selector_index_sort(&searched);
}

static void teardown(void) {
  for (size_t i = 0; i < SELECTORS; i++) {
    rebal_builder_free(builders[i]);
  }
  rebali_arena_dispose(&arena);
}

static void expect_found(const size_t *expected, size_t n) {
  ck_assert_uint_eq(searched.n_found, n);
  for (size_t i = 0; i < n; i++) {
    ck_assert_uint_eq(searched.found[i], expected[i]);
  }
}

/* Whatever comes before and after it in the order of names. */
START_TEST(test_all_of_a_namespace) {
  static const size_t bank[] = {2}, shop[] = {0, 1, 3, 4, 6, 7}, yard[] = {5};

  rebali_selector_index_find(&searched, REBALI_TEXT("shop"), NULL);
  expect_found(shop, REBALI_COUNT(shop));
  rebali_selector_index_find(&searched, REBALI_TEXT("bank"), NULL);
  expect_found(bank, REBALI_COUNT(bank));
  rebali_selector_index_find(&searched, REBALI_TEXT("yard"), NULL);
  expect_found(yard, REBALI_COUNT(yard));
  rebali_selector_index_find(&searched, REBALI_TEXT("sho"), NULL);
  expect_found(NULL, 0);
  rebali_selector_index_find(&searched, REBALI_TEXT("zoo"), NULL);
  expect_found(NULL, 0);
}
END_TEST

/* Of the selectors with the first label of the pod, those whose other labels it lacks are not found. */
START_TEST(test_those_that_select_labels) {
  static const size_t gold[] = {0, 1, 4, 6}, none[] = {1}, bank[] = {2};
  rebal_builder *builder = builder_new(REBAL_OBJECT_LABELS);
  const rebal_record *labels;

  put_pair(builder, REBAL_LABELS_LABEL, "tier", "gold");
  put_pair(builder, REBAL_LABELS_LABEL, "app", "web");
  labels = finish(builder);
  rebali_selector_index_find(&searched, REBALI_TEXT("shop"), labels);
  expect_found(gold, REBALI_COUNT(gold));
  rebali_selector_index_find(&searched, REBALI_TEXT("bank"), labels);
  expect_found(bank, REBALI_COUNT(bank));
  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_LABELS, NULL), REBAL_OK);
  put_pair(builder, REBAL_LABELS_LABEL, NULL, "web"); /* no key: not searched a second time */
  rebali_selector_index_find(&searched, REBALI_TEXT("shop"), finish(builder));
  expect_found(none, REBALI_COUNT(none));
  rebal_builder_free(builder);
}
END_TEST

static int32_t open_index(const rebal_allocator *allocator, void *user_data) {
  struct rebali_selector_index opened;
  struct rebali_arena memory;
  int32_t code;

  (void)user_data;
  rebali_arena_init(&memory, allocator, 0);
  code = rebali_selector_index_init(&opened, &memory, 100);
  rebali_arena_dispose(&memory);
  return code;
}

START_TEST(test_out_of_memory) {
  ck_assert_pstr_eq(test_torture(open_index, NULL), NULL);
}
END_TEST

UNIT_CASE(selector_index) {
  TCase *cases = tcase_create("selector_index");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_all_of_a_namespace);
  tcase_add_test(cases, test_those_that_select_labels);
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
