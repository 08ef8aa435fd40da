/* SPDX-License-Identifier: MIT */
/* Finds a key in a list: linear search while it is short, else a sorted copy, so that cost grows with n log n. */
#include "manifest/patch/strategic.h"

#include <stdlib.h>
#include <string.h>

#define FEW 16

static int compare_numbers(int64_t left, int64_t right) {
  return (left > right) - (left < right);
}

static int compare_texts(const json_t *left, const json_t *right) {
  const size_t left_len = json_string_length(left), right_len = json_string_length(right);
  if (left_len != right_len) {
    return left_len < right_len ? -1 : 1;
  }
  return memcmp(json_string_value(left), json_string_value(right), left_len);
}

/* A total order of scalars, in which only equal values compare equal; lists, maps and missing keys compare equal. */
static int compare_keys(const json_t *left, const json_t *right) {
  const enum rebali_value_type type = left != NULL ? rebali_value_type(left) : REBALI_VALUE_MAP;
  const enum rebali_value_type other = right != NULL ? rebali_value_type(right) : REBALI_VALUE_MAP;
  const char *text, *other_text;
  if (type != other) {
    return type < other ? -1 : 1;
  }
  switch (type) {
    case REBALI_VALUE_TEXT:
      return compare_texts(left, right);
    case REBALI_VALUE_INTEGER:
      return compare_numbers((int64_t)json_integer_value(left), (int64_t)json_integer_value(right));
    case REBALI_VALUE_BOOLEAN:
      return json_is_true(left) - json_is_true(right);
    case REBALI_VALUE_DECIMAL:
      (void)rebali_number_is_verbatim(left, &text);
      (void)rebali_number_is_verbatim(right, &other_text);
      return strcmp(text, other_text);
    default:
      return 0;
  }
}

int rebali_key_is_equal(const json_t *left, const json_t *right) {
  return compare_keys(left, right) == 0;
}

static int compare_places(const void *left, const void *right) {
  const struct rebali_index_place *place = left, *other = right;
  const int order = compare_keys(place->key, other->key);
  return order != 0 ? order : (place->at > other->at) - (place->at < other->at);
}

int32_t rebali_index_open(struct rebali_index *index, const struct rebali_elements *elements, rebal_error *err) {
  *index = (struct rebali_index){elements, NULL};
  if (elements->n <= FEW) {
    return REBAL_OK;
  }
  index->places = elements->n < SIZE_MAX / sizeof *index->places ? malloc(elements->n * sizeof *index->places) : NULL;
  if (index->places == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < elements->n; i++) {
    index->places[i] = (struct rebali_index_place){elements->at[i].key, i};
  }
  qsort(index->places, elements->n, sizeof *index->places, compare_places); /* the order is total */
  return REBAL_OK;
}

void rebali_index_close(struct rebali_index *index) {
  free(index->places);
}

/* Returns the first of the sorted places that is not before wanted. */
static size_t lower_bound(const struct rebali_index *index, const struct rebali_index_place *wanted) {
  size_t at;
  REBALI_BISECT(at, index->elements->n, compare_places(&index->places[at], wanted) < 0);
  return at;
}

size_t rebali_index_find(const struct rebali_index *index, const json_t *key, size_t from) {
  const struct rebali_elements *elements = index->elements;
  const struct rebali_index_place wanted = {key, from};
  size_t i = from;
  if (index->places == NULL) {
    while (i < elements->n && compare_keys(elements->at[i].key, key) != 0) {
      i++;
    }
    return i < elements->n ? i : elements->n;
  }
  i = lower_bound(index, &wanted);
  return i < elements->n && compare_keys(index->places[i].key, key) == 0 ? index->places[i].at : elements->n;
}
