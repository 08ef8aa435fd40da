/* SPDX-License-Identifier: MIT */
#include "record/record.h"

_Static_assert(sizeof(struct rebali_node) == 32 && sizeof(struct rebal_record) == 16, "records have no padding");

static int is_integer(uint32_t type) {
  return type == REBAL_TYPE_INT32 || type == REBAL_TYPE_COUNT32 || type == REBAL_TYPE_INT64 ||
         type == REBAL_TYPE_BOOLEAN;
}

size_t rebali_record_size(const rebal_record *record) {
  /* The block exists, so its size fits size_t. */
  return sizeof *record + record->n_nodes * sizeof(struct rebali_node) +
         (((size_t)record->text_len + 7u) & ~(size_t)7u);
}

size_t rebali_record_count(const rebal_record *record, uint32_t parent, uint32_t field) {
  uint32_t node = REBAL_NONE;
  size_t count = 0;

  while ((node = rebali_record_next(record, parent, field, node)) != REBAL_NONE) {
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
  return rebali_record_next(record, parent, field, previous);
}

uint32_t rebal_record_field(const rebal_record *record, uint32_t node) {
  const struct rebali_node *found = rebali_record_node(record, node);

  return found == NULL ? 0 : found->field;
}

int64_t rebal_record_i64(const rebal_record *record, uint32_t node) {
  const struct rebali_node *found = rebali_record_node(record, node);

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
  const struct rebali_node *found = rebali_record_node(record, node);

  if (out == NULL) {
    return;
  }
  *out = found == NULL || found->type != REBAL_TYPE_QUANTITY
             ? (rebal_quantity){0, 0, REBAL_QUANTITY_FORMAT_NONE}
             : (rebal_quantity){found->number, found->nanos, found->extra};
}

void rebal_record_time(const rebal_record *record, uint32_t node, rebal_time *out) {
  const struct rebali_node *found = rebali_record_node(record, node);

  if (out == NULL) {
    return;
  }
  *out = found == NULL || found->type != REBAL_TYPE_TIME ? (rebal_time){0, 0, 0}
                                                         : (rebal_time){found->number, found->nanos, found->extra};
}

void rebali_digest_record(struct rebali_digest *digest, const rebal_record *record) {
  const struct rebali_node *nodes;

  if (record == NULL) {
    rebali_digest_u64(digest, UINT64_MAX);
    return;
  }
  nodes = (const struct rebali_node *)(record + 1);
  rebali_digest_u64(digest, (uint64_t)record->object << 32 | record->n_nodes);
  for (uint32_t i = 0; i < record->n_nodes; i++) {
    const struct rebali_node *node = &nodes[i];

    rebali_digest_u64(digest, (uint64_t)node->field << 32 | node->type);
    rebali_digest_u64(digest, (uint64_t)node->child << 32 | node->next);
    if (node->type == REBAL_TYPE_TEXT) {
      rebali_digest_text(digest, rebali_record_text(record, i)); /* its offset is not content */
    } else if (node->type == REBAL_TYPE_QUANTITY) {
      rebali_digest_quantity(digest, &(rebal_quantity){node->number, node->nanos, node->extra});
    } else {
      rebali_digest_u64(digest, (uint64_t)node->number);
      rebali_digest_u64(digest, (uint64_t)node->extra << 32 | (uint32_t)node->nanos);
    }
  }
}
