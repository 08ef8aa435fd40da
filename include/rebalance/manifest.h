/* SPDX-License-Identifier: MIT */
/*
 * rebalance/manifest.h - reading and writing of Kubernetes texts, and a store of objects like that of an informer
 * (librebalance-manifest).
 *
 * Memory of this library comes from malloc: libyaml allows no other allocator, and jansson only one for the whole
 * process. It opens no file and no socket: texts are passed as buffers. All objects must be used by one thread at a
 * time.
 */
#ifndef REBAL_MANIFEST_H
#define REBAL_MANIFEST_H

#include "descheduler.h"
#include "failover.h"
#include "rebalancer.h"
#include "scheduler.h"
#include "workloadspread.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- text -------------------------------------------------------------------------------------------------------- */

/** A growing text that calls append to. */
typedef struct rebal_text rebal_text;

/** Creates an empty text. Free it with rebal_text_free(). Since: 0.1 */
REBAL_API int32_t rebal_text_new(rebal_text **out, rebal_error *err);
/** Returns the bytes written so far, terminated; valid until the next call that writes to the text. Since: 0.1 */
REBAL_API const char *rebal_text_bytes(const rebal_text *text, size_t *len);
/** Appends len bytes of the caller. Since: 0.1 */
REBAL_API int32_t rebal_text_append(rebal_text *text, const char *bytes, size_t len, rebal_error *err);
/** Empties the text and keeps its memory. Since: 0.1 */
REBAL_API void rebal_text_reset(rebal_text *text);
/** Frees a text. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_text_free(rebal_text *text);

/** Notation of a written text. */
enum rebal_text_format {
  REBAL_TEXT_FORMAT_JSON = 1,        /**< compact, one line */
  REBAL_TEXT_FORMAT_JSON_PRETTY = 2, /**< indented by two */
  REBAL_TEXT_FORMAT_YAML = 3,        /**< block style */
  REBAL_TEXT_FORMAT_JSON_PATCH = 4   /**< actions only: RFC 6902 */
};

/** Limits of a reader; 0: the default in brackets. Checked before a text is parsed. Since: 0.1 */
typedef struct rebal_manifest_limits {
  uint32_t struct_size;
  uint32_t max_depth;       /**< nesting [64] */
  uint64_t max_bytes;       /**< length of one text [268435456] */
  uint64_t max_nodes;       /**< values and keys of one text [50000000] */
  uint64_t max_alias_nodes; /**< nodes that YAML aliases repeat [100000] */
} rebal_manifest_limits;

/** Flags of rebal_rewrite_opts. */
enum rebal_rewrite_flag {
  REBAL_REWRITE_FLAG_CANONICAL = 1 /**< the canonical form: members in the order of the API */
};

/** All zero: the defaults. Since: 0.1 */
typedef struct rebal_rewrite_opts {
  uint32_t struct_size;
  uint32_t flags;  /**< REBAL_REWRITE_FLAG_* */
  uint32_t format; /**< REBAL_TEXT_FORMAT_JSON, _JSON_PRETTY or _YAML; 0: REBAL_TEXT_FORMAT_JSON */
  uint32_t reserved0;
  const rebal_manifest_limits *limits; /**< NULL: the defaults */
} rebal_rewrite_opts;

/**
 * Appends every document of a stream (JSON, JSON lines, YAML) to out in a format. Compact JSON has one line for each
 * document; line n is document n of errors. Comments, anchors and empty documents are dropped. opts NULL: the defaults.
 *
 * With REBAL_REWRITE_FLAG_CANONICAL members of known kinds are in the order of the API, then unknown ones in their own
 * order; for other kinds apiVersion, kind, metadata, spec and status are first. Values do not change. The canonical
 * form of a canonical form is itself.
 * @returns REBAL_EPARSE, REBAL_ELIMIT with document, line and column; REBAL_EINVAL: another format; REBAL_EUNSUPPORTED:
 * an unknown flag. Since: 0.1
 */
