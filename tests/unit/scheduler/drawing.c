/* SPDX-License-Identifier: MIT */
#include "drawing.h"

#include "../unit.h"

#include <stdio.h>

#define PICK(drawing, list) ((list)[draw(drawing, (uint32_t)REBALI_COUNT(list))])

static const struct test_affinity over[] = {{"", .labels = "tier=2"}, {"", .fields = "region:In:us"}};
static const struct test_affinity affinities[] = {
    {"a"},
    {"b", .labels = "tier=1"},
    {"c", .labels = "tier=2 env=prod"},
    {"d", .expressions = "tier:Exists;env:NotIn:dev", .overflow = over, .n_overflow = 2},
    {"e", .fields = "region:In:us,eu;provider:NotIn:p"},
    {"f", .fields = "zone:In:z1,z2;region:Exists"},
    {"g", .clusters = "m000 m003 m007 m064 m127 m999", .overflow = over, .n_overflow = 1},
    {"h", .clusters = "m000 m001 m002 m070", .exclude = "m001 m070 m998", .labels = "tier=1"},
    {"i", .exclude = "m000 m005 m063 m064 m100"},
    {"j", .expressions = "tier:Gt:1"}, /* malformed: matches nothing */
    {"k", .fields = "rack:DoesNotExist", .overflow = over, .n_overflow = 2},
};

uint32_t draw(struct drawing *drawing, uint32_t below) {
  drawing->state = drawing->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(drawing->state >> 33) % below;
}

/* The name lives until the next call. */
static struct test_cluster draw_cluster(struct drawing *drawing, uint32_t number) {
  static const char *const labels[] = {NULL, "tier=1", "tier=2", "tier=2 env=prod", "env=prod", "env=dev tier=1"};
  static const char *const taints[] = {NULL, NULL, NULL, "k=v:NoSchedule", "k:NoExecute", "k=v:PreferNoSchedule"};
  static const char *const apis[] = {NULL, NULL, "", "v1=ConfigMap", "v1=ConfigMap apps/v1=Deployment", "batch/v1=Job"};
  static const char *const regions[] = {NULL, "us", "eu", "asia"};
  static const char *const providers[] = {NULL, "p", "q"};
  static const char *const zones[] = {NULL, "z1", "z2 z3", "z3"};
  static char name[8], own[32];
  struct test_cluster cluster = {name};

  (void)snprintf(name, sizeof name, "m%03u", number);
  (void)snprintf(own, sizeof own, "host=%03u tier=%u", number, number % 3);
  cluster.labels = draw(drawing, 3) == 0 ? own : PICK(drawing, labels); /* more sets than are remembered */
  cluster.taints = PICK(drawing, taints);
  cluster.apis = PICK(drawing, apis);
  cluster.region = PICK(drawing, regions);
  cluster.provider = PICK(drawing, providers);
  cluster.zones = PICK(drawing, zones);
  cluster.deleting = draw(drawing, 16) == 0;
  return cluster;
}

static uint32_t draw_placement(struct drawing *drawing) {
  static const char *const tolerations[] = {NULL, ":Exists", "k:Equal:v:NoSchedule", "k:Exists::NoExecute"};
  static const char *const spreads[] = {NULL, NULL, "region:1:1", "zone:1 provider:1", "cluster:1:2 region:1"};
  static const char *const schedulings[] = {NULL, "Duplicated", "Divided/Weighted", "Divided/Weighted",
                                            "Divided/Aggregated"};
  static const char *const weights[] = {
      NULL, "", "*=1", "m000=5 m001=5 *=2", "m003=2147483647 m064+m007=9 *=1", "m000=0 m001=3", "m001=2147483648 *=1"};
  struct test_placement placement = {.tolerations = PICK(drawing, tolerations)};

  placement.spreads = PICK(drawing, spreads);
  placement.scheduling = PICK(drawing, schedulings);
  if (draw(drawing, 2) == 0) {
    placement.affinity = draw(drawing, 4) == 0 ? NULL : &PICK(drawing, affinities);
  } else {
    placement.n_terms = 1 + draw(drawing, 3);
    placement.terms = affinities + draw(drawing, (uint32_t)REBALI_COUNT(affinities) - 3);
  }
  placement.weights = placement.scheduling == NULL ? NULL : PICK(drawing, weights);
  return test_placement_handle(&drawing->world, &placement);
}

