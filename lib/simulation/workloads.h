/* SPDX-License-Identifier: MIT */
/* lib/simulation/workloads.h - workloads that run in the cluster of the scenario itself, and their pods. */
#ifndef REBALI_WORKLOADS_H
#define REBALI_WORKLOADS_H

#include "simulation.h"

/* A pod of the store, as those who own pods look at it. */
struct rebali_owned_pod {
  uint32_t object;
  uint32_t owner; /* the object that controls it; REBAL_NONE: none does */
  int is_orphan;  /* who controls it is gone */
  int is_gone;    /* deleted since it was listed */
  int is_done;    /* Succeeded or Failed */
  int has_node, is_ready;
  int phase; /* 0 Pending, 1 Unknown, 2 Running: in this order pods go */
  int64_t cost, restarts;
  int64_t ordinal;   /* digits behind the last "-" of its name; -1: none */
  char revision[64]; /* label controller-revision-hash */
  rebal_time created, ready_since;
};

/* In the order in which they were made. */
struct rebali_owned_pods {
  struct rebali_owned_pod *list;
  size_t n, capacity;
};

/* Pods of which the log tells the same: one row for all that follow each other. */
struct rebali_news {
  rebal_text *controller, *object, *change, *reason, *names;
  size_t n;
};

/* What a simulation with workloads has. */
struct rebali_workloads {
  rebal_fleet *fleet; /* nodes and pods of the scenario below one cluster */
  uint32_t nodes;     /* its id */
  rebal_feed *nodes_feed;
  uint32_t spreads; /* another cluster: nodes as the feed has them */
  rebal_spread_feed *feed;
  rebal_result *result;   /* of the webhook, which is asked while others read theirs */
  rebal_snapshot *room;   /* of the nodes when a round of the owners began, for the webhook; NULL: it asks for none */
  rebal_ledger *promised; /* what it let come since */
  rebal_bindings *bindings;
  rebal_text *text, *other; /* of the function at hand */
  struct rebali_news news;
  uint64_t made; /* pods so far */
  size_t most;   /* pods of the store are no more than these */
  /* Changes of the store that these have seen: the owners of pods, the scheduler of pods, the controller of spreads. */
  uint64_t worked, placed, spread;
};

/* Makes what the head asks for; nothing when it asks for no workloads. */
int32_t rebali_workloads_open(rebal_simulation *simulation, rebal_error *err);
void rebali_workloads_free(struct rebali_workloads *workloads);

/* ---- text (workload_text.c) -------------------------------------------------------------------------------------- */

/* Appends what stands before a text, and the text as a JSON string. */
int32_t rebali_print_text(rebal_text *out, rebal_error *err, const char *before, struct rebali_slice text);
/* Appends a field of an object as a JSON string. */
int32_t rebali_quote_field(rebal_simulation *simulation, uint32_t object, const char *path, rebal_text *out,
                           rebal_error *err);
/* Appends a field that is a map, {} where it is none. */
int32_t rebali_print_map(rebal_simulation *simulation, uint32_t object, const char *path, rebal_text *out,
                         rebal_error *err);
/* Appends the member ownerReferences of what an object controls. */
int32_t rebali_print_owner(rebal_simulation *simulation, uint32_t owner, rebal_text *out, rebal_error *err);
/* Replaces a text, one JSON document, by what a JSON merge patch makes of it. */
int32_t rebali_merge_text(rebal_simulation *simulation, rebal_text *text, const rebal_text *patch, rebal_error *err);
/* The reference of an object whose controller is true, as JSON of the store; absent when there is none. */
struct rebali_slice rebali_reference_of(rebal_simulation *simulation, uint32_t object);
/* Is an object controlled by this one, by the uid of its reference? */
int rebali_is_controlled(rebal_simulation *simulation, uint32_t object, uint32_t owner);
/* The object that controls this one; *is_orphan: it has such a reference and the object is not there. */
int32_t rebali_controller_of(rebal_simulation *simulation, uint32_t object, uint32_t *owner, int *is_orphan,
                             rebal_error *err);
/* Ten letters and digits that stand for a text; out has room for 11. */
void rebali_template_hash(struct rebali_slice text, char *out);
/* Takes status.updateRevision of a workload that is seen for the first time as the revision of its template. */
int32_t rebali_revision_remember(rebal_simulation *simulation, uint32_t workload, rebal_error *err);
/* What label controller-revision-hash says of pods of the template; out has room for 64. */
void rebali_revision_of(rebal_simulation *simulation, uint32_t workload, char *out);
/* An integer field; other where it is absent. */
int64_t rebali_integer_or(rebal_simulation *simulation, uint32_t object, const char *path, int64_t other);
/* A field that is a number or a percentage of total; other where it is neither. */
int64_t rebali_share_of(rebal_simulation *simulation, uint32_t object, const char *path, struct rebali_slice other,
                        int64_t total, int is_rounded_up);
