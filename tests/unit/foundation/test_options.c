/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

/* Three releases of one structure; the library in these tests was built with the middle one. */
struct first {
  uint32_t struct_size;
  uint32_t a;
};
struct known {
  uint32_t struct_size;
  uint32_t a;
  uint64_t b;
};
struct newer {
  uint32_t struct_size;
  uint32_t a;
  uint64_t b;
  uint64_t c;
};

static int32_t load(struct known *dst, const void *src, rebal_error *err) {
  memset(dst, 0x5A, sizeof *dst);
  return rebali_options_load(dst, sizeof *dst, sizeof(struct first), src, err);
}

START_TEST(test_none_is_all_zero) {
  const struct known zero = {0, 0, 0};
  struct known options;

  ck_assert_int_eq(load(&options, NULL, NULL), REBAL_OK);
  ck_assert_mem_eq(&options, &zero, sizeof zero);
}
END_TEST

START_TEST(test_same_size_is_copied) {
  const struct known given = {(uint32_t)sizeof given, 1, 2};
  struct known options;

  ck_assert_int_eq(load(&options, &given, NULL), REBAL_OK);
  ck_assert_mem_eq(&options, &given, sizeof given);
}
END_TEST

START_TEST(test_older_caller_gets_defaults_for_the_rest) {
  const struct first given = {(uint32_t)sizeof given, 1};
  struct known options;

  ck_assert_int_eq(load(&options, &given, NULL), REBAL_OK);
  ck_assert_uint_eq(options.a, 1);
  ck_assert_uint_eq(options.b, 0);
}
END_TEST

START_TEST(test_newer_caller_is_heard_when_the_new_member_is_zero) {
  const struct newer given = {(uint32_t)sizeof given, 1, 2, 0};
  struct known options;

  ck_assert_int_eq(load(&options, &given, NULL), REBAL_OK);
  ck_assert_uint_eq(options.b, 2);
}
END_TEST

START_TEST(test_newer_member_is_not_supported) {
  const struct newer given = {(uint32_t)sizeof given, 1, 2, 3};
  rebal_error err = REBAL_ERROR_INIT;
  struct known options;

  ck_assert_int_eq(load(&options, &given, &err), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(err.code, REBAL_EUNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(err.message, "newer than this library"));
}
END_TEST

static const uint32_t impossible_sizes[] = {0, 4, 7, REBALI_STRUCTURE_MAX + 1, UINT32_MAX};

START_TEST(test_impossible_size_is_an_abi_error) {
  const struct known given = {impossible_sizes[_i], 1, 2};
  rebal_error err = REBAL_ERROR_INIT;
  struct known options;

  ck_assert_int_eq(load(&options, &given, &err), REBAL_EABI);
  ck_assert_int_eq(err.code, REBAL_EABI);
}
END_TEST

/* Fills a structure of `size` bytes that held garbage before. */
static struct newer fill(uint32_t size) {
  const struct known filled = {0, 1, 2};
  struct newer out;

  memset(&out, 0x5A, sizeof out);
  out.struct_size = size;
  ck_assert_int_eq(rebali_structure_check(&out, sizeof(struct first), NULL), REBAL_OK);
  rebali_structure_fill(&out, &filled, sizeof filled);
  ck_assert_uint_eq(out.struct_size, size);
  ck_assert_uint_eq(out.a, 1);
  return out;
}

START_TEST(test_older_caller_gets_what_fits) {
  ck_assert_uint_eq(fill((uint32_t)sizeof(struct first)).b, 0x5A5A5A5A5A5A5A5A);
  ck_assert_uint_eq(fill((uint32_t)sizeof(struct known)).b, 2);
  ck_assert_uint_eq(fill((uint32_t)sizeof(struct known)).c, 0x5A5A5A5A5A5A5A5A);
}
END_TEST

START_TEST(test_newer_caller_finds_zeros_where_nothing_is_known) {
  const struct newer filled = fill((uint32_t)sizeof(struct newer));

  ck_assert_uint_eq(filled.b, 2);
  ck_assert_uint_eq(filled.c, 0);
}
END_TEST

START_TEST(test_structures_of_impossible_sizes_are_not_filled) {
  const struct known out = {impossible_sizes[_i], 1, 2};
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(rebali_structure_check(&out, sizeof(struct first), &err), REBAL_EABI);
  ck_assert_int_eq(err.code, REBAL_EABI);
}
END_TEST

UNIT_CASE(options) {
  TCase *cases = tcase_create("options");
  tcase_add_test(cases, test_none_is_all_zero);
  tcase_add_test(cases, test_same_size_is_copied);
  tcase_add_test(cases, test_older_caller_gets_defaults_for_the_rest);
  tcase_add_test(cases, test_newer_caller_is_heard_when_the_new_member_is_zero);
  tcase_add_test(cases, test_newer_member_is_not_supported);
  tcase_add_loop_test(cases, test_impossible_size_is_an_abi_error, 0, (int)REBALI_COUNT(impossible_sizes));
  tcase_add_test(cases, test_older_caller_gets_what_fits);
  tcase_add_test(cases, test_newer_caller_finds_zeros_where_nothing_is_known);
  tcase_add_loop_test(cases, test_structures_of_impossible_sizes_are_not_filled, 0,
                      (int)REBALI_COUNT(impossible_sizes));
  return cases;
}
