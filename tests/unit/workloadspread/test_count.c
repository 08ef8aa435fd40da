/* SPDX-License-Identifier: MIT */
#include "pass_fixture.h"

/* One row: the state at second 1000, and the status that a pass writes; "" for none. */
static const struct {
  const char *subsets;
  const char *before;
  struct test_pod pods[3];
  const char *after;
  const char *actions;
} rows[] = {
    {"a=2,b", NULL, {{"p1", "a", .version = "v1"}}, "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1", "status, done"},
    {"a=2,b", "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1", {{"p1", "a", .version = "v1"}}, "", "done"},
    /* Only active pods count; a pod in no subset is not counted. */
    {"a=2",
     NULL,
     {{"p1", "a", .deleting = 1}, {"p2", "a", .phase = REBAL_POD_PHASE_SUCCEEDED}, {"p3", "gone"}},
     "*:a=0/2|versionIgnored:a=0/2",
     "status, done"},
    {"a=1", NULL, {{"p1", "a"}, {"p2", "a"}}, "*:a=2/0|versionIgnored:a=2/0", "status, done"},
    /* Each version may fill the subset. */
    {"a=1",
     NULL,
     {{"p1", "a", .version = "v2"}, {"p2", "a", .version = "v1"}},
     "*:a=2/0|v1:a=1/0|v2:a=1/0",
     "status, done"},
    /* A pod that has come is not being created any more, by its name or by its id. */
    {"a=5",
     "*:a=0/5|v1:a=0/2+p1@990+x@990+late@985",
     {{"p1", "a", .version = "v1"}, {"p2", "a", .id = "x", .version = "v1"}, {"x", "a", .id = "y", .version = "v1"}},
     "*:a=3/2|v1:a=3/1+late@985",
     "status, wake 15, done"},
    /* At its limit it is alive, without a timer; beyond it is dropped with an event. */
    {"a=5",
     "*:a=0/5|v1:a=0/4+p1@970",
     {{"p2", "a", .version = "v2"}},
     "*:a=1/4|v1:a=0/4+p1@970|v2:a=1/4",
     "status, done"},
    {"a=5",
     "*:a=0/5|v1:a=0/4+p1@969+p0@960+p2@999",
     {{NULL}},
     "*:a=0/5|v1:a=0/4+p2@999",
     "event CreatePodFailed, event CreatePodFailed, status, wake 29, done"},
    /* A pod that is about to be deleted releases capacity; if it stays, it counts again. */
    {"a=2",
     "*:a=2/0|v1:a=2/1-p1@990",
     {{"p1", "a", .version = "v1"}, {"p2", "a", .version = "v1"}},
     "",
     "wake 5, done"},
    /* Beyond the limit it depends on the order of the list. */
    {"a=1",
     "*:a=2/0|v1:a=2/1-p1@990",
     {{"p1", "a", .version = "v1"}, {"p2", "a", .version = "v1"}},
     "*:a=2/0|v1:a=2/0-p1@990",
     "status, wake 5, done"},
    {"a=1",
     "*:a=2/0|v1:a=2/1-p2@990",
     {{"p1", "a", .version = "v1"}, {"p2", "a", .version = "v1"}},
     "",
     "wake 5, done"},
    {"a=2",
     "*:a=2/0|v1:a=2/1-p1@984",
     {{"p1", "a", .version = "v1"}, {"p2", "a", .version = "v1"}},
     "*:a=2/0|v1:a=2/0",
     "event DeletePodFailed, status, done"},
    {"a=2",
     "*:a=2/0|v1:a=2/1-p1@985-p2@990",
     {{"p1", "a", .version = "v1", .deleting = 1}, {"p3", "a", .version = "v1"}},
     "*:a=1/1|v1:a=1/1",
     "status, done"},
    {"a", "*:a=1/-1|v1:a=1/-1-p1@990", {{"p1", "a", .version = "v1"}}, "", "wake 5, done"},
    /* Pods of one name share what is in flight, which is written once. */
    {"a=3",
     "*:a=3/0|v1:a=2/0-p1@990-p2@991",
     {{"p1", "a", .version = "v1"}, {"p1", "a", .version = "v1"}, {"p3", "a", .version = "v1"}},
     "*:a=3/0|v1:a=3/2-p1@990",
     "status, wake 5, done"},
    /* A version without pods goes when nothing of it is in flight; entries of former subsets go at once. */
    {"a=2,b",
     "*:a=0/2,b=0/-1|v0:a=1/1,b=0/-1|v1:b=0/-1,x=1/1,a=1/1+p1@990",
     {{NULL}},
     "*:a=0/2,b=0/-1|v0:|v1:a=0/1+p1@990,b=0/-1",
     "status, wake 20, done"},
    /* Limits that cannot be read, or are negative, leave no list; subsets before them are examined all the same. */
    {"a=1,b=x",
     "*:a=1/0,b=0/0|v0:a=0/1+p0@960,b=0/0",
     {{"p1", "a", .version = "v1"}},
     "v0:",
     "event CreatePodFailed, status, done"},
    {"a=-1", "*:a=1/0|v1:a=0/1", {{"p1", "a", .version = "v1"}}, "v1:", "status, done"},
    {"a=x", NULL, {{"p1", "a", .version = "v1"}}, "", "done"},
    /* The order of spec, the first of equal names. */
    {"a=1,b=2",
     "*:b=0/2,a=1/0,a=7/0|v1:a=1/0,b=0/2",
     {{"p1", "a", .version = "v1"}},
     "*:a=1/0,b=0/2|v1:a=1/0,b=0/2",
     "status, done"},
};

