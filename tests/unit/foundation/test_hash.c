/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

/* Published test vectors of FNV-1a. */
static const struct {
  const char *text;
  uint32_t hash;
  uint64_t wide;
} vectors[] = {
    {"", UINT32_C(0x811C9DC5), UINT64_C(0xCBF29CE484222325)},
    {"a", UINT32_C(0xE40C292C), UINT64_C(0xAF63DC4C8601EC8C)},
    {"b", UINT32_C(0xE70C2DE5), UINT64_C(0xAF63DF4C8601F1A5)},
    {"foobar", UINT32_C(0xBF9CF968), UINT64_C(0x85944171F73967E8)},
};

START_TEST(test_fnv1a_vectors) {
  ck_assert_uint_eq(rebali_fnv1a32(vectors[_i].text, strlen(vectors[_i].text)), vectors[_i].hash);
  ck_assert_uint_eq(rebali_fnv1a64(REBALI_FNV1A64, vectors[_i].text, strlen(vectors[_i].text)), vectors[_i].wide);
}
END_TEST

/* A hash goes on where it ended, as over all bytes at once. */
START_TEST(test_fnv1a_goes_on) {
  ck_assert_uint_eq(rebali_fnv1a64(rebali_fnv1a64(REBALI_FNV1A64, "foo", 3), "bar", 3), UINT64_C(0x85944171F73967E8));
}
END_TEST

START_TEST(test_every_byte_and_the_length_count) {
  unsigned char bytes[40] = {0};
  uint64_t seen[41 + 40];
  size_t n = 0;
  size_t i;
  size_t j;

  for (i = 0; i <= sizeof bytes; i++) {
    seen[n++] = rebali_hash(bytes, i);
  }
  for (i = 0; i < sizeof bytes; i++) {
    bytes[i] = 1;
    seen[n++] = rebali_hash(bytes, sizeof bytes);
    bytes[i] = 0;
  }
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++) {
      ck_assert_uint_ne(seen[i], seen[j]);
    }
  }
}
END_TEST

START_TEST(test_place_in_memory_does_not_count) {
  char bytes[64] = "xxxxxxxxmember-cluster-17";
  char moved[64] = "member-cluster-17";

  ck_assert_uint_eq(rebali_hash(bytes + 8, 17), rebali_hash(moved, 17));
  memmove(moved + 1, moved, 17);
  ck_assert_uint_eq(rebali_hash(bytes + 8, 17), rebali_hash(moved + 1, 17));
}
END_TEST

UNIT_CASE(hash) {
  TCase *cases = tcase_create("hash");
  tcase_add_loop_test(cases, test_fnv1a_vectors, 0, (int)REBALI_COUNT(vectors));
  tcase_add_test(cases, test_fnv1a_goes_on);
  tcase_add_test(cases, test_every_byte_and_the_length_count);
  tcase_add_test(cases, test_place_in_memory_does_not_count);
  return cases;
}
