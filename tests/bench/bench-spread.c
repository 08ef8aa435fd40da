/* SPDX-License-Identifier: MIT */
/*
 * The cost of WorkloadSpread: choosing subsets for pods, a pass of the controller, patches of pods, beside the
 * yardstick, a sum over 5,000 numbers. NOTES.md describes the rows, rows.h how to choose some.
 */
#include "fleet.h"
#include "nodes.h"
#include "rows.h"
#include "spread_feeds.h"
#include "spread_patches.h"
#include "spread_reviews.h"
#include "spreads.h"

#include <stdio.h>
#include <stdlib.h>

#define SUBSETS 10
#define CALLS 100
#define DIGITS 24
#define STATUSES 2 /* of a spread: the old one and the one that is loaded take turns, and each keeps its memory */

/* The scene of a row. */
struct bench_scene {
  enum { SPREAD, MERGES, FEED, REVIEWS } kind; /* the members below are those of SPREAD; of FEED there are pods alone */
  uint32_t pods;
  uint32_t limit; /* of each subset */
  uint32_t nodes; /* of the cluster; 0: none is known, and pods have annotations */
  int is_new;     /* the pods are about to be created */
  int is_settled; /* they have the costs they should have */
  int is_patched; /* of REVIEWS */
};

struct bench {
  struct bench_rows rows;
  const struct bench_scene *scene; /* NULL: none is open */
  struct test_world world;
  rebal_builder *builder; /* of the object */
  rebal_builder *writer;  /* of a status */
  rebal_builder *other;   /* of the UnitedDeployment */
  const rebal_record *united;
  rebal_spread *spread;
  rebal_pods *pods;
  uint32_t *list; /* rows of the pods */
  struct bench_spread_columns *columns;
  struct bench_patches patches;
  struct bench_feed feed;
  struct bench_reviews reviews;
};

static const rebal_time now = {1790003600, 0, 1};

/* ---- admission --------------------------------------------------------------------------------------------------- */

/* No pod is in flight, and no subset has one. */
static void forget(struct bench *bench) {
  bench_must(rebal_spread_load_status(bench->spread, NULL, NULL));
}

static void admit(struct bench *bench, const uint32_t *rows, size_t n, uint32_t flags) {
  const rebal_admit_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = flags, .rows = rows, .n_rows = n};

  bench_must(
      rebal_spread_admit(bench->world.ctx, &bench->spread, 1, bench->pods, &now, &opts, bench->world.result, NULL));
}

static void choose(struct bench *bench) {
  for (size_t i = 0; i < CALLS; i++) {
    admit(bench, &bench->list[i], 1, REBAL_ADMIT_FLAG_NO_ACTIONS);
  }
}

static void choose_batch(struct bench *bench) {
  admit(bench, bench->list, bench->scene->pods, REBAL_ADMIT_FLAG_NO_ACTIONS);
}

static void choose_and_act(struct bench *bench) {
  admit(bench, bench->list, bench->scene->pods, 0);
}

static void explain(struct bench *bench) {
  admit(bench, bench->list, bench->scene->pods, REBAL_ADMIT_FLAG_NO_ACTIONS | REBAL_ADMIT_FLAG_EXPLAIN);
}

static void write_status(struct bench *bench) {
  const rebal_record *status;

  bench_must(rebal_spread_status(bench->spread, bench->writer, &status, NULL));
}

/* All pods of a batch are in flight. */
static void fill(struct bench *bench) {
  forget(bench);
  choose_batch(bench);
}

/* ---- the controller ---------------------------------------------------------------------------------------------- */

static void step(struct bench *bench, uint32_t flags) {
  const rebal_spread_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .flags = flags, .rows = bench->list, .n_rows = bench->scene->pods};

  bench_must(rebal_spread_step(bench->world.ctx, bench->world.snapshot, bench->spread, bench->pods, &now, &opts,
                               bench->world.result, NULL));
}

static void pass(struct bench *bench) {
  step(bench, 0);
}

