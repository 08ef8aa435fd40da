/* SPDX-License-Identifier: MIT */
/*
 * rebalance/detector.h - Karmada's resource interpreter and detector, which make bindings from templates
 * (librebalance-manifest).
 *
 * Memory comes from malloc, as in manifest.h. Documents do not change, but those made from each other share memory: all
 * of them must be used by one thread at a time.
 */
#ifndef REBAL_DETECTOR_H
#define REBAL_DETECTOR_H

#include "manifest.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Feature gates of Karmada that change the answers of this header. */
enum rebal_detector_gate {
  REBAL_DETECTOR_GATE_POLICY_PREEMPTION = 0,       /**< default: off */
  REBAL_DETECTOR_GATE_PRIORITY_SCHEDULING = 1,     /**< default: on */
  REBAL_DETECTOR_GATE_MULTIPLE_POD_TEMPLATES = 2,  /**< default: off */
  REBAL_DETECTOR_GATE_WORKLOAD_AFFINITY = 3,       /**< default: off */
  REBAL_DETECTOR_GATE_RESOURCE_QUOTA_ESTIMATE = 4, /**< default: off */
  REBAL_DETECTOR_GATE_PROPAGATE_DEPS = 5           /**< default: on */
};

/** The gates that are on by default, as bits 1 << REBAL_DETECTOR_GATE_*. Since: 0.1 */
#define REBAL_DETECTOR_GATES_ON \
  (UINT32_C(1) << REBAL_DETECTOR_GATE_PRIORITY_SCHEDULING | UINT32_C(1) << REBAL_DETECTOR_GATE_PROPAGATE_DEPS)

/* ---- interpreter ------------------------------------------------------------------------------------------------- */

/** The operations of Karmada's resource interpreter; the text is the reference's name. */
enum rebal_interpret {
  REBAL_INTERPRET_REPLICAS = 0,    /**< replicas and what one of them needs */
  REBAL_INTERPRET_COMPONENTS = 1,  /**< the same for each of several pod templates */
  REBAL_INTERPRET_REVISE = 2,      /**< the object with another number of replicas */
  REBAL_INTERPRET_RETAIN = 3,      /**< only listed: members that a member cluster's object keeps */
  REBAL_INTERPRET_AGGREGATE = 4,   /**< the object with the status of all clusters */
  REBAL_INTERPRET_STATUS = 5,      /**< what is collected of the status in a cluster */
  REBAL_INTERPRET_HEALTH = 6,      /**< is it healthy? */
  REBAL_INTERPRET_DEPENDENCIES = 7 /**< objects that its pods need */
};

/** Options of rebal_interpret(); all zero: the defaults. Since: 0.1 */
typedef struct rebal_interpret_opts {
  uint32_t struct_size;
  uint32_t flags;              /**< must be 0 */
  uint32_t gates;              /**< bits 1 << REBAL_DETECTOR_GATE_* of gates that are not at their default */
  int32_t revise_to;           /**< REVISE: the number of replicas */
  rebal_time now;              /**< AGGREGATE: the time of new conditions; unset: they have none */
  const rebal_document *items; /**< AGGREGATE: list of {clusterName, status}; NULL: no list */
  const char *replicas_paths;  /**< KIND=PATH,KIND=PATH: replicas of kinds that Karmada does not know; NULL: none */
  uint64_t replicas_paths_len; /**< bytes, or UINT64_MAX: ends with NUL */
} rebal_interpret_opts;

/**
 * Returns the operations that Karmada itself answers for an object, as bits 1 << REBAL_INTERPRET_*: by native code or
 * by the customizations that it bundles, for exactly this apiVersion and kind. ResourceInterpreterCustomization objects
 * and webhooks of users are not taken into account. Since: 0.1
 */
REBAL_API uint32_t rebal_interpret_operations(const rebal_document *object);

/**
 * Answers one operation on an object as Karmada does. *answer belongs to the caller (free it with
 * rebal_document_free()) and is NULL for an empty answer: REPLICAS {replicas, requirements}, COMPONENTS a list of
 * {name, replicas, replicaRequirements}, REVISE and AGGREGATE the whole object, STATUS the collected part of the
 * status, HEALTH a boolean, DEPENDENCIES a list of references. Defaults of the API server are not applied: absent
 * replicas are 0. opts NULL: the defaults.
 * @returns REBAL_EUNSUPPORTED: the kind does not answer the operation, or its answer is unknown; REBAL_EPARSE,
 * REBAL_ERANGE: the reference fails on this object; REBAL_EINVAL, REBAL_EABI, REBAL_ENOMEM.
 * Since: 0.1
 */
