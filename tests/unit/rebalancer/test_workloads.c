/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

#define APP "apps/v1", "Deployment"

/* A case: what there is, and the names of what comes out, in order; "!" marks a pending item. */
static const struct {
  struct sample sample;
  const char *expected;
} cases_[] = {
    {{.workloads = {{APP, "b", "x", "", ""}, {APP, "a", "z", "", ""}, {APP, "a", "y", "", ""}}}, "!y !z !x "},
    {{.workloads = {{APP, "a", "x", "", ""}, {APP, "a", "x", "", ""}}}, "!x "},
    {{.workloads = {{"v1", "Node", "", "n", "", ""}, {"apps/v1", "Pod", "", "p", "", ""}}}, "!p !n "},
    {{.workloads = {{APP, "a", "new", "", ""}},
      .observed = {{APP, "a", "ok", "Successful", ""}, {APP, "a", "bad", "Failed", "R"}, {APP, "a", "open", "", ""}}},
     "!new ok "},
    {{.workloads = {{APP, "a", "bad", "", ""}, {APP, "a", "open", "", ""}},
      .observed = {{APP, "a", "open", "", ""}, {APP, "a", "bad", "Failed", "R"}}},
     "bad !open "},
    {{.workloads = {{APP, "a", "x", "", ""}},
      .observed = {{APP, "a", "x", "Failed", "R"}, {APP, "a", "x", "Failed", "R"}, {APP, "a", "x", "Successful", ""}}},
     "x x "},
    {{.observed = {{APP, "a", "gone", "Failed", "R"}}}, ""},
};

static void describe(const struct rebali_observed_list *list, char *out) {
  size_t i;

  *out = '\0';
  for (i = 0; i < list->n; i++) {
    if (list->items[i].result.len == 0) {
      strcat(out, "!");
    }
    strncat(out, list->items[i].workload.name.bytes, list->items[i].workload.name.len);
    strcat(out, " ");
  }
}

START_TEST(test_the_merge) {
  struct fixture fixture;
  struct rebali_rebalancer object;
  struct rebali_observed_list list;
  struct rebali_arena arena;
  rebal_allocator memory;
  char got[128];

  ck_assert_int_eq(rebali_allocator_load(&memory, NULL, NULL), REBAL_OK);
  rebali_arena_init(&arena, &memory, 0);
  ck_assert_int_eq(fixture_new(&fixture, NULL, &cases_[_i].sample), REBAL_OK);
  ck_assert_int_eq(rebali_rebalancer_read(fixture.rebalancer, &arena, &object, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_workloads_merge(&object, &arena, &list, NULL), REBAL_OK);
  describe(&list, got);
  ck_assert_str_eq(got, cases_[_i].expected);
  fixture_dispose(&fixture);
  rebali_arena_dispose(&arena);
}
END_TEST

START_TEST(test_the_order_of_the_tuple) {
  const struct rebali_workload base = {REBALI_TEXT("b"), REBALI_TEXT("b"), REBALI_TEXT("b"), REBALI_TEXT("b")};
  struct rebali_workload other = base;

  ck_assert_int_eq(rebali_workload_compare(&base, &other), 0);
  other.name = REBALI_TEXT("a");
  ck_assert_int_gt(rebali_workload_compare(&base, &other), 0);
  other.namespace_ = REBALI_TEXT("c");
  ck_assert_int_lt(rebali_workload_compare(&base, &other), 0);
  other.kind = REBALI_TEXT("a");
  ck_assert_int_gt(rebali_workload_compare(&base, &other), 0);
  other.api_version = REBALI_TEXT("c");
  ck_assert_int_lt(rebali_workload_compare(&base, &other), 0);
}
END_TEST

UNIT_CASE(workloads) {
  TCase *cases = tcase_create("workloads");
  tcase_add_loop_test(cases, test_the_merge, 0, (int)REBALI_COUNT(cases_));
  tcase_add_test(cases, test_the_order_of_the_tuple);
  return cases;
}
