/* SPDX-License-Identifier: MIT */
/*
 * Followers of a store that changes: the detector, the scheduler's queue, and the controllers of WorkloadSpreads and
 * UnitedDeployments. Their actions are carried out, or are not and come again. A detector that finds no change writes
 * nothing, and a feed that followed every change holds the same as a new one.
 */
#include "pieces.h"

#include <rebalance/detector.h>
#include <rebalance/rebalance.h>
#include <rebalance/scheduling.h>
#include <rebalance/spreading.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char spreads[] =
    "{apiVersion: apps.kruise.io/v1alpha1, kind: WorkloadSpread, metadata: {name: s, namespace: default}, spec: "
    "{targetRef: {apiVersion: apps/v1, kind: Deployment, name: foo}, subsets: [{name: a, maxReplicas: 1}, {name: "
    "b}]}}\n---\n"
    "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: foo-1, namespace: default, uid: u2, ownerReferences: "
    "[{apiVersion: apps/v1, kind: Deployment, name: foo, uid: u1, controller: true}]}, spec: {replicas: 3}}\n---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: p-1, namespace: default, uid: u3, ownerReferences: [{apiVersion: "
    "apps/v1, kind: ReplicaSet, name: foo-1, uid: u2, controller: true}]}, spec: {nodeName: n1}}\n---\n"
    "{apiVersion: apps.kruise.io/v1alpha1, kind: UnitedDeployment, metadata: {name: u, namespace: default, uid: u4}, "
    "spec: {replicas: 3, topology: {subsets: [{name: a, replicas: 1}, {name: b}]}}}\n";

struct followers {
  rebal_store *store;
  rebal_detector *detector;
  rebal_fleet *fleet;   /* the scheduler's */
  rebal_fleet *members; /* with one cluster, whose nodes are those of the store */
  uint32_t member;
  rebal_scheduler_feed *scheduler;
  rebal_spread_feed *spreads;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_text *text;
  rebal_time now;
};

/* ---- actions ----------------------------------------------------------------------------------------------------- */

static void carry_out(struct followers *all) {
  for (size_t i = 0; i < rebal_result_count(all->result, REBAL_TABLE_ACTION); i++) {
    rebal_error err = REBAL_ERROR_INIT;

    (void)reported(rebal_store_carry_out(all->store, all->result, i, &all->now, NULL, &err), &err);
  }
}

/* ---- detector ---------------------------------------------------------------------------------------------------- */

static void check_lists(struct followers *all) {
  for (uint32_t list = REBAL_DETECTOR_LIST_QUEUE; list <= REBAL_DETECTOR_LIST_LEFT; list++) {
    const size_t n = rebal_detector_count(all->detector, list);
    rebal_detector_entry entry = {.struct_size = (uint32_t)sizeof entry};

    for (size_t i = 0; i < n; i++) {
      law(rebal_detector_read(all->detector, list, i, &entry, NULL) == REBAL_OK && entry.key_len > 0);
    }
    law(rebal_detector_read(all->detector, list, n, &entry, NULL) == REBAL_ERANGE);
  }
}

static void detect(struct followers *all) {
  rebal_error err = REBAL_ERROR_INIT;

  if (reported(rebal_detector_run(all->detector, &all->now, &err), &err) == REBAL_OK) {
    const uint64_t changes = rebal_store_change_count(all->store);

    law(rebal_detector_run(all->detector, &all->now, NULL) == REBAL_OK);
    law(rebal_store_change_count(all->store) == changes);
  }
  check_lists(all);
}

