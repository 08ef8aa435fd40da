/* SPDX-License-Identifier: MIT */
/* Objects by id: sorted as in the store, changed ones, and rows with what is kept of each. */
#include "simulation/server.h"

#include <stdlib.h>
#include <string.h>

/* Compares kind, namespace and name. Deleted objects have none of them and come first, by id. */
static int compare_ids(const void *left, const void *right, const void *context) {
  static const uint32_t parts[] = {REBAL_IDENTITY_KIND, REBAL_IDENTITY_NAMESPACE, REBAL_IDENTITY_NAME};
  const struct rebali_server *server = context;
  const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = 0;
  for (size_t i = 0; order == 0 && i < REBALI_COUNT(parts); i++) {
    order = strcmp(rebal_store_identity(server->store, a, parts[i], NULL),
                   rebal_store_identity(server->store, b, parts[i], NULL));
  }
  return order != 0 ? order : (a > b) - (a < b);
}

int32_t rebali_ids_add(struct rebali_ids *ids, uint32_t object, rebal_error *err) {
  const int32_t code = rebali_reserve_malloc(&ids->list, &ids->capacity, ids->n + 1, sizeof *ids->list, err);
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
  uint32_t *scratch;
  size_t kept = 0;
  if (ids->n < 2) {
    return REBAL_OK;
  }
  scratch = malloc(ids->n * sizeof *scratch);
  if (scratch == NULL) {
    return rebali_fail_memory(err);
  }
  rebali_sort(ids->list, ids->n, sizeof *ids->list, scratch, compare_ids, server);
  for (size_t i = 0; i < ids->n; i++) {
    if (kept == 0 || ids->list[kept - 1] != ids->list[i]) {
      ids->list[kept++] = ids->list[i];
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
    if (rebali_reserve_malloc(&rows->bytes, &rows->capacity, n, rows->size, err) != REBAL_OK) {
      return NULL;
    }
    memset(rows->bytes + rows->n * rows->size, 0, (n - rows->n) * rows->size);
    rows->n = n;
  }
  return rows->bytes + object * rows->size;
}
