/* SPDX-License-Identifier: MIT */
/*
 * The cost of a watch event for a scheduler: the status of one of many clusters changes, the fleet follows, one binding
 * is fed and decided, its actions are rendered. Beside the yardstick; NOTES.md describes the rows, rows.h how to choose
 * some.
 */
#define _POSIX_C_SOURCE 200809L

#include "fleet.h"
#include "objects.h"
#include "rows.h"

#include <rebalance/watch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRIME 7919u

#define MOST_BINDINGS 400u

struct bench_scene {
  uint32_t clusters;
  uint32_t bindings; /* that the turns are about, one after the other */
};

struct bench {
  struct bench_rows rows;
  const struct bench_scene *scene; /* NULL: none is open */
  struct test_world world;
  rebal_store *store;
  rebal_watch *watch; /* of the clusters */
  rebal_feed *feed;
  rebal_text *text; /* of requests */
  char *event;
  size_t event_len;
  uint32_t bindings[MOST_BINDINGS]; /* of the store */
  uint32_t binding;                 /* the one of the turn */
  uint32_t events;
};

static const rebal_time now = {1790003600, 0, 1};

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static void request(struct bench *bench) {
  rebal_text_reset(bench->text);
  bench_must(rebal_watch_request(bench->watch, bench->text, NULL));
}

/* The answer to the list of clusters; events come next. */
static void load_clusters(struct bench *bench) {
  char *text = NULL;
  size_t len = 0;
  FILE *file = open_memstream(&text, &len);

  bench_must(file != NULL ? REBAL_OK : REBAL_ENOMEM);
  (void)fputs("{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[", file);
  for (uint32_t i = 0; i < bench->scene->clusters; i++) {
    (void)fputs(i > 0 ? "," : "", file);
    bench_write_watched_cluster(file, i, 0);
  }
  (void)fputs("]}", file);
  bench_must(fclose(file) == 0 ? REBAL_OK : REBAL_ENOMEM);
  bench_must(rebal_watch_new(bench->store, "cluster.karmada.io/v1alpha1", REBAL_TERMINATED, "Cluster", REBAL_TERMINATED,
                             NULL, &bench->watch, NULL));
  request(bench);
  bench_must(rebal_watch_feed(bench->watch, text, len, NULL));
  bench_must(rebal_watch_end(bench->watch, 200, NULL));
  request(bench);
  free(text);
}

static void load_binding(struct bench *bench, uint32_t number, uint32_t *n) {
  char *text = NULL;
  size_t len = 0;
  FILE *file = open_memstream(&text, &len);

  bench_must(file != NULL ? REBAL_OK : REBAL_ENOMEM);
  bench_write_binding(file, number, bench->scene->clusters);
  bench_must(fclose(file) == 0 ? REBAL_OK : REBAL_ENOMEM);
  if (strstr(text, "AvailableReplicas") != NULL) {
    bench_must(rebal_store_load(bench->store, text, len, NULL));
    (*n)++;
  }
  free(text);
}

