/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/server.h - the API server of a simulation: its store, the clock with its timers, and the log of
 * changes.
 */
#ifndef REBALI_SIMULATION_SERVER_H
#define REBALI_SIMULATION_SERVER_H

#include "simulation/log.h"

/* Objects by id. Must be disposed of. */
struct rebali_ids {
  uint32_t *list;
  size_t n, capacity;
};

/* Documents of objects that were read; they live until rebali_reads_release() (reads.c). */
#define REBALI_READS 64
struct rebali_reads {
  struct {
    rebal_document *document;
    uint64_t seen; /* changes of the store when it was read */
    uint32_t object;
  } last[REBALI_READS]; /* index: id modulo REBALI_READS */
  rebal_document **held;
  size_t n, capacity;
  int has_failed;
};

/* A row for each object of the store, by id; initially zero. */
struct rebali_object_rows {
  unsigned char *bytes;
  size_t n, capacity, size;
};

/* Times of objects, one for each: a heap with the earliest first, among equal ones the lowest order. */
struct rebali_timers {
  struct rebali_timers *next; /* next list of the server */
  struct rebali_ids heap;
  struct rebali_object_rows objects; /* struct rebali_timer */
};

struct rebali_timer {
  rebal_time due;
  uint64_t order;
  uint32_t place; /* in the heap, from 1; 0: not in it */
};

/* Events by their key (events.c). */
struct rebali_events {
  struct rebali_intern *keys; /* NULL: none yet */
  struct rebali_event_row *rows;
  size_t n, capacity;
  int are_written; /* they are also objects of the store */
};

/* Writes of controllers to an object that a step makes fail (write_faults.c). */
struct rebali_fault_answer {
  const char *name;    /* name in scenarios */
  int32_t outcome;     /* REBAL_OBSERVED_* */
  const char *change;  /* for the log */
  const char *message; /* message for the writer */
};
struct rebali_write_fault {
  uint32_t object;
  const struct rebali_fault_answer *answer;
  int64_t left, failed;
};
struct rebali_write_faults {
  struct rebali_write_fault *list;
  size_t n, capacity;
  uint64_t failed;  /* of all objects */
  int64_t attempts; /* failed writes to the object of the last one */
};

struct rebali_server {
  rebal_store *store;
  const rebal_manifest_limits *limits; /* NULL: defaults */
  rebal_time now;
  uint64_t changes; /* counts changes; a round without any is the last */
  const char *step; /* name of the current step */
  int is_initial;   /* the scenario is being loaded: members are already as its objects state */
  struct rebali_change_rows log;
  struct rebali_reads reads;
  struct rebali_events events;
  struct rebali_write_faults faults;
  struct rebali_timers *timers;
  struct rebali_object_rows shown; /* last state of each object in the log (change_log.c) */
  uint64_t watched;                /* changes of the store that are logged */
  struct rebali_buffer scratch;
};

int32_t rebali_server_open(struct rebali_server *server, const rebal_manifest_limits *limits, rebal_error *err);
void rebali_server_dispose(struct rebali_server *server);

/* ---- ids and rows (ids.c) ---------------------------------------------------------------------------------------- */

int32_t rebali_ids_add(struct rebali_ids *ids, uint32_t object, rebal_error *err);
void rebali_ids_dispose(struct rebali_ids *ids);
/* Sorts by kind, namespace and name and removes duplicates. Deleted ones come first, by id. */
int32_t rebali_ids_sort(const struct rebali_server *server, struct rebali_ids *ids, rebal_error *err);
/*
 * Returns the row of an object, adding it if it is missing. The pointer is valid until another row is added. NULL
 * without memory, with err filled.
 */
void *rebali_row(struct rebali_object_rows *rows, uint32_t object, rebal_error *err);
/* Returns an existing row, or NULL. */
static inline void *rebali_row_find(const struct rebali_object_rows *rows, uint32_t object) {
  return object < rows->n ? rows->bytes + object * rows->size : NULL;
}
/* Lists what changed after *since, sorted, and sets *since to now. Must be disposed of, also after an error. */
int32_t rebali_changes_take(const struct rebali_server *server, uint64_t *since, struct rebali_ids *out,
                            rebal_error *err);

/* ---- timers (timers.c) ------------------------------------------------------------------------------------------- */

