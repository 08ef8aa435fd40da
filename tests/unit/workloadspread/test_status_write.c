/* SPDX-License-Identifier: MIT */
#include "making.h"

static const char *const states[] = {"", "*:a=1/2",
                                     "v1:", "*:a=2/1~,b=0/-1|:a=0/0|v1:a=1/2+p@1+q@2-r@3!,b=0/-1-p@9|v2:x=5/0"};

START_TEST(test_round_trip) {
  rebal_spread *spread = spread_of("Deployment", "a=3,b", states[_i]);

  ck_assert_str_eq(show_status(spread).text, states[_i]);
  rebal_spread_free(spread);
}
END_TEST

/* A written status that is loaded is written to the same bytes; the generation is kept. */
START_TEST(test_same_bytes) {
  rebal_spread *spread = spread_of("Deployment", "a=3,b", NULL);
  rebal_builder *builder = new_builder();
  rebal_builder *other = new_builder();
  const rebal_record *first = NULL;
  const rebal_record *second = NULL;

  rebal_builder_start(builder, REBAL_OBJECT_SPREAD_STATUS, NULL);
  rebal_builder_i64(builder, REBAL_SPREAD_STATUS_OBSERVED_GENERATION, 12, NULL);
  put_status(builder, states[3]);
  first = finish(builder);
  ck_assert_int_eq(rebal_spread_load_status(spread, first, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_status(spread, other, &second, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_record_equal(first, second), 1);
  rebal_builder_free(other);
  rebal_builder_free(builder);
  rebal_spread_free(spread);
}
END_TEST

/* Only the versions that changed, each whole, with times in whole seconds. */
START_TEST(test_changed) {
  rebal_spread *spread = spread_of("Deployment", "a=3,b", states[3]);
  rebal_builder *builder = new_builder();
  const uint32_t number = rebali_status_find(&spread->status, REBALI_TEXT("v2"));
  const rebal_time since = {77, 900000000, 1};

  ck_assert_int_eq(rebali_flight_add(&spread->status, number, 0, REBALI_CREATING, REBALI_TEXT("new"), &since),
                   REBAL_OK);
  rebali_status_list(&spread->status, number)->changed = 1;
  rebal_builder_start(builder, REBAL_OBJECT_SPREAD_STATUS, NULL);
  rebali_status_write(&spread->status, 0, builder);
  ck_assert_str_eq(show_record(finish(builder)).text, "v2:x=5/0+new@77");
  rebal_builder_free(builder);
  rebal_spread_free(spread);
}
END_TEST

UNIT_CASE(status_write) {
  TCase *cases = tcase_create("status_write");

  tcase_add_loop_test(cases, test_round_trip, 0, (int)REBALI_COUNT(states));
  tcase_add_test(cases, test_same_bytes);
  tcase_add_test(cases, test_changed);
  return cases;
}
