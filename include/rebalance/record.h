/* SPDX-License-Identifier: MIT */
/*
 * rebalance/record.h - nested objects, rows of results, actions and observations.
 *
 * A record is one nested object (a placement, a taint list, a rebalancer): a frozen tree of the fields that fields.def
 * lists. A builder makes records. A result holds rows of the tables that columns.def lists. Both hold numbers and text,
 * never JSON.
 */
#ifndef REBAL_RECORD_H
#define REBAL_RECORD_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** No id, no handle, no node. */
#define REBAL_NONE UINT32_MAX
/** A missing integer, where 0 is a value. */
#define REBAL_ABSENT INT64_MIN

/** Objects of fields.def. */
enum rebal_object {
  REBAL_OBJECT_NONE = 0,
#define REBAL_OBJECT(name, number) REBAL_OBJECT_##name = number,
#define REBAL_FIELD(object, name, number, type, cardinality, child, text)
#include "fields.def"
#undef REBAL_OBJECT
#undef REBAL_FIELD
};

/** Tables of columns.def; no table has the number of an object. */
enum rebal_table {
#define REBAL_TABLE(name, number) REBAL_TABLE_##name = number,
#define REBAL_COLUMN(table, name, number, type, absent, source)
#include "columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN
};

/** Fields of fields.def: object * 256 + number. */
enum rebal_field {
#define REBAL_OBJECT(name, number)
#define REBAL_FIELD(object, name, number, type, cardinality, child, text) \
  REBAL_##object##_##name = REBAL_OBJECT_##object * 256 + (number),
#include "fields.def"
#undef REBAL_OBJECT
#undef REBAL_FIELD
};

/** Columns of columns.def: table * 256 + number. */
enum rebal_column {
#define REBAL_TABLE(name, number)
#define REBAL_COLUMN(table, name, number, type, absent, source) \
  REBAL_##table##_##name = REBAL_TABLE_##table * 256 + (number),
#include "columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN
};

/** Types of fields and columns. */
enum rebal_type {
  REBAL_TYPE_NONE = 0,
  REBAL_TYPE_TEXT = 1,
  REBAL_TYPE_INT32 = 2,
  REBAL_TYPE_COUNT32 = 3,  /**< from 0 to 2^31 - 1 */
  REBAL_TYPE_INT64 = 4,
  REBAL_TYPE_BOOLEAN = 5,
  REBAL_TYPE_QUANTITY = 6,
  REBAL_TYPE_TIME = 7,
  REBAL_TYPE_OBJECT = 8,
  REBAL_TYPE_CLUSTER = 9,  /**< columns only: a cluster id */
  REBAL_TYPE_HANDLE = 10   /**< columns only: handle of an interned record */
};

/** How often a field may appear. */
enum rebal_cardinality { REBAL_CARDINALITY_ONE = 0, REBAL_CARDINALITY_LIST = 1, REBAL_CARDINALITY_MAP = 2 };

/** Enumerations of enums.def, for programs that read tables. */
enum rebal_enum {
  REBAL_ENUM_NONE = 0,
#define REBAL_ENUM(name, number, form) REBAL_ENUM_##name = number,
#define REBAL_ENUMERATOR(enumeration, name, value, text, meaning)
#include "enums.def"
#undef REBAL_ENUM
#undef REBAL_ENUMERATOR
};

/** How a column holds enumerators. */
enum rebal_form {
  REBAL_FORM_NONE = 0,       /**< not an enumeration */
  REBAL_FORM_VALUE = 1,      /**< one of the enumerators */
  REBAL_FORM_BITS = 2,       /**< a sum of enumerators, each of which is a bit */
  REBAL_FORM_BIT_NUMBERS = 3 /**< a sum of 1 << enumerator */
};

