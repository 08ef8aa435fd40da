/* SPDX-License-Identifier: MIT */
/* Effects of a plan in the members given by --member: rows of rebal_plan_member(). */
#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replicas that leave or enter a cluster. */
static size_t count_rows(const struct planned *planned, uint32_t cluster) {
  size_t n = 0;
  for (size_t row = 0; row < plan_rows(planned, REBAL_TABLE_PLANNED_CLUSTER); row++) {
    const int64_t present = plan_cell(planned, REBAL_PLANNED_CLUSTER_PRESENT, row);
    const int64_t after = plan_cell(planned, REBAL_PLANNED_CLUSTER_PLANNED, row);
    const int64_t change = (after == REBAL_ABSENT ? 0 : after) - (present == REBAL_ABSENT ? 0 : present);
    if (id_of(plan_cell(planned, REBAL_PLANNED_CLUSTER_CLUSTER, row)) == cluster) {
      n += (size_t)(change < 0 ? -change : change);
    }
  }
  return n;
}

static int open_columns(rebal_member_rows *rows, size_t n) {
  uint32_t **const columns[] = {&rows->bindings, &rows->states,  &rows->pods,
                                &rows->rules,    &rows->spreads, &rows->subsets};
  int is_open = 1;
  rows->capacity = n;
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
    *columns[i] = calloc(n + 1, sizeof **columns[i]);
    is_open &= *columns[i] != NULL;
  }
  return is_open;
}

static void close_columns(const rebal_member_rows *rows) {
  free(rows->bindings);
  free(rows->states);
  free(rows->pods);
  free(rows->rules);
  free(rows->spreads);
  free(rows->subsets);
}

static void keep(struct planned *planned, size_t member, uint32_t cluster, const rebal_member_rows *rows) {
  for (size_t i = 0; i < rows->n && i < rows->capacity; i++) {
    planned->replicas[planned->n_replicas] = (struct member_replica){
        rows->bindings[i], planned->n_replicas, member,           cluster,         rows->states[i],
        rows->pods[i],     rows->rules[i],      rows->spreads[i], rows->subsets[i]};
    planned->n_replicas++;
  }
}

static enum status read_one(struct planned *planned, size_t member) {
  const struct world *world = planned->world;
  const char *name = world->options->members[member];
  const uint32_t cluster = rebal_snapshot_find_cluster(world->snapshot, name, strcspn(name, "="));
  const size_t n = count_rows(planned, cluster);
  rebal_member_rows rows = {.struct_size = sizeof rows};
  rebal_error err = REBAL_ERROR_INIT;
  enum status status = STATUS_DONE;
  struct member_replica *grown = realloc(planned->replicas, (planned->n_replicas + n + 1) * sizeof *grown);
  planned->replicas = grown != NULL ? grown : planned->replicas;
  if (!open_columns(&rows, n) || grown == NULL) {
    status = complain_of_memory();
  } else if (rebal_plan_member(planned->plan, world->store, cluster, world->members.stores[member],
                               &world->options->now, world->options->compat, &rows, &err) != REBAL_OK) {
    status = complain_of_file(name + strcspn(name, "=") + 1, &err);
  } else {
    keep(planned, member, cluster, &rows);
  }
  close_columns(&rows);
  return status;
}

static int compare(const void *left, const void *right) {
  const struct member_replica *one = left, *other = right;
  return one->binding != other->binding ? (one->binding > other->binding) - (one->binding < other->binding)
                                        : (one->order > other->order) - (one->order < other->order);
}

enum status plan_read_members(struct planned *planned) {
  enum status status = STATUS_DONE;
  for (size_t i = 0; status == STATUS_DONE && i < planned->world->members.n; i++) {
    status = read_one(planned, i);
  }
  if (status == STATUS_DONE && planned->n_replicas > 1) {
    qsort(planned->replicas, planned->n_replicas, sizeof *planned->replicas, compare);
  }
  return status;
}

/* ---- as texts ---- */

const char *replica_pod(const struct planned *planned, const struct member_replica *replica) {
  return rebal_store_identity(planned->world->members.stores[replica->member], replica->pod, REBAL_IDENTITY_NAME, NULL);
}

const char *replica_spread(const struct planned *planned, const struct member_replica *replica) {
  return rebal_store_identity(planned->world->members.stores[replica->member], replica->spread, REBAL_IDENTITY_NAME,
                              NULL);
}

const char *replica_subset(const struct planned *planned, const struct member_replica *replica) {
  char path[48];
  if (replica->subset == REBAL_NONE) {
    return "";
  }
  (void)snprintf(path, sizeof path, "spec.subsets[%" PRIu32 "].name", replica->subset);
  return store_text(planned->world->members.stores[replica->member], replica->spread, path, planned->world->texts);
}
