/* SPDX-License-Identifier: MIT */
/* Resource summaries: for each resource and cluster, those of the three amounts that are set. */
#include "fleet/fleet.h"

#define PARTS 3u
#define MILLIS_PER_UNIT 1000
#define NANOS_PER_UNIT 1000000000
#define NANOS_PER_MILLI 1000000
#define MOST_COUNTED (REBALI_REST_MAX / 4) /* limit of one part, so that no difference of three overflows */

static const struct rebali_amounts nothing;
static const int64_t unstated = REBALI_REST_UNSTATED;

/* The two cells of a resource in a row. */
struct place {
  struct rebali_amounts *amounts;
  int64_t *rest;
};

/* Opens the cells for writing; amounts is NULL without memory. */
static struct place edit_place(rebal_fleet *fleet, struct rebali_capacity_column *resource, uint32_t row) {
  const rebal_allocator *allocator = &fleet->store->allocator;
  struct place place = {NULL, rebali_pages_edit(allocator, &resource->rests, row, &unstated)};

  if (place.rest != NULL) {
    place.amounts = rebali_pages_edit(allocator, &resource->amounts, row, &nothing);
  }
  return place;
}

/* Returns whether the amount is an integer, and sets it. */
static int is_whole(const rebal_quantity *amount, int64_t is_cpu, int64_t *count) {
  const int64_t most = is_cpu ? MOST_COUNTED / MILLIS_PER_UNIT - 1 : MOST_COUNTED;

  if (amount->units > most || amount->units < -most ||
      amount->nanos % (is_cpu ? NANOS_PER_MILLI : NANOS_PER_UNIT) != 0) {
    return 0;
  }
  *count = is_cpu ? amount->units * MILLIS_PER_UNIT + amount->nanos / NANOS_PER_MILLI : amount->units;
  return 1;
}

static int64_t rest_of(const struct rebali_amounts *amounts, int64_t is_cpu) {
  int64_t allocatable, allocated, allocating;

  if ((amounts->stated >> REBAL_CAPACITY_ALLOCATABLE & 1u) == 0) {
    return REBALI_REST_UNSTATED;
  }
  /* An amount that is not set counts as 0. */
  return is_whole(&amounts->parts[REBAL_CAPACITY_ALLOCATABLE], is_cpu, &allocatable) &&
                 is_whole(&amounts->parts[REBAL_CAPACITY_ALLOCATED], is_cpu, &allocated) &&
                 is_whole(&amounts->parts[REBAL_CAPACITY_ALLOCATING], is_cpu, &allocating)
             ? allocatable - allocated - allocating
             : REBALI_REST_UNKNOWN;
}

static int same_quantity(const rebal_quantity *left, const rebal_quantity *right) {
  return left->units == right->units && left->nanos == right->nanos && left->format == right->format;
}

static int is_change(const struct rebali_amounts *old, uint32_t part, const rebal_quantity *amount) {
  const int stated = (old->stated >> part & 1u) != 0;

  return amount == NULL ? stated : !stated || !same_quantity(&old->parts[part], amount);
}

/* An amount implies a summary. */
static int32_t note_summary(rebal_fleet *fleet, uint32_t row, const rebal_quantity *amount, rebal_error *err) {
  return amount == NULL ? REBAL_OK : rebali_fleet_write(fleet, REBAL_CLUSTER_HAS_SUMMARY, row, 1, err);
}

static int32_t write_amount(rebal_fleet *fleet, uint32_t part, uint32_t row, uint32_t resource,
                            const rebal_quantity *amount, rebal_error *err) {
  struct rebali_capacity_column *column = &fleet->state.capacities[resource];
  const struct rebali_amounts *old = rebali_pages_get(&column->amounts, row);
  struct place place = {NULL, NULL};
  struct rebali_row *changed;
  int32_t code;

  if (!is_change(old == NULL ? &nothing : old, part, amount)) {
    return note_summary(fleet, row, amount, err);
  }
  changed = rebali_fleet_touch(fleet, row, REBALI_READS_CAPACITIES);
  if (changed != NULL) {
    place = edit_place(fleet, column, row);
  }
  if (place.amounts == NULL) {
    return rebali_fail_memory(err);
  }
  code = note_summary(fleet, row, amount, err);
  if (code != REBAL_OK) {
    return code;
  }
  changed->n_amounts -= place.amounts->stated != 0;
  if (amount != NULL) {
    place.amounts->parts[part] = *amount;
    place.amounts->stated |= 1u << part;
  } else {
    place.amounts->parts[part] = (rebal_quantity){0, 0, 0};
    place.amounts->stated &= ~(1u << part);
  }
  changed->n_amounts += place.amounts->stated != 0;
  *place.rest = rest_of(place.amounts, column->is_cpu);
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
    return rebali_fail(err, REBAL_EINVAL, (int64_t)row, "an amount is not a quantity");
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
  if (resource >= fleet->state.n_capacities) {
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

int32_t rebali_capacity_empty(rebal_fleet *fleet, struct rebali_row *changed, uint32_t row, int write) {
  uint32_t left = changed->n_amounts;
  size_t resource;

  for (resource = 0; left > 0; resource++) {
    struct rebali_capacity_column *column = &fleet->state.capacities[resource];
    const struct rebali_amounts *old = rebali_pages_get(&column->amounts, row);
    struct place place;

    if (old == NULL || old->stated == 0) {
      continue;
    }
    left--;
    place = edit_place(fleet, column, row);
    if (place.amounts == NULL) {
      return REBAL_ENOMEM;
    }
    if (write) {
      *place.amounts = nothing;
      *place.rest = REBALI_REST_UNSTATED;
      changed->n_amounts--;
    }
  }
  return REBAL_OK;
}

int32_t rebal_fleet_clear_capacity(rebal_fleet *fleet, uint32_t cluster, rebal_error *err) {
  struct rebali_row *changed;
  int32_t code;

  if (fleet == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "fleet is NULL");
  }
  code = rebali_fleet_present(fleet, cluster, err);
  if (code != REBAL_OK) {
    return code;
  }
  changed = rebali_fleet_touch(fleet, cluster, REBALI_READS_CAPACITIES);
  if (changed == NULL || rebali_capacity_empty(fleet, changed, cluster, 0) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  code = rebali_fleet_write(fleet, REBAL_CLUSTER_HAS_SUMMARY, cluster, 0, err);
  if (code == REBAL_OK && changed->n_amounts > 0) {
    code = rebali_capacity_empty(fleet, changed, cluster, 1);
    rebali_fleet_changed(fleet, changed, cluster, REBALI_READS_CAPACITIES);
  }
  return code;
}
