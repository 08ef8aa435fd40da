/* SPDX-License-Identifier: MIT */
#include "workloadspread/pods.h"

#include "fleet/fleet.h"

int32_t rebal_pods_new(const rebal_fleet *fleet, const rebal_allocator *allocator, rebal_pods **out, rebal_error *err) {
  rebal_allocator memory;
  rebal_pods *pods;
  const int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (fleet == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", fleet == NULL ? "fleet" : "out");
  }
  pods = rebali_allocate_zero(&memory, 1, sizeof *pods);
  if (pods == NULL) {
    return rebali_fail_memory(err);
  }
  pods->set = (struct rebali_row_set){.allocator = memory,
                                      .store = rebali_store_ref(fleet->store),
                                      .tables = pods->tables,
                                      .slots = pods->slots,
                                      .first = REBAL_TABLE_SPREAD_POD,
                                      .n_tables = REBALI_POD_TABLES,
                                      .name = "pods",
                                      .moves_texts = 1};
  rebali_row_set_open(&pods->set);
  pods->handle = (struct rebal_cells){NULL, pods->set.store, NULL, &pods->set, NULL};
  *out = pods;
  return REBAL_OK;
}

void rebal_pods_reset(rebal_pods *pods) {
  if (pods != NULL) {
    rebali_row_set_reset(&pods->set);
  }
}

void rebal_pods_free(rebal_pods *pods) {
  rebal_allocator memory;

  if (pods == NULL) {
    return;
  }
  memory = pods->set.allocator;
  rebali_row_set_dispose(&pods->set);
  rebali_release(&memory, pods);
}

rebal_cells *rebal_pods_cells(rebal_pods *pods) {
  return pods == NULL ? NULL : &pods->handle;
}

const rebal_cells *rebal_pods_const_cells(const rebal_pods *pods) {
  return pods == NULL ? NULL : &pods->handle;
}

int32_t rebali_pods_count_given(const rebal_pods *pods, const uint32_t *rows, uint64_t n_rows, size_t *n,
                                rebal_error *err) {
  if (rows != NULL && n_rows >= REBAL_NONE) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "more pods than there are numbers");
  }
  *n = rows == NULL ? rebali_row_set_count(&pods->set, REBAL_TABLE_SPREAD_POD) : (size_t)n_rows;
  return REBAL_OK;
}
