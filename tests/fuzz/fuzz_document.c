/* SPDX-License-Identifier: MIT */
/*
 * Two documents, parted by a byte 0x1e: the patch between them makes the second of the first, and each is answered as
 * the resource interpreter would, if it is an object at all.
 */
#include <rebalance/detector.h>
#include <rebalance/document.h>
#include <rebalance/manifest.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void law(int holds) {
  if (!holds) {
    abort();
  }
}

/* A call may fail, with a reason. */
static int worked(int32_t code, const rebal_error *err) {
  law(code == REBAL_OK || (err->code == code && err->message[0] != '\0'));
  return code == REBAL_OK;
}

/* Nothing is to be patched; the order of members does not count. */
static void must_equal(const rebal_document *one, const rebal_document *other) {
  rebal_document *patch = NULL;

  law(rebal_document_diff(one, other, REBAL_PATCH_JSON, &patch, NULL) == REBAL_OK);
  law(rebal_value_count(rebal_document_value(patch, "")) == 0);
  rebal_document_free(patch);
}

/* ---- patches ----------------------------------------------------------------------------------------------------- */

static void check_patch(const rebal_document *before, const rebal_document *after, uint32_t kind) {
  rebal_document *patch = NULL, *made = NULL;
  rebal_error err = REBAL_ERROR_INIT;

  if (worked(rebal_document_diff(before, after, kind, &patch, &err), &err)) {
    law(rebal_document_patch(before, patch, kind, &made, NULL) == REBAL_OK);
    must_equal(made, after);
  }
  rebal_document_free(made);
  rebal_document_free(patch);
}

static void patch_strategically(const rebal_document *document, const rebal_document *patch) {
  rebal_document *made = NULL;
  rebal_error err = REBAL_ERROR_INIT;

  (void)worked(rebal_document_patch(document, patch, REBAL_PATCH_STRATEGIC, &made, &err), &err);
  rebal_document_free(made);
}

/* ---- the resource interpreter ------------------------------------------------------------------------------------ */

/* An object that was given a number of replicas is left as it is by the same number. */
static void check_revised(const rebal_document *revised, const rebal_interpret_opts *opts) {
  rebal_document *again = NULL;

  law(rebal_interpret(revised, REBAL_INTERPRET_REVISE, opts, &again, NULL) == REBAL_OK && again != NULL);
  must_equal(revised, again);
  rebal_document_free(again);
}

static void interpret(const rebal_document *object, const rebal_document *items) {
  const uint32_t operations = rebal_interpret_operations(object);
  const rebal_interpret_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .revise_to = 3, .now = {1773478800, 0, 1}, .items = items};

  for (uint32_t operation = REBAL_INTERPRET_REPLICAS; operation <= REBAL_INTERPRET_DEPENDENCIES; operation++) {
    rebal_document *answer = NULL;
    rebal_error err = REBAL_ERROR_INIT;

    if (worked(rebal_interpret(object, operation, &opts, &answer, &err), &err)) {
      law((operations >> operation & 1) == 1 || answer == NULL || operation == REBAL_INTERPRET_STATUS);
      if (operation == REBAL_INTERPRET_REVISE && answer != NULL) {
        check_revised(answer, &opts);
      }
    }
    rebal_document_free(answer);
  }
}

/* ---- the target -------------------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *end = size == 0 ? NULL : memchr(data, 0x1e, size);
  const size_t len = end == NULL ? size : (size_t)(end - data);
  rebal_document *one = NULL, *other = NULL;
  rebal_error err = REBAL_ERROR_INIT;

  if (worked(rebal_document_read((const char *)data, len, NULL, &one, &err), &err)) {
    interpret(one, NULL);
    if (end != NULL && worked(rebal_document_read((const char *)end + 1, size - len - 1, NULL, &other, &err), &err)) {
      interpret(one, other);
      interpret(other, one);
      check_patch(one, other, REBAL_PATCH_MERGE);
      check_patch(one, other, REBAL_PATCH_JSON);
      patch_strategically(one, other);
    }
  }
  rebal_document_free(other);
  rebal_document_free(one);
  return 0;
}
