/* SPDX-License-Identifier: MIT */
/* lib/record/record.h - private header of the module "record": nested objects and rows of the public interface. */
#ifndef REBALI_RECORD_H
#define REBALI_RECORD_H

#include "foundation/foundation.h"
#include "rebalance/record.h"

/* ---- records (record.c, builder.c) ------------------------------------------------------------------------------- */

/*
 * A finished record is one relocatable block: this header, n_nodes nodes, then text_len bytes of terminated texts,
 * zero-padded to a multiple of 8. It contains no pointers and no unset padding: equal content means equal bytes. Node 0
 * is the object. The descendants of a node directly follow it; siblings are chained by index.
 */
struct rebali_node {
  uint32_t field; /* 0 for node 0 */
  uint32_t type;
  uint32_t child; /* first child, REBAL_NONE if there is none */
  uint32_t next;  /* next sibling, REBAL_NONE for the last */
  int64_t number; /* integer; text: offset; quantity: units; time: seconds */
  uint32_t extra; /* text: length; quantity: format; time: is_set */
  int32_t nanos;
};
struct rebal_record {
  uint32_t object;
  uint32_t n_nodes;
  uint64_t text_len;
};

/* Returns the size of the whole block in bytes. */
size_t rebali_record_size(const rebal_record *record);
/* Returns the node; NULL if it does not exist or record is NULL. */
static inline const struct rebali_node *rebali_record_node(const rebal_record *record, uint32_t node) {
  return record != NULL && node < record->n_nodes ? (const struct rebali_node *)(record + 1) + node : NULL;
}
/* Returns the text of a node (empty for REBAL_NONE). */
static inline struct rebali_text rebali_record_text(const rebal_record *record, uint32_t node) {
  const struct rebali_node *found = rebali_record_node(record, node);

  if (found == NULL || found->type != REBAL_TYPE_TEXT) {
    return REBALI_TEXT("");
  }
  return rebali_text((const char *)((const struct rebali_node *)(record + 1) + record->n_nodes) + (size_t)found->number,
                     found->extra);
}
/* Like rebal_record_next(). */
static inline uint32_t rebali_record_next(const rebal_record *record, uint32_t parent, uint32_t field,
                                          uint32_t previous) {
  const struct rebali_node *above = rebali_record_node(record, parent);
  const struct rebali_node *before = rebali_record_node(record, previous);
  uint32_t node;

  if (above == NULL || (previous != REBAL_NONE && before == NULL)) {
    return REBAL_NONE;
  }
  node = before == NULL ? above->child : before->next;
  while (node != REBAL_NONE && field != 0 && (above - parent)[node].field != field) {
    node = (above - parent)[node].next;
  }
  return node;
}
/* Returns the first child with field, or REBAL_NONE: for ONE fields. */
static inline uint32_t rebali_record_get(const rebal_record *record, uint32_t parent, uint32_t field) {
  return rebali_record_next(record, parent, field, REBAL_NONE);
}
/* Returns the text of the first child with field; empty if there is none. */
static inline struct rebali_text rebali_record_field_text(const rebal_record *record, uint32_t parent, uint32_t field) {
  return rebali_record_text(record, rebali_record_get(record, parent, field));
}
/* Counts the children with field. */
size_t rebali_record_count(const rebal_record *record, uint32_t parent, uint32_t field);

/* Adds all of a record; NULL differs from an empty record. record.c */
void rebali_digest_record(struct rebali_digest *digest, const rebal_record *record);

/* ---- Kubernetes values in records (taint.c, zones.c) ---------------------------------------------------------- */

/* Reads a TAINT or TOLERATION node; texts point into the record. taint.c */
struct rebali_taint rebali_taint_read(const rebal_record *record, uint32_t node);
struct rebali_toleration rebali_toleration_read(const rebal_record *record, uint32_t node);

/* matchZones of rebalance-karmada(7) 3.1: zones is a TEXTS record or NULL; values are compared unchanged. zones.c */
int rebali_requirement_matches_zones(const struct rebali_requirement *requirement, const rebal_record *zones);

/* ---- records under construction (builder.c, canonical.c) --------------------------------------------------------- */

#define REBALI_RECORD_DEPTH 64u /* nested objects, the record itself included */

/* A node in call order; child, next and a text's number point into the builder's arrays. */
struct rebali_draft {
  struct rebali_node node;
  uint32_t parent;      /* REBAL_NONE for the record itself */
  uint32_t last_child;  /* of an open object */
  uint32_t depth;       /* 0 for the record itself */
  uint32_t cardinality; /* of its field */
  uint32_t place;       /* its number in the finished record */
  uint32_t reserved0;
};

struct rebali_drafts {
  const rebal_allocator *allocator;
  struct rebali_draft *items;
  size_t count;
  size_t capacity;
  struct rebali_buffer texts; /* all terminated */
  uint32_t *order;            /* scratch */
  size_t order_capacity;
};

/*
 * Sorts the children of an object, which must all be closed: by field, map entries by key, others as they were added.
 * Returns REBAL_EEXIST for a duplicate key and sets *twice to the second entry; REBAL_ENOMEM.
 */
