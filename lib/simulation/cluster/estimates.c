/* SPDX-License-Identifier: MIT */
/*
 * The estimators of members with nodes, as the scheduler uses them: how many more pods of a binding get a node beside
 * those that have one (rebalance-karmada(7) 6.5.2).
 */
#include "simulation/cluster/members.h"

#include <stdlib.h>
#include <string.h>

/* Returns an upper bound of the pods that fit: the sum over all nodes. */
static size_t count_capacity(const struct rebali_member *member) {
  const int64_t most = (int64_t)member->members->max_pods;
  int64_t capacity = 0;
  for (size_t i = 0; i < member->n_nodes; i++) {
    const rebal_value *pods =
        rebali_read(member->members->core->server, member->store, member->nodes[i].object, "status.allocatable.pods");
    const char *text = rebal_value_text(pods, NULL);
    int64_t more = rebali_number_or(pods, 0);
    rebal_quantity quantity;
    if (text[0] != '\0' && rebali_quantity_parse(text, strlen(text), &quantity, NULL) == REBAL_OK) {
      more = rebali_quantity_value(&quantity);
    }
    capacity += more < 0 ? 0 : more < most ? more : most;
  }
  return (size_t)(capacity < most ? capacity : most);
}

/* Lists the pods with a node, which keep it. As many pods without one as may fit are tried beside them. */
static int32_t list_pods(const struct rebali_member *member, struct rebali_seats *out, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < member->n_works; i++) {
    struct rebali_pods *pods = &member->works[i]->pods;
    for (size_t j = 0; code == REBAL_OK && j < pods->n; j++) {
      if (pods->list[j].node != REBAL_NONE) {
        code = rebali_seats_add(out, &pods->list[j], (uint32_t)i, err);
      }
    }
  }
  return code == REBAL_OK ? rebali_seats_sort(out, err) : code;
}

static int32_t count_fitting(const struct rebali_member *member, uint32_t cluster, uint32_t requirements, int32_t *out,
                             rebal_error *err) {
  struct rebali_core *core = member->members->core;
  struct rebali_seats seats = {NULL, NULL, 0, 0, 0};
  const size_t capacity = count_capacity(member);
  int32_t code = list_pods(member, &seats, err);
  if (code == REBAL_OK) {
    code = rebali_seats_find(&seats, core, core->snapshot, cluster, REBAL_PLACE_FLAG_GIVEN_ALONE, requirements,
                             capacity, err);
  }
  *out = 0;
  for (size_t i = 0; code == REBAL_OK && i < capacity; i++) {
    *out += rebali_cell(core->result, REBAL_SEATED_NODE, seats.n + i) != REBAL_ABSENT;
  }
  rebali_seats_dispose(&seats);
  return code;
}

static int32_t estimate(struct rebali_member *member, uint32_t requirements, int32_t *fits, rebal_error *err) {
  const rebal_snapshot *snapshot = member->members->core->snapshot;
  uint32_t cluster = rebal_snapshot_find_cluster(snapshot, member->cluster, strlen(member->cluster));
  int32_t code = REBAL_OK;
  if (member->is_lost) {
    if (rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, cluster)) {
      fits[cluster] = REBAL_FITS_FAILED; /* no estimator answers */
    }
    return REBAL_OK;
  }
  code = rebali_member_feed(member, &cluster, err);
  return code == REBAL_OK && cluster != REBAL_NONE ? count_fitting(member, cluster, requirements, &fits[cluster], err)
                                                   : code;
}

/* Fills the answers for one binding, which must be set to no opinion before. */
static int32_t query_all(struct rebali_members *members, uint32_t row, int32_t *fits, rebal_error *err) {
  const uint32_t requirements = rebali_cell_id(rebal_cells_get_i64(rebal_bindings_const_cells(members->core->bindings),
                                                                   REBAL_BINDING_REQUIREMENTS, REBAL_NONE, row));
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < members->n; i++) {
    if (members->list[i]->store != NULL) {
      code = estimate(members->list[i], requirements, fits, err);
    }
  }
  return code;
}

int32_t rebali_members_estimate(struct rebali_members *members, rebal_estimator *out, int32_t **fits,
                                rebal_error *err) {
  const struct rebali_core *core = members->core;
  const size_t n = rebal_cells_bound(rebal_snapshot_cells(core->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  const size_t rows = core->fed.n, cells = n * rows; /* cannot overflow: the store holds as many objects as text */
  int32_t code = REBAL_OK;
  *fits = malloc((cells > 0 ? cells : 1) * sizeof **fits);
  if (*fits == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < cells; i++) {
    (*fits)[i] = REBAL_FITS_NO_OPINION;
  }
  for (size_t i = 0; code == REBAL_OK && i < rows; i++) {
    code = query_all(members, (uint32_t)i, *fits + i * n, err);
  }
  *out = (rebal_estimator){.struct_size = sizeof *out, .fits = *fits, .clusters = n, .stride = n};
  return code;
}
