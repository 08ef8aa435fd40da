/* SPDX-License-Identifier: MIT */
#include "record/tolerations.h"

#include <inttypes.h>

/* An open object. */
struct frame {
  uint32_t draft;
  uint32_t object;
  uint64_t seen; /* bit n: field number n was set */
};

struct rebal_builder {
  rebal_allocator allocator;
  struct rebali_drafts drafts;
  struct frame frames[REBALI_RECORD_DEPTH];
  uint32_t n_frames; /* 0: no record is open */
  rebal_error error; /* the first error since start */
  void *block;       /* the finished record */
  size_t block_capacity;
};

int32_t rebal_builder_new(const rebal_allocator *allocator, rebal_builder **out, rebal_error *err) {
  rebal_allocator memory;
  rebal_builder *builder;
  int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is missing");
  }
  builder = rebali_allocate_zero(&memory, 1, sizeof *builder);
  if (builder == NULL) {
    return rebali_fail_memory(err);
  }
  builder->allocator = memory;
  builder->drafts.allocator = &builder->allocator;
  builder->error.struct_size = (uint32_t)sizeof builder->error;
  rebali_buffer_init(&builder->drafts.texts, &builder->allocator);
  *out = builder;
  return REBAL_OK;
}

void rebal_builder_free(rebal_builder *builder) {
  rebal_allocator memory;

  if (builder == NULL) {
    return;
  }
  memory = builder->allocator;
  rebali_buffer_dispose(&builder->drafts.texts);
  rebali_release(&memory, builder->drafts.items);
  rebali_release(&memory, builder->drafts.order);
  rebali_release(&memory, builder->block);
  rebali_release(&memory, builder);
}

/* Returns the stored error to the caller. */
static int32_t give_failure(const rebal_builder *builder, rebal_error *err) {
  return rebali_fail(err, builder->error.code, -1, "%s", builder->error.message);
}

static int32_t fail_memory(rebal_builder *builder, rebal_error *err) {
  (void)rebali_fail_memory(&builder->error);
  return give_failure(builder, err);
}

static int32_t fail_field(rebal_builder *builder, int32_t code, const struct rebali_field_info *field, const char *what,
                          rebal_error *err) {
  (void)rebali_fail(&builder->error, code, -1, "%s (field %" PRIu32 ") %s", field->text, field->id, what);
  return give_failure(builder, err);
}

/* Checks that a record is open and has no error. */
static int32_t check_open(const rebal_builder *builder, rebal_error *err) {
  if (builder == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "builder is missing");
  }
  if (builder->error.code != REBAL_OK) {
    return give_failure(builder, err);
  }
  return builder->n_frames == 0 ? rebali_fail(err, REBAL_ESTATE, -1, "no record is open") : REBAL_OK;
}

/* The checks of every setter: the open object accepts one more node of this field. */
static int32_t check_field(rebal_builder *builder, uint32_t id, const struct rebali_field_info **field,
                           rebal_error *err) {
  const struct rebali_field_info *const info = rebali_field_find(id);
  const struct frame *frame;
  int32_t code = check_open(builder, err);

  *field = info;
  if (code != REBAL_OK) {
    return code;
  }
  frame = &builder->frames[builder->n_frames - 1];
  if (info == NULL) {
    (void)rebali_fail(&builder->error, REBAL_EUNSUPPORTED, -1, "no field has the number %" PRIu32, id);
    return give_failure(builder, err);
  }
  if (info->object != frame->object) {
    return fail_field(builder, REBAL_EINVAL, info, "does not belong to the open object", err);
  }
  if (info->cardinality == REBAL_CARDINALITY_ONE && ((frame->seen >> (id % 256u)) & 1u) != 0) {
    return fail_field(builder, REBAL_EEXIST, info, "was set before", err);
  }
  return REBAL_OK;
}

static int32_t check_typed(rebal_builder *builder, uint32_t id, uint32_t type, const struct rebali_field_info **field,
                           rebal_error *err) {
  int32_t code = check_field(builder, id, field, err);

  if (code == REBAL_OK && (*field)->type != type) {
    return fail_field(builder, REBAL_EINVAL, *field, "is of another type", err);
  }
  return code;
}

/* Reserves memory for count more drafts. */
static int32_t reserve_drafts(rebal_builder *builder, size_t count, rebal_error *err) {
  struct rebali_drafts *const drafts = &builder->drafts;

  if (count >= REBAL_NONE - drafts->count) {
    (void)rebali_fail(&builder->error, REBAL_ELIMIT, -1, "the record has too many fields");
    return give_failure(builder, err);
  }
  if (rebali_reserve(drafts->allocator, &drafts->items, &drafts->capacity, drafts->count + count,
                     sizeof *drafts->items) != REBAL_OK) {
    return fail_memory(builder, err);
  }
  return REBAL_OK;
}

