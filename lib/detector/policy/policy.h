/* SPDX-License-Identifier: MIT */
/* lib/detector/policy/policy.h - from templates and policies to bindings. */
#ifndef REBALI_DETECTOR_POLICY_H
#define REBALI_DETECTOR_POLICY_H

#include "detector/detector.h"

#define REBALI_POLICY_API "policy.karmada.io/v1alpha1"
#define REBALI_WORK_API "work.karmada.io/v1alpha2"
#define REBALI_BINDING_FINALIZER "karmada.io/binding-controller"

/* ---- the two kinds of policies (claim.c) ---- */

struct rebali_policy_kind {
  const char *name, *override;   /* kinds */
  const char *id;                /* label of a claim, and of the policy itself */
  const char *claimed_namespace; /* annotations of a claim; "": none */
  const char *claimed_name;
  const char *finalizer;
};

/* REBALI_NAMESPACED, REBALI_GLOBAL */
enum { REBALI_NAMESPACED, REBALI_GLOBAL };
extern const struct rebali_policy_kind rebali_policy_kinds[2];

static inline const struct rebali_policy_kind *rebali_policy_kind_of(const json_t *policy) {
  return &rebali_policy_kinds[rebali_member_text(rebali_member(policy, "metadata"), "namespace")[0] == '\0'];
}

const json_t *rebali_label(const json_t *object, const char *key);
const json_t *rebali_annotation(const json_t *object, const char *key);
const char *rebali_text_of(const json_t *text);
const char *rebali_metadata_text(const json_t *object, const char *key);
int rebali_is_deleting(const json_t *object);

/* Returns a copy that owns its metadata, labels and annotations; NULL without memory. */
json_t *rebali_editable(const json_t *object);
/* Tests whether it is the name of one of the two kinds. */
int rebali_is_policy_kind(const char *kind);
/* Tests whether the object of a store is a policy. */
int rebali_object_is_policy(const struct rebali_object *object);
int rebali_policy_is_lazy(const json_t *policy);
/* Tests whether a claim is complete. */
int rebali_claim_is_complete(const json_t *object, const struct rebali_policy_kind *kind);
/* Return the namespace and name in the annotations of an object for a kind of policy; "" if missing. */
const char *rebali_claimed_namespace(const json_t *object, const struct rebali_policy_kind *kind);
const char *rebali_claimed_name(const json_t *object, const struct rebali_policy_kind *kind);
/*
 * Set the keys of a claim in an editable object; the second also replaces the claim of a ClusterPropagationPolicy by
 * that of a PropagationPolicy.
 */
int32_t rebali_claim_put(json_t *object, const json_t *policy, const char *id, rebal_error *err);
int32_t rebali_claim_take_over(json_t *object, const json_t *policy, const char *id, rebal_error *err);
void rebali_claim_remove(json_t *object, const struct rebali_policy_kind *kind);

/* ---- metadata (metadata.c) ---- */

/* Removes a key of labels or annotations of an editable object, and the map if it becomes empty. */
void rebali_key_remove(json_t *object, const char *map_name, const char *key);
/* Sets the only owner, which controls the object. */
int32_t rebali_put_owner(json_t *metadata, const json_t *owner, rebal_error *err);
/* Sets the object of a binding in a spec that has none yet; that of an attached binding has no uid. */
int32_t rebali_put_resource(json_t *spec, const json_t *object, int has_uid, rebal_error *err);
/* Returns the index of a finalizer of an object, or SIZE_MAX. */
size_t rebali_finalizer_find(const json_t *object, const char *finalizer);
int32_t rebali_finalizer_put(json_t *object, const char *finalizer, rebal_error *err);
int32_t rebali_finalizer_remove(json_t *object, const char *finalizer, rebal_error *err);

/* ---- regular expressions (expression.c) ---- */

struct rebali_expression {
  struct rebali_expression_step *steps;
  size_t n;
  unsigned char *active; /* scratch of a match */
};

/* Returns REBAL_EUNSUPPORTED if it is not an expression, or if RE2 and POSIX read it differently. */
int32_t rebali_expression_open(struct rebali_expression *out, const char *text, rebal_error *err);
void rebali_expression_close(struct rebali_expression *expression);
/* Tests whether a part of the text matches. */
int rebali_expression_matches(const struct rebali_expression *expression, const char *text);

/* ---- which objects are considered (skipped.c) ---- */

struct rebali_skipped {
  struct rebali_expression *namespaces;
  size_t n_namespaces;
  char *apis;
};

int32_t rebali_skipped_open(struct rebali_skipped *skipped, const char *const *namespaces, size_t n, const char *apis,
                            size_t apis_len, rebal_error *err);
void rebali_skipped_close(struct rebali_skipped *skipped);
/* Returns REBAL_DETECTOR_OUTCOME_API, _NAMESPACE, or 0 if the object is considered. */
uint32_t rebali_skipped_why(const struct rebali_skipped *skipped, const json_t *object);
/* Tests whether an object at rest is not considered. */
int rebali_names_skipped(const struct rebali_skipped *skipped, const struct rebali_object *object);

/* ---- selectors and the choice (match.c) ---- */

