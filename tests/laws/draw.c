/* SPDX-License-Identifier: MIT */
/* Random fleets, placements and bindings, small enough that every feature is combined with every other. */
#include "laws.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void shuffle(struct dice *dice, size_t *order, size_t n) {
  for (size_t i = 0; i < n; i++) {
    order[i] = i;
  }
  for (size_t i = n; i > 1; i--) {
    const size_t other = roll(dice, (uint32_t)i);
    const size_t swapped = order[i - 1];

    order[i - 1] = order[other];
    order[other] = swapped;
  }
}

const char *fault(const char *format, ...) {
  static char text[4096];
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

void draw_cluster(struct dice *dice, struct drawn_cluster *drawn, size_t number, int models) {
  static const char *const regions[] = {"r1", "r1", "r2", "r3", NULL};
  static const char *const zones[] = {"z1", "z1 z2", "z3", NULL};
  static const char *const labels[] = {"env=prod", "env=prod tier=web", "env=test", NULL};
  static const char *const taints[] = {"k=v:NoSchedule", "k:NoExecute", "k=v:PreferNoSchedule", NULL, NULL, NULL};
  static const char *const apis[] = {
      "apps/v1=Deployment", "v1=ConfigMap", "apps/v1=StatefulSet,Deployment", NULL, NULL, NULL};
  struct test_cluster *cluster = &drawn->cluster;
  unsigned cpu, memory, pods; /* rolled one after another: compilers order arguments as they like */

  memset(drawn, 0, sizeof *drawn);
  (void)snprintf(drawn->name, sizeof drawn->name, "m%02u", (unsigned)number);
  pods = roll(dice, 30), memory = roll(dice, 9), cpu = roll(dice, 9);
  (void)snprintf(drawn->allocatable, sizeof drawn->allocatable, "cpu=%u memory=%uGi pods=%u", cpu, memory, pods);
  pods = roll(dice, 4), cpu = roll(dice, 4000);
  (void)snprintf(drawn->allocated, sizeof drawn->allocated, "cpu=%um pods=%u", cpu, pods);
  cluster->name = drawn->name;
  cluster->allocatable = chance(dice, 90) ? drawn->allocatable : NULL;
  cluster->allocated = chance(dice, 50) && cluster->allocatable != NULL ? drawn->allocated : NULL;
  cluster->region = PICK(dice, regions);
  cluster->zones = PICK(dice, zones);
  cluster->labels = PICK(dice, labels);
  cluster->taints = PICK(dice, taints);
  cluster->apis = PICK(dice, apis);
  cluster->deleting = chance(dice, 5);
  if (models && chance(dice, 30)) {
    cluster->models = "0:cpu=0 1:cpu=1,memory=1Gi 2:cpu=4,memory=8Gi";
    cluster->modelings = chance(dice, 50) ? "1=2 2=1" : "0=1 1=3";
  }
}

/* A few names of clusters, some of which no fleet has. */
static const char *draw_names(struct dice *dice, char *out, size_t n_clusters) {
  const uint32_t count = 1 + roll(dice, 4);
  size_t len = 0;

  for (uint32_t i = 0; i < count; i++) {
    len += (size_t)snprintf(out + len, LAW_TEXT - len, "%sm%02u", i == 0 ? "" : " ",
                            (unsigned)roll(dice, (uint32_t)n_clusters + 2));
  }
  return out;
}

static void draw_affinity(struct dice *dice, struct test_affinity *affinity, char *names, size_t n_clusters) {
  static const char *const labels[] = {"env=prod", "env=test", "tier=web", "", NULL, NULL, NULL};
  static const char *const expressions[] = {
      "env:Exists", "tier:NotIn:web", "env:In:prod,test", "bad key:Exists", NULL, NULL, NULL, NULL};
  static const char *const fields[] = {
      "region:In:r1,r2", "region:NotIn:r3", "zone:In:z1", "zone:NotIn:z2", NULL, NULL, NULL, NULL};

  affinity->labels = PICK(dice, labels);
  affinity->expressions = PICK(dice, expressions);
  affinity->fields = PICK(dice, fields);
  if (chance(dice, 40)) {
    affinity->clusters = chance(dice, 50) ? draw_names(dice, names, n_clusters) : NULL;
    affinity->exclude = affinity->clusters == NULL ? draw_names(dice, names, n_clusters) : NULL;
  }
}

static void draw_groups(struct dice *dice, struct drawn_placement *drawn, size_t n_clusters) {
  static const char *const names[] = {"one", "two", "three"};

  drawn->placement.terms = drawn->terms;
  drawn->placement.n_terms = 1 + roll(dice, 3);
  for (size_t i = 0; i < drawn->placement.n_terms; i++) {
    drawn->terms[i].name = names[i];
    draw_affinity(dice, &drawn->terms[i], drawn->names[i], n_clusters);
  }
  if (chance(dice, 50)) {
    drawn->terms[0].overflow = drawn->overflow;
    drawn->terms[0].n_overflow = 1 + roll(dice, 2);
    draw_affinity(dice, &drawn->overflow[0], drawn->names[4], n_clusters);
    draw_affinity(dice, &drawn->overflow[1], drawn->names[5], n_clusters);
  }
}

static void draw_spreads(struct dice *dice, struct drawn_placement *drawn) {
  const uint32_t clusters = 1 + roll(dice, 4), regions = 1 + roll(dice, 2);
  size_t len = 0;

  if (chance(dice, 40)) {
    len = (size_t)snprintf(drawn->spreads, sizeof drawn->spreads, "region:%u:%u ", (unsigned)regions,
                           (unsigned)(regions + roll(dice, 2)));
  }
  if (len == 0 || chance(dice, 70)) {
    len += (size_t)snprintf(drawn->spreads + len, sizeof drawn->spreads - len, "cluster:%u:%u ", (unsigned)clusters,
                            (unsigned)(clusters + roll(dice, 3)));
  }
  if (chance(dice, 10)) {
    (void)snprintf(drawn->spreads + len, sizeof drawn->spreads - len, "zone:1:2");
  }
  drawn->placement.spreads = drawn->spreads;
}

static void draw_placement(struct dice *dice, struct drawn_placement *drawn, size_t n_clusters) {
  static const char *const schedulings[] = {NULL,
                                            "Duplicated",
                                            "Divided/Weighted",
                                            "Divided/Weighted/AvailableReplicas",
                                            "Divided/Aggregated",
                                            "Divided/Aggregated",
                                            "Divided/Weighted/AvailableReplicas",
                                            "Divided"};
  static const char *const tolerations[] = {":Exists", "k:Equal:v:NoSchedule", ":", NULL};
  struct test_placement *placement = &drawn->placement;

  memset(drawn, 0, sizeof *drawn);
  placement->scheduling = PICK(dice, schedulings);
  placement->tolerations = PICK(dice, tolerations);
  if (chance(dice, 30)) {
    draw_groups(dice, drawn, n_clusters);
  } else if (chance(dice, 60)) {
    placement->affinity = &drawn->affinity;
    draw_affinity(dice, &drawn->affinity, drawn->names[3], n_clusters);
  }
  if (chance(dice, 50)) {
    draw_spreads(dice, drawn);
  }
  if (placement->scheduling != NULL && chance(dice, 30)) {
    const unsigned all = roll(dice, 2), two = roll(dice, 4), one = roll(dice, 4);

    (void)snprintf(drawn->weights, sizeof drawn->weights, "m00=%u m01+m02=%u *=%u", one, two, all);
    placement->weights = drawn->weights;
  }
}

static void draw_targets(struct dice *dice, struct drawn_binding *drawn, size_t n_clusters) {
  size_t len = 0;

  for (size_t i = 0; i < n_clusters + 2; i++) { /* two of them in no fleet */
    if (chance(dice, 25)) {
      len += (size_t)snprintf(drawn->targets + len, sizeof drawn->targets - len, "%sm%02u=%u", len == 0 ? "" : " ",
                              (unsigned)i, (unsigned)roll(dice, 6));
    }
  }
  drawn->binding.targets = drawn->targets;
}

/* Components instead of replicas, often ones that are estimated in sets. */
static void draw_components(struct dice *dice, struct drawn_binding *drawn) {
  static const char *const components[] = {"driver=1", "driver=4", "driver=1 worker=3", "driver=2 worker=0 web=2"};

  drawn->binding.components = PICK(dice, components);
  drawn->binding.replicas = 0;
  drawn->binding.request = NULL;
  if (chance(dice, 70)) {
    drawn->placement.placement.spreads = "cluster:1:1";
  }
}

void draw_binding(struct dice *dice, struct drawn_binding *drawn, size_t number, size_t n_clusters) {
  static const char *const uids[] = {"", "a", "b", "uid-1"};
  static const char *const requests[] = {NULL, "", "cpu=500m", "cpu=1 memory=1Gi", "memory=2Gi", "pods=2"};
  static const char *const observed[] = {NULL, "one", "two", "gone"};
  struct test_binding *binding = &drawn->binding;

  memset(drawn, 0, sizeof *drawn);
  draw_placement(dice, &drawn->placement, n_clusters);
  (void)snprintf(drawn->key, sizeof drawn->key, chance(dice, 90) ? "ns/b%u" : "b%u", (unsigned)number);
  binding->key = drawn->key;
  binding->uid = PICK(dice, uids);
  binding->replicas = chance(dice, 90) ? roll(dice, 25) : 0;
  binding->request = PICK(dice, requests);
  binding->placement = &drawn->placement.placement;
  binding->observed = PICK(dice, observed);
  binding->scheduled_at = 10;
  binding->triggered_at = chance(dice, 30) ? 11 : 0;
  binding->generation = 3;
  binding->evicting = chance(dice, 10) ? "m01 m03" : NULL;
  if (chance(dice, 60)) {
    draw_targets(dice, drawn, n_clusters);
  }
  if (chance(dice, 15)) {
    draw_components(dice, drawn);
  }
}

void draw(struct dice *dice, struct drawing *drawing, int models) {
  drawing->models = models;
  drawing->n_clusters = 1 + roll(dice, LAW_CLUSTERS);
  for (size_t i = 0; i < drawing->n_clusters; i++) {
    draw_cluster(dice, &drawing->clusters[i], i, models);
  }
  drawing->n_bindings = 1 + roll(dice, LAW_BINDINGS);
  for (size_t i = 0; i < drawing->n_bindings; i++) {
    draw_binding(dice, &drawing->bindings[i], i, drawing->n_clusters);
  }
}

void open_drawing(struct test_world *world, const struct drawing *drawing, const size_t *clusters,
                  const size_t *bindings) {
  test_world_open(world, NULL);
  for (size_t i = 0; i < drawing->n_clusters; i++) {
    (void)test_add_cluster(world, &drawing->clusters[clusters == NULL ? i : clusters[i]].cluster);
  }
  for (size_t i = 0; i < drawing->n_bindings; i++) {
    (void)test_add_binding(world, NULL, &drawing->bindings[bindings == NULL ? i : bindings[i]].binding);
  }
  test_freeze(world);
}

void open_again(struct test_world *world, const struct drawing *drawing, size_t only_binding) {
  test_world_open(world, NULL);
  for (size_t i = 0; i < drawing->n_clusters; i++) {
    (void)test_add_cluster(world, &drawing->clusters[i].cluster);
  }
  (void)test_add_binding(world, NULL, &drawing->bindings[only_binding].binding);
  test_freeze(world);
}

const char *answer_all(struct test_world *world, rebal_ctx *ctx, const rebal_schedule_opts *opts,
                       struct answers *answers) {
  const int32_t code = rebal_schedule(ctx, world->snapshot, world->bindings, opts, world->result, &world->err);

  if (code != REBAL_OK) {
    return fault("rebal_schedule: %s", world->err.message);
  }
  answers->n = rebal_result_count(world->result, REBAL_TABLE_DECISION);
  for (size_t i = 0; i < answers->n; i++) {
    (void)snprintf(answers->text[i], sizeof answers->text[i], "%s", test_answer(world->result, world->snapshot, i));
  }
  return NULL;
}

const char *compare_answers(const struct answers *left, const struct answers *right) {
  if (left->n != right->n) {
    return fault("%u answers, not %u", (unsigned)right->n, (unsigned)left->n);
  }
  for (size_t i = 0; i < left->n; i++) {
    if (strcmp(left->text[i], right->text[i]) != 0) {
      return fault("binding %u: \"%s\", not \"%s\"", (unsigned)i, right->text[i], left->text[i]);
    }
  }
  return NULL;
}
