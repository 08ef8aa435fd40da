/* SPDX-License-Identifier: MIT */
/*
 * rebalance/watch.h - requests to an API server, by which a store follows it and actions are carried out, and reviews
 * for one (librebalance-manifest). The library sends nothing itself.
 *
 * Memory comes from malloc, as in manifest.h. A watch and its store are used by one thread at a time.
 */
#ifndef REBAL_WATCH_H
#define REBAL_WATCH_H

#include "manifest.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- watches ----------------------------------------------------------------------------------------------------- */

/**
 * A list and watch of one kind, without I/O: it returns requests, takes the bytes of their answers, and keeps the
 * objects of a store equal to those of the API server.
 */
typedef struct rebal_watch rebal_watch;

/** Options of a watch; NULL: all objects of the kind, with the defaults in brackets. Texts are copied. Since: 0.1 */
typedef struct rebal_watch_opts {
  uint32_t struct_size;
  uint32_t page_size;       /**< objects in a page of a list [500] */
  uint32_t timeout_seconds; /**< after which the server ends a watch [300] */
  uint32_t reserved0;       /**< must be 0 */
  const char *namespace_;   /**< empty: all */
  uint64_t namespace_len;
  const char *label_selector; /**< such as "app=web,tier in (a,b)" */
  uint64_t label_selector_len;
  const char *field_selector; /**< such as "spec.nodeName=node-1" */
  uint64_t field_selector_len;
} rebal_watch_opts;

/**
 * Creates a watch of a kind in one of its versions, such as "apps/v1", "Deployment". The store must outlive it and may
 * have several. Each list, also the first, is compared with the objects in the store. Free *out with
 * rebal_watch_free().
 * @returns REBAL_EINVAL, REBAL_EABI; REBAL_ELIMIT: a text of more than 65,536 bytes.
 * Since: 0.1
 */
REBAL_API int32_t rebal_watch_new(rebal_store *store, const char *api_version, size_t api_version_len, const char *kind,
                                  size_t kind_len, const rebal_watch_opts *opts, rebal_watch **out, rebal_error *err);
/** Frees a watch; the objects stay in the store. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_watch_free(rebal_watch *watch);
/**
 * Appends path and query of the next request, which is a GET of JSON: the pages of the list first, then watches. An
 * incomplete answer is dropped.
 * @returns REBAL_EUNSUPPORTED: the plural of the kind is unknown, see rebal_store_add_resource(); REBAL_EINVAL: a
 * namespace for a kind without namespaces.
 * Since: 0.1
 */
REBAL_API int32_t rebal_watch_request(rebal_watch *watch, rebal_text *out, rebal_error *err);
/**
 * Takes bytes of the answer's body, in pieces of any size. Events enter the store line by line, a page when it is
 * complete. After an error the caller continues to feed, and calls rebal_watch_end(), whose code decides whether to
 * wait.
 * @returns for a refused object: REBAL_EPARSE, REBAL_ERANGE, and its name in the message. The store keeps the object as
 * it was, and the watch continues. For an answer that cannot be used: REBAL_EPARSE, REBAL_ELIMIT (an event or a page
 * above max_bytes of the store's limits), REBAL_ENOMEM; later bytes are dropped, and rebal_watch_end() returns the same
 * code.
 * Since: 0.1
 */
REBAL_API int32_t rebal_watch_feed(rebal_watch *watch, const char *bytes, size_t len, rebal_error *err);
/**
 * Ends the answer, with the status of its HTTP header (0: none arrived). After the last page of a list, objects that it
 * does not have are removed. After status 410, or an ERROR event with it, the list is read again; after the end of a
 * watch the next one resumes.
 * @returns REBAL_OK: the next request may be sent. After an error the caller waits first, longer each time.
 * REBAL_EAGAIN: the server failed or refused, with its message; REBAL_EPARSE, REBAL_ELIMIT, REBAL_ENOMEM: the answer
 * could not be used; REBAL_EPARSE, REBAL_ERANGE also if an object of a page was refused, as in rebal_watch_feed().
 * Since: 0.1
 */
REBAL_API int32_t rebal_watch_end(rebal_watch *watch, int32_t http_status, rebal_error *err);
/** Returns 1 after the first complete list, else 0. Since: 0.1 */
REBAL_API int32_t rebal_watch_is_synced(const rebal_watch *watch);

/* ---- actions ----------------------------------------------------------------------------------------------------- */

