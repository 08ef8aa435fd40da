/* SPDX-License-Identifier: MIT */
/* Texts into batches of checked objects, and batches into a store. */
#include "manifest.h"

#include <string.h>

/* Fills the caller's error from one that is complete, with the place of its field in the text. */
static int32_t fail_in_text(const struct rebali_batch *batch, size_t document, const rebal_error *local,
                            rebal_error *err) {
  uint32_t line = local->line, column = local->column;
  const uint32_t number = local->document != 0 ? local->document : (uint32_t)document;
  if (line == 0 && batch->text != NULL) {
    (void)rebali_locate(batch->text, batch->len, document, local->field, &line, &column);
  }
  (void)rebali_manifest_fail(err, local->code, "%s", local->message);
  rebali_manifest_fail_field(err, local->field);
  rebali_manifest_fail_at(err, local->where, number, line, column);
  return local->code;
}

int32_t rebali_batch_fail(const struct rebali_batch *batch, size_t entry, rebal_error *err, int32_t code,
                          const char *field, const char *message) {
  const struct rebali_staged *staged = &batch->entries[entry];
  const struct rebali_path items = rebali_path_key(NULL, "items");
  const struct rebali_path item = rebali_path_index(&items, staged->item);
  rebal_error local = REBAL_ERROR_INIT;
  size_t used = 0;
  (void)rebali_manifest_fail(&local, code, "%s", message);
  if (staged->item != SIZE_MAX) {
    used = rebali_path_print(&item, local.field, sizeof local.field - 1);
    local.field[used++] = '.';
  }
  if (strlen(field) < sizeof local.field - used) {
    memcpy(local.field + used, field, strlen(field) + 1);
  }
  return fail_in_text(batch, staged->document, &local, err);
}

static int32_t need_text(const json_t *map, const char *key, const struct rebali_path *path, const char *message,
                         rebal_error *err) {
  const struct rebali_path at = rebali_path_key(path, key);
  const json_t *value = rebali_member(map, key);
  const char *text;
  size_t len = 0;
  const int32_t result = value != NULL ? rebali_read_text(value, &at, &text, &len, err) : REBAL_OK;
  return result == REBAL_OK && len == 0 ? rebali_fail_path(err, REBAL_EPARSE, &at, message) : result;
}

/* kind, apiVersion and metadata.name, which every object has. */
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

/* Takes over tree. */
static int32_t add_object(struct rebali_batch *batch, json_t *tree, size_t document, size_t item,
                          const struct rebali_path *path, rebal_error *err) {
  int32_t result = check_identity(tree, path, err);
  if (result == REBAL_OK) {
    result = rebali_object_check(tree, path, err);
  }
  if (result == REBAL_OK) {
    result = rebali_admit_namespace(tree, err);
  }
  if (result != REBAL_OK) {
    json_decref(tree);
    return result;
  }
  return rebali_batch_add(batch, tree, document, item, err);
}

/* FooList names no kind in its items, as the API server answers. */
int32_t rebali_list_complete(const json_t *list, json_t *item, rebal_error *err) {
  const char *kind = rebali_member_text(list, "kind");
  const size_t len = strlen(kind) - strlen("List");
  int32_t result = REBAL_OK;
  if (len == 0 || !rebali_is_map(item)) {
    return REBAL_OK;
  }
  if (rebali_member(item, "kind") == NULL) {
    result = rebali_put(item, "kind", json_stringn_nocheck(kind, len), err);
  }
  if (result == REBAL_OK && rebali_member(item, "apiVersion") == NULL) {
    result = rebali_put_text(item, "apiVersion", rebali_member_text(list, "apiVersion"), err);
  }
  return result;
}

int rebali_is_list(const json_t *tree) {
  const char *kind = rebali_member_text(tree, "kind");
  const size_t len = strlen(kind);
  return len >= 4 && strcmp(kind + len - 4, "List") == 0 &&
         (json_object_get(tree, "items") != NULL || rebali_member(rebali_member(tree, "metadata"), "name") == NULL);
}

static int32_t add_items(struct rebali_batch *batch, const json_t *list, size_t document, rebal_error *err) {
  const struct rebali_path path = rebali_path_key(NULL, "items");
  json_t *items = rebali_member(list, "items");
  int32_t result = items != NULL ? rebali_read_list(items, &path, err) : REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(items); i++) {
    const struct rebali_path at = rebali_path_index(&path, i);
    json_t *item = json_array_get(items, i);
    result = rebali_list_complete(list, item, err);
    if (result == REBAL_OK && rebali_is_list(item)) {
      result = rebali_fail_path(err, REBAL_EPARSE, &at, "a List within a List");
    }
    if (result == REBAL_OK) {
      result = add_object(batch, json_incref(item), document, i, &at, err);
    }
  }
  return result;
}

static int32_t add_document(struct rebali_batch *batch, json_t *tree, size_t document, rebal_error *err) {
  if (rebali_is_map(tree) && rebali_is_list(tree)) {
    return add_items(batch, tree, document, err);
  }
  return add_object(batch, json_incref(tree), document, SIZE_MAX, NULL, err);
}

int32_t rebali_batch_read(struct rebali_batch *batch, const struct rebali_limits *limits, const char *text, size_t len,
                          rebal_error *err) {
  json_t **documents = NULL;
  size_t n = 0;
  int32_t result;
  *batch = (struct rebali_batch){text, len, NULL, 0, 0};
  result = rebali_text_read(text, len, limits, &documents, &n, err);
  if (result != REBAL_OK) {
    return result;
  }
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    rebal_error local = REBAL_ERROR_INIT;
    result = add_document(batch, documents[i], i + 1, &local);
    local.code = result;
    if (result != REBAL_OK) {
      (void)fail_in_text(batch, i + 1, &local, err);
    }
  }
  rebali_documents_free(documents, n);
  return result;
}

int32_t rebal_store_load(rebal_store *store, const char *text, size_t len, rebal_error *err) {
  struct rebali_batch batch;
  int32_t result;
  if (store == NULL || (text == NULL && len > 0)) {
    return rebali_manifest_fail(err, REBAL_EINVAL, "store and text are needed");
  }
  result = rebali_batch_read(&batch, &store->limits, text != NULL ? text : "", len, err);
  if (result == REBAL_OK) {
    rebali_batch_match(&batch, store);
  }
  for (size_t i = 0; result == REBAL_OK && i < batch.n; i++) {
    if (batch.entries[i].id != REBAL_NONE) {
      result = rebali_batch_fail(&batch, i, err, REBAL_EEXIST, "metadata.name", "the store has this object already");
    }
  }
  if (result == REBAL_OK) {
    result = rebali_store_take(store, &batch, err);
  }
  rebali_batch_dispose(&batch);
  return result;
}
