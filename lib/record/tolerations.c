/* SPDX-License-Identifier: MIT */
/*
 * Lists of tolerations, searched by taint. In a record with many, each toleration that is the first to tolerate certain
 * taints is a node of a search tree, keyed by these taints. The tree uses members that object nodes leave unused:
 * number holds left and right, extra of the first toleration holds the root. The values of a taint match about eight
 * keys of the tree.
 */
#include "record/tolerations.h"

#define NOTHING 0u /* node 0 is not a toleration */

/* The taints that a toleration tolerates. */
struct reach {
  struct rebali_text key;    /* empty: any */
  struct rebali_text effect; /* empty: any */
  struct rebali_text value;
  int exists; /* any value */
};

static int is_tolerations(uint32_t field) {
  return field == REBAL_PLACEMENT_CLUSTER_TOLERATIONS || field == REBAL_NODE_CLAIM_TOLERATIONS ||
         field == REBAL_SUBSET_TOLERATIONS;
}

static const struct rebali_node *nodes_of(const rebal_record *record) {
  return (const struct rebali_node *)(record + 1);
}

/* Returns 0 for one that tolerates nothing. */
static int read_reach(const rebal_record *record, uint32_t node, struct reach *reach) {
  const struct rebali_toleration toleration = rebali_toleration_read(record, node);
  const int exists = rebali_text_equal(toleration.operation, REBALI_TEXT("Exists"));

  *reach = (struct reach){toleration.key, toleration.effect, exists ? REBALI_TEXT("") : toleration.value, exists};
  return exists || toleration.operation.len == 0 || rebali_text_equal(toleration.operation, REBALI_TEXT("Equal"));
}

static int compare_reaches(const struct reach *left, const struct reach *right) {
  int order = rebali_text_compare(left->key, right->key);

  order = order != 0 ? order : rebali_text_compare(left->effect, right->effect);
  order = order != 0 ? order : left->exists - right->exists;
  return order != 0 ? order : rebali_text_compare(left->value, right->value);
}

static int compare_nodes(const void *left, const void *right, const void *record) {
  struct reach left_reach, right_reach;

  (void)read_reach(record, *(const uint32_t *)left, &left_reach);
  (void)read_reach(record, *(const uint32_t *)right, &right_reach);
  return compare_reaches(&left_reach, &right_reach);
}

/* Returns the root. */
static uint32_t make_tree(struct rebali_node *nodes, const uint32_t *sorted, size_t n) {
  const size_t middle = n / 2;
  uint64_t left, right;

  if (n == 0) {
    return NOTHING;
  }
  left = make_tree(nodes, sorted, middle);
  right = make_tree(nodes, sorted + middle + 1, n - middle - 1);
  nodes[sorted[middle]].number = (int64_t)(left | right << 32);
  return sorted[middle];
}

/* Indexes the tolerations of one parent, count of them; order has twice as many elements. */
static void index_list(rebal_record *record, uint32_t first, size_t count, uint32_t *order) {
  struct rebali_node *const nodes = (struct rebali_node *)(record + 1);
  struct reach reach;
  size_t n = 0, kept = 0;
  uint32_t node = first;

  for (size_t i = 0; i < count; i++, node = nodes[node].next) {
    if (read_reach(record, node, &reach)) {
      order[n++] = node;
    }
  }
  rebali_sort(order, n, sizeof *order, order + count, compare_nodes, record);
  for (size_t i = 0; i < n; i++) {
    if (kept == 0 || compare_nodes(&order[kept - 1], &order[i], record) != 0) {
      order[kept++] = order[i];
    }
  }
  nodes[first].extra = kept == 0 ? REBAL_NONE : make_tree(nodes, order, kept);
}

int32_t rebali_tolerations_index(rebal_record *record, struct rebali_drafts *scratch) {
  const struct rebali_node *const nodes = nodes_of(record);

  if (record->n_nodes <= REBALI_FEW_TOLERATIONS) {
    return REBAL_OK;
  }
  for (uint32_t node = 1; node < record->n_nodes; node++) {
    uint32_t last = node;
    size_t count = 1;

    if (!is_tolerations(nodes[node].field)) {
      continue;
    }
    for (; nodes[last].next != REBAL_NONE && nodes[nodes[last].next].field == nodes[node].field; count++) {
      last = nodes[last].next;
    }
    if (count > REBALI_FEW_TOLERATIONS) {
      if (rebali_reserve(scratch->allocator, &scratch->order, &scratch->order_capacity, 2 * count,
                         sizeof *scratch->order) != REBAL_OK) {
        return REBAL_ENOMEM;
      }
      index_list(record, node, count, scratch->order);
    }
    node = last;
  }
  return REBAL_OK;
}

