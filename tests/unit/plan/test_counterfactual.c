/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "../../support/fleet_builder.h"
#include "../unit.h"

#include <stdio.h>

#define KIND(name) (1u << REBAL_SINGLE_CHANGE_##name)

struct requested {
  const struct test_placement *placement;
  int64_t replicas;
  const char *goal; /* NULL: the binding must fit */
  uint32_t kinds;
  const char *answer;
};

static const struct test_cluster clusters[] = {
    {"m1", "cpu=4 pods=100", .region = "eu", .labels = "tier=a"},
    {"m2", "cpu=2 pods=100", .region = "us", .labels = "tier=b old=1"},
    {"m3", "cpu=10 pods=100", .region = "us", .labels = "tier=a", .taints = "k=v:NoSchedule p:PreferNoSchedule"}};

static void open_world(struct test_world *world, const struct test_placement *placement, int64_t replicas) {
  const struct test_binding binding = {.replicas = replicas, .request = "cpu=1", .placement = placement};

  test_world_open(world, NULL);
  test_world_fill(world, clusters, 3, &binding);
}

/* "kind cluster name before>after cost replicas", one row after the other. */
static const char *report(const struct test_world *world) {
  static char text[4096];
  const rebal_result *result = world->result;
  size_t len = 0;

  text[0] = '\0';
  for (size_t row = 0; row < rebal_result_count(result, REBAL_TABLE_COUNTERFACTUAL); row++) {
    const int64_t cluster = rebal_result_i64(result, REBAL_COUNTERFACTUAL_CLUSTER, NULL)[row];
    const int64_t before = rebal_result_i64(result, REBAL_COUNTERFACTUAL_BEFORE, NULL)[row];
    const int64_t after = rebal_result_i64(result, REBAL_COUNTERFACTUAL_AFTER, NULL)[row];
    char numbers[64] = "-";

    if (after != REBAL_ABSENT) {
      (void)snprintf(numbers, sizeof numbers, "%lld>%lld", before == REBAL_ABSENT ? -1 : (long long)before,
                     (long long)after);
    }
    len += (size_t)snprintf(
        text + len, sizeof text - len, "%s%s %s %s %s %lld %lld", row == 0 ? "" : "; ",
        rebal_enum_name(REBAL_ENUM_SINGLE_CHANGE, rebal_result_i64(result, REBAL_COUNTERFACTUAL_KIND, NULL)[row], NULL),
        cluster == REBAL_ABSENT ? "-" : test_cluster_name(world->snapshot, (uint32_t)cluster),
        rebal_result_text(result, REBAL_COUNTERFACTUAL_NAME, row, NULL), numbers,
        (long long)rebal_result_i64(result, REBAL_COUNTERFACTUAL_COST, NULL)[row],
        (long long)rebal_result_i64(result, REBAL_COUNTERFACTUAL_REPLICAS, NULL)[row]);
    ck_assert_uint_lt(len, sizeof text);
  }
  return text;
}

static int32_t query(struct test_world *world, uint32_t goal, const rebal_counterfactual_opts *opts) {
  return rebal_counterfactual(world->ctx, world->fleet, world->bindings, 0, goal, opts, world->result, &world->err);
}

static void check_all(const struct requested *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const rebal_counterfactual_opts opts = {.struct_size = (uint32_t)sizeof opts, .kinds = cases[i].kinds};
    struct test_world world;

    open_world(&world, cases[i].placement, cases[i].replicas);
    ck_assert_int_eq(query(&world, cases[i].goal == NULL ? REBAL_NONE : test_cluster_id(&world, cases[i].goal), &opts),
                     REBAL_OK);
    ck_assert_str_eq(report(&world), cases[i].answer);
    test_world_close(&world);
  }
}

static const struct test_placement divided = {.scheduling = "Divided/Weighted/AvailableReplicas"};
static const struct test_placement aggregated = {.scheduling = "Divided/Aggregated"};

