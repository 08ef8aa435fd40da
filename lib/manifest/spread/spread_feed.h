/* SPDX-License-Identifier: MIT */
/* lib/manifest/spread/spread_feed.h - what the files share that keep the WorkloadSpreads of a store up to date. */
#ifndef REBALI_SPREAD_FEED_H
#define REBALI_SPREAD_FEED_H

#include "manifest/spread/kruise.h"

/* What is kept beside an object of the store. */
struct rebali_fed {
  json_t *owners; /* keys of the owners that a Pod, ReplicaSet or workload names, each once; NULL: none */
  uint32_t row;   /* of a Pod in SPREAD_POD; REBAL_NONE: it has none */
  uint32_t node;  /* of a Node in the cluster; REBAL_NONE: it has none */
  uint32_t turn;  /* of what listens: what does so for it in an earlier turn listens no more */
  int is_united;  /* it is a UnitedDeployment, and there */
  int is_due;     /* it is listed in due or due_united */
  int is_fresh;   /* and in fresh or fresh_united */
  int is_refused; /* its last state could not be read: what is kept is of an older one */
};

/* The Pods, ReplicaSets and workloads of a namespace that name a uid as an owner's, by kind and name. */
struct rebali_children {
  json_t *key;
  uint32_t *objects;
  size_t n, capacity;
};

/* Objects each once; some may be gone. */
struct rebali_id_list {
  uint32_t *ids;
  size_t first, n, capacity;
};

/* Which WorkloadSpreads and UnitedDeployments are due when something changes, by hash (spread_due.c). */
struct rebali_listener;
struct rebali_listeners {
  struct rebali_listener *list;
  uint32_t *slots; /* as many as there is capacity: a place in the list + 1, 0: none */
  size_t n, capacity;
};

/* A WorkloadSpread of the store. */
struct rebali_fed_spread {
  rebal_spread *spread;
  uint32_t *rows;
  size_t n_rows, capacity;
  uint32_t object;
  json_t *subsets;                    /* spec.subsets as v1beta1 spells them; NULL: none */
  int has_patch;                      /* some subset has one */
  struct rebali_unchanged *unchanged; /* of those subsets; NULL: nobody has asked (spread_feed_unchanged.c) */
  uint64_t *words;                    /* what was found out, by row */
  uint64_t *asked;                    /* by row: the change of the pod that the words are about; 0: none */
  size_t words_capacity, asked_capacity;
};

struct rebal_spread_feed {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_builder *builder;
  rebal_pods *pods;
  uint32_t cluster;
  uint64_t seen;          /* the changes of the store that are in here */
  struct rebali_fed *fed; /* by id in the store */
  size_t n_fed;
  uint32_t *objects; /* by row of SPREAD_POD */
  size_t n_objects;
  struct rebali_fed_spread *spreads; /* by namespace and name */
  rebal_spread **handles;            /* of them, in the same order */
  size_t n_spreads, spreads_capacity, handles_capacity;
  size_t n_patching;   /* those that have a patch */
  json_t *label_keys;  /* a map of the labels that target filters have ever asked for */
  json_t *white_list;  /* a tree of the object WHITE_LIST */
  json_t *owners;      /* rows of OWNER by kind, namespace and name, then by apiVersion (spread_owner.c) */
  size_t owners_kept;  /* rows of OWNER that were in use when that was looked at last */
  json_t *children_of; /* indices in children by key (spread_children.c) */
  struct rebali_children *children;
  size_t n_children, children_capacity;
  struct rebali_listeners listeners;
  struct rebali_id_list due;          /* WorkloadSpreads to be brought up to date */
  struct rebali_id_list due_united;   /* and UnitedDeployments */
  struct rebali_id_list fresh;        /* WorkloadSpreads brought up to date and not taken since */
  struct rebali_id_list fresh_united; /* and UnitedDeployments */
  size_t n_united;                    /* UnitedDeployments that are there */
  uint32_t *refused;                  /* ids in the store, in the order of their refusals */
  size_t n_refused, refused_capacity;
  int32_t refusal; /* the code of the first of this update; REBAL_OK: there is none */
  rebal_error refusal_text;
  int is_behind;         /* the last update was not whole */
  int is_asked_more;     /* labels of pods are asked for that their rows do not have */
  int is_list_changed;   /* the white list is another */
  int are_owners_broken; /* some row of OWNER is not whole */
};

/*
 * Passes REBAL_OK and REBAL_ENOMEM on. All other codes are about one object: it is refused, and the update goes on.
 */
int32_t rebali_feed_refuse(rebal_spread_feed *feed, uint32_t object, int32_t code, const rebal_error *local,
                           rebal_error *err);
