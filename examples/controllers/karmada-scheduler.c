/* SPDX-License-Identifier: MIT */
/*
 * karmada-scheduler: gives the replicas of bindings to clusters, as Karmada's scheduler does.
 *
 *     karmada-scheduler [OPTION]...   (--help lists them)
 *
 * A binding enters the queue when its generation changes, or when a cluster changes that concerns it. A turn takes the
 * first bindings of the queue, decides on them in one call, in which each sees what those before it took, and sends
 * what is to be written. A binding of which a write failed is decided on once more with what came of it, which gives
 * its condition.
 *
 * Capacity is what the Clusters report. With --members FILE, a kubeconfig whose contexts have the names of clusters,
 * the nodes and pods there limit it, too.
 */
#include "client/client.h"
#include "karmada-scheduler-queue.h"

#include <rebalance/rebalance.h>

#include <stdlib.h>
#include <string.h>

struct scheduler {
  struct client *client;
  struct members members; /* without a kubeconfig there are none */
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_observations *observations;
  rebal_fleet *fleet;
  rebal_feed *feed;
  rebal_snapshot *snapshot; /* NULL: none yet */
  rebal_bindings *bindings;
  struct objects rows; /* the objects that bindings were read from */
  rebal_ledger *ledger;
  struct queue queue;
  uint64_t seen; /* changes of the store */

  const char *name; /* bindings name it in spec.schedulerName */
  int64_t batch;    /* bindings in a turn */
  int64_t assumed_ns;
};

static rebal_store *store_of(const struct scheduler *scheduler) {
  return client_store(scheduler->client);
}

/* ---- bindings of a call ------------------------------------------------------------------------------------------ */

/* The objects become the rows of bindings. */
static int32_t read_objects(struct scheduler *scheduler, rebal_error *err) {
  int32_t code;
  rebal_bindings_reset(scheduler->bindings);
  code = rebal_store_feed_bindings(store_of(scheduler), scheduler->fleet, scheduler->rows.list, scheduler->rows.n,
                                   scheduler->bindings, err);
  return code == REBAL_OK ? rebal_bindings_freeze(scheduler->bindings, err) : code;
}

/* Activates the rows of REQUEUED: those of another generation than was queued last, with all the others too. */
static void activate_rows(struct scheduler *scheduler, bool with_all) {
  const rebal_cells *cells = rebal_bindings_const_cells(scheduler->bindings);
  size_t n;
  const int64_t *rows = rebal_result_i64(scheduler->result, REBAL_REQUEUED_BINDING, &n);
  for (size_t i = 0; i < n; i++) {
    const uint32_t row = (uint32_t)rows[i];
    struct entry *entry = &scheduler->queue.entries[scheduler->rows.list[row]];
    const int64_t generation = rebal_cells_get_i64(cells, REBAL_BINDING_GENERATION, REBAL_NONE, row);
    entry->priority = (int32_t)rebal_cells_get_i64(cells, REBAL_BINDING_PRIORITY, REBAL_NONE, row);
    scheduler->rows.marked[row] = true;
    if (with_all || entry->generation != generation) {
      queue_activate(entry);
    }
    entry->generation = with_all ? entry->generation : generation;
  }
}

