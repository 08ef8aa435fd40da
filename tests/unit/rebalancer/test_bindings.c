/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

static const struct sample two = {
    .workloads = {{"apps/v1", "Deployment", "shop", "web", "", ""}, {"rbac/v1", "ClusterRole", "", "system:x", "", ""}},
    .generation = 1,
    .ttl = -1};

/* Both items name the same binding. */
static const struct sample twins = {
    .workloads = {{"apps/v1", "Deployment", "shop", "web", "", ""}, {"foo/v1", "Deployment", "shop", "WEB", "", ""}},
    .generation = 1,
    .ttl = -1};

static struct fixture fixture;

static void start(const struct sample *sample) {
  ck_assert_int_eq(fixture_new(&fixture, NULL, sample), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, 2000), REBAL_OK);
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

static const char *action_text(uint32_t column, size_t row) {
  return rebal_result_text(fixture.result, column, row, NULL);
}

/* Result of item i in the status to be written; "" when it is pending. */
static const char *result_of(int64_t i) {
  const size_t row = fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_STATUS, 4); /* two items */
  const rebal_record *status = rebal_result_record(fixture.result, row);
  uint32_t node = REBAL_NONE;

  ck_assert_ptr_nonnull(status);
  while (i-- >= 0) {
    node = rebal_record_next(status, 0, REBAL_REBALANCER_STATUS_OBSERVED_WORKLOADS, node);
  }
  return rebal_record_text(status, rebali_record_get(status, node, REBAL_OBSERVED_WORKLOAD_RESULT), NULL);
}

START_TEST(test_all_pending_bindings_are_read_at_once) {
  start(&two);
  ck_assert_int_eq(fixture_step_cell(&fixture, REBAL_STEP_STATE), REBAL_STEP_STATE_WAITING);
  ck_assert_uint_eq(fixture_actions(&fixture), 2);
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_READ, 0), 0);
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_READ, 2), 1);
  ck_assert_str_eq(action_text(REBAL_ACTION_API_VERSION, 0), "work.karmada.io/v1alpha2");
  ck_assert_str_eq(action_text(REBAL_ACTION_OBJECT_KIND, 0), "ResourceBinding");
  ck_assert_str_eq(action_text(REBAL_ACTION_NAMESPACE, 0), "shop");
  ck_assert_str_eq(action_text(REBAL_ACTION_NAME, 0), "web-deployment");
  ck_assert_str_eq(action_text(REBAL_ACTION_OBJECT_KIND, 1), "ClusterResourceBinding");
  ck_assert_str_eq(action_text(REBAL_ACTION_NAMESPACE, 1), "");
  ck_assert_str_eq(action_text(REBAL_ACTION_NAME, 1), "system.x-clusterrole");
}
END_TEST

START_TEST(test_an_older_trigger_is_replaced) {
  const rebal_record *payload;
  rebal_time time;

  start(&two);
  ck_assert_int_eq(fixture_found(&fixture, 0, "31", CREATED - 1), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, 2000), REBAL_OK);
  ck_assert_uint_eq(fixture_actions(&fixture), 2);
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_READ, 2), 1); /* still not observed */
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, 1), 0);
  ck_assert_str_eq(action_text(REBAL_ACTION_RESOURCE_VERSION, 0), "31");
  payload = rebal_result_record(fixture.result, 0);
  ck_assert_uint_eq(rebal_record_object(payload), REBAL_OBJECT_BINDING_SPEC);
  rebal_record_time(payload, rebali_record_get(payload, 0, REBAL_BINDING_SPEC_RESCHEDULE_TRIGGERED_AT), &time);
  ck_assert_int_eq(time.seconds, CREATED);
}
END_TEST

START_TEST(test_a_trigger_as_new_is_left_alone) {
  start(&two);
  ck_assert_int_eq(fixture_found(&fixture, 0, "31", CREATED), REBAL_OK);
  ck_assert_int_eq(fixture_found(&fixture, 2, "32", CREATED + 5), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, 2000), REBAL_OK);
  ck_assert_uint_eq(fixture_actions(&fixture), 1);
  ck_assert_str_eq(result_of(0), "Successful");
  ck_assert_str_eq(result_of(1), "Successful");
}
END_TEST

START_TEST(test_the_version_the_observation_states_comes_first) {
  static const rebal_observation observation = {.struct_size = sizeof observation,
                                                .outcome = REBAL_OBSERVED_DONE,
                                                .resource_version = "99",
                                                .resource_version_len = 2};

  start(&two);
  ck_assert_int_eq(rebal_observations_add(fixture.observations, &observation, NULL), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, 2000), REBAL_OK);
  ck_assert_str_eq(
      action_text(REBAL_ACTION_RESOURCE_VERSION, fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, 1)), "99");
}
END_TEST

