/* SPDX-License-Identifier: MIT */
/*
 * The taint manager (rebalance-karmada(7) 10.3): a cluster with NoExecute taints is examined when it changes, then
 * every 10 seconds while something changes, and when a toleration ends. When it changes, all bindings in it are
 * examined. Later only those are examined that changed since, wait for their turn, could not be judged, or are due: the
 * verdict on others stays the same.
 */
#include "simulation/controllers/controllers.h"

#include <stdlib.h>
#include <string.h>

#define PERIOD 10

static const char name[] = "taint-manager";

/* A binding that must be examined again for a tainted cluster. */
struct rebali_open {
  uint32_t binding;
  rebal_time due;
};

/* What is kept of a cluster. */
struct rebali_examined {
  rebal_time first; /* start of the 10 s intervals; unset: no NoExecute taint; if off: when that was logged */
  int64_t generation;
  uint64_t at; /* changes of the simulation when its bindings were last examined */
  struct rebali_open *open;
  size_t n_open, open_capacity;
  uint64_t seen;  /* changes of the store */
  int is_whole;   /* all its bindings are examined next */
  int is_woken;   /* the cluster changed: bindings that changed since are examined now */
  int has_failed; /* a write failed: all are examined after the back-off */
};

static struct rebali_examined *examined_of(const struct rebali_taint_manager *manager, uint32_t cluster) {
  return rebali_row_find(&manager->clusters, cluster);
}

/* Returns the first periodic examination after now. */
static rebal_time next_period(const struct rebali_taint_manager *manager, const struct rebali_examined *examined) {
  const int64_t passed = manager->core->server->now.seconds - examined->first.seconds;
  return rebali_time_after(&examined->first, (passed / PERIOD + 1) * PERIOD * REBALI_SECOND_NS);
}

/* ---- which bindings are examined ---- */

static int is_target(const rebal_value *targets, const char *cluster) {
  for (size_t i = 0; i < rebal_value_count(targets); i++) {
    if (rebali_reads(rebali_find(rebal_value_item(targets, i), "name"), cluster)) {
      return 1;
    }
  }
  return 0;
}

static int32_t list_targeting(struct rebali_server *server, const char *cluster, struct rebali_ids *out,
                              rebal_error *err) {
  int32_t code = REBAL_OK;
  for (uint32_t binding = rebali_next_binding(server, REBAL_NONE); code == REBAL_OK && binding != REBAL_NONE;
       binding = rebali_next_binding(server, binding)) {
    if (is_target(rebali_field(server, binding, "spec.clusters"), cluster)) {
      code = rebali_ids_add(out, binding, err);
    }
    rebali_reads_release(server);
  }
  return code;
}

static void forget_open(struct rebali_examined *examined, uint32_t binding) {
  size_t kept = 0;
  for (size_t i = 0; i < examined->n_open; i++) {
    if (examined->open[i].binding != binding) {
      examined->open[kept++] = examined->open[i];
    }
  }
  examined->n_open = kept;
}

/* Lists the bindings that changed since and those that are due, in the order of the store. */
static int32_t list_open(const struct rebali_server *server, struct rebali_examined *examined, struct rebali_ids *out,
                         rebal_error *err) {
  struct rebali_ids changed;
  int32_t code = rebali_changes_take(server, &examined->seen, &changed, err);
  for (size_t i = 0; code == REBAL_OK && i < examined->n_open; i++) {
    if (rebali_time_is_due(&examined->open[i].due, &server->now)) {
      code = rebali_ids_add(&changed, examined->open[i].binding, err);
    }
  }
  if (code == REBAL_OK) {
    code = rebali_ids_sort(server, &changed, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    if (rebali_object_is_binding(server, changed.list[i])) {
      code = rebali_ids_add(out, changed.list[i], err);
    } else {
      forget_open(examined, changed.list[i]); /* drops entries of deleted bindings */
    }
  }
  rebali_ids_dispose(&changed);
  return code;
}

static int32_t add_open(struct rebali_examined *examined, uint32_t binding, rebal_time due, rebal_error *err) {
  const int32_t code = rebali_reserve_malloc(&examined->open, &examined->open_capacity, examined->n_open + 1,
                                             sizeof *examined->open, err);
  if (code == REBAL_OK) {
    examined->open[examined->n_open++] = (struct rebali_open){binding, due};
  }
  return code;
}

/* Notes bindings whose tolerations end, and those that could not be judged. */
static int32_t note_open(const rebal_result *result, struct rebali_examined *examined,
                         const struct rebali_ids *bindings, rebal_time period, rebal_error *err) {
  size_t n = 0, n_states = 0;
  const int64_t *kinds = rebal_result_i64(result, REBAL_ACTION_KIND, &n);
  const int64_t *rows = rebal_result_i64(result, REBAL_ACTION_ROW, &n);
  const int64_t *states = rebal_result_i64(result, REBAL_STEP_STATE, &n_states);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (kinds[i] == REBAL_ACTION_KIND_WAKE && states[rows[i]] != REBAL_STEP_STATE_WAITING) {
      rebal_time due;
      rebal_result_time(result, REBAL_ACTION_NOT_BEFORE, i, &due);
      code = add_open(examined, bindings->list[rows[i]], due, err);
    }
  }
  for (size_t i = 0; code == REBAL_OK && i < n_states; i++) {
    if (states[i] == REBAL_STEP_STATE_RETRY) {
      code = add_open(examined, bindings->list[i], period, err);
    }
  }
  return code;
}

