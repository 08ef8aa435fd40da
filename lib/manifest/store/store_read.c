/* SPDX-License-Identifier: MIT */
/*
 * Reads texts into batches of checked objects: each object is packed once it is read, so that never two trees are held.
 */
#include "manifest/manifest.h"

#include <string.h>

static int32_t need_text(const json_t *map, const char *key, const struct rebali_path *path, const char *message,
                         rebal_error *err) {
  const struct rebali_path at = rebali_path_key(path, key);
  const json_t *value = rebali_member(map, key);
  const char *text;
  size_t len = 0;
  const int32_t result = value != NULL ? rebali_read_text(value, &at, &text, &len, err) : REBAL_OK;
  return result == REBAL_OK && len == 0 ? rebali_fail_path(err, REBAL_EPARSE, &at, message) : result;
}

/* Checks kind, apiVersion and metadata.name, which every object has. */
static int32_t check_identity(const json_t *tree, const struct rebali_path *path, rebal_error *err) {
  const struct rebali_path metadata = rebali_path_key(path, "metadata");
  int32_t result = rebali_read_map(tree, path, err);
  if (result == REBAL_OK) {
    result = need_text(tree, "kind", path, "the object has no kind", err);
  }
  if (result == REBAL_OK) {
    result = need_text(tree, "apiVersion", path, "the object has no apiVersion", err);
  }
  if (result == REBAL_OK && rebali_member(tree, "metadata") != NULL) {
    result = rebali_read_map(rebali_member(tree, "metadata"), &metadata, err);
  }
  if (result == REBAL_OK) {
    result = need_text(rebali_member(tree, "metadata"), "name", &metadata, "the object has no name", err);
  }
  return result;
}

/* FooList does not name the kind in its items, like answers of the API server. */
int32_t rebali_list_complete(const json_t *list, json_t *item, rebal_error *err) {
  const char *kind = rebali_member_text(list, "kind");
  const size_t len = strlen(kind);
  int32_t result = REBAL_OK;
  if (len <= strlen("List") || !rebali_is_map(item)) {
    return REBAL_OK;
  }
  if (rebali_member(item, "kind") == NULL) {
    result = rebali_put(item, "kind", json_stringn_nocheck(kind, len - strlen("List")), err);
  }
  if (result == REBAL_OK && rebali_member(item, "apiVersion") == NULL) {
    result = rebali_put_text(item, "apiVersion", rebali_member_text(list, "apiVersion"), err);
  }
  return result;
}

static int is_list_kind(const char *kind) {
  const size_t len = strlen(kind);
  return len >= 4 && strcmp(kind + len - 4, "List") == 0;
}

int rebali_is_list(const json_t *tree) {
  return is_list_kind(rebali_member_text(tree, "kind")) &&
         (json_object_get(tree, "items") != NULL || rebali_member(rebali_member(tree, "metadata"), "name") == NULL);
}

/* ---- text source ---- */

/* State of an item that was handed over. */
enum state { STATE_READY, STATE_REFUSED, STATE_DEFERRED /* checked once the whole document is known */ };

struct reading {
  struct rebali_tree_sink sink; /* first: its functions get its address */
  struct rebali_staged_batch *batch;
  const rebal_store *store;
  size_t document; /* complete ones before the current one */
  size_t first;    /* entry of the first handed over item of the current document; the rest follow */
  size_t refused;  /* index of the first refused one of them; SIZE_MAX if there is none */
  rebal_error refusal;
  rebal_error failure; /* the first one in complete documents: reported if the rest is well formed */
};

static struct reading *reading_of(struct rebali_tree_sink *sink) {
  return (struct reading *)sink;
}

static void start_document(struct reading *reading) {
  reading->first = reading->batch->n;
  reading->refused = SIZE_MAX;
}

static void restart(struct rebali_tree_sink *sink) {
  struct reading *reading = reading_of(sink);
  rebali_batch_dispose(reading->batch);
  reading->document = 0;
  reading->failure.code = REBAL_OK;
  start_document(reading);
}

