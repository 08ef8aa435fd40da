/* SPDX-License-Identifier: MIT */
/* Documents of a text as compact JSON, which takes a tenth of the memory of their trees. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

struct packing {
  struct rebali_tree_sink sink; /* first: the functions below get its address */
  struct rebali_packed *packed;
  size_t first; /* first item of the current document */
};

static struct packing *packing_of(struct rebali_tree_sink *sink) {
  return (struct packing *)sink;
}

/* Appends the tree as a terminated text that starts at *at; takes ownership of the tree. */
static int32_t pack(struct rebali_packed *packed, json_t *tree, size_t *at, rebal_error *err) {
  int32_t result;
  *at = packed->text.len;
  result = rebali_json_write(tree, 0, &packed->text);
  json_decref(tree);
  if (result != REBAL_OK) {
    return rebali_fail(err, result, -1, "the document cannot be kept: %s", rebal_strerror(result));
  }
  rebali_buffer_append(&packed->text, "", 1);
  return packed->text.failed ? rebali_fail_memory(err) : REBAL_OK;
}

static int32_t take_item(struct rebali_tree_sink *sink, const json_t *document, json_t *item, rebal_error *err) {
  struct rebali_packed *packed = packing_of(sink)->packed;
  (void)document;
  if (rebali_reserve_malloc(&packed->items, &packed->items_capacity, packed->n_items + 1, sizeof *packed->items, err) !=
      REBAL_OK) {
    json_decref(item);
    return REBAL_ENOMEM;
  }
  return pack(packed, item, &packed->items[packed->n_items++], err);
}

static int32_t take_document(struct rebali_tree_sink *sink, json_t *tree, rebal_error *err) {
  struct packing *packing = packing_of(sink);
  struct rebali_packed *packed = packing->packed;
  struct rebali_packed_document *document;
  if (rebali_reserve_malloc(&packed->documents, &packed->capacity, packed->n + 1, sizeof *packed->documents, err) !=
      REBAL_OK) {
    json_decref(tree);
    return REBAL_ENOMEM;
  }
  document = &packed->documents[packed->n++];
  document->first = packing->first;
  document->n_items = packed->n_items - packing->first;
  packing->first = packed->n_items;
  return pack(packed, tree, &document->text, err);
}

static void restart(struct rebali_tree_sink *sink) {
  struct packing *packing = packing_of(sink);
  rebali_buffer_clear(&packing->packed->text);
  packing->packed->n = packing->packed->n_items = packing->first = 0;
}

int32_t rebali_packed_read(struct rebali_packed *packed, const char *bytes, size_t len,
                           const struct rebali_limits *limits, rebal_error *err) {
  struct packing packing = {{take_document, take_item, rebali_needs_items, restart, NULL}, packed, 0};
  int32_t result;
  *packed = (struct rebali_packed){.text = REBALI_BUFFER};
  result = rebali_text_stream(bytes, len, limits, &packing.sink, err);
  if (result != REBAL_OK) {
    rebali_packed_dispose(packed);
  }
  return result;
}

void rebali_packed_dispose(struct rebali_packed *packed) {
  rebali_buffer_dispose(&packed->text);
  free(packed->documents);
  free(packed->items);
  *packed = (struct rebali_packed){.text = REBALI_BUFFER};
}

static int32_t open_at(const struct rebali_packed *packed, size_t at, json_t **tree, rebal_error *err) {
  const struct rebali_object object = {.text = packed->text.bytes + at, .len = strlen(packed->text.bytes + at)};
  return rebali_object_open(&object, tree, err);
}

int32_t rebali_packed_document(const struct rebali_packed *packed, size_t i, json_t **tree, rebal_error *err) {
  return open_at(packed, packed->documents[i].text, tree, err);
}

int32_t rebali_packed_item(const struct rebali_packed *packed, size_t i, size_t item, json_t **tree, rebal_error *err) {
  return open_at(packed, packed->items[packed->documents[i].first + item], tree, err);
}

int32_t rebali_packed_restore(const struct rebali_packed *packed, size_t i, json_t *tree, rebal_error *err) {
  json_t *items = json_object_get(tree, "items");
  int32_t result = REBAL_OK;
  for (size_t k = 0; result == REBAL_OK && k < packed->documents[i].n_items; k++) {
    json_t *item;
    result = rebali_packed_item(packed, i, k, &item, err);
    if (result == REBAL_OK && json_array_insert_new(items, k, item) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  return result;
}
