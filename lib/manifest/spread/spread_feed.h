/* SPDX-License-Identifier: MIT */
/* lib/manifest/spread/spread_feed.h - shared by the files that keep the WorkloadSpreads of a store up to date. */
#ifndef REBALI_SPREAD_FEED_H
#define REBALI_SPREAD_FEED_H

#include "manifest/spread/kruise.h"

/* State kept for an object of the store. */
struct rebali_fed {
  json_t *owners; /* keys of the owners named by a Pod, ReplicaSet or workload, each once; NULL: none */
  uint32_t row;   /* of a Pod in SPREAD_POD; REBAL_NONE: none */
  uint32_t node;  /* of a Node in the cluster; REBAL_NONE: none */
  uint32_t turn;  /* of its listeners: those of an earlier turn are invalid */
  int is_united;  /* an existing UnitedDeployment */
  int is_due;     /* listed in due or due_united */
  int is_fresh;   /* listed in fresh or fresh_united */
  int is_refused; /* its last state could not be read: the data are from an older one */
};

/* The Pods, ReplicaSets and workloads of a namespace that name a uid as an owner's, by kind and name. */
struct rebali_children {
  json_t *key;
  uint32_t *objects;
  size_t n, capacity;
};

/* Objects, each once; some may be deleted. */
struct rebali_id_list {
  uint32_t *ids;
  size_t first, n, capacity;
};

/* Finds the WorkloadSpreads and UnitedDeployments that are due after a change, by hash (spread_due.c). */
struct rebali_listener;
struct rebali_listeners {
  struct rebali_listener *list;
  uint32_t *slots; /* as many as capacity: an index in the list + 1, 0: none */
  size_t n, capacity;
};

/* A WorkloadSpread of the store. */
struct rebali_fed_spread {
  rebal_spread *spread;
  uint32_t *rows;
  size_t n_rows, capacity;
  uint32_t object;
  json_t *subsets;                    /* spec.subsets in the spelling of v1beta1; NULL: none */
  int has_patch;                      /* some subset has one */
  struct rebali_unchanged *unchanged; /* of those subsets; NULL: not yet needed (spread_feed_unchanged.c) */
  uint64_t *words;                    /* results, by row */
  uint64_t *judged;                   /* by row: the pod's change that the words are from; 0: none */
  size_t words_capacity, judged_capacity;
};

struct rebal_spread_feed {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_builder *builder;
  rebal_pods *pods;
  uint32_t cluster;
  uint64_t seen;          /* change of the store up to which this is current */
  struct rebali_fed *fed; /* by id in the store */
  size_t n_fed;
  uint32_t *objects; /* by row of SPREAD_POD */
  size_t n_objects;
  struct rebali_fed_spread *spreads; /* by namespace and name */
  rebal_spread **handles;            /* of them, in the same order */
  size_t n_spreads, spreads_capacity, handles_capacity;
  size_t n_patching;   /* spreads that have a patch */
  json_t *label_keys;  /* a map of the labels that target filters have ever used */
  json_t *white_list;  /* a tree of the object WHITE_LIST */
  json_t *owners;      /* rows of OWNER by kind, namespace and name, then by apiVersion (spread_owner.c) */
  size_t owners_kept;  /* rows of OWNER in use at the last sweep */
  json_t *children_of; /* indices in children by key (spread_children.c) */
  struct rebali_children *children;
  size_t n_children, children_capacity;
  struct rebali_listeners listeners;
  struct rebali_id_list due;          /* WorkloadSpreads to be updated */
  struct rebali_id_list due_united;   /* UnitedDeployments to be updated */
  struct rebali_id_list fresh;        /* updated WorkloadSpreads not yet taken */
  struct rebali_id_list fresh_united; /* updated UnitedDeployments not yet taken */
  size_t n_united;                    /* existing UnitedDeployments */
  uint32_t *refused;                  /* ids in the store, in the order of their refusals */
  size_t n_refused, refused_capacity;
  int32_t refusal; /* code of the first refusal of this update; REBAL_OK: none */
  rebal_error refusal_text;
  int is_outdated;       /* the last update was incomplete */
  int needs_more_labels; /* labels of pods are required that their rows lack */
  int is_list_changed;   /* the white list has changed */
  int are_owners_broken; /* some row of OWNER is incomplete */
};

/* Passes REBAL_OK and REBAL_ENOMEM on. All other codes concern one object: it is refused, and the update continues. */
int32_t rebali_feed_refuse(rebal_spread_feed *feed, uint32_t object, int32_t code, const rebal_error *local,
                           rebal_error *err);
