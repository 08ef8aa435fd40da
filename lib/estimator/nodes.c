/* SPDX-License-Identifier: MIT */
/* Nodes as runs of equal ones, and first fit on them (rebalance-karmada(7) 6.7). */
#include "estimator/estimator.h"

void rebali_nodes_init(struct rebali_nodes *nodes, struct rebali_arena *arena, size_t n_amounts) {
  memset(nodes, 0, sizeof *nodes);
  nodes->arena = arena;
  nodes->n_amounts = n_amounts;
}

void rebali_nodes_clear(struct rebali_nodes *nodes) {
  if (nodes->last != NULL) {
    nodes->last->next = nodes->spare;
    nodes->spare = nodes->first;
  }
  nodes->first = NULL;
  nodes->last = NULL;
  nodes->n_runs = 0;
  nodes->touched = 0;
  nodes->n_needs = 0;
}

static size_t amounts_size(const struct rebali_nodes *nodes) {
  return nodes->n_amounts * sizeof(int64_t);
}

/* Inserts a run after another (NULL: before all). Returns NULL without memory. */
static struct rebali_run *insert_run(struct rebali_nodes *nodes, struct rebali_run *previous, int64_t count,
                                     const int64_t *amounts) {
  struct rebali_run *run = nodes->spare;

  if (run != NULL) {
    nodes->spare = run->next;
  } else {
    run = rebali_arena_allocate(nodes->arena, 1, sizeof *run + amounts_size(nodes));
  }
  if (run == NULL) {
    return NULL;
  }
  run->count = count;
  memcpy(run->amounts, amounts, amounts_size(nodes));
  run->previous = previous;
  run->next = previous == NULL ? nodes->first : previous->next;
  *(run->previous == NULL ? &nodes->first : &run->previous->next) = run;
  *(run->next == NULL ? &nodes->last : &run->next->previous) = run;
  nodes->n_runs++;
  return run;
}

int32_t rebali_nodes_add(struct rebali_nodes *nodes, int64_t count, const int64_t *amounts) {
  return insert_run(nodes, nodes->last, count, amounts) == NULL ? REBAL_ENOMEM : REBAL_OK;
}

/* No need that starts at the run loses a node: it finds the next run with capacity after it. */
static void drop(struct rebali_nodes *nodes, struct rebali_run *run) {
  for (size_t i = 0; i < nodes->n_needs; i++) {
    nodes->starts[i] = nodes->starts[i] == run ? run->next : nodes->starts[i];
  }
  *(run->previous == NULL ? &nodes->first : &run->previous->next) = run->next;
  *(run->next == NULL ? &nodes->last : &run->next->previous) = run->previous;
  nodes->n_runs--;
  run->next = nodes->spare;
  nodes->spare = run;
}

int64_t rebali_nodes_fit(const struct rebali_nodes *nodes, const struct rebali_run *run, const int64_t *need) {
  int64_t best = INT64_MAX;

  for (size_t i = 0; i < nodes->n_amounts && best > 0; i++) {
    if (need[i] > 0) {
      const int64_t fit = run->amounts[i] / need[i];

      best = fit < best ? fit : best;
    }
  }
  return best;
}

static int holds_any(const struct rebali_nodes *nodes, const struct rebali_run *run) {
  for (size_t i = 0; i < nodes->n_needs; i++) {
    if (rebali_nodes_fit(nodes, run, nodes->needs[i].amounts) > 0) {
      return 1;
    }
  }
  return nodes->n_needs == 0;
}

/*
 * Joins a changed run to an equal one before it. A need that starts at the run has no capacity before it, so it has
 * none in the equal run and none in this one.
 */
static void settle(struct rebali_nodes *nodes, struct rebali_run *run) {
  struct rebali_run *previous = run->previous;

  if (!holds_any(nodes, run)) {
    drop(nodes, run);
  } else if (previous != NULL && memcmp(previous->amounts, run->amounts, amounts_size(nodes)) == 0) {
    previous->count = rebali_add_saturating(previous->count, run->count);
    drop(nodes, run);
  }
}

int32_t rebali_nodes_begin(struct rebali_nodes *nodes, const struct rebali_need *needs, size_t n) {
  struct rebali_run *next;

  if (nodes->starts == NULL) {
    nodes->starts = rebali_arena_allocate(nodes->arena, n, sizeof(struct rebali_run *));
    nodes->cells = rebali_arena_allocate(nodes->arena, REBALI_PATTERN_RUNS * (1 + nodes->n_amounts), sizeof(int64_t));
  }
  if (nodes->starts == NULL || nodes->cells == NULL) {
    return REBAL_ENOMEM;
  }
  nodes->needs = needs;
  nodes->n_needs = n;
  for (size_t i = 0; i < n; i++) {
    nodes->starts[i] = nodes->first;
  }
  for (struct rebali_run *run = nodes->first; run != NULL; run = next) {
    next = run->next;
    settle(nodes, run);
  }
  return REBAL_OK;
}

/* Keeps so many nodes in the run and moves the others to a new next one. */
static int32_t split(struct rebali_nodes *nodes, struct rebali_run *run, int64_t count) {
  if (run->count == count) {
    return REBAL_OK;
  }
  if (insert_run(nodes, run, run->count - count, run->amounts) == NULL) {
    return REBAL_ENOMEM;
  }
  run->count = count;
  return REBAL_OK;
}

/* replicas must not exceed what a node can hold: nothing falls below 0, and no product overflows. */
static void spend(const struct rebali_nodes *nodes, struct rebali_run *run, const int64_t *need, int64_t replicas) {
  for (size_t i = 0; i < nodes->n_amounts; i++) {
    run->amounts[i] -= need[i] * replicas;
  }
}

/* Places fit replicas on each node of the run from the first on, and the remainder on one more: at most two splits. */
static int32_t fill(struct rebali_nodes *nodes, struct rebali_run *run, const int64_t *need, int64_t fit,
                    int64_t *replicas) {
  const int64_t wanted = *replicas / fit;
  const int64_t whole = wanted < run->count ? wanted : run->count;
  const int64_t rest = whole < run->count ? *replicas % fit : 0;
  struct rebali_run *partial = run;

  if (whole > 0) {
    if (split(nodes, run, whole) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    partial = run->next;
    spend(nodes, run, need, fit);
  }
  if (rest > 0) {
    if (split(nodes, partial, 1) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    spend(nodes, partial, need, rest);
  }
  nodes->touched = rebali_add_saturating(nodes->touched, whole + (rest > 0));
  *replicas -= whole * fit + rest;
  if (whole > 0) {
    settle(nodes, run);
  }
  if (rest > 0) {
    settle(nodes, partial);
  }
  return REBAL_OK;
}

int32_t rebali_nodes_place(struct rebali_nodes *nodes, struct rebali_run *from, const int64_t *need,
                           int64_t *replicas) {
  struct rebali_run *run = from;

  while (run != NULL && *replicas > 0) {
    struct rebali_run *next = run->next;
    const int64_t fit = rebali_nodes_fit(nodes, run, need);

    if (fit > 0 && fill(nodes, run, need, fit, replicas) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    run = next;
  }
  return REBAL_OK;
}
