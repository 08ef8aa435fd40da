/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "plan_fixture.h"

#include "../unit.h"

#include <stdio.h>

static const struct test_placement dynamic = {.scheduling = "Divided/Weighted/AvailableReplicas"};
static const struct test_placement even = {.scheduling = "Divided/Weighted", .weights = "*=1"};

static uint32_t add(struct plan_fixture *fixture, const char *key, const struct test_placement *placement,
                    int64_t replicas, const char *targets, const char *request) {
  const struct test_binding binding = {.key = key,
                                       .uid = "u",
                                       .replicas = replicas,
                                       .placement = placement,
                                       .applied = placement,
                                       .targets = targets,
                                       .request = request,
                                       .scheduled_at = PLAN_NOW - 100};

  return plan_add(fixture, &binding);
}

/* Proves the answer of the plan by its own arrays. */
static void expect_proof(struct plan_fixture *fixture, int64_t gap) {
  rebal_movement problem = {.struct_size = (uint32_t)sizeof problem};
  rebal_movement_answer answer = {.struct_size = (uint32_t)sizeof answer};
  int64_t found = -1;

  ck_assert_int_eq(rebal_plan_movement(fixture->plan, &problem, &answer, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_plan_verify(fixture->world.ctx, &problem, &answer, &found, NULL), REBAL_OK);
  ck_assert_int_eq(found, gap);
  ck_assert_int_eq(plan_cell(fixture, REBAL_PROOF_GAP, 0), gap);
  ck_assert_int_eq(plan_cell(fixture, REBAL_PROOF_EXACT, 0), gap == 0);
}

START_TEST(test_tolerance_keeps_replicas) {
  static const struct {
    int32_t tolerance;
    const char *row;
  } cases[] = {{0, "m1:58>50>50 m2:42>50>50"}, {100, "m1:58>55>55 m2:42>45>45"}, {200, "m1:58>58>58 m2:42>42>42"}};

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct plan_fixture fixture;

    plan_open(&fixture, "m1=100 m2=100");
    (void)add(&fixture, "default/a", &even, 100, "m1=58 m2=42", NULL);
    fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
    fixture.opts.tolerance = cases[i].tolerance;
    fixture.opts.flags = REBAL_PLAN_FLAG_TOLERANCE_GIVEN;
    ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
    ck_assert_str_eq(plan_row(&fixture, 0), cases[i].row);
    expect_proof(&fixture, 0);
    plan_close(&fixture);
  }
}
END_TEST

/* Bounds are rounded outward: 5 of 10 with a tolerance of a tenth give 4 to 6. */
START_TEST(test_bounds_are_rounded_outward) {
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=100 m2=100");
  (void)add(&fixture, "default/a", &even, 10, "m1=7 m2=3", NULL);
  (void)add(&fixture, "default/b", &even, 2, "m1=2", NULL);
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:7>6>6 m2:3>4>4");
  ck_assert_str_eq(plan_row(&fixture, 1), "m1:2>2>2 m2:->->-");
  expect_proof(&fixture, 0);
  plan_close(&fixture);
}
END_TEST

/* A bound of the caller's would cut some replicas of a copy. */
START_TEST(test_copies_and_sets_stay_whole) {
  static const int64_t most[] = {3, 3};
  static const struct test_placement copies = {.scheduling = "Duplicated"};
  static const struct test_affinity in_m1 = {.clusters = "m1"};
  static const struct test_placement copy = {.affinity = &in_m1, .scheduling = "Duplicated"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=100 m2=100");
  (void)add(&fixture, "default/a", &copies, 4, "m1=4", NULL);
  (void)add(&fixture, "default/b", &copy, 4, "m1=4", NULL);
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  fixture.opts.tolerance = 500;
  fixture.opts.maximums = most;
  fixture.opts.bound_clusters = 2;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>4>4 m2:->4>4");
  ck_assert_str_eq(plan_row(&fixture, 1), "m1:4>4>4");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PROOF_BINDINGS, 0), 0);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_bounds_of_the_caller) {
  static const int64_t minimums[] = {-1, 48};
  static const int64_t maximums[] = {40, 58};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=100 m2=100");
  (void)add(&fixture, "default/a", &even, 100, "m1=58 m2=42", NULL);
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  fixture.opts.tolerance = 1000;
  fixture.opts.minimums = minimums;
  fixture.opts.bound_clusters = 2;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:58>52>52 m2:42>48>48");
  fixture.opts.maximums = maximums;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:58>40>40 m2:42>58>58");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_OUTCOME, 0), REBAL_OUTCOME_PARTIAL);
  ck_assert_str_eq(rebal_result_text(fixture.rows, REBAL_PLANNED_MESSAGE, 0, NULL),
                   "2 replicas do not fit within the bounds");
  expect_proof(&fixture, 0);
  plan_close(&fixture);
}
END_TEST

