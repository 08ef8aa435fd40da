/* SPDX-License-Identifier: MIT */
#include "record/labels.h"

#include "../unit.h"

static const struct {
  enum rebali_operator operation;
  size_t n_values;
  int as_label, as_field;
} expressions[] = {
    {REBALI_OPERATOR_IN, 1, 1, 1},
    {REBALI_OPERATOR_IN, 2, 1, 0},
    {REBALI_OPERATOR_IN, 0, 0, 0},
    {REBALI_OPERATOR_NOT_IN, 1, 1, 1},
    {REBALI_OPERATOR_NOT_IN, 2, 1, 0},
    {REBALI_OPERATOR_EXISTS, 0, 1, 0},
    {REBALI_OPERATOR_EXISTS, 1, 0, 0},
    {REBALI_OPERATOR_DOES_NOT_EXIST, 0, 1, 0},
    {REBALI_OPERATOR_DOES_NOT_EXIST, 1, 0, 0},
    {REBALI_OPERATOR_GREATER, 1, 1, 0},
    {REBALI_OPERATOR_LESS, 1, 1, 0},
    {REBALI_OPERATOR_UNKNOWN, 1, 0, 0},
};

START_TEST(test_what_node_terms_may_contain) {
  const struct rebali_text values[] = {REBALI_TEXT("1"), REBALI_TEXT("2")};
  const struct rebali_requirement expression = {.key = REBALI_TEXT("metadata.name"),
                                                .operation = expressions[_i].operation,
                                                .values = values,
                                                .n_values = expressions[_i].n_values};

  ck_assert_int_eq(rebali_node_expression_valid(&expression, 0), expressions[_i].as_label);
  ck_assert_int_eq(rebali_node_expression_valid(&expression, 1), expressions[_i].as_field);
  ck_assert_int_eq(rebali_is_node_name(&expression), 1);
}
END_TEST

UNIT_CASE(expression) {
  TCase *cases = tcase_create("expression");

  tcase_add_loop_test(cases, test_what_node_terms_may_contain, 0, (int)REBALI_COUNT(expressions));
  return cases;
}
