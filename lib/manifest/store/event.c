/* SPDX-License-Identifier: MIT */
/* Event objects; a repeated one is counted. */
#include "manifest/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *payload_text(const struct rebali_action_row *action, uint32_t field) {
  return rebal_record_text(action->payload, rebal_record_next(action->payload, 0, field, REBAL_NONE), NULL);
}

/* Builds <object>.<hash>: the same event of the same object has the same name. */
static json_t *make_name(const struct rebali_action_row *action) {
  const char *const texts[] = {action->object_kind,
                               action->namespace_,
                               action->name,
                               action->uid,
                               payload_text(action, REBAL_EVENT_TYPE),
                               payload_text(action, REBAL_EVENT_REASON),
                               payload_text(action, REBAL_EVENT_MESSAGE)};
  char suffix[32];
  (void)snprintf(suffix, sizeof suffix, "%016" PRIx64, rebali_hash_texts(0, texts, sizeof texts / sizeof texts[0]));
  return json_sprintf("%s.%s", action->name, suffix);
}

static int32_t put_object(json_t *event, const struct rebali_action_row *action, rebal_error *err) {
  json_t *object = rebali_map_at(event, "involvedObject");
  const struct {
    const char *key;
    const char *text;
  } members[] = {{"kind", action->object_kind},
                 {"namespace", action->namespace_},
                 {"name", action->name},
                 {"uid", action->uid},
                 {"apiVersion", action->api_version},
                 {"resourceVersion", action->resource_version}};
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < sizeof members / sizeof members[0]; i++) {
    if (members[i].text[0] != '\0') {
      result = rebali_put_text(object, members[i].key, members[i].text, err);
    }
  }
  return result;
}

static int32_t fill(json_t *event, const struct rebali_action_row *action, rebal_error *err) {
  json_t *metadata = rebali_map_at(event, "metadata");
  int32_t result = rebali_put(metadata, "name", make_name(action), err);
  if (result == REBAL_OK) {
    result = rebali_put_text(metadata, "namespace",
                             action->namespace_[0] != '\0' ? action->namespace_ : REBALI_DEFAULT_NAMESPACE, err);
  }
  if (result == REBAL_OK) {
    result = put_object(event, action, err);
  }
  if (result == REBAL_OK) {
    result = rebali_put_text(event, "type", payload_text(action, REBAL_EVENT_TYPE), err);
  }
  if (result == REBAL_OK) {
    result = rebali_put_text(event, "reason", payload_text(action, REBAL_EVENT_REASON), err);
  }
  if (result == REBAL_OK) {
    result = rebali_put_text(event, "message", payload_text(action, REBAL_EVENT_MESSAGE), err);
  }
  return result;
}

int32_t rebali_event_new(const struct rebali_action_row *action, json_t **out, rebal_error *err) {
  json_t *event;
  int32_t result;
  if (action->payload_object != REBAL_OBJECT_EVENT) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the payload is not an event");
  }
  event = json_pack("{s:s, s:s}", "apiVersion", "v1", "kind", "Event");
  result = event != NULL ? fill(event, action, err) : rebali_fail_memory(err);
  if (result != REBAL_OK) {
    json_decref(event);
  } else {
    *out = event;
  }
  return result;
}

static int32_t create(rebal_store *store, json_t *event, const rebal_time *now, rebal_error *err) {
  uint32_t object;
  int32_t result = rebali_put(event, "count", json_integer(1), err);
  if (result == REBAL_OK) {
    result = rebali_put_time(event, "firstTimestamp", now, err);
  }
  if (result == REBAL_OK) {
    result = rebali_put_time(event, "lastTimestamp", now, err);
  }
  if (result == REBAL_OK) {
    result = rebali_metadata_create(event, now, err);
  }
  /* Objects without a spec have no generation. */
  (void)json_object_del(rebali_member(event, "metadata"), "generation");
  return result == REBAL_OK ? rebali_store_put(store, event, &object, err) : result;
}

static int32_t repeat(rebal_store *store, uint32_t object, const rebal_time *now, rebal_error *err) {
  json_t *before, *event = NULL;
  int64_t count;
  int32_t result = rebali_store_share(store, object, &before, err);
  if (result == REBAL_OK) {
    event = rebali_copy(before);
    result = event != NULL ? rebali_put(event, "metadata", rebali_copy(rebali_member(before, "metadata")), err)
                           : rebali_fail_memory(err);
  }
  count = json_integer_value(rebali_member(before, "count"));
  if (result == REBAL_OK && count < INT32_MAX) {
    result = rebali_put(event, "count", json_integer(count + 1), err);
  }
  if (result == REBAL_OK) {
    result = rebali_put_time(event, "lastTimestamp", now, err);
  }
  if (result == REBAL_OK) {
    result = rebali_metadata_update(event, before, err);
  }
  if (result == REBAL_OK) {
    result = rebali_store_replace_tree(store, object, event, err);
  }
  json_decref(event);
  json_decref(before);
  return result;
}

int32_t rebali_event_record(rebal_store *store, const struct rebali_action_row *action, const rebal_time *now,
                            rebal_error *err) {
  json_t *event = NULL;
  const json_t *metadata;
  uint32_t object;
  int32_t result = rebali_event_new(action, &event, err);
  if (result != REBAL_OK) {
    return result;
  }
  metadata = rebali_member(event, "metadata");
  object = rebali_store_find_text(store, "v1", "Event", rebali_member_text(metadata, "namespace"),
                                  rebali_member_text(metadata, "name"));
  result = object == REBAL_NONE ? create(store, event, now, err) : repeat(store, object, now, err);
  json_decref(event);
  return result;
}