REBAL_API int32_t rebal_manifest_rewrite(const char *text, size_t len, const rebal_rewrite_opts *opts, rebal_text *out,
                                         rebal_error *err);
/**
 * Finds line and column of the field at a path (spec.workloads[2].name; len 0: the document itself) of the n-th
 * document of a stream, from 1. If the field does not exist, they are those of its nearest existing parent.
 * @returns REBAL_ENOTFOUND: the document does not exist; REBAL_ELIMIT: a text of more than INT32_MAX bytes. Since: 0.1
 */
REBAL_API int32_t rebal_manifest_locate(const char *text, size_t len, uint32_t document, const char *path,
                                        size_t path_len, uint32_t *line, uint32_t *column, rebal_error *err);

/* ---- examination ------------------------------------------------------------------------------------------------- */

/** Findings of rebal_manifest_validate() or rebal_store_validate(). They do not change. */
typedef struct rebal_findings rebal_findings;

/** Severity of a finding. */
enum rebal_severity {
  REBAL_SEVERITY_ERROR = 1,  /**< the object is refused */
  REBAL_SEVERITY_WARNING = 2 /**< the object is accepted, but does not do what it seems to */
};

/** Codes of findings (findings.def). */
enum rebal_finding {
#define REBAL_FINDING(name, number, severity, text, meaning) REBAL_FINDING_##name = number,
#include "findings.def"
#undef REBAL_FINDING
  REBAL_FINDING_NONE = 0
};

/**
 * Validates every object of a text. For Karmada's kinds (Cluster, ResourceBinding, ClusterResourceBinding,
 * PropagationPolicy, ClusterPropagationPolicy, WorkloadRebalancer) and OpenKruise's WorkloadSpread it checks every
 * member and the rules of admission, with the other objects of the text; for other kinds apiVersion, kind and metadata.
 * Lists are expanded. Findings are in the order of the text. Free *out with rebal_findings_free(). limits NULL: the
 * defaults.
 * @returns REBAL_OK with any findings; REBAL_EPARSE, REBAL_ELIMIT with document, line and column if the text cannot be
 * read at all. Since: 0.1
 */
REBAL_API int32_t rebal_manifest_validate(const char *text, size_t len, const rebal_manifest_limits *limits,
                                          rebal_findings **out, rebal_error *err);
/** Returns the number of findings of a severity; 0: of all. Since: 0.1 */
REBAL_API size_t rebal_findings_count(const rebal_findings *findings, uint32_t severity);
/** Cause of a finding as the API server names it (field.ErrorType). */
enum rebal_cause {
  REBAL_CAUSE_NONE = 0,        /**< not a finding of admission */
  REBAL_CAUSE_REQUIRED = 1,
  REBAL_CAUSE_INVALID = 2,
  REBAL_CAUSE_UNSUPPORTED = 3,
  REBAL_CAUSE_FORBIDDEN = 4,
  REBAL_CAUSE_INTERNAL = 5
};

/**
 * One finding; the caller sets struct_size. Texts end with NUL and are valid until the findings are freed. The name of
 * the code is in REBAL_ENUM_FINDING, such as "unknown-member". Since: 0.1
 */
typedef struct rebal_finding_row {
  uint32_t struct_size;
  uint32_t code;     /**< REBAL_FINDING_* */
  uint32_t severity; /**< REBAL_SEVERITY_* */
  uint32_t cause;    /**< REBAL_CAUSE_* */
  uint32_t document; /**< from 1 */
  uint32_t line;     /**< from 1; for a missing member that of its parent */
  uint32_t column;   /**< from 1 */
  uint32_t reserved0;
  const char *path; /**< path of the field, as for rebal_manifest_locate(); "" for the document */
  uint64_t path_len;
  const char *message; /**< the error as an English text */
  uint64_t message_len;
  const char *value; /**< the wrong value as compact JSON; "" if admission does not return it */
  uint64_t value_len;
} rebal_finding_row;

