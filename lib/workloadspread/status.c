/* SPDX-License-Identifier: MIT */
/* Lists of the status: one for all pods, and one for each version. */
#include "workloadspread/spread.h"

void rebali_status_init(struct rebali_spread_status *status, const rebal_allocator *allocator) {
  *status = (struct rebali_spread_status){.allocator = allocator, .node = REBAL_NONE};
  rebali_arena_init(&status->arena, allocator, 0);
}

void rebali_status_dispose(struct rebali_spread_status *status) {
  rebali_release(status->allocator, status->own);
  rebali_release(status->allocator, status->lists);
  rebali_release(status->allocator, status->by_version);
  rebali_release(status->allocator, status->flights);
  rebali_release(status->allocator, status->buckets);
  rebali_arena_dispose(&status->arena);
}

void rebali_status_clear(struct rebali_spread_status *status) {
  status->record = NULL;
  status->node = REBAL_NONE;
  status->overall = (struct rebali_status_list){.state = REBALI_LIST_ABSENT};
  status->n_lists = 0;
  status->last = 0;
  rebali_flight_clear(status);
  rebali_arena_reset(&status->arena);
}

/* Returns the place of a version in the order of versions, whether it exists or not. */
static size_t place_of(const struct rebali_spread_status *status, struct rebali_text version) {
  size_t at;

  REBALI_BISECT(at, status->n_lists, rebali_text_compare(status->lists[status->by_version[at]].version, version) < 0);
  return at;
}

uint32_t rebali_status_find(struct rebali_spread_status *status, struct rebali_text version) {
  size_t place;

  if (status->last < status->n_lists && rebali_text_equal(status->lists[status->last].version, version)) {
    return status->last;
  }
  place = place_of(status, version);
  if (place == status->n_lists || !rebali_text_equal(status->lists[status->by_version[place]].version, version)) {
    return REBAL_NONE;
  }
  status->last = status->by_version[place];
  return status->last;
}

struct rebali_status_list *rebali_status_list(struct rebali_spread_status *status, uint32_t number) {
  return number == REBALI_OVERALL ? &status->overall : &status->lists[number];
}

int32_t rebali_status_add_list(struct rebali_spread_status *status, struct rebali_text version, uint32_t *number) {
  const size_t place = place_of(status, version);
  const size_t n = status->n_lists + 1;

  if (n >= REBAL_NONE ||
      rebali_reserve(status->allocator, &status->lists, &status->lists_capacity, n, sizeof *status->lists) !=
          REBAL_OK ||
      rebali_reserve(status->allocator, &status->by_version, &status->order_capacity, n, sizeof *status->by_version) !=
          REBAL_OK) {
    return REBAL_ENOMEM;
  }
  memmove(status->by_version + place + 1, status->by_version + place,
          (status->n_lists - place) * sizeof *status->by_version);
  *number = (uint32_t)status->n_lists;
  status->by_version[place] = *number;
  status->lists[*number] = (struct rebali_status_list){.version = version, .state = REBALI_LIST_THERE};
  status->n_lists = n;
  return REBAL_OK;
}

int32_t rebali_status_add_entries(struct rebali_spread_status *status, struct rebali_status_list *list, size_t n) {
  struct rebali_entry_status *entries = rebali_arena_allocate(&status->arena, n, sizeof *entries);
  uint64_t *eligible = rebali_arena_allocate_zero(&status->arena, REBALI_BITSET_WORDS(n), sizeof *eligible);

  if (entries == NULL || eligible == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    entries[i] = (struct rebali_entry_status){
        .subset = REBAL_NONE, .node = REBAL_NONE, .first_flight = {REBAL_NONE, REBAL_NONE}};
  }
  list->entries = entries;
  list->eligible = eligible;
  list->n = n;
  return REBAL_OK;
}

void rebali_status_set_missing(struct rebali_status_list *list, size_t entry, int32_t missing) {
  list->entries[entry].missing = missing;
  rebali_bit_set(list->eligible, entry, !list->entries[entry].is_false && (missing > 0 || missing == -1));
}

int32_t rebali_status_capacity(const struct rebali_limit *maximum, int32_t replicas) {
  int64_t capacity;

  if (!maximum->is_present) {
    return -1;
  }
  return rebali_limit_scaled(maximum, replicas, &capacity) ? rebali_low_int32(capacity) : 0;
}

/* Fills the entries, which must exist. */
static void fill_list(struct rebali_status_list *list, const struct rebali_spread_spec *spec, int32_t replicas) {
  for (size_t i = 0; i < list->n; i++) {
    list->entries[i].name = spec->subsets[i].name;
    list->entries[i].subset = spec->subsets[i].bucket;
    rebali_status_set_missing(list, i, rebali_status_capacity(&spec->subsets[i].maximum, replicas));
  }
  list->made_for = replicas;
}

int32_t rebali_status_remake_list(struct rebali_spread_status *status, const struct rebali_spread_spec *spec,
                                  uint32_t number, int32_t replicas) {
  struct rebali_status_list *list = &status->lists[number];

  if (list->n != spec->n_subsets && rebali_status_add_entries(status, list, spec->n_subsets) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  fill_list(list, spec, replicas);
  return REBAL_OK;
}

int32_t rebali_status_make_list(struct rebali_spread_status *status, const struct rebali_spread_spec *spec,
                                struct rebali_text version, int32_t replicas, uint32_t *number) {
  const struct rebali_text copy = rebali_arena_text(&status->arena, version);
  struct rebali_status_list list = {.state = REBALI_LIST_MADE};

  if (copy.bytes == NULL || rebali_status_add_entries(status, &list, spec->n_subsets) != REBAL_OK ||
      rebali_status_add_list(status, copy, number) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  fill_list(&list, spec, replicas);
  list.version = copy;
  status->lists[*number] = list;
  return REBAL_OK;
}

/* Copies texts that are not in the record, as they are freed with the source. */
static int32_t copy_list(struct rebali_spread_status *status, struct rebali_status_list *list,
                         const struct rebali_status_list *source) {
  *list = *source;
  list->version = rebali_arena_text(&status->arena, source->version);
  if (list->version.bytes == NULL || rebali_status_add_entries(status, list, source->n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < source->n; i++) {
    list->entries[i] = source->entries[i];
    list->entries[i].name = rebali_arena_text(&status->arena, source->entries[i].name);
    if (list->entries[i].name.bytes == NULL) {
      return REBAL_ENOMEM;
    }
    rebali_status_set_missing(list, i, source->entries[i].missing);
  }
  return REBAL_OK;
}

int32_t rebali_status_copy(struct rebali_spread_status *status, const struct rebali_spread_status *source,
                           const rebal_record *record) {
  int32_t code = copy_list(status, &status->overall, &source->overall);
  uint32_t number;

  for (size_t i = 0; i < source->n_lists && code == REBAL_OK; i++) {
    code = rebali_status_add_list(status, source->lists[i].version, &number);
    code = code == REBAL_OK ? copy_list(status, &status->lists[i], &source->lists[i]) : code;
  }
  status->record = record;
  status->node = source->node;
  return code == REBAL_OK ? rebali_flight_copy(status, source) : code;
}
