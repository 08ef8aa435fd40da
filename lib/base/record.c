/* SPDX-License-Identifier: MIT */
#include "base/base.h"

_Static_assert(sizeof(struct rebali_node) == 32 && sizeof(struct rebal_record) == 16, "records have no padding");

static const struct rebali_node *nodes_of(const rebal_record *record) {
  return (const struct rebali_node *)(record + 1);
}

/* The node, or NULL when there is none of that number. */
static const struct rebali_node *node_at(const rebal_record *record, uint32_t node) {
  return record != NULL && node < record->n_nodes ? nodes_of(record) + node : NULL;
}

static int is_integer(uint32_t type) {
  return type == REBAL_TYPE_INT32 || type == REBAL_TYPE_COUNT32 || type == REBAL_TYPE_INT64 ||
         type == REBAL_TYPE_BOOLEAN;
}

size_t rebali_record_size(const rebal_record *record) {
  /* The block exists, so its size fits size_t. */
  return sizeof *record + record->n_nodes * sizeof(struct rebali_node) +
         (((size_t)record->text_len + 7u) & ~(size_t)7u);
}

struct rebali_text rebali_record_text(const rebal_record *record, uint32_t node) {
  const struct rebali_node *found = node_at(record, node);

  if (found == NULL || found->type != REBAL_TYPE_TEXT) {
    return REBALI_TEXT("");
  }
  return rebali_text((const char *)(nodes_of(record) + record->n_nodes) + (size_t)found->number, found->extra);
}

uint32_t rebali_record_get(const rebal_record *record, uint32_t parent, uint32_t field) {
  return rebal_record_next(record, parent, field, REBAL_NONE);
}

size_t rebali_record_count(const rebal_record *record, uint32_t parent, uint32_t field) {
  uint32_t node = REBAL_NONE;
  size_t count = 0;

  while ((node = rebal_record_next(record, parent, field, node)) != REBAL_NONE) {
    count++;
  }
  return count;
}

uint32_t rebal_record_object(const rebal_record *record) {
  return record == NULL ? REBAL_OBJECT_NONE : record->object;
}

int32_t rebal_record_equal(const rebal_record *left, const rebal_record *right) {
  if (left == NULL || right == NULL) {
    return left == right;
  }
  return memcmp(left, right, sizeof *left) == 0 && memcmp(left, right, rebali_record_size(left)) == 0;
}

uint32_t rebal_record_next(const rebal_record *record, uint32_t parent, uint32_t field, uint32_t previous) {
  const struct rebali_node *above = node_at(record, parent);
  const struct rebali_node *before = node_at(record, previous);
  uint32_t node;

  if (above == NULL || (previous != REBAL_NONE && before == NULL)) {
    return REBAL_NONE;
  }
  node = before == NULL ? above->child : before->next;
  while (node != REBAL_NONE && field != 0 && nodes_of(record)[node].field != field) {
    node = nodes_of(record)[node].next;
  }
  return node;
}

uint32_t rebal_record_field(const rebal_record *record, uint32_t node) {
  const struct rebali_node *found = node_at(record, node);

  return found == NULL ? 0 : found->field;
}

int64_t rebal_record_i64(const rebal_record *record, uint32_t node) {
  const struct rebali_node *found = node_at(record, node);

  return found == NULL || !is_integer(found->type) ? 0 : found->number;
}

const char *rebal_record_text(const rebal_record *record, uint32_t node, size_t *len) {
  const struct rebali_text text = rebali_record_text(record, node);

  if (len != NULL) {
    *len = text.len;
  }
  return text.bytes;
}

void rebal_record_quantity(const rebal_record *record, uint32_t node, rebal_quantity *out) {
  const struct rebali_node *found = node_at(record, node);

  if (out == NULL) {
    return;
  }
  *out = found == NULL || found->type != REBAL_TYPE_QUANTITY
             ? (rebal_quantity){0, 0, REBAL_FORMAT_NONE}
             : (rebal_quantity){found->number, found->nanos, found->extra};
}

void rebal_record_time(const rebal_record *record, uint32_t node, rebal_time *out) {
  const struct rebali_node *found = node_at(record, node);

  if (out == NULL) {
    return;
  }
  *out = found == NULL || found->type != REBAL_TYPE_TIME ? (rebal_time){0, 0, 0}
                                                         : (rebal_time){found->number, found->nanos, found->extra};
}
