/* SPDX-License-Identifier: MIT */
/*
 * karmada-scheduler: gives the replicas of bindings to clusters, as Karmada's scheduler does.
 *
 *     karmada-scheduler [OPTION]...   (--help lists them)
 *
 * The library's feed keeps the queue: a binding enters it when its generation changes, or when a cluster changes that
 * concerns it. A turn takes the first of the queue, decides on them in one call, in which each sees what those before
 * it took, and sends what is to be written. A binding of which a write failed is decided on once more with what came of
 * it, which gives its condition.
 *
 * Capacity is what the Clusters report. With --members FILE, a kubeconfig whose contexts have the names of clusters,
 * the nodes and pods there limit it, too.
 */
#include "client/client.h"

#include <rebalance/rebalance.h>
#include <rebalance/scheduling.h>

#include <stdlib.h>
#include <string.h>

#define MOST 1000 /* bindings in a turn */

struct scheduler {
  struct client *client;
  struct members members; /* without a kubeconfig there are none */
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_observations *observations;
  rebal_fleet *fleet;
  rebal_scheduler_feed *feed;
  bool has_failed[MOST]; /* by row of a turn */
  int64_t batch;
};

static const char *name_of(const struct scheduler *scheduler, size_t row) {
  return rebal_store_identity(client_store(scheduler->client), rebal_scheduler_feed_object(scheduler->feed, row),
                              REBAL_IDENTITY_NAME, NULL);
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* One call of the library, counted. */
static int32_t step(struct scheduler *scheduler, const rebal_time *now, const rebal_schedule_opts *opts,
                    rebal_error *err) {
  static const struct family family = {"librebalance_decisions_total", "counter", "Turns of bindings.", {"outcome"}};
  const int64_t *outcomes;
  size_t n;
  int32_t code;
  client_enter(scheduler->client);
  code = rebal_scheduler_feed_step(scheduler->ctx, scheduler->feed, now, opts, scheduler->result, err);
  client_leave(scheduler->client);
  outcomes = rebal_result_i64(scheduler->result, REBAL_DECISION_OUTCOME, &n);
  for (size_t i = 0; i < n; i++) {
    metrics_add(client_metrics(scheduler->client), &family, rebal_enum_name(REBAL_ENUM_OUTCOME, outcomes[i], NULL),
                NULL, 1);
  }
  return code;
}

static rebal_schedule_opts options_of(const struct scheduler *scheduler, size_t first) {
  return (rebal_schedule_opts){.struct_size = sizeof(rebal_schedule_opts),
                               .flags = scheduler->members.kubeconfig != NULL ? REBAL_SCHEDULE_FLAG_NODES : 0,
                               .first_row = first};
}

/* A write of the binding failed: its turn goes on with what came of it, until nothing is waited for. */
static int32_t decide_again(struct scheduler *scheduler, size_t row, const rebal_time *now, rebal_error *err) {
  rebal_schedule_opts opts = options_of(scheduler, row);
  bool is_waiting = true;
  int32_t code = REBAL_OK;
  opts.max_work = 1;
  opts.observations = scheduler->observations;
  while (code == REBAL_OK && is_waiting) {
    code = step(scheduler, now, &opts, err);
    if (code == REBAL_OK) {
      is_waiting = rebal_result_i64(scheduler->result, REBAL_STEP_STATE, NULL)[0] == REBAL_STEP_STATE_WAITING;
      code = client_carry_out(scheduler->client, scheduler->result, scheduler->observations, NULL);
    }
  }
  return code;
}

/* Sends what was decided on the rows from begin to end. */
static int32_t send_rows(struct scheduler *scheduler, size_t begin, size_t end, const rebal_time *now,
                         rebal_error *err) {
  int32_t code;
  memset(scheduler->has_failed, 0, sizeof scheduler->has_failed);
  rebal_observations_reset(scheduler->observations);
  code = client_carry_out(scheduler->client, scheduler->result, scheduler->observations, scheduler->has_failed);
  for (size_t row = begin; row < end; row++) {
    if (code == REBAL_OK && scheduler->has_failed[row]) {
      code = decide_again(scheduler, row, now, err);
    }
    if (code != REBAL_OK) {
      (void)rebal_scheduler_feed_retry(scheduler->feed, row, NULL);
    }
  }
  return code;
}

/* Decides on n rows that were taken. One that the library refuses ends its call, and backs off. */
static int32_t decide(struct scheduler *scheduler, size_t n, const rebal_time *now, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t first = 0; code == REBAL_OK && first < n;) {
    const rebal_schedule_opts opts = options_of(scheduler, first);
    const int32_t refused = step(scheduler, now, &opts, err);
    const size_t end = first + rebal_result_count(scheduler->result, REBAL_TABLE_STEP);
    if (refused != REBAL_OK) {
      say("%s: %s", name_of(scheduler, end), err->message);
    }
    code = send_rows(scheduler, first, end, now, err);
    first = end + (refused != REBAL_OK);
  }
  return code;
}