REBAL_API int32_t rebal_interpret(const rebal_document *object, uint32_t operation, const rebal_interpret_opts *opts,
                                  rebal_document **answer, rebal_error *err);

/* ---- detector ---------------------------------------------------------------------------------------------------- */

/**
 * State that Karmada's detector keeps beside the objects of the control plane: templates that wait for a policy, and
 * those to be examined again. It reads and writes the objects of a store, which must outlive it. One thread at a time.
 */
typedef struct rebal_detector rebal_detector;

/** Flags of rebal_detector_opts. */
enum rebal_detector_flag {
  REBAL_DETECTOR_FLAG_ADMISSION = 1 /**< policies are read as admission would have stored them: with ids and defaults */
};

/** Options of a detector; all zero: the defaults. Texts are copied. Since: 0.1 */
typedef struct rebal_detector_opts {
  uint32_t struct_size;
  uint32_t flags;                        /**< bits REBAL_DETECTOR_FLAG_* */
  uint32_t gates;                        /**< bits 1 << REBAL_DETECTOR_GATE_* of gates that are not at their default */
  uint32_t n_skipped_namespaces;         /**< number of skipped_namespaces */
  const char *const *skipped_namespaces; /**< regular expressions; NULL: one, kube-.* */
  const char *skipped_apis;              /**< group, group/version, group/version/Kind,Kind; joined by semicolons */
  uint64_t skipped_apis_len;             /**< bytes, or UINT64_MAX: ends with NUL */
  const char *replicas_paths;            /**< as in rebal_interpret_opts */
  uint64_t replicas_paths_len;           /**< bytes, or UINT64_MAX: ends with NUL */
} rebal_detector_opts;

/** Outcome of a pass over a template, or of an event of a policy. */
enum rebal_detector_outcome {
  REBAL_DETECTOR_OUTCOME_API = 1,                /**< not considered: its API is skipped */
  REBAL_DETECTOR_OUTCOME_NAMESPACE = 2,          /**< not considered: its namespace is skipped */
  REBAL_DETECTOR_OUTCOME_CLAIMED_BY = 3,         /**< another template takes care of it */
  REBAL_DETECTOR_OUTCOME_CREATED = 4,            /**< the binding was created */
  REBAL_DETECTOR_OUTCOME_UPDATED = 5,            /**< the binding was written */
  REBAL_DETECTOR_OUTCOME_UNCHANGED = 6,          /**< the binding is as it should be */
  REBAL_DETECTOR_OUTCOME_LAZY = 7,               /**< the binding waits for a change of the template by its user */
  REBAL_DETECTOR_OUTCOME_CLEANED = 8,            /**< the claim of a policy that is gone was removed */
  REBAL_DETECTOR_OUTCOME_DELETING = 9,           /**< the policy that claims it is being deleted */
  REBAL_DETECTOR_OUTCOME_UNMATCHED = 10,         /**< the policy that claims it does not select it */
  REBAL_DETECTOR_OUTCOME_WAITING = 11,           /**< no policy selects it; it is in the waiting list */
  REBAL_DETECTOR_OUTCOME_WAITING_OVERRIDES = 12, /**< an override that the policy depends on is missing */
  REBAL_DETECTOR_OUTCOME_ERROR = 13,             /**< see the message */
  REBAL_DETECTOR_OUTCOME_DONE = 14               /**< carried out; of rebal_detector_look(): it gets a binding */
};

/** Flags of rebal_detector_row. */
enum rebal_detector_note {
  /** rebal_detector_look(): the policy divides replicas, of which none are known */
  REBAL_DETECTOR_NOTE_NO_REPLICAS = 1
};

