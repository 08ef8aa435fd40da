/* SPDX-License-Identifier: MIT */
#include "making.h"

/* Two lists with three entries each, and as many in the overall one. */
static rebal_spread *two_lists(void) {
  return spread_of("Deployment", "a=3,b=3,c=3", "*:a=0/3,b=0/3,c=0/3|v1:a=0/3,b=0/3,c=0/3|v2:a=0/3,b=0/3,c=0/3");
}

static struct rebali_text key_of(char *buffer, uint32_t number) {
  return rebali_text(buffer, (size_t)sprintf(buffer, "pod-%u", (unsigned)number));
}

static void add(rebal_spread *spread, uint32_t list, uint32_t entry, uint32_t is_deletion, struct rebali_text key) {
  const rebal_time since = {entry, 0, 1};

  ck_assert_int_eq(rebali_flight_add(&spread->status, list, entry, is_deletion, key, &since), REBAL_OK);
}

START_TEST(test_find) {
  rebal_spread *spread = two_lists();
  const struct rebali_spread_status *status = &spread->status;

  ck_assert_uint_eq(rebali_flight_find(status, 0, REBALI_TEXT("p")), REBAL_NONE);
  add(spread, 0, 2, REBALI_CREATING, REBALI_TEXT("p"));
  add(spread, 0, 1, REBALI_DELETING, REBALI_TEXT("p"));
  add(spread, 1, 0, REBALI_CREATING, REBALI_TEXT("p"));
  add(spread, REBALI_OVERALL, 2, REBALI_CREATING, REBALI_TEXT("p"));
  ck_assert_uint_eq(rebali_flight_find(status, 0, REBALI_TEXT("p")), 1);
  ck_assert_uint_eq(rebali_flight_find(status, 1, REBALI_TEXT("p")), 0);
  ck_assert_uint_eq(rebali_flight_find(status, REBALI_OVERALL, REBALI_TEXT("p")), 2);
  ck_assert_uint_eq(rebali_flight_find(status, 0, REBALI_TEXT("q")), REBAL_NONE);
  ck_assert_uint_eq(rebali_flight_of(status, 0, 2, REBALI_CREATING, REBALI_TEXT("p")), 0);
  ck_assert_uint_eq(rebali_flight_of(status, 0, 2, REBALI_DELETING, REBALI_TEXT("p")), REBAL_NONE);
  ck_assert_uint_eq(rebali_flight_of(status, 0, 1, REBALI_DELETING, REBALI_TEXT("p")), 1);
  ck_assert_uint_eq(rebali_flight_of(status, 0, 1, REBALI_DELETING, REBALI_TEXT("q")), REBAL_NONE);
  ck_assert_uint_eq(status->lists[0].entries[2].n_flights[REBALI_CREATING], 1);
  rebal_spread_free(spread);
}
END_TEST

/* Many of them: the table grows, and what was added last can be taken away again down to nothing. */
START_TEST(test_add_and_undo) {
  enum { MANY = 1000 };
  static char keys[MANY][16];
  rebal_spread *spread = two_lists();
  struct rebali_spread_status *status = &spread->status;

  for (uint32_t i = 0; i < MANY; i++) {
    add(spread, i % 2, i % 3, i % 5 == 0, key_of(keys[i], i));
  }
  for (uint32_t i = 0; i < MANY; i++) {
    char key[16];

    ck_assert_uint_eq(rebali_flight_find(status, i % 2, key_of(key, i)), i % 3);
    ck_assert_uint_eq(rebali_flight_find(status, 1 - i % 2, key_of(key, i)), REBAL_NONE);
  }
  for (uint32_t i = MANY; i-- > 0;) {
    char key[16];

    rebali_flight_undo(status);
    ck_assert_uint_eq(rebali_flight_find(status, i % 2, key_of(key, i)), REBAL_NONE);
    if (i != 0) {
      ck_assert_uint_eq(rebali_flight_find(status, (i - 1) % 2, key_of(key, i - 1)), (i - 1) % 3);
    }
  }
  for (size_t entry = 0; entry < 3; entry++) {
    ck_assert_uint_eq(status->lists[0].entries[entry].n_flights[0] + status->lists[0].entries[entry].n_flights[1], 0);
    ck_assert_uint_eq(status->lists[1].entries[entry].first_flight[0], REBAL_NONE);
  }
  rebal_spread_free(spread);
}
END_TEST

/* Two pods of one hash, where numbers are little-endian. */
START_TEST(test_keys_of_one_hash) {
  const struct rebali_text one = REBALI_TEXT("ns/web-142110"), other = REBALI_TEXT("ns/web-179918");
  rebal_spread *spread = two_lists();

  add(spread, 0, 1, REBALI_CREATING, one);
  ck_assert_uint_eq(rebali_flight_find(&spread->status, 0, other), REBAL_NONE);
  add(spread, 0, 2, REBALI_CREATING, other);
  ck_assert_uint_eq(rebali_flight_find(&spread->status, 0, one), 1);
  ck_assert_uint_eq(rebali_flight_find(&spread->status, 0, other), 2);
  rebal_spread_free(spread);
}
END_TEST

UNIT_CASE(in_flight) {
  TCase *cases = tcase_create("in_flight");

  tcase_add_test(cases, test_find);
  tcase_add_test(cases, test_add_and_undo);
  tcase_add_test(cases, test_keys_of_one_hash);
  return cases;
}