START_TEST(test_row) {
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Job", rows[_i].subsets, rows[_i].before), 10);
  for (size_t i = 0; i < REBALI_COUNT(rows[_i].pods) && rows[_i].pods[i].name != NULL; i++) {
    pass_add(&fixture, &rows[_i].pods[i]);
  }
  pass_step(&fixture);
  ck_assert_str_eq(pass_status(&fixture), rows[_i].after);
  ck_assert_str_eq(pass_actions(&fixture), rows[_i].actions);
  /* The written status is up to date: nothing more to do, and nothing to report. */
  pass_step(&fixture);
  ck_assert_ptr_null(pass_payload(&fixture, REBAL_ACTION_KIND_PATCH_STATUS));
  ck_assert_ptr_null(pass_payload(&fixture, REBAL_ACTION_KIND_EVENT));
  pass_close(&fixture);
}
END_TEST

/* If a pod is adopted, the id in the annotation of another WorkloadSpread does not count. */
START_TEST(test_adopted_by_name) {
  static const struct test_pod pod = {"p1", "a", "other", "id1", .version = "v1", .node = "n1"};
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Job", "a=9", "*:a=0/9|v1:a=0/7+id1@990+p1@990"), 10);
  pass_add_node(&fixture, "n1", NULL, NULL);
  pass_add(&fixture, &pod);
  pass_step(&fixture);
  ck_assert_str_eq(pass_status(&fixture), "*:a=1/8|v1:a=1/7+id1@990");
  pass_close(&fixture);
}
END_TEST

START_TEST(test_events) {
  struct pass_fixture fixture;
  static const struct test_pod pods[] = {{"p1", "a", .version = "v1"}, {"p2", "a", .version = "v1"}};

  pass_open(&fixture, spread_of("Job", "a=9,b=9", "*:a=0/9,b=0/9|v1:a=0/9+y@10+x@10-p2@10-p1@10,b=0/9+z@10"), 10);
  pass_add(&fixture, &pods[1]);
  pass_add(&fixture, &pods[0]);
  pass_step(&fixture);
  ck_assert_str_eq(pass_events(&fixture),
                   "Pod ns/p2 was expected to be deleted but it wasn't; "
                   "Pod ns/p1 was expected to be deleted but it wasn't; "
                   "Pod ns/x was expected to be created but it wasn't; "
                   "Pod ns/y was expected to be created but it wasn't; "
                   "Pod ns/z was expected to be created but it wasn't; ");
  pass_close(&fixture);
}
END_TEST

/* Parts of a second count as long as the status was not written. */
START_TEST(test_fraction) {
  struct pass_fixture fixture;
  const rebal_time later = {1000, 250000000, 1};

  pass_open(&fixture, spread_of("Job", "a=9", "*:a=0/9|v1:a=0/8+x@999"), 10);
  fixture.now = later;
  pass_step(&fixture);
  ck_assert_int_eq(pass_cell(&fixture, REBAL_STEP_AFTER_NS, 0), INT64_C(28750000000));
  pass_close(&fixture);
}
END_TEST

/* With the option, missing replicas are those of all versions together. */
START_TEST(test_all_versions) {
  static const struct test_pod pods[] = {{"p1", "a", .version = "v2"}, {"p2", "a", .version = "v1"}};
  static const struct {
    uint32_t option;
    const char *subsets, *before, *after;
  } options[] = {
      {0, "a=3", NULL, "*:a=2/1|v1:a=1/2|v2:a=1/2"},
      {REBAL_OPTION_SPREAD_ALL_VERSIONS, "a=3", NULL, "*:a=2/1|v1:a=1/1|v2:a=1/1"},
      {0, "a=1", NULL, "*:a=2/0|v1:a=1/0|v2:a=1/0"},
      {REBAL_OPTION_SPREAD_ALL_VERSIONS, "a=1", NULL, "*:a=2/0|v1:a=1/0|v2:a=1/0"},
      {0, "a=5", "v2:a=0/4+x@990", "*:a=2/3|v1:a=1/4|v2:a=1/3+x@990"},
      {REBAL_OPTION_SPREAD_ALL_VERSIONS, "a=5", "v2:a=0/4+x@990", "*:a=2/3|v1:a=1/3|v2:a=1/2+x@990"},
      {REBAL_OPTION_SPREAD_ALL_VERSIONS, "a", NULL, "*:a=2/-1|v1:a=1/-1|v2:a=1/-1"},
  };

  for (size_t i = 0; i < REBALI_COUNT(options); i++) {
    rebal_compat *compat = test_compat(options[i].option, 1);
    struct pass_fixture fixture;

    pass_open(&fixture, spread_of("Job", options[i].subsets, options[i].before), 10);
    fixture.opts.compat = compat;
    pass_add(&fixture, &pods[0]);
    pass_add(&fixture, &pods[1]);
    pass_step(&fixture);
    ck_assert_str_eq(pass_status(&fixture), options[i].after);
    pass_close(&fixture);
    rebal_compat_free(compat);
  }
}
END_TEST

UNIT_CASE(count) {
  TCase *cases = tcase_create("count");

  tcase_add_loop_test(cases, test_row, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_adopted_by_name);
  tcase_add_test(cases, test_events);
  tcase_add_test(cases, test_fraction);
  tcase_add_test(cases, test_all_versions);
  return cases;
}
