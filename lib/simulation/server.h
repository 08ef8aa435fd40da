/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/server.h - the API server of a simulation: its store, the clock with its timers, and the log of what
 * changes.
 */
#ifndef REBALI_SIMULATION_SERVER_H
#define REBALI_SIMULATION_SERVER_H

#include "simulation/log.h"

/* Objects by id; to be disposed of. */
struct rebali_ids {
  uint32_t *list;
  size_t n, capacity;
};

/* Documents of objects that were read, which live until rebali_reads_release() (reads.c). */
#define REBALI_READS 64
struct rebali_reads {
  struct {
    rebal_document *document;
    uint64_t seen; /* changes of the store when it was taken */
    uint32_t object;
  } last[REBALI_READS]; /* by id modulo their number */
  rebal_document **held;
  size_t n, capacity;
  int has_failed;
};

/* A row for each object of the store, by id; each starts as zeros. */
struct rebali_object_rows {
  unsigned char *bytes;
  size_t n, capacity, size;
};

/* Moments of objects, one for each: a heap with the earliest on top, of equals the one with the lowest order. */
struct rebali_timers {
  struct rebali_timers *next; /* of the server's */
  struct rebali_ids heap;
  struct rebali_object_rows objects; /* struct rebali_timer */
};

struct rebali_timer {
  rebal_time due;
  uint64_t order;
  uint32_t place; /* in the heap, from 1; 0: not there */
};

/* Events by the key that tells them apart (events.c). */
struct rebali_events {
  struct rebali_intern *keys; /* NULL: none yet */
  struct rebali_event_row *rows;
  size_t n, capacity;
  int are_written; /* they are objects of the store too */
};

/* Writes of controllers to an object that fail, as a step says (write_faults.c). */
struct rebali_fault_answer {
  const char *name;    /* as scenarios write it */
  int32_t outcome;     /* REBAL_OBSERVED_* */
  const char *change;  /* for the log */
  const char *message; /* what the writer is told */
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
  int64_t attempts; /* that failed of the object of the last one */
};