const struct rebali_object *rebali_feed_object(const rebal_spread_feed *feed, uint32_t object);
/* By kind, namespace and name; of the same, the one that is there now comes last. */
int rebali_feed_compare(const rebal_spread_feed *feed, uint32_t left, uint32_t right);
/* Is an object of the store of this kind and group? */
int rebali_feed_is(const rebal_spread_feed *feed, uint32_t object, const char *group, const char *kind);

/* ---- owners as rows (spread_owner.c) ---- */

/* The reference whose controller is true; NULL when there is none. */
const json_t *rebali_controller_reference(const json_t *tree);
/* The row of OWNER of what controls an object, REBAL_NONE for none, and those of what is above it. */
int32_t rebali_feed_owner(rebal_spread_feed *feed, const char *namespace_, const json_t *tree, uint32_t *row,
                          rebal_error *err);
/* The object changed: so do rows that are about it. */
int32_t rebali_feed_owner_changed(rebal_spread_feed *feed, uint32_t object, rebal_error *err);
/* Takes rows away that nothing leads to, when there may be many. */
int32_t rebali_feed_owners_sweep(rebal_spread_feed *feed, rebal_error *err);
/* Takes all rows away: every pod is to be read again. */
void rebali_feed_owners_drop(rebal_spread_feed *feed);

/* ---- what owners own (spread_children.c) ---- */

/* tree NULL: the object is gone. Nothing changes on failure. */
int32_t rebali_children_put(rebal_spread_feed *feed, uint32_t object, const json_t *tree, rebal_error *err);
/* *out is NULL when there are none. The listener, unless it is REBAL_NONE, is due from now on when they change. */
int32_t rebali_children_find(rebal_spread_feed *feed, const char *namespace_, const char *uid, uint32_t listener,
                             const struct rebali_children **out, rebal_error *err);
void rebali_children_free(rebal_spread_feed *feed);

/* ---- what is due (spread_due.c) ---- */

/* Of an object of the store, whether it is there or not. */
uint64_t rebali_name_hash(const char *kind, const char *namespace_, const char *name);
/* Of the children by a key. */
uint64_t rebali_owner_hash(const char *key);
/* The object is due from now on when something of this hash changes. */
int32_t rebali_listen(rebal_spread_feed *feed, uint32_t object, uint64_t hash, rebal_error *err);
void rebali_listen_no_more(rebal_spread_feed *feed, uint32_t object);
void rebali_listeners_free(rebal_spread_feed *feed);
/* An object is due, or all that listen to a hash; there is capacity for all of them. */
void rebali_due(rebal_spread_feed *feed, uint32_t object);
void rebali_due_by(rebal_spread_feed *feed, uint64_t hash);
/* Makes capacity for n more in a list of those that are fresh. */
int32_t rebali_fresh_reserve(struct rebali_id_list *fresh, size_t n, rebal_error *err);
/* The object was brought up to date: a pass over it may do something. */
void rebali_fresh_note(rebal_spread_feed *feed, struct rebali_id_list *fresh, uint32_t object);
/* Makes of the list of those due the places that they have in spreads, in order; so many. None is due any more. */
size_t rebali_due_places(rebal_spread_feed *feed);

/* ---- pods and nodes (spread_feed_pods.c, spread_feed_nodes.c) ---- */

/* A new row for a pod of a namespace, whether the store has it or not. */
int32_t rebali_feed_pod_row(rebal_spread_feed *feed, const char *namespace_, const json_t *tree, uint32_t *row,
                            rebal_error *err);
/* Reads an object that is there, or forgets one that is not. */
int32_t rebali_feed_pod(rebal_spread_feed *feed, uint32_t object, rebal_error *err);
int32_t rebali_feed_node(rebal_spread_feed *feed, uint32_t object, rebal_error *err);
/* Reads all pods again. */
int32_t rebali_feed_pods_again(rebal_spread_feed *feed, rebal_error *err);

/* ---- WorkloadSpreads (spread_feed_spreads.c, spread_facts.c, spread_found.c) ---- */

int32_t rebali_feed_spread(rebal_spread_feed *feed, uint32_t object, rebal_error *err);
/* NULL when the object is none. */
struct rebali_fed_spread *rebali_feed_find(const rebal_spread_feed *feed, uint32_t object);
void rebali_feed_spreads_free(rebal_spread_feed *feed);
/* Facts and rows of those for which something changed, or of all. */
int32_t rebali_feed_settle(rebal_spread_feed *feed, int is_whole, rebal_error *err);

