/* SPDX-License-Identifier: MIT */
/*
 * Bytes as the life of pods, a WorkloadSpread, a UnitedDeployment, a WorkloadRebalancer and bindings in the scheduler's
 * queue: rows that come, change and go, records of any content, and machines that are called until they stop waiting,
 * whatever becomes of their actions.
 */
#include "calls.h"

#include <rebalance/workloadspread.h>

static const char *const words[] = {"",           "p-1",        "p-2",         "p-10",
                                    "a",          "b",          "apps/v1",     "apps.kruise.io/v1alpha1",
                                    "Deployment", "CloneSet",   "StatefulSet", "ReplicaSet",
                                    "Job",        "web",        "default",     "5",
                                    "50%",        "-1",         "2147483648",  "Adaptive",
                                    "Fixed",      "v1",         "v2",          "Schedulable",
                                    "True",       "False",      "zone",        "In",
                                    "Exists",     "NoSchedule", "NoExecute",   "one",
                                    "{}",         "not a name!"};

struct life {
  struct calls in;
  rebal_fleet *fleet;
  rebal_bindings *bindings, *before;
  rebal_pods *pods;
  rebal_spread *spread;
  rebal_builder *status; /* what the spread's status is written with */
  rebal_observations *observations;
  rebal_snapshot *snapshot, *older;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_time now;
};

/* ---- rows that come, change and go ------------------------------------------------------------------------------- */

static void check_rows(const rebal_cells *cells, uint32_t table) {
  const uint32_t bound = rebal_cells_bound(cells, table, REBAL_NONE);
  size_t n = 0;

  for (uint32_t row = REBAL_NONE; (row = rebal_cells_next(cells, table, REBAL_NONE, row)) != REBAL_NONE; n++) {
    law(row < bound && rebal_cells_has(cells, table, REBAL_NONE, row));
  }
  law(n == rebal_cells_count(cells, table, REBAL_NONE));
}

/* A cell holds the value that was set; some numbers clear it. */
static void set_cell(struct life *life, rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t row) {
  const char *text = word(&life->in);
  const int64_t value = number(&life->in);
  const rebal_time time = {value & 0xffff, 0, 1};
  rebal_time read;
  size_t len;

  if (rebal_cells_set_i64(cells, column, parent, row, value, NULL) == REBAL_OK) {
    law(rebal_cells_get_i64(cells, column, parent, row) == value || value == REBAL_ABSENT || value == REBAL_NONE);
  }
  if (rebal_cells_set_text(cells, column, parent, row, text, strlen(text), NULL) == REBAL_OK) {
    law(strcmp(rebal_cells_get_text(cells, column, parent, row, &len), text) == 0 && len == strlen(text));
  }
  if (rebal_cells_set_time(cells, column, parent, row, &time, NULL) == REBAL_OK) {
    rebal_cells_get_time(cells, column, parent, row, &read);
    law(read.is_set && read.seconds == time.seconds);
  }
}

/* The same value in the first rows of a column, by the calls for several rows. */
static void put_column(struct life *life, rebal_cells *cells, uint32_t column, uint32_t parent) {
  const char *text = word(&life->in);
  const uint32_t offsets[] = {0, (uint32_t)strlen(text), (uint32_t)strlen(text)};
  const int64_t value = number(&life->in);
  const int64_t values[] = {value, value};
  const rebal_time times[] = {{value & 0xffff, 0, 1}, {0, 0, 0}};

  (void)rebal_cells_put_i64(cells, column, parent, NULL, values, 2, NULL);
  (void)rebal_cells_put_text(cells, column, parent, NULL, text, offsets, 2, NULL);
  (void)rebal_cells_put_time(cells, column, parent, NULL, times, 2, NULL);
}

