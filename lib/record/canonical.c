/* SPDX-License-Identifier: MIT */
#include "record/record.h"

/* Map entries have their key in this field. */
#define KEY_NUMBER 1u
_Static_assert(REBAL_PAIR_KEY % 256 == KEY_NUMBER && REBAL_AMOUNT_NAME % 256 == KEY_NUMBER &&
                   REBAL_MOMENT_KEY % 256 == KEY_NUMBER && REBAL_VERSION_STATUS_VERSION % 256 == KEY_NUMBER,
               "keys are field 1");

struct rebali_text rebali_canonical_key(const struct rebali_drafts *drafts, uint32_t entry) {
  const uint32_t first = drafts->items[entry].node.child;
  const struct rebali_node *node;

  /* The entry is sorted, so the key is its first child, if it has one. */
  if (first == REBAL_NONE || drafts->items[first].node.field % 256u != KEY_NUMBER) {
    return REBALI_TEXT("");
  }
  node = &drafts->items[first].node;
  return rebali_text(drafts->texts.bytes + (size_t)node->number, node->extra);
}

static int compare_siblings(const struct rebali_drafts *drafts, uint32_t left, uint32_t right) {
  const struct rebali_draft *a = &drafts->items[left];
  const struct rebali_draft *b = &drafts->items[right];

  if (a->node.field != b->node.field) {
    return a->node.field < b->node.field ? -1 : 1;
  }
  if (a->cardinality != REBAL_CARDINALITY_MAP) {
    return 0;
  }
  return rebali_text_compare(rebali_canonical_key(drafts, left), rebali_canonical_key(drafts, right));
}

static int compare_places(const void *left, const void *right, const void *context) {
  return compare_siblings(context, *(const uint32_t *)left, *(const uint32_t *)right);
}

static int is_sorted(const struct rebali_drafts *drafts, uint32_t first) {
  while (first != REBAL_NONE && drafts->items[first].node.next != REBAL_NONE) {
    const uint32_t next = drafts->items[first].node.next;

    if (compare_siblings(drafts, first, next) > 0) {
      return 0;
    }
    first = next;
  }
  return 1;
}

static int32_t sort_children(struct rebali_drafts *drafts, uint32_t parent) {
  struct rebali_draft *const items = drafts->items;
  size_t count = 0;
  size_t i = 0;
  uint32_t node;

  for (node = items[parent].node.child; node != REBAL_NONE; node = items[node].node.next) {
    count++;
  }
  /* Doubled for rebali_sort(). A draft is larger than two numbers, so the sum cannot overflow. */
  if (rebali_reserve(drafts->allocator, &drafts->order, &drafts->order_capacity, 2 * count, sizeof *drafts->order) !=
      REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (node = items[parent].node.child; node != REBAL_NONE; node = items[node].node.next) {
    drafts->order[i++] = node;
  }
  rebali_sort(drafts->order, count, sizeof *drafts->order, drafts->order + count, compare_places, drafts);
  items[parent].node.child = drafts->order[0];
  for (i = 0; i < count; i++) {
    items[drafts->order[i]].node.next = i + 1 < count ? drafts->order[i + 1] : REBAL_NONE;
  }
  return REBAL_OK;
}

int32_t rebali_canonical_sort(struct rebali_drafts *drafts, uint32_t parent, uint32_t *twice) {
  uint32_t node;
  uint32_t next;

  if (!is_sorted(drafts, drafts->items[parent].node.child) && sort_children(drafts, parent) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (node = drafts->items[parent].node.child; node != REBAL_NONE; node = next) {
    next = drafts->items[node].node.next;
    if (next != REBAL_NONE && drafts->items[node].cardinality == REBAL_CARDINALITY_MAP &&
        compare_siblings(drafts, node, next) == 0) {
      *twice = next;
      return REBAL_EEXIST;
    }
  }
  return REBAL_OK;
}

size_t rebali_canonical_size(const struct rebali_drafts *drafts) {
  /* At most 63 bytes more than the memory of the drafts and their texts. */
  return sizeof(rebal_record) + drafts->count * sizeof(struct rebali_node) + ((drafts->texts.len + 7u) & ~(size_t)7u);
}

/* Returns the node after this one, children before siblings. */
static uint32_t following(const struct rebali_drafts *drafts, uint32_t node) {
  if (drafts->items[node].node.child != REBAL_NONE) {
    return drafts->items[node].node.child;
  }
  while (node != REBAL_NONE && drafts->items[node].node.next == REBAL_NONE) {
    node = drafts->items[node].parent;
  }
  return node == REBAL_NONE ? REBAL_NONE : drafts->items[node].node.next;
}

void rebali_canonical_write(struct rebali_drafts *drafts, uint32_t object, rebal_record *record) {
  struct rebali_node *const nodes = (struct rebali_node *)(record + 1);
  char *const texts = (char *)(nodes + drafts->count);
  uint32_t place = 0;
  size_t used = 0;
  uint32_t draft;
  size_t i;

  for (draft = 0; draft != REBAL_NONE; draft = following(drafts, draft)) {
    struct rebali_node *const node = &nodes[place];

    drafts->items[draft].place = place++;
    *node = drafts->items[draft].node;
    if (node->child != REBAL_NONE) {
      node->child = place;
    }
    if (node->type == REBAL_TYPE_TEXT) {
      memcpy(texts + used, drafts->texts.bytes + (size_t)node->number, (size_t)node->extra + 1);
      node->number = (int64_t)used;
      used += (size_t)node->extra + 1;
    }
  }
  for (i = 0; i < drafts->count; i++) {
    const struct rebali_draft *const item = &drafts->items[i];

    if (item->node.next != REBAL_NONE) {
      nodes[item->place].next = drafts->items[item->node.next].place;
    }
  }
  memset(texts + used, 0, ((used + 7u) & ~(size_t)7u) - used);
  *record = (rebal_record){object, (uint32_t)drafts->count, used};
}
