/* SPDX-License-Identifier: MIT */
/*
 * rebalance/record.h - how nested objects and rows cross the interface.
 *
 * A record is one nested object (a placement, a taint list, a rebalancer): a frozen tree of the fields that fields.def
 * lists. A builder makes records. A result holds rows of the tables that columns.def lists. Both speak numbers and
 * text, never JSON.
 */
#ifndef REBAL_RECORD_H
#define REBAL_RECORD_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** No id, no handle, no node. */
#define REBAL_NONE UINT32_MAX
/** An integer that is not there, where 0 would mean something. */
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
  REBAL_TYPE_COUNT32 = 3,
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

/** What a field or column is. The caller sets struct_size; texts are static. Since: 0.1 */
typedef struct rebal_description {
  uint32_t struct_size;   /**< sizeof(rebal_description) */
  uint32_t type;          /**< REBAL_TYPE_* */
  uint32_t cardinality;   /**< REBAL_CARDINALITY_* */
  uint32_t child;         /**< REBAL_OBJECT_* that it holds; 0 when none */
  uint32_t enumeration;   /**< REBAL_ENUM_* whose numbers a column holds; 0 when none */
  uint32_t form;          /**< REBAL_FORM_*: how it holds them */
  const char *name;       /**< of a field: its name in the API; of a column: what it means, or the API's path */
  const char *identifier; /**< last part of its identifier: "OUTCOME" of REBAL_DECISION_OUTCOME */
} rebal_description;

/**
 * Describes a field or column to programs that read tables. *out keeps its struct_size.
 * @returns REBAL_EUNSUPPORTED for a number this library does not know; REBAL_EABI when struct_size is too small.
 * Any thread. Since: 0.1
 */
REBAL_API int32_t rebal_describe(uint32_t id, rebal_description *out, rebal_error *err);

/**
 * Returns the text of an enumerator (REBAL_ENUM_*, its value), as rebalancectl prints it: static, terminated, "" for a
 * value that is not shown. Sets *len, which may be NULL, to its length. Returns NULL with length 0 for an unknown
 * enumerator, and for a sum of several bits. Any thread. Since: 0.1
 */
REBAL_API const char *rebal_enum_name(uint32_t enumeration, int64_t value, size_t *len);
/**
 * Finds the enumerator of an enumeration (REBAL_ENUM_*) by its text, as rebal_enum_name() returns it, and sets *value.
 * @returns REBAL_ENOTFOUND when none has this text, or the text is empty: err->where is the value of one that is
 * spelled nearly so, whose text the message names, or -1; REBAL_EUNSUPPORTED for an enumeration that this library does
 * not know. Any thread. Since: 0.1
 */
REBAL_API int32_t rebal_enum_find(uint32_t enumeration, const char *text, size_t len, int64_t *value, rebal_error *err);

/**
 * The fields of an object or columns of a table: writes up to capacity ids, and how many there are to *n. Since: 0.1
 */
REBAL_API int32_t rebal_describe_object(uint32_t object, uint32_t *ids, size_t capacity, size_t *n, rebal_error *err);

/* ---- records ---------------------------------------------------------------------------------------------------- */

/** One frozen nested object. Nodes are numbered; 0 is the object itself. Read-only, any thread. */
typedef struct rebal_record rebal_record;

/** Makes records, one after another. One thread at a time. */
typedef struct rebal_builder rebal_builder;

/** A builder with memory from allocator (NULL: malloc). Free with rebal_builder_free(). Since: 0.1 */
REBAL_API int32_t rebal_builder_new(const rebal_allocator *allocator, rebal_builder **out, rebal_error *err);

/** Starts a record of the given kind (REBAL_OBJECT_*); drops what was built and the record finished last. Since: 0.1 */
REBAL_API int32_t rebal_builder_start(rebal_builder *builder, uint32_t object, rebal_error *err);

/**
 * Sets a field of the object that is open. A LIST field is appended to, a ONE field set twice is REBAL_EEXIST.
 * The first failure sticks: later calls and rebal_builder_finish() return it, so only finish need be checked.
 * @returns REBAL_EINVAL: the field does not belong to the open object or is of another type; REBAL_EUNSUPPORTED: this
 * library has no such field; REBAL_ERANGE: the number does not fit its type; REBAL_ELIMIT: more than 64 objects inside
 * each other.
 * Since: 0.1
 */
REBAL_API int32_t rebal_builder_text(rebal_builder *builder, uint32_t field, const char *text, size_t len,
                                     rebal_error *err);
/** As rebal_builder_text() for INT32, COUNT32, INT64 and BOOLEAN fields. Since: 0.1 */
REBAL_API int32_t rebal_builder_i64(rebal_builder *builder, uint32_t field, int64_t value, rebal_error *err);
/** As rebal_builder_text() for QUANTITY fields. Since: 0.1 */
REBAL_API int32_t rebal_builder_quantity(rebal_builder *builder, uint32_t field, const rebal_quantity *value,
                                         rebal_error *err);
