/* SPDX-License-Identifier: MIT */
/*
 * What happens in member clusters by itself: pods get ready or leave their nodes. When something changed in a member
 * with nodes, each pod without a node gets the first node where it fits, or preempts pods with a lower priority.
 */
#include "simulation/cluster/members.h"

#include <inttypes.h>
#include <stdlib.h>

static const char name[] = "members";

/* ---- how pods moved, in the log: one row for those of a binding that share node and reason ----------------------- */

/* In the order of the rows of one moment: first pods that free capacity, then those that use it. */
static const struct {
  const char *verb;
  const char *reason; /* NULL: the pod that preempted it */
} ways[] = {
    [REBALI_POD_EVICTED] = {"evicted from", "its NoExecute taints are not tolerated, or no longer"},
    [REBALI_POD_DRAINED] = {"deleted on", "the node is drained"},
    [REBALI_POD_REPLACED] = {"deleted on", "their template is another one"},
    [REBALI_POD_SURPLUS] = {"deleted on", "fewer replicas are wanted"},
    [REBALI_POD_UNASSIGNED] = {"deleted on", "their binding left the cluster"},
    [REBALI_POD_PREEMPTED] = {"preempted on", NULL},
    [REBALI_POD_SEATED] = {"to", "the first node that may take them and has capacity"},
    [REBALI_POD_PREEMPTS] = {"to", "pods with lower priorities were preempted there"},
};

int32_t rebali_move_note(struct rebali_member *member, enum rebali_pod_way way, uint32_t binding, uint32_t node,
                         uint32_t by, rebal_error *err) {
  const int32_t code =
      rebali_reserve_malloc(&member->moves, &member->moves_capacity, member->n_moves + 1, sizeof *member->moves, err);
  if (code == REBAL_OK) {
    member->moves[member->n_moves++] = (struct rebali_pod_moved){(uint32_t)way, binding, node, by};
  }
  return code;
}

static int compare_numbers(uint32_t left, uint32_t right) {
  return (left > right) - (left < right);
}

static int compare(const void *left, const void *right) {
  const struct rebali_pod_moved *one = left, *other = right;
  return one->way != other->way           ? compare_numbers(one->way, other->way)
         : one->binding != other->binding ? compare_numbers(one->binding, other->binding)
         : one->node != other->node       ? compare_numbers(one->node, other->node)
                                          : compare_numbers(one->by, other->by);
}

static int32_t report_group(struct rebali_member *member, const struct rebali_pod_moved *moved, size_t n,
                            rebal_error *err) {
  struct rebali_server *server = member->members->core->server;
  struct rebali_buffer change = REBALI_BUFFER, reason = REBALI_BUFFER;
  int32_t code;
  rebali_buffer_format(&change, "%s: %zu pod%s %s node %s", member->cluster, n, n > 1 ? "s" : "", ways[moved->way].verb,
                       rebali_member_node_name(member, moved->node));
  if (ways[moved->way].reason != NULL) {
    rebali_buffer_text(&reason, ways[moved->way].reason);
  } else {
    rebali_print_label(server, &reason, moved->by);
    rebali_buffer_text(&reason, " has a higher priority");
  }
  code = change.failed || reason.failed
             ? rebali_fail_memory(err)
             : rebali_log_report(server, REBAL_LOG_KIND_CHANGE, name, moved->binding, change.bytes, reason.bytes, err);
  rebali_buffer_dispose(&change);
  rebali_buffer_dispose(&reason);
  return code;
}

int32_t rebali_moves_report(struct rebali_member *member, rebal_error *err) {
  const struct rebali_server *server = member->members->core->server;
  int32_t code = REBAL_OK;
  if (member->n_moves > 0) {
    qsort(member->moves, member->n_moves, sizeof *member->moves, compare); /* equal ones are interchangeable */
  }
  for (size_t i = 0, end; code == REBAL_OK && i < member->n_moves; i = end) {
    end = i + 1;
    while (end < member->n_moves && compare(&member->moves[i], &member->moves[end]) == 0) {
      end++;
    }
    if (rebali_object_is_binding(server, member->moves[i].binding)) {
      code = report_group(member, &member->moves[i], end - i, err);
    }
  }
  member->n_moves = 0;
  return code;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static int32_t list_pods(struct rebali_member *member, struct rebali_seats *out, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < member->n_works; i++) {
    struct rebali_work *work = member->works[i];
    for (size_t j = 0; code == REBAL_OK && j < work->pods.n; j++) {
      code = rebali_seats_add(out, &work->pods.list[j], (uint32_t)i, err);
    }
  }
  return code == REBAL_OK ? rebali_seats_sort(out, err) : code;
}

