/* SPDX-License-Identifier: MIT */
/* Counts the groups of a spread constraint that clusters belong to (rebalance-karmada(7) 5.5, 5.6). */
#include "plan/plan.h"
#include "scheduler/scheduler.h"

/*
 * Lists the names by which a field groups a cluster. A cluster without a region or provider has none. If out is NULL,
 * only counts.
 */
static size_t list_names(const rebal_snapshot *snapshot, uint32_t field, uint32_t cluster, struct rebali_text *out) {
  const rebal_record *zones;
  struct rebali_text name;
  uint32_t node = REBAL_NONE;
  size_t n = 0;

  if (field != REBAL_SPREAD_BY_ZONE) {
    name =
        field == REBAL_SPREAD_BY_CLUSTER
            ? rebali_snapshot_name(snapshot, cluster)
            : rebali_snapshot_text(
                  snapshot, field == REBAL_SPREAD_BY_REGION ? REBAL_CLUSTER_REGION : REBAL_CLUSTER_PROVIDER, cluster);
    if (name.len > 0 && out != NULL) {
      *out = name;
    }
    return name.len > 0;
  }
  zones = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_ZONES, cluster);
  while (zones != NULL && (node = rebal_record_next(zones, 0, REBAL_TEXTS_ITEM, node)) != REBAL_NONE) {
    if (out != NULL) {
      out[n] = rebali_record_text(zones, node);
    }
    n++;
  }
  return n;
}

static int compare_names(const void *left, const void *right, const void *context) {
  (void)context;
  return rebali_text_compare(*(const struct rebali_text *)left, *(const struct rebali_text *)right);
}

int32_t rebali_plan_groups(struct rebali_arena *arena, const rebal_snapshot *snapshot, uint32_t field,
                           const uint32_t *clusters, size_t n_clusters, int64_t *groups) {
  struct rebali_text *names;
  size_t n = 0;

  for (size_t i = 0; i < n_clusters; i++) {
    n += list_names(snapshot, field, clusters[i], NULL);
  }
  names = rebali_arena_allocate(arena, n, 2 * sizeof *names); /* the second half is for sorting */
  if (names == NULL) {
    return REBAL_ENOMEM;
  }
  n = 0;
  for (size_t i = 0; i < n_clusters; i++) {
    n += list_names(snapshot, field, clusters[i], names + n);
  }
  rebali_sort(names, n, sizeof *names, names + n, compare_names, NULL);
  *groups = 0;
  for (size_t i = 0; i < n; i++) {
    *groups += i == 0 || !rebali_text_equal(names[i - 1], names[i]);
  }
  return REBAL_OK;
}
