/* SPDX-License-Identifier: MIT */
/* The decision table of rebalance-karmada(7) 2.3, row by row. */
#include "phases_fixture.h"

#include "../unit.h"

static const struct test_affinity here = {.clusters = "m1"};
static const struct test_affinity there = {.clusters = "m2"};
static const struct test_affinity more[] = {{.clusters = "m3"}};
static const struct test_affinity one_two[] = {{"one", .clusters = "m1"}, {"two", .clusters = "m2"}};
static const struct test_affinity two_one[] = {{"two", .clusters = "m2"}, {"one", .clusters = "m1"}};
static const struct test_affinity one_other[] = {{"one", .clusters = "m1"}, {"two", .clusters = "m3"}};
static const struct test_affinity one_more[] = {{"one", .clusters = "m1", .overflow = more, .n_overflow = 1},
                                                {"two", .clusters = "m2"}};

#define SCHEDULING .scheduling = "Divided/Aggregated"
static const struct test_placement divided = {SCHEDULING};
static const struct test_placement at_here = {SCHEDULING, .affinity = &here};
static const struct test_placement at_there = {SCHEDULING, .affinity = &there};
static const struct test_placement tolerant = {SCHEDULING, .tolerations = ":Exists"};
static const struct test_placement spread = {SCHEDULING, .spreads = "cluster:1:2"};
static const struct test_placement weighted = {.scheduling = "Divided/Weighted"};
static const struct test_placement grouped = {SCHEDULING, .group_by = "app"};
static const struct test_placement groups = {SCHEDULING, .terms = one_two, .n_terms = 2};
static const struct test_placement turned = {SCHEDULING, .terms = two_one, .n_terms = 2};
static const struct test_placement changed_two = {SCHEDULING, .terms = one_other, .n_terms = 2};
static const struct test_placement changed_one = {SCHEDULING, .terms = one_more, .n_terms = 2};
static const struct test_placement fewer = {SCHEDULING, .terms = one_two, .n_terms = 1};
static const struct test_placement groups_grouped = {SCHEDULING, .terms = one_two, .n_terms = 2, .group_by = "app"};
static const struct test_placement nothing = {0};
static const struct test_placement odd = {.scheduling = "Odd"};

#define SETTLED .replicas = 3, .request = "", .targets = "m1=3"
#define SAME(placement_) .placement = &placement_, .applied = &placement_

