/* SPDX-License-Identifier: MIT */
/* NoExecute taints of nodes: pods that do not tolerate them leave, at once or after as long as they do. */
#include "member.h"

#include <string.h>

/* Admission lets every pod tolerate so long that its node answers nobody, or is not ready. */
#define DEFAULT_TOLERATION_SECONDS 300
static const char *const tolerated_by_default[] = {"\"node.kubernetes.io/not-ready\"",
                                                   "\"node.kubernetes.io/unreachable\""};

static struct rebali_slice member_of(struct rebali_slice map, const char *name) {
  const struct rebali_slice value = rebali_cursor_find(map, name);
  return value.len > 0 && !rebali_slice_is(value, "null") ? value : rebali_slice("\"\"");
}

static int is_equal(struct rebali_slice left, struct rebali_slice right) {
  return left.len == right.len && memcmp(left.bytes, right.bytes, left.len) == 0;
}

/* As rebal_place_pods() judges it: who says that a pod may come does not say that it must go. */
static int tolerates(struct rebali_slice toleration, struct rebali_slice taint) {
  const struct rebali_slice key = member_of(toleration, "key"), effect = member_of(toleration, "effect");
  const struct rebali_slice operation = member_of(toleration, "operator");
  const int equals = rebali_slice_is(operation, "\"\"") || rebali_slice_is(operation, "\"Equal\"");
  return (rebali_slice_is(effect, "\"\"") || is_equal(effect, member_of(taint, "effect"))) &&
         (rebali_slice_is(key, "\"\"") || is_equal(key, member_of(taint, "key"))) &&
         (equals ? is_equal(member_of(toleration, "value"), member_of(taint, "value"))
                 : rebali_slice_is(operation, "\"Exists\""));
}

/* Seconds for which one taint is tolerated, by the first toleration of it; INT64_MAX: for ever. */
static int64_t seconds_of(struct rebali_slice tolerations, struct rebali_slice taint) {
  const struct rebali_slice key = member_of(taint, "key");
  struct rebali_slice toleration;
  size_t at = 0;
  int64_t seconds = 0;
  while (rebali_cursor_item(tolerations, &at, &toleration)) {
    if (tolerates(toleration, taint)) {
      return !rebali_cursor_integer(rebali_cursor_find(toleration, "tolerationSeconds"), &seconds) ? INT64_MAX
             : seconds > 0                                                                         ? seconds
                                                                                                   : 0;
    }
  }
  for (size_t i = 0; i < sizeof tolerated_by_default / sizeof tolerated_by_default[0]; i++) {
    if (rebali_slice_is(key, tolerated_by_default[i])) {
      return DEFAULT_TOLERATION_SECONDS;
    }
  }
  return 0;
}

static int64_t least_seconds(struct rebali_slice tolerations, struct rebali_slice taints) {
  struct rebali_slice taint;
  size_t at = 0;
  int64_t least = INT64_MAX;
  while (rebali_cursor_item(taints, &at, &taint)) {
    if (rebali_slice_is(member_of(taint, "effect"), "\"NoExecute\"")) {
      const int64_t seconds = seconds_of(tolerations, taint);
      least = seconds < least ? seconds : least;
    }
  }
  return least;
}

void rebali_pod_judge(rebal_simulation *simulation, const struct rebali_member *member, struct rebali_pod *pod) {
  const struct rebali_slice taints =
      rebali_read(simulation, member->store, member->nodes[pod->node].object, "spec.taints");
  const struct rebali_slice tolerations =
      rebali_field(simulation, pod->binding, "spec.replicaRequirements.nodeClaim.tolerations");
  const int64_t seconds = least_seconds(tolerations, taints);
  rebal_time leaves_at;
  if (seconds == INT64_MAX) {
    pod->leaves_at.is_set = 0;
    return;
  }
  leaves_at = rebali_time_after(&simulation->now,
                                seconds < INT64_MAX / REBALI_SECOND_NS ? seconds * REBALI_SECOND_NS : INT64_MAX);
  rebali_time_lower(&pod->leaves_at, &leaves_at); /* what it waits for already is not put off */
}

void rebali_pods_judge(rebal_simulation *simulation, struct rebali_member *member, uint32_t node) {
  for (size_t i = 0; i < member->n_pods; i++) {
    if (member->pods[i].node == node) {
      rebali_pod_judge(simulation, member, &member->pods[i]);
    }
  }
}
