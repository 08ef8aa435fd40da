/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

/* Runs this short are cheaper to sort by insertion than by merging. */
#define RUN 8u

struct order {
  size_t size;
  rebali_compare compare;
  const void *context;
};

static size_t smaller(size_t left, size_t right) {
  return left < right ? left : right;
}

/* spare must hold one element. */
static void sort_run(const struct order *order, unsigned char *run, size_t count, unsigned char *spare) {
  const size_t size = order->size;
  size_t i;

  for (i = 1; i < count; i++) {
    size_t place = i;

    while (place > 0 && order->compare(run + (place - 1) * size, run + i * size, order->context) > 0) {
      place--;
    }
    if (place < i) {
      memcpy(spare, run + i * size, size);
      memmove(run + (place + 1) * size, run + place * size, (i - place) * size);
      memcpy(run + place * size, spare, size);
    }
  }
}

/* Merges from[0, middle) and from[middle, count) into to; equal elements keep their order. */
static void merge(const struct order *order, const unsigned char *from, size_t middle, size_t count,
                  unsigned char *to) {
  const size_t size = order->size;
  const unsigned char *left = from;
  const unsigned char *const left_end = from + middle * size;
  const unsigned char *right = left_end;
  const unsigned char *const right_end = from + count * size;

  if (middle == count || order->compare(left_end - size, right, order->context) <= 0) {
    memcpy(to, from, count * size);
    return;
  }
  while (left < left_end && right < right_end) {
    const int take_left = order->compare(left, right, order->context) <= 0;

    memcpy(to, take_left ? left : right, size);
    left += take_left ? size : 0;
    right += take_left ? 0 : size;
    to += size;
  }
  memcpy(to, left, (size_t)(left_end - left));
  to += left_end - left;
  memcpy(to, right, (size_t)(right_end - right));
}

void rebali_sort(void *array, size_t count, size_t size, void *scratch, rebali_compare compare, const void *context) {
  const struct order order = {size, compare, context};
  unsigned char *from = array;
  unsigned char *to = scratch;
  size_t width;
  size_t start;

  if (count < 2 || size == 0) {
    return;
  }
  for (start = 0; start < count; start += RUN) {
    sort_run(&order, from + start * size, smaller(RUN, count - start), to);
  }
  /* No object has more than SIZE_MAX / 2 bytes, so doubling a width below count cannot overflow. */
  for (width = RUN; width < count; width *= 2) {
    unsigned char *const merged = to;

    for (start = 0; start < count; start += 2 * width) {
      merge(&order, from + start * size, smaller(width, count - start), smaller(2 * width, count - start),
            to + start * size);
    }
    to = from;
    from = merged;
  }
  if (from != array) {
    memcpy(array, from, count * size);
  }
}
