/* SPDX-License-Identifier: MIT */
/* Orders the queue, and decides when a failed binding is queued again (rebalance-karmada(7) 2.7). */
#include "manifest/scheduling/scheduler_feed.h"

#include <stdlib.h>

void rebali_scheduler_activate(struct rebali_queue_entry *queued, const rebal_time *now) {
  if (queued->pool != REBAL_POOL_ACTIVE) {
    queued->pool = REBAL_POOL_ACTIVE;
    queued->attempts = 0;
    queued->since = *now;
  }
}

int32_t rebali_scheduler_leave(rebal_scheduler_feed *feed, uint32_t object, int32_t pool, rebal_error *err) {
  struct rebali_queue_entry *queued = &feed->queued[object];
  queued->pool = pool;
  if (pool == REBAL_POOL_NONE) {
    queued->attempts = 0;
    return REBAL_OK;
  }
  return rebal_queue_flush(pool, &queued->since, queued->attempts, &feed->checked_from, &queued->due, err);
}

/* In the reference only a change of the clusters, or five minutes, requeues them: it assumes nothing by default. */
void rebali_scheduler_recheck(rebal_scheduler_feed *feed, const rebal_time *now) {
  const rebal_time soon = rebali_time_after(now, REBALI_SECOND_NS);
  for (size_t i = 0; feed->has_released && i < feed->n_queued; i++) {
    struct rebali_queue_entry *queued = &feed->queued[i];
    if (queued->pool == REBAL_POOL_UNSCHEDULABLE && rebali_time_compare(&soon, &queued->due) < 0) {
      queued->due = soon;
    }
  }
  feed->has_released = 0;
}

static int compare(const void *left, const void *right, const void *context) {
  const struct rebali_scheduler_row *one = left, *other = right;
  (void)context;
  return (int)rebal_queue_compare(one->priority, &one->since, other->priority, &other->since);
}

/* Makes all of the active pool rows, with their sort keys. */
static int32_t list_active(rebal_scheduler_feed *feed, const rebal_time *now, rebal_error *err) {
  int32_t code = REBAL_OK;
  feed->n_rows = 0;
  for (uint32_t object = 0; code == REBAL_OK && object < feed->n_queued; object++) {
    struct rebali_queue_entry *queued = &feed->queued[object];
    if (queued->pool > REBAL_POOL_ACTIVE && rebali_time_compare(&queued->due, now) <= 0) {
      queued->pool = REBAL_POOL_ACTIVE;
      queued->since = *now;
    }
    if (queued->pool == REBAL_POOL_ACTIVE) {
      code = rebali_scheduler_add_row(feed, object, err);
    }
  }
  return code;
}

/* Sorts by priority and time; ties by the place in the store. */
static int32_t sort_rows(rebal_scheduler_feed *feed, rebal_error *err) {
  struct rebali_scheduler_row *spare = malloc((feed->n_rows + 1) * sizeof *spare);
  if (spare == NULL) {
    return rebali_fail_memory(err);
  }
  rebali_sort(feed->rows, feed->n_rows, sizeof *feed->rows, spare, compare, NULL);
  free(spare);
  return REBAL_OK;
}

static int32_t freeze(rebal_scheduler_feed *feed, rebal_error *err) {
  rebal_snapshot *snapshot;
  const int32_t code = rebal_fleet_freeze(feed->fleet, &snapshot, err);
  if (code == REBAL_OK) {
    rebal_snapshot_unref(feed->snapshot);
    feed->snapshot = snapshot;
  }
  return code;
}

int32_t rebal_scheduler_feed_take(rebal_scheduler_feed *feed, const rebal_time *now, size_t max_rows, size_t *n,
                                  rebal_error *err) {
  int32_t code;
  if (feed == NULL || n == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "feed and n are needed");
  }
  if (feed->snapshot == NULL) {
    return rebali_fail(err, REBAL_ESTATE, -1, "the feed was never updated");
  }
  *n = 0;
  code = rebali_clock_check(now, err);
  code = code == REBAL_OK ? list_active(feed, now, err) : code;
  code = code == REBAL_OK && feed->n_rows > 0 ? sort_rows(feed, err) : code;
  if (code == REBAL_OK && feed->n_rows > max_rows) {
    feed->n_rows = max_rows;
  }
  if (code != REBAL_OK || feed->n_rows == 0) { /* a fleet without decisions is not frozen */
    feed->n_rows = 0;
    return code;
  }
  code = rebali_scheduler_read(feed, err);
  code = code == REBAL_OK ? freeze(feed, err) : code;
  code = code == REBAL_OK && feed->ledger != NULL ? rebal_ledger_expire(feed->ledger, now, err) : code;
  for (size_t i = 0; code == REBAL_OK && i < feed->n_rows; i++) {
    feed->queued[feed->rows[i].object].attempts++;
    code = rebali_scheduler_leave(feed, feed->rows[i].object, REBAL_POOL_BACK_OFF, err);
  }
  feed->n_rows = code == REBAL_OK ? feed->n_rows : 0;
  *n = feed->n_rows;
  return code;
}