/* One change of a row of the table. */
static void change_rows(struct life *life, rebal_cells *cells, uint32_t table, uint32_t parent) {
  const uint32_t column = table * 256 + byte(&life->in) % 32;
  uint32_t row = byte(&life->in) % 8, rows[2];

  switch (byte(&life->in) % 8) {
    case 0:
      (void)rebal_cells_add(cells, table, parent, rows, 2, NULL);
      break;
    case 1:
      (void)rebal_cells_remove(cells, table, parent, &row, 1, NULL);
      break;
    case 2:
      put_column(life, cells, column, parent);
      break;
    default:
      set_cell(life, cells, column, parent, row);
  }
}

static void change_pods(struct life *life) {
  rebal_cells *cells = rebal_pods_cells(life->pods);
  const uint32_t table = byte(&life->in) % 3 == 0 ? REBAL_TABLE_OWNER : REBAL_TABLE_SPREAD_POD;

  change_rows(life, cells, table, REBAL_NONE);
  check_rows(rebal_pods_const_cells(life->pods), table);
  if (byte(&life->in) == 255) {
    rebal_pods_reset(life->pods);
    law(rebal_cells_count(cells, table, REBAL_NONE) == 0);
  }
}

static void change_workload(struct life *life) {
  if (life->spread != NULL) {
    change_rows(life, rebal_spread_cells(life->spread), REBAL_TABLE_SPREAD_WORKLOAD, REBAL_NONE);
  }
}

static void change_bindings(struct life *life) {
  rebal_cells *cells = rebal_bindings_cells(life->bindings);
  const uint32_t table = REBAL_TABLE_BINDING + byte(&life->in) % (REBAL_TABLE_HISTORY - REBAL_TABLE_BINDING + 1);
  const uint32_t parent = byte(&life->in) % 4, other = byte(&life->in) % 4;
  const uint32_t parents[] = {parent, other};
  uint32_t rows[2];

  if (byte(&life->in) % 4 == 0) {
    (void)rebal_cells_add_children(cells, table, parents, rows, 2, NULL);
  }
  change_rows(life, cells, table, table == REBAL_TABLE_BINDING ? REBAL_NONE : parents[0]);
  check_rows(cells, table);
}

/* A cluster with nodes and pods, and the cells of their rows. */
static void change_fleet(struct life *life) {
  static const uint32_t tables[] = {REBAL_TABLE_CLUSTER, REBAL_TABLE_NODE, REBAL_TABLE_POD, REBAL_TABLE_WORKLOAD,
                                    REBAL_TABLE_REPLICA_SET};
  const uint32_t table = tables[byte(&life->in) % (sizeof tables / sizeof tables[0])];
  const char *name = word(&life->in);
  uint32_t cluster = 0, node;

  (void)rebal_fleet_add_cluster(life->fleet, name, strlen(name), &cluster, NULL);
  (void)rebal_fleet_add_node(life->fleet, cluster, name, strlen(name), &node, NULL);
  change_rows(life, rebal_fleet_cells(life->fleet), table, table == REBAL_TABLE_CLUSTER ? REBAL_NONE : cluster);
}

static void intern(struct life *life) {
  static const uint32_t kinds[] = {REBAL_OBJECT_LABELS,     REBAL_OBJECT_TAINTS,       REBAL_OBJECT_PLACEMENT,
                                   REBAL_OBJECT_CONDITIONS, REBAL_OBJECT_REQUIREMENTS, REBAL_OBJECT_POD_RESOURCES};
  const uint32_t kind = kinds[byte(&life->in) % (sizeof kinds / sizeof kinds[0])];
  const rebal_record *record = draw_record(&life->in, kind), *defaults;
  uint32_t handle;

  if (record == NULL) {
    return;
  }
  law(rebal_fleet_intern(life->fleet, record, &handle, NULL) == REBAL_OK);
  if (kind == REBAL_OBJECT_PLACEMENT && rebal_placement_defaults(record, life->status, &defaults, NULL) == REBAL_OK) {
    law(rebal_fleet_intern(life->fleet, defaults, &handle, NULL) == REBAL_OK);
  }
}

/* ---- machines that wait for observations ------------------------------------------------------------------------- */

static const int64_t *column_of(const struct life *life, uint32_t column, size_t *n) {
  return rebal_result_i64(life->result, column, n);
}