/** Description of a field or column. The caller sets struct_size; texts are static. Since: 0.1 */
typedef struct rebal_description {
  uint32_t struct_size;   /**< sizeof(rebal_description) */
  uint32_t type;          /**< REBAL_TYPE_* */
  uint32_t cardinality;   /**< REBAL_CARDINALITY_* */
  uint32_t child;         /**< REBAL_OBJECT_* that it holds; 0 if none */
  uint32_t enumeration;   /**< REBAL_ENUM_* whose numbers a column holds; 0 if none */
  uint32_t form;          /**< REBAL_FORM_*: how it holds them */
  const char *name;       /**< of a field: its name in the API; of a column: its meaning or its path in the API */
  const char *identifier; /**< last part of its identifier: "OUTCOME" of REBAL_DECISION_OUTCOME */
} rebal_description;

/**
 * Describes a field or column to programs that read tables. *out keeps its struct_size.
 * @returns REBAL_EUNSUPPORTED if this library does not know the number; REBAL_EABI: struct_size is impossible.
 * Any thread. Since: 0.1
 */
REBAL_API int32_t rebal_describe(uint32_t id, rebal_description *out, rebal_error *err);

/**
 * Returns the text of an enumerator (enumeration: REBAL_ENUM_*), as rebalancectl prints it: static, terminated, "" for
 * a value that is not shown. Sets *len, which may be NULL, to its length. Returns NULL with length 0 for an unknown
 * enumerator and for a sum of several bits. Any thread. Since: 0.1
 */
REBAL_API const char *rebal_enum_name(uint32_t enumeration, int64_t value, size_t *len);
/**
 * Finds the enumerator of an enumeration (REBAL_ENUM_*) by its text, as rebal_enum_name() returns it, and sets *value.
 * @returns REBAL_ENOTFOUND if the text is empty or no enumerator has it: the message names the enumerator with the most
 * similar text, and err->where is its value, or -1; REBAL_EUNSUPPORTED if this library does not know the enumeration.
 * Any thread. Since: 0.1
 */
REBAL_API int32_t rebal_enum_find(uint32_t enumeration, const char *text, size_t len, int64_t *value, rebal_error *err);

/**
 * Lists the fields of an object or the columns of a table: writes up to capacity ids and sets *n to the number of all.
 * Since: 0.1
 */
REBAL_API int32_t rebal_describe_object(uint32_t object, uint32_t *ids, size_t capacity, size_t *n, rebal_error *err);

/* ---- records ---------------------------------------------------------------------------------------------------- */

/** One frozen nested object. Nodes are numbered from 0, the object itself. Read-only, any thread. */
typedef struct rebal_record rebal_record;

/** Makes records, one after another. One thread at a time. */
typedef struct rebal_builder rebal_builder;

/** Creates a builder with memory from allocator (NULL: malloc). Free it with rebal_builder_free(). Since: 0.1 */
REBAL_API int32_t rebal_builder_new(const rebal_allocator *allocator, rebal_builder **out, rebal_error *err);

/**
 * Starts a record of a kind (REBAL_OBJECT_*). Drops the record under construction and the one finished last. Since: 0.1
 */
REBAL_API int32_t rebal_builder_start(rebal_builder *builder, uint32_t object, rebal_error *err);

/**
 * Sets a text field of the open object. A LIST field is appended to; a ONE field set twice is REBAL_EEXIST.
 * The first error is kept: later calls and rebal_builder_finish() return it, so only finish need be checked.
 * @returns REBAL_EINVAL: the open object does not have the field, or it is of another type; REBAL_EUNSUPPORTED: this
 * library does not know the field; REBAL_ERANGE: the number does not fit its type; REBAL_ELIMIT: objects are nested
 * deeper than 64.
 * Since: 0.1
 */
REBAL_API int32_t rebal_builder_text(rebal_builder *builder, uint32_t field, const char *text, size_t len,
                                     rebal_error *err);
/** Sets an INT32, COUNT32, INT64 or BOOLEAN field, as rebal_builder_text() does. Since: 0.1 */
REBAL_API int32_t rebal_builder_i64(rebal_builder *builder, uint32_t field, int64_t value, rebal_error *err);
/** Sets a QUANTITY field, as rebal_builder_text() does. Since: 0.1 */
REBAL_API int32_t rebal_builder_quantity(rebal_builder *builder, uint32_t field, const rebal_quantity *value,
                                         rebal_error *err);
