/* SPDX-License-Identifier: MIT */
/*
 * Pods of members with nodes: each work has as many as it has replicas. They stand in the order in which they are
 * placed: the highest priority first, then those that came first; a pod whose place was lost is another pod.
 */
#include "member.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "members";

/* What all pods of a work are made like. */
struct mould {
  uint32_t binding, requirements;
  int32_t stated; /* the priority by the template alone */
  int32_t priority;
};

/* Room for n more. */
static int32_t reserve(struct rebali_member *member, int64_t n, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = member->n_pods; code == REBAL_OK && i < member->n_pods + (size_t)n; i++) {
    code = rebali_make_room(&member->pods, &member->pods_capacity, i + 1, sizeof *member->pods, err);
  }
  return code;
}

/* n of them, behind all whose priority is not lower. */
static int32_t add_pods(struct rebali_member *member, const struct mould *mould, int64_t n, rebal_error *err) {
  size_t at = member->n_pods;
  int32_t code = REBAL_OK;
  if (n <= 0) {
    return REBAL_OK;
  }
  if (n > (int64_t)member->max_pods - (int64_t)member->n_pods) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "%s: a member with nodes has at most %zu pods (maxPods)", member->cluster,
                       member->max_pods);
  }
  code = reserve(member, n, err);
  if (code != REBAL_OK) {
    return code;
  }
  while (at > 0 && member->pods[at - 1].priority < mould->priority) {
    at--;
  }
  memmove(member->pods + at + n, member->pods + at, (member->n_pods - at) * sizeof *member->pods);
  for (int64_t i = 0; i < n; i++) {
    member->pods[at + (size_t)i] = (struct rebali_pod){.binding = mould->binding,
                                                       .requirements = mould->requirements,
                                                       .stated = mould->stated,
                                                       .priority = mould->priority,
                                                       .node = REBAL_NONE};
  }
  member->n_pods += (size_t)n;
  member->is_stale = 1;
  return REBAL_OK;
}

void rebali_pods_sweep(struct rebali_member *member) {
  size_t kept = 0;
  for (size_t i = 0; i < member->n_pods; i++) {
    if (!member->pods[i].is_gone) {
      member->pods[kept++] = member->pods[i];
    }
  }
  member->is_stale |= kept < member->n_pods;
  member->n_pods = kept;
}

int32_t rebali_pod_remove(struct rebali_member *member, enum rebali_pod_way way, struct rebali_pod *pod, uint32_t by,
                          rebal_error *err) {
  pod->is_gone = 1;
  return rebali_pod_move(member, way, pod, by, err);
}

/* Those without a node go first, then those that are not ready, the youngest of them before the others. */
static int rank(const struct rebali_pod *pod) {
  return pod->node == REBAL_NONE ? 0 : !pod->is_ready ? 1 : 2;
}

static int32_t remove_pods(struct rebali_member *member, uint32_t binding, int64_t n, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (int first = 0; first <= 2 && n > 0; first++) {
    for (size_t i = member->n_pods; code == REBAL_OK && n > 0 && i-- > 0;) {
      if (member->pods[i].binding == binding && rank(&member->pods[i]) == first) {
        code = rebali_pod_remove(member, REBALI_POD_SURPLUS, &member->pods[i], REBAL_NONE, err);
        n--;
      }
    }
  }
  rebali_pods_sweep(member);
  return code;
}

/* ---- what pods are made like ------------------------------------------------------------------------------------- */

/* What is beyond int32 is the most or the least of it. */
static int32_t clamp(int64_t number) {
  return (int32_t)(number > INT32_MAX ? INT32_MAX : number < INT32_MIN ? INT32_MIN : number);
}

/* As admission does it: the number of the template, else that of its PriorityClass. */
static int32_t read_priority(rebal_simulation *simulation, uint32_t binding, struct mould *mould, rebal_error *err) {
  const uint32_t resource = rebali_resource_of(simulation, binding);
  uint32_t found = REBAL_NONE;
  char *class_name;
  if (resource == REBAL_NONE) {
    return REBAL_OK;
  }
  mould->stated = clamp(rebali_field_integer(simulation, resource, "spec.template.spec.priority"));
  mould->priority = mould->stated;
  class_name = rebali_field_copy(simulation, resource, "spec.template.spec.priorityClassName");
  if (class_name == NULL) {
    return rebali_fail_memory(err);
  }
  if (mould->stated == 0 && class_name[0] != '\0') {
    found = rebal_store_find(simulation->store, "PriorityClass", 13, "", 0, class_name, strlen(class_name));
  }
  if (found != REBAL_NONE) {
    mould->priority = clamp(rebali_field_integer(simulation, found, "value"));
  }
  free(class_name);
  return REBAL_OK;
}

