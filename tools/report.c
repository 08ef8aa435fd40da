/* SPDX-License-Identifier: MIT */
/* Writes reports as JSON, which the library converts to the requested format. */
#include "rebalancectl.h"

#include <stdio.h>
#include <string.h>

enum status report_open(struct report *report) {
  report->needs_comma = 0;
  return output_open(&report->text);
}

void report_close(struct report *report) {
  output_close(&report->text);
}

static void put_string(struct output *out, const char *text) {
  put(out, "\"");
  while (*text != '\0') {
    size_t run = 0;
    char escaped[8];
    while ((unsigned char)text[run] >= 0x20 && text[run] != '"' && text[run] != '\\') {
      run++;
    }
    put_bytes(out, text, run);
    text += run;
    if (*text == '\0') {
      break;
    }
    (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*text++);
    put(out, escaped);
  }
  put(out, "\"");
}

static void start_value(struct report *report, const char *key) {
  put(&report->text, report->needs_comma ? "," : "");
  report->needs_comma = 1;
  if (key == NULL) {
    return;
  }
  put_string(&report->text, key);
  put(&report->text, ":");
}

static void start_values(struct report *report, const char *key, const char *bracket) {
  start_value(report, key);
  put(&report->text, bracket);
  report->needs_comma = 0;
}

static void end_values(struct report *report, const char *bracket) {
  put(&report->text, bracket);
  report->needs_comma = 1;
}

void report_map(struct report *report, const char *key) {
  start_values(report, key, "{");
}

void report_map_end(struct report *report) {
  end_values(report, "}");
}

void report_list(struct report *report, const char *key) {
  start_values(report, key, "[");
}

void report_list_end(struct report *report) {
  end_values(report, "]");
}

void report_text(struct report *report, const char *key, const char *text) {
  start_value(report, key);
  put_string(&report->text, text);
}

void report_integer(struct report *report, const char *key, int64_t value) {
  start_value(report, key);
  put_integer(&report->text, value);
}

void report_boolean(struct report *report, const char *key, int value) {
  start_value(report, key);
  put(&report->text, value ? "true" : "false");
}

void report_verbatim(struct report *report, const char *key, const char *bytes, size_t len) {
  start_value(report, key);
  put_bytes(&report->text, bytes, len);
}

enum status report_finish(struct report *report, enum format format, struct output *out) {
  const rebal_manifest_limits unlimited = {sizeof unlimited, UINT32_MAX, SIZE_MAX, SIZE_MAX, 0};
  const rebal_rewrite_opts opts = {
      .struct_size = sizeof opts,
      .format = format == FORMAT_YAML ? REBAL_TEXT_FORMAT_YAML : REBAL_TEXT_FORMAT_JSON_PRETTY,
      .limits = &unlimited};
  rebal_error err = REBAL_ERROR_INIT;
  size_t len;
  const char *bytes = rebal_text_bytes(report->text.text, &len);
  if (report->text.failed) {
    return complain_of_memory();
  }
  if (rebal_manifest_rewrite(bytes, len, &opts, out->text, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  return STATUS_DONE;
}

#define SLICE 256

/* A document with some of the elements. */
static enum status write_part(const struct long_report *parts, size_t first, size_t end, enum format format,
                              struct output *out) {
  struct report report;
  enum status status = report_open(&report);
  if (status == STATUS_DONE) {
    parts->begin(&report, parts->user, first == 0);
    for (size_t i = first; status == STATUS_DONE && i < end; i++) {
      status = parts->element(&report, parts->user, i);
    }
    report_list_end(&report);
    report_map_end(&report);
  }
  if (status == STATUS_DONE) {
    status = report_finish(&report, format, out);
  }
  report_close(&report);
  return status;
}

/* Appends a part, with the beginning only if it is the first, and with the end only if it is the last. */
static void put_part(const char *bytes, size_t len, int is_first, int is_last, enum format format, struct output *out) {
  const char *start = bytes, *end = bytes + len;
  if (!is_last && format == FORMAT_JSON) { /* a line with the list's bracket and one with the document's */
    for (int lines = 0; lines < 3;) {
      lines += *--end == '\n';
    }
  }
  if (!is_first && format == FORMAT_JSON) {
    put(out, ",");
    start = strchr(bytes, '[') + 1;
  } else if (!is_first) {
    start = strstr(bytes, "\n- ") + 1;
  }
  put_bytes(out, start, (size_t)(end - start));
}

enum status report_long(const struct long_report *parts, enum format format, struct output *out) {
  struct output part;
  enum status status = output_open(&part);
  size_t i = 0;
  if (status != STATUS_DONE) {
    return status;
  }
  do {
    const size_t end = parts->n - i < SLICE ? parts->n : i + SLICE;
    size_t len;
    const char *bytes;
    rebal_text_reset(part.text);
    status = write_part(parts, i, end, format, &part);
    bytes = rebal_text_bytes(part.text, &len);
    if (status == STATUS_DONE) {
      put_part(bytes, len, i == 0, end == parts->n, format, out);
    }
    i = end;
  } while (status == STATUS_DONE && i < parts->n);
  output_close(&part);
  return status;
}
