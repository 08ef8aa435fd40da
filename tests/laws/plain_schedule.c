/* SPDX-License-Identifier: MIT */
/* The plain scheduler: filters, estimates, order, selection (rebalance-karmada(7) 3 to 6), each cluster by itself. */
#include "plain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plain_refuse(struct plain_answer *answer, int64_t outcome, const char *format, ...) {
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(answer->message, sizeof answer->message, format, arguments);
  va_end(arguments);
  answer->outcome = outcome;
  answer->n = 0;
}

/* ---- filters ----------------------------------------------------------------------------------------------------- */

static int is_listed(const uint32_t *numbers, size_t n, uint32_t number) {
  for (size_t i = 0; i < n; i++) {
    if (numbers[i] == number) {
      return 1;
    }
  }
  return 0;
}

int plain_part_matches(const struct plain_part *part, const struct plain_cluster *cluster, uint32_t number) {
  return !is_listed(part->excluded, part->n_excluded, number) && (part->tier == 0 || part->tier == cluster->tier) &&
         (part->other_than_region == 0 || part->other_than_region != cluster->region) &&
         (part->n_names == 0 || is_listed(part->names, part->n_names, number));
}

static const struct plain_target *find_target(const struct plain_binding *binding, uint32_t number) {
  for (size_t i = 0; i < binding->n_targets; i++) {
    if (binding->targets[i].cluster == number) {
      return &binding->targets[i];
    }
  }
  return NULL;
}

/* The overflow tier: the first part that matches; -1 when none does. Only workloads overflow. */
static int64_t tier_of(const struct plain_binding *binding, const struct plain_cluster *cluster, uint32_t number) {
  const struct plain_placement *placement = binding->placement;
  const int is_workload = binding->replicas > 0 || binding->request->text != NULL;
  const size_t n = is_workload || placement->n_parts == 0 ? placement->n_parts : 1;

  for (size_t i = 0; i < n; i++) {
    if (plain_part_matches(&placement->parts[i], cluster, number)) {
      return (int64_t)i;
    }
  }
  return placement->n_parts == 0 ? 0 : -1;
}

static int has_properties(const struct plain_placement *placement, const struct plain_cluster *cluster) {
  return (!placement->providers.is_set || cluster->provider != 0) &&
         (!placement->regions.is_set || cluster->region != 0) && (!placement->zones.is_set || cluster->zones != 0);
}

/* Taint 3 has an effect that excludes no pod; sets of APIs: 1 deployments, 3 jobs, 2 both. */
static int is_welcome(const struct plain_binding *binding, const struct plain_cluster *cluster) {
  const uint32_t tolerated = binding->placement->tolerated;
  const int is_tolerated =
      cluster->taint == 0 || cluster->taint == 3 || tolerated == REBAL_NONE || tolerated == cluster->taint;

  return is_tolerated && (cluster->apis == 2 || cluster->apis == (binding->is_job ? 3u : 1u));
}

static int64_t cell(const struct plain_case *drawn, const int64_t *column, size_t row, uint32_t id) {
  return column == NULL ? 0 : column[row * drawn->caller.opts.extra_stride + id];
}

static int is_feasible(const struct plain_case *drawn, size_t row, uint32_t number) {
  const struct plain_binding *binding = &drawn->bindings[row];
  const struct plain_cluster *cluster = &drawn->clusters[number];

  return cluster->is_present && !cluster->is_deleting && !is_listed(binding->evicting, binding->n_evicting, number) &&
         cell(drawn, drawn->caller.opts.extra_reject, row, cluster->id) == 0 &&
         has_properties(binding->placement, cluster) && tier_of(binding, cluster, number) >= 0 &&
         (find_target(binding, number) != NULL || is_welcome(binding, cluster));
}

/* ---- estimates --------------------------------------------------------------------------------------------------- */

/* By the cluster's summary (6.3); amounts here are 0 or more and whole but for cpu. */
static int64_t summary_fit(const struct plain_cluster *cluster, const struct plain_request *request) {
  int64_t fit, left[PLAIN_RESOURCES];

  for (size_t i = 0; i < PLAIN_RESOURCES; i++) {
    left[i] = cluster->allocatable[i] - (cluster->allocated[i] > 0 ? cluster->allocated[i] : 0);
  }
  if (!cluster->has_summary || cluster->allocatable[PLAIN_PODS] < 0 || left[PLAIN_PODS] <= 0) {
    return 0;
  }
  fit = left[PLAIN_PODS];
  for (size_t i = 0; i < PLAIN_RESOURCES; i++) {
    if (request->amounts[i] > 0 && (cluster->allocatable[i] < 0 || left[i] <= 0)) {
      return 0;
    }
    if (request->amounts[i] > 0 && left[i] / request->amounts[i] < fit) {
      fit = left[i] / request->amounts[i];
    }
  }
  return fit;
}

