/* SPDX-License-Identifier: MIT */
/* Admission that reads the whole status for every pod: rebalance-workloadspread(7) 3. */
#include "spreads.h"

#include <stdlib.h>
#include <string.h>

/* The outcome of one pod. */
struct admitted {
  int64_t outcome, subset, owner;
  int is_recorded, is_by_id;
  const char *name, *message;
};

/* ---- which pods (3.2, 3.3) --------------------------------------------------------------------------------------- */

/* The pod's owner is a ReplicaSet that the target controls, or a CloneSet without a controller. */
static int64_t match(const struct spread_case *drawn, const struct spread_pod *pod) {
  const struct spread_target *target = &drawn->target;
  const int is_active =
      !pod->is_deleting && pod->phase != REBAL_POD_PHASE_FAILED && pod->phase != REBAL_POD_PHASE_SUCCEEDED;

  if (!is_active || pod->owner == 2) {
    return REBAL_ADMIT_OUTCOME_LEFT_ALONE;
  }
  if (target->kind == NULL) {
    return REBAL_ADMIT_OUTCOME_LEFT_ALONE;
  }
  if (pod->operation != REBAL_OPERATION_CREATE) {
    return pod->matched == REBAL_ANNOTATION_PRESENT && strcmp(pod->spread, "ws") == 0 ? REBAL_ADMIT_OUTCOME_GOING
                                                                                      : REBAL_ADMIT_OUTCOME_LEFT_ALONE;
  }
  if (target->is_deleting || pod->owner == 1) {
    return REBAL_ADMIT_OUTCOME_LEFT_ALONE;
  }
  switch (drawn->owner_state) {
    case REBAL_OWNER_STATE_MISSING:
      return REBAL_ADMIT_OUTCOME_OWNER_MISSING;
    case REBAL_OWNER_STATE_UNKNOWN:
      return REBAL_ADMIT_OUTCOME_OWNER_UNKNOWN;
    case REBAL_OWNER_STATE_FAILED:
      return REBAL_ADMIT_OUTCOME_LEFT_ALONE;
    default:
      return !target->has_filter || pod->app == 1 ? REBAL_ADMIT_OUTCOME_CHOSEN : REBAL_ADMIT_OUTCOME_LEFT_ALONE;
  }
}

/* ---- StatefulSets (3.5) ------------------------------------------------------------------------------------------ */

static void by_ordinal(const struct spread_case *drawn, const struct spread_pod *pod, struct admitted *admitted) {
  const char *dash = strrchr(pod->name, '-');
  const int64_t ordinal = dash == NULL || dash == pod->name + strlen(pod->name) ? -1 : atoi(dash + 1);
  int64_t limit = 0;

  for (size_t i = 0; i < drawn->n_subsets; i++) {
    const struct spread_subset *subset = &drawn->subsets[i];
    const struct spread_entry *entry = NULL;

    for (size_t k = drawn->status.overall.n; k > 0; k--) {
      if (strcmp(drawn->status.overall.entries[k - 1].name, subset->name) == 0) {
        entry = &drawn->status.overall.entries[k - 1];
      }
    }
    if (entry != NULL && entry->condition.status != NULL && strcmp(entry->condition.status, "False") == 0) {
      continue;
    }
    limit += !subset->limit.is_present                                              ? INT32_MAX
             : subset->limit.text == NULL                                           ? subset->limit.number
             : subset->limit.text[strspn(subset->limit.text, "0123456789")] == '\0' ? atoi(subset->limit.text)
                                                                                    : 0;
    if (ordinal < limit) {
      admitted->subset = (int64_t)i;
      return;
    }
  }
  admitted->outcome = REBAL_ADMIT_OUTCOME_NO_SUBSET;
}

/* ---- others (3.4, 3.6) ------------------------------------------------------------------------------------------- */

