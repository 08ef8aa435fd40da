/* SPDX-License-Identifier: MIT */
/*
 * rebalance/spreading.h - WorkloadSpreads and UnitedDeployments of a store: which are due, passes over them, and
 * admission of pods (librebalance-manifest).
 *
 * Memory comes from malloc, as in manifest.h. A feed and its store are used by one thread at a time.
 */
#ifndef REBAL_SPREADING_H
#define REBAL_SPREADING_H

#include "manifest.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Every WorkloadSpread and UnitedDeployment of a store, their workloads, pods and nodes, in the form that
 * workloadspread.h takes.
 */
typedef struct rebal_spread_feed rebal_spread_feed;

/**
 * An empty feed. Nodes go into the cluster of the fleet, whose nodes belong to the feed: those that are there are taken
 * away. An object that the store does not have is taken to be missing. Store and fleet outlive the feed.
 * REBAL_ENOTFOUND: no such cluster. Since: 0.1
 */
REBAL_API int32_t rebal_spread_feed_new(rebal_store *store, rebal_fleet *fleet, uint32_t cluster,
                                        rebal_spread_feed **out, rebal_error *err);
/** NULL is fine. Since: 0.1 */
REBAL_API void rebal_spread_feed_free(rebal_spread_feed *feed);
/**
 * Brings it up to date with the store: only what changed is read again, each object whole or not at all. A
 * WorkloadSpread that changed has the status of the store again; others keep theirs, whatever calls made of it.
 * @returns REBAL_EPARSE, REBAL_ERANGE, REBAL_ELIMIT: an object is refused. What was read of it before stays, all others
 * are brought up to date, and the message names the first that is refused until it is changed or deleted.
 * REBAL_ENOMEM: the next update goes on. Since: 0.1
 */
REBAL_API int32_t rebal_spread_feed_update(rebal_spread_feed *feed, rebal_error *err);
/** The pods, of all namespaces, and their owners; valid as long as the feed. Since: 0.1 */
REBAL_API rebal_pods *rebal_spread_feed_pods(rebal_spread_feed *feed);
/** The WorkloadSpread of an object of the store; NULL when it is none. Valid until the next update. Since: 0.1 */
REBAL_API rebal_spread *rebal_spread_feed_spread(rebal_spread_feed *feed, uint32_t object);
/** The WorkloadSpreads of a namespace by name, n of them, valid until the next update. Since: 0.1 */
REBAL_API rebal_spread *const *rebal_spread_feed_namespace(rebal_spread_feed *feed, const char *name, size_t len,
                                                           size_t *n);
/** The object of the store that a row of SPREAD_POD is; REBAL_NONE when there is none. Since: 0.1 */
REBAL_API uint32_t rebal_spread_feed_object(const rebal_spread_feed *feed, uint32_t row);
/**
 * Takes the next WorkloadSpread that calls for a pass: one that updates read anew, or whose workload, ReplicaSets or
 * pods they did, each once until it is taken, in the order of the updates, then by namespace and name. Nodes call for
 * none. REBAL_NONE: there is no other. Since: 0.1
 */
REBAL_API uint32_t rebal_spread_feed_next_due(rebal_spread_feed *feed);
/**
 * One pass, as rebal_spread_step(), over a WorkloadSpread of the store as of the last update. The pods are those that
 * belong to its workload (spec 1.4), by name, of a Deployment ReplicaSet by ReplicaSet, the older first; the nodes are
 * those of the feed's cluster, and the fleet is frozen anew. A subset whose patch leaves a pod as it is counts as
 * unchanged; one merge serves all pods in which the members that the patches name are alike. opts as there, without
 * rows and unchanged; their cluster is ignored.
 * @returns REBAL_ENOTFOUND: the object is no WorkloadSpread of the feed; REBAL_EINVAL: opts have rows or unchanged;
 * REBAL_EPARSE: the patch of a subset, or a pod, cannot be read; others as rebal_spread_step().
 * Since: 0.1
 */
REBAL_API int32_t rebal_spread_feed_step(rebal_ctx *ctx, rebal_spread_feed *feed, uint32_t object,
                                         const rebal_time *now, const rebal_spread_opts *opts, rebal_result *result,
                                         rebal_error *err);
