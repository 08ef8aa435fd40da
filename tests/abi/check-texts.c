/* SPDX-License-Identifier: MIT */
/*
 * Every text that a public function takes may end with NUL (REBAL_TERMINATED) and must have a length that a text can
 * have: the calls of text-calls.def. check-text-calls.py knows from the headers which there must be.
 */
#include <rebalance/detector.h>
#include <rebalance/rebalance.h>
#include <rebalance/manifest.h>
#include <rebalance/simulation.h>
#include <rebalance/document.h>
#include <rebalance/scheduling.h>
#include <rebalance/spreading.h>
#include <rebalance/watch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW {1773478800, 0, 1}
#define CLUSTER "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m1}}"
#define SPREAD                                                                                              \
  "{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: ws, namespace: ns}, spec: {" \
  "targetRef: {apiVersion: apps/v1, kind: Deployment, name: demo}, subsets: [{name: a}]}}"
#define POD "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns}}"
#define REVIEW                                                                                                  \
  "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, kind: {version: v1, kind: Pod}, " \
  "resource: {version: v1, resource: pods}, operation: CREATE, namespace: ns, object: " POD "}}"
#define SCENARIO "{apiVersion: simulation.rebalance/v1, kind: Scenario}"

/* What calls take that is all right, and places for what they give. */
struct arguments {
  rebal_fleet *fleet; /* cluster 0 is m1 with node 0, whose label a is b */
  rebal_snapshot *snapshot;
  rebal_bindings *bindings; /* not frozen; one binding */
  rebal_bindings *frozen;
  rebal_pods *pods; /* a row */
  rebal_builder *builder;
  rebal_observations *observations;
  rebal_ledger *ledger;
  rebal_compat *compat;
  rebal_ctx *ctx;
  rebal_result *result;
  const rebal_record *workload_spread;
  rebal_spread *spread;
  rebal_store *store; /* m1 and the WorkloadSpread */
  rebal_spread_feed *feed;
  rebal_watch *watch;
  rebal_text *text;
  rebal_document *document;
  rebal_findings *findings;
  rebal_simulation *simulation;
  rebal_time now;
  rebal_quantity quantity;
  const rebal_record *record;
  uint32_t id, line;
  int32_t left;
  int64_t value;
  size_t n;
  char buffer[80];
};

static const uint32_t offsets[] = {0, 1, 2};
static const int64_t weights[] = {1, 1};
static const rebal_charge nothing = {.struct_size = (uint32_t)sizeof nothing};

/* What must work for the rest to mean anything. */
static void require(int32_t code, int line) {
  if (code != REBAL_OK) {
    (void)fprintf(stderr, "line %d: %s\n", line, rebal_strerror(code));
    exit(1);
  }
}
#define REQUIRE(call) require((call), __LINE__)

static uint64_t wide(size_t len) {
  return len == SIZE_MAX ? UINT64_MAX : len;
}

static int is_text(const char *found, const char *wanted) {
  return found != NULL && strcmp(found, wanted) == 0;
}

static rebal_builder *open_pair(struct arguments *a) {
  REQUIRE(rebal_builder_start(a->builder, REBAL_OBJECT_PAIR, NULL));
  return a->builder;
}

static int32_t observe_version(struct arguments *a, const char *text, uint64_t len, rebal_error *err) {
  const rebal_observation observation = {.struct_size = (uint32_t)sizeof observation,
                                         .outcome = REBAL_OBSERVED_DONE,
                                         .resource_version = text,
                                         .resource_version_len = len};
  return rebal_observations_add(a->observations, &observation, err);
}

static int32_t observe_message(struct arguments *a, const char *text, uint64_t len, rebal_error *err) {
  const rebal_observation observation = {
      .struct_size = (uint32_t)sizeof observation, .outcome = REBAL_OBSERVED_DONE, .message = text, .message_len = len};
  return rebal_observations_add(a->observations, &observation, err);
}

static int32_t divide(struct arguments *a, const char *text, uint64_t len, rebal_error *err) {
  const rebal_parties parties = {(uint32_t)sizeof parties, 0, "ab", offsets, weights, 2, text, len};
  return rebal_divide(a->ctx, 3, &parties, NULL, a->result, &a->left, err);
}

static int32_t estimate(struct arguments *a, const char *text, uint64_t len, rebal_error *err) {
  const rebal_estimate_opts opts = {.struct_size = (uint32_t)sizeof opts, .namespace_ = text, .namespace_len = len};
  return rebal_estimate(a->ctx, a->snapshot, REBAL_NONE, &opts, a->result, err);
}