/** Reads the i-th finding, from 0. REBAL_ERANGE: it does not exist; REBAL_EABI. Since: 0.1 */
REBAL_API int32_t rebal_findings_read(const rebal_findings *findings, size_t i, rebal_finding_row *out,
                                      rebal_error *err);
/** Frees findings. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_findings_free(rebal_findings *findings);

/**
 * Finds line and column, from 1, of the first comment of a YAML text; 0 without a comment, as always in JSON.
 * @returns REBAL_EPARSE, REBAL_ELIMIT as rebal_manifest_rewrite(). Since: 0.1
 */
REBAL_API int32_t rebal_manifest_find_comment(const char *text, size_t len, const rebal_manifest_limits *limits,
                                              uint32_t *line, uint32_t *column, rebal_error *err);

/* ---- patches ----------------------------------------------------------------------------------------------------- */

/**
 * One parsed document of a text. It does not change. Documents made from each other share common parts, and all of them
 * must be used by one thread at a time.
 */
typedef struct rebal_document rebal_document;

/** Notation of a patch. */
enum rebal_patch {
  REBAL_PATCH_STRATEGIC = 1, /**< strategic merge patch, of a Pod */
  REBAL_PATCH_MERGE = 2,     /**< JSON merge patch, RFC 7396 */
  REBAL_PATCH_JSON = 3       /**< JSON patch, RFC 6902 */
};

/**
 * Reads the one document of a text, JSON or YAML; "null" is a document. limits NULL: the defaults. Free *out with
 * rebal_document_free().
 * @returns REBAL_EPARSE (also for none and several documents), REBAL_ELIMIT with line and column. Since: 0.1
 */
REBAL_API int32_t rebal_document_read(const char *text, size_t len, const rebal_manifest_limits *limits,
                                      rebal_document **out, rebal_error *err);
/** Appends a document in a format; JSON has no newline at its end. Since: 0.1 */
REBAL_API int32_t rebal_document_write(const rebal_document *document, uint32_t format, rebal_text *out,
                                       rebal_error *err);
/** Frees a document and its values. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_document_free(rebal_document *document);
/**
 * Applies a patch of a kind (REBAL_PATCH_*) to a document. *out is a new document, which shares what the patch does not
 * change; free it with rebal_document_free(). A strategic merge patch uses the lists and maps of a Pod (names are
 * case-sensitive; members that a Pod does not have stay: maps are merged, lists replaced), obeys $patch, $retainKeys,
 * $setElementOrder and $deleteFromPrimitiveList, and may be null, which changes nothing. Source:
 * rebalance-workloadspread(7) 9.
 * @returns REBAL_EPARSE: a strategic patch or its document is not a map, or a JSON patch is not a list of operations;
 * REBAL_EINVAL: the strategic patch contradicts itself or the document, with the reference's message and the field; for
 * a JSON patch REBAL_EINVAL, REBAL_EMISMATCH and REBAL_ELIMIT as rebal_store_patch(). Since: 0.1
 */
REBAL_API int32_t rebal_document_patch(const rebal_document *document, const rebal_document *patch, uint32_t kind,
                                       rebal_document **out, rebal_error *err);
/**
 * Computes the patch of a kind that turns before into after: REBAL_PATCH_MERGE, or REBAL_PATCH_JSON, whose operations
 * are add, remove and replace. Free *out with rebal_document_free().
 * @returns REBAL_EUNSUPPORTED: a member becomes null, which a JSON merge patch cannot express. Since: 0.1
 */
REBAL_API int32_t rebal_document_diff(const rebal_document *before, const rebal_document *after, uint32_t kind,
                                      rebal_document **out, rebal_error *err);
