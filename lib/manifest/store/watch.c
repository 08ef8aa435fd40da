/* SPDX-License-Identifier: MIT */
/* Lists and watches an API server: determines the next request, and processes its answer. */
#include "manifest/store/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SIZE 500u
#define TIMEOUT_SECONDS 300u
#define TEXT_MAX 65536u /* bytes of a selector or name */

/* ---- new and free ---- */

enum { TEXTS = 5 };

struct watch_text {
  const char *bytes;
  size_t len;
  const char *what;
};

static int32_t check_text(struct watch_text *text, rebal_error *err) {
  const int32_t result = rebali_take_text(&text->bytes, &text->len, text->what, err);
  if (result != REBAL_OK) {
    return result;
  }
  if (text->len > TEXT_MAX) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "%s of more than %u bytes", text->what, TEXT_MAX);
  }
  return text->len > 0 && memchr(text->bytes, '\0', text->len) != NULL
             ? rebali_fail(err, REBAL_EINVAL, -1, "%s holds NUL", text->what)
             : REBAL_OK;
}

static char *append(char *at, const char *bytes, size_t len) {
  if (len > 0) {
    memcpy(at, bytes, len);
  }
  at[len] = '\0';
  return at + len + 1;
}

/* Copies the texts into one block, and the kind with its group. */
static int32_t copy_texts(rebal_watch *watch, const struct watch_text *texts, rebal_error *err) {
  const char **const members[TEXTS] = {&watch->api_version, &watch->kind, &watch->namespace_, &watch->label_selector,
                                       &watch->field_selector};
  size_t size = texts[0].len + texts[1].len + 2;
  char *at;
  for (size_t i = 0; i < TEXTS; i++) {
    size += texts[i].len + 1;
  }
  at = watch->block = malloc(size);
  if (at == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < TEXTS; i++) {
    *members[i] = at;
    at = append(at, texts[i].bytes, texts[i].len);
  }
  watch->kind_and_group = at;
  at = append(at, texts[1].bytes, texts[1].len) - 1;
  *at++ = '.';
  (void)append(at, watch->api_version, rebali_group_len(watch->api_version));
  return REBAL_OK;
}

/* Discards the state of an earlier answer. */
static void begin_answer(rebal_watch *watch) {
  static const rebal_error none = REBAL_ERROR_INIT;
  rebali_buffer_clear(&watch->buffer);
  watch->is_over = 0;
  watch->status = 0;
  watch->failure = none;
}

static int32_t new_watch(rebal_store *store, const struct watch_text *texts, const rebal_watch_opts *opts,
                         rebal_watch **out, rebal_error *err) {
  rebal_watch *watch = calloc(1, sizeof *watch);
  int32_t result;
  if (watch == NULL) {
    return rebali_fail_memory(err);
  }
  watch->store = store;
  watch->page_size = opts->page_size != 0 ? opts->page_size : PAGE_SIZE;
  watch->timeout_seconds = opts->timeout_seconds != 0 ? opts->timeout_seconds : TIMEOUT_SECONDS;
  begin_answer(watch);
  result = copy_texts(watch, texts, err);
  if (result != REBAL_OK) {
    rebal_watch_free(watch);
    return result;
  }
  *out = watch;
  return REBAL_OK;
}