/* The first ones that are divided by free replicas. */
static void load_bindings(struct bench *bench) {
  uint32_t binding = REBAL_NONE;

  for (uint32_t i = 0, n = 0; n < bench->scene->bindings; i++) {
    load_binding(bench, i, &n);
  }
  for (uint32_t i = 0; i < bench->scene->bindings; i++) {
    binding = rebal_store_next(bench->store, "ResourceBinding", 15, binding);
    bench->bindings[i] = binding;
  }
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* The next event: another load of another cluster. */
static void draw_event(struct bench *bench) {
  const uint32_t cluster = bench->events * PRIME % bench->scene->clusters;
  FILE *file;

  bench->binding = bench->bindings[bench->events * PRIME % bench->scene->bindings];
  free(bench->event);
  bench->event = NULL;
  file = open_memstream(&bench->event, &bench->event_len);
  bench_must(file != NULL ? REBAL_OK : REBAL_ENOMEM);
  (void)fputs("{\"type\":\"MODIFIED\",\"object\":", file);
  bench_write_watched_cluster(file, cluster, ++bench->events);
  (void)fputs("}\n", file);
  bench_must(fclose(file) == 0 ? REBAL_OK : REBAL_ENOMEM);
}

static void put_event(struct bench *bench) {
  bench_must(rebal_watch_feed(bench->watch, bench->event, bench->event_len, NULL));
}

static void feed(struct bench *bench) {
  struct test_world *world = &bench->world;

  bench_must(rebal_store_feed_clusters(bench->store, world->fleet, &bench->feed, NULL));
  rebal_bindings_reset(world->bindings);
  bench_must(rebal_store_feed_bindings(bench->store, world->fleet, &bench->binding, 1, world->bindings, NULL));
  bench_must(rebal_bindings_freeze(world->bindings, NULL));
  rebal_snapshot_unref(world->snapshot);
  world->snapshot = NULL;
  bench_must(rebal_fleet_freeze(world->fleet, &world->snapshot, NULL));
}

static void decide(struct bench *bench) {
  struct test_world *world = &bench->world;

  bench_must(rebal_scheduler_step(world->ctx, world->snapshot, world->bindings, &now, NULL, world->result, NULL));
}

static void render(struct bench *bench) {
  const size_t n = rebal_result_count(bench->world.result, REBAL_TABLE_ACTION);
  rebal_request request = {.struct_size = sizeof request};
  size_t len = 0;

  for (size_t i = 0; i < n; i++) {
    rebal_text_reset(bench->text);
    bench_must(rebal_store_render_action(bench->store, bench->world.result, i, NULL, bench->text, &request, NULL));
    (void)rebal_text_bytes(bench->text, &len);
  }
  if (len == 0) {
    (void)fputs("bench-feed: the decision has no action\n", stderr);
    exit(EXIT_FAILURE);
  }
}

static void take_turn(struct bench *bench) {
  put_event(bench);
  feed(bench);
  decide(bench);
  render(bench);
}

static void draw_and_put(struct bench *bench) {
  draw_event(bench);
  put_event(bench);
}

static void draw_and_feed(struct bench *bench) {
  draw_and_put(bench);
  feed(bench);
}

static void draw_and_decide(struct bench *bench) {
  draw_and_feed(bench);
  decide(bench);
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

static void open_scene(struct bench *bench) {
  test_allocator_init(&bench->rows.memory, 0, TEST_FAIL_ONCE);
  bench_world_open(&bench->world, &bench->rows.memory.functions);
  bench_must(rebal_store_new(NULL, &bench->store, NULL));
  bench_must(rebal_text_new(&bench->text, NULL));
  load_clusters(bench);
  load_bindings(bench);
}

static void close_scene(struct bench *bench) {
  free(bench->event);
  bench->event = NULL;
  rebal_text_free(bench->text);
  rebal_feed_free(bench->feed);
  bench->feed = NULL;
  rebal_watch_free(bench->watch);
  rebal_store_free(bench->store);
  test_world_close(&bench->world);
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

static const struct bench_scene thousand = {1000, 1};
static const struct bench_scene five_thousand = {5000, 1};
static const struct bench_scene many_bindings = {5000, MOST_BINDINGS};

static const struct bench_line lines[] = {
    {"event/1000/turn", &thousand, {draw_event, take_turn, NULL, 0}},
    {"event/5000/turn", &five_thousand, {draw_event, take_turn, NULL, 0}},
    {"event/5000/put", &five_thousand, {draw_event, put_event, NULL, 0}},
    {"event/5000/feed", &five_thousand, {draw_and_put, feed, NULL, 0}},
    {"event/5000/decide", &five_thousand, {draw_and_feed, decide, NULL, 0}},
    {"event/5000/render", &five_thousand, {draw_and_decide, render, NULL, 0}},
    {"event/5000/turn-of-400", &many_bindings, {draw_event, take_turn, NULL, 0}},
    {"event/5000/decide-of-400", &many_bindings, {draw_and_feed, decide, NULL, 0}},
};

int main(int argc, char **argv) {
  static struct bench bench;

  bench_rows_read(&bench.rows, argc, argv);
  bench_measure_lines(&bench.rows, &bench, lines, sizeof lines / sizeof lines[0], enter, close_scene);
  return EXIT_SUCCESS;
}