static uint32_t find_reach(const rebal_record *record, uint32_t node, const struct reach *wanted) {
  const struct rebali_node *const nodes = nodes_of(record);

  while (node != NOTHING) {
    struct reach reach;
    int order;

    (void)read_reach(record, node, &reach);
    order = compare_reaches(wanted, &reach);
    if (order == 0) {
      return node;
    }
    node = (uint32_t)((uint64_t)nodes[node].number >> (order < 0 ? 0 : 32));
  }
  return NOTHING;
}

static size_t tolerating_in_tree(const rebal_record *record, uint32_t root, const struct rebali_taint *taint,
                                 uint32_t *found) {
  size_t n = 0;

  for (unsigned bits = 0; bits < 8 && root != REBAL_NONE; bits++) {
    const struct reach wanted = {(bits & 1u) != 0 ? taint->key : REBALI_TEXT(""),
                                 (bits & 2u) != 0 ? taint->effect : REBALI_TEXT(""),
                                 (bits & 4u) != 0 ? taint->value : REBALI_TEXT(""), (bits & 4u) == 0};
    const uint32_t node = find_reach(record, root, &wanted);

    if (node != NOTHING) {
      found[n++] = node;
    }
  }
  return n;
}

/* Returns the root of the tree; 0 if there are few tolerations. */
static uint32_t root_of(const rebal_record *record, uint32_t parent, uint32_t field) {
  const uint32_t first = rebali_record_get(record, parent, field);

  return first == REBAL_NONE ? 0 : nodes_of(record)[first].extra;
}

/* Returns the next toleration of the taint after this one. */
static uint32_t next_tolerating(const rebal_record *record, uint32_t parent, uint32_t field,
                                const struct rebali_taint *taint, uint32_t node) {
  while ((node = rebali_record_next(record, parent, field, node)) != REBAL_NONE) {
    const struct rebali_toleration toleration = rebali_toleration_read(record, node);

    if (rebali_tolerates(&toleration, taint)) {
      break;
    }
  }
  return node;
}

size_t rebali_tolerating(const rebal_record *record, uint32_t parent, uint32_t field, const struct rebali_taint *taint,
                         uint32_t *found) {
  const uint32_t root = root_of(record, parent, field);
  uint32_t node = REBAL_NONE;
  size_t n = 0;

  if (root != 0) {
    return tolerating_in_tree(record, root, taint, found);
  }
  while ((node = next_tolerating(record, parent, field, taint, node)) != REBAL_NONE) {
    found[n++] = node;
  }
  return n;
}

uint32_t rebali_first_tolerating(const rebal_record *record, uint32_t parent, uint32_t field,
                                 const struct rebali_taint *taint) {
  const uint32_t root = root_of(record, parent, field);
  uint32_t found[REBALI_FEW_TOLERATIONS];
  uint32_t first = REBAL_NONE;
  size_t n;

  if (root == 0) {
    return next_tolerating(record, parent, field, taint, REBAL_NONE);
  }
  n = tolerating_in_tree(record, root, taint, found);
  for (size_t i = 0; i < n; i++) {
    first = found[i] < first ? found[i] : first;
  }
  return first;
}

int32_t rebali_tolerations_read(struct rebali_arena *arena, const rebal_record *record, uint32_t parent, uint32_t field,
                                struct rebali_tolerations *out) {
  const size_t count = rebali_record_count(record, parent, field);
  uint32_t node = REBAL_NONE;

  *out = (struct rebali_tolerations){.record = record, .parent = parent, .field = field};
  if (count == 0) {
    return REBAL_OK;
  }
  out->items = rebali_arena_allocate(arena, count, sizeof *out->items);
  if (out->items == NULL) {
    return REBAL_ENOMEM;
  }
  while ((node = rebali_record_next(record, parent, field, node)) != REBAL_NONE) {
    out->items[out->n++] = rebali_toleration_read(record, node);
  }
  return REBAL_OK;
}

int rebali_is_tolerated(const struct rebali_tolerations *tolerations, const struct rebali_taint *taint) {
  if (tolerations->n > REBALI_FEW_TOLERATIONS) {
    return rebali_first_tolerating(tolerations->record, tolerations->parent, tolerations->field, taint) != REBAL_NONE;
  }
  for (size_t i = 0; i < tolerations->n; i++) {
    if (rebali_tolerates(&tolerations->items[i], taint)) {
      return 1;
    }
  }
  return 0;
}
