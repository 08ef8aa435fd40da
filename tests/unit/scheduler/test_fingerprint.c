/* SPDX-License-Identifier: MIT */
/* Equal calls have equal fingerprints however their inputs were built; any changed input changes the fingerprint. */
#include "phases_fixture.h"

#include "../unit.h"

struct print {
  uint64_t high;
  uint64_t low;
};

/* One thing that differs from the plain call. */
enum change {
  PLAIN,
  OTHER_ORDER,  /* clusters added in reverse order, so that ids differ */
  FROZEN_TWICE, /* changed and changed back between two snapshots */
  DEFAULTS,     /* a compat object with every option at its default */
  NO_EXTRA,     /* a caller's column of zeros */
  FEWER_ZEROS,  /* a column that ends before the last cluster */
  SAME_CHANGES, /* from here on the fingerprint changes */
  LABEL = SAME_CHANGES,
  CAPACITY,
  ONE_CLUSTER_MORE,
  REPLICAS,
  TARGET,
  PLACEMENT,
  OPTION,
  REJECT,
  SCORE,
  ESTIMATOR,
  KNOWN,
  LEDGER,
  EXPIRY,
  SCHEDULER,
  EXPLAIN,
  OBSERVATIONS,
  NOW,
  CALL,
  NODES,
  CHANGES,
  SHORT_ESTIMATOR = CHANGES, /* as ESTIMATOR, for no more clusters than have an opinion */
  NO_OPINION,                /* an estimator without numbers, and one that has no opinion of any cluster */
  NO_OPINIONS
};

static void add_clusters(struct test_world *world, enum change change) {
  const struct test_cluster clusters[] = {
      {"m1", change == CAPACITY ? "cpu=5 pods=10" : "cpu=4 pods=10", .labels = change == LABEL ? "a=2" : "a=1"},
      {"m2", "cpu=8 pods=10", .region = "west"},
  };

  for (size_t i = 0; i < 2; i++) {
    (void)test_add_cluster(world, &clusters[change == OTHER_ORDER ? 1 - i : i]);
  }
  if (change == ONE_CLUSTER_MORE) {
    test_add_pods(world, "m3=1");
  }
  if (change == FROZEN_TWICE) {
    rebal_snapshot *between = NULL;
    const uint32_t m2 = test_cluster_id(world, "m2");

    ck_assert_int_eq(
        rebal_cells_set_text(rebal_fleet_cells(world->fleet), REBAL_CLUSTER_REGION, REBAL_NONE, m2, "east", 4, NULL),
        REBAL_OK);
    ck_assert_int_eq(rebal_fleet_freeze(world->fleet, &between, NULL), REBAL_OK);
    rebal_snapshot_unref(between);
    ck_assert_int_eq(
        rebal_cells_set_text(rebal_fleet_cells(world->fleet), REBAL_CLUSTER_REGION, REBAL_NONE, m2, "west", 4, NULL),
        REBAL_OK);
  }
}

/* The caller's objects, as far as the change needs them. */
struct extras {
  int64_t cells[4];
  int32_t fits[4];
  rebal_estimator estimator;
  const rebal_estimator *list[1];
  rebal_time moment;
  rebal_bindings *known;
  rebal_compat *compat;
  rebal_ledger *ledger;
  rebal_observations *observations;
};

static void add_known(struct test_world *world, struct extras *extras) {
  extras->known = test_new_bindings(world);
  (void)test_add_binding(world, extras->known, &(struct test_binding){.key = "default/other"});
  ck_assert_int_eq(rebal_bindings_freeze(extras->known, NULL), REBAL_OK);
}

static void add_charge(struct test_world *world, struct extras *extras) {
  const uint32_t none = REBAL_NONE;
  const int32_t one = 1;

  ck_assert_int_eq(rebal_ledger_new(world->fleet, NULL, &extras->ledger, NULL), REBAL_OK);
  ck_assert_int_eq(test_charge_set(extras->ledger, "default/db", test_cluster_id(world, "m1"), &none, &one, 1, NULL),
                   REBAL_OK);
}