/** Sets a TIME field, as rebal_builder_text() does; an unset time is not written. Since: 0.1 */
REBAL_API int32_t rebal_builder_time(rebal_builder *builder, uint32_t field, const rebal_time *value, rebal_error *err);
/**
 * Opens a child object in an OBJECT field; appends one to a LIST or MAP. Close it with rebal_builder_end(). Since: 0.1
 */
REBAL_API int32_t rebal_builder_begin(rebal_builder *builder, uint32_t field, rebal_error *err);
/** Closes the object opened last. REBAL_ESTATE if only the record itself is open. Since: 0.1 */
REBAL_API int32_t rebal_builder_end(rebal_builder *builder, rebal_error *err);
/** Copies a node of another record, with all nodes below it, into a field of the same child kind. Since: 0.1 */
REBAL_API int32_t rebal_builder_copy(rebal_builder *builder, uint32_t field, const rebal_record *source, uint32_t node,
                                     rebal_error *err);

/**
 * Finishes the record. *out belongs to the builder and is valid until its next start or free. Records with the same
 * content have the same bytes, in whatever order fields and map entries were set.
 * @returns the first error since start; REBAL_ESTATE if an object is still open; REBAL_EEXIST if a map key occurs
 * twice.
 * Since: 0.1
 */
REBAL_API int32_t rebal_builder_finish(rebal_builder *builder, const rebal_record **out, rebal_error *err);

/** Frees a builder and its record. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_builder_free(rebal_builder *builder);

/** Returns the kind of a record: REBAL_OBJECT_*. Since: 0.1 */
REBAL_API uint32_t rebal_record_object(const rebal_record *record);
/** Returns 1 if both records have the same content, else 0; NULL equals NULL. Since: 0.1 */
REBAL_API int32_t rebal_record_equal(const rebal_record *left, const rebal_record *right);
/**
 * Returns the next child of node parent that holds field (0: any field), after child previous (REBAL_NONE: the first);
 * REBAL_NONE if there is none, or if parent is REBAL_NONE.
 * Since: 0.1
 */
REBAL_API uint32_t rebal_record_next(const rebal_record *record, uint32_t parent, uint32_t field, uint32_t previous);
/** Returns the field that a node holds; 0 for the record's own node. Since: 0.1 */
REBAL_API uint32_t rebal_record_field(const rebal_record *record, uint32_t node);
/** Returns the value of an integer node; 0 for REBAL_NONE or another type. Since: 0.1 */
REBAL_API int64_t rebal_record_i64(const rebal_record *record, uint32_t node);
/**
 * Returns the text of a text node, terminated, valid as long as the record; "" and length 0 for REBAL_NONE or another
 * type.
 * Since: 0.1
 */
REBAL_API const char *rebal_record_text(const rebal_record *record, uint32_t node, size_t *len);
/** Reads the value of a quantity node; all zero for REBAL_NONE or another type. Since: 0.1 */
REBAL_API void rebal_record_quantity(const rebal_record *record, uint32_t node, rebal_quantity *out);
/** Reads the value of a time node; unset for REBAL_NONE or another type. Since: 0.1 */
REBAL_API void rebal_record_time(const rebal_record *record, uint32_t node, rebal_time *out);

/* ---- results ---------------------------------------------------------------------------------------------------- */

/** Rows that a call filled. A call first empties the result, and keeps its memory. One thread at a time. */
typedef struct rebal_result rebal_result;

/**
 * Creates an empty result. Pointers into it are valid until the next call that fills it, its reset or its free. It
 * keeps the snapshot of the call alive. Free it with rebal_result_free().
 * Since: 0.1
 */
REBAL_API int32_t rebal_result_new(const rebal_allocator *allocator, rebal_result **out, rebal_error *err);
/** Removes all rows and keeps the memory. Since: 0.1 */
REBAL_API void rebal_result_reset(rebal_result *result);
/** Frees a result. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_result_free(rebal_result *result);
/** Returns the number of rows of a table (REBAL_TABLE_*); 0 for a table that the call did not fill. Since: 0.1 */
REBAL_API size_t rebal_result_count(const rebal_result *result, uint32_t table);
/**
 * Returns the integers of a column, one for each row; NULL without rows or if the column is of another type. Since: 0.1
 */