/* Replaces the list by the bindings that wait for a worker. */
static void keep_waiting(const rebal_result *result, struct rebali_ids *bindings) {
  size_t n = 0, kept = 0;
  const int64_t *states = rebal_result_i64(result, REBAL_STEP_STATE, &n);
  for (size_t i = 0; i < n; i++) {
    if (states[i] == REBAL_STEP_STATE_WAITING) {
      bindings->list[kept++] = bindings->list[i];
    }
  }
  bindings->n = kept;
}

/* ---- workers ---- */

static size_t next_worker(const rebal_time free[REBALI_EVICTION_WORKERS]) {
  size_t next = 0;
  for (size_t i = 1; i < REBALI_EVICTION_WORKERS; i++) {
    if (!free[i].is_set || (free[next].is_set && rebali_time_compare(&free[i], &free[next]) < 0)) {
      next = i;
    }
  }
  return next;
}

/* Computes when each waiting binding gets its turn without further ones: the next worker takes it and sleeps. */
static int32_t note_waiting(const struct rebali_taint_manager *manager, struct rebali_examined *examined,
                            const struct rebali_ids *bindings, const rebal_time *workers, rebal_error *err) {
  const int64_t interval = manager->options->failover.eviction_interval_ns;
  rebal_time free[REBALI_EVICTION_WORKERS];
  int32_t code = REBAL_OK;
  memcpy(free, workers, sizeof free);
  for (size_t i = 0; code == REBAL_OK && i < bindings->n; i++) {
    const size_t next = next_worker(free);
    code = add_open(examined, bindings->list[i], free[next], err);
    free[next] = rebali_time_after(&free[next], interval);
  }
  return code;
}

/* ---- the examination ---- */

/* Notes bindings that could not be judged; they are retried. */
static int32_t note_failures(const struct rebali_core *core, uint32_t cluster, rebal_error *err) {
  size_t n = 0;
  const int64_t *states = rebal_result_i64(core->result, REBAL_STEP_STATE, &n);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (states[i] == REBAL_STEP_STATE_RETRY) {
      code = rebali_log_report(core->server, REBAL_LOG_KIND_NOTE, name, cluster, "a binding is examined again later",
                               rebal_result_text(core->result, REBAL_STEP_MESSAGE, i, NULL), err);
    }
  }
  return code;
}

/* Runs a step. *evicts is set if the worker took a binding; there may be no free worker. */
static int32_t step(struct rebali_taint_manager *manager, uint32_t cluster, const struct rebali_ids *bindings,
                    rebal_time *worker, int *evicts, rebal_error *err) {
  struct rebali_core *core = manager->core;
  const char *cluster_name = rebali_name_of(core->server, cluster);
  rebal_failover_opts opts = manager->options->failover;
  size_t n = 0;
  const int64_t *evicted;
  int32_t code = rebali_feed(core, bindings->list, bindings->n, err);
  opts.next_eviction = worker;
  if (code == REBAL_OK) {
    code = rebal_taint_eviction_step(core->ctx, core->snapshot,
                                     rebal_snapshot_find_cluster(core->snapshot, cluster_name, strlen(cluster_name)),
                                     core->bindings, &core->server->now, &opts, core->result, err);
  }
  evicted = code == REBAL_OK ? rebal_result_i64(core->result, REBAL_PACE_EVICTED, &n) : NULL;
  *evicts = n > 0 && evicted[0] > 0;
  if (*evicts) {
    rebal_result_time(core->result, REBAL_PACE_NEXT, 0, worker);
  }
  return code;
}