/* Observes the actions of the turn with any outcome. Returns how many are observed. */
static size_t observe(struct life *life) {
  size_t n, seen = 0;
  const int64_t *kinds = column_of(life, REBAL_ACTION_KIND, &n);
  const int64_t *ordinals = column_of(life, REBAL_ACTION_ORDINAL, &n);
  rebal_builder *builder = life->status;

  for (size_t i = 0; i < n; i++) {
    const uint32_t outcome = byte(&life->in);
    rebal_observation observation = {.struct_size = (uint32_t)sizeof observation,
                                     .ordinal = ordinals[i],
                                     .outcome = outcome < 200 ? REBAL_OBSERVED_DONE : 1 + (int32_t)outcome % 5,
                                     .resource_version = word(&life->in)};
    const rebal_record *fields;

    if (kinds[i] == REBAL_ACTION_KIND_EVENT || kinds[i] == REBAL_ACTION_KIND_WAKE) {
      continue;
    }
    observation.resource_version_len = strlen(observation.resource_version);
    if (kinds[i] == REBAL_ACTION_KIND_READ && outcome % 2 == 0) {
      law(rebal_builder_start(builder, REBAL_OBJECT_BINDING, NULL) == REBAL_OK);
      law(rebal_builder_finish(builder, &fields, NULL) == REBAL_OK);
      observation.fields = fields;
    }
    law(rebal_observations_add(life->observations, &observation, NULL) == REBAL_OK);
    law(rebal_observations_add(life->observations, &observation, NULL) == REBAL_EEXIST);
    seen++;
  }
  return seen;
}

typedef int32_t (*turn)(struct life *life, const rebal_record *object);

/* Runs turns until the machine stops waiting. A machine that waits has a new action to observe. */
static void run(struct life *life, const rebal_record *object, turn step) {
  rebal_observations_reset(life->observations);
  for (;;) {
    const int32_t code = step(life, object);
    size_t n;
    const int64_t *states = column_of(life, REBAL_STEP_STATE, &n);

    if (code != REBAL_OK) {
      break;
    }
    law(n == 1 && states[0] >= REBAL_STEP_STATE_WAITING && states[0] <= REBAL_STEP_STATE_SKIPPED);
    if (states[0] != REBAL_STEP_STATE_WAITING) {
      break;
    }
    law(observe(life) > 0);
  }
}

static int32_t step_rebalancer(struct life *life, const rebal_record *object) {
  const rebal_rebalancer_opts opts = {.struct_size = (uint32_t)sizeof opts, .observations = life->observations};

  return rebal_rebalancer_step(life->ctx, object, &life->now, &opts, life->result, NULL);
}

static void rebalance(struct life *life) {
  const rebal_record *object = draw_record(&life->in, REBAL_OBJECT_WORKLOAD_REBALANCER);

  if (object != NULL) {
    run(life, object, step_rebalancer);
  }
}

static int32_t step_spread(struct life *life, const rebal_record *object) {
  const rebal_spread_opts opts = {.struct_size = (uint32_t)sizeof opts, .observations = life->observations};

  (void)object;
  return rebal_spread_step(life->ctx, life->snapshot, life->spread, life->pods, &life->now, &opts, life->result, NULL);
}

/* A status that is written is read as the same. */
static void check_status(struct life *life) {
  const rebal_record *status, *again;
  rebal_builder *other;

  law(rebal_builder_new(NULL, &other, NULL) == REBAL_OK);
  law(rebal_spread_status(life->spread, life->status, &status, NULL) == REBAL_OK);
  law(rebal_spread_load_status(life->spread, status, NULL) == REBAL_OK);
  law(rebal_spread_status(life->spread, other, &again, NULL) == REBAL_OK && rebal_record_equal(status, again));
  rebal_builder_free(other);
}

