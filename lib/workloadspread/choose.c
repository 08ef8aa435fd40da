/* SPDX-License-Identifier: MIT */
/* Chooses the subset that a pod takes or frees, and updates the status (rebalance-workloadspread(7) 3.4, 3.6). */
#include "workloadspread/admission.h"

/* A pod, with the list of its version. */
struct choosing {
  struct rebali_admission *admission;
  struct rebali_admitted *admitted;
  rebal_spread *spread;
  uint32_t row;
  struct rebali_text name; /* of the pod */
  uint32_t list;
};

/* Finds the list of the pod's version. It is made from spec as long as nothing is recorded in it. */
static int32_t find_list(struct choosing *choosing) {
  struct rebali_spread_status *status = &choosing->spread->status;
  const struct rebali_spread_spec *spec = &choosing->spread->spec;
  const int32_t replicas = (int32_t)rebali_fact(choosing->spread, REBAL_SPREAD_WORKLOAD_ADMISSION_REPLICAS);
  const struct rebali_text version = choosing->admission->owner_is_tracked
                                         ? rebali_version_of_label(choosing->admission->pods, choosing->row)
                                         : REBALI_VERSION_IGNORED;
  const struct rebali_status_list *list;

  choosing->list = rebali_status_find(status, version);
  if (choosing->list != REBAL_NONE && rebali_status_list(status, choosing->list)->state == REBALI_LIST_THERE) {
    return rebali_compat_value(choosing->admission->compat, REBAL_OPTION_SPREAD_BY_SPEC) == 0
               ? REBAL_OK
               : rebali_status_align(status, spec, choosing->list, replicas);
  }
  choosing->admitted->message = rebali_fact_text(choosing->spread, REBAL_SPREAD_WORKLOAD_ADMISSION_ERROR);
  if (choosing->admitted->message.len != 0) {
    choosing->admitted->outcome = REBAL_ADMIT_OUTCOME_REPLICAS_UNKNOWN;
    return REBAL_OK;
  }
  if (choosing->list == REBAL_NONE) {
    return rebali_status_make_list(status, spec, version, replicas, &choosing->list);
  }
  list = rebali_status_list(status, choosing->list);
  return list->n == spec->n_subsets && list->made_for == replicas
             ? REBAL_OK
             : rebali_status_remake_list(status, spec, choosing->list, replicas);
}

static struct rebali_status_list *list_of(const struct choosing *choosing) {
  return rebali_status_list(&choosing->spread->status, choosing->list);
}

/* Records the pod's key in creatingPods or deletingPods of an entry. changes must have space for the change. */
static int32_t record(struct choosing *choosing, uint32_t entry, uint32_t is_deletion, struct rebali_text key) {
  struct rebali_admission *admission = choosing->admission;
  struct rebali_spread_status *status = &choosing->spread->status;
  struct rebali_status_list *list = list_of(choosing);
  struct rebali_admission_change *change = &admission->changes[admission->n_changes];
  const uint32_t flight = rebali_flight_of(status, choosing->list, entry, is_deletion, key);

  *change = (struct rebali_admission_change){choosing->admitted->spread,
                                             choosing->list,
                                             entry,
                                             list->entries[entry].missing,
                                             list->state,
                                             list->changed,
                                             flight,
                                             {0, 0, 0}};
  if (flight != REBAL_NONE) {
    change->since = status->flights[flight].since;
    status->flights[flight].since = admission->now;
  } else {
    const struct rebali_text copy = rebali_arena_text(&status->arena, key);

    if (copy.bytes == NULL ||
        rebali_flight_add(status, choosing->list, entry, is_deletion, copy, &admission->now) != REBAL_OK) {
      return rebali_fail_memory(admission->err);
    }
  }
  list->state = REBALI_LIST_THERE;
  list->changed = 1;
  admission->n_changes++;
  choosing->admitted->is_recorded = 1;
  return REBAL_OK;
}

