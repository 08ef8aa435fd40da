/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "fleet/node_filter.h"
#include "making.h"

#include <stdio.h>

#define NODES 150u
#define MOST_VALUES 48u

static const char *const keys[] = {"zone", "pool", "-bad-"};
static const char *const texts[] = {"a", "b", "5", "12", "", "no value!"};
static const char *const operators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Near"};
static const char *const effects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule", ""};

static void put(rebal_builder *builder, uint32_t field, const char *text) {
  rebal_builder_text(builder, field, text, strlen(text), NULL);
}

static const rebal_record *finish(rebal_builder *builder) {
  const rebal_record *record = NULL;

  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  return record;
}

/* ---- random nodes and requirements ------------------------------------------------------------------------------- */

static void make_nodes(rebal_fleet *fleet, rebal_builder *builder, uint32_t *random) {
  uint32_t taints[4];

  for (uint32_t i = 0; i < 4; i++) {
    rebal_builder_start(builder, REBAL_OBJECT_TAINTS, NULL);
    rebal_builder_begin(builder, REBAL_TAINTS_TAINT, NULL);
    put(builder, REBAL_TAINT_KEY, keys[next_random(random, 2)]);
    put(builder, REBAL_TAINT_VALUE, texts[next_random(random, 2)]);
    put(builder, REBAL_TAINT_EFFECT, effects[next_random(random, 3)]);
    rebal_builder_end(builder, NULL);
    ck_assert_int_eq(rebal_fleet_intern(fleet, finish(builder), &taints[i], NULL), REBAL_OK);
  }
  for (uint32_t i = 0; i < NODES; i++) {
    char name[8];
    uint32_t node = REBAL_NONE;

    (void)snprintf(name, sizeof name, "%u", i % 100 == 5 ? 1000 + i : i);
    ck_assert_int_eq(rebal_fleet_add_node(fleet, 0, name, strlen(name), &node, NULL), REBAL_OK);
    rebal_builder_start(builder, REBAL_OBJECT_LABELS, NULL);
    for (uint32_t key = next_random(random, 3); key < 2; key++) {
      rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL);
      put(builder, REBAL_PAIR_KEY, keys[key]);
      put(builder, REBAL_PAIR_VALUE, texts[next_random(random, 5)]);
      rebal_builder_end(builder, NULL);
    }
    (void)rebal_fleet_set_node_labels(fleet, 0, node, finish(builder), NULL);
    (void)rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_NODE_UNSCHEDULABLE, 0, node, next_random(random, 8) == 0,
                              NULL);
    if (next_random(random, 4) == 0) {
      (void)rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_NODE_TAINTS, 0, node, taints[next_random(random, 4)],
                                NULL);
    }
    if (next_random(random, 9) == 0) {
      (void)rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_NODE, 0, &node, 1, NULL);
    }
  }
}

static void put_expression(rebal_builder *builder, uint32_t field, uint32_t *random) {
  const int is_field = field == REBAL_NODE_SELECTOR_TERM_MATCH_FIELDS;
  const uint32_t operation = is_field ? next_random(random, 3) : next_random(random, 7);
  uint32_t n = operation < 2 ? 1 + next_random(random, 2) : operation < 4 ? 0 : 1;
  const uint32_t others = operation < 2 && !is_field && next_random(random, 9) == 0 ? MOST_VALUES - 3 : 0;

  n += next_random(random, 20) == 0;
  rebal_builder_begin(builder, field, NULL);
  put(builder, REBAL_EXPRESSION_KEY,
      is_field && next_random(random, 5) != 0 ? "metadata.name" : keys[next_random(random, 20) == 0 ? 2 : n % 2]);
  put(builder, REBAL_EXPRESSION_OPERATOR, operators[operation]);
  for (uint32_t i = 0; i < others; i++) {
    char other[8];

    (void)snprintf(other, sizeof other, "x%u", (i * 17) % others);
    put(builder, REBAL_EXPRESSION_VALUES, other);
  }
  for (; n > 0; n--) {
    put(builder, REBAL_EXPRESSION_VALUES, texts[next_random(random, next_random(random, 9) == 0 ? 6 : 4)]);
  }
  rebal_builder_end(builder, NULL);
}

