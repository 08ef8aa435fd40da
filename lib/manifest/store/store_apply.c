/* SPDX-License-Identifier: MIT */
/* Changes objects as kubectl apply and the API server's admission do. */
#include "manifest/manifest.h"

#include <string.h>

/* Members that a replaced object keeps. */
static const char *const kept_metadata[] = {"uid", "creationTimestamp", "generation", "resourceVersion",
                                            "deletionTimestamp"};

/* Labels and annotations with the policy that claimed the object: a client that applies it does not write them. */
static int is_claim(const char *key) {
  static const char *const prefixes[] = {"propagationpolicy.karmada.io/", "clusterpropagationpolicy.karmada.io/"};
  return strncmp(key, prefixes[0], strlen(prefixes[0])) == 0 || strncmp(key, prefixes[1], strlen(prefixes[1])) == 0;
}

static int32_t keep_claims(json_t *metadata, const json_t *old, const char *map_name, rebal_error *err) {
  json_t *before = rebali_member(old, map_name), *map = rebali_member(metadata, map_name), *value;
  const char *key;
  int32_t result = REBAL_OK;
  json_object_foreach(before, key, value) {
    if (result == REBAL_OK && is_claim(key) && rebali_member(map, key) == NULL) {
      map = rebali_map_at(metadata, map_name);
      result = map != NULL ? rebali_put(map, key, json_incref(value), err) : rebali_fail_memory(err);
    }
  }
  return result;
}

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
  if (result == REBAL_OK) {
    result = keep_claims(metadata, old, "labels", err);
  }
  return result == REBAL_OK ? keep_claims(metadata, old, "annotations", err) : result;
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