struct rebali_server {
  rebal_store *store;
  const rebal_manifest_limits *limits; /* NULL: the defaults */
  rebal_time now;
  uint64_t changes; /* counts what happened; a round without is the last */
  const char *step; /* the name of the step at hand */
  int is_initial;   /* the scenario is loaded: what its objects say of members is so already */
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
/* By kind, namespace and name, each once; those that are gone first, by id. */
int32_t rebali_ids_sort(const struct rebali_server *server, struct rebali_ids *ids, rebal_error *err);
/* The row of an object, made when new; it moves when another is. NULL without memory, which err then says. */
void *rebali_row(struct rebali_object_rows *rows, uint32_t object, rebal_error *err);
/* The same of a row that exists; NULL: it does not. */
static inline void *rebali_row_find(const struct rebali_object_rows *rows, uint32_t object) {
  return object < rows->n ? rows->bytes + object * rows->size : NULL;
}
/* What changed after *since, which moves to now; sorted. To be disposed of in any case. */
int32_t rebali_changes_take(const struct rebali_server *server, uint64_t *since, struct rebali_ids *out,
                            rebal_error *err);

/* ---- timers (timers.c) ------------------------------------------------------------------------------------------- */

/* The server forgets what is due of an object when it goes. */
void rebali_timers_open(struct rebali_timers *timers, struct rebali_server *server);
void rebali_timers_dispose(struct rebali_timers *timers);
/* A moment that is unset: none, which never fails. */
int32_t rebali_timer_set(struct rebali_timers *timers, uint32_t object, rebal_time due, rebal_error *err);
/* The earlier of what is set and this. */
int32_t rebali_timer_lower(struct rebali_timers *timers, uint32_t object, rebal_time due, rebal_error *err);
void rebali_timer_clear(struct rebali_timers *timers, uint32_t object);
/* Unset: none. */
rebal_time rebali_timer_of(const struct rebali_timers *timers, uint32_t object);
int rebali_timer_is_due(const struct rebali_timers *timers, uint32_t object, const rebal_time *now);
/* Adds the objects that are due, in no order. */
int32_t rebali_timers_due(const struct rebali_timers *timers, const rebal_time *now, struct rebali_ids *out,
                          rebal_error *err);
/* The earliest of all timers; unset: none. */
rebal_time rebali_timers_next(const struct rebali_server *server);
/* When a run comes again that failed so often before: after 5 ms, doubled each time, up to 1000 s (client-go). */
rebal_time rebali_retry_at(const struct rebali_server *server, uint32_t attempts);

/* ---- reading objects (reads.c) ----------------------------------------------------------------------------------- */

/*
 * An object, valid until rebali_reads_release(); NULL when it is not there. It is that too when memory runs out, which
 * sticks: rebali_reads_end() says so, and nothing of what was made of it may be shown before.
 */
const rebal_value *rebali_object(struct rebali_server *server, uint32_t object);
/* The value at a path of it, and the text of one; "" when it is no text. */
const rebal_value *rebali_field(struct rebali_server *server, uint32_t object, const char *path);
const char *rebali_field_text(struct rebali_server *server, uint32_t object, const char *path);
/* A whole number; otherwise when it is none. */
int64_t rebali_field_number(struct rebali_server *server, uint32_t object, const char *path, int64_t otherwise);
/* A number or a percentage of total; otherwise (such as "25%") where it is neither. */
int64_t rebali_field_share(struct rebali_server *server, uint32_t object, const char *path, const char *otherwise,
                           int64_t total, int is_rounded_up);
/* The same of an object in another store, whose document is the caller's. */
const rebal_value *rebali_read(struct rebali_server *server, const rebal_store *store, uint32_t object,
                               const char *path);
/* Gives back what was read. */
void rebali_reads_release(struct rebali_server *server);
/* The same; returns code or, when that is REBAL_OK and a read failed, REBAL_ENOMEM. */
int32_t rebali_reads_end(struct rebali_server *server, int32_t code, rebal_error *err);

/* Parts of an object's identity, valid until it changes; "" when it is gone. */
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
static inline int rebali_is_there(const struct rebali_server *server, uint32_t object) {
  return rebali_kind_of(server, object)[0] != '\0';
}
/* The owner reference of an object whose controller is true; NULL when there is none. */
const rebal_value *rebali_reference_of(struct rebali_server *server, uint32_t object);
/* Is it of either kind of binding? */
int rebali_object_is_binding(const struct rebali_server *server, uint32_t object);
/* Has a binding a label of a policy or of who manages it? Without one no scheduler sees it. */
int rebali_binding_is_managed(struct rebali_server *server, uint32_t binding);
/* REBAL_NONE when it is not there. */
uint32_t rebali_find_object(const struct rebali_server *server, const char *kind, const char *namespace_,
                            const char *name);
uint32_t rebali_next_of(const struct rebali_server *server, const char *kind, uint32_t previous);
/* The next binding of either kind after previous; REBAL_NONE at the end. */
uint32_t rebali_next_binding(const struct rebali_server *server, uint32_t previous);
/* The binding of a workload, or the object itself when it is one; REBAL_NONE when there is none. */
int32_t rebali_binding_of(struct rebali_server *server, uint32_t object, uint32_t *binding, rebal_error *err);
/* The object that a binding is for; REBAL_NONE when it is not in the store. */
uint32_t rebali_resource_of(struct rebali_server *server, uint32_t binding);

/* ---- writing objects (writes.c) ---------------------------------------------------------------------------------- */

/* Patches an object by a JSON merge patch, applies objects: the log does not tell of it. */
int32_t rebali_patch(struct rebali_server *server, uint32_t object, const struct rebali_buffer *patch,
                     rebal_error *err);
int32_t rebali_apply(struct rebali_server *server, const struct rebali_buffer *objects, rebal_error *err);
/* Replaces a text, one JSON document, by what a JSON merge patch makes of it. */
int32_t rebali_merge_text(const struct rebali_server *server, struct rebali_buffer *text,
                          const struct rebali_buffer *patch, rebal_error *err);
/* Deletes an object, and nothing is logged; the same and logs it. */
int32_t rebali_remove_quietly(struct rebali_server *server, uint32_t object, rebal_error *err);
int32_t rebali_remove(struct rebali_server *server, uint32_t object, const char *controller, const char *reason,
                      rebal_error *err);
/* An object that somebody else deleted. */
void rebali_forget(struct rebali_server *server, uint32_t object);

/* ---- writes that fail (write_faults.c) --------------------------------------------------------------------------- */

/* NULL: there is no such answer. */
const struct rebali_fault_answer *rebali_fault_find(const char *name);
/* The next writes of controllers to the object get this answer; those set before are forgotten. */
int32_t rebali_fault_set(struct rebali_server *server, uint32_t object, const struct rebali_fault_answer *answer,
                         int64_t times, rebal_error *err);
/* What a write to the object gets; NULL: it is carried out. */
const struct rebali_fault_answer *rebali_fault_take(struct rebali_server *server, uint32_t object);
/* Will the next write fail? */
int rebali_fault_is_due(const struct rebali_server *server, uint32_t object);
/* When the controller whose write failed last comes again. */
rebal_time rebali_fault_retry(const struct rebali_server *server);

/* ---- the log (writes.c, change_log.c) ---------------------------------------------------------------------------- */

/* Appends a row at now and of the step at hand: of an object, or of what a text names. */
int32_t rebali_tell(struct rebali_server *server, uint32_t kind, const char *controller, uint32_t object,
                    const char *change, const char *reason, rebal_error *err);
int32_t rebali_tell_of(struct rebali_server *server, uint32_t kind, const char *controller, const char *object,
                       const char *change, const char *reason, rebal_error *err);
/* Kind namespace/name of an object. */
void rebali_print_label(const struct rebali_server *server, struct rebali_buffer *out, uint32_t object);
/* Logs every watched field of the object that differs from what was logged last; counts as a change. */
int32_t rebali_watch(struct rebali_server *server, uint32_t object, const char *controller, const char *reason,
                     rebal_error *err);
/* The same, and nothing is logged where no field differs. */
int32_t rebali_watch_fields(struct rebali_server *server, uint32_t object, const char *controller, const char *reason,
                            rebal_error *err);
/* rebali_watch() of every object that changed since this was called last. */
int32_t rebali_watch_all(struct rebali_server *server, const char *controller, const char *reason, rebal_error *err);
/* What it looks like is not logged; counts as a change. */
int32_t rebali_watch_quietly(struct rebali_server *server, uint32_t object, rebal_error *err);
/* What the log keeps of an object goes. */
void rebali_watch_forget(struct rebali_server *server, uint32_t object);
/*
 * People's notation of a value, nothing for an empty list. A format says what is written of each item of a list: @name
 * stands for the text of that member (dots lead deeper), ?name and !name for the same with a space or an equals sign
 * before it when it is there, anything else for itself. NULL: as it is.
 */
void rebali_print_short(struct rebali_buffer *out, const char *format, const rebal_value *value);

/* ---- events (events.c) ------------------------------------------------------------------------------------------- */

/* Records an event on an object as the recorders of Kubernetes do, a repeated one counted, and logs it. */
int32_t rebali_event_tell(struct rebali_server *server, uint32_t object, const char *controller, const char *type,
                          const char *reason, const char *message, rebal_error *err);
/* How often an event was recorded on an object (REBAL_NONE: any); empty texts match everything. */
int64_t rebali_event_count(const struct rebali_server *server, uint32_t object, const char *type, const char *reason,
                           const char *message);
/* Writes all events to the store, and from now on each when it is recorded. */
int32_t rebali_events_write(struct rebali_server *server, rebal_error *err);
/* The same if the kind is Event: before objects of a kind are looked for. */
int32_t rebali_events_write_of(struct rebali_server *server, const char *kind, rebal_error *err);
/* Resets the count of an event whose object is deleted. */
void rebali_event_forget(struct rebali_server *server, uint32_t object);
void rebali_events_dispose(struct rebali_events *events);

#endif
