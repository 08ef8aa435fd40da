/* SPDX-License-Identifier: MIT */
/* The loop over affinity groups and its write-back, in one call and in two with every write observed. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

#define APPLIED "policy.karmada.io/applied-placement"

static const char *const outcomes[] = {
    [REBAL_OUTCOME_SCHEDULED] = "ok",
    [REBAL_OUTCOME_NO_CLUSTER_FIT] = "FitError",
    [REBAL_OUTCOME_UNSCHEDULABLE] = "Unschedulable",
    [REBAL_OUTCOME_SCHEDULER_ERROR] = "Error",
};

/* One turn in progress: the binding after the actions carried out so far. */
struct turn {
  struct world *world;
  rebal_schedule_opts opts;
  rebal_time now;
  json_t *binding;
  json_t *calls;
  json_t *applied; /* "current" once it was written */
};

static void add_call(struct turn *turn, const char *name, const char *outcome) {
  (void)json_array_append_new(turn->calls, json_pack("{s:s, s:s}", "affinityName", name, "outcome", outcome));
}

/* Each failed group is an event, whose text names the group's place and the error. */
static void read_event(struct turn *turn, const rebal_record *event) {
  static const char mark[] = "clusterAffiliates index(";
  const char *text = rebal_record_text(event, rebal_record_next(event, 0, REBAL_EVENT_MESSAGE, REBAL_NONE), NULL);
  const char *found = strstr(text, mark);
  const json_t *group;
  const char *error;

  if (found == NULL) {
    return;
  }
  group = json_array_get(json_at(turn->binding, "spec.placement.clusterAffinities"),
                         strtoul(found + sizeof mark - 1, NULL, 10));
  error = strstr(found, "): ") + 3;
  add_call(turn, text_at(group, "affinityName"),
           strncmp(error, "0/", 2) == 0                           ? "FitError"
           : strstr(error, "are not enough to schedule.") != NULL ? "Unschedulable"
                                                                  : "Error");
}

static void carry_out(struct conformance *run, struct turn *turn, size_t row) {
  const int64_t kind = rebal_result_i64(run->result, REBAL_ACTION_KIND, NULL)[row];
  const rebal_record *payload = rebal_result_record(run->result, row);
  const char *object = rebal_result_text(run->result, REBAL_ACTION_OBJECT_KIND, row, NULL);
  json_t *patch;

  if (strcmp(object, text_at(turn->binding, "kind")) != 0) {
    return; /* the resource gets the same events */
  }
  if (kind == REBAL_ACTION_KIND_EVENT) {
    read_event(turn, payload);
    return;
  }
  if (kind == REBAL_ACTION_KIND_PATCH_METADATA) {
    json_decref(turn->applied);
    turn->applied = json_string("current");
    return;
  }
  patch = record_to_json(payload);
  if (kind == REBAL_ACTION_KIND_PATCH_SPEC) {
    (void)json_object_del(json_object_get(turn->binding, "spec"), "clusters");
    (void)json_object_update(json_object_get(turn->binding, "spec"), patch);
  } else {
    if (json_object_get(turn->binding, "status") == NULL) {
      (void)json_object_set_new(turn->binding, "status", json_object());
    }
    (void)json_object_update(json_object_get(turn->binding, "status"), patch);
  }
  json_decref(patch);
}

/* Carries all actions out; *is_waiting: the turn waits for observations. */
static int step(struct conformance *run, struct turn *turn, rebal_observations *observations, int *is_waiting) {
  const int64_t *kinds;
  const int64_t *ordinals;
  size_t n = 0;
  size_t row;

  turn->opts.observations = observations;
  if (failed(run, rebal_scheduler_step(run->ctx, turn->world->snapshot, turn->world->bindings, &turn->now, &turn->opts,
                                       run->result, &run->err))) {
    return 1;
  }
  kinds = rebal_result_i64(run->result, REBAL_ACTION_KIND, &n);
  ordinals = rebal_result_i64(run->result, REBAL_ACTION_ORDINAL, &n);
  *is_waiting = rebal_result_i64(run->result, REBAL_STEP_STATE, NULL)[0] == REBAL_STEP_STATE_WAITING;
  for (row = 0; row < n; row++) {
    const rebal_observation done = {
        .struct_size = (uint32_t)sizeof done, .outcome = REBAL_OBSERVED_DONE, .ordinal = ordinals[row]};

    carry_out(run, turn, row);
    if (*is_waiting && kinds[row] != REBAL_ACTION_KIND_EVENT &&
        failed(run, rebal_observations_add(observations, &done, &run->err))) {
      return 1;
    }
  }
  return 0;
}

/* Recorded results are sorted by name. */
static json_t *report_clusters(const json_t *binding) {
  json_t *sorted = json_array();
  const json_t *cluster;
  size_t i;

  json_array_foreach(json_at(binding, "spec.clusters"), i, cluster) {
    size_t at = 0;

    while (at < json_array_size(sorted) &&
           strcmp(text_at(json_array_get(sorted, at), "name"), text_at(cluster, "name")) <= 0) {
      at++;
    }
    (void)json_array_insert_new(sorted, at,
                                json_pack("{s:s, s:I}", "name", text_at(cluster, "name"), "replicas",
                                          (json_int_t)integer_at(cluster, "replicas", 0)));
  }
  return sorted;
}