static int32_t schedule(struct arguments *a, const rebal_schedule_opts *opts, rebal_error *err) {
  return rebal_schedule(a->ctx, a->snapshot, a->frozen, opts, a->result, err);
}

static int32_t schedule_as(struct arguments *a, const char *text, uint64_t len, rebal_error *err) {
  const rebal_schedule_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .scheduler_name = text, .scheduler_name_len = len};
  return schedule(a, &opts, err);
}

static int32_t schedule_because(struct arguments *a, const char *text, uint64_t len, rebal_error *err) {
  const rebal_schedule_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .extra_reject_reason = text, .extra_reject_reason_len = len};
  return schedule(a, &opts, err);
}

/* A limit of a plan. */
static int32_t plan(struct arguments *a, const rebal_limit *limit, rebal_error *err) {
  const rebal_limit *const limits[] = {limit};
  const rebal_plan_opts opts = {.struct_size = (uint32_t)sizeof opts, .limits = limits, .n_limits = 1};
  rebal_plan *made = NULL;
  const int32_t code = rebal_plan_make(a->ctx, a->snapshot, a->frozen, &a->now, &opts, &made, err);
  rebal_plan_free(made);
  return code;
}

static int32_t limit_subject(struct arguments *a, const char *text, uint64_t len, rebal_error *err) {
  const rebal_limit limit = {
      .struct_size = (uint32_t)sizeof limit, .scope = REBAL_LIMIT_SCOPE_NAMESPACE, .subject = text, .subject_len = len};
  return plan(a, &limit, err);
}

static int32_t limit_label(struct arguments *a, const char *text, uint64_t len, rebal_error *err) {
  const rebal_limit limit = {
      .struct_size = (uint32_t)sizeof limit, .scope = REBAL_LIMIT_SCOPE_LABEL, .label = text, .label_len = len};
  return plan(a, &limit, err);
}

static int32_t dump(struct arguments *a, const char *text, uint64_t len, rebal_error *err) {
  const rebal_recorded_call call = {.struct_size = (uint32_t)sizeof call,
                                    .call = REBAL_CALL_SCHEDULE,
                                    .snapshot = a->snapshot,
                                    .bindings = a->frozen,
                                    .result = a->result,
                                    .id = text,
                                    .id_len = len};
  const int32_t code = schedule(a, NULL, err);
  return code == REBAL_OK ? rebal_manifest_dump_call(&call, a->text, err) : code;
}

static int32_t render(struct arguments *a, const char *text, uint64_t len, rebal_error *err) {
  const rebal_render_opts opts = {(uint32_t)sizeof opts, REBAL_TEXT_FORMAT_JSON, text, len};
  return rebal_store_render_action(a->store, a->result, 0, &opts, a->text, NULL, err);
}

static int32_t watch(struct arguments *a, const char *version, size_t version_len, const char *kind, size_t kind_len,
                     rebal_error *err) {
  rebal_watch *made = NULL;
  const int32_t code = rebal_watch_new(a->store, version, version_len, kind, kind_len, NULL, &made, err);
  rebal_watch_free(made);
  return code;
}

static int32_t follow(struct arguments *a, const char *name, uint64_t len, rebal_error *err) {
  const rebal_scheduler_feed_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .scheduler_name = name, .scheduler_name_len = len};
  rebal_scheduler_feed *made = NULL;
  const int32_t code = rebal_scheduler_feed_new(a->store, a->fleet, &opts, &made, err);
  rebal_scheduler_feed_free(made);
  return code;
}

static int32_t watch_for(struct arguments *a, rebal_watch_opts opts, rebal_error *err) {
  rebal_watch *made = NULL;
  int32_t code;
  opts.struct_size = (uint32_t)sizeof opts;
  code = rebal_watch_new(a->store, "v1", 2, "Pod", 3, &opts, &made, err);
  rebal_watch_free(made);
  return code;
}

static int32_t interpret(struct arguments *a, const char *paths, uint64_t len, rebal_error *err) {
  rebal_interpret_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .replicas_paths = paths, .replicas_paths_len = len};
  rebal_document *answer = NULL;
  int32_t code;
  REQUIRE(rebal_document_read(POD, REBAL_TERMINATED, NULL, &a->document, NULL));
  code = rebal_interpret(a->document, REBAL_INTERPRET_STATUS, &opts, &answer, err);
  rebal_document_free(answer);
  return code;
}