START_TEST(test_a_taint_is_tolerated_or_removed) {
  static const struct requested cases[] = {
      {&divided, 4, "m1", 0, "nothing -  - 0 3"},
      {&divided, 4, "m3", 0, "toleration m3 k=v:NoSchedule - 1000000 2; taint m3 k=v:NoSchedule - 6000000 2"},
      {&divided, 4, "m3", KIND(TAINT), "taint m3 k=v:NoSchedule - 6000000 2"},
      {&divided, 4, "m3", KIND(CAPACITY) | KIND(WEIGHT), ""},
  };

  check_all(cases, sizeof cases / sizeof cases[0]);
}
END_TEST

START_TEST(test_capacity_is_raised_to_what_is_missing_and_no_more) {
  static const struct requested cases[] = {
      {&divided, 8, NULL, KIND(CAPACITY), "capacity m1 cpu 4000>6000 7000002 8; capacity m2 cpu 2000>4000 7000002 8"},
      {&divided, 7, NULL, KIND(CAPACITY), "capacity m1 cpu 4000>5000 7000001 7; capacity m2 cpu 2000>3000 7000001 7"},
      /* m1 has capacity for all, until m2 has more */
      {&aggregated, 2, "m2", KIND(CAPACITY), "capacity m2 cpu 2000>5000 7000003 2"},
  };

  check_all(cases, sizeof cases / sizeof cases[0]);
}
END_TEST

START_TEST(test_bounds_weights_and_labels) {
  static const struct test_placement four = {.scheduling = "Duplicated", .spreads = "cluster:4:4"};
  static const struct test_placement one = {.scheduling = "Duplicated", .spreads = "cluster:1:1"};
  static const struct test_placement only_m1 = {.scheduling = "Divided/Weighted", .weights = "m1=4"};
  static const struct test_affinity tier_a = {.labels = "tier=a"}, not_old = {.expressions = "old:DoesNotExist"};
  static const struct test_placement in_a = {.scheduling = "Duplicated", .affinity = &tier_a};
  static const struct test_placement young = {.scheduling = "Duplicated", .affinity = &not_old};
  static const struct requested cases[] = {
      {&four, 1, NULL, 0, "min-groups - cluster 4>2 2000002 2"},
      {&one, 1, "m2", KIND(MIN_GROUPS) | KIND(MAX_GROUPS), "max-groups - cluster 1>2 3000001 1"},
      /* 2 replicas divided by 4 and 2: one each */
      {&only_m1, 2, "m2", KIND(WEIGHT), "weight m2  0>2 4000002 1"},
      {&in_a, 1, "m2", 0, "label m2 tier=a - 5000000 1"},
      {&young, 1, "m2", 0, "label m2 old- - 5000000 1"},
  };

  check_all(cases, sizeof cases / sizeof cases[0]);
}
END_TEST

START_TEST(test_missing_bounds) {
  static const struct test_placement one = {.scheduling = "Duplicated", .spreads = "cluster:1:1"};
  static const struct test_placement four = {.scheduling = "Duplicated", .spreads = "cluster:4"};
  static const struct test_placement many = {.scheduling = "Duplicated", .spreads = "cluster:1:100"};
  static const struct test_placement both = {.scheduling = "Duplicated", .spreads = "region:1:2 cluster:1:2"};
  static const struct requested cases[] = {
      {&one, 1, "m2", KIND(TAINT), ""},
      {&four, 1, NULL, KIND(MIN_GROUPS) | KIND(MAX_GROUPS), ""}, /* none are selected, whatever the minimum */
      {&many, 1, "m3", KIND(MIN_GROUPS), ""},
      /* a second region, or a second cluster, which is of another region */
      {&both, 1, "m2", KIND(MIN_GROUPS), "min-groups - cluster 1>2 2000001 1; min-groups - region 1>2 2000001 1"},
  };

  check_all(cases, sizeof cases / sizeof cases[0]);
}
END_TEST

