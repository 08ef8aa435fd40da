/* SPDX-License-Identifier: MIT */
/* Copies bindings, to examine the effect of other values in some cells. */
#include "fleet/nodes.h"

/* Copies all rows of a table, below the same bindings. */
static int32_t copy_rows(rebal_bindings *to, const rebal_bindings *from, uint32_t index, uint32_t *ids,
                         rebal_error *err) {
  const uint32_t table = REBAL_TABLE_BINDING + index;
  const uint32_t none = REBAL_NONE;
  const size_t n = from->tables[index].rows;
  int32_t code = rebali_bindings_add(to, table, index == 0 ? &none : from->parents[index], index != 0, ids, n, err);

  for (size_t row = 0; row < n && code == REBAL_OK; row++) {
    code = rebali_row_set_copy(&to->set, &from->set, table, (uint32_t)row) == REBAL_OK ? REBAL_OK
                                                                                       : rebali_fail_memory(err);
  }
  return code;
}

static int32_t copy_tables(rebal_bindings *to, const rebal_bindings *from, rebal_error *err) {
  size_t most = 1;
  uint32_t *ids;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < REBALI_BINDING_TABLES; i++) {
    most = from->tables[i].rows > most ? from->tables[i].rows : most;
  }
  ids = rebali_allocate(&to->set.allocator, most, sizeof *ids);
  if (ids == NULL) {
    return rebali_fail_memory(err);
  }
  for (uint32_t i = 0; i < REBALI_BINDING_TABLES && code == REBAL_OK; i++) {
    code = from->tables[i].rows == 0 ? REBAL_OK : copy_rows(to, from, i, ids, err);
  }
  rebali_release(&to->set.allocator, ids);
  return code;
}

int32_t rebal_bindings_copy(const rebal_bindings *bindings, rebal_bindings **out, rebal_error *err) {
  rebal_bindings *copy;
  int32_t code;

  if (bindings == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", bindings == NULL ? "bindings" : "out");
  }
  code = rebali_bindings_new(bindings->set.store, &bindings->set.allocator, &copy, err);
  if (code != REBAL_OK) {
    return code;
  }
  code = copy_tables(copy, bindings, err);
  if (code == REBAL_OK) {
    *out = copy;
  } else {
    rebal_bindings_free(copy);
  }
  return code;
}
