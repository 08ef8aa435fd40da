/* SPDX-License-Identifier: MIT */
/*
 * Results beyond the recorded cases: numbers larger than those tried with the reference, objects that admission would
 * have refused, and memory that runs out in the middle of a batch.
 */
#include "../support/allocator.h"
#include "../support/fleet_builder.h"

#include <stdio.h>
#include <string.h>

static int expect_text(const char *what, const char *expected, const char *found) {
  if (strcmp(expected, found) == 0) {
    return 0;
  }
  (void)printf("%s: expected \"%s\", got \"%s\"\n", what, expected, found);
  return 1;
}

/* Spec karmada 6.3.1: nodes of the resource models are counted up to 2^31 - 1 replicas, then free pods count. */
static int models_stop_at_int32(void) {
  const struct test_cluster cluster = {
      .name = "m1", .allocatable = "cpu=1 pods=5000000000", .models = "0:cpu=1", .modelings = "0=1000000000000"};
  const struct test_binding binding = {.request = "cpu=500m"};
  struct test_world world;
  char found[32] = "";
  const int64_t *replicas;
  int32_t code;
  int faults;

  test_world_open(&world, NULL);
  test_world_fill(&world, &cluster, 1, &binding);
  code = rebal_estimate(world.ctx, world.snapshot, test_request_handle(&world, "cpu=500m"), NULL, world.result, NULL);
  replicas = rebal_result_i64(world.result, REBAL_ESTIMATE_REPLICAS, NULL);
  if (code == REBAL_OK && replicas != NULL) {
    (void)snprintf(found, sizeof found, "%lld", (long long)replicas[0]);
  }
  faults = expect_text("replicas by resource models", "2147483647", found);
  test_world_close(&world);
  return faults;
}

/* Spec karmada 6.4, 6.7: sets of several components on 2^63 - 1 nodes, the largest number. */
static int sets_stop_at_int32(void) {
  static const int32_t replicas[2] = {3, 1};
  const struct test_cluster cluster = {.name = "m1",
                                       .allocatable = "cpu=1E pods=9223372036854775807",
                                       .models = "0:cpu=4",
                                       .modelings = "0=9223372036854775807"};
  struct test_world world;
  uint32_t requirements[2];
  char found[32] = "";
  const int64_t *sets;
  int32_t code;
  int faults;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &cluster);
  requirements[0] = test_request_handle(&world, "cpu=1");
  requirements[1] = test_request_handle(&world, "cpu=2");
  test_freeze(&world);
  code = rebal_estimate_sets(world.ctx, world.snapshot, requirements, replicas, 2, NULL, world.result, NULL);
  sets = rebal_result_i64(world.result, REBAL_ESTIMATE_REPLICAS, NULL);
  if (code == REBAL_OK && sets != NULL) {
    (void)snprintf(found, sizeof found, "%lld", (long long)sets[0]);
  }
  faults = expect_text("sets by resource models", "2147483647", found);
  test_world_close(&world);
  return faults;
}

/* Spec karmada 12.1: where two terms have one name, the overflow affinities of either divide by tiers. */
static int overflow_of_a_second_term(void) {
  const struct test_cluster clusters[] = {{.name = "m1", .allocatable = "pods=10"},
                                          {.name = "m2", .allocatable = "pods=10"}};
  const struct test_affinity overflow = {.clusters = "m2"};
  const struct test_affinity terms[] = {{.name = "a", .clusters = "m1"},
                                        {.name = "a", .clusters = "m1", .overflow = &overflow, .n_overflow = 1}};
  const struct test_placement placement = {.terms = terms, .n_terms = 2, .scheduling = "Divided/Aggregated"};
  const struct test_binding binding = {.replicas = 20, .request = "", .placement = &placement, .observed = "a"};
  struct test_world world;
  int faults;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, 2, &binding);
  faults = expect_text("tiers of terms with one name",
                       "unschedulable: failed to assign replicas: Clusters available replicas are not enough to "
                       "schedule.",
                       test_schedule(&world, NULL, 0));
  test_world_close(&world);
  return faults;
}