REBAL_API const int64_t *rebal_result_i64(const rebal_result *result, uint32_t column, size_t *n);
/** Returns one text, terminated; "" if the row or column does not exist. Since: 0.1 */
REBAL_API const char *rebal_result_text(const rebal_result *result, uint32_t column, size_t row, size_t *len);
/** Reads one time; unset if the row or column does not exist. Since: 0.1 */
REBAL_API void rebal_result_time(const rebal_result *result, uint32_t column, size_t row, rebal_time *out);
/**
 * Returns a whole text column: text i is (*bytes)[(*offsets)[i]] up to (*bytes)[(*offsets)[i + 1]], *n texts without
 * terminators and n + 1 offsets. The call makes the block, which belongs to the result. REBAL_EINVAL: the column is not
 * a text column of a result; REBAL_ELIMIT: more than 2^31 - 1 bytes. Since: 0.1
 */
REBAL_API int32_t rebal_result_texts(rebal_result *result, uint32_t column, const char **bytes,
                                     const uint32_t **offsets, size_t *n, rebal_error *err);
/**
 * Returns a whole time column as the result keeps it: *n times, NULL without rows. REBAL_EINVAL: the column is not a
 * time column of a result. Since: 0.1
 */
REBAL_API int32_t rebal_result_times(rebal_result *result, uint32_t column, const rebal_time **times, size_t *n,
                                     rebal_error *err);
/** Returns the payload of an action (row of REBAL_TABLE_ACTION); NULL if it has none. Since: 0.1 */
REBAL_API const rebal_record *rebal_result_record(const rebal_result *result, size_t row);

/**
 * Returns the fingerprint of the call that filled the result, written as 32 hexadecimal digits, high first. Equal
 * fingerprints mean the same call with the same content, by name and value; ids of clusters, the order in which they
 * were added and the time of snapshots make no difference. Fingerprints are the same on every machine. They do not
 * protect against an adversary.
 * rebal_decide(), rebal_filter(), rebal_schedule() and rebal_scheduler_step() compute it with
 * REBAL_SCHEDULE_FLAG_FINGERPRINT, rebal_estimate*() with REBAL_ESTIMATE_FLAG_FINGERPRINT. Options at their defaults
 * and flags that request fingerprints are left out, as are nodes and the rows beside them if the call does not read
 * them.
 * The call itself digests the caller's inputs, since only the snapshot is kept. The cost of the call grows with the
 * bindings answered and their columns; the cost of reading the fingerprint grows with the clusters.
 * @returns REBAL_ESTATE: the call that filled the result did not compute a fingerprint.
 * Since: 0.1
 */
REBAL_API int32_t rebal_result_fingerprint(const rebal_result *result, uint64_t *high, uint64_t *low, rebal_error *err);

/* ---- steps: observe -> step -> actions --------------------------------------------------------------------------- */

/** What the caller does to carry an action out. */
enum rebal_action_kind {
  REBAL_ACTION_KIND_READ = 1,           /**< read the object; the observation brings the payload's fields */
  REBAL_ACTION_KIND_LIST = 2,           /**< list objects of the kind */
  REBAL_ACTION_KIND_PATCH_SPEC = 3,     /**< set the payload's fields in spec */
  REBAL_ACTION_KIND_PATCH_STATUS = 4,   /**< set the payload's fields in status */
  REBAL_ACTION_KIND_PATCH_METADATA = 5, /**< set the payload's fields in metadata */
  REBAL_ACTION_KIND_CREATE = 6,         /**< create the payload */
  REBAL_ACTION_KIND_DELETE = 7,         /**< delete, with the preconditions given */
  REBAL_ACTION_KIND_EVICT = 8,          /**< evict the pod */
  REBAL_ACTION_KIND_EVENT = 9,          /**< record the payload (REBAL_OBJECT_EVENT) on the object; not observed */
  REBAL_ACTION_KIND_WAKE = 10,          /**< start a new run at NOT_BEFORE; not observed */
  /** set the payload's replicas through the subresource scale, once all actions before it succeeded */
  REBAL_ACTION_KIND_SCALE = 11
};