void rebali_admission_undo(struct rebali_admission *admission) {
  while (admission->n_changes != 0) {
    const struct rebali_admission_change *change = &admission->changes[--admission->n_changes];
    struct rebali_spread_status *status = &admission->spreads[change->spread]->status;
    struct rebali_status_list *list = rebali_status_list(status, change->list);

    if (change->moved == REBAL_NONE) {
      rebali_flight_undo(status);
    } else {
      status->flights[change->moved].since = change->since;
    }
    list->state = change->state;
    list->changed = change->was_changed;
    rebali_status_set_missing(list, change->entry, change->missing);
  }
  rebali_simulation_undo(admission);
}

/* Reports the entry as the pod's. */
static void belong(struct choosing *choosing, uint32_t entry) {
  const struct rebali_entry_status *found = &list_of(choosing)->entries[entry];

  choosing->admitted->subset = found->subset;
  if (found->subset == REBAL_NONE) {
    choosing->admitted->outcome = REBAL_ADMIT_OUTCOME_FORMER_SUBSET;
    choosing->admitted->subset_name = found->name;
  }
}

struct rebali_text rebali_admission_key(const struct rebali_admission *admission, uint32_t row) {
  const struct rebali_text name = rebali_pods_text(admission->pods, REBAL_SPREAD_POD_NAME, row);
  const struct rebali_text id = rebali_pods_text(admission->pods, REBAL_SPREAD_POD_ADMISSION_ID, row);

  if (name.len == 0 && id.len == 0) {
    (void)rebali_fail(admission->err, REBAL_EINVAL, (int64_t)row, "a pod has neither a name nor an id to record it by");
  }
  return name.len != 0 ? name : id;
}

/*
 * Returns whether pods of the entry are recorded. Without a limit they are not, except with minimums, which count
 * recorded pods.
 */
static int is_recorded(const struct choosing *choosing, uint32_t entry) {
  return list_of(choosing)->entries[entry].missing != -1 ||
         rebali_compat_value(choosing->admission->compat, REBAL_OPTION_SPREAD_MIN_REPLICAS) != 0;
}

/* Takes a place in an entry. */
static int32_t take(struct choosing *choosing, uint32_t entry) {
  struct rebali_status_list *list = list_of(choosing);
  const int32_t missing = list->entries[entry].missing;
  struct rebali_text key;
  int32_t code;

  belong(choosing, entry);
  if (!is_recorded(choosing, entry)) {
    return REBAL_OK;
  }
  choosing->admitted->is_by_id = choosing->name.len == 0;
  key = rebali_admission_key(choosing->admission, choosing->row);
  if (key.len == 0) {
    return REBAL_EINVAL;
  }
  code = record(choosing, entry, REBALI_CREATING, key);
  if (code == REBAL_OK && missing > 0) {
    rebali_status_set_missing(list, entry, missing - 1);
  }
  return code;
}

static int32_t choose_created(struct choosing *choosing) {
  struct rebali_admission *admission = choosing->admission;
  const struct rebali_spread_status *status = &choosing->spread->status;
  const uint32_t recorded =
      choosing->name.len == 0 ? REBAL_NONE : rebali_flight_find(status, choosing->list, choosing->name);
  uint32_t entry;
  int32_t code = REBAL_OK;

  if (recorded != REBAL_NONE) {
    belong(choosing, recorded);
    return REBAL_OK;
  }
  if (rebali_simulates(admission, choosing->spread)) {
    code = rebali_simulate(admission, choosing->spread, choosing->list);
  }
  if (code != REBAL_OK) {
    return code;
  }
  entry = rebali_eligible_entry(admission, choosing->spread, choosing->list);
  if ((admission->flags & REBAL_ADMIT_FLAG_EXPLAIN) != 0 &&
      rebali_pass_over_entries(admission, choosing->row, choosing->admitted->spread, choosing->list, entry) !=
          REBAL_OK) {
    return rebali_fail_memory(admission->err);
  }
  if (entry == REBAL_NONE) {
    choosing->admitted->outcome = REBAL_ADMIT_OUTCOME_NO_SUBSET;
    return REBAL_OK;
  }
  code = take(choosing, entry);
  return code == REBAL_OK && rebali_simulates(admission, choosing->spread)
             ? rebali_simulation_charge(admission, choosing->spread, choosing->row, choosing->admitted->subset)
             : code;
}

