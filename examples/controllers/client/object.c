/* SPDX-License-Identifier: MIT */
/* What a program writes itself, without the library: parts of JSON, and Events. */
#include "exchange.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int32_t append_format(rebal_text *out, const char *format, ...) {
  char text[1001];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return rebal_text_append(out, text, strlen(text), NULL);
}

int32_t append_quoted(rebal_text *out, const char *text) {
  int32_t code = rebal_text_append(out, "\"", 1, NULL);
  for (; code == REBAL_OK && *text != '\0'; text++) {
    const unsigned char byte = (unsigned char)*text;
    code = byte == '"' || byte == '\\' || byte < ' ' ? append_format(out, "\\u%04x", byte)
                                                     : rebal_text_append(out, text, 1, NULL);
  }
  return code == REBAL_OK ? rebal_text_append(out, "\"", 1, NULL) : code;
}

static int32_t write_event(const struct subject *subject, const char *program, bool is_warning, const char *reason,
                           const char *message, rebal_text *out) {
  const int len = (int)strcspn(subject->name, "/");
  const char *name = subject->name + len + 1;
  const rebal_time now = time_now(), whole = {now.seconds, 0, 1};
  char moment[64];
  size_t moment_len;
  int32_t code;
  (void)rebal_time_format(&whole, moment, sizeof moment, &moment_len, NULL);
  code = append_format(out,
                       "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"%s.%016llx\",\"namespace\":"
                       "\"%.*s\"},\"involvedObject\":{\"apiVersion\":\"v1\",\"kind\":\"%s\",\"namespace\":\"%.*s\","
                       "\"name\":\"%s\",\"uid\":\"%s\"},",
                       name, (unsigned long long)nanoseconds_of(&now), len, subject->name, subject->kind, len,
                       subject->name, name, subject->uid);
  if (code == REBAL_OK) {
    code = append_format(out,
                         "\"source\":{\"component\":\"%s\"},\"type\":\"%s\",\"reason\":\"%s\",\"count\":1,"
                         "\"firstTimestamp\":\"%s\",\"lastTimestamp\":\"%s\",\"message\":",
                         program, is_warning ? "Warning" : "Normal", reason, moment, moment);
  }
  code = code == REBAL_OK ? append_quoted(out, message) : code;
  return code == REBAL_OK ? append_format(out, "}") : code;
}

void client_report(struct client *client, const struct subject *subject, bool is_warning, const char *reason,
                   const char *message) {
  rebal_text *body = NULL;
  struct answer answer = {0, NULL};
  char path[600];
  say("%s: %s", reason, message);
  (void)snprintf(path, sizeof path, "/api/v1/namespaces/%.*s/events", (int)strcspn(subject->name, "/"), subject->name);
  if (rebal_text_new(&body, NULL) == REBAL_OK &&
      write_event(subject, client->options.name, is_warning, reason, message, body) == REBAL_OK &&
      client_request(client, "POST", path, rebal_text_bytes(body, NULL), &answer) && answer.status != 201) {
    say_refused("Event", subject->name, answer.status, rebal_text_bytes(answer.body, NULL));
  }
  rebal_text_free(answer.body);
  rebal_text_free(body);
}
