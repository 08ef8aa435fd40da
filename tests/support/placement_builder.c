/* SPDX-License-Identifier: MIT */
/* Records of fleet_builder.h: affinities, placements. */
#include "fleet_builder.h"
#include "records.h"
#include "words.h"

#include <string.h>

void test_put_text(rebal_builder *builder, uint32_t field, struct test_word word) {
  (void)rebal_builder_text(builder, field, word.text, word.len, NULL); /* failures show when the record is finished */
}

void test_put_texts(rebal_builder *builder, uint32_t field, const char *words, char separator) {
  struct test_word rest = test_word(words);
  struct test_word word;

  while (test_next(&rest, separator, &word)) {
    test_put_text(builder, field, word);
  }
}

void test_put_pairs(rebal_builder *builder, uint32_t field, const char *pairs) {
  struct test_word rest = test_word(pairs);
  struct test_word key;

  while (test_next(&rest, ' ', &key)) {
    const struct test_word value = test_cut(&key, '=');

    (void)rebal_builder_begin(builder, field, NULL);
    test_put_text(builder, REBAL_PAIR_KEY, key);
    test_put_text(builder, REBAL_PAIR_VALUE, value);
    (void)rebal_builder_end(builder, NULL);
  }
}

rebal_quantity test_quantity(struct test_word word) {
  rebal_quantity quantity;

  if (rebal_quantity_parse(word.text, word.len, &quantity, NULL) != REBAL_OK) {
    test_wrong("no quantity", word);
  }
  return quantity;
}

const rebal_record *test_finish(rebal_builder *builder) {
  rebal_error err = REBAL_ERROR_INIT;
  const rebal_record *record = NULL;

  if (rebal_builder_finish(builder, &record, &err) != REBAL_OK) {
    test_wrong("record", test_word(err.message));
  }
  return record;
}

void test_put_expressions(rebal_builder *builder, uint32_t field, struct test_word expressions) {
  struct test_word key;

  while (test_next(&expressions, ';', &key)) {
    struct test_word operation = test_cut(&key, ':');
    struct test_word values = test_cut(&operation, ':');
    struct test_word value;

    (void)rebal_builder_begin(builder, field, NULL);
    test_put_text(builder, REBAL_EXPRESSION_KEY, key);
    test_put_text(builder, REBAL_EXPRESSION_OPERATOR, operation);
    while (test_next(&values, ',', &value)) {
      test_put_text(builder, REBAL_EXPRESSION_VALUES, value);
    }
    (void)rebal_builder_end(builder, NULL);
  }
}

static void put_affinity(rebal_builder *builder, const struct test_affinity *affinity) {
  if (affinity->name != NULL) {
    test_put_text(builder, REBAL_AFFINITY_AFFINITY_NAME, test_word(affinity->name));
  }
  if (affinity->labels != NULL || affinity->expressions != NULL) {
    (void)rebal_builder_begin(builder, REBAL_AFFINITY_LABEL_SELECTOR, NULL);
    test_put_pairs(builder, REBAL_LABEL_SELECTOR_MATCH_LABELS, affinity->labels);
    test_put_expressions(builder, REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS, test_word(affinity->expressions));
    (void)rebal_builder_end(builder, NULL);
  }
  if (affinity->fields != NULL) {
    (void)rebal_builder_begin(builder, REBAL_AFFINITY_FIELD_SELECTOR, NULL);
    test_put_expressions(builder, REBAL_FIELD_SELECTOR_MATCH_EXPRESSIONS, test_word(affinity->fields));
    (void)rebal_builder_end(builder, NULL);
  }
  test_put_texts(builder, REBAL_AFFINITY_CLUSTER_NAMES, affinity->clusters, ' ');
  test_put_texts(builder, REBAL_AFFINITY_EXCLUDE, affinity->exclude, ' ');
  for (size_t i = 0; i < affinity->n_overflow; i++) {
    (void)rebal_builder_begin(builder, REBAL_AFFINITY_OVERFLOW_AFFINITIES, NULL);
    put_affinity(builder, &affinity->overflow[i]);
    (void)rebal_builder_end(builder, NULL);
  }
}

const rebal_record *test_affinity_record(struct test_world *world, const struct test_affinity *affinity) {
  (void)rebal_builder_start(world->builder, REBAL_OBJECT_AFFINITY, NULL);
  put_affinity(world->builder, affinity);
  return test_finish(world->builder);
}

void test_put_tolerations(rebal_builder *builder, uint32_t field, struct test_word tolerations) {
  static const uint32_t fields[] = {REBAL_TOLERATION_KEY, REBAL_TOLERATION_OPERATOR, REBAL_TOLERATION_VALUE,
                                    REBAL_TOLERATION_EFFECT};
  struct test_word toleration, part;

  while (test_next(&tolerations, ';', &toleration)) {
    (void)rebal_builder_begin(builder, field, NULL);
    for (size_t i = 0; i < 4 && test_next(&toleration, ':', &part); i++) {
      if (part.len > 0) {
        test_put_text(builder, fields[i], part);
      }
    }
    (void)rebal_builder_end(builder, NULL);
  }
}