const struct rebali_object *rebali_feed_object(const rebal_spread_feed *feed, uint32_t object);
/* Orders by kind, namespace and name; among equals, the existing one comes last. */
int rebali_feed_compare(const rebal_spread_feed *feed, uint32_t left, uint32_t right);
/* Returns 1 if an object of the store is of this kind and group. */
int rebali_feed_is(const rebal_spread_feed *feed, uint32_t object, const char *group, const char *kind);

/* ---- owners as rows (spread_owner.c) ---- */

/* Returns the reference whose controller is true; NULL if there is none. */
const json_t *rebali_controller_reference(const json_t *tree);
/* Sets *row to the row of OWNER of an object's controller, REBAL_NONE for none; adds the rows above it too. */
int32_t rebali_feed_owner(rebal_spread_feed *feed, const char *namespace_, const json_t *tree, uint32_t *row,
                          rebal_error *err);
/* Updates the rows about a changed object. */
int32_t rebali_feed_owner_changed(rebal_spread_feed *feed, uint32_t object, rebal_error *err);
/* Removes unreferenced rows if there may be many. */
int32_t rebali_feed_owners_sweep(rebal_spread_feed *feed, rebal_error *err);
/* Removes all rows: every pod must be read again. */
void rebali_feed_owners_drop(rebal_spread_feed *feed);

/* ---- children of owners (spread_children.c) ---- */

/* tree NULL: the object is deleted. Nothing changes on failure. */
int32_t rebali_children_put(rebal_spread_feed *feed, uint32_t object, const json_t *tree, rebal_error *err);
/* *out is NULL if there are none. The listener, unless REBAL_NONE, becomes due whenever they change. */
int32_t rebali_children_find(rebal_spread_feed *feed, const char *namespace_, const char *uid, uint32_t listener,
                             const struct rebali_children **out, rebal_error *err);
void rebali_children_free(rebal_spread_feed *feed);

/* ---- due objects (spread_due.c) ---- */

/* Hashes the name of an object of the store, which need not exist. */
uint64_t rebali_name_hash(const char *kind, const char *namespace_, const char *name);
/* Hashes the key of children. */
uint64_t rebali_owner_hash(const char *key);
/* Makes the object due whenever something with this hash changes. */
int32_t rebali_listen(rebal_spread_feed *feed, uint32_t object, uint64_t hash, rebal_error *err);
void rebali_listen_no_more(rebal_spread_feed *feed, uint32_t object);
void rebali_listeners_free(rebal_spread_feed *feed);
/* Marks an object, or all that listen to a hash, as due; there is capacity for all of them. */
void rebali_due(rebal_spread_feed *feed, uint32_t object);
void rebali_due_by(rebal_spread_feed *feed, uint64_t hash);
/* Reserves capacity for n more in a list of fresh objects. */
int32_t rebali_fresh_reserve(struct rebali_id_list *fresh, size_t n, rebal_error *err);
/* Marks an object as updated: a pass over it may have an effect. */
void rebali_fresh_note(rebal_spread_feed *feed, struct rebali_id_list *fresh, uint32_t object);
/*
 * Replaces the due list by the indices of its objects in spreads, in order; returns their number. None is due any more.
 */
size_t rebali_due_places(rebal_spread_feed *feed);

/* ---- pods and nodes (spread_feed_pods.c, spread_feed_nodes.c) ---- */

/* Adds a row for a pod of a namespace; the store need not have the pod. */
int32_t rebali_feed_pod_row(rebal_spread_feed *feed, const char *namespace_, const json_t *tree, uint32_t *row,
                            rebal_error *err);
/* Reads an existing object, or forgets a deleted one. */
int32_t rebali_feed_pod(rebal_spread_feed *feed, uint32_t object, rebal_error *err);
int32_t rebali_feed_node(rebal_spread_feed *feed, uint32_t object, rebal_error *err);
/* Reads all pods again. */
int32_t rebali_feed_pods_again(rebal_spread_feed *feed, rebal_error *err);

/* ---- WorkloadSpreads (spread_feed_spreads.c, spread_facts.c, spread_found.c) ---- */

int32_t rebali_feed_spread(rebal_spread_feed *feed, uint32_t object, rebal_error *err);
/* Returns NULL if the object is not a WorkloadSpread. */
struct rebali_fed_spread *rebali_feed_find(const rebal_spread_feed *feed, uint32_t object);
void rebali_feed_spreads_free(rebal_spread_feed *feed);
/* Updates facts and rows of the due ones, or of all. */
int32_t rebali_feed_settle(rebal_spread_feed *feed, int is_whole, rebal_error *err);

