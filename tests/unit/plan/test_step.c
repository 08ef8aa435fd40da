/* SPDX-License-Identifier: MIT */
/* The call: what it is given, what it writes, what came of it. */
#include "waves.h"

static struct waves waves;

static void setup(void) {
  waves_open(&waves, "a=10 b=10");
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 1, 0);
}
static void teardown(void) {
  waves_close(&waves);
}

static void see(void) {
  const struct test_binding binding = {.replicas = 4, .targets = "a=4", .version = "17"};

  waves_forget(&waves);
  (void)waves_see(&waves, &binding, "a=4/4");
}

START_TEST(test_a_write_names_its_source) {
  see();
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=4 b=1");
  ck_assert_uint_eq(rebal_result_count(waves.world.result, REBAL_TABLE_ACTION), 1);
  ck_assert_int_eq(waves_cell(&waves, REBAL_ACTION_KIND, 0), REBAL_ACTION_KIND_PATCH_SPEC);
  ck_assert_int_eq(waves_cell(&waves, REBAL_ACTION_REPLACES, 0), REBAL_REPLACES_CLUSTERS);
  ck_assert_str_eq(rebal_result_text(waves.world.result, REBAL_ACTION_RESOURCE_VERSION, 0, NULL), "17");
  ck_assert_str_eq(rebal_result_text(waves.world.result, REBAL_ACTION_NAME, 0, NULL), "web");
  ck_assert_uint_eq(rebal_result_count(waves.world.result, REBAL_TABLE_PACE), 0);
}
END_TEST

static void observe(int32_t outcome, const char *message, const char *expected) {
  rebal_observations *observations;

  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  ck_assert_int_eq(test_observe(observations, 0, outcome, message), REBAL_OK);
  waves.opts.observations = observations;
  see();
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), expected);
  ck_assert_uint_eq(rebal_result_count(waves.world.result, REBAL_TABLE_ACTION), 0);
  ck_assert_str_eq(rebal_result_text(waves.world.result, REBAL_WAVE_MESSAGE, 0, NULL), message == NULL ? "" : message);
  waves.opts.observations = NULL;
  rebal_observations_free(observations);
}

START_TEST(test_what_was_written_is_not_written_again) {
  observe(REBAL_OBSERVED_DONE, NULL, "waiting written");
  observe(REBAL_OBSERVED_CONFLICT, NULL, "waiting conflict");
  observe(REBAL_OBSERVED_NOT_FOUND, NULL, "waiting conflict");
  observe(REBAL_OBSERVED_DENIED, "quota exceeded", "blocked refused");
  observe(REBAL_OBSERVED_TRANSIENT, "timeout", "blocked refused");
}
END_TEST

START_TEST(test_waves_keep_their_distance) {
  rebal_time next = test_time(WAVES_NOW + 5);

  see();
  waves.opts.interval_ns = 10 * REBALI_SECOND_NS;
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=4 b=1");
  rebal_result_time(waves.world.result, REBAL_PACE_NEXT, 0, &next);
  ck_assert_int_eq(next.seconds, WAVES_NOW + 10);
  ck_assert_int_eq(waves_cell(&waves, REBAL_PACE_EVICTED, 0), 1);
  waves.opts.next_wave = &next;
  waves.now = test_time(WAVES_NOW + 7);
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "waiting paced");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), 3 * REBALI_SECOND_NS);
  ck_assert_int_eq(waves_cell(&waves, REBAL_ACTION_KIND, 0), REBAL_ACTION_KIND_WAKE);
  ck_assert_int_eq(waves_cell(&waves, REBAL_PACE_WAITING, 0), 1);
  waves.now = test_time(WAVES_NOW - 100); /* of a clock that went back */
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), 10 * REBALI_SECOND_NS);
  waves.now = test_time(WAVES_NOW + 10);
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=4 b=1");
  next = test_time(0); /* no wave was yet */
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=4 b=1");
}
END_TEST

/* The next wave was set by another interval, or another clock. */
START_TEST(test_a_wave_that_is_too_far_away_comes_nearer) {
  rebal_time next = test_time(WAVES_NOW + 1000);

  see();
  waves.opts.interval_ns = 10 * REBALI_SECOND_NS;
  waves.opts.next_wave = &next;
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "waiting paced");
  rebal_result_time(waves.world.result, REBAL_PACE_NEXT, 0, &next);
  ck_assert_int_eq(next.seconds, WAVES_NOW + 10);
}
END_TEST