/* Reading the cell after the last one would leave m2 without a replica. */
START_TEST(test_clusters_after_the_bounds_have_none) {
  static const int64_t maximums[] = {40, 0};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=100 m2=100");
  (void)add(&fixture, "default/a", &even, 100, "m1=58 m2=42", NULL);
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  fixture.opts.tolerance = 1000;
  fixture.opts.maximums = maximums;
  fixture.opts.bound_clusters = 1;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:58>40>40 m2:42>60>60");
  plan_close(&fixture);
}
END_TEST

/* With an estimator only the fresh placement surely fits: replicas above it may stay, but none are added. */
START_TEST(test_estimators_hold_the_bounds) {
  static const int32_t fits[] = {100, 100, 100};
  static const rebal_estimator estimator = {sizeof estimator, 0, fits, 3, 0};
  static const rebal_estimator *const estimators[] = {&estimator};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=100 m2=100 m3=100");
  (void)add(&fixture, "default/a", &even, 90, "m1=35 m2=55", NULL);
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  fixture.opts.tolerance = 300;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PROOF_KEPT, 0), 90 - 21); /* 21 to 39 in each cluster */
  fixture.schedule.estimators = estimators;
  fixture.schedule.n_estimators = 1;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:35>35>35 m2:55>30>30 m3:->25>25");
  expect_proof(&fixture, 0);
  fixture.opts.tolerance = 0;
  fixture.opts.flags = REBAL_PLAN_FLAG_TOLERANCE_GIVEN;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:35>30>30 m2:55>30>30 m3:->30>30");
  plan_close(&fixture);
}
END_TEST

/* Workloads without replicas and sets of components keep the scheduler's placement. */
START_TEST(test_only_replicas_are_moved_least) {
  const struct test_binding set = {.key = "default/set",
                                   .uid = "u",
                                   .replicas = 4,
                                   .placement = &dynamic,
                                   .applied = &dynamic,
                                   .components = "driver=1 worker=3"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=100 m2=100");
  (void)add(&fixture, "default/none", &even, 0, "m1=3", NULL);
  (void)plan_add(&fixture, &set);
  (void)add(&fixture, "default/some", &even, 4, "m1=4", NULL);
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PROOF_BINDINGS, 0), 1);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PROOF_PLACED, 0), 4);
  plan_close(&fixture);
}
END_TEST

/* Replicas that do not fit in the fresh placement do not fit in the least one; the others are planned nevertheless. */
START_TEST(test_answers_in_part_are_moved_least) {
  rebal_compat *compat = test_compat(REBAL_OPTION_PARTIAL_PLACEMENT, 1);
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=6 m2=6");
  (void)add(&fixture, "default/a", &dynamic, 20, "m1=2", NULL);
  fixture.schedule.compat = compat;
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_OUTCOME, 0), REBAL_OUTCOME_PARTIAL);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PROOF_BINDINGS, 0), 1);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PROOF_PLACED, 0), 6 + 2 + 6); /* m1 has two and capacity for six */
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PROOF_KEPT, 0), 2);
  rebal_compat_free(compat);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_impossible_bounds) {
  static const int64_t minimums[] = {60, 60};
  static const int64_t maximums[] = {100, 50};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=100 m2=100");
  (void)add(&fixture, "default/a", &even, 100, "m1=58 m2=42", NULL);
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  fixture.opts.tolerance = 1000;
  fixture.opts.minimums = minimums;
  fixture.opts.bound_clusters = 2;
  ck_assert_int_eq(plan_make(&fixture), REBAL_ERANGE);
  ck_assert_str_eq(fixture.world.err.message, "binding default/a: the minimums are more than its replicas");
  fixture.opts.maximums = maximums;
  ck_assert_int_eq(plan_make(&fixture), REBAL_ERANGE);
  ck_assert_str_eq(fixture.world.err.message, "binding default/a: a minimum is above the maximum");
  plan_close(&fixture);
}
END_TEST

