/* SPDX-License-Identifier: MIT */
/* Worlds: clusters, bindings, calls and their answers as text. */
#include "fleet_builder.h"

#include "records.h"

#include <stdio.h>
#include <string.h>

static void must(struct test_world *world, int32_t code) {
  if (code != REBAL_OK) {
    test_wrong(rebal_strerror(code), test_word(world->err.message));
  }
}

rebal_time test_time(int64_t seconds) {
  return (rebal_time){seconds, 0, seconds != 0};
}

rebal_ctx *test_context(const rebal_allocator *allocator, uint32_t flags, uint64_t max_entries) {
  const rebal_ctx_opts opts = {(uint32_t)sizeof opts, flags, UINT64_MAX, max_entries};
  rebal_ctx *ctx = NULL;

  if (rebal_ctx_new(allocator, &opts, &ctx, NULL) != REBAL_OK) {
    test_wrong("context", test_word(NULL));
  }
  return ctx;
}

void test_world_open(struct test_world *world, const rebal_allocator *allocator) {
  static const rebal_error no_error = REBAL_ERROR_INIT;

  memset(world, 0, sizeof *world);
  world->err = no_error;
  must(world, rebal_fleet_new(NULL, &world->fleet, &world->err));
  must(world, rebal_builder_new(NULL, &world->builder, &world->err));
  world->bindings = test_new_bindings(world);
  world->ctx = test_context(allocator, 0, 0);
  must(world, rebal_result_new(allocator, &world->result, &world->err));
}

void test_world_close(struct test_world *world) {
  rebal_result_free(world->result);
  rebal_ctx_free(world->ctx);
  rebal_bindings_free(world->bindings);
  rebal_snapshot_unref(world->snapshot);
  rebal_builder_free(world->builder);
  rebal_fleet_free(world->fleet);
}

rebal_bindings *test_new_bindings(struct test_world *world) {
  rebal_bindings *bindings = NULL;

  must(world, rebal_bindings_new(world->fleet, NULL, &bindings, &world->err));
  return bindings;
}