static void load_spread(struct life *life) {
  const rebal_record *object = draw_record(&life->in, REBAL_OBJECT_WORKLOAD_SPREAD);

  if (object == NULL) {
    return;
  }
  if (life->spread == NULL) {
    (void)rebal_spread_new(NULL, object, &life->spread, NULL);
  } else {
    (void)rebal_spread_load(life->spread, object, NULL);
  }
  if (life->spread != NULL) {
    law(rebal_record_object(rebal_spread_object(life->spread)) == REBAL_OBJECT_WORKLOAD_SPREAD);
    law(rebal_spread_subset_name(life->spread, rebal_spread_subset_count(life->spread), NULL)[0] == '\0');
  }
}

/* Counts of a pass are those of its pods. */
static void spread_pods(struct life *life) {
  const rebal_admit_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = byte(&life->in) % 4};
  size_t n;

  if (life->spread == NULL) {
    return;
  }
  (void)rebal_spread_admit(life->ctx, &life->spread, 1, life->pods, &life->now, &opts, life->result, NULL);
  law(rebal_result_count(life->result, REBAL_TABLE_ADMITTED) <=
      rebal_cells_count(rebal_pods_const_cells(life->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE));
  run(life, NULL, step_spread);
  (void)column_of(life, REBAL_GROUPED_POD, &n);
  law(n <= rebal_cells_count(rebal_pods_const_cells(life->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE));
  check_status(life);
}

/* Replicas that are allocated are those of the object, each within what counted as its limits. */
static void check_allocated(const struct life *life) {
  size_t n;
  const int64_t *replicas = column_of(life, REBAL_ALLOCATED_REPLICAS, &n);
  const int64_t *subsets = column_of(life, REBAL_ALLOCATED_SUBSET, &n);

  for (size_t i = 0; i < n; i++) {
    law(subsets[i] == (int64_t)i && replicas[i] >= 0);
  }
}

static void allocate(struct life *life) {
  static const char *const texts[] = {"apps/v1", "", "Deployment", "web"};
  uint32_t states[4];
  int32_t numbers[4];
  const rebal_united_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                  .states = states,
                                  .replicas = numbers,
                                  .observed = numbers,
                                  .ready = numbers,
                                  .reserved = numbers,
                                  .n = 4,
                                  .api_versions = texts,
                                  .kinds = texts,
                                  .names = texts};
  const rebal_record *object = draw_record(&life->in, REBAL_OBJECT_UNITED_DEPLOYMENT);

  for (size_t i = 0; i < 4; i++) {
    states[i] = byte(&life->in) % 8;
    numbers[i] = (int32_t)number(&life->in);
  }
  if (object == NULL) {
    return;
  }
  if (rebal_united_allocate(life->ctx, object, &opts, life->result, NULL) == REBAL_OK) {
    check_allocated(life);
  }
  if (rebal_united_step(life->ctx, object, life->pods, &life->now, &opts, life->result, NULL) == REBAL_OK) {
    check_allocated(life);
  }
}

/* ---- the scheduler's queue, and evictions ------------------------------------------------------------------------ */

/* Stage by stage: each table is the input of the next call. */
static void schedule_by_stages(struct life *life) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  rebal_result *stages[3];

  for (size_t i = 0; i < 3; i++) {
    law(rebal_result_new(NULL, &stages[i], NULL) == REBAL_OK);
  }
  if (rebal_filter(life->ctx, life->snapshot, life->bindings, &opts, stages[0], NULL) == REBAL_OK) {
    law(rebal_score(life->ctx, life->snapshot, life->bindings, stages[0], &opts, stages[1], NULL) != REBAL_EMISMATCH);
    law(rebal_select(life->ctx, life->snapshot, life->bindings, stages[1], &opts, stages[2], NULL) != REBAL_EMISMATCH);
    (void)rebal_assign(life->ctx, life->snapshot, life->bindings, stages[2], &opts, life->result, NULL);
  }
  for (size_t i = 0; i < 3; i++) {
    rebal_result_free(stages[i]);
  }
}