/**
 * Patches a text: reads the one document of text, applies rebal_document_patch(), and appends the result to out in a
 * format, JSON without a newline at its end. limits NULL: the defaults.
 * @returns REBAL_EPARSE, REBAL_ELIMIT as rebal_document_read(), else as rebal_document_patch(). Since: 0.1
 */
REBAL_API int32_t rebal_manifest_patch(const char *text, size_t len, const rebal_manifest_limits *limits,
                                       const rebal_document *patch, uint32_t kind, uint32_t format, rebal_text *out,
                                       rebal_error *err);

/**
 * Injects a subset of a WorkloadSpread into a pod: appends tolerations and node affinity, merges the patch, and sets
 * the annotation that names the subset and, if not empty, id, under which a pod without a name is recorded (column
 * REBAL_ADMITTED_BY_ID). *out shares what does not change; free it with rebal_document_free().
 * @returns REBAL_ENOTFOUND: the subset does not exist; REBAL_EPARSE: the document is not a map, or has another type
 * where a pod has a map or a list; REBAL_EINVAL: the patch cannot be merged.
 * Source: rebalance-workloadspread(7) 3.7. Since: 0.1
 */
REBAL_API int32_t rebal_document_inject(const rebal_document *pod, const rebal_spread *spread, uint32_t subset,
                                        const char *id, size_t id_len, rebal_document **out, rebal_error *err);

/**
 * Reads a record of a kind (REBAL_OBJECT_*) from the one document of a text, JSON or YAML, in the form of the
 * Kubernetes API: a map, such as {replicaScheduling: {replicaSchedulingType: Divided}} for REBAL_OBJECT_PLACEMENT.
 * Lists of taints, API enablements, resource models, modelings, conditions, components and texts are lists, labels are
 * a map. Members that fields.def does not list are skipped. *out belongs to builder and is valid until its next start.
 * limits NULL: the defaults.
 * @returns REBAL_EPARSE (also for none and several documents), REBAL_ERANGE with line, column and field; REBAL_ELIMIT;
 * REBAL_EUNSUPPORTED: an unknown kind, or POD_RESOURCES, CONTAINER_RESOURCES, QUOTAS, QUOTA or BUDGET, whose members
 * are in different places of Kubernetes objects. Since: 0.1
 */
REBAL_API int32_t rebal_manifest_read_record(const char *text, size_t len, uint32_t object,
                                             const rebal_manifest_limits *limits, rebal_builder *builder,
                                             const rebal_record **out, rebal_error *err);

/* ---- store ------------------------------------------------------------------------------------------------------- */

/**
 * Objects by kind, namespace, name and API group; versions of a group are the same object. Ids are dense and never
 * reused within a store.
 */
typedef struct rebal_store rebal_store;

/** Creates an empty store; limits NULL: the defaults. Free it with rebal_store_free(). Since: 0.1 */
REBAL_API int32_t rebal_store_new(const rebal_manifest_limits *limits, rebal_store **out, rebal_error *err);
/** Frees a store and its objects. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_store_free(rebal_store *store);

/**
 * Adds every object of a text: JSON, JSON lines, or YAML of several documents; Lists are expanded. Objects of known
 * kinds are checked field by field, others are kept as they are; namespaced ones without a namespace get "default". All
 * or nothing. Objects, also items of Lists, are read one by one: beside the text a store needs no more memory than
 * compact JSON of its objects.
 * @returns REBAL_EPARSE, REBAL_ERANGE, REBAL_ELIMIT, REBAL_EEXIST (an object occurs twice) with document, line, column
 * and field. Since: 0.1
 */
REBAL_API int32_t rebal_store_load(rebal_store *store, const char *text, size_t len, rebal_error *err);
/**
 * Creates or replaces every object of a text (as rebal_store_load()), as an informer does: status, uid, generation and
 * resourceVersion are those of the text, and nothing is admitted, defaulted or counted. Objects of the same kind,
 * namespace and name in another version of the API group are replaced. All or nothing. A text with objects that the
 * store did not have moves four bytes for each object after them in the order of names.
 * @returns REBAL_EPARSE, REBAL_ERANGE, REBAL_ELIMIT, REBAL_EEXIST (an object occurs twice in the text) with document,
 * line, column and field. Since: 0.1
 */