/* What the binding was given counts no more where it is reported to be healthy now and was not before. */
static int32_t settle(struct scheduler *scheduler, uint32_t row, struct entry *entry, rebal_error *err) {
  const rebal_cells *cells = rebal_bindings_const_cells(scheduler->bindings);
  const size_t n = rebal_cells_bound(rebal_fleet_cells(scheduler->fleet), REBAL_TABLE_CLUSTER, REBAL_NONE);
  bool *healthy = calloc(n + 1, sizeof *healthy);
  int32_t code = healthy != NULL ? REBAL_OK : REBAL_ENOMEM;
  uint32_t item = REBAL_NONE;
  while (code == REBAL_OK && (item = rebal_cells_next(cells, REBAL_TABLE_STATUS_ITEM, row, item)) != REBAL_NONE) {
    const int64_t cluster = rebal_cells_get_i64(cells, REBAL_STATUS_ITEM_CLUSTER, REBAL_NONE, item);
    const char *health = rebal_cells_get_text(cells, REBAL_STATUS_ITEM_HEALTH, REBAL_NONE, item, NULL);
    if (cluster < 0 || (size_t)cluster >= n || strcmp(health, "Healthy") != 0) {
      continue;
    }
    healthy[cluster] = true;
    if ((size_t)cluster >= entry->n_healthy || !entry->healthy[cluster]) {
      code = rebal_ledger_release(scheduler->ledger, entry->key, strlen(entry->key), (uint32_t)cluster, err);
    }
  }
  free(entry->healthy);
  entry->healthy = healthy;
  entry->n_healthy = healthy != NULL ? n : 0;
  return code;
}

/* A binding that was deleted. */
static int32_t forget(struct scheduler *scheduler, struct entry *entry, rebal_error *err) {
  int32_t code = REBAL_OK;
  if (entry->key != NULL) {
    code = rebal_ledger_release(scheduler->ledger, entry->key, strlen(entry->key), REBAL_NONE, err);
  }
  queue_forget(entry);
  return code;
}

static int32_t name_entry(const struct scheduler *scheduler, uint32_t object, struct entry *entry) {
  const rebal_store *store = store_of(scheduler);
  return queue_set_key(entry, rebal_store_identity(store, object, REBAL_IDENTITY_NAMESPACE, NULL),
                       rebal_store_identity(store, object, REBAL_IDENTITY_NAME, NULL))
             ? REBAL_OK
             : REBAL_ENOMEM;
}

/* Bindings that changed enter the queue. */
static int32_t note_bindings(struct scheduler *scheduler, rebal_error *err) {
  const rebal_schedule_opts opts = {
      .struct_size = sizeof opts, .scheduler_name = scheduler->name, .scheduler_name_len = strlen(scheduler->name)};
  int32_t code = read_objects(scheduler, err);
  if (code == REBAL_OK) {
    code = rebal_requeue_bindings(scheduler->ctx, NULL, NULL, scheduler->bindings, &opts, scheduler->result, err);
  }
  if (code == REBAL_OK) {
    activate_rows(scheduler, false);
  }
  for (size_t i = 0; code == REBAL_OK && i < scheduler->rows.n; i++) {
    struct entry *entry = &scheduler->queue.entries[scheduler->rows.list[i]];
    entry->generation = scheduler->rows.marked[i] ? entry->generation : 0;
    code = name_entry(scheduler, scheduler->rows.list[i], entry);
    code = code == REBAL_OK ? settle(scheduler, (uint32_t)i, entry, err) : code;
  }
  return code;
}

/* Did a cluster change in a way that concerns bindings? */
static bool is_other(const rebal_snapshot *before, const rebal_snapshot *after) {
  static const uint32_t columns[] = {REBAL_CLUSTER_GENERATION, REBAL_CLUSTER_LABELS, REBAL_CLUSTER_DELETING};
  const rebal_cells *old = rebal_snapshot_cells(before), *new = rebal_snapshot_cells(after);
  uint32_t id = REBAL_NONE;
  while ((id = rebal_cells_next(new, REBAL_TABLE_CLUSTER, REBAL_NONE, id)) != REBAL_NONE) {
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
      if (rebal_cells_get_i64(old, columns[i], REBAL_NONE, id) !=
          rebal_cells_get_i64(new, columns[i], REBAL_NONE, id)) {
        return true;
      }
    }
  }
  return false;
}

