/* SPDX-License-Identifier: MIT */
/*
 * lib/workloadspread/node_term.h - one NodeSelectorTerm, compiled (rebalance-workloadspread(7) 2.7).
 */
#ifndef REBALI_NODE_TERM_H
#define REBALI_NODE_TERM_H

#include "workloadspread/text_numbers.h"

struct rebali_label_demand {
  uint32_t key; /* its index among the keys */
  struct rebali_requirement requirement;
};
struct rebali_node_term {
  struct rebali_label_demand *labels;
  struct rebali_requirement *fields; /* one value each */
  size_t n_labels;
  size_t n_fields;
  int is_malformed; /* never matches; the other members are not set */
};

/* Reads the term at a node of a record, which must outlive it. Adds keys of labels to `keys`. REBAL_ENOMEM. */
int32_t rebali_node_term_read(const rebal_record *record, uint32_t node, struct rebali_text_numbers *keys,
                              struct rebali_node_term *term);
/* Returns whether the term depends on the node's name. */
int rebali_node_term_needs_name(const struct rebali_node_term *term);
/* An empty term matches no node, unless it is combined with another one. */
static inline int rebali_node_term_is_empty(const struct rebali_node_term *term) {
  return !term->is_malformed && term->n_labels == 0 && term->n_fields == 0;
}
/*
 * Returns whether all requirements match; if there are none, they do. values: by index of the key; bytes NULL: no such
 * label.
 */
int rebali_node_term_holds(const struct rebali_node_term *term, const struct rebali_text *values,
                           struct rebali_text name);

#endif
