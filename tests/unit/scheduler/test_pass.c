/* SPDX-License-Identifier: MIT */
/* One attempt: what is read of a binding, and clusters named without replicas (rebalance-karmada(7) 1.3, 7.9). */
#include "phases_fixture.h"

#include "../unit.h"

static const struct test_cluster two[] = {{"m1", "pods=9"}, {"m2", "pods=9"}};

START_TEST(test_assigned_is_the_first_entry) {
  static const struct test_binding binding = {.placement = &duplicated, .targets = "m2=4 m9=7 m2=5"};
  struct phases_fixture fixture;

  phases_open(&fixture, two, 2, &binding);
  ck_assert_int_eq(rebali_pass_assigned(&fixture.pass, 0), 0);
  ck_assert_int_eq(rebali_pass_assigned(&fixture.pass, 1), 4);
  ck_assert_int_eq(rebali_pass_assigned(&fixture.pass, 2), 7); /* no cluster of the fleet, yet assigned */
  phases_close(&fixture);
}
END_TEST

static const struct {
  struct test_binding binding;
  int is_workload;
} workloads[] = {
    {{.placement = &duplicated}, 0},
    {{.placement = &duplicated, .replicas = 1}, 1},
    {{.placement = &duplicated, .request = ""}, 1},
    {{.placement = &duplicated, .components = "a=0"}, 1},
};

START_TEST(test_workloads) {
  struct phases_fixture fixture;

  phases_open(&fixture, two, 2, &workloads[_i].binding);
  ck_assert_int_eq(rebali_is_workload(fixture.pass.bindings, 0), workloads[_i].is_workload);
  phases_close(&fixture);
}
END_TEST

/* A binding that is examined as a new one is a workload by its replicas or by its own. */
START_TEST(test_new_workloads) {
  for (int32_t replicas = 0; replicas < 2; replicas++) {
    struct phases_fixture fixture;

    phases_open(&fixture, two, 2, &workloads[_i].binding);
    rebali_pass_dispose(&fixture.pass);
    fixture.pass.is_new = 1;
    fixture.pass.new_replicas = replicas;
    phases_again(&fixture);
    ck_assert_int_eq(fixture.pass.is_workload, replicas > 0 || workloads[_i].is_workload);
    ck_assert_int_eq(fixture.pass.replicas, replicas);
    phases_close(&fixture);
  }
}
END_TEST

/* Option EMPTY_WORKLOAD_PROPAGATION: what is not in the answer follows with 0, in the order of selection. */
static const struct {
  struct test_binding binding;
  const char *answer;
} attached[] = {
    {{.replicas = 3, .request = "", .placement = &aggregated}, "m2:3 m1:0 m3:0"},
    {{.replicas = 3, .request = "", .placement = &aggregated, .targets = "m3=3"}, "m3:3 m2:0 m1:0"},
    {{.replicas = 0, .request = "", .placement = &aggregated}, "m1:0 m2:0 m3:0"},
    {{.replicas = 0, .request = "", .placement = &duplicated, .targets = "m3=1"}, "m3:0 m1:0 m2:0"},
    {{.replicas = 2, .request = "", .placement = &duplicated}, "m2:2 m1:2 m3:2"},
};

START_TEST(test_empty_clusters_are_named) {
  ck_assert_str_eq(
      schedule_pods("m1=4 m2=9 m3=3", &attached[_i].binding, with_option(REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION, 1)),
      attached[_i].answer);
}
END_TEST

UNIT_CASE(pass) {
  TCase *cases = tcase_create("pass");

  tcase_add_test(cases, test_assigned_is_the_first_entry);
  tcase_add_loop_test(cases, test_workloads, 0, (int)REBALI_COUNT(workloads));
  tcase_add_loop_test(cases, test_new_workloads, 0, (int)REBALI_COUNT(workloads));
  tcase_add_loop_test(cases, test_empty_clusters_are_named, 0, (int)REBALI_COUNT(attached));
  return cases;
}
