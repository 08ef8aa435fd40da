/* SPDX-License-Identifier: MIT */
/* Packed objects: compact JSON, which takes a tenth of the memory of a tree, and the names that identify them. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

static const char *append(char **at, const char *text, size_t size) {
  const char *start = *at;
  memcpy(*at, text, size);
  *at += size;
  return start;
}

int32_t rebali_object_pack(const json_t *tree, struct rebali_buffer *scratch, struct rebali_object *out,
                           rebal_error *err) {
  const json_t *metadata = rebali_member(tree, "metadata");
  const char *const parts[] = {rebali_member_text(tree, "kind"), rebali_member_text(metadata, "namespace"),
                               rebali_member_text(metadata, "name"), rebali_member_text(tree, "apiVersion")};
  const size_t sizes[] = {strlen(parts[0]) + 1, strlen(parts[1]) + 1, strlen(parts[2]) + 1, strlen(parts[3]) + 1};
  int32_t result;
  char *at;
  rebali_buffer_clear(scratch);
  result = rebali_json_write(tree, 0, scratch);
  if (result != REBAL_OK) {
    return rebali_fail(err, result, -1, "the object cannot be kept: %s", rebal_strerror(result));
  }
  at = malloc(sizes[0] + sizes[1] + sizes[2] + sizes[3] + scratch->len + 1);
  if (at == NULL) {
    return rebali_fail_memory(err);
  }
  out->kind = at;
  (void)append(&at, parts[0], sizes[0]);
  out->namespace_ = append(&at, parts[1], sizes[1]);
  out->name = append(&at, parts[2], sizes[2]);
  out->api_version = append(&at, parts[3], sizes[3]);
  out->text = append(&at, scratch->bytes, scratch->len + 1);
  out->len = scratch->len;
  return REBAL_OK;
}

void rebali_object_dispose(struct rebali_object *object) {
  free(object->kind);
  *object = (struct rebali_object){NULL, NULL, NULL, NULL, NULL, 0};
}

void rebali_object_forget(struct rebali_object *object) {
  const size_t namespace_at = (size_t)(object->namespace_ - object->kind);
  const size_t name_at = (size_t)(object->name - object->kind);
  const size_t version_at = (size_t)(object->api_version - object->kind);
  char *kept = realloc(object->kind, (size_t)(object->text - object->kind));
  if (kept != NULL) {
    object->kind = kept;
    object->namespace_ = kept + namespace_at;
    object->name = kept + name_at;
    object->api_version = kept + version_at;
  }
  object->text = NULL;
  object->len = 0;
}

struct opening {
  struct rebali_tree_sink sink; /* first: take() gets its address */
  json_t *tree;
};

static int32_t take(struct rebali_tree_sink *sink, json_t *tree, rebal_error *err) {
  (void)err;
  ((struct opening *)sink)->tree = tree;
  return REBAL_OK;
}

int32_t rebali_object_open(const struct rebali_object *object, json_t **tree, rebal_error *err) {
  /* The text was read before: it is well formed and was within the limits. */
  struct rebali_source source = {.bytes = object->text, .len = object->len};
  struct opening opening = {{.document = take}, NULL};
  int32_t result;
  source.limits = (struct rebali_limits){SIZE_MAX, REBALI_DEPTH_MAX, SIZE_MAX, SIZE_MAX};
  result = rebali_source_open(&source, &rebali_source_json, err);
  if (result == REBAL_OK) {
    result = rebali_tree_stream(&source, &opening.sink, err);
  }
  rebali_source_json.close(&source);
  *tree = opening.tree;
  return result;
}