static int is_recorded(const struct spread_list *list, size_t entry, const char *name) {
  for (size_t way = 0; way < 2; way++) {
    for (size_t i = 0; i < list->entries[entry].n_flights[way]; i++) {
      if (strcmp(list->entries[entry].flights[way][i].key, name) == 0) {
        return 1;
      }
    }
  }
  return 0;
}

static void record(struct spread_entry *entry, size_t way, const char *key, int64_t now) {
  struct spread_flight *flights = entry->flights[way];
  size_t at = 0;

  while (at < entry->n_flights[way] && strcmp(flights[at].key, key) < 0) {
    at++;
  }
  if (at == entry->n_flights[way] || strcmp(flights[at].key, key) != 0) {
    memmove(&flights[at + 1], &flights[at], (entry->n_flights[way] - at) * sizeof flights[0]);
    entry->n_flights[way]++;
  }
  flights[at] = (struct spread_flight){key, now};
}

/* Keys must be valid as long as the status. Those of a random case are few. */
static const char *lasting(const char *key) {
  static char keys[100][8];
  size_t i = 0;

  while (keys[i][0] != '\0' && strcmp(keys[i], key) != 0) {
    i++;
  }
  strncpy(keys[i], key, sizeof keys[i] - 1);
  return keys[i];
}

static void belong(const struct spread_case *drawn, const char *name, struct admitted *admitted) {
  size_t i = 0;

  while (i < drawn->n_subsets && strcmp(drawn->subsets[i].name, name) != 0) {
    i++;
  }
  admitted->subset = i < drawn->n_subsets ? (int64_t)i : REBAL_ABSENT;
  if (i == drawn->n_subsets && admitted->outcome == REBAL_ADMIT_OUTCOME_CHOSEN) {
    admitted->outcome = REBAL_ADMIT_OUTCOME_FORMER_SUBSET;
    admitted->name = name;
  }
}

/* NULL: the entry is of a former subset. */
static const struct spread_subset *subset_of(const struct spread_case *drawn, const struct spread_entry *entry) {
  for (size_t i = 0; i < drawn->n_subsets; i++) {
    if (strcmp(drawn->subsets[i].name, entry->name) == 0) {
      return &drawn->subsets[i];
    }
  }
  return NULL;
}

/* Pods that an entry has or will have. */
static int64_t held(const struct spread_entry *entry) {
  return entry->replicas + (int64_t)entry->n_flights[SPREAD_CREATING] - (int64_t)entry->n_flights[SPREAD_DELETING];
}

/* Option SPREAD_ALL_VERSIONS: a limit counts the pods of all versions, whatever the list of one has as missing. */
static int is_open(const struct spread_case *drawn, const struct spread_entry *entry) {
  const struct spread_subset *subset = subset_of(drawn, entry);
  int64_t capacity;

  if (entry->condition.status != NULL && strcmp(entry->condition.status, "False") == 0) {
    return 0;
  }
  if (!plain_option(drawn, REBAL_OPTION_SPREAD_ALL_VERSIONS) || subset == NULL || !subset->limit.is_present ||
      !plain_scaled(&subset->limit, drawn->target.admission_replicas, &capacity) || capacity < 0) {
    return entry->missing > 0 || entry->missing == -1;
  }
  for (size_t i = 0; i < drawn->status.n; i++) {
    const struct spread_list *list = &drawn->status.lists[i];

    for (size_t k = 0; k < list->n; k++) {
      capacity -= strcmp(list->entries[k].name, entry->name) == 0 ? held(&list->entries[k]) : 0;
    }
  }
  return capacity > 0;
}

static int lacks_minimum(const struct spread_case *drawn, const struct spread_entry *entry) {
  const struct spread_subset *subset = subset_of(drawn, entry);
  int64_t wanted;

  return subset != NULL && subset->minimum.is_present &&
         plain_scaled(&subset->minimum, drawn->target.admission_replicas, &wanted) && held(entry) < wanted;
}

