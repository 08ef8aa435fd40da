/* SPDX-License-Identifier: MIT */
/* Works: the pods of one binding in one member cluster, one for each of its replicas there. */
#include "simulation/cluster/members.h"
#include "simulation/deletion/deletion.h"

#include <stdlib.h>
#include <string.h>

/* What all pods of a work have in common. */
struct mould {
  uint32_t requirements;
  int32_t stated; /* the priority given by the template */
  int32_t priority;
};

/* ---- found by binding and by cluster ----------------------------------------------------------------------------- */

struct rebali_bound *rebali_bound_find(const struct rebali_members *members, uint32_t binding) {
  return rebali_row_find(&members->bindings, binding);
}

static size_t place_in_bound(const struct rebali_bound *bound, const char *cluster) {
  size_t at;
  REBALI_BISECT(at, bound->n, strcmp(bound->works[at]->member->cluster, cluster) < 0);
  return at;
}

static size_t place_in_member(const struct rebali_member *member, uint32_t binding) {
  size_t at;
  REBALI_BISECT(at, member->n_works, member->works[at]->binding < binding);
  return at;
}

struct rebali_work *rebali_work_find(const struct rebali_members *members, uint32_t binding, const char *cluster) {
  const struct rebali_bound *bound = rebali_bound_find(members, binding);
  const size_t at = bound != NULL ? place_in_bound(bound, cluster) : 0;
  return bound != NULL && at < bound->n && strcmp(bound->works[at]->member->cluster, cluster) == 0 ? bound->works[at]
                                                                                                   : NULL;
}

/* Makes a work in the member. A dropped work whose pods still exist is reused. */
static int32_t make_in_member(struct rebali_member *member, uint32_t binding, struct rebali_work **out,
                              rebal_error *err) {
  const size_t at = place_in_member(member, binding);
  struct rebali_work *work = at < member->n_works ? member->works[at] : NULL;
  *out = work;
  if (work != NULL && work->binding == binding) {
    work->is_dropped = work->is_crashing = work->is_applied = 0;
    work->replicas = work->ready = work->pending = 0;
    work->report = (struct rebali_report){.replicas = 0};
    return REBAL_OK;
  }
  *out = rebali_reserve_malloc(&member->works, &member->works_capacity, member->n_works + 1, sizeof(*member->works),
                               err) == REBAL_OK
             ? calloc(1, sizeof *work)
             : NULL;
  if (*out == NULL) {
    return rebali_fail_memory(err);
  }
  (*out)->binding = binding;
  (*out)->member = member;
  memmove(member->works + at + 1, member->works + at, (member->n_works - at) * sizeof(*member->works));
  member->works[at] = *out;
  member->n_works++;
  return REBAL_OK;
}

static int32_t make(struct rebali_member *member, uint32_t binding, struct rebali_work **out, rebal_error *err) {
  struct rebali_bound *bound = rebali_row(&member->members->bindings, binding, err);
  size_t at;
  int32_t code = bound != NULL
                     ? rebali_reserve_malloc(&bound->works, &bound->capacity, bound->n + 1, sizeof(*bound->works), err)
                     : REBAL_ENOMEM;
  if (code == REBAL_OK) {
    code = make_in_member(member, binding, out, err);
  }
  if (code == REBAL_OK) {
    at = place_in_bound(bound, member->cluster);
    memmove(bound->works + at + 1, bound->works + at, (bound->n - at) * sizeof(*bound->works));
    bound->works[at] = *out;
    bound->n++;
    rebali_capacity_touch(member);
  }
  return code;
}

void rebali_capacity_touch(struct rebali_member *member) {
  member->is_unsummed = 1;
}

static void free_work(struct rebali_member *member, size_t at) {
  struct rebali_work *work = member->works[at];
  rebali_resource_list_dispose(&work->taken);
  free(work->pods.list);
  free(work);
  memmove(member->works + at, member->works + at + 1, (member->n_works - at - 1) * sizeof(*member->works));
  member->n_works--;
}

