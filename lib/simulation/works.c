/* SPDX-License-Identifier: MIT */
/* Pods of one binding in one member cluster: each becomes ready a while after it was assigned. */
#include "member.h"

#include <stdlib.h>
#include <string.h>

/* Works are ordered by binding, those of a binding by cluster, as its status is. */
static int is_before(const struct rebali_work *work, uint32_t binding, const char *cluster) {
  return work->binding != binding ? work->binding < binding : strcmp(work->cluster, cluster) < 0;
}

static size_t find_place(const rebal_simulation *simulation, uint32_t binding, const char *cluster) {
  size_t low = 0, high = simulation->n_works;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (is_before(&simulation->works[middle], binding, cluster)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

size_t rebali_works_of(const rebal_simulation *simulation, uint32_t binding) {
  return find_place(simulation, binding, "");
}

struct rebali_work *rebali_work_find(rebal_simulation *simulation, uint32_t binding, const char *cluster) {
  const size_t at = find_place(simulation, binding, cluster);
  struct rebali_work *work = at < simulation->n_works ? &simulation->works[at] : NULL;
  return work != NULL && work->binding == binding && strcmp(work->cluster, cluster) == 0 ? work : NULL;
}

void rebali_work_dispose(struct rebali_work *work) {
  free(work->cluster);
  free(work->starting);
  rebali_resource_list_dispose(&work->taken);
}

void rebali_work_remove(rebal_simulation *simulation, size_t index) {
  rebali_capacity_touch(simulation, simulation->works[index].cluster);
  rebali_work_dispose(&simulation->works[index]);
  memmove(simulation->works + index, simulation->works + index + 1,
          (simulation->n_works - index - 1) * sizeof *simulation->works);
  simulation->n_works--;
}

static int32_t make(rebal_simulation *simulation, uint32_t binding, const char *cluster, struct rebali_work **out,
                    rebal_error *err) {
  const size_t at = find_place(simulation, binding, cluster);
  struct rebali_work work = {
      .binding = binding, .cluster = rebali_bytes_copy(cluster, strlen(cluster)), .object = REBAL_NONE};
  int32_t code = work.cluster != NULL ? rebali_make_room(&simulation->works, &simulation->works_capacity,
                                                         simulation->n_works + 1, sizeof work, err)
                                      : rebali_fail_memory(err);
  if (code != REBAL_OK) {
    free(work.cluster);
    return code;
  }
  memmove(simulation->works + at + 1, simulation->works + at, (simulation->n_works - at) * sizeof work);
  simulation->works[at] = work;
  simulation->n_works++;
  rebali_capacity_touch(simulation, cluster);
  *out = &simulation->works[at];
  return REBAL_OK;
}

int64_t rebali_ready_after(const rebal_simulation *simulation, const char *cluster) {
  for (size_t i = 0; i < simulation->scenario.n_members; i++) {
    if (rebali_slice_is(simulation->scenario.members[i].cluster, cluster)) {
      return simulation->scenario.members[i].ready_after_ns;
    }
  }
  return simulation->scenario.ready_after_ns;
}

static int32_t grow(rebal_simulation *simulation, struct rebali_work *work, int64_t replicas, rebal_error *err) {
  const int32_t code =
      rebali_make_room(&work->starting, &work->starting_capacity, work->n_starting + 1, sizeof *work->starting, err);
  if (code != REBAL_OK) {
    return code;
  }
  work->starting[work->n_starting++] = (struct rebali_starting){
      replicas, rebali_time_after(&simulation->now, rebali_ready_after(simulation, work->cluster))};
  return REBAL_OK;
}

/* Those that are not ready go first, the youngest of them before the others. */
static void shrink(struct rebali_work *work, int64_t replicas) {
  while (replicas > 0 && work->n_starting > 0) {
    struct rebali_starting *last = &work->starting[work->n_starting - 1];
    const int64_t taken = last->replicas < replicas ? last->replicas : replicas;
    last->replicas -= taken;
    replicas -= taken;
    work->n_starting -= last->replicas == 0;
  }
  work->ready -= replicas;
}

int32_t rebali_work_want(rebal_simulation *simulation, uint32_t binding, const char *cluster, int64_t replicas,
                         rebal_error *err) {
  struct rebali_work *work = rebali_work_find(simulation, binding, cluster);
  struct rebali_member *member;
  int32_t code = REBAL_OK;
  if (work == NULL) {
    code = make(simulation, binding, cluster, &work, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  work->is_wanted = 1;
  if (work->replicas != replicas) {
    rebali_capacity_touch(simulation, cluster);
  }
  member = simulation->n_members > 0 ? rebali_member_find(simulation, cluster) : NULL;
  if (member != NULL && member->is_lost) {
    return REBAL_OK;
  }
  if (member != NULL && member->store != NULL) {
    member->is_stale = 1;
  } else if (work->is_crashing) {
    work->ready = 0;
  } else if (replicas > work->replicas) {
    code = grow(simulation, work, replicas - work->replicas, err);
  } else {
    shrink(work, work->replicas - replicas);
  }
  work->replicas = replicas;
  return code;
}

int32_t rebali_work_set_health(rebal_simulation *simulation, struct rebali_work *work, int is_healthy,
                               rebal_error *err) {
  struct rebali_member *member = rebali_member_find(simulation, work->cluster);
  if (work->is_crashing == !is_healthy) {
    return REBAL_OK;
  }
  work->is_crashing = !is_healthy;
  if (member != NULL && member->store != NULL) {
    rebali_pods_restart(simulation, member, work->binding);
    return REBAL_OK;
  }
  work->n_starting = 0;
  work->ready = 0;
  return is_healthy ? grow(simulation, work, work->replicas, err) : REBAL_OK;
}

static int ripen(rebal_simulation *simulation, struct rebali_work *work) {
  size_t kept = 0, n = work->n_starting;
  for (size_t j = 0; j < n; j++) {
    if (rebali_time_is_due(&work->starting[j].ready_at, &simulation->now)) {
      work->ready += work->starting[j].replicas;
    } else {
      work->starting[kept++] = work->starting[j];
    }
  }
  work->n_starting = kept;
  return kept < n;
}

int32_t rebali_works_ripen(rebal_simulation *simulation, struct rebali_ids *bindings, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < simulation->n_works; i++) {
    if (simulation->works[i].n_starting > 0 && !rebali_member_is_lost(simulation, simulation->works[i].cluster) &&
        ripen(simulation, &simulation->works[i])) {
      code = rebali_ids_add(bindings, simulation->works[i].binding, err);
    }
  }
  return code;
}