static void examine_queue(struct life *life) {
  const rebal_time other = {number(&life->in) & 0xffff, 0, 1};
  const int32_t one = (int32_t)number(&life->in), two = (int32_t)number(&life->in);
  const uint32_t attempts = (uint32_t)number(&life->in);
  rebal_time due;

  law(rebal_queue_compare(one, &life->now, two, &other) == -rebal_queue_compare(two, &other, one, &life->now));
  law(rebal_queue_back_off_ns(attempts) > 0 && rebal_queue_back_off_ns(attempts) <= rebal_queue_back_off_ns(~0u));
  (void)rebal_queue_flush((int32_t)byte(&life->in) % 4, &life->now, attempts, &other, &due, NULL);
}

static void requeue(struct life *life) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  const size_t n = rebal_cells_count(rebal_bindings_cells(life->bindings), REBAL_TABLE_BINDING, REBAL_NONE);

  examine_queue(life);
  if (rebal_requeue(life->ctx, life->older, life->snapshot, life->bindings, &opts, life->result, NULL) == REBAL_OK) {
    law(rebal_result_count(life->result, REBAL_TABLE_REQUEUED) <= n);
  }
  if (rebal_requeue(life->ctx, life->snapshot, life->snapshot, life->bindings, &opts, life->result, NULL) == REBAL_OK) {
    law(rebal_result_count(life->result, REBAL_TABLE_REQUEUED) == 0); /* nothing changed */
  }
  (void)rebal_requeue_bindings(life->ctx, life->before, NULL, life->bindings, &opts, life->result, NULL);
}

static void evict(struct life *life) {
  const rebal_failover_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = byte(&life->in) % 8};
  const rebal_cool_down_opts cool = {.struct_size = (uint32_t)sizeof cool, .cool_down_ns = number(&life->in)};
  const rebal_record *policy = draw_record(&life->in, REBAL_OBJECT_TAINT_POLICY);

  (void)rebal_taint_policies_step(life->ctx, life->snapshot, &policy, policy != NULL, &life->now, &opts, life->result,
                                  NULL);
  (void)rebal_cool_down(life->ctx, life->snapshot, life->bindings, &life->now, &cool, life->result, NULL);
  (void)rebal_graceful_eviction_step(life->ctx, life->snapshot, life->bindings, &life->now, &opts, life->result, NULL);
}

static void check_quota(struct life *life) {
  const rebal_record *quota = draw_record(&life->in, REBAL_OBJECT_FEDERATED_QUOTA);
  const rebal_federated_quota_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .before = life->before, .quotas = &quota, .n_quotas = quota != NULL};

  (void)rebal_federated_quota_check(life->ctx, life->bindings, byte(&life->in) % 4, &opts, life->result, NULL);
}

/* ---- the target -------------------------------------------------------------------------------------------------- */

/* Freezes the fleet and the bindings, and keeps the snapshot before. */
static void freeze(struct life *life) {
  rebal_snapshot_unref(life->older);
  life->older = life->snapshot;
  life->snapshot = NULL;
  law(rebal_fleet_freeze(life->fleet, &life->snapshot, NULL) == REBAL_OK);
  if (life->older == NULL) {
    life->older = rebal_snapshot_ref(life->snapshot);
  }
  (void)rebal_bindings_freeze(life->bindings, NULL);
}

/* Keeps the frozen bindings as the ones before, and starts new ones. */
static void thaw(struct life *life) {
  rebal_bindings_free(life->before);
  life->before = life->bindings;
  law(rebal_bindings_new(life->fleet, NULL, &life->bindings, NULL) == REBAL_OK);
}

static void query(struct life *life) {
  static void (*const questions[])(struct life *) = {rebalance, load_spread,        spread_pods, allocate,
                                                     requeue,   schedule_by_stages, evict,       check_quota};
  const uint32_t question = byte(&life->in) % (sizeof questions / sizeof questions[0]);

  life->now.seconds += byte(&life->in);
  freeze(life);
  questions[question](life);
  if (byte(&life->in) % 8 == 0) {
    thaw(life);
  }
}

/* ---- the initial world ------------------------------------------------------------------------------------------- */

