/* SPDX-License-Identifier: MIT */
/* lib/manifest/validate/checks.h - what is wrong with objects, and what else goes by the members of their kinds. */
#ifndef REBALI_MANIFEST_CHECKS_H
#define REBALI_MANIFEST_CHECKS_H

#include "manifest/schema/kinds.h"

/* ---- findings (findings.c) -------------------------------------------------------------------------------------- */

/* One text under examination. Memory that ran out stays in result; what is found after it is dropped. */
struct rebali_check {
  rebal_findings *findings;
  uint32_t document;
  const json_t *tree; /* of the object at hand */
  int32_t result;
  const json_t *compat; /* options that a scenario is played with; NULL: none */
};

/* Is an option of the scenario on? */
int rebali_check_option(const struct rebali_check *check, const char *name);

/* Adds a finding (REBAL_FINDING_*) at a path. */
void rebali_find(struct rebali_check *check, uint32_t code, const struct rebali_path *path, const char *format, ...)
    REBALI_PRINTF(4, 5);
/* The same for a fault in the words of admission: its cause (REBAL_CAUSE_*) and the value at fault, or NULL. */
void rebali_fault(struct rebali_check *check, uint32_t code, uint32_t cause, const json_t *value,
                  const struct rebali_path *path, const char *format, ...) REBALI_PRINTF(6, 7);
rebal_findings *rebali_findings_new(void);
/* Gives each finding the place of its path in the text. */
int32_t rebali_findings_locate(rebal_findings *findings, const char *text, size_t len);
/* Puts them in the order of the text. */
void rebali_findings_sort(rebal_findings *findings);

/* ---- checks (validate_shape.c, _rules.c, _policy.c, _placement.c, _cluster.c) ------------------------------ */

/* Types, ranges and values by the table, members that are missing or unknown. */
void rebali_check_shape(struct rebali_check *check, const struct rebali_shape *shape, const json_t *tree,
                        const struct rebali_path *path);
/* The rules of an object's kind. */
void rebali_check_rules(struct rebali_check *check, const struct rebali_path *path);

/* Rules: each is given the value at the path of its row. */
typedef void rebali_rule(struct rebali_check *check, const json_t *value, const struct rebali_path *path);
rebali_rule rebali_rule_selectors;
rebali_rule rebali_rule_affinities, rebali_rule_affinity, rebali_rule_label_selector, rebali_rule_term,
    rebali_rule_strategy, rebali_rule_spread, rebali_rule_toleration, rebali_rule_empty_lists;
rebali_rule rebali_rule_cluster_name, rebali_rule_cluster_spec, rebali_rule_taints, rebali_rule_models;

/* ---- forms of text (syntax.c) ----------------------------------------------------------------------------------- */

/* 1 when the text has the form. */
int rebali_is_key_form(const char *text);
int rebali_is_value_form(const char *text);
int rebali_is_dns_label(const char *text, size_t max_len);
int rebali_is_dns_subdomain(const char *text);
/* 1 when the text has the form, however long it is: of the name in a label's key; of a DNS subdomain. */
int rebali_is_name_pattern(const char *text);
int rebali_is_subdomain_pattern(const char *text, size_t len);
/* 1 when the text is one of several with a space between. */
int rebali_is_listed(const char *text, const char *list);

/* ---- changes (json_patch.c, conditions.c) ----------------------------------------------------------------------- */

/*
 * Carries out the operations of a JSON patch (RFC 6902) on a tree that nobody shares; after an error it is half done.
 * @returns REBAL_EPARSE: malformed; REBAL_EINVAL: a path leads nowhere; REBAL_EMISMATCH: a test fails; REBAL_ELIMIT.
 */
int32_t rebali_json_patch(json_t **tree, const json_t *operations, const struct rebali_limits *limits,
                          rebal_error *err);

/*
 * Makes the lists of conditions in an action's patch whole: those of the object stay, by type. So do other entries and
 * members of a UnitedDeployment's subsetStatuses, by name. A map that the action replaces unsets what it lacks.
 */
int32_t rebali_conditions_merge(const struct rebali_action_row *action, const json_t *tree, json_t *patch,
                                rebal_error *err);

/*
 * Admits what a patch made of an object (store_patch.c).
 * @returns REBAL_EINVAL: it is another object; REBAL_EMISMATCH: of another resourceVersion; errors of its kind.
 */
int32_t rebali_admit_patched(json_t *tree, const json_t *before, const rebal_time *now, rebal_error *err);

/*
 * The body of an action, for an object as it was read or, with before NULL, for one that nobody has seen; *out is not
 * touched for actions without a body (render.c).
 */
int32_t rebali_action_render(const struct rebali_action_row *action, const json_t *before, uint32_t format,
                             json_t **out, rebal_error *err);

/* ---- canonical form (canonical_form.c) --------------------------------------------------------------------------- */

/* A copy with its members in the order of the API; what is not known comes behind, as it was. NULL without memory. */
json_t *rebali_canonical(const json_t *tree);
/* The same of an item of a List; one of a list of one kind is arranged as that kind, and gets nothing it has not. */
json_t *rebali_canonical_item(const json_t *list, json_t *item);

#endif
