/* SPDX-License-Identifier: MIT */
/* One call of the library, and its answer. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a call needs; one that is kept, and one for calls that know nothing of those before. */
struct station {
  rebal_fleet *fleet;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_bindings *bindings;
  rebal_builder *builder;
  uint32_t ids[CLUSTERS];
  uint32_t requirements[3]; /* by need */
  uint32_t placement;       /* that divides */
  uint32_t cpu, pods;
  uint32_t web, db; /* labels */
  rebal_builder *budget_builders[BUDGETS];
  const rebal_record *budgets[BUDGETS];
};

static struct station kept;
static int is_kept;

static void must(int32_t code) {
  if (code != REBAL_OK) {
    (void)fprintf(stderr, "waves: %s\n", rebal_strerror(code));
    exit(99);
  }
}

static uint32_t make_requirements(struct station *station, int64_t need) {
  const rebal_quantity amount = {.units = need};
  const rebal_record *record;
  uint32_t handle;

  must(rebal_builder_start(station->builder, REBAL_OBJECT_REQUIREMENTS, NULL));
  (void)rebal_builder_begin(station->builder, REBAL_REQUIREMENTS_RESOURCE_REQUEST, NULL);
  (void)rebal_builder_text(station->builder, REBAL_AMOUNT_NAME, "cpu", 3, NULL);
  (void)rebal_builder_quantity(station->builder, REBAL_AMOUNT_QUANTITY, &amount, NULL);
  (void)rebal_builder_end(station->builder, NULL);
  must(rebal_builder_finish(station->builder, &record, NULL));
  must(rebal_fleet_intern(station->fleet, record, &handle, NULL));
  return handle;
}

static uint32_t make_placement(struct station *station) {
  const rebal_record *record;
  uint32_t handle;

  must(rebal_builder_start(station->builder, REBAL_OBJECT_PLACEMENT, NULL));
  (void)rebal_builder_begin(station->builder, REBAL_PLACEMENT_REPLICA_SCHEDULING, NULL);
  (void)rebal_builder_text(station->builder, REBAL_REPLICA_SCHEDULING_TYPE, "Divided", 7, NULL);
  (void)rebal_builder_end(station->builder, NULL);
  must(rebal_builder_finish(station->builder, &record, NULL));
  must(rebal_fleet_intern(station->fleet, record, &handle, NULL));
  return handle;
}

static uint32_t make_labels(struct station *station, const char *app) {
  const rebal_record *record;
  uint32_t handle;

  must(rebal_builder_start(station->builder, REBAL_OBJECT_LABELS, NULL));
  (void)rebal_builder_begin(station->builder, REBAL_LABELS_LABEL, NULL);
  (void)rebal_builder_text(station->builder, REBAL_PAIR_KEY, "app", 3, NULL);
  (void)rebal_builder_text(station->builder, REBAL_PAIR_VALUE, app, 1, NULL);
  (void)rebal_builder_end(station->builder, NULL);
  must(rebal_builder_finish(station->builder, &record, NULL));
  must(rebal_fleet_intern(station->fleet, record, &handle, NULL));
  return handle;
}

