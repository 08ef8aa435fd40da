/* SPDX-License-Identifier: MIT */
/* lib/manifest/validate/checks.h - findings about objects, and other uses of the member tables of their kinds. */
#ifndef REBALI_MANIFEST_CHECKS_H
#define REBALI_MANIFEST_CHECKS_H

#include "manifest/schema/kinds.h"

/* ---- findings (findings.c) -------------------------------------------------------------------------------------- */

/* A text being checked. A failed allocation is kept in result; later findings are dropped. */
struct rebali_check {
  rebal_findings *findings;
  uint32_t document;
  const json_t *tree; /* of the current object */
  int32_t result;
  const json_t *compat; /* options of a scenario; NULL: none */
};

/* Returns 1 if an option of the scenario is on. */
int rebali_check_option(const struct rebali_check *check, const char *name);

/* Adds a finding (REBAL_FINDING_*) at a path. */
void rebali_find(struct rebali_check *check, uint32_t code, const struct rebali_path *path, const char *format, ...)
    REBALI_PRINTF(4, 5);
/* The same for a fault in the words of admission: its cause (REBAL_CAUSE_*) and the invalid value, or NULL. */
void rebali_fault(struct rebali_check *check, uint32_t code, uint32_t cause, const json_t *value,
                  const struct rebali_path *path, const char *format, ...) REBALI_PRINTF(6, 7);
rebal_findings *rebali_findings_new(void);
/* Sets the position of each finding's path in the text. */
int32_t rebali_findings_locate(rebal_findings *findings, const char *text, size_t len);
/* Sorts them in the order of the text. */
void rebali_findings_sort(rebal_findings *findings);

/* ---- checks (validate_shape.c, _rules.c, _policy.c, _placement.c, _cluster.c) ------------------------------ */

/* Checks types, ranges and values by the table, and reports missing and unknown members. */
void rebali_check_shape(struct rebali_check *check, const struct rebali_shape *shape, const json_t *tree,
                        const struct rebali_path *path);
/* Checks the rules of an object's kind. */
void rebali_check_rules(struct rebali_check *check, const struct rebali_path *path);

/* A rule; called with the value at the path of its row. */
typedef void rebali_rule(struct rebali_check *check, const json_t *value, const struct rebali_path *path);
rebali_rule rebali_rule_selectors;
rebali_rule rebali_rule_affinities, rebali_rule_affinity, rebali_rule_label_selector, rebali_rule_term,
    rebali_rule_strategy, rebali_rule_spread, rebali_rule_toleration, rebali_rule_empty_lists;
rebali_rule rebali_rule_cluster_name, rebali_rule_cluster_spec, rebali_rule_taints, rebali_rule_models;

/* ---- forms of text (syntax.c) ----------------------------------------------------------------------------------- */

/* Returns 1 if the text has the form. */
int rebali_is_key_form(const char *text);
int rebali_is_value_form(const char *text);
int rebali_is_dns_label(const char *text, size_t max_len);
int rebali_is_dns_subdomain(const char *text);
/* Returns 1 if the text has the form, whatever its length: of the name in a label's key; of a DNS subdomain. */
int rebali_is_name_pattern(const char *text);
int rebali_is_subdomain_pattern(const char *text, size_t len);
/* Returns 1 if the text is in a list separated by spaces. */
int rebali_is_listed(const char *text, const char *list);

/* ---- changes (json_patch.c, conditions.c) ----------------------------------------------------------------------- */

/*
 * Applies the operations of a JSON patch (RFC 6902) to a tree that is not shared; after an error it is half done.
 * @returns REBAL_EPARSE: malformed; REBAL_EINVAL: a path leads nowhere; REBAL_EMISMATCH: a test fails; REBAL_ELIMIT.
 */
int32_t rebali_json_patch(json_t **tree, const json_t *operations, const struct rebali_limits *limits,
                          rebal_error *err);

/*
 * Completes the lists of conditions in an action's patch: those of the object stay, by type. The same goes for other
 * entries and members of a UnitedDeployment's subsetStatuses, by name. A map that the action replaces unsets members
 * that
 * it lacks.
 */
int32_t rebali_conditions_merge(const struct rebali_action_row *action, const json_t *tree, json_t *patch,
                                rebal_error *err);

/*
 * Admits the result of a patch on an object (store_patch.c).
 * @returns REBAL_EINVAL: it is another object; REBAL_EMISMATCH: of another resourceVersion; errors of its kind.
 */
int32_t rebali_admit_patched(json_t *tree, const json_t *before, const rebal_time *now, rebal_error *err);

/*
 * Renders the body of an action, for an object as it was read or, if before is NULL, for an unknown one; *out is not
 * changed for actions without a body (render.c).
 */
int32_t rebali_action_render(const struct rebali_action_row *action, const json_t *before, uint32_t format,
                             json_t **out, rebal_error *err);

/* ---- canonical form (canonical_form.c) --------------------------------------------------------------------------- */

/*
 * Copies a tree with its members in the order of the API; unknown members follow in their old order. NULL without
 * memory.
 */
json_t *rebali_canonical(const json_t *tree);
/* The same for an item of a List; an item of a typed list is arranged as that kind, but gets no new members. */
json_t *rebali_canonical_item(const json_t *list, json_t *item);

#endif
