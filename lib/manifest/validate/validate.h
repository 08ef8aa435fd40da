/* SPDX-License-Identifier: MIT */
/*
 * lib/manifest/validate/validate.h - admission of OpenKruise's objects, in its order (rebalance-workloadspread(7) 8).
 */
#ifndef REBALI_MANIFEST_VALIDATE_H
#define REBALI_MANIFEST_VALIDATE_H

#include "manifest/validate/checks.h"

/* ---- faults of texts (validate_texts.c) -------------------------------------------------------------------------- */

#define REBALI_TEXTS_MAX 4

/* Messages of the API server, none if valid. */
struct rebali_texts {
  const char *at[REBALI_TEXTS_MAX];
  size_t n;
};

void rebali_texts_of_subdomain(const char *text, struct rebali_texts *out);
void rebali_texts_of_label(const char *text, struct rebali_texts *out); /* of a DNS name */
void rebali_texts_of_name(const char *text, struct rebali_texts *out);  /* the key of a label */
void rebali_texts_of_value(const char *text, struct rebali_texts *out);
void rebali_texts_join(const struct rebali_texts *texts, const char *separator, struct rebali_buffer *out);

/* Appends the fault of the first invalid term of a label selector; nothing if it is valid. */
void rebali_selector_text(const json_t *selector, struct rebali_buffer *out);

/* ---- kinds (validate_kind.c) ------------------------------------------------------------------------------------ */

/* Reports an apiVersion and a kind that do not belong together, or that no API server has. */
void rebali_check_kind(struct rebali_check *check, const json_t *tree, const struct rebali_path *path);
/* The same for the resource selector of a policy, which then matches nothing. path: of the selector. */
void rebali_check_selected_kind(struct rebali_check *check, const json_t *selector, const struct rebali_path *path);

/* ---- parts of subsets (validate_terms.c) ------------------------------------------------------------------------ */

/* Checks a NodeSelectorTerm. is_strict: the values of matchExpressions must be values of labels. */
void rebali_check_node_term(struct rebali_check *check, const json_t *term, int is_strict,
                            const struct rebali_path *path);
void rebali_check_tolerations(struct rebali_check *check, const json_t *list, const struct rebali_path *path);

/* ---- admission of an object to a store (store/store_validate.c) -------------------------------------------------- */

/*
 * Checks the admission of an object that replaces before (NULL: it is created). own: its id in the store, REBAL_NONE if
 * it
 * is not in the store. tree gets the namespace that the API server gives it. Results as rebal_store_validate().
 */
int32_t rebali_store_examine(rebal_store *store, json_t *tree, const json_t *before, uint32_t own, int is_patient,
                             rebal_findings **out, rebal_error *err);
/* Returns the option SPREAD_LONG_WAIT; compat may be NULL. */
int rebali_is_patient(const rebal_compat *compat);

/* ---- versions of WorkloadSpread (spread_version.c) -------------------------------------------------------------- */

/* Returns 1 for a WorkloadSpread of any version. */
int rebali_is_spread(const json_t *tree);

/* Members of a subset that v1alpha1 spells differently. */
struct rebali_spread_names {
  const char *required, *preferred;
};

/* Returns the spelling of a version; that of the stored version for all others. */
const struct rebali_spread_names *rebali_spread_names(const char *api_version);
/*
 * Converts a WorkloadSpread to v1beta1 spelling: a new reference, of the tree itself if nothing changes. REBAL_ENOMEM.
 */
int32_t rebali_spread_stored(json_t *tree, json_t **out, rebal_error *err);

/* ---- other objects (validate_beside.c) --------------------------------------------------------------------------- */

/* Workloads, WorkloadSpreads and the white list of a store or text. */
struct rebali_beside {
  json_t *workloads;  /* trees by kind, group, namespace and name */
  json_t *spreads;    /* lists of names by namespace and target */
  json_t *targets;    /* targets of these, in any group */
  json_t *white_list; /* paths to replicas by group and kind; NULL: no white list */
  int is_unreadable;  /* the white list is */
  int is_whole;       /* objects not listed are missing */
};

