/* SPDX-License-Identifier: MIT */
/* Patches of every kind on documents, and between two of them. */
#include "manifest/patch/document.h"
#include "manifest/validate/checks.h"
#include "manifest/patch/strategic.h"

/* ---- execution ---- */

static int32_t patch_strategic(json_t *tree, int is_own, const json_t *patch, json_t **out, rebal_error *err) {
  if (json_is_null(patch) && rebali_is_map(tree)) {
    *out = json_incref(tree);
    return REBAL_OK;
  }
  if (!rebali_is_map(tree) || !rebali_is_map(patch)) {
    return rebali_fail(err, REBAL_EPARSE, -1, "invalid JSON document");
  }
  return rebali_strategic_merge(tree, is_own, patch, &rebali_shapes[REBALI_SHAPE_POD], NULL, out, err);
}

/* A patch that is not a map replaces the whole tree. */
static int32_t patch_merge(json_t *tree, int is_own, const json_t *patch, json_t **out, rebal_error *err) {
  json_t *map;
  int32_t result;
  if (!rebali_is_map(patch)) {
    *out = json_incref((json_t *)(uintptr_t)patch);
    return REBAL_OK;
  }
  if (!rebali_is_map(tree)) {
    map = json_object();
  } else {
    map = is_own ? json_incref(tree) : rebali_copy(tree);
  }
  if (map == NULL) {
    return rebali_fail_memory(err);
  }
  result = rebali_merge(map, patch, err);
  if (result != REBAL_OK) {
    json_decref(map);
    return result;
  }
  *out = map;
  return REBAL_OK;
}

static int32_t patch_json(json_t *tree, int is_own, const json_t *patch, const struct rebali_limits *limits,
                          json_t **out, rebal_error *err) {
  json_t *copy;
  int32_t result;
  if (!json_is_array(patch)) {
    return rebali_fail(err, REBAL_EPARSE, -1, "a JSON patch (RFC 6902) is a list");
  }
  copy = is_own ? json_incref(tree) : json_deep_copy(tree);
  if (copy == NULL) {
    return rebali_fail_memory(err);
  }
  result = rebali_json_patch(&copy, patch, limits, err);
  if (result != REBAL_OK) {
    json_decref(copy);
    return result;
  }
  *out = copy;
  return REBAL_OK;
}

int32_t rebali_patch_tree(json_t *tree, int is_own, const json_t *patch, uint32_t kind,
                          const struct rebali_limits *limits, json_t **out, rebal_error *err) {
  switch (kind) {
    case REBAL_PATCH_STRATEGIC:
      return patch_strategic(tree, is_own, patch, out, err);
    case REBAL_PATCH_MERGE:
      return patch_merge(tree, is_own, patch, out, err);
    case REBAL_PATCH_JSON:
      return patch_json(tree, is_own, patch, limits, out, err);
    default:
      return rebali_fail(err, REBAL_EINVAL, -1, "there is no such kind of patch");
  }
}

int32_t rebal_document_patch(const rebal_document *document, const rebal_document *patch, uint32_t kind,
                             rebal_document **out, rebal_error *err) {
  const struct rebali_limits limits = rebali_limits_load(NULL);
  json_t *tree;
  int32_t result;
  if (document == NULL || patch == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "document, patch and out are needed");
  }
  result = rebali_patch_tree(document->tree, 0, patch->tree, kind, &limits, &tree, err);
  return result == REBAL_OK ? rebali_document_new(tree, out, err) : result;
}

/* Takes ownership of the tree. */
static int32_t patch_and_write(json_t *tree, const rebal_document *patch, uint32_t kind,
                               const struct rebali_limits *limits, uint32_t format, rebal_text *out, rebal_error *err) {
  json_t *patched = NULL;
  int32_t result = rebali_patch_tree(tree, 1, patch->tree, kind, limits, &patched, err);
  json_decref(tree);
  if (result == REBAL_OK) {
    result = rebali_tree_write(patched, format, out, err);
  }
  json_decref(patched);
  return result;
}

int32_t rebal_manifest_patch(const char *text, size_t len, const rebal_manifest_limits *limits,
                             const rebal_document *patch, uint32_t kind, uint32_t format, rebal_text *out,
                             rebal_error *err) {
  struct rebali_limits loaded;
  json_t *tree;
  int32_t result;
  if (patch == NULL || out == NULL || format < REBAL_TEXT_FORMAT_JSON || format > REBAL_TEXT_FORMAT_YAML) {
    return rebali_fail(err, REBAL_EINVAL, -1, "patch, out and a format for documents are needed");
  }
  result = rebali_take_document(&text, &len, "text", limits, &loaded, &tree, err);
  return result == REBAL_OK ? patch_and_write(tree, patch, kind, &loaded, format, out, err) : result;
}

/* ---- evaluation ---- */

int32_t rebal_document_diff(const rebal_document *before, const rebal_document *after, uint32_t kind,
                            rebal_document **out, rebal_error *err) {
  json_t *patch;
  int32_t result;
  if (before == NULL || after == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "before, after and out are needed");
  }
  if (kind == REBAL_PATCH_MERGE) {
    result = rebali_merge_diff(before->tree, after->tree, &patch, err);
  } else if (kind == REBAL_PATCH_JSON) {
    result = rebali_json_diff(before->tree, after->tree, &patch, err);
  } else {
    return rebali_fail(err, REBAL_EINVAL, -1, "a difference is a JSON merge patch or a JSON patch");
  }
  return result == REBAL_OK ? rebali_document_new(patch, out, err) : result;
}
