/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

/* rebalance-karmada(7) 1.1 and 6.2; pods is treated separately. */
static const struct {
  const char *name;
  int is_vector;
} names[] = {
    {"cpu", 1},
    {"memory", 1},
    {"ephemeral-storage", 1},
    {"pods", 0},
    {"storage", 0},
    {"foo", 0},
    {"", 0},
    {"hugepages-2Mi", 1},
    {"attachable-volumes-csi", 1},
    {"example.com/gpu", 1},
    {"Example.com/gpu", 0}, /* a domain in upper case is not a qualified name */
    {"example.com/", 0},
    {"example.com/-x", 0},
    {"requests.example.com/gpu", 0},
    {"kubernetes.io/x", 1}, /* native, yet scalar */
    {"sub.kubernetes.io/x", 1},
    {"a/b/c", 0},
};

START_TEST(test_vector_names) {
  ck_assert_int_eq(rebali_is_vector_resource(rebali_text(names[_i].name, strlen(names[_i].name))), names[_i].is_vector);
}
END_TEST

START_TEST(test_long_names) {
  char name[600];

  memset(name, 'a', sizeof name);
  name[244] = '/'; /* with "requests." the prefix has 253 bytes */
  ck_assert_int_eq(rebali_is_vector_resource(rebali_text(name, 244 + 1 + 63)), 1);
  ck_assert_int_eq(rebali_is_vector_resource(rebali_text(name, 244 + 1 + 64)), 0);
  ck_assert_int_eq(rebali_is_vector_resource(rebali_text(name, sizeof name)), 0);
  name[244] = 'a';
  name[245] = '/';
  ck_assert_int_eq(rebali_is_vector_resource(rebali_text(name, 245 + 1 + 63)), 0);
}
END_TEST

START_TEST(test_native_names_are_not_extended) {
  ck_assert_int_eq(rebali_is_extended_resource(REBALI_TEXT("example.com/gpu")), 1);
  ck_assert_int_eq(rebali_is_extended_resource(REBALI_TEXT("sub.kubernetes.io/x")), 0);
  ck_assert_int_eq(rebali_is_extended_resource(REBALI_TEXT("requests.example.com/gpu")), 0);
  ck_assert_int_eq(rebali_is_extended_resource(REBALI_TEXT("gpu")), 0);
}
END_TEST

UNIT_CASE(resource_name) {
  TCase *cases = tcase_create("resource_name");
  tcase_add_loop_test(cases, test_vector_names, 0, sizeof names / sizeof names[0]);
  tcase_add_test(cases, test_long_names);
  tcase_add_test(cases, test_native_names_are_not_extended);
  return cases;
}
