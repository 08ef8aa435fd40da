/* SPDX-License-Identifier: MIT */
/* Compiles a placement record into the form that the phases read (rebalance-karmada(7) 1.4, 7.2). */
#include "scheduler/scheduler.h"

#define FEW_TERMS 16u

uint32_t rebali_spread_field_parse(struct rebali_text name) {
  static const struct {
    struct rebali_text name;
    uint32_t field;
  } fields[] = {
      {{"cluster", 7}, REBAL_SPREAD_BY_CLUSTER},
      {{"region", 6}, REBAL_SPREAD_BY_REGION},
      {{"zone", 4}, REBAL_SPREAD_BY_ZONE},
      {{"provider", 8}, REBAL_SPREAD_BY_PROVIDER},
  };

  for (size_t i = 0; i < REBALI_COUNT(fields); i++) {
    if (rebali_text_equal(name, fields[i].name)) {
      return fields[i].field;
    }
  }
  return 0;
}

const struct rebali_spread *rebali_placement_spread(const struct rebali_placement *placement, uint32_t field) {
  for (size_t i = placement->n_spreads; i > 0; i--) {
    if (placement->spreads[i - 1].field == field) {
      return &placement->spreads[i - 1];
    }
  }
  return NULL;
}

static int32_t compile_spreads(struct rebali_placement *placement, const rebal_record *record) {
  const size_t count = rebali_record_count(record, 0, REBAL_PLACEMENT_SPREAD_CONSTRAINTS);
  uint32_t node = REBAL_NONE;

  if (count == 0) {
    return REBAL_OK;
  }
  placement->spreads = rebali_arena_allocate(&placement->arena, count, sizeof *placement->spreads);
  if (placement->spreads == NULL) {
    return REBAL_ENOMEM;
  }
  while ((node = rebali_record_next(record, 0, REBAL_PLACEMENT_SPREAD_CONSTRAINTS, node)) != REBAL_NONE) {
    struct rebali_spread *spread = &placement->spreads[placement->n_spreads++];

    spread->field =
        rebali_spread_field_parse(rebali_record_field_text(record, node, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD));
    spread->min_groups = rebal_record_i64(record, rebali_record_get(record, node, REBAL_SPREAD_CONSTRAINT_MIN_GROUPS));
    spread->max_groups = rebal_record_i64(record, rebali_record_get(record, node, REBAL_SPREAD_CONSTRAINT_MAX_GROUPS));
  }
  return REBAL_OK;
}

static int32_t compile_rules(struct rebali_placement *placement, const rebal_record *record, uint32_t preference) {
  const size_t count = rebali_record_count(record, preference, REBAL_WEIGHT_PREFERENCE_STATIC_WEIGHTS);
  uint32_t node = REBAL_NONE;
  int32_t code = REBAL_OK;

  if (count == 0) {
    return REBAL_OK;
  }
  placement->rules = rebali_arena_allocate(&placement->arena, count, sizeof *placement->rules);
  if (placement->rules == NULL) {
    return REBAL_ENOMEM;
  }
  while (code == REBAL_OK &&
         (node = rebali_record_next(record, preference, REBAL_WEIGHT_PREFERENCE_STATIC_WEIGHTS, node)) != REBAL_NONE) {
    struct rebali_static_rule *rule = &placement->rules[placement->n_rules++];
    size_t unused = 0; /* rules are evaluated into weights, not into bitsets */

    rule->weight = rebal_record_i64(record, rebali_record_get(record, node, REBAL_STATIC_WEIGHT_WEIGHT));
    code = rebali_affinity_compile(&placement->arena, record,
                                   rebali_record_get(record, node, REBAL_STATIC_WEIGHT_TARGET_CLUSTER), &unused,
                                   &rule->target);
  }
  return code;
}

static enum rebali_strategy strategy_of(const struct rebali_placement *placement) {
  if (!placement->has_replica_scheduling || rebali_text_equal(placement->scheduling_type, REBALI_TEXT("Duplicated"))) {
    return REBALI_STRATEGY_DUPLICATED;
  }
  if (rebali_text_equal(placement->scheduling_type, REBALI_TEXT("Divided"))) {
    if (rebali_text_equal(placement->division_preference, REBALI_TEXT("Aggregated"))) {
      return REBALI_STRATEGY_AGGREGATED;
    }
    if (rebali_text_equal(placement->division_preference, REBALI_TEXT("Weighted"))) {
      return placement->has_dynamic_weight ? REBALI_STRATEGY_DYNAMIC_WEIGHT : REBALI_STRATEGY_STATIC_WEIGHT;
    }
  }
  return REBALI_STRATEGY_UNSUPPORTED;
}

