/* SPDX-License-Identifier: MIT */
/*
 * Events on objects, from step functions and from the controllers around them. They are kept as rows, which become
 * objects of the store when they are read.
 */
#include "simulation/server.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Texts of a recorded event: together they are its key. */
enum { NAMESPACE, NAME, KIND, TYPE, REASON, MESSAGE, TEXTS };

/* One event: what is not in its key. */
struct rebali_event_row {
  char *reference; /* JSON members of involvedObject besides kind */
  rebal_time first, last;
  int64_t count;
};

/* Reads the texts of a row, which follow each other, each terminated. */
static void read_key(const struct rebali_events *events, uint32_t row, const char *texts[TEXTS]) {
  const char *at = rebali_intern_get(events->keys, row).bytes;
  for (size_t i = 0; i < TEXTS; i++) {
    texts[i] = at;
    at += strlen(at) + 1;
  }
}

void rebali_events_dispose(struct rebali_events *events) {
  for (uint32_t i = 0; i < events->n; i++) {
    free(events->rows[i].reference);
  }
  free(events->rows);
  rebali_intern_free(events->keys);
}

/* ---- objects of the store ---------------------------------------------------------------------------------------- */

static uint64_t hash(const char *const texts[TEXTS]) {
  static const size_t hashed[] = {TYPE, REASON, MESSAGE, KIND};
  uint64_t hash = 0;
  for (size_t i = 0; i < REBALI_COUNT(hashed); i++) {
    hash = rebali_fnv1a64(hash, texts[hashed[i]], strlen(texts[hashed[i]]) + 1);
  }
  return hash;
}

static const char *namespace_of(const char *const texts[TEXTS]) {
  return texts[NAMESPACE][0] != '\0' ? texts[NAMESPACE] : "default";
}

/* Prints <object>.<hash>, a name that the store never generates. */
static void print_name(const char *const texts[TEXTS], struct rebali_buffer *out) {
  rebali_buffer_format(out, "%s.%016" PRIx64, texts[NAME], hash(texts));
}

static void print_moment(const rebal_time *time, const char *key, struct rebali_buffer *out) {
  rebali_buffer_format(out, ",\"%s\":\"", key);
  rebali_print_time(out, time);
  rebali_buffer_text(out, "\"");
}

static void print_object(const struct rebali_event_row *row, const char *const texts[TEXTS], const char *name,
                         struct rebali_buffer *out) {
  rebali_buffer_text(out, "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"namespace\":");
  rebali_print_text(out, namespace_of(texts));
  rebali_print_member(out, "name", name);
  if (row->count > 1) {
    rebali_buffer_format(out, ",\"resourceVersion\":\"%" PRId64 "\"", row->count);
  }
  rebali_buffer_text(out, "},\"involvedObject\":{\"kind\":");
  rebali_print_text(out, texts[KIND]);
  rebali_buffer_format(out, "%s}", row->reference);
  rebali_print_member(out, "type", texts[TYPE]);
  rebali_print_member(out, "reason", texts[REASON]);
  rebali_print_member(out, "message", texts[MESSAGE]);
  print_moment(&row->first, "firstTimestamp", out);
  print_moment(&row->last, "lastTimestamp", out);
  rebali_buffer_format(out, ",\"count\":%" PRId64 "}", row->count);
}

/* Creates or updates the object of a row. */
static int32_t write_row(struct rebali_server *server, uint32_t place, rebal_error *err) {
  const struct rebali_event_row *row = &server->events.rows[place];
  struct rebali_buffer *out = &server->scratch, name = REBALI_BUFFER;
  const char *texts[TEXTS];
  uint32_t object;
  int32_t code;
  read_key(&server->events, place, texts);
  print_name(texts, &name);
  object = rebali_find_object(server, "Event", namespace_of(texts), rebali_printed(&name));
  rebali_buffer_clear(out);
  if (object != REBAL_NONE) {
    rebali_buffer_format(out, "{\"count\":%" PRId64, row->count);
    print_moment(&row->last, "lastTimestamp", out);
    rebali_buffer_text(out, "}");
  } else {
    print_object(row, texts, rebali_printed(&name), out);
  }
  code = name.failed || out->failed ? rebali_fail_memory(err)
         : object != REBAL_NONE     ? rebal_store_patch(server->store, object, out->bytes, out->len, &row->last, err)
                                    : rebal_store_apply(server->store, out->bytes, out->len, &row->first, err);
  rebali_buffer_dispose(&name);
  return code;
}

int32_t rebali_events_write(struct rebali_server *server, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (uint32_t i = 0; !server->events.are_written && code == REBAL_OK && i < server->events.n; i++) {
    code = write_row(server, i, err); /* no row has been forgotten yet */
  }
  server->events.are_written = code == REBAL_OK;
  return code;
}

int32_t rebali_events_write_of(struct rebali_server *server, const char *kind, rebal_error *err) {
  static const char event[] = "Event";
  const size_t len = sizeof event - 1;
  const int is_event = strncmp(kind, event, len) == 0 && (kind[len] == '\0' || kind[len] == '.');
  return is_event ? rebali_events_write(server, err) : REBAL_OK;
}