void rebali_works_drop(struct rebali_members *members, uint32_t binding) {
  struct rebali_bound *bound = rebali_bound_find(members, binding);
  for (size_t i = bound != NULL ? bound->n : 0; i-- > 0;) {
    struct rebali_work *work = bound->works[i];
    struct rebali_member *member = work->member;
    if (work->is_wanted) {
      continue;
    }
    rebali_capacity_touch(member);
    member->is_moved = 1;
    memmove(bound->works + i, bound->works + i + 1, (bound->n - i - 1) * sizeof(*bound->works));
    bound->n--;
    work->is_dropped = member->is_stale = 1;
    if (member->store == NULL) {
      member->n_pods -= work->pods.n;
      free_work(member, place_in_member(member, binding));
    }
  }
}

/* ---- creation and removal of pods -------------------------------------------------------------------------------- */

static void start(const struct rebali_work *work, struct rebali_pod *pod) {
  const struct rebali_member *member = work->member;
  const int is_placed = pod->node != REBAL_NONE ? !member->nodes[pod->node].is_lost : member->store == NULL;
  rebali_pod_start(pod, &member->members->core->server->now, member->ready_after_ns, is_placed && !work->is_crashing);
  work->member->is_moved = 1;
}

static int32_t add_pods(struct rebali_work *work, const struct rebali_pod *like, rebal_error *err) {
  const int32_t code = rebali_pods_add(&work->pods, like, err);
  if (code == REBAL_OK) {
    struct rebali_pod *pod = &work->pods.list[work->pods.n - 1];
    pod->order = ++work->member->order;
    pod->created = work->member->members->core->server->now;
    work->member->n_pods++;
    work->member->is_stale = 1;
    start(work, pod);
  }
  return code;
}

int32_t rebali_pod_remove(struct rebali_work *work, enum rebali_pod_way way, struct rebali_pod *pod, uint32_t by,
                          rebal_error *err) {
  pod->is_gone = 1;
  return pod->node != REBAL_NONE ? rebali_move_note(work->member, way, work->binding, pod->node, by, err) : REBAL_OK;
}

static void sweep(struct rebali_work *work) {
  const size_t n = rebali_pods_sweep(&work->pods);
  work->member->n_pods -= n;
  work->member->is_stale |= n > 0;
  work->member->is_moved |= n > 0;
}

void rebali_works_sweep(struct rebali_member *member) {
  for (size_t i = 0; i < member->n_works; i++) {
    sweep(member->works[i]);
  }
}

/* Removes n pods in the order in which controllers delete them. */
static int32_t remove_surplus(struct rebali_work *work, int64_t n, rebal_error *err) {
  struct rebali_leavers order;
  int32_t code = rebali_pods_in_order(&work->pods, &work->member->members->core->server->now, &order, err);
  for (size_t i = 0; code == REBAL_OK && n > 0 && i < order.n; i++) {
    struct rebali_pod *pod = &work->pods.list[order.list[i].object];
    const int64_t taken = pod->count < n ? pod->count : n;
    pod->count -= taken;
    n -= taken;
    if (pod->count == 0) {
      code = rebali_pod_remove(work, REBALI_POD_SURPLUS, pod, REBAL_NONE, err);
    }
  }
  free(order.list);
  sweep(work);
  return code;
}

/* Where no nodes are known, pods are only counted: pods created together are one record. */
static int32_t resize(struct rebali_work *work, int64_t replicas, rebal_error *err) {
  const struct rebali_pod like = {.count = replicas - rebali_pods_count(&work->pods),
                                  .object = REBAL_NONE,
                                  .requirements = REBAL_NONE,
                                  .node = REBAL_NONE,
                                  .has_node = 1};
  int32_t code = REBAL_OK;
  if (like.count > 0) {
    code = add_pods(work, &like, err);
  } else if (like.count < 0) {
    code = remove_surplus(work, -like.count, err);
  }
  work->ready = rebali_pods_ready(&work->pods);
  return code;
}

