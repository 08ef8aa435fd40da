/* SPDX-License-Identifier: MIT */
/* Renders the bodies that actions send to an API server. */
#include "manifest/validate/checks.h"
#include "manifest/spread/kruise.h"
#include "manifest/store/requests.h"

#include <stdio.h>
#include <string.h>

/* value NULL: none; takes ownership of it. */
static int32_t add_operation(json_t *list, const char *operation, const char *path, json_t *value, rebal_error *err) {
  json_t *entry = value != NULL ? json_pack("{s:s, s:s, s:o}", "op", operation, "path", path, "value", value)
                                : json_pack("{s:s, s:s}", "op", operation, "path", path);
  return json_array_append_new(list, entry) == 0 ? REBAL_OK : rebali_fail_memory(err);
}

/* Appends a step to a path, with ~ and / escaped (RFC 6901). */
static void append_step(struct rebali_buffer *path, const char *key) {
  rebali_buffer_text(path, "/");
  for (; *key != '\0'; key++) {
    if (*key == '~' || *key == '/') {
      rebali_buffer_text(path, *key == '~' ? "~0" : "~1");
    } else {
      rebali_buffer_append(path, key, 1);
    }
  }
}

/* Returns the value that a patch gives a missing member: the patch without its nulls. */
static json_t *without_nulls(const json_t *patch) {
  json_t *copy = rebali_is_map(patch) ? json_object() : json_incref((json_t *)(uintptr_t)patch), *value;
  const char *key;
  if (!rebali_is_map(patch)) {
    return copy;
  }
  json_object_foreach((json_t *)(uintptr_t)patch, key, value) {
    if (!json_is_null(value) && json_object_set_new_nocheck(copy, key, without_nulls(value)) != 0) {
      json_decref(copy);
      return NULL;
    }
  }
  return copy;
}

static int32_t add_value(json_t *list, const struct rebali_buffer *path, const char *operation, const json_t *value,
                         rebal_error *err) {
  json_t *whole = without_nulls(value);
  return whole != NULL ? add_operation(list, operation, path->bytes, whole, err) : rebali_fail_memory(err);
}

static void cut_path(struct rebali_buffer *path, size_t len) {
  path->len = len;
  path->bytes[len] = '\0';
}

/* Replaces one condition, after a test of it, or appends it if missing; path is that of the list. */
static int32_t add_condition(json_t *list, json_t *condition, const json_t *there, size_t at,
                             struct rebali_buffer *path, rebal_error *err) {
  json_t *type = json_object_get(condition, "type");
  char index[32];
  size_t item;
  int32_t result = REBAL_OK;
  (void)snprintf(index, sizeof index, "/%zu", at);
  rebali_buffer_text(path, there != NULL ? index : "/-");
  item = path->len;
  rebali_buffer_text(path, "/type");
  if (path->failed) {
    return rebali_fail_memory(err);
  }
  if (there != NULL && type != NULL) {
    result = add_operation(list, "test", path->bytes, json_incref(type), err);
  }
  cut_path(path, item);
  if (result == REBAL_OK) {
    result = add_operation(list, there != NULL ? "replace" : "add", path->bytes, json_incref(condition), err);
  }
  return result;
}

/* Old conditions come first, in their order. */
static int32_t add_conditions(json_t *list, const json_t *news, const json_t *olds, struct rebali_buffer *path,
                              rebal_error *err) {
  const size_t len = path->len;
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(news); i++) {
    const json_t *there = json_array_get(olds, i);
    if (there == NULL || !json_equal(there, json_array_get(news, i))) {
      result = add_condition(list, json_array_get(news, i), there, i, path, err);
      cut_path(path, len);
    }
  }
  return result;
}

static int32_t add_members(json_t *list, const json_t *patch, const json_t *before, struct rebali_buffer *path,
                           rebal_error *err);