static int32_t opinion(const struct plain_case *drawn, size_t estimator, size_t row, uint32_t id) {
  return drawn->caller.fits[estimator][row * drawn->caller.estimators[estimator].stride + id];
}

static int is_dropped(const struct plain_case *drawn, const struct plain_candidates *candidates, size_t estimator,
                      size_t row) {
  for (size_t i = 0; drawn->caller.is_all_or_nothing && i < candidates->n; i++) {
    if (opinion(drawn, estimator, row, candidates->list[i].cluster->id) == REBAL_FITS_FAILED) {
      return 1;
    }
  }
  return 0;
}

static void estimate(const struct plain_case *drawn, size_t row, struct plain_candidates *candidates) {
  const struct plain_binding *binding = &drawn->bindings[row];
  const rebal_schedule_opts *opts = &drawn->caller.opts;

  for (size_t i = 0; i < candidates->n; i++) {
    struct plain_candidate *candidate = &candidates->list[i];

    candidate->allocatable = (opts->flags & REBAL_SCHEDULE_FLAG_NO_SUMMARY) != 0
                                 ? INT32_MAX
                                 : summary_fit(candidate->cluster, binding->request);
    for (size_t e = 0; e < opts->n_estimators; e++) {
      const int64_t other = opinion(drawn, e, row, candidate->cluster->id);

      if (other >= 0 && other < candidate->allocatable && !is_dropped(drawn, candidates, e, row)) {
        candidate->allocatable = other;
      }
    }
    if (candidate->allocatable == INT32_MAX || binding->replicas == 0) {
      candidate->allocatable = binding->replicas;
    }
  }
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static int compare_candidates(const void *left, const void *right) {
  const struct plain_candidate *a = left, *b = right;

  if (a->order != b->order) {
    return a->order < b->order ? -1 : 1;
  }
  if (a->score != b->score) {
    return a->score > b->score ? -1 : 1;
  }
  if (a->available != b->available) {
    return a->available > b->available ? -1 : 1;
  }
  return strcmp(a->cluster->name, b->cluster->name);
}

static void list_candidates(const struct plain_case *drawn, size_t row, struct plain_candidates *candidates) {
  const struct plain_binding *binding = &drawn->bindings[row];

  candidates->n = 0;
  for (uint32_t number = 0; number < drawn->n_clusters; number++) {
    const struct plain_cluster *cluster = &drawn->clusters[number];

    if (is_feasible(drawn, row, number)) {
      candidates->list[candidates->n++] = (struct plain_candidate){cluster, number, 0, 0, 0, 0};
    }
  }
  estimate(drawn, row, candidates);
  for (size_t i = 0; i < candidates->n; i++) {
    struct plain_candidate *candidate = &candidates->list[i];
    const struct plain_target *target = find_target(binding, candidate->number);

    candidate->order = binding->placement->is_named ? tier_of(binding, candidate->cluster, candidate->number) : 0;
    candidate->score = target != NULL && drawn->caller.has_locality ? 100 : 0;
    candidate->score += cell(drawn, drawn->caller.opts.extra_score, row, candidate->cluster->id);
    candidate->available = candidate->allocatable + (target == NULL ? 0 : target->replicas);
  }
  qsort(candidates->list, candidates->n, sizeof candidates->list[0], compare_candidates);
}

/* ---- selection by cluster ---------------------------------------------------------------------------------------- */

static int64_t sum_of(const struct plain_candidates *candidates, size_t n) {
  int64_t sum = 0;

  for (size_t i = 0; i < n; i++) {
    sum += candidates->list[i].available;
  }
  return sum;
}

static void exchange(struct plain_candidates *candidates, size_t n, int64_t need) {
  for (size_t slot = n; slot > 0 && sum_of(candidates, n) < need; slot--) {
    size_t best = slot - 1;

    for (size_t i = n; i < candidates->n; i++) {
      if (candidates->list[i].available > candidates->list[best].available) {
        best = i;
      }
    }
    if (best != slot - 1) {
      const struct plain_candidate displaced = candidates->list[slot - 1];

      candidates->list[slot - 1] = candidates->list[best];
      candidates->list[best] = displaced;
    }
  }
}

static void select_by_cluster(const struct plain_binding *binding, struct plain_candidates *candidates,
                              struct plain_answer *answer) {
  const struct plain_spread *spread = &binding->placement->clusters;
  const size_t n = spread->most < (int64_t)candidates->n ? (size_t)spread->most : candidates->n;

  if ((int64_t)candidates->n < spread->least) {
    plain_refuse(answer, REBAL_OUTCOME_SCHEDULER_ERROR,
                 "failed to select clusters: the number of feasible clusters is less than spreadConstraint.MinGroups");
    return;
  }
  if (binding->placement->way != PLAIN_DUPLICATED) {
    exchange(candidates, n, binding->replicas);
    if (n == 0 || sum_of(candidates, n) < binding->replicas) {
      plain_refuse(answer, REBAL_OUTCOME_SCHEDULER_ERROR,
                   "failed to select clusters: no enough resource when selecting %u clusters", (unsigned)n);
    }
  }
  candidates->n = n;
}

/* ---- selection by region ----------------------------------------------------------------------------------------- */

struct region {
  uint32_t number; /* their names are in the order of their numbers */
  int64_t n;
  int64_t score;
};
struct path {
  size_t n;
  struct region regions[PLAIN_REGIONS];
  int64_t score;
  int64_t size;
  size_t id;
};
struct search {
  size_t n;
  struct region regions[PLAIN_REGIONS];
  const struct plain_placement *placement;
  size_t n_found;
  struct path found[1 << PLAIN_REGIONS];
};

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static int64_t score_region(const struct plain_binding *binding, const struct plain_candidates *candidates,
                            const struct region *region) {
  const struct plain_placement *placement = binding->placement;
  const int64_t least = larger(placement->regions.least, 1);
  const int64_t target = (binding->replicas + least - 1) / least, enough = larger(least, placement->clusters.least);
  int64_t n = 0, capacity = 0, score = 0;

  for (size_t i = 0; i < candidates->n; i++) {
    const struct plain_candidate *candidate = &candidates->list[i];
    const int counts = placement->way != PLAIN_DUPLICATED || candidate->available >= binding->replicas;

    if (candidate->cluster->region == region->number && counts) {
      n++;
      capacity += candidate->available;
      score += candidate->score;
    }
    if (placement->way != PLAIN_DUPLICATED && n > 0 && n >= enough && capacity >= target) {
      break;
    }
  }
  if (placement->way == PLAIN_DUPLICATED) {
    return n == 0 ? 0 : n * 1000 + score / n;
  }
  return capacity < target ? capacity * 1000 + score / region->n : target * 1000 + score / n;
}

static int compare_for_search(const void *left, const void *right) {
  const struct region *a = left, *b = right;

  if (a->n != b->n) {
    return a->n < b->n ? -1 : 1;
  }
  if (a->score != b->score) {
    return a->score > b->score ? -1 : 1;
  }
  return a->number < b->number ? -1 : 1;
}

static int compare_by_score(const void *left, const void *right) {
  const struct region *a = left, *b = right;

  if (a->score != b->score) {
    return a->score > b->score ? -1 : 1;
  }
  return a->number < b->number ? -1 : 1;
}

static int compare_paths(const void *left, const void *right) {
  const struct path *a = left, *b = right;

  if (a->score != b->score) {
    return a->score > b->score ? -1 : 1;
  }
  if (a->size != b->size) {
    return a->size > b->size ? -1 : 1;
  }
  return a->id < b->id ? -1 : 1;
}

/* Every feasible path without a feasible prefix. */
static void walk(struct search *search, struct path *path, size_t begin) {
  const struct plain_spread *regions = &search->placement->regions;

  if (path->size >= search->placement->clusters.least && (int64_t)path->n >= regions->least &&
      (int64_t)path->n <= regions->most) {
    path->id = search->n_found;
    search->found[search->n_found] = *path;
    qsort(search->found[search->n_found].regions, path->n, sizeof path->regions[0], compare_by_score);
    search->n_found++;
    return;
  }
  for (size_t i = begin; i < search->n && (int64_t)path->n < regions->most; i++) {
    struct path longer = *path;

    longer.regions[longer.n++] = search->regions[i];
    longer.size += search->regions[i].n;
    longer.score += search->regions[i].score;
    walk(search, &longer, i + 1);
  }
}

static int is_beginning(const struct path *shorter, const struct path *longer) {
  for (size_t i = 0; i < shorter->n; i++) {
    if (shorter->regions[i].number != longer->regions[i].number) {
      return 0;
    }
  }
  return shorter->n < longer->n;
}

static const struct path *find_path(struct search *search) {
  static struct path nothing;
  const struct path *best;
  struct path start = {0};

  qsort(search->regions, search->n, sizeof search->regions[0], compare_for_search);
  search->n_found = 0;
  if (search->n > 0) {
    walk(search, &start, 0);
  }
  if (search->n_found == 0) {
    return &nothing;
  }
  qsort(search->found, search->n_found, sizeof search->found[0], compare_paths);
  best = &search->found[0];
  for (size_t i = 1; i < search->n_found; i++) {
    best = is_beginning(&search->found[i], best) ? &search->found[i] : best;
  }
  return best;
}

static void list_regions(const struct plain_binding *binding, const struct plain_candidates *candidates,
                         struct search *search) {
  search->n = 0;
  search->placement = binding->placement;
  for (uint32_t number = 1; number < PLAIN_REGIONS; number++) {
    struct region region = {number, 0, 0};

    for (size_t i = 0; i < candidates->n; i++) {
      region.n += candidates->list[i].cluster->region == number;
    }
    if (region.n > 0) {
      region.score = score_region(binding, candidates, &region);
      search->regions[search->n++] = region;
    }
  }
}

/* The best of each region on the path, then the best of all others in them. */
static void take_path(const struct path *path, int64_t most, struct plain_candidates *candidates) {
  static struct plain_candidates taken;
  uint8_t is_taken[PLAIN_CLUSTERS] = {0};

  taken.n = 0;
  for (size_t r = 0; r < path->n; r++) {
    size_t at = 0;

    while (candidates->list[at].cluster->region != path->regions[r].number) {
      at++;
    }
    is_taken[at] = 1;
    taken.list[taken.n++] = candidates->list[at];
  }
  for (size_t i = 0; i < candidates->n && (int64_t)taken.n < most; i++) {
    for (size_t r = 0; r < path->n && !is_taken[i]; r++) {
      if (candidates->list[i].cluster->region == path->regions[r].number) {
        is_taken[i] = 1;
        taken.list[taken.n++] = candidates->list[i];
      }
    }
  }
  *candidates = taken;
}

static void select_by_region(const struct plain_binding *binding, struct plain_candidates *candidates,
                             struct plain_answer *answer) {
  static struct search search;
  const struct path *path;

  list_regions(binding, candidates, &search);
  if ((int64_t)search.n < binding->placement->regions.least) {
    plain_refuse(answer, REBAL_OUTCOME_SCHEDULER_ERROR,
                 "failed to select clusters: the number of feasible region is less than spreadConstraint.MinGroups");
    return;
  }
  path = find_path(&search);
  if (path->n == 0) {
    plain_refuse(answer, REBAL_OUTCOME_SCHEDULER_ERROR,
                 "failed to select clusters: the number of clusters is less than the cluster "
                 "spreadConstraint.MinGroups");
    return;
  }
  take_path(path, binding->placement->clusters.most, candidates);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void select_clusters(const struct plain_binding *binding, struct plain_candidates *candidates,
                            struct plain_answer *answer) {
  const struct plain_placement *placement = binding->placement;
  const int has_spreads =
      placement->clusters.is_set || placement->regions.is_set || placement->zones.is_set || placement->providers.is_set;
  const int ignores = placement->way == PLAIN_STATIC && (!placement->has_rules || placement->n_rules > 0);

  if (!has_spreads || ignores) {
    return;
  }
  if (placement->regions.is_set) {
    select_by_region(binding, candidates, answer);
  } else if (placement->clusters.is_set) {
    select_by_cluster(binding, candidates, answer);
  } else {
    plain_refuse(answer, REBAL_OUTCOME_SCHEDULER_ERROR,
                 "failed to select clusters: just support cluster and region spread constraint");
  }
}

static void append_empty(const struct plain_candidates *candidates, struct plain_answer *answer) {
  const size_t n = answer->n;

  for (size_t i = 0; i < candidates->n; i++) {
    const uint32_t id = candidates->list[i].cluster->id;
    int is_named = 0;

    for (size_t k = 0; k < n && !is_named; k++) {
      is_named = answer->placed[k].cluster == id;
    }
    if (!is_named) {
      answer->placed[answer->n++] = (struct plain_target){id, 0};
    }
  }
}

void plain_schedule(const struct plain_case *drawn, size_t row, struct plain_answer *answer) {
  static struct plain_candidates candidates;
  const struct plain_binding *binding = &drawn->bindings[row];

  answer->outcome = REBAL_OUTCOME_SCHEDULED;
  answer->message[0] = '\0';
  answer->n = 0;
  list_candidates(drawn, row, &candidates);
  if (candidates.n == 0) {
    plain_refuse(answer, REBAL_OUTCOME_NO_CLUSTER_FIT, "%s", "");
    return;
  }
  select_clusters(binding, &candidates, answer);
  if (answer->outcome == REBAL_OUTCOME_SCHEDULED) {
    plain_assign(binding, &candidates, answer);
  }
  if (answer->outcome == REBAL_OUTCOME_SCHEDULED && drawn->caller.appends_empty) {
    append_empty(&candidates, answer);
  }
}
