/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/cluster/own.h - the scenario's own cluster: pods that are objects of the store, made by workloads
 * there and admitted by WorkloadSpreads (own.c, own_pods.c, pod_admissions.c, pod_log.c,
 * pod_webhook.c).
 */
#ifndef REBALI_SIMULATION_OWN_H
#define REBALI_SIMULATION_OWN_H

#include "simulation/cluster/pods.h"

#include <rebalance/spreading.h>

/* Letters of the hash of a template, and the end. */
#define REBALI_HASH 11

/* Pods of which the log tells the same: one row for all that follow each other. */
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

/* A pod that came or went, as rebal_simulation_admission_read() gives it. */
struct rebali_admission_row {
  rebal_time time;
  uint32_t operation, outcome, pod, owner;
  int is_refused;
  size_t at[REBALI_ADMISSION_TEXTS]; /* offsets of terminated texts */
};

struct rebali_admissions {
  struct rebali_admission_row *rows;
  size_t n, capacity;
  uint64_t most; /* 0: none are kept */
  struct rebali_admission_row next;
  struct rebali_buffer text;
};

/* The revision of a template, by which its pods are told from those of former ones. */
struct rebali_revision {
  char text[REBALI_REVISION]; /* label controller-revision-hash; "": pods are not told apart */
  int has_unlabelled;         /* the template is the first one seen and had no revision: pods without a label are its */
};

/* What is kept of an object that controls pods. */
struct rebali_owner {
  struct rebali_pods pods; /* in the order in which they were made */
  uint64_t named;          /* names that it gave to pods so far, counted */
  uint32_t attempts;       /* to make a pod that was refused */
  uint64_t claimed;        /* changes of the store when it looked whose pods are */
  char *revision; /* when first seen: hash of its template, then status.updateRevision; "": behind; NULL: not seen */
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
  rebal_result *result;   /* of the webhook, which runs while others read theirs */
  rebal_snapshot *room;   /* of the nodes when a round of the owners began, for the webhook; NULL: it needs none */
  rebal_ledger *promised; /* what it admitted since */
  struct rebali_buffer pod, other; /* of the function at hand */
  struct rebali_pod_log log;
  struct rebali_admissions admissions;
  struct rebali_object_rows owners; /* struct rebali_owner */
  struct rebali_object_rows places; /* in which list the pod of an object is */
  struct rebali_pods loose;         /* pods that no object controls */
  struct rebali_pods orphans;       /* pods whose controller is gone */
  struct rebali_timers retries;     /* when an owner whose pod was refused may try again */
  uint64_t seen;                    /* changes of the store */
  uint64_t made;                    /* pods so far */
  size_t most;                      /* pods of the store are no more than these */
  rebal_time next;                  /* the first of its pods that gets ready */
  int is_paused;                    /* no pod gets ready by itself */
};

/* ---- the cluster (own.c) ----------------------------------------------------------------------------------------- */

/* What is needed to know pods, of zeros. */
void rebali_own_prepare(struct rebali_own *own);
int32_t rebali_own_open(struct rebali_own *own, struct rebali_core *core, rebal_error *err);
void rebali_own_dispose(struct rebali_own *own);
/* The pods as the store has them now. */
int32_t rebali_own_update(struct rebali_own *own, rebal_error *err);
/* Calls a function with every list of pods and the owner of those in it (REBAL_NONE: none), until it fails. */
typedef int32_t (*rebali_own_visit)(void *user, struct rebali_pods *pods, uint32_t owner, rebal_error *err);
int32_t rebali_own_each(struct rebali_own *own, rebali_own_visit visit, void *user, rebal_error *err);
/* What is kept of an owner, made when new; it moves when another is. */
struct rebali_owner *rebali_owner(struct rebali_own *own, uint32_t object, rebal_error *err);
/* Its pods as of the last update, those that are done among them. */
struct rebali_pods *rebali_pods_of(struct rebali_own *own, uint32_t owner);
/* The pod of an object; NULL: it is none that is known. */
struct rebali_pod *rebali_own_pod(struct rebali_own *own, uint32_t object);

/* ---- owners (own_pods.c) ----------------------------------------------------------------------------------------- */

