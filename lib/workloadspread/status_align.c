/* SPDX-License-Identifier: MIT */
/*
 * Aligns a list with the subsets of the spec, in their order (option SPREAD_BY_SPEC; rebalance-workloadspread(7) 12,
 * Q7).
 */
#include "workloadspread/spread.h"

static int is_aligned(const struct rebali_status_list *list, const struct rebali_spread_spec *spec) {
  size_t i = 0;

  while (i < list->n && i < spec->n_subsets && list->entries[i].subset == spec->subsets[i].bucket) {
    i++;
  }
  return i == list->n && i == spec->n_subsets;
}

/* Takes the first entry of a subset that was not taken yet; NULL if there is none. */
static struct rebali_entry_status *take_entry(struct rebali_status_list *list, uint32_t subset) {
  for (size_t i = 0; i < list->n; i++) {
    if (list->entries[i].subset == subset) {
      list->entries[i].subset = REBAL_NONE;
      return &list->entries[i];
    }
  }
  return NULL;
}

/* Moves the pods in flight of an entry to another place. */
static void move_flights(struct rebali_spread_status *status, const struct rebali_entry_status *entry, uint32_t list,
                         uint32_t place) {
  for (size_t kind = 0; kind < 2; kind++) {
    for (uint32_t i = entry->first_flight[kind]; i != REBAL_NONE; i = status->flights[i].next_of_entry) {
      status->flights[i].list = list;
      status->flights[i].entry = place;
    }
  }
}

/* Gives the subset its entry of the old list, or a fresh one. */
static void fill_entry(struct rebali_spread_status *status, uint32_t number, struct rebali_status_list *list,
                       const struct rebali_subset *subset, uint32_t place, int32_t replicas) {
  struct rebali_entry_status *old = take_entry(&status->lists[number], subset->bucket);

  if (old != NULL) {
    move_flights(status, old, number, place);
    list->entries[place] = *old;
    old->first_flight[REBALI_CREATING] = REBAL_NONE;
    old->first_flight[REBALI_DELETING] = REBAL_NONE;
  }
  list->entries[place].name = subset->name;
  list->entries[place].subset = subset->bucket;
  rebali_status_set_missing(list, place,
                            old != NULL ? old->missing : rebali_status_capacity(&subset->maximum, replicas));
}

int32_t rebali_status_align(struct rebali_spread_status *status, const struct rebali_spread_spec *spec, uint32_t number,
                            int32_t replicas) {
  struct rebali_status_list *old = &status->lists[number];
  struct rebali_status_list list = *old;

  if (is_aligned(old, spec)) {
    return REBAL_OK;
  }
  if (rebali_status_add_entries(status, &list, spec->n_subsets) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (uint32_t i = 0; i < spec->n_subsets; i++) {
    fill_entry(status, number, &list, &spec->subsets[i], i, replicas);
  }
  for (size_t i = 0; i < old->n; i++) {
    move_flights(status, &old->entries[i], REBALI_NOWHERE, 0);
  }
  status->lists[number] = list;
  return REBAL_OK;
}
