/* SPDX-License-Identifier: MIT */
/*
 * Estimates by a cluster's resource models (rebalance-karmada(7) 6.3.1): each node counts as the lower bound of its
 * grade, and the holdings of a ledger in the cluster are placed first.
 */
#include "estimator/estimator.h"

#define PODS_PER_NODE 110
#define FIRST_GRADES 16

/* A grade: its last model, and the counts reported for it. */
struct rebali_grade {
  int64_t grade;
  int64_t count;
  uint32_t model;
};

static int compare_grades(const void *left, const void *right, const void *context) {
  const struct rebali_grade *one = left;
  const struct rebali_grade *other = right;

  (void)context;
  return (one->grade > other->grade) - (one->grade < other->grade);
}

/* Outgrown memory stays in the arena; it is less than what replaces it. */
static int32_t reserve_grades(struct rebali_models *models, size_t n) {
  size_t capacity = models->grades_capacity == 0 ? FIRST_GRADES : models->grades_capacity;

  if (n <= models->grades_capacity) {
    return REBAL_OK;
  }
  while (capacity < n) {
    capacity *= 2;
  }
  models->grades = rebali_arena_allocate(models->arena, capacity, 2 * sizeof *models->grades);
  models->grades_capacity = models->grades == NULL ? 0 : capacity;
  return models->grades == NULL ? REBAL_ENOMEM : REBAL_OK;
}

