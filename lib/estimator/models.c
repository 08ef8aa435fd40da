/* SPDX-License-Identifier: MIT */
/*
 * What fits by a cluster's resource models (spec karmada 6.3.1): each node counts as the lower bound of its grade, and
 * what a ledger holds in the cluster is placed first.
 */
#include "estimator/estimator.h"

#define PODS_PER_NODE 110

/* An amount below 0 takes nothing and gives nothing: Kubernetes knows no such requests or ranges. */
static int64_t vector_amount(struct rebali_text name, const rebal_quantity *amount) {
  const int64_t value =
      rebali_text_equal(name, REBALI_TEXT("cpu")) ? rebal_quantity_milli(amount) : rebal_quantity_value(amount);

  return value > 0 ? value : 0;
}

/* Index of a name among a node's amounts; 0, which is the pods', for one that is none of them. */
static size_t amount_index(const struct rebali_models *models, struct rebali_text name) {
  size_t i = 0;

  while (i < models->n_names && !rebali_text_equal(models->names[i], name)) {
    i++;
  }
  return i < models->n_names ? i + 1 : 0;
}

/* Reads a list of pairs of name and quantity below a node of a record; a name given twice: the last holds. */
static void read_amounts(const struct rebali_models *models, const rebal_record *record, uint32_t parent,
                         const uint32_t fields[3], int64_t *amounts) {
  uint32_t node = REBAL_NONE;

  memset(amounts, 0, (models->n_names + 1) * sizeof *amounts);
  while ((node = rebal_record_next(record, parent, fields[0], node)) != REBAL_NONE) {
    const struct rebali_text name = rebali_record_text(record, rebali_record_get(record, node, fields[1]));
    const size_t index = amount_index(models, name);
    rebal_quantity amount = {0, 0, REBAL_FORMAT_NONE};

    rebal_record_quantity(record, rebali_record_get(record, node, fields[2]), &amount);
    amounts[index] = index == 0 ? 0 : vector_amount(name, &amount);
  }
}

/* What a replica takes: one pod and what its requirements (a handle, or REBAL_NONE) name. */
static void read_need(const struct rebali_models *models, uint32_t requirements, int64_t *amounts) {
  static const uint32_t fields[3] = {REBAL_REQUIREMENTS_RESOURCE_REQUEST, REBAL_AMOUNT_NAME, REBAL_AMOUNT_QUANTITY};

  read_amounts(models, rebali_snapshot_record(models->snapshot, REBAL_OBJECT_REQUIREMENTS, requirements), 0, fields,
               amounts);
  amounts[0] = 1;
}

/* Sum of the counts reported for a grade. 0 when some count is negative. */
static int node_count(const rebal_record *modelings, int64_t grade, int64_t *count) {
  uint32_t node = REBAL_NONE;

  *count = 0;
  while ((node = rebal_record_next(modelings, 0, REBAL_MODELINGS_MODELING, node)) != REBAL_NONE) {
    const int64_t value = rebal_record_i64(modelings, rebali_record_get(modelings, node, REBAL_MODELING_COUNT));

    if (value < 0) {
      return 0;
    }
    if (rebal_record_i64(modelings, rebali_record_get(modelings, node, REBAL_MODELING_GRADE)) == grade) {
      *count = rebali_add_saturating(*count, value);
    }
  }
  return 1;
}

/* The model of the lowest grade above *grade (any grade when first), the last of its grade; REBAL_NONE at the end. */
static uint32_t next_grade(const rebal_record *models, int first, int64_t *grade) {
  uint32_t found = REBAL_NONE;
  uint32_t model = REBAL_NONE;
  int64_t least = 0;

  while ((model = rebal_record_next(models, 0, REBAL_RESOURCE_MODELS_MODEL, model)) != REBAL_NONE) {
    const int64_t value = rebal_record_i64(models, rebali_record_get(models, model, REBAL_RESOURCE_MODEL_GRADE));

    if ((first || value > *grade) && (found == REBAL_NONE || value <= least)) {
      found = model;
      least = value;
    }
  }
  *grade = least;
  return found;
}