/* Makes the draft at index, which is in place, the last child of the open object. */
static void link_draft(rebal_builder *builder, const struct rebali_field_info *field, uint32_t index) {
  struct frame *const frame = &builder->frames[builder->n_frames - 1];
  struct rebali_draft *const parent = &builder->drafts.items[frame->draft];

  if (parent->last_child == REBAL_NONE) {
    parent->node.child = index;
  } else {
    builder->drafts.items[parent->last_child].node.next = index;
  }
  parent->last_child = index;
  frame->seen |= UINT64_C(1) << (field->id % 256u);
}

/* Appends a node without children to the open object. */
static int32_t append(rebal_builder *builder, const struct rebali_field_info *field, int64_t number, uint32_t extra,
                      int32_t nanos, rebal_error *err) {
  struct rebali_drafts *const drafts = &builder->drafts;
  const uint32_t index = (uint32_t)drafts->count;
  int32_t code = reserve_drafts(builder, 1, err);

  if (code != REBAL_OK) {
    return code;
  }
  drafts->items[index] = (struct rebali_draft){
      .node = {field->id, field->type, REBAL_NONE, REBAL_NONE, number, extra, nanos},
      .parent = builder->frames[builder->n_frames - 1].draft,
      .last_child = REBAL_NONE,
      .depth = builder->n_frames,
      .cardinality = field->cardinality,
  };
  drafts->count++;
  link_draft(builder, field, index);
  return REBAL_OK;
}

/* Stores a text with its terminator; sets *offset to its position. */
static int32_t keep_text(rebal_builder *builder, struct rebali_text text, int64_t *offset, rebal_error *err) {
  struct rebali_buffer *const texts = &builder->drafts.texts;

  *offset = (int64_t)texts->len;
  rebali_buffer_append(texts, text.bytes, text.len);
  rebali_buffer_append(texts, "", 1);
  return texts->failed ? fail_memory(builder, err) : REBAL_OK;
}

int32_t rebal_builder_start(rebal_builder *builder, uint32_t object, rebal_error *err) {
  size_t n;

  if (builder == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "builder is missing");
  }
  builder->n_frames = 0;
  builder->drafts.count = 0;
  builder->drafts.texts.len = 0;
  builder->drafts.texts.failed = 0;
  builder->error.code = REBAL_OK;
  if (rebali_object_fields(object, &n) == NULL || object >= REBAL_TABLE_CLUSTER) {
    (void)rebali_fail(&builder->error, object >= REBAL_TABLE_CLUSTER && n != 0 ? REBAL_EINVAL : REBAL_EUNSUPPORTED, -1,
                      "no object has the number %" PRIu32, object);
    return give_failure(builder, err);
  }
  if (reserve_drafts(builder, 1, err) != REBAL_OK) {
    return builder->error.code;
  }
  builder->drafts.items[0] = (struct rebali_draft){
      .node = {0, REBAL_TYPE_OBJECT, REBAL_NONE, REBAL_NONE, 0, 0, 0},
      .parent = REBAL_NONE,
      .last_child = REBAL_NONE,
  };
  builder->drafts.count = 1;
  builder->frames[0] = (struct frame){0, object, 0};
  builder->n_frames = 1;
  return REBAL_OK;
}

int32_t rebal_builder_text(rebal_builder *builder, uint32_t field, const char *text, size_t len, rebal_error *err) {
  const struct rebali_field_info *info;
  struct rebali_text taken;
  int64_t offset;
  int32_t code = check_typed(builder, field, REBAL_TYPE_TEXT, &info, err);

  if (code != REBAL_OK) {
    return code;
  }
  code = rebali_text_take(text, len, "the text", &taken, NULL);
  if (code != REBAL_OK) {
    return fail_field(builder, code, info, code == REBAL_EINVAL ? "has a length but no text" : "is too long", err);
  }
  code = keep_text(builder, taken, &offset, err);
  return code != REBAL_OK ? code : append(builder, info, offset, (uint32_t)taken.len, 0, err);
}

