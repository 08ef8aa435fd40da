/* SPDX-License-Identifier: MIT */
/* Bytes as calls that fill a fleet, bindings and a ledger, valid and invalid ones, and then as queries. */
#include "calls.h"

static const char *const words[] = {"",
                                    "m1",
                                    "m2",
                                    "m3",
                                    "m4",
                                    "cpu",
                                    "memory",
                                    "pods",
                                    "apps/v1",
                                    "Deployment",
                                    "Duplicated",
                                    "Divided",
                                    "Weighted",
                                    "Aggregated",
                                    "us",
                                    "zone",
                                    "region",
                                    "cluster",
                                    "provider",
                                    "In",
                                    "NotIn",
                                    "Exists",
                                    "Gt",
                                    "NoSchedule",
                                    "NoExecute",
                                    "Equal",
                                    "5",
                                    "a/b/c",
                                    "one",
                                    "bad key!",
                                    "AvailableReplicas",
                                    "uid-1"};

struct scene {
  struct calls in;
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  rebal_ledger *ledger;
  rebal_compat *compat;
  rebal_snapshot *snapshot;
  rebal_ctx *contexts[2]; /* without and with a cache */
  rebal_result *results[2];
};

static void intern(struct scene *scene) {
  static const uint32_t kinds[] = {
      REBAL_OBJECT_LABELS,          REBAL_OBJECT_TEXTS,           REBAL_OBJECT_TAINTS,
      REBAL_OBJECT_API_ENABLEMENTS, REBAL_OBJECT_RESOURCE_MODELS, REBAL_OBJECT_MODELINGS,
      REBAL_OBJECT_PLACEMENT,       REBAL_OBJECT_PLACEMENT,       REBAL_OBJECT_REQUIREMENTS};
  const uint32_t kind = kinds[byte(&scene->in) % (sizeof kinds / sizeof kinds[0])];
  const rebal_record *record = draw_record(&scene->in, kind);
  uint32_t handle;

  if (record != NULL) {
    law(rebal_fleet_intern(scene->fleet, record, &handle, NULL) == REBAL_OK);
    law(rebal_record_equal(record, rebal_cells_record(rebal_fleet_cells(scene->fleet), kind, handle)));
  }
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

static void name_cluster(struct scene *scene) {
  const char *name = word(&scene->in);
  uint32_t id;

  if (byte(&scene->in) % 4 == 0) {
    (void)rebal_fleet_cluster_id(scene->fleet, name, strlen(name), &id, NULL);
  } else {
    (void)rebal_fleet_add_cluster(scene->fleet, name, strlen(name), &id, NULL);
  }
}

static void change_cluster(struct scene *scene) {
  const uint32_t cluster = byte(&scene->in) % 8;
  const uint32_t column = REBAL_TABLE_CLUSTER * 256 + byte(&scene->in) % 12;
  const char *text = word(&scene->in);

  (void)rebal_cells_set_i64(rebal_fleet_cells(scene->fleet), column, REBAL_NONE, cluster, number(&scene->in), NULL);
  (void)rebal_cells_set_text(rebal_fleet_cells(scene->fleet), column, REBAL_NONE, cluster, text, strlen(text), NULL);
  if (byte(&scene->in) == 1) {
    (void)rebal_cells_remove(rebal_fleet_cells(scene->fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &cluster, 1, NULL);
  }
}

static void change_capacity(struct scene *scene) {
  static const char *const names[] = {"cpu", "memory", "pods", "example.com/gpu"};
  const char *name = names[byte(&scene->in) % 4];
  const rebal_quantity amount = {number(&scene->in), 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  const uint32_t part = byte(&scene->in) % 4;
  uint32_t resource, cluster;

  law(rebal_fleet_resource_id(scene->fleet, name, strlen(name), &resource, NULL) == REBAL_OK);
  cluster = byte(&scene->in) % 8;
  (void)rebal_fleet_set_capacity(scene->fleet, part, cluster, resource, byte(&scene->in) == 1 ? NULL : &amount, NULL);
}

static void add_row(struct scene *scene) {
  const uint32_t table = REBAL_TABLE_BINDING + byte(&scene->in) % 6;
  uint32_t row;

  (void)rebal_cells_add(rebal_bindings_cells(scene->bindings), table, byte(&scene->in) % 4, &row, 1, NULL);
}

static void change_row(struct scene *scene) {
  const uint32_t table = REBAL_TABLE_BINDING + byte(&scene->in) % 5;
  const uint32_t column = table * 256 + byte(&scene->in) % 40;
  const uint32_t row = byte(&scene->in) % 8;
  const char *text = word(&scene->in);
  const rebal_time time = {number(&scene->in), 0, 1};

  (void)rebal_cells_set_i64(rebal_bindings_cells(scene->bindings), column, REBAL_NONE, row, number(&scene->in), NULL);
  (void)rebal_cells_set_text(rebal_bindings_cells(scene->bindings), column, REBAL_NONE, row, text, strlen(text), NULL);
  (void)rebal_cells_set_time(rebal_bindings_cells(scene->bindings), column, REBAL_NONE, row, &time, NULL);
}

static void charge(struct scene *scene) {
  const char *key = word(&scene->in);
  const uint32_t cluster = byte(&scene->in) % 8;
  uint32_t requirements[3];
  int32_t replicas[3];

  for (size_t i = 0; i < 3; i++) {
    requirements[i] = byte(&scene->in) % 4 - 1u;
    replicas[i] = (int32_t)(number(&scene->in) & 0x7fffffff);
  }
  (void)rebal_ledger_charge(
      scene->ledger, key, strlen(key),
      &(rebal_charge){(uint32_t)sizeof(rebal_charge), cluster, requirements, replicas, byte(&scene->in) % 4, NULL},
      NULL);
}

static void name_node(struct scene *scene, uint32_t cluster) {
  const char *name = word(&scene->in);
  uint32_t node, same;

  if (rebal_fleet_add_node(scene->fleet, cluster, name, strlen(name), &node, NULL) == REBAL_OK) {
    law(rebal_fleet_node_id(scene->fleet, cluster, name, strlen(name), &same, NULL) == REBAL_OK && same == node);
  }
}

/* Now and then also adds a node. */
static void change_option(struct scene *scene) {
  const uint32_t option = byte(&scene->in) % 24;

  (void)rebal_compat_set(scene->compat, option, byte(&scene->in) % 3, NULL);
  if (option == 23) {
    name_node(scene, byte(&scene->in) % 8);
  }
}

static void change(struct scene *scene) {
  static void (*const changes[])(struct scene *) = {intern,  name_cluster, change_cluster, change_capacity,
                                                    add_row, change_row,   charge,         change_option};

  changes[byte(&scene->in) % (sizeof changes / sizeof changes[0])](scene);
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

static void check_decisions(const struct scene *scene, const rebal_result *result) {
  size_t n, placed;
  const int64_t *outcomes = rebal_result_i64(result, REBAL_DECISION_OUTCOME, &n);
  const int64_t *firsts = rebal_result_i64(result, REBAL_DECISION_FIRST_PLACED, &n);
  const int64_t *counts = rebal_result_i64(result, REBAL_DECISION_PLACED, &n);
  const int64_t *missing = rebal_result_i64(result, REBAL_DECISION_MISSING, &n);
  const int64_t *clusters = rebal_result_i64(result, REBAL_PLACED_CLUSTER, &placed);

  placed = rebal_result_count(result, REBAL_TABLE_PLACED);
  for (size_t i = 0; i < n; i++) {
    law(outcomes[i] >= REBAL_OUTCOME_SCHEDULED && outcomes[i] <= REBAL_OUTCOME_PARTIAL);
    law(firsts[i] >= 0 && counts[i] >= 0 && (size_t)(firsts[i] + counts[i]) <= placed);
    law(outcomes[i] == REBAL_OUTCOME_SCHEDULED || outcomes[i] == REBAL_OUTCOME_PARTIAL || counts[i] == 0);
    law((outcomes[i] == REBAL_OUTCOME_PARTIAL) == (missing[i] > 0) && missing[i] >= 0);
  }
  for (size_t i = 0; i < placed; i++) {
    law(rebal_cells_has(rebal_snapshot_cells(scene->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, (uint32_t)clusters[i]));
  }
}

static void compare_column(const struct scene *scene, uint32_t column) {
  size_t n, other;
  const int64_t *left = rebal_result_i64(scene->results[0], column, &n);
  const int64_t *right = rebal_result_i64(scene->results[1], column, &other);

  law((left == NULL) == (right == NULL));
  if (left != NULL) {
    law(n == other && memcmp(left, right, n * sizeof *left) == 0);
  }
}

/* Every row has a text, and no cluster is counted twice for a stage. */
static void check_explanations(const struct scene *scene, const rebal_result *result) {
  size_t n;
  const int64_t *clusters = rebal_result_i64(result, REBAL_EXPLAIN_COUNT_CLUSTERS, &n);
  char text[512];

  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_EXPLAIN_COUNT); i++) {
    law(clusters[i] >= 0 &&
        clusters[i] <= rebal_cells_bound(rebal_snapshot_cells(scene->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE));
  }
  for (size_t row = 0; row < rebal_result_count(result, REBAL_TABLE_EXPLAIN); row++) {
    const int32_t code =
        rebal_explain_text(scene->bindings, result, REBAL_TABLE_EXPLAIN, row, text, sizeof text, &n, NULL);

    law((code == REBAL_OK && n > 0) || code == REBAL_ERANGE);
  }
}

typedef int32_t (*question)(const struct scene *scene, size_t i, const rebal_schedule_opts *opts);

static int32_t query_estimate(const struct scene *scene, size_t i, const rebal_schedule_opts *opts) {
  const rebal_estimate_opts known = {.struct_size = (uint32_t)sizeof known, .compat = opts->compat};

  return rebal_estimate(scene->contexts[i], scene->snapshot, REBAL_NONE, &known, scene->results[i], NULL);
}

static int32_t query_filter(const struct scene *scene, size_t i, const rebal_schedule_opts *opts) {
  const int32_t code =
      rebal_filter(scene->contexts[i], scene->snapshot, scene->bindings, opts, scene->results[i], NULL);
  char text[64];
  size_t len;

  for (size_t row = 0; code == REBAL_OK && row < rebal_result_count(scene->results[i], REBAL_TABLE_VERDICT); row++) {
    for (uint32_t plugin = 0; plugin <= REBAL_FILTER_EXTRA; plugin++) {
      (void)rebal_filter_reason(scene->bindings, scene->results[i], row, plugin, text, sizeof text, &len, NULL);
    }
  }
  return code;
}

static int32_t query_decide(const struct scene *scene, size_t i, const rebal_schedule_opts *opts) {
  return rebal_decide(scene->contexts[i], scene->snapshot, scene->bindings, opts, scene->results[i], NULL);
}

static int32_t query_schedule(const struct scene *scene, size_t i, const rebal_schedule_opts *opts) {
  return rebal_schedule(scene->contexts[i], scene->snapshot, scene->bindings, opts, scene->results[i], NULL);
}

static int32_t query_step(const struct scene *scene, size_t i, const rebal_schedule_opts *opts) {
  const rebal_time now = {1000, 0, 1};

  return rebal_scheduler_step(scene->contexts[i], scene->snapshot, scene->bindings, &now, opts, scene->results[i],
                              NULL);
}

/* ---- queries of controllers, and plans --------------------------------------------------------------------------- */

static const rebal_time now = {1000, 0, 1};

static int32_t query_deschedule(const struct scene *scene, size_t i, const rebal_schedule_opts *opts) {
  const rebal_deschedule_opts known = {.struct_size = (uint32_t)sizeof known, .compat = opts->compat};

  return rebal_deschedule_step(scene->contexts[i], scene->snapshot, scene->bindings, &now, &known, scene->results[i],
                               NULL);
}

/* Each of them takes the result of the one before it. */
static int32_t query_failover(const struct scene *scene, size_t i, const rebal_schedule_opts *opts) {
  const rebal_failover_opts known = {.struct_size = (uint32_t)sizeof known, .compat = opts->compat};
  rebal_ctx *ctx = scene->contexts[i];
  rebal_snapshot *snapshot = scene->snapshot;
  const rebal_bindings *bindings = scene->bindings;
  rebal_result *result = scene->results[i];

  (void)rebal_taint_verdict(ctx, snapshot, 0, bindings, &now, &known, result, NULL);
  (void)rebal_taint_eviction_step(ctx, snapshot, 1, bindings, &now, &known, result, NULL);
  (void)rebal_condition_taints_step(ctx, snapshot, &now, &known, result, NULL);
  (void)rebal_application_failover_step(ctx, snapshot, bindings, &now, &known, result, NULL);
  return rebal_graceful_eviction_step(ctx, snapshot, bindings, &now, &known, result, NULL);
}

static int32_t estimate_nodes(const struct scene *scene, size_t i, const rebal_schedule_opts *opts) {
  static const uint32_t requirements[] = {REBAL_NONE, 0};

  (void)opts;
  (void)rebal_unschedulable(scene->contexts[i], scene->snapshot, scene->bindings, &now, NULL, scene->results[i], NULL);
  (void)rebal_model_nodes(scene->contexts[i], scene->snapshot, 0, scene->results[i], NULL);
  return rebal_place_pods(scene->contexts[i], scene->snapshot, 0, requirements, 2, NULL, scene->results[i], NULL);
}

static int32_t query_losses(const struct scene *scene, size_t i, const rebal_schedule_opts *opts) {
  const rebal_sweep_opts known = {.struct_size = (uint32_t)sizeof known};

  (void)opts;
  (void)rebal_headroom(scene->contexts[i], scene->snapshot, scene->bindings, 0, 16, &known, scene->results[i], NULL);
  return rebal_sweep(scene->contexts[i], scene->snapshot, scene->bindings, &known, scene->results[i], NULL);
}

static int32_t query_counterfactual(const struct scene *scene, size_t i, const rebal_schedule_opts *opts) {
  const rebal_counterfactual_opts known = {.struct_size = (uint32_t)sizeof known, .schedule = opts};

  return rebal_counterfactual(scene->contexts[i], scene->fleet, scene->bindings, 0, 0, &known, scene->results[i], NULL);
}

/* A plan can be read, and is carried out. */
static int32_t query_plan(const struct scene *scene, size_t i, const rebal_schedule_opts *opts) {
  rebal_plan_opts known = {.struct_size = (uint32_t)sizeof known};
  rebal_plan *plan = NULL;
  int32_t code = REBAL_OK;

  (void)opts;
  for (; code == REBAL_OK && known.mode <= REBAL_PLAN_MODE_LEAST; known.mode++) {
    code = rebal_plan_make(scene->contexts[i], scene->snapshot, scene->bindings, &now, &known, &plan, NULL);
    law((code == REBAL_OK) == (plan != NULL));
    if (code == REBAL_OK) {
      law(rebal_plan_read(plan, scene->results[i], NULL) == REBAL_OK);
      (void)rebal_reconsider(plan, scene->bindings, &now, NULL, scene->results[i], NULL);
      code = rebal_plan_step(scene->contexts[i], scene->snapshot, scene->bindings, plan, &now, NULL, scene->results[i],
                             NULL);
    }
    rebal_plan_free(plan);
    plan = NULL;
  }
  return code;
}

/*
 * Both contexts, each with its copy of the ledger or with none, return the same code and numbers, though only the
 * second one explains them.
 */
static void query_both(const struct scene *scene, question query, int with_ledger) {
  static const uint32_t columns[] = {REBAL_ESTIMATE_REPLICAS, REBAL_VERDICT_REJECTED_BY, REBAL_DECISION_OUTCOME,
                                     REBAL_PLACED_CLUSTER,    REBAL_PLACED_REPLICAS,     REBAL_ACTION_KIND};
  int32_t codes[2];

  for (size_t i = 0; i < 2; i++) {
    rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                .explain_rows = i == 1 ? UINT64_MAX : 0,
                                .compat = scene->compat,
                                .known = scene->bindings,
                                .assigning = scene->bindings};
    if (with_ledger) {
      law(rebal_ledger_fork(scene->ledger, &opts.ledger, NULL) == REBAL_OK);
    }
    codes[i] = query(scene, i, &opts);
    if (with_ledger) {
      rebal_ledger_free(opts.ledger);
    }
  }
  law(codes[0] == codes[1]);
  if (codes[0] != REBAL_OK) {
    return;
  }
  check_decisions(scene, scene->results[0]);
  check_explanations(scene, scene->results[1]);
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
    compare_column(scene, columns[i]);
  }
}

static void query_all(struct scene *scene) {
  static const question questions[] = {query_estimate, query_filter,         query_decide,   query_schedule,
                                       query_step,     query_deschedule,     query_failover, estimate_nodes,
                                       query_losses,   query_counterfactual, query_plan};

  rebal_snapshot_unref(scene->snapshot);
  scene->snapshot = NULL;
  law(rebal_fleet_freeze(scene->fleet, &scene->snapshot, NULL) == REBAL_OK);
  (void)rebal_bindings_freeze(scene->bindings, NULL);
  for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
    query_both(scene, questions[i], 0);
    query_both(scene, questions[i], 1);
  }
}

/* ---- the target -------------------------------------------------------------------------------------------------- */

static void open_scene(struct scene *scene, const uint8_t *data, size_t size) {
  const rebal_ctx_opts bare = {(uint32_t)sizeof bare, REBAL_CTX_FLAG_NO_CACHE, 0, 0};

  memset(scene, 0, sizeof *scene);
  scene->in = (struct calls){.data = data, .size = size, .words = words, .n_words = sizeof words / sizeof words[0]};
  law(rebal_fleet_new(NULL, &scene->fleet, NULL) == REBAL_OK);
  law(rebal_builder_new(NULL, &scene->in.builder, NULL) == REBAL_OK);
  law(rebal_bindings_new(scene->fleet, NULL, &scene->bindings, NULL) == REBAL_OK);
  law(rebal_ledger_new(scene->fleet, NULL, &scene->ledger, NULL) == REBAL_OK);
  law(rebal_compat_new(NULL, &scene->compat, NULL) == REBAL_OK);
  for (size_t i = 0; i < 2; i++) {
    law(rebal_ctx_new(NULL, i == 0 ? &bare : NULL, &scene->contexts[i], NULL) == REBAL_OK);
    law(rebal_result_new(NULL, &scene->results[i], NULL) == REBAL_OK);
  }
}

static void close_scene(struct scene *scene) {
  for (size_t i = 0; i < 2; i++) {
    rebal_result_free(scene->results[i]);
    rebal_ctx_free(scene->contexts[i]);
  }
  rebal_snapshot_unref(scene->snapshot);
  rebal_compat_free(scene->compat);
  rebal_ledger_free(scene->ledger);
  rebal_bindings_free(scene->bindings);
  rebal_builder_free(scene->in.builder);
  rebal_fleet_free(scene->fleet);
}

/* ---- as bytes ---------------------------------------------------------------------------------------------------- */

/* What is saved can be loaded, holds the same and gives the same answers. */
static void check_saved(struct scene *scene) {
  rebal_fleet *fleet = scene->fleet;
  rebal_bindings *bindings = scene->bindings;
  rebal_ledger *ledger = scene->ledger;
  rebal_result *answer = scene->results[0];
  size_t len, other;
  unsigned char *bytes = save(fleet, bindings, ledger, &len), *again;

  rebal_snapshot_unref(scene->snapshot);
  scene->snapshot = NULL;
  law(rebal_fleet_load(NULL, bytes, len, &scene->fleet, &scene->bindings, &scene->ledger, NULL) == REBAL_OK);
  again = save(scene->fleet, scene->bindings, scene->ledger, &other);
  law(len == other && memcmp(bytes, again, len) == 0);
  law(rebal_result_new(NULL, &scene->results[0], NULL) == REBAL_OK);
  query_all(scene);
  rebal_result_free(scene->results[1]);
  scene->results[1] = answer;
  compare_column(scene, REBAL_ACTION_KIND);
  free(again);
  free(bytes);
  rebal_ledger_free(ledger);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct scene scene;
  uint32_t rounds = 0;

  open_scene(&scene, data, size < 2048 ? size : 2048);
  while (scene.in.size > 0) {
    change(&scene);
    if (++rounds % 32 == 0) {
      query_all(&scene);
    }
  }
  query_all(&scene);
  check_saved(&scene);
  close_scene(&scene);
  return 0;
}
