/* SPDX-License-Identifier: MIT */
/* The plain controller's status: rebalance-workloadspread(7) 4.3, 4.4 and 6. */
#include "plain_spread.h"

#include <string.h>

#define SECOND INT64_C(1000000000)

/* One entry while it is counted. */
struct counting {
  struct plain_pass *pass;
  const char *version; /* NULL: all */
  size_t subset;
  const struct spread_entry *old;
  struct spread_entry *entry;
  int64_t *stuck;
};

/* Nanoseconds until so many seconds after a moment. */
static int64_t left(const struct plain_pass *pass, int64_t since, int64_t seconds) {
  return (since + seconds - pass->drawn->now.seconds) * SECOND - pass->drawn->now.nanos;
}

static void timer(struct plain_pass *pass, int64_t after) {
  if (after > 0 && after < pass->soonest) {
    pass->soonest = after;
  }
}

/* Is the pod of the subset and version that are counted? */
static int is_in(const struct counting *counting, const struct plain_pod *pod) {
  return pod->subset == counting->subset && (counting->version == NULL || strcmp(counting->version, pod->version) == 0);
}

/*
 * Pods in the order in which they are counted: those of one version after those of another, else as in the list. i is
 * the place; returns NULL after the last one.
 */
static struct plain_pod *member(const struct counting *counting, size_t i) {
  struct plain_pass *pass = counting->pass;

  for (size_t version = 0; version < pass->n_versions; version++) {
    for (size_t k = 0; k < pass->n; k++) {
      struct plain_pod *pod = &pass->pods[k];

      if (is_in(counting, pod) && strcmp(pod->version, pass->versions[version]) == 0 && i-- == 0) {
        return pod;
      }
    }
  }
  return NULL;
}

/* ---- in flight (4.3) --------------------------------------------------------------------------------------------- */

static void expire(struct counting *counting, const char *what, const char *how, const char *key) {
  spread_print(&counting->pass->events, "event Warning %sPodFailed Pod ns/%s was expected to be %s but it wasn't\n",
               what, key, how);
}

/* Does the pod of a key exist: one with this id in its annotation, or one of this name without an id? */
static int has_come(const struct counting *counting, const char *key) {
  const struct plain_pod *pod;

  for (size_t i = 0; (pod = member(counting, i)) != NULL; i++) {
    const int has_id = pod->pod->matched == REBAL_ANNOTATION_PRESENT && strcmp(pod->pod->spread, "ws") == 0 &&
                       pod->pod->subset[0] != '\0' && pod->pod->id[0] != '\0';

    if (strcmp(has_id ? pod->pod->id : pod->pod->name, key) == 0) {
      return 1;
    }
  }
  return 0;
}

static void keep(struct spread_entry *entry, size_t way, struct spread_flight flight) {
  size_t at = entry->n_flights[way]++;

  for (; at > 0 && strcmp(entry->flights[way][at - 1].key, flight.key) > 0; at--) {
    entry->flights[way][at] = entry->flights[way][at - 1];
  }
  entry->flights[way][at] = flight;
}

static void count_deleting(struct counting *counting, const char *name, int64_t limit) {
  struct spread_entry *entry = counting->entry;

  for (size_t i = 0; i < counting->old->n_flights[SPREAD_DELETING]; i++) {
    const struct spread_flight *flight = &counting->old->flights[SPREAD_DELETING][i];
    const int64_t after = left(counting->pass, flight->since, 15);

    if (strcmp(flight->key, name) != 0) {
      continue;
    }
    if (after < 0) {
      expire(counting, "Delete", "deleted", name);
      continue;
    }
    keep(entry, SPREAD_DELETING, *flight);
    entry->missing += entry->missing >= 0 && entry->missing < limit;
    timer(counting->pass, after);
  }
}

static void count_creating(struct counting *counting) {
  for (size_t i = 0; i < counting->old->n_flights[SPREAD_CREATING]; i++) {
    const struct spread_flight *flight = &counting->old->flights[SPREAD_CREATING][i];
    const int64_t after = left(counting->pass, flight->since, 30);

    if (has_come(counting, flight->key)) {
      continue;
    }
    if (after < 0) {
      expire(counting, "Create", "created", flight->key);
      continue;
    }
    keep(counting->entry, SPREAD_CREATING, *flight);
    counting->entry->missing -= counting->entry->missing > 0;
    timer(counting->pass, after);
  }
}