/* columns.def: AFFINITY_NAME is the group of the result, so a name from a former group must not remain. */
static int a_former_group_is_not_named(void) {
  const struct test_cluster cluster = {.name = "m1"};
  const struct test_placement placement = {.scheduling = "Duplicated"};
  const struct test_binding binding = {.replicas = 2, .request = "", .placement = &placement, .observed = "old"};
  struct test_world world;
  int faults;

  test_world_open(&world, NULL);
  test_world_fill(&world, &cluster, 1, &binding);
  faults = expect_text("answer without groups", "m1:2", test_schedule(&world, NULL, 0));
  faults +=
      expect_text("group of that answer", "", rebal_result_text(world.result, REBAL_DECISION_AFFINITY_NAME, 0, NULL));
  test_world_close(&world);
  return faults;
}

/* record.h: a result keeps the snapshot of its call alive, whichever call it was. */
static int results_keep_the_snapshot(void) {
  static const char *const names[] = {"rebal_estimate", "rebal_match", "rebal_decide", "rebal_taint_verdict"};
  const struct test_affinity everywhere = {.name = NULL};
  const rebal_time now = {1000, 0, 1};
  int faults = 0;
  size_t i;

  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    struct test_allocator memory;
    struct test_world world;
    rebal_fleet *fleet;
    rebal_snapshot *snapshot;
    rebal_bindings *bindings;
    size_t live;
    int32_t code;

    test_world_open(&world, NULL);
    test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
    if (rebal_fleet_new(&memory.functions, &fleet, NULL) != REBAL_OK ||
        rebal_fleet_add_cluster(fleet, "m1", 2, &(uint32_t){0}, NULL) != REBAL_OK ||
        rebal_fleet_freeze(fleet, &snapshot, NULL) != REBAL_OK ||
        rebal_bindings_new(fleet, NULL, &bindings, NULL) != REBAL_OK ||
        rebal_bindings_freeze(bindings, NULL) != REBAL_OK) {
      return 1;
    }
    code = i == 0   ? rebal_estimate(world.ctx, snapshot, REBAL_NONE, NULL, world.result, NULL)
           : i == 1 ? rebal_match(world.ctx, snapshot, test_affinity_record(&world, &everywhere), world.result, NULL)
           : i == 2 ? rebal_decide(world.ctx, snapshot, bindings, NULL, world.result, NULL)
                    : rebal_taint_verdict(world.ctx, snapshot, 0, bindings, &now, NULL, world.result, NULL);
    rebal_ctx_clear(world.ctx);
    rebal_bindings_free(bindings);
    rebal_snapshot_unref(snapshot);
    rebal_fleet_free(fleet);
    live = memory.live;
    rebal_result_reset(world.result);
    faults += expect_text(names[i], "ok, held, released",
                          code != REBAL_OK   ? "failed"
                          : live == 0        ? "not held"
                          : memory.live != 0 ? "not released"
                                             : "ok, held, released");
    test_world_close(&world);
  }
  return faults;
}

/* ---- a batch that a failed allocation interrupts, continued, gives the results of an uninterrupted one ----------- */

#define N_BINDINGS 5
#define ANSWER_BYTES 128

typedef int32_t (*batch_call)(struct test_world *world, const rebal_schedule_opts *opts);

static int32_t call_schedule(struct test_world *world, const rebal_schedule_opts *opts) {
  return rebal_schedule(world->ctx, world->snapshot, world->bindings, opts, world->result, NULL);
}

static int32_t call_step(struct test_world *world, const rebal_schedule_opts *opts) {
  const rebal_time now = {1000, 0, 1};

  return rebal_scheduler_step(world->ctx, world->snapshot, world->bindings, &now, opts, world->result, NULL);
}

static void fill_batch(struct test_world *world) {
  static const char *const keys[N_BINDINGS] = {"d/a", "d/b", "d/c", "d/d", "d/e"};
  const struct test_placement placement = {.scheduling = "Divided/Weighted/AvailableReplicas"};
  size_t i;

  test_add_pods(world, "m1=20 m2=12 m3=9");
  for (i = 0; i < N_BINDINGS; i++) {
    const struct test_binding binding = {.key = keys[i], .replicas = 9, .request = "", .placement = &placement};

    (void)test_add_binding(world, NULL, &binding);
  }
  test_freeze(world);
}