/* Reads the grades in ascending order, without counts. Changes *n from the number of models to that of grades. */
static int32_t read_grades(struct rebali_models *models, const rebal_record *spec, size_t *n) {
  const size_t n_models = *n;
  uint32_t model = REBAL_NONE;
  int is_sorted = 1;
  size_t i = 0;

  if (reserve_grades(models, n_models) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  while ((model = rebal_record_next(spec, 0, REBAL_RESOURCE_MODELS_MODEL, model)) != REBAL_NONE) {
    const int64_t grade = rebal_record_i64(spec, rebali_record_get(spec, model, REBAL_RESOURCE_MODEL_GRADE));

    is_sorted &= i == 0 || models->grades[i - 1].grade <= grade;
    models->grades[i++] = (struct rebali_grade){grade, 0, model};
  }
  if (!is_sorted) {
    rebali_sort(models->grades, n_models, sizeof *models->grades, models->grades + n_models, compare_grades, NULL);
  }
  *n = 0;
  for (i = 0; i < n_models; i++) {
    *n -= *n > 0 && models->grades[*n - 1].grade == models->grades[i].grade;
    models->grades[(*n)++] = models->grades[i];
  }
  return REBAL_OK;
}

static void add_count(const struct rebali_models *models, size_t n, int64_t grade, int64_t count) {
  size_t at;

  REBALI_BISECT(at, n, models->grades[at].grade < grade);
  if (at < n && models->grades[at].grade == grade) {
    models->grades[at].count = rebali_add_saturating(models->grades[at].count, count);
  }
}

/* Returns 0 if a count is negative. */
static int read_counts(const struct rebali_models *models, size_t n, const rebal_record *status) {
  uint32_t node = REBAL_NONE;

  while ((node = rebal_record_next(status, 0, REBAL_MODELINGS_MODELING, node)) != REBAL_NONE) {
    const int64_t count = rebal_record_i64(status, rebali_record_get(status, node, REBAL_MODELING_COUNT));

    if (count < 0) {
      return 0;
    }
    add_count(models, n, rebal_record_i64(status, rebali_record_get(status, node, REBAL_MODELING_GRADE)), count);
  }
  return 1;
}

/* Creates the nodes of a cluster, by grade. Sets *usable to 0 if it has no models. */
static int32_t make_nodes(struct rebali_models *models, uint32_t cluster, int *usable) {
  static const uint32_t fields[3] = {REBAL_RESOURCE_MODEL_RANGE, REBAL_MODEL_RANGE_NAME, REBAL_MODEL_RANGE_MIN};
  const rebal_record *spec = rebali_snapshot_cell_record(models->snapshot, REBAL_CLUSTER_RESOURCE_MODELS, cluster);
  const rebal_record *status = rebali_snapshot_cell_record(models->snapshot, REBAL_CLUSTER_MODELINGS, cluster);
  size_t n = spec == NULL ? 0 : rebali_record_count(spec, 0, REBAL_RESOURCE_MODELS_MODEL);

  rebali_nodes_clear(&models->nodes);
  *usable = n != 0 && status != NULL && rebali_record_count(status, 0, REBAL_MODELINGS_MODELING) != 0;
  if (*usable && read_grades(models, spec, &n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  *usable = *usable && read_counts(models, n, status);
  for (size_t i = 0; *usable && i < n; i++) {
    const struct rebali_grade *grade = &models->grades[i];

    rebali_needs_amounts(&models->needs, spec, grade->model, fields, models->amounts);
    models->amounts[0] = PODS_PER_NODE;
    if (grade->count > 0 && rebali_nodes_add(&models->nodes, grade->count, models->amounts) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

/*
 * Places one full set of each binding, by key. A set that does not fit keeps the pods that were placed
 * (rebalance-karmada(7) 6.6). Every component adds at most two runs.
 */
static int32_t place_holdings(struct rebali_models *models, uint32_t cluster) {
  const struct rebali_holding *holdings;
  size_t n;

  if (!rebali_ledger_touches(models->ledger, cluster)) {
    return REBAL_OK;
  }
  if (rebali_ledger_holdings(models->ledger, cluster, models->arena, &holdings, &n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    int64_t left = 0;

    for (size_t k = 0; k < holdings[i].n_components && left == 0; k++) {
      left = holdings[i].components[k].replicas;
      rebali_need_read(&models->needs, holdings[i].components[k].requirements, models->amounts);
      if (rebali_nodes_place(&models->nodes, models->nodes.first, models->amounts, &left) != REBAL_OK) {
        return REBAL_ENOMEM;
      }
    }
  }
  return REBAL_OK;
}

int32_t rebali_models_sets(struct rebali_models *models, uint32_t cluster, int64_t bound, int64_t *sets) {
  int usable;
  int32_t code = make_nodes(models, cluster, &usable);

  *sets = -1;
  if (code == REBAL_OK && usable) {
    code = place_holdings(models, cluster);
  }
  if (code == REBAL_OK && usable) {
    code = rebali_nodes_count_sets(&models->nodes, models->needs.items, models->needs.n, bound, sets);
  }
  return code;
}

/* Returns the replicas that the nodes can hold by one amount alone. */
static int64_t fit_by(const struct rebali_models *models, size_t index) {
  const int64_t need = models->needs.items[0].amounts[index];
  int64_t sum = 0;

  for (const struct rebali_run *run = models->nodes.first; run != NULL; run = run->next) {
    sum = rebali_add_saturating(sum, rebali_multiply_saturating(run->count, run->amounts[index] / need));
  }
  return sum;
}

struct rebali_text rebali_models_limit(const struct rebali_models *models, int64_t sets) {
  if (fit_by(models, 0) <= sets) {
    return REBALI_TEXT("pods");
  }
  /* What the component requests is in the order of names; amounts of other names are 0. */
  for (size_t i = 0; i < models->needs.n_names; i++) {
    if (models->needs.items[0].amounts[i + 1] > 0 && fit_by(models, i + 1) <= sets) {
      return models->needs.names[i];
    }
  }
  return REBALI_TEXT("resource models");
}

int32_t rebali_models_init(struct rebali_models *models, struct rebali_arena *arena, const rebal_snapshot *snapshot,
                           const struct rebali_component *components, size_t n, const rebal_ledger *ledger) {
  memset(models, 0, sizeof *models);
  models->snapshot = snapshot;
  models->ledger = ledger;
  models->arena = arena;
  if (rebali_needs_read(&models->needs, arena, snapshot, components, n, ledger) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  models->amounts = rebali_arena_allocate(arena, models->needs.n_names + 1, sizeof *models->amounts);
  rebali_nodes_init(&models->nodes, arena, models->needs.n_names + 1);
  return models->amounts == NULL ? REBAL_ENOMEM : REBAL_OK;
}
