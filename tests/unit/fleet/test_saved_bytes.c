/* SPDX-License-Identifier: MIT */
/* Malformed bytes are refused or loaded safely, and no buffer is overrun. */
#include "../../support/allocator.h"
#include "saved_world.h"

/* The sizes of the header and of a section's header, and the offset of the length in the latter. */
enum { HEAD = 16, SECTION_HEAD = 24, SECTION_LENGTH = 16 };

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

START_TEST(test_every_buffer_that_is_too_small) {
  struct saved_world saved;
  struct bytes bytes;
  unsigned char *guarded;

  open_saved(&saved);
  bytes = save(saved.world.fleet, saved.world.bindings, saved.ledger);
  guarded = malloc(bytes.len + 1);
  ck_assert_ptr_nonnull(guarded);
  for (size_t capacity = 1; capacity <= bytes.len; capacity++) {
    size_t len = 0;

    guarded[capacity] = 0xa5;
    ck_assert_int_eq(
        rebal_fleet_save(saved.world.fleet, saved.world.bindings, saved.ledger, guarded, capacity, &len, NULL),
        capacity == bytes.len ? REBAL_OK : REBAL_ERANGE);
    ck_assert_uint_eq(len, bytes.len);
    ck_assert_uint_eq(guarded[capacity], 0xa5);
  }
  free(guarded);
  free(bytes.at);
  close_saved(&saved);
}
END_TEST

START_TEST(test_every_beginning_is_refused) {
  struct saved_world saved;
  struct bytes bytes;

  open_saved(&saved);
  bytes = save(saved.world.fleet, saved.world.bindings, saved.ledger);
  for (size_t len = 0; len < bytes.len; len++) {
    unsigned char *copy = malloc(len + 1); /* an allocation of its own, so that an overread is detected */
    rebal_fleet *fleet = NULL;
    rebal_error err = REBAL_ERROR_INIT;

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes.at, len);
    ck_assert_int_eq(rebal_fleet_load(NULL, copy, len, &fleet, NULL, NULL, &err), REBAL_EPARSE);
    ck_assert_int_ge(err.where, 0);
    ck_assert_int_le(err.where, (int64_t)len);
    ck_assert_ptr_null(fleet);
    free(copy);
  }
  free(bytes.at);
  close_saved(&saved);
}
END_TEST

/* One byte is changed: the bytes are refused or load as another valid fleet. */
START_TEST(test_every_byte_that_is_wrong) {
  static const unsigned char wrongs[] = {0, 1, 0x7f, 0x80, 0xff};
  struct saved_world saved;
  struct bytes bytes;
  size_t refused = 0;

  open_saved(&saved);
  bytes = save(saved.world.fleet, saved.world.bindings, saved.ledger);
  for (size_t i = 0; i < bytes.len * sizeof wrongs; i++) {
    const size_t at = i / sizeof wrongs;
    const unsigned char right = bytes.at[at];
    struct loaded loaded = {NULL, NULL, NULL};
    int32_t code;

    bytes.at[at] = wrongs[i % sizeof wrongs];
    code = rebal_fleet_load(NULL, bytes.at, bytes.len, &loaded.fleet, &loaded.bindings, &loaded.ledger, NULL);
    ck_assert(code == REBAL_OK || code == REBAL_EPARSE || code == REBAL_EUNSUPPORTED);
    refused += code != REBAL_OK;
    if (code == REBAL_OK) {
      struct bytes again = save(loaded.fleet, loaded.bindings, loaded.ledger);

      free(again.at);
    }
    unload(&loaded);
    bytes.at[at] = right;
  }
  ck_assert_uint_gt(refused, bytes.len);
  free(bytes.at);
  close_saved(&saved);
}
END_TEST

static uint64_t number_in(const unsigned char *at) {
  uint64_t number = 0;

  for (unsigned i = 0; i < 8; i++) {
    number |= (uint64_t)at[i] << 8 * i;
  }
  return number;
}

/* Truncates the section at `at` to its first bytes. */
static struct bytes cut(struct bytes bytes, size_t at, uint64_t first) {
  const size_t body = at + SECTION_HEAD, end = body + (size_t)number_in(bytes.at + at + SECTION_LENGTH);
  struct bytes shorter = {malloc(bytes.len), body + (size_t)first + bytes.len - end};

  ck_assert_ptr_nonnull(shorter.at);
  memcpy(shorter.at, bytes.at, body + (size_t)first);
  memcpy(shorter.at + body + first, bytes.at + end, bytes.len - end);
  for (unsigned i = 0; i < 8; i++) {
    shorter.at[at + SECTION_LENGTH + i] = (unsigned char)(first >> 8 * i);
  }
  return shorter;
}

START_TEST(test_every_section_that_ends_too_early) {
  struct saved_world saved;
  struct bytes bytes;
  size_t at = HEAD;

  open_saved(&saved);
  bytes = save(saved.world.fleet, saved.world.bindings, saved.ledger);
  while (at < bytes.len) {
    const uint64_t len = number_in(bytes.at + at + SECTION_LENGTH);

    for (uint64_t first = 0; first < len; first++) {
      struct bytes shorter = cut(bytes, at, first);
      rebal_fleet *fleet = NULL;
      rebal_error err = REBAL_ERROR_INIT;

      ck_assert_int_eq(rebal_fleet_load(NULL, shorter.at, shorter.len, &fleet, NULL, NULL, &err), REBAL_EPARSE);
      ck_assert_int_le(err.where, (int64_t)(at + SECTION_HEAD + first));
      ck_assert_ptr_null(fleet);
      free(shorter.at);
    }
    at += SECTION_HEAD + (size_t)len;
  }
  free(bytes.at);
  close_saved(&saved);
}
END_TEST

