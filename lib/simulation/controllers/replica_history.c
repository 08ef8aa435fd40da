/* SPDX-License-Identifier: MIT */
/*
 * Logs what a binding has in each cluster whenever it changes: assigned by spec.clusters, running and ready in the
 * member. Examined once in each round, only for bindings that changed.
 */
#include "simulation/controllers/replica_history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Each row needs a change of its binding, but a binding may have a row for each cluster. */
#define ROWS_FOR_ONE_OF_THE_LOG 16

enum { ASSIGNED, READY, RUNNING };

static const char *name_at(const struct rebali_replica_history *history, size_t at) {
  return history->names.bytes + at;
}

static int32_t add_name(struct rebali_replica_history *history, const char *name, size_t *at, rebal_error *err) {
  *at = history->names.len;
  rebali_buffer_append(&history->names, name, strlen(name) + 1);
  return history->names.failed ? rebali_fail_memory(err) : REBAL_OK;
}

int32_t rebali_replica_history_open(struct rebali_replica_history *history, struct rebali_members *members,
                                    rebal_error *err) {
  size_t at;
  history->members = members;
  history->holdings.size = sizeof(struct rebali_binding_shares);
  return add_name(history, "", &at, err);
}

void rebali_replica_history_dispose(struct rebali_replica_history *history) {
  for (uint32_t i = 0; i < history->holdings.n; i++) {
    struct rebali_binding_shares *holding = rebali_row_find(&history->holdings, i);
    free(holding->list);
  }
  free(history->holdings.bytes);
  free(history->rows);
  rebali_buffer_dispose(&history->names);
}

/* Returns the place where the share of a cluster is or would be. Shares are ordered by cluster, "" first. */
static size_t find_place(const struct rebali_replica_history *history, const struct rebali_binding_shares *holding,
                         const char *cluster) {
  size_t at;
  REBALI_BISECT(at, holding->n, strcmp(name_at(history, holding->list[at].cluster), cluster) < 0);
  return at;
}

static int32_t open_share(struct rebali_replica_history *history, struct rebali_binding_shares *holding,
                          const char *cluster, struct rebali_share **out, rebal_error *err) {
  const size_t at = find_place(history, holding, cluster);
  struct rebali_share share = {0, {0, 0, 0}, {0, 0, 0}};
  int32_t code;
  if (at < holding->n && strcmp(name_at(history, holding->list[at].cluster), cluster) == 0) {
    *out = &holding->list[at];
    return REBAL_OK;
  }
  code = rebali_reserve_malloc(&holding->list, &holding->capacity, holding->n + 1, sizeof share, err);
  if (code == REBAL_OK) {
    code = add_name(history, cluster, &share.cluster, err);
  }
  if (code == REBAL_OK) {
    memmove(holding->list + at + 1, holding->list + at, (holding->n - at) * sizeof share);
    holding->list[at] = share;
    holding->n++;
    *out = &holding->list[at];
  }
  return code;
}

static int32_t count_targets(struct rebali_replica_history *history, const rebal_value *targets,
                             struct rebali_binding_shares *holding, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(targets); i++) {
    const rebal_value *target = rebal_value_item(targets, i);
    struct rebali_share *share;
    int64_t replicas;
    code = open_share(history, holding, rebali_find_text(target, "name"), &share, err);
    if (code == REBAL_OK && rebali_number(rebali_find(target, "replicas"), &replicas)) {
      share->now[ASSIGNED] = replicas; /* if a cluster is named twice, the last one counts, as for its works */
    }
  }
  return code;
}

static int32_t count_works(struct rebali_replica_history *history, uint32_t binding,
                           struct rebali_binding_shares *holding, rebal_error *err) {
  const struct rebali_bound *bound = rebali_bound_find(history->members, binding);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && bound != NULL && i < bound->n; i++) {
    struct rebali_share *share;
    code = open_share(history, holding, bound->works[i]->member->cluster, &share, err);
    if (code == REBAL_OK) {
      share->now[READY] = bound->works[i]->ready;
      share->now[RUNNING] = bound->works[i]->replicas;
    }
  }
  return code;
}

/* Computes the share of "": what is wanted and what exists in total. */
static int32_t count_whole(struct rebali_replica_history *history, int64_t replicas,
                           struct rebali_binding_shares *holding, rebal_error *err) {
  struct rebali_share *whole;
  const int32_t code = open_share(history, holding, "", &whole, err);
  if (code == REBAL_OK) {
    whole->now[ASSIGNED] = replicas;
    for (size_t i = 1; i < holding->n; i++) {
      whole->now[READY] = rebali_add_saturating(whole->now[READY], holding->list[i].now[READY]);
      whole->now[RUNNING] = rebali_add_saturating(whole->now[RUNNING], holding->list[i].now[RUNNING]);
    }
  }
  return code;
}

static int32_t label(struct rebali_replica_history *history, uint32_t binding, struct rebali_binding_shares *holding,
                     rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER;
  int32_t code = REBAL_OK;
  if (holding->label == 0) {
    rebali_print_label(history->members->core->server, &text, binding);
    code = text.failed ? rebali_fail_memory(err) : add_name(history, text.bytes, &holding->label, err);
  }
  rebali_buffer_dispose(&text);
  return code;
}

