/* SPDX-License-Identifier: MIT */
/* Headroom and moves made by hand, compared with the calls whose answers they summarize. */
#include "plain.h"

#include <stdio.h>
#include <string.h>

enum { MOST_REPLICAS = 48 };

/* Bindings as drawn but for one row, which is new with so many replicas; frozen. */
static rebal_bindings *write_new(struct plain_case *drawn, size_t row, int64_t replicas) {
  const struct plain_binding binding = drawn->bindings[row];
  rebal_bindings *known = drawn->known, *own = drawn->world.bindings, *made;

  drawn->known = NULL;
  drawn->world.bindings = NULL;
  drawn->bindings[row].n_targets = 0;
  drawn->bindings[row].n_evicting = 0;
  drawn->bindings[row].is_fresh = 0;
  drawn->bindings[row].replicas = replicas;
  plain_write_bindings(drawn);
  made = drawn->world.bindings;
  drawn->bindings[row] = binding;
  drawn->known = known;
  drawn->world.bindings = own;
  (void)rebal_bindings_freeze(made, NULL);
  return made;
}

/* Bindings as drawn, all triggered or none; frozen. */
static rebal_bindings *write_triggered(struct plain_case *drawn) {
  rebal_bindings *known = drawn->known, *own = drawn->world.bindings, *made;
  int is_fresh[PLAIN_BINDINGS];

  drawn->known = NULL;
  drawn->world.bindings = NULL;
  for (size_t i = 0; i < PLAIN_BINDINGS; i++) {
    is_fresh[i] = drawn->bindings[i].is_fresh;
    drawn->bindings[i].is_fresh = 1;
  }
  plain_write_bindings(drawn);
  made = drawn->world.bindings;
  for (size_t i = 0; i < PLAIN_BINDINGS; i++) {
    drawn->bindings[i].is_fresh = is_fresh[i];
  }
  drawn->known = known;
  drawn->world.bindings = own;
  (void)rebal_bindings_freeze(made, NULL);
  return made;
}

static rebal_schedule_opts one_row(const struct plain_case *drawn, size_t row) {
  rebal_schedule_opts opts = drawn->caller.opts;

  opts.first_row = row;
  opts.max_work = 1;
  return opts;
}

static const char *schedule_row(struct plain_case *drawn, const rebal_bindings *bindings,
                                const rebal_schedule_opts *opts) {
  struct test_world *world = &drawn->world;

  return rebal_schedule(world->ctx, world->snapshot, bindings, opts, world->result, &world->err) == REBAL_OK
             ? NULL
             : fault("rebal_schedule: %s", world->err.message);
}

/* ---- headroom ---------------------------------------------------------------------------------------------------- */

/* How many fit when one after the other is tried. The answer for one more is in the world's result. */
static const char *count_up(struct plain_case *drawn, size_t row, const rebal_schedule_opts *opts, int64_t most,
                            int64_t *found) {
  const char *wrong = NULL;

  for (*found = 0; wrong == NULL && *found < most; (*found)++) {
    rebal_bindings *bindings = write_new(drawn, row, *found + 1);

    wrong = schedule_row(drawn, bindings, opts);
    rebal_bindings_free(bindings);
    if (wrong == NULL &&
        rebal_result_i64(drawn->world.result, REBAL_DECISION_OUTCOME, NULL)[0] != REBAL_OUTCOME_SCHEDULED) {
      break;
    }
  }
  return wrong;
}