/* Bindings that a change of the clusters concerns enter the queue. */
static int32_t note_clusters(struct scheduler *scheduler, rebal_error *err) {
  const rebal_schedule_opts opts = {
      .struct_size = sizeof opts, .scheduler_name = scheduler->name, .scheduler_name_len = strlen(scheduler->name)};
  rebal_snapshot *before = scheduler->snapshot;
  int32_t code = rebal_store_feed_clusters(store_of(scheduler), scheduler->fleet, &scheduler->feed, err);
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(scheduler->fleet, &scheduler->snapshot, err);
  }
  if (code != REBAL_OK || before == NULL || !is_other(before, scheduler->snapshot)) {
    rebal_snapshot_unref(code == REBAL_OK ? before : NULL);
    return code;
  }
  scheduler->rows.n = 0;
  for (uint32_t object = 0; object < scheduler->queue.n; object++) {
    code = scheduler->queue.entries[object].key == NULL || objects_add(&scheduler->rows, object) ? code : REBAL_ENOMEM;
  }
  code = code == REBAL_OK ? read_objects(scheduler, err) : code;
  if (code == REBAL_OK) {
    code =
        rebal_requeue(scheduler->ctx, before, scheduler->snapshot, scheduler->bindings, &opts, scheduler->result, err);
  }
  if (code == REBAL_OK) {
    activate_rows(scheduler, true);
  }
  rebal_snapshot_unref(before);
  return code;
}

