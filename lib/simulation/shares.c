/* SPDX-License-Identifier: MIT */
/*
 * What a binding has in each cluster, a row whenever it changes: assigned by spec.clusters, running and ready in the
 * member. Looked at once in each round, bindings that changed alone.
 */
#include "simulation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Each row needs a change of its binding, but a binding may have a row for each cluster. */
#define ROWS_FOR_ONE_OF_THE_LOG 16

enum { ASSIGNED, READY, RUNNING };

static const char *name_at(const rebal_simulation *simulation, size_t at) {
  return rebal_text_bytes(simulation->shares.names, NULL) + at;
}

static int32_t add_name(rebal_simulation *simulation, const char *name, size_t *at, rebal_error *err) {
  (void)rebal_text_bytes(simulation->shares.names, at);
  return rebal_text_append(simulation->shares.names, name, strlen(name) + 1, err);
}

/* The shares of an object, made when new. */
static int32_t open_holding(rebal_simulation *simulation, uint32_t object, struct rebali_object_shares **out,
                            rebal_error *err) {
  struct rebali_shares *shares = &simulation->shares;
  while (object >= shares->n_holdings) {
    const int32_t code = rebali_make_room(&shares->holdings, &shares->holdings_capacity, shares->n_holdings + 1,
                                          sizeof *shares->holdings, err);
    if (code != REBAL_OK) {
      return code;
    }
    shares->holdings[shares->n_holdings++] = (struct rebali_object_shares){.list = NULL};
  }
  *out = &shares->holdings[object];
  return REBAL_OK;
}

/* Where the share of a cluster stands or would stand; those of a binding are ordered by cluster, "" comes first. */
static size_t find_place(const rebal_simulation *simulation, const struct rebali_object_shares *holding,
                         const char *cluster) {
  size_t low = 0, high = holding->n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(name_at(simulation, holding->list[middle].cluster), cluster) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static int32_t open_share(rebal_simulation *simulation, struct rebali_object_shares *holding, const char *cluster,
                          struct rebali_share **out, rebal_error *err) {
  const size_t at = find_place(simulation, holding, cluster);
  struct rebali_share share = {0, {0, 0, 0}, {0, 0, 0}};
  int32_t code;
  if (at < holding->n && strcmp(name_at(simulation, holding->list[at].cluster), cluster) == 0) {
    *out = &holding->list[at];
    return REBAL_OK;
  }
  code = rebali_make_room(&holding->list, &holding->capacity, holding->n + 1, sizeof share, err);
  if (code == REBAL_OK) {
    code = add_name(simulation, cluster, &share.cluster, err);
  }
  if (code == REBAL_OK) {
    memmove(holding->list + at + 1, holding->list + at, (holding->n - at) * sizeof share);
    holding->list[at] = share;
    holding->n++;
    *out = &holding->list[at];
  }
  return code;
}

static int32_t count_targets(rebal_simulation *simulation, uint32_t binding, struct rebali_object_shares *holding,
                             rebal_error *err) {
  const struct rebali_slice targets = rebali_field(simulation, binding, "spec.clusters");
  struct rebali_slice target;
  size_t at = 0;
  int32_t code = REBAL_OK;
  while (code == REBAL_OK && rebali_cursor_item(targets, &at, &target)) {
    struct rebali_share *share;
    int64_t replicas = 0;
    char *cluster = rebali_cursor_copy(rebali_cursor_find(target, "name"));
    code = cluster != NULL ? open_share(simulation, holding, cluster, &share, err) : rebali_fail_memory(err);
    if (code == REBAL_OK && rebali_cursor_integer(rebali_cursor_find(target, "replicas"), &replicas)) {
      share->now[ASSIGNED] = replicas; /* of a cluster named twice: the last, as its works are */
    }
    free(cluster);
  }
  return code;
}

static int32_t count_works(rebal_simulation *simulation, uint32_t binding, struct rebali_object_shares *holding,
                           rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = rebali_works_of(simulation, binding);
       code == REBAL_OK && i < simulation->n_works && simulation->works[i].binding == binding; i++) {
    struct rebali_share *share;
    code = open_share(simulation, holding, simulation->works[i].cluster, &share, err);
    if (code == REBAL_OK) {
      share->now[READY] = simulation->works[i].ready;
      share->now[RUNNING] = simulation->works[i].replicas;
    }
  }
  return code;
}

/* Numbers of a scenario may be as large as they like. */
static int64_t add(int64_t left, int64_t right) {
  return right > INT64_MAX - left ? INT64_MAX : left + right;
}

/* The share of no cluster: what is wanted in all, and what there is in all. */
static int32_t count_whole(rebal_simulation *simulation, uint32_t binding, struct rebali_object_shares *holding,
                           rebal_error *err) {
  struct rebali_share *whole;
  int32_t code = open_share(simulation, holding, "", &whole, err);
  if (code == REBAL_OK) {
    whole->now[ASSIGNED] = rebali_field_integer(simulation, binding, "spec.replicas");
    for (size_t i = 1; i < holding->n; i++) {
      whole->now[READY] = add(whole->now[READY], holding->list[i].now[READY]);
      whole->now[RUNNING] = add(whole->now[RUNNING], holding->list[i].now[RUNNING]);
    }
  }
  return code;
}

