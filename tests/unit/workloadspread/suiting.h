/* SPDX-License-Identifier: MIT */
/* Subsets with all their requirements of nodes, for the tests of adoption. */
#ifndef TEST_SPREAD_SUITING_H
#define TEST_SPREAD_SUITING_H

#include "pass_fixture.h"

/* A subset of a table: terms are "key=value" pairs, all of which a node must have; metadata.name: its name. */
struct subset {
  const char *name;
  const char *limit;
  const char *required; /* NULL: none; "": an empty term */
  const char *preferred;
  int64_t weight;
  const char *tolerates; /* key of a taint */
  const char *patch;
};

static inline void put_term(rebal_builder *builder, uint32_t field, const char *pairs) {
  char piece[64];

  rebal_builder_begin(builder, field, NULL);
  while (*pairs != '\0') {
    cut(&pairs, "=", piece);
    rebal_builder_begin(builder,
                        strcmp(piece, "metadata.name") == 0 ? REBAL_NODE_SELECTOR_TERM_MATCH_FIELDS
                                                            : REBAL_NODE_SELECTOR_TERM_MATCH_EXPRESSIONS,
                        NULL);
    put_text(builder, REBAL_EXPRESSION_KEY, piece);
    put_text(builder, REBAL_EXPRESSION_OPERATOR, "In");
    pairs++;
    cut(&pairs, " ", piece);
    put_text(builder, REBAL_EXPRESSION_VALUES, piece);
    rebal_builder_end(builder, NULL);
    pairs += *pairs == ' ';
  }
  rebal_builder_end(builder, NULL);
}

static inline void put_subset(rebal_builder *builder, const struct subset *subset) {
  rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SUBSETS, NULL);
  put_text(builder, REBAL_SUBSET_NAME, subset->name);
  if (subset->limit != NULL) {
    put_limit(builder, REBAL_SUBSET_MAX_REPLICAS, subset->limit);
  }
  if (subset->required != NULL) {
    put_term(builder, REBAL_SUBSET_REQUIRED_NODE_SELECTOR, subset->required);
  }
  if (subset->preferred != NULL) {
    rebal_builder_begin(builder, REBAL_SUBSET_PREFERRED_NODE_SELECTOR, NULL);
    rebal_builder_i64(builder, REBAL_PREFERRED_TERM_WEIGHT, subset->weight, NULL);
    put_term(builder, REBAL_PREFERRED_TERM_PREFERENCE, subset->preferred);
    rebal_builder_end(builder, NULL);
  }
  if (subset->tolerates != NULL) {
    rebal_builder_begin(builder, REBAL_SUBSET_TOLERATIONS, NULL);
    put_text(builder, REBAL_TOLERATION_KEY, subset->tolerates);
    put_text(builder, REBAL_TOLERATION_OPERATOR, "Exists");
    rebal_builder_end(builder, NULL);
  }
  if (subset->patch != NULL) {
    rebal_builder_begin(builder, REBAL_SUBSET_PATCH, NULL);
    put_text(builder, REBAL_RAW_JSON, subset->patch);
    rebal_builder_end(builder, NULL);
  }
  rebal_builder_end(builder, NULL);
}

static inline rebal_spread *spread_with(const struct subset *subsets, size_t n) {
  rebal_builder *builder = new_builder();
  rebal_spread *spread = NULL;

  start_spread(builder, "Job", NULL);
  for (size_t i = 0; i < n && subsets[i].name != NULL; i++) {
    put_subset(builder, &subsets[i]);
  }
  rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_spread_new(NULL, finish(builder), &spread, NULL), REBAL_OK);
  rebal_builder_free(builder);
  return spread;
}

#endif