static int32_t read_mould(rebal_simulation *simulation, uint32_t binding, struct mould *mould, rebal_error *err) {
  int32_t code = rebali_feed(simulation, &binding, 1, err);
  *mould = (struct mould){binding, REBAL_NONE, 0, 0};
  if (code == REBAL_OK &&
      rebal_cells_count(rebal_bindings_const_cells(simulation->bindings), REBAL_TABLE_BINDING, REBAL_NONE) > 0) {
    mould->requirements = rebali_cell_id(rebal_cells_get_i64(rebal_bindings_const_cells(simulation->bindings),
                                                             REBAL_BINDING_REQUIREMENTS, REBAL_NONE, 0));
  }
  return code == REBAL_OK ? read_priority(simulation, binding, mould, err) : code;
}

/* Pods made of another template are replaced by new ones, all at once; a PriorityClass is looked at when they come. */
static int32_t remove_others(struct rebali_member *member, const struct mould *mould, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < member->n_pods; i++) {
    struct rebali_pod *pod = &member->pods[i];
    if (pod->binding == mould->binding && (pod->requirements != mould->requirements || pod->stated != mould->stated)) {
      code = rebali_pod_remove(member, REBALI_POD_REPLACED, pod, REBAL_NONE, err);
    }
  }
  rebali_pods_sweep(member);
  return code;
}

static int64_t count_pods(const struct rebali_member *member, uint32_t binding) {
  int64_t n = 0;
  for (size_t i = 0; i < member->n_pods; i++) {
    n += member->pods[i].binding == binding;
  }
  return n;
}

static int32_t follow_work(rebal_simulation *simulation, struct rebali_member *member, const struct rebali_work *work,
                           rebal_error *err) {
  struct mould mould;
  int64_t n;
  int32_t code = read_mould(simulation, work->binding, &mould, err);
  if (code == REBAL_OK) {
    code = remove_others(member, &mould, err);
  }
  n = count_pods(member, work->binding);
  if (code == REBAL_OK) {
    code = remove_pods(member, work->binding, n - work->replicas, err);
  }
  return code == REBAL_OK ? add_pods(member, &mould, work->replicas - n, err) : code;
}

/* Pods of works that are gone go as well. */
static int32_t remove_unwanted(rebal_simulation *simulation, struct rebali_member *member, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < member->n_pods; i++) {
    if (rebali_work_find(simulation, member->pods[i].binding, member->cluster) == NULL) {
      code = rebali_pod_remove(member, REBALI_POD_UNASSIGNED, &member->pods[i], REBAL_NONE, err);
    }
  }
  rebali_pods_sweep(member);
  return code;
}

int32_t rebali_pods_follow(rebal_simulation *simulation, struct rebali_member *member, rebal_error *err) {
  int32_t code = remove_unwanted(simulation, member, err);
  for (size_t i = 0; code == REBAL_OK && i < simulation->n_works; i++) {
    if (strcmp(simulation->works[i].cluster, member->cluster) == 0) {
      code = follow_work(simulation, member, &simulation->works[i], err);
    }
  }
  return code;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static void start_pod(rebal_simulation *simulation, const struct rebali_member *member, struct rebali_pod *pod) {
  const struct rebali_work *work = rebali_work_find(simulation, pod->binding, member->cluster);
  pod->is_ready = 0;
  pod->ready_at.is_set = 0;
  if (pod->node != REBAL_NONE && !member->nodes[pod->node].is_lost && (work == NULL || !work->is_crashing)) {
    pod->ready_at = rebali_time_after(&simulation->now, rebali_ready_after(simulation, member->cluster));
  }
}

void rebali_pod_seat(rebal_simulation *simulation, const struct rebali_member *member, struct rebali_pod *pod,
                     uint32_t node) {
  pod->node = node;
  pod->since.is_set = 0;
  start_pod(simulation, member, pod);
  rebali_pod_judge(simulation, member, pod);
}

void rebali_pods_restart(rebal_simulation *simulation, struct rebali_member *member, uint32_t binding) {
  for (size_t i = 0; i < member->n_pods; i++) {
    if (member->pods[i].binding == binding) {
      start_pod(simulation, member, &member->pods[i]);
    }
  }
}

void rebali_pods_hold(rebal_simulation *simulation, struct rebali_member *member, uint32_t node, int is_lost) {
  member->nodes[node].is_lost = is_lost;
  for (size_t i = 0; i < member->n_pods; i++) {
    struct rebali_pod *pod = &member->pods[i];
    if (pod->node == node) {
      start_pod(simulation, member, pod);
    }
  }
}

int32_t rebali_pods_leave(struct rebali_member *member, uint32_t node, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < member->n_pods; i++) {
    if (member->pods[i].node == node) {
      code = rebali_pod_remove(member, REBALI_POD_DRAINED, &member->pods[i], REBAL_NONE, err);
    }
  }
  rebali_pods_sweep(member);
  return code;
}

