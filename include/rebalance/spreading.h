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
 * Creates an empty feed. It adds nodes to the cluster of the fleet; the nodes of that cluster belong to the feed, and
 * existing ones are removed. Objects that the store does not have count as missing. Store and fleet must outlive the
 * feed. Free it with rebal_spread_feed_free(). REBAL_ENOTFOUND: the cluster does not exist. Since: 0.1
 */
REBAL_API int32_t rebal_spread_feed_new(rebal_store *store, rebal_fleet *fleet, uint32_t cluster,
                                        rebal_spread_feed **out, rebal_error *err);
/** Frees a feed. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_spread_feed_free(rebal_spread_feed *feed);
/**
 * Brings the feed up to date with the store: reads only changed objects, each whole or not at all. A changed
 * WorkloadSpread gets the status of the store; others keep the status that calls left.
 * @returns REBAL_EPARSE, REBAL_ERANGE, REBAL_ELIMIT: an object is refused. Its earlier state stays, all others are
 * brought up to date, and the message names the first refused object until it is changed or deleted. REBAL_ENOMEM: the
 * next update continues. Since: 0.1
 */
REBAL_API int32_t rebal_spread_feed_update(rebal_spread_feed *feed, rebal_error *err);
/** Returns the pods, of all namespaces, and their owners; valid as long as the feed. Since: 0.1 */
REBAL_API rebal_pods *rebal_spread_feed_pods(rebal_spread_feed *feed);
/**
 * Returns the WorkloadSpread of an object of the store; NULL if it is of another kind. Valid until the next update.
 * Since: 0.1
 */
REBAL_API rebal_spread *rebal_spread_feed_spread(rebal_spread_feed *feed, uint32_t object);
/** Returns the WorkloadSpreads of a namespace by name and sets *n; valid until the next update. Since: 0.1 */
REBAL_API rebal_spread *const *rebal_spread_feed_namespace(rebal_spread_feed *feed, const char *name, size_t len,
                                                           size_t *n);
/** Returns the object of the store for a row of SPREAD_POD; REBAL_NONE if it has none. Since: 0.1 */
REBAL_API uint32_t rebal_spread_feed_object(const rebal_spread_feed *feed, uint32_t row);
/**
 * Takes the next WorkloadSpread that needs a pass because an update read it, its workload, ReplicaSets or pods. Each is
 * due once until it is taken, in the order of the updates, then by namespace and name. Changes of nodes make none due.
 * Returns REBAL_NONE if none is due. Since: 0.1
 */
REBAL_API uint32_t rebal_spread_feed_next_due(rebal_spread_feed *feed);
/**
 * Runs one pass, as rebal_spread_step(), over a WorkloadSpread of the store as of the last update. The pods are those
 * of its workload (rebalance-workloadspread(7) 1.4), by name, for a Deployment ReplicaSet by ReplicaSet, the older
 * first; the nodes are those of the feed's cluster, and the fleet is frozen again. A subset whose patch leaves a pod as
 * it is counts as unchanged; pods that are equal in the members named by the patches share one merge. opts as there,
 * without rows and unchanged; their cluster is ignored.
 * @returns REBAL_ENOTFOUND: the object is not a WorkloadSpread of the feed; REBAL_EINVAL: opts have rows or unchanged;
 * REBAL_EPARSE: the patch of a subset, or a pod, cannot be read; others as rebal_spread_step().
 * Since: 0.1
 */
REBAL_API int32_t rebal_spread_feed_step(rebal_ctx *ctx, rebal_spread_feed *feed, uint32_t object,
                                         const rebal_time *now, const rebal_spread_opts *opts, rebal_result *result,
                                         rebal_error *err);
/**
 * Takes the next UnitedDeployment that needs a pass, as rebal_spread_feed_next_due() does, because it, a workload that
 * it controls, or a ReplicaSet or pod of such a workload was added, changed or deleted. Returns REBAL_NONE if none is
 * due.
 * Since: 0.1
 */