/* What changed in the store since the last call. */
static int32_t note_changes(struct scheduler *scheduler, rebal_error *err) {
  const rebal_store *store = store_of(scheduler);
  bool has_new_clusters = scheduler->snapshot == NULL;
  int32_t code = REBAL_OK;
  uint32_t object;
  scheduler->rows.n = 0;
  while (code == REBAL_OK && (object = rebal_store_next_changed(store, &scheduler->seen)) != REBAL_NONE) {
    const char *kind = rebal_store_identity(store, object, REBAL_IDENTITY_KIND, NULL);
    struct entry *entry = queue_entry(&scheduler->queue, object);
    if (entry == NULL) {
      return REBAL_ENOMEM;
    }
    if (kind[0] == '\0') {
      has_new_clusters |= entry->key == NULL;
      code = forget(scheduler, entry, err);
    } else if (strcmp(kind, "Cluster") == 0) {
      has_new_clusters = true;
    } else {
      code = objects_add(&scheduler->rows, object) ? REBAL_OK : REBAL_ENOMEM;
    }
  }
  code = code == REBAL_OK && scheduler->rows.n > 0 ? note_bindings(scheduler, err) : code;
  return code == REBAL_OK && has_new_clusters ? note_clusters(scheduler, err) : code;
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* Of a row of the last call, which began at first. */
static int32_t pool_of(const struct scheduler *scheduler, size_t row) {
  return rebal_queue_pool(rebal_result_i64(scheduler->result, REBAL_STEP_STATE, NULL)[row],
                          rebal_result_i64(scheduler->result, REBAL_DECISION_OUTCOME, NULL)[row]);
}

static rebal_schedule_opts turn_options(const struct scheduler *scheduler, const rebal_time *expiry, size_t first) {
  return (rebal_schedule_opts){.struct_size = sizeof(rebal_schedule_opts),
                               .flags = scheduler->members.kubeconfig != NULL ? REBAL_SCHEDULE_FLAG_NODES : 0,
                               .ledger = scheduler->assumed_ns > 0 ? scheduler->ledger : NULL,
                               .ledger_expiry = expiry,
                               .first_row = first,
                               .scheduler_name = scheduler->name,
                               .scheduler_name_len = strlen(scheduler->name)};
}

/* One call of the library, counted. */
static int32_t step(struct scheduler *scheduler, const rebal_time *now, const rebal_schedule_opts *opts,
                    rebal_error *err) {
  static const struct family family = {"librebalance_decisions_total", "counter", "Turns of bindings.", {"outcome"}};
  const int64_t *outcomes;
  size_t n;
  int32_t code;
  client_enter(scheduler->client);
  code =
      rebal_scheduler_step(scheduler->ctx, scheduler->snapshot, scheduler->bindings, now, opts, scheduler->result, err);
  client_leave(scheduler->client);
  outcomes = rebal_result_i64(scheduler->result, REBAL_DECISION_OUTCOME, &n);
  for (size_t i = 0; i < n; i++) {
    metrics_add(client_metrics(scheduler->client), &family, rebal_enum_name(REBAL_ENUM_OUTCOME, outcomes[i], NULL),
                NULL, 1);
  }
  return code;
}

/* A write of the binding failed: what follows from that, such as its condition. */
static int32_t decide_again(struct scheduler *scheduler, uint32_t row, const rebal_time *now, const rebal_time *expiry,
                            rebal_error *err) {
  const struct entry *entry = &scheduler->queue.entries[scheduler->rows.list[row]];
  rebal_schedule_opts opts = turn_options(scheduler, expiry, row);
  int32_t code = rebal_ledger_release(scheduler->ledger, entry->key, strlen(entry->key), REBAL_NONE, err);
  opts.max_work = 1;
  opts.observations = scheduler->observations;
  if (code == REBAL_OK) {
    code = step(scheduler, now, &opts, err);
  }
  if (code == REBAL_OK) {
    queue_leave(&scheduler->queue, scheduler->rows.list[row], pool_of(scheduler, 0));
    code = client_carry_out(scheduler->client, scheduler->result, NULL, NULL);
  }
  return code;
}

/* Decides on the rows from first on, and sends what is to be written. Returns the first row that is left. */
static int32_t decide(struct scheduler *scheduler, size_t *first, rebal_error *err) {
  const rebal_time now = time_now();
  const int64_t ends = now.seconds + scheduler->assumed_ns / 1000000000;
  const rebal_time expiry = {ends, now.nanos, 1};
  const rebal_schedule_opts opts = turn_options(scheduler, &expiry, *first);
  const int32_t refused = step(scheduler, &now, &opts, err);
  const size_t begin = *first, n = rebal_result_count(scheduler->result, REBAL_TABLE_STEP);
  int32_t code;
  for (size_t i = 0; i < n; i++) {
    scheduler->rows.marked[begin + i] = false;
    queue_leave(&scheduler->queue, scheduler->rows.list[begin + i], pool_of(scheduler, i));
  }
  rebal_observations_reset(scheduler->observations);
  code = client_carry_out(scheduler->client, scheduler->result, scheduler->observations, scheduler->rows.marked);
  for (size_t i = begin; code == REBAL_OK && i < begin + n; i++) {
    code = scheduler->rows.marked[i] ? decide_again(scheduler, (uint32_t)i, &now, &expiry, err) : REBAL_OK;
  }
  for (size_t i = begin; code != REBAL_OK && i < begin + n; i++) {
    queue_leave(&scheduler->queue, scheduler->rows.list[i], REBAL_POOL_BACK_OFF);
  }
  if (code == REBAL_OK && refused != REBAL_OK) { /* of the binding behind these; it backs off */
    say("%s: %s", scheduler->queue.entries[scheduler->rows.list[begin + n]].key, err->message);
  }
  *first = begin + n + (refused != REBAL_OK);
  return code;
}

/* The snapshot gets what members hold now. */
static int32_t look_into_members(struct scheduler *scheduler, rebal_error *err) {
  rebal_snapshot *before = scheduler->snapshot;
  int32_t code = members_feed(&scheduler->members, scheduler->fleet, err);
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(scheduler->fleet, &scheduler->snapshot, err);
  }
  rebal_snapshot_unref(code == REBAL_OK ? before : NULL);
  return code;
}

