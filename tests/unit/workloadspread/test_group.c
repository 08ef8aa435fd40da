/* SPDX-License-Identifier: MIT */
#include "pass_fixture.h"

/* A missing selector selects all; a malformed one ends the pass. */
START_TEST(test_filter) {
  static const char *const operators[] = {NULL, "Exists", "Has"};
  static const char *const actions[] = {"status, done", "status, done", "retry"};
  static const size_t grouped[] = {2, 1, 0};

  for (size_t i = 0; i < REBALI_COUNT(operators); i++) {
    static const struct test_pod pods[] = {{"p1", "a"}, {"p2", "a"}};
    rebal_builder *builder = new_builder();
    rebal_spread *spread = NULL;
    struct pass_fixture fixture;

    start_spread(builder, "Job", NULL);
    put_subsets(builder, "a");
    rebal_builder_begin(builder, REBAL_SPREAD_SPEC_TARGET_FILTER, NULL);
    if (operators[i] != NULL) {
      rebal_builder_begin(builder, REBAL_TARGET_FILTER_SELECTOR, NULL);
      rebal_builder_begin(builder, REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS, NULL);
      put_text(builder, REBAL_EXPRESSION_KEY, "app");
      put_text(builder, REBAL_EXPRESSION_OPERATOR, operators[i]);
      rebal_builder_end(builder, NULL);
      rebal_builder_end(builder, NULL);
    }
    rebal_builder_end(builder, NULL);
    rebal_builder_end(builder, NULL);
    ck_assert_int_eq(rebal_spread_new(NULL, finish(builder), &spread, NULL), REBAL_OK);
    pass_open(&fixture, spread, 2);
    pass_add(&fixture, &pods[0]);
    pass_add(&fixture, &pods[1]);
    pass_set(&fixture, REBAL_SPREAD_POD_LABELS, fixture.rows[1], test_labels_handle(&fixture.world, "app=x"));
    pass_step(&fixture);
    ck_assert_str_eq(pass_actions(&fixture), actions[i]);
    ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_GROUPED), grouped[i]);
    pass_close(&fixture);
    rebal_builder_free(builder);
  }
}
END_TEST

/* ---- one pod ----------------------------------------------------------------------------------------------------- */

/* The annotation, and how the pod came to its subset. */
static const struct {
  int64_t state;
  const char *spread;
  const char *subset;
  const char *after;
  int64_t by;
} annotations[] = {
    {REBAL_ANNOTATION_PRESENT, "ws", "a", "p@=a ", REBAL_GROUPED_BY_ANNOTATION},
    {REBAL_ANNOTATION_PRESENT, "ws", "x", "p@=- ", REBAL_GROUPED_BY_FORMER_SUBSET},
    {REBAL_ANNOTATION_PRESENT, "ws", "", "p@=- ", REBAL_GROUPED_BY_NOTHING},
    {REBAL_ANNOTATION_PRESENT, "other", "a", "p@=- ", REBAL_GROUPED_BY_NOTHING},
    {REBAL_ANNOTATION_UNPARSABLE, "ws", "a", "p@=- ", REBAL_GROUPED_BY_NOTHING},
    {REBAL_ANNOTATION_ABSENT, "ws", "a", "p@=- ", REBAL_GROUPED_BY_NOTHING},
};

START_TEST(test_annotation) {
  const struct test_pod pod = {"p", annotations[_i].subset, .spread = annotations[_i].spread};
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Job", "b,a", NULL), 1);
  pass_add(&fixture, &pod);
  pass_set(&fixture, REBAL_SPREAD_POD_MATCHED_STATE, fixture.rows[0], annotations[_i].state);
  pass_step(&fixture);
  ck_assert_str_eq(pass_pods(&fixture), annotations[_i].after);
  ck_assert_int_eq(pass_cell(&fixture, REBAL_GROUPED_BY, 0), annotations[_i].by);
  pass_close(&fixture);
}
END_TEST

/* Versions of pods by the kinds of their owners, one pod after the other. */
START_TEST(test_owners) {
  static const char *const kinds[] = {"ReplicaSet", "Job", "Deployment"};
  static const struct test_pod pod = {"p", "a", .version = "v1"};
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Job", "a", NULL), 1);
  for (size_t i = 0; i < REBALI_COUNT(kinds); i++) {
    pass_add(&fixture, &pod);
    ck_assert_int_eq(
        rebal_cells_add(rebal_pods_cells(fixture.pods), REBAL_TABLE_OWNER, REBAL_NONE, &fixture.owner, 1, NULL),
        REBAL_OK);
    pass_text(&fixture, REBAL_OWNER_KIND, fixture.owner, kinds[i]);
    pass_set(&fixture, REBAL_SPREAD_POD_CONTROLLER, fixture.rows[i], fixture.owner);
  }
  pass_add(&fixture, &pod);
  pass_set(&fixture, REBAL_SPREAD_POD_CONTROLLER, fixture.rows[3], REBAL_ABSENT);
  pass_step(&fixture);
  ck_assert_str_eq(pass_pods(&fixture), "p@v1=a , p@v1=a , p@=a , p@=a ");
  ck_assert_str_eq(pass_status(&fixture), "*:a=4/-1|v1:a=2/-1|versionIgnored:a=2/-1");
  pass_close(&fixture);
}
END_TEST

/* ---- subsets ----------------------------------------------------------------------------------------------------- */

/* Of subsets with one name the first has the pods, and each counts them against a limit of its own. */
START_TEST(test_one_name) {
  static const struct test_pod pods[] = {{"p1", "a"}, {"p2", "a"}};
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Job", "a=3,b=1,a=2", NULL), 5);
  pass_add(&fixture, &pods[0]);
  pass_add(&fixture, &pods[1]);
  pass_step(&fixture);
  ck_assert_int_eq(pass_cell(&fixture, REBAL_GROUPED_SUBSET, 0), 0);
  ck_assert_int_eq(pass_cell(&fixture, REBAL_GROUPED_SUBSET, 1), 0);
  ck_assert_str_eq(pass_status(&fixture), "*:a=2/1,b=0/1,a=2/0|versionIgnored:a=2/1,b=0/1,a=2/0");
  pass_close(&fixture);
}
END_TEST

/* Buckets: by version, then subset, pods in no subset last; in each the order of the list. */
START_TEST(test_buckets) {
  static const struct test_pod pods[] = {
      {"p1", .version = "v2"},      {"p2", "b", .version = "v2"}, {"p3", "a", .version = "v1"},
      {"p4", "b", .version = "v1"}, {"p5", "b", .version = "v2"}, {"p6", .version = "v1"},
      {"p7", "a", .version = "v1"},
  };
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Job", "a,b", NULL), 7);
  for (size_t i = REBALI_COUNT(pods); i-- > 0;) {
    pass_add(&fixture, &pods[i]);
  }
  pass_step(&fixture);
  ck_assert_str_eq(pass_pods(&fixture), "p7@v1=a , p3@v1=a , p4@v1=b , p6@v1=- , p5@v2=b , p2@v2=b , p1@v2=- ");
  pass_close(&fixture);
}
END_TEST

UNIT_CASE(group) {
  TCase *cases = tcase_create("group");

  tcase_add_test(cases, test_filter);
  tcase_add_loop_test(cases, test_annotation, 0, (int)REBALI_COUNT(annotations));
  tcase_add_test(cases, test_owners);
  tcase_add_test(cases, test_one_name);
  tcase_add_test(cases, test_buckets);
  return cases;
}