int32_t rebal_watch_new(rebal_store *store, const char *api_version, size_t api_version_len, const char *kind,
                        size_t kind_len, const rebal_watch_opts *opts, rebal_watch **out, rebal_error *err) {
  rebal_watch_opts loaded;
  int32_t result = rebali_options_load(&loaded, sizeof loaded, sizeof loaded, opts, err);
  struct watch_text texts[TEXTS] = {{api_version, api_version_len, "api_version"}, {kind, kind_len, "kind"}};
  if (store == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store and out are needed");
  }
  if (result == REBAL_OK && loaded.reserved0 != 0) {
    result = rebali_fail(err, REBAL_EINVAL, -1, "opts: reserved0 is not 0");
  }
  if (result != REBAL_OK) {
    return result;
  }
  texts[2] = (struct watch_text){loaded.namespace_, rebali_text_len(loaded.namespace_len), "namespace_"};
  texts[3] = (struct watch_text){loaded.label_selector, rebali_text_len(loaded.label_selector_len), "label_selector"};
  texts[4] = (struct watch_text){loaded.field_selector, rebali_text_len(loaded.field_selector_len), "field_selector"};
  for (size_t i = 0; i < TEXTS; i++) {
    result = check_text(&texts[i], err);
    if (result != REBAL_OK) {
      return result;
    }
  }
  if (texts[0].len == 0 || texts[1].len == 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "api_version and kind are needed");
  }
  return new_watch(store, texts, &loaded, out, err);
}

void rebal_watch_free(rebal_watch *watch) {
  if (watch == NULL) {
    return;
  }
  free(watch->block);
  free(watch->given.words);
  free(watch->listed.words);
  rebali_buffer_dispose(&watch->version);
  rebali_buffer_dispose(&watch->token);
  rebali_buffer_dispose(&watch->buffer);
  free(watch);
}

int32_t rebal_watch_is_synced(const rebal_watch *watch) {
  return watch != NULL && watch->is_synced;
}

int32_t rebali_watch_set(struct rebali_buffer *text, const char *value, rebal_error *err) {
  const size_t len = strlen(value);
  if (rebali_buffer_reserve(text, len) == NULL) {
    text->failed = 0;
    return rebali_fail_memory(err);
  }
  rebali_buffer_clear(text);
  rebali_buffer_append(text, value, len);
  return REBAL_OK;
}

/* ---- the next request ---- */

static void add_number(struct rebali_buffer *out, struct rebali_query *query, const char *name, uint32_t number) {
  char text[16];
  const int len = snprintf(text, sizeof text, "%" PRIu32, number);
  rebali_url_query(out, query, name, text, (size_t)len);
}

static void add_text(struct rebali_buffer *out, struct rebali_query *query, const char *name, const char *text) {
  rebali_url_query(out, query, name, text, strlen(text));
}

static void add_query(const rebal_watch *watch, struct rebali_buffer *out) {
  struct rebali_query query = {0};
  if (watch->phase == REBALI_WATCH_EVENTS) {
    add_text(out, &query, "watch", "1");
    rebali_url_query(out, &query, "resourceVersion", watch->version.bytes, watch->version.len);
    add_text(out, &query, "allowWatchBookmarks", "true");
    add_number(out, &query, "timeoutSeconds", watch->timeout_seconds);
  } else {
    add_number(out, &query, "limit", watch->page_size);
    rebali_url_query(out, &query, "continue", watch->token.bytes, watch->token.len);
  }
  add_text(out, &query, "labelSelector", watch->label_selector);
  add_text(out, &query, "fieldSelector", watch->field_selector);
}

int32_t rebal_watch_request(rebal_watch *watch, rebal_text *out, rebal_error *err) {
  struct rebali_buffer path = REBALI_BUFFER;
  struct rebali_url url = {NULL, NULL, NULL, "", ""};
  const struct rebali_resource *resource;
  int32_t result;
  if (watch == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "watch and out are needed");
  }
  url.api_version = watch->api_version;
  url.kind = watch->kind;
  url.namespace_ = watch->namespace_;
  resource = rebali_resource_find(watch->store, watch->api_version, watch->kind);
  if (resource != NULL && !resource->is_namespaced && watch->namespace_[0] != '\0') {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s has no namespaces", watch->kind);
  }
  result = rebali_url_path(watch->store, &url, &path, err);
  if (result == REBAL_OK) {
    add_query(watch, &path);
    result = path.failed ? rebali_fail_memory(err) : rebal_text_append(out, path.bytes, path.len, err);
  }
  if (result == REBAL_OK) {
    begin_answer(watch);
  }
  rebali_buffer_dispose(&path);
  return result;
}