static void pass_without_actions(struct bench *bench) {
  step(bench, REBAL_SPREAD_FLAG_NO_POD_ACTIONS);
}

static void empty(struct bench *bench) {
  rebal_pods_reset(bench->pods);
  (void)bench_add_owner(bench->pods);
}

static void load(struct bench *bench) {
  bench_put_spread_columns(bench->pods, bench->columns, bench->list);
}

/* ---- UnitedDeployment -------------------------------------------------------------------------------------------- */

static void allocate(struct bench *bench) {
  for (size_t i = 0; i < CALLS; i++) {
    bench_must(rebal_united_allocate(bench->world.ctx, bench->united, NULL, bench->world.result, NULL));
  }
}

/* ---- patches ----------------------------------------------------------------------------------------------------- */

static void merge_parsed(struct bench *bench) {
  bench_patches_merge(&bench->patches);
}

static void merge_bytes(struct bench *bench) {
  bench_patches_merge_bytes(&bench->patches);
}

/* ---- reviews ----------------------------------------------------------------------------------------------------- */

static void forget_reviews(struct bench *bench) {
  bench_reviews_forget(&bench->reviews);
}

static void review(struct bench *bench) {
  bench_reviews_answer(&bench->reviews);
}

/* ---- the feed ---------------------------------------------------------------------------------------------------- */

static void forget_feed(struct bench *bench) {
  bench_feed_forget(&bench->feed);
}

static void change_pod(struct bench *bench) {
  bench_feed_change(&bench->feed);
}

static void update_feed(struct bench *bench) {
  bench_feed_update(&bench->feed);
}

/* The feed has read everything, and no patch was merged yet. */
static void forget_merges(struct bench *bench) {
  bench_feed_forget(&bench->feed);
  bench_feed_update(&bench->feed);
}

