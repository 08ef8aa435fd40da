/* SPDX-License-Identifier: MIT */
/* Expressions of selectors and node terms, compiled from records (spec karmada 3.1, 6.5.2; spec workloadspread 2.7). */
#include "record/labels.h"

int32_t rebali_texts_read(const rebal_record *record, uint32_t parent, uint32_t field, struct rebali_arena *arena,
                          struct rebali_text **out, size_t *n) {
  uint32_t node = REBAL_NONE;

  *n = 0;
  *out = rebali_arena_allocate(arena, rebali_record_count(record, parent, field), sizeof **out);
  if (*out == NULL) {
    return REBAL_ENOMEM;
  }
  while ((node = rebali_record_next(record, parent, field, node)) != REBAL_NONE) {
    (*out)[(*n)++] = rebali_record_text(record, node);
  }
  return REBAL_OK;
}

int32_t rebali_expression_read(const rebal_record *record, uint32_t node, struct rebali_arena *arena,
                               struct rebali_requirement *out) {
  struct rebali_text *values;
  const int32_t code = rebali_texts_read(record, node, REBAL_EXPRESSION_VALUES, arena, &values, &out->n_values);

  out->values = values;
  out->key = rebali_record_field_text(record, node, REBAL_EXPRESSION_KEY);
  out->operation = rebali_operator_parse(rebali_record_field_text(record, node, REBAL_EXPRESSION_OPERATOR));
  return code;
}

int rebali_node_expression_valid(const struct rebali_requirement *expression, int is_field) {
  return !is_field ? rebali_requirement_valid(expression, 1)
                   : expression->n_values == 1 && (expression->operation == REBALI_OPERATOR_IN ||
                                                   expression->operation == REBALI_OPERATOR_NOT_IN);
}

int rebali_is_node_name(const struct rebali_requirement *field) {
  return rebali_text_equal(field->key, REBALI_TEXT("metadata.name"));
}