/* Any object, as if it were a template or a policy: examined, matched, passed, waiting. */
static void touch(struct followers *all, uint32_t object) {
  rebal_detector_row row = {.struct_size = (uint32_t)sizeof row};
  uint32_t precision;
  rebal_error err = REBAL_ERROR_INIT;

  if (object == REBAL_NONE) {
    return;
  }
  if (reported(rebal_detector_look(all->detector, object, &row, &err), &err) == REBAL_OK) {
    law(row.outcome >= REBAL_DETECTOR_OUTCOME_API && row.outcome <= REBAL_DETECTOR_OUTCOME_DONE);
  }
  for (uint32_t other = rebal_store_next(all->store, NULL, 0, REBAL_NONE); other != REBAL_NONE;
       other = rebal_store_next(all->store, NULL, 0, other)) {
    if (reported(rebal_detector_match(all->detector, object, other, &precision, &err), &err) == REBAL_OK) {
      law(precision <= REBAL_PRECISION_NAME);
    }
  }
  (void)reported(rebal_detector_template(all->detector, object, 0, &all->now, &row, &err), &err);
  (void)reported(rebal_detector_policy(all->detector, object, NULL, &all->now, &row, &err), &err);
  (void)reported(rebal_detector_wait(all->detector, object, &err), &err);
  check_lists(all);
  law(rebal_detector_clear(all->detector, REBAL_DETECTOR_LIST_WAITING, NULL) == REBAL_OK);
  law(rebal_detector_count(all->detector, REBAL_DETECTOR_LIST_WAITING) == 0);
}

/* ---- scheduler --------------------------------------------------------------------------------------------------- */

/* Takes rows and decides them. With is_sent their actions are carried out, otherwise they are retried. */
static void schedule(struct followers *all, int is_sent) {
  rebal_error err = REBAL_ERROR_INIT;
  size_t n = 0;

  if (reported(rebal_scheduler_feed_update(all->scheduler, &all->now, &err), &err) != REBAL_OK ||
      reported(rebal_scheduler_feed_take(all->scheduler, &all->now, 3, &n, &err), &err) != REBAL_OK) {
    return;
  }
  law(n <= 3 && rebal_scheduler_feed_object(all->scheduler, n) == REBAL_NONE);
  if (reported(rebal_scheduler_feed_step(all->ctx, all->scheduler, &all->now, NULL, all->result, &err), &err) !=
      REBAL_OK) {
    return;
  }
  for (size_t row = 0; row < n; row++) {
    law(rebal_scheduler_feed_object(all->scheduler, row) != REBAL_NONE);
    if (!is_sent) {
      law(rebal_scheduler_feed_retry(all->scheduler, row, NULL) == REBAL_OK);
    }
  }
  if (is_sent) {
    carry_out(all);
  }
}

/* ---- WorkloadSpreads and UnitedDeployments ----------------------------------------------------------------------- */

/* Everything that is due gets its pass, and nothing is due twice without a change. */
static void spread(struct followers *all, int is_sent) {
  rebal_error err = REBAL_ERROR_INIT;
  uint32_t object;

  (void)reported(rebal_spread_feed_update(all->spreads, &err), &err);
  while ((object = rebal_spread_feed_next_due(all->spreads)) != REBAL_NONE) {
    if (reported(rebal_spread_feed_step(all->ctx, all->spreads, object, &all->now, NULL, all->result, &err), &err) ==
            REBAL_OK &&
        is_sent) {
      carry_out(all);
    }
  }
  while ((object = rebal_spread_feed_next_united_due(all->spreads)) != REBAL_NONE) {
    if (reported(rebal_spread_feed_united_step(all->ctx, all->spreads, object, &all->now, NULL, all->result, &err),
                 &err) == REBAL_OK &&
        is_sent) {
      carry_out(all);
    }
  }
}

static void admit(struct followers *all, const struct piece *piece) {
  const rebal_pod_request request = {
      .struct_size = (uint32_t)sizeof request, .text = piece->text, .text_len = piece->len, .id = "id", .id_len = 2};
  rebal_error err = REBAL_ERROR_INIT;
  size_t n;

  rebal_text_reset(all->text);
  (void)reported(
      rebal_spread_feed_admit(all->ctx, all->spreads, &request, &all->now, NULL, all->result, all->text, &err), &err);
  (void)reported(
      rebal_spread_feed_review(all->ctx, all->spreads, &request, &all->now, NULL, all->result, all->text, &err), &err);
  (void)rebal_spread_feed_namespace(all->spreads, "default", 7, &n);
}

