/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "../../support/fleet_builder.h"
#include "../unit.h"

#include <stdio.h>

static const struct test_cluster clusters[] = {
    {"m1", .allocatable = "cpu=10 pods=100", .allocated = "cpu=5", .region = "eu", .provider = "p", .zones = "a"},
    {"m2", .allocatable = "cpu=10 pods=100", .allocated = "cpu=2", .region = "eu", .provider = "q", .zones = "a b"},
    {"m3", .allocatable = "cpu=10 pods=100", .allocated = "cpu=1", .region = "us", .provider = "p", .zones = "b b"},
    {"m4", .region = "us"},
};
static const struct test_affinity three_clusters = {.clusters = "m1 m2 m3"};
static const struct test_placement divided = {.scheduling = "Divided/Weighted/AvailableReplicas"};
static const struct test_placement copies = {.scheduling = "Duplicated", .affinity = &three_clusters};
static const struct test_placement two_of_them = {.scheduling = "Divided/Aggregated", .spreads = "cluster:2:2"};

static const struct test_placement one_region = {.scheduling = "Divided/Aggregated",
                                                 .spreads = "region:1:1 cluster:1:2"};

static int64_t cell(const struct test_world *world, uint32_t column, size_t row) {
  return rebal_result_i64(world->result, column, NULL)[row];
}

static const char *name_in(const struct test_world *world, size_t row) {
  return rebal_result_text(world->result, REBAL_SWEPT_NAME, row, NULL);
}

static const char *fullest(const struct test_world *world, size_t row) {
  static char text[64];
  const int64_t cluster = cell(world, REBAL_SWEPT_FULLEST, row);

  (void)snprintf(text, sizeof text, "%s %s %d",
                 cluster == REBAL_ABSENT ? "-" : test_cluster_name(world->snapshot, (uint32_t)cluster),
                 rebal_result_text(world->result, REBAL_SWEPT_RESOURCE, row, NULL),
                 (int)cell(world, REBAL_SWEPT_FULL, row));
  return text;
}

static void open_world(struct test_world *world, const struct test_binding *bindings, size_t n) {
  test_world_open(world, NULL);
  for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
    (void)test_add_cluster(world, &clusters[i]);
  }
  for (size_t i = 0; i < n; i++) {
    (void)test_add_binding(world, NULL, &bindings[i]);
  }
  test_freeze(world);
}

static int32_t sweep(struct test_world *world, const rebal_sweep_opts *opts) {
  return rebal_sweep(world->ctx, world->snapshot, world->bindings, opts, world->result, &world->err);
}

#define SWEEP(...) ((rebal_sweep_opts){.struct_size = (uint32_t)sizeof(rebal_sweep_opts), __VA_ARGS__})
#define KIND(name) (1u << REBAL_LOSS_##name)

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

START_TEST(test_each_cluster_is_lost_once) {
  static const struct test_binding bindings[] = {
      {"a/one", .replicas = 4, .request = "cpu=1", .placement = &divided, .targets = "m1=3 m2=1"},
      {"a/two", .replicas = 2, .request = "cpu=1", .placement = &copies, .targets = "m1=2 m2=2 m3=2"},
      {"a/six", .replicas = 8, .request = "cpu=1", .placement = &divided, .targets = "m3=8"},
  };
  static const struct {
    const char *name;
    int64_t unplaced, missing, moved, decided;
    const char *fullest;
  } wanted[] = {
      /* 8 replicas fit into m2 and 9 into m3: of the 3 of "one" 1 goes to m2 and 2 go to m3 */
      {"m1", 0, 0, 3, 1, "m2 cpu 300"},
      {"m2", 0, 0, 1, 1, "m1 cpu 500"},
      /* 8 replicas divided by 5 and 8: 3 into m1, 5 into m2; m1 has 5 + 3, m2 has 2 + 5 */
      {"m3", 0, 0, 8, 1, "m1 cpu 800"},
      {"m4", 0, 0, 0, 0, "m1 cpu 500"},
  };
  struct test_world world;

  open_world(&world, bindings, 3);
  ck_assert_int_eq(sweep(&world, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_SWEPT), 4);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_AFFECTED), 0);
  for (size_t i = 0; i < 4; i++) {
    ck_assert_str_eq(name_in(&world, i), wanted[i].name);
    ck_assert_int_eq(cell(&world, REBAL_SWEPT_LOSS, i), (int64_t)i);
    ck_assert_int_eq(cell(&world, REBAL_SWEPT_KIND, i), REBAL_LOSS_CLUSTER);
    ck_assert_int_eq(cell(&world, REBAL_SWEPT_SET, i), REBAL_ABSENT);
    ck_assert_int_eq(cell(&world, REBAL_SWEPT_CLUSTERS, i), 1);
    ck_assert_int_eq(cell(&world, REBAL_SWEPT_UNPLACED, i), wanted[i].unplaced);
    ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, i), wanted[i].missing);
    ck_assert_int_eq(cell(&world, REBAL_SWEPT_MOVED, i), wanted[i].moved);
    ck_assert_int_eq(cell(&world, REBAL_SWEPT_DECIDED, i), wanted[i].decided);
    ck_assert_str_eq(fullest(&world, i), wanted[i].fullest);
  }
  test_world_close(&world);
}
END_TEST