/* Weights that the scheduler ignores are not changed; starting from large ones, larger ones are tried. */
START_TEST(test_large_weights_and_unread_ones) {
  static const struct test_placement unread = {.scheduling = "Divided/Weighted/AvailableReplicas", .weights = "m1=1"};
  static const struct test_placement large = {.scheduling = "Divided/Weighted", .weights = "m1=3000000 m2=2000000"};
  static const struct requested cases[] = {
      {&unread, 4, "m3", KIND(WEIGHT), ""},
      {&large, 1, "m2", KIND(WEIGHT), "weight m2  2000000>3000001 4999999 1"},
  };

  check_all(cases, sizeof cases / sizeof cases[0]);
}
END_TEST

/* Each value is tried once, and the removal of the key once. */
START_TEST(test_labels_that_are_required_twice) {
  static const struct test_affinity selector = {.expressions = "tier:In:a,c;tier:In:c,a;tier:Exists;old:Exists"};
  static const struct test_placement placement = {.scheduling = "Duplicated", .affinity = &selector};
  static const struct requested cases[] = {
      {&placement, 1, "m2", KIND(LABEL), "label m2 tier=a - 5000000 1; label m2 tier=c - 5000000 1"},
      {&placement, 1, "m1", KIND(LABEL), "label m1 old= - 5000000 1"},
  };

  check_all(cases, sizeof cases / sizeof cases[0]);
}
END_TEST

/* A workload without replicas needs a cluster only in its targets. */
START_TEST(test_what_has_no_replicas) {
  static const struct test_placement copies = {.scheduling = "Duplicated"};
  static const struct test_binding binding = {.placement = &copies};
  const rebal_counterfactual_opts opts = {.struct_size = (uint32_t)sizeof opts, .kinds = KIND(TAINT)};
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, 3, &binding);
  ck_assert_int_eq(query(&world, test_cluster_id(&world, "m1"), &opts), REBAL_OK);
  ck_assert_str_eq(report(&world), "nothing -  - 0 0");
  ck_assert_int_eq(query(&world, test_cluster_id(&world, "m3"), &opts), REBAL_OK);
  ck_assert_str_eq(report(&world), "taint m3 k=v:NoSchedule - 6000000 0");
  test_world_close(&world);
}
END_TEST

/* A target without replicas is not enough. */
START_TEST(test_named_without_replicas) {
  rebal_compat *compat = test_compat(REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION, 1);
  const rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule, .compat = compat};
  const rebal_counterfactual_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .schedule = &schedule, .kinds = KIND(CAPACITY)};
  struct test_world world;

  open_world(&world, &aggregated, 2);
  ck_assert_int_eq(query(&world, test_cluster_id(&world, "m2"), &opts), REBAL_OK);
  ck_assert_str_eq(report(&world), "capacity m2 cpu 2000>5000 7000003 2");
  rebal_compat_free(compat);
  test_world_close(&world);
}
END_TEST

/* Nothing of the binding can be changed. */
START_TEST(test_a_binding_without_a_placement) {
  static const struct requested cases[] = {{NULL, 4, NULL, 0, ""}, {NULL, 4, "m1", 0, ""}};

  check_all(cases, sizeof cases / sizeof cases[0]);
}
END_TEST

/* The cpu request is negative, so more cpus would not help. */
START_TEST(test_a_negative_request) {
  const struct test_binding binding = {.replicas = 250, .request = "cpu=-1", .placement = &divided};
  const rebal_counterfactual_opts opts = {.struct_size = (uint32_t)sizeof opts, .kinds = KIND(CAPACITY)};
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, 3, &binding);
  ck_assert_int_eq(query(&world, REBAL_NONE, &opts), REBAL_OK);
  ck_assert_str_eq(report(&world), "capacity m1 pods 100>150 7000050 250; capacity m2 pods 100>150 7000050 250");
  test_world_close(&world);
}
END_TEST

