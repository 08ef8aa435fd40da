/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <rebalance/manifest.h>

#include <stdlib.h>
#include <string.h>

/* A patch that was carried out, or why not. */
static json_t *outcome_of(struct conformance *run, int32_t code, const rebal_text *out) {
  size_t len;
  const char *text = rebal_text_bytes(out, &len);
  json_t *result;

  if (code == REBAL_EINVAL || code == REBAL_EPARSE) {
    return json_pack("{s:s}", "error", run->err.message);
  }
  if (failed(run, code)) {
    return NULL;
  }
  result = json_loadb(text, len, JSON_DECODE_ANY, NULL);
  return result == NULL ? fault(run, "the patched pod is no JSON") : json_pack("{s:o}", "result", result);
}

json_t *case_smp(struct conformance *run, const json_t *input) {
  char *original = json_dumps(json_object_get(input, "original"), JSON_ENCODE_ANY);
  char *changes = json_dumps(json_object_get(input, "patch"), JSON_ENCODE_ANY);
  rebal_document *patch = NULL;
  rebal_text *out = NULL;
  json_t *outcome = NULL;

  if (!failed(run, rebal_text_new(&out, &run->err)) &&
      !failed(run, rebal_document_read(changes, strlen(changes), NULL, &patch, &run->err))) {
    outcome = outcome_of(run,
                         rebal_manifest_patch(original, strlen(original), NULL, patch, REBAL_PATCH_STRATEGIC,
                                              REBAL_TEXT_JSON, out, &run->err),
                         out);
  }
  rebal_document_free(patch);
  rebal_text_free(out);
  free(changes);
  free(original);
  return outcome;
}

/* Errors are told in the words of Go libraries: that there is one is compared. */
void blur_smp(json_t *outcome, const json_t *test) {
  (void)test;
  if (json_object_get(outcome, "error") != NULL) {
    (void)json_object_set_new(outcome, "error", json_true());
  }
}