/* Without m3 there is capacity for 5 + 8 replicas; copies are missing if no cluster is left. */
START_TEST(test_what_does_not_fit_is_missing) {
  static const struct test_affinity only_m3 = {.clusters = "m3"};
  static const struct test_placement one_copy = {.scheduling = "Duplicated", .affinity = &only_m3};
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 20, .request = "cpu=1", .placement = &divided, .targets = "m1=4 m2=7 m3=9"},
      {"a/c", .replicas = 5, .request = "cpu=1", .placement = &one_copy, .targets = "m3=5"},
      {"a/d", .replicas = 2, .request = "cpu=1", .placement = &copies, .targets = "m1=2 m2=2 m3=2"},
  };
  struct test_world world;

  open_world(&world, bindings, 3);
  ck_assert_int_eq(sweep(&world, &SWEEP(.kinds = KIND(NOTHING) | KIND(REGION), .flags = REBAL_SWEEP_FLAG_BINDINGS)),
                   REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_SWEPT), 3);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_KIND, 0), REBAL_LOSS_NOTHING);
  ck_assert_str_eq(name_in(&world, 0), "");
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_UNPLACED, 0), 0);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, 0), 0);
  ck_assert_str_eq(name_in(&world, 2), "us");
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_CLUSTERS, 2), 2);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_UNPLACED, 2), 1);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, 2), 5);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MOVED, 2), 9);
  /* eu: 11 replicas of the first do not fit into m3, which keeps 9 */
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, 1), 11);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_AFFECTED), 5);
  ck_assert_int_eq(cell(&world, REBAL_AFFECTED_LOSS, 0), 1);
  ck_assert_int_eq(cell(&world, REBAL_AFFECTED_BINDING, 0), 0);
  ck_assert_int_eq(cell(&world, REBAL_AFFECTED_OUTCOME, 0), REBAL_OUTCOME_UNSCHEDULABLE);
  ck_assert_int_eq(cell(&world, REBAL_AFFECTED_MISSING, 0), 11);
  ck_assert_int_eq(cell(&world, REBAL_AFFECTED_BINDING, 3), 1);
  ck_assert_int_eq(cell(&world, REBAL_AFFECTED_OUTCOME, 3), REBAL_OUTCOME_NO_CLUSTER_FIT);
  test_world_close(&world);
}
END_TEST

/* Replicas that one binding moves reduce the capacity for the next; an unused ledger has no effect and is unchanged. */
START_TEST(test_bindings_displace_each_other_through_the_ledger) {
  static const struct test_affinity m1_or_m3 = {.clusters = "m1 m3"};
  static const struct test_placement either = {.scheduling = "Divided/Aggregated", .affinity = &m1_or_m3};
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 5, .request = "cpu=1", .placement = &either, .targets = "m3=5"},
      {"a/c", .replicas = 1, .request = "cpu=1", .placement = &either},
  };
  rebal_compat *no_gate = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 0);
  rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule, .compat = no_gate};
  struct test_world world;

  open_world(&world, bindings, 2);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &schedule.ledger, NULL), REBAL_OK);
  ck_assert_int_eq(sweep(&world, &SWEEP(.schedule = &schedule)), REBAL_OK);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, 2), 0);
  schedule.compat = NULL;
  ck_assert_int_eq(sweep(&world, &SWEEP(.schedule = &schedule)), REBAL_OK);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, 2), 1);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, 0), 0);
  ck_assert_int_eq(rebal_ledger_read(schedule.ledger, world.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_SPENT), 0);
  rebal_ledger_free(schedule.ledger);
  rebal_compat_free(no_gate);
  test_world_close(&world);
}
END_TEST

