/* SPDX-License-Identifier: MIT */
/*
 * Every text that a public function takes may end with NUL (REBAL_TERMINATED) and must have a length that a text can
 * have: the calls of text-calls.def. check-text-calls.py compares them with the headers.
 */
#include "arguments.h"

static const uint32_t offsets[] = {0, 1, 2};
static const int64_t weights[] = {1, 1};
static const rebal_charge nothing = {.struct_size = (uint32_t)sizeof nothing};

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

static int32_t review(struct arguments *a, const char *request, size_t len, const char *id, size_t id_len,
                      rebal_error *err) {
  return rebal_spread_feed_review(a->ctx, a->feed,
                                  &(rebal_pod_request){sizeof(rebal_pod_request), 0, request, len, id, id_len}, &a->now,
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
    for (size_t len = SIZE_MAX - 1; len > INT32_MAX; len = len / 2 + 1) {
      faults += try(call, call->text, len, call->is_find ? call->absent : REBAL_ELIMIT);
    }
    faults += strcmp(call->function, "rebal_recorded_call.id") == 0
                  ? 0 /* NULL with any length: there is none */
                  : try(call, NULL, REBAL_TERMINATED, call->is_find ? call->absent : REBAL_EINVAL);
  }
  (void)printf("%zu texts, %d faults\n", N_CALLS, faults);
  return faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