/* The object that controls this one; *is_orphan: it has such a reference and the object is not there. */
uint32_t rebali_controller_of(struct rebali_server *server, uint32_t object, int *is_orphan);
/* Appends the reference of what an object controls; ,"ownerReferences":[...] with it alone. */
void rebali_print_reference(struct rebali_server *server, uint32_t owner, struct rebali_buffer *out);
void rebali_print_owner(struct rebali_server *server, uint32_t owner, struct rebali_buffer *out);
/* Letters and digits that stand for a template, which may be NULL. */
int32_t rebali_template_hash(const rebal_value *template, char out[REBALI_HASH], rebal_error *err);
/* Takes status.updateRevision of a workload that is seen for the first time as the revision of its template. */
int32_t rebali_revision_remember(struct rebali_own *own, uint32_t workload, rebal_error *err);
int32_t rebali_revision_of(struct rebali_own *own, uint32_t workload, struct rebali_revision *out, rebal_error *err);
int rebali_revision_has(const struct rebali_revision *revision, const struct rebali_pod *pod);

/* A pod to be made of the template of its owner. */
struct rebali_pod_plan {
  uint32_t owner;
  int64_t ordinal;      /* its name is that of the owner with this number; -1: with counted letters */
  int is_named;         /* it has its name before it is admitted, or gets it then */
  const char *revision; /* label controller-revision-hash; NULL: none */
  const char *reason;
  int is_indexed; /* the number is the index of an Indexed Job: letters follow it in the name */
};
int32_t rebali_pod_make(struct rebali_own *own, const struct rebali_pod_plan *plan, rebal_error *err);
int32_t rebali_pod_delete(struct rebali_own *own, uint32_t object, const char *controller, const char *reason,
                          rebal_error *err);

/* ---- the log (pod_log.c) ----------------------------------------------------------------------------------------- */

/* Something happened to a pod, which is in the store. */
int32_t rebali_pod_log_add(struct rebali_own *own, const char *controller, uint32_t pod, const char *change,
                           const char *reason, rebal_error *err);
/* Logs what was noted. Before any other row. */
int32_t rebali_pod_log_tell(struct rebali_own *own, rebal_error *err);
void rebali_pod_log_dispose(struct rebali_pod_log *log);

/* ---- rows of pods that came or went (pod_admissions.c); where none are kept these do nothing --------------------- */

/* A row begins: a pod of an owner (REBAL_NONE: none), in JSON as it is before its admission. */
void rebali_admission_begin(struct rebali_own *own, uint32_t operation, uint32_t owner, const char *before);
/* A text of the row that began. */
void rebali_admission_set(struct rebali_own *own, enum rebali_admission_text which, const char *text);
/* The row ends with what own->result says of the pod, whose object, namespace and name these are. */
int32_t rebali_admission_end(struct rebali_own *own, uint32_t pod, const char *namespace_, const char *pod_name,
                             int is_refused, rebal_error *err);
const char *rebali_admission_text(const struct rebali_admissions *admissions, size_t row,
                                  enum rebali_admission_text which);
void rebali_admissions_dispose(struct rebali_admissions *admissions);

/* ---- admission (pod_webhook.c) ----------------------------------------------------------------------------------- */

/* What was said of a pod that comes, to which is appended. */
struct rebali_pod_admission {
  struct rebali_buffer change, reason; /* for the log */
  struct rebali_buffer refusal;
  int is_refused;
};

/* Admits the pod in own->pod, and puts there what becomes of it; id: what it is recorded by without a name. */
int32_t rebali_own_admit(struct rebali_own *own, const char *namespace_, const char *id,
                         struct rebali_pod_admission *out, rebal_error *err);
int32_t rebali_own_admit_delete(struct rebali_own *own, uint32_t pod, rebal_error *err);
/* The name of the subset in own->result; "": none. */
const char *rebali_admitted_subset(const struct rebali_own *own, const char *namespace_);
/* Are there any WorkloadSpreads? */
int rebali_has_spreads(const struct rebali_own *own);
/* With the option SPREAD_SIMULATION the webhook looks at the nodes as they are from here on, until it is closed. */
int32_t rebali_webhook_open(struct rebali_own *own, rebal_error *err);
void rebali_webhook_close(struct rebali_own *own);
/* Logs what became of the WorkloadSpreads. */
int32_t rebali_webhook_tell(struct rebali_own *own, rebal_error *err);

#endif
