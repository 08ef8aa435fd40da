/* SPDX-License-Identifier: MIT */
/* Several runs over one WorkloadRebalancer against an API server of a few lines: objects by key, versions, faults. */
#include "cases.h"

#include <stdio.h>
#include <string.h>

struct server {
  json_t *rebalancer; /* NULL once deleted */
  json_t *bindings;   /* key -> object */
  json_t *updated;    /* set of keys written in this step */
  const json_t *step;
  int64_t version;
};

static void touch(struct server *server, json_t *object) {
  char version[32];

  (void)snprintf(version, sizeof version, "%lld", (long long)++server->version);
  (void)json_object_set_new(json_object_get(object, "metadata"), "resourceVersion", json_string(version));
}

static json_t *binding_key(const char *namespace_, const char *name) {
  return *namespace_ == '\0' ? json_string(name) : json_sprintf("%s/%s", namespace_, name);
}

static void add_bindings(struct server *server, const json_t *bindings) {
  const json_t *item;
  size_t i;

  json_array_foreach(bindings, i, item) {
    json_t *copy = json_deep_copy(item);
    json_t *key = binding_key(text_at(copy, "metadata.namespace"), text_at(copy, "metadata.name"));

    touch(server, copy);
    (void)json_object_set_new(server->bindings, json_string_value(key), copy);
    json_decref(key);
  }
}

static void apply_edits(struct server *server) {
  const json_t *spec = json_object_get(server->step, "spec");
  const json_t *key;
  size_t i;

  if (spec != NULL && server->rebalancer != NULL) {
    json_t *metadata = json_object_get(server->rebalancer, "metadata");

    (void)json_object_set_new(server->rebalancer, "spec", json_deep_copy(spec));
    (void)json_object_set_new(metadata, "generation", json_integer(integer_at(metadata, "generation", 0) + 1));
    touch(server, server->rebalancer);
  }
  add_bindings(server, json_object_get(server->step, "addBindings"));
  json_array_foreach(json_object_get(server->step, "removeBindings"), i, key) {
    (void)json_object_del(server->bindings, json_string_value(key));
  }
}

/* ---- actions: what becomes of each, with the object read in *read ---- */

static int32_t trigger_binding(struct server *server, const char *key, json_t *binding, const char *version,
                               const rebal_record *payload) {
  json_t *patch;

  if (array_has(json_object_get(server->step, "failUpdate"), key)) {
    return REBAL_OBSERVED_TRANSIENT;
  }
  if (binding == NULL) {
    return REBAL_OBSERVED_NOT_FOUND;
  }
  if (*version != '\0' && strcmp(version, text_at(binding, "metadata.resourceVersion")) != 0) {
    return REBAL_OBSERVED_CONFLICT;
  }
  patch = record_to_json(payload);
  (void)json_object_update(json_object_get(binding, "spec"), patch);
  json_decref(patch);
  touch(server, binding);
  (void)json_object_set_new(server->updated, key, json_true());
  return REBAL_OBSERVED_DONE;
}

static int32_t write_status(struct server *server, const rebal_record *payload) {
  json_t *status;

  if (boolean_at(server->step, "failStatus")) {
    return REBAL_OBSERVED_TRANSIENT;
  }
  status = record_to_json(payload);
  if (!json_equal(status, json_object_get(server->rebalancer, "status"))) {
    (void)json_object_set(server->rebalancer, "status", status);
    touch(server, server->rebalancer);
  }
  json_decref(status);
  return REBAL_OBSERVED_DONE;
}

static int32_t delete_rebalancer(struct server *server, const char *version) {
  if (strcmp(version, text_at(server->rebalancer, "metadata.resourceVersion")) != 0) {
    return REBAL_OBSERVED_CONFLICT;
  }
  json_decref(server->rebalancer);
  server->rebalancer = NULL;
  return REBAL_OBSERVED_DONE;
}

