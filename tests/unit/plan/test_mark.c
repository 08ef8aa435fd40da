/* SPDX-License-Identifier: MIT */
#include "plan/step/karmada.h"

#include "../unit.h"

START_TEST(test_marks_that_are_none_have_no_phase) {
  static const char *const texts[] = {
      "",
      "1",
      "2 00000000000000010000000000000002 moving 0123456789abcdef 1970-01-01T00:00:00Z",
      "1 0000000000000001000000000000000 moving 0123456789abcdef 1970-01-01T00:00:00Z",
      "1 000000000000000g0000000000000002 moving 0123456789abcdef 1970-01-01T00:00:00Z",
      "1 0000000000000001000000000000000g moving 0123456789abcdef 1970-01-01T00:00:00Z",
      "1 00000000000000010000000000000002 elsewhere 0123456789abcdef 1970-01-01T00:00:00Z",
      "1 00000000000000010000000000000002 moving 0123456789abcde 1970-01-01T00:00:00Z",
      "1 00000000000000010000000000000002 moving 0123456789abcdef yesterday"};
  struct rebali_mark mark;

  for (size_t i = 0; i < REBALI_COUNT(texts); i++) {
    rebali_mark_read(rebali_text(texts[i], strlen(texts[i])), &mark);
    ck_assert_uint_eq(mark.phase, REBALI_PHASE_NONE);
    ck_assert_int_eq(mark.is_present, i > 0);
  }
  rebali_mark_read(REBALI_TEXT("1 00000000000000010000000000000002 moving 0123456789abcdef 1970-01-01T00:00:09Z"),
                   &mark);
  ck_assert_uint_eq(mark.phase, REBALI_PHASE_MOVING);
  ck_assert_uint_eq(mark.plan.high, 1);
  ck_assert_uint_eq(mark.plan.low, 2);
  ck_assert_uint_eq(mark.digest, UINT64_C(0x0123456789abcdef));
  ck_assert_int_eq(mark.time.seconds, 9);
}
END_TEST

UNIT_CASE(mark) {
  TCase *cases = tcase_create("mark");

  tcase_add_test(cases, test_marks_that_are_none_have_no_phase);
  return cases;
}
