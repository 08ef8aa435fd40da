/* SPDX-License-Identifier: MIT */
/* The parts of a request for an action, except the body. */
#include "manifest/store/requests.h"

#include <string.h>

static const struct {
  int64_t kind;
  const char *method;
  const char *subresource;
  int is_collection; /* the object's name is not in the path */
  int has_manager;   /* the field manager is in the query */
} methods[] = {
    {REBAL_ACTION_KIND_READ, "GET", "", 0, 0},
    {REBAL_ACTION_KIND_LIST, "GET", "", 1, 0},
    {REBAL_ACTION_KIND_PATCH_SPEC, "PATCH", "", 0, 1},
    {REBAL_ACTION_KIND_PATCH_STATUS, "PATCH", "status", 0, 1},
    {REBAL_ACTION_KIND_PATCH_METADATA, "PATCH", "", 0, 1},
    {REBAL_ACTION_KIND_CREATE, "POST", "", 1, 1},
    {REBAL_ACTION_KIND_DELETE, "DELETE", "", 0, 0},
    {REBAL_ACTION_KIND_EVICT, "POST", "eviction", 0, 1},
    {REBAL_ACTION_KIND_EVENT, "POST", "", 1, 1},
    {REBAL_ACTION_KIND_SCALE, "PATCH", "scale", 0, 1},
};

/* Returns the type of a patch written as JSON; other bodies are objects. */
static const char *patch_type(const struct rebali_action_row *action, uint32_t format) {
  if (format == REBAL_TEXT_FORMAT_JSON_PATCH) {
    return "application/json-patch+json";
  }
  return action->payload_object == REBAL_OBJECT_POD_PATCH ? "application/strategic-merge-patch+json"
                                                          : "application/merge-patch+json";
}

static const char *content_type(const struct rebali_action_row *action, const char *method, uint32_t format) {
  if (strcmp(method, "GET") == 0) {
    return "";
  }
  if (format == REBAL_TEXT_FORMAT_YAML) {
    return "application/yaml";
  }
  return strcmp(method, "PATCH") == 0 ? patch_type(action, format) : "application/json";
}

/* An event is an object of its own, in the namespace of the object it is about. */
static struct rebali_url url_of(const struct rebali_action_row *action, const char *subresource, int is_collection) {
  struct rebali_url url = {action->api_version, action->object_kind, action->namespace_,
                           is_collection ? "" : action->name, subresource};
  if (action->kind == REBAL_ACTION_KIND_EVENT) {
    url.api_version = "v1";
    url.kind = "Event";
    url.namespace_ = action->namespace_[0] != '\0' ? action->namespace_ : REBALI_DEFAULT_NAMESPACE;
  }
  return url;
}

int32_t rebali_action_request(const rebal_store *store, const struct rebali_action_row *action,
                              const rebal_render_opts *opts, struct rebali_buffer *out, rebal_request *request,
                              rebal_error *err) {
  struct rebali_query query = {0};
  request->method = request->content_type = "";
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    const struct rebali_url url = url_of(action, methods[i].subresource, methods[i].is_collection);
    int32_t result;
    if (methods[i].kind != action->kind) {
      continue;
    }
    result = rebali_url_path(store, &url, out, err);
    if (result == REBAL_OK && methods[i].has_manager) {
      rebali_url_query(out, &query, "fieldManager", opts->field_manager, (size_t)opts->field_manager_len);
    }
    request->method = methods[i].method;
    request->content_type = content_type(action, methods[i].method, opts->format);
    return result;
  }
  return REBAL_OK;
}