static const char *compare_headroom(struct dice *dice, struct plain_case *drawn) {
  struct test_world *world = &drawn->world;
  const size_t row = roll(dice, PLAIN_BINDINGS);
  const int32_t most = 1 + (int32_t)roll(dice, MOST_REPLICAS);
  rebal_schedule_opts opts = drawn->caller.opts, single = one_row(drawn, row);
  const rebal_sweep_opts losses = {
      .struct_size = (uint32_t)sizeof losses, .schedule = &opts, .kinds = 1u << REBAL_LOSS_NOTHING};
  rebal_result *result = NULL;
  int64_t found, outcome, counted = 0;
  const char *wrong, *message;

  if (chance(dice, 50)) {
    opts.flags &= ~(uint32_t)REBAL_SCHEDULE_FLAG_SINGLE_GROUP;
    single.flags = opts.flags;
  }
  if (rebal_result_new(NULL, &result, NULL) != REBAL_OK ||
      rebal_headroom(world->ctx, world->snapshot, world->bindings, (uint32_t)row, most, &losses, result, &world->err) !=
          REBAL_OK) {
    rebal_result_free(result);
    return fault("rebal_headroom: %s", world->err.message);
  }
  found = rebal_result_i64(result, REBAL_HEADROOM_REPLICAS, NULL)[0];
  outcome = rebal_result_i64(result, REBAL_HEADROOM_OUTCOME, NULL)[0];
  message = rebal_result_text(result, REBAL_HEADROOM_MESSAGE, 0, NULL);
  wrong = count_up(drawn, row, &single, most, &counted);
  if (wrong == NULL && (counted != found || (outcome == REBAL_OUTCOME_SCHEDULED) != (found == most))) {
    wrong =
        fault("binding %u of %s: %lld of %lld fit, not %lld", (unsigned)row,
              drawn->bindings[row].placement->table.scheduling, (long long)found, (long long)most, (long long)counted);
  }
  if (wrong == NULL && found < most &&
      (outcome != rebal_result_i64(world->result, REBAL_DECISION_OUTCOME, NULL)[0] ||
       strcmp(message, rebal_result_text(world->result, REBAL_DECISION_MESSAGE, 0, NULL)) != 0)) {
    wrong = fault("binding %u: one more is \"%s\"", (unsigned)row, message);
  }
  rebal_result_free(result);
  return wrong == NULL ? schedule_row(drawn, world->bindings, &drawn->caller.opts) : wrong;
}

const char *law_headroom(struct dice *dice) {
  return plain_try(dice, (int)roll(dice, 2), compare_headroom);
}

/* ---- a move by hand ---------------------------------------------------------------------------------------------- */

struct moving {
  struct plain_case *drawn;
  rebal_move move;
  int64_t before[PLAIN_CELLS];
  int64_t after[PLAIN_CELLS];
  int64_t wanted[PLAIN_CELLS];
};

/* 0: the binding has no replicas that could move. */
static int draw_move(struct dice *dice, struct moving *moving, size_t row) {
  struct plain_case *drawn = moving->drawn;
  const struct plain_binding *binding = &drawn->bindings[row];
  const size_t first = binding->n_targets == 0 ? 0 : roll(dice, (uint32_t)binding->n_targets);
  const uint32_t target = drawn->clusters[roll(dice, (uint32_t)drawn->n_clusters)].id;
  uint32_t source;

  memset(moving->before, 0, sizeof moving->before);
  for (size_t i = 0; i < binding->n_targets; i++) {
    moving->before[plain_target_id(drawn, &binding->targets[i])] += binding->targets[i].replicas;
  }
  if (binding->n_targets == 0 || target == REBAL_NONE) {
    return 0;
  }
  source = plain_target_id(drawn, &binding->targets[first]);
  if (source == target || moving->before[source] == 0) {
    return 0;
  }
  moving->move = (rebal_move){.struct_size = (uint32_t)sizeof moving->move,
                              .binding = (uint32_t)row,
                              .source = source,
                              .target = target,
                              .replicas = 1 + (int32_t)roll(dice, (uint32_t)moving->before[source]),
                              .schedule = &drawn->caller.opts};
  memcpy(moving->after, moving->before, sizeof moving->after);
  moving->after[source] -= moving->move.replicas;
  moving->after[target] += moving->move.replicas;
  return 1;
}

static int64_t drift(const int64_t *from, const int64_t *to) {
  int64_t before = 0, after = 0, left = 0;

  for (size_t c = 0; c < PLAIN_CELLS; c++) {
    before += from[c];
    after += to[c];
    left += from[c] > to[c] ? from[c] - to[c] : 0;
  }
  return left - (before > after ? before - after : 0);
}