/* Sets one member of an existing object. */
static int32_t add_member(json_t *list, const char *key, const json_t *value, const json_t *there,
                          struct rebali_buffer *path, rebal_error *err) {
  if (json_is_null(value)) {
    return there != NULL ? add_operation(list, "remove", path->bytes, NULL, err) : REBAL_OK;
  }
  if (rebali_is_map(value) && rebali_is_map(there)) {
    return add_members(list, value, there, path, err);
  }
  if (strcmp(key, "conditions") == 0 && json_is_array(value) && json_is_array(there)) {
    return add_conditions(list, value, there, path, err);
  }
  return there != NULL && json_equal(value, there) ? REBAL_OK : add_value(list, path, "add", value, err);
}

/* Sets one member of an unknown object: maps are assumed to exist, and a removed list becomes empty. */
static int32_t add_unseen_member(json_t *list, json_t *value, struct rebali_buffer *path, rebal_error *err) {
  if (rebali_is_map(value)) {
    return add_members(list, value, NULL, path, err);
  }
  return add_operation(list, "add", path->bytes, json_is_null(value) ? json_array() : json_incref(value), err);
}

/*
 * Adds the operations with the same effect on an object as merging the patch; before NULL: the object is unknown. path
 * is
 * restored.
 */
static int32_t add_members(json_t *list, const json_t *patch, const json_t *before, struct rebali_buffer *path,
                           rebal_error *err) {
  const size_t len = path->len;
  const char *key;
  json_t *value;
  int32_t result = REBAL_OK;
  json_object_foreach((json_t *)(uintptr_t)patch, key, value) {
    append_step(path, key);
    if (path->failed) {
      return rebali_fail_memory(err);
    }
    result = before != NULL ? add_member(list, key, value, json_object_get(before, key), path, err)
                            : add_unseen_member(list, value, path, err);
    cut_path(path, len);
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}

/* Adds the operations with the same effect on a pod as the strategic merge patch. */
static int32_t add_difference(json_t *list, const json_t *patch, const json_t *before, rebal_error *err) {
  json_t *patched, *difference;
  int32_t result = rebali_pod_patched(before, patch, &patched, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_json_diff(before, patched, &difference, err);
  json_decref(patched);
  if (result != REBAL_OK) {
    return result;
  }
  result = json_array_extend(list, difference) == 0 ? REBAL_OK : rebali_fail_memory(err);
  json_decref(difference);
  return result;
}

/* Returns 1 if a strategic merge patch is only texts in maps: it sets them whatever the object. */
static int is_plain(const json_t *patch) {
  json_t *walked = (json_t *)(uintptr_t)patch, *member;
  const char *key;
  json_object_foreach(walked, key, member) {
    if (*key == '$' || !is_plain(member)) {
      return 0;
    }
  }
  return json_is_object(patch) || json_is_string(patch);
}

/* Adds the operations for an unknown object. */
static int32_t add_unseen(json_t *list, const struct rebali_action_row *action, const json_t *patch,
                          struct rebali_buffer *path, rebal_error *err) {
  if (action->payload_object == REBAL_OBJECT_POD_PATCH && !is_plain(patch)) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "what the patch does depends on the pod");
  }
  if (action->payload_object == REBAL_OBJECT_REBALANCER_STATUS) {
    /* Replaced as a whole, which also works without a status. */
    rebali_buffer_text(path, "/status");
    return path->failed ? rebali_fail_memory(err) : add_value(list, path, "add", rebali_member(patch, "status"), err);
  }
  return add_members(list, patch, NULL, path, err);
}

static const struct {
  const char *key;
  const char *path;
} preconditions[] = {{"uid", "/metadata/uid"}, {"resourceVersion", "/metadata/resourceVersion"}};

static const char *precondition(const struct rebali_action_row *action, size_t i) {
  return i == 0 ? action->uid : action->resource_version;
}

