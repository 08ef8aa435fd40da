/* SPDX-License-Identifier: MIT */
/* The public text buffer, and trees in the public formats. */
#include "manifest/manifest.h"

#include <stdlib.h>

struct rebal_text {
  struct rebali_buffer output;
};

int32_t rebal_text_new(rebal_text **out, rebal_error *err) {
  rebal_text *text;
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is needed");
  }
  text = calloc(1, sizeof *text);
  if (text == NULL) {
    return rebali_fail_memory(err);
  }
  *out = text;
  return REBAL_OK;
}

const char *rebal_text_bytes(const rebal_text *text, size_t *len) {
  if (len != NULL) {
    *len = text != NULL ? text->output.len : 0;
  }
  return text != NULL && text->output.bytes != NULL ? text->output.bytes : "";
}

int32_t rebali_text_settle(rebal_text *text, size_t len, int32_t result, rebal_error *err) {
  struct rebali_buffer *output = &text->output;
  if (result == REBAL_OK && output->failed) {
    result = rebali_fail_memory(err);
  }
  output->failed = 0;
  if (result != REBAL_OK) {
    output->len = len;
    if (output->bytes != NULL) {
      output->bytes[len] = '\0';
    }
  }
  return result;
}

struct rebali_buffer *rebali_text_output(rebal_text *text) {
  return &text->output;
}

int32_t rebal_text_append(rebal_text *text, const char *bytes, size_t len, rebal_error *err) {
  const int32_t result = rebali_take_text(&bytes, &len, "bytes", err);
  size_t before;
  if (result != REBAL_OK) {
    return result;
  }
  if (text == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "text is needed");
  }
  before = text->output.len;
  rebali_buffer_append(&text->output, bytes, len);
  return rebali_text_settle(text, before, REBAL_OK, err);
}

void rebal_text_reset(rebal_text *text) {
  if (text == NULL) {
    return;
  }
  rebali_buffer_clear(&text->output);
  if (text->output.bytes != NULL) {
    text->output.bytes[0] = '\0';
  }
}

void rebal_text_free(rebal_text *text) {
  if (text == NULL) {
    return;
  }
  rebali_buffer_dispose(&text->output);
  free(text);
}

int32_t rebali_tree_write(const json_t *tree, uint32_t format, rebal_text *out, rebal_error *err) {
  struct rebali_buffer *output = &out->output;
  const size_t before = output->len;
  json_t *document = (json_t *)(uintptr_t)tree;
  int32_t result;
  if (format == REBAL_TEXT_FORMAT_JSON || format == REBAL_TEXT_FORMAT_JSON_PATCH) {
    result = rebali_json_write(tree, 0, output);
  } else if (format == REBAL_TEXT_FORMAT_JSON_PRETTY) {
    result = rebali_json_write(tree, REBALI_WRITE_PRETTY, output);
  } else if (format == REBAL_TEXT_FORMAT_YAML) {
    result = rebali_yaml_write(&document, 1, 0, output);
  } else {
    return rebali_fail(err, REBAL_EINVAL, -1, "unknown format");
  }
  if (result != REBAL_OK) {
    (void)rebali_fail(err, result, -1, "the object cannot be written: %s", rebal_strerror(result));
  }
  return rebali_text_settle(out, before, result, err);
}
