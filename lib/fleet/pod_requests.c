/* SPDX-License-Identifier: MIT */
/* Computes what a pod takes of its node (rebalance-karmada(7) 6.5.1), once from its interned resources. */
#include "fleet/fleet.h"

static const struct rebali_text pods_name = {"pods", 4};

/* Counts the amounts in the record; the list needs space for each. */
static size_t count_amounts(const rebal_record *record) {
  static const uint32_t lists[] = {REBAL_POD_RESOURCES_CONTAINERS, REBAL_POD_RESOURCES_INIT_CONTAINERS};
  size_t n = rebali_record_count(record, 0, REBAL_POD_RESOURCES_OVERHEAD);

  for (size_t i = 0; i < REBALI_COUNT(lists); i++) {
    uint32_t container = REBAL_NONE;

    while ((container = rebal_record_next(record, 0, lists[i], container)) != REBAL_NONE) {
      n += rebali_record_count(record, container, REBAL_CONTAINER_RESOURCES_REQUESTS);
    }
  }
  return n;
}

/* How an amount is combined with earlier ones. */
enum meeting { SUM, MAXIMUM };

/* May return the element after the list, which then grows. */
static struct rebali_take *find_take(struct rebali_takes *takes, uint32_t resource) {
  size_t i = 0;

  while (i < takes->n && takes->takes[i].resource != resource) {
    i++;
  }
  if (i == takes->n) {
    takes->takes[takes->n++] = (struct rebali_take){0, resource, 0};
  }
  return &takes->takes[i];
}

static int32_t meet(struct rebali_takes *takes, uint32_t resource, int64_t amount, enum meeting how, rebal_error *err) {
  struct rebali_take *take = find_take(takes, resource);

  if (amount < 0) {
    return rebali_fail(err, REBAL_ERANGE, -1, "a request of a pod is negative");
  }
  if (how == MAXIMUM) {
    take->amount = amount > take->amount ? amount : take->amount;
    return REBAL_OK;
  }
  if (amount > INT64_MAX - take->amount) {
    return rebali_fail(err, REBAL_ERANGE, -1, "the requests of a pod are beyond 2^63 - 1");
  }
  take->amount += amount;
  return REBAL_OK;
}

static int32_t meet_map(rebal_fleet *fleet, const rebal_record *record, uint32_t node, uint32_t field,
                        struct rebali_takes *takes, enum meeting how, rebal_error *err) {
  uint32_t entry = REBAL_NONE;
  int32_t code = REBAL_OK;

  while (code == REBAL_OK && (entry = rebal_record_next(record, node, field, entry)) != REBAL_NONE) {
    const struct rebali_text name = rebali_record_field_text(record, entry, REBAL_AMOUNT_NAME);
    rebal_quantity amount = {0, 0, REBAL_QUANTITY_FORMAT_NONE};
    uint32_t resource = REBAL_NONE;

    rebal_record_quantity(record, rebali_record_get(record, entry, REBAL_AMOUNT_QUANTITY), &amount);
    code = rebal_fleet_resource_id(fleet, name.bytes, name.len, &resource, err);
    if (code == REBAL_OK) {
      code = meet(
          takes, resource,
          fleet->state.capacities[resource].is_cpu ? rebali_quantity_milli(&amount) : rebali_quantity_value(&amount),
          how, err);
    }
  }
  return code;
}

static int32_t meet_containers(rebal_fleet *fleet, const rebal_record *record, uint32_t list,
                               struct rebali_takes *takes, enum meeting how, rebal_error *err) {
  uint32_t container = REBAL_NONE;
  int32_t code = REBAL_OK;

  while (code == REBAL_OK && (container = rebal_record_next(record, 0, list, container)) != REBAL_NONE) {
    code = meet_map(fleet, record, container, REBAL_CONTAINER_RESOURCES_REQUESTS, takes, how, err);
  }
  return code;
}

static int32_t fill_takes(rebal_fleet *fleet, const rebal_record *record, struct rebali_takes *takes,
                          rebal_error *err) {
  uint32_t pods = REBAL_NONE;
  int32_t code = rebal_fleet_resource_id(fleet, pods_name.bytes, pods_name.len, &pods, err);

  if (code == REBAL_OK && record != NULL) {
    code = meet_containers(fleet, record, REBAL_POD_RESOURCES_CONTAINERS, takes, SUM, err);
    if (code == REBAL_OK) {
      code = meet_containers(fleet, record, REBAL_POD_RESOURCES_INIT_CONTAINERS, takes, MAXIMUM, err);
    }
    if (code == REBAL_OK) {
      code = meet_map(fleet, record, 0, REBAL_POD_RESOURCES_OVERHEAD, takes, SUM, err);
    }
  }
  return code == REBAL_OK ? meet(takes, pods, 1, SUM, err) : code;
}

static int32_t make_takes(rebal_fleet *fleet, const rebal_record *record, struct rebali_takes **out, rebal_error *err) {
  const rebal_allocator *allocator = &fleet->store->allocator;
  const size_t n = 1 + (record == NULL ? 0 : count_amounts(record));
  struct rebali_takes *takes = rebali_allocate_zero(allocator, 1, sizeof *takes + n * sizeof takes->takes[0]);
  int32_t code = takes == NULL ? rebali_fail_memory(err) : fill_takes(fleet, record, takes, err);

  if (code != REBAL_OK) {
    rebali_release(allocator, takes);
    return code;
  }
  *out = takes;
  return REBAL_OK;
}

int32_t rebali_fleet_takes(rebal_fleet *fleet, uint32_t resources, const struct rebali_takes **takes,
                           rebal_error *err) {
  const size_t place = resources == REBAL_NONE ? 0 : (size_t)resources + 1;
  int32_t code = REBAL_OK;

  if (place >= fleet->n_takes) {
    if (rebali_reserve(&fleet->store->allocator, &fleet->takes, &fleet->takes_capacity, place + 1,
                       sizeof(struct rebali_takes *)) != REBAL_OK) {
      return rebali_fail_memory(err);
    }
    while (fleet->n_takes <= place) {
      fleet->takes[fleet->n_takes++] = NULL;
    }
  }
  if (fleet->takes[place] == NULL) {
    code =
        make_takes(fleet, rebali_store_record(fleet->store, rebali_store_kind(REBAL_OBJECT_POD_RESOURCES), resources),
                   &fleet->takes[place], err);
  }
  *takes = fleet->takes[place];
  return code;
}
