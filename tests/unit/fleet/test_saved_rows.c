/* SPDX-License-Identifier: MIT */
/* Sections that are never saved: errors that no other check finds are refused by the loader. */
#include "saved_world.h"

struct writing {
  unsigned char bytes[1024];
  struct rebali_saving saving;
};

static void begin(struct writing *writing) {
  memset(writing, 0, sizeof *writing);
  writing->saving.bytes = writing->bytes;
  writing->saving.capacity = sizeof writing->bytes;
  rebali_save_head(&writing->saving, REBALI_SAVED_MAGIC, REBALI_SAVED_VERSION);
}

/* Writes n rows of a table; rows of pods belong to cluster 0. */
static void write_flags(struct writing *writing, uint32_t table, uint32_t n, const int64_t *gone, uint32_t n_gone) {
  static const int64_t flags[8] = {1, 1, 1, 1, 1, 1, 1, 1};

  rebali_save_section(&writing->saving, REBALI_SAVED_ROWS, table, table == REBAL_TABLE_POD ? 0 : REBAL_NONE);
  rebali_save_u32(&writing->saving, n);
  rebali_save_integers(&writing->saving, flags, n);
  rebali_save_u32(&writing->saving, n_gone);
  rebali_save_integers(&writing->saving, gone, n_gone);
}

static void write_names(struct writing *writing, uint32_t kind, const char *name) {
  static const int64_t is_present = 1;

  rebali_save_section(&writing->saving, kind, 0, 0);
  rebali_save_u32(&writing->saving, 1);
  rebali_save_text(&writing->saving, rebali_text(name, strlen(name)));
  if (kind == REBALI_SAVED_CLUSTERS) {
    rebali_save_integers(&writing->saving, &is_present, 1);
  }
}

/* Loads the sections, checks the message and returns the code. */
static int32_t load_written(struct writing *writing, const char *message) {
  struct loaded loaded = {NULL, NULL, NULL};
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code;

  rebali_save_end(&writing->saving);
  ck_assert_uint_le(writing->saving.len, writing->saving.capacity);
  code = rebal_fleet_load(NULL, writing->bytes, writing->saving.len, &loaded.fleet, &loaded.bindings, &loaded.ledger,
                          &err);
  ck_assert_str_eq(err.message, message);
  unload(&loaded);
  return code;
}

START_TEST(test_rows_that_are_stored_twice) {
  static const int64_t gone[] = {0, 1, 2};
  struct writing writing;

  begin(&writing);
  write_flags(&writing, REBAL_TABLE_BINDING, 0, NULL, 0);
  write_flags(&writing, REBAL_TABLE_BINDING, 3, NULL, 0);
  ck_assert_int_eq(load_written(&writing, ""), REBAL_OK);
  begin(&writing);
  write_flags(&writing, REBAL_TABLE_BINDING, 3, NULL, 0);
  write_flags(&writing, REBAL_TABLE_BINDING, 1, NULL, 0);
  ck_assert_int_eq(load_written(&writing, "rows of a table are stored twice"), REBAL_EPARSE);
  /* The first row is reused. */
  for (uint32_t n = 1; n <= 2; n++) {
    begin(&writing);
    write_names(&writing, REBALI_SAVED_CLUSTERS, "m1");
    write_flags(&writing, REBAL_TABLE_POD, 3, gone, n);
    write_flags(&writing, REBAL_TABLE_POD, n, NULL, 0);
    ck_assert_int_eq(load_written(&writing, "a table has more rows than its number of rows"), REBAL_EPARSE);
  }
  /* The first row is reused, the next row is new. */
  begin(&writing);
  write_names(&writing, REBALI_SAVED_CLUSTERS, "m1");
  write_flags(&writing, REBAL_TABLE_POD, 3, gone, 1);
  write_flags(&writing, REBAL_TABLE_POD, 2, NULL, 0);
  ck_assert_int_eq(load_written(&writing, "rows of a table are stored twice"), REBAL_EPARSE);
}
END_TEST

START_TEST(test_ids_that_are_none) {
  static const int64_t wrongs[] = {-1, (int64_t)UINT32_MAX + 1, INT64_MIN, INT64_MAX};

  for (size_t i = 0; i < REBALI_COUNT(wrongs); i++) {
    struct writing writing;

    begin(&writing);
    write_flags(&writing, REBAL_TABLE_BINDING, 1, &wrongs[i], 1);
    ck_assert_int_eq(load_written(&writing, "a number is not an id"), REBAL_EPARSE);
  }
}
END_TEST

