/* SPDX-License-Identifier: MIT */
/*
 * Failover of applications (spec karmada 10.5): a pass over a binding whenever it changes, and when one of its clusters
 * may be due. What a pass remembers stays with the binding until the next one.
 */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

static const char name[] = "application-failover";

void rebali_sightings_dispose(struct rebali_sightings *sightings) {
  for (size_t i = 0; i < sightings->n; i++) {
    free(sightings->list[i].cluster);
  }
  free(sightings->list);
  *sightings = (struct rebali_sightings){NULL, 0, 0};
}

static int32_t keep(rebal_simulation *simulation, uint32_t cluster, size_t row, struct rebali_sightings *out,
                    rebal_error *err) {
  size_t len;
  const char *bytes =
      rebal_cells_get_text(rebal_snapshot_cells(simulation->snapshot), REBAL_CLUSTER_NAME, REBAL_NONE, cluster, &len);
  struct rebali_sighting one = {rebali_bytes_copy(bytes, len), {0, 0, 0}};
  const int32_t code = one.cluster != NULL ? rebali_make_room(&out->list, &out->capacity, out->n + 1, sizeof one, err)
                                           : rebali_fail_memory(err);
  if (code != REBAL_OK) {
    free(one.cluster);
    return code;
  }
  rebal_result_time(simulation->result, REBAL_UNHEALTHY_KEPT_SINCE, row, &one.since);
  out->list[out->n++] = one;
  return REBAL_OK;
}

/* What the pass tells takes the place of all that was remembered. */
static int32_t remember(rebal_simulation *simulation, uint32_t binding, rebal_error *err) {
  struct rebali_sightings *sightings = &simulation->tracked[binding].unhealthy;
  size_t n = 0;
  const int64_t *clusters = rebal_result_i64(simulation->result, REBAL_UNHEALTHY_KEPT_CLUSTER, &n);
  int32_t code = REBAL_OK;
  rebali_sightings_dispose(sightings);
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = keep(simulation, rebali_cell_id(clusters[i]), i, sightings, err);
  }
  return code;
}

/* The binding with what is remembered of it. */
static int32_t feed(rebal_simulation *simulation, uint32_t binding, rebal_error *err) {
  const struct rebali_sightings *sightings = &simulation->tracked[binding].unhealthy;
  int32_t code = rebali_feed_rows(simulation, &binding, 1, err);
  for (size_t i = 0; code == REBAL_OK && i < sightings->n; i++) {
    const struct rebali_sighting *one = &sightings->list[i];
    uint32_t cluster, row;
    code = rebal_fleet_cluster_id(simulation->fleet, one->cluster, strlen(one->cluster), &cluster, err);
    if (code == REBAL_OK) {
      code = rebal_cells_add(rebal_bindings_cells(simulation->bindings), REBAL_TABLE_UNHEALTHY, 0, &row, 1, err);
    }
    if (code == REBAL_OK) {
      code = rebal_cells_set_i64(rebal_bindings_cells(simulation->bindings), REBAL_UNHEALTHY_CLUSTER, REBAL_NONE, row,
                                 cluster, err);
    }
    if (code == REBAL_OK) {
      code = rebal_cells_set_time(rebal_bindings_cells(simulation->bindings), REBAL_UNHEALTHY_SINCE, REBAL_NONE, row,
                                  &one->since, err);
    }
  }
  return code == REBAL_OK ? rebali_feed_freeze(simulation, err) : code;
}

/* What hinders a pass stands in the binding: the next one comes when that changes. */
static int32_t note_failure(rebal_simulation *simulation, uint32_t binding, rebal_error *err) {
  size_t n = 0;
  const int64_t *states = rebal_result_i64(simulation->result, REBAL_STEP_STATE, &n);
  char *label;
  int32_t code;
  if (n == 0 || states[0] != REBAL_STEP_STATE_RETRY) {
    return REBAL_OK;
  }
  label = rebali_object_label(simulation, binding);
  code = label != NULL ? rebali_log_append(simulation, REBAL_LOG_KIND_NOTE, name, label, "nothing is evicted",
                                           rebal_result_text(simulation->result, REBAL_STEP_MESSAGE, 0, NULL), err)
                       : rebali_fail_memory(err);
  free(label);
  return code;
}

static int32_t pass(rebal_simulation *simulation, uint32_t binding, rebal_error *err) {
  static const char reason[] = "the application has been unhealthy there for longer than it tolerates";
  int32_t code = feed(simulation, binding, err);
  if (code == REBAL_OK) {
    code = rebal_application_failover_step(simulation->ctx, simulation->snapshot, simulation->bindings,
                                           &simulation->now, &simulation->scenario.failover, simulation->result, err);
  }
  if (code == REBAL_OK) {
    code = remember(simulation, binding, err);
  }
  if (code == REBAL_OK) {
    code = note_failure(simulation, binding, err);
  }
  if (code == REBAL_OK) {
    rebali_timer_set(simulation, REBALI_TIMER_APPLICATION, binding, rebali_late_wake_of(simulation));
    code = rebali_carry_out_all(simulation, name, reason, err);
  }
  return code;
}

/* Is there something to be remembered, or that is? */
static int is_concerned(rebal_simulation *simulation, uint32_t binding) {
  struct rebali_slice items, item;
  size_t at = 0;
  if (simulation->tracked[binding].unhealthy.n > 0) {
    return 1;
  }
  if (rebali_field_is(simulation, binding, "spec.failover.application", "")) {
    return 0;
  }
  items = rebali_field(simulation, binding, "status.aggregatedStatus");
  while (rebali_cursor_item(items, &at, &item)) {
    if (rebali_slice_is(rebali_cursor_find(item, "health"), "\"Unhealthy\"")) {
      return 1;
    }
  }
  return 0;
}

static int32_t look_at(rebal_simulation *simulation, uint32_t binding, rebal_error *err) {
  if (rebali_track(simulation, binding) == NULL) {
    return rebali_fail_memory(err);
  }
  rebali_timer_set(simulation, REBALI_TIMER_APPLICATION, binding, (rebal_time){0, 0, 0});
  return is_concerned(simulation, binding) ? pass(simulation, binding, err) : REBAL_OK;
}

int32_t rebali_application_failover_run(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_ids bindings;
  int32_t code = rebali_changes_take(simulation, &simulation->failed_over, &bindings, err);
  if (code == REBAL_OK) {
    code = rebali_timers_due(simulation, REBALI_TIMER_APPLICATION, &bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ids_sort(simulation, &bindings, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < bindings.n; i++) {
    if (rebali_object_is_binding(simulation, bindings.list[i])) {
      code = look_at(simulation, bindings.list[i], err);
    }
  }
  rebali_ids_dispose(&bindings);
  return code;
}
