/* SPDX-License-Identifier: MIT */
/* Candidates grouped by region, zone or provider, and the scores of the groups (rebalance-karmada(7) 5.5, 5.6). */
#include "scheduler/scheduler.h"

struct membership {
  struct rebali_text name;
  uint32_t place; /* among the candidates; fewer than 2^32, as clusters have ids */
};

static int compare_memberships(const void *left, const void *right, const void *context) {
  const struct membership *a = left;
  const struct membership *b = right;
  const int order = rebali_text_compare(a->name, b->name);

  (void)context;
  return order != 0 ? order : (a->place < b->place ? -1 : a->place > b->place);
}

/*
 * Lists the groups of one cluster and returns their number. If out is NULL, only counts. A zone listed twice is two
 * memberships.
 */
static size_t list_memberships(const struct rebali_pass *pass, uint32_t field, size_t place, struct membership *out) {
  const uint32_t cluster = pass->candidates[place].cluster;
  const rebal_record *zones;
  uint32_t node = REBAL_NONE;
  size_t n = 0;

  if (field != REBAL_SPREAD_BY_ZONE) {
    const uint32_t column = field == REBAL_SPREAD_BY_REGION ? REBAL_CLUSTER_REGION : REBAL_CLUSTER_PROVIDER;
    const struct rebali_text name = rebali_snapshot_text(pass->snapshot, column, cluster);

    if (name.len > 0 && out != NULL) {
      *out = (struct membership){name, (uint32_t)place};
    }
    return name.len > 0;
  }
  zones = rebali_snapshot_cell_record(pass->snapshot, REBAL_CLUSTER_ZONES, cluster);
  while (zones != NULL && (node = rebal_record_next(zones, 0, REBAL_TEXTS_ITEM, node)) != REBAL_NONE) {
    if (out != NULL) {
      out[n] = (struct membership){rebali_record_text(zones, node), (uint32_t)place};
    }
    n++;
  }
  return n;
}

static int64_t score_duplicated(const struct rebali_pass *pass, const struct rebali_topology_group *group,
                                const struct rebali_scale *scale) {
  int64_t sum = 0;
  int64_t n = 0;

  for (size_t i = 0; i < group->n_listed; i++) {
    const struct rebali_candidate *candidate = &pass->candidates[group->members[i]];

    if (candidate->available >= scale->replicas) {
      sum += candidate->score;
      n++;
    }
  }
  return n == 0 ? 0 : n * 1000 + sum / n;
}

/*
 * Scores a group. Clusters after the target is reached do not count. Sums of fewer than 2^32 members within 2^33 each
 * fit int64.
 */
static int64_t score_divided(const struct rebali_pass *pass, const struct rebali_topology_group *group,
                             const struct rebali_scale *scale) {
  int64_t available = 0;
  int64_t sum = 0;
  int64_t n = 0;

  while (n < (int64_t)group->n_listed && !(n > 0 && n >= scale->least && available >= scale->target)) {
    available += pass->candidates[group->members[n]].available;
    sum += pass->candidates[group->members[n]].score;
    n++;
  }
  if (available < scale->target) {
    return rebali_add_saturating(rebali_multiply_saturating(available, 1000), sum / (int64_t)group->n_members);
  }
  return scale->target * 1000 + sum / n;
}

/* A minimum of 0 counts as 1 ([LIB] of rebalance-karmada(7) 5.6), so that it can be a divisor. */
struct rebali_scale rebali_topology_scale(const struct rebali_pass *pass, const struct rebali_spread *spread) {
  const struct rebali_spread *cluster = rebali_placement_spread(pass->placement, REBAL_SPREAD_BY_CLUSTER);
  const int64_t groups = spread->min_groups > 0 ? spread->min_groups : 1;
  const int64_t clusters = cluster == NULL ? 0 : cluster->min_groups;

  return (struct rebali_scale){pass->placement->strategy == REBALI_STRATEGY_DUPLICATED, pass->replicas,
                               pass->replicas / groups + (pass->replicas % groups != 0),
                               groups > clusters ? groups : clusters};
}

void rebali_topology_score(const struct rebali_pass *pass, const struct rebali_scale *scale,
                           struct rebali_topology *topology) {
  for (size_t i = 0; i < topology->n; i++) {
    topology->groups[i].score = scale->is_duplicated ? score_duplicated(pass, &topology->groups[i], scale)
                                                     : score_divided(pass, &topology->groups[i], scale);
  }
}

/* Makes groups of runs of equal names among n sorted memberships. The array has space for them. */
static void make_groups(const struct rebali_pass *pass, const struct membership *memberships, size_t n,
                        uint32_t *members, const struct rebali_scale *scale, struct rebali_topology *topology) {
  for (size_t i = 0; i < n; i++) {
    struct rebali_topology_group *group;

    if (i == 0 || !rebali_text_equal(memberships[i - 1].name, memberships[i].name)) {
      topology->groups[topology->n++] = (struct rebali_topology_group){memberships[i].name, &members[i], 0, 0, 0, 0, 0};
    }
    group = &topology->groups[topology->n - 1];
    members[i] = memberships[i].place;
    group->n_members++;
    group->n_listed++;
    group->available += pass->candidates[memberships[i].place].available;
  }
  rebali_topology_score(pass, scale, topology);
}

int32_t rebali_topology_build(struct rebali_pass *pass, const struct rebali_spread *spread) {
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  struct rebali_topology *topology = &pass->topologies[spread->field];
  const struct rebali_scale scale = rebali_topology_scale(pass, spread);
  struct membership *memberships;
  uint32_t *members;
  size_t n = 0;

  for (size_t i = 0; i < pass->n_candidates; i++) {
    n += list_memberships(pass, spread->field, i, NULL);
  }
  memberships = rebali_arena_allocate(scratch, n + 1, 2 * sizeof *memberships); /* second half: scratch for sorting */
  members = rebali_arena_allocate(scratch, n + 1, sizeof *members);
  topology->groups = rebali_arena_allocate(scratch, n + 1, sizeof *topology->groups);
  topology->n = 0;
  if (memberships == NULL || members == NULL || topology->groups == NULL) {
    return rebali_fail_memory(pass->err);
  }
  n = 0;
  for (size_t i = 0; i < pass->n_candidates; i++) {
    n += list_memberships(pass, spread->field, i, &memberships[n]);
  }
  rebali_sort(memberships, n, sizeof *memberships, memberships + n, compare_memberships, NULL);
  make_groups(pass, memberships, n, members, &scale, topology);
  return REBAL_OK;
}
