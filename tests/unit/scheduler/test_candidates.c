/* SPDX-License-Identifier: MIT */
/* Scores, availability and the order of candidates (rebalance-karmada(7) 4, 5.2). */
#include "phases_fixture.h"

#include "../unit.h"

static const struct test_affinity beyond[] = {{.clusters = "c d"}, {.clusters = "d e"}};
static const struct test_affinity terms[] = {{"first", .clusters = "a b", .overflow = beyond, .n_overflow = 2}};
static const struct test_affinity everywhere = {0};
static const struct test_placement tiers = {.terms = terms, .n_terms = 1, .scheduling = "Divided/Aggregated"};
static const struct test_placement single = {.affinity = &everywhere, .terms = terms, .n_terms = 1};

static const struct test_cluster five[] = {
    {"e", "pods=9"}, {"d", "pods=9"}, {"c", "pods=7"}, {"b", "pods=5"}, {"a", "pods=5"}};

static const struct {
  struct test_binding binding;
  const char *order;
} orders[] = {
    {{.replicas = 1, .request = "", .placement = &aggregated}, "d e c a b"},
    {{.replicas = 1, .request = "", .placement = &aggregated, .targets = "b=0"}, "b d e c a"},
    {{.replicas = 1, .request = "", .placement = &aggregated, .targets = "a=1 b=3"}, "b a d e c"},
    {{.replicas = 1, .request = "", .placement = &aggregated, .targets = "a=1 b=0 a=9"}, "a b d e c"}, /* first entry */
    {{.replicas = 0, .placement = &aggregated}, "a b c d e"},
    {{.replicas = 1, .request = "", .placement = &tiers, .observed = "first"}, "a b d c e"},
    {{.replicas = 1, .request = "", .placement = &tiers, .observed = "first", .targets = "d=1"}, "a b d c e"},
    {{.replicas = 1, .request = "", .placement = &tiers, .observed = "unknown"}, "d e c a b"},
    {{.replicas = 1, .request = "", .placement = &single, .observed = "first"}, "d e c a b"},
};

START_TEST(test_order) {
  struct phases_fixture fixture;

  phases_open(&fixture, five, REBALI_COUNT(five), &orders[_i].binding);
  phases_run(&fixture, 2);
  ck_assert_str_eq(phases_candidates(&fixture), orders[_i].order);
  phases_close(&fixture);
}
END_TEST

START_TEST(test_members) {
  static const struct test_binding binding = {
      .replicas = 1, .request = "", .placement = &tiers, .observed = "first", .targets = "c=2"};
  struct phases_fixture fixture;
  const struct rebali_candidate *c;

  phases_open(&fixture, five, REBALI_COUNT(five), &binding);
  phases_run(&fixture, 2);
  ck_assert_str_eq(phases_candidates(&fixture), "a b c d e");
  c = &fixture.pass.candidates[2];
  ck_assert_int_eq(c->overflow_order, 1);
  ck_assert_int_eq(c->score, 100);
  ck_assert_int_eq(c->allocatable, 7);
  ck_assert_int_eq(c->available, 9);
  ck_assert_int_eq(fixture.pass.candidates[4].overflow_order, 2);
  ck_assert_int_eq(fixture.pass.candidates[4].score, 0);
  phases_close(&fixture);
}
END_TEST

START_TEST(test_locality_can_be_switched_off) {
  static const struct test_placement two = {.scheduling = "Duplicated", .spreads = "cluster:1:1"};
  static const struct test_binding binding = {.replicas = 1, .request = "", .placement = &two, .targets = "c=1"};

  ck_assert_str_eq(schedule_clusters(five, 5, &binding, NULL), "c:1");
  ck_assert_str_eq(schedule_clusters(five, 5, &binding, with_option(REBAL_OPTION_CLUSTER_LOCALITY, 0)), "d:1");
}
END_TEST

UNIT_CASE(candidates) {
  TCase *cases = tcase_create("candidates");

  tcase_add_loop_test(cases, test_order, 0, (int)REBALI_COUNT(orders));
  tcase_add_test(cases, test_members);
  tcase_add_test(cases, test_locality_can_be_switched_off);
  return cases;
}