/* before NULL: the object is unknown. */
static int32_t make_json_patch(const struct rebali_action_row *action, const json_t *patch, const json_t *before,
                               json_t **out, rebal_error *err) {
  struct rebali_buffer path = REBALI_BUFFER;
  json_t *list = json_array();
  int32_t result = list != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < 2; i++) {
    if (precondition(action, i)[0] != '\0') {
      result = add_operation(list, "test", preconditions[i].path, json_string_nocheck(precondition(action, i)), err);
    }
  }
  rebali_buffer_text(&path, "");
  if (result == REBAL_OK && before == NULL) {
    result = add_unseen(list, action, patch, &path, err);
  } else if (result == REBAL_OK) {
    result = action->payload_object == REBAL_OBJECT_POD_PATCH ? add_difference(list, patch, before, err)
                                                              : add_members(list, patch, before, &path, err);
  }
  rebali_buffer_dispose(&path);
  if (result != REBAL_OK) {
    json_decref(list);
  } else {
    *out = list;
  }
  return result;
}

/* Preconditions are part of the patch's metadata, which the server compares. */
static int32_t put_preconditions(json_t *map, const struct rebali_action_row *action, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < 2; i++) {
    if (precondition(action, i)[0] != '\0') {
      result = rebali_put_text(map, preconditions[i].key, precondition(action, i), err);
    }
  }
  return result;
}

static int has_preconditions(const struct rebali_action_row *action) {
  return action->uid[0] != '\0' || action->resource_version[0] != '\0';
}

static int32_t make_patch(const struct rebali_action_row *action, const json_t *before, uint32_t format, json_t **out,
                          rebal_error *err) {
  json_t *patch = NULL;
  int32_t result = rebali_action_patch(action, &patch, err);
  if (result == REBAL_OK && before != NULL) {
    result = rebali_conditions_merge(action, before, patch, err);
  }
  if (result != REBAL_OK) {
    json_decref(patch);
    return result;
  }
  if (format == REBAL_TEXT_FORMAT_JSON_PATCH) {
    result = make_json_patch(action, patch, before, out, err);
  } else if (has_preconditions(action)) {
    result = put_preconditions(rebali_map_at(patch, "metadata"), action, err);
  }
  if (format != REBAL_TEXT_FORMAT_JSON_PATCH && result == REBAL_OK) {
    *out = json_incref(patch);
  }
  json_decref(patch);
  return result;
}