/* One selector of a policy, keyed by what it selects: namespace (empty: any), kind, name (empty: any). */
struct rebali_selected {
  const json_t *policy, *selector;
  const char *namespace_, *kind, *name; /* owned by the trees */
  int64_t priority;
  uint32_t object; /* the policy */
};

struct rebali_selection {
  struct rebali_selected *items; /* by namespace, kind, name */
  size_t n, capacity;
  json_t *policies; /* owns the texts of the items */
};

void rebali_selection_clear(struct rebali_selection *selection);
uint32_t rebali_policy_precision(const json_t *policy, const json_t *template_);
int rebali_selector_precision(const json_t *selector, const json_t *template_);
int64_t rebali_policy_priority(const json_t *policy);
/* Chooses the best policy without a claim: of the template's namespace, otherwise cluster-scoped; REBAL_NONE: none. */
int32_t rebali_policy_choose(rebal_detector *detector, const json_t *template_, uint32_t *policy, rebal_error *err);
/*
 * Finds the policy that takes a template at rest from the claiming one (rebalance-karmada(7) 14.6); REBAL_NONE: none.
 * Of several, the one with the highest priority: it takes the template from the others in any order.
 */
int32_t rebali_policy_preempting(rebal_detector *detector, const json_t *template_, const json_t *claiming,
                                 uint32_t *policy, rebal_error *err);

/* ---- the detector (detector.c) ---- */

struct rebali_listed {
  char *key;
  uint32_t object, flags;
};

struct rebali_list {
  struct rebali_listed *entries;
  size_t n, capacity;
};

/* Templates and policies that are retried after the next change; follow the lists of REBAL_DETECTOR_LIST_*. */
enum { REBALI_LIST_FAILED = REBAL_DETECTOR_LIST_LEFT + 1, REBALI_LISTS };

/* What is kept of a watched object. */
struct rebali_known {
  json_t *tree; /* previous policy, reduced template or distributing binding; NULL: it is new */
  int is_failed;
};

struct rebal_detector {
  rebal_store *store;
  uint32_t flags, gates;
  struct rebali_skipped skipped;
  char *replicas_paths; /* without NUL */
  size_t replicas_paths_len;
  struct rebali_list lists[REBALI_LISTS];
  struct rebali_buffer message;
  struct rebali_selection selections[2]; /* of both kinds of policies, as the store was at selected_at */
  uint64_t selected_at;
  int has_selections;
  rebal_time now;
  uint64_t seen;              /* changes of the store that were processed (run.c) */
  uint64_t derived;           /* changes of the store whose bindings were derived (derive.c) */
  int has_distributing;       /* one of them is a binding that propagates dependencies */
  struct rebali_known *known; /* by object */
  size_t n_known, known_capacity;
  int has_moved; /* a template was added or deleted, on which others may depend */
};

int rebali_gate_is_on(const rebal_detector *detector, uint32_t gate);
/* Sets the reason why the reference retries. */
void rebali_detector_say(rebal_detector *detector, const char *format, ...) REBALI_PRINTF(2, 3);
/* Returns the key of an object; NULL without memory. */
char *rebali_object_key(const char *api_version, const char *kind, const char *namespace_, const char *name);
/* Adds a key, which is taken over; a NULL key means no memory. */
int32_t rebali_list_add(struct rebali_list *list, char *key, uint32_t object, uint32_t flags, rebal_error *err);
int32_t rebali_list_add_object(rebal_detector *detector, uint32_t list, uint32_t object, uint32_t flags,
                               rebal_error *err);
/* Returns the index of an object in a list, or its length. */
size_t rebali_list_find(const struct rebali_list *list, uint32_t object);
void rebali_list_remove(struct rebali_list *list, size_t at);

/*
 * Returns the policy's id: its label, or ""; with admission, the id that admission would have set. scratch: at least 64
 * bytes.
 */
const char *rebali_policy_id(const rebal_detector *detector, const json_t *policy, char *scratch);
/* Writes an object that differs from before; tree must not be changed afterward. */
int32_t rebali_detector_write(rebal_detector *detector, uint32_t object, json_t *tree, const json_t *before,
                              rebal_error *err);
/* Returns the policy that the annotations of an object name, or REBAL_NONE. */
uint32_t rebali_claimed_policy(const rebal_detector *detector, const json_t *object,
                               const struct rebali_policy_kind *kind);
/* Tests whether all overrides that a policy depends on exist. */
int rebali_has_overrides(const rebal_detector *detector, const json_t *policy);
/* Returns 1 if they do not; the pass must end then, and the row holds the reason. */
int rebali_waits_for_overrides(rebal_detector *detector, const json_t *policy, rebal_detector_row *row);
/* Sets apiVersion, kind, name and namespace of the binding of a template. */
int32_t rebali_put_identity(json_t *binding, const json_t *template_, const char *name, rebal_error *err);
/* Builds the name of a binding, from malloc. */
int32_t rebali_name_binding(const char *name, const char *kind, char **out, rebal_error *err);
/* Finds the binding of a template by its name; REBAL_NONE: none. */
int32_t rebali_find_binding(rebal_detector *detector, const json_t *template_, uint32_t *binding, char **name,
                            rebal_error *err);