/* Opens a list of timers; a deleted object loses its timer. */
void rebali_timers_open(struct rebali_timers *timers, struct rebali_server *server);
void rebali_timers_dispose(struct rebali_timers *timers);
/* Sets a timer. An unset time removes it, which never fails. */
int32_t rebali_timer_set(struct rebali_timers *timers, uint32_t object, rebal_time due, rebal_error *err);
/* Sets a timer unless an earlier one is set. */
int32_t rebali_timer_lower(struct rebali_timers *timers, uint32_t object, rebal_time due, rebal_error *err);
void rebali_timer_clear(struct rebali_timers *timers, uint32_t object);
/* Returns the time of a timer; unset: none. */
rebal_time rebali_timer_of(const struct rebali_timers *timers, uint32_t object);
int rebali_timer_is_due(const struct rebali_timers *timers, uint32_t object, const rebal_time *now);
/* Adds the objects that are due, in no particular order. */
int32_t rebali_timers_due(const struct rebali_timers *timers, const rebal_time *now, struct rebali_ids *out,
                          rebal_error *err);
/* Returns the earliest of all timers; unset: none. */
rebal_time rebali_timers_next(const struct rebali_server *server);
/* Returns when to retry after this many failed attempts: after 5 ms, doubled each time, up to 1000 s (client-go). */
rebal_time rebali_retry_at(const struct rebali_server *server, uint32_t attempts);

/* ---- reading objects (reads.c) ----------------------------------------------------------------------------------- */

/*
 * Returns an object, valid until rebali_reads_release(); NULL if it does not exist. NULL is also returned without
 * memory. That state is kept until rebali_reads_end() reports it, and nothing derived from such a read may be used
 * before.
 */
const rebal_value *rebali_object(struct rebali_server *server, uint32_t object);
/* Returns the value at a path, and the text at a path; "" if it is not a text. */
const rebal_value *rebali_field(struct rebali_server *server, uint32_t object, const char *path);
const char *rebali_field_text(struct rebali_server *server, uint32_t object, const char *path);
/* Returns an integer, or otherwise if the value is not one. */
int64_t rebali_field_number(struct rebali_server *server, uint32_t object, const char *path, int64_t otherwise);
/* Returns a number or a percentage of total; otherwise (such as "25%") is used if it is neither. */
int64_t rebali_field_share(struct rebali_server *server, uint32_t object, const char *path, const char *otherwise,
                           int64_t total, int is_rounded_up);
/* Reads an object of another store, whose document the caller owns. */
const rebal_value *rebali_read(struct rebali_server *server, const rebal_store *store, uint32_t object,
                               const char *path);
/* Releases what was read. */
void rebali_reads_release(struct rebali_server *server);
/* Releases what was read and returns code, or REBAL_ENOMEM if code is REBAL_OK and a read failed. */
int32_t rebali_reads_end(struct rebali_server *server, int32_t code, rebal_error *err);

/* Parts of an object's identity, valid until it changes; "" if it was deleted. */
static inline const char *rebali_kind_of(const struct rebali_server *server, uint32_t object) {
  return rebal_store_identity(server->store, object, REBAL_IDENTITY_KIND, NULL);
}
static inline const char *rebali_namespace_of(const struct rebali_server *server, uint32_t object) {
  return rebal_store_identity(server->store, object, REBAL_IDENTITY_NAMESPACE, NULL);
}
static inline const char *rebali_name_of(const struct rebali_server *server, uint32_t object) {
  return rebal_store_identity(server->store, object, REBAL_IDENTITY_NAME, NULL);
}
static inline int rebali_is_kind(const struct rebali_server *server, uint32_t object, const char *kind) {
  return strcmp(rebali_kind_of(server, object), kind) == 0;
}
static inline int rebali_exists(const struct rebali_server *server, uint32_t object) {
  return rebali_kind_of(server, object)[0] != '\0';
}
/* Returns the owner reference whose controller is true, or NULL. */
const rebal_value *rebali_reference_of(struct rebali_server *server, uint32_t object);
/* Tests whether it is a binding of either kind. */
int rebali_object_is_binding(const struct rebali_server *server, uint32_t object);
/* Tests whether a binding has a label of a policy or of a manager. Without one no scheduler sees it. */
int rebali_binding_is_managed(struct rebali_server *server, uint32_t binding);
/* Returns REBAL_NONE if it does not exist. */
uint32_t rebali_find_object(const struct rebali_server *server, const char *kind, const char *namespace_,
                            const char *name);
uint32_t rebali_next_of(const struct rebali_server *server, const char *kind, uint32_t previous);
/* Returns the next binding of either kind after previous; REBAL_NONE at the end. */
uint32_t rebali_next_binding(const struct rebali_server *server, uint32_t previous);
/* Gets the binding of a workload, or the object itself if it is one; REBAL_NONE if there is none. */
int32_t rebali_binding_of(struct rebali_server *server, uint32_t object, uint32_t *binding, rebal_error *err);
/* Returns the object of a binding's spec.resource, or REBAL_NONE if it is not in the store. */
uint32_t rebali_resource_of(struct rebali_server *server, uint32_t binding);

/* ---- writing objects (writes.c) ---------------------------------------------------------------------------------- */

