/* SPDX-License-Identifier: MIT */
/*
 * Structures with struct_size may grow: each call of size-calls.def takes one that is longer than the library's if the
 * rest is zero, and returns a clear error if it is not; one that is too short is refused. Prints the shortest size that
 * each call takes. check-size-calls.py checks that no call is missing.
 */
#include "arguments.h"

#define LATER 8u     /* bytes that a later version may add */
#define LONGEST 512u /* of any structure */
#define UNWRAP(...) __VA_ARGS__
#define STORY SCENARIO "\n---\n" CLUSTER

static const uint32_t none = REBAL_NONE;
static const int32_t one = 1;
static const uint64_t no_pairs[] = {0};
static const uint32_t offsets[] = {0, 1, 2};
static const int64_t weights[] = {1, 1};
static const rebal_parties two_parties = {(uint32_t)sizeof two_parties, 0, "ab", offsets, weights, 2, "", 0};
static const rebal_movement nothing_moves = {.struct_size = (uint32_t)sizeof nothing_moves, .offsets = no_pairs};
static const rebal_pod_request a_pod = {(uint32_t)sizeof a_pod, REBAL_OPERATION_CREATE, POD, sizeof POD - 1, NULL, 0};
static const rebal_pod_request a_review = {(uint32_t)sizeof a_review, 0, REVIEW, sizeof REVIEW - 1, NULL, 0};

/* ---- calls that need more than a line ---------------------------------------------------------------------------- */

static int32_t new_ctx(const void *o, rebal_error *err) {
  rebal_ctx *made = NULL;
  const int32_t code = rebal_ctx_new(NULL, o, &made, err);
  rebal_ctx_free(made);
  return code;
}

static const rebal_result *filtered(struct arguments *a) {
  REQUIRE(rebal_filter(a->ctx, a->snapshot, a->frozen, NULL, a->result, NULL));
  return a->result;
}

static const rebal_result *scored(struct arguments *a) {
  REQUIRE(rebal_score(a->ctx, a->snapshot, a->frozen, filtered(a), NULL, a->more, NULL));
  return a->more;
}

static const rebal_result *selected(struct arguments *a) {
  REQUIRE(rebal_select(a->ctx, a->snapshot, a->frozen, scored(a), NULL, a->result, NULL));
  return a->result;
}

static const rebal_result *decided(struct arguments *a) {
  REQUIRE(rebal_schedule(a->ctx, a->snapshot, a->frozen, NULL, a->result, NULL));
  return a->result;
}

static int32_t estimate_by(struct arguments *a, const void *o, rebal_error *err) {
  const rebal_estimator *const estimators[] = {o};
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .estimators = estimators, .n_estimators = 1};
  return rebal_schedule(a->ctx, a->snapshot, a->frozen, &opts, a->result, err);
}

static int32_t make_plan(struct arguments *a, const void *o, rebal_error *err) {
  rebal_plan *made = NULL;
  const int32_t code = rebal_plan_make(a->ctx, a->snapshot, a->frozen, &a->now, o, &made, err);
  rebal_plan_free(made);
  return code;
}

static int32_t make_plan_within(struct arguments *a, const void *o, rebal_error *err) {
  const rebal_limit *const limits[] = {o};
  const rebal_plan_opts opts = {.struct_size = (uint32_t)sizeof opts, .limits = limits, .n_limits = 1};
  return make_plan(a, &opts, err);
}

static int32_t reconsider_after(struct arguments *a, const void *o, rebal_error *err) {
  const rebal_reconsider_opts opts = {.struct_size = (uint32_t)sizeof opts, .history = o};
  return rebal_reconsider(a->plan, a->frozen, &a->now, &opts, a->result, err);
}

static int32_t rewrite_within(struct arguments *a, const void *o, rebal_error *err) {
  const rebal_rewrite_opts opts = {.struct_size = (uint32_t)sizeof opts, .limits = o};
  return rebal_manifest_rewrite("{}", 2, &opts, a->text, err);
}

static int32_t patch_within(struct arguments *a, const void *o, rebal_error *err) {
  REQUIRE(rebal_document_read("{}", 2, NULL, &a->document, NULL));
  return rebal_manifest_patch("{}", 2, o, a->document, REBAL_PATCH_MERGE, REBAL_TEXT_FORMAT_JSON, a->text, err);
}

static int32_t replay_within(struct arguments *a, const void *o, rebal_error *err) {
  const rebal_recorded_call call = {.struct_size = (uint32_t)sizeof call,
                                    .call = REBAL_CALL_SCHEDULE,
                                    .snapshot = a->snapshot,
                                    .bindings = a->frozen,
                                    .result = decided(a)};
  size_t len;
  const char *line;
  REQUIRE(rebal_manifest_dump_call(&call, a->text, NULL));
  line = rebal_text_bytes(a->text, &len);
  return rebal_manifest_replay_call(line, len, o, &a->left, NULL, NULL, NULL, err);
}