REBAL_API int32_t rebal_store_put(rebal_store *store, const char *text, size_t len, rebal_error *err);
/**
 * Applies objects at now as `kubectl apply` does. New ones are created (uid, creationTimestamp and generation 1 are set
 * if absent). Others are replaced except status, uid, creationTimestamp and the labels and annotations by which a
 * policy claims an object (generation + 1 if spec changes). Admission applies (timeAdded of NoExecute taints, placement
 * defaults of rebalance-karmada(7) 1.4). New objects cost as much as with rebal_store_put().
 * Since: 0.1
 */
REBAL_API int32_t rebal_store_apply(rebal_store *store, const char *text, size_t len, const rebal_time *now,
                                    rebal_error *err);
/**
 * Patches an object as an API server would at now, by a patch in JSON or YAML, status included: generation + 1 if spec
 * changes, then resourceVersion + 1; admission as in rebal_store_apply(). A map is a JSON merge patch (RFC 7396), a
 * list a JSON patch (RFC 6902; numbers are equal if their texts are). All or nothing. An operation on a list moves
 * eight bytes for each later item.
 * @returns REBAL_ENOTFOUND: the object does not exist; REBAL_EINVAL: the patch changes apiVersion, kind, namespace,
 * name or uid, or the path of an operation does not exist; REBAL_EMISMATCH: a test fails, or metadata.resourceVersion
 * differs; REBAL_ELIMIT: too many values are copied; else as rebal_store_load().
 * Since: 0.1
 */
REBAL_API int32_t rebal_store_patch(rebal_store *store, uint32_t object, const char *patch, size_t len,
                                    const rebal_time *now, rebal_error *err);
/** Removes an object; moves four bytes for each object after it in the order of names. REBAL_ENOTFOUND. Since: 0.1 */
REBAL_API int32_t rebal_store_remove(rebal_store *store, uint32_t object, rebal_error *err);

/**
 * Sets the plural of a kind for paths of an API server, for kinds that the library does not know or with another
 * plural. The kind is followed by its API group, as in "CronTab.stable.example.com"; for the core group, the kind is
 * given alone. is_namespaced: 0 or 1; with 1, objects read later without a namespace get "default". Texts are copied.
 * @returns REBAL_EINVAL: a name is missing or malformed; REBAL_ELIMIT: a name of more than 1,024 bytes.
 * Since: 0.1
 */
REBAL_API int32_t rebal_store_add_resource(rebal_store *store, const char *kind, size_t kind_len, const char *plural,
                                           size_t plural_len, int32_t is_namespaced, rebal_error *err);

/**
 * Returns the object with this kind, namespace (len 0: cluster scoped) and name; REBAL_NONE if it does not exist. A
 * kind alone ("Cluster") finds the first by API group, one with its group ("Cluster.cluster.karmada.io", "Pod.") only
 * that. Since: 0.1
 */
REBAL_API uint32_t rebal_store_find(const rebal_store *store, const char *kind, size_t kind_len,
                                    const char *namespace_, size_t namespace_len, const char *name,
                                    size_t name_len);
/**
 * Returns the next object of a kind (len 0: every kind; with or without its group as in rebal_store_find()) after
 * previous (REBAL_NONE: the first), by kind, namespace, name, API group; REBAL_NONE after the last one. Since: 0.1
 */
REBAL_API uint32_t rebal_store_next(const rebal_store *store, const char *kind, size_t kind_len, uint32_t previous);
/**
 * Returns the number of changes so far: objects created, changed or deleted. A write that leaves an object as it was
 * does not count. Since: 0.1
 */
