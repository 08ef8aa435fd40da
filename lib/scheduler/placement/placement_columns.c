/* SPDX-License-Identifier: MIT */
/* A compiled placement's predicates, evaluated for all clusters at once, column by column. */
#include "scheduler/placement/placement.h"

static int counts(const struct rebali_taint *taint) {
  const enum rebali_effect effect = rebali_effect_parse(taint->effect);

  return effect == REBALI_EFFECT_NO_SCHEDULE || effect == REBALI_EFFECT_NO_EXECUTE;
}

int64_t rebali_untolerated_taint(const rebal_snapshot *snapshot, uint32_t cluster,
                                 const struct rebali_tolerations *tolerations) {
  const rebal_record *taints = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_TAINTS, cluster);
  uint32_t node = REBAL_NONE;

  for (int64_t index = 0;
       taints != NULL && (node = rebali_record_next(taints, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE; index++) {
    const struct rebali_taint taint = rebali_taint_read(taints, node);

    if (counts(&taint) && !rebali_is_tolerated(tolerations, &taint)) {
      return index;
    }
  }
  return REBAL_ABSENT;
}

int rebali_cluster_is_tolerated(const void *subject, const rebal_snapshot *snapshot, uint32_t cluster) {
  const struct rebali_placement *placement = subject;

  return rebali_untolerated_taint(snapshot, cluster, &placement->tolerations) == REBAL_ABSENT;
}

int rebali_cluster_has_property(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t field) {
  const rebal_record *zones;

  switch (field) {
    case REBAL_SPREAD_BY_PROVIDER:
      return rebali_snapshot_text(snapshot, REBAL_CLUSTER_PROVIDER, cluster).len > 0;
    case REBAL_SPREAD_BY_REGION:
      return rebali_snapshot_text(snapshot, REBAL_CLUSTER_REGION, cluster).len > 0;
    case REBAL_SPREAD_BY_ZONE:
      zones = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_ZONES, cluster);
      return zones != NULL && rebali_record_count(zones, 0, REBAL_TEXTS_ITEM) > 0;
    default:
      return 1;
  }
}

static int has_property(const void *spread, const rebal_snapshot *snapshot, uint32_t cluster) {
  return rebali_cluster_has_property(snapshot, cluster, ((const struct rebali_spread *)spread)->field);
}

static int is_kept(const void *subject, const rebal_snapshot *snapshot, uint32_t cluster) {
  (void)subject;
  return rebali_snapshot_i64(snapshot, REBAL_CLUSTER_DELETING, cluster) == 0;
}

int rebali_cluster_is_present(const rebal_snapshot *snapshot, uint32_t cluster) {
  return rebali_snapshot_has(snapshot, cluster) && is_kept(NULL, snapshot, cluster);
}

static void evaluate_affinity(struct rebali_placement *placement, const struct rebali_affinity *affinity,
                              const rebal_snapshot *snapshot, const uint64_t *existing) {
  rebali_affinity_rows(affinity, snapshot, existing, placement->matches + affinity->bitset * placement->words,
                       placement->words);
  for (size_t i = 0; i < affinity->n_overflow; i++) {
    evaluate_affinity(placement, &affinity->overflow[i], snapshot, existing);
  }
}

static void evaluate_properties(struct rebali_placement *placement, const rebal_snapshot *snapshot) {
  static const uint32_t columns[REBAL_SPREAD_BY_PROVIDER + 1] = {[REBAL_SPREAD_BY_REGION] = REBAL_CLUSTER_REGION,
                                                                 [REBAL_SPREAD_BY_ZONE] = REBAL_CLUSTER_ZONES,
                                                                 [REBAL_SPREAD_BY_PROVIDER] = REBAL_CLUSTER_PROVIDER};

  for (size_t i = 0; i < placement->n_spreads; i++) {
    const struct rebali_predicate property = {columns[placement->spreads[i].field], has_property,
                                              &placement->spreads[i]};

    if (property.column != 0) {
      rebali_predicate_keep(&property, snapshot, placement->properties);
    }
  }
}

void rebali_placement_evaluate(struct rebali_placement *placement, const rebal_snapshot *snapshot) {
  const struct rebali_predicate tolerated = {REBAL_CLUSTER_TAINTS, rebali_cluster_is_tolerated, placement};
  const struct rebali_predicate kept = {REBAL_CLUSTER_DELETING, is_kept, NULL};
  const size_t bytes = placement->words * sizeof *placement->present;
  uint64_t *existing = placement->present; /* until present is computed */

  rebali_rows_existing(snapshot, existing);
  if (placement->affinity != NULL) {
    evaluate_affinity(placement, placement->affinity, snapshot, existing);
  }
  for (size_t i = 0; i < placement->n_terms; i++) {
    evaluate_affinity(placement, &placement->terms[i], snapshot, existing);
  }
  rebali_static_weights(placement, snapshot, existing, placement->standing); /* which is computed last */
  memcpy(placement->properties, existing, bytes);
  evaluate_properties(placement, snapshot);
  memcpy(placement->tolerated, existing, bytes);
  rebali_predicate_keep(&tolerated, snapshot, placement->tolerated);
  rebali_predicate_keep(&kept, snapshot, placement->present);
  for (size_t i = 0; i < placement->words; i++) {
    placement->standing[i] = placement->present[i] & placement->tolerated[i] & placement->properties[i];
  }
}
