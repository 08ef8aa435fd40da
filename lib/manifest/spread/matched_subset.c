/* SPDX-License-Identifier: MIT */
/* The annotation that names a pod's subset and WorkloadSpread (rebalance-workloadspread(7) 1.3). */
#include "manifest/spread/kruise.h"

#include <string.h>

#define NAME "name"
#define SUBSET "subset"
#define ID "uid"

/* Takes a text if present; returns 0 if the value has another type. */
static int take_text(const json_t *tree, const char *name, const char **out) {
  const json_t *member = rebali_folded_member(tree, name);
  *out = member != NULL ? json_string_value(member) : "";
  return *out != NULL;
}

static int take_texts(struct rebali_matched *matched) {
  return rebali_is_map(matched->tree) && take_text(matched->tree, NAME, &matched->spread) &&
         take_text(matched->tree, SUBSET, &matched->subset) && take_text(matched->tree, ID, &matched->id);
}

int32_t rebali_matched_open(const char *text, size_t len, struct rebali_matched *out, rebal_error *err) {
  int32_t result;
  out->state = REBAL_ANNOTATION_ABSENT;
  out->spread = out->subset = out->id = "";
  out->tree = NULL;
  if (text == NULL || len == 0) {
    return REBAL_OK;
  }
  result = rebali_json_text(text, len, &out->tree, NULL);
  if (result == REBAL_ENOMEM) {
    return rebali_fail_memory(err);
  }
  if (result == REBAL_OK && take_texts(out)) {
    out->state = REBAL_ANNOTATION_PRESENT;
    return REBAL_OK;
  }
  out->state = REBAL_ANNOTATION_UNPARSABLE;
  out->spread = out->subset = out->id = "";
  return REBAL_OK;
}

void rebali_matched_close(struct rebali_matched *matched) {
  json_decref(matched->tree);
  matched->tree = NULL;
}

static void write_member(struct rebali_buffer *text, const char *before, const char *value) {
  rebali_buffer_text(text, before);
  rebali_json_write_text(value, strlen(value), text);
}

int32_t rebali_matched_value(const char *spread, const char *subset, const char *id, json_t **out, rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER;
  write_member(&text, "{\"" NAME "\":", spread);
  write_member(&text, ",\"" SUBSET "\":", subset);
  if (*id != '\0') {
    write_member(&text, ",\"" ID "\":", id);
  }
  rebali_buffer_text(&text, "}");
  *out = text.failed ? NULL : json_stringn_nocheck(text.bytes, text.len);
  rebali_buffer_dispose(&text);
  return *out != NULL ? REBAL_OK : rebali_fail_memory(err);
}
