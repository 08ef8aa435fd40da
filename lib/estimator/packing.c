/* SPDX-License-Identifier: MIT */
/*
 * How many sets first fit places one after the other (rebalance-karmada(7) 6.7), without placing each of them: a set of
 * one component has a closed form, and a sequence of sets that leaves the nodes as it found them but for the lengths of
 * some runs is repeated at once as often as those lengths allow.
 */
#include "estimator/estimator.h"

/* The nodes as they were some sets ago. */
struct pattern {
  int64_t *cells; /* of each run its count and amounts; room for REBALI_PATTERN_RUNS */
  size_t n_runs;
  int64_t sets;    /* placed since */
  int64_t touched; /* rebali_nodes.touched then */
  int64_t power;   /* sets after which the nodes are looked at anew: 1, 2, 4, ... (Brent) */
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
 * How often what was done since the pattern was kept can be done again, 0 when the nodes differ in more than counts.
 * No more than `touched` nodes of a run are used meanwhile, so a run with more than that is not used up and its length
 * does not matter to what is done; the other runs must be as long as they were.
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
    /* A run that shrinks keeps more than 0 nodes (repeats); one that grows has at most all there are. */
    run->count = rebali_add_saturating(run->count, rebali_multiply_saturating(run->count - *cell, times));
    cell += 1 + nodes->n_amounts;
  }
}

/* Finds the pattern; *sets grows by the sets that were repeated. */
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

/* Places one set; 0 in *placed when it does not fit. */
static int32_t place_set(struct rebali_nodes *nodes, int *placed) {
  *placed = 0;
  for (size_t i = 0; i < nodes->n_needs; i++) {
    const int64_t *need = nodes->needs[i].amounts;
    int64_t replicas = nodes->needs[i].replicas;

    if (rebali_nodes_place(nodes, nodes->starts[i], need, &replicas) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    while (nodes->starts[i] != NULL && rebali_nodes_fit(nodes, nodes->starts[i], need) == 0) {
      nodes->starts[i] = nodes->starts[i]->next; /* what has no room gets none: nothing is given back */
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
  for (int64_t tried = 0; *sets < bound && tried < REBALI_SETS_TRIED && placed && code == REBAL_OK; tried++) {
    code = place_set(nodes, &placed);
    if (code == REBAL_OK && placed) {
      (*sets)++;
      follow(&pattern, nodes, bound, sets);
    }
  }
  return code;
}

/* Each replica takes one place of the first node that has one: what counts is the sum of the places. */
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
