/* SPDX-License-Identifier: MIT */
/* Standard output, buffered until it is complete. */
#include "rebalancectl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status output_open(struct output *out) {
  out->failed = 0;
  return rebal_text_new(&out->text, NULL) == REBAL_OK ? STATUS_DONE : complain_of_memory();
}

void output_close(struct output *out) {
  rebal_text_free(out->text);
  out->text = NULL;
}

void put_bytes(struct output *out, const char *bytes, size_t len) {
  if (!out->failed && rebal_text_append(out->text, bytes, len, NULL) != REBAL_OK) {
    out->failed = 1;
  }
}

void put(struct output *out, const char *text) {
  put_bytes(out, text, strlen(text));
}

void put_escaped(struct output *out, const char *text) {
  char *shown = escaped(text);
  if (shown == NULL) {
    out->failed = 1;
  } else {
    put(out, shown);
  }
  free(shown);
}

void put_integer(struct output *out, int64_t value) {
  char text[32];
  (void)snprintf(text, sizeof text, "%" PRId64, value);
  put(out, text);
}

enum status output_finish(const struct output *out, enum status status) {
  size_t len;
  const char *bytes = rebal_text_bytes(out->text, &len);
  if (out->failed) {
    return complain_of_memory();
  }
  if (fwrite(bytes, 1, len, stdout) == len && fclose(stdout) == 0) {
    return status;
  }
  complain("rebalancectl: standard output: %s", strerror(errno));
  return STATUS_INPUT;
}