/* The binding b is a ClusterResourceBinding: the message names it without a namespace. */
START_TEST(test_weights_are_above_0) {
  static const int64_t weights[] = {1, 0};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=100 m2=100");
  (void)add(&fixture, "default/a", &even, 2, "m1=2", NULL);
  (void)add(&fixture, "b", &even, 2, "m1=2", NULL);
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  fixture.opts.weights = weights;
  ck_assert_int_eq(plan_make(&fixture), REBAL_ERANGE);
  ck_assert_str_eq(fixture.world.err.message, "binding b: the weight of a moved replica is not above 0");
  ck_assert_int_eq(fixture.world.err.where, 1);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_heavy_replicas_stay) {
  static const int64_t weights[] = {1, 5};
  struct plan_fixture fixture;
  rebal_ledger *ledger;
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 1);

  plan_open(&fixture, "m1=0 m2=20 m3=20");
  (void)add(&fixture, "default/a", &dynamic, 20, "m2=10 m3=10", NULL);
  (void)add(&fixture, "default/b", &dynamic, 20, "m2=10 m3=10", NULL);
  ck_assert_int_eq(rebal_ledger_new(fixture.world.fleet, NULL, &ledger, NULL), REBAL_OK);
  fixture.schedule.ledger = ledger;
  fixture.schedule.compat = compat;
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  fixture.opts.weights = weights;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "");
  ck_assert_str_eq(plan_moves(&fixture, 1), "");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PROOF_KEPT, 0), 20 + 5 * 20);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PROOF_CLASSES, 0), 1);
  expect_proof(&fixture, 0);
  rebal_ledger_free(ledger);
  rebal_compat_free(compat);
  plan_close(&fixture);
}
END_TEST

/* Two classes share a cluster of 10 cpus: the replicas that each alone could keep there do not fit together. */
START_TEST(test_classes_share_a_cluster) {
  static const struct test_cluster clusters[] = {
      {"m1", "cpu=10 pods=100", "cpu=0"}, {"m2", "cpu=10 pods=100", "cpu=0"}, {"m3", "cpu=10 pods=100", "cpu=0"}};
  struct plan_fixture fixture;
  rebal_ledger *ledger;
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 1);
  int64_t cpus = 0;

  plan_open(&fixture, "");
  for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
    (void)test_add_cluster(&fixture.world, &clusters[i]);
  }
  (void)add(&fixture, "default/a", &dynamic, 8, "m3=8", "cpu=1");
  (void)add(&fixture, "default/b", &dynamic, 4, "m3=4", "cpu=2");
  plan_drain(&fixture, "m3");
  ck_assert_int_eq(rebal_ledger_new(fixture.world.fleet, NULL, &ledger, NULL), REBAL_OK);
  fixture.schedule.ledger = ledger;
  fixture.schedule.compat = compat;
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  fixture.opts.tolerance = 1000;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  for (size_t row = 0; row < rebal_result_count(fixture.rows, REBAL_TABLE_PLANNED_CLUSTER); row++) {
    if (plan_cell(&fixture, REBAL_PLANNED_CLUSTER_CLUSTER, row) == test_cluster_id(&fixture.world, "m1")) {
      cpus += plan_cell(&fixture, REBAL_PLANNED_CLUSTER_PLANNED, row) *
              (plan_cell(&fixture, REBAL_PLANNED_CLUSTER_BINDING, row) == 0 ? 1 : 2);
    }
  }
  ck_assert_int_le(cpus, 10);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PROOF_CLASSES, 0), 2);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PROOF_PLACED, 0), 12);
  rebal_ledger_free(ledger);
  rebal_compat_free(compat);
  plan_close(&fixture);
}
END_TEST

/* ---- classes that do not fit together ---------------------------------------------------------------------------- */