/**
 * Takes the next UnitedDeployment that calls for a pass, as rebal_spread_feed_next_due() does: it, one of the workloads
 * that it controls, or a ReplicaSet or pod of these changed, came or went. REBAL_NONE: there is no other. Since: 0.1
 */
REBAL_API uint32_t rebal_spread_feed_next_united_due(rebal_spread_feed *feed);
/**
 * One pass, as rebal_united_step(), over a UnitedDeployment of the store. The workload of a subset is the first
 * Deployment, StatefulSet or CloneSet by kind and name that the UnitedDeployment controls and whose label
 * apps.kruise.io/subset-name is the subset's name; the pods are those that such workloads or, of Deployments, their
 * ReplicaSets control, as of the last update. SCALE actions scale the workloads, unless the UnitedDeployment is being
 * deleted. opts as there, without subsets (n) and rows.
 * @returns REBAL_ENOTFOUND: the object is no UnitedDeployment of the feed; REBAL_EINVAL: opts have subsets or rows;
 * REBAL_EPARSE, REBAL_ERANGE: the UnitedDeployment or a workload cannot be read; others as rebal_united_step().
 * Since: 0.1
 */
REBAL_API int32_t rebal_spread_feed_united_step(rebal_ctx *ctx, rebal_spread_feed *feed, uint32_t object,
                                                const rebal_time *now, const rebal_united_opts *opts,
                                                rebal_result *result, rebal_error *err);
/** A request of an API server about a pod. Since: 0.1 */
typedef struct rebal_pod_request {
  uint32_t struct_size;
  uint32_t operation; /**< REBAL_OPERATION_*; of a review 0, which holds its own */
  const char *text;   /**< the pod, or the AdmissionReview: one document, JSON or YAML */
  uint64_t text_len;  /**< bytes of text */
  const char *id;     /**< what to record a pod without a name by; NULL: nothing */
  uint64_t id_len;    /**< bytes of id */
} rebal_pod_request;

/**
 * Admits one pod (for a deletion or eviction the pod as it is) by the WorkloadSpreads of its namespace as of the last
 * update: fills result as rebal_spread_admit() and, on CREATE, appends the injected pod as compact JSON; nothing is
 * appended when the pod is refused or goes. opts as there, without rows; their white list is the store's when they have
 * none. The pod has no row afterwards (column POD). Statuses in the store are not written: the action says what to
 * write.
 *
 * With the option SPREAD_SIMULATION, opts that have a snapshot of the feed's fleet and no simulated are completed: what
 * the pod needs in a subset is found by injecting it there, and the fleet is frozen anew. opts->cluster is one whose
 * pods are known, such as by rebal_store_feed_member(); nodes of the feed's own cluster seem to be free.
 * @returns REBAL_EINVAL: the patch of the chosen subset cannot be merged, or leaves what is no pod; what was recorded
 * stays, as in the reference, and result tells it; the errors of rebal_spread_admit() and of reading a pod, after which
 * nothing was recorded.
 * Source: rebalance-workloadspread(7) 3. Since: 0.1
 */
REBAL_API int32_t rebal_spread_feed_admit(rebal_ctx *ctx, rebal_spread_feed *feed, const rebal_pod_request *request,
                                          const rebal_time *now, const rebal_admit_opts *opts, rebal_result *result,
                                          rebal_text *out, rebal_error *err);
/**
 * The same for an AdmissionReview (admission.k8s.io) about a pod or its eviction: appends the AdmissionReview that
 * answers it, compact JSON, the change as a JSON patch in base64. What is refused has the status code 500, a deletion
 * or eviction 400. Dry runs and all else are allowed as they are, result empty. An evicted pod is the store's; without
 * id the request's uid is one.
 * @returns REBAL_EPARSE: it is no AdmissionReview, or the pod cannot be read; as rebal_spread_feed_admit() else, but
 * that a patch that cannot be merged is a refusal. Since: 0.1
 */
REBAL_API int32_t rebal_spread_feed_review(rebal_ctx *ctx, rebal_spread_feed *feed, const rebal_pod_request *request,
                                           const rebal_time *now, const rebal_admit_opts *opts, rebal_result *result,
                                           rebal_text *out, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