START_TEST(test_quantities_that_are_none) {
  static const struct {
    int64_t nanos, format;
    const char *message;
  } amounts[] = {
      {5, 1, ""},
      {INT64_C(1) << 32, 1, "an amount is not a quantity"},
      {-(INT64_C(1) << 32), 1, "an amount is not a quantity"},
      {5, -1, "an amount is not a quantity"},
      {5, INT64_C(1) << 32, "an amount is not a quantity"},
  };

  for (size_t i = 0; i < REBALI_COUNT(amounts); i++) {
    const int64_t id = 0, units = 3;
    struct writing writing;
    const char *message = amounts[i].message;

    begin(&writing);
    write_names(&writing, REBALI_SAVED_CLUSTERS, "m1");
    write_names(&writing, REBALI_SAVED_RESOURCES, "cpu");
    rebali_save_section(&writing.saving, REBALI_SAVED_AMOUNTS, REBAL_CAPACITY_ALLOCATABLE, 0);
    rebali_save_u32(&writing.saving, 1);
    rebali_save_integers(&writing.saving, &id, 1);
    rebali_save_integers(&writing.saving, &units, 1);
    rebali_save_integers(&writing.saving, &amounts[i].nanos, 1);
    rebali_save_integers(&writing.saving, &amounts[i].format, 1);
    ck_assert_int_eq(load_written(&writing, message), *message == '\0' ? REBAL_OK : REBAL_EPARSE);
  }
}
END_TEST

START_TEST(test_times_that_are_none) {
  static const int64_t nanos[] = {999999999, 1000000000, -1, INT64_C(1) << 31, INT64_C(1) << 32};

  for (size_t i = 0; i < REBALI_COUNT(nanos); i++) {
    const int64_t id = 0, seconds = 3;
    struct writing writing;

    begin(&writing);
    write_flags(&writing, REBAL_TABLE_BINDING, 1, NULL, 0);
    rebali_save_section(&writing.saving, REBALI_SAVED_COLUMN, REBAL_BINDING_RESCHEDULE_TRIGGERED_AT, REBAL_NONE);
    rebali_save_u32(&writing.saving, 1);
    rebali_save_integers(&writing.saving, &id, 1);
    rebali_save_integers(&writing.saving, &seconds, 1);
    rebali_save_integers(&writing.saving, &nanos[i], 1);
    ck_assert_int_eq(load_written(&writing, i == 0 ? "" : "the time is not within the years 1 to 9999"),
                     i == 0 ? REBAL_OK : REBAL_EPARSE);
  }
}
END_TEST

START_TEST(test_a_record_that_is_stored_twice) {
  struct writing writing;

  begin(&writing);
  rebali_save_section(&writing.saving, REBALI_SAVED_RECORDS, REBAL_OBJECT_LABELS, 0);
  rebali_save_u32(&writing.saving, 2);
  rebali_save_u32(&writing.saving, 0);
  rebali_save_u32(&writing.saving, 0);
  ck_assert_int_eq(load_written(&writing, "a record is stored twice"), REBAL_EPARSE);
}
END_TEST

START_TEST(test_two_ledgers) {
  struct writing writing;

  begin(&writing);
  for (int i = 0; i < 2; i++) {
    rebali_save_section(&writing.saving, REBALI_SAVED_LEDGER, 0, 0);
    rebali_save_u32(&writing.saving, 0);
  }
  ck_assert_int_eq(load_written(&writing, "there are two ledgers"), REBAL_EPARSE);
}
END_TEST

/* Bindings and a ledger that the caller does not request are freed. */
START_TEST(test_what_is_not_requested) {
  struct saved_world saved;
  struct bytes bytes, again;
  rebal_fleet *fleet = NULL;

  open_saved(&saved);
  bytes = save(saved.world.fleet, saved.world.bindings, saved.ledger);
  ck_assert_int_eq(rebal_fleet_load(NULL, bytes.at, bytes.len, &fleet, NULL, NULL, NULL), REBAL_OK);
  free(bytes.at);
  bytes = save(saved.world.fleet, NULL, NULL);
  again = save(fleet, NULL, NULL);
  assert_same_bytes(bytes, again);
  free(again.at);
  free(bytes.at);
  rebal_fleet_free(fleet);
  close_saved(&saved);
}
END_TEST

UNIT_CASE(saved_rows) {
  TCase *cases = tcase_create("saved_rows");

  tcase_add_test(cases, test_rows_that_are_stored_twice);
  tcase_add_test(cases, test_ids_that_are_none);
  tcase_add_test(cases, test_quantities_that_are_none);
  tcase_add_test(cases, test_times_that_are_none);
  tcase_add_test(cases, test_a_record_that_is_stored_twice);
  tcase_add_test(cases, test_two_ledgers);
  tcase_add_test(cases, test_what_is_not_requested);
  return cases;
}