/* The handle of the record that the builder holds. */
static uint32_t interned(struct life *life) {
  const rebal_record *record;
  uint32_t handle;

  law(rebal_builder_finish(life->in.builder, &record, NULL) == REBAL_OK);
  law(rebal_fleet_intern(life->fleet, record, &handle, NULL) == REBAL_OK);
  return handle;
}

static void set_text(rebal_builder *builder, uint32_t field, const char *text) {
  law(rebal_builder_text(builder, field, text, strlen(text), NULL) == REBAL_OK);
}

static void put_text(rebal_cells *cells, uint32_t column, uint32_t row, const char *text) {
  law(rebal_cells_set_text(cells, column, REBAL_NONE, row, text, strlen(text), NULL) == REBAL_OK);
}

static void put_number(rebal_cells *cells, uint32_t column, uint32_t row, int64_t value) {
  law(rebal_cells_set_i64(cells, column, REBAL_NONE, row, value, NULL) == REBAL_OK);
}

/* Two clusters that have Deployments. */
static void add_clusters(struct life *life) {
  rebal_builder *builder = life->in.builder;
  uint32_t cluster, handle;

  law(rebal_builder_start(builder, REBAL_OBJECT_API_ENABLEMENTS, NULL) == REBAL_OK);
  law(rebal_builder_begin(builder, REBAL_API_ENABLEMENTS_ENABLEMENT, NULL) == REBAL_OK);
  set_text(builder, REBAL_API_ENABLEMENT_GROUP_VERSION, "apps/v1");
  law(rebal_builder_begin(builder, REBAL_API_ENABLEMENT_RESOURCE, NULL) == REBAL_OK);
  set_text(builder, REBAL_API_RESOURCE_KIND, "Deployment");
  law(rebal_builder_end(builder, NULL) == REBAL_OK && rebal_builder_end(builder, NULL) == REBAL_OK);
  handle = interned(life);
  for (size_t i = 0; i < 2; i++) {
    law(rebal_fleet_add_cluster(life->fleet, i == 0 ? "a" : "b", 1, &cluster, NULL) == REBAL_OK);
    put_number(rebal_fleet_cells(life->fleet), REBAL_CLUSTER_API_ENABLEMENTS, cluster, handle);
  }
}

/* A Deployment whose replicas are divided between them. */
static void add_binding(struct life *life) {
  rebal_cells *cells = rebal_bindings_cells(life->bindings);
  rebal_builder *builder = life->in.builder;
  uint32_t binding;

  law(rebal_builder_start(builder, REBAL_OBJECT_PLACEMENT, NULL) == REBAL_OK);
  law(rebal_builder_begin(builder, REBAL_PLACEMENT_REPLICA_SCHEDULING, NULL) == REBAL_OK);
  set_text(builder, REBAL_REPLICA_SCHEDULING_TYPE, "Divided");
  set_text(builder, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE, "Weighted");
  law(rebal_builder_end(builder, NULL) == REBAL_OK);
  law(rebal_cells_add(cells, REBAL_TABLE_BINDING, REBAL_NONE, &binding, 1, NULL) == REBAL_OK);
  put_number(cells, REBAL_BINDING_PLACEMENT, binding, interned(life));
  put_number(cells, REBAL_BINDING_REPLICAS, binding, 5);
  put_number(cells, REBAL_BINDING_MANAGED, binding, 1);
  put_text(cells, REBAL_BINDING_RESOURCE_API_VERSION, binding, "apps/v1");
  put_text(cells, REBAL_BINDING_RESOURCE_KIND, binding, "Deployment");
}