static int32_t take_turn(struct scheduler *scheduler, rebal_error *err) {
  const rebal_time now = time_now();
  size_t first = 0;
  int32_t code = rebal_ledger_expire(scheduler->ledger, &now, err);
  if (code == REBAL_OK && !queue_take(&scheduler->queue, (size_t)scheduler->batch, &scheduler->rows)) {
    code = REBAL_ENOMEM;
  }
  if (code == REBAL_OK && scheduler->rows.n > 0) {
    client_enter(scheduler->client);
    code = scheduler->members.kubeconfig != NULL ? look_into_members(scheduler, err) : REBAL_OK;
    code = code == REBAL_OK ? read_objects(scheduler, err) : code;
    client_leave(scheduler->client);
  }
  while (code == REBAL_OK && first < scheduler->rows.n) {
    code = decide(scheduler, &first, err);
  }
  return code;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static const struct member_kind member_kinds[] = {{"v1", "Node", ""}, {"v1", "Pod", ""}, {"v1", "ResourceQuota", ""}};

static bool scheduler_open(struct scheduler *scheduler, const struct client_options *options) {
  queue_open(&scheduler->queue);
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
         rebal_bindings_new(scheduler->fleet, NULL, &scheduler->bindings, NULL) == REBAL_OK &&
         rebal_ledger_new(scheduler->fleet, NULL, &scheduler->ledger, NULL) == REBAL_OK;
}

static void scheduler_close(struct scheduler *scheduler) {
  members_close(&scheduler->members);
  queue_close(&scheduler->queue);
  objects_free(&scheduler->rows);
  rebal_ledger_free(scheduler->ledger);
  rebal_bindings_free(scheduler->bindings);
  rebal_snapshot_unref(scheduler->snapshot);
  rebal_feed_free(scheduler->feed);
  rebal_fleet_free(scheduler->fleet);
  rebal_observations_free(scheduler->observations);
  rebal_result_free(scheduler->result);
  rebal_ctx_free(scheduler->ctx);
  if (scheduler->client != NULL) {
    client_close(scheduler->client);
  }
}

/* How long the loop may wait: not at all while there is more to do. */
static int pause_of(const struct scheduler *scheduler) {
  return scheduler->rows.n > 0 ? 0 : 200;
}

/* Is all known that decides? */
static bool is_ready(struct scheduler *scheduler) {
  if (scheduler->members.kubeconfig != NULL) {
    members_follow(&scheduler->members);
  }
  return scheduler->snapshot != NULL && members_are_tried(&scheduler->members);
}

int main(int argc, char **argv) {
  struct client_options options = {.name = "karmada-scheduler"};
  struct scheduler scheduler = {.name = "default-scheduler", .batch = 200, .assumed_ns = INT64_C(300) * 1000000000};
  const struct flag flags[] = {
      {"members", "FILE", "kubeconfig with a context for each cluster; default: capacity by summary", FLAG_TEXT,
       &scheduler.members.kubeconfig},
      {"scheduler-name", "NAME", "schedule bindings with this spec.schedulerName; default: default-scheduler",
       FLAG_TEXT, &scheduler.name},
      {"batch", "NUMBER", "bindings in one turn, at most; default: 200", FLAG_NUMBER, &scheduler.batch},
      {"assumed-for", "SECONDS", "what a binding was given counts so long, or until it is healthy there; default: 300",
       FLAG_SECONDS, &scheduler.assumed_ns}};
  bool is_open;
  if (!options_read(&options, flags, sizeof flags / sizeof flags[0], argc, argv)) {
    return options.exit_status;
  }
  is_open = scheduler_open(&scheduler, &options);
  while (is_open && client_turn(scheduler.client, pause_of(&scheduler))) {
    rebal_error err = REBAL_ERROR_INIT;
    int32_t code = REBAL_OK;
    scheduler.rows.n = 0;
    if (client_is_synced(scheduler.client)) {
      client_enter(scheduler.client);
      code = note_changes(&scheduler, &err);
      client_leave(scheduler.client);
      scheduler.rows.n = 0;
    }
    if (code == REBAL_OK && is_ready(&scheduler) && client_leads(scheduler.client)) {
      code = take_turn(&scheduler, &err);
    }
    if (code != REBAL_OK) {
      say("%s: %s", rebal_strerror(code), err.message);
    }
  }
  scheduler_close(&scheduler);
  return is_open ? 0 : 1;
}
