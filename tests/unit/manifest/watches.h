/* SPDX-License-Identifier: MIT */
/* Shared by the tests of watches: a server's answers, and what the store holds of them. */
#ifndef WATCHES_H
#define WATCHES_H

#include "manifest/store/requests.h"
#include "stores.h"

#include <stdio.h>

#define POD(name, version) \
  "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"x\",\"resourceVersion\":\"" version "\"}}"
#define PAGE(version, token, items)                                                          \
  "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" version \
  "\",\"continue\":"                                                                         \
  "\"" token "\"},\"items\":[" items "]}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define STATUS(code, reason) \
  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"message\":\"no luck\",\"reason\":\"" reason "\",\"code\":" code "}"

static inline rebal_watch *watch_of(rebal_store *store, const char *api_version, const char *kind,
                                    const char *namespace_, const char *labels) {
  rebal_watch_opts opts = {.struct_size = sizeof opts};
  rebal_watch *watch = NULL;
  opts.namespace_ = namespace_;
  opts.namespace_len = strlen(namespace_);
  opts.label_selector = labels;
  opts.label_selector_len = strlen(labels);
  ck_assert_int_eq(rebal_watch_new(store, api_version, strlen(api_version), kind, strlen(kind), &opts, &watch, NULL),
                   REBAL_OK);
  return watch;
}

static inline void assert_request(rebal_watch *watch, const char *wanted) {
  rebal_text *text = NULL;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_watch_request(watch, text, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), wanted);
  rebal_text_free(text);
}

/* Each object as name=resourceVersion, a space between. */
static inline void assert_store(const rebal_store *store, const char *wanted) {
  char found[1024] = "";
  size_t used = 0;
  for (uint32_t object = rebal_store_next(store, "", 0, REBAL_NONE); object != REBAL_NONE;
       object = rebal_store_next(store, "", 0, object)) {
    json_t *tree = NULL;
    ck_assert_int_eq(rebali_store_open(store, object, &tree, NULL), REBAL_OK);
    used +=
        (size_t)snprintf(found + used, sizeof found - used, "%s%s=%s", used > 0 ? " " : "", store->objects[object].name,
                         rebali_member_text(rebali_member(tree, "metadata"), "resourceVersion"));
    json_decref(tree);
  }
  ck_assert_str_eq(found, wanted);
}

static inline int32_t feed(rebal_watch *watch, const char *bytes) {
  return rebal_watch_feed(watch, bytes, strlen(bytes), NULL);
}

/* A whole answer. */
static inline int32_t answer(rebal_watch *watch, int32_t status, const char *body) {
  const int32_t fed = feed(watch, body), ended = rebal_watch_end(watch, status, NULL);
  return fed != REBAL_OK ? fed : ended;
}

#endif
