/* SPDX-License-Identifier: MIT */
#include "record/labels.h"

#include "../unit.h"

#include <stdio.h>

#define MOST 2
#define MANY 80u

/* A selector as a user writes it: lists end at the first NULL. */
struct written {
  const char *labels[MOST][2];
  struct {
    const char *key, *operation, *values[MOST];
  } expressions[MOST];
};

static void put_text(rebal_builder *builder, uint32_t field, const char *text) {
  ck_assert_int_eq(rebal_builder_text(builder, field, text, strlen(text), NULL), REBAL_OK);
}

static void put_pair(rebal_builder *builder, uint32_t field, const char *key, const char *value) {
  ck_assert_int_eq(rebal_builder_begin(builder, field, NULL), REBAL_OK);
  put_text(builder, REBAL_PAIR_KEY, key);
  put_text(builder, REBAL_PAIR_VALUE, value);
  ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
}

static const rebal_record *finish(rebal_builder *builder) {
  const rebal_record *record = NULL;
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  return record;
}

static rebal_builder *builder_new(uint32_t object) {
  rebal_builder *builder = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_start(builder, object, NULL), REBAL_OK);
  return builder;
}

static const rebal_record *selector_of(rebal_builder *builder, const struct written *written) {
  for (size_t i = 0; i < MOST && written->labels[i][0] != NULL; i++) {
    put_pair(builder, REBAL_LABEL_SELECTOR_MATCH_LABELS, written->labels[i][0], written->labels[i][1]);
  }
  for (size_t i = 0; i < MOST && written->expressions[i].key != NULL; i++) {
    ck_assert_int_eq(rebal_builder_begin(builder, REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS, NULL), REBAL_OK);
    put_text(builder, REBAL_EXPRESSION_KEY, written->expressions[i].key);
    put_text(builder, REBAL_EXPRESSION_OPERATOR, written->expressions[i].operation);
    for (size_t v = 0; v < MOST && written->expressions[i].values[v] != NULL; v++) {
      put_text(builder, REBAL_EXPRESSION_VALUES, written->expressions[i].values[v]);
    }
    ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  }
  return finish(builder);
}

/* Does it hold for {app: web, tier: gold}, and for no labels at all? */
static const struct {
  struct written written;
  int valid, some, none;
} selectors[] = {
    {{{{NULL}}, {{NULL, NULL, {NULL}}}}, 1, 1, 1},
    {{{{"app", "web"}}, {{NULL, NULL, {NULL}}}}, 1, 1, 0},
    {{{{"app", "web"}, {"tier", "gold"}}, {{NULL, NULL, {NULL}}}}, 1, 1, 0},
    {{{{"app", "web"}, {"tier", "tin"}}, {{NULL, NULL, {NULL}}}}, 1, 0, 0},
    {{{{"rack", ""}}, {{NULL, NULL, {NULL}}}}, 1, 0, 0},
    {{{{"app", "a b"}}, {{NULL, NULL, {NULL}}}}, 0, 0, 0},
    {{{{"", "web"}}, {{NULL, NULL, {NULL}}}}, 0, 0, 0},
    {{{{NULL}}, {{"app", "In", {"db", "web"}}}}, 1, 1, 0},
    {{{{NULL}}, {{"app", "In", {"db", "mail"}}}}, 1, 0, 0},
    {{{{NULL}}, {{"app", "In", {NULL}}}}, 0, 0, 0},
    {{{{NULL}}, {{"app", "In", {"web", "a b"}}}}, 0, 0, 0},
    {{{{NULL}}, {{"app", "NotIn", {"db", "mail"}}}}, 1, 1, 1},
    {{{{NULL}}, {{"app", "NotIn", {"db", "web"}}}}, 1, 0, 1},
    {{{{NULL}}, {{"app", "Exists", {NULL}}, {"rack", "DoesNotExist", {NULL}}}}, 1, 1, 0},
    {{{{NULL}}, {{"app", "DoesNotExist", {NULL}}}}, 1, 0, 1},
    {{{{NULL}}, {{"app", "Exists", {"web"}}}}, 0, 0, 0},
    {{{{NULL}}, {{"app", "Gt", {"1"}}}}, 0, 0, 0},
    {{{{NULL}}, {{"app", "in", {"web"}}}}, 0, 0, 0},
    {{{{"app", "web"}}, {{"tier", "NotIn", {"gold"}}}}, 1, 0, 0},
    {{{{"app", "web"}}, {{"tier", "In", {"gold"}}}}, 1, 1, 0},
};

START_TEST(test_selectors) {
  rebal_builder *builder = builder_new(REBAL_OBJECT_LABEL_SELECTOR);
  rebal_builder *labeller = builder_new(REBAL_OBJECT_LABELS);
  const rebal_record *selector = selector_of(builder, &selectors[_i].written);
  const rebal_record *labels;
  put_pair(labeller, REBAL_LABELS_LABEL, "tier", "gold");
  put_pair(labeller, REBAL_LABELS_LABEL, "app", "web");
  labels = finish(labeller);
  ck_assert_int_eq(rebali_label_selector_valid(selector, 0), selectors[_i].valid);
  if (selectors[_i].valid) {
    ck_assert_int_eq(rebali_label_selector_matches(selector, 0, labels), selectors[_i].some);
    ck_assert_int_eq(rebali_label_selector_matches(selector, 0, NULL), selectors[_i].none);
  }
  rebal_builder_free(labeller);
  rebal_builder_free(builder);
}
END_TEST

