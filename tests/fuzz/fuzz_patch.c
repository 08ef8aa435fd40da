/* SPDX-License-Identifier: MIT */
/* Patches of every kind: each document of a text as a patch of the one before it, and the difference of both. */
#include "manifest/patch/document.h"
#include "manifest/patch/strategic.h"
#include "text_laws.h"

static const struct rebali_limits limits = {1 << 20, 32, 20000, 20000};

/* Keys with '$' are directives of the merge, and null removes in one place what it sets in another. */
static int is_plain(const json_t *value) {
  json_t *walked = (json_t *)(uintptr_t)value, *member; /* jansson's iterators take no const */
  const char *key;
  for (size_t i = 0; i < json_array_size(value); i++) {
    if (!is_plain(json_array_get(value, i))) {
      return 0;
    }
  }
  json_object_foreach(walked, key, member) {
    if (key[0] == '$' || !is_plain(member)) {
      return 0;
    }
  }
  return !json_is_null(value);
}

/* Returns NULL if the patch is refused, with a reason. A tree of our own gives the same; another does not change. */
static json_t *patched(json_t *tree, const json_t *patch, uint32_t kind) {
  rebal_error err = REBAL_ERROR_INIT;
  json_t *before = json_deep_copy(tree), *change = json_deep_copy(patch), *own = json_deep_copy(tree);
  json_t *out = NULL, *from_own = NULL;
  const int32_t result = rebali_patch_tree(tree, 0, patch, kind, &limits, &out, &err);
  law(result == REBAL_OK || (err.code == result && err.message[0] != '\0'));
  law(rebali_patch_tree(own, 1, patch, kind, &limits, &from_own, NULL) == result);
  law(json_equal(tree, before) && json_equal(patch, change));
  law(result != REBAL_OK || json_equal(out, from_own));
  json_decref(before);
  json_decref(change);
  json_decref(own);
  json_decref(from_own);
  return result == REBAL_OK ? out : NULL;
}

/* From bytes to bytes the result is the same, however little of them is read. */
static void check_bytes(json_t *tree, const json_t *patch, uint32_t kind) {
  struct rebali_buffer before = REBALI_BUFFER, after = REBALI_BUFFER;
  rebal_document *document = NULL;
  rebal_text *text = NULL;
  json_t *whole = rebali_is_map(tree) ? patched(tree, patch, kind) : NULL;
  int32_t result;
  law(rebal_text_new(&text, NULL) == REBAL_OK);
  law(rebali_document_new(json_deep_copy(patch), &document, NULL) == REBAL_OK);
  if (rebali_is_map(tree)) {
    law(rebali_json_write(tree, 0, &before) == REBAL_OK);
    result = rebal_manifest_patch(before.bytes, before.len, NULL, document, kind, REBAL_TEXT_FORMAT_JSON, text, NULL);
    law((result == REBAL_OK) == (whole != NULL));
  }
  if (whole != NULL) {
    law(rebali_json_write(whole, 0, &after) == REBAL_OK);
    law(strncmp(rebal_text_bytes(text, NULL), after.bytes, after.len) == 0);
  }
  json_decref(whole);
  rebal_document_free(document);
  rebal_text_free(text);
  rebali_buffer_dispose(&before);
  rebali_buffer_dispose(&after);
}

static void check_nothing_changes_nothing(json_t *tree) {
  json_t *nothing = json_object();
  json_t *out = rebali_is_map(tree) ? patched(tree, nothing, REBAL_PATCH_STRATEGIC) : NULL;
  law(!rebali_is_map(tree) || out == tree);
  json_decref(out);
  json_decref(nothing);
}

/* A patch without directives changes nothing the third time. */
static void check_repeated(json_t *tree, const json_t *patch) {
  json_t *once = patched(tree, patch, REBAL_PATCH_STRATEGIC);
  json_t *twice = once != NULL ? patched(once, patch, REBAL_PATCH_STRATEGIC) : NULL;
  json_t *thrice = twice != NULL && is_plain(patch) ? patched(twice, patch, REBAL_PATCH_STRATEGIC) : NULL;
  if (thrice != NULL) {
    law(json_equal(twice, thrice) && rebali_pod_equal(twice, thrice));
  }
  json_decref(once);
  json_decref(twice);
  json_decref(thrice);
}

static void check_difference(json_t *before, const json_t *after, uint32_t kind) {
  json_t *diff = NULL, *again = NULL;
  const int32_t result = kind == REBAL_PATCH_MERGE ? rebali_merge_diff(before, after, &diff, NULL)
                                                   : rebali_json_diff(before, after, &diff, NULL);
  law(result == REBAL_OK || (result == REBAL_EUNSUPPORTED && kind == REBAL_PATCH_MERGE));
  if (result == REBAL_OK) {
    again = patched(before, diff, kind);
    law(again != NULL && json_equal(again, after));
  }
  json_decref(diff);
  json_decref(again);
}

static void check_pair(json_t *before, const json_t *after) {
  for (uint32_t kind = REBAL_PATCH_STRATEGIC; kind <= REBAL_PATCH_JSON; kind++) {
    json_decref(patched(before, after, kind));
  }
  check_bytes(before, after, REBAL_PATCH_STRATEGIC);
  check_bytes(before, after, REBAL_PATCH_MERGE);
  check_nothing_changes_nothing(before);
  check_repeated(before, after);
  check_difference(before, after, REBAL_PATCH_MERGE);
  check_difference(before, after, REBAL_PATCH_JSON);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct rebali_limits reading = {1 << 16, 30, 5000, 500};
  json_t **documents;
  size_t n;
  if (rebali_text_read((const char *)data, size, &reading, &documents, &n, NULL) != REBAL_OK) {
    return 0;
  }
  for (size_t i = 1; i < n; i++) {
    check_pair(documents[i - 1], documents[i]);
  }
  rebali_documents_free(documents, n);
  return 0;
}