/* Option SPREAD_ALL_VERSIONS: the limit without the pods of other versions. */
static int64_t capacity_of(const struct counting *counting, int64_t limit) {
  const struct plain_pass *pass = counting->pass;
  int64_t capacity = limit;

  if (limit < 0 || counting->version == NULL || !plain_option(pass->drawn, REBAL_OPTION_SPREAD_ALL_VERSIONS)) {
    return limit;
  }
  for (size_t i = 0; i < pass->n; i++) {
    capacity -= pass->pods[i].is_active && pass->pods[i].subset == counting->subset && !is_in(counting, &pass->pods[i]);
  }
  return capacity > 0 ? capacity : 0;
}

static void count_pods(struct counting *counting, int64_t limit) {
  struct plain_pod *pod;

  counting->entry->missing = capacity_of(counting, limit);
  for (size_t i = 0; (pod = member(counting, i)) != NULL; i++) {
    if (pod->is_active) {
      counting->entry->replicas++;
      counting->entry->missing -= counting->entry->missing > 0;
      count_deleting(counting, pod->pod->name, limit);
    }
  }
  count_creating(counting);
}

/* ---- conditions (6) ---------------------------------------------------------------------------------------------- */

static void put(const struct counting *counting, const char *status, const char *reason) {
  const struct spread_condition *old = &counting->old->condition;
  struct spread_condition *condition = &counting->entry->condition;
  const int is_same = old->status != NULL && strcmp(old->status, status) == 0;

  *condition = *old;
  if (!is_same || strcmp(old->reason, reason) != 0) {
    *condition =
        (struct spread_condition){status, reason, "", is_same ? old->since : counting->pass->drawn->now.seconds};
  }
}

static int waits(const struct spread_pod *pod) {
  return !pod->is_deleting && pod->phase == REBAL_POD_PHASE_PENDING && pod->node > SPREAD_NODES &&
         pod->is_unschedulable;
}

static void find_stuck(struct counting *counting) {
  struct plain_pass *pass = counting->pass;
  struct plain_pod *pod;

  for (size_t i = 0; (pod = member(counting, i)) != NULL; i++) {
    const int64_t after =
        pod->pod->created == 0 ? -1 : left(pass, pod->pod->created, pass->drawn->target.critical_seconds);

    if (waits(pod->pod) && after < 0) {
      pod->is_stuck |= counting->version == NULL;
      ++*counting->stuck;
    } else if (waits(pod->pod)) {
      timer(pass, after);
    }
  }
}

/* Seconds for which a subset stays unschedulable. */
static int64_t hold_of(const struct spread_case *drawn) {
  const int64_t round = drawn->target.critical_seconds * ((int64_t)drawn->n_subsets - 1) + 5;

  return plain_option(drawn, REBAL_OPTION_SPREAD_LONG_WAIT) && round > 300 ? round : 300;
}

