/* SPDX-License-Identifier: MIT */
/*
 * Pods in flight: those in creatingPods and deletingPods of all lists of a status, in one hash table by name. They are
 * added, all removed at once, and only the newest ones are removed individually.
 */
#include "workloadspread/spread.h"

#define FIRST_BUCKETS 16u

static uint32_t hash_of(struct rebali_text key) {
  return (uint32_t)rebali_hash(key.bytes, key.len);
}

static uint32_t *bucket_of(const struct rebali_spread_status *status, uint32_t hash) {
  return &status->buckets[hash & (status->n_buckets - 1)];
}

static struct rebali_entry_status *entry_of(struct rebali_spread_status *status, const struct rebali_flight *flight) {
  struct rebali_status_list *list = flight->list == REBALI_OVERALL ? &status->overall : &status->lists[flight->list];

  return &list->entries[flight->entry];
}

/* Fills from the oldest to the newest, so that each flight is first once those after it are removed. */
static void fill_buckets(struct rebali_spread_status *status) {
  for (size_t i = 0; i < status->n_buckets; i++) {
    status->buckets[i] = REBAL_NONE;
  }
  for (size_t i = 0; i < status->n_flights; i++) {
    uint32_t *bucket = bucket_of(status, status->flights[i].hash);

    status->flights[i].next_of_bucket = *bucket;
    *bucket = (uint32_t)i;
  }
}

/* Reserves at least as many buckets as flights. */
static int32_t reserve(struct rebali_spread_status *status, size_t n) {
  size_t wanted = status->n_buckets < FIRST_BUCKETS ? FIRST_BUCKETS : status->n_buckets;
  uint32_t *buckets;

  if (n >= REBAL_NONE || rebali_reserve(status->allocator, &status->flights, &status->flights_capacity, n,
                                        sizeof *status->flights) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  while (wanted < n) {
    wanted *= 2; /* at most 2^32 */
  }
  if (wanted == status->n_buckets) {
    return REBAL_OK;
  }
  buckets = rebali_allocate(status->allocator, wanted, sizeof *buckets);
  if (buckets == NULL) {
    return REBAL_ENOMEM;
  }
  rebali_release(status->allocator, status->buckets);
  status->buckets = buckets;
  status->n_buckets = wanted;
  fill_buckets(status);
  return REBAL_OK;
}

/* Returns the newest flight with the key, from a flight on; REBAL_NONE if there is none. */
static uint32_t next_of_key(const struct rebali_spread_status *status, uint32_t from, uint32_t hash,
                            struct rebali_text key) {
  while (from != REBAL_NONE &&
         (status->flights[from].hash != hash || !rebali_text_equal(status->flights[from].key, key))) {
    from = status->flights[from].next_of_bucket;
  }
  return from;
}

static uint32_t first_of_key(const struct rebali_spread_status *status, uint32_t hash, struct rebali_text key) {
  return status->n_flights == 0 ? REBAL_NONE : next_of_key(status, *bucket_of(status, hash), hash, key);
}

uint32_t rebali_flight_find(const struct rebali_spread_status *status, uint32_t list, struct rebali_text key) {
  const uint32_t hash = status->n_flights == 0 ? 0 : hash_of(key);
  uint32_t flight = first_of_key(status, hash, key);
  uint32_t entry = REBAL_NONE; /* larger than all others */

  while (flight != REBAL_NONE) {
    const struct rebali_flight *found = &status->flights[flight];

    if (found->list == list && found->entry < entry) {
      entry = found->entry;
    }
    flight = next_of_key(status, found->next_of_bucket, hash, key);
  }
  return entry;
}

uint32_t rebali_flight_of(const struct rebali_spread_status *status, uint32_t list, uint32_t entry,
                          uint32_t is_deletion, struct rebali_text key) {
  const uint32_t hash = status->n_flights == 0 ? 0 : hash_of(key);
  uint32_t flight = first_of_key(status, hash, key);

  while (flight != REBAL_NONE) {
    const struct rebali_flight *found = &status->flights[flight];

    if (found->list == list && found->entry == entry && found->is_deletion == is_deletion) {
      return flight;
    }
    flight = next_of_key(status, found->next_of_bucket, hash, key);
  }
  return REBAL_NONE;
}

int32_t rebali_flight_add(struct rebali_spread_status *status, uint32_t list, uint32_t entry, uint32_t is_deletion,
                          struct rebali_text key, const rebal_time *since) {
  const uint32_t hash = hash_of(key);
  struct rebali_flight *flight;
  struct rebali_entry_status *owner;
  uint32_t *bucket;

  if (reserve(status, status->n_flights + 1) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  bucket = bucket_of(status, hash);
  flight = &status->flights[status->n_flights];
  *flight = (struct rebali_flight){key, *since, hash, list, entry, is_deletion, REBAL_NONE, *bucket};
  owner = entry_of(status, flight);
  flight->next_of_entry = owner->first_flight[is_deletion];
  owner->first_flight[is_deletion] = (uint32_t)status->n_flights;
  owner->n_flights[is_deletion]++;
  *bucket = (uint32_t)status->n_flights;
  status->n_flights++;
  return REBAL_OK;
}

void rebali_flight_undo(struct rebali_spread_status *status) {
  const struct rebali_flight *flight = &status->flights[status->n_flights - 1];
  struct rebali_entry_status *owner = entry_of(status, flight);

  owner->first_flight[flight->is_deletion] = flight->next_of_entry;
  owner->n_flights[flight->is_deletion]--;
  *bucket_of(status, flight->hash) = flight->next_of_bucket;
  status->n_flights--;
}

void rebali_flight_clear(struct rebali_spread_status *status) {
  status->n_flights = 0;
  fill_buckets(status);
}

int32_t rebali_flight_copy(struct rebali_spread_status *status, const struct rebali_spread_status *source) {
  if (reserve(status, source->n_flights) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < source->n_flights; i++) {
    status->flights[i] = source->flights[i];
    status->flights[i].key = rebali_arena_text(&status->arena, source->flights[i].key);
    if (status->flights[i].key.bytes == NULL) {
      return REBAL_ENOMEM;
    }
  }
  status->n_flights = source->n_flights;
  fill_buckets(status);
  return REBAL_OK;
}
