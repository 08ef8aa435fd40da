/* SPDX-License-Identifier: MIT */
/* What kubectl apply and the API server's admission make of objects. */
#include "manifest/manifest.h"

/* What a replaced object keeps. */
static const char *const kept_metadata[] = {"uid", "creationTimestamp", "generation", "resourceVersion",
                                            "deletionTimestamp"};

static int32_t keep(json_t *tree, const json_t *before, rebal_error *err) {
  json_t *metadata = rebali_map_at(tree, "metadata");
  const json_t *old = rebali_member(before, "metadata");
  json_t *status = rebali_member(before, "status");
  int32_t result = status != NULL ? rebali_put(tree, "status", json_incref(status), err) : REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < sizeof kept_metadata / sizeof kept_metadata[0]; i++) {
    json_t *value = rebali_member(old, kept_metadata[i]);
    if (value != NULL) {
      result = rebali_put(metadata, kept_metadata[i], json_incref(value), err);
    } else if (metadata != NULL) {
      (void)json_object_del(metadata, kept_metadata[i]);
    }
  }
  return result;
}

/* before NULL: the object is new. */
static int32_t admit(json_t *tree, const json_t *before, const rebal_time *now, rebal_error *err) {
  int32_t result = rebali_admit(tree, before, now, err);
  if (result != REBAL_OK) {
    return result;
  }
  if (before == NULL) {
    return rebali_metadata_create(tree, now, err);
  }
  result = keep(tree, before, err);
  return result == REBAL_OK ? rebali_metadata_update(tree, before, err) : result;
}

static int32_t apply_one(const rebal_store *store, struct rebali_staged *entry, struct rebali_buffer *scratch,
                         const rebal_time *now, rebal_error *err) {
  struct rebali_object packed;
  json_t *before = NULL, *tree = NULL;
  int32_t result = rebali_object_open(&entry->object, &tree, err);
  if (result == REBAL_OK && entry->id != REBAL_NONE) {
    result = rebali_store_open(store, entry->id, &before, err);
  }
  if (result == REBAL_OK) {
    result = admit(tree, before, now, err);
  }
  if (result == REBAL_OK) {
    result = rebali_object_pack(tree, scratch, &packed, err);
  }
  if (result == REBAL_OK) {
    rebali_object_dispose(&entry->object);
    entry->object = packed;
  }
  json_decref(before);
  json_decref(tree);
  return result;
}

int32_t rebal_store_apply(rebal_store *store, const char *text, size_t len, const rebal_time *now, rebal_error *err) {
  struct rebali_staged_batch batch;
  int32_t result;
  if (store == NULL || now == NULL || !now->is_set) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store and now are needed");
  }
  result = rebali_take_stream(&text, &len, "text", err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_batch_read(&batch, store, text, len, err);
  if (result == REBAL_OK) {
    rebali_batch_match(&batch, store);
    rebali_batch_repacked(&batch, NULL);
  }
  for (size_t i = 0; result == REBAL_OK && i < batch.n; i++) {
    result = apply_one(store, &batch.entries[i], &batch.scratch, now, err);
  }
  if (result == REBAL_OK) {
    result = rebali_store_take(store, &batch, err);
  }
  rebali_batch_dispose(&batch);
  return result;
}