rebal_compat *test_compat(uint32_t option, int64_t value) {
  rebal_compat *compat = NULL;

  if (rebal_compat_new(NULL, &compat, NULL) != REBAL_OK ||
      (option != REBAL_OPTION_NONE && rebal_compat_set(compat, option, value, NULL) != REBAL_OK)) {
    test_wrong("options", test_word(NULL));
  }
  return compat;
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

int64_t test_labels_handle(struct test_world *world, const char *labels) {
  if (labels == NULL) {
    return REBAL_NONE;
  }
  (void)rebal_builder_start(world->builder, REBAL_OBJECT_LABELS, NULL);
  test_put_pairs(world->builder, REBAL_LABELS_LABEL, labels);
  return test_intern(world);
}

int64_t test_zones_handle(struct test_world *world, const char *zones) {
  if (zones == NULL) {
    return REBAL_NONE;
  }
  (void)rebal_builder_start(world->builder, REBAL_OBJECT_TEXTS, NULL);
  test_put_texts(world->builder, REBAL_TEXTS_ITEM, zones, ' ');
  return test_intern(world);
}

int64_t test_taints_handle(struct test_world *world, const char *taints) {
  struct test_word rest = test_word(taints);
  struct test_word key;

  if (taints == NULL) {
    return REBAL_NONE;
  }
  (void)rebal_builder_start(world->builder, REBAL_OBJECT_TAINTS, NULL);
  while (test_next(&rest, ' ', &key)) {
    const struct test_word effect = test_cut(&key, ':');
    const struct test_word value = test_cut(&key, '=');

    (void)rebal_builder_begin(world->builder, REBAL_TAINTS_TAINT, NULL);
    test_put_text(world->builder, REBAL_TAINT_KEY, key);
    test_put_text(world->builder, REBAL_TAINT_VALUE, value);
    test_put_text(world->builder, REBAL_TAINT_EFFECT, effect);
    (void)rebal_builder_end(world->builder, NULL);
  }
  return test_intern(world);
}

int64_t test_apis_handle(struct test_world *world, const char *apis) {
  struct test_word rest = test_word(apis == NULL ? "apps/v1=Deployment" : apis);
  struct test_word version, kind;

  (void)rebal_builder_start(world->builder, REBAL_OBJECT_API_ENABLEMENTS, NULL);
  while (test_next(&rest, ' ', &version)) {
    struct test_word kinds = test_cut(&version, '=');

    (void)rebal_builder_begin(world->builder, REBAL_API_ENABLEMENTS_ENABLEMENT, NULL);
    test_put_text(world->builder, REBAL_API_ENABLEMENT_GROUP_VERSION, version);
    while (test_next(&kinds, ',', &kind)) {
      (void)rebal_builder_begin(world->builder, REBAL_API_ENABLEMENT_RESOURCE, NULL);
      test_put_text(world->builder, REBAL_API_RESOURCE_KIND, kind);
      (void)rebal_builder_end(world->builder, NULL);
    }
    (void)rebal_builder_end(world->builder, NULL);
  }
  return test_intern(world);
}

static void put_ranges(struct test_world *world, struct test_word ranges) {
  struct test_word name;

  while (test_next(&ranges, ',', &name)) {
    const rebal_quantity least = test_quantity(test_cut(&name, '='));

    (void)rebal_builder_begin(world->builder, REBAL_RESOURCE_MODEL_RANGE, NULL);
    test_put_text(world->builder, REBAL_MODEL_RANGE_NAME, name);
    (void)rebal_builder_quantity(world->builder, REBAL_MODEL_RANGE_MIN, &least, NULL);
    (void)rebal_builder_end(world->builder, NULL);
  }
}

static int64_t models_handle(struct test_world *world, const char *models) {
  struct test_word rest = test_word(models);
  struct test_word grade;

  if (models == NULL) {
    return REBAL_NONE;
  }
  (void)rebal_builder_start(world->builder, REBAL_OBJECT_RESOURCE_MODELS, NULL);
  while (test_next(&rest, ' ', &grade)) {
    const struct test_word ranges = test_cut(&grade, ':');

    (void)rebal_builder_begin(world->builder, REBAL_RESOURCE_MODELS_MODEL, NULL);
    (void)rebal_builder_i64(world->builder, REBAL_RESOURCE_MODEL_GRADE, test_number(grade), NULL);
    put_ranges(world, ranges);
    (void)rebal_builder_end(world->builder, NULL);
  }
  return test_intern(world);
}

static int64_t modelings_handle(struct test_world *world, const char *modelings) {
  struct test_word rest = test_word(modelings);
  struct test_word grade;

  if (modelings == NULL) {
    return REBAL_NONE;
  }
  (void)rebal_builder_start(world->builder, REBAL_OBJECT_MODELINGS, NULL);
  while (test_next(&rest, ' ', &grade)) {
    const struct test_word count = test_cut(&grade, '=');

    (void)rebal_builder_begin(world->builder, REBAL_MODELINGS_MODELING, NULL);
    (void)rebal_builder_i64(world->builder, REBAL_MODELING_GRADE, test_number(grade), NULL);
    (void)rebal_builder_i64(world->builder, REBAL_MODELING_COUNT, test_number(count), NULL);
    (void)rebal_builder_end(world->builder, NULL);
  }
  return test_intern(world);
}

static void set_capacity(struct test_world *world, uint32_t id, uint32_t part, const char *amounts) {
  struct test_word rest = test_word(amounts);
  struct test_word name;
  uint32_t resource;

  while (test_next(&rest, ' ', &name)) {
    const rebal_quantity amount = test_quantity(test_cut(&name, '='));

    must(world, rebal_fleet_resource_id(world->fleet, name.text, name.len, &resource, &world->err));
    must(world, rebal_fleet_set_capacity(world->fleet, part, id, resource, &amount, &world->err));
  }
}

void test_set_cluster(struct test_world *world, uint32_t id, const struct test_cluster *cluster) {
  const struct {
    uint32_t column;
    const char *text;
  } texts[] = {{REBAL_CLUSTER_REGION, cluster->region}, {REBAL_CLUSTER_PROVIDER, cluster->provider}};
  const struct {
    uint32_t column;
    int64_t value;
  } numbers[] = {
      {REBAL_CLUSTER_ZONES, test_zones_handle(world, cluster->zones)},
      {REBAL_CLUSTER_LABELS, test_labels_handle(world, cluster->labels)},
      {REBAL_CLUSTER_TAINTS, test_taints_handle(world, cluster->taints)},
      {REBAL_CLUSTER_API_ENABLEMENTS, test_apis_handle(world, cluster->apis)},
      {REBAL_CLUSTER_RESOURCE_MODELS, models_handle(world, cluster->models)},
      {REBAL_CLUSTER_MODELINGS, modelings_handle(world, cluster->modelings)},
      {REBAL_CLUSTER_DELETING, cluster->deleting},
      {REBAL_CLUSTER_HAS_SUMMARY,
       cluster->allocatable != NULL || cluster->allocated != NULL || cluster->allocating != NULL},
  };

  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    const struct test_word word = test_word(texts[i].text);

    must(world, rebal_cells_set_text(rebal_fleet_cells(world->fleet), texts[i].column, REBAL_NONE, id, word.text,
                                     word.len, &world->err));
  }
  must(world, rebal_fleet_clear_capacity(world->fleet, id, &world->err));
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    must(world, rebal_cells_set_i64(rebal_fleet_cells(world->fleet), numbers[i].column, REBAL_NONE, id,
                                    numbers[i].value, &world->err));
  }
  set_capacity(world, id, REBAL_CAPACITY_ALLOCATABLE, cluster->allocatable);
  set_capacity(world, id, REBAL_CAPACITY_ALLOCATED, cluster->allocated);
  set_capacity(world, id, REBAL_CAPACITY_ALLOCATING, cluster->allocating);
}

