/* SPDX-License-Identifier: MIT */
/* The public call: which replicas of a plan leave one member and arrive in it. */
#include "simulation/scenario/plan_member.h"

#include <stdlib.h>
#include <string.h>

/* One call. */
struct planning {
  const rebal_store *store, *member;
  rebal_result *result; /* the tables of the plan */
  uint32_t cluster;
  rebal_time now;
  const rebal_compat *compat;
  struct rebali_member_change *changes;
  size_t n, capacity;
  struct rebali_intern *namespaces; /* of the bindings that change */
  struct rebali_member_copy copy;
  struct rebali_member_rows rows;
};

/* ---- bindings whose replicas in the member change ---------------------------------------------------------------- */

static const char *text_of(const struct planning *planning, uint32_t column, size_t row, size_t *len) {
  return rebal_result_text(planning->result, column, row, len);
}

/* Returns the replicas; 0 if the placement lacks the cluster. */
static int64_t replicas_of(const struct planning *planning, uint32_t column, size_t row) {
  const int64_t replicas = rebali_cell(planning->result, column, row);
  return replicas != REBAL_ABSENT ? replicas : 0;
}

static int32_t add_change(struct planning *planning, const struct rebali_member_change *change, rebal_error *err) {
  size_t len;
  const char *namespace_ = text_of(planning, REBAL_PLANNED_NAMESPACE, change->binding, &len);
  uint32_t id;
  const int32_t code =
      rebali_reserve_malloc(&planning->changes, &planning->capacity, planning->n + 1, sizeof *planning->changes, err);
  if (code != REBAL_OK) {
    return code;
  }
  planning->changes[planning->n++] = *change;
  return rebali_intern_add(planning->namespaces, namespace_, len, &id) == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t find_changes(struct planning *planning, rebal_error *err) {
  const size_t n = rebal_result_count(planning->result, REBAL_TABLE_PLANNED_CLUSTER);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    const struct rebali_member_change change = {
        (uint32_t)rebali_cell(planning->result, REBAL_PLANNED_CLUSTER_BINDING, i),
        replicas_of(planning, REBAL_PLANNED_CLUSTER_PRESENT, i),
        replicas_of(planning, REBAL_PLANNED_CLUSTER_PLANNED, i)};
    if (rebali_cell_id(rebali_cell(planning->result, REBAL_PLANNED_CLUSTER_CLUSTER, i)) == planning->cluster &&
        change.before != change.after) {
      code = add_change(planning, &change, err);
    }
  }
  return code;
}

/* ---- one binding ------------------------------------------------------------------------------------------------- */

static uint32_t find_binding(const struct planning *planning, uint32_t row) {
  size_t namespace_len, len;
  const char *namespace_ = text_of(planning, REBAL_PLANNED_NAMESPACE, row, &namespace_len);
  const char *name = text_of(planning, REBAL_PLANNED_NAME, row, &len);
  const char *kind = namespace_len > 0 ? "ResourceBinding" : "ClusterResourceBinding";
  return rebal_store_find(planning->store, kind, strlen(kind), namespace_, namespace_len, name, len);
}

/* Finds the workload in the copy. If it is new there, it is copied from its template. */
static int32_t find_workload(struct planning *planning, const struct rebali_member_change *change, uint32_t *out,
                             rebal_error *err) {
  const uint32_t binding = find_binding(planning, change->binding);
  const rebal_value *resource;
  uint32_t template;
  int32_t code;
  *out = REBAL_NONE;
  if (binding == REBAL_NONE) {
    return REBAL_OK;
  }
  resource = rebali_read(&planning->copy.server, planning->store, binding, "spec.resource");
  code = rebali_member_workload(planning->copy.server.store, resource, out, err);
  if (code != REBAL_OK || *out != REBAL_NONE || change->after < change->before) {
    return code;
  }
  code = rebali_member_workload(planning->store, resource, &template, err);
  return code == REBAL_OK && template != REBAL_NONE
             ? rebali_member_copy_add(&planning->copy, planning->store, template, out, err)
             : code;
}

static int32_t run_all(struct planning *planning, rebal_error *err) {
  int32_t code = rebali_member_copy_open(&planning->copy, planning->member, planning->namespaces, &planning->now,
                                         planning->compat, err);
  for (size_t i = 0; code == REBAL_OK && i < planning->n; i++) {
    const struct rebali_member_change *change = &planning->changes[i];
    uint32_t workload;
    code = find_workload(planning, change, &workload, err);
    rebali_reads_release(&planning->copy.server);
    if (code == REBAL_OK) {
      code = change->after < change->before
                 ? rebali_member_leave(&planning->copy, workload, change, &planning->rows, err)
                 : rebali_member_arrive(&planning->copy, workload, change, &planning->rows, err);
    }
    rebali_reads_release(&planning->copy.server);
  }
  return rebali_reads_end(&planning->copy.server, code, err);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static void copy_row(const struct rebali_member_row *row, const rebal_member_rows *out, size_t at) {
  uint32_t *const columns[] = {out->bindings, out->states, out->pods, out->rules, out->spreads, out->subsets};
  const uint32_t cells[] = {row->binding, row->state, row->pod, row->rule, row->spread, row->subset};
  for (size_t i = 0; i < REBALI_COUNT(columns); i++) {
    if (columns[i] != NULL) {
      columns[i][at] = cells[i];
    }
  }
}

static int32_t check(const rebal_plan *plan, const rebal_store *store, const rebal_store *member, const rebal_time *now,
                     const rebal_member_rows *out, rebal_member_rows *loaded, rebal_error *err) {
  int32_t code;
  if (plan == NULL || store == NULL || member == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "plan, store, member and out are needed");
  }
  code = rebali_options_load(loaded, sizeof *loaded, sizeof *loaded, out, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (loaded->flags != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "rebal_member_rows.flags has to be 0");
  }
  return rebali_clock_check(now, err);
}

static int32_t run(struct planning *planning, const rebal_plan *plan, rebal_error *err) {
  rebal_allocator allocator;
  int32_t code = rebal_result_new(NULL, &planning->result, err);
  if (code == REBAL_OK) {
    code = rebal_plan_read(plan, planning->result, err);
  }
  if (code == REBAL_OK) {
    code = rebali_allocator_load(&allocator, NULL, err);
  }
  if (code == REBAL_OK && rebali_intern_new(&allocator, &planning->namespaces) != REBAL_OK) {
    code = rebali_fail_memory(err);
  }
  if (code == REBAL_OK) {
    code = find_changes(planning, err);
  }
  return code == REBAL_OK && planning->n > 0 ? run_all(planning, err) : code;
}

static void dispose(struct planning *planning) {
  rebali_member_copy_dispose(&planning->copy);
  rebali_intern_free(planning->namespaces);
  rebal_result_free(planning->result);
  free(planning->changes);
  free(planning->rows.list);
}

int32_t rebal_plan_member(const rebal_plan *plan, const rebal_store *store, uint32_t cluster, const rebal_store *member,
                          const rebal_time *now, const rebal_compat *compat, rebal_member_rows *out, rebal_error *err) {
  struct planning planning = {.store = store, .member = member, .cluster = cluster, .compat = compat};
  rebal_member_rows loaded;
  int32_t code = check(plan, store, member, now, out, &loaded, err);
  if (code != REBAL_OK) {
    return code;
  }
  planning.now = *now;
  code = run(&planning, plan, err);
  out->n = code == REBAL_OK ? planning.rows.n : 0;
  for (size_t i = 0; i < out->n && i < loaded.capacity; i++) {
    copy_row(&planning.rows.list[i], &loaded, i);
  }
  dispose(&planning);
  return code;
}