REBAL_API uint32_t rebal_spread_feed_next_united_due(rebal_spread_feed *feed);
/**
 * Runs one pass, as rebal_united_step(), over a UnitedDeployment of the store. The workload of a subset is the first
 * Deployment, StatefulSet or CloneSet by kind and name that the UnitedDeployment controls and whose label
 * apps.kruise.io/subset-name is the subset's name; the pods are those that such workloads or, for Deployments, their
 * ReplicaSets control, as of the last update. SCALE actions scale the workloads, unless the UnitedDeployment is being
 * deleted. opts as there, without subsets (n) and rows.
 * @returns REBAL_ENOTFOUND: the object is not a UnitedDeployment of the feed; REBAL_EINVAL: opts have subsets or rows;
 * REBAL_EPARSE, REBAL_ERANGE: the UnitedDeployment or a workload cannot be read; others as rebal_united_step().
 * Since: 0.1
 */
REBAL_API int32_t rebal_spread_feed_united_step(rebal_ctx *ctx, rebal_spread_feed *feed, uint32_t object,
                                                const rebal_time *now, const rebal_united_opts *opts,
                                                rebal_result *result, rebal_error *err);
/** A request that an API server received for a pod. Since: 0.1 */
typedef struct rebal_pod_request {
  uint32_t struct_size;
  uint32_t operation; /**< REBAL_OPERATION_*; 0 for a review, which has its own */
  const char *text;   /**< the pod, or the AdmissionReview: one document, JSON or YAML */
  uint64_t text_len;  /**< bytes of text */
  const char *id;     /**< id under which to record a pod without a name; NULL: none */
  uint64_t id_len;    /**< bytes of id */
} rebal_pod_request;

/**
 * Admits one pod (for a deletion or eviction the existing pod) by the WorkloadSpreads of its namespace as of the last
 * update: fills result as rebal_spread_admit() and, on CREATE, appends the injected pod as compact JSON. Nothing is
 * appended if the pod is refused, deleted or evicted. opts as there, without rows; without a white list they take that
 * of the store. The pod has no row afterwards (column POD). The store's statuses do not change: the action holds the
 * write.
 *
 * With the option SPREAD_SIMULATION, opts with a snapshot of the feed's fleet but without simulated are completed: the
 * pod's requirements in a subset are found by injecting the subset, and the fleet is frozen again. opts->cluster must
 * be one whose pods are known, such as by rebal_store_feed_member(); nodes of the feed's own cluster seem to be free.
 * @returns REBAL_EINVAL: the patch of the chosen subset cannot be merged, or does not leave a pod; then the pod stays
 * recorded, as in the reference, and result has its row; the errors of rebal_spread_admit() and of reading a pod, after
 * which it is not recorded.
 * Source: rebalance-workloadspread(7) 3. Since: 0.1
 */
REBAL_API int32_t rebal_spread_feed_admit(rebal_ctx *ctx, rebal_spread_feed *feed, const rebal_pod_request *request,
                                          const rebal_time *now, const rebal_admit_opts *opts, rebal_result *result,
                                          rebal_text *out, rebal_error *err);
/**
 * Answers an AdmissionReview (admission.k8s.io) for a pod or its eviction, as rebal_spread_feed_admit() does: appends
 * an AdmissionReview as compact JSON, with the change as a JSON patch in base64. A refusal has the status code 500, of
 * a deletion or eviction 400. Dry runs and other requests are allowed unchanged, with an empty result. An evicted pod
 * is read from the store; without id the request's uid is used.
 * @returns REBAL_EPARSE: it is not an AdmissionReview, or the pod cannot be read; else as rebal_spread_feed_admit(),
 * but a patch that cannot be merged is a refusal. Since: 0.1
 */
REBAL_API int32_t rebal_spread_feed_review(rebal_ctx *ctx, rebal_spread_feed *feed, const rebal_pod_request *request,
                                           const rebal_time *now, const rebal_admit_opts *opts, rebal_result *result,
                                           rebal_text *out, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
