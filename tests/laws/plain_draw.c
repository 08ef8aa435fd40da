/* SPDX-License-Identifier: MIT */
/* Random fleets of many clusters with many ties, bindings with a history, and rows that change. */
#include "plain.h"

#include <stdio.h>
#include <string.h>

static const char *const uids[] = {"", "a", "b", "uid-1", "uid-2"};
static const struct plain_request requests[] = {
    {NULL, {0, 0, 0}},
    {"", {0, 0, 0}},
    {"cpu=500m", {0, 500, 0}},
    {"cpu=1 memory=1Gi", {0, 1000, 1 << 30}},
    {"memory=3", {0, 0, 3}},
    {"cpu=30", {0, 30000, 0}},
    {"cpu=1500u memory=7", {0, 2, 7}},
    {"pods=2", {2, 0, 0}},
};

static uint32_t one_of(struct dice *dice, const uint32_t *numbers, size_t n) {
  return numbers[roll(dice, (uint32_t)n)];
}
#define ONE_OF(dice, numbers) one_of(dice, numbers, sizeof(numbers) / sizeof((numbers)[0]))

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

static int64_t draw_pods(struct dice *dice, uint32_t habit) {
  static const uint32_t few[] = {0, 1, 2, 2, 3, 5, 8}, usual[] = {0, 110, 110, 110, 120, 110},
                        extreme[] = {0, 110, INT32_MAX, INT32_MAX - 1, 1000, INT32_MAX};

  switch (habit) {
    case 0:
      return ONE_OF(dice, few);
    case 1:
      return ONE_OF(dice, usual);
    case 2:
      return ONE_OF(dice, extreme);
    case 3:
      return roll(dice, 40);
    case 4:
      return roll(dice, 100000);
    default:
      return 7; /* all alike */
  }
}

static void draw_amounts(struct dice *dice, struct plain_cluster *cluster, uint32_t habit) {
  static const uint32_t cores[] = {0, 1000, 4000, 4000, 16000, 64000, 2000000},
                        bytes[] = {0, 1, 64, 1 << 30, UINT32_MAX};
  const int64_t fraction = chance(dice, 20) ? roll(dice, 1000) : 0;

  cluster->allocatable[PLAIN_PODS] = chance(dice, 97) ? draw_pods(dice, habit) : -1;
  cluster->allocatable[PLAIN_CPU] = chance(dice, 95) ? (int64_t)ONE_OF(dice, cores) + fraction : -1;
  cluster->allocatable[PLAIN_MEMORY] = -1;
  if (chance(dice, 90)) {
    cluster->allocatable[PLAIN_MEMORY] = ONE_OF(dice, bytes);
    cluster->allocatable[PLAIN_MEMORY] *= 1 + (int64_t)roll(dice, 3);
  }
  for (size_t i = 0; i < PLAIN_RESOURCES; i++) {
    const int64_t all = cluster->allocatable[i] < 1 ? 1 : cluster->allocatable[i];

    cluster->allocated[i] =
        habit < 5 && chance(dice, 40) ? (int64_t)roll(dice, all < 1000 ? (uint32_t)all + 1 : 1000) : -1;
  }
  cluster->has_summary = chance(dice, 97);
}

static void draw_cells(struct dice *dice, struct plain_cluster *cluster, uint32_t n_regions) {
  static const uint32_t zones[] = {0, 1, 1, 2}, providers[] = {0, 1, 1, 2}, taints[] = {0, 0, 0, 0, 0, 1, 2, 3},
                        apis[] = {1, 1, 1, 1, 1, 2, 2, 3, 0};

  cluster->is_deleting = chance(dice, 4);
  cluster->region = roll(dice, n_regions);
  cluster->provider = ONE_OF(dice, providers);
  cluster->zones = ONE_OF(dice, zones);
  cluster->tier = roll(dice, 4);
  cluster->taint = ONE_OF(dice, taints);
  cluster->apis = ONE_OF(dice, apis);
}

static void draw_handles(struct plain_case *drawn) {
  static const char *const zones[] = {NULL, "z1", "z1 z2"}, *const tiers[] = {NULL, "tier=1", "tier=2", "tier=3 env=a"},
                           *const taints[] = {NULL, "k=v:NoSchedule", "k:NoExecute", "k=v:PreferNoSchedule"},
                           *const apis[] = {"v1=ConfigMap", "apps/v1=Deployment", "apps/v1=Deployment batch/v1=Job",
                                            "batch/v1=Job"},
                           *const resources[] = {"pods", "cpu", "memory"};

  for (size_t i = 0; i < 4; i++) {
    drawn->handles.zones[i % 3] = test_zones_handle(&drawn->world, zones[i % 3]);
    drawn->handles.tiers[i] = test_labels_handle(&drawn->world, tiers[i]);
    drawn->handles.taints[i] = test_taints_handle(&drawn->world, taints[i]);
    drawn->handles.apis[i] = test_apis_handle(&drawn->world, apis[i]);
  }
  for (size_t i = 0; i < PLAIN_RESOURCES; i++) {
    (void)rebal_fleet_resource_id(drawn->world.fleet, resources[i], strlen(resources[i]), &drawn->handles.resources[i],
                                  NULL);
  }
}