int32_t rebali_work_want(struct rebali_member *member, uint32_t binding, int64_t replicas, int is_suspended,
                         rebal_error *err) {
  struct rebali_work *work = rebali_work_find(member->members, binding, member->cluster);
  int32_t code = work == NULL ? make(member, binding, &work, err) : REBAL_OK;
  if (code != REBAL_OK) {
    return code;
  }
  work->is_wanted = 1;
  if (member->is_lost || is_suspended) {
    return REBAL_OK;
  }
  work->is_applied = 1;
  if (work->replicas != replicas) {
    rebali_capacity_touch(member);
  }
  member->is_stale = 1;
  code = member->store == NULL ? resize(work, replicas, err) : REBAL_OK;
  work->replicas = replicas;
  return code;
}

int32_t rebali_work_begin_ready(struct rebali_member *member, uint32_t binding, int64_t n, rebal_error *err) {
  struct rebali_work *work = rebali_work_find(member->members, binding, member->cluster);
  struct rebali_pod *pod = work->pods.n > 0 ? work->pods.list : NULL; /* pods created together are one record */
  struct rebali_pod rest;
  if (member->store != NULL || pod == NULL || n <= 0) {
    return REBAL_OK;
  }
  rest = *pod;
  pod->count = n < pod->count ? n : pod->count;
  rest.count -= pod->count;
  pod->is_ready = 1;
  pod->ready_since = member->members->core->server->now;
  pod->ready_at.is_set = 0;
  work->ready = pod->count;
  return rest.count > 0 ? rebali_pods_add(&work->pods, &rest, err) : REBAL_OK;
}

void rebali_work_set_health(struct rebali_work *work, int is_healthy) {
  if (work->is_crashing == !is_healthy) {
    return;
  }
  work->is_crashing = !is_healthy;
  for (size_t i = 0; i < work->pods.n; i++) {
    start(work, &work->pods.list[i]);
  }
  work->ready = work->member->store == NULL ? 0 : work->ready;
}

/* ---- pods of members with nodes ---------------------------------------------------------------------------------- */

/* Saturates to int32. */
static int32_t clamp(int64_t number) {
  return (int32_t)(number > INT32_MAX ? INT32_MAX : number < INT32_MIN ? INT32_MIN : number);
}

/* Reads the priority as admission does: the number of the template, else that of its PriorityClass. */
static void read_priority(struct rebali_server *server, uint32_t binding, struct mould *mould) {
  const uint32_t resource = rebali_resource_of(server, binding);
  const rebal_value *spec = resource != REBAL_NONE ? rebali_field(server, resource, "spec.template.spec") : NULL;
  int64_t value = 0;
  mould->stated = clamp(rebali_number_or(rebali_find(spec, "priority"), 0));
  mould->priority = mould->stated;
  if (mould->stated == 0 && rebali_priority_class(server, rebali_find_text(spec, "priorityClassName"), &value)) {
    mould->priority = clamp(value);
  }
}

/* Reads the mould. What a replica requests changes with the generation of its binding. */
static int32_t read_mould(struct rebali_members *members, uint32_t binding, struct mould *mould, rebal_error *err) {
  struct rebali_core *core = members->core;
  const int64_t generation = rebali_field_number(core->server, binding, "metadata.generation", 0);
  struct rebali_bound *bound = rebali_row(&members->bindings, binding, err);
  const rebal_cells *cells = rebal_bindings_const_cells(core->bindings);
  int32_t code = bound != NULL ? REBAL_OK : REBAL_ENOMEM;
  if (code == REBAL_OK && (generation == 0 || bound->generation != generation)) {
    code = rebali_feed(core, &binding, 1, err);
    bound->requirements = REBAL_NONE;
    bound->generation = generation;
    if (code == REBAL_OK && rebal_cells_count(cells, REBAL_TABLE_BINDING, REBAL_NONE) > 0) {
      bound->requirements = rebali_cell_id(rebal_cells_get_i64(cells, REBAL_BINDING_REQUIREMENTS, REBAL_NONE, 0));
    }
  }
  *mould = (struct mould){code == REBAL_OK ? bound->requirements : REBAL_NONE, 0, 0};
  read_priority(core->server, binding, mould);
  return code;
}

/* Replaces pods of another template, all at once. A PriorityClass is read only when pods are created. */
static int32_t remove_others(struct rebali_work *work, const struct mould *mould, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < work->pods.n; i++) {
    struct rebali_pod *pod = &work->pods.list[i];
    if (pod->requirements != mould->requirements || pod->stated != mould->stated) {
      code = rebali_pod_remove(work, REBALI_POD_REPLACED, pod, REBAL_NONE, err);
    }
  }
  sweep(work);
  return code;
}