int32_t rebali_object_admit(const rebal_store *store, json_t *tree, const struct rebali_path *path, rebal_error *err) {
  int32_t result = check_identity(tree, path, err);
  if (result == REBAL_OK) {
    result = rebali_object_check(tree, path, err);
  }
  return result == REBAL_OK ? rebali_admit_namespace(store, tree, err) : result;
}

static int32_t admit_item(const rebal_store *store, const json_t *list, json_t *item, const struct rebali_path *path,
                          rebal_error *err) {
  int32_t result = rebali_list_complete(list, item, err);
  if (result == REBAL_OK && rebali_is_list(item)) {
    result = rebali_fail_path(err, REBAL_EPARSE, path, "a List within a List");
  }
  return result == REBAL_OK ? rebali_object_admit(store, item, path, err) : result;
}

/* ---- items one by one ---- */

/* kind may follow items: only a document known not to be a List is kept whole. */
int rebali_needs_items(const json_t *document) {
  const json_t *kind = json_object_get(document, "kind");
  return kind == NULL || is_list_kind(rebali_member_text(document, "kind"));
}

/*
 * Returns 1 if the item can be processed before the rest of its document is known. A document known to be a List
 * completes the item. Otherwise the item must be complete, since it stays unchanged if the document is not a List.
 */
static int is_decided(const rebal_store *store, const json_t *document, const json_t *item) {
  const int has_both = rebali_member(item, "kind") != NULL && rebali_member(item, "apiVersion") != NULL;
  if (rebali_member(document, "kind") != NULL) {
    return has_both || rebali_member(document, "apiVersion") != NULL ||
           strcmp(rebali_member_text(document, "kind"), "List") == 0;
  }
  return has_both && !rebali_lacks_namespace(store, item);
}

static int32_t take_item(struct rebali_tree_sink *sink, const json_t *document, json_t *item, rebal_error *err) {
  struct reading *reading = reading_of(sink);
  const struct rebali_path items = rebali_path_key(NULL, "items");
  const size_t index = reading->batch->n - reading->first;
  const struct rebali_path path = rebali_path_index(&items, index);
  const int is_known = is_decided(reading->store, document, item);
  rebal_error local = REBAL_ERROR_INIT;
  int32_t result = REBAL_OK;
  if (reading->failure.code != REBAL_OK) {
    json_decref(item);
    return REBAL_OK;
  }
  if (is_known && reading->refused == SIZE_MAX) {
    result = admit_item(reading->store, document, item, &path, &local);
  }
  if (result == REBAL_ENOMEM) {
    json_decref(item);
    return rebali_fail_memory(err);
  }
  if (result != REBAL_OK) {
    local.code = result;
    reading->refused = index;
    reading->refusal = local;
  }
  result = rebali_batch_add(reading->batch, item, reading->document + 1, index, err);
  if (result == REBAL_OK) {
    reading->batch->entries[reading->batch->n - 1].is_raw = !is_known;
  }
  return result;
}

/* ---- whole documents ---- */

/* Processes an item that waited for its document. */
static int32_t admit_raw(const struct reading *reading, size_t index, const json_t *list,
                         const struct rebali_path *path, rebal_error *err) {
  struct rebali_staged *entry = &reading->batch->entries[reading->first + index];
  struct rebali_object packed;
  json_t *item;
  int32_t result = rebali_object_open(&entry->object, &item, err);
  if (result == REBAL_OK) {
    result = admit_item(reading->store, list, item, path, err);
  }
  if (result == REBAL_OK) {
    result = rebali_object_pack(item, &reading->batch->scratch, &packed, err);
  }
  json_decref(item);
  if (result == REBAL_OK) {
    rebali_object_dispose(&entry->object);
    entry->object = packed;
    entry->is_raw = 0;
    rebali_batch_repacked(reading->batch, NULL);
  }
  return result;
}