static int32_t load_with(struct bytes bytes, size_t at, unsigned char value, const char *message) {
  const unsigned char right = bytes.at[at];
  rebal_fleet *fleet = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code;

  bytes.at[at] = value;
  code = rebal_fleet_load(NULL, bytes.at, bytes.len, &fleet, NULL, NULL, &err);
  bytes.at[at] = right;
  ck_assert_ptr_null(fleet);
  ck_assert_str_eq(err.message, message);
  return code;
}

START_TEST(test_what_a_later_library_wrote) {
  rebal_fleet *fleet = new_fleet();
  struct bytes bytes;

  (void)add_cluster(fleet, "m1");
  bytes = save(fleet, NULL, NULL);
  ck_assert_int_eq(load_with(bytes, 8, 2, "version 2 of the format"), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(load_with(bytes, 16, 200, "no section has the kind 200"), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(load_with(bytes, bytes.len - 24 - 8 - 20, 99, "no column has the number 32867"), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(load_with(bytes, 12, 1, "the beginning is malformed"), REBAL_EPARSE);
  ck_assert_int_eq(load_with(bytes, 0, 1, "not a saved fleet"), REBAL_EPARSE);
  free(bytes.at);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_refusals) {
  rebal_fleet *fleet = new_fleet(), *other = new_fleet(), *loaded = NULL;
  rebal_bindings *bindings = NULL;
  rebal_ledger *ledger = NULL;
  size_t len;

  ck_assert_int_eq(rebal_bindings_new(other, NULL, &bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_new(other, NULL, &ledger, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_save(fleet, bindings, NULL, NULL, 0, &len, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(rebal_fleet_save(fleet, NULL, ledger, NULL, 0, &len, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(rebal_fleet_save(NULL, NULL, NULL, NULL, 0, &len, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_save(fleet, NULL, NULL, NULL, 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_save(fleet, NULL, NULL, NULL, 1, &len, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_load(NULL, "x", 1, NULL, NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_load(NULL, NULL, 1, &loaded, NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_load(NULL, NULL, 0, &loaded, NULL, NULL, NULL), REBAL_EPARSE);
  rebal_ledger_free(ledger);
  rebal_bindings_free(bindings);
  rebal_fleet_free(other);
  rebal_fleet_free(fleet);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static int32_t load_and_save(const rebal_allocator *allocator, void *user_data) {
  const struct bytes *bytes = user_data;
  struct loaded loaded = {NULL, NULL, NULL};
  size_t len = 0;
  int32_t code =
      rebal_fleet_load(allocator, bytes->at, bytes->len, &loaded.fleet, &loaded.bindings, &loaded.ledger, NULL);

  code = code == REBAL_OK ? rebal_fleet_save(loaded.fleet, loaded.bindings, loaded.ledger, NULL, 0, &len, NULL) : code;
  ck_assert(code != REBAL_OK || len == bytes->len);
  unload(&loaded);
  return code;
}

START_TEST(test_out_of_memory) {
  struct saved_world saved;
  struct bytes bytes;

  open_saved(&saved);
  bytes = save(saved.world.fleet, saved.world.bindings, saved.ledger);
  ck_assert_pstr_eq(test_torture(load_and_save, &bytes), NULL);
  free(bytes.at);
  close_saved(&saved);
}
END_TEST

/* A fleet that was loaded with enough memory is saved with too little. */
START_TEST(test_saving_out_of_memory) {
  struct saved_world saved;
  struct bytes bytes;
  struct loaded loaded = {NULL, NULL, NULL};
  struct test_allocator memory;
  int32_t code = REBAL_ENOMEM;
  size_t failed = 0;

  open_saved(&saved);
  bytes = save(saved.world.fleet, saved.world.bindings, saved.ledger);
  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(
      rebal_fleet_load(&memory.functions, bytes.at, bytes.len, &loaded.fleet, &loaded.bindings, &loaded.ledger, NULL),
      REBAL_OK);
  for (size_t k = 1; code == REBAL_ENOMEM; k++) {
    const size_t live = memory.live;
    size_t len = 0;

    memory.requests = 0;
    memory.fail_at = k;
    code = rebal_fleet_save(loaded.fleet, loaded.bindings, loaded.ledger, NULL, 0, &len, NULL);
    ck_assert_uint_eq(len, code == REBAL_OK ? bytes.len : 0);
    ck_assert_uint_eq(memory.live, live);
    failed += code == REBAL_ENOMEM;
  }
  ck_assert_int_eq(code, REBAL_OK);
  ck_assert_uint_gt(failed, 3);
  unload(&loaded);
  ck_assert_uint_eq(memory.live, 0);
  free(bytes.at);
  close_saved(&saved);
}
END_TEST

UNIT_CASE(saved_bytes) {
  TCase *cases = tcase_create("saved_bytes");

  tcase_set_timeout(cases, 120);
  tcase_add_test(cases, test_every_buffer_that_is_too_small);
  tcase_add_test(cases, test_every_beginning_is_refused);
  tcase_add_test(cases, test_every_section_that_ends_too_early);
  tcase_add_test(cases, test_every_byte_that_is_wrong);
  tcase_add_test(cases, test_what_a_later_library_wrote);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_out_of_memory);
  tcase_add_test(cases, test_saving_out_of_memory);
  return cases;
}
