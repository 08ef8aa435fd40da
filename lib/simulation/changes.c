/* SPDX-License-Identifier: MIT */
/* What changed in the store since one who follows it looked last, in the order of the store. */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

static int compare_slices(struct rebali_slice left, struct rebali_slice right) {
  const size_t shared = left.len < right.len ? left.len : right.len;
  const int order = shared > 0 ? memcmp(left.bytes, right.bytes, shared) : 0;
  return order != 0 ? order : (left.len > right.len) - (left.len < right.len);
}

/* By kind, namespace, name; those that were deleted have none of them and come first, by id. */
static int is_sorted(rebal_simulation *simulation, uint32_t left, uint32_t right) {
  static const char *const paths[] = {"kind", "metadata.namespace", "metadata.name"};
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    const int order =
        compare_slices(rebali_field(simulation, left, paths[i]), rebali_field(simulation, right, paths[i]));
    if (order != 0) {
      return order < 0;
    }
  }
  return left <= right;
}

/* Merges runs of doubling length; scratch has n places. What comes back is either of the two. */
static uint32_t *sort(rebal_simulation *simulation, uint32_t *ids, uint32_t *scratch, size_t n) {
  for (size_t width = 1; width < n; width *= 2) {
    uint32_t *const other = scratch;
    for (size_t start = 0; start < n; start += 2 * width) {
      const size_t middle = start + width < n ? start + width : n;
      const size_t end = start + 2 * width < n ? start + 2 * width : n;
      size_t left = start, right = middle;
      for (size_t i = start; i < end; i++) {
        const int is_left = left < middle && (right == end || is_sorted(simulation, ids[left], ids[right]));
        scratch[i] = is_left ? ids[left++] : ids[right++];
      }
    }
    scratch = ids;
    ids = other;
  }
  return ids;
}

int32_t rebali_ids_add(struct rebali_ids *ids, uint32_t object, rebal_error *err) {
  const int32_t code = rebali_make_room(&ids->list, &ids->capacity, ids->n + 1, sizeof *ids->list, err);
  if (code == REBAL_OK) {
    ids->list[ids->n++] = object;
  }
  return code;
}

void rebali_ids_dispose(struct rebali_ids *ids) {
  free(ids->list);
  *ids = (struct rebali_ids){NULL, 0, 0};
}

int32_t rebali_ids_sort(rebal_simulation *simulation, struct rebali_ids *ids, rebal_error *err) {
  uint32_t *scratch, *sorted;
  size_t kept = 0;
  if (ids->n < 2) {
    return REBAL_OK;
  }
  scratch = malloc(ids->n * sizeof *scratch);
  if (scratch == NULL) {
    return rebali_fail_memory(err);
  }
  sorted = sort(simulation, ids->list, scratch, ids->n);
  for (size_t i = 0; i < ids->n; i++) {
    const uint32_t object = sorted[i];
    if (kept == 0 || ids->list[kept - 1] != object) {
      ids->list[kept++] = object;
    }
  }
  ids->n = kept;
  free(scratch);
  return REBAL_OK;
}

int32_t rebali_changes_take(rebal_simulation *simulation, uint64_t *since, struct rebali_ids *out, rebal_error *err) {
  int32_t code = REBAL_OK;
  *out = (struct rebali_ids){NULL, 0, 0};
  for (uint32_t id = rebal_store_next_changed(simulation->store, since); code == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next_changed(simulation->store, since)) {
    code = rebali_ids_add(out, id, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ids_sort(simulation, out, err);
  }
  return code;
}

int rebali_object_is_there(rebal_simulation *simulation, uint32_t object) {
  return rebali_field(simulation, object, "kind").len > 0;
}

int rebali_object_is_binding(rebal_simulation *simulation, uint32_t object) {
  const struct rebali_slice kind = rebali_field(simulation, object, "kind");
  return rebali_slice_is(kind, "ResourceBinding") || rebali_slice_is(kind, "ClusterResourceBinding");
}
