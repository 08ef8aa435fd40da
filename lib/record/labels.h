/* SPDX-License-Identifier: MIT */
/* lib/record/labels.h - labels and selectors in records (rebalance-karmada(7) 3.1, 6.5.2). */
#ifndef REBALI_LABELS_H
#define REBALI_LABELS_H

#include "record/record.h"

#define REBALI_FEW_LABELS 64u /* nodes of a record that is searched linearly: at least 21 labels */

/* Searches a record of many labels. Nodes are in order, children before siblings, and labels by key. */
struct rebali_text rebali_labels_search(const rebal_record *labels, struct rebali_text key);
/* Returns the value of a key in a LABELS record, which may be NULL; bytes is NULL if the key is missing. */
static inline struct rebali_text rebali_labels_value(const rebal_record *labels, struct rebali_text key) {
  const struct rebali_node *nodes = rebali_record_node(labels, 0);

  if (nodes != NULL && labels->n_nodes > REBALI_FEW_LABELS) {
    return rebali_labels_search(labels, key);
  }
  for (uint32_t label = nodes == NULL ? REBAL_NONE : nodes->child; label != REBAL_NONE; label = nodes[label].next) {
    const uint32_t child = rebali_record_get(labels, label, REBAL_PAIR_KEY);

    /* Compare lengths first: most keys differ in length. */
    if ((child == REBAL_NONE ? 0 : nodes[child].extra) == key.len &&
        rebali_text_equal(rebali_record_text(labels, child), key)) {
      const uint32_t value = rebali_record_get(labels, label, REBAL_PAIR_VALUE);

      return value == REBAL_NONE ? REBALI_TEXT("") : rebali_record_text(labels, value);
    }
  }
  return (struct rebali_text){NULL, 0};
}

/* Reads the texts of a list field into an arena; they point into the record. Returns REBAL_ENOMEM. expression.c */
int32_t rebali_texts_read(const rebal_record *record, uint32_t parent, uint32_t field, struct rebali_arena *arena,
                          struct rebali_text **out, size_t *n);
/* Reads the EXPRESSION at a node, its values into an arena; texts point into the record. Returns REBAL_ENOMEM. */
int32_t rebali_expression_read(const rebal_record *record, uint32_t node, struct rebali_arena *arena,
                               struct rebali_requirement *out);
/*
 * Returns whether a node term may contain the expression, in matchFields if is_field is set. If not, the term matches
 * no node.
 */
int rebali_node_expression_valid(const struct rebali_requirement *expression, int is_field);
/* Returns whether an expression of matchFields names metadata.name. */
int rebali_is_node_name(const struct rebali_requirement *field);

/* Returns whether every requirement of the LABEL_SELECTOR at a node of a record is well formed. */
int rebali_label_selector_valid(const rebal_record *record, uint32_t node);
/* A valid selector matches labels (NULL: none) if all its requirements do; an empty one matches all. */
int rebali_label_selector_matches(const rebal_record *record, uint32_t node, const rebal_record *labels);

#endif