static int32_t interpret_by(struct arguments *a, const void *o, rebal_error *err) {
  rebal_document *answer = NULL;
  int32_t code;
  REQUIRE(rebal_document_read(POD, REBAL_TERMINATED, NULL, &a->document, NULL));
  code = rebal_interpret(a->document, REBAL_INTERPRET_STATUS, o, &answer, err);
  rebal_document_free(answer);
  return code;
}

static int32_t new_store(const void *o, rebal_error *err) {
  rebal_store *made = NULL;
  const int32_t code = rebal_store_new(o, &made, err);
  rebal_store_free(made);
  return code;
}

static int32_t new_detector(struct arguments *a, const void *o, rebal_error *err) {
  rebal_detector *made = NULL;
  const int32_t code = rebal_detector_new(a->store, o, &made, err);
  rebal_detector_free(made);
  return code;
}

static int32_t new_scheduler_feed(struct arguments *a, const void *o, rebal_error *err) {
  rebal_scheduler_feed *made = NULL;
  const int32_t code = rebal_scheduler_feed_new(a->store, a->fleet, o, &made, err);
  rebal_scheduler_feed_free(made);
  return code;
}

static int32_t step_scheduler_feed(struct arguments *a, const void *o, rebal_error *err) {
  rebal_scheduler_feed *made = NULL;
  int32_t code;
  REQUIRE(rebal_scheduler_feed_new(a->store, a->fleet, NULL, &made, NULL));
  REQUIRE(rebal_scheduler_feed_update(made, &a->now, NULL));
  code = rebal_scheduler_feed_step(a->ctx, made, &a->now, o, a->result, err);
  rebal_scheduler_feed_free(made);
  return code;
}

static int32_t step_united(struct arguments *a, const void *o, rebal_error *err) {
  const uint32_t object = rebal_store_find(a->store, "UnitedDeployment", 16, "ns", 2, "u", 1);
  return rebal_spread_feed_united_step(a->ctx, a->feed, object, &a->now, o, a->result, err);
}

static int32_t new_watch(struct arguments *a, const void *o, rebal_error *err) {
  rebal_watch *made = NULL;
  const int32_t code = rebal_watch_new(a->store, "v1", 2, "Pod", 3, o, &made, err);
  rebal_watch_free(made);
  return code;
}

static int32_t new_simulation(const void *o, rebal_error *err) {
  rebal_simulation *made = NULL;
  const int32_t code = rebal_simulation_new(o, &made, err);
  rebal_simulation_free(made);
  return code;
}

/* ---- what is filled ---------------------------------------------------------------------------------------------- */

static const rebal_plan *least(struct arguments *a) {
  const rebal_plan_opts opts = {.struct_size = (uint32_t)sizeof opts, .mode = REBAL_PLAN_MODE_LEAST};
  rebal_plan_free(a->plan);
  a->plan = NULL;
  REQUIRE(rebal_plan_make(a->ctx, a->snapshot, a->frozen, &a->now, &opts, &a->plan, NULL));
  a->problem.struct_size = (uint32_t)sizeof a->problem;
  return a->plan;
}

static const rebal_findings *findings(struct arguments *a) {
  REQUIRE(rebal_manifest_validate("{}", 2, NULL, &a->findings, NULL));
  return a->findings;
}

static const rebal_result *step(struct arguments *a) {
  REQUIRE(rebal_rebalancer_step(a->ctx, a->rebalancer, &a->now, NULL, a->result, NULL));
  return a->result;
}

static const rebal_simulation *played(struct arguments *a) {
  REQUIRE(rebal_simulation_run(a->simulation, STORY, strlen(STORY), REBAL_TEXT_FORMAT_JSON, a->text, NULL, NULL));
  return a->simulation;
}

