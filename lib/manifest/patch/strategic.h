/* SPDX-License-Identifier: MIT */
/*
 * lib/manifest/patch/strategic.h - strategic merge patches: what the files strategic_*.c share
 * (rebalance-workloadspread(7) 9).
 */
#ifndef REBALI_MANIFEST_STRATEGIC_H
#define REBALI_MANIFEST_STRATEGIC_H

#include "manifest/schema/kinds.h"

/* ---- merge keys (members.def, strategic_schema.c) ---------------------------------------------------------------- */

/* Returns how to merge a member that the shape lacks: maps are merged, lists replaced. shape may be NULL. */
const struct rebali_object_member *rebali_merge_member_of(const struct rebali_shape *shape, const char *name);

static inline int rebali_is_merged_list(const struct rebali_object_member *member) {
  return (member->flags & REBALI_MERGED) != 0;
}

/* ---- types of values, and failures (strategic_value.c) ----------------------------------------------------------- */

enum rebali_value_type {
  REBALI_VALUE_NULL,
  REBALI_VALUE_BOOLEAN,
  REBALI_VALUE_INTEGER,
  REBALI_VALUE_DECIMAL,
  REBALI_VALUE_TEXT,
  REBALI_VALUE_LIST,
  REBALI_VALUE_MAP
};

enum rebali_value_type rebali_value_type(const json_t *value);

/* The failures of the reference, in its words; each fills err with the field of a path and returns the code. */
int32_t rebali_refuse(const struct rebali_path *path, rebal_error *err, const char *format, ...) REBALI_PRINTF(3, 4);
int32_t rebali_refuse_type(const char *expected, const json_t *value, const struct rebali_path *path, rebal_error *err);
int32_t rebali_refuse_directive(const json_t *map, const struct rebali_path *path, rebal_error *err);
int32_t rebali_refuse_map(const json_t *map, const char *key, const struct rebali_path *path, rebal_error *err);
int32_t rebali_refuse_order(const json_t *patch, const json_t *order, const struct rebali_path *path, rebal_error *err);
int32_t rebali_refuse_mixture(const json_t *left, const json_t *right, const struct rebali_path *path,
                              rebal_error *err);
int32_t rebali_refuse_scalar_map(const struct rebali_path *path, rebal_error *err);

/* Returns the name after a directive's prefix such as "$setElementOrder/"; NULL if the key does not begin with it. */
#define REBALI_DIRECTIVE "$patch"
#define REBALI_RETAIN_KEYS "$retainKeys"
#define REBALI_ELEMENT_ORDER "$setElementOrder/"
#define REBALI_DELETE_SCALARS "$deleteFromPrimitiveList/"
const char *rebali_directive_name(const char *key, const char *prefix);

/* ---- merging (strategic_merge.c, strategic_clean.c) ------------------------------------------------------------- */

/*
 * Merges a patch into a map. *out is a new reference, of the map itself if nothing changes. The patch is never changed.
 * The map is changed only if is_own: then it, and values below it with no other reference, may be changed even if the
 * merge fails.
 */
int32_t rebali_strategic_merge(json_t *map, int is_own, const json_t *patch, const struct rebali_shape *shape,
                               const struct rebali_path *path, json_t **out, rebal_error *err);

/* Returns 1 if a value below a container that may be changed may be changed too. */
int rebali_is_own(const json_t *value, int is_own);

/*
 * Cleans a value of a patch that has no counterpart: omits null members and maps that hold a directive. *out is a new
 * reference, of the value itself if nothing is omitted; NULL if all of it is. REBAL_ENOMEM.
 */
int32_t rebali_strategic_clean(const json_t *value, json_t **out, rebal_error *err);
/* The same, without the null members: for the values of a list whose order is given. */
int32_t rebali_strategic_strip(const json_t *value, json_t **out, rebal_error *err);

/* ---- lists (strategic_elements.c, strategic_list.c, strategic_order.c) ------------------------------------------- */

/* An element of a list and its key: its value, or the value of its merge key. */
struct rebali_element {
  json_t *value;     /* owned while a list is built, else borrowed */
  const json_t *key; /* borrowed from value */
  size_t index;      /* in its original list */
};

struct rebali_elements {
  struct rebali_element *at;
  size_t n;
};

/* Loads the elements of a list; key NULL: of scalars. Free elements->at whatever is returned. */
int32_t rebali_elements_load(const json_t *list, const char *key, const struct rebali_path *path,
                             struct rebali_elements *out, rebal_error *err);
/* Sets the key of an element. */
int32_t rebali_element_key(struct rebali_element *element, const char *key, const struct rebali_path *path,
                           rebal_error *err);
/* Builds a list of the elements: returns the given list if it holds the same, else a new one. list may be NULL. */
int32_t rebali_elements_put(const struct rebali_elements *items, const json_t *list, json_t **out, rebal_error *err);

/*
 * Checks that all elements of both lists have one type other than list and null; *type is that of NULL if both are
 * empty.
 */
int32_t rebali_list_type(const json_t *left, const json_t *right, const struct rebali_path *path,
                         enum rebali_value_type *type, rebal_error *err);

/* An index of elements by key (strategic_index.c). Keys that are not scalars must not be looked up. */
struct rebali_index_place {
  const json_t *key;
  size_t at;
};

struct rebali_index {
  const struct rebali_elements *elements; /* as they were when the index was opened */
  struct rebali_index_place *places;      /* by key, then by position; NULL: few enough for a linear search */
};

/* Compares two keys, which must be scalars. */
int rebali_key_is_equal(const json_t *left, const json_t *right);

int32_t rebali_index_open(struct rebali_index *index, const struct rebali_elements *elements, rebal_error *err);
void rebali_index_close(struct rebali_index *index);
/* Returns the first element with a key, starting at one; the number of elements if there is none. */
size_t rebali_index_find(const struct rebali_index *index, const json_t *key, size_t from);

/*
 * Merges two lists of a merged member. storage, unless NULL, receives a new list: the final content of the original's
 * slots, which an element order refers to.
 */
int32_t rebali_strategic_lists(const json_t *list, int is_own, const json_t *patch,
                               const struct rebali_object_member *member, const struct rebali_path *path, json_t **out,
                               json_t **storage, rebal_error *err);

/* Removes the scalars of a list from another. */
int32_t rebali_strategic_delete(const json_t *list, const json_t *scalars, const struct rebali_path *path, json_t **out,
                                rebal_error *err);

/* Orders items (9.4): those of the patch as in the patch, and between them the server's own in their old order. */
int32_t rebali_strategic_order(struct rebali_elements *items, const struct rebali_elements *patch,
                               const struct rebali_elements *server, rebal_error *err);

/* Builds the list of "$setElementOrder/name" of a patch (strategic_element_order.c); *out NULL: the patch has none. */
int32_t rebali_strategic_element_order(const json_t *map, int is_own, const json_t *patch, const char *name,
                                       const json_t *order, const struct rebali_shape *shape,
                                       const struct rebali_path *path, json_t **out, rebal_error *err);

#endif