/* Gives pods their nodes; a pod that preempted others got it by its priority. */
static int32_t take_seats(struct rebali_member *member, const struct rebali_seats *seats, rebal_error *err) {
  const rebal_result *result = member->members->core->result;
  const int64_t *nodes = rebal_result_i64(result, REBAL_SEATED_NODE, NULL);
  const int64_t *by = rebal_result_i64(result, REBAL_SEATED_PREEMPTED_BY, NULL);
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < seats->n; i++) {
    if (by[i] != REBAL_ABSENT) {
      seats->pods[by[i]]->preempts = 1;
    }
  }
  for (size_t i = 0; code == REBAL_OK && i < seats->n; i++) {
    struct rebali_pod *pod = seats->pods[i];
    struct rebali_work *work = member->works[seats->owners[i]];
    if (nodes[i] == REBAL_ABSENT && by[i] == REBAL_ABSENT && !pod->since.is_set) {
      pod->since = member->members->core->server->now;
      member->is_moved = 1;
    } else if (nodes[i] != REBAL_ABSENT && by[i] == REBAL_ABSENT && nodes[i] != pod->node) {
      rebali_pod_seat(work, pod, (uint32_t)nodes[i]);
      code = rebali_move_note(member, pod->preempts ? REBALI_POD_PREEMPTS : REBALI_POD_SEATED, work->binding, pod->node,
                              REBAL_NONE, err);
    }
    pod->preempts = 0;
  }
  return code;
}

/* Removes preempted pods; their owner creates others. */
static int32_t remove_preempted(struct rebali_member *member, const struct rebali_seats *seats, int *is_preempted,
                                rebal_error *err) {
  const int64_t *by = rebal_result_i64(member->members->core->result, REBAL_SEATED_PREEMPTED_BY, NULL);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < seats->n; i++) {
    if (by[i] != REBAL_ABSENT) {
      code = rebali_pod_remove(member->works[seats->owners[i]], REBALI_POD_PREEMPTED, seats->pods[i],
                               member->works[seats->owners[by[i]]]->binding, err);
      *is_preempted = 1;
    }
  }
  if (*is_preempted) {
    rebali_works_sweep(member);
  }
  return code;
}

static int32_t place(struct rebali_member *member, int *is_preempted, rebal_error *err) {
  struct rebali_core *core = member->members->core;
  struct rebali_seats seats = {NULL, NULL, 0, 0, 0};
  uint32_t cluster = REBAL_NONE;
  int32_t code = rebali_feed_clusters(core, err);
  *is_preempted = 0;
  if (code == REBAL_OK) {
    code = rebali_member_feed(member, &cluster, err);
  }
  if (code != REBAL_OK || cluster == REBAL_NONE) {
    return code;
  }
  code = list_pods(member, &seats, err);
  if (code == REBAL_OK) {
    code = rebali_seats_find(&seats, core, core->snapshot, cluster,
                             REBAL_PLACE_FLAG_PREEMPTS | REBAL_PLACE_FLAG_GIVEN_ALONE, REBAL_NONE, 0, err);
  }
  if (code == REBAL_OK) {
    code = take_seats(member, &seats, err);
  }
  if (code == REBAL_OK) {
    code = remove_preempted(member, &seats, is_preempted, err);
  }
  rebali_seats_dispose(&seats);
  return code == REBAL_OK ? rebali_moves_report(member, err) : code;
}

/*
 * Places all pods. Preempted pods are placed again; this ends because the priorities of preempted pods fall each time.
 */
