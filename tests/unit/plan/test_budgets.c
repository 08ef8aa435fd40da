/* SPDX-License-Identifier: MIT */
#include "plan_fixture.h"

#include "../unit.h"

#define OVER_CLUSTERS REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS
#define ALL "m1-m3:5 m2-m4:5"

static const struct test_placement even = {.scheduling = "Divided/Weighted", .weights = "m3+m4=1"};

/* Five replicas are to leave m1 for m3, and five m2 for m4. labels NULL: unknown. */
static uint32_t add_movable(struct plan_fixture *fixture, const char *key, const char *ready, const char *labels) {
  const struct test_binding binding = {
      .key = key, .uid = "u", .replicas = 10, .placement = &even, .targets = "m1=5 m2=5", .scheduled_at = PLAN_NOW - 1};
  const uint32_t row = plan_add(fixture, &binding);

  plan_set_ready(fixture, row, ready);
  plan_set_labels(fixture, row, labels);
  return row;
}

/* ---- what one budget allows -------------------------------------------------------------------------------------- */

/* Of five replicas in m1 four are ready, in m2 all. */
static const struct {
  struct plan_budget budget;
  uint32_t flags;
  const char *moves;
  int64_t replicas; /* of the limit: the least that is left initially */
} alone[] = {
    {{"ns/p", "app=web", .min_available = "3"}, 0, "m1-m3:1 m2-m4:2", 1},
    {{"ns/p", "app=web", .min_available = "0"}, 0, "m1-m3:4 m2-m4:5", 4},
    {{"ns/p", "app=web", .min_available = "9"}, 0, "", 0},
    {{"ns/p", "app=web", .min_available = "41%"}, 0, "m1-m3:1 m2-m4:2", 1}, /* 2.05 are 3 */
    {{"ns/p", "app=web", .min_available = "40%"}, 0, "m1-m3:2 m2-m4:3", 2},
    {{"ns/p", "app=web", .min_available = "100%"}, 0, "", 0},
    {{"ns/p", "app=web", .max_unavailable = "0"}, 0, "", 0},
    {{"ns/p", "app=web", .max_unavailable = "3"}, 0, "m1-m3:2 m2-m4:3", 2},
    {{"ns/p", "app=web", .max_unavailable = "7"}, 0, "m1-m3:4 m2-m4:5", 4},
    {{"ns/p", "app=web", .max_unavailable = "21%"}, 0, "m1-m3:1 m2-m4:2", 1}, /* 1.05 are 2 */
    {{"ns/p", "app=web", .max_unavailable = "100%"}, 0, "m1-m3:4 m2-m4:5", 4},
    {{"ns/p", "app=web", .min_available = "5", .max_unavailable = "3"}, 0, "m1-m3:2 m2-m4:3", 2},
    {{"ns/p", "app=web", .allowed = "2"}, 0, "m1-m3:2 m2-m4:2", 2},
    {{"ns/p", "app=web", .min_available = "3", .allowed = "0"}, 0, "m1-m3:1 m2-m4:2", 1},
    {{"ns/p", "app=web"}, 0, "", 0},
    {{"ns/p", "", .min_available = "3"}, 0, "m1-m3:1 m2-m4:2", 1},
    {{"ns/p", NULL, .min_available = "3"}, 0, ALL, 0},
    {{"ns/p", "app=db", .min_available = "3"}, 0, ALL, 0},
    {{"other/p", "app=web", .min_available = "3"}, 0, ALL, 0},
    {{"ns/p", "app=web", "m2", .min_available = "3"}, 0, "m1-m3:5 m2-m4:2", 2},
    {{"ns/p", "app=web", "m1", .allowed = "3"}, 0, "m1-m3:3 m2-m4:5", 3},
    {{"ns/p", "app=web", "m9", .min_available = "3"}, 0, ALL, 0},
    {{"ns/p", "app=web", .min_available = "3"}, OVER_CLUSTERS, "m1-m3:5 m2-m4:1", 6},
    {{"ns/p", "app=web", .min_available = "41%"}, OVER_CLUSTERS, "m1-m3:4", 4}, /* 4.1 of ten are 5 */
    {{"ns/p", "app=web", .max_unavailable = "30%"}, OVER_CLUSTERS, "m1-m3:2", 2},
    {{"ns/p", "app=web", .allowed = "7"}, OVER_CLUSTERS, "m1-m3:5 m2-m4:2", 7},
    {{"ns/p", "app=web", "m2", .min_available = "3"}, OVER_CLUSTERS, "m1-m3:5 m2-m4:2", 2},
};