/** Result of one pass; the caller sets struct_size. Since: 0.1 */
typedef struct rebal_detector_row {
  uint32_t struct_size;
  uint32_t outcome;     /**< REBAL_DETECTOR_OUTCOME_* */
  uint32_t policy;      /**< the applied policy; REBAL_NONE: none */
  uint32_t binding;     /**< the binding of the template; REBAL_NONE: none, or not searched */
  const char *message;  /**< why the reference retries; "": it does not. Valid until the next call */
  uint64_t message_len; /**< bytes */
  uint32_t flags;       /**< bits REBAL_DETECTOR_NOTE_* */
  uint32_t reserved0;   /**< 0 */
} rebal_detector_row;

/**
 * Creates a detector for a store, with empty lists; opts NULL: the defaults. Free it with rebal_detector_free().
 * @returns REBAL_EINVAL: skipped_apis or replicas_paths are malformed, or flags or gates hold an unknown bit;
 * REBAL_EUNSUPPORTED: a regular expression that the syntaxes of RE2 and POSIX do not share; REBAL_EABI, REBAL_ELIMIT,
 * REBAL_ENOMEM. Since: 0.1
 */
REBAL_API int32_t rebal_detector_new(rebal_store *store, const rebal_detector_opts *opts, rebal_detector **out,
                                     rebal_error *err);
/** Frees a detector; the objects stay in the store. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_detector_free(rebal_detector *detector);

/** How precisely a selector of a policy matches a template. */
enum rebal_precision {
  REBAL_PRECISION_NONE = 0,   /**< it does not select it */
  REBAL_PRECISION_ALL = 1,    /**< kind and namespace */
  REBAL_PRECISION_LABELS = 2, /**< labels too */
  REBAL_PRECISION_NAME = 3    /**< the name */
};

/**
 * Computes how precisely a policy selects a template: REBAL_PRECISION_*, the highest of its selectors. Both are objects
 * of the store. REBAL_EINVAL, REBAL_ENOTFOUND, REBAL_ENOMEM. Source: rebalance-karmada(7) 14.2. Since: 0.1
 */
REBAL_API int32_t rebal_detector_match(rebal_detector *detector, uint32_t policy, uint32_t object,
                                       uint32_t *precision, rebal_error *err);

/** Flags of a pass. */
enum rebal_detector_pass {
  REBAL_DETECTOR_PASS_BY_KARMADA = 1 /**< the template was queued for another reason than a change by its user */
};

/**
 * Runs one pass over a template, an object of the store: chooses the policy, claims the template for it, and writes the
 * binding. flags: bits REBAL_DETECTOR_PASS_*.
 * @returns REBAL_OK with any outcome in *row; REBAL_EINVAL; REBAL_ENOTFOUND: the object does not exist; REBAL_EABI,
 * REBAL_ELIMIT, REBAL_ENOMEM.
 * Source: rebalance-karmada(7) 14.1 to 14.5. Since: 0.1
 */
REBAL_API int32_t rebal_detector_template(rebal_detector *detector, uint32_t object, uint32_t flags,
                                          const rebal_time *now, rebal_detector_row *row, rebal_error *err);
/**
 * Handles one event of a policy, an object of the store. old NULL: reconciles the policy as it is, also if it is being
 * deleted. Else old is its state before an update: queues the policy and, if its priority fell, after it the policies
 * that may take over. Templates to be examined again enter the lists.
 * @returns as rebal_detector_template(); REBAL_EINVAL also: the object is not a policy.
 * Source: rebalance-karmada(7) 14.6, 14.7. Since: 0.1
 */
REBAL_API int32_t rebal_detector_policy(rebal_detector *detector, uint32_t object, const rebal_document *old,
                                        const rebal_time *now, rebal_detector_row *row, rebal_error *err);

/**
 * Handles all changes of the store since the last call, as a watch would deliver them: at first all objects, each in
 * its latest state, in the order of last changes. Templates get their passes, policies their events, and entries of the
 * lists are processed until none is left. A deleted policy releases its templates. Bindings that propagate their
 * dependencies get attached ones. Passes that ended in an error are retried by the next call that finds a change. A new
 * template is bound at once also by a Lazy policy, unless a later call finds the policy, or finds it after the
 * template.
 * @returns REBAL_EINVAL; REBAL_ELIMIT: templates and policies do not come to rest; REBAL_ENOMEM.
 * Source: rebalance-karmada(7) 14. Since: 0.1
 */
REBAL_API int32_t rebal_detector_run(rebal_detector *detector, const rebal_time *now, rebal_error *err);

