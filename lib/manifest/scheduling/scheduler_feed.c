/* SPDX-License-Identifier: MIT */
/* The scheduler's view of a store: which changes put which bindings into its queue (rebalance-karmada(7) 2.1). */
#include "manifest/scheduling/scheduler_feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lifecycle ---- */

static int32_t open_feed(rebal_scheduler_feed *feed, const rebal_scheduler_feed_opts *opts, rebal_error *err) {
  static const char usual[] = "default-scheduler";
  const char *name = opts->scheduler_name;
  size_t len = rebali_text_len(opts->scheduler_name_len);
  int32_t code = rebali_take_text(&name, &len, "scheduler_name", err);
  if (code == REBAL_OK) {
    feed->name = malloc(len > 0 ? len + 1 : sizeof usual);
    code = feed->name != NULL ? rebal_ctx_new(NULL, NULL, &feed->ctx, err) : rebali_fail_memory(err);
  }
  if (feed->name != NULL) {
    (void)memcpy(feed->name, len > 0 ? name : usual, len > 0 ? len : sizeof usual);
    feed->name[len > 0 ? len : sizeof usual - 1] = '\0';
  }
  code = code == REBAL_OK ? rebal_result_new(NULL, &feed->result, err) : code;
  code = code == REBAL_OK ? rebal_bindings_new(feed->fleet, NULL, &feed->bindings, err) : code;
  return code == REBAL_OK && feed->assumed_ns > 0 ? rebal_ledger_new(feed->fleet, NULL, &feed->ledger, err) : code;
}

int32_t rebal_scheduler_feed_new(rebal_store *store, rebal_fleet *fleet, const rebal_scheduler_feed_opts *opts,
                                 rebal_scheduler_feed **out, rebal_error *err) {
  rebal_scheduler_feed_opts own;
  rebal_scheduler_feed *feed;
  int32_t code;
  if (store == NULL || fleet == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store, fleet and out are needed");
  }
  code = rebali_options_load(&own, sizeof own, sizeof own, opts, err);
  if (code == REBAL_OK && (own.flags != 0 || own.assumed_ns < 0)) {
    code = rebali_fail(err, own.flags != 0 ? REBAL_EUNSUPPORTED : REBAL_ERANGE, -1,
                       own.flags != 0 ? "unknown flags" : "assumed_ns is negative");
  }
  feed = code == REBAL_OK ? calloc(1, sizeof *feed) : NULL;
  if (feed == NULL) {
    return code == REBAL_OK ? rebali_fail_memory(err) : code;
  }
  feed->store = store;
  feed->fleet = fleet;
  feed->assumed_ns = own.assumed_ns;
  code = open_feed(feed, &own, err);
  if (code != REBAL_OK) {
    rebal_scheduler_feed_free(feed);
    return code;
  }
  *out = feed;
  return REBAL_OK;
}

void rebal_scheduler_feed_free(rebal_scheduler_feed *feed) {
  if (feed == NULL) {
    return;
  }
  for (size_t i = 0; i < feed->n_queued; i++) {
    free(feed->queued[i].key);
    free(feed->queued[i].healthy);
  }
  free(feed->queued);
  free(feed->rows);
  free(feed->name);
  rebal_ledger_free(feed->ledger);
  rebal_bindings_free(feed->bindings);
  rebal_result_free(feed->result);
  rebal_ctx_free(feed->ctx);
  rebal_snapshot_unref(feed->snapshot);
  rebal_feed_free(feed->clusters);
  free(feed);
}

/* ---- rows ---- */

int32_t rebali_scheduler_add_row(rebal_scheduler_feed *feed, uint32_t object, rebal_error *err) {
  const int32_t code = rebali_reserve_malloc(&feed->rows, &feed->capacity, feed->n_rows + 1, sizeof *feed->rows, err);
  if (code == REBAL_OK) {
    const struct rebali_queue_entry *queued = &feed->queued[object];
    feed->rows[feed->n_rows++] =
        (struct rebali_scheduler_row){.object = object, .priority = queued->priority, .since = queued->since};
  }
  return code;
}

/*
 * A scheduler that stopped after writing a binding's clusters but before its condition left it without one. The
 * reference does not decide on such a binding again; here its placement counts as one that was never applied.
 */
static int32_t reopen_unfinished(rebal_scheduler_feed *feed, rebal_error *err) {
  rebal_cells *cells = rebal_bindings_cells(feed->bindings);
  int32_t code = REBAL_OK;
  for (uint32_t row = 0; code == REBAL_OK && row < feed->n_rows; row++) {
    const char *status = rebal_cells_get_text(cells, REBAL_BINDING_CONDITION_STATUS, REBAL_NONE, row, NULL);
    if (strcmp(status, "True") != 0 && rebal_cells_next(cells, REBAL_TABLE_TARGET, row, REBAL_NONE) != REBAL_NONE) {
      code = rebal_cells_set_i64(cells, REBAL_BINDING_APPLIED_STATE, REBAL_NONE, row, REBAL_ANNOTATION_ABSENT, err);
    }
  }
  return code;
}