/* Option SPREAD_MIN_REPLICAS: the first open one below its minimum, else the first open one. */
static size_t first_open(const struct spread_case *drawn, const struct spread_list *list) {
  size_t i = 0, k = 0;

  while (i < list->n && !(is_open(drawn, &list->entries[i]) && lacks_minimum(drawn, &list->entries[i]))) {
    i++;
  }
  while (k < list->n && !is_open(drawn, &list->entries[k])) {
    k++;
  }
  return i < list->n && plain_option(drawn, REBAL_OPTION_SPREAD_MIN_REPLICAS) ? i : k;
}

/* Pods of unlimited subsets are recorded if minimums count them. */
static int counts(const struct spread_case *drawn, const struct spread_entry *entry) {
  return entry->missing != -1 || plain_option(drawn, REBAL_OPTION_SPREAD_MIN_REPLICAS);
}

static void create(const struct spread_case *drawn, struct spread_list *list, const struct spread_pod *pod,
                   struct admitted *admitted) {
  const int has_name = pod->name[0] != '\0';
  size_t i;

  for (size_t k = 0; has_name && k < list->n; k++) {
    if (is_recorded(list, k, pod->name)) {
      belong(drawn, list->entries[k].name, admitted);
      return;
    }
  }
  i = first_open(drawn, list);
  if (i == list->n) {
    admitted->outcome = REBAL_ADMIT_OUTCOME_NO_SUBSET;
    return;
  }
  belong(drawn, list->entries[i].name, admitted);
  if (counts(drawn, &list->entries[i])) {
    record(&list->entries[i], SPREAD_CREATING, lasting(has_name ? pod->name : pod->admission_id), drawn->now.seconds);
    list->entries[i].missing -= list->entries[i].missing > 0;
    admitted->is_recorded = 1;
    admitted->is_by_id = !has_name;
  }
}

/* Option SPREAD_CAPPED_ROOM: no more than the limit is missing. */
static int has_capacity_for_more(const struct spread_case *drawn, const struct spread_entry *entry) {
  const struct spread_subset *subset = subset_of(drawn, entry);
  int64_t wanted;

  return !plain_option(drawn, REBAL_OPTION_SPREAD_CAPPED_ROOM) || subset == NULL || !subset->limit.is_present ||
         !plain_scaled(&subset->limit, drawn->target.admission_replicas, &wanted) || entry->missing < wanted;
}

static void give_back(const struct spread_case *drawn, struct spread_list *list, const struct spread_pod *pod,
                      struct admitted *admitted) {
  size_t i = 0;

  for (size_t k = 0; k < list->n; k++) {
    if (is_recorded(list, k, pod->name)) {
      return;
    }
  }
  while (i < list->n && strcmp(list->entries[i].name, pod->subset) != 0) {
    i++;
  }
  if (i < list->n) {
    belong(drawn, list->entries[i].name, admitted);
  }
  if (i < list->n && counts(drawn, &list->entries[i])) {
    record(&list->entries[i], SPREAD_DELETING, lasting(pod->name), drawn->now.seconds);
    list->entries[i].missing += list->entries[i].missing >= 0 && has_capacity_for_more(drawn, &list->entries[i]);
    admitted->is_recorded = 1;
  }
}

/* The entry of a subset before anything is known of its pods. */
static struct spread_entry make_entry(const struct spread_case *drawn, const struct spread_subset *subset) {
  struct spread_entry entry = {.name = subset->name, .missing = -1};

  if (subset->limit.is_present && !plain_scaled(&subset->limit, drawn->target.admission_replicas, &entry.missing)) {
    entry.missing = 0;
  }
  return entry;
}

static void make_list(const struct spread_case *drawn, const char *version, struct spread_list *list) {
  memset(list, 0, sizeof *list);
  list->version = version;
  for (size_t i = 0; i < drawn->n_subsets; i++) {
    list->entries[list->n++] = make_entry(drawn, &drawn->subsets[i]);
  }
}