static size_t copy_answers(const struct test_world *world, size_t from, char answers[N_BINDINGS][ANSWER_BYTES]) {
  const size_t n = rebal_result_count(world->result, REBAL_TABLE_DECISION);
  size_t row;

  for (row = 0; row < n && from + row < N_BINDINGS; row++) {
    (void)snprintf(answers[from + row], ANSWER_BYTES, "%s", test_answer(world->result, world->snapshot, row));
  }
  return from + n;
}

/* Answers with the k-th allocation failing (0: none); *failed: whether one failed. Returns the number of rows. */
static size_t run_batch(batch_call call, size_t k, char answers[N_BINDINGS][ANSWER_BYTES], int *failed) {
  struct test_allocator memory;
  struct test_world world;
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  size_t n = 0;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  test_world_open(&world, &memory.functions);
  fill_batch(&world);
  if (rebal_ledger_new(world.fleet, &memory.functions, &opts.ledger, NULL) == REBAL_OK) {
    memory.fail_at = k == 0 ? 0 : memory.requests + k;
    *failed = call(&world, &opts) != REBAL_OK;
    n = copy_answers(&world, 0, answers);
    memory.fail_at = 0;
    opts.first_row = n;
    if (*failed && call(&world, &opts) == REBAL_OK) {
      n = copy_answers(&world, n, answers);
    }
  }
  rebal_ledger_free(opts.ledger);
  test_world_close(&world);
  return n;
}

static int compare_answers(size_t k, size_t n, char expected[N_BINDINGS][ANSWER_BYTES],
                           char found[N_BINDINGS][ANSWER_BYTES]) {
  int faults = n != N_BINDINGS;
  size_t i;

  if (n != N_BINDINGS) {
    (void)printf("request %zu fails: %zu answers instead of %d\n", k, n, N_BINDINGS);
  }
  for (i = 0; i < n && i < N_BINDINGS; i++) {
    char what[64];

    (void)snprintf(what, sizeof what, "request %zu fails: binding %zu", k, i);
    faults += expect_text(what, expected[i], found[i]);
  }
  return faults;
}

static int batch_goes_on(batch_call call) {
  char expected[N_BINDINGS][ANSWER_BYTES];
  char found[N_BINDINGS][ANSWER_BYTES];
  int failed = 1;
  int faults = 0;
  size_t k;

  if (run_batch(call, 0, expected, &failed) != N_BINDINGS || failed) {
    (void)printf("the batch fails without a reason\n");
    return 1;
  }
  failed = 1;
  for (k = 1; failed; k++) {
    const size_t n = run_batch(call, k, found, &failed);

    faults += compare_answers(k, n, expected, found);
  }
  return faults;
}

/* rebal_divide() between bounds: the most seats, the largest weights, cells at both ends of int32. */
static int bounds_at_the_ends(void) {
  static const uint32_t offsets[] = {0, 1, 2, 3, 4};
  static const int64_t weights[] = {INT64_MAX, INT64_MAX, INT64_MIN, 1};
  static const int32_t minimums[] = {INT32_MIN, 0, 7, INT32_MAX};
  static const int32_t maximums[] = {INT32_MAX, INT32_MAX, INT32_MAX, 9};
  static const int32_t capacities[] = {INT32_MAX - 1, 1, INT32_MAX, INT32_MAX};
  static const int32_t current[] = {INT32_MAX, 2999999, INT32_MIN, INT32_MAX};
  const rebal_parties parties = {(uint32_t)sizeof parties, 0, "abcd", offsets, weights, 4, NULL, 0};
  const rebal_divide_opts opts = {(uint32_t)sizeof opts, 0, NULL, minimums, maximums, capacities, current};
  struct test_world world;
  char found[64] = "";
  int32_t left = -1;
  int faults;

  test_world_open(&world, NULL);
  if (rebal_divide(world.ctx, 10000000, &parties, &opts, world.result, &left, NULL) == REBAL_OK) {
    const int64_t *shares = rebal_result_i64(world.result, REBAL_SHARE_REPLICAS, NULL);

    (void)snprintf(found, sizeof found, "%lld %lld %lld %lld, %d left", (long long)shares[0], (long long)shares[1],
                   (long long)shares[2], (long long)shares[3], (int)left);
  }
  faults = expect_text("shares between bounds", "6999984 3000000 7 9, 0 left", found);
  test_world_close(&world);
  return faults;
}