REBAL_API uint64_t rebal_store_change_count(const rebal_store *store);
/**
 * Finds the next changed object, in the order of last changes: the first one whose last change has a number above
 * *seen, which becomes that number. *seen starts at 0, or at the result of rebal_store_change_count(). The cost does
 * not grow with the number of objects. All texts of a deleted object are "".
 * @returns the object's id; REBAL_NONE if no object changed after *seen, which then keeps its value.
 * Since: 0.1
 */
REBAL_API uint32_t rebal_store_next_changed(const rebal_store *store, uint64_t *seen);
/** Returns the number of objects. Since: 0.1 */
REBAL_API size_t rebal_store_count(const rebal_store *store);
/** Parts of an object's identity. */
enum rebal_identity {
  REBAL_IDENTITY_API_VERSION = 1, /**< apiVersion */
  REBAL_IDENTITY_KIND = 2,        /**< kind */
  REBAL_IDENTITY_NAMESPACE = 3,   /**< metadata.namespace; empty for objects of a cluster */
  REBAL_IDENTITY_NAME = 4         /**< metadata.name */
};
/**
 * Returns a part of an object's identity, REBAL_IDENTITY_*; terminated, "" if the object or part does not exist. Valid
 * until the object is changed or removed. Since: 0.1
 */
REBAL_API const char *rebal_store_identity(const rebal_store *store, uint32_t object, uint32_t part, size_t *len);
/**
 * Appends the text at a field path (spec.replicas, metadata.labels["a.b/c"], items[2].name; len 0: the whole object);
 * numbers, booleans, maps and lists as compact JSON.
 * @returns REBAL_ENOTFOUND: the object does not exist, or the value at the path is missing or null; then nothing is
 * appended.
 * Since: 0.1
 */
REBAL_API int32_t rebal_store_text(const rebal_store *store, uint32_t object, const char *path, size_t path_len,
                                   rebal_text *out, rebal_error *err);
/** Writes one object, unknown members included. Since: 0.1 */
REBAL_API int32_t rebal_store_write(const rebal_store *store, uint32_t object, uint32_t format, rebal_text *out,
                                    rebal_error *err);
/**
 * Returns an object as a record (WORKLOAD_REBALANCER, BINDING, TAINT_POLICY, FEDERATED_QUOTA, UNITED_DEPLOYMENT, of a
 * PodDisruptionBudget BUDGET); *out belongs to builder. REBAL_EUNSUPPORTED: another kind.
 * Since: 0.1
 */
REBAL_API int32_t rebal_store_record(const rebal_store *store, uint32_t object, rebal_builder *builder,
                                     const rebal_record **out, rebal_error *err);
/**
 * Returns the requirements of a Pod, or of a pod of the template of any other object: a REQUIREMENTS record as the
 * detector writes it into spec.replicaRequirements; *out belongs to builder. REBAL_ENOTFOUND, REBAL_EPARSE. Since: 0.1
 */
REBAL_API int32_t rebal_store_requirements(const rebal_store *store, uint32_t object, rebal_builder *builder,
                                           const rebal_record **out, rebal_error *err);
/**
 * Validates a WorkloadSpread or UnitedDeployment (text: one document, either version) as its admission does: findings
 * in its order with its texts: causes, paths spelled as in v1beta1, details as messages. For a UnitedDeployment, the
 * requests of its subsets and their names are checked. The store has the objects that a WorkloadSpread is checked
 * against: the workload, other WorkloadSpreads and the ConfigMap kruise-configuration. old: the object of the store
 * that the text updates; REBAL_NONE: the text creates one. compat NULL: the defaults. The other rules of a Pod are not
 * checked on patched pods of the workload. Free *out with rebal_findings_free().
 * @returns REBAL_OK with any findings; REBAL_EUNSUPPORTED: another kind; REBAL_ENOTFOUND: the old object does not
 * exist; REBAL_EPARSE, REBAL_ERANGE, REBAL_ELIMIT: the API server could not read the object.
 * Source: rebalance-workloadspread(7) 8, 13.7. Since: 0.1
 */
