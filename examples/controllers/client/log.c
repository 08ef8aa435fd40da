/* SPDX-License-Identifier: MIT */
/* The monotonic clock, and lines on standard error. */
#include "client.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int64_t now_in_milliseconds(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void say(const char *format, ...) {
  const time_t now = time(NULL);
  struct tm parts;
  char at[32];
  va_list arguments;
  (void)strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
  (void)fprintf(stderr, "%s ", at);
  va_start(arguments, format);
  (void)vfprintf(stderr, format, arguments);
  va_end(arguments);
  (void)fputc('\n', stderr);
}

void log_once(struct logged *logged, const char *text) {
  char last[sizeof logged->text];
  (void)snprintf(last, sizeof last, "%s", logged->text);
  (void)snprintf(logged->text, sizeof logged->text, "%s", text);
  if (logged->text[0] != '\0' && strcmp(logged->text, last) != 0) {
    say("%s", logged->text);
  } else if (logged->text[0] == '\0' && last[0] != '\0') {
    say("no more: %s", last);
  }
}