/* Returns the total that is wanted: a workload that is not divided has its replicas in each of its clusters. */
static int64_t wanted_of(const rebal_value *spec) {
  const int64_t replicas = rebali_number_or(rebali_find(spec, "replicas"), 0);
  const rebal_value *strategy = rebali_find(rebali_find(spec, "placement"), "replicaScheduling");
  const size_t n = rebal_value_count(rebali_find(spec, "clusters"));
  return n > 0 && !rebali_reads(rebali_find(strategy, "replicaSchedulingType"), "Divided")
             ? rebali_multiply_saturating(replicas, (int64_t)n)
             : replicas;
}

static int32_t count(struct rebali_replica_history *history, uint32_t binding, struct rebali_binding_shares *holding,
                     rebal_error *err) {
  const rebal_value *spec = rebali_field(history->members->core->server, binding, "spec");
  int32_t code = label(history, binding, holding, err);
  if (code == REBAL_OK) {
    code = count_targets(history, rebali_find(spec, "clusters"), holding, err);
  }
  if (code == REBAL_OK) {
    code = count_works(history, binding, holding, err);
  }
  return code == REBAL_OK ? count_whole(history, wanted_of(spec), holding, err) : code;
}

static int32_t add_row(struct rebali_replica_history *history, const struct rebali_binding_shares *holding,
                       const struct rebali_share *share, rebal_error *err) {
  const struct rebali_server *server = history->members->core->server;
  int32_t code;
  if (history->n / ROWS_FOR_ONE_OF_THE_LOG >= server->log.max_rows) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "there are %zu rows of shares: simulate less time or fewer changes",
                       history->n);
  }
  code = rebali_reserve_malloc(&history->rows, &history->capacity, history->n + 1, sizeof *history->rows, err);
  if (code == REBAL_OK) {
    history->rows[history->n++] = (struct rebali_share_row){server->now, server->log.n, holding->label, *share};
  }
  return code;
}

/* Adds a row for each share that changed since the last row; removes empty shares. */
static int32_t report(struct rebali_replica_history *history, struct rebali_binding_shares *holding, rebal_error *err) {
  size_t kept = 0;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < holding->n; i++) {
    struct rebali_share share = holding->list[i];
    if (memcmp(share.now, share.reported, sizeof share.now) != 0) {
      code = add_row(history, holding, &share, err);
      memcpy(share.reported, share.now, sizeof share.now);
    }
    if (share.now[ASSIGNED] != 0 || share.now[READY] != 0 || share.now[RUNNING] != 0) {
      holding->list[kept++] = share;
    }
  }
  if (code == REBAL_OK) {
    holding->n = kept;
  }
  return code;
}

static int32_t examine_object(struct rebali_replica_history *history, uint32_t object, rebal_error *err) {
  const int is_binding = rebali_object_is_binding(history->members->core->server, object);
  struct rebali_binding_shares *holding = rebali_row_find(&history->holdings, object);
  int32_t code = REBAL_OK;
  if (!is_binding && (holding == NULL || holding->n == 0)) {
    return REBAL_OK;
  }
  holding = rebali_row(&history->holdings, object, err);
  if (holding == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < holding->n; i++) {
    memset(holding->list[i].now, 0, sizeof holding->list[i].now);
  }
  if (is_binding) {
    code = count(history, object, holding, err);
  }
  return code == REBAL_OK ? report(history, holding, err) : code;
}

static int compare_ids(const void *left, const void *right) {
  const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
  return (one > other) - (one < other);
}

int32_t rebali_replica_history_run(struct rebali_replica_history *history, rebal_error *err) {
  struct rebali_server *server = history->members->core->server;
  struct rebali_ids changed = {NULL, 0, 0};
  int32_t code = REBAL_OK;
  for (uint32_t id = rebal_store_next_changed(server->store, &history->seen); code == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next_changed(server->store, &history->seen)) {
    code = rebali_ids_add(&changed, id, err);
  }
  if (changed.n > 1) {
    qsort(changed.list, changed.n, sizeof *changed.list, compare_ids);
  }
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    code = examine_object(history, changed.list[i], err);
    rebali_reads_release(server);
  }
  rebali_ids_dispose(&changed);
  return code;
}

int32_t rebali_replica_history_read(const struct rebali_replica_history *history, size_t row,
                                    rebal_simulation_share *out, rebal_error *err) {
  const struct rebali_share_row *found;
  rebal_simulation_share share;
  if (row >= history->n) {
    return rebali_fail(err, REBAL_ERANGE, -1, "there are %zu rows of shares, no row %zu", history->n, row);
  }
  found = &history->rows[row];
  share = (rebal_simulation_share){0,
                                   0,
                                   found->time,
                                   found->log_rows,
                                   name_at(history, found->binding),
                                   name_at(history, found->share.cluster),
                                   found->share.now[ASSIGNED],
                                   found->share.now[READY],
                                   found->share.now[RUNNING]};
  rebali_structure_fill(out, &share, sizeof share);
  return REBAL_OK;
}
