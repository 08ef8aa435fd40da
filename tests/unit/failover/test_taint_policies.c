/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <stdio.h>

#include "../../support/allocator.h"
#include "../unit.h"

#define POLICIES 3

static const rebal_time now = {NOW, 700000000, 1};
static struct fixture fixture;
static char taints[512];

/* Conditions as "Ready:In:False,Unknown Net:NotIn:True"; taints as "a=v:NoExecute b:NoSchedule". */
struct policy {
  const char *name;
  int64_t created;    /* 0: none */
  const char *target; /* the only cluster; "": an empty affinity; NULL: no targetClusters */
  const char *add;
  const char *remove;
  const char *taints;
};

static void put(rebal_builder *builder, uint32_t field, const char *text) {
  if (*text != '\0') {
    (void)rebal_builder_text(builder, field, text, strlen(text), NULL);
  }
}

static void put_conditions(rebal_builder *builder, uint32_t field, const char *text) {
  char type[32], operation[32], values[64];
  int len;

  for (; text != NULL && sscanf(text, " %31[^:]:%31[^:]:%63s%n", type, operation, values, &len) == 3; text += len) {
    (void)rebal_builder_begin(builder, field, NULL);
    put(builder, REBAL_CONDITION_MATCH_CONDITION_TYPE, type);
    put(builder, REBAL_CONDITION_MATCH_OPERATOR, operation);
    for (char *value = strtok(values, ","); value != NULL; value = strtok(NULL, ",")) {
      put(builder, REBAL_CONDITION_MATCH_STATUS_VALUES, value);
    }
    (void)rebal_builder_end(builder, NULL);
  }
}

static void put_taints(rebal_builder *builder, const char *text) {
  char key[32], value[32], effect[32];
  int len;

  for (; text != NULL && sscanf(text, " %31[^=]=%31[^:]:%31s%n", key, value, effect, &len) == 3; text += len) {
    (void)rebal_builder_begin(builder, REBAL_TAINT_POLICY_SPEC_TAINTS, NULL);
    put(builder, REBAL_TAINT_KEY, key);
    put(builder, REBAL_TAINT_VALUE, value);
    put(builder, REBAL_TAINT_EFFECT, effect);
    (void)rebal_builder_end(builder, NULL);
  }
}

