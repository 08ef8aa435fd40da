/* SPDX-License-Identifier: MIT */
/* Resource summaries: by resource, for each cluster the three amounts as far as they are stated. */
#include "fleet/fleet.h"

#define PARTS 3u

static const struct rebali_amounts nothing;

static int same_quantity(const rebal_quantity *left, const rebal_quantity *right) {
  return left->units == right->units && left->nanos == right->nanos && left->format == right->format;
}

static int is_change(const struct rebali_amounts *old, uint32_t part, const rebal_quantity *amount) {
  const int stated = (old->stated >> part & 1u) != 0;

  return amount == NULL ? stated : !stated || !same_quantity(&old->parts[part], amount);
}

/* A summary with an amount is there. */
static int32_t note_summary(rebal_fleet *fleet, uint32_t row, const rebal_quantity *amount, rebal_error *err) {
  return amount == NULL ? REBAL_OK : rebali_fleet_write(fleet, REBAL_CLUSTER_HAS_SUMMARY, row, 1, err);
}

static int32_t write_amount(rebal_fleet *fleet, uint32_t part, uint32_t row, uint32_t resource,
                            const rebal_quantity *amount, rebal_error *err) {
  struct rebali_pages *pages = &fleet->cells.capacities[resource];
  const struct rebali_amounts *old = rebali_pages_get(pages, row);
  struct rebali_row *changed;
  struct rebali_amounts *cell;
  int32_t code;

  if (!is_change(old == NULL ? &nothing : old, part, amount)) {
    return note_summary(fleet, row, amount, err);
  }
  changed = rebali_fleet_touch(fleet, row);
  cell = changed == NULL ? NULL : rebali_pages_edit(&fleet->store->allocator, pages, row, &nothing);
  if (cell == NULL) {
    return rebali_fail_memory(err);
  }
  code = note_summary(fleet, row, amount, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (amount != NULL) {
    cell->parts[part] = *amount;
    cell->stated |= 1u << part;
  } else {
    cell->parts[part] = (rebal_quantity){0, 0, 0};
    cell->stated &= ~(1u << part);
  }
  rebali_fleet_changed(fleet, changed, row, REBALI_READS_CAPACITIES);
  return REBAL_OK;
}

static int32_t put_amount(rebal_fleet *fleet, uint32_t part, uint32_t row, uint32_t resource,
                          const rebal_quantity *amount, rebal_error *err) {
  const int32_t code = rebali_fleet_present(fleet, row, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (amount != NULL && !rebali_quantity_is_proper(amount)) {
    return rebali_fail(err, REBAL_EINVAL, (int64_t)row, "an amount is no quantity");
  }
  return write_amount(fleet, part, row, resource, amount, err);
}

static int32_t check_call(const rebal_fleet *fleet, uint32_t part, uint32_t resource, rebal_error *err) {
  if (fleet == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "fleet is NULL");
  }
  if (part >= PARTS) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a summary has no part %lu", (unsigned long)part);
  }
  if (resource >= fleet->cells.n_capacities) {
    return rebali_fail(err, REBAL_EINVAL, -1, "no resource has the id %lu", (unsigned long)resource);
  }
  return REBAL_OK;
}

int32_t rebal_fleet_set_capacity(rebal_fleet *fleet, uint32_t part, uint32_t cluster, uint32_t resource,
                                 const rebal_quantity *amount, rebal_error *err) {
  const int32_t code = check_call(fleet, part, resource, err);

  return code == REBAL_OK ? put_amount(fleet, part, cluster, resource, amount, err) : code;
}

int32_t rebal_fleet_put_capacity(rebal_fleet *fleet, uint32_t part, uint32_t resource, const uint32_t *clusters,
                                 const rebal_quantity *amounts, size_t n, rebal_error *err) {
  int32_t code = check_call(fleet, part, resource, err);
  size_t i;

  if (code == REBAL_OK && amounts == NULL && n != 0) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "the array of amounts is NULL");
  }
  if (code == REBAL_OK && n > UINT32_MAX) {
    code = rebali_fail(err, REBAL_ELIMIT, -1, "more amounts than there can be clusters");
  }
  for (i = 0; i < n && code == REBAL_OK; i++) {
    code = put_amount(fleet, part, clusters == NULL ? (uint32_t)i : clusters[i], resource, &amounts[i], err);
  }
  return code;
}

int32_t rebali_capacity_empty(rebal_fleet *fleet, uint32_t row, int write, int *found) {
  size_t resource;

  *found = 0;
  for (resource = 0; resource < fleet->cells.n_capacities; resource++) {
    struct rebali_pages *pages = &fleet->cells.capacities[resource];
    const struct rebali_amounts *old = rebali_pages_get(pages, row);
    struct rebali_amounts *cell;

    if (old == NULL || old->stated == 0) {
      continue;
    }
    *found = 1;
    cell = rebali_pages_edit(&fleet->store->allocator, pages, row, &nothing);
    if (cell == NULL) {
      return REBAL_ENOMEM;
    }
    if (write) {
      *cell = nothing;
    }
  }
  return REBAL_OK;
}

int32_t rebal_fleet_clear_capacity(rebal_fleet *fleet, uint32_t cluster, rebal_error *err) {
  struct rebali_row *changed;
  int found = 0;
  int32_t code;

  if (fleet == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "fleet is NULL");
  }
  code = rebali_fleet_present(fleet, cluster, err);
  if (code != REBAL_OK) {
    return code;
  }
  changed = rebali_fleet_touch(fleet, cluster);
  if (changed == NULL || rebali_capacity_empty(fleet, cluster, 0, &found) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  code = rebali_fleet_write(fleet, REBAL_CLUSTER_HAS_SUMMARY, cluster, 0, err);
  if (code == REBAL_OK && found) {
    code = rebali_capacity_empty(fleet, cluster, 1, &found);
    rebali_fleet_changed(fleet, changed, cluster, REBALI_READS_CAPACITIES);
  }
  return code;
}
