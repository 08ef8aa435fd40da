/* SPDX-License-Identifier: MIT */
/*
 * The plain scheduler: replicas for the clusters selected (rebalance-karmada(7) 7), seat after seat to the best of all.
 */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

struct party {
  const struct plain_cluster *cluster;
  int64_t votes;
  int64_t seats;
  double priority;
};
/* Each cluster once, by name. */
struct parties {
  size_t n;
  struct party list[PLAIN_CLUSTERS];
};

struct offer {
  const struct plain_cluster *cluster;
  uint32_t number;
  int64_t replicas;
  size_t place; /* its index before a sort */
};
struct offers {
  size_t n;
  struct offer list[PLAIN_TARGETS];
};

/* ---- Webster ----------------------------------------------------------------------------------------------------- */

static int is_odd(const char *uid) {
  uint32_t hash = UINT32_C(2166136261);

  for (; *uid != '\0'; uid++) {
    hash = (hash ^ (uint8_t)*uid) * UINT32_C(16777619);
  }
  return (hash & 1u) != 0;
}

static void weigh(struct party *party) {
  party->priority = (double)party->votes / (double)(2 * party->seats + 1);
}

/* If a cluster has several weights, the last is used. */
static void add_party(struct parties *parties, const struct plain_cluster *cluster, int64_t votes) {
  size_t at = 0;

  while (at < parties->n && strcmp(parties->list[at].cluster->name, cluster->name) < 0) {
    at++;
  }
  if (at == parties->n || parties->list[at].cluster != cluster) {
    memmove(&parties->list[at + 1], &parties->list[at], (parties->n - at) * sizeof parties->list[0]);
    parties->n++;
  }
  parties->list[at] = (struct party){cluster, votes, 0, 0};
}

/* Parties are sorted by name: of equal ones the first gets the seat, or with an odd uid the last. */
static void give_seats(struct parties *parties, int64_t seats, const char *uid) {
  const int descending = *uid != '\0' && is_odd(uid);
  int64_t votes = 0;

  for (size_t i = 0; i < parties->n; i++) {
    votes += parties->list[i].votes;
    weigh(&parties->list[i]);
  }
  for (; votes != 0 && seats > 0; seats--) {
    struct party *best = &parties->list[0];

    for (size_t i = 1; i < parties->n; i++) {
      struct party *party = &parties->list[i];

      if (party->priority > best->priority ||
          (party->priority >= best->priority &&
           (party->seats < best->seats || (party->seats == best->seats && descending)))) {
        best = party;
      }
    }
    best->seats++;
    weigh(best);
  }
}

static void place(struct plain_answer *answer, const struct plain_cluster *cluster, int64_t replicas) {
  if (replicas > 0) {
    answer->placed[answer->n++] = (struct plain_target){cluster->id, replicas};
  }
}

/* ---- static weights ---------------------------------------------------------------------------------------------- */

static int64_t static_weight(const struct plain_placement *placement, uint32_t number) {
  int64_t weight = placement->has_rules ? 0 : 1;

  for (size_t i = 0; i < placement->n_rules; i++) {
    const struct plain_rule *rule = &placement->rules[i];

    if ((rule->cluster == REBAL_NONE || rule->cluster == number) && rule->weight > weight) {
      weight = rule->weight;
    }
  }
  return weight;
}

static void assign_static(const struct plain_binding *binding, const struct plain_candidates *candidates,
                          int64_t replicas, struct plain_answer *answer) {
  static struct parties parties;

  parties.n = 0;
  for (size_t i = 0; i < candidates->n; i++) {
    const int64_t weight = static_weight(binding->placement, candidates->list[i].number);

    if (weight > 0) {
      add_party(&parties, candidates->list[i].cluster, weight);
    }
  }
  for (size_t i = 0; parties.n == 0 && i < candidates->n; i++) {
    for (size_t k = 0; k < candidates->n; k++) {
      add_party(&parties, candidates->list[k].cluster, 1);
    }
  }
  give_seats(&parties, replicas, binding->uid);
  for (size_t i = 0; i < parties.n; i++) {
    place(answer, parties.list[i].cluster, parties.list[i].seats);
  }
}

