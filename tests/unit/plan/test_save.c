/* SPDX-License-Identifier: MIT */
#include "plan/plan.h"
#include "rich_plan.h"

START_TEST(test_every_buffer_that_is_too_small) {
  struct plan_fixture fixture;
  struct rich_bytes bytes;
  unsigned char *guarded;

  rich_open(&fixture, REBAL_PLAN_MODE_LEAST);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  bytes = rich_save(fixture.plan);
  guarded = malloc(bytes.len + 1);
  ck_assert_ptr_nonnull(guarded);
  for (size_t capacity = 1; capacity <= bytes.len; capacity++) {
    size_t len = 0;

    guarded[capacity] = 0xa5;
    ck_assert_int_eq(rebal_plan_save(fixture.plan, guarded, capacity, &len, NULL),
                     capacity == bytes.len ? REBAL_OK : REBAL_ERANGE);
    ck_assert_uint_eq(len, bytes.len);
    ck_assert_uint_eq(guarded[capacity], 0xa5);
  }
  ck_assert_mem_eq(guarded, bytes.at, bytes.len);
  free(guarded);
  free(bytes.at);
  plan_close(&fixture);
}
END_TEST

/* Ids are in the order in which names were added; the bytes hold names. */
START_TEST(test_ids_are_not_seen) {
  static const struct test_placement dynamic = {.scheduling = "Divided/Weighted/AvailableReplicas"};
  static const char *const fleets[] = {"m1=20 m2=20 m3=20", "m3=20 m1=20 m2=20"};
  const struct test_binding binding = {
      .key = "ns/a", .replicas = 9, .request = "", .placement = &dynamic, .targets = "m1=9", .scheduled_at = 5};
  struct rich_bytes bytes[2];

  for (size_t i = 0; i < 2; i++) {
    struct plan_fixture fixture;

    plan_open(&fixture, fleets[i]);
    (void)plan_add(&fixture, &binding);
    plan_lose(&fixture, i == 0 ? "m1" : "m3");
    plan_lose(&fixture, i == 0 ? "m3" : "m1");
    ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
    bytes[i] = rich_save(fixture.plan);
    plan_close(&fixture);
  }
  ck_assert_uint_eq(bytes[0].len, bytes[1].len);
  ck_assert_mem_eq(bytes[0].at, bytes[1].at, bytes[0].len);
  free(bytes[0].at);
  free(bytes[1].at);
}
END_TEST

START_TEST(test_what_is_null) {
  struct plan_fixture fixture;
  unsigned char byte;
  size_t len;

  rich_open(&fixture, REBAL_PLAN_MODE_FRESH);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(rebal_plan_save(NULL, &byte, 1, &len, &fixture.world.err), REBAL_EINVAL);
  ck_assert_str_eq(fixture.world.err.message, "plan is NULL");
  ck_assert_int_eq(rebal_plan_save(fixture.plan, &byte, 1, NULL, &fixture.world.err), REBAL_EINVAL);
  ck_assert_str_eq(fixture.world.err.message, "len is NULL");
  ck_assert_int_eq(rebal_plan_save(fixture.plan, NULL, 1, &len, &fixture.world.err), REBAL_EINVAL);
  ck_assert_str_eq(fixture.world.err.message, "buffer is NULL");
  plan_close(&fixture);
}
END_TEST

#if SIZE_MAX > UINT32_MAX
/* Only the number of rows is set. */
START_TEST(test_more_rows_than_the_format_counts) {
  struct plan_fixture fixture;
  size_t len, n;

  rich_open(&fixture, REBAL_PLAN_MODE_FRESH);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  n = fixture.plan->n_uses;
  fixture.plan->n_uses = (size_t)UINT32_MAX + 1;
  ck_assert_int_eq(rebal_plan_save(fixture.plan, NULL, 0, &len, &fixture.world.err), REBAL_ELIMIT);
  ck_assert_str_eq(fixture.world.err.message, "the plan has more rows than the format counts");
  fixture.plan->n_uses = n;
  plan_close(&fixture);
}
END_TEST
#endif

UNIT_CASE(save) {
  TCase *cases = tcase_create("save");

  tcase_add_test(cases, test_every_buffer_that_is_too_small);
  tcase_add_test(cases, test_ids_are_not_seen);
  tcase_add_test(cases, test_what_is_null);
#if SIZE_MAX > UINT32_MAX
  tcase_add_test(cases, test_more_rows_than_the_format_counts);
#endif
  return cases;
}
