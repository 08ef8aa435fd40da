/* SPDX-License-Identifier: MIT */
/*
 * lib/manifest/spread/kruise.h - shared by the files that read and write OpenKruise's objects
 * (rebalance-workloadspread(7)).
 */
#ifndef REBALI_MANIFEST_KRUISE_H
#define REBALI_MANIFEST_KRUISE_H

#include "manifest/patch/document.h"

#include <rebalance/spreading.h>

/* ---- replicas along a path (replicas_path.c) --------------------------------------------------------------------- */

/*
 * Reads the integer at a path such as spec.groups.0.replicas, truncated to 32 bits; 0 for ""
 * (rebalance-workloadspread(7) 2.6). REBAL_EINVAL with the reference's message.
 */
int32_t rebali_path_value(const json_t *object, const char *path, int32_t *out, rebal_error *err);
/* Returns the sum along a list of paths, which wraps. */
int32_t rebali_path_sum(const json_t *object, const json_t *paths, int32_t *out, rebal_error *err);

/* ---- kinds of workloads besides the built-in ones (white_list.c) ------------------------------------------------- */

#define REBALI_WHITE_LIST "WorkloadSpread_Watch_Custom_Workload_WhiteList"

/*
 * Reads the white list in a text of the ConfigMap kruise-configuration as a tree of the object WHITE_LIST. Members that
 * the reference does not know are omitted; names are spelled as in the reference. An empty text is an empty list.
 * @returns REBAL_EPARSE: the text is not a white list.
 */
int32_t rebali_white_list_tree(const char *text, size_t len, json_t **out, rebal_error *err);
/* The same for the ConfigMaps of a store, in any namespace. */
int32_t rebali_white_list_find(rebal_store *store, json_t **out, rebal_error *err);

/* ---- annotation with a pod's subset (matched_subset.c) ----------------------------------------------------------- */

#define REBALI_MATCHED_SPREAD "apps.kruise.io/matched-workloadspread"
#define REBALI_DELETION_COST "controller.kubernetes.io/pod-deletion-cost"

/* The content of an annotation; texts live as long as its tree, "" if missing. */
struct rebali_matched {
  int64_t state; /* REBAL_ANNOTATION_* */
  const char *spread, *subset, *id;
  json_t *tree;
};

/* text NULL: the annotation is missing, which equals an empty one. REBAL_ENOMEM. */
int32_t rebali_matched_open(const char *text, size_t len, struct rebali_matched *out, rebal_error *err);
void rebali_matched_close(struct rebali_matched *matched);
/* Builds the annotation's text as a value; id "": no id. */
int32_t rebali_matched_value(const char *spread, const char *subset, const char *id, json_t **out, rebal_error *err);

/* ---- facts about a workload (spread_workload.c) ------------------------------------------------------------------ */

/*
 * Replicas of a workload (NULL: it is missing) as a WorkloadSpread's spec requires (rebalance-workloadspread(7) 2.6).
 * white_list: a tree of the object WHITE_LIST, or NULL.
 */

/* For admission: 0 unless some limit is in percent. REBAL_EINVAL: they cannot be read along the filter's paths. */
int32_t rebali_admission_replicas(const json_t *spec, const json_t *workload, const json_t *white_list, int32_t *out,
                                  rebal_error *err);
/* For the controller; -1: the workload does not specify any. */
int32_t rebali_workload_replicas(const json_t *spec, const json_t *workload);
/* For the controller, along paths. *has_paths 0: there are none. REBAL_EINVAL: they cannot be read along the paths. */
int32_t rebali_path_replicas(const json_t *spec, const json_t *workload, const json_t *white_list, int *has_paths,
                             int32_t *out, rebal_error *err);

/* ---- pods as rows (spread_pod.c) --------------------------------------------------------------------------------- */

/* Target of a pod: a row of SPREAD_POD with nothing set, and the cluster of its node. */
struct rebali_pod_row {
  rebal_fleet *fleet;
  rebal_builder *builder;
  rebal_pods *pods;
  const json_t *label_keys; /* a map of the labels that target filters use; NULL: none */
  uint32_t row;
  uint32_t cluster;
};

/* Sets every cell except CONTROLLER, ADMISSION_ID and OPERATION. REBAL_EPARSE, REBAL_ERANGE with the field. */
int32_t rebali_spread_pod_read(const struct rebali_pod_row *row, const json_t *tree, rebal_error *err);

#define REBALI_RESERVED_POD "apps.kruise.io/united-deployment-reserved-pod" /* a label */

/* ---- patched pods (pod_patch.c, typed_pod.c) --------------------------------------------------------------------- */

/* Builds the strategic merge patch of a payload POD_PATCH: {"metadata": ...}. */
int32_t rebali_pod_patch(const rebal_record *payload, json_t **out, rebal_error *err);
/*
 * Applies a strategic merge patch to a pod and returns a map of its own. REBAL_EINVAL, REBAL_EPARSE: it cannot be
 * merged.
 */
int32_t rebali_pod_patched(const json_t *pod, const json_t *patch, json_t **out, rebal_error *err);
/* Returns a value without null members and directives ("$..."); NULL without memory. */
json_t *rebali_typed(const json_t *value);

/* ---- injection (inject.c) ---------------------------------------------------------------------------------------- */

/*
 * Injects a subset (a tree of the object SUBSET), its patch and the annotation into a pod. The result shares unchanged
 * parts with the pod, which is not changed. id "": none. Source: rebalance-workloadspread(7) 3.7.
 * @returns REBAL_EPARSE: a value in the pod is not the required map or list; REBAL_EINVAL: the patch cannot be merged.
 */
int32_t rebali_inject(const json_t *pod, const json_t *subset, const char *spread, const char *id, json_t **out,
                      rebal_error *err);

int rebali_subset_has_patch(const rebal_spread *spread, uint32_t subset);
/* The same for a subset of an existing WorkloadSpread; id: "" for none. */
int32_t rebali_inject_subset(const rebal_spread *spread, uint32_t subset, const char *id, size_t id_len,
                             const json_t *pod, json_t **out, rebal_error *err);

/* ---- patches that leave a pod unchanged (spread_unchanged.c) ----------------------------------------------------- */

/* The patches of a WorkloadSpread, and their results on pods. */
struct rebali_unchanged;

/* subsets: spec.subsets, a list of trees of the object SUBSET, not changed; NULL: none. */
int32_t rebali_unchanged_new(const json_t *subsets, struct rebali_unchanged **out, rebal_error *err);
/* NULL is fine. */
void rebali_unchanged_free(struct rebali_unchanged *unchanged);
/* Returns the words per pod; 0: no subset has a patch. */
size_t rebali_unchanged_stride(const struct rebali_unchanged *unchanged);
/*
 * Returns the words of a pod of a store, valid until the next call; NULL: no subset has a patch. A bit is set if the
 * subset has a patch that can be merged and changes only annotations. Pods that agree in all that the patches change
 * are
 * merged once. REBAL_ENOMEM.
 */
int32_t rebali_unchanged_pod(struct rebali_unchanged *unchanged, const struct rebali_object *pod,
                             const uint64_t **words, rebal_error *err);
/* Returns the number of merges so far. */
size_t rebali_unchanged_merges(const struct rebali_unchanged *unchanged);

#endif