/* If a binding cannot be decided, its key keeps the charge of an earlier one of the same name. */
START_TEST(test_a_key_keeps_what_nothing_replaces) {
  static const struct test_affinity m1_or_m3 = {.clusters = "m1 m3"};
  static const struct test_placement either = {.scheduling = "Divided/Aggregated", .affinity = &m1_or_m3};
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 5, .request = "cpu=1", .placement = &either, .targets = "m3=5"},
      {"a/b", .replicas = 1, .request = "cpu=1"},
      {"a/c", .replicas = 1, .request = "cpu=1", .placement = &either},
  };
  rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule};
  struct test_world world;

  open_world(&world, bindings, 3);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &schedule.ledger, NULL), REBAL_OK);
  ck_assert_int_eq(sweep(&world, &SWEEP(.schedule = &schedule)), REBAL_OK);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, 0), 1);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MISSING, 2), 2);
  rebal_ledger_free(schedule.ledger);
  test_world_close(&world);
}
END_TEST

/* A region that scores by its first cluster may lose the others. */
START_TEST(test_regions_can_spare_clusters) {
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 2, .request = "cpu=1", .placement = &one_region, .targets = "m1=2"},
  };
  static const uint32_t pair[] = {1, 3}, offsets[] = {0, 2};
  static const int64_t decided[] = {1, 0, 1, 0, 0};
  struct test_world world;

  open_world(&world, bindings, 1);
  ck_assert_int_eq(sweep(&world, &SWEEP(.kinds = KIND(CLUSTER) | KIND(SET), .set_clusters = pair,
                                        .set_offsets = offsets, .n_sets = 1)),
                   REBAL_OK);
  for (size_t i = 0; i < 5; i++) {
    ck_assert_int_eq(cell(&world, REBAL_SWEPT_DECIDED, i), decided[i]);
  }
  test_world_close(&world);
}
END_TEST

/* A set of 1 + 3 pods moves as a whole; it takes no cores. */
START_TEST(test_sets_of_components_fill_clusters) {
  static const struct test_placement one = {.spreads = "cluster:1:1", .affinity = &three_clusters};
  static const struct test_binding binding = {"a/b", .placement = &one, .components = "driver=1 worker=3",
                                              .targets = "m1=0"};
  rebal_compat *gate = test_compat(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);
  const rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule, .compat = gate};
  struct test_world world;

  open_world(&world, &binding, 1);
  ck_assert_int_eq(sweep(&world, &SWEEP(.schedule = &schedule)), REBAL_OK);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_UNPLACED, 0), 0);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_DECIDED, 0), 1);
  ck_assert_str_eq(fullest(&world, 0), "m2 cpu 200");
  test_world_close(&world);
  rebal_compat_free(gate);
}
END_TEST

/* The trigger is ignored: replicas stay although a fresh division would move them. */
START_TEST(test_a_trigger_counts_as_consumed) {
  static const struct test_binding binding = {"a/b",
                                              .replicas = 6,
                                              .request = "cpu=1",
                                              .placement = &divided,
                                              .targets = "m1=3 m2=3",
                                              .triggered_at = 20,
                                              .scheduled_at = 10};
  struct test_world world;

  open_world(&world, &binding, 1);
  ck_assert_int_eq(sweep(&world, NULL), REBAL_OK);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MOVED, 2), 0);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_MOVED, 0), 3);
  test_world_close(&world);
}
END_TEST

/* ---- losses ------------------------------------------------------------------------------------------------------ */