/* ---- by what is available ---------------------------------------------------------------------------------------- */

static int compare_offers(const void *left, const void *right) {
  const struct offer *a = left, *b = right;

  if (a->replicas != b->replicas) {
    return a->replicas > b->replicas ? -1 : 1;
  }
  return a->place < b->place ? -1 : 1;
}

static void sort_offers(struct offers *offers) {
  for (size_t i = 0; i < offers->n; i++) {
    offers->list[i].place = i;
  }
  qsort(offers->list, offers->n, sizeof offers->list[0], compare_offers);
}

/* Entries of spec.clusters that are candidates, in their order. */
static int64_t list_scheduled(const struct plain_binding *binding, const struct plain_candidates *candidates,
                              struct offers *scheduled) {
  int64_t sum = 0;

  scheduled->n = 0;
  for (size_t i = 0; i < binding->n_targets; i++) {
    for (size_t k = 0; k < candidates->n; k++) {
      if (candidates->list[k].number == binding->targets[i].cluster) {
        scheduled->list[scheduled->n++] =
            (struct offer){candidates->list[k].cluster, candidates->list[k].number, binding->targets[i].replicas, 0};
        sum += binding->targets[i].replicas;
      }
    }
  }
  return sum;
}

static void offer_candidates(const struct plain_candidates *candidates, const struct offers *held,
                             struct offers *offers) {
  offers->n = 0;
  for (size_t i = 0; i < candidates->n; i++) {
    const struct plain_candidate *candidate = &candidates->list[i];
    int64_t replicas = candidate->allocatable;

    for (size_t k = 0; held != NULL && k < held->n; k++) {
      replicas += held->list[k].number == candidate->number ? held->list[k].replicas : 0;
    }
    offers->list[offers->n++] = (struct offer){candidate->cluster, candidate->number, replicas, 0};
  }
}

/* Those in use first, then the shortest prefix with enough capacity. */
static void aggregate(struct offers *offers, const struct offers *old, int64_t target) {
  static struct offers ordered;
  int64_t sum = 0;

  ordered.n = 0;
  for (int in_use = 1; in_use >= 0; in_use--) {
    for (size_t i = 0; i < offers->n; i++) {
      int is_used = 0;

      for (size_t k = 0; k < old->n; k++) {
        is_used |= old->list[k].number == offers->list[i].number && old->list[k].replicas > 0;
      }
      if (is_used == in_use) {
        ordered.list[ordered.n++] = offers->list[i];
      }
    }
  }
  offers->n = 0;
  while (offers->n < ordered.n && sum < target) {
    sum += ordered.list[offers->n].replicas;
    offers->list[offers->n] = ordered.list[offers->n];
    offers->n++;
  }
}

/* New seats on top of what the cluster had; by name, clusters without new seats after those with. */
static void merge(const struct parties *parties, const struct offers *old, struct plain_answer *answer) {
  static struct parties rest;

  rest.n = 0;
  for (size_t i = 0; i < old->n; i++) {
    add_party(&rest, old->list[i].cluster, old->list[i].replicas);
  }
  for (size_t i = 0; i < parties->n; i++) {
    int64_t had = 0;

    for (size_t k = 0; k < rest.n; k++) {
      if (rest.list[k].cluster == parties->list[i].cluster) {
        had = rest.list[k].votes;
        rest.list[k].votes = 0;
      }
    }
    place(answer, parties->list[i].cluster, parties->list[i].seats + had);
  }
  for (size_t i = 0; i < rest.n; i++) {
    place(answer, rest.list[i].cluster, rest.list[i].votes);
  }
}