/* Option SPREAD_BY_SPEC: the subsets of the spec in its order, each with the first entry the list has of it. */
static void align(const struct spread_case *drawn, struct spread_list *list) {
  static struct spread_list old;

  old = *list;
  make_list(drawn, old.version, list);
  for (size_t i = 0; i < drawn->n_subsets; i++) {
    for (size_t k = old.n; k > 0; k--) {
      if (strcmp(old.entries[k - 1].name, drawn->subsets[i].name) == 0) {
        list->entries[i] = old.entries[k - 1];
      }
    }
  }
}

/* The list of the version, or a new one for it; NULL: the workload's replicas are unknown. */
static void choose(struct spread_case *drawn, const struct spread_pod *pod, struct admitted *admitted) {
  static struct spread_list fresh;
  struct spread_status *status = &drawn->status;
  const char *version = plain_version(drawn, pod);
  struct spread_list *list = &fresh;
  size_t at = 0;

  while (at < status->n && strcmp(status->lists[at].version, version) < 0) {
    at++;
  }
  if (at < status->n && strcmp(status->lists[at].version, version) == 0 && status->lists[at].n != 0) {
    list = &status->lists[at];
    if (plain_option(drawn, REBAL_OPTION_SPREAD_BY_SPEC)) {
      align(drawn, list);
    }
  } else if (drawn->target.admission_error[0] != '\0') {
    admitted->outcome = REBAL_ADMIT_OUTCOME_REPLICAS_UNKNOWN;
    admitted->message = drawn->target.admission_error;
    return;
  } else {
    make_list(drawn, version, &fresh);
  }
  if (pod->operation == REBAL_OPERATION_CREATE) {
    create(drawn, list, pod, admitted);
  } else {
    give_back(drawn, list, pod, admitted);
  }
  if (list == &fresh && admitted->is_recorded) {
    if (at == status->n || strcmp(status->lists[at].version, version) != 0) {
      memmove(&status->lists[at + 1], &status->lists[at], (status->n - at) * sizeof fresh);
      status->n++;
    }
    status->lists[at] = fresh;
  }
}

static void admit(struct spread_case *drawn, const struct spread_pod *pod, struct admitted *admitted) {
  *admitted = (struct admitted){match(drawn, pod), REBAL_ABSENT, REBAL_ABSENT, 0, 0, "", ""};
  if (admitted->outcome == REBAL_ADMIT_OUTCOME_OWNER_MISSING ||
      admitted->outcome == REBAL_ADMIT_OUTCOME_OWNER_UNKNOWN) {
    admitted->owner = drawn->owners[0];
  }
  if (admitted->outcome != REBAL_ADMIT_OUTCOME_CHOSEN && admitted->outcome != REBAL_ADMIT_OUTCOME_GOING) {
    return;
  }
  if (drawn->n_subsets == 1 && !drawn->subsets[0].limit.is_present) {
    admitted->subset = 0;
  } else if (strcmp(drawn->target.kind, "StatefulSet") != 0) {
    choose(drawn, pod, admitted);
  } else if (pod->operation == REBAL_OPERATION_CREATE) {
    by_ordinal(drawn, pod, admitted);
  }
}

void plain_spread_admit(struct spread_case *drawn, struct spread_printed *printed) {
  struct admitted admitted = {0};
  int has_changed = 0;

  spread_start(printed);
  for (size_t i = 0; i < drawn->n_comers && admitted.outcome != REBAL_ADMIT_OUTCOME_OWNER_UNKNOWN; i++) {
    admit(drawn, &drawn->comers[i], &admitted);
    spread_print(printed, "outcome=%lld subset=%s recorded=%d by_id=%d owner=%lld name=%s message=%s\n",
                 (long long)admitted.outcome,
                 admitted.subset == REBAL_ABSENT ? "-" : drawn->subsets[admitted.subset].name, admitted.is_recorded,
                 admitted.is_by_id, (long long)admitted.owner, admitted.name, admitted.message);
    has_changed |= admitted.is_recorded;
  }
  spread_print(printed, "%s", has_changed ? "status\n" : "");
}
