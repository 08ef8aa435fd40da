/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

static int compare_ids(const void *left, const void *right, const void *context) {
  const struct rebali_intern *names = context;

  return rebali_text_compare(rebali_intern_get(names, *(const uint32_t *)left),
                             rebali_intern_get(names, *(const uint32_t *)right));
}

static struct rebali_order *new_order(const rebal_allocator *allocator, uint32_t n, size_t capacity) {
  struct rebali_order *order = rebali_allocate(allocator, 1, sizeof *order + capacity * sizeof order->ids[0]);

  if (order != NULL) {
    atomic_init(&order->references, 1);
    order->n = n;
  }
  return order;
}

struct rebali_order *rebali_order_reserve(const rebal_allocator *allocator, uint32_t n) {
  return new_order(allocator, 0, n);
}

/* Merges sorted ids with sorted newer ones into out. */
static void merge(const struct rebali_intern *names, const uint32_t *old, size_t n_old, const uint32_t *added,
                  size_t n_added, uint32_t *out) {
  size_t o = 0;
  size_t a = 0;

  while (o < n_old || a < n_added) {
    if (a == n_added || (o < n_old && compare_ids(&old[o], &added[a], names) < 0)) {
      *out++ = old[o++];
    } else {
      *out++ = added[a++];
    }
  }
}

int32_t rebali_order_make(const rebal_allocator *allocator, const struct rebali_intern *names, uint32_t n,
                          const struct rebali_order *previous, struct rebali_order **out) {
  const uint32_t n_old = previous == NULL ? 0 : previous->n;
  const uint32_t n_added = n - n_old;
  struct rebali_order *order = new_order(allocator, n, (size_t)n * 2);
  uint32_t *added = rebali_allocate(allocator, (size_t)n_added + 1, 2 * sizeof *added);
  uint32_t i;

  if (order == NULL || added == NULL) {
    rebali_release(allocator, order);
    rebali_release(allocator, added);
    return REBAL_ENOMEM;
  }
  for (i = 0; i < n_added; i++) {
    added[i] = n_old + i;
  }
  rebali_sort(added, n_added, sizeof *added, added + n_added, compare_ids, names);
  merge(names, previous == NULL ? NULL : previous->ids, n_old, added, n_added, order->ids);
  for (i = 0; i < n; i++) {
    order->ids[n + order->ids[i]] = i;
  }
  rebali_release(allocator, added);
  *out = order;
  return REBAL_OK;
}

uint32_t rebali_order_find(const struct rebali_order *order, const struct rebali_intern *names,
                           struct rebali_text name) {
  size_t low = 0;
  size_t high = order == NULL ? 0 : order->n;

  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int compared = rebali_text_compare(rebali_intern_get(names, order->ids[middle]), name);

    if (compared == 0) {
      return order->ids[middle];
    }
    if (compared < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return REBAL_NONE;
}

struct rebali_order *rebali_order_ref(struct rebali_order *order) {
  if (order != NULL) {
    atomic_fetch_add_explicit(&order->references, 1, memory_order_relaxed);
  }
  return order;
}

void rebali_order_unref(const rebal_allocator *allocator, struct rebali_order *order) {
  if (order != NULL && atomic_fetch_sub_explicit(&order->references, 1, memory_order_acq_rel) == 1) {
    rebali_release(allocator, order);
  }
}
