/* SPDX-License-Identifier: MIT */
/* Lists of pods: which of them are deleted first, and when they get ready. */
#include "simulation/cluster/pods.h"
#include "simulation/deletion/deletion.h"

#include <stdlib.h>

int32_t rebali_pods_add(struct rebali_pods *pods, const struct rebali_pod *pod, rebal_error *err) {
  const int32_t code = rebali_reserve_malloc(&pods->list, &pods->capacity, pods->n + 1, sizeof *pods->list, err);
  if (code == REBAL_OK) {
    pods->list[pods->n++] = *pod;
  }
  return code;
}

size_t rebali_pods_sweep(struct rebali_pods *pods) {
  const size_t n = pods->n;
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    if (!pods->list[i].is_gone) {
      pods->list[kept++] = pods->list[i];
    }
  }
  pods->n = kept;
  return n - kept;
}

int64_t rebali_pods_count(const struct rebali_pods *pods) {
  int64_t n = 0;
  for (size_t i = 0; i < pods->n; i++) {
    n += pods->list[i].is_gone ? 0 : pods->list[i].count;
  }
  return n;
}

int64_t rebali_pods_ready(const struct rebali_pods *pods) {
  int64_t n = 0;
  for (size_t i = 0; i < pods->n; i++) {
    n += pods->list[i].is_ready ? pods->list[i].count : 0;
  }
  return n;
}

int64_t rebali_pods_pending(const struct rebali_pods *pods) {
  int64_t n = 0;
  for (size_t i = 0; i < pods->n; i++) {
    n += pods->list[i].since.is_set ? pods->list[i].count : 0;
  }
  return n;
}

/* ---- order of deletion ------------------------------------------------------------------------------------------- */

static int compare_nodes(const void *left, const void *right) {
  const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
  return (one > other) - (one < other);
}

/* Returns the sorted nodes, one for each pod that is not gone or done. */
static uint32_t *nodes_of(const struct rebali_pods *pods, size_t *n) {
  uint32_t *nodes = malloc((pods->n + 1) * sizeof *nodes);
  *n = 0;
  for (size_t i = 0; nodes != NULL && i < pods->n; i++) {
    if (!pods->list[i].is_gone && !pods->list[i].is_done) {
      nodes[(*n)++] = pods->list[i].node;
    }
  }
  if (nodes != NULL && *n > 1) {
    qsort(nodes, *n, sizeof *nodes, compare_nodes);
  }
  return nodes;
}

static size_t count_on(const uint32_t *nodes, size_t n, uint32_t node) {
  size_t first, end;
  REBALI_BISECT(first, n, nodes[first] < node);
  REBALI_BISECT(end, n, nodes[end] <= node);
  return end - first;
}

/* The object of the result is the place in the list. It has no name and no uid. */
static struct rebali_leaver leaver_of(const struct rebali_pods *pods, size_t place, size_t rank) {
  const struct rebali_pod *pod = &pods->list[place];
  return (struct rebali_leaver){.object = (uint32_t)place,
                                .name = "",
                                .uid = "",
                                .node = pod->has_node ? "known" : "",
                                .ready_since = pod->ready_since,
                                .created = pod->created,
                                .rank = (double)rank,
                                .phase = pod->phase,
                                .is_ready = pod->is_ready};
}

int32_t rebali_pods_in_order(const struct rebali_pods *pods, const rebal_time *now, struct rebali_leavers *out,
                             rebal_error *err) {
  size_t n;
  uint32_t *nodes = nodes_of(pods, &n);
  int32_t code = nodes != NULL ? REBAL_OK : rebali_fail_memory(err);
  *out = (struct rebali_leavers){NULL, 0, 0};
  for (size_t i = pods->n; code == REBAL_OK && i-- > 0;) {
    if (!pods->list[i].is_gone && !pods->list[i].is_done) {
      const struct rebali_leaver pod = leaver_of(pods, i, count_on(nodes, n, pods->list[i].node));
      code = rebali_leavers_add(out, &pod, err);
    }
  }
  free(nodes);
  return code == REBAL_OK ? rebali_leavers_sort(out->list, out->n, rebali_steps_of_replicas, now, err) : code;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

void rebali_pod_start(struct rebali_pod *pod, const rebal_time *now, int64_t ready_after_ns, int is_running) {
  pod->is_ready = 0;
  pod->ready_at = (rebal_time){0, 0, 0};
  if (is_running) {
    pod->ready_at = rebali_time_after(now, ready_after_ns);
  }
}

size_t rebali_pods_ripen(struct rebali_pods *pods, const rebal_time *now) {
  size_t n = 0;
  for (size_t i = 0; i < pods->n; i++) {
    struct rebali_pod *pod = &pods->list[i];
    if (rebali_time_is_due(&pod->ready_at, now)) {
      pod->ready_since = pod->ready_at;
      pod->ready_at.is_set = 0;
      pod->is_ready = 1;
      n++;
    }
  }
  return n;
}

void rebali_pods_next(const struct rebali_pods *pods, rebal_time *next) {
  for (size_t i = 0; i < pods->n; i++) {
    rebali_time_lower(next, &pods->list[i].ready_at);
    rebali_time_lower(next, &pods->list[i].leaves_at);
  }
}
