/* SPDX-License-Identifier: MIT */
/* The loop of every call: answered rows, limits of work, and each allocation failing in turn. */
#include "phases_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

static const struct test_affinity labelled = {.labels = "env=prod", .fields = "region:In:r1,r2", .exclude = "m9"};
static const struct test_affinity over[] = {{.clusters = "m2"}};
static const struct test_affinity terms[] = {{"one", .clusters = "m1", .overflow = over, .n_overflow = 1},
                                             {"two", .clusters = "m3"}};
static const struct test_affinity nowhere = {.clusters = "m9"};
static const struct test_placement placements[] = {
    {.affinity = &labelled, .tolerations = "k:Exists", .scheduling = "Duplicated"},
    {.scheduling = "Divided/Weighted", .weights = "m1=1 *=2"},
    {.scheduling = "Divided/Weighted/AvailableReplicas", .spreads = "cluster:1:2"},
    {.scheduling = "Divided/Aggregated", .spreads = "region:1:2 cluster:1:3"},
    {.terms = terms, .n_terms = 2, .scheduling = "Divided/Aggregated"},
    {.affinity = &nowhere, .tolerations = "k:Exists"},
    {.scheduling = "Divided"},
    {.scheduling = "Divided/Aggregated", .spreads = "cluster:1:1 zone:1:1 provider:1:1"},
};
static const struct test_cluster clusters[] = {
    {"m1", "cpu=10 pods=20", .region = "r1", .zones = "z1 z2", .provider = "p", .labels = "env=prod",
     .taints = "k=v:NoSchedule"},
    {"m2", "cpu=10 pods=20", .region = "r2", .labels = "env=prod"},
    {"m3", "cpu=10 pods=20", .region = "r1", .apis = "apps/v1=Deployment,StatefulSet v1=ConfigMap"},
};

static struct test_world world;

static void setup(void) {
  test_world_open(&world, NULL);
  for (size_t i = 0; i < REBALI_COUNT(clusters); i++) {
    (void)test_add_cluster(&world, &clusters[i]);
  }
  for (size_t i = 0; i < REBALI_COUNT(placements); i++) {
    char key[] = "ns/a";
    const struct test_binding binding = {.key = key,
                                         .replicas = 3,
                                         .request = "cpu=1",
                                         .placement = &placements[i],
                                         .targets = "m2=1 gone=1",
                                         .observed = i == 4 ? "one" : NULL,
                                         .components = i == 7 ? "driver=1 worker=2" : NULL,
                                         .friends = "app=x",
                                         .foes = "app=y",
                                         .evicting = i == 1 ? "m3" : NULL};

    key[3] = (char)('a' + i);
    (void)test_add_binding(&world, NULL, &binding);
  }
  test_freeze(&world);
}

static void teardown(void) {
  test_world_close(&world);
}

START_TEST(test_part_of_the_rows) {
  rebal_schedule_opts opts = {.struct_size = sizeof opts, .first_row = 2, .max_work = 3};
  size_t n;
  const int64_t *rows;

  ck_assert_str_eq(test_schedule(&world, &opts, 3), "no such row");
  rows = rebal_result_i64(world.result, REBAL_DECISION_BINDING, &n);
  ck_assert_uint_eq(n, 3);
  ck_assert_int_eq(rows[0], 2);
  ck_assert_int_eq(rows[2], 4);
  opts.first_row = 7;
  (void)test_schedule(&world, &opts, 0);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_DECISION), 1);
  opts.first_row = 8;
  (void)test_schedule(&world, &opts, 0);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_DECISION), 0);
  opts.first_row = 9;
  ck_assert_str_eq(test_schedule(&world, &opts, 0), rebal_strerror(REBAL_EINVAL));
}
END_TEST

