/* SPDX-License-Identifier: MIT */
/* Surprising behaviour of the reference's rebalancer that is mirrored (rebalance-karmada(7) 9.2). */
#include "fixture.h"

#include "../unit.h"

#define WEB "apps/v1", "Deployment", "shop", "web"

static struct fixture fixture;

static void start(const struct sample *sample) {
  ck_assert_int_eq(fixture_new(&fixture, NULL, sample), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, CREATED + 5000), REBAL_OK);
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

START_TEST(test_the_api_version_is_ignored) {
  static const struct sample sample = {
      .workloads = {{WEB, "", ""}, {"other/v1", "Deployment", "shop", "web", "", ""}}, .generation = 1, .ttl = -1};

  start(&sample);
  ck_assert_uint_eq(fixture_actions(&fixture), 1);
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_READ, 0), 0);
}
END_TEST

/* Nothing is read for it again, even in a new generation. */
START_TEST(test_failed_is_final) {
  static const struct sample failed = {.workloads = {{WEB, "", ""}},
                                       .observed = {{WEB, "Failed", "ReferencedBindingNotFound"}},
                                       .generation = 2,
                                       .observed_generation = 1,
                                       .ttl = -1};
  size_t n;

  start(&failed);
  ck_assert_uint_eq(fixture_actions(&fixture), 1);
  ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_ACTION_KIND, &n)[0], REBAL_ACTION_KIND_PATCH_STATUS);
}
END_TEST

/* Long after: what was scheduled meanwhile has no newer trigger, and is not scheduled again. */
START_TEST(test_the_creation_is_the_trigger_of_what_is_added_later) {
  static const struct sample edited = {
      .workloads = {{WEB, "", ""}}, .generation = 2, .observed_generation = 1, .ttl = -1};
  const rebal_record *spec;
  rebal_time trigger;
  size_t row;

  start(&edited);
  ck_assert_int_eq(fixture_found(&fixture, 0, "31", 0), REBAL_OK);
  ck_assert_int_eq(fixture_step(&fixture, CREATED + 5000), REBAL_OK);
  row = fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, 1);
  ck_assert_uint_ne(row, SIZE_MAX);
  spec = rebal_result_record(fixture.result, row);
  rebal_record_time(spec, rebali_record_get(spec, 0, REBAL_BINDING_SPEC_RESCHEDULE_TRIGGERED_AT), &trigger);
  ck_assert_int_eq(trigger.seconds, CREATED);
}
END_TEST

UNIT_CASE(compat) {
  TCase *cases = tcase_create("compat");

  tcase_add_checked_fixture(cases, NULL, teardown);
  tcase_add_test(cases, test_the_api_version_is_ignored);
  tcase_add_test(cases, test_failed_is_final);
  tcase_add_test(cases, test_the_creation_is_the_trigger_of_what_is_added_later);
  return cases;
}