struct shared {
  struct plan_fixture fixture;
  rebal_ledger *ledger;
  rebal_compat *compat;
  int64_t minimums[24], maximums[24]; /* of the first binding, then of the second; -1: none */
};

/*
 * n clusters of 2 cpus, of which c12 has 3: in the fresh placement the first binding has one replica in each; the
 * second one also, and two in c12, in a class of its own. Bounds are wide except for those of the caller.
 */
static void open_shared(struct shared *all, size_t n, int32_t gate) {
  static const struct test_placement twice = {.scheduling = "Divided/Weighted", .weights = "*=1 c12=2"};
  struct plan_fixture *fixture = &all->fixture;

  plan_open(fixture, "");
  for (size_t i = 12 - n; i < 12; i++) {
    char name[8];

    (void)snprintf(name, sizeof name, "c%02u", (unsigned)(i + 1) % 100);
    (void)test_add_cluster(&fixture->world,
                           &(struct test_cluster){name, i == 11 ? "cpu=3 pods=100" : "cpu=2 pods=100", "cpu=0"});
  }
  (void)add(fixture, "default/a", &even, (int64_t)n, "", "cpu=1");
  (void)add(fixture, "default/b", &twice, (int64_t)n + 1, "", "cpu=1 @disk=ssd");
  memset(all->minimums, -1, sizeof all->minimums);
  memset(all->maximums, -1, sizeof all->maximums);
  for (size_t i = 0; i < n; i++) {
    all->maximums[i] = 1;
    all->minimums[n + i] = 1;
  }
  ck_assert_int_eq(rebal_ledger_new(fixture->world.fleet, NULL, &all->ledger, NULL), REBAL_OK);
  all->compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, gate);
  fixture->schedule.ledger = all->ledger;
  fixture->schedule.compat = all->compat;
  fixture->opts.mode = REBAL_PLAN_MODE_LEAST;
  fixture->opts.tolerance = 1000;
  fixture->opts.minimums = all->minimums;
  fixture->opts.maximums = all->maximums;
  fixture->opts.bound_clusters = (uint32_t)n;
  fixture->opts.bound_stride = n;
}
static void close_shared(struct shared *all) {
  rebal_ledger_free(all->ledger);
  rebal_compat_free(all->compat);
  plan_close(&all->fixture);
}

/* The free replica would find its place in the last of twelve rounds: it stays in its fresh place. */
START_TEST(test_what_takes_too_long_stays_fresh) {
  struct shared all;

  open_shared(&all, 12, 1);
  ck_assert_int_eq(plan_make(&all.fixture), REBAL_OK);
  for (size_t i = 0; i < 12; i++) {
    ck_assert_int_eq(plan_cell(&all.fixture, REBAL_PLANNED_CLUSTER_PLANNED, i), 1);
    ck_assert_int_eq(plan_cell(&all.fixture, REBAL_PLANNED_CLUSTER_PLANNED, 12 + i), i == 11 ? 2 : 1);
  }
  ck_assert_int_eq(plan_cell(&all.fixture, REBAL_PROOF_PLACED, 0), 25);
  close_shared(&all);
}
END_TEST

/* Its place in c12 exceeds a maximum, or another one is below a minimum: the fresh placement is not a solution. */
START_TEST(test_what_finds_no_place_is_missing) {
  static const struct {
    int64_t minimums[3], maximum;
    const char *row;
  } cases[] = {{{1, 1, 1}, 1, "c10:->1>1 c11:->1>1 c12:->1>1"}, {{-1, 2, -1}, 0, "c10:->1>1 c11:->2>2 c12:->->-"}};

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct shared all;

    open_shared(&all, 3, 1);
    memcpy(all.minimums + 3, cases[i].minimums, sizeof cases[i].minimums);
    all.maximums[5] = cases[i].maximum;
    ck_assert_int_eq(plan_make(&all.fixture), REBAL_OK);
    ck_assert_str_eq(plan_row(&all.fixture, 0), "c10:->1>1 c11:->1>1 c12:->1>1");
    ck_assert_str_eq(plan_row(&all.fixture, 1), cases[i].row);
    ck_assert_str_eq(rebal_result_text(all.fixture.rows, REBAL_PLANNED_MESSAGE, 1, NULL),
                     "1 replicas do not fit within the bounds");
    close_shared(&all);
  }
}
END_TEST

