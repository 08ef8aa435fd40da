/* SPDX-License-Identifier: MIT */
/* "$setElementOrder/name": lists whose element order is given (rebalance-workloadspread(7) 9.2, step 3). */
#include "manifest/patch/strategic.h"

#include <stdlib.h>
#include <string.h>

/* One list of each role; NULL if missing. */
struct ordering {
  const json_t *original, *patch, *order;
  const char *key;
  const struct rebali_path *path;
  rebal_error *err;
};

static int32_t check_list(const json_t *value, const struct ordering *ordering) {
  if (value == NULL || json_is_array(value)) {
    return REBAL_OK;
  }
  return rebali_refuse_type("[]interface {}", value, ordering->path, ordering->err);
}

static int32_t check_lists(const struct ordering *ordering) {
  const json_t *const lists[] = {ordering->order, ordering->original, ordering->patch};
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < sizeof lists / sizeof lists[0]; i++) {
    result = check_list(lists[i], ordering);
  }
  return result;
}

/* Checks that the patch's elements without directive are in the order list, in the same sequence. */
static int32_t check_order(const struct ordering *ordering) {
  const size_t n_patch = json_array_size(ordering->patch), n_order = json_array_size(ordering->order);
  size_t i = 0, k = 0;
  while (n_order > 0 && i < n_patch) {
    struct rebali_element wanted = {json_array_get(ordering->patch, i), NULL, i};
    struct rebali_element next = {json_array_get(ordering->order, k), NULL, k};
    if (ordering->key != NULL && json_object_get(wanted.value, REBALI_DIRECTIVE) != NULL) {
      i++;
      continue;
    }
    if (k == n_order) {
      return rebali_refuse_order(ordering->patch, ordering->order, ordering->path, ordering->err);
    }
    if (rebali_element_key(&wanted, ordering->key, ordering->path, ordering->err) != REBAL_OK ||
        rebali_element_key(&next, ordering->key, ordering->path, ordering->err) != REBAL_OK) {
      return REBAL_EINVAL;
    }
    i += (size_t)rebali_key_is_equal(next.key, wanted.key);
    k++;
  }
  return REBAL_OK;
}

/* Merges the list, not yet ordered, and the list that holds the server's order. */
static int32_t merge(const struct ordering *ordering, int is_own, const struct rebali_object_member *member,
                     json_t **merged, json_t **storage) {
  if (ordering->original != NULL && ordering->patch != NULL && rebali_is_merged_list(member)) {
    return rebali_strategic_lists(ordering->original, is_own, ordering->patch, member, ordering->path, merged, storage,
                                  ordering->err);
  }
  *storage = json_incref((json_t *)(uintptr_t)ordering->original);
  if (ordering->patch == NULL) {
    *merged = json_incref((json_t *)(uintptr_t)ordering->original);
    return REBAL_OK;
  }
  if (ordering->original == NULL) {
    return rebali_strategic_strip(ordering->patch, merged, ordering->err);
  }
  *merged = json_incref((json_t *)(uintptr_t)ordering->patch);
  return REBAL_OK;
}

static int32_t check_elements(const struct ordering *ordering) {
  enum rebali_value_type type;
  const int32_t result = rebali_list_type(ordering->original, ordering->patch, ordering->path, &type, ordering->err);
  if (result == REBAL_OK && type == REBALI_VALUE_NULL) {
    return rebali_refuse(ordering->path, ordering->err, "no elements in any of the given slices");
  }
  return result;
}

static int32_t put_in_order(const struct ordering *ordering, const json_t *merged, const json_t *storage,
                            json_t **out) {
  struct rebali_elements items = {NULL, 0}, order = {NULL, 0}, server = {NULL, 0};
  int32_t result = rebali_elements_load(merged, ordering->key, ordering->path, &items, ordering->err);
  if (result == REBAL_OK) {
    result = rebali_elements_load(ordering->order, ordering->key, ordering->path, &order, ordering->err);
  }
  if (result == REBAL_OK) {
    result = rebali_elements_load(storage, ordering->key, ordering->path, &server, ordering->err);
  }
  if (result == REBAL_OK) {
    result = rebali_strategic_order(&items, &order, &server, ordering->err);
  }
  if (result == REBAL_OK) {
    result = rebali_elements_put(&items, ordering->original, out, ordering->err);
  }
  free(items.at);
  free(order.at);
  free(server.at);
  return result;
}

int32_t rebali_strategic_element_order(const json_t *map, int is_own, const json_t *patch, const char *name,
                                       const json_t *order, const struct rebali_shape *shape,
                                       const struct rebali_path *path, json_t **out, rebal_error *err) {
  const struct rebali_object_member *member = rebali_merge_member_of(shape, name);
  const struct rebali_path at = rebali_path_key(path, name);
  const struct ordering ordering = {
      json_object_get(map, name), json_object_get(patch, name), order, member->key, &at, err,
  };
  json_t *merged = NULL, *storage = NULL;
  int32_t result = check_lists(&ordering);
  *out = NULL;
  if (result == REBAL_OK && shape == &rebali_shapes[REBALI_SHAPE_SCALARS]) {
    result = rebali_refuse_scalar_map(&at, err);
  }
  if (result == REBAL_OK) {
    result = check_order(&ordering);
  }
  if (result != REBAL_OK || (ordering.original == NULL && ordering.patch == NULL)) {
    return result;
  }
  result = merge(&ordering, rebali_is_own(ordering.original, is_own), member, &merged, &storage);
  if (result == REBAL_OK) {
    result = check_elements(&ordering);
  }
  if (result == REBAL_OK) {
    result = put_in_order(&ordering, merged, storage, out);
  }
  json_decref(merged);
  json_decref(storage);
  return result;
}
