/* SPDX-License-Identifier: MIT */
/* Between the store and the step functions: feeds objects, carries out actions and logs warnings. */
#include "simulation/core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int32_t rebali_core_open(struct rebali_core *core, struct rebali_server *server, rebal_error *err) {
  int32_t code = rebal_fleet_new(NULL, &core->fleet, err);
  core->server = server;
  if (code == REBAL_OK) {
    code = rebal_ctx_new(NULL, NULL, &core->ctx, err);
  }
  if (code == REBAL_OK) {
    code = rebal_bindings_new(core->fleet, NULL, &core->bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebal_result_new(NULL, &core->result, err);
  }
  if (code == REBAL_OK) {
    code = rebal_builder_new(NULL, &core->builder, err);
  }
  return code == REBAL_OK ? rebal_observations_new(NULL, &core->observations, err) : code;
}

void rebali_core_dispose(struct rebali_core *core) {
  rebali_ids_dispose(&core->fed);
  rebal_observations_free(core->observations);
  rebal_builder_free(core->builder);
  rebal_result_free(core->result);
  rebal_bindings_free(core->bindings);
  rebal_snapshot_unref(core->snapshot);
  rebal_ctx_free(core->ctx);
  rebal_feed_free(core->feed);
  rebal_fleet_free(core->fleet);
}

/* ---- objects in -------------------------------------------------------------------------------------------------- */

int32_t rebali_feed_clusters(struct rebali_core *core, rebal_error *err) {
  rebal_snapshot *snapshot = NULL;
  int32_t code = rebal_store_feed_clusters(core->server->store, core->fleet, &core->feed, err);
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(core->fleet, &snapshot, err);
  }
  if (code == REBAL_OK) {
    rebal_snapshot_unref(core->snapshot);
    core->snapshot = snapshot;
  }
  return code;
}

int32_t rebali_feed_rows(struct rebali_core *core, const uint32_t *objects, size_t n, rebal_error *err) {
  const int32_t code = rebal_store_feed_clusters(core->server->store, core->fleet, &core->feed, err);
  core->fed_at = 0;
  rebal_bindings_reset(core->bindings);
  return code == REBAL_OK ? rebal_store_feed_bindings(core->server->store, core->fleet, objects, n, core->bindings, err)
                          : code;
}

int32_t rebali_feed_freeze(struct rebali_core *core, rebal_error *err) {
  const int32_t code = rebal_bindings_freeze(core->bindings, err);
  return code == REBAL_OK ? rebali_feed_clusters(core, err) : code;
}

/* Consecutive controllers often examine the same bindings. */
static int is_fed(const struct rebali_core *core, const uint32_t *objects, size_t n) {
  return core->fed_at == rebal_store_change_count(core->server->store) && core->fed_at > 0 && core->fed.n == n &&
         (n == 0 || memcmp(core->fed.list, objects, n * sizeof *objects) == 0);
}

int32_t rebali_feed(struct rebali_core *core, const uint32_t *objects, size_t n, rebal_error *err) {
  int32_t code;
  if (is_fed(core, objects, n)) {
    return REBAL_OK;
  }
  code = rebali_feed_rows(core, objects, n, err);
  if (code == REBAL_OK) {
    code = rebali_feed_freeze(core, err);
  }
  core->fed.n = 0;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = rebali_ids_add(&core->fed, objects[i], err);
  }
  core->fed_at = code == REBAL_OK ? rebal_store_change_count(core->server->store) : 0;
  return code;
}

/* ---- actions out ------------------------------------------------------------------------------------------------- */

int64_t rebali_cell(const rebal_result *result, uint32_t column, size_t row) {
  size_t n = 0;
  const int64_t *cells = rebal_result_i64(result, column, &n);
  return row < n ? cells[row] : REBAL_ABSENT;
}

rebal_time rebali_wake_of(const struct rebali_core *core) {
  rebal_time earliest = {0, 0, 0}, time;
  size_t n = 0;
  const int64_t *kinds = rebal_result_i64(core->result, REBAL_ACTION_KIND, &n);
  for (size_t i = 0; i < n; i++) {
    if (kinds[i] == REBAL_ACTION_KIND_WAKE) {
      rebal_result_time(core->result, REBAL_ACTION_NOT_BEFORE, i, &time);
      rebali_time_lower(&earliest, &time);
    }
  }
  return earliest;
}

