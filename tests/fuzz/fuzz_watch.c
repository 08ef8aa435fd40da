/* SPDX-License-Identifier: MIT */
/*
 * Any answers of an API server. The first byte selects what is watched; then answers follow, each after a byte that is
 * its status, up to the next byte 0x1e. However the bytes are cut, codes, requests and store are the same.
 */
#include "law.h"

#include <rebalance/watch.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define END 0x1e

static const struct {
  const char *api_version, *kind, *namespace_, *selector;
} watched[] = {
    {"v1", "Pod", "", ""},
    {"v1", "Pod", "x", "app=web"},
    {"cluster.karmada.io/v1alpha1", "Cluster", "", ""},
    {"work.karmada.io/v1alpha2", "ResourceBinding", "x", ""},
};

static const int32_t statuses[] = {200, 200, 200, 410, 0, 429, 503, 404};

static rebal_watch *watch_new(rebal_store *store, uint8_t choice) {
  const size_t i = choice % (sizeof watched / sizeof watched[0]);
  rebal_watch_opts opts = {.struct_size = sizeof opts, .page_size = 2};
  rebal_watch *watch = NULL;
  opts.namespace_ = watched[i].namespace_;
  opts.namespace_len = REBAL_TERMINATED;
  opts.label_selector = watched[i].selector;
  opts.label_selector_len = REBAL_TERMINATED;
  law(rebal_watch_new(store, watched[i].api_version, REBAL_TERMINATED, watched[i].kind, REBAL_TERMINATED, &opts, &watch,
                      NULL) == REBAL_OK);
  return watch;
}

static void note(rebal_text *story, const char *what, int32_t code) {
  const char digits[] = {(char)('0' - code / 10), (char)('0' - code % 10), ' '};
  law(rebal_text_append(story, what, REBAL_TERMINATED, NULL) == REBAL_OK);
  law(rebal_text_append(story, digits, sizeof digits, NULL) == REBAL_OK);
}

/* The first code of the pieces: the cuts decide which call returns it. */
static int32_t feed(rebal_watch *watch, const uint8_t *bytes, size_t len, size_t piece) {
  int32_t first = REBAL_OK;
  for (size_t at = 0; at < len; at += piece) {
    rebal_error err = REBAL_ERROR_INIT;
    const int32_t code = rebal_watch_feed(watch, (const char *)bytes + at, len - at < piece ? len - at : piece, &err);
    law(code == REBAL_OK || (err.code == code && err.message[0] != '\0'));
    first = first == REBAL_OK ? code : first;
  }
  return first;
}

static void take_answers(rebal_watch *watch, const uint8_t *data, size_t size, size_t piece, rebal_text *story) {
  while (size > 0) {
    const int32_t status = statuses[data[0] % (sizeof statuses / sizeof statuses[0])];
    const uint8_t *end = memchr(data + 1, END, size - 1);
    const size_t len = end != NULL ? (size_t)(end - data) - 1 : size - 1;
    const int32_t before = rebal_watch_is_synced(watch);
    law(rebal_watch_request(watch, story, NULL) == REBAL_OK);
    note(story, " fed ", feed(watch, data + 1, len, piece));
    note(story, "ended ", rebal_watch_end(watch, status, NULL));
    law(rebal_watch_is_synced(watch) >= before);
    data += len + 1;
    size -= len + 1;
    if (end != NULL) {
      data++;
      size--;
    }
  }
}

/* The outcome of all answers, cut into pieces of this many bytes. */
static rebal_text *report(const uint8_t *data, size_t size, size_t piece) {
  const rebal_manifest_limits limits = {sizeof limits, 32, 1 << 16, 20000, 2000};
  rebal_store *store = NULL;
  rebal_text *story = NULL;
  rebal_watch *watch;
  law(rebal_store_new(&limits, &store, NULL) == REBAL_OK && rebal_text_new(&story, NULL) == REBAL_OK);
  watch = watch_new(store, data[0]);
  take_answers(watch, data + 1, size - 1, piece, story);
  for (uint32_t object = rebal_store_next(store, NULL, 0, REBAL_NONE); object != REBAL_NONE;
       object = rebal_store_next(store, NULL, 0, object)) {
    law(rebal_store_write(store, object, REBAL_TEXT_FORMAT_JSON, story, NULL) == REBAL_OK);
  }
  rebal_watch_free(watch);
  rebal_store_free(store);
  return story;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const size_t pieces[] = {1, 2, 7, 100};
  rebal_text *whole;
  size_t len;
  if (size == 0) {
    return 0;
  }
  whole = report(data, size, size);
  (void)rebal_text_bytes(whole, &len);
  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
    rebal_text *cut = report(data, size, pieces[i]);
    size_t cut_len;
    (void)rebal_text_bytes(cut, &cut_len);
    law(cut_len == len && memcmp(rebal_text_bytes(cut, NULL), rebal_text_bytes(whole, NULL), len) == 0);
    rebal_text_free(cut);
  }
  rebal_text_free(whole);
  return 0;
}