/**
 * Bits of the column REBAL_ACTION_REPLACES. A record cannot distinguish an empty list from a missing one: if the bit is
 * set, the payload has the whole list, and without entries in the payload the object has none. A whole map also removes
 * the names that it lacks; in a merge patch they are null.
 */
enum rebal_replaces {
  REBAL_REPLACES_CLUSTERS = 1,                /**< spec.clusters */
  REBAL_REPLACES_GRACEFUL_EVICTION_TASKS = 2, /**< spec.gracefulEvictionTasks */
  REBAL_REPLACES_OBSERVED_WORKLOADS = 4,      /**< status.observedWorkloads */
  REBAL_REPLACES_TAINTS = 8,                  /**< spec.taints of a Cluster */
  REBAL_REPLACES_SUBSET_STATUSES = 16,        /**< status.subsetStatuses */
  REBAL_REPLACES_OVERALL_USED = 32,           /**< status.overallUsed of a FederatedResourceQuota */
  REBAL_REPLACES_SCHEDULING_SUSPENSION = 64,  /**< spec.suspension.scheduling */
  REBAL_REPLACES_PLAN_MARK = 128              /**< the mark of rebal_plan_step() */
};

/** How an action ended. */
enum rebal_observed {
  REBAL_OBSERVED_DONE = 1,      /**< it was carried out */
  REBAL_OBSERVED_NOT_FOUND = 2, /**< the object does not exist */
  REBAL_OBSERVED_CONFLICT = 3,  /**< a precondition failed, or the object to create exists */
  /** refused; fields may bring a REBAL_OBJECT_CONDITION with the reason of the server's answer */
  REBAL_OBSERVED_DENIED = 4,
  REBAL_OBSERVED_TRANSIENT = 5  /**< no answer, or a failure that a retry may overcome */
};

/** Where a step stands for one object. */
enum rebal_step_state {
  /** call again: with observations of the actions or, if none are observed, at the WAKE */
  REBAL_STEP_STATE_WAITING = 1,
  REBAL_STEP_STATE_DONE = 2,    /**< finished; a WAKE may be among the actions */
  REBAL_STEP_STATE_RETRY = 3,   /**< the run failed, see MESSAGE: start a new one after a back-off */
  REBAL_STEP_STATE_SKIPPED = 4  /**< nothing to do for this object */
};

/** Observations of the actions of one run, in any order. One thread at a time. */
typedef struct rebal_observations rebal_observations;

/** Creates an empty set of observations. Free it with rebal_observations_free(). Since: 0.1 */
REBAL_API int32_t rebal_observations_new(const rebal_allocator *allocator, rebal_observations **out, rebal_error *err);
/** The outcome of one action. Texts and fields are copied. Since: 0.1 */
typedef struct rebal_observation {
  uint32_t struct_size;
  int32_t outcome;               /**< REBAL_OBSERVED_* */
  int64_t ordinal;               /**< of the action */
  const char *resource_version;  /**< of the object after the action; NULL: unknown */
  uint64_t resource_version_len; /**< bytes of resource_version */
  const rebal_record *fields;    /**< the fields read; NULL: none */
  const char *message;           /**< the text of a failure; NULL: none */
  uint64_t message_len;          /**< bytes of message */
} rebal_observation;

/**
 * Adds the outcome of one action.
 * @returns REBAL_EEXIST if its ordinal was observed before.
 * Since: 0.1
 */
REBAL_API int32_t rebal_observations_add(rebal_observations *observations, const rebal_observation *observation,
                                         rebal_error *err);
/** Removes all observations for the next run and keeps the memory. Since: 0.1 */
REBAL_API void rebal_observations_reset(rebal_observations *observations);
/** Frees a set of observations. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_observations_free(rebal_observations *observations);

#ifdef __cplusplus
}
#endif
#endif