REBAL_API int32_t rebal_store_validate(rebal_store *store, const char *text, size_t len, uint32_t old,
                                       const rebal_compat *compat, rebal_findings **out, rebal_error *err);

/* ---- from the store into the core -------------------------------------------------------------------------------- */

/** State of the transfer from a store to a fleet, so that only changed objects are read again. */
typedef struct rebal_feed rebal_feed;

/**
 * Makes the clusters of a fleet equal to those of a store (Cluster of cluster.karmada.io): adds, changes and removes.
 *
 * If *feed is NULL, the call reads the whole store and sets *feed, also on failure; later calls with this feed read
 * what changed in the store since then, at a cost that does not grow with the rest. If feed is NULL, it reads the whole
 * store once. Store and fleet must outlive the feed, and no other call may change that part of the fleet.
 * @returns REBAL_EMISMATCH: the feed is of another call, store or fleet; REBAL_ENOMEM: the next call continues where
 * this one stopped.
 * Since: 0.1
 */
REBAL_API int32_t rebal_store_feed_clusters(rebal_store *store, rebal_fleet *fleet, rebal_feed **feed,
                                            rebal_error *err);
/**
 * Makes the rows below a cluster of the fleet equal to the objects of the cluster's own store: Nodes, in the order of
 * their names, Pods, workloads with their ReplicaSets, and ResourceQuotas. Earlier rows are removed. A store without
 * Nodes means that the cluster has none. feed as for rebal_store_feed_clusters(). If a Node is added or moves to
 * another zone, all Nodes after it by name are read again, since they are packed after it.
 *
 * A refused object keeps its earlier row; all others are brought up to date. The message names the first refused
 * object, until it is changed or deleted. Only Pods are refused (REBAL_ERANGE): one that requests a negative amount, or
 * one with which the Pods of a node take more than can be counted.
 * @returns REBAL_ENOTFOUND: the cluster does not exist; others as rebal_store_feed_clusters().
 * Since: 0.1
 */
REBAL_API int32_t rebal_store_feed_member(rebal_store *member, rebal_fleet *fleet, uint32_t cluster, rebal_feed **feed,
                                          rebal_error *err);
/** Frees a feed; its rows stay in the fleet. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_feed_free(rebal_feed *feed);
/**
 * Adds n binding objects (ResourceBinding, ClusterResourceBinding) as rows, in the given order; objects NULL: all, by
 * kind, namespace, name. Those of work.karmada.io/v1alpha1, which have no placement, are left out. Clusters that they
 * name get ids. The labels of their pods come from the template of the workload, if the store has it and a
 * PodDisruptionBudget; nothing else needs them. The set stays unfrozen. Since: 0.1
 */
REBAL_API int32_t rebal_store_feed_bindings(rebal_store *store, rebal_fleet *fleet, const uint32_t *objects, size_t n,
                                            rebal_bindings *bindings, rebal_error *err);

/* ---- actions carried out ------------------------------------------------------------------------------------- */

/**
 * Carries out an action on the store as an API server would at now (preconditions, resourceVersion, generation) and,
 * unless observations is NULL, adds the observation. EVENT actions become Event objects, whose count rises if one is
 * repeated; WAKE is not carried out. A refusal (not found, conflict, denied) is an observation, not an error.
 * @returns REBAL_EUNSUPPORTED for LIST.
 * Since: 0.1
 */
REBAL_API int32_t rebal_store_carry_out(rebal_store *store, const rebal_result *result, size_t action,
                                        const rebal_time *now, rebal_observations *observations, rebal_error *err);

/* ---- records of calls -------------------------------------------------------------------------------------------- */