int32_t rebal_builder_i64(rebal_builder *builder, uint32_t field, int64_t value, rebal_error *err) {
  const struct rebali_field_info *info;
  int32_t code = check_field(builder, field, &info, err);

  if (code != REBAL_OK) {
    return code;
  }
  switch (info->type) {
    case REBAL_TYPE_INT32:
    case REBAL_TYPE_COUNT32:
    case REBAL_TYPE_INT64:
    case REBAL_TYPE_BOOLEAN:
      break;
    default:
      return fail_field(builder, REBAL_EINVAL, info, "is of another type", err);
  }
  if (!rebali_type_accepts(info->type, value)) {
    (void)rebali_fail(&builder->error, REBAL_ERANGE, -1, "%s (field %" PRIu32 "): %" PRId64 " is out of range",
                      info->text, field, value);
    return give_failure(builder, err);
  }
  return append(builder, info, value, 0, 0, err);
}

int32_t rebal_builder_quantity(rebal_builder *builder, uint32_t field, const rebal_quantity *value, rebal_error *err) {
  const struct rebali_field_info *info;
  int32_t code = check_typed(builder, field, REBAL_TYPE_QUANTITY, &info, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (value == NULL) {
    return fail_field(builder, REBAL_EINVAL, info, "has no value", err);
  }
  if (!rebali_quantity_is_proper(value)) {
    return fail_field(builder, REBAL_ERANGE, info, "is not a proper quantity", err);
  }
  return append(builder, info, value->units, value->format, value->nanos, err);
}

int32_t rebal_builder_time(rebal_builder *builder, uint32_t field, const rebal_time *value, rebal_error *err) {
  const struct rebali_field_info *info;
  int32_t code = check_typed(builder, field, REBAL_TYPE_TIME, &info, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (value == NULL) {
    return fail_field(builder, REBAL_EINVAL, info, "has no value", err);
  }
  if (!value->is_set) {
    return REBAL_OK;
  }
  if (rebali_time_check(value, -1, NULL) != REBAL_OK) {
    return fail_field(builder, REBAL_ERANGE, info, "is not a proper time", err);
  }
  return append(builder, info, value->seconds, 1, value->nanos, err);
}

int32_t rebal_builder_begin(rebal_builder *builder, uint32_t field, rebal_error *err) {
  const struct rebali_field_info *info;
  int32_t code = check_typed(builder, field, REBAL_TYPE_OBJECT, &info, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (builder->n_frames == REBALI_RECORD_DEPTH) {
    return fail_field(builder, REBAL_ELIMIT, info, "is nested too deeply", err);
  }
  code = append(builder, info, 0, 0, 0, err);
  if (code != REBAL_OK) {
    return code;
  }
  builder->frames[builder->n_frames] = (struct frame){(uint32_t)(builder->drafts.count - 1), info->child, 0};
  builder->n_frames++;
  return REBAL_OK;
}

/* Sorts the children of the object opened last. */
static int32_t sort_open(rebal_builder *builder, rebal_error *err) {
  struct rebali_drafts *const drafts = &builder->drafts;
  uint32_t twice = 0;
  struct rebali_text key;
  int32_t code = rebali_canonical_sort(drafts, builder->frames[builder->n_frames - 1].draft, &twice);

  if (code == REBAL_ENOMEM) {
    return fail_memory(builder, err);
  }
  if (code != REBAL_OK) {
    key = rebali_canonical_key(drafts, twice);
    (void)rebali_fail(&builder->error, code, -1, "%s: the key \"%.*s\" occurs twice",
                      rebali_field_find(drafts->items[twice].node.field)->text, key.len > 100 ? 100 : (int)key.len,
                      key.bytes);
    return give_failure(builder, err);
  }
  return REBAL_OK;
}

int32_t rebal_builder_end(rebal_builder *builder, rebal_error *err) {
  int32_t code = check_open(builder, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (builder->n_frames == 1) {
    (void)rebali_fail(&builder->error, REBAL_ESTATE, -1, "no object is open but the record itself");
    return give_failure(builder, err);
  }
  code = sort_open(builder, err);
  if (code == REBAL_OK) {
    builder->n_frames--;
  }
  return code;
}

static const struct rebali_node *nodes_of(const rebal_record *record) {
  return (const struct rebali_node *)(record + 1);
}

/* In a finished record, children directly follow their parent, so a node and all its descendants are adjacent. */
static uint32_t last_below(const rebal_record *record, uint32_t node) {
  const struct rebali_node *const nodes = nodes_of(record);

  while (nodes[node].child != REBAL_NONE) {
    node = nodes[node].child;
    while (nodes[node].next != REBAL_NONE) {
      node = nodes[node].next;
    }
  }
  return node;
}

static uint32_t shifted(uint32_t index, uint32_t first, uint32_t to) {
  return index == REBAL_NONE ? REBAL_NONE : index - first + to;
}

/* Copies one node. Sets its first child and next sibling; its parent and depth must be set. */
static int32_t copy_node(rebal_builder *builder, const rebal_record *source, uint32_t node, uint32_t first, uint32_t to,
                         rebal_error *err) {
  struct rebali_draft *const items = builder->drafts.items;
  struct rebali_draft *const item = &items[shifted(node, first, to)];

  item->node = nodes_of(source)[node];
  item->node.child = shifted(item->node.child, first, to);
  item->node.next = node == first ? REBAL_NONE : shifted(item->node.next, first, to);
  if (item->node.type == REBAL_TYPE_OBJECT) { /* the index of a list is rebuilt */
    item->node.number = 0;
    item->node.extra = 0;
  }
  item->last_child = REBAL_NONE;
  item->cardinality = REBAL_CARDINALITY_ONE; /* the content of a closed object is not sorted again */
  if (item->node.type == REBAL_TYPE_OBJECT && item->depth >= REBALI_RECORD_DEPTH) {
    (void)rebali_fail(&builder->error, REBAL_ELIMIT, -1, "the copy is nested too deeply");
    return give_failure(builder, err);
  }
  if (item->node.child != REBAL_NONE) {
    items[item->node.child].parent = shifted(node, first, to);
    items[item->node.child].depth = item->depth + 1;
  }
  if (item->node.next != REBAL_NONE) {
    items[item->node.next].parent = item->parent;
    items[item->node.next].depth = item->depth;
  }
  return item->node.type == REBAL_TYPE_TEXT
             ? keep_text(builder, rebali_record_text(source, node), &item->node.number, err)
             : REBAL_OK;
}

static int32_t copy_nodes(rebal_builder *builder, const struct rebali_field_info *field, const rebal_record *source,
                          uint32_t first, rebal_error *err) {
  const uint32_t last = last_below(source, first);
  const uint32_t to = (uint32_t)builder->drafts.count;
  uint32_t node;
  int32_t code = reserve_drafts(builder, (size_t)last - first + 1, err);

  if (code != REBAL_OK) {
    return code;
  }
  builder->drafts.items[to].parent = builder->frames[builder->n_frames - 1].draft;
  builder->drafts.items[to].depth = builder->n_frames;
  for (node = first; node <= last; node++) {
    code = copy_node(builder, source, node, first, to, err);
    if (code != REBAL_OK) {
      return code;
    }
  }
  builder->drafts.items[to].node.field = field->id;
  builder->drafts.items[to].cardinality = field->cardinality;
  builder->drafts.count += (size_t)last - first + 1;
  link_draft(builder, field, to);
  return REBAL_OK;
}

/* Returns whether the field accepts the node's type. */
static int takes_node(const struct rebali_field_info *field, const rebal_record *source, uint32_t node) {
  const struct rebali_node *const copied = &nodes_of(source)[node];

  if (copied->type != field->type) {
    return 0;
  }
  return field->type != REBAL_TYPE_OBJECT ||
         field->child == (node == 0 ? source->object : rebali_field_find(copied->field)->child);
}

int32_t rebal_builder_copy(rebal_builder *builder, uint32_t field, const rebal_record *source, uint32_t node,
                           rebal_error *err) {
  const struct rebali_field_info *info;
  int32_t code = check_field(builder, field, &info, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (source == NULL || node >= source->n_nodes) {
    return fail_field(builder, REBAL_EINVAL, info, "is to be copied from a node that does not exist", err);
  }
  if (!takes_node(info, source, node)) {
    return fail_field(builder, REBAL_EINVAL, info, "is of another type than the node to be copied", err);
  }
  return copy_nodes(builder, info, source, node, err);
}

int32_t rebal_builder_finish(rebal_builder *builder, const rebal_record **out, rebal_error *err) {
  size_t size;
  int32_t code = check_open(builder, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is missing");
  }
  if (builder->n_frames != 1) {
    (void)rebali_fail(&builder->error, REBAL_ESTATE, -1, "%" PRIu32 " objects are still open", builder->n_frames - 1);
    return give_failure(builder, err);
  }
  code = sort_open(builder, err);
  if (code != REBAL_OK) {
    return code;
  }
  size = rebali_canonical_size(&builder->drafts);
  if (rebali_reserve(&builder->allocator, &builder->block, &builder->block_capacity, size, 1) != REBAL_OK) {
    return fail_memory(builder, err);
  }
  rebali_canonical_write(&builder->drafts, builder->frames[0].object, builder->block);
  if (rebali_tolerations_index(builder->block, &builder->drafts) != REBAL_OK) {
    return fail_memory(builder, err);
  }
  builder->n_frames = 0;
  *out = builder->block;
  return REBAL_OK;
}
