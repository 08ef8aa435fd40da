/* SPDX-License-Identifier: MIT */
/*
 * Threads as rebalance-embedding(7) allows them, for the thread sanitizer: one changes the fleet and passes snapshots
 * on, others share snapshots and frozen bindings, each with a context and a result of its own. All answer alike.
 */
#include "../laws/laws.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define SNAPSHOTS 40

/* Passed on by the fleet's thread; a snapshot is taken once its number is below n. */
struct handed {
  pthread_mutex_t lock;
  pthread_cond_t more;
  rebal_snapshot *snapshots[SNAPSHOTS];
  size_t n;
  const rebal_bindings *bindings;
};

struct worker {
  pthread_t thread;
  struct handed *handed;
  uint64_t seen[SNAPSHOTS];
  int is_fine;
};

static uint64_t mixed(uint64_t sum, const void *bytes, size_t len) {
  const unsigned char *at = bytes;

  for (size_t i = 0; i < len; i++) {
    sum = (sum ^ at[i]) * UINT64_C(1099511628211);
  }
  return sum;
}

/* A hash of all placements of a result, by name. */
static uint64_t number_of(const rebal_result *result, const rebal_snapshot *snapshot) {
  const rebal_cells *cells = rebal_snapshot_cells(snapshot);
  uint64_t sum = UINT64_C(14695981039346656037);
  size_t n, n_replicas;
  const int64_t *clusters = rebal_result_i64(result, REBAL_PLACED_CLUSTER, &n);
  const int64_t *replicas = rebal_result_i64(result, REBAL_PLACED_REPLICAS, &n_replicas);

  for (size_t i = 0; i < n && i < n_replicas; i++) {
    const char *name = rebal_cells_get_text(cells, REBAL_CLUSTER_NAME, REBAL_NONE, (uint32_t)clusters[i], NULL);
    const unsigned char count = (unsigned char)replicas[i];

    sum = mixed(mixed(sum, name, strlen(name)), &count, 1);
  }
  return sum;
}

static rebal_snapshot *take(struct handed *handed, size_t number) {
  rebal_snapshot *snapshot;

  (void)pthread_mutex_lock(&handed->lock);
  while (handed->n <= number) {
    (void)pthread_cond_wait(&handed->more, &handed->lock);
  }
  snapshot = rebal_snapshot_ref(handed->snapshots[number]);
  (void)pthread_mutex_unlock(&handed->lock);
  return snapshot;
}

static void *work(void *user_data) {
  struct worker *worker = user_data;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;

  worker->is_fine =
      rebal_ctx_new(NULL, NULL, &ctx, NULL) == REBAL_OK && rebal_result_new(NULL, &result, NULL) == REBAL_OK;
  for (size_t i = 0; i < SNAPSHOTS && worker->is_fine; i++) {
    rebal_snapshot *snapshot = take(worker->handed, i);

    worker->is_fine = rebal_schedule(ctx, snapshot, worker->handed->bindings, NULL, result, NULL) == REBAL_OK;
    worker->seen[i] = number_of(result, snapshot);
    rebal_snapshot_unref(snapshot);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return NULL;
}

/* Changes the fleet, and hands a snapshot on after each change. */
static int hand_on(struct handed *handed, struct test_world *world, struct dice *dice, size_t n_clusters) {
  for (size_t i = 0; i < SNAPSHOTS; i++) {
    const size_t number = roll(dice, (uint32_t)n_clusters);
    struct drawn_cluster changed;
    rebal_snapshot *snapshot;

    draw_cluster(dice, &changed, number, 1);
    test_set_cluster(world, test_cluster_id(world, changed.name), &changed.cluster);
    if (rebal_fleet_freeze(world->fleet, &snapshot, NULL) != REBAL_OK) {
      return 0;
    }
    (void)pthread_mutex_lock(&handed->lock);
    handed->snapshots[handed->n++] = snapshot;
    (void)pthread_cond_broadcast(&handed->more);
    (void)pthread_mutex_unlock(&handed->lock);
  }
  return 1;
}

static int is_alike(const struct worker *workers) {
  for (size_t i = 0; i < THREADS; i++) {
    if (!workers[i].is_fine || memcmp(workers[i].seen, workers[0].seen, sizeof workers[0].seen) != 0) {
      return 0;
    }
  }
  return 1;
}

int main(void) {
  static struct drawing drawing;
  static struct worker workers[THREADS];
  static struct handed handed = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};
  struct dice dice = {20};
  struct test_world world;
  int is_fine;

  draw(&dice, &drawing, 1);
  open_drawing(&world, &drawing, NULL, NULL);
  handed.bindings = world.bindings;
  for (size_t i = 0; i < THREADS; i++) {
    workers[i].handed = &handed;
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
      return EXIT_FAILURE;
    }
  }
  is_fine = hand_on(&handed, &world, &dice, drawing.n_clusters);
  for (size_t i = 0; i < THREADS && is_fine; i++) {
    is_fine = pthread_join(workers[i].thread, NULL) == 0;
  }
  for (size_t i = 0; i < handed.n; i++) {
    rebal_snapshot_unref(handed.snapshots[i]);
  }
  test_world_close(&world);
  if (!is_fine || !is_alike(workers)) {
    (void)fprintf(stderr, "threads: a thread failed, or its answer differs\n");
    return EXIT_FAILURE;
  }
  (void)printf("%d threads, %d snapshots: %016" PRIx64 "\n", THREADS, SNAPSHOTS,
               mixed(0, workers[0].seen, sizeof workers[0].seen));
  return EXIT_SUCCESS;
}
