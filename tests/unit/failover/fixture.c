/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <stdio.h>

#define TRY(call)                    \
  do {                               \
    if (fixture->code == REBAL_OK) { \
      fixture->code = (call);        \
    }                                \
  } while (0)

void fixture_set(struct fixture *fixture, uint32_t column, uint32_t row, int64_t value) {
  TRY(rebal_cells_set_i64(rebal_bindings_cells(fixture->bindings), column, REBAL_NONE, row, value, NULL));
}

void fixture_set_text(struct fixture *fixture, uint32_t column, uint32_t row, const char *value) {
  TRY(rebal_cells_set_text(rebal_bindings_cells(fixture->bindings), column, REBAL_NONE, row, value, strlen(value),
                           NULL));
}

void fixture_start(struct fixture *fixture, const rebal_allocator *allocator) {
  static const char *const names[] = {"member1", "member2", "member3"};
  size_t i;

  memset(fixture, 0, sizeof *fixture);
  fixture->opts.struct_size = (uint32_t)sizeof fixture->opts;
  fixture->opts.flags = REBAL_FAILOVER_FLAG_EVICT_BY_TAINT;
  TRY(rebal_builder_new(allocator, &fixture->builder, NULL));
  TRY(rebal_fleet_new(allocator, &fixture->fleet, NULL));
  for (i = 0; i < REBALI_COUNT(names); i++) {
    TRY(rebal_fleet_add_cluster(fixture->fleet, names[i], strlen(names[i]), &fixture->clusters[i], NULL));
  }
  TRY(rebal_bindings_new(fixture->fleet, allocator, &fixture->bindings, NULL));
  TRY(rebal_ctx_new(allocator, NULL, &fixture->ctx, NULL));
  TRY(rebal_result_new(allocator, &fixture->result, NULL));
  fixture_binding(fixture);
}

void fixture_binding(struct fixture *fixture) {
  TRY(rebal_cells_add(rebal_bindings_cells(fixture->bindings), REBAL_TABLE_BINDING, REBAL_NONE, &fixture->binding, 1,
                      NULL));
  fixture_set_text(fixture, REBAL_BINDING_NAMESPACE, fixture->binding, "shop");
  fixture_set_text(fixture, REBAL_BINDING_NAME, fixture->binding, "web");
  fixture_set_text(fixture, REBAL_BINDING_RESOURCE_VERSION, fixture->binding, "5");
  fixture_set(fixture, REBAL_BINDING_GENERATION, fixture->binding, 1);
  fixture_set(fixture, REBAL_BINDING_OBSERVED_GENERATION, fixture->binding, 1);
}

void fixture_dispose(struct fixture *fixture) {
  rebal_result_free(fixture->result);
  rebal_ctx_free(fixture->ctx);
  rebal_bindings_free(fixture->bindings);
  rebal_snapshot_unref(fixture->snapshot);
  rebal_fleet_free(fixture->fleet);
  rebal_builder_free(fixture->builder);
  memset(fixture, 0, sizeof *fixture);
}

static void put_text(struct fixture *fixture, uint32_t field, const char *text) {
  if (*text != '\0') {
    TRY(rebal_builder_text(fixture->builder, field, text, strlen(text), NULL));
  }
}

static void put_time(struct fixture *fixture, uint32_t field, int64_t seconds) {
  const rebal_time time = {seconds, 0, seconds != 0};

  TRY(rebal_builder_time(fixture->builder, field, &time, NULL));
}

static uint32_t intern(struct fixture *fixture) {
  const rebal_record *record = NULL;
  uint32_t handle = REBAL_NONE;

  TRY(rebal_builder_finish(fixture->builder, &record, NULL));
  TRY(rebal_fleet_intern(fixture->fleet, record, &handle, NULL));
  return handle;
}

void fixture_taints(struct fixture *fixture, const struct fixture_taint *taints, size_t n) {
  uint32_t handle;
  size_t i;

  TRY(rebal_builder_start(fixture->builder, REBAL_OBJECT_TAINTS, NULL));
  for (i = 0; i < n; i++) {
    TRY(rebal_builder_begin(fixture->builder, REBAL_TAINTS_TAINT, NULL));
    put_text(fixture, REBAL_TAINT_KEY, taints[i].key);
    put_text(fixture, REBAL_TAINT_EFFECT, taints[i].effect);
    put_time(fixture, REBAL_TAINT_TIME_ADDED, taints[i].time_added);
    TRY(rebal_builder_end(fixture->builder, NULL));
  }
  handle = intern(fixture);
  TRY(rebal_cells_set_i64(rebal_fleet_cells(fixture->fleet), REBAL_CLUSTER_TAINTS, REBAL_NONE, fixture->clusters[0],
                          handle, NULL));
}

