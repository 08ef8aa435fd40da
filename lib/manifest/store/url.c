/* SPDX-License-Identifier: MIT */
/* Builds paths and queries of an API server. */
#include "manifest/store/requests.h"

#include <string.h>

/* Unreserved characters of RFC 3986 are not encoded. */
static int is_unreserved(unsigned char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         (c != '\0' && strchr("-._~", c) != NULL);
}

void rebali_url_encode(struct rebali_buffer *out, const char *text, size_t len) {
  static const char digits[] = "0123456789ABCDEF";
  for (size_t i = 0; i < len; i++) {
    const unsigned char c = (unsigned char)text[i];
    const char encoded[3] = {'%', digits[c >> 4], digits[c & 15]};
    if (is_unreserved(c)) {
      rebali_buffer_append(out, text + i, 1);
    } else {
      rebali_buffer_append(out, encoded, sizeof encoded);
    }
  }
}

static void append_step(struct rebali_buffer *out, const char *text, size_t len) {
  if (len > 0) {
    rebali_buffer_text(out, "/");
    rebali_url_encode(out, text, len);
  }
}

static void append_text_step(struct rebali_buffer *out, const char *text) {
  append_step(out, text, strlen(text));
}

int32_t rebali_url_path(const rebal_store *store, const struct rebali_url *url, struct rebali_buffer *out,
                        rebal_error *err) {
  const struct rebali_resource *resource = rebali_resource_find(store, url->api_version, url->kind);
  const size_t group_len = rebali_group_len(url->api_version);
  if (resource == NULL) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "the plural of %s in %s is not known: add it to the store",
                       url->kind, url->api_version);
  }
  rebali_buffer_text(out, group_len > 0 ? "/apis" : "/api");
  append_step(out, url->api_version, group_len);
  append_text_step(out, url->api_version + (group_len > 0 ? group_len + 1 : 0));
  if (resource->is_namespaced && url->namespace_[0] != '\0') {
    rebali_buffer_text(out, "/namespaces");
    append_text_step(out, url->namespace_);
  }
  append_text_step(out, resource->plural);
  append_text_step(out, url->name);
  append_text_step(out, url->subresource);
  return REBAL_OK;
}

void rebali_url_query(struct rebali_buffer *out, struct rebali_query *query, const char *name, const char *value,
                      size_t len) {
  if (len > 0) {
    rebali_buffer_text(out, query->n++ == 0 ? "?" : "&");
    rebali_buffer_text(out, name);
    rebali_buffer_text(out, "=");
    rebali_url_encode(out, value, len);
  }
}