/* The nodes of a cluster, by grade. *usable 0: it has no models. */
static int32_t make_nodes(struct rebali_models *models, uint32_t cluster, int *usable) {
  static const uint32_t fields[3] = {REBAL_RESOURCE_MODEL_RANGE, REBAL_MODEL_RANGE_NAME, REBAL_MODEL_RANGE_MIN};
  const rebal_record *spec = rebali_snapshot_cell_record(models->snapshot, REBAL_CLUSTER_RESOURCE_MODELS, cluster);
  const rebal_record *status = rebali_snapshot_cell_record(models->snapshot, REBAL_CLUSTER_MODELINGS, cluster);
  int64_t grade = 0;
  int64_t count;
  uint32_t model;

  *usable = spec != NULL && status != NULL && rebali_record_count(status, 0, REBAL_MODELINGS_MODELING) != 0 &&
            rebali_record_count(spec, 0, REBAL_RESOURCE_MODELS_MODEL) != 0 && node_count(status, 0, &count);
  rebali_nodes_clear(&models->nodes);
  for (model = *usable ? next_grade(spec, 1, &grade) : REBAL_NONE; model != REBAL_NONE;
       model = next_grade(spec, 0, &grade)) {
    (void)node_count(status, grade, &count); /* no count is negative */
    read_amounts(models, spec, model, fields, models->amounts);
    models->amounts[0] = PODS_PER_NODE;
    if (count > 0 && rebali_nodes_add(&models->nodes, count, models->amounts) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

/*
 * One full set of each binding, by key; a set that does not fit stays as far as it was placed (spec karmada 6.6). Every
 * component adds at most two runs.
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
      read_need(models, holdings[i].components[k].requirements, models->amounts);
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
    code = rebali_nodes_count_sets(&models->nodes, models->needs, models->n_needs, bound, sets);
  }
  return code;
}

/* Replicas that the nodes hold by the amount of one index alone. */
static int64_t fit_by(const struct rebali_models *models, size_t index) {
  const int64_t need = models->needs[0].amounts[index];
  int64_t sum = 0;

  for (const struct rebali_run *run = models->nodes.first; run != NULL; run = run->next) {
    sum = rebali_add_saturating(sum, rebali_multiply_saturating(run->count, run->amounts[index] / need));
  }
  return sum;
}

struct rebali_text rebali_models_limit(const struct rebali_models *models, int64_t sets) {
  struct rebali_text found = {NULL, 0};

  if (fit_by(models, 0) <= sets) {
    return REBALI_TEXT("pods");
  }
  for (size_t i = 0; i < models->n_names; i++) {
    if (models->needs[0].amounts[i + 1] > 0 && fit_by(models, i + 1) <= sets &&
        (found.bytes == NULL || rebali_text_compare(models->names[i], found) < 0)) {
      found = models->names[i];
    }
  }
  return found.bytes == NULL ? REBALI_TEXT("resource models") : found;
}

static const rebal_record *requirements_of(const struct rebali_models *models,
                                           const struct rebali_component *component) {
  return rebali_snapshot_record(models->snapshot, REBAL_OBJECT_REQUIREMENTS, component->requirements);
}

static size_t count_requests(const struct rebali_models *models, const struct rebali_component *component) {
  const rebal_record *record = requirements_of(models, component);

  return record == NULL ? 0 : rebali_record_count(record, 0, REBAL_REQUIREMENTS_RESOURCE_REQUEST);
}

/* Adds a name of the vector form that the list does not have. */
static void add_name(struct rebali_text *names, size_t *n, struct rebali_text name) {
  size_t i = 0;

  while (i < *n && !rebali_text_equal(names[i], name)) {
    i++;
  }
  if (i == *n && rebali_is_vector_resource(name)) {
    names[(*n)++] = name;
  }
}

static int32_t collect_names(struct rebali_models *models, const struct rebali_component *components, size_t n) {
  const uint32_t n_held = rebali_ledger_names(models->ledger);
  struct rebali_text *names;
  size_t room = n_held;

  for (size_t i = 0; i < n; i++) {
    room += count_requests(models, &components[i]);
  }
  names = rebali_arena_allocate(models->arena, room, sizeof *names);
  if (names == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    const rebal_record *record = requirements_of(models, &components[i]);
    uint32_t node = REBAL_NONE;

    while (record != NULL &&
           (node = rebal_record_next(record, 0, REBAL_REQUIREMENTS_RESOURCE_REQUEST, node)) != REBAL_NONE) {
      add_name(names, &models->n_names, rebali_record_text(record, rebali_record_get(record, node, REBAL_AMOUNT_NAME)));
    }
  }
  for (uint32_t i = 0; i < n_held; i++) {
    add_name(names, &models->n_names, rebali_ledger_name(models->ledger, i));
  }
  models->names = names;
  return REBAL_OK;
}

int32_t rebali_models_init(struct rebali_models *models, struct rebali_arena *arena, const rebal_snapshot *snapshot,
                           const struct rebali_component *components, size_t n, const rebal_ledger *ledger) {
  int64_t *amounts;

  memset(models, 0, sizeof *models);
  models->snapshot = snapshot;
  models->ledger = ledger;
  models->arena = arena;
  models->needs = rebali_arena_allocate(arena, n, sizeof *models->needs);
  if (models->needs == NULL || collect_names(models, components, n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  amounts = rebali_arena_allocate(arena, (n + 1) * (models->n_names + 1), sizeof *amounts);
  if (amounts == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    if (components[i].replicas > 0) {
      read_need(models, components[i].requirements, amounts);
      models->needs[models->n_needs++] = (struct rebali_need){amounts, components[i].replicas};
      amounts += models->n_names + 1;
    }
  }
  models->amounts = amounts;
  rebali_nodes_init(&models->nodes, arena, models->n_names + 1);
  return REBAL_OK;
}