int32_t rebali_canonical_sort(struct rebali_drafts *drafts, uint32_t parent, uint32_t *twice);
/* Returns the key of a closed map entry; empty if it has none. */
struct rebali_text rebali_canonical_key(const struct rebali_drafts *drafts, uint32_t entry);
/* Returns the size of the finished record in bytes; writes it to a block of that size. Every object must be sorted. */
size_t rebali_canonical_size(const struct rebali_drafts *drafts);
void rebali_canonical_write(struct rebali_drafts *drafts, uint32_t object, rebal_record *record);

/* ---- filling results (result.c) ---------------------------------------------------------------------------------- */

/* Every public call that fills a result starts with this. Returns REBAL_EINVAL for NULL. */
int32_t rebali_result_begin(rebal_result *result, rebal_error *err);
const rebal_allocator *rebali_result_allocator(const rebal_result *result);
/* Returns the arena of texts and payloads, which is also scratch memory of calls without a context. */
struct rebali_arena *rebali_result_arena(rebal_result *result);
/* Marks how far a result is filled, and returns to that mark: a failed answer removes what it added. */
/* Result tables start at DECISION; tables from FIRST_INPUT on are inputs of calls. */
#define REBALI_RESULT_TABLES (REBAL_TABLE_COUNTERFACTUAL - REBAL_TABLE_DECISION + 1)
#define REBALI_FIRST_INPUT 192
struct rebali_result_mark {
  uint64_t used; /* a bit for each table that may have rows; unset tables are not initialized */
  size_t rows[REBALI_RESULT_TABLES];
};
void rebali_result_mark(const rebal_result *result, struct rebali_result_mark *mark);
void rebali_result_rewind(rebal_result *result, const struct rebali_result_mark *mark);
/* Returns the table of a result; NULL for other tables. */
struct rebali_table *rebali_result_table(rebal_result *result, uint32_t table);
/* Copies a payload for a row of ACTION, which must exist. */
int32_t rebali_result_set_record(rebal_result *result, size_t row, const rebal_record *record);
/* Shares the payload of another row, which may have none: many rows use one copy. */
int32_t rebali_result_share_record(rebal_result *result, size_t row, size_t other);
#define REBALI_RESULT_HOLDS 8 /* more than any call needs */

/*
 * Keeps an object alive until the result is emptied, which calls release. Needs no memory. Returns REBAL_ELIMIT beyond
 * REBALI_RESULT_HOLDS objects; the caller then keeps the object.
 */
int32_t rebali_result_hold(rebal_result *result, void *object, void (*release)(void *object));
/* Returns the first held object with this release function; NULL: none. */
void *rebali_result_held(const rebal_result *result, void (*release)(void *object));
/*
 * Signs the content that a call filled in. inputs is the fingerprint of all inputs except an object that the result
 * holds; object_part computes that part when the fingerprint is read.
 */
void rebali_result_sign(rebal_result *result, struct rebali_fingerprint inputs, const void *object,
                        struct rebali_fingerprint (*object_part)(const void *object));

/* An action and its subject; texts are copied. */
struct rebali_action {
  int64_t kind;
  int64_t ordinal;
  struct rebali_text api_version, object_kind, namespace_, name, uid, resource_version;
  rebal_time not_before;
  int64_t row;
  int64_t replaces;            /* column REPLACES */
  const rebal_record *payload; /* may be NULL */
};
int32_t rebali_result_add_action(rebal_result *result, const struct rebali_action *action);
/* Adds n equal rows, which the caller may then change; without payloads. n must not be 0. */
int32_t rebali_result_add_actions(rebal_result *result, const struct rebali_action *action, size_t n, size_t *first);

/* The state of a step for one object (a row of STEP); the text is copied. step.c */
struct rebali_step {
  int64_t state;
  int64_t reason;
  struct rebali_text message;
  int64_t after_ns; /* REBAL_ABSENT: no timer */
};
int32_t rebali_result_add_step(rebal_result *result, const struct rebali_step *step);

/* An intended breach (a row of WARNING). The name is a REBALI_ROW(): one of man/compat.def. warning.c */
#define REBALI_ROW(name) REBALI_TEXT(name)
struct rebali_warning {
  int64_t binding;
  int64_t cluster; /* or REBAL_NONE */
  struct rebali_text row_name;
  int64_t replicas;
};
int32_t rebali_result_add_warning(rebal_result *result, const struct rebali_warning *warning);

/* ---- reading observations (observations.c) ----------------------------------------------------------------------- */

struct rebali_observation {
  int64_t ordinal;
  int32_t outcome;
  struct rebali_text resource_version;
  struct rebali_text message;
  const rebal_record *fields; /* may be NULL */
};
/* Returns NULL if the ordinal was not observed or observations is NULL. */
const struct rebali_observation *rebali_observation_find(const rebal_observations *observations, int64_t ordinal);
/* Digests all observations, whatever their order; NULL equals an empty set. */
struct rebali_fingerprint rebali_observations_fingerprint(const rebal_observations *observations);

#include "record/table.h" /* for files that include this one */

#endif