/** As rebal_builder_text() for TIME fields; an unset time is not written. Since: 0.1 */
REBAL_API int32_t rebal_builder_time(rebal_builder *builder, uint32_t field, const rebal_time *value, rebal_error *err);
/**
 * Opens a child object in an OBJECT field (appends one to a LIST or MAP). Close with rebal_builder_end(). Since: 0.1
 */
REBAL_API int32_t rebal_builder_begin(rebal_builder *builder, uint32_t field, rebal_error *err);
/** Closes the object opened last. REBAL_ESTATE when only the record itself is open. Since: 0.1 */
REBAL_API int32_t rebal_builder_end(rebal_builder *builder, rebal_error *err);
/** Copies a node of another record, with all below it, into a field of the same child kind. Since: 0.1 */
REBAL_API int32_t rebal_builder_copy(rebal_builder *builder, uint32_t field, const rebal_record *source, uint32_t node,
                                     rebal_error *err);

/**
 * Ends the record. *out belongs to the builder and lives until its next start or free. Two records with the same
 * content have the same bytes, whatever the order in which fields and map entries were set.
 * @returns the first failure since start; REBAL_ESTATE when an object is still open; REBAL_EEXIST for a map key twice.
 * Since: 0.1
 */
REBAL_API int32_t rebal_builder_finish(rebal_builder *builder, const rebal_record **out, rebal_error *err);

/** NULL is fine. Since: 0.1 */
REBAL_API void rebal_builder_free(rebal_builder *builder);

/** Kind of a record: REBAL_OBJECT_*. Since: 0.1 */
REBAL_API uint32_t rebal_record_object(const rebal_record *record);
/** 1 when both records hold the same, else 0; NULL equals NULL. Since: 0.1 */
REBAL_API int32_t rebal_record_equal(const rebal_record *left, const rebal_record *right);
/**
 * The next child of node parent that holds field (0: any field), after child previous (REBAL_NONE: from the start).
 * REBAL_NONE when there is none, so loops need no count. parent REBAL_NONE gives REBAL_NONE.
 * Since: 0.1
 */
REBAL_API uint32_t rebal_record_next(const rebal_record *record, uint32_t parent, uint32_t field, uint32_t previous);
/** The field a node holds; the record's own node gives 0. Since: 0.1 */
REBAL_API uint32_t rebal_record_field(const rebal_record *record, uint32_t node);
/** Value of an integer node; 0 for REBAL_NONE or another type. Since: 0.1 */
REBAL_API int64_t rebal_record_i64(const rebal_record *record, uint32_t node);
/**
 * Text of a text node, terminated, valid as long as the record; "" and length 0 for REBAL_NONE or another type.
 * Since: 0.1
 */
REBAL_API const char *rebal_record_text(const rebal_record *record, uint32_t node, size_t *len);
/** Value of a quantity node; all zero for REBAL_NONE or another type. Since: 0.1 */
REBAL_API void rebal_record_quantity(const rebal_record *record, uint32_t node, rebal_quantity *out);
/** Value of a time node; unset for REBAL_NONE or another type. Since: 0.1 */
REBAL_API void rebal_record_time(const rebal_record *record, uint32_t node, rebal_time *out);

/* ---- results ---------------------------------------------------------------------------------------------------- */

/** Rows that a call filled. Reused: each call empties it and keeps its memory. One thread at a time. */
typedef struct rebal_result rebal_result;

/**
 * An empty result. What is read from it stays valid until the next call that fills it, its reset or its free; it keeps
 * the snapshot of the call alive.
 * Since: 0.1
 */
REBAL_API int32_t rebal_result_new(const rebal_allocator *allocator, rebal_result **out, rebal_error *err);
/** Empties it, keeps its memory. Since: 0.1 */
REBAL_API void rebal_result_reset(rebal_result *result);
/** NULL is fine. Since: 0.1 */
REBAL_API void rebal_result_free(rebal_result *result);
/** Rows of a table (REBAL_TABLE_*); 0 for a table the call did not fill. Since: 0.1 */
REBAL_API size_t rebal_result_count(const rebal_result *result, uint32_t table);
/** The integers of a column, one for each row; NULL when there are none or the column is of another type. Since: 0.1 */
REBAL_API const int64_t *rebal_result_i64(const rebal_result *result, uint32_t column, size_t *n);
/** One text, terminated; "" when the row or column is not there. Since: 0.1 */
REBAL_API const char *rebal_result_text(const rebal_result *result, uint32_t column, size_t row, size_t *len);
/** One time; unset when the row or column is not there. Since: 0.1 */
REBAL_API void rebal_result_time(const rebal_result *result, uint32_t column, size_t row, rebal_time *out);
/**
 * Gives a whole text column: text i is (*bytes)[(*offsets)[i]] up to (*bytes)[(*offsets)[i + 1]], *n texts without
 * terminators and n + 1 offsets. The block is made by the call and belongs to the result. REBAL_EINVAL: the column is
 * not a text column of a result; REBAL_ELIMIT: more than 2^31 - 1 bytes. Since: 0.1
 */