static const struct {
  struct test_binding binding;
  int reason;
} rows[] = {
    /* 1: the placement changed */
    {{SETTLED, .placement = &divided}, REBAL_REASON_PLACEMENT},
    {{SETTLED, .placement = &divided, .applied_state = REBAL_ANNOTATION_UNPARSABLE}, REBAL_REASON_NONE},
    {{SETTLED, SAME(divided)}, REBAL_REASON_NONE},
    {{SETTLED, .placement = &divided, .applied_state = REBAL_ANNOTATION_PRESENT}, REBAL_REASON_PLACEMENT},
    {{SETTLED, .placement = &at_here, .applied = &at_there}, REBAL_REASON_PLACEMENT},
    {{SETTLED, .placement = &at_here, .applied = &divided}, REBAL_REASON_PLACEMENT},
    {{SETTLED, .placement = &tolerant, .applied = &divided}, REBAL_REASON_PLACEMENT},
    {{SETTLED, .placement = &spread, .applied = &divided}, REBAL_REASON_PLACEMENT},
    {{SETTLED, .placement = &weighted, .applied = &divided}, REBAL_REASON_PLACEMENT},
    {{SETTLED, .placement = &grouped, .applied = &divided}, REBAL_REASON_PLACEMENT}, /* no observed name: 5a */
    {{SETTLED, .placement = &grouped, .applied = &divided, .observed = "gone"}, REBAL_REASON_PLACEMENT},
    {{SETTLED, .placement = &groups_grouped, .applied = &groups, .observed = "one"}, REBAL_REASON_NONE},
    {{SETTLED, .placement = &turned, .applied = &groups, .observed = "one"}, REBAL_REASON_NONE},
    {{SETTLED, .placement = &turned, .applied = &groups}, REBAL_REASON_PLACEMENT},
    {{SETTLED, .placement = &changed_two, .applied = &groups, .observed = "one"}, REBAL_REASON_NONE},
    {{SETTLED, .placement = &changed_two, .applied = &groups, .observed = "two"}, REBAL_REASON_PLACEMENT},
    {{SETTLED, .placement = &changed_one, .applied = &groups, .observed = "one"}, REBAL_REASON_PLACEMENT},
    {{SETTLED, .placement = &fewer, .applied = &groups, .observed = "one"}, REBAL_REASON_NONE},
    {{SETTLED, .placement = &fewer, .applied = &groups, .observed = "two"}, REBAL_REASON_PLACEMENT},
    {{SETTLED, .placement = &groups, .applied = &fewer, .observed = "two"}, REBAL_REASON_PLACEMENT},
    /* 2: the replicas changed */
    {{.replicas = 4, .request = "", .targets = "m1=3", SAME(divided)}, REBAL_REASON_REPLICAS},
    {{.replicas = 4, .request = "", .targets = "m1=3 m2=1", SAME(divided)}, REBAL_REASON_NONE},
    {{.replicas = 5, .request = "", .targets = "m1=2 m1=3", SAME(divided)}, REBAL_REASON_NONE},
    {{.replicas = 1, .request = "", .targets = "m1=2147483647 m2=2147483647 m3=3", SAME(divided)},
     REBAL_REASON_REPLICAS},
    {{.replicas = 4, .request = "", .targets = "m1=4 m2=3", SAME(duplicated)}, REBAL_REASON_REPLICAS},
    {{.replicas = 4, .request = "", .targets = "m1=4 m2=4", SAME(duplicated)}, REBAL_REASON_DUPLICATED},
    {{.replicas = 4, .request = "", .targets = "m1=3", SAME(nothing)}, REBAL_REASON_DUPLICATED},
    {{.replicas = 4, .request = "", .targets = "m1=3", SAME(odd)}, REBAL_REASON_NONE},
    {{.components = "a=1", SAME(divided)}, REBAL_REASON_NONE},
    /* 3: a reschedule is requested */
    {{SETTLED, SAME(divided), .triggered_at = 11, .scheduled_at = 10}, REBAL_REASON_RESCHEDULE},
    {{SETTLED, SAME(divided), .triggered_at = 10, .scheduled_at = 10}, REBAL_REASON_NONE},
    {{SETTLED, SAME(divided), .triggered_at = 9, .scheduled_at = 10}, REBAL_REASON_NONE},
    {{SETTLED, SAME(divided), .triggered_at = 11}, REBAL_REASON_NONE},
    {{SETTLED, SAME(divided), .scheduled_at = 10}, REBAL_REASON_NONE},
    /* 4: no workload, or Duplicated */
    {{SAME(divided)}, REBAL_REASON_DUPLICATED},
    {{.request = "", SAME(divided)}, REBAL_REASON_NONE},
    /* 5: a target is going away */
    {{.replicas = 3, .request = "", .targets = "m1=2 gone=1", SAME(divided)}, REBAL_REASON_TERMINATING_CLUSTER},
    {{.replicas = 3, .request = "", .targets = "m1=2 absent=1", SAME(divided)}, REBAL_REASON_NONE},
    {{.replicas = 3, .request = "", .targets = "m1=2 ?=1", SAME(divided)}, REBAL_REASON_NONE},
    /* earlier rows win; deleting beats all */
    {{.replicas = 4, .request = "", .targets = "gone=3", SAME(divided), .triggered_at = 11, .scheduled_at = 10},
     REBAL_REASON_REPLICAS},
    {{.replicas = 4, .placement = &divided, .deleting = 1}, REBAL_REASON_DELETING},
};

static const struct test_cluster clusters[] = {{"m1", "pods=9"}, {"m2", "pods=9"}, {"gone", "pods=9", .deleting = 1}};

static int64_t decide(const struct test_binding *binding, const rebal_schedule_opts *opts, int64_t *outcome) {
  struct test_world world;
  int64_t reason;
  size_t n;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, 3, binding);
  ck_assert_int_eq(rebal_decide(world.ctx, world.snapshot, world.bindings, opts, world.result, NULL), REBAL_OK);
  reason = rebal_result_i64(world.result, REBAL_DECISION_REASON, &n)[0];
  *outcome = rebal_result_i64(world.result, REBAL_DECISION_OUTCOME, &n)[0];
  ck_assert_uint_eq(n, 1);
  test_world_close(&world);
  return reason;
}