/* Like rebali_find_binding(), by namespace, kind and name without the template's tree. */
int32_t rebali_find_binding_of(rebal_detector *detector, const char *namespace_, const char *kind, const char *of,
                               uint32_t *binding, char **name, rebal_error *err);

/* The inputs of the binding of a template. */
struct rebali_binding_draft {
  rebal_detector *detector;
  const json_t *template_, *policy;
  const json_t *built;  /* its spec */
  const json_t *before; /* the existing binding; NULL: none */
  const char *name;
};

/*
 * Builds the binding to be written, a new reference: what was built, and what an update keeps (rebalance-karmada(7)
 * 14.5).
 */
int32_t rebali_draft_binding(const struct rebali_binding_draft *draft, json_t **tree, rebal_error *err);
/* Tests whether the existing binding belongs to another object; if so, the row holds the reason. */
int rebali_refuse_foreign(const struct rebali_binding_draft *draft, rebal_detector_row *row);

/* ---- applying (claim.c, build.c, binding.c) ---- */

/* Claims a template, *tree, for a policy. If that changes it, it is written, and *tree is the new tree. */
int32_t rebali_claim_template(rebal_detector *detector, uint32_t object, json_t **tree, const json_t *policy,
                              rebal_error *err);
/* Removes the keys of a claim from an object if it has this id (NULL: any), and writes it. */
int32_t rebali_claim_drop(rebal_detector *detector, uint32_t object, const struct rebali_policy_kind *kind,
                          const char *id, rebal_error *err);
/* Cleans up (rebalance-karmada(7) 14.7): binding first, then template. */
int32_t rebali_clean_up(rebal_detector *detector, uint32_t object, const struct rebali_policy_kind *kind,
                        const char *id, rebal_error *err);

/* Builds the spec of the binding; *spec is NULL with REBAL_OK if that failed, see the message. */
int32_t rebali_build_spec(rebal_detector *detector, const json_t *template_, const json_t *policy, json_t **spec,
                          rebal_error *err);

/* ---- without a pass (look.c): nothing is written ---- */

/* Tests whether another template manages this one. */
int rebali_is_claimed_by(const json_t *template_);
/* Gets the policy that takes a template, a new reference; NULL: none, and the row holds the reason. */
int32_t rebali_policy_of(rebal_detector *detector, const json_t *template_, json_t **policy, rebal_detector_row *row,
                         rebal_error *err);

/* ---- templates at rest (rest.c) ---- */

/* A template and its binding. */
struct rebali_rest {
  json_t *policy, *built, *before;
  char *name;
  struct rebali_binding_draft draft; /* of the members above */
};

/*
 * Sets the row to DONE if the binding must be as rebali_rest_draft() builds it, otherwise to the reason why it stays.
 */
int32_t rebali_rest_open(struct rebali_rest *rest, rebal_detector *detector, const json_t *template_,
                         rebal_detector_row *row, rebal_error *err);
/* Must also be called if opening failed. */
void rebali_rest_close(struct rebali_rest *rest);
/* Builds a new reference. A new resourceVersion of the template alone is not a change. */
int32_t rebali_rest_draft(const struct rebali_rest *rest, json_t **tree, rebal_error *err);

/* rebal_detector_look() for a tree. */
int32_t rebali_look(rebal_detector *detector, const json_t *template_, rebal_detector_row *row, rebal_error *err);

/* Preempts policies (rebalance-karmada(7) 14.6). */
int32_t rebali_preempt(rebal_detector *detector, const json_t *policy, rebal_detector_row *row, rebal_error *err);
/* Handles one event of a policy; old NULL: it is reconciled. */
int32_t rebali_policy_event(rebal_detector *detector, uint32_t object, const json_t *old, rebal_detector_row *row,
                            rebal_error *err);
/* Handles the deletion of a policy. */
int32_t rebali_policy_gone(rebal_detector *detector, json_t *policy, rebal_error *err);
/* Runs a pass over a template. */
int32_t rebali_detector_pass(rebal_detector *detector, uint32_t object, uint32_t flags, rebal_detector_row *row,
                             rebal_error *err);

/* rebal_document_change() for trees. */
int32_t rebali_change_of(const json_t *old, const json_t *now, int32_t *changed, int32_t *by_karmada, rebal_error *err);
/* Copies a template without the parts whose changes do not matter; NULL without memory. */
json_t *rebali_change_strip(const json_t *object);

/* Tests whether a binding propagates its dependencies, or did so (attached.c). */
int rebali_is_distributing(const json_t *binding);
/*
 * Attaches what the workload of a ResourceBinding depends on, or detaches it if nothing is propagated any more
 * (rebalance-karmada(7) 14.8). object REBAL_NONE: the binding was deleted.
 */
int32_t rebali_distribute(rebal_detector *detector, uint32_t object, const json_t *binding, rebal_error *err);

/* Builds and writes one binding of the store. */
int32_t rebali_write_binding(rebal_detector *detector, const json_t *template_, const json_t *policy,
                             rebal_detector_row *row, rebal_error *err);

#endif
