/* SPDX-License-Identifier: MIT */
/*
 * The life of a controller with 5,000 clusters: each round the status of some clusters changes, the fleet is frozen,
 * and new bindings are decided. Each binding has one of some placements and one of some requirements, so that what the
 * context keeps for a requirement is as old as the last binding that had it. NOTES.md describes the rows.
 *
 *   bench-controller [--list | --count] [PATTERN...]   see rows.h
 */
#include "rows.h"
#include "workloads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define CLUSTERS 5000
#define PRIME 7919u
#define ROUNDS_TO_SETTLE 4 /* for each record */

struct bench_scene {
  const char *name;
  uint32_t placements;
  uint32_t requirements;
  uint32_t updates;  /* of one cluster each, in a round */
  uint32_t bindings; /* in a round */
  int is_mixed;
};

static const struct bench_scene scenes[] = {
    {"1x1", 1, 1, 1, 1, 0},
    {"200x50", 200, 50, 1, 1, 0},
    {"2000x500", 2000, 500, 1, 1, 0},
    {"mixed-2000x500", 2000, 500, 1, 1, 1},
    {"burst-200x50", 200, 50, 500, 100, 0},
    {"burst-2000x500", 2000, 500, 500, 100, 0},
};

struct bench {
  struct bench_rows rows;
  const struct bench_scene *scene; /* NULL: none is open */
  struct test_world world;
  struct bench_sets sets;
  struct bench_workloads workloads;
  uint32_t updates; /* since the beginning, as the next one */
  uint32_t bindings;
};

/* ---- parts of a round -------------------------------------------------------------------------------------------- */

static void set_status(struct bench *bench) {
  for (uint32_t i = 0; i < bench->scene->updates; i++, bench->updates++) {
    bench_set_load(&bench->world, &bench->sets, (uint32_t)((uint64_t)bench->updates * PRIME % CLUSTERS),
                   bench->updates);
  }
}

/* Resets the result of the round before, which would keep its snapshot. */
static void freeze(struct bench *bench) {
  rebal_snapshot *const before = bench->world.snapshot;

  rebal_result_reset(bench->world.result);
  bench_must(rebal_fleet_freeze(bench->world.fleet, &bench->world.snapshot, NULL));
  rebal_snapshot_unref(before);
}

static void bind(struct bench *bench) {
  bench_make_bindings(&bench->workloads, bench->world.bindings, bench->bindings, bench->scene->bindings);
  bench->bindings += bench->scene->bindings;
}

static void decide(struct bench *bench) {
  const struct test_world *world = &bench->world;

  bench_must(rebal_schedule(world->ctx, world->snapshot, world->bindings, NULL, world->result, NULL));
}

static void take_round(struct bench *bench) {
  set_status(bench);
  freeze(bench);
  bind(bench);
  decide(bench);
}

/* ---- what is not timed ------------------------------------------------------------------------------------------- */

static void before_decide(struct bench *bench) {
  set_status(bench);
  freeze(bench);
  bind(bench);
}

static void after_freeze(struct bench *bench) {
  bind(bench);
  decide(bench);
}

static void after_set(struct bench *bench) {
  freeze(bench);
  after_freeze(bench);
}

static const struct part {
  const char *name;
  struct bench_row row;
} parts[] = {
    {"set", {NULL, set_status, after_set, 0}},
    {"freeze", {set_status, freeze, after_freeze, 0}},
    {"decide", {before_decide, decide, NULL, 0}},
    {"round", {NULL, take_round, NULL, 0}},
};

/* Refusals would be quick and distort the figures. */
static void check_answers(struct bench *bench) {
  size_t n = 0;
  const int64_t *outcomes = rebal_result_i64(bench->world.result, REBAL_DECISION_OUTCOME, &n);

  for (size_t i = 0; i < n; i++) {
    if (outcomes[i] != REBAL_OUTCOME_SCHEDULED) {
      (void)fprintf(stderr, "bench-controller: %s\n", test_answer(bench->world.result, bench->world.snapshot, i));
      exit(EXIT_FAILURE);
    }
  }
}

/* Rounds until every record was in use more than once. */
static void open_scene(struct bench *bench, const struct bench_scene *scene) {
  const uint32_t records = scene->placements > scene->requirements ? scene->placements : scene->requirements;

  test_allocator_init(&bench->rows.memory, 0, TEST_FAIL_ONCE);
  bench_world_open(&bench->world, &bench->rows.memory.functions);
  bench_intern(&bench->world, &bench->sets);
  bench_add_clusters(&bench->world, &bench->sets, CLUSTERS);
  bench->workloads = (struct bench_workloads){
      .clusters = CLUSTERS, .n_placements = scene->placements, .n_requirements = scene->requirements};
  bench_intern_workloads(&bench->world, &bench->workloads, scene->is_mixed);
  bench->scene = scene;
  bench->updates = bench->bindings = 0;
  for (uint32_t i = 0; i <= ROUNDS_TO_SETTLE * records / scene->bindings; i++) {
    take_round(bench);
    check_answers(bench);
  }
}

static void measure_scene(struct bench *bench, const struct bench_scene *scene) {
  int is_open = 0;

  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    struct bench_row row = parts[i].row;
    char name[64];

    (void)snprintf(name, sizeof name, "%s/%s", scene->name, parts[i].name);
    if (!bench_wanted(&bench->rows, name)) {
      continue;
    }
    if (!is_open) {
      open_scene(bench, scene);
      is_open = 1;
    }
    row.items = i == 0 ? scene->updates : i == 1 ? 0 : scene->bindings;
    bench_measure(&bench->rows, bench, &row, name);
  }
  if (is_open) {
    test_world_close(&bench->world);
  }
}

int main(int argc, char **argv) {
  static struct bench bench;

  bench_rows_read(&bench.rows, argc, argv);
  for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
    measure_scene(&bench, &scenes[i]);
  }
  return EXIT_SUCCESS;
}