/* Few clusters more often than many, and also sizes that end with the last bit of a word. */
static size_t draw_size(struct dice *dice) {
  static const uint32_t limits[] = {4, 12, 64, 65, 128, PLAIN_CLUSTERS};
  const uint32_t limit = ONE_OF(dice, limits);

  return 1 + (chance(dice, 30) ? limit - 1 : roll(dice, limit));
}

/* Ids are not in the order of names; some names are only added later. */
static void draw_clusters(struct dice *dice, struct plain_case *drawn) {
  static size_t order[PLAIN_CLUSTERS];

  drawn->n_clusters = draw_size(dice);
  drawn->habit = roll(dice, 6);
  shuffle(dice, order, drawn->n_clusters);
  for (size_t i = 0; i < drawn->n_clusters; i++) {
    struct plain_cluster *cluster = &drawn->clusters[i];

    memset(cluster, 0, sizeof *cluster);
    (void)snprintf(cluster->name, sizeof cluster->name, "m%u", (unsigned)order[i] % 1000);
    cluster->id = REBAL_NONE;
    draw_cells(dice, cluster, drawn->n_regions);
    draw_amounts(dice, cluster, drawn->habit);
    cluster->is_present = chance(dice, 93);
    if (cluster->is_present) {
      plain_write_cluster(drawn, cluster, 0);
    }
  }
}

/* ---- placements -------------------------------------------------------------------------------------------------- */

static const char *name_of(const struct plain_case *drawn, uint32_t number) {
  return drawn->clusters[number].name;
}

static size_t draw_names(struct dice *dice, const struct plain_case *drawn, uint32_t *names, char *text) {
  const size_t n = 1 + roll(dice, PLAIN_NAMES);
  size_t len = 0;

  for (size_t i = 0; i < n; i++) {
    names[i] = roll(dice, (uint32_t)drawn->n_clusters);
    len += (size_t)snprintf(text + len, PLAIN_TEXT - len, "%s%s", i == 0 ? "" : " ", name_of(drawn, names[i]));
  }
  return n;
}

static void draw_part(struct dice *dice, const struct plain_case *drawn, struct plain_part *part,
                      struct test_affinity *table, char texts[3][PLAIN_TEXT]) {
  static const char *const tiers[] = {NULL, "tier=1", "tier=2", "tier=3"};

  part->tier = chance(dice, 60) ? 1 + roll(dice, 3) : 0;
  table->labels = tiers[part->tier];
  if (chance(dice, 20)) {
    part->other_than_region = 1 + roll(dice, PLAIN_REGIONS - 1);
    (void)snprintf(texts[0], PLAIN_TEXT, "region:NotIn:r%u", (unsigned)part->other_than_region);
    table->fields = texts[0];
  }
  if (chance(dice, 15)) {
    part->n_names = draw_names(dice, drawn, part->names, texts[1]);
    table->clusters = texts[1];
  }
  if (chance(dice, 20)) {
    part->n_excluded = draw_names(dice, drawn, part->excluded, texts[2]);
    table->exclude = texts[2];
  }
}

static void draw_affinities(struct dice *dice, const struct plain_case *drawn, struct plain_placement *placement) {
  const int are_tiers = placement->way >= PLAIN_DYNAMIC && chance(dice, 20);

  placement->n_parts = are_tiers ? 2 + roll(dice, 2) : chance(dice, 60) ? 1 : 0;
  for (size_t i = 0; i < placement->n_parts; i++) {
    draw_part(dice, drawn, &placement->parts[i], &placement->affinities[i], &placement->texts[3 * i]);
  }
  placement->is_named = are_tiers || (placement->n_parts == 1 && chance(dice, 20));
  if (placement->is_named) {
    placement->affinities[0].name = "one";
    placement->affinities[0].overflow = are_tiers ? &placement->affinities[1] : NULL;
    placement->affinities[0].n_overflow = placement->n_parts - 1;
    placement->terms[0] = placement->affinities[0];
    placement->terms[1].name = "two";
    placement->table.terms = placement->terms;
    placement->table.n_terms = 1 + (size_t)roll(dice, 2);
  } else if (placement->n_parts == 1) {
    placement->table.affinity = &placement->affinities[0];
  }
}