/* ---- bytes of the answer ---- */

/* The answer failed: the rest of it is not read. */
static void give_up(rebal_watch *watch, const rebal_error *why) {
  watch->failure = *why;
  watch->is_over = 1;
}

/* Checks that len more bytes fit after the kept ones. */
static int32_t check_size(const rebal_watch *watch, size_t len, rebal_error *err) {
  const size_t limit = watch->store->limits.bytes;
  if (len <= limit && watch->buffer.len <= limit - len) {
    return REBAL_OK;
  }
  return rebali_fail(err, REBAL_ELIMIT, -1, "%s of more than %zu bytes",
                     watch->phase == REBALI_WATCH_EVENTS ? "an event" : "a page of a list", limit);
}

static int32_t keep_bytes(rebal_watch *watch, const char *bytes, size_t len, rebal_error *err) {
  const int32_t result = check_size(watch, len, err);
  if (result != REBAL_OK) {
    return result;
  }
  rebali_buffer_append(&watch->buffer, bytes, len);
  return watch->buffer.failed ? rebali_fail_memory(err) : REBAL_OK;
}

/* Takes the next line, or its beginning; *used counts its bytes. */
static int32_t take_line(rebal_watch *watch, const char *bytes, size_t len, size_t *used, int *is_refused,
                         rebal_error *err) {
  const char *end = memchr(bytes, '\n', len);
  int32_t result;
  *used = end != NULL ? (size_t)(end - bytes) + 1 : len;
  *is_refused = 0;
  if (end != NULL && watch->buffer.len == 0) { /* whole: read in place */
    result = check_size(watch, *used, err);
    return result == REBAL_OK ? rebali_watch_take_event(watch, bytes, *used, is_refused, err) : result;
  }
  result = keep_bytes(watch, bytes, *used, err);
  if (result == REBAL_OK && end != NULL) {
    result = rebali_watch_take_event(watch, watch->buffer.bytes, watch->buffer.len, is_refused, err);
    rebali_buffer_clear(&watch->buffer);
  }
  return result;
}

int32_t rebal_watch_feed(rebal_watch *watch, const char *bytes, size_t len, rebal_error *err) {
  int32_t answer = rebali_take_stream(&bytes, &len, "bytes", err);
  if (answer == REBAL_OK && watch == NULL) {
    answer = rebali_fail(err, REBAL_EINVAL, -1, "watch is needed");
  }
  if (answer != REBAL_OK) {
    return answer;
  }
  while (len > 0 && !watch->is_over) {
    rebal_error why = REBAL_ERROR_INIT;
    size_t used = len;
    int is_refused = 0;
    const int32_t result = watch->phase == REBALI_WATCH_EVENTS ? take_line(watch, bytes, len, &used, &is_refused, &why)
                                                               : keep_bytes(watch, bytes, len, &why);
    if (result != REBAL_OK && !is_refused) {
      give_up(watch, &why);
    }
    if (result != REBAL_OK && answer == REBAL_OK) { /* the first error; rebal_watch_end() reports one that ends the
                                                       answer */
      answer = rebali_fail(err, result, -1, "%s", why.message);
      rebali_fail_field(err, why.field);
    }
    bytes += used;
    len -= used;
  }
  return answer;
}

/* ---- the end of the answer ---- */

enum outcome { DONE, GONE, BUSY, REFUSED, BROKEN };

/*
 * The transition after an answer, by phase and outcome. A list that ends well continues with its next page or with
 * events, as decided when its pages are read.
 */
