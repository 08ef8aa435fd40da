/* SPDX-License-Identifier: MIT */
/* lib/manifest/validate/validate.h - what admission says about OpenKruise's objects, in its order (
   rebalance-workloadspread(7) 8). */
#ifndef REBALI_MANIFEST_VALIDATE_H
#define REBALI_MANIFEST_VALIDATE_H

#include "manifest/validate/checks.h"

/* ---- what is wrong with a text (validate_texts.c) --------------------------------------------------------------- */

#define REBALI_TEXTS_MAX 4

/* Sentences of the API server, none when nothing is wrong. */
struct rebali_texts {
  const char *at[REBALI_TEXTS_MAX];
  size_t n;
};

void rebali_texts_of_subdomain(const char *text, struct rebali_texts *out);
void rebali_texts_of_label(const char *text, struct rebali_texts *out); /* of a DNS name */
void rebali_texts_of_name(const char *text, struct rebali_texts *out);  /* the key of a label */
void rebali_texts_of_value(const char *text, struct rebali_texts *out);
void rebali_texts_join(const struct rebali_texts *texts, const char *separator, struct rebali_buffer *out);

/* Appends what is wrong with the first faulty term of a label selector; nothing when it can be read. */
void rebali_selector_text(const json_t *selector, struct rebali_buffer *out);

/* ---- kinds (validate_kind.c) ------------------------------------------------------------------------------------ */

/* An apiVersion and a kind that do not belong together, or that no API server has. */
void rebali_check_kind(struct rebali_check *check, const json_t *tree, const struct rebali_path *path);
/* The same of the resource selector of a policy, which then matches nothing. path: of the selector. */
void rebali_check_selected_kind(struct rebali_check *check, const json_t *selector, const struct rebali_path *path);

/* ---- parts of subsets (validate_terms.c) ------------------------------------------------------------------------ */

/* A NodeSelectorTerm. is_strict: the values of matchExpressions must be values of labels. */
void rebali_check_node_term(struct rebali_check *check, const json_t *term, int is_strict,
                            const struct rebali_path *path);
void rebali_check_tolerations(struct rebali_check *check, const json_t *list, const struct rebali_path *path);

/* ---- an object that comes to a store (store/store_validate.c) ---------------------------------------------------- */

/*
 * What admission says about an object that takes the place of before (NULL: it is created). own: its number in the
 * store, REBAL_NONE when it is not there. tree gets the namespace that the API server gives it. As
 * rebal_store_validate().
 */
int32_t rebali_store_examine(rebal_store *store, json_t *tree, const json_t *before, uint32_t own, int is_patient,
                             rebal_findings **out, rebal_error *err);
/* The option SPREAD_LONG_WAIT; compat may be NULL. */
int rebali_is_patient(const rebal_compat *compat);

/* ---- versions of WorkloadSpread (spread_version.c) -------------------------------------------------------------- */

/* 1 for a WorkloadSpread of any version. */
int rebali_is_spread(const json_t *tree);

/* Members of a subset that v1alpha1 spells otherwise. */
struct rebali_spread_names {
  const char *required, *preferred;
};

/* The spelling of a version; of the one that is stored for every other. */
const struct rebali_spread_names *rebali_spread_names(const char *api_version);
/* A WorkloadSpread as v1beta1 spells it: a new reference, of the tree itself where nothing changes. REBAL_ENOMEM. */
int32_t rebali_spread_stored(json_t *tree, json_t **out, rebal_error *err);

/* ---- what stands beside an object (validate_beside.c) ----------------------------------------------------------- */

/* Workloads, WorkloadSpreads and the white list of a store or text. */
struct rebali_beside {
  json_t *workloads;  /* trees by kind, group, namespace and name */
  json_t *spreads;    /* lists of names by namespace and target */
  json_t *targets;    /* what these name, whatever its group */
  json_t *white_list; /* paths to replicas by group and kind; NULL: there is none */
  int is_unreadable;  /* the white list */
  int is_whole;       /* what is not there is missing */
};

