/* SPDX-License-Identifier: MIT */
/* Events on objects: those the store records for steps, and those the controllers around them record. */
#include "simulation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int32_t quote_field(rebal_simulation *simulation, uint32_t object, const char *key, const char *path,
                           rebal_text *out, rebal_error *err) {
  char *value = rebali_field_copy(simulation, object, path);
  int32_t code = value != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (code == REBAL_OK && value[0] != '\0') {
    code = rebali_print(out, err, "%s\"%s\":", strcmp(key, "kind") == 0 ? "" : ",", key);
    if (code == REBAL_OK) {
      code = rebali_quote(rebali_slice(value), out, err);
    }
  }
  free(value);
  return code;
}

static int32_t write_reference(rebal_simulation *simulation, uint32_t object, rebal_text *out, rebal_error *err) {
  static const char *const members[][2] = {{"kind", "kind"},
                                           {"namespace", "metadata.namespace"},
                                           {"name", "metadata.name"},
                                           {"uid", "metadata.uid"},
                                           {"apiVersion", "apiVersion"}};
  int32_t code = rebali_print(out, err, "\"involvedObject\":{");
  for (size_t i = 0; code == REBAL_OK && i < sizeof members / sizeof members[0]; i++) {
    code = quote_field(simulation, object, members[i][0], members[i][1], out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, "}") : code;
}

static uint64_t hash(uint64_t start, const char *text) {
  for (; *text != '\0'; text++) {
    start = (start ^ (unsigned char)*text) * UINT64_C(1099511628211);
  }
  return start * UINT64_C(1099511628211);
}

/* <object>.<hash>: the same event of the same object has the same name, and none that the store gives. */
static int32_t write_name(rebal_simulation *simulation, uint32_t object, uint64_t hashed, rebal_text *out,
                          rebal_error *err) {
  char *name = rebali_field_copy(simulation, object, "metadata.name");
  char *kind = rebali_field_copy(simulation, object, "kind");
  const int32_t code = name != NULL && kind != NULL ? rebali_print(out, err, "%s.%016" PRIx64, name, hash(hashed, kind))
                                                    : rebali_fail_memory(err);
  free(name);
  free(kind);
  return code;
}

static int32_t quote_member(const char *key, const char *value, rebal_text *out, rebal_error *err) {
  const int32_t code = rebali_print(out, err, ",\"%s\":", key);
  return code == REBAL_OK ? rebali_quote(rebali_slice(value), out, err) : code;
}

static int32_t quote_now(const rebal_simulation *simulation, const char *key, rebal_text *out, rebal_error *err) {
  int32_t code = rebali_print(out, err, ",\"%s\":\"", key);
  if (code == REBAL_OK) {
    code = rebali_time_print(&simulation->now, out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, "\"") : code;
}

static int32_t create(rebal_simulation *simulation, uint32_t object, const char *space, const char *name,
                      const char *type, const char *reason, const char *message, rebal_error *err) {
  rebal_text *out = simulation->scratch;
  size_t len;
  const char *bytes;
  int32_t code;
  rebal_text_reset(out);
  code = rebali_print(out, err, "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"namespace\":");
  if (code == REBAL_OK) {
    code = rebali_quote(rebali_slice(space), out, err);
  }
  if (code == REBAL_OK) {
    code = quote_member("name", name, out, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, err, "},");
  }
  if (code == REBAL_OK) {
    code = write_reference(simulation, object, out, err);
  }
  if (code == REBAL_OK) {
    code = quote_member("type", type, out, err);
  }
  if (code == REBAL_OK) {
    code = quote_member("reason", reason, out, err);
  }
  if (code == REBAL_OK) {
    code = quote_member("message", message, out, err);
  }
  if (code == REBAL_OK) {
    code = quote_now(simulation, "firstTimestamp", out, err);
  }
  if (code == REBAL_OK) {
    code = quote_now(simulation, "lastTimestamp", out, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, err, ",\"count\":1}");
  }
  bytes = rebal_text_bytes(out, &len);
  return code == REBAL_OK ? rebal_store_apply(simulation->store, bytes, len, &simulation->now, err) : code;
}

static int32_t repeat(rebal_simulation *simulation, uint32_t event, rebal_error *err) {
  const int64_t count = rebali_field_integer(simulation, event, "count");
  size_t len;
  const char *bytes;
  int32_t code;
  rebal_text_reset(simulation->scratch);
  code = rebali_print(simulation->scratch, err, "{\"count\":%" PRId64, count < INT32_MAX ? count + 1 : count);
  if (code == REBAL_OK) {
    code = quote_now(simulation, "lastTimestamp", simulation->scratch, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(simulation->scratch, err, "}");
  }
  bytes = rebal_text_bytes(simulation->scratch, &len);
  return code == REBAL_OK ? rebal_store_patch(simulation->store, event, bytes, len, &simulation->now, err) : code;
}

static int32_t record(rebal_simulation *simulation, uint32_t object, const char *space, const char *type,
                      const char *reason, const char *message, uint32_t *event, rebal_error *err) {
  rebal_text *name = NULL;
  size_t len;
  const char *bytes;
  int32_t code = rebal_text_new(&name, err);
  if (code == REBAL_OK) {
    code = write_name(simulation, object, hash(hash(hash(0, type), reason), message), name, err);
  }
  if (code == REBAL_OK) {
    bytes = rebal_text_bytes(name, &len);
    *event = rebal_store_find(simulation->store, "Event", 5, space, strlen(space), bytes, len);
    code = *event != REBAL_NONE ? repeat(simulation, *event, err)
                                : create(simulation, object, space, bytes, type, reason, message, err);
    *event = rebal_store_find(simulation->store, "Event", 5, space, strlen(space), bytes, len);
  }
  rebal_text_free(name);
  return code;
}

/* The event as it is recorded now. */
static int32_t log_event(rebal_simulation *simulation, uint32_t object, uint32_t event, const char *controller,
                         const char *type, const char *reason, const char *message, rebal_error *err) {
  char *label = rebali_object_label(simulation, object);
  const int64_t count = rebali_field_integer(simulation, event, "count");
  int32_t code = label != NULL ? REBAL_OK : rebali_fail_memory(err);
  rebal_text_reset(simulation->scratch);
  if (code == REBAL_OK) {
    code = rebali_print(simulation->scratch, err, "event %s %s: %s", type, reason, message);
  }
  if (code == REBAL_OK && count > 1) {
    code = rebali_print(simulation->scratch, err, " (x%" PRId64 ")", count);
  }
  if (code == REBAL_OK) {
    code = rebali_log_append(simulation, REBAL_LOG_KIND_EVENT, controller, label,
                             rebal_text_bytes(simulation->scratch, NULL), "", err);
  }
  simulation->changes++;
  free(label);
  return code;
}

int32_t rebali_event_tell(rebal_simulation *simulation, uint32_t object, const char *controller, const char *type,
                          const char *reason, const char *message, rebal_error *err) {
  char *space = rebali_field_copy(simulation, object, "metadata.namespace");
  uint32_t event = REBAL_NONE;
  int32_t code = space != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code = record(simulation, object, space[0] != '\0' ? space : "default", type, reason, message, &event, err);
  }
  if (code == REBAL_OK) {
    code = log_event(simulation, object, event, controller, type, reason, message, err);
  }
  free(space);
  return code;
}

/* The name first: it tells most events apart, and runs have many. */
static int is_about(rebal_simulation *simulation, uint32_t event, char *const *wanted) {
  static const char *const paths[] = {"involvedObject.name", "involvedObject.namespace", "involvedObject.kind"};
  for (size_t i = 0; i < 3; i++) {
    if (!rebali_field_is(simulation, event, paths[i], wanted[i])) {
      return 0;
    }
  }
  return 1;
}

static int matches(rebal_simulation *simulation, uint32_t event, const char *path, const char *wanted) {
  return wanted[0] == '\0' || rebali_field_is(simulation, event, path, wanted);
}

int64_t rebali_event_count(rebal_simulation *simulation, uint32_t object, const char *type, const char *reason,
                           const char *message) {
  char *wanted[3] = {NULL, NULL, NULL};
  int64_t count = 0;
  if (object != REBAL_NONE) {
    wanted[0] = rebali_field_copy(simulation, object, "metadata.name");
    wanted[1] = rebali_field_copy(simulation, object, "metadata.namespace");
    wanted[2] = rebali_field_copy(simulation, object, "kind");
  }
  for (uint32_t event = rebali_next_of(simulation, "Event", REBAL_NONE); event != REBAL_NONE;
       event = rebali_next_of(simulation, "Event", event)) {
    if ((object == REBAL_NONE ||
         (wanted[0] != NULL && wanted[1] != NULL && wanted[2] != NULL && is_about(simulation, event, wanted))) &&
        matches(simulation, event, "type", type) && matches(simulation, event, "reason", reason) &&
        matches(simulation, event, "message", message)) {
      count += rebali_field_integer(simulation, event, "count");
    }
  }
  for (size_t i = 0; i < 3; i++) {
    free(wanted[i]);
  }
  return count;
}