/* Examines bindings of one kind and, while a worker is free, evicts the first one to be evicted. Uses up the list. */
static int32_t examine_kind(struct rebali_taint_manager *manager, uint32_t cluster, struct rebali_ids *bindings,
                            rebal_time workers[REBALI_EVICTION_WORKERS], rebal_error *err) {
  static const char reason[] = "the cluster's NoExecute taints are not tolerated, or no longer";
  struct rebali_examined *examined = examined_of(manager, cluster);
  int evicts = 1;
  int32_t code = REBAL_OK;
  while (code == REBAL_OK && evicts && bindings->n > 0) {
    code = step(manager, cluster, bindings, &workers[next_worker(workers)], &evicts, err);
    if (code == REBAL_OK) {
      code = note_open(manager->core->result, examined, bindings, next_period(manager, examined), err);
    }
    if (code == REBAL_OK) {
      code = note_failures(manager->core, cluster, err);
    }
    if (code == REBAL_OK) {
      keep_waiting(manager->core->result, bindings);
      code = rebali_carry_out_all(manager->core, name, reason, NULL, err);
    }
  }
  return code == REBAL_OK ? note_waiting(manager, examined, bindings, workers, err) : code;
}

static int32_t examine_bindings(struct rebali_taint_manager *manager, uint32_t cluster,
                                const struct rebali_ids *bindings, rebal_error *err) {
  struct rebali_examined *examined = examined_of(manager, cluster);
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < bindings->n && examined->n_open > 0; i++) {
    forget_open(examined, bindings->list[i]);
  }
  for (size_t kind = 0; code == REBAL_OK && kind < 2; kind++) {
    struct rebali_ids chosen = {NULL, 0, 0};
    for (size_t i = 0; code == REBAL_OK && i < bindings->n; i++) {
      if (rebali_is_kind(manager->core->server, bindings->list[i], "ResourceBinding") == (kind == 0)) {
        code = rebali_ids_add(&chosen, bindings->list[i], err);
      }
    }
    if (code == REBAL_OK) {
      code = examine_kind(manager, cluster, &chosen, manager->free[kind], err);
    }
    rebali_ids_dispose(&chosen);
  }
  return code;
}

static int32_t examine(struct rebali_taint_manager *manager, uint32_t cluster, int is_whole, rebal_error *err) {
  struct rebali_server *server = manager->core->server;
  struct rebali_examined *examined = examined_of(manager, cluster);
  const uint64_t failed = server->faults.failed;
  struct rebali_ids bindings = {NULL, 0, 0};
  rebal_time due = {0, 0, 0};
  int32_t code;
  if (is_whole) {
    examined->n_open = 0;
    examined->seen = rebal_store_change_count(server->store);
    code = list_targeting(server, rebali_name_of(server, cluster), &bindings, err);
  } else {
    code = list_open(server, examined, &bindings, err);
  }
  if (code == REBAL_OK && bindings.n > 0) {
    code = examine_bindings(manager, cluster, &bindings, err);
  }
  for (size_t i = 0; i < examined->n_open; i++) {
    rebali_time_lower(&due, &examined->open[i].due);
  }
  examined->has_failed = server->faults.failed != failed;
  if (examined->has_failed) {
    const rebal_time again = rebali_fault_retry(server);
    rebali_time_lower(&due, &again);
  }
  examined->at = server->changes;
  rebali_ids_dispose(&bindings);
  return code == REBAL_OK ? rebali_timer_set(&manager->timers, cluster, due, err) : code;
}

void rebali_taint_manager_dispose(struct rebali_taint_manager *manager) {
  for (uint32_t i = 0; i < manager->clusters.n; i++) {
    free(examined_of(manager, i)->open);
  }
  free(manager->clusters.bytes);
  rebali_ids_dispose(&manager->tainted);
  rebali_timers_dispose(&manager->timers);
}

/* ---- clusters ---- */