static const rebal_record *make(rebal_builder *builder, const struct policy *policy) {
  const rebal_time created = {policy->created, 0, 1};
  const rebal_record *record = NULL;

  (void)rebal_builder_start(builder, REBAL_OBJECT_TAINT_POLICY, NULL);
  (void)rebal_builder_begin(builder, REBAL_TAINT_POLICY_METADATA, NULL);
  put(builder, REBAL_METADATA_NAME, policy->name);
  if (policy->created != 0) {
    (void)rebal_builder_time(builder, REBAL_METADATA_CREATION_TIMESTAMP, &created, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_begin(builder, REBAL_TAINT_POLICY_SPEC, NULL);
  if (policy->target != NULL) {
    (void)rebal_builder_begin(builder, REBAL_TAINT_POLICY_SPEC_TARGET_CLUSTERS, NULL);
    put(builder, REBAL_AFFINITY_CLUSTER_NAMES, policy->target);
    (void)rebal_builder_end(builder, NULL);
  }
  put_conditions(builder, REBAL_TAINT_POLICY_SPEC_ADD_ON_CONDITIONS, policy->add);
  put_conditions(builder, REBAL_TAINT_POLICY_SPEC_REMOVE_ON_CONDITIONS, policy->remove);
  put_taints(builder, policy->taints);
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_finish(builder, &record, NULL);
  return record;
}

static void setup(void) {
  fixture_start(&fixture, NULL);
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

/* Each policy has a builder of its own, which keeps its record. */
static int32_t run(struct fixture *story, const struct policy *policies, size_t n) {
  const rebal_record *records[POLICIES];
  rebal_builder *builders[POLICIES];
  int32_t code;

  fixture_freeze(story);
  for (size_t i = 0; i < n; i++) {
    ck_assert_int_eq(rebal_builder_new(NULL, &builders[i], NULL), REBAL_OK);
    records[i] = make(builders[i], &policies[i]);
    ck_assert_ptr_nonnull(records[i]);
  }
  code = story->code != REBAL_OK
             ? story->code
             : rebal_taint_policies_step(story->ctx, story->snapshot, records, n, &now, NULL, story->result, NULL);
  for (size_t i = 0; i < n; i++) {
    rebal_builder_free(builders[i]);
  }
  return code;
}

static void expect(const struct policy *policies, size_t n, const char *written) {
  ck_assert_int_eq(run(&fixture, policies, n), REBAL_OK);
  ck_assert_str_eq(fixture_written_taints(&fixture, fixture.clusters[0], taints, sizeof taints), written);
}

#define DOWN "Ready:In:False,Unknown"
#define UP "Ready:In:True"

/* member1 has the taint a=:NoExecute, the conditions Ready=False and Net=True. */
static const struct {
  struct policy policy;
  const char *written;
} cases[] = {
    {{"p", 1, NULL, DOWN, NULL, "b=v:NoExecute c=w:NoSchedule"}, "a:NoExecute@-10 b=v:NoExecute@0 c=w:NoSchedule@0 "},
    {{"p", 1, NULL, DOWN, NULL, "a=v:NoExecute"}, "-"}, /* key and effect exist already */
    {{"p", 1, NULL, DOWN, NULL, "a=v:NoSchedule"}, "a:NoExecute@-10 a=v:NoSchedule@0 "},
    {{"p", 1, NULL, UP, NULL, "b=v:NoExecute"}, "-"},
    {{"p", 1, NULL, NULL, NULL, "b=v:NoExecute"}, "-"}, /* an empty list never holds */
    {{"p", 1, NULL, DOWN " Net:In:True", NULL, "b=v:NoExecute"}, "a:NoExecute@-10 b=v:NoExecute@0 "},
    {{"p", 1, NULL, DOWN " Net:In:False", NULL, "b=v:NoExecute"}, "-"},
    {{"p", 1, NULL, "Ready:NotIn:True", NULL, "b=v:NoExecute"}, "a:NoExecute@-10 b=v:NoExecute@0 "},
    {{"p", 1, NULL, "Ready:NotIn:False", NULL, "b=v:NoExecute"}, "-"},
    {{"p", 1, NULL, "Disk:NotIn:True", NULL, "b=v:NoExecute"}, "-"}, /* the condition is missing */
    {{"p", 1, NULL, "Ready:Exists:False", NULL, "b=v:NoExecute"}, "-"},
    {{"p", 1, NULL, NULL, DOWN, "a=v:NoExecute"}, ""}, /* whatever its value */
    {{"p", 1, NULL, NULL, DOWN, "a=v:NoSchedule"}, "-"},
    {{"p", 1, NULL, DOWN, DOWN, "b=v:NoExecute"}, "-"}, /* added and removed */
    {{"p", 1, NULL, DOWN, DOWN, "a=v:NoExecute"}, ""},
    {{"p", 1, "member1", DOWN, NULL, "b=v:NoExecute"}, "a:NoExecute@-10 b=v:NoExecute@0 "},
    {{"p", 1, "member2", DOWN, NULL, "b=v:NoExecute"}, "-"},
    {{"p", 1, "", DOWN, NULL, "b=v:NoExecute"}, "a:NoExecute@-10 b=v:NoExecute@0 "},
};

static void begin(struct fixture *story) {
  const struct fixture_taint a = {"a", "NoExecute", NOW - 10};

  fixture_taints(story, &a, 1);
  fixture_conditions(story, story->clusters[0], "Ready=False Net=True");
}

START_TEST(test_a_policy) {
  begin(&fixture);
  expect(&cases[_i].policy, 1, cases[_i].written);
}
END_TEST

/* Of two taints of one key and effect the first is removed. */
START_TEST(test_the_first_of_equal_taints_goes) {
  static const struct fixture_taint twice[] = {{"a", "NoExecute", NOW - 10}, {"a", "NoExecute", NOW - 20}};
  static const struct policy policy = {"p", 1, NULL, NULL, DOWN, "a=v:NoExecute"};

  fixture_conditions(&fixture, fixture.clusters[0], "Ready=False");
  fixture_taints(&fixture, twice, 2);
  expect(&policy, 1, "a:NoExecute@-20 ");
}
END_TEST

/* Policies apply one after the other; those of one age are ordered by name, and one without a time is the oldest. */
static const struct {
  struct policy policies[POLICIES];
  const char *written;
} orders[] = {
    {{{"z", 1, NULL, DOWN, NULL, "x=z:NoExecute"}, {"a", 2, NULL, DOWN, NULL, "x=a:NoExecute"}}, "x=z:NoExecute@0 "},
    {{{"a", 2, NULL, DOWN, NULL, "x=a:NoExecute"}, {"z", 1, NULL, DOWN, NULL, "x=z:NoExecute"}}, "x=z:NoExecute@0 "},
    {{{"z", 1, NULL, DOWN, NULL, "x=z:NoExecute"}, {"a", 1, NULL, DOWN, NULL, "x=a:NoExecute"}}, "x=a:NoExecute@0 "},
    {{{"a", 1, NULL, DOWN, NULL, "x=a:NoExecute"}, {"z", 0, NULL, DOWN, NULL, "x=z:NoExecute"}}, "x=z:NoExecute@0 "},
    {{{"a", 2, NULL, NULL, DOWN, "x=v:NoExecute"}, {"z", 1, NULL, DOWN, NULL, "x=z:NoExecute"}}, "-"},
    {{{"a", 1, NULL, NULL, DOWN, "x=v:NoExecute"}, {"z", 2, NULL, DOWN, NULL, "x=z:NoExecute"}}, "x=z:NoExecute@0 "},
};

START_TEST(test_policies_of_one_age_are_applied_by_name) {
  fixture_conditions(&fixture, fixture.clusters[0], "Ready=False");
  expect(orders[_i].policies, 2, orders[_i].written);
}
END_TEST

START_TEST(test_a_deleting_cluster_gets_taints) {
  begin(&fixture);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fixture.fleet), REBAL_CLUSTER_DELETING, REBAL_NONE,
                                       fixture.clusters[0], 1, NULL),
                   REBAL_OK);
  expect(&cases[0].policy, 1, cases[0].written);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), REBAL_STEP_STATE_DONE);
}
END_TEST