/* Without the gate nothing is charged, so the classes share no capacity. */
START_TEST(test_a_ledger_that_is_not_read_shares_nothing) {
  rebal_movement problem = {.struct_size = (uint32_t)sizeof problem};
  rebal_movement_answer answer = {.struct_size = (uint32_t)sizeof answer};

  for (int32_t gate = 0; gate < 2; gate++) {
    struct shared all;

    open_shared(&all, 3, gate);
    ck_assert_int_eq(plan_make(&all.fixture), REBAL_OK);
    ck_assert_int_eq(rebal_plan_movement(all.fixture.plan, &problem, &answer, NULL), REBAL_OK);
    ck_assert_int_eq(problem.capacities != NULL, gate);
    close_shared(&all);
  }
}
END_TEST

START_TEST(test_minimums_beyond_the_capacity) {
  struct shared all;

  open_shared(&all, 3, 1);
  all.maximums[0] = -1;
  all.minimums[0] = 2;
  ck_assert_int_eq(plan_make(&all.fixture), REBAL_OK);
  test_set_cluster(&all.fixture.world, test_cluster_id(&all.fixture.world, "c10"),
                   &(struct test_cluster){"c10", "cpu=1 pods=100", "cpu=0"});
  test_freeze(&all.fixture.world);
  ck_assert_int_eq(plan_make(&all.fixture), REBAL_ERANGE);
  ck_assert_str_eq(all.fixture.world.err.message,
                   "the minimums of bindings in cluster c10 are 2 replicas, but it has capacity for 1");
  ck_assert_int_eq(all.fixture.world.err.where, test_cluster_id(&all.fixture.world, "c10"));
  close_shared(&all);
}
END_TEST

/* The bindings of one class have more than 2^31 replicas in total; they stay, as the bounds have no tolerance. */
START_TEST(test_the_most_replicas_of_a_class) {
  static const struct test_placement in_c12 = {.scheduling = "Divided/Weighted", .weights = "c12=1"};
  struct shared all;

  open_shared(&all, 1, 1);
  for (int i = 0; i < 215; i++) {
    char key[32];

    (void)snprintf(key, sizeof key, "default/c%d", i);
    (void)add(&all.fixture, key, &in_c12, 10000000, "", "cpu=2");
  }
  all.fixture.opts.minimums = all.fixture.opts.maximums = NULL;
  all.fixture.opts.tolerance = 0;
  all.fixture.opts.flags = REBAL_PLAN_FLAG_TOLERANCE_GIVEN;
  ck_assert_int_eq(plan_make(&all.fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&all.fixture, 0), "c12:->1>1");
  for (size_t i = 2; i < 217; i++) {
    ck_assert_str_eq(plan_row(&all.fixture, i), "c12:->10000000>10000000");
  }
  ck_assert_int_eq(plan_cell(&all.fixture, REBAL_PROOF_CLASSES, 0), 3);
  close_shared(&all);
}
END_TEST

static int32_t make_with(const rebal_allocator *allocator, void *user_data) {
  struct plan_fixture *fixture = user_data;
  const rebal_ctx_opts uncached = {(uint32_t)sizeof uncached, REBAL_CTX_FLAG_NO_CACHE, 0, 0};
  rebal_ctx *ctx = NULL;
  rebal_plan *plan = NULL;
  int32_t code = rebal_ctx_new(allocator, &uncached, &ctx, NULL);

  fixture->schedule.ledger = NULL;
  code = code == REBAL_OK ? rebal_ledger_new(fixture->world.fleet, allocator, &fixture->schedule.ledger, NULL) : code;
  code = code == REBAL_OK ? rebal_plan_make(ctx, fixture->world.snapshot, fixture->world.bindings, &fixture->now,
                                            &fixture->opts, &plan, NULL)
                          : code;
  rebal_plan_free(plan);
  rebal_ledger_free(fixture->schedule.ledger);
  rebal_ctx_free(ctx);
  return code;
}

