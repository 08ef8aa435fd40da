/* SPDX-License-Identifier: MIT */
/* Label selectors that are evaluated too rarely to be compiled. */
#include "record/labels.h"

struct rebali_text rebali_labels_search(const rebal_record *labels, struct rebali_text key) {
  const struct rebali_node *const nodes = rebali_record_node(labels, 0);
  uint32_t low = nodes->child;
  uint32_t high = labels->n_nodes;

  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int order;

    while (nodes[middle].field != REBAL_LABELS_LABEL) {
      middle--;
    }
    order = rebali_text_compare(rebali_record_field_text(labels, middle, REBAL_PAIR_KEY), key);
    if (order == 0) {
      const uint32_t value = rebali_record_get(labels, middle, REBAL_PAIR_VALUE);

      return value == REBAL_NONE ? REBALI_TEXT("") : rebali_record_text(labels, value);
    }
    low = order < 0 ? nodes[middle].next : low;
    high = order < 0 ? high : middle;
  }
  return (struct rebali_text){NULL, 0};
}

/* Reads an expression, to be matched for one of its values at a time: *value is the value that it uses. */
static struct rebali_requirement read_expression(const rebal_record *record, uint32_t node,
                                                 const struct rebali_text *value) {
  return (struct rebali_requirement){
      rebali_record_field_text(record, node, REBAL_EXPRESSION_KEY),
      rebali_operator_parse(rebali_record_field_text(record, node, REBAL_EXPRESSION_OPERATOR)), value,
      rebali_record_count(record, node, REBAL_EXPRESSION_VALUES) == 0 ? 0u : 1u, NULL};
}

/* Reads a matchLabels entry: In with one value. */
static struct rebali_requirement read_pair(const rebal_record *record, uint32_t node, struct rebali_text *value) {
  *value = rebali_record_field_text(record, node, REBAL_PAIR_VALUE);
  return (struct rebali_requirement){rebali_record_field_text(record, node, REBAL_PAIR_KEY), REBALI_OPERATOR_IN, value,
                                     1, NULL};
}

static int is_valid_expression(const rebal_record *record, uint32_t node) {
  struct rebali_text value = REBALI_TEXT("");
  const struct rebali_requirement requirement = read_expression(record, node, &value);
  uint32_t child = REBAL_NONE;

  if (!rebali_requirement_valid(&requirement, 0)) {
    return 0;
  }
  while ((child = rebali_record_next(record, node, REBAL_EXPRESSION_VALUES, child)) != REBAL_NONE) {
    if (!rebali_is_label_value(rebali_record_text(record, child))) {
      return 0;
    }
  }
  return 1;
}

int rebali_label_selector_valid(const rebal_record *record, uint32_t node) {
  uint32_t child = REBAL_NONE;

  while ((child = rebali_record_next(record, node, REBAL_LABEL_SELECTOR_MATCH_LABELS, child)) != REBAL_NONE) {
    struct rebali_text value;
    const struct rebali_requirement requirement = read_pair(record, child, &value);

    if (!rebali_requirement_valid(&requirement, 0)) {
      return 0;
    }
  }
  while ((child = rebali_record_next(record, node, REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS, child)) != REBAL_NONE) {
    if (!is_valid_expression(record, child)) {
      return 0;
    }
  }
  return 1;
}

/* In matches if it does for any value, NotIn if it does for all. */
static int matches_expression(const rebal_record *record, uint32_t node, const rebal_record *labels) {
  struct rebali_text value = REBALI_TEXT("");
  const struct rebali_requirement requirement = read_expression(record, node, &value);
  const struct rebali_text found = rebali_labels_value(labels, requirement.key);
  const int wanted = requirement.operation == REBALI_OPERATOR_IN;
  uint32_t child = REBAL_NONE;

  if (requirement.n_values == 0) {
    return rebali_requirement_matches(&requirement, found);
  }
  while ((child = rebali_record_next(record, node, REBAL_EXPRESSION_VALUES, child)) != REBAL_NONE) {
    value = rebali_record_text(record, child);
    if (rebali_requirement_matches(&requirement, found) == wanted) {
      return wanted;
    }
  }
  return !wanted;
}

int rebali_label_selector_matches(const rebal_record *record, uint32_t node, const rebal_record *labels) {
  uint32_t child = REBAL_NONE;

  while ((child = rebali_record_next(record, node, REBAL_LABEL_SELECTOR_MATCH_LABELS, child)) != REBAL_NONE) {
    struct rebali_text value;
    const struct rebali_requirement requirement = read_pair(record, child, &value);

    if (!rebali_requirement_matches(&requirement, rebali_labels_value(labels, requirement.key))) {
      return 0;
    }
  }
  while ((child = rebali_record_next(record, node, REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS, child)) != REBAL_NONE) {
    if (!matches_expression(record, child, labels)) {
      return 0;
    }
  }
  return 1;
}