START_TEST(test_no_policies_write_nothing) {
  begin(&fixture);
  expect(NULL, 0, "-");
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_STEP), 3);
}
END_TEST

START_TEST(test_inputs_are_checked) {
  const rebal_record *nothing = NULL, *other;

  fixture_freeze(&fixture);
  ck_assert_int_eq(rebal_taint_policies_step(fixture.ctx, fixture.snapshot, NULL, 1, &now, NULL, fixture.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_taint_policies_step(fixture.ctx, fixture.snapshot, &nothing, 1, &now, NULL, fixture.result, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_builder_start(fixture.builder, REBAL_OBJECT_TAINTS, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(fixture.builder, &other, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_taint_policies_step(fixture.ctx, fixture.snapshot, &other, 1, &now, NULL, fixture.result, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_taint_policies_step(fixture.ctx, NULL, NULL, 0, &now, NULL, fixture.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_taint_policies_step(fixture.ctx, fixture.snapshot, NULL, 0, NULL, NULL, fixture.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_taint_policies_step(fixture.ctx, fixture.snapshot, NULL, 0, &now, NULL, NULL, NULL),
                   REBAL_EINVAL);
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  static const struct policy policies[] = {{"p", 1, "member1", DOWN, NULL, "b=v:NoExecute"},
                                           {"q", 1, NULL, NULL, DOWN, "a=v:NoExecute"}};
  struct fixture torture;
  int32_t code;

  (void)user_data;
  fixture_start(&torture, allocator);
  begin(&torture);
  code = run(&torture, policies, 2);
  ck_assert_uint_eq(rebal_result_count(torture.result, REBAL_TABLE_ACTION), code == REBAL_OK);
  fixture_dispose(&torture);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  ck_assert_pstr_eq(test_torture(story, NULL), NULL);
}
END_TEST

UNIT_CASE(taint_policies) {
  TCase *tcase = tcase_create("taint_policies");
  tcase_add_checked_fixture(tcase, setup, teardown);
  tcase_add_loop_test(tcase, test_a_policy, 0, (int)REBALI_COUNT(cases));
  tcase_add_test(tcase, test_the_first_of_equal_taints_goes);
  tcase_add_loop_test(tcase, test_policies_of_one_age_are_applied_by_name, 0, (int)REBALI_COUNT(orders));
  tcase_add_test(tcase, test_a_deleting_cluster_gets_taints);
  tcase_add_test(tcase, test_no_policies_write_nothing);
  tcase_add_test(tcase, test_inputs_are_checked);
  tcase_add_test(tcase, test_no_memory_is_an_answer);
  return tcase;
}
