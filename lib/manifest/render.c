/* SPDX-License-Identifier: MIT */
/* The bodies that actions send to an API server. */
#include "manifest.h"

#include <string.h>

static int32_t add_operation(json_t *list, const char *operation, const char *path, json_t *value, rebal_error *err) {
  json_t *entry = json_pack("{s:s, s:s, s:o}", "op", operation, "path", path, "value", value);
  return json_array_append_new(list, entry) == 0 ? REBAL_OK : rebali_manifest_fail_memory(err);
}

/* A path with one more step, ~ and / escaped (RFC 6901). */
static void append_step(struct rebali_output *path, const char *key) {
  rebali_output_text(path, "/");
  for (; *key != '\0'; key++) {
    if (*key == '~' || *key == '/') {
      rebali_output_text(path, *key == '~' ? "~0" : "~1");
    } else {
      rebali_output_append(path, key, 1);
    }
  }
}

/* An add for each member that is no map; path is cut back to where it was. */
static int32_t add_members(json_t *list, const json_t *map, struct rebali_output *path, rebal_error *err) {
  const size_t len = path->len;
  const char *key;
  json_t *value;
  int32_t result = REBAL_OK;
  json_object_foreach((json_t *)(uintptr_t)map, key, value) {
    append_step(path, key);
    if (path->failed) {
      return rebali_manifest_fail_memory(err);
    }
    if (rebali_is_map(value)) {
      result = add_members(list, value, path, err);
    } else {
      result = add_operation(list, "add", path->bytes, json_incref(value), err);
    }
    path->len = len;
    path->bytes[len] = '\0';
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}

static const struct {
  const char *key;
  const char *path;
} preconditions[] = {{"uid", "/metadata/uid"}, {"resourceVersion", "/metadata/resourceVersion"}};

static const char *precondition(const struct rebali_action *action, size_t i) {
  return i == 0 ? action->uid : action->resource_version;
}

static int32_t make_json_patch(const struct rebali_action *action, const json_t *patch, json_t **out,
                               rebal_error *err) {
  struct rebali_output path = {NULL, 0, 0, 0};
  json_t *list = json_array();
  int32_t result = list != NULL ? REBAL_OK : rebali_manifest_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < 2; i++) {
    if (precondition(action, i)[0] != '\0') {
      result = add_operation(list, "test", preconditions[i].path, json_string_nocheck(precondition(action, i)), err);
    }
  }
  if (result == REBAL_OK && action->payload_object == REBAL_OBJECT_REBALANCER_STATUS) {
    /* Written whole, which also works when there is no status yet. */
    json_t *status = rebali_copy(rebali_member(patch, "status"));
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(status, next, key, value) {
      if (json_is_null(value)) {
        (void)json_object_del(status, key);
      }
    }
    result = add_operation(list, "add", "/status", status, err);
  } else if (result == REBAL_OK) {
    result = add_members(list, patch, &path, err);
  }
  rebali_output_dispose(&path);
  if (result != REBAL_OK) {
    json_decref(list);
  } else {
    *out = list;
  }
  return result;
}

/* Preconditions travel in the patch's metadata, which the server compares. */
static int32_t put_preconditions(json_t *map, const struct rebali_action *action, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < 2; i++) {
    if (precondition(action, i)[0] != '\0') {
      result = rebali_put_text(map, preconditions[i].key, precondition(action, i), err);
    }
  }
  return result;
}

static int has_preconditions(const struct rebali_action *action) {
  return action->uid[0] != '\0' || action->resource_version[0] != '\0';
}

static int32_t make_patch(const struct rebali_action *action, uint32_t format, json_t **out, rebal_error *err) {
  json_t *patch = NULL;
  int32_t result = rebali_action_patch(action, &patch, err);
  if (result != REBAL_OK) {
    return result;
  }
  if (format == REBAL_TEXT_JSON_PATCH) {
    result = make_json_patch(action, patch, out, err);
  } else if (has_preconditions(action)) {
    result = put_preconditions(rebali_map_at(patch, "metadata"), action, err);
  }
  if (format != REBAL_TEXT_JSON_PATCH && result == REBAL_OK) {
    *out = json_incref(patch);
  }
  json_decref(patch);
  return result;
}

static int32_t make_delete_options(const struct rebali_action *action, json_t **out, rebal_error *err) {
  json_t *options = json_pack("{s:s, s:s}", "kind", "DeleteOptions", "apiVersion", "v1");
  int32_t result = options != NULL ? REBAL_OK : rebali_manifest_fail_memory(err);
  if (result == REBAL_OK && has_preconditions(action)) {
    result = put_preconditions(rebali_map_at(options, "preconditions"), action, err);
  }
  if (result != REBAL_OK) {
    json_decref(options);
  } else {
    *out = options;
  }
  return result;
}

static int32_t make_eviction(const struct rebali_action *action, json_t **out, rebal_error *err) {
  json_t *eviction = json_pack("{s:s, s:s, s:{s:s, s:s}}", "apiVersion", "policy/v1", "kind", "Eviction", "metadata",
                               "name", action->name, "namespace", action->namespace_name);
  int32_t result = eviction != NULL ? REBAL_OK : rebali_manifest_fail_memory(err);
  if (result == REBAL_OK && has_preconditions(action)) {
    result = put_preconditions(rebali_map_at(rebali_map_at(eviction, "deleteOptions"), "preconditions"), action, err);
  }
  if (result != REBAL_OK) {
    json_decref(eviction);
  } else {
    *out = eviction;
  }
  return result;
}

/* *out stays NULL for actions without a body. */
static int32_t make_body(const struct rebali_action *action, uint32_t format, json_t **out, rebal_error *err) {
  switch (action->kind) {
    case REBAL_ACTION_PATCH_SPEC:
    case REBAL_ACTION_PATCH_STATUS:
    case REBAL_ACTION_PATCH_METADATA:
      return make_patch(action, format, out, err);
    case REBAL_ACTION_CREATE:
      return rebali_action_patch(action, out, err);
    case REBAL_ACTION_DELETE:
      return make_delete_options(action, out, err);
    case REBAL_ACTION_EVICT:
      return make_eviction(action, out, err);
    case REBAL_ACTION_EVENT:
      return rebali_event_new(action, out, err);
    default:
      return REBAL_OK;
  }
}

int32_t rebal_manifest_render_action(const rebal_result *result, size_t action, uint32_t format, rebal_text *out,
                                     rebal_error *err) {
  struct rebali_action loaded;
  json_t *body = NULL;
  int32_t code;
  if (result == NULL || out == NULL) {
    return rebali_manifest_fail(err, REBAL_EINVAL, "result and out are needed");
  }
  code = rebali_action_load(result, action, &loaded, err);
  if (code == REBAL_OK) {
    code = make_body(&loaded, format, &body, err);
  }
  if (code == REBAL_OK && body != NULL) {
    code = rebali_tree_write(body, format, out, err);
  }
  json_decref(body);
  return code;
}
