/* SPDX-License-Identifier: MIT */
#include "making.h"

START_TEST(test_find) {
  rebal_spread *spread = spread_of("Deployment", "a=3", "v5:a=0/5|v1:a=0/1|:a=0/9|v3:a=0/3");
  struct rebali_spread_status *status = &spread->status;
  static const char versions[] = "1353115";

  for (size_t i = 0; i + 1 < sizeof versions; i++) {
    const char version[2] = {'v', versions[i]};
    const uint32_t number = rebali_status_find(status, rebali_text(version, 2));

    ck_assert_int_eq(rebali_status_list(status, number)->entries[0].missing, versions[i] - '0');
  }
  ck_assert_int_eq(rebali_status_list(status, rebali_status_find(status, REBALI_TEXT("")))->entries[0].missing, 9);
  ck_assert_uint_eq(rebali_status_find(status, REBALI_TEXT("v2")), REBAL_NONE);
  ck_assert_uint_eq(rebali_status_find(status, REBALI_TEXT("v6")), REBAL_NONE);
  ck_assert_ptr_eq(rebali_status_list(status, REBALI_OVERALL), &status->overall);
  rebal_spread_free(spread);
}
END_TEST

/* A list made from spec is not part of the status until something is recorded in it. */
START_TEST(test_make) {
  rebal_spread *spread = spread_of("Deployment", "a=3,b=50%,c=50,d=x,e=-1,f=-2,g", "v2:a=1/1");
  struct rebali_spread_status *status = &spread->status;
  static const int32_t missing[] = {3, 4, 50, 0, -1, -2, -1};
  static const int eligible[] = {1, 1, 1, 0, 1, 0, 1};
  char version[] = "v1";
  struct rebali_status_list *list;
  uint32_t number = 0;

  ck_assert_int_eq(rebali_status_make_list(status, &spread->spec, rebali_text(version, 2), 7, &number), REBAL_OK);
  version[0] = 'w'; /* a copy was kept */
  ck_assert_uint_eq(rebali_status_find(status, REBALI_TEXT("v1")), number);
  list = rebali_status_list(status, number);
  ck_assert_int_eq(list->state, REBALI_LIST_MADE);
  ck_assert_int_eq(list->made_for, 7);
  for (size_t i = 0; i < list->n; i++) {
    ck_assert_int_eq(list->entries[i].missing, missing[i]);
    ck_assert_int_eq(rebali_bit_get(list->eligible, i), eligible[i]);
    ck_assert_uint_eq(list->entries[i].subset, i);
  }
  ck_assert_str_eq(show_status(spread).text, "v2:a=1/1");
  list->state = REBALI_LIST_THERE;
  ck_assert_str_eq(show_status(spread).text, "v1:a=0/3,b=0/4,c=0/50,d=0/0,e=0/-1,f=0/-2,g=0/-1|v2:a=1/1");
  rebal_spread_free(spread);
}
END_TEST

START_TEST(test_remake) {
  rebal_spread *spread = spread_of("Deployment", "a=50%,b", "v1:");
  struct rebali_spread_status *status = &spread->status;
  const uint32_t number = rebali_status_find(status, REBALI_TEXT("v1"));
  struct rebali_status_list *list = rebali_status_list(status, number);

  ck_assert_int_eq(list->state, REBALI_LIST_EMPTIED);
  for (int32_t replicas = 10; replicas < 30; replicas += 10) {
    ck_assert_int_eq(rebali_status_remake_list(status, &spread->spec, number, replicas), REBAL_OK);
    ck_assert_uint_eq(list->n, 2);
    ck_assert_int_eq(list->entries[0].missing, replicas / 2);
    ck_assert_int_eq(list->entries[1].missing, -1);
  }
  ck_assert_str_eq(show_status(spread).text, "v1:");
  rebal_spread_free(spread);
}
END_TEST

/* An entry whose condition is False is never eligible. */
START_TEST(test_set_missing) {
  rebal_spread *spread = spread_of("Deployment", "a=1,b=1", "v:a=0/1,b=0/1!");
  struct rebali_status_list *list = rebali_status_list(&spread->status, 0);
  static const int32_t missing[] = {0, 1, -1, -2, 5};
  static const int eligible[] = {0, 1, 1, 0, 1};

  for (size_t i = 0; i < REBALI_COUNT(missing); i++) {
    rebali_status_set_missing(list, 0, missing[i]);
    rebali_status_set_missing(list, 1, missing[i]);
    ck_assert_int_eq(list->entries[0].missing, missing[i]);
    ck_assert_int_eq(rebali_bit_get(list->eligible, 0), eligible[i]);
    ck_assert_int_eq(rebali_bit_get(list->eligible, 1), 0);
  }
  rebal_spread_free(spread);
}
END_TEST

UNIT_CASE(status) {
  TCase *cases = tcase_create("status");

  tcase_add_test(cases, test_find);
  tcase_add_test(cases, test_make);
  tcase_add_test(cases, test_remake);
  tcase_add_test(cases, test_set_missing);
  return cases;
}