START_TEST(test_so_many_answers) {
  const rebal_counterfactual_opts opts = {.struct_size = (uint32_t)sizeof opts, .max_answers = 1};
  struct test_world world;

  open_world(&world, &divided, 4);
  ck_assert_int_eq(query(&world, 2, &opts), REBAL_OK);
  ck_assert_str_eq(report(&world), "toleration m3 k=v:NoSchedule - 1000000 2");
  test_world_close(&world);
}
END_TEST

/* The caller's fleet, ledger and bindings are not changed, and the charges of the ledger count. */
START_TEST(test_a_ledger_counts_and_stays) {
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 1);
  rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule, .compat = compat};
  const rebal_counterfactual_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .schedule = &schedule, .kinds = KIND(CAPACITY)};
  struct test_world world;

  open_world(&world, &divided, 4);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &schedule.ledger, NULL), REBAL_OK);
  test_charge(schedule.ledger, "default/other", 0, test_request_handle(&world, "cpu=1"), 4);
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(query(&world, REBAL_NONE, &opts), REBAL_OK);
    ck_assert_str_eq(report(&world), "capacity m1 cpu 4000>6000 7000002 4; capacity m2 cpu 2000>4000 7000002 4");
  }
  rebal_ledger_free(schedule.ledger);
  rebal_compat_free(compat);
  test_world_close(&world);
}
END_TEST

/* A workload group keeps its members where another one is, until a newer version of that is elsewhere. */
START_TEST(test_other_bindings_count) {
  static const struct test_binding web = {
      .key = "default/web", .replicas = 4, .request = "cpu=1", .placement = &divided, .friends = "g"};
  static const struct test_binding other = {.key = "default/other", .friends = "g", .targets = "m3=1", .version = "9"};
  static const struct test_binding copy = {.key = "default/other", .friends = "g", .targets = "m1=1", .version = "10"};
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_WORKLOAD_AFFINITY, 1);
  rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule, .compat = compat};
  const rebal_counterfactual_opts opts = {.struct_size = (uint32_t)sizeof opts, .schedule = &schedule};
  struct test_world world;
  rebal_bindings *known, *assigning;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, 3, &web);
  known = test_new_bindings(&world);
  assigning = test_new_bindings(&world);
  (void)test_add_binding(&world, known, &other);
  (void)test_add_binding(&world, assigning, &copy);
  schedule.known = known;
  ck_assert_int_eq(query(&world, REBAL_NONE, &opts), REBAL_ESTATE);
  ck_assert_int_eq(rebal_bindings_freeze(known, NULL), REBAL_OK);
  ck_assert_int_eq(query(&world, REBAL_NONE, &opts), REBAL_OK);
  ck_assert_str_eq(report(&world), "toleration m3 k=v:NoSchedule - 1000000 4; taint m3 k=v:NoSchedule - 6000000 4");
  ck_assert_int_eq(rebal_bindings_freeze(assigning, NULL), REBAL_OK);
  schedule.assigning = assigning;
  ck_assert_int_eq(query(&world, REBAL_NONE, &opts), REBAL_OK);
  ck_assert_str_eq(report(&world), "nothing -  - 0 4");
  rebal_bindings_free(assigning);
  rebal_bindings_free(known);
  rebal_compat_free(compat);
  test_world_close(&world);
}
END_TEST