rebal_time rebali_late_wake_of(const struct rebali_core *core) {
  const rebal_time wake = rebali_wake_of(core);
  return wake.is_set ? rebali_time_after(&wake, REBALI_SECOND_NS) : wake;
}

uint32_t rebali_action_object(const struct rebali_core *core, size_t action) {
  size_t kind_len, namespace_len, name_len;
  const char *kind = rebal_result_text(core->result, REBAL_ACTION_OBJECT_KIND, action, &kind_len);
  const char *namespace_ = rebal_result_text(core->result, REBAL_ACTION_NAMESPACE, action, &namespace_len);
  const char *name = rebal_result_text(core->result, REBAL_ACTION_NAME, action, &name_len);
  return rebal_store_find(core->server->store, kind, kind_len, namespace_, namespace_len, name, name_len);
}

static const char *event_text(const rebal_record *payload, uint32_t field) {
  return rebal_record_text(payload, rebal_record_next(payload, 0, field, REBAL_NONE), NULL);
}

/* An event on an object that does not exist, such as the resource of a binding, is dropped. */
static int32_t report_event(struct rebali_core *core, size_t action, uint32_t object, const char *controller,
                            rebal_error *err) {
  const rebal_record *payload = rebal_result_record(core->result, action);
  return payload == NULL || object == REBAL_NONE
             ? REBAL_OK
             : rebali_event_report(core->server, object, controller, event_text(payload, REBAL_EVENT_TYPE),
                                   event_text(payload, REBAL_EVENT_REASON), event_text(payload, REBAL_EVENT_MESSAGE),
                                   err);
}

static int32_t delete_object(struct rebali_core *core, size_t action, const char *controller, const char *reason,
                             rebal_observations *observations, rebal_error *err) {
  struct rebali_server *server = core->server;
  const uint32_t object = rebali_action_object(core, action);
  struct rebali_buffer label = REBALI_BUFFER;
  int32_t code;
  rebali_print_label(server, &label, object);
  code = label.failed ? rebali_fail_memory(err)
                      : rebal_store_carry_out(server->store, core->result, action, &server->now, observations, err);
  if (code == REBAL_OK && object != REBAL_NONE && rebali_action_object(core, action) == REBAL_NONE) {
    code = rebali_log_report_of(server, REBAL_LOG_KIND_CHANGE, controller, label.bytes, "deleted", reason, err);
    rebali_forget(server, object);
  }
  rebali_buffer_dispose(&label);
  return code;
}

/* Events are not writes: their recorder gets no answer. */
static int is_write(int64_t kind) {
  return kind == REBAL_ACTION_KIND_PATCH_SPEC || kind == REBAL_ACTION_KIND_PATCH_STATUS ||
         kind == REBAL_ACTION_KIND_PATCH_METADATA || kind == REBAL_ACTION_KIND_DELETE;
}

/* Observes and logs a write that the server refuses. */
static int32_t fail_write(struct rebali_core *core, size_t action, uint32_t object,
                          const struct rebali_fault_answer *answer, const char *controller,
                          rebal_observations *observations, rebal_error *err) {
  const rebal_observation observation = {.struct_size = sizeof observation,
                                         .outcome = answer->outcome,
                                         .ordinal = rebali_cell(core->result, REBAL_ACTION_ORDINAL, action),
                                         .message = answer->message,
                                         .message_len = strlen(answer->message)};
  const int32_t code = observations != NULL ? rebal_observations_add(observations, &observation, err) : REBAL_OK;
  core->server->changes++;
  return code == REBAL_OK ? rebali_log_report(core->server, REBAL_LOG_KIND_NOTE, controller, object, answer->change,
                                              "set by the step", err)
                          : code;
}

int32_t rebali_carry_out(struct rebali_core *core, size_t action, const char *controller, const char *reason,
                         rebal_observations *observations, rebal_error *err) {
  struct rebali_server *server = core->server;
  const int64_t kind = rebali_cell(core->result, REBAL_ACTION_KIND, action);
  const uint32_t object = rebali_action_object(core, action);
  int32_t code;
  if (kind == REBAL_ACTION_KIND_WAKE || kind == REBAL_ABSENT) {
    return REBAL_OK;
  }
  if (is_write(kind) && object != REBAL_NONE) {
    const struct rebali_fault_answer *answer = rebali_fault_take(server, object);
    if (answer != NULL) {
      return fail_write(core, action, object, answer, controller, observations, err);
    }
  }
  if (kind == REBAL_ACTION_KIND_DELETE) {
    return delete_object(core, action, controller, reason, observations, err);
  }
  if (kind == REBAL_ACTION_KIND_EVENT) {
    return report_event(core, action, object, controller, err);
  }
  code = rebal_store_carry_out(server->store, core->result, action, &server->now, observations, err);
  return code == REBAL_OK && object != REBAL_NONE && kind != REBAL_ACTION_KIND_READ
             ? rebali_watch(server, object, controller, reason, err)
             : code;
}

