/* SPDX-License-Identifier: MIT */
/* What the tests of the simulation share: scenarios in small pieces, and questions to the log. */
#ifndef RUNNING_H
#define RUNNING_H

#include "simulation/scenario/simulation.h"

#include "../unit.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A scenario whose head ends with more members; clusters of 100 pods; a Deployment of 3 replicas with its policy. */
#define HEAD(more) "apiVersion: simulation.rebalance/v1\nkind: Scenario\nstart: \"2024-01-01T00:00:00Z\"\n" more
#define APIS "  apiEnablements: [{groupVersion: apps/v1, resources: [{name: deployments, kind: Deployment}]}]\n"
#define CLUSTER(name)                                                                   \
  "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name \
  "}\nspec: {syncMode: Push}\n"                                                         \
  "status:\n" APIS "  resourceSummary: {allocatable: {cpu: \"1\", memory: 1Gi, pods: \"100\"}}\n"
#define FOO(replicas)                                                                                     \
  "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: foo, uid: a}\nspec: {replicas: " replicas \
  ", template: {spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}}\n"
#define POLICY(placement)                                                                               \
  "---\napiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: pp}\nspec:\n" \
  "  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: foo}]\n  placement: " placement "\n"
#define DYNAMIC                                                                               \
  "replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, " \
  "weightPreference: {dynamicWeight: AvailableReplicas}}"
#define BASIC HEAD("") CLUSTER("m1") CLUSTER("m2") FOO("3") POLICY("{" DYNAMIC "}")
#define STEP(name) "---\nkind: Step\nmetadata: {name: " name "}\n"
#define EVICTING "options: {enableNoExecuteTaintEviction: true}\n"

static inline rebal_simulation *new_simulation(const rebal_simulation_opts *opts) {
  rebal_simulation *simulation = NULL;
  ck_assert_int_eq(rebal_simulation_new(opts, &simulation, NULL), REBAL_OK);
  return simulation;
}

static inline rebal_simulation_entry log_entry(const rebal_simulation *simulation, size_t row) {
  rebal_simulation_entry entry = {.struct_size = sizeof entry};
  ck_assert_int_eq(rebal_simulation_log_read(simulation, row, &entry, NULL), REBAL_OK);
  return entry;
}

static inline rebal_simulation_summary summary_of(const rebal_simulation *simulation) {
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  ck_assert_int_eq(rebal_simulation_summarize(simulation, &summary, NULL), REBAL_OK);
  return summary;
}

/* Runs a scenario in which every expectation holds and there is at least one. */
static inline rebal_simulation *run_scenario(const char *text) {
  rebal_simulation *simulation = new_simulation(NULL);
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  rebal_error err = REBAL_ERROR_INIT;
  rebal_text *log = NULL;
  ck_assert_int_eq(rebal_text_new(&log, NULL), REBAL_OK);
  const int32_t code =
      rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, log, &summary, &err);
  ck_assert_msg(code == REBAL_OK, "document %u, %s: %s", err.document, err.field, err.message);
  if (summary.failed > 0 || summary.held == 0) {
    (void)fprintf(stderr, "%s", rebal_text_bytes(log, NULL));
  }
  ck_assert_msg(summary.failed == 0 && summary.held > 0, "expectations failed, see the log above");
  rebal_text_free(log);
  return simulation;
}

static inline void assert_runs(const char *text) {
  rebal_simulation_free(run_scenario(text));
}

/* Rows of a controller whose change contains a text. */
static inline size_t count_rows(const rebal_simulation *simulation, const char *controller, const char *change) {
  size_t n = 0;
  for (size_t i = 0; i < summary_of(simulation).log_rows; i++) {
    n += strcmp(log_entry(simulation, i).controller, controller) == 0 &&
         strstr(log_entry(simulation, i).change, change) != NULL;
  }
  return n;
}

/* Time of the first such row, "" when there is none. */
static inline const char *time_of(const rebal_simulation *simulation, const char *controller, const char *change) {
  for (size_t i = 0; i < summary_of(simulation).log_rows; i++) {
    if (strcmp(log_entry(simulation, i).controller, controller) == 0 &&
        strstr(log_entry(simulation, i).change, change) != NULL) {
      return log_entry(simulation, i).time;
    }
  }
  return "";
}

/* Time of the last such row, "" when there is none. */
static inline const char *last_time_of(const rebal_simulation *simulation, const char *controller, const char *change) {
  for (size_t i = (size_t)summary_of(simulation).log_rows; i-- > 0;) {
    if (strcmp(log_entry(simulation, i).controller, controller) == 0 &&
        strstr(log_entry(simulation, i).change, change) != NULL) {
      return log_entry(simulation, i).time;
    }
  }
  return "";
}

/* A scenario that must be refused, and where. */
struct refusal {
  const char *text;
  int32_t code;
  uint32_t document, line;
  const char *field;
  const char *message; /* part of it */
};

static inline void assert_refused(const struct refusal *refusal) {
  rebal_simulation *simulation = new_simulation(NULL);
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t code =
      rebal_simulation_run(simulation, refusal->text, strlen(refusal->text), REBAL_LOG_FORMAT_TABLE, NULL, NULL, &err);
  ck_assert_msg(code == refusal->code && err.code == code, "%s\ncode %d: %s", refusal->text, code, err.message);
  ck_assert_msg(err.document == refusal->document && err.line == refusal->line, "%s\ndocument %u line %u: %s",
                refusal->text, err.document, err.line, err.message);
  ck_assert_str_eq(err.field, refusal->field);
  ck_assert_msg(strstr(err.message, refusal->message) != NULL, "%s", err.message);
  rebal_simulation_free(simulation);
}

#endif