uint32_t test_add_cluster(struct test_world *world, const struct test_cluster *cluster) {
  uint32_t id = REBAL_NONE;

  must(world, rebal_fleet_add_cluster(world->fleet, cluster->name, strlen(cluster->name), &id, &world->err));
  test_set_cluster(world, id, cluster);
  return id;
}

void test_add_pods(struct test_world *world, const char *pods) {
  struct test_word rest = test_word(pods);
  struct test_word name;

  while (test_next(&rest, ' ', &name)) {
    const struct test_word count = test_cut(&name, '=');
    char names[2][64];
    struct test_cluster cluster = {names[0], names[1]};

    (void)snprintf(names[0], sizeof names[0], "%.*s", (int)name.len, name.text);
    (void)snprintf(names[1], sizeof names[1], "pods=%.*s", (int)count.len, count.text);
    (void)test_add_cluster(world, &cluster);
  }
}

uint32_t test_cluster_id(struct test_world *world, const char *name) {
  uint32_t id = REBAL_NONE;

  must(world, rebal_fleet_cluster_id(world->fleet, name, strlen(name), &id, &world->err));
  return id;
}

void test_freeze(struct test_world *world) {
  rebal_snapshot_unref(world->snapshot);
  world->snapshot = NULL;
  must(world, rebal_fleet_freeze(world->fleet, &world->snapshot, &world->err));
  (void)rebal_bindings_freeze(world->bindings, NULL); /* may have been before */
}

void test_world_fill(struct test_world *world, const struct test_cluster *clusters, size_t n,
                     const struct test_binding *binding) {
  for (size_t i = 0; i < n; i++) {
    (void)test_add_cluster(world, &clusters[i]);
  }
  (void)test_add_binding(world, NULL, binding);
  test_freeze(world);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

const char *test_cluster_name(const rebal_snapshot *snapshot, uint32_t cluster) {
  return rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_NAME, REBAL_NONE, cluster, NULL);
}

