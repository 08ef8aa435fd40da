/* SPDX-License-Identifier: MIT */
/* Selection by cluster: the exchange upward from the lowest slot (rebalance-karmada(7) 5.4). */
#include "phases_fixture.h"

#include "../unit.h"

/* Clusters a, b and c are in use, hence first, whatever their capacity. */
static const struct test_cluster six[] = {
    {"a", "pods=5"}, {"b", "pods=3"}, {"c", "pods=2"}, {"d", "pods=9"}, {"e", "pods=9"}, {"f", "pods=4"},
};

static const struct {
  const char *spreads;
  int64_t replicas;
  const char *selected;
} rows[] = {
    {"cluster:1:3", 10, "a b c"}, /* enough: nothing is exchanged */
    {"cluster:1:3", 11, "a b d"}, /* the lowest slot gets the first of the largest */
    {"cluster:1:3", 17, "a b d"},
    {"cluster:1:3", 18, "a e d"}, /* then the next one up */
    {"cluster:1:3", 23, "a e d"},
    {"cluster:1:3", 24, "failed to select clusters: no enough resource when selecting 3 clusters"},
    {"cluster:1:1", 9, "d"},
    {"cluster:1:2", 14, "a d"},
    {"cluster:1:2", 18, "e d"},
    {"cluster:1:6", 32, "a b c d e f"},
    {"cluster:1:6", 33, "failed to select clusters: no enough resource when selecting 6 clusters"},
    {"cluster:1:9", 1, "a b c d e f"},
    {"cluster:6:6", 1, "a b c d e f"},
    {"cluster:1:3", 0, "a b c"},
};

START_TEST(test_exchange) {
  const struct test_placement placement = {.spreads = rows[_i].spreads, .scheduling = "Divided/Aggregated"};
  const struct test_binding binding = {
      .replicas = rows[_i].replicas, .request = "", .placement = &placement, .targets = "a=0 b=0 c=0"};
  struct phases_fixture fixture;

  phases_open(&fixture, six, 6, &binding);
  phases_run(&fixture, 3);
  ck_assert_str_eq(phases_candidates(&fixture), rows[_i].selected);
  phases_close(&fixture);
}
END_TEST

START_TEST(test_a_replaced_cluster_may_return) {
  /* b7 in slot 1 is replaced by d9; then b replaces a in slot 0, since it has more capacity. */
  static const struct test_cluster four[] = {{"a", "pods=1"}, {"b", "pods=7"}, {"d", "pods=9"}};
  static const struct test_affinity over[] = {{.clusters = "b"}, {.clusters = "d"}};
  static const struct test_affinity terms[] = {{"t", .clusters = "a", .overflow = over, .n_overflow = 2}};
  static const struct test_placement placement = {
      .terms = terms, .n_terms = 1, .spreads = "cluster:1:2", .scheduling = "Divided/Aggregated"};
  static const struct test_binding binding = {.replicas = 16, .request = "", .placement = &placement, .observed = "t"};
  struct phases_fixture fixture;

  phases_open(&fixture, four, 3, &binding);
  phases_run(&fixture, 3);
  ck_assert_str_eq(phases_candidates(&fixture), "b d");
  phases_close(&fixture);
}
END_TEST

UNIT_CASE(select_cluster) {
  TCase *cases = tcase_create("select_cluster");

  tcase_add_loop_test(cases, test_exchange, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_a_replaced_cluster_may_return);
  return cases;
}