static void fill_extras(struct test_world *world, enum change change, struct extras *extras) {
  static const rebal_observation observation = {sizeof observation, REBAL_OBSERVED_DONE, 5, "1", 1, NULL, NULL, 0};

  *extras = (struct extras){.fits = {-1, -1, -1, -1}, .moment = test_time(change == NOW ? 101 : 100)};
  extras->cells[test_cluster_id(world, "m1")] = change == REJECT || change == SCORE;
  extras->fits[test_cluster_id(world, "m1")] = 3;
  extras->estimator = (rebal_estimator){sizeof extras->estimator, 0, extras->fits, 4, 0};
  if (change == NO_OPINION) {
    extras->estimator.fits = NULL;
  }
  if (change == SHORT_ESTIMATOR) {
    extras->estimator.clusters = test_cluster_id(world, "m1") + 1u;
  }
  if (change == NO_OPINIONS) {
    extras->fits[test_cluster_id(world, "m1")] = REBAL_FITS_NO_OPINION;
  }
  extras->list[0] = &extras->estimator;
  if (change == DEFAULTS || change == OPTION) {
    extras->compat = test_compat(REBAL_OPTION_INT32_WRAP, change == OPTION);
  }
  if (change == KNOWN) {
    add_known(world, extras);
  }
  if (change == LEDGER) {
    add_charge(world, extras);
  }
  ck_assert_int_eq(rebal_observations_new(NULL, &extras->observations, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_observations_add(extras->observations, &observation, NULL), REBAL_OK);
}

static void drop_extras(struct extras *extras) {
  rebal_bindings_free(extras->known);
  rebal_compat_free(extras->compat);
  rebal_ledger_free(extras->ledger);
  rebal_observations_free(extras->observations);
}

static rebal_schedule_opts make_opts(enum change change, const struct extras *extras) {
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = REBAL_SCHEDULE_FLAG_FINGERPRINT};

  opts.compat = extras->compat;
  opts.known = extras->known;
  opts.ledger = extras->ledger;
  opts.ledger_expiry = change == EXPIRY ? &extras->moment : NULL;
  opts.flags |= change == NODES ? REBAL_SCHEDULE_FLAG_NODES : 0;
  opts.extra_clusters = change == FEWER_ZEROS ? 1 : 4;
  opts.extra_reject = change == REJECT || change == NO_EXTRA || change == FEWER_ZEROS ? extras->cells : NULL;
  opts.extra_score = change == SCORE ? extras->cells : NULL;
  opts.estimators = extras->list;
  opts.n_estimators = change == ESTIMATOR || change >= SHORT_ESTIMATOR;
  opts.scheduler_name = change == SCHEDULER ? "mine" : NULL;
  opts.scheduler_name_len = change == SCHEDULER ? 4 : 0;
  opts.explain_rows = change == EXPLAIN;
  opts.observations = change == OBSERVATIONS ? extras->observations : NULL;
  return opts;
}

static struct print fingerprint_of(enum change change) {
  const struct test_binding binding = {.replicas = change == REPLICAS ? 3 : 2,
                                       .request = "cpu=1",
                                       .targets = change == TARGET ? "m1=1" : "m2=1",
                                       .placement = change == PLACEMENT ? &duplicated : &aggregated};
  struct test_world world;
  struct extras extras;
  struct print print = {0, 0};
  rebal_schedule_opts opts;
  int32_t code;