START_TEST(test_an_observation_of_what_is_not_written) {
  rebal_observations *observations;

  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  ck_assert_int_eq(test_observe(observations, 0, REBAL_OBSERVED_DENIED, "quota exceeded"), REBAL_OK);
  waves.opts.observations = observations;
  ck_assert_str_eq(waves_answer(&waves, "b=4", "b=4/4"), "done");
  waves.opts.observations = NULL;
  rebal_observations_free(observations);
}
END_TEST

/* Carries out the plan at hand in another world, with what is seen there. */
static int32_t step_in(struct waves *other) {
  test_freeze(&other->world);
  (void)rebal_bindings_freeze(other->seen, NULL);
  return rebal_plan_step(other->world.ctx, other->world.snapshot, other->seen, waves.plan, &waves.now, &waves.opts,
                         other->world.result, NULL);
}

/* A fleet made anew, with other ids: clusters and bindings are found by name. */
START_TEST(test_another_fleet_gives_the_same_writes) {
  static struct waves other;

  waves_open(&other, "z=1 b=10 a=10");
  rebal_bindings_free(waves.seen);
  waves.seen = test_new_bindings(&other.world);
  (void)waves_see_plainly(&other, "default/first", 1, "a=1", "");
  (void)waves_see_plainly(&other, "default/web", 4, "a=4", "a=4/4");
  ck_assert_int_eq(step_in(&other), REBAL_OK);
  ck_assert_str_eq(waves_row(&other, 0), "moving a=4 b=1");
  ck_assert_int_eq(waves_cell(&other, REBAL_WAVE_BINDING, 0), 1);
  waves_close(&other);
}
END_TEST

START_TEST(test_a_fleet_without_a_planned_cluster) {
  static struct waves other;

  waves_open(&other, "a=10");
  (void)waves_see_plainly(&other, "default/web", 4, "a=4", "a=4/4");
  ck_assert_int_eq(step_in(&other), REBAL_OK);
  ck_assert_str_eq(waves_row(&other, 0), "blocked no-cluster");
  waves_close(&other);
}
END_TEST

/* Lost is a cluster that the fleet at hand does not know. */
START_TEST(test_a_fleet_without_a_lost_cluster) {
  static struct waves other;

  waves_lose(&waves, "b");
  waves.plan->n_rows = waves.plan->n_cells = 0;
  (void)waves_plan(&waves, "web", 4, "b=4", "a=4", 4, 0);
  waves_open(&other, "a=10");
  (void)waves_see_plainly(&other, "default/web", 4, "", "");
  ck_assert_int_eq(step_in(&other), REBAL_OK);
  ck_assert_str_eq(waves_row(&other, 0), "moving a=4");
  waves_close(&other);
}
END_TEST

/* A plan of clusters that came after the snapshot. */
START_TEST(test_a_snapshot_older_than_the_plan) {
  uint32_t younger;

  see();
  test_freeze(&waves.world);
  (void)rebal_bindings_freeze(waves.seen, NULL);
  ck_assert_int_eq(rebal_fleet_cluster_id(waves.world.fleet, "younger", 7, &younger, NULL), REBAL_OK);
  waves.cells[1].cluster = younger;
  ck_assert_int_eq(rebal_plan_step(waves.world.ctx, waves.world.snapshot, waves.seen, waves.plan, &waves.now,
                                   &waves.opts, waves.world.result, NULL),
                   REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "blocked no-cluster");
}
END_TEST

START_TEST(test_a_planned_cluster_that_left_the_fleet) {
  const uint32_t b = test_cluster_id(&waves.world, "b");

  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(waves.world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &b, 1, NULL), REBAL_OK);
  test_freeze(&waves.world);
  see();
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_ANY_CAPACITY;
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "blocked no-cluster");
}
END_TEST

