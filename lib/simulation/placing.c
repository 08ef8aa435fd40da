/* SPDX-License-Identifier: MIT */
/*
 * The schedulers of members with nodes: whenever something changed in one, each of its pods without a node gets the
 * first one with room, or takes the room of pods with a lower priority.
 */
#include "member.h"

#include <stdlib.h>
#include <string.h>

/* What rebal_place_pods() is given. */
struct given {
  uint32_t *requirements, *nodes;
  int32_t *priorities;
};

static void dispose(struct given *given) {
  free(given->requirements);
  free(given->nodes);
  free(given->priorities);
}

static int32_t list_pods(const struct rebali_member *member, struct given *out, rebal_error *err) {
  const size_t n = member->n_pods;
  *out = (struct given){malloc((n + 1) * sizeof *out->requirements), malloc((n + 1) * sizeof *out->nodes),
                        malloc((n + 1) * sizeof *out->priorities)};
  if (out->requirements == NULL || out->nodes == NULL || out->priorities == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    out->requirements[i] = member->pods[i].requirements;
    out->nodes[i] = member->pods[i].node;
    out->priorities[i] = member->pods[i].priority;
  }
  return REBAL_OK;
}

int32_t rebali_member_feed(rebal_simulation *simulation, struct rebali_member *member, uint32_t *cluster,
                           rebal_error *err) {
  rebal_snapshot *snapshot = NULL;
  int32_t code;
  *cluster = rebal_snapshot_find_cluster(simulation->snapshot, member->cluster, strlen(member->cluster));
  if (!rebal_cells_has(rebal_snapshot_cells(simulation->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, *cluster)) {
    *cluster = REBAL_NONE; /* bindings may name clusters that are not there */
  }
  if (*cluster == REBAL_NONE ||
      (!member->is_changed && rebal_cells_get_i64(rebal_snapshot_cells(simulation->snapshot), REBAL_CLUSTER_HAS_NODES,
                                                  REBAL_NONE, *cluster) == 1)) {
    return REBAL_OK;
  }
  if (rebal_cells_get_i64(rebal_snapshot_cells(simulation->snapshot), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, *cluster) ==
      0) {
    rebal_feed_free(member->feed); /* the cluster is new, or has come back */
    member->feed = NULL;
  }
  code = rebal_store_feed_member(member->store, simulation->fleet, *cluster, &member->feed, err);
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(simulation->fleet, &snapshot, err);
  }
  if (code == REBAL_OK) {
    rebal_snapshot_unref(simulation->snapshot);
    simulation->snapshot = snapshot;
    member->is_changed = 0;
  }
  return code;
}

/* Seats those that got a node; who took the room of others does so by its priority. */
static int32_t take_seats(rebal_simulation *simulation, struct rebali_member *member, rebal_error *err) {
  const int64_t *nodes = rebal_result_i64(simulation->result, REBAL_SEATED_NODE, NULL);
  const int64_t *by = rebal_result_i64(simulation->result, REBAL_SEATED_PREEMPTED_BY, NULL);
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < member->n_pods; i++) {
    if (by[i] != REBAL_ABSENT) {
      member->pods[by[i]].preempts = 1;
    }
  }
  for (size_t i = 0; code == REBAL_OK && i < member->n_pods; i++) {
    struct rebali_pod *pod = &member->pods[i];
    if (nodes[i] == REBAL_ABSENT && by[i] == REBAL_ABSENT && !pod->since.is_set) {
      pod->since = simulation->now;
    } else if (nodes[i] != REBAL_ABSENT && by[i] == REBAL_ABSENT && nodes[i] != pod->node) {
      rebali_pod_seat(simulation, member, pod, (uint32_t)nodes[i]);
      code = rebali_pod_move(member, pod->preempts ? REBALI_POD_PREEMPTS : REBALI_POD_SEATED, pod, REBAL_NONE, err);
    }
    pod->preempts = 0;
  }
  return code;
}

/* Those that lost their room go; who owns them makes others. */
static int32_t remove_preempted(rebal_simulation *simulation, struct rebali_member *member, int *is_preempted,
                                rebal_error *err) {
  const int64_t *by = rebal_result_i64(simulation->result, REBAL_SEATED_PREEMPTED_BY, NULL);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < member->n_pods; i++) {
    if (by[i] != REBAL_ABSENT) {
      code = rebali_pod_remove(member, REBALI_POD_PREEMPTED, &member->pods[i], member->pods[by[i]].binding, err);
      *is_preempted = 1;
    }
  }
  rebali_pods_sweep(member);
  return code;
}

static int32_t place(rebal_simulation *simulation, struct rebali_member *member, int *is_preempted, rebal_error *err) {
  rebal_place_opts opts = {sizeof opts, REBAL_PLACE_FLAG_PREEMPTS | REBAL_PLACE_FLAG_GIVEN_ALONE, NULL, NULL};
  struct given given = {NULL, NULL, NULL};
  const uint32_t none = REBAL_NONE;
  uint32_t cluster = REBAL_NONE;
  int32_t code = rebali_feed(simulation, &none, 0, err);
  *is_preempted = 0;
  if (code == REBAL_OK) {
    code = rebali_member_feed(simulation, member, &cluster, err);
  }
  if (code != REBAL_OK || cluster == REBAL_NONE) {
    return code;
  }
  code = list_pods(member, &given, err);
  opts.nodes = given.nodes;
  opts.priorities = given.priorities;
  if (code == REBAL_OK) {
    code = rebal_place_pods(simulation->ctx, simulation->snapshot, cluster, given.requirements, member->n_pods, &opts,
                            simulation->result, err);
  }
  dispose(&given);
  if (code == REBAL_OK) {
    code = take_seats(simulation, member, err);
  }
  if (code == REBAL_OK) {
    code = remove_preempted(simulation, member, is_preempted, err);
  }
  return code == REBAL_OK ? rebali_pods_tell(simulation, member, err) : code;
}

/* Who was preempted comes again with less before it: each time the priorities of those that go are lower. */
static int32_t settle(rebal_simulation *simulation, struct rebali_member *member, rebal_error *err) {
  int is_preempted = 1;
  int32_t code = REBAL_OK;
  while (code == REBAL_OK && is_preempted) {
    code = rebali_pods_follow(simulation, member, err);
    if (code == REBAL_OK) {
      code = place(simulation, member, &is_preempted, err);
    }
  }
  member->is_stale = 0;
  return code;
}

int32_t rebali_placing_run(rebal_simulation *simulation, struct rebali_ids *bindings, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < simulation->n_members; i++) {
    struct rebali_member *member = &simulation->members[i];
    if (member->store == NULL || member->is_lost) {
      continue;
    }
    code = rebali_pods_ripen(simulation, member, err);
    if (code == REBAL_OK) {
      code = rebali_pods_tell(simulation, member, err);
    }
    if (code == REBAL_OK && member->is_stale) {
      code = settle(simulation, member, err);
      rebali_capacity_touch(simulation, member->cluster);
    }
    if (code == REBAL_OK) {
      code = rebali_pods_count(simulation, member, bindings, err);
    }
  }
  return code;
}