START_TEST(test_a_context_is_needed) {
  ck_assert_int_eq(rebal_schedule(NULL, world.snapshot, world.bindings, NULL, world.result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_schedule(world.ctx, world.snapshot, world.bindings, NULL, NULL, NULL), REBAL_EINVAL);
}
END_TEST

/* ---- no memory --------------------------------------------------------------------------------------------------- */

struct scene {
  rebal_ctx *ctx;
  rebal_result *result;
  const rebal_schedule_opts *opts;
};
typedef int32_t (*scene_call)(const struct scene *scene);

static int32_t call_match(const struct scene *scene) {
  return rebal_match(scene->ctx, world.snapshot, test_affinity_record(&world, &labelled), scene->result, NULL);
}

static int32_t call_filter(const struct scene *scene) {
  return rebal_filter(scene->ctx, world.snapshot, world.bindings, scene->opts, scene->result, NULL);
}

static int32_t call_divide(const struct scene *scene) {
  static const uint32_t offsets[] = {0, 1, 2, 3};
  static const int64_t weights[] = {3, 2, 1};
  static const rebal_parties parties = {sizeof parties, 0, "abc", offsets, weights, 3, "uid", 3};
  int32_t left;

  return rebal_divide(scene->ctx, 7, &parties, NULL, scene->result, &left, NULL);
}

static int32_t call_decide(const struct scene *scene) {
  return rebal_decide(scene->ctx, world.snapshot, world.bindings, scene->opts, scene->result, NULL);
}

static int32_t call_schedule(const struct scene *scene) {
  return rebal_schedule(scene->ctx, world.snapshot, world.bindings, scene->opts, scene->result, NULL);
}

static int32_t call_score(const struct scene *scene) {
  return rebal_score(scene->ctx, world.snapshot, world.bindings, NULL, scene->opts, scene->result, NULL);
}

static int32_t call_select(const struct scene *scene) {
  return rebal_select(scene->ctx, world.snapshot, world.bindings, NULL, scene->opts, scene->result, NULL);
}

/* Calls the phases in order; the intermediate results belong to the caller, and their memory does not fail. */
static int32_t call_phases(const struct scene *scene) {
  rebal_result *earlier[3];
  int32_t code;

  for (size_t i = 0; i < REBALI_COUNT(earlier); i++) {
    ck_assert_int_eq(rebal_result_new(NULL, &earlier[i], NULL), REBAL_OK);
  }
  code = rebal_filter(scene->ctx, world.snapshot, world.bindings, scene->opts, earlier[0], NULL);
  if (code == REBAL_OK) {
    code = rebal_score(scene->ctx, world.snapshot, world.bindings, earlier[0], scene->opts, earlier[1], NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_select(scene->ctx, world.snapshot, world.bindings, earlier[1], scene->opts, earlier[2], NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_assign(scene->ctx, world.snapshot, world.bindings, earlier[2], scene->opts, scene->result, NULL);
  }
  for (size_t i = 0; i < REBALI_COUNT(earlier); i++) {
    rebal_result_free(earlier[i]);
  }
  return code;
}

static int32_t call_step(const struct scene *scene) {
  const rebal_time now = test_time(100);

  return rebal_scheduler_step(scene->ctx, world.snapshot, world.bindings, &now, scene->opts, scene->result, NULL);
}

static const scene_call calls[] = {call_match,  call_filter, call_divide,   call_decide, call_score,
                                   call_select, call_phases, call_schedule, call_step};

/* Returns a digest of all integers and texts that the calls of lib/scheduler write. */
static uint64_t digest(const rebal_result *result) {
  static const uint32_t tables[] = {REBAL_TABLE_VERDICT, REBAL_TABLE_SHARE,  REBAL_TABLE_DECISION,
                                    REBAL_TABLE_PLACED,  REBAL_TABLE_ACTION, REBAL_TABLE_STEP,
                                    REBAL_TABLE_SCORED,  REBAL_TABLE_GROUP,  REBAL_TABLE_SELECTED};
  uint64_t sum = 0;

  for (size_t i = 0; i < REBALI_COUNT(tables); i++) {
    uint32_t columns[64];
    size_t n_columns, n;

    ck_assert_int_eq(rebal_describe_object(tables[i], columns, 64, &n_columns, NULL), REBAL_OK);
    for (size_t c = 0; c < n_columns; c++) {
      const int64_t *values = rebal_result_i64(result, columns[c], &n);

      for (size_t row = 0; row < rebal_result_count(result, tables[i]); row++) {
        size_t len;
        const char *text = rebal_result_text(result, columns[c], row, &len);

        sum = sum * 31 + rebali_hash(text, len) + (values == NULL ? 0 : (uint64_t)values[row]);
      }
    }
  }
  return sum;
}

struct torture {
  scene_call call;
  const rebal_schedule_opts *opts;
  const rebal_ledger *ledger; /* each run uses a copy; NULL: none */
  uint64_t digest;
};

/* Runs twice, the second time with a warm cache. After a failure the same context and result still work. */
static int32_t run_scene(const rebal_allocator *allocator, void *user_data) {
  const struct torture *torture = user_data;
  rebal_schedule_opts opts = *torture->opts;
  struct scene scene = {NULL, NULL, &opts};
  int32_t code = rebal_ctx_new(allocator, NULL, &scene.ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &scene.result, NULL) : code;
  for (int round = 0; round < 2 && code == REBAL_OK; round++) {
    if (torture->ledger != NULL) {
      ck_assert_int_eq(rebal_ledger_fork(torture->ledger, &opts.ledger, NULL), REBAL_OK);
    }
    code = torture->call(&scene);
    if (code == REBAL_ENOMEM && torture->ledger != NULL) {
      rebal_ledger_free(opts.ledger);
      ck_assert_int_eq(rebal_ledger_fork(torture->ledger, &opts.ledger, NULL), REBAL_OK);
    }
    if (code == REBAL_OK || torture->call(&scene) == REBAL_OK) {
      ck_assert_uint_eq(digest(scene.result), torture->digest);
    }
    if (torture->ledger != NULL) {
      rebal_ledger_free(opts.ledger);
    }
  }
  rebal_result_free(scene.result);
  rebal_ctx_free(scene.ctx);
  return code;
}

static void set_digest(struct torture *torture) {
  rebal_schedule_opts opts = *torture->opts;
  const struct scene scene = {world.ctx, world.result, &opts};

  if (torture->ledger != NULL) {
    ck_assert_int_eq(rebal_ledger_fork(torture->ledger, &opts.ledger, NULL), REBAL_OK);
  }
  ck_assert_int_eq(torture->call(&scene), REBAL_OK);
  torture->digest = digest(world.result);
  if (torture->ledger != NULL) {
    rebal_ledger_free(opts.ledger);
  }
}

START_TEST(test_out_of_memory) {
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_WORKLOAD_AFFINITY, 1);
  static const int64_t scores[] = {5, -5, 0};
  static const int32_t fits[] = {9, REBAL_FITS_NO_OPINION, 4};
  const rebal_estimator estimator = {sizeof estimator, 0, fits, 3, 0};
  const rebal_estimator *const list[] = {&estimator};
  const rebal_schedule_opts opts = {.struct_size = sizeof opts,
                                    .compat = compat,
                                    .known = world.bindings,
                                    .assigning = world.bindings,
                                    .extra_score = scores,
                                    .extra_clusters = 3,
                                    .estimators = list,
                                    .n_estimators = 1};
  struct torture torture = {calls[_i], &opts, NULL, 0};

  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1, NULL), REBAL_OK);
  set_digest(&torture);
  ck_assert_pstr_eq(test_torture(run_scene, &torture), NULL);
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_out_of_memory_with_a_ledger) {
  static const rebal_schedule_opts opts = {.struct_size = sizeof opts};
  rebal_ledger *ledger = NULL;
  struct torture torture = {_i == 0 ? call_schedule : call_step, &opts, NULL, 0};

  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  test_charge(ledger, "x/y", 1, REBAL_NONE, 5);
  torture.ledger = ledger;
  set_digest(&torture);
  ck_assert_pstr_eq(test_torture(run_scene, &torture), NULL);
  rebal_ledger_free(ledger);
}
END_TEST

/* The ledger's own allocations: failures are reported, and freeing the ledger releases all memory. */
static int32_t charge_a_ledger(const rebal_allocator *allocator, void *user_data) {
  rebal_schedule_opts opts = {.struct_size = sizeof opts};
  int32_t code = rebal_ledger_new(world.fleet, allocator, &opts.ledger, NULL);

  (void)user_data;
  code = code == REBAL_OK ? rebal_schedule(world.ctx, world.snapshot, world.bindings, &opts, world.result, NULL) : code;
  rebal_ledger_free(opts.ledger);
  return code;
}

START_TEST(test_a_ledger_without_memory) {
  ck_assert_pstr_eq(test_torture(charge_a_ledger, NULL), NULL);
}
END_TEST

UNIT_CASE(batch) {
  TCase *cases = tcase_create("batch");

  tcase_set_timeout(cases, 120);
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_part_of_the_rows);
  tcase_add_test(cases, test_a_context_is_needed);
  tcase_add_loop_test(cases, test_out_of_memory, 0, (int)REBALI_COUNT(calls));
  tcase_add_loop_test(cases, test_out_of_memory_with_a_ledger, 0, 2);
  tcase_add_test(cases, test_a_ledger_without_memory);
  return cases;
}
