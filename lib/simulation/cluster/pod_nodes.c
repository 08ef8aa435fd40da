/* SPDX-License-Identifier: MIT */
/* Finds nodes for pods with the core's scheduler of pods, and the priorities that it uses. */
#include "simulation/cluster/pods.h"

#include <stdlib.h>

int32_t rebali_seats_add(struct rebali_seats *seats, struct rebali_pod *pod, uint32_t owner, rebal_error *err) {
  int32_t code = rebali_reserve_malloc(&seats->pods, &seats->capacity, seats->n + 1, sizeof *seats->pods, err);
  if (code == REBAL_OK) {
    code = rebali_reserve_malloc(&seats->owners, &seats->owners_capacity, seats->n + 1, sizeof *seats->owners, err);
  }
  if (code == REBAL_OK) {
    seats->pods[seats->n] = pod;
    seats->owners[seats->n++] = owner;
  }
  return code;
}

static int compare(const void *left, const void *right, const void *context) {
  const struct rebali_seats *seats = context;
  const struct rebali_pod *one = seats->pods[*(const uint32_t *)left], *other = seats->pods[*(const uint32_t *)right];
  return one->priority != other->priority ? (one->priority < other->priority) - (one->priority > other->priority)
                                          : (one->order > other->order) - (one->order < other->order);
}

int32_t rebali_seats_sort(struct rebali_seats *seats, rebal_error *err) {
  const size_t n = seats->n;
  uint32_t *places = malloc((2 * n + 1) * sizeof *places);
  struct rebali_pod **pods = malloc((n + 1) * sizeof(*pods));
  uint32_t *owners = malloc((n + 1) * sizeof *owners);
  if (places == NULL || pods == NULL || owners == NULL) {
    free(places);
    free(pods);
    free(owners);
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    places[i] = (uint32_t)i;
  }
  rebali_sort(places, n, sizeof *places, places + n, compare, seats);
  for (size_t i = 0; i < n; i++) {
    pods[i] = seats->pods[places[i]];
    owners[i] = seats->owners[places[i]];
  }
  free(places);
  rebali_seats_dispose(seats);
  *seats = (struct rebali_seats){pods, owners, n, n + 1, n + 1};
  return REBAL_OK;
}

int32_t rebali_seats_find(const struct rebali_seats *seats, struct rebali_core *core, rebal_snapshot *snapshot,
                          uint32_t cluster, uint32_t flags, uint32_t more, size_t n_more, rebal_error *err) {
  const size_t n = seats->n + n_more;
  uint32_t *requirements = malloc((n + 1) * sizeof *requirements), *nodes = malloc((n + 1) * sizeof *nodes);
  int32_t *priorities = malloc((n + 1) * sizeof *priorities);
  const rebal_place_opts opts = {sizeof opts, flags, nodes, priorities};
  int32_t code = requirements != NULL && nodes != NULL && priorities != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    for (size_t i = 0; i < n; i++) {
      const int is_more = i >= seats->n;
      requirements[i] = is_more ? more : seats->pods[i]->requirements;
      nodes[i] = is_more ? REBAL_NONE : seats->pods[i]->node;
      priorities[i] = is_more ? 0 : seats->pods[i]->priority;
    }
    code = rebal_place_pods(core->ctx, snapshot, cluster, requirements, n, &opts, core->result, err);
  }
  free(requirements);
  free(nodes);
  free(priorities);
  return code;
}

void rebali_seats_dispose(struct rebali_seats *seats) {
  free(seats->pods);
  free(seats->owners);
  *seats = (struct rebali_seats){NULL, NULL, 0, 0, 0};
}

int rebali_priority_class(struct rebali_server *server, const char *name, int64_t *value) {
  const uint32_t found = rebali_find_object(server, "PriorityClass", "", name);
  *value = 0;
  return name[0] == '\0' || (found != REBAL_NONE && rebali_number(rebali_field(server, found, "value"), value));
}
