/* SPDX-License-Identifier: MIT */
/*
 * Counts the sets that first fit places one after the other (rebalance-karmada(7) 6.7), without placing each. A set of
 * one component has a closed form. A sequence of sets that changes only the lengths of some runs is repeated at once as
 * often as those lengths allow.
 */
#include "estimator/estimator.h"

/* The nodes some sets ago. */
struct pattern {
  int64_t *cells; /* the count and amounts of each run; space for REBALI_PATTERN_RUNS */
  size_t n_runs;
  int64_t sets;    /* placed since then */
  int64_t touched; /* rebali_nodes.touched at that time */
  int64_t power;   /* sets after which the pattern is replaced: 1, 2, 4, ... (Brent) */
};

static void keep(struct pattern *pattern, const struct rebali_nodes *nodes) {
  int64_t *cell = pattern->cells;

  pattern->sets = 0;
  pattern->touched = nodes->touched;
  pattern->n_runs = nodes->n_runs;
  for (const struct rebali_run *run = nodes->first; run != NULL && nodes->n_runs <= REBALI_PATTERN_RUNS;
       run = run->next) {
    *cell++ = run->count;
    memcpy(cell, run->amounts, nodes->n_amounts * sizeof *cell);
    cell += nodes->n_amounts;
  }
}

/*
 * Returns how often the steps since the pattern can be repeated; 0 if the nodes differ in more than counts. The steps
 * use at most `touched` nodes of a run, so a longer run is not used up and its length does not affect them. The other
 * runs must have the same length as before.
 */
static int64_t repeats(const struct pattern *pattern, const struct rebali_nodes *nodes, int64_t most) {
  const int64_t touched = nodes->touched - pattern->touched;
  const int64_t *cell = pattern->cells;

  if (pattern->n_runs != nodes->n_runs || nodes->n_runs > REBALI_PATTERN_RUNS || nodes->touched == INT64_MAX) {
    return 0;
  }
  for (const struct rebali_run *run = nodes->first; run != NULL; run = run->next) {
    const int64_t before = *cell++;

    if (memcmp(cell, run->amounts, nodes->n_amounts * sizeof *cell) != 0 ||
        (run->count != before && (run->count <= touched || before <= touched))) {
      return 0;
    }
    if (run->count < before && (run->count - touched - 1) / (before - run->count) < most) {
      most = (run->count - touched - 1) / (before - run->count);
    }
    cell += nodes->n_amounts;
  }
  return most;
}

static void repeat(const struct pattern *pattern, struct rebali_nodes *nodes, int64_t times) {
  const int64_t *cell = pattern->cells;

  for (struct rebali_run *run = nodes->first; run != NULL; run = run->next) {
    /* A run that shrinks keeps more than 0 nodes (repeats); one that grows has at most all nodes. */
    run->count = rebali_add_saturating(run->count, rebali_multiply_saturating(run->count - *cell, times));
    cell += 1 + nodes->n_amounts;
  }
}

/* Searches for the pattern. Adds the repeated sets to *sets. */
static void follow(struct pattern *pattern, struct rebali_nodes *nodes, int64_t bound, int64_t *sets) {
  int64_t times;

  pattern->sets++;
  times = repeats(pattern, nodes, (bound - *sets) / pattern->sets);
  if (times > 0) {
    repeat(pattern, nodes, times);
    *sets += times * pattern->sets;
    pattern->power = 1;
    keep(pattern, nodes);
  } else if (pattern->sets == pattern->power) {
    pattern->power *= 2;
    keep(pattern, nodes);
  }
}

/* Places one set. Sets *placed to 0 if it does not fit, or without memory. */
static int32_t place_set(struct rebali_nodes *nodes, int *placed) {
  *placed = 0;
  for (size_t i = 0; i < nodes->n_needs; i++) {
    const int64_t *need = nodes->needs[i].amounts;
    int64_t replicas = nodes->needs[i].replicas;

    if (rebali_nodes_place(nodes, nodes->starts[i], need, &replicas) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    while (nodes->starts[i] != NULL && rebali_nodes_fit(nodes, nodes->starts[i], need) == 0) {
      nodes->starts[i] = nodes->starts[i]->next; /* nothing is released, so a full run stays full */
    }
    if (replicas > 0) {
      return REBAL_OK;
    }
  }
  *placed = 1;
  return REBAL_OK;
}

static int32_t count_in_turn(struct rebali_nodes *nodes, int64_t bound, int64_t *sets) {
  struct pattern pattern = {nodes->cells, 0, 0, 0, 1};
  int placed = 1;
  int32_t code = REBAL_OK;

  keep(&pattern, nodes);
  *sets = 0;
  for (int64_t tried = 0; *sets < bound && tried < REBALI_SETS_TRIED && placed; tried++) {
    code = place_set(nodes, &placed);
    if (placed) {
      (*sets)++;
      follow(&pattern, nodes, bound, sets);
    }
  }
  return code;
}

/* Each replica takes one slot of the first node that has one, so the result is the sum of the slots. */
static int64_t count_places(const struct rebali_nodes *nodes, const int64_t *need) {
  int64_t places = 0;

  for (const struct rebali_run *run = nodes->first; run != NULL; run = run->next) {
    places = rebali_add_saturating(places, rebali_multiply_saturating(run->count, rebali_nodes_fit(nodes, run, need)));
  }
  return places;
}

int32_t rebali_nodes_count_sets(struct rebali_nodes *nodes, const struct rebali_need *needs, size_t n, int64_t bound,
                                int64_t *sets) {
  if (n == 1) {
    const int64_t places = count_places(nodes, needs[0].amounts) / needs[0].replicas;

    *sets = places < bound ? places : bound;
    return REBAL_OK;
  }
  *sets = bound;
  if (n == 0) {
    return REBAL_OK;
  }
  if (rebali_nodes_begin(nodes, needs, n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return count_in_turn(nodes, bound, sets);
}
