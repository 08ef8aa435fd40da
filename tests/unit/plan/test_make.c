/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "rich_plan.h"

static const struct test_affinity only_m2 = {.clusters = "m2"};
static const struct test_placement in_m2 = {.affinity = &only_m2, .scheduling = "Divided/Weighted/AvailableReplicas"};
static const rebal_time at = {1000, 0, 1};
static const rebal_time later = {1001, 0, 1};

static void open_world(struct plan_fixture *fixture) {
  const struct test_binding binding = {.key = "ns/a",
                                       .replicas = 4,
                                       .request = "",
                                       .placement = &in_m2,
                                       .applied = &in_m2,
                                       .targets = "m1=4",
                                       .scheduled_at = PLAN_NOW - 1};

  plan_open(fixture, "m1=9 m2=9");
  plan_set_labels(fixture, plan_add(fixture, &binding), "app=web");
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

START_TEST(test_objects_must_fit) {
  struct plan_fixture fixture, other;
  struct test_world *world = &fixture.world;
  rebal_plan *plan = NULL;

  open_world(&fixture);
  ck_assert_int_eq(rebal_fleet_freeze(world->fleet, &world->snapshot, NULL), REBAL_OK);
  ck_assert_int_eq(plan_make(&fixture), REBAL_ESTATE);
  ck_assert_int_eq(rebal_bindings_freeze(world->bindings, NULL), REBAL_OK);
  open_world(&other);
  ck_assert_int_eq(plan_make(&other), REBAL_OK);
  ck_assert_int_eq(
      rebal_plan_make(world->ctx, other.world.snapshot, world->bindings, &fixture.now, NULL, &plan, &world->err),
      REBAL_EMISMATCH);
  ck_assert_int_eq(rebal_plan_make(NULL, world->snapshot, world->bindings, &fixture.now, NULL, &plan, &world->err),
                   REBAL_EINVAL);
  ck_assert_str_eq(world->err.message, "ctx is NULL");
  ck_assert_int_eq(rebal_plan_make(world->ctx, world->snapshot, world->bindings, &fixture.now, NULL, NULL, &world->err),
                   REBAL_EINVAL);
  ck_assert_str_eq(world->err.message, "out is NULL");
  ck_assert_ptr_null(plan);
  ck_assert_int_eq(rebal_plan_make(world->ctx, world->snapshot, world->bindings, &fixture.now, NULL, &plan, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_plan_read(plan, fixture.rows, NULL), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>->- m2:->4>4");
  rebal_plan_free(plan);
  plan_close(&fixture);
  plan_close(&other);
}
END_TEST

/* ---- the fingerprint --------------------------------------------------------------------------------------------- */

typedef void change(struct plan_fixture *fixture);

static void nothing(struct plan_fixture *fixture) {
  (void)fixture;
}
static void mode(struct plan_fixture *fixture) {
  fixture->opts.mode = REBAL_PLAN_MODE_STEADY;
}
static void now(struct plan_fixture *fixture) {
  fixture->now.seconds++;
}
static void drained(struct plan_fixture *fixture) {
  plan_drain(fixture, "m1");
}
static void drained_too(struct plan_fixture *fixture) {
  plan_drain(fixture, "m1");
  plan_drain(fixture, "m2");
}
static void lost(struct plan_fixture *fixture) {
  plan_lose(fixture, "m1");
}
static void surge(struct plan_fixture *fixture) {
  fixture->opts.max_surge = 3;
}
static void surge_percent(struct plan_fixture *fixture) {
  fixture->opts.max_surge = 3;
  fixture->opts.flags = REBAL_PLAN_FLAG_SURGE_PERCENT;
}
static void unavailable(struct plan_fixture *fixture) {
  fixture->opts.max_unavailable = 3;
}
static void deadline(struct plan_fixture *fixture) {
  fixture->opts.progress_deadline_ns = 1;
}
static void total(struct plan_fixture *fixture) {
  (void)plan_limit(fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 9);
}
static void total_of_ten(struct plan_fixture *fixture) {
  (void)plan_limit(fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 10);
}
static void two_limits(struct plan_fixture *fixture) {
  total(fixture);
  total(fixture);
}
static void source(struct plan_fixture *fixture) {
  (void)plan_limit(fixture, REBAL_LIMIT_SCOPE_SOURCE, NULL, 9);
}
static void source_m1(struct plan_fixture *fixture) {
  (void)plan_limit(fixture, REBAL_LIMIT_SCOPE_SOURCE, "m1", 9);
}
static void namespaces(struct plan_fixture *fixture) {
  (void)plan_limit(fixture, REBAL_LIMIT_SCOPE_NAMESPACE, NULL, 9);
}
static void no_namespace(struct plan_fixture *fixture) {
  (void)plan_limit(fixture, REBAL_LIMIT_SCOPE_NAMESPACE, "", 9);
}
static void label(struct plan_fixture *fixture) {
  rebal_limit *limit = plan_limit(fixture, REBAL_LIMIT_SCOPE_LABEL, NULL, 9);

  limit->label = "app";
  limit->label_len = 3;
}
static void label_tier(struct plan_fixture *fixture) {
  rebal_limit *limit = plan_limit(fixture, REBAL_LIMIT_SCOPE_LABEL, NULL, 9);

  limit->label = "tier";
  limit->label_len = 4;
}
static void pace(struct plan_fixture *fixture) {
  plan_limit(fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 9)->interval_ns = 1000;
}
static void pace_tokens(struct plan_fixture *fixture) {
  pace(fixture);
  fixture->limits[0].tokens = 1;
  fixture->limits[0].tokens_at = &at;
}
static void pace_later(struct plan_fixture *fixture) {
  pace_tokens(fixture);
  fixture->limits[0].tokens_at = &later;
}
static void budget(struct plan_fixture *fixture) {
  plan_budget(fixture, &(const struct plan_budget){"ns/p", "app=web", .min_available = "1"});
}
static void budget_of_two(struct plan_fixture *fixture) {
  plan_budget(fixture, &(const struct plan_budget){"ns/p", "app=web", .min_available = "2"});
}
static void over_clusters(struct plan_fixture *fixture) {
  budget(fixture);
  fixture->opts.flags = REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS;
}
static void ready(struct plan_fixture *fixture) {
  plan_set_ready(fixture, 0, "m1=1");
}
static void labels(struct plan_fixture *fixture) {
  plan_set_labels(fixture, 0, "app=db");
}
static void another_binding(struct plan_fixture *fixture) {
  const struct test_binding binding = {.key = "ns/b", .replicas = 2, .placement = &in_m2};

  (void)plan_add(fixture, &binding);
}
static void another_cluster(struct plan_fixture *fixture) {
  test_add_pods(&fixture->world, "m3=1");
}
static void scheduler(struct plan_fixture *fixture) {
  fixture->schedule.flags = REBAL_SCHEDULE_FLAG_SINGLE_GROUP;
}
static void rejected(struct plan_fixture *fixture) {
  static const int64_t column[] = {0, 1};

  fixture->schedule.extra_reject = column;
  fixture->schedule.extra_clusters = 2;
}

static void least(struct plan_fixture *fixture) {
  fixture->opts.mode = REBAL_PLAN_MODE_LEAST;
}
static void tolerance(struct plan_fixture *fixture) {
  least(fixture);
  fixture->opts.tolerance = 200;
}
static void weights(struct plan_fixture *fixture) {
  static const int64_t two[] = {2};

  least(fixture);
  fixture->opts.weights = two;
}
static const int64_t bounds[] = {-1, 4};
static void minimums(struct plan_fixture *fixture) {
  least(fixture);
  fixture->opts.minimums = bounds;
  fixture->opts.bound_clusters = 2;
}
static void maximums(struct plan_fixture *fixture) {
  least(fixture);
  fixture->opts.maximums = bounds;
  fixture->opts.bound_clusters = 2;
}

static void maximums_of_each(struct plan_fixture *fixture) {
  static const int64_t each[] = {4, -1, -1, 4};

  another_binding(fixture);
  least(fixture);
  fixture->opts.maximums = each;
  fixture->opts.bound_clusters = fixture->opts.bound_stride = 2;
}
static void maximums_of_all(struct plan_fixture *fixture) {
  maximums_of_each(fixture);
  fixture->opts.bound_stride = 0;
}

static void much_later(struct plan_fixture *fixture) {
  plan_set_ready(fixture, 0, "m1=1");
  fixture->now.seconds = PLAN_NOW + 10000;
}
/* Three of the replicas are not ready, and were scheduled long ago. */
static void deschedule(struct plan_fixture *fixture) {
  static const rebal_deschedule_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                             .flags = REBAL_DESCHEDULE_FLAG_FROM_STATUS};

  much_later(fixture);
  fixture->opts.deschedule = &opts;
}
static void deschedule_one(struct plan_fixture *fixture) {
  static const rebal_deschedule_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .flags = REBAL_DESCHEDULE_FLAG_FROM_STATUS, .max_total = 1};

  deschedule(fixture);
  fixture->opts.deschedule = &opts;
}

static change *const changes[] = {
    deschedule,
    deschedule_one,
    much_later,
    least,
    tolerance,
    weights,
    minimums,
    maximums,
    maximums_of_each,
    maximums_of_all,
    nothing,
    mode,
    now,
    drained,
    drained_too,
    lost,
    surge,
    surge_percent,
    unavailable,
    deadline,
    total,
    source,
    total_of_ten,
    two_limits,
    source_m1,
    namespaces,
    no_namespace,
    label,
    label_tier,
    pace,
    budget,
    pace_tokens,
    pace_later,
    ready,
    labels,
    scheduler,
    rejected,
    budget_of_two,
    over_clusters,
    another_binding,
    another_cluster,
};
#define CHANGES (sizeof changes / sizeof changes[0])

static void sign(change *by, uint64_t fingerprint[2]) {
  struct plan_fixture fixture;

  open_world(&fixture);
  by(&fixture);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  rebal_plan_fingerprint(fixture.plan, &fingerprint[0], &fingerprint[1]);
  plan_close(&fixture);
}

START_TEST(test_fingerprints_are_of_the_inputs) {
  uint64_t all[CHANGES][2], again[2];

  for (size_t i = 0; i < CHANGES; i++) {
    sign(changes[i], all[i]);
    sign(changes[i], again);
    ck_assert_msg(all[i][0] == again[0] && all[i][1] == again[1], "change %u", (unsigned)i);
    for (size_t k = 0; k < i; k++) {
      ck_assert_msg(all[i][0] != all[k][0] && all[i][1] != all[k][1], "changes %u and %u", (unsigned)i, (unsigned)k);
    }
  }
}
END_TEST

/* What is not given and what is given as what it would be; clusters in another order, and twice. */
static void same_parameters(struct plan_fixture *fixture) {
  fixture->opts.flags = REBAL_PLAN_FLAG_SURGE_GIVEN | REBAL_PLAN_FLAG_SURGE_PERCENT |
                        REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN | REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT;
  fixture->opts.max_surge = 25;
  fixture->opts.max_unavailable = 25;
  fixture->opts.progress_deadline_ns = INT64_C(600000000000);
}
static void same_weights(struct plan_fixture *fixture) {
  static const int64_t one[] = {1};

  least(fixture);
  fixture->opts.tolerance = 100;
  fixture->opts.weights = one;
}
static void no_bounds(struct plan_fixture *fixture) {
  static const int64_t none[] = {-1, -1};

  least(fixture);
  fixture->opts.minimums = fixture->opts.maximums = none;
  fixture->opts.bound_clusters = 2;
}
static void weights_of_fresh(struct plan_fixture *fixture) {
  weights(fixture);
  fixture->opts.mode = REBAL_PLAN_MODE_FRESH;
}
static void same_schedule(struct plan_fixture *fixture) {
  fixture->opts.schedule = NULL;
}
static void tolerance_of_least(struct plan_fixture *fixture) {
  fixture->opts.flags = REBAL_PLAN_FLAG_TOLERANCE_GIVEN;
}
static void drained_in_another_order(struct plan_fixture *fixture) {
  plan_drain(fixture, "m2");
  plan_drain(fixture, "m1");
  plan_drain(fixture, "m2");
}

START_TEST(test_fingerprints_are_of_values) {
  static const struct {
    change *left, *right;
  } pairs[] = {{nothing, same_parameters},
               {least, same_weights},
               {least, no_bounds},
               {nothing, weights_of_fresh},
               {nothing, same_schedule},
               {nothing, tolerance_of_least},
               {drained_too, drained_in_another_order}};
  uint64_t left[2], right[2];

  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    sign(pairs[i].left, left);
    sign(pairs[i].right, right);
    ck_assert_msg(left[0] == right[0] && left[1] == right[1], "pair %u", (unsigned)i);
  }
}
END_TEST

