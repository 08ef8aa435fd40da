/* SPDX-License-Identifier: MIT */
/* Answers as JSON; the library turns them into what was asked for. */
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
  rebal_error err = REBAL_ERROR_INIT;
  size_t len;
  const char *bytes = rebal_text_bytes(report->text.text, &len);
  if (report->text.failed) {
    return complain_of_memory();
  }
  if (rebal_manifest_rewrite(bytes, len, &unlimited, format == FORMAT_YAML ? REBAL_TEXT_YAML : REBAL_TEXT_JSON_PRETTY,
                             out->text, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  return STATUS_DONE;
}