START_TEST(test_losses_are_in_order) {
  static const uint32_t set_clusters[] = {3, 1, 3, 0}, set_offsets[] = {0, 3, 3, 4};
  static const struct {
    int64_t kind;
    const char *name;
    int64_t set, clusters;
  } wanted[] = {
      {REBAL_LOSS_NOTHING, "", REBAL_ABSENT, 0},
      {REBAL_LOSS_CLUSTER, "m1", REBAL_ABSENT, 1},
      {REBAL_LOSS_CLUSTER, "m2", REBAL_ABSENT, 1},
      {REBAL_LOSS_CLUSTER, "m3", REBAL_ABSENT, 1},
      {REBAL_LOSS_CLUSTER, "m4", REBAL_ABSENT, 1},
      {REBAL_LOSS_SET, "", 0, 2},
      {REBAL_LOSS_SET, "", 1, 0},
      {REBAL_LOSS_SET, "", 2, 1},
      {REBAL_LOSS_ZONE, "a", REBAL_ABSENT, 1},
      {REBAL_LOSS_ZONE, "b", REBAL_ABSENT, 1},
      {REBAL_LOSS_REGION, "eu", REBAL_ABSENT, 2},
      {REBAL_LOSS_REGION, "us", REBAL_ABSENT, 2},
      {REBAL_LOSS_PROVIDER, "p", REBAL_ABSENT, 2},
      {REBAL_LOSS_PROVIDER, "q", REBAL_ABSENT, 1},
  };
  const size_t n = sizeof wanted / sizeof wanted[0];
  rebal_sweep_opts opts = SWEEP(.kinds = 126, .set_clusters = set_clusters, .set_offsets = set_offsets, .n_sets = 3);
  static const struct test_binding binding = {"a/b", .replicas = 4, .request = "cpu=1", .placement = &two_of_them,
                                              .targets = "m1=2 m3=2"};
  struct test_world world;
  uint64_t count = 0;

  open_world(&world, &binding, 1);
  ck_assert_int_eq(rebal_sweep_count(world.ctx, world.snapshot, &opts, &count, &world.err), REBAL_OK);
  ck_assert_uint_eq(count, n);
  for (size_t first = 0; first <= n; first++) {
    opts.first_loss = first;
    opts.max_work = first % 5;
    ck_assert_int_eq(sweep(&world, &opts), REBAL_OK);
    ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_SWEPT),
                      opts.max_work == 0 || opts.max_work > n - first ? n - first : opts.max_work);
    for (size_t i = 0; i < rebal_result_count(world.result, REBAL_TABLE_SWEPT); i++) {
      ck_assert_int_eq(cell(&world, REBAL_SWEPT_LOSS, i), (int64_t)(first + i));
      ck_assert_int_eq(cell(&world, REBAL_SWEPT_KIND, i), wanted[first + i].kind);
      ck_assert_str_eq(name_in(&world, i), wanted[first + i].name);
      ck_assert_int_eq(cell(&world, REBAL_SWEPT_SET, i), wanted[first + i].set);
      ck_assert_int_eq(cell(&world, REBAL_SWEPT_CLUSTERS, i), wanted[first + i].clusters);
    }
  }
  test_world_close(&world);
}
END_TEST