static void step_feed(struct bench *bench) {
  bench_feed_step(&bench->feed);
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

/* Pods get the costs that a pass computes. */
static void settle(struct bench *bench) {
  size_t n = 0;
  const int64_t *pods, *costs;

  pass(bench);
  pods = rebal_result_i64(bench->world.result, REBAL_GROUPED_POD, &n);
  costs = rebal_result_i64(bench->world.result, REBAL_GROUPED_COST, &n);
  for (size_t i = 0; i < n; i++) {
    char digits[DIGITS];
    const int len = snprintf(digits, sizeof digits, "%lld", (long long)costs[i]);

    bench_must(rebal_cells_set_text(rebal_pods_cells(bench->pods), REBAL_SPREAD_POD_DELETION_COST, REBAL_NONE,
                                    (uint32_t)pods[i], digits, (size_t)len, NULL));
  }
}

static void add_cluster(struct bench *bench) {
  struct bench_node_sets sets;
  uint32_t cluster;

  bench_intern_nodes(&bench->world, &sets);
  bench_must(rebal_fleet_add_cluster(bench->world.fleet, "member", 6, &cluster, NULL));
  bench_add_nodes(&bench->world, &sets, cluster, bench->scene->nodes);
  bench_must(rebal_fleet_freeze(bench->world.fleet, &bench->world.snapshot, NULL));
}

static void add_pods(struct bench *bench) {
  const struct bench_scene *scene = bench->scene;

  bench->list = calloc(scene->pods, sizeof *bench->list);
  bench_must(bench->list == NULL ? REBAL_ENOMEM : REBAL_OK);
  bench->columns = bench_make_spread_columns(bench_add_owner(bench->pods), SUBSETS,
                                             scene->nodes == 0 ? 1000 : scene->nodes, scene->pods);
  bench_put_spread_columns(bench->pods, bench->columns, bench->list);
  if (scene->is_new || scene->nodes != 0) {
    bench_set_all(bench->pods, REBAL_SPREAD_POD_MATCHED_STATE, bench->list, scene->pods, REBAL_ANNOTATION_ABSENT);
  }
}

static void open_spread(struct bench *bench) {
  const struct bench_scene *scene = bench->scene;
  const rebal_allocator *memory = &bench->rows.memory.functions;
  const struct bench_spread_shape shape = {SUBSETS, scene->limit, scene->nodes != 0};

  test_allocator_init(&bench->rows.memory, 0, TEST_FAIL_ONCE);
  bench_world_open(&bench->world, memory);
  bench_must(rebal_builder_new(memory, &bench->builder, NULL));
  bench_must(rebal_builder_new(memory, &bench->writer, NULL));
  bench_must(rebal_builder_new(memory, &bench->other, NULL));
  bench->united = bench_united_record(bench->other, SUBSETS);
  bench_must(rebal_spread_new(memory, bench_spread_record(bench->builder, &shape), &bench->spread, NULL));
  bench_must(rebal_cells_set_i64(rebal_spread_cells(bench->spread), REBAL_SPREAD_WORKLOAD_STATE, REBAL_NONE, 0,
                                 REBAL_OWNER_STATE_EXISTS, NULL));
  bench_must(rebal_cells_set_i64(rebal_spread_cells(bench->spread), REBAL_SPREAD_WORKLOAD_REPLICAS, REBAL_NONE, 0,
                                 scene->pods, NULL));
  bench_must(rebal_pods_new(bench->world.fleet, memory, &bench->pods, NULL));
  if (scene->nodes != 0) {
    add_cluster(bench);
  }
  add_pods(bench);
  if (scene->is_settled) {
    settle(bench);
  }
}

static void close_spread(struct bench *bench) {
  bench_free_spread_columns(bench->columns);
  free(bench->list);
  rebal_pods_free(bench->pods);
  rebal_spread_free(bench->spread);
  rebal_builder_free(bench->other);
  rebal_builder_free(bench->writer);
  rebal_builder_free(bench->builder);
  test_world_close(&bench->world);
}

/* Figures of pods that are skipped would look good but mean nothing; one node in twenty takes none of them. */
static void check_answer(struct bench *bench) {
  const uint32_t column = bench->scene->is_new ? REBAL_ADMITTED_SUBSET : REBAL_GROUPED_SUBSET;
  size_t n = 0, found = 0;
  const int64_t *subsets;

  (bench->scene->is_new ? fill : pass)(bench);
  subsets = rebal_result_i64(bench->world.result, column, &n);
  for (size_t i = 0; i < n; i++) {
    found += subsets[i] >= 0;
  }
  if (n != bench->scene->pods || found < n / 10 * 9) {
    (void)fprintf(stderr, "bench-spread: %zu pods of %zu have a subset\n", found, n);
    exit(EXIT_FAILURE);
  }
}

static void open_scene(struct bench *bench) {
  if (bench->scene->kind == FEED) {
    bench_feed_open(&bench->feed, bench->scene->pods);
  } else if (bench->scene->kind == MERGES) {
    bench_patches_open(&bench->patches);
  } else if (bench->scene->kind == REVIEWS) {
    bench_reviews_open(&bench->reviews, bench->scene->is_patched);
  } else {
    open_spread(bench);
    for (int i = 0; i < STATUSES; i++) {
      check_answer(bench);
    }
  }
}

static void close_scene(struct bench *bench) {
  if (bench->scene->kind == FEED) {
    bench_feed_close(&bench->feed);
  } else if (bench->scene->kind == MERGES) {
    bench_patches_close(&bench->patches);
  } else if (bench->scene->kind == REVIEWS) {
    bench_reviews_close(&bench->reviews);
  } else {
    close_spread(bench);
  }
}

static void enter(struct bench *bench, const struct bench_line *line) {
  if (line->scene == bench->scene) {
    return;
  }
  if (bench->scene != NULL) {
    close_scene(bench);
  }
  bench->scene = line->scene;
  open_scene(bench);
}

static const struct bench_scene creation = {.pods = 1000, .limit = 100, .is_new = 1};
static const struct bench_scene hundred = {.pods = 100, .limit = 10};
static const struct bench_scene thousand = {.pods = 1000, .limit = 100};
static const struct bench_scene ten_thousand = {.pods = 10000, .limit = 1000};
static const struct bench_scene many = {.pods = 100000, .limit = 10000};
static const struct bench_scene settled = {.pods = 10000, .limit = 1000, .is_settled = 1};
static const struct bench_scene half_over = {.pods = 10000, .limit = 500};
static const struct bench_scene few_nodes = {.pods = 10000, .limit = 1000, .nodes = 1000};
static const struct bench_scene many_nodes = {.pods = 10000, .limit = 1000, .nodes = 10000};
static const struct bench_scene merges = {.kind = MERGES};
static const struct bench_scene reviews = {.kind = REVIEWS};
static const struct bench_scene patched_reviews = {.kind = REVIEWS, .is_patched = 1};
static const struct bench_scene store = {.kind = FEED, .pods = 10000};

static const struct bench_line lines[] = {
    {"choose/10/calls-100", &creation, {forget, choose, NULL, CALLS}},
    {"choose/10/batch-1000", &creation, {forget, choose_batch, NULL, 1000}},
    {"choose/10/batch-1000/action", &creation, {forget, choose_and_act, NULL, 1000}},
    {"choose/10/batch-1000/explain", &creation, {forget, explain, NULL, 1000}},
    {"status/10/1000-in-flight", &creation, {fill, write_status, NULL, 0}},
    {"united/10", &creation, {NULL, allocate, NULL, CALLS}},
    {"pass/100", &hundred, {NULL, pass, NULL, 100}},
    {"pass/1000", &thousand, {NULL, pass, NULL, 1000}},
    {"pass/10000", &ten_thousand, {NULL, pass, NULL, 10000}},
    {"pass/10000/rows", &ten_thousand, {NULL, pass_without_actions, NULL, 10000}},
    {"load/10000", &ten_thousand, {empty, load, NULL, 10000}},
    {"pass/100000", &many, {NULL, pass, NULL, 100000}},
    {"pass/100000/rows", &many, {NULL, pass_without_actions, NULL, 100000}},
    {"pass/10000/settled", &settled, {NULL, pass, NULL, 10000}},
    {"pass/10000/half-over", &half_over, {NULL, pass, NULL, 10000}},
    {"pass/10000/half-over/rows", &half_over, {NULL, pass_without_actions, NULL, 10000}},
    {"adopt/10000/10/nodes-1000", &few_nodes, {NULL, pass, NULL, 10000}},
    {"adopt/10000/10/nodes-1000/rows", &few_nodes, {NULL, pass_without_actions, NULL, 10000}},
    {"adopt/10000/10/nodes-10000", &many_nodes, {NULL, pass, NULL, 10000}},
    {"adopt/10000/10/nodes-10000/rows", &many_nodes, {NULL, pass_without_actions, NULL, 10000}},
    {"merge/parsed", &merges, {NULL, merge_parsed, NULL, BENCH_MERGES}},
    {"merge/bytes", &merges, {NULL, merge_bytes, NULL, BENCH_MERGES}},
    {"review/plain", &reviews, {forget_reviews, review, NULL, 0}},
    {"review/patched", &patched_reviews, {forget_reviews, review, NULL, 0}},
    {"feed/10000/first", &store, {forget_feed, update_feed, NULL, 10000}},
    {"feed/10000/pass", &store, {forget_merges, step_feed, NULL, 10000}},
    {"feed/10000/pass/repeated", &store, {NULL, step_feed, NULL, 10000}},
    {"feed/10000/one-changed", &store, {change_pod, update_feed, NULL, 0}},
};

int main(int argc, char **argv) {
  static struct bench bench;

  bench_rows_read(&bench.rows, argc, argv);
  bench_measure_lines(&bench.rows, &bench, lines, sizeof lines / sizeof lines[0], enter, close_scene);
  return EXIT_SUCCESS;
}