/**
 * Derives bindings for objects at rest, such as those of files: creates or updates the binding of every template that a
 * policy takes, or of the templates among n objects (NULL: all; later calls examine only changed objects).
 *
 * The policy is the one that claims the template and still selects it, unless that is being deleted or, with the gate,
 * another preempts it; else the one of the higher priority, then of the more precise selector, then of the smaller
 * name. Templates do not change. A binding stays as it is if the template differs from the one that it was made from by
 * resourceVersion alone, if another object owns the binding, or if only a Lazy policy that claimed the template
 * changed. It also stays, without its claim, if the policy of that claim gives the template up and no other takes it.
 * rebal_detector_look() returns the reason for each template in REBAL_DETECTOR_LIST_LEFT. If the bindings of several
 * templates have the same name, the first template gets it.
 * @returns REBAL_EINVAL; REBAL_ENOTFOUND: the store does not have all of the objects; REBAL_ENOMEM.
 * Source: rebalance-karmada(7) 14.3 to 14.7. Since: 0.1
 */
REBAL_API int32_t rebal_detector_derive(rebal_detector *detector, const uint32_t *objects, size_t n,
                                        const rebal_time *now, rebal_error *err);
/**
 * Computes the outcome of rebal_detector_derive() for a template without writing: DONE: a binding; else the reason why
 * it makes none, or leaves the existing one: API, NAMESPACE, CLAIMED_BY, LAZY, DELETING, UNMATCHED, WAITING,
 * WAITING_OVERRIDES, or ERROR with a message.
 * @returns as rebal_detector_template(). Since: 0.1
 */
REBAL_API int32_t rebal_detector_look(rebal_detector *detector, uint32_t object, rebal_detector_row *row,
                                      rebal_error *err);

/** Lists of a detector. */
enum rebal_detector_list {
  REBAL_DETECTOR_LIST_QUEUE = 0,    /**< templates to be examined again, in order, some twice */
  REBAL_DETECTOR_LIST_POLICIES = 1, /**< policies to be reconciled, in order */
  REBAL_DETECTOR_LIST_WAITING = 2,  /**< templates that no policy selects */
  REBAL_DETECTOR_LIST_LEFT = 3      /**< templates whose bindings rebal_detector_derive() leaves as they are */
};

/** An entry of a list; the caller sets struct_size. Since: 0.1 */
typedef struct rebal_detector_entry {
  uint32_t struct_size;
  uint32_t flags;     /**< bits REBAL_DETECTOR_PASS_* */
  uint32_t object;    /**< of the store; REBAL_NONE: it no longer exists */
  uint32_t reserved0; /**< 0 */
  const char *key;    /**< apiVersion/kind/namespace/name, cluster scoped without namespace; until the next call */
  uint64_t key_len;   /**< bytes */
} rebal_detector_entry;

/** Returns the number of entries of a list, REBAL_DETECTOR_LIST_*; 0 for NULL and for an unknown list. Since: 0.1 */
REBAL_API size_t rebal_detector_count(const rebal_detector *detector, uint32_t list);
/** Reads entry i of a list, from 0. REBAL_EINVAL; REBAL_ERANGE: it does not exist; REBAL_EABI. Since: 0.1 */
REBAL_API int32_t rebal_detector_read(const rebal_detector *detector, uint32_t list, size_t i,
                                      rebal_detector_entry *out, rebal_error *err);
/** Empties a list, such as a queue whose entries were processed. REBAL_EINVAL. Since: 0.1 */
REBAL_API int32_t rebal_detector_clear(rebal_detector *detector, uint32_t list, rebal_error *err);
/** Puts a template, an object of the store, into the waiting list. REBAL_ENOTFOUND, REBAL_ENOMEM. Since: 0.1 */
REBAL_API int32_t rebal_detector_wait(rebal_detector *detector, uint32_t object, rebal_error *err);

/**
 * Compares two states of a template, both maps. *changed: 1 if more than the status differs, so that the update
 * matters. *by_karmada: 1 if at most labels and annotations of Karmada differ, so that it counts as Karmada's own.
 * REBAL_EINVAL, REBAL_ENOMEM.
 * Source: rebalance-karmada(7) 14.1. Since: 0.1
 */
REBAL_API int32_t rebal_document_change(const rebal_document *old, const rebal_document *now, int32_t *changed,
                                        int32_t *by_karmada, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
