/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#define FIRST_SLOTS 16u

struct rebal_observations {
  rebal_allocator allocator;
  struct rebali_arena bytes;
  struct rebali_observation *items; /* in the order of the calls */
  size_t count;
  size_t capacity;
  size_t *slots;  /* by hash of the ordinal: 1 + index in items, 0 if empty; at most half are in use */
  size_t n_slots; /* a power of two, or 0 */
};

int32_t rebal_observations_new(const rebal_allocator *allocator, rebal_observations **out, rebal_error *err) {
  rebal_allocator memory;
  rebal_observations *observations;
  int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is missing");
  }
  observations = rebali_allocate_zero(&memory, 1, sizeof *observations);
  if (observations == NULL) {
    return rebali_fail_memory(err);
  }
  observations->allocator = memory;
  rebali_arena_init(&observations->bytes, &observations->allocator, 0);
  *out = observations;
  return REBAL_OK;
}

/* Returns the slot of the ordinal or, if there is none, the empty slot for it. */
static size_t slot_of(const rebal_observations *observations, int64_t ordinal) {
  const size_t mask = observations->n_slots - 1;
  size_t slot = (size_t)rebali_hash(&ordinal, sizeof ordinal) & mask;

  while (observations->slots[slot] != 0 && observations->items[observations->slots[slot] - 1].ordinal != ordinal) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

const struct rebali_observation *rebali_observation_find(const rebal_observations *observations, int64_t ordinal) {
  size_t place;

  if (observations == NULL || observations->count == 0) {
    return NULL;
  }
  place = observations->slots[slot_of(observations, ordinal)];
  return place == 0 ? NULL : &observations->items[place - 1];
}

/* Reserves one more slot. */
static int32_t reserve_slots(rebal_observations *observations) {
  /* Items are larger than slots, so twice their number of slots cannot overflow a size. */
  const size_t n_slots = observations->n_slots == 0 ? FIRST_SLOTS : observations->n_slots * 2;
  size_t *slots;
  size_t i;

  if (observations->count < observations->n_slots / 2) {
    return REBAL_OK;
  }
  slots = rebali_allocate_zero(&observations->allocator, n_slots, sizeof *slots);
  if (slots == NULL) {
    return REBAL_ENOMEM;
  }
  rebali_release(&observations->allocator, observations->slots);
  observations->slots = slots;
  observations->n_slots = n_slots;
  for (i = 0; i < observations->count; i++) {
    slots[slot_of(observations, observations->items[i].ordinal)] = i + 1;
  }
  return REBAL_OK;
}

/* Replaces the objects that item points to by copies of our own. */
static int32_t copy_contents(struct rebali_arena *bytes, struct rebali_observation *item) {
  item->resource_version = rebali_arena_text(bytes, item->resource_version);
  item->message = rebali_arena_text(bytes, item->message);
  if (item->resource_version.bytes == NULL || item->message.bytes == NULL) {
    return REBAL_ENOMEM;
  }
  if (item->fields != NULL) {
    const size_t size = rebali_record_size(item->fields);
    void *copy = rebali_arena_allocate(bytes, size, 1);

    if (copy == NULL) {
      return REBAL_ENOMEM;
    }
    memcpy(copy, item->fields, size);
    item->fields = copy;
  }
  return REBAL_OK;
}

static int32_t keep(rebal_observations *observations, struct rebali_observation item, rebal_error *err) {
  if (rebali_reserve(&observations->allocator, &observations->items, &observations->capacity, observations->count + 1,
                     sizeof *observations->items) != REBAL_OK ||
      reserve_slots(observations) != REBAL_OK || copy_contents(&observations->bytes, &item) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  observations->slots[slot_of(observations, item.ordinal)] = observations->count + 1;
  observations->items[observations->count++] = item;
  return REBAL_OK;
}

/* The objects that item points to still belong to the caller. */
static int32_t load_item(const rebal_observation *given, struct rebali_observation *item, rebal_error *err) {
  rebal_observation known;
  int32_t code = rebali_options_load(&known, sizeof known, sizeof(rebal_observation), given, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (known.outcome < REBAL_OBSERVED_DONE || known.outcome > REBAL_OBSERVED_TRANSIENT) {
    return rebali_fail(err, REBAL_EINVAL, -1, "outcome %ld is not one of REBAL_OBSERVED_*", (long)known.outcome);
  }
  *item = (struct rebali_observation){.ordinal = known.ordinal, .outcome = known.outcome, .fields = known.fields};
  code = rebali_text_take(known.resource_version, known.resource_version_len, "the resource version",
                          &item->resource_version, err);
  return code == REBAL_OK ? rebali_text_take(known.message, known.message_len, "the message", &item->message, err)
                          : code;
}

int32_t rebal_observations_add(rebal_observations *observations, const rebal_observation *observation,
                               rebal_error *err) {
  struct rebali_observation item;
  int32_t code;

  if (observations == NULL || observation == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is missing",
                       observations == NULL ? "observations" : "the observation");
  }
  code = load_item(observation, &item, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (rebali_observation_find(observations, item.ordinal) != NULL) {
    return rebali_fail(err, REBAL_EEXIST, -1, "action %lld was observed before", (long long)item.ordinal);
  }
  return keep(observations, item, err);
}

void rebal_observations_reset(rebal_observations *observations) {
  if (observations == NULL) {
    return;
  }
  observations->count = 0;
  if (observations->slots != NULL) {
    memset(observations->slots, 0, observations->n_slots * sizeof *observations->slots);
  }
  rebali_arena_reset(&observations->bytes);
}

void rebal_observations_free(rebal_observations *observations) {
  rebal_allocator memory;

  if (observations == NULL) {
    return;
  }
  memory = observations->allocator;
  rebali_arena_dispose(&observations->bytes);
  rebali_release(&memory, observations->items);
  rebali_release(&memory, observations->slots);
  rebali_release(&memory, observations);
}

struct rebali_fingerprint rebali_observations_fingerprint(const rebal_observations *observations) {
  struct rebali_fingerprint sum = {0, 0};
  struct rebali_digest digest;

  for (size_t i = 0; observations != NULL && i < observations->count; i++) {
    const struct rebali_observation *item = &observations->items[i];

    rebali_digest_begin(&digest, 0, 0);
    rebali_digest_u64(&digest, (uint64_t)item->ordinal);
    rebali_digest_u64(&digest, (uint64_t)item->outcome);
    rebali_digest_text(&digest, item->resource_version);
    rebali_digest_text(&digest, item->message);
    rebali_digest_record(&digest, item->fields);
    rebali_fingerprint_add(&sum, rebali_digest_end(&digest));
  }
  return sum;
}