static int32_t detect(struct arguments *a, const char *apis, uint64_t apis_len, const char *paths, uint64_t len,
                      rebal_error *err) {
  rebal_detector_opts opts = {.struct_size = (uint32_t)sizeof opts,
                              .skipped_apis = apis,
                              .skipped_apis_len = apis_len,
                              .replicas_paths = paths,
                              .replicas_paths_len = len};
  rebal_detector *detector = NULL;
  const int32_t code = rebal_detector_new(a->store, &opts, &detector, err);
  rebal_detector_free(detector);
  return code;
}

static int32_t inject(struct arguments *a, const char *id, size_t id_len, rebal_error *err) {
  rebal_document *pod = NULL;
  int32_t code;
  REQUIRE(rebal_document_read(POD, REBAL_TERMINATED, NULL, &pod, NULL));
  code = rebal_document_inject(pod, a->spread, 0, id, id_len, &a->document, err);
  rebal_document_free(pod);
  return code;
}

/* A pod patched by an empty map. */
static int32_t patch(struct arguments *a, const char *pod, size_t len, rebal_error *err) {
  REQUIRE(rebal_document_read("{}", 2, NULL, &a->document, NULL));
  return rebal_manifest_patch(pod, len, NULL, a->document, REBAL_PATCH_MERGE, REBAL_TEXT_FORMAT_JSON, a->text, err);
}

static int32_t admit(struct arguments *a, const char *pod, size_t len, const char *id, size_t id_len,
                     rebal_error *err) {
  return rebal_spread_feed_admit(
      a->ctx, a->feed, &(rebal_pod_request){sizeof(rebal_pod_request), REBAL_OPERATION_CREATE, pod, len, id, id_len},
      &a->now, NULL, a->result, a->text, err);
}