static void divide_offers(const struct plain_binding *binding, struct offers *offers, const struct offers *old,
                          int64_t target, const char *prefix, struct plain_answer *answer) {
  static struct parties parties;
  int64_t total = 0;

  for (size_t i = 0; i < offers->n; i++) {
    total += offers->list[i].replicas;
  }
  if (total < target) {
    plain_refuse(answer, REBAL_OUTCOME_UNSCHEDULABLE,
                 "failed to assign replicas: %s: Clusters available replicas %lld are not enough to schedule.", prefix,
                 (long long)total);
    return;
  }
  sort_offers(offers);
  if (binding->placement->way == PLAIN_AGGREGATED) {
    aggregate(offers, old, target);
  }
  parties.n = 0;
  for (size_t i = 0; i < offers->n; i++) {
    add_party(&parties, offers->list[i].cluster, offers->list[i].replicas);
  }
  give_seats(&parties, target, binding->uid);
  merge(&parties, old, answer);
}

static void assign_dynamic(const struct plain_binding *binding, const struct plain_candidates *candidates,
                           int64_t replicas, struct plain_answer *answer) {
  static const struct offers none;
  static struct offers scheduled, offers;
  const int64_t assigned = list_scheduled(binding, candidates, &scheduled);

  if (binding->is_fresh) {
    offer_candidates(candidates, &scheduled, &offers);
    divide_offers(binding, &offers, &none, replicas, "failed to do fresh scale", answer);
  } else if (assigned > replicas) {
    divide_offers(binding, &scheduled, &none, replicas, "failed to scale down", answer);
  } else if (assigned < replicas) {
    offer_candidates(candidates, NULL, &offers);
    divide_offers(binding, &offers, &scheduled, replicas - assigned, "failed to scale up", answer);
  } else {
    for (size_t i = 0; i < scheduled.n; i++) {
      place(answer, scheduled.list[i].cluster, scheduled.list[i].replicas);
    }
  }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void assign_tier(const struct plain_binding *binding, const struct plain_candidates *candidates,
                        int64_t replicas, struct plain_answer *answer) {
  switch (binding->placement->way) {
    case PLAIN_STATIC:
      assign_static(binding, candidates, replicas, answer);
      break;
    case PLAIN_DYNAMIC:
    case PLAIN_AGGREGATED:
      assign_dynamic(binding, candidates, replicas, answer);
      break;
    default:
      for (size_t i = 0; i < candidates->n; i++) {
        place(answer, candidates->list[i].cluster, replicas);
      }
  }
}

static void assign_tiers(const struct plain_binding *binding, const struct plain_candidates *candidates,
                         struct plain_answer *answer) {
  static struct plain_candidates tier;
  int64_t remaining = binding->replicas;
  int is_first = 1;

  for (int64_t order = 0; order < 3 && answer->outcome == REBAL_OUTCOME_SCHEDULED && (is_first || remaining > 0);
       order++) {
    int64_t capacity = 0, share;

    tier.n = 0;
    for (size_t i = 0; i < candidates->n; i++) {
      if (candidates->list[i].order == order) {
        tier.list[tier.n++] = candidates->list[i];
        capacity += candidates->list[i].available;
      }
    }
    if (tier.n == 0) {
      continue;
    }
    is_first = 0;
    share = remaining < capacity ? remaining : capacity;
    assign_tier(binding, &tier, share, answer);
    remaining -= share;
  }
  if (answer->outcome == REBAL_OUTCOME_SCHEDULED && remaining > 0) {
    plain_refuse(answer, REBAL_OUTCOME_UNSCHEDULABLE,
                 "failed to assign replicas: Clusters available replicas are not enough to schedule.");
  }
}

void plain_assign(const struct plain_binding *binding, const struct plain_candidates *selected,
                  struct plain_answer *answer) {
  if (selected->n == 0) {
    plain_refuse(answer, REBAL_OUTCOME_SCHEDULER_ERROR, "failed to assign replicas: no clusters available to schedule");
  } else if (binding->replicas == 0 && binding->request->text == NULL) {
    for (size_t i = 0; i < selected->n; i++) {
      answer->placed[answer->n++] = (struct plain_target){selected->list[i].cluster->id, 0};
    }
  } else if (binding->placement->n_parts > 1) {
    assign_tiers(binding, selected, answer);
  } else {
    assign_tier(binding, selected, binding->replicas, answer);
  }
}
