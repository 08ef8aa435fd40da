/* SPDX-License-Identifier: MIT */
#include "workloadspread/node_term.h"

#include "record/labels.h"

static int32_t read_labels(const rebal_record *record, uint32_t node, struct rebali_text_numbers *keys,
                           struct rebali_node_term *term) {
  uint32_t expression = REBAL_NONE;

  for (size_t i = 0; i < term->n_labels; i++) {
    struct rebali_label_demand *demand = &term->labels[i];

    expression = rebali_record_next(record, node, REBAL_NODE_SELECTOR_TERM_MATCH_EXPRESSIONS, expression);
    if (rebali_expression_read(record, expression, keys->arena, &demand->requirement) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    if (!rebali_node_expression_valid(&demand->requirement, 0)) {
      term->is_malformed = 1;
      return REBAL_OK;
    }
    if (rebali_text_numbers_add(keys, demand->requirement.key, &demand->key) != REBAL_OK) {
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
    if (rebali_expression_read(record, expression, arena, &term->fields[i]) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    term->is_malformed |= !rebali_node_expression_valid(&term->fields[i], 1);
  }
  return REBAL_OK;
}

int32_t rebali_node_term_read(const rebal_record *record, uint32_t node, struct rebali_text_numbers *keys,
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

int rebali_node_term_needs_name(const struct rebali_node_term *term) {
  for (size_t i = 0; !term->is_malformed && i < term->n_fields; i++) {
    if (rebali_is_node_name(&term->fields[i])) {
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
    if (!rebali_requirement_matches(&term->fields[i], rebali_is_node_name(&term->fields[i]) ? name : REBALI_TEXT(""))) {
      return 0;
    }
  }
  return 1;
}
