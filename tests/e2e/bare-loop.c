/* SPDX-License-Identifier: MIT */
/*
 * bare-loop: sends requests through the client of the example controllers and decides nothing, to compare with.
 *
 *     bare-loop [OPTION]... --requests FILE   (--help lists them)
 *
 * FILE has a line for each request: key, method, path, content type and body, with tabs between them. As many are under
 * way as of a controller, those with the same key one after the other. Prints the seconds that passed from the first
 * request to the last answer, and how many answers were not 2xx.
 */
#include "client/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_IN_FLIGHT 32

enum part { KEY, METHOD, PATH, CONTENT_TYPE, BODY, PARTS };

struct line {
  char *parts[PARTS];
  bool is_sent;
};

struct loop {
  struct client *client;
  struct line *lines;
  size_t n, n_failed;
  struct exchange slots[MAX_IN_FLIGHT];
};

/* Splits the text, which it takes, into lines. */
static bool split(struct loop *loop, char *text) {
  size_t n = 0;
  for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
    n++;
  }
  loop->lines = calloc(n + 1, sizeof *loop->lines);
  for (char *rest = text, *line; loop->lines != NULL && loop->n < n && (line = strsep(&rest, "\n")) != NULL;
       loop->n++) {
    for (size_t part = 0; part < PARTS; part++) {
      loop->lines[loop->n].parts[part] = strsep(&line, "\t");
      if (loop->lines[loop->n].parts[part] == NULL) {
        return false;
      }
    }
  }
  return loop->lines != NULL;
}

static struct exchange *slot_for(struct loop *loop, size_t i) {
  struct exchange *free_slot = NULL;
  for (size_t slot = 0; slot < MAX_IN_FLIGHT; slot++) {
    if (loop->slots[slot].easy == NULL) {
      free_slot = &loop->slots[slot];
    } else if (strcmp(loop->lines[loop->slots[slot].action].parts[KEY], loop->lines[i].parts[KEY]) == 0) {
      return NULL;
    }
  }
  return free_slot;
}

static bool send_line(struct loop *loop, struct exchange *slot, size_t i) {
  char **parts = loop->lines[i].parts;
  slot->action = i;
  rebal_text_reset(slot->answer);
  slot->headers = parts[BODY][0] != '\0' ? add_header(NULL, "Content-Type", parts[CONTENT_TYPE]) : NULL;
  if (!exchange_start(loop->client, slot, parts[PATH])) {
    return false;
  }
  exchange_set_body(slot, parts[METHOD], parts[BODY], strlen(parts[BODY]));
  return true;
}

static size_t take_answers(struct loop *loop) {
  size_t in_flight = 0;
  for (size_t i = 0; i < MAX_IN_FLIGHT; i++) {
    struct exchange *slot = &loop->slots[i];
    if (slot->easy != NULL && slot->is_done) {
      if (slot->status / 100 != 2 && loop->n_failed++ < 10) {
        say("%s: %d %s", loop->lines[slot->action].parts[PATH], (int)slot->status,
            rebal_text_bytes(slot->answer, NULL));
      }
      exchange_finish(loop->client, slot);
    }
    in_flight += slot->easy != NULL;
  }
  return in_flight;
}

static bool send_all(struct loop *loop) {
  size_t first = 0, in_flight = 0;
  while (first < loop->n || in_flight > 0) {
    for (size_t i = first; i < loop->n && i < first + 4 * MAX_IN_FLIGHT; i++) {
      struct exchange *slot = loop->lines[i].is_sent ? NULL : slot_for(loop, i);
      if (slot != NULL) {
        loop->lines[i].is_sent = true;
        if (!send_line(loop, slot, i)) {
          return false;
        }
      }
    }
    while (first < loop->n && loop->lines[first].is_sent) {
      first++;
    }
    if (!client_turn(loop->client, 1000)) {
      return false;
    }
    in_flight = take_answers(loop);
  }
  return true;
}

int main(int argc, char **argv) {
  struct client_options options = {.name = "bare-loop"};
  struct loop loop = {.client = NULL};
  const char *path = "";
  const struct flag flags[] = {{"requests", "FILE", "what to send", FLAG_TEXT, &path}};
  bool is_fine = options_read(&options, flags, 1, argc, argv) && client_open(&loop.client, &options);
  char *text = is_fine ? read_whole_file(path) : NULL;
  int64_t begin;
  is_fine = text != NULL && split(&loop, text);
  for (size_t i = 0; i < MAX_IN_FLIGHT && is_fine; i++) {
    is_fine = rebal_text_new(&loop.slots[i].answer, NULL) == REBAL_OK;
  }
  begin = now_in_milliseconds();
  is_fine = is_fine && send_all(&loop);
  (void)printf("%.3f %zu\n", (double)(now_in_milliseconds() - begin) / 1000, loop.n_failed);
  for (size_t i = 0; i < MAX_IN_FLIGHT; i++) {
    rebal_text_free(loop.slots[i].answer);
  }
  free(loop.lines);
  free(text);
  if (loop.client != NULL) {
    client_close(loop.client);
  }
  return is_fine && loop.n_failed == 0 ? 0 : 1;
}