static struct plain_spread draw_spread(struct dice *dice, const char *field, uint32_t most, char *text) {
  struct plain_spread spread = {1, (int64_t)roll(dice, most), 0};
  const size_t len = strlen(text);

  spread.most = chance(dice, 4) ? 0 : spread.least + (int64_t)roll(dice, most);
  (void)snprintf(text + len, PLAIN_TEXT - len, "%s%s:%d:%d", len == 0 ? "" : " ", field, (int)spread.least,
                 (int)spread.most);
  return spread;
}

static void draw_spreads(struct dice *dice, const struct plain_case *drawn, struct plain_placement *placement,
                         char *text) {
  text[0] = '\0';
  if (chance(dice, drawn->is_spread ? 80 : 40)) {
    placement->regions = draw_spread(dice, "region", 4, text);
  }
  if (chance(dice, 75)) {
    placement->clusters = draw_spread(dice, "cluster", chance(dice, 70) ? 6 : 70, text);
  }
  if (chance(dice, 10)) {
    placement->zones = draw_spread(dice, "zone", 3, text);
  }
  if (chance(dice, 10)) {
    placement->providers = draw_spread(dice, "provider", 3, text);
  }
  placement->table.spreads = text[0] == '\0' ? NULL : text;
}

/* Weights that are equal, absent, negative, or too large for a ranking. */
static void draw_rules(struct dice *dice, const struct plain_case *drawn, struct plain_placement *placement,
                       char *text) {
  const int64_t large = chance(dice, 10) ? INT64_C(3000000000) : 0;
  size_t len = 0;

  placement->has_rules = 1;
  placement->n_rules = chance(dice, 90) ? 1 + roll(dice, PLAIN_RULES) : 0;
  text[0] = '\0';
  for (size_t i = 0; i < placement->n_rules; i++) {
    struct plain_rule *rule = &placement->rules[i];

    rule->cluster = chance(dice, 92) ? roll(dice, (uint32_t)drawn->n_clusters) : REBAL_NONE;
    rule->weight = chance(dice, 95) ? (int64_t)roll(dice, 5) : chance(dice, 50) ? large + roll(dice, 9) : -3;
    len += (size_t)snprintf(text + len, PLAIN_TEXT - len, "%s%s=%lld", i == 0 ? "" : " ",
                            rule->cluster == REBAL_NONE ? "*" : name_of(drawn, rule->cluster), (long long)rule->weight);
  }
  placement->table.weights = text;
}

static void draw_placement(struct dice *dice, const struct plain_case *drawn, struct plain_placement *placement) {
  static const char *const ways[] = {"Duplicated", "Divided/Weighted", "Divided/Weighted/AvailableReplicas",
                                     "Divided/Aggregated"};
  static const char *const tolerations[] = {NULL, "k:Equal:v:NoSchedule", "k:Exists::NoExecute", ":Exists"};
  uint32_t tolerated;

  memset(placement, 0, sizeof *placement);
  placement->way =
      drawn->is_spread && chance(dice, 70) ? (enum plain_way)(2 + roll(dice, 2)) : (enum plain_way)roll(dice, 4);
  placement->table.scheduling =
      placement->way == PLAIN_DUPLICATED && chance(dice, 50) ? NULL : ways[(size_t)placement->way];
  tolerated = chance(dice, 50) ? roll(dice, 4) : 0;
  placement->tolerated = tolerated == 3 ? REBAL_NONE : tolerated;
  placement->table.tolerations = tolerations[tolerated];
  draw_affinities(dice, drawn, placement);
  if (chance(dice, drawn->is_spread ? 90 : 45)) {
    draw_spreads(dice, drawn, placement, placement->texts[9]);
  }
  if (placement->way == PLAIN_STATIC && chance(dice, 70)) {
    draw_rules(dice, drawn, placement, placement->texts[8]); /* no third part has this text: it has no tiers */
  }
}

/* ---- bindings ---------------------------------------------------------------------------------------------------- */