START_TEST(test_ledgers_are_signed) {
  struct plan_fixture fixture;
  rebal_ledger *ledger;
  uint64_t plain[2], empty[2], charged[2];

  sign(nothing, plain);
  for (int is_charged = 0; is_charged < 2; is_charged++) {
    uint64_t *fingerprint = is_charged ? charged : empty;

    open_world(&fixture);
    ck_assert_int_eq(rebal_ledger_new(fixture.world.fleet, NULL, &ledger, NULL), REBAL_OK);
    if (is_charged) {
      test_charge(ledger, "ns/x", 0, REBAL_NONE, 1);
    }
    fixture.schedule.ledger = ledger;
    ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
    rebal_plan_fingerprint(fixture.plan, &fingerprint[0], &fingerprint[1]);
    rebal_ledger_free(ledger);
    plan_close(&fixture);
  }
  ck_assert_uint_ne(empty[0], charged[0]);
  ck_assert_uint_ne(plain[0], charged[0]);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------------------------------ */

START_TEST(test_no_memory) {
  const rebal_deschedule_opts deschedule = {.struct_size = (uint32_t)sizeof deschedule,
                                            .flags = REBAL_DESCHEDULE_FLAG_FROM_STATUS};
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 1);
  rebal_ledger *ledger;
  struct plan_fixture fixture;

  rich_open(&fixture, _i);
  ck_assert_int_eq(rebal_ledger_new(fixture.world.fleet, NULL, &ledger, NULL), REBAL_OK);
  test_freeze(&fixture.world);
  fixture.schedule.ledger = ledger;
  fixture.schedule.compat = compat;
  fixture.opts.deschedule = &deschedule;
  ck_assert_pstr_eq(test_torture(plan_make_with, &fixture), NULL);
  fixture.opts.deschedule = NULL;
  fixture.opts.flags = REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS;
  fixture.opts.n_limits = 1;
  ck_assert_pstr_eq(test_torture(plan_make_with, &fixture), NULL);
  rebal_ledger_free(ledger);
  rebal_compat_free(compat);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(make) {
  TCase *cases = tcase_create("make");

  tcase_add_test(cases, test_objects_must_fit);
  tcase_add_test(cases, test_fingerprints_are_of_the_inputs);
  tcase_add_test(cases, test_fingerprints_are_of_values);
  tcase_add_test(cases, test_ledgers_are_signed);
  tcase_add_loop_test(cases, test_no_memory, REBAL_PLAN_MODE_FRESH, REBAL_PLAN_MODE_LEAST + 1);
  return cases;
}
