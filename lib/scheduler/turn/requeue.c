/* SPDX-License-Identifier: MIT */
/* Which bindings a change of the clusters puts into the scheduler's queue (rebalance-karmada(7) 2.1). */
#include "scheduler/scheduler.h"

struct change {
  uint32_t cluster;
  int walks_before; /* the cluster before the change also counts */
};

struct walk {
  const rebal_snapshot *before;
  struct change *changes; /* by name of the cluster */
  size_t n;
};

static int64_t cell(const rebal_snapshot *snapshot, uint32_t column, uint32_t cluster) {
  return rebali_snapshot_i64(snapshot, column, cluster);
}

/* Returns the handle of interned labels. Empty labels are equal to absent ones. */
static int64_t labels_of(const rebal_snapshot *snapshot, uint32_t cluster) {
  const rebal_record *labels = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_LABELS, cluster);

  return labels == NULL || rebali_record_next(labels, 0, 0, REBAL_NONE) == REBAL_NONE
             ? REBAL_ABSENT
             : cell(snapshot, REBAL_CLUSTER_LABELS, cluster);
}

/*
 * Returns whether metadata.generation has changed. If it is missing, any column of the spec replaces it. Deletion,
 * which also changes it, is handled before.
 */
static int is_new_generation(const rebal_snapshot *before, const rebal_snapshot *after, uint32_t cluster) {
  static const uint32_t texts[] = {REBAL_CLUSTER_REGION, REBAL_CLUSTER_PROVIDER};
  static const uint32_t handles[] = {REBAL_CLUSTER_ZONES, REBAL_CLUSTER_TAINTS, REBAL_CLUSTER_RESOURCE_MODELS};
  const int64_t former = cell(before, REBAL_CLUSTER_GENERATION, cluster);
  const int64_t current = cell(after, REBAL_CLUSTER_GENERATION, cluster);

  if (former != 0 && current != 0) {
    return former != current;
  }
  for (size_t i = 0; i < REBALI_COUNT(texts); i++) {
    if (!rebali_text_equal(rebali_snapshot_text(before, texts[i], cluster),
                           rebali_snapshot_text(after, texts[i], cluster))) {
      return 1;
    }
  }
  for (size_t i = 0; i < REBALI_COUNT(handles); i++) {
    if (cell(before, handles[i], cluster) != cell(after, handles[i], cluster)) {
      return 1;
    }
  }
  return 0;
}

/* Added and removed clusters are not changes. */
static int is_changed(const rebal_snapshot *before, const rebal_snapshot *after, uint32_t cluster,
                      struct change *change) {
  if (!rebali_snapshot_has(before, cluster)) {
    return 0;
  }
  change->cluster = cluster;
  change->walks_before =
      cell(before, REBAL_CLUSTER_DELETING, cluster) != 0 || cell(after, REBAL_CLUSTER_DELETING, cluster) == 0;
  return !change->walks_before || labels_of(before, cluster) != labels_of(after, cluster) ||
         is_new_generation(before, after, cluster);
}

static int32_t find_changes(rebal_ctx *ctx, const rebal_snapshot *after, struct walk *walk, rebal_error *err) {
  uint32_t n;
  const uint32_t *clusters = rebali_snapshot_by_name(after, &n);

  walk->changes = rebali_allocate(rebali_ctx_allocator(ctx), (size_t)n + 1, sizeof *walk->changes);
  if (walk->changes == NULL) {
    return rebali_fail_memory(err);
  }
  for (uint32_t i = 0; i < n; i++) {
    walk->n += is_changed(walk->before, after, clusters[i], &walk->changes[walk->n]) ? 1u : 0u;
  }
  return REBAL_OK;
}

/*
 * Returns the affinity that counts; NULL: every cluster matches. If the placement has groups, it is the inline affinity
 * of the observed one.
 */
static const struct rebali_affinity *affinity_of(const struct rebali_pass *pass) {
  const struct rebali_placement *placement = pass->placement;
  const struct rebali_text observed =
      rebali_bindings_text(pass->bindings, REBAL_BINDING_OBSERVED_AFFINITY_NAME, pass->row);

  return placement->n_terms == 0 ? placement->affinity : &placement->terms[rebali_groups_index(placement, observed)];
}

static int is_affected(const struct rebali_pass *pass, const struct walk *walk, const struct change *change) {
  const struct rebali_affinity *affinity = affinity_of(pass);

  /* With groups, a binding that was not scheduled since its last change is always affected. */
  if (affinity == NULL || (pass->placement->n_terms > 0 &&
                           rebali_bindings_i64(pass->bindings, REBAL_BINDING_GENERATION, pass->row) !=
                               rebali_bindings_i64(pass->bindings, REBAL_BINDING_OBSERVED_GENERATION, pass->row))) {
    return 1;
  }
  return rebali_placement_matches(pass->placement, affinity, change->cluster) ||
         (change->walks_before && rebali_affinity_matches(affinity, walk->before, change->cluster));
}

static int32_t requeue_one(struct rebali_pass *pass, rebal_result *result, void *user_data) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_REQUEUED);
  const struct walk *walk = user_data;
  size_t i = 0, row;

  if (pass->placement == NULL || !rebali_is_scheduled_by(pass->bindings, pass->row, pass->opts)) {
    return REBAL_OK;
  }
  while (i < walk->n && !is_affected(pass, walk, &walk->changes[i])) {
    i++;
  }
  if (i < walk->n && (rebali_table_add(table, 1, &row) != REBAL_OK ||
                      rebali_table_set_i64(table, REBAL_REQUEUED_BINDING, row, pass->row) != REBAL_OK ||
                      rebali_table_set_i64(table, REBAL_REQUEUED_CLUSTER, row, walk->changes[i].cluster) != REBAL_OK)) {
    return rebali_fail_memory(pass->err);
  }
  return REBAL_OK;
}

int32_t rebal_requeue(rebal_ctx *ctx, const rebal_snapshot *before, rebal_snapshot *after,
                      const rebal_bindings *bindings, const rebal_schedule_opts *opts, rebal_result *result,
                      rebal_error *err) {
  const struct rebali_batch batch = {.ctx = ctx,
                                     .snapshot = after,
                                     .bindings = bindings,
                                     .opts = opts,
                                     .result = result,
                                     .err = err,
                                     .call = "rebal_requeue"};
  struct walk walk = {before, NULL, 0};
  rebal_schedule_opts loaded;
  int32_t code;

  if (ctx == NULL || before == NULL || after == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "ctx and two snapshots are needed");
  }
  if (rebali_snapshot_fleet(before) != rebali_snapshot_fleet(after)) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "the snapshots are of different fleets");
  }
  code = rebali_options_load(&loaded, sizeof loaded, sizeof loaded, opts, err);
  if (code == REBAL_OK && (loaded.flags & REBAL_SCHEDULE_FLAG_FINGERPRINT) != 0) { /* would omit the older snapshot */
    code = rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a comparison of snapshots has no fingerprint");
  }
  code = code == REBAL_OK ? find_changes(ctx, after, &walk, err) : code;
  code = code == REBAL_OK ? rebali_batch_run(&batch, requeue_one, &walk) : code;
  rebali_release(rebali_ctx_allocator(ctx), walk.changes);
  return code;
}