int32_t rebali_scheduler_read(rebal_scheduler_feed *feed, rebal_error *err) {
  uint32_t *objects = malloc((feed->n_rows + 1) * sizeof *objects);
  int32_t code = objects != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; code == REBAL_OK && i < feed->n_rows; i++) {
    objects[i] = feed->rows[i].object;
  }
  rebal_bindings_reset(feed->bindings);
  if (code == REBAL_OK) {
    code = rebal_store_feed_bindings(feed->store, feed->fleet, objects, feed->n_rows, feed->bindings, err);
  }
  free(objects);
  code = code == REBAL_OK ? reopen_unfinished(feed, err) : code;
  return code == REBAL_OK ? rebal_bindings_freeze(feed->bindings, err) : code;
}

static rebal_schedule_opts options_of(const rebal_scheduler_feed *feed) {
  return (rebal_schedule_opts){.struct_size = sizeof(rebal_schedule_opts),
                               .scheduler_name = feed->name,
                               .scheduler_name_len = strlen(feed->name)};
}

/* Activates the rows of REQUEUED: all, or those whose generation differs from the last queued one. */
static void activate_rows(rebal_scheduler_feed *feed, int with_all, const rebal_time *now) {
  const rebal_cells *cells = rebal_bindings_const_cells(feed->bindings);
  size_t n;
  const int64_t *rows = rebal_result_i64(feed->result, REBAL_REQUEUED_BINDING, &n);
  for (size_t i = 0; i < n; i++) {
    const uint32_t row = (uint32_t)rows[i];
    struct rebali_queue_entry *queued = &feed->queued[feed->rows[row].object];
    const int64_t generation = rebal_cells_get_i64(cells, REBAL_BINDING_GENERATION, REBAL_NONE, row);
    queued->priority = (int32_t)rebal_cells_get_i64(cells, REBAL_BINDING_PRIORITY, REBAL_NONE, row);
    feed->rows[row].is_seen = 1;
    if (with_all || queued->generation != generation) {
      rebali_scheduler_activate(queued, now);
    }
    queued->generation = with_all ? queued->generation : generation;
  }
}

/* ---- bindings that changed ---- */

static int32_t name_row(rebal_scheduler_feed *feed, const struct rebali_scheduler_row *row, rebal_error *err) {
  struct rebali_queue_entry *queued = &feed->queued[row->object];
  size_t namespace_len, name_len;
  const char *namespace_ = rebal_store_identity(feed->store, row->object, REBAL_IDENTITY_NAMESPACE, &namespace_len);
  const char *name = rebal_store_identity(feed->store, row->object, REBAL_IDENTITY_NAME, &name_len);
  if (queued->key == NULL) {
    queued->key = malloc(namespace_len + name_len + 2);
    if (queued->key == NULL) {
      return rebali_fail_memory(err);
    }
    (void)snprintf(queued->key, namespace_len + name_len + 2, "%s/%s", namespace_, name);
  }
  return REBAL_OK;
}

