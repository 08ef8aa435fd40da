/* SPDX-License-Identifier: MIT */
/* Events on objects: those the store records for steps, and those the controllers around them record. */
#include "simulation/server.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One that is recorded. */
struct event {
  uint32_t object;
  const char *namespace_, *controller, *type, *reason, *message;
};

static void print_reference(struct rebali_server *server, uint32_t object, struct rebali_buffer *out) {
  static const char *const members[][2] = {{"namespace", "metadata.namespace"},
                                           {"name", "metadata.name"},
                                           {"uid", "metadata.uid"},
                                           {"apiVersion", "apiVersion"}};
  rebali_buffer_text(out, "},\"involvedObject\":{\"kind\":");
  rebali_print_text(out, rebali_kind_of(server, object));
  for (size_t i = 0; i < REBALI_COUNT(members); i++) {
    const char *text = rebali_field_text(server, object, members[i][1]);
    if (text[0] != '\0') {
      rebali_print_member(out, members[i][0], text);
    }
  }
  rebali_buffer_text(out, "}");
}

static uint64_t hash(uint64_t start, const char *text) {
  for (; *text != '\0'; text++) {
    start = (start ^ (unsigned char)*text) * UINT64_C(1099511628211);
  }
  return start * UINT64_C(1099511628211);
}

static void print_now(const struct rebali_server *server, const char *key, struct rebali_buffer *out) {
  rebali_buffer_format(out, ",\"%s\":\"", key);
  rebali_print_time(out, &server->now);
  rebali_buffer_text(out, "\"");
}

static int32_t create(struct rebali_server *server, const struct event *event, const char *name, rebal_error *err) {
  struct rebali_buffer *out = &server->scratch;
  rebali_buffer_clear(out);
  rebali_buffer_text(out, "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"namespace\":");
  rebali_print_text(out, event->namespace_);
  rebali_print_member(out, "name", name);
  print_reference(server, event->object, out);
  rebali_print_member(out, "type", event->type);
  rebali_print_member(out, "reason", event->reason);
  rebali_print_member(out, "message", event->message);
  print_now(server, "firstTimestamp", out);
  print_now(server, "lastTimestamp", out);
  rebali_buffer_text(out, ",\"count\":1}");
  return rebali_apply(server, out, err);
}

static int32_t repeat(struct rebali_server *server, uint32_t event, rebal_error *err) {
  const int64_t count = rebali_field_number(server, event, "count", 0);
  struct rebali_buffer *out = &server->scratch;
  rebali_buffer_clear(out);
  rebali_buffer_format(out, "{\"count\":%" PRId64, count < INT32_MAX ? count + 1 : count);
  print_now(server, "lastTimestamp", out);
  rebali_buffer_text(out, "}");
  return rebali_patch(server, event, out, err);
}

/* <object>.<hash>: the same event of the same object has the same name, and none that the store gives. */
static int32_t record(struct rebali_server *server, const struct event *event, uint32_t *out, rebal_error *err) {
  struct rebali_buffer name = REBALI_BUFFER;
  int32_t code;
  rebali_buffer_format(
      &name, "%s.%016" PRIx64, rebali_name_of(server, event->object),
      hash(hash(hash(hash(0, event->type), event->reason), event->message), rebali_kind_of(server, event->object)));
  if (name.failed) {
    return rebali_fail_memory(err);
  }
  *out = rebali_find_object(server, "Event", event->namespace_, name.bytes);
  code = *out != REBAL_NONE ? repeat(server, *out, err) : create(server, event, name.bytes, err);
  if (code == REBAL_OK && *out == REBAL_NONE) {
    *out = rebali_find_object(server, "Event", event->namespace_, name.bytes);
  }
  rebali_buffer_dispose(&name);
  return code;
}

/* The event as it is recorded now. */
static int32_t tell(struct rebali_server *server, const struct event *event, uint32_t recorded, rebal_error *err) {
  const int64_t count = rebali_field_number(server, recorded, "count", 0);
  struct rebali_buffer *change = &server->scratch;
  rebali_buffer_clear(change);
  rebali_buffer_format(change, "event %s %s: %s", event->type, event->reason, event->message);
  if (count > 1) {
    rebali_buffer_format(change, " (x%" PRId64 ")", count);
  }
  server->changes++;
  return change->failed
             ? rebali_fail_memory(err)
             : rebali_tell(server, REBAL_LOG_KIND_EVENT, event->controller, event->object, change->bytes, "", err);
}

int32_t rebali_event_tell(struct rebali_server *server, uint32_t object, const char *controller, const char *type,
                          const char *reason, const char *message, rebal_error *err) {
  const char *namespace_ = rebali_namespace_of(server, object);
  const struct event event = {object, namespace_[0] != '\0' ? namespace_ : "default", controller, type, reason,
                              message};
  uint32_t recorded = REBAL_NONE;
  const int32_t code = record(server, &event, &recorded, err);
  return code == REBAL_OK ? tell(server, &event, recorded, err) : code;
}

static int matches(const rebal_value *event, const char *member, const char *wanted) {
  return wanted[0] == '\0' || strcmp(rebali_find_text(event, member), wanted) == 0;
}

static int is_about(const struct rebali_server *server, const rebal_value *event, uint32_t object) {
  const rebal_value *involved = rebali_find(event, "involvedObject");
  return strcmp(rebali_find_text(involved, "name"), rebali_name_of(server, object)) == 0 &&
         strcmp(rebali_find_text(involved, "namespace"), rebali_namespace_of(server, object)) == 0 &&
         strcmp(rebali_find_text(involved, "kind"), rebali_kind_of(server, object)) == 0;
}

int64_t rebali_event_count(struct rebali_server *server, uint32_t object, const char *type, const char *reason,
                           const char *message) {
  int64_t count = 0;
  for (uint32_t id = rebali_next_of(server, "Event", REBAL_NONE); id != REBAL_NONE;
       id = rebali_next_of(server, "Event", id)) {
    const rebal_value *event = rebali_object(server, id);
    if ((object == REBAL_NONE || is_about(server, event, object)) && matches(event, "type", type) &&
        matches(event, "reason", reason) && matches(event, "message", message)) {
      count += rebali_number_or(rebali_find(event, "count"), 0);
    }
    rebali_reads_release(server);
  }
  return count;
}