/* After a read without metadata the patch has no version. */
START_TEST(test_a_binding_without_metadata) {
  const rebal_record *binding;

  start(&two);
  (void)rebal_builder_start(fixture.other, REBAL_OBJECT_BINDING, NULL);
  ck_assert_int_eq(rebal_builder_finish(fixture.other, &binding, NULL), REBAL_OK);
  ck_assert_int_eq(fixture_observe_fields(&fixture, 0, binding), REBAL_OK);
  ck_assert_int_eq(fixture_observe(&fixture, 2, REBAL_OBSERVED_DONE, ""), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, 2000), REBAL_OK);
  for (int64_t ordinal = 1; ordinal <= 3; ordinal += 2) {
    const size_t row = fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, ordinal);

    ck_assert_uint_ne(row, SIZE_MAX);
    ck_assert_str_eq(action_text(REBAL_ACTION_RESOURCE_VERSION, row), "");
  }
}
END_TEST

START_TEST(test_a_missing_binding_fails_for_good) {
  start(&two);
  ck_assert_int_eq(fixture_observe(&fixture, 0, REBAL_OBSERVED_NOT_FOUND, "gone"), REBAL_OK);
  ck_assert_int_eq(fixture_found(&fixture, 2, "1", 0), REBAL_OK);
  ck_assert_int_eq(fixture_observe(&fixture, 3, REBAL_OBSERVED_NOT_FOUND, "gone"), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, 2000), REBAL_OK);
  ck_assert_str_eq(result_of(0), "Failed");
  ck_assert_str_eq(result_of(1), "Failed");
}
END_TEST

static const int32_t failures[] = {REBAL_OBSERVED_CONFLICT, REBAL_OBSERVED_DENIED, REBAL_OBSERVED_TRANSIENT};

START_TEST(test_other_failures_are_retried) {
  start(&two);
  ck_assert_int_eq(fixture_observe(&fixture, 0, failures[_i], "x"), REBAL_OK);
  ck_assert_int_eq(fixture_found(&fixture, 2, "1", 0), REBAL_OK);
  ck_assert_int_eq(fixture_observe(&fixture, 3, failures[_i], "x"), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, 2000), REBAL_OK);
  ck_assert_str_eq(result_of(0), "");
  ck_assert_str_eq(result_of(1), "");
  ck_assert_int_eq(fixture_observe(&fixture, 4, REBAL_OBSERVED_DONE, ""), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, 2000), REBAL_OK);
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_STEP_MESSAGE, 0, NULL),
                   "2 resource reschedule triggered failed and need retry");
}
END_TEST

START_TEST(test_items_of_one_binding_share_its_fate) {
  start(&twins);
  ck_assert_uint_eq(fixture_actions(&fixture), 1);
  ck_assert_int_eq(fixture_found(&fixture, 0, "1", 0), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, 2000), REBAL_OK);
  ck_assert_uint_eq(fixture_actions(&fixture), 1);
  ck_assert_int_eq(fixture_observe(&fixture, 1, REBAL_OBSERVED_DONE, ""), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, 2000), REBAL_OK);
  ck_assert_str_eq(result_of(0), "Successful");
  ck_assert_str_eq(result_of(1), "Successful");
}
END_TEST

START_TEST(test_a_record_that_is_not_a_binding_is_refused) {
  const rebal_record *event;

  start(&two);
  (void)rebal_builder_start(fixture.other, REBAL_OBJECT_EVENT, NULL);
  ck_assert_int_eq(rebal_builder_finish(fixture.other, &event, NULL), REBAL_OK);
  ck_assert_int_eq(fixture_observe_fields(&fixture, 2, event), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, 2000), REBAL_EINVAL);
  ck_assert_uint_eq(fixture_actions(&fixture), 0);
}
END_TEST

UNIT_CASE(bindings) {
  TCase *cases = tcase_create("bindings");
  tcase_add_checked_fixture(cases, NULL, teardown);
  tcase_add_test(cases, test_all_pending_bindings_are_read_at_once);
  tcase_add_test(cases, test_an_older_trigger_is_replaced);
  tcase_add_test(cases, test_a_trigger_as_new_is_left_alone);
  tcase_add_test(cases, test_the_version_the_observation_states_comes_first);
  tcase_add_test(cases, test_a_binding_without_metadata);
  tcase_add_test(cases, test_a_missing_binding_fails_for_good);
  tcase_add_loop_test(cases, test_other_failures_are_retried, 0, (int)REBALI_COUNT(failures));
  tcase_add_test(cases, test_items_of_one_binding_share_its_fate);
  tcase_add_test(cases, test_a_record_that_is_not_a_binding_is_refused);
  return cases;
}
