/* SPDX-License-Identifier: MIT */
/* lib/manifest/spread/kruise.h - what the files that read and write OpenKruise's objects share (
   rebalance-workloadspread(7)). */
#ifndef REBALI_MANIFEST_KRUISE_H
#define REBALI_MANIFEST_KRUISE_H

#include "manifest/patch/document.h"

#include <rebalance/spreading.h>

/* ---- replicas along a path (replicas_path.c) --------------------------------------------------------------------- */

/*
 * The integer that a path such as spec.groups.0.replicas leads to, cut to 32 bits; 0 for ""
 * (rebalance-workloadspread(7) 2.6). REBAL_EINVAL with the reference's message.
 */
int32_t rebali_path_value(const json_t *object, const char *path, int32_t *out, rebal_error *err);
/* The sum along a list of paths, which wraps. */
int32_t rebali_path_sum(const json_t *object, const json_t *paths, int32_t *out, rebal_error *err);

/* ---- kinds of workloads beside the built-in ones (white_list.c) -------------------------------------------------- */

#define REBALI_WHITE_LIST "WorkloadSpread_Watch_Custom_Workload_WhiteList"

/*
 * The white list in a text of the ConfigMap kruise-configuration, as a tree of the object WHITE_LIST: what the
 * reference does not know is left out, and names are spelled as it does. Empty text: an empty list.
 * @returns REBAL_EPARSE: the text is no white list.
 */
int32_t rebali_white_list_tree(const char *text, size_t len, json_t **out, rebal_error *err);
/* The same for the ConfigMaps of a store, of any namespace. */
int32_t rebali_white_list_find(rebal_store *store, json_t **out, rebal_error *err);

/* ---- the annotation that tells a pod's subset (matched_subset.c) ------------------------------------------------- */

#define REBALI_MATCHED_SPREAD "apps.kruise.io/matched-workloadspread"
#define REBALI_DELETION_COST "controller.kubernetes.io/pod-deletion-cost"

/* What an annotation says; texts live as long as its tree, "" where it says nothing. */
struct rebali_matched {
  int64_t state; /* REBAL_ANNOTATION_* */
  const char *spread, *subset, *id;
  json_t *tree;
};

/* text NULL: there is no annotation, which is as good as an empty one. REBAL_ENOMEM. */
int32_t rebali_matched_open(const char *text, size_t len, struct rebali_matched *out, rebal_error *err);
void rebali_matched_close(struct rebali_matched *matched);
/* The annotation's text as a value; id "": none. */
int32_t rebali_matched_value(const char *spread, const char *subset, const char *id, json_t **out, rebal_error *err);

/* ---- what is told of a workload (spread_workload.c) ------------------------------------------------------------- */

/*
 * Replicas of a workload (NULL: it is missing) as spec, that of a WorkloadSpread, asks for them
 * (rebalance-workloadspread(7) 2.6). white_list: a tree of the object WHITE_LIST, or NULL.
 */

/* For admission: 0 unless some limit is in percent. REBAL_EINVAL: they cannot be read along the paths of the filter. */
int32_t rebali_admission_replicas(const json_t *spec, const json_t *workload, const json_t *white_list, int32_t *out,
                                  rebal_error *err);
/* For the controller; -1: the workload tells none. */
int32_t rebali_workload_replicas(const json_t *spec, const json_t *workload);
/* For the controller, along paths. *has_paths 0: there are none. REBAL_EINVAL: they cannot be read along them. */
int32_t rebali_path_replicas(const json_t *spec, const json_t *workload, const json_t *white_list, int *has_paths,
                             int32_t *out, rebal_error *err);

/* ---- pods as rows (spread_pod.c) --------------------------------------------------------------------------------- */

/* Where a pod goes: a row of SPREAD_POD in which nothing is set, and below which cluster its node is. */
struct rebali_pod_row {
  rebal_fleet *fleet;
  rebal_builder *builder;
  rebal_pods *pods;
  const json_t *label_keys; /* a map of the labels that target filters ask for; NULL: none */
  uint32_t row;
  uint32_t cluster;
};

/* Sets every cell but CONTROLLER, ADMISSION_ID and OPERATION. REBAL_EPARSE, REBAL_ERANGE with the field. */
int32_t rebali_spread_pod_read(const struct rebali_pod_row *row, const json_t *tree, rebal_error *err);

#define REBALI_RESERVED_POD "apps.kruise.io/united-deployment-reserved-pod" /* a label */

/* ---- pods patched (pod_patch.c, typed_pod.c) --------------------------------------------------------------------- */

/* The strategic merge patch of a payload POD_PATCH: {"metadata": ...}. */
int32_t rebali_pod_patch(const rebal_record *payload, json_t **out, rebal_error *err);
/* A pod as a strategic merge patch makes it: a map of its own. REBAL_EINVAL, REBAL_EPARSE: it cannot be merged. */
int32_t rebali_pod_patched(const json_t *pod, const json_t *patch, json_t **out, rebal_error *err);
/* A value without null members and directives ("$..."); NULL without memory. */
json_t *rebali_typed(const json_t *value);

/* ---- injection (inject.c) ---------------------------------------------------------------------------------------- */

/*
 * A pod as a subset (a tree of the object SUBSET), its patch and the annotation make it; it shares what they do not
 * reach with the pod, which stays as it is. id "": none. Source: rebalance-workloadspread(7) 3.7.
 * @returns REBAL_EPARSE: what has to be a map or a list in the pod is none; REBAL_EINVAL: the patch cannot be merged.
 */
int32_t rebali_inject(const json_t *pod, const json_t *subset, const char *spread, const char *id, json_t **out,
                      rebal_error *err);

int rebali_subset_has_patch(const rebal_spread *spread, uint32_t subset);
/* The same by a subset of a WorkloadSpread that is there; id: "", where there is none. */
int32_t rebali_inject_subset(const rebal_spread *spread, uint32_t subset, const char *id, size_t id_len,
                             const json_t *pod, json_t **out, rebal_error *err);

/* ---- whether patches leave a pod as it is (spread_unchanged.c) --------------------------------------------------- */

/* The patches of a WorkloadSpread, and what was found out of pods. */
struct rebali_unchanged;

/* subsets: spec.subsets, a list of trees of the object SUBSET that stays as it is; NULL: none. */
int32_t rebali_unchanged_new(const json_t *subsets, struct rebali_unchanged **out, rebal_error *err);
/* NULL is fine. */
void rebali_unchanged_free(struct rebali_unchanged *unchanged);
/* Words for a pod; 0: no subset has a patch. */
size_t rebali_unchanged_stride(const struct rebali_unchanged *unchanged);
/*
 * The words of a pod of a store, valid until the next call; NULL: no subset has a patch. A bit is set when the subset
 * has a patch that can be merged and changes nothing but annotations. Pods in which all that the patches change is
 * alike are merged once. REBAL_ENOMEM.
 */
int32_t rebali_unchanged_pod(struct rebali_unchanged *unchanged, const struct rebali_object *pod,
                             const uint64_t **words, rebal_error *err);
/* Merges so far. */
size_t rebali_unchanged_merges(const struct rebali_unchanged *unchanged);

#endif
