/* SPDX-License-Identifier: MIT */
/* Runs a pass of the controller over a WorkloadSpread of the store. */
#include "manifest/spread/spread_feed.h"

/* Completes the caller's options with the feed's data of the object. */
static int32_t complete(rebal_spread_feed *feed, struct rebali_fed_spread *fed, const rebal_spread_opts *opts,
                        rebal_spread_opts *own, rebal_error *err) {
  static const uint32_t none[1]; /* in a pass, NULL means all pods */
  int32_t code = rebali_options_load(own, sizeof *own, sizeof *own, opts, err);
  if (code == REBAL_OK && (own->rows != NULL || own->unchanged != NULL)) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "the options have %s of their own",
                       own->rows != NULL ? "rows" : "unchanged");
  }
  if (code == REBAL_OK) {
    code = rebali_feed_unchanged(feed, fed, &own->unchanged, &own->unchanged_stride, err);
  }
  own->struct_size = (uint32_t)sizeof *own;
  own->rows = fed->n_rows > 0 ? fed->rows : none;
  own->n_rows = fed->n_rows;
  own->cluster = feed->cluster;
  return code;
}

int32_t rebal_spread_feed_step(rebal_ctx *ctx, rebal_spread_feed *feed, uint32_t object, const rebal_time *now,
                               const rebal_spread_opts *opts, rebal_result *result, rebal_error *err) {
  struct rebali_fed_spread *fed = feed != NULL ? rebali_feed_find(feed, object) : NULL;
  rebal_snapshot *snapshot = NULL;
  rebal_spread_opts own;
  int32_t code;
  if (feed == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "feed is needed");
  }
  if (fed == NULL) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the feed has no such WorkloadSpread");
  }
  code = complete(feed, fed, opts, &own, err);
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(feed->fleet, &snapshot, err);
  }
  if (code == REBAL_OK) {
    code = rebal_spread_step(ctx, snapshot, fed->spread, feed->pods, now, &own, result, err);
  }
  rebal_snapshot_unref(snapshot);
  return code;
}
