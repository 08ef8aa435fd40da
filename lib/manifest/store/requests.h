/* SPDX-License-Identifier: MIT */
/* lib/manifest/store/requests.h - requests to an API server, and its answers; a part of the room "manifest". */
#ifndef REBALI_REQUESTS_H
#define REBALI_REQUESTS_H

#include "manifest/manifest.h"

#include <rebalance/watch.h>

/* ---- paths (url.c) ---------------------------------------------------------------------------------------------- */

/* What a path leads to; texts that are empty have no step. */
struct rebali_url {
  const char *api_version, *kind, *namespace_, *name, *subresource;
};

/* Parameters of a query so far. */
struct rebali_query {
  size_t n;
};

/* Appends a text in which all but unreserved characters are percent-encoded. */
void rebali_url_encode(struct rebali_buffer *out, const char *text, size_t len);
/* Appends a path. REBAL_EUNSUPPORTED: the kind is neither in the table nor added to the store (or NULL). */
int32_t rebali_url_path(const rebal_store *store, const struct rebali_url *url, struct rebali_buffer *out,
                        rebal_error *err);
/* Appends a parameter unless its value is empty. */
void rebali_url_query(struct rebali_buffer *out, struct rebali_query *query, const char *name, const char *value,
                      size_t len);

/* ---- actions (request.c) ---------------------------------------------------------------------------------------- */

/* Appends path and query of an action, and sets method and content type. Nothing is appended where nothing is sent. */
int32_t rebali_action_request(const rebal_store *store, const struct rebali_action_row *action,
                              const rebal_render_opts *opts, struct rebali_buffer *out, rebal_request *request,
                              rebal_error *err);

/* ---- answers to own writes (own_writes.c) ------------------------------------------------------------------------ */

/* The object is of this version by an answer. */
int32_t rebali_own_write_note(rebal_store *store, uint32_t object, const char *version, rebal_error *err);
/* Is an event of this version older than what an answer brought? From the first one on that is not, none is. */
int rebali_own_write_is_newer(rebal_store *store, uint32_t object, const char *version);
/* *out: a watch has brought a version of the object that is behind this one of an answer. REBAL_ENOMEM. */
int32_t rebali_object_is_newer(rebal_store *store, uint32_t object, const char *version, int *out, rebal_error *err);

/* ---- watches (watch.c, watch_page.c, watch_event.c, watch_seen.c) ----------------------------------------------- */

/* What the next request reads. */
enum rebali_watch_phase {
  REBALI_WATCH_LIST,  /* the first page of a list */
  REBALI_WATCH_PAGE,  /* the page after the continue token */
  REBALI_WATCH_EVENTS /* events after the resourceVersion */
};

/* Objects of a store by id, one bit each. */
struct rebali_id_set {
  uint64_t *words;
  size_t n; /* of words */
};

struct rebal_watch {
  rebal_store *store;
  char *block; /* the texts below */
  const char *api_version, *kind, *namespace_, *label_selector, *field_selector;
  const char *kind_and_group; /* as rebal_store_next() takes it */
  uint32_t page_size, timeout_seconds;
  enum rebali_watch_phase phase;
  int is_synced;
  struct rebali_buffer version; /* resourceVersion of the last page, event or bookmark */
  struct rebali_buffer token;   /* of the next page */
  struct rebali_id_set given;   /* what the server sent since the last complete list, and did not delete */
  struct rebali_id_set listed;  /* what the list under way holds */
  /* The answer under way. */
  struct rebali_buffer buffer; /* of a page all, of events the line that is not complete */
  int is_over;                 /* it failed: what follows is not read */
  int64_t status;              /* the HTTP status that it names in its body; 0: none */
  rebal_error failure;         /* why it failed, or what the server says */
};

/* Ids of objects: a set that has no memory for one is left as it was. */
int32_t rebali_id_set_add(struct rebali_id_set *set, uint32_t id, rebal_error *err);
void rebali_id_set_remove(struct rebali_id_set *set, uint32_t id);
int rebali_id_set_has(const struct rebali_id_set *set, uint32_t id);
void rebali_id_set_clear(struct rebali_id_set *set);

/* The one JSON document of an answer's text; "items" (or NULL) gets the items of a list one by one. */
typedef int32_t rebali_take_item(rebal_watch *watch, json_t *item, void *user_data, rebal_error *err);
int32_t rebali_watch_read(rebal_watch *watch, const char *bytes, size_t len, rebali_take_item *take_item,
                          void *user_data, json_t **document, rebal_error *err);
/*
 * Gives an object what a list leaves out, and checks it. REBAL_EPARSE, REBAL_ERANGE: the object is refused, and err
 * names it; REBAL_ENOMEM.
 */
int32_t rebali_watch_admit(const rebal_watch *watch, json_t *object, rebal_error *err);
/* The object of the watch's kind with the names of a tree, REBAL_NONE when the store has none. */
uint32_t rebali_watch_find(const rebal_watch *watch, const json_t *object);
/* Notes what a Status says. */
void rebali_watch_note_status(rebal_watch *watch, const json_t *status);
/* Replaces a text of the watch; REBAL_ENOMEM leaves it as it was. */
int32_t rebali_watch_set(struct rebali_buffer *text, const char *value, rebal_error *err);

/* Takes the page in the buffer: all of it or nothing. refusal gets the first object that is refused. */
int32_t rebali_watch_take_page(rebal_watch *watch, rebal_error *refusal, rebal_error *err);
/* Removes what the complete list does not hold. */
void rebali_watch_remove_missing(rebal_watch *watch);
/* Takes one event. *is_refused: err is about its object, and the watch goes on. */
int32_t rebali_watch_take_event(rebal_watch *watch, const char *line, size_t len, int *is_refused, rebal_error *err);

#endif
