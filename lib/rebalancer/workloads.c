/* SPDX-License-Identifier: MIT */
#include "rebalancer/rebalancer.h"

int rebali_workload_compare(const struct rebali_workload *left, const struct rebali_workload *right) {
  int order = rebali_text_compare(left->api_version, right->api_version);

  order = order != 0 ? order : rebali_text_compare(left->kind, right->kind);
  order = order != 0 ? order : rebali_text_compare(left->namespace_, right->namespace_);
  return order != 0 ? order : rebali_text_compare(left->name, right->name);
}

static int compare_workloads(const void *left, const void *right, const void *context) {
  (void)context;
  return rebali_workload_compare(left, right);
}

static int compare_observed(const void *left, const void *right, const void *context) {
  const struct rebali_observed *one = left;
  const struct rebali_observed *other = right;

  (void)context;
  return rebali_workload_compare(&one->workload, &other->workload);
}

/* The workloads of the spec, sorted and distinct; taken marks those listed in the old status. */
struct wanted {
  struct rebali_workload *items;
  unsigned char *taken;
  size_t n;
};

static int32_t collect_wanted(const struct rebali_rebalancer *rebalancer, struct rebali_arena *arena,
                              struct wanted *out) {
  const size_t n = rebalancer->n_workloads;
  struct rebali_workload *scratch = rebali_arena_allocate(arena, n, sizeof *scratch);
  size_t i;

  out->items = rebali_arena_allocate(arena, n, sizeof *out->items);
  out->taken = rebali_arena_allocate_zero(arena, n, 1);
  out->n = 0;
  if (scratch == NULL || out->items == NULL || out->taken == NULL) {
    return REBAL_ENOMEM;
  }
  memcpy(out->items, rebalancer->workloads, n * sizeof *out->items);
  rebali_sort(out->items, n, sizeof *out->items, scratch, compare_workloads, NULL);
  for (i = 0; i < n; i++) {
    if (i == 0 || rebali_workload_compare(&out->items[out->n - 1], &out->items[i]) != 0) {
      out->items[out->n++] = out->items[i];
    }
  }
  return REBAL_OK;
}

/* Returns the index of a workload, or n. */
static size_t find_wanted(const struct wanted *wanted, const struct rebali_workload *workload) {
  size_t low = 0;
  size_t high = wanted->n;

  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = rebali_workload_compare(&wanted->items[middle], workload);

    if (order == 0) {
      return middle;
    }
    low = order < 0 ? middle + 1 : low;
    high = order < 0 ? high : middle;
  }
  return wanted->n;
}

/* Keeps old items that the spec lists (the first of each), and others only if they succeeded. */
static void keep_old(const struct rebali_observed_list *old, struct wanted *wanted, struct rebali_observed_list *out) {
  size_t i;

  for (i = 0; i < old->n; i++) {
    const size_t index = find_wanted(wanted, &old->items[i].workload);
    const int is_wanted = index < wanted->n && !wanted->taken[index];

    if (is_wanted) {
      wanted->taken[index] = 1;
    }
    if (is_wanted || rebali_text_equal(old->items[i].result, REBALI_TEXT("Successful"))) {
      out->items[out->n++] = old->items[i];
    }
  }
}

static void add_new(const struct wanted *wanted, struct rebali_observed_list *out) {
  size_t i;

  for (i = 0; i < wanted->n; i++) {
    if (!wanted->taken[i]) {
      out->items[out->n++] = (struct rebali_observed){wanted->items[i], REBALI_TEXT(""), REBALI_TEXT("")};
    }
  }
}

int32_t rebali_workloads_merge(const struct rebali_rebalancer *rebalancer, struct rebali_arena *arena,
                               struct rebali_observed_list *out, rebal_error *err) {
  const struct rebali_observed_list *old = &rebalancer->status.observed;
  struct rebali_observed *scratch;
  struct wanted wanted;

  /* Both lists are in memory, so their sum cannot overflow. */
  out->n = 0;
  out->items = rebali_arena_allocate(arena, old->n + rebalancer->n_workloads, sizeof *out->items);
  scratch = rebali_arena_allocate(arena, old->n + rebalancer->n_workloads, sizeof *scratch);
  if (out->items == NULL || scratch == NULL || collect_wanted(rebalancer, arena, &wanted) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  keep_old(old, &wanted, out);
  add_new(&wanted, out);
  rebali_sort(out->items, out->n, sizeof *out->items, scratch, compare_observed, NULL);
  return REBAL_OK;
}