static void put_spreads(rebal_builder *builder, const char *spreads) {
  struct test_word rest = test_word(spreads);
  struct test_word field;

  while (test_next(&rest, ' ', &field)) {
    struct test_word min = test_cut(&field, ':');
    const struct test_word max = test_cut(&min, ':');

    (void)rebal_builder_begin(builder, REBAL_PLACEMENT_SPREAD_CONSTRAINTS, NULL);
    test_put_text(builder, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD, field);
    if (min.len > 0) {
      (void)rebal_builder_i64(builder, REBAL_SPREAD_CONSTRAINT_MIN_GROUPS, test_number(min), NULL);
    }
    if (max.len > 0) {
      (void)rebal_builder_i64(builder, REBAL_SPREAD_CONSTRAINT_MAX_GROUPS, test_number(max), NULL);
    }
    (void)rebal_builder_end(builder, NULL);
  }
}

static void put_rule(rebal_builder *builder, struct test_word names, int64_t weight) {
  struct test_word name;

  (void)rebal_builder_begin(builder, REBAL_WEIGHT_PREFERENCE_STATIC_WEIGHTS, NULL);
  (void)rebal_builder_begin(builder, REBAL_STATIC_WEIGHT_TARGET_CLUSTER, NULL);
  while (names.text[0] != '*' && test_next(&names, '+', &name)) {
    test_put_text(builder, REBAL_AFFINITY_CLUSTER_NAMES, name);
  }
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_i64(builder, REBAL_STATIC_WEIGHT_WEIGHT, weight, NULL);
  (void)rebal_builder_end(builder, NULL);
}

static void put_scheduling(rebal_builder *builder, const struct test_placement *placement) {
  struct test_word type = test_word(placement->scheduling);
  struct test_word preference = test_cut(&type, '/');
  const struct test_word dynamic = test_cut(&preference, '/');
  struct test_word rest = test_word(placement->weights);
  struct test_word names;

  (void)rebal_builder_begin(builder, REBAL_PLACEMENT_REPLICA_SCHEDULING, NULL);
  test_put_text(builder, REBAL_REPLICA_SCHEDULING_TYPE, type);
  if (preference.len > 0) {
    test_put_text(builder, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE, preference);
  }
  if (dynamic.len > 0 || placement->weights != NULL) {
    (void)rebal_builder_begin(builder, REBAL_REPLICA_SCHEDULING_WEIGHT_PREFERENCE, NULL);
    while (test_next(&rest, ' ', &names)) {
      const struct test_word weight = test_cut(&names, '=');

      put_rule(builder, names, test_number(weight));
    }
    if (dynamic.len > 0) {
      test_put_text(builder, REBAL_WEIGHT_PREFERENCE_DYNAMIC_WEIGHT, dynamic);
    }
    (void)rebal_builder_end(builder, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
}

uint32_t test_intern(struct test_world *world) {
  uint32_t handle = REBAL_NONE;

  if (rebal_fleet_intern(world->fleet, test_finish(world->builder), &handle, &world->err) != REBAL_OK) {
    test_wrong("intern", test_word(world->err.message));
  }
  return handle;
}

uint32_t test_placement_handle(struct test_world *world, const struct test_placement *placement) {
  rebal_builder *builder = world->builder;

  if (placement == NULL) {
    return REBAL_NONE;
  }
  (void)rebal_builder_start(builder, REBAL_OBJECT_PLACEMENT, NULL);
  if (placement->affinity != NULL) {
    (void)rebal_builder_begin(builder, REBAL_PLACEMENT_CLUSTER_AFFINITY, NULL);
    put_affinity(builder, placement->affinity);
    (void)rebal_builder_end(builder, NULL);
  }
  for (size_t i = 0; i < placement->n_terms; i++) {
    (void)rebal_builder_begin(builder, REBAL_PLACEMENT_CLUSTER_AFFINITIES, NULL);
    put_affinity(builder, &placement->terms[i]);
    (void)rebal_builder_end(builder, NULL);
  }
  test_put_tolerations(builder, REBAL_PLACEMENT_CLUSTER_TOLERATIONS, test_word(placement->tolerations));
  put_spreads(builder, placement->spreads);
  if (placement->scheduling != NULL) {
    put_scheduling(builder, placement);
  }
  if (placement->group_by != NULL) {
    (void)rebal_builder_begin(builder, REBAL_PLACEMENT_WORKLOAD_AFFINITY, NULL);
    (void)rebal_builder_begin(builder, REBAL_WORKLOAD_AFFINITY_AFFINITY, NULL);
    test_put_text(builder, REBAL_GROUP_BY_LABEL_KEY, test_word(placement->group_by));
    (void)rebal_builder_end(builder, NULL);
    (void)rebal_builder_end(builder, NULL);
  }
  return test_intern(world);
}