static int32_t act(struct server *server, const rebal_result *result, size_t row, const json_t **read) {
  const char *name = rebal_result_text(result, REBAL_ACTION_NAME, row, NULL);
  const char *version = rebal_result_text(result, REBAL_ACTION_RESOURCE_VERSION, row, NULL);
  json_t *key = binding_key(rebal_result_text(result, REBAL_ACTION_NAMESPACE, row, NULL), name);
  json_t *binding = json_object_get(server->bindings, json_string_value(key));
  int32_t outcome = REBAL_OBSERVED_DENIED;

  switch (rebal_result_i64(result, REBAL_ACTION_KIND, NULL)[row]) {
    case REBAL_ACTION_KIND_READ:
      *read = binding;
      outcome = array_has(json_object_get(server->step, "failGet"), json_string_value(key)) ? REBAL_OBSERVED_TRANSIENT
                : binding == NULL                                                           ? REBAL_OBSERVED_NOT_FOUND
                                                                                            : REBAL_OBSERVED_DONE;
      break;
    case REBAL_ACTION_KIND_PATCH_SPEC:
      outcome = trigger_binding(server, json_string_value(key), binding, version, rebal_result_record(result, row));
      break;
    case REBAL_ACTION_KIND_PATCH_STATUS:
      outcome = write_status(server, rebal_result_record(result, row));
      break;
    case REBAL_ACTION_KIND_DELETE:
      outcome = delete_rebalancer(server, version);
      break;
    default:
      break;
  }
  json_decref(key);
  return outcome;
}

/* ---- one run ---- */

static int carry_out(struct conformance *run, struct server *server, rebal_observations *observations, int *waiting) {
  const size_t n = rebal_result_count(run->result, REBAL_TABLE_ACTION);
  const char *injected = "Internal error occurred: injected";
  size_t row;

  *waiting = rebal_result_i64(run->result, REBAL_STEP_STATE, NULL)[0] == REBAL_STEP_STATE_WAITING;
  for (row = 0; *waiting && row < n; row++) {
    const int64_t ordinal = rebal_result_i64(run->result, REBAL_ACTION_ORDINAL, NULL)[row];
    const json_t *read = NULL;
    const rebal_record *fields = NULL;
    rebal_observation observation;
    const int32_t outcome = act(server, run->result, row, &read);

    if (outcome == REBAL_OBSERVED_DONE && read != NULL &&
        failed(run, record_from_json(run, REBAL_OBJECT_BINDING, read, &fields))) {
      return 1;
    }
    observation = (rebal_observation){.struct_size = (uint32_t)sizeof observation,
                                      .outcome = outcome,
                                      .ordinal = ordinal,
                                      .fields = fields,
                                      .message = injected,
                                      .message_len = outcome == REBAL_OBSERVED_DONE ? 0 : strlen(injected)};
    if (failed(run, rebal_observations_add(observations, &observation, &run->err))) {
      return 1;
    }
  }
  if (*waiting && n == 0) {
    run->fault = "the step waits for nothing";
  }
  return run->fault != NULL;
}

/* The result holds the last step of the run afterwards. */
static int reconcile(struct conformance *run, struct server *server, rebal_observations *observations) {
  const rebal_rebalancer_opts opts = {.struct_size = sizeof opts, .observations = observations};
  const rebal_time now = time_at(server->step, "now");
  json_t *object = json_deep_copy(server->rebalancer); /* as read at the start */
  int waiting = 1;
  int failure = 0;

  rebal_observations_reset(observations);
  while (waiting && !failure) {
    const rebal_record *record;

    failure = failed(run, record_from_json(run, REBAL_OBJECT_WORKLOAD_REBALANCER, object, &record)) ||
              failed(run, rebal_rebalancer_step(run->ctx, record, &now, &opts, run->result, &run->err)) ||
              carry_out(run, server, observations, &waiting);
  }
  json_decref(object);
  return failure;
}