void drawing_change(struct drawing *drawing) {
  const uint32_t some = 1 + draw(drawing, DRAWN_CLUSTERS);

  for (uint32_t i = draw(drawing, 3) == 0 ? 0 : draw(drawing, 20); i > 0 && drawing->n > 0; i--) {
    const uint32_t number = draw(drawing, drawing->n);
    const struct test_cluster cluster = draw_cluster(drawing, number);

    if (!drawing->is_present[number]) {
      drawing->ids[number] = test_add_cluster(&drawing->world, &cluster);
      drawing->is_present[number] = 1;
    } else if (draw(drawing, 4) == 0) {
      ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(drawing->world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE,
                                          &drawing->ids[number], 1, NULL),
                       REBAL_OK);
      drawing->is_present[number] = 0;
    } else {
      test_set_cluster(&drawing->world, drawing->ids[number], &cluster);
    }
  }
  for (; drawing->n < some && (drawing->n == 0 || draw(drawing, 30) != 0); drawing->n++) {
    const struct test_cluster cluster = draw_cluster(drawing, drawing->n);

    drawing->ids[drawing->n] = test_add_cluster(&drawing->world, &cluster);
    drawing->is_present[drawing->n] = 1;
  }
  test_freeze(&drawing->world);
}

static const char *draw_names(struct drawing *drawing, char text[64], const char *suffix) {
  size_t len = 0;

  for (uint32_t i = draw(drawing, 5); i > 0; i--) {
    len += (size_t)snprintf(text + len, 64 - len, "%sm%03u%s", len == 0 ? "" : " ", draw(drawing, drawing->n + 2),
                            suffix); /* some were never there */
  }
  return len == 0 ? NULL : text;
}

void drawing_bind(struct drawing *drawing) {
  static const char *const kinds[] = {NULL, NULL, "v1=ConfigMap", "/v1=ConfigMap", "batch/v1=Job", "a/b/c=X"};
  static const char *const groups[] = {NULL, NULL, NULL, NULL, "g", "h"};
  static const char *const names[] = {NULL, "a", "b", "d", "g", "none"};
  char key[16], targets[64], evicting[64];

  rebal_bindings_free(drawing->world.bindings);
  drawing->world.bindings = test_new_bindings(&drawing->world);
  for (uint32_t i = 0; i < DRAWN_BINDINGS; i++) {
    struct test_binding binding = {key, .kind = PICK(drawing, kinds)};
    const uint32_t row = i;

    binding.replicas = draw(drawing, 2);
    binding.observed = PICK(drawing, names);
    binding.friends = PICK(drawing, groups);
    binding.foes = PICK(drawing, groups);
    (void)snprintf(key, sizeof key, "ns/b%02u", i);
    binding.targets = draw_names(drawing, targets, "=1");
    binding.evicting = draw_names(drawing, evicting, "");
    (void)test_add_binding(&drawing->world, NULL, &binding);
    drawing->placements[i % DRAWN_PLACEMENTS] = draw_placement(drawing);
    ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(drawing->world.bindings), REBAL_BINDING_PLACEMENT,
                                         REBAL_NONE, row, drawing->placements[i % DRAWN_PLACEMENTS], NULL),
                     REBAL_OK);
  }
  test_freeze(&drawing->world);
}

void drawing_open(struct drawing *drawing, uint64_t seed) {
  memset(drawing, 0, sizeof *drawing);
  drawing->state = seed;
  test_world_open(&drawing->world, NULL);
}

void drawing_close(struct drawing *drawing) {
  test_world_close(&drawing->world);
}

const struct rebali_placement *drawing_placement(struct drawing *drawing, rebal_ctx *ctx, uint32_t handle) {
  const struct rebali_placement *placement = NULL;

  ck_assert_int_eq(rebali_placement_get(ctx, drawing->world.snapshot, handle, &placement, NULL), REBAL_OK);
  return placement;
}