/* Entries that no scheduler writes: a cluster twice, elsewhere, gone from the fleet. */
static void disturb_targets(struct dice *dice, const struct plain_case *drawn, struct plain_binding *binding) {
  const uint32_t changes = chance(dice, 50) ? 0 : 1 + roll(dice, 3);

  for (uint32_t i = 0; i < changes && binding->n_targets + 1 < PLAIN_TARGETS; i++) {
    const size_t at = roll(dice, (uint32_t)binding->n_targets + 1);
    struct plain_target *target = &binding->targets[at];

    if (at == binding->n_targets) {
      target->cluster = roll(dice, (uint32_t)drawn->n_clusters + 4);
      binding->n_targets++;
    } else if (chance(dice, 20)) {
      *target = binding->targets[--binding->n_targets];
      continue;
    }
    target->replicas = roll(dice, 9);
  }
}

static void draw_targets(struct dice *dice, const struct plain_case *drawn, struct plain_binding *binding) {
  const uint32_t percent = chance(dice, 70) ? 5 : 60, most = chance(dice, 80) ? 6 : 1000;

  binding->n_targets = 0;
  for (uint32_t i = 0; i < drawn->n_clusters + 4; i++) { /* the last of them in no fleet */
    if (chance(dice, percent)) {
      binding->targets[binding->n_targets++] = (struct plain_target){i, (int64_t)roll(dice, most)};
    }
  }
}

static int64_t draw_replicas(struct dice *dice) {
  static const uint32_t limits[] = {1, 4, 4, 30, 30, 30, 30, 200, 200, 3000};

  return chance(dice, 95) ? 1 + (int64_t)roll(dice, ONE_OF(dice, limits)) : 0;
}

static void new_binding(struct dice *dice, struct plain_case *drawn, struct plain_binding *binding) {
  binding->placement = &drawn->placements[roll(dice, PLAIN_PLACEMENTS)];
  binding->request = &requests[roll(dice, sizeof requests / sizeof requests[0])];
  binding->replicas = draw_replicas(dice);
  binding->uid = PICK(dice, uids);
  binding->friends = chance(dice, 10) ? "pals" : NULL;
  binding->is_job = chance(dice, 20);
  binding->n_targets = 0;
  if (chance(dice, 40)) {
    draw_targets(dice, drawn, binding);
  }
}

/* The bindings of a round: some kept and scheduled again, some with other numbers, some new. */
void plain_draw_bindings(struct dice *dice, struct plain_case *drawn) {
  for (size_t row = 0; row < PLAIN_BINDINGS; row++) {
    struct plain_binding *binding = &drawn->bindings[row];

    if (binding->placement == NULL || chance(dice, 30)) {
      new_binding(dice, drawn, binding);
    } else {
      binding->replicas = chance(dice, 50) ? binding->replicas : draw_replicas(dice);
      disturb_targets(dice, drawn, binding);
    }
    binding->is_fresh = chance(dice, 25);
    binding->n_evicting = chance(dice, 20) ? roll(dice, 4) : 0;
    for (size_t i = 0; i < binding->n_evicting; i++) {
      binding->evicting[i] = roll(dice, (uint32_t)drawn->n_clusters);
    }
  }
}

/* ---- the caller -------------------------------------------------------------------------------------------------- */

static void draw_columns(struct dice *dice, struct plain_caller *caller) {
  const uint32_t rejects = chance(dice, 50) ? 3 : 50, failures = chance(dice, 95) ? 0 : 2;

  for (size_t i = 0; i < sizeof caller->reject / sizeof caller->reject[0]; i++) {
    caller->reject[i] = chance(dice, rejects);
    caller->score[i] = (int64_t)roll(dice, 4) * 50 - 100;
    for (size_t e = 0; e < 2; e++) {
      caller->fits[e][i] = chance(dice, failures) ? REBAL_FITS_FAILED
                           : chance(dice, 30)     ? REBAL_FITS_NO_OPINION
                                                  : (int32_t)roll(dice, 12);
    }
  }
}

static void draw_compat(struct dice *dice, struct plain_caller *caller, int all_options) {
  static const uint32_t others[] = {REBAL_OPTION_GATE_RESOURCE_MODELS,   REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES,
                                    REBAL_OPTION_GATE_WORKLOAD_AFFINITY, REBAL_OPTION_STATIC_WEIGHT_CAPACITY,
                                    REBAL_OPTION_PARTIAL_PLACEMENT,      REBAL_OPTION_INT32_WRAP};

  caller->has_locality = chance(dice, 70);
  caller->appends_empty = chance(dice, 25);
  caller->is_all_or_nothing = chance(dice, 50);
  caller->compat = test_compat(REBAL_OPTION_CLUSTER_LOCALITY, caller->has_locality);
  (void)rebal_compat_set(caller->compat, REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION, caller->appends_empty, NULL);
  (void)rebal_compat_set(caller->compat, REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING, caller->is_all_or_nothing, NULL);
  for (size_t i = 0; all_options && i < sizeof others / sizeof others[0]; i++) {
    if (chance(dice, 25)) {
      (void)rebal_compat_set(caller->compat, others[i], (int64_t)roll(dice, 2), NULL);
    }
  }
}