/* Returns missingReplicas after a place was freed. */
static int32_t one_more(const struct choosing *choosing, const struct rebali_entry_status *entry) {
  const struct rebali_spread_spec *spec = &choosing->spread->spec;
  int64_t limit;

  if (entry->missing < 0) {
    return entry->missing;
  }
  if (rebali_compat_value(choosing->admission->compat, REBAL_OPTION_SPREAD_CAPPED_ROOM) != 0 &&
      entry->subset != REBAL_NONE && spec->subsets[entry->subset].maximum.is_present &&
      rebali_limit_scaled(&spec->subsets[entry->subset].maximum,
                          (int32_t)rebali_fact(choosing->spread, REBAL_SPREAD_WORKLOAD_ADMISSION_REPLICAS), &limit) &&
      entry->missing >= limit) {
    return entry->missing;
  }
  return rebali_add_wrapping(entry->missing, 1);
}

/* Returns the first entry of the list with the name in the pod's annotation, or REBAL_NONE. */
static uint32_t entry_of_annotation(const struct choosing *choosing) {
  const struct rebali_status_list *list = list_of(choosing);
  const struct rebali_text subset =
      rebali_pods_text(choosing->admission->pods, REBAL_SPREAD_POD_MATCHED_SUBSET, choosing->row);
  uint32_t i = 0;

  while (i < list->n && !rebali_text_equal(list->entries[i].name, subset)) {
    i++;
  }
  return i < list->n ? i : REBAL_NONE;
}

static int32_t choose_going(struct choosing *choosing) {
  struct rebali_status_list *list = list_of(choosing);
  const uint32_t entry = entry_of_annotation(choosing);
  const int is_fresh = list->state != REBALI_LIST_THERE;
  int32_t missing;
  int32_t code;

  if (rebali_flight_find(&choosing->spread->status, choosing->list, choosing->name) != REBAL_NONE ||
      entry == REBAL_NONE) {
    return REBAL_OK;
  }
  choosing->admitted->subset = list->entries[entry].subset;
  if (!is_recorded(choosing, entry)) {
    return REBAL_OK;
  }
  missing = one_more(choosing, &list->entries[entry]);
  code = record(choosing, entry, REBALI_DELETING, choosing->name);
  if (code == REBAL_OK) {
    choosing->admission->known[choosing->admitted->spread].is_beyond_limit |=
        is_fresh && missing > list->entries[entry].missing;
    rebali_status_set_missing(list, entry, missing);
  }
  return code;
}

int32_t rebali_admission_choose(struct rebali_admission *admission, uint32_t row, struct rebali_admitted *admitted) {
  struct choosing choosing = {admission, admitted, admission->spreads[admitted->spread], row, {"", 0}, REBAL_NONE};
  const int is_going = rebali_pods_i64(admission->pods, REBAL_SPREAD_POD_OPERATION, row) != REBAL_OPERATION_CREATE;
  int32_t code;

  admitted->outcome = is_going ? REBAL_ADMIT_OUTCOME_GOING : REBAL_ADMIT_OUTCOME_CHOSEN;
  if (choosing.spread->spec.takes_all) {
    admitted->subset = 0;
    return REBAL_OK;
  }
  if (choosing.spread->spec.is_stateful_set) {
    return is_going ? REBAL_OK : rebali_admission_by_ordinal(admission, row, admitted);
  }
  choosing.name = rebali_pods_text(admission->pods, REBAL_SPREAD_POD_NAME, row);
  code = find_list(&choosing);
  if (code != REBAL_OK) {
    return rebali_fail_memory(admission->err);
  }
  if (admitted->outcome == REBAL_ADMIT_OUTCOME_REPLICAS_UNKNOWN) {
    return REBAL_OK;
  }
  return is_going ? choose_going(&choosing) : choose_created(&choosing);
}
