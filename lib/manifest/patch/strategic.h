/* SPDX-License-Identifier: MIT */
/* lib/manifest/patch/strategic.h - strategic merge patches: what the files strategic_*.c share (
   rebalance-workloadspread(7) 9). */
#ifndef REBALI_MANIFEST_STRATEGIC_H
#define REBALI_MANIFEST_STRATEGIC_H

#include "manifest/schema/kinds.h"

/* ---- what is merged by which key (members.def, strategic_schema.c) ----------------------------------------------- */

/* Of a member that the shape does not have: a map is merged, a list replaced. shape NULL is fine. */
const struct rebali_object_member *rebali_merge_member_of(const struct rebali_shape *shape, const char *name);

static inline int rebali_is_merged_list(const struct rebali_object_member *member) {
  return (member->flags & REBALI_MERGED) != 0;
}

/* ---- types of values, and what is wrong (strategic_value.c) ----------------------------------------------------- */

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

/* The failures of the reference, in its words; each fills err with the field a path leads to and returns the code. */
int32_t rebali_refuse(const struct rebali_path *path, rebal_error *err, const char *format, ...) REBALI_PRINTF(3, 4);
int32_t rebali_refuse_type(const char *expected, const json_t *value, const struct rebali_path *path, rebal_error *err);
int32_t rebali_refuse_directive(const json_t *map, const struct rebali_path *path, rebal_error *err);
int32_t rebali_refuse_map(const json_t *map, const char *key, const struct rebali_path *path, rebal_error *err);
int32_t rebali_refuse_order(const json_t *patch, const json_t *order, const struct rebali_path *path, rebal_error *err);
int32_t rebali_refuse_mixture(const json_t *left, const json_t *right, const struct rebali_path *path,
                              rebal_error *err);
int32_t rebali_refuse_scalar_map(const struct rebali_path *path, rebal_error *err);

/* The name behind a directive's prefix such as "$setElementOrder/"; NULL when the key does not begin with it. */
#define REBALI_DIRECTIVE "$patch"
#define REBALI_RETAIN_KEYS "$retainKeys"
#define REBALI_ELEMENT_ORDER "$setElementOrder/"
#define REBALI_DELETE_SCALARS "$deleteFromPrimitiveList/"
const char *rebali_directive_name(const char *key, const char *prefix);

/* ---- merging (strategic_merge.c, strategic_clean.c) ------------------------------------------------------------- */

/*
 * Merges a patch into a map. *out is a new reference, of the map itself where nothing changes. Nothing of the patch is
 * changed, nor of the map unless it is_own: then it, and whatever below it has no other reference, may be changed even
 * when the merge fails.
 */
int32_t rebali_strategic_merge(json_t *map, int is_own, const json_t *patch, const struct rebali_shape *shape,
                               const struct rebali_path *path, json_t **out, rebal_error *err);

/* Is a value below a container that may be changed free to be changed as well? */
int rebali_is_own(const json_t *value, int is_own);

/*
 * A value of a patch that meets none: members that are null and maps that hold a directive are left out. A new
 * reference, of the value itself where there is none of them. REBAL_ENOMEM. *out NULL: all of it is left out.
 */
int32_t rebali_strategic_clean(const json_t *value, json_t **out, rebal_error *err);
/* The same without the null members: what a list has that comes with an order of its own. */
int32_t rebali_strategic_strip(const json_t *value, json_t **out, rebal_error *err);

/* ---- lists (strategic_elements.c, strategic_list.c, strategic_order.c) ------------------------------------------- */

/* An element of a list, and what it is known by: its value, or the value of its merge key. */
struct rebali_element {
  json_t *value;     /* held where a list is being made, else borrowed */
  const json_t *key; /* borrowed from value */
  size_t index;      /* in the list it came from */
};

struct rebali_elements {
  struct rebali_element *at;
  size_t n;
};

/* The elements of a list; key NULL: of scalars. Released by free(elements->at) whatever is returned. */
int32_t rebali_elements_load(const json_t *list, const char *key, const struct rebali_path *path,
                             struct rebali_elements *out, rebal_error *err);
/* Fills in the key of an element. */
int32_t rebali_element_key(struct rebali_element *element, const char *key, const struct rebali_path *path,
                           rebal_error *err);
/* A list of the elements: the list given where it has the same, else a new one. list may be NULL. */
int32_t rebali_elements_put(const struct rebali_elements *items, const json_t *list, json_t **out, rebal_error *err);

/* All elements of both lists are of one type, and no list or null; *type is NULL's when there are none. */
int32_t rebali_list_type(const json_t *left, const json_t *right, const struct rebali_path *path,
                         enum rebali_value_type *type, rebal_error *err);

/* Where elements have a key (strategic_index.c). Keys that are no scalars are not to be looked for. */
struct rebali_index_place {
  const json_t *key;
  size_t at;
};

struct rebali_index {
  const struct rebali_elements *elements; /* as they were when this was opened */
  struct rebali_index_place *places;      /* by key, then by place; NULL: few enough to be looked through */
};

/* Are two keys equal, which are scalars? */
int rebali_key_is_equal(const json_t *left, const json_t *right);

int32_t rebali_index_open(struct rebali_index *index, const struct rebali_elements *elements, rebal_error *err);
void rebali_index_close(struct rebali_index *index);
/* The first element from one on with a key; the number of elements when there is none. */
size_t rebali_index_find(const struct rebali_index *index, const json_t *key, size_t from);

/*
 * Merges two lists of a member that is merged. storage, unless NULL, is what the original's slots hold in the end,
 * which an order of elements goes by: a new list.
 */
int32_t rebali_strategic_lists(const json_t *list, int is_own, const json_t *patch,
                               const struct rebali_object_member *member, const struct rebali_path *path, json_t **out,
                               json_t **storage, rebal_error *err);

/* Takes the scalars of a list out of another. */
int32_t rebali_strategic_delete(const json_t *list, const json_t *scalars, const struct rebali_path *path, json_t **out,
                                rebal_error *err);

/*
 * Puts items in order (9.4): those the patch has as the patch has them, between them the server's own where they stood.
 */
int32_t rebali_strategic_order(struct rebali_elements *items, const struct rebali_elements *patch,
                               const struct rebali_elements *server, rebal_error *err);

/* The list that "$setElementOrder/name" of a patch gives (strategic_element_order.c); *out NULL: there is none. */
int32_t rebali_strategic_element_order(const json_t *map, int is_own, const json_t *patch, const char *name,
                                       const json_t *order, const struct rebali_shape *shape,
                                       const struct rebali_path *path, json_t **out, rebal_error *err);

#endif