static const struct {
  enum rebali_watch_phase next;
  int is_failure; /* the caller waits before the next request */
} moves[3][5] = {
    /* done, gone (410), busy (429, 5xx, no answer), refused (4xx), broken */
    {{REBALI_WATCH_LIST, 0},
     {REBALI_WATCH_LIST, 1},
     {REBALI_WATCH_LIST, 1},
     {REBALI_WATCH_LIST, 1},
     {REBALI_WATCH_LIST, 1}},
    {{REBALI_WATCH_PAGE, 0},
     {REBALI_WATCH_LIST, 0},
     {REBALI_WATCH_PAGE, 1},
     {REBALI_WATCH_LIST, 1},
     {REBALI_WATCH_PAGE, 1}},
    {{REBALI_WATCH_EVENTS, 0},
     {REBALI_WATCH_LIST, 0},
     {REBALI_WATCH_EVENTS, 1},
     {REBALI_WATCH_LIST, 1},
     {REBALI_WATCH_EVENTS, 1}},
};

static enum outcome outcome_of(int64_t status) {
  if (status >= 200 && status < 300) {
    return DONE;
  }
  if (status == 410) {
    return GONE;
  }
  return status <= 0 || status == 408 || status == 429 || status >= 500 ? BUSY : REFUSED;
}

/* The body of an unsuccessful answer may have details. */
static void read_status(rebal_watch *watch) {
  json_t *document = NULL;
  if (rebali_watch_read(watch, watch->buffer.bytes, watch->buffer.len, NULL, NULL, &document, NULL) == REBAL_OK) {
    rebali_watch_note_status(watch, document);
    json_decref(document);
  }
}

/* Determines the outcome of the answer; its status may be in its body. */
static enum outcome settle(rebal_watch *watch, int32_t http_status, rebal_error *refusal, int64_t *status) {
  rebal_error why = REBAL_ERROR_INIT;
  const int is_success = outcome_of(http_status) == DONE;
  if (!is_success && watch->status == 0) {
    read_status(watch);
  } else if (is_success && !watch->is_over && watch->phase != REBALI_WATCH_EVENTS &&
             rebali_watch_take_page(watch, refusal, &why) != REBAL_OK) {
    give_up(watch, &why);
  }
  *status = watch->status != 0 && (is_success || watch->status == 410) ? watch->status : http_status;
  return is_success && watch->is_over && watch->status == 0 ? BROKEN : outcome_of(*status);
}

static void move(rebal_watch *watch, enum rebali_watch_phase next) {
  if (next == REBALI_WATCH_LIST) {
    rebali_id_set_clear(&watch->listed);
    rebali_buffer_clear(&watch->token);
  }
  watch->phase = next;
}

static void turn_page(rebal_watch *watch) {
  if (watch->token.len > 0) {
    watch->phase = REBALI_WATCH_PAGE;
    return;
  }
  rebali_watch_remove_missing(watch);
  rebali_buffer_dispose(&watch->buffer); /* a page is large, an event small */
  watch->phase = REBALI_WATCH_EVENTS;
  watch->is_synced = 1;
}

int32_t rebal_watch_end(rebal_watch *watch, int32_t http_status, rebal_error *err) {
  rebal_error refusal = REBAL_ERROR_INIT;
  enum outcome outcome;
  int64_t status;
  int32_t result = REBAL_OK;
  int is_page;
  if (watch == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "watch is needed");
  }
  outcome = settle(watch, http_status, &refusal, &status);
  is_page = watch->phase != REBALI_WATCH_EVENTS;
  if (outcome == BROKEN) {
    result = rebali_fail(err, watch->failure.code, -1, "%s", watch->failure.message);
  } else if (moves[watch->phase][outcome].is_failure) {
    result = rebali_fail(err, REBAL_EAGAIN, -1, "HTTP status %" PRId64 "%s%s", status, watch->status != 0 ? ": " : "",
                         watch->status != 0 ? watch->failure.message : "");
  } else if (refusal.code != REBAL_OK) {
    result = rebali_fail(err, refusal.code, -1, "%s", refusal.message);
    rebali_fail_field(err, refusal.field);
  }
  if (is_page && outcome == DONE) {
    turn_page(watch);
  } else {
    move(watch, moves[watch->phase][outcome].next);
  }
  begin_answer(watch);
  return result;
}