/* The caller's estimates are the same with every change. */
START_TEST(test_an_estimator_counts) {
  static const int32_t fits[] = {1, 2, REBAL_FITS_NO_OPINION};
  const rebal_estimator estimator = {.struct_size = (uint32_t)sizeof estimator, .fits = fits, .clusters = 3};
  const rebal_estimator *const estimators[] = {&estimator};
  const rebal_schedule_opts schedule = {
      .struct_size = (uint32_t)sizeof schedule, .estimators = estimators, .n_estimators = 1};
  const rebal_counterfactual_opts opts = {.struct_size = (uint32_t)sizeof opts, .schedule = &schedule};
  struct test_world world;

  open_world(&world, &divided, 4);
  ck_assert_int_eq(query(&world, REBAL_NONE, &opts), REBAL_OK);
  ck_assert_str_eq(report(&world), "toleration m3 k=v:NoSchedule - 1000000 4; taint m3 k=v:NoSchedule - 6000000 4");
  test_world_close(&world);
  open_world(&world, &divided, 3);
  ck_assert_int_eq(query(&world, REBAL_NONE, &opts), REBAL_OK);
  ck_assert_str_eq(report(&world), "nothing -  - 0 3");
  test_world_close(&world);
}
END_TEST

START_TEST(test_what_makes_no_sense_is_refused) {
  const rebal_counterfactual_opts unknown = {.struct_size = (uint32_t)sizeof unknown, .kinds = 1u << 9};
  rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule};
  const rebal_counterfactual_opts opts = {.struct_size = (uint32_t)sizeof opts, .schedule = &schedule};
  struct test_world world, foreign;

  open_world(&world, &divided, 4);
  open_world(&foreign, &divided, 4);
  ck_assert_int_eq(query(&world, 3, NULL), REBAL_EINVAL);
  ck_assert_int_eq(query(&world, test_cluster_id(&world, "gone"), NULL), REBAL_EINVAL);
  ck_assert_str_eq(world.err.message, "there is no cluster 3");
  ck_assert_int_eq(query(&world, 0, &unknown), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_counterfactual(world.ctx, world.fleet, world.bindings, 1, 0, NULL, world.result, &world.err),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_counterfactual(world.ctx, NULL, world.bindings, 0, 0, &opts, world.result, &world.err),
                   REBAL_EINVAL);
  schedule.known = foreign.bindings;
  ck_assert_int_eq(query(&world, 0, &opts), REBAL_EMISMATCH);
  schedule.known = NULL;
  schedule.assigning = foreign.bindings;
  ck_assert_int_eq(query(&world, 0, &opts), REBAL_EMISMATCH);
  schedule.assigning = NULL;
  schedule.flags = REBAL_SCHEDULE_FLAG_FINGERPRINT;
  ck_assert_int_eq(query(&world, 0, &opts), REBAL_EUNSUPPORTED);
  test_world_close(&foreign);
  test_world_close(&world);
}
END_TEST

struct torture {
  struct test_world world;
  uint32_t kinds;
};

