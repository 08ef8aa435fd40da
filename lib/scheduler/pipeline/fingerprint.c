/* SPDX-License-Identifier: MIT */
/* Fingerprints of calls: all inputs of a call of the module except the snapshot. */
#include "scheduler/scheduler.h"

struct rows {
  size_t first;
  size_t end;
};

/* Cells of one cluster id, in the layout of the caller's arrays. Cells from n_clusters on do not exist. */
struct cells {
  uint64_t n_clusters;
  uint64_t stride;
};

static int has_cell(const struct cells *cells, uint32_t cluster) {
  return cluster < cells->n_clusters;
}

static size_t place_of(const struct cells *cells, size_t row, uint32_t cluster) {
  return row * (size_t)cells->stride + cluster;
}

/* Digests the cells of clusters of the fleet, except those without effect. */
static void digest_cell(struct rebali_digest *digest, const rebal_snapshot *snapshot, size_t row, uint32_t cluster,
                        int64_t value) {
  rebali_digest_u64(digest, row);
  rebali_digest_text(digest, rebali_snapshot_name(snapshot, cluster));
  rebali_digest_u64(digest, (uint64_t)value);
}

static void digest_extra(struct rebali_digest *digest, const rebal_snapshot *snapshot, const rebal_schedule_opts *opts,
                         const int64_t *column, const struct rows *rows) {
  const struct cells cells = {column == NULL ? 0 : opts->extra_clusters, opts->extra_stride};
  uint32_t n;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n);

  for (size_t row = rows->first; row < rows->end && column != NULL; row++) {
    for (uint32_t i = 0; i < n; i++) {
      const int64_t value = has_cell(&cells, clusters[i]) ? column[place_of(&cells, row, clusters[i])] : 0;

      if (value != 0) {
        digest_cell(digest, snapshot, row - rows->first, clusters[i], value);
      }
    }
  }
  rebali_digest_u64(digest, UINT64_MAX); /* no row has this number */
}

static void digest_estimator(struct rebali_digest *digest, const rebal_snapshot *snapshot,
                             const rebal_estimator *estimator, const struct rows *rows) {
  const struct cells cells = {estimator->fits == NULL ? 0 : estimator->clusters, estimator->stride};
  uint32_t n;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n);

  for (size_t row = rows->first; row < rows->end && estimator->fits != NULL; row++) {
    for (uint32_t i = 0; i < n; i++) {
      const int32_t value =
          has_cell(&cells, clusters[i]) ? estimator->fits[place_of(&cells, row, clusters[i])] : REBAL_FITS_NO_OPINION;

      if (value != REBAL_FITS_NO_OPINION) {
        digest_cell(digest, snapshot, row - rows->first, clusters[i], value);
      }
    }
  }
  rebali_digest_u64(digest, UINT64_MAX);
}

static void digest_columns(struct rebali_digest *digest, const rebal_snapshot *snapshot,
                           const rebal_schedule_opts *opts, const struct rows *rows) {
  digest_extra(digest, snapshot, opts, opts->extra_reject, rows);
  digest_extra(digest, snapshot, opts, opts->extra_score, rows);
  rebali_digest_u64(digest, opts->n_estimators);
  for (uint64_t i = 0; i < opts->n_estimators; i++) {
    digest_estimator(digest, snapshot, opts->estimators[i], rows);
  }
}

static void digest_set(struct rebali_digest *digest, const rebal_bindings *bindings) {
  rebali_digest_bindings(digest, bindings, 0, rebali_bindings_size(bindings));
}

static void digest_optional_text(struct rebali_digest *digest, const char *text, uint64_t len) {
  rebali_digest_u64(digest, text != NULL);
  rebali_digest_text(digest, rebali_text(text == NULL ? "" : text, text == NULL ? 0 : (size_t)len));
}

static void digest_optional_time(struct rebali_digest *digest, const rebal_time *time) {
  const rebal_time unset = {0, 0, 0};

  rebali_digest_time(digest, time == NULL ? &unset : time);
}

void rebali_batch_sign(const struct rebali_batch *batch, const rebal_schedule_opts *opts, size_t end) {
  const struct rows rows = {(size_t)opts->first_row, end};
  struct rebali_digest digest;

  rebali_digest_begin(&digest, 0, 0);
  rebali_digest_text(&digest, rebali_text(batch->call, strlen(batch->call)));
  rebali_digest_u64(&digest, opts->flags & ~(uint32_t)REBAL_SCHEDULE_FLAG_FINGERPRINT);
  rebali_digest_compat(&digest, opts->compat);
  rebali_digest_fingerprint(&digest, rebali_ledger_fingerprint(opts->ledger));
  digest_optional_time(&digest, opts->ledger_expiry);
  digest_optional_time(&digest, batch->now);
  digest_optional_text(&digest, opts->scheduler_name, opts->scheduler_name_len);
  digest_optional_text(&digest, opts->extra_reject_reason, opts->extra_reject_reason_len);
  rebali_digest_u64(&digest, opts->explain_rows);
  rebali_digest_fingerprint(&digest, rebali_observations_fingerprint(opts->observations));
  rebali_digest_bindings(&digest, batch->bindings, rows.first, rows.end);
  digest_set(&digest, opts->known);
  digest_set(&digest, opts->assigning);
  digest_columns(&digest, batch->snapshot, opts, &rows);
  rebali_result_sign(
      batch->result, rebali_digest_end(&digest), batch->snapshot,
      (opts->flags & REBAL_SCHEDULE_FLAG_NODES) != 0 ? rebali_snapshot_fingerprint : rebali_clusters_fingerprint);
}
