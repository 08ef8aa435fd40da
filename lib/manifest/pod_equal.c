/* SPDX-License-Identifier: MIT */
/* Are two Pods the same but for their annotations (spec workloadspread 4.1, the patch's part of a score)? */
#include "document.h"

#include <string.h>

/* What is compared as quantities: the members of these maps, and these members of any map. */
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

/* Absent, null, and what holds nothing but that. */
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
         rebal_quantity_format(&quantity, text, capacity, &len, NULL) == REBAL_OK;
}

static int is_equal_quantity(const json_t *left, const json_t *right) {
  char left_text[64], right_text[64];
  return print_quantity(left, left_text, sizeof left_text) && print_quantity(right, right_text, sizeof right_text) &&
         strcmp(left_text, right_text) == 0;
}

static int is_equal(const json_t *left, const json_t *right, int are_quantities);

static int is_equal_list(const json_t *left, const json_t *right) {
  const size_t n = json_array_size(left);
  if (n != json_array_size(right)) {
    return 0;
  }
  for (size_t i = 0; i < n; i++) {
    if (!is_equal(json_array_get(left, i), json_array_get(right, i), 0)) {
      return 0;
    }
  }
  return 1;
}

static int is_equal_member(const char *key, const json_t *left, const json_t *right, int are_quantities) {
  return is_equal(left, right,
                  are_quantities || is_among(quantities, sizeof quantities / sizeof quantities[0], key) ||
                      is_among(quantity_maps, sizeof quantity_maps / sizeof quantity_maps[0], key));
}

/* Maps, either of which may be absent; ignored: a member that does not count, or NULL. */
static int is_equal_map(const json_t *left, const json_t *right, int are_quantities, const char *ignored) {
  json_t *sides[] = {(json_t *)(uintptr_t)left, (json_t *)(uintptr_t)right}, *value;
  const char *key;
  for (size_t side = 0; side < 2; side++) {
    json_object_foreach(sides[side], key, value) {
      const json_t *other = json_object_get(sides[1 - side], key);
      if ((side == 1 && other != NULL) || (ignored != NULL && strcmp(key, ignored) == 0)) {
        continue;
      }
      if (!is_equal_member(key, value, other, are_quantities)) {
        return 0;
      }
    }
  }
  return 1;
}

/* are_quantities: a scalar is a quantity, and so are the members of a map. */
static int is_equal(const json_t *left, const json_t *right, int are_quantities) {
  if (left == right || (is_nothing(left) && is_nothing(right))) {
    return 1;
  }
  if (rebali_is_map(left) && rebali_is_map(right)) {
    return is_equal_map(left, right, are_quantities, NULL);
  }
  if (json_is_array(left) && json_is_array(right)) {
    return is_equal_list(left, right);
  }
  return json_equal(left, right) || (are_quantities && left != NULL && right != NULL && is_equal_quantity(left, right));
}

/* Are the metadata of two Pods the same? What is no map has no annotations. */
static int is_equal_metadata(const json_t *left, const json_t *right) {
  if ((left != NULL && !rebali_is_map(left)) || (right != NULL && !rebali_is_map(right))) {
    return is_equal(left, right, 0);
  }
  return is_equal_map(left, right, 0, "annotations");
}

int rebali_pod_equal(const json_t *left, const json_t *right) {
  return left == right || (is_equal_map(left, right, 0, "metadata") &&
                           is_equal_metadata(rebali_member(left, "metadata"), rebali_member(right, "metadata")));
}
