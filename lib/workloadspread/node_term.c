/* SPDX-License-Identifier: MIT */
#include "workloadspread/node_term.h"

static struct rebali_text text_of(const rebal_record *record, uint32_t node, uint32_t field) {
  return rebali_record_text(record, rebali_record_get(record, node, field));
}

static int32_t read_expression(const rebal_record *record, uint32_t node, struct rebali_arena *arena,
                               struct rebali_requirement *requirement) {
  const size_t n = rebali_record_count(record, node, REBAL_EXPRESSION_VALUES);
  struct rebali_text *values = rebali_arena_allocate(arena, n, sizeof *values);
  uint32_t value = REBAL_NONE;

  if (values == NULL) {
    return REBAL_ENOMEM;
  }
  *requirement =
      (struct rebali_requirement){text_of(record, node, REBAL_EXPRESSION_KEY),
                                  rebali_operator_parse(text_of(record, node, REBAL_EXPRESSION_OPERATOR)), values, n};
  for (size_t i = 0; i < n; i++) {
    value = rebali_record_next(record, node, REBAL_EXPRESSION_VALUES, value);
    values[i] = rebali_record_text(record, value);
  }
  return REBAL_OK;
}

static int field_is_valid(const struct rebali_requirement *requirement) {
  return requirement->n_values == 1 &&
         (requirement->operation == REBALI_OPERATOR_IN || requirement->operation == REBALI_OPERATOR_NOT_IN);
}

static int32_t read_labels(const rebal_record *record, uint32_t node, struct rebali_words *keys,
                           struct rebali_node_term *term) {
  uint32_t expression = REBAL_NONE;

  for (size_t i = 0; i < term->n_labels; i++) {
    struct rebali_label_demand *demand = &term->labels[i];

    expression = rebali_record_next(record, node, REBAL_NODE_SELECTOR_TERM_MATCH_EXPRESSIONS, expression);
    if (read_expression(record, expression, keys->arena, &demand->requirement) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    if (!rebali_requirement_valid(&demand->requirement, 1)) {
      term->is_malformed = 1;
      return REBAL_OK;
    }
    if (rebali_words_add(keys, demand->requirement.key, &demand->key) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

static int32_t read_fields(const rebal_record *record, uint32_t node, struct rebali_arena *arena,
                           struct rebali_node_term *term) {
  uint32_t expression = REBAL_NONE;

  for (size_t i = 0; i < term->n_fields; i++) {
    expression = rebali_record_next(record, node, REBAL_NODE_SELECTOR_TERM_MATCH_FIELDS, expression);
    if (read_expression(record, expression, arena, &term->fields[i]) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    term->is_malformed |= !field_is_valid(&term->fields[i]);
  }
  return REBAL_OK;
}

int32_t rebali_node_term_read(const rebal_record *record, uint32_t node, struct rebali_words *keys,
                              struct rebali_node_term *term) {
  const size_t n_labels = rebali_record_count(record, node, REBAL_NODE_SELECTOR_TERM_MATCH_EXPRESSIONS);
  const size_t n_fields = rebali_record_count(record, node, REBAL_NODE_SELECTOR_TERM_MATCH_FIELDS);
  int32_t code;

  *term = (struct rebali_node_term){
      .labels = rebali_arena_allocate(keys->arena, n_labels, sizeof *term->labels),
      .fields = rebali_arena_allocate(keys->arena, n_fields, sizeof *term->fields),
      .n_labels = n_labels,
      .n_fields = n_fields,
  };
  if (term->labels == NULL || term->fields == NULL) {
    return REBAL_ENOMEM;
  }
  code = read_fields(record, node, keys->arena, term);
  return code != REBAL_OK || term->is_malformed ? code : read_labels(record, node, keys, term);
}

static int is_name(const struct rebali_requirement *field) {
  return rebali_text_equal(field->key, REBALI_TEXT("metadata.name"));
}

int rebali_node_term_asks_name(const struct rebali_node_term *term) {
  for (size_t i = 0; !term->is_malformed && i < term->n_fields; i++) {
    if (is_name(&term->fields[i])) {
      return 1;
    }
  }
  return 0;
}

int rebali_node_term_holds(const struct rebali_node_term *term, const struct rebali_text *values,
                           struct rebali_text name) {
  if (term->is_malformed) {
    return 0;
  }
  for (size_t i = 0; i < term->n_labels; i++) {
    if (!rebali_requirement_matches(&term->labels[i].requirement, values[term->labels[i].key])) {
      return 0;
    }
  }
  for (size_t i = 0; i < term->n_fields; i++) {
    /* A field that nodes do not have is empty. */
    if (!rebali_requirement_matches(&term->fields[i], is_name(&term->fields[i]) ? name : REBALI_TEXT(""))) {
      return 0;
    }
  }
  return 1;
}