static int32_t place_all(struct rebali_member *member, rebal_error *err) {
  int is_preempted = 1;
  int32_t code = REBAL_OK;
  while (code == REBAL_OK && is_preempted) {
    code = rebali_works_follow(member, err);
    if (code == REBAL_OK) {
      code = place(member, &is_preempted, err);
    }
  }
  member->is_stale = 0;
  rebali_capacity_touch(member);
  return code;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* Joins all ready pods into one record where pods are only counted. */
static void join_ready(struct rebali_pods *pods) {
  struct rebali_pod *ready = NULL;
  for (size_t i = 0; i < pods->n; i++) {
    struct rebali_pod *pod = &pods->list[i];
    if (pod->is_ready && ready != NULL) {
      ready->count += pod->count;
      pod->is_gone = 1;
    }
    ready = pod->is_ready && ready == NULL ? pod : ready;
  }
}

static int32_t ripen(struct rebali_work *work, struct rebali_ids *bindings, rebal_error *err) {
  struct rebali_member *member = work->member;
  const rebal_time *now = &member->members->core->server->now;
  const size_t n = rebali_pods_ripen(&work->pods, now);
  int32_t code = REBAL_OK;
  member->is_moved |= n > 0;
  for (size_t i = 0; code == REBAL_OK && i < work->pods.n; i++) {
    if (rebali_time_is_due(&work->pods.list[i].leaves_at, now)) {
      code = rebali_pod_remove(work, REBALI_POD_EVICTED, &work->pods.list[i], REBAL_NONE, err);
    }
  }
  if (member->store == NULL && n > 0) {
    work->ready = rebali_pods_ready(&work->pods);
    join_ready(&work->pods);
    member->n_pods -= rebali_pods_sweep(&work->pods);
    code = rebali_ids_add(bindings, work->binding, err);
  }
  return code;
}

static int32_t ripen_all(struct rebali_member *member, struct rebali_ids *bindings, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < member->n_works; i++) {
    code = ripen(member->works[i], bindings, err);
  }
  if (member->store != NULL) {
    rebali_works_sweep(member);
  }
  return code;
}

/* Logs the number of pods without a node when it changes. */
static int32_t report_pending(struct rebali_work *work, int64_t pending, rebal_error *err) {
  struct rebali_server *server = work->member->members->core->server;
  struct rebali_buffer *change = &server->scratch;
  if (work->pending == pending) {
    return REBAL_OK;
  }
  work->pending = pending;
  rebali_buffer_clear(change);
  rebali_buffer_format(change, "%s: %" PRId64 " of %" PRId64 " pods unschedulable", work->member->cluster, pending,
                       work->replicas);
  return change->failed ? rebali_fail_memory(err)
                        : rebali_log_report(server, REBAL_LOG_KIND_CHANGE, name, work->binding, change->bytes,
                                            pending > 0 ? "no node of the member may take them and has capacity"
                                                        : "all of them have a node, or are gone",
                                            err);
}

/* Finds the first pod that gets ready or leaves and, where there are nodes, counts the ready pods of each work. */
static int32_t count(struct rebali_member *member, struct rebali_ids *bindings, rebal_error *err) {
  int32_t code = REBAL_OK;
  member->is_moved = 0;
  member->next = (rebal_time){0, 0, 0};
  for (size_t i = 0; code == REBAL_OK && i < member->n_works; i++) {
    struct rebali_work *work = member->works[i];
    const int64_t ready = rebali_pods_ready(&work->pods);
    rebali_pods_next(&work->pods, &member->next);
    if (member->store != NULL && work->ready != ready) {
      work->ready = ready;
      code = rebali_ids_add(bindings, work->binding, err);
    }
    if (member->store != NULL && code == REBAL_OK) {
      code = report_pending(work, rebali_pods_pending(&work->pods), err);
    }
  }
  return code;
}

static int32_t settle(struct rebali_member *member, struct rebali_ids *bindings, rebal_error *err) {
  const struct rebali_server *server = member->members->core->server;
  int32_t code =
      member->is_moved || rebali_time_is_due(&member->next, &server->now) ? ripen_all(member, bindings, err) : REBAL_OK;
  if (code == REBAL_OK) {
    code = rebali_moves_report(member, err);
  }
  if (code == REBAL_OK && member->is_stale && member->store != NULL) {
    code = place_all(member, err);
  }
  return code == REBAL_OK && member->is_moved ? count(member, bindings, err) : code;
}

int32_t rebali_members_settle(struct rebali_members *members, struct rebali_ids *bindings, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < members->n; i++) {
    if (!members->list[i]->is_lost) {
      code = settle(members->list[i], bindings, err);
    }
  }
  return code;
}
