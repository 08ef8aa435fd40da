/* SPDX-License-Identifier: MIT */
/* Adoption: pods without a subset get the one that suits their node best: rebalance-workloadspread(7) 4.1. */
#include "workloadspread/pass.h"

/* A pod that can be adopted. */
struct orphan {
  uint32_t member;
  uint32_t node;
  uint32_t claim;
};
struct adoption {
  struct rebali_spread_pass *pass;
  struct rebali_node_classes classes;
  struct orphan *orphans;
  size_t n;
  int64_t *capacity; /* remaining capacity by version and subset, or by subset if all versions share it */
  int is_shared;
};

static int64_t *capacity_of(const struct adoption *adoption, uint32_t version) {
  return adoption->capacity + (adoption->is_shared ? 0 : (size_t)version * rebali_pass_subsets(adoption->pass));
}

/* Computes the capacity left by pods that have a subset, whatever their state. */
static int32_t open_capacities(struct adoption *adoption) {
  const struct rebali_spread_pass *pass = adoption->pass;
  const uint32_t n = rebali_pass_subsets(pass);
  const uint32_t n_versions = adoption->is_shared ? 1 : pass->versions.n;

  adoption->capacity = rebali_arena_allocate(pass->arena, n_versions, n * sizeof *adoption->capacity);
  if (adoption->capacity == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t version = 0; version < n_versions; version++) {
    for (uint32_t i = 0; i < n; i++) {
      const struct rebali_subset *subset = &pass->spread->spec.subsets[i];
      int64_t limit = INT32_MAX;

      if (subset->maximum.is_present && !rebali_limit_scaled(&subset->maximum, pass->replicas, &limit)) {
        limit = 0;
      }
      capacity_of(adoption, version)[subset->bucket] = limit;
    }
  }
  for (size_t i = 0; i < pass->n; i++) {
    if (pass->members[i].subset != REBAL_NONE) {
      capacity_of(adoption, pass->members[i].version)[pass->members[i].subset]--;
    }
  }
  return REBAL_OK;
}

static int32_t find_orphans(struct adoption *adoption) {
  const struct rebali_spread_pass *pass = adoption->pass;

  adoption->orphans = rebali_arena_allocate(pass->arena, pass->n, sizeof *adoption->orphans);
  if (adoption->orphans == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < pass->n; i++) {
    const uint32_t row = pass->members[i].row;
    const int64_t id = rebali_pods_i64(pass->pods, REBAL_SPREAD_POD_NODE, row);
    const uint32_t node = id >= 0 && id < REBAL_NONE ? (uint32_t)id : REBAL_NONE;
    struct orphan *orphan = &adoption->orphans[adoption->n];

    if (pass->members[i].by == REBAL_GROUPED_BY_NOTHING && rebali_nodes_present(adoption->classes.table, node)) {
      *orphan = (struct orphan){(uint32_t)i, node, 0};
      if (rebali_node_classes_claim(&adoption->classes,
                                    (uint32_t)rebali_pods_i64(pass->pods, REBAL_SPREAD_POD_REQUIREMENTS, row),
                                    &orphan->claim) != REBAL_OK) {
        return REBAL_ENOMEM;
      }
      adoption->n++;
    }
  }
  return REBAL_OK;
}

static int compare_by_version(const void *left, const void *right, const void *context) {
  const struct rebali_grouped *members = context;
  const uint32_t a = members[((const struct orphan *)left)->member].version;
  const uint32_t b = members[((const struct orphan *)right)->member].version;

  return (a > b) - (a < b);
}

static int is_unchanged(const struct rebali_spread_pass *pass, uint32_t row, uint32_t subset) {
  const uint64_t word = subset / 64u;

  return pass->opts.unchanged != NULL && word < pass->opts.unchanged_stride &&
         rebali_bit_get(pass->opts.unchanged + row * pass->opts.unchanged_stride, subset);
}

static void choose(const struct adoption *adoption, struct rebali_grouped *member, const int64_t *preferences) {
  const struct rebali_spread_pass *pass = adoption->pass;
  int64_t *capacity = capacity_of(adoption, member->version);
  int64_t best = -1;

  for (uint32_t i = 0; i < rebali_pass_subsets(pass); i++) {
    const struct rebali_subset *subset = &pass->spread->spec.subsets[i];
    int64_t score;

    if (preferences[i] == REBAL_ABSENT) {
      continue;
    }
    score =
        (capacity[subset->bucket] > 0) + (subset->patch != REBAL_NONE && is_unchanged(pass, member->row, i) ? 10 : 0);
    score = rebali_add_saturating(rebali_multiply_saturating(preferences[i], 100), score);
    if (score > best) {
      best = score;
      member->subset = subset->bucket;
    }
  }
  if (member->subset != REBAL_NONE) {
    member->by = REBAL_GROUPED_BY_NODE;
    member->changes |= REBAL_CHANGES_SUBSET;
    member->score = best;
    capacity[member->subset]--;
  }
}

static int32_t adopt_all(struct adoption *adoption) {
  struct rebali_spread_pass *pass = adoption->pass;

  for (size_t i = 0; i < adoption->n; i++) {
    const struct orphan *orphan = &adoption->orphans[i];
    const int64_t *preferences;

    if (rebali_node_classes_query(&adoption->classes, orphan->node, orphan->claim, &preferences) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    choose(adoption, &pass->members[orphan->member], preferences);
  }
  return REBAL_OK;
}

static int has_orphans(const struct rebali_spread_pass *pass) {
  for (size_t i = 0; i < pass->n; i++) {
    if (pass->members[i].by == REBAL_GROUPED_BY_NOTHING &&
        rebali_pods_i64(pass->pods, REBAL_SPREAD_POD_NODE, pass->members[i].row) != REBAL_ABSENT) {
      return 1;
    }
  }
  return 0;
}

/* Sorts orphans by version. Needed because each version takes from the shared capacity. */
static int32_t order_orphans(struct adoption *adoption) {
  struct orphan *scratch = rebali_arena_allocate(adoption->pass->arena, adoption->n, sizeof *scratch);

  if (scratch == NULL) {
    return REBAL_ENOMEM;
  }
  rebali_sort(adoption->orphans, adoption->n, sizeof *scratch, scratch, compare_by_version, adoption->pass->members);
  return REBAL_OK;
}

int32_t rebali_pass_adopt(struct rebali_spread_pass *pass) {
  struct adoption adoption = {.pass = pass, .is_shared = rebali_pass_option(pass, REBAL_OPTION_SPREAD_ALL_VERSIONS)};

  if (pass->snapshot == NULL || rebali_snapshot_nodes(pass->snapshot, pass->cluster) == NULL || !has_orphans(pass)) {
    return REBAL_OK;
  }
  if (rebali_node_classes_open(&adoption.classes, &pass->spread->spec, pass->snapshot, pass->cluster, pass->arena) !=
          REBAL_OK ||
      find_orphans(&adoption) != REBAL_OK || open_capacities(&adoption) != REBAL_OK ||
      (adoption.is_shared && order_orphans(&adoption) != REBAL_OK) || adopt_all(&adoption) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  return REBAL_OK;
}
