/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <rebalance/manifest.h>

#include <stdlib.h>
#include <string.h>

/* A patch: the texts, the parsed patch, and the results for a text and for a document. */
struct attempt {
  char *original, *changes;
  rebal_document *patch, *document, *patched;
  rebal_text *from_text, *from_document;
};

static void attempt_dispose(struct attempt *attempt) {
  rebal_document_free(attempt->patch);
  rebal_document_free(attempt->document);
  rebal_document_free(attempt->patched);
  rebal_text_free(attempt->from_text);
  rebal_text_free(attempt->from_document);
  free(attempt->original);
  free(attempt->changes);
}

static int attempt_open(struct conformance *run, struct attempt *attempt, const json_t *input) {
  attempt->original = json_dumps(json_object_get(input, "original"), JSON_ENCODE_ANY);
  attempt->changes = json_dumps(json_object_get(input, "patch"), JSON_ENCODE_ANY);
  return failed(run, rebal_text_new(&attempt->from_text, &run->err)) ||
         failed(run, rebal_text_new(&attempt->from_document, &run->err)) ||
         failed(run,
                rebal_document_read(attempt->changes, strlen(attempt->changes), NULL, &attempt->patch, &run->err)) ||
         failed(run,
                rebal_document_read(attempt->original, strlen(attempt->original), NULL, &attempt->document, &run->err));
}

/* Documents, which do not change, and texts must have the same result. */
static int agrees(const struct attempt *attempt, int32_t code) {
  return code == REBAL_OK
             ? attempt->patched != NULL &&
                   rebal_document_write(attempt->patched, REBAL_TEXT_FORMAT_JSON, attempt->from_document, NULL) ==
                       REBAL_OK &&
                   strcmp(rebal_text_bytes(attempt->from_document, NULL), rebal_text_bytes(attempt->from_text, NULL)) ==
                       0
             : attempt->patched == NULL;
}

static json_t *outcome_of(struct conformance *run, const struct attempt *attempt, int32_t code) {
  size_t len;
  const char *text = rebal_text_bytes(attempt->from_text, &len);
  json_t *result;

  if (!agrees(attempt, code)) {
    return fault(run, "a document is not patched as its text is");
  }
  if (code == REBAL_EINVAL || code == REBAL_EPARSE) {
    return json_pack("{s:s}", "error", run->err.message);
  }
  if (failed(run, code)) {
    return NULL;
  }
  result = json_loadb(text, len, JSON_DECODE_ANY, NULL);
  return result == NULL ? fault(run, "the patched pod is not JSON") : json_pack("{s:o}", "result", result);
}

json_t *case_smp(struct conformance *run, const json_t *input) {
  struct attempt attempt = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  json_t *outcome = NULL;

  if (!attempt_open(run, &attempt, input)) {
    const int32_t code =
        rebal_manifest_patch(attempt.original, strlen(attempt.original), NULL, attempt.patch, REBAL_PATCH_STRATEGIC,
                             REBAL_TEXT_FORMAT_JSON, attempt.from_text, &run->err);

    (void)rebal_document_patch(attempt.document, attempt.patch, REBAL_PATCH_STRATEGIC, &attempt.patched, NULL);
    outcome = outcome_of(run, &attempt, code);
  }
  attempt_dispose(&attempt);
  return outcome;
}