static void put_affinity(rebal_builder *builder, uint32_t *random) {
  rebal_builder_begin(builder, REBAL_NODE_CLAIM_HARD_NODE_AFFINITY, NULL);
  for (uint32_t terms = next_random(random, 4); terms > 0; terms--) {
    rebal_builder_begin(builder, REBAL_NODE_SELECTOR_TERM, NULL);
    for (uint32_t n = next_random(random, 3); n > 0; n--) {
      put_expression(builder, REBAL_NODE_SELECTOR_TERM_MATCH_EXPRESSIONS, random);
    }
    if (next_random(random, 4) == 0) {
      put_expression(builder, REBAL_NODE_SELECTOR_TERM_MATCH_FIELDS, random);
    }
    rebal_builder_end(builder, NULL);
  }
  rebal_builder_end(builder, NULL);
}

static const rebal_record *make_requirements(rebal_builder *builder, uint32_t *random) {
  rebal_builder_start(builder, REBAL_OBJECT_REQUIREMENTS, NULL);
  rebal_builder_begin(builder, REBAL_REQUIREMENTS_NODE_CLAIM, NULL);
  if (next_random(random, 4) != 0) {
    put_affinity(builder, random);
  }
  if (next_random(random, 3) == 0) {
    rebal_builder_begin(builder, REBAL_NODE_CLAIM_NODE_SELECTOR, NULL);
    put(builder, REBAL_PAIR_KEY, keys[next_random(random, 2)]);
    put(builder, REBAL_PAIR_VALUE, texts[next_random(random, 6)]);
    rebal_builder_end(builder, NULL);
  }
  for (uint32_t n = next_random(random, 3); n > 0; n--) {
    rebal_builder_begin(builder, REBAL_NODE_CLAIM_TOLERATIONS, NULL);
    put(builder, REBAL_TOLERATION_KEY,
        next_random(random, 3) == 0 ? "node.kubernetes.io/unschedulable" : keys[next_random(random, 2)]);
    put(builder, REBAL_TOLERATION_OPERATOR, next_random(random, 2) == 0 ? "Exists" : "Equal");
    put(builder, REBAL_TOLERATION_VALUE, texts[next_random(random, 2)]);
    put(builder, REBAL_TOLERATION_EFFECT, effects[next_random(random, 4)]);
    rebal_builder_end(builder, NULL);
  }
  rebal_builder_end(builder, NULL);
  return finish(builder);
}

/* ---- the plain twin: node by node, over texts -------------------------------------------------------------------- */

static struct rebali_text text_of(const rebal_record *record, uint32_t node, uint32_t field) {
  return rebali_record_text(record, rebali_record_get(record, node, field));
}

static struct rebali_text label_of(const rebal_snapshot *snapshot, uint32_t node, struct rebali_text key) {
  size_t len = 0;
  const char *value = rebal_snapshot_node_label(snapshot, 0, node, key.bytes, key.len, &len);

  return rebali_text(value, len);
}

static int expressions_hold(const rebal_snapshot *snapshot, const rebal_record *record, uint32_t term, uint32_t field,
                            uint32_t node, size_t *n) {
  const int is_field = field == REBAL_NODE_SELECTOR_TERM_MATCH_FIELDS;
  uint32_t expression = REBAL_NONE;
  int hold = 1;

  while ((expression = rebali_record_next(record, term, field, expression)) != REBAL_NONE) {
    struct rebali_text listed[MOST_VALUES];
    struct rebali_requirement requested = {
        text_of(record, expression, REBAL_EXPRESSION_KEY),
        rebali_operator_parse(text_of(record, expression, REBAL_EXPRESSION_OPERATOR)), listed, 0, NULL};
    struct rebali_text found = label_of(snapshot, node, requested.key);
    uint32_t value = REBAL_NONE;

    while ((value = rebali_record_next(record, expression, REBAL_EXPRESSION_VALUES, value)) != REBAL_NONE) {
      listed[requested.n_values++] = rebali_record_text(record, value);
    }
    if (is_field) {
      size_t len;
      const char *name = rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_NODE_NAME, 0, node, &len);

      found = rebali_text(name, len);
      hold &= requested.n_values == 1 && requested.operation <= REBALI_OPERATOR_NOT_IN &&
              rebali_text_equal(requested.key, REBALI_TEXT("metadata.name"));
    } else {
      hold &= rebali_requirement_valid(&requested, 1);
    }
    hold &= rebali_requirement_matches(&requested, found);
    (*n)++;
  }
  return hold;
}