void fixture_conditions(struct fixture *fixture, uint32_t cluster, const char *conditions) {
  char type[64], status[64];
  uint32_t handle;
  int len;

  TRY(rebal_builder_start(fixture->builder, REBAL_OBJECT_CONDITIONS, NULL));
  for (; sscanf(conditions, " %63[^= ]=%63s%n", type, status, &len) == 2; conditions += len) {
    TRY(rebal_builder_begin(fixture->builder, REBAL_CONDITIONS_CONDITION, NULL));
    put_text(fixture, REBAL_CONDITION_TYPE, type);
    put_text(fixture, REBAL_CONDITION_STATUS, status);
    TRY(rebal_builder_end(fixture->builder, NULL));
  }
  handle = intern(fixture);
  TRY(rebal_cells_set_i64(rebal_fleet_cells(fixture->fleet), REBAL_CLUSTER_CONDITIONS, REBAL_NONE, cluster, handle,
                          NULL));
}

void fixture_applied(struct fixture *fixture, const struct fixture_toleration *tolerations, size_t n) {
  size_t i;

  TRY(rebal_builder_start(fixture->builder, REBAL_OBJECT_PLACEMENT, NULL));
  for (i = 0; i < n; i++) {
    TRY(rebal_builder_begin(fixture->builder, REBAL_PLACEMENT_CLUSTER_TOLERATIONS, NULL));
    put_text(fixture, REBAL_TOLERATION_KEY, tolerations[i].key);
    put_text(fixture, REBAL_TOLERATION_OPERATOR, "Exists");
    if (tolerations[i].seconds != REBAL_ABSENT) {
      TRY(rebal_builder_i64(fixture->builder, REBAL_TOLERATION_TOLERATION_SECONDS, tolerations[i].seconds, NULL));
    }
    TRY(rebal_builder_end(fixture->builder, NULL));
  }
  fixture_set(fixture, REBAL_BINDING_APPLIED_PLACEMENT, fixture->binding, intern(fixture));
  fixture_set(fixture, REBAL_BINDING_APPLIED_STATE, fixture->binding, REBAL_ANNOTATION_PRESENT);
}

static uint32_t add_child(struct fixture *fixture, uint32_t table, uint32_t column, uint32_t cluster) {
  uint32_t row = 0;

  TRY(rebal_cells_add(rebal_bindings_cells(fixture->bindings), table, fixture->binding, &row, 1, NULL));
  fixture_set(fixture, column, row, cluster);
  return row;
}

void fixture_target(struct fixture *fixture, uint32_t cluster, int64_t replicas) {
  const uint32_t row = add_child(fixture, REBAL_TABLE_TARGET, REBAL_TARGET_CLUSTER, cluster);

  fixture_set(fixture, REBAL_TARGET_REPLICAS, row, replicas);
}

uint32_t fixture_task(struct fixture *fixture, uint32_t cluster, int64_t created) {
  const uint32_t row = add_child(fixture, REBAL_TABLE_TASK, REBAL_TASK_FROM_CLUSTER, cluster);
  const rebal_time time = {created, 0, 1};

  if (created != 0) {
    TRY(rebal_cells_set_time(rebal_bindings_cells(fixture->bindings), REBAL_TASK_CREATION_TIMESTAMP, REBAL_NONE, row,
                             &time, NULL));
  }
  return row;
}

uint32_t fixture_health(struct fixture *fixture, uint32_t cluster, const char *health) {
  const uint32_t row = add_child(fixture, REBAL_TABLE_STATUS_ITEM, REBAL_STATUS_ITEM_CLUSTER, cluster);

  fixture_set_text(fixture, REBAL_STATUS_ITEM_HEALTH, row, health);
  return row;
}

void fixture_unhealthy(struct fixture *fixture, uint32_t cluster, int64_t since) {
  const uint32_t row = add_child(fixture, REBAL_TABLE_UNHEALTHY, REBAL_UNHEALTHY_CLUSTER, cluster);
  const rebal_time time = {since, 0, since != 0};

  TRY(rebal_cells_set_time(rebal_bindings_cells(fixture->bindings), REBAL_UNHEALTHY_SINCE, REBAL_NONE, row, &time,
                           NULL));
}