/* Must be closed whatever it returns. */
int32_t rebali_beside_open(struct rebali_beside *beside, int is_whole, rebal_error *err);
void rebali_beside_close(struct rebali_beside *beside);
/* A WorkloadSpread of an unknown version is ignored. */
int32_t rebali_beside_add(struct rebali_beside *beside, json_t *tree, rebal_error *err);
/* The same in two passes over all objects; the second adds the workloads that WorkloadSpreads target. */
int32_t rebali_beside_note(struct rebali_beside *beside, json_t *tree, int is_second, rebal_error *err);
/* Returns NULL if it is missing. */
const json_t *rebali_beside_workload(const struct rebali_beside *beside, const char *kind, const char *group,
                                     const char *namespace_, const char *name);
/* Returns the first WorkloadSpread of another name with the same target; NULL if there is none. */
const char *rebali_beside_rival(const struct rebali_beside *beside, const json_t *spread);
/* Returns the path to the replicas of a kind in the white list, perhaps ""; NULL if the kind is not listed. */
const char *rebali_beside_path(const struct rebali_beside *beside, const char *api_version, const char *kind);

/* ---- WorkloadSpreads (validate_subsets.c, validate_spread.c) ---------------------------------------------------- */

/* A WorkloadSpread being checked. */
struct rebali_spread_check {
  struct rebali_check *check;
  const json_t *tree;
  const struct rebali_spread_names *read, *shown; /* names of members to read, and in findings */
  const struct rebali_beside *beside;
  const json_t *workload; /* NULL: missing */
  int is_patient;         /* rescheduleCriticalSeconds has no upper limit */
};

void rebali_check_subsets(const struct rebali_spread_check *spread, const struct rebali_path *path);
/* old NULL: the object is created. path: of the object. */
void rebali_check_spread(struct rebali_spread_check *spread, const json_t *old, const struct rebali_path *path);

/* Returns a maxReplicas for 100 pods; -1 if it cannot be read. All percent signs are skipped. */
int64_t rebali_limit_percent(const json_t *limit);

/*
 * Warns about settings that admission accepts but that do not work as they look (warn_spread.c), after
 * rebali_check_spread().
 */
void rebali_warn_spread(const struct rebali_spread_check *spread, const struct rebali_path *path);

/* ---- patches (validate_patch.c) ---------------------------------------------------------------------------------- */

struct rebali_pod_type;

/* Tries the patch of a subset on a pod made by the workload (NULL: on any pod). REBAL_ENOMEM, or the fault. */
int32_t rebali_try_patch(const json_t *workload, const json_t *patch, rebal_error *err);
/* Decodes the pod of a patch that can be tried on any pod. REBAL_ENOMEM, or the fault. */
int32_t rebali_try_pod(const json_t *patch, rebal_error *err);
/* Reports faults of the patch of a subset whose workload exists. */
void rebali_check_patch(const struct rebali_spread_check *spread, const json_t *patch, const struct rebali_path *path);
/* Reports members that Pods do not have, below a value of a type. */
void rebali_check_pod_members(struct rebali_check *check, uint32_t code, const json_t *value,
                              const struct rebali_pod_type *type, const struct rebali_path *path);

/* ---- workloads (validate_workload.c) ---------------------------------------------------------------------------- */

/* Reports misspelt members on which replicas and their requirements depend. */
void rebali_check_workload(struct rebali_check *check, const json_t *tree, const struct rebali_path *path);

/* ---- updates, and UnitedDeployments (validate_update.c, validate_united.c) -------------------------------------- */

/* Returns 1 if both are equal, or both are missing. */
int rebali_is_same(const json_t *left, const json_t *right);
/* Checks the metadata of an object that replaces old. path: of the object. */
void rebali_check_update(struct rebali_check *check, const json_t *tree, const json_t *old,
                         const struct rebali_path *path);

/* Returns 1 for a UnitedDeployment of any version. */
int rebali_is_united(const json_t *tree);
/* old NULL: it is created. */
void rebali_check_united(struct rebali_check *check, const json_t *tree, const json_t *old,
                         const struct rebali_path *path);

/* Copies the group of an apiVersion; returns 0 if it has more than one slash or does not fit. */
#define REBALI_GROUP_SIZE 256
int rebali_group_of(const char *api_version, char *group);

#endif
