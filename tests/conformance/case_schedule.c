/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <string.h>

static const char *const error_kinds[] = {
    [REBAL_OUTCOME_NO_CLUSTER_FIT] = "FitError",
    [REBAL_OUTCOME_UNSCHEDULABLE] = "Unschedulable",
    [REBAL_OUTCOME_SCHEDULER_ERROR] = "Error",
};

/* The components of a cluster of the answer: those of the binding, without what they need. */
static json_t *list_components(const json_t *input) {
  json_t *list = json_array();
  const json_t *component;
  size_t i;

  json_array_foreach(json_at(input, "binding.spec.components"), i, component) {
    (void)json_array_append_new(list, json_pack("{s:s, s:I}", "name", text_at(component, "name"), "replicas",
                                                (json_int_t)integer_at(component, "replicas", 0)));
  }
  return list;
}

/* Recorded results are sorted by name. */
static void insert_sorted(json_t *clusters, json_t *entry) {
  size_t at = 0;

  while (at < json_array_size(clusters) &&
         strcmp(text_at(json_array_get(clusters, at), "name"), text_at(entry, "name")) < 0) {
    at++;
  }
  (void)json_array_insert_new(clusters, at, entry);
}

static json_t *report_refusal(const rebal_result *result, int64_t outcome) {
  return json_pack("{s:{s:s, s:s}}", "error", "kind", error_kinds[outcome], "message",
                   rebal_result_text(result, REBAL_DECISION_MESSAGE, 0, NULL));
}

static json_t *report(struct conformance *run, const struct world *world, const json_t *input) {
  size_t n = 0;
  const int64_t *outcomes = rebal_result_i64(run->result, REBAL_DECISION_OUTCOME, NULL);
  const int64_t *ids = rebal_result_i64(run->result, REBAL_PLACED_CLUSTER, &n);
  const int64_t *replicas = rebal_result_i64(run->result, REBAL_PLACED_REPLICAS, NULL);
  const int64_t *with_components = rebal_result_i64(run->result, REBAL_PLACED_WITH_COMPONENTS, NULL);
  json_t *clusters;
  size_t i;

  if (outcomes == NULL) {
    return fault(run, "no decision");
  }
  if (outcomes[0] != REBAL_OUTCOME_SCHEDULED) {
    return report_refusal(run->result, outcomes[0]);
  }
  clusters = json_array();
  for (i = 0; i < n; i++) {
    json_t *entry = json_pack("{s:s, s:I}", "name", cluster_name(world->snapshot, (uint32_t)ids[i]), "replicas",
                              (json_int_t)replicas[i]);

    if (with_components[i]) {
      (void)json_object_set_new(entry, "components", list_components(input));
    }
    insert_sorted(clusters, entry);
  }
  return json_pack("{s:o}", "clusters", clusters);
}

/* rebal_schedule() for the group of the case, and the phases one after the other, which must have the same answer. */
static json_t *schedule(struct conformance *run, const struct world *world, const rebal_schedule_opts *opts,
                        const json_t *input) {
  rebal_result *earlier[3] = {NULL, NULL, NULL};
  rebal_schedule_opts copy = *opts;
  json_t *at_once = NULL;
  json_t *by_phases = NULL;
  size_t i;
  int failure = 0;

  for (i = 0; i < 3; i++) {
    failure = failure || failed(run, rebal_result_new(NULL, &earlier[i], &run->err));
  }
  copy.ledger = NULL;
  if (opts->ledger != NULL) {
    failure = failure || failed(run, rebal_ledger_fork(opts->ledger, &copy.ledger, &run->err));
  }
  if (!failure &&
      !failed(run, rebal_schedule(run->ctx, world->snapshot, world->bindings, opts, run->result, &run->err))) {
    at_once = report(run, world, input);
  }
  if (at_once != NULL &&
      !failed(run, rebal_filter(run->ctx, world->snapshot, world->bindings, &copy, earlier[0], &run->err)) &&
      !failed(run, rebal_score(run->ctx, world->snapshot, world->bindings, earlier[0], &copy, earlier[1], &run->err)) &&
      !failed(run,
              rebal_select(run->ctx, world->snapshot, world->bindings, earlier[1], &copy, earlier[2], &run->err)) &&
      !failed(run,
              rebal_assign(run->ctx, world->snapshot, world->bindings, earlier[2], &copy, run->result, &run->err))) {
    by_phases = report(run, world, input);
  }
  if (at_once != NULL && by_phases != NULL && !json_equal(at_once, by_phases)) {
    run->fault = "the phases one by one differ from the whole";
  }
  rebal_result_reset(run->result);
  for (i = 0; i < 3; i++) {
    rebal_result_free(earlier[i]);
  }
  rebal_ledger_free(copy.ledger);
  json_decref(by_phases);
  return at_once;
}

static int set_options(struct conformance *run, const struct world *world, const json_t *input) {
  return failed(run, rebal_compat_set(world->compat, REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION,
                                      boolean_at(input, "enableEmptyWorkloadPropagation"), &run->err));
}

static json_t *run_world(struct conformance *run, struct world *world, const json_t *input) {
  rebal_schedule_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .flags = REBAL_SCHEDULE_FLAG_SINGLE_GROUP, .compat = world->compat};
  struct estimators estimators = {.fits = NULL};
  rebal_bindings *known = NULL;
  rebal_bindings *assigning = NULL;
  json_t *outcome = NULL;

  if (!set_options(run, world, input) && !world_add_set(run, world, json_object_get(input, "bindings"), &known) &&
      !world_add_set(run, world, json_object_get(input, "assigning"), &assigning) &&
      !assumed_read(run, world, json_object_get(input, "assumed"), &opts.ledger) &&
      !estimators_read(run, world, input, &opts, &estimators)) {
    opts.known = known;
    opts.assigning = assigning;
    outcome = schedule(run, world, &opts, input);
  }
  estimators_dispose(&estimators);
  rebal_ledger_free(opts.ledger);
  rebal_bindings_free(known);
  rebal_bindings_free(assigning);
  return outcome;
}

json_t *case_schedule(struct conformance *run, const json_t *input) {
  json_t *bindings = json_pack("[O]", json_object_get(input, "binding"));
  struct world world;
  json_t *outcome = NULL;

  if (!world_build(run, &world, json_object_get(input, "clusters"), bindings, json_object_get(input, "featureGates"))) {
    outcome = run_world(run, &world, input);
  }
  world_dispose(&world);
  json_decref(bindings);
  return outcome;
}

/* More than eight texts are possible; none is recorded. */
void blur_schedule(json_t *outcome, const json_t *test) {
  if (array_has(json_object_get(test, "tags"), "fit-message-open")) {
    (void)json_object_del(json_object_get(outcome, "error"), "message");
  }
}