/* The queue and the fleet as they are now; *n bindings are taken. */
static int32_t take(struct scheduler *scheduler, const rebal_time *now, size_t *n, rebal_error *err) {
  int32_t code = rebal_scheduler_feed_update(scheduler->feed, now, err);
  if (code == REBAL_OK && scheduler->members.kubeconfig != NULL) {
    code = members_feed(&scheduler->members, scheduler->fleet, err);
  }
  return code == REBAL_OK ? rebal_scheduler_feed_take(scheduler->feed, now, (size_t)scheduler->batch, n, err) : code;
}

/* Returns whether there may be more to do. */
static bool take_turn(struct scheduler *scheduler) {
  const rebal_time now = time_now();
  rebal_error err = REBAL_ERROR_INIT;
  size_t n = 0;
  int32_t code;
  client_enter(scheduler->client);
  code = take(scheduler, &now, &n, &err);
  client_leave(scheduler->client);
  code = code == REBAL_OK ? decide(scheduler, n, &now, &err) : code;
  if (code != REBAL_OK) {
    say("%s: %s", rebal_strerror(code), err.message);
  }
  return n > 0;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static const struct member_kind member_kinds[] = {{"v1", "Node", ""}, {"v1", "Pod", ""}, {"v1", "ResourceQuota", ""}};

static bool scheduler_open(struct scheduler *scheduler, const struct client_options *options,
                           const rebal_scheduler_feed_opts *opts) {
  if (!client_open(&scheduler->client, options)) {
    return false;
  }
  scheduler->members.client = scheduler->client;
  scheduler->members.kinds = member_kinds;
  scheduler->members.n_kinds = sizeof member_kinds / sizeof member_kinds[0];
  return client_follow(scheduler->client, "cluster.karmada.io/v1alpha1", "Cluster") &&
         client_follow(scheduler->client, "work.karmada.io/v1alpha2", "ResourceBinding") &&
         client_follow(scheduler->client, "work.karmada.io/v1alpha2", "ClusterResourceBinding") &&
         rebal_ctx_new(NULL, NULL, &scheduler->ctx, NULL) == REBAL_OK &&
         rebal_result_new(NULL, &scheduler->result, NULL) == REBAL_OK &&
         rebal_observations_new(NULL, &scheduler->observations, NULL) == REBAL_OK &&
         rebal_fleet_new(NULL, &scheduler->fleet, NULL) == REBAL_OK &&
         rebal_scheduler_feed_new(client_store(scheduler->client), scheduler->fleet, opts, &scheduler->feed, NULL) ==
             REBAL_OK;
}

static void scheduler_close(struct scheduler *scheduler) {
  members_close(&scheduler->members);
  rebal_scheduler_feed_free(scheduler->feed);
  rebal_fleet_free(scheduler->fleet);
  rebal_observations_free(scheduler->observations);
  rebal_result_free(scheduler->result);
  rebal_ctx_free(scheduler->ctx);
  if (scheduler->client != NULL) {
    client_close(scheduler->client);
  }
}

/* Is all known that decides? */
static bool is_ready(struct scheduler *scheduler) {
  if (!client_is_synced(scheduler->client)) {
    return false;
  }
  if (scheduler->members.kubeconfig != NULL) {
    members_follow(&scheduler->members);
  }
  return members_are_tried(&scheduler->members);
}

int main(int argc, char **argv) {
  static struct scheduler scheduler = {.batch = 200};
  struct client_options options = {.name = "karmada-scheduler"};
  rebal_scheduler_feed_opts opts = {
      .struct_size = sizeof opts, .scheduler_name = "default-scheduler", .assumed_ns = INT64_C(300) * 1000000000};
  const struct flag flags[] = {
      {"members", "FILE", "kubeconfig with a context for each cluster; default: capacity by summary", FLAG_TEXT,
       &scheduler.members.kubeconfig},
      {"scheduler-name", "NAME", "schedule bindings with this spec.schedulerName; default: default-scheduler",
       FLAG_TEXT, &opts.scheduler_name},
      {"batch", "NUMBER", "bindings in one turn, at most 1000; default: 200", FLAG_NUMBER, &scheduler.batch},
      {"assumed-for", "SECONDS", "what a binding was given counts so long, or until it is healthy there; default: 300",
       FLAG_SECONDS, &opts.assumed_ns}};
  bool is_open, has_more = false;
  if (!options_read(&options, flags, sizeof flags / sizeof flags[0], argc, argv)) {
    return options.exit_status;
  }
  opts.scheduler_name_len = strlen(opts.scheduler_name);
  scheduler.batch = scheduler.batch < 1 || scheduler.batch > MOST ? MOST : scheduler.batch;
  is_open = scheduler_open(&scheduler, &options, &opts);
  while (is_open && client_turn(scheduler.client, has_more ? 0 : 200)) {
    has_more = is_ready(&scheduler) && client_leads(scheduler.client) && take_turn(&scheduler);
  }
  scheduler_close(&scheduler);
  return is_open ? 0 : 1;
}
