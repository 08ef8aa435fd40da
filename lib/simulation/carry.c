/* SPDX-License-Identifier: MIT */
/* Between the store and the step functions: objects in, actions out. */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

uint32_t rebali_next_of(const rebal_simulation *simulation, const char *kind, uint32_t previous) {
  return rebal_store_next(simulation->store, kind, strlen(kind), previous);
}

/* Cluster scoped ones first: the order of the store. */
uint32_t rebali_next_binding(const rebal_simulation *simulation, uint32_t previous) {
  static const char first[] = "ClusterResourceBinding", second[] = "ResourceBinding";
  size_t len = 0;
  const char *kind = rebal_store_identity(simulation->store, previous, REBAL_IDENTITY_KIND, &len);
  if (len != sizeof second - 1 || memcmp(kind, second, len) != 0) {
    const uint32_t next = rebali_next_of(simulation, first, previous);
    return next != REBAL_NONE ? next : rebali_next_of(simulation, second, REBAL_NONE);
  }
  return rebali_next_of(simulation, second, previous);
}

int32_t rebali_feed_rows(rebal_simulation *simulation, const uint32_t *objects, size_t n, rebal_error *err) {
  const int32_t code = rebal_store_feed_clusters(simulation->store, simulation->fleet, &simulation->feed, err);
  rebal_bindings_reset(simulation->bindings);
  return code == REBAL_OK
             ? rebal_store_feed_bindings(simulation->store, simulation->fleet, objects, n, simulation->bindings, err)
             : code;
}

int32_t rebali_feed_freeze(rebal_simulation *simulation, rebal_error *err) {
  rebal_snapshot *snapshot = NULL;
  int32_t code = rebal_bindings_freeze(simulation->bindings, err);
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(simulation->fleet, &snapshot, err);
  }
  if (code == REBAL_OK) {
    rebal_snapshot_unref(simulation->snapshot);
    simulation->snapshot = snapshot;
  }
  return code;
}

int32_t rebali_feed(rebal_simulation *simulation, const uint32_t *objects, size_t n, rebal_error *err) {
  const int32_t code = rebali_feed_rows(simulation, objects, n, err);
  return code == REBAL_OK ? rebali_feed_freeze(simulation, err) : code;
}

rebal_time rebali_wake_of(const rebal_simulation *simulation) {
  rebal_time earliest = {0, 0, 0}, time;
  size_t n = 0;
  const int64_t *kinds = rebal_result_i64(simulation->result, REBAL_ACTION_KIND, &n);
  for (size_t i = 0; i < n; i++) {
    if (kinds[i] != REBAL_ACTION_KIND_WAKE) {
      continue;
    }
    rebal_result_time(simulation->result, REBAL_ACTION_NOT_BEFORE, i, &time);
    rebali_time_lower(&earliest, &time);
  }
  return earliest;
}

rebal_time rebali_late_wake_of(const rebal_simulation *simulation) {
  const rebal_time wake = rebali_wake_of(simulation);
  return wake.is_set ? rebali_time_after(&wake, REBALI_SECOND_NS) : wake;
}

uint32_t rebali_action_object(const rebal_simulation *simulation, size_t action) {
  size_t kind_len, space_len, name_len;
  const char *kind = rebal_result_text(simulation->result, REBAL_ACTION_OBJECT_KIND, action, &kind_len);
  const char *space = rebal_result_text(simulation->result, REBAL_ACTION_NAMESPACE, action, &space_len);
  const char *name = rebal_result_text(simulation->result, REBAL_ACTION_NAME, action, &name_len);
  return rebal_store_find(simulation->store, kind, kind_len, space, space_len, name, name_len);
}

static const char *event_text(const rebal_record *payload, uint32_t field) {
  return rebal_record_text(payload, rebal_record_next(payload, 0, field, REBAL_NONE), NULL);
}

uint32_t rebali_resource_of(rebal_simulation *simulation, uint32_t binding) {
  char *kind = rebali_field_copy(simulation, binding, "spec.resource.kind");
  char *space = rebali_field_copy(simulation, binding, "spec.resource.namespace");
  char *name = rebali_field_copy(simulation, binding, "spec.resource.name");
  uint32_t found = REBAL_NONE;
  if (kind != NULL && space != NULL && name != NULL) {
    found = rebal_store_find(simulation->store, kind, strlen(kind), space, strlen(space), name, strlen(name));
  }
  free(kind);
  free(space);
  free(name);
  return found;
}

/* One on an object that is not there, such as the resource of a binding, is told of nobody. */
static int32_t tell_event(rebal_simulation *simulation, size_t action, uint32_t object, const char *controller,
                          rebal_error *err) {
  const rebal_record *payload = rebal_result_record(simulation->result, action);
  return payload == NULL || object == REBAL_NONE
             ? REBAL_OK
             : rebali_event_tell(simulation, object, controller, event_text(payload, REBAL_EVENT_TYPE),
                                 event_text(payload, REBAL_EVENT_REASON), event_text(payload, REBAL_EVENT_MESSAGE),
                                 err);
}

static int32_t delete_object(rebal_simulation *simulation, size_t action, uint32_t object, const char *controller,
                             const char *reason, rebal_observations *observations, rebal_error *err) {
  char *label = object != REBAL_NONE ? rebali_object_label(simulation, object) : NULL;
  int32_t code =
      rebal_store_carry_out(simulation->store, simulation->result, action, &simulation->now, observations, err);
  if (code == REBAL_OK && label != NULL && rebali_action_object(simulation, action) == REBAL_NONE) {
    code = rebali_log_append(simulation, REBAL_LOG_KIND_CHANGE, controller, label, "deleted", reason, err);
    if (object < simulation->n_tracked) {
      rebali_timers_forget(simulation, object);
      rebali_tracked_dispose(&simulation->tracked[object]);
    }
    simulation->changes++;
  }
  free(label);
  return code;
}

int32_t rebali_carry_out(rebal_simulation *simulation, size_t action, const char *controller, const char *reason,
                         rebal_observations *observations, rebal_error *err) {
  size_t n = 0;
  const int64_t *kinds = rebal_result_i64(simulation->result, REBAL_ACTION_KIND, &n);
  const int64_t kind = action < n ? kinds[action] : REBAL_ACTION_KIND_WAKE;
  uint32_t object;
  int32_t code;
  if (kind == REBAL_ACTION_KIND_WAKE) {
    return REBAL_OK;
  }
  object = rebali_action_object(simulation, action);
  if (kind == REBAL_ACTION_KIND_EVENT) {
    return tell_event(simulation, action, object, controller, err);
  }
  if (kind == REBAL_ACTION_KIND_DELETE) {
    return delete_object(simulation, action, object, controller, reason, observations, err);
  }
  code = rebal_store_carry_out(simulation->store, simulation->result, action, &simulation->now, observations, err);
  if (code == REBAL_OK && object != REBAL_NONE && kind != REBAL_ACTION_KIND_READ) {
    code = rebali_watch(simulation, object, controller, reason, err);
  }
  return code;
}

int32_t rebali_carry_out_all(rebal_simulation *simulation, const char *controller, const char *reason,
                             rebal_error *err) {
  const size_t n = rebal_result_count(simulation->result, REBAL_TABLE_ACTION);
  int32_t code = rebali_warnings_tell(simulation, controller, err);
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = rebali_carry_out(simulation, i, controller, reason, NULL, err);
  }
  return code;
}
