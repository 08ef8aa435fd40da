/* SPDX-License-Identifier: MIT */
/*
 * The estimators of members with nodes, as the scheduler asks them: how many more pods of a binding find a node beside
 * those that have one (spec karmada 6.5.2).
 */
#include "member.h"

#include <stdlib.h>
#include <string.h>

/* No member has room for more pods than its nodes hold in all. */
static size_t count_room(const rebal_simulation *simulation, const struct rebali_member *member) {
  const int64_t most = (int64_t)member->max_pods;
  int64_t room = 0;
  for (size_t i = 0; i < member->n_nodes; i++) {
    const struct rebali_slice text =
        rebali_read(simulation, member->store, member->nodes[i].object, "status.allocatable.pods");
    rebal_quantity pods;
    if (text.len > 0 && rebali_quantity_parse(text.bytes, text.len, &pods, NULL) == REBAL_OK) {
      const int64_t more = rebali_quantity_value(&pods);
      room += more < 0 ? 0 : more < most ? more : most;
    }
  }
  return (size_t)(room < most ? room : most);
}

/* Pods with a node stay there; as many others as there may be room for ask for one. */
static size_t list_pods(const struct rebali_member *member, uint32_t requirements, size_t room, uint32_t *wanted,
                        uint32_t *nodes) {
  size_t n = 0;
  for (size_t i = 0; i < member->n_pods; i++) {
    if (member->pods[i].node != REBAL_NONE) {
      wanted[n] = member->pods[i].requirements;
      nodes[n++] = member->pods[i].node;
    }
  }
  for (size_t i = 0; i < room; i++) {
    wanted[n] = requirements;
    nodes[n++] = REBAL_NONE;
  }
  return n;
}

static int32_t count_fitting(rebal_simulation *simulation, const struct rebali_member *member, uint32_t cluster,
                             uint32_t requirements, int32_t *out, rebal_error *err) {
  const size_t room = count_room(simulation, member), most = member->n_pods + room + 1;
  uint32_t *wanted = malloc(most * sizeof *wanted), *nodes = malloc(most * sizeof *nodes);
  const rebal_place_opts opts = {sizeof opts, REBAL_PLACE_FLAG_GIVEN_ALONE, nodes, NULL};
  int32_t code = wanted != NULL && nodes != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    const size_t n = list_pods(member, requirements, room, wanted, nodes);
    code = rebal_place_pods(simulation->ctx, simulation->snapshot, cluster, wanted, n, &opts, simulation->result, err);
    *out = 0;
    for (size_t i = n - room; code == REBAL_OK && i < n; i++) {
      *out += rebal_result_i64(simulation->result, REBAL_SEATED_NODE, NULL)[i] != REBAL_ABSENT;
    }
  }
  free(wanted);
  free(nodes);
  return code;
}

static int32_t ask(rebal_simulation *simulation, struct rebali_member *member, uint32_t requirements, int32_t *fits,
                   rebal_error *err) {
  uint32_t cluster = rebal_snapshot_find_cluster(simulation->snapshot, member->cluster, strlen(member->cluster));
  int32_t code = REBAL_OK;
  if (member->is_lost) {
    if (rebal_cells_has(rebal_snapshot_cells(simulation->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, cluster)) {
      fits[cluster] = REBAL_FITS_FAILED; /* nobody answers */
    }
    return REBAL_OK;
  }
  code = rebali_member_feed(simulation, member, &cluster, err);
  if (code == REBAL_OK && cluster != REBAL_NONE) {
    code = count_fitting(simulation, member, cluster, requirements, &fits[cluster], err);
  }
  return code;
}

int32_t rebali_member_estimate(rebal_simulation *simulation, rebal_estimator *out, int32_t **fits, rebal_error *err) {
  const uint32_t n = rebal_cells_bound(rebal_snapshot_cells(simulation->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  const uint32_t requirements = rebali_cell_id(
      rebal_cells_get_i64(rebal_bindings_const_cells(simulation->bindings), REBAL_BINDING_REQUIREMENTS, REBAL_NONE, 0));
  int32_t code = REBAL_OK;
  *fits = malloc((n > 0 ? n : 1) * sizeof **fits);
  if (*fits == NULL) {
    return rebali_fail_memory(err);
  }
  for (uint32_t i = 0; i < n; i++) {
    (*fits)[i] = REBAL_FITS_NO_OPINION;
  }
  for (size_t i = 0; code == REBAL_OK && i < simulation->n_members; i++) {
    if (simulation->members[i].store != NULL) {
      code = ask(simulation, &simulation->members[i], requirements, *fits, err);
    }
  }
  *out = (rebal_estimator){.struct_size = sizeof *out, .fits = *fits, .clusters = n};
  return code;
}