START_TEST(test_what_a_budget_allows) {
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  (void)add_movable(&fixture, "ns/a", "m1=4 m2=5", "app=web");
  plan_budget(&fixture, &alone[_i].budget);
  fixture.opts.flags = alone[_i].flags;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), alone[_i].moves);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_SCOPE, 0), REBAL_LIMIT_SCOPE_BUDGET);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_REPLICAS, 0), alone[_i].replicas);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_SHADOW, 0), 10 - plan_cell(&fixture, REBAL_PLANNED_GRANTED, 0));
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_WITHHELD, 0), plan_cell(&fixture, REBAL_PLANNED_WITHHELD, 0));
  ck_assert_str_eq(rebal_result_text(fixture.rows, REBAL_LIMITED_SUBJECT, 0, NULL), alone[_i].budget.key);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_subjects_are_clusters) {
  const struct plan_budget budget = {"ns/p", "app=web", .max_unavailable = "3"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  (void)add_movable(&fixture, "ns/a", "m1=4 m2=5", "app=web");
  plan_budget(&fixture, &budget);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_uses(&fixture, 0), "m1:2+0 m2:3+0");
  fixture.opts.flags = OVER_CLUSTERS;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_uses(&fixture, 0), ":2+0");
  plan_close(&fixture);
}
END_TEST

/* Workloads that one budget selects share it. */
START_TEST(test_workloads_share_a_budget) {
  const struct plan_budget budget = {"ns/p", "app=web", .min_available = "50%"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  (void)add_movable(&fixture, "ns/a", "m1=4 m2=5", "app=web");
  (void)add_movable(&fixture, "ns/b", "m1=5 m2=1", "app=web tier=x");
  (void)add_movable(&fixture, "ns/c", "m1=5 m2=5", "app=db");
  plan_budget(&fixture, &budget);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "m1-m3:4 m2-m4:1");
  ck_assert_str_eq(plan_moves(&fixture, 1), "");
  ck_assert_str_eq(plan_moves(&fixture, 2), ALL);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_two_budgets_let_nothing_go) {
  const struct plan_budget first = {"ns/p", "app=web", .min_available = "3"},
                           second = {"ns/q", "", .min_available = "0"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 100);
  (void)add_movable(&fixture, "ns/a", "m1=5 m2=5", "app=web");
  (void)add_movable(&fixture, "ns/b", "m1=5 m2=5", "app=db");
  plan_budget(&fixture, &first);
  plan_budget(&fixture, &second);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "");
  ck_assert_str_eq(plan_moves(&fixture, 1), ALL);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_LIMITED_BY, 0), 1);
  /* Without the first budget the second lets all go; without the second the first lets two go in each cluster. */
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_SHADOW, 1), 10);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_SHADOW, 2), 4);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_SHADOW, 0), 0);
  plan_close(&fixture);
}
END_TEST

/* The budgets are of different clusters: no pod is selected by both. */
START_TEST(test_budgets_of_other_clusters_are_not_two) {
  const struct plan_budget first = {"ns/p", "", "m1", .allowed = "1"}, second = {"ns/q", "", "m2", .allowed = "2"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  (void)add_movable(&fixture, "ns/a", "m1=5 m2=5", "app=web");
  plan_budget(&fixture, &first);
  plan_budget(&fixture, &second);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "m1-m3:1 m2-m4:2");
  plan_close(&fixture);
}
END_TEST

/* A workload with unknown labels may be in each budget of its namespace, and makes none of them larger. */
START_TEST(test_unknown_labels) {
  const struct plan_budget first = {"ns/p", "app=web", .allowed = "3"}, second = {"ns/q", "app=db", .allowed = "2"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  (void)add_movable(&fixture, "ns/a", "m1=5 m2=5", NULL);
  plan_budget(&fixture, &first);
  plan_budget(&fixture, &second);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "m1-m3:2 m2-m4:2");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_LIMITED_BY, 0), 1);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_unknown_labels_make_nothing_healthy) {
  const struct plan_budget budget = {"ns/p", "app=web", .min_available = "1"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  (void)add_movable(&fixture, "ns/a", "m1=5 m2=5", NULL);
  plan_budget(&fixture, &budget);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "");
  plan_close(&fixture);
}
END_TEST

START_TEST(test_a_label_without_a_key) {
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  (void)add_movable(&fixture, "ns/a", "m1=5 m2=5", "= app=web");
  plan_budget(&fixture, &(const struct plan_budget){"ns/p", "", .max_unavailable = "2"});
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "m1-m3:2 m2-m4:2");
  plan_close(&fixture);
}
END_TEST