static void decide(struct counting *counting) {
  struct plain_pass *pass = counting->pass;
  const struct spread_condition *old = &counting->old->condition;
  int64_t after;

  if (pass->drawn->target.critical_seconds <= 0) {
    return;
  }
  if (counting->subset + 1 == pass->drawn->n_subsets) {
    put(counting, "True", "Sufficient");
    return;
  }
  find_stuck(counting);
  if (*counting->stuck != 0 || old->status == NULL) {
    put(counting, *counting->stuck != 0 ? "False" : "True", *counting->stuck != 0 ? "PodUnschedulable" : "Sufficient");
    return;
  }
  counting->entry->condition = *old;
  if (strcmp(old->status, "False") != 0) {
    return;
  }
  after = left(pass, old->since, hold_of(pass->drawn));
  timer(pass, after);
  if (after < 0) {
    spread_print(&pass->events,
                 "event Normal RecoverSchedulable Subset %s of WorkloadSpread ns/ws is recovered from unschedulable to "
                 "schedulable\n",
                 counting->entry->name);
    put(counting, "True", "Sufficient");
  }
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void count_list(struct plain_pass *pass, const char *version, const struct spread_list *old,
                       struct spread_list *list, int64_t *stuck) {
  static const struct spread_entry nothing;
  const struct spread_case *drawn = pass->drawn;

  memset(list, 0, sizeof *list);
  list->version = version;
  for (size_t i = 0; i < drawn->n_subsets; i++) {
    const struct spread_subset *subset = &drawn->subsets[i];
    struct counting counting = {pass, version, i, &nothing, &list->entries[i], &stuck[i]};
    int64_t limit = -1;

    if (subset->limit.is_present && (!plain_scaled(&subset->limit, pass->replicas, &limit) || limit < 0)) {
      list->is_null = 1;
      list->n = 0;
      return;
    }
    for (size_t k = old == NULL ? 0 : old->n; k > 0; k--) {
      if (strcmp(old->entries[k - 1].name, subset->name) == 0) {
        counting.old = &old->entries[k - 1];
      }
    }
    list->entries[i].name = subset->name;
    list->n++;
    count_pods(&counting, limit);
    decide(&counting);
  }
}

static int has_pods(const struct plain_pass *pass, const char *version) {
  for (size_t i = 0; i < pass->n_versions; i++) {
    if (strcmp(pass->versions[i], version) == 0) {
      return 1;
    }
  }
  return 0;
}

static void count_version(struct plain_pass *pass, const char *version, const struct spread_list *old) {
  struct spread_list *list = &pass->status.lists[pass->status.n];
  int64_t *stuck = pass->stuck[pass->status.n + 1], sum = 0;

  memset(stuck, 0, sizeof pass->stuck[0]);
  count_list(pass, version, old, list, stuck);
  for (size_t i = 0; i < list->n; i++) {
    sum += list->entries[i].replicas + (int64_t)(list->entries[i].n_flights[0] + list->entries[i].n_flights[1]);
  }
  pass->status.n += has_pods(pass, version) || sum != 0;
}

/* The versions of pods and of the status, by their bytes. */
void plain_count(struct plain_pass *pass) {
  const struct spread_status *old = &pass->drawn->status;
  size_t known = 0, seen = 0;

  pass->status.generation = pass->drawn->generation;
  count_list(pass, NULL, &old->overall, &pass->status.overall, pass->stuck[0]);
  if (pass->status.overall.is_null) {
    for (size_t i = 0; i < pass->n; i++) {
      pass->pods[i].is_stuck = 0;
    }
  }
  while (known < old->n || seen < pass->n_versions) {
    const int order = known == old->n            ? 1
                      : seen == pass->n_versions ? -1
                                                 : strcmp(old->lists[known].version, pass->versions[seen]);

    if (order <= 0) {
      count_version(pass, old->lists[known].version, &old->lists[known]);
    } else {
      count_version(pass, pass->versions[seen], NULL);
    }
    known += order <= 0;
    seen += order >= 0;
  }
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static void print_list(const struct plain_pass *pass, const struct spread_list *list, const int64_t *stuck,
                       struct spread_printed *printed) {
  for (size_t i = 0; i < list->n; i++) {
    const struct spread_entry *entry = &list->entries[i];
    const struct spread_limit *limit = &pass->drawn->subsets[i].limit;
    int64_t wanted = -1;

    if (limit->is_present) {
      (void)plain_scaled(limit, pass->replicas, &wanted);
    }
    spread_print(
        printed, "count %s %s wanted=%lld active=%lld missing=%lld creating=%lld deleting=%lld is=%lld stuck=%lld\n",
        list->version == NULL ? "*" : list->version, entry->name, (long long)wanted, (long long)entry->replicas,
        (long long)entry->missing, (long long)entry->n_flights[SPREAD_CREATING],
        (long long)entry->n_flights[SPREAD_DELETING],
        (long long)(entry->condition.status == NULL ? REBAL_ABSENT : strcmp(entry->condition.status, "True") == 0),
        (long long)stuck[i]);
  }
}

void plain_report_counts(const struct plain_pass *pass, struct spread_printed *printed) {
  print_list(pass, &pass->status.overall, pass->stuck[0], printed);
  for (size_t i = 0; i < pass->status.n; i++) {
    print_list(pass, &pass->status.lists[i], pass->stuck[i + 1], printed);
  }
}

void plain_keep_status(struct plain_pass *pass, struct spread_printed *printed) {
  static struct spread_printed before, after;
  struct spread_case *drawn = pass->drawn;

  spread_start(&before);
  spread_start(&after);
  spread_print_status(&drawn->status, &before);
  spread_print_status(&pass->status, &after);
  spread_print(printed, "%s%s", pass->events.text, strcmp(before.text, after.text) == 0 ? "" : "status\n");
  for (size_t subset = 0; subset < drawn->n_subsets; subset++) {
    const struct counting counting = {pass, NULL, subset, NULL, NULL, NULL};
    const struct plain_pod *pod;

    for (size_t i = 0; (pod = member(&counting, i)) != NULL; i++) {
      if (pod->is_stuck) {
        spread_print(printed, "delete %s\n", pod->pod->name);
      }
    }
  }
  drawn->status = pass->status;
}
