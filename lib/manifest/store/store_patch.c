/* SPDX-License-Identifier: MIT */
/* Applies merge patches and JSON patches to objects of a store. */
#include "manifest/validate/checks.h"

#include <string.h>

static int keeps_identity(const json_t *tree, const json_t *before) {
  static const char *const members[] = {"namespace", "name", "uid"};
  const json_t *metadata = rebali_member(tree, "metadata"), *old = rebali_member(before, "metadata");
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
    if (strcmp(rebali_member_text(metadata, members[i]), rebali_member_text(old, members[i])) != 0) {
      return 0;
    }
  }
  return strcmp(rebali_member_text(tree, "kind"), rebali_member_text(before, "kind")) == 0 &&
         strcmp(rebali_member_text(tree, "apiVersion"), rebali_member_text(before, "apiVersion")) == 0;
}

/* A patch with another resourceVersion was made for another state of the object. */
static int keeps_version(const json_t *tree, const json_t *before) {
  return strcmp(rebali_member_text(rebali_member(tree, "metadata"), "resourceVersion"),
                rebali_member_text(rebali_member(before, "metadata"), "resourceVersion")) == 0;
}

static int32_t change(json_t **tree, const json_t *patch, const struct rebali_limits *limits, rebal_error *err) {
  return json_is_array(patch) ? rebali_json_patch(tree, patch, limits, err) : rebali_merge(*tree, patch, err);
}

int32_t rebali_admit_patched(json_t *tree, const json_t *before, const rebal_time *now, rebal_error *err) {
  int32_t result = REBAL_OK;
  if (!keeps_identity(tree, before)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a patch cannot make it another object");
  }
  if (!keeps_version(tree, before)) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "the object has another resourceVersion");
  }
  result = rebali_object_check(tree, NULL, err);
  if (result == REBAL_OK) {
    result = rebali_admit(tree, before, now, err);
  }
  return result == REBAL_OK ? rebali_metadata_update(tree, before, err) : result;
}

static int32_t patch_object(rebal_store *store, uint32_t object, const json_t *patch, const rebal_time *now,
                            rebal_error *err) {
  json_t *before, *tree = NULL;
  int32_t result = rebali_store_share(store, object, &before, err);
  if (result == REBAL_OK) {
    tree = json_deep_copy(before);
    result = tree != NULL ? REBAL_OK : rebali_fail_memory(err);
  }
  if (result == REBAL_OK) {
    result = change(&tree, patch, &store->limits, err);
  }
  if (result == REBAL_OK) {
    result = rebali_admit_patched(tree, before, now, err);
  }
  if (result == REBAL_OK) {
    result = rebali_store_replace_tree(store, object, tree, err);
  }
  json_decref(tree);
  json_decref(before);
  return result;
}

int32_t rebal_store_patch(rebal_store *store, uint32_t object, const char *patch, size_t len, const rebal_time *now,
                          rebal_error *err) {
  json_t **documents = NULL;
  size_t n = 0;
  int32_t result;
  if (store == NULL || now == NULL || !now->is_set) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store and now are needed");
  }
  if (!rebali_store_has(store, object)) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the store has no such object");
  }
  result = rebali_take_stream(&patch, &len, "patch", err);
  if (result == REBAL_OK) {
    result = rebali_text_read(patch, len, &store->limits, &documents, &n, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  if (n != 1 || (!rebali_is_map(documents[0]) && !json_is_array(documents[0]))) {
    result = rebali_fail(err, REBAL_EPARSE, -1, "a patch is one map (RFC 7396) or one list (RFC 6902)");
  } else {
    result = patch_object(store, object, documents[0], now, err);
  }
  rebali_documents_free(documents, n);
  return result;
}
