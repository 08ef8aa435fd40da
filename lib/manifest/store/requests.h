/* SPDX-License-Identifier: MIT */
/* lib/manifest/store/requests.h - requests to an API server, and its answers; a part of the module "manifest". */
#ifndef REBALI_REQUESTS_H
#define REBALI_REQUESTS_H

#include "manifest/manifest.h"

#include <rebalance/watch.h>

/* ---- paths (url.c) ---------------------------------------------------------------------------------------------- */

/* The parts of a path; empty texts are omitted. */
struct rebali_url {
  const char *api_version, *kind, *namespace_, *name, *subresource;
};

/* Parameters of a query so far. */
struct rebali_query {
  size_t n;
};

/* Appends a text, percent-encoding all but unreserved characters. */
void rebali_url_encode(struct rebali_buffer *out, const char *text, size_t len);
/* Appends a path. REBAL_EUNSUPPORTED: the kind is neither built in nor added to the store (or NULL). */
int32_t rebali_url_path(const rebal_store *store, const struct rebali_url *url, struct rebali_buffer *out,
                        rebal_error *err);
/* Appends a parameter unless its value is empty. */
void rebali_url_query(struct rebali_buffer *out, struct rebali_query *query, const char *name, const char *value,
                      size_t len);

/* ---- actions (request.c) ---------------------------------------------------------------------------------------- */

/* Appends path and query of an action, and sets method and content type. Appends nothing if nothing is sent. */
int32_t rebali_action_request(const rebal_store *store, const struct rebali_action_row *action,
                              const rebal_render_opts *opts, struct rebali_buffer *out, rebal_request *request,
                              rebal_error *err);

/* ---- answers to own writes (own_writes.c) ------------------------------------------------------------------------ */

/* Records the object's version in an answer. */
int32_t rebali_own_write_note(rebal_store *store, uint32_t object, const char *version, rebal_error *err);
/* Returns 1 if an event of this version is older than an answer. After the first event that is not, none is. */
int rebali_own_write_is_newer(rebal_store *store, uint32_t object, const char *version);
/* *out: a watch has brought a version of the object older than that of an answer. REBAL_ENOMEM. */
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
  size_t n; /* in words */
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
  struct rebali_id_set given;   /* sent by the server since the last complete list, and not deleted */
  struct rebali_id_set listed;  /* in the current list */
  /* The current answer. */
  struct rebali_buffer buffer; /* a whole page, or the incomplete line of events */
  int is_over;                 /* it failed: the rest is not read */
  int64_t status;              /* the HTTP status in its body; 0: none */
  rebal_error failure;         /* why it failed, or the server's message */
};

/* Ids of objects. If memory runs out, the set stays unchanged. */
int32_t rebali_id_set_add(struct rebali_id_set *set, uint32_t id, rebal_error *err);
void rebali_id_set_remove(struct rebali_id_set *set, uint32_t id);
int rebali_id_set_has(const struct rebali_id_set *set, uint32_t id);
void rebali_id_set_clear(struct rebali_id_set *set);

/* Reads an answer's text, one JSON document; "items" (or NULL) gets the items of a list one by one. */
typedef int32_t rebali_take_item(rebal_watch *watch, json_t *item, void *user_data, rebal_error *err);
int32_t rebali_watch_read(rebal_watch *watch, const char *bytes, size_t len, rebali_take_item *take_item,
                          void *user_data, json_t **document, rebal_error *err);
/*
 * Completes an object with what a list omits, and checks it. REBAL_EPARSE, REBAL_ERANGE: the object is refused, and err
 * names it; REBAL_ENOMEM.
 */
int32_t rebali_watch_admit(const rebal_watch *watch, json_t *object, rebal_error *err);
/* Finds the object of the watch's kind with the names of a tree, REBAL_NONE if the store has none. */
uint32_t rebali_watch_find(const rebal_watch *watch, const json_t *object);
/* Records the contents of a Status. */
void rebali_watch_note_status(rebal_watch *watch, const json_t *status);
/* Replaces a text of the watch; on REBAL_ENOMEM it stays unchanged. */
int32_t rebali_watch_set(struct rebali_buffer *text, const char *value, rebal_error *err);

/* Takes the page in the buffer completely or not at all. refusal gets the first refused object. */
int32_t rebali_watch_take_page(rebal_watch *watch, rebal_error *refusal, rebal_error *err);
/* Removes objects that are missing in the complete list. */
void rebali_watch_remove_missing(rebal_watch *watch);
/* Takes one event. *is_refused: err is about its object, and the watch continues. */
int32_t rebali_watch_take_event(rebal_watch *watch, const char *line, size_t len, int *is_refused, rebal_error *err);

#endif