  test_world_open(&world, NULL);
  add_clusters(&world, change);
  (void)test_add_binding(&world, NULL, &binding);
  fill_extras(&world, change, &extras);
  test_freeze(&world);
  opts = make_opts(change, &extras);
  code = change == CALL ? rebal_decide(world.ctx, world.snapshot, world.bindings, &opts, world.result, &world.err)
                        : rebal_scheduler_step(world.ctx, world.snapshot, world.bindings, &extras.moment, &opts,
                                               world.result, &world.err);
  ck_assert_msg(code == REBAL_OK, "%s", world.err.message);
  ck_assert_int_eq(rebal_result_fingerprint(world.result, &print.high, &print.low, &world.err), REBAL_OK);
  drop_extras(&extras);
  test_world_close(&world);
  return print;
}

START_TEST(test_changes) {
  const struct print plain = fingerprint_of(PLAIN);
  const struct print changed = fingerprint_of((enum change)_i);

  ck_assert_int_eq(plain.high == changed.high, _i < SAME_CHANGES);
  ck_assert_int_eq(plain.low == changed.low, _i < SAME_CHANGES);
}
END_TEST

/* Neither the row of a binding nor other bindings change the fingerprint of a call for that binding. */
START_TEST(test_only_what_is_answered_counts) {
  const struct test_binding binding = {.replicas = 2, .request = "cpu=1", .placement = &aggregated};
  struct print prints[2];

  for (size_t before = 0; before < 2; before++) {
    struct test_world world;
    const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                      .flags = REBAL_SCHEDULE_FLAG_FINGERPRINT,
                                      .first_row = before,
                                      .max_work = 1};

    test_world_open(&world, NULL);
    test_add_pods(&world, "m1=5");
    for (size_t i = 0; i < before; i++) {
      (void)test_add_binding(&world, NULL, &(struct test_binding){.key = "default/first", .placement = &duplicated});
    }
    (void)test_add_binding(&world, NULL, &binding);
    test_freeze(&world);
    ck_assert_int_eq(rebal_schedule(world.ctx, world.snapshot, world.bindings, &opts, world.result, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_result_fingerprint(world.result, &prints[before].high, &prints[before].low, NULL), REBAL_OK);
    test_world_close(&world);
  }
  ck_assert_uint_eq(prints[0].high, prints[1].high);
  ck_assert_uint_eq(prints[0].low, prints[1].low);
}
END_TEST

START_TEST(test_not_requested) {
  const rebal_estimate_opts opts = {.struct_size = sizeof opts, .flags = REBAL_ESTIMATE_FLAG_FINGERPRINT};
  struct test_world world;
  uint64_t high = 0;
  uint64_t low = 0;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=5");
  test_freeze(&world);
  ck_assert_int_eq(rebal_result_fingerprint(world.result, &high, &low, NULL), REBAL_ESTATE);
  ck_assert_int_eq(rebal_estimate(world.ctx, world.snapshot, REBAL_NONE, &opts, world.result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_fingerprint(world.result, &high, &low, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_fingerprint(world.result, NULL, &low, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_fingerprint(world.result, &high, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_fingerprint(NULL, &high, &low, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_estimate(world.ctx, world.snapshot, REBAL_NONE, NULL, world.result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_fingerprint(world.result, &high, &low, NULL), REBAL_ESTATE);
  test_world_close(&world);
}
END_TEST

/* A missing opinion of an estimator does not count, in whatever way it is missing. */
START_TEST(test_what_estimators_leave_out) {
  ck_assert_uint_eq(fingerprint_of(SHORT_ESTIMATOR).high, fingerprint_of(ESTIMATOR).high);
  ck_assert_uint_eq(fingerprint_of(NO_OPINION).high, fingerprint_of(NO_OPINIONS).high);
  ck_assert_uint_ne(fingerprint_of(NO_OPINION).high, fingerprint_of(ESTIMATOR).high);
}
END_TEST

UNIT_CASE(fingerprint) {
  TCase *cases = tcase_create("fingerprint");
  tcase_add_loop_test(cases, test_changes, PLAIN, CHANGES);
  tcase_add_test(cases, test_only_what_is_answered_counts);
  tcase_add_test(cases, test_not_requested);
  tcase_add_test(cases, test_what_estimators_leave_out);
  return cases;
}