static int32_t note_bindings(rebal_scheduler_feed *feed, const rebal_time *now, rebal_error *err) {
  const rebal_schedule_opts opts = options_of(feed);
  int32_t code = rebali_scheduler_read(feed, err);
  for (size_t i = 0; code == REBAL_OK && i < feed->n_rows; i++) {
    code = name_row(feed, &feed->rows[i], err);
    code = code == REBAL_OK && feed->ledger != NULL ? rebali_scheduler_settle(feed, (uint32_t)i, err) : code;
  }
  if (code == REBAL_OK) {
    code = rebal_requeue_bindings(feed->ctx, NULL, NULL, feed->bindings, &opts, feed->result, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  activate_rows(feed, 0, now);
  for (size_t i = 0; i < feed->n_rows; i++) {
    struct rebali_queue_entry *queued = &feed->queued[feed->rows[i].object];
    queued->generation = feed->rows[i].is_seen ? queued->generation : 0;
  }
  return REBAL_OK;
}

/* ---- clusters that changed ---- */

/* Returns 1 if a cluster changed in a way that affects bindings. Equal labels have equal handles. */
static int is_other(const rebal_snapshot *before, const rebal_snapshot *after) {
  static const uint32_t columns[] = {REBAL_CLUSTER_GENERATION, REBAL_CLUSTER_LABELS, REBAL_CLUSTER_DELETING};
  const rebal_cells *old = rebal_snapshot_cells(before), *now = rebal_snapshot_cells(after);
  uint32_t id = REBAL_NONE;
  while ((id = rebal_cells_next(now, REBAL_TABLE_CLUSTER, REBAL_NONE, id)) != REBAL_NONE) {
    for (size_t i = 0; i < REBALI_COUNT(columns); i++) {
      if (rebal_cells_get_i64(old, columns[i], REBAL_NONE, id) !=
          rebal_cells_get_i64(now, columns[i], REBAL_NONE, id)) {
        return 1;
      }
    }
  }
  return 0;
}

/* Examines every binding to find those affected by the clusters. */
static int32_t requeue(rebal_scheduler_feed *feed, const rebal_snapshot *before, rebal_snapshot *after,
                       const rebal_time *now, rebal_error *err) {
  const rebal_schedule_opts opts = options_of(feed);
  int32_t code = REBAL_OK;
  feed->n_rows = 0;
  for (uint32_t object = 0; code == REBAL_OK && object < feed->n_queued; object++) {
    code = feed->queued[object].key != NULL ? rebali_scheduler_add_row(feed, object, err) : REBAL_OK;
  }
  code = code == REBAL_OK ? rebali_scheduler_read(feed, err) : code;
  if (code == REBAL_OK) {
    code = rebal_requeue(feed->ctx, before, after, feed->bindings, &opts, feed->result, err);
  }
  if (code == REBAL_OK) {
    activate_rows(feed, 1, now);
  }
  return code;
}

static int32_t note_clusters(rebal_scheduler_feed *feed, const rebal_time *now, rebal_error *err) {
  rebal_snapshot *snapshot = NULL;
  int32_t code = rebal_store_feed_clusters(feed->store, feed->fleet, &feed->clusters, err);
  code = code == REBAL_OK ? rebal_fleet_freeze(feed->fleet, &snapshot, err) : code;
  if (code == REBAL_OK && feed->snapshot != NULL && is_other(feed->snapshot, snapshot)) {
    code = requeue(feed, feed->snapshot, snapshot, now, err);
  }
  if (code == REBAL_OK) {
    rebal_snapshot_unref(feed->snapshot);
    feed->snapshot = rebal_snapshot_ref(snapshot);
  }
  rebal_snapshot_unref(snapshot);
  return code;
}

/* ---- changes ---- */

static int32_t reserve_space(rebal_scheduler_feed *feed, uint32_t object, rebal_error *err) {
  size_t capacity = feed->n_queued;
  const int32_t code = rebali_reserve_malloc(&feed->queued, &capacity, (size_t)object + 1, sizeof *feed->queued, err);
  for (; feed->n_queued < capacity; feed->n_queued++) {
    feed->queued[feed->n_queued] = (struct rebali_queue_entry){.pool = REBAL_POOL_NONE};
  }
  return code;
}

/* Bindings of v1alpha1 have no placement. */
static int is_binding(const rebal_store *store, uint32_t object) {
  const char *kind = rebal_store_identity(store, object, REBAL_IDENTITY_KIND, NULL);
  const char *version = rebal_store_identity(store, object, REBAL_IDENTITY_API_VERSION, NULL);
  return strcmp(version, "work.karmada.io/v1alpha2") == 0 &&
         (strcmp(kind, "ResourceBinding") == 0 || strcmp(kind, "ClusterResourceBinding") == 0);
}

/* Lists the changed bindings as rows, and forgets deleted ones. */
static int32_t list_changes(rebal_scheduler_feed *feed, uint64_t *seen, int *has_new_clusters, rebal_error *err) {
  int32_t code = REBAL_OK;
  uint32_t object;
  feed->n_rows = 0;
  while (code == REBAL_OK && (object = rebal_store_next_changed(feed->store, seen)) != REBAL_NONE) {
    const char *kind = rebal_store_identity(feed->store, object, REBAL_IDENTITY_KIND, NULL);
    code = reserve_space(feed, object, err);
    if (code == REBAL_OK && kind[0] == '\0') {
      *has_new_clusters |= feed->queued[object].key == NULL;
      code = rebali_scheduler_forget(feed, &feed->queued[object], err);
    } else if (strcmp(kind, "Cluster") == 0) {
      *has_new_clusters = 1;
    } else if (code == REBAL_OK && is_binding(feed->store, object)) {
      code = rebali_scheduler_add_row(feed, object, err);
    }
  }
  return code;
}

int32_t rebal_scheduler_feed_update(rebal_scheduler_feed *feed, const rebal_time *now, rebal_error *err) {
  uint64_t seen;
  int has_new_clusters;
  int32_t code;
  if (feed == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "feed is needed");
  }
  code = rebali_clock_check(now, err);
  if (code != REBAL_OK) {
    return code;
  }
  seen = feed->seen;
  has_new_clusters = feed->snapshot == NULL;
  feed->checked_from = feed->checked_from.is_set ? feed->checked_from : *now;
  code = list_changes(feed, &seen, &has_new_clusters, err);
  code = code == REBAL_OK && feed->n_rows > 0 ? note_bindings(feed, now, err) : code;
  code = code == REBAL_OK && has_new_clusters ? note_clusters(feed, now, err) : code;
  if (code == REBAL_OK) {
    rebali_scheduler_recheck(feed, now);
  }
  feed->n_rows = 0; /* no rows are taken */
  if (code == REBAL_OK) {
    feed->seen = seen;
  }
  return code;
}