/** Calls that can be recorded. */
enum rebal_call {
  REBAL_CALL_NONE = 0,
  REBAL_CALL_DECIDE = 1,
  REBAL_CALL_FILTER = 2,
  REBAL_CALL_SCHEDULE = 3,
  REBAL_CALL_SCHEDULER_STEP = 4,
  REBAL_CALL_ESTIMATE = 5,
  REBAL_CALL_ESTIMATE_SETS = 6,
  REBAL_CALL_DESCHEDULE_STEP = 7,
  REBAL_CALL_TAINT_EVICTION_STEP = 8,
  REBAL_CALL_GRACEFUL_EVICTION_STEP = 9,
  REBAL_CALL_APPLICATION_FAILOVER_STEP = 10
};

/** A recorded call: its arguments and its result. Since: 0.1 */
typedef struct rebal_recorded_call {
  uint32_t struct_size;
  uint32_t call; /**< REBAL_CALL_* */
  const rebal_snapshot *snapshot;
  const rebal_bindings *bindings;           /**< frozen; not for estimates */
  const rebal_time *now;                    /**< steps only */
  const rebal_schedule_opts *schedule_opts; /**< NULL: defaults; its ledger as it was before the call, a fork */
  const rebal_estimate_opts *estimate_opts; /**< estimates only; NULL: defaults */
  const uint32_t *requirements;             /**< estimates only: a handle or REBAL_NONE for each component */
  const int32_t *replicas;                  /**< ESTIMATE_SETS only */
  uint64_t n_components;                    /**< ESTIMATE: 1 */
  const rebal_result *result;               /**< as the call filled it */
  const char *id;                           /**< of the record, followed by the row if there are several; or NULL */
  uint64_t id_len;                          /**< bytes of id */
  const rebal_deschedule_opts *deschedule_opts; /**< DESCHEDULE_STEP only; NULL: defaults */
  const rebal_failover_opts *failover_opts;     /**< the other three steps only; NULL: defaults */
  uint32_t cluster;                             /**< TAINT_EVICTION_STEP only */
  uint32_t reserved0;                           /**< must be 0 */
} rebal_recorded_call;

/**
 * Appends a call as JSON lines in the format of the conformance vectors: one line for each answered binding, one for an
 * estimate. A line has all inputs of the answer as Kubernetes objects and maps by cluster name, the answer as in the
 * vectors (accept or error; not for DECIDE and steps), every row of the result, and the fingerprint if the result has
 * one and the call answered a single binding. rebalance-record(5) lists the members.
 * @returns REBAL_EUNSUPPORTED: a ledger with a call that answered several bindings, since the ledger was different for
 * each of them (record such calls with max_work 1); for the same reason caps, budgets or a pace of evictions with
 * several bindings; observations; a descheduler that counts pods, which are not recorded. REBAL_EINVAL: a required
 * member is NULL, or the result is not of this call.
 * Since: 0.1
 */
REBAL_API int32_t rebal_manifest_dump_call(const rebal_recorded_call *call, rebal_text *out, rebal_error *err);

/**
 * Replays the call of one such line in its own fleet. *same: 1 if every row of the result (or, if the line has no rows,
 * the outcome as the vectors compare it) and the fingerprint are those recorded, else 0. The texts may be NULL.
 * recorded and replayed receive both outcomes as JSON; differences receives one line for each difference: path,
 * recorded value, replayed value. Lines of the vectors' kinds schedule, filter and estimate-general are replayed too,
 * by the vectors' defaults. limits NULL: the defaults.
 * @returns REBAL_EPARSE, REBAL_ERANGE, REBAL_ELIMIT with column and field; REBAL_EUNSUPPORTED: a line of another kind.
 * Since: 0.1
 */
REBAL_API int32_t rebal_manifest_replay_call(const char *line, size_t len, const rebal_manifest_limits *limits,
                                             int32_t *same, rebal_text *recorded, rebal_text *replayed,
                                             rebal_text *differences, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