static rebal_detector *detector(struct arguments *a) {
  if (a->detector == NULL) {
    REQUIRE(rebal_detector_new(a->store, NULL, &a->detector, NULL));
    REQUIRE(rebal_detector_wait(a->detector, 0, NULL));
  }
  return a->detector;
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

#define PASTE(part, line) part##_##line
#define EXPAND(part, line) PASTE(part, line)
#define NAME_OF(part) EXPAND(part, __LINE__)
#define SIZE(function, type, valid, call)                                        \
  static size_t NAME_OF(fill)(struct arguments * a, void *out) {                 \
    const type filled = {.struct_size = (uint32_t)sizeof filled, UNWRAP valid};  \
    (void)a;                                                                     \
    memcpy(out, &filled, sizeof filled);                                         \
    return sizeof filled;                                                        \
  }                                                                              \
  static int32_t NAME_OF(run)(struct arguments * a, void *o, rebal_error *err) { \
    (void)a;                                                                     \
    return call;                                                                 \
  }
#define FILL(function, type, answer, call)                                       \
  static size_t NAME_OF(fill)(struct arguments * a, void *out) {                 \
    const type empty = {.struct_size = (uint32_t)sizeof empty};                  \
    (void)a;                                                                     \
    memcpy(out, &empty, sizeof empty);                                           \
    return sizeof empty;                                                         \
  }                                                                              \
  static int32_t NAME_OF(run)(struct arguments * a, void *o, rebal_error *err) { \
    (void)a;                                                                     \
    return call;                                                                 \
  }
#include "size-calls.def"
#undef SIZE
#undef FILL

struct call {
  const char *function, *type;
  int line, is_filled;
  int32_t answer; /* of what is filled */
  size_t (*fill)(struct arguments *a, void *out);
  int32_t (*run)(struct arguments *a, void *o, rebal_error *err);
};

static const struct call calls[] = {
#define SIZE(function, type, valid, call) {#function, #type, __LINE__, 0, REBAL_OK, NAME_OF(fill), NAME_OF(run)},
#define FILL(function, type, answer, call) {#function, #type, __LINE__, 1, answer, NAME_OF(fill), NAME_OF(run)},
#include "size-calls.def"
#undef SIZE
#undef FILL
};
#define N_CALLS (sizeof calls / sizeof calls[0])

/* The answer to a structure with this struct_size, whose last byte is last; known: its size in these headers. */
static int32_t answer(const struct call *call, size_t size, unsigned char last, size_t *known, rebal_error *err) {
  union {
    uint64_t aligned;
    unsigned char bytes[LONGEST];
  } o = {0};
  const uint32_t stated = (uint32_t)size;
  struct arguments a;
  int32_t code;

  make_arguments(&a);
  *known = call->fill(&a, o.bytes);
  if (size != 0) {
    memcpy(o.bytes, &stated, sizeof stated);
  }
  o.bytes[size == 0 ? LONGEST - 1 : size - 1] |= last;
  code = call->run(&a, o.bytes, err);
  free_arguments(&a);
  return code;
}

static int expect(const struct call *call, const char *what, int32_t wanted, int32_t found, const rebal_error *err) {
  if (wanted == found && (found == REBAL_OK || (err->code == found && err->message[0] != '\0'))) {
    return 0;
  }
  (void)printf("size-calls.def:%d: %s with %s %s: expected %d, got %d (%s)\n", call->line, call->function, what,
               call->type, (int)wanted, (int)found, err->message);
  return 1;
}

/* Prints the shortest size that is taken; shorter ones must be refused. */
static int try_shorter(const struct call *call, size_t known, int32_t usual) {
  size_t first = known, ignored;
  int faults = 0;

  for (size_t size = known - 4; size >= 4; size -= 4) {
    rebal_error err = REBAL_ERROR_INIT;
    const int32_t found = answer(call, size, 0, &ignored, &err);

    if (found == usual && usual != REBAL_EABI && first == size + 4) {
      first = size;
    } else {
      faults += expect(call, "a shorter", REBAL_EABI, found, &err);
    }
  }
  (void)printf("%s %s %zu\n", call->function, call->type, first);
  return faults;
}

static int try(const struct call *call) {
  rebal_error errors[3] = {REBAL_ERROR_INIT, REBAL_ERROR_INIT, REBAL_ERROR_INIT};
  size_t known, ignored;
  const int32_t usual = answer(call, 0, 0, &known, &errors[0]);
  const int32_t with_zeros = answer(call, known + LATER, 0, &ignored, &errors[1]);
  const int32_t with_more = call->is_filled ? REBAL_EUNSUPPORTED : answer(call, known + LATER, 1, &ignored, &errors[2]);

  return expect(call, "a longer, zero", usual, with_zeros, &errors[1]) +
         (call->is_filled ? 0 : expect(call, "a longer", REBAL_EUNSUPPORTED, with_more, &errors[2])) +
         try_shorter(call, known, usual) +
         (usual == REBAL_EUNSUPPORTED || call->is_filled ? expect(call, "a usual", call->answer, usual, &errors[0])
                                                         : 0);
}

int main(void) {
  int faults = 0;

  for (size_t i = 0; i < N_CALLS; i++) {
    faults += try(&calls[i]);
  }
  (void)printf("%zu calls, %d faults\n", N_CALLS, faults);
  return faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