static json_t *report_condition(const json_t *binding) {
  const json_t *condition;
  json_t *report;
  size_t i;

  json_array_foreach(json_at(binding, "status.conditions"), i, condition) {
    if (strcmp(text_at(condition, "type"), "Scheduled") == 0) {
      report = json_deep_copy(condition);
      (void)json_object_del(report, "type");
      if (strcmp(text_at(condition, "reason"), "NoClusterFit") == 0) {
        (void)json_object_del(report, "message"); /* depends on the order of the plugins */
      }
      return report;
    }
  }
  return NULL;
}

static void put(json_t *outcome, const char *name, json_t *value) {
  if (value != NULL) {
    (void)json_object_set_new(outcome, name, value);
  }
}

static json_t *report(struct conformance *run, struct turn *turn) {
  const int64_t outcome = rebal_result_i64(run->result, REBAL_DECISION_OUTCOME, NULL)[0];
  const int64_t state = rebal_result_i64(run->result, REBAL_STEP_STATE, NULL)[0];
  const char *group = rebal_result_text(run->result, REBAL_DECISION_AFFINITY_NAME, 0, NULL);
  json_t *report;

  if (outcome == REBAL_OUTCOME_SCHEDULED || json_array_size(turn->calls) == 0) {
    add_call(turn, group, outcomes[outcome]);
  }
  report =
      json_pack("{s:O, s:o, s:I}", "calls", turn->calls, "clusters", report_clusters(turn->binding),
                "observedGeneration", (json_int_t)integer_at(turn->binding, "status.schedulerObservedGeneration", 0));
  put(report, "condition", report_condition(turn->binding));
  put(report, "appliedPlacement", json_incref(turn->applied));
  put(report, "lastScheduledTime", json_deep_copy(json_at(turn->binding, "status.lastScheduledTime")));
  put(report, "affinityName", json_deep_copy(json_at(turn->binding, "status.schedulerObservingAffinityName")));
  if (state == REBAL_STEP_STATE_RETRY) {
    put(report, "retry",
        json_pack("{s:s, s:s}", "kind", outcomes[outcome], "message",
                  rebal_result_text(run->result, REBAL_DECISION_MESSAGE, 0, NULL)));
  }
  return report;
}

/* What the annotation holds before the turn. */
static json_t *read_applied(const json_t *binding) {
  const char *text = json_string_value(json_object_get(json_at(binding, "metadata.annotations"), APPLIED));
  json_t *applied = text == NULL ? NULL : json_loads(text, 0, NULL);

  if (applied != NULL && json_equal(applied, json_at(binding, "spec.placement"))) {
    json_decref(applied);
    return json_string("current");
  }
  return applied;
}

static json_t *run_turn(struct conformance *run, struct world *world, const rebal_schedule_opts *opts,
                        const json_t *input, rebal_observations *observations) {
  const json_t *binding = json_object_get(input, "binding");
  struct turn turn = {
      world, *opts, time_at(input, "now"), json_deep_copy(binding), json_array(), read_applied(binding)};
  json_t *outcome = NULL;
  int is_waiting = 1;
  int i;

  for (i = 0; i < 2 && is_waiting; i++) {
    if (step(run, &turn, observations, &is_waiting)) {
      break;
    }
  }
  if (!is_waiting && run->err.code == REBAL_OK) {
    outcome = report(run, &turn);
  }
  rebal_result_reset(run->result);
  json_decref(turn.binding);
  json_decref(turn.calls);
  json_decref(turn.applied);
  return outcome;
}

/* Both ways must have the same outcome. */
static json_t *run_both(struct conformance *run, struct world *world, const rebal_schedule_opts *opts,
                        const json_t *input) {
  json_t *at_once = run_turn(run, world, opts, input, NULL);
  json_t *observed;
  rebal_observations *observations;

  if (at_once == NULL || failed(run, rebal_observations_new(NULL, &observations, &run->err))) {
    json_decref(at_once);
    return NULL;
  }
  observed = run_turn(run, world, opts, input, observations);
  rebal_observations_free(observations);
  if (observed != NULL && !json_equal(at_once, observed)) {
    run->fault = "the turn in two calls differs from the one in one";
  }
  json_decref(observed);
  return at_once;
}

/* Recorded bindings have no label of a policy, and were scheduled whether or not they were due. */
static json_t *due(const json_t *binding) {
  json_t *copy = json_deep_copy(binding);

  (void)json_object_del(json_object_get(json_object_get(copy, "metadata"), "annotations"), APPLIED);
  (void)json_object_set_new(json_object_get(copy, "metadata"), "labels",
                            json_pack("{s:s}", "binding.karmada.io/managed-by", "karmada"));
  return copy;
}

json_t *case_affinities(struct conformance *run, const json_t *input) {
  json_t *bindings = json_pack("[o]", due(json_object_get(input, "binding")));
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  struct estimators estimators = {.fits = NULL};
  struct world world;
  json_t *outcome = NULL;

  if (!world_build(run, &world, json_object_get(input, "clusters"), bindings, json_object_get(input, "featureGates")) &&
      !estimators_read(run, &world, input, &opts, &estimators) &&
      !failed(run, rebal_compat_set(world.compat, REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION,
                                    boolean_at(input, "enableEmptyWorkloadPropagation"), &run->err))) {
    opts.compat = world.compat;
    outcome = run_both(run, &world, &opts, input);
  }
  estimators_dispose(&estimators);
  world_dispose(&world);
  json_decref(bindings);
  return outcome;
}