/* ---- outcome ---- */

static json_t *triggers(const struct server *server) {
  json_t *all = json_object();
  const char *key;
  json_t *binding;

  json_object_foreach(server->bindings, key, binding) {
    const json_t *time = json_at(binding, "spec.rescheduleTriggeredAt");

    if (time != NULL) {
      (void)json_object_set_new(all, key, json_deep_copy(time));
    }
  }
  return all;
}

static json_t *sorted_keys(json_t *set) {
  json_t *keys = json_array();
  const char *key;
  json_t *value;

  json_object_foreach(set, key, value) {
    size_t i = 0;

    while (i < json_array_size(keys) && strcmp(json_string_value(json_array_get(keys, i)), key) < 0) {
      i++;
    }
    (void)json_array_insert_new(keys, i, json_string(key));
  }
  return keys;
}

static void report_run(const rebal_result *result, json_t *outcome) {
  static const char *const kinds[] = {
      "", "Retry", "StatusUpdateFailed", "NoFinishTime", "DeleteConflict", "DeleteFailed"};
  const int64_t reason = rebal_result_i64(result, REBAL_STEP_REASON, NULL)[0];
  const int64_t after = rebal_result_i64(result, REBAL_STEP_AFTER_NS, NULL)[0];
  json_t *error = json_object();

  if (after != REBAL_ABSENT) {
    (void)json_object_set_new(outcome, "requeueAfterSeconds", json_integer(after / 1000000000));
  }
  if (rebal_result_i64(result, REBAL_STEP_STATE, NULL)[0] == REBAL_STEP_STATE_RETRY) {
    (void)json_object_set_new(error, "kind", json_string(kinds[reason]));
    if (reason != REBAL_REBALANCER_REASON_DELETE_CONFLICT) {
      (void)json_object_set_new(error, "message", json_string(rebal_result_text(result, REBAL_STEP_MESSAGE, 0, NULL)));
    }
    (void)json_object_set(outcome, "error", error);
  }
  json_decref(error);
}

static json_t *step_outcome(struct conformance *run, const struct server *server, int was_run) {
  json_t *outcome = json_object();

  (void)json_object_set_new(outcome, "exists", json_boolean(server->rebalancer != NULL));
  (void)json_object_set_new(outcome, "rescheduleTriggeredAt", triggers(server));
  if (json_object_size(server->updated) != 0) {
    (void)json_object_set_new(outcome, "updatedBindings", sorted_keys(server->updated));
  }
  if (server->rebalancer != NULL) {
    const json_t *status = json_object_get(server->rebalancer, "status");

    (void)json_object_set_new(outcome, "status", status == NULL ? json_object() : json_deep_copy(status));
  }
  if (was_run) {
    report_run(run->result, outcome);
  }
  return outcome;
}

json_t *case_rebalancer(struct conformance *run, const json_t *input) {
  struct server server = {json_deep_copy(json_object_get(input, "rebalancer")), json_object(), NULL, NULL, 0};
  rebal_observations *observations = NULL;
  json_t *steps = json_array();
  json_t *outcome;
  int failure = failed(run, rebal_observations_new(NULL, &observations, &run->err));
  size_t i;

  touch(&server, server.rebalancer);
  add_bindings(&server, json_object_get(input, "bindings"));
  json_array_foreach(json_object_get(input, "steps"), i, server.step) {
    const int exists = server.rebalancer != NULL;

    if (failure) {
      break;
    }
    server.updated = json_object();
    apply_edits(&server);
    failure = exists && reconcile(run, &server, observations);
    if (!failure) {
      (void)json_array_append_new(steps, step_outcome(run, &server, exists));
    }
    json_decref(server.updated);
  }
  rebal_observations_free(observations);
  json_decref(server.rebalancer);
  json_decref(server.bindings);
  outcome = failure ? NULL : json_pack("{s:O}", "steps", steps);
  json_decref(steps);
  return outcome;
}