/* PARTIAL_PLACEMENT: more replicas than are ever divided, and hardly any fit. */
static int what_is_missing_is_counted(void) {
  static const struct test_placement placement = {.scheduling = "Divided/Weighted/AvailableReplicas"};
  const struct test_binding binding = {.replicas = INT32_MAX, .request = "", .placement = &placement};
  rebal_compat *compat = test_compat(REBAL_OPTION_PARTIAL_PLACEMENT, 1);
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .compat = compat};
  struct test_world world;
  int faults;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=1 m2=2");
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  faults = expect_text("nearly all is missing",
                       "m1:1 m2:2; 2147483644 missing: failed to assign replicas: failed to scale up: Clusters "
                       "available replicas 3 are not enough to schedule.",
                       test_schedule(&world, &opts, 0));
  test_world_close(&world);
  rebal_compat_free(compat);
  return faults;
}

/* The caller's scores and estimates at the ends of their ranges: sums do not overflow in any phase. */
static int columns_at_the_ends(void) {
  static const struct test_placement placement = {.spreads = "region:1:1 cluster:1:2",
                                                  .scheduling = "Divided/Aggregated"};
  static const struct test_placement plain = {.scheduling = "Divided/Aggregated"};
  static const struct test_cluster clusters[] = {
      {"m1", "pods=1", .region = "r1"}, {"m2", "pods=1", .region = "r1"}, {"m3", "pods=1", .region = "r2"}};
  static const struct test_binding binding = {.replicas = 3, .placement = &placement};
  static const struct test_binding lacking = {.key = "ns/b", .replicas = 3, .placement = &plain};
  static const int64_t scores[] = {INT32_MIN, INT32_MIN, INT32_MAX};
  static const int32_t fits[] = {INT32_MAX - 1, INT32_MAX - 1, 3, INT32_MIN + 1, INT32_MIN + 1, 3};
  const rebal_estimator estimator = {sizeof estimator, 0, fits, 3, 3};
  const rebal_estimator *const list[] = {&estimator};
  const rebal_schedule_opts opts = {.struct_size = sizeof opts,
                                    .flags = REBAL_SCHEDULE_FLAG_NO_SUMMARY,
                                    .extra_score = scores,
                                    .extra_clusters = 3,
                                    .estimators = list,
                                    .n_estimators = 1};
  struct test_world world;
  int faults;

  test_world_open(&world, NULL);
  for (size_t i = 0; i < 3; i++) {
    (void)test_add_cluster(&world, &clusters[i]);
  }
  (void)test_add_binding(&world, NULL, &binding);
  (void)test_add_binding(&world, NULL, &lacking);
  test_freeze(&world);
  faults = expect_text("the best score", "m3:3", test_schedule(&world, &opts, 0));
  faults += expect_text("capacity below zero",
                        "unschedulable: failed to assign replicas: failed to scale up: Clusters available replicas "
                        "-4294967291 are not enough to schedule.",
                        test_schedule(&world, &opts, 1));
  test_world_close(&world);
  return faults;
}

int main(void) {
  int faults = models_stop_at_int32() + sets_stop_at_int32() + overflow_of_a_second_term();

  faults += a_former_group_is_not_named() + results_keep_the_snapshot();
  faults += bounds_at_the_ends() + what_is_missing_is_counted() + columns_at_the_ends();
  faults += batch_goes_on(call_schedule) + batch_goes_on(call_step);
  (void)printf("%d faults\n", faults);
  return faults == 0 ? 0 : 1;
}