void rebali_event_forget(struct rebali_server *server, uint32_t object) {
  const char *name = rebali_name_of(server, object), *dot = strrchr(name, '.');
  for (uint32_t i = 0; dot != NULL && i < server->events.n; i++) {
    const char *texts[TEXTS];
    const size_t len = (size_t)(dot - name);
    read_key(&server->events, i, texts);
    if (strlen(texts[NAME]) == len && memcmp(texts[NAME], name, len) == 0 &&
        strcmp(namespace_of(texts), rebali_namespace_of(server, object)) == 0 &&
        hash(texts) == strtoull(dot + 1, NULL, 16)) {
      server->events.rows[i].count = 0;
    }
  }
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

static char *print_reference(struct rebali_server *server, uint32_t object) {
  static const char *const members[][2] = {{"namespace", "metadata.namespace"},
                                           {"name", "metadata.name"},
                                           {"uid", "metadata.uid"},
                                           {"apiVersion", "apiVersion"}};
  struct rebali_buffer out = REBALI_BUFFER;
  for (size_t i = 0; i < REBALI_COUNT(members); i++) {
    const char *text = rebali_field_text(server, object, members[i][1]);
    if (text[0] != '\0') {
      rebali_print_member(&out, members[i][0], text);
    }
  }
  if (out.failed || server->reads.has_failed) {
    rebali_buffer_dispose(&out);
    return NULL;
  }
  return out.bytes; /* from malloc */
}

/* Returns the row of a key, adding it if it is missing. */
static int32_t find_row(struct rebali_server *server, const char *const texts[TEXTS], uint32_t *row, rebal_error *err) {
  struct rebali_events *events = &server->events;
  struct rebali_buffer *key = &server->scratch;
  rebal_allocator allocator;
  int32_t code = rebali_allocator_load(&allocator, NULL, err);
  rebali_buffer_clear(key);
  for (size_t i = 0; i < TEXTS; i++) {
    rebali_buffer_append(key, texts[i], strlen(texts[i]) + 1);
  }
  if (code == REBAL_OK && events->keys == NULL) {
    code = rebali_intern_new(&allocator, &events->keys);
  }
  if (code == REBAL_OK) {
    code = rebali_reserve_malloc(&events->rows, &events->capacity, events->n + 1, sizeof *events->rows, err);
  }
  if (code == REBAL_OK) {
    code = key->failed ? REBAL_ENOMEM : rebali_intern_add(events->keys, key->bytes, key->len, row);
  }
  if (code != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  if (*row == events->n) {
    events->rows[events->n++] = (struct rebali_event_row){.count = 0};
  }
  return REBAL_OK;
}

/* Repeated events of an object are counted in one row. */
static int32_t record(struct rebali_server *server, uint32_t object, const char *const texts[TEXTS], uint32_t *place,
                      rebal_error *err) {
  struct rebali_event_row *row;
  int32_t code = find_row(server, texts, place, err);
  if (code != REBAL_OK) {
    return code;
  }
  row = &server->events.rows[*place];
  if (row->count == 0) {
    free(row->reference);
    *row = (struct rebali_event_row){print_reference(server, object), server->now, server->now, 0};
  }
  if (row->reference == NULL) {
    return rebali_fail_memory(err);
  }
  row->last = server->now;
  row->count += row->count < INT32_MAX;
  return server->events.are_written ? write_row(server, *place, err) : REBAL_OK;
}

int32_t rebali_event_report(struct rebali_server *server, uint32_t object, const char *controller, const char *type,
                            const char *reason, const char *message, rebal_error *err) {
  const char *const texts[TEXTS] = {rebali_namespace_of(server, object),
                                    rebali_name_of(server, object),
                                    rebali_kind_of(server, object),
                                    type,
                                    reason,
                                    message};
  struct rebali_buffer *change = &server->scratch;
  uint32_t row = 0;
  const int32_t code = record(server, object, texts, &row, err);
  if (code != REBAL_OK) {
    return code;
  }
  rebali_buffer_clear(change);
  rebali_buffer_format(change, "event %s %s: %s", type, reason, message);
  if (server->events.rows[row].count > 1) {
    rebali_buffer_format(change, " (x%" PRId64 ")", server->events.rows[row].count);
  }
  server->changes++;
  return change->failed ? rebali_fail_memory(err)
                        : rebali_log_report(server, REBAL_LOG_KIND_EVENT, controller, object, change->bytes, "", err);
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static int matches(const char *text, const char *wanted) {
  return wanted[0] == '\0' || strcmp(text, wanted) == 0;
}

static int is_about(const struct rebali_server *server, const char *const texts[TEXTS], uint32_t object) {
  return strcmp(texts[NAME], rebali_name_of(server, object)) == 0 &&
         strcmp(texts[NAMESPACE], rebali_namespace_of(server, object)) == 0 &&
         strcmp(texts[KIND], rebali_kind_of(server, object)) == 0;
}

int64_t rebali_event_count(const struct rebali_server *server, uint32_t object, const char *type, const char *reason,
                           const char *message) {
  const struct rebali_events *events = &server->events;
  int64_t count = 0;
  for (uint32_t i = 0; i < events->n; i++) {
    const char *texts[TEXTS];
    read_key(events, i, texts);
    if ((object == REBAL_NONE || is_about(server, texts, object)) && matches(texts[TYPE], type) &&
        matches(texts[REASON], reason) && matches(texts[MESSAGE], message)) {
      count += events->rows[i].count;
    }
  }
  return count;
}