/** How to render an action; NULL: the defaults. Since: 0.1 */
typedef struct rebal_render_opts {
  uint32_t struct_size;
  uint32_t format;           /**< of the body, REBAL_TEXT_FORMAT_*; 0: REBAL_TEXT_FORMAT_JSON */
  const char *field_manager; /**< in the query of writes; empty: none, the API server uses the user agent */
  uint64_t field_manager_len;
} rebal_render_opts;

/** A request to an API server, as rebal_store_render_action() fills it; its texts end with NUL. Since: 0.1 */
typedef struct rebal_request {
  uint32_t struct_size;
  uint32_t reserved0;       /**< must be 0 */
  const char *method;       /**< GET, POST, PATCH or DELETE; "" if nothing is sent. Static */
  const char *content_type; /**< of the body; "" without a body. Static */
  const char *path;         /**< with the query, percent-encoded; in out */
  uint64_t path_len;
  const char *body; /**< in out */
  uint64_t body_len;
} rebal_request;

/**
 * Appends the request by which a client carries out an action. With request: path and query, a NUL, the body; request
 * points to them until the next write to out. request NULL: the body alone.
 *
 * The body is a JSON merge patch, with REBAL_TEXT_FORMAT_JSON_PATCH an RFC 6902 patch, for REBAL_OBJECT_POD_PATCH a
 * strategic merge patch; for CREATE and EVENT the object, for DELETE its options, for EVICT an Eviction. SCALE patches
 * the subresource scale. READ and LIST have none, WAKE sends nothing. An API server does not take patches in YAML.
 *
 * store: has the object as it was read. Conditions of other types stay in their places; in a UnitedDeployment so do
 * other subsets and the parts of them that others write. Missing maps are made, missing members are not removed, and
 * equal members are not set. An RFC 6902 patch tests the type of each condition it replaces. store NULL: the object is
 * unknown. A merge patch then replaces status.conditions, which others write as well, and an RFC 6902 patch requires
 * the maps on its paths.
 * @returns REBAL_ENOTFOUND: a patch for an object that the store does not have; REBAL_EINVAL: a patch of a pod that
 * cannot be merged; REBAL_EUNSUPPORTED: an RFC 6902 patch of an unknown pod that depends on it, or a kind whose plural
 * is unknown (rebal_store_add_resource()). On failure out is as before.
 * Since: 0.1
 */
REBAL_API int32_t rebal_store_render_action(const rebal_store *store, const rebal_result *result, size_t action,
                                            const rebal_render_opts *opts, rebal_text *out, rebal_request *request,
                                            rebal_error *err);
/**
 * Takes the API server's answer to an action that was sent: http_status (0: none arrived) and the body. Adds the
 * outcome to observations (may be NULL): 2xx done, 404 not found, 409 a conflict, other 4xx denied with the server's
 * reason as a REBAL_OBJECT_CONDITION, 408, 429, 5xx and no answer transient; the message is the server's. The object in
 * the answer to a READ, a write or a CREATE replaces that of the store, so that the next step sees the write before a
 * watch brings it; older events are then ignored. An answer that is older than the state from a watch is ignored, as is
 * one to a patch of an object that no longer exists. An object that is deleted at once is removed. An EVENT or a WAKE
 * has no outcome; a SCALE is observed, and its workload changes by its watch.
 * @returns REBAL_EINVAL, REBAL_ENOMEM; REBAL_EUNSUPPORTED for a LIST; REBAL_EEXIST: the action was observed before;
 * REBAL_EPARSE, REBAL_ERANGE, REBAL_ELIMIT: the store refuses the object, but the outcome is observed.
 * Since: 0.1
 */
REBAL_API int32_t rebal_store_take_answer(rebal_store *store, const rebal_result *result, size_t action,
                                          int32_t http_status, const char *body, size_t body_len,
                                          rebal_observations *observations, rebal_error *err);

/* ---- reviews ----------------------------------------------------------------------------------------------------- */

/**
 * Answers an AdmissionReview (admission.k8s.io; text: one document) of the creation or update of a WorkloadSpread or
 * UnitedDeployment: appends an AdmissionReview as compact JSON. Findings of rebal_store_validate(), with the review's
 * oldObject as the old one, refuse the object, as does an unreadable one: status code 400, the findings as "path:
 * cause: value: message". Everything else is allowed.
 * @returns REBAL_EPARSE: it is not an AdmissionReview; REBAL_ELIMIT, REBAL_EINVAL. On failure nothing is appended.
 * Source: rebalance-workloadspread(7) 8.1. Since: 0.1
 */
REBAL_API int32_t rebal_store_review(rebal_store *store, const char *text, size_t len, const rebal_compat *compat,
                                     rebal_text *out, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