REBAL_API int32_t rebal_result_texts(rebal_result *result, uint32_t column, const char **bytes,
                                     const uint32_t **offsets, size_t *n, rebal_error *err);
/**
 * Gives a whole time column as the result keeps it: *n times, NULL if there are none. REBAL_EINVAL: the column is not
 * a time column of a result. Since: 0.1
 */
REBAL_API int32_t rebal_result_times(rebal_result *result, uint32_t column, const rebal_time **times, size_t *n,
                                     rebal_error *err);
/** The payload of an action (row of REBAL_TABLE_ACTION); NULL when it has none. Since: 0.1 */
REBAL_API const rebal_record *rebal_result_record(const rebal_result *result, size_t row);

/**
 * The fingerprint of the call that filled the result: equal numbers mean the same call of the same content, by name and
 * value, whatever ids clusters have, in which order they were added and when snapshots were taken. Given by
 * rebal_decide(), rebal_filter(), rebal_schedule(), rebal_scheduler_step() (REBAL_SCHEDULE_FLAG_FINGERPRINT) and
 * rebal_estimate*() (REBAL_ESTIMATE_FLAG_FINGERPRINT). The call digests what is the caller's, since only the snapshot
 * can be looked at later: its cost grows with the bindings answered and with their columns (measured: 0.3 us for a
 * small binding; reading the fingerprint 0.7 ms for 5,000 clusters); without the flag there is none. Options at their
 * defaults do not count, nor do flags that ask for fingerprints, nor nodes and what is beside them in a call that does
 * not read them. The same on every machine; no protection against an adversary. Written as 32 hexadecimal digits, high
 * first.
 * @returns REBAL_ESTATE: the result is of no call that was asked for it.
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
 * Bits of the column REBAL_ACTION_REPLACES. A record cannot tell an empty list from one that is not meant: where the
 * bit is set the payload gives the whole list, so that none in the payload means none in the object. A map given whole
 * also unsets the names that it lacks; rendered as a merge patch they are null.
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
  REBAL_OBSERVED_DONE = 1,
  REBAL_OBSERVED_NOT_FOUND = 2,
  REBAL_OBSERVED_CONFLICT = 3,
  REBAL_OBSERVED_DENIED = 4,    /**< fields may bring a REBAL_OBJECT_CONDITION with the reason of the server's answer */
  REBAL_OBSERVED_TRANSIENT = 5
};

/** Where a step stands for one object. */
enum rebal_step_state {
  REBAL_STEP_STATE_WAITING = 1, /**< carry the actions out, add their observations, call again */
  REBAL_STEP_STATE_DONE = 2,    /**< finished; a WAKE may be among the actions */
  REBAL_STEP_STATE_RETRY = 3,   /**< the run failed (MESSAGE says why): start a new one after a back-off */
  REBAL_STEP_STATE_SKIPPED = 4  /**< nothing to do for this object */
};

/** What was seen of the actions of one run, in any order. One thread at a time. */
typedef struct rebal_observations rebal_observations;

/** Since: 0.1 */
REBAL_API int32_t rebal_observations_new(const rebal_allocator *allocator, rebal_observations **out, rebal_error *err);
/** What came of one action. Texts and fields are copied. Since: 0.1 */
typedef struct rebal_observation {
  uint32_t struct_size;
  int32_t outcome;               /**< REBAL_OBSERVED_* */
  int64_t ordinal;               /**< of the action */
  const char *resource_version;  /**< of the object afterwards; NULL: unknown */
  uint64_t resource_version_len; /**< bytes of resource_version */
  const rebal_record *fields;    /**< what was read; NULL: nothing */
  const char *message;           /**< the text of a failure; NULL: none */
  uint64_t message_len;          /**< bytes of message */
} rebal_observation;

/**
 * Adds what came of one action.
 * @returns REBAL_EEXIST when its ordinal was observed before.
 * Since: 0.1
 */
REBAL_API int32_t rebal_observations_add(rebal_observations *observations, const rebal_observation *observation,
                                         rebal_error *err);
/** Empties it for the next run, keeps its memory. Since: 0.1 */
REBAL_API void rebal_observations_reset(rebal_observations *observations);
/** NULL is fine. Since: 0.1 */
REBAL_API void rebal_observations_free(rebal_observations *observations);

#ifdef __cplusplus
}
#endif
#endif