/* Patch an object by a JSON merge patch; apply objects. Nothing is logged. */
int32_t rebali_patch(struct rebali_server *server, uint32_t object, const struct rebali_buffer *patch,
                     rebal_error *err);
int32_t rebali_apply(struct rebali_server *server, const struct rebali_buffer *objects, rebal_error *err);
/* Applies a JSON merge patch to a text, one JSON document. */
int32_t rebali_merge_text(const struct rebali_server *server, struct rebali_buffer *text,
                          const struct rebali_buffer *patch, rebal_error *err);
/* Delete an object, without and with logging. */
int32_t rebali_remove_quietly(struct rebali_server *server, uint32_t object, rebal_error *err);
int32_t rebali_remove(struct rebali_server *server, uint32_t object, const char *controller, const char *reason,
                      rebal_error *err);
/* Forgets an object that was deleted elsewhere. */
void rebali_forget(struct rebali_server *server, uint32_t object);

/* ---- writes that fail (write_faults.c) --------------------------------------------------------------------------- */

/* Returns NULL for an unknown answer. */
const struct rebali_fault_answer *rebali_fault_find(const char *name);
/* Lets the next writes of controllers to the object get this answer; replaces earlier settings. */
int32_t rebali_fault_set(struct rebali_server *server, uint32_t object, const struct rebali_fault_answer *answer,
                         int64_t times, rebal_error *err);
/* Returns the answer to a write to the object; NULL: it is carried out. */
const struct rebali_fault_answer *rebali_fault_take(struct rebali_server *server, uint32_t object);
/* Tests whether the next write will fail. */
int rebali_fault_is_due(const struct rebali_server *server, uint32_t object);
/* Returns when the controller whose write failed last retries. */
rebal_time rebali_fault_retry(const struct rebali_server *server);

/* ---- the log (writes.c, change_log.c) ---------------------------------------------------------------------------- */

/* Appends a row for the current time and step: about an object, or about what a text names. */
int32_t rebali_log_report(struct rebali_server *server, uint32_t kind, const char *controller, uint32_t object,
                          const char *change, const char *reason, rebal_error *err);
int32_t rebali_log_report_of(struct rebali_server *server, uint32_t kind, const char *controller, const char *object,
                             const char *change, const char *reason, rebal_error *err);
/* Prints kind namespace/name of an object. */
void rebali_print_label(const struct rebali_server *server, struct rebali_buffer *out, uint32_t object);
/* Logs every watched field of the object that differs from the last logged value. Counts as a change. */
int32_t rebali_watch(struct rebali_server *server, uint32_t object, const char *controller, const char *reason,
                     rebal_error *err);
/* Like rebali_watch(), but logs nothing if no field differs. */
int32_t rebali_watch_fields(struct rebali_server *server, uint32_t object, const char *controller, const char *reason,
                            rebal_error *err);
/* Calls rebali_watch() for every object that changed since the last call. */
int32_t rebali_watch_all(struct rebali_server *server, const char *controller, const char *reason, rebal_error *err);
/* Records the state of an object without logging it. Counts as a change. */
int32_t rebali_watch_quietly(struct rebali_server *server, uint32_t object, rebal_error *err);
/* Drops what the log keeps of an object. */
void rebali_watch_forget(struct rebali_server *server, uint32_t object);
/*
 * Prints a value in short notation, nothing for an empty list. A format describes each item of a list: @name is
 * replaced by the text of that member (dots lead deeper), ?name and !name by that text after a space or an equals sign
 * if it exists, everything else is copied. NULL: the value as it is.
 */
void rebali_print_short(struct rebali_buffer *out, const char *format, const rebal_value *value);

/* ---- events (events.c) ------------------------------------------------------------------------------------------- */

/* Records and logs an event on an object as the recorders of Kubernetes do; repeated events are counted. */
int32_t rebali_event_report(struct rebali_server *server, uint32_t object, const char *controller, const char *type,
                            const char *reason, const char *message, rebal_error *err);
/* Returns how often an event was recorded on an object (REBAL_NONE: any); empty texts match everything. */
int64_t rebali_event_count(const struct rebali_server *server, uint32_t object, const char *type, const char *reason,
                           const char *message);
/* Writes all events to the store, and later ones when they are recorded. */
int32_t rebali_events_write(struct rebali_server *server, rebal_error *err);
/* Calls rebali_events_write() if the kind is Event. Must be called before objects of a kind are searched. */
int32_t rebali_events_write_of(struct rebali_server *server, const char *kind, rebal_error *err);
/* Resets the count of an event whose object is deleted. */
void rebali_event_forget(struct rebali_server *server, uint32_t object);
void rebali_events_dispose(struct rebali_events *events);

#endif