static int affinity_holds(const rebal_snapshot *snapshot, const rebal_record *record, uint32_t claim, uint32_t node) {
  const uint32_t affinity = rebali_record_get(record, claim, REBAL_NODE_CLAIM_HARD_NODE_AFFINITY);
  uint32_t term = REBAL_NONE;
  int is_restricted = 0;
  int holds = 0;

  while ((term = rebali_record_next(record, affinity, REBAL_NODE_SELECTOR_TERM, term)) != REBAL_NONE) {
    size_t n = 0;
    int hold = expressions_hold(snapshot, record, term, REBAL_NODE_SELECTOR_TERM_MATCH_EXPRESSIONS, node, &n);

    hold &= expressions_hold(snapshot, record, term, REBAL_NODE_SELECTOR_TERM_MATCH_FIELDS, node, &n);
    holds |= hold && n > 0;
    is_restricted = 1;
  }
  return !is_restricted || holds;
}

static int is_tolerated(const rebal_record *record, uint32_t claim, const struct rebali_taint *taint) {
  const enum rebali_effect effect = rebali_effect_parse(taint->effect);
  int tolerated = effect != REBALI_EFFECT_NO_SCHEDULE && effect != REBALI_EFFECT_NO_EXECUTE;
  uint32_t node = REBAL_NONE;

  while ((node = rebali_record_next(record, claim, REBAL_NODE_CLAIM_TOLERATIONS, node)) != REBAL_NONE) {
    const struct rebali_toleration toleration = rebali_toleration_read(record, node);

    tolerated |= rebali_tolerates(&toleration, taint);
  }
  return tolerated;
}

/* record NULL: no requirements. */
static int accepts(const rebal_snapshot *snapshot, const rebal_record *record, uint32_t node) {
  const struct rebali_taint cordon = {
      REBALI_TEXT("node.kubernetes.io/unschedulable"), REBALI_TEXT(""), REBALI_TEXT("NoSchedule"), {0, 0, 0}};
  const uint32_t claim = rebali_record_get(record, 0, REBAL_REQUIREMENTS_NODE_CLAIM);
  const int64_t handle = rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_TAINTS, 0, node);
  const rebal_record *taints = handle == REBAL_ABSENT ? NULL
                                                      : rebal_cells_record(rebal_snapshot_cells(snapshot),
                                                                           REBAL_OBJECT_TAINTS, (uint32_t)handle);
  uint32_t pair = REBAL_NONE;
  int accepted = rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, 0, node) &&
                 affinity_holds(snapshot, record, claim, node);

  while ((pair = rebali_record_next(record, claim, REBAL_NODE_CLAIM_NODE_SELECTOR, pair)) != REBAL_NONE) {
    const struct rebali_text found = label_of(snapshot, node, text_of(record, pair, REBAL_PAIR_KEY));

    accepted &= found.bytes != NULL && rebali_text_equal(found, text_of(record, pair, REBAL_PAIR_VALUE));
  }
  if (taints != NULL) {
    const struct rebali_taint taint = rebali_taint_read(taints, rebali_record_get(taints, 0, REBAL_TAINTS_TAINT));

    accepted &= is_tolerated(record, claim, &taint);
  }
  return accepted && (rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_UNSCHEDULABLE, 0, node) != 1 ||
                      is_tolerated(record, claim, &cordon));
}

/* How many nodes are accepted; the filter and its twin agree about each. */
static size_t compare(const rebal_snapshot *snapshot, uint32_t handle) {
  const rebal_record *record = rebal_cells_record(rebal_snapshot_cells(snapshot), REBAL_OBJECT_REQUIREMENTS, handle);
  const struct rebali_node_filter *filter = rebali_snapshot_node_filter(snapshot, handle);
  const struct rebali_node_table *table = rebali_snapshot_nodes(snapshot, 0);
  size_t accepted = 0;
  int same = 1;

  for (uint32_t node = 0; node < NODES; node++) {
    const uint64_t word = rebali_node_filter_word(snapshot, filter, table, node / REBALI_NODES);
    const int wanted = accepts(snapshot, record, node);

    same &= rebali_bit_get(&word, node % REBALI_NODES) == wanted;
    accepted += wanted != 0;
  }
  ck_assert_msg(same, "requirements %lu", (unsigned long)handle);
  return accepted;
}