static const char *read_wanted(struct moving *moving, size_t row) {
  struct plain_case *drawn = moving->drawn;
  const rebal_schedule_opts opts = one_row(drawn, row);
  const rebal_result *result = drawn->world.result;
  rebal_bindings *triggered = write_triggered(drawn);
  const char *wrong = schedule_row(drawn, triggered, &opts);
  const size_t n = wrong == NULL ? rebal_result_count(result, REBAL_TABLE_PLACED) : 0;

  rebal_bindings_free(triggered);
  memset(moving->wanted, 0, sizeof moving->wanted);
  for (size_t i = 0; i < n; i++) {
    moving->wanted[rebal_result_i64(result, REBAL_PLACED_CLUSTER, NULL)[i]] +=
        rebal_result_i64(result, REBAL_PLACED_REPLICAS, NULL)[i];
  }
  if (wrong == NULL) {
    const int64_t outcome = rebal_result_i64(result, REBAL_DECISION_OUTCOME, NULL)[0];

    if (outcome != REBAL_OUTCOME_SCHEDULED && outcome != REBAL_OUTCOME_PARTIAL) {
      memcpy(moving->wanted, moving->before, sizeof moving->wanted);
    }
  }
  return wrong;
}

/* Compares the target with the answers of rebal_filter() and rebal_score(). */
static const char *check_target(struct moving *moving, size_t row, const rebal_result *tried) {
  struct plain_case *drawn = moving->drawn;
  struct test_world *world = &drawn->world;
  const rebal_schedule_opts opts = one_row(drawn, row);
  int64_t rejected = 0, available = REBAL_ABSENT;

  if (rebal_filter(world->ctx, world->snapshot, world->bindings, &opts, world->result, &world->err) != REBAL_OK) {
    return fault("rebal_filter: %s", world->err.message);
  }
  for (size_t i = 0; i < rebal_result_count(world->result, REBAL_TABLE_VERDICT); i++) {
    if (rebal_result_i64(world->result, REBAL_VERDICT_CLUSTER, NULL)[i] == moving->move.target) {
      rejected = rebal_result_i64(world->result, REBAL_VERDICT_REJECTED_BY, NULL)[i];
    }
  }
  if (rebal_score(world->ctx, world->snapshot, world->bindings, NULL, &opts, world->result, &world->err) != REBAL_OK) {
    return fault("rebal_score: %s", world->err.message);
  }
  for (size_t i = 0; i < rebal_result_count(world->result, REBAL_TABLE_SCORED); i++) {
    if (rebal_result_i64(world->result, REBAL_SCORED_CLUSTER, NULL)[i] == moving->move.target) {
      available = rebal_result_i64(world->result, REBAL_SCORED_ALLOCATABLE, NULL)[i];
    }
  }
  if (rebal_result_i64(tried, REBAL_TRIED_REJECTED_BY, NULL)[0] != rejected ||
      rebal_result_i64(tried, REBAL_TRIED_AVAILABLE, NULL)[0] != available) {
    return fault("rejected by %lld with %lld available, not %lld with %lld",
                 (long long)rebal_result_i64(tried, REBAL_TRIED_REJECTED_BY, NULL)[0],
                 (long long)rebal_result_i64(tried, REBAL_TRIED_AVAILABLE, NULL)[0], (long long)rejected,
                 (long long)available);
  }
  return NULL;
}

