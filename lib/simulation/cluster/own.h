/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/cluster/own.h - the scenario's own cluster: pods as objects of the store, created by workloads there
 * and admitted by WorkloadSpreads (own.c, own_pods.c, pod_admissions.c, pod_log.c, pod_webhook.c).
 */
#ifndef REBALI_SIMULATION_OWN_H
#define REBALI_SIMULATION_OWN_H

#include "simulation/cluster/pods.h"

#include <rebalance/spreading.h>

/* Bytes of the hash of a template, with the terminator. */
#define REBALI_HASH 11

/* Consecutive pods with the same log entry: they share a row. */
struct rebali_pod_log {
  struct rebali_buffer controller, object, change, reason, names;
  size_t n;
};

enum rebali_admission_text {
  REBALI_ADMISSION_NAMESPACE,
  REBALI_ADMISSION_NAME,
  REBALI_ADMISSION_SUBSET,
  REBALI_ADMISSION_PASSED_OVER,
  REBALI_ADMISSION_MESSAGE,
  REBALI_ADMISSION_BEFORE,
  REBALI_ADMISSION_AFTER,
  REBALI_ADMISSION_TEXTS
};

/* A pod that was created or deleted, as rebal_simulation_admission_read() returns it. */
struct rebali_admission_row {
  rebal_time time;
  uint32_t operation, outcome, pod, owner;
  int is_refused;
  size_t at[REBALI_ADMISSION_TEXTS]; /* offsets of terminated texts */
};

struct rebali_admissions {
  struct rebali_admission_row *rows;
  size_t n, capacity;
  uint64_t most; /* 0: no rows are kept */
  struct rebali_admission_row next;
  struct rebali_buffer text;
};

/* The revision of a template, which distinguishes its pods from older ones. */
struct rebali_revision {
  char text[REBALI_REVISION]; /* label controller-revision-hash; "": pods are not distinguished */
  int has_unlabelled;         /* the first template seen had no revision: pods without a label are its pods */
};

/* What is kept of an object that controls pods. */
struct rebali_owner {
  struct rebali_pods pods; /* in the order of creation */
  uint64_t named;          /* number of names given to pods so far */
  uint32_t attempts;       /* to create a pod that was refused */
  uint64_t claimed;        /* changes of the store when it last claimed pods */
  char *revision; /* when first seen: hash of its template, then status.updateRevision; "": outdated; NULL: not seen */
};

struct rebali_own {
  struct rebali_core *core;
  int64_t ready_after_ns;
  size_t max_pods;
  rebal_fleet *fleet; /* nodes and pods of the scenario below one cluster */
  uint32_t nodes;     /* its id */
  rebal_feed *nodes_feed;
  uint32_t spreads; /* another cluster: nodes as the feed has them */
  rebal_spread_feed *feed;
  rebal_result *result;            /* of the webhook, which runs while others read their result */
  rebal_snapshot *round_nodes;     /* nodes at the start of a round of the owners, for the webhook; NULL: not needed */
  rebal_ledger *promised;          /* admitted since then */
  struct rebali_buffer pod, other; /* of the current function */
  struct rebali_pod_log log;
  struct rebali_admissions admissions;
  struct rebali_object_rows owners; /* struct rebali_owner */
  struct rebali_object_rows places; /* the list that holds the pod of an object */
  struct rebali_pods loose;         /* pods that no object controls */
  struct rebali_pods orphans;       /* pods whose controller was deleted */
  struct rebali_timers retries;     /* when an owner may retry after its pod was refused */
  uint64_t seen;                    /* changes of the store */
  uint64_t made;                    /* pods so far */
  size_t most;                      /* upper bound of the pods in the store */
  rebal_time next;                  /* time of the first pod that gets ready */
  int is_paused;                    /* pods do not get ready by time */
};

/* ---- the cluster (own.c) ----------------------------------------------------------------------------------------- */

/* Prepares a zeroed structure for keeping pods. */
void rebali_own_prepare(struct rebali_own *own);
int32_t rebali_own_open(struct rebali_own *own, struct rebali_core *core, rebal_error *err);
void rebali_own_dispose(struct rebali_own *own);
/* Updates the pods from the store. */
int32_t rebali_own_update(struct rebali_own *own, rebal_error *err);
/* Calls a function with every list of pods and its owner (REBAL_NONE: none), until it fails. */
typedef int32_t (*rebali_own_visit)(void *user, struct rebali_pods *pods, uint32_t owner, rebal_error *err);
int32_t rebali_own_each(struct rebali_own *own, rebali_own_visit visit, void *user, rebal_error *err);
/* Returns what is kept of an owner, creating it if it is missing. The pointer is valid until another one is created. */
struct rebali_owner *rebali_owner(struct rebali_own *own, uint32_t object, rebal_error *err);
/* Returns the pods of an owner as of the last update, including those that are done. */
struct rebali_pods *rebali_pods_of(struct rebali_own *own, uint32_t owner);
/* Returns the pod of an object, or NULL if it is not known. */
struct rebali_pod *rebali_own_pod(struct rebali_own *own, uint32_t object);

