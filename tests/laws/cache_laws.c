/* SPDX-License-Identifier: MIT */
/* The content of the cache never shows in an answer. */
#include "laws.h"

/* None, one entry, no limit. */
#define CACHES 3

static void open_caches(rebal_ctx **contexts) {
  contexts[0] = test_context(NULL, REBAL_CTX_FLAG_NO_CACHE, 0);
  contexts[1] = test_context(NULL, 0, 1);
  contexts[2] = test_context(NULL, 0, 0);
}

static void close_caches(rebal_ctx **contexts) {
  for (size_t i = 0; i < CACHES; i++) {
    rebal_ctx_free(contexts[i]);
  }
}

static const char *compare_caches(struct test_world *world, rebal_ctx **contexts) {
  static struct answers bare, cached;
  const char *wrong = answer_all(world, contexts[0], NULL, &bare);

  for (size_t i = 1; wrong == NULL && i < CACHES; i++) {
    wrong = answer_all(world, contexts[i], NULL, &cached);
    wrong = wrong == NULL ? compare_answers(&bare, &cached) : wrong;
  }
  return wrong;
}

const char *law_caches(struct dice *dice) {
  static struct drawing drawing;
  struct test_world world;
  rebal_ctx *contexts[CACHES];
  const char *wrong = NULL;

  draw(dice, &drawing, 1);
  open_drawing(&world, &drawing, NULL, NULL);
  open_caches(contexts);
  for (int round = 0; wrong == NULL && round < 2; round++) {
    wrong = compare_caches(&world, contexts);
  }
  close_caches(contexts);
  test_world_close(&world);
  return wrong;
}

/* One change: a cluster is replaced, removed or added, some of its cells change, or an unknown name gets an id. */
static void edit(struct dice *dice, struct test_world *world, struct drawing *drawing, uint8_t *present) {
  const size_t number = roll(dice, LAW_CLUSTERS);
  struct drawn_cluster *drawn = &drawing->clusters[number];
  const uint32_t id = test_cluster_id(world, drawn->name);

  if (!present[number]) {
    (void)test_add_cluster(world, &drawn->cluster);
    present[number] = 1;
  } else if (chance(dice, 20)) {
    (void)rebal_cells_remove(rebal_fleet_cells(world->fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &id, 1, NULL);
    present[number] = 0;
  } else if (chance(dice, 50)) {
    draw_cluster(dice, drawn, number, 1);
    test_set_cluster(world, id, &drawn->cluster);
  } else {
    (void)rebal_cells_set_i64(rebal_fleet_cells(world->fleet), REBAL_CLUSTER_DELETING, REBAL_NONE, id, chance(dice, 30),
                              NULL);
    (void)rebal_cells_set_text(rebal_fleet_cells(world->fleet), REBAL_CLUSTER_REGION, REBAL_NONE, id, "r9", 2, NULL);
  }
  if (chance(dice, 10)) {
    char name[] = "x0";

    name[1] = (char)('0' + roll(dice, 10));
    (void)test_cluster_id(world, name);
  }
}

const char *law_edits(struct dice *dice) {
  static struct drawing drawing;
  struct test_world world;
  rebal_ctx *contexts[CACHES];
  rebal_snapshot *older = NULL;
  uint8_t present[LAW_CLUSTERS] = {0};
  const char *wrong = NULL;

  draw(dice, &drawing, 1);
  for (size_t i = 0; i < LAW_CLUSTERS; i++) {
    if (i >= drawing.n_clusters) {
      draw_cluster(dice, &drawing.clusters[i], i, 1);
    }
    present[i] = i < drawing.n_clusters;
  }
  open_drawing(&world, &drawing, NULL, NULL);
  open_caches(contexts);
  for (int round = 0; wrong == NULL && round < 8; round++) {
    wrong = compare_caches(&world, contexts);
    for (uint32_t edits = roll(dice, 4); edits > 0; edits--) {
      edit(dice, &world, &drawing, present);
    }
    rebal_snapshot_unref(older);
    older = rebal_snapshot_ref(world.snapshot);
    test_freeze(&world);
    if (wrong == NULL && chance(dice, 20)) { /* a call with the former snapshot in between */
      rebal_snapshot *newer = world.snapshot;

      wrong = compare_caches(&world, contexts);
      world.snapshot = older;
      wrong = wrong == NULL ? compare_caches(&world, contexts) : wrong;
      world.snapshot = newer;
    }
  }
  rebal_snapshot_unref(older);
  close_caches(contexts);
  test_world_close(&world);
  return wrong;
}