int32_t rebali_pods_ripen(const rebal_simulation *simulation, struct rebali_member *member, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < member->n_pods; i++) {
    struct rebali_pod *pod = &member->pods[i];
    if (rebali_time_is_due(&pod->ready_at, &simulation->now)) {
      pod->ready_at.is_set = 0;
      pod->is_ready = 1;
    }
    if (rebali_time_is_due(&pod->leaves_at, &simulation->now)) {
      code = rebali_pod_remove(member, REBALI_POD_EVICTED, pod, REBAL_NONE, err);
    }
  }
  rebali_pods_sweep(member);
  return code;
}

void rebali_pods_next(const rebal_simulation *simulation, rebal_time *next) {
  for (size_t i = 0; i < simulation->n_members; i++) {
    const struct rebali_member *member = &simulation->members[i];
    for (size_t j = 0; j < member->n_pods && !member->is_lost; j++) {
      rebali_time_lower(next, &member->pods[j].ready_at);
      rebali_time_lower(next, &member->pods[j].leaves_at);
    }
  }
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

int64_t rebali_pending_replicas(const rebal_simulation *simulation, uint32_t binding, const char *cluster,
                                const rebal_time *before) {
  const struct rebali_member *member = rebali_member_find(simulation, cluster);
  int64_t n = 0;
  if (member == NULL || member->store == NULL) {
    return REBAL_FITS_NO_OPINION;
  }
  if (member->is_lost) {
    return REBAL_FITS_FAILED;
  }
  for (size_t i = 0; i < member->n_pods; i++) {
    const struct rebali_pod *pod = &member->pods[i];
    n += pod->binding == binding && pod->since.is_set && rebali_time_compare(&pod->since, before) < 0;
  }
  return n;
}

/* How many have no node is told whenever it changes. */
static int32_t tell_pending(rebal_simulation *simulation, struct rebali_work *work, int64_t pending, rebal_error *err) {
  char *label;
  int32_t code = REBAL_OK;
  if (work->pending == pending) {
    return REBAL_OK;
  }
  work->pending = pending;
  label = rebali_object_label(simulation, work->binding);
  rebal_text_reset(simulation->scratch);
  code = label != NULL ? rebali_print(simulation->scratch, err, "%s: %" PRId64 " of %" PRId64 " pods unschedulable",
                                      work->cluster, pending, work->replicas)
                       : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code =
        rebali_log_append(simulation, REBAL_LOG_KIND_CHANGE, name, label, rebal_text_bytes(simulation->scratch, NULL),
                          pending > 0 ? "no node of the member has room for them, or may take them"
                                      : "all of them have a node, or are gone",
                          err);
  }
  free(label);
  return code;
}

static int32_t count_work(rebal_simulation *simulation, const struct rebali_member *member, struct rebali_work *work,
                          struct rebali_ids *bindings, rebal_error *err) {
  int64_t ready = 0, pending = 0;
  for (size_t i = 0; i < member->n_pods; i++) {
    if (member->pods[i].binding == work->binding) {
      ready += member->pods[i].is_ready;
      pending += member->pods[i].since.is_set;
    }
  }
  if (work->ready != ready) {
    const int32_t code = rebali_ids_add(bindings, work->binding, err);
    work->ready = ready;
    if (code != REBAL_OK) {
      return code;
    }
  }
  return tell_pending(simulation, work, pending, err);
}

int32_t rebali_pods_count(rebal_simulation *simulation, const struct rebali_member *member, struct rebali_ids *bindings,
                          rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < simulation->n_works; i++) {
    if (strcmp(simulation->works[i].cluster, member->cluster) == 0) {
      code = count_work(simulation, member, &simulation->works[i], bindings, err);
    }
  }
  return code;
}
