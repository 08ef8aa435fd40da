/* SPDX-License-Identifier: MIT */
/*
 * Compares Pods except for annotations (rebalance-workloadspread(7) 4.1, the patch's part of a score), and pod
 * templates
 * except for a label (2.5).
 */
#include "manifest/patch/document.h"

#include <string.h>

/* Compared as quantities: the members of these maps, and these members of any map. */
static const char *const quantity_maps[] = {"limits", "requests", "overhead"};
static const char *const quantities[] = {"sizeLimit", "divisor"};

static int is_among(const char *const *names, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(names[i], name) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Returns 1 for absent, null, and containers that hold nothing else. */
static int is_nothing(const json_t *value) {
  json_t *walked = (json_t *)(uintptr_t)value, *member; /* jansson's iterators take no const */
  const char *key;
  if (value == NULL || json_is_null(value)) {
    return 1;
  }
  if (!rebali_is_map(value)) {
    return json_is_array(value) && json_array_size(value) == 0;
  }
  json_object_foreach(walked, key, member) {
    if (!is_nothing(member)) {
      return 0;
    }
  }
  return 1;
}

static int print_quantity(const json_t *value, char *text, size_t capacity) {
  rebal_quantity quantity;
  size_t len;
  return rebali_read_quantity(value, NULL, &quantity, NULL) == REBAL_OK &&
         rebali_quantity_format(&quantity, text, capacity, &len, NULL) == REBAL_OK;
}

/* How values are compared. */
#define QUANTITIES 1u /* this scalar is a quantity, and so are the members of this map */
#define BY_VALUE 2u   /* 1Gi equals 1073741824; else quantities are compared by their canonical text */

static int is_equal_quantity(const json_t *left, const json_t *right, unsigned how) {
  char left_text[64], right_text[64];
  rebal_quantity left_quantity, right_quantity;
  if (how & BY_VALUE) {
    return rebali_read_quantity(left, NULL, &left_quantity, NULL) == REBAL_OK &&
           rebali_read_quantity(right, NULL, &right_quantity, NULL) == REBAL_OK &&
           rebali_quantity_compare(&left_quantity, &right_quantity) == 0;
  }
  return print_quantity(left, left_text, sizeof left_text) && print_quantity(right, right_text, sizeof right_text) &&
         strcmp(left_text, right_text) == 0;
}

static int is_equal(const json_t *left, const json_t *right, unsigned how);

static int is_equal_list(const json_t *left, const json_t *right, unsigned how) {
  const size_t n = json_array_size(left);
  if (n != json_array_size(right)) {
    return 0;
  }
  for (size_t i = 0; i < n; i++) {
    if (!is_equal(json_array_get(left, i), json_array_get(right, i), how)) {
      return 0;
    }
  }
  return 1;
}

static int is_equal_member(const char *key, const json_t *left, const json_t *right, unsigned how) {
  const int are_quantities = is_among(quantities, sizeof quantities / sizeof quantities[0], key) ||
                             is_among(quantity_maps, sizeof quantity_maps / sizeof quantity_maps[0], key);
  return is_equal(left, right, how | (are_quantities ? QUANTITIES : 0));
}

/* Compares two maps, either of which may be absent; ignored: a member to skip, or NULL. */
static int is_equal_map(const json_t *left, const json_t *right, unsigned how, const char *ignored) {
  json_t *sides[] = {(json_t *)(uintptr_t)left, (json_t *)(uintptr_t)right}, *value;
  const char *key;
  for (size_t side = 0; side < 2; side++) {
    json_object_foreach(sides[side], key, value) {
      const json_t *other = json_object_get(sides[1 - side], key);
      if ((side == 1 && other != NULL) || (ignored != NULL && strcmp(key, ignored) == 0)) {
        continue;
      }
      if (!is_equal_member(key, value, other, how)) {
        return 0;
      }
    }
  }
  return 1;
}

static int is_equal(const json_t *left, const json_t *right, unsigned how) {
  if (left == right || (is_nothing(left) && is_nothing(right))) {
    return 1;
  }
  if (rebali_is_map(left) && rebali_is_map(right)) {
    return is_equal_map(left, right, how, NULL);
  }
  if (json_is_array(left) && json_is_array(right)) {
    return is_equal_list(left, right, how & BY_VALUE);
  }
  return json_equal(left, right) ||
         ((how & QUANTITIES) && left != NULL && right != NULL && is_equal_quantity(left, right, how));
}

/* The same for a member of two maps, ignoring one member of its own; a value that is not a map has no members. */
static int is_equal_without(const json_t *left, const json_t *right, const char *name, const char *ignored,
                            unsigned how) {
  const json_t *mine = rebali_member(left, name), *other = rebali_member(right, name);
  if ((mine != NULL && !rebali_is_map(mine)) || (other != NULL && !rebali_is_map(other))) {
    return is_equal(mine, other, how);
  }
  return is_equal_map(mine, other, how, ignored);
}

int rebali_pod_equal(const json_t *left, const json_t *right) {
  return left == right ||
         (is_equal_map(left, right, 0, "metadata") && is_equal_without(left, right, "metadata", "annotations", 0));
}

int rebali_template_equal(const json_t *left, const json_t *right) {
  return left == right || (is_equal_map(left, right, BY_VALUE, "metadata") &&
                           is_equal_without(left, right, "metadata", "labels", BY_VALUE) &&
                           is_equal_without(rebali_member(left, "metadata"), rebali_member(right, "metadata"), "labels",
                                            "pod-template-hash", BY_VALUE));
}
