/* SPDX-License-Identifier: MIT */
/*
 * Ties of an assignment (rebalance-karmada(7) 7.6, 7.7): clusters equal to one that was taken first, and what broke the
 * tie.
 */
#include "scheduler/scheduler.h"

static int32_t make_ties(struct rebali_pass *pass) {
  struct rebali_explain *explain = pass->explain;

  if (explain->ties == NULL) {
    explain->ties = rebali_arena_allocate_zero(rebali_ctx_scratch(pass->ctx), rebali_snapshot_rows(pass->snapshot),
                                               sizeof *explain->ties);
  }
  return explain->ties == NULL ? rebali_fail_memory(pass->err) : REBAL_OK;
}

int32_t rebali_note_division(struct rebali_pass *pass, const struct rebali_party *parties, const int32_t *limits,
                             size_t n) {
  const uint32_t *clusters = rebali_snapshot_by_rank(pass->snapshot);
  const int descending = rebali_uid_descends(pass->uid);
  const size_t last = rebali_webster_last(parties, n, descending);

  if (last == n) {
    return REBAL_OK;
  }
  if (make_ties(pass) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    const int64_t by = rebali_webster_tie(&parties[i], &parties[last], descending);

    if (by != REBAL_ABSENT && (limits == NULL || parties[i].seats < limits[i])) {
      pass->explain->ties[clusters[parties[i].rank]] = (struct rebali_tie){by, clusters[parties[last].rank]};
    }
  }
  return REBAL_OK;
}

int32_t rebali_note_cut(struct rebali_pass *pass, const struct rebali_weight *offers, size_t n, size_t n_taken,
                        int64_t by) {
  if (n_taken == 0 || n_taken == n) {
    return REBAL_OK;
  }
  if (make_ties(pass) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = n_taken; i < n; i++) {
    if (offers[i].weight == offers[n_taken - 1].weight && offers[i].cluster != offers[n_taken - 1].cluster) {
      pass->explain->ties[offers[i].cluster] = (struct rebali_tie){by, offers[n_taken - 1].cluster};
    }
  }
  return REBAL_OK;
}
