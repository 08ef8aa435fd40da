/* SPDX-License-Identifier: MIT */
/*
 * Shows on a terminal which work is in progress and for how long. A timer draws the line, since library calls take as
 * long as they take; work of less than half a second is never shown.
 */
#include "rebalancectl.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define LINE 72             /* characters, with the seconds below the width of a terminal */
#define TICK_US 500000      /* also the delay before the first drawing */
#define TICKS_OF_A_SECOND 2 /* of this length */

/* The signal handler reads the current line while the other one is written. */
static char lines[2][LINE + 1];
static volatile sig_atomic_t current, is_shown, is_hidden, ticks;
static int is_on;

static void write_terminal(const char *bytes, size_t len) {
  const ssize_t written = write(STDERR_FILENO, bytes, len);
  (void)written; /* errors of the terminal are ignored */
}

/* Calls only async-signal-safe functions. */
static void draw(int number) {
  const int before = errno;
  const char *text = lines[current];
  char bytes[LINE + 64], digits[16];
  size_t len = 0, n = 0;
  (void)number;
  ticks++;
  if (is_hidden || text[0] == '\0') {
    return;
  }
  bytes[len++] = '\r';
  memcpy(bytes + len, text, strlen(text));
  len += strlen(text);
  bytes[len++] = ' ';
  for (int seconds = (int)ticks / TICKS_OF_A_SECOND; seconds > 0 || n == 0; seconds /= 10) {
    digits[n++] = (char)('0' + seconds % 10);
  }
  while (n > 0) {
    bytes[len++] = digits[--n];
  }
  memcpy(bytes + len, " s\033[K", 5);
  write_terminal(bytes, len + 5);
  is_shown = 1;
  errno = before;
}

static void set_timer(int32_t microseconds) {
  const struct itimerval timer = {{0, microseconds}, {0, microseconds}};
  (void)setitimer(ITIMER_REAL, &timer, NULL);
}

void progress_start(void) {
  const char *terminal = getenv("TERM");
  struct sigaction action;
  if (!isatty(STDERR_FILENO) || terminal == NULL || strcmp(terminal, "dumb") == 0) {
    return;
  }
  memset(&action, 0, sizeof action);
  action.sa_handler = draw;
  action.sa_flags = SA_RESTART;
  is_on = sigemptyset(&action.sa_mask) == 0 && sigaction(SIGALRM, &action, NULL) == 0;
  if (is_on) {
    set_timer(TICK_US);
  }
}

void progress(const char *format, ...) {
  char *line = lines[!current];
  va_list arguments;
  if (!is_on) {
    return;
  }
  va_start(arguments, format);
  (void)vsnprintf(line, LINE + 1, format, arguments);
  va_end(arguments);
  for (; *line != '\0'; line++) {
    *line = *line < ' ' || *line > '~' ? '?' : *line;
  }
  current = !current;
}

void progress_hide(void) {
  is_hidden = 1;
  if (is_shown) {
    is_shown = 0;
    write_terminal("\r\033[K", 4);
  }
}

void progress_show(void) {
  is_hidden = 0;
}

void progress_stop(void) {
  if (is_on) {
    set_timer(0); /* the handler stays: a signal may be pending */
    progress_hide();
    is_on = 0;
  }
}