static int32_t make_delete_options(const struct rebali_action_row *action, json_t **out, rebal_error *err) {
  json_t *options = json_pack("{s:s, s:s}", "kind", "DeleteOptions", "apiVersion", "v1");
  int32_t result = options != NULL ? REBAL_OK : rebali_fail_memory(err);
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

static int32_t make_eviction(const struct rebali_action_row *action, json_t **out, rebal_error *err) {
  json_t *eviction = json_pack("{s:s, s:s, s:{s:s, s:s}}", "apiVersion", "policy/v1", "kind", "Eviction", "metadata",
                               "name", action->name, "namespace", action->namespace_);
  int32_t result = eviction != NULL ? REBAL_OK : rebali_fail_memory(err);
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

int32_t rebali_action_render(const struct rebali_action_row *action, const json_t *before, uint32_t format,
                             json_t **out, rebal_error *err) {
  switch (action->kind) {
    case REBAL_ACTION_KIND_PATCH_SPEC:
    case REBAL_ACTION_KIND_PATCH_STATUS:
    case REBAL_ACTION_KIND_PATCH_METADATA:
    case REBAL_ACTION_KIND_SCALE:
      return make_patch(action, before, format, out, err);
    case REBAL_ACTION_KIND_CREATE:
      return rebali_action_patch(action, out, err);
    case REBAL_ACTION_KIND_DELETE:
      return make_delete_options(action, out, err);
    case REBAL_ACTION_KIND_EVICT:
      return make_eviction(action, out, err);
    case REBAL_ACTION_KIND_EVENT:
      return rebali_event_new(action, out, err);
    default:
      return REBAL_OK;
  }
}

static int is_patch(const struct rebali_action_row *action) {
  return action->kind == REBAL_ACTION_KIND_PATCH_SPEC || action->kind == REBAL_ACTION_KIND_PATCH_STATUS ||
         action->kind == REBAL_ACTION_KIND_PATCH_METADATA || action->kind == REBAL_ACTION_KIND_SCALE;
}

/*
 * Opens the object's tree; NULL if it does not matter: merge patches of a status keep conditions of other writers and
 * JSON
 * patches depend on the current state; other patches do neither.
 */
static int32_t open_object(const rebal_store *store, const struct rebali_action_row *action, uint32_t format,
                           json_t **before, rebal_error *err) {
  uint32_t object;
  if (store == NULL || !is_patch(action)) {
    return REBAL_OK;
  }
  object = rebali_store_find_text(store, action->api_version, action->object_kind, action->namespace_, action->name);
  if (object == REBAL_NONE) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the store does not have the action's object");
  }
  return action->kind == REBAL_ACTION_KIND_PATCH_STATUS || format == REBAL_TEXT_FORMAT_JSON_PATCH
             ? rebali_store_open(store, object, before, err)
             : REBAL_OK;
}

static int32_t append_body(const rebal_store *store, const struct rebali_action_row *action, uint32_t format,
                           rebal_text *out, rebal_error *err) {
  json_t *before = NULL, *body = NULL;
  int32_t result = open_object(store, action, format, &before, err);
  if (result == REBAL_OK) {
    result = rebali_action_render(action, before, format, &body, err);
  }
  if (result == REBAL_OK && body != NULL) {
    result = rebali_tree_write(body, format, out, err);
  }
  json_decref(body);
  json_decref(before);
  return result;
}

/* Appends path, a NUL, body: the pointers are valid until out grows again. */
static int32_t append_request(const rebal_store *store, const struct rebali_action_row *action,
                              const rebal_render_opts *opts, rebal_text *out, rebal_request *request,
                              rebal_error *err) {
  struct rebali_buffer *output = rebali_text_output(out);
  const size_t start = output->len;
  int32_t result = rebali_action_request(store, action, opts, output, request, err);
  request->path_len = output->len - start;
  rebali_buffer_append(output, "", 1);
  if (result == REBAL_OK && output->failed) {
    result = rebali_fail_memory(err);
  }
  if (result == REBAL_OK) {
    result = append_body(store, action, opts->format, out, err);
  }
  if (result != REBAL_OK) {
    output->failed = 0;
    if (output->bytes != NULL) {
      cut_path(output, start);
    }
    return result;
  }
  request->path = output->bytes + start;
  request->body = request->path + request->path_len + 1;
  request->body_len = output->len - start - request->path_len - 1;
  return REBAL_OK;
}

/* Loads the options with their defaults. */
static int32_t load_options(const rebal_render_opts *opts, rebal_render_opts *loaded, rebal_error *err) {
  int32_t result = rebali_options_load(loaded, sizeof *loaded, sizeof *loaded, opts, err);
  size_t len;
  if (result != REBAL_OK) {
    return result;
  }
  loaded->format = loaded->format != 0 ? loaded->format : REBAL_TEXT_FORMAT_JSON;
  len = rebali_text_len(loaded->field_manager_len);
  result = rebali_take_text(&loaded->field_manager, &len, "field_manager", err);
  loaded->field_manager_len = len;
  return result;
}

int32_t rebal_store_render_action(const rebal_store *store, const rebal_result *result, size_t action,
                                  const rebal_render_opts *opts, rebal_text *out, rebal_request *request,
                                  rebal_error *err) {
  rebal_render_opts loaded;
  rebal_request made = {0};
  struct rebali_action_row row;
  int32_t code;
  if (result == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "result and out are needed");
  }
  code = request != NULL ? rebali_structure_check(request, sizeof *request, err) : REBAL_OK;
  if (code == REBAL_OK) {
    code = load_options(opts, &loaded, err);
  }
  if (code == REBAL_OK) {
    code = rebali_action_load(result, action, &row, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if (request == NULL) {
    return append_body(store, &row, loaded.format, out, err);
  }
  code = append_request(store, &row, &loaded, out, &made, err);
  if (code == REBAL_OK) {
    rebali_structure_fill(request, &made, sizeof made);
  }
  return code;
}
