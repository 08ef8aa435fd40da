/* SPDX-License-Identifier: MIT */
#include "workloadspread/node_term.h"

#include "../../support/allocator.h"
#include "../unit.h"

/* Up to two demands on labels, one on a field: "key operator value,value". The node n1 has zone=a, cpus=8, empty="". */
struct term {
  const char *labels[2];
  const char *field;
  int holds;
  int is_empty;
  int needs_name;
};

static const struct term terms[] = {
    {{NULL}, NULL, 1, 1, 0},
    {{"zone In a,b"}, NULL, 1, 0, 0},
    {{"zone In b"}, NULL, 0, 0, 0},
    {{"zone NotIn b"}, NULL, 1, 0, 0},
    {{"rack NotIn b"}, NULL, 1, 0, 0},
    {{"rack In b"}, NULL, 0, 0, 0},
    {{"zone Exists"}, NULL, 1, 0, 0},
    {{"rack Exists"}, NULL, 0, 0, 0},
    {{"empty Exists"}, NULL, 1, 0, 0},
    {{"empty DoesNotExist"}, NULL, 0, 0, 0},
    {{"rack DoesNotExist"}, NULL, 1, 0, 0},
    {{"cpus Gt 7"}, NULL, 1, 0, 0},
    {{"cpus Gt 8"}, NULL, 0, 0, 0},
    {{"cpus Lt 9"}, NULL, 1, 0, 0},
    {{"zone Lt 9"}, NULL, 0, 0, 0},
    {{"rack Lt 9"}, NULL, 0, 0, 0},
    {{"zone In a", "cpus In 8"}, NULL, 1, 0, 0},
    {{"zone In a", "cpus In 9"}, NULL, 0, 0, 0},
    /* Malformed, whatever else there is. */
    {{"zone In a", "cpus Like 8"}, NULL, 0, 0, 0},
    {{"rack NotIn"}, NULL, 0, 0, 0},
    {{"zone Exists a"}, NULL, 0, 0, 0},
    {{"cpus Gt a"}, NULL, 0, 0, 0},
    {{"cpus Gt 1,2"}, NULL, 0, 0, 0},
    {{"rack/of/mine DoesNotExist"}, NULL, 0, 0, 0},
    {{"rack NotIn a:b"}, NULL, 0, 0, 0},
    {{"zone In a"}, "metadata.name In n1", 1, 0, 1},
    {{NULL}, "metadata.name In n1", 1, 0, 1},
    {{NULL}, "metadata.name In n2", 0, 0, 1},
    {{NULL}, "metadata.name NotIn n2", 1, 0, 1},
    {{NULL}, "metadata.name In n1,n2", 0, 0, 0},
    {{NULL}, "metadata.name Exists", 0, 0, 0},
    /* A field that nodes do not have is empty. */
    {{NULL}, "metadata.uid NotIn n1", 1, 0, 0},
    {{NULL}, "metadata.uid In n1", 0, 0, 0},
};

static void put(rebal_builder *builder, uint32_t field, const char *text, size_t len) {
  ck_assert_int_eq(rebal_builder_text(builder, field, text, len, NULL), REBAL_OK);
}

static void put_expression(rebal_builder *builder, uint32_t field, const char *text) {
  const size_t key = strcspn(text, " ");
  size_t end = key + 1 + strcspn(text + key + 1, " ");

  ck_assert_int_eq(rebal_builder_begin(builder, field, NULL), REBAL_OK);
  put(builder, REBAL_EXPRESSION_KEY, text, key);
  put(builder, REBAL_EXPRESSION_OPERATOR, text + key + 1, end - key - 1);
  while (text[end] != '\0') {
    const char *value = text + end + 1;

    put(builder, REBAL_EXPRESSION_VALUES, value, strcspn(value, ","));
    end += 1 + strcspn(value, ",");
  }
  ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
}

static const rebal_record *build(rebal_builder *builder, const struct term *term) {
  const rebal_record *record = NULL;

  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_NODE_SELECTOR_TERM, NULL), REBAL_OK);
  for (size_t i = 0; i < 2 && term->labels[i] != NULL; i++) {
    put_expression(builder, REBAL_NODE_SELECTOR_TERM_MATCH_EXPRESSIONS, term->labels[i]);
  }
  if (term->field != NULL) {
    put_expression(builder, REBAL_NODE_SELECTOR_TERM_MATCH_FIELDS, term->field);
  }
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  return record;
}

static struct rebali_text label_of(struct rebali_text key) {
  static const struct {
    const char *key;
    const char *value;
  } labels[] = {{"zone", "a"}, {"cpus", "8"}, {"empty", ""}};

  for (size_t i = 0; i < REBALI_COUNT(labels); i++) {
    if (rebali_text_equal(key, rebali_text(labels[i].key, strlen(labels[i].key)))) {
      return rebali_text(labels[i].value, strlen(labels[i].value));
    }
  }
  return (struct rebali_text){NULL, 0};
}

START_TEST(test_term) {
  const struct term *term = &terms[_i];
  struct rebali_text values[4];
  rebal_allocator memory;
  struct rebali_arena arena;
  struct rebali_text_numbers keys;
  struct rebali_node_term compiled;
  rebal_builder *builder = NULL;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_allocator_load(&memory, NULL, NULL), REBAL_OK);
  rebali_arena_init(&arena, &memory, 0);
  keys = rebali_text_numbers(&arena);
  ck_assert_int_eq(rebali_node_term_read(build(builder, term), 0, &keys, &compiled), REBAL_OK);
  ck_assert_uint_le(keys.n, REBALI_COUNT(values));
  for (uint32_t i = 0; i < keys.n; i++) {
    values[i] = label_of(keys.texts[i]);
  }
  ck_assert_int_eq(rebali_node_term_holds(&compiled, values, REBALI_TEXT("n1")), term->holds);
  ck_assert_int_eq(rebali_node_term_is_empty(&compiled), term->is_empty);
  ck_assert_int_eq(rebali_node_term_needs_name(&compiled), term->needs_name);
  rebali_arena_dispose(&arena);
  rebal_builder_free(builder);
}
END_TEST

static int32_t read_term(const rebal_allocator *memory, void *user_data) {
  struct rebali_arena arena;
  struct rebali_text_numbers keys;
  struct rebali_node_term compiled;
  int32_t code;

  rebali_arena_init(&arena, memory, 0);
  keys = rebali_text_numbers(&arena);
  code = rebali_node_term_read(user_data, 0, &keys, &compiled);
  rebali_arena_dispose(&arena);
  return code;
}

START_TEST(test_term_without_memory) {
  static char values[6000];
  struct term term = {{values, "cpus In 8"}, "metadata.name In n1", 0, 0, 0};
  rebal_builder *builder = NULL;
  const rebal_record *record;
  rebal_record *copy;

  /* Enough of them that no chunk holds all there is. */
  memcpy(values, "zone In", 7);
  for (size_t i = 7; i + 2 < sizeof values; i += 2) {
    memcpy(values + i, i == 7 ? " a" : ",a", 2);
  }
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  record = build(builder, &term);
  copy = malloc(rebali_record_size(record));
  ck_assert_ptr_nonnull(copy);
  memcpy(copy, record, rebali_record_size(record));
  ck_assert_pstr_eq(test_torture(read_term, copy), NULL);
  free(copy);
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(node_term) {
  TCase *cases = tcase_create("node_term");

  tcase_add_loop_test(cases, test_term, 0, (int)REBALI_COUNT(terms));
  tcase_add_test(cases, test_term_without_memory);
  return cases;
}
