/* SPDX-License-Identifier: MIT */
/* Applies events of a watch to the store. */
#include "manifest/store/requests.h"

#include <string.h>

/* A server restored from a backup may never reach the resourceVersion: the list is read again. */
static int is_version_too_large(const json_t *status) {
  const json_t *causes = rebali_member(rebali_member(status, "details"), "causes");
  for (size_t i = 0; i < json_array_size(causes); i++) {
    if (strcmp(rebali_member_text(json_array_get(causes, i), "reason"), "ResourceVersionTooLarge") == 0) {
      return 1;
    }
  }
  return 0;
}

void rebali_watch_note_status(rebal_watch *watch, const json_t *status) {
  const char *reason = rebali_member_text(status, "reason"), *message = rebali_member_text(status, "message");
  const int64_t code = json_integer_value(rebali_member(status, "code"));
  const int is_gone = strcmp(reason, "Expired") == 0 || strcmp(reason, "Gone") == 0 || is_version_too_large(status);
  const int is_failure = code > 0 && (code < 200 || code >= 300);
  watch->status = is_gone ? 410 : is_failure ? code : 500;
  watch->is_over = 1;
  (void)rebali_fail(&watch->failure, REBAL_EAGAIN, -1, "%s", message[0] != '\0' ? message : reason);
}

static int32_t put_object(rebal_watch *watch, json_t *object, int *is_refused, rebal_error *err) {
  uint32_t id;
  int32_t result = rebali_watch_admit(watch, object, err);
  if (result != REBAL_OK) {
    *is_refused = result != REBAL_ENOMEM;
    return result;
  }
  id = rebali_watch_find(watch, object);
  if (id != REBAL_NONE &&
      rebali_own_write_is_newer(watch->store, id,
                                rebali_member_text(rebali_member(object, "metadata"), "resourceVersion"))) {
    return rebali_id_set_add(&watch->given, id, err);
  }
  result = rebali_store_put(watch->store, object, &id, err);
  return result == REBAL_OK ? rebali_id_set_add(&watch->given, id, err) : result;
}

static int32_t remove_object(rebal_watch *watch, json_t *object, int *is_refused, rebal_error *err) {
  const uint32_t id = rebali_watch_find(watch, object);
  (void)is_refused;
  (void)err;
  if (id != REBAL_NONE) {
    rebali_id_set_remove(&watch->given, id);
    (void)rebal_store_remove(watch->store, id, NULL); /* the object exists */
  }
  return REBAL_OK;
}

static int32_t take_bookmark(rebal_watch *watch, json_t *object, int *is_refused, rebal_error *err) {
  (void)watch;
  (void)object;
  (void)is_refused;
  (void)err;
  return REBAL_OK; /* only its resourceVersion matters */
}

static const struct {
  const char *type;
  int32_t (*take)(rebal_watch *watch, json_t *object, int *is_refused, rebal_error *err);
} events[] = {
    {"ADDED", put_object},
    {"MODIFIED", put_object},
    {"DELETED", remove_object},
    {"BOOKMARK", take_bookmark},
};

static int32_t take_object(rebal_watch *watch, const char *type, json_t *object, int *is_refused, rebal_error *err) {
  const char *version = rebali_member_text(rebali_member(object, "metadata"), "resourceVersion");
  for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
    if (strcmp(events[i].type, type) == 0) {
      const int32_t result = events[i].take(watch, object, is_refused, err);
      const int is_taken = (result == REBAL_OK || *is_refused) && version[0] != '\0';
      const int32_t noted = is_taken ? rebali_watch_set(&watch->version, version, err) : REBAL_OK;
      return noted == REBAL_OK ? result : noted;
    }
  }
  *is_refused = type[0] != '\0'; /* unknown event types are skipped */
  return rebali_fail(err, REBAL_EPARSE, -1, "expected an event, got type \"%s\"", type);
}

static int32_t take_line(rebal_watch *watch, const json_t *event, int *is_refused, rebal_error *err) {
  const char *type = rebali_member_text(event, "type");
  json_t *object = rebali_member(event, "object");
  if (strcmp(type, "ERROR") == 0 || strcmp(rebali_member_text(event, "kind"), "Status") == 0) {
    rebali_watch_note_status(watch, object != NULL ? object : event);
    return REBAL_OK;
  }
  if (!rebali_is_map(object)) {
    return rebali_fail(err, REBAL_EPARSE, -1, "expected an event with an object");
  }
  return take_object(watch, type, object, is_refused, err);
}

static int is_blank(const char *line, size_t len) {
  while (len > 0 && memchr(" \t\r\n", line[len - 1], 4) != NULL) {
    len--;
  }
  return len == 0;
}

int32_t rebali_watch_take_event(rebal_watch *watch, const char *line, size_t len, int *is_refused, rebal_error *err) {
  json_t *event = NULL;
  int32_t result;
  *is_refused = 0;
  if (is_blank(line, len)) {
    return REBAL_OK;
  }
  result = rebali_watch_read(watch, line, len, NULL, NULL, &event, err);
  if (result == REBAL_OK) {
    result = take_line(watch, event, is_refused, err);
  }
  json_decref(event);
  return result;
}