START_TEST(test_what_makes_no_sense_is_refused) {
  static const uint32_t absent[] = {4}, one[] = {0, 1}, backward[] = {1, 0};
  static const struct test_binding binding = {"a/b", .replicas = 4, .placement = &copies};
  static const rebal_schedule_opts signed_ = {.struct_size = (uint32_t)sizeof signed_,
                                              .flags = REBAL_SCHEDULE_FLAG_FINGERPRINT},
                                   part = {.struct_size = (uint32_t)sizeof part, .max_work = 1},
                                   rest = {.struct_size = (uint32_t)sizeof rest, .first_row = 1};
  struct test_world world;

  open_world(&world, &binding, 1);
  ck_assert_int_eq(sweep(&world, &SWEEP(.kinds = 128)), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(sweep(&world, &SWEEP(.flags = 2)), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(sweep(&world, &SWEEP(.reserved0 = 1)), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(sweep(&world, &SWEEP(.n_sets = 1)), REBAL_EINVAL);
  ck_assert_int_eq(sweep(&world, &SWEEP(.n_sets = 1, .set_offsets = one)), REBAL_EINVAL);
  ck_assert_int_eq(sweep(&world, &SWEEP(.n_sets = 1, .set_clusters = absent, .set_offsets = one)), REBAL_EINVAL);
  ck_assert_int_eq(sweep(&world, &SWEEP(.n_sets = 1, .set_clusters = one, .set_offsets = backward)), REBAL_EINVAL);
  ck_assert_int_eq(sweep(&world, &SWEEP(.n_sets = UINT32_MAX, .set_clusters = one, .set_offsets = one)), REBAL_ELIMIT);
  ck_assert_int_eq(sweep(&world, &SWEEP(.first_loss = 5)), REBAL_EINVAL);
  ck_assert_int_eq(sweep(&world, &SWEEP(.schedule = &signed_)), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(sweep(&world, &SWEEP(.schedule = &part)), REBAL_EINVAL);
  ck_assert_int_eq(sweep(&world, &SWEEP(.schedule = &rest)), REBAL_EINVAL);
  ck_assert_int_eq(sweep(&world, &SWEEP(.first_loss = 4)), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_SWEPT), 0);
  test_world_close(&world);
}
END_TEST

/* ---- without memory ---------------------------------------------------------------------------------------------- */

struct torture {
  rebal_fleet *fleet;
  rebal_snapshot *snapshot;
  rebal_bindings *bindings;
  rebal_compat *compat;
};

static int32_t sweep_with(const rebal_allocator *allocator, void *user_data) {
  const struct torture *torture = user_data;
  rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule, .compat = torture->compat};
  const rebal_sweep_opts opts = SWEEP(.kinds = 126, .flags = REBAL_SWEEP_FLAG_BINDINGS, .schedule = &schedule);
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_ledger_new(torture->fleet, allocator, &schedule.ledger, NULL) : code;
  code = code == REBAL_OK ? rebal_sweep(ctx, torture->snapshot, torture->bindings, &opts, result, NULL) : code;
  if (code != REBAL_OK && result != NULL) {
    ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_SWEPT), 0);
  }
  rebal_ledger_free(schedule.ledger);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_every_allocation_may_fail) {
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 4, .request = "cpu=1", .placement = &two_of_them, .targets = "m1=2 m3=2"},
      {"a/c", .replicas = 4, .request = "cpu=1", .placement = &divided, .targets = "m1=4"},
      {"a/c", .replicas = 3, .request = "cpu=1", .placement = &divided, .targets = "m3=2"},
      {"a/d", .replicas = 2, .placement = &copies, .targets = "m3=2"},
      {"a/e", .replicas = 2, .request = "cpu=1", .placement = &one_region, .targets = "m1=2"},
      {"a/f", .replicas = 3, .request = "memory=1", .placement = &one_region, .targets = "m1=2"},
      {"a/g", .replicas = 3, .request = "cpu=1", .placement = &two_of_them, .targets = "m1=2"},
      {"a/h", .replicas = 3, .request = "cpu=1", .placement = &one_region, .targets = "m1=2"},
  };
  struct torture torture;
  struct test_world world;

  open_world(&world, bindings, sizeof bindings / sizeof bindings[0]);
  torture = (struct torture){world.fleet, world.snapshot, world.bindings,
                             test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 1)};
  ck_assert_pstr_eq(test_torture(sweep_with, &torture), NULL);
  rebal_compat_free(torture.compat);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(sweep) {
  TCase *cases = tcase_create("sweep");
  tcase_add_test(cases, test_each_cluster_is_lost_once);
  tcase_add_test(cases, test_what_does_not_fit_is_missing);
  tcase_add_test(cases, test_bindings_displace_each_other_through_the_ledger);
  tcase_add_test(cases, test_a_key_keeps_what_nothing_replaces);
  tcase_add_test(cases, test_regions_can_spare_clusters);
  tcase_add_test(cases, test_sets_of_components_fill_clusters);
  tcase_add_test(cases, test_a_trigger_counts_as_consumed);
  tcase_add_test(cases, test_losses_are_in_order);
  tcase_add_test(cases, test_what_makes_no_sense_is_refused);
  tcase_add_test(cases, test_every_allocation_may_fail);
  return cases;
}