START_TEST(test_rows) {
  int64_t outcome;

  ck_assert_int_eq(decide(&rows[_i].binding, NULL, &outcome), rows[_i].reason);
  ck_assert_int_eq(outcome, rows[_i].reason == REBAL_REASON_NONE       ? REBAL_OUTCOME_UNCHANGED
                            : rows[_i].reason == REBAL_REASON_DELETING ? REBAL_OUTCOME_SKIPPED
                                                                       : REBAL_OUTCOME_SCHEDULED);
}
END_TEST

/* A binding without a placement counts as Duplicated. */
START_TEST(test_no_placement) {
  static const struct {
    struct test_binding binding;
    int reason;
  } without[] = {
      {{SETTLED}, REBAL_REASON_PLACEMENT},
      {{SETTLED, .applied = &divided}, REBAL_REASON_PLACEMENT},
      {{SETTLED, .applied_state = REBAL_ANNOTATION_PRESENT}, REBAL_REASON_DUPLICATED},
      {{SETTLED, .applied_state = REBAL_ANNOTATION_UNPARSABLE}, REBAL_REASON_DUPLICATED},
      {{.replicas = 4, .request = "", .targets = "m1=3", .applied_state = REBAL_ANNOTATION_UNPARSABLE},
       REBAL_REASON_DUPLICATED},
  };

  for (size_t i = 0; i < REBALI_COUNT(without); i++) {
    int64_t outcome;

    ck_assert_int_eq(decide(&without[i].binding, NULL, &outcome), without[i].reason);
    ck_assert_int_eq(outcome, REBAL_OUTCOME_SCHEDULED); /* it is tried */
  }
}
END_TEST

START_TEST(test_empty_components_with_the_gate) {
  static const struct test_binding binding = {.components = "a=1", SAME(divided)};
  static const struct test_binding unscheduled = {.components = "a=1", SAME(nothing)};
  static const struct test_binding placed = {.components = "a=1", SAME(divided), .targets = "m1=0"};
  const rebal_schedule_opts *opts = with_option(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);
  int64_t outcome;

  ck_assert_int_eq(decide(&binding, opts, &outcome), REBAL_REASON_REPLICAS);
  ck_assert_int_eq(decide(&unscheduled, opts, &outcome), REBAL_REASON_DUPLICATED);
  ck_assert_int_eq(decide(&placed, opts, &outcome), REBAL_REASON_NONE);
}
END_TEST

/* The reference's sum of these is 1. */
START_TEST(test_a_sum_of_replicas_wraps_by_option) {
  static const struct test_binding binding = {
      .replicas = 1, .request = "", .targets = "m1=2147483647 m2=2147483647 m3=3", SAME(divided)};
  int64_t outcome;

  ck_assert_int_eq(decide(&binding, with_option(REBAL_OPTION_INT32_WRAP, 1), &outcome), REBAL_REASON_NONE);
  ck_assert_int_eq(decide(&binding, NULL, &outcome), REBAL_REASON_REPLICAS);
}
END_TEST

START_TEST(test_an_empty_list_can_count_as_a_change) {
  static const struct test_binding loose = {SETTLED, SAME(divided), .applied_state = REBAL_ANNOTATION_PRESENT};
  static const struct test_binding strict = {SETTLED, SAME(divided)};
  const rebal_schedule_opts *opts = with_option(REBAL_OPTION_STRICT_NIL_EMPTY, 1);
  int64_t outcome;

  ck_assert_int_eq(decide(&loose, NULL, &outcome), REBAL_REASON_NONE);
  ck_assert_int_eq(decide(&loose, opts, &outcome), REBAL_REASON_PLACEMENT);
  ck_assert_int_eq(decide(&strict, opts, &outcome), REBAL_REASON_NONE);
}
END_TEST

UNIT_CASE(decide) {
  TCase *cases = tcase_create("decide");

  tcase_add_loop_test(cases, test_rows, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_no_placement);
  tcase_add_test(cases, test_empty_components_with_the_gate);
  tcase_add_test(cases, test_a_sum_of_replicas_wraps_by_option);
  tcase_add_test(cases, test_an_empty_list_can_count_as_a_change);
  return cases;
}