/* A workload: its tree, NULL if missing, and for a Deployment its ReplicaSets, older first. */
struct rebali_fed_workload {
  const json_t *tree;
  json_t *replica_sets; /* a list of trees; NULL: not a Deployment */
};
/* Must be closed whatever it returns. */
int32_t rebali_workload_open(rebal_spread_feed *feed, uint32_t object, struct rebali_fed_workload *out,
                             rebal_error *err);
void rebali_workload_close(struct rebali_fed_workload *workload);
/* Sets the facts of a spread's workload. */
int32_t rebali_feed_facts(rebal_spread_feed *feed, const struct rebali_fed_spread *fed, const json_t *spec,
                          const struct rebali_fed_workload *workload, rebal_error *err);
/* Finds the pods of its workload. */
int32_t rebali_spread_rows(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const json_t *spec,
                           const struct rebali_fed_workload *workload, rebal_error *err);

/* ---- UnitedDeployments (spread_feed_united.c) ---- */

int32_t rebali_feed_united(rebal_spread_feed *feed, uint32_t object, rebal_error *err);
/* Makes the due ones, or all, fresh. */
int32_t rebali_feed_united_settle(rebal_spread_feed *feed, int is_whole, rebal_error *err);
/* Returns 1 if an object is of a kind that a UnitedDeployment has as the workload of a subset. */
int rebali_is_subset_workload(const rebal_spread_feed *feed, uint32_t object);
/* Called with a workload of a UnitedDeployment, or a ReplicaSet of one, its tree, and what it owns; NULL: nothing. */
typedef int32_t rebali_united_owner(void *user, uint32_t object, json_t *tree, const struct rebali_children *children,
                                    rebal_error *err);
/*
 * Calls the function for each object that the UnitedDeployment of a uid controls, until it fails. listener, unless
 * REBAL_NONE, becomes due whenever one of them or of their pods is added, changed or deleted.
 */
int32_t rebali_united_walk(rebal_spread_feed *feed, const char *namespace_, const char *uid, uint32_t listener,
                           rebali_united_owner *call, void *user, rebal_error *err);

/* ---- a pass (spread_feed_unchanged.c) ---- */

/*
 * Computes rebal_spread_opts.unchanged and unchanged_stride: bits of the rows that have a node but no subset yet. Pods
 * with equal members where the patches apply are merged once. Valid until the next call for the object or the next
 * update; words NULL: no subset has a patch.
 */
int32_t rebali_feed_unchanged(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const uint64_t **words,
                              uint64_t *stride, rebal_error *err);

/* ---- admission (admit_pod.c) ---- */

/* A request about a pod, with the arguments of rebal_spread_feed_admit(). */
struct rebali_pod_question {
  rebal_spread_feed *feed;
  rebal_ctx *ctx;
  uint32_t operation;
  const char *id;
  size_t id_len;
  const rebal_time *now;
  const rebal_admit_opts *opts;
  rebal_result *result;
  const char *namespace_; /* of a pod without namespace; NULL or "": default */
};

/* Options of an admission with the requirements of a pod in each subset (spread_simulated.c). */
struct rebali_simulated {
  rebal_admit_opts opts;
  uint32_t *needs; /* handles */
  rebal_snapshot *snapshot;
};

/*
 * If the options have SPREAD_SIMULATION and a snapshot but not the requirements of the pod in a row, *opts becomes
 * options
 * with them and with a snapshot of the current fleet. Must be closed whatever it returns.
 */
int32_t rebali_simulated_open(const struct rebali_pod_question *request, rebal_spread *const *spreads, size_t n,
                              uint32_t row, const json_t *pod, const rebal_admit_opts **opts,
                              struct rebali_simulated *out, rebal_error *err);
void rebali_simulated_close(struct rebali_simulated *simulated);

/*
 * Checks the required arguments and the operation's range, and reads the request's document. wanted: the members that
 * matter if nothing is patched; NULL: all.
 */
int32_t rebali_pod_question_take(struct rebali_pod_question *question, const rebal_pod_request *request,
                                 uint32_t last_operation, const struct rebali_wanted *wanted, json_t **tree,
                                 rebal_error *err);
/* Fills the result. The pod's row is removed afterwards. */
int32_t rebali_pod_admit(const struct rebali_pod_question *request, const json_t *pod, rebal_error *err);
/* REBAL_ADMIT_OUTCOME_* */
int64_t rebali_pod_outcome(const struct rebali_pod_question *request);
/* Returns 1 and appends the reason if the pod is refused. */
int rebali_pod_refusal(const struct rebali_pod_question *request, struct rebali_buffer *out);
/* Returns a new reference to the pod after admission. */
int32_t rebali_pod_inject(const struct rebali_pod_question *request, json_t *pod, json_t **out, rebal_error *err);

#endif
