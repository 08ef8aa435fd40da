/* SPDX-License-Identifier: MIT */
/* Nodes and quotas of fleet_builder.h, and the requirements of bindings. */
#include "fleet_builder.h"

#include "records.h"

#include <string.h>

static void must(struct test_world *world, int32_t code) {
  if (code != REBAL_OK) {
    test_wrong(rebal_strerror(code), test_word(world->err.message));
  }
}

static void set_amounts(struct test_world *world, uint32_t cluster, uint32_t node, const char *amounts) {
  struct test_word rest = test_word(amounts);
  struct test_word name;
  uint32_t resources[8];
  rebal_quantity quantities[8];
  size_t n = 0;

  for (; n < 8 && test_next(&rest, ' ', &name); n++) {
    quantities[n] = test_quantity(test_cut(&name, '='));
    must(world, rebal_fleet_resource_id(world->fleet, name.text, name.len, &resources[n], &world->err));
  }
  must(world, rebal_fleet_set_node_amounts(world->fleet, cluster, node, resources, quantities, n, &world->err));
}

uint32_t test_set_node(struct test_world *world, uint32_t cluster, const struct test_node *node) {
  const int64_t taints = test_taints_handle(world, node->taints);
  const size_t len = strlen(node->name);
  uint32_t id = REBAL_NONE;
  int32_t code = rebal_fleet_add_node(world->fleet, cluster, node->name, len, &id, &world->err);

  must(world,
       code == REBAL_EEXIST ? rebal_fleet_node_id(world->fleet, cluster, node->name, len, &id, &world->err) : code);
  (void)rebal_builder_start(world->builder, REBAL_OBJECT_LABELS, NULL);
  test_put_pairs(world->builder, REBAL_LABELS_LABEL, node->labels);
  must(world, rebal_fleet_set_node_labels(world->fleet, cluster, id, test_finish(world->builder), &world->err));
  must(world,
       rebal_cells_set_i64(rebal_fleet_cells(world->fleet), REBAL_NODE_TAINTS, cluster, id, taints, &world->err));
  must(world, rebal_cells_set_i64(rebal_fleet_cells(world->fleet), REBAL_NODE_UNSCHEDULABLE, cluster, id,
                                  node->unschedulable, &world->err));
  set_amounts(world, cluster, id, node->allocatable);
  return id;
}

/* ---- requirements ------------------------------------------------------------------------------------------------ */

/* The next word that starts with the sign, without it; sign 0: one without a sign. */
static int next_of(struct test_word *rest, char sign, struct test_word *out) {
  while (test_next(rest, ' ', out)) {
    const char first = out->len == 0 ? '\0' : out->text[0];
    const int is_plain = first == '\0' || strchr("@?~/!", first) == NULL;

    if (sign == 0 ? is_plain : first == sign) {
      out->text += sign != 0;
      out->len -= sign != 0;
      return 1;
    }
  }
  return 0;
}

static void put_amounts(rebal_builder *builder, uint32_t field, const char *amounts) {
  struct test_word rest = test_word(amounts);
  struct test_word name;

  while (next_of(&rest, 0, &name)) {
    const rebal_quantity amount = test_quantity(test_cut(&name, '='));

    (void)rebal_builder_begin(builder, field, NULL);
    test_put_text(builder, REBAL_AMOUNT_NAME, name);
    (void)rebal_builder_quantity(builder, REBAL_AMOUNT_QUANTITY, &amount, NULL);
    (void)rebal_builder_end(builder, NULL);
  }
}

static void put_affinity(rebal_builder *builder, const char *request) {
  struct test_word rest = test_word(request);
  struct test_word expressions;

  (void)rebal_builder_begin(builder, REBAL_NODE_CLAIM_HARD_NODE_AFFINITY, NULL);
  while (next_of(&rest, '?', &expressions)) {
    (void)rebal_builder_begin(builder, REBAL_NODE_SELECTOR_TERM, NULL);
    test_put_expressions(builder, REBAL_NODE_SELECTOR_TERM_MATCH_EXPRESSIONS, expressions);
    (void)rebal_builder_end(builder, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
}

static void put_claim(rebal_builder *builder, const char *request) {
  struct test_word rest = test_word(request);
  struct test_word word;

  (void)rebal_builder_begin(builder, REBAL_REQUIREMENTS_NODE_CLAIM, NULL);
  while (next_of(&rest, '@', &word)) {
    const struct test_word value = test_cut(&word, '=');

    (void)rebal_builder_begin(builder, REBAL_NODE_CLAIM_NODE_SELECTOR, NULL);
    test_put_text(builder, REBAL_PAIR_KEY, word);
    test_put_text(builder, REBAL_PAIR_VALUE, value);
    (void)rebal_builder_end(builder, NULL);
  }
  if (strchr(request, '?') != NULL) {
    put_affinity(builder, request);
  }
  rest = test_word(request);
  while (next_of(&rest, '~', &word)) {
    test_put_tolerations(builder, REBAL_NODE_CLAIM_TOLERATIONS, word);
  }
  (void)rebal_builder_end(builder, NULL);
}

uint32_t test_request_handle(struct test_world *world, const char *request) {
  struct test_word rest = test_word(request);
  struct test_word word;

  if (request == NULL) {
    return REBAL_NONE;
  }
  (void)rebal_builder_start(world->builder, REBAL_OBJECT_REQUIREMENTS, NULL);
  put_amounts(world->builder, REBAL_REQUIREMENTS_RESOURCE_REQUEST, request);
  if (strpbrk(request, "@?~") != NULL) {
    put_claim(world->builder, request);
  }
  if (next_of(&rest, '/', &word)) {
    test_put_text(world->builder, REBAL_REQUIREMENTS_NAMESPACE, word);
  }
  rest = test_word(request);
  if (next_of(&rest, '!', &word)) {
    test_put_text(world->builder, REBAL_REQUIREMENTS_PRIORITY_CLASS_NAME, word);
  }
  return test_intern(world);
}

void test_set_quotas(struct test_world *world, uint32_t cluster, const struct test_quota *quotas, size_t n) {
  rebal_builder *builder = world->builder;

  (void)rebal_builder_start(builder, REBAL_OBJECT_QUOTAS, NULL);
  for (size_t i = 0; i < n; i++) {
    (void)rebal_builder_begin(builder, REBAL_QUOTAS_QUOTA, NULL);
    test_put_text(builder, REBAL_QUOTA_NAMESPACE, test_word(quotas[i].namespace_));
    test_put_texts(builder, REBAL_QUOTA_SCOPES, quotas[i].scopes, ' ');
    test_put_expressions(builder, REBAL_QUOTA_SCOPE_SELECTOR, test_word(quotas[i].expressions));
    put_amounts(builder, REBAL_QUOTA_HARD, quotas[i].hard);
    put_amounts(builder, REBAL_QUOTA_USED, quotas[i].used);
    (void)rebal_builder_end(builder, NULL);
  }
  must(world, rebal_fleet_set_quotas(world->fleet, cluster, test_finish(builder), &world->err));
}