uint32_t fixture_labels(struct fixture *fixture, const char *key, const char *value) {
  TRY(rebal_builder_start(fixture->builder, REBAL_OBJECT_LABELS, NULL));
  TRY(rebal_builder_begin(fixture->builder, REBAL_LABELS_LABEL, NULL));
  put_text(fixture, REBAL_PAIR_KEY, key);
  put_text(fixture, REBAL_PAIR_VALUE, value);
  TRY(rebal_builder_end(fixture->builder, NULL));
  return intern(fixture);
}

void fixture_freeze(struct fixture *fixture) {
  TRY(rebal_bindings_freeze(fixture->bindings, NULL));
  TRY(rebal_fleet_freeze(fixture->fleet, &fixture->snapshot, NULL));
}

size_t fixture_action(const struct fixture *fixture, int64_t kind, size_t n) {
  const int64_t *kinds = rebal_result_i64(fixture->result, REBAL_ACTION_KIND, NULL);
  const size_t count = rebal_result_count(fixture->result, REBAL_TABLE_ACTION);
  size_t row;

  for (row = 0; row < count; row++) {
    if (kinds[row] == kind && n-- == 0) {
      return row;
    }
  }
  return SIZE_MAX;
}

int64_t fixture_cell(const struct fixture *fixture, uint32_t column) {
  const int64_t *cells = rebal_result_i64(fixture->result, column, NULL);

  return cells == NULL ? -1 : cells[0];
}

static const char *text_of(const rebal_record *record, uint32_t node, uint32_t field) {
  return rebal_record_text(record, rebali_record_get(record, node, field), NULL);
}

const char *fixture_patch(const struct fixture *fixture, char *buffer, size_t size) {
  const rebal_record *spec =
      rebal_result_record(fixture->result, fixture_action(fixture, REBAL_ACTION_KIND_PATCH_SPEC, 0));
  uint32_t node = REBAL_NONE;
  size_t len = 0;

  *buffer = '\0';
  if (spec == NULL) {
    return buffer;
  }
  while ((node = rebal_record_next(spec, 0, REBAL_BINDING_SPEC_CLUSTERS, node)) != REBAL_NONE) {
    len += (size_t)snprintf(buffer + len, size - len, "%s:%d ", text_of(spec, node, REBAL_TARGET_CLUSTER_NAME),
                            (int)rebal_record_i64(spec, rebali_record_get(spec, node, REBAL_TARGET_CLUSTER_REPLICAS)));
  }
  len += (size_t)snprintf(buffer + len, size - len, "|");
  while ((node = rebal_record_next(spec, 0, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS, node)) != REBAL_NONE) {
    len += (size_t)snprintf(buffer + len, size - len, " %s(%s)", text_of(spec, node, REBAL_EVICTION_TASK_FROM_CLUSTER),
                            text_of(spec, node, REBAL_EVICTION_TASK_PURGE_MODE));
  }
  return buffer;
}

const char *fixture_written_taints(const struct fixture *fixture, uint32_t cluster, char *buffer, size_t size) {
  const int64_t *rows = rebal_result_i64(fixture->result, REBAL_ACTION_ROW, NULL);
  const rebal_record *spec = NULL;
  uint32_t node = REBAL_NONE;
  size_t len = 0;

  for (size_t i = 0; i < rebal_result_count(fixture->result, REBAL_TABLE_ACTION); i++) {
    spec = rows[i] == (int64_t)cluster ? rebal_result_record(fixture->result, i) : spec;
  }
  (void)snprintf(buffer, size, "%s", spec == NULL ? "-" : "");
  while ((node = rebal_record_next(spec, 0, REBAL_CLUSTER_SPEC_TAINTS, node)) != REBAL_NONE) {
    const char *value = text_of(spec, node, REBAL_TAINT_VALUE);
    rebal_time added;

    rebal_record_time(spec, rebali_record_get(spec, node, REBAL_TAINT_TIME_ADDED), &added);
    len += (size_t)snprintf(buffer + len, size - len, "%s%s%s:%s@%d ", text_of(spec, node, REBAL_TAINT_KEY),
                            *value == '\0' ? "" : "=", value, text_of(spec, node, REBAL_TAINT_EFFECT),
                            added.is_set ? (int)(added.seconds - NOW) : -1);
  }
  return buffer;
}