static int32_t query_with(const rebal_allocator *allocator, void *user_data) {
  const struct torture *torture = user_data;
  const struct test_world *world = &torture->world;
  const rebal_counterfactual_opts opts = {.struct_size = (uint32_t)sizeof opts, .kinds = torture->kinds};
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_counterfactual(ctx, world->fleet, world->bindings, 0, 1, &opts, result, NULL) : code;
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

/* All kinds, and each alone, so that each is once the first that allocates. */
START_TEST(test_every_allocation_may_fail) {
  static const struct test_affinity tier_a = {.labels = "tier=a"};
  static const struct test_placement placement = {
      .scheduling = "Divided/Weighted", .weights = "m1=1", .spreads = "cluster:2:2", .affinity = &tier_a};
  struct torture torture;

  open_world(&torture.world, &placement, 2);
  torture.kinds = _i == 0 ? 0 : 1u << _i;
  ck_assert_pstr_eq(test_torture(query_with, &torture), NULL);
  test_world_close(&torture.world);
}
END_TEST

/* Neither pods nor the requested resources have an id yet. */
START_TEST(test_new_resources_without_memory) {
  static const struct test_cluster bare[] = {{"m1", "cpu=4"}, {"m2", "cpu=2"}};
  static const struct test_binding binding = {
      .replicas = 2,
      .request =
          "cpu=1 a/01=1 a/02=1 a/03=1 a/04=1 a/05=1 a/06=1 a/07=1 a/08=1 a/09=1 a/10=1 a/11=1 a/12=1 a/13=1 "
          "a/14=1 a/15=1 a/16=1 a/17=1 a/18=1 a/19=1 a/20=1",
      .placement = &divided};
  struct torture torture = {.kinds = KIND(TAINT)};

  test_world_open(&torture.world, NULL);
  test_world_fill(&torture.world, bare, 2, &binding);
  ck_assert_pstr_eq(test_torture(query_with, &torture), NULL);
  test_world_close(&torture.world);
}
END_TEST

START_TEST(test_sets_without_memory) {
  static const struct test_placement one = {.scheduling = "Divided/Aggregated", .spreads = "cluster:1:1"};
  static const struct test_binding binding = {.placement = &one, .components = "driver=1 worker=300"};
  struct torture torture = {.kinds = KIND(CAPACITY)};

  test_world_open(&torture.world, NULL);
  (void)test_add_binding(&torture.world, NULL, &binding);
  for (uint32_t component = 0; component < 2; component++) {
    ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(torture.world.bindings), REBAL_COMPONENT_REQUIREMENTS,
                                         REBAL_NONE, component, test_request_handle(&torture.world, "cpu=1"), NULL),
                     REBAL_OK);
  }
  for (size_t i = 0; i < 3; i++) {
    (void)test_add_cluster(&torture.world, &clusters[i]);
  }
  test_freeze(&torture.world);
  ck_assert_pstr_eq(test_torture(query_with, &torture), NULL);
  test_world_close(&torture.world);
}
END_TEST

/* No cluster states this resource. */
START_TEST(test_a_resource_that_no_cluster_states) {
  const struct test_binding binding = {.replicas = 2, .request = "cpu=1 example.com/gpu=1", .placement = &divided};
  const rebal_counterfactual_opts opts = {.struct_size = (uint32_t)sizeof opts, .kinds = KIND(CAPACITY)};
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, 3, &binding);
  ck_assert_int_eq(query(&world, test_cluster_id(&world, "m1"), &opts), REBAL_OK);
  ck_assert_str_eq(report(&world), "capacity m1 example.com/gpu -1>2 7000002 2");
  test_world_close(&world);
}
END_TEST

UNIT_CASE(counterfactual) {
  TCase *cases = tcase_create("counterfactual");
  tcase_set_timeout(cases, 60);
  tcase_add_test(cases, test_a_taint_is_tolerated_or_removed);
  tcase_add_test(cases, test_a_resource_that_no_cluster_states);
  tcase_add_test(cases, test_capacity_is_raised_to_what_is_missing_and_no_more);
  tcase_add_test(cases, test_bounds_weights_and_labels);
  tcase_add_test(cases, test_so_many_answers);
  tcase_add_test(cases, test_a_ledger_counts_and_stays);
  tcase_add_test(cases, test_other_bindings_count);
  tcase_add_test(cases, test_an_estimator_counts);
  tcase_add_test(cases, test_what_makes_no_sense_is_refused);
  tcase_add_loop_test(cases, test_every_allocation_may_fail, 0, REBAL_SINGLE_CHANGE_CAPACITY + 1);
  tcase_add_test(cases, test_sets_without_memory);
  tcase_add_test(cases, test_new_resources_without_memory);
  tcase_add_test(cases, test_missing_bounds);
  tcase_add_test(cases, test_large_weights_and_unread_ones);
  tcase_add_test(cases, test_labels_that_are_required_twice);
  tcase_add_test(cases, test_what_has_no_replicas);
  tcase_add_test(cases, test_named_without_replicas);
  tcase_add_test(cases, test_a_binding_without_a_placement);
  tcase_add_test(cases, test_a_negative_request);
  return cases;
}
