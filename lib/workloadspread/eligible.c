/* SPDX-License-Identifier: MIT */
/*
 * Entries of a list that have capacity for a pod. The plain rule reads a bit of each, options examine them one by one.
 */
#include "workloadspread/admission.h"

/* Returns the number of pods that an entry has or will have. */
static int64_t held(const struct rebali_entry_status *entry) {
  return (int64_t)entry->replicas + entry->n_flights[REBALI_CREATING] - entry->n_flights[REBALI_DELETING];
}

static int32_t replicas_of(const rebal_spread *spread) {
  return (int32_t)rebali_fact(spread, REBAL_SPREAD_WORKLOAD_ADMISSION_REPLICAS);
}

/* Returns whether the entry lacks replicas of its subset's minReplicas. */
static int lacks_minimum(const rebal_spread *spread, const struct rebali_entry_status *entry) {
  const struct rebali_limit *minimum;
  int64_t wanted;

  if (entry->subset == REBAL_NONE) {
    return 0;
  }
  minimum = &spread->spec.subsets[entry->subset].minimum;
  return minimum->is_present && rebali_limit_scaled(minimum, replicas_of(spread), &wanted) && held(entry) < wanted;
}

/*
 * Computes the capacity that pods of all versions leave in the entry's subset. Returns 0 if it has no readable limit.
 */
static int find_shared_capacity(const rebal_spread *spread, const struct rebali_entry_status *entry,
                                int64_t *capacity) {
  const struct rebali_limit *maximum;
  int64_t left;

  if (entry->subset == REBAL_NONE) {
    return 0;
  }
  maximum = &spread->spec.subsets[entry->subset].maximum;
  if (!maximum->is_present || !rebali_limit_scaled(maximum, replicas_of(spread), &left) || left < 0) {
    return 0;
  }
  for (size_t i = 0; i < spread->status.n_lists; i++) {
    const struct rebali_status_list *list = &spread->status.lists[i];

    for (size_t k = 0; k < list->n; k++) {
      left -= list->entries[k].subset == entry->subset ? held(&list->entries[k]) : 0;
    }
  }
  *capacity = left;
  return 1;
}

static int has_option(const struct rebali_admission *admission, uint32_t option) {
  return rebali_compat_value(admission->compat, option) != 0;
}

/* Returns the result of the simulation of this pod. */
static int has_no_node(const struct rebali_admission *admission, const rebal_spread *spread,
                       const struct rebali_entry_status *entry) {
  return entry->subset != REBAL_NONE && rebali_simulates(admission, spread) &&
         admission->simulation.is_full[entry->subset];
}

/* If all versions share a limit, the capacity of the list itself is irrelevant: others may have freed some since. */
int rebali_eligible_is_open(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list,
                            uint32_t entry) {
  const struct rebali_status_list *found = rebali_status_list(&spread->status, list);
  int64_t capacity;

  if (has_option(admission, REBAL_OPTION_SPREAD_ALL_VERSIONS) &&
      find_shared_capacity(spread, &found->entries[entry], &capacity)) {
    return capacity > 0 && !found->entries[entry].is_false;
  }
  return rebali_bit_get(found->eligible, entry);
}

static int has_free_capacity(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list,
                             uint32_t entry) {
  return rebali_eligible_is_open(admission, spread, list, entry) &&
         !has_no_node(admission, spread, &rebali_status_list(&spread->status, list)->entries[entry]);
}

int rebali_eligible_minimum(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list) {
  const struct rebali_status_list *found = rebali_status_list(&spread->status, list);

  if (!has_option(admission, REBAL_OPTION_SPREAD_MIN_REPLICAS)) {
    return 0;
  }
  for (uint32_t i = 0; i < found->n; i++) {
    if (has_free_capacity(admission, spread, list, i) && lacks_minimum(spread, &found->entries[i])) {
      return 1;
    }
  }
  return 0;
}

/* Returns the first entry that has capacity and, if any lacks replicas of its minimum, also lacks some. */
static uint32_t look_through(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list) {
  const struct rebali_status_list *found = rebali_status_list(&spread->status, list);
  const int lacks = rebali_eligible_minimum(admission, spread, list);
  uint32_t i = 0;

  while (i < found->n &&
         !(has_free_capacity(admission, spread, list, i) && (!lacks || lacks_minimum(spread, &found->entries[i])))) {
    i++;
  }
  return i < found->n ? i : REBAL_NONE;
}

uint32_t rebali_eligible_entry(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list) {
  const struct rebali_status_list *found = rebali_status_list(&spread->status, list);
  const size_t words = REBALI_BITSET_WORDS(found->n);
  size_t i = 0;

  if (admission->has_options) {
    return look_through(admission, spread, list);
  }
  while (i < words && found->eligible[i] == 0) {
    i++;
  }
  return i < words ? (uint32_t)(i * 64 + rebali_bit_lowest(found->eligible[i])) : REBAL_NONE;
}

/* Returns whether the limit of an entry without capacity is unreadable or negative. */
static int has_no_limit(const rebal_spread *spread, const struct rebali_entry_status *entry) {
  int64_t limit;

  return entry->missing < 0 || (entry->subset != REBAL_NONE && spread->spec.subsets[entry->subset].maximum.is_present &&
                                !rebali_limit_scaled(&spread->spec.subsets[entry->subset].maximum, 0, &limit));
}

int64_t rebali_eligible_reason(const struct rebali_admission *admission, rebal_spread *spread, uint32_t list,
                               uint32_t entry) {
  const struct rebali_status_list *found = rebali_status_list(&spread->status, list);

  if (found->entries[entry].is_false) {
    return REBAL_PASS_OVER_UNSCHEDULABLE;
  }
  if (!rebali_eligible_is_open(admission, spread, list, entry)) {
    return rebali_bit_get(found->eligible, entry)         ? REBAL_PASS_OVER_OTHER_VERSIONS
           : has_no_limit(spread, &found->entries[entry]) ? REBAL_PASS_OVER_NO_LIMIT
                                                          : REBAL_PASS_OVER_FULL;
  }
  return has_no_node(admission, spread, &found->entries[entry]) ? REBAL_PASS_OVER_NO_NODE
                                                                : REBAL_PASS_OVER_MINIMUM_FIRST;
}