static int32_t review(struct arguments *a, const char *asked, size_t len, const char *id, size_t id_len,
                      rebal_error *err) {
  return rebal_spread_feed_review(a->ctx, a->feed,
                                  &(rebal_pod_request){sizeof(rebal_pod_request), 0, asked, len, id, id_len}, &a->now,
                                  NULL, a->result, a->text, err);
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

#define PASTE(line) call_##line
#define EXPAND(line) PASTE(line)
#define NAME_OF(line) EXPAND(line)
#define TEXT(function, text, answer, call)                                                            \
  static int64_t NAME_OF(__LINE__)(struct arguments * a, const char *t, size_t n, rebal_error *err) { \
    return (int64_t)(call);                                                                           \
  }
#define FIND(function, text, answer, absent, call)                                                    \
  static int64_t NAME_OF(__LINE__)(struct arguments * a, const char *t, size_t n, rebal_error *err) { \
    (void)err;                                                                                        \
    return (int64_t)(call);                                                                           \
  }
#include "text-calls.def"
#undef TEXT
#undef FIND

struct call {
  const char *function, *text;
  int line;
  int is_find;
  int64_t answer, absent;
  int64_t (*run)(struct arguments *a, const char *t, size_t n, rebal_error *err);
};

static const struct call calls[] = {
#define TEXT(function, text, answer, call) {#function, text, __LINE__, 0, answer, 0, NAME_OF(__LINE__)},
#define FIND(function, text, answer, absent, call) {#function, text, __LINE__, 1, answer, absent, NAME_OF(__LINE__)},
#include "text-calls.def"
#undef TEXT
#undef FIND
};
#define N_CALLS (sizeof calls / sizeof calls[0])

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static void make_core(struct arguments *a) {
  REQUIRE(rebal_builder_new(NULL, &a->builder, NULL));
  REQUIRE(rebal_fleet_new(NULL, &a->fleet, NULL));
  REQUIRE(rebal_fleet_add_cluster(a->fleet, "m1", 2, &a->id, NULL));
  REQUIRE(rebal_fleet_add_node(a->fleet, 0, "n1", 2, &a->id, NULL));
  REQUIRE(rebal_manifest_read_record("{a: b}", 6, REBAL_OBJECT_LABELS, NULL, a->builder, &a->record, NULL));
  REQUIRE(rebal_fleet_set_node_labels(a->fleet, 0, 0, a->record, NULL));
  REQUIRE(rebal_fleet_freeze(a->fleet, &a->snapshot, NULL));
  REQUIRE(rebal_bindings_new(a->fleet, NULL, &a->bindings, NULL));
  REQUIRE(rebal_cells_add(rebal_bindings_cells(a->bindings), REBAL_TABLE_BINDING, REBAL_NONE, &a->id, 1, NULL));
  REQUIRE(rebal_bindings_new(a->fleet, NULL, &a->frozen, NULL));
  REQUIRE(rebal_cells_add(rebal_bindings_cells(a->frozen), REBAL_TABLE_BINDING, REBAL_NONE, &a->id, 1, NULL));
  REQUIRE(rebal_bindings_freeze(a->frozen, NULL));
  REQUIRE(rebal_pods_new(a->fleet, NULL, &a->pods, NULL));
  REQUIRE(rebal_cells_add(rebal_pods_cells(a->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &a->id, 1, NULL));
  REQUIRE(rebal_observations_new(NULL, &a->observations, NULL));
  REQUIRE(rebal_ledger_new(a->fleet, NULL, &a->ledger, NULL));
  REQUIRE(rebal_compat_new(NULL, &a->compat, NULL));
  REQUIRE(rebal_ctx_new(NULL, NULL, &a->ctx, NULL));
  REQUIRE(rebal_result_new(NULL, &a->result, NULL));
}

static void make_arguments(struct arguments *a) {
  *a = (struct arguments){.now = NOW};
  make_core(a);
  REQUIRE(rebal_manifest_read_record(SPREAD, strlen(SPREAD), REBAL_OBJECT_WORKLOAD_SPREAD, NULL, a->builder,
                                     &a->workload_spread, NULL));
  REQUIRE(rebal_spread_new(NULL, a->workload_spread, &a->spread, NULL));
  REQUIRE(rebal_store_new(NULL, &a->store, NULL));
  REQUIRE(rebal_store_load(a->store, CLUSTER, strlen(CLUSTER), NULL));
  REQUIRE(rebal_store_load(a->store, SPREAD, strlen(SPREAD), NULL));
  REQUIRE(rebal_spread_feed_new(a->store, a->fleet, 0, &a->feed, NULL));
  REQUIRE(rebal_spread_feed_update(a->feed, NULL));
  REQUIRE(rebal_watch_new(a->store, "v1", 2, "Pod", 3, NULL, &a->watch, NULL));
  REQUIRE(rebal_text_new(&a->text, NULL));
  REQUIRE(rebal_simulation_new(NULL, &a->simulation, NULL));
}

static void free_arguments(struct arguments *a) {
  rebal_simulation_free(a->simulation);
  rebal_findings_free(a->findings);
  rebal_document_free(a->document);
  rebal_text_free(a->text);
  rebal_watch_free(a->watch);
  rebal_spread_feed_free(a->feed);
  rebal_store_free(a->store);
  rebal_spread_free(a->spread);
  rebal_result_free(a->result);
  rebal_ctx_free(a->ctx);
  rebal_compat_free(a->compat);
  rebal_ledger_free(a->ledger);
  rebal_observations_free(a->observations);
  rebal_pods_free(a->pods);
  rebal_bindings_free(a->frozen);
  rebal_bindings_free(a->bindings);
  rebal_snapshot_unref(a->snapshot);
  rebal_fleet_free(a->fleet);
  rebal_builder_free(a->builder);
}

/* Calls with a text of this length; 1 when the answer is another one. */
static int try(const struct call *call, const char *text, size_t len, int64_t answer) {
  rebal_error err = REBAL_ERROR_INIT;
  struct arguments a;
  int64_t found;

  make_arguments(&a);
  found = call->run(&a, text, len, &err);
  free_arguments(&a);
  if (found == answer && (call->is_find || found == REBAL_OK || (err.code == found && err.message[0] != '\0'))) {
    return 0;
  }
  (void)printf("text-calls.def:%d: %s with length %zu: expected %lld, got %lld (%s)\n", call->line, call->function, len,
               (long long)answer, (long long)found, err.message);
  return 1;
}

int main(void) {
  int faults = 0;

  for (size_t i = 0; i < N_CALLS; i++) {
    const struct call *call = &calls[i];

    faults += try(call, call->text, strlen(call->text), call->answer);
    faults += try(call, call->text, REBAL_TERMINATED, call->answer);
    faults += try(call, call->text, SIZE_MAX - 1, call->is_find ? call->absent : REBAL_ELIMIT);
    faults += try(call, call->text, SIZE_MAX / 2 + 1, call->is_find ? call->absent : REBAL_ELIMIT);
    faults += try(call, call->text, SIZE_MAX / 4 + 1, call->is_find ? call->absent : REBAL_ELIMIT);
    faults += strcmp(call->function, "rebal_recorded_call.id") == 0
                  ? 0 /* NULL with any length: there is none */
                  : try(call, NULL, REBAL_TERMINATED, call->is_find ? call->absent : REBAL_EINVAL);
  }
  (void)printf("%zu texts, %d faults\n", N_CALLS, faults);
  return faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