static const char *placed_text(const rebal_result *result, const rebal_snapshot *snapshot, size_t first, size_t count) {
  static char text[4096];
  size_t n, len = 0;
  const int64_t *clusters = rebal_result_i64(result, REBAL_PLACED_CLUSTER, &n);
  const int64_t *replicas = rebal_result_i64(result, REBAL_PLACED_REPLICAS, &n);

  text[0] = '\0';
  for (size_t i = first; i < first + count && len < sizeof text; i++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%s:%lld", i == first ? "" : " ",
                            test_cluster_name(snapshot, (uint32_t)clusters[i]), (long long)replicas[i]);
  }
  return text;
}

const char *test_answer(const rebal_result *result, const rebal_snapshot *snapshot, size_t row) {
  static const char *const heads[] = {
      [REBAL_OUTCOME_UNCHANGED] = "unchanged",     [REBAL_OUTCOME_SKIPPED] = "skipped",
      [REBAL_OUTCOME_NO_CLUSTER_FIT] = "fit: ",    [REBAL_OUTCOME_UNSCHEDULABLE] = "unschedulable: ",
      [REBAL_OUTCOME_SCHEDULER_ERROR] = "error: ", [REBAL_OUTCOME_QUOTA_EXCEEDED] = "quota: ",
  };
  static char text[4096];
  size_t n;
  const int64_t *outcomes = rebal_result_i64(result, REBAL_DECISION_OUTCOME, &n);
  const int64_t *firsts = rebal_result_i64(result, REBAL_DECISION_FIRST_PLACED, &n);
  const int64_t *counts = rebal_result_i64(result, REBAL_DECISION_PLACED, &n);

  if (row >= n) {
    return "no such row";
  }
  if (outcomes[row] == REBAL_OUTCOME_SCHEDULED) {
    return placed_text(result, snapshot, (size_t)firsts[row], (size_t)counts[row]);
  }
  if (outcomes[row] == REBAL_OUTCOME_PARTIAL) {
    (void)snprintf(text, sizeof text, "%s; %lld missing: %s",
                   placed_text(result, snapshot, (size_t)firsts[row], (size_t)counts[row]),
                   (long long)rebal_result_i64(result, REBAL_DECISION_MISSING, &n)[row],
                   rebal_result_text(result, REBAL_DECISION_MESSAGE, row, NULL));
    return text;
  }
  (void)snprintf(text, sizeof text, "%s%s", heads[outcomes[row]],
                 rebal_result_text(result, REBAL_DECISION_MESSAGE, row, NULL));
  return text;
}

int32_t test_charge_set(rebal_ledger *ledger, const char *key, uint32_t cluster, const uint32_t *requirements,
                        const int32_t *replicas, size_t n, const rebal_time *expiry) {
  const rebal_charge charge = {(uint32_t)sizeof charge, cluster, requirements, replicas, n, expiry};

  return rebal_ledger_charge(ledger, key, key == NULL ? 1 : strlen(key), &charge, NULL);
}

int32_t test_observe(rebal_observations *observations, int64_t ordinal, int32_t outcome, const char *message) {
  const rebal_observation observation = {.struct_size = (uint32_t)sizeof observation,
                                         .outcome = outcome,
                                         .ordinal = ordinal,
                                         .message = message,
                                         .message_len = message == NULL ? 0 : strlen(message)};

  return rebal_observations_add(observations, &observation, NULL);
}

void test_charge(rebal_ledger *ledger, const char *key, uint32_t cluster, uint32_t requirements, int32_t replicas) {
  if (test_charge_set(ledger, key, cluster, &requirements, &replicas, 1, NULL) != REBAL_OK) {
    test_wrong("a charge", test_word(key));
  }
}

const char *test_schedule(struct test_world *world, const rebal_schedule_opts *opts, size_t row) {
  const int32_t code = rebal_schedule(world->ctx, world->snapshot, world->bindings, opts, world->result, &world->err);

  return code == REBAL_OK ? test_answer(world->result, world->snapshot, row) : rebal_strerror(code);
}