static int32_t compile_scheduling(struct rebali_placement *placement, const rebal_record *record) {
  const uint32_t scheduling = rebali_record_get(record, 0, REBAL_PLACEMENT_REPLICA_SCHEDULING);
  const uint32_t preference = rebali_record_get(record, scheduling, REBAL_REPLICA_SCHEDULING_WEIGHT_PREFERENCE);
  int32_t code = REBAL_OK;

  placement->has_replica_scheduling = scheduling != REBAL_NONE;
  placement->scheduling_type = rebali_record_field_text(record, scheduling, REBAL_REPLICA_SCHEDULING_TYPE);
  placement->division_preference =
      rebali_record_field_text(record, scheduling, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE);
  placement->has_weight_preference = preference != REBAL_NONE;
  placement->has_dynamic_weight =
      rebali_record_field_text(record, preference, REBAL_WEIGHT_PREFERENCE_DYNAMIC_WEIGHT).len > 0;
  if (preference != REBAL_NONE) {
    code = compile_rules(placement, record, preference);
  }
  placement->strategy = strategy_of(placement);
  /* weightPreference with both members empty is excluded, although it divides by static weight (5.1). */
  placement->ignores_spread = placement->strategy == REBALI_STRATEGY_STATIC_WEIGHT &&
                              (!placement->has_weight_preference || placement->n_rules > 0);
  return code;
}

static int compare_terms(const void *left, const void *right, const void *context) {
  const struct rebali_affinity *terms = context;

  return rebali_text_compare(terms[*(const uint32_t *)left].name, terms[*(const uint32_t *)right].name);
}

/* Sorts the terms by name, so that finding one of many groups does not scan all of them. */
static int32_t order_terms(struct rebali_placement *placement) {
  const size_t n = placement->n_terms;

  if (n <= FEW_TERMS) {
    return REBAL_OK;
  }
  placement->terms_by_name = rebali_arena_allocate(&placement->arena, n, 2 * sizeof *placement->terms_by_name);
  if (placement->terms_by_name == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    placement->terms_by_name[i] = (uint32_t)i;
  }
  rebali_sort(placement->terms_by_name, n, sizeof *placement->terms_by_name, placement->terms_by_name + n,
              compare_terms, placement->terms);
  return REBAL_OK;
}

static int32_t compile_affinities(struct rebali_placement *placement, const rebal_record *record) {
  const uint32_t single = rebali_record_get(record, 0, REBAL_PLACEMENT_CLUSTER_AFFINITY);
  const size_t count = rebali_record_count(record, 0, REBAL_PLACEMENT_CLUSTER_AFFINITIES);
  uint32_t node = REBAL_NONE;
  int32_t code = REBAL_OK;

  if (single != REBAL_NONE) {
    placement->affinity = rebali_arena_allocate(&placement->arena, 1, sizeof *placement->affinity);
    if (placement->affinity == NULL) {
      return REBAL_ENOMEM;
    }
    code = rebali_affinity_compile(&placement->arena, record, single, &placement->n_bitsets, placement->affinity);
  }
  if (code != REBAL_OK || count == 0) {
    return code;
  }
  placement->terms = rebali_arena_allocate(&placement->arena, count, sizeof *placement->terms);
  if (placement->terms == NULL) {
    return REBAL_ENOMEM;
  }
  while (code == REBAL_OK &&
         (node = rebali_record_next(record, 0, REBAL_PLACEMENT_CLUSTER_AFFINITIES, node)) != REBAL_NONE) {
    code = rebali_affinity_compile(&placement->arena, record, node, &placement->n_bitsets,
                                   &placement->terms[placement->n_terms]);
    placement->has_overflow |= code == REBAL_OK && placement->terms[placement->n_terms].n_overflow > 0;
    placement->n_terms++;
  }
  return code == REBAL_OK ? order_terms(placement) : code;
}

int32_t rebali_placement_compile(struct rebali_placement *placement, const rebal_record *record) {
  int32_t code = compile_affinities(placement, record);

  placement->record = record;
  if (code == REBAL_OK) {
    code = rebali_tolerations_read(&placement->arena, record, 0, REBAL_PLACEMENT_CLUSTER_TOLERATIONS,
                                   &placement->tolerations);
  }
  if (code == REBAL_OK) {
    code = compile_spreads(placement, record);
  }
  if (code == REBAL_OK) {
    code = compile_scheduling(placement, record);
  }
  return code;
}

/* Finds the first term with the name; NULL if there is none. */
static const struct rebali_affinity *search_term(const struct rebali_placement *placement, struct rebali_text name) {
  size_t first = 0, n = placement->n_terms;

  while (n > 0) {
    const size_t half = n / 2;

    if (rebali_text_compare(placement->terms[placement->terms_by_name[first + half]].name, name) < 0) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  if (first < placement->n_terms) {
    const struct rebali_affinity *term = &placement->terms[placement->terms_by_name[first]];

    return rebali_text_equal(term->name, name) ? term : NULL;
  }
  return NULL;
}

const struct rebali_affinity *rebali_placement_term(const struct rebali_placement *placement, struct rebali_text name) {
  if (placement->terms_by_name != NULL) {
    return search_term(placement, name);
  }
  for (size_t i = 0; i < placement->n_terms; i++) {
    if (rebali_text_equal(placement->terms[i].name, name)) {
      return &placement->terms[i];
    }
  }
  return NULL;
}
