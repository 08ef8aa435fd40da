/* SPDX-License-Identifier: MIT */
#include "united_pass.h"

#include "../../support/allocator.h"
#include "../unit.h"

static const char *const versions[UNITED_MAX] = {"apps/v1", "apps/v1", "apps.kruise.io/v1alpha1"};
static const char *const kinds[UNITED_MAX] = {"Deployment", "Deployment", "CloneSet"};
static const char *const names[UNITED_MAX] = {"web-a", NULL, "web-c"};
static const char *const uids[UNITED_MAX] = {"uid-a", "uid-b"};

static struct united_world world;

static void name_workloads(void) {
  world.fixture.opts.api_versions = versions;
  world.fixture.opts.kinds = kinds;
  world.fixture.opts.names = names;
  world.fixture.opts.uids = uids;
}

static void start(const struct united_pass *pass) {
  ck_assert_int_eq(united_world_new(&world, NULL, pass), REBAL_OK);
  name_workloads();
}

static void teardown(void) {
  united_world_dispose(&world);
}

static void assert_text(size_t action, uint32_t column, const char *wanted) {
  ck_assert_str_eq(rebal_result_text(world.fixture.result, column, action, NULL), wanted);
}

static void assert_scale(size_t action, const char *kind, const char *name, const char *uid, int64_t replicas) {
  const rebal_record *payload = rebal_result_record(world.fixture.result, action);

  assert_text(action, REBAL_ACTION_OBJECT_KIND, kind);
  assert_text(action, REBAL_ACTION_NAMESPACE, "shop");
  assert_text(action, REBAL_ACTION_NAME, name);
  assert_text(action, REBAL_ACTION_UID, uid);
  ck_assert_uint_eq(rebal_record_object(payload), REBAL_OBJECT_SCALE_SPEC);
  ck_assert_int_eq(rebal_record_i64(payload, rebali_record_get(payload, 0, REBAL_SCALE_SPEC_REPLICAS)), replicas);
}

/* b has no known name, c has its replicas already, and d has no workload. */
START_TEST(test_workloads_are_scaled_by_name) {
  static const struct united_pass pass = {FIXED, 9, "a=4[2/1 b=5[6/6 c=0[0/0 d=0", "", "", "", "", NULL, 0};

  start(&pass);
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.fixture.result, REBAL_TABLE_ACTION), 1);
  ck_assert_uint_eq(united_action(&world, REBAL_ACTION_KIND_SCALE, 0), 0);
  assert_scale(0, "Deployment", "web-a", "uid-a", 4);
  assert_text(0, REBAL_ACTION_API_VERSION, "apps/v1");
}
END_TEST

START_TEST(test_a_workload_is_scaled_to_nothing) {
  static const struct united_pass pass = {FIXED, 9, "a=4[4/4 b=5[5/5 c=0[3/3", "", "", "", "", NULL, 0};

  start(&pass);
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.fixture.result, REBAL_TABLE_ACTION), 1);
  assert_scale(0, "CloneSet", "web-c", "", 0);
}
END_TEST

/* Labels, the status and the timer are the same as without names. */
START_TEST(test_scaling_comes_after_what_it_depends_on) {
  static const struct united_pass pass = {ADAPTIVE, 10, "a[4/1 b[6/6", "", "p:a:stuck31:new:-", "", "", NULL, 0};
  size_t n;

  start(&pass);
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  ck_assert_str_eq(united_answer(&world.fixture), "1,9");
  (void)rebal_result_i64(world.fixture.result, REBAL_ACTION_KIND, &n);
  ck_assert_uint_eq(n, 3);
  ck_assert_uint_eq(united_action(&world, REBAL_ACTION_KIND_PATCH_STATUS, 0), 0);
  ck_assert_uint_eq(united_action(&world, REBAL_ACTION_KIND_SCALE, 0), 1);
  ck_assert_uint_eq(united_action(&world, REBAL_ACTION_KIND_WAKE, 0), 2);
  assert_scale(1, "Deployment", "web-a", "uid-a", 1);
}
END_TEST

START_TEST(test_nothing_is_scaled_when_numbers_contradict) {
  static const struct united_pass pass = {FIXED, 3, "a=4[2/1 b=5[6/6", "", "", "", "", NULL, 0};

  start(&pass);
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.fixture.result, REBAL_TABLE_ACTION), 0);
}
END_TEST

START_TEST(test_subsets_after_the_arrays_are_not_scaled) {
  static const struct united_pass pass = {FIXED, 9, "a=4[4/1 b=5[6/6 c=0[3/3", "", "", "", "", NULL, 0};

  start(&pass);
  world.fixture.opts.n = 2;
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.fixture.result, REBAL_TABLE_ACTION), 0);
}
END_TEST

/* Also where it has the replicas that it gets. */
START_TEST(test_a_name_takes_kind_and_version) {
  static const struct united_pass pass = {FIXED, 9, "a=4[4/4 b=5[6/6", "", "", "", "", NULL, 0};
  const char *const none[UNITED_MAX] = {NULL};

  start(&pass);
  world.fixture.opts.kinds = none;
  ck_assert_int_eq(united_step(&world), REBAL_EINVAL);
  ck_assert_uint_eq(rebal_result_count(world.fixture.result, REBAL_TABLE_ALLOCATED), 0);
  world.fixture.opts.kinds = kinds;
  world.fixture.opts.api_versions = NULL;
  ck_assert_int_eq(united_step(&world), REBAL_EINVAL);
  world.fixture.opts.names = NULL;
  ck_assert_int_eq(united_step(&world), REBAL_OK);
}
END_TEST

static int32_t whole_life(const rebal_allocator *allocator, void *user_data) {
  int32_t code = united_world_new(&world, allocator, user_data);

  if (code == REBAL_OK) {
    name_workloads();
    code = united_step(&world);
  }
  united_world_dispose(&world);
  return code;
}

START_TEST(test_failing_allocations) {
  static struct united_pass pass = {ADAPTIVE, 10, "a[4/1 b[6/6", "", "p:a:stuck31:new:-", "", "", NULL, 0};
  static struct united_pass fixed = {FIXED, 9, "a=4[2/1 b=5[6/6", "", "", "", "", NULL, 0}; /* SCALE comes first */

  ck_assert_pstr_eq(test_torture(whole_life, &pass), NULL);
  ck_assert_pstr_eq(test_torture(whole_life, &fixed), NULL);
}
END_TEST

UNIT_CASE(united_scale) {
  TCase *cases = tcase_create("united_scale");

  tcase_add_checked_fixture(cases, NULL, teardown);
  tcase_add_test(cases, test_workloads_are_scaled_by_name);
  tcase_add_test(cases, test_a_workload_is_scaled_to_nothing);
  tcase_add_test(cases, test_scaling_comes_after_what_it_depends_on);
  tcase_add_test(cases, test_nothing_is_scaled_when_numbers_contradict);
  tcase_add_test(cases, test_subsets_after_the_arrays_are_not_scaled);
  tcase_add_test(cases, test_a_name_takes_kind_and_version);
  tcase_add_test(cases, test_failing_allocations);
  return cases;
}
