/* SPDX-License-Identifier: MIT */
/*
 * Compiles expressions of selectors and node terms from records (rebalance-karmada(7) 3.1, 6.5.2;
 * rebalance-workloadspread(7) 2.7).
 */
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

static int compare_texts(const void *left, const void *right, const void *context) {
  (void)context;
  return rebali_text_compare(*(const struct rebali_text *)left, *(const struct rebali_text *)right);
}

static int32_t sort_values(struct rebali_requirement *requirement, struct rebali_arena *arena) {
  const size_t n = requirement->n_values;
  struct rebali_text *sorted = rebali_arena_allocate(arena, n, 2 * sizeof *sorted); /* the second half is for sorting */

  if (sorted == NULL) {
    return REBAL_ENOMEM;
  }
  memcpy(sorted, requirement->values, n * sizeof *sorted);
  rebali_sort(sorted, n, sizeof *sorted, sorted + n, compare_texts, NULL);
  requirement->sorted = sorted;
  return REBAL_OK;
}

int32_t rebali_expression_read(const rebal_record *record, uint32_t node, struct rebali_arena *arena,
                               struct rebali_requirement *out) {
  struct rebali_text *values;
  const int32_t code = rebali_texts_read(record, node, REBAL_EXPRESSION_VALUES, arena, &values, &out->n_values);

  out->values = values;
  out->sorted = NULL;
  out->key = rebali_record_field_text(record, node, REBAL_EXPRESSION_KEY);
  out->operation = rebali_operator_parse(rebali_record_field_text(record, node, REBAL_EXPRESSION_OPERATOR));
  return code == REBAL_OK && out->n_values > REBALI_FEW_VALUES ? sort_values(out, arena) : code;
}

int rebali_node_expression_valid(const struct rebali_requirement *expression, int is_field) {
  return !is_field ? rebali_requirement_valid(expression, 1)
                   : expression->n_values == 1 && (expression->operation == REBALI_OPERATOR_IN ||
                                                   expression->operation == REBALI_OPERATOR_NOT_IN);
}

int rebali_is_node_name(const struct rebali_requirement *field) {
  return rebali_text_equal(field->key, REBALI_TEXT("metadata.name"));
}