void plain_draw_caller(struct dice *dice, struct plain_case *drawn, int all_options) {
  struct plain_caller *caller = &drawn->caller;
  rebal_schedule_opts *opts = &caller->opts;

  memset(opts, 0, sizeof *opts);
  opts->struct_size = (uint32_t)sizeof *opts;
  opts->flags = REBAL_SCHEDULE_FLAG_SINGLE_GROUP;
  caller->compat = NULL;
  caller->has_locality = caller->is_all_or_nothing = 1;
  caller->appends_empty = 0;
  if (chance(dice, 60)) {
    return;
  }
  draw_columns(dice, caller);
  draw_compat(dice, caller, all_options);
  for (size_t e = 0; e < 2; e++) {
    caller->estimators[e] = (rebal_estimator){(uint32_t)sizeof caller->estimators[e], 0, caller->fits[e], PLAIN_CELLS,
                                              chance(dice, 50) ? 0 : PLAIN_CELLS};
    caller->list[e] = &caller->estimators[e];
  }
  opts->compat = caller->compat;
  opts->known = all_options ? drawn->known : NULL;
  opts->flags |= chance(dice, 15) ? REBAL_SCHEDULE_FLAG_NO_SUMMARY : 0u;
  opts->extra_reject = chance(dice, 40) ? caller->reject : NULL;
  opts->extra_score = chance(dice, 40) ? caller->score : NULL;
  opts->extra_clusters = PLAIN_CELLS;
  opts->extra_stride = chance(dice, 50) ? 0 : PLAIN_CELLS;
  opts->estimators = caller->list;
  opts->n_estimators = chance(dice, 50) ? roll(dice, 3) : 0;
}

void plain_close_caller(struct plain_case *drawn) {
  rebal_compat_free(drawn->caller.compat);
  drawn->caller.compat = NULL;
}

/* ---- a case ------------------------------------------------------------------------------------------------------ */

void plain_open(struct dice *dice, struct plain_case *drawn, int all_options) {
  static const char *const outsiders[] = {"m", "x1", "a", "m1x"};

  drawn->known = NULL;
  memset(drawn->bindings, 0, sizeof drawn->bindings);
  drawn->n_regions = all_options && chance(dice, 10) ? 8 * PLAIN_REGIONS : PLAIN_REGIONS;
  drawn->is_spread = all_options > 1;
  drawn->has_odd_amounts = all_options && chance(dice, 15);
  test_world_open(&drawn->world, NULL);
  draw_handles(drawn);
  draw_clusters(dice, drawn);
  for (size_t i = 0; i < 4; i++) {
    drawn->outsiders[i] = test_cluster_id(&drawn->world, outsiders[i]);
  }
  for (size_t i = 0; i < PLAIN_PLACEMENTS; i++) {
    draw_placement(dice, drawn, &drawn->placements[i]);
  }
}

void plain_close(struct plain_case *drawn) {
  rebal_bindings_free(drawn->known);
  test_world_close(&drawn->world);
}

static void change_one(struct dice *dice, struct plain_case *drawn, uint32_t gentle) {
  struct plain_cluster *cluster = &drawn->clusters[roll(dice, (uint32_t)drawn->n_clusters)];
  const int only_amounts = cluster->is_present && chance(dice, gentle);

  if (cluster->is_present && !only_amounts && chance(dice, 15)) {
    (void)rebal_cells_remove(rebal_fleet_cells(drawn->world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &cluster->id, 1,
                             NULL);
    cluster->is_present = 0;
    return;
  }
  if (!only_amounts) {
    draw_cells(dice, cluster, drawn->n_regions);
  }
  if (only_amounts || chance(dice, 30)) {
    draw_amounts(dice, cluster, drawn->habit);
  }
  plain_write_cluster(drawn, cluster, only_amounts);
  cluster->is_present = 1;
}

void plain_change(struct dice *dice, struct plain_case *drawn) {
  const uint32_t kind = roll(dice, 100), gentle = chance(dice, 50) ? 100 : 40;
  const uint32_t n = kind < 10 ? 0 : kind < 60 ? 1 : kind < 85 ? 1 + roll(dice, 8) : (uint32_t)drawn->n_clusters;

  for (uint32_t i = 0; i < n; i++) {
    change_one(dice, drawn, gentle);
  }
  test_freeze(&drawn->world);
}
