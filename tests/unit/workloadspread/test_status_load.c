/* SPDX-License-Identifier: MIT */
#include "making.h"

START_TEST(test_entries) {
  rebal_spread *spread = spread_of("Deployment", "a=3,b=3,c", "v1:b=1/2,x=0/0+p@5,a=2/1-q@6!,c=0/-1~");
  const struct rebali_status_list *list = rebali_status_list(&spread->status, 0);
  static const uint32_t subsets[] = {1, REBAL_NONE, 0, 2};
  static const int eligible[] = {1, 0, 0, 1};
  static const int is_false[] = {0, 0, 1, 0};

  ck_assert_int_eq(spread->status.overall.state, REBALI_LIST_ABSENT);
  ck_assert_int_eq(list->state, REBALI_LIST_THERE);
  ck_assert_uint_eq(list->n, 4);
  for (size_t i = 0; i < 4; i++) {
    ck_assert_uint_eq(list->entries[i].subset, subsets[i]);
    ck_assert_int_eq(list->entries[i].is_false, is_false[i]);
    ck_assert_int_eq(list->entries[i].first_is_false, is_false[i]);
    ck_assert_int_eq(rebali_bit_get(list->eligible, i), eligible[i]);
  }
  ck_assert_int_eq(list->entries[2].replicas, 2);
  ck_assert_uint_eq(rebali_flight_find(&spread->status, 0, REBALI_TEXT("p")), 1);
  ck_assert_uint_eq(rebali_flight_of(&spread->status, 0, 2, REBALI_DELETING, REBALI_TEXT("q")), 1);
  ck_assert_int_eq(spread->status.flights[1].since.seconds, 6);
  rebal_spread_free(spread);
}
END_TEST

/* Any False keeps pods away; for pods of a StatefulSet only the first condition counts. */
START_TEST(test_conditions) {
  rebal_spread *spread = spread_of("Deployment", "a,b", "*:a=0/-1~!,b=0/-1!~");
  const struct rebali_status_list *list = &spread->status.overall;

  ck_assert_int_eq(list->state, REBALI_LIST_THERE);
  ck_assert_int_eq(list->entries[0].is_false, 1);
  ck_assert_int_eq(list->entries[0].first_is_false, 0);
  ck_assert_int_eq(list->entries[1].is_false, 1);
  ck_assert_int_eq(list->entries[1].first_is_false, 1);
  rebal_spread_free(spread);
}
END_TEST

/* Conditions of other types are ignored. */
START_TEST(test_other_condition) {
  rebal_spread *spread = spread_of("Deployment", "a,b", NULL);
  rebal_builder *builder = new_builder();

  rebal_builder_start(builder, REBAL_OBJECT_SPREAD_STATUS, NULL);
  rebal_builder_begin(builder, REBAL_SPREAD_STATUS_SUBSETS, NULL);
  rebal_builder_begin(builder, REBAL_SUBSET_STATUS_CONDITIONS, NULL);
  put_text(builder, REBAL_CONDITION_TYPE, "Ready");
  put_text(builder, REBAL_CONDITION_STATUS, "False");
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_spread_load_status(spread, finish(builder), NULL), REBAL_OK);
  ck_assert_int_eq(spread->status.overall.entries[0].is_false, 0);
  ck_assert_int_eq(spread->status.overall.entries[0].first_is_false, 0);
  rebal_builder_free(builder);
  rebal_spread_free(spread);
}
END_TEST

/* A load drops all former lists, and uses the memory of the load before. */
START_TEST(test_again) {
  static const char *const states[] = {"v1:a=0/3+p@1,b=0/0", "", "*:a=1/2|v2:a=1/2-p@3", "v1:a=0/3"};
  rebal_spread *spread = spread_of("Deployment", "a=3,b=3", NULL);
  rebal_builder *builder = new_builder();

  for (size_t i = 0; i < 12; i++) {
    const char *state = states[i % REBALI_COUNT(states)];

    ck_assert_int_eq(rebal_spread_load_status(spread, status_record(builder, state), NULL), REBAL_OK);
    ck_assert_str_eq(show_status(spread).text, state);
    ck_assert_uint_eq(rebali_flight_find(&spread->status, 0, REBALI_TEXT("p")), i % 2 == 0 ? 0 : REBAL_NONE);
  }
  rebal_builder_free(builder);
  rebal_spread_free(spread);
}
END_TEST

UNIT_CASE(status_load) {
  TCase *cases = tcase_create("status_load");

  tcase_add_test(cases, test_entries);
  tcase_add_test(cases, test_conditions);
  tcase_add_test(cases, test_other_condition);
  tcase_add_test(cases, test_again);
  return cases;
}