static void make_budget(struct station *station, const struct budget *budget, size_t i) {
  rebal_builder *builder = station->budget_builders[i];
  const char cluster[] = {(char)('a' + budget->cluster), '\0'};
  char number[32];
  const int len = snprintf(number, sizeof number, "%lld%s", (long long)budget->number, budget->is_percent ? "%" : "");

  must(rebal_builder_start(builder, REBAL_OBJECT_BUDGET, NULL));
  (void)rebal_builder_text(builder, REBAL_BUDGET_NAMESPACE, "n", 1, NULL);
  (void)rebal_builder_begin(builder, REBAL_BUDGET_SELECTOR, NULL);
  if (budget->app != 0) {
    (void)rebal_builder_begin(builder, REBAL_LABEL_SELECTOR_MATCH_LABELS, NULL);
    (void)rebal_builder_text(builder, REBAL_PAIR_KEY, "app", 3, NULL);
    (void)rebal_builder_text(builder, REBAL_PAIR_VALUE, &budget->app, 1, NULL);
    (void)rebal_builder_end(builder, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
  if (budget->cluster >= 0) {
    (void)rebal_builder_text(builder, REBAL_BUDGET_CLUSTER, cluster, 1, NULL);
  }
  (void)rebal_builder_text(builder, budget->is_least ? REBAL_BUDGET_MIN_AVAILABLE : REBAL_BUDGET_MAX_UNAVAILABLE,
                           number, (size_t)len, NULL);
  must(rebal_builder_finish(builder, &station->budgets[i], NULL));
}

/* Clusters in another order have other ids. */
static void open_station(struct station *station, int is_other) {
  memset(station, 0, sizeof *station);
  must(rebal_fleet_new(NULL, &station->fleet, NULL));
  must(rebal_ctx_new(NULL, NULL, &station->ctx, NULL));
  must(rebal_result_new(NULL, &station->result, NULL));
  must(rebal_builder_new(NULL, &station->builder, NULL));
  must(rebal_bindings_new(station->fleet, NULL, &station->bindings, NULL));
  must(rebal_fleet_resource_id(station->fleet, "cpu", 3, &station->cpu, NULL));
  must(rebal_fleet_resource_id(station->fleet, "pods", 4, &station->pods, NULL));
  for (size_t i = 0; i < CLUSTERS; i++) {
    const size_t c = is_other ? CLUSTERS - 1 - i : i;
    const char name[] = {(char)('a' + c)};

    must(rebal_fleet_add_cluster(station->fleet, name, 1, &station->ids[c], NULL));
  }
  station->requirements[1] = make_requirements(station, 1);
  station->requirements[2] = make_requirements(station, 2);
  station->placement = make_placement(station);
  station->web = make_labels(station, "w");
  station->db = make_labels(station, "d");
  for (size_t i = 0; i < BUDGETS; i++) {
    must(rebal_builder_new(NULL, &station->budget_builders[i], NULL));
  }
}

static void close_station(struct station *station) {
  rebal_bindings_free(station->bindings);
  for (size_t i = 0; i < BUDGETS; i++) {
    rebal_builder_free(station->budget_builders[i]);
  }
  rebal_builder_free(station->builder);
  rebal_result_free(station->result);
  rebal_ctx_free(station->ctx);
  rebal_fleet_free(station->fleet);
}

void world_close(void) {
  if (is_kept) {
    close_station(&kept);
  }
  is_kept = 0;
}

void world_open_plan(struct world *world) {
  static rebal_allocator memory;
  rebal_snapshot *snapshot;
  rebal_plan *plan;

  if (!is_kept) {
    open_station(&kept, 0);
    is_kept = 1;
  }
  must(rebali_allocator_load(&memory, NULL, NULL));
  must(rebal_fleet_freeze(kept.fleet, &snapshot, NULL));
  must(rebali_plan_new(&memory, rebali_snapshot_store(snapshot), &plan, NULL));
  rebal_snapshot_unref(snapshot);
  plan->now = (rebal_time){1000, 0, 1};
  plan->progress_deadline_ns = DEADLINE_SECONDS * REBALI_SECOND_NS;
  plan->rows = world->rows;
  plan->cells = world->plan_cells;
  plan->lost = world->lost;
  plan->drained = world->drained;
  plan->inputs = (struct rebali_fingerprint){world->seed, 5};
  plan->n_rows = world->n_bindings;
  for (size_t c = 0; c < world->n_clusters; c++) {
    if (world->is_lost[c]) {
      world->lost[plan->n_lost++] = kept.ids[c];
    }
    if (world->is_drained[c]) {
      world->drained[plan->n_drained++] = kept.ids[c];
    }
  }
  for (size_t b = 0; b < world->n_bindings; b++) {
    static const char *const names[BINDINGS] = {"b0", "b1", "b2", "b3"};
    const struct aim *aim = &world->bindings[b].aim;
    struct rebali_plan_row *row = &world->rows[b];

    *row = (struct rebali_plan_row){.namespace_ = REBALI_TEXT("n"),
                                    .name = rebali_text(names[b], 2),
                                    .replicas = (int32_t)aim->replicas,
                                    .max_surge = (int32_t)aim->max_surge,
                                    .max_unavailable = (int32_t)aim->max_unavailable,
                                    .first_cell = plan->n_cells};
    row->uid = rebali_arena_text(&plan->arena, rebali_text(world->bindings[b].uid, strlen(world->bindings[b].uid)));
    for (size_t c = 0; c < world->n_clusters; c++) {
      if (aim->x[c] > 0 || aim->y[c] > 0) {
        plan->cells[plan->n_cells++] = (struct rebali_plan_cell){
            .cluster = kept.ids[c],
            .is_in = (aim->x[c] > 0 ? REBALI_IN_PRESENT : 0u) | (aim->y[c] > 0 ? REBALI_IN_PLANNED : 0u),
            .present = (int32_t)aim->x[c],
            .planned = (int32_t)aim->y[c]};
        row->n_cells++;
      }
    }
  }
  world->plan = plan;
}

static void set_capacity(struct station *station, const struct world *world) {
  const rebal_quantity pods = {.units = 1000000};

  for (size_t c = 0; c < world->n_clusters; c++) {
    rebal_quantity cpu = {.units = world->capacity[c] + 3}, used = {.units = 3};

    for (size_t b = 0; world->is_counted && b < world->n_bindings; b++) {
      const struct cell *cell = &world->bindings[b].cells[c];

      if (!world->bindings[b].is_gone && cell->stated_runs != UNKNOWN && !world->is_lost[c]) {
        used.units += world->bindings[b].aim.need * cell->stated_runs;
      }
    }
    must(rebal_fleet_set_capacity(station->fleet, REBAL_CAPACITY_ALLOCATABLE, station->ids[c], station->cpu, &cpu,
                                  NULL));
    must(
        rebal_fleet_set_capacity(station->fleet, REBAL_CAPACITY_ALLOCATED, station->ids[c], station->cpu, &used, NULL));
    must(rebal_fleet_set_capacity(station->fleet, REBAL_CAPACITY_ALLOCATABLE, station->ids[c], station->pods, &pods,
                                  NULL));
  }
}

static void set(struct station *station, uint32_t column, uint32_t row, int64_t value) {
  must(rebal_cells_set_i64(rebal_bindings_cells(station->bindings), column, REBAL_NONE, row, value, NULL));
}
static void set_text(struct station *station, uint32_t column, uint32_t row, const char *text) {
  must(
      rebal_cells_set_text(rebal_bindings_cells(station->bindings), column, REBAL_NONE, row, text, strlen(text), NULL));
}

static void add_cells(struct station *station, const struct world *world, size_t b, uint32_t row) {
  const struct binding *binding = &world->bindings[b];
  rebal_cells *cells = rebal_bindings_cells(station->bindings);

  for (size_t c = 0; c < world->n_clusters; c++) {
    const struct cell *cell = &binding->cells[c];
    const rebal_time since = {cell->since, 0, 1};
    uint32_t child;

    if (binding->is_listed[c]) {
      must(rebal_cells_add(cells, REBAL_TABLE_TARGET, row, &child, 1, NULL));
      set(station, REBAL_TARGET_CLUSTER, child, station->ids[c]);
      set(station, REBAL_TARGET_REPLICAS, child, binding->z[c]);
    }
    must(rebal_cells_add(cells, REBAL_TABLE_STATUS_ITEM, row, &child, 1, NULL));
    set(station, REBAL_STATUS_ITEM_CLUSTER, child, station->ids[c]);
    if (cell->stated_ready != UNKNOWN) {
      set(station, REBAL_STATUS_ITEM_REPLICAS, child, cell->stated_runs);
      set(station, REBAL_STATUS_ITEM_READY_REPLICAS, child, cell->stated_ready);
    }
    must(rebal_cells_set_time(cells, REBAL_STATUS_ITEM_SINCE, REBAL_NONE, child, &since, NULL));
  }
}

static void add_karmada(struct station *station, const struct world *world, size_t b, uint32_t row) {
  const struct binding *binding = &world->bindings[b];
  rebal_cells *cells = rebal_bindings_cells(station->bindings);
  const rebal_time scheduled = {500, 0, 1}, trigger = {binding->is_triggered ? 600 : 400, 0, 1};

  set(station, REBAL_BINDING_PLACEMENT, row, station->placement);
  set(station, REBAL_BINDING_SCHEDULING_SUSPENDED, row, binding->is_suspended);
  set_text(station, REBAL_BINDING_PLAN_MARK, row, binding->mark);
  must(rebal_cells_set_time(cells, REBAL_BINDING_LAST_SCHEDULED_TIME, REBAL_NONE, row, &scheduled, NULL));
  must(rebal_cells_set_time(cells, REBAL_BINDING_RESCHEDULE_TRIGGERED_AT, REBAL_NONE, row, &trigger, NULL));
  for (size_t c = 0; c < world->n_clusters; c++) {
    uint32_t child;

    if (binding->kept[c] > 0) {
      must(rebal_cells_add(cells, REBAL_TABLE_TASK, row, &child, 1, NULL));
      set(station, REBAL_TASK_FROM_CLUSTER, child, station->ids[c]);
      set(station, REBAL_TASK_REPLICAS, child, binding->kept[c]);
      set_text(station, REBAL_TASK_PRODUCER, child, "librebalance-plan");
    }
  }
}

static void add_binding(struct station *station, const struct world *world, size_t b) {
  const struct binding *binding = &world->bindings[b];
  const char name[] = {'b', (char)('0' + b), '\0'};
  char version[32];
  uint32_t row;

  if (binding->is_gone) {
    return;
  }
  (void)snprintf(version, sizeof version, "%lld", (long long)binding->version);
  must(rebal_cells_add(rebal_bindings_cells(station->bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL));
  set_text(station, REBAL_BINDING_NAMESPACE, row, "n");
  set_text(station, REBAL_BINDING_NAME, row, name);
  set_text(station, REBAL_BINDING_RESOURCE_NAMESPACE, row, "n");
  set(station, REBAL_BINDING_POD_LABELS, row,
      binding->app == 0     ? REBAL_NONE
      : binding->app == 'w' ? station->web
                            : station->db);
  set_text(station, REBAL_BINDING_UID, row, binding->uid);
  set_text(station, REBAL_BINDING_RESOURCE_VERSION, row, version);
  set(station, REBAL_BINDING_REPLICAS, row, binding->replicas);
  set(station, REBAL_BINDING_DELETING, row, binding->is_deleting);
  set(station, REBAL_BINDING_REQUIREMENTS, row, station->requirements[binding->aim.need]);
  add_cells(station, world, b, row);
  if (world->is_karmada) {
    add_karmada(station, world, b, row);
  }
}

static int64_t number(const struct station *station, uint32_t column, size_t row) {
  size_t n;
  return rebal_result_i64(station->result, column, &n)[row];
}

static size_t index_of(const struct station *station, int64_t cluster) {
  size_t c = 0;

  while (c < CLUSTERS && (int64_t)station->ids[c] != cluster) {
    c++;
  }
  return c;
}

static uint32_t child_of(const rebal_record *record, uint32_t parent, uint32_t field) {
  return rebal_record_next(record, parent, field, REBAL_NONE);
}

/* A number for each cluster that a list names. */
static void read_list(const rebal_record *record, uint32_t spec, const uint32_t fields[3], int64_t *out) {
  uint32_t node = REBAL_NONE;

  memset(out, 0, CLUSTERS * sizeof *out);
  while ((node = rebal_record_next(record, spec, fields[0], node)) != REBAL_NONE) {
    const char *name = rebal_record_text(record, child_of(record, node, fields[1]), NULL);

    out[name[0] - 'a'] = rebal_record_i64(record, child_of(record, node, fields[2]));
  }
}

static void read_payload(const rebal_record *record, int64_t replaces, struct verdict *verdict) {
  static const uint32_t targets[] = {REBAL_BINDING_SPEC_CLUSTERS, REBAL_TARGET_CLUSTER_NAME,
                                     REBAL_TARGET_CLUSTER_REPLICAS};
  static const uint32_t tasks[] = {REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS, REBAL_EVICTION_TASK_FROM_CLUSTER,
                                   REBAL_EVICTION_TASK_REPLICAS};
  const int is_whole = rebal_record_object(record) == REBAL_OBJECT_BINDING;
  const uint32_t spec = is_whole ? child_of(record, 0, REBAL_BINDING_SPEC) : 0;

  if (replaces & REBAL_REPLACES_CLUSTERS) {
    read_list(record, spec, targets, verdict->next);
  }
  if (replaces & REBAL_REPLACES_GRACEFUL_EVICTION_TASKS) {
    read_list(record, spec, tasks, verdict->kept);
  }
  if (is_whole) {
    const uint32_t metadata = child_of(record, 0, REBAL_BINDING_METADATA);
    const uint32_t pair = child_of(record, metadata, REBAL_METADATA_ANNOTATIONS);

    verdict->is_suspended = child_of(record, spec, REBAL_BINDING_SPEC_SUSPENSION) != REBAL_NONE ||
                            (verdict->is_suspended && !(replaces & REBAL_REPLACES_SCHEDULING_SUSPENSION));
    (void)snprintf(verdict->mark, sizeof verdict->mark, "%s",
                   rebal_record_text(record, child_of(record, pair, REBAL_PAIR_VALUE), NULL));
  }
}

static void read_answer(const struct station *station, const struct world *world, struct verdict *verdicts) {
  memset(verdicts, 0, BINDINGS * sizeof *verdicts);
  for (size_t b = 0; b < world->n_bindings; b++) {
    const int64_t cluster = number(station, REBAL_WAVE_CLUSTER, b);

    verdicts[b].state = number(station, REBAL_WAVE_STATE, b);
    verdicts[b].reason = number(station, REBAL_WAVE_REASON, b);
    verdicts[b].cluster = cluster == REBAL_ABSENT ? -1 : (int64_t)index_of(station, cluster);
    verdicts[b].cycle = number(station, REBAL_WAVE_CYCLE, b);
    verdicts[b].is_foreign = (int)number(station, REBAL_WAVE_FOREIGN, b);
    verdicts[b].is_suspended = world->bindings[b].is_suspended;
    memcpy(verdicts[b].mark, world->bindings[b].mark, sizeof verdicts[b].mark);
    memcpy(verdicts[b].next, world->bindings[b].z, sizeof verdicts[b].next);
    memcpy(verdicts[b].kept, world->bindings[b].kept, sizeof verdicts[b].kept);
  }
  for (size_t i = 0; i < rebal_result_count(station->result, REBAL_TABLE_ACTION); i++) {
    if (number(station, REBAL_ACTION_KIND, i) == REBAL_ACTION_KIND_PATCH_SPEC) {
      struct verdict *verdict = &verdicts[number(station, REBAL_ACTION_ORDINAL, i)];

      verdict->is_written++;
      read_payload(rebal_result_record(station->result, i), number(station, REBAL_ACTION_REPLACES, i), verdict);
    }
  }
}

static int32_t query(struct station *station, struct world *world, int is_other, struct verdict *verdicts) {
  const rebal_time now = {world_now(world), 0, 1};
  const rebal_plan_step_opts opts = {
      .struct_size = (uint32_t)sizeof opts,
      .dialect = world->is_karmada ? REBAL_PLAN_DIALECT_KARMADA : REBAL_PLAN_DIALECT_PLAIN,
      .flags = (world->is_back ? REBAL_PLAN_STEP_FLAG_BACK : 0u) |
               (world->is_over_clusters ? (uint32_t)REBAL_PLAN_STEP_FLAG_BUDGETS_OVER_CLUSTERS : 0u) |
               (world->is_counted ? 0u : (uint32_t)REBAL_PLAN_STEP_FLAG_OWN_NOT_COUNTED),
      .budgets = station->budgets,
      .n_budgets = world->n_budgets};
  rebal_snapshot *snapshot;
  int32_t code;

  set_capacity(station, world);
  for (size_t i = 0; i < world->n_budgets; i++) {
    make_budget(station, &world->budgets[i], i);
  }
  rebal_bindings_reset(station->bindings);
  for (size_t b = 0; b < world->n_bindings; b++) {
    add_binding(station, world, is_other ? world->n_bindings - 1 - b : b);
  }
  must(rebal_bindings_freeze(station->bindings, NULL));
  must(rebal_fleet_freeze(station->fleet, &snapshot, NULL));
  code = rebal_plan_step(station->ctx, snapshot, station->bindings, world->plan, &now, &opts, station->result, NULL);
  if (code == REBAL_OK) {
    read_answer(station, world, verdicts);
  }
  rebal_snapshot_unref(snapshot);
  return code;
}

int32_t world_request(struct world *world, int is_other, struct verdict *verdicts) {
  struct station other;
  int32_t code;

  if (!is_other) {
    return query(&kept, world, 0, verdicts);
  }
  open_station(&other, 1);
  code = query(&other, world, 1, verdicts);
  close_station(&other);
  return code;
}