/* ---- the target -------------------------------------------------------------------------------------------------- */

/* A new feed has as many pods as the one that followed every change. */
static void check_new_feed(struct followers *all) {
  rebal_spread_feed *feed = NULL;
  rebal_error err = REBAL_ERROR_INIT, other = REBAL_ERROR_INIT;
  const int32_t code = reported(rebal_spread_feed_update(all->spreads, &err), &err);
  const size_t n =
      rebal_cells_count(rebal_pods_cells(rebal_spread_feed_pods(all->spreads)), REBAL_TABLE_SPREAD_POD, REBAL_NONE);

  law(rebal_spread_feed_new(all->store, all->members, all->member, &feed, NULL) == REBAL_OK);
  law(reported(rebal_spread_feed_update(feed, &other), &other) == code);
  law(code != REBAL_OK ||
      rebal_cells_count(rebal_pods_cells(rebal_spread_feed_pods(feed)), REBAL_TABLE_SPREAD_POD, REBAL_NONE) == n);
  rebal_spread_feed_free(feed);
}

static void do_piece(struct followers *all, const struct piece *piece) {
  const uint32_t number = piece->what % 12u;

  all->now.seconds += piece->what / 12u;
  if (number < 4) {
    change_store(all->store, piece, number);
  } else if (number == 4) {
    detect(all);
  } else if (number == 5) {
    touch(all, piece->object);
  } else if (number == 6) {
    admit(all, piece);
  } else if (number < 9) {
    spread(all, number == 8);
  } else {
    schedule(all, number > 9);
  }
}

static void open_all(struct followers *all) {
  *all = (struct followers){.now = now};
  law(rebal_store_new(NULL, &all->store, NULL) == REBAL_OK && rebal_text_new(&all->text, NULL) == REBAL_OK);
  law(rebal_store_load(all->store, start, REBAL_TERMINATED, NULL) == REBAL_OK);
  law(rebal_store_load(all->store, spreads, REBAL_TERMINATED, NULL) == REBAL_OK);
  law(rebal_fleet_new(NULL, &all->fleet, NULL) == REBAL_OK);
  law(rebal_detector_new(all->store, NULL, &all->detector, NULL) == REBAL_OK);
  law(rebal_scheduler_feed_new(all->store, all->fleet, NULL, &all->scheduler, NULL) == REBAL_OK);
  law(rebal_fleet_new(NULL, &all->members, NULL) == REBAL_OK);
  law(rebal_fleet_add_cluster(all->members, "member", 6, &all->member, NULL) == REBAL_OK);
  law(rebal_spread_feed_new(all->store, all->members, all->member, &all->spreads, NULL) == REBAL_OK);
  law(rebal_ctx_new(NULL, NULL, &all->ctx, NULL) == REBAL_OK);
  law(rebal_result_new(NULL, &all->result, NULL) == REBAL_OK);
}

static void close_all(struct followers *all) {
  rebal_result_free(all->result);
  rebal_ctx_free(all->ctx);
  rebal_spread_feed_free(all->spreads);
  rebal_scheduler_feed_free(all->scheduler);
  rebal_detector_free(all->detector);
  rebal_fleet_free(all->members);
  rebal_fleet_free(all->fleet);
  rebal_text_free(all->text);
  rebal_store_free(all->store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct followers all;

  open_all(&all);
  for (int pieces = 0; size > 0 && pieces < PIECES; pieces++) {
    const struct piece piece = next_piece(all.store, &data, &size);

    do_piece(&all, &piece);
  }
  detect(&all);
  schedule(&all, 1);
  spread(&all, 1);
  check_new_feed(&all);
  close_all(&all);
  return 0;
}
