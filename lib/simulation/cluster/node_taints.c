/* SPDX-License-Identifier: MIT */
/* NoExecute taints of nodes: pods that do not tolerate them leave at once, or when the toleration ends. */
#include "simulation/cluster/members.h"

#include <string.h>

/* Admission gives every pod a toleration of this length for unreachable and not ready nodes. */
#define DEFAULT_TOLERATION_SECONDS 300
static const char *const tolerated_by_default[] = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"};

static struct rebali_text text_in(const rebal_value *map, const char *member) {
  struct rebali_text text;
  text.bytes = rebal_value_text(rebali_find(map, member), &text.len);
  return text;
}

/* Judges like rebal_place_pods(), so that a pod that may be placed does not have to leave. */
static int tolerates(const rebal_value *toleration, const struct rebali_taint *taint) {
  const struct rebali_toleration read = {.key = text_in(toleration, "key"),
                                         .operation = text_in(toleration, "operator"),
                                         .value = text_in(toleration, "value"),
                                         .effect = text_in(toleration, "effect")};
  return rebali_tolerates(&read, taint);
}

/* Returns the seconds for which one taint is tolerated, by its first toleration; INT64_MAX: forever. */
static int64_t seconds_of(const rebal_value *tolerations, const struct rebali_taint *taint) {
  for (size_t i = 0; i < rebal_value_count(tolerations); i++) {
    const rebal_value *toleration = rebal_value_item(tolerations, i);
    const rebal_value *seconds = rebali_find(toleration, "tolerationSeconds");
    if (tolerates(toleration, taint)) {
      const int64_t number = rebali_number_or(seconds, INT64_MAX);
      return number > 0 ? number : 0;
    }
  }
  for (size_t i = 0; i < REBALI_COUNT(tolerated_by_default); i++) {
    if (strcmp(taint->key.bytes, tolerated_by_default[i]) == 0) {
      return DEFAULT_TOLERATION_SECONDS;
    }
  }
  return 0;
}

/* Returns the fewest seconds over all taints of a node, for pods of a binding. */
static int64_t least_seconds(const struct rebali_member *member, uint32_t binding, uint32_t node) {
  struct rebali_server *server = member->members->core->server;
  const rebal_value *taints = rebali_read(server, member->store, member->nodes[node].object, "spec.taints");
  const rebal_value *tolerations = rebali_field(server, binding, "spec.replicaRequirements.nodeClaim.tolerations");
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < rebal_value_count(taints); i++) {
    const rebal_value *taint = rebal_value_item(taints, i);
    const struct rebali_taint read = {
        text_in(taint, "key"), text_in(taint, "value"), text_in(taint, "effect"), {0, 0, 0}};
    if (rebali_effect_parse(read.effect) == REBALI_EFFECT_NO_EXECUTE) {
      const int64_t seconds = seconds_of(tolerations, &read);
      least = seconds < least ? seconds : least;
    }
  }
  return least;
}

static void judge(const struct rebali_work *work, struct rebali_pod *pod, int64_t seconds) {
  rebal_time leaves_at;
  work->member->is_moved = 1;
  if (seconds == INT64_MAX) {
    pod->leaves_at.is_set = 0;
    return;
  }
  leaves_at = rebali_time_after(&work->member->members->core->server->now,
                                seconds < INT64_MAX / REBALI_SECOND_NS ? seconds * REBALI_SECOND_NS : INT64_MAX);
  rebali_time_lower(&pod->leaves_at, &leaves_at); /* an earlier end is not postponed */
}

void rebali_pod_judge(const struct rebali_work *work, struct rebali_pod *pod) {
  judge(work, pod, least_seconds(work->member, work->binding, pod->node));
}

void rebali_pods_judge(struct rebali_member *member, uint32_t node) {
  for (size_t i = 0; i < member->n_works; i++) {
    struct rebali_work *work = member->works[i];
    int64_t seconds = -1; /* not known yet */
    for (size_t j = 0; j < work->pods.n; j++) {
      if (work->pods.list[j].node == node) {
        seconds = seconds >= 0 ? seconds : least_seconds(member, work->binding, node);
        judge(work, &work->pods.list[j], seconds);
      }
    }
  }
}