static int32_t count(rebal_simulation *simulation, uint32_t binding, struct rebali_object_shares *holding,
                     rebal_error *err) {
  int32_t code = REBAL_OK;
  if (holding->label == 0) {
    char *label = rebali_object_label(simulation, binding);
    code = label != NULL ? add_name(simulation, label, &holding->label, err) : rebali_fail_memory(err);
    free(label);
  }
  if (code == REBAL_OK) {
    code = count_targets(simulation, binding, holding, err);
  }
  if (code == REBAL_OK) {
    code = count_works(simulation, binding, holding, err);
  }
  return code == REBAL_OK ? count_whole(simulation, binding, holding, err) : code;
}

static int32_t add_row(rebal_simulation *simulation, const struct rebali_object_shares *holding,
                       const struct rebali_share *share, rebal_error *err) {
  struct rebali_shares *shares = &simulation->shares;
  int32_t code;
  if (shares->n / ROWS_FOR_ONE_OF_THE_LOG >= simulation->log.max_rows) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "there are %zu rows of shares: simulate less time or fewer changes",
                       shares->n);
  }
  code = rebali_make_room(&shares->rows, &shares->capacity, shares->n + 1, sizeof *shares->rows, err);
  if (code == REBAL_OK) {
    shares->rows[shares->n++] = (struct rebali_share_row){simulation->now, simulation->log.n, holding->label, *share};
  }
  return code;
}

/* A row for each share that is not what was told last; those of which nothing is left go. */
static int32_t tell(rebal_simulation *simulation, struct rebali_object_shares *holding, rebal_error *err) {
  size_t kept = 0;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < holding->n; i++) {
    struct rebali_share share = holding->list[i];
    if (memcmp(share.now, share.told, sizeof share.now) != 0) {
      code = add_row(simulation, holding, &share, err);
      memcpy(share.told, share.now, sizeof share.now);
    }
    if (share.now[ASSIGNED] != 0 || share.now[READY] != 0 || share.now[RUNNING] != 0) {
      holding->list[kept++] = share;
    }
  }
  if (code == REBAL_OK) {
    holding->n = kept;
    holding->label = kept > 0 ? holding->label : 0; /* another object may get the id of one that is gone */
  }
  return code;
}

static int32_t look_at(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  const int is_binding = rebali_object_is_binding(simulation, object);
  struct rebali_object_shares *holding;
  int32_t code;
  if (!is_binding && (object >= simulation->shares.n_holdings || simulation->shares.holdings[object].n == 0)) {
    return REBAL_OK;
  }
  code = open_holding(simulation, object, &holding, err);
  if (code != REBAL_OK) {
    return code;
  }
  for (size_t i = 0; i < holding->n; i++) {
    memset(holding->list[i].now, 0, sizeof holding->list[i].now);
  }
  if (is_binding) {
    code = count(simulation, object, holding, err);
  }
  return code == REBAL_OK ? tell(simulation, holding, err) : code;
}

static int compare_ids(const void *left, const void *right) {
  const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
  return (one > other) - (one < other);
}

int32_t rebali_shares_run(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_shares *shares = &simulation->shares;
  struct rebali_ids changed = {NULL, 0, 0};
  int32_t code = REBAL_OK;
  for (uint32_t id = rebal_store_next_changed(simulation->store, &shares->seen); code == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next_changed(simulation->store, &shares->seen)) {
    code = rebali_ids_add(&changed, id, err);
  }
  if (changed.n > 1) {
    qsort(changed.list, changed.n, sizeof *changed.list, compare_ids);
  }
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    code = look_at(simulation, changed.list[i], err);
  }
  rebali_ids_dispose(&changed);
  return code;
}

void rebali_shares_dispose(struct rebali_shares *shares) {
  for (size_t i = 0; i < shares->n_holdings; i++) {
    free(shares->holdings[i].list);
  }
  free(shares->holdings);
  free(shares->rows);
  rebal_text_free(shares->names);
}

int32_t rebal_simulation_share_read(const rebal_simulation *simulation, size_t row, rebal_simulation_share *out,
                                    rebal_error *err) {
  const struct rebali_share_row *found;
  if (simulation == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "simulation and out are needed");
  }
  if (out->struct_size < sizeof *out) {
    return rebali_fail(err, REBAL_EABI, -1, "share: the structure's size is not one this library knows");
  }
  if (row >= simulation->shares.n) {
    return rebali_fail(err, REBAL_ERANGE, -1, "there are %zu rows of shares, no row %zu", simulation->shares.n, row);
  }
  found = &simulation->shares.rows[row];
  *out = (rebal_simulation_share){out->struct_size,
                                  0,
                                  found->time,
                                  found->log_rows,
                                  name_at(simulation, found->binding),
                                  name_at(simulation, found->share.cluster),
                                  found->share.now[ASSIGNED],
                                  found->share.now[READY],
                                  found->share.now[RUNNING]};
  return REBAL_OK;
}