START_TEST(test_what_the_call_refuses) {
  static struct waves other;
  rebal_ledger *ledger;
  rebal_time outside = {INT64_MAX, 0, 1};

  see();
  waves.opts.flags = 1u << 30;
  ck_assert_int_eq(waves_step(&waves), REBAL_EUNSUPPORTED);
  waves.opts.flags = 0;
  waves.opts.reserved0 = 1;
  ck_assert_int_eq(waves_step(&waves), REBAL_EUNSUPPORTED);
  waves.opts.reserved0 = 0;
  waves.opts.struct_size = 1;
  ck_assert_int_eq(waves_step(&waves), REBAL_EABI);
  waves.opts.struct_size = (uint32_t)sizeof waves.opts;
  waves.opts.dialect = 99;
  ck_assert_int_eq(waves_step(&waves), REBAL_EINVAL);
  waves.opts.dialect = 0;
  waves.opts.interval_ns = -1;
  ck_assert_int_eq(waves_step(&waves), REBAL_ERANGE);
  waves.opts.interval_ns = 0;
  waves.opts.next_wave = &outside;
  ck_assert_int_eq(waves_step(&waves), REBAL_ERANGE);
  waves.opts.next_wave = NULL;
  waves_open(&other, "a=1");
  ck_assert_int_eq(rebal_ledger_new(other.world.fleet, NULL, &ledger, NULL), REBAL_OK);
  waves.opts.ledger = ledger;
  ck_assert_int_eq(waves_step(&waves), REBAL_EMISMATCH);
  rebal_ledger_free(ledger);
  waves.opts.ledger = NULL;
  ck_assert_int_eq(rebal_plan_step(waves.world.ctx, waves.world.snapshot, waves.seen, NULL, &waves.now, &waves.opts,
                                   waves.world.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  waves_close(&other);
}
END_TEST

/* Two bindings that block each other, one that moves, one that is not planned. */
START_TEST(test_without_memory_it_fails) {
  static struct waves swap;
  static const rebal_plan_step_opts defaults = {.struct_size = sizeof defaults};

  waves_open(&swap, "a=0 b=0 c=9");
  (void)waves_plan(&swap, "one", 2, "a=2", "b=2", 1, 0);
  (void)waves_plan(&swap, "two", 2, "b=2", "a=2", 1, 0);
  (void)waves_plan(&swap, "three", 2, "a=1 c=1", "c=2", 1, 0);
  (void)waves_plan(&swap, "four", 2, "c=2", "c=2", 1, 0);
  (void)waves_see_plainly(&swap, "default/one", 2, "a=2", "a=2/2");
  (void)waves_see_plainly(&swap, "default/two", 2, "b=2", "b=2/2");
  (void)waves_see_plainly(&swap, "default/three", 2, "a=1 c=1", "a=1/1 c=1/1");
  (void)waves_see_plainly(&swap, "default/four", 2, "c=2", "c=2/1");
  (void)waves_see_plainly(&swap, "default/other", 2, "c=2", "c=2/2");
  swap.opts = defaults;
  swap.opts.interval_ns = 1;
  ck_assert_int_eq(waves_step(&swap), REBAL_OK);
  ck_assert_pstr_eq(waves_torture(&swap), NULL);
  waves_close(&swap);
}
END_TEST

START_TEST(test_models_without_memory) {
  static const struct test_cluster cluster = {"m", .allocatable = "cpu=10 pods=100", .models = "0:cpu=0 1:cpu=2",
                                              .modelings = "1=5"};
  static const struct test_binding binding = {.replicas = 2, .targets = "a=2", .request = "cpu=1", .version = "7"};
  static struct waves modelled;

  waves_open(&modelled, "a=10");
  (void)test_add_cluster(&modelled.world, &cluster);
  (void)waves_plan(&modelled, "web", 2, "a=2", "m=2", 1, 0);
  (void)waves_see(&modelled, &binding, "a=2/2");
  ck_assert_int_eq(waves_step(&modelled), REBAL_OK);
  ck_assert_str_eq(waves_row(&modelled, 0), "moving a=2 m=1");
  ck_assert_pstr_eq(waves_torture(&modelled), NULL);
  waves_close(&modelled);
}
END_TEST

UNIT_CASE(step) {
  TCase *cases = tcase_create("step");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_a_write_names_its_source);
  tcase_add_test(cases, test_what_was_written_is_not_written_again);
  tcase_add_test(cases, test_waves_keep_their_distance);
  tcase_add_test(cases, test_another_fleet_gives_the_same_writes);
  tcase_add_test(cases, test_a_fleet_without_a_planned_cluster);
  tcase_add_test(cases, test_a_planned_cluster_that_left_the_fleet);
  tcase_add_test(cases, test_what_the_call_refuses);
  tcase_add_test(cases, test_without_memory_it_fails);
  tcase_add_test(cases, test_a_wave_that_is_too_far_away_comes_nearer);
  tcase_add_test(cases, test_an_observation_of_what_is_not_written);
  tcase_add_test(cases, test_a_fleet_without_a_lost_cluster);
  tcase_add_test(cases, test_a_snapshot_older_than_the_plan);
  tcase_add_test(cases, test_models_without_memory);
  return cases;
}