/* To be closed whatever it returns. */
int32_t rebali_beside_open(struct rebali_beside *beside, int is_whole, rebal_error *err);
void rebali_beside_close(struct rebali_beside *beside);
/* Of another version than this library knows, a WorkloadSpread is none. */
int32_t rebali_beside_add(struct rebali_beside *beside, json_t *tree, rebal_error *err);
/* The same in two passes over all objects, of which the second adds the workloads that WorkloadSpreads target. */
int32_t rebali_beside_note(struct rebali_beside *beside, json_t *tree, int is_second, rebal_error *err);
/* NULL when it is not there. */
const json_t *rebali_beside_workload(const struct rebali_beside *beside, const char *kind, const char *group,
                                     const char *namespace_, const char *name);
/* The first WorkloadSpread of another name with the same target; NULL when there is none. */
const char *rebali_beside_rival(const struct rebali_beside *beside, const json_t *spread);
/* The path to the replicas of a kind in the white list, perhaps ""; NULL when it does not have the kind. */
const char *rebali_beside_path(const struct rebali_beside *beside, const char *api_version, const char *kind);

/* ---- WorkloadSpreads (validate_subsets.c, validate_spread.c) ---------------------------------------------------- */

/* One under examination. */
struct rebali_spread_check {
  struct rebali_check *check;
  const json_t *tree;
  const struct rebali_spread_names *read, *told; /* members as they are, and as findings name them */
  const struct rebali_beside *beside;
  const json_t *workload; /* NULL: not there */
  int is_patient;         /* rescheduleCriticalSeconds has no upper limit */
};

void rebali_check_subsets(const struct rebali_spread_check *spread, const struct rebali_path *path);
/* old NULL: the object is created. path: of the object. */
void rebali_check_spread(struct rebali_spread_check *spread, const json_t *old, const struct rebali_path *path);

/* A maxReplicas of 100 pods; -1 when it cannot be read. All signs of percent are passed over. */
int64_t rebali_limit_percent(const json_t *limit);

/* What admission takes and does not do what it looks like (warn_spread.c), once rebali_check_spread() was there. */
void rebali_warn_spread(const struct rebali_spread_check *spread, const struct rebali_path *path);

/* ---- patches (validate_patch.c) ---------------------------------------------------------------------------------- */

struct rebali_pod_type;

/* The patch of a subset, tried on a pod as the workload makes it (NULL: on any pod). REBAL_ENOMEM, or what is wrong. */
int32_t rebali_try_patch(const json_t *workload, const json_t *patch, rebal_error *err);
/* The pod of a patch that can be tried on any pod, read by its types. REBAL_ENOMEM, or what is wrong. */
int32_t rebali_try_pod(const json_t *patch, rebal_error *err);
/* Faults of the patch of a subset whose workload exists. */
void rebali_check_patch(const struct rebali_spread_check *spread, const json_t *patch, const struct rebali_path *path);
/* Finds members that Pods do not have, below a value of a type. */
void rebali_check_pod_members(struct rebali_check *check, uint32_t code, const json_t *value,
                              const struct rebali_pod_type *type, const struct rebali_path *path);

/* ---- workloads (validate_workload.c) ---------------------------------------------------------------------------- */

/* Misspelt members on which replicas and their requirements depend. */
void rebali_check_workload(struct rebali_check *check, const json_t *tree, const struct rebali_path *path);

/* ---- updates, and UnitedDeployments (validate_update.c, validate_united.c) -------------------------------------- */

/* 1 when both are equal, or neither is there. */
int rebali_is_same(const json_t *left, const json_t *right);
/* The metadata of an object that takes the place of old. path: of the object. */
void rebali_check_update(struct rebali_check *check, const json_t *tree, const json_t *old,
                         const struct rebali_path *path);

/* 1 for a UnitedDeployment of any version. */
int rebali_is_united(const json_t *tree);
/* old NULL: it is created. */
void rebali_check_united(struct rebali_check *check, const json_t *tree, const json_t *old,
                         const struct rebali_path *path);

/* The group of an apiVersion, copied; 0 when it has more than one slash or does not fit. */
#define REBALI_GROUP_SIZE 256
int rebali_group_of(const char *api_version, char *group);

#endif
