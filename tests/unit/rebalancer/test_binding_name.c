/* SPDX-License-Identifier: MIT */
#include "rebalancer/rebalancer.h"

#include "../../support/allocator.h"
#include "../unit.h"

static const struct {
  const char *name;
  const char *kind;
  const char *binding;
} names[] = {{"web", "Deployment", "web-deployment"},
             {"system:node", "ClusterRole", "system.node-clusterrole"},
             {"A:b:C", "", "a.b.c-"},
             {"", "K:x", "-k:x"},
             {"\xc3\x84", "Kind", "\xc3\x84-kind"}};

START_TEST(test_the_name_of_a_binding) {
  char buffer[64];
  size_t len = 0;

  ck_assert_int_eq(rebal_binding_name(names[_i].name, strlen(names[_i].name), names[_i].kind, strlen(names[_i].kind),
                                      buffer, sizeof buffer, &len, NULL),
                   REBAL_OK);
  ck_assert_str_eq(buffer, names[_i].binding);
  ck_assert_uint_eq(len, strlen(names[_i].binding));
}
END_TEST

START_TEST(test_the_buffer_rules) {
  char buffer[8] = "xxxxxxx";
  size_t len = 0;

  ck_assert_int_eq(rebal_binding_name("web", 3, "Job", 3, NULL, 0, &len, NULL), REBAL_OK);
  ck_assert_uint_eq(len, 7);
  ck_assert_int_eq(rebal_binding_name("web", 3, "Job", 3, buffer, 6, &len, NULL), REBAL_ERANGE);
  ck_assert_str_eq(buffer, "xxxxxxx");
  ck_assert_uint_eq(len, 7);
  ck_assert_int_eq(rebal_binding_name("web", 3, "Job", 3, buffer, 7, &len, NULL), REBAL_OK);
  ck_assert_mem_eq(buffer, "web-job", 7);
}
END_TEST

START_TEST(test_bad_arguments) {
  char buffer[8];
  size_t len;

  ck_assert_int_eq(rebal_binding_name("a", 1, "b", 1, buffer, 8, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_binding_name("a", 1, "b", 1, NULL, 8, &len, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_binding_name(NULL, 1, "b", 1, buffer, 8, &len, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_binding_name("a", 1, NULL, 1, buffer, 8, &len, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_binding_name("a", SIZE_MAX - 1, "b", 1, buffer, 8, &len, NULL), REBAL_ELIMIT);
  ck_assert_int_eq(rebal_binding_name("a", 1, "b", SIZE_MAX - 1, buffer, 8, &len, NULL), REBAL_ELIMIT);
}
END_TEST

START_TEST(test_no_memory_gives_no_bytes) {
  struct test_allocator memory;
  struct rebali_arena arena;

  test_allocator_init(&memory, 1, TEST_FAIL_ONCE);
  rebali_arena_init(&arena, &memory.functions, 0);
  ck_assert_ptr_null(rebali_binding_name(&arena, REBALI_TEXT("a"), REBALI_TEXT("b")).bytes);
  ck_assert_uint_eq(rebali_binding_name(&arena, REBALI_TEXT("a"), REBALI_TEXT("b")).len, 3);
  rebali_arena_dispose(&arena);
}
END_TEST

UNIT_CASE(binding_name) {
  TCase *cases = tcase_create("binding_name");
  tcase_add_loop_test(cases, test_the_name_of_a_binding, 0, (int)REBALI_COUNT(names));
  tcase_add_test(cases, test_the_buffer_rules);
  tcase_add_test(cases, test_bad_arguments);
  tcase_add_test(cases, test_no_memory_gives_no_bytes);
  return cases;
}