/* What is known of a workload: its tree, NULL when it is missing, and of a Deployment its ReplicaSets, older first. */
struct rebali_fed_workload {
  const json_t *tree;
  json_t *replica_sets; /* a list of trees; NULL: it is no Deployment */
};
/* To be closed whatever it returns. */
int32_t rebali_workload_open(rebal_spread_feed *feed, uint32_t object, struct rebali_fed_workload *out,
                             rebal_error *err);
void rebali_workload_close(struct rebali_fed_workload *workload);
/* Tells a spread the facts of its workload. */
int32_t rebali_feed_facts(rebal_spread_feed *feed, const struct rebali_fed_spread *fed, const json_t *spec,
                          const struct rebali_fed_workload *workload, rebal_error *err);
/* Finds the pods of its workload. */
int32_t rebali_spread_rows(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const json_t *spec,
                           const struct rebali_fed_workload *workload, rebal_error *err);

/* ---- UnitedDeployments (spread_feed_united.c) ---- */

int32_t rebali_feed_united(rebal_spread_feed *feed, uint32_t object, rebal_error *err);
/* Those for which something changed, or all, become fresh. */
int32_t rebali_feed_united_settle(rebal_spread_feed *feed, int is_whole, rebal_error *err);
/* Is an object of a kind that a UnitedDeployment has as the workload of a subset? */
int rebali_is_subset_workload(const rebal_spread_feed *feed, uint32_t object);
/* A workload of a UnitedDeployment, or a ReplicaSet of one, its tree, and what it owns; NULL: nothing. */
typedef int32_t rebali_united_owner(void *user, uint32_t object, json_t *tree, const struct rebali_children *children,
                                    rebal_error *err);
/*
 * Calls the function for each that the UnitedDeployment of a uid controls, until it fails. listener, unless it is
 * REBAL_NONE, is due from now on when one of them comes, changes or goes, or one of their pods.
 */
int32_t rebali_united_walk(rebal_spread_feed *feed, const char *namespace_, const char *uid, uint32_t listener,
                           rebali_united_owner *call, void *user, rebal_error *err);

/* ---- a pass (spread_feed_unchanged.c) ---- */

/*
 * For rebal_spread_opts.unchanged and unchanged_stride: bits of the rows that have a node and no subset yet. One merge
 * is made for all pods in which the members that the patches name are alike. Valid until the next call for the object,
 * or the next update; words NULL: no subset has a patch.
 */
int32_t rebali_feed_unchanged(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const uint64_t **words,
                              uint64_t *stride, rebal_error *err);

/* ---- admission (admit_pod.c) ---- */

/* A request about a pod, and what the caller of rebal_spread_feed_admit() gave with it. */
struct rebali_pod_question {
  rebal_spread_feed *feed;
  rebal_ctx *ctx;
  uint32_t operation;
  const char *id;
  size_t id_len;
  const rebal_time *now;
  const rebal_admit_opts *opts;
  rebal_result *result;
  const char *namespace_; /* of a pod that names none; NULL or "": default */
};

/* Options of an admission with what a pod needs in each subset (spread_simulated.c). */
struct rebali_simulated {
  rebal_admit_opts opts;
  uint32_t *needs; /* handles */
  rebal_snapshot *snapshot;
};

/*
 * When the option SPREAD_SIMULATION and a snapshot are among the options and nobody says what the pod in a row needs,
 * *opts becomes options that do, with a snapshot of the fleet as it is now. To be closed whatever it returns.
 */
int32_t rebali_simulated_open(const struct rebali_pod_question *request, rebal_spread *const *spreads, size_t n,
                              uint32_t row, const json_t *pod, const rebal_admit_opts **opts,
                              struct rebali_simulated *out, rebal_error *err);
void rebali_simulated_close(struct rebali_simulated *simulated);

/*
 * Checks what is needed, and that the operation is not above the last one, and reads the request's document. wanted:
 * its members that matter where nothing is patched; NULL: all.
 */
int32_t rebali_pod_question_take(struct rebali_pod_question *question, const rebal_pod_request *request,
                                 uint32_t last_operation, const struct rebali_wanted *wanted, json_t **tree,
                                 rebal_error *err);
/* Fills the result. The pod's row is gone afterwards. */
int32_t rebali_pod_admit(const struct rebali_pod_question *request, const json_t *pod, rebal_error *err);
/* REBAL_ADMIT_OUTCOME_* */
int64_t rebali_pod_outcome(const struct rebali_pod_question *request);
/* 1 when the pod is refused: why is appended. */
int rebali_pod_refusal(const struct rebali_pod_question *request, struct rebali_buffer *out);
/* A new reference to the pod as it goes on. */
int32_t rebali_pod_inject(const struct rebali_pod_question *request, json_t *pod, json_t **out, rebal_error *err);

#endif
