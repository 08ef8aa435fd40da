/* SPDX-License-Identifier: MIT */
#include "patching.h"

#include "manifest/patch/strategic.h"

/* The i-th of keys of every type; each type has equal ones, and texts of other types look like them. */
static json_t *make_key(int i) {
  static const char *const texts[] = {"a", "b", "aa", "1", "true", "", "1.5"};
  switch (i % 5) {
    case 0:
      return json_string(texts[i / 5 % 7]);
    case 1:
      return json_integer(i / 5 % 6 - 2);
    case 2:
      return json_boolean(i / 5 % 2);
    case 3:
      return rebali_number_new(i / 5 % 2 ? "1.5" : "1.50", i / 5 % 2 ? 3 : 4);
    default:
      return json_null();
  }
}

/* Short lists are scanned, long ones sorted: both find what comparing one by one finds. */
START_TEST(test_finds_what_exists) {
  const size_t n = (size_t)_i;
  json_t *list = json_array();
  struct rebali_elements elements;
  struct rebali_index index;
  for (size_t i = 0; i < n; i++) {
    json_array_append_new(list, make_key((int)(i * 7)));
  }
  ck_assert_int_eq(rebali_elements_load(list, NULL, NULL, &elements, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_index_open(&index, &elements, NULL), REBAL_OK);
  for (int k = 0; k < 70; k++) {
    json_t *key = make_key(k);
    for (size_t from = 0; from <= n; from++) {
      size_t expected = from;
      while (expected < n && !json_equal(json_array_get(list, expected), key)) {
        expected++;
      }
      ck_assert_uint_eq(rebali_index_find(&index, key, from), expected);
    }
    json_decref(key);
  }
  rebali_index_close(&index);
  free(elements.at);
  json_decref(list);
}
END_TEST

UNIT_CASE(strategic_index) {
  TCase *cases = tcase_create("strategic_index");
  tcase_add_loop_test(cases, test_finds_what_exists, 0, 60);
  return cases;
}
