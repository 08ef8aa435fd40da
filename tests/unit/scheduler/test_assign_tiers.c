/* SPDX-License-Identifier: MIT */
/* Overflow affinities: growth tier by tier, shrinking from the last (rebalance-karmada(7) 7.8). */
#include "phases_fixture.h"

#include "../unit.h"

static const struct test_affinity overflow[] = {{.clusters = "m3"}, {.clusters = "m4 m5"}};
static const struct test_affinity terms[] = {{"one", .clusters = "m1 m2", .overflow = overflow, .n_overflow = 2}};
static const struct test_affinity plain[] = {{"one", .clusters = "m1 m2"}};
static const struct test_placement by_weight = {
    .terms = terms, .n_terms = 1, .scheduling = "Divided/Weighted/AvailableReplicas"};
static const struct test_placement together = {.terms = terms, .n_terms = 1, .scheduling = "Divided/Aggregated"};
static const struct test_placement no_tiers = {.terms = plain, .n_terms = 1, .scheduling = "Divided/Aggregated"};
static const struct test_placement copies = {.terms = terms, .n_terms = 1, .scheduling = "Duplicated"};

#define FIVE "m1=4 m2=2 m3=3 m4=9 m5=1"
#define W .request = "", .placement = &by_weight, .observed = "one"
#define A .request = "", .placement = &together, .observed = "one"
#define FRESH .triggered_at = 2, .scheduled_at = 1

static const struct {
  struct test_binding binding;
  const char *answer;
} rows[] = {
    {{.replicas = 3, W}, "m1:2 m2:1"},
    {{.replicas = 6, W}, "m1:4 m2:2"},
    {{.replicas = 8, W}, "m1:4 m2:2 m3:2"},
    {{.replicas = 14, W}, "m1:4 m2:2 m3:3 m4:4 m5:1"},
    {{.replicas = 19, W}, "m1:4 m2:2 m3:3 m4:9 m5:1"},
    {{.replicas = 20, W},
     "unschedulable: failed to assign replicas: Clusters available replicas are not enough to schedule."},
    {{.replicas = 12, A}, "m1:4 m2:2 m3:3 m4:3"},
    {{.replicas = 2, W, .targets = "m1=1 m3=3"}, "m1:2"}, /* the last tier is emptied first */
    {{.replicas = 4, W, .targets = "m1=4"}, "m1:4"},
    {{.replicas = 9, W, .targets = "m1=4 m3=5"}, "m1:7 m2:2"}, /* held replicas count as capacity of their tier */
    {{.replicas = 9, W, .targets = "m3=9", FRESH}, "m1:4 m2:2 m3:3"},
    {{.replicas = 7, .request = "", .placement = &no_tiers, .observed = "one"},
     "unschedulable: failed to assign replicas: failed to scale up: Clusters available replicas 6 are not enough to "
     "schedule."},
    {{.replicas = 2, .request = "", .placement = &copies, .observed = "one"}, "m1:2 m2:2"},
    {{.replicas = 9, .request = "", .placement = &copies, .observed = "one"}, "m1:6 m2:6 m3:3"},
    {{.replicas = 0, .placement = &by_weight, .observed = "one"}, "m1:0 m2:0"}, /* overflow is for workloads */
    {{.replicas = 3, .request = "", .placement = &together, .observed = "other"}, "m4:3"}, /* no such group: all pass */
};

START_TEST(test_tiers) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = REBAL_SCHEDULE_FLAG_SINGLE_GROUP};

  ck_assert_str_eq(schedule_pods(FIVE, &rows[_i].binding, &opts), rows[_i].answer);
}
END_TEST

/*
 * An estimate may be below 0. The reference still divides the low 32 bits of the tier's sum: the next tier gets more
 * than all replicas, or clusters without capacity get some. With true sums such a tier takes none.
 */
static const struct {
  int32_t fits[2];
  const char *wrapped;
  const char *exact;
} below[] = {
    {{-5, 0}, "m3:3 m4:3 m5:1", "m3:2"}, {{INT32_MIN + 1, INT32_MIN + 1}, "m1:2", "m3:2"}, /* -2^32 + 2 */
};

START_TEST(test_capacity_below_none) {
  static const struct test_binding binding = {.replicas = 2, W};
  const rebal_estimator estimator = {sizeof estimator, 0, below[_i].fits, 2, 0};
  const rebal_estimator *const estimators[] = {&estimator};

  for (int wrap = 0; wrap < 2; wrap++) {
    rebal_schedule_opts opts = *with_option(REBAL_OPTION_INT32_WRAP, wrap);

    opts.estimators = estimators;
    opts.n_estimators = 1;
    ck_assert_str_eq(schedule_pods("m1=4 m2=2 m3=3 m4=3 m5=1", &binding, &opts),
                     wrap ? below[_i].wrapped : below[_i].exact);
  }
}
END_TEST

UNIT_CASE(assign_tiers) {
  TCase *cases = tcase_create("assign_tiers");

  tcase_add_loop_test(cases, test_tiers, 0, (int)REBALI_COUNT(rows));
  tcase_add_loop_test(cases, test_capacity_below_none, 0, (int)REBALI_COUNT(below));
  return cases;
}
