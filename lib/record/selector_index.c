/* SPDX-License-Identifier: MIT */
#include "record/selector_index.h"

#include "record/labels.h"

int32_t rebali_selector_index_init(struct rebali_selector_index *index, struct rebali_arena *arena, size_t most) {
  *index = (struct rebali_selector_index){.most = most};
  /* The second halves are for sorting. */
  index->places = rebali_arena_allocate(arena, most, 2 * sizeof *index->places);
  index->found = rebali_arena_allocate(arena, most, 2 * sizeof *index->found);
  return index->places != NULL && index->found != NULL ? REBAL_OK : REBAL_ENOMEM;
}

void rebali_selector_index_add(struct rebali_selector_index *index, struct rebali_text namespace_,
                               const rebal_record *record, uint32_t selector, size_t item) {
  const uint32_t pair = rebali_record_get(record, selector, REBAL_LABEL_SELECTOR_MATCH_LABELS);
  struct rebali_selector_place *place = &index->places[index->n++];

  *place = (struct rebali_selector_place){namespace_, REBALI_TEXT(""), REBALI_TEXT(""), record, selector, item};
  if (pair != REBAL_NONE) {
    place->key = rebali_record_field_text(record, pair, REBAL_PAIR_KEY);
    place->value = rebali_record_field_text(record, pair, REBAL_PAIR_VALUE);
  }
}

static int compare_places(const void *left, const void *right, const void *context) {
  const struct rebali_selector_place *one = left;
  const struct rebali_selector_place *other = right;
  int order = rebali_text_compare(one->namespace_, other->namespace_);

  (void)context;
  order = order != 0 ? order : rebali_text_compare(one->key, other->key);
  return order != 0 ? order : rebali_text_compare(one->value, other->value);
}

void rebali_selector_index_sort(struct rebali_selector_index *index) {
  rebali_sort(index->places, index->n, sizeof *index->places, index->places + index->most, compare_places, NULL);
}

static void find_all(struct rebali_selector_index *index, struct rebali_text namespace_) {
  size_t at;

  REBALI_BISECT(at, index->n, rebali_text_compare(index->places[at].namespace_, namespace_) < 0);
  for (; at < index->n && rebali_text_equal(index->places[at].namespace_, namespace_); at++) {
    index->found[index->n_found++] = index->places[at].item;
  }
}

/* Finds selectors that require the label or, with an empty key, none. */
static void find_by(struct rebali_selector_index *index, struct rebali_text namespace_, struct rebali_text key,
                    struct rebali_text value, const rebal_record *labels) {
  const struct rebali_selector_place wanted = {.namespace_ = namespace_, .key = key, .value = value};
  size_t at;

  REBALI_BISECT(at, index->n, compare_places(&index->places[at], &wanted, NULL) < 0);
  for (; at < index->n && compare_places(&index->places[at], &wanted, NULL) == 0; at++) {
    if (rebali_label_selector_matches(index->places[at].record, index->places[at].selector, labels)) {
      index->found[index->n_found++] = index->places[at].item;
    }
  }
}

static void find_matching(struct rebali_selector_index *index, struct rebali_text namespace_,
                          const rebal_record *labels) {
  uint32_t pair = REBAL_NONE;

  find_by(index, namespace_, REBALI_TEXT(""), REBALI_TEXT(""), labels);
  while ((pair = rebali_record_next(labels, 0, REBAL_LABELS_LABEL, pair)) != REBAL_NONE) {
    const struct rebali_text key = rebali_record_field_text(labels, pair, REBAL_PAIR_KEY);

    if (key.len != 0) {
      find_by(index, namespace_, key, rebali_record_field_text(labels, pair, REBAL_PAIR_VALUE), labels);
    }
  }
}

static int compare_items(const void *left, const void *right, const void *context) {
  const size_t one = *(const size_t *)left;
  const size_t other = *(const size_t *)right;

  (void)context;
  return (one > other) - (one < other);
}

void rebali_selector_index_find(struct rebali_selector_index *index, struct rebali_text namespace_,
                                const rebal_record *labels) {
  index->n_found = 0;
  if (labels == NULL) {
    find_all(index, namespace_);
  } else {
    find_matching(index, namespace_, labels);
  }
  rebali_sort(index->found, index->n_found, sizeof *index->found, index->found + index->most, compare_items, NULL);
}