/* ---- owners (own_pods.c) ----------------------------------------------------------------------------------------- */

/* Returns the object that controls this one. *is_orphan is set if the reference exists but the object does not. */
uint32_t rebali_controller_of(struct rebali_server *server, uint32_t object, int *is_orphan);
/*
 * Append the owner reference for objects that this one controls; the second one as ,"ownerReferences":[...] with it
 * alone.
 */
void rebali_print_reference(struct rebali_server *server, uint32_t owner, struct rebali_buffer *out);
void rebali_print_owner(struct rebali_server *server, uint32_t owner, struct rebali_buffer *out);
/* Writes letters and digits that identify a template, which may be NULL. */
int32_t rebali_template_hash(const rebal_value *template, char out[REBALI_HASH], rebal_error *err);
/* Records status.updateRevision of a workload that is seen for the first time as the revision of its template. */
int32_t rebali_revision_remember(struct rebali_own *own, uint32_t workload, rebal_error *err);
int32_t rebali_revision_of(struct rebali_own *own, uint32_t workload, struct rebali_revision *out, rebal_error *err);
int rebali_revision_has(const struct rebali_revision *revision, const struct rebali_pod *pod);

/* A pod to be created from the template of its owner. */
struct rebali_pod_plan {
  uint32_t owner;
  int64_t ordinal;      /* number after the owner's name; -1: counted letters */
  int is_named;         /* it has its name before admission; otherwise it gets one then */
  const char *revision; /* label controller-revision-hash; NULL: none */
  const char *reason;
  int is_indexed; /* the number is the index of an Indexed Job; letters follow it in the name */
};
int32_t rebali_pod_make(struct rebali_own *own, const struct rebali_pod_plan *plan, rebal_error *err);
int32_t rebali_pod_delete(struct rebali_own *own, uint32_t object, const char *controller, const char *reason,
                          rebal_error *err);

/* ---- the log (pod_log.c) ----------------------------------------------------------------------------------------- */

/* Notes an event of a pod that is in the store. */
int32_t rebali_pod_log_add(struct rebali_own *own, const char *controller, uint32_t pod, const char *change,
                           const char *reason, rebal_error *err);
/* Logs what was noted. Must be called before any other row is logged. */
int32_t rebali_pod_log_report(struct rebali_own *own, rebal_error *err);
void rebali_pod_log_dispose(struct rebali_pod_log *log);

/* ---- rows of created and deleted pods (pod_admissions.c); without rows to keep these do nothing ------------------ */

/* Begins a row for a pod of an owner (REBAL_NONE: none), given as JSON before its admission. */
void rebali_admission_begin(struct rebali_own *own, uint32_t operation, uint32_t owner, const char *before);
/* Sets a text of the current row. */
void rebali_admission_set(struct rebali_own *own, enum rebali_admission_text which, const char *text);
/* Ends the row with what own->result holds of the pod with this object, namespace and name. */
int32_t rebali_admission_end(struct rebali_own *own, uint32_t pod, const char *namespace_, const char *pod_name,
                             int is_refused, rebal_error *err);
const char *rebali_admission_text(const struct rebali_admissions *admissions, size_t row,
                                  enum rebali_admission_text which);
void rebali_admissions_dispose(struct rebali_admissions *admissions);

/* ---- admission (pod_webhook.c) ----------------------------------------------------------------------------------- */

/* What was found about a new pod; texts are appended. */
struct rebali_pod_admission {
  struct rebali_buffer change, reason; /* for the log */
  struct rebali_buffer refusal;
  int is_refused;
};

/* Admits the pod in own->pod and replaces it by the admitted one. id is its key in records if it has no name. */
int32_t rebali_own_admit(struct rebali_own *own, const char *namespace_, const char *id,
                         struct rebali_pod_admission *out, rebal_error *err);
int32_t rebali_own_admit_delete(struct rebali_own *own, uint32_t pod, rebal_error *err);
/* Returns the name of the subset in own->result; "": none. */
const char *rebali_admitted_subset(const struct rebali_own *own, const char *namespace_);
/* Tests whether there are WorkloadSpreads. */
int rebali_has_spreads(const struct rebali_own *own);
/* With the option SPREAD_SIMULATION, the webhook uses the nodes as they are now until it is closed. */
int32_t rebali_webhook_open(struct rebali_own *own, rebal_error *err);
void rebali_webhook_close(struct rebali_own *own);
/* Logs the changes of the WorkloadSpreads. */
int32_t rebali_webhook_report(struct rebali_own *own, rebal_error *err);

#endif