static int has_no_execute(const rebal_value *taints) {
  for (size_t i = 0; i < rebal_value_count(taints); i++) {
    if (rebali_reads(rebali_find(rebal_value_item(taints, i), "effect"), "NoExecute")) {
      return 1;
    }
  }
  return 0;
}

/* While eviction is off, taints have no effect; that is logged when a cluster gets its first one. */
static int32_t report_off(struct rebali_taint_manager *manager, struct rebali_examined *examined, uint32_t cluster,
                          int is_tainted, rebal_error *err) {
  const uint32_t was_reported = examined->first.is_set;
  examined->first = manager->core->server->now;
  examined->first.is_set = (uint32_t)is_tainted;
  return !is_tainted || was_reported != 0
             ? REBAL_OK
             : rebali_log_report(manager->core->server, REBAL_LOG_KIND_NOTE, name, cluster,
                                 "eviction by taints is off (options.enableNoExecuteTaintEviction)",
                                 "a NoExecute taint evicts nothing", err);
}

/* Notes a changed cluster: if it is tainted it is examined, and with all bindings if its spec changed. */
static int32_t note_cluster(struct rebali_taint_manager *manager, uint32_t cluster, rebal_error *err) {
  struct rebali_server *server = manager->core->server;
  const int is_tainted = has_no_execute(rebali_field(server, cluster, "spec.taints"));
  const int64_t generation = rebali_field_number(server, cluster, "metadata.generation", 0);
  struct rebali_examined *examined;
  manager->clusters.size = sizeof *examined;
  examined = rebali_row(&manager->clusters, cluster, err);
  if (examined == NULL) {
    return REBAL_ENOMEM;
  }
  if ((manager->options->failover.flags & REBAL_FAILOVER_FLAG_EVICT_BY_TAINT) == 0) {
    return report_off(manager, examined, cluster, is_tainted, err);
  }
  if (!is_tainted) {
    examined->first.is_set = 0;
    rebali_timer_clear(&manager->timers, cluster);
    return REBAL_OK;
  }
  if (!examined->first.is_set || examined->generation != generation) {
    examined->generation = generation;
    examined->first = server->now;
    examined->is_whole = 1;
  }
  examined->is_woken = 1;
  return rebali_ids_add(&manager->tainted, cluster, err);
}

static int32_t note_changed(struct rebali_taint_manager *manager, rebal_error *err) {
  struct rebali_server *server = manager->core->server;
  struct rebali_ids changed;
  int32_t code = rebali_changes_take(server, &manager->seen, &changed, err);
  size_t kept = 0;
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    if (rebali_is_kind(server, changed.list[i], "Cluster")) {
      code = note_cluster(manager, changed.list[i], err);
    }
  }
  rebali_ids_dispose(&changed);
  for (size_t i = 0; i < manager->tainted.n; i++) {
    const uint32_t cluster = manager->tainted.list[i];
    if (examined_of(manager, cluster)->first.is_set && rebali_exists(server, cluster)) {
      manager->tainted.list[kept++] = cluster;
    }
  }
  manager->tainted.n = kept;
  return code == REBAL_OK ? rebali_ids_sort(server, &manager->tainted, err) : code;
}

static int32_t examine_object(struct rebali_taint_manager *manager, uint32_t cluster, rebal_error *err) {
  struct rebali_examined *examined = examined_of(manager, cluster);
  const struct rebali_server *server = manager->core->server;
  const int is_whole =
      examined->is_whole || (examined->has_failed && rebali_timer_is_due(&manager->timers, cluster, &server->now));
  int32_t code = REBAL_OK;
  if (examined->at != server->changes) {
    code = rebali_timer_lower(&manager->timers, cluster, next_period(manager, examined), err);
  }
  if (code != REBAL_OK ||
      (!is_whole && !examined->is_woken && !rebali_timer_is_due(&manager->timers, cluster, &server->now))) {
    return code;
  }
  examined->is_whole = examined->is_woken = 0;
  return examine(manager, cluster, is_whole, err);
}

int32_t rebali_taint_manager_run(struct rebali_taint_manager *manager, rebal_error *err) {
  int32_t code = note_changed(manager, err);
  for (size_t i = 0; code == REBAL_OK && i < manager->tainted.n; i++) {
    code = examine_object(manager, manager->tainted.list[i], err);
    rebali_reads_release(manager->core->server);
  }
  return code;
}