/* Writes a merge patch that stands in workloads->text to an object; the log does not tell of it. */
int32_t rebali_patch_quietly(rebal_simulation *simulation, uint32_t object, rebal_error *err);

/* ---- the log (workload_news.c) ----------------------------------------------------------------------------------- */

/* Something happened to a pod, which is in the store; uses workloads->other. */
int32_t rebali_news_add(rebal_simulation *simulation, const char *controller, uint32_t pod, const char *change,
                        const char *reason, rebal_error *err);
/* Logs what was noted. Before any other row. */
int32_t rebali_news_tell(rebal_simulation *simulation, rebal_error *err);

/* ---- pods (workload_pods.c, workload_order.c) -------------------------------------------------------------------- */

int32_t rebali_owned_pods_list(rebal_simulation *simulation, struct rebali_owned_pods *out, rebal_error *err);
void rebali_owned_pods_dispose(struct rebali_owned_pods *pods);
/* An active pod of the owner. */
int rebali_pod_is_of(const struct rebali_owned_pod *pod, uint32_t owner);

/* A pod to be made of the template of its owner. */
struct rebali_pod_plan {
  uint32_t owner;
  int64_t ordinal;      /* its name is that of the owner with this number; -1: with counted letters */
  int is_named;         /* it has its name before it is admitted, or gets it then */
  const char *revision; /* label controller-revision-hash; NULL: none */
  const char *reason;
};
int32_t rebali_pod_make(rebal_simulation *simulation, const struct rebali_pod_plan *plan, rebal_error *err);
int32_t rebali_pod_delete(rebal_simulation *simulation, uint32_t object, const char *controller, const char *reason,
                          rebal_error *err);
/* Does left go before right when there are too many? */
int rebali_pod_goes_before(const struct rebali_owned_pod *left, const struct rebali_owned_pod *right);

/* ---- WorkloadSpreads (spread_webhook.c, spread_controller.c) ----------------------------------------------------- */

/* What was said of a pod that comes: texts of the caller, to which is appended. */
struct rebali_pod_admission {
  rebal_text *change, *reason; /* for the log */
  rebal_text *refusal;
  int is_refused;
};

/* The number of a pod's PriorityClass, as the API server computes it and insists on it (pod_priority.c). */
int32_t rebali_priority_admit(rebal_simulation *simulation, struct rebali_pod_admission *out, rebal_error *err);
/* Are there any? */
int rebali_has_spreads(const rebal_simulation *simulation);
/* Admits the pod in workloads->text, and puts there what becomes of it; id: what it is recorded by without a name. */
int32_t rebali_webhook_create(rebal_simulation *simulation, const char *space, const char *id,
                              struct rebali_pod_admission *out, rebal_error *err);
int32_t rebali_webhook_delete(rebal_simulation *simulation, uint32_t pod, rebal_error *err);
/* With the option SPREAD_SIMULATION the webhook looks at the nodes as they are from here on, until it is closed. */
int32_t rebali_webhook_open(rebal_simulation *simulation, rebal_error *err);
void rebali_webhook_close(struct rebali_workloads *workloads);
/* Logs what became of the WorkloadSpreads. */
int32_t rebali_webhook_tell(rebal_simulation *simulation, rebal_error *err);

/* ---- owners of pods ---------------------------------------------------------------------------------------------- */

/* The ReplicaSets of a Deployment (workload_replica_sets.c). */
int32_t rebali_deployment_run(rebal_simulation *simulation, uint32_t deployment, rebal_error *err);
/* The pods of a ReplicaSet, CloneSet, Job or other kind (workload_scale.c), of a StatefulSet (workload_ordinals.c). */
int32_t rebali_workload_scale(rebal_simulation *simulation, uint32_t workload, struct rebali_owned_pods *pods,
                              rebal_error *err);
int32_t rebali_ordinals_scale(rebal_simulation *simulation, uint32_t workload, struct rebali_owned_pods *pods,
                              rebal_error *err);
/* status.replicas and what belongs to it (workload_status.c). */
int32_t rebali_workload_report(rebal_simulation *simulation, uint32_t workload, const struct rebali_owned_pods *pods,
                               rebal_error *err);
int32_t rebali_deployment_report(rebal_simulation *simulation, uint32_t deployment, rebal_error *err);

#endif