/* Replicas in a lost cluster leave despite a budget. Over all clusters they are still expected, and not healthy. */
START_TEST(test_lost_clusters) {
  const struct plan_budget budget = {"ns/p", "app=web", .max_unavailable = "7"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  (void)add_movable(&fixture, "ns/a", "m1=5 m2=5", "app=web");
  plan_budget(&fixture, &budget);
  plan_lose(&fixture, "m1");
  fixture.opts.flags = OVER_CLUSTERS;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "m1-m3:5 m2-m4:2");
  fixture.opts.flags = 0;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), ALL);
  plan_close(&fixture);
}
END_TEST

/* Budgets limit evictions; they do not hold back a scale-down. */
START_TEST(test_scaling_down_is_free) {
  const struct test_placement one = {.scheduling = "Divided/Weighted", .weights = "m1=1"};
  const struct test_binding binding = {.key = "ns/a", .replicas = 2, .placement = &one, .targets = "m1=5 m2=5"};
  const struct plan_budget budget = {"ns/p", "", .max_unavailable = "0"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20");
  plan_set_labels(&fixture, plan_add(&fixture, &binding), "app=web");
  plan_budget(&fixture, &budget);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:5>2>2 m2:5>->-");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_REMOVED, 0), 8);
  plan_close(&fixture);
}
END_TEST

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static const struct {
  struct plan_budget budget;
  const char *message;
} wrong[] = {
    {{"ns/p", "=web"}, "the selector of a budget is malformed"},
    {{"ns/p", "", .min_available = "half"}, "minAvailable of a budget is neither a number nor a percentage"},
    {{"ns/p", "", .min_available = "-1"}, "minAvailable of a budget is neither a number nor a percentage"},
    {{"ns/p", "", .min_available = ""}, "minAvailable of a budget is neither a number nor a percentage"},
    {{"ns/p", "", .max_unavailable = "%"}, "maxUnavailable of a budget is neither a number nor a percentage"},
    {{"ns/p", "", .max_unavailable = "1.5"}, "maxUnavailable of a budget is neither a number nor a percentage"},
    {{"ns/p", NULL, .max_unavailable = "-5%"}, "maxUnavailable of a budget is neither a number nor a percentage"},
};

START_TEST(test_malformed_budgets_are_refused) {
  const struct plan_budget good = {"ns/p", ""};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20");
  plan_budget(&fixture, &good);
  plan_budget(&fixture, &wrong[_i].budget);
  plan_budget(&fixture, &good);
  ck_assert_int_eq(plan_make(&fixture), REBAL_EINVAL);
  ck_assert_str_eq(fixture.world.err.message, wrong[_i].message);
  ck_assert_int_eq(fixture.world.err.where, 1);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_other_records_are_refused) {
  const struct test_affinity affinity = {.clusters = "m1"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20");
  fixture.opts.n_budgets = 1;
  ck_assert_int_eq(plan_make(&fixture), REBAL_EINVAL);
  ck_assert_str_eq(fixture.world.err.message, "a record of the object BUDGET is needed");
  fixture.budget_list[0] = test_affinity_record(&fixture.world, &affinity);
  ck_assert_int_eq(plan_make(&fixture), REBAL_EINVAL);
  fixture.opts.budgets = NULL;
  ck_assert_int_eq(plan_make(&fixture), REBAL_EINVAL);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(budgets) {
  TCase *cases = tcase_create("budgets");

  tcase_add_loop_test(cases, test_what_a_budget_allows, 0, sizeof alone / sizeof alone[0]);
  tcase_add_test(cases, test_subjects_are_clusters);
  tcase_add_test(cases, test_workloads_share_a_budget);
  tcase_add_test(cases, test_two_budgets_let_nothing_go);
  tcase_add_test(cases, test_budgets_of_other_clusters_are_not_two);
  tcase_add_test(cases, test_unknown_labels);
  tcase_add_test(cases, test_unknown_labels_make_nothing_healthy);
  tcase_add_test(cases, test_a_label_without_a_key);
  tcase_add_test(cases, test_lost_clusters);
  tcase_add_test(cases, test_scaling_down_is_free);
  tcase_add_loop_test(cases, test_malformed_budgets_are_refused, 0, sizeof wrong / sizeof wrong[0]);
  tcase_add_test(cases, test_other_records_are_refused);
  return cases;
}
