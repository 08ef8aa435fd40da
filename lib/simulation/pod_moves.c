/* SPDX-License-Identifier: MIT */
/* Where pods of members with nodes go, in the log: one row for those of a binding that share node and reason. */
#include "member.h"

#include <inttypes.h>
#include <stdlib.h>

static const char name[] = "members";

/* In the order of the rows of one moment: first who makes room, then who takes it. */
static const struct {
  const char *verb;
  const char *reason; /* NULL: the one who took the room */
} ways[] = {
    [REBALI_POD_EVICTED] = {"evicted from", "its NoExecute taints are not tolerated, or no longer"},
    [REBALI_POD_DRAINED] = {"deleted on", "the node is drained"},
    [REBALI_POD_REPLACED] = {"deleted on", "their template is another one"},
    [REBALI_POD_SURPLUS] = {"deleted on", "fewer replicas are wanted"},
    [REBALI_POD_UNASSIGNED] = {"deleted on", "their binding left the cluster"},
    [REBALI_POD_PREEMPTED] = {"preempted on", NULL},
    [REBALI_POD_SEATED] = {"to", "the first node that may take them and has room"},
    [REBALI_POD_PREEMPTS] = {"to", "pods with lower priorities made room there"},
};

int32_t rebali_pod_move(struct rebali_member *member, enum rebali_pod_way way, const struct rebali_pod *pod,
                        uint32_t by, rebal_error *err) {
  int32_t code;
  if (pod->node == REBAL_NONE) {
    return REBAL_OK;
  }
  code = rebali_make_room(&member->moves, &member->moves_capacity, member->n_moves + 1, sizeof *member->moves, err);
  if (code == REBAL_OK) {
    member->moves[member->n_moves++] = (struct rebali_pod_moved){(uint32_t)way, pod->binding, pod->node, by};
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

/* Who took the room, in words; else what the way says. */
static int32_t write_reason(rebal_simulation *simulation, const struct rebali_pod_moved *moved, rebal_text *out,
                            rebal_error *err) {
  char *taker;
  int32_t code;
  if (ways[moved->way].reason != NULL) {
    return rebali_print(out, err, "%s", ways[moved->way].reason);
  }
  taker = rebali_object_label(simulation, moved->by);
  code = taker != NULL ? rebali_print(out, err, "%s has a higher priority", taker) : rebali_fail_memory(err);
  free(taker);
  return code;
}

static int32_t tell_group(rebal_simulation *simulation, const struct rebali_member *member,
                          const struct rebali_pod_moved *moved, size_t n, rebal_text *reason, rebal_error *err) {
  const char *node = rebal_store_identity(member->store, member->nodes[moved->node].object, REBAL_IDENTITY_NAME, NULL);
  char *label = rebali_object_label(simulation, moved->binding);
  int32_t code = label != NULL ? write_reason(simulation, moved, reason, err) : rebali_fail_memory(err);
  rebal_text_reset(simulation->scratch);
  if (code == REBAL_OK) {
    code = rebali_print(simulation->scratch, err, "%s: %zu pod%s %s node %s", member->cluster, n, n > 1 ? "s" : "",
                        ways[moved->way].verb, node);
  }
  if (code == REBAL_OK) {
    code = rebali_log_append(simulation, REBAL_LOG_KIND_CHANGE, name, label,
                             rebal_text_bytes(simulation->scratch, NULL), rebal_text_bytes(reason, NULL), err);
  }
  free(label);
  return code;
}

int32_t rebali_pods_tell(rebal_simulation *simulation, struct rebali_member *member, rebal_error *err) {
  rebal_text *reason = NULL;
  int32_t code = REBAL_OK;
  if (member->n_moves == 0) {
    return REBAL_OK;
  }
  code = rebal_text_new(&reason, err);
  qsort(member->moves, member->n_moves, sizeof *member->moves, compare); /* equal ones are alike */
  for (size_t i = 0, end; code == REBAL_OK && i < member->n_moves; i = end) {
    end = i + 1;
    while (end < member->n_moves && compare(&member->moves[i], &member->moves[end]) == 0) {
      end++;
    }
    rebal_text_reset(reason);
    if (rebali_object_is_binding(simulation, member->moves[i].binding)) {
      code = tell_group(simulation, member, &member->moves[i], end - i, reason, err);
    }
  }
  member->n_moves = 0;
  rebal_text_free(reason);
  return code;
}
