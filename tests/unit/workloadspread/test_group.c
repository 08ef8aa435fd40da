/* SPDX-License-Identifier: MIT */
#include "passing.h"

/* A selector that is not there selects all; one that is none ends the pass. */
START_TEST(test_filter) {
  static const char *const operators[] = {NULL, "Exists", "Has"};
  static const char *const actions[] = {"status, done", "status, done", "retry"};
  static const size_t grouped[] = {2, 1, 0};

  for (size_t i = 0; i < REBALI_COUNT(operators); i++) {
    static const struct test_pod pods[] = {{"p1", "a"}, {"p2", "a"}};
    rebal_builder *builder = new_builder();
    rebal_spread *spread = NULL;
    struct passing passing;

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
    passing_open(&passing, spread, 2);
    passing_add(&passing, &pods[0]);
    passing_add(&passing, &pods[1]);
    passing_set(&passing, REBAL_SPREAD_POD_LABELS, passing.rows[1], test_labels_handle(&passing.world, "app=x"));
    passing_step(&passing);
    ck_assert_str_eq(passing_actions(&passing), actions[i]);
    ck_assert_uint_eq(rebal_result_count(passing.world.result, REBAL_TABLE_GROUPED), grouped[i]);
    passing_close(&passing);
    rebal_builder_free(builder);
  }
}
END_TEST

/* ---- one pod ----------------------------------------------------------------------------------------------------- */

/* What the annotation says, and how the pod came to its subset. */
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
  struct passing passing;

  passing_open(&passing, spread_of("Job", "b,a", NULL), 1);
  passing_add(&passing, &pod);
  passing_set(&passing, REBAL_SPREAD_POD_MATCHED_STATE, passing.rows[0], annotations[_i].state);
  passing_step(&passing);
  ck_assert_str_eq(passing_pods(&passing), annotations[_i].after);
  ck_assert_int_eq(passing_cell(&passing, REBAL_GROUPED_BY, 0), annotations[_i].by);
  passing_close(&passing);
}
END_TEST

/* Versions of pods by the kinds of their owners, one pod after the other. */
START_TEST(test_owners) {
  static const char *const kinds[] = {"ReplicaSet", "Job", "Deployment"};
  static const struct test_pod pod = {"p", "a", .version = "v1"};
  struct passing passing;

  passing_open(&passing, spread_of("Job", "a", NULL), 1);
  for (size_t i = 0; i < REBALI_COUNT(kinds); i++) {
    passing_add(&passing, &pod);
    ck_assert_int_eq(
        rebal_cells_add(rebal_pods_cells(passing.pods), REBAL_TABLE_OWNER, REBAL_NONE, &passing.owner, 1, NULL),
        REBAL_OK);
    passing_text(&passing, REBAL_OWNER_KIND, passing.owner, kinds[i]);
    passing_set(&passing, REBAL_SPREAD_POD_CONTROLLER, passing.rows[i], passing.owner);
  }
  passing_add(&passing, &pod);
  passing_set(&passing, REBAL_SPREAD_POD_CONTROLLER, passing.rows[3], REBAL_ABSENT);
  passing_step(&passing);
  ck_assert_str_eq(passing_pods(&passing), "p@v1=a , p@v1=a , p@=a , p@=a ");
  ck_assert_str_eq(passing_status(&passing), "*:a=4/-1|v1:a=2/-1|versionIgnored:a=2/-1");
  passing_close(&passing);
}
END_TEST

/* ---- subsets ----------------------------------------------------------------------------------------------------- */

/* Of subsets with one name the first has the pods, and each counts them against a limit of its own. */
START_TEST(test_one_name) {
  static const struct test_pod pods[] = {{"p1", "a"}, {"p2", "a"}};
  struct passing passing;

  passing_open(&passing, spread_of("Job", "a=3,b=1,a=2", NULL), 5);
  passing_add(&passing, &pods[0]);
  passing_add(&passing, &pods[1]);
  passing_step(&passing);
  ck_assert_int_eq(passing_cell(&passing, REBAL_GROUPED_SUBSET, 0), 0);
  ck_assert_int_eq(passing_cell(&passing, REBAL_GROUPED_SUBSET, 1), 0);
  ck_assert_str_eq(passing_status(&passing), "*:a=2/1,b=0/1,a=2/0|versionIgnored:a=2/1,b=0/1,a=2/0");
  passing_close(&passing);
}
END_TEST

/* Buckets: by version, then subset, pods in none behind those; in each the order of the list. */
START_TEST(test_buckets) {
  static const struct test_pod pods[] = {
      {"p1", .version = "v2"},      {"p2", "b", .version = "v2"}, {"p3", "a", .version = "v1"},
      {"p4", "b", .version = "v1"}, {"p5", "b", .version = "v2"}, {"p6", .version = "v1"},
      {"p7", "a", .version = "v1"},
  };
  struct passing passing;

  passing_open(&passing, spread_of("Job", "a,b", NULL), 7);
  for (size_t i = REBALI_COUNT(pods); i-- > 0;) {
    passing_add(&passing, &pods[i]);
  }
  passing_step(&passing);
  ck_assert_str_eq(passing_pods(&passing), "p7@v1=a , p3@v1=a , p4@v1=b , p6@v1=- , p5@v2=b , p2@v2=b , p1@v2=- ");
  passing_close(&passing);
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
