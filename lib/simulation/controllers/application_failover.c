/* SPDX-License-Identifier: MIT */
/*
 * Failover of applications (rebalance-karmada(7) 10.5): a pass over a binding whenever it changes, and when one of its
 * clusters may be due. The state that a pass returns is kept for the binding until the next one.
 */
#include "simulation/controllers/controllers.h"

#include <stdlib.h>
#include <string.h>

static const char name[] = "application-failover";

/* When an application became unhealthy in a cluster. */
struct rebali_sighting {
  char *cluster;
  rebal_time since;
};

/* What is kept of a binding. */
struct rebali_sightings {
  struct rebali_sighting *list;
  size_t n, capacity;
};

static void forget(struct rebali_sightings *sightings) {
  for (size_t i = 0; i < sightings->n; i++) {
    free(sightings->list[i].cluster);
  }
  sightings->n = 0;
}

void rebali_application_failover_dispose(struct rebali_application_failover *failover) {
  for (uint32_t i = 0; i < failover->bindings.n; i++) {
    struct rebali_sightings *sightings = rebali_row_find(&failover->bindings, i);
    forget(sightings);
    free(sightings->list);
  }
  free(failover->bindings.bytes);
  rebali_timers_dispose(&failover->timers);
}

/* Replaces all that was kept by the result of the pass. */
static int32_t remember(const struct rebali_core *core, struct rebali_sightings *sightings, rebal_error *err) {
  size_t n = 0;
  const int64_t *clusters = rebal_result_i64(core->result, REBAL_UNHEALTHY_KEPT_CLUSTER, &n);
  int32_t code = rebali_reserve_malloc(&sightings->list, &sightings->capacity, n, sizeof *sightings->list, err);
  forget(sightings);
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    struct rebali_sighting *one = &sightings->list[i];
    one->cluster = rebali_text_copy(rebal_cells_get_text(rebal_snapshot_cells(core->snapshot), REBAL_CLUSTER_NAME,
                                                         REBAL_NONE, rebali_cell_id(clusters[i]), NULL));
    rebal_result_time(core->result, REBAL_UNHEALTHY_KEPT_SINCE, i, &one->since);
    sightings->n++;
    code = one->cluster != NULL ? REBAL_OK : rebali_fail_memory(err);
  }
  return code;
}

/* Feeds the binding with what is kept of it. */
static int32_t feed(struct rebali_core *core, uint32_t binding, const struct rebali_sightings *sightings,
                    rebal_error *err) {
  int32_t code = rebali_feed_rows(core, &binding, 1, err);
  rebal_cells *cells = rebal_bindings_cells(core->bindings);
  for (size_t i = 0; code == REBAL_OK && i < sightings->n; i++) {
    const char *name_of = sightings->list[i].cluster;
    uint32_t row, cluster;
    code = rebal_fleet_cluster_id(core->fleet, name_of, strlen(name_of), &cluster, err);
    if (code == REBAL_OK) {
      code = rebal_cells_add(cells, REBAL_TABLE_UNHEALTHY, 0, &row, 1, err);
    }
    if (code == REBAL_OK) {
      code = rebal_cells_set_i64(cells, REBAL_UNHEALTHY_CLUSTER, REBAL_NONE, row, cluster, err);
    }
    if (code == REBAL_OK) {
      code = rebal_cells_set_time(cells, REBAL_UNHEALTHY_SINCE, REBAL_NONE, row, &sightings->list[i].since, err);
    }
  }
  return code == REBAL_OK ? rebali_feed_freeze(core, err) : code;
}

/* The obstacle to a pass is in the binding itself: the next pass runs when that changes. */
static int32_t note_failure(const struct rebali_core *core, uint32_t binding, rebal_error *err) {
  return rebali_cell(core->result, REBAL_STEP_STATE, 0) != REBAL_STEP_STATE_RETRY
             ? REBAL_OK
             : rebali_log_report(core->server, REBAL_LOG_KIND_NOTE, name, binding, "nothing is evicted",
                                 rebal_result_text(core->result, REBAL_STEP_MESSAGE, 0, NULL), err);
}

static int32_t pass(struct rebali_application_failover *failover, uint32_t binding, struct rebali_sightings *sightings,
                    rebal_error *err) {
  static const char reason[] = "the application has been unhealthy there for longer than it tolerates";
  struct rebali_core *core = failover->core;
  int32_t code = feed(core, binding, sightings, err);
  if (code == REBAL_OK) {
    code = rebal_application_failover_step(core->ctx, core->snapshot, core->bindings, &core->server->now,
                                           &failover->options->failover, core->result, err);
  }
  if (code == REBAL_OK) {
    code = remember(core, sightings, err);
  }
  if (code == REBAL_OK) {
    code = note_failure(core, binding, err);
  }
  if (code == REBAL_OK) {
    code = rebali_timer_set(&failover->timers, binding, rebali_late_wake_of(core), err);
  }
  return code == REBAL_OK ? rebali_carry_out_timed(core, &failover->timers, binding, name, reason, err) : code;
}

/* Tests whether anything is kept, or must be. */
static int is_concerned(struct rebali_server *server, uint32_t binding, const struct rebali_sightings *sightings) {
  const rebal_value *object = rebali_object(server, binding), *items;
  if (sightings->n > 0) {
    return 1;
  }
  if (rebali_find(rebali_find(rebali_find(object, "spec"), "failover"), "application") == NULL) {
    return 0;
  }
  items = rebali_find(rebali_find(object, "status"), "aggregatedStatus");
  for (size_t i = 0; i < rebal_value_count(items); i++) {
    if (rebali_reads(rebali_find(rebal_value_item(items, i), "health"), "Unhealthy")) {
      return 1;
    }
  }
  return 0;
}

static int32_t examine_object(struct rebali_application_failover *failover, uint32_t binding, rebal_error *err) {
  struct rebali_sightings *sightings = rebali_row(&failover->bindings, binding, err);
  if (sightings == NULL) {
    return REBAL_ENOMEM;
  }
  rebali_timer_clear(&failover->timers, binding);
  return is_concerned(failover->core->server, binding, sightings) ? pass(failover, binding, sightings, err) : REBAL_OK;
}

int32_t rebali_application_failover_run(struct rebali_application_failover *failover, rebal_error *err) {
  struct rebali_server *server = failover->core->server;
  struct rebali_ids bindings;
  int32_t code = rebali_changes_take(server, &failover->seen, &bindings, err);
  failover->bindings.size = sizeof(struct rebali_sightings);
  if (code == REBAL_OK) {
    code = rebali_timers_due(&failover->timers, &server->now, &bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ids_sort(server, &bindings, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < bindings.n; i++) {
    if (rebali_object_is_binding(server, bindings.list[i])) {
      code = examine_object(failover, bindings.list[i], err);
    }
    rebali_reads_release(server);
  }
  rebali_ids_dispose(&bindings);
  return code;
}