int rebali_is_waiting(const struct rebali_core *core) {
  return rebali_cell(core->result, REBAL_STEP_STATE, 0) == REBAL_STEP_STATE_WAITING;
}

int32_t rebali_carry_out_all(struct rebali_core *core, const char *controller, const char *reason,
                             rebal_observations *observations, rebal_error *err) {
  const size_t n = rebal_result_count(core->result, REBAL_TABLE_ACTION);
  int32_t code =
      observations != NULL && rebali_is_waiting(core) ? REBAL_OK : rebali_warnings_report(core, controller, err);
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = rebali_carry_out(core, i, controller, reason, observations, err);
  }
  return code;
}

int32_t rebali_carry_out_timed(struct rebali_core *core, struct rebali_timers *timers, uint32_t object,
                               const char *controller, const char *reason, rebal_error *err) {
  const uint64_t before = core->server->faults.failed;
  const int32_t code = rebali_carry_out_all(core, controller, reason, NULL, err);
  return code == REBAL_OK && core->server->faults.failed != before
             ? rebali_timer_lower(timers, object, rebali_fault_retry(core->server), err)
             : code;
}

/* ---- warnings ---------------------------------------------------------------------------------------------------- */

/* Returns the first action on the binding of a row: a step that warns of a binding writes to it. n if there is none. */
static size_t find_action(const rebal_result *result, int64_t row) {
  size_t n, i = 0;
  const int64_t *rows = rebal_result_i64(result, REBAL_ACTION_ROW, &n);
  const int64_t *kinds = rebal_result_i64(result, REBAL_ACTION_KIND, &n);
  while (i < n &&
         (rows[i] != row || (kinds[i] != REBAL_ACTION_KIND_PATCH_SPEC && kinds[i] != REBAL_ACTION_KIND_PATCH_STATUS))) {
    i++;
  }
  return i;
}

static void describe(const struct rebali_core *core, size_t warning, struct rebali_buffer *out) {
  const int64_t cluster = rebali_cell(core->result, REBAL_WARNING_CLUSTER, warning);
  const int64_t replicas = rebali_cell(core->result, REBAL_WARNING_REPLICAS, warning);
  size_t len = 0;
  const char *name = cluster != REBAL_ABSENT
                         ? rebal_cells_get_text(rebal_snapshot_cells(core->snapshot), REBAL_CLUSTER_NAME, REBAL_NONE,
                                                (uint32_t)cluster, &len)
                         : "";
  rebali_buffer_clear(out);
  if (len == 0) {
    rebali_buffer_format(out, "breach: %" PRId64 " replicas have no cluster", replicas);
  } else if (replicas == 0) {
    rebali_buffer_format(out, "breach: what runs in %s goes", name);
  } else {
    rebali_buffer_format(out, "breach: %" PRId64 " replicas go from %s", replicas, name);
  }
}

static int32_t warn(struct rebali_core *core, size_t warning, const char *controller, rebal_error *err) {
  const size_t action = find_action(core->result, rebali_cell(core->result, REBAL_WARNING_BINDING, warning));
  const uint32_t object = rebali_action_object(core, action);
  struct rebali_buffer reason = REBALI_BUFFER, *change = &core->server->scratch;
  int32_t code;
  if (object == REBAL_NONE) {
    return REBAL_OK;
  }
  describe(core, warning, change);
  rebali_buffer_format(&reason, "%s: see rebalance-compat(7)",
                       rebal_result_text(core->result, REBAL_WARNING_ROW_NAME, warning, NULL));
  code = change->failed || reason.failed ? rebali_fail_memory(err)
                                         : rebali_log_report(core->server, REBAL_LOG_KIND_NOTE, controller, object,
                                                             change->bytes, reason.bytes, err);
  rebali_buffer_dispose(&reason);
  return code;
}

int32_t rebali_warnings_report(struct rebali_core *core, const char *controller, rebal_error *err) {
  const size_t n = rebal_result_count(core->result, REBAL_TABLE_WARNING);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = warn(core, i, controller, err);
  }
  return code;
}