/* The second of three bindings does not fit entirely. */
START_TEST(test_no_memory) {
  struct shared all;

  open_shared(&all, 3, 1);
  (void)add(&all.fixture, "default/c", &dynamic, 3, "", NULL);
  all.fixture.opts.bound_stride = 0;
  memcpy(all.minimums, (const int64_t[]){1, 1, 1}, 3 * sizeof *all.minimums);
  all.maximums[2] = 1;
  test_freeze(&all.fixture.world);
  ck_assert_pstr_eq(test_torture(make_with, &all.fixture), NULL);
  close_shared(&all);
}
END_TEST

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

START_TEST(test_groups_keep_a_replica) {
  static const struct test_placement spread = {.scheduling = "Divided/Weighted/AvailableReplicas",
                                               .spreads = "cluster:2:2"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=100 m2=100");
  (void)add(&fixture, "default/a", &spread, 2, "m1=2", NULL);
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:2>1>1 m2:->1>1");
  plan_close(&fixture);
}
END_TEST

START_TEST(test_other_modes_have_no_proof) {
  rebal_movement problem = {.struct_size = (uint32_t)sizeof problem};
  rebal_movement_answer answer = {.struct_size = (uint32_t)sizeof answer};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=100");
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(rebal_plan_movement(fixture.plan, &problem, &answer, NULL), REBAL_ENOTFOUND);
  ck_assert_uint_eq(rebal_result_count(fixture.rows, REBAL_TABLE_PROOF), 0);
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  expect_proof(&fixture, 0);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_what_a_proof_needs) {
  rebal_movement problem = {.struct_size = (uint32_t)sizeof problem};
  rebal_movement_answer answer = {.struct_size = (uint32_t)sizeof answer};
  struct plan_fixture fixture;
  rebal_error *err = &fixture.world.err;

  plan_open(&fixture, "m1=100");
  fixture.opts.mode = REBAL_PLAN_MODE_LEAST;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(rebal_plan_movement(NULL, &problem, &answer, err), REBAL_EINVAL);
  ck_assert_str_eq(err->message, "plan is NULL");
  ck_assert_int_eq(rebal_plan_movement(fixture.plan, NULL, &answer, err), REBAL_EINVAL);
  ck_assert_str_eq(err->message, "problem is NULL");
  ck_assert_int_eq(rebal_plan_movement(fixture.plan, &problem, NULL, err), REBAL_EINVAL);
  ck_assert_str_eq(err->message, "answer is NULL");
  answer.struct_size = 0;
  ck_assert_int_eq(rebal_plan_movement(fixture.plan, &problem, &answer, err), REBAL_EABI);
  problem.struct_size = 0;
  ck_assert_int_eq(rebal_plan_movement(fixture.plan, &problem, &answer, err), REBAL_EABI);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(least) {
  TCase *cases = tcase_create("least");

  tcase_add_test(cases, test_tolerance_keeps_replicas);
  tcase_add_test(cases, test_bounds_of_the_caller);
  tcase_add_test(cases, test_clusters_after_the_bounds_have_none);
  tcase_add_test(cases, test_estimators_hold_the_bounds);
  tcase_add_test(cases, test_only_replicas_are_moved_least);
  tcase_add_test(cases, test_answers_in_part_are_moved_least);
  tcase_add_test(cases, test_impossible_bounds);
  tcase_add_test(cases, test_heavy_replicas_stay);
  tcase_add_test(cases, test_classes_share_a_cluster);
  tcase_add_test(cases, test_groups_keep_a_replica);
  tcase_add_test(cases, test_other_modes_have_no_proof);
  tcase_add_test(cases, test_bounds_are_rounded_outward);
  tcase_add_test(cases, test_copies_and_sets_stay_whole);
  tcase_add_test(cases, test_what_a_proof_needs);
  tcase_add_test(cases, test_weights_are_above_0);
  tcase_add_test(cases, test_what_takes_too_long_stays_fresh);
  tcase_add_test(cases, test_what_finds_no_place_is_missing);
  tcase_add_test(cases, test_a_ledger_that_is_not_read_shares_nothing);
  tcase_add_test(cases, test_minimums_beyond_the_capacity);
  tcase_add_test(cases, test_the_most_replicas_of_a_class);
  tcase_add_test(cases, test_no_memory);
  return cases;
}