/* Settles items that were handed over, in their order. */
static int32_t settle_items(const struct reading *reading, size_t n, const json_t *list, rebal_error *err) {
  const struct rebali_path items = rebali_path_key(NULL, "items");
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    const struct rebali_path path = rebali_path_index(&items, i);
    if (i == reading->refused) {
      *err = reading->refusal;
      return err->code;
    }
    if (reading->batch->entries[reading->first + i].is_raw) {
      result = admit_raw(reading, i, list, &path, err);
    }
  }
  return result;
}

/* Adds items that stayed in the list, after n that were handed over. */
static int32_t add_items(struct reading *reading, size_t n, const json_t *list, rebal_error *err) {
  const struct rebali_path path = rebali_path_key(NULL, "items");
  json_t *items = rebali_member(list, "items");
  int32_t result = items != NULL ? rebali_read_list(items, &path, err) : REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(items); i++) {
    const struct rebali_path at = rebali_path_index(&path, n + i);
    json_t *item = json_array_get(items, i);
    result = admit_item(reading->store, list, item, &at, err);
    if (result == REBAL_OK) {
      result = rebali_batch_add(reading->batch, json_incref(item), reading->document, n + i, err);
    }
  }
  return result;
}

/* Puts the n handed over items back before those that stayed: the document is not a List. */
static int32_t restore(struct reading *reading, size_t n, json_t *tree, rebal_error *err) {
  json_t *items = n > 0 ? json_object_get(tree, "items") : NULL;
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    json_t *item;
    result = rebali_object_open(&reading->batch->entries[reading->first + i].object, &item, err);
    if (json_array_insert_new(items, i, item) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  rebali_batch_cut(reading->batch, reading->first);
  return result;
}

static int32_t add_document(struct reading *reading, json_t *tree, rebal_error *err) {
  const size_t n = reading->batch->n - reading->first;
  int32_t result;
  if (rebali_is_map(tree) && rebali_is_list(tree)) {
    result = settle_items(reading, n, tree, err);
    return result == REBAL_OK ? add_items(reading, n, tree, err) : result;
  }
  result = restore(reading, n, tree, err);
  if (result == REBAL_OK) {
    result = rebali_object_admit(reading->store, tree, NULL, err);
  }
  return result == REBAL_OK ? rebali_batch_add(reading->batch, json_incref(tree), reading->document, SIZE_MAX, err)
                            : result;
}

static int32_t take_document(struct rebali_tree_sink *sink, json_t *tree, rebal_error *err) {
  struct reading *reading = reading_of(sink);
  rebal_error local = REBAL_ERROR_INIT;
  int32_t result = REBAL_OK;
  reading->document++;
  if (reading->failure.code == REBAL_OK) {
    result = add_document(reading, tree, &local);
  }
  json_decref(tree);
  if (result == REBAL_ENOMEM) {
    return rebali_fail_memory(err);
  }
  if (result != REBAL_OK) {
    local.code = result;
    local.document = (uint32_t)reading->document;
    reading->failure = local;
  }
  start_document(reading);
  return REBAL_OK;
}

int32_t rebali_batch_read(struct rebali_staged_batch *batch, const rebal_store *store, const char *text, size_t len,
                          rebal_error *err) {
  struct reading reading = {.sink = {take_document, take_item, rebali_needs_items, restart, NULL},
                            .batch = batch,
                            .store = store,
                            .failure = REBAL_ERROR_INIT,
                            .refusal = REBAL_ERROR_INIT};
  int32_t result;
  *batch = (struct rebali_staged_batch){.text = text, .len = len};
  start_document(&reading);
  result = rebali_text_stream(text, len, &store->limits, &reading.sink, err);
  if (result == REBAL_OK && reading.failure.code != REBAL_OK) {
    result = rebali_batch_fail_in_text(batch, reading.failure.document, &reading.failure, err);
  }
  return result;
}
