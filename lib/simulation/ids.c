/* SPDX-License-Identifier: MIT */
/* Objects by id: in the order of the store, those that changed, and rows of what is kept of each. */
#include "simulation/server.h"

#include <stdlib.h>
#include <string.h>

/* By kind, namespace, name; those that were deleted have none of them and come first, by id. */
static int is_sorted(const struct rebali_server *server, uint32_t left, uint32_t right) {
  static const uint32_t parts[] = {REBAL_IDENTITY_KIND, REBAL_IDENTITY_NAMESPACE, REBAL_IDENTITY_NAME};
  for (size_t i = 0; i < REBALI_COUNT(parts); i++) {
    const int order = strcmp(rebal_store_identity(server->store, left, parts[i], NULL),
                             rebal_store_identity(server->store, right, parts[i], NULL));
    if (order != 0) {
      return order < 0;
    }
  }
  return left <= right;
}

/* Merges runs of doubling length; scratch has n places. What comes back is either of the two. */
static uint32_t *sort(const struct rebali_server *server, uint32_t *ids, uint32_t *scratch, size_t n) {
  for (size_t width = 1; width < n; width *= 2) {
    uint32_t *const other = scratch;
    for (size_t start = 0; start < n; start += 2 * width) {
      const size_t middle = start + width < n ? start + width : n;
      const size_t end = start + 2 * width < n ? start + 2 * width : n;
      size_t left = start, right = middle;
      for (size_t i = start; i < end; i++) {
        const int is_left = left < middle && (right == end || is_sorted(server, ids[left], ids[right]));
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

int32_t rebali_ids_sort(const struct rebali_server *server, struct rebali_ids *ids, rebal_error *err) {
  uint32_t *scratch, *sorted;
  size_t kept = 0;
  if (ids->n < 2) {
    return REBAL_OK;
  }
  scratch = malloc(ids->n * sizeof *scratch);
  if (scratch == NULL) {
    return rebali_fail_memory(err);
  }
  sorted = sort(server, ids->list, scratch, ids->n);
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

int32_t rebali_changes_take(const struct rebali_server *server, uint64_t *since, struct rebali_ids *out,
                            rebal_error *err) {
  int32_t code = REBAL_OK;
  *out = (struct rebali_ids){NULL, 0, 0};
  for (uint32_t id = rebal_store_next_changed(server->store, since); code == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next_changed(server->store, since)) {
    code = rebali_ids_add(out, id, err);
  }
  return code == REBAL_OK ? rebali_ids_sort(server, out, err) : code;
}

void *rebali_row(struct rebali_object_rows *rows, uint32_t object, rebal_error *err) {
  if (object >= rows->n) {
    const size_t n = (size_t)object + 1;
    if (rebali_make_room(&rows->bytes, &rows->capacity, n, rows->size, err) != REBAL_OK) {
      return NULL;
    }
    memset(rows->bytes + rows->n * rows->size, 0, (n - rows->n) * rows->size);
    rows->n = n;
  }
  return rows->bytes + object * rows->size;
}