/* Constraints by cluster and region. */
static int64_t find_broken(const struct moving *moving, const struct plain_placement *placement,
                           const int64_t *replicas) {
  int64_t clusters = 0, regions = 0, broken = 0;
  uint8_t is_seen[16 * PLAIN_REGIONS] = {0};

  for (size_t c = 0; c < PLAIN_CELLS; c++) {
    clusters += replicas[c] > 0;
  }
  for (size_t i = 0; i < moving->drawn->n_clusters; i++) {
    const struct plain_cluster *cluster = &moving->drawn->clusters[i];

    if (cluster->id != REBAL_NONE && cluster->is_present && replicas[cluster->id] > 0 && cluster->region != 0) {
      regions += !is_seen[cluster->region];
      is_seen[cluster->region] = 1;
    }
  }
  if (placement->way == PLAIN_STATIC && (!placement->has_rules || placement->n_rules > 0)) {
    return 0;
  }
  broken |= placement->clusters.is_set && clusters < placement->clusters.least ? 1 << REBAL_BREACH_MIN_CLUSTERS : 0;
  broken |= placement->clusters.is_set && placement->clusters.most > 0 && clusters > placement->clusters.most
                ? 1 << REBAL_BREACH_MAX_CLUSTERS
                : 0;
  broken |= placement->regions.is_set && regions < placement->regions.least ? 1 << REBAL_BREACH_MIN_REGIONS : 0;
  broken |= placement->regions.is_set && placement->regions.most > 0 && regions > placement->regions.most
                ? 1 << REBAL_BREACH_MAX_REGIONS
                : 0;
  return broken;
}

static const char *check_tried(struct moving *moving, size_t row, const rebal_result *tried) {
  static const int64_t by_cluster_and_region = 1 << REBAL_BREACH_MIN_CLUSTERS | 1 << REBAL_BREACH_MAX_CLUSTERS |
                                               1 << REBAL_BREACH_MIN_REGIONS | 1 << REBAL_BREACH_MAX_REGIONS;
  const struct plain_placement *placement = moving->drawn->bindings[row].placement;
  const int64_t broken = rebal_result_i64(tried, REBAL_TRIED_BROKEN, NULL)[0];
  const int64_t rejected = rebal_result_i64(tried, REBAL_TRIED_REJECTED_BY, NULL)[0];
  const int64_t available = rebal_result_i64(tried, REBAL_TRIED_AVAILABLE, NULL)[0];
  const char *wrong = read_wanted(moving, row);

  if (wrong == NULL &&
      (rebal_result_i64(tried, REBAL_TRIED_DRIFT, NULL)[0] != drift(moving->after, moving->wanted) ||
       rebal_result_i64(tried, REBAL_TRIED_DRIFT_BEFORE, NULL)[0] != drift(moving->before, moving->wanted))) {
    wrong = fault("the drift is %lld, not %lld", (long long)rebal_result_i64(tried, REBAL_TRIED_DRIFT, NULL)[0],
                  (long long)drift(moving->after, moving->wanted));
  }
  if (wrong == NULL &&
      ((broken >> REBAL_BREACH_FILTER & 1) != (rejected != 0) ||
       (broken >> REBAL_BREACH_CAPACITY & 1) != (available != REBAL_ABSENT && available < moving->move.replicas))) {
    wrong =
        fault("bits %lld do not go with %lld and %lld", (long long)broken, (long long)rejected, (long long)available);
  }
  if (wrong == NULL && (broken & by_cluster_and_region) != find_broken(moving, placement, moving->after)) {
    wrong = fault("broken are %lld, not %lld", (long long)(broken & by_cluster_and_region),
                  (long long)find_broken(moving, placement, moving->after));
  }
  return wrong == NULL ? check_target(moving, row, tried) : wrong;
}

static const char *compare_try(struct dice *dice, struct plain_case *drawn) {
  static struct moving moving;
  struct test_world *world = &drawn->world;
  rebal_result *tried = NULL;
  const char *wrong = NULL;

  moving.drawn = drawn;
  if (rebal_result_new(NULL, &tried, NULL) != REBAL_OK) {
    return "no memory";
  }
  for (size_t row = 0; row < PLAIN_BINDINGS && wrong == NULL; row++) {
    if (!draw_move(dice, &moving, row)) {
      continue;
    }
    wrong = rebal_try(world->ctx, world->snapshot, world->bindings, &moving.move, tried, &world->err) == REBAL_OK
                ? check_tried(&moving, row, tried)
                : fault("rebal_try: %s", world->err.message);
  }
  rebal_result_free(tried);
  return wrong == NULL ? schedule_row(drawn, world->bindings, &drawn->caller.opts) : wrong;
}

const char *law_try(struct dice *dice) {
  return plain_try(dice, (int)roll(dice, 2), compare_try);
}