static int32_t add_missing(struct rebali_work *work, const struct mould *mould, int64_t n, rebal_error *err) {
  const struct rebali_pod like = {.count = 1,
                                  .object = REBAL_NONE,
                                  .requirements = mould->requirements,
                                  .node = REBAL_NONE,
                                  .stated = mould->stated,
                                  .priority = mould->priority};
  const size_t most = work->member->members->max_pods;
  int32_t code = REBAL_OK;
  if (n > 0 && n > (int64_t)most - (int64_t)work->member->n_pods) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "%s: a member with nodes has at most %zu pods (maxPods)",
                       work->member->cluster, most);
  }
  for (int64_t i = 0; code == REBAL_OK && i < n; i++) {
    code = add_pods(work, &like, err);
  }
  return code;
}

static int32_t follow(struct rebali_work *work, rebal_error *err) {
  struct mould mould;
  int64_t surplus = 0;
  int32_t code = read_mould(work->member->members, work->binding, &mould, err);
  if (code == REBAL_OK) {
    code = remove_others(work, &mould, err);
  }
  if (code == REBAL_OK) {
    surplus = (int64_t)work->pods.n - work->replicas;
    code = surplus > 0 ? remove_surplus(work, surplus, err) : add_missing(work, &mould, -surplus, err);
  }
  return code;
}

/* Removes the pods of dropped works. */
static int32_t remove_dropped(struct rebali_member *member, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = member->n_works; code == REBAL_OK && i-- > 0;) {
    struct rebali_work *work = member->works[i];
    for (size_t j = 0; work->is_dropped && code == REBAL_OK && j < work->pods.n; j++) {
      code = rebali_pod_remove(work, REBALI_POD_UNASSIGNED, &work->pods.list[j], REBAL_NONE, err);
    }
    if (work->is_dropped && code == REBAL_OK) {
      sweep(work);
      free_work(member, i);
    }
  }
  return code;
}

int32_t rebali_works_follow(struct rebali_member *member, rebal_error *err) {
  int32_t code = remove_dropped(member, err);
  for (size_t i = 0; code == REBAL_OK && i < member->n_works; i++) {
    code = follow(member->works[i], err);
  }
  return code;
}

void rebali_pod_seat(struct rebali_work *work, struct rebali_pod *pod, uint32_t node) {
  pod->node = node;
  pod->has_node = 1;
  pod->since.is_set = 0;
  start(work, pod);
  rebali_pod_judge(work, pod);
}

void rebali_works_hold(struct rebali_member *member, uint32_t node, int is_lost) {
  member->nodes[node].is_lost = is_lost;
  for (size_t i = 0; i < member->n_works; i++) {
    struct rebali_work *work = member->works[i];
    for (size_t j = 0; j < work->pods.n; j++) {
      if (work->pods.list[j].node == node) {
        start(work, &work->pods.list[j]);
      }
    }
  }
}

int32_t rebali_works_leave(struct rebali_member *member, uint32_t node, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < member->n_works; i++) {
    struct rebali_work *work = member->works[i];
    for (size_t j = 0; code == REBAL_OK && j < work->pods.n; j++) {
      if (work->pods.list[j].node == node) {
        code = rebali_pod_remove(work, REBALI_POD_DRAINED, &work->pods.list[j], REBAL_NONE, err);
      }
    }
  }
  rebali_works_sweep(member);
  return code;
}

int64_t rebali_work_waiting(const struct rebali_work *work, const rebal_time *before) {
  int64_t n = 0;
  if (work->member->store == NULL || work->member->is_lost) {
    return work->member->store == NULL ? REBAL_FITS_NO_OPINION : REBAL_FITS_FAILED;
  }
  for (size_t i = 0; i < work->pods.n; i++) {
    const struct rebali_pod *pod = &work->pods.list[i];
    n += pod->since.is_set && rebali_time_compare(&pod->since, before) < 0;
  }
  return n;
}
