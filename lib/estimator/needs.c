/* SPDX-License-Identifier: MIT */
/* What replicas need of a node (rebalance-karmada(7) 6.7), as amounts in one order for all of them. */
#include "estimator/estimator.h"

/* A negative amount counts as 0: Kubernetes has no such requests or ranges. */
static int64_t vector_amount(struct rebali_text name, const rebal_quantity *amount) {
  const int64_t value =
      rebali_text_equal(name, REBALI_TEXT("cpu")) ? rebali_quantity_milli(amount) : rebali_quantity_value(amount);

  return value > 0 ? value : 0;
}

/* Returns the index of a name among the amounts; 0, the index of the pods, for an unknown name. */
static size_t amount_index(const struct rebali_needs *needs, struct rebali_text name) {
  size_t i = 0;

  while (i < needs->n_names && !rebali_text_equal(needs->names[i], name)) {
    i++;
  }
  return i < needs->n_names ? i + 1 : 0;
}

void rebali_needs_amounts(const struct rebali_needs *needs, const rebal_record *record, uint32_t parent,
                          const uint32_t fields[3], int64_t *amounts) {
  uint32_t node = REBAL_NONE;

  memset(amounts, 0, (needs->n_names + 1) * sizeof *amounts);
  while ((node = rebal_record_next(record, parent, fields[0], node)) != REBAL_NONE) {
    const struct rebali_text name = rebali_record_field_text(record, node, fields[1]);
    const size_t index = amount_index(needs, name);
    rebal_quantity amount = {0, 0, REBAL_QUANTITY_FORMAT_NONE};

    rebal_record_quantity(record, rebali_record_get(record, node, fields[2]), &amount);
    amounts[index] = index == 0 ? 0 : vector_amount(name, &amount);
  }
}

void rebali_need_read(const struct rebali_needs *needs, uint32_t requirements, int64_t *amounts) {
  static const uint32_t fields[3] = {REBAL_REQUIREMENTS_RESOURCE_REQUEST, REBAL_AMOUNT_NAME, REBAL_AMOUNT_QUANTITY};

  rebali_needs_amounts(needs, rebali_snapshot_record(needs->snapshot, REBAL_OBJECT_REQUIREMENTS, requirements), 0,
                       fields, amounts);
  amounts[0] = 1;
}

static const rebal_record *requirements_of(const struct rebali_needs *needs, const struct rebali_component *component) {
  return rebali_snapshot_record(needs->snapshot, REBAL_OBJECT_REQUIREMENTS, component->requirements);
}

static size_t count_requests(const struct rebali_needs *needs, const struct rebali_component *component) {
  const rebal_record *record = requirements_of(needs, component);

  return record == NULL ? 0 : rebali_record_count(record, 0, REBAL_REQUIREMENTS_RESOURCE_REQUEST);
}

/* Adds a name in vector form if the list lacks it. */
static void add_name(struct rebali_text *names, size_t *n, struct rebali_text name) {
  size_t i = 0;

  while (i < *n && !rebali_text_equal(names[i], name)) {
    i++;
  }
  if (i == *n && rebali_is_vector_resource(name)) {
    names[(*n)++] = name;
  }
}

static int32_t collect_names(struct rebali_needs *needs, struct rebali_arena *arena,
                             const struct rebali_component *components, size_t n, const rebal_ledger *ledger) {
  const uint32_t n_held = rebali_ledger_names(ledger);
  struct rebali_text *names;
  size_t capacity = n_held;

  for (size_t i = 0; i < n; i++) {
    capacity += count_requests(needs, &components[i]);
  }
  names = rebali_arena_allocate(arena, capacity, sizeof *names);
  if (names == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    const rebal_record *record = requirements_of(needs, &components[i]);
    uint32_t node = REBAL_NONE;

    while (record != NULL &&
           (node = rebal_record_next(record, 0, REBAL_REQUIREMENTS_RESOURCE_REQUEST, node)) != REBAL_NONE) {
      add_name(names, &needs->n_names, rebali_record_field_text(record, node, REBAL_AMOUNT_NAME));
    }
  }
  for (uint32_t i = 0; i < n_held; i++) {
    add_name(names, &needs->n_names, rebali_ledger_name(ledger, i));
  }
  needs->names = names;
  return REBAL_OK;
}

int32_t rebali_needs_read(struct rebali_needs *needs, struct rebali_arena *arena, const rebal_snapshot *snapshot,
                          const struct rebali_component *components, size_t n, const rebal_ledger *ledger) {
  int64_t *amounts;

  memset(needs, 0, sizeof *needs);
  needs->snapshot = snapshot;
  needs->items = rebali_arena_allocate(arena, n, sizeof *needs->items);
  if (needs->items == NULL || collect_names(needs, arena, components, n, ledger) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  amounts = rebali_arena_allocate(arena, n * (needs->n_names + 1), sizeof *amounts);
  if (amounts == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    if (components[i].replicas > 0) {
      rebali_need_read(needs, components[i].requirements, amounts);
      needs->items[needs->n++] = (struct rebali_need){amounts, components[i].replicas, components[i].requirements};
      amounts += needs->n_names + 1;
    }
  }
  return REBAL_OK;
}
