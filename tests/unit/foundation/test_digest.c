/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

/* From the reference's vectors: key and message are 0, 1, 2, ... */
static const struct {
  size_t len;
  uint8_t bytes[16];
} published[] = {
    {0, {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93}},
    {1, {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc, 0x45}},
    {2, {0x81, 0x77, 0x22, 0x8d, 0xa4, 0xa4, 0x5d, 0xc7, 0xfc, 0xa3, 0x8b, 0xde, 0xf6, 0x0a, 0xff, 0xe4}},
    {15, {0x54, 0x93, 0xe9, 0x99, 0x33, 0xb0, 0xa8, 0x11, 0x7e, 0x08, 0xec, 0x0f, 0x97, 0xcf, 0xc3, 0xd9}},
    {63, {0x51, 0x50, 0xd1, 0x77, 0x2f, 0x50, 0x83, 0x4a, 0x50, 0x3e, 0x06, 0x9a, 0x97, 0x3f, 0xbd, 0x7c}},
};

static uint64_t little(const uint8_t *bytes) {
  uint64_t word = 0;

  for (unsigned i = 0; i < 8; i++) {
    word |= (uint64_t)bytes[i] << (8 * i);
  }
  return word;
}

static void begin(struct rebali_digest *digest) {
  rebali_digest_begin(digest, UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908));
}

START_TEST(test_published_vectors) {
  uint8_t message[64];
  struct rebali_digest digest;
  struct rebali_fingerprint fingerprint;

  for (uint8_t i = 0; i < sizeof message; i++) {
    message[i] = i;
  }
  begin(&digest);
  rebali_digest_bytes(&digest, message, published[_i].len);
  fingerprint = rebali_digest_end(&digest);
  ck_assert_uint_eq(fingerprint.high, little(published[_i].bytes));
  ck_assert_uint_eq(fingerprint.low, little(published[_i].bytes + 8));
}
END_TEST

START_TEST(test_pieces_are_the_whole) {
  static const char text[] = "pieces of any length, cut anywhere";
  struct rebali_digest whole;
  struct rebali_digest pieces;
  struct rebali_fingerprint expected;
  struct rebali_fingerprint fingerprint;

  begin(&whole);
  rebali_digest_bytes(&whole, text, sizeof text);
  expected = rebali_digest_end(&whole);
  for (size_t cut = 0; cut <= sizeof text; cut++) {
    begin(&pieces);
    rebali_digest_bytes(&pieces, text, cut);
    rebali_digest_bytes(&pieces, text + cut, sizeof text - cut);
    fingerprint = rebali_digest_end(&pieces);
    ck_assert_uint_eq(fingerprint.high, expected.high);
    ck_assert_uint_eq(fingerprint.low, expected.low);
  }
}
END_TEST

START_TEST(test_numbers_are_eight_bytes) {
  static const uint8_t bytes[] = {'x', 'y', 'z', 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01};
  struct rebali_digest left;
  struct rebali_digest right;

  for (size_t ahead = 0; ahead <= 3; ahead += 3) {
    begin(&left);
    rebali_digest_bytes(&left, bytes, ahead);
    rebali_digest_u64(&left, UINT64_C(0x0102030405060708));
    begin(&right);
    rebali_digest_bytes(&right, bytes + 3 - ahead, ahead + 8);
    ck_assert_uint_eq(rebali_digest_end(&left).high, rebali_digest_end(&right).high);
  }
}
END_TEST

static uint64_t of_texts(const char *first, const char *second) {
  struct rebali_digest digest;

  begin(&digest);
  rebali_digest_text(&digest, rebali_text(first, strlen(first)));
  rebali_digest_text(&digest, rebali_text(second, strlen(second)));
  return rebali_digest_end(&digest).high;
}

START_TEST(test_texts_do_not_run_together) {
  ck_assert_uint_ne(of_texts("ab", "c"), of_texts("a", "bc"));
  ck_assert_uint_eq(of_texts("ab", "c"), of_texts("ab", "c"));
}
END_TEST

static uint64_t of_quantity(const char *text) {
  struct rebali_digest digest;
  rebal_quantity quantity;

  ck_assert_int_eq(rebali_quantity_parse(text, strlen(text), &quantity, NULL), REBAL_OK);
  begin(&digest);
  rebali_digest_quantity(&digest, &quantity);
  return rebali_digest_end(&digest).high;
}

START_TEST(test_quantities_by_their_canonical_text) {
  ck_assert_uint_eq(of_quantity("1.5"), of_quantity("1500m"));
  ck_assert_uint_eq(of_quantity("1Gi"), of_quantity("1024Mi"));
  ck_assert_uint_ne(of_quantity("1Gi"), of_quantity("1073741824"));
  ck_assert_uint_ne(of_quantity("1"), of_quantity("1001m"));
}
END_TEST

START_TEST(test_sums_have_no_order) {
  struct rebali_fingerprint left = {1, 2};
  struct rebali_fingerprint right = {UINT64_MAX, 5};

  rebali_fingerprint_add(&left, (struct rebali_fingerprint){UINT64_MAX, 5});
  rebali_fingerprint_add(&right, (struct rebali_fingerprint){1, 2});
  ck_assert_uint_eq(left.high, right.high);
  ck_assert_uint_eq(left.low, right.low);
  ck_assert_uint_eq(left.high, 0);
}
END_TEST

UNIT_CASE(digest) {
  TCase *cases = tcase_create("digest");
  tcase_add_loop_test(cases, test_published_vectors, 0, REBALI_COUNT(published));
  tcase_add_test(cases, test_pieces_are_the_whole);
  tcase_add_test(cases, test_numbers_are_eight_bytes);
  tcase_add_test(cases, test_texts_do_not_run_together);
  tcase_add_test(cases, test_quantities_by_their_canonical_text);
  tcase_add_test(cases, test_sums_have_no_order);
  return cases;
}