START_TEST(test_words_agree_with_nodes_one_by_one) {
  rebal_fleet *fleet = new_fleet();
  rebal_builder *builder = NULL;
  uint32_t random = 5;
  size_t some = 0;
  rebal_snapshot *snapshot;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  add_cluster(fleet, "a");
  for (uint32_t i = 0; i < 100; i++) { /* before any node has their labels */
    uint32_t handle;

    ck_assert_int_eq(rebal_fleet_intern(fleet, make_requirements(builder, &random), &handle, NULL), REBAL_OK);
  }
  make_nodes(fleet, builder, &random);
  snapshot = freeze(fleet);
  for (uint32_t i = 0; i < 400; i++) {
    uint32_t handle;
    size_t accepted;

    ck_assert_int_eq(rebal_fleet_intern(fleet, make_requirements(builder, &random), &handle, NULL), REBAL_OK);
    accepted = compare(snapshot, handle);
    some += accepted > 0 && accepted < 80;
  }
  for (uint32_t handle = 0; handle < 100 && rebali_snapshot_node_filter(snapshot, handle) != NULL; handle++) {
    compare(snapshot, handle);
  }
  ck_assert_uint_gt(some, 100);
  ck_assert_uint_gt(compare(snapshot, REBAL_NONE), 50);
  rebal_snapshot_unref(snapshot);
  rebal_builder_free(builder);
  rebal_fleet_free(fleet);
}
END_TEST

/* ---- without memory ---------------------------------------------------------------------------------------------- */

static int32_t scarcity(const rebal_allocator *allocator, void *user_data) {
  const rebal_record *record = user_data;
  rebal_fleet *fleet = NULL;
  uint32_t handle = REBAL_NONE;
  int32_t code = rebal_fleet_new(allocator, &fleet, NULL);
  int32_t first;

  if (code != REBAL_OK) {
    return code;
  }
  first = rebal_fleet_intern(fleet, record, &handle, NULL);
  ck_assert((first == REBAL_OK) ==
            (rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_REQUIREMENTS, 0) != NULL));
  code = rebal_fleet_intern(fleet, record, &handle, NULL); /* what failed may be tried again */
  ck_assert(code != REBAL_OK || handle == 0);
  rebal_fleet_free(fleet);
  return first != REBAL_OK ? first : code;
}

static void put_term(rebal_builder *builder, const char *key, const char *operation, const char *value) {
  rebal_builder_begin(builder, REBAL_NODE_SELECTOR_TERM, NULL);
  rebal_builder_begin(builder, REBAL_NODE_SELECTOR_TERM_MATCH_EXPRESSIONS, NULL);
  put(builder, REBAL_EXPRESSION_KEY, key);
  put(builder, REBAL_EXPRESSION_OPERATOR, operation);
  put(builder, REBAL_EXPRESSION_VALUES, value);
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
}

/* A pair of the nodeSelector, a term by itself, and two that become one. */
static const rebal_record *make_one_of_each(rebal_builder *builder) {
  rebal_builder_start(builder, REBAL_OBJECT_REQUIREMENTS, NULL);
  rebal_builder_begin(builder, REBAL_REQUIREMENTS_NODE_CLAIM, NULL);
  rebal_builder_begin(builder, REBAL_NODE_CLAIM_NODE_SELECTOR, NULL);
  put(builder, REBAL_PAIR_KEY, "pool");
  put(builder, REBAL_PAIR_VALUE, "a");
  rebal_builder_end(builder, NULL);
  rebal_builder_begin(builder, REBAL_NODE_CLAIM_HARD_NODE_AFFINITY, NULL);
  put_term(builder, "zone", "NotIn", "a");
  put_term(builder, "zone", "In", "b");
  put_term(builder, "zone", "In", "5");
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  return finish(builder);
}

START_TEST(test_without_memory) {
  union {
    const rebal_record *record;
    void *user_data;
  } given;
  rebal_builder *builder = NULL;
  uint32_t random = 8;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  given.record = make_requirements(builder, &random);
  ck_assert_pstr_eq(test_torture(scarcity, given.user_data), NULL);
  given.record = make_one_of_each(builder);
  ck_assert_pstr_eq(test_torture(scarcity, given.user_data), NULL);
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(node_filter) {
  TCase *cases = tcase_create("node_filter");

  tcase_add_test(cases, test_words_agree_with_nodes_one_by_one);
  tcase_add_test(cases, test_without_memory);
  return cases;
}
