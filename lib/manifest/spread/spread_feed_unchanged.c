/* SPDX-License-Identifier: MIT */
/* Finds which patches of a WorkloadSpread leave which of its pods unchanged: bits by row of SPREAD_POD. */
#include "manifest/spread/spread_feed.h"

#include <stdlib.h>
#include <string.h>

/* Only running pods without a subset are evaluated. */
static int is_requested(const rebal_spread_feed *feed, const struct rebali_fed_spread *fed, uint32_t row) {
  const char *name = rebali_feed_object(feed, fed->object)->name;
  const char *spread =
      rebal_cells_get_text(rebal_pods_const_cells(feed->pods), REBAL_SPREAD_POD_MATCHED_SPREAD, REBAL_NONE, row, NULL);
  const char *subset =
      rebal_cells_get_text(rebal_pods_const_cells(feed->pods), REBAL_SPREAD_POD_MATCHED_SUBSET, REBAL_NONE, row, NULL);
  return rebal_cells_get_i64(rebal_pods_const_cells(feed->pods), REBAL_SPREAD_POD_NODE, REBAL_NONE, row) !=
             REBAL_ABSENT &&
         (strcmp(spread, name) != 0 || *subset == '\0');
}

/*
 * Results for one state of a pod remain valid: a row may belong to another pod by now, but change numbers are unique.
 */
static int32_t fill_row(rebal_spread_feed *feed, struct rebali_fed_spread *fed, uint32_t row, size_t stride,
                        rebal_error *err) {
  const uint32_t object = feed->objects[row];
  const uint64_t change = feed->store->changed[object];
  uint64_t *words = fed->words + row * stride;
  const uint64_t *answer;
  int32_t result = REBAL_OK;
  if (fed->judged[row] == change) {
    return REBAL_OK;
  }
  memset(words, 0, stride * sizeof *words);
  if (is_requested(feed, fed, row) && rebali_store_has(feed->store, object)) {
    result = rebali_unchanged_pod(fed->unchanged, rebali_feed_object(feed, object), &answer, err);
    if (result == REBAL_OK) {
      memcpy(words, answer, stride * sizeof *answer);
    }
  }
  fed->judged[row] = result == REBAL_OK ? change : 0;
  return result;
}

static size_t count_rows(const struct rebali_fed_spread *fed) {
  size_t n = 0;
  for (size_t i = 0; i < fed->n_rows; i++) {
    n = fed->rows[i] >= n ? (size_t)fed->rows[i] + 1 : n;
  }
  return n;
}

static int32_t reserve(struct rebali_fed_spread *fed, size_t n, size_t stride, rebal_error *err) {
  const size_t before = fed->judged_capacity;
  int32_t result = n <= SIZE_MAX / stride ? REBAL_OK : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = rebali_reserve_malloc(&fed->words, &fed->words_capacity, n * stride, sizeof *fed->words, err);
  }
  if (result == REBAL_OK) {
    result = rebali_reserve_malloc(&fed->judged, &fed->judged_capacity, n, sizeof *fed->judged, err);
  }
  if (fed->judged_capacity > before) {
    memset(fed->judged + before, 0, (fed->judged_capacity - before) * sizeof *fed->judged);
  }
  return result;
}

static int32_t make_words(rebal_spread_feed *feed, struct rebali_fed_spread *fed, size_t stride, rebal_error *err) {
  int32_t result = reserve(fed, count_rows(fed), stride, err);
  for (size_t i = 0; result == REBAL_OK && i < fed->n_rows; i++) {
    result = fill_row(feed, fed, fed->rows[i], stride, err);
  }
  return result;
}

/* New patches have no results yet. */
static int32_t open_patches(struct rebali_fed_spread *fed, rebal_error *err) {
  if (fed->unchanged != NULL) {
    return REBAL_OK;
  }
  if (fed->judged_capacity > 0) {
    memset(fed->judged, 0, fed->judged_capacity * sizeof *fed->judged);
  }
  return rebali_unchanged_new(fed->subsets, &fed->unchanged, err);
}

int32_t rebali_feed_unchanged(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const uint64_t **words,
                              uint64_t *stride, rebal_error *err) {
  size_t width = 0;
  int32_t result = open_patches(fed, err);
  if (result == REBAL_OK) {
    width = rebali_unchanged_stride(fed->unchanged);
  }
  if (result == REBAL_OK && width > 0) {
    result = make_words(feed, fed, width, err);
  }
  if (result == REBAL_OK) {
    *words = width > 0 ? fed->words : NULL;
    *stride = width;
  }
  return result;
}