/* Three pods of a workload, and the WorkloadSpread that it has. */
static void add_pods(struct life *life) {
  rebal_cells *cells = rebal_pods_cells(life->pods);
  rebal_builder *builder = life->in.builder;
  const rebal_record *object;
  uint32_t owner, rows[3];

  law(rebal_cells_add(cells, REBAL_TABLE_OWNER, REBAL_NONE, &owner, 1, NULL) == REBAL_OK);
  put_text(cells, REBAL_OWNER_API_VERSION, owner, "apps/v1");
  put_text(cells, REBAL_OWNER_KIND, owner, "Deployment");
  put_text(cells, REBAL_OWNER_NAME, owner, "web");
  put_number(cells, REBAL_OWNER_STATE, owner, REBAL_OWNER_STATE_EXISTS);
  law(rebal_cells_add(cells, REBAL_TABLE_SPREAD_POD, REBAL_NONE, rows, 3, NULL) == REBAL_OK);
  for (size_t i = 0; i < 3; i++) {
    put_number(cells, REBAL_SPREAD_POD_CONTROLLER, rows[i], owner);
    put_text(cells, REBAL_SPREAD_POD_NAME, rows[i], words[1 + i]);
  }
  law(rebal_builder_start(builder, REBAL_OBJECT_WORKLOAD_SPREAD, NULL) == REBAL_OK);
  law(rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_SPEC, NULL) == REBAL_OK);
  law(rebal_builder_begin(builder, REBAL_SPREAD_SPEC_TARGET_REF, NULL) == REBAL_OK);
  set_text(builder, REBAL_REFERENCE_API_VERSION, "apps/v1");
  set_text(builder, REBAL_REFERENCE_KIND, "Deployment");
  set_text(builder, REBAL_REFERENCE_NAME, "web");
  law(rebal_builder_end(builder, NULL) == REBAL_OK);
  for (size_t i = 0; i < 2; i++) {
    law(rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SUBSETS, NULL) == REBAL_OK);
    set_text(builder, REBAL_SUBSET_NAME, i == 0 ? "a" : "b");
    law(rebal_builder_end(builder, NULL) == REBAL_OK);
  }
  law(rebal_builder_end(builder, NULL) == REBAL_OK && rebal_builder_finish(builder, &object, NULL) == REBAL_OK);
  law(rebal_spread_new(NULL, object, &life->spread, NULL) == REBAL_OK);
}

static void open_life(struct life *life, const uint8_t *data, size_t size) {
  *life = (struct life){.in = {.data = data, .size = size, .words = words, .n_words = sizeof words / sizeof words[0]},
                        .now = {1000, 0, 1}};
  law(rebal_fleet_new(NULL, &life->fleet, NULL) == REBAL_OK &&
      rebal_builder_new(NULL, &life->in.builder, NULL) == REBAL_OK &&
      rebal_builder_new(NULL, &life->status, NULL) == REBAL_OK &&
      rebal_bindings_new(life->fleet, NULL, &life->bindings, NULL) == REBAL_OK &&
      rebal_bindings_new(life->fleet, NULL, &life->before, NULL) == REBAL_OK &&
      rebal_bindings_freeze(life->before, NULL) == REBAL_OK &&
      rebal_pods_new(life->fleet, NULL, &life->pods, NULL) == REBAL_OK &&
      rebal_observations_new(NULL, &life->observations, NULL) == REBAL_OK &&
      rebal_ctx_new(NULL, NULL, &life->ctx, NULL) == REBAL_OK &&
      rebal_result_new(NULL, &life->result, NULL) == REBAL_OK);
}

static void close_life(struct life *life) {
  rebal_result_free(life->result);
  rebal_ctx_free(life->ctx);
  rebal_snapshot_unref(life->older);
  rebal_snapshot_unref(life->snapshot);
  rebal_observations_free(life->observations);
  rebal_spread_free(life->spread);
  rebal_pods_free(life->pods);
  rebal_bindings_free(life->before);
  rebal_bindings_free(life->bindings);
  rebal_builder_free(life->status);
  rebal_builder_free(life->in.builder);
  rebal_fleet_free(life->fleet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const steps[])(struct life *) = {change_pods,     change_pods,  change_workload, change_bindings,
                                                 change_bindings, change_fleet, intern,          query};
  struct life life;

  open_life(&life, data, size < 2048 ? size : 2048);
  add_clusters(&life);
  add_binding(&life);
  add_pods(&life);
  while (life.in.size > 0) {
    steps[byte(&life.in) % (sizeof steps / sizeof steps[0])](&life);
  }
  close_life(&life);
  return 0;
}