START_TEST(test_values_of_labels) {
  rebal_builder *builder = builder_new(REBAL_OBJECT_LABELS);
  const rebal_record *labels;
  put_pair(builder, REBAL_LABELS_LABEL, "app", "web");
  put_pair(builder, REBAL_LABELS_LABEL, "top", "");
  labels = finish(builder);
  ck_assert_uint_eq(rebali_labels_value(labels, REBALI_TEXT("app")).len, 3);
  ck_assert_ptr_nonnull(rebali_labels_value(labels, REBALI_TEXT("top")).bytes);
  ck_assert_uint_eq(rebali_labels_value(labels, REBALI_TEXT("top")).len, 0);
  ck_assert_ptr_null(rebali_labels_value(labels, REBALI_TEXT("tip")).bytes);
  ck_assert_ptr_null(rebali_labels_value(NULL, REBALI_TEXT("app")).bytes);
  rebal_builder_free(builder);
}
END_TEST

/* Of every third a pair has no value, and of many keys each is found, and nothing between them. */
START_TEST(test_values_of_many_labels) {
  rebal_builder *builder = builder_new(REBAL_OBJECT_LABELS);
  const rebal_record *labels;
  char key[16];
  for (uint32_t i = 0; i < MANY; i++) {
    (void)snprintf(key, sizeof key, "k%03u", (unsigned)(i * 7 % MANY));
    ck_assert_int_eq(rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL), REBAL_OK);
    put_text(builder, REBAL_PAIR_KEY, key);
    if (i * 7 % MANY % 3 != 0) {
      put_text(builder, REBAL_PAIR_VALUE, key + 1);
    }
    ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  }
  labels = finish(builder);
  for (uint32_t i = 0; i < MANY; i++) {
    struct rebali_text value;
    const size_t len = (size_t)snprintf(key, sizeof key, "k%03u", (unsigned)i);
    value = rebali_labels_value(labels, rebali_text(key, len));
    ck_assert_ptr_nonnull(value.bytes);
    ck_assert(rebali_text_equal(value, rebali_text(key + 1, i % 3 != 0 ? len - 1 : 0)));
    ck_assert_ptr_null(rebali_labels_value(labels, rebali_text(key, len - 1)).bytes);
    key[len] = '!';
    ck_assert_ptr_null(rebali_labels_value(labels, rebali_text(key, len + 1)).bytes);
  }
  ck_assert_ptr_null(rebali_labels_value(labels, REBALI_TEXT("")).bytes);
  ck_assert_ptr_null(rebali_labels_value(labels, REBALI_TEXT("z")).bytes);
  rebal_builder_free(builder);
}
END_TEST

/* Values keep their order for messages, and each is found whatever that is. */
START_TEST(test_expressions_of_many_values) {
  rebal_builder *builder = builder_new(REBAL_OBJECT_LABEL_SELECTOR);
  struct rebali_requirement requirement;
  struct rebali_arena arena;
  const rebal_record *selector;
  char value[16];
  ck_assert_int_eq(rebal_builder_begin(builder, REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS, NULL), REBAL_OK);
  put_text(builder, REBAL_EXPRESSION_KEY, "k");
  put_text(builder, REBAL_EXPRESSION_OPERATOR, "In");
  for (uint32_t i = 0; i < MANY; i++) {
    (void)snprintf(value, sizeof value, "v%03u", (unsigned)(i * 7 % MANY));
    put_text(builder, REBAL_EXPRESSION_VALUES, value);
  }
  ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  selector = finish(builder);
  rebali_arena_init(&arena, NULL, 0);
  ck_assert_int_eq(
      rebali_expression_read(selector, rebali_record_get(selector, 0, REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS), &arena,
                             &requirement),
      REBAL_OK);
  ck_assert_uint_eq(requirement.n_values, MANY);
  ck_assert(rebali_text_equal(requirement.values[1], REBALI_TEXT("v007")));
  for (uint32_t i = 0; i < MANY; i++) {
    const size_t len = (size_t)snprintf(value, sizeof value, "v%03u!", (unsigned)i);
    ck_assert_int_eq(rebali_requirement_lists(&requirement, rebali_text(value, len - 1)), 1);
    ck_assert_int_eq(rebali_requirement_lists(&requirement, rebali_text(value, len)), 0);
    ck_assert_int_eq(rebali_requirement_lists(&requirement, rebali_text(value, len - 2)), 0);
  }
  rebali_arena_dispose(&arena);
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(label_selector) {
  TCase *cases = tcase_create("label_selector");
  tcase_add_loop_test(cases, test_selectors, 0, (int)(sizeof selectors / sizeof selectors[0]));
  tcase_add_test(cases, test_values_of_labels);
  tcase_add_test(cases, test_values_of_many_labels);
  tcase_add_test(cases, test_expressions_of_many_values);
  return cases;
}
